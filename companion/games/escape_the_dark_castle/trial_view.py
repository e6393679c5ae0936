"""A test as everybody sees it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Button, Do
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import Trait, trait
from companion.games.escape_the_dark_castle.fight_view import DieRow, faces
from companion.games.escape_the_dark_castle.house_rules import TEST_DOUBLES, choice
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.trial import Kind, Trial


@dataclass(frozen=True)
class TrialView:
    kind: Kind
    title: str
    trait: Trait
    needed: int
    tries: int
    attempt: int
    got: int
    history: tuple[int, ...]
    cost: int
    rows: tuple[DieRow, ...]
    ended: str
    outcome: str
    preview: str


def trial_view(state: State, trial: Trial) -> TrialView:
    what = trait(trial.trait)
    return TrialView(
        kind=trial.kind,
        title=what.name if trial.kind == "once" else f"{trial.needed} {what.name}",
        trait=what,
        needed=trial.needed,
        tries=trial.tries,
        attempt=trial.attempt,
        got=trial.got,
        history=trial.history,
        cost=trial.cost,
        rows=tuple(_row(state, trial, state.hero(hero)) for hero in trial.heroes),
        ended=trial.ended,
        outcome=_outcome(state, trial),
        preview=_preview(state, trial),
    )


def _row(state: State, trial: Trial, hero: Hero) -> DieRow:
    args: dict[str, str | int] = {"seat": hero.seat, "hero": hero.id, "attempt": trial.attempt}
    shown = trial.shown.get(hero.id)
    return DieRow(
        hero=hero,
        seat=state.table.seat(hero.seat),
        cap=state.cap,
        part="fight",
        side=trial.side(hero.id),
        real=bool(shown and shown.real),
        throws=len(shown.before) + 1 if shown else 0,
        earlier=tuple(hero.character.side(face) for face in shown.before) if shown else (),
        words=_words(state, trial, hero),
        warning="would die of it" if not trial.ended and 0 < hero.health <= trial.cost else "",
        roll=Do("roll_test", args),
        again=Do("roll_test", {**args, "again": "yes"}),
        faces=faces(hero, shown.face if shown else 0, "enter_test", args),
    )


def _words(state: State, trial: Trial, hero: Hero) -> str:
    value = hero.character.value(trial.trait)
    chance = sum(side.trait == trial.trait for side in hero.character.sides)
    if trial.side(hero.id) is None:
        return f"{trait(trial.trait).name} {value}, {chance} of 6 faces"
    double = 2 if choice(state.table, TEST_DOUBLES) == "two" else 1
    worth = trial.worth(hero.id, 1 if trial.kind == "once" else double)
    if trial.kind == "once":
        return "passes" if worth else "fails"
    return f"{worth} success{'es' if worth != 1 else ''}"


def _preview(state: State, trial: Trial) -> str:
    if trial.ended:
        return ""
    if trial.unrolled:
        names = listed([state.who(hero) for hero in trial.unrolled])
        many = len(trial.unrolled)
        return f"Still to roll: {names}." if many < 3 else f"{many} still to roll."
    done = trial.count(2 if choice(state.table, TEST_DOUBLES) == "two" else 1)
    costs = f" {trial.cost} health lost{' each' if len(done.costs) > 1 else ''}." if done.costs else ""
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in done.passed])
        words = f"{passed} {'passes' if len(done.passed) == 1 else 'pass'}." if passed else "Nobody passes."
        return f"{words[:1].upper()}{words[1:]}{costs}"
    total = f"{trial.got + done.got} of {trial.needed}"
    ending = {"passed": ": passed.", "failed": ", and no try is left: failed.", "": " so far."}
    return f"{total}{ending[str(done.ended)]}{costs}"


def _outcome(state: State, trial: Trial) -> str:
    if not trial.ended:
        return ""
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in trial.passed])
        failed = listed([state.who(hero) for hero in trial.heroes if hero not in trial.passed])
        words = "; ".join([f"passed: {passed}"] * bool(passed) + [f"failed: {failed}"] * bool(failed))
        return f"{words[:1].upper()}{words[1:]}."
    how = "Passed" if trial.ended == "passed" else "Failed"
    tries = f"{len(trial.history)} {'try' if len(trial.history) == 1 else 'tries'}"
    return f"{how}: {trial.got} of {trial.needed} in {tries}."


def count_button(trial: Trial) -> Button:
    label = "Count it" if trial.kind == "once" else f"Count attempt {trial.attempt} of {trial.tries}"
    return Button(label, Do("count_attempt", {"attempt": trial.attempt}), strong=not trial.unrolled)
