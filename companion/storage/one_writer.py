"""The one connection that writes to an SQLite file, and what it must heed: other processes, and whether the
file is still where it was."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from companion.storage.appends import begin
from companion.storage.database import BUSY, PATIENCE, WAY_BACK, is_damage
from companion.storage.locks import writing_lock
from companion.storage.rows import Damage, NotSaved
from companion.storage.whereabouts import Whereabouts

# Pages, 16 MB, that are written ahead until a tap has to wait, for 30 ms and more, while they are put in
# their places. Only a server that has never a moment to spare gets there: `put_in_place` comes before.
AHEAD = 4000
# kB of the file that it keeps in memory. A tap writes to four pages, which are spread over all tables: with
# SQLite's own 2,000, a thousand tables had two of them read again from the disk for each tap.
KNOWN = 32_000


class OneWriter:
    """SQLite before 3.51.3 can corrupt what it writes ahead when two connections write at once, so it gets
    one in this process; and whoever writes, in any, holds a lock on a file beside it."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self.engine = engine
        self.lock = threading.Lock()
        self._others = writing_lock(file)
        self._place = Whereabouts(file)
        self._connection: Connection | None = None
        self._data_version: Any = None

    def close(self) -> None:
        """Who is the last to close tidies up, and that is writing too."""
        with suppress(OSError):  # its folder is gone
            self._others.take(BUSY)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.engine.dispose()
        self._others.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process writes meanwhile."""
        if not self._others.take(PATIENCE):
            raise NotSaved("another process is writing")
        try:
            yield
        finally:
            self._others.give_back()

    @contextmanager
    def transaction(self, waiting: Callable[[Callable[[], object]], object]) -> Iterator[Connection]:
        """For whoever holds the lock. `waiting` runs what waits for the disk."""
        connection = self._connected()
        disk = connection.connection.dbapi_connection
        assert isinstance(disk, sqlite3.Connection)
        try:
            begin(disk, self._others)
            yield connection
            waiting(partial(self._commit, disk))
            self._others.give_back()
            self._check_place()  # or it was written to what nobody will ever read
        except BaseException:
            self._roll_back(connection, disk)
            raise
        finally:
            self._others.give_back()

    def _commit(self, disk: sqlite3.Connection) -> None:
        """Perhaps in a thread, which does nothing else: it would have to wait for its turn first."""
        disk.execute("COMMIT")

    def _check_place(self) -> None:
        wrong = self._place.what_is_wrong()
        if wrong:
            raise Damage(f"{wrong}: nothing can be saved. Stop the server. {WAY_BACK}")

    def _connected(self) -> Connection:
        if self._connection is None:
            writer = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            writer.exec_driver_sql("PRAGMA busy_timeout=0")
            writer.exec_driver_sql(f"PRAGMA wal_autocheckpoint={AHEAD}")
            writer.exec_driver_sql(f"PRAGMA cache_size=-{KNOWN}")
            writer.exec_driver_sql("PRAGMA secure_delete=ON")  # what is forgotten is gone from the file
            writer.exec_driver_sql("PRAGMA data_version")  # so that all its files are there
            try:
                self._place.remember()
            except OSError as error:
                writer.close()
                raise Damage(f"{error.filename} is gone: nothing can be saved. {WAY_BACK}") from error
            self._connection = writer
        return self._connection

    def _roll_back(self, connection: Connection, disk: sqlite3.Connection) -> None:
        try:
            if disk.in_transaction:  # or it never began, or SQLite itself has undone it, as on a full disk
                disk.execute("ROLLBACK")
        except sqlite3.Error:
            self._connection = None
            connection.invalidate()
            connection.close()

    def put_in_place(self, waiting: Callable[[Callable[[], object]], object]) -> None:
        """What was written ahead, at a moment when nobody waits: a little of it takes about as long as a tap.
        What goes wrong here, the next tap meets too."""
        with self.lock, suppress(DBAPIError, sqlite3.Error, Damage, OSError):
            disk = self._connected().connection.dbapi_connection
            if disk is not None and self._others.take(0):
                try:
                    waiting(lambda: disk.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall())
                finally:
                    self._others.give_back()

    def touched(self) -> bool:
        """Whether another process has written to the file since this was last asked."""
        with self.lock:
            version = self._connected().exec_driver_sql("PRAGMA data_version").scalar()
            self._check_place()
        changed = bool(version != self._data_version)
        self._data_version = version
        return changed

    def empty_the_log(self) -> None:
        """What SQLite wrote ahead still holds the pages as they were. Best effort: a reader may hold it."""
        for _ in range(20):
            with self.lock, suppress(DBAPIError, NotSaved), self.alone():
                busy = self._connected().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
                if not busy:
                    return
            time.sleep(BUSY / 5)  # readers are quick

    def why_not(self, error: Exception) -> NotSaved:
        """In which words an error of the database is told."""
        words, wrong = words_of(error), self._place.what_is_wrong()
        if not wrong and is_damage(error):
            wrong = f"The database is damaged: {words}"
        return Damage(f"{wrong}. Stop the server. {WAY_BACK}") if wrong else NotSaved(words)


def words_of(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error)
