"""Items: drawn to the table, taken up, put down, used up. What they do is read from the card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused
from companion.games.escape_the_dark_castle.box import HANDS, character, known_item
from companion.games.escape_the_dark_castle.castle import begun, going_on
from companion.games.escape_the_dark_castle.house_rules import EMPTY_DECK, TRADING
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Item, State

Hands = Annotated[Count, Field(ge=1, le=HANDS)]


class ItemDrawn(Event[State]):
    item: int
    name: str
    kind: str
    hands: int

    def fold(self, state: State) -> State:
        begun(state)
        if any(item.id == self.item for item in state.items):
            raise Refused(f"Another item was drawn in its place; draw {self.name} again instead.")
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
        if self.place == TABLE:
            return f"{self.name} lies on the table"
        if self.place == PILE:
            return f"{self.name} {'used up' if self.used else 'discarded'}"
        return f"{self.name} to the {character(self.place).name}"


class PileShuffled(Event[State]):
    number: int

    def fold(self, state: State) -> State:
        return replace(state, items=tuple(item for item in state.items if item.place != PILE))

    def log_text(self, state: State) -> str:
        return f"{self.number} discarded items shuffled into a new deck"


def draw_item(state: State, context: Context, name: Name, hands: Hands = 1) -> Iterator[Event]:
    """A name from the list knows its own hands; any other card is as wide as it was said to be."""
    going_on(state)
    known = known_item(name)
    card = (known.name, known.kind, known.hands) if known else (name, "", hands)
    yield ItemDrawn(state.last_item + 1, *card)


def move_item(state: State, context: Context, item: Count, to: Choice) -> Iterator[Event]:
    moved = going_on(state).item(item)
    if moved.place == to:
        raise Refused(f"{moved.name} is there already.")
    if to not in (TABLE, PILE):
        state.hero(to)
    if why := locked(state, moved, to):
        raise Refused(why)
    yield ItemMoved(moved.id, moved.name, to, used=moved.place not in (TABLE, PILE))


def locked(state: State, item: Item, to: str) -> str:
    """Why this item cannot go there now; empty if it can."""
    if to == PILE:
        resting = state.fight and state.fight.rests == item.place
        name = state.hero(item.place).name if resting else ""
        return f"The {name} rests, and may not use items this round." if resting else ""
    rule = TRADING.chosen(state.table)
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


def reshuffle_items(state: State, context: Context) -> Iterator[Event]:
    pile = going_on(state).held(PILE)
    if EMPTY_DECK.chosen(state.table) == "none":
        raise Refused("At this table there are no more items once the deck is empty.")
    if not pile:
        raise Refused("The discard pile is empty.")
    yield PileShuffled(len(pile))
