"""The Encounter phase: talk, then silence, until the sand has run out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Context, Count, Event, Refused
from companion.games.mountains_of_madness.events import (
    CardPlayed,
    EncounterEnded,
    PenaltyOwed,
    SandTurned,
    TokensMoved,
)
from companion.games.mountains_of_madness.house_rules import AGAIN_CARDS, chose
from companion.games.mountains_of_madness.state import SAND, SPOKEN, State
from companion.games.mountains_of_madness.tokens import check_token, playing
from companion.tools.timer import TimerStarted, TimerStopped, timer


def time_is_up(state: State, now: int) -> bool:
    """Nobody ticks: the phones show the end by themselves, the rules look at the clock when somebody taps."""
    sand = timer(state.table)
    return sand is None or sand.over(now)


def card_on_sled(state: State, context: Context, turn: Count, flip: Count) -> Iterator[Event]:
    """The first one ends all talk; the others only count, so two at once are two cards."""
    playing(state, turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again since.")
    if time_is_up(state, context.now):
        raise Refused("The sand has run out: that card stays in hand.")
    yield CardPlayed(turn, flip)


def someone_spoke(state: State, context: Context, turn: Count, owed: Count) -> Iterator[Event]:
    """Two may hear the same word: `owed` tells the second that it is noted."""
    playing(state, turn, "encounter")
    if not state.now.silent:
        raise Refused("Talk is allowed until the first card lies on the sled.")
    if owed != state.now.rolled:
        raise Refused("That word is noted already; roll for it.")
    yield PenaltyOwed(turn, state.now.rolled + 1, SPOKEN)


def again(state: State, context: Context, turn: Count, flip: Count) -> Iterator[Event]:
    playing(state, turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again already.")
    if not time_is_up(state, context.now):
        raise Refused("The sand still runs; a token can be spent when it has run out.")
    check_token(state, "encounter")
    yield TokensMoved("sled", "discard")
    stay = chose(state.table, AGAIN_CARDS) == "stay"
    yield SandTurned(turn, flip + 1, state.now.on_sled if stay else 0)
    yield TimerStarted("down", SAND, context.now)


def resolve(
    state: State, context: Context, turn: Count, early: Literal["yes", "no"] = "no"
) -> Iterator[Event]:
    """When the sand has run out; before that only if everyone has played what they want."""
    playing(state, turn, "encounter")
    if not time_is_up(state, context.now):
        if not state.now.silent:
            raise Refused("The sand still runs, and no card lies on the sled.")
        if early != "yes":
            raise Refused("The sand still runs: others may still play a card.")
    if state.now.penalties:
        raise Refused("Somebody spoke: first the penalty die.")
    yield EncounterEnded(turn)
    yield TimerStopped()


COMMANDS = (card_on_sled, someone_spoke, again, resolve)
