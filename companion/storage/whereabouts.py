"""Whether the database is still the file at its path. What is written to a file that was deleted, replaced or
emptied meanwhile goes well, says SQLite, and is gone with the process; so somebody has to look."""

from __future__ import annotations

from pathlib import Path

Known = tuple[int, int]  # device and number of a file


class Whereabouts:
    """Of a database and of what SQLite writes ahead of it. One in memory has none."""

    def __init__(self, file: Path | None) -> None:
        self._paths = [file, file.with_name(f"{file.name}-wal")] if file else []
        self._known: list[Known] = []
        self._size = 0
        self._shrunk = ""

    def remember(self) -> None:
        """Right after the connection that writes has looked into it.

        The database is the one that was seen first; what is written ahead may be new with each connection.
        """
        if self._paths:
            seen = [path.stat() for path in self._paths]
            known = [(each.st_dev, each.st_ino) for each in seen]
            self._known = [*(self._known or known)[:1], *known[1:]]
            self._size = max(self._size, seen[0].st_size)

    def what_is_wrong(self) -> str:
        """Nothing, nearly always: two looks at the folder, a few microseconds."""
        if self._shrunk:
            return self._shrunk  # it may have grown again since, with holes in it
        sizes = []
        for path, known in zip(self._paths, self._known, strict=False):
            try:
                now = path.stat()
            except OSError:
                return f"{path} was deleted or moved away"
            if (now.st_dev, now.st_ino) != known:
                return f"another file was put in the place of {path}"
            sizes.append(now.st_size)
        if sizes and sizes[0] < self._size:  # SQLite never does that while it is in use
            self._shrunk = f"{self._paths[0]} was emptied or cut short"
        self._size = max([self._size, *sizes[:1]])
        return self._shrunk
