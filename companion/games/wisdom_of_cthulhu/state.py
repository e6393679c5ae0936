"""What the room remembers, and what follows from it: whose word, whose action, which phase it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from companion import core
from companion.core import Refused, Table, listed, plain, refuse_if, replace
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.player import HOME, Learned, Player

Phase = Literal["setup", "preparation", "order", "research", "end", "over"]
OUT = "out"  # where a marker is that is knocked out until the next turn
SPOTS = box.SAID["spots"] | {f"god-{each.id}": each.god for each in box.BONDS}


@dataclass(frozen=True)
class Declared:
    seat: int
    lap: int
    count: int


class Place(NamedTuple):
    name: str = ""
    bond: str = ""
    points: int = 0  # of its power
    free: bool = False  # and whether that costs no Obsession
    used: bool = False  # so its bond is known, even where it has none


class Evoked(NamedTuple):
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
    bought: tuple[str, ...] = ()  # families, from the Research Area of this turn
    typed: Mapping[str, Learned] = field(default_factory=dict)  # cards that are not of the box
    discards: tuple[Learned, ...] = ()  # cards that somebody had
    sources: Mapping[tuple[int, str], int] = field(default_factory=dict)  # points by where they came from
    named: bool = False  # cards were bought by name

    @cached_property
    def seats(self) -> tuple[int, ...]:
        return tuple([seat.id for seat in self.table.seats])

    def player(self, seat: int) -> Player:
        self.table.seat(seat)
        return self.players[seat]

    def with_player(self, seat: int, **changed: object) -> State:
        player = replace(self.player(seat), **changed)  # type: ignore[arg-type]
        return replace(self, players={**self.players, seat: player})

    def scored(self, seat: int, turn: int, by: int, source: str = "by hand", too_few: str = "") -> State:
        self.check_turn(turn)
        name, has = self.name(seat), self.kp(seat)
        if by < 0 and has + by < 0 and box.BELOW_ZERO.chosen(self.table) != "yes":
            raise Refused(too_few or f"{name} has {plain(has)} KP and cannot pay {-by}: nobody goes below 0.")
        points = {**self.points, (turn, seat): self.got(turn, seat) + by}
        sources = {**self.sources, (seat, source): self.sources.get((seat, source), 0) + by}
        return replace(self, points=points, sources=sources)

    def got(self, turn: int, seat: int) -> int:
        return self.points.get((turn, seat), 0)

    @cached_property
    def gains(self) -> tuple[tuple[int, ...], ...]:
        """What each seat got, turn by turn until now."""
        turns, points = range(1, self.turn + 1), self.points
        return tuple([tuple([points.get((turn, seat), 0) for turn in turns]) for seat in self.seats])

    def kp(self, seat: int, upto: int = box.TURNS) -> int:
        return sum(self.got(turn, seat) for turn in range(1, upto + 1))

    @cached_property
    def phase(self) -> Phase:
        if self.over or not self.turn:
            return "over" if self.over else "setup"
        if not self.prepared:
            return "preparation"
        if self.declarer:
            return "order"
        return "research" if self.actor is not None else "end"

    @cached_property
    def speaking(self) -> tuple[int, ...]:
        """The order in which players declare, without those who left."""
        return tuple([seat for seat in self.sequence if seat in self.seats])

    @cached_property
    def declarer(self) -> tuple[int, int] | None:
        """Whose word it is, and in which lap."""
        said = {(each.lap, each.seat) for each in self.declared}
        waits = ((seat, lap) for lap in (1, 2) for seat in self.speaking if (lap, seat) not in said)
        return next(waits, None)

    @cached_property
    def obsessed(self) -> Mapping[int, int]:
        """The numbers that the Research Order compares."""
        both = box.ORDER_COUNTS.chosen(self.table) == "both"
        found = {seat: self.players[seat].permanent if both else 0 for seat in self.speaking}
        for each in self.declared:
            if each.seat in found:
                found[each.seat] += each.count
        return found

    @cached_property
    def reached(self) -> Mapping[int, int]:
        """When players came to their number: the last word that raised it, else their first word."""
        found = dict.fromkeys(self.speaking, len(self.declared))
        said = set()
        for at, each in enumerate(self.declared):
            if each.count or each.seat not in said:
                found[each.seat] = at
            said.add(each.seat)
        return found

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Most Obsessions first; a tie goes to whoever came to the number first."""
        obsessed, reached = self.obsessed, self.reached
        return tuple(sorted(self.speaking, key=lambda seat: (-obsessed[seat], reached[seat])))

    @cached_property
    def actor(self) -> int | None:
        """Whoever acted least often is next, in the order; those without a usable card are out."""
        if self.ended:
            return None
        players = self.players
        able = [(players[seat].actions, at, seat) for at, seat in enumerate(self.order) if players[seat].able]
        return min(able)[2] if able else None

    @property
    def acting(self) -> int:
        """The same, for what is asked only while somebody is next."""
        assert self.actor is not None
        return self.actor

    @cached_property
    def acted(self) -> int:
        """Actions of this turn, so that a tap can say which one it meant to follow."""
        return sum([self.players[seat].actions for seat in self.seats])

    def check_turn(self, turn: int) -> None:
        refuse_if(not 1 <= turn <= box.TURNS, "The game has six turns.")
        refuse_if(turn > self.turn, f"Turn {turn} has not begun.")

    def place(self, number: int) -> Place:
        most = box.places(len(self.seats))
        refuse_if(not 1 <= number <= most, f"With {len(self.seats)} players there are {most} Arcane Places.")
        return self.places.get(number, Place())

    def place_name(self, number: int) -> str:
        return self.places.get(number, Place()).name or f"Place {number}"

    def laid_out(self, id: str) -> bool:
        """Whether this bond's Great Old One was put on the table, as far as the table said."""
        return box.find_bond(id).id in self.gods or len(self.gods) != len(self.seats)

    def in_play(self, id: str) -> bool:
        """After an evocation only the one that was evoked is left."""
        return self.evoked.bond == box.find_bond(id).id if self.evoked else self.laid_out(id)

    @property
    def lying(self) -> frozenset[str]:
        """What people may ask about now: cards by name, bonds of Great Old Ones, what is not always so."""
        players = [self.players[seat] for seat in self.seats]
        cards = [card for each in players for card in each.learned]
        now = {
            "sign": any(each.sign not in (HOME, OUT) for each in players),
            "object": any(card.object for card in cards),
            "master": any(card.family == "dm" for card in cards),
            "entity": any(card.family == "en" for card in cards),
            "combination": any(card.parts or card.lacks for card in cards),
            "permanent": any(each.permanent for each in players),
            "no path": any(not each.hand and each.able for each in players),
            "evoked": self.evoked,
            "three": len(self.seats) == 3,
            "first turn": self.turn < 2,
            "last turn": self.turn == box.TURNS,
        }
        gods = [bond.id for bond in box.BONDS if self.in_play(bond.id)]
        names = [card.name for card in cards]
        return frozenset((*(name for name, holds in now.items() if holds), *gods, *names))

    @property
    def evoker(self) -> str:
        """Whoever evoked, or somebody who left."""
        names = {seat.id: seat.name for seat in self.table.seats}
        return names.get(self.evoked.seat, "Somebody who left") if self.evoked else ""

    def placed_signs(self, but: int) -> Mapping[int, str]:
        """Whose Elder Signs lie on something, and on what, besides this player's."""
        signs = {seat: self.players[seat].sign for seat in self.seats if seat != but}
        return {seat: sign for seat, sign in signs.items() if sign not in (HOME, OUT)}

    def blocker(self, seat: int, spot: str) -> str:
        """Whose Elder Sign keeps this player from it; nobody's, as a rule."""
        return next((self.name(owner) for owner, sign in self.placed_signs(seat).items() if sign == spot), "")

    def left(self, family: str, seat: int) -> int:
        """The Knowledge cards of this turn that are there for this player to buy."""
        signed = sum(sign == f"knowledge-{family}" for sign in self.placed_signs(seat).values())
        return max(0, box.laid_out(self.table)[family] - self.bought.count(family) - signed)

    def holder(self, name: str) -> int | None:
        """Before whom a card lies."""
        return next((seat for seat in self.seats if self.players[seat].card(name)), None)

    def powers(self, seat: int) -> tuple[tuple[box.Bond, int], ...]:
        """The Invocation Powers that are open to this player, whether used already or not."""
        open = [(each, self.players[seat].turned(each.id)) for each in box.BONDS if self.in_play(each.id)]
        return tuple([(each, power) for each, turned in open for power in (1, 2) if power <= turned])

    def where(self, spot: str) -> str:
        """A marker's place in words."""
        if spot in SPOTS:
            return SPOTS[spot]
        if number := place_number(spot):
            return self.place_name(number)
        kind, _, which = spot.partition("-")
        id, _, power = which.rpartition("-")
        match kind:
            case "knowledge" if which in box.FAMILIES:
                return f"a {box.FAMILIES[which]} card" if which != "as" else "an Alien Science card"
            case "card" if which:
                return which
            case "power" if power in ("1", "2"):
                return f"{box.find_bond(id).god}’s power {power}"
        raise Refused("A marker cannot go there.")


