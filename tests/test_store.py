"""The journal on disk. Whatever is stored must hold on SQLite and on PostgreSQL."""

from __future__ import annotations

import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from at_the_table import OUTSIDE, Handset, Serve, Served, seats
from flask import Flask
from services import PostgresServer, cannot, find, free_port, of_all_workers, without_driver
from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel
from test_serving import Answer, Caller, code_in, counting, eventually, mounted, opening, together

from companion import create_app
from companion.core import Entry, Journal
from companion.games import Shelf, take
from companion.net.live import Live
from companion.sittings.play import Play
from companion.storage.appends import APPEND, COME, OPEN, PUT, Append
from companion.storage.database import BUSY, VERSION
from companion.storage.database import _upgrade as upgrade
from companion.storage.rows import ENTRY, EntryRow, PhoneRow
from companion.storage.store import CALM, TAIL, NotSaved, Raced, SittingRow, Store
from companion.tools.phones import PhoneJoined

EPOCH = 1_800_000_000_000


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = Store(database)
    store.prepare()
    yield store
    store.close()


def sitting_row(code: str = "K7PQ4M", tap: str = "the-opening") -> SittingRow:
    return SittingRow(code=code, slug="any-game", secret="s3cr3t", tap=tap, version=0, opened_at=EPOCH)


def joined(version: int, tap: str, phone: int = 1, at: int = EPOCH) -> Entry:
    return Entry(version, tap, "digest", phone, "join", at, (PhoneJoined(phone, "Ada’s 📱", "watcher"),))


def opened(store: Store) -> int:
    with store.writing() as pen:
        pen.open(sitting_row())
        return pen.sitting


# --- what is written can be read ---


def test_what_was_appended_is_read_back_as_it_was(store: Store, games: Shelf) -> None:
    game = take(games, "any-game")
    written = [joined(1, "tap-one", 1), joined(2, "tap-two", 2), joined(3, "tap-three", 3)]
    sitting = opened(store)
    for entry in written:
        with store.writing(sitting) as pen:
            pen.append(entry)
    assert store.entries(game, sitting) == written
    assert store.entries(game, sitting, after=2) == written[2:]
    assert store.newest(sitting) == 3
    assert store.standing(["K7PQ4M", "NOSUCH"]) == {"K7PQ4M": (sitting, 3)}
    assert store.count() == 3


def test_the_row_of_a_sitting_comes_back_by_its_code(store: Store) -> None:
    sitting = opened(store)
    found = store.sitting("K7PQ4M")
    assert found
    assert (found.id, found.slug, found.secret, found.opened_at) == (sitting, "any-game", "s3cr3t", EPOCH)
    assert store.sitting("NOSUCH") is None


def test_the_tables_of_a_phone_are_listed_newest_first(store: Store) -> None:
    for at, code in enumerate(("AAAAAA", "BBBBBB", "CCCCCC")):
        row = sitting_row(code, f"opening-{code}")
        row.opened_at = EPOCH + at
        with store.writing() as pen:
            pen.open(row)
            pen.add_phone(1, "hash of Ada’s token")
    assert [row.code for row in store.sittings_of("hash of Ada’s token", 2)] == ["CCCCCC", "BBBBBB"]
    assert store.sittings_of("hash of Bob’s token", 2) == []


def test_an_evening_of_more_than_two_thousand_million_taps_would_fit(store: Store, games: Shelf) -> None:
    late = joined(2**31 + 7, "tap-late", at=2**53)
    sitting = opened(store)
    with store.writing(sitting) as pen:
        pen.append(late)
    assert store.entries(take(games, "any-game"), sitting) == [late]
    assert store.newest(sitting) == 2**31 + 7


def test_leaving_with_an_error_writes_nothing(store: Store) -> None:
    sitting = opened(store)

    def stumble() -> None:
        with store.writing(sitting) as pen:
            pen.append(joined(1, "tap-one"))
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            stumble()
    assert store.count() == 0
    with store.writing(sitting) as pen:
        pen.append(joined(1, "tap-one"))
    assert store.count() == 1


