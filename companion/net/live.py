"""Tells whoever waits that a sitting moved on: in this process, and through Redis in the others.

A poke is only a hint. The journal is the truth, and versions decide: a lost poke costs time and nothing else.
It carries what was stored along, so that whoever knows all that came before need not ask the disk for it.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import redis

log = logging.getLogger(__name__)
CHANNEL = "companion:moved"
PATIENCE = 0.2  # seconds; with redis-py's own defaults a frozen Redis costs twelve
FORGOTTEN = 0  # the version of a sitting that is no more
CLOSED = -1  # of one that can be read no more
QUIET = 30  # seconds without a poke after which Redis is asked whether it is still there
AT_ONCE = 100  # pokes that travel together
Listener = Callable[[str, int], None]
Bearer = Callable[[str, int, dict[str, Any]], None]


class Live:
    def __init__(self, redis_url: str | None = None) -> None:
        self.listeners: list[Listener] = []
        self.bearers: list[Bearer] = []  # who hear first what other processes stored
        self.me = secrets.token_hex(8)  # so that a process does not answer its own pokes
        self._outbox: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._redis = _connect(redis_url) if redis_url else None
        if self._redis:
            threading.Thread(target=self._send, daemon=True).start()
            threading.Thread(target=self._listen, daemon=True).start()

    def publish(self, code: str, version: int, stored: Callable[[], list[Any]] = list) -> None:
        """After the commit: wake the phones here at once, and poke the other processes in passing.

        `stored` gives the sitting's number and the entry's row, where there is one.
        """
        self.tell(code, version)
        if self._redis:
            self._outbox.put(json.dumps([code, version, *stored()]))

    @property
    def queued(self) -> int:
        """Pokes that have not left yet."""
        return self._outbox.qsize()

    def tell(self, code: str, version: int) -> None:
        for listener in self.listeners:
            try:
                listener(code, version)
            except Exception:  # the tap is stored; who draws it badly must not make it look refused
                about = {"table": code, "version": version}
                log.exception("table %s could not be shown at version %s", code, version, extra=about)

    def _send(self) -> None:
        """In a thread of its own, since a dead Redis must not hold up the answer to a tap."""
        import redis

        assert self._redis
        away = False
        while True:
            pokes = [self._outbox.get()]
            with suppress(queue.Empty):
                while len(pokes) < AT_ONCE:
                    pokes.append(self._outbox.get_nowait())
            try:
                self._redis.publish(CHANNEL, f"{self.me} [{','.join(pokes)}]")
                away = False
            except redis.RedisError as error:
                self._forget()
                if not away:
                    log.warning("Redis takes no pokes, so other processes hear later: %s", error)
                away = True

    def _forget(self) -> None:
        """Pokes that wait for a dead Redis would only pile up; by its return versions have long decided."""
        with suppress(queue.Empty):
            while True:
                self._outbox.get_nowait()

    def _listen(self) -> None:
        import redis

        assert self._redis
        pause, away = threading.Event(), False
        while True:
            try:
                with self._redis.pubsub(ignore_subscribe_messages=True) as heard:  # type: ignore[no-untyped-call]
                    heard.subscribe(CHANNEL)
                    while True:
                        message = heard.get_message(timeout=QUIET)
                        away = False
                        if message:
                            self._heard(message["data"])
            except redis.RedisError as error:
                if not away:
                    log.warning("Redis is away: %s", error)
                away = True
                pause.wait(1)

    def _heard(self, data: bytes) -> None:
        who, _, pokes = data.partition(b" ")
        if who == self.me.encode():
            return
        try:
            for code, version, *stored in json.loads(pokes):
                self._poked(code, version, stored)
        except (TypeError, ValueError):
            log.warning("no poke of ours came through Redis: %r", data[:80])

    def _poked(self, code: str, version: int, stored: list[Any]) -> None:
        for bear in self.bearers if stored else ():
            try:
                bear(code, *stored)
            except Exception:  # whoever is told reads it from the disk instead
                words, about = "table %s could not follow a poke", {"table": code, "version": version}
                log.warning(words, code, exc_info=True, extra=about)
        self.tell(code, version)


def _connect(url: str) -> redis.Redis:
    try:
        import redis  # only who uses it waits for it
    except ImportError:
        raise ValueError(
            "it needs what companion[server] brings along: pipx install 'companion[server]'"
        ) from None

    return redis.Redis.from_url(
        url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=None, health_check_interval=QUIET
    )
