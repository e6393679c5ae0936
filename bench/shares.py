"""A fixed share of a core for each process: a small machine can tell two of them from one, too."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

PERIOD = 10_000  # µs; short, so that a process is never away for long
V2 = Path("/sys/fs/cgroup")
V1 = Path("/sys/fs/cgroup/cpu")


@contextmanager
def limited(pids: list[int], share: float) -> Iterator[str]:
    """Each gets so much of a core, and no more; says by what means."""
    with ExitStack() as stack:
        yield _limit(stack, pids, share)


def _limit(stack: ExitStack, pids: list[int], share: float) -> str:
    for limit, words in ((_quota_v2, "cgroup v2"), (_quota_v1, "cgroup v1")):
        with suppress(OSError):  # not here, or not ours to change
            for pid in pids:
                stack.enter_context(limit(pid, share))
            return words
        stack.close()
    for pid in pids:
        stack.enter_context(_duty(pid, share))
    return "stopped and let go on in turns"


@contextmanager
def _quota_v2(pid: int, share: float) -> Iterator[None]:
    if "cpu" not in (V2 / "cgroup.controllers").read_text("ascii").split():
        raise OSError("the cpu controller is not here")
    (V2 / "cgroup.subtree_control").write_text("+cpu", "ascii")
    with _group(V2, pid) as group:
        (group / "cpu.weight").write_text("10000", "ascii")  # its share is its own on a busy machine, too
        (group / "cpu.max").write_text(f"{int(PERIOD * share)} {PERIOD}", "ascii")
        yield


@contextmanager
def _quota_v1(pid: int, share: float) -> Iterator[None]:
    with _group(V1, pid) as group:
        (group / "cpu.shares").write_text("262144", "ascii")  # its share is its own on a busy machine, too
        (group / "cpu.cfs_period_us").write_text(str(PERIOD), "ascii")
        (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD * share)), "ascii")
        yield


@contextmanager
def _group(root: Path, pid: int) -> Iterator[Path]:
    if not (root / "cgroup.procs").exists():
        raise OSError("no control groups here")
    group = root / f"companion-bench-{pid}"
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid), "ascii")
        yield group
    finally:
        with suppress(OSError):  # it may have ended
            (root / "cgroup.procs").write_text(str(pid), "ascii")
        group.rmdir()


@contextmanager
def _duty(pid: int, share: float) -> Iterator[None]:
    """Without control groups: stopped for the rest of each period."""
    over = threading.Event()

    def keep_time() -> None:
        with suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(pid, signal.SIGCONT)
                time.sleep(2 * PERIOD / 1e6 * share)
                os.kill(pid, signal.SIGSTOP)
                time.sleep(2 * PERIOD / 1e6 * (1 - share))
            os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=keep_time, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
