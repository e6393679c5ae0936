"""Who plays whom, what is ready, and into the castle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Choice, Context, Event, Refused, SeatId
from companion.core.checklist import SetupTicked, to_tick
from companion.games.escape_the_dark_castle.box import character
from companion.games.escape_the_dark_castle.events import (
    CharacterChosen,
    CharacterDropped,
    EscapeBegun,
)
from companion.games.escape_the_dark_castle.evolve.castle import check_party
from companion.games.escape_the_dark_castle.state import State, checklist

Yes = Literal["yes", "no"]


def tick(state: State, context: Context, item: Choice, done: Yes = "yes") -> Iterator[Event]:
    label = to_tick(state.ticked, item, dict(checklist(state.table)).get(item), done == "yes")
    yield SetupTicked(item, label, done == "yes")


def choose_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Iterator[Event]:
    """Where a seat leads one prisoner, the new one takes the old one's place."""
    chosen, mine = character(hero), state.of(seat)
    if any(each.id == chosen.id for each in mine):
        raise Refused(f"{state.table.seat(seat).name} plays the {chosen.name} already.")
    taken = any(each.id == chosen.id for each in state.party)
    if state.quota == 1 and mine and not taken and not state.begun:
        yield CharacterDropped(seat, mine[0].id)
    yield CharacterChosen(seat, chosen.id)


def drop_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Iterator[Event]:
    yield CharacterDropped(seat, character(hero).id)


def begin_escape(state: State, context: Context) -> Iterator[Event]:
    if state.begun:
        raise Refused("The escape has begun already.")
    check_party(state)
    yield EscapeBegun(state.cap, len(state.party), context.now)


COMMANDS = (tick, choose_character, drop_character, begin_escape)
