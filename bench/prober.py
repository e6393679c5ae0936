"""Asks a server for the time, every 2 ms: the longest answer is how long its loop stood still.

    python -m bench.prober PORT

A line on standard input asks for what was noted since the line before.
"""

from __future__ import annotations

import json
import select
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench import machine, servers

EVERY = 0.002  # seconds
PATIENCE = 60


def probe(port: int) -> None:
    took: list[float] = []
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ask = f"GET /time HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        while True:
            began = time.perf_counter()
            line.sendall(ask)
            _whole_answer(line)
            took.append((time.perf_counter() - began) * 1000)
            pause = max(EVERY - (time.perf_counter() - began), 0)
            if select.select([sys.stdin], [], [], pause)[0]:
                if not sys.stdin.readline():
                    return
                print(json.dumps({"longest": max(took), "usual": statistics.median(took)}), flush=True)
                took.clear()


def _whole_answer(line: socket.socket) -> None:
    heard = b""
    while not heard.rstrip().endswith(b"}"):
        data = line.recv(65536)
        if not data:
            raise ConnectionError("the server hung up")
        heard += data


class Prober:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def stood_still(self) -> float:
        """ms that the loop stood still at most since this was last asked."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        noted = json.loads(self.process.stdout.readline())
        return float(noted["longest"] - noted["usual"])


@contextmanager
def probing(server: servers.Running) -> Iterator[Prober]:
    process = machine.start(
        [sys.executable, "-m", "bench.prober", str(server.port)],
        machine.GENERATOR_CORE,
        cwd=servers.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Prober(process)
    finally:
        machine.stop(process)


if __name__ == "__main__":
    probe(int(sys.argv[1]))
