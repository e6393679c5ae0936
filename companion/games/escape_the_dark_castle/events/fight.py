"""The dice of an enemy, and round after round against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion import core
from companion.core import Event
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import DICE_IN_BOX, character, trait
from companion.games.escape_the_dark_castle.events.words import chapter_name, deaths, rolled, room


@dataclass(frozen=True)
class FightBegun(Event):
    number: int
    damage: int = 2

    def told(self, state: core.State) -> str:
        return f"a fight in {chapter_name(self.number)}"


@dataclass(frozen=True)
class DiceLaid(Event):
    """Laid out by hand one by one, or several rolled for the players."""

    traits: tuple[str, ...]
    rolled: bool = False

    def told(self, state: core.State) -> str:
        names = listed([trait(each).name for each in self.traits])
        fight = room(state).fight
        stand_in = (
            ", with a stand-in for what the box lacks" if fight and len(fight.dice) > DICE_IN_BOX else ""
        )
        return f"{'rolled and added' if self.rolled else 'laid out'} {names}{stand_in}"


@dataclass(frozen=True)
class DieTaken(Event):
    trait: str
    laying: bool = False

    def told(self, state: core.State) -> str:
        return f"a {trait(self.trait).name} die {'taken up again' if self.laying else 'removed by hand'}"


@dataclass(frozen=True)
class DieReturned(Event):
    trait: str

    def told(self, state: core.State) -> str:
        return f"a removed {trait(self.trait).name} die returned"


@dataclass(frozen=True)
class DamageSet(Event):
    damage: int

    def told(self, state: core.State) -> str:
        return f"the enemy hits for {self.damage}"


@dataclass(frozen=True)
class RestForbidden(Event):
    forbidden: bool

    def told(self, state: core.State) -> str:
        return "nobody can rest here" if self.forbidden else "one may rest here"


@dataclass(frozen=True)
class FightJoined(Event):
    def told(self, state: core.State) -> str:
        fight = room(state).fight
        return f"the fight begins: {len(fight.dice) if fight else 0} dice against you"


@dataclass(frozen=True)
class PartTaken(Event):
    """Fights, rests, or takes no part in this round."""

    seat: int
    hero: str
    round: int
    part: str

    def told(self, state: core.State) -> str:
        words = {"fight": "fights", "rest": "rests", "out": "takes no part"}[self.part]
        return f"the {character(self.hero).name} {words} in round {self.round}"


@dataclass(frozen=True)
class CharacterRolled(Event):
    seat: int
    hero: str
    round: int
    face: int
    real: bool = False
    again: bool = False

    def told(self, state: core.State) -> str:
        block = ", a BLOCK" if character(self.hero).side(self.face).block else ""
        return rolled(self.hero, self.face, self.real, self.again) + block


@dataclass(frozen=True)
class RollCleared(Event):
    seat: int
    hero: str
    round: int

    def told(self, state: core.State) -> str:
        return f"the {character(self.hero).name} has not rolled after all"


@dataclass(frozen=True)
class HitSet(Event):
    seat: int
    hero: str
    round: int
    hit: int

    def told(self, state: core.State) -> str:
        return f"a blow costs the {character(self.hero).name} {self.hit} in round {self.round}"


@dataclass(frozen=True)
class RoundSettled(Event):
    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int] = field(default_factory=dict)
    healed: str = ""
    won: bool = False

    def told(self, state: core.State) -> str:
        here = room(state)
        removed = listed([trait(each).name for each in self.removed]) or "nothing"
        words = [f"round {self.round}: {removed} removed"]
        words += [f"{character(hero).name} −{hit}" for hero, hit in self.hits.items()]
        words += [f"{character(self.healed).name} rested"] if self.healed else []
        words += ["the enemy is beaten"] if self.won else []
        return ", ".join(words) + deaths(here, *self.hits)


@dataclass(frozen=True)
class FightEnded(Event):
    """By hand: the card says so, or it was begun by mistake."""

    won: bool

    def told(self, state: core.State) -> str:
        return "the fight is won, the card says so" if self.won else "the fight is called off"
