"""What is on its way to the disk, and how it is written on either database."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, insert
from sqlmodel import col, delete, select, update

from companion.core import Entry
from companion.storage.database import BUSY
from companion.storage.locks import FileLock
from companion.storage.rows import (
    EntryRow,
    NotSaved,
    OpeningRow,
    PhoneRow,
    Raced,
    SittingRow,
    events_of,
    row_of,
)

DAY = 24 * 3_600_000  # milliseconds
NOT_YET = NotSaved("it was never written")


@dataclass
class Writing:
    """What waits for the next trip to the disk, together with others."""

    why_not: NotSaved | None = field(default=NOT_YET, init=False)
    settled: bool = field(default=False, init=False)
    #: Of whoever waits for it. Open at first: who comes looks once more before it waits, and most need not.
    turn: threading.Lock | None = field(default=None, init=False)
    #: Of whoever does not: called when it is settled, with why it was not written.
    then: Callable[[NotSaved | None], None] | None = field(default=None, init=False)

    def about(self) -> dict[str, Any]:
        """Which table, at which version, for whoever reads the log."""
        raise NotImplementedError

    def put(self, disk: Any) -> None:
        """Inside a transaction that others share, so what cannot stand leaves nothing behind."""
        raise NotImplementedError

    def call(self) -> None:
        """It may be called twice, to go and because it is done; once is enough to wake it."""
        if self.turn and self.turn.locked():
            with suppress(RuntimeError):
                self.turn.release()
        if self.settled and self.then:
            self.then(self.why_not)


def put_all(disk: Any, batch: Sequence[Writing]) -> dict[int, Raced]:
    """Gives those that cannot stand, by their place; nothing is left of them."""
    taps = [each for each in batch if isinstance(each, Append)]
    if len(taps) > 1 and len(taps) == len(batch) and _put_at_once(disk, taps):
        return {}
    raced = {}
    for number, each in enumerate(batch):
        try:
            each.put(disk)
        except Raced as error:
            raced[number] = error
    return raced


def _put_at_once(disk: Any, taps: list[Append]) -> bool:
    """Whether all of them could stand, as nearly always; it takes half the time. If not, none is there."""
    try:
        disk.executemany(PUT, [_row(each.sitting, each.entry) for each in taps])
        follow = [(each.entry.version, each.sitting, each.code, each.entry.version) for each in taps]
        well = disk.executemany(MOVE, follow).rowcount == len(taps)
        come = [(each.sitting, each.entry.phone, each.newcomer) for each in taps if each.newcomer]
        if come:
            disk.executemany(COME, come)
    except sqlite3.IntegrityError:
        well = False
    if not well:  # not by a savepoint, for which SQLite would make a file each time
        disk.execute("ROLLBACK")
        disk.execute("BEGIN")
    return bool(well)


@dataclass
class Append(Writing):
    """A tap."""

    sitting: int
    code: str
    entry: Entry
    newcomer: str = ""  # the hash of its token, if the tap brings a phone to the table

    def about(self) -> dict[str, Any]:
        return {"table": self.code, "version": self.entry.version}

    def put(self, disk: Any) -> None:
        entry, sitting = self.entry, self.sitting
        try:
            disk.execute(PUT, _row(sitting, entry))
        except sqlite3.IntegrityError as error:
            raise Raced(str(error)) from error
        try:
            if disk.execute(MOVE, (entry.version, sitting, self.code, entry.version)).rowcount != 1:
                raise Raced(f"entry {entry.version} does not follow what is stored")
            if self.newcomer:
                disk.execute(COME, (sitting, entry.phone, self.newcomer))
        except (Raced, sqlite3.IntegrityError) as error:
            disk.execute("DELETE FROM entry WHERE sitting_id = ? AND tap = ?", (sitting, entry.tap))
            back = "UPDATE sitting SET version = ? - 1 WHERE id = ? AND code = ? AND version = ?"
            disk.execute(back, (entry.version, sitting, self.code, entry.version))
            raise Raced(str(error)) from error


@dataclass
class Opening(Writing):
    """A new sitting: its first entry, and the phones that are there from the beginning."""

    row: SittingRow
    entry: Entry
    phones: Mapping[str, int]  # the hash of its token → number
    address: str = ""  # that it counts against

    def about(self) -> dict[str, Any]:
        return {"table": self.row.code, "version": self.entry.version}

    def put(self, disk: Any) -> None:
        row = self.row
        known = disk.execute("SELECT id, code FROM sitting WHERE tap = ?", (row.tap,)).fetchone()
        if known:
            row.id, row.code = known
            return
        new = (row.code, row.slug, row.secret, row.tap, self.entry.version, row.opened_at)
        try:
            row.id = disk.execute(OPEN, new).fetchone()[0]
        except sqlite3.IntegrityError as error:  # the code is taken
            raise Raced(str(error)) from error
        disk.execute(PUT, _row(row.id or 0, self.entry))
        disk.executemany(COME, [(row.id, number, hashed) for hashed, number in self.phones.items()])
        if self.address:
            disk.execute("DELETE FROM opening WHERE at < ?", (row.opened_at - DAY,))
            disk.execute("INSERT INTO opening (address, at) VALUES (?, ?)", (self.address, row.opened_at))


def _row(sitting: int, entry: Entry) -> tuple[Any, ...]:
    fields = (entry.version, entry.tap, entry.digest, entry.phone, entry.command, entry.at)
    return (sitting, *fields, events_of(entry))


# A tap writes these and nothing else, so they are spelled out: built anew each time they would cost more than
# the writing does. A test holds them to the rows.
PUT = (
    "INSERT INTO entry (sitting_id, version, tap, digest, phone, command, at, events)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
MOVE = "UPDATE sitting SET version = ? WHERE id = ? AND code = ? AND version = ? - 1"
COME = "INSERT INTO phone (sitting_id, number, token_hash) VALUES (?, ?, ?)"
OPEN = (
    "INSERT INTO sitting (code, slug, secret, tap, version, opened_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
)
# PostgreSQL does all three in one trip. Whoever else writes this table holds its row until we can see it.
APPEND = (
    "WITH moved AS (UPDATE sitting SET version = %(version)s"
    " WHERE id = %(sitting)s AND code = %(code)s AND version = %(version)s - 1 RETURNING id),"
    " put AS (INSERT INTO entry (sitting_id, version, tap, digest, phone, command, at, events)"
    " SELECT id, %(version)s, %(tap)s, %(digest)s, %(phone)s, %(command)s, %(at)s, %(events)s FROM moved"
    " RETURNING 1),"
    " come AS (INSERT INTO phone (sitting_id, number, token_hash)"
    " SELECT id, %(phone)s, %(newcomer)s::varchar FROM moved WHERE %(newcomer)s::varchar <> '')"
    " SELECT count(*) FROM put"
)


def begin(disk: sqlite3.Connection, others: FileLock) -> None:
    """Waits its turn in short sleeps, while others go on; SQLite's own waiting would stop every phone.

    `others` are processes; whoever begins gives that back when all is over, however it ends.
    """
    try:
        if not others.take(BUSY):
            raise NotSaved("another process is writing")
    except OSError as error:
        raise NotSaved(str(error)) from error
    until = time.monotonic() + BUSY
    while True:
        try:
            disk.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(BUSY / 20)


class JournalWriter:
    """The right to write one sitting's journal, held inside one transaction."""

    def __init__(self, connection: Connection, sitting: int, code: str = "") -> None:
        self.connection = connection
        self.sitting, self.code = sitting, code

    def opened_by(self, tap: str) -> str | None:
        found = self.connection.execute(select(SittingRow.code).where(SittingRow.tap == tap)).scalar()
        return None if found is None else str(found)

    def open(self, row: SittingRow) -> int:
        made = self.connection.execute(
            insert(SittingRow).returning(col(SittingRow.id)), row.model_dump(exclude={"id"})
        )
        self.sitting, self.code = int(made.scalar_one() or 0), row.code
        return self.sitting

    def append(self, entry: Entry) -> None:
        self.connection.execute(insert(EntryRow), {"sitting_id": self.sitting, **row_of(entry)})
        here = [col(SittingRow.id) == self.sitting, col(SittingRow.version) < entry.version]
        if self.code:  # SQLite may give the number of a forgotten sitting to the next one
            here.append(col(SittingRow.code) == self.code)
        moved = self.connection.execute(update(SittingRow).where(*here).values(version=entry.version))
        if moved.rowcount != 1:
            raise Raced(f"entry {entry.version} does not follow what is stored")

    def append_all(self, rows: list[dict[str, Any]]) -> None:
        """As they are stored, to a sitting whose row says already how many there will be."""
        self.connection.execute(insert(EntryRow), [{"sitting_id": self.sitting, **row} for row in rows])

    def count(self, address: str, at: int) -> None:
        """One more that was opened from there; what is older than a day counts against nobody."""
        self.connection.execute(delete(OpeningRow).where(col(OpeningRow.at) < at - DAY))
        self.connection.execute(insert(OpeningRow), {"address": address, "at": at})

    def put(self, entry: Entry, newcomer: str = "") -> None:
        self.append(entry)
        if newcomer:
            self.add_phone(entry.phone, newcomer)

    def add_phone(self, number: int, token_hash: str) -> None:
        row = {"sitting_id": self.sitting, "number": number, "token_hash": token_hash}
        self.connection.execute(insert(PhoneRow), row)
