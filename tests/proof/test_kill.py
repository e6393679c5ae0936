"""The server is killed under eight tapping phones. What was acknowledged is there, and there once.

A checker that cannot fail proves nothing, so it is also let loose on copies of the app that are broken on
purpose: one forgets its tap ids, others say yes before they have written, or before all of them have.
"""

from __future__ import annotations

import http.client
import random
import secrets
import shutil
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from at_the_table import OUTSIDE, Serve, Served
from test_serving import Caller, counting, sqlite_in

from companion import HERE, ROOT
from companion.core import Journal
from companion.games import Shelf, take
from companion.storage.store import Store

PEOPLE = ("Ada", "Bob", "Cleo", "Dov", "Ada’s aunt", "Bob’s boss", "Cleo’s cat", "Dov’s dad")
OUT_OF_RANGE = 20  # one tap in so many is sent from a phone that then hears no answer
TOO_LONG = 60  # seconds; a tap that nobody answers is a failure, not an endless wait
LOST = (OSError, http.client.HTTPException)
pytestmark = [pytest.mark.proof, pytest.mark.timeout(400)]  # a server starts anew for every kill


@dataclass
class Tapper:
    """A phone that does what static/js/taps.js does: the same id again until somebody answers for it."""

    caller: Caller
    code: str
    seat: int
    sent: list[str] = field(default_factory=list)
    acknowledged: dict[str, int] = field(default_factory=dict)  # tap → version

    def tap_until(self, stop: threading.Event) -> None:
        while not stop.is_set():
            self.tap(secrets.token_hex(8))

    def tap(self, tap: str) -> None:
        self.sent.append(tap)
        if random.randrange(OUT_OF_RANGE) == 0:
            with suppress(*LOST):
                self.caller.send("POST", f"/s/{self.code}/do/count", counting(self.seat, tap=tap))
            self.caller.line.close()
        until = time.monotonic() + TOO_LONG
        while tap not in self.acknowledged and time.monotonic() < until:
            try:
                said = self.caller.count(self.code, self.seat, tap=tap)
            except LOST:
                time.sleep(0.05)  # nobody is there; to ask without a pause would only hold up the start
                continue
            assert said.status in (201, 503), said
            if said.status == 201 and said.json["tap"] == tap:
                self.acknowledged[tap] = said.json["version"]
            time.sleep(0.01)  # hundreds of taps a second from all; more would only keep two cores warm


def one_table(server: Served) -> list[Tapper]:
    ada = Caller(server.url)
    code = ada.open(*PEOPLE)
    secret = ada.secret(code)
    others = [Caller(server.url).join(code, secret, seat) for seat in range(2, len(PEOPLE) + 1)]
    return [Tapper(caller, code, seat) for seat, caller in enumerate([ada, *others], 1)]


def a_table_each(server: Served) -> list[Tapper]:
    """Taps of several tables go to the disk together; those of one table go one after the other."""
    callers = [Caller(server.url) for _ in PEOPLE]
    return [Tapper(caller, caller.open("Ada", "Bob"), 1) for caller in callers]


def under_tapping(
    server: Served, kills: int, seconds: float, sit: Callable[[Served], list[Tapper]] = one_table
) -> list[Tapper]:
    """Eight phones tap on and on while the server is killed and started again."""
    tappers = sit(server)
    stop = threading.Event()
    threads = [threading.Thread(target=tapper.tap_until, args=[stop]) for tapper in tappers]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            time.sleep(random.uniform(0.5, 1.5) * seconds)
            server.kill()
            server.start()
        time.sleep(seconds)
    finally:
        stop.set()
        for thread in threads:
            thread.join(2 * TOO_LONG)
    server.kill()  # the last one, so that only what is on disk counts
    return tappers


def faults(file: Path, tappers: list[Tapper]) -> dict[str, list[str]]:
    """What the phones were told, held against what is on disk."""
    with closing(sqlite3.connect(file)) as database:
        query = "SELECT tap, version FROM entry WHERE command = 'count'"
        stored: list[tuple[str, int]] = database.execute(query).fetchall()
    times = Counter(tap for tap, _ in stored)
    sent = [tap for tapper in tappers for tap in tapper.sent]
    told = {tap: version for tapper in tappers for tap, version in tapper.acknowledged.items()}
    found = {
        "lost": [tap for tap in told if not times[tap]],
        "doubled": [tap for tap, many in times.items() if many > 1],
        "never answered": [tap for tap in sent if tap not in told],
        "told otherwise": [
            tap for tap, version in told.items() if times[tap] and (tap, version) not in stored
        ],
        "from nowhere": sorted(set(times) - set(sent)),
    }
    return {fault: taps for fault, taps in found.items() if taps}


