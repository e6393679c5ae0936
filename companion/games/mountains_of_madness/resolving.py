"""What can be tapped in the Resolution phase: counting the sled, what was missed, what was won."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.core import Counter, Do, Tap
from companion.core.pieces import Bar, Chips, Fold, Grid, Note, Panel, Picker, Piece, Tone
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.challenges import KINDS, VALUES, Challenge
from companion.games.mountains_of_madness.commands.resolution import nothing_to_heal
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.panels import Taps, chain
from companion.games.mountains_of_madness.reveal import result, rewarding, unfinished
from companion.games.mountains_of_madness.state import ARCANE, LEVELS, MOST_ARCANE, RELIC_KINDS, SPACES, State

TAKEN = {
    "relic": "a Relic",
    "search": "Search",
    "arcane": "Arcane Equipment",
    "heal": "Heal",
    "praise": "Praise",
}
remembered = lru_cache(1024)  # what is the same at every table is made once; a game has about ten turns


# --- counting ---


def count(state: State) -> Iterator[Piece]:
    turn, now = state.turn, state.now
    yield Grid("peak-asked", (_asked(state, 0), _asked(state, 1)), narrow=2)
    yield _enter(any(now.challenges))
    totals = tuple([_sum(kind, now.totals.get(kind, 0)) for kind in KINDS])
    shown = [_shown(n, turn, kind, value) for n, (kind, value) in enumerate(now.shown, 1)]
    cards = (
        Chips("peak-sums", totals, "Totals"),
        *[_values(turn, kind) for kind in KINDS],
        Chips("peak-shown", tuple(shown), "Counted"),
    )
    yield Fold("peak-cards", "Card by card", cards, only="players")
    sled = _sled(turn, "cards", now.played), _sled(turn, "injuries", now.shown_injuries)
    yield Grid("peak-sled", sled, narrow=2)
    yield _judge(turn, any(result(state, which) is None for which in (0, 1)))


@remembered
def _enter(entered: bool) -> Bar:
    words = "Change the Challenges" if entered else "Enter the two Challenges"
    return Bar("peak-enter", (Tap(words, opens="challenges"),))


@remembered
def _sum(kind: str, total: int) -> Tap:
    return Tap(KINDS[kind], badge=str(total), mark=kind, id=f"peak-sum-{kind}")


@remembered
def _values(turn: int, kind: str) -> Picker:
    taps = [
        Tap(
            f"{KINDS[kind]} {value}",
            Do("show_card", {"turn": turn, "kind": kind, "value": value}),
            short=str(value),
        )
        for value in VALUES
    ]
    return Picker(f"peak-values-{kind}", tuple(taps), KINDS[kind], "faces", mark=kind)


@remembered
def _shown(at: int, turn: int, kind: str, value: int) -> Tap:
    do, card = Do("hide_card", {"turn": turn, "kind": kind, "value": value}), f"{KINDS[kind]} {value}"
    return Tap(f"{card} was not there", do, mark=kind, badge="×", short=card, id=f"peak-shown-{at}")


@remembered
def _sled(turn: int, what: str, many: int) -> Counter:
    label = "cards on the sled" if what == "cards" else "Injuries among them"
    do = Do("count_sled", {"turn": turn, "what": what})
    return Counter(f"peak-sled-{what}", label, many, do, whom="The sled")


@remembered
def _judge(turn: int, missing: bool) -> Bar:
    why = "Enter both Challenges, or say met or missed." if missing else ""
    return Bar("peak-judge", (Tap("Judge both", Do("judge", {"turn": turn}), strong=True, why_not=why),))


def _asked(state: State, which: int) -> Panel:
    now, challenge = state.now, state.now.challenges[which]
    total = now.totals.get(challenge.kind, 0) if challenge else 0
    return _known(state.turn, which, challenge, total, result(state, which), now.by_hand[which])


@remembered
def _known(
    turn: int, which: int, challenge: Challenge | None, total: int, met: bool | None, by_hand: bool | None
) -> Panel:
    """One of the two Challenges while the sled is counted: what we count, or what the table says."""
    id, tone = f"peak-asked-{which}", _tone(met)
    said = Bar(f"{id}-said", tuple([_say(id, turn, which, each, by_hand) for each in (True, False)]))
    if challenge is None:
        return Panel(id, (said,), f"Challenge {which + 1}", tone=tone)
    do = Do("count_total", {"turn": turn, "kind": challenge.kind})
    counter = Counter(f"peak-total-{challenge.kind}", challenge.name, total, do, whom="Total")
    told = Note(f"{id}-gap", _told(challenge, total, met), tone, "check" if met else "close")
    title = f"{challenge.name} {challenge.value}"
    return Panel(id, (counter, told, said), title, mark=challenge.kind, tone=tone)


def _say(id: str, turn: int, which: int, met: bool, by_hand: bool | None) -> Tap:
    word, answer = ("Met", "yes") if met else ("Missed", "no")
    do = Do("judge_by_hand", {"turn": turn, "which": which, "met": answer})
    return Tap(word, do, on=by_hand is met, id=f"{id}-{answer}")


def _tone(met: bool | None) -> Tone:
    return "" if met is None else "good" if met else "bad"


def _told(challenge: Challenge, total: int, met: bool | None) -> str:
    gap = challenge.gap(total)
    if met or not gap:  # the table may have said otherwise
        return "met" if met else "missed"
    return f"{gap} short" if challenge.met(total + gap) else f"{gap} too many"


# --- paying and winning ---


def paying(state: State) -> Iterator[Piece]:
    now = state.now
    names = [each.name if each else f"Challenge {which + 1}" for which, each in enumerate(now.challenges)]
    said = zip(names, now.met or (), now.gaps, strict=True)
    yield Chips("peak-results", tuple([_result(*each) for each in said]), "Judged")
    for which in now.missed:
        if which not in now.settled:
            yield _miss(state, which, names[which])
    if rewarding(state):
        yield _reward(state)
    elif now.reward and now.reward != "none":
        search = " 30 seconds, then the tile is turned face down again." if now.searching else ""
        yield Note("peak-rewarded", f"Reward taken: {TAKEN[now.reward]}.{search}", "done")
    end = Do("end_resolution", {"turn": state.turn})
    yield Bar("peak-end", (Tap("To the Draw phase", end, strong=True, why_not=unfinished(state)),))


def _result(name: str, met: bool, gap: int | None) -> Tap:
    words = "met" if met else f"missed by {gap}" if gap else "missed"
    return Tap(name, detail=words, mark="check" if met else "close", tone=_tone(met))


def _miss(state: State, which: int, name: str) -> Panel:
    args, gap, id = {"turn": state.turn, "which": which}, state.now.gaps[which], f"peak-miss-{which}"
    missed = f"{name} missed by {gap}" if gap else f"{name} missed"
    why = "First the die that is owed." if state.now.penalties else ""
    die = Bar(f"{id}-die", (Tap("Penalty die", Do("pay_with_die", args), why_not=why),))
    if state.all_mad:
        other: Piece = Note(f"{id}-mad", "Everyone has Madness of level 3, so it must be the die.")
    else:
        taps = [
            Tap(
                seat.name,
                Do("pay_with_madness", {**args, "whom": seat.id}),
                _deeper(state.level(seat.id)),
                seat=seat,
            )
            for seat in state.table.seats
            if state.level(seat.id) < LEVELS
        ]
        other = Picker(f"{id}-who", tuple(taps), "or one player draws Madness:", columns=2)
    return Panel(id, (die, other), f"{missed}: what does it cost?")


def _reward(state: State) -> Panel:
    """A Relic, step by step, with all that follows from it; or something else. Each place is kept."""
    turn, find = state.turn, state.now.find
    chosen = bool(find.seat and find.kind)
    spaces = chosen and not consequences.no_token(state, find)
    follows = consequences.relic(state, find)
    why = "" if follows else "Choose a Relic, a player and a space."
    take = Tap("Take the Relic", Do("take_relic", {"turn": turn}), strong=True, why_not=why)
    plan = (*chain("peak-relic-chain", follows), Bar("peak-relic-taken", (take,)))
    covered = state.covered.get(find.seat, ())
    pieces = (
        _kinds(turn, find.kind),
        Grid("peak-relic-for", (_players(state),) if find.kind else ()),
        Grid("peak-relic-covers", (_spaces(turn, covered, find.space),) if spaces else ()),
        Grid("peak-relic-take", plan if find.kind else (), columns=1),
        _others(turn, state.arcane, state.injuries.discard, nothing_to_heal(state), state.tokens.discard),
    )
    return Panel("peak-reward", pieces, "Reward of the tile")


@remembered
def _kinds(turn: int, chosen: str) -> Picker:
    taps = [
        Tap(
            name,
            Do("plan_relic", {"turn": turn, "kind": kind}),
            on=kind == chosen,
            mark=kind,
            id=f"peak-relic-{kind}",
        )
        for kind, name in RELIC_KINDS.items()
    ]
    return Picker("peak-relic", tuple(taps), "A Relic", "faces", 3)


def _players(state: State) -> Picker:
    taps = [
        Tap(
            seat.name,
            Do("plan_relic", {"turn": state.turn, "whom": seat.id}),
            "a token pays" if state.all_mad else _deeper(state.level(seat.id)),
            why_not="" if consequences.may_take_relic(state, seat.id) else "Madness of level 3",
            on=state.now.find.seat == seat.id,
            seat=seat,
            id=f"peak-relic-for-{seat.id}",
        )
        for seat in state.table.seats
    ]
    return Picker("peak-relic-who", tuple(taps), "for", columns=2)


@remembered
def _spaces(turn: int, covered: tuple[str, ...], chosen: str) -> Picker:
    taps = [
        Tap(
            space.capitalize(),
            Do("plan_relic", {"turn": turn, "space": space}),
            what,
            why_not="covered" if space in covered else "",
            on=space == chosen,
            id=f"peak-relic-on-{space}",
        )
        for space, what in SPACES.items()
    ]
    return Picker("peak-relic-where", tuple(taps), "Its token covers, as printed on the board", columns=2)


@remembered
def _others(turn: int, arcane: int, injuries: int, not_healed: str, discard: int) -> Picker:
    args = {"turn": turn}
    lies = f"{number(injuries, 'Injury lies', 'Injuries lie')} in the Equipment discard"
    left = f"any one, into the Equipment discard; {_arcane_left(arcane)}"
    no_more = "No box holds more than 11." if arcane == MOST_ARCANE else ""
    healed = f"1 Injury back to the Injury deck; {lies}"
    taps = (
        Tap("Search", Do("search", args), "look at a face-down tile for 30 seconds, no more"),
        Tap("Arcane Equipment", Do("take_arcane", args), left, why_not=no_more),
        Tap("Heal", Do("heal", args), healed, why_not="" if injuries else not_healed),
        *_praises(turn, discard),
        Tap("No reward", Do("no_reward", args), "there is none, or it is of no use"),
    )
    return Picker("peak-others", taps, "or", "rows")


def _praises(turn: int, discard: int) -> Taps:
    if not discard:
        return (Tap("Praise", Do("praise", {"turn": turn}), why_not="No token lies in the discard."),)
    return tuple(
        [
            Tap(
                "Praise",
                Do("praise", {"turn": turn, "count": n}),
                f"{number(n, 'token')} from the discard to the sled",
            )
            for n in (2, 1)
            if n <= discard
        ]
    )


def _arcane_left(arcane: int) -> str:
    left = ARCANE - arcane
    return f"{left} left by our count" if left > 0 else "none left by our count, but your box may hold more"


def _deeper(level: int) -> str:
    return f"level\u00a0{level}\u00a0→\u00a0{level + 1}" if level < LEVELS else ""
