"""The box: three traits, six characters with a die each, chapter dice, and items known by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from companion.core import Refused
from companion.core.dice import Die, Face
from companion.core.game import load

CHAPTERS = 15
BOSS = CHAPTERS + 1
DICE_IN_BOX = 9
MOST_DICE = 12  # beyond that it is a slip of the thumb
HANDS = 2
HEALTH = {1: 18, 2: 18, 3: 14, 4: 12}  # by the number of players
HEROES = {1: 2, 2: 2, 3: 3, 4: 4}  # a lone player leads two
BOSSES = ("The Dark One", "The Demented Priestess", "Terror of the Underworld")


@dataclass(frozen=True)
class Trait:
    id: str
    name: str
    letter: str


TRAITS = (
    Trait("might", "Might", "M"),
    Trait("cunning", "Cunning", "C"),
    Trait("wisdom", "Wisdom", "W"),
)
_letters = {each.letter: each for each in TRAITS}
_traits = {each.id: each for each in TRAITS}


@dataclass(frozen=True)
class Side:
    """One face of a character's die: a trait once, or twice inside a shield."""

    trait: str
    count: int

    @property
    def block(self) -> bool:
        return self.count == 2

    @property
    def mark(self) -> str:
        """Its sign in faces/marks.svg."""
        return f"{self.trait}-2" if self.block else self.trait

    @property
    def name(self) -> str:
        return f"double {_traits[self.trait].name}" if self.block else _traits[self.trait].name

    @property
    def symbol(self) -> str:
        return _traits[self.trait].letter * self.count


@dataclass(frozen=True)
class Character:
    id: str
    name: str
    sides: tuple[Side, ...]

    def value(self, trait: str) -> int:
        """As printed on the card: the symbols on the die, a double counting twice."""
        return sum(side.count for side in self.sides if side.trait == trait)

    @property
    def values(self) -> tuple[tuple[Trait, int], ...]:
        return tuple((each, self.value(each.id)) for each in TRAITS)

    def side(self, face: int) -> Side:
        if not 1 <= face <= len(self.sides):
            raise Refused(f"The {self.name}'s die has six faces; there is no face {face}.")
        return self.sides[face - 1]

    def rolled(self, face: int, real: bool, again: bool) -> str:
        """How the log says it."""
        how = "changed to" if again and real else "rolled again" if again else "rolled"
        return f"the {self.name} {how} {self.side(face).name}"

    @cached_property
    def faces(self) -> tuple[tuple[int, Side], ...]:
        """Each different face once, with the number that stands for it."""
        first = {side: number for number, side in reversed(list(enumerate(self.sides, 1)))}
        return tuple((first[side], side) for side in dict.fromkeys(self.sides))


def _character(name: str, printed: str) -> Character:
    sides = tuple(Side(_letters[face[0]].id, len(face)) for face in printed.split())
    return Character(name.lower(), name, sides)


CHARACTERS = (
    _character("Abbot", "W W WW M MM C"),
    _character("Cook", "M M MM C CC W"),
    _character("Miller", "C C CC M MM W"),
    _character("Smith", "M M MM W WW C"),
    _character("Tailor", "C C CC W WW M"),
    _character("Tanner", "W W WW C CC M"),
)
_characters = {each.id: each for each in CHARACTERS}

CHAPTER_DIE = Die(
    "chapter", "Chapter die", tuple(Face(each.name, each.letter) for each in TRAITS for _ in "12")
)
_dice = {
    each.id: Die(each.id, f"{each.name}'s die", tuple(Face(side.name, side.symbol) for side in each.sides))
    for each in CHARACTERS
}
DICE = (*_dice.values(), CHAPTER_DIE)


@dataclass(frozen=True)
class Known:
    """An item that people have met: its name and what hands it takes. Its effect stands on the card."""

    name: str
    kind: str
    hands: int = 1


ITEMS = load(__package__, "items.toml", Known)
_items = {each.name.casefold(): each for each in ITEMS}


def chapter_name(number: int) -> str:
    return "the boss" if number == BOSS else f"chapter {number}" if number else "the Start card"


def trait(id: str) -> Trait:
    if id not in _traits:
        raise Refused("A chapter die shows Might, Cunning or Wisdom.")
    return _traits[id]


def character(id: str) -> Character:
    if id not in _characters:
        names = ", ".join(each.name for each in CHARACTERS[:-1])
        raise Refused(f"There are six prisoners: {names} and {CHARACTERS[-1].name}.")
    return _characters[id]


def character_die(id: str) -> Die:
    return _dice[character(id).id]


def known_item(name: str) -> Known | None:
    return _items.get(name.casefold())
