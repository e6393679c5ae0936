"""gevent's pywsgi, one loop for all phones; streams are handed from the request to the publisher."""

from __future__ import annotations

import gc
import io
import logging
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import gevent
import gevent.socket
from gevent.event import Event
from gevent.pool import Pool
from gevent.pywsgi import WSGIHandler, WSGIServer

from companion.serving.aside import Aside
from companion.serving.connections import BAD, TOO_LATE, TOO_MANY, Connections, why_unsound
from companion.serving.errands import Errands
from companion.serving.neighbours import Neighbours
from companion.serving.stalls import Stalls
from companion.serving.wire import Incoming, Wire
from companion.storage.store import NotSaved
from companion.web.compiled import load_compiled
from companion.web.road import Answer, More, Road
from companion.web.stream import BEAT, BUFFER
from companion.web.stream import Wire as AnyWire

if TYPE_CHECKING:
    from flask import Flask

    from companion.serving.workers import Leash
    from companion.sittings.play import Play
    from companion.web.stream import Streams

log = logging.getLogger(__name__)
LAST_WORDS = 3  # seconds a running request gets after SIGTERM; all is over within five, on a busy machine too
LOTS = 50  # in which tables hear that we are there
SETTLED = 60  # seconds after which a second process may start beside us, if nobody has needed it before


