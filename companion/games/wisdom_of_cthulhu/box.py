"""What is in the box and on the plan: numbers by player count, the bonds, the steps, the eight actions.

`later` marks what our manual, an early draft that stops in the middle, does not say yet: it comes from the
author's later public draft, and is shown with that tag.
"""

from __future__ import annotations

from dataclasses import dataclass

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
PATH_CARDS = "FW/FW, FW/AS, FW/DM, AS/AS, AS/DM, DM/DM"


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
    kind: str  # how its power works

    @property
    def immediate(self) -> bool:
        return self.kind == "Immediate"


@dataclass(frozen=True)
class Step:
    id: str
    label: str
    later: bool = True
    by_app: bool = False  # nobody has to do it: the phones do


@dataclass(frozen=True)
class Action:
    id: str
    number: int
    label: str
    cost: str  # path, obsession, or nothing
    later: bool = False
    short: str = ""  # what fits half a phone


BONDS = (
    Bond("madness", "Madness", "Cthulhu"),
    Bond("dimension", "Dimension", "Yog-Sothoth"),
    Bond("nightmare", "Nightmare", "Nyarlathotep"),
    Bond("horror", "Horror", "Shub-Niggurath"),
)
DARK_MASTERS = load(__package__, "dark_masters.toml", Master)
ENTITIES = load(__package__, "entities.toml", Entity)
ACTIONS = (
    Action("knowledge", 1, "Buy a Knowledge card", "path", short="Buy Knowledge"),
    Action("entity", 2, "Buy an Entity", "obsession", short="Buy an Entity"),
    Action("activation", 3, "Use an Activation card", "obsession", short="Use Activation"),
    Action("sign", 4, "Place your Elder Sign", "obsession", later=True, short="Place your Sign"),
    Action("unsign", 5, "Remove an Elder Sign", "obsession", later=True, short="Remove a Sign"),
    Action("place", 6, "Use a place’s power", "obsession", short="Use a Place"),
    Action("invocation", 7, "Use an Invocation Power", "", later=True, short="Use an Invocation Power"),
    Action("cash-path", 8, "Cash in a Path", "path", later=True, short="Cash in a Path"),
    Action("cash-obsession", 8, "Cash in an Obsession", "obsession", later=True, short="Cash in an Obs."),
)
PHASES = (
    ("preparation", "Preparation"),
    ("order", "Research Order"),
    ("research", "Research"),
    ("end", "End of Search"),
)

_bonds = {each.id: each for each in BONDS}
_actions = {each.id: each for each in ACTIONS}


def bond(id: str) -> Bond:
    if id not in _bonds:
        raise Refused("There are four Dark Bonds: Madness, Dimension, Nightmare and Horror.")
    return _bonds[id]


def action(id: str) -> Action:
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


def setup_steps(table: Table) -> tuple[Step, ...]:
    n = len(table.seats)
    backs = listed([str(number) for number in range(2, n + 1)])
    counters = listed([str(number) for number in range(1, n + 1)])
    return (
        Step("decks", "Three Knowledge decks and the Entity deck, each shuffled", later=False),
        Step("gods", f"{n} Great Old Ones at the top of the Evocation Area", later=False),
        Step("entities", f"{n} Entities face up below them", later=False),
        Step("dashboard", "The Ritual Dashboard, every Ritual token on its start", later=False),
        Step("places", f"{places(n)} Arcane Places in a ring: the backs with {backs}", later=False),
        Step("knowledge", f"Knowledge cards in the ring: {laid_out(table)}", later=False),
        Step("counters", f"Search Order counters {counters}", later=False),
        Step("markers", "Each of you: Seeker, Elder Sign and Ritual token of one colour", later=False),
        Step("paths", f"Each of you: six Paths in hand ({PATH_CARDS})", later=False),
    )


def preparation_steps(table: Table) -> tuple[Step, ...]:
    lay = f"lay out {laid_out(table)}"
    early = AREA_CLEANED.chosen(table) == "end"
    return (
        Step("start-effects", "In Search Order: effects for the start of a turn"),
        Step("study", "Check the Ritual Objects; move the Ritual token for a Study that is met"),
        Step(
            "area",
            lay.capitalize() if early else f"Discard the Knowledge cards left over, {lay}",
            later=not early,
        ),
        Step("activation", "Turn used Activation cards face up again"),
        Step("home", "Seekers and Elder Signs go home", by_app=True),
    )


def end_steps(table: Table, turn: int) -> tuple[Step, ...]:
    early = AREA_CLEANED.chosen(table) == "end"
    last = "your last Path" if turn == TURNS else "one Path"
    steps = (
        Step("end-effects", "In Search Order: effects for the end of a turn"),
        Step("ritual", "Check the Ritual Objects again; evoke if somebody can"),
        Step("back", "Unused and spent Paths come back, Permanent Obsessions stay", by_app=True),
        Step("obsession", f"Each of you turns {last} into a Permanent Obsession", later=False, by_app=True),
        Step("count", "Compare your Knowledge Points with the phones"),
    )
    clean = Step("clean", "Discard the Knowledge cards left over", later=False)
    return (*steps, clean) if early and turn < TURNS else steps
