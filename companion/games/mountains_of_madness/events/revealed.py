"""What lies on the sled, what it brings, what it costs, and the penalty die."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from companion import core
from companion.core import Event
from companion.core.text import listed, signed
from companion.games.mountains_of_madness.challenges import KINDS, Challenge
from companion.games.mountains_of_madness.state import FACES, RELIC_KINDS, SPACES, State


@dataclass(frozen=True)
class ChallengesRead(Event):
    turn: int
    first: Challenge
    second: Challenge

    def told(self, state: core.State) -> str:
        return "Challenges: " + " and ".join(
            f"{each.name} {each.value}" for each in (self.first, self.second)
        )


@dataclass(frozen=True)
class CardShown(Event):
    turn: int
    kind: str
    value: int

    def told(self, state: core.State) -> str:
        return f"{KINDS[self.kind]} {self.value}, now {cast('State', state).now.totals[self.kind]}"


@dataclass(frozen=True)
class CardHidden(Event):
    turn: int
    kind: str
    value: int

    def told(self, state: core.State) -> str:
        return f"{KINDS[self.kind]} {self.value} was not on the sled"


@dataclass(frozen=True)
class TotalCounted(Event):
    turn: int
    kind: str
    by: int

    def told(self, state: core.State) -> str:
        total = cast("State", state).now.totals[self.kind]
        return f"{KINDS[self.kind]} {signed(self.by)} = {total}"


@dataclass(frozen=True)
class SledCounted(Event):
    turn: int
    what: Literal["cards", "injuries"]
    by: int

    def told(self, state: core.State) -> str:
        now = cast("State", state).now
        count = now.on_sled if self.what == "cards" else now.shown_injuries
        return f"{'cards' if self.what == 'cards' else 'Injuries'} on the sled: {count}"


@dataclass(frozen=True)
class JudgedByHand(Event):
    turn: int
    which: int
    met: bool

    def told(self, state: core.State) -> str:
        return f"Challenge {self.which + 1} was {'met' if self.met else 'missed'}"


@dataclass(frozen=True)
class ChallengesJudged(Event):
    turn: int
    met: tuple[bool, bool]
    gaps: tuple[int | None, int | None]
    injuries: int = 0  # played, and discarded at once: so it was told until they stayed on the sled
    on_sled: int = 0  # Injuries among the cards played; they lie there until the phase ends

    def told(self, state: core.State) -> str:
        words = []
        for which, (met, gap) in enumerate(zip(self.met, self.gaps, strict=True)):
            challenge = cast("State", state).now.challenges[which]
            name = challenge.name if challenge else f"Challenge {which + 1}"
            words.append(f"{name} {'met' if met else f'missed by {gap}' if gap else 'missed'}")
        return listed(words)


@dataclass(frozen=True)
class GapTold(Event):
    turn: int
    which: int
    gap: int

    def told(self, state: core.State) -> str:
        return f"Challenge {self.which + 1} was missed by {self.gap}"


@dataclass(frozen=True)
class MissPaid(Event):
    """The price of a missed Challenge is chosen."""

    turn: int
    which: int
    price: Literal["madness", "die"]

    def told(self, state: core.State) -> str:
        return (
            f"for Challenge {self.which + 1}: {'Madness' if self.price == 'madness' else 'the penalty die'}"
        )


@dataclass(frozen=True)
class RelicPlanned(Event):
    turn: int
    what: Literal["kind", "seat", "space"]
    choice: str

    def told(self, state: core.State) -> str:
        if self.what == "seat":
            return f"the Relic would go to {cast('State', state).name(int(self.choice))}"
        if self.what == "kind":
            return f"the Relic is a {RELIC_KINDS[self.choice]}"
        return f"its token would cover “{SPACES[self.choice]}”" if self.choice in SPACES else "no token"


@dataclass(frozen=True)
class RewardTaken(Event):
    turn: int
    reward: str

    def told(self, state: core.State) -> str:
        return {
            "relic": "reward: a Relic",
            "search": "reward: Search, 30 seconds",
            "arcane": "reward: Arcane Equipment to the Equipment discard",
            "heal": "reward: Heal",
            "praise": "reward: Praise",
            "none": "no reward",
        }[self.reward]


@dataclass(frozen=True)
class PenaltyOwed(Event):
    turn: int
    penalty: int
    source: int

    def told(self, state: core.State) -> str:
        return "somebody spoke" if self.source < 0 else ""


@dataclass(frozen=True)
class PenaltyRolled(Event):
    turn: int
    penalty: int
    face: str
    where: str = ""  # the real die at the table, or one here; not known of old rolls, which the dice tell

    def told(self, state: core.State) -> str:
        return f"rolled the penalty die {self.where}: {FACES[self.face]}" if self.where else ""


@dataclass(frozen=True)
class PenaltyPaid(Event):
    turn: int
    penalty: int
    face: str
    later: bool = False

    def told(self, state: core.State) -> str:
        return f"{FACES[self.face]}{', measured after the reveal' if self.later else ''}"
