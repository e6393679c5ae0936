"""A test of the castle: one attempt, so many successes in so many tries, or all together. Knows no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from companion.core.fixed import replace
from companion.games.escape_the_dark_castle.box import Side, character
from companion.games.escape_the_dark_castle.combat import Gear, Geared
from companion.tools.pools import sums


@dataclass(frozen=True)
class Asked:
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
class Trial(Geared, Asked):
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
        return 0 if hero in self.spared else self.less(hero, self.cost)

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
        dice = [self._coming(hero, double) for hero in self.heroes]
        drunk = [who for who in self.heroes for each in self.gear.get(who, ()) if each.counts_as(self.trait)]
        if self.kind == "once":
            sure = [hero in (*self.helped, *drunk) for hero in self.heroes]
            return prod([1.0 if so else 1 - each.get(0, 0.0) for so, each in zip(sure, dice, strict=True)])
        for _ in range(self.tries - self.attempt):
            dice += [self._die(hero, double) for hero in self.heroes]
        wanted = self.needed - self.got - len(self.helped) - len(drunk)
        return sum([chance for got, chance in sums(dice).items() if got >= wanted])

    def _coming(self, hero: str, double: int) -> Mapping[int, float]:
        """What this attempt's die may come to."""
        side, die = self.side(hero), self._die(hero, double)
        now = {self._counts(hero, side, double): 1.0} if side else die
        again = now.get(0, 0.0) if self.has(hero, "luck") else 0.0
        return {n: now.get(n, 0.0) * (n > 0 or not again) + again * die.get(n, 0.0) for n in {*now, *die}}

    def _die(self, hero: str, double: int) -> Mapping[int, float]:
        sides = character(hero).sides
        worths = [self._counts(hero, side, double) for side in sides]
        return {worth: worths.count(worth) / len(sides) for worth in {*worths}}
