"""Asking for a seat: nobody loses one without a word.

A seat that another phone holds is asked for; its holder says, or the host does. A phone of which nothing was
heard for a minute need not be asked. Where everyone taps for their own seat only, a phone takes one free seat
by itself, and for more it asks the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from companion.core import Context, Count, Event, Refused, Seat, State, Table, TableEvent, phone_only, replace

SILENT = 60_000  # milliseconds
NOBODY = 0  # holds a free seat


@dataclass(frozen=True)
class SeatRequest:
    seats: tuple[int, ...] = ()
    at: int = 0
    no: Mapping[int, int] = field(default_factory=dict)  # seat → whose it was when the answer was no

    def answered(self, seats: tuple[int, ...]) -> Self:
        return replace(self, seats=tuple(seat for seat in self.seats if seat not in seats))


def _requests(table: Table) -> dict[int, SeatRequest]:
    found = table.tools.get("asking")
    return found if isinstance(found, dict) else {}


def _by(table: Table, phone: int) -> SeatRequest:
    return _requests(table).get(phone, SeatRequest())


def _with(table: Table, phone: int, request: SeatRequest) -> Table:
    return replace(table, tools={**table.tools, "asking": {**_requests(table), phone: request}})


def _holder(table: Table, seat: int) -> int:
    holder = table.holder(seat)
    return holder.number if holder else NOBODY


def settled(table: Table, phone: int) -> Table:
    """It has sat down somewhere else meanwhile; a no is remembered all the same."""
    request = _requests(table).get(phone)
    return _with(table, phone, replace(request, seats=())) if request and request.seats else table


@dataclass(frozen=True)
class WantedSeat:
    phone: int  # who asks
    seat: Seat
    holder: int


def wanted_seats(table: Table) -> tuple[WantedSeat, ...]:
    """Those that wait for an answer."""
    there = {seat.id: seat for seat in table.seats}
    in_the_room = {phone.number for phone in table.phones if phone.role not in ("gone", "waiting")}
    return tuple(
        WantedSeat(phone, there[seat], _holder(table, seat))
        for phone, request in _requests(table).items()
        if phone in in_the_room
        for seat in request.seats
        if seat in there and _holder(table, seat) != phone
    )


class SeatsAsked(TableEvent):
    phone: int
    seats: tuple[int, ...]
    at: int
    lasting = True

    def change(self, table: Table) -> Table:
        return _with(table, self.phone, replace(_by(table, self.phone), seats=self.seats, at=self.at))

    def log_text(self, state: State) -> str:
        return f"asks for the seat of {_names(state.table, self.seats)}"


class SeatsGiven(TableEvent):
    """To a phone that asked for them, by who held them or by the host."""

    phone: int
    seats: tuple[int, ...]
    lasting = True

    def change(self, table: Table) -> Table:
        for other in table.phones:
            if other.number != self.phone:
                table = table.without_seats(other, self.seats)
        mine = table.phone(self.phone)
        seats = tuple(seat.id for seat in table.seats if seat.id in (*mine.seats, *self.seats))
        table = table.with_phone(replace(mine, role="player", seats=seats, invites=False))
        return _with(table, self.phone, _by(table, self.phone).answered(self.seats))

    def log_text(self, state: State) -> str:
        return f"gave the seat of {_names(state.table, self.seats)} to {state.table.phone(self.phone).label}"


class SeatsDenied(TableEvent):
    phone: int
    seats: tuple[int, ...]
    lasting = True

    def change(self, table: Table) -> Table:
        before = _by(table, self.phone).answered(self.seats)
        no = {**before.no, **{seat: _holder(table, seat) for seat in self.seats}}
        return _with(table, self.phone, replace(before, no=no))

    def log_text(self, state: State) -> str:
        return f"keeps the seat of {_names(state.table, self.seats)}"


def _names(table: Table, seats: tuple[int, ...]) -> str:
    return " & ".join(seat.name for seat in table.seats if seat.id in seats)


def seats_to_ask_for(table: Table, context: Context, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """Of the seats that a phone wants, those it cannot simply take."""
    me = table.phone(context.phone)
    if me.number == table.host:
        return ()
    new = [seat for seat in wanted if seat not in me.seats]
    held = [seat for seat in new if _is_held(table, context, seat)]
    free = [seat for seat in new if seat not in held]
    if table.own_seats_only:
        keeps = any(seat in me.seats for seat in wanted)
        held += free if keeps else free[1:]
    return tuple(seat for seat in wanted if seat in held)


def _is_held(table: Table, context: Context, seat: int) -> bool:
    """By a phone that is still there, as far as anybody can know."""
    holder = _holder(table, seat)
    if holder == NOBODY:
        return False
    heard = context.heard(holder)
    if heard is not None:
        return context.now - heard < SILENT
    request = _by(table, context.phone)  # it may listen elsewhere: then it hears the question
    return seat not in request.seats or context.now - request.at < SILENT


def ask_for(table: Table, context: Context, seats: tuple[int, ...]) -> SeatsAsked:
    request = _by(table, context.phone)
    for seat in seats:
        if request.no.get(seat) == _holder(table, seat):
            raise Refused(
                f"The answer about {table.seat(seat).name}’s seat was no. The host can still give it."
            )
    if set(seats) <= set(request.seats):
        raise Refused("That is asked already. Whoever holds the seat, or the host, will say.")
    return SeatsAsked(context.phone, seats, context.now)


def _mine_to_say(table: Table, me: int, phone: int) -> tuple[int, ...]:
    there = [each for each in wanted_seats(table) if each.phone == phone]
    if not there:
        raise Refused("That phone asks for no seat now.")
    mine = tuple(each.seat.id for each in there if me in (each.holder, table.host))
    if not mine:
        raise Refused("Whoever holds the seat says that, or the host.")
    return mine


@phone_only
def give_seats(state: State, context: Context, phone: Count) -> Iterator[Event]:
    yield SeatsGiven(phone, _mine_to_say(state.table, context.phone, phone))


@phone_only
def keep_seats(state: State, context: Context, phone: Count) -> Iterator[Event]:
    yield SeatsDenied(phone, _mine_to_say(state.table, context.phone, phone))


COMMANDS = (give_seats, keep_seats)
EVENTS = (SeatsAsked, SeatsGiven, SeatsDenied)
