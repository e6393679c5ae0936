"""A round of a fight, and a test of the castle: dice in, outcome out. Knows no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal, NamedTuple

from companion.core import cached_property, replace
from companion.games.escape_the_dark_castle.box import TRAITS, Effect, Side, character, shielded
from companion.tools.pools import again_for_nothing, spread, sums, without

Part = Literal["fight", "rest", "out"]
USUAL_DAMAGE = 2
ORDER = [each.id for each in TRAITS]
Gear = Mapping[str, tuple[Effect, ...]]  # what those items do that each one carries


@dataclass(frozen=True)
class Stance:
    """One hero in one round."""

    part: Part = "fight"
    face: int = 0  # 0: not rolled yet
    before: tuple[int, ...] = ()  # earlier rolls of this round; an item may let one choose
    hit: int | None = None  # what a blow costs, where an item or the card changes it
    real: bool = False  # the face was told, not rolled
    also: tuple[Side, ...] = ()  # further dice that an item adds
    used: tuple[int, ...] = ()  # items that serve once a round


USUAL = Stance()


@dataclass(frozen=True)
class Settled:
    """How a round ended."""

    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int] = field(default_factory=dict)
    healed: str = ""
    won: bool = False


class Lot(NamedTuple):
    """What the round is to one of them, as the dice lie."""

    stance: Stance
    hit: int  # what a blow costs
    wants: bool  # another die
    side: Side | None = None  # what its own die shows
    symbols: tuple[tuple[str, int], ...] = ()  # of all its dice: traits, and how often
    taken: tuple[str, ...] = ()  # the enemy's dice that these take; a surplus is lost
    blocks: bool = False


class Geared:
    """Whoever carries something."""

    gear: Gear

    def has(self, hero: str, does: str) -> bool:
        return any(each.does == does for each in self.gear.get(hero, ()))


@dataclass(frozen=True)
class Fight(Geared):
    """It never changes, so what its dice come to is found once, however often a view asks."""

    heroes: tuple[str, ...]
    dice: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    damage: int = USUAL_DAMAGE
    no_rest: bool = False
    round: int = 0  # 0: the dice are being laid out
    stances: Mapping[str, Stance] = field(default_factory=dict)
    last: Settled | None = None
    fell: Mapping[str, int] = field(default_factory=dict)  # the faces of the last round
    gear: Gear = field(default_factory=dict)
    cast: bool = False  # the dice for the players have been rolled

    def stance(self, hero: str) -> Stance:
        return self.stances.get(hero, USUAL)

    def with_stance(self, hero: str, **changed: object) -> Fight:
        stance = replace(self.stance(hero), **changed)  # type: ignore[arg-type]
        return replace(self, stances={**self.stances, hero: stance})

    @cached_property
    def rests(self) -> str:
        return next((hero for hero, stance in self.stances.items() if stance.part == "rest"), "")

    @property
    def fighting(self) -> tuple[str, ...]:
        return tuple([hero for hero, lot in self.lots.items() if lot.stance.part == "fight"])

    def wants_more(self, hero: str) -> bool:
        """Another die, which an item adds."""
        return self.has(hero, "chapter-die") and not self.stance(hero).also

    @cached_property
    def stock(self) -> Mapping[str, int]:
        """How many dice of each trait there are."""
        return {each.id: self.dice.count(each.id) for each in TRAITS}

    @cached_property
    def lots(self) -> Mapping[str, Lot]:
        """In the order of the heroes: who comes later finds fewer dice to take."""
        left, found = dict(self.stock), {}
        for hero in self.heroes:
            stance, gear = self.stance(hero), self.gear.get(hero, ())
            hit = shielded(gear, self.damage) if stance.hit is None else stance.hit
            wants = bool(gear) and self.wants_more(hero)
            if stance.part != "fight" or not stance.face:
                found[hero] = Lot(stance, hit, wants)
                continue
            side, taken = character(hero).side(stance.face), ()
            count = 2 if gear and self.has(hero, "singles") else side.count
            symbols = (side.trait, count), *[(each.trait, each.count) for each in stance.also]
            for trait, number in symbols:
                hits = min(number, left[trait])
                left[trait] -= hits
                taken += (trait,) * hits  # type: ignore[assignment]
            blocks = side.block or any(each.block for each in stance.also)
            found[hero] = Lot(stance, hit, wants, side, symbols, taken, blocks)
        return found

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """The faces that lie on the table."""
        return {hero: lot.side for hero, lot in self.lots.items() if lot.side}

    @cached_property
    def falling(self) -> tuple[str, ...]:
        """The dice that the rolls on the table take, trait by trait."""
        taken = [trait for lot in self.lots.values() for trait in lot.taken]
        return tuple(sorted(taken, key=ORDER.index))

    def settled(self) -> Settled:
        """Attack, and if a die is left, defend; the one who rests heals either way."""
        lots = {} if self.won else self.lots
        hurt = {hero: lot.hit for hero, lot in lots.items() if lot.side and not lot.blocks and lot.hit}
        return Settled(self.round, self.falling, hurt, self.rests, self.won)

    @property
    def won(self) -> bool:
        """Whether the rolls on the table take all dice."""
        return len(self.falling) == len(self.dice)

    @cached_property
    def lacks(self) -> tuple[str, ...]:
        """Whose die, or whose second one, must still be rolled before the round can be settled: nobody's once
        the enemy's dice are all taken."""
        unrolled = [hero for hero in self.fighting if not self.lots[hero].side or self.lots[hero].wants]
        return () if self.won else tuple(unrolled)

    def next_round(self, done: Settled) -> Fight:
        left, removed = without(self.dice, done.removed), (*self.removed, *done.removed)
        out = {hero: Stance("out") for hero in self.heroes if self.stance(hero).part == "out"}
        fell = {hero: self.stance(hero).face for hero in self.sides}
        now = replace(self, dice=left, removed=removed, stances=out, round=self.round + 1)
        return replace(now, last=done, fell=fell)


