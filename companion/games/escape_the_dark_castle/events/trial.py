"""The castle's tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion import core
from companion.core import Event
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import character, trait
from companion.games.escape_the_dark_castle.events.words import deaths, rolled, room


@dataclass(frozen=True)
class TestBegun(Event):
    __test__ = False  # for pytest

    kind: str
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0

    def told(self, state: core.State) -> str:
        names = listed([f"the {character(hero).name}" for hero in self.heroes])
        what = trait(self.trait).name
        if self.kind == "once":
            return f"a test of {what} for {names}, one attempt"
        how = "together" if self.kind == "together" else "alone"
        return f"a test for {names}, {how}: {self.needed} {what} in {self.tries} tries"


@dataclass(frozen=True)
class TestRolled(Event):
    __test__ = False

    seat: int
    hero: str
    attempt: int
    face: int
    real: bool = False
    again: bool = False

    def told(self, state: core.State) -> str:
        return rolled(self.hero, self.face, self.real, self.again)


@dataclass(frozen=True)
class AttemptCounted(Event):
    attempt: int
    got: int
    passed: tuple[str, ...] = ()
    costs: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""

    def told(self, state: core.State) -> str:
        here = room(state)
        if self.ended == "mixed":
            outcome = f"passed by {listed([character(hero).name for hero in self.passed])} only"
        elif self.ended:
            outcome = f"the test is {self.ended}"
        else:
            got = here.trial.got if here.trial else self.got
            outcome = f"{got} of {here.trial.needed if here.trial else 0} so far"
        costs = "".join(f", {character(hero).name} −{cost}" for hero, cost in self.costs.items())
        return f"attempt {self.attempt}: {self.got}, {outcome}{costs}{deaths(here, *self.costs)}"


@dataclass(frozen=True)
class TestClosed(Event):
    __test__ = False

    def told(self, state: core.State) -> str:
        return "the test is put away"
