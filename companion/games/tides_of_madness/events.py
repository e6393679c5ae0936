"""What can happen, and what it makes of the state. What must always hold is checked here, so that
take-backs stay honest."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import Event, Refused
from companion.core.text import listed
from companion.games.tides_of_madness.cards import DECK, DREAMLANDS, DREAMS, card, suit
from companion.games.tides_of_madness.rounds import check_scored, score_game
from companion.games.tides_of_madness.state import EMPTY, PICKS, ROUNDS, Bonus, Round, State, Typed

MOST_ICONS = sum(each.madness for each in DECK)


# --- from round to round ---


def _expect(state: State, stage: str, round: int) -> None:
    if (state.stage, state.round) != (stage, round):
        raise Refused(f"The {stage} of round {round} is not what the table is at.")


@dataclass(frozen=True)
class RoundBegun(Event[State]):
    round: int

    def fold(self, state: State) -> State:
        if self.round != state.round + 1 or self.round > ROUNDS or state.stage not in ("setup", "refresh"):
            raise Refused(f"Round {self.round} cannot begin now.")
        begun = Round(self.round, dict.fromkeys(state.table.ids, EMPTY))
        return replace(state, stage="draft", picks=0, rounds=(*state.rounds, begun))

    def told(self, state: State) -> str:
        return f"round {self.round} begins"


@dataclass(frozen=True)
class PickMade(Event[State]):
    round: int
    pick: int

    def fold(self, state: State) -> State:
        _expect(state, "draft", self.round)
        if self.pick != state.picks + 1 or self.pick > PICKS:
            raise Refused(f"This is pick {state.picks + 1}, not pick {self.pick}.")
        return replace(state, picks=self.pick)

    def told(self, state: State) -> str:
        return f"round {self.round}, pick {self.pick} is made"


@dataclass(frozen=True)
class ScoringBegun(Event[State]):
    round: int

    def fold(self, state: State) -> State:
        _expect(state, "draft", self.round)
        return replace(state, stage="scoring")

    def told(self, state: State) -> str:
        return f"scoring of round {self.round}"


@dataclass(frozen=True)
class RefreshBegun(Event[State]):
    round: int

    def fold(self, state: State) -> State:
        _expect(state, "scoring", self.round)
        if self.round == ROUNDS:
            raise Refused("There is no refresh after round 3.")
        check_scored(state, self.round)
        return replace(state, stage="refresh")

    def told(self, state: State) -> str:
        return f"refresh after round {self.round}"


# --- cards ---


@dataclass(frozen=True)
class CardPlayed(Event[State]):
    seat: int
    round: int
    card: str

    def fold(self, state: State) -> State:
        played = state.at(self.round).side(self.seat).played
        card(self.card)
        if elsewhere := state.where(self.round, self.card):
            raise Refused(elsewhere)
        if len(played) >= PICKS:
            five = f"{state.name(self.seat)} has five cards in round {self.round} already"
            raise Refused(f"{five}. Take one back first.")
        return state.with_side(self.round, self.seat, played=(*played, self.card))

    def told(self, state: State) -> str:
        played = state.at(self.round).side(self.seat).played
        return f"{card(self.card).name}, card {len(played)} of round {self.round}"


@dataclass(frozen=True)
class CardTakenUp(Event[State]):
    seat: int
    round: int
    card: str

    def fold(self, state: State) -> State:
        side = state.at(self.round).side(self.seat)
        if self.card not in side.played:
            raise Refused(f"{card(self.card).name} is not among the cards of {state.name(self.seat)}.")
        wild = "" if self.card == DREAMLANDS else side.wild
        left = tuple(each for each in side.played if each != self.card)
        return state.with_side(self.round, self.seat, played=left, wild=wild)

    def told(self, state: State) -> str:
        return f"{card(self.card).name} was not played in round {self.round}"


def _check_dreams(state: State, seat: int, round: int) -> None:
    if not state.spread(seat, round).has(DREAMLANDS):
        raise Refused(f"{state.name(seat)} has no {DREAMS} in round {round}.")


@dataclass(frozen=True)
class CardsCorrected(Event[State]):
    seat: int
    round: int
    cards: tuple[str, ...]
    wild: str = ""

    def fold(self, state: State) -> State:
        state = state.with_side(self.round, self.seat, played=tuple(self.cards), wild=self.wild)
        if self.wild:
            _check_dreams(state, self.seat, self.round)
        return state

    def told(self, state: State) -> str:
        words = listed([card(id).name for id in self.cards]) or "no cards"
        counts = f", {DREAMS} among the {suit(self.wild).many}" if self.wild else ""
        return f"round {self.round} corrected: {words}{counts}"


@dataclass(frozen=True)
class SuitDeclared(Event[State]):
    seat: int
    round: int
    suit: str

    def fold(self, state: State) -> State:
        suit(self.suit)
        _check_dreams(state, self.seat, self.round)
        return state.with_side(self.round, self.seat, wild=self.suit)

    def told(self, state: State) -> str:
        return f"{DREAMS} counts among the {suit(self.suit).many} in round {self.round}"


# --- scoring ---


@dataclass(frozen=True)
class TokenDecided(Event[State]):
    seat: int
    round: int
    takes: bool

    def fold(self, state: State) -> State:
        if score_game(state)[state.at(self.round).number - 1].dreamer != self.seat:
            raise Refused(f"{state.name(self.seat)} has no {DREAMS} in round {self.round}.")
        return state.with_side(self.round, self.seat, takes=self.takes)

    def told(self, state: State) -> str:
        return f"{DREAMS} {'takes' if self.takes else 'leaves'} a token in round {self.round}"


@dataclass(frozen=True)
class BonusChosen(Event[State]):
    seat: int
    round: int
    choice: Bonus

    def fold(self, state: State) -> State:
        scored = score_game(state)[state.at(self.round).number - 1]
        if scored.chooser is None and scored.missing:
            raise Refused(f"The bonus comes later. {scored.missing[0].sentence}")
        if scored.chooser is None:
            raise Refused(f"Both gained as much Madness in round {self.round}, so nobody has the bonus.")
        if scored.chooser != self.seat:
            raise Refused(f"{state.name(scored.chooser)} gained more Madness, and has the bonus.")
        return state.with_round(self.round, bonus=(self.seat, self.choice))

    def told(self, state: State) -> str:
        return f"{'heals 1 Madness' if self.choice == 'heal' else 'takes 4 VP'} in round {self.round}"


@dataclass(frozen=True)
class WayChosen(Event[State]):
    round: int
    by_hand: bool

    def fold(self, state: State) -> State:
        return state.with_round(self.round, by_hand=self.by_hand)

    def told(self, state: State) -> str:
        return f"round {self.round} is scored {'by hand' if self.by_hand else 'card by card'}"


@dataclass(frozen=True)
class RoundTyped(Event[State]):
    seat: int
    round: int
    vp: int
    madness: int
    dreamlands: bool = False

    def fold(self, state: State) -> State:
        typed = Typed(self.vp, self.madness, self.dreamlands)
        state = state.with_side(self.round, self.seat, typed=typed)
        both = [side.typed for side in state.at(self.round).sides.values() if side.typed]
        if sum(each.madness for each in both) > MOST_ICONS:
            raise Refused(f"There are only {MOST_ICONS} cards with a Madness icon in the box.")
        if sum(each.dreamlands for each in both) > 1:
            raise Refused(f"There is only one {DREAMS} in the box.")
        return state

    def told(self, state: State) -> str:
        taken = f", {DREAMS} takes one more" if self.dreamlands else ""
        return f"round {self.round}: {self.vp} VP for cards, {self.madness} Madness{taken}"


# --- refresh ---


def _check_in_hand(state: State, seat: int, round: int, id: str) -> None:
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""
    side, name = state.refreshed(round).side(seat), card(id).name
    if not state.at(round).by_hand and len(side.played) == PICKS and id not in side.played:
        raise Refused(f"{name} is not one of the five cards that {state.name(seat)} played in round {round}.")
    if id in state.kept_before(seat, round):
        raise Refused(f"{state.name(seat)} keeps {name} already.")


@dataclass(frozen=True)
class CardKept(Event[State]):
    seat: int
    round: int
    card: str

    def fold(self, state: State) -> State:
        _check_in_hand(state, self.seat, self.round, self.card)
        return state.with_side(self.round, self.seat, kept=self.card)

    def told(self, state: State) -> str:
        return f"keeps {card(self.card).name} after round {self.round}"


@dataclass(frozen=True)
class CardDiscarded(Event[State]):
    seat: int
    round: int
    card: str

    def fold(self, state: State) -> State:
        _check_in_hand(state, self.seat, self.round, self.card)
        return state.with_side(self.round, self.seat, discarded=self.card)

    def told(self, state: State) -> str:
        return f"discards {card(self.card).name} after round {self.round}"


@dataclass(frozen=True)
class RefreshCorrected(Event[State]):
    seat: int
    round: int
    kept: str
    discarded: str

    def fold(self, state: State) -> State:
        for id in filter(None, (self.kept, self.discarded)):
            _check_in_hand(state, self.seat, self.round, id)
        return state.with_side(self.round, self.seat, kept=self.kept, discarded=self.discarded)

    def told(self, state: State) -> str:
        kept, gone = (card(id).name if id else "nothing named" for id in (self.kept, self.discarded))
        return f"refresh after round {self.round} corrected: kept {kept}, discarded {gone}"
