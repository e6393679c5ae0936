"""From round to round, what follows by itself, and the scoring by cards or by hand.

What must always hold is checked where an event is folded, so that take-backs stay honest.
"""

from typing import Annotated, Any

from pydantic import AfterValidator

from companion.core import Bounds, Choice, Context, Count, Event, Events, SeatEvent, SeatId, led_to, replace
from companion.core.refused import refuse_if, there
from companion.games.tides_of_madness import adjudication
from companion.games.tides_of_madness.cards import DREAMLANDS, DREAMLANDS_TOKEN, DREAMS, ICONS, card, suit
from companion.games.tides_of_madness.rounds import scored_round
from companion.games.tides_of_madness.state import EMPTY, PICKS, ROUNDS, Bonus, Round, Side, State, Typed

NOTHING = "none"  # what a form sends for an empty place

Number = Annotated[Count, Bounds(ge=1, le=ROUNDS)]
Points = Annotated[Count, Bounds(le=150)]  # no seven cards give as much; more is a slip of the thumb
Pick = Annotated[Count, Bounds(ge=1, le=PICKS)]
Named = Annotated[Choice, AfterValidator(lambda id: "" if id == NOTHING else card(id).id)]


def goes_on(state: State) -> Events:
    """After any tap: nobody has to say that a draft is over, a round scored or both have chosen."""
    while coming := _next(state):
        state = yield from led_to(state, coming)


def _next(state: State) -> tuple[Event[State], ...]:
    number, now = state.round, state.rounds[-1] if state.rounds else Round(0)
    if state.stage == "draft":
        return (ScoringBegun(number),) * all(len(side.played) == PICKS for side in now.sides.values())
    if number in (0, ROUNDS) or adjudication.adjudicate(state).final:
        return ()
    if state.stage == "scoring" and scored_round(state, number).complete:
        return (RefreshBegun(number),)
    if state.stage != "refresh":
        return ()
    if now.by_hand:  # it stays chosen, and what lies on the table is not our affair
        return RoundBegun(number + 1), WayChosen(number + 1, by_hand=True), ScoringBegun(number + 1)
    return (RoundBegun(number + 1),) if now.refreshed else ()


class _InRound(Event[State]):
    round: int


