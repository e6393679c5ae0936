"""What takes long is answered by a second process: the same app on the same database, which only reads.

The server is one loop for all phones, and whatever computes in it stops them all. So it hands over what is
marked `takes_long` (web/guard.py): the request as WSGI has it goes through a socket that only this user can
open, and the answer comes back the same way while taps go on. The second process writes nothing and knows
nothing that is not on disk, so it may die at any moment; the server then starts another one.
"""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gevent
from gevent import monkey
from gevent.event import Event
from gevent.lock import BoundedSemaphore

from companion import settings as chosen
from companion.serving import logs
from companion.serving.starting import load_quickly, loaded, patch

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.wrappers import Response

log = logging.getLogger(__name__)
AT_ONCE = 100  # requests on their way there; others wait for their turn here
PATIENCE = 60  # seconds for an answer, also from one that is only starting
SOON = 0.5  # seconds until another begins; twice as many each time that one did not last
NICE = 10  # when both want the processor, taps go first
TIDY = 10  # seconds until what was forgotten is gone from its memory too
CHECKED = {"REDIS_URL": None, "TRUSTED_PROXIES": 0, "LIMITS": "off", "HOSTS": ["*"]}  # by the server, once
LISTENER = 3  # as which file the second process finds it
#: Windows can do neither; there all is computed in the one process that serves.
CAN_SPAWN = hasattr(os, "posix_spawn") and hasattr(socket, "AF_UNIX")
SETTINGS = ("DATABASE_URL", "PUBLIC_URL", "SHELF")


# --- in the server ---


class Child:
    """A process that is ours. gevent's own `Popen` forks, which takes 50 ms and more where many tables are in
    memory: meanwhile no phone is answered."""

    def __init__(self, words: list[str], listener: int) -> None:
        theirs, self.stdin = os.pipe()  # ours stays open: when it closes, in whatever way, the server is gone
        given = [(os.POSIX_SPAWN_DUP2, theirs, 0), (os.POSIX_SPAWN_DUP2, listener, LISTENER)]
        loop = gevent.get_hub().loop
        loop.install_sigchld()
        try:
            self.pid = os.posix_spawn(words[0], words, os.environ, file_actions=given)
        except OSError:
            os.close(self.stdin)
            raise
        finally:
            os.close(theirs)
        self._over = Event()
        self._watcher = loop.child(self.pid)
        self._watcher.start(self._over.set)  # before the loop looks up, or it might end unseen

    def wait(self) -> int:
        self._over.wait()
        status = os.waitstatus_to_exitcode(self._watcher.rstatus)
        self._watcher.close()
        os.close(self.stdin)
        return status

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


class Aside:
    """The way to the second process. The listening socket is ours: who comes too early just waits in line."""

    def __init__(self, app: Flask) -> None:
        self.settings = {name: app.config[name] for name in SETTINGS}
        self.folder = self.path = ""
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.process: Child | None = None
        self._turns = BoundedSemaphore(AT_ONCE)
        self._keeper: Any = None
        self._hurried = False

    def start(self) -> None:
        """At the first request that takes long, or when the server has had time for its first phones."""
        if self._keeper is None:
            self.folder = tempfile.mkdtemp(prefix="companion-")  # which only this user can enter
            self.path = str(Path(self.folder) / "aside")
            self.listener.bind(self.path)
            self.listener.listen(2 * AT_ONCE)
            self._keeper = gevent.spawn(self.keep_running)

    def keep_running(self) -> None:
        """One that ends as soon as it begins would else keep a core busy with its starts."""
        pause = SOON
        while True:
            began = time.monotonic()
            try:
                status: object = self._begin().wait()
            except OSError as why:
                status = why
            pause = SOON if time.monotonic() - began > PATIENCE else min(2 * pause, PATIENCE)
            log.warning("the process for what takes long ended (%s); another begins in %s s", status, pause)
            gevent.sleep(pause)

    def _begin(self) -> Child:
        words = [sys.executable, "-m", "companion.serving.aside", str(LISTENER), self.folder]
        self.process = Child(words, self.listener.fileno())
        if not self._hurried:
            self._run_as("SCHED_IDLE")  # while it only gets ready it takes what taps leave over
        os.write(self.process.stdin, json.dumps(self.settings).encode() + b"\n")
        return self.process

    def ask(self, environ: Mapping[str, Any], body: bytes = b"") -> Response:
        from companion.web.guard import TakesTooLong

        self._hurry()
        self.start()
        head = {name: value for name, value in environ.items() if isinstance(value, str)}
        sent = json.dumps({**head, "CONTENT_LENGTH": str(len(body))}).encode() + b"\n" + body
        with self._turns:
            for last in (False, True):
                try:
                    return self._ask(sent)
                except TimeoutError as why:
                    raise TakesTooLong(f"no answer within {PATIENCE} s") from why
                except (OSError, ValueError) as why:  # it ended with our request in its hands
                    if last:
                        raise TakesTooLong(str(why)) from why
        raise AssertionError("unreachable")

    def _hurry(self) -> None:
        """Somebody waits for it."""
        if not self._hurried:
            self._hurried = True
            self._run_as("SCHED_OTHER")

    def _run_as(self, kind: str) -> None:
        if self.process and hasattr(os, kind):  # Linux
            with suppress(OSError):  # it has just ended
                os.sched_setscheduler(self.process.pid, getattr(os, kind), os.sched_param(0))

    def _ask(self, sent: bytes) -> Response:
        from werkzeug.wrappers import Response

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(PATIENCE)
            line.connect(self.path)
            line.sendall(sent)
            with line.makefile("rb") as answer:
                status, headers, size = json.loads(answer.readline())
                body = answer.read(size)
        if len(body) < size:
            raise ConnectionError("cut off in the middle of an answer")
        return Response(body, status, headers)

    def close(self) -> None:
        if self._keeper is not None:
            self._keeper.kill()
        if self.process:
            with suppress(OSError):
                self.process.kill()  # it has nothing to finish: whoever asked has been answered or given up
        self.listener.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