State.names = {
    **core.State.names,
    "spot": State.where,
    "kp": lambda state, seat: plain(state.kp(seat)),
    "bond": lambda _, id: box.find_bond(id).name,
    "god": lambda _, id: box.find_bond(id).god,
    "box": lambda _, number: box.REQUIREMENTS[number - 1].name,
}
REMEMBERED = frozenset(each.name for each in fields(State)) - {"points", "sources"}


@lru_cache(256)
def place_number(spot: str) -> int:
    """Which Arcane Place a marker is on; 0 for anywhere else."""
    found = re.fullmatch(r"place-([1-9][0-9]?)", spot)
    return int(found[1]) if found else 0


def but_points(state: State) -> tuple[object, ...]:
    """All that the table remembers except points, which most taps are about."""
    return tuple([value for name, value in vars(state).items() if name in REMEMBERED])


def ties(state: State) -> tuple[str, ...]:
    """Why one of those with equally many Obsessions acts before the other."""
    equal = (tuple(seats) for _, seats in groupby(state.order, state.obsessed.__getitem__))
    return tuple(_tie(state, seats) for seats in equal if len(seats) > 1)


def _tie(state: State, seats: tuple[int, ...]) -> str:
    names = [state.name(seat) for seat in seats]
    how = "came to it" if any(each.count for each in state.declared if each.seat in seats) else "declared"
    why = f"{names[0]} {how} first" if len(names) == 2 else f"as they {how}"
    return f"{listed(names)} tie with {state.obsessed[seats[0]]}: {why}."


def setup(table: Table) -> State:
    return State(table, players={seat.id: Player() for seat in table.seats})
