"""Set-up, health, chapters and items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.core import Event, Refused
from companion.core.checklist import SetupTicked
from companion.games.escape_the_dark_castle.box import BOSS, HEALTH, character
from companion.games.escape_the_dark_castle.events import (
    CardTurned,
    ChapterDone,
    ChapterNoted,
    CharacterChosen,
    CharacterDropped,
    EscapeBegun,
    HealthChanged,
    ItemDrawn,
    ItemMoved,
    PileShuffled,
    YouChosen,
    chapter_name,
)
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Chapter, Hero, Item, State
from companion.tools.seats import SeatAdded, SeatRemoved

# --- set-up ---


def _tick(state: State, event: SetupTicked) -> State:
    others = tuple(each for each in state.ticked if each != event.item)
    return replace(state, ticked=(*others, event.item) if event.done else others)


def _choose(state: State, event: CharacterChosen) -> State:
    _expect_setup(state)
    seat, name = state.table.seat(event.seat), character(event.hero).name
    taken = next((each for each in state.party if each.id == event.hero), None)
    if taken:
        raise Refused(f"The {name} is played by {state.table.seat(taken.seat).name} already.")
    mine = state.of(seat.id)
    if len(mine) >= state.quota:
        played = " and the ".join(hero.name for hero in mine)
        raise Refused(f"{seat.name} plays the {played} already; drop one first.")
    return replace(state, party=(*state.party, Hero(event.hero, seat.id)))


def _drop(state: State, event: CharacterDropped) -> State:
    _expect_setup(state)
    state.hero(event.hero, event.seat)
    return replace(state, party=tuple(each for each in state.party if each.id != event.hero))


def _begin(state: State, event: EscapeBegun) -> State:
    _expect_setup(state)
    check_party(state)
    if event.health != HEALTH[len(state.table.seats)]:
        raise Refused("The health at the start was set for another number of players.")
    party = tuple(replace(hero, health=event.health) for hero in state.party)
    return replace(state, party=party, owed=event.owed, begun=event.at)


def _seats(state: State, event: SeatAdded | SeatRemoved) -> State:
    if state.begun:
        raise Refused("The castle gates are shut: players cannot come or go once the escape has begun.")
    kept = [hero for seat in state.table.seats for hero in state.of(seat.id)[: state.quota]]
    return replace(state, party=tuple(hero for hero in state.party if hero in kept))


def _expect_setup(state: State) -> None:
    if state.begun:
        raise Refused("The escape has begun; characters are chosen before it.")


def check_party(state: State) -> None:
    for seat in state.table.seats:
        lacking = state.quota - len(state.of(seat.id))
        if lacking:
            solo = "two characters" if lacking == 2 else "another character"
            raise Refused(f"{seat.name} still needs {solo if state.quota > 1 else 'a character'}.")


# --- health and chapters ---


def _health(state: State, event: HealthChanged) -> State:
    _expect_begun(state)
    state.hero(event.hero, event.seat)
    return state.with_health(event.hero, event.by)


def _you(state: State, event: YouChosen) -> State:
    _expect_between(state)
    return replace(state, you=state.hero(event.hero, event.seat).id)


def _turn(state: State, event: CardTurned) -> State:
    """Whatever nobody carries now is left behind."""
    _expect_between(state)
    state.hero(event.hero, event.seat)
    if event.number != state.chapter + 1:
        raise Refused(f"The next card is {chapter_name(state.chapter + 1)}.")
    if over := state.overloaded():
        raise Refused(f"{over} Put something down before the card is turned.")
    items = tuple(replace(each, place=PILE) if each.place == TABLE else each for each in state.items)
    chapters = (*state.chapters, Chapter(event.number, event.hero, event.at))
    return replace(state, chapters=chapters, items=items, you="", owed=0, won_fights=0)


def _finish(state: State, event: ChapterDone) -> State:
    expect_chapter(state, event.number)
    if state.fight:
        raise Refused("The fight is still on.")
    if state.trial and not state.trial.ended:
        raise Refused("The test is still on.")
    health = sum(hero.health for hero in state.party)
    done = replace(state.chapters[-1], done=event.at, health=health)
    return replace(state, chapters=(*state.chapters[:-1], done), trial=None)


def _note(state: State, event: ChapterNoted) -> State:
    if not 0 <= event.number <= state.chapter:
        raise Refused(f"{chapter_name(event.number).capitalize()} has not been turned yet.")
    others = {number: note for number, note in state.notes.items() if number != event.number}
    return replace(state, notes={**others, event.number: event.note} if event.note else others)


def _expect_begun(state: State) -> None:
    if not state.begun:
        raise Refused("The escape has not begun yet.")


def _expect_between(state: State) -> None:
    _expect_begun(state)
    if state.stage == "escaped":
        raise Refused("You have escaped; there is no card left.")
    if state.stage == "chapter":
        raise Refused(f"{chapter_name(state.chapter).capitalize()} is not done yet.")


def expect_chapter(state: State, number: int) -> None:
    """A tap that was meant for another chapter is late, not a second one."""
    if not 1 <= number <= BOSS:
        raise Refused("The castle has fifteen chapters and a boss.")
    if (state.stage, state.chapter) != ("chapter", number):
        past = number <= state.chapter
        raise Refused(f"{chapter_name(number).capitalize()} is {'done already' if past else 'not open'}.")


# --- items ---


def _draw(state: State, event: ItemDrawn) -> State:
    _expect_begun(state)
    if any(item.id == event.item for item in state.items):
        raise Refused(f"Another item was drawn in its place; draw {event.name} again instead.")
    items = (*state.items, Item(event.item, event.name, event.kind, event.hands, TABLE))
    last = max(state.last_item, event.item)
    return replace(state, items=items, last_item=last, owed=max(0, state.owed - 1))


def _move(state: State, event: ItemMoved) -> State:
    if event.place not in (TABLE, PILE):
        state.hero(event.place)
    moved = replace(state.item(event.item), place=event.place)
    others = tuple(item for item in state.items if item.id != event.item)
    return replace(state, items=(*others, moved))


def _shuffle(state: State, event: PileShuffled) -> State:
    return replace(state, items=tuple(item for item in state.items if item.place != PILE))


FOLDS: dict[type[Event], Callable[[State, Any], State]] = {
    SetupTicked: _tick,
    CharacterChosen: _choose,
    CharacterDropped: _drop,
    EscapeBegun: _begin,
    SeatAdded: _seats,
    SeatRemoved: _seats,
    HealthChanged: _health,
    YouChosen: _you,
    CardTurned: _turn,
    ChapterDone: _finish,
    ChapterNoted: _note,
    ItemDrawn: _draw,
    ItemMoved: _move,
    PileShuffled: _shuffle,
}
