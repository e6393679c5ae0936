"""The box: 18 cards, five suits. And where the manual can be read in two ways, what a table chooses."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import HouseRule
from companion.core.game import finder, load

DREAMLANDS, DREAMS = "dreamlands", "Dreamlands"
SHUB = "shub-niggurath"


@dataclass(frozen=True)
class Suit:
    id: str
    one: str
    many: str

    def number(self, n: int) -> str:
        return f"{n} {self.one if n == 1 else self.many}"


@dataclass(frozen=True)
class Card:
    id: str
    name: str
    suit: str  # "" where none is printed
    madness: bool
    kind: str  # how it scores: a method of `Sight` in scoring.py
    points: int
    of: tuple[str, ...]  # the suits it looks at
    narrow: str = ""  # the name with places to break its long words, for a third of a phone's width


SUITS = load(__package__, "suits.toml", Suit)
DECK = load(__package__, "cards.toml", Card)
ICONS = sum(each.madness for each in DECK)
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
KEPT_MADNESS, KEPT_ICONS, KEPT_SHUB, EMPTY_HANDED, DREAMLANDS_TOKEN = HOUSE_RULES

card = finder(DECK, "That is none of the 18 cards in this box.")
suit = finder(SUITS, f"That is none of the five suits: {', '.join(each.many for each in SUITS)}.")
