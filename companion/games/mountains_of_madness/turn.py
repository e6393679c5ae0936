"""How far this turn has come: all that is forgotten when the sled is passed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from companion.core import Refused
from companion.games.mountains_of_madness.challenges import Challenge

SPOKEN, LATER = -1, -2  # why the die is owed, where it is not for a Challenge


@dataclass(frozen=True)
class Penalty:
    """A roll of the penalty die that is owed."""

    number: int
    source: int  # the Challenge that was missed; SPOKEN, or LATER for a Confusion that waits to be measured
    face: str = ""
    rolls: int = 0


@dataclass(frozen=True)
class Find:
    """A Relic that is about to be taken."""

    kind: str = ""
    seat: int = 0
    space: str = ""


@dataclass(frozen=True)
class Turn:
    moved: bool = False
    tile: bool = True
    ignoring: tuple[int, ...] = ()
    flips: int = 0
    silent: bool = False
    sand: Literal["", "due", "runs"] = ""  # whether the clock on the phones is the box's sand timer
    on_sled: int = 0  # cards, as far as they were tapped
    penalties: tuple[Penalty, ...] = ()
    rolled: int = 0  # penalties there were
    later: int = 0  # Confusions that wait for the reveal
    challenges: tuple[Challenge | None, Challenge | None] = (None, None)
    by_hand: tuple[bool | None, bool | None] = (None, None)
    totals: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[tuple[str, int], ...] = ()  # card by card
    shown_injuries: int = 0
    injured: int = 0  # Injuries that lie on the sled since the Challenges were judged; they count as in hands
    met: tuple[bool, bool] | None = None
    gaps: tuple[int | None, int | None] = (None, None)
    settled: tuple[int, ...] = ()  # missed Challenges whose price is paid, or being rolled for
    reward: str = ""
    find: Find = field(default_factory=Find)
    searching: bool = False

    @property
    def played(self) -> int:
        return max(self.on_sled, len(self.shown) + self.shown_injuries)

    def name(self, which: int) -> str:
        challenge = self.challenges[which]
        return challenge.name if challenge else f"Challenge {which + 1}"

    def total(self, challenge: Challenge | None) -> int:
        return self.totals.get(challenge.kind, 0) if challenge else 0

    def result(self, which: int) -> bool | None:
        """Met or missed, as far as it is known: what the table said, else what was counted."""
        said, challenge = self.by_hand[which], self.challenges[which]
        return said if said is not None or challenge is None else challenge.met(self.total(challenge))

    def gap(self, which: int) -> int | None:
        """By how much it was missed, where that was counted."""
        challenge = self.challenges[which]
        if self.result(which):
            return 0
        return (challenge.gap(self.total(challenge)) or None) if challenge else None

    @property
    def missed(self) -> tuple[int, ...]:
        return tuple(which for which, met in enumerate(self.met or ()) if not met)

    @property
    def unpaid(self) -> tuple[int, ...]:
        return tuple(which for which in self.missed if which not in self.settled)

    @property
    def rewarding(self) -> bool:
        """Whether a reward is still to be taken. A space without a tile has none."""
        return self.met is not None and any(self.met) and self.tile and not self.reward

    @property
    def unfinished(self) -> str:
        """What the Resolution phase still waits for; empty if it can end."""
        if self.met is None:
            return "First judge both Challenges."
        if self.penalties:
            return "First the penalty die."
        if self.unpaid:
            return f"Challenge {self.unpaid[0] + 1} was missed; choose what it costs."
        return "A Challenge was met; take the reward." if self.rewarding else ""

    def owed(self, number: int) -> Penalty:
        for each in self.penalties:
            if each.number == number:
                return each
        raise Refused("That penalty is paid already.")
