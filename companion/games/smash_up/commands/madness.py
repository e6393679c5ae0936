"""VP by hand, and thirty Madness cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Event, Refused, SeatId, Text, Whole
from companion.games.smash_up.cards import MADNESS
from companion.games.smash_up.events import MadnessDrawn, MadnessPlayed, MadnessReturned, VpCounted
from companion.games.smash_up.state import GOAL, State

MOST = 3 * GOAL  # VP that a table can have by ties that play on; what is beyond was mistyped
Cards = Annotated[Count, Field(ge=1, le=MADNESS)]


def count_vp(state: State, context: Context, seat: SeatId, by: Whole, reason: Text = "") -> Iterator[Event]:
    if by == 0:
        raise Refused("Nothing to add.")
    total = state.vp_of(state.table.seat(seat).id) + by
    if by > 0 and total > MOST:
        raise Refused(f"{total} VP for {state.name(seat)}? {GOAL} end the game, so that looks mistyped.")
    yield VpCounted(seat, by, reason)


def draw_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Iterator[Event]:
    if not state.madness_deck:
        raise Refused(f"The Madness deck is empty: all {MADNESS} cards are out, so the draw is ignored.")
    yield MadnessDrawn(seat, min(cards, state.madness_deck), cards)


def return_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Iterator[Event]:
    yield MadnessReturned(seat, cards)


def play_madness(
    state: State, context: Context, seat: SeatId, choice: Literal["cards", "return"]
) -> Iterator[Event]:
    yield MadnessPlayed(seat) if choice == "cards" else MadnessReturned(seat, 1, played=True)


def count_madness(state: State, context: Context, seat: SeatId, by: Whole) -> Iterator[Event]:
    """The number beside − and +: plus draws, minus returns."""
    if by == 0:
        raise Refused("Nothing to add.")
    yield from (draw_madness if by > 0 else return_madness)(state, context, seat, min(abs(by), 999))


COMMANDS = (count_vp, draw_madness, return_madness, play_madness, count_madness)
