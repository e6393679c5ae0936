"""The standing cast is Ada, Bob, Cleo and Dov."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from at_the_table import Evening, Handset, Serve, Served
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from services import (  # noqa: F401  fixtures are found by being here
    chromium,
    fresh_database,
    postgres_database,
    postgres_url,
    redis_server,
)

from companion import create_app
from companion.games import Shelf, shelf, take

SitDown = Callable[..., Evening]


@pytest.fixture(scope="session")
def games() -> Shelf:
    return shelf()


@pytest.fixture
def sit_down(games: Shelf) -> SitDown:
    """A table with only the rules: `sit_down("any-game", "Ada", "Bob")`."""
    return lambda slug, *names, **more: Evening(take(games, slug), *names, **more)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind: whatever is stored must hold on both."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'companion.sqlite'}"
    else:
        with fresh_database(request.getfixturevalue("postgres_url")) as url:
            yield url


# Hundreds of apps are made here; what one has compiled the next need not.
COMPILED = TemporaryDirectory(prefix="companion-templates-")
Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": FileSystemBytecodeCache(COMPILED.name)}


def _app(url: str, **more: Any) -> Flask:
    return create_app({"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [], **more})


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = _app(f"sqlite:///{tmp_path / 'companion.sqlite'}")
    yield app
    app.extensions["play"].store.close()


@pytest.fixture
def app_on(database: str) -> Iterator[Flask]:
    """The app on SQLite, then on PostgreSQL."""
    app = _app(database)
    yield app
    app.extensions["play"].store.close()


@pytest.fixture
def phone(app: Flask) -> Callable[[], Handset]:
    return lambda: Handset(app)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serve]:
    """Starts real servers; stops by its id each one that was started."""
    started: list[Served] = []

    def serve(folder: Path | None = None, **env: str) -> Served:
        server = Served(folder or tmp_path, **env)
        started.append(server)
        return server.start()

    yield serve
    for server in started:
        if server.process:
            server.kill()
