"""Servers by fork. To start one takes most of a second, nearly all of it to import what every server imports.

So one process imports all that is not ours once and waits; `python tests/forked.py` is that one. A fork of
it imports us, once, and waits too: each server is a fork of that, with its own words, environment and log,
and can be stopped and killed as any other process. Copies of us that are broken on purpose are imported by
another fork of the first, once for all their starts; so do programs fork that end in us but do something
else before.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, NoReturn

MOST = 1 << 20  # bytes of an order
OURS = str(Path(__file__).parents[1])  # is a copy as well: the one that is not broken
fork, waitpid, on_signal, pair = (
    os.fork,
    os.waitpid,
    signal.signal,
    socket.socketpair,
)  # before gevent has them


class Forked:
    """A server, as `subprocess.Popen` would give it."""

    def __init__(
        self,
        words: list[str],
        env: dict[str, str],
        log: IO[bytes],
        errors: IO[bytes] | None = None,
        other: str = "",
    ) -> None:
        """Of us; or of the copy in that folder, or of that program."""
        self._told, status = os.pipe()
        order = json.dumps([words, env, other]).encode()
        fds = [log.fileno(), (errors or log).fileno(), status]
        with _one_begins:
            line = _nursery()[0] if other.endswith(".py") else _copy_at(other or OURS)
        socket.send_fds(line, [order], fds)
        os.close(status)
        self.returncode: int | None = None
        self._said = b""
        while b"\n" not in self._said:
            self._said += os.read(self._told, 100)
        pid, _, self._said = self._said.partition(b"\n")
        self.pid = int(pid)

    def wait(self, timeout: float | None = None) -> int:
        """Its status; a signal that ended it is a negative one."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if until is None else max(0, until - time.monotonic())
            if not select.select([self._told], [], [], left)[0]:
                raise subprocess.TimeoutExpired(f"server {self.pid}", timeout or 0)
            more = os.read(self._told, 100)
            self._said += more
            if not more:
                self.returncode = int(self._said)
                os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, how: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, how)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def ran(words: list[str], env: dict[str, str], other: str = "") -> subprocess.CompletedProcess[str]:
    """A command that ends, and what it said."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = Forked(words, env, out, err, other)
        try:
            status = process.wait(60)
        finally:
            process.kill()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, status, out.read().decode(), err.read().decode())


_one_begins = threading.Lock()  # two servers may be started at once, and `cache` would make two of these then


@cache
def _nursery() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Ends when we do: then nobody holds the other end of its line."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [sys.executable, __file__, str(there.fileno())]
    process = subprocess.Popen(words, pass_fds=[there.fileno()], cwd=Path(__file__).parents[1])
    there.close()
    return here, process


_copies: dict[str, socket.socket] = {}


def _copy_at(folder: str) -> socket.socket:
    """The line to who has imported the copy in that folder. Beside ours there is one at a time: whoever waits
    for the one before ends with its line, and what it has forked does not."""
    if folder not in _copies:
        for each in _copies.keys() - {OURS} if folder != OURS else ():
            _copies.pop(each).close()
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(_nursery()[0], [json.dumps([folder]).encode()], [there.fileno()])
        there.close()
        _copies[folder] = here
    return _copies[folder]


# --- the process that waits ---


def attend(line: socket.socket) -> None:
    on_signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a watcher ended
    while True:
        order, fds, _, _ = socket.recv_fds(line, MOST, 3)
        if not order:
            return
        if fork() == 0:
            if len(fds) == 1:
                line.close()
                attend_copy(*json.loads(order), fds[0])
            watch(line, *json.loads(order), *fds)
        for each in fds:
            os.close(each)


def attend_copy(folder: str, line: int) -> NoReturn:
    sys.path.insert(0, folder)
    get_ours_ready()
    gc.freeze()
    attend(Plain("socket").socket(fileno=line))
    os._exit(0)


def watch(
    line: socket.socket, words: list[str], env: dict[str, str], other: str, out: int, err: int, status: int
) -> NoReturn:
    """The server's parent: says who it is, and in the end how it ended."""
    line.close()
    on_signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, said in ((1, out), (2, err)):
        os.dup2(said, number)
        os.close(said)
    os.environ.clear()
    os.environ.update(env)
    asks, hears = pair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if words[0] == "serve" and "--workers" not in words and fork() == 0:
        os.close(status)
        asks.close()
        wait_at(hears)
    hears.close()
    server = fork()
    if server == 0:
        os.close(status)
        become(words, other, asks)
    asks.close()
    os.write(status, f"{server}\n".encode())
    os.write(status, str(os.waitstatus_to_exitcode(waitpid(server, 0)[1])).encode())
    os._exit(0)


