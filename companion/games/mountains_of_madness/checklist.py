"""The set-up, split by seat: what each player takes, and what is prepared for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core import Refused
from companion.games.mountains_of_madness.state import State, first_levels


@dataclass(frozen=True)
class Item:
    id: str
    short: str
    text: str
    seat: int | None = None


def items(state: State) -> tuple[Item, ...]:
    return (*_shared(state), *(each for seat in state.table.seats for each in _of(state, seat.id)))


def _shared(state: State) -> Iterator[Item]:
    players = len(state.table.seats)
    yield Item("board", "Board", "Tiles face down: 11 Coast, 7 Mountain, 3 City, 1 Edge, 3 Escape")
    yield Item("equipment", "Equipment", "Equipment shuffled into a face-down deck; Arcane aside, face up")
    yield Item("madness", "Madness", "Three face-down decks, one for each level")
    yield Item(
        f"injuries-{players}",
        "Injuries",
        f"{players} Injuries into the Equipment discard, {15 - players} as a face-up deck",
    )
    yield Item("aside", "Relics", "Relic cards face up; Relic tokens, penalty die and sand timer at hand")


def _of(state: State, seat: int) -> Iterator[Item]:
    hand, players = state.base_hand, len(state.table.seats)
    yield Item(
        f"cards-{seat}-{players}", f"{hand} cards", f"A Player Board, and {hand} Equipment cards", seat
    )
    if first_levels(state.table)[seat]:
        words = "One Level 1 Madness card, face down: only you may look"
        yield Item(f"mad-{seat}", "Madness 1", words, seat)
    if seat == state.table.starter:
        words = "You lead first: airplane, sled, and six Leadership tokens on it"
        yield Item(f"lead-{seat}", "Sled", words, seat)


def item_of(state: State, id: str) -> Item:
    for each in items(state):
        if each.id == id:
            return each
    raise Refused("That is not on the list.")
