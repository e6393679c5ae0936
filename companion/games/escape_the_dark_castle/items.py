"""Items: drawn to the table, taken up, put down, used up, and how that looks. What they do is on the card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import starmap
from typing import Annotated

from pydantic import Field

from companion import core
from companion.core import Choice, Context, Count, Do, Event, Form, Name, Refused, Tap, refuse_if
from companion.core.pieces import Bar, Fold, Note, Panel, Picker, Piece, Tray
from companion.core.text import capital
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.castle import begun, going_on
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Events, Item, State

Hands = Annotated[Count, Field(ge=1, le=box.HANDS)]


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
        lies = {TABLE: "lies on the table", PILE: "used up" if self.used else "discarded"}
        return f"{self.name} {lies.get(self.place) or f'to the {box.character(self.place).name}'}"


class PileShuffled(Event[State]):
    number: int

    says = "{number} discarded items shuffled into a new deck"

    def fold(self, state: State) -> State:
        return replace(state, items=tuple(item for item in state.items if item.place != PILE))


def draw_item(state: State, context: Context, name: Name, hands: Hands = 1) -> Events:
    """A name from the list knows its own hands; any other card is as wide as it was said to be."""
    going_on(state)
    known = box.KNOWN.get(name.casefold())
    card = (known.name, known.kind, known.hands) if known else (name, "", hands)
    yield ItemDrawn(state.last_item + 1, *card)


def move_item(state: State, context: Context, item: Count, to: Choice) -> Events:
    moved = going_on(state).item(item)
    refuse_if(moved.place == to, f"{moved.name} is there already.")
    if to not in (TABLE, PILE):
        state.hero(to)
    refuse_if(why := _locked(state, moved, to), why)
    yield ItemMoved(moved.id, moved.name, to, used=moved.place not in (TABLE, PILE))


def _locked(state: State, item: Item, to: str) -> str:
    """Why this item cannot go there now; empty if it can."""
    if to == PILE:
        resting = state.fight and state.fight.rests == item.place
        name = state.hero(item.place).name if resting else ""
        return f"The {name} rests, and may not use items this round." if resting else ""
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
    if to != TABLE and state.hands(to) + item.hands > box.HANDS:
        return f"The {state.hero(to).name} has no hand free, and trading waits for the chapter's end."
    return ""


def reshuffle_items(state: State, context: Context) -> Events:
    pile = going_on(state).held(PILE)
    if box.EMPTY_DECK.chosen(state.table) == "none":
        raise Refused("At this table there are no more items once the deck is empty.")
    refuse_if(not pile, "The discard pile is empty.")
    yield PileShuffled(len(pile))


# --- what is seen ---


def item_tap(state: State, item: Item) -> Tap:
    kind = item.kind if item.place in (TABLE, PILE) else ""
    opens = f"item-{item.id}" if state.playing and any(_moves(state, item)) else ""
    return Tap(item.name, detail=_wide(kind, item.hands), opens=opens, id=f"item-{item.id}-tap", shows="item")


def _wide(kind: str, hands: int) -> str:
    return ", ".join(filter(None, (kind, "two hands" if hands == 2 else "")))


def item_forms(state: State) -> Iterator[Form]:
    """The likeliest place is the big button."""
    for item in state.items:
        moves = [(words, Do("move_item", {"item": item.id, "to": to})) for words, to in _moves(state, item)]
        if moves:
            (words, do), *others = moves
            two = ", two-handed" if item.hands == 2 else ""
            title, also = f"{item.name}{f' ({item.kind}{two})' if item.kind else two}", starmap(Tap, others)
            yield Form(f"item-{item.id}", title, do, (), words, tuple(also), listed=False)
    yield ANOTHER_ITEM


def _moves(state: State, item: Item) -> Iterator[tuple[str, str]]:
    """What can be done with it now, and where it goes by that."""
    held = item.place not in (TABLE, PILE)
    if held and not _locked(state, item, PILE):
        yield "Used up or not wanted: discard", PILE
    if item.place != TABLE and not _locked(state, item, TABLE):
        yield "Put it on the table", TABLE
    for hero in state.heroes:
        if hero.id != item.place and not _locked(state, item, hero.id):
            yield f"{capital(state.who(hero.id))} {'gets' if held else 'takes'} it", hero.id
    if item.place == TABLE:
        yield "Discard it", PILE


def pool(state: State) -> Panel:
    lying = tuple(item_tap(state, each) for each in state.held(TABLE))
    items = Picker("pool-items", lying, columns=2) if lying else Note("pool-items", "no items")
    draw = Tap("Draw an item", opens="draw", strong=bool(state.owed) and not state.fight)
    tags = (f"{state.owed} to draw",) if state.owed else ()
    return Panel("castle-pool", (items, Bar("pool-taps", (draw,))), "On the table", tags=tags)


def pile(state: State) -> Iterator[Piece]:
    if lying := state.held(PILE):
        items = Picker("pile-items", tuple(item_tap(state, each) for each in lying), columns=2)
        yield Fold("castle-pile", f"Discard pile: {len(lying)}", (items, Bar("pile-taps", (SHUFFLE,))))


def _draw(each: box.Known) -> Tap:
    return Tap(each.name, Do("draw_item", {"name": each.name}), _wide(each.kind, each.hands))


SURE = "Shuffle the discard pile into a new deck?"
SHUFFLE = Tap("Shuffle it into a new deck", Do("reshuffle_items"), confirm=SURE)
ANOTHER = Bar("draw-another", (Tap("Another name", opens="another-item", mark="edit"),))
DRAW = Tray(
    "draw", "Which item is it?", (ANOTHER, Picker("draw-known", tuple(map(_draw, box.ITEMS)), columns=2))
)
NAME = core.Field("name", "Name on the card")
WIDTH = core.Field("hands", "It takes", "1", "choice", (("1", "one hand"), ("2", "two hands")))
ANOTHER_ITEM = Form("another-item", "Another item", Do("draw_item"), (NAME, WIDTH), "Draw it", listed=False)
