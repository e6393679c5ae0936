"""Servers by fork. To start one takes most of a second, nearly all of it to import what every server imports.

So one process imports that once and waits; each server is a fork of it, with its own words, environment and
log, and can be stopped and killed as any other process. `python tests/forked.py` is the one that waits.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

MOST = 1 << 20  # bytes of an order
fork, waitpid, on_signal = os.fork, os.waitpid, signal.signal  # before gevent makes them its own


class Forked:
    """A server, as `subprocess.Popen` would give it."""

    def __init__(
        self, words: list[str], env: dict[str, str], log: IO[bytes], errors: IO[bytes] | None = None
    ) -> None:
        self._told, status = os.pipe()
        order = json.dumps([words, env]).encode()
        socket.send_fds(_nursery()[0], [order], [log.fileno(), (errors or log).fileno(), status])
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


def ran(words: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A command that ends, and what it said."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = Forked(words, env, out, err)
        try:
            status = process.wait(60)
        finally:
            process.kill()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, status, out.read().decode(), err.read().decode())


@cache
def _nursery() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Ends when we do: then nobody holds the other end of its line."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [sys.executable, __file__, str(theirs.fileno())]
    process = subprocess.Popen(words, pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[1])
    theirs.close()
    return ours, process


# --- the process that waits ---


def attend(line: socket.socket) -> None:
    on_signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a watcher ended
    while True:
        order, fds, _, _ = socket.recv_fds(line, MOST, 3)
        if not order:
            return
        if fork() == 0:
            watch(line, *json.loads(order), *fds)
        for each in fds:
            os.close(each)


def watch(
    line: socket.socket, words: list[str], env: dict[str, str], out: int, err: int, status: int
) -> NoReturn:
    """The server's parent: says who it is, and in the end how it ended."""
    line.close()
    on_signal(signal.SIGCHLD, signal.SIG_DFL)
    server = fork()
    if server == 0:
        os.close(status)
        become(words, env, out, err)
    os.close(out)
    os.close(err)
    os.write(status, f"{server}\n".encode())
    os.write(status, str(os.waitstatus_to_exitcode(waitpid(server, 0)[1])).encode())
    os._exit(0)


def become(words: list[str], env: dict[str, str], out: int, err: int) -> NoReturn:
    from companion.command_line.main import main

    for number, said in ((1, out), (2, err)):
        os.dup2(said, number)
        os.close(said)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["companion", *words]
    sys.exit(main(words))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    waiting = socket.socket(fileno=int(sys.argv[1]))  # before sockets learn to let others go on
    from companion.serving.starting import load_quickly, patch

    load_quickly()
    patch()
    import psycopg
    import sqlalchemy.dialects.postgresql
    import sqlalchemy.dialects.sqlite

    import companion.serving.serve
    import companion.web
    from companion.games import shelf

    assert all((psycopg, sqlalchemy, companion, shelf()))
    attend(waiting)
