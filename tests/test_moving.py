"""Moving house: backups in a folder, on either database, and from one database to the other."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import psycopg
import pytest
from at_the_table import Handset, Ran, companion
from services import fresh_database, without_driver

from companion import create_app
from companion.storage import moving
from companion.storage.database import Unusable, known_revisions
from companion.storage.store import Store

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*/1-whole-evening.json"))
pytestmark = pytest.mark.postgres


@pytest.fixture
def elsewhere(postgres_url: str) -> Iterator[str]:
    with fresh_database(postgres_url) as url:
        yield url


def sqlite_at(file: Path) -> str:
    return f"sqlite:///{file}"


def run(url: str, *words: str) -> Ran:
    folder = Path(url.removeprefix("sqlite:///")).parent if url.startswith("sqlite") else Path("/tmp")
    return companion(folder, *words, COMPANION_DATABASE_URL=url)


def said(ran: Ran) -> str:
    assert (ran.returncode, ran.stderr.count("\n")) == (0, 0), ran.stderr
    return ran.stdout


def refused(ran: Ran) -> str:
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    return ran.stderr


@cache
def furnished() -> tuple[bytes, str]:
    """A database, and the code of a table that is being played in it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "companion.sqlite"
        code = _furnish(sqlite_at(file))
        with closing(sqlite3.connect(file)) as disk:
            disk.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return file.read_bytes(), code


def furnish(url: str) -> str:
    """An evening of every room, a table that is being played, and whatever else a server writes."""
    if not url.startswith("sqlite"):
        return _furnish(url)
    file, (all_of_it, code) = Path(url.removeprefix("sqlite:///")), furnished()
    file.write_bytes(all_of_it)
    return code


