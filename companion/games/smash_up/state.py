"""What the room remembers: facts only. Totals, ranks and the end of the game follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from companion import core
from companion.core import (
    Item,
    NotThere,
    Refused,
    SeatId,
    cached_property,
    kept_while,
    listed,
    load,
    refuse_if,
    replace,
)
from companion.games.smash_up import cards
from companion.games.smash_up.cards import Award, Card

PLAY, SCORE, LAST = 2, 3, 5
GOAL = 15
EACH = 2  # factions per player
MOST_BASES = 8
CHECKLIST = load(__package__, "checklist.toml", Item)

Which = SeatId  # of a base, a turn or a scoring: from 1 on, as seats are


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
        return sum([each.power for each in self.held.values()])

    @property
    def ready(self) -> bool:
        return self.total >= self.card.breakpoint


@dataclass(frozen=True)
class Scoring:
    """A base that was chosen is scored to the end, whatever its power does meanwhile. Specials go round
    twice, before its VP are given and after; until then all lies there as it did."""

    base: int
    passed: tuple[int, ...] = ()  # in a row
    last: int | None = None  # who passed or used a Special last
    done: bool = False  # all have passed
    more: Mapping[int, int] = field(default_factory=dict)  # VP that cards add or take, by seat
    lies: bool = False  # its VP are given, and it is not yet replaced


@dataclass(frozen=True)
class Scored:
    """A base that has been scored."""

    turn: int
    card: Card
    awards: tuple[Award, ...]
    replaced: int = 0  # the base that came in its place


@dataclass(frozen=True)
class State(core.State):
    stage: Literal["setup", "play", "check"] = "setup"  # check: a turn has ended, and the game with it
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
    traded: int = 0  # the turn in which a minion last went for VP

    def factions_of(self, seat: int) -> tuple[str, ...]:
        return self.factions.get(seat, ())

    @property
    def played(self) -> dict[str, int]:
        """Who plays each faction, whatever its capitals."""
        return {name.casefold(): seat for seat, names in self.factions.items() for name in names}

    @property
    @kept_while("table.seats", "factions")
    def undecided(self) -> tuple[int, ...]:
        """Who has not two factions yet."""
        return tuple(seat for seat in self.table.ids if len(self.factions_of(seat)) < EACH)

    @property
    def late(self) -> tuple[int, ...]:
        """Who joined a game under way and has no factions; nobody, where the table keeps none at all."""
        return self.undecided if len(self.undecided) < len(self.table.seats) else ()

    @property
    def madness_deck(self) -> int:
        return cards.MADNESS - sum(self.madness.values())

    @property
    def wanted(self) -> int:
        """One per player, plus one."""
        return len(self.table.seats) + 1

    @property
    def plays_with(self) -> str:
        return f"{len(self.table.seats)} players play with {self.wanted} bases"

    def base(self, id: int) -> Base:
        for base in self.bases:
            if base.id == id:
                return base
        raise NotThere("That base is not in play any more.")

    def card(self, id: str) -> Card:
        return self.typed[id] if id in self.typed else cards.known_base(id)

    @property
    @kept_while("factions", "sets")
    def used(self) -> tuple[str, ...]:
        """The sets whose bases are in the deck: those of the chosen factions, or as decided."""
        chosen = {cards.faction(name).set for name in self.played} - {""} or {cards.THIS_SET}
        return tuple(each for each in cards.SETS if self.sets.get(each, each in chosen))

    @property
    @kept_while("factions", "sets", "typed", "seen")
    def pool(self) -> tuple[str, ...]:
        """Every base that can come."""
        known = (each.id for each in cards.BASES if each.set in self.used)
        return tuple(dict.fromkeys((*known, *self.typed, *self.seen)))

    @property
    def in_play(self) -> tuple[str, ...]:
        return tuple([base.card.id for base in self.bases])

    @property
    def base_deck(self) -> tuple[str, ...]:
        """What is left to draw."""
        gone = {*self.in_play, *self.discards}
        return tuple([id for id in self.pool if id not in gone])

    @cached_property
    def ready(self) -> tuple[Base, ...]:
        return tuple([base for base in self.bases if base.ready and base is not self.leaving])

    @property
    def all_ready(self) -> str:
        """In words, as far as it goes; nothing if none is."""
        names = [base.card.name for base in self.ready]
        return f"{listed(names)} {'is' if len(names) == 1 else 'are'} ready" if names else ""

    @property
    def lacking(self) -> int:
        """How many more should lie here: at set-up, or since somebody joined a game that had begun."""
        missing = max(0, self.wanted - len(self.bases))
        return min(missing, len(self.base_deck)) if missing and self.stage != "setup" else missing

    @property
    def doing(self) -> cards.TurnPhase:
        return cards.PHASES[self.phase - 1]

    def check_turn(self, turn: int) -> None:
        refuse_if((self.stage, self.turn) != ("play", turn), f"Turn {turn} is not the one being played.")
        self.check_no_scoring()

    def check_no_scoring(self, so: str = "") -> None:
        if self.scoring is not None:
            raise Refused(f"{self.base(self.scoring.base).card.name} is being scored{so}.")
        if self.leaving:
            raise Refused(f"{self.leaving.card.name} has scored: first a new base takes its place.")

    @property
    def leaving(self) -> Base | None:
        """Its VP are given; what lies there lies there until the Specials after scoring are over."""
        return self.base(self.after.base) if self.after and self.after.lies else None

    @property
    def ending(self) -> bool:
        """Somebody has what ends the game, whatever Madness will cost."""
        return any(vp >= GOAL for vp in self.vp.values())

    @property
    def number(self) -> int:
        """Of the scoring that is under way, or comes next."""
        return len(self.scored) + 1

    @property
    def whose_special(self) -> int | None:
        """Who may use a Special or pass; from the current player clockwise, again and again."""
        scoring = self.scoring or self.after
        if scoring is None or scoring.done:
            return None
        seats, last = self.table.clockwise(self.player), scoring.last
        return seats[(seats.index(last) + 1) % len(seats)] if last in seats else seats[0]

    def awards(self, scoring: Scoring) -> tuple[Award, ...]:
        """What a scoring that is under way would give."""
        base, more = self.base(scoring.base), scoring.more
        held = [(seat.id, seat.name, base.at(seat.id)) for seat in self.table.seats]
        stands = [cards.Stand(id, name, has.power, has.here, more.get(id, 0)) for id, name, has in held]
        ranked, tied = cards.RANKED.chosen(self.table), cards.TIED_PLACE.chosen(self.table)
        return tuple(cards.score(base.card, stands, ranked == "power", tied == "number"))

    names: ClassVar[core.Names] = {
        **core.State.names,
        "card": lambda state, id: state.card(id).name,
        "base": lambda state, id: state.base(id).card.name,
        "vp": lambda state, seat: str(state.vp.get(seat, 0)),
        "madness": lambda state, seat: str(state.madness.get(seat, 0)),
    }

    def with_base(self, changed: Base) -> State:
        return replace(self, bases=tuple([changed if base.id == changed.id else base for base in self.bases]))

    def without_base(self, gone: Base) -> State:
        """The next one comes into its place."""
        left = tuple([base for base in self.bases if base is not gone])
        return replace(self, bases=left, gap=self.bases.index(gone))
