"""What the room remembers, of the table and of what lies before each player, and what follows from it: whose
word, whose action, which phase it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from companion import core
from companion.core import Refused, Table, cached_property, kept_but_for, listed, plain, refuse_if, replace
from companion.games.wisdom_of_cthulhu import box

Phase = Literal["setup", "preparation", "order", "research", "end", "over"]
HOME = ""  # where a marker is that lies on nothing
OUT = "out"  # where a marker is that is knocked out until the next turn
POWERS = {f"power-{each.id}-{n}": f"{each.god}’s power {n}" for each in box.BONDS for n in (1, 2)}
SPOTS = box.SAID["spots"] | {f"god-{each.id}": each.god for each in box.BONDS} | POWERS


class Rite(NamedTuple):
    """One requirement that was met: with an object of this bond, in this turn; by name, if that was said."""

    bond: str
    turn: int
    object: str = ""


@dataclass(frozen=True)
class Player:
    """Six cards, always: those in hand, spent, temporary and permanent."""

    hand: int = box.PATHS
    spent: int = 0  # Paths and Temporary Obsessions that come back when the turn ends
    temporary: int = 0
    permanent: int = 0
    used: int = 0  # of the permanent ones, this turn
    actions: int = 0  # taken this turn
    fallback: bool = False  # bought a Knowledge card with an Obsession, so no more of them this turn
    seeker: str = HOME
    sign: str = HOME
    rites: tuple[Rite, ...] = ()
    learned: tuple[box.Card, ...] = ()
    invoked: tuple[str, ...] = ()  # powers used this turn
    gets: tuple[str, ...] = ()  # what came this turn, for a Transmutation

    @property
    def obsessions(self) -> int:
        """Those that can still be spent."""
        return self.temporary + self.permanent - self.used

    @property
    def able(self) -> bool:
        return self.hand + self.obsessions > 0

    @property
    def ritual(self) -> int:
        return len(self.rites)

    @property
    def last_bond(self) -> str:
        """Of the last Ritual Object; of one that was set by hand nobody knows."""
        return self.rites[-1].bond if self.rites else ""

    def mixing_cost(self, id: str) -> int:
        return 0 if self.last_bond in ("", id) else box.MIXING

    def come_back(self) -> Player:
        """All but the Permanent Obsessions; then one more Path turns for good."""
        back = self.hand + self.spent + self.temporary
        turned = min(back, 1)
        home = replace(self, spent=0, temporary=0, used=0, actions=0, fallback=False, invoked=(), gets=())
        return replace(home, hand=back - turned, permanent=self.permanent + turned)

    def prepared(self) -> Player:
        """Markers home, used cards face up."""
        learned = tuple([each._replace(used=False) for each in self.learned])
        return replace(self, seeker=HOME, sign=HOME, learned=learned)

    def card(self, name: str) -> box.Card | None:
        return next((each for each in self.learned if each.name == name), None)

    def paid_by(self, id: str) -> tuple[int, tuple[str, ...]]:
        """How much this bond pays, and for which cards: Dark Masters, and others that were noted as such."""
        held = [each for each in self.learned if each.bond == id and each.family in ("dm", "")]
        return sum([each.points for each in held]), tuple([each.name for each in held])

    @property
    def masters_worth(self) -> int:
        return sum([each.points for each in self.learned if each.family == "dm"])

    def worth(self, card: box.Card) -> int:
        """What it pays each time: as printed, or for each card of a family here and under itself."""
        here = [*[each.family for each in self.learned], *card.under]
        return card.points + sum(kp * here.count(family) for family, kp in card.per.items())

    def turned(self, id: str) -> int:
        """How often the one object of this bond was turned that was turned most; one set by hand is any."""
        any_bond = sum(not rite.bond for rite in self.rites)
        names = [rite.object for rite in self.rites if rite.bond == id]
        return any_bond + max([names.count(name) for name in names], default=0)

    def wants(self, card: box.Card, at: int) -> str:
        """What the requirement for box `at` still lacks, as far as the phones know."""
        here = [each.family for each in self.learned] + ["res"] * self.hand + ["obs"] * self.obsessions
        short = Counter(box.units(card.needs[at - 1 : at])) - Counter(self.gets if at == 2 else here)
        return ", ".join([f"{many} {box.NEEDS[what]}" for what, many in short.items() if what in box.NEEDS])


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
    typed: Mapping[str, box.Card] = field(default_factory=dict)  # cards that are not of the box
    discards: tuple[box.Card, ...] = ()  # cards that somebody had
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
        return "research" if self.actor else "end"

    @cached_property
    def speaking(self) -> tuple[int, ...]:
        """The order in which players declare, without those who left."""
        return tuple([seat for seat in self.sequence if seat in self.seats])

    @cached_property
    def declarer(self) -> tuple[int, int] | None:
        """Whose word it is, and in which lap."""
        done = {(each.seat, each.lap) for each in self.declared}
        waits = ((seat, lap) for lap in (1, 2) for seat in self.speaking if (seat, lap) not in done)
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
    def order(self) -> tuple[int, ...]:
        """Most Obsessions first; a tie goes to whoever came to the number first, by the last word that raised
        it, else by their first word."""
        obsessed, last, reached = self.obsessed, len(self.declared), {}
        for at, each in enumerate(self.declared):
            if each.count or each.seat not in reached:
                reached[each.seat] = at
        return tuple(sorted(self.speaking, key=lambda seat: (-obsessed[seat], reached.get(seat, last))))

    @cached_property
    def actor(self) -> int:
        """Whoever acted least often is next, in the order; who has no usable card is out. 0 is nobody."""
        players, order = self.players, () if self.ended else self.order
        able = [(players[seat].actions, at, seat) for at, seat in enumerate(order) if players[seat].able]
        return min(able)[2] if able else 0

    @cached_property
    def acted(self) -> int:
        """Actions of this turn, so that a tap can say which one it meant to follow."""
        return sum([self.players[seat].actions for seat in self.seats])

    @property
    def acting(self) -> dict[str, str | int]:
        """What a tap says with which somebody acts."""
        return {"seat": self.actor, "turn": self.turn, "after": self.acted}

    def check_turn(self, turn: int) -> None:
        refuse_if(not 1 <= turn <= box.TURNS, "The game has six turns.")
        refuse_if(turn > self.turn, f"Turn {turn} has not begun.")

    @property
    def ring(self) -> range:
        """The numbers of the Arcane Places."""
        return range(1, box.PLACES * len(self.seats) + 1)

    def place(self, number: int) -> Place:
        many, most = len(self.seats), self.ring[-1]
        refuse_if(number not in self.ring, f"With {many} players there are {most} Arcane Places.")
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
    def sacrifice_at_once(self) -> bool:
        """In the turn of the Transmutation."""
        return box.SACRIFICE_WHEN.chosen(self.table) == "same"

    @property
    def came(self) -> box.Bond:
        """Who was evoked, with their bond."""
        return box.find_bond(self.evoked.bond) if self.evoked else box.Bond("", "", "", "")

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

    def powers(self, seat: int) -> Mapping[str, bool]:
        """The Invocation Powers that are open to this player, and whether each rests for this turn."""
        mine, gods = self.players[seat], [each.id for each in box.BONDS if self.in_play(each.id)]
        open = [f"{god}-{power}" for god in gods for power in (1, 2) if power <= mine.turned(god)]
        spots = {id: f"power-{id}" for id in open}
        return {id: at in mine.invoked or bool(self.blocker(seat, at)) for id, at in spots.items()}

    def where(self, spot: str) -> str:
        """A marker's place in words."""
        if spot in SPOTS:
            return SPOTS[spot]
        if number := place_number(spot):
            return self.place_name(number)
        kind, _, card = spot.partition("-")
        refuse_if(kind != "card" or not card, "A marker cannot go there.")
        return card


