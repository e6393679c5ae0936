"""Who plays whom, then card after card, and items: what happens on the way, and what players tap for it.

What must always hold is checked where an event folds, so that take-backs stay honest.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Annotated, Any

from pydantic import Field

from companion import core
from companion.core import Choice, Context, Count, Event, Events, Name, SeatId, Text, refuse_if
from companion.core.command import Command
from companion.core.text import By, capital, listed, signed
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.box import BOSS, HANDS, chapter_name, character
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Chapter, Hero, Item, OfHero, State
from companion.tools.seats import SeatAdded, SeatRemoved

Number = Annotated[Count, Field(le=BOSS)]
Hands = Annotated[Count, Field(ge=1, le=HANDS)]
ALWAYS = ("choose_character", "drop_character", "begin_escape", "note_chapter", "clear_note")


def evolve(state: State, event: Event) -> State:
    """Events fold themselves; where somebody comes or goes before the start, characters may be left over."""
    if not isinstance(event, SeatAdded | SeatRemoved):
        folded: State = event.fold(state)
        return folded
    refuse_if(state.begun, "The castle gates are shut: players cannot come or go once the escape has begun.")
    kept = [hero for seat in state.table.ids for hero in state.of(seat)[: state.quota]]
    return replace(state, party=tuple(hero for hero in state.party if hero in kept))


# --- set-up ---


def _check_setup(state: State) -> None:
    refuse_if(state.begun, "The escape has begun; characters are chosen before it.")


class CharacterChosen(OfHero, Event[State]):
    says = "plays the {name}"

    def fold(self, state: State) -> State:
        _check_setup(state)
        seat, mine = state.table.seat(self.seat), state.of(self.seat)
        taken = "".join(state.name(each.seat) for each in state.party if each.id == self.hero)
        refuse_if(taken, f"The {self.name} is played by {taken} already.")
        played = " and the ".join(hero.name for hero in mine)
        refuse_if(len(mine) >= state.quota, f"{seat.name} plays the {played} already; drop one first.")
        return replace(state, party=(*state.party, Hero(self.hero, seat.id)))


class CharacterDropped(OfHero, Event[State], tap="drop_character", seat=SeatId, hero=Choice):
    says = "does not play the {name} after all"

    def fold(self, state: State) -> State:
        _check_setup(state)
        state.hero(self.hero, self.seat)
        return replace(state, party=tuple(each for each in state.party if each.id != self.hero))


class EscapeBegun(Event[State]):
    health: int
    owed: int  # items from the Start card
    at: int

    says = "into the castle, {health} health each; the Start card gives {owed:item}"

    def fold(self, state: State) -> State:
        _check_setup(state)
        for seat in state.table.seats:
            mine = state.of(seat.id)
            lacks = f"{seat.name} still needs {'another' if mine else 'a'} character."
            refuse_if(len(mine) < state.quota, lacks)
        other = "The health at the start was set for another number of players."
        refuse_if(self.health != box.HEALTH[len(state.table.seats)], other)
        party = tuple(replace(hero, health=self.health) for hero in state.party)
        return replace(state, party=party, owed=self.owed, begun=self.at)


def checklist(table: core.Table) -> tuple[tuple[str, str], ...]:
    return (
        ("castle", "15 chapter cards dealt face down"),
        ("boss", f"One of the {box.BOSSES.chosen(table)} bosses hidden beneath them"),
        ("start", "The Start card on top"),
        ("items", "Item deck shuffled, to the right of the castle"),
        ("dice", "Nine chapter dice above it"),
        ("cards", "Everyone has their character card and its die"),
    )


def choose_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Events:
    """Where a seat leads one prisoner, the new one takes the old one's place."""
    chosen, mine = character(hero), state.of(seat)
    again = f"{state.name(seat)} plays the {chosen.name} already."
    refuse_if(chosen.id in [each.id for each in mine], again)
    if state.quota == 1 and mine:
        yield CharacterDropped(seat, mine[0].id)
    yield CharacterChosen(seat, chosen.id)


