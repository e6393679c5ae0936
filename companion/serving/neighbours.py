"""Every table has one worker that its phones end up with, so that a tap is folded and drawn once, not by all.

The kernel gives a connection to any worker. Whoever reads that it is about a table of another worker's hands
it on: the open socket itself, with what was read from it. That is only for speed. Any worker can serve any
table, as on several machines it does, so a neighbour that does not take it is no harm.
"""

from __future__ import annotations

import re
import socket
import zlib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent.socket

TABLE = re.compile(rb"(?:GET|POST) /[js]/(\w{6})\b")
MOST = 32 * 1024  # bytes that are handed on with a socket


class Neighbours:
    def __init__(self, folder: str, me: int, many: int) -> None:
        self.me, self.many = me, many
        self._paths = [str(Path(folder) / str(number)) for number in range(many)]
        self._mine: Any = gevent.socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        Path(self._paths[me]).unlink(missing_ok=True)  # of the one before us
        self._mine.bind(self._paths[me])

    def take(self, handle: Callable[[Any, str, bytes], None]) -> None:
        """Whatever neighbours hand on, for ever."""
        while True:
            data, files, _, _ = socket.recv_fds(self._mine, MOST + 100, 1)
            if files:
                address, _, waiting = data.partition(b"\n")
                handle(gevent.socket.socket(fileno=files[0]), address.decode(), waiting)

    def hand_on(self, sock: Any, address: str, waiting: bytes) -> bool:
        """Whether it is another's now."""
        about = TABLE.match(waiting)
        if not about or len(waiting) > MOST:
            return False
        owner = zlib.crc32(about[1]) % self.many
        if owner == self.me:
            return False
        file = array("i", [sock.fileno()]).tobytes()
        message = [address.encode() + b"\n" + waiting], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, file)]
        try:  # beneath gevent's own, because it must not wait
            self._mine._sock.sendmsg(*message, socket.MSG_DONTWAIT, self._paths[owner])  # noqa: SLF001
        except OSError:  # it is starting, or has more than enough to do
            return False
        return True
