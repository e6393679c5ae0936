"""Tells whoever waits that a sitting moved on: in this process, and through Redis in the others.

A poke is only a hint. The journal is the truth, and versions decide, so a lost poke costs time and nothing else.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable

import redis

log = logging.getLogger(__name__)
CHANNEL = "companion:moved"
PATIENCE = 0.2  # seconds; with redis-py's own defaults a frozen Redis costs twelve
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
        self._tell(code, version)
        if self._redis:
            self._outbox.put(json.dumps([self.me, code, version]))

    def _tell(self, code: str, version: int) -> None:
        for listener in self.listeners:
            listener(code, version)

    def _send(self) -> None:
        """In a thread of its own, since a dead Redis must not hold up the answer to a tap."""
        assert self._redis
        while True:
            message = self._outbox.get()
            try:
                self._redis.publish(CHANNEL, message)
            except redis.RedisError as error:
                log.warning("Redis did not take a poke: %s", error)

    def _listen(self) -> None:
        assert self._redis
        pause = threading.Event()
        while True:
            try:
                with self._redis.pubsub(ignore_subscribe_messages=True) as heard:  # type: ignore[no-untyped-call]
                    heard.subscribe(CHANNEL)
                    while True:
                        message = heard.get_message(timeout=30)
                        if message:
                            self._heard(message["data"])
            except redis.RedisError as error:
                log.warning("Redis is away: %s", error)
                pause.wait(1)

    def _heard(self, data: bytes) -> None:
        who, code, version = json.loads(data)
        if who != self.me:
            self._tell(code, version)


def _connect(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=None, health_check_interval=0
    )
