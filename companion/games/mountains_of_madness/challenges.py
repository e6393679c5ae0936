"""What a tile asks for: a kind of Equipment, and a value that is exact, a range, or one of two."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from companion.core import Refused, refuse_if
from companion.core.text import clean

Form = Literal["exact", "range", "either"]
Kind = Literal["tools", "weapons", "books", "crates"]
KINDS: dict[str, str] = {"tools": "Tools", "weapons": "Weapons", "books": "Books", "crates": "Crates"}
VALUES = (2, 3, 4, 5, 6, 10)  # plain cards, and 10 for Arcane Equipment
HIGHEST = 60  # no tile asks for as much; anything beyond is a slip of the thumb

PRINTED: dict[Form, re.Pattern[str]] = {
    "exact": re.compile(r"(\d{1,2})", re.ASCII),
    "range": re.compile(r"(\d{1,2})\s*(?:-|–|−|to)\s*(\d{1,2})", re.ASCII),
    "either": re.compile(r"(\d{1,2})\s*(?:or|/)\s*(\d{1,2})", re.ASCII),
}


@dataclass(frozen=True)
class Challenge:
    kind: Kind
    form: Form
    low: int
    high: int

    @property
    def name(self) -> str:
        return KINDS[self.kind]

    @property
    def value(self) -> str:
        """As it is printed."""
        between = {"exact": "", "range": "–", "either": " or "}[self.form]
        return f"{self.low}{between}{self.high}" if between else str(self.low)

    def __str__(self) -> str:
        return f"{self.name} {self.value}"

    def met(self, total: int) -> bool:
        return self.gap(total) == 0

    def gap(self, total: int) -> int:
        """How far the total is from the nearest value that would do."""
        if self.form == "either":
            return min(abs(total - self.low), abs(total - self.high))
        return max(self.low - total, total - self.high, 0)


def read(kind: Kind, typed: str) -> Challenge:
    """14, 11-13, or 10 or 12, as it is printed."""
    text = clean(typed).lower() if len(typed) <= 60 else ""
    for form, pattern in PRINTED.items():
        if found := pattern.fullmatch(text):
            return _checked(Challenge(kind, form, int(found[1]), int(found[found.re.groups])))
    raise Refused("Type a Challenge as it is printed: 14, 11-13, or 10 or 12.")


def _checked(challenge: Challenge) -> Challenge:
    ordered = 1 <= challenge.low <= challenge.high <= HIGHEST
    refuse_if(not ordered, f"A Challenge goes from small to large, between 1 and {HIGHEST}.")
    twice = challenge.form != "exact" and challenge.low == challenge.high
    refuse_if(twice, "Those are twice the same number; type it once.")
    return challenge
