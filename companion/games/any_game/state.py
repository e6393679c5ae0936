"""What the room remembers: which counters there are, and what each seat got in each round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion import core
from companion.core import Refused


@dataclass(frozen=True)
class Kind:
    """A counter that every seat has. The first one decides the game."""

    id: str
    name: str
    start: int = 0


@dataclass(frozen=True)
class Tally:
    """What one seat got. A tap makes that of one seat anew and leaves the others as they are."""

    points: Mapping[tuple[int, str], int] = field(default_factory=dict)  # by round and counter
    totals: Mapping[str, int] = field(default_factory=dict)  # by counter, without what it started at

    def got(self, round: int, kind: str) -> int:
        return self.points.get((round, kind), 0)

    def by_round(self, kind: str, rounds: int) -> list[int]:
        got = self.points.get
        return [got((round, kind), 0) for round in range(1, rounds + 1)]

    def total(self, kind: Kind) -> int:
        return kind.start + self.totals.get(kind.id, 0)

    def plus(self, round: int, kind: str, by: int) -> Tally:
        return Tally(
            {**self.points, (round, kind): self.got(round, kind) + by},
            {**self.totals, kind: self.totals.get(kind, 0) + by},
        )


@dataclass(frozen=True)
class Arrangement:
    """What the people at this table have agreed about their game."""

    title: str = ""  # what they call it
    target: int = 0  # whoever reaches it brings the end; 0: nobody does
    by_rank: bool = False  # seats stand by what they had when the round began
    rotates: bool = False  # every round the next one starts


@dataclass(frozen=True)
class State(core.State):
    agreed: Arrangement = Arrangement()
    kinds: tuple[Kind, ...] = (Kind("1", "Points"),)
    points: Mapping[int, Tally] = field(default_factory=dict)  # by seat, once anybody has got something
    round: int = 1
    over: bool = False
    last_kind: int = 1
    askings: int = 0  # how often everyone was asked for a number
    numbers: Mapping[int, int] | None = None  # by seat; nothing in there while they are being chosen

    def kind(self, id: str) -> Kind:
        for kind in self.kinds:
            if kind.id == id:
                return kind
        raise Refused("That counter is not at this table any more.")

    def tally(self, seat: int) -> Tally:
        return self.points.get(seat) or Tally()

    def got(self, round: int, seat: int, kind: str) -> int:
        return self.tally(seat).got(round, kind)

    def total(self, seat: int, kind: Kind) -> int:
        return self.tally(seat).total(kind)

    @property
    def reached(self) -> tuple[str, ...]:
        """Who has come to the target by the counter that decides."""
        kind, target = self.kinds[0], self.agreed.target
        if not target:
            return ()
        return tuple(seat.name for seat in self.table.seats if self.total(seat.id, kind) >= target)
