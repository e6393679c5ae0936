"""Set-up, health, chapters and items."""

from __future__ import annotations

from dataclasses import dataclass

from companion import core
from companion.core import Event
from companion.core.text import listed, signed
from companion.games.escape_the_dark_castle.box import BOSS, character
from companion.games.escape_the_dark_castle.events.words import chapter_name, deaths, room


@dataclass(frozen=True)
class CharacterChosen(Event):
    seat: int
    hero: str

    def told(self, state: core.State) -> str:
        return f"plays the {character(self.hero).name}"


@dataclass(frozen=True)
class CharacterDropped(Event):
    seat: int
    hero: str

    def told(self, state: core.State) -> str:
        return f"does not play the {character(self.hero).name} after all"


@dataclass(frozen=True)
class EscapeBegun(Event):
    health: int
    owed: int  # items from the Start card
    at: int

    def told(self, state: core.State) -> str:
        items = f"{self.owed} item{'' if self.owed == 1 else 's'}"
        return f"into the castle, {self.health} health each; the Start card gives {items}"


@dataclass(frozen=True)
class HealthChanged(Event):
    seat: int
    hero: str
    by: int

    def told(self, state: core.State) -> str:
        here = room(state)
        now = here.hero(self.hero).health
        return f"{character(self.hero).name} {signed(self.by)} health, now {now}{deaths(here, self.hero)}"


@dataclass(frozen=True)
class YouChosen(Event):
    seat: int
    hero: str

    def told(self, state: core.State) -> str:
        return f"will turn the next card: YOU are the {character(self.hero).name}"


@dataclass(frozen=True)
class CardTurned(Event):
    seat: int
    hero: str
    number: int
    at: int
    left: tuple[str, ...] = ()  # items left behind

    def told(self, state: core.State) -> str:
        behind = f"; left behind: {listed(self.left)}" if self.left else ""
        return f"turned {chapter_name(self.number)}, YOU are the {character(self.hero).name}{behind}"


@dataclass(frozen=True)
class ChapterDone(Event):
    number: int
    at: int

    def told(self, state: core.State) -> str:
        return "the boss is beaten: free!" if self.number == BOSS else f"chapter {self.number} is done"


@dataclass(frozen=True)
class ChapterNoted(Event):
    number: int
    note: str

    def told(self, state: core.State) -> str:
        return f"note on {chapter_name(self.number)}: {self.note or 'taken away'}"


# --- items ---


@dataclass(frozen=True)
class ItemDrawn(Event):
    item: int
    name: str
    kind: str
    hands: int

    def told(self, state: core.State) -> str:
        return f"drew {self.name}{', two-handed' if self.hands == 2 else ''}"


@dataclass(frozen=True)
class ItemMoved(Event):
    item: int
    name: str
    place: str
    used: bool = False

    def told(self, state: core.State) -> str:
        if self.place == "table":
            return f"{self.name} lies on the table"
        if self.place == "pile":
            return f"{self.name} {'used up' if self.used else 'discarded'}"
        return f"{self.name} to the {character(self.place).name}"


@dataclass(frozen=True)
class PileShuffled(Event):
    number: int

    def told(self, state: core.State) -> str:
        return f"{self.number} discarded items shuffled into a new deck"
