"""Set-up, and the Movement phase."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.checklist import to_tick
from companion.games.mountains_of_madness.checklist import item_of
from companion.games.mountains_of_madness.events import (
    ExpeditionBegun,
    MadnessIgnored,
    PlaneMoved,
    SandTurned,
    SetupTicked,
    TokensMoved,
)
from companion.games.mountains_of_madness.state import (
    NEIGHBOURS,
    PLACES,
    PLAIN_CARDS,
    SAND,
    WITH_SPACES,
    State,
    first_levels,
)
from companion.games.mountains_of_madness.tokens import check_token, playing
from companion.tools.timer import TimerStarted

Done = Literal["yes", "no"]


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    if state.stage != "setup":
        raise Refused("The set-up is over.")
    found = item_of(state, item)
    label = to_tick(state.ticked, item, found.short, done == "yes")
    yield SetupTicked(item, label, done == "yes", found.seat)


def begin(state: State, context: Context) -> Iterator[Event]:
    if state.stage != "setup":
        raise Refused("The expedition has begun already.")
    players = len(state.table.seats)
    hands = players * state.base_hand
    levels = first_levels(state.table)
    yield ExpeditionBegun(state.table.starter, levels, players, PLAIN_CARDS - hands, hands)


def move(state: State, context: Context, turn: Count, to: Choice, tile: Done = "yes") -> Iterator[Event]:
    playing(state, turn, "movement")
    if to not in PLACES:
        raise Refused("There is no such place on the board.")
    if state.now.moved:
        raise Refused(f"The airplane has moved to the {PLACES[state.place]} already; undo that to change it.")
    if to not in NEIGHBOURS[state.place]:
        raise Refused(_no_way(state.place, to))
    if tile == "no" and to not in WITH_SPACES:
        raise Refused(f"There is always a tile on the {PLACES[to]}.")
    yield PlaneMoved(turn, to, tile == "yes")


def _no_way(place: str, to: str) -> str:
    if not place:
        return "The first turn starts on the Coast."
    if place == "edge" or place.startswith("escape"):
        (only,) = NEIGHBOURS[place]
        return f"From the Edge of Madness nobody comes back down: the way leads to the {PLACES[only]}."
    return f"The {PLACES[to]} is not next to the {PLACES[place]}."


def ignore_madness(state: State, context: Context, turn: Count, whom: SeatId) -> Iterator[Event]:
    playing(state, turn, "movement")
    name = state.table.seat(whom).name
    if not state.level(whom):
        raise Refused(f"{name} has no Madness to ignore.")
    if whom in state.now.ignoring:
        raise Refused(f"{name} ignores Madness this turn already.")
    check_token(state, "movement")
    yield MadnessIgnored(whom, turn)
    yield TokensMoved("sled", "discard")


def flip(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """The tile is revealed and the sand runs on every phone."""
    playing(state, turn, "movement")
    if not state.now.moved:
        raise Refused(f"First {state.name(state.leader)} moves the airplane.")
    yield SandTurned(turn, 1)
    yield TimerStarted("down", SAND, context.now)


COMMANDS = (tick, begin, move, ignore_madness, flip)
