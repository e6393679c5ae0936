"""Knowledge Points over the turns, as numbers that a template can draw: one line for each seat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from companion.core import Seat
from companion.core.text import plain
from companion.games.wisdom_of_cthulhu.box import TURNS

WIDTH, HEIGHT = 360, 176
LEFT, RIGHT, TOP, BOTTOM = 30, 344, 14, 150


class Dot(NamedTuple):
    x: int
    y: int
    turn: int
    kp: int


@dataclass(frozen=True)
class Line:
    seat: Seat
    dots: tuple[Dot, ...]

    @property
    def past(self) -> tuple[Dot, ...]:
        return self.dots[1:-1]  # the first is where everyone began

    @property
    def now(self) -> Dot:
        return self.dots[-1]

    @property
    def label(self) -> str:
        return f"{self.seat.name}: {', '.join([str(dot.kp) for dot in self.dots])}."

    @property
    def points(self) -> str:
        return " ".join([f"{dot.x},{dot.y}" for dot in self.dots])


class Mark(NamedTuple):
    """A number beside an axis."""

    at: int
    label: str

    @property
    def base(self) -> int:
        """Of the writing, so that a line goes through its middle."""
        return self.at + 4


@dataclass(frozen=True)
class Chart:
    lines: tuple[Line, ...]
    up: tuple[Mark, ...]
    along: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT
    beside: int = LEFT - 8
    below: int = BOTTOM + 18


ALONG = tuple(Mark(round(LEFT + turn * (RIGHT - LEFT) / TURNS), str(turn)) for turn in range(TURNS + 1))


@lru_cache(1024)  # most taps change no points: a chart for each of many tables
def chart(seats: tuple[Seat, ...], gains: tuple[tuple[int, ...], ...]) -> Chart:
    """From 0 before turn 1 to where everyone stands now."""
    totals = [tuple(accumulate(got, initial=0)) for got in gains]
    every = [kp for each in totals for kp in each]
    least, most = min(0, *every), max(every)
    step = _step(most - least)
    low, high = step * (least // step), step * (-(-most // step) or 1)
    if high == low:
        high = low + step
    lines = tuple([_line(seat, each, low, high) for seat, each in zip(seats, totals, strict=True)])
    return Chart(lines, _marks(low, high, step), ALONG)


@lru_cache(4096)
def _line(seat: Seat, totals: tuple[int, ...], low: int, high: int) -> Line:
    return Line(
        seat,
        tuple([Dot(ALONG[turn].at, _y(kp, low, high), turn, kp) for turn, kp in enumerate(totals)]),
    )


@lru_cache(256)
def _marks(low: int, high: int, step: int) -> tuple[Mark, ...]:
    return tuple(Mark(_y(kp, low, high), plain(kp)) for kp in range(low, high + 1, step))


def _y(kp: int, low: int, high: int) -> int:
    return round(BOTTOM - (kp - low) * (BOTTOM - TOP) / (high - low))


def _step(spread: int) -> int:
    """Four or five lines across, at round numbers."""
    step = 5
    while spread > 5 * step:
        step *= 2
    return step
