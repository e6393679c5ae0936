"""The castle's tests: rolled or entered, counted attempt by attempt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.text import listed
from companion.games.escape_the_dark_castle import box, rounds
from companion.games.escape_the_dark_castle.castle import OfHero, Yes, going_on
from companion.games.escape_the_dark_castle.house_rules import TEST_DOUBLES
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.trial import Asked, Counted, Trial

EVERYONE, YOU, OTHERS = "everyone", "you", "others"
Few = Annotated[Count, Field(ge=1, le=20)]
Cost = Annotated[Count, Field(le=9)]
Attempt = Annotated[Count, Field(ge=1, le=99)]
Kind = Literal["once", "tries", "together"]


def _at_attempt(state: State, attempt: int) -> Trial:
    trial = state.trial
    if trial is None:
        raise Refused("There is no test on.")
    if trial.ended:
        raise Refused("This test is over.")
    if attempt != trial.attempt:
        raise Refused(f"This is attempt {trial.attempt} of {trial.tries}.")
    return trial


def double(state: State) -> int:
    """What a double counts in a test with several successes."""
    return 2 if TEST_DOUBLES.chosen(state.table) == "two" else 1


def _counted(state: State, attempt: int) -> Counted:
    trial = _at_attempt(state, attempt)
    if trial.unrolled:
        names = " and ".join(state.who(hero) for hero in trial.unrolled)
        raise Refused(f"The attempt cannot be counted before {names} rolled.")
    return trial.count(double(state))


# --- what happens ---


class TestBegun(Asked, Event[State]):
    __test__ = False  # for pytest

    def fold(self, state: State) -> State:
        if state.stage != "chapter":
            raise Refused("Tests come with a card; turn one first.")
        if state.fight:
            raise Refused("First the fight, then the test.")
        if not self.heroes:
            raise Refused("Nobody is there to be tested.")
        box.trait(self.trait)
        for hero in self.heroes:
            state.hero(hero)
        return replace(state, trial=Trial(**vars(self)))

    def log_text(self, state: State) -> str:
        names, what = (
            listed([f"the {box.character(hero).name}" for hero in self.heroes]),
            box.trait(self.trait),
        )
        if self.kind == "once":
            return f"a test of {what.name} for {names}, one attempt"
        how = "together" if self.kind == "together" else "alone"
        return f"a test for {names}, {how}: {self.needed} {what.name} in {self.tries} tries"


class TestRolled(OfHero, Event[State]):
    __test__ = False

    attempt: int
    face: int
    real: bool = False
    again: bool = False

    def fold(self, state: State) -> State:
        trial, hero = _at_attempt(state, self.attempt), state.hero(self.hero, self.seat)
        hero.character.side(self.face)
        if hero.id not in trial.heroes:
            raise Refused(f"The {hero.name} is not tested here.")
        return replace(state, trial=replace(trial, shown={**trial.shown, hero.id: self.face}))

    def log_text(self, state: State) -> str:
        return box.character(self.hero).rolled(self.face, self.real, self.again)


class AttemptCounted(Counted, Event[State]):
    def fold(self, state: State) -> State:
        trial, counted = _at_attempt(state, self.attempt), _counted(state, self.attempt)
        if vars(counted) != vars(self):
            raise Refused(f"The dice of attempt {self.attempt} no longer say what was counted.")
        for hero, cost in self.costs.items():
            state = state.with_health(hero, -cost)
        return replace(state, trial=trial.after(counted))

    def log_text(self, state: State) -> str:
        if self.ended == "mixed":
            outcome = f"passed by {listed([box.character(hero).name for hero in self.passed])} only"
        elif self.ended:
            outcome = f"the test is {self.ended}"
        else:
            got, needed = (state.trial.got, state.trial.needed) if state.trial else (self.got, 0)
            outcome = f"{got} of {needed} so far"
        costs = "".join(f", {box.character(hero).name} −{cost}" for hero, cost in self.costs.items())
        return f"attempt {self.attempt}: {self.got}, {outcome}{costs}{state.deaths(*self.costs)}"


class TestClosed(Event[State]):
    __test__ = False

    def fold(self, state: State) -> State:
        if state.trial is None:
            raise Refused("There is no test on.")
        return replace(state, trial=None)

    def log_text(self, state: State) -> str:
        return "the test is put away"


# --- what is tapped ---


def begin_test(
    state: State,
    context: Context,
    kind: Kind,
    trait: Choice,
    who: Choice,
    needed: Few = 1,
    tries: Few = 1,
    cost: Cost = 0,
) -> Iterator[Event]:
    if going_on(state).trial and not (state.trial and state.trial.ended):
        raise Refused("A test is on already; put it away first.")
    heroes = _tested(state, who)
    if kind == "tries" and len(heroes) > 1:
        raise Refused("Several tries are for one character; for more of them choose “all together”.")
    several = (1, 1) if kind == "once" else (needed, tries)
    yield TestBegun(kind, box.trait(trait).id, heroes, *several, cost)


def _tested(state: State, who: str) -> tuple[str, ...]:
    """Everyone, YOU, all but YOU, or one by name."""
    everyone = tuple(hero.id for hero in state.heroes)
    you = state.chapters[-1].you if state.chapters else ""
    if who == EVERYONE or (who == YOU and not you):
        return everyone
    if who == OTHERS:
        return tuple(hero for hero in everyone if hero != you)
    return (state.hero(you if who == YOU else who).id,)


def roll_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, again: Yes = "no"
) -> Iterator[Event]:
    """An item may let one roll again; it is still the same attempt."""
    shown = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id, 0)
    if shown and again == "no":
        raise Refused(f"The {state.hero(hero).name} has rolled already in this attempt.")
    yield from rounds.thrown(context, TestRolled, (seat, hero, attempt), shown)


def enter_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, face: rounds.FaceNumber
) -> Iterator[Event]:
    shown = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id, 0)
    yield from rounds.entered(context, TestRolled, (seat, hero, attempt), shown, face)


def count_attempt(state: State, context: Context, attempt: Attempt) -> Iterator[Event]:
    yield AttemptCounted(**vars(_counted(going_on(state), attempt)))


def close_test(state: State, context: Context) -> Iterator[Event]:
    going_on(state)
    yield TestClosed()
