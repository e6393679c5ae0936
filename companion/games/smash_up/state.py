"""What the room remembers: facts only. Totals, ranks and the end of the game follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, TypeVarTuple

from companion import core
from companion.core import Refused, Table
from companion.games.smash_up.cards import BASES, MADNESS, SETS, THIS_SET, Card, faction, known_base
from companion.games.smash_up.house_rules import RANKED, TIED_PLACE
from companion.games.smash_up.scoring import Award, Reading, Stand, score

PHASES = ("Crank It Up", "Play Cards", "Check for Scoring", "Draw 2 Cards", "Shut It Down")
PLAY, SCORE, LAST = 2, 3, 5
GOAL = 15
EACH = 2  # factions per player
MOST_BASES = 8

Of = TypeVarTuple("Of")
T = TypeVar("T")
Stage = Literal["setup", "play", "check"]  # check: a turn has ended, and the game with it


@dataclass(frozen=True)
class Holding:
    """What one seat has at one base. While nobody counts minions, power stands for one."""

    power: int = 0
    minions: int | None = None

    @property
    def here(self) -> int:
        """How many minions there are taken to be."""
        return int(self.power > 0) if self.minions is None else self.minions


@dataclass(frozen=True)
class Base:
    """A base in play."""

    id: int
    card: Card
    held: Mapping[int, Holding] = field(default_factory=dict)

    def at(self, seat: int) -> Holding:
        return self.held.get(seat, Holding())

    @cached_property
    def total(self) -> int:
        return sum(each.power for each in self.held.values())

    @property
    def ready(self) -> bool:
        return self.total >= self.card.breakpoint


@dataclass(frozen=True)
class Scoring:
    """A base that was chosen is scored to the end, whatever its power does meanwhile.

    Specials go round twice, before its VP are given and after.
    """

    base: int
    passed: tuple[int, ...] = ()  # in a row
    last: int | None = None  # who passed or used a Special last
    done: bool = False  # all have passed
    more: Mapping[int, int] = field(default_factory=dict)  # VP that cards add or take, by seat


@dataclass(frozen=True)
class Scored:
    """A base that has been scored."""

    number: int
    turn: int
    card: Card
    awards: tuple[Award, ...]
    replaced: int = 0  # the base that came in its place


@dataclass(frozen=True)
class State(core.State):
    stage: Stage = "setup"
    ticked: tuple[str, ...] = ()
    factions: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    sets: Mapping[str, bool] = field(default_factory=dict)  # where the table decided against its factions
    typed: Mapping[str, Card] = field(default_factory=dict)
    bases: tuple[Base, ...] = ()
    laid: int = 0  # the highest number a base had so far
    seen: tuple[str, ...] = ()  # every base that ever was in play
    discards: tuple[str, ...] = ()  # scored, until the base deck is shuffled anew
    gap: int | None = None  # where the next base goes
    turn: int = 0
    player: int = 0  # the seat whose turn it is
    phase: int = 1
    order: tuple[int, ...] = ()  # of the seats, as it was before the last change
    vp: Mapping[int, int] = field(default_factory=dict)
    madness: Mapping[int, int] = field(default_factory=dict)
    scoring: Scoring | None = None
    scored: tuple[Scored, ...] = ()
    after: Scoring | None = None  # the last scoring, while its aftermath is played
    #: no fact, so never compared: what the last states of this table came to, handed on from one to the next
    memory: dict[object, tuple[Any, Any]] = field(default_factory=dict, compare=False, repr=False)

    def kept(self, name: object, make: Callable[[*Of], T], *of: *Of) -> T:
        """`make(*of)`, or what that gave last time if it was made of the same."""
        known = self.memory.get(name)
        if known is None or known[0] != of:
            known = self.memory[name] = (of, make(*of))
        made: T = known[1]
        return made

    # --- who ---

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    def clockwise(self, seat: int) -> tuple[int, ...]:
        """All seats from this one on."""
        ids = [each.id for each in self.table.seats]
        at = ids.index(seat) if seat in ids else 0
        return (*ids[at:], *ids[:at])

    def factions_of(self, seat: int) -> tuple[str, ...]:
        return self.factions.get(seat, ())

    # --- numbers ---

    def vp_of(self, seat: int) -> int:
        return self.vp.get(seat, 0)

    def madness_of(self, seat: int) -> int:
        return self.madness.get(seat, 0)

    @property
    def madness_deck(self) -> int:
        return MADNESS - sum(self.madness.values())

    # --- bases ---

    @property
    def wanted(self) -> int:
        """One per player, plus one."""
        return len(self.table.seats) + 1

    def base(self, id: int) -> Base:
        for base in self.bases:
            if base.id == id:
                return base
        raise Refused("That base is not in play any more.")

    def card(self, id: str) -> Card:
        return self.typed[id] if id in self.typed else known_base(id)

    @property
    def used(self) -> tuple[str, ...]:
        """The sets whose bases are in the deck."""
        return self.kept("used", _used, self.factions, self.sets)

    @property
    def in_play(self) -> tuple[str, ...]:
        return tuple(base.card.id for base in self.bases)

    @property
    def base_deck(self) -> tuple[str, ...]:
        """What is left to draw."""
        return self.kept("deck", _deck, self.pool, (*self.in_play, *self.discards))

    @property
    def pool(self) -> tuple[str, ...]:
        return self.kept("pool", _pool, self.used, self.typed, self.seen)

    @cached_property
    def ready(self) -> tuple[Base, ...]:
        return tuple(base for base in self.bases if base.ready)

    @property
    def lacking(self) -> int:
        """How many more should lie here: at set-up, or since somebody joined a game that had begun."""
        missing = max(0, self.wanted - len(self.bases))
        return min(missing, len(self.base_deck)) if missing and self.stage != "setup" else missing

    # --- scoring ---

    @property
    def number(self) -> int:
        """Of the scoring that is under way, or comes next."""
        return len(self.scored) + 1

    @property
    def asked(self) -> int | None:
        """Who may use a Special or pass; from the current player clockwise, again and again."""
        scoring = self.scoring or self.after
        if scoring is None or scoring.done:
            return None
        seats = self.clockwise(self.player)
        last = scoring.last
        return seats[(seats.index(last) + 1) % len(seats)] if last in seats else seats[0]

    def stands(self, base: Base) -> tuple[Stand, ...]:
        return tuple(
            Stand(seat.id, seat.name, base.at(seat.id).power, base.at(seat.id).here)
            for seat in self.table.seats
        )

    def awards(self) -> tuple[Award, ...]:
        """What the scoring that is under way would give."""
        if self.scoring is None:
            raise Refused("No base is being scored.")
        base = self.base(self.scoring.base)
        reading = Reading(RANKED.chosen(self.table) == "power", TIED_PLACE.chosen(self.table) == "number")
        return score(base.card, self.stands(base), reading, self.scoring.more)

    # --- changing ---

    def with_base(self, changed: Base) -> State:
        return replace(self, bases=tuple(changed if base.id == changed.id else base for base in self.bases))

    def with_holding(self, id: int, seat: int, holding: Holding) -> State:
        self.table.seat(seat)
        base = self.base(id)
        return self.with_base(replace(base, held={**base.held, seat: holding}))


def _used(factions: Mapping[int, tuple[str, ...]], sets: Mapping[str, bool]) -> tuple[str, ...]:
    """Those of the chosen factions, or as decided."""
    chosen = {faction(name).set for names in factions.values() for name in names} - {""}
    return tuple(each.id for each in SETS if sets.get(each.id, each.id in (chosen or {THIS_SET})))


def _pool(used: tuple[str, ...], typed: Mapping[str, Card], seen: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(each.id for each in BASES if each.set in used), *typed, *seen)))


def _deck(pool: tuple[str, ...], out: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(id for id in pool if id not in out)


def setup(table: Table) -> State:
    return State(table, order=tuple(seat.id for seat in table.seats))
