"""The Research Order in words: who declares or acts after whom and why, what each has said or has left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from companion.core import Seat
from companion.core.text import listed
from companion.games.wisdom_of_cthulhu.offers import plural
from companion.games.wisdom_of_cthulhu.state import State


@dataclass(frozen=True)
class Rank:
    """One place of the Research Order."""

    seat: Seat
    place: int  # 0 while it is not settled
    words: str
    now: bool
    out: bool = False


def ranks(state: State) -> tuple[Rank, ...]:
    if state.phase in ("setup", "preparation"):
        return tuple(Rank(state.table.seat(seat), 0, "last turn’s order", False) for seat in state.speaking)
    if state.phase == "order":
        assert state.declarer is not None
        return tuple(
            Rank(state.table.seat(seat), 0, _said(state, seat), seat == state.declarer[0])
            for seat in state.speaking
        )
    return tuple(
        Rank(
            state.table.seat(seat),
            at,
            _left(state, seat),
            state.phase == "research" and seat == state.actor,
            out=state.phase == "research" and not state.player(seat).able,
        )
        for at, seat in enumerate(state.order, 1)
    )


def _said(state: State, seat: int) -> str:
    laps = [state.turned(seat, each.lap) for each in state.declared if each.seat == seat]
    if not laps:
        return "…"
    words = " + ".join(str(lap) for lap in laps)
    more = state.obsessed(seat) - sum(laps)
    return words + (f" (+{more})" if more else "")


def _left(state: State, seat: int) -> str:
    if state.phase != "research":
        return plural(state.obsessed(seat), "Obs.").replace("Obs.s", "Obs.")
    mine = state.player(seat)
    return f"{mine.hand + mine.obsessions} left" if mine.able else "done"


def ties(state: State, call: Callable[[int], str]) -> tuple[str, ...]:
    """Why one of those with equally many Obsessions acts before the other; `call` is how a seat is called."""
    equal = (tuple(seats) for _, seats in groupby(state.order, state.obsessed))
    return tuple(_tie(state, seats, [call(seat) for seat in seats]) for seats in equal if len(seats) > 1)


def _tie(state: State, seats: tuple[int, ...], names: list[str]) -> str:
    how = "came to it" if any(state.turned(seat) for seat in seats) else "declared"
    why = f"{names[0]} {how} first" if len(names) == 2 else f"as they {how}"
    return f"{listed(names)} tie with {state.obsessed(seats[0])}: {why}."


def ties_by_place(state: State) -> tuple[str, ...]:
    """By the large numbers that stand above, since names are long and phones are small."""
    if state.phase != "research":
        return ()
    return ties(state, lambda seat: str(state.order.index(seat) + 1))
