"""How one seat stands: its counters, its rows in the sheets.

A tap changes one number of one seat. So all of it is made once for a tally, and that of the others stays.
"""

from functools import lru_cache
from typing import NamedTuple

from companion.core import Cell, Counter, Do, Field, Form, Row, Seat, SeatView
from companion.core.memo import kept_on, once
from companion.core.text import plain, signed
from companion.games.any_game.state import Kind, State, Tally


class Standing(NamedTuple):
    seat: Seat
    total: int  # of the counter that decides
    counters: tuple[Counter, ...]
    rows: tuple[Row, ...]  # counter by counter
    views: dict[bool, SeatView]  # whether it leads → how it is seen

    def seen(self, leads: bool) -> SeatView:
        """Who takes the lead or loses it has the same counters as before."""
        if leads not in self.views:
            self.views[leads] = SeatView(self.seat, self.counters, leads=leads)
        return self.views[leads]


@once
def standings(state: State) -> list[Standing]:
    kinds, round, points = state.kinds, state.round, state.points
    return [
        _standing(points[seat.id], seat, kinds, round) if seat.id in points else _at_first(seat, kinds, round)
        for seat in state.table.seats
    ]


@kept_on
def _standing(tally: Tally, seat: Seat, kinds: tuple[Kind, ...], round: int) -> Standing:
    counters, rows = [], []
    for kind in kinds:
        got, total = tally.by_round(kind.id, round), tally.total(kind)
        counters.append(_counter(seat.id, kind, round, got[-1], total))
        rows.append(_row(seat, kind, got, total))
    return Standing(seat, counters[0].value, tuple(counters), tuple(rows), {})


@lru_cache(1000)  # while people sit down, nobody has anything that it could be kept on
def _at_first(seat: Seat, kinds: tuple[Kind, ...], round: int) -> Standing:
    return _standing(Tally(), seat, kinds, round)


def _counter(seat: int, kind: Kind, round: int, by_now: int, total: int) -> Counter:
    id, do = _count(seat, kind.id, round)
    detail = f"{signed(by_now)} this round" if by_now and round > 1 else ""
    return Counter(id, kind.name, total, do, detail)


@lru_cache(10_000)
def _count(seat: int, counter: str, round: int) -> tuple[str, Do]:
    return f"counter-{seat}-{counter}", Do("count", {"seat": seat, "counter": counter, "round": round})


def _row(seat: Seat, kind: Kind, got: list[int], total: int) -> Row:
    """Of rounds that are over nearly always the same cells again; what is counted now is new each time."""
    over = [_known_cell(points, seat, kind, round) for round, points in enumerate(got[:-1], 1)]
    return Row(seat, (*over, _cell(got[-1], seat, kind, len(got))), plain(total))


def _cell(got: int, seat: Seat, kind: Kind, round: int) -> Cell:
    id, title, do = _correcting(seat.id, seat.name, kind.id, round)
    return Cell(plain(got), Form(id, title, do, (Field("to", kind.name, str(got), "number"),), "Correct it"))


_known_cell = lru_cache(10_000)(_cell)


@lru_cache(10_000)
def _correcting(seat: int, name: str, counter: str, round: int) -> tuple[str, str, Do]:
    do = Do("correct", {"seat": seat, "counter": counter, "round": round})
    return f"cell-{round}-{seat}-{counter}", f"{name}, round {round}", do
