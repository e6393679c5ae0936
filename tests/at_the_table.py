"""What tests sit down with: loaded dice, a table without a server, a phone without a screen, a server."""

from __future__ import annotations

import io
import os
import re
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar
from unittest.mock import patch

from flask import Flask
from flask.testing import FlaskClient
from forked import Forked
from services import free_port
from werkzeug.test import TestResponse

from companion.command_line.main import main
from companion.core import Context, Entry, Game, Journal, Line, Seat, Verdict, View
from companion.core.decide import decide
from companion.core.table import COLOURS, SYMBOLS, SittingOpened, Table
from companion.tools.house_rules import choices_at_first
from companion.tools.phones import PhoneJoined, SeatsTaken

T = TypeVar("T")
ORIGIN = {"Origin": "http://localhost"}
OUTSIDE = {"COMPANION_PUBLIC_URL": "http://192.168.1.20:8000"}  # puts the join link on the host's screen
# All phones of a test come from one address, and tap as fast as they can. Wrong codes are counted as ever.
BUSY = "streams=100 taps=100000 pages=100000 visits=100000 house=10000 tables=100000 day=100000"


class LoadedDice:
    """Rolls what it was given, in order; lots and shuffles use the same numbers, counted from 1."""

    def __init__(self, *rolls: int) -> None:
        self.rolls = list(rolls)

    def roll(self, faces: int) -> int:
        return self.rolls.pop(0)

    def choose(self, among: Sequence[T]) -> T:
        return among[self.rolls.pop(0) - 1]

    def shuffle(self, order: Sequence[T]) -> tuple[T, ...]:
        return tuple(order[self.rolls.pop(0) - 1] for _ in order)


def seats(*names: str) -> tuple[Seat, ...]:
    return tuple(Seat(n, name, COLOURS[n - 1], SYMBOLS[n - 1]) for n, name in enumerate(names, 1))


class Evening:
    """A sitting with nothing but the rules: phone 1 is the host and holds every seat."""

    def __init__(self, game: Game[Any], *names: str, rules: dict[str, str] | None = None) -> None:
        opened = SittingOpened(seats(*names), 1, choices_at_first(game, rules or {}))
        everyone = tuple(range(1, len(names) + 1))
        self.dice = LoadedDice()
        self.now = 1_800_000_000_000
        self.journal = Journal(game)
        self.keep("open", 1, (opened, PhoneJoined(1, "Host", "watcher"), SeatsTaken(1, everyone)))

    def keep(self, command: str, phone: int, events: tuple[Any, ...]) -> Entry:
        self.journal.check(events)
        self.now += 1000
        entry = Entry(self.journal.version + 1, secrets.token_hex(8), "", phone, command, self.now, events)
        self.journal.add(entry)
        return entry

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        """One tap. A seat may be given by the name of who sits there."""
        if isinstance(given.get("seat"), str):
            given["seat"] = self.seat(str(given["seat"])).id
        form = {k: [str(each) for each in v] if isinstance(v, list) else [str(v)] for k, v in given.items()}
        return self.keep(
            command, phone, decide(self.journal, command, form, Context(self.now, self.dice, phone))
        )

    def join(self, label: str = "", *seats_taken: int) -> int:
        """Another phone, let in by its QR code; with seats it plays them."""
        number = len(self.table.phones) + 1
        self.keep("join", number, (PhoneJoined(number, label or f"Phone {number}", "watcher"),))
        if seats_taken:
            self.do("take_seats", phone=number, seats=list(seats_taken))
        return number

    def seat(self, name: str) -> Seat:
        return next(seat for seat in self.table.seats if seat.name == name)

    @property
    def state(self) -> Any:
        return self.journal.state

    @property
    def table(self) -> Table:
        table: Table = self.journal.state.table
        return table

    @property
    def verdict(self) -> Verdict:
        return self.journal.game.adjudicate(self.state)

    @property
    def view(self) -> View:
        return self.journal.game.view(self.state)

    @property
    def log(self) -> Sequence[Line]:
        return self.journal.lines


WITH_FILE = "multipart/form-data; boundary=x"


def with_file(text: str) -> bytes:
    """A journal, as a browser sends the file that was chosen."""
    head = 'Content-Disposition: form-data; name="journal"; filename="evening.json"'
    return f"--x\r\n{head}\r\n\r\n{text}\r\n--x--\r\n".encode()


