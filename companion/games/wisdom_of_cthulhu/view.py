"""All that is seen, once for every phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from companion.core import (
    Button,
    Cell,
    Do,
    Field,
    Form,
    Forms,
    Phase,
    Row,
    Seat,
    Sheet,
    Tick,
    View,
)
from companion.core.memo import kept_while
from companion.core.text import listed, plain
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate
from companion.games.wisdom_of_cthulhu.box import (
    BONDS,
    PHASES,
    TURNS,
    Bond,
    bond,
    places,
)
from companion.games.wisdom_of_cthulhu.chart import Chart, chart
from companion.games.wisdom_of_cthulhu.commands.turn import steps_now
from companion.games.wisdom_of_cthulhu.forms import forms
from companion.games.wisdom_of_cthulhu.offers import Panel, panel
from companion.games.wisdom_of_cthulhu.ranks import Rank, ranks, ties_by_place
from companion.games.wisdom_of_cthulhu.seats import seats
from companion.games.wisdom_of_cthulhu.state import Place, State


class Stop(NamedTuple):
    """One of the four phases on the bar."""

    name: str
    state: str  # done, now, next, skipped


class Line(NamedTuple):
    """A step of a phase: ticked by the table, or done by the phones."""

    id: str
    label: str
    later: bool
    tick: Tick | None


class Tile(NamedTuple):
    number: int
    name: str
    bond: str
    seekers: tuple[Seat, ...]
    signs: tuple[Seat, ...]


class God(NamedTuple):
    bond: Bond
    chosen: bool
    do: Do | None


class Stage(NamedTuple):
    """What to do now, all in one: points that are counted do not draw it again."""

    turn: int
    stops: tuple[Stop, ...]
    lines: tuple[Line, ...]
    ranks: tuple[Rank, ...]
    settled: bool
    ties: tuple[str, ...]
    panel: Panel | None
    gods: tuple[God, ...]  # as long as they are set up
    players: int
    skip: Button | None


@dataclass(frozen=True)
class WisdomSheet(Sheet):
    hint: str = ""


@dataclass(frozen=True)
class WisdomView(View):
    stage: Stage = field(kw_only=True)
    forms: Sequence[Form] = field(default=(), compare=False)  # made when one is opened
    turn: int = 0
    gods: tuple[God, ...] = ()
    named: str = ""  # those in play
    tiles: tuple[Tile, ...] = ()
    evoked: str = ""
    chart: Chart | None = None
    final: bool = False


def view(state: State) -> WisdomView:
    verdict, people, gains, gods = adjudicate(state), state.table.seats, state.gains, _gods(state)
    return WisdomView(
        phase=_phase(
            state.phase, state.turn, len(people), _ready(state), verdict.summary if state.over else ""
        ),
        stage=_stage(state),
        seats=seats(state, verdict.leaders),
        sheets=(_sheet(people, gains, "" if verdict.final else verdict.summary),) if state.turn else (),
        forms=Forms(lambda: forms(state)),
        turn=state.turn,
        gods=gods,
        named=listed([bond(each).god for each in state.gods]),
        tiles=_tiles(state),
        evoked=_evoked(state),
        chart=chart(people, gains) if state.turn else None,
        final=verdict.final,
    )


# --- what to do now ---


def _facts(state: State) -> tuple[object, ...]:
    """All but the points, of which the stage shows those of whoever acts."""
    kp = state.kp(state.actor) if state.phase == "research" and state.actor else 0
    return (
        *(state.table, state.ticked, state.gods, state.turn, state.prepared, state.ended, state.over),
        *(state.sequence, state.declared, state.players, state.places, state.evoked, kp),
    )


@kept_while(_facts)
def _stage(state: State) -> Stage:
    now, turn = state.phase, state.turn
    return Stage(
        turn=turn,
        stops=_stops(now, turn == 1),
        lines=_lines(state),
        ranks=ranks(state),
        settled=now in ("research", "end", "over"),
        ties=ties_by_place(state),
        panel=panel(state),
        gods=() if turn else _gods(state),
        players=len(state.seats),
        skip=_skip(turn) if now == "research" else None,
    )


@lru_cache(1024)
def _phase(now: str, turn: int, players: int, ready: bool, summary: str) -> Phase:
    title = f"Turn {turn} of {TURNS}: {dict(PHASES).get(now, '')}"
    match now:
        case "setup":
            start = Button("Start turn 1", Do("begin_game"), strong=ready)
            return Phase(f"Set up for {players}", "Tick off what is ready, on any phone.", (start,), now)
        case "preparation":
            go = Button("To the Research Order", Do("finish_preparation", {"turn": turn}), strong=ready)
            return Phase(title, "", (go,), now)
        case "order":
            first = "Clockwise from a player drawn by lot" if turn == 1 else "In last turn’s order"
            return Phase(title, f"{first}, then once more round to add.", (), now)
        case "research":
            return Phase(title, "", (), now)
        case "end":
            words = "End the game" if turn == TURNS else f"Close turn {turn}"
            return Phase(title, "", (Button(words, Do("close_turn", {"turn": turn}), strong=ready),), now)
        case _:
            return Phase(summary, "Something mistyped? Undo it, or correct it on the sheet.", (), now)


def _ready(state: State) -> bool:
    """Whether all that the table does itself is ticked; going on is open all the same."""
    return all(each.by_app or each.id in state.ticked for each in steps_now(state))


@cache
def _skip(turn: int) -> Button:
    """For a table that does not tap every action."""
    words = "Leave the rest of this Research to the table? Points can still be counted by hand."
    return Button("End the Research without the phones", Do("end_research", {"turn": turn}), confirm=words)


@cache
def _stops(phase: str, first: bool) -> tuple[Stop, ...]:
    ids = [id for id, _ in PHASES]
    now = ids.index(phase) if phase in ids else 4 if phase == "over" else -1
    states = ["done" if at < now else "now" if at == now else "next" for at in range(len(ids))]
    if first:
        states[0] = "skipped"
    return tuple(Stop(name, state) for (_, name), state in zip(PHASES, states, strict=True))


def _lines(state: State) -> tuple[Line, ...]:
    found = []
    for each in steps_now(state):
        done = each.id in state.ticked
        do = Do("tick", {"item": each.id, "done": "no" if done else "yes"})
        tick = None if each.by_app else Tick(each.label, do, done)
        found.append(Line(each.id, each.label, each.later, tick))
    return tuple(found)


def _gods(state: State) -> tuple[God, ...]:
    """As long as it is a question: four players have all four before them, and an evocation leaves one."""
    if state.over or state.evoked or (state.turn and len(state.seats) == len(BONDS)):
        return ()
    return tuple([_god(each, each.id in state.gods) for each in BONDS])


@cache
def _god(each: Bond, chosen: bool) -> God:
    return God(each, chosen, Do("choose_god", {"god": each.id, "done": "no" if chosen else "yes"}))


def _evoked(state: State) -> str:
    if not state.evoked:
        return ""
    here = {seat.id: seat.name for seat in state.table.seats}
    who = here.get(state.evoked.seat, "Somebody who left")
    god = bond(state.evoked.bond).god
    return f"{who} evoked {god} in turn {state.evoked.turn}. The other Great Old Ones are gone."


# --- places and sheet ---


def _tiles(state: State) -> tuple[Tile, ...]:
    markers = [(seat, state.players[seat.id]) for seat in state.table.seats]
    return _ring(
        tuple([(seat, mine.seeker, mine.sign) for seat, mine in markers]), tuple(state.places.items())
    )


@lru_cache(1024)  # the ring of each of many tables: few taps change it
def _ring(
    markers: tuple[tuple[Seat, str, str], ...], noted: tuple[tuple[int, Place], ...]
) -> tuple[Tile, ...]:
    known = dict(noted)
    found = []
    for number in range(1, places(len(markers)) + 1):
        place, spot = known.get(number, Place()), f"place-{number}"
        seekers = tuple(seat for seat, seeker, _ in markers if seeker == spot)
        signs = tuple(seat for seat, _, sign in markers if sign == spot)
        found.append(Tile(number, place.name or f"Place {number}", place.bond, seekers, signs))
    return tuple(found)


def _sheet(seats: tuple[Seat, ...], gains: tuple[tuple[int, ...], ...], standing: str) -> WisdomSheet:
    columns = tuple(map(str, range(1, len(gains[0]) + 1)))
    rows = tuple([_row(seat, got) for seat, got in zip(seats, gains, strict=True)])
    hint = f"{standing} Tap a number above to correct it." if standing else ""
    return WisdomSheet("kp", "Knowledge Points by turn", columns, rows, hint)


@lru_cache(4096)
def _row(seat: Seat, got: tuple[int, ...]) -> Row:
    return Row(seat, tuple([_cell(seat, turn, kp) for turn, kp in enumerate(got, 1)]), plain(sum(got)))


@lru_cache(4096)
def _cell(seat: Seat, turn: int, got: int) -> Cell:
    return Cell(
        plain(got),
        Form(
            f"cell-{turn}-{seat.id}",
            f"{seat.name}, points of turn {turn}",
            Do("correct", {"seat": seat.id, "turn": turn}),
            (Field("to", "Knowledge Points", str(got), "number"),),
            "Correct it",
        ),
    )
