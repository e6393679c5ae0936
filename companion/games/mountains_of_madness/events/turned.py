"""The course of a turn, phase by phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from companion import core
from companion.core import Event
from companion.games.mountains_of_madness.events.moved import number
from companion.games.mountains_of_madness.state import PLACES, State


@dataclass(frozen=True)
class SetupTicked(Event):
    item: str
    label: str
    done: bool
    seat: int | None = None

    def told(self, state: core.State) -> str:
        return f"{'ready' if self.done else 'not ready after all'}: {self.label}"


@dataclass(frozen=True)
class ExpeditionBegun(Event):
    leader: int
    levels: Mapping[int, int]
    injuries: int
    cards: int  # left in the Equipment deck
    hands: int

    def told(self, state: core.State) -> str:
        return f"the expedition begins; {cast('State', state).name(self.leader)} leads"


@dataclass(frozen=True)
class PlaneMoved(Event):
    turn: int
    to: str
    tile: bool = True

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: to the {PLACES[self.to]}" + (
            "" if self.tile else ", a space without a tile"
        )


@dataclass(frozen=True)
class MadnessIgnored(Event):
    seat: int
    turn: int

    def told(self, state: core.State) -> str:
        return f"may ignore Madness in turn {self.turn}"


@dataclass(frozen=True)
class SandTurned(Event):
    turn: int
    flip: int
    cards: int = 0  # that stay on the sled

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: talk!" if self.flip == 1 else f"turn {self.turn}: talk again"


@dataclass(frozen=True)
class CardPlayed(Event):
    turn: int
    flip: int

    def told(self, state: core.State) -> str:
        return (
            "a card on the sled: SILENCE" if cast("State", state).now.on_sled == 1 else "a card on the sled"
        )


@dataclass(frozen=True)
class EncounterEnded(Event):
    turn: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: the sled is revealed"


@dataclass(frozen=True)
class ResolutionEnded(Event):
    turn: int
    cards: int  # that were played
    injuries: int = 0  # among them

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: {number(self.cards, 'played card')} to the discard, now the Draw phase"


@dataclass(frozen=True)
class HandRaised(Event):
    turn: int
    seat: int | None = None  # everyone's

    def told(self, state: core.State) -> str:
        return "hand limit +1 until the next Draw phase"


@dataclass(frozen=True)
class CardsDealt(Event):
    turn: int
    count: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: {number(self.count, 'card')} dealt"


@dataclass(frozen=True)
class Rested(Event):
    turn: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}: rest, the Equipment discard is a new deck"


@dataclass(frozen=True)
class TurnEnded(Event):
    turn: int

    def told(self, state: core.State) -> str:
        after = cast("State", state)
        return "out of the mountains" if after.out else f"{after.name(after.leader)} leads turn {after.turn}"
