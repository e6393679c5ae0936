"""A test as everybody sees it: what the card asks for, a row for each who rolls, and the odds of passing."""

from collections.abc import Iterator

from companion.core import capital, counted, listed, load, picks, stepper
from companion.core.pieces import Bar, Chips, Do, Grid, Note, Panel, Picker, Piece, Tap, Tone, Track, Tray
from companion.games.escape_the_dark_castle import box, testing
from companion.games.escape_the_dark_castle import fight_view as rows
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.throws import Trial
from companion.tools.pools import per_cent

Args = dict[str, str | int]
KINDS = load(__package__, "tests.toml", dict)  # of test, and what is usual for it
TRAITS = {each.id: each.name for each in box.TRAITS}
AWAY = Tap("No test after all", Do("close_test"))


def which_test(state: State) -> Tray:
    """A symbol for each trait, by who rolls: one tap begins it."""
    kinds = []
    whose = {"you": f"{state.who(state.you)}, YOU", "everyone": "everyone", "others": "everyone but YOU"}
    for kind in KINDS:
        usual: Args = {**kind["usual"], "needed": kind["usual"]["needed"] or len(state.party)}
        for who in kind["groups"]:
            do = Do("begin_test", {"kind": kind["id"], "who": who, **usual})
            taps, title = picks(do, "trait", TRAITS, marked=True), f"{kind['title']}: {whose[who]}"
            kinds.append(Picker(f"test-{kind['id']}-{who}", taps, title, columns=3))
    return Tray("tests", "A test of the castle", tuple(kinds), text=box.SAID["hints"]["tests"])


def trial_board(state: State, trial: Trial) -> tuple[Piece, ...]:
    what = box.trait(trial.trait)
    title = what.name if trial.kind == "once" else f"{trial.needed} {what.name}"
    about = Panel("castle-trial", tuple(_about(state, trial)), title, mark=what.id)
    if trial.ended:
        return about, Bar("trial-taps", (Tap("Put the test away", Do("close_test")),))
    turn = rows.Turn("attempt", trial.attempt, "roll_test", state.cap, state.own_dice)
    led = [(hero := state.hero(id), state.seat(hero)) for id in trial.heroes]
    shown = [(each, trial.side(each[0].id)) for each in led]
    entered = [rows.faces(each, side, turn) for each, side in shown if side or not turn.own]
    rolled = [each for each, side in shown if side]
    again = tuple(Tap(seat.name, turn.do(hero, turn.roll, again="yes"), seat=seat) for hero, seat in rolled)
    more = [Picker("enter-more", again, "Roll again, an item says so", columns=2)] if again else []
    return (
        about,
        Grid("castle-rows", tuple(_row(state, trial, each, turn) for each in led), 1),
        rows.using(state, trial.heroes),
        Bar("trial-taps", (*rows.dice_taps(turn.own), AWAY)),
        *_changes(state, trial),
        rows.enter_all(*entered, *more),
    )


def _about(state: State, trial: Trial) -> Iterator[Piece]:
    if trial.kind != "once":
        yield Track("trial-got", "successes", min(trial.got, trial.needed), trial.needed)
        so_far = f"so far {', '.join(map(str, trial.history))}" if trial.history else ""
        yield Track("trial-tries", "tries", len(trial.history), trial.tries, note=so_far)
    if not trial.ended:
        several = trial.kind == "once" and len(trial.heroes) > 1
        chance = per_cent(trial.chance(testing.double(state)))
        yield Note("trial-chance", f"{chance} % {'that all pass' if several else 'to pass'}. {_costs(trial)}")
        return
    tries = counted(len(trial.history), "try/tries")
    words = f"{trial.ended}: {min(trial.got, trial.needed)} of {trial.needed} in {tries}"
    if trial.kind == "once":
        passed = listed([state.who(hero) for hero in trial.passed])
        failed = listed([state.who(hero) for hero in trial.heroes if hero not in trial.passed])
        words = "; ".join([f"passed: {passed}"] * bool(passed) + [f"failed: {failed}"] * bool(failed))
    looks: dict[str, tuple[Tone, str]] = {"passed": ("good", "check"), "failed": ("bad", "close")}
    yield Note("outcome", f"{capital(words)}.", *looks.get(trial.ended, ()))


