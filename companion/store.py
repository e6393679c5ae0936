"""SQLModel rows and the journal on disk. An append has happened when `writing()` has returned, not before."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic import command as alembic
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import (
    BigInteger,
    Connection,
    Engine,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    func,
    insert,
    inspect,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import NullPool
from sqlmodel import Field, Session, SQLModel, col, select, text, update

from companion.core import Entry, Game
from companion.core.event import dump, load

if TYPE_CHECKING:
    import psycopg

BUSY = 0.25  # seconds another writer may keep us waiting before the phone is told to try again
PATIENCE = 2  # seconds; as BUSY, but PostgreSQL keeps only this one phone waiting, not the whole process
MIGRATING = 20_260_000  # PostgreSQL's name for the lock that workers queue at when they start together


class NotSaved(Exception):
    """The database could not take it now. Nothing was changed; the same tap may come again."""


class Raced(NotSaved):
    """Another worker was first; look again and it will be plain what happened."""


class Unusable(Exception):
    """The database cannot be served from; the text says why in one line."""


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

    def __init__(self, connection: Connection, sitting: int) -> None:
        self.connection = connection
        self.sitting = sitting

    def opened_by(self, tap: str) -> str | None:
        found = self.connection.execute(select(SittingRow.code).where(SittingRow.tap == tap)).scalar()
        return None if found is None else str(found)

    def open(self, row: SittingRow) -> None:
        made = self.connection.execute(
            insert(SittingRow).returning(col(SittingRow.id)), row.model_dump(exclude={"id"})
        )
        self.sitting = int(made.scalar_one() or 0)

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
        self.connection.execute(
            update(SittingRow).where(col(SittingRow.id) == self.sitting).values(version=entry.version)
        )

    def add_phone(self, number: int, token_hash: str) -> None:
        row = {"sitting_id": self.sitting, "number": number, "token_hash": token_hash}
        self.connection.execute(insert(PhoneRow), row)


class Store:
    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self.sqlite = self.engine.dialect.name == "sqlite"
        # SQLite before 3.51.3 can corrupt its WAL when two connections write at once, so it gets one.
        self._lock = threading.Lock()
        self._writer: Connection | None = None

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self.engine.dispose()

    # --- writing ---

    @contextmanager
    def writing(self, sitting: int = 0) -> Iterator[Pen]:
        """One writer per sitting, from reading its tail to COMMIT. Leaving with an error writes nothing."""
        try:
            if self.sqlite:
                with self._lock, self._kept_writer() as connection:
                    yield Pen(connection, sitting)
            else:
                with self.engine.begin() as connection:
                    lock = select(SittingRow.version).where(col(SittingRow.id) == sitting).with_for_update()
                    connection.execute(lock)
                    yield Pen(connection, sitting)
        except IntegrityError as error:
            raise Raced(_why(error)) from error
        except (DBAPIError, PoolTimeout) as error:
            raise NotSaved(_why(error)) from error

    @contextmanager
    def _kept_writer(self) -> Iterator[Connection]:
        if self._writer is None:
            self._writer = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._writer.exec_driver_sql("PRAGMA busy_timeout=0")
        connection = self._writer
        try:
            _begin(connection)
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise

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

    def versions(self, codes: list[str]) -> dict[str, int]:
        with self._reading() as session:
            rows = session.exec(
                select(SittingRow.code, SittingRow.version).where(col(SittingRow.code).in_(codes))
            )
            return dict(rows.all())

    def newest(self, sitting: int) -> int:
        with self._reading() as session:
            return session.exec(select(SittingRow.version).where(SittingRow.id == sitting)).one()

    def count(self) -> int:
        with self._reading() as session:
            return session.exec(select(func.count(col(EntryRow.version)))).one()

    # --- the file itself ---

    def prepare(self) -> None:
        """Bring the schema up to date, or say in one line why this database cannot be served."""
        try:
            with self.engine.connect() as connection:
                self._queue_up(connection)
                self._migrate(connection)
                connection.rollback()
                # Matches nothing, yet is refused by a file or a server that can only be read.
                connection.execute(update(KeptRow).where(text("1 = 0")).values(value=""))
        except DBAPIError as error:
            raise Unusable(f"The database cannot be used: {_why(error)}") from error

    def _queue_up(self, connection: Connection) -> None:
        """Workers that start together make the tables one after the other; the first one does the work."""
        if not self.sqlite:
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATING})"))

    def _migrate(self, connection: Connection) -> None:
        known = inspect(connection).has_table("alembic_version")
        at = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
        config = _alembic(self.engine)
        scripts = ScriptDirectory.from_config(config)
        if at is not None and at not in {each.revision for each in scripts.walk_revisions()}:
            raise Unusable(
                f"The database was made by a newer version of companion (schema {at}); update companion."
            )
        if at != scripts.get_current_head():
            alembic.upgrade(config, "head")


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


def _engine(url: str) -> Engine:
    try:
        return _sqlite(url) if url.startswith("sqlite") else _postgres(url)
    except (ArgumentError, ImportError) as error:
        raise Unusable(f"COMPANION_DATABASE_URL names no database that can be used: {error}") from error


def _sqlite(url: str) -> Engine:
    engine = create_engine(
        url, poolclass=NullPool, connect_args={"timeout": BUSY, "check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, record: object) -> None:
        # FULL, because power cuts at NORMAL lost one acknowledged tap in five
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _postgres(url: str) -> Engine:
    engine = create_engine(
        url,
        pool_size=10,
        max_overflow=20,
        pool_timeout=PATIENCE,
        pool_pre_ping=True,
        connect_args={"connect_timeout": PATIENCE},
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: psycopg.Connection[Any], record: object) -> None:
        # A worker that hangs with a sitting in its hands must not hang that sitting's other phones for good.
        connection.execute(f"SET lock_timeout = '{PATIENCE}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{2 * PATIENCE}s'")
        connection.commit()

    return engine


def _alembic(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def back_up(url: str, file: Path) -> None:
    """A copy of a running SQLite database, whole at one moment, put in place only when it is complete."""
    if not url.startswith("sqlite"):
        raise Unusable(
            "Only an SQLite database can be backed up by this command; use pg_dump for PostgreSQL."
        )
    source = Path(make_url(url).database or "").resolve()
    if not source.is_file():
        raise Unusable(f"There is no database at {source}.")
    if file.is_dir():
        raise Unusable(f"{file} is a folder; name a file.")
    if file.resolve() == source:
        raise Unusable(f"{file} is the database itself; name another file.")
    part = file.with_name(file.name + ".part")
    try:
        part.unlink(missing_ok=True)
        _copy(source, part)
        part.replace(file)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise Unusable(f"The backup could not be made: {error}") from error


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