def become(words: list[str], other: str, asks: socket.socket) -> NoReturn:
    sys.argv = ["companion", *words]
    if other.endswith(".py"):
        leave(lambda: runpy.run_path(other, run_name="__main__"))
    if "--workers" in words:
        asks.close()
        fork_workers()
    elif words[0] == "serve" and "SPAWNS" not in os.environ:
        fork_aside(asks)
    from companion.command_line.main import main

    leave(lambda: main(words))


# --- several workers, and who starts them ---


class Plain:
    """A module as it was before gevent came."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        from gevent import monkey

        return monkey.get_original(self._name, name)


def fork_workers() -> None:
    """Who starts them has no gevent where it starts anew, so here it goes by what was there before: it waits
    for its workers as ever, and there is no loop yet that these would share. They find all imported."""
    from companion.serving import workers

    for name in ("os", "select", "signal", "socket", "time"):
        setattr(workers, name, Plain(name))


# --- the second process of a server, which is forked as well ---


def fork_aside(asks: socket.socket) -> None:
    """Of whoever waits at the other end; a server that has begun must not fork."""
    import gevent.socket

    from companion.serving import aside

    line = gevent.socket.socket(fileno=asks.detach())

    class Child(aside.Child):
        def __init__(self, words: list[str], listener: int) -> None:
            theirs, self.stdin = os.pipe()
            socket.send_fds(line, [words[-1].encode()], [theirs, listener])
            os.close(theirs)
            self.pid = int(line.recv(100))

        def wait(self) -> int:
            status = int(line.recv(100))
            os.close(self.stdin)
            return status

    aside.Child = Child  # type: ignore[misc]


def wait_at(line: socket.socket) -> NoReturn:
    """Until the server is gone. It asks for another when the one before has ended."""
    while True:
        folder, fds, _, _ = socket.recv_fds(line, MOST, 2)
        if not folder:
            os._exit(0)
        child = fork()
        if child == 0:
            line.close()
            os.dup2(fds[0], 0)
            os.close(fds[0])
            leave(partial(begin_aside, fds[1], folder.decode()))
        for each in fds:
            os.close(each)
        with suppress(OSError):  # the server is gone already
            line.send(str(child).encode())
            line.send(str(os.waitstatus_to_exitcode(waitpid(child, 0)[1])).encode())


def begin_aside(listener: int, folder: str) -> None:
    from companion.serving.aside import main

    main(listener, folder)


def leave(run: Callable[[], object]) -> NoReturn:
    """As `sys.exit(run())`, but nothing is cleared away first: that takes longer than most commands."""
    status: object = 1
    try:
        status = run()
    except SystemExit as ended:
        status = ended.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))


def get_ready() -> None:
    """With gevent first, as every server does it."""
    from gevent import events, monkey

    gc.set_threshold(200_000)
    events.notify_and_call_entry_points = events.notify
    monkey.patch_all()
    import alembic.command
    import flask
    import psycopg
    import pygal
    import qrcode
    import sqlalchemy.dialects.postgresql
    import sqlalchemy.dialects.sqlite
    import sqlmodel

    assert all((alembic, flask, psycopg, pygal, qrcode, sqlalchemy, sqlmodel))


def get_ours_ready() -> None:
    import companion.serving.serve
    import companion.web
    from companion.core.event import get_ready
    from companion.games import shelf

    for game in shelf().values():
        for kind in game.events:
            get_ready(kind)
    assert companion


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    waiting = socket.socket(fileno=int(sys.argv[1]))  # before sockets learn to let others go on
    get_ready()
    gc.freeze()  # or the first collection of each fork would make a copy of all of it
    attend(waiting)
