"""`companion serve --workers 2`: several processes on one port that are one server to the phones."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from at_the_table import OUTSIDE, Served
from forked import ran
from services import RedisServer, free_port, fresh_database
from test_serving import Caller, Stream, assert_refused, companion, eventually, together

from companion.core import Journal
from companion.games import Shelf, take
from companion.serving.workers import Workers
from companion.sittings.sitting import ALPHABET
from companion.storage.store import Store
from companion.web.limits import Limits

GUESSES = int(Limits().guesses)

MANY = 2
pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.timeout(600)]
Start = Callable[..., Served]


@pytest.fixture(scope="module")
def start(
    postgres_url: str, redis_server: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Start]:
    """A server with two workers and a database of its own."""
    with ExitStack() as stack:

        def serve(**env: str) -> Served:
            database = stack.enter_context(fresh_database(postgres_url))
            told = {"COMPANION_DATABASE_URL": database, "COMPANION_REDIS_URL": redis_server.url, **OUTSIDE}
            server = Served(tmp_path_factory.mktemp("workers"), "--workers", str(MANY), **{**told, **env})
            stack.callback(lambda: server.process and server.kill())
            return server.start()

        yield serve


@pytest.fixture(scope="module")
def house(start: Start) -> Served:
    """For tests that do it no harm."""
    return start()


@pytest.fixture(scope="module")
def other_house(house: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Another machine beside it, on the same databases, with one worker."""
    told = {name: house.env[name] for name in ("COMPANION_DATABASE_URL", "COMPANION_REDIS_URL")}
    server = Served(tmp_path_factory.mktemp("machine"), **told, **OUTSIDE).start()
    yield server
    server.kill()


def worker_of(caller: Caller) -> int:
    return int(caller.ask("GET", "/healthz").json["pid"])


def workers_of(server: Served) -> set[int]:
    """By what the kernel says."""
    assert server.process
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text("utf-8").rpartition(")")[2].split()[1]) == server.process.pid:
                found.add(int(stat.parent.name))
    return found


def callers(server: Served) -> list[Caller]:
    """One at each worker; its line stays there until it asks for a table that is another's."""
    found: dict[int, Caller] = {}
    until = time.monotonic() + 120  # one that was started anew takes its time
    while len(found) < MANY:
        assert time.monotonic() < until, f"all phones are at {set(found)}"
        caller = Caller(server.url)
        found.setdefault(worker_of(caller), caller)
    return list(found.values())


def like(caller: Caller, twin: Caller) -> Caller:
    """The same phone, on the line of another."""
    twin.cookie = caller.cookie
    return twin


def streams_at_each(server: Served) -> list[Stream]:
    """Every table has a worker of its own, so there are more until each has one."""
    found: list[Stream] = []
    while not all(int(each.ask("GET", "/healthz").json["streams"]) for each in callers(server)):
        phone = Caller(server.url)
        found.append(phone.listen(phone.open("Ada", "Bob")))
        assert len(found) < 50
    return found


def assert_ends(stream: Stream) -> None:
    with suppress(EOFError):
        while stream.next():
            pass
        pytest.fail("an event without anything in it")


def points(server: Served, games: Shelf, code: str) -> int:
    """As they are on disk."""
    store = Store(server.database)
    row = store.sitting(code)
    assert row
    assert row.id
    game = take(games, row.slug)
    got = Journal(game, store.entries(game, row.id)).state.got(1, 1, "1")
    store.close()
    return int(got)


@pytest.fixture(params=["workers", "machines"])
def two(request: pytest.FixtureRequest, house: Served) -> tuple[Served, list[Caller]]:
    """Phones at two workers of one server; or at two servers that share their databases."""
    if request.param == "workers":
        return house, callers(house)
    other: Served = request.getfixturevalue("other_house")
    return house, [Caller(house.url), Caller(other.url)]


