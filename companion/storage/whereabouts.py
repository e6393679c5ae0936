"""Whether the database is still the file at its path. What is written to a file that was deleted, replaced or
emptied meanwhile goes well, says SQLite, and is gone with the process; so somebody has to look."""

from __future__ import annotations

import os
from pathlib import Path

Known = tuple[int, int]  # device and number of a file


class Whereabouts:
    """Of a database and of what SQLite writes ahead of it. One in memory has none."""

    def __init__(self, file: Path | None) -> None:
        self._file = str(file or "")
        self._ahead = f"{file}-wal"
        self._known: tuple[Known, Known] | None = None
        self._size = 0
        self._shrunk = ""

    def remember(self) -> None:
        """Right after the connection that writes has looked into it.

        The database is the one that was seen first; what is written ahead may be new with each connection.
        """
        if self._file:
            file, ahead = self._look()
            first = self._known[0] if self._known else (file.st_dev, file.st_ino)
            self._known = first, (ahead.st_dev, ahead.st_ino)
            self._size = max(self._size, file.st_size)

    def _look(self) -> tuple[os.stat_result, os.stat_result]:
        # With every trip to the disk; Path.stat() would cost three times as much.
        return os.stat(self._file), os.stat(self._ahead)  # noqa: PTH116

    def what_is_wrong(self) -> str:
        """Nothing, nearly always."""
        if self._known is None or self._shrunk:
            return self._shrunk  # it may have grown again since, with holes in it
        try:
            file, ahead = self._look()
        except OSError as why:
            return f"{why.filename} was deleted or moved away"
        if ((file.st_dev, file.st_ino), (ahead.st_dev, ahead.st_ino)) != self._known:
            return f"another file was put in the place of {self._file}, or of what lies beside it"
        if file.st_size < self._size:  # SQLite never does that while it is in use
            self._shrunk = f"{self._file} was emptied or cut short"
        self._size = file.st_size
        return self._shrunk
