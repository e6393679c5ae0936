"""What is in the boxes: factions by name, bases with their numbers, and where the manual leaves a choice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field

from companion.core import Count, HouseRule, Name, Whole
from companion.core.game import finder, load

MADNESS = 30  # cards in the Madness deck
THIS_SET = "cthulhu"


@dataclass(frozen=True)
class Set:
    id: str
    name: str


@dataclass(frozen=True)
class Faction:
    name: str
    set: str


@dataclass(frozen=True)
class Card:
    """A base."""

    id: str
    name: str
    set: str
    breakpoint: int
    vp: tuple[int, ...]  # first, second, third
    ability: str = ""
    when: str = ""
    gives: str = ""  # VP beyond the printed ones: "five-power", "minions"
    sanity: bool = False  # whoever wins here may return Madness cards
    note: str = ""

    @cached_property
    def prizes(self) -> str:
        return " · ".join(map(str, self.vp))


SETS = (Set(THIS_SET, "This set"), Set("core", "Core set"), Set("awesome", "Awesome Level 9000"))
FACTIONS = load(__package__, "factions.toml", Faction)
BASES = load(__package__, "bases.toml", Card)
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TIED, PENALTY, RANKED, TIED_PLACE, LAST_BASE, END_CHECK = HOUSE_RULES

box = finder(SETS, "That is none of the sets whose bases are known here.")
known_base = finder(BASES, "That is none of the bases known here. Type it in instead.")
_factions = {faction.name.casefold(): faction for faction in FACTIONS}


def faction(name: str) -> Faction:
    """One of the boxes we know, or any other by its name."""
    return _factions.get(name.casefold(), Faction(name, ""))


# --- what may be typed ---

AsPrinted = Annotated[
    Name, AfterValidator(lambda name: faction(name).name)
]  # a faction, whatever its capitals
Cards = Annotated[Count, Field(ge=1, le=MADNESS)]
Power = Annotated[Whole, Field(ge=0, le=30)]
Vp = Annotated[Whole, Field(ge=0, le=20)]


@dataclass(frozen=True)
class Printed:
    """What stands on a base."""

    name: Name
    breakpoint: Annotated[Whole, Field(ge=1, le=99)]
    vp_for_first: Vp
    vp_for_second: Vp
    vp_for_third: Vp

    @property
    def all(self) -> tuple[str, int, tuple[int, int, int]]:
        return self.name, self.breakpoint, (self.vp_for_first, self.vp_for_second, self.vp_for_third)
