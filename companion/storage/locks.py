"""One writer at a time, also across processes.

SQLite before 3.51.3 can damage its write-ahead log when two connections write or tidy it at the same moment.
Within a process there is one connection that writes; between a server and the commands beside it stands this.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl, msvcrt = _module("fcntl"), _module("msvcrt")  # the second one's where the first is missing: Windows
FAR = 1 << 30  # Windows lets nobody read or write what is locked, so that lies behind all that is written
PAUSE = 0.0125  # seconds between two tries


class FileLock:
    """On a file beside the database, never on that itself: to close it would drop the locks of SQLite.

    Whoever dies lets go of it, since it belongs to the open file.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path  # None: there is no file, so nobody else can have it open
        self._file: int | None = None
        self._held = False

    def take(self, patience: float = 0) -> bool:
        """Whether it is ours now. Two microseconds where nobody else wants it."""
        if self.path is None:
            return True
        if self._file is None:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + patience if patience else 0
        while True:
            if _lock(self._file):
                self._held = True
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(PAUSE)

    def give_back(self) -> None:
        """If it is ours."""
        if self._held and self._file is not None:
            self._held = False
            _unlock(self._file)

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file, self._held = None, False


def _lock(file: int) -> bool:
    try:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt:
            os.lseek(file, FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _unlock(file: int) -> None:
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_UN)
    elif msvcrt:
        os.lseek(file, FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)


def beside(file: Path, what: str) -> Path:
    """As SQLite names what belongs to a database: `companion.sqlite-wal`."""
    return file.with_name(f"{file.name}-{what}")


def writing_lock(file: Path | None) -> FileLock:
    """Held round everything that is written."""
    return FileLock(file and beside(file, "writing"))


def serving_lock(file: Path | None) -> FileLock:
    """Held by a server for as long as it lives."""
    return FileLock(file and beside(file, "serving"))
