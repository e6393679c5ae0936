"""What a table can count of a game as it goes: for the recap's chart, the history and the exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

START = "Start"


@dataclass(frozen=True)
class Scores:
    """What each seat has, column by column: `{"Round 1": {1: 8, 2: 6}, "Round 2": {1: 11, 2: 14}}`.

    A column says how the seats stood at its end, so the last one is how they stand now. A room that
    remembers its earlier rounds gives all of them, and a correction reaches the column it belongs to. One
    that only knows the present gives just that column: the others are found by asking again after every
    entry of the journal. A column called “Start” is what everyone began with, and no step of its own.
    """

    columns: Mapping[str, Mapping[int, int]]
    word: str = "points"  # what is counted, such as VP or health
    lowest_wins: bool = False
    decide: bool = True  # False: they are worth watching, as health is, but nobody wins by them
    beside: Mapping[int, str] = field(default_factory=dict)  # what else to say of a seat: “9 Madness, lost”
    #: What the whole table has now, where that decides: it is drawn over the evening instead of the seats'.
    together: Mapping[str, int] = field(default_factory=dict)

    @property
    def now(self) -> Mapping[int, int]:
        return list(self.columns.values())[-1] if self.columns else {}
