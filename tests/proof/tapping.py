"""Phones that tap without a pause while harm is done to the server, and what is on disk held against it."""

from __future__ import annotations

import http.client
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from at_the_table import Served
from sqlalchemy import create_engine, text
from test_serving import Caller, counting

PEOPLE = ("Ada", "Bob", "Cleo", "Dov", "Ada’s aunt", "Bob’s boss", "Cleo’s cat", "Dov’s dad")
OUT_OF_RANGE = 20  # one tap in so many is sent from a phone that then hears no answer, and each one's second
TOO_LONG = 60  # seconds; a tap that nobody answers is a failure, not an endless wait
LOST = (OSError, http.client.HTTPException)


@dataclass
class Tapper:
    """A phone that does what static/js/taps.js does: the same id again until somebody answers for it."""

    caller: Caller
    code: str
    seat: int
    sent: list[str] = field(default_factory=list)
    acknowledged: dict[str, int] = field(default_factory=dict)  # tap → version
    refused: list[str] = field(default_factory=list)

    def tap_until(self, stop: threading.Event) -> None:
        while not stop.is_set() and not self.refused:
            self.tap(secrets.token_hex(8))

    def tap(self, tap: str) -> None:
        self.sent.append(tap)
        if len(self.sent) == 2 or random.randrange(OUT_OF_RANGE) == 0:
            with suppress(*LOST):
                self.caller.send("POST", f"/s/{self.code}/do/count", counting(self.seat, tap=tap))
            self.caller.line.close()
        until = time.monotonic() + TOO_LONG
        while not (tap in self.acknowledged or tap in self.refused) and time.monotonic() < until:
            try:
                said = self.caller.count(self.code, self.seat, tap=tap)
            except LOST:
                time.sleep(0.05)  # nobody is there; to ask without a pause would only hold up the start
                continue
            if said.status == 201 and said.json["tap"] == tap:
                self.acknowledged[tap] = said.json["version"]
            elif said.status != 503:
                self.refused.append(tap)
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


Harm = Callable[[Served, int], None]


def kill(server: Served, number: int) -> None:
    server.kill()
    server.start()


def under_tapping(
    server: Served,
    times: int,
    seconds: float,
    sit: Callable[[Served], list[Tapper]] = one_table,
    harm: Harm = kill,
) -> list[Tapper]:
    """Eight phones tap on and on while the server is harmed again and again."""
    tappers = sit(server)
    stop = threading.Event()
    threads = [threading.Thread(target=tapper.tap_until, args=[stop]) for tapper in tappers]
    for thread in threads:
        thread.start()
    try:
        for number in range(times):
            time.sleep(random.uniform(0.5, 1.5) * seconds)
            wait_for_taps(tappers, 2 * number + 2)
            harm(server, number)
        time.sleep(seconds)
        wait_for_taps(tappers, 2 * times + 2)
    finally:
        stop.set()
        for thread in threads:
            thread.join(2 * TOO_LONG)
    server.kill()  # the last one, so that only what is on disk counts
    return tappers


def wait_for_taps(tappers: list[Tapper], more_than: int) -> None:
    """On a machine that has no time for them, phones get to their taps later."""
    until = time.monotonic() + TOO_LONG
    while time.monotonic() < until and not all(
        each.refused or len(each.sent) > more_than for each in tappers
    ):
        time.sleep(0.05)


def faults(url: str, tappers: list[Tapper]) -> dict[str, list[str]]:
    """What the phones were told, held against what is in the database."""
    stored = _stored(url)
    times = Counter(tap for tap, _ in stored)
    sent = [tap for tapper in tappers for tap in tapper.sent]
    told = {tap: version for tapper in tappers for tap, version in tapper.acknowledged.items()}
    known = set(stored)
    found = {
        "lost": [tap for tap in told if not times[tap]],
        "doubled": [tap for tap, many in times.items() if many > 1],
        "never answered": [tap for tap in sent if tap not in told],
        "refused": [tap for tapper in tappers for tap in tapper.refused],
        "told otherwise": [tap for tap in told if times[tap] and (tap, told[tap]) not in known],
        "from nowhere": sorted(set(times) - set(sent)),
    }
    return {fault: taps for fault, taps in found.items() if taps}


def _stored(url: str) -> list[tuple[str, int]]:
    """Read by nothing of ours."""
    engine = create_engine(url)
    with engine.connect() as database:
        rows = database.execute(text("SELECT tap, version FROM entry WHERE command = 'count'"))
        stored = [(tap, version) for tap, version in rows]
    engine.dispose()
    return stored


def acknowledged(tappers: list[Tapper]) -> int:
    return sum(len(tapper.acknowledged) for tapper in tappers)
