"""A file is damaged in every way that files are, under a running server and while there is none. It is called
damage, no tap is answered for that would not be there, and a restore brings back all that was backed up."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from at_the_table import Serve, Served, companion
from broken import Copy
from proven import Proven, how_many, listed
from test_serving import Caller, sqlite_in

DAMAGES = how_many("DAMAGES", 2, 100)  # ways, as many as there are
CALLED = re.compile(r"is damaged|is empty|is gone|deleted or moved away")
pytestmark = [pytest.mark.proof, pytest.mark.timeout(300)]
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


RUNNING: tuple[Harm, ...] = (deleted, emptied, cut_short, exchanged, no_log)
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

    def restored(self) -> None:
        done = companion(self.server.folder, "restore", str(backup_of(self.file)))
        if done.returncode:
            self.found["not restored"].append(done.stderr)
            return
        self.server.start()
        self.ada.line.close()
        self.found["lost"] += [tap for tap, told in self.told.items() if self.tap(tap) != told]
        self.found["not taken afterwards"] += [
            said for status, said in [self.tap(secrets.token_hex(8))] if status != 201
        ]
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


def test_a_server_that_does_not_look_is_noticed(served: Serve, proven: Proven, copy: Copy) -> None:
    copy.believe_the_file_is_there()
    found = survived(served(**copy.env), deleted, "running")
    proven("a database deleted under a copy broken on purpose: believe_the_file_is_there", listed(found))
    assert "answered for" in found
