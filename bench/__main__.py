"""`make bench`: the companion beside its peers, all in one run, and whether each goal holds."""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator

from bench import machine, servers
from bench.results import Row, Run, as_table

MEASURES = ("capacity", "tables", "cliff", "rooms", "stalls", "workers", "start")
ALSO_CALLED = {"join": "tables", "memory": "tables", "bytes": "rooms", "page": "rooms"}


def main() -> int:
    asked = [name for name in os.environ.get("ONLY", "").split(",") if name]
    wanted = {ALSO_CALLED.get(name, name) for name in asked} or set(MEASURES)
    if unknown := ", ".join(sorted(wanted - set(MEASURES))):
        print(f"There is no measure called {unknown}: {', '.join(MEASURES)}.", file=sys.stderr)
        return 2
    _get_ready()
    seconds = float(os.environ.get("BENCH_SECONDS") or 6)
    run = Run(servers.OUT / "results.jsonl", seconds, int(os.environ.get("BENCH_REPEAT") or 3))
    lines = machine.described(servers.OUT)
    rows = list(_measured(run, [name for name in MEASURES if name in wanted]))
    print("\n".join([*lines, "", as_table(rows), "", *run.notes]))
    return 1 if run.failed else 0


def _get_ready() -> None:
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit("Stopped.")
    )  # else what we began would go on without us
    os.sched_setaffinity(0, {machine.GENERATOR_CORE})
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # every stream is an open file
    servers.OUT.mkdir(exist_ok=True)
    servers.install_peers()


def _measured(run: Run, names: list[str]) -> Iterator[Row]:
    for name in names:
        run.measure, began = name, time.monotonic()
        print(f"{name} …", end=" ", flush=True, file=sys.stderr)
        try:
            yield from importlib.import_module(f"bench.measures.{name}").measure(run)
        except Exception as why:  # what else was measured is worth having all the same
            traceback.print_exc()
            run.fail(f"{name} could not be measured: {why}")
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
