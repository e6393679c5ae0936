"""The server is killed under eight tapping phones. What was acknowledged is there, and there once.

A checker that cannot fail proves nothing, so it is also let loose on copies of the app that are broken on
purpose: one forgets its tap ids, others say yes before they have written, or before all of them have.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest
from at_the_table import OUTSIDE, Serve, Served
from broken import Copy
from proven import FULL, Proven, how_many, listed
from services import RedisServer
from tapping import PEOPLE, a_table_each, acknowledged, faults, kill, one_table, under_tapping
from test_serving import eventually
from test_workers import workers_of

from companion.core import Journal
from companion.games import Shelf, take
from companion.storage.store import Store

KILLS = how_many("KILLS", 4, 50)
POSTGRES_KILLS = how_many("POSTGRES_KILLS", 3, 15)
pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]  # a server starts anew for every kill


def totals(url: str, code: str, games: Shelf) -> list[int]:
    store = Store(url)
    row = store.sitting(code)
    assert row
    assert row.id
    game = take(games, row.slug)
    state = Journal(game, store.entries(game, row.id)).state
    store.close()
    return [state.got(1, seat, "1") for seat in range(1, len(PEOPLE) + 1)]


def test_kills_under_eight_tapping_phones_lose_nothing_and_double_nothing(
    served: Serve, games: Shelf, proven: Proven
) -> None:
    server = served(**OUTSIDE)
    tappers = under_tapping(server, KILLS, seconds=0.4)
    found = faults(server.database, tappers)
    proven(f"{KILLS} kills, SQLite, eight phones at one table, {acknowledged(tappers):,} taps", listed(found))
    assert found == {}
    assert all(len(tapper.sent) > 2 * KILLS for tapper in tappers)
    assert totals(server.database, tappers[0].code, games) == [len(tapper.sent) for tapper in tappers]


def test_kills_under_eight_tables_that_share_their_trips_to_the_disk_lose_nothing(
    served: Serve, proven: Proven
) -> None:
    server, kills = served(**OUTSIDE), KILLS // 2
    tappers = under_tapping(server, kills, seconds=0.4, sit=a_table_each)
    found = faults(server.database, tappers)
    proven(f"{kills} kills, SQLite, eight tables, {acknowledged(tappers):,} taps", listed(found))
    assert found == {}
    assert all(len(tapper.sent) > 2 * kills for tapper in tappers)


# --- several workers ---


class Outage:
    """In turn a worker is killed, or whoever started them; meanwhile, for a third of it, Redis is gone."""

    def __init__(self, redis: RedisServer, times: int) -> None:
        self.redis, self.gone = redis, range(times // 3, 2 * times // 3)

    def __call__(self, server: Served, number: int) -> None:
        if number in self.gone and self.redis.process:
            self.redis.kill()
        elif number not in self.gone:
            self.redis.start()
        if number % 2:
            kill(server, number)
        else:
            one_worker(server)


def one_worker(server: Served) -> None:
    eventually(lambda: len(workers_of(server)) == 2, 120)  # one of them answers before the other is there
    gone = min(workers_of(server))
    os.kill(gone, signal.SIGKILL)
    eventually(lambda: len(workers_of(server) - {gone}) == 2, 120)


@pytest.fixture
def workers(served: Serve, postgres_database: str, redis_server: RedisServer) -> Iterator[Serve]:
    def serve(**env: str) -> Served:
        told = {"COMPANION_DATABASE_URL": postgres_database, "COMPANION_REDIS_URL": redis_server.url}
        return served(None, "--workers", "2", **told, **env)

    yield serve
    redis_server.start()  # it is everybody's


@pytest.mark.skipif(not FULL, reason="make proof does it, with the machine to itself")
@pytest.mark.postgres
@pytest.mark.redis
def test_kills_of_workers_and_of_redis_under_eight_tapping_phones_lose_nothing(
    workers: Serve, redis_server: RedisServer, games: Shelf, proven: Proven
) -> None:
    server = workers(**OUTSIDE)
    tappers = under_tapping(server, POSTGRES_KILLS, seconds=0.6, harm=Outage(redis_server, POSTGRES_KILLS))
    found = faults(server.database, tappers)
    what = f"{POSTGRES_KILLS} kills, PostgreSQL, two workers, Redis killed midway"
    proven(f"{what}, {acknowledged(tappers):,} taps", listed(found))
    assert found == {}
    assert all(len(tapper.sent) > 2 * POSTGRES_KILLS for tapper in tappers)
    assert totals(server.database, tappers[0].code, games) == [len(tapper.sent) for tapper in tappers]


# --- the checker is checked ---


def test_an_unbroken_copy_has_no_faults(served: Serve, copy: Copy) -> None:
    server = served(**copy.env)
    assert faults(server.database, under_tapping(server, 1, seconds=0.3)) == {}


BROKEN = {  # what is noticed, after how many kills but for the last
    Copy.forget_tap_ids: (
        "doubled",
        2 * FULL,
        one_table,
    ),  # phones that heard no answer tap again by themselves
    Copy.answer_before_commit: ("lost", 1 + FULL, one_table),
    Copy.answer_before_the_shared_trip: ("lost", 2 + FULL, a_table_each),
}


@pytest.mark.parametrize("harm", BROKEN, ids=lambda harm: harm.__name__)
def test_the_checker_notices_a_server_that_is_broken_on_purpose(
    served: Serve, copy: Copy, proven: Proven, harm: Callable[[Copy], None]
) -> None:
    expected, kills, sit = BROKEN[harm]
    harm(copy)
    server = served(**copy.env)
    found = faults(server.database, under_tapping(server, kills, seconds=0.4, sit=sit))
    proven(f"{kills} kills of a copy broken on purpose: {harm.__name__}", listed(found))
    assert expected in found


@pytest.mark.postgres
@pytest.mark.redis
def test_the_checker_notices_workers_that_forget_their_tap_ids(
    workers: Serve, copy: Copy, proven: Proven
) -> None:
    copy.forget_tap_ids()
    server = workers(**copy.env)
    found = faults(server.database, under_tapping(server, 2 * FULL, seconds=0.6))
    proven(f"{2 * FULL} kills of workers broken on purpose: forget_tap_ids", listed(found))
    assert "doubled" in found
