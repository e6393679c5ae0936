from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from companion import core
from companion.core import Event
from companion.core.text import plain, signed

if TYPE_CHECKING:
    from companion.games.any_game.state import State


@dataclass(frozen=True)
class Counted(Event):
    seat: int
    counter: str
    round: int
    by: int
    corrected: bool = False

    def told(self, state: core.State) -> str:
        room = cast("State", state)
        kind = room.kind(self.counter)
        moved = f"{signed(self.by)} {kind.name}"
        if self.corrected:
            moved = f"round {self.round} corrected, {moved}"
        return f"{moved}, now {plain(room.total(self.seat, kind))}"


@dataclass(frozen=True)
class RoundEnded(Event):
    round: int

    def told(self, state: core.State) -> str:
        return f"round {self.round} is over, round {self.round + 1} begins"


@dataclass(frozen=True)
class CounterAdded(Event):
    counter: str
    name: str
    start: int = 0

    def told(self, state: core.State) -> str:
        return f"new counter {self.name}" + (f", starting at {plain(self.start)}" if self.start else "")


@dataclass(frozen=True)
class CounterRenamed(Event):
    counter: str
    name: str
    was: str = ""

    def told(self, state: core.State) -> str:
        return f"the counter {self.was} is now called {self.name}"


@dataclass(frozen=True)
class CounterRemoved(Event):
    counter: str
    name: str

    def told(self, state: core.State) -> str:
        return f"the counter {self.name} is put away"


@dataclass(frozen=True)
class GameEnded(Event):
    def told(self, state: core.State) -> str:
        return "the game is over"


@dataclass(frozen=True)
class GameResumed(Event):
    def told(self, state: core.State) -> str:
        return "the game goes on"


EVENTS = (Counted, RoundEnded, CounterAdded, CounterRenamed, CounterRemoved, GameEnded, GameResumed)