class Handler(WSGIHandler):  # type: ignore[misc]
    """As pywsgi's own, but quick, and able to let go of a socket that has become a stream."""

    socket: Any

    def __init__(self, sock: Any, address: Any, server: Server, rfile: Any = None) -> None:
        self.attach: Callable[[AnyWire], None] | None = None
        self.why_not: Exception | None = None  # what the short road met
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a keep-alive GET takes 43 ms
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a phone out of range says no goodbye
        self.incoming = Incoming(sock)
        self.incoming.put(server.ahead.pop(sock, b""))
        super().__init__(sock, address, server, io.BufferedReader(self.incoming))

    def handle(self) -> None:
        mine, address, connections = self.socket, self.client_address[0], self.server.connections
        proxy = self.server.road.proxies.believed(address)  # it speaks for many
        if not proxy and not connections.gate.enter(address):
            with suppress(OSError):
                mine.sendall(TOO_MANY)
            return
        connections.idle.add(mine)
        try:
            super().handle()
        except OSError:  # cut off before it could be told what was wrong with its request
            pass
        finally:
            connections.forget(mine)
            if not proxy:
                connections.gate.leave(address)

    def read_request(self, raw_requestline: Any) -> Any:
        self.server.idle.discard(self.socket)
        sound = super().read_request(raw_requestline)
        if self.content_length or "Transfer-Encoding" in self.headers:
            self.server.connections.await_body(self.socket)
        else:
            self.server.connections.arrived(self.socket)
        return sound

    def MessageClass(self, *given: Any) -> Any:  # noqa: N802  as pywsgi calls it
        """Its headers, before anybody makes sense of what has none."""
        headers = super().MessageClass(*given)
        why = "late" if self.socket in self.server.connections.late else why_unsound(headers)
        if why:
            raise ValueError(why)
        return headers

    def _connection_upgrade_requested(self) -> bool:
        """We speak nothing but HTTP, so a body ends where its length says, whatever else was hoped for."""
        return False

    def _handle_client_error(self, ex: Exception) -> tuple[str, bytes]:
        """The log gets no word of what was sent: the first line of it may hold an invitation."""
        if self.socket in self.server.connections.late:
            return "408", TOO_LATE
        log.warning("from %s came what is no request", self.client_address[0])
        return "400", BAD

    def _log_error(self, kind: Any, error: Any, where: Any) -> None:
        if not isinstance(error, OSError):  # a line that was cut is no news
            super()._log_error(kind, error, where)

    def handle_one_request(self) -> Any:
        """Taps and streams take the short road; see web/road.py."""
        self.why_not = None
        try:
            waiting = self.rfile.peek()
            self.server.idle.discard(self.socket)
            self.server.stalls.wait()
            self.server.stalls.request = waiting
            if self._is_for_another(waiting):
                return None
            answer = self._ask(waiting)
            if isinstance(answer, More):
                answer = self._ask_with_the_rest(waiting, answer)
        except OSError:  # cut off
            return None
        if answer is None:
            self.server.connections.await_head(self.socket)
            return super().handle_one_request()
        return self._answer(answer)

    def _ask_with_the_rest(self, waiting: bytes, answer: Answer | More | None) -> Answer | None:
        """Its body is still on its way, and has its time for all of it, in however small steps it comes."""
        self.server.connections.await_body(self.socket)
        while isinstance(answer, More):
            more = self.socket.recv(answer.bytes)
            self.incoming.put(more)
            waiting += more
            answer = self._ask(waiting) if more else None
        if answer:
            self.server.connections.arrived(self.socket)
        return answer

    def _is_for_another(self, waiting: bytes) -> bool:
        neighbours, address = self.server.neighbours, str(self.client_address[0])
        if neighbours is None or not neighbours.hand_on(self.socket, address, waiting + self.incoming.ahead):
            return False
        sock, self.socket = self.socket, None  # what is None here is not closed by pywsgi
        sock.close()
        return True

    def _ask(self, waiting: bytes) -> Answer | More | None:
        road, address = self.server.road, str(self.client_address[0])
        try:
            away = None if road.gate.calm else road.turned_away(waiting, address)
            answer: Answer | More | None = away or road.answer(waiting, address)
        except Exception as why:  # Flask has the words for it
            answer, self.why_not = None, why
        return answer

    def _answer(self, answer: Answer) -> Any:
        self.rfile.read(answer.taken)
        if answer.attach:
            self._tune()
        if answer.wait:
            gevent.sleep(answer.wait)
        try:
            self._send(answer.data)
        except OSError:
            return None
        if answer.attach:
            self._let_go(answer.attach)
            return None
        if self.server.leaving or not answer.stays:
            return None
        self.server.idle.add(self.socket)
        return True

    def _send(self, data: bytes) -> None:
        """Nearly always all of it goes at once, and gevent's own way has more to ask first."""
        try:
            sent = self.socket._sock.send(data)  # noqa: SLF001
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self.socket.sendall(data[sent:])

    def get_environ(self) -> Any:
        return {**super().get_environ(), "companion.why_not": self.why_not}

    def handle_one_response(self) -> None:
        super().handle_one_response()
        self.server.connections.arrived(self.socket)
        if self.server.leaving:
            self.close_connection = True
        if self.attach:
            self._let_go(self.attach)
        elif not self.close_connection:
            self.server.idle.add(self.socket)

    def finalize_headers(self) -> None:
        super().finalize_headers()
        if self.command == "HEAD":  # chunks have an end that is sent, and here nothing is
            self.response_use_chunked = False

    def process_result(self) -> None:
        attach = self.environ.get("companion.stream")
        if attach is None:
            super().process_result()
            return
        self.close_connection = True  # no further request can come on it, whether it stays open or not
        self._tune()
        for data in self.result:
            self.write(data)
        if self.response_use_chunked:
            self.attach = attach

    def _tune(self) -> None:
        """A stream's socket must neither soak up memory for a phone that sleeps nor wait for it for ever."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)

    def _let_go(self, attach: Callable[[AnyWire], None]) -> None:
        """Only once the request is over, so that nothing of it can still touch the socket."""
        sock, self.socket = self.socket, None  # what is None here is not closed by pywsgi
        self.rfile.close()  # or the socket would stay open for as long as anyone remembers the request
        wire = self.server.keep(sock)
        try:
            attach(wire)
        except Exception:  # the phone hears that it was cut off, and comes again
            log.warning("a stream could not begin", exc_info=True)
            wire.close()


class Server(WSGIServer):  # type: ignore[misc]
    """Knows which connections are idle, so that leaving does not wait for phones that say nothing."""

    backlog = 4096  # phones that knock at once, as after a restart

    def __init__(self, listener: Any, app: Flask) -> None:
        self.connections = Connections(app.extensions["gate"])
        self.idle = self.connections.idle
        self.kept: set[Any] = set()
        self.leaving = False
        self.neighbours: Neighbours | None = None
        self.ahead: dict[Any, bytes] = {}  # what a neighbour has read of a socket already
        self.road = Road(app)
        self.stalls = Stalls()
        super().__init__(listener, app, log=None, error_log=log, handler_class=Handler, spawn=Pool(100_000))

    def take(self, sock: Any, address: str, waiting: bytes) -> None:
        """From a neighbour."""
        self.ahead[sock] = waiting
        self.do_handle(sock, (address, 0))

    def keep(self, sock: Any) -> Wire:
        self.kept.add(sock)
        return Wire(self.kept, sock)

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


def serve(
    app: Flask,
    host: str,
    port: int,
    ready: Callable[[int], None] = lambda port: None,
    leash: Leash | None = None,
) -> None:
    """Until SIGTERM or SIGINT; then running requests finish, and we are gone within five seconds.

    With a leash we are one worker of several.
    """
    streams: Streams = app.extensions["streams"]
    play: Play = app.extensions["play"]
    store = play.store
    server = Server((host, port) if leash is None else shared(host, port), app)
    aside = Aside(app)
    app.extensions["aside"] = aside.ask
    stop = Event()
    if leash:
        gevent.spawn(_wait_for, leash.held, stop)
        server.neighbours = Neighbours(leash.folder, leash.number, leash.many)
        gevent.spawn(server.neighbours.take, server.take)
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, stop.set)
    _allow_many_phones()
    server.start()
    server.road.port = server.server_port
    gevent.spawn_later(0.02, ready, server.server_port)  # to draw a QR code takes longer than a page
    _tidy_little_by_little()
    gevent.config.track_greenlet_tree = False  # or each one remembers where it was made, line by line
    streams.later = gevent.spawn
    streams.by_and_by = partial(gevent.spawn_later, 0.3)
    store.waiting = Errands()
    sys.setswitchinterval(0.0005)  # seconds; it must not wait for the loop to be idle when it is back
    gevent.spawn_later(SETTLED, aside.start)
    gevent.spawn(_load_templates, app)
    gevent.spawn_later(1, _read_rulings, play)
    gevent.spawn(_every, BEAT / LOTS, partial(streams.beat, LOTS))
    gevent.spawn(_every, 1, server.connections.sweep)
    gevent.spawn(_every, 2, play.look_again)
    gevent.spawn(_every, 2, streams.call_for)
    gevent.spawn(_every, 30, play.sweep)
    gevent.spawn(_every, 600, partial(_tidy_up, streams))
    stop.wait()
    streams.close()
    server.leave(LAST_WORDS)
    aside.close()
    store.close()


def shared(host: str, port: int) -> Any:
    """A listener on a port that other workers listen on too; the kernel spreads the phones."""
    sock = gevent.socket.socket(socket.AF_INET6 if not host or ":" in host else socket.AF_INET)
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        sock.setsockopt(socket.SOL_SOCKET, option, 1)
    sock.bind((host, port))
    sock.listen(Server.backlog)
    sock.setblocking(False)
    return sock


def _wait_for(file: int, stop: Event) -> None:
    gevent.socket.wait_read(file)
    stop.set()


def _allow_many_phones() -> None:
    """A stream is an open file, and Debian's default of 1,024 is soon used up."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS promises more than it allows
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _load_templates(app: Flask) -> None:
    """Before a table needs them; what is not compiled yet, the second process compiles first."""
    for _ in range(60):
        if load_compiled(app.jinja_env, lambda: gevent.sleep(0.001)):
            return
        gevent.sleep(1)


def _read_rulings(play: Play) -> None:
    """Room by room, before anybody asks; the first page has not waited for them."""
    for game in play.games.values():
        len(game.rulings)
        gevent.sleep(0.01)


def _tidy_little_by_little() -> None:
    """Nearly all that a tap leaves behind is freed without the collector, and a full round of it over many
    tables would stop every phone. What is there from the start it need not look at, and the rest in lots."""
    gc.freeze()  # next to nothing of it is garbage, and to look for that would take as long as a page
    gc.set_threshold(2_000, 10, 1_000_000)


def _tidy_up(streams: Streams) -> None:
    """The full round, when nobody is there to wait for it."""
    if not len(streams):
        gc.collect()


def _every(seconds: float, do: Callable[[], None]) -> None:
    said = ""
    while True:
        gevent.sleep(seconds)
        try:
            do()
            said = ""
        except NotSaved as why:
            if str(why) != said:  # once is enough, however long it lasts
                log.warning("will look again every %s s: %s", seconds, why)
            said = str(why)
        except Exception:
            log.exception("will try again in %s s", seconds)
