"""Items: drawn to the table, taken up, put down, used up. What they do is read from the card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused
from companion.games.escape_the_dark_castle.box import HANDS, known_item
from companion.games.escape_the_dark_castle.commands.chapters import going_on
from companion.games.escape_the_dark_castle.events import ItemDrawn, ItemMoved, PileShuffled
from companion.games.escape_the_dark_castle.house_rules import EMPTY_DECK, TRADING, choice
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Item, State

Hands = Annotated[Count, Field(ge=1, le=HANDS)]


def draw_item(state: State, context: Context, name: Name, hands: Hands = 1) -> Iterator[Event]:
    """A name from the list knows its own hands; any other card is as wide as it was said to be."""
    known = known_item(name)
    going_on(state)
    if known:
        yield ItemDrawn(state.last_item + 1, known.name, known.kind, known.hands)
    else:
        yield ItemDrawn(state.last_item + 1, name, "", hands)


def move_item(state: State, context: Context, item: Count, to: Choice) -> Iterator[Event]:
    moved = going_on(state).item(item)
    if moved.place == to:
        raise Refused(f"{moved.name} is there already.")
    if to not in (TABLE, PILE):
        state.hero(to)
    if to == PILE:
        _check_awake(state, moved)
    elif why := locked(state, moved, to):
        raise Refused(why)
    yield ItemMoved(moved.id, moved.name, to, used=moved.place not in (TABLE, PILE))


def _check_awake(state: State, item: Item) -> None:
    if state.fight and state.fight.rests == item.place:
        raise Refused(f"The {state.hero(item.place).name} rests, and may not use items this round.")


def locked(state: State, item: Item, to: str) -> str:
    """Why this item cannot go there now; empty if it can."""
    rule = choice(state.table, TRADING)
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
    if choice(state.table, EMPTY_DECK) == "none":
        raise Refused("At this table there are no more items once the deck is empty.")
    if not pile:
        raise Refused("The discard pile is empty.")
    yield PileShuffled(len(pile))


COMMANDS = (draw_item, move_item, reshuffle_items)
