"""Phones: who joined, which seats they hold, what the host allows them."""

from __future__ import annotations

from collections.abc import Iterator
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
    refuse_if,
    replace,
)
from companion.core.table import Role
from companion.core.text import counted
from companion.tools import asking

TELEVISION = "Television"  # what a display calls itself that asks to be let in
SILENT = 120_000  # milliseconds after which a phone may be taken for lost


def is_silent(context: Context, phone: int) -> bool:
    """Of one that another process may have heard of, nobody can say so."""
    heard = context.heard(phone)
    return heard is not None and context.now - heard >= SILENT


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


class SeatsFixed(TableEvent):
    """Whether somebody who comes in may add themselves, or only the host adds seats."""

    fixed: bool
    lasting = True

    def change(self, table: Table) -> Table:
        return replace(table, seats_fixed=self.fixed)

    def log_text(self, state: State) -> str:
        return "only the host adds players" if self.fixed else "whoever comes may add themselves"


class PhonesCleared(TableEvent):
    """They had gone without a word. Unlike one that was removed, each may come in again as it first did."""

    phones: tuple[int, ...]
    lasting = True

    def change(self, table: Table) -> Table:
        for number in self.phones:
            table = table.with_phone(replace(table.phone(number), role="gone", seats=(), invites=False))
        return table

    def log_text(self, state: State) -> str:
        return f"cleared {counted(len(self.phones), 'phone')} away that had gone"


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
    to_ask_for = asking.seats_to_ask_for(table, context, wanted)
    taken = tuple(seat for seat in wanted if seat not in to_ask_for)
    if not to_ask_for or taken != table.phone(context.phone).seats:
        yield SeatsTaken(context.phone, taken, "player" if taken else "watcher")
    if to_ask_for:
        yield asking.ask_for(table, context, to_ask_for)


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
    """Who gave the name of a free seat sits down there, and a television begins to show the table."""
    table = state.table
    refuse_if(table.phone(phone).role != "waiting", f"{table.who(phone)} is not waiting to be let in.")
    label = table.phone(phone).label
    yield PhoneAdmitted(phone)
    if label == TELEVISION:
        yield SeatsTaken(phone, (), "display")
        yield PhoneAdmitted(phone, invites=True)  # it is the host's own, so it asks people in
    for seat in table.seats:
        if seat.name.casefold() == label.casefold() and not table.holder(seat.id):
            yield SeatsTaken(phone, (seat.id,))


@host_only
def clear_phones(state: State, context: Context) -> Iterator[Event]:
    table = state.table
    gone = tuple(
        phone.number
        for phone in table.phones
        if phone.role not in ("gone", "waiting")
        and phone.number != table.host
        and is_silent(context, phone.number)
    )
    refuse_if(not gone, "Every phone here was heard of in the last two minutes.")
    yield PhonesCleared(gone)


@host_only
def remove_phone(state: State, context: Context, phone: Count) -> Iterator[Event]:
    if state.table.phone(phone).role == "gone":
        raise Refused("That phone has left already.")
    if phone == state.table.host:
        raise Refused("The host cannot be removed; hand the host role on first.")
    yield PhoneRemoved(phone)


@host_only
def lock_joining(state: State, context: Context, locked: Literal["yes", "no"]) -> Iterator[Event]:
    if state.table.locked == (locked == "yes"):
        raise Refused("It is so already.")
    yield JoiningLocked(locked == "yes")


@host_only
def fix_seats(state: State, context: Context, fixed: Literal["yes", "no"]) -> Iterator[Event]:
    refuse_if(state.table.seats_fixed == (fixed == "yes"), "It is so already.")
    yield SeatsFixed(fixed == "yes")


@host_only
def limit_tapping(state: State, context: Context, own_seats_only: Literal["yes", "no"]) -> Iterator[Event]:
    if state.table.own_seats_only == (own_seats_only == "yes"):
        raise Refused("It is so already.")
    yield TappingLimited(own_seats_only == "yes")


COMMANDS = (
    *(take_seats, be_display, let_invite, admit, remove_phone, clear_phones),
    *(lock_joining, fix_seats, limit_tapping),
)
EVENTS = (
    *(PhoneJoined, PhoneAdmitted, PhoneRemoved, PhonesCleared, SeatsTaken),
    *(JoiningLocked, SeatsFixed, TappingLimited),
)
