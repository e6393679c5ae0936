"""How phones come to a table: who sits where from the beginning, and who comes in later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.core import Entry, Event, Game, Journal, Luck, Phone, Refused, Seat, replace
from companion.core.decide import Forbidden
from companion.core.table import Role, SittingOpened, Table
from companion.core.text import same_name
from companion.tools.house_rules import choices_at_first
from companion.tools.phones import (
    PhoneAdmitted,
    PhoneJoined,
    PhoneRemoved,
    SeatsTaken,
    sits_down,
)
from companion.tools.seats import SeatAdded, check_looks
from companion.tools.teaching import LessonsSwitched


class Added(NamedTuple):
    """Somebody who was not on the list, and how they want to look."""

    name: str
    colour: str
    symbol: str


@dataclass(frozen=True)
class NewTable:
    game: Game[Any]
    tap: str
    digest: str
    events: tuple[Event, ...]
    phones: Mapping[str, int]  # token hash → number
    address: str  # that it counts against


def opening(
    game: Game[Any],
    luck: Luck,
    seats: Sequence[Seat],
    starter: int | None,
    mine: Sequence[int],
    choices: Mapping[str, str],
    role: Role | None = None,
    to_learn: bool = False,
) -> tuple[Event, ...]:
    """`to_learn`: not everyone has played it before, so the phones teach it."""
    game.check_seats(len(seats))
    twice = same_name([seat.name for seat in seats])
    if twice:
        raise Refused(f"Two players are called {twice}. Give each a name of their own.")
    check_looks(list(seats))
    by_lot = starter is None
    first = luck.choose(seats).id if starter is None else starter
    if first not in {seat.id for seat in seats}:
        raise Refused("The player who starts must have a seat.")
    return (
        SittingOpened(tuple(seats), first, choices_at_first(game, choices), by_lot),
        PhoneJoined(1, "Host", "watcher"),
        SeatsTaken(1, tuple(mine), role or ("player" if mine else "watcher")),
        *((LessonsSwitched(on=True),) if to_learn and game.lessons else ()),
    )


def once_more(
    game: Game[Any], luck: Luck, state: Any, hashes: Mapping[str, int], asker: int
) -> tuple[tuple[Event, ...], dict[str, int]]:
    """The opening of the next table, and which of the phones (by the hash of its token) is which one there.

    Phone 1 is the host, so that is whoever hosts this one; without a phone that is known here, whoever asks.
    """
    table: Table = state.table
    there = [(hashed, table.phone(number)) for hashed, number in hashes.items()]
    there = [each for each in there if each[1].role not in ("gone", "waiting")]
    there.sort(key=lambda each: (each[1].number != table.host, each[1].number != asker))
    (_, host), *others = there
    events = opening(game, luck, table.seats, None, host.seats, table.choices, host.role)
    for number, (_, phone) in enumerate(others, 2):
        events += _sits(replace(phone, number=number))
    events += tuple(game.again(state)) if game.again else ()
    return events, {hashed: number for number, (hashed, _) in enumerate(there, 1)}


def _sits(phone: Phone) -> tuple[Event, ...]:
    joined = PhoneJoined(phone.number, phone.label, "display" if phone.invites else "watcher")
    return joined, SeatsTaken(phone.number, phone.seats, phone.role)


def brings_a_phone(entry: Entry) -> bool:
    return any(isinstance(event, PhoneJoined) for event in entry.events)


def coming_in(
    journal: Journal,
    known: int | None,
    invited: bool,
    label: str,
    sits: tuple[tuple[int, ...], Role] | None,
    adds: Added | None = None,
) -> tuple[int, tuple[Event, ...]]:
    """The number of a phone that comes to the table, and what happens: it is in, and `sits`, or it waits."""
    table: Table = journal.state.table
    if table.locked:
        raise Forbidden("The host has closed this table to new phones.")
    number = known or max(phone.number for phone in table.phones) + 1
    check_room(table)
    # once is enough, or scanning twice would let it in again
    removed = known is not None and was_removed(journal, known)
    role: Role = "watcher" if invited and not removed else "waiting"
    if role == "waiting":
        check_knocking(table)
    elif sits and sits[1] == "display":
        role = "display"
    joined = PhoneJoined(number, label or f"Phone {number}", role)
    if role == "waiting":
        return number, (joined,)
    if adds:
        return number, _added(journal, joined, adds)
    return number, (joined, *((sits_down(table, number, *sits),) if sits else ()))


def _added(journal: Journal, joined: PhoneJoined, adds: Added) -> tuple[Event, ...]:
    """Somebody whom nobody had expected sits down on a seat of their own; what cannot be is refused here."""
    table: Table = journal.state.table
    if not has_room(journal.game, table):
        raise Refused("No more seats can be added here. Take one that is free, or ask the host.")
    seat = table.last_seat + 1
    events = joined, SeatAdded(seat, *adds), SeatsTaken(joined.phone, (seat,))
    journal.check(events)
    return events


def has_room(game: Game[Any], table: Table) -> bool:
    """For somebody whose name is not there yet."""
    return not table.seats_fixed and len(table.seats) < game.seats[-1]


def turned_away(journal: Journal, number: int | None) -> str:
    """What a phone reads that comes back to the door after the host has sent it away."""
    if number is None or not was_removed(journal, number):
        return ""
    was_in = any(
        PhoneAdmitted(number) in entry.events or any(_is_in(event, number) for event in entry.events)
        for entry in journal.entries
    )
    if was_in:
        return "The host has taken this phone off the table. You can ask to come back."
    return "The host said no. If that was a slip, say so at the table and ask again."


def _is_in(event: Event, number: int) -> bool:
    return isinstance(event, PhoneJoined) and event.phone == number and event.role != "waiting"


def was_removed(journal: Journal, number: int) -> bool:
    return any(PhoneRemoved(number) in entry.events for entry in journal.entries)


def check_room(table: Table) -> None:
    if sum(phone.role != "gone" for phone in table.phones) >= 60:
        raise Refused("Sixty phones are as many as a table can take.")


def check_knocking(table: Table) -> None:
    """Whoever knows a code could knock all night; the table must stay open to those who scan."""
    if sum(phone.role == "waiting" for phone in table.phones) >= 8:
        raise Refused("Many are waiting to be let in already. Ask the host, or scan the QR code.")
