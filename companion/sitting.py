"""A sitting as one process knows it, and the small marks by which taps and phones are known."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field
from typing import Any

from companion.core import Entry, Game, Journal, Refused
from companion.core.table import Table
from companion.store import SittingRow
from companion.tools.ending import ending

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0 O 1 I L U: nobody should have to ask which one it is
CODE = re.compile(f"[{ALPHABET}]{{6}}")
TAP = re.compile(r"[A-Za-z0-9_-]{8,80}")


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

    @property
    def ended(self) -> bool:
        return ending(self.table) is not None

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


def checked(tap: str) -> str:
    if not TAP.fullmatch(tap):
        raise Refused("This tap came without its number. Reload the page and tap again.")
    return tap


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(*asked: object) -> str:
    return hash_of(json.dumps(asked, sort_keys=True))


def same(known: Entry, digest: str) -> Receipt:
    if known.digest != digest:
        raise OtherTap("This tap was already used for something else.")
    return Receipt(known.version, known.phone)
