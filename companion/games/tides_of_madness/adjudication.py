"""Who won, and why. Nine or more lose at the end of any round; else the most VP after round 3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from companion.core import HouseRule, Name, Scores, Step, Table, Verdict
from companion.core.text import listed
from companion.games.tides_of_madness.cards import SHUB, card
from companion.games.tides_of_madness.house_rules import (
    DREAMLANDS_TOKEN,
    EMPTY_HANDED,
    KEPT_ICONS,
    KEPT_MADNESS,
    KEPT_SHUB,
)
from companion.games.tides_of_madness.rounds import Score, Scored, missing, score_game
from companion.games.tides_of_madness.state import LIMIT, ROUNDS, State


@dataclass(frozen=True)
class Standing:
    """A player after a round's scoring."""

    seat: int
    name: str
    vp: int
    madness: int

    @property
    def lost(self) -> bool:
        return self.madness >= LIMIT


def judge(round: int, standings: tuple[Standing, ...], working: tuple[Step, ...] = ()) -> Verdict:
    """After the scoring of this round. Madness first; VP only count if neither is lost."""
    steps = (*working, *(_check(each, round) for each in standings))
    lost = [each for each in standings if each.lost]
    names = listed([each.name for each in standings])
    if len(lost) == len(standings):
        last = Step(f"Both are lost after round {round}, so nobody wins.", "both-lost")
        return Verdict("no_winner", f"{names} are both lost to Madness. Nobody wins.", (), (*steps, last))
    if lost:
        winner = next(each for each in standings if not each.lost)
        last = Step(
            f"{winner.name} wins after round {round}; the VP ({_compared(standings)}) are not compared.",
            "nine-loses",
        )
        summary = f"{winner.name} wins: {lost[0].name} is lost to Madness with {lost[0].madness} tokens."
        return Verdict("win", summary, (winner.seat,), (*steps, last))
    return _by_points(round, standings, steps)


def _by_points(round: int, standings: tuple[Standing, ...], steps: tuple[Step, ...]) -> Verdict:
    best = max(each.vp for each in standings)
    first = tuple(each for each in standings if each.vp == best)
    seats, names = tuple(each.seat for each in first), listed([each.name for each in first])
    shared = len(first) > 1
    because = "equal-points" if shared else "most-points"
    if round < ROUNDS:
        would = f"would share the win with {best} VP each" if shared else f"would win with {best} VP"
        summary = f"Round {round} of {ROUNDS} is scored. If we ended now, {names} {would}."
        return Verdict(
            "continues", summary, (), (*steps, Step(f"{_compared(standings)}.", because)), leaders=seats
        )
    if shared:
        last = Step(f"{_compared(standings)}: equal, so the win is shared.", because)
        return Verdict("shared", f"{names} share the win with {best} VP each.", seats, (*steps, last))
    last = Step(f"{_compared(standings)}: more VP win.", because)
    return Verdict("win", f"{names} wins with {best} VP.", seats, (*steps, last))


def _compared(standings: tuple[Standing, ...]) -> str:
    return ", ".join(f"{each.name} {each.vp} VP" for each in standings)


def _check(each: Standing, round: int) -> Step:
    held = f"{each.name} has {each.madness} Madness at the check of round {round}"
    return Step(f"{held}: {'nine or more, lost' if each.lost else 'under nine'}.", "nine-loses")


def adjudicate(state: State) -> Verdict:
    scored = score_game(state)
    complete = _complete(scored)
    for upto in range(1, len(complete) + 1):
        last = complete[upto - 1]
        if last.mad or upto == ROUNDS:
            return _judged(state, complete[:upto])
    waiting = missing(scored)
    if complete and not waiting:
        return _judged(state, complete)
    return _going_on(state, scored, waiting[0].sentence if waiting and state.stage != "draft" else "")


def _judged(state: State, scored: tuple[Scored, ...]) -> Verdict:
    verdict = judge(scored[-1].round, _standings(state, scored), _working(state, scored))
    return replace(verdict, steps=(*verdict.steps, *_house_rules(state, scored)))


def _complete(scored: tuple[Scored, ...]) -> tuple[Scored, ...]:
    """The rounds that are scored, up to the first one that still waits for something."""
    until = next((at for at, each in enumerate(scored) if each.missing), len(scored))
    return scored[:until]


