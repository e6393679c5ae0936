"""What is in the box and on the plan: numbers by player count, the bonds, the steps, the eight actions.

`later` marks what our manual, an early draft that stops in the middle, does not say yet: it comes from the
author's later public draft, and the screen says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import Refused, Table
from companion.core.game import load
from companion.core.text import counted, listed
from companion.games.wisdom_of_cthulhu.house_rules import AREA_CLEANED, THREE_PLAYERS

TURNS = 6
PATHS = 6  # of each player, always
BOXES = 3  # of the Ritual track, after its start space
MIXING = 5  # KP for going on with a Ritual Object of another bond
PATH_KP, OBSESSION_KP = 2, 1  # for cashing in
REQUIREMENTS = ("Study", "Transmutation", "Sacrifice")
MET_IN: tuple[tuple[str, ...], ...] = (("preparation",), ("research", "end"), ("end",))  # the phases of each
MET_WHEN = ("when a turn begins", "in the Research", "at the End of Search")
FAMILIES = {"fw": "Forbidden Wisdom", "as": "Alien Science", "dm": "Dark Master"}
PHASES = {
    "preparation": "Preparation",
    "order": "Research Order",
    "research": "Research",
    "end": "End of Search",
}


@dataclass(frozen=True)
class Bond:
    id: str
    name: str
    god: str


@dataclass(frozen=True)
class Master:
    """A card whose Dark Bond pays its owner."""

    name: str
    bond: str
    points: int


@dataclass(frozen=True)
class Entity:
    name: str
    bond: str
    kind: str  # how its power works: Immediate, Activation, Continuous


@dataclass(frozen=True)
class Step:
    phase: str
    id: str
    label: str
    later: bool = False
    by_app: bool = False  # nobody has to do it: the phones do
    cleaned: str = ""  # only where this table cleans the Research Area then


@dataclass(frozen=True)
class Action:
    id: str
    number: int
    label: str
    short: str  # what fits half a phone
    cost: str = ""  # path, obsession, or nothing
    later: bool = False


BONDS = (
    Bond("madness", "Madness", "Cthulhu"),
    Bond("dimension", "Dimension", "Yog-Sothoth"),
    Bond("nightmare", "Nightmare", "Nyarlathotep"),
    Bond("horror", "Horror", "Shub-Niggurath"),
)
DARK_MASTERS = load(__package__, "dark_masters.toml", Master)
ENTITIES = load(__package__, "entities.toml", Entity)
ACTIONS = load(__package__, "actions.toml", Action)
STEPS = load(__package__, "steps.toml", Step)

_bonds = {each.id: each for each in BONDS}
_actions = {each.id: each for each in ACTIONS}


def find_bond(id: str) -> Bond:
    if id not in _bonds:
        raise Refused("There are four Dark Bonds: Madness, Dimension, Nightmare and Horror.")
    return _bonds[id]


def find_action(id: str) -> Action:
    if id not in _actions:
        raise Refused("That is none of the eight actions.")
    return _actions[id]


def places(players: int) -> int:
    return 3 * players


def laid_out(table: Table) -> str:
    """The Knowledge cards of one turn."""
    short = THREE_PLAYERS.chosen(table) == "short"
    fw, science, dm = {2: (3, 2, 1), 3: (5, 2 if short else 3, 1), 4: (6, 4, 2)}[len(table.seats)]
    return f"{fw} Forbidden Wisdom, {science} Alien Science, {counted(dm, 'Dark Master')}"


def steps(table: Table, phase: str, turn: int) -> tuple[Step, ...]:
    """What the table does in this phase, with the numbers for this many players."""
    n, cleaned, last = len(table.seats), AREA_CLEANED.chosen(table), turn == TURNS
    numbers = {
        "players": n,
        "places": places(n),
        "laid_out": laid_out(table),
        "backs": listed([str(number) for number in range(2, n + 1)]),
        "counters": listed([str(number) for number in range(1, n + 1)]),
        "one": "your last Path" if last else "one Path",
    }
    return tuple(
        replace(each, label=each.label.format_map(numbers))
        for each in STEPS
        if each.phase == phase and each.cleaned in ("", cleaned) and not (last and each.id == "clean")
    )
