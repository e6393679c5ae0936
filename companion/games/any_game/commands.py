from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.games.any_game.events import (
    Counted,
    CounterAdded,
    CounterRemoved,
    CounterRenamed,
    GameEnded,
    GameResumed,
    RoundEnded,
)
from companion.games.any_game.state import State

Round = Annotated[Count, Field(ge=1, le=999)]


def count(
    state: State, context: Context, seat: SeatId, counter: Choice, by: Whole, round: Round
) -> Iterator[Event]:
    """The tap says which round it was meant for, so one that waited on a phone still lands there."""
    state.kind(counter)
    if by == 0:
        raise Refused("Nothing to add.")
    yield Counted(seat, counter, round, by)


def correct(
    state: State, context: Context, seat: SeatId, counter: Choice, round: Round, to: Whole
) -> Iterator[Event]:
    by = to - state.got(round, seat, state.kind(counter).id)
    if by == 0:
        raise Refused("It says that already.")
    yield Counted(seat, counter, round, by, corrected=True)


def next_round(state: State, context: Context, after: Round) -> Iterator[Event]:
    """Two phones may press this at once; the second one is late, not a second round."""
    if after != state.round:
        raise Refused(f"Round {after} is over already; this is round {state.round}.")
    if state.over:
        raise Refused("The game is over. Play on first.")
    if after >= 999:
        raise Refused("A sheet has 999 rounds at most.")
    yield RoundEnded(after)


def end_game(state: State, context: Context) -> Iterator[Event]:
    if state.over:
        raise Refused("The game is over already.")
    yield GameEnded()


def play_on(state: State, context: Context) -> Iterator[Event]:
    if not state.over:
        raise Refused("The game is going on.")
    yield GameResumed()


def add_counter(state: State, context: Context, name: Name, start: Whole = 0) -> Iterator[Event]:
    yield CounterAdded(str(state.last_kind + 1), name, start)


def rename_counter(state: State, context: Context, counter: Choice, name: Name) -> Iterator[Event]:
    was = state.kind(counter).name
    if name == was:
        raise Refused(f"It is called {name} already.")
    yield CounterRenamed(counter, name, was)


def remove_counter(state: State, context: Context, counter: Choice) -> Iterator[Event]:
    yield CounterRemoved(counter, state.kind(counter).name)


COMMANDS = (count, correct, next_round, end_game, play_on, add_counter, rename_counter, remove_counter)
