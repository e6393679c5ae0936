"""Where things lie: a plan of the table for its number of players, and small drawings, of the same shapes.

A room says in data what lies where; here that becomes shapes with places and sizes, and one template draws
them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass as plain_dataclass
from typing import Literal, NamedTuple

from companion.core.fixed import dataclass
from companion.core.pieces import Piece
from companion.core.table import Seat

WIDE = 320  # of every plan; a phone shows it about as wide as that
GAP = 4  # between things side by side
SEAT = 13  # how far from its middle a seat's token goes
SMALL, USUAL = 11, 12  # how large words are
Look = Literal["card", "back", "pile", "board", "token", "die", "arrow", "words"]


class Kind(NamedTuple):
    wide: int
    high: int
    fill: str  # colours by their names in tokens.css
    line: str
    round: int = 3  # of its corners
    ink: str = "ink"  # of a sign on it


KINDS: dict[str, Kind] = {
    "card": Kind(22, 30, "surface-high", "ink-soft"),
    "back": Kind(22, 30, "edge", "ink-soft"),
    "pile": Kind(22, 30, "edge", "ink-soft"),
    "board": Kind(110, 60, "surface", "ink-soft", 6),
    "token": Kind(14, 14, "accent", "accent", 7, "on-accent"),
    "die": Kind(18, 18, "ink", "ink", 4, "ground"),
    "arrow": Kind(0, 0, "accent", "accent"),
    "words": Kind(0, 0, "ink", "ink"),
}


@plain_dataclass(frozen=True)
class Thing:
    """Something that lies there, as a room's data says it."""

    look: Look
    at: tuple[int, int] = (50, 50)  # its middle, in hundredths of the width and the height
    name: str = ""
    item: str = ""  # the line of the checklist that lays it there
    many: int = 1  # side by side
    size: tuple[int, int] | None = None
    to: tuple[int, int] | None = None  # where an arrow points, as `at`
    each: bool = False  # before every player; `at` is then how far to the right of them, and how far forward
    players: tuple[int, ...] = ()  # only where so many play
    sign: str = ""  # a letter or two on it

    def __post_init__(self) -> None:
        if self.look not in KINDS:
            raise ValueError(f"{self.name or self.item}: nothing looks like “{self.look}”")


@dataclass(frozen=True)
class Shape:
    """A box with round corners, words that stand in their middle, or a line with a point."""

    kind: Literal["box", "words", "line"]
    x: float
    y: float
    wide: float = 0
    high: float = 0
    round: float = 0
    fill: str = ""
    line: str = ""
    words: str = ""
    size: int = USUAL
    colour: str = ""  # a seat's
    d: str = ""


@dataclass(frozen=True)
class Plan(Piece):
    """Where things lie, drawn. What it shows is also said in words."""

    id: str
    shapes: tuple[Shape, ...]
    label: str
    high: int = 220


def plan(
    id: str, things: Collection[Thing], seats: Sequence[Seat], numbers: dict[str, str], high: int
) -> Plan:
    """Of the table: seats round it, and things as they are when the checklist is done, with its numbers."""
    here = [each for each in things if not each.players or len(seats) in each.players]
    shapes = [Shape("box", 8, 8, WIDE - 16, high - 16, 28, "ground", "edge")]
    for at, seat in enumerate(seats):
        x, y = _chair(at, len(seats), high)
        for each in here:
            if each.each:
                number = numbers.get(each.item, "") if not at else ""  # once is enough
                shapes += _laid(each, *_before(x, y, each.at, high), number)
        shapes += _seat(seat, x, y)
    for each in here:
        if not each.each:
            shapes += _shapes(each, high, numbers.get(each.item, ""))
    return Plan(id, tuple(shapes), _described(here, len(seats)), high)


def sketch(id: str, things: Collection[Thing], label: str, high: int) -> Plan:
    return Plan(id, tuple(shape for each in things for shape in _shapes(each, high, "")), label, high)


