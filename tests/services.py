"""Real servers and a real browser, started where a test asks for one and stopped with the tests.

Every xdist worker has its own, on ports and in folders of its own. What cannot be had is a skip that says so,
and under CI=true a failure.
"""

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psycopg
import pytest
from sqlmodel import SQLModel

from companion.storage.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

PATIENCE = 30  # seconds a server may take to answer for the first time; a busy build machine needs some
#: The first is the same engine without windows and menus that nobody sees: it takes half of the work.
CHROMIUMS = ("chromium-headless-shell", "chromium")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # root has no sandbox, and build machines are root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",  # all pages of one phone are drawn by one process, which need not start for each
    # No page lasts long enough for what compilers at its side make of its scripts to be worth their work.
    "--js-flags=--no-opt --no-maglev",
)


def cannot(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def find(program: str, *, beside: str = "") -> Path | None:
    """Debian keeps PostgreSQL's programs off the PATH, in a folder per version; the newest will do."""
    if path := shutil.which(program):
        return Path(path)
    return max(Path("/").glob(f"{beside}/{program}"), default=None) if beside else None


def free_port() -> int:
    """Below those that the kernel gives to whoever calls out: one of these could be taken while a server is
    away for a moment."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def run_as(user: str) -> list[str]:
    """setpriv becomes the program it starts, so the pid is ours to stop; and it stops if pytest is killed."""
    setpriv = shutil.which("setpriv")
    if not setpriv:
        return []
    other = ["--reuid", user, "--regid", user, "--init-groups"] if user else []
    return [setpriv, *other, "--pdeathsig", "INT", "--"]


class Server:
    """One program listening on one loopback port: the same one after every restart."""

    user = ""

    def __init__(self, program: Path, folder: str) -> None:
        self.program, self.folder, self.port = program, folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def options(self) -> list[str]:
        raise NotImplementedError

    def ask(self) -> None:
        """Returns if the server answers."""
        raise NotImplementedError

    def start(self) -> None:
        if self.process:
            return
        self.process = subprocess.Popen(
            [*run_as(self.user), self.program, *self.options()],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while not self.is_up():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                cannot(f"{self.program} did not come up on port {self.port}.")
            time.sleep(0.02)

    def is_up(self) -> bool:
        try:
            self.ask()
        except (OSError, psycopg.OperationalError):
            return False
        return self.process is not None and self.process.poll() is None  # or a stranger answered

    def stop(self) -> None:
        if process := self.process:
            self.process = None
            process.send_signal(signal.SIGINT)  # to PostgreSQL this says: hang up on whoever is still there
            process.send_signal(signal.SIGCONT)  # a frozen one hears it too
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def kill(self) -> None:
        """Without a word to anybody."""
        if process := self.process:
            self.process = None
            process.kill()
            process.wait()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay open and nothing answers, as on a machine that swaps."""
        process = self.process
        assert process
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Connections break and new ones are refused."""
        self.stop()
        try:
            yield
        finally:
            self.start()


class RedisServer(Server):
    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def options(self) -> list[str]:
        return ["--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""]

    def ask(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(b"PING\r\n")
            if not line.recv(16).startswith(b"+PONG"):
                raise ConnectionError("not ready yet")


class PostgresServer(Server):
    user = "postgres" if os.geteuid() == 0 else ""  # PostgreSQL refuses to run as root

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    def make_cluster(self, initdb: Path) -> None:
        if self.user:
            shutil.chown(self.folder, self.user, self.user)
        # Only the making is unsynced; the server itself flushes.
        options = ["-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        made = subprocess.run(
            [*run_as(self.user), initdb, *options], cwd=self.folder, capture_output=True, text=True
        )
        if made.returncode:
            cannot(f"initdb could not make a cluster: {made.stderr.strip()}")

    def take_cluster(self, initdb: Path, place: Path) -> None:
        """One is made for all workers of a run; to copy what nobody was at takes a tenth of the time."""
        kept, data = place / "cluster", Path(self.folder) / "data"
        with (place / "cluster.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                self.make_cluster(initdb)
                copy_whole(data, place / "cluster.new")
                (place / "cluster.new").rename(kept)
                return
        if self.user:
            shutil.chown(self.folder, self.user, self.user)
        copy_whole(kept, data)

    def options(self) -> list[str]:
        settings = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=on"
        return ["-D", "data", *settings.split()]

    def ask(self) -> None:
        psycopg.connect(without_driver(self.url), connect_timeout=2).close()


def copy_whole(folder: Path, there: Path) -> None:
    """Whose it is and who may read it as well."""
    subprocess.run(["cp", "-a", folder, there], check=True)


def of_all_workers(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run, for whatever is made once for all of its workers."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def without_driver(url: str) -> str:
    """SQLAlchemy's URL as PostgreSQL's own library reads it."""
    return url.replace("+psycopg", "", 1)


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """An empty database on the server at `server_url`, gone afterwards whoever still holds on to it."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(without_driver(server_url), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE template0'.encode())
        try:
            yield f"{server_url.rpartition('/')[0]}/{name}"
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def make_ready(url: str) -> None:
    """As the first start of a server would."""
    store = Store(url)
    store.prepare()
    store.close()


def emptied(url: str) -> str:
    """Our tables with nothing in them and nobody at them: much quicker than a database anew."""
    with psycopg.connect(without_driver(url), autocommit=True) as database:
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        database.execute(f"TRUNCATE {', '.join(SQLModel.metadata.tables)} RESTART IDENTITY".encode())
    return url


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL of our own, flushing to disk as a real one does."""
    initdb = find("initdb", beside="usr/lib/postgresql/*/bin")
    if not initdb:
        cannot("PostgreSQL is not installed (Debian: postgresql), so nothing was tried on it.")
    with tempfile.TemporaryDirectory(prefix="companion-postgres-") as folder:
        server = PostgresServer(initdb.resolve().with_name("postgres"), folder)
        server.take_cluster(initdb, of_all_workers(tmp_path_factory))
        server.start()
        yield server.url
        server.stop()


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """An empty database for one test."""
    with fresh_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def new_postgres(postgres_url: str) -> Iterator[str]:
    """A database with our tables in it."""
    with fresh_database(postgres_url) as url:
        make_ready(url)
        yield url


@pytest.fixture(scope="session")
def another_database(postgres_url: str) -> Iterator[str]:
    """For the server that outlives a test."""
    with fresh_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    program = find("redis-server")
    if not program:
        cannot("Redis is not installed (Debian: redis-server), so nothing was tried on it.")
    with tempfile.TemporaryDirectory(prefix="companion-redis-") as folder:
        server = RedisServer(program, folder)
        server.start()
        yield server
        server.stop()


@pytest.fixture(scope="session")
def driver() -> Iterator["Playwright"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(driver: "Playwright") -> Iterator["Browser"]:
    with launched(driver) as browser:
        yield browser


@contextmanager
def launched(driver: "Playwright", *flags: str, env: dict[str, str] | None = None) -> Iterator["Browser"]:
    """A browser of its own, with what only its test needs."""
    from playwright.sync_api import Error

    program = next(filter(None, map(find, CHROMIUMS)), None)
    if not program:
        cannot("Chromium is not installed (Debian: chromium-headless-shell), so nothing was looked at in it.")
    windows = ["--headless=new"] if program.name == "chromium" else []
    try:
        browser = driver.chromium.launch(
            executable_path=program, args=[*CHROMIUM_FLAGS, *windows, *flags], env=dict(env or os.environ)
        )
    except Error as error:
        cannot(f"Chromium would not start: {error.message.splitlines()[0]}")
    yield browser
    browser.close()
