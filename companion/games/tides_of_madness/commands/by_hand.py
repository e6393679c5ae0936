"""A round without the calculator: its points and its Madness, typed in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Context, Count, Event, Refused, SeatId
from companion.games.tides_of_madness.commands.draft import Done, Number
from companion.games.tides_of_madness.events import RoundTyped, WayChosen
from companion.games.tides_of_madness.rounds import score_game
from companion.games.tides_of_madness.state import PICKS, State, Typed

MOST_POINTS = 150  # no seven cards give as much; anything beyond is a slip of the thumb

Points = Annotated[Count, Field(le=MOST_POINTS)]


def score_by_hand(state: State, context: Context, round: Number) -> Iterator[Event]:
    if state.at(round).by_hand:
        raise Refused(f"Round {round} is scored by hand already.")
    yield WayChosen(round, by_hand=True)
    scored = score_game(state)[round - 1]
    for seat, side in scored.sides.items():  # what the cards gave is where the typing starts
        if scored.complete and state.at(round).side(seat).typed is None:
            yield RoundTyped(seat, round, side.cards, side.gained, scored.dreamer == seat)


def score_by_cards(state: State, context: Context, round: Number) -> Iterator[Event]:
    if not state.at(round).by_hand:
        raise Refused(f"Round {round} is scored card by card already.")
    yield WayChosen(round, by_hand=False)


def enter_round(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    madness: Count,
    vp: Points,
    dreamlands: Done = "no",
) -> Iterator[Event]:
    """The bonus is not typed: whoever gained more is asked, as in any other round."""
    if (state.stage, state.round) == ("draft", round):
        raise Refused(f"The draft of round {round} is not over yet.")
    scored = PICKS + round - 1
    if madness > scored:
        raise Refused(f"{scored} cards are scored in round {round}, so {scored} Madness are the most.")
    if state.at(round).side(seat).typed == Typed(vp, madness, dreamlands == "yes"):
        raise Refused("It says that already.")
    if not state.at(round).by_hand:
        yield WayChosen(round, by_hand=True)
    yield RoundTyped(seat, round, vp, madness, dreamlands == "yes")


COMMANDS = (score_by_hand, score_by_cards, enter_round)
