"""The standing cast is Ada, Bob, Cleo and Dov."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from at_the_table import BUSY, OUTSIDE, Evening, Handset, Serve, Served
from flask import Flask
from made_once import best_mask, make_once
from proven import proven, pytest_terminal_summary  # noqa: F401  found by being here
from qrcode.main import QRCode
from services import (  # noqa: F401  fixtures are found by being here
    another_database,
    chromium,
    driver,
    emptied,
    make_ready,
    new_postgres,
    postgres_database,
    postgres_url,
    redis_server,
)

from companion import create_app
from companion.games import Shelf, shelf, take
from companion.net import qr

SitDown = Callable[..., Evening]
make_once()
gc.disable()  # until all is imported and collected: nearly all of it stays


#: What a test asks for tells how long it takes: several browsers at their own server, then at a shared one, …
LONGEST_FIRST = (
    {"own_screen", "hasty_screen", "party", "workers", "phones"},
    {"screen"},
    {"served", "inn_on", "inn", "database", "postgres_database", "redis_server"},
    {"app_on", "app", "phone"},
)


def pytest_configure(config: pytest.Config) -> None:
    """Each worker of a run of everything imports the tests from another one on. In a new checkout asserts are
    rewritten by whoever comes to a module first, which takes as long as all the rest; others find it done."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if not number or config.args != config.getini("testpaths"):
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    first = len(files) * int(number) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in (*files[first:], *files[:first]):
        if str(file.parent) not in sys.path:
            sys.path.insert(0, str(file.parent))
        with suppress(Exception):  # which is told when it is collected
            import_module(file.stem)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is there by now, modules and thousands of tests, stays to the end. Python's collector went through
    all of it again and again, a tenth of a run; now it looks among what tests made."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(10_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Dealt out to the workers like cards, the longest first: then none is at a long one when the others are
    done. Tests that share something of their module stay in one hand, and so do all that need no server: what
    a module reckons once for all its tests, a whole game or what there is to see in it, need not be reckoned
    by each worker."""
    shares: dict[str, list[pytest.Item]] = {}
    for item in items:
        shares.setdefault(_share(item), []).append(item)
    ordered = sorted(shares.values(), key=lambda share: min(map(_turn, share)))
    hands = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [item for hand in range(hands) for share in ordered[hand::hands] for item in share]


def _share(item: pytest.Item) -> str:
    info = getattr(item, "_fixtureinfo", None)
    kept = [each for known in info.name2fixturedefs.values() for each in known] if info else []
    together = any(each.scope == "module" for each in kept) or _turn(item) >= len(LONGEST_FIRST)
    return str(item.path) if together else item.nodeid


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("timeout"):
        return 0
    asked = set(getattr(item, "fixturenames", ()))
    return next((at for at, some in enumerate(LONGEST_FIRST, 1) if some & asked), len(LONGEST_FIRST) + 1)


@pytest.fixture(scope="session")
def games() -> Shelf:
    return shelf()


@pytest.fixture
def sit_down(games: Shelf) -> SitDown:
    """A table with only the rules: `sit_down("any-game", "Ada", "Bob")`."""
    return lambda slug, *names, **more: Evening(take(games, slug), *names, **more)


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the first start of a server leaves behind. A copy is as good, and hundreds of tests need one."""
    file = tmp_path_factory.mktemp("new") / "companion.sqlite"
    make_ready(f"sqlite:///{file}")
    return file


EACH_KIND = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(params=EACH_KIND)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One of each kind with our tables and nothing in them: whatever is stored must hold on both."""
    if request.param == "postgres":
        return emptied(request.getfixturevalue("new_postgres"))
    copy = shutil.copy(request.getfixturevalue("new_file"), tmp_path / "companion.sqlite")
    return f"sqlite:///{copy}"


def _app(url: str, **more: Any) -> Flask:
    house = {"LIMITS": BUSY, "HOSTS": ["192.168.1.*", "games.example.org"]}
    return create_app(
        {"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [], **house, **more}
    )


@pytest.fixture(scope="session")
def served_file(tmp_path_factory: pytest.TempPathFactory, new_file: Path) -> Path:
    """One that an app was on, and has its key to tokens in it."""
    file = Path(shutil.copy(new_file, tmp_path_factory.mktemp("served")))
    _app(f"sqlite:///{file}").extensions["play"].store.close()
    return file


@pytest.fixture
def app(tmp_path: Path, served_file: Path) -> Iterator[Flask]:
    app = _app(f"sqlite:///{shutil.copy(served_file, tmp_path)}")
    yield app
    app.extensions["play"].store.close()


@pytest.fixture(scope="session")
def lasting_app(tmp_path_factory: pytest.TempPathFactory, served_file: Path) -> Iterator[Flask]:
    """For tests that leave it as it was."""
    app = _app(f"sqlite:///{shutil.copy(served_file, tmp_path_factory.mktemp('lasting'))}")
    yield app
    app.extensions["play"].store.close()


@pytest.fixture
def app_on(database: str) -> Iterator[Flask]:
    """The app on SQLite, then on PostgreSQL."""
    app = _app(database)
    yield app
    app.extensions["play"].store.close()


@pytest.fixture
def for_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long QR codes with the mask that a server gives them."""
    monkeypatch.setattr(QRCode, "best_mask_pattern", best_mask)
    qr.svg.cache_clear()


@pytest.fixture
def phone(app: Flask) -> Callable[[], Handset]:
    return lambda: Handset(app)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serve]:
    """Starts real servers; stops by its id each one that was started."""
    started: list[Served] = []

    def serve(folder: Path | None = None, *more: str, **env: str) -> Served:
        server = Served(folder or tmp_path, *more, **env)
        started.append(server)
        return server.start()

    yield serve
    for server in started:
        if server.process:
            server.kill()


# --- real servers for all tests that only play at them, each at a table of its own, and do them no harm ---


def _inn(folder: Path, **env: str) -> Iterator[Served]:
    server = Served(folder, **OUTSIDE, **env).start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def inn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from _inn(tmp_path_factory.mktemp("inn"))


@pytest.fixture(scope="session")
def inn_on_postgres(
    another_database: str,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    yield from _inn(tmp_path_factory.mktemp("inn"), COMPANION_DATABASE_URL=another_database)


@pytest.fixture(params=EACH_KIND)
def inn_on(request: pytest.FixtureRequest) -> Served:
    """On SQLite, then on PostgreSQL."""
    server: Served = request.getfixturevalue("inn" if request.param == "sqlite" else "inn_on_postgres")
    return server


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make dist` builds it."""
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    subprocess.run(words, cwd=Path(__file__).parent.parent, check=True, capture_output=True)
    (built,) = out.iterdir()
    return built
