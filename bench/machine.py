"""This machine: what it is, how quiet it is, and what the kernel says about a process."""

from __future__ import annotations

import os
import platform
import signal
import statistics
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, GENERATOR_CORE = CORES[0], CORES[-1]
FIRST = -10  # as nice(1) counts
QUIET = 0.15  # of one core; what others use at most while we measure, if we can help it
AT_ONCE, PATIENCE = 12, 60  # seconds to wait for others to finish: each time, and in the whole run
waited = 0.0  # of that


def start(words: list[str], core: int, **how: Any) -> subprocess.Popen[Any]:
    """On one core, and in a group of its own, which is how `stop` finds all that it started in turn."""
    process = subprocess.Popen(["taskset", "-c", str(core), *words], start_new_session=True, **how)
    with suppress(OSError):  # root may go before others on a busy machine; see sched(7) on autogroups
        os.setpriority(os.PRIO_PROCESS, process.pid, FIRST)
        Path(f"/proc/{process.pid}/autogroup").write_text(str(FIRST), "ascii")
    return process


def stop(process: subprocess.Popen[Any]) -> None:
    """With all that it started."""
    for how, seconds in ((signal.SIGTERM, 8), (signal.SIGKILL, 8)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def wait_until_quiet() -> float:
    """For a while. Gives how busy others are then, as a share of one core."""
    global waited
    until = time.monotonic() + min(AT_ONCE, PATIENCE - waited)
    while True:
        busy, began = _busy(), time.monotonic()
        time.sleep(0.5)
        took = time.monotonic() - began
        share = (_busy() - busy) / took
        if share < QUIET or time.monotonic() > until:
            return share
        waited += took


def settle(pid: int, seconds: float = 5) -> None:
    """Until a server has nothing more to do of its own, which is to be counted with what caused it."""
    until, used, idle = time.monotonic() + seconds, cpu_seconds(pid), 0
    while idle < 2 and time.monotonic() < until:
        time.sleep(0.1)
        before, used = used, cpu_seconds(pid)
        idle = idle + 1 if used - before < 0.005 else 0


def _busy() -> float:
    user, nice, system = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:4]
    return (int(user) + int(nice) + int(system)) / TICKS


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and its children, with all their threads."""
    return sum(cpu_seconds_each(pid).values())


def cpu_seconds_each(pid: int) -> dict[int, float]:
    used = {}
    for each in family(pid):
        with suppress(OSError):  # gone meanwhile
            used[each] = time.clock_gettime(_cpu_clock(each))
    return used


def _cpu_clock(pid: int) -> int:
    """What clock_getcpuclockid(3) gives: exact, where /proc counts hundredths of a second."""
    return (~pid << 3) | 2


def family(pid: int) -> list[int]:
    """The process and its children, and theirs."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # gone meanwhile
            parents[int(stat.parent.name)] = int(stat.read_text("utf-8").rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def described(folder: Path) -> list[str]:
    cores = f"{len(CORES)} cores; server on {SERVER_CORE}, generator on {GENERATOR_CORE}"
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    node = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    return [
        f"{time.strftime('%Y-%m-%d %H:%M')}, {_model()}, {cores}",
        f"{system}, node {node}, fsync {fsync_ms(folder):.2f} ms",
    ]


def _model() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def fsync_ms(folder: Path) -> float:
    """The median of what a commit costs at least on the disk that is measured on."""
    file = folder / "fsync"
    took = []
    with file.open("wb", buffering=0) as written:
        for _ in range(50):
            written.write(b"x" * 4096)
            began = time.perf_counter()
            os.fsync(written.fileno())
            took.append((time.perf_counter() - began) * 1000)
    file.unlink()
    return statistics.median(took)
