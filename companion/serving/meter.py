"""What happened since the start, counted. On a tap's way it costs two looks at the clock and an addition."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

#: Seconds from the moment that a tap was read until its answer left.
BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
TAP = b"/do/"  # behind `POST /s/` and the six characters of a table
clock = time.perf_counter


class Meter:
    """Of one process; where there are several workers, each has its own."""

    def __init__(self) -> None:
        self.began = time.time()
        self.taps = [0] * (len(BOUNDS) + 1)  # by how long they took
        self.seconds = 0.0  # that all of them took together
        self.answers: Counter[int] = Counter()  # by status, without taps that went well

    def tap(self, since: float) -> None:
        """One that is on disk, and answered."""
        took = clock() - since
        self.taps[bisect_left(BOUNDS, took)] += 1
        self.seconds += took

    def answered(self, status: int, request: bytes, since: float) -> None:
        if status == 201 and request[14:18] == TAP:
            self.tap(since)
        else:
            self.answers[status] += 1


class LogCounter(logging.Handler):
    """How many lines were logged, by level."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.many: Counter[str] = Counter(warning=0, error=0)

    def emit(self, record: logging.LogRecord) -> None:
        self.many["error" if record.levelno >= logging.ERROR else "warning"] += 1


class Metric(NamedTuple):
    name: str
    kind: str
    help: str
    values: dict[str, float]  # by what stands behind the name: labels, or nothing


def counter(name: str, help: str, values: dict[str, float] | float) -> Metric:
    return Metric(name, "counter", help, values if isinstance(values, dict) else {"": values})


def gauge(name: str, help: str, values: dict[str, float] | float) -> Metric:
    return Metric(name, "gauge", help, values if isinstance(values, dict) else {"": values})


def histogram(name: str, help: str, counts: list[int], total: float) -> Metric:
    """Each bucket holds what is in those before it as well."""
    values: dict[str, float] = {}
    so_far = 0
    for bound, many in zip((*BOUNDS, "+Inf"), counts, strict=True):
        so_far += many
        values[f'_bucket{{le="{bound}"}}'] = so_far
    return Metric(name, "histogram", help, values | {"_sum": total, "_count": so_far})


def spelled(metrics: list[Metric]) -> str:
    """As Prometheus reads it."""
    lines = []
    for each in metrics:
        lines += [f"# HELP {each.name} {each.help}", f"# TYPE {each.name} {each.kind}"]
        lines += [f"{each.name}{behind} {value:.10g}" for behind, value in each.values.items()]
    return "\n".join([*lines, ""])
