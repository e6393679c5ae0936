"""From round to round, what follows by itself, and the scoring by cards or by hand.

What must always hold is checked where an event is folded, so that take-backs stay honest.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator

from companion.core import Bounds, Choice, Context, Count, Event, Events, Refused, SeatId, refuse_if, replace
from companion.core.refused import there
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DREAMLANDS, DREAMLANDS_TOKEN, DREAMS, ICONS, card, suit
from companion.games.tides_of_madness.rounds import scored_round
from companion.games.tides_of_madness.state import EMPTY, PICKS, ROUNDS, Bonus, Round, State, Typed

NOTHING = "none"  # what a form sends for an empty place

Number = Annotated[Count, Bounds(ge=1, le=ROUNDS)]
Points = Annotated[Count, Bounds(le=150)]  # no seven cards give as much; more is a slip of the thumb
Pick = Annotated[Count, Bounds(ge=1, le=PICKS)]
Named = Annotated[Choice, AfterValidator(lambda id: "" if id == NOTHING else card(id).id)]


def goes_on(state: State) -> Events:
    """What follows whatever is tapped: nobody has to say that a draft is over, a round scored or both have
    chosen."""
    while coming := _next(state):
        for event in coming:
            yield event
            state = event.fold(state)


def _next(state: State) -> tuple[Event[State], ...]:
    now = state.rounds[-1] if state.rounds else Round(0)
    number = now.number
    if state.stage == "draft" and all(len(side.played) == PICKS for side in now.sides.values()):
        return (ScoringBegun(number),)
    if number in (0, ROUNDS) or adjudicate(state).final:
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


class _OfSide(Event[State]):
    seat: int
    round: int

    def changed(self, state: State, **changed: Any) -> State:
        state.table.seat(self.seat)  # or it is not at this table any more
        round = state.at(self.round)
        side = round.side(self.seat)._replace(**changed)
        return state.with_round(self.round, sides={**round.sides, self.seat: side})

    def check_dreams(self, state: State, has: bool) -> None:
        refuse_if(not has, f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")


class _OfCard(_OfSide):
    card: str

    @property
    def name(self) -> str:
        return card(self.card).name


# --- from round to round: five picks of choose, reveal and pass ---


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
        adjudicate(state).check_going_on()

    def fold(self, state: State) -> State:
        missing = scored_round(state, self.round).missing
        late = state.round > self.round or state.stage == "refresh"
        refuse_if(late, f"Round {self.round} is in its refresh already, or past it.")
        refuse_if(state.stage != "scoring", f"Round {self.round} has not come to its scoring.")
        waits = missing[0].sentence if missing else ""
        refuse_if(missing, f"Round {self.round} is not scored yet. {waits}")
        refuse_if(self.round == ROUNDS, "There is no refresh after round 3.")
        return replace(state, stage="refresh")


def begin_round(state: State, context: Context, after: Count) -> Events:
    """After that round, or the set-up. Both phones may press it at once; the second one is late."""
    refuse_if(after < state.round, f"Round {after + 1} has begun already.")
    refuse_if(after > state.round, "Not yet.")
    refuse_if(state.stage not in ("setup", "refresh"), f"Round {state.round} is not over yet.")
    adjudicate(state).check_going_on()
    if after and not state.at(after).by_hand:  # there the calculator need not know what was kept
        for seat in state.table.seats:
            side = state.side(seat.id, after)
            for verb, id in (("keep", side.kept), ("discard", side.discarded)):
                refuse_if(not id, f"{seat.name} still chooses a card to {verb}.")
    yield RoundBegun(after + 1)


def first_begun(state: State, round: int) -> tuple[State, tuple[Event[State], ...]]:
    """The first card of all begins round 1."""
    if state.stage != "setup" or round != 1:
        return state, ()
    begun = RoundBegun(1)
    return begun.fold(state), (begun,)


# --- scoring ---


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
        if scored.chooser is None and scored.missing:
            raise Refused(f"The bonus comes later. {scored.missing[0].sentence}")
        nobody = f"Both gained as much Madness in round {self.round}, so nobody has the bonus."
        chooser = there(scored.chooser, nobody)
        refuse_if(chooser != self.seat, f"{state.name(chooser)} gained more Madness, and has the bonus.")
        return state.with_round(self.round, bonus=(self.seat, self.choice))


# --- a round without the calculator: its points and its Madness, typed in ---


class WayChosen(_InRound):
    by_hand: bool

    def fold(self, state: State) -> State:
        return state.with_round(self.round, by_hand=self.by_hand)


class RoundTyped(_OfSide):
    vp: int
    madness: int
    dreamlands: bool = False
    new: int | None = None

    @property
    def fewer_new(self) -> bool:
        return self.new not in (None, self.madness)

    def fold(self, state: State) -> State:
        state = self.changed(state, typed=Typed(self.vp, self.madness, self.dreamlands, self.new))
        both = [side.typed for side in state.at(self.round).sides.values() if side.typed]
        icons = sum(each.madness for each in both)
        refuse_if(icons > ICONS, f"There are only {ICONS} cards with a Madness icon in the box.")
        refuse_if(sum(each.dreamlands for each in both) > 1, f"There is only one {DREAMS} in the box.")
        return state


def score_by_hand(state: State, context: Context, round: Number) -> Events:
    """What the cards gave is where the typing starts; a token that was left stays where it is."""
    now, begun = first_begun(state, round)
    yield from begun
    refuse_if(now.at(round).by_hand, f"Round {round} is scored by hand already.")
    if now.drafts(round):
        yield ScoringBegun(round)
    yield WayChosen(round, by_hand=True)
    scored = scored_round(now, round)
    for seat, side in scored.sides.items():
        if scored.complete and now.side(seat, round).typed is None:
            new = now.spread(seat, round).new_icons
            yield RoundTyped(seat, round, side.cards, side.gained, side.moved > 0, new)


def score_by_cards(state: State, context: Context, round: Number) -> Events:
    refuse_if(not state.at(round).by_hand, f"Round {round} is scored card by card already.")
    yield WayChosen(round, by_hand=False)


def enter_round(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    madness: Count,
    vp: Points,
    dreamlands: bool = False,
    new: Count | None = None,
) -> Events:
    """The bonus is not typed: whoever gained more is asked, as in any other round."""
    most, typed = PICKS + round - 1, Typed(vp, madness, dreamlands, new)
    refuse_if(state.drafts(round), f"The draft of round {round} is not over yet.")
    refuse_if(madness > most, f"{most} cards are scored in round {round}, so {most} Madness are the most.")
    refuse_if(new is not None and new > madness, "New icons are among all of them, so there cannot be more.")
    refuse_if(state.side(seat, round).typed == typed, "It says that already.")
    if not state.at(round).by_hand:
        yield WayChosen(round, by_hand=True)
    yield RoundTyped(seat, round, *typed)
