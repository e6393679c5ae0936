"""What docs/scale.md says of the schema and of a tap's way, asked of a real PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from at_the_table import Handset
from flask import Flask
from services import without_driver
from sqlalchemy import UniqueConstraint
from sqlmodel import SQLModel

from companion import create_app
from companion.storage.appends import APPEND
from companion.storage.rows import EntryRow, PhoneRow, SittingRow

pytestmark = pytest.mark.postgres
BY_SITTING = {"sitting": "id", "entry": "sitting_id", "phone": "sitting_id"}
DROPPABLE = {("sitting", "code"), ("sitting", "tap")}
ELSEWHERE = {"kept", "miss", "opening"}  # no tap touches them


@pytest.fixture
def app(postgres_database: str) -> Iterator[Flask]:
    app = create_app(
        {
            "DATABASE_URL": postgres_database,
            "REDIS_URL": None,
            "PUBLIC_URL": None,
            "SHELF": [],
            "LIMITS": "off",
        }
    )
    yield app
    app.extensions["play"].store.close()


@pytest.fixture
def database(app: Flask) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(without_driver(app.config["DATABASE_URL"]), autocommit=True) as connection:
        yield connection


def given(code: str, sitting: int, version: int) -> dict[str, object]:
    said = {"digest": "", "phone": 1, "command": "count", "at": 1, "events": "[]", "newcomer": ""}
    return {"sitting": sitting, "code": code, "version": version, "tap": secrets.token_hex(8), **said}


def test_unique_keys_hold_the_sitting_or_are_known_to_be_droppable() -> None:
    assert SQLModel.metadata.tables.keys() == BY_SITTING.keys() | ELSEWHERE, (
        "a new table finds its shard first"
    )
    for row in (SittingRow, EntryRow, PhoneRow):
        table = SQLModel.metadata.tables[str(row.__tablename__)]
        keys = [set(table.primary_key.columns.keys())]
        keys += [set(each.columns.keys()) for each in table.constraints if isinstance(each, UniqueConstraint)]
        keys += [{column.name} for column in table.columns if column.unique]
        for key in keys:
            held = BY_SITTING[table.name] in key
            assert held or {(table.name, name) for name in key} <= DROPPABLE, (table.name, key)
        for each in table.foreign_keys:  # they stay on one shard
            assert (each.parent.name, each.column.table.name) == ("sitting_id", "sitting")


def test_an_evening_is_played_without_the_keys_that_can_be_dropped(
    app: Flask, database: psycopg.Connection[Any]
) -> None:
    for table, column in DROPPABLE:
        database.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_key".encode())
    ada, bob = Handset(app), Handset(app)
    opened = {"tap": secrets.token_hex(8)}
    code = ada.open("Ada", "Bob", **opened)
    assert ada.open("Ada", "Bob", **opened) == code  # the same tap once more: the same table
    bob.join(code, 2)
    tap = secrets.token_hex(8)
    first, again = bob.count(code, tap=tap), bob.count(code, tap=tap)
    assert (first.status_code, first.data) == (again.status_code, again.data)
    assert first.status_code == 201
    assert ada.tap(code, "take_back", entry=first.json["version"]).status_code == 201  # type: ignore[index]
    assert ada.tap(code, "end_sitting").status_code == 201
    assert ada.get(f"/s/{code}/recap").status_code == 200


def test_a_tap_draws_from_no_sequence(app: Flask, database: psycopg.Connection[Any]) -> None:
    ada, bob = Handset(app), Handset(app)
    code = ada.open("Ada", "Bob")

    def drawn() -> list[Any]:
        return database.execute("SELECT sequencename, last_value FROM pg_sequences ORDER BY 1").fetchall()

    before = drawn()
    assert before
    for _ in range(3):
        assert ada.count(code).status_code == 201
    bob.join(code, 2)  # nor does a phone that comes
    assert bob.count(code).status_code == 201
    assert drawn() == before
    ada.open("Ada", "Bob")
    assert drawn() != before  # as a table that is opened does


def test_a_tap_locks_the_row_of_its_sitting_and_nothing_else(
    app: Flask, database: psycopg.Connection[Any]
) -> None:
    ada = Handset(app)
    one, other = ada.open("Ada", "Bob"), ada.open("Ada", "Bob")
    row = app.extensions["play"].show(one).row
    with psycopg.connect(without_driver(app.config["DATABASE_URL"])) as held:
        assert held.execute(APPEND.encode(), given(one, row.id, 2)).fetchone() == (1,)
        locks = held.execute(
            "SELECT locktype, coalesce(relation::regclass::text, ''), mode FROM pg_locks"
            " WHERE pid = pg_backend_pid() AND locktype NOT IN ('virtualxid', 'transactionid')"
        ).fetchall()
        ours = {(kind, mode) for kind, name, mode in locks if not name.startswith("pg_")}
        assert ours <= {
            ("relation", mode) for mode in ("AccessShareLock", "RowShareLock", "RowExclusiveLock")
        }
        database.execute("SET lock_timeout = '500ms'")
        assert ada.count(other).status_code == 201  # at another table nobody waits
        with pytest.raises(psycopg.errors.LockNotAvailable):
            database.execute("SELECT 1 FROM sitting WHERE code = %s FOR UPDATE", [one])
        held.rollback()
    assert ada.count(one).status_code == 201


def test_a_taps_statement_names_the_sitting_wherever_it_writes() -> None:
    """So a database that is dealt out by sitting asks one shard for all of it."""
    assert "WHERE id = %(sitting)s" in APPEND
    assert APPEND.count("FROM moved") == 2
    assert APPEND.count("INSERT INTO") == 2
    assert "nextval" not in APPEND
    assert "advisory" not in APPEND
