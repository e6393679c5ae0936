"""The castle's tests: one attempt, so many successes in so many tries, or all together. Knows no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.games.escape_the_dark_castle.box import Side, character


@dataclass(frozen=True)
class Asked:
    """What the card asks for."""

    kind: str  # once, tries, together
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0  # health, for each who tried, when an attempt does not finish it


@dataclass(frozen=True)
class Counted:
    """How an attempt ended."""

    attempt: int
    got: int
    passed: tuple[str, ...] = ()  # for a single attempt: who did it
    costs: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""  # passed, failed, mixed; empty: there are tries left


@dataclass(frozen=True)
class Trial(Asked):
    attempt: int = 1
    got: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)  # the faces of this attempt
    history: tuple[int, ...] = ()
    passed: tuple[str, ...] = ()
    ended: str = ""

    def side(self, hero: str) -> Side | None:
        return character(hero).side(self.shown[hero]) if hero in self.shown else None

    def worth(self, hero: str, double: int) -> int:
        """Successes that this die gives."""
        side = self.side(hero)
        return (double if side.block else 1) if side and side.trait == self.trait else 0

    @property
    def unrolled(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.heroes if hero not in self.shown)

    def count(self, double: int) -> Counted:
        """What the dice on the table come to; a double is worth as much as the table says."""
        if self.kind == "once":
            passed = tuple(hero for hero in self.heroes if self.worth(hero, 1))
            costs = {hero: self.cost for hero in self.heroes if hero not in passed and self.cost}
            ended = "failed" if not passed else "mixed" if len(passed) < len(self.heroes) else "passed"
            return Counted(self.attempt, len(passed), passed, costs, ended)
        got = sum(self.worth(hero, double) for hero in self.heroes)
        done = self.got + got >= self.needed
        ended = "passed" if done else "failed" if self.attempt >= self.tries else ""
        costs = {} if done or not self.cost else dict.fromkeys(self.heroes, self.cost)
        return Counted(self.attempt, got, (), costs, ended)

    def after(self, counted: Counted) -> Trial:
        done = replace(self, got=self.got + counted.got, history=(*self.history, counted.got))
        if counted.ended:
            return replace(done, passed=counted.passed, ended=counted.ended)
        return replace(done, attempt=self.attempt + 1, shown={})
