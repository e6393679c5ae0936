"""Whether the database is still the file at its path. What is written to a file that was deleted, replaced or
emptied meanwhile goes well, says SQLite, and is gone with the process; so somebody has to look."""

from __future__ import annotations

import os
from pathlib import Path

Known = tuple[int, int]  # device and number of a file


class Whereabouts:
    """Of a database, of what SQLite writes ahead of it, and of where that is told to others who have it open:
    without this they would not know of each other. One in memory has none."""

    def __init__(self, file: Path | None) -> None:
        self._file = str(file or "")
        self._beside = f"{file}-wal", f"{file}-shm"
        self._known: tuple[Known, ...] = ()
        self._size = 0
        self._shrunk = ""

    def remember(self) -> None:
        """Right after the connection that writes has looked into it.

        The database is the one that was seen first; what is written ahead may be new with each connection.
        """
        if self._file:
            found, size = self._look()
            self._known = self._known[:1] or found[:1]
            self._known += found[1:]
            self._size = max(self._size, size)

    def _look(self) -> tuple[tuple[Known, ...], int]:
        """Which files they are, and how large the first is."""
        # With every trip to the disk; Path.stat() would cost three times as much.
        file, (ahead, shared) = os.stat(self._file), map(os.stat, self._beside)  # noqa: PTH116
        known = (file.st_dev, file.st_ino), (ahead.st_dev, ahead.st_ino), (shared.st_dev, shared.st_ino)
        return known, file.st_size

    def what_is_wrong(self) -> str:
        """Nothing, nearly always."""
        if not self._known or self._shrunk:
            return self._shrunk  # it may have grown again since, with holes in it
        try:
            found, size = self._look()
        except OSError as why:
            return f"{why.filename} was deleted or moved away"
        if found != self._known:
            return f"another file was put in the place of {self._file}, or of what lies beside it"
        if size < self._size:  # SQLite never does that while it is in use
            self._shrunk = f"{self._file} was emptied or cut short"
        self._size = size
        return self._shrunk
