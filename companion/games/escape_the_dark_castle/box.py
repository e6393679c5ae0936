"""The box: traits, six characters with a die each, chapter dice, items and what they do, house rules."""

from dataclasses import dataclass

from companion.core import HouseRule, Refused, cached_property, finder, listed, load, load_words
from companion.core.dice import Die, Face

SAID = load_words(__package__)
CHAPTERS = 15
BOSS = CHAPTERS + 1
DICE_IN_BOX = 9
MOST_DICE = 12  # beyond that it is a slip of the thumb
HANDS = 2
HEALTH = {1: 18, 2: 18, 3: 14, 4: 12}  # by the number of players
BOSS_CARDS = ("The Dark One", "The Demented Priestess", "Terror of the Underworld")


@dataclass(frozen=True)
class Trait:
    id: str
    name: str


TRAITS = tuple(Trait(name.lower(), name) for name in ("Might", "Cunning", "Wisdom"))
trait = finder(TRAITS, "A chapter die shows Might, Cunning or Wisdom.")


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
        return f"double {trait(self.trait).name}" if self.block else trait(self.trait).name


@dataclass(frozen=True)
class Character:
    id: str
    name: str
    printed: str  # the die: W W WW is Wisdom twice, and once in a shield

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        traits = {each.name[0]: each.id for each in TRAITS}
        return tuple(Side(traits[face[0]], len(face)) for face in self.printed.split())

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
        names = [side.name for side in self.sides]
        return Die(self.id, f"{self.name}'s die", tuple(map(Face, names, self.printed.split())))


CHARACTERS = load(__package__, "characters.toml", Character)
character = finder(CHARACTERS, f"There are six prisoners: {listed([each.name for each in CHARACTERS])}.")
CHAPTER_DIE = Die(
    "chapter", "Chapter die", tuple(Face(each.name, each.name[0]) for each in TRAITS for _ in "12")
)
DICE = (*(each.die for each in CHARACTERS), CHAPTER_DIE)


@dataclass(frozen=True)
class Effect:
    """What an item does. One that is spent goes to the discard pile when it is used."""

    id: str
    does: str
    words: str
    amount: int = 0
    trait: str = ""
    spent: bool = False
    offered: bool = False  # for cards that the list of items lacks
    idle: str = "It counts by itself."  # when it is of no use, why

    def counts_as(self, trait: str) -> bool:
        """A potion that stands for one symbol."""
        return self.does == "remove" and self.trait == trait


EFFECTS = load(__package__, "effects.toml", Effect)
effect = finder(EFFECTS, "No item does that.")


def shielded(gear: tuple[Effect, ...], damage: int) -> int:
    """What a blow still costs: 1 less for a shield, but never less than 1."""
    less = sum([each.amount for each in gear if each.does == "less"]) if gear else 0
    return max(1, damage - less) if less and damage else damage


@dataclass(frozen=True)
class Known:
    """An item that people have met: its name, what hands it takes, and what it does."""

    name: str
    kind: str
    hands: int = 1
    effect: str = ""


ITEMS = load(__package__, "items.toml", Known)
KNOWN = {each.name.casefold(): each for each in ITEMS}

#: Where the manual can be read in two ways, or says nothing, the table chooses.
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TRADING, ATTACK, REST_FIRST, REST_AGAIN, TEST_DOUBLES, TENTH_DIE, EMPTY_DECK, BOSSES = HOUSE_RULES

EDITION = 2  # of this room; an evening goes on as it began


def chapter_name(number: int) -> str:
    return "the boss" if number == BOSS else f"chapter {number}" if number else "the Start card"