def test_taps_at_two_places_in_the_same_instant_count_once_and_are_seen_by_all(
    two: tuple[Served, list[Caller]], games: Shelf
) -> None:
    house, (one, other) = two
    code = one.open("Ada", "Bob")
    secret = one.secret(code)
    other.join(code, secret, 2)
    streams = [phone.listen(code) for phone in (one, other, one, other)]

    def tap(phone: Caller) -> list[int]:
        said = [phone.count(code) for _ in range(25)]
        assert {each.status for each in said} == {201}, said
        return [each.json["version"] for each in said]

    versions = together(partial(tap, one), partial(tap, other))
    answered = sorted(version for each in versions for version in each)
    assert answered == list(range(answered[0], answered[0] + 50))  # each with a place of its own
    assert points(house, games, code) == 50
    for stream in streams:
        stream.until(answered[-1])
    drawn = [each.ask("GET", f"/s/{code}/parts/table") for each in (one, other)]
    assert drawn[0].text == drawn[1].text
    assert "Traceback" not in house.log()


def test_a_tap_sent_to_two_places_at_once_counts_once(two: tuple[Served, list[Caller]], games: Shelf) -> None:
    house, (one, other) = two
    code = one.open("Ada", "Bob")
    like(one, other)
    for _ in range(10):
        tap = secrets.token_hex(8)
        first, second = together(*(partial(each.count, code, tap=tap) for each in (one, other)))
        assert (first.status, first.text) == (second.status, second.text)
        assert first.status == 201
    assert points(house, games, code) == 10


def test_the_phones_of_a_table_end_up_with_one_worker(house: Served) -> None:
    met = set()
    for _ in range(12):
        one, other = callers(house)
        code = one.open("Ada", "Bob")
        like(one, other)
        assert {one.count(code).status, other.count(code).status} == {201}
        assert worker_of(one) == worker_of(other)
        met.add(worker_of(one))
    assert met == workers_of(house)  # and all have something to do