def _costs(trial: Trial) -> str:
    if not trial.cost:
        return "Nothing is lost by failing."
    if trial.kind == "once" or trial.failed_only:
        return f"Whoever fails loses {trial.cost}."
    return f"A try that falls short costs {trial.cost}{' each' if len(trial.heroes) > 1 else ''}."


def _changes(state: State, trial: Trial) -> Iterator[Piece]:
    """What the card says otherwise; once an attempt is counted it stands."""
    if trial.history:
        return
    groups, several = state.groups, trial.kind != "once"
    now: Args = {name: getattr(trial, name) for name in ("kind", "trait", "needed", "tries", "cost")}
    now["who"] = next((name for name, heroes in groups.items() if heroes == trial.heroes), trial.heroes[0])
    now |= {"failed_only": "yes" if trial.failed_only else "no", "anew": "yes"}

    def change(label: str, on: bool, short: str = "", **new: str | int) -> Tap:
        return Tap(label, Do("begin_test", {**now, **new}), on=on, short=short)

    near = (0, 1, 2, 3) if trial.cost < 3 else (0, *range(trial.cost - 1, min(9, trial.cost + 1) + 1))
    costs = [change(f"Costs {n}", n == trial.cost, str(n), cost=n) for n in near]
    yield Bar("trial-cost", (Tap("Costs"), *costs))
    if several:
        do, few = Do("begin_test", now), range(1, 21)
        needs = stepper("test-needed", "Needs", trial.needed, few, do, "needed")
        tries = stepper("test-tries", "Tries", trial.tries, few, do, "tries")
        yield Grid("trial-sets", (needs, tries))
    names = {"everyone": "everyone", "others": "all but YOU"} if trial.kind != "tries" else {}
    names |= {hero.id: state.short(hero) for hero in state.heroes} if trial.kind != "together" else {}
    who = [change(name, groups.get(id, (id,)) == trial.heroes, who=id) for id, name in names.items()]
    if several and trial.cost:
        other = "no" if trial.failed_only else "yes"
        who.append(change("Only who rolls none pays", trial.failed_only, failed_only=other))
    yield Chips("trial-who", tuple(who), "Who rolls")


def _row(state: State, trial: Trial, led: rows.Led, turn: rows.Turn) -> Bar:
    hero, _ = led
    side, worth = trial.side(hero.id), trial.worth(hero.id, testing.double(state))
    if side is None and not worth:
        chance = sum(each.trait == trial.trait for each in hero.character.sides)
        words = f"{box.trait(trial.trait).name} {hero.character.value(trial.trait)}, {chance} of 6 faces"
    elif trial.kind == "once":
        words = "passes" if worth else "fails"
    else:
        words = f"{worth} success{'es' if worth != 1 else ''}"
    fear = "would die of it" if 0 < hero.health <= trial.charged(hero.id) else ""
    return rows.die_row(led, side, (words, fear), turn)


def count_tap(state: State, trial: Trial) -> Tap:
    label = "Count it" if trial.kind == "once" else f"Count attempt {trial.attempt} of {trial.tries}"
    done = trial.count(testing.double(state))
    passed = listed([state.who(hero) for hero in done.passed])
    words = f"{passed} {'passes' if len(done.passed) == 1 else 'pass'}." if passed else "Nobody passes."
    if trial.kind != "once":
        ending = {"passed": ": passed.", "failed": ", and no try is left: failed.", "": " so far."}
        words = f"{min(trial.needed, trial.got + done.got)} of {trial.needed}{ending[done.ended]}"
    costs = "".join(
        f" {capital(state.who(hero))} {'dies!' if cost >= state.hero(hero).health else f'loses {cost}.'}"
        for hero, cost in done.costs.items()
    )
    do, why_not = Do("count_attempt", {"attempt": trial.attempt}), rows.to_roll(state, trial.unrolled)
    return Tap(label, do, "" if why_not else capital(words) + costs, not why_not, why_not=why_not, id="count")
