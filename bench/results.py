"""What was measured: every raw figure as a line of JSON, and one table of what it comes to."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import machine

Raw = dict[str, Any]
NOISY = 0.3  # of a core
LATE = 10  # ms
BUSY = "{}: others kept this machine busy, so this is in doubt. Run it again."
PEERS = {"boardgameio": "boardgame.io", "colyseus": "Colyseus"}


@dataclass(frozen=True)
class Row:
    what: str
    ours: float
    unit: str
    goal: float | None = None
    least: bool = False  # the goal is the least that will do, not the most
    peers: Mapping[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        if self.goal is None:
            return None
        return self.ours >= self.goal if self.least else self.ours <= self.goal


class Run:
    """How long and how often to measure, and where the raw figures go."""

    def __init__(self, file: Path, seconds: float, repeats: int) -> None:
        self.file, self.seconds, self.repeats = file, seconds, repeats
        self.began = time.strftime("%Y-%m-%dT%H:%M:%S")
        self.measure = ""  # that is being taken
        self.notes: list[str] = []
        self.failed = False

    def rounds(self, seconds: float) -> Iterator[int]:
        """As often as was asked, or as so many seconds allow: nobody waits all day for a slow one."""
        began, longest = _working(), 0.0
        for number in range(self.repeats):
            round_began = _working()
            if number and round_began - began + longest > seconds:
                self.note(f"{self.measure}: {number} round(s) instead of {self.repeats}, for lack of time.")
                return
            yield number
            longest = max(longest, _working() - round_began)

    def wait_until_quiet(self) -> None:
        if machine.wait_until_quiet() > NOISY:
            self.note(BUSY.format(self.measure))

    def keep(self, **figures: Any) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"run": self.began, "measure": self.measure, **figures}) + "\n")
        if figures.get("otherCpu", 0) > NOISY:
            self.note(BUSY.format(self.measure))
        if figures.get("errors"):
            self.note(f"{self.measure}: {figures['errors']} taps were refused: {figures['why'][0]}")
        if figures.get("late", {}).get("p99") and figures["late"]["p99"] > LATE:
            self.note(
                f"{self.measure}: the generator itself was late at times, so the slowest taps are in doubt."
            )

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def fail(self, sentence: str) -> None:
        self.failed = True
        self.note(sentence)


def _working() -> float:
    """A clock that stands while we wait for others."""
    return time.monotonic() - machine.waited


def median(raws: Iterable[Raw], figure: Callable[[Raw], float]) -> float:
    return statistics.median(figure(raw) for raw in raws)


def number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cells(row: Row) -> tuple[str, ...]:
    peers = []
    for kind in PEERS:
        known = row.peers.get(kind)
        peers.append(f"{number(known)} ({row.ours / known:.2f}×)" if known else "")
    goal = "" if row.goal is None else f"{'≥' if row.least else '≤'} {number(row.goal)}"
    holds = {None: "", True: "yes", False: "NO"}[row.holds]
    return (row.what, f"{number(row.ours)} {row.unit}", *peers, goal, holds)


HEAD = ("", "companion", *(f"{name} (ratio)" for name in PEERS.values()), "goal", "holds")


def as_table(rows: Iterable[Row]) -> str:
    lines = [HEAD, *map(cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]

    def drawn(line: tuple[str, ...]) -> str:
        first, *others = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        return "  ".join([first, *others]).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([drawn(lines[0]), rule, *map(drawn, lines[1:])])
