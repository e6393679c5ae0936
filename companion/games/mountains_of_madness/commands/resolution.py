"""The reveal: what the tile asks for, what lies on the sled, and what a miss costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, Whole
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.challenges import KINDS, VALUES, Kind, read
from companion.games.mountains_of_madness.events import (
    CardHidden,
    CardShown,
    ChallengesJudged,
    ChallengesRead,
    JudgedByHand,
    MissPaid,
    PenaltyOwed,
    ResolutionEnded,
    SledCounted,
    TotalCounted,
)
from companion.games.mountains_of_madness.reveal import gap, result, unfinished
from companion.games.mountains_of_madness.state import LEVELS, State
from companion.games.mountains_of_madness.tokens import playing
from companion.tools.timer import TimerStopped

Which = Annotated[Count, Field(le=1)]
Value = Annotated[Count, Field(ge=2, le=10)]


def read_challenges(
    state: State,
    context: Context,
    turn: Count,
    first_kind: Kind,
    first: Choice,
    second_kind: Kind,
    second: Choice,
) -> Iterator[Event]:
    """As early as the tile is seen; it need not wait for the reveal."""
    playing(state, turn, "resolution", "encounter")
    if first_kind == second_kind:
        raise Refused(f"A tile never asks for {KINDS[first_kind]} twice; choose two kinds.")
    asked = read(first_kind, first), read(second_kind, second)
    if state.now.challenges == asked:
        raise Refused("It says that already.")
    yield ChallengesRead(turn, *asked)


def show_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Iterator[Event]:
    playing(state, turn, "resolution")
    yield CardShown(turn, kind, _value(value))


def hide_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Iterator[Event]:
    playing(state, turn, "resolution")
    yield CardHidden(turn, kind, _value(value))


def _value(value: int) -> int:
    if value not in VALUES:
        raise Refused("Equipment is worth 2 to 6, and Arcane Equipment 10.")
    return value


def count_total(state: State, context: Context, turn: Count, kind: Kind, by: Whole) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    yield TotalCounted(turn, kind, by)


def count_sled(
    state: State, context: Context, turn: Count, what: Literal["cards", "injuries"], by: Whole
) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    if what == "cards" and state.now.on_sled < state.now.played:  # those shown one by one are there
        by += state.now.played - state.now.on_sled
    yield SledCounted(turn, what, by)


def judge_by_hand(
    state: State, context: Context, turn: Count, which: Which, met: Literal["yes", "no"]
) -> Iterator[Event]:
    """For tables that see at a glance what was met."""
    playing(state, turn, "resolution")
    if state.now.by_hand[which] == (met == "yes"):
        raise Refused("It says that already.")
    yield JudgedByHand(turn, which, met == "yes")


def judge(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if state.now.met is not None:
        raise Refused("The Challenges are judged already.")
    first, second = result(state, 0), result(state, 1)
    if first is None or second is None:
        raise Refused("Enter both Challenges, or say of each whether it was met.")
    gaps = gap(state, 0), gap(state, 1)
    yield ChallengesJudged(turn, (first, second), gaps, on_sled=state.now.shown_injuries)


def pay_with_madness(
    state: State, context: Context, turn: Count, which: Which, whom: SeatId
) -> Iterator[Event]:
    playing(state, turn, "resolution")
    name = state.table.seat(whom).name
    if state.all_mad:
        raise Refused("Everyone has Madness of level 3, so it must be the penalty die.")
    if state.level(whom) == LEVELS:
        raise Refused(f"{name} has Madness of level 3 already; choose somebody else.")
    yield MissPaid(turn, which, "madness")
    for link in consequences.madness(state, whom):
        if link.event:
            yield link.event


def pay_with_die(state: State, context: Context, turn: Count, which: Which) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if state.now.penalties:
        raise Refused("One thing after the other: first the die that is owed.")
    yield MissPaid(turn, which, "die")
    yield PenaltyOwed(turn, state.now.rolled + 1, which)


def end_resolution(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "resolution")
    if why := unfinished(state):
        raise Refused(why)
    searching = state.now.searching
    injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
    yield ResolutionEnded(turn, state.now.played, injuries)
    if searching:
        yield TimerStopped()


COMMANDS = (
    read_challenges,
    show_card,
    hide_card,
    count_total,
    count_sled,
    judge_by_hand,
    judge,
    pay_with_madness,
    pay_with_die,
    end_resolution,
)
