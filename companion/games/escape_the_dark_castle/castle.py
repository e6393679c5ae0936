"""Who plays whom, then card after card, and items: what happens on the way, and what players tap for it.

What must always hold is checked where an event folds, so that take-backs stay honest.
"""

from functools import wraps
from typing import Annotated, Any

from companion import core
from companion.core import Command, Context, Event, Events, Item, load, refuse_if, replace
from companion.core.text import Bounds, By, Choice, Count, SeatId, Text, capital
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Chapter, Hero, OfHero, State
from companion.tools.seats import SeatAdded, SeatRemoved

Number = Annotated[Count, Bounds(le=box.BOSS)]
Hits = Annotated[Count, Bounds(ge=1, le=9)]
CHECKLIST = load(__package__, "checklist.toml", Item)
ALWAYS = ("choose_character", "drop_character", "begin_escape", "note_chapter", "clear_note")


def evolve(state: State, event: Event) -> State:
    """Events fold themselves; where somebody comes or goes before the start, characters may be left over."""
    after: State = event.fold(state)
    if not isinstance(event, (SeatAdded, SeatRemoved)):
        return after
    refuse_if(state.begun, "The castle gates are shut: players cannot come or go once the escape has begun.")
    kept = [hero for seat in state.table.ids for hero in state.of(seat)[: state.quota]]
    return replace(state, party=tuple(hero for hero in state.party if hero in kept))


def _check_setup(state: State) -> None:
    refuse_if(state.begun, "The escape has begun; characters are chosen before it.")


class CharacterChosen(OfHero, Event[State]):
    def fold(self, state: State) -> State:
        _check_setup(state)
        seat, mine = state.table.seat(self.seat), state.of(self.seat)
        taken = "".join(state.name(each.seat) for each in state.party if each.id == self.hero)
        refuse_if(taken, f"The {self.name} is played by {taken} already.")
        played = " and the ".join(hero.name for hero in mine)
        refuse_if(len(mine) >= state.quota, f"{seat.name} plays the {played} already; drop one first.")
        return replace(state, party=(*state.party, Hero(self.hero, seat.id)))


class CharacterDropped(OfHero, Event[State], tap="drop_character", seat=SeatId, hero=Choice):
    def fold(self, state: State) -> State:
        _check_setup(state)
        state.hero(self.hero, self.seat)
        return replace(state, party=tuple(each for each in state.party if each.id != self.hero))


class EscapeBegun(Event[State]):
    health: int
    owed: int  # items from the Start card
    at: int
    edition: int = 1

    def fold(self, state: State) -> State:
        _check_setup(state)
        for seat in state.table.seats:
            what = "another character" if state.of(seat.id) else "a character"
            refuse_if(len(state.of(seat.id)) < state.quota, f"{seat.name} still needs {what}.")
        refuse_if(self.health != state.cap, "The health at the start was set for another number of players.")
        party = tuple(replace(hero, health=self.health) for hero in state.party)
        return replace(state, party=party, owed=self.owed, begun=self.at, edition=self.edition)


def checklist(table: core.Table) -> tuple[tuple[str, str], ...]:
    return tuple((each.id, each.label.format(bosses=box.BOSSES.chosen(table))) for each in CHECKLIST)


def choose_character(state: State, context: Context, seat: SeatId, hero: Choice) -> Events:
    """Where a seat leads one prisoner, the new one takes the old one's place."""
    name, mine = box.character(hero).name, [each.id for each in state.of(seat)]
    refuse_if(hero in mine, f"{state.name(seat)} plays the {name} already.")
    if state.quota == 1 and mine:
        yield CharacterDropped(seat, mine[0])
    yield CharacterChosen(seat, hero)


def begin_escape(state: State, context: Context) -> Events:
    refuse_if(state.begun, "The escape has begun already.")
    yield EscapeBegun(state.cap, len(state.party), context.now, box.EDITION)


def check_begun(state: State) -> None:
    refuse_if(not state.begun, "The escape has not begun yet.")


