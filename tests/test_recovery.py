"""Damage is called damage, a backup is sound, and a restore brings it back."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from at_the_table import Handset, Ran, Serve, Served, companion
from flask import Flask
from test_serving import Caller, eventually

from companion import create_app
from companion.games import Shelf
from companion.net.live import FORGOTTEN, Live
from companion.sittings.play import Play
from companion.storage import recovery
from companion.storage.database import Unusable
from companion.storage.locks import FileLock, serving_lock, writing_lock
from companion.storage.store import Damage, NotSaved, Store

NAME = "companion.sqlite"


@pytest.fixture
def ada(app: Flask) -> Handset:
    return Handset(app)


@pytest.fixture
def file(app: Flask, tmp_path: Path) -> Path:
    return tmp_path / NAME


def killed(app: Flask, to: Path) -> Path:
    """What a killed server leaves behind: the database, and beside it what was written ahead."""
    to.mkdir()
    file = Path(app.config["DATABASE_URL"].removeprefix("sqlite:///"))
    for path in file.parent.glob(f"{NAME}*"):
        shutil.copy(path, to / path.name)
    assert (to / f"{NAME}-wal").stat().st_size
    return to / NAME


def versions(file: Path, games: Shelf) -> dict[str, int]:
    """Code → entries, as a server would read them."""
    store = Store(f"sqlite:///{file}")
    store.prepare(check_all=True)
    play = Play(store, Live(), games)
    found = {row.code: play.show(row.code).version for row in store.all_sittings()}
    store.close()
    return found


def said(ran: Ran) -> str:
    """Why it could not be, in one line."""
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    return ran.stderr


def spoil(file: Path) -> None:
    """Its beginning is as it was, so it opens; what follows is rubbish."""
    with closing(sqlite3.connect(file)) as disk:
        disk.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = file.stat().st_size
    with file.open("r+b") as inside:
        inside.seek(4096)
        inside.write(b"\xa5" * (size - 4096))


# --- copies ---


def test_a_backup_put_back_after_a_kill_is_as_it_was_and_the_rest_is_kept_aside(
    app: Flask, ada: Handset, tmp_path: Path, games: Shelf
) -> None:
    code = ada.open("Ada", "Bob")
    copy = tmp_path / "evening.sqlite"
    assert companion(tmp_path, "backup", str(copy)).returncode == 0
    for _ in range(3):
        assert ada.count(code).status_code == 201
    file = killed(app, tmp_path / "killed")
    done = companion(file.parent, "restore", str(copy))
    assert done.returncode == 0, done.stderr
    assert versions(file, games) == {code: 1}
    kept = min(file.parent.glob(f"{NAME}.before-*"), key=lambda path: len(path.name))
    assert str(kept) in done.stdout
    assert versions(kept, games) == {code: 4}


def test_a_backup_can_be_restored_where_there_was_nothing(ada: Handset, tmp_path: Path, games: Shelf) -> None:
    code = ada.open("Ada", "Bob")
    companion(tmp_path, "backup", str(tmp_path / "evening.sqlite"))
    elsewhere = tmp_path / "another" / "house"
    done = companion(elsewhere, "restore", str(tmp_path / "evening.sqlite"))
    assert (done.returncode, "kept" in done.stdout) == (0, False)
    assert versions(elsewhere / NAME, games) == {code: 1}


def test_nothing_is_restored_under_a_running_server(ada: Handset, file: Path, tmp_path: Path) -> None:
    ada.open("Ada", "Bob")
    companion(tmp_path, "backup", str(tmp_path / "evening.sqlite"))
    before = file.stat().st_ino
    lock = serving_lock(file)
    assert lock.take()
    try:
        assert "A server is running" in said(companion(tmp_path, "restore", str(tmp_path / "evening.sqlite")))
    finally:
        lock.close()
    assert file.stat().st_ino == before
    assert not list(tmp_path.glob(f"{NAME}.before*"))


def test_what_is_no_sound_backup_is_not_restored(ada: Handset, file: Path, tmp_path: Path) -> None:
    ada.open("Ada", "Bob")
    copy, before = tmp_path / "evening.sqlite", file.stat().st_ino

    def why(path: Path) -> str:
        answer = said(companion(tmp_path, "restore", str(path)))
        assert file.stat().st_ino == before
        assert not list(tmp_path.glob(f"{NAME}.before*"))
        return answer

    assert "There is no file" in why(copy)
    assert "There is no file" in why(tmp_path)
    assert "is the database itself" in why(file)
    companion(tmp_path, "backup", str(copy))
    with closing(sqlite3.connect(copy)) as disk, disk:
        disk.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version" in why(copy)
    spoil(copy)
    assert "is damaged itself, so nothing was changed" in why(copy)
    copy.write_text("pictures of the holidays, and what else there is in a house")
    assert "file is not a database" in why(copy)
    copy.unlink()
    with closing(sqlite3.connect(copy)) as disk, disk:
        disk.execute("CREATE TABLE recipes (cake TEXT)")
    assert "is no backup of companion" in why(copy)


def test_no_backup_is_made_of_what_is_damaged(app: Flask, ada: Handset, tmp_path: Path) -> None:
    for _ in range(20):
        ada.open("Ada", "Bob")
    file = killed(app, tmp_path / "killed")
    spoil(file)
    copy = tmp_path / "evening.sqlite"
    copy.write_text("the backup of yesterday")
    assert "is damaged: " in said(companion(file.parent, "backup", str(copy)))
    assert copy.read_text() == "the backup of yesterday"
    assert not list(tmp_path.glob("*.part"))


def test_damage_that_only_a_close_look_finds_is_found(app: Flask, ada: Handset, tmp_path: Path) -> None:
    """All pages can be read, but a tap that is in the journal is not where it is looked for by its id."""
    code = ada.open("Ada", "Bob")
    ada.count(code)
    file = killed(app, tmp_path / "killed")
    with closing(sqlite3.connect(file)) as disk:
        disk.execute("PRAGMA writable_schema=ON")
        (root,) = disk.execute(
            "SELECT rootpage FROM sqlite_master WHERE type='index' AND tbl_name='phone' AND sql IS NOT NULL"
        ).fetchone()
        disk.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as inside:
        inside.seek((root - 1) * 4096 + 3)  # how many there are in this index
        inside.write(b"\0\0")
    assert recovery.damage_in(file)
    assert "is damaged: " in said(companion(file.parent, "backup", str(tmp_path / "evening.sqlite")))


# --- at a start ---


def start(file: Path) -> None:
    create_app({"DATABASE_URL": f"sqlite:///{file}", "SHELF": []}).extensions["play"].store.close()


def test_at_a_start_damage_is_called_damage(app: Flask, ada: Handset, tmp_path: Path) -> None:
    for _ in range(20):
        ada.open("Ada", "Bob")
    file = killed(app, tmp_path / "killed")
    start(file)
    spoil(file)
    with pytest.raises(Unusable, match=r"is damaged: .*“companion restore FILE”"):
        start(file)
    file.write_bytes(b"\x5a" * 40_960)
    with pytest.raises(Unusable, match="is damaged: file is not a database"):
        start(file)


def test_an_empty_file_where_a_database_was_is_no_beginning(app: Flask, ada: Handset, tmp_path: Path) -> None:
    ada.open("Ada", "Bob")
    file = killed(app, tmp_path / "killed")
    file.write_bytes(b"")
    with pytest.raises(Unusable, match=r"is empty, but what was last written to it still lies beside it"):
        start(file)
    file.unlink()
    with pytest.raises(Unusable, match=r"is gone, but what was last written to it still lies beside it"):
        start(file)
    for beside in ("wal", "shm"):
        (file.parent / f"{NAME}-{beside}").unlink()
    file.write_bytes(b"")
    with pytest.raises(Unusable, match="is empty where a database was"):
        start(file)
    with closing(sqlite3.connect(file)) as disk:
        disk.execute("PRAGMA journal_mode=WAL")  # some bytes, and nothing in them
    with pytest.raises(Unusable, match="is empty where a database was"):
        start(file)


def test_an_empty_file_where_nothing_was_is_a_beginning(tmp_path: Path) -> None:
    """As a first start that was cut off leaves it."""
    (tmp_path / NAME).touch()
    start(tmp_path / NAME)
    start(tmp_path / NAME)


def test_a_restore_that_was_cut_off_is_to_be_done_again(
    app: Flask, ada: Handset, tmp_path: Path, games: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, copy = ada.open("Ada", "Bob"), tmp_path / "evening.sqlite"
    companion(tmp_path, "backup", str(copy))
    file = killed(app, tmp_path / "killed")

    def cut_off(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as power_cut:
        power_cut.setattr(Path, "replace", cut_off)
        with pytest.raises(KeyboardInterrupt):
            companion(file.parent, "restore", str(copy))
    with pytest.raises(Unusable, match="was cut off"):
        start(file)
    assert companion(file.parent, "restore", str(copy)).returncode == 0
    assert versions(file, games) == {code: 1}


# --- while a server runs ---


def not_taken(ada: Handset, code: str, tap: str) -> None:
    answer = ada.count(code, tap=tap)
    assert answer.status_code == 503
    assert "damaged or gone" in answer.json["refused"]
    assert int(answer.headers["Retry-After"]) > 0


def test_a_tap_is_not_answered_for_once_the_file_is_moved_away_and_counts_when_it_is_back(
    app: Flask, ada: Handset, file: Path, games: Shelf
) -> None:
    code = ada.open("Ada", "Bob")
    file.rename(file.with_name("elsewhere"))
    for _ in range(2):
        not_taken(ada, code, "tap-of-ada")
    with pytest.raises(Damage, match="was deleted or moved away"):
        app.extensions["play"].look_again()
    assert not file.exists()  # and nobody has made an empty one in its place
    assert ada.get(f"/s/{code}").status_code == 200  # looking is not writing
    file.with_name("elsewhere").rename(file)
    assert ada.count(code, tap="tap-of-ada").json == {"tap": "tap-of-ada", "version": 2}
    app.extensions["play"].look_again()
    assert versions(killed(app, file.parent / "killed"), games) == {code: 2}


def test_a_file_that_is_gone_is_not_called_busy_when_the_connection_has_to_be_made_anew(
    app: Flask, ada: Handset, file: Path
) -> None:
    code = ada.open("Ada", "Bob")
    app.extensions["play"].store.close()
    file.rename(file.with_name("elsewhere"))
    for _ in range(2):
        not_taken(ada, code, "tap-of-ada")
    assert not file.exists()
    file.with_name("elsewhere").rename(file)
    assert ada.count(code, tap="tap-of-ada").status_code == 201


def another(file: Path) -> None:
    copy = shutil.copy(file, file.with_name("copy"))
    Path(copy).replace(file)


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def cut_short(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def no_log(file: Path) -> None:
    file.with_name(f"{NAME}-wal").unlink()


def no_index(file: Path) -> None:
    file.with_name(f"{NAME}-shm").unlink()


@pytest.mark.parametrize("harm", [Path.unlink, another, emptied, cut_short, no_log, no_index])
def test_nothing_is_answered_for_that_is_not_in_the_file_at_its_path(
    app: Flask, ada: Handset, file: Path, harm: Callable[[Path], None]
) -> None:
    code = ada.open("Ada", "Bob")
    assert ada.count(code).status_code == 201
    harm(file)
    for _ in range(3):
        not_taken(ada, code, "tap-of-ada")
    with pytest.raises(Damage):
        app.extensions["play"].look_again()
    with pytest.raises(Damage):
        app.extensions["play"].store.keep("a name", "a value")


def test_damage_that_shows_while_a_server_runs_is_not_called_busy(
    app: Flask, ada: Handset, file: Path
) -> None:
    codes = [ada.open("Ada", "Bob") for _ in range(20)]
    app.extensions["play"].store.close()
    spoil(file)
    for code in codes:
        app.extensions["play"].live.tell(code, FORGOTTEN)
    answer = ada.get(f"/s/{codes[0]}")
    assert (answer.status_code, "busy" in answer.text) == (503, False)
    assert "damaged or gone" in answer.text
    assert "is damaged: " in said(companion(file.parent, "history"))


# --- for its owner alone ---


@pytest.fixture
def _generous() -> Iterator[None]:
    """A machine where everyone may read everything."""
    before = os.umask(0)
    yield
    os.umask(before)


def rights(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


@pytest.mark.usefixtures("_generous")
def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    app = create_app({"DATABASE_URL": f"sqlite:///{folder / NAME}", "SHELF": []})
    ada = Handset(app)
    ada.count(ada.open("Ada", "Bob"))
    companion(folder, "backup", str(folder / "evening.sqlite"))
    there = {path.name: rights(path) for path in folder.iterdir()}
    app.extensions["play"].store.close()
    assert rights(folder) == "0o700"
    assert there == dict.fromkeys(there, "0o600")
    assert {NAME, f"{NAME}-wal", f"{NAME}-shm", "evening.sqlite"} <= there.keys()
    companion(folder, "restore", str(folder / "evening.sqlite"))
    assert {rights(path) for path in folder.iterdir()} == {"0o600"}


@pytest.mark.usefixtures("_generous")
def test_a_database_of_earlier_days_becomes_private(tmp_path: Path, new_file: Path) -> None:
    file = tmp_path / NAME
    file.write_bytes(new_file.read_bytes())
    assert rights(file) == "0o666"
    start(file)
    assert rights(file) == "0o600"


# --- one writer ---


def test_whoever_writes_holds_the_lock_until_it_is_written(app: Flask, file: Path) -> None:
    """Two writers at once can damage what SQLite before 3.51.3 writes ahead, whatever its own locks say."""
    store, other = app.extensions["play"].store, writing_lock(file)
    with store.writing():
        assert not other.take()
    assert other.take()
    other.give_back()
    with pytest.raises(RuntimeError), store.writing():
        raise RuntimeError
    assert other.take()
    other.close()


def test_while_another_process_writes_a_tap_is_told_to_come_again(ada: Handset, file: Path) -> None:
    code, other = ada.open("Ada", "Bob"), writing_lock(file)
    assert other.take()
    answer = ada.count(code, tap="tap-of-ada")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    other.close()
    assert ada.count(code, tap="tap-of-ada").json["version"] == 2


def test_while_the_server_writes_a_command_waits_or_says_so(ada: Handset, file: Path) -> None:
    code, other = ada.open("Ada", "Bob"), writing_lock(file)
    assert other.take()
    assert "another process is writing" in said(companion(file.parent, "forget", code))
    other.close()
    assert companion(file.parent, "forget", code).returncode == 0


def test_whoever_dies_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = os.fork()
    if not child:
        os._exit(0 if FileLock(path).take() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert FileLock(path).take()


def test_a_store_that_cannot_have_the_lock_is_busy_and_not_damaged(tmp_path: Path) -> None:
    store, other = Store(f"sqlite:///{tmp_path / NAME}"), writing_lock(tmp_path / NAME)
    assert other.take()
    with pytest.raises(NotSaved, match="another process is writing") as why:
        store.prepare()
    assert not isinstance(why.value, Damage)
    other.close()
    store.prepare()
    store.close()


# --- with a real server ---


def test_commands_that_write_beside_a_busy_server_harm_nothing(inn: Served) -> None:
    ada, bob = Caller(inn.url), Caller(inn.url)
    code, other = ada.open("Ada", "Bob"), bob.open("Cleo", "Dov")
    book = companion(inn.folder, "export", other).stdout
    answers: list[int] = []

    def tap() -> None:
        for number in range(150):
            while (status := ada.count(code, tap=f"tap-number-{number}").status) == 503:
                pass  # as a phone's queue does
            answers.append(status)

    busy = threading.Thread(target=tap)
    busy.start()
    came = []
    while busy.is_alive():
        companion(inn.folder, "forget", other)
        came.append(companion(inn.folder, "import", "-", said=book).returncode)
    busy.join()
    assert answers == [201] * 150
    assert 0 in came
    assert recovery.damage_in(inn.folder / NAME) == ""


def test_killed_restored_and_played_on(served: Serve, tmp_path: Path, games: Shelf) -> None:
    server = served()
    ada = Caller(server.url)
    code, copy = ada.open("Ada", "Bob"), tmp_path / "evening.sqlite"
    assert ada.count(code).status == 201
    assert companion(tmp_path, "backup", str(copy)).returncode == 0
    assert ada.count(code).status == 201
    assert "A server is running" in said(companion(tmp_path, "restore", str(copy)))
    with pytest.raises(AssertionError, match="Another server is running on this database"):
        Served(tmp_path).start()
    (tmp_path / NAME).rename(tmp_path / "elsewhere")
    assert ada.count(code, tap="tap-of-ada").status == 503
    eventually(lambda: "was deleted or moved away" in server.log(), 6)
    (tmp_path / "elsewhere").rename(tmp_path / NAME)
    assert ada.count(code, tap="tap-of-ada").json["version"] == 4
    server.kill()
    assert companion(tmp_path, "restore", str(copy)).returncode == 0
    server.start()
    ada.line.close()
    assert ada.count(code, tap="tap-of-ada").json["version"] == 3
    server.kill()
    assert versions(tmp_path / NAME, games) == {code: 3}
    assert "Traceback" not in server.log()