# --- in the second process ---


def main(number: int, folder: str) -> None:
    patch()
    load_quickly()
    for word in (signal.SIGINT, signal.SIGTERM):  # Ctrl+C reaches us too; the server decides when we go
        signal.signal(word, signal.SIG_IGN)
    logs.set_up(chosen()["LOG"])
    settings = json.loads(sys.stdin.buffer.readline())
    # A real thread, which notices the end of the server also while we compute.
    monkey.get_original("_thread", "start_new_thread")(_end_with_the_server, (folder,))

    from gevent.pool import Pool
    from gevent.server import StreamServer

    from companion import create_app
    from companion.web.compiled import forget_others, load_all

    app = create_app({**settings, "READS_ONLY": True, **CHECKED})
    loaded()
    os.nice(NICE)  # not sooner: on a busy machine whoever asks first would wait half a minute for the start
    listener = socket.socket(fileno=number)
    listener.setblocking(False)
    server = StreamServer(listener, lambda line, _: _answer(app, line), spawn=Pool())
    server.start()

    def wait_until_idle() -> None:
        gevent.sleep(0.1)
        server.pool.join()

    load_all(app.jinja_env, lambda: gevent.sleep(0.001))
    forget_others()
    gevent.spawn(app.extensions["look_up"].get_ready, wait_until_idle)
    while True:
        gevent.sleep(TIDY)
        _tidy(app)


def _end_with_the_server(folder: str) -> None:
    while os.read(0, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)  # after a SIGKILL nobody else does it
    os._exit(0)


def _answer(app: Flask, line: socket.socket) -> None:
    from werkzeug.wrappers import Response

    with line, suppress(OSError):  # the server did not wait for it
        with line.makefile("rb") as line_in:
            first = line_in.readline()
            if not first.endswith(b"\n"):
                return
            environ = json.loads(first)
            size = int(environ["CONTENT_LENGTH"])
            body = line_in.read(size)
        if len(body) < size:
            return
        around = {
            "wsgi.version": (1, 0),
            "wsgi.input": io.BytesIO(body),
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        answer = Response.from_app(app, {**environ, **around}, buffered=True)
        body = answer.get_data()
        head = json.dumps([answer.status, answer.headers.to_wsgi_list(), len(body)])
        line.sendall(head.encode() + b"\n" + body)


def _tidy(app: Flask) -> None:
    """Nobody is shown what was forgotten, since every answer looks at the disk; but it must not stay here."""
    from companion.storage.store import NotSaved

    try:
        app.extensions["play"].look_again()
        app.extensions["play"].sweep()
        app.extensions["history"].look_again()
    except NotSaved as why:
        log.warning("will look again in %s s: %s", TIDY, why)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
