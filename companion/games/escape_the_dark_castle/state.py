"""What the room remembers. A hero goes by its character, since each is played once; seats lead heroes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from companion import core
from companion.core import Do, Names, NotThere, Seat, capital, listed, refuse_if, replace, there
from companion.games.escape_the_dark_castle import box
from companion.games.escape_the_dark_castle.throws import Fight, Trial

TABLE, PILE = "table", "pile"  # where an item is when nobody holds it
Stage = Literal["setup", "between", "chapter", "escaped"]


@dataclass(frozen=True)
class Hero:
    id: str
    seat: int
    health: int = 0

    @property
    def character(self) -> box.Character:
        return box.character(self.id)

    @property
    def name(self) -> str:
        return self.character.name

    def does(self, command: str, **more: str | int) -> Do:
        return Do(command, {"seat": self.seat, "hero": self.id, **more})


@dataclass(frozen=True)
class Item:
    id: int
    name: str
    kind: str
    hands: int
    place: str  # a hero, TABLE or PILE
    effect: str = ""

    @property
    def held(self) -> bool:
        return self.place not in (TABLE, PILE)


@dataclass(frozen=True)
class Chapter:
    """A card that was turned. The last may be the boss."""

    number: int
    you: str
    turned: int  # milliseconds
    done: int = 0
    health: int = 0  # of all together, when it was done


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    party: tuple[Hero, ...] = ()
    begun: int = 0  # milliseconds; 0 while setting up
    chapters: tuple[Chapter, ...] = ()
    notes: Mapping[int, str] = field(default_factory=dict)
    items: tuple[Item, ...] = ()
    last_item: int = 0
    owed: int = 0  # items that the group may still draw
    fight: Fight | None = None
    trial: Trial | None = None
    won_fights: int = 0  # in this chapter
    fallen: tuple[str, ...] = ()
    edition: int = box.EDITION
    own_dice: bool = False  # the table rolls real ones, and taps what they show

    names: ClassVar[Names] = {
        **box.SAID,
        "chapter": lambda _, number: box.chapter_name(number),
        "trait": lambda _, id: box.trait(id).name,
        "hero": lambda _, id: box.character(id).name,
        "next": lambda _, number: box.chapter_name(number + 1),
        "named": lambda state, id: state.named(id),
        "whom": lambda _, id: f"the {box.character(id).name}",
        "blows": lambda _, hits: "".join(f", {box.character(id).name} −{hit}" for id, hit in hits.items()),
        "deaths": lambda state, hits: state.deaths(*hits),
        "health": lambda state, id: f"{state.hero(id).health}{state.deaths(id)}",
        "where": lambda state, n: f"{'in' if state.card == box.chapter_name(n) else 'against'} {state.card}",
    }

    @property
    def stage(self) -> Stage:
        if not self.begun:
            return "setup"
        if not self.chapters or self.chapters[-1].done:
            return "escaped" if len(self.chapters) == box.BOSS else "between"
        return "chapter"

    @property
    def chapter(self) -> int:
        """The card that lies open; 0 is the Start card."""
        return len(self.chapters)

    @property
    def card(self) -> str:
        """The boss goes by its name once somebody has tapped it."""
        named = self.notes.get(box.BOSS) if self.chapter == box.BOSS and self.edition > 1 else ""
        return named or box.chapter_name(self.chapter)

    @property
    def done(self) -> int:
        return self.chapter - (self.stage == "chapter")

    @property
    def playing(self) -> bool:
        """Neither being set up nor over."""
        return self.stage in ("between", "chapter") and not self.fallen

    @property
    def in_play(self) -> frozenset[str]:
        """What people may ask about now: items by name, and what is not so in every chapter."""
        items = [item for item in self.items if item.place != PILE]
        now = {
            "item": items,
            "discarded": len(items) < len(self.items),
            "two hands": any(item.hands > 1 for item in items),
            "alone": self.quota > 1,
            "boss": self.chapter == box.BOSS,
            "start": self.stage == "between" and not self.chapter,
            "draw": self.owed and self.chapter,
            "laying": self.fight and not self.fight.round,
            "test": self.trial and not self.trial.ended,
            "one health": any(hero.health == 1 for hero in self.party),
        }
        return frozenset((*(name for name, holds in now.items() if holds), *(item.name for item in items)))

    @property
    def cap(self) -> int:
        return box.HEALTH[len(self.table.seats)]

    @property
    def quota(self) -> int:
        """Heroes that one seat leads; a lone player two."""
        return 2 if len(self.table.seats) == 1 else 1

    @property
    def heroes(self) -> tuple[Hero, ...]:
        """In the order of the seats."""
        return tuple(hero for seat in self.table.seats for hero in self.party if hero.seat == seat.id)

    @property
    def you(self) -> str:
        """Who turned the card that lies open."""
        return self.chapters[-1].you if self.stage == "chapter" else ""

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Whom a card may mean."""
        everyone = tuple(hero.id for hero in self.heroes)
        others = tuple(hero for hero in everyone if hero != self.you)
        return {"everyone": everyone, "others": others, "you": (self.you,) if self.you else everyone}

    def seat(self, hero: Hero) -> Seat:
        return self.table.seat(hero.seat)

    def of(self, seat: int) -> tuple[Hero, ...]:
        return tuple(hero for hero in self.party if hero.seat == seat)

    def hero(self, id: str, seat: int | None = None) -> Hero:
        for hero in self.party:
            if hero.id == id and seat in (None, hero.seat):
                return hero
        whose = f"{self.name(seat)} does not play" if seat else "Nobody plays"
        raise NotThere(f"{whose} the {box.character(id).name}.")

    def who(self, id: str) -> str:
        """Ada as people call her; a lone player's two by their characters."""
        hero = self.hero(id)
        return f"the {hero.name}" if self.quota > 1 else self.name(hero.seat)

    def short(self, hero: Hero) -> str:
        return hero.name if self.quota > 1 else self.name(hero.seat)

    def named(self, id: str) -> str:
        return f"{self.name(self.hero(id).seat)} the {self.hero(id).name}"

    def hurt(self, hits: Mapping[str, int]) -> State:
        """Never above the start; at zero the game is lost, and nothing heals the dead."""
        party, fallen = [], list(self.fallen)
        for hero in self.party:
            health = max(0, min(self.cap, hero.health - hits.get(hero.id, 0)))
            party.append(hero if hero.id in self.fallen else replace(hero, health=health))
            fallen += [hero.id] if not health and hero.id not in fallen else []
        return replace(self, party=tuple(party), fallen=tuple(fallen))

    def deaths(self, *heroes: str) -> str:
        """What the log adds when somebody's health is gone."""
        dead = [f"the {box.character(hero).name}" for hero in heroes if hero in self.fallen]
        are = "is" if len(dead) == 1 else "are"
        return f"; {listed(dead)} {are} dead, and the game is lost" if dead else ""

    def item(self, id: int) -> Item:
        found = next((item for item in self.items if item.id == id), None)
        return there(found, "That item is not in play any more.")

    def held(self, place: str) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.place == place)

    @property
    def left(self) -> tuple[str, ...]:
        """What nobody carries."""
        return tuple(item.name for item in self.held(TABLE))

    def gear(self, hero: str) -> tuple[box.Effect, ...]:
        """What the items do that this one carries."""
        return tuple(box.effect(item.effect) for item in self.held(hero) if item.effect)

    def hands(self, hero: str) -> int:
        """How many are full."""
        return sum(item.hands for item in self.held(hero))

    def check_hands(self, when: str) -> None:
        for hero in self.heroes:
            names = ", ".join(item.name for item in self.held(hero.id))
            over = f"{capital(self.who(hero.id))} carries more than two hands can hold: {names}."
            refuse_if(self.hands(hero.id) > box.HANDS, f"{over} Put something down {when}.")

    def geared(self) -> State:
        """What is in their hands counts in a fight and in a test."""
        gear = {hero.id: self.gear(hero.id) for hero in self.party}
        fight = self.fight and replace(self.fight, gear=gear)
        return replace(self, fight=fight, trial=self.trial and replace(self.trial, gear=gear))


@dataclass(frozen=True)
class OfHero:
    """What an event about one of them says of it."""

    seat: int
    hero: str

    @property
    def name(self) -> str:
        return box.character(self.hero).name
