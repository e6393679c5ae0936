"""Who plays whom, and then card after card: what happens on the way, and what players tap for it.

What must always hold is checked where an event folds, so that take-backs stay honest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId, Table, Text, Whole, refuse_if
from companion.core.text import capital, counted, listed, signed
from companion.games.escape_the_dark_castle.box import BOSS, BOSSES, HEALTH, chapter_name, character
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Chapter, Events, Hero, OfHero, State
from companion.tools.seats import SeatAdded, SeatRemoved

Yes = Literal["yes", "no"]
Number = Annotated[Count, Field(le=BOSS)]


def evolve(state: State, event: Event) -> State:
    """Events fold themselves; where somebody comes or goes before the start, characters may be left over."""
    if not isinstance(event, SeatAdded | SeatRemoved):
        folded: State = event.fold(state)
        return folded
    refuse_if(state.begun, "The castle gates are shut: players cannot come or go once the escape has begun.")
    kept = [hero for seat in state.table.seats for hero in state.of(seat.id)[: state.quota]]
    return replace(state, party=tuple(hero for hero in state.party if hero in kept))


# --- set-up ---


def _check_setup(state: State) -> None:
    refuse_if(state.begun, "The escape has begun; characters are chosen before it.")


class CharacterChosen(OfHero, Event[State]):
    says = "plays the {name}"

    def fold(self, state: State) -> State:
        _check_setup(state)
        seat, mine = state.table.seat(self.seat), state.of(self.seat)
        taken = "".join(state.table.seat(each.seat).name for each in state.party if each.id == self.hero)
        refuse_if(taken, f"The {self.name} is played by {taken} already.")
        if len(mine) >= state.quota:
            played = " and the ".join(hero.name for hero in mine)
            raise Refused(f"{seat.name} plays the {played} already; drop one first.")
        return replace(state, party=(*state.party, Hero(self.hero, seat.id)))


class CharacterDropped(OfHero, Event[State]):
    says = "does not play the {name} after all"

    def fold(self, state: State) -> State:
        _check_setup(state)
        state.hero(self.hero, self.seat)
        return replace(state, party=tuple(each for each in state.party if each.id != self.hero))


class EscapeBegun(Event[State]):
    health: int
    owed: int  # items from the Start card
    at: int

    def fold(self, state: State) -> State:
        _check_setup(state)
        for seat in state.table.seats:
            if lacking := state.quota - len(state.of(seat.id)):
                solo = "two characters" if lacking == 2 else "another character"
                raise Refused(f"{seat.name} still needs {solo if state.quota > 1 else 'a character'}.")
        if self.health != HEALTH[len(state.table.seats)]:
            raise Refused("The health at the start was set for another number of players.")
        party = tuple(replace(hero, health=self.health) for hero in state.party)
        return replace(state, party=party, owed=self.owed, begun=self.at)

    def log_text(self, state: State) -> str:
        items = counted(self.owed, "item")
        return f"into the castle, {self.health} health each; the Start card gives {items}"


def checklist(table: Table) -> tuple[tuple[str, str], ...]:
    return (
        ("castle", "15 chapter cards dealt face down"),
        ("boss", f"One of the {BOSSES.chosen(table)} bosses hidden beneath them"),
        ("start", "The Start card on top"),
        ("items", "Item deck shuffled, to the right of the castle"),
        ("dice", "Nine chapter dice above it"),
        ("cards", "Everyone has their character card and its die"),
    )


def choose_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Events:
    """Where a seat leads one prisoner, the new one takes the old one's place."""
    chosen, mine = character(hero), state.of(seat)
    if chosen.id in [each.id for each in mine]:
        raise Refused(f"{state.table.seat(seat).name} plays the {chosen.name} already.")
    if state.quota == 1 and mine:
        yield CharacterDropped(seat, mine[0].id)
    yield CharacterChosen(seat, chosen.id)


def drop_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Events:
    yield CharacterDropped(seat, character(hero).id)


def begin_escape(state: State, context: Context) -> Events:
    refuse_if(state.begun, "The escape has begun already.")
    yield EscapeBegun(state.cap, len(state.party), context.now)


# --- health and chapters ---


def going_on(state: State) -> State:
    """A lost game stands still; only taking back goes on from there."""
    if state.fallen:
        names = " and ".join(f"the {state.hero(hero).name}" for hero in state.fallen)
        raise Refused(f"The game is lost: {names} died. If that was a slip, undo it.")
    refuse_if(state.stage == "escaped", "You have escaped: the game is over.")
    return begun(state)


def begun(state: State) -> State:
    refuse_if(not state.begun, "The escape has not begun yet.")
    return state


def _check_between(state: State) -> None:
    begun(state)
    refuse_if(state.stage == "escaped", "You have escaped; there is no card left.")
    refuse_if(state.stage == "chapter", f"{capital(chapter_name(state.chapter))} is not done yet.")


