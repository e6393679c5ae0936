"""The database itself: how it is opened, brought up to date and copied. What is in it is up to the store."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, MetaData, create_engine, event, inspect, text
from sqlalchemy.exc import ArgumentError, DBAPIError

if TYPE_CHECKING:
    import psycopg

BUSY = 0.25  # seconds another writer may keep us waiting before the phone is told to try again
PATIENCE = 2  # seconds; as BUSY, but PostgreSQL keeps only this one phone waiting, not the whole process
MIGRATING = 20_260_000  # PostgreSQL's name for the lock that workers queue at when they start together
SERVING = "companion serve"  # how a server calls itself to PostgreSQL, so that others see that it is there
WAY_BACK = "Restore a backup with “companion restore FILE”; what is there now is kept aside."
MIGRATIONS = Path(__file__).with_name("migrations")
VERSION = (  # alembic's own, so that it finds its way from here
    "CREATE TABLE IF NOT EXISTS alembic_version"
    " (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


class Unusable(Exception):
    """The database cannot be served from; the text says why in one line."""


def is_damage(error: Exception) -> bool:
    """Busy or full passes; this does not, and must not be called anything else."""
    code = getattr(getattr(error, "orig", None) or error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def open_database(url: str, reads_only: bool = False, name: str = "companion") -> Engine:
    try:
        engine = _sqlite(url) if url.startswith("sqlite") else _postgres(url, name)
    except (ArgumentError, ImportError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "psycopg":
            more = "PostgreSQL needs what companion[server] brings along: pipx install 'companion[server]'."
            raise Unusable(more) from error
        raise Unusable(f"COMPANION_DATABASE_URL names no database that can be used: {error}") from error
    if reads_only:
        _forbid_writing(engine)
    return engine


def _forbid_writing(engine: Engine) -> None:
    sqlite = engine.dialect.name == "sqlite"

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: object) -> None:
        connection.execute("PRAGMA query_only=ON" if sqlite else "SET default_transaction_read_only = on")
        connection.commit()


def _sqlite(url: str) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY, "check_same_thread": False})

    @event.listens_for(engine, "do_connect")
    def find(dialect: object, record: object, words: list[Any], options: dict[str, Any]) -> None:
        """SQLite would make a new file in the place of one that was deleted, and go on as if nothing was."""
        if words[0] != ":memory:" and not options.get("uri"):
            words[0], options["uri"] = f"{Path(words[0]).resolve().as_uri()}?mode=rw", True

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, record: object) -> None:
        # FULL, because power cuts at NORMAL lost one acknowledged tap in five
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def open_appender(url: str, name: str = "companion") -> Engine:
    """For taps alone: one statement each, which is its own transaction, on a connection nobody asks first."""
    return _postgres(url, name, pool_pre_ping=False, isolation_level="AUTOCOMMIT")


def _postgres(url: str, name: str, **more: Any) -> Engine:
    engine = create_engine(
        url,
        **{"pool_pre_ping": True, **more},
        pool_size=10,
        max_overflow=20,
        pool_timeout=PATIENCE,
        connect_args={"connect_timeout": PATIENCE, "application_name": name},
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: psycopg.Connection[Any], record: object) -> None:
        # A worker that hangs with a sitting in its hands must not hang that sitting's other phones for good.
        connection.execute(f"SET lock_timeout = '{PATIENCE}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{2 * PATIENCE}s'")
        connection.commit()

    return engine


def prepare(engine: Engine, tables: MetaData) -> None:
    """Bring the schema up to date, or say in one line why this database cannot be served."""
    try:
        with engine.connect() as connection:
            _queue_up(connection)
            _migrate(engine, connection, tables)
            connection.rollback()
            # Matches nothing, yet is refused by a file or a server that can only be read.
            connection.execute(text("UPDATE kept SET value = '' WHERE 1 = 0"))
    except DBAPIError as error:
        if is_damage(error):
            raise Unusable(f"The database is damaged: {error.orig}. {WAY_BACK}") from error
        raise Unusable(f"The database cannot be used: {error.orig or error}") from error


def _queue_up(connection: Connection) -> None:
    """Workers that start together make the tables one after the other; the first one does the work."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATING})"))


def _migrate(engine: Engine, connection: Connection, tables: MetaData) -> None:
    known = inspect(connection).has_table("alembic_version")
    at = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
    revisions = known_revisions()
    if at is not None and at not in revisions:
        raise Unusable(
            f"The database was made by a newer version of companion (schema {at}); update companion."
        )
    if at is None:
        _make(connection, tables, revisions[-1])
    elif at != revisions[-1]:
        _upgrade(engine)


def known_revisions() -> list[str]:
    return sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _make(connection: Connection, tables: MetaData, revision: str) -> None:
    """All at once, as the rows are now; a test holds the migrations to the same. Whoever was interrupted here
    comes here again, since the revision is written last."""
    tables.create_all(connection)
    connection.execute(text(VERSION))
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
    connection.commit()


def _upgrade(engine: Engine, to: str = "head") -> None:
    from alembic import command  # a third of the time it takes to start, and seldom needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["engine"] = engine
    command.upgrade(config, to)