class _OfSide(SeatEvent[State]):
    round: int

    def now(self, state: State) -> Side:
        return state.side(self.seat, self.round)

    def changed(self, state: State, **changed: Any) -> State:
        state.table.seat(self.seat)  # or it is not at this table any more
        sides = {**state.at(self.round).sides, self.seat: self.now(state)._replace(**changed)}
        return state.with_round(self.round, sides=sides)

    def check_dreams(self, state: State, has: bool) -> None:
        refuse_if(not has, f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")


class _OfCard(_OfSide):
    card: str


class RoundBegun(_InRound):
    def fold(self, state: State) -> State:
        late = self.round != state.round + 1 or self.round > ROUNDS or state.stage not in ("setup", "refresh")
        refuse_if(late, f"Round {self.round} cannot begin now.")
        begun = Round(self.round, dict.fromkeys(state.table.ids, EMPTY))
        return replace(state, stage="draft", picks=0, rounds=(*state.rounds, begun))


class PickMade(_InRound):
    """Counted by hand, before the cards counted it."""

    pick: int

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        how = "is counted already" if self.pick <= state.picks else "comes later"
        refuse_if(self.pick != state.picks + 1, f"Pick {self.pick} {how}; this is pick {state.picks + 1}.")
        return replace(state, picks=self.pick)


class ScoringBegun(_InRound, tap="begin_scoring", round=Number):
    """Tapped at a table that has played its draft already."""

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        return replace(state, stage="scoring")


class RefreshBegun(_InRound, tap="begin_refresh", round=Number):
    def check_tap(self, state: State) -> None:
        adjudication.adjudicate(state).check_going_on()

    def fold(self, state: State) -> State:
        waits, past = scored_round(state, self.round).waits, state.round > self.round
        late = past or state.stage == "refresh"
        refuse_if(late, f"Round {self.round} is in its refresh already, or past it.")
        refuse_if(state.stage != "scoring", f"Round {self.round} has not come to its scoring.")
        refuse_if(waits, f"Round {self.round} is not scored yet. {waits}")
        refuse_if(self.round == ROUNDS, "There is no refresh after round 3.")
        return replace(state, stage="refresh")


def begin_round(state: State, context: Context, after: Count) -> Events:
    """After that round, or the set-up. Both phones may press it at once; the second one is late."""
    refuse_if(after < state.round, f"Round {after + 1} has begun already.")
    refuse_if(after > state.round, "Not yet.")
    refuse_if(state.stage not in ("setup", "refresh"), f"Round {state.round} is not over yet.")
    adjudication.adjudicate(state).check_going_on()
    if after and not state.at(after).by_hand:  # there the calculator need not know what was kept
        for seat in state.table.ids:
            side, chooses = state.side(seat, after), f"{state.name(seat)} still chooses a card to"
            refuse_if(not side.kept, f"{chooses} keep.")
            refuse_if(not side.discarded, f"{chooses} discard.")
    yield RoundBegun(after + 1)


def first_begun(state: State, round: int) -> tuple[RoundBegun, ...]:
    """The first card of all begins round 1."""
    return (RoundBegun(1),) * (state.stage == "setup" and round == 1)


class SuitDeclared(_OfSide, tap="declare_suit", seat=SeatId, round=Number, suit=Choice):
    suit: str

    def fold(self, state: State) -> State:
        suit(self.suit)
        self.check_dreams(state, state.spread(self.seat, self.round).has(DREAMLANDS))
        return self.changed(state, wild=self.suit)


class TokenDecided(_OfSide, tap="decide_token", seat=SeatId, round=Number, takes=bool):
    takes: bool

    def check_tap(self, state: State) -> None:
        must = DREAMLANDS_TOKEN.chosen(state.table) == "must"
        refuse_if(must, f"At this table {DREAMS} must take its token.")

    def fold(self, state: State) -> State:
        self.check_dreams(state, state.dreams(self.seat, self.round))
        return self.changed(state, takes=self.takes)


class BonusChosen(_OfSide, tap="choose_bonus", seat=SeatId, round=Number, choice=Bonus):
    choice: Bonus

    def fold(self, state: State) -> State:
        scored = scored_round(state, self.round)
        nobody = f"Both gained as much Madness in round {self.round}, so nobody has the bonus."
        later = f"The bonus comes later. {scored.waits}"
        chooser = there(scored.chooser, later if scored.missing else nobody)
        refuse_if(chooser != self.seat, f"{state.name(chooser)} gained more Madness, and has the bonus.")
        return state.with_round(self.round, bonus=(self.seat, self.choice))


class WayChosen(_InRound, tap="score_by_cards", round=Number):
    by_hand: bool = False

    def check_tap(self, state: State) -> None:
        refuse_if(not state.at(self.round).by_hand, f"Round {self.round} is scored card by card already.")

    def fold(self, state: State) -> State:
        return state.with_round(self.round, by_hand=self.by_hand)


TYPED = {"madness": Count, "vp": Points, "dreamlands": bool, "new": Count | None}


class RoundTyped(_OfSide, tap="enter_round", seat=SeatId, round=Number, **TYPED):
    """The bonus is not typed: whoever gained more is asked, as in any other round."""

    vp: int
    madness: int
    dreamlands: bool = False
    new: int | None = None

    @property
    def fewer_new(self) -> bool:
        return self.new not in (None, self.madness)

    def check_tap(self, state: State) -> None:
        most, new = PICKS + self.round - 1, self.new or 0
        many = f"{most} cards are scored in round {self.round}, so {most} Madness are the most."
        refuse_if(state.drafts(self.round), f"The draft of round {self.round} is not over yet.")
        refuse_if(self.madness > most, many)
        refuse_if(new > self.madness, "New icons are among all of them, so there cannot be more.")

    def begins_with(self, state: State) -> tuple[WayChosen, ...]:
        return (WayChosen(self.round, by_hand=True),) * (not state.at(self.round).by_hand)

    def fold(self, state: State) -> State:
        state = self.changed(state, typed=Typed(self.vp, self.madness, self.dreamlands, self.new))
        both = [side.typed for side in state.at(self.round).sides.values() if side.typed]
        icons = sum(each.madness for each in both)
        refuse_if(icons > ICONS, f"There are only {ICONS} cards with a Madness icon in the box.")
        refuse_if(sum(each.dreamlands for each in both) > 1, f"There is only one {DREAMS} in the box.")
        return state


def score_by_hand(state: State, context: Context, round: Number) -> Events:
    """What the cards gave is where the typing starts; a token that was left stays where it is."""
    now = yield from led_to(state, first_begun(state, round))
    refuse_if(now.at(round).by_hand, f"Round {round} is scored by hand already.")
    if now.drafts(round):
        yield ScoringBegun(round)
    yield WayChosen(round, by_hand=True)
    scored = scored_round(now, round)
    for seat, side in scored.sides.items():
        if scored.complete and now.side(seat, round).typed is None:
            new = now.spread(seat, round).new_icons
            yield RoundTyped(seat, round, side.cards, side.gained, side.moved > 0, new)
