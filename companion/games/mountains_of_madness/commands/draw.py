"""The Draw phase, the Rest phase, and the end of the turn."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Context, Count, Event, Refused, SeatId
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.events import (
    CardsDealt,
    HandRaised,
    InjuriesMoved,
    TokensMoved,
    TurnEnded,
)
from companion.games.mountains_of_madness.house_rules import DRAW_TOKENS, HAND_RAISED, chose
from companion.games.mountains_of_madness.state import State
from companion.games.mountains_of_madness.tokens import check_token, playing


def wanted(state: State) -> int:
    """Cards that would fill every hand."""
    full = sum(state.limit(seat.id) for seat in state.table.seats)
    return max(0, full - state.cards.hands)


def raise_hand(
    state: State, context: Context, turn: Count, raised: Count, whom: SeatId = 0
) -> Iterator[Event]:
    """`raised`: how often it was, so that two phones do not pay twice."""
    playing(state, turn, "draw")
    if raised != len(state.raised):
        raise Refused("The hand limit is raised already.")
    if state.raised and chose(state.table, DRAW_TOKENS) == "one":
        raise Refused("One token a turn can raise the hand limit.")
    one = chose(state.table, HAND_RAISED) == "one"
    if one and not whom:
        raise Refused("Whose hand limit grows?")
    check_token(state, "draw")
    yield TokensMoved("sled", "discard")
    yield HandRaised(turn, state.table.seat(whom).id if one else None)


def deal(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "draw")
    yield CardsDealt(turn, min(state.cards.deck, wanted(state)))


def find_injury(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """Somebody drew one from the Equipment deck."""
    playing(state, turn, "draw", "rest", "movement")
    if not state.injuries.deck:
        raise Refused("By our count no Injury is in the Equipment deck.")
    yield InjuriesMoved("deck", "hands")


def no_rest_because(state: State) -> str:
    """Why the Leader cannot rest; empty if they can."""
    if state.tokens.left == 1:
        return "Only one Leadership token is left, and a rest would put it into the box."
    return ""


def rest(state: State, context: Context, turn: Count) -> Iterator[Event]:
    playing(state, turn, "rest")
    if why := no_rest_because(state):
        raise Refused(why)
    for link in consequences.rest(state):
        if link.event:
            yield link.event
    yield TurnEnded(turn)


def end_turn(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """Without a rest."""
    playing(state, turn, "rest")
    yield TurnEnded(turn)


COMMANDS = (raise_hand, deal, find_injury, rest, end_turn)