def totals(file: Path, code: str, games: Shelf) -> list[int]:
    store = Store(f"sqlite:///{file}")
    row = store.sitting(code)
    assert row
    assert row.id
    game = take(games, row.slug)
    state = Journal(game, store.entries(game, row.id)).state
    store.close()
    return [state.got(1, seat, "1") for seat in range(1, len(PEOPLE) + 1)]


def test_ten_kills_under_eight_tapping_phones_lose_nothing_and_double_nothing(
    served: Serve, tmp_path: Path, games: Shelf
) -> None:
    tappers = under_tapping(served(**OUTSIDE), kills=10, seconds=0.4)
    assert faults(sqlite_in(tmp_path), tappers) == {}
    assert all(len(tapper.sent) > 20 for tapper in tappers)
    assert totals(sqlite_in(tmp_path), tappers[0].code, games) == [len(tapper.sent) for tapper in tappers]


def test_kills_under_eight_tables_that_share_their_trips_to_the_disk_lose_nothing(
    served: Serve, tmp_path: Path
) -> None:
    tappers = under_tapping(served(**OUTSIDE), kills=5, seconds=0.4, sit=a_table_each)
    assert faults(sqlite_in(tmp_path), tappers) == {}
    assert all(len(tapper.sent) > 10 for tapper in tappers)


# --- the checker is checked ---


class Copy:
    """The app in a folder of its own, where it can be broken."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "companion"
        # With what Python compiled, so that only what is broken is compiled anew.
        shutil.copytree(HERE, self.package, ignore=shutil.ignore_patterns("templates*", "static"))
        for name in ("templates", "static"):
            shutil.copytree(ROOT / name, folder / name)
        # Nothing else in the path comes first, not even the folder that we are in.
        self.env = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", **OUTSIDE}

    def replace(self, file: str, old: str, new: str) -> None:
        """Breaks one line; if the app no longer has that line, this proof must be written anew."""
        path = self.package / file
        source = path.read_text("utf-8")
        assert source.count(old) == 1, f"{file} does not say {old!r} once"
        path.write_text(source.replace(old, new), "utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "copy")


def test_an_unbroken_copy_has_no_faults(served: Serve, tmp_path: Path, copy: Copy) -> None:
    tappers = under_tapping(served(**copy.env), kills=1, seconds=0.3)
    assert faults(sqlite_in(tmp_path), tappers) == {}


def test_the_checker_notices_a_server_that_forgets_its_tap_ids(
    served: Serve, tmp_path: Path, copy: Copy
) -> None:
    copy.replace("sittings/play.py", "known = journal.taps.get(tap)", "known = None")
    copy.replace("storage/rows.py", '__table_args__ = (UniqueConstraint("sitting_id", "tap"),)', "")
    tappers = under_tapping(served(**copy.env), kills=2, seconds=0.4)
    assert "doubled" in faults(sqlite_in(tmp_path), tappers)


def test_the_checker_notices_a_server_that_says_yes_before_it_has_written(
    served: Serve, tmp_path: Path, copy: Copy
) -> None:
    begin, commit = 'disk.execute("BEGIN IMMEDIATE")', 'self.waiting(lambda: disk.execute("COMMIT"))'
    newest = 'disk.execute("SELECT command FROM entry ORDER BY rowid DESC").fetchone()'
    later = f'{newest} == ("count",) and __import__("random").random() > 0.02'  # fifty trips at a time
    copy.replace("storage/appends.py", begin, f"disk.in_transaction or {begin}")
    copy.replace("storage/store.py", commit, f"({later}) or {commit}")
    tappers = under_tapping(served(**copy.env), kills=2, seconds=0.4)
    assert "lost" in faults(sqlite_in(tmp_path), tappers)


def test_the_checker_notices_taps_that_are_answered_before_their_shared_trip_to_the_disk_is_over(
    served: Serve, tmp_path: Path, copy: Copy
) -> None:
    copy.replace(
        "storage/store.py",
        "                self._write_all(batch)\n",
        "                for each in batch:\n"
        "                    each.why_not, each.settled = None, True\n"
        "                    each.call()\n"
        "                time.sleep(0.05)\n"
        "                self._write_all(batch)\n",
    )
    tappers = under_tapping(served(**copy.env), kills=3, seconds=0.4, sit=a_table_each)
    assert "lost" in faults(sqlite_in(tmp_path), tappers)
