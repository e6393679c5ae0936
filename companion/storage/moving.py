"""A whole database on the move: into a folder of backups, out of one, from SQLite to PostgreSQL and back.

A backup is an SQLite file, whatever it was made of; so what one database wrote, the other can read.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, func, insert, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from companion.storage.database import SERVING, Unusable, known_revisions, open_database, prepare
from companion.storage.recovery import (
    OWNER_ONLY,
    back_up,
    check_backup,
    copy_file,
    file_of,
    nobody_else,
    part_of,
    restore,
)
from companion.storage.rows import SittingRow

CHUNK = 1000  # rows that are in memory at a time
NAMED = "companion-[0-9]*.sqlite"
TABLES: list[Table] = SittingRow.metadata.sorted_tables  # a sitting before what belongs to it


# --- a folder of backups ---


def save(url: str, to: Path, keep: int | None = None) -> Path:
    """Into this file; or, with a name of its own, into this folder, of which `keep` are kept."""
    if not to.is_dir() and keep is None:
        _save(url, to)
        return to
    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as why:
        raise Unusable(f"The backup could not be made: {why}") from why
    file = _next_in(to)
    _save(url, file)
    for old in saved_in(to)[: -keep if keep else None] if keep is not None else ():
        old.unlink(missing_ok=True)
    return file


def saved_in(folder: Path) -> list[Path]:
    """Oldest first: the name says when."""
    return sorted(folder.glob(NAMED))


def _next_in(folder: Path) -> Path:
    """Never one that is there, and always after those."""
    while True:
        file = folder / f"companion-{time.strftime('%Y%m%d-%H%M%S')}.sqlite"
        if not file.exists():
            return file
        time.sleep(0.1)


def _save(url: str, file: Path) -> None:
    if url.startswith("sqlite"):
        back_up(url, file)
    else:
        _dump(url, file)


def bring_back(url: str, file: Path, aside: Path) -> tuple[Path, Path | None]:
    """A backup, or the newest in a folder, in the place of the database. Gives which, and where that is kept
    which was there before: beside an SQLite file, and of PostgreSQL in the folder `aside`."""
    if file.is_dir():
        found = saved_in(file)
        if not found:
            raise Unusable(f"There is no file {NAMED} in {file}.")
        file = found[-1]
    if url.startswith("sqlite"):
        return file, restore(url, file)
    check_backup(file)
    with _opened(url) as engine:
        _check_nobody_serves(engine)
        kept = None
        if _has_rows(engine):
            aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            kept = aside / f"before-{time.strftime('%Y%m%d-%H%M%S')}.sqlite"
            _dump(url, kept)
        _load(engine, file)
    return file, kept


# --- from one database to the other ---


def move(source: str, target: str) -> dict[str, int]:
    """All of it, to where there is nothing yet; gives how many rows of what. The source stays as it is."""
    file, to = file_of(source), file_of(target)
    if (file and file == to) or source == target:
        raise Unusable("That is the same database.")
    with _nobody_serves(source), tempfile.TemporaryDirectory(prefix="companion-move-") as folder:
        copy = Path(folder) / "all.sqlite"
        _save(source, copy)
        _bring_up_to_date(copy)
        if to:
            if to.exists() and to.stat().st_size:
                raise Unusable(f"There is something at {to} already; name a file that is not there.")
            restore(target, copy)
        else:
            with _opened(target) as engine:
                _check_nobody_serves(engine)
                if _has_rows(engine):
                    raise Unusable("There are tables in that database already; name one that is empty.")
                _load(engine, copy)
        before, after = prints_of(f"sqlite:///{copy}"), prints_of(target)
    if before != after:
        raise Unusable(f"What arrived is not what left: {before} and {after}. Stay with the first.")
    return {name: many for name, (many, _) in after.items()}


def prints_of(url: str) -> dict[str, tuple[int, str]]:
    """Of every table in it how many rows there are, and a number that any change in any of them changes.
    In which order a database hands them out does not matter."""
    with _opened(url, reads_only=True) as engine, engine.connect() as connection:
        found = {}
        for table in TABLES:
            many, mixed = 0, 0
            for rows in _chunks(connection, table):
                many += len(rows)
                for row in rows:
                    spelled = repr([row[column.name] for column in table.columns]).encode()
                    mixed += int.from_bytes(hashlib.sha256(spelled).digest(), "big")
            found[table.name] = (many, f"{mixed % 2**256:064x}")
    return found


def spoken(url: str) -> str:
    """Without its password."""
    return make_url(url).render_as_string(hide_password=True)


@contextmanager
def _nobody_serves(url: str) -> Iterator[None]:
    file = file_of(url)
    if file:
        if not file.is_file():
            raise Unusable(f"There is no database at {file}.")
        with nobody_else(file):
            yield
        return
    with _opened(url) as engine:
        _check_nobody_serves(engine)
    yield


# --- PostgreSQL ---


@contextmanager
def _opened(url: str, reads_only: bool = False) -> Iterator[Engine]:
    engine = open_database(url, reads_only)
    try:
        yield engine
    except DBAPIError as why:
        raise Unusable(f"The database cannot be used: {why.orig or why}") from why
    finally:
        engine.dispose()


def _check_nobody_serves(engine: Engine) -> None:
    here = "datname = current_database() AND application_name = :name"
    serving = text(f"SELECT count(*) FROM pg_stat_activity WHERE {here}")
    with engine.connect() as connection:
        if connection.execute(serving, {"name": SERVING}).scalar():
            raise Unusable("A server is running on this database. Stop it, and start it again afterwards.")


def _has_rows(engine: Engine) -> bool:
    with engine.connect() as connection:
        known = inspect(connection).has_table(TABLES[0].name)
        return known and any(
            connection.execute(select(func.count()).select_from(table)).scalar() for table in TABLES
        )


def _dump(url: str, file: Path) -> None:
    """As of one moment, while it is being written to."""
    with _opened(url, reads_only=True) as engine, part_of(file) as part, engine.connect() as connection:
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _check_schema(connection)
        part.unlink(missing_ok=True)
        part.touch(OWNER_ONLY, exist_ok=False)
        with _opened(f"sqlite:///{part.resolve()}") as made:
            prepare(made, SittingRow.metadata)
            with made.begin() as new:
                for table in TABLES:
                    for rows in _chunks(connection, table):
                        new.execute(insert(table), rows)
        _make_one_file(part)


def _check_schema(connection: Connection) -> None:
    known = inspect(connection).has_table("alembic_version")
    at = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if known else None
    if at != known_revisions()[-1]:
        found = f"of another version of companion (schema {at})" if at else "without our tables"
        raise Unusable(f"The database is {found}; use the version that serves it.")


def _load(engine: Engine, file: Path) -> None:
    """In one transaction: all of it, or nothing. One of an earlier version is brought up to date first."""
    prepare(engine, SittingRow.metadata)
    with tempfile.TemporaryDirectory(prefix="companion-load-") as folder:
        copy = Path(folder) / "copy.sqlite"
        copy_file(file.resolve(), copy)
        _bring_up_to_date(copy)
        names = ", ".join(table.name for table in TABLES)
        with (
            _opened(f"sqlite:///{copy}", reads_only=True) as old,
            old.connect() as source,
            engine.begin() as target,
        ):
            target.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            target.execute(text(f"TRUNCATE {names} RESTART IDENTITY"))
            for table in TABLES:
                for rows in _chunks(source, table):
                    target.execute(insert(table), rows)
                _count_on(target, table)


def _count_on(target: Connection, table: Table) -> None:
    """Rows came with their numbers, so PostgreSQL has not counted along."""
    if "id" in table.columns:
        following = f"pg_get_serial_sequence('{table.name}', 'id')"
        target.execute(text(f"SELECT setval({following}, max(id)) FROM {table.name} HAVING max(id) > 0"))


def _chunks(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    found = connection.execution_options(yield_per=CHUNK).execute(select(table)).mappings()
    for rows in found.partitions():
        yield [dict(row) for row in rows]


def _bring_up_to_date(copy: Path) -> None:
    with _opened(f"sqlite:///{copy}") as engine:
        prepare(engine, SittingRow.metadata)
    _make_one_file(copy)


def _make_one_file(file: Path) -> None:
    with closing(sqlite3.connect(file)) as disk:
        disk.execute("PRAGMA journal_mode=DELETE")
