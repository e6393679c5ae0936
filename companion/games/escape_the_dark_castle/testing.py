"""The castle's tests: rolled or entered, counted attempt by attempt, and as everybody sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion import core
from companion.core import Choice, Context, Count, Do, Event, Form, Refused, Seat, SeatId, Tap, refuse_if
from companion.core.pieces import Bar, Grid, Note, Panel, Picker, Piece, Tone, Track, Tray
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle import box, rounds
from companion.games.escape_the_dark_castle.castle import Yes, going_on
from companion.games.escape_the_dark_castle.fight_view import Turn, die_row, enter_all, faces, still_to_roll
from companion.games.escape_the_dark_castle.state import Events, Hero, OfHero, State
from companion.games.escape_the_dark_castle.trial import Asked, Counted, Trial

EVERYONE, YOU, OTHERS = "everyone", "you", "others"
Few = Annotated[Count, Field(ge=1, le=20)]
Cost = Annotated[Count, Field(le=9)]
Attempt = Annotated[Count, Field(ge=1, le=99)]
Kind = Literal["once", "tries", "together"]
KINDS: dict[Kind, str] = {"once": "One attempt", "tries": "Several tries", "together": "All together"}
TRAITS = tuple((each.id, each.name) for each in box.TRAITS)
WHICH = tuple(Tap(title, opens=f"test-{kind}") for kind, title in KINDS.items())
ASKS = "What does the card ask for: one roll each, so many successes in so many tries, or all together?"
WHICH_TEST = Tray("tests", "A test of the castle", (Picker("tests-kinds", WHICH, columns=3),), text=ASKS)


def _on(state: State) -> Trial:
    if state.trial is None:
        raise Refused("There is no test on.")
    return state.trial


def _at_attempt(state: State, attempt: int) -> Trial:
    trial = _on(state)
    refuse_if(trial.ended, "This test is over.")
    refuse_if(attempt != trial.attempt, f"This is attempt {trial.attempt} of {trial.tries}.")
    return trial


def _double(state: State) -> int:
    """What a double counts in a test with several successes."""
    return 2 if box.TEST_DOUBLES.chosen(state.table) == "two" else 1


def _counted(state: State, attempt: int) -> Counted:
    trial = _at_attempt(state, attempt)
    names = " and ".join(state.who(hero) for hero in trial.unrolled)
    refuse_if(names, f"The attempt cannot be counted before {names} rolled.")
    return trial.count(_double(state))


# --- what happens ---


class TestBegun(Asked, Event[State]):
    __test__ = False  # for pytest

    def fold(self, state: State) -> State:
        refuse_if(state.stage != "chapter", "Tests come with a card; turn one first.")
        refuse_if(state.fight, "First the fight, then the test.")
        refuse_if(not self.heroes, "Nobody is there to be tested.")
        box.trait(self.trait)
        for hero in self.heroes:
            state.hero(hero)
        return replace(state, trial=Trial(**vars(self)))

    def log_text(self, state: State) -> str:
        names = listed([f"the {box.character(hero).name}" for hero in self.heroes])
        what, how = box.trait(self.trait).name, "together" if self.kind == "together" else "alone"
        if self.kind == "once":
            return f"a test of {what} for {names}, one attempt"
        return f"a test for {names}, {how}: {self.needed} {what} in {self.tries} tries"


class TestRolled(OfHero, Event[State]):
    __test__ = False

    attempt: int
    face: int
    real: bool = False
    again: bool = False

    def fold(self, state: State) -> State:
        trial, hero = _at_attempt(state, self.attempt), state.hero(self.hero, self.seat)
        hero.character.side(self.face)
        refuse_if(hero.id not in trial.heroes, f"The {hero.name} is not tested here.")
        return replace(state, trial=replace(trial, shown={**trial.shown, hero.id: self.face}))

    def log_text(self, state: State) -> str:
        return box.character(self.hero).rolled(self.face, self.real, self.again)


class AttemptCounted(Counted, Event[State]):
    def fold(self, state: State) -> State:
        trial, counted = _at_attempt(state, self.attempt), _counted(state, self.attempt)
        moved = f"The dice of attempt {self.attempt} no longer say what was counted."
        refuse_if(vars(counted) != vars(self), moved)
        return replace(state.hurt(self.costs), trial=trial.after(counted))

    def log_text(self, state: State) -> str:
        passed = f"passed by {listed([box.character(hero).name for hero in self.passed])} only"
        so_far = f"{state.trial.got} of {state.trial.needed} so far" if state.trial else ""
        outcome = {"mixed": passed, "": so_far}.get(self.ended, f"the test is {self.ended}")
        costs = "".join(f", {box.character(hero).name} −{cost}" for hero, cost in self.costs.items())
        return f"attempt {self.attempt}: {self.got}, {outcome}{costs}{state.deaths(*self.costs)}"


class TestClosed(Event[State]):
    __test__ = False
    says = "the test is put away"

    def fold(self, state: State) -> State:
        _on(state)
        return replace(state, trial=None)


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
) -> Events:
    trial = going_on(state).trial
    refuse_if(trial and not trial.ended, "A test is on already; put it away first.")
    heroes = _tested(state, who)
    many = "Several tries are for one character; for more of them choose “all together”."
    refuse_if(kind == "tries" and len(heroes) > 1, many)
    several = (1, 1) if kind == "once" else (needed, tries)
    yield TestBegun(kind, box.trait(trait).id, heroes, *several, cost)


def _tested(state: State, who: str) -> tuple[str, ...]:
    """Everyone, YOU, all but YOU, or one by name."""
    everyone = tuple(hero.id for hero in state.heroes)
    you = state.chapters[-1].you if state.chapters else ""
    others = tuple(hero for hero in everyone if hero != you)
    groups = {EVERYONE: everyone, OTHERS: others, YOU: (you,) if you else everyone}
    return groups[who] if who in groups else (state.hero(who).id,)


def roll_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, again: Yes = "no"
) -> Events:
    """An item may let one roll again; it is still the same attempt."""
    before = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id, 0)
    twice = f"The {state.hero(hero).name} has rolled already in this attempt."
    refuse_if(before and again == "no", twice)
    yield from rounds.shown(context, TestRolled, (seat, hero, attempt), before)


def enter_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Attempt, face: rounds.FaceNumber
) -> Events:
    before = _at_attempt(going_on(state), attempt).shown.get(state.hero(hero, seat).id, 0)
    yield from rounds.shown(context, TestRolled, (seat, hero, attempt), before, face)


def count_attempt(state: State, context: Context, attempt: Attempt) -> Events:
    yield AttemptCounted(**vars(_counted(going_on(state), attempt)))


def close_test(state: State, context: Context) -> Events:
    going_on(state)
    yield TestClosed()


# --- what is seen ---


def test_forms(state: State) -> Iterator[Form]:
    """One for each kind of test that a card may ask for."""
    trait = core.Field("trait", "Which trait", "might", "choice", TRAITS)
    heroes = tuple((hero.id, f"{state.named(hero.id)} only") for hero in state.heroes)
    you, us = (YOU, "YOU, who turned the card"), ((EVERYONE, "everyone"), (OTHERS, "everyone but YOU"))
    who = {
        "once": ("Who rolls, each for themselves", YOU, "choice", (you, *us, *heroes)),
        "tries": ("Who tries", YOU, "choice", (you, *heroes)),
        "together": ("Who rolls together", EVERYONE, "choice", us),
    }
    tries, fails = ("tries", "In how many tries"), ("cost", "Health it costs when it fails", 0)
    short = ("cost", "Health each, for a try that falls short", 1)
    numbers = {
        "once": (fails,),
        "tries": (("needed", "Successes needed", 3), (*tries, 5), fails),
        "together": (("needed", "Successes needed in all", len(state.party)), (*tries, 3), short),
    }
    for kind, title in KINDS.items():
        asked = (core.Field(name, label, str(n), "number") for name, label, n in numbers[kind])
        fields = (trait, core.Field("who", *who[kind]), *asked)
        do = Do("begin_test", {"kind": kind})
        yield Form(f"test-{kind}", title, do, fields, "Begin the test", listed=False)


def trial_board(state: State, trial: Trial) -> tuple[Piece, ...]:
    what = box.trait(trial.trait)
    title = what.name if trial.kind == "once" else f"{trial.needed} {what.name}"
    about = Panel("castle-trial", tuple(_about(state, trial)), title, mark=what.id)
    if trial.ended:
        return about, Bar("trial-taps", (Tap("Put the test away", Do("close_test")),))
    turn = Turn("attempt", trial.attempt, "roll_test", "enter_test")
    heroes = [(hero := state.hero(id), state.table.seat(hero.seat)) for id in trial.heroes]
    again = tuple(
        Tap(seat.name, turn.do(hero, "roll_test", again="yes"), seat=seat)
        for hero, seat in heroes
        if hero.id in trial.shown
    )
    more = [Picker("enter-more", again, "Roll again, an item says so", columns=2)] if again else []
    return (
        about,
        Grid("castle-rows", tuple(_row(state, trial, *each, turn) for each in heroes), 1),
        Bar("trial-taps", (Tap("Enter for all", opens="enter"), Tap("No test after all", Do("close_test")))),
        enter_all([faces(*each, trial.side(each[0].id), turn) for each in heroes], *more),
    )


def _about(state: State, trial: Trial) -> Iterator[Piece]:
    if trial.kind != "once":
        yield Track("trial-got", "successes", trial.got, trial.needed)
        so_far = f"so far {', '.join(map(str, trial.history))}" if trial.history else ""
        yield Track("trial-tries", "tries", len(trial.history), trial.tries, note=so_far)
    if trial.cost:
        each = " each" if len(trial.heroes) > 1 else ""
        yield Note("trial-cost", f"A try that falls short costs {trial.cost} health{each}.")
    if trial.ended:
        looks: dict[str, tuple[Tone, str]] = {"passed": ("good", "check"), "failed": ("bad", "close")}
        yield Note("outcome", _outcome(state, trial), *looks.get(trial.ended, ()))


def _row(state: State, trial: Trial, hero: Hero, seat: Seat, turn: Turn) -> Bar:
    side, worth = trial.side(hero.id), trial.worth(hero.id, _double(state))
    if side is None:
        chance = sum(each.trait == trial.trait for each in hero.character.sides)
        words = f"{box.trait(trial.trait).name} {hero.character.value(trial.trait)}, {chance} of 6 faces"
    elif trial.kind == "once":
        words = "passes" if worth else "fails"
    else:
        words = f"{worth} success{'es' if worth != 1 else ''}"
    fear = "would die of it" if 0 < hero.health <= trial.cost else ""
    return die_row(hero, seat, state.cap, side, (words, fear), turn)


def count_tap(state: State, trial: Trial) -> Tap:
    """What the button would do stands on it."""
    label = "Count it" if trial.kind == "once" else f"Count attempt {trial.attempt} of {trial.tries}"
    do = Do("count_attempt", {"attempt": trial.attempt})
    if trial.unrolled:
        return Tap(label, do, why_not=still_to_roll(state, trial.unrolled), id="count")
    done = trial.count(_double(state))
    passed = listed([state.who(hero) for hero in done.passed])
    words = f"{passed} {'passes' if len(done.passed) == 1 else 'pass'}." if passed else "Nobody passes."
    if trial.kind != "once":
        ending = {"passed": ": passed.", "failed": ", and no try is left: failed.", "": " so far."}
        words = f"{trial.got + done.got} of {trial.needed}{ending[done.ended]}"
    costs = f" {trial.cost} health lost{' each' if len(done.costs) > 1 else ''}." if done.costs else ""
    return Tap(label, do, capital(words) + costs, strong=True, id="count")


def _outcome(state: State, trial: Trial) -> str:
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in trial.passed])
        failed = listed([state.who(hero) for hero in trial.heroes if hero not in trial.passed])
        words = "; ".join([f"passed: {passed}"] * bool(passed) + [f"failed: {failed}"] * bool(failed))
        return f"{capital(words)}."
    number = len(trial.history)
    tries = f"{number} {'try' if number == 1 else 'tries'}"
    return f"{capital(trial.ended)}: {trial.got} of {trial.needed} in {tries}."
