"""Errands to the disk, run by a real thread, or here where the disk is quick."""

from __future__ import annotations

import time
from collections.abc import Callable

import gevent
from gevent.hub import Waiter
from gevent.monkey import get_original

QUICK = 0.004  # seconds that every phone may well wait
SLOWEST = 4 * QUICK  # that one errand counts for: a single slow one says little about the disk
SHY, SHYEST = 10.0, 600.0  # seconds without another try on a disk that is slow; twice as many each time


class Errands:
    """A real thread: the loop goes on while the disk turns, and only whoever sent it waits.

    It does one errand at a time, as the store has only one. gevent's own pool costs several times as much,
    since it makes for each errand what can be made once.
    """

    def __init__(self) -> None:
        self._do: Callable[[], object] = lambda: None
        self._outcome: object = None
        self._usual, self._shy, self._not_before = 0.0, SHY, 0.0  # how long it takes, lately
        self._sent = get_original("_thread", "allocate_lock")()
        self._sent.acquire()
        self._back = gevent.get_hub().loop.async_()
        get_original("_thread", "start_new_thread")(self._run, ())

    def __call__(self, do: Callable[[], object]) -> object:
        self._do = do
        waiter = Waiter()
        self._back.start(waiter.switch, None)
        try:
            self._sent.release()
            waiter.get()
        finally:
            self._back.stop()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def quickly(self, do: Callable[[], object]) -> object:
        """Here and now while the disk is quick. The thread has to wait for Python's lock twice, and a loop
        that has much to do gives it up for moments only, over and over: taps waited for 80 ms behind it."""
        began = time.monotonic()
        if began < self._not_before:
            return self(do)
        try:
            return do()
        finally:
            now = time.monotonic()
            self._usual += (min(now - began, SLOWEST) - self._usual) / 8
            if self._usual > QUICK:
                self._usual, self._not_before = QUICK / 2, now + self._shy
                self._shy = min(2 * self._shy, SHYEST)
            elif self._usual < QUICK / 4:
                self._shy = SHY

    def _run(self) -> None:
        while True:
            self._sent.acquire()
            try:
                self._outcome = self._do()
            except Exception as error:  # whoever waits has words for it
                self._outcome = error
            self._back.send()
