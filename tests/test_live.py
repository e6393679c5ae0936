"""Two real servers on one PostgreSQL: Redis makes news travel fast, and its absence only makes it slower."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

import pytest
import redis
from at_the_table import OUTSIDE, Served
from services import RedisServer, fresh_database
from test_serving import Caller, Stream, eventually, together

from companion.net.live import CHANNEL, Live

HANGING = 2  # seconds; far more than a tap takes, and far less than redis-py would wait for a frozen Redis
pytestmark = [pytest.mark.postgres, pytest.mark.redis]


@dataclass
class Pair:
    """Ada taps at one server, Bob's phone listens at the other."""

    servers: list[Served]
    code: str
    ada: Caller
    bob: Caller

    def tap(self) -> int:
        """Taken by the first server without waiting for anybody's Redis."""
        began = time.monotonic()
        said = self.ada.count(self.code)
        assert said.status == 201, said
        assert time.monotonic() - began < HANGING
        return int(said.json["version"])

    def listen(self) -> Stream:
        stream = self.bob.listen(self.code)
        stream.next()
        return stream

    def assert_unbroken(self) -> None:
        for server in self.servers:
            assert "Traceback" not in server.log()


@pytest.fixture(scope="module")
def servers(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], list[Served]]]:
    """Two on one database, with that Redis or with none; nobody hurts them, so all tests play at the same."""
    with ExitStack() as stack:

        @cache
        def start(redis_url: str) -> list[Served]:
            database = stack.enter_context(fresh_database(postgres_url))
            env = {"COMPANION_DATABASE_URL": database, "COMPANION_REDIS_URL": redis_url, **OUTSIDE}
            both = [Served(tmp_path_factory.mktemp("worker"), **env) for _ in range(2)]
            together(*(each.start for each in both))
            for each in both:
                stack.callback(each.kill)
            return both

        yield start


def at_a_table_of(servers: list[Served]) -> Iterator[Pair]:
    ada, bob = (Caller(server.url) for server in servers)
    code = ada.open("Ada", "Bob")
    bob.join(code, ada.secret(code), 2)
    pair = Pair(servers, code, ada, bob)
    yield pair
    pair.assert_unbroken()


@pytest.fixture
def fast(servers: Callable[[str], list[Served]], redis_server: RedisServer) -> Iterator[Pair]:
    both = servers(redis_server.url)
    with redis.Redis.from_url(redis_server.url) as line:  # which an earlier test may have stopped for a while
        eventually(lambda: subscribers(line) >= 2)
    yield from at_a_table_of(both)


@pytest.fixture
def slow(servers: Callable[[str], list[Served]]) -> Iterator[Pair]:
    yield from at_a_table_of(servers(""))


def subscribers(line: redis.Redis) -> int:
    return int(dict(line.pubsub_numsub(CHANNEL)).get(CHANNEL.encode(), 0))


def test_a_tap_at_one_server_is_heard_at_the_other(fast: Pair) -> None:
    stream = fast.listen()
    for _ in range(5):
        version = fast.tap()
        assert stream.until(version)["id"] == f"{version - 1}-{version}"  # one by one, none left out


def test_a_phone_at_the_other_server_can_tap_too_and_both_agree(fast: Pair) -> None:
    hers, his = fast.ada.listen(fast.code), fast.listen()
    assert fast.bob.count(fast.code, seat=2).status == 201
    version = fast.tap()
    for stream in (hers, his):
        stream.until(version)
        stream.close()
    pages = [caller.ask("GET", f"/s/{fast.code}/parts/table") for caller in (fast.ada, fast.bob)]
    assert pages[0].headers["x-version"] == pages[1].headers["x-version"] == str(version)
    assert pages[0].text == pages[1].text


def test_without_any_redis_the_other_phones_catch_up_by_versions(slow: Pair) -> None:
    stream = slow.listen()
    versions = [slow.tap() for _ in range(3)]
    stream.until(versions[-1])
    stream.until(slow.tap())


def test_while_redis_is_gone_taps_are_answered_and_phones_catch_up(
    fast: Pair, redis_server: RedisServer
) -> None:
    stream = fast.listen()
    with redis_server.gone():
        for _ in range(3):
            stream.until(fast.tap())
    stream.until(fast.tap())


def test_while_redis_is_frozen_taps_are_answered_and_phones_catch_up(
    fast: Pair, redis_server: RedisServer
) -> None:
    stream = fast.listen()
    with redis_server.frozen():
        for _ in range(3):
            stream.until(fast.tap())
    stream.until(fast.tap())


