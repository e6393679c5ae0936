"""Errands to the disk, run by a real thread."""

from __future__ import annotations

from collections.abc import Callable

import gevent
from gevent.hub import Waiter
from gevent.monkey import get_original


class Errands:
    """A real thread: the loop goes on while the disk turns, and only whoever sent it waits.

    It does one errand at a time, as the store has only one. gevent's own pool costs several times as much,
    since it makes for each errand what can be made once.
    """

    def __init__(self) -> None:
        self._do: Callable[[], object] = lambda: None
        self._outcome: object = None
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

    def _run(self) -> None:
        while True:
            self._sent.acquire()
            try:
                self._outcome = self._do()
            except Exception as error:  # whoever waits has words for it
                self._outcome = error
            self._back.send()
