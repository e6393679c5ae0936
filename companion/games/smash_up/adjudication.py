"""Who won, and why: 15 VP end the game, the Madness penalty is taken off, the most that is left wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

from pydantic import Field

from companion.core import HouseRule, Name, Refused, Scores, Step, Table, Verdict
from companion.core.memo import kept_while
from companion.core.text import listed, plain
from companion.games.smash_up.cards import END_CHECK, MADNESS, PENALTY, TIED
from companion.games.smash_up.state import GOAL, State


@dataclass(frozen=True)
class Standing:
    seat: int
    name: str
    vp: int
    madness: int

    @property
    def penalty(self) -> int:
        return self.madness // 2

    @property
    def left(self) -> int:
        """What counts: the penalty may take more than there is."""
        return self.vp - self.penalty

    @property
    def sum(self) -> str:
        """16 − 2 = 14, or just 16."""
        return f"{self.vp} − {self.penalty} = {plain(self.left)}" if self.penalty else str(self.vp)


def _rank(table: Table, each: Standing) -> tuple[int, int]:
    """The lower, the better."""
    return -each.left, each.madness if TIED.chosen(table) == "madness" else 0


def places(table: Table, standings: tuple[Standing, ...]) -> dict[int, int]:
    """Who would be first, second, … now; those who tie share a place."""
    ranks = {each.seat: _rank(table, each) for each in standings}
    return {seat: 1 + sum(other < mine for other in ranks.values()) for seat, mine in ranks.items()}


def scores(state: State) -> Scores:
    """What would be left of the VP, turn by turn."""
    return Scores({f"Turn {max(1, state.turn)}": {each.seat: each.left for each in standings(state)}}, "VP")


def judge(table: Table, standings: tuple[Standing, ...]) -> Verdict:
    """At the end of a turn; who has most is named first."""
    standings = tuple(sorted(standings, key=lambda each: _rank(table, each)))
    steps = [_working(each) for each in standings]
    ended = _ended(table, standings)
    best = max(each.left for each in standings)
    first = [each for each in standings if each.left == best]
    over = ended and not (len(first) > 1 and TIED.chosen(table) == "play-on")
    steps.append(_trigger(table, standings, ended, over))
    if not ended:
        summary = _leading(first, best)
        if any(each.vp >= GOAL for each in standings):
            summary = f"After the penalty nobody has {GOAL} VP left. {summary}"
        return Verdict("continues", summary, (), tuple(steps), _seats(first))
    steps.append(Step(f"Most VP left: {_names(first)} with {best}.", "most-vp-wins"))
    if len(first) == 1:
        steps += _our_table(table, standings)
        return Verdict("win", f"{_names(first)} wins with {best} VP.", _seats(first), tuple(steps))
    return _tied(table, standings, first, steps)


def _tied(table: Table, standings: tuple[Standing, ...], first: list[Standing], steps: list[Step]) -> Verdict:
    best, names = first[0].left, _names(first)
    if TIED.chosen(table) == "play-on":
        steps.append(Step(f"{names} are tied, so play goes on until one is ahead.", "tie-plays-on"))
        steps += _our_table(table, standings, TIED)
        summary = f"{names} tie with {best} VP: play goes on until one is ahead."
        return Verdict("continues", summary, (), tuple(steps), _seats(first))
    fewest = min(each.madness for each in first)
    sane = [each for each in first if each.madness == fewest]
    counts = listed([f"{each.name} {each.madness}" for each in first])
    steps.append(Step(f"Madness cards of those tied: {counts}; the fewest win.", TIED.id))
    steps += _our_table(table, standings)
    if len(sane) == 1:
        summary = f"{sane[0].name} wins with {best} VP and fewer Madness cards."
        return Verdict("win", summary, _seats(sane), tuple(steps))
    return Verdict("shared", f"{_names(sane)} share the win with {best} VP each.", _seats(sane), tuple(steps))


def _ended(table: Table, standings: tuple[Standing, ...]) -> bool:
    after_penalty = PENALTY.chosen(table) == "yes"
    return any((each.left if after_penalty else each.vp) >= GOAL for each in standings)


def _trigger(table: Table, standings: tuple[Standing, ...], ended: bool, over: bool) -> Step:
    there = [each for each in standings if each.vp >= GOAL]
    if ended:
        ends = "ends" if over else "would end"
        return Step(f"{_names(there)} reached {GOAL} VP, so the game {ends}.", "fifteen-ends")
    if there:
        return Step(f"After the penalty nobody has {GOAL} VP left, so the game does not end.", PENALTY.id)
    return Step(f"Nobody has {GOAL} VP, so the game goes on.", "fifteen-ends")


def _working(each: Standing) -> Step:
    counted = {0: f"{each.vp} VP, no Madness card", 1: f"{each.vp} VP; 1 Madness card costs nothing"}
    cost = f"{each.sum} VP; {each.madness} Madness cards cost {each.penalty}"
    return Step(f"{each.name}: {counted.get(each.madness, cost)}.", "madness-penalty")


def _our_table(table: Table, standings: tuple[Standing, ...], *touched: HouseRule) -> Iterator[Step]:
    """The choices that this verdict rests on."""
    unended = any(each.vp >= GOAL > each.left for each in standings)
    for rule in (*touched, *([PENALTY] if unended else [])):
        yield rule.step(table)


def _names(some: list[Standing]) -> str:
    return listed([each.name for each in some])


def _seats(some: list[Standing]) -> tuple[int, ...]:
    return tuple(each.seat for each in some)


def _leading(first: list[Standing], best: int) -> str:
    if best <= 0:
        return "The game goes on; nobody is ahead yet."
    return f"The game goes on. {_names(first)} {'lead' if len(first) > 1 else 'leads'} with {best} VP."


@kept_while(attrgetter("table.seats", "vp", "madness"))
def standings(state: State) -> tuple[Standing, ...]:
    return tuple(
        [
            Standing(each.id, each.name, state.vp_of(each.id), state.madness_of(each.id))
            for each in state.table.seats
        ]
    )


@kept_while(attrgetter("table.seats", "table.choices", "vp", "madness", "stage"))
def adjudicate(state: State) -> Verdict:
    table, verdict = state.table, judge(state.table, standings(state))
    at_once = state.stage == "play" and END_CHECK.chosen(table) == "at-once"
    if state.stage == "check" or at_once or not verdict.final:
        return verdict
    winners = listed([table.seat(seat).name for seat in verdict.winners])
    would = "would share the win" if verdict.outcome == "shared" else "would win"
    summary = f"The game ends with this turn: as it stands, {winners} {would}."
    return Verdict("continues", summary, (), verdict.steps, verdict.winners)


# --- a tally from the command line ---


@dataclass(frozen=True)
class Player:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  pydantic reads it here

    name: Name
    vp: Annotated[int, Field(ge=0, le=999)]
    madness_cards: Annotated[int, Field(ge=0, le=MADNESS)]


def tally(table: Table, players: tuple[Player, ...]) -> Verdict:
    """At the end of a turn; the players are in the order of the seats."""
    cards = sum(each.madness_cards for each in players)
    if cards > MADNESS:
        raise Refused(f"There are only {MADNESS} Madness cards; the tally has {cards}.")
    pairs = zip(table.seats, players, strict=True)
    return judge(table, tuple(Standing(seat.id, seat.name, p.vp, p.madness_cards) for seat, p in pairs))
