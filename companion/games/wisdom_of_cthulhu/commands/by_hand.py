"""What cards do and what slips: markers moved and cards put right by hand."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId
from companion.games.wisdom_of_cthulhu.box import PATHS
from companion.games.wisdom_of_cthulhu.commands.turn import Cards
from companion.games.wisdom_of_cthulhu.events import CardsSet, PlaceNoted, SeekerMoved, SignMoved
from companion.games.wisdom_of_cthulhu.state import HOME, State

AT_HOME = "home"  # what a form sends for HOME


def move_seeker(state: State, context: Context, seat: SeatId, to: Choice) -> Iterator[Event]:
    """Free, and part of an action; here for a Seeker that stays where it is."""
    spot = _spot(state, to, state.player(seat).seeker)
    yield SeekerMoved(seat, spot)


def move_sign(state: State, context: Context, seat: SeatId, to: Choice) -> Iterator[Event]:
    """Without an action: a card's effect, or a slip."""
    spot = _spot(state, to, state.player(seat).sign)
    yield SignMoved(seat, spot)


def _spot(state: State, to: str, now: str) -> str:
    if not state.turn:
        raise Refused("Markers move once turn 1 has begun.")
    spot = HOME if to == AT_HOME else to
    state.where(spot)
    if spot == now:
        raise Refused("It is there already.")
    return spot


def note_place(
    state: State, context: Context, place: Count, name: Name, bond: Choice = "none"
) -> Iterator[Event]:
    state.place(place)
    yield PlaceNoted(place, name, "" if bond == "none" else bond)


def set_cards(
    state: State,
    context: Context,
    seat: SeatId,
    hand: Cards,
    spent: Cards,
    temporary: Cards,
    permanent: Cards,
) -> Iterator[Event]:
    total = hand + spent + temporary + permanent
    if total != PATHS:
        raise Refused(f"That makes {total} cards; everyone has six.")
    now = state.player(seat)
    if (hand, spent, temporary, permanent) == (now.hand, now.spent, now.temporary, now.permanent):
        raise Refused("It says that already.")
    yield CardsSet(seat, hand, spent, temporary, permanent)


COMMANDS = (move_seeker, move_sign, note_place, set_cards)
