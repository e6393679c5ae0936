"""What can be tapped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, TypeAlias

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.games.any_game import events
from companion.games.any_game.state import State

Events: TypeAlias = Iterator[Event]
Round = Annotated[Count, Field(ge=1, le=999)]


def count(state: State, context: Context, seat: SeatId, counter: Choice, by: Whole, round: Round) -> Events:
    """The tap says which round it was meant for, so one that waited on a phone still lands there."""
    state.kind(counter)
    if by == 0:
        raise Refused("Nothing to add.")
    yield events.Counted(seat, counter, round, by)


def correct(state: State, context: Context, seat: SeatId, counter: Choice, round: Round, to: Whole) -> Events:
    by = to - state.got(round, seat, state.kind(counter).id)
    if by == 0:
        raise Refused("It says that already.")
    yield events.Counted(seat, counter, round, by, corrected=True)


def next_round(state: State, context: Context, after: Round) -> Events:
    """Two phones may press this at once; the second one is late, not a second round."""
    if after != state.round:
        raise Refused(f"Round {after} is over already; this is round {state.round}.")
    if state.over:
        raise Refused("The game is over. Play on first.")
    if after >= 999:
        raise Refused("A sheet has 999 rounds at most.")
    yield events.RoundEnded(after)


def end_game(state: State, context: Context) -> Events:
    if state.over:
        raise Refused("The game is over already.")
    yield events.GameEnded()


def play_on(state: State, context: Context) -> Events:
    if not state.over:
        raise Refused("The game is going on.")
    yield events.GameResumed()


def add_counter(state: State, context: Context, name: Name, start: Whole = 0) -> Events:
    yield events.CounterAdded(str(state.last_kind + 1), name, start)


def rename_counter(state: State, context: Context, counter: Choice, name: Name) -> Events:
    was = state.kind(counter).name
    if name == was:
        raise Refused(f"It is called {name} already.")
    yield events.CounterRenamed(counter, name, was)


def remove_counter(state: State, context: Context, counter: Choice) -> Events:
    yield events.CounterRemoved(counter, state.kind(counter).name)
