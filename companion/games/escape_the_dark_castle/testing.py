"""The castle's tests: rolled or entered, and counted attempt by attempt."""

from typing import Annotated, Literal

from companion.core import Bounds, Choice, Context, Count, Event, Events, SeatId, YesOrNo, refuse_if, there
from companion.core.fixed import replace
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.fight import Thrown, shown
from companion.games.escape_the_dark_castle.state import OfHero, State
from companion.games.escape_the_dark_castle.throws import Counted, Demand, Trial

Few = Annotated[Count, Bounds(ge=1, le=20)]
Cost = Annotated[Count, Bounds(le=9)]
Try = Annotated[Count, Bounds(ge=1, le=99)]


def _at_attempt(state: State, attempt: int) -> Trial:
    trial = there(state.trial, "There is no test on.")
    refuse_if(trial.ended, "This test is over.")
    refuse_if(attempt != trial.attempt, f"This is attempt {trial.attempt} of {trial.tries}.")
    return trial


def double(state: State) -> int:
    """What a double counts in a test with several successes."""
    return 2 if box.TEST_DOUBLES.chosen(state.table) == "two" else 1


def _counted(state: State, attempt: int) -> Counted:
    trial = _at_attempt(state, attempt)
    names = " and ".join(state.who(hero) for hero in trial.unrolled)
    refuse_if(names, f"The attempt cannot be counted before {names} rolled.")
    return trial.count(double(state))


class TestBegun(Demand, Event[State]):
    def tells_cost(self, state: State) -> bool:
        """What it costs; evenings of earlier days are logged as they were."""
        return self.cost > 0 and state.edition > 1

    def fold(self, state: State) -> State:
        refuse_if(state.stage != "chapter", "Tests come with a card; turn one first.")
        refuse_if(state.fight, "First the fight, then the test.")
        refuse_if(not self.heroes, "Nobody is there to be tested.")
        box.trait(self.trait)
        tested = [state.hero(hero).id for hero in self.heroes]
        lies = state.trial.shown if state.trial and not state.trial.ended else {}
        shown = {hero: face for hero, face in lies.items() if hero in tested}
        return replace(state, trial=Trial(**vars(self), shown=shown)).geared()


class TestRolled(OfHero, Event[State]):
    attempt: int
    face: int
    real: bool = False
    again: bool = False

    def fold(self, state: State) -> State:
        trial, hero = _at_attempt(state, self.attempt), state.hero(self.hero, self.seat)
        hero.character.side(self.face)
        refuse_if(hero.id not in trial.heroes, f"The {hero.name} is not tested here.")
        real = [each for each in trial.real if each != hero.id] + [hero.id] * self.real
        shown = {**trial.shown, hero.id: self.face}
        return replace(state, trial=replace(trial, shown=shown, real=tuple(real)))

    def log_text(self, state: State) -> str:
        return box.character(self.hero).rolled(self.face, self.real, self.again)


class TestEased(OfHero, Event[State]):
    """By an item: it counts as the trait, or it spares its owner what the attempt costs."""

    attempt: int
    how: str  # helped, spared

    def fold(self, state: State) -> State:
        trial, hero = _at_attempt(state, self.attempt), state.hero(self.hero, self.seat)
        if self.how == "helped":
            return replace(state, trial=replace(trial, helped=(*trial.helped, hero.id)))
        return replace(state, trial=replace(trial, spared=(*trial.spared, hero.id)))


class AttemptCounted(Counted, Event[State]):
    def fold(self, state: State) -> State:
        trial, counted = _at_attempt(state, self.attempt), _counted(state, self.attempt)
        moved = f"The dice of attempt {self.attempt} no longer say what was counted."
        refuse_if(vars(counted) != vars(self), moved)
        return replace(state.hurt(self.costs), trial=trial.after(counted))


class TestClosed(Event[State], tap="close_test"):
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
    failed_only: YesOrNo = "no",
    anew: YesOrNo = "no",
) -> Events:
    """For everyone, YOU, all but YOU, or one by name. `anew` changes the one that is on, before it counts."""
    on = state.trial if state.trial and not state.trial.ended else None
    refuse_if(on and anew == "no", "A test is on already; put it away first.")
    refuse_if(on and on.history, "An attempt is counted already; what the card asks for stands.")
    heroes = state.groups[who] if who in state.groups else (state.hero(who).id,)
    many = "Several tries are for one character; for more of them choose “all together”."
    refuse_if(kind == "tries" and len(heroes) > 1, many)
    several = (1, 1) if kind == "once" else (needed, tries)
    yield TestBegun(kind, box.trait(trait).id, heroes, *several, cost, failed_only == "yes")


def roll_test(
    state: State, context: Context, seat: SeatId, hero: Choice, attempt: Try, now: Thrown
) -> Events:
    trial, where = _at_attempt(state, attempt), (seat, state.hero(hero, seat).id, attempt)
    yield from shown(context, TestRolled, where, trial.shown.get(hero, 0), hero in trial.real, now)


def count_attempt(state: State, context: Context, attempt: Try) -> Events:
    yield AttemptCounted(**vars(_counted(state, attempt)))
