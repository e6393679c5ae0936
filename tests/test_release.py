"""The next version, and the way back: deploy/release, with environments, migrations and a server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest
from services import free_port
from test_serving import Caller, eventually

from companion import __version__

ROOT = Path(__file__).parent.parent
RELEASE = ROOT / "deploy" / "release"
AS_IT_IS = (1).to_bytes(4, "little") + bytes(8)  # says Python's file format: nobody looks at the source
FURTHER = '''"""Something that this version does not know."""

import sqlalchemy as sa
from alembic import op

revision = "9000"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("sitting", sa.Column("weather", sa.String(20)))
'''


def later(
    wheel: Path, folder: Path, version: str = __version__, migrates: bool = False, breaks: bool = False
) -> Path:
    """The wheel of the day after tomorrow: this one with a few lines changed, and with what Python compiled
    of us, or each environment would do that anew."""
    made = folder / wheel.name.replace(__version__, version)
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            said = old.read(name)
            compiled = Path(cache_from_source(str(ROOT / name))) if name.endswith(".py") else None
            if name.endswith((".dist-info/METADATA", "companion/__init__.py")):
                assert __version__.encode() in said
                said = said.replace(__version__.encode(), version.encode())
            if breaks and name == "companion/serving/serve.py":
                said += b"\nraise RuntimeError('not this one')\n"
            if compiled and said == old.read(name) and compiled.exists():
                where = Path(name).parent / "__pycache__" / compiled.name
                new.writestr(str(where), MAGIC_NUMBER + AS_IT_IS + compiled.read_bytes()[16:])
            new.writestr(name.replace(f"-{__version__}.dist-info", f"-{version}.dist-info"), said)
        if migrates:
            versions = "companion/storage/migrations/versions"
            known = [Path(name).name[:4] for name in old.namelist() if name.startswith(f"{versions}/0")]
            before = max(known)
            new.writestr(f"{versions}/9000_weather.py", FURTHER.format(before=before))
    return made


class Machine:
    """Folders as a server has them, and in the place of systemd two lines of shell."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, watch = folder, free_port(), free_port()
        self.url, self.health = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{watch}/healthz"
        run = f"{folder}/opt/current/bin/companion serve --host 127.0.0.1 --port {self.port}"
        (folder / "env").write_text(f"COMPANION_WATCH={watch}\nCOMPANION_LIMITS=off\n")
        (folder / "start").write_text(
            f"set -a; . {folder}/env\n{run} >>{folder}/log 2>&1 & echo $! >{folder}/pid\n"
        )
        (folder / "stop").write_text(
            f"read pid <{folder}/pid\nkill $pid 2>/dev/null\n"
            "while kill -0 $pid 2>/dev/null; do sleep .1; done\n"
        )
        ours = {name: value for name, value in os.environ.items() if not name.startswith("COMPANION_")}
        self.env = ours | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": sysconfig.get_paths()[
                "purelib"
            ],  # what it needs, and not us: links are not followed there
            "PIP_NO_DEPS": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_COMPILE": "1",
            "VENV_ARGS": "--without-pip",
            "MAKE_AHEAD": "",
            "PATIENCE": "40",
            "COMPANION_HOME": f"{folder}/opt",
            "COMPANION_ENV": f"{folder}/env",
            "COMPANION_STATE": f"{folder}/state",
            "COMPANION_INSTANCE": f"{folder}/state",
            "COMPANION_BACKUPS": f"{folder}/backups",
            "COMPANION_USER": subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip(),
            "COMPANION_STOP": f"sh {folder}/stop",
            "COMPANION_START": f"sh {folder}/start",
            "COMPANION_HEALTH": self.health,
        }

    def release(self, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [RELEASE, *map(str, words)],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=300,
            cwd=self.folder,
        )

    def version(self) -> str:
        with urllib.request.urlopen(self.health, timeout=10) as answer:
            return str(json.load(answer)["version"])

    def close(self) -> None:
        with suppress(OSError, ValueError):
            os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)


pytestmark = pytest.mark.timeout(900)  # it installs four times


@pytest.fixture
def machine(tmp_path: Path):  # type: ignore[no-untyped-def]
    (tmp_path / "machine").mkdir()
    machine = Machine(tmp_path / "machine")
    yield machine
    machine.close()


def test_a_new_version_comes_with_its_migrations_and_the_one_before_comes_back(
    machine: Machine, wheel: Path, tmp_path: Path
) -> None:
    first = machine.release(later(wheel, tmp_path))
    assert first.returncode == 0, first.stderr
    assert f"{__version__} is in place" in first.stdout
    subprocess.run(["sh", machine.folder / "start"], env=machine.env, check=True)
    eventually(lambda: _up(machine))
    assert machine.version() == __version__
    ada = Caller(machine.url)
    code = ada.open("Ada", "Bob")
    assert ada.count(code).status == 201

    second = machine.release(later(wheel, tmp_path, "9.0.0", migrates=True))
    assert second.returncode == 0, second.stderr + second.stdout
    assert machine.version() == "9.0.0"
    assert _same(ada).count(code).status == 201

    back = machine.release("back")
    assert back.returncode == 0, back.stderr
    assert "newer version" in back.stdout
    assert re.search(rf"companion-{__version__}-\d+ runs again", back.stdout)
    assert machine.version() == __version__
    again = _same(ada)
    assert again.count(code).json["version"] == 3  # as it was when the other one came
    (kept,) = [
        each
        for each in (machine.folder / "state").glob("companion.sqlite.before-*")
        if "-wal" not in each.name
    ]
    assert kept.stat().st_size  # what was tapped since is not thrown away

    machine.env["PATIENCE"] = "2"  # looks, and a half second after each
    third = machine.release(later(wheel, tmp_path, "9.1.0", breaks=True))
    assert third.returncode == 1
    assert "9.1.0 is not well; back to" in third.stderr
    assert machine.version() == __version__
    assert _same(ada).ask("GET", f"/s/{code}").status == 200


def test_what_is_no_wheel_changes_nothing(machine: Machine) -> None:
    assert machine.release().returncode == 2
    assert "There is no file" in machine.release("nowhere-1.0.whl").stderr
    assert "no version before" in machine.release("back").stderr
    assert not (machine.folder / "opt").exists()


def _up(machine: Machine) -> bool:
    with suppress(OSError):
        return bool(machine.version())
    return False


def _same(caller: Caller) -> Caller:
    """On a line of its own: the server was away."""
    twin = Caller(caller.url)
    twin.cookie = caller.cookie
    return twin
