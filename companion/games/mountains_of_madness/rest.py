"""How a turn ends: the Leader deals until every hand is full, may rest, and passes the sled on.

Or the expedition is out of the mountains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from companion.core import Context, Count, Events, Refused, SeatId, Tap, refuse_if
from companion.core.pieces import Bar, Note, Panel, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.consequences import Chain, InjuriesMoved, Link, TokensMoved
from companion.games.mountains_of_madness.state import Dealt, Drawing, Resting, State, Turn, TurnEvent


class HandRaised(TurnEvent, during=("draw",)):
    seat: int | None = None  # everyone's
    says = "hand limit +1 until the next Draw phase"

    def fold(self, state: State) -> State:
        return replace(state, raised=(*state.raised, self.seat or 0))


class CardsDealt(TurnEvent, during=("draw",)):
    count: int
    says = "turn {turn}: {count:card} dealt"

    def fold(self, state: State) -> State:
        return state.moving("cards", "deck", "hands", self.count, stage="rest")


class Rested(TurnEvent, during=("rest",)):
    says = "turn {turn}: rest, the Equipment discard is a new deck"

    def fold(self, state: State) -> State:
        return state.moving("cards", "discard", "deck", state.cards.discard)


class TurnEnded(TurnEvent, during=("rest",), tap="end_turn", turn=Resting):
    def fold(self, state: State) -> State:
        if state.place == "escape-3":
            return replace(state, out=True)
        return replace(state, turn=self.turn + 1, leader=state.on_left(), stage="movement", now=Turn())

    def log_text(self, state: State) -> str:
        return "out of the mountains" if state.out else f"{state.leads} leads turn {state.turn}"


def _wanted(state: State) -> int:
    """Cards that would fill every hand."""
    return max(0, sum(map(state.limit, state.table.ids)) - state.cards.hands)


def _one_token_spent(state: State) -> bool:
    return bool(state.raised) and box.DRAW_TOKENS.chosen(state.table) == "one"


def raise_hand(state: State, context: Context, turn: Drawing, raised: Count, whom: SeatId = 0) -> Events:
    """`raised`: how often it was, so that two phones do not pay twice."""
    refuse_if(raised != len(state.raised), "The hand limit is raised already.")
    refuse_if(_one_token_spent(state), "One token a turn can raise the hand limit.")
    one = box.HAND_RAISED.chosen(state.table) == "one"
    refuse_if(one and not whom, "Whose hand limit grows?")
    yield from consequences.spend_token(state, "draw")
    yield HandRaised(turn, state.table.seat(whom).id if one else None)


def deal(state: State, context: Context, turn: Drawing) -> Events:
    yield CardsDealt(turn, min(state.cards.deck, _wanted(state)))


def find_injury(state: State, context: Context, turn: Dealt) -> Events:
    """Somebody drew one from the Equipment deck."""
    refuse_if(not state.injuries.deck, "By our count no Injury is in the Equipment deck.")
    yield InjuriesMoved("deck", "hands")


def _a_rest(state: State) -> Chain:
    """Which token is taken makes no difference: the others all lie on the sled afterwards."""
    injuries, back = state.injuries.discard, state.tokens.discard - 1
    lost = TokensMoved("discard" if state.tokens.discard else "sled", "box")
    one_less = f"1 token from the {lost.source} to the box; {state.tokens.left - 1} left in all."
    returned = f"{counted(back, 'token')} from the discard back to the sled."
    shuffled = f"{counted(state.cards.discard, 'discarded card')} shuffled into a new Equipment deck"
    among = f", {box.injuries(injuries)} among them" if injuries else ""
    return (
        Link(one_less, lost),
        *([Link(returned, TokensMoved("discard", "sled", back))] if back > 0 else ()),
        *([Link("", InjuriesMoved("discard", "deck", injuries))] if injuries else ()),
        Link(f"{shuffled}{among}.", Rested(state.turn)),
    )


def _why_no_rest(state: State) -> str:
    if state.tokens.left > 1:
        return ""
    return "Only one Leadership token is left, and a rest would put it into the box."


def rest(state: State, context: Context, turn: Resting) -> Events:
    if why := _why_no_rest(state):
        raise Refused(why)
    yield from consequences.facts(_a_rest(state))
    yield TurnEnded(turn)


# --- what is seen ---


def drawing(state: State) -> Iterator[Piece]:
    need, deck = _wanted(state), state.cards.deck
    dealt = min(need, deck)
    yield Note("peak-deals", f"{counted(dealt, 'card')} by our count; {deck - dealt} stay in the deck.")
    if need > deck:
        left = f"Only {counted(deck, 'card')} left by our count"
        yield Note("peak-short", f"{left}: {state.leads} says who gets them.", "bad")
    yield Bar("peak-deal", (Tap("Cards are dealt", state.do("deal"), strong=True),))
    why = "One token a turn." if _one_token_spent(state) else state.why_no_token("draw")
    yield consequences.spending("peak-raise", "Spend a token", _raises(state), why)
    if left_there := state.injuries.deck:
        found = Tap("An Injury was dealt", state.do("find_injury"), f"{left_there} in the Equipment deck")
        yield Bar("peak-found", (found,))


def _raises(state: State) -> list[Tap]:
    do = partial(state.do, "raise_hand", raised=len(state.raised))
    if box.HAND_RAISED.chosen(state.table) == "one":
        return [Tap(seat.name, do(whom=seat.id), seat=seat) for seat in state.table.seats]
    return [Tap("Hand limit +1", do(), "for everyone, until the next Draw phase")]


def resting(state: State) -> Iterator[Piece]:
    why, ends = _why_no_rest(state), state.place == "escape-3"
    after = "the game ends" if ends else f"the sled goes to {state.name(state.on_left())}"
    if not why:
        follows = consequences.shown("peak-rest-chain", _a_rest(state))
        yield Panel("peak-rest", tuple(follows), "A rest would mean")
    rest = Tap("Rest", state.do("rest"), f"then {after}", why_not=why)
    yield Bar("peak-turn", (rest, Tap("No rest", state.do("end_turn"), after, strong=True)))
