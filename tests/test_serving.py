"""`companion serve` and `companion backup` as processes of their own: started, leaned on, stopped."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from at_the_table import OUTSIDE, WITH_FILE, Serve, Served
from flask import Flask
from forked import ran
from services import cannot, free_port, without_driver
from test_qr import on_a_dark_terminal, scanned

from companion.core.event import get_ready
from companion.core.table import COLOURS, SYMBOLS
from companion.serving.serve import LAST_WORDS, get_ready_to_read
from companion.storage.store import Store


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


Form = dict[str, Any] | bytes | None  # bytes: with a file in it


class Caller:
    """A phone on a real wire: one kept connection, a cookie, and forms as a browser sends them."""

    def __init__(self, url: str) -> None:
        self.url, self.cookie = url, ""
        self.line = self.connect()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=120)

    def ask(self, method: str, path: str, form: Form = None, **more: str) -> Answer:
        try:
            self.send(method, path, form, **more)
            answer = self.line.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.line.close()  # and the next one gets a line of its own
            raise
        said = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)
        if "set-cookie" in said.headers:
            self.cookie = said.headers["set-cookie"].partition(";")[0]
        return said

    def send(self, method: str, path: str, form: Form = None, **more: str) -> None:
        headers = {"Cookie": self.cookie, "Origin": self.url, "Accept": "application/json", **more}
        if isinstance(form, bytes):
            headers["Content-Type"] = WITH_FILE
            self.line.request(method, path, form, headers)
            return
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.line.request(method, path, urlencode(form or {}, doseq=True) or None, headers)

    def open(self, *names: str, tap: str = "") -> str:
        """Opens a table and gives its code; this phone hosts it and holds the first seat."""
        form = opening(*names, tap=tap)
        said = self.ask("POST", "/open/any-game", form)
        while said.status == 503:  # as a phone does: it was not saved, and is sent again
            time.sleep(1)
            said = self.ask("POST", "/open/any-game", form)
        return code_in(said)

    def secret(self, code: str) -> str:
        """As it stands on the host's screen."""
        found = re.search(rf"/j/{code}/([\w-]+)", self.ask("GET", f"/s/{code}/people").text)
        assert found
        return found[1]

    def join(self, code: str, secret: str, *seats: int, tap: str = "") -> Caller:
        said = self.ask("POST", f"/j/{code}/{secret}", {"tap": tap or secrets.token_hex(8)})
        assert said.status == 303, said
        if seats:
            said = self.ask("POST", f"/s/{code}/seat", {"tap": secrets.token_hex(8), "seats": seats})
            assert said.status == 303, said
        return self

    def count(self, code: str, seat: int = 1, by: int = 1, tap: str = "") -> Answer:
        return self.ask("POST", f"/s/{code}/do/count", counting(seat, by, tap))

    def listen(self, code: str, page: str = "table", last: str = "") -> Stream:
        return Stream(self, f"/s/{code}/live/{page}", last)

    def __del__(self) -> None:
        self.line.close()


class Stream:
    """What a phone hears."""

    def __init__(self, caller: Caller, path: str, last: str) -> None:
        self.line = caller.connect()
        headers = {"Cookie": caller.cookie, **({"Last-Event-ID": last} if last else {})}
        self.line.request("GET", path, headers=headers)
        self.answer = self.line.getresponse()
        assert self.answer.status == 200
        assert self.next()["event"] == "edition"  # who draws here; before all else

    def next(self) -> dict[str, str]:
        """The next event, with its id, its kind if it has one, and its data."""
        heard: dict[str, str] = {}
        while line := self.answer.readline().decode():
            if line == "\n":
                return heard
            name, _, value = line.rstrip("\n").partition(": ")
            heard[name] = heard[name] + "\n" + value if name in heard else value
        raise EOFError("the server hung up")

    def until(self, version: int) -> dict[str, str]:
        """The first drawing that shows this version or a later one."""
        while True:
            heard = self.next()
            if "id" in heard and int(heard["id"].rpartition("-")[2]) >= version:
                return heard

    def close(self) -> None:
        self.answer.close()
        self.line.close()

    __del__ = close


def opening(*names: str, tap: str = "") -> dict[str, Any]:
    many = len(names)
    return {
        "tap": tap or secrets.token_hex(8),
        "name": list(names),
        "colour": list(COLOURS[:many]),
        "symbol": list(SYMBOLS[:many]),
        "key": [f"k{n}" for n in range(1, many + 1)],
        "mine": "k1",
        "starter": "k1",
    }


