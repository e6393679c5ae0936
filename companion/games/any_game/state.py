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
class Tally:
    """What one seat got. A tap makes that of one seat anew and leaves the others as they are."""

    points: Mapping[tuple[int, str], int] = field(default_factory=dict)  # by round and counter
    totals: Mapping[str, int] = field(default_factory=dict)  # by counter, without what it started at

    def got(self, round: int, kind: str) -> int:
        return self.points.get((round, kind), 0)

    def by_round(self, kind: str, rounds: int) -> tuple[int, ...]:
        return tuple([self.got(round, kind) for round in range(1, rounds + 1)])

    def parts(self, kind: Kind, rounds: int) -> tuple[int, ...]:
        """What the total is made of: the start, if there is one, then every round."""
        got = self.by_round(kind.id, rounds)
        return (kind.start, *got) if kind.start else got

    def total(self, kind: Kind) -> int:
        return kind.start + self.totals.get(kind.id, 0)

    def plus(self, round: int, kind: str, by: int) -> Tally:
        return Tally(
            {**self.points, (round, kind): self.got(round, kind) + by},
            {**self.totals, kind: self.totals.get(kind, 0) + by},
        )


@dataclass(frozen=True)
class State(core.State):
    kinds: tuple[Kind, ...] = (Kind("1", "Points"),)
    points: Mapping[int, Tally] = field(default_factory=dict)  # by seat, once anybody has got something
    round: int = 1
    over: bool = False
    last_kind: int = 1
    askings: int = 0  # how often everyone was asked for a number
    numbers: Mapping[int, int] | None = None  # by seat; nothing in there while they are being chosen

    def kind(self, id: str) -> Kind:
        for kind in self.kinds:
            if kind.id == id:
                return kind
        raise Refused("That counter is not at this table any more.")

    def tally(self, seat: int) -> Tally:
        return self.points.get(seat) or Tally()

    def got(self, round: int, seat: int, kind: str) -> int:
        return self.tally(seat).got(round, kind)

    def total(self, seat: int, kind: Kind) -> int:
        return self.tally(seat).total(kind)


def setup(table: Table) -> State:
    return State(table)


def evolve(state: State, event: Event) -> State:
    match event:
        case Counted(seat, counter, round, by):
            _check_place(state, seat, counter, round)
            return replace(state, points=_counted(state, seat, counter, round, by))
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
            folded: State = event.fold(state)
            return folded


def _counted(state: State, seat: int, counter: str, round: int, by: int) -> Mapping[int, Tally]:
    known = state.points
    if seat not in known:  # all get one then, so that each can keep what follows from it
        known = {**{each.id: Tally() for each in state.table.seats}, **known}
    return {**known, seat: known[seat].plus(round, counter, by)}


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
