"""SQLModel rows and the journal on disk. An append has happened when `writing()` has returned, not before."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command as alembic
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import BigInteger, Connection, Engine, UniqueConstraint, create_engine, event, func, insert, inspect
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.pool import NullPool
from sqlmodel import Field, Session, SQLModel, col, select, text, update

from companion.core import Entry, Game
from companion.core.event import dump, load

BUSY = 0.25  # seconds another writer may keep us waiting before the phone is told to try again


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
    events: str


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
    value: str


class Pen:
    """The right to write one sitting's journal, held inside one transaction."""

    def __init__(self, connection: Connection, sitting: int) -> None:
        self.connection = connection
        self.sitting = sitting

    def opened_by(self, tap: str) -> str | None:
        found = self.connection.execute(select(SittingRow.code).where(SittingRow.tap == tap)).scalar()
        return None if found is None else str(found)

    def open(self, row: SittingRow) -> None:
        made = self.connection.execute(insert(SittingRow).returning(col(SittingRow.id)), row.model_dump(exclude={"id"}))
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
        # SQLite before 3.51.3 can corrupt its WAL when two connections write at once, so a process keeps just one.
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
            raise Raced(str(error.orig)) from error
        except DBAPIError as error:
            raise NotSaved(str(error.orig)) from error

    @contextmanager
    def _kept_writer(self) -> Iterator[Connection]:
        if self._writer is None:
            self._writer = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection = self._writer
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise

    def _roll_back(self, connection: Connection) -> None:
        try:
            connection.exec_driver_sql("ROLLBACK")
        except DBAPIError:  # SQLite may have rolled back by itself, as it does when the disk is full
            connection.invalidate()
            connection.close()
            self._writer = None

    def keep(self, name: str, value: str) -> str:
        """The first value kept under this name wins, whoever asks."""
        with self._lock, Session(self.engine) as session:
            row = session.get(KeptRow, name)
            if row is None:
                session.add(KeptRow(name=name, value=value))
                try:
                    session.commit()
                except DBAPIError:
                    session.rollback()
        with Session(self.engine) as session:
            return session.exec(select(KeptRow).where(KeptRow.name == name)).one().value

    # --- reading ---

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        try:
            with Session(self.engine, expire_on_commit=False) as session:
                yield session
        except OperationalError as error:
            raise NotSaved(str(error.orig)) from error

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
            rows = session.exec(select(SittingRow.code, SittingRow.version).where(col(SittingRow.code).in_(codes)))
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
                known = inspect(connection).has_table("alembic_version")
                at = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
        except DBAPIError as error:
            raise Unusable(f"The database cannot be opened: {error.orig}") from error
        config = _alembic(self.engine)
        scripts = ScriptDirectory.from_config(config)
        if at is not None and at not in {each.revision for each in scripts.walk_revisions()}:
            raise Unusable(f"The database was made by a newer version of companion (schema {at}); update companion.")
        try:
            if at != scripts.get_current_head():
                alembic.upgrade(config, "head")
            self._check_writable()
        except (DBAPIError, CommandError) as error:
            raise Unusable(f"The database cannot be written: {getattr(error, 'orig', error)}") from error

    def _check_writable(self) -> None:
        if self.sqlite:
            with self._lock, self.engine.connect() as connection:
                raw = connection.connection.dbapi_connection
                assert isinstance(raw, sqlite3.Connection)
                raw.execute("BEGIN IMMEDIATE")
                raw.execute("UPDATE kept SET value = value WHERE 0")
                raw.execute("CREATE TEMP TABLE IF NOT EXISTS probe (x)")
                raw.execute("ROLLBACK")


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
    if not url.startswith("sqlite"):
        return create_engine(url, pool_size=10, max_overflow=20, pool_timeout=2, pool_pre_ping=True)
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": BUSY, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, record: object) -> None:
        # FULL, because power cuts at NORMAL lost one acknowledged tap in five
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _alembic(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def back_up(url: str, file: Path) -> None:
    """A copy of a running SQLite database, whole at one moment, put in place only when it is complete."""
    source = url.removeprefix("sqlite:///")
    if source == url:
        raise Unusable("Only an SQLite database can be backed up by this command; use pg_dump for PostgreSQL.")
    if not Path(source).exists():
        raise Unusable(f"There is no database at {source}.")
    if file.exists() and file.is_dir():
        raise Unusable(f"{file} is a folder; name a file.")
    part = file.with_name(file.name + ".part")
    try:
        with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as old, sqlite3.connect(part) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")
        part.replace(file)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise Unusable(f"The backup could not be made: {error}") from error