def _furnish(url: str) -> str:
    app = create_app({"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
    ada = Handset(app)
    code = ada.open("Ada", "Bøb “the second”")
    ada.get("/j/ZZZZZZ")  # a wrong code is counted
    for number in range(3):
        assert ada.count(code, by=number + 1).status_code == 201
    app.extensions["play"].store.close()
    for evening in GOLDEN:
        said(run(url, "import", str(evening)))
    return code


def exported(url: str) -> dict[str, str]:
    """Every table, as its journal goes out."""
    store = Store(url)
    codes = [row.code for row in store.all_sittings()]
    store.close()
    return {code: said(run(url, "export", code)) for code in codes}


def test_everything_goes_to_postgresql_and_back_with_one_command(tmp_path: Path, elsewhere: str) -> None:
    home, back = sqlite_at(tmp_path / "companion.sqlite"), sqlite_at(tmp_path / "back" / "companion.sqlite")
    code = furnish(home)
    before, prints = exported(home), moving.prints_of(home)
    assert len(before) == len(GOLDEN) + 1
    assert min(many for many, _ in prints.values()) > 0, "a table of the schema with nothing in it"
    assert f"Moved {len(before)} tables with" in said(run(home, "move", elsewhere))
    assert exported(elsewhere) == before
    assert said(run(elsewhere, "move", back)).startswith("Moved ")
    assert exported(back) == exported(home) == before
    assert moving.prints_of(back) == moving.prints_of(elsewhere) == prints

    app = create_app({"DATABASE_URL": elsewhere, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
    try:
        assert app.extensions["play"].show(code).version == 4
        assert Handset(app).open("Cleo", "Dov") not in before  # its number is the next one
    finally:
        app.extensions["play"].store.close()


def test_a_change_in_any_row_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "companion.sqlite"
    furnish(sqlite_at(file))
    before = moving.prints_of(sqlite_at(file))
    with closing(sqlite3.connect(file)) as disk, disk:
        disk.execute("UPDATE entry SET at = at + 1 WHERE rowid = (SELECT max(rowid) FROM entry)")
    after = moving.prints_of(sqlite_at(file))
    assert {name for name in before if before[name] != after[name]} == {"entry"}


def test_nothing_is_moved_onto_what_is_there_nor_away_under_a_server(tmp_path: Path, elsewhere: str) -> None:
    home = sqlite_at(tmp_path / "companion.sqlite")
    furnish(home)
    said(run(home, "move", elsewhere))
    assert "tables in that database already" in refused(run(home, "move", elsewhere))
    assert "something at" in refused(run(elsewhere, "move", home))
    assert "the same database" in refused(run(home, "move", home))
    assert "no database that can be used" in refused(run(home, "move", "mysql://nowhere"))
    app = create_app({"DATABASE_URL": elsewhere, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
    try:
        away = sqlite_at(tmp_path / "away.sqlite")
        assert "A server is running" in refused(run(elsewhere, "move", away))
        copy = tmp_path / "copy.sqlite"
        said(run(elsewhere, "backup", str(copy)))
        assert "A server is running" in refused(run(elsewhere, "restore", str(copy)))
    finally:
        app.extensions["play"].store.close()
    assert not (tmp_path / "away.sqlite").exists()


def test_what_arrives_otherwise_than_it_left_is_said(
    tmp_path: Path, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = sqlite_at(tmp_path / "companion.sqlite")
    furnish(home)
    lossy = moving._chunks  # noqa: SLF001

    def lose_one(connection, table):  # type: ignore[no-untyped-def]
        for rows in lossy(connection, table):
            yield rows[1:] if table.name == "phone" and "copy.sqlite" in str(connection.engine.url) else rows

    monkeypatch.setattr(moving, "_chunks", lose_one)
    with pytest.raises(Unusable, match="What arrived is not what left"):
        moving.move(home, elsewhere)


# --- a folder of backups ---


def test_a_folder_keeps_the_newest_backups_and_gives_the_last_one_back(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = furnish(database)
    shelf, prints = tmp_path / "backups", moving.prints_of(database)
    days = iter(f"2026110{day}-030000" for day in range(1, 6))
    monkeypatch.setattr(moving.time, "strftime", lambda form: next(days))
    names = [said(run(database, "backup", str(shelf), "--keep", "3")).split()[-1] for _ in range(5)]
    assert [str(each) for each in moving.saved_in(shelf)] == names[2:]
    assert {each.stat().st_mode & 0o777 for each in shelf.iterdir()} == {0o600}
    monkeypatch.undo()

    said(run(database, "forget", code))
    assert moving.prints_of(database) != prints
    answer = said(run(database, "restore", str(shelf)))
    assert names[-1] in answer
    assert moving.prints_of(database) == prints
    kept = Path(answer.split()[-1])
    assert moving.prints_of(sqlite_at(kept))["sitting"][0] == prints["sitting"][0] - 1
    if not database.startswith("sqlite"):
        kept.unlink()


def test_a_backup_of_postgresql_is_of_one_moment_while_taps_come(tmp_path: Path, elsewhere: str) -> None:
    code = furnish(elsewhere)
    app = create_app({"DATABASE_URL": elsewhere, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
    ada, before = Handset(app), moving.prints_of(elsewhere)
    seen = moving._chunks  # noqa: SLF001

    def tap_meanwhile(connection, table):  # type: ignore[no-untyped-def]
        for rows in seen(connection, table):
            if "test_" in str(connection.engine.url.database):
                assert ada.open("Cleo", "Dov") != code
            yield rows

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moving, "_chunks", tap_meanwhile)
        said(run(elsewhere, "backup", str(tmp_path / "copy.sqlite")))
    app.extensions["play"].store.close()
    assert moving.prints_of(sqlite_at(tmp_path / "copy.sqlite")) == before
    assert moving.prints_of(elsewhere) != before


def test_a_number_of_backups_that_makes_no_sense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        companion(tmp_path, "backup", str(tmp_path), "--keep", "0")


# --- versions ---


def test_a_database_of_a_newer_version_is_neither_saved_nor_filled(tmp_path: Path, elsewhere: str) -> None:
    home = sqlite_at(tmp_path / "companion.sqlite")
    furnish(home)
    furnish(elsewhere)
    with psycopg.connect(without_driver(elsewhere)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    copy = tmp_path / "copy.sqlite"
    assert "another version of companion (schema 9999)" in refused(run(elsewhere, "backup", str(copy)))
    said(run(home, "backup", str(copy)))
    answer = refused(run(elsewhere, "restore", str(copy)))
    assert "schema 9999" in answer
    with closing(sqlite3.connect(copy)) as disk, disk:
        disk.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version of companion (schema 9999)" in refused(run(home, "restore", str(copy)))


def test_a_backup_of_an_earlier_version_is_brought_up_to_date_on_its_way(
    tmp_path: Path, elsewhere: str
) -> None:
    """As one that was made before the first upgrade: no table yet of what was opened, nor of wrong codes."""
    home, copy = sqlite_at(tmp_path / "companion.sqlite"), tmp_path / "old.sqlite"
    furnish(home)
    said(run(home, "backup", str(copy)))
    with closing(sqlite3.connect(copy)) as disk, disk:
        disk.execute("DROP TABLE opening")
        disk.execute("DROP TABLE miss")
        disk.execute("UPDATE alembic_version SET version_num = '0001'")
    said(run(elsewhere, "restore", str(copy)))
    assert exported(elsewhere) == exported(home)
    with psycopg.connect(without_driver(elsewhere)) as database:
        at = database.execute("SELECT version_num FROM alembic_version").fetchone()
    assert at == (known_revisions()[-1],)
