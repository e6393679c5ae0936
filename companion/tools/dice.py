"""Dice everyone sees: rolled by the app, or by the players' own hands and told to it. Lots and shuffles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BeforeValidator

from companion.core import Context, Event, Game, Refused, State, Table, TableEvent, host_only, replace
from companion.core.command import Command
from companion.core.dice import COIN, Die, Face, numbered
from companion.core.text import listed, plain
from companion.tools.seats import SeatsReordered

MOST = 20  # dice in one throw: what two hands can hold
SIDES = range(2, 101)
KEPT = 12  # throws that a page shows; the journal has them all
LONGEST = 80  # characters of what is typed
_PIECE = re.compile(r"([+-]?)(?:(\d{1,4})?(d\d{1,4}|d%|[a-z]+(?:-[a-z]+)*)|(\d{1,4}))", re.ASCII)


def _face(typed: object) -> int:
    text = str(typed).strip()
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise Refused("Say of each die which face it shows; faces are counted from 1.")
    return int(text)


Shown = Annotated[int, BeforeValidator(_face)]


@dataclass(frozen=True)
class Rolled:
    """One die and the face it shows, counted from 1."""

    die: str
    face: int
    name: str
    symbol: str = ""
    points: int | None = None


@dataclass(frozen=True)
class Cup:
    """What was asked for: these dice, and a number to add."""

    dice: tuple[Die, ...]
    plus: int
    wording: str


@dataclass(frozen=True)
class Dice:
    """The evening's throws: the last few, and how often each face of each die came up."""

    last: tuple[DiceRolled | LotDrawn, ...] = ()
    spread: Mapping[tuple[str, bool], tuple[int, ...]] = field(default_factory=dict)  # (die, real) → by face
    faces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number: int = 0  # how many there were, so that a phone knows a new one

    def fallen(self, die: str, real: bool) -> dict[str, int]:
        """How often each face came up; faces that show the same count as one."""
        found: dict[str, int] = {}
        for face, count in zip(self.faces[die], self.spread[die, real], strict=True):
            found[face] = found.get(face, 0) + count
        return found

    def with_one_more(self, happened: DiceRolled | LotDrawn) -> Dice:
        return replace(self, last=(happened, *self.last)[:KEPT], number=self.number + 1)


def dice(table: Table) -> Dice:
    found = table.tools.get("dice")
    return found if isinstance(found, Dice) else Dice()


class DiceRolled(TableEvent):
    wording: str
    results: tuple[Rolled, ...]
    plus: int = 0
    real: bool = False
    sides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # die → the names of its faces
    by: int = 0  # the phone
    quiet: bool = False  # the room shows and tells it itself, where it counts
    instead: int = 0  # the face that was told of the one real die before, by a slip

    @property
    def total(self) -> int | None:
        """The sum, where every die counts."""
        points = [each.points for each in self.results if each.points is not None]
        return sum(points) + self.plus if len(points) == len(self.results) else None

    @property
    def summed(self) -> bool:
        """Whether the sum says more than the dice do."""
        return self.total is not None and bool(len(self.results) > 1 or self.plus)

    def change(self, table: Table) -> Table:
        before = dice(table)
        spread = dict(before.spread)
        for each in self.results:
            key = (each.die, self.real)
            counts = list(spread.get(key, ()))
            counts += [0] * (len(self.sides[each.die]) - len(counts))
            counts[each.face - 1] += 1
            if self.instead:
                counts[self.instead - 1] -= 1
            spread[key] = tuple(counts)
        after = replace(before.with_one_more(self), spread=spread, faces={**before.faces, **self.sides})
        return replace(table, tools={**table.tools, "dice": after})

    def log_text(self, state: State) -> str:
        if self.quiet:
            return ""
        words = f"{'rolled at the table' if self.real else 'rolled'} {self.wording}: "
        words += listed([each.name for each in self.results])
        if self.total is not None and self.summed:
            words += f", {plain(self.plus) if self.plus < 0 else f'+{self.plus}'}" if self.plus else ""
            words += f" = {plain(self.total)}"
        return words


class LotDrawn(TableEvent):
    seat: int
    by: int = 0

    def change(self, table: Table) -> Table:
        table.seat(self.seat)
        return replace(table, tools={**table.tools, "dice": dice(table).with_one_more(self)})

    def log_text(self, state: State) -> str:
        return "drawn by lot"