def test_the_first_value_kept_under_a_name_wins(store: Store, database: str) -> None:
    other = Store(database)
    assert store.keep("token key", "first") == "first"
    assert other.keep("token key", "second") == "first"
    assert store.keep("token key", "third") == "first"
    other.close()


def test_workers_that_start_together_agree_on_the_token_key(store: Store, database: str) -> None:
    workers = [Store(database) for _ in range(4)]
    kept = together(*(partial(worker.keep, "key", str(n)) for n, worker in enumerate(workers)))
    assert len(set(kept)) == 1
    for worker in workers:
        worker.close()


# --- seat belts ---


def written_by_hand(database: str, *statements: str) -> None:
    engine = create_engine(database)
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


def entry_by_hand(version: int, tap: str) -> str:
    return (
        "INSERT INTO entry (sitting_id, version, tap, digest, phone, command, at, events)"
        f" SELECT id, {version}, '{tap}', '', 1, 'count', 0, '[]' FROM sitting"
    )


SECOND_SITTING = (
    "INSERT INTO sitting (code, slug, secret, tap, version, opened_at)"
    " VALUES ('{code}', 'any-game', 'x', '{tap}', 0, 0)"
)
BELTS = {
    "a version twice": entry_by_hand(1, "tap-two"),
    "a tap twice": entry_by_hand(2, "tap-one"),
    "a code twice": SECOND_SITTING.format(code="K7PQ4M", tap="another-opening"),
    "an opening twice": SECOND_SITTING.format(code="ZZZZZZ", tap="the-opening"),
    "a phone number twice": "INSERT INTO phone SELECT id, 1, 'another' FROM sitting",
    "a token twice": "INSERT INTO phone SELECT id, 2, 'token' FROM sitting",
}


@pytest.mark.parametrize("twice", BELTS)
def test_the_database_itself_refuses(store: Store, database: str, twice: str) -> None:
    sitting = opened(store)
    with store.writing(sitting) as pen:
        pen.append(joined(1, "tap-one"))
        pen.add_phone(1, "token")
    with pytest.raises(IntegrityError):
        written_by_hand(database, BELTS[twice])


def test_an_entry_without_a_sitting_is_refused(store: Store) -> None:
    with pytest.raises(Raced), store.writing(77) as pen:
        pen.append(joined(1, "tap-one"))


def test_a_worker_that_was_late_is_told_to_look_again(store: Store) -> None:
    sitting = opened(store)

    def write(entry: Entry) -> None:
        with store.writing(sitting) as pen:
            pen.append(entry)

    write(joined(1, "tap-one"))
    with pytest.raises(Raced):
        write(joined(1, "tap-two"))
    with pytest.raises(Raced):
        write(joined(2, "tap-one"))
    write(joined(2, "tap-two"))
    assert store.count() == 2


def test_of_taps_that_go_together_only_the_one_that_cannot_stand_is_left_behind(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'together.sqlite'}")
    store.prepare()
    sitting, told = opened(store), {}
    trips: list[Callable[[], None]] = []
    store.later = trips.append
    for version, tap in ((1, "tap-one"), (3, "too-early"), (2, "tap-two"), (3, "tap-one"), (3, "tap-three")):
        entry = joined(version, tap)
        store.post(Append(sitting, "K7PQ4M", entry), partial(told.__setitem__, (version, tap)))
    (go,) = trips
    assert not told, "nobody has been to the disk yet"
    go()
    assert {each: type(why) for each, why in told.items()} == {
        (1, "tap-one"): NoneType,
        (3, "too-early"): Raced,
        (2, "tap-two"): NoneType,
        (3, "tap-one"): Raced,
        (3, "tap-three"): NoneType,
    }
    assert (store.count(), store.newest(sitting)) == (3, 3)
    store.close()


