"""Tables that are there, but that this version cannot read. Each is closed with a sentence, and no other."""

from __future__ import annotations

import logging

from companion.core import Journal, Refused
from companion.storage.store import SittingRow

log = logging.getLogger(__name__)
MOST = 2000  # remembered; the others are tried again


class Closed(Refused):
    """What whoever asks for it is told."""

    def __init__(self, code: str) -> None:
        super().__init__(
            "This table was written by a newer version of Companion, or it is damaged, so it is closed here."
            " Nothing of it is lost: whoever runs the server can take it along with"
            f" “companion export {code}”."
        )


class ClosedTables:
    """Those that somebody has tried to read, so that not everyone who asks tries again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int | None, int]] = {}  # code → number and version of what was tried

    def __contains__(self, code: str) -> bool:
        return code in self._known

    def __bool__(self) -> bool:
        return bool(self._known)

    def check(self, row: SittingRow) -> None:
        if self._known.get(row.code) == (row.id, row.version):
            raise Closed(row.code)

    def close(self, row: SittingRow, why: Exception) -> Closed:
        if row.code not in self._known:
            words, about = f"{type(why).__name__}: {why}", {"table": row.code, "version": row.version}
            log.error("table %s is closed, nothing of it is lost: %s", row.code, words, extra=about)
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[row.code] = (row.id, row.version)
        return Closed(row.code)

    def forget(self, code: str) -> None:
        self._known.pop(code, None)

    def clear(self) -> None:
        """Perhaps one was mended."""
        self._known.clear()


def check_whole(journal: Journal, version: int) -> None:
    """There may be more by now, but never less."""
    if journal.version < version:
        raise ValueError(f"{journal.version} entries of {version} are left")
