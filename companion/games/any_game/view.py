from __future__ import annotations

from functools import lru_cache

from companion.core import Cell, Counter, Do, Field, Form, Phase, Row, Seat, SeatView, Sheet, Tap, View
from companion.core.memo import kept_on
from companion.core.text import plain, signed
from companion.games.any_game.adjudication import adjudicate
from companion.games.any_game.numbers import forms, with_numbers
from companion.games.any_game.state import Kind, State, Tally


def view(state: State) -> View:
    leaders = adjudicate(state).leaders if state.points else ()
    phase, kinds, round = _phase(state.round, state.over), state.kinds, state.round
    seats = [
        _seat(state.tally(seat.id), seat, kinds, round, seat.id in leaders) for seat in state.table.seats
    ]
    rows = zip(*[rows for _, rows in seats], strict=True)
    return View(
        phase=phase if state.numbers is None else with_numbers(phase, state),
        seats=tuple([seat for seat, _ in seats]),
        sheets=tuple([_sheet(kind, round, of_it) for kind, of_it in zip(kinds, rows, strict=True)]),
        forms=_counters(kinds) + forms(state),
    )


@lru_cache(1000)
def _counters(kinds: tuple[Kind, ...]) -> tuple[Form, ...]:
    """The new one first: whoever adds two finds it where it was."""
    return (NEW_COUNTER, *(_rename(kind, len(kinds) > 1) for kind in kinds))


NEW_COUNTER = Form(
    "new-counter",
    "New counter",
    Do("add_counter"),
    (Field("name", "Name"), Field("start", "Starts at", "0", "number", optional=True)),
    "Add counter",
)


# A tap changes one number and leaves the rest of the table as it was; what was made for it then will do.


@lru_cache(100)
def _phase(round: int, over: bool) -> Phase:
    if over:
        return Phase("The game is over", buttons=(Tap("Play on", Do("play_on")),))
    return Phase(
        f"Round {round}",
        buttons=(
            Tap("Next round", Do("next_round", {"after": round}), strong=True),
            Tap("End game", Do("end_game"), confirm="End the game and show who won?"),
        ),
    )


@kept_on
def _seat(
    tally: Tally, seat: Seat, kinds: tuple[Kind, ...], round: int, leads: bool
) -> tuple[SeatView, tuple[Row, ...]]:
    """With its row in each counter's sheet. Who has just taken the lead has the same counters as before."""
    counters, rows = _numbers(tally, seat, kinds, round)
    return SeatView(seat, counters, leads=leads), rows


@kept_on
def _numbers(
    tally: Tally, seat: Seat, kinds: tuple[Kind, ...], round: int
) -> tuple[tuple[Counter, ...], tuple[Row, ...]]:
    rows = [_row(seat, kind, tally.by_round(kind.id, round), tally.total(kind)) for kind in kinds]
    return tuple([_counter(seat.id, kind, round, tally) for kind in kinds]), tuple(rows)


def _counter(seat: int, kind: Kind, round: int, tally: Tally) -> Counter:
    by_now = tally.got(round, kind.id) if round > 1 else 0
    return Counter(
        id=f"counter-{seat}-{kind.id}",
        label=kind.name,
        value=tally.total(kind),
        do=_count(seat, kind.id, round),
        detail=f"{signed(by_now)} this round" if by_now else "",
    )


@lru_cache(10_000)
def _count(seat: int, counter: str, round: int) -> Do:
    return Do("count", {"seat": seat, "counter": counter, "round": round})


def _sheet(kind: Kind, round: int, rows: tuple[Row, ...]) -> Sheet:
    return Sheet(f"sheet-{kind.id}", kind.name, _columns(round), rows)


@lru_cache(100)
def _columns(rounds: int) -> tuple[str, ...]:
    return tuple(str(round) for round in range(1, rounds + 1))


def _row(seat: Seat, kind: Kind, got: tuple[int, ...], total: int) -> Row:
    cells = [_cell(points, seat, kind, round) for round, points in enumerate(got, 1)]
    return Row(seat, tuple(cells), plain(total))


@lru_cache(10_000)
def _cell(got: int, seat: Seat, kind: Kind, round: int) -> Cell:
    id, title, do = _correcting(seat.id, seat.name, kind.id, round)
    return Cell(plain(got), Form(id, title, do, (Field("to", kind.name, str(got), "number"),), "Correct it"))


@lru_cache(10_000)
def _correcting(seat: int, name: str, counter: str, round: int) -> tuple[str, str, Do]:
    do = Do("correct", {"seat": seat, "counter": counter, "round": round})
    return f"cell-{round}-{seat}-{counter}", f"{name}, round {round}", do


@lru_cache(1000)
def _rename(kind: Kind, several: bool) -> Form:
    return Form(
        f"counter-{kind.id}",
        f"Counter “{kind.name}”",
        Do("rename_counter", {"counter": kind.id}),
        (Field("name", "Name", kind.name),),
        "Rename",
        also=(Tap("Put away", Do("remove_counter", {"counter": kind.id})),) if several else (),
    )
