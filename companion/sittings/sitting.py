"""A sitting as one process knows it, and the small marks by which taps and phones are known."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import threading
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from companion.core import Entry, Game, Journal, Refused, View
from companion.core.command import Filled, Form
from companion.core.table import Table
from companion.storage.database import PATIENCE
from companion.storage.store import NotSaved, SittingRow
from companion.tools.asking import WantedSeat, wanted_seats
from companion.tools.ending import ending
from companion.tools.explained import explained

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0 O 1 I L U: nobody should have to ask which one it is
CODE = re.compile(f"[{ALPHABET}]{{6}}")
TAP = re.compile(r"[A-Za-z0-9_-]{8,80}")
ALWAYS = 2**62  # later than any moment
LAST = ("end_sitting", "again")  # what can be done at a table whose book is full


class NotFound(Refused):
    """There is no such table."""


class OtherTap(Refused):
    """This tap id was used for something else."""


@dataclass
class Sitting:
    """A live table: all that this process keeps of it. Only `Play` changes it, and only after a commit.

    It is found by one look-up, and what hangs on it goes with it.
    """

    row: SittingRow
    game: Game[Any]
    journal: Journal
    phones: dict[str, int] = field(default_factory=dict)  # token hash → number
    screen: Any = None  # what the web has drawn of it, and who listens
    key: bytes = b""  # the server's own, which invitations are renewed with
    most: float = math.inf  # entries that it may have
    since: int | None = None  # when it came into memory, if no other process could have heard of its phones
    seen: dict[int, int] = field(default_factory=dict)  # phone → when it was last heard of, in this process
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _view: tuple[int, View | None] = (0, None)

    def __post_init__(self) -> None:
        self.id, self.code = self.row.id or 0, self.row.code
        self._invitation = (0, self.row.secret)

    @property
    def version(self) -> int:
        return self.journal.version

    @property
    def view(self) -> View:
        version, view = self._view
        if view is None or version != self.version:
            view = explained(self.game, self.table, self.game.view(self.journal.state))
            self._view = (self.version, view)
        return view

    def __enter__(self) -> None:
        """One tap after the other; where the database hangs, forty phones do not wait forty times as long."""
        if not self.lock.acquire(timeout=PATIENCE):
            raise NotSaved("the taps before it are not through yet")

    def __exit__(self, *why: object) -> None:
        self.lock.release()

    def ahead(self, entry: Entry) -> Sitting | None:
        """As it will be once this entry is stored, to look at only. None: that is not known yet."""
        journal = self.journal.ahead(entry)
        if journal is None:
            return None
        then = copy(self)
        then.journal = journal
        return then

    @property
    def heard(self) -> bool:
        """Whether a phone listens, here, in this process."""
        return self.screen is not None and bool(self.screen.wires)

    def last_heard(self, phone: int) -> int | None:
        """When this phone was last heard of; whoever listens is heard now. Another process may know more."""
        wires = self.screen.wires.values() if self.screen is not None else ()
        if any(phone in each.values() for each in wires):
            return ALWAYS
        return self.seen.get(phone, self.since)

    @property
    def title(self) -> str:
        """What this table calls its game."""
        return self.game.name(self.journal.state)

    @property
    def ended(self) -> bool:
        return ending(self.table) is not None

    def invites(self, secret: str) -> bool:
        """Whether this is the secret in the table's QR code."""
        return bool(secret) and hmac.compare_digest(
            secret.encode("utf-8", "replace"), self.invitation.encode()
        )

    @property
    def invitation(self) -> str:
        """The secret in the table's QR code. With each phone that is removed it is another one.

        It follows from the first and from the journal, which all workers share; not without the server's key.
        """
        number = self.table.invitation
        if self._invitation[0] != number:
            about = f"invitation {number} {self.row.secret}".encode()
            made = hmac.new(self.key, about, hashlib.sha256).digest()[:12]
            self._invitation = (number, base64.urlsafe_b64encode(made).decode())
        return self._invitation[1]

    @property
    def wanted_seats(self) -> tuple[WantedSeat, ...]:
        """That somebody holds and another phone asks for."""
        return wanted_seats(self.table)

    @property
    def lines_left(self) -> int | None:
        """Once nine tenths of what a table may write are written: how many more there can be, about."""
        if self.journal.version < 0.9 * self.most:
            return None
        return max(0, int(self.most - self.version) // 500 * 500)

    def check_book(self, command: str) -> None:
        if self.version >= self.most and command not in LAST:
            raise Refused("This table's log is full. End the evening, and go on at the next table.")

    @property
    def table(self) -> Table:
        table: Table = self.journal.state.table
        return table


@dataclass(frozen=True)
class Receipt:
    """The answer to a tap: a function of the journal alone, so a retried tap gets the same one again."""

    version: int
    phone: int


def checked(tap: str) -> str:
    if not TAP.fullmatch(tap):
        raise Refused("This tap came without its number. Reload the page and tap again.")
    return tap


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


hash_of = lru_cache(10_000)(_hashed)  # a phone's token comes with each of its taps
_hash_of_tap = lru_cache(2_000)(_hashed)  # and most of what it asks for it has asked for before


_spelled = json.JSONEncoder(sort_keys=True).encode  # made once: to make it costs as much as to use it


def digest_of(*values: object) -> str:
    return _hashed(_spelled(values))


def digest_of_tap(phone: int, command: str, form: Form) -> str:
    """The same, spelled by hand: every tap has one, and an encoder is made anew for each use."""
    spelled = form.spelled if type(form) is Filled else ""
    if not spelled:
        given = [f"{_quoted(name)}: [{', '.join(map(_quoted, form[name]))}]" for name in sorted(form)]
        spelled = f"{{{', '.join(given)}}}"
        if type(form) is Filled:
            form.spelled = spelled
    return _hash_of_tap(f"[{phone}, {_quoted(command)}, {spelled}]")


def same(known: Entry, digest: str) -> Receipt:
    if known.digest != digest:
        raise OtherTap("This tap was already used for something else.")
    return Receipt(known.version, known.phone)
