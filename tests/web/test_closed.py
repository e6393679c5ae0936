"""A table that this version cannot read is closed, in a sentence. Nothing of it is lost, and others go on."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from at_the_table import Handset, Serve, companion
from flask import Flask
from test_serving import Caller

from companion.core.table import SittingOpened
from companion.games import Shelf
from companion.net.live import FORGOTTEN

SENTENCE = "written by a newer version of Companion, or it is damaged"
NEWER = '[{"event":"LanternsLit","seat":1,"many":3}]'

#: What may stand where a +1 of Ada's stood.
UNREADABLE = {
    "an event that nobody knows": NEWER,
    "a field that is new": '[{"event":"Counted","seat":1,"counter":"1","by":1,"round":1,"glow":2}]',
    "a form that is new": '[{"event":"Counted","form":2,"seat":1,"counter":"1","by":1,"round":1}]',
    "a field that is missing": '[{"event":"Counted","seat":1}]',
    "a fact that cannot stand": '[{"event":"Counted","seat":9,"counter":"1","by":1,"round":1}]',
    "no JSON at all": '[{"event":"Cou',
    "no list": "7",
    "no events": '["Counted"]',
}


@pytest.fixture
def ada(app: Flask, phone: Callable[[], Handset]) -> Handset:
    return phone()


def harm(file: Path, code: str, statement: str, *given: str) -> None:
    with closing(sqlite3.connect(file)) as disk, disk:
        sitting = "sitting_id = (SELECT id FROM sitting WHERE code = ?)"
        changed = disk.execute(statement.replace("THERE", sitting), (*given, code)).rowcount
        assert changed == 1, statement


def write_over(file: Path, code: str, version: int, events: str) -> None:
    harm(file, code, f"UPDATE entry SET events = ? WHERE version = {version} AND THERE", events)


def file_of(app: Flask) -> Path:
    return Path(app.config["DATABASE_URL"].removeprefix("sqlite:///"))


def forgetful(app: Flask, code: str) -> None:
    """As after a restart: nothing is known but what is on the disk."""
    app.extensions["play"].live.tell(code, FORGOTTEN)


def is_closed(answer: object, code: str) -> None:
    assert (answer.status_code, SENTENCE in answer.text) == (409, True), answer.text
    assert f"companion export {code}" in answer.text


@pytest.mark.parametrize("events", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_read_closes_one_table_and_no_other(app: Flask, ada: Handset, events: str) -> None:
    broken, whole = ada.open("Ada", "Bob"), ada.open("Cleo", "Dov")
    for code in (broken, whole):
        assert ada.count(code).status_code == 201
    write_over(file_of(app), broken, 2, events)
    forgetful(app, broken)
    for page in ("", "/log", "/people", "/display", "/recap", "/seat", "/parts/table", "/live/table"):
        is_closed(ada.get(f"/s/{broken}{page}"), broken)
    is_closed(ada.get(f"/j/{broken}"), broken)
    tapped = ada.count(broken)
    assert tapped.status_code == 409
    assert SENTENCE in tapped.json["refused"]  # which a phone's queue takes for an answer, and stops
    home = ada.get("/")
    assert (home.status_code, f"/s/{broken}" in home.text, "Cleo, Dov" in home.text) == (200, True, True)
    assert ada.get("/open/any-game").status_code == 200
    assert ada.count(whole).json["version"] == 3
    assert ada.get(f"/s/{whole}").status_code == 200


@pytest.mark.parametrize("lost", [2, 3], ids=["in the middle", "at the end"])
def test_a_table_with_an_entry_missing_is_closed(app: Flask, ada: Handset, lost: int) -> None:
    code = ada.open("Ada", "Bob")
    ada.count(code), ada.count(code)
    harm(file_of(app), code, f"DELETE FROM entry WHERE version = {lost} AND THERE")
    forgetful(app, code)
    is_closed(ada.get(f"/s/{code}"), code)


def test_the_history_names_a_table_that_is_closed(app: Flask, ada: Handset) -> None:
    code, other = ada.open("Ada", "Bob"), ada.open("Cleo", "Dov")
    for each in (code, other):
        ada.tap(each, "end_game")
    write_over(file_of(app), code, 2, NEWER)
    page = ada.get("/history")
    assert page.status_code == 200
    assert code in re.search(r'id="closed-title">.*', page.text, re.DOTALL)[0]
    assert f"/s/{other}/recap" in page.text


def test_by_command_a_closed_table_is_named_taken_along_and_forgotten(app: Flask, ada: Handset) -> None:
    code, file = ada.open("Ada", "Bob"), file_of(app)
    ada.count(code)
    write_over(file, code, 2, NEWER)
    told = companion(file.parent, "history")
    assert told.returncode == 0
    assert code in told.stdout
    assert json.loads(companion(file.parent, "history", "--json").stdout)[0]["outcome"] == "unreadable"
    out = companion(file.parent, "export", code)
    assert out.returncode == 0, out.stderr
    entries = json.loads(out.stdout)["entries"]
    assert [entry["version"] for entry in entries] == [1, 2]
    assert entries[1]["events"] == json.loads(NEWER)
    refused = companion(file.parent, "export", code, "--format", "csv")
    assert refused.returncode == 2
    assert SENTENCE in refused.stderr
    assert companion(file.parent, "forget", code).returncode == 0
    assert ada.get(f"/s/{code}").status_code in (302, 404, 200)  # memory is told within two seconds
    app.extensions["play"].look_again()
    assert ada.get(f"/s/{code}").status_code == 404


def test_a_look_for_what_was_missed_asks_for_each_table_once_and_for_many_together(
    app: Flask, phone: Callable[[], Handset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every two seconds, at thousands of tables."""
    play, asked = app.extensions["play"], []
    codes = [phone().open("Ada", "Bob") for _ in range(7)]
    standing, touched = play.store.standing, play.store.touched
    monkeypatch.setattr(play.store, "standing", lambda some: asked.append([*some]) or standing(some))
    monkeypatch.setattr(play.store, "touched", lambda: touched() or True)  # somebody else has written
    play.look_again()
    assert asked == [codes]


