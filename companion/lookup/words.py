"""How a question is read: small letters, stems, words that mean the same, and slips of the thumb."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources

from companion.core.parsed import read_toml

_SPLIT = re.compile(r"[^a-z0-9]+")
_OWNS = re.compile(r"'s\b")
_APOSTROPHES = re.compile(r"['`]")
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
NUMERALS = {word: str(number) for number, word in enumerate(_COUNTED.split())}
NUMERALS |= {f"{number}p": str(number) for number in range(1, 6)}  # players
NUMERALS |= {"thirty": "30", "once": "1", "twice": "2", "1st": "first", "2nd": "second", "3rd": "third"}


def words(text: str) -> list[str]:
    """Small letters without accents, numbers as figures, each word by its stem; what is Ada's is Ada."""
    text = text.replace("’", "'").replace("´", "'")
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    plain = _APOSTROPHES.sub("", _OWNS.sub("", plain))
    return [stem(NUMERALS.get(word, word)) for word in _SPLIT.split(plain) if word]


@lru_cache(20_000)
def stem(word: str) -> str:
    """What is left without the commonest endings: enough for discard, discards, discarded and discarding."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 5 and word.endswith("nes"):  # madnes, darknes
        word += "s"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


@dataclass(frozen=True)
class Wording:
    """Words that mean the same, and those that say nothing about what is asked."""

    same: tuple[tuple[tuple[str, ...], ...], ...]  # groups of phrases
    idle: frozenset[str]
    beyond: frozenset[str] = frozenset()  # those of questions that no rules answer
    elsewhere: frozenset[str] = frozenset()  # things and deeds of games, be they of this one or not

    @cached_property
    def spelled(self) -> frozenset[str]:
        """No slips, even where nobody says them."""
        return self.beyond | self.elsewhere

    @cache  # noqa: B019  one wording is loaded, and lives as long as the server
    def phrases(
        self, more: tuple[tuple[tuple[str, ...], ...], ...] = ()
    ) -> Mapping[tuple[str, ...], frozenset[str]]:
        """Phrase → the single words that may stand for it; a room has `more` of its own."""
        found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for group in (*self.same, *more):
            single = {phrase[0] for phrase in group if len(phrase) == 1}
            for phrase in group:
                found[phrase] |= single - set(phrase)
        return {phrase: frozenset(others) for phrase, others in found.items()}


@cache
def wording() -> Wording:
    tables = read_toml(resources.files(__package__).joinpath("words.toml"))
    lists = (
        frozenset(word for each in tables[name] for word in words(each))
        for name in ("idle", "beyond", "elsewhere")
    )
    return Wording(groups(tables["same"]), *lists)


def groups(same: Iterable[Iterable[str]]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    return tuple(tuple(tuple(words(phrase)) for phrase in group) for group in same)


def pieces(word: str) -> set[str]:
    """Its pairs of letters, each behind its first letter: few slip on that one."""
    framed = f"^{word}$"
    return {word[0] + framed[at : at + 2] for at in range(len(framed) - 1)}


def distance(one: str, other: str, most: int = 99) -> int:
    """Letters to add, leave out, change, or swap with their neighbour; counted no further than `most`."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row = row, [i]
        for j, b in enumerate(other, 1):
            step = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                step = min(step, before[j - 2] + 1)
            row.append(step)
        if min(row) > most:
            return most + 1
        before = last
    return row[-1]


#: Who a question is about, me or another, and whether it is about what is not.
VOICES = tuple(
    frozenset(words(spoken))
    for spoken in (
        "i me my mine im ive ill myself",
        "he she they him her his their them opponent other another else rival someone friend brother sister",
        "not no dont doesnt didnt cant cannot wont isnt arent never none without nobody nothing neither nor",
    )
)
