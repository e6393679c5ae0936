"""Set-up, and from phase to phase: each tap says which turn it meant, so that the second one is only late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import to_tick
from companion.games.wisdom_of_cthulhu.box import (
    BONDS,
    PATHS,
    TURNS,
    Step,
    bond,
    end_steps,
    preparation_steps,
    setup_steps,
)
from companion.games.wisdom_of_cthulhu.events import (
    GameBegun,
    GodsChosen,
    ObsessionsDeclared,
    ResearchEnded,
    StepTicked,
    TurnClosed,
    TurnPrepared,
)
from companion.games.wisdom_of_cthulhu.state import State

Turn = Annotated[Count, Field(ge=1, le=TURNS)]
Cards = Annotated[Count, Field(le=PATHS)]
Done = Literal["yes", "no"]


def steps_now(state: State) -> tuple[Step, ...]:
    match state.phase:
        case "setup":
            return setup_steps(state.table)
        case "preparation":
            return preparation_steps(state.table)
        case "end":
            return end_steps(state.table, state.turn)
        case _:
            return ()


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    found = next((each.label for each in steps_now(state) if each.id == item and not each.by_app), None)
    yield StepTicked(item, to_tick(state.ticked, item, found, done == "yes"), done == "yes")


def choose_god(state: State, context: Context, god: Choice, done: Done = "yes") -> Iterator[Event]:
    """Which Great Old Ones are in play, said at any time; a table that does not say may evoke any."""
    if state.over:
        raise Refused("The game is over.")
    known, most = bond(god), len(state.seats)
    if (known.id in state.gods) == (done == "yes"):
        raise Refused(f"{known.god} is {'in play already' if done == 'yes' else 'not in play'}.")
    gods = {*state.gods, known.id} if done == "yes" else {*state.gods} - {known.id}
    if len(gods) > most:
        raise Refused(f"With {most} players there are {most} Great Old Ones; take one out first.")
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in gods))


def draw_gods(state: State, context: Context) -> Iterator[Event]:
    if state.phase != "setup":
        raise Refused("Lots are drawn before turn 1; now tap those that lie on the table.")
    drawn = context.luck.shuffle([each.id for each in BONDS])[: len(state.seats)]
    yield GodsChosen(tuple(each.id for each in BONDS if each.id in drawn), by_lot=True)


def begin_game(state: State, context: Context) -> Iterator[Event]:
    if state.turn:
        raise Refused("The game has begun already.")
    seats = state.seats
    at = seats.index(state.table.starter)
    yield GameBegun((*seats[at:], *seats[:at]))


def finish_preparation(state: State, context: Context, turn: Turn) -> Iterator[Event]:
    _check_late(state, turn, "preparation", "Preparation")
    yield TurnPrepared(turn)


def declare(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    lap: Annotated[Count, Field(ge=1, le=2)],
    count: Cards,
) -> Iterator[Event]:
    _check_late(state, turn, "order", "Research Order")
    if any((each.seat, each.lap) == (seat, lap) for each in state.declared):
        raise Refused(f"{state.name(seat)} has declared in lap {lap} already.")
    yield ObsessionsDeclared(seat, turn, lap, count)


def end_research(state: State, context: Context, turn: Turn) -> Iterator[Event]:
    _check_late(state, turn, "research", "Research")
    yield ResearchEnded(turn)


def close_turn(state: State, context: Context, turn: Turn) -> Iterator[Event]:
    _check_late(state, turn, "end", "End of Search")
    yield TurnClosed(turn)


def _check_late(state: State, turn: int, phase: str, name: str) -> None:
    phases = ["preparation", "order", "research", "end", "over"]
    if state.phase == "setup":
        raise Refused("The game has not begun.")
    if (state.turn, phases.index(state.phase)) > (turn, phases.index(phase)):
        raise Refused(f"The {name} of turn {turn} is over already.")


COMMANDS = (tick, choose_god, draw_gods, begin_game, finish_preparation, declare, end_research, close_turn)