def played(command: Command) -> Command:
    """A game that is lost or won stands still; only taking back goes on from there."""

    @wraps(command)
    def going_on(state: State, context: Context, **given: Any) -> Events:
        if not state.playing:
            names = " and ".join(f"the {box.character(hero).name}" for hero in state.fallen)
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
    refuse_if(not 1 <= number <= box.BOSS, "The castle has fifteen chapters and a boss.")
    how = "done already" if number <= state.chapter else "not open"
    now = (state.stage, state.chapter) == ("chapter", number)
    refuse_if(not now, f"{capital(box.chapter_name(number))} is {how}.")
    refuse_if(state.trial and not state.trial.ended, "The test is still on.")


class HealthChanged(OfHero, Event[State]):
    by: int

    def fold(self, state: State) -> State:
        check_begun(state)
        return state.hurt({state.hero(self.hero, self.seat).id: -self.by})


class OwnDiceChosen(Event[State], tap="roll_own_dice", own=bool):
    own: bool

    def fold(self, state: State) -> State:
        return replace(state, own_dice=self.own)


class YouChosen(OfHero, Event[State]):
    """Of earlier evenings: who turns a card is chosen by turning it."""

    def fold(self, state: State) -> State:
        _check_between(state)
        state.hero(self.hero, self.seat)
        return state


class CardTurned(OfHero, Event[State]):
    """Whatever nobody carries now is left behind."""

    number: int
    at: int
    left: tuple[str, ...] = ()  # items left behind

    def fold(self, state: State) -> State:
        _check_between(state)
        state.hero(self.hero, self.seat)
        ahead = state.chapter + 1
        refuse_if(self.number != ahead, f"The next card is {box.chapter_name(ahead)}.")
        state.check_hands("before the card is turned")
        items = tuple(replace(each, place=PILE) if each.place == TABLE else each for each in state.items)
        chapters = (*state.chapters, Chapter(self.number, self.hero, self.at))
        return replace(state, chapters=chapters, items=items, owed=0, won_fights=0)


class ChapterDone(Event[State]):
    number: int
    at: int

    def fold(self, state: State) -> State:
        check_chapter(state, self.number)
        refuse_if(state.fight, "The fight is still on.")
        health = sum(hero.health for hero in state.party)
        done = replace(state.chapters[-1], done=self.at, health=health)
        return replace(state, chapters=(*state.chapters[:-1], done), trial=None)


class ChapterNoted(Event[State], tap="note_chapter", number=Number, note=Text):
    number: int
    note: str

    def fold(self, state: State) -> State:
        unseen = f"{capital(box.chapter_name(self.number))} has not been turned yet."
        refuse_if(not 0 <= self.number <= state.chapter, unseen)
        others = {number: note for number, note in state.notes.items() if number != self.number}
        return replace(state, notes={**others, self.number: self.note} if self.note else others)


def change_health(state: State, context: Context, seat: SeatId, hero: Choice, by: By) -> Events:
    """Up as far as it goes. A blow is kept as hard as it was: a scratch before it may be taken back."""
    whose = state.hero(hero, seat)
    full = by > 0 and whose.health == state.cap
    refuse_if(full, f"The {whose.name} is at full health: {state.cap} is where everyone started.")
    yield HealthChanged(seat, hero, min(by, state.cap - whose.health))


def hurt_all(state: State, context: Context, damage: Hits) -> Events:
    """A card that strikes everybody; whoever carries a shield loses 1 less."""
    for hero in state.heroes:
        yield HealthChanged(hero.seat, hero.id, -box.shielded(state.gear(hero.id), damage))


def turn_card(state: State, context: Context, number: Number, hero: Choice) -> Events:
    """Two phones may press this at once; the second one is late, not a second card."""
    refuse_if(number <= state.chapter, f"{capital(box.chapter_name(number))} is turned already.")
    yield CardTurned(state.hero(hero).seat, hero, number, context.now, state.left)


def finish_chapter(state: State, context: Context, number: Number) -> Events:
    yield ChapterDone(number, context.now)


def clear_note(state: State, context: Context, number: Number) -> Events:
    refuse_if(number not in state.notes, "There is no note to take away.")
    yield ChapterNoted(number, "")
