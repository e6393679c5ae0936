"""How a turn ends: the Leader deals until every hand is full, may rest, and passes the sled on.

Or the expedition is out of the mountains.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from companion.core import Bounds, Context, Count, Event, Events, SeatId, counted, led_to, refuse_if, replace
from companion.core.chains import Chain, Link, facts, following
from companion.core.pieces import Bar, Panel, Picker, Piece, Tap, Total
from companion.games.mountains_of_madness import box, consequences, counting
from companion.games.mountains_of_madness.state import Dealt, Drawing, Resting, Sled, State, Turn, _InTurn

MayRest = Literal["", "yes", "no"]
Dealing = Annotated[int, Bounds(ge=-1)]


class HandRaised(_InTurn, during=("draw",)):
    seat: int | None = None  # everyone's

    def fold(self, state: State) -> State:
        return replace(state, raised=(*state.raised, self.seat or 0))


class CardsDealt(_InTurn, during=("draw",)):
    count: int

    def fold(self, state: State) -> State:
        """Every hand is full now, so what all hold beyond that is more than somebody's limit; a deck that
        has run out leaves it open."""
        over = max(0, state.cards.hands + self.count - _full(state))
        over = max(over, _most_over(state)) if self.count == state.cards.deck else over
        return state.moving("cards", "deck", "hands", self.count, stage="rest", surplus=over)


class Rested(_InTurn, during=("rest",)):
    def fold(self, state: State) -> State:
        return state.moving("cards", "discard", "deck", state.cards.discard)


class TurnEnded(_InTurn, during=("rest", "draw"), tap="end_turn", turn=Resting):
    def fold(self, state: State) -> State:
        if state.place == "escape-3":
            return replace(state, out=True)
        passed = replace(state, turn=self.turn + 1, leader=state.on_left(), stage="movement")
        return replace(passed, now=Turn(), sled=Sled())


def _full(state: State) -> int:
    return sum(map(state.limit, state.table.ids))


def _most_over(state: State) -> int:
    return max(0, state.surplus - state.more_held)


def lacking(state: State) -> range:
    """Cards that fill every hand: what one holds beyond its limit is no card in another's."""
    needed = _full(state) - state.cards.hands
    return range(max(0, needed), max(0, needed + _most_over(state)) + 1)


def _wanted(state: State) -> range:
    """As far as the deck goes."""
    needed, deck = lacking(state), state.cards.deck
    return range(min(deck, needed[0]), min(deck, needed[-1]) + 1)


def _one_token_spent(state: State) -> bool:
    return bool(state.raised) and box.DRAW_TOKENS.chosen(state.table) == "one"


def raise_hand(state: State, context: Context, turn: Drawing, raised: Count, whom: SeatId = 0) -> Events:
    """`raised`: how often it was, so that two phones do not pay twice."""
    refuse_if(raised != len(state.raised), "The hand limit is raised already.")
    refuse_if(_one_token_spent(state), "One Leadership token a turn can raise the hand limit.")
    one = box.HAND_RAISED.chosen(state.table) == "one"
    refuse_if(one and not whom, "Whose hand limit grows?")
    yield from consequences.spend_token(state, "draw")
    yield HandRaised(turn, state.table.seat(whom).id if one else None)


def _dealt(state: State, count: int) -> list[Event]:
    """Where the deck holds little else, Injuries are dealt with them."""
    hurt = min(count, state.injuries.deck - (state.cards.deck - count))
    among = [consequences.InjuriesMoved("deck", "hands", hurt)] if hurt > 0 else []
    return [CardsDealt(state.turn, count), *among]


def deal(state: State, context: Context, turn: Drawing, count: Dealing = -1, rest: MayRest = "") -> Events:
    """So many, or as many as are lacking; and, if that is said at once, whether there is a rest."""
    wanted = _wanted(state)
    count = wanted[0] if count < 0 else count
    refuse_if(count not in wanted, f"By our count it takes {counted(wanted[0], 'card')} to {wanted[-1]}.")
    refuse_if(why := _why_no_rest(state) if rest == "yes" else "", why)
    state = yield from led_to(state, _dealt(state, count))
    if rest == "yes":
        yield from facts(_a_rest(state))
    if rest:
        yield TurnEnded(turn)


