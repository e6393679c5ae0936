"""gevent's pywsgi, one process, no threads of ours; streams are handed from the request to the publisher."""

from __future__ import annotations

import logging
import resource
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gevent
from gevent.event import Event
from gevent.pool import Pool
from gevent.pywsgi import WSGIHandler, WSGIServer

from companion.store import NotSaved
from companion.web.stream import BEAT, BUFFER

if TYPE_CHECKING:
    from flask import Flask

    from companion.store import Store
    from companion.web.stream import Streams

log = logging.getLogger(__name__)
LAST_WORDS = 3  # seconds a running request gets after SIGTERM; all is over within five, on a busy machine too


class Handler(WSGIHandler):  # type: ignore[misc]
    """As pywsgi's own, but quick, and able to let go of a socket that has become a stream."""

    socket: Any

    def __init__(self, sock: Any, address: Any, server: Server, rfile: Any = None) -> None:
        self.attach: Callable[[Wire], None] | None = None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a keep-alive GET takes 43 ms
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a phone out of range says no goodbye
        super().__init__(sock, address, server, rfile)

    def handle(self) -> None:
        self.server.idle.add(self.socket)
        mine = self.socket
        try:
            super().handle()
        finally:
            self.server.idle.discard(mine)

    def read_request(self, raw_requestline: Any) -> Any:
        self.server.idle.discard(self.socket)
        return super().read_request(raw_requestline)

    def handle_one_response(self) -> None:
        super().handle_one_response()
        if self.server.leaving:
            self.close_connection = True
        if self.attach:
            self._let_go(self.attach)
        elif not self.close_connection:
            self.server.idle.add(self.socket)

    def process_result(self) -> None:
        attach = self.environ.get("companion.stream")
        if attach is None:
            super().process_result()
            return
        self.close_connection = True  # no further request can come on it, whether it stays open or not
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)
        for data in self.result:
            self.write(data)
        if self.response_use_chunked:
            self.attach = attach

    def _let_go(self, attach: Callable[[Wire], None]) -> None:
        """Only once the request is over, so that nothing of it can still touch the socket."""
        sock, self.socket = self.socket, None  # what is None here is not closed by pywsgi
        self.rfile.close()  # or the socket would stay open for as long as anyone remembers the request
        wire = self.server.keep(sock)
        try:
            attach(wire)
        except Exception:  # the phone hears that it was cut off, and comes again
            log.warning("a stream could not begin", exc_info=True)
            wire.close()


class Wire:
    """A stream's socket. The raw one beneath gevent's is used, because sending must never wait."""

    def __init__(self, server: Server, sock: Any) -> None:
        self.server, self.sock = server, sock
        self.send = sock._sock.send  # noqa: SLF001

    def close(self) -> None:
        self.server.kept.discard(self.sock)
        self.sock.close()


class Server(WSGIServer):  # type: ignore[misc]
    """Knows which connections are idle, so that leaving does not wait for phones that say nothing."""

    def __init__(self, listener: Any, app: Flask) -> None:
        self.idle: set[Any] = set()
        self.kept: set[Any] = set()
        self.leaving = False
        super().__init__(
            listener, app, log=None, error_log=log, handler_class=Handler, backlog=4096, spawn=Pool(100_000)
        )

    def keep(self, sock: Any) -> Wire:
        self.kept.add(sock)
        return Wire(self, sock)

    def do_close(self, *args: Any) -> None:
        if args[0] not in self.kept:
            super().do_close(*args)

    def leave(self, seconds: float) -> None:
        """Accept nothing more, let what runs finish, and do not wait for phones that are merely connected."""
        self.leaving = True
        self.close()
        for sock in list(self.idle):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RD)  # closing it would not wake the greenlet that reads from it
        if not self.pool.join(timeout=seconds):
            log.warning("left without an answer: %d request(s)", len(self.pool))


def serve(app: Flask, host: str, port: int, ready: Callable[[int], None] = lambda port: None) -> None:
    """Until SIGTERM or SIGINT; then running requests finish, and we are gone within five seconds."""
    streams: Streams = app.extensions["streams"]
    store: Store = app.extensions["play"].store
    server = Server((host, port), app)
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, stop.set)
    _allow_many_phones()
    server.start()
    ready(server.server_port)
    gevent.spawn(_every, BEAT, streams.beat)
    gevent.spawn(_every, 2, streams.look_again)
    stop.wait()
    streams.close()
    server.leave(LAST_WORDS)
    store.close()


def _allow_many_phones() -> None:
    """A stream is an open file, and Debian's default of 1,024 is soon used up."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS promises more than it allows
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _every(seconds: float, do: Callable[[], None]) -> None:
    while True:
        gevent.sleep(seconds)
        try:
            do()
        except NotSaved as why:
            log.warning("will look again in %s s: %s", seconds, why)
        except Exception:
            log.exception("will try again in %s s", seconds)
