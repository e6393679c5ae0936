"""A thousand tables of four phones: how long they take to sit down, and a tap to be seen by all four."""

from __future__ import annotations

from collections.abc import Iterator

from bench.load import generator
from bench.results import Raw, Row, Run, median
from bench.servers import serving

TABLES, PHONES = 1000, 4
RATE = 333  # taps a second: each table one in three seconds
KINDS = ("companion", "boardgameio", "colyseus")


def measure(run: Run) -> Iterator[Row]:
    raws: dict[str, list[Raw]] = {kind: [] for kind in KINDS}
    for _ in run.rounds(150):
        for kind in KINDS:
            raws[kind].append(_once(run, kind))
    yield _joining(raws)
    yield from _seen(raws)
    yield _memory(raws["companion"])


def _once(run: Run, kind: str) -> Raw:
    run.wait_until_quiet()
    with serving(kind) as server, generator(server) as load:
        joined = load.order("join", tables=TABLES, phones=PHONES)
        raw = load.order("tap", rate=RATE, warmUp=2, seconds=run.seconds)
        raw["joinSeconds"] = joined["seconds"]
        if kind == "companion":
            before = load.order("weigh")["kb"]
            more = load.order("listenMore", page="table", phones=PHONES)
            raw["kbPerStream"] = (load.order("weigh")["kb"] - before) / more["streams"]
    run.keep(server=kind, **raw)
    return raw


def _joining(raws: dict[str, list[Raw]]) -> Row:
    took = {kind: median(raws[kind], lambda raw: raw["joinSeconds"]) for kind in KINDS}
    ours = took.pop("companion")
    return Row("4,000 phones sit down", ours, "s", 1.5 * took["boardgameio"], peers=took)


def _seen(raws: dict[str, list[Raw]]) -> Iterator[Row]:
    p50, p99 = (
        {kind: median(raws[kind], lambda raw, part=part: raw["seenByAll"][part]) for kind in KINDS}
        for part in ("p50", "p99")
    )
    ours, slow = p50.pop("companion"), p99.pop("companion")
    yield Row(f"Tap seen by all four, 1,000 tables, {RATE}/s: median", ours, "ms", 2, peers=p50)
    yield Row("the same, 99th of 100", slow, "ms", min(15, *p99.values()), peers=p99)
    gone = [raw["lost"] + raw["errors"] + raw["drops"] for raw in raws["companion"]]
    yield Row("Taps lost or refused, streams dropped", sum(gone), "", 0)


def _memory(raws: list[Raw]) -> Row:
    return Row("Memory of a further stream", median(raws, lambda raw: raw["kbPerStream"]), "kB", 2)
