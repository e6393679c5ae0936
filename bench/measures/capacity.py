"""The most taps a second that one process takes, and what a tap costs it."""

from __future__ import annotations

from collections.abc import Iterator

from bench.load import generator
from bench.results import Raw, Row, Run, median
from bench.servers import serving

KINDS = ("companion", "boardgameio", "colyseus")


def measure(run: Run) -> Iterator[Row]:
    raws: dict[str, list[Raw]] = {kind: [] for kind in KINDS}
    for _ in run.rounds(90):  # in turns, so that a noisy minute hits all of them alike
        for kind in KINDS:
            raws[kind].append(_once(run, kind))
    most = {kind: median(raws[kind], lambda raw: raw["perSecond"]) for kind in KINDS}
    cpu = {kind: median(raws[kind], lambda raw: raw["cpuPerTap"]) for kind in KINDS}
    ours, our_cpu = most.pop("companion"), cpu.pop("companion")
    yield Row("Most taps, 250 tables × 4 phones, 32 in flight", ours, "/s", most["boardgameio"], True, most)
    yield Row("CPU of a tap at that pace", our_cpu, "ms", peers=cpu)


def _once(run: Run, kind: str) -> Raw:
    run.wait_until_quiet()
    with serving(kind) as server, generator(server) as load:
        load.order("join", tables=250, phones=4)
        raw = load.order("tap", inFlight=32, seconds=run.seconds)
    run.keep(server=kind, **raw)
    if raw["generatorCpu"] > 0.95:
        run.note(f"The generator was as busy as {kind} at full pace, so that one might do more.")
    return raw
