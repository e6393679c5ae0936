"""Set-up, and five picks of choose, reveal and pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import SetupTicked, to_tick
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import card
from companion.games.tides_of_madness.events import (
    CardPlayed,
    CardTakenUp,
    PickMade,
    RoundBegun,
    ScoringBegun,
)
from companion.games.tides_of_madness.state import CHECKLIST, PICKS, ROUNDS, State

Number = Annotated[Count, Field(ge=1, le=ROUNDS)]
Done = Literal["yes", "no"]


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    label = to_tick(state.ticked, item, dict(CHECKLIST).get(item), done == "yes")
    yield SetupTicked(item, label, done == "yes")


def begin_round(state: State, context: Context, after: Annotated[Count, Field(le=ROUNDS)]) -> Iterator[Event]:
    """Both phones may press this at once; the second one is late, not a second round."""
    if after != state.round:
        raise Refused(f"Round {after + 1} has begun already." if after < state.round else "Not yet.")
    if state.stage not in ("setup", "refresh"):
        raise Refused(f"Round {state.round} is not over yet.")
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")
    if after:
        _check_refreshed(state, after)
    yield RoundBegun(after + 1)


def _check_refreshed(state: State, number: int) -> None:
    """Where the cards are known the calculator needs to know what was kept; by hand nobody has to say."""
    for seat in state.table.seats if not state.at(number).by_hand else ():
        side = state.at(number).side(seat.id)
        for verb, id in (("keep", side.kept), ("discard", side.discarded)):
            if not id:
                raise Refused(f"{seat.name} still chooses a card to {verb}.")


def next_pick(
    state: State, context: Context, round: Number, after: Annotated[Count, Field(le=PICKS)]
) -> Iterator[Event]:
    if (state.stage, state.round) != ("draft", round):
        raise Refused(f"The draft of round {round} is over already.")
    if after != state.picks:
        raise Refused(f"Pick {after + 1} is counted already; this is pick {state.picks + 1}.")
    yield PickMade(round, after + 1)
    if after + 1 == PICKS:
        yield ScoringBegun(round)


def begin_scoring(state: State, context: Context, round: Number) -> Iterator[Event]:
    """For a table that does not count its picks."""
    if (state.stage, state.round) != ("draft", round):
        raise Refused(f"The draft of round {round} is over already.")
    yield ScoringBegun(round)


def play_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Iterator[Event]:
    yield CardPlayed(seat, round, _known(card))
    if (state.stage, state.round) == ("draft", round) and _is_last(state, seat, round):
        yield ScoringBegun(round)


def _is_last(state: State, seat: int, round: int) -> bool:
    """Whether one more card here is the tenth of this round: then nothing is left to draft."""
    mine, theirs = state.at(round).side(seat), state.at(round).side(state.other(seat))
    return (len(mine.played), len(theirs.played)) == (PICKS - 1, PICKS)


def take_up_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice
) -> Iterator[Event]:
    yield CardTakenUp(seat, round, _known(card))


def _known(id: str) -> str:
    return card(id).id


COMMANDS = (tick, begin_round, next_pick, begin_scoring, play_card, take_up_card)
