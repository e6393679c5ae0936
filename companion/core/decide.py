"""From a tap to its events: rights, arguments, the command, and a check that the result can stand."""

from __future__ import annotations

from typing import Any

from companion.core.command import Context, Form, arguments, check_held, right
from companion.core.event import Event
from companion.core.journal import TURNS, Entry, Journal
from companion.core.refused import Refused
from companion.core.table import Phone, Table


class Forbidden(Refused):
    """This phone may not do that."""


def decide(journal: Journal, name: str, form: Form, context: Context) -> tuple[Event, ...]:
    command, state = journal.game.command(name), journal.state
    phone = at_the_table(state.table, context.phone)
    _check_right(state.table, phone, right(command))
    given = arguments(command, form, lambda: journal.game.view(state).labels(name, form))
    _check_seat(state.table, phone, given)
    check_held(command, state, given)
    events = tuple(command(state, context, **given))
    for event in events:
        if isinstance(event, TURNS):
            _check_line(journal, phone, event.entry)
    journal.check(events)
    if journal.game.also is not None:
        further = journal.game.also(state, journal.foreseen, events, context)
        if further:
            events = (*events, *further)
            journal.check(events)
    return events


def at_the_table(table: Table, number: int) -> Phone:
    """The phone, if it has been let in."""
    for phone in table.phones:
        if phone.number == number and phone.role != "gone":
            if phone.role == "waiting":
                raise Forbidden("The host has not let this phone in yet.")
            return phone
    raise Forbidden("This phone is not at the table. Scan the code to join.")


def _check_right(table: Table, phone: Phone, needed: str) -> None:
    if needed == "host" and phone.number != table.host:
        raise Forbidden(f"Only the host can do that; at this table that is {table.who(table.host)}.")
    if needed == "player" and phone.number != table.host and phone.role != "player":
        raise Forbidden("This phone only watches. Take a seat to tap.")


def _check_seat(table: Table, phone: Phone, given: dict[str, Any]) -> None:
    seat = given.get("seat")
    if not isinstance(seat, int):
        return
    table.seat(seat)
    if table.own_seats_only and seat not in phone.seats and phone.number != table.host:
        raise Forbidden("At this table everyone taps for their own seat.")


def _check_line(journal: Journal, phone: Phone, entry: int) -> None:
    table = journal.state.table
    if not 1 <= entry <= journal.version:
        return
    _check_owned(table, phone, journal.entries[entry - 1])
    if phone.number == table.host:
        return
    command = journal.game.by_name.get(journal.entries[entry - 1].command)
    if command and right(command) == "host":
        raise Forbidden("The host did that, so only the host can take it back.")
    if not table.own_seats_only:
        return
    line = journal.lines[entry - 1]
    if line.phone != phone.number and line.seat not in phone.seats:
        raise Forbidden("At this table everyone takes back their own taps.")


def _check_owned(table: Table, phone: Phone, entry: Entry) -> None:
    """A sealed choice is its owner's own, wherever that seat is held now."""
    if not all(event.owned for event in entry.events):
        return
    for event in entry.events:
        holder = table.holder(event.seat)  # type: ignore[attr-defined]
        if phone.number != (holder.number if holder else entry.phone):
            raise Forbidden("Only who has chosen takes that back.")
