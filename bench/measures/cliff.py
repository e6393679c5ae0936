"""Whether a tap costs more where there are many tables, with one phone each.

Only new tables are compared, and each is tapped twice: one with a long log has more to draw.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.load import generator
from bench.results import Raw, Row, Run, median
from bench.servers import serving

WARM_UP, FEW, MANY = 50, 300, 5000  # tables there are; those that came last are tapped


def measure(run: Run) -> Iterator[Row]:
    raws: dict[int, list[Raw]] = {WARM_UP: [], FEW: [], MANY: []}
    for _ in run.rounds(45):
        run.wait_until_quiet()
        with serving("companion") as server, generator(server) as load:
            before = 0
            for tables, kept in raws.items():
                load.order("join", tables=tables, phones=1)
                raw = load.order("tapEach", first=before, times=2, inFlight=32, most=2 * run.seconds)
                run.keep(tables=tables, **raw)
                kept.append(raw)
                before = tables
    few, many = (median(raws[tables], lambda raw: raw["cpuPerTap"]) for tables in (FEW, MANY))
    yield Row(f"CPU of a tap with {MANY:,} tables, to that with {FEW - WARM_UP}", many / few, "×", 1.25)
