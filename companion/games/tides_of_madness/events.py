"""What can happen, and what it makes of the state. What must always hold is checked here, so that
take-backs stay honest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.core import Event, Refused, refuse_if
from companion.core.text import listed
from companion.games.tides_of_madness.cards import DREAMLANDS, DREAMS, ICONS, card, suit
from companion.games.tides_of_madness.rounds import scored_round
from companion.games.tides_of_madness.state import EMPTY, PICKS, ROUNDS, Bonus, Round, State, Typed


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

    def check_dreams(self, state: State) -> None:
        has = state.spread(self.seat, self.round).has(DREAMLANDS)
        refuse_if(not has, f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")


class _OfCard(_OfSide):
    card: str

    @property
    def name(self) -> str:
        return card(self.card).name


# --- from round to round ---


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
        if self.pick != state.picks + 1 or self.pick > PICKS:
            how = "is counted already" if self.pick <= state.picks else "comes later"
            raise Refused(f"Pick {self.pick} {how}; this is pick {state.picks + 1}.")
        return replace(state, picks=self.pick)


class ScoringBegun(_InRound):
    says = "scoring of round {round}"

    def fold(self, state: State) -> State:
        state.check_drafts(self.round)
        return replace(state, stage="scoring")


class RefreshBegun(_InRound):
    says = "refresh after round {round}"

    def fold(self, state: State) -> State:
        missing = scored_round(state, self.round).missing
        late = state.round > self.round or state.stage == "refresh"
        refuse_if(late, f"Round {self.round} is in its refresh already, or past it.")
        refuse_if(state.stage != "scoring", f"Round {self.round} has not come to its scoring.")
        if missing:
            raise Refused(f"Round {self.round} is not scored yet. {missing[0].sentence}")
        refuse_if(self.round == ROUNDS, "There is no refresh after round 3.")
        return replace(state, stage="refresh")


# --- cards ---


class CardPlayed(_OfCard):
    def fold(self, state: State) -> State:
        played = state.side(self.seat, self.round).played
        card(self.card)  # or it is none of the 18
        if elsewhere := state.where(self.round, self.card):
            raise Refused(elsewhere)
        if len(played) >= PICKS:
            five = f"{state.name(self.seat)} has five cards in round {self.round} already"
            raise Refused(f"{five}. Take one back first.")
        return self.changed(state, played=(*played, self.card))

    def log_text(self, state: State) -> str:
        return f"{self.name}, card {len(state.side(self.seat, self.round).played)} of round {self.round}"


class CardTakenUp(_OfCard):
    says = "{name} was not played in round {round}"

    def fold(self, state: State) -> State:
        side = state.side(self.seat, self.round)
        refuse_if(
            self.card not in side.played, f"{self.name} is not among the cards of {state.name(self.seat)}."
        )
        left = tuple(each for each in side.played if each != self.card)
        return self.changed(state, played=left, wild="" if self.card == DREAMLANDS else side.wild)


class CardsCorrected(_OfSide):
    cards: tuple[str, ...]
    wild: str = ""

    def fold(self, state: State) -> State:
        state = self.changed(state, played=tuple(self.cards), wild=self.wild)
        if self.wild:
            self.check_dreams(state)
        return state

    def log_text(self, state: State) -> str:
        words = listed([card(id).name for id in self.cards]) or "no cards"
        counts = f", {DREAMS} among the {suit(self.wild).many}" if self.wild else ""
        return f"round {self.round} corrected: {words}{counts}"


class SuitDeclared(_OfSide):
    suit: str

    def fold(self, state: State) -> State:
        suit(self.suit)
        self.check_dreams(state)
        return self.changed(state, wild=self.suit)

    def log_text(self, state: State) -> str:
        return f"{DREAMS} counts among the {suit(self.suit).many} in round {self.round}"


# --- scoring ---


class TokenDecided(_OfSide):
    takes: bool

    def fold(self, state: State) -> State:
        has = state.dreams(self.seat, self.round)
        refuse_if(not has, f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")
        return self.changed(state, takes=self.takes)

    def log_text(self, state: State) -> str:
        return f"{DREAMS} {'takes' if self.takes else 'leaves'} a token in round {self.round}"


class BonusChosen(_OfSide):
    choice: Bonus

    def fold(self, state: State) -> State:
        scored = scored_round(state, self.round)
        if scored.chooser is None and scored.missing:
            raise Refused(f"The bonus comes later. {scored.missing[0].sentence}")
        if scored.chooser is None:
            raise Refused(f"Both gained as much Madness in round {self.round}, so nobody has the bonus.")
        if scored.chooser != self.seat:
            raise Refused(f"{state.name(scored.chooser)} gained more Madness, and has the bonus.")
        return state.with_round(self.round, bonus=(self.seat, self.choice))

    def log_text(self, state: State) -> str:
        return f"{'heals 1 Madness' if self.choice == 'heal' else 'takes 4 VP'} in round {self.round}"


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


# --- refresh ---


def _chosen(state: State, event: _OfSide, **chosen: str) -> State:
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""
    number, who = event.round, state.name(event.seat)
    for id in filter(None, chosen.values()):
        played, name = state.refreshed(event.seat, number).played, card(id).name
        known = not state.at(number).by_hand and len(played) == PICKS
        others = f"{name} is not one of the five cards that {who} played in round {number}."
        refuse_if(known and id not in played, others)
        refuse_if(id in state.kept_before(event.seat, number), f"{who} keeps {name} already.")
    return event.changed(state, **chosen)


class CardKept(_OfCard):
    says = "keeps {name} after round {round}"

    def fold(self, state: State) -> State:
        return _chosen(state, self, kept=self.card)


class CardDiscarded(_OfCard):
    says = "discards {name} after round {round}"

    def fold(self, state: State) -> State:
        return _chosen(state, self, discarded=self.card)


class RefreshCorrected(_OfSide):
    kept: str
    discarded: str

    def fold(self, state: State) -> State:
        return _chosen(state, self, kept=self.kept, discarded=self.discarded)

    def log_text(self, state: State) -> str:
        kept, gone = (card(id).name if id else "nothing named" for id in (self.kept, self.discarded))
        return f"refresh after round {self.round} corrected: kept {kept}, discarded {gone}"
