"""SQLModel rows and the journal on disk. An append has happened when `writing()` has returned, not before."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Text,
    UniqueConstraint,
    func,
    insert,
)
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Field, Session, SQLModel, col, delete, select, update

from companion.core import Entry, Game
from companion.core.event import dump, load
from companion.database import BUSY, open_database, prepare


class NotSaved(Exception):
    """The database could not take it now. Nothing was changed; the same tap may come again."""


class Raced(NotSaved):
    """Another worker was first; look again and it will be plain what happened."""


class SittingRow(SQLModel, table=True):
    __tablename__ = "sitting"
    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True, max_length=6)
    slug: str = Field(max_length=80)
    secret: str = Field(max_length=32)  # what the QR code carries; whoever sees the screen may know it
    tap: str = Field(unique=True, max_length=80)  # the tap that opened it
    version: int = Field(default=0, sa_type=BigInteger)
    opened_at: int = Field(sa_type=BigInteger)


class EntryRow(SQLModel, table=True):
    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("sitting_id", "tap"),)
    sitting_id: int = Field(primary_key=True, foreign_key="sitting.id")
    version: int = Field(primary_key=True, sa_type=BigInteger)
    tap: str = Field(max_length=80)
    digest: str = Field(max_length=64)
    phone: int
    command: str = Field(max_length=80)
    at: int = Field(sa_type=BigInteger)
    events: str = Field(sa_type=Text)


class PhoneRow(SQLModel, table=True):
    """Which device is which phone at which table. The token itself is only in the device's cookie."""

    __tablename__ = "phone"
    __table_args__ = (UniqueConstraint("sitting_id", "token_hash"),)
    sitting_id: int = Field(primary_key=True, foreign_key="sitting.id")
    number: int = Field(primary_key=True)
    token_hash: str = Field(max_length=64, index=True)


class KeptRow(SQLModel, table=True):
    """Small things every worker must agree on, such as the key that phone tokens are made with."""

    __tablename__ = "kept"
    name: str = Field(primary_key=True, max_length=40)
    value: str = Field(sa_type=Text)


class Pen:
    """The right to write one sitting's journal, held inside one transaction."""

    def __init__(self, connection: Connection, sitting: int, code: str = "") -> None:
        self.connection = connection
        self.sitting, self.code = sitting, code

    def opened_by(self, tap: str) -> str | None:
        found = self.connection.execute(select(SittingRow.code).where(SittingRow.tap == tap)).scalar()
        return None if found is None else str(found)

    def open(self, row: SittingRow) -> None:
        made = self.connection.execute(
            insert(SittingRow).returning(col(SittingRow.id)), row.model_dump(exclude={"id"})
        )
        self.sitting, self.code = int(made.scalar_one() or 0), row.code

    def tail(self, game: Game[Any], after: int) -> list[Entry]:
        return _entries(self.connection, game, self.sitting, after)

    def append(self, entry: Entry) -> None:
        self.connection.execute(
            insert(EntryRow),
            {
                "sitting_id": self.sitting,
                "version": entry.version,
                "tap": entry.tap,
                "digest": entry.digest,
                "phone": entry.phone,
                "command": entry.command,
                "at": entry.at,
                "events": json.dumps([dump(each) for each in entry.events], separators=(",", ":")),
            },
        )
        here = [col(SittingRow.id) == self.sitting, col(SittingRow.version) < entry.version]
        if self.code:  # SQLite may give the number of a forgotten sitting to the next one
            here.append(col(SittingRow.code) == self.code)
        moved = self.connection.execute(update(SittingRow).where(*here).values(version=entry.version))
        if moved.rowcount != 1:
            raise Raced(f"entry {entry.version} does not follow what is stored")

    def add_phone(self, number: int, token_hash: str) -> None:
        row = {"sitting_id": self.sitting, "number": number, "token_hash": token_hash}
        self.connection.execute(insert(PhoneRow), row)


