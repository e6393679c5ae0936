"""Who is connected: since when a line says nothing, and by when a request that has begun must be here.

A look at the clock every second is enough for all of them, so a tap that comes whole costs nothing here.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from email.errors import MultipartInvariantViolationDefect, StartBoundaryNotFoundDefect
from email.message import Message
from typing import Any

from companion.web.limits import Gate

FULL = b"That is more connections than one address may have. Close some, and try again."
LATE = b"The request did not come to its end in time."
UNSOUND = b"That request could not be read."
#: Of a form with a file only the head is read here, and the parser misses the rest.
BODY_TO_COME = (StartBoundaryNotFoundDefect, MultipartInvariantViolationDefect)


def refusal(status: str, sentence: bytes, more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\n{more}Content-Type: text/plain; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(sentence)}\r\n\r\n".encode() + sentence


TOO_MANY = refusal("429 TOO MANY REQUESTS", FULL, "Retry-After: 5\r\n")
TOO_LATE = refusal("408 REQUEST TIMEOUT", LATE)
BAD = refusal("400 BAD REQUEST", UNSOUND)


class Idle(dict[Any, float]):
    """Lines that say nothing, and since when."""

    def add(self, sock: Any) -> None:
        self[sock] = time.monotonic()

    def discard(self, sock: Any) -> None:
        self.pop(sock, None)


class Connections:
    def __init__(self, gate: Gate, clock: Callable[[], float] = time.monotonic) -> None:
        self.gate, self.limits, self.clock = gate, gate.limits, clock
        self.idle = Idle()
        self._due: dict[Any, float] = {}  # by when what has begun must be here
        self.late: set[Any] = set()  # whose reader is told that nothing more comes

    def await_head(self, sock: Any) -> None:
        self._due[sock] = self.clock() + self.limits.head

    def await_body(self, sock: Any) -> None:
        self._due[sock] = self.clock() + self.limits.body

    def arrived(self, sock: Any) -> None:
        self._due.pop(sock, None)
        self.late.discard(sock)

    def forget(self, sock: Any) -> None:
        self.arrived(sock)
        self.idle.discard(sock)

    def sweep(self) -> None:
        """Whoever is late is taken to have said all, and gets an answer to that."""
        now = self.clock()
        for sock in [sock for sock, due in self._due.items() if due < now]:
            del self._due[sock]
            self.late.add(sock)
            _hear_no_more(sock)
        for sock in [sock for sock, since in self.idle.items() if since + self.limits.idle < now]:
            _hear_no_more(sock)


def _hear_no_more(sock: Any) -> None:
    with suppress(OSError):
        # Beneath gevent's own, or whoever reads would be told of an accident, and not of the end.
        sock._sock.shutdown(socket.SHUT_RD)  # noqa: SLF001


def why_unsound(headers: Message, version: str = "HTTP/1.1") -> str:
    """Where two servers could read two different requests, none is: so one would be smuggled past a proxy."""
    defects = [each for each in headers.defects if not isinstance(each, BODY_TO_COME)]
    if defects or headers.get_payload():  # as where a space stands before the colon
        return "a header that is none"
    names = len(headers.get_all("Host", []))
    if names > 1 or (not names and version == "HTTP/1.1"):
        return "not just one name that it was sent to"
    lengths, coding = headers.get_all("Content-Length", []), headers.get_all("Transfer-Encoding", [])
    if len(lengths) > 1:
        return "two lengths"
    if lengths and coding:
        return "a length, and a transfer coding too"
    if lengths and not (lengths[0].isascii() and lengths[0].isdecimal()):
        return "a length that is no number"
    if coding and [each.lower() for each in coding] != ["chunked"]:
        return "a transfer coding that is not known"
    return ""
