"""Servers under measurement, each in a process group of its own, which is how it is stopped."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import machine

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / ".bench"  # git-ignored, and on the disk that the checkout is on: /tmp may be mere memory
PEERS = OUT / "peers"
COMPANION = shlex.split(
    os.environ.get("SERVER") or f"{ROOT}/.venv/bin/companion serve --host 127.0.0.1 --port {{port}}"
)
COMPANION_ENV = {
    "COMPANION_LIMITS": "off",  # all phones of a benchmark come from one address
    "COMPANION_PUBLIC_URL": "http://192.168.1.20:8000",  # puts the join link on the host's screen
    "PYTHONDONTWRITEBYTECODE": "",
}


@dataclass
class Running:
    kind: str
    port: int
    process: subprocess.Popen[bytes]
    folder: Path
    first_answer: float = 0.0  # seconds from the start to the first answer
    env: dict[str, str] = field(default_factory=dict)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(kind: str, port: int) -> list[str]:
    if kind == "companion":
        return [word.replace("{port}", str(port)) for word in COMPANION]
    peer = {"boardgameio": "boardgameio.cjs", "colyseus": "colyseus.mjs"}[kind]
    return ["node", str(PEERS / peer), str(port)]


@contextmanager
def serving(
    kind: str, folder: Path | None = None, more: tuple[str, ...] = (), settled: bool = True, **env: str
) -> Iterator[Running]:
    """Runs until the block is left. `folder` is the companion's instance; without one it gets a new one."""
    own = folder or new_folder()
    port = free_port()
    environment = {**os.environ, **COMPANION_ENV, "COMPANION_INSTANCE": str(own), **env}
    with (OUT / f"{kind}.log").open("wb") as log:
        began = time.monotonic()
        process = machine.start(
            [*command(kind, port), *more],
            machine.SERVER_CORE,
            cwd=own,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        running = Running(kind, port, process, own, env=environment)
        _await_answer(running)
        running.first_answer = time.monotonic() - began
        if settled:
            _settle(running)
        yield running
    except Exception as why:
        if (status := process.poll()) is not None:
            raise RuntimeError(f"{kind} ended with status {status}; see {OUT}/{kind}.log") from why
        raise
    finally:
        machine.stop(process)
        if not folder:
            shutil.rmtree(own)


@cache
def _instances() -> TemporaryDirectory[str]:
    """Gone when we are."""
    return TemporaryDirectory(prefix="instances-", dir=OUT)


def _settle(server: Running) -> None:
    """What it puts off until later, or until somebody asks about rules, is not to fall into a measurement."""
    if server.kind == "companion":
        urllib.request.urlopen(f"{server.url}/rules/answers?q=ties", timeout=60).read()
    machine.settle(server.pid, 15)


def new_folder() -> Path:
    folder = Path(_instances().name) / secrets.token_hex(4)
    folder.mkdir()
    return folder


def _await_answer(server: Running) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and server.process.poll() is None:
        try:
            urllib.request.urlopen(server.url, timeout=5).read()
            return
        except urllib.error.HTTPError:
            return  # a peer has no page there, but it answers
        except OSError:
            time.sleep(0.01)
    log = (OUT / f"{server.kind}.log").read_text("utf-8", "replace")
    raise RuntimeError(f"{server.kind} did not start:\n{log[-2000:]}")


def install_peers() -> None:
    """Into a copy outside bench/, so that nothing which looks through our own files meets theirs."""
    PEERS.mkdir(parents=True, exist_ok=True)
    source = ROOT / "bench" / "peers"
    lock = (source / "package-lock.json").read_bytes()
    kept = PEERS / "installed-lock.json"
    for file in [*source.iterdir(), ROOT / ".npmrc"]:
        shutil.copy(file, PEERS)
    if kept.exists() and kept.read_bytes() == lock:
        return
    # Not `npm ci`, which insists on packages for other kinds of machines too, though they are optional.
    npm = ["npm", "install", "--no-save", "--silent"]
    subprocess.run(npm, cwd=PEERS, check=True)
    kept.write_bytes(lock)