class Store:
    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self.sqlite = self.engine.dialect.name == "sqlite"
        # SQLite before 3.51.3 can corrupt its WAL when two connections write at once, so it gets one.
        self._lock = threading.Lock()
        self._writer: Connection | None = None
        self._data_version: Any = None

    def prepare(self) -> None:
        prepare(self.engine)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self.engine.dispose()

    # --- writing ---

    @contextmanager
    def writing(self, sitting: int = 0, code: str = "") -> Iterator[Pen]:
        """One writer per sitting, from reading its tail to COMMIT. Leaving with an error writes nothing."""
        try:
            if self.sqlite:
                with self._lock, self._kept_writer() as connection:
                    yield Pen(connection, sitting, code)
            else:
                with self.engine.begin() as connection:
                    lock = select(SittingRow.version).where(col(SittingRow.id) == sitting).with_for_update()
                    connection.execute(lock)
                    yield Pen(connection, sitting, code)
        except IntegrityError as error:
            raise Raced(_why(error)) from error
        except (DBAPIError, PoolTimeout) as error:
            raise NotSaved(_why(error)) from error

    @contextmanager
    def _kept_writer(self) -> Iterator[Connection]:
        connection = self._the_writer()
        try:
            _begin(connection)
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise

    def _the_writer(self) -> Connection:
        if self._writer is None:
            self._writer = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._writer.exec_driver_sql("PRAGMA busy_timeout=0")
            self._writer.exec_driver_sql("PRAGMA secure_delete=ON")  # what is forgotten is gone from the file
        return self._writer

    def touched(self) -> bool:
        """Whether another process has written to this SQLite file since this was last asked."""
        try:
            with self._lock:
                version = self._the_writer().exec_driver_sql("PRAGMA data_version").scalar()
        except DBAPIError as error:
            raise NotSaved(_why(error)) from error
        changed = bool(version != self._data_version)
        self._data_version = version
        return changed

    def forget(self, sitting: int) -> None:
        with self.writing(sitting) as pen:
            for kind in (EntryRow, PhoneRow):
                pen.connection.execute(delete(kind).where(col(kind.sitting_id) == sitting))
            pen.connection.execute(delete(SittingRow).where(col(SittingRow.id) == sitting))
        if self.sqlite:
            self._empty_the_log()

    def _empty_the_log(self) -> None:
        """What SQLite wrote ahead still holds the pages as they were. Best effort: a reader may hold it."""
        with self._lock, suppress(DBAPIError):
            self._the_writer().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _roll_back(self, connection: Connection) -> None:
        try:
            connection.exec_driver_sql("ROLLBACK")
        except SQLAlchemyError:  # never begun, or undone by SQLite itself, as when the disk is full
            self._writer = None
            connection.invalidate()
            connection.close()

    def keep(self, name: str, value: str) -> str:
        """The first value kept under this name wins, whoever asks."""
        wanted = select(KeptRow.value).where(KeptRow.name == name)
        with suppress(Raced), self.writing() as pen:
            kept = pen.connection.execute(wanted).scalar()
            if kept is not None:
                return str(kept)
            pen.connection.execute(insert(KeptRow), {"name": name, "value": value})
        with self._reading() as session:
            return session.exec(wanted).one()

    # --- reading ---

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        try:
            with Session(self.engine, expire_on_commit=False) as session:
                yield session
        except (DBAPIError, PoolTimeout) as error:
            raise NotSaved(_why(error)) from error

    def sitting(self, code: str) -> SittingRow | None:
        with self._reading() as session:
            return session.exec(select(SittingRow).where(SittingRow.code == code)).first()

    def entries(self, game: Game[Any], sitting: int, after: int = 0) -> list[Entry]:
        with self._reading() as session:
            return _entries(session.connection(), game, sitting, after)

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

    def versions(self, codes: list[str]) -> dict[str, int]:
        with self._reading() as session:
            rows = session.exec(
                select(SittingRow.code, SittingRow.version).where(col(SittingRow.code).in_(codes))
            )
            return dict(rows.all())

    def ids(self, codes: list[str]) -> dict[str, int | None]:
        with self._reading() as session:
            rows = session.exec(select(SittingRow.code, SittingRow.id).where(col(SittingRow.code).in_(codes)))
            return dict(rows.all())

    def newest(self, sitting: int) -> int:
        with self._reading() as session:
            return session.exec(select(SittingRow.version).where(SittingRow.id == sitting)).one()

    def count(self) -> int:
        with self._reading() as session:
            return session.exec(select(func.count(col(EntryRow.version)))).one()


def _begin(connection: Connection) -> None:
    """Waits its turn in short sleeps, while others go on; SQLite's own waiting would stop every phone."""
    until = time.monotonic() + BUSY
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise
        time.sleep(BUSY / 20)


def _why(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error)


def _entries(connection: Connection, game: Game[Any], sitting: int, after: int) -> list[Entry]:
    rows = connection.execute(
        select(EntryRow)
        .where(EntryRow.sitting_id == sitting, EntryRow.version > after)
        .order_by(col(EntryRow.version))
    ).mappings()
    return [_entry(game, dict(row)) for row in rows]


def _entry(game: Game[Any], row: dict[str, Any]) -> Entry:
    events = tuple(load(game.kinds, each) for each in json.loads(row.pop("events")))
    row.pop("sitting_id")
    return Entry(**row, events=events)
