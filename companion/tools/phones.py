"""Phones: who joined, which seats they hold, who hosts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from companion.core import (
    Context,
    Count,
    Event,
    Phone,
    Refused,
    State,
    Table,
    TableEvent,
    host_only,
    phone_only,
)
from companion.core.table import Role
from companion.tools import asking


class PhoneJoined(TableEvent):
    """A phone that came with the QR code is in at once; one with a typed code waits for the host."""

    phone: int
    label: str
    role: Role
    lasting = True

    def change(self, table: Table) -> Table:
        """Who comes in as the display held the QR code at the door."""
        return table.with_phone(Phone(self.phone, self.label, self.role, invites=self.role == "display"))

    def log_text(self, state: State) -> str:
        if self.phone == 1:
            return ""  # whoever opens a table is there
        return "asks to join" if self.role == "waiting" else "joined"


class PhoneAdmitted(TableEvent):
    phone: int
    invites: bool = False  # a display, that is there already, to showing the QR code
    lasting = True

    def change(self, table: Table) -> Table:
        phone = table.phone(self.phone)
        if not self.invites:
            return table.with_phone(replace(phone, role="watcher"))
        if phone.role != "display":
            raise Refused(f"{table.who(self.phone)} is not the table display.")
        return table.with_phone(replace(phone, invites=True))

    def log_text(self, state: State) -> str:
        return f"let {state.table.who(self.phone)} {'show the QR code' if self.invites else 'in'}"


class PhoneRemoved(TableEvent):
    phone: int
    lasting = True

    def change(self, table: Table) -> Table:
        """Whoever was in knows the invitation, so there is a new one; who only knocked has never seen it."""
        phone = table.phone(self.phone)
        renewed = table.invitation + (phone.role != "waiting")
        return replace(table, invitation=renewed).with_phone(
            replace(phone, role="gone", seats=(), invites=False)
        )

    def log_text(self, state: State) -> str:
        return f"removed {state.table.phone(self.phone).label} from the table"


class SeatsTaken(TableEvent):
    """The seats a phone plays from now on; whoever held them holds them no longer."""

    phone: int
    seats: tuple[int, ...]
    role: Role = "player"
    lasting = True

    def change(self, table: Table) -> Table:
        invites = self.role == "display" and may_invite(table, self.phone)
        for other in table.phones:
            table = table.without_seats(other, self.seats)
        mine = tuple(seat.id for seat in table.seats if seat.id in self.seats)
        table = asking.settled(table, self.phone)
        phone = table.phone(self.phone)
        return table.with_phone(replace(phone, role=self.role, seats=mine, invites=invites))

    def log_text(self, state: State) -> str:
        names = [seat.name for seat in state.table.seats if seat.id in self.seats]
        if names:
            return "plays " + " & ".join(names)
        return "is the table display" if self.role == "display" else "watches"


class HostHanded(TableEvent):
    phone: int
    lasting = True

    def change(self, table: Table) -> Table:
        table.phone(self.phone)
        return replace(table, host=self.phone)

    def log_text(self, state: State) -> str:
        return f"handed the host role to {state.table.who(self.phone)}"


class JoiningLocked(TableEvent):
    locked: bool
    lasting = True

    def change(self, table: Table) -> Table:
        return replace(table, locked=self.locked)

    def log_text(self, state: State) -> str:
        return "closed the table to new phones" if self.locked else "opened the table to new phones"


class TappingLimited(TableEvent):
    own_seats_only: bool
    lasting = True

    def change(self, table: Table) -> Table:
        return replace(table, own_seats_only=self.own_seats_only)

    def log_text(self, state: State) -> str:
        return "everyone taps for their own seat" if self.own_seats_only else "anyone may tap for any seat"


def may_invite(table: Table, phone: int) -> bool:
    """Who has the QR code: whoever plays or hosts, and a display that came with it or was let."""
    known = table.phone(phone)
    return known.role == "player" or phone == table.host or (known.role == "display" and known.invites)


def sits_down(table: Table, phone: int, seats: tuple[int, ...], role: Role) -> SeatsTaken:
    """Of a phone that just comes in: it takes what is free, and from nobody what they hold."""
    for seat in (table.seat(each) for each in seats):
        holder = table.holder(seat.id)
        if holder and holder.number != phone:
            raise Refused(f"{seat.name} is in already, on another phone. Choose another seat.")
    if table.own_seats_only and len(seats) > 1:
        raise Refused("At this table each phone takes one seat; the host gives further ones.")
    return SeatsTaken(phone, seats, role)


@phone_only
def take_seats(state: State, context: Context, seats: tuple[int, ...] = ()) -> Iterator[Event]:
    """Take these seats and no others: none means to watch. What is not free is asked for."""
    table = state.table
    wanted = tuple(table.seat(seat).id for seat in dict.fromkeys(seats))
    asked = asking.to_be_asked_for(table, context, wanted)
    taken = tuple(seat for seat in wanted if seat not in asked)
    if not asked or taken != table.phone(context.phone).seats:
        yield SeatsTaken(context.phone, taken, "player" if taken else "watcher")
    if asked:
        yield asking.asking(table, context, asked)


@phone_only
def be_display(state: State, context: Context) -> Iterator[Event]:
    yield SeatsTaken(context.phone, (), "display")


@host_only
def let_invite(state: State, context: Context, phone: Count) -> Iterator[Event]:
    """Whoever only watches could make itself the display to see the QR code, so that is for the host."""
    if may_invite(state.table, phone):
        raise Refused(f"{state.table.who(phone)} has the QR code already.")
    yield PhoneAdmitted(phone, invites=True)


@host_only
def admit(state: State, context: Context, phone: Count) -> Iterator[Event]:
    if state.table.phone(phone).role != "waiting":
        raise Refused(f"{state.table.who(phone)} is not waiting to be let in.")
    yield PhoneAdmitted(phone)


@host_only
def remove_phone(state: State, context: Context, phone: Count) -> Iterator[Event]:
    if state.table.phone(phone).role == "gone":
        raise Refused("That phone has left already.")
    if phone == state.table.host:
        raise Refused("The host cannot be removed; hand the host role on first.")
    yield PhoneRemoved(phone)


@host_only
def hand_host_on(state: State, context: Context, phone: Count) -> Iterator[Event]:
    if state.table.phone(phone).role not in ("player", "watcher", "display"):
        raise Refused("That phone is not at the table.")
    if phone == state.table.host:
        raise Refused("That phone is the host already.")
    yield HostHanded(phone)


@host_only
def lock_joining(state: State, context: Context, locked: Literal["yes", "no"]) -> Iterator[Event]:
    if state.table.locked == (locked == "yes"):
        raise Refused("It is so already.")
    yield JoiningLocked(locked == "yes")


@host_only
def limit_tapping(state: State, context: Context, own_seats_only: Literal["yes", "no"]) -> Iterator[Event]:
    if state.table.own_seats_only == (own_seats_only == "yes"):
        raise Refused("It is so already.")
    yield TappingLimited(own_seats_only == "yes")


COMMANDS = (
    take_seats,
    be_display,
    let_invite,
    admit,
    remove_phone,
    hand_host_on,
    lock_joining,
    limit_tapping,
)
EVENTS = (PhoneJoined, PhoneAdmitted, PhoneRemoved, SeatsTaken, HostHanded, JoiningLocked, TappingLimited)
