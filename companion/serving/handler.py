"""One connection, in a greenlet of its own: pages go to Flask by pywsgi, what phones do all evening takes the
short road (web/road.py), and a socket that has become a stream or a line of taps goes on without it."""

from __future__ import annotations

import io
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gevent
from gevent.pywsgi import WSGIHandler

from companion.serving import leftovers
from companion.serving.connections import BAD, TOO_LATE, TOO_MANY, why_unsound
from companion.serving.lines import Line
from companion.serving.meter import clock
from companion.serving.secure import SecureLine
from companion.serving.stalls import named
from companion.serving.wire import Incoming, WholeLines, whole_line
from companion.web.road import Answer, More
from companion.web.stream import BUFFER
from companion.web.stream import Wire as AnyWire

if TYPE_CHECKING:
    from companion.serving.serve import Server

log = logging.getLogger(__name__)


class Handler(WSGIHandler):  # type: ignore[misc]
    """As pywsgi's own, but quick, and able to let go of a socket that has become a stream."""

    socket: Any
    environ: Any

    def __init__(self, sock: Any, address: Any, server: Server, rfile: Any = None) -> None:
        self.attach: Callable[[AnyWire], None] | None = None
        self.why_not: Exception | None = None  # what the short road met
        self.parked = False  # it goes on without us
        self.secure = isinstance(sock, SecureLine)
        self.road = server.secure_road if self.secure else server.road
        self.since, self.head = 0.0, b""  # when the request came, and how it begins
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a keep-alive GET takes 43 ms
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # a phone out of range says no goodbye
        self.incoming = Incoming(sock)
        ahead, self.counted = server.ahead.pop(sock, (b"", False))
        self.incoming.put(ahead)
        super().__init__(sock, address, server, io.BufferedReader(self.incoming))

    def handle(self) -> None:
        mine, address, connections = self.socket, self.client_address[0], self.server.connections
        proxy = self.server.road.proxies.believed(address)  # it speaks for many
        if not proxy and not self.counted and not connections.gate.enter(address):
            with suppress(OSError):
                mine.sendall(TOO_MANY)
            return
        connections.idle.add(mine)
        try:
            super().handle()
        except OSError:  # cut off before it could be told what was wrong with its request
            pass
        finally:
            if self.parked:
                Line(self.server, mine, address)
            else:
                connections.forget(mine)
                if not proxy:
                    connections.gate.leave(address)

    def read_request(self, raw_requestline: Any) -> Any:
        self.server.idle.discard(self.socket)
        whole_line(raw_requestline.encode("latin-1"))
        sound = super().read_request(raw_requestline)
        if self.content_length or "Transfer-Encoding" in self.headers:
            self.server.connections.await_body(self.socket)
        else:
            self.server.connections.arrived(self.socket)
        return sound

    def MessageClass(self, *given: Any) -> Any:  # noqa: N802  as pywsgi calls it
        """Its headers, before anybody makes sense of what has none."""
        rfile, *more = given
        headers = super().MessageClass(WholeLines(rfile), *more)
        if why := why_unsound(headers, self.request_version):
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
            self.since, self.head = clock(), waiting
            leftovers.look_away()
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
        return self._answer(answer, len(waiting))

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
        if (
            neighbours is None
            or self.secure
            or not neighbours.hand_on(self.socket, address, waiting + self.incoming.ahead)
        ):
            return False
        sock, self.socket = self.socket, None  # what is None here is not closed by pywsgi
        sock.close()
        return True

    def _ask(self, waiting: bytes) -> Answer | More | None:
        road, address = self.road, str(self.client_address[0])
        try:
            away = None if road.gate.calm else road.turned_away(waiting, address)
            answer: Answer | More | None = away or road.answer(waiting, address)
        except Exception as why:  # Flask has the words for it
            answer, self.why_not = None, why
        return answer

    def _answer(self, answer: Answer, read: int) -> Any:
        self.rfile.read(answer.taken)
        if answer.attach:
            self._tune()
        if answer.wait:
            gevent.sleep(answer.wait)
        try:
            self._send(answer.data)
        except OSError:
            return None
        self.server.meter.answered(int(answer.data[9:12]), self.head, self.since)
        if answer.attach:
            self._let_go(answer.attach)
            return None
        if self.server.leaving or not answer.stays:
            return None
        self.server.idle.add(self.socket)
        if answer.taps and answer.taken == read and self._can_park():
            self.parked, self.socket = True, None  # what is None here is not closed by pywsgi
            return None
        return True

    def _can_park(self) -> bool:
        """Not what is decoded already, of which no watcher tells."""
        waits = self.secure and self.socket._sock.pending()  # noqa: SLF001
        return not waits and self.server.can_park(str(self.client_address[0]))

    def _send(self, data: bytes) -> None:
        """Nearly always all of it goes at once, and gevent's own way has more to ask first."""
        try:
            sent = self.socket._sock.send(data)  # noqa: SLF001
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self.socket.sendall(data[sent:])

    def get_environ(self) -> Any:
        over = {"wsgi.url_scheme": "https", "SERVER_PORT": str(self.road.port)} if self.secure else {}
        return {**super().get_environ(), **over, "companion.why_not": self.why_not}

    def handle_one_response(self) -> None:
        super().handle_one_response()
        self.server.meter.answered(abs(getattr(self, "code", 0) or 500), self.head, self.since)
        self.environ = self.why_not = None
        leftovers.pick_up()
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
            log.warning("a stream could not begin: %s", named(self.head), exc_info=True)
            wire.close()
