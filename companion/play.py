"""The one door between web and rules: open, join, show, do."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from companion.core import Context, Entry, Event, Game, Journal, Luck, Phone, Refused, Seat
from companion.core.command import Form
from companion.core.decide import Forbidden, at_the_table, decide
from companion.core.table import Role, SittingOpened, Table
from companion.core.text import same_name
from companion.games import Shelf, take
from companion.live import FORGOTTEN, Live
from companion.luck import OsLuck
from companion.sitting import (
    ALPHABET,
    CODE,
    NotFound,
    OtherTap,
    Receipt,
    Sitting,
    checked,
    digest_of,
    hash_of,
    same,
)
from companion.store import NotSaved, Raced, SittingRow, Store
from companion.tools.ending import SittingFollowed, ending
from companion.tools.house_rules import chosen
from companion.tools.phones import PhoneJoined, PhoneRemoved, SeatsTaken
from companion.tools.seats import check_looks

NO_TABLE = "There is no table with this code. Check the six characters; or its host has forgotten it."
KEPT_SITTINGS = 2000  # in memory; the others are folded again from the journal when somebody comes back


class Play:
    def __init__(
        self,
        store: Store,
        live: Live,
        games: Shelf,
        luck: Luck | None = None,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.store, self.live, self.games = store, live, games
        self.luck, self.clock = luck or OsLuck(), clock
        self._key = bytes.fromhex(store.keep("token key", secrets.token_hex(32)))
        self._sittings: OrderedDict[str, Sitting] = OrderedDict()
        live.listeners.append(self._heard)

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
        if hashed not in sitting.phones:
            sitting.phones = self.store.phones(sitting.id)
        return sitting.phones.get(hashed)

    def tables_of(self, token: str | None, most: int = 8) -> list[Sitting]:
        rows = self.store.sittings_of(hash_of(token), most) if token else []
        mine = [self.show(row.code) for row in rows if row.slug in self.games]
        return [s for s in mine if s.table.phone(self.phone(s, token)).role not in ("gone", "waiting")]

    # --- looking ---

    def show(self, code: str) -> Sitting:
        """The sitting as of now, with what other workers wrote folded in."""
        sitting = self._sitting(code)
        if not self.store.sqlite:  # with SQLite there is one process, and it knows all
            tail = self.store.entries(sitting.game, sitting.id, sitting.version - 1)
            if not tail:  # not even the entry that we know: another process has forgotten this table
                self.live.tell(code, FORGOTTEN)
                raise NotFound(NO_TABLE)
            self._catch_up(sitting, tail)
        return sitting

    def find(self, code: str) -> Sitting | None:
        try:
            return self.show(code)
        except NotFound:
            return None

    def game(self, code: str) -> Game[Any]:
        """Which game it is never changes, so memory will do."""
        return self._sitting(code).game

    def _sitting(self, code: str) -> Sitting:
        sitting = self._sittings.get(code)
        if sitting is None:
            row = self.store.sitting(code) if CODE.fullmatch(code) else None
            if row is None or row.id is None:
                raise NotFound(NO_TABLE)
            if row.slug not in self.games:  # the table is there, so its phones must not hear that it is gone
                raise Refused("The game of this table is not on the shelf now. Put its room back to go on.")
            game = self.games[row.slug]
            sitting = Sitting(row, game, Journal(game, self.store.entries(game, row.id)))
            # while we read, another request may have put it there: everyone must share one
            sitting = self._sittings.setdefault(code, sitting)
        self._sittings.move_to_end(code)
        while len(self._sittings) > KEPT_SITTINGS:
            self._sittings.popitem(last=False)
        return sitting

    def _catch_up(self, sitting: Sitting, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.version > sitting.version:  # two requests may bring the same tail
                sitting.journal.add(entry)

    # --- doing ---

    def do(self, code: str, token: str | None, command: str, form: Form, tap: str) -> Receipt:
        """One tap, applied once, answered only after COMMIT."""
        sitting = self.show(code)
        phone = self.phone(sitting, token)
        asked = {name: list(values) for name, values in form.items() if name != "tap"}
        digest = digest_of(phone, command, asked)

        def write(journal: Journal) -> tuple[int, tuple[Event, ...]]:
            return phone, decide(journal, command, asked, Context(self.clock(), self.luck, phone))

        return self._write(sitting, checked(tap), digest, command, write)

    def _write(
        self,
        sitting: Sitting,
        tap: str,
        digest: str,
        command: str,
        write: Callable[[Journal], tuple[int, tuple[Event, ...]]],
        newcomer: str = "",
    ) -> Receipt:
        journal = sitting.journal
        with self.store.writing(sitting.id, sitting.code) as pen:
            self._catch_up(sitting, pen.tail(sitting.game, journal.version))
            known = journal.taps.get(tap)
            if known:
                return same(known, digest)
            phone, events = write(journal)
            entry = Entry(journal.version + 1, tap, digest, phone, command, self.clock(), events)
            pen.append(entry)
            if newcomer and newcomer not in sitting.phones:
                pen.add_phone(phone, newcomer)
        self._catch_up(sitting, [entry])
        if newcomer:
            sitting.phones[newcomer] = phone
        self.live.publish(sitting.code, entry.version)
        return Receipt(entry.version, entry.phone)

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
        events = self._opening(game, seats, starter, mine, rules or {})
        events += tuple(event for phone in (others or {}).values() for event in _sits(phone))
        hashes = {hash_of(token): 1, **{hash: phone.number for hash, phone in (others or {}).items()}}
        fresh = Journal(game)
        fresh.check(events)
        for _ in range(5):  # a code may be taken, or the same tap may be on its way twice
            try:
                code = self._open(game, hash_of(checked(tap)), digest, events, hashes)
            except Raced:
                continue
            same(self.show(code).journal.entries[0], digest)
            return code, token
        raise NotSaved("no free code was found")

    def _opening(
        self,
        game: Game[Any],
        seats: Sequence[Seat],
        starter: int | None,
        mine: Sequence[int],
        rules: Mapping[str, str],
    ) -> tuple[Event, ...]:
        game.check_seats(len(seats))
        twice = same_name([seat.name for seat in seats])
        if twice:
            raise Refused(f"Two players are called {twice}. Give each a name of their own.")
        check_looks(list(seats))
        by_lot = starter is None
        first = self.luck.choose(seats).id if starter is None else starter
        if first not in {seat.id for seat in seats}:
            raise Refused("The player who starts must have a seat.")
        return (
            SittingOpened(tuple(seats), first, chosen(game, rules), by_lot),
            PhoneJoined(1, "Host", "watcher"),
            SeatsTaken(1, tuple(mine), "player" if mine else "watcher"),
        )

    def _open(
        self, game: Game[Any], tap: str, digest: str, events: tuple[Event, ...], phones: Mapping[str, int]
    ) -> str:
        now = self.clock()
        code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        row = SittingRow(
            code=code, slug=game.slug, secret=secrets.token_urlsafe(12), tap=tap, version=0, opened_at=now
        )
        with self.store.writing() as pen:
            known = pen.opened_by(tap)
            if known:
                return known
            pen.open(row)
            pen.append(Entry(1, tap, digest, 1, "open", now, events))
            for hashed, number in phones.items():
                pen.add_phone(number, hashed)
        return code

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
        new, _ = self.open(sitting.row.slug, tap, table.seats, None, me.seats, table.rules, token, others)
        follows = SittingFollowed(self.clock(), new)
        said = f"again-{hash_of(tap)[:32]}"
        self._write(sitting, said, digest_of(new), "again", lambda journal: (number, (follows,)))
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
        """Another process may have forgotten a table without a word, as `companion forget` does."""
        if self.store.sqlite and not self.store.touched():
            return
        known = {code: sitting.id for code, sitting in self._sittings.items()}
        for start in range(0, len(known), 500):
            codes = list(known)[start : start + 500]
            there = self.store.ids(codes)
            for code in codes:
                if there.get(code) != known[code]:  # also if it was forgotten and brought back since
                    self.live.tell(code, FORGOTTEN)

    def join(
        self, code: str, tap: str, token: str | None, secret: str = "", label: str = ""
    ) -> tuple[Receipt, str]:
        """With the QR code's secret a phone is in at once; with a typed code it waits for the host."""
        sitting = self.show(code)
        token = token or self.token(tap)
        invited = sitting.invites(secret)
        if secret and not invited:
            raise Refused("This QR code is not for this table. Scan the one on the host's screen.")
        digest = digest_of(code, secret, label, hash_of(token))
        mine = self.known(sitting, token)
        if mine is not None and sitting.table.phone(mine).role not in ("gone", "waiting"):
            return Receipt(sitting.version, mine), token  # it never left

        def write(journal: Journal) -> tuple[int, tuple[Event, ...]]:
            table: Table = journal.state.table
            if table.locked:
                raise Forbidden("The host has closed this table to new phones.")
            known = sitting.phones.get(hash_of(token))  # asked again: it may have come in by another tap
            number = known or max(phone.number for phone in table.phones) + 1
            _check_room(table)
            told = (event for entry in journal.entries for event in entry.events)
            removed = PhoneRemoved(number) in told  # once is enough, or scanning twice would let it in again
            role: Role = "watcher" if invited and not removed else "waiting"
            if role == "waiting":
                _check_knocking(table)
            return number, (PhoneJoined(number, label or f"Phone {number}", role),)

        for _ in range(5):
            try:
                tap_kept = hash_of(checked(tap))
                return self._write(sitting, tap_kept, digest, "join", write, hash_of(token)), token
            except Raced:
                self.known(sitting, token)
        raise NotSaved("too many phones joined at once")


def _sits(phone: Phone) -> tuple[Event, ...]:
    return PhoneJoined(phone.number, phone.label, "watcher"), SeatsTaken(
        phone.number, phone.seats, phone.role
    )


def _check_room(table: Table) -> None:
    if sum(phone.role != "gone" for phone in table.phones) >= 60:
        raise Refused("Sixty phones are as many as a table can take.")


def _check_knocking(table: Table) -> None:
    """Whoever knows a code could knock all night; the table must stay open to those who scan."""
    if sum(phone.role == "waiting" for phone in table.phones) >= 8:
        raise Refused("Many are waiting to be let in already. Ask the host, or scan the QR code.")


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