def code_in(opened: Answer) -> str:
    found = re.search(r"/s/(\w{6})/people", opened.headers.get("location", ""))
    assert found, opened
    return found[1]


def counting(seat: int = 1, by: int = 1, tap: str = "") -> dict[str, Any]:
    return {"tap": tap or secrets.token_hex(8), "seat": seat, "counter": "1", "by": by, "round": 1}


def together(*calls: Callable[[], Any]) -> list[Any]:
    """All at the same moment, from threads of their own; an error in one of them is ours."""
    gate, said, wrong = threading.Barrier(len(calls)), dict[int, Any](), list[BaseException]()

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            gate.wait(30)
            said[place] = call()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if wrong:
        raise wrong[0]
    return [said[place] for place in range(len(calls))]


def streams(server: Served) -> int:
    return int(Caller(server.url).ask("GET", "/healthz").json["streams"])


def eventually(holds: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "this never came true"
        time.sleep(0.05)


def sqlite_in(folder: Path) -> Path:
    return folder / "companion.sqlite"


def prepared(file: Path) -> Path:
    """An up-to-date database that nobody serves."""
    store = Store(f"sqlite:///{file}")
    store.prepare()
    store.close()
    return file


def companion(*words: str, like: Sequence[str] = (), **env: str) -> subprocess.CompletedProcess[str]:
    """As the shell would run it. By fork, which saves a second; but what starts others, or runs like somebody
    else, starts anew."""
    if not like and "--workers" not in words:
        return ran(list(words), {**os.environ, **env})
    return subprocess.run(
        [*like, sys.executable, "-m", "companion", *words],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
    )


def assert_refused(ended: subprocess.CompletedProcess[str], *words: str) -> None:
    """With status 1 and one line that a person can read."""
    assert ended.returncode == 1, ended
    (line,) = ended.stderr.splitlines()
    assert line.startswith("companion: ")
    for word in words:
        assert word in line
    assert ended.stdout == ""


# --- starting ---


def test_serving_prints_the_address_and_a_qr_code_that_a_phone_can_read(served: Serve) -> None:
    server = served(COMPANION_PUBLIC_URL="http://192.168.1.20:8123")
    eventually(lambda: "Stop with" in server.log())
    drawn = [line for line in server.log().splitlines() if line and set(line) <= set("█▀▄ ")]
    assert scanned(on_a_dark_terminal("\n".join(drawn))) == "http://192.168.1.20:8123"
    assert "On your phone:      http://192.168.1.20:8123\n" in server.log()
    assert f"http://localhost:{server.port}\n" in server.log()


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        ended = companion("serve", "--host", "127.0.0.1", "--port", port, COMPANION_INSTANCE=str(tmp_path))
    assert_refused(ended, f"Port {port} cannot be used: Address already in use. ")


def test_a_database_of_a_newer_companion_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(prepared(sqlite_in(tmp_path)))) as file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
        file.commit()
    ended = companion("serve", "--port", str(free_port()), COMPANION_INSTANCE=str(tmp_path))
    assert_refused(ended, "newer version of companion", "9999")
    with closing(sqlite3.connect(sqlite_in(tmp_path))) as file:
        assert file.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    sqlite_in(tmp_path).write_bytes(b"the shopping list " * 100)
    ended = companion("serve", "--port", str(free_port()), COMPANION_INSTANCE=str(tmp_path))
    assert_refused(ended, "not a database")
    assert sqlite_in(tmp_path).read_bytes().startswith(b"the shopping list")


@pytest.mark.parametrize("url", ["nonsense", "postgres-of-some-kind://localhost/companion"])
def test_a_database_address_that_means_nothing_is_refused(tmp_path: Path, url: str) -> None:
    ended = companion("serve", COMPANION_INSTANCE=str(tmp_path), COMPANION_DATABASE_URL=url)
    assert_refused(ended, "COMPANION_DATABASE_URL")


