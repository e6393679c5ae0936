"""What is in the database, row by row."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BigInteger, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from companion.core import Entry, Game
from companion.core.event import Unreadable, spell


class NotSaved(Exception):
    """The database could not take it now. Nothing was changed; the same tap may come again."""

    sentence = "Not saved yet: the server is busy writing. It will be tried again."
    soon = 1  # seconds after which it may be tried again


class Damage(NotSaved):
    """The database is damaged, or not where it was: somebody must do something, and the text says what."""

    sentence = (
        "Not saved: what the server wrote is damaged or gone. Taps wait on this phone."
        " Whoever runs the server reads in its log what to do."
    )
    soon = 5


class Raced(NotSaved):
    """Another worker was first; look again and it will be plain what happened."""


class SittingRow(SQLModel, table=True):
    __tablename__ = "sitting"
    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True, max_length=6)
    slug: str = Field(max_length=80)
    secret: str = Field(max_length=32)  # what the QR code carries; whoever sees the screen may know it
    tap: str = Field(unique=True, max_length=80)  # the tap that opened it
    version: int = Field(default=0, sa_type=BigInteger)
    opened_at: int = Field(sa_type=BigInteger)


class EntryRow(SQLModel, table=True):
    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("sitting_id", "tap"),)
    sitting_id: int = Field(primary_key=True, foreign_key="sitting.id")
    version: int = Field(primary_key=True, sa_type=BigInteger)
    tap: str = Field(max_length=80)
    digest: str = Field(max_length=64)
    phone: int
    command: str = Field(max_length=80)
    at: int = Field(sa_type=BigInteger)
    events: str = Field(sa_type=Text)


class PhoneRow(SQLModel, table=True):
    """Which device is which phone at which table. The token itself is only in the device's cookie."""

    __tablename__ = "phone"
    __table_args__ = (UniqueConstraint("sitting_id", "token_hash"),)
    sitting_id: int = Field(primary_key=True, foreign_key="sitting.id")
    number: int = Field(primary_key=True)
    token_hash: str = Field(max_length=64, index=True)


class KeptRow(SQLModel, table=True):
    """Small things every worker must agree on, such as the key that phone tokens are made with."""

    __tablename__ = "kept"
    name: str = Field(primary_key=True, max_length=40)
    value: str = Field(sa_type=Text)


class MissRow(SQLModel, table=True):
    """A wrong code, kept for as long as it counts against whoever tried it."""

    __tablename__ = "miss"
    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(max_length=64, index=True)
    at: int = Field(sa_type=BigInteger, index=True)


class OpeningRow(SQLModel, table=True):
    """That a table was opened from an address, kept for the day that it counts."""

    __tablename__ = "opening"
    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(max_length=64, index=True)
    at: int = Field(sa_type=BigInteger, index=True)


ENTRY = ("version", "tap", "digest", "phone", "command", "at", "events")


def row_of(entry: Entry) -> dict[str, Any]:
    """As it is stored."""
    return {**{name: getattr(entry, name) for name in ENTRY}, "events": events_of(entry)}


def events_of(entry: Entry) -> str:
    return f"[{','.join([spell(event) for event in entry.events])}]"


def entry_of(game: Game[Any], row: dict[str, Any]) -> Entry:
    try:
        events = tuple([game.read(each) for each in json.loads(row["events"])])
    except (Unreadable, TypeError, ValueError) as why:
        raise Unreadable(f"entry {row['version']}: {why}") from why
    return Entry(**{name: row[name] for name in ENTRY if name != "events"}, events=events)