def check_chapter(state: State, number: int) -> None:
    """A tap that was meant for another chapter is late, not a second one."""
    refuse_if(not 1 <= number <= BOSS, "The castle has fifteen chapters and a boss.")
    if (state.stage, state.chapter) != ("chapter", number):
        past = number <= state.chapter
        raise Refused(f"{capital(chapter_name(number))} is {'done already' if past else 'not open'}.")


class HealthChanged(OfHero, Event[State]):
    by: int

    def fold(self, state: State) -> State:
        begun(state).hero(self.hero, self.seat)
        return state.with_health(self.hero, self.by)

    def log_text(self, state: State) -> str:
        now = state.hero(self.hero).health
        return f"{self.name} {signed(self.by)} health, now {now}{state.deaths(self.hero)}"


class YouChosen(OfHero, Event[State]):
    says = "will turn the next card: YOU are the {name}"

    def fold(self, state: State) -> State:
        _check_between(state)
        return replace(state, you=state.hero(self.hero, self.seat).id)


class CardTurned(OfHero, Event[State]):
    """Whatever nobody carries now is left behind."""

    number: int
    at: int
    left: tuple[str, ...] = ()  # items left behind

    def fold(self, state: State) -> State:
        _check_between(state)
        state.hero(self.hero, self.seat)
        refuse_if(self.number != state.chapter + 1, f"The next card is {chapter_name(state.chapter + 1)}.")
        if over := state.overloaded():
            raise Refused(f"{over} Put something down before the card is turned.")
        items = tuple(replace(each, place=PILE) if each.place == TABLE else each for each in state.items)
        chapters = (*state.chapters, Chapter(self.number, self.hero, self.at))
        return replace(state, chapters=chapters, items=items, you="", owed=0, won_fights=0)

    def log_text(self, state: State) -> str:
        behind = f"; left behind: {listed(self.left)}" if self.left else ""
        return f"turned {chapter_name(self.number)}, YOU are the {self.name}{behind}"


class ChapterDone(Event[State]):
    number: int
    at: int

    def fold(self, state: State) -> State:
        check_chapter(state, self.number)
        refuse_if(state.fight, "The fight is still on.")
        state.check_no_test()
        health = sum(hero.health for hero in state.party)
        done = replace(state.chapters[-1], done=self.at, health=health)
        return replace(state, chapters=(*state.chapters[:-1], done), trial=None)

    def log_text(self, state: State) -> str:
        return "the boss is beaten: free!" if self.number == BOSS else f"chapter {self.number} is done"


class ChapterNoted(Event[State]):
    number: int
    note: str

    def fold(self, state: State) -> State:
        if not 0 <= self.number <= state.chapter:
            raise Refused(f"{capital(chapter_name(self.number))} has not been turned yet.")
        others = {number: note for number, note in state.notes.items() if number != self.number}
        return replace(state, notes={**others, self.number: self.note} if self.note else others)

    def log_text(self, state: State) -> str:
        return f"note on {chapter_name(self.number)}: {self.note or 'taken away'}"


def change_health(state: State, context: Context, seat: SeatId, hero: Choice, by: Whole) -> Events:
    now = going_on(state).hero(hero, seat)
    refuse_if(by == 0, "Nothing to change.")
    if by > 0 and now.health == state.cap:
        raise Refused(f"The {now.name} is at full health: {state.cap} is where everyone started.")
    yield HealthChanged(seat, hero, by)


def choose_you(state: State, context: Context, seat: SeatId, hero: Choice) -> Events:
    chosen = going_on(state).hero(hero, seat)
    refuse_if(state.you == chosen.id, f"The {chosen.name} is chosen already.")
    yield YouChosen(seat, chosen.id)


def turn_card(state: State, context: Context, number: Number) -> Events:
    """Two phones may press this at once; the second one is late, not a second card."""
    going_on(state)
    refuse_if(number <= state.chapter, f"{capital(chapter_name(number))} is turned already.")
    refuse_if(not state.you, "First choose who turns it: “you” on the card means that character.")
    left = tuple(item.name for item in state.held(TABLE))
    yield CardTurned(state.hero(state.you).seat, state.you, number, context.now, left)


def finish_chapter(state: State, context: Context, number: Number) -> Events:
    going_on(state)
    yield ChapterDone(number, context.now)


def note_chapter(state: State, context: Context, number: Number, note: Text) -> Events:
    refuse_if(state.notes.get(number) == note, "It says that already.")
    yield ChapterNoted(number, note)


def clear_note(state: State, context: Context, number: Number) -> Events:
    refuse_if(number not in state.notes, "There is no note to take away.")
    yield ChapterNoted(number, "")