def _described(things: Sequence[Thing], players: int) -> str:
    names = [f"{each.name}{' before each player' if each.each else ''}" for each in things if each.name]
    return f"The table for {players}: {', '.join(names)}"


def _seat(seat: Seat, x: float, y: float) -> tuple[Shape, ...]:
    disc = Shape("box", x - SEAT, y - SEAT, 2 * SEAT, 2 * SEAT, SEAT, "seat", "edge", colour=seat.colour)
    return disc, _words(seat.name[:1], x, y, "ground")


def _words(words: str, x: float, y: float, ink: str = "ink", size: int = USUAL) -> Shape:
    return Shape("words", round(x, 1), round(y, 1), fill=ink, words=words, size=size)


def _chair(at: int, of: int, high: int) -> tuple[float, float]:
    """The first sits below, the others follow clockwise, as they sit."""
    turn = math.pi / 2 + 2 * math.pi * at / of
    across, along = WIDE / 2 - SEAT - 1, high / 2 - SEAT - 1
    return round(WIDE / 2 + across * math.cos(turn), 1), round(high / 2 + along * math.sin(turn), 1)


def _before(x: float, y: float, at: tuple[int, int], high: int) -> tuple[float, float]:
    """From a chair: so far to the right of who sits there, and so far towards the middle."""
    away_x, away_y = WIDE / 2 - x, high / 2 - y
    far = math.hypot(away_x, away_y) or 1
    ahead_x, ahead_y = away_x / far, away_y / far
    right, ahead = at
    return x + ahead_x * ahead - ahead_y * right, y + ahead_y * ahead + ahead_x * right


def _shapes(thing: Thing, high: int, number: str) -> Iterator[Shape]:
    x, y = thing.at[0] * WIDE / 100, thing.at[1] * high / 100
    if thing.to:
        yield from _arrow(thing, x, y, thing.to[0] * WIDE / 100, thing.to[1] * high / 100)
    else:
        yield from _laid(thing, x, y, number)


def _arrow(thing: Thing, x: float, y: float, to_x: float, to_y: float) -> Iterator[Shape]:
    far = math.hypot(to_x - x, to_y - y) or 1
    ahead_x, ahead_y = 7 * (to_x - x) / far, 7 * (to_y - y) / far
    wings = [(to_x - ahead_x + side * ahead_y, to_y - ahead_y - side * ahead_x) for side in (1, -1)]
    (a, b), (c, d) = wings
    way = f"M{x:.0f} {y:.0f}L{to_x:.0f} {to_y:.0f}M{a:.0f} {b:.0f}L{to_x:.0f} {to_y:.0f}L{c:.0f} {d:.0f}"
    yield Shape("line", x, y, line="accent", d=way)
    if thing.name:
        yield _words(thing.name, (x + to_x) / 2, min(y, to_y) - 9, size=SMALL)


def _laid(thing: Thing, x: float, y: float, number: str) -> Iterator[Shape]:
    kind = KINDS[thing.look]
    wide, high = thing.size or kind[:2]
    left, top = x - (thing.many * (wide + GAP) - GAP) / 2, y - high / 2
    for n in range(thing.many if wide else 0):
        corner = round(left + n * (wide + GAP), 1), round(top, 1)
        if thing.look == "pile":
            yield Shape("box", corner[0] + 3, corner[1] - 3, wide, high, kind.round, kind.fill, kind.line)
        yield Shape("box", *corner, wide, high, kind.round, kind.fill, kind.line)
        if thing.sign:
            yield _words(thing.sign, corner[0] + wide / 2, y, kind.ink, SMALL)
    if thing.name and not thing.each:
        yield _words(thing.name, x, y + (high / 2 + 9 if wide else 0), size=SMALL)
    if number:
        yield Shape("box", round(left - 9, 1), round(top - 9, 1), 17, 17, 8.5, "accent", "accent")
        yield _words(number, left - 0.5, top - 0.5, "on-accent", SMALL)
