"""What is in the boxes: factions by name, bases with their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from companion.core import Refused
from companion.core.game import load

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

_factions = {faction.name.casefold(): faction for faction in FACTIONS}
_bases = {base.id: base for base in BASES}
_sets = {each.id: each for each in SETS}


def faction(name: str) -> Faction:
    """One of the boxes we know, or any other by its name."""
    return _factions.get(name.casefold(), Faction(name, ""))


def box(id: str) -> Set:
    if id not in _sets:
        raise Refused("That is none of the sets whose bases are known here.")
    return _sets[id]


def known_base(id: str) -> Card:
    if id not in _bases:
        raise Refused("That is none of the bases known here. Type it in instead.")
    return _bases[id]