def test_a_postgres_that_is_not_there_is_refused(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://postgres@127.0.0.1:{free_port()}/companion"
    ended = companion("serve", COMPANION_INSTANCE=str(tmp_path), COMPANION_DATABASE_URL=url)
    assert_refused(ended, "database cannot be used", "connection failed")


@pytest.mark.postgres
def test_a_postgres_that_can_only_be_read_is_refused(postgres_database: str, tmp_path: Path) -> None:
    store = Store(postgres_database)
    store.prepare()
    store.close()
    with psycopg.connect(without_driver(postgres_database), autocommit=True) as database:
        name = postgres_database.rpartition("/")[2]
        database.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'.encode())
    ended = companion("serve", COMPANION_INSTANCE=str(tmp_path), COMPANION_DATABASE_URL=postgres_database)
    assert_refused(ended, "database cannot be used", "read-only transaction")


@pytest.mark.parametrize(
    ("folder_mode", "file_mode"),
    [(0o755, 0o444), (0o555, 0o644), (0o555, 0o444)],
    ids=["file-read-only", "folder-read-only", "both-read-only"],
)
def test_a_database_that_may_only_be_read_is_refused(
    tmp_path: Path, folder_mode: int, file_mode: int
) -> None:
    folder = tmp_path / "only to look at"
    folder.mkdir()
    prepared(sqlite_in(folder)).chmod(file_mode)
    folder.chmod(folder_mode)
    ended = companion("serve", "--port", str(free_port()), like=mortal(), COMPANION_INSTANCE=str(folder))
    folder.chmod(0o755)
    assert_refused(ended, "The database cannot be used")


def mortal() -> list[str]:
    """Root may write any file, whatever its mode says; without its capabilities it is a user like others."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if not setpriv:
        cannot("setpriv is not installed (Debian: util-linux), so root could not be made to obey file modes.")
    return [setpriv, "--bounding-set", "-all", "--inh-caps", "-all", "--"]


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("only root can mount a file system, and not everywhere")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_even_root_does_not_serve_from_a_disk_that_can_only_be_read(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "size=4m"):
        prepared(sqlite_in(disk))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        ended = companion("serve", "--port", str(free_port()), COMPANION_INSTANCE=str(disk))
        assert_refused(ended, "The database cannot be used")
        ended = companion("serve", "--port", str(free_port()), COMPANION_INSTANCE=str(disk / "new"))
        assert_refused(ended, str(disk / "new"), "Read-only file system")


@pytest.mark.postgres
def test_workers_that_start_together_on_an_empty_postgres_all_come_up(
    served: Serve, postgres_database: str, tmp_path: Path
) -> None:
    folders = [tmp_path / str(n) for n in range(3)]
    for folder in folders:
        folder.mkdir()
    together(*(partial(served, folder, COMPANION_DATABASE_URL=postgres_database) for folder in folders))


# --- leaving ---


def slowly(server: Served, caller: Caller, code: str, tap: str) -> socket.socket:
    """A tap of which the server has read the beginning and still awaits the end."""
    body = urlencode(counting(tap=tap)).encode()
    line = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    line.sendall(
        f"POST /s/{code}/do/count HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\n"
        f"Cookie: {caller.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body[:10]
    )
    time.sleep(0.3)
    return line


def all_from(line: socket.socket) -> bytes:
    """To the end: a server that leaves hangs up after its answer."""
    with line.makefile("rb") as rest:
        return rest.read()


def test_a_running_request_is_finished_before_the_server_leaves(served: Serve) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    with slowly(server, ada, code, "tap-of-ada") as line:
        assert server.process
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        line.sendall(urlencode(counting(tap="tap-of-ada")).encode()[10:])
        answer = all_from(line)
    assert answer.startswith(b"HTTP/1.1 201")
    assert server.process.wait(30) == 0
    assert "Traceback" not in server.log()
    server.process = None
    server.start()
    ada.line.close()
    assert ada.count(code, tap="tap-of-ada").json["version"] == 2  # it was stored, and is not counted again


def test_phones_that_are_merely_connected_do_not_keep_the_server_from_leaving(served: Serve) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    idle = [Caller(server.url) for _ in range(20)]
    for caller in idle:
        assert caller.ask("GET", "/healthz").status == 200
    listening = [ada.listen(code) for _ in range(20)]
    eventually(lambda: streams(server) == 20)
    with slowly(server, ada, code, "tap-of-ada") as line:
        assert server.process
        server.process.send_signal(signal.SIGTERM)
        for stream in listening:
            with pytest.raises((EOFError, http.client.IncompleteRead)):
                stream.until(1_000)  # it is told at once, and comes again when there is a server
        line.sendall(urlencode(counting(tap="tap-of-ada")).encode()[10:])
        assert all_from(line).startswith(b"HTTP/1.1 201")
        status = server.process.wait(30)
    server.process = None
    assert status == 0
    assert "left without an answer" not in server.log()  # nobody was waited for in vain
    assert "Traceback" not in server.log()


def test_a_request_that_never_ends_is_not_waited_for_longer_than_five_seconds(served: Serve) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    with slowly(server, ada, code, "tap-of-ada"):
        assert server.process
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
    server.process = None
    assert "left without an answer: 1 request(s)" in server.log()
    assert LAST_WORDS <= 3  # which leaves two to be gone in, on a busy machine too


def test_ctrl_c_ends_a_server_as_politely(served: Serve) -> None:
    server = served()
    assert server.end(signal.SIGINT) == 0
    assert "Traceback" not in server.log()


# --- streams ---


def test_a_tap_on_one_phone_is_heard_on_the_others(inn: Served) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    assert stream.answer.getheader("Content-Type", "").startswith("text/event-stream")
    assert stream.next()["id"] == "0-1"  # a whole drawing first
    assert ada.count(code, by=7).status == 201
    heard = stream.until(2)  # on a slow machine a heartbeat may come before it
    assert heard["id"] == "1-2"
    assert '<hx-partial id="sheet-1-1-total">' in heard["data"]
    assert '<hx-partial id="sheet-1-2-total">' not in heard["data"]


def test_a_phone_that_missed_nothing_is_not_drawn_again(inn: Served) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    ada.count(code)
    assert ada.listen(code, last="1-2").next() == {"event": "beat", "data": "2"}


@pytest.mark.parametrize("last", ["0-1", "1-99", "no number at all", "-"])
def test_a_phone_that_was_away_gets_the_whole_table(inn: Served, last: str) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    ada.count(code)
    heard = ada.listen(code, last=last).next()
    assert heard["id"] == "0-2"
    for part in ("seat-1", "seat-2", "log"):
        assert f'id="{part}"' in heard["data"] or f'hx-target="#{part}"' in heard["data"]


def test_a_quiet_table_still_has_a_heartbeat(inn: Served) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    stream.next()
    assert stream.next() == {"event": "beat", "data": "1"}


CUT_OFF = {
    "in its first line": b"GET /s/",
    "in its headers": b"GET / HTTP/1.1\r\nHost: x\r\nAccept: text/h",
    "in a form": b"POST /j/AAAAAA HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\ntap=",
    "before its answer": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 20,
}


@pytest.mark.parametrize("said", CUT_OFF.values(), ids=CUT_OFF.keys())
def test_a_phone_that_is_cut_off_is_no_news(inn: Served, said: bytes) -> None:
    """Wi-Fi ends at the garden gate; whoever runs the server need not read a page about each."""
    before = len(inn.log())
    with socket.create_connection(("127.0.0.1", inn.port)) as line:
        line.sendall(said)
        time.sleep(0.2)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # without a goodbye
    for _ in range(3):
        assert Caller(inn.url).ask("GET", "/healthz").status == 200
    time.sleep(0.2)
    assert "Traceback" not in inn.log()[before:]


def test_a_phone_that_never_reads_is_dropped_and_holds_nobody_up(served: Serve) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    with socket.socket() as asleep:
        asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asleep.settimeout(30)
        asleep.connect(("127.0.0.1", server.port))
        asleep.sendall(
            f"GET /s/{code}/live/table HTTP/1.1\r\nHost: localhost\r\nCookie: {ada.cookie}\r\n\r\n".encode()
        )
        eventually(lambda: streams(server) == 2)
        version = 1
        while streams(server) == 2:
            version = ada.count(code).json["version"]
            assert stream.until(version)["id"] == f"{version - 1}-{version}"  # as if nobody slept
            assert version < 2000, "the sleeping phone is never dropped"
        with suppress(ConnectionResetError):
            while asleep.recv(65536):
                pass  # what was in the buffers, and then the end
    assert ada.count(code).status == 201
    assert stream.until(version + 1)["id"] == f"{version}-{version + 1}"
    assert "Traceback" not in server.log()


def open_files(server: Served) -> int:
    assert server.process
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def test_streams_that_ended_leave_no_socket_behind(served: Serve, tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("open files can be counted on Linux only")
    # Nobody comes to collect the garbage, so a socket that only the collector would close stays open.
    (tmp_path / "sitecustomize.py").write_text("import gc\ngc.disable()\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    server = served(PYTHONPATH=path)
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    before = open_files(server)
    for _ in range(2):
        listening = [ada.listen(code) for _ in range(20)]
        for stream in listening:
            stream.close()
        while streams(server):
            ada.count(code)  # a phone that is gone is noticed by talking to it
    eventually(lambda: open_files(server) <= before + 5, seconds=10)


def test_a_tap_whose_number_is_empty_gets_a_sentence(served: Serve) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    for form in ({"tap": "", "seat": "1"}, {"seat": "1", "tap": ""}):
        said = ada.ask("POST", f"/s/{code}/do/count", form)
        assert (said.status, "Reload the page" in said.text) == (422, True)
    assert "Traceback" not in server.log()


COLLECTED = """
import gc, signal
def told(*_):
    gc.unfreeze()
    found = gc.collect()
    gc.freeze()
    with open({path!r}, "a") as file:
        print(found, gc.isenabled(), file=file)
signal.signal(signal.SIGUSR1, told)
"""


def test_an_evening_leaves_nothing_that_only_the_collector_would_find(served: Serve, tmp_path: Path) -> None:
    """It looks through all tables, and no phone is answered meanwhile. So it does not come by itself."""
    said = tmp_path / "collected"
    (tmp_path / "sitecustomize.py").write_text(COLLECTED.format(path=str(said)))
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    server = served(PYTHONPATH=path)
    assert server.process
    asked = 0

    def collected() -> tuple[int, bool]:
        nonlocal asked
        asked += 1
        server.process.send_signal(signal.SIGUSR1)  # type: ignore[union-attr]
        eventually(lambda: said.exists() and said.read_text().count("\n") == asked)
        found, itself = said.read_text().splitlines()[-1].split()
        return int(found), itself == "True"

    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    for _ in range(2):  # the first time much is made once and for all
        for _ in range(5):
            ada.count(code)
            assert ada.count(code, seat=9).status == 422
            ada.ask("GET", f"/s/{code}")
            ada.ask("GET", "/nowhere")
        ada.listen(code).close()
        while streams(server):
            ada.count(code)
        ada.open("Ada", "Bob")
        found = collected()
    assert found == (0, False)


# --- what must be so inside ---

INSIDE = """
import sys
import companion.command_line.main
early = {"flask", "sqlalchemy", "psycopg", "redis", "socket"} & set(sys.modules) - {"socket"}
assert not early, f"imported before gevent could patch: {early}"
from companion.serving.starting import load_quickly, patch
patch()
from gevent import monkey
"""


def inside(script: str, before: str = "") -> str:
    """Runs as `companion serve` does: patched first, and only then everything else."""
    ended = subprocess.run(
        [sys.executable, "-c", before + INSIDE + script], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_a_start_does_not_look_through_what_else_is_installed() -> None:
    looked = """
from importlib import metadata
looked = []
metadata.entry_points = lambda **of: looked.append(of) or ()
"""
    said = inside("import time; print(monkey.is_module_patched('time'), looked)", before=looked)
    assert said == "True []"


def test_nothing_is_collected_while_all_is_being_loaded(tmp_path: Path) -> None:
    said = inside(f"""
import gc
def rounds():
    return [each["collections"] for each in gc.get_stats()]
load_quickly()
before = rounds()
from companion import create_app
create_app({{"DATABASE_URL": "sqlite:///{tmp_path}/companion.sqlite"}})
import companion.serving.serve
print(rounds() == before, len(gc.get_objects()) > 50_000)
""")
    assert said == "True True"


@pytest.mark.postgres
def test_a_tap_that_waits_for_postgres_does_not_hold_up_another_table(
    served: Serve, postgres_database: str
) -> None:
    server = served(COMPANION_DATABASE_URL=postgres_database)
    ada, bob = Caller(server.url), Caller(server.url)
    hers, his = ada.open("Ada", "Bob"), bob.open("Cleo", "Dov")
    with psycopg.connect(without_driver(postgres_database)) as other:
        other.execute("SELECT version FROM sitting WHERE code = %s FOR UPDATE", [hers])
        said: list[Answer] = []
        waiting = threading.Thread(target=lambda: said.append(ada.count(hers)))
        waiting.start()
        time.sleep(0.3)
        assert bob.count(his).status == 201
        assert said == []
        other.rollback()
    waiting.join(30)
    assert [each.status for each in said] == [201]


def test_answers_leave_at_once_and_who_waits_for_postgres_lets_the_others_go_on() -> None:
    said = inside("""
import socket
import gevent, psycopg
from companion import create_app
from companion.serving.serve import Server
app = create_app({"DATABASE_URL": "sqlite://", "REDIS_URL": None, "SHELF": []})
server = Server(("127.0.0.1", 0), app)
server.start()
line = socket.create_connection(("127.0.0.1", server.server_port))
line.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
assert line.recv(1000).startswith(b"HTTP/1.1 200")
gevent.sleep(0.1)
(kept,) = server.idle
print(bool(kept.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)), psycopg.waiting.wait.__name__)
""")
    at_once, waits = said.split()
    assert at_once == "True"
    assert waits != "wait_c"


# --- backup ---


@contextmanager
def tapping(server: Served, code: str, callers: list[Caller]) -> Iterator[None]:
    stop = threading.Event()

    def run(caller: Caller) -> None:
        while not stop.is_set():
            assert caller.count(code).status == 201
            time.sleep(0.005)

    threads = [threading.Thread(target=run, args=[caller]) for caller in callers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)


def journal_in(file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return copy.execute("SELECT version, tap, events FROM entry ORDER BY version").fetchall()


def test_a_backup_under_tapping_holds_the_journal_up_to_one_moment(served: Serve, tmp_path: Path) -> None:
    server = served(**OUTSIDE)
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob", "Cleo", "Dov")
    secret = ada.secret(code)
    callers = [ada, *(Caller(server.url).join(code, secret, seat) for seat in (2, 3, 4))]
    copies = [tmp_path / f"copy {n}?.sqlite" for n in range(3)]
    with tapping(server, code, callers):
        for copy in copies:
            ended = companion("backup", str(copy), COMPANION_INSTANCE=str(tmp_path))
            assert (ended.returncode, ended.stderr) == (0, "")
            assert str(copy) in ended.stdout
    whole = journal_in(sqlite_in(tmp_path))
    lengths = [len(journal_in(copy)) for copy in copies]
    assert 1 < lengths[0] < lengths[1] < lengths[2] <= len(whole)
    for copy in copies:
        kept = journal_in(copy)
        assert kept == whole[: len(kept)]
        assert [version for version, _, _ in kept] == list(range(1, len(kept) + 1))
    assert {file.name for file in tmp_path.glob("copy*")} == {copy.name for copy in copies}


def test_a_table_can_be_played_on_from_a_backup(served: Serve, tmp_path: Path) -> None:
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    ada.count(code)
    second = tmp_path / "second"
    second.mkdir()
    companion("backup", str(sqlite_in(second)), COMPANION_INSTANCE=str(tmp_path))
    other = Caller(served(second).url)
    other.cookie = ada.cookie
    assert other.count(code).json["version"] == 3


def test_a_backup_over_the_database_itself_is_refused(tmp_path: Path) -> None:
    prepared(sqlite_in(tmp_path))
    before = sqlite_in(tmp_path).stat().st_ino
    ended = companion("backup", str(sqlite_in(tmp_path)), COMPANION_INSTANCE=str(tmp_path))
    assert_refused(ended, "the database itself")
    assert sqlite_in(tmp_path).stat().st_ino == before


def test_a_backup_that_cannot_be_made_says_why_in_one_line(tmp_path: Path) -> None:
    here = {"COMPANION_INSTANCE": str(tmp_path)}
    assert_refused(companion("backup", str(tmp_path / "copy"), **here), "There is no database at")
    assert not sqlite_in(tmp_path).exists()
    prepared(sqlite_in(tmp_path))
    assert_refused(companion("backup", str(tmp_path / "no" / "such"), **here), "could not be made")
    (tmp_path / "file").touch()
    assert_refused(companion("backup", str(tmp_path / "file" / "under"), **here), "could not be made")
    elsewhere = {"COMPANION_DATABASE_URL": f"postgresql+psycopg://127.0.0.1:{free_port()}/companion"}
    assert_refused(companion("backup", str(tmp_path / "copy"), **elsewhere), "cannot be used")
    assert not list(tmp_path.glob("copy*"))


def test_what_reading_a_table_takes_only_once_is_made_before_the_first_one_is_read(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all phones wait for it: 20 ms of the first page were that."""
    play = app.extensions["play"]
    monkeypatch.setattr("companion.core.event._adapters", {})
    get_ready_to_read(play)
    monkeypatch.setattr("companion.core.event.TypeAdapter", None)  # whoever needs one now breaks
    assert not any(get_ready(kind) for game in play.games.values() for kind in game.events)
