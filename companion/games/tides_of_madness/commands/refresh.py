"""After rounds 1 and 2: keep one card, discard one."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Choice, Context, Event, Refused, SeatId
from companion.games.tides_of_madness.cards import card
from companion.games.tides_of_madness.commands.draft import Number
from companion.games.tides_of_madness.commands.scoring import NOTHING
from companion.games.tides_of_madness.events import CardDiscarded, CardKept, RefreshCorrected
from companion.games.tides_of_madness.state import State


def keep_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Iterator[Event]:
    if state.refreshed(round).side(seat).kept == card:
        raise Refused("That is the kept card already.")
    yield CardKept(seat, round, _known(card))


def discard_card(
    state: State, context: Context, seat: SeatId, round: Number, card: Choice
) -> Iterator[Event]:
    if state.refreshed(round).side(seat).discarded == card:
        raise Refused("That is the discarded card already.")
    yield CardDiscarded(seat, round, _known(card))


def correct_refresh(
    state: State, context: Context, seat: SeatId, round: Number, kept: Choice, discarded: Choice
) -> Iterator[Event]:
    side = state.refreshed(round).side(seat)
    now = tuple("" if id == NOTHING else _known(id) for id in (kept, discarded))
    if now == (side.kept, side.discarded):
        raise Refused("It says that already.")
    yield RefreshCorrected(seat, round, *now)


def _known(id: str) -> str:
    return card(id).id


COMMANDS = (keep_card, discard_card, correct_refresh)
