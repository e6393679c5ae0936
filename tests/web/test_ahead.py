"""What a tap changes is drawn while it is on its way to the disk: the same as after, and never without it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from at_the_table import Handset
from flask import Flask
from golden.make import GOLDEN
from web.test_road import cookie, request
from web.test_table import Shown

from companion.core import Entry, Journal, Refused
from companion.evenings.archive import Book, read
from companion.games import shelf
from companion.sittings.play import Sitting
from companion.storage.rows import SittingRow
from companion.web.drawing import Drawing
from companion.web.parts import PAGES, Canvas, Parts
from companion.web.road import Road
from companion.web.stream import Streams

LISTENED = tuple(name for name, page in PAGES.items() if not page.on_request)
EVENINGS = sorted(GOLDEN.glob("*/1-every-event.json"))


def laid(parts: Parts, book: Book) -> Sitting:
    row = SittingRow(id=1, code="AAAAAA", slug=book.journal.game.slug, secret="s", tap="t", opened_at=0)
    sitting = Sitting(row, book.journal.game, Journal(book.journal.game, book.journal.entries[:1]))
    parts.screen(sitting).wires = {page: {} for page in LISTENED}
    return sitting


def foreseen(sitting: Sitting, entry: Entry) -> bool:
    """As it is when a tap was decided, and sets out for the disk."""
    try:
        sitting.journal.check(entry.events)
    except Refused:
        return False
    sitting.screen.draw_ahead(sitting, entry)
    return sitting.journal.ahead(entry) is not None


@pytest.mark.parametrize("file", EVENINGS, ids=lambda file: file.parent.name)
def test_what_is_drawn_ahead_is_what_would_be_drawn_after(app: Flask, file: Path) -> None:
    """Every seventh tap never reaches the disk, and another one comes in its place."""
    book, parts = read(shelf(), file.read_text("utf-8")), app.extensions["parts"]
    ahead, after = laid(parts, book), laid(parts, book)
    for sitting in (ahead, after):
        for page in LISTENED:
            sitting.screen.sent[page] = sitting.screen.drawing(sitting, page)
    drawn = 0
    for entry in book.journal.entries[1:]:
        if entry.version % 7 == 0:
            foreseen(ahead, replace(entry, tap="never-stored", at=entry.at + 1))
            sent, after.screen = after.screen.sent, None  # so the other begins anew
            parts.screen(after).sent = sent
        if entry.version % 7 or entry.version % 2:
            drawn += foreseen(ahead, entry)
        for sitting in (ahead, after):
            sitting.journal.add(entry)
        assert ahead.journal.lines[-1] == after.journal.lines[-1]
        for page in LISTENED:
            one, other = (each.screen.drawing(each, page) for each in (ahead, after))
            was = [each.screen.sent[page] for each in (ahead, after)]
            assert one.since(was[0]) == other.since(was[1]), (page, entry)
            assert one.version == entry.version
            if entry.version % 10 == 0 or entry is book.journal.entries[-1]:
                assert one.whole() == other.whole(), (page, entry)
            ahead.screen.sent[page], after.screen.sent[page] = one, other
    assert drawn > len(book.journal.entries) / 3, "hardly anything was"


@pytest.fixture
def ada(phone: Callable[[], Handset]) -> Handset:
    return phone()


@pytest.fixture
def code(ada: Handset) -> str:
    return ada.open("Ada", "Bob")


class Heard:
    """A phone that listens."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.closed = lambda: None

    def send(self, data: bytes, flags: int = 0) -> int:
        self.messages.append(data.decode())
        return len(data)

    def close(self) -> None: ...

    def gone(self) -> bool:
        return False

    def news(self) -> str:
        """What the last one carries."""
        return self.messages[-1].partition("data: ")[2].rpartition("\n\n")[0].replace("\ndata: ", "\n")


@pytest.mark.parametrize("looked_at", [True, False])
def test_phones_hear_of_a_tap_after_it_is_stored_and_of_one_that_is_not_never(
    app: Flask, ada: Handset, code: str, monkeypatch: pytest.MonkeyPatch, looked_at: bool
) -> None:
    streams, road, heard = app.extensions["streams"], Road(app), Heard()
    sitting, store = app.extensions["play"].show(code), app.extensions["play"].store
    drawn = app.extensions["parts"].drawing(sitting, "table")
    shown = Shown("table").swap(drawn.whole())
    streams.attach(code, "table", heard, drawn.version, 1)
    known, answers, drawn_for = [], [], []
    draw = Canvas.drawing

    def note(canvas: Canvas, sitting: Sitting, page: str) -> Drawing:
        drawn_for.append(sitting.version)
        return draw(canvas, sitting, page)

    monkeypatch.setattr(Canvas, "drawing", note)

    def tap(number: str, by: int) -> None:
        form = {"tap": f"tap-{number}-of-ada", "seat": 1, "counter": 1, "by": by, "round": 1}
        raw = request("POST", f"/s/{code}/do/count", form, Cookie=cookie(ada))
        assert road.begin(raw, "192.168.1.30", answers.append)

    def at_the_disk(do: Callable[[], object]) -> object:
        streams.meanwhile(1)
        known.append((len(heard.messages), drawn_for[-1]))
        if len(known) == 2:
            raise sqlite3.OperationalError("disk I/O error")
        return do()

    store.waiting = at_the_disk
    tap("first", 1)
    assert known == [(0, drawn.version + 1)], "it is drawn, and nobody has heard of it"
    assert len(heard.messages) == 1
    shown.swap(heard.news())

    tap("second", 50)
    assert known[1] == (1, drawn.version + 2)
    assert len(heard.messages) == 1, "it is not on disk"
    assert answers[1] == b""
    if looked_at:
        page = ada.get(f"/s/{code}").text
        assert f'data-version="{drawn.version + 1}"' in page
        assert "+50" not in page + streams.first(sitting, "table", "")[0].decode()

    tap("third", 7)
    assert answers[2].startswith(b"HTTP/1.1 201")
    shown.swap(heard.news())
    fresh = type(sitting.screen)(app.extensions["parts"]).drawing(sitting, "table")
    assert shown.read() == Shown("table").swap(fresh.whole()).read()


def test_what_is_drawn_ahead_and_breaks_is_told_when_it_is_stored(
    app: Flask, ada: Handset, code: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    streams: Streams = app.extensions["streams"]
    road, heard, sitting = Road(app), Heard(), app.extensions["play"].show(code)
    streams.attach(code, "table", heard, sitting.version, 1)
    app.extensions["play"].store.waiting = lambda do: (streams.meanwhile(1), do())[1]
    monkeypatch.setattr("companion.web.parts.seen_of_game", lambda sitting: 1 / 0)
    answers: list[bytes] = []
    form = {"tap": "tap-of-ada-1", "seat": 1, "counter": 1, "by": 1, "round": 1}
    raw = request("POST", f"/s/{code}/do/count", form, Cookie=cookie(ada))
    assert road.begin(raw, "192.168.1.30", answers.append)
    assert answers[0].startswith(b"HTTP/1.1 201"), "it is on disk all the same"
    assert caplog.text.count("could not be drawn") == 1
