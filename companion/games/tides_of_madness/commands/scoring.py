"""Declaring a suit, choosing the bonus, and putting the cards of a round right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Choice, Context, Event, Refused, SeatId
from companion.games.tides_of_madness.adjudication import adjudicate
from companion.games.tides_of_madness.cards import DREAMLANDS, card, suit
from companion.games.tides_of_madness.commands.draft import Done, Number
from companion.games.tides_of_madness.events import (
    BonusChosen,
    CardsCorrected,
    RefreshBegun,
    SuitDeclared,
    TokenDecided,
)
from companion.games.tides_of_madness.evolve import check_scored
from companion.games.tides_of_madness.house_rules import DREAMLANDS_TOKEN, chose
from companion.games.tides_of_madness.state import State

NOTHING = "none"  # what a form sends for an empty place


def declare_suit(
    state: State, context: Context, seat: SeatId, round: Number, suit: Choice
) -> Iterator[Event]:
    if state.at(round).side(seat).wild == suit:
        raise Refused("That is declared already.")
    yield SuitDeclared(seat, round, suit)


def choose_bonus(
    state: State, context: Context, seat: SeatId, round: Number, choice: Literal["points", "heal"]
) -> Iterator[Event]:
    if state.at(round).bonus == (seat, choice):
        raise Refused("That is chosen already.")
    yield BonusChosen(seat, round, choice)


def decide_token(state: State, context: Context, seat: SeatId, round: Number, takes: Done) -> Iterator[Event]:
    if chose(state.table, DREAMLANDS_TOKEN, "must"):
        raise Refused(f"At this table {card(DREAMLANDS).name} must take its token.")
    yield TokenDecided(seat, round, takes == "yes")


def begin_refresh(state: State, context: Context, round: Number) -> Iterator[Event]:
    if state.round > round or (state.round == round and state.stage == "refresh"):
        raise Refused(f"Round {round} is in its refresh already, or past it.")
    state.at(round)
    if state.stage != "scoring":
        raise Refused(f"Round {round} has not come to its scoring.")
    check_scored(state, round)
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")
    yield RefreshBegun(round)


def correct_cards(
    state: State,
    context: Context,
    seat: SeatId,
    round: Number,
    first: Choice,
    second: Choice,
    third: Choice,
    fourth: Choice,
    fifth: Choice,
    wild: Choice = NOTHING,
) -> Iterator[Event]:
    """All five at once, so that two cards can change places. An empty place is filled in later."""
    asked = [each for each in (first, second, third, fourth, fifth) if each != NOTHING]
    cards = tuple(card(each).id for each in asked)
    twice = next((each for each in cards if cards.count(each) > 1), None)
    if twice:
        raise Refused(f"{card(twice).name} cannot be in two places.")
    kept = state.kept_before(seat, round)
    dreams = DREAMLANDS in cards or DREAMLANDS in kept
    declared = suit(wild).id if wild != NOTHING and dreams else ""
    side = state.at(round).side(seat)
    if (side.played, side.wild) == (cards, declared):
        raise Refused("It says that already.")
    yield CardsCorrected(seat, round, cards, declared)


COMMANDS = (declare_suit, choose_bonus, decide_token, begin_refresh, correct_cards)
