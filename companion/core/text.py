"""What people type, made safe to keep: clean names, whole numbers and small sums."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from companion.core.refused import Refused

LONGEST_NAME = 24
LARGEST = 999_999  # what one counter can be moved by; anything beyond is a slip of the thumb

# Invisible characters that emoji and some scripts need; every other one is dropped.
_JOINERS = {"\u200c", "\u200d", "\ufe0e", "\ufe0f"}
_BLANKS = {"\u115f", "\u1160", "\u2800", "\u3164", "\uffa0"}  # letters by name, but nobody sees them
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_SUM = re.compile(r"[+-]?\d{1,40}(?:[+-]\d{1,40}){0,19}")


class _Seen(dict[int, str]):
    """For `str.translate`: a blank for what nobody sees. It remembers the alphabets, not all of Unicode."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        seen = c if c in _JOINERS or not _hidden(c) else " "
        if code < 0x3000:
            self[code] = seen
        return seen


_SEEN = _Seen()


def clean(text: str) -> str:
    """One line without control characters, direction overrides or half characters."""
    words = unicodedata.normalize("NFC", text.translate(_SEEN)).split()
    return " ".join(filter(None, (word.strip("\u200c\u200d") for word in words)))


def _hidden(c: str) -> bool:
    return c in _BLANKS or unicodedata.category(c) in _INVISIBLE


def _limited(most: int, what: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if len(text) > 100 * most:  # do not even look at it
            raise Refused(f"{what} can have at most {most} characters.")
        text = clean(text)
        if not any(unicodedata.category(c)[0] in "LNSP" for c in text):
            raise Refused(f"{what} needs at least one visible character.")
        if len(text) > most:
            raise Refused(f"{what} can have at most {most} characters; “{text[:12]}…” has {len(text)}.")
        return text

    return check


def sum_up(typed: object) -> object:
    """Players add in their head when they must; here they can type 3+6 instead."""
    if not isinstance(typed, str):
        return typed
    text = re.sub(r"\s*([+-])\s*", r"\1", typed.strip().replace("−", "-").replace("–", "-"))
    if not text.isascii() or not _SUM.fullmatch(text):
        shown = clean(typed)[:20]
        raise Refused(
            f"“{shown}” is not a whole number or a sum like 3+6." if shown else "A number is missing."
        )
    return sum(int(part) for part in re.findall(r"[+-]?\d+", text))


def _changing(by: int) -> int:
    if by == 0:
        raise Refused("Nothing to add.")
    return by


def nothing_if(word: str) -> AfterValidator:
    """In the type of an argument: what a form sends for nothing, as what is left empty is left out."""
    return AfterValidator(lambda value: "" if value == word else value)


named = _limited(LONGEST_NAME, "A name")

#: How small or large a typed number may be: `Annotated[Count, Bounds(ge=1, le=9)]`.
Bounds = Field
Name = Annotated[str, AfterValidator(named)]
Text = Annotated[str, AfterValidator(_limited(200, "A note"))]
Choice = Annotated[str, StringConstraints(max_length=60)]
Whole = Annotated[int, BeforeValidator(sum_up), Field(ge=-LARGEST, le=LARGEST)]
Count = Annotated[int, BeforeValidator(sum_up), Field(ge=0, le=LARGEST)]
By = Annotated[Whole, AfterValidator(_changing)]
YesOrNo = Literal["yes", "no"]
SeatId = Annotated[int, BeforeValidator(sum_up), Field(ge=1, le=9999)]


def signed(number: int) -> str:
    """−3, +4 and ±0 the way a score sheet writes them."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "±0"


def plain(number: int) -> str:
    return str(number) if number >= 0 else f"−{-number}"


def counted(number: int, what: str, none: str = "0") -> str:
    """1 chapter, 2 chapters, and `none` of them; `Injury/Injuries` has a plural of its own."""
    return f"{number or none} {plural(what, number)}"


def plural(what: str, number: int) -> str:
    """What so many of them are called."""
    one, _, more = what.partition("/")
    return one if number == 1 else more or f"{one}s"


def capital(words: str) -> str:
    """As a sentence begins; the rest stays as it is."""
    return words[:1].upper() + words[1:]


def listed(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def same_name(names: Sequence[str]) -> str | None:
    """One that two have, if capitals are not told apart."""
    folded = [name.casefold() for name in names]
    return next((name for name in names if folded.count(name.casefold()) > 1), None)