def begin_escape(state: State, context: Context) -> Events:
    refuse_if(state.begun, "The escape has begun already.")
    yield EscapeBegun(state.cap, len(state.party), context.now)


# --- health and chapters ---


def check_begun(state: State) -> None:
    refuse_if(not state.begun, "The escape has not begun yet.")


def played(command: Command) -> Command:
    """A game that is lost or won stands still; only taking back goes on from there."""

    @wraps(command)
    def going_on(state: State, context: Context, **given: Any) -> Events:
        names = " and ".join(f"the {character(hero).name}" for hero in state.fallen)
        refuse_if(names, f"The game is lost: {names} died. If that was a slip, undo it.")
        refuse_if(state.stage == "escaped", "You have escaped: the game is over.")
        check_begun(state)
        yield from command(state, context, **given)

    return command if command.__name__ in ALWAYS else going_on


def _check_between(state: State) -> None:
    check_begun(state)
    refuse_if(state.stage == "escaped", "You have escaped; there is no card left.")
    refuse_if(state.stage == "chapter", f"{capital(state.card)} is not done yet.")


def check_chapter(state: State, number: int) -> None:
    """A tap that was meant for another chapter is late, not a second one."""
    refuse_if(not 1 <= number <= BOSS, "The castle has fifteen chapters and a boss.")
    how = "done already" if number <= state.chapter else "not open"
    now = (state.stage, state.chapter) == ("chapter", number)
    refuse_if(not now, f"{capital(chapter_name(number))} is {how}.")


class HealthChanged(OfHero, Event[State], tap="change_health", seat=SeatId, hero=Choice, by=By):
    by: int

    def check_tap(self, state: State) -> None:
        full = self.by > 0 and state.hero(self.hero, self.seat).health == state.cap
        refuse_if(full, f"The {self.name} is at full health: {state.cap} is where everyone started.")

    def fold(self, state: State) -> State:
        check_begun(state)
        return state.hurt({state.hero(self.hero, self.seat).id: -self.by})

    def log_text(self, state: State) -> str:
        now = state.hero(self.hero).health
        return f"{self.name} {signed(self.by)} health, now {now}{state.deaths(self.hero)}"


class YouChosen(OfHero, Event[State], tap="choose_you", seat=SeatId, hero=Choice):
    says = "will turn the next card: YOU are the {name}"

    def check_tap(self, state: State) -> None:
        refuse_if(state.you == self.hero, f"The {self.name} is chosen already.")

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
        for hero in state.heroes:
            names = ", ".join(item.name for item in state.held(hero.id))
            over = f"{capital(state.who(hero.id))} carries more than two hands can hold: {names}."
            refuse_if(state.hands(hero.id) > HANDS, f"{over} Put something down before the card is turned.")
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


class ChapterNoted(Event[State], tap="note_chapter", number=Number, note=Text):
    number: int
    note: str

    def check_tap(self, state: State) -> None:
        refuse_if(state.notes.get(self.number) == self.note, "It says that already.")

    def fold(self, state: State) -> State:
        unseen = f"{capital(chapter_name(self.number))} has not been turned yet."
        refuse_if(not 0 <= self.number <= state.chapter, unseen)
        others = {number: note for number, note in state.notes.items() if number != self.number}
        return replace(state, notes={**others, self.number: self.note} if self.note else others)

    def log_text(self, state: State) -> str:
        return f"note on {chapter_name(self.number)}: {self.note or 'taken away'}"


def turn_card(state: State, context: Context, number: Number) -> Events:
    """Two phones may press this at once; the second one is late, not a second card."""
    refuse_if(number <= state.chapter, f"{capital(chapter_name(number))} is turned already.")
    refuse_if(not state.you, "First choose who turns it: “you” on the card means that character.")
    left = tuple(item.name for item in state.held(TABLE))
    yield CardTurned(state.hero(state.you).seat, state.you, number, context.now, left)


