"""The one door between web and rules: open, join, show, do."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from functools import partial
from typing import Any

from companion.core import Context, Entry, Event, Game, Journal, Luck, Phone, Refused, Seat
from companion.core.command import Form
from companion.core.decide import Forbidden, at_the_table, decide
from companion.core.event import Unreadable
from companion.core.table import Role, Table
from companion.games import Shelf, take
from companion.net.live import CLOSED, FORGOTTEN, Live
from companion.sittings.luck import OsLuck
from companion.sittings.opening import opening, sits
from companion.sittings.sitting import (
    ALPHABET,
    CODE,
    Closed,
    NotFound,
    OtherTap,
    Receipt,
    Sitting,
    check_knocking,
    check_room,
    checked,
    digest_of,
    digest_of_tap,
    hash_of,
    same,
    was_removed,
)
from companion.storage.store import NotSaved, Raced, SittingRow, Store, entry_of, row_of
from companion.tools.ending import SittingFollowed, ending
from companion.tools.phones import PhoneJoined, sits_down

log = logging.getLogger(__name__)
NO_TABLE = "There is no table with this code. Check the six characters; or its host has forgotten it."
QUIET = 2000  # tables that no phone listens to, kept in memory in case one comes back; others are read again
# Lets the phones of other tables go on. Not 0: gevent sleeps fifty times 0 before it looks at a socket again.
PAUSE = partial(time.sleep, 1e-6)


class Play:
    def __init__(
        self,
        store: Store,
        live: Live,
        games: Shelf,
        luck: Luck | None = None,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        alone: bool | None = None,
    ) -> None:
        self.store, self.live, self.games = store, live, games
        self.luck, self.clock = luck or OsLuck(), clock
        # With SQLite one process writes, and what it remembers is all there is.
        self.alone = store.sqlite if alone is None else alone
        self._key = bytes.fromhex(store.keep("token key", secrets.token_hex(32)))
        self._sittings: OrderedDict[str, Sitting] = OrderedDict()
        self._closed: dict[str, tuple[int, int]] = {}  # code → number and version of what could not be read
        self._reading: dict[str, threading.Lock] = {}
        live.listeners.append(self._heard)
        live.bearers.append(self._follow)

    # --- who is asking ---

    def token(self, tap: str) -> str:
        """A phone's token follows from the tap it first came with, so the same POST twice makes one phone.

        That tap is kept hashed: the key lies in the same database, and must not open it to a reader.
        """
        return hmac.new(self._key, checked(tap).encode(), hashlib.sha256).hexdigest()

    def phone(self, sitting: Sitting, token: str | None) -> int:
        """Which phone this is; refuses a stranger."""
        number = self.known(sitting, token)
        if number is None:
            raise Forbidden("This phone is not at the table. Scan the code to join.")
        return number

    def known(self, sitting: Sitting, token: str | None) -> int | None:
        if not token:
            return None
        hashed = hash_of(token)
        if hashed not in sitting.phones and not self.alone:
            sitting.phones = self.store.phones(sitting.id)
        return sitting.phones.get(hashed)

    def welcomes(self, code: str, token: str | None, secret: str = "") -> bool:
        """Whether this phone is known at that table, or holds its QR code. Of one that is, memory knows."""
        try:
            sitting = self._sitting(code)
        except Refused:
            return False
        return self.known(sitting, token) is not None or sitting.invites(secret)

    def tables_of(self, token: str | None, most: int = 8) -> list[Sitting]:
        rows = self.store.sittings_of(hash_of(token), most) if token else []
        mine = [self._readable(row.code) for row in rows if row.slug in self.games]
        there = [sitting for sitting in mine if sitting]
        return [s for s in there if s.table.phone(self.phone(s, token)).role not in ("gone", "waiting")]

    def closed_of(self, token: str | None, most: int = 8) -> list[SittingRow]:
        """Tables that this phone was at and that nobody can read here, as far as somebody has tried."""
        rows = self.store.sittings_of(hash_of(token), most) if token and self._closed else []
        return [row for row in rows if row.code in self._closed and not self._readable(row.code)]

    def _readable(self, code: str) -> Sitting | None:
        try:
            return self.show(code)
        except (Closed, NotFound):
            return None

    # --- looking ---

    def show(self, code: str) -> Sitting:
        """The sitting as of now, with what other workers wrote folded in."""
        sitting = self._sitting(code)
        if not self.alone:
            self._read_on(sitting)
        return sitting

    def find(self, code: str) -> Sitting | None:
        try:
            return self.show(code)
        except NotFound:
            return None

    def in_memory(self, code: str) -> Sitting | None:
        return self._sittings.get(code)

    def game(self, code: str) -> Game[Any]:
        """Which game it is never changes, so memory will do."""
        return self._sitting(code).game

    def _sitting(self, code: str) -> Sitting:
        sitting = self._sittings.get(code)
        if sitting is not None:
            self._sittings.move_to_end(code)
            return sitting
        if not CODE.fullmatch(code):
            raise NotFound(NO_TABLE)
        with self._reading.setdefault(code, threading.Lock()):  # everyone must share one
            try:
                return self._sittings.get(code) or self._sittings.setdefault(code, self._read(code))
            finally:
                self._reading.pop(code, None)

    def _read(self, code: str) -> Sitting:
        row = self.store.sitting(code)
        if row is None or row.id is None:
            raise NotFound(NO_TABLE)
        if row.slug not in self.games:  # the table is there, so its phones must not hear that it is gone
            raise Refused("The game of this table is not on the shelf now. Put its room back to go on.")
        if self._closed.get(code) == (row.id, row.version):
            raise Closed(code)
        game, phones = self.games[row.slug], self.store.phones(row.id)
        try:
            # A long evening takes its time, in which the phones of other tables go on.
            journal = Journal(game, self.store.each_entry(game, row.id), PAUSE)
            if journal.version < row.version:
                raise ValueError(f"{journal.version} entries of {row.version} are left")
            PAUSE()  # whoever asked wants to see it, and to draw all of it takes as long again
            return Sitting(row, game, journal, phones).seen()
        except NotSaved:
            raise
        except Exception as why:  # of a newer version, or damaged: it may hold anything
            raise self._close(row, why) from why

    def _close(self, row: SittingRow, why: Exception) -> Refused:
        """This one table; all others go on."""
        if self.store.sitting(row.code) is None:  # it was forgotten while we read
            return NotFound(NO_TABLE)
        if row.code not in self._closed:
            log.error("table %s is closed, nothing of it is lost: %s: %s", row.code, type(why).__name__, why)
        self._closed[row.code] = (row.id or 0, row.version)
        return Closed(row.code)

    def _close_live(self, sitting: Sitting, why: Exception) -> Refused:
        """Another process, of a newer version, wrote what we cannot read. Its phones ask, and are told."""
        log.warning("table %s: what was written to it cannot be read here: %s", sitting.code, why)
        self._sittings.pop(sitting.code, None)  # whoever asks next reads all of it, and sees how it is
        self.live.tell(sitting.code, CLOSED)
        return Closed(sitting.code)

    def _read_on(self, sitting: Sitting) -> bool:
        """Whether other processes wrote since we last looked; then it is known now."""
        known = sitting.journal.entries[-1]  # now: while we read, others go on
        try:
            tail = self.store.entries(sitting.game, sitting.id, known.version - 1)
        except Unreadable as why:
            raise self._close_live(sitting, why) from why
        if not tail or tail[0].tap != known.tap:
            # Not even the entry that we know: it was forgotten, and its number may be another table's by now.
            self.live.tell(sitting.code, FORGOTTEN)
            raise NotFound(NO_TABLE)
        new = [entry for entry in tail if entry.version > sitting.version]  # two requests may bring the same
        for entry in new:
            if entry.version > sitting.version:  # asked again: a far take-back lets others go on meanwhile
                self._add(sitting, entry)
        if any(_brings_a_phone(entry) for entry in new):
            sitting.phones = self.store.phones(sitting.id)
        if new:
            self.live.tell(sitting.code, sitting.version)
        return bool(new)

    def _add(self, sitting: Sitting, entry: Entry) -> None:
        try:
            sitting.journal.add(entry)
        except Exception as why:
            raise self._close_live(sitting, why) from why

    def _follow(self, code: str, id: int, row: dict[str, Any]) -> None:
        """What another process wrote came with its poke. If it follows on what we know, no disk is asked."""
        sitting = self._sittings.get(code)
        if sitting is None or sitting.id != id or not sitting.heard or row["version"] != sitting.version + 1:
            return
        entry = entry_of(sitting.game, row)
        if not _brings_a_phone(entry):  # whose token is only on disk
            sitting.journal.add(entry)

    def sweep(self) -> None:
        """Forget the tables that nobody has looked at for longest; never one with a phone that listens."""
        quiet = [code for code, sitting in self._sittings.items() if not sitting.heard]
        for code in quiet[: max(0, len(quiet) - QUIET)]:
            del self._sittings[code]
        if len(self._closed) > QUIET:
            self._closed.clear()

    # --- doing ---

    def do(self, code: str, token: str | None, command: str, form: Form, tap: str) -> Receipt:
        """One tap, applied once, answered only after COMMIT."""
        sitting = self._sitting(code)
        phone = self.phone(sitting, token)
        asked = {name: list(values) for name, values in form.items() if name != "tap"}
        digest = digest_of_tap(phone, command, asked)

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            return phone, decide(journal, command, asked, Context(now, self.luck, phone))

        return self._write(sitting, checked(tap), digest, command, write)

    def _write(
        self,
        sitting: Sitting,
        tap: str,
        digest: str,
        command: str,
        write: Callable[[Journal, int], tuple[int, tuple[Event, ...]]],
        newcomer: str = "",
    ) -> Receipt:
        """Known? The same answer again. If not: decide, store, and only then does it count."""
        journal = sitting.journal

        def attempt(append: Callable[[Entry, str], None]) -> tuple[Entry, bool]:
            known = journal.taps.get(tap)
            if known:
                return known, False
            now = self.clock()
            phone, events = write(journal, now)
            entry = Entry(journal.version + 1, tap, digest, phone, command, now, events)
            append(entry, newcomer if newcomer not in sitting.phones else "")
            return entry, True

        with sitting:  # it is ours until it is on disk
            try:
                entry, new = attempt(partial(self.store.append, sitting.id, sitting.code))
            except (Raced, Refused) as why:  # by what we know; another process may know more
                if isinstance(why, Refused) and (self.alone or not self._read_on(sitting)):
                    raise
                # Now nobody is quicker: the table is ours from reading on to COMMIT.
                with self.store.writing(sitting.id, sitting.code) as writer:
                    self._read_on(sitting)
                    entry, new = attempt(writer.put)
            receipt = same(entry, digest)
            if not new:
                return receipt
            if entry.version > journal.version:  # or somebody who looked on has read it back already
                journal.add(entry)
            if newcomer:
                sitting.phones[newcomer] = entry.phone
        self.live.publish(sitting.code, entry.version, lambda: [sitting.id, row_of(entry)])
        return receipt

    # --- opening and joining ---

    def open(
        self,
        slug: str,
        tap: str,
        seats: Sequence[Seat],
        starter: int | None,
        mine: Sequence[int] = (),
        rules: Mapping[str, str] | None = None,
        token: str | None = None,
        others: Mapping[str, Phone] | None = None,
    ) -> tuple[str, str]:
        """A new sitting: its code, and the token of the phone that opened it. No starter: drawn by lot.

        `others` are phones that are there from the beginning, by the hash of their token.
        """
        game = take(self.games, slug)
        token = token or self.token(tap)
        asked = ([astuple(seat) for seat in seats], starter, list(mine), rules, hash_of(token))
        digest = digest_of(slug, *asked)
        events = opening(game, self.luck, seats, starter, mine, rules or {})
        events += tuple(event for phone in (others or {}).values() for event in sits(phone))
        hashes = {hash_of(token): 1, **{hash: phone.number for hash, phone in (others or {}).items()}}
        Journal(game).check(events)
        for _ in range(5):  # a code may be taken, or the same tap may be on its way twice
            try:
                code = self._open(game, hash_of(checked(tap)), digest, events, hashes)
            except Raced:
                continue
            same(self.show(code).journal.entries[0], digest)
            return code, token
        raise NotSaved("no free code was found")

    def _open(
        self, game: Game[Any], tap: str, digest: str, events: tuple[Event, ...], phones: Mapping[str, int]
    ) -> str:
        now = self.clock()
        code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        row = SittingRow(
            code=code, slug=game.slug, secret=secrets.token_urlsafe(12), tap=tap, version=0, opened_at=now
        )
        entry = Entry(1, tap, digest, 1, "open", now, events)
        self.store.open(row, entry, phones)
        if row.code == code:
            self._sittings[code] = Sitting(row, game, Journal(game, [entry], PAUSE), dict(phones))
        return row.code

    def again(self, code: str, token: str | None, tap: str) -> str:
        """Once more with the same seats and house rules. Every phone at this table is at the new one too."""
        sitting = self.show(code)
        table, number = sitting.table, self.phone(sitting, token)
        me = at_the_table(table, number)
        if me.role != "player" and number != table.host:
            raise Forbidden("This phone only watches. Take a seat to open the next table.")
        known = ending(table)
        if known and known.next and self.find(known.next):
            return known.next  # somebody else was quicker
        kept = {hashed: table.phone(number) for hashed, number in self.store.phones(sitting.id).items()}
        there = [each for each in kept.items() if each[1].role not in ("gone", "waiting") and each[1] != me]
        others = {hashed: replace(phone, number=n) for n, (hashed, phone) in enumerate(there, 2)}
        new, _ = self.open(sitting.row.slug, tap, table.seats, None, me.seats, table.choices, token, others)
        follows = SittingFollowed(self.clock(), new)
        said = f"again-{hash_of(tap)[:32]}"
        self._write(sitting, said, digest_of(new), "again", lambda journal, now: (number, (follows,)))
        return new

    # --- forgetting ---

    def forget(self, code: str) -> None:
        """The sitting with everything in it: its journal, its phones, and what is kept in memory."""
        row = self.store.sitting(code)  # not from memory: also what nobody can read can be forgotten
        if row is None or row.id is None:
            raise NotFound(NO_TABLE)
        self.store.forget(row.id)
        self.live.publish(code, FORGOTTEN)

    def _heard(self, code: str, version: int) -> None:
        if version == FORGOTTEN:
            self._sittings.pop(code, None)
            self._closed.pop(code, None)

    def look_again(self) -> None:
        """Pokes can be lost, versions cannot; and `companion forget` says no word to a server at all."""
        if self.alone and not self.store.touched():
            return
        self._closed.clear()  # perhaps one was mended
        # Who asks for a quiet table reads on by itself, unless there is nobody else who could have written.
        asked = [code for code, sitting in self._sittings.items() if self.alone or sitting.heard]
        for some in batched(asked, 500):
            there = self.store.standing(some)
            for code in some:
                self._compare(code, there.get(code))
            PAUSE()  # thousands of tables, and no tap should wait for all of them

    def _compare(self, code: str, there: tuple[int, int] | None) -> None:
        sitting = self._sittings.get(code)
        if sitting is None:
            return
        if there is None or there[0] != sitting.id:  # also if it was forgotten and brought back since
            self.live.tell(code, FORGOTTEN)
        elif there[1] > sitting.version and sitting.heard:
            self.live.tell(code, there[1])

    def join(
        self,
        code: str,
        tap: str,
        token: str | None,
        secret: str = "",
        label: str = "",
        sits: tuple[tuple[int, ...], Role] | None = None,
    ) -> tuple[Receipt, str]:
        """With the QR code's secret a phone is in, and `sits`, at once; with a typed code it waits."""
        sitting = self.show(code)
        token = token or self.token(tap)
        invited = sitting.invites(secret)
        if secret and not invited:
            raise Refused("This QR code is not for this table. Scan the one on the host's screen.")
        digest = digest_of(code, secret, label, hash_of(token), *([sits] if sits else ()))
        mine = self.known(sitting, token)
        if mine is not None and sitting.table.phone(mine).role not in ("gone", "waiting"):
            return Receipt(sitting.version, mine), token  # it never left

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            table: Table = journal.state.table
            if table.locked:
                raise Forbidden("The host has closed this table to new phones.")
            known = sitting.phones.get(hash_of(token))  # asked again: it may have come in by another tap
            number = known or max(phone.number for phone in table.phones) + 1
            check_room(table)
            # once is enough, or scanning twice would let it in again
            removed = known is not None and was_removed(journal, known)
            role: Role = "watcher" if invited and not removed else "waiting"
            if role == "waiting":
                check_knocking(table)
            joined = PhoneJoined(number, label or f"Phone {number}", role)
            seated = (sits_down(table, number, *sits),) if sits and role != "waiting" else ()
            return number, (joined, *seated)

        return self._write(sitting, hash_of(checked(tap)), digest, "join", write, hash_of(token)), token


def batched(codes: list[str], most: int) -> Iterator[list[str]]:
    return (codes[start : start + most] for start in range(0, len(codes), most))


def _brings_a_phone(entry: Entry) -> bool:
    return any(isinstance(event, PhoneJoined) for event in entry.events)


__all__ = [
    "CODE",
    "Closed",
    "Forbidden",
    "NotFound",
    "NotSaved",
    "OsLuck",
    "OtherTap",
    "Play",
    "Receipt",
    "Sitting",
    "at_the_table",
]
