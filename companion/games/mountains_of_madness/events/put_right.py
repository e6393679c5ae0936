"""What the table forgot to tap, put right by hand."""

from __future__ import annotations

from dataclasses import dataclass

from companion import core
from companion.core import Event
from companion.core.text import listed
from companion.games.mountains_of_madness.events.moved import number
from companion.games.mountains_of_madness.state import PLACES, SPACES


@dataclass(frozen=True)
class TokensSet(Event):
    sled: int
    discard: int
    box: int

    def told(self, state: core.State) -> str:
        return (
            f"tokens put right: {self.sled} on the sled, {self.discard} in the discard, {self.box} in the box"
        )


@dataclass(frozen=True)
class InjuriesSet(Event):
    supply: int
    deck: int
    discard: int
    hands: int

    def told(self, state: core.State) -> str:
        return (
            f"Injuries put right: {self.supply} in their deck, {self.deck} in the Equipment deck, "
            f"{self.discard} in its discard, {self.hands} in hands"
        )


@dataclass(frozen=True)
class CardsSet(Event):
    deck: int
    discard: int
    hands: int

    def told(self, state: core.State) -> str:
        return f"cards put right: {self.deck} in the deck, {self.discard} discarded, {self.hands} in hands"


@dataclass(frozen=True)
class PlanePut(Event):
    place: str

    def told(self, state: core.State) -> str:
        return f"the airplane is at the {PLACES[self.place]}"


@dataclass(frozen=True)
class SeatPut(Event):
    seat: int
    level: int
    relics: tuple[str, ...]
    covered: tuple[str, ...]

    def told(self, state: core.State) -> str:
        spaces = listed([f"“{SPACES[each]}”" for each in self.covered]) or "no space"
        return f"put right: Madness {self.level}, {number(len(self.relics), 'Relic')}, {spaces} covered"