def finish_chapter(state: State, context: Context, number: Number) -> Events:
    yield ChapterDone(number, context.now)


def clear_note(state: State, context: Context, number: Number) -> Events:
    refuse_if(number not in state.notes, "There is no note to take away.")
    yield ChapterNoted(number, "")


# --- items: drawn to the table, taken up, put down, used up; what they do is on the card ---


class ItemDrawn(Event[State]):
    item: int
    name: str
    kind: str
    hands: int

    def fold(self, state: State) -> State:
        check_begun(state)
        taken = any(item.id == self.item for item in state.items)
        refuse_if(taken, f"Another item was drawn in its place; draw {self.name} again instead.")
        items = (*state.items, Item(self.item, self.name, self.kind, self.hands, TABLE))
        last = max(state.last_item, self.item)
        return replace(state, items=items, last_item=last, owed=max(0, state.owed - 1))

    def log_text(self, state: State) -> str:
        return f"drew {self.name}{', two-handed' if self.hands == 2 else ''}"


class ItemMoved(Event[State]):
    item: int
    name: str
    place: str
    used: bool = False

    def fold(self, state: State) -> State:
        if self.place not in (TABLE, PILE):
            state.hero(self.place)
        moved = replace(state.item(self.item), place=self.place)
        others = tuple(item for item in state.items if item.id != self.item)
        return replace(state, items=(*others, moved))

    def log_text(self, state: State) -> str:
        lies = {TABLE: "lies on the table", PILE: "used up" if self.used else "discarded"}
        return f"{self.name} {lies.get(self.place) or f'to the {character(self.place).name}'}"


class PileShuffled(Event[State]):
    number: int

    says = "{number} discarded items shuffled into a new deck"

    def fold(self, state: State) -> State:
        return replace(state, items=tuple(item for item in state.items if item.place != PILE))


def draw_item(state: State, context: Context, name: Name, hands: Hands = 1) -> Events:
    """A name from the list knows its own hands; any other card is as wide as it was said to be."""
    known = box.KNOWN.get(name.casefold())
    card = (known.name, known.kind, known.hands) if known else (name, "", hands)
    yield ItemDrawn(state.last_item + 1, *card)


def move_item(state: State, context: Context, item: Count, to: Choice) -> Events:
    moved = state.item(item)
    refuse_if(moved.place == to, f"{moved.name} is there already.")
    refuse_if(why := locked(state, moved, to), why)
    yield ItemMoved(moved.id, moved.name, to, used=moved.place not in (TABLE, PILE))


def locked(state: State, item: Item, to: str) -> str:
    """Why this item cannot go there now; empty if it can."""
    if to == PILE:
        rests = state.fight.rests if state.fight else ""
        resting = f"The {character(rests).name} rests, and may not use items this round." if rests else ""
        return resting if rests == item.place else ""
    rule = box.TRADING.chosen(state.table)
    if state.stage == "between" or rule == "free":
        return ""
    if item.place == PILE:
        return "What is discarded stays there until the chapter is done."
    drawn = item.place == TABLE or any(each.place == TABLE for each in state.items)
    if rule == "draws" and drawn and not state.fight:
        return ""
    if item.place != TABLE:
        return "Items change hands between chapters only; this one is not done yet."
    if to != TABLE and state.hands(to) + item.hands > HANDS:
        return f"The {state.hero(to).name} has no hand free, and trading waits for the chapter's end."
    return ""


def reshuffle_items(state: State, context: Context) -> Events:
    pile = state.held(PILE)
    no_more = box.EMPTY_DECK.chosen(state.table) == "none"
    refuse_if(no_more, "At this table there are no more items once the deck is empty.")
    refuse_if(not pile, "The discard pile is empty.")
    yield PileShuffled(len(pile))
