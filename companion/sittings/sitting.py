"""A sitting as one process knows it, and the small marks by which taps and phones are known."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from companion.core import Entry, Game, Journal, Refused, View
from companion.core.table import Table
from companion.storage.database import PATIENCE
from companion.storage.store import NotSaved, SittingRow
from companion.tools.ending import ending
from companion.tools.phones import PhoneRemoved

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0 O 1 I L U: nobody should have to ask which one it is
CODE = re.compile(f"[{ALPHABET}]{{6}}")
TAP = re.compile(r"[A-Za-z0-9_-]{8,80}")


class NotFound(Refused):
    """There is no such table."""


class Closed(Refused):
    """The table is there, but this version cannot read its journal."""

    def __init__(self, code: str) -> None:
        super().__init__(
            "This table was written by a newer version of Companion, or it is damaged, so it is closed here."
            " Nothing of it is lost: whoever runs the server can take it along with"
            f" “companion export {code}”."
        )


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
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _view: tuple[int, View | None] = (0, None)

    def __post_init__(self) -> None:
        self.id, self.code, self.secret = self.row.id or 0, self.row.code, self.row.secret.encode()

    @property
    def version(self) -> int:
        return self.journal.version

    @property
    def view(self) -> View:
        version, view = self._view
        if view is None or version != self.version:
            view = self.game.view(self.journal.state)
            self._view = (self.version, view)
        return view

    def seen(self) -> Sitting:
        """Itself, once it is sure that it can be looked at."""
        self.view  # noqa: B018
        return self

    def __enter__(self) -> None:
        """One tap after the other; where the database hangs, forty phones do not wait forty times as long."""
        if not self.lock.acquire(timeout=PATIENCE):
            raise NotSaved("the taps before it are not through yet")

    def __exit__(self, *why: object) -> None:
        self.lock.release()

    @property
    def heard(self) -> bool:
        """Whether a phone listens, here, in this process."""
        return self.screen is not None and bool(self.screen.wires)

    @property
    def ended(self) -> bool:
        return ending(self.table) is not None

    def invites(self, secret: str) -> bool:
        """Whether this is the secret in the table's QR code."""
        return bool(secret) and hmac.compare_digest(secret.encode("utf-8", "replace"), self.secret)

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


_spelled = json.JSONEncoder(sort_keys=True).encode  # made once: to make it costs as much as to use it


def digest_of(*asked: object) -> str:
    return _hashed(_spelled(asked))


def digest_of_tap(phone: int, command: str, form: Mapping[str, Sequence[str]]) -> str:
    """The same, spelled by hand: every tap has one, and an encoder is made anew for each use."""
    given = [f"{_quoted(name)}: [{', '.join(map(_quoted, form[name]))}]" for name in sorted(form)]
    return _hashed(f"[{phone}, {_quoted(command)}, {{{', '.join(given)}}}]")


def same(known: Entry, digest: str) -> Receipt:
    if known.digest != digest:
        raise OtherTap("This tap was already used for something else.")
    return Receipt(known.version, known.phone)


# --- who may come in ---


def was_removed(journal: Journal, number: int) -> bool:
    return any(PhoneRemoved(number) in entry.events for entry in journal.entries)


def check_room(table: Table) -> None:
    if sum(phone.role != "gone" for phone in table.phones) >= 60:
        raise Refused("Sixty phones are as many as a table can take.")


def check_knocking(table: Table) -> None:
    """Whoever knows a code could knock all night; the table must stay open to those who scan."""
    if sum(phone.role == "waiting" for phone in table.phones) >= 8:
        raise Refused("Many are waiting to be let in already. Ask the host, or scan the QR code.")