def fill(own: tuple[Die, ...], typed: str) -> Cup:
    """Read 2d6+1, d20, 3d6-2, coin, d%, or a room's own dice by name; a sentence where it cannot be."""
    if len(typed) > LONGEST:
        raise Refused("That is more than one throw; type something like d20, 2d6+1 or coin.")
    text = re.sub(r"\s*([+-])\s*", r"\1", typed.strip().lower().replace("−", "-").replace("–", "-"))
    pieces = list(_PIECE.finditer(text))
    if not pieces or "".join(piece[0] for piece in pieces) != text:
        raise Refused("Which dice? Type something like d20, 2d6+1 or coin.")
    cup: list[Die] = []
    plus = 0
    for at, (sign, count, name, number) in enumerate(piece.groups() for piece in pieces):
        if at and not sign:
            raise Refused("Put + or − between the dice, as in 2d6+1.")
        if number:
            plus += int(sign + number)
            continue
        if sign == "-":
            raise Refused("Dice can be added, not taken away; a number can be: 2d6−1.")
        cup += _several(count, _die(own, name), len(cup))
    if not cup:
        raise Refused("Which dice? Type something like d20, 2d6+1 or coin.")
    return Cup(tuple(cup), plus, re.sub(r"-(?=\d)", "−", text))


def _several(count: str | None, die: Die, already: int) -> list[Die]:
    number = 1 if count is None else int(count)
    if number == 0:
        raise Refused("No dice, no roll: throw at least one.")
    if number + already > MOST:
        raise Refused(f"{MOST} dice are as many as two hands can hold.")
    return [die] * number


def _die(own: tuple[Die, ...], name: str) -> Die:
    for die in (*own, COIN):
        if name == die.id:
            return die
    if name == "d%":
        return numbered(100)
    if re.fullmatch(r"d\d+", name):
        sides = int(name[1:])
        if sides not in SIDES:
            raise Refused(f"A die has {SIDES[0]} to {SIDES[-1]} sides; d{sides} has not.")
        return numbered(sides)
    raise Refused(f"There is no die called “{name[:20]}” at this table.")


def throw(cup: Cup, faces: list[int], by: int, real: bool = False, quiet: bool = False) -> DiceRolled:
    shown: list[tuple[Die, Face, int]] = [
        (die, die.faces[face - 1], face) for die, face in zip(cup.dice, faces, strict=True)
    ]
    return DiceRolled(
        cup.wording,
        tuple(Rolled(die.id, number, face.name, face.symbol, face.points) for die, face, number in shown),
        cup.plus,
        real,
        {die.id: tuple(face.name for face in die.faces) for die in cup.dice},
        by,
        quiet,
    )


def roll(context: Context, cup: Cup, quiet: bool = False) -> DiceRolled:
    """For rooms too: the operating system's luck, one number for each die."""
    return throw(cup, [context.luck.roll(len(die.faces)) for die in cup.dice], context.phone, quiet=quiet)


def fall(context: Context, die: Die, face: int = 0) -> DiceRolled:
    """One die, where a room shows and tells it itself: rolled, or with a face as a real one fell."""
    cup = Cup((die,), 0, f"the {die.name}")
    return throw(cup, [face], context.phone, True, quiet=True) if face else roll(context, cup, quiet=True)


def commands(game: Game[Any]) -> tuple[Command, ...]:
    """They know the room's own dice."""

    def roll_dice(
        state: State, context: Context, throw_what: str = "", shown: tuple[Shown, ...] = ()
    ) -> Iterator[Event]:
        """With `shown` the players rolled their own dice, and say which faces came up."""
        cup = fill(game.dice, throw_what)
        if not shown:
            yield roll(context, cup)
            return
        if len(shown) != len(cup.dice):
            raise Refused(f"{len(cup.dice)} dice were thrown; say what each of them shows.")
        for die, face in zip(cup.dice, shown, strict=True):
            if not 1 <= face <= len(die.faces):
                raise Refused(f"A {die.name} has no such face.")
        yield throw(cup, list(shown), context.phone, real=True)

    return (roll_dice,)


def draw_lot(state: State, context: Context) -> Iterator[Event]:
    yield LotDrawn(context.luck.choose(state.table.seats).id, context.phone)


@host_only
def shuffle_seats(state: State, context: Context) -> Iterator[Event]:
    yield SeatsReordered(context.luck.shuffle([seat.id for seat in state.table.seats]))


COMMANDS = (draw_lot, shuffle_seats)
EVENTS = (DiceRolled, LotDrawn)
