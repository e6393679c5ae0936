"""How long the loop ran without looking for what phones had sent: that long, all of them waited."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from typing import Any

import gevent
from gevent.hub import Waiter

log = logging.getLogger(__name__)
MOST = 0.02  # seconds
LONG = 0.005  # seconds; what runs already, and answers that are due, must still fit into the rest
SELDOM = 10  # seconds between two lines about it


class Stalls:
    """Looks at the clock when the loop wakes and when it goes to sleep, and tells when that took long.

    Before it does, whoever has not begun yet lets the loop look up first.
    """

    def __init__(self) -> None:
        self.request = b""  # the last that came, as it came
        self._woke = math.inf
        self._reported_at = 0.0
        self._times, self._longest = 0, 0.0
        self.total, self.seconds = 0, 0.0  # since the start
        loop = gevent.get_hub().loop
        self._queue: deque[Any] = deque()  # of those who have not begun yet
        self._soon: Any = loop.timer(1e-6)
        # The first to run after the loop woke, and the last before it sleeps.
        self._watchers: list[Any] = [
            loop.check(ref=False, priority=loop.MAXPRI),
            loop.prepare(ref=False, priority=loop.MINPRI),
        ]
        for watcher, do in zip(self._watchers, (self._wake, self._sleep), strict=True):
            watcher.start(do)

    def close(self) -> None:
        for watcher in (*self._watchers, self._soon):
            watcher.close()

    def wait(self) -> None:
        """Sixty phones may send something at once, and the next one should not wait for all of them."""
        while self.late():
            if not self._queue:
                self._soon.start(self._go_on)
            waiter: Any = Waiter()
            self._queue.append(waiter)
            waiter.get()

    def _go_on(self) -> None:
        """The loop has looked up: those who wait go on, in their order and before whoever has come meanwhile,
        until it should again. Each with a timer of its own, they took longer to wait than to be answered."""
        while self._queue and not self.late():
            self._queue.popleft().switch(None)
        if self._queue:
            self._soon.start(self._go_on)

    def late(self) -> bool:
        """Whether it is time that the loop looks up."""
        return time.perf_counter() - self._woke > LONG

    def _wake(self) -> None:
        self._woke = time.perf_counter()

    def _sleep(self) -> None:
        now = time.perf_counter()
        took = now - self._woke
        if took > MOST and self.request:  # a start that nobody waited for is none
            self._times += 1
            self.total += 1
            self.seconds += took
            self._longest = max(took, self._longest)
            if now - self._reported_at > SELDOM:
                self._say(now)

    def _say(self, now: float) -> None:
        words = "all phones waited %.0f ms (%d time(s) since this was last said); the last request was %s"
        log.warning(words, self._longest * 1000, self._times, named(self.request))
        self._reported_at, self._times, self._longest = now, 0, 0.0


def named(request: bytes) -> str:
    """Its method and address, without what only the phone should know: a join link holds a secret."""
    line = request.partition(b"\r\n")[0].decode("latin-1").split(" ")
    path = line[1].partition("?")[0] if len(line) > 1 else ""
    short = "/".join(path.split("/")[:3]) if path.startswith("/j/") else path
    return f"{line[0]} {short[:80]}" if path else "none"
