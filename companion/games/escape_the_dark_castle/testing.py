"""The castle's tests: rolled or entered, counted attempt by attempt, and as everybody sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from companion import core
from companion.core import Choice, Context, Count, Do, Event, Events, Refused, SeatId, Tap, YesOrNo, refuse_if
from companion.core.game import load
from companion.core.pieces import Bar, Grid, Note, Panel, Picker, Piece, Tone, Track, Tray
from companion.core.text import capital, counted, listed
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.combat import Asked, Counted, Trial
from companion.games.escape_the_dark_castle.fight import Face, shown
from companion.games.escape_the_dark_castle.fight_view import Led, Turn, die_row, enter_all, faces, to_roll
from companion.games.escape_the_dark_castle.state import OfHero, State

Few = Annotated[Count, Field(ge=1, le=20)]
Cost = Annotated[Count, Field(le=9)]
Try = Annotated[Count, Field(ge=1, le=99)]


@dataclass(frozen=True)
class Kind:
    """Of test, as the sheet that begins it asks for it."""

    id: str
    title: str
    who: str
    groups: tuple[str, ...]
    numbers: tuple[tuple[str, str, str], ...]  # argument, label, what is usual


KINDS = load(__package__, "tests.toml", Kind)
GROUPS = {"you": "YOU, who turned the card", "everyone": "everyone", "others": "everyone but YOU"}
TRAITS = tuple((each.id, each.name) for each in box.TRAITS)
WHICH = tuple(Tap(each.title, opens=f"test-{each.id}") for each in KINDS)
ASKS = "What does the card ask for: one roll each, so many successes in so many tries, or all together?"
WHICH_TEST = Tray("tests", "A test of the castle", (Picker("tests-kinds", WHICH, columns=3),), text=ASKS)


def _at_attempt(state: State, attempt: int) -> Trial:
    trial = state.trial
    if trial is None:
        raise Refused("There is no test on.")
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


class TestBegun(Asked, Event[State]):
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


class TestClosed(Event[State], tap="close_test"):
    says = "the test is put away"

    def fold(self, state: State) -> State:
        refuse_if(not state.trial, "There is no test on.")
        return replace(state, trial=None)


def begin_test(
    state: State,
    context: Context,
    kind: Literal["once", "tries", "together"],
    trait: Choice,
    who: Choice,
    needed: Few = 1,
    tries: Few = 1,
    cost: Cost = 0,
) -> Events:
    """For everyone, YOU, all but YOU, or one by name."""
    refuse_if(state.trial and not state.trial.ended, "A test is on already; put it away first.")
    everyone, you = tuple(hero.id for hero in state.heroes), state.chapters[-1].you if state.chapters else ""
    others = tuple(hero for hero in everyone if hero != you)
    groups = {"everyone": everyone, "others": others, "you": (you,) if you else everyone}
    heroes = groups[who] if who in groups else (state.hero(who).id,)
    many = "Several tries are for one character; for more of them choose “all together”."
    refuse_if(kind == "tries" and len(heroes) > 1, many)
    several = (1, 1) if kind == "once" else (needed, tries)
    yield TestBegun(kind, box.trait(trait).id, heroes, *several, cost)


def roll_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Try, again: YesOrNo = "no"
) -> Events:
    before = _at_attempt(state, attempt).shown.get(state.hero(hero, seat).id, 0)
    yield from shown(context, TestRolled, (seat, hero, attempt), before, again=again)


def enter_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Try, face: Face
) -> Events:
    before = _at_attempt(state, attempt).shown.get(state.hero(hero, seat).id, 0)
    yield from shown(context, TestRolled, (seat, hero, attempt), before, face)


def count_attempt(state: State, context: Context, attempt: Try) -> Events:
    yield AttemptCounted(**vars(_counted(state, attempt)))


# --- what is seen ---


def test_forms(state: State) -> Iterator[core.Form]:
    """One for each kind of test that a card may ask for."""
    heroes = [(hero.id, f"{state.named(hero.id)} only") for hero in state.heroes]
    for each in KINDS:
        groups = tuple(who for id in each.groups for who in (heroes if id == "one" else [(id, GROUPS[id])]))
        fields = (
            core.Field("trait", "Which trait", "might", "choice", TRAITS),
            core.Field("who", each.who, each.groups[0], "choice", groups),
            *(core.Field(*number, "number") for number in each.numbers),
        )
        do = Do("begin_test", {"kind": each.id})
        yield core.Form(f"test-{each.id}", each.title, do, fields, "Begin the test", listed=False)


def trial_board(state: State, trial: Trial) -> tuple[Piece, ...]:
    what = box.trait(trial.trait)
    title = what.name if trial.kind == "once" else f"{trial.needed} {what.name}"
    about = Panel("castle-trial", tuple(_about(state, trial)), title, mark=what.id)
    if trial.ended:
        return about, Bar("trial-taps", (Tap("Put the test away", Do("close_test")),))
    turn = Turn("attempt", trial.attempt, "roll_test", "enter_test")
    led = [(hero := state.hero(id), state.table.seat(hero.seat)) for id in trial.heroes]
    entered = [faces(each, trial.side(each[0].id), turn) for each in led]
    rolled = [each for each in led if each[0].id in trial.shown]
    again = tuple(Tap(seat.name, turn.do(hero, turn.roll, again="yes"), seat=seat) for hero, seat in rolled)
    more = [Picker("enter-more", again, "Roll again, an item says so", columns=2)] if again else []
    return (
        about,
        Grid("castle-rows", tuple(_row(state, trial, each, turn) for each in led), 1),
        Bar("trial-taps", (Tap("Enter for all", opens="enter"), Tap("No test after all", Do("close_test")))),
        enter_all([*entered, *more]),
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
        tries = counted(len(trial.history), "try/tries")
        words = f"{trial.ended}: {trial.got} of {trial.needed} in {tries}"
        if trial.kind == "once":
            passed = listed([state.who(hero) for hero in trial.passed])
            failed = listed([state.who(hero) for hero in trial.heroes if hero not in trial.passed])
            words = "; ".join([f"passed: {passed}"] * bool(passed) + [f"failed: {failed}"] * bool(failed))
        looks: dict[str, tuple[Tone, str]] = {"passed": ("good", "check"), "failed": ("bad", "close")}
        yield Note("outcome", f"{capital(words)}.", *looks.get(trial.ended, ()))


def _row(state: State, trial: Trial, led: Led, turn: Turn) -> Bar:
    hero, _ = led
    side, worth = trial.side(hero.id), trial.worth(hero.id, _double(state))
    if side is None:
        chance = sum(each.trait == trial.trait for each in hero.character.sides)
        words = f"{box.trait(trial.trait).name} {hero.character.value(trial.trait)}, {chance} of 6 faces"
    elif trial.kind == "once":
        words = "passes" if worth else "fails"
    else:
        words = f"{worth} success{'es' if worth != 1 else ''}"
    fear = "would die of it" if 0 < hero.health <= trial.cost else ""
    return die_row(led, state.cap, side, (words, fear), turn)


def count_tap(state: State, trial: Trial) -> Tap:
    label = "Count it" if trial.kind == "once" else f"Count attempt {trial.attempt} of {trial.tries}"
    done = trial.count(_double(state))
    passed = listed([state.who(hero) for hero in done.passed])
    words = f"{passed} {'passes' if len(done.passed) == 1 else 'pass'}." if passed else "Nobody passes."
    if trial.kind != "once":
        ending = {"passed": ": passed.", "failed": ", and no try is left: failed.", "": " so far."}
        words = f"{trial.got + done.got} of {trial.needed}{ending[done.ended]}"
    costs = f" {trial.cost} health lost{' each' if len(done.costs) > 1 else ''}." if done.costs else ""
    do, why_not = Do("count_attempt", {"attempt": trial.attempt}), to_roll(state, trial.unrolled)
    return Tap(label, do, "" if why_not else capital(words) + costs, not why_not, why_not=why_not, id="count")