class Handset:
    """A phone without a screen: cookies and forms, as a browser would send them."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, **options)

    def post(
        self, path: str, data: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> TestResponse:
        return self.client.post(path, data=data or {}, headers=ORIGIN | (headers or {}))

    def open(self, *names: str, slug: str = "any-game", **more: Any) -> str:
        """Opens a table and gives its code; this phone holds the first seat."""
        form = {
            "tap": secrets.token_hex(8),
            "name": list(names),
            "colour": list(COLOURS[: len(names)]),
            "symbol": list(SYMBOLS[: len(names)]),
            "key": [f"k{n}" for n in range(1, len(names) + 1)],
            "mine": ["k1"],
            "starter": "k1",
        }
        answer = self.post(f"/open/{slug}", form | more)
        found = re.search(r"/s/(\w{6})/people", answer.headers.get("Location", ""))
        assert found, f"{answer.status}: {answer.text}"
        return found[1]

    def secret(self, code: str) -> str:
        return str(self.app.extensions["play"].show(code).invitation)

    def join(self, code: str, *seats_taken: int) -> Handset:
        """By the QR code, then sits down."""
        answer = self.post(f"/j/{code}/{self.secret(code)}", {"tap": secrets.token_hex(8)})
        assert answer.status_code == 303, answer.text
        if seats_taken:
            answer = self.post(f"/s/{code}/seat", {"tap": secrets.token_hex(8), "seats": list(seats_taken)})
            assert answer.status_code == 303, answer.text
        return self

    def tap(self, code: str, command: str, tap: str = "", role: str = "do", **given: Any) -> TestResponse:
        return self.post(f"/s/{code}/{role}/{command}", {"tap": tap or secrets.token_hex(8), **given})

    def bring(self, text: str) -> TestResponse:
        """A journal that was saved elsewhere."""
        return self.client.post(
            "/history/bring", data=with_file(text), content_type=WITH_FILE, headers=ORIGIN
        )

    def sends(self, code: str, command: str, **given: Any) -> int:
        """Taps, and gives how many bytes that sends to each phone at the table."""
        sitting, parts = self.app.extensions["play"].show(code), self.app.extensions["parts"]
        before = parts.drawing(sitting, "table")
        answer = self.tap(code, command, **given)
        assert answer.status_code == 201, answer.text
        return len(parts.drawing(sitting, "table").since(before).encode())

    def count(self, code: str, seat: int = 1, by: int = 1, tap: str = "", round: int = 1) -> TestResponse:
        return self.tap(code, "count", tap, seat=seat, counter="1", by=by, round=round)


class Served:
    """A real `companion serve` in a process of its own, which can be stopped, killed and started again."""

    host = "127.0.0.1"
    runs: tuple[str, ...] = ()  # another program than ours, which ends in it
    forks = False  # that program too: what is not ours may be there before it begins
    starts = False  # as the shell starts it, whatever it is

    def __init__(self, folder: Path, *more: str, **env: str) -> None:
        self.folder, self.port, self.more = folder, free_port(), more
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {**os.environ, "COMPANION_INSTANCE": str(folder), "COMPANION_LIMITS": BUSY, **env}
        self.process: subprocess.Popen[bytes] | Forked | None = None

    def start(self) -> Served:
        words = ["serve", "--host", self.host, "--port", str(self.port), *self.more]
        path = self.env.get("PYTHONPATH")
        another = path != os.environ.get("PYTHONPATH")
        copied = another and Path(path or "", "companion").is_dir()
        anew = self.starts or (self.runs and not self.forks) or (another and not copied)
        with (self.folder / "serve.log").open("ab") as log:
            if anew:
                self.process = self._started(words, log)
            else:
                other = self.runs[0] if self.runs else str(path) if copied else ""
                self.process = Forked(words, self.env, log, other=other)
        until = time.monotonic() + 30 * (1 + len(self.more))  # several workers take longer to come up
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=1).read()
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the server did not start:\n{self.log()}")

    def _started(self, words: list[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
        """As the shell would: several workers start each other."""
        start = [sys.executable, *(self.runs or ("-m", "companion")), *words]
        return subprocess.Popen(start, env=self.env, stdout=log, stderr=log)

    @property
    def database(self) -> str:
        return self.env.get("COMPANION_DATABASE_URL") or f"sqlite:///{self.folder / 'companion.sqlite'}"

    def log(self) -> str:
        return (self.folder / "serve.log").read_text("utf-8", "replace")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Gives the exit status; SIGKILL is the power cut of a process."""
        assert self.process
        self.process.send_signal(how)
        status = self.process.wait(timeout=15)
        self.process = None
        return status

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def freeze(self) -> None:
        """Where it stands: whatever it was about to say stays unsaid."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)


Serve = Callable[..., Served]


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


def companion(folder: Path, *words: str, said: str | bytes = "", **more: str) -> Ran:
    """The command as the shell would run it, but in this process: starting one takes most of a second."""
    out, err = io.StringIO(), io.StringIO()
    env = {"COMPANION_INSTANCE": str(folder), "COMPANION_DATABASE_URL": "", **more}
    stdin = io.TextIOWrapper(io.BytesIO(said if isinstance(said, bytes) else said.encode()), "utf-8")
    with patch.dict(os.environ, env), patch("sys.stdin", stdin), redirect_stdout(out), redirect_stderr(err):
        status = main(list(words))
    return Ran(status, out.getvalue(), err.getvalue())


def refused(ran: Ran) -> str:
    """The one line it said; nothing else may have been printed."""
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("companion: ")
    assert ran.stderr.endswith((".\n", ")\n"))
    assert ran.stderr.count("\n") == 1
    return ran.stderr