@dataclass(frozen=True)
class Demand:
    """What the card asks for."""

    kind: str  # once, tries, together
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0  # health, for each who tried, when an attempt does not finish it
    failed_only: bool = False  # then only for those whose die shows nothing of it


@dataclass(frozen=True)
class Counted:
    """How an attempt ended."""

    attempt: int
    got: int
    passed: tuple[str, ...] = ()  # for a single attempt: who did it
    costs: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""  # passed, failed, mixed; empty: there are tries left


@dataclass(frozen=True)
class Trial(Geared, Demand):
    attempt: int = 1
    got: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)  # the faces of this attempt
    history: tuple[int, ...] = ()
    passed: tuple[str, ...] = ()
    ended: str = ""
    gear: Gear = field(default_factory=dict)
    real: tuple[str, ...] = ()  # whose face was told, not rolled
    helped: tuple[str, ...] = ()  # who applied the trait by an item, once for each
    spared: tuple[str, ...] = ()  # whom this attempt costs nothing

    def side(self, hero: str) -> Side | None:
        return character(hero).side(self.shown[hero]) if hero in self.shown else None

    def worth(self, hero: str, double: int) -> int:
        """Successes that this die gives, and what an item adds."""
        return self.helped.count(hero) + self._counts(hero, self.side(hero), double)

    def _counts(self, hero: str, side: Side | None, double: int) -> int:
        if not side or side.trait != self.trait:
            return 0
        return double if side.block else 2 if self.has(hero, "singles") else 1

    @property
    def unrolled(self) -> tuple[str, ...]:
        done = self.helped if self.kind == "once" else ()
        return tuple(hero for hero in self.heroes if hero not in self.shown and hero not in done)

    def charged(self, hero: str) -> int:
        return 0 if hero in self.spared else shielded(self.gear.get(hero, ()), self.cost)

    def count(self, double: int) -> Counted:
        """What the dice on the table come to; a double is worth as much as the table says."""
        passed = tuple(hero for hero in self.heroes if self.worth(hero, double))
        failed = [hero for hero in self.heroes if hero not in passed]
        if self.kind == "once":
            ended = "failed" if not passed else "mixed" if failed else "passed"
            return Counted(self.attempt, len(passed), passed, self._costs(failed), ended)
        got = sum(self.worth(hero, double) for hero in self.heroes)
        done = self.got + got >= self.needed
        ended = "passed" if done else "failed" if self.attempt >= self.tries else ""
        pay = [] if done else failed if self.failed_only else list(self.heroes)
        return Counted(self.attempt, got, (), self._costs(pay), ended)

    def _costs(self, heroes: list[str]) -> Mapping[str, int]:
        return {hero: cost for hero in heroes if (cost := self.charged(hero))}

    def after(self, counted: Counted) -> Trial:
        done = replace(self, got=self.got + counted.got, history=(*self.history, counted.got))
        if counted.ended:
            return replace(done, passed=counted.passed, ended=counted.ended)
        return replace(done, attempt=self.attempt + 1, shown={}, real=(), helped=(), spared=())

    def chance(self, double: int) -> float:
        """Of passing, by all of them: the dice that lie there, those to come, and the tries that are left.

        What they carry is in it: a potion of the trait is drunk, and a roll that shows nothing repeated.
        """
        dice, again = [], []
        for hero in self.heroes:
            side, die = (
                self.side(hero),
                spread([self._counts(hero, each, double) for each in character(hero).sides]),
            )
            now = {self._counts(hero, side, double): 1.0} if side else die
            dice.append(again_for_nothing(now, die) if self.has(hero, "luck") else now)
            again.append(die)
        drunk = [who for who in self.heroes for each in self.gear.get(who, ()) if each.counts_as(self.trait)]
        if self.kind == "once":
            sure = [hero in (*self.helped, *drunk) for hero in self.heroes]
            return prod([1.0 if so else 1 - each.get(0, 0.0) for so, each in zip(sure, dice, strict=True)])
        wanted = self.needed - self.got - len(self.helped) - len(drunk)
        outcomes = sums(dice + again * (self.tries - self.attempt))
        return sum([chance for got, chance in outcomes.items() if got >= wanted])
