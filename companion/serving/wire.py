"""A stream's end at the server."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from typing import Any

from companion.web.stream import NOW


def _nothing() -> None:
    pass


class Wire:
    """A stream's socket. The raw one beneath gevent's is used, because sending must never wait."""

    def __init__(self, kept: set[Any], sock: Any) -> None:
        self.kept, self.sock = kept, sock
        self.send = sock._sock.send  # noqa: SLF001
        self.closed: Callable[[], None] = _nothing

    def gone(self) -> bool:
        """Whether the phone has hung up. Nothing more can come on a stream but its end."""
        try:
            return not self.sock._sock.recv(1, socket.MSG_PEEK | NOW)  # noqa: SLF001
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self) -> None:
        self.kept.discard(self.sock)
        self.sock.close()
        closed, self.closed = self.closed, _nothing  # it knows us, and we it
        closed()


def whole_line(line: bytes) -> bytes:
    """One that ends otherwise is read as another line by one server, and as more of the same by the next."""
    if not line.endswith(b"\r\n"):
        raise ValueError("a line without its end")
    return line


class WholeLines:
    """The head of a request, as its parser reads it."""

    def __init__(self, lines: io.BufferedReader) -> None:
        self._lines = lines

    def readline(self, most: int) -> bytes:
        return whole_line(self._lines.readline(most))


class Incoming(io.RawIOBase):
    """What a phone sends. Who has read ahead puts it back, and the next one reads it first."""

    def __init__(self, sock: Any) -> None:
        self.sock, self.ahead = sock, b""

    def put(self, data: bytes) -> None:
        self.ahead += data

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        if not self.ahead:
            return int(self.sock.recv_into(into))
        size = min(len(into), len(self.ahead))
        into[:size], self.ahead = self.ahead[:size], self.ahead[size:]
        return size
