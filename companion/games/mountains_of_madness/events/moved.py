"""What moves between places: every chain is made of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from companion import core
from companion.core import Event
from companion.games.mountains_of_madness.state import RELIC_KINDS, SPACES, State

TokenPlace = Literal["sled", "discard", "box"]
InjuryPlace = Literal["supply", "deck", "discard", "hands"]
WHERE = {
    "supply": "the Injury deck",
    "deck": "the Equipment deck",
    "discard": "the Equipment discard",
    "hands": "a hand",
}


def number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


@dataclass(frozen=True)
class TokensMoved(Event):
    source: TokenPlace
    to: TokenPlace
    count: int = 1

    def told(self, state: core.State) -> str:
        left = cast("State", state).tokens
        way = f"from the {self.source} to the {self.to}"
        return f"{number(self.count, 'token')} {way} ({left.sled} on the sled, {left.box} in the box)"


@dataclass(frozen=True)
class InjuriesMoved(Event):
    source: InjuryPlace
    to: InjuryPlace
    count: int = 1

    def told(self, state: core.State) -> str:
        injuries = number(self.count, "Injury", "Injuries")
        return f"{injuries} from {WHERE[self.source]} to {WHERE[self.to]}"


@dataclass(frozen=True)
class InjuryMissing(Event):
    def told(self, state: core.State) -> str:
        return "no Injury is left to draw"


@dataclass(frozen=True)
class MadnessDrawn(Event):
    seat: int
    level: int

    def told(self, state: core.State) -> str:
        return f"draws Madness of level {self.level}"


@dataclass(frozen=True)
class CardsDiscarded(Event):
    """From the Equipment deck."""

    count: int

    def told(self, state: core.State) -> str:
        return f"{number(self.count, 'card')} from the Equipment deck to its discard"


@dataclass(frozen=True)
class RelicTaken(Event):
    seat: int
    kind: str
    space: str = ""

    def told(self, state: core.State) -> str:
        covers = f", its token covers “{SPACES[self.space]}”" if self.space else ", without a token"
        return f"takes a {RELIC_KINDS[self.kind]} Relic{covers}"

    def remembered(self, state: core.State) -> str:
        return f"takes a {RELIC_KINDS[self.kind]} Relic"
