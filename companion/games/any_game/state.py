"""What the room remembers: which counters there are, and what each seat got in each round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion import core
from companion.core import Event, Refused, Table
from companion.games.any_game.events import (
    Counted,
    CounterAdded,
    CounterRemoved,
    CounterRenamed,
    GameEnded,
    GameResumed,
    RoundEnded,
)

MOST_KINDS = 6


@dataclass(frozen=True)
class Kind:
    """A counter that every seat has. The first one decides the game."""

    id: str
    name: str
    start: int = 0


@dataclass(frozen=True)
class State(core.State):
    kinds: tuple[Kind, ...] = (Kind("1", "Points"),)
    points: Mapping[tuple[int, int, str], int] = field(default_factory=dict)  # round, seat, counter
    round: int = 1
    over: bool = False
    last_kind: int = 1

    def kind(self, id: str) -> Kind:
        for kind in self.kinds:
            if kind.id == id:
                return kind
        raise Refused("That counter is not at this table any more.")

    def got(self, round: int, seat: int, kind: str) -> int:
        return self.points.get((round, seat, kind), 0)

    def parts(self, seat: int, kind: Kind) -> list[int]:
        """What the total is made of: the start, if there is one, then every round."""
        rounds = [self.got(round, seat, kind.id) for round in range(1, self.round + 1)]
        return [kind.start, *rounds] if kind.start else rounds

    def total(self, seat: int, kind: Kind) -> int:
        return sum(self.parts(seat, kind))


def setup(table: Table) -> State:
    return State(table)


def evolve(state: State, event: Event) -> State:
    match event:
        case Counted(seat, counter, round, by):
            _check_place(state, seat, counter, round)
            key = (round, seat, counter)
            return replace(state, points={**state.points, key: state.points.get(key, 0) + by})
        case RoundEnded(round):
            if round != state.round:
                raise Refused(f"Round {round} is not the one being played.")
            return replace(state, round=round + 1)
        case CounterAdded(counter, name, start):
            kinds = (*state.kinds, Kind(counter, name, start))
            _check_kinds(kinds)
            return replace(state, kinds=kinds, last_kind=max(state.last_kind, int(counter)))
        case CounterRenamed(counter, name):
            state.kind(counter)
            kinds = tuple(replace(k, name=name) if k.id == counter else k for k in state.kinds)
            _check_kinds(kinds)
            return replace(state, kinds=kinds)
        case CounterRemoved(counter):
            kinds = tuple(kind for kind in state.kinds if kind.id != counter)
            if not kinds:
                raise Refused("A table needs at least one counter.")
            return replace(state, kinds=kinds)
        case GameEnded():
            return replace(state, over=True)
        case GameResumed():
            return replace(state, over=False)
        case _:
            return state


def _check_place(state: State, seat: int, counter: str, round: int) -> None:
    state.table.seat(seat)
    state.kind(counter)
    if round > state.round:
        raise Refused(f"Round {round} has not begun.")


def _check_kinds(kinds: tuple[Kind, ...]) -> None:
    """Checked by the events, so that taking back or putting back cannot get round it."""
    if len(kinds) > MOST_KINDS:
        raise Refused("Six counters are as many as a phone can show.")
    names = [kind.name.casefold() for kind in kinds]
    twice = next((kind.name for kind in kinds if names.count(kind.name.casefold()) > 1), None)
    if twice:
        raise Refused(f"There is a counter called {twice} already.")
    if len({kind.id for kind in kinds}) < len(kinds):
        raise Refused(f"The counter {kinds[-1].name} has taken its place.")