State.names = {
    **core.State.names,
    "spot": State.where,
    "kp": lambda state, seat: plain(state.kp(seat)),
    "bond": lambda _, id: box.find_bond(id).name,
    "god": lambda _, id: box.find_bond(id).god,
    "action": {each.id: f"action {each.number}: {each.label}" for each in box.ACTIONS},
    "does": box.SAID["does"],
    "family": box.FAMILIES,
    "box": lambda _, number: box.REQUIREMENTS[number - 1].name,
}
POINTS = ("points", "sources")  # most taps are about those


@kept_but_for(State, *POINTS)
def but_points(state: State) -> State:
    """The very same as long as nothing else has changed: what looks at no points is known of it already."""
    return state


@lru_cache(256)
def place_number(spot: str) -> int:
    """Which Arcane Place a marker is on; 0 for anywhere else."""
    found = re.fullmatch(r"place-([1-9][0-9]?)", spot)
    return int(found[1]) if found else 0


def ties(state: State) -> tuple[str, ...]:
    """Why one of those with equally many Obsessions acts before the other."""
    sentences, raised = [], {each.seat for each in state.declared if each.count}
    for number, equal in groupby(state.order, state.obsessed.__getitem__):
        seats = tuple(equal)
        names = [state.name(seat) for seat in seats]
        how = "declared" if raised.isdisjoint(seats) else "came to it"
        why = f"{names[0]} {how} first" if len(names) == 2 else f"as they {how}"
        sentences += [f"{listed(names)} tie with {number}: {why}."] if len(names) > 1 else []
    return tuple(sentences)


def setup(table: Table) -> State:
    return State(table, players={seat.id: Player() for seat in table.seats})
