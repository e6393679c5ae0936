from __future__ import annotations

from companion.core import Button, Cell, Counter, Do, Field, Form, Phase, Row, Seat, SeatView, Sheet, View
from companion.core.text import plain, signed
from companion.games.any_game.adjudication import adjudicate
from companion.games.any_game.state import Kind, State


def view(state: State, seat: int | None) -> View:
    leaders = adjudicate(state).leaders if state.points else ()
    return View(
        phase=_phase(state),
        seats=tuple(
            SeatView(
                each, tuple(_counter(state, each, kind) for kind in state.kinds), leads=each.id in leaders
            )
            for each in state.table.seats
        ),
        sheets=tuple(_sheet(state, kind) for kind in state.kinds),
        forms=(*(_rename(kind, len(state.kinds) > 1) for kind in state.kinds), NEW_COUNTER),
    )


NEW_COUNTER = Form(
    "new-counter",
    "New counter",
    Do("add_counter"),
    (Field("name", "Name"), Field("start", "Starts at", "0", "number", optional=True)),
    "Add counter",
)


def _phase(state: State) -> Phase:
    if state.over:
        return Phase("The game is over", buttons=(Button("Play on", Do("play_on")),))
    return Phase(
        f"Round {state.round}",
        buttons=(
            Button("Next round", Do("next_round", {"after": state.round}), strong=True),
            Button("End game", Do("end_game"), confirm="End the game and show who won?"),
        ),
    )


def _counter(state: State, seat: Seat, kind: Kind) -> Counter:
    by_now = state.got(state.round, seat.id, kind.id)
    return Counter(
        id=f"counter-{seat.id}-{kind.id}",
        label=kind.name,
        value=state.total(seat.id, kind),
        do=Do("count", {"seat": seat.id, "counter": kind.id, "round": state.round}),
        detail=f"{signed(by_now)} this round" if state.round > 1 and by_now else "",
    )


def _sheet(state: State, kind: Kind) -> Sheet:
    return Sheet(
        id=f"sheet-{kind.id}",
        title=kind.name,
        columns=tuple(str(round) for round in range(1, state.round + 1)),
        rows=tuple(
            Row(
                seat,
                tuple(_cell(state, seat, kind, round) for round in range(1, state.round + 1)),
                plain(state.total(seat.id, kind)),
            )
            for seat in state.table.seats
        ),
    )


def _cell(state: State, seat: Seat, kind: Kind, round: int) -> Cell:
    got = state.got(round, seat.id, kind.id)
    return Cell(
        plain(got),
        Form(
            f"cell-{round}-{seat.id}-{kind.id}",
            f"{seat.name}, round {round}",
            Do("correct", {"seat": seat.id, "counter": kind.id, "round": round}),
            (Field("to", kind.name, str(got), "number"),),
            "Correct it",
        ),
    )


def _rename(kind: Kind, several: bool) -> Form:
    return Form(
        f"counter-{kind.id}",
        f"Counter “{kind.name}”",
        Do("rename_counter", {"counter": kind.id}),
        (Field("name", "Name", kind.name),),
        "Rename",
        also=(Button("Put away", Do("remove_counter", {"counter": kind.id})),) if several else (),
    )
