"""Knowledge Points over the turns, as numbers that a template can draw: one line for each seat."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core import Seat
from companion.games.wisdom_of_cthulhu.box import TURNS
from companion.games.wisdom_of_cthulhu.state import State

WIDTH, HEIGHT = 360, 176
LEFT, RIGHT, TOP, BOTTOM = 30, 344, 14, 150


@dataclass(frozen=True)
class Dot:
    x: int
    y: int
    turn: int
    kp: int


@dataclass(frozen=True)
class Line:
    seat: Seat
    dots: tuple[Dot, ...]

    @property
    def points(self) -> str:
        return " ".join(f"{dot.x},{dot.y}" for dot in self.dots)


@dataclass(frozen=True)
class Mark:
    """A number beside an axis."""

    at: int
    label: str


@dataclass(frozen=True)
class Chart:
    lines: tuple[Line, ...]
    up: tuple[Mark, ...]
    along: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT
    bottom: int = BOTTOM


def chart(state: State) -> Chart:
    """From 0 before turn 1 to where everyone stands now."""
    totals = {
        seat.id: [0, *(state.kp(seat.id, turn) for turn in range(1, state.turn + 1))]
        for seat in state.table.seats
    }
    every = [kp for each in totals.values() for kp in each]
    step = _step(max(every) - min(0, *every))
    low, high = step * (min(0, *every) // step), step * (-(-max(every, default=0) // step) or 1)
    if high == low:
        high = low + step

    def up(kp: int) -> int:
        return round(BOTTOM - (kp - low) * (BOTTOM - TOP) / (high - low))

    def along(turn: int) -> int:
        return round(LEFT + turn * (RIGHT - LEFT) / TURNS)

    return Chart(
        tuple(
            Line(seat, tuple(Dot(along(t), up(kp), t, kp) for t, kp in enumerate(totals[seat.id])))
            for seat in state.table.seats
        ),
        tuple(Mark(up(kp), str(kp).replace("-", "−")) for kp in range(low, high + 1, step)),
        tuple(Mark(along(turn), str(turn)) for turn in range(TURNS + 1)),
    )


def _step(spread: int) -> int:
    """Four or five lines across, at round numbers."""
    step = 5
    while spread > 5 * step:
        step *= 2
    return step