def test_what_breaks_after_one_tap_keeps_no_other_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is on disk all the same, and the phone that heard nothing sends it again."""
    store = Store(f"sqlite:///{tmp_path / 'broken.sqlite'}")
    store.prepare()
    sitting, told = opened(store), []
    trips: list[Callable[[], None]] = []
    store.later = trips.append
    thens: list[Callable[[NotSaved | None], None]] = [
        lambda why: told.append(1 / 0),
        told.append,
        told.append,
    ]
    for version, then in enumerate(thens, 1):
        store.post(Append(sitting, "K7PQ4M", joined(version, f"tap-{version}")), then)
    trips.pop()()
    assert told == [None, None]
    (broke,) = caplog.records
    assert (broke.table, broke.version) == ("K7PQ4M", 1)  # type: ignore[attr-defined]
    store.append(sitting, "K7PQ4M", joined(4, "tap-4"))  # there is another trip
    assert store.count() == 4
    store.close()


def test_phones_that_come_together_are_written_together_and_one_that_clashes_takes_none_along(
    tmp_path: Path,
) -> None:
    store = Store(f"sqlite:///{tmp_path / 'newcomers.sqlite'}")
    store.prepare()
    sitting, told = opened(store), {}
    trips: list[Callable[[], None]] = []
    store.later = trips.append
    for version, token in ((1, "ada"), (2, "bob"), (3, "cleo"), (4, "ada"), (4, "dov")):
        entry = joined(version, f"tap-{version}-{token}", version)
        store.post(Append(sitting, "K7PQ4M", entry, token), partial(told.__setitem__, (version, token)))
        if token == "bob":
            trips.pop()()
    trips.pop()()
    assert [each for each, why in told.items() if why] == [(4, "ada")]
    assert store.phones(sitting) == {"ada": 1, "bob": 2, "cleo": 3, "dov": 4}
    assert (store.count(), store.newest(sitting)) == (4, 4)
    store.close()


def test_what_was_written_ahead_is_put_in_place_as_soon_as_nobody_waits(tmp_path: Path) -> None:
    """All of it at once, as SQLite does by itself, would keep every phone waiting for a moment."""
    file = tmp_path / "ahead.sqlite"
    store = Store(f"sqlite:///{file}")
    store.prepare()
    sitting, errands = opened(store), []

    def errand(do: Callable[[], object]) -> object:
        errands.append(store.count())
        return do()

    store.waiting = store.waiting_long = errand
    for version in range(1, CALM + 1):
        assert len(errands) == version - 1, "a tap waits for its own COMMIT alone"
        store.post(Append(sitting, "K7PQ4M", joined(version, f"tap-{version}")), lambda why: None)
    assert len(errands) == CALM + 1
    assert errands[-1] == CALM, "first the tap itself is saved, and answered"
    alone = tmp_path / "alone.sqlite"
    alone.write_bytes(file.read_bytes())  # without what is written ahead beside it
    with closing(sqlite3.connect(alone)) as copy:
        assert copy.execute("SELECT count(*) FROM entry").fetchone() == (CALM,)
    store.close()


def schema(engine: Engine) -> dict[str, Any]:
    """All that a database has to say of its tables, after a look that they are as the rows say."""
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, SQLModel.metadata) == []
        said, names = inspect(connection), inspect(connection).get_table_names()
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
        ask = (said.get_pk_constraint, said.get_unique_constraints, said.get_indexes, said.get_foreign_keys)
        tables = {name: [repr(said.get_columns(name)), *(each(name) for each in ask)] for name in names}
        return {"version": version, **tables}


def clear(engine: Engine) -> None:
    """Down to the last table, and nothing says that there ever was one."""
    if engine.dialect.name == "sqlite":
        Path(f"{engine.url.database}-writing").write_bytes(b"")
    with engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))


def test_the_migrations_make_exactly_what_a_new_database_has(store: Store) -> None:
    clear(store.engine)
    store.prepare()
    new = schema(store.engine)
    clear(store.engine)
    upgrade(store.engine)
    assert schema(store.engine) == new


def test_a_database_of_an_earlier_version_is_brought_up_to_date(store: Store) -> None:
    new = schema(store.engine)
    clear(store.engine)
    upgrade(store.engine, "0001")
    with store.engine.begin() as connection:
        connection.execute(text("INSERT INTO kept VALUES ('token key', 'of old')"))
    store.prepare()
    assert schema(store.engine) == new
    assert store.keep("token key", "new") == "of old"


def test_a_new_database_that_was_cut_off_while_it_was_made_is_made_to_the_end(store: Store) -> None:
    new = schema(store.engine)
    clear(store.engine)
    with store.engine.begin() as connection:
        SQLModel.metadata.tables["kept"].create(connection)
        connection.execute(text(VERSION))
    store.prepare()
    assert schema(store.engine) == new


def test_preparing_a_prepared_database_changes_nothing(store: Store) -> None:
    sitting = opened(store)
    store.prepare()
    assert store.newest(sitting) == 0


# --- a tap, once ---


def test_the_same_tap_twice_gets_the_same_answer_and_one_entry(app_on: Flask) -> None:
    ada = Handset(app_on)
    code = ada.open("Ada", "Bob")
    first = ada.count(code, tap="tap-of-ada")
    ada.count(code, tap="another-tap")
    again = ada.count(code, tap="tap-of-ada")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json == {"tap": "tap-of-ada", "version": 2}
    assert points(app_on, code) == 2


def test_a_tap_is_remembered_by_a_server_that_was_not_there(app_on: Flask, database: str) -> None:
    ada = Handset(app_on)
    code = ada.open("Ada", "Bob")
    first = ada.count(code, tap="tap-of-ada")
    other = create_app({"DATABASE_URL": database, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
    ada.client = other.test_client()
    cookie = re.search(r"phone=(\w+)", str(first.request.headers["Cookie"]))
    assert cookie
    ada.client.set_cookie("phone", cookie[1])
    assert ada.count(code, tap="tap-of-ada").json == first.json
    other.extensions["play"].store.close()


def test_the_same_tap_id_with_other_content_is_refused(app_on: Flask) -> None:
    ada, bob = Handset(app_on), Handset(app_on)
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    before = ada.count(code, tap="tap-of-ada").json
    assert ada.count(code, tap="tap-of-ada", by=2).status_code == 409
    assert ada.tap(code, "end_game", "tap-of-ada").status_code == 409
    assert bob.count(code, tap="tap-of-ada").status_code == 409
    assert ada.count(code, tap="tap-of-ada").json == before
    assert points(app_on, code) == 1


ODD = {
    "NUL": "\0",
    "NUL inside": "a\0b",
    "half a character": "\ud800",
    "emoji and half a character": "🎲\udfff",
    "right to left": "\u202e",
    "control characters": "\x7f\x80",
    "SQL": "'; DROP TABLE entry; --",
    "percent signs": "%00%ED%A0%80",
    "10 kB": "x" * 10_000,
}


def test_odd_text_is_kept_clean_or_refused_and_never_breaks_anything(app_on: Flask) -> None:
    for what, odd in ODD.items():
        assert_kept_clean_or_refused(Handset(app_on), what, odd)


def assert_kept_clean_or_refused(ada: Handset, what: str, odd: str) -> None:
    code = ada.open("Ada", "Bob")
    sent = odd.encode("utf-8", "surrogatepass")
    answers = [
        ada.post("/open/any-game", opening("Ada", "Bob") | {"name": [sent, "Bob"]}),
        ada.post("/open/any-game", opening("Ada", "Bob") | {"tap": sent}),
        ada.post(f"/j/{code}", {"tap": "tap-to-join", "label": sent}),
        ada.tap(code, "add_counter", name=sent),
        ada.tap(code, "count", seat=sent, counter=sent, by=sent, round=sent),
        ada.post(f"/s/{code}/do/count", {"tap": sent, "seat": 1, "counter": "1", "by": 1, "round": 1}),
        ada.post(f"/s/{code}/do/count", counting() | {sent.decode("latin-1"): sent}),
        ada.get(f"/s/{code}/live/table", headers={"Last-Event-ID": odd.encode("ascii", "replace").decode()}),
    ]
    assert {answer.status_code for answer in answers} <= {200, 201, 303, 409, 422, 413}, what
    assert ada.get(f"/s/{code}").status_code == 200, what
    assert ada.count(code).status_code == 201, what


@pytest.mark.parametrize(
    "path", ["/s/%00", "/s/%ED%A0%80/do/count", "/j/%00/%00", "/open/%00", "/games/%00.css"]
)
def test_odd_addresses_lead_nowhere(app_on: Flask, path: str) -> None:
    ada = Handset(app_on)
    ada.open("Ada", "Bob")
    ada.client.set_cookie("phone", "%00%ED")
    for answer in (ada.get(path), ada.post(path, counting())):
        assert 400 <= answer.status_code < 500


def points(app: Flask, code: str, seat: int = 1) -> int:
    state = app.extensions["play"].show(code).journal.state
    return int(state.got(1, seat, "1"))


# --- at the same moment ---


def journal_on(database: str, games: Shelf, code: str) -> Journal:
    store = Store(database)
    row = store.sitting(code)
    assert row
    assert row.id
    game = take(games, row.slug)
    journal = Journal(game, store.entries(game, row.id))
    store.close()
    return journal


def test_twenty_identical_taps_at_the_same_moment_are_one(inn_on: Served, games: Shelf) -> None:
    ada = Caller(inn_on.url)
    code = ada.open("Ada", "Bob")
    same = [Caller(inn_on.url) for _ in range(20)]
    for caller in same:
        caller.cookie = ada.cookie
        caller.line.connect()
    said = together(*(partial(caller.count, code, tap="tap-of-ada") for caller in same))
    assert {(each.status, each.text) for each in said} == {(201, said[0].text)}
    assert said[0].json == {"tap": "tap-of-ada", "version": 2}
    assert journal_on(inn_on.database, games, code).version == 2


def test_a_table_opened_twice_at_once_is_one_table(inn_on: Served) -> None:
    form = opening("Ada", "Bob")
    before = [rows(inn_on.database, f"SELECT count(*) FROM {each}") for each in ("sitting", "phone")]
    twice = [Caller(inn_on.url) for _ in range(8)]
    said = together(*(partial(caller.ask, "POST", "/open/any-game", form) for caller in twice))
    assert {each.status for each in said} == {303}
    assert len({code_in(each) for each in said}) == 1
    assert len({caller.cookie for caller in twice}) == 1
    after = [rows(inn_on.database, f"SELECT count(*) FROM {each}") for each in ("sitting", "phone")]
    assert after == [number + 1 for number in before]
    assert twice[0].count(code_in(said[0])).status == 201


def test_a_phone_that_joins_twice_at_once_is_one_phone(inn_on: Served, games: Shelf) -> None:
    ada = Caller(inn_on.url)
    code = ada.open("Ada", "Bob")
    secret = ada.secret(code)
    before = rows(inn_on.database, "SELECT count(*) FROM phone")
    twice = [Caller(inn_on.url) for _ in range(8)]
    together(*(partial(caller.join, code, secret, tap="joining-tap") for caller in twice))
    assert len({caller.cookie for caller in twice}) == 1
    assert twice[0].cookie != ada.cookie
    assert rows(inn_on.database, "SELECT count(*) FROM phone") == before + 1
    assert journal_on(inn_on.database, games, code).version == 2


def test_eight_phones_that_join_at_once_are_eight(inn_on: Served, games: Shelf) -> None:
    ada = Caller(inn_on.url)
    code = ada.open("Ada", "Bob")
    secret = ada.secret(code)
    many = [Caller(inn_on.url) for _ in range(8)]
    together(*(partial(caller.join, code, secret) for caller in many))
    assert len({caller.cookie for caller in many}) == 8
    journal = journal_on(inn_on.database, games, code)
    assert sorted(phone.number for phone in journal.state.table.phones) == list(range(1, 10))
    assert {caller.count(code).status for caller in many} == {403}  # let in, yet without a seat


def rows(database: str, query: str) -> int:
    engine = create_engine(database)
    with engine.connect() as connection:
        found = connection.execute(text(query)).scalar_one()
    engine.dispose()
    return int(found)


@pytest.mark.postgres
def test_two_workers_that_write_the_same_sitting_lose_nothing_and_agree(
    postgres_database: str, games: Shelf
) -> None:
    stores = [Store(postgres_database) for _ in range(2)]
    stores[0].prepare()
    workers = [Play(store, Live(), games) for store in stores]
    code, token = workers[0].open("any-game", "opening-tap", seats("Ada", "Bob"), 1, [1])

    def tap(worker: int) -> list[int]:
        form = {"seat": [str(worker + 1)], "counter": ["1"], "by": ["1"], "round": ["1"]}
        taps = [f"worker-{worker}-tap-{n}" for n in range(50)]
        return [workers[worker].do(code, token, "count", form, tap).version for tap in taps]

    versions = together(partial(tap, 0), partial(tap, 1))
    assert sorted(versions[0] + versions[1]) == list(range(2, 102))
    shown = [worker.show(code) for worker in workers]
    assert shown[0].journal.entries == shown[1].journal.entries
    assert shown[0].journal.state == shown[1].journal.state
    assert [shown[0].journal.state.got(1, seat, "1") for seat in (1, 2)] == [50, 50]
    for store in stores:
        store.close()


# --- when the database cannot ---


def assert_not_saved(said: Answer) -> None:
    assert said.status == 503, said
    assert int(said.headers["retry-after"]) >= 1
    assert said.json["refused"].startswith("Not saved yet")


def no_one_broke(server: Served) -> None:
    assert "Traceback" not in server.log()
    assert "our fault" not in server.log()


@contextmanager
def locked(database: str) -> Iterator[None]:
    """Another process keeps the book to itself."""
    script = (
        "import sys, sqlite3\nfile = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "file.execute('BEGIN IMMEDIATE')\nprint('mine', flush=True)\nsys.stdin.read()"
        if database.startswith("sqlite")
        else "import sys, psycopg\nline = psycopg.connect(sys.argv[1])\n"
        "line.execute('SELECT version FROM sitting FOR UPDATE')\nprint('mine', flush=True)\nsys.stdin.read()"
    )
    where = database.removeprefix("sqlite:///") if database.startswith("sqlite") else without_driver(database)
    words = [sys.executable, "-c", script, where]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == b"mine\n"
        yield
        other.stdin.close()
        assert other.wait(30) == 0


def test_while_another_process_holds_the_lock_a_tap_is_told_to_come_again(
    inn_on: Served, games: Shelf
) -> None:
    ada = Caller(inn_on.url)
    code = ada.open("Ada", "Bob")
    with locked(inn_on.database):
        for _ in range(2):
            assert_not_saved(ada.count(code, tap="tap-of-ada"))
        assert ada.ask("GET", f"/s/{code}").status == 200  # looking is not writing
    assert ada.count(code, tap="tap-of-ada").json == {"tap": "tap-of-ada", "version": 2}
    assert journal_on(inn_on.database, games, code).version == 2
    no_one_broke(inn_on)


def test_a_server_that_starts_waits_a_little_for_what_another_writes(
    tmp_path: Path, new_file: Path, games: Shelf
) -> None:
    url = f"sqlite:///{shutil.copy(new_file, tmp_path)}"
    with locked(url):
        with pytest.raises(NotSaved):
            Play(Store(url), Live(None), games)
        begun = threading.Thread(target=lambda: started.append(Play(Store(url), Live(None), games)))
        started: list[Play] = []
        begun.start()
        begun.join(1.5 * BUSY)
    begun.join()
    assert started


def filled(disk: Path) -> Path:
    """A file that takes all the room there is."""
    filler = disk / "holiday pictures"
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler


def test_on_a_full_disk_a_tap_waits_until_there_is_room(served: Serve, tmp_path: Path, games: Shelf) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "size=1m"):
        server = served(disk)
        ada = Caller(server.url)
        code = ada.open("Ada", "Bob")
        saved, refused = 1, 0
        while refused < 5:  # SQLite tidies up behind itself, so now and then there is room for one more
            filler = filled(disk)
            said = ada.count(code, tap=f"tap-number-{saved}")
            if said.status == 201:
                saved += 1
                assert said.json["version"] == saved
            else:
                refused += 1
                assert_not_saved(said)
        assert ada.ask("GET", f"/s/{code}").status == 200
        filler.unlink()
        assert ada.count(code, tap=f"tap-number-{saved}").json["version"] == saved + 1
        assert journal_on(f"sqlite:///{disk / 'companion.sqlite'}", games, code).version == saved + 1
        no_one_broke(server)
        server.kill()


def test_a_disk_that_takes_no_more_writes_for_a_while_loses_nothing(
    served: Serve, tmp_path: Path, games: Shelf
) -> None:
    """As a quota would: files of the server may not grow. This needs no root."""
    server = served()
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    assert server.process
    pid, size = server.process.pid, (tmp_path / "companion.sqlite-wal").stat().st_size
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))
    for _ in range(3):
        assert_not_saved(ada.count(code, tap="tap-of-ada"))
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    assert ada.count(code, tap="tap-of-ada").json["version"] == 2
    server.kill()
    assert journal_on(f"sqlite:///{tmp_path / 'companion.sqlite'}", games, code).version == 2
    with closing(sqlite3.connect(tmp_path / "companion.sqlite")) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture
def mortal_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A PostgreSQL that nobody else uses, so it may be stopped."""
    initdb = find("initdb", beside="usr/lib/postgresql/*/bin")
    if not initdb:
        cannot("PostgreSQL is not installed (Debian: postgresql), so it could not be stopped either.")
    with tempfile.TemporaryDirectory(prefix="companion-mortal-") as folder:
        server = PostgresServer(initdb.resolve().with_name("postgres"), folder)
        server.take_cluster(initdb, of_all_workers(tmp_path_factory))
        server.start()
        yield server
        server.stop()


