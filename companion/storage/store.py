"""The journal on disk. A tap is there when `append()` has returned, not before."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, func, insert
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session, col, delete, select

from companion.core import Entry, Game
from companion.storage.appends import APPEND, Append, JournalWriter, Opening, Writing, put_all
from companion.storage.database import Unusable, open_appender, open_database, prepare
from companion.storage.one_writer import OneWriter, words_of
from companion.storage.recovery import check, file_of, keep_private, look_over, note_made
from companion.storage.rows import (
    ENTRY,
    Damage,
    EntryRow,
    KeptRow,
    MissRow,
    NotSaved,
    OpeningRow,
    PhoneRow,
    Raced,
    SittingRow,
    entry_of,
    row_of,
)

TAIL = (
    "SELECT version, tap, digest, phone, command, at, events FROM entry"
    " WHERE sitting_id = %(sitting)s AND version > %(after)s ORDER BY version LIMIT %(most)s"
)
log = logging.getLogger(__name__)
#: Taps after which a moment in which nobody waits is used to put them in their places. To put four times as
#: many takes a third longer, since many of them have changed the same pages.
CALM = 256
STANDING = "SELECT code, id, version FROM sitting WHERE code = ANY(%(codes)s)"
CHUNK = 200  # entries that are read or brought in at a time, so that a long evening keeps nobody waiting


class Store:
    def __init__(self, url: str, reads_only: bool = False, name: str = "companion") -> None:
        self.engine = open_database(url, reads_only, name)
        self._appender = self.engine if reads_only or url.startswith("sqlite") else open_appender(url, name)
        self.sqlite = self.engine.dialect.name == "sqlite"
        self.file = file_of(url)
        self._writer = OneWriter(self.engine, self.file)
        self._queue: deque[Writing] = deque()
        self._at_the_disk = threading.Lock()  # held by the one who goes there for all
        #: Run what waits for the disk: a tap's COMMIT, and what may take longer. The server hands in ways
        #: that let everybody else go on meanwhile.
        self.waiting: Callable[[Callable[[], object]], object] = lambda do: do()
        self.waiting_long: Callable[[Callable[[], object]], object] = lambda do: do()
        #: Sends somebody to the disk with what was posted; the server does it once it has read what came.
        self.later: Callable[[Callable[[], None]], object] = lambda go: go()
        self._sent = False  # whether somebody goes, or is there
        self._ahead = 0  # taps that were written since the last quiet moment

    def prepare(self, check_all: bool = False) -> None:
        """`check_all`: also see whether it is sound from one end to the other, as a server should."""
        if self.file is None:
            prepare(self.engine, EntryRow.metadata)
            return
        try:
            look_over(self.file)
            if check_all:
                check(self.file)
            with self._writer.alone():
                prepare(self.engine, EntryRow.metadata)
        except OSError as why:
            raise Unusable(f"The database cannot be used: {why.filename}: {why.strerror}.") from why
        note_made(self.file)
        keep_private(self.file)

    def close(self) -> None:
        self._writer.close()
        self._appender.dispose()

    # --- writing ---

    def append(self, sitting: int, code: str, entry: Entry, newcomer: str = "") -> None:
        """One tap. When this returns it is on disk; when it raises, nothing was written."""
        mine = Append(sitting, code, entry, newcomer)
        if self.sqlite:
            self._write(mine)
        else:
            self._append_alone(mine)

    def open(self, row: SittingRow, entry: Entry, phones: Mapping[str, int], address: str = "") -> None:
        """A new sitting. Its row gets its number, or that of the one that this tap has opened before.

        It counts against the address, if there is one; what is older than a day against nobody.
        """
        if self.sqlite:
            self._write(Opening(row, entry, phones, address))
            return
        with self.writing() as writer:
            known = writer.opened_by(row.tap)
            if known:
                row.code = known
                return
            row.id = writer.open(row)
            writer.append(entry)
            for hashed, number in phones.items():
                writer.add_phone(number, hashed)
            if address:
                writer.count(address, row.opened_at)

    def post(self, mine: Writing, then: Callable[[NotSaved | None], None]) -> None:
        """For who cannot wait, with SQLite: it goes with the next trip, and `then` is called after that."""
        mine.then = then
        self._queue.append(mine)
        self._send_somebody()

    @property
    def queued(self) -> int:
        """What has not set out for the disk yet."""
        return len(self._queue)

    def _send_somebody(self) -> None:
        if not self._sent:
            self._sent = True
            self.later(self._go_until_all_is_written)

    def _go_until_all_is_written(self) -> None:
        try:
            while self._queue and self._at_the_disk.acquire(blocking=False):
                self._go_to_the_disk()
                if self._ahead >= CALM and not self._queue:
                    self._ahead = 0
                    self._writer.put_in_place(self.waiting_long)
        finally:
            self._sent = False  # who is there now, if that is another, sees to what is left

    def _write(self, mine: Writing) -> None:
        mine.turn = threading.Lock()
        self._queue.append(mine)
        while not mine.settled:
            if self._at_the_disk.acquire(blocking=False):
                time.sleep(0)  # whoever is just being read comes along
                self._go_to_the_disk()
            else:
                mine.turn.acquire()  # that one tells us, or sends us
        if mine.why_not:
            raise mine.why_not

    def _go_to_the_disk(self) -> None:
        """With all that have come till now; whoever comes meanwhile is for the next one who goes."""
        batch = [self._queue.popleft() for _ in range(len(self._queue))]
        self._ahead += len(batch)
        try:
            with self._writer.lock:
                self._write_all(batch)
        finally:
            for each in batch:
                each.settled = True
                try:
                    each.call()
                except Exception:  # who else was on this trip, or waits for the next, goes on
                    log.exception("what follows on a tap broke", extra=each.about())
            self._at_the_disk.release()
            with suppress(IndexError):  # whoever comes just now has taken them along
                self._queue[0].call()
                if self._queue[0].then:
                    self._send_somebody()

    def _write_all(self, batch: list[Writing]) -> None:
        """Many taps, one trip to the disk. None of them is answered before COMMIT has returned."""
        raced: dict[int, Raced] = {}
        why: NotSaved | None = NotSaved("the writer was stopped")
        try:
            with self._writer.transaction(self.waiting) as connection:
                raced = put_all(connection.connection.dbapi_connection, batch)
            why = None
        except NotSaved as error:
            why = error
        except (DBAPIError, sqlite3.Error) as error:
            why = self._writer.why_not(error)
        finally:
            for number, each in enumerate(batch):
                each.why_not = why or raced.get(number)

    def _append_alone(self, each: Append) -> None:
        """PostgreSQL puts trips of several connections together by itself."""
        given = {**row_of(each.entry), "sitting": each.sitting, "code": each.code, "newcomer": each.newcomer}
        if self._trip(APPEND, given)[0][0] != 1:
            raise Raced(f"entry {each.entry.version} does not follow what is stored")

    def _trip(self, statement: str, given: dict[str, Any]) -> list[Any]:
        """To PostgreSQL and back, once: no session, no transaction around it, and no asking first."""
        driver = self._appender.dialect.loaded_dbapi
        for last in (False, True):
            try:
                connection = self._appender.raw_connection()
            except (driver.Error, PoolTimeout) as error:
                raise NotSaved(str(error)) from error
            try:
                cursor: Any = connection.cursor()
                cursor.execute(statement, given)
                return list(cursor.fetchall())
            except driver.IntegrityError as error:
                raise Raced(str(error)) from error
            except driver.Error as error:
                lost = getattr(connection.dbapi_connection, "closed", True)
                connection.invalidate()
                if last or not lost:
                    raise NotSaved(str(error)) from error
                self._appender.dispose()  # the server has been away, so none of the others is any good either
            finally:
                connection.close()
        raise AssertionError("the last one returns or raises")

    @contextmanager
    def writing(self, sitting: int = 0, code: str = "") -> Iterator[JournalWriter]:
        """One writer per sitting, from reading its tail to COMMIT. Leaving with an error writes nothing."""
        try:
            if self.sqlite:
                with self._writer.lock, self._writer.transaction(self.waiting_long) as connection:
                    yield JournalWriter(connection, sitting, code)
            else:
                with self.engine.begin() as connection:
                    lock = select(SittingRow.version).where(col(SittingRow.id) == sitting).with_for_update()
                    connection.execute(lock)
                    yield JournalWriter(connection, sitting, code)
        except IntegrityError as error:
            raise Raced(words_of(error)) from error
        except (DBAPIError, PoolTimeout, sqlite3.Error) as error:
            raise self._writer.why_not(error) from error

    def touched(self) -> bool:
        """Whether another process has written to this SQLite file since this was last asked."""
        try:
            return self._writer.touched()
        except DBAPIError as error:
            raise self._writer.why_not(error) from error

    def forget(self, sitting: int) -> None:
        with self.writing(sitting) as writer:
            for kind in (EntryRow, PhoneRow):
                writer.connection.execute(delete(kind).where(col(kind.sitting_id) == sitting))
            writer.connection.execute(delete(SittingRow).where(col(SittingRow.id) == sitting))
        if self.sqlite:
            self._writer.empty_the_log()

    def keep(self, name: str, value: str) -> str:
        """The first value kept under this name wins, whoever asks."""
        wanted = select(KeptRow.value).where(KeptRow.name == name)
        with self._reading() as session:
            known = session.exec(wanted).first()
        if known is not None:
            return known
        with suppress(Raced), self.writing() as writer:
            kept = writer.connection.execute(wanted).scalar()
            if kept is not None:
                return str(kept)
            writer.connection.execute(insert(KeptRow), {"name": name, "value": value})
        with self._reading() as session:
            return session.exec(wanted).one()

    # --- reading ---

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        try:
            with Session(self.engine, expire_on_commit=False) as session:
                yield session
        except (DBAPIError, PoolTimeout) as error:
            raise self._writer.why_not(error) from error

    def sitting(self, code: str) -> SittingRow | None:
        with self._reading() as session:
            return session.exec(select(SittingRow).where(SittingRow.code == code)).first()

    def entries(self, game: Game[Any], sitting: int, after: int = 0) -> list[Entry]:
        return list(self.each_entry(game, sitting, after))

    def each_entry(self, game: Game[Any], sitting: int, after: int = 0) -> Iterator[Entry]:
        while True:
            rows = self._tail(sitting, after)
            yield from (entry_of(game, row) for row in rows)
            if len(rows) < CHUNK:
                return
            after += len(rows)

    def each_row(self, sitting: int) -> Iterator[dict[str, Any]]:
        """The journal as it is stored, also where nobody can read it."""
        after = 0
        while rows := self._tail(sitting, after):
            yield from rows
            after = rows[-1]["version"]

    def _tail(self, sitting: int, after: int) -> list[dict[str, Any]]:
        if self.sqlite:
            with self._reading() as session:
                return _rows(session.connection(), sitting, after, CHUNK)
        rows = self._trip(TAIL, {"sitting": sitting, "after": after, "most": CHUNK})
        return [dict(zip(ENTRY, row, strict=True)) for row in rows]

    def phones(self, sitting: int) -> dict[str, int]:
        """Token hash → phone number."""
        with self._reading() as session:
            rows = session.exec(select(PhoneRow).where(PhoneRow.sitting_id == sitting))
            return {row.token_hash: row.number for row in rows}

    def sittings_of(self, token_hash: str, most: int) -> list[SittingRow]:
        """The tables this phone was at, newest first."""
        with self._reading() as session:
            return list(
                session.exec(
                    select(SittingRow)
                    .join(PhoneRow)
                    .where(PhoneRow.token_hash == token_hash)
                    .order_by(col(SittingRow.opened_at).desc(), col(SittingRow.id).desc())
                    .limit(most)
                )
            )

    def all_sittings(self) -> list[SittingRow]:
        """Every table of this server, oldest first."""
        with self._reading() as session:
            wanted = select(SittingRow).order_by(col(SittingRow.opened_at), col(SittingRow.id))
            return list(session.exec(wanted))

    def opened_with(self, tap: str) -> list[SittingRow]:
        """Every table whose journal begins with this tap: an evening, and copies of it."""
        with self._reading() as session:
            first = (EntryRow.version == 1, EntryRow.tap == tap)
            return list(session.exec(select(SittingRow).join(EntryRow).where(*first)))

    def numbers_of(self, token_hash: str) -> dict[int, int]:
        """Which phone this one is, sitting by sitting."""
        with self._reading() as session:
            wanted = select(PhoneRow.sitting_id, PhoneRow.number).where(PhoneRow.token_hash == token_hash)
            return dict(session.exec(wanted).all())

    def standing(self, codes: list[str]) -> dict[str, tuple[int, int]]:
        """Code → number and version, of those that are still there."""
        if not self.sqlite:
            return {code: (id, version) for code, id, version in self._trip(STANDING, {"codes": codes})}
        with self._reading() as session:
            wanted = select(SittingRow.code, SittingRow.id, SittingRow.version)
            rows = session.exec(wanted.where(col(SittingRow.code).in_(codes)))
            return {code: (id or 0, version) for code, id, version in rows}

    # --- wrong codes ---

    def miss(self, address: str, at: int, since: int) -> None:
        """One more; what is older than `since` no longer counts against anybody."""
        with self.writing() as writer:
            writer.connection.execute(delete(MissRow).where(col(MissRow.at) <= since))
            writer.connection.execute(insert(MissRow), {"address": address, "at": at})

    def misses(self, address: str, since: int, most: int) -> list[int]:
        """When, newest first."""
        with self._reading() as session:
            wanted = select(MissRow.at).where(MissRow.address == address, MissRow.at > since)
            return list(session.exec(wanted.order_by(col(MissRow.at).desc()).limit(most)))

    def all_misses(self, since: int) -> int:
        with self._reading() as session:
            return session.exec(select(func.count(col(MissRow.id))).where(MissRow.at > since)).one()

    def opened(self, address: str, since: int) -> int:
        """How many tables."""
        with self._reading() as session:
            mine = (OpeningRow.address == address, OpeningRow.at > since)
            return session.exec(select(func.count(col(OpeningRow.id))).where(*mine)).one()

    def newest(self, sitting: int) -> int:
        with self._reading() as session:
            return session.exec(select(SittingRow.version).where(SittingRow.id == sitting)).one()

    def count(self) -> int:
        with self._reading() as session:
            return session.exec(select(func.count(col(EntryRow.version)))).one()


def _rows(connection: Connection, sitting: int, after: int, most: int) -> list[dict[str, Any]]:
    rows = connection.execute(
        select(EntryRow)
        .where(EntryRow.sitting_id == sitting, EntryRow.version > after)
        .order_by(col(EntryRow.version))
        .limit(most)
    ).mappings()
    return [dict(row) for row in rows]


__all__ = ["Damage", "EntryRow", "NotSaved", "PhoneRow", "Raced", "SittingRow", "Store", "entry_of", "row_of"]