def test_a_raw_journal_goes_out_as_it_is_stored_and_comes_back(
    app: Flask, ada: Handset, monkeypatch: pytest.MonkeyPatch, games: Shelf, tmp_path: Path
) -> None:
    """One that this version cannot read is whole for the version that wrote it."""
    code, file = ada.open("Ada", "Bob"), file_of(app)
    ada.count(code)
    readable = companion(file.parent, "export", code).stdout
    with monkeypatch.context() as older:
        older.setattr(SittingOpened, "form", 0)  # as if this version were the older one
        assert companion(file.parent, "export", code).stdout == readable
    (tmp_path / "elsewhere").mkdir()
    back = companion(tmp_path / "elsewhere", "import", "-", said=readable)
    assert back.returncode == 0, back.stderr


def test_a_table_whose_room_is_not_on_the_shelf_can_be_taken_along(app: Flask, ada: Handset) -> None:
    code, file = ada.open("Ada", "Bob"), file_of(app)
    whole = json.loads(companion(file.parent, "export", code).stdout)
    harm(file, code, "UPDATE sitting SET slug = 'no-such-game' WHERE code = ?")
    raw = json.loads(companion(file.parent, "export", code).stdout)
    assert (raw["game"], raw["entries"]) == ("no-such-game", whole["entries"])


def test_a_table_is_read_again_once_it_is_mended(app: Flask, ada: Handset) -> None:
    code, file = ada.open("Ada", "Bob"), file_of(app)
    ada.count(code)
    with closing(sqlite3.connect(file)) as disk:
        (events,) = disk.execute("SELECT events FROM entry WHERE version = 2").fetchone()
    write_over(file, code, 2, NEWER)
    forgetful(app, code)
    is_closed(ada.get(f"/s/{code}"), code)
    write_over(file, code, 2, events)
    app.extensions["play"].look_again()  # which a server does every two seconds
    assert ada.get(f"/s/{code}").status_code == 200


def test_a_closed_table_is_not_read_anew_by_everyone_who_asks(app: Flask, ada: Handset) -> None:
    code = ada.open("Ada", "Bob")
    ada.count(code)
    write_over(file_of(app), code, 2, NEWER)
    forgetful(app, code)
    is_closed(ada.get(f"/s/{code}"), code)
    store, asked = app.extensions["play"].store, []
    read, store.each_entry = store.each_entry, lambda *given: asked.append(given) or iter(())
    is_closed(ada.get(f"/s/{code}"), code)
    store.each_entry = read
    assert not asked


def test_what_another_worker_of_a_newer_version_writes_closes_the_table_here(
    app: Flask, ada: Handset
) -> None:
    """As while workers are brought up to date one by one. Phones that listen come again, and are told."""
    code, play, file = ada.open("Ada", "Bob"), app.extensions["play"], file_of(app)
    play.alone = False
    here, there = socket.socketpair()
    with here, there:
        app.extensions["streams"].attach(code, "table", here, 1, 1)
        of_this = "SELECT sitting_id, 2, 'newer', digest, 1, 'light', at, ? FROM entry WHERE THERE"
        harm(file, code, f"INSERT INTO entry {of_this}", NEWER)
        harm(file, code, "UPDATE sitting SET version = 2 WHERE code = ?")
        tapped = ada.count(code)
        assert (tapped.status_code, SENTENCE in tapped.json["refused"]) == (409, True)
        is_closed(ada.get(f"/s/{code}"), code)
        assert here.fileno() == -1  # hung up


def test_a_real_server_closes_one_table_for_good_and_goes_on(served: Serve, tmp_path: Path) -> None:
    server = served()
    ada = Caller(server.url)
    broken, whole = ada.open("Ada", "Bob"), ada.open("Cleo", "Dov")
    assert ada.count(broken).status == 201
    server.end()
    write_over(tmp_path / "companion.sqlite", broken, 2, NEWER)
    server.start()
    ada.line.close()
    tapped = ada.count(broken)
    assert (tapped.status, SENTENCE in tapped.json["refused"]) == (409, True)
    assert ada.ask("GET", f"/s/{broken}/live/table").status == 409
    assert ada.ask("GET", f"/s/{broken}/recap").status == 409  # from the second process
    assert ada.count(whole).status == 201
    assert f"table {broken} is closed" in server.log()
    assert "Traceback" not in server.log()