@pytest.mark.postgres
def test_when_postgres_goes_away_taps_wait_and_when_it_is_back_they_count(
    served: Serve, mortal_postgres: PostgresServer, games: Shelf
) -> None:
    server = served(COMPANION_DATABASE_URL=mortal_postgres.url, **OUTSIDE)
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    others = [Caller(server.url) for _ in range(6)]
    for other in others:
        other.cookie = ada.cookie
    together(*(partial(other.count, code) for other in others))  # several connections are in the pool
    with mortal_postgres.gone():
        for _ in range(3):
            assert_not_saved(ada.count(code, tap="tap-of-ada"))
        assert ada.ask("GET", f"/s/{code}").status == 503
        assert ada.ask("GET", "/healthz").status == 200
    assert ada.count(code, tap="tap-of-ada").json["version"] == 8
    again = together(*(partial(other.count, code) for other in others))
    assert {each.status for each in again} == {201}
    assert journal_on(mortal_postgres.url, games, code).version == 14
    no_one_broke(server)


@pytest.mark.postgres
def test_more_phones_than_connections_are_told_to_come_again(served: Serve, postgres_database: str) -> None:
    server = served(COMPANION_DATABASE_URL=postgres_database)
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    many = [Caller(server.url) for _ in range(40)]
    for caller in many:
        caller.cookie = ada.cookie
    with locked(postgres_database):
        said = together(*(partial(caller.count, code) for caller in many))
    for each in said:
        assert_not_saved(each)
    assert ada.count(code).json["version"] == 2
    no_one_broke(server)


