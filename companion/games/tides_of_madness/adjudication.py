"""Who won, and why. Nine or more lose at the end of any round; else the most VP after round 3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Annotated, NamedTuple

from pydantic import Field

from companion.core import HouseRule, Name, Scores, Seat, Step, Table, Verdict
from companion.core.memo import kept_on, once
from companion.core.text import listed
from companion.core.verdict import ahead
from companion.games.tides_of_madness import house_rules
from companion.games.tides_of_madness.cards import DREAMS, SHUB, card
from companion.games.tides_of_madness.rounds import Score, Scored, score_game
from companion.games.tides_of_madness.state import LIMIT, ROUNDS, State


class Standing(NamedTuple):
    """A player after a round's scoring."""

    seat: int
    name: str
    vp: int
    madness: int

    @property
    def lost(self) -> bool:
        return self.madness >= LIMIT


def judge(round: int, standings: tuple[Standing, ...]) -> Verdict:
    """After the scoring of this round. Madness first; VP only count if neither is lost."""
    steps = [_check(each, round) for each in standings]
    lost, compared = [each for each in standings if each.lost], _compared(standings)
    if len(lost) == len(standings):
        steps.append(Step(f"Both are lost after round {round}, so nobody wins.", "both-lost"))
        both = listed([each.name for each in standings])
        return Verdict("no_winner", f"{both} are both lost to Madness. Nobody wins.", (), tuple(steps))
    if lost:
        winner = next(each for each in standings if not each.lost)
        text = f"{winner.name} wins after round {round}; the VP ({compared}) are not compared."
        steps.append(Step(text, "nine-loses"))
        summary = f"{winner.name} wins: {lost[0].name} is lost to Madness with {lost[0].madness} tokens."
        return Verdict("win", summary, (winner.seat,), tuple(steps))
    return _by_points(round, standings, steps)


def _by_points(round: int, standings: tuple[Standing, ...], steps: list[Step]) -> Verdict:
    points = {each.seat: each.vp for each in standings}
    first, best, compared = ahead(points), max(points.values()), _compared(standings)
    names = listed([each.name for each in standings if each.seat in first])
    shared = len(first) > 1
    because = "equal-points" if shared else "most-points"
    if round < ROUNDS:
        would = f"would share the win with {best} VP each" if shared else f"would win with {best} VP"
        summary = f"Round {round} of {ROUNDS} is scored. If we ended now, {names} {would}."
        return Verdict("continues", summary, (), (*steps, Step(f"{compared}.", because)), leaders=first)
    last = Step(f"{compared}: {'equal, so the win is shared' if shared else 'more VP win'}.", because)
    won = f"share the win with {best} VP each" if shared else f"wins with {best} VP"
    return Verdict("shared" if shared else "win", f"{names} {won}.", first, (*steps, last))


def _compared(standings: tuple[Standing, ...]) -> str:
    return ", ".join(f"{each.name} {each.vp} VP" for each in standings)


def _check(each: Standing, round: int) -> Step:
    held = f"{each.name} has {each.madness} Madness at the check of round {round}"
    return Step(f"{held}: {'nine or more, lost' if each.lost else 'under nine'}.", "nine-loses")


@once
def adjudicate(state: State) -> Verdict:
    scored = score_game(state)
    complete = tuple(takewhile(lambda each: each.complete, scored))
    for upto, last in enumerate(complete, 1):
        if upto in (ROUNDS, len(scored)) or any(side.lost for side in last.sides.values()):
            return _judged(state, complete[:upto])
    return _going_on(state, scored, complete)


def _judged(state: State, scored: tuple[Scored, ...]) -> Verdict:
    verdict = judge(scored[-1].round, _standings(state, scored))
    return replace(verdict, steps=(*_working(state, scored), *verdict.steps, *_house_rules(state, scored)))


def _going_on(state: State, scored: tuple[Scored, ...], complete: tuple[Scored, ...]) -> Verdict:
    stand = _standings(state, scored)  # as the cards tapped so far would leave them
    now, steps = f"The game goes on: {_compared(stand)}.", _working(state, complete)
    if scored and state.stage != "draft":
        waits = scored[len(complete)].missing[0].sentence
        now, steps = f"{now} {waits}", (*steps, Step(waits, "scoring-order"))
    return Verdict("continues", now, (), steps, leaders=ahead({each.seat: each.vp for each in stand}))


def _standings(state: State, scored: tuple[Scored, ...]) -> tuple[Standing, ...]:
    found = []
    for seat in state.table.seats:
        sides = [each.sides[seat.id] for each in scored]
        vp = sum([each.points for each in sides])
        found.append(Standing(seat.id, seat.name, vp, sides[-1].after if sides else 0))
    return tuple(found)


def _working(state: State, scored: tuple[Scored, ...]) -> tuple[Step, ...]:
    return tuple([step for each in scored for step in _round_steps(each, state.table.seats)])


@kept_on  # one that is over is told the same until somebody corrects it
def _round_steps(scored: Scored, seats: tuple[Seat, ...]) -> tuple[Step, ...]:
    return tuple([step for seat in seats for step in _steps(scored.round, seat.name, scored.sides[seat.id])])


def _steps(round: int, name: str, side: Score) -> Iterator[Step]:
    points = f"{side.cards} VP" + (f" + {side.bonus} bonus = {side.points} VP" if side.bonus else "")
    tokens = f"{side.before} + {side.gained}" + " − 1 healed" * side.healed
    tokens += {1: f" + 1 by {DREAMS}", 0: "", -1: f" − 1 to {DREAMS}"}[side.moved]
    yield Step(f"Round {round}, {name}: {points}; Madness {tokens} = {side.after}.", "scoring-order")
    if side.saved:
        saved = f"{name} stood at {side.after + 1} and healed 1 before the check of round {round}: saved."
        yield Step(saved, "heal-before-check")


def _house_rules(state: State, scored: tuple[Scored, ...]) -> Iterator[Step]:
    """Those that the numbers above rest on."""
    for rule in _touched(state, scored):
        yield Step(f"Our table: {rule.question} {rule.reading(rule.chosen(state.table))}.", rule.id)


def _touched(state: State, scored: tuple[Scored, ...]) -> Iterator[HouseRule]:
    by_card = [each for each in scored if not each.by_hand]
    kept = [card(id) for each in by_card for seat in each.sides for id in state.kept_before(seat, each.round)]
    if any(each.madness for each in kept):
        yield from (house_rules.KEPT_MADNESS, house_rules.KEPT_ICONS)
    if any(each.id == SHUB for each in kept):
        yield house_rules.KEPT_SHUB
    if any(each.dreamer for each in by_card):
        yield house_rules.DREAMLANDS_TOKEN
    if any(each.dreamer and each.sides[state.other(each.dreamer)].moved >= 0 for each in scored):
        yield house_rules.EMPTY_HANDED


def scores(state: State) -> Scores:
    """VP after each round that has begun, with what its cards give so far."""
    scored = score_game(state)
    after = {each.round: _standings(state, scored[: each.round]) for each in scored}
    return Scores({f"Round {n}": {each.seat: each.vp for each in stand} for n, stand in after.items()}, "VP")


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
