"""The castle's tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from companion.core import Event, Refused
from companion.games.escape_the_dark_castle.box import character, trait
from companion.games.escape_the_dark_castle.events import AttemptCounted, TestBegun, TestClosed, TestRolled
from companion.games.escape_the_dark_castle.house_rules import TEST_DOUBLES, choice
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.trial import Counted, Ended, Kind, Shown, Trial


def at_attempt(state: State, attempt: int) -> Trial:
    if state.trial is None:
        raise Refused("There is no test on.")
    if state.trial.ended:
        raise Refused("This test is over.")
    if attempt != state.trial.attempt:
        raise Refused(f"This is attempt {state.trial.attempt} of {state.trial.tries}.")
    return state.trial


def check_counted(state: State, trial: Trial) -> Counted:
    if trial.unrolled:
        names = " and ".join(state.who(hero) for hero in trial.unrolled)
        raise Refused(f"The attempt cannot be counted before {names} rolled.")
    return trial.count(2 if choice(state.table, TEST_DOUBLES) == "two" else 1)


def _begin(state: State, event: TestBegun) -> State:
    if state.stage != "chapter":
        raise Refused("Tests come with a card; turn one first.")
    if state.fight:
        raise Refused("First the fight, then the test.")
    heroes = tuple(state.hero(hero).id for hero in event.heroes)
    if not heroes:
        raise Refused("Nobody is there to be tested.")
    kind = cast("Kind", event.kind)
    trial = Trial(kind, trait(event.trait).id, heroes, event.needed, event.tries, event.cost)
    return replace(state, trial=trial)


def _roll(state: State, event: TestRolled) -> State:
    trial = at_attempt(state, event.attempt)
    hero = state.hero(event.hero, event.seat).id
    character(hero).side(event.face)
    if hero not in trial.heroes:
        raise Refused(f"The {character(hero).name} is not tested here.")
    before = trial.shown.get(hero)
    shown = Shown(event.face, event.real, (*before.before, before.face) if before else ())
    return replace(state, trial=replace(trial, shown={**trial.shown, hero: shown}))


def _count(state: State, event: AttemptCounted) -> State:
    trial = at_attempt(state, event.attempt)
    counted = check_counted(state, trial)
    ended = cast("Ended", event.ended)
    if counted != Counted(event.attempt, event.got, tuple(event.passed), dict(event.costs), ended):
        raise Refused(f"The dice of attempt {event.attempt} no longer say what was counted.")
    for hero, cost in counted.costs.items():
        state = state.with_health(hero, -cost)
    return replace(state, trial=trial.after(counted))


def _close(state: State, event: TestClosed) -> State:
    if state.trial is None:
        raise Refused("There is no test on.")
    return replace(state, trial=None)


FOLDS: dict[type[Event], Callable[[State, Any], State]] = {
    TestBegun: _begin,
    TestRolled: _roll,
    AttemptCounted: _count,
    TestClosed: _close,
}
