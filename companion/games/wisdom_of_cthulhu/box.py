"""What is in the box and on the plan: numbers by player count, the bonds, the steps, the eight actions.

`later` marks what our manual, an early draft that stops in the middle, does not say yet: it comes from the
author's later public draft, and the screen says so. Where the two are silent or at odds, the table chooses.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from companion.core import HouseRule, Table, counted, finder, listed, load, load_sentences, load_words

TURNS = 6
PATHS = 6  # of each player, always
PLACES = 3  # for each player
MIXING = 5  # KP for going on with a Ritual Object of another bond
INVOKED = 3  # KP for each thing that the second power of a Great Old One takes
PAYS_MASTERS = "nightmare-1"  # the power that pays all Dark Masters of its user
CASHED_IN = {"path": 2, "obsession": 1}  # KP
NEEDS = {"fw": "FW", "as": "AS", "dm": "DM", "en": "EN", "obs": "Obs", "res": "Res", "place": "Place"}
PARTS = ("fw", "as", "dm", "en")
SAID, SAYS = load_words(__package__), load_sentences(__package__)
FAMILIES, PHASES = SAID["families"], SAID["phases"]


@lru_cache(256)
def units(parts: tuple[str, ...]) -> tuple[str, ...]:
    """“2 FW(Imm), 1 EN” is three things, one by one."""
    found = re.findall(r"(\d) (\w+)", ", ".join(parts))
    return tuple([what.lower() for many, what in found for _ in range(int(many))])


class Bond(NamedTuple):
    id: str
    name: str
    god: str
    says: str  # its Influence, in words
    influence: str = ""  # what its Influence pays for once it is evoked: a place, an entity, a seeker
    own: int = 0  # KP where that has its bond
    other: int = 0  # and where not
    counts: str = ""  # the family that its Evocation Power counts
    evokes: Mapping[str, int] = {}  # KP for each of what is counted
    how: str = ""  # the same in words


class Card(NamedTuple):
    """As it is printed, or as the table types it in; and as it lies before a player."""

    name: str
    family: str
    kind: str = ""  # how its power works: Immediate, Activation, Continuous
    points: int = 0
    per: Mapping[str, int] = {}  # and so many for each card of a family
    bond: str = ""
    object: str = ""  # the bond whose Ritual it serves
    needs: tuple[str, ...] = ()  # for Study, Transmutation and Sacrifice
    parts: tuple[str, ...] = ()  # of a Combination
    takes: int = 0  # KP from the opponent with the most
    used: bool = False  # face down until the next turn is prepared
    under: tuple[str, ...] = ()  # the families of the Components that lie under it

    @property
    def lacks(self) -> tuple[str, ...]:
        """The Components that its Combination waits for, one by one; not what is to be spent for it."""
        short = Counter(units(self.parts)) - Counter(self.under)
        return tuple([each for each in short.elements() if each in PARTS])

    @property
    def ready(self) -> bool:
        """Can be activated with one tap."""
        return self.kind == "Activation" and not self.used and not self.lacks


class Step(NamedTuple):
    phase: str
    id: str
    label: str
    later: bool = False
    by_app: bool = False  # nobody has to do it: the phones do
    cleaned: str = ""  # only where this table cleans the Research Area then


class Action(NamedTuple):
    id: str
    number: int
    label: str
    short: str  # what fits half a phone
    cost: str = ""  # path, obsession, or nothing
    later: bool = False


class Requirement(NamedTuple):
    """What moves the Ritual token to its next box."""

    name: str
    phases: tuple[str, ...]  # in which it is met
    met: str  # the same in words
    later: str  # why not now
    late: str  # how one says that it was met then


BONDS = load(__package__, "bonds.toml", Bond)
CARDS = {each.name: each for each in load(__package__, "cards.toml", Card)}
ACTIONS = load(__package__, "actions.toml", Action)
STEPS = load(__package__, "steps.toml", Step)
REQUIREMENTS = load(__package__, "requirements.toml", Requirement)
BOXES = len(REQUIREMENTS)  # of the Ritual track, after its start space
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
THREE_PLAYERS, AREA_CLEANED, ORDER_COUNTS, BELOW_ZERO = HOUSE_RULES[:4]
RITUAL_PAYS, SACRIFICE_WHEN, ABSENT_GOD, INVOCATION_COST = HOUSE_RULES[4:]

find_bond = finder(BONDS, "There are four Dark Bonds: Madness, Dimension, Nightmare and Horror.")
find_action = finder(ACTIONS, "That is none of the eight actions.")


def laid_out(table: Table) -> dict[str, int]:
    """The Knowledge cards of one turn, by family."""
    short = THREE_PLAYERS.chosen(table) == "short"
    many = {2: (3, 2, 1), 3: (5, 2 if short else 3, 1), 4: (6, 4, 2)}[len(table.seats)]
    return dict(zip(FAMILIES, many, strict=True))


def steps(table: Table, phase: str, turn: int) -> tuple[Step, ...]:
    """What the table does in this phase, with the numbers for this many players."""
    n, cleaned, last = len(table.seats), AREA_CLEANED.chosen(table), turn == TURNS
    cards = laid_out(table)
    rows = [f"{cards[family]} {name}" for family, name in FAMILIES.items()]
    numbers = {
        "players": n,
        "places": PLACES * n,
        "laid_out": ", ".join([*rows[:2], counted(cards["dm"], "Dark Master")]),
        "backs": listed([str(number) for number in range(2, n + 1)]),
        "counters": listed([str(number) for number in range(1, n + 1)]),
        "one": "your last Path" if last else "one Path",
    }
    due = [each for each in STEPS if each.phase == phase and each.cleaned in ("", cleaned)]
    due = [each for each in due if not (last and each.id == "clean")]
    return tuple([each._replace(label=each.label.format_map(numbers)) for each in due])
