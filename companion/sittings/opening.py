"""The first entry of a journal: who sits where, who starts, which phones are there from the beginning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.core import Event, Game, Luck, Phone, Refused, Seat
from companion.core.table import SittingOpened
from companion.core.text import same_name
from companion.tools.house_rules import chosen
from companion.tools.phones import PhoneJoined, SeatsTaken
from companion.tools.seats import check_looks


def opening(
    game: Game[Any],
    luck: Luck,
    seats: Sequence[Seat],
    starter: int | None,
    mine: Sequence[int],
    rules: Mapping[str, str],
) -> tuple[Event, ...]:
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
        SittingOpened(tuple(seats), first, chosen(game, rules), by_lot),
        PhoneJoined(1, "Host", "watcher"),
        SeatsTaken(1, tuple(mine), "player" if mine else "watcher"),
    )


def sits(phone: Phone) -> tuple[Event, ...]:
    return PhoneJoined(phone.number, phone.label, "watcher"), SeatsTaken(
        phone.number, phone.seats, phone.role
    )
