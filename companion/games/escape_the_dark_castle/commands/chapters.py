"""Health, and card after card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, Text, Whole
from companion.games.escape_the_dark_castle.box import BOSS
from companion.games.escape_the_dark_castle.events import (
    CardTurned,
    ChapterDone,
    ChapterNoted,
    HealthChanged,
    YouChosen,
    chapter_name,
)
from companion.games.escape_the_dark_castle.evolve.castle import expect_chapter
from companion.games.escape_the_dark_castle.state import TABLE, State

Number = Annotated[Count, Field(le=BOSS)]


def going_on(state: State) -> State:
    """A lost game stands still; only taking back goes on from there."""
    if state.fallen:
        names = " and ".join(f"the {state.hero(hero).name}" for hero in state.fallen)
        raise Refused(f"The game is lost: {names} died. If that was a slip, undo it.")
    if state.stage == "escaped":
        raise Refused("You have escaped: the game is over.")
    if state.stage == "setup":
        raise Refused("The escape has not begun yet.")
    return state


def change_health(state: State, context: Context, seat: SeatId, hero: Choice, by: Whole) -> Iterator[Event]:
    now = going_on(state).hero(hero, seat)
    if by == 0:
        raise Refused("Nothing to change.")
    if by > 0 and now.health == state.cap:
        raise Refused(f"The {now.name} is at full health: {state.cap} is where everyone started.")
    yield HealthChanged(seat, hero, by)


def choose_you(state: State, context: Context, seat: SeatId, hero: Choice) -> Iterator[Event]:
    chosen = going_on(state).hero(hero, seat)
    if state.you == chosen.id:
        raise Refused(f"The {chosen.name} is chosen already.")
    yield YouChosen(seat, chosen.id)


def turn_card(state: State, context: Context, number: Number) -> Iterator[Event]:
    """Two phones may press this at once; the second one is late, not a second card."""
    going_on(state)
    if number <= state.chapter:
        raise Refused(f"{chapter_name(number).capitalize()} is turned already.")
    if not state.you:
        raise Refused("First choose who turns it: “you” on the card means that character.")
    left = tuple(item.name for item in state.held(TABLE))
    yield CardTurned(state.hero(state.you).seat, state.you, number, context.now, left)


def finish_chapter(state: State, context: Context, number: Number) -> Iterator[Event]:
    expect_chapter(going_on(state), number)
    yield ChapterDone(number, context.now)


def note_chapter(state: State, context: Context, number: Number, note: Text) -> Iterator[Event]:
    if state.notes.get(number) == note:
        raise Refused("It says that already.")
    yield ChapterNoted(number, note)


def clear_note(state: State, context: Context, number: Number) -> Iterator[Event]:
    if number not in state.notes:
        raise Refused("There is no note to take away.")
    yield ChapterNoted(number, "")


COMMANDS = (change_health, choose_you, turn_card, finish_chapter, note_chapter, clear_note)
