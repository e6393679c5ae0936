"""The one door between web and rules: open, join, show, do."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from typing import Any

from companion.core import Context, Entry, Event, Game, Journal, Luck, Refused, Seat
from companion.core.command import Form
from companion.core.decide import Forbidden, at_the_table, decide
from companion.core.table import Role
from companion.games import Shelf, take
from companion.net.live import FORGOTTEN, Live
from companion.sittings.luck import OsLuck
from companion.sittings.opening import NewTable, brings_a_phone, coming_in, once_more, opening
from companion.sittings.sitting import (
    ALPHABET,
    CODE,
    NotFound,
    OtherTap,
    Receipt,
    Sitting,
    checked,
    digest_of,
    digest_of_tap,
    hash_of,
    same,
)
from companion.storage.store import NotSaved, Raced, SittingRow, Store, entry_of, row_of
from companion.tools.ending import SittingFollowed, ending

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
        most: float = math.inf,
    ) -> None:
        self.most = most  # entries of a table
        self.store, self.live, self.games = store, live, games
        self.luck, self.clock = luck or OsLuck(), clock
        # With SQLite one process writes, and what it remembers is all there is.
        self.alone = store.sqlite if alone is None else alone
        self._key = bytes.fromhex(store.keep("token key", secrets.token_hex(32)))
        self._sittings: OrderedDict[str, Sitting] = OrderedDict()
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

    def seated(self, code: str, token: str) -> tuple[Sitting, int] | None:
        """The table and which phone this is there, if memory knows both."""
        sitting = self._sittings.get(code)
        number = sitting.phones.get(hash_of(token)) if sitting else None
        if sitting is None or number is None:
            return None
        self._sittings.move_to_end(code)
        return sitting, number

    def tables_of(self, token: str | None, most: int = 8) -> list[Sitting]:
        rows = self.store.sittings_of(hash_of(token), most) if token else []
        mine = [self.show(row.code) for row in rows if row.slug in self.games]
        return [s for s in mine if s.table.phone(self.phone(s, token)).role not in ("gone", "waiting")]

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

    def version_of(self, code: str) -> int:
        """As far as this process knows, without a look at the disk."""
        sitting = self._sittings.get(code)
        return sitting.version if sitting else 0

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
        game = self.games[row.slug]
        # A long evening takes its time, in which the phones of other tables go on.
        journal = Journal(game, self.store.each_entry(game, row.id), PAUSE)
        sitting = self._live(row, journal, self.store.phones(row.id))
        PAUSE()  # whoever asked wants to see it, and to draw all of it takes as long again
        return sitting

    def _live(self, row: SittingRow, journal: Journal, phones: dict[str, int]) -> Sitting:
        since = self.clock() if self.alone else None
        return Sitting(row, journal.game, journal, phones, key=self._key, most=self.most, since=since)

    def _read_on(self, sitting: Sitting) -> bool:
        """Whether other processes wrote since we last looked; then it is known now."""
        known = sitting.journal.entries[-1]  # now: while we read, others go on
        tail = self.store.entries(sitting.game, sitting.id, known.version - 1)
        if not tail or tail[0].tap != known.tap:
            # Not even the entry that we know: it was forgotten, and its number may be another table's by now.
            self.live.tell(sitting.code, FORGOTTEN)
            raise NotFound(NO_TABLE)
        new = [entry for entry in tail if entry.version > sitting.version]  # two requests may bring the same
        for entry in new:
            if entry.version > sitting.version:  # asked again: a far take-back lets others go on meanwhile
                sitting.journal.add(entry)
        if any(brings_a_phone(entry) for entry in new):
            sitting.phones = self.store.phones(sitting.id)
        if new:
            self.live.tell(sitting.code, sitting.version)
        return bool(new)

    def _follow(self, code: str, id: int, row: dict[str, Any]) -> None:
        """What another process wrote came with its poke. If it follows on what we know, no disk is asked."""
        sitting = self._sittings.get(code)
        if sitting is None or sitting.id != id or not sitting.heard or row["version"] != sitting.version + 1:
            return
        entry = entry_of(sitting.game, row)
        if not brings_a_phone(entry):  # whose token is only on disk
            sitting.journal.add(entry)

    def sweep(self) -> None:
        """Forget the tables that nobody has looked at for longest; never one with a phone that listens."""
        quiet = [code for code, sitting in self._sittings.items() if not sitting.heard]
        for code in quiet[: max(0, len(quiet) - QUIET)]:
            del self._sittings[code]

    # --- doing ---

    def do(self, code: str, token: str | None, command: str, form: Form, tap: str) -> Receipt:
        sitting = self._sitting(code)
        asked = {name: list(values) for name, values in form.items() if name != "tap"}
        return self.tap(sitting, self.phone(sitting, token), command, asked, tap)

    def tap(self, sitting: Sitting, phone: int, command: str, asked: Form, tap: str) -> Receipt:
        """One tap, applied once, answered only after COMMIT."""
        digest = digest_of_tap(phone, command, asked)

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            sitting.seen[phone] = now
            return phone, decide(journal, command, asked, Context(now, self.luck, phone, sitting.last_heard))

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
            sitting.check_book(command)
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
        address: str = "",
    ) -> tuple[str, str]:
        """A new sitting: its code, and the token of the phone that opened it. No starter: drawn by lot.

        It counts against the address, if there is one.
        """
        game = take(self.games, slug)
        token = token or self.token(tap)
        asked = ([astuple(seat) for seat in seats], starter, list(mine), rules, hash_of(token))
        events = opening(game, self.luck, seats, starter, mine, rules or {})
        digest = digest_of(slug, *asked)
        new = NewTable(game, checked(tap), digest, events, {hash_of(token): 1}, address)
        return self._lay(new), token

    def _lay(self, new: NewTable) -> str:
        Journal(new.game).check(new.events)
        for _ in range(5):  # a code may be taken, or the same tap may be on its way twice
            try:
                code = self._open(new)
            except Raced:
                continue
            same(self.show(code).journal.entries[0], new.digest)
            return code
        raise NotSaved("no free code was found")

    def _open(self, new: NewTable) -> str:
        now, tap, game = self.clock(), hash_of(new.tap), new.game
        code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        row = SittingRow(
            code=code, slug=game.slug, secret=secrets.token_urlsafe(12), tap=tap, version=0, opened_at=now
        )
        entry = Entry(1, tap, new.digest, 1, "open", now, new.events)
        self.store.open(row, entry, new.phones, new.address)
        if row.code == code:
            self._sittings[code] = self._live(row, Journal(game, [entry], PAUSE), dict(new.phones))
        return row.code

    def again(self, code: str, token: str | None, tap: str, address: str = "") -> str:
        """Once more with the same seats and house rules. Every phone at this table is at the new one too,
        and whoever hosts this one hosts that one."""
        sitting = self.show(code)
        table, number = sitting.table, self.phone(sitting, token)
        me = at_the_table(table, number)
        if me.role != "player" and number != table.host:
            raise Forbidden("This phone only watches. Take a seat to open the next table.")
        known = ending(table)
        if known and known.next and self.find(known.next):
            return known.next  # somebody else was quicker
        over = known or sitting.game.adjudicate(sitting.journal.state).final
        if not over and number != table.host:
            raise Forbidden("The game is not over yet. Until then only the host can open the next table.")
        game, asked = sitting.game, digest_of(code, hash_of(token or ""))
        events, numbers = once_more(game, self.luck, table, self.store.phones(sitting.id), number)
        new = self._lay(NewTable(game, checked(tap), asked, events, numbers, address))
        follows = SittingFollowed(self.clock(), new)
        said = f"again-{hash_of(tap)[:32]}"
        self._write(sitting, said, digest_of(new), "again", lambda journal, now: (number, (follows,)))
        return new

    # --- forgetting ---

    def forget(self, code: str) -> None:
        """The sitting with everything in it: its journal, its phones, and what is kept in memory."""
        self.store.forget(self._sitting(code).id)
        self.live.publish(code, FORGOTTEN)

    def _heard(self, code: str, version: int) -> None:
        if version == FORGOTTEN:
            self._sittings.pop(code, None)

    def look_again(self) -> None:
        """Pokes can be lost, versions cannot; and `companion forget` says no word to a server at all."""
        if self.alone and not self.store.touched():
            return
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
            raise Refused("This QR code is not for this table now. Scan the one on the host's screen.")
        digest = digest_of(code, secret, label, hash_of(token), *([sits] if sits else ()))
        mine = self.known(sitting, token)
        if mine is not None and sitting.table.phone(mine).role not in ("gone", "waiting"):
            return Receipt(sitting.version, mine), token  # it never left

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            known = sitting.phones.get(hash_of(token))  # asked again: it may have come in by another tap
            return coming_in(journal, known, invited, label, sits)

        return self._write(sitting, hash_of(checked(tap)), digest, "join", write, hash_of(token)), token


def batched(codes: list[str], most: int) -> Iterator[list[str]]:
    return (codes[start : start + most] for start in range(0, len(codes), most))


__all__ = [
    "CODE",
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
