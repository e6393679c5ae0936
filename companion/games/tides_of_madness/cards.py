"""The box: 18 cards, five suits."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.game import finder, load

DREAMLANDS, DREAMS = "dreamlands", "Dreamlands"
SHUB = "shub-niggurath"
LONG_WORDS = ("Dream-lands", "Inns-mouth", "Manu-scripts", "Miska-tonic", "Moun-tains", "Necro-nomicon")
LONGER = ("Nyarla-thotep", "Unaus-sprech-lichen")


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
    kind: str  # how it scores; see scoring.py
    points: int
    of: tuple[str, ...]  # the suits it looks at

    @property
    def narrow(self) -> str:
        """The name with places to break its long words, for a third of a phone's width."""
        name = self.name
        for long in LONG_WORDS + LONGER:
            name = name.replace(long.replace("-", ""), long.replace("-", "\u00ad"))
        return name


SUITS = (
    Suit("races", "Race", "Races"),
    Suit("locations", "Location", "Locations"),
    Suit("outer-gods", "Outer God", "Outer Gods"),
    Suit("great-old-ones", "Great Old One", "Great Old Ones"),
    Suit("manuscripts", "Manuscript", "Manuscripts"),
)
DECK = load(__package__, "cards.toml", Card)
ICONS = sum(each.madness for each in DECK)

card = finder(DECK, "That is none of the 18 cards in this box.")
suit = finder(
    SUITS, "That is none of the five suits: Races, Locations, Outer Gods, Great Old Ones, Manuscripts."
)
