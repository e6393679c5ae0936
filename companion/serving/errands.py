"""Errands to the disk, run by a real thread, or waited for here where the disk is quick."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import gevent
from gevent.hub import Waiter
from gevent.monkey import get_original

log = logging.getLogger(__name__)
QUICK = 0.004  # seconds that every phone may well wait
SLOWEST = 4 * QUICK  # that one errand counts for: a single slow one says little about the disk
SHY, SHYEST = 10.0, 600.0  # seconds without another try on a disk that is slow; twice as many each time


def _closed_lock() -> Any:
    lock = get_original("_thread", "allocate_lock")()
    lock.acquire()
    return lock


class Standby:
    """A greenlet that waits to be called, does what it is told, and waits again. To make one for each tap,
    with a stack of its own, takes as long as to read the tap."""

    def __init__(self) -> None:
        self._hub = gevent.get_hub()
        self._do: Callable[[], object] | None = None
        self._parked = False
        self._greenlet = gevent.spawn(self._wait)

    def __call__(self, do: Callable[[], object]) -> None:
        """Soon, not now. If it is still busy, another one does it."""
        if self._do is not None:
            gevent.spawn(do)
            return
        self._do = do
        if self._parked:  # else it has not begun yet, and looks before it parks
            self._parked = False
            self._hub.loop.run_callback(self._greenlet.switch)

    def _wait(self) -> None:
        while True:
            if self._do is None:
                self._parked = True
                self._hub.switch()
            try:
                self._do()  # type: ignore[misc]  # who wakes it has said what
            except Exception:  # the next one is done all the same
                log.exception("what was to be done soon broke")
            self._do = None


class Errands:
    """A real thread: the loop goes on while the disk turns, and only whoever sent it waits.

    It does one errand at a time, as the store has only one. gevent's own pool costs several times as much,
    since it makes for each errand what can be made once.
    """

    def __init__(self) -> None:
        self._do: Callable[[], object] = lambda: None
        self._outcome: object = None
        self._took = 0.0  # seconds, the last one
        self._usual, self._shy, self._not_before = 0.0, SHY, 0.0  # how long it takes, lately
        self._sent, self._begun, self._over = _closed_lock(), _closed_lock(), _closed_lock()
        self._awaited = False  # by the loop itself, which does nothing else then
        self._back = gevent.get_hub().loop.async_()
        #: What is left to do for phones whose taps are on disk: whether there is any; and do it, for so long.
        self.is_due: Callable[[], object] = lambda: False
        self.meanwhile: Callable[[float], object] = lambda seconds: None
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
        return self._brought_back()

    def quickly(self, do: Callable[[], object]) -> object:
        """Here and now while the disk is quick. The thread has to wait for Python's lock twice, and a loop
        that has much to do gives it up for moments only, over and over: taps waited for 80 ms behind it.

        Where something is due, that is done while the disk turns; then the thread is waited for."""
        began = time.monotonic()
        if began < self._not_before:
            return self(do)
        if self.is_due():
            self._send_beside(do)
        else:
            self._go(do)
        now = time.monotonic()
        self._usual += (min(self._took, SLOWEST) - self._usual) / 8
        if self._usual > QUICK:
            self._usual, self._not_before = QUICK / 2, now + self._shy
            self._shy = min(2 * self._shy, SHYEST)
        elif self._usual < QUICK / 4:
            self._shy = SHY
        return self._brought_back()

    def _send_beside(self, do: Callable[[], object]) -> None:
        self._do, self._awaited = do, True
        self._sent.release()
        self._begun.acquire()  # or it would wait for Python's lock until we have nothing more to do
        try:
            self.meanwhile(self._usual)
        except Exception:  # what is on disk is there all the same
            log.exception("what was due while the disk turned broke")
        finally:
            self._over.acquire()
            self._awaited = False

    def _brought_back(self) -> object:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def _run(self) -> None:
        while True:
            self._sent.acquire()
            awaited = self._awaited
            if awaited:
                self._begun.release()
            self._go(self._do)
            if awaited:
                self._over.release()
            else:
                self._back.send()

    def _go(self, do: Callable[[], object]) -> None:
        began = time.monotonic()
        try:
            self._outcome = do()
        except Exception as error:  # whoever waits has words for it
            self._outcome = error
        self._took = time.monotonic() - began
