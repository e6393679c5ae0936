"""A file is damaged in every way that files are, under a running server and while there is none. It is called
damage, no tap is answered for that would not be there, and a restore brings back all that was backed up."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from at_the_table import Serve, Served, companion
from broken import Copy
from proven import Proven, how_many, listed
from test_serving import Caller, sqlite_in

DAMAGES = how_many("DAMAGES", 2, 100)  # ways, as many as there are
CALLED = re.compile(r"is damaged|is empty|is gone|deleted or moved away")
pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]
Harm = Callable[[Path], None]


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def backup_of(file: Path) -> Path:
    return file.with_name("evening.sqlite")


def overwritten(file: Path, begin: int, end: int) -> None:
    with file.open("r+b") as inside:
        inside.seek(begin)
        inside.write(b"\xa5" * (end - begin))


def all_in_one_file(file: Path) -> int:
    """Nothing is left in the log, so that what is spoilt is what is read; and how large it is."""
    with closing(sqlite3.connect(file)) as disk:
        disk.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.stat().st_size


def no_beginning(file: Path) -> None:
    all_in_one_file(file)
    overwritten(file, 0, 100)


def no_pages(file: Path) -> None:
    overwritten(file, 4096, all_in_one_file(file))


def half_of_it(file: Path) -> None:
    os.truncate(file, all_in_one_file(file) // 2)


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def deleted(file: Path) -> None:
    file.unlink()


def cut_short(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def exchanged(file: Path) -> None:
    Path(shutil.copy(backup_of(file), file.with_name("copy"))).replace(file)


def no_log(file: Path) -> None:
    log_of(file).unlink()


def no_index(file: Path) -> None:
    """Of the log; whoever opens the file now would make another, and two would write to one log."""
    file.with_name(f"{file.name}-shm").unlink()


RUNNING: tuple[Harm, ...] = (deleted, emptied, cut_short, exchanged, no_log, no_index)
AT_REST: tuple[Harm, ...] = (no_pages, no_beginning, half_of_it, emptied, deleted)
WAYS = [(harm, "running") for harm in RUNNING] + [(harm, "at rest") for harm in AT_REST]
SOME = [*WAYS[:: len(RUNNING)], *(way for number, way in enumerate(WAYS) if number % len(RUNNING))][:DAMAGES]


class Evening:
    """One table of a server that is about to have bad luck, and a backup of it."""

    def __init__(self, server: Served) -> None:
        self.server, self.file = server, sqlite_in(server.folder)
        self.found: dict[str, list[str]] = defaultdict(list)
        self.ada = Caller(server.url)
        self.codes = [self.ada.open("Ada", "Bob") for _ in range(20)]  # so that there are pages to spoil
        self.told = {tap: self.tap(tap) for tap in (secrets.token_hex(8) for _ in range(5))}
        made = companion(server.folder, "backup", str(backup_of(self.file)))
        assert made.returncode == 0, made.stderr
        assert self.tap(secrets.token_hex(8))[0] == 201

    def tap(self, tap: str) -> tuple[int, str]:
        said = self.ada.count(self.codes[0], tap=tap)
        return said.status, said.text

    def harmed_while_running(self, harm: Harm) -> None:
        harm(self.file)
        for _ in range(3):
            status, said = self.tap(secrets.token_hex(8))
            if status != 503 or "damaged or gone" not in said:
                self.found["answered for"].append(f"{status}: {said}")
        self.server.kill()

    def harmed_at_rest(self, harm: Harm) -> None:
        self.server.kill()
        harm(self.file)
        try:
            self.server.start()
        except AssertionError as why:
            if not CALLED.search(str(why)):
                self.found["not called damage"].append(str(why))
        else:
            self.found["served"].append(harm.__name__)
        self.server.kill()

    def restored(self, reopened: Sequence[str] = ()) -> None:
        done = companion(self.server.folder, "restore", str(backup_of(self.file)))
        if done.returncode:
            self.found["not restored"].append(done.stderr)
            return
        self.server.start()
        self.ada.line.close()
        self.found["lost"] += [tap for tap, told in self.told.items() if self.tap(tap) != told]
        again = [self.ada.count(code) for code in (self.codes[0], *reopened)]
        self.found["not taken afterwards"] += [said.text for said in again if said.status != 201]
        self.server.kill()
        with closing(sqlite3.connect(self.file)) as disk:
            self.found["damage left"] += [
                line for (line,) in disk.execute("PRAGMA integrity_check") if line != "ok"
            ]


def survived(server: Served, harm: Harm, when: str) -> dict[str, list[str]]:
    evening = Evening(server)
    if when == "running":
        evening.harmed_while_running(harm)
    else:
        evening.harmed_at_rest(harm)
    evening.restored()
    return {fault: each for fault, each in evening.found.items() if each}


@pytest.mark.parametrize(("harm", "when"), SOME, ids=lambda each: getattr(each, "__name__", each))
def test_damage_is_called_damage_and_a_restore_brings_back_what_was_backed_up(
    served: Serve, proven: Proven, harm: Harm, when: str
) -> None:
    found = survived(served(), harm, when)
    proven(f"a database {harm.__name__.replace('_', ' ')}, {when}, then restored", listed(found))
    assert found == {}


UNREADABLE = (
    "no JSON",
    "7",
    '["Counted"]',
    '[{"event":"LanternsLit","seat":1}]',
    '[{"event":"Counted","seat":1}]',
)


def test_entries_that_nobody_can_read_close_their_tables_alone_and_a_restore_opens_them(
    served: Serve, proven: Proven
) -> None:
    evening = Evening(served())
    closed, found = evening.codes[1 : 1 + len(UNREADABLE)], evening.found
    evening.server.kill()
    write_over(evening.file, dict(zip(closed, UNREADABLE, strict=True)))
    evening.server.start()
    evening.ada.line.close()
    for code in closed:
        answers = [evening.ada.ask("GET", f"/s/{code}"), evening.ada.count(code)]
        found["not refused"] += [str(each) for each in answers if not 400 <= each.status < 500]
        if companion(evening.server.folder, "export", code).returncode:
            found["not exported"].append(code)
    others = [code for code in evening.codes if code not in closed]
    found["closed with them"] += [code for code in others if evening.ada.count(code).status != 201]
    evening.server.kill()
    evening.restored(closed)
    faults = {fault: each for fault, each in found.items() if each}
    proven(f"entries unreadable in {len(closed)} ways, at rest, then restored", listed(faults))
    assert faults == {}


def write_over(file: Path, entries: dict[str, str]) -> None:
    """The first entry of each of these tables."""
    with closing(sqlite3.connect(file)) as disk, disk:
        where = "version = 1 AND sitting_id = (SELECT id FROM sitting WHERE code = ?)"
        for code, events in entries.items():
            assert disk.execute(f"UPDATE entry SET events = ? WHERE {where}", (events, code)).rowcount == 1


def test_a_server_that_does_not_look_is_noticed(served: Serve, proven: Proven, copy: Copy) -> None:
    copy.believe_the_file_is_there()
    found = survived(served(**copy.env), deleted, "running")
    proven("a database deleted under a copy broken on purpose: believe_the_file_is_there", listed(found))
    assert "answered for" in found
