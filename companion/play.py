"""The one door between web and rules: open, join, show, do."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, TypeVar

from companion.core import Context, Entry, Event, Game, Journal, Luck, Refused, Seat
from companion.core.command import Form
from companion.core.decide import Forbidden, at_the_table, decide
from companion.core.table import Role, SittingOpened, Table
from companion.core.text import same_name
from companion.games import Shelf, take
from companion.live import Live
from companion.store import NotSaved, Raced, SittingRow, Store
from companion.tools.house_rules import chosen
from companion.tools.phones import PhoneJoined, PhoneRemoved, SeatsTaken
from companion.tools.seats import check_looks

T = TypeVar("T")
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0 O 1 I L U: nobody should have to ask which one it is
CODE = re.compile(f"[{ALPHABET}]{{6}}")
TAP = re.compile(r"[A-Za-z0-9_-]{8,80}")
KEPT_SITTINGS = 2000  # in memory; the others are folded again from the journal when somebody comes back


class OsLuck:
    """The operating system's randomness, without bias."""

    _source = secrets.SystemRandom()

    def roll(self, faces: int) -> int:
        return secrets.randbelow(faces) + 1

    def choose(self, among: Sequence[T]) -> T:
        return secrets.choice(among)

    def shuffle(self, order: Sequence[T]) -> tuple[T, ...]:
        return tuple(self._source.sample(order, len(order)))


class NotFound(Refused):
    """There is no such table."""


class OtherTap(Refused):
    """This tap id was used for something else."""


@dataclass
class Sitting:
    """A sitting as this process knows it. Only `Play` changes it, and only after a commit."""

    row: SittingRow
    game: Game[Any]
    journal: Journal
    phones: dict[str, int] = field(default_factory=dict)  # token hash → number

    @property
    def id(self) -> int:
        assert self.row.id is not None
        return self.row.id

    @property
    def code(self) -> str:
        return self.row.code

    @property
    def version(self) -> int:
        return self.journal.version

    def invites(self, secret: str) -> bool:
        """Whether this is the secret in the table's QR code."""
        return hmac.compare_digest(secret.encode("utf-8", "replace"), self.row.secret.encode())

    @property
    def table(self) -> Table:
        table: Table = self.journal.state.table
        return table


@dataclass(frozen=True)
class Receipt:
    """The answer to a tap: a function of the journal alone, so a retried tap gets the same one again."""

    version: int
    phone: int


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
            self._catch_up(sitting, self.store.entries(sitting.game, sitting.id, sitting.version))
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
                raise NotFound("There is no table with this code. Check the six characters.")
            game = take(self.games, row.slug)
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
        digest = _digest(phone, command, asked)

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
        with self.store.writing(sitting.id) as pen:
            self._catch_up(sitting, pen.tail(sitting.game, journal.version))
            known = journal.taps.get(tap)
            if known:
                return _same(known, digest)
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
    ) -> tuple[str, str]:
        """A new sitting: its code, and the token of the phone that opened it. No starter: drawn by lot."""
        game = take(self.games, slug)
        token = token or self.token(tap)
        digest = _digest(slug, [astuple(seat) for seat in seats], starter, list(mine), rules, hash_of(token))
        events = self._opening(game, seats, starter, mine, rules or {})
        fresh = Journal(game)
        fresh.check(events)
        for _ in range(5):  # a code may be taken, or the same tap may be on its way twice
            try:
                code = self._open(game, hash_of(checked(tap)), digest, events, token)
            except Raced:
                continue
            _same(self.show(code).journal.entries[0], digest)
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

    def _open(self, game: Game[Any], tap: str, digest: str, events: tuple[Event, ...], token: str) -> str:
        now = self.clock()
        code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        row = SittingRow(
            code=code, slug=game.slug, secret=secrets.token_urlsafe(12), tap=tap, version=1, opened_at=now
        )
        with self.store.writing() as pen:
            known = pen.opened_by(tap)
            if known:
                return known
            pen.open(row)
            pen.append(Entry(1, tap, digest, 1, "open", now, events))
            pen.add_phone(1, hash_of(token))
        return code

    def join(
        self, code: str, tap: str, token: str | None, secret: str = "", label: str = ""
    ) -> tuple[Receipt, str]:
        """With the QR code's secret a phone is in at once; with a typed code it waits for the host."""
        sitting = self.show(code)
        token = token or self.token(tap)
        invited = sitting.invites(secret)
        if secret and not invited:
            raise Refused("This QR code is not for this table. Scan the one on the host's screen.")
        digest = _digest(code, secret, label, hash_of(token))
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


def _check_room(table: Table) -> None:
    if sum(phone.role != "gone" for phone in table.phones) >= 60:
        raise Refused("Sixty phones are as many as a table can take.")


def _check_knocking(table: Table) -> None:
    """Whoever knows a code could knock all night; the table must stay open to those who scan."""
    if sum(phone.role == "waiting" for phone in table.phones) >= 8:
        raise Refused("Many are waiting to be let in already. Ask the host, or scan the QR code.")


def checked(tap: str) -> str:
    if not TAP.fullmatch(tap):
        raise Refused("This tap came without its number. Reload the page and tap again.")
    return tap


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _digest(*asked: object) -> str:
    return hash_of(json.dumps(asked, sort_keys=True))


def _same(known: Entry, digest: str) -> Receipt:
    if known.digest != digest:
        raise OtherTap("This tap was already used for something else.")
    return Receipt(known.version, known.phone)


__all__ = [
    "CODE",
    "Forbidden",
    "NotFound",
    "NotSaved",
    "OtherTap",
    "Play",
    "Receipt",
    "Sitting",
    "at_the_table",
]
