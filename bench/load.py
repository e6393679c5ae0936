"""The load generator: a node process on a core of its own that takes orders."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bench import machine, servers

MAIN = Path(__file__).with_name("generator") / "main.mjs"
PATIENCE = 180  # seconds for one order


class Generator:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def order(self, order: str, **how: Any) -> dict[str, Any]:
        to, back = self.process.stdin, self.process.stdout
        assert to
        assert back
        to.write(json.dumps({"order": order, **how}) + "\n")
        to.flush()
        answer = json.loads(_line(back) or '{"failed": "the generator gave no answer"}')
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return dict(answer)


def _line(back: IO[str]) -> str:
    ready, _, _ = select.select([back], [], [], PATIENCE)
    return back.readline() if ready else ""


@contextmanager
def generator(server: servers.Running) -> Iterator[Generator]:
    options = ["--max-old-space-size=4096", "--expose-gc"]
    node = ["node", *options, str(MAIN), server.kind, server.url, str(server.pid)]
    process = machine.start(
        node,
        machine.GENERATOR_CORE,
        env={**os.environ, "BENCH_PEERS": str(servers.PEERS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Generator(process)
    finally:
        machine.stop(process)
