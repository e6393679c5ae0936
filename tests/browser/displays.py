"""What a table display shows in every phase of every room: journals, walked through tap by tap.

The goldens hold every event of every room, `full_games.py` a whole game of each. Of all that looks alike,
piece for piece, the longest is kept: that is where something would be cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from flask import Flask
from full_games import FULL, full_game
from golden.make import GOLDEN
from markupsafe import Markup

from companion.core import Entry, Journal, View
from companion.core.pieces import Tray
from companion.core.table import SittingOpened
from companion.evenings.archive import read
from companion.games import shelf
from companion.net import qr
from companion.sittings.sitting import Sitting
from companion.storage.store import SittingRow
from companion.web.sitting import page_for

GAMES = shelf()
PLAYED = [slug for slug in GAMES if slug in FULL or (GOLDEN / slug).exists()]  # a room may bring no evening
NAMES = ("Bartholomew the Unready", "Oktoberfestbierkellnerin", "Zoë", "Ēriks Bērziņš 🦑", "Eve")
EVERY_TABLE = ("a-host-is-lost", "seats-asked-for")  # nothing of these is the room's own
QR = Markup(qr.svg("http://192.168.1.20:8000/j/K7PQ4M/s3cr3tS3cr3ts3cr", "QR"))
CODE = "K7PQ4M"


class Shown(NamedTuple):
    """A page of the display, and where it is from."""

    room: str
    phase: str
    source: str
    html: str

    def __str__(self) -> str:
        return f"{self.room}, {self.phase} ({self.source})"


def _called(entry: Entry) -> Entry:
    """With names as long as they may be."""
    return replace(entry, events=tuple(map(_long, entry.events)))


def _long(event: Any) -> Any:
    if not isinstance(event, SittingOpened):
        return event
    seats = zip(event.seats, NAMES, strict=False)
    return replace(event, seats=tuple(replace(seat, name=name) for seat, name in seats))


def _journals(slug: str) -> Iterator[tuple[str, list[Entry]]]:
    for file in sorted((GOLDEN / slug).glob("*.json")):
        if not file.name.endswith(".told.json") and not file.stem.endswith(EVERY_TABLE):
            yield file.stem, read(GAMES, file.read_text("utf-8")).journal.entries
    if slug in FULL:
        yield "a whole game", full_game(slug).journal.entries


@cache
def shown(app: Flask, slug: str) -> tuple[Shown, ...]:
    """All that the display of this room can look like."""
    found: dict[Any, Shown] = {}
    for source, entries in _journals(slug):
        for shape, page in _walked(app, slug, source, entries):
            if shape not in found or len(found[shape].html) < len(page.html):
                found[shape] = page
    return tuple(found.values())


def _walked(app: Flask, slug: str, source: str, entries: list[Entry]) -> Iterator[tuple[Any, Shown]]:
    game, parts = GAMES[slug], app.extensions["parts"]
    row = SittingRow(code=CODE, slug=slug, secret="s", tap="x", version=0, opened_at=0)
    sitting = Sitting(row, game, Journal(game))
    for entry in map(_called, entries):
        sitting.journal.add(entry)
        view = sitting.view
        with app.test_request_context():
            html = page_for(parts, sitting, 1, "display", qr=QR, watches=False)
        yield _shape(view), Shown(slug, view.phase.title, f"{source} {entry.version}", html)


def _shape(view: View) -> tuple[object, ...]:
    """What stands there, whoever it is about."""
    phase = view.phase
    there = [piece for piece in (*phase.first, *phase.pieces, *view.board) if not isinstance(piece, Tray)]
    ids = [re.sub(r"\d+", "", piece.id) for piece in there if getattr(piece, "only", "") != "players"]
    return phase.key, bool(phase.text), bool(phase.buttons), len(view.seats), *dict.fromkeys(ids)
