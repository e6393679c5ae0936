"""From the command to the first page."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench.results import Row, Run
from bench.servers import new_folder, serving


def measure(run: Run) -> Iterator[Row]:
    first, later = [], []
    for _ in run.rounds(20):
        run.wait_until_quiet()
        folder = new_folder()
        for seconds in (first, later):
            with serving("companion", folder, settled=False) as server:
                seconds.append(server.first_answer)
    run.keep(first=first, later=later)
    yield Row("From the start to the first page", statistics.median(later), "s", 1)
    yield Row("the same with a new database", statistics.median(first), "s", 1)
