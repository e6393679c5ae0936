"""From the reveal to the Draw phase: nothing has to be said that follows from what was said.

Whatever is done about two Challenges whose results are known judges them first; when nothing is left to be
decided the phase ends, and after the third Escape tile the game.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import wraps
from typing import Any

from companion.core import Command, Context, Event, Events, refuse_if, replace
from companion.games.mountains_of_madness.counting import judgement
from companion.games.mountains_of_madness.rest import TurnEnded
from companion.games.mountains_of_madness.state import Resolving, State, _InTurn, evolve
from companion.tools.timer import TimerStopped


class ResolutionEnded(_InTurn, during=("resolution",)):
    cards: int  # that were played
    injuries: int = 0  # among them

    def fold(self, state: State) -> State:
        """What was raised until this Draw phase may have left more in a hand than its limit."""
        refuse_if(why := state.now.unfinished, why)
        was = state.cards
        cards = replace(was, hands=max(0, was.hands - self.cards), discard=was.discard + self.cards)
        now = replace(state.now, searching=False, sand="", injured=0)
        over = state.surplus + state.more_held
        changed = {"stage": "draw", "cards": cards, "raised": (), "surplus": over, "now": now}
        return state.moving("injuries", "hands", "discard", self.injuries, **changed)


def _judged(state: State) -> Generator[Event, None, State]:
    if state.stage != "resolution" or state.now.met is not None:
        return state
    judged = judgement(state)
    yield judged
    return judged.fold(state)


def _ended(state: State) -> Iterator[Event]:
    injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
    yield ResolutionEnded(state.turn, state.played, injuries)
    if state.place == "escape-3":
        yield TurnEnded(state.turn)


def settles(command: Command) -> Command:
    """For what is done about the Challenges: they are judged, it is done, and the table goes on."""

    @wraps(command)
    def settled(state: State, context: Context, **given: Any) -> Events:
        state = yield from _judged(state)
        for event in command(state, context, **given):
            yield event
            state = evolve(state, event)
        if state.stage == "resolution" and not (state.over or state.now.searching or state.now.unfinished):
            yield from _ended(state)

    return settled


@settles
def judge(state: State, context: Context, turn: Resolving) -> Events:
    """Where a Confusion from the silence has to be measured, and nothing else is done about them."""
    yield from ()


def call_results(state: State, context: Context, turn: Resolving, first: bool, second: bool) -> Events:
    """At a glance."""
    refuse_if(state.now.met is not None, "The Challenges are judged already.")
    yield from judge(state.with_turn(by_hand=(first, second)), context, turn=turn)


@settles
def end_resolution(state: State, context: Context, turn: Resolving) -> Events:
    """Before the clock of a Search has run out, or where nothing was left to be decided from the start."""
    refuse_if(why := state.now.unfinished, why)
    if state.now.searching:
        yield TimerStopped()
