"""As a package: one wheel, and nothing else but what it says that it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from at_the_table import Served
from packaging.requirements import Requirement
from test_serving import Caller

from companion import __version__

ROOT = Path(__file__).parent.parent


def needed(wheel: Path) -> set[str]:
    """What it requires, and what that requires, by name; extras only where they are asked for."""
    with zipfile.ZipFile(wheel) as inside:
        about = next(name for name in inside.namelist() if name.endswith(".dist-info/METADATA"))
        said = inside.read(about).decode()
    todo = [(Requirement(each), "") for each in re.findall(r"^Requires-Dist: (.+)$", said, re.MULTILINE)]
    found: set[str] = set()
    while todo:
        asked, extra = todo.pop()
        if asked.marker and not asked.marker.evaluate({"extra": extra}):
            continue
        if asked.name.lower() not in found or asked.extras:
            found.add(asked.name.lower())
            more = [Requirement(each) for each in metadata.requires(asked.name) or ()]
            todo += [(each, extra) for each in more for extra in ("", *asked.extras)]
    return found


@pytest.fixture(scope="module")
def empty(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it says that it needs, as pipx would make it.

    Those are linked from ours: to fetch them again takes half a minute, and `make bare` does it.
    """
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    for name in needed(wheel):
        for file in metadata.files(name) or ():
            top = Path(file.parts[0])
            if top.name not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(Path(str(metadata.distribution(name).locate_file(top))))
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    return folder


class Installed(Served):
    """`companion serve` as it was installed; nothing of our own environment reaches it."""

    runs = ("companion",)  # not a fork of ours

    def __init__(self, folder: Path, empty: Path, **env: str) -> None:
        super().__init__(folder, **env)
        self.command = empty / "bin" / "companion"
        ours = ("PYTHON", "COMPANION_", "VIRTUAL_ENV")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.env |= {"HOME": str(folder), "COMPANION_LIMITS": "off", **env}

    def _started(self, words: list[str], log: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.command, *words],
            env=self.env,
            stdout=log,
            stderr=log,
            cwd=self.folder,  # type: ignore[call-overload]
        )


@pytest.fixture
def installed(empty: Path, tmp_path: Path) -> Iterator[Installed]:
    server = Installed(tmp_path, empty)
    yield server
    if server.process:
        server.kill()


def test_the_wheel_carries_all_that_a_page_needs(wheel: Path) -> None:
    assert wheel.name == f"companion-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as inside:
        names = set(inside.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "companion", "templates", "static"], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    assert tracked
    for name in tracked:
        assert (name if name.startswith("companion/") else f"companion/{name}") in names, name
    vendored = {path.name for path in (ROOT / "static" / "vendor").iterdir()}
    assert {"htmx.min.js", "hx-sse.min.js"} < vendored
    assert {f"companion/static/vendor/{name}" for name in vendored} < names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests/", "instance/"))]


def test_a_laptop_needs_neither_postgresql_nor_redis(wheel: Path) -> None:
    found = needed(wheel)
    assert {"flask", "gevent", "sqlmodel"} <= found
    assert not {"psycopg", "psycopg-binary", "redis", "pytest", "playwright"} & found


def test_from_the_wheel_alone_a_page_is_served_and_a_tap_is_played(
    installed: Installed, tmp_path: Path
) -> None:
    installed.start()
    ada = Caller(installed.url)
    page = ada.ask("GET", "/").text
    assert "Any game" in page
    for address in set(re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css|svg|woff2))', page)):
        with urllib.request.urlopen(installed.url + address, timeout=20) as answer:
            assert answer.read(), address
    assert ada.ask("GET", "/static/vendor/htmx.min.js").status == 200
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    stream.until(ada.count(code).json["version"])
    assert ada.ask("GET", "/rules").status == 200
    assert ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": "end-of-evening"}).status == 201
    assert "Ada" in ada.ask("GET", f"/s/{code}/recap").text  # by the process beside it
    assert "Traceback" not in installed.log()
    assert (tmp_path / ".local/share/companion/companion.sqlite").exists()  # wherever it is started from
    assert not (tmp_path / "instance").exists()


def test_what_is_missing_for_a_server_is_said_in_one_line(installed: Installed) -> None:
    for env, words in (
        ({"COMPANION_DATABASE_URL": "postgresql+psycopg:///companion"}, ["history"]),
        ({"COMPANION_REDIS_URL": "redis://127.0.0.1"}, ["serve", "--port", "0"]),
    ):
        ended = subprocess.run(
            [installed.command, *words], env=installed.env | env, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode in (1, 2)
        assert ended.stderr.count("\n") == 1, ended.stderr
        assert "companion[server]" in ended.stderr


def test_the_version_is_said_in_one_place_after_all(installed: Installed) -> None:
    said = subprocess.run([installed.command, "--version"], env=installed.env, capture_output=True, text=True)
    assert said.stdout == f"companion {__version__}\n"
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
