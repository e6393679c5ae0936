"""Who won, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["win", "loss", "shared", "no_winner", "continues"]


@dataclass(frozen=True)
class Step:
    """One line of the working, and the ruling it rests on."""

    text: str
    because: str = ""


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    summary: str
    winners: tuple[int, ...] = ()  # seat ids
    steps: tuple[Step, ...] = ()
    leaders: tuple[int, ...] = ()  # while the game goes on: who would win if it ended now

    @property
    def final(self) -> bool:
        return self.outcome != "continues"


def ahead(totals: Mapping[int, int], lowest: bool = False) -> tuple[int, ...]:
    """Who has the most, or the least where that wins; all of them if it is level."""
    best = (min if lowest else max)(totals.values(), default=0)
    return tuple(seat for seat, total in totals.items() if total == best)