def _going_on(state: State, scored: tuple[Scored, ...], waits: str) -> Verdict:
    standings = _standings(state, scored)
    best = max(each.vp for each in standings)
    leaders = tuple(each.seat for each in standings if each.vp == best)
    now = f"The game goes on: {_compared(standings)}."
    steps = (
        (*_working(state, _complete(scored)), Step(waits, "scoring-order"))
        if waits
        else _working(state, _complete(scored))
    )
    return Verdict("continues", f"{now} {waits}".strip(), (), steps, leaders=leaders)


def _standings(state: State, scored: tuple[Scored, ...]) -> tuple[Standing, ...]:
    return tuple(
        Standing(
            seat.id,
            seat.name,
            sum(each.sides[seat.id].points for each in scored),
            scored[-1].sides[seat.id].after if scored else 0,
        )
        for seat in state.table.seats
    )


def _working(state: State, scored: tuple[Scored, ...]) -> tuple[Step, ...]:
    steps = [
        step
        for each in scored
        for seat, side in each.sides.items()
        for step in _steps(state, each, state.name(seat), side)
    ]
    return tuple(steps)


def _steps(state: State, scored: Scored, name: str, side: Score) -> Iterator[Step]:
    points = f"{side.cards} VP" + (f" + {side.bonus} bonus = {side.points} VP" if side.bonus else "")
    tokens = f"{side.before} + {side.gained}"
    tokens += " − 1 healed" if side.healed else ""
    tokens += f" + 1 by {card('dreamlands').name}" if side.moved > 0 else ""
    tokens += f" − 1 to {card('dreamlands').name}" if side.moved < 0 else ""
    yield Step(f"Round {scored.round}, {name}: {points}; Madness {tokens} = {side.after}.", "scoring-order")
    if side.saved:
        yield Step(
            f"{name} stood at {side.after + 1} and healed 1 before the check of round {scored.round}: saved.",
            "heal-before-check",
        )


def _house_rules(state: State, scored: tuple[Scored, ...]) -> Iterator[Step]:
    """Those that the numbers above rest on."""
    for rule in _touched(state, scored):
        yield Step(f"Our table: {_said(state.table, rule)}", rule.id)


def _touched(state: State, scored: tuple[Scored, ...]) -> Iterator[HouseRule]:
    by_card = [each for each in scored if not each.by_hand]
    kept = [card(id) for each in by_card for seat in each.sides for id in state.kept_before(seat, each.round)]
    if any(each.madness for each in kept):
        yield KEPT_MADNESS
        yield KEPT_ICONS
    if any(each.id == SHUB for each in kept):
        yield KEPT_SHUB
    if any(each.dreamer for each in by_card):
        yield DREAMLANDS_TOKEN
    if any(each.dreamer and not _paid(each, state) for each in scored):
        yield EMPTY_HANDED


def _paid(scored: Scored, state: State) -> bool:
    assert scored.dreamer is not None
    return scored.sides[state.other(scored.dreamer)].moved < 0


def _said(table: Table, rule: HouseRule) -> str:
    question = rule.question.rstrip("?")
    return f"{question}? {rule.reading(table.rules.get(rule.id, rule.default))}."


def scores(state: State) -> Scores:
    """VP after each round that has begun, with what its cards give so far."""
    scored = score_game(state)
    columns = {
        f"Round {round.round}": {each.seat: each.vp for each in _standings(state, scored[: round.round])}
        for round in scored
    }
    return Scores(columns, "VP")


# --- a tally from the command line ---


@dataclass(frozen=True)
class Player:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  pydantic reads it here

    name: Name
    vp: Annotated[int, Field(ge=0, le=999)]
    madness: Annotated[int, Field(ge=0, le=24)]  # eight icons in each of three rounds


def tally(
    table: Table, round: Annotated[int, Field(ge=1, le=ROUNDS)], players: tuple[Player, ...]
) -> Verdict:
    """After this round's scoring; the players are in the order of the seats."""
    pairs = zip(table.seats, players, strict=True)
    return judge(round, tuple(Standing(seat.id, seat.name, each.vp, each.madness) for seat, each in pairs))
