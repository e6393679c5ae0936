"""What is in the box, what the places are called, which are neighbours, and where the table chooses.

And what a tile asks for: a kind of Equipment, and a value that is exact, a range, or one of two.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from companion.core import Blanks, HouseRule, counted, load, load_words, refuse_if, there
from companion.core.dice import Die, Face
from companion.core.text import clean

#: Where the manual contradicts itself or is silent: data/house_rules.toml.
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TIES, INJURIES_COUNTED, SPOKEN_CONFUSION, TOKEN_ORIGIN, AGAIN_CARDS = HOUSE_RULES[:5]
HAND_RAISED, DRAW_TOKENS, EARLY, START = HOUSE_RULES[5:]

TOKENS, INJURIES, RELICS, LEVELS = 6, 15, 11, 3
PLAIN_CARDS = 40  # assumed: ten of each kind; 48 are said to be in the box, Arcane Equipment included
ARCANE = 8  # assumed: what that leaves
MOST_ARCANE = 11  # as the manual counts them; a table that has them may take them
HANDS = {3: 5, 4: 4, 5: 3}
SAND = 30_000  # ms

SAID, blanks = load_words(__package__), Blanks(__package__)
STAGES, SPACES, RELIC_KINDS = SAID["stages"], SAID["spaces"], SAID["relics"]
FACES, KINDS = SAID["faces"], SAID["kinds"]
_MAP: dict[str, dict[str, Any]] = {each["id"]: each for each in load(__package__, "places.toml", dict)}
PLACES: dict[str, str] = {id: each["name"] for id, each in _MAP.items()}
SAID |= {"places": PLACES, "quoted": {id: f"“{name}”" for id, name in SPACES.items()}}
ROUTE = [each["short"] for each in _MAP.values()]
NEIGHBOURS = {"": ("coast",)} | {id: each["next"] for id, each in _MAP.items()}
TILES: dict[str, int] = {id: each["tiles"] for id, each in _MAP.items()}
WITH_SPACES = ("coast", "mountain", "city")  # only there can a space be without its tile
WAY_OUT = ("edge", "escape-1", "escape-2", "escape-3")  # nobody comes back from there

_TWICE = tuple(Face(name, sign) for name, sign in zip(FACES.values(), "✚?▼", strict=True) for _ in range(2))
PENALTY_DIE = Die("penalty", "Penalty die", _TWICE, note="assumed: two faces of each")
SPOKEN, LATER = -1, -2  # why a penalty is owed, if not for a Challenge; that Confusion waits to be measured
DIE_FIRST = "One thing after the other: first the penalty die."

injuries, tokens = partial(counted, what="Injury/Injuries"), partial(counted, what="Leadership token")

Form = Literal["exact", "range", "either"]
Kind = Literal["tools", "weapons", "books", "crates"]

VALUES = (2, 3, 4, 5, 6, 10)  # plain cards, and 10 for Arcane Equipment
HIGHEST = 60  # no tile asks for as much; anything beyond is a slip of the thumb
PRINTED = re.compile(r"(\d{1,2})(?:\s*(-|–|−|to|or|/)\s*(\d{1,2}))?", re.ASCII)


def values_at(place: str) -> list[str]:
    """What a tile of that region may ask for, as it is printed; anything else is put together in a sheet."""
    asks, lowest = _MAP[place]["asks"], _MAP[place]["lowest"]
    return [each.format(*range(low, low + 4)) for each in asks for low in range(lowest, lowest + 6)]


@dataclass(frozen=True)
class Challenge:
    kind: Kind
    form: Form
    low: int
    high: int

    @property
    def name(self) -> str:
        return KINDS[self.kind]

    @property
    def value(self) -> str:
        """As it is printed."""
        forms = {"exact": "{low}", "range": "{low}–{high}", "either": "{low} or {high}"}
        return forms[self.form].format_map(vars(self))

    def __str__(self) -> str:
        return f"{self.name} {self.value}"

    def met(self, total: int | None) -> bool | None:
        """None: nothing of its kind was counted."""
        return None if total is None else self.gap(total) == 0

    def gap(self, total: int) -> int:
        """How far the total is from the nearest value that would do."""
        if self.form == "either":
            return min(abs(total - self.low), abs(total - self.high))
        return max(self.low - total, total - self.high, 0)


def read(kind: Kind, typed: str) -> Challenge:
    """14, 11-13, or 10 or 12, as it is printed."""
    found = PRINTED.fullmatch(clean(typed).lower() if len(typed) <= 60 else "")
    low, between, high = there(found, "Type a Challenge as it is printed: 14, 11-13, or 10 or 12.").groups()
    form: Form = "either" if between in ("or", "/") else "range" if between else "exact"
    ordered = 1 <= int(low) <= int(high or low) <= HIGHEST
    refuse_if(not ordered, f"A Challenge goes from small to large, between 1 and {HIGHEST}.")
    refuse_if(between and int(low) == int(high), "Those are twice the same number; type it once.")
    return Challenge(kind, form, int(low), int(high or low))