def test_redis_carries_pokes_again_when_it_is_back(fast: Pair, redis_server: RedisServer) -> None:
    fast.tap()
    with redis_server.gone():
        fast.tap()
    with redis.Redis.from_url(redis_server.url) as line:
        # both servers listen again by themselves
        eventually(lambda: subscribers(line) == 2)
        with line.pubsub() as heard:
            heard.subscribe(CHANNEL)
            assert heard.get_message(timeout=10)["type"] == "subscribe"
            version = fast.tap()
            told = []
            while [fast.code, version] not in told:  # an older poke may still have been on its way
                message = heard.get_message(timeout=10)
                assert message, told
                told += [poke[:2] for poke in json.loads(message["data"].partition(b" ")[2])]


def test_a_table_forgotten_at_one_server_is_forgotten_at_the_other(fast: Pair) -> None:
    stream = fast.listen()
    assert fast.ada.ask("POST", f"/s/{fast.code}/forget", {"sure": "yes"}).status == 303
    while stream.next().get("event") != "forgotten":
        pass
    for caller in (fast.ada, fast.bob):
        assert caller.ask("GET", f"/s/{fast.code}/parts/table").status == 404
        assert caller.ask("GET", "/history").status == 200


def test_without_any_redis_a_forgotten_table_is_noticed_all_the_same(slow: Pair) -> None:
    stream = slow.listen()
    slow.ada.ask("POST", f"/s/{slow.code}/forget", {"sure": "yes"})
    assert slow.bob.ask("GET", f"/s/{slow.code}/parts/table").status == 404
    while stream.next().get("event") != "forgotten":
        pass


# --- the poke itself, without a server around it ---


@pytest.fixture
def live(redis_server: RedisServer) -> Callable[[], Live]:
    def start() -> Live:
        with redis.Redis.from_url(redis_server.url) as line:
            before = subscribers(line)
            live = Live(redis_server.url)
            eventually(lambda: subscribers(line) > before)
        return live

    return start


def hearing(live: Live) -> list[tuple[str, int]]:
    heard: list[tuple[str, int]] = []
    live.listeners.append(lambda code, version: heard.append((code, version)))
    return heard


def test_a_poke_reaches_its_own_process_once_and_every_other_once(live: Callable[[], Live]) -> None:
    mine, other = live(), live()
    here, there = hearing(mine), hearing(other)
    for version in range(1, 4):
        mine.publish("K7PQ4M", version)
    wanted = [("K7PQ4M", version) for version in range(1, 4)]
    eventually(lambda: len(there) == 3)
    assert here == there == wanted


def test_a_page_that_cannot_be_drawn_keeps_nobody_from_hearing_the_next_poke(
    live: Callable[[], Live], caplog: pytest.LogCaptureFixture
) -> None:
    mine, other = live(), live()

    def stumble(code: str, version: int) -> None:
        raise RuntimeError("no such template")

    for each in (mine, other):
        each.listeners.append(stumble)
    there = hearing(other)
    mine.publish("K7PQ4M", 1)
    mine.publish("K7PQ4M", 2)
    eventually(lambda: len(there) == 2)
    assert "could not be shown" in caplog.text


@pytest.mark.parametrize("noise", [b"hello", b"\xff\xfe", b"[1]", b"me [1]", b"me {}", b"me null"])
def test_noise_on_the_channel_is_not_mistaken_for_a_poke(
    live: Callable[[], Live], redis_server: RedisServer, noise: bytes
) -> None:
    mine, other = live(), live()
    there = hearing(other)
    with redis.Redis.from_url(redis_server.url) as line:
        line.publish(CHANNEL, noise)
    mine.publish("K7PQ4M", 1)
    eventually(lambda: there == [("K7PQ4M", 1)])


def test_pokes_for_a_dead_redis_do_not_pile_up_and_are_complained_of_once(
    live: Callable[[], Live], redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    mine, other = live(), live()
    there = hearing(other)
    with redis_server.frozen():
        for version in range(1, 500):
            mine.publish("K7PQ4M", version)
        eventually(lambda: "takes no pokes" in caplog.text)
        mine.publish("K7PQ4M", 500)
        time.sleep(0.5)
    assert caplog.text.count("takes no pokes") == 1

    def back() -> bool:
        mine.publish("K7PQ4M", 501)
        return ("K7PQ4M", 501) in there

    eventually(back)
    assert len({version for _, version in there}) < 400


def test_a_quiet_redis_is_not_taken_for_a_dead_one(
    live: Callable[[], Live], redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers must come within 0.2 s, pokes need not; a quiet line is asked now and then if it lives."""
    monkeypatch.setattr("companion.net.live.QUIET", 0.3)
    mine, other = live(), live()
    there = hearing(other)

    def lines() -> set[str]:
        with redis.Redis.from_url(redis_server.url) as line:
            return {each["id"] for each in line.client_list(_type="pubsub")}

    before = lines()
    time.sleep(2)
    assert lines() == before  # nobody hung up to call again
    mine.publish("K7PQ4M", 1)
    eventually(lambda: there == [("K7PQ4M", 1)])
