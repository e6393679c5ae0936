"""What an event makes of the state. What must always hold is checked here, so that take-backs stay honest."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused
from companion.core.checklist import SetupTicked
from companion.games.tides_of_madness.cards import DECK, DREAMLANDS, card, suit
from companion.games.tides_of_madness.events import (
    BonusChosen,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsCorrected,
    CardTakenUp,
    PickMade,
    RefreshBegun,
    RefreshCorrected,
    RoundBegun,
    RoundTyped,
    ScoringBegun,
    SuitDeclared,
    TokenDecided,
    WayChosen,
)
from companion.games.tides_of_madness.rounds import score_game
from companion.games.tides_of_madness.state import PICKS, ROUNDS, Round, Side, State, Typed, check_places

MOST_ICONS = sum(each.madness for each in DECK)


def evolve(state: State, event: Event) -> State:
    match event:
        case SetupTicked() | RoundBegun() | PickMade() | ScoringBegun() | RefreshBegun():
            return _go_on(state, event)
        case CardPlayed() | CardTakenUp() | CardsCorrected() | SuitDeclared():
            return check_places(_cards(state, event))
        case CardKept() | CardDiscarded() | RefreshCorrected():
            return check_places(_refresh(state, event))
        case BonusChosen() | TokenDecided() | WayChosen() | RoundTyped():
            return check_places(_score(state, event))
        case _:
            return state


def _go_on(state: State, event: Event) -> State:
    match event:
        case SetupTicked(item, _, done):
            others = tuple(each for each in state.ticked if each != item)
            return replace(state, ticked=(*others, item) if done else others)
        case RoundBegun(round):
            if round != state.round + 1 or round > ROUNDS or state.stage not in ("setup", "refresh"):
                raise Refused(f"Round {round} cannot begin now.")
            begun = Round(round, {seat.id: Side() for seat in state.table.seats})
            return replace(state, stage="draft", picks=0, rounds=(*state.rounds, begun))
        case PickMade(round, pick):
            _expect(state, "draft", round)
            if pick != state.picks + 1 or pick > PICKS:
                raise Refused(f"This is pick {state.picks + 1}, not pick {pick}.")
            return replace(state, picks=pick)
        case ScoringBegun(round):
            _expect(state, "draft", round)
            return replace(state, stage="scoring")
        case RefreshBegun(round):
            _expect(state, "scoring", round)
            if round == ROUNDS:
                raise Refused("There is no refresh after round 3.")
            check_scored(state, round)
            return replace(state, stage="refresh")
    return state


def check_scored(state: State, round: int) -> None:
    missing = score_game(state)[round - 1].missing
    if missing:
        raise Refused(f"Round {round} is not scored yet. {missing[0].sentence}")


def _expect(state: State, stage: str, round: int) -> None:
    if (state.stage, state.round) != (stage, round):
        raise Refused(f"The {stage} of round {round} is not what the table is at.")


def _cards(state: State, event: Event) -> State:
    match event:
        case CardPlayed(seat, round, id):
            played = state.at(round).side(seat).played
            card(id)
            if elsewhere := state.where(round, id):
                raise Refused(elsewhere)
            if len(played) >= PICKS:
                five = f"{state.name(seat)} has five cards in round {round} already"
                raise Refused(f"{five}. Take one back first.")
            return state.with_side(round, seat, played=(*played, id))
        case CardTakenUp(seat, round, id):
            side = state.at(round).side(seat)
            if id not in side.played:
                raise Refused(f"{card(id).name} is not among the cards of {state.name(seat)}.")
            wild = "" if id == DREAMLANDS else side.wild
            return state.with_side(
                round, seat, played=tuple(each for each in side.played if each != id), wild=wild
            )
        case CardsCorrected(seat, round, cards, wild):
            state = state.with_side(round, seat, played=tuple(cards), wild=wild)
            if wild and not state.spread(seat, round).has(DREAMLANDS):
                raise Refused(f"{state.name(seat)} has no {card(DREAMLANDS).name} in round {round}.")
            return state
        case SuitDeclared(seat, round, wild):
            suit(wild)
            if not state.spread(seat, round).has(DREAMLANDS):
                raise Refused(f"{state.name(seat)} has no {card(DREAMLANDS).name} in round {round}.")
            return state.with_side(round, seat, wild=wild)
    return state


def _refresh(state: State, event: Event) -> State:
    match event:
        case CardKept(seat, round, id):
            check_in_hand(state, seat, round, id)
            return state.with_side(round, seat, kept=id)
        case CardDiscarded(seat, round, id):
            check_in_hand(state, seat, round, id)
            return state.with_side(round, seat, discarded=id)
        case RefreshCorrected(seat, round, kept, discarded):
            for id in filter(None, (kept, discarded)):
                check_in_hand(state, seat, round, id)
            return state.with_side(round, seat, kept=kept, discarded=discarded)
    return state


def check_in_hand(state: State, seat: int, round: int, id: str) -> None:
    """Only the five cards of that round come back into the hand. A round scored by hand knows no cards."""
    side = state.refreshed(round).side(seat)
    if not state.at(round).by_hand and len(side.played) == PICKS and card(id).id not in side.played:
        raise Refused(
            f"{card(id).name} is not one of the five cards that {state.name(seat)} played in round {round}."
        )
    if id in state.kept_before(seat, round):
        raise Refused(f"{state.name(seat)} keeps {card(id).name} already.")


def _score(state: State, event: Event) -> State:
    match event:
        case BonusChosen(seat, round, choice):
            state.at(round)
            scored = score_game(state)[round - 1]
            if scored.chooser is None and scored.missing:
                raise Refused(f"The bonus comes later. {scored.missing[0].sentence}")
            if scored.chooser is None:
                raise Refused(f"Both gained as much Madness in round {round}, so nobody has the bonus.")
            if scored.chooser != seat:
                raise Refused(f"{state.name(scored.chooser)} gained more Madness, and has the bonus.")
            return state.with_round(replace(state.at(round), bonus=(seat, choice)))
        case TokenDecided(seat, round, takes):
            if score_game(state)[state.at(round).number - 1].dreamer != seat:
                raise Refused(f"{state.name(seat)} has no {card(DREAMLANDS).name} in round {round}.")
            return state.with_side(round, seat, takes=takes)
        case WayChosen(round, by_hand):
            return state.with_round(replace(state.at(round), by_hand=by_hand))
        case RoundTyped(seat, round, vp, madness, dreamlands):
            state = state.with_side(round, seat, typed=Typed(vp, madness, dreamlands))
            return _check_typed(state, round)
    return state


def _check_typed(state: State, round: int) -> State:
    typed = [side.typed for side in state.at(round).sides.values() if side.typed]
    if sum(each.madness for each in typed) > MOST_ICONS:
        raise Refused(f"There are only {MOST_ICONS} cards with a Madness icon in the box.")
    if sum(each.dreamlands for each in typed) > 1:
        raise Refused(f"There is only one {card(DREAMLANDS).name} in the box.")
    return state
