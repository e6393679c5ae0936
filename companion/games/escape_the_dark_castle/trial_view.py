"""A test as everybody sees it."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Seat, Tap
from companion.core.pieces import Bar, Grid, Note, Panel, Picker, Piece, Tone, Track
from companion.core.text import capital, listed
from companion.games.escape_the_dark_castle.box import trait
from companion.games.escape_the_dark_castle.fight_view import Turn, die_row, enter_all, faces, still_to_roll
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.testing import double
from companion.games.escape_the_dark_castle.trial import Trial


def trial_board(state: State, trial: Trial) -> tuple[Piece, ...]:
    what = trait(trial.trait)
    title = what.name if trial.kind == "once" else f"{trial.needed} {what.name}"
    about = Panel("castle-trial", tuple(_about(state, trial)), title, mark=what.id)
    if trial.ended:
        return about, Bar("trial-taps", (Tap("Put the test away", Do("close_test")),))
    turn = Turn("attempt", trial.attempt, "roll_test", "enter_test")
    heroes = [(hero := state.hero(id), state.table.seat(hero.seat)) for id in trial.heroes]
    again = tuple(
        Tap(seat.name, Do("roll_test", turn.of(hero, again="yes")), seat=seat)
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
        tones: dict[str, Tone] = {"passed": "good", "failed": "bad"}
        mark = {"passed": "check", "failed": "close"}.get(trial.ended, "")
        yield Note("outcome", _outcome(state, trial), tones.get(trial.ended, ""), mark)


def _row(state: State, trial: Trial, hero: Hero, seat: Seat, turn: Turn) -> Bar:
    fear = "would die of it" if 0 < hero.health <= trial.cost else ""
    return die_row(hero, seat, state.cap, trial.side(hero.id), _words(state, trial, hero), fear, turn)


def _words(state: State, trial: Trial, hero: Hero) -> str:
    if trial.side(hero.id) is None:
        chance = sum(side.trait == trial.trait for side in hero.character.sides)
        return f"{trait(trial.trait).name} {hero.character.value(trial.trait)}, {chance} of 6 faces"
    if trial.kind == "once":
        return "passes" if trial.worth(hero.id, 1) else "fails"
    worth = trial.worth(hero.id, double(state))
    return f"{worth} success{'es' if worth != 1 else ''}"


def count_tap(state: State, trial: Trial) -> Tap:
    label = "Count it" if trial.kind == "once" else f"Count attempt {trial.attempt} of {trial.tries}"
    do = Do("count_attempt", {"attempt": trial.attempt})
    if trial.unrolled:
        return Tap(label, do, why_not=still_to_roll(state, trial.unrolled), id="count")
    return Tap(label, do, _preview(state, trial), strong=True, id="count")


def _preview(state: State, trial: Trial) -> str:
    """What the button would do."""
    done = trial.count(double(state))
    costs = f" {trial.cost} health lost{' each' if len(done.costs) > 1 else ''}." if done.costs else ""
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in done.passed])
        words = f"{passed} {'passes' if len(done.passed) == 1 else 'pass'}." if passed else "Nobody passes."
        return f"{capital(words)}{costs}"
    ending = {"passed": ": passed.", "failed": ", and no try is left: failed.", "": " so far."}
    return f"{trial.got + done.got} of {trial.needed}{ending[str(done.ended)]}{costs}"


def _outcome(state: State, trial: Trial) -> str:
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in trial.passed])
        failed = listed([state.who(hero) for hero in trial.heroes if hero not in trial.passed])
        words = "; ".join([f"passed: {passed}"] * bool(passed) + [f"failed: {failed}"] * bool(failed))
        return f"{capital(words)}."
    number = len(trial.history)
    tries = f"{number} {'try' if number == 1 else 'tries'}"
    return f"{capital(trial.ended)}: {trial.got} of {trial.needed} in {tries}."
