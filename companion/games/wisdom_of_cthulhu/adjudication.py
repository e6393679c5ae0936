"""Who won, and why: the most Knowledge Points after the sixth turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from pydantic import Field

from companion.core import Name, Refused, Scores, Seat, Step, Table, Verdict
from companion.core.memo import once
from companion.core.text import listed, plain
from companion.games.wisdom_of_cthulhu.box import TURNS, find_bond
from companion.games.wisdom_of_cthulhu.house_rules import ABSENT_GOD, BELOW_ZERO
from companion.games.wisdom_of_cthulhu.state import State


class Standing(NamedTuple):
    seat: int
    name: str
    kp: int


def judge(turn: int, over: bool, standings: tuple[Standing, ...], working: tuple[Step, ...] = ()) -> Verdict:
    best = max(each.kp for each in standings)
    first = tuple(each for each in standings if each.kp == best)
    seats, names = tuple(each.seat for each in first), listed([each.name for each in first])
    compared = ", ".join(f"{each.name} {plain(each.kp)} KP" for each in standings)
    if not over or turn < TURNS:
        would = f"would share the win with {plain(best)} KP each" if len(first) > 1 else "would win"
        would += "" if len(first) > 1 else f" with {plain(best)} KP"
        now = f"Turn {turn} of {TURNS}{' is over' if over else ''}" if turn else "The game has not begun"
        left = Step(f"{now}; the game ends after turn {TURNS}.", "six-turns")
        summary = f"{now}. If we ended now, {names} {would}."
        most = Step(f"{compared}.", "most-points")
        return Verdict("continues", summary, (), (*working, left, most), leaders=seats)
    end = f"Turn {TURNS} is over: every Path is a Permanent Obsession, and the game ends."
    working = (*working, Step(end, "six-turns"))
    if len(first) > 1:
        tie = f"{compared}: equal at the top. The manual is silent about ties, so the win is shared."
        summary = f"{names} share the win with {plain(best)} KP each; the manual names no tie-break."
        return Verdict("shared", summary, seats, (*working, Step(tie, "tie-silent")))
    most = Step(f"{compared}: the most Knowledge Points win.", "most-points")
    return Verdict("win", f"{names} wins with {plain(best)} KP.", seats, (*working, most))


@once
def adjudicate(state: State) -> Verdict:
    return _judged(state.table.seats, state.gains, state.turn, state.over, tuple(_touched(state)))


@lru_cache(1024)  # most taps change no points: a verdict for each of many tables
def _judged(
    seats: tuple[Seat, ...],
    gains: tuple[tuple[int, ...], ...],
    turn: int,
    over: bool,
    touched: tuple[Step, ...],
) -> Verdict:
    standings = tuple(Standing(seat.id, seat.name, sum(got)) for seat, got in zip(seats, gains, strict=True))
    working = [_counted(seat.name, got) for seat, got in zip(seats, gains, strict=True) if turn]
    return judge(turn, over, standings, (*working, *touched))


@lru_cache(4096)
def _counted(name: str, turns: tuple[int, ...]) -> Step:
    sums = plain(turns[0]) + "".join([f" + {n}" if n >= 0 else f" − {-n}" for n in turns[1:]])
    total = f" = {plain(sum(turns))}" if len(turns) > 1 else ""
    return Step(f"{name}, turn by turn: {sums}{total} KP.", "count-each-turn")


def _touched(state: State) -> Iterator[Step]:
    """What else the numbers rest on."""
    if not state.turn:
        return
    if state.evoked:
        who, god = state.evoked, find_bond(state.evoked.bond).god
        name = next((seat.name for seat in state.table.seats if seat.id == who.seat), "Somebody who left")
        yield Step(f"{name} evoked {god} in turn {who.turn}.", "one-evocation")
    for rule in (BELOW_ZERO, ABSENT_GOD):
        if rule.chosen(state.table) != rule.default:
            reading = rule.reading(rule.chosen(state.table))
            yield Step(f"Our table: {rule.question} {reading}.", rule.id)


# --- a tally from the command line ---


@dataclass(frozen=True)
class Player:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  pydantic reads it here

    name: Name
    kp: Annotated[int, Field(ge=-9999, le=9999)]


def tally(
    table: Table,
    turn: Annotated[int, Field(ge=1, le=TURNS)],
    turn_over: bool,
    players: tuple[Player, ...],
) -> Verdict:
    """In this turn, or after it; the players are in the order of the seats."""
    for each in players:
        if each.kp < 0 and BELOW_ZERO.chosen(table) != "yes":
            raise Refused(f"{each.name} cannot have {plain(each.kp)} KP: nobody goes below 0.")
    pairs = zip(table.seats, players, strict=True)
    return judge(turn, turn_over, tuple(Standing(seat.id, seat.name, each.kp) for seat, each in pairs))


def scores(state: State) -> Scores:
    """Knowledge Points after each turn; a correction reaches the turn it belongs to."""
    turns = range(1, max(1, state.turn) + 1)
    after = {f"Turn {turn}": {seat: state.kp(seat, turn) for seat in state.seats} for turn in turns}
    return Scores(after, "KP")
