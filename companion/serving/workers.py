"""Several processes on one port: this one starts them, starts anew whichever dies, and serves nothing itself.

Workers are forked from it, and gevent must patch before anything is imported, so nothing that a worker needs
is imported here.
"""

from __future__ import annotations

import logging
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

log = logging.getLogger(__name__)
LEAVE = 4.5  # seconds that workers have to leave in, before they are made to
STEADY = 10  # seconds; whoever served for so long is started anew at once
PAUSE = 1.0  # seconds before another starts in the place of one that served for less
LONGEST = 10  # seconds; the pauses of one that does not even come up grow to this


@dataclass(frozen=True)
class Leash:
    """What ties a worker to whoever started it."""

    port: int
    number: int
    many: int
    folder: str  # where workers find each other
    held: int  # can be read from when whoever started us is no more
    _gate: int
    _says: int

    def say(self, line: str) -> None:
        os.write(self._says, f"{' '.join(line.split())}\n".encode())

    def wait(self) -> None:
        """Until all are ready: whoever listened first would get every phone."""
        self.say(f"{os.getpid()} is ready")
        os.read(self._gate, 1)


class Workers:
    def __init__(self, host: str, port: int, many: int, work: Callable[[Leash], int]) -> None:
        """`work` is what a worker does from its first moment on; what it gives is its exit code."""
        self.many, self.work = many, work
        self._place = hold_port(host, port)
        self.port = int(self._place.getsockname()[1])
        self._hears, self._says = os.pipe()
        self._held, self._holds = os.pipe()  # nothing is ever written to these two
        self._gate, self._bars = os.pipe()
        self._wakes, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._folder = tempfile.mkdtemp(prefix="companion-workers-")  # which only this user can enter
        self._pids: dict[int, int] = {}  # and which number each has
        self._due: dict[int, float] = {}  # when to start which one anew
        self._pauses: dict[int, float] = {}  # by number; of those that did not come up
        self._ready: dict[int, float] = {}  # pid → since when
        self._stopped = self._greeted = False

    def run(self, ready: Callable[[], None], fail: Callable[[str], int]) -> int:
        """Until SIGTERM or SIGINT. What keeps all from starting is said once."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that it wakes us
        signal.set_wakeup_fd(self._waker)
        self._due = dict.fromkeys(range(self.many), 0.0)
        status = 0
        while not self._stopped:
            self._start_those_due()
            for line in self._listen():
                who, _, rest = line.partition(" ")
                if rest == "is ready":
                    self._ready[int(who)] = time.monotonic()
                elif self._greeted or not status:  # at the start all would say the same
                    status = fail(line)
            for pid, code in reaped():
                if code >= 0 and not self._greeted:  # it gave up before it served, and so would the next one
                    self._pids.pop(pid, None)
                    self._leave()
                    return status or code or 1
                self._mourn(pid, code)
            if len(self._ready) == self.many and not self._greeted:
                self._greeted = True
                os.close(self._bars)
                ready()
        self._leave()
        return 0

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _start_those_due(self) -> None:
        now = time.monotonic()
        for number in [number for number, due in self._due.items() if due <= now]:
            del self._due[number]
            self._start(number)

    def _start(self, number: int) -> None:
        pid = os.fork()
        if pid:
            self._pids[pid] = number
            return
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for each in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
                signal.signal(each, signal.SIG_DFL)
            bars = () if self._greeted else (self._bars,)
            for end in (self._hears, self._holds, self._wakes, self._waker, *bars):
                os.close(end)
            self._place.close()
            ends = (self._held, self._gate, self._says)
            code = self.work(Leash(self.port, number, self.many, self._folder, *ends))
        except BaseException:
            log.exception("a worker broke")
        finally:
            os._exit(code)  # what is above on the stack belongs to whoever forked

    def _listen(self) -> list[str]:
        """Whatever the workers say until one is due, or has died, or we are told to stop."""
        wait = max(0.0, min(self._due.values()) - time.monotonic()) if self._due else None
        heard, _, _ = select.select([self._hears, self._wakes], [], [], wait)
        if self._wakes in heard:
            os.read(self._wakes, 4096)
        if not heard:
            return []
        more, _, _ = select.select([self._hears], [], [], 0)  # also the last words of one that just died
        return os.read(self._hears, 65536).decode("utf-8", "replace").splitlines() if more else []

    def _mourn(self, pid: int, code: int) -> None:
        """Whoever served is soon followed by another, however often; only a start that fails is put off."""
        now = time.monotonic()
        number, since = self._pids.pop(pid), self._ready.pop(pid, None)
        before = self._pauses.pop(number, PAUSE / 2)
        if since is None:
            pause = self._pauses[number] = min(2 * before, LONGEST)
        else:
            pause = 0.0 if now - since > STEADY else PAUSE
        self._due[number] = now + pause
        log.warning("worker %s ended with exit code %s; another starts in %.0f s", pid, code, pause)

    def _leave(self) -> None:
        self._tell_all(signal.SIGTERM)
        until = time.monotonic() + LEAVE
        while self._pids and time.monotonic() < until:
            for pid, _ in reaped():
                self._pids.pop(pid, None)
            time.sleep(0.02)
        self._tell_all(signal.SIGKILL)
        self._place.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _tell_all(self, number: int) -> None:
        for pid in self._pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def hold_port(host: str, port: int) -> socket.socket:
    """Bound, so that it is ours while workers come and go, but never listening: only they do.

    It is bound alone, or we would share the port of another companion; only then may our workers join it.
    """
    place = socket.socket(socket.AF_INET6 if not host or ":" in host else socket.AF_INET)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind((host, port))
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return place


def reaped() -> list[tuple[int, int]]:
    """Whoever has died, and its exit code; minus the signal, if it was one."""
    found = []
    with suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            found.append((dead[0], os.waitstatus_to_exitcode(dead[1])))
    return found
