"""Copies, and the way back from them; and how a file looks that nothing should be written to any more."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from companion.storage.database import WAY_BACK, Unusable, is_damage, known_revisions
from companion.storage.locks import beside, serving_lock, writing_lock

log = logging.getLogger(__name__)
OWNER_ONLY = 0o600  # journals name people, and the key to every phone's token lies beside them
BESIDE = ("wal", "shm")
MOST_CHECKED = 200_000_000  # bytes
PATIENCE = 5  # seconds for a command that is just writing


def file_of(url: str) -> Path | None:
    """Where an SQLite database is; None: it is somewhere else, or only in memory."""
    try:
        name = make_url(url).database if url.startswith("sqlite") else None
    except ArgumentError:  # whoever opens it has words for that
        return None
    return Path(name).resolve() if name and not name.startswith((":memory:", "file:")) else None


# --- before a start ---


def look_over(file: Path) -> None:
    """Raises where there was a database once and now is none. One that is not there yet is for us alone."""
    size, ahead = _size(file), _size(beside(file, "wal"))
    if not size and ahead:
        gone = "is empty" if file.exists() else "is gone"
        raise Unusable(f"{file} {gone}, but what was last written to it still lies beside it. {WAY_BACK}")
    if not file.exists() and _restoring(file).exists():
        raise Unusable(f"A restore of {file} was cut off. Run “companion restore FILE” again.")
    if file.exists() and _was_made(file) and not _has_tables(file):
        raise Unusable(f"{file} is empty where a database was. {WAY_BACK}")
    if not file.exists():
        with suppress(FileExistsError):  # another process makes it just now
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
    keep_private(file)


def keep_private(file: Path) -> None:
    """SQLite gives what it puts beside a database the same rights."""
    for path in (file, *(beside(file, what) for what in BESIDE)):
        with suppress(OSError):  # it is not there, or not ours
            mode = stat.S_IMODE(path.stat().st_mode)
            if mode & 0o077:
                path.chmod(mode & 0o700)  # what its owner may only read stays so


def check(file: Path) -> None:
    """Before a server writes to it: a hundred megabytes take a third of a second."""
    if _size(file) > MOST_CHECKED:
        log.warning("%s is too large to be checked at every start; “companion backup” checks it", file)
        return
    found = damage_in(file, "quick_check")
    if found:
        raise Unusable(f"{file} is damaged: {found}. {WAY_BACK}")


def damage_in(file: Path, how: str = "integrity_check") -> str:
    """Reads through all of it, and says the first thing that is wrong."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as disk:
            found = [str(line) for (line,) in disk.execute(f"PRAGMA {how}(1)")]
    except sqlite3.OperationalError as why:
        if why.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return ""  # somebody works with it
        raise Unusable(f"The database cannot be used: {file}: {why}.") from why
    except sqlite3.DatabaseError as why:
        return str(why)
    return "" if found == ["ok"] else " ".join(found[0].split())


def note_made(file: Path) -> None:
    """From now on an empty file in its place is no beginning, but a loss."""
    with suppress(OSError):
        mark = beside(file, "writing")
        if not _size(mark):
            mark.write_bytes(b"made\n")


def _was_made(file: Path) -> bool:
    return bool(_size(beside(file, "writing")))


def _has_tables(file: Path) -> bool:
    """Or it cannot be told, and then that is the next thing to be said."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as disk:
            return bool(disk.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    except sqlite3.Error:
        return True


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _restoring(file: Path) -> Path:
    return beside(file, "restoring")


# --- copies ---


def back_up(url: str, file: Path) -> None:
    """A copy of a running SQLite database, whole at one moment, put in place only when it was found sound."""
    source = file_of(url)
    if source is None or not source.is_file():
        raise Unusable(f"There is no database at {source or url}.")
    if file.resolve() == source:
        raise Unusable(f"{file} is the database itself; name another file.")
    with part_of(file) as part:
        copy_file(source, part)
        found = damage_in(part)
        if found:
            raise Unusable(f"No backup was made, because {source} is damaged: {found}. {WAY_BACK}")


@contextmanager
def part_of(file: Path) -> Iterator[Path]:
    """What a backup is written to; it gets its own name when it is whole."""
    if file.is_dir():
        raise Unusable(f"{file} is a folder; name a file.")
    part = file.with_name(file.name + ".part")
    try:
        yield part
        part.replace(file)
    except (sqlite3.Error, OSError) as why:
        which = "the database is damaged: " if is_damage(why) else ""
        raise Unusable(f"The backup could not be made: {which}{why}") from why
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def restore(url: str, file: Path) -> Path | None:
    """Puts a backup in the database's place, and gives where that is kept which was there before."""
    target = file_of(url)
    if target is None:
        raise Unusable(f"{url} is no file.")
    if file.resolve() == target:
        raise Unusable(f"{file} is the database itself; name a backup of it.")
    check_backup(file)
    part = _restoring(target)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with nobody_else(target):
            copy_file(file.resolve(), part)
            kept = _put_aside(target)
            part.replace(target)
            note_made(target)
            _keep_folder(target.parent)
    except (sqlite3.Error, OSError) as why:
        raise Unusable(f"{file} could not be restored: {why}") from why
    return kept


@contextmanager
def nobody_else(file: Path) -> Iterator[None]:
    serving, writing = serving_lock(file), writing_lock(file)
    try:
        if not serving.take():
            raise Unusable("A server is running on this database. Stop it, restore, and start it again.")
        if not writing.take(PATIENCE):
            raise Unusable("Another command is writing to this database. Try again when it is done.")
        yield
    finally:
        serving.close()
        writing.close()


def _put_aside(file: Path) -> Path | None:
    """The database first: what was written ahead must never lie beside another one than its own."""
    if not file.exists() and not beside(file, "wal").exists():
        return None
    kept = file.with_name(f"{file.name}.before-{time.strftime('%Y%m%d-%H%M%S')}")
    number = 1
    while kept.exists():
        number += 1
        kept = kept.with_name(f"{kept.name.partition('~')[0]}~{number}")
    for path, to in ((file, kept), *((beside(file, what), beside(kept, what)) for what in BESIDE)):
        with suppress(FileNotFoundError):
            path.rename(to)
    keep_private(kept)
    return kept


def check_backup(file: Path) -> None:
    """It is there, sound, ours, and not of a newer version than we are."""
    if not file.is_file():
        raise Unusable(f"There is no file {file}.")
    found = damage_in(file.resolve())
    if found:
        raise Unusable(f"{file} is damaged itself, so nothing was changed: {found}.")
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as disk:
        try:
            (revision,) = disk.execute("SELECT version_num FROM alembic_version").fetchone()
            disk.execute("SELECT 1 FROM sitting, entry, phone, kept LIMIT 1")
        except (sqlite3.Error, TypeError):
            raise Unusable(f"{file} is no backup of companion.") from None
    if revision not in known_revisions():
        raise Unusable(
            f"{file} was made by a newer version of companion (schema {revision}); update companion."
        )


def copy_file(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
    with (
        closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # so that the copy is one file
    _keep_folder(target)


def _keep_folder(path: Path) -> None:
    """On the disk, not only on its way there."""
    if os.name == "nt":  # which lets nobody do that with a folder
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
