"""The Leader deals until every hand is full; a token raises the hand limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from companion.core import Context, Count, Event, Refused, SeatId, Tap
from companion.core.pieces import Bar, Note, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness.house_rules import DRAW_TOKENS, HAND_RAISED
from companion.games.mountains_of_madness.movement import spending
from companion.games.mountains_of_madness.moves import InjuriesMoved, spend_token
from companion.games.mountains_of_madness.state import Facts, State, moved


class HandRaised(Event[State]):
    turn: int
    seat: int | None = None  # everyone's
    says = "hand limit +1 until the next Draw phase"

    def fold(self, state: State) -> State:
        state.expect(self.turn, "draw")
        return replace(state, raised=(*state.raised, self.seat or 0))


class CardsDealt(Event[State]):
    turn: int
    count: int

    def fold(self, state: State) -> State:
        state.expect(self.turn, "draw")
        return replace(state, stage="rest", cards=moved(state.cards, "deck", "hands", self.count))

    def log_text(self, state: State) -> str:
        return f"turn {self.turn}: {counted(self.count, 'card')} dealt"


def _wanted(state: State) -> int:
    """Cards that would fill every hand."""
    return max(0, sum(map(state.limit, state.table.ids)) - state.cards.hands)


def _one_token_spent(state: State) -> bool:
    return bool(state.raised) and DRAW_TOKENS.chosen(state.table) == "one"


def raise_hand(state: State, context: Context, turn: Count, raised: Count, whom: SeatId = 0) -> Facts:
    """`raised`: how often it was, so that two phones do not pay twice."""
    state.playing(turn, "draw")
    if raised != len(state.raised):
        raise Refused("The hand limit is raised already.")
    if _one_token_spent(state):
        raise Refused("One token a turn can raise the hand limit.")
    one = HAND_RAISED.chosen(state.table) == "one"
    if one and not whom:
        raise Refused("Whose hand limit grows?")
    yield from spend_token(state, "draw")
    yield HandRaised(turn, state.table.seat(whom).id if one else None)


def deal(state: State, context: Context, turn: Count) -> Facts:
    state.playing(turn, "draw")
    yield CardsDealt(turn, min(state.cards.deck, _wanted(state)))


def find_injury(state: State, context: Context, turn: Count) -> Facts:
    """Somebody drew one from the Equipment deck."""
    state.playing(turn, "draw", "rest", "movement")
    if not state.injuries.deck:
        raise Refused("By our count no Injury is in the Equipment deck.")
    yield InjuriesMoved("deck", "hands")


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    limits = {state.limit(seat) for seat in state.table.ids}
    hold = f"{min(limits)} cards"
    if len(limits) > 1:
        hold += f", {' and '.join(state.name(seat) for seat in state.raised if seat)} one more"
    return "Draw phase", f"{state.leads} deals until everyone holds {hold}."


def pieces(state: State) -> Iterator[Piece]:
    need, deck = _wanted(state), state.cards.deck
    dealt = min(need, deck)
    yield Note("peak-deals", f"{counted(dealt, 'card')} by our count; {deck - dealt} stay in the deck.")
    if need > deck:
        left = f"Only {counted(deck, 'card')} left by our count"
        yield Note("peak-short", f"{left}: {state.leads} says who gets them.", "bad")
    yield Bar("peak-deal", (Tap("Cards are dealt", state.do("deal"), strong=True),))
    why = "One token a turn." if _one_token_spent(state) else state.why_no_token("draw")
    yield spending("peak-raise", "Spend a token", _raises(state), why)
    if left_there := state.injuries.deck:
        found = Tap("An Injury was dealt", state.do("find_injury"), f"{left_there} in the Equipment deck")
        yield Bar("peak-found", (found,))


def _raises(state: State) -> list[Tap]:
    do = partial(state.do, "raise_hand", raised=len(state.raised))
    if HAND_RAISED.chosen(state.table) == "one":
        return [Tap(seat.name, do(whom=seat.id), seat=seat) for seat in state.table.seats]
    return [Tap("Hand limit +1", do(), "for everyone, until the next Draw phase")]
