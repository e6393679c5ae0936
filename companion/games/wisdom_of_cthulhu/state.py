"""What the room remembers, and what follows from it: whose word, whose action, which phase it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from companion import core
from companion.core import Refused, Table
from companion.games.wisdom_of_cthulhu.box import BONDS, PATHS, TURNS, Master, bond, places
from companion.games.wisdom_of_cthulhu.house_rules import ORDER_COUNTS, chose

Phase = Literal["setup", "preparation", "order", "research", "end", "over"]
HOME, OUT = "", "out"  # where markers are; out: knocked out until the next turn


@dataclass(frozen=True)
class Rite:
    """One requirement that was met: with an object of this bond, in this turn."""

    bond: str
    turn: int


@dataclass(frozen=True)
class Player:
    """Six cards, always: hand + spent + temporary + permanent."""

    hand: int = PATHS
    spent: int = 0  # Paths and Temporary Obsessions that come back when the turn ends
    temporary: int = 0
    permanent: int = 0
    used: int = 0  # of the permanent ones, this turn
    actions: int = 0  # taken this turn
    fallback: bool = False  # bought a Knowledge card with an Obsession, so no more of them this turn
    seeker: str = HOME
    sign: str = HOME
    rites: tuple[Rite, ...] = ()
    masters: tuple[Master, ...] = ()

    @property
    def obsessions(self) -> int:
        """Those that can still be spent."""
        return self.temporary + self.permanent - self.used

    @property
    def able(self) -> bool:
        return self.hand + self.obsessions > 0

    @property
    def cards(self) -> int:
        return self.hand + self.spent + self.temporary + self.permanent

    @property
    def ritual(self) -> int:
        return len(self.rites)

    def paid_by(self, id: str) -> tuple[Master, ...]:
        return tuple(each for each in self.masters if each.bond == id)


@dataclass(frozen=True)
class Declared:
    seat: int
    lap: int
    count: int


@dataclass(frozen=True)
class Place:
    name: str = ""
    bond: str = ""


@dataclass(frozen=True)
class Evoked:
    seat: int
    bond: str
    turn: int


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    gods: tuple[str, ...] = ()  # bonds of the Great Old Ones in play, where the table said
    turn: int = 0
    prepared: bool = False
    ended: bool = False  # the rest of this Research was played without the phones
    over: bool = False
    sequence: tuple[int, ...] = ()  # who declares one after another
    declared: tuple[Declared, ...] = ()
    players: Mapping[int, Player] = field(default_factory=dict)
    points: Mapping[tuple[int, int], int] = field(default_factory=dict)  # turn, seat
    places: Mapping[int, Place] = field(default_factory=dict)
    evoked: Evoked | None = None

    # --- who is here ---

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(seat.id for seat in self.table.seats)

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    def player(self, seat: int) -> Player:
        self.table.seat(seat)
        return self.players[seat]

    def with_player(self, seat: int, **changed: object) -> State:
        player = replace(self.player(seat), **changed)  # type: ignore[arg-type]
        return replace(self, players={**self.players, seat: player})

    # --- Knowledge Points ---

    def got(self, turn: int, seat: int) -> int:
        return self.points.get((turn, seat), 0)

    def kp(self, seat: int, upto: int = TURNS) -> int:
        return sum(self.got(turn, seat) for turn in range(1, upto + 1))

    # --- where in the turn ---

    @property
    def phase(self) -> Phase:
        if self.over or not self.turn:
            return "over" if self.over else "setup"
        if not self.prepared:
            return "preparation"
        if self.declarer:
            return "order"
        return "research" if self.actor is not None else "end"

    @property
    def speaking(self) -> tuple[int, ...]:
        """The order in which players declare, without those who left."""
        return tuple(seat for seat in self.sequence if seat in self.seats)

    @property
    def declarer(self) -> tuple[int, int] | None:
        """Whose word it is, and in which lap."""
        said = {(each.lap, each.seat) for each in self.declared}
        waits = ((lap, seat) for lap in (1, 2) for seat in self.speaking if (lap, seat) not in said)
        lap, seat = next(waits, (0, 0))
        return (seat, lap) if lap else None

    def turned(self, seat: int, lap: int = 0) -> int:
        return sum(each.count for each in self.declared if each.seat == seat and lap in (0, each.lap))

    def obsessed(self, seat: int) -> int:
        """The number that the Research Order compares."""
        both = chose(self.table, ORDER_COUNTS, "both")
        return self.turned(seat) + (self.player(seat).permanent if both else 0)

    def reached(self, seat: int) -> int:
        """When a player came to their number: the last word that raised it, else their first word."""
        mine = [(at, each.count) for at, each in enumerate(self.declared) if each.seat == seat]
        raised = [at for at, count in mine if count]
        return raised[-1] if raised else mine[0][0] if mine else len(self.declared)

    @property
    def order(self) -> tuple[int, ...]:
        """Most Obsessions first; a tie goes to whoever came to the number first."""
        return tuple(sorted(self.speaking, key=lambda seat: (-self.obsessed(seat), self.reached(seat))))

    @property
    def actor(self) -> int | None:
        """Whoever acted least often is next, in the order; those without a usable card are out."""
        if self.ended:
            return None
        able = [(self.player(seat).actions, at, seat) for at, seat in enumerate(self.order)]
        able = [each for each in able if self.player(each[2]).able]
        return min(able)[2] if able else None

    @property
    def acted(self) -> int:
        """Actions of this turn, so that a tap can say which one it meant to follow."""
        return sum(self.player(seat).actions for seat in self.seats)

    # --- places and Great Old Ones ---

    def check_turn(self, turn: int) -> None:
        if not 1 <= turn <= TURNS:
            raise Refused("The game has six turns.")
        if turn > self.turn:
            raise Refused(f"Turn {turn} has not begun.")

    def place(self, number: int) -> Place:
        most = places(len(self.seats))
        if not 1 <= number <= most:
            raise Refused(f"With {len(self.seats)} players there are {most} Arcane Places.")
        return self.places.get(number, Place())

    def place_name(self, number: int) -> str:
        return self.places.get(number, Place()).name or f"Place {number}"

    def laid_out(self, id: str) -> bool:
        """Whether this bond's Great Old One was put on the table, as far as the table said."""
        return bond(id).id in self.gods or len(self.gods) != len(self.seats)

    def in_play(self, id: str) -> bool:
        """After an evocation only the one that was evoked is left."""
        return self.evoked.bond == bond(id).id if self.evoked else self.laid_out(id)

    def where(self, spot: str) -> str:
        """A marker's place in words."""
        if number := place_number(spot):
            return self.place_name(number)
        gods = {f"god-{each.id}": each.god for each in BONDS}
        words = {
            HOME: "home",
            OUT: "out this turn",
            "knowledge": "a Knowledge card",
            "card": "an opponent’s card",
            "entity": "an Entity",
            "power": "an Invocation Power",
        }
        found = gods.get(spot) or words.get(spot)
        if found is None:
            raise Refused("A marker cannot go there.")
        return found


def place_number(spot: str) -> int:
    """Which Arcane Place a marker is on; 0 for anywhere else."""
    found = re.fullmatch(r"place-([1-9][0-9]?)", spot)
    return int(found[1]) if found else 0


def setup(table: Table) -> State:
    return State(table, players={seat.id: Player() for seat in table.seats})
