"""The castle's tests: rolled or entered, counted attempt by attempt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, cast

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import character
from companion.games.escape_the_dark_castle.box import trait as known_trait
from companion.games.escape_the_dark_castle.castle import Yes, going_on
from companion.games.escape_the_dark_castle.house_rules import TEST_DOUBLES
from companion.games.escape_the_dark_castle.rounds import FaceNumber, cup
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.trial import Counted, Ended, Kind, Shown, Trial
from companion.tools.dice import roll, throw

EVERYONE, YOU, OTHERS = "everyone", "you", "others"
Few = Annotated[Count, Field(ge=1, le=20)]
Cost = Annotated[Count, Field(le=9)]
Attempt = Annotated[Count, Field(ge=1, le=99)]


def _on(state: State) -> Trial:
    if state.trial is None:
        raise Refused("There is no test on.")
    return state.trial


def _at_attempt(state: State, attempt: int) -> Trial:
    trial = _on(state)
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


@dataclass(frozen=True)
class TestBegun(Event[State]):
    __test__ = False  # for pytest

    kind: str
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0

    def fold(self, state: State) -> State:
        if state.stage != "chapter":
            raise Refused("Tests come with a card; turn one first.")
        if state.fight:
            raise Refused("First the fight, then the test.")
        heroes = tuple(state.hero(hero).id for hero in self.heroes)
        if not heroes:
            raise Refused("Nobody is there to be tested.")
        kind, trait = cast("Kind", self.kind), known_trait(self.trait).id
        return replace(state, trial=Trial(kind, trait, heroes, self.needed, self.tries, self.cost))

    def told(self, state: State) -> str:
        names = listed([f"the {character(hero).name}" for hero in self.heroes])
        what = known_trait(self.trait).name
        if self.kind == "once":
            return f"a test of {what} for {names}, one attempt"
        how = "together" if self.kind == "together" else "alone"
        return f"a test for {names}, {how}: {self.needed} {what} in {self.tries} tries"


@dataclass(frozen=True)
class TestRolled(Event[State]):
    __test__ = False

    seat: int
    hero: str
    attempt: int
    face: int
    real: bool = False
    again: bool = False

    def fold(self, state: State) -> State:
        trial, hero = _at_attempt(state, self.attempt), state.hero(self.hero, self.seat)
        hero.character.side(self.face)
        if hero.id not in trial.heroes:
            raise Refused(f"The {hero.name} is not tested here.")
        before = trial.shown.get(hero.id)
        shown = Shown(self.face, self.real, (*before.before, before.face) if before else ())
        return replace(state, trial=replace(trial, shown={**trial.shown, hero.id: shown}))

    def told(self, state: State) -> str:
        return character(self.hero).rolled(self.face, self.real, self.again)


@dataclass(frozen=True)
class AttemptCounted(Event[State]):
    attempt: int
    got: int
    passed: tuple[str, ...] = ()
    costs: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""

    def fold(self, state: State) -> State:
        trial, counted = _at_attempt(state, self.attempt), _counted(state, self.attempt)
        said = (self.attempt, self.got, tuple(self.passed), dict(self.costs), cast("Ended", self.ended))
        if counted != Counted(*said):
            raise Refused(f"The dice of attempt {self.attempt} no longer say what was counted.")
        for hero, cost in counted.costs.items():
            state = state.with_health(hero, -cost)
        return replace(state, trial=trial.after(counted))

    def told(self, state: State) -> str:
        if self.ended == "mixed":
            outcome = f"passed by {listed([character(hero).name for hero in self.passed])} only"
        elif self.ended:
            outcome = f"the test is {self.ended}"
        else:
            got, needed = (state.trial.got, state.trial.needed) if state.trial else (self.got, 0)
            outcome = f"{got} of {needed} so far"
        costs = "".join(f", {character(hero).name} −{cost}" for hero, cost in self.costs.items())
        return f"attempt {self.attempt}: {self.got}, {outcome}{costs}{state.deaths(*self.costs)}"


@dataclass(frozen=True)
class TestClosed(Event[State]):
    __test__ = False

    def fold(self, state: State) -> State:
        _on(state)
        return replace(state, trial=None)

    def told(self, state: State) -> str:
        return "the test is put away"


# --- what is tapped ---


def begin_test(
    state: State,
    context: Context,
    kind: Literal["once", "tries", "together"],
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
    if kind == "once":
        needed, tries = 1, 1
    yield TestBegun(kind, known_trait(trait).id, heroes, needed, tries, cost)


def _tested(state: State, who: str) -> tuple[str, ...]:
    """Everyone, YOU, all but YOU, or one by name."""
    everyone = tuple(hero.id for hero in state.heroes)
    you = state.chapters[-1].you if state.chapters else ""
    if who == EVERYONE:
        return everyone
    if who == YOU:
        return (state.hero(you).id,) if you else everyone
    if who == OTHERS:
        return tuple(hero for hero in everyone if hero != you)
    return (state.hero(who).id,)


def roll_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, again: Yes = "no"
) -> Iterator[Event]:
    """An item may let one roll again; it is still the same attempt."""
    shown = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id)
    if shown and again == "no":
        raise Refused(f"The {state.hero(hero).name} has rolled already in this attempt.")
    fallen = roll(context, cup(hero), quiet=True)
    yield TestRolled(seat, hero, attempt, fallen.results[0].face, again=shown is not None)
    yield fallen


def enter_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, face: FaceNumber
) -> Iterator[Event]:
    shown = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id)
    die = state.hero(hero).character
    if shown and die.side(shown.face) == die.side(face):
        raise Refused("The die shows that already.")
    yield TestRolled(seat, hero, attempt, face, real=True, again=shown is not None)
    if not shown:
        yield throw(cup(hero), [face], context.phone, real=True, quiet=True)


def count_attempt(state: State, context: Context, attempt: Attempt) -> Iterator[Event]:
    done = _counted(going_on(state), attempt)
    yield AttemptCounted(attempt, done.got, done.passed, done.costs, done.ended)


def close_test(state: State, context: Context) -> Iterator[Event]:
    going_on(state)
    yield TestClosed()
