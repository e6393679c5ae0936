"""The castle's tests: one attempt, so many successes in so many tries, or all together. Knows no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from companion.games.escape_the_dark_castle.box import Side, character

Kind = Literal["once", "tries", "together"]
Ended = Literal["", "passed", "failed", "mixed"]


@dataclass(frozen=True)
class Shown:
    """A die in an attempt."""

    face: int
    real: bool = False
    before: tuple[int, ...] = ()


@dataclass(frozen=True)
class Counted:
    """How an attempt ended."""

    attempt: int
    got: int
    passed: tuple[str, ...]  # for a single attempt: who did it
    costs: Mapping[str, int]
    ended: Ended


@dataclass(frozen=True)
class Trial:
    kind: Kind
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0  # health, for each who tried, when an attempt does not finish it
    attempt: int = 1
    got: int = 0
    shown: Mapping[str, Shown] = field(default_factory=dict)
    history: tuple[int, ...] = ()
    passed: tuple[str, ...] = ()
    ended: Ended = ""

    def side(self, hero: str) -> Side | None:
        shown = self.shown.get(hero)
        return character(hero).side(shown.face) if shown else None

    def worth(self, hero: str, double: int) -> int:
        """Successes that this die gives."""
        side = self.side(hero)
        if side is None or side.trait != self.trait:
            return 0
        return double if side.block else 1

    @property
    def unrolled(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.heroes if hero not in self.shown)

    def count(self, double: int) -> Counted:
        """What the dice on the table come to; a double is worth as much as the table says."""
        if self.kind == "once":
            passed = tuple(hero for hero in self.heroes if self.worth(hero, 1))
            costs = {hero: self.cost for hero in self.heroes if hero not in passed and self.cost}
            all_or_none: Ended = (
                "passed" if len(passed) == len(self.heroes) else "mixed" if passed else "failed"
            )
            return Counted(self.attempt, len(passed), passed, costs, all_or_none)
        got = sum(self.worth(hero, double) for hero in self.heroes)
        done = self.got + got >= self.needed
        ended: Ended = "passed" if done else "failed" if self.attempt >= self.tries else ""
        costs = {} if done or not self.cost else dict.fromkeys(self.heroes, self.cost)
        return Counted(self.attempt, got, (), costs, ended)

    def after(self, counted: Counted) -> Trial:
        return replace(
            self,
            got=self.got + counted.got,
            history=(*self.history, counted.got),
            passed=counted.passed,
            ended=counted.ended,
            attempt=self.attempt + (not counted.ended),
            shown=self.shown if counted.ended else {},
        )
