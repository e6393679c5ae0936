"""gevent's pywsgi, one loop for all phones; streams are handed from the request to the publisher."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import gevent
import gevent.socket
from gevent.event import Event
from gevent.pool import Pool
from gevent.pywsgi import WSGIServer

from companion.core.event import get_ready
from companion.serving import leftovers
from companion.serving.aside import CAN_SPAWN, Aside
from companion.serving.connections import Connections
from companion.serving.errands import Errands, Standby
from companion.serving.handler import Handler
from companion.serving.lines import Line
from companion.serving.meter import Meter
from companion.serving.neighbours import Neighbours
from companion.serving.secure import LOOK, Certificate, SecureDoor
from companion.serving.stalls import Stalls
from companion.serving.watch import Watch
from companion.serving.wire import Wire
from companion.storage.store import NotSaved
from companion.web.compiled import load_compiled
from companion.web.road import Road
from companion.web.stream import BEAT

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from flask import Flask

    from companion.serving.workers import Leash
    from companion.sittings.play import Play
    from companion.web.stream import Streams

log = logging.getLogger(__name__)
LAST_WORDS = 3  # seconds a running request gets after SIGTERM; all is over within five, on a busy machine too
LOTS = 50  # in which tables hear that we are there
SETTLED = 60  # seconds after which a second process may start beside us, if nobody has needed it before


class Server(WSGIServer):  # type: ignore[misc]
    """Knows which connections are idle, so that leaving does not wait for phones that say nothing."""

    backlog = 4096  # phones that knock at once, as after a restart

    def __init__(self, listener: Any, app: Flask) -> None:
        self.connections = Connections(app.extensions["gate"])
        self.idle = self.connections.idle
        self.kept: set[Any] = set()
        self.leaving = False
        self.neighbours: Neighbours | None = None
        #: What somebody has read of a socket already, and whether that counts among the connections still.
        self.ahead: dict[Any, tuple[bytes, bool]] = {}
        self.under_way: set[Line] = set()  # with a tap on its way to the disk
        self.road = Road(app)
        self.secure_road = Road(app, "https")
        self.stalls = Stalls()
        self.meter = Meter()
        super().__init__(listener, app, log=None, error_log=log, handler_class=Handler, spawn=Pool(100_000))

    def take(self, sock: Any, address: str, waiting: bytes, counted: bool = False) -> None:
        """From a neighbour, or a line on which more came than a tap."""
        self.ahead[sock] = (waiting, counted)
        self.do_handle(sock, (address, 0))

    def can_park(self, address: str) -> bool:
        """Whether what comes on this connection may be plain taps that the loop can take by itself."""
        return self.road.play.alone and not self.neighbours and not self.road.proxies.believed(address)

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
        until = time.monotonic() + seconds
        while self.under_way and time.monotonic() < until:
            gevent.sleep(0.01)
        if not self.pool.join(timeout=max(0, until - time.monotonic())) or self.under_way:
            log.warning("left without an answer: %d request(s)", len(self.pool) + len(self.under_way))


def serve(
    app: Flask,
    host: str,
    port: int,
    ready: Callable[[int], None] = lambda port: None,
    leash: Leash | None = None,
    certificate: Certificate | None = None,
) -> None:
    """Until SIGTERM or SIGINT; then running requests finish, and we are gone within five seconds.

    With a leash we are one worker of several; with a certificate we speak https too, on a port of its own.
    """
    streams: Streams = app.extensions["streams"]
    play: Play = app.extensions["play"]
    store = play.store
    server = Server((host, port) if leash is None else shared(host, port), app)
    aside = Aside(app) if CAN_SPAWN else None
    if aside:
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
    watch = _watched(app, server, leash)
    server.road.port = server.server_port
    doors = [_second_door(app, server, host, certificate)] if certificate else []
    gevent.spawn_later(0.02, ready, server.server_port)  # to draw a QR code takes longer than a page
    leftovers.begin()
    gevent.config.track_greenlet_tree = False  # or each one remembers where it was made, line by line
    streams.later, store.later = Standby(), Standby()
    streams.by_and_by = partial(gevent.spawn_later, 0.3)
    errands = Errands()
    errands.is_due, errands.meanwhile = streams.is_due, streams.meanwhile
    store.waiting, store.waiting_long = errands.quickly, errands
    sys.setswitchinterval(0.0005)  # seconds; it must not wait for the loop to be idle when it is back
    if aside:
        gevent.spawn_later(SETTLED, aside.start)
    gevent.spawn(_load_templates, app)
    gevent.spawn_later(0.3, get_ready_to_read, play)
    gevent.spawn_later(1, _read_rulings, play)
    gevent.spawn(_every, BEAT / LOTS, partial(streams.beat, LOTS))
    gevent.spawn(_every, 1, server.connections.sweep)
    gevent.spawn(_every, 2, play.look_again)
    gevent.spawn(_every, 2, streams.call_for)
    gevent.spawn(_every, 30, play.sweep)
    gevent.spawn(_every, 600, partial(_tidy_up, streams))
    stop.wait()
    for door in doors:
        door.close()
    if watch:
        watch.close()
    streams.close()
    server.leave(LAST_WORDS)
    if aside:
        aside.close()
    store.close()


def _second_door(app: Flask, server: Server, host: str, certificate: Certificate) -> SecureDoor:
    https = app.extensions["https"]
    door = SecureDoor((host, https.port), server, certificate)
    door.start()
    https.port, https.plain = door.server_port, server.server_port
    server.secure_road.port = door.server_port
    gevent.spawn(_every, LOOK, certificate.look_again)
    return door


def _watched(app: Flask, server: Server, leash: Leash | None) -> Watch | None:
    """By whoever asks at the port that was set for it; with several workers, the next one has the next."""
    if not app.config["WATCH"]:
        return None
    host, port = app.config["WATCH"]
    watch = Watch(app, server)
    watch.start(host, port + (leash.number if leash else 0))
    return watch


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
    if resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS promises more than it allows
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _load_templates(app: Flask) -> None:
    """Before a table needs them; what is not compiled yet, the second process compiles first."""
    for _ in range(60):
        if load_compiled(app.jinja_env, lambda: gevent.sleep(0.001)):
            return
        gevent.sleep(1)


def get_ready_to_read(play: Play) -> None:
    """Tables, from the disk: what that takes only once, piece by piece, or the first one to be read keeps all
    phones waiting for it."""
    store = play.store
    for ask in (partial(store.sitting, ""), partial(store.phones, 0), lambda: list(store.each_row(0))):
        with suppress(NotSaved):
            ask()
        gevent.sleep(0.001)
    for kind in dict.fromkeys(kind for game in play.games.values() for kind in game.events):
        if get_ready(kind):
            gevent.sleep(0.001)


def _read_rulings(play: Play) -> None:
    """Room by room, before anybody asks; the first page has not waited for them. By a real thread: where
    nothing is kept (core/parsed.py) a room's take longer than phones should wait."""
    for game in play.games.values():
        gevent.get_hub().threadpool.apply(len, (game.rulings,))


def _tidy_up(streams: Streams) -> None:
    if not len(streams):
        leftovers.tidy_up()


def _every(seconds: float, do: Callable[[], None]) -> None:
    last_warning = ""
    while True:
        gevent.sleep(seconds)
        try:
            do()
            last_warning = ""
        except NotSaved as why:
            if str(why) != last_warning:  # once is enough, however long it lasts
                log.warning("will look again every %s s: %s", seconds, why)
            last_warning = str(why)
        except Exception:
            log.exception("will try again in %s s", seconds)
