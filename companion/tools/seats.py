"""Seats: who plays, what they are called, how they look, in which order, and who starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import (
    Choice,
    Context,
    Event,
    Name,
    Refused,
    Seat,
    SeatId,
    State,
    Table,
    TableEvent,
    host_only,
    replace,
)
from companion.core.table import COLOURS, SYMBOLS
from companion.core.text import same_name


class SeatAdded(TableEvent):
    seat: int
    name: str
    colour: str
    symbol: str

    def change(self, table: Table) -> Table:
        if any(seat.id == self.seat for seat in table.seats):
            raise Refused("That seat is at the table already.")
        seat = Seat(self.seat, self.name, self.colour, self.symbol)
        seats = (*table.seats, seat)
        return _checked(replace(table, seats=seats, last_seat=max(table.last_seat, self.seat)))

    def log_text(self, state: State) -> str:
        return "sat down"


class SeatRemoved(TableEvent):
    seat: int
    name: str

    def change(self, table: Table) -> Table:
        table.seat(self.seat)
        seats = tuple(seat for seat in table.seats if seat.id != self.seat)
        starter = seats[0].id if seats and table.starter == self.seat else table.starter
        table = replace(table, seats=seats, starter=starter)
        holder = table.holder(self.seat)
        return table.without_seats(holder, (self.seat,)) if holder else table

    def log_text(self, state: State) -> str:
        return "left the table"


class SeatRenamed(TableEvent):
    seat: int
    name: str
    was: str = ""

    def change(self, table: Table) -> Table:
        return _checked(table.with_seat(replace(table.seat(self.seat), name=self.name)))

    def log_text(self, state: State) -> str:
        return f"was called {self.was} before"


class SeatRepainted(TableEvent):
    seat: int
    colour: str
    symbol: str

    def change(self, table: Table) -> Table:
        seat = replace(table.seat(self.seat), colour=self.colour, symbol=self.symbol)
        return _checked(table.with_seat(seat))

    def log_text(self, state: State) -> str:
        return f"now {self.colour}, with the {self.symbol}"


class SeatsReordered(TableEvent):
    order: tuple[int, ...]

    def change(self, table: Table) -> Table:
        known = {id: place for place, id in enumerate(self.order)}
        ordered = sorted(table.seats, key=lambda seat: known.get(seat.id, len(known)))
        return replace(table, seats=tuple(ordered))

    def log_text(self, state: State) -> str:
        return "seats in the order " + ", ".join(seat.name for seat in state.table.seats)


class StarterChosen(TableEvent):
    seat: int
    by_lot: bool = False

    def change(self, table: Table) -> Table:
        table.seat(self.seat)
        return replace(table, starter=self.seat)

    def log_text(self, state: State) -> str:
        return "starts" + (", by lot" if self.by_lot else "")


@host_only
def add_seat(state: State, context: Context, name: Name) -> Iterator[Event]:
    yield SeatAdded(state.table.last_seat + 1, name, *state.table.free_look())


@host_only
def remove_seat(state: State, context: Context, seat: SeatId) -> Iterator[Event]:
    yield SeatRemoved(seat, state.table.seat(seat).name)


@host_only
def rename_seat(state: State, context: Context, seat: SeatId, name: Name) -> Iterator[Event]:
    was = state.table.seat(seat).name
    if name == was:
        raise Refused(f"{name} is called that already.")
    yield SeatRenamed(seat, name, was)


@host_only
def repaint_seat(
    state: State, context: Context, seat: SeatId, colour: Choice, symbol: Choice
) -> Iterator[Event]:
    check_looks([each for each in state.table.seats if each.id != seat] + [Seat(seat, "", colour, symbol)])
    yield SeatRepainted(seat, colour, symbol)


@host_only
def change_seat(
    state: State, context: Context, seat: SeatId, name: Name, colour: Choice, symbol: Choice
) -> Iterator[Event]:
    """All that the sheet about a seat says, in one tap."""
    was = state.table.seat(seat)
    if name != was.name:
        yield SeatRenamed(seat, name, was.name)
    if (colour, symbol) != (was.colour, was.symbol):
        yield from repaint_seat(state, context, seat, colour, symbol)


@host_only
def move_seat(state: State, context: Context, seat: SeatId, way: Literal["up", "down"]) -> Iterator[Event]:
    order = [each.id for each in state.table.seats]
    at = order.index(seat)
    to = at + (1 if way == "down" else -1)
    if not 0 <= to < len(order):
        raise Refused(f"{state.table.seat(seat).name} is {'last' if way == 'down' else 'first'} already.")
    order[at], order[to] = order[to], order[at]
    yield SeatsReordered(tuple(order))


def choose_starter(state: State, context: Context, seat: SeatId) -> Iterator[Event]:
    yield StarterChosen(seat)


def draw_starter(state: State, context: Context) -> Iterator[Event]:
    yield StarterChosen(context.luck.choose(state.table.seats).id, by_lot=True)


def check_looks(seats: list[Seat]) -> None:
    """Colour and symbol tell seats apart, also for eyes that see no colours."""
    for what, known in (("colour", COLOURS), ("symbol", SYMBOLS)):
        taken = [getattr(seat, what) for seat in seats]
        if not set(taken) <= set(known):
            raise Refused(f"There is no such {what} in the box.")
        twice = next((each for each in taken if taken.count(each) > 1), None)
        if twice:
            raise Refused(f"Two seats have the same {what}: {twice}. Give each its own.")


def _checked(table: Table) -> Table:
    """Checked by the events, so that a taken back removal or rename cannot make twins either."""
    twice = same_name([seat.name for seat in table.seats])
    if twice:
        raise Refused(f"Somebody at this table is called {twice} already.")
    if len(table.seats) <= len(COLOURS):  # beyond that some must share a look
        check_looks(list(table.seats))
    return table


COMMANDS = (
    add_seat,
    remove_seat,
    rename_seat,
    repaint_seat,
    change_seat,
    move_seat,
    choose_starter,
    draw_starter,
)
EVENTS = (SeatAdded, SeatRemoved, SeatRenamed, SeatRepainted, SeatsReordered, StarterChosen)
