"""What can happen and what can be tapped: the draft, the scoring of a round by cards or by hand, the refresh.

What must always hold is checked where an event is folded, so that take-backs stay honest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from companion.core import Choice, Context, Count, Event, Events, Refused, SeatId, refuse_if
from companion.core.text import listed, same_name
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DREAMLANDS, DREAMLANDS_TOKEN, DREAMS, ICONS, card, suit
from companion.games.tides_of_madness.rounds import scored_round
from companion.games.tides_of_madness.state import EMPTY, PICKS, ROUNDS, Bonus, Round, State, Typed

NOTHING = "none"  # what a form sends for an empty place

Number = Annotated[Count, Field(ge=1, le=ROUNDS)]
Points = Annotated[Count, Field(le=150)]  # no seven cards give as much; more is a slip of the thumb
Named = Annotated[Choice, AfterValidator(lambda id: "" if id == NOTHING else card(id).id)]


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

    def check_tap(self, state: State) -> None:
        refuse_if(self.fold(state) == state, "It says that already.")

    def check_dreams(self, state: State, has: bool) -> None:
        refuse_if(not has, f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")


class _OfCard(_OfSide):
    card: str

    @property
    def name(self) -> str:
        return card(self.card).name


# --- from round to round: five picks of choose, reveal and pass ---


class RoundBegun(_InRound):
    says = "round {round} begins"

    def fold(self, state: State) -> State:
        late = self.round != state.round + 1 or self.round > ROUNDS or state.stage not in ("setup", "refresh")
        refuse_if(late, f"Round {self.round} cannot begin now.")
        begun = Round(self.round, dict.fromkeys(state.table.ids, EMPTY))
        return replace(state, stage="draft", picks=0, rounds=(*state.rounds, begun))


class PickMade(_InRound):
    pick: int

    says = "round {round}, pick {pick} is made"

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        how = "is counted already" if self.pick <= state.picks else "comes later"
        refuse_if(self.pick != state.picks + 1, f"Pick {self.pick} {how}; this is pick {state.picks + 1}.")
        return replace(state, picks=self.pick)


class ScoringBegun(_InRound, tap="begin_scoring", round=Number):
    """Tapped at a table that does not count its picks."""

    says = "scoring of round {round}"

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        return replace(state, stage="scoring")


class RefreshBegun(_InRound, tap="begin_refresh", round=Number):
    says = "refresh after round {round}"

    def check_tap(self, state: State) -> None:
        adjudicate(state).check_going_on()

    def fold(self, state: State) -> State:
        missing = scored_round(state, self.round).missing
        late = state.round > self.round or state.stage == "refresh"
        refuse_if(late, f"Round {self.round} is in its refresh already, or past it.")
        refuse_if(state.stage != "scoring", f"Round {self.round} has not come to its scoring.")
        if missing:
            raise Refused(f"Round {self.round} is not scored yet. {missing[0].sentence}")
        refuse_if(self.round == ROUNDS, "There is no refresh after round 3.")
        return replace(state, stage="refresh")


def begin_round(state: State, context: Context, after: Count) -> Events:
    """After that round, or the set-up. Both phones may press it at once; the second one is late."""
    refuse_if(after < state.round, f"Round {after + 1} has begun already.")
    refuse_if(after > state.round, "Not yet.")
    refuse_if(state.stage not in ("setup", "refresh"), f"Round {state.round} is not over yet.")
    adjudicate(state).check_going_on()
    # where the cards are known the calculator needs to know what was kept; by hand nobody has to say
    for seat in state.table.seats if after and not state.at(after).by_hand else ():
        side = state.side(seat.id, after)
        for verb, id in (("keep", side.kept), ("discard", side.discarded)):
            refuse_if(not id, f"{seat.name} still chooses a card to {verb}.")
    yield RoundBegun(after + 1)


def next_pick(state: State, context: Context, round: Number, after: Count) -> Events:
    yield PickMade(round, after + 1)
    if after + 1 == PICKS:
        yield ScoringBegun(round)


# --- cards ---


class CardPlayed(_OfCard):
    def fold(self, state: State) -> State:
        played = state.side(self.seat, self.round).played
        card(self.card)  # or it is none of the 18
        elsewhere = state.where(self.round, self.card)
        refuse_if(elsewhere, elsewhere)
        five = f"{state.name(self.seat)} has five cards in round {self.round} already"
        refuse_if(len(played) >= PICKS, f"{five}. Take one back first.")
        return self.changed(state, played=(*played, self.card))

    def log_text(self, state: State) -> str:
        return f"{self.name}, card {len(state.side(self.seat, self.round).played)} of round {self.round}"


class CardTakenUp(_OfCard, tap="take_up_card", seat=SeatId, round=Number, card=Choice):
    says = "{name} was not played in round {round}"

    def fold(self, state: State) -> State:
        side, whose = state.side(self.seat, self.round), state.name(self.seat)
        refuse_if(self.card not in side.played, f"{self.name} is not among the cards of {whose}.")
        left = tuple(each for each in side.played if each != self.card)
        return self.changed(state, played=left, wild="" if self.card == DREAMLANDS else side.wild)


class CardsCorrected(_OfSide):
    cards: tuple[str, ...]
    wild: str = ""

    def fold(self, state: State) -> State:
        state = self.changed(state, played=tuple(self.cards), wild=self.wild)
        if self.wild:
            self.check_dreams(state, state.spread(self.seat, self.round).has(DREAMLANDS))
        return state

    def log_text(self, state: State) -> str:
        words = listed([card(id).name for id in self.cards]) or "no cards"
        counts = f", {DREAMS} among the {suit(self.wild).many}" if self.wild else ""
        return f"round {self.round} corrected: {words}{counts}"


def play_card(state: State, context: Context, seat: SeatId, round: Number, card: Choice) -> Events:
    """With the tenth card of a round nothing is left to draft."""
    yield CardPlayed(seat, round, card)
    if state.drafts(round):
        mine, theirs = (len(state.side(one, round).played) for one in (seat, state.other(seat)))
        if (mine, theirs) == (PICKS - 1, PICKS):
            yield ScoringBegun(round)


def correct_cards(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    first: Named,
    second: Named,
    third: Named,
    fourth: Named,
    fifth: Named,
    wild: Choice = NOTHING,
) -> Events:
    """All five at once, so that two cards can change places. An empty place is filled in later."""
    cards = tuple(filter(None, (first, second, third, fourth, fifth)))
    if twice := same_name(cards):
        raise Refused(f"{card(twice).name} cannot be in two places.")
    dreams = DREAMLANDS in cards or DREAMLANDS in state.kept_before(seat, round)
    declared = suit(wild).id if wild != NOTHING and dreams else ""
    side = state.side(seat, round)
    refuse_if((side.played, side.wild) == (cards, declared), "It says that already.")
    yield CardsCorrected(seat, round, cards, declared)


# --- scoring ---


class SuitDeclared(_OfSide, tap="declare_suit", seat=SeatId, round=Number, suit=Choice):
    suit: str

    def fold(self, state: State) -> State:
        suit(self.suit)
        self.check_dreams(state, state.spread(self.seat, self.round).has(DREAMLANDS))
        return self.changed(state, wild=self.suit)

    def log_text(self, state: State) -> str:
        return f"{DREAMS} counts among the {suit(self.suit).many} in round {self.round}"


class TokenDecided(_OfSide, tap="decide_token", seat=SeatId, round=Number, takes=bool):
    takes: bool

    def check_tap(self, state: State) -> None:
        must = DREAMLANDS_TOKEN.chosen(state.table) == "must"
        refuse_if(must, f"At this table {DREAMS} must take its token.")

    def fold(self, state: State) -> State:
        self.check_dreams(state, state.dreams(self.seat, self.round))
        return self.changed(state, takes=self.takes)

    def log_text(self, state: State) -> str:
        return f"{DREAMS} {'takes' if self.takes else 'leaves'} a token in round {self.round}"


class BonusChosen(_OfSide, tap="choose_bonus", seat=SeatId, round=Number, choice=Bonus):
    choice: Bonus

    def fold(self, state: State) -> State:
        scored = scored_round(state, self.round)
        if scored.chooser is None and scored.missing:
            raise Refused(f"The bonus comes later. {scored.missing[0].sentence}")
        if scored.chooser is None:
            raise Refused(f"Both gained as much Madness in round {self.round}, so nobody has the bonus.")
        chooser = state.name(scored.chooser)
        refuse_if(scored.chooser != self.seat, f"{chooser} gained more Madness, and has the bonus.")
        return state.with_round(self.round, bonus=(self.seat, self.choice))

    def log_text(self, state: State) -> str:
        return f"{'heals 1 Madness' if self.choice == 'heal' else 'takes 4 VP'} in round {self.round}"


# --- a round without the calculator: its points and its Madness, typed in ---


class WayChosen(_InRound):
    by_hand: bool

    def fold(self, state: State) -> State:
        return state.with_round(self.round, by_hand=self.by_hand)

    def log_text(self, state: State) -> str:
        return f"round {self.round} is scored {'by hand' if self.by_hand else 'card by card'}"


class RoundTyped(_OfSide):
    vp: int
    madness: int
    dreamlands: bool = False

    def fold(self, state: State) -> State:
        state = self.changed(state, typed=Typed(self.vp, self.madness, self.dreamlands))
        both = [side.typed for side in state.at(self.round).sides.values() if side.typed]
        icons = sum(each.madness for each in both)
        refuse_if(icons > ICONS, f"There are only {ICONS} cards with a Madness icon in the box.")
        refuse_if(sum(each.dreamlands for each in both) > 1, f"There is only one {DREAMS} in the box.")
        return state

    def log_text(self, state: State) -> str:
        taken = f", {DREAMS} takes one more" if self.dreamlands else ""
        return f"round {self.round}: {self.vp} VP for cards, {self.madness} Madness{taken}"


def score_by_hand(state: State, context: Context, round: Number) -> Events:
    refuse_if(state.at(round).by_hand, f"Round {round} is scored by hand already.")
    yield WayChosen(round, by_hand=True)
    scored = scored_round(state, round)
    for seat, side in scored.sides.items():  # what the cards gave is where the typing starts
        if scored.complete and state.side(seat, round).typed is None:
            yield RoundTyped(seat, round, side.cards, side.gained, scored.dreamer == seat)


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
) -> Events:
    """The bonus is not typed: whoever gained more is asked, as in any other round."""
    most, typed = PICKS + round - 1, Typed(vp, madness, dreamlands)
    refuse_if(state.drafts(round), f"The draft of round {round} is not over yet.")
    refuse_if(madness > most, f"{most} cards are scored in round {round}, so {most} Madness are the most.")
    refuse_if(state.side(seat, round).typed == typed, "It says that already.")
    if not state.at(round).by_hand:
        yield WayChosen(round, by_hand=True)
    yield RoundTyped(seat, round, *typed)


# --- after rounds 1 and 2: keep one card, discard one ---


class _Refreshed(_OfSide):
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""

    chooses: ClassVar[
        tuple[tuple[str, str], ...]
    ]  # what is `kept` or `discarded`, and the field that says so

    @property
    def chosen(self) -> dict[str, Any]:
        return {how: getattr(self, field) for how, field in self.chooses}

    def fold(self, state: State) -> State:
        number, who = self.round, state.name(self.seat)
        for id in filter(None, self.chosen.values()):
            played, name = state.refreshed(self.seat, number).played, card(id).name
            known = not state.at(number).by_hand and len(played) == PICKS
            others = f"{name} is not one of the five cards that {who} played in round {number}."
            refuse_if(known and id not in played, others)
            refuse_if(id in state.kept_before(self.seat, number), f"{who} keeps {name} already.")
        return self.changed(state, **self.chosen)


class CardKept(_Refreshed, _OfCard, tap="keep_card", seat=SeatId, round=Number, card=Choice):
    says = "keeps {name} after round {round}"
    chooses = (("kept", "card"),)


class CardDiscarded(_Refreshed, _OfCard, tap="discard_card", seat=SeatId, round=Number, card=Choice):
    says = "discards {name} after round {round}"
    chooses = (("discarded", "card"),)


class RefreshCorrected(
    _Refreshed, tap="correct_refresh", seat=SeatId, round=Number, kept=Named, discarded=Named
):
    kept: str
    discarded: str

    chooses = (("kept", "kept"), ("discarded", "discarded"))

    def log_text(self, state: State) -> str:
        kept, gone = (card(id).name if id else "nothing named" for id in (self.kept, self.discarded))
        return f"refresh after round {self.round} corrected: kept {kept}, discarded {gone}"
