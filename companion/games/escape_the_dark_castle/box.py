"""The box: three traits, six characters with a die each, chapter dice, and items known by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from companion.core import Refused
from companion.core.dice import Die, Face
from companion.core.game import load
from companion.core.text import listed

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

    @property
    def letter(self) -> str:
        return self.name[0]


TRAITS = tuple(Trait(name.lower(), name) for name in ("Might", "Cunning", "Wisdom"))
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

    @cached_property
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
        return tuple((self.sides.index(side) + 1, side) for side in dict.fromkeys(self.sides))

    @cached_property
    def die(self) -> Die:
        return Die(self.id, f"{self.name}'s die", tuple(Face(side.name, side.symbol) for side in self.sides))


def _character(name: str, printed: str) -> Character:
    traits = {each.letter: each.id for each in TRAITS}
    return Character(name.lower(), name, tuple(Side(traits[face[0]], len(face)) for face in printed.split()))


CHARACTERS = (
    _character("Abbot", "W W WW M MM C"),
    _character("Cook", "M M MM C CC W"),
    _character("Miller", "C C CC M MM W"),
    _character("Smith", "M M MM W WW C"),
    _character("Tailor", "C C CC W WW M"),
    _character("Tanner", "W W WW C CC M"),
)
_characters = {each.id: each for each in CHARACTERS}
_chapter_faces = tuple(Face(each.name, each.letter) for each in TRAITS for _ in "12")
CHAPTER_DIE = Die("chapter", "Chapter die", _chapter_faces)
DICE = (*(each.die for each in CHARACTERS), CHAPTER_DIE)


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
        raise Refused(f"There are six prisoners: {listed([each.name for each in CHARACTERS])}.")
    return _characters[id]


def known_item(name: str) -> Known | None:
    return _items.get(name.casefold())