@pytest.mark.postgres
def test_a_worker_that_hangs_with_a_sitting_in_its_hands_lets_go_of_it(postgres_database: str) -> None:
    hanging, other = Store(postgres_database), Store(postgres_database)
    hanging.prepare()
    sitting = opened(hanging)
    enough = threading.Event()

    def write(entry: Entry) -> None:
        with other.writing(sitting) as pen:
            pen.append(entry)

    def wrote() -> bool:
        try:
            write(joined(1, "tap-of-bob"))
        except NotSaved:
            return False
        return True

    def hang() -> None:
        with hanging.writing(sitting) as pen:
            pen.append(joined(1, "tap-of-ada"))
            enough.wait(60)

    def come_back() -> None:
        with pytest.raises(NotSaved):
            hang()

    thread = threading.Thread(target=come_back)
    thread.start()
    eventually(wrote)
    enough.set()
    thread.join(60)
    assert hanging.newest(sitting) == 1
    hanging.close()
    other.close()


def test_a_lost_connection_to_the_file_is_made_anew(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'companion.sqlite'}")
    store.prepare()
    sitting = opened(store)

    def stumble() -> None:
        with store.writing(sitting) as pen:
            raw: Any = pen.connection.connection.dbapi_connection
            raw.close()
            pen.append(joined(1, "tap-one"))

    for _ in range(2):
        with pytest.raises(NotSaved):
            stumble()
    with store.writing(sitting) as pen:
        pen.append(joined(1, "tap-one"))
    assert store.newest(sitting) == 1
    store.close()


