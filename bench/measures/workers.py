"""Two workers against one, on PostgreSQL and Redis.

A small machine has no core to spare for a second worker beside databases and generator. So each worker gets
the same fixed share of a core, small enough that it is what everyone waits for.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from services import PostgresServer, RedisServer, find, fresh_database

from bench import machine
from bench.load import generator
from bench.results import Raw, Row, Run, median
from bench.servers import COMPANION, COMPANION_ENV, serving
from bench.shares import limited

SHARE = 0.25  # of a core, for each worker
TABLES, PHONES = 100, 4


def measure(run: Run) -> Iterator[Row]:
    if not _can_have_workers():
        run.note("Not measured, two workers against one: this server has no --workers.")
        return
    raws: dict[int, list[Raw]] = {1: [], 2: []}
    with _databases() as urls:
        if urls is None:
            run.note("Not measured, two workers against one: PostgreSQL or Redis is not installed.")
            return
        postgres, redis = urls
        for _ in run.rounds(60):
            for workers, kept in raws.items():
                kept.append(_once(run, workers, postgres, redis))
    one, two = (median(raws[workers], lambda raw: raw["perSecond"]) for workers in raws)
    yield Row("Taps of two workers to those of one, PostgreSQL and Redis", two / one, "×", 1.6, least=True)


def _can_have_workers() -> bool:
    words = [*COMPANION[: COMPANION.index("serve") + 1], "--help"]
    env = {**os.environ, **COMPANION_ENV}
    return "--workers" in subprocess.run(words, env=env, capture_output=True, text=True).stdout


@contextmanager
def _databases() -> Iterator[tuple[str, str] | None]:
    initdb, redis_server = find("initdb", beside="usr/lib/postgresql/*/bin"), find("redis-server")
    if not initdb or not redis_server:
        yield None
        return
    with ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2)]
        postgres = PostgresServer(initdb.resolve().with_name("postgres"), folders[0])
        postgres.make_cluster(initdb)
        redis = RedisServer(redis_server, folders[1])
        for server in (postgres, redis):
            stack.callback(server.stop)
            server.start()
            assert server.process
            os.sched_setaffinity(server.process.pid, machine.CORES)  # not only where we are
        yield postgres.url, redis.url


def _once(run: Run, workers: int, postgres: str, redis: str) -> Raw:
    run.wait_until_quiet()
    with (
        fresh_database(postgres) as database,
        serving(
            "companion",
            more=("--workers", str(workers)),
            COMPANION_DATABASE_URL=database,
            COMPANION_REDIS_URL=redis,
        ) as server,
        generator(server) as load,
    ):
        before = machine.cpu_seconds_each(server.pid)
        load.order("join", tables=TABLES, phones=PHONES)
        pids = _workers(server.pid, workers, before)
        with limited(pids, SHARE) as means:
            raw = load.order("tap", inFlight=32, warmUp=2, seconds=run.seconds)
    run.keep(workers=workers, processes=len(pids), means=means, **raw)
    run.note(
        f"Workers: each had {SHARE:.0%} of a core ({means}), so that they were what everyone waited for."
    )
    if len(pids) < workers or raw["serverCpu"] < 0.8 * SHARE * workers:
        run.note(
            f"But {workers} worker(s) used only {raw['serverCpu']:.0%} of a core: the figure is in doubt."
        )
    return raw


def _workers(pid: int, number: int, before: dict[int, float]) -> list[int]:
    """Those that did the work: others of the family look after them, or are there for the odd large thing."""
    used = machine.cpu_seconds_each(pid)
    return sorted(used, key=lambda each: before.get(each, 0) - used[each])[:number]
