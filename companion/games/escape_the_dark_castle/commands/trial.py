"""The castle's tests: rolled or entered, counted attempt by attempt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.escape_the_dark_castle.box import trait as known_trait
from companion.games.escape_the_dark_castle.commands.chapters import going_on
from companion.games.escape_the_dark_castle.commands.fight import FaceNumber, Yes, cup
from companion.games.escape_the_dark_castle.events import AttemptCounted, TestBegun, TestClosed, TestRolled
from companion.games.escape_the_dark_castle.evolve.trial import at_attempt, check_counted
from companion.games.escape_the_dark_castle.state import State
from companion.tools.dice import roll, throw

EVERYONE, YOU, OTHERS = "everyone", "you", "others"
Few = Annotated[Count, Field(ge=1, le=20)]
Cost = Annotated[Count, Field(le=9)]
Attempt = Annotated[Count, Field(ge=1, le=99)]


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
    heroes = tested(state, who)
    if kind == "tries" and len(heroes) > 1:
        raise Refused("Several tries are for one character; for more of them choose “all together”.")
    if kind == "once":
        needed, tries = 1, 1
    yield TestBegun(kind, known_trait(trait).id, heroes, needed, tries, cost)


def tested(state: State, who: str) -> tuple[str, ...]:
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
    shown = at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id)
    if shown and again == "no":
        raise Refused(f"The {state.hero(hero).name} has rolled already in this attempt.")
    fallen = roll(context, cup(hero), quiet=True)
    yield TestRolled(seat, hero, attempt, fallen.results[0].face, again=shown is not None)
    yield fallen


def enter_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, face: FaceNumber
) -> Iterator[Event]:
    shown = at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id)
    die = state.hero(hero).character
    if shown and die.side(shown.face) == die.side(face):
        raise Refused("The die shows that already.")
    yield TestRolled(seat, hero, attempt, face, real=True, again=shown is not None)
    if not shown:
        yield throw(cup(hero), [face], context.phone, real=True, quiet=True)


def count_attempt(state: State, context: Context, attempt: Attempt) -> Iterator[Event]:
    done = check_counted(state, at_attempt(going_on(state), attempt))
    yield AttemptCounted(attempt, done.got, done.passed, done.costs, done.ended)


def close_test(state: State, context: Context) -> Iterator[Event]:
    going_on(state)
    yield TestClosed()


COMMANDS = (begin_test, roll_test, enter_test, count_attempt, close_test)