def test_nobody_answers_for_a_postgres_that_was_never_there() -> None:
    store = Store(f"postgresql+psycopg://postgres@127.0.0.1:{free_port()}/companion")
    with pytest.raises(NotSaved):
        store.newest(1)
    with pytest.raises(NotSaved), store.writing(1):
        pass
    store.close()


@pytest.mark.postgres
def test_a_frozen_postgres_does_not_freeze_the_server(served: Serve, mortal_postgres: PostgresServer) -> None:
    server = served(COMPANION_DATABASE_URL=mortal_postgres.url)
    ada, bob = Caller(server.url), Caller(server.url)
    code = ada.open("Ada", "Bob")
    with mortal_postgres.frozen():
        waiting = threading.Thread(target=lambda: ada.count(code, tap="tap-of-ada"))
        waiting.start()
        for _ in range(3):
            assert bob.ask("GET", "/healthz").status == 200
    waiting.join(30)
    assert ada.count(code, tap="tap-of-ada").json["version"] == 2


# --- statements that are spelled out ---


@pytest.mark.parametrize(
    ("statement", "row"), [(PUT, EntryRow), (APPEND, EntryRow), (COME, PhoneRow), (OPEN, SittingRow)]
)
def test_a_spelled_out_statement_writes_every_column_of_its_row(statement: str, row: type[SQLModel]) -> None:
    table = SQLModel.metadata.tables[str(row.__tablename__)]
    (columns,) = re.findall(rf"INSERT INTO {table.name} \(([^)]*)\)", statement)
    assert sorted(columns.split(", ")) == sorted({column.name for column in table.columns} - {"id"})


def test_a_spelled_out_statement_reads_what_an_entry_is_made_of() -> None:
    assert re.findall(r"SELECT (.*) FROM entry", TAIL)[0].split(", ") == list(ENTRY)
