"""The Research Order in words: who declares or acts after whom and why, what each has said or has left."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

from companion.core import Seat
from companion.core.text import listed
from companion.games.wisdom_of_cthulhu.state import State


class Rank(NamedTuple):
    """One place of the Research Order."""

    seat: Seat
    place: int  # 0 while it is not settled
    words: str
    now: bool
    out: bool = False


def ranks(state: State) -> tuple[Rank, ...]:
    seats = {seat.id: seat for seat in state.table.seats}
    if state.phase in ("setup", "preparation"):
        return tuple([Rank(seats[each], 0, "last turn’s order", False) for each in state.speaking])
    if state.phase == "order":
        whose = state.declarer[0] if state.declarer else 0
        return tuple([Rank(seats[each], 0, _said(state, each), each == whose) for each in state.speaking])
    acting = state.phase == "research"
    return tuple(
        [
            Rank(
                seats[each],
                at,
                _left(state, each),
                acting and each == state.actor,
                out=acting and not state.players[each].able,
            )
            for at, each in enumerate(state.order, 1)
        ]
    )


def _said(state: State, seat: int) -> str:
    laps = [each.count for each in state.declared if each.seat == seat]
    if not laps:
        return "…"
    words = " + ".join(str(lap) for lap in laps)
    more = state.obsessed[seat] - sum(laps)
    return words + (f" (+{more})" if more else "")


def _left(state: State, seat: int) -> str:
    if state.phase != "research":
        return f"{state.obsessed[seat] or 'no'} Obs."
    mine = state.player(seat)
    return f"{mine.hand + mine.obsessions} left" if mine.able else "done"


def ties(state: State, call: Callable[[int], str]) -> tuple[str, ...]:
    """Why one of those with equally many Obsessions acts before the other; `call` is how a seat is called."""
    equal = (tuple(seats) for _, seats in groupby(state.order, state.obsessed.__getitem__))
    return tuple(_tie(state, seats, [call(seat) for seat in seats]) for seats in equal if len(seats) > 1)


def _tie(state: State, seats: tuple[int, ...], names: list[str]) -> str:
    how = "came to it" if any(state.turned(seat) for seat in seats) else "declared"
    why = f"{names[0]} {how} first" if len(names) == 2 else f"as they {how}"
    return f"{listed(names)} tie with {state.obsessed[seats[0]]}: {why}."


def ties_by_place(state: State) -> tuple[str, ...]:
    """By the large numbers that stand above, since names are long and phones are small."""
    if state.phase != "research":
        return ()
    return ties(state, lambda seat: str(state.order.index(seat) + 1))
