"""Two factions each, the base decks that are used, and the first turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Choice, Context, Event, Name, Refused, SeatId
from companion.core.checklist import SetupTicked, to_tick
from companion.games.smash_up.cards import box, faction
from companion.games.smash_up.events import FactionChosen, FactionDropped, GameBegun, SetUsed
from companion.games.smash_up.state import State

CHECKLIST = (
    ("decks", "Each shuffles two factions into one deck of 40"),
    ("madness", "The 30 Madness cards in reach, face up"),
    ("hands", "Five cards each. No minion among them? Show, discard and draw five anew, once"),
)

Done = Literal["yes", "no"]


def tick(state: State, context: Context, item: Choice, done: Done = "yes") -> Iterator[Event]:
    label = to_tick(state.ticked, item, dict(CHECKLIST).get(item), done == "yes")
    yield SetupTicked(item, label, done == "yes")


def choose_faction(state: State, context: Context, seat: SeatId, faction: Name) -> Iterator[Event]:
    yield FactionChosen(seat, _named(faction))


def drop_faction(state: State, context: Context, seat: SeatId, faction: Name) -> Iterator[Event]:
    yield FactionDropped(seat, _named(faction))


def _named(name: str) -> str:
    return faction(name).name


def use_set(state: State, context: Context, set: Choice, used: Done) -> Iterator[Event]:
    if (box(set).id in state.used) == (used == "yes"):
        raise Refused(f"{box(set).name}: that is so already.")
    yield SetUsed(set, box(set).name, used == "yes")


def begin_game(state: State, context: Context) -> Iterator[Event]:
    """Two phones may press this at once; the second one is late."""
    if state.stage != "setup":
        raise Refused("The game has begun already.")
    here = len(state.bases)
    players = len(state.table.seats)
    if here < state.wanted:
        raise Refused(f"{players} players need {state.wanted} bases; {state.wanted - here} still to come.")
    if here > state.wanted:
        raise Refused(f"{players} players play with {state.wanted} bases, and {here} lie here. Put one back.")
    yield GameBegun(state.table.starter)


COMMANDS = (tick, choose_faction, drop_faction, use_set, begin_game)
