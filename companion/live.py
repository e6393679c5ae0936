"""Tells whoever waits that a sitting moved on: in this process, and through Redis in the others.

A poke is only a hint. The journal is the truth, and versions decide: a lost poke costs time and nothing else.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import redis

log = logging.getLogger(__name__)
CHANNEL = "companion:moved"
PATIENCE = 0.2  # seconds; with redis-py's own defaults a frozen Redis costs twelve
FORGOTTEN = 0  # the version of a sitting that is no more
QUIET = 30  # seconds without a poke after which Redis is asked whether it is still there
Listener = Callable[[str, int], None]


class Live:
    def __init__(self, redis_url: str | None = None) -> None:
        self.listeners: list[Listener] = []
        self.me = secrets.token_hex(8)  # so that a process does not answer its own pokes
        self._outbox: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._redis = _connect(redis_url) if redis_url else None
        if self._redis:
            threading.Thread(target=self._send, daemon=True).start()
            threading.Thread(target=self._listen, daemon=True).start()

    def publish(self, code: str, version: int) -> None:
        """After the commit: wake the phones here at once, and poke the other processes in passing."""
        self.tell(code, version)
        if self._redis:
            self._outbox.put(json.dumps([self.me, code, version]))

    def tell(self, code: str, version: int) -> None:
        for listener in self.listeners:
            try:
                listener(code, version)
            except Exception:  # the tap is stored; who draws it badly must not make it look refused
                log.exception("table %s could not be shown at version %s", code, version)

    def _send(self) -> None:
        """In a thread of its own, since a dead Redis must not hold up the answer to a tap."""
        import redis

        assert self._redis
        away = False
        while True:
            message = self._outbox.get()
            try:
                self._redis.publish(CHANNEL, message)
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
        try:
            who, code, version = json.loads(data)
        except (TypeError, ValueError):
            log.warning("no poke of ours came through Redis: %r", data[:80])
            return
        if who != self.me:
            self.tell(code, version)


def _connect(url: str) -> redis.Redis:
    import redis  # only who uses it waits for it

    return redis.Redis.from_url(
        url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=None, health_check_interval=QUIET
    )