def find_injury(state: State, context: Context, turn: Dealt) -> Events:
    """Somebody drew one from the Equipment deck."""
    refuse_if(not state.injuries.deck, "By our count no Injury is in the Equipment deck.")
    yield consequences.InjuriesMoved("deck", "hands")


def _a_rest(state: State) -> Chain:
    """Which token is taken makes no difference: the others all lie on the sled afterwards."""
    injuries, back = state.injuries.discard, state.tokens.discard - 1
    lost = consequences.TokensMoved("discard" if state.tokens.discard else "sled", "box")
    one_less = f"1 Leadership token from the {lost.source} to the box; {state.tokens.left - 1} left in all."
    returned = f"{box.tokens(back)} from the discard back to the sled."
    cards, hurt = state.cards, injuries + state.injuries.deck
    piles = f"{counted(cards.discard, 'discarded card')} and the {cards.deck} left in the deck"
    among = f", {box.injuries(hurt)} among them" if hurt else ""
    return (
        Link(one_less, lost),
        *([Link(returned, consequences.TokensMoved("discard", "sled", back))] if back > 0 else ()),
        *([Link("", consequences.InjuriesMoved("discard", "deck", injuries))] if injuries else ()),
        Link(f"{piles} are shuffled into a new one{among}.", Rested(state.turn)),
    )


def _why_no_rest(state: State) -> str:
    last = "Only one Leadership token is left, and a rest would put it into the box."
    return "" if state.tokens.left > 1 else last


def rest(state: State, context: Context, turn: Resting) -> Events:
    refuse_if(why := _why_no_rest(state), why)
    yield from facts(_a_rest(state))
    yield TurnEnded(turn)


def drawing(state: State) -> Iterator[Piece]:
    """How many, large; and dealing and passing the sled on are one tap, with a rest or without."""
    wanted, deck = _wanted(state), state.cards.deck
    least, most = wanted[0], wanted[-1]
    note = f"{deck - least} stay in the deck, by our count"
    if lacking(state)[-1] > deck:
        note = f"the deck holds no more: {state.leads} says who gets them"
    count = str(least) if least == most else f"{least}–{most}"
    yield Total("peak-deals", "cards to deal", count, note=note, large=True)
    if least == most:
        yield from resting(state)
    else:
        taps = [Tap(counted(n, "card"), state.do("deal", count=n), short=str(n)) for n in wanted]
        title = "Some hand may hold more than its limit. How many were dealt?"
        yield Picker("peak-deal", tuple(taps), title, "faces", 6)
    sled = counting.counter(state.turn, "cards were on the sled", "cards", state.played)
    yield Panel("peak-sled", (sled,), only="players")
    why = "One Leadership token a turn." if _one_token_spent(state) else state.why_no_token("draw")
    do = state.do("raise_hand", raised=len(state.raised))
    taps = [Tap("Hand limit +1", do, "for everyone, until the next Draw phase")]
    if box.HAND_RAISED.chosen(state.table) == "one":
        taps = [Tap(seat.name, do.also(whom=seat.id), seat=seat) for seat in state.table.seats]
    yield consequences.spending("peak-raise", "Spend a Leadership token", taps, why)
    yield from found(state)


def found(state: State) -> Iterator[Piece]:
    """As long as somebody may still look at what they were dealt."""
    if left := state.injuries.deck:
        tap = Tap("An Injury was dealt", state.do("find_injury"), f"{left} in the Equipment deck")
        yield Bar("peak-found", (tap,))


def resting(state: State) -> Iterator[Piece]:
    """On to the next turn, with a rest or without; what is still to be dealt is dealt by the same tap."""
    why, after = _why_no_rest(state), f"{state.name(state.on_left())} leads turn {state.turn + 1}"
    no, yes, on, rests = "No rest", "Rest", state.do("end_turn"), state.do("rest")
    if state.stage == "draw":
        no, yes, count = "Dealt, no rest", "Dealt, and rest", _wanted(state)[0]
        on, rests = (state.do("deal", count=count, rest=answer) for answer in ("no", "yes"))
        for event in _dealt(state, count):
            state = event.fold(state)
    yield Bar("peak-turn", (Tap(no, on, after, strong=True), Tap(yes, rests, why_not=why)))
    if not why:
        yield Panel("peak-rest", tuple(following("peak-rest-chain", _a_rest(state))), "A rest would mean")