def test_a_tap_that_comes_in_pieces_is_handed_on_whole(house: Served) -> None:
    for phone in callers(house):
        code = phone.open("Ada", "Bob")
        for line in callers(house):  # one of them hands it on
            assert line.line.sock
            body = f"tap={secrets.token_hex(8)}&seat=1&counter=1&by=1&round=1".encode()
            head = (
                f"POST /s/{code}/do/count HTTP/1.1\r\nHost: {line.line.host}:{line.line.port}\r\n"
                f"Origin: {house.url}\r\nCookie: {phone.cookie}\r\nContent-Length: {len(body)}\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            )
            for piece in (head.encode() + body[:9], body[9:20], body[20:]):
                line.line.sock.sendall(piece)
                time.sleep(0.05)
            assert line.line.sock.recv(100).startswith(b"HTTP/1.1 201")


def test_a_worker_that_is_killed_comes_back_and_none_outlives_whoever_started_it(
    start: Start, games: Shelf
) -> None:
    server = start()
    assert_one_that_is_killed_comes_back_and_no_answered_tap_is_lost(server, games)
    server.kill()
    with socket.socket() as line:
        eventually(lambda: line.connect_ex(("127.0.0.1", server.port)) != 0)
    assert_one_that_is_killed_before_it_serves_is_made_good(server)
    assert_all_leave_together_with_phones_still_connected(server, signal.SIGINT)


def assert_one_that_is_killed_comes_back_and_no_answered_tap_is_lost(server: Served, games: Shelf) -> None:
    ada = callers(server)[0]
    code = ada.open("Ada", "Bob")
    before = workers_of(server)
    ada.count(code)
    answered = 0
    for number in range(40):
        if number == 20:
            os.kill(worker_of(ada), signal.SIGKILL)
        with suppress(OSError):  # the one that was on its way; the next finds the other worker
            answered += ada.count(code).status == 201
    assert answered >= 35
    assert points(server, games, code) >= answered
    eventually(lambda: len(workers_of(server) - before) == 1)
    callers(server)  # it serves, too
    (gone,) = before - workers_of(server)
    assert f"worker {gone} ended with exit code -9; another starts in" in server.log()
    assert server.log().count("Stop with Ctrl+C.") == 1


@pytest.mark.parametrize(("served_for", "pauses"), [(None, [1, 2, 4, 8, 10]), (5, [1] * 5), (60, [0] * 5)])
def test_only_a_worker_that_does_not_come_up_is_waited_for_longer_and_longer(
    served_for: float | None, pauses: list[float]
) -> None:
    """One that served is made good at once or in a second, however often somebody kills it, and whatever
    becomes of the others."""
    workers = Workers("127.0.0.1", 0, MANY, lambda leash: 0)
    waits = []
    for pid in range(10**9, 10**9 + 5):  # nobody's
        workers._pids = {pid: 0, 10**8: 1}  # noqa: SLF001
        now = time.monotonic()
        workers._ready = {} if served_for is None else {pid: now - served_for}  # noqa: SLF001
        workers._mourn(pid, -9)  # noqa: SLF001
        waits.append(round(workers._due[0] - now))  # noqa: SLF001
    assert waits == pauses
    workers._mourn(10**8, 1)  # noqa: SLF001
    assert round(workers._due[1] - now) == 1  # noqa: SLF001
    workers._leave()  # noqa: SLF001


def assert_all_leave_together_with_phones_still_connected(server: Served, how: signal.Signals) -> None:
    streams = streams_at_each(server)
    pids = workers_of(server)
    assert server.end(how) == 0
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    for stream in streams:
        assert_ends(stream)
    assert "Traceback" not in server.log()


def assert_one_that_is_killed_before_it_serves_is_made_good(server: Served) -> None:
    """It had nothing to say against the start, and so the others need not give up. Here they start anew, by
    one that has imported nothing: a fork might serve before anybody has looked."""
    server.starts = True
    starting = Thread(target=server.start)
    starting.start()
    eventually(lambda: bool(server.process and workers_of(server)))
    gone = min(workers_of(server))
    os.kill(gone, signal.SIGKILL)
    starting.join()
    assert {worker_of(caller) for caller in callers(server)} == workers_of(server)
    assert f"worker {gone} ended with exit code -9; another starts in 1 s" in server.log()


def test_ten_wrong_codes_spread_over_both_workers_are_enough(house: Served) -> None:
    one, other = callers(house)
    guesses = [
        (one, other)[number % 2].ask("GET", f"/j/ZZZZ{ALPHABET[number]}Z").status
        for number in range(GUESSES + 4)
    ]
    assert guesses == [404] * GUESSES + [429] * 4
    assert Caller(house.url).ask("GET", "/j/ZZZZZZ").status == 429
    code = one.open("Ada", "Bob")
    assert like(one, other).count(code).status == 201  # whoever is at a table is not held up


def test_without_redis_it_is_said_once_that_news_travels_slower_and_all_leave_together(start: Start) -> None:
    server = start(COMPANION_REDIS_URL="")
    one, other = callers(server)
    code = one.open("Ada", "Bob")
    streams = [phone.listen(code) for phone in (one, like(one, other))]
    version = one.count(code).json["version"]
    for stream in streams:
        stream.until(version)
    eventually(lambda: "within two seconds" in server.log())  # workers may answer before it is said
    assert server.log().count("within two seconds") == 1
    assert_all_leave_together_with_phones_still_connected(server, signal.SIGTERM)


# --- what cannot be ---


def test_sqlite_has_one_worker(tmp_path: Path) -> None:
    words = ["serve", "--port", str(free_port()), "--workers", "2"]
    ended = ran(words, {**os.environ, "COMPANION_INSTANCE": str(tmp_path)})
    assert_refused(ended, "Several workers need PostgreSQL")


@pytest.mark.parametrize("many", ["0", "-1", "two", "65"])
def test_a_number_of_workers_that_makes_no_sense_is_refused(many: str) -> None:
    ended = ran(["serve", "--workers", many], dict(os.environ))
    assert ended.returncode == 2
    assert f"{many} is not a number of workers" in ended.stderr


def test_a_port_that_another_companion_serves_on_is_said_in_one_line(house: Served) -> None:
    """Two with workers could share a port without a word, and phones would find either."""
    for more in ((), ("--workers", "2")):
        words = ("serve", "--host", "127.0.0.1", "--port", str(house.port), *more)
        ended = companion(*words, COMPANION_DATABASE_URL=house.database)
        assert_refused(ended, f"Port {house.port} cannot be used: Address already in use. ")


def test_a_database_that_is_not_there_is_said_once_for_all_workers() -> None:
    url = f"postgresql+psycopg://postgres@127.0.0.1:{free_port()}/postgres"
    ended = companion("serve", "--port", str(free_port()), "--workers", "2", COMPANION_DATABASE_URL=url)
    assert_refused(ended, "The database cannot be used")
