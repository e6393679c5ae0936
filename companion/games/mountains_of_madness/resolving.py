"""What can be tapped in the Resolution phase, and whenever the penalty die is owed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core import Counter, Do
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.challenges import KINDS, VALUES, Challenge
from companion.games.mountains_of_madness.commands.penalty import rolls_again
from companion.games.mountains_of_madness.commands.reward import nothing_to_heal
from companion.games.mountains_of_madness.consequences import Chain
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.panels import Tap
from companion.games.mountains_of_madness.reveal import result, rewarding, unfinished
from companion.games.mountains_of_madness.state import (
    ARCANE,
    FACES,
    LEVELS,
    MOST_ARCANE,
    RELIC_KINDS,
    SPACES,
    SPOKEN,
    Penalty,
    State,
)
from companion.games.mountains_of_madness.tokens import why_not


@dataclass(frozen=True)
class Asked:
    """One of the two Challenges while the sled is counted."""

    which: int
    challenge: Challenge | None
    total: int
    counter: Counter | None
    met: bool | None
    words: str
    taps: tuple[Tap, ...]  # met or missed, by hand


@dataclass(frozen=True)
class Kindred:
    """All values of one kind of Equipment, to be tapped card by card."""

    kind: str
    name: str
    total: int
    asked: bool
    taps: tuple[Tap, ...]


@dataclass(frozen=True)
class Count:
    asked: tuple[Asked, ...]
    kinds: tuple[Kindred, ...]
    shown: tuple[Tap, ...]
    cards: Counter
    injuries: Counter
    judge: Tap


@dataclass(frozen=True)
class Miss:
    which: int
    title: str
    paid: bool
    madness: tuple[Tap, ...]
    mad: str  # why Madness cannot be chosen
    die: Tap


@dataclass(frozen=True)
class Reward:
    taps: tuple[Tap, ...]
    kinds: tuple[Tap, ...]
    players: tuple[Tap, ...]
    spaces: tuple[Tap, ...]
    no_token: bool
    chain: Chain
    take: Tap


@dataclass(frozen=True)
class Paying:
    met: tuple[tuple[str, bool, int | None], ...]  # name, met, missed by
    misses: tuple[Miss, ...]
    reward: Reward | None
    rewarded: str
    end: Tap


@dataclass(frozen=True)
class Owed:
    """The penalty die, from the roll to its price."""

    title: str
    face: str
    rolls: int
    roll: Tap | None
    faces: tuple[Tap, ...]
    gaps: tuple[Tap, ...]
    chain: Chain
    pay: tuple[Tap, ...]
    reroll: Tap | None
    rerolled: tuple[Tap, ...]  # the real die, for a token


# --- counting ---


def count(state: State) -> Count:
    now, turn = state.now, {"turn": state.turn}
    wanted = [each.kind for each in now.challenges if each]
    kinds = sorted(KINDS, key=lambda kind: wanted.index(kind) if kind in wanted else 9)
    missing = any(result(state, which) is None for which in (0, 1))
    return Count(
        tuple(_asked(state, which) for which in (0, 1)),
        tuple(
            Kindred(
                kind,
                KINDS[kind],
                now.totals.get(kind, 0),
                kind in wanted,
                tuple(
                    Tap(str(value), Do("show_card", {**turn, "kind": kind, "value": value}))
                    for value in VALUES
                ),
            )
            for kind in kinds
        ),
        tuple(
            Tap(f"{KINDS[kind]} {value}", Do("hide_card", {**turn, "kind": kind, "value": value}), mark=kind)
            for kind, value in now.shown
        ),
        Counter("sled-cards", "cards on the sled", now.played, Do("count_sled", {**turn, "what": "cards"})),
        Counter(
            "sled-injuries",
            "Injuries among them",
            now.shown_injuries,
            Do("count_sled", {**turn, "what": "injuries"}),
        ),
        Tap(
            "Judge both",
            Do("judge", turn),
            why="Enter both Challenges, or say met or missed." if missing else "",
        ),
    )


def _asked(state: State, which: int) -> Asked:
    challenge, met = state.now.challenges[which], result(state, which)
    args = {"turn": state.turn, "which": which}
    taps = tuple(
        Tap(label, Do("judge_by_hand", {**args, "met": said}), on=state.now.by_hand[which] == (said == "yes"))
        for label, said in (("Met", "yes"), ("Missed", "no"))
    )
    if challenge is None:
        return Asked(which, None, 0, None, met, "", taps)
    total = state.now.totals.get(challenge.kind, 0)
    do = Do("count_total", {"turn": state.turn, "kind": challenge.kind})
    return Asked(
        which,
        challenge,
        total,
        Counter(f"total-{challenge.kind}", challenge.name, total, do),
        met,
        _judged(challenge, total),
        taps,
    )


def _judged(challenge: Challenge, total: int) -> str:
    gap = challenge.gap(total)
    if not gap:
        return "met"
    return f"{gap} short" if challenge.met(total + gap) else f"{gap} too many"


# --- paying and winning ---


def paying(state: State) -> Paying:
    now = state.now
    assert now.met is not None
    names = [each.name if each else f"Challenge {which + 1}" for which, each in enumerate(now.challenges)]
    why = unfinished(state)
    return Paying(
        tuple(zip(names, now.met, now.gaps, strict=True)),
        tuple(_miss(state, which, names[which]) for which in now.missed),
        _reward(state) if rewarding(state) else None,
        now.reward,
        Tap("To the Draw phase", Do("end_resolution", {"turn": state.turn}), why=why),
    )


def _miss(state: State, which: int, name: str) -> Miss:
    args = {"turn": state.turn, "which": which}
    gap = state.now.gaps[which]
    return Miss(
        which,
        f"{name} missed" + (f" by {gap}" if gap else ""),
        which in state.now.settled,
        tuple(
            Tap(
                seat.name,
                Do("pay_with_madness", {**args, "whom": seat.id}),
                _deeper(state.level(seat.id)),
                seat=seat,
            )
            for seat in state.table.seats
            if state.level(seat.id) < LEVELS
        ),
        "Everyone has Madness of level 3, so it must be the die." if state.all_mad else "",
        Tap(
            "Penalty die",
            Do("pay_with_die", args),
            why="First the die that is owed." if state.now.penalties else "",
        ),
    )


def _reward(state: State) -> Reward:
    turn, find = {"turn": state.turn}, state.now.find
    injuries, discard = state.injuries.discard, state.tokens.discard
    lies = f"{number(injuries, 'Injury lies', 'Injuries lie')} in the Equipment discard"
    praises = tuple(
        Tap(
            "Praise", Do("praise", {**turn, "count": n}), f"{number(n, 'token')} from the discard to the sled"
        )
        for n in (2, 1)
        if n <= discard
    )
    taps = (
        Tap("Search", Do("search", turn), "look at a face-down tile for 30 seconds, no more"),
        Tap(
            "Arcane Equipment",
            Do("take_arcane", turn),
            f"any one, into the Equipment discard; {_arcane_left(state)}",
            "No box holds more than 11." if state.arcane == MOST_ARCANE else "",
        ),
        Tap(
            "Heal",
            Do("heal", turn),
            f"1 Injury back to the Injury deck; {lies}",
            "" if injuries else nothing_to_heal(state),
        ),
        *(praises or (Tap("Praise", Do("praise", turn), why="No token lies in the discard."),)),
        Tap("No reward", Do("no_reward", turn), "there is none, or it is of no use"),
    )
    players = tuple(
        Tap(
            seat.name,
            Do("plan_relic", {**turn, "whom": seat.id}),
            _takes(state, seat.id),
            "" if consequences.may_take_relic(state, seat.id) else "Madness of level 3",
            on=find.seat == seat.id,
            seat=seat,
        )
        for seat in state.table.seats
    )
    kinds = tuple(
        Tap(name, Do("plan_relic", {**turn, "kind": kind}), on=find.kind == kind, mark=kind)
        for kind, name in RELIC_KINDS.items()
    )
    chain = consequences.relic(state, find)
    return Reward(
        taps,
        kinds,
        players,
        tuple(_spaces(state)) if find.seat and find.kind and not consequences.no_token(state, find) else (),
        bool(find.seat) and bool(find.kind) and consequences.no_token(state, find),
        chain,
        Tap(
            "Take the Relic",
            Do("take_relic", turn),
            why="" if chain else "Choose a Relic, a player and a space.",
        ),
    )


def _arcane_left(state: State) -> str:
    left = ARCANE - state.arcane
    return f"{left} left by our count" if left > 0 else "none left by our count, but your box may hold more"


def _takes(state: State, seat: int) -> str:
    if state.all_mad:
        return "a token pays"
    level = state.level(seat)
    return _deeper(level) if level < LEVELS else ""


def _deeper(level: int) -> str:
    return f"level\u00a0{level}\u00a0→\u00a0{level + 1}"


def _spaces(state: State) -> Iterator[Tap]:
    find = state.now.find
    for space, what in SPACES.items():
        taken = space in state.covered.get(find.seat, ())
        do = Do("plan_relic", {"turn": state.turn, "space": space})
        yield Tap(space.capitalize(), do, what, "covered" if taken else "", on=find.space == space)


# --- the die ---


def owed(state: State) -> Owed | None:
    if not state.now.penalties:
        return None
    due = state.now.penalties[0]
    args = {"turn": state.turn, "penalty": due.number, "rolls": due.rolls}
    rolling = not due.face or rolls_again(state, due)
    return Owed(
        _title(state, due),
        due.face,
        due.rolls,
        Tap("Roll it here", Do("roll_penalty", args), "assumed: two faces of each") if rolling else None,
        _faces("roll_penalty", args) if rolling else (),
        tuple(_gaps(state, due)),
        consequences.penalty(state, due),
        tuple(_pay(state, due)) if not rolling else (),
        Tap("Re-roll here", Do("reroll", args), "costs a token", why_not(state, "resolution"))
        if due.face and due.source >= 0
        else None,
        _faces("reroll", args) if due.face and due.source >= 0 and not why_not(state, "resolution") else (),
    )


def _title(state: State, due: Penalty) -> str:
    if due.source >= 0:
        challenge = state.now.challenges[due.source]
        return f"Penalty die for {challenge.name if challenge else f'Challenge {due.source + 1}'}"
    return "Somebody spoke: penalty die" if due.source == SPOKEN else "Confusion from the silence"


def _faces(command: str, args: dict[str, int]) -> tuple[Tap, ...]:
    return tuple(Tap(name, Do(command, {**args, "face": face}), mark=face) for face, name in FACES.items())


MOST_MISSED = 18  # no Challenge asks for more than this


def _gaps(state: State, due: Penalty) -> Iterator[Tap]:
    if due.face != "confusion" or due.source == SPOKEN or consequences.gap_of(state, due) is not None:
        return
    which = due.source if due.source >= 0 else state.now.missed[0]
    for gap in range(1, MOST_MISSED + 1):
        yield Tap(str(gap), Do("tell_gap", {"turn": state.turn, "which": which, "gap": gap}))


def _pay(state: State, due: Penalty) -> Iterator[Tap]:
    args = {"turn": state.turn, "penalty": due.number}
    gap = consequences.gap_of(state, due) if due.source != SPOKEN else 0
    if gap is None and due.face == "confusion":
        return
    discards = due.face == "confusion" and 0 < (gap or 0) <= state.cards.deck
    most = min(gap or 0, state.injuries.deck) if discards else 0
    if not most:
        yield Tap("Do it", Do("pay_penalty", args))
        return
    for injuries in range(min(most, 5) + 1):
        words = f"{injuries or 'no'} {'Injury' if injuries == 1 else 'Injuries'}"
        yield Tap("Do it", Do("pay_penalty", {**args, "injuries": injuries}), f"{words} among them")
