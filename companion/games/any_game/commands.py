"""What can be tapped."""

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

from companion.core import Bounds, Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.games.any_game import events
from companion.games.any_game.state import Arrangement, State
from companion.tools.seats import StarterChosen

Events: TypeAlias = Iterator[Event]
Round = Annotated[Count, Bounds(ge=1, le=999)]


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
    if state.agreed.rotates:
        yield StarterChosen((*state.table.clockwise(state.table.starter), state.table.starter)[1])


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


def rename_counter(
    state: State, context: Context, counter: Choice, name: Name, start: Whole | None = None
) -> Events:
    was = state.kind(counter)
    if name == was.name and start in (None, was.start):
        raise Refused(f"It is called {name} already.")
    if name != was.name:
        yield events.CounterRenamed(counter, name, was.name)
    if start not in (None, was.start):
        yield events.StartSet(counter, start)


def arrange(
    state: State,
    context: Context,
    title: Name = "",
    target: Count = 0,
    order: Literal["seats", "rank"] = "seats",
    starter: Literal["stays", "moves"] = "stays",
) -> Events:
    agreed = Arrangement(title, target, order == "rank", starter == "moves")
    if agreed == state.agreed:
        raise Refused("It is like that already.")
    yield events.GameArranged(agreed.title, agreed.target, agreed.by_rank, agreed.rotates)


def once_more(state: State) -> Events:
    """What the next table of the same people begins with."""
    agreed = state.agreed
    if state.kinds != State(state.table).kinds:
        yield events.CountersKept(state.kinds)
    if agreed != Arrangement():
        yield events.GameArranged(agreed.title, agreed.target, agreed.by_rank, agreed.rotates)


def remove_counter(state: State, context: Context, counter: Choice) -> Events:
    yield events.CounterRemoved(counter, state.kind(counter).name)
