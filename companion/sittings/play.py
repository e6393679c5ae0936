"""The one door between web and rules: open, join, show, do."""

from __future__ import annotations

import hashlib
import hmac
import logging
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from companion.core import Context, Entry, Event, Journal, Luck, Refused, Seat
from companion.core.command import Form
from companion.core.decide import Forbidden, at_the_table, decide
from companion.core.table import Role
from companion.games import Shelf, take
from companion.net.live import Live
from companion.sittings.closed import Closed
from companion.sittings.luck import OsLuck
from companion.sittings.opening import Added, NewTable, coming_in, once_more, opening
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
from companion.sittings.tables import PAUSE, Tables, batched
from companion.storage.appends import Append
from companion.storage.store import NotSaved, Raced, SittingRow, Store, row_of
from companion.tools.ending import SittingFollowed, ending

log = logging.getLogger(__name__)


class Play(Tables):
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
        super().__init__(store, live, games, clock, store.sqlite if alone is None else alone, most)
        self.luck = luck or OsLuck()
        #: Told of each plain tap that sets out for the disk.
        self.begun: Callable[[Sitting, Entry], None] = lambda sitting, entry: None

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
        mine = [self._readable(row.code) for row in rows if row.slug in self.games]
        there = [sitting for sitting in mine if sitting]
        return [s for s in there if s.table.phone(self.phone(s, token)).role not in ("gone", "waiting")]

    def closed_of(self, token: str | None, most: int = 8) -> list[SittingRow]:
        """Tables that this phone was at and that nobody can read here, as far as somebody has tried."""
        rows = self.store.sittings_of(hash_of(token), most) if token and self._closed else []
        return [row for row in rows if row.code in self._closed and not self._readable(row.code)]

    # --- doing ---

    def do(self, code: str, token: str | None, command: str, form: Form, tap: str) -> Receipt:
        sitting = self._sitting(code)
        fields = {name: list(values) for name, values in form.items() if name != "tap"}
        return self.tap(sitting, self.phone(sitting, token), command, fields, tap)

    def tap(self, sitting: Sitting, phone: int, command: str, form: Form, tap: str) -> Receipt:
        """One tap, applied once, answered only after COMMIT."""
        digest = digest_of_tap(phone, command, form)

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            sitting.seen[phone] = now
            return phone, decide(journal, command, form, Context(now, self.luck, phone, sitting.last_heard))

        return self._write(sitting, checked(tap), digest, command, write)

    def begin_tap(
        self,
        sitting: Sitting,
        phone: int,
        command: str,
        form: Form,
        tap: str,
        then: Callable[[int], None],
    ) -> bool:
        """As `tap`, for who cannot wait: `then` is called after COMMIT, with the entry's version; with 0 if
        nothing was written. False: it takes waiting, as behind another tap. Then, and where this refuses,
        nothing has happened, and `tap` knows how to go on."""
        journal = sitting.journal
        if not self.alone or tap in journal.taps or not sitting.lock.acquire(blocking=False):
            return False
        try:
            digest = digest_of_tap(phone, command, form)
            sitting.check_book(command)
            now = sitting.seen[phone] = self.clock()
            events = decide(journal, command, form, Context(now, self.luck, phone, sitting.last_heard))
            entry = Entry(journal.version + 1, checked(tap), digest, phone, command, now, events)
        except BaseException:
            sitting.lock.release()
            raise
        self.begun(sitting, entry)
        self.store.post(Append(sitting.id, sitting.code, entry), partial(self._settled, sitting, entry, then))
        return True

    def _settled(
        self, sitting: Sitting, entry: Entry, then: Callable[[int], None], why_not: NotSaved | None
    ) -> None:
        stored = why_not is None
        try:
            if stored and entry.version > sitting.journal.version:
                sitting.journal.add(entry)
        except Exception:  # it was foreseen, so nobody knows how; who brings the tap again is told what it is
            about = {"table": sitting.code, "version": entry.version}
            log.exception("table %s cannot follow to version %s", sitting.code, entry.version, extra=about)
            stored = False
        finally:
            sitting.lock.release()
        if stored:
            self.live.publish(sitting.code, entry.version, lambda: [sitting.id, row_of(entry)])
        then(entry.version if stored else 0)

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
        choices: Mapping[str, str] | None = None,
        token: str | None = None,
        address: str = "",
        to_learn: bool = False,
    ) -> tuple[str, str]:
        """A new sitting: its code, and the token of the phone that opened it. No starter: drawn by lot.
        A first game is taught by the phones.

        It counts against the address, if there is one.
        """
        game = take(self.games, slug)
        token = token or self.token(tap)
        looks = [(seat.id, seat.name, seat.colour, seat.symbol) for seat in seats]
        wanted = (looks, starter, list(mine), choices, hash_of(token))
        events = opening(game, self.luck, seats, starter, mine, choices or {}, to_learn=to_learn)
        digest = digest_of(slug, *wanted, *([to_learn] if to_learn else []))
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
        game, digest = sitting.game, digest_of(code, hash_of(token or ""))
        events, numbers = once_more(
            game, self.luck, sitting.journal.state, self.store.phones(sitting.id), number
        )
        new = self._lay(NewTable(game, checked(tap), digest, events, numbers, address))
        follows = SittingFollowed(self.clock(), new)
        tap_id = f"again-{hash_of(tap)[:32]}"
        self._write(sitting, tap_id, digest_of(new), "again", lambda journal, now: (number, (follows,)))
        return new

    # --- coming in ---

    def join(
        self,
        code: str,
        tap: str,
        token: str | None,
        secret: str = "",
        label: str = "",
        sits: tuple[tuple[int, ...], Role] | None = None,
        adds: Added | None = None,
    ) -> tuple[Receipt, str]:
        """With the QR code's secret a phone is in, and `sits`, at once; with a typed code it waits."""
        sitting = self.show(code)
        token = token or self.token(tap)
        invited = sitting.invites(secret)
        if secret and not invited:
            raise Refused("This QR code is not for this table now. Scan the one on the host's screen.")
        digest = digest_of(code, secret, label, hash_of(token), *[each for each in (sits, adds) if each])
        mine = self.known(sitting, token)
        if mine is not None and sitting.table.phone(mine).role not in ("gone", "waiting"):
            return Receipt(sitting.version, mine), token  # it never left

        def write(journal: Journal, now: int) -> tuple[int, tuple[Event, ...]]:
            known = sitting.phones.get(hash_of(token))  # asked again: it may have come in by another tap
            return coming_in(journal, known, invited, label, sits, adds)

        return self._write(sitting, hash_of(checked(tap)), digest, "join", write, hash_of(token)), token


__all__ = [
    "CODE",
    "PAUSE",
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
    "batched",
]
