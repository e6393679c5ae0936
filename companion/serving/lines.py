"""Lines on which phones tap. Between two taps nobody waits on them but the loop itself.

A greenlet for each would be woken twice for a tap, to read it and when it is on disk, and each time finds its
way through the whole of pywsgi. Here a tap is read where the loop sees that it has come, and answered where
its trip to the disk ends. Whatever is more than a plain tap goes to a greenlet after all, as it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gevent

from companion.serving.meter import clock

if TYPE_CHECKING:
    from companion.serving.serve import Server

READ = 1  # as libev calls it
MOST = 4096  # bytes; no plain tap is longer


class Line:
    __slots__ = ("address", "server", "since", "sock", "waiting", "watcher")

    def __init__(self, server: Server, sock: Any, address: str) -> None:
        self.server, self.sock, self.address = server, sock, address
        self.waiting = b""  # the tap that is under way
        self.since = 0.0  # when it was read
        server.kept.add(sock)
        server.idle.add(sock)
        self.watcher = gevent.get_hub().loop.io(sock.fileno(), READ)
        self.watcher.start(self._ready)

    def _ready(self) -> None:
        if self.waiting:  # one after the other
            self.watcher.stop()
        elif not self.server.stalls.late():  # else it is seen again as soon as the loop has looked up
            self._read()

    def _read(self) -> None:
        server = self.server
        try:
            data = self.sock._sock.recv(MOST)  # noqa: SLF001
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._close()
            return
        server.idle.discard(self.sock)
        server.stalls.request = self.waiting = data
        self.since = clock()
        server.under_way.add(self)
        try:
            begun = server.road.begin(data, self.address, self._answer)
        except Exception:  # too many, or a slip of ours: the other way meets it too, and has the words
            begun = False
        if not begun:
            self._hand_over()

    def _answer(self, data: bytes) -> None:
        """After COMMIT; nothing, if there was none."""
        if not data:
            self._hand_over()
            return
        server, self.waiting = self.server, b""
        server.under_way.discard(self)
        try:
            whole = self.sock._sock.send(data) == len(data)  # noqa: SLF001
        except OSError:
            whole = False
        server.meter.tap(self.since)
        if not whole or server.leaving:  # who hears nothing sends the same tap again: the same answer
            self._close()
            return
        server.idle.add(self.sock)
        if not self.watcher.active:
            self.watcher.start(self._ready)

    def _hand_over(self) -> None:
        self._let_go()
        self.server.take(self.sock, self.address, self.waiting, counted=True)

    def _close(self) -> None:
        self._let_go()
        self.server.connections.forget(self.sock)
        self.server.connections.gate.leave(self.address)
        self.sock.close()

    def _let_go(self) -> None:
        self.watcher.stop()
        self.watcher.close()
        self.server.kept.discard(self.sock)
        self.server.under_way.discard(self)
