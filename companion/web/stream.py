"""Phones that listen. The publisher writes straight to their sockets; no greenlet waits for each phone."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

from companion.core import Entry
from companion.net.live import CLOSED, FORGOTTEN
from companion.sittings.play import PAUSE, Play, Sitting
from companion.web.drawing import Drawing
from companion.web.parts import PAGES, Parts, Screen
from companion.web.private import whispered

log = logging.getLogger(__name__)
clock = time.perf_counter
BEAT = 10  # seconds; a phone that hears nothing for two and a half of them knows that it is cut off
NOW = getattr(socket, "MSG_DONTWAIT", 0)  # Windows has no such flag; gevent's sockets do not wait anyway
#: Seconds of drawing without looking up. Taps that come meanwhile share the next trip to the disk, which is a
#: good part of what each of them costs where there are many.
AT_ONCE = 0.006
CALM = ("join", "take_seats")
BUFFER = 64 * 1024  # a sleeping phone would otherwise soak up megabytes of kernel memory


class Wire(Protocol):
    def send(self, data: bytes, flags: int = 0, /) -> int: ...
    def close(self) -> None: ...
    def gone(self) -> bool: ...

    closed: Callable[[], None]  # called when it is


def event(drawing: Drawing, html: str, base: int = 0) -> bytes:
    """`base` is the version that the change builds on; 0 is a whole drawing, good for any."""
    # htmx passes over a message without data, and the page would not learn its version
    lines = html.replace("\r", "").replace("\n", "\ndata: ") if "\n" in html or "\r" in html else html
    return f"id: {base}-{drawing.version}\ndata: {lines}\n\n".encode()


def beat(version: int) -> bytes:
    return f"event: beat\ndata: {version}\n\n".encode()


GONE = b"event: forgotten\ndata: 0\n\n"


def framed(message: bytes) -> bytes:
    """As a chunk, which is how the answer began."""
    return b"%x\r\n%b\r\n" % (len(message), message)


def _lost(wires: Iterable[Wire], message: bytes) -> list[Wire]:
    """Who did not take it: gone, or asleep with a full buffer. It will come back and get a whole drawing."""
    lost, size = [], len(message)
    for wire in wires:
        try:
            if wire.send(message, NOW) == size:
                continue
        except OSError:
            pass
        lost.append(wire)
    return lost


def _part_with(wire: Wire) -> None:
    """The last word, and the end of the answer, so that no browser takes it for an accident."""
    with suppress(OSError):
        wire.send(framed(GONE) + b"0\r\n\r\n", NOW)
    wire.close()


class Streams:
    """Who listens where. What belongs to one table hangs on its screen; here is what goes over all."""

    def __init__(self, parts: Parts, play: Play) -> None:
        self.parts, self.play = parts, play
        self._tables: dict[str, Sitting] = {}  # with phones that listen
        self._moved: dict[str, int] = {}  # to be drawn, in that order
        self._begun: dict[str, tuple[Sitting, Entry]] = {}  # taps that are on their way to the disk
        self._painting = False  # somebody draws, or will soon
        self._old: set[str] = set()  # with a page of the dear kind open that has not heard of the last taps
        #: When to draw. The server does it once the answers are out, and once for all that happened so far.
        self.later: Callable[[Callable[[], None]], object] = lambda paint: paint()
        #: As `later`, for what nobody waits for: phones come and sit down one after the other.
        self.by_and_by: Callable[[Callable[[], None]], object] = lambda paint: paint()
        self._calm: dict[str, int] = {}
        self._lot = 0
        self.hello = b""  # which edition of us draws here; what a phone hears before all else
        play.live.listeners.append(self.moved)
        play.begun = self.begun

    def __len__(self) -> int:
        return sum(len(wires) for each in self._tables.values() for wires in each.screen.wires.values())

    def first(self, sitting: Sitting, page: str, known: str, phone: int = 0) -> tuple[bytes, int]:
        """What a phone hears first: nothing new, or all of it. `known` is the version that it shows."""
        if page in PAGES and PAGES[page].on_request:
            return beat(sitting.version), sitting.version
        drawing = self.parts.drawing(sitting, page)
        if known == str(drawing.version):
            return beat(drawing.version), drawing.version
        own = whispered(self.parts.screen(sitting).private.of(sitting, phone)) if page == "table" else ""
        return event(drawing, drawing.whole() + own), drawing.version

    def of(self, sitting: Sitting, phone: int) -> list[Wire]:
        """All that this phone has open at that table."""
        if sitting.screen is None:
            return []
        each: list[dict[Wire, int]] = list(sitting.screen.wires.values())
        return [wire for wires in each for wire, number in wires.items() if number == phone]

    def attach(self, code: str, page: str, wire: Wire, version: int, phone: int = 0) -> None:
        """From here on the phone hears of every change; what happened since its first drawing, at once."""
        sitting = self.play.find(code)
        if sitting is None:  # forgotten between the first drawing and now
            _part_with(wire)
            return
        screen = self.parts.screen(sitting)
        if not PAGES[page].on_request:
            drawing = screen.drawing(sitting, page)
            if page in screen.wires:
                self._push(sitting, page, drawing)
            screen.sent[page] = drawing
        screen.wires.setdefault(page, {})[wire] = phone
        if page == "table":
            screen.private.begin(sitting, wire, phone)
        self._tables[code] = sitting
        if sitting.version != version:
            self._send(sitting, page, wire, framed(self.first(sitting, page, "", phone)[0]))

    def begun(self, sitting: Sitting, entry: Entry) -> None:
        if sitting.code in self._tables:
            self._begun[sitting.code] = (sitting, entry)

    def moved(self, code: str, version: int) -> None:
        """The sitting moved on: whoever listens here sees it soon."""
        self._begun.pop(code, None)
        if version == FORGOTTEN:
            self._say_farewell(code)
        elif version == CLOSED:
            self._cut_off(code)
        elif code in self._tables:
            journal = self._tables[code].journal
            calm = journal.version == version and journal.entries[-1].command in CALM
            if calm:
                first = not self._calm
                self._calm[code] = max(version, self._calm.get(code, 0))
                if first:
                    self.by_and_by(self.paint_calm)
                return
            self._moved[code] = max(version, self._moved.get(code, 0))
            if not self._painting:
                self._painting = True
                self.later(self.paint)

    def paint_calm(self) -> None:
        calm, self._calm = self._calm, {}
        self._moved |= {code: max(version, self._moved.get(code, 0)) for code, version in calm.items()}
        self.paint()

    def paint(self) -> None:
        """Every table that moved, once."""
        self._painting = True
        try:
            while self._moved:
                self.paint_for(AT_ONCE)
                if self._moved:
                    PAUSE()  # taps that came meanwhile go first
        finally:
            self._painting = False

    def is_due(self) -> bool:
        return bool(self._moved or self._begun)

    def meanwhile(self, seconds: float) -> None:
        """While the disk turns, and nobody else can do anything: what is stored, and then what soon will be.
        A tap that comes alone is drawn by the time it is on disk."""
        until = clock() + seconds
        if self._moved:
            self.paint_for(seconds)
        while self._begun:
            sitting, entry = self._begun.pop(next(iter(self._begun)))
            with suppress(Exception):  # it is drawn once more when it is stored, and that tells what is wrong
                sitting.screen.draw_ahead(sitting, entry)
            if clock() > until:
                return

    def paint_for(self, seconds: float) -> None:
        """The next tables, at least one. The taps are saved: whatever fails in drawing must not deny that."""
        moved, until = self._moved, clock() + seconds
        while moved:
            code = next(iter(moved))
            version = moved.pop(code)
            try:
                self._paint(code, version)
            except Exception:
                about = {"table": code, "version": version}
                log.exception("table %s could not be drawn at version %s", code, version, extra=about)
            if clock() > until:
                return

    def _paint(self, code: str, version: int) -> None:
        sitting = self._tables.get(code)
        if sitting is None:  # the last phone has hung up
            return
        if sitting.version < version:
            self.play.show(code)
        for page in list(sitting.screen.wires):
            if PAGES[page].on_request:
                self._old.add(code)
            else:
                self._push(sitting, page, sitting.screen.drawing(sitting, page))
        if sitting.table is not sitting.screen.table:
            sitting.screen.table = sitting.table
            gone = {each.number for each in sitting.table.phones if each.role == "gone"}
            if gone:  # they have heard that, and hear nothing after it
                self._hang_up(sitting, gone.__contains__)

    def _push(self, sitting: Sitting, page: str, drawing: Drawing) -> None:
        screen: Screen = sitting.screen
        sent = screen.sent[page]
        if drawing.version <= sent.version:
            return
        screen.sent[page] = drawing
        new = drawing.since(sent)
        message = framed(event(drawing, new, base=sent.version))
        if page != "table" or screen.private.quiet(sitting):
            self._tell(sitting, page, message)
            return
        for wire, phone in list(screen.wires[page].items()):
            own = screen.private.news(sitting, wire, phone)
            to_it = framed(event(drawing, new + own, base=sent.version)) if own else message
            self._send(sitting, page, wire, to_it)

    def _tell(self, sitting: Sitting, page: str, message: bytes) -> None:
        """All who have the page open, the same."""
        for wire in _lost(sitting.screen.wires[page], message):
            self.drop(sitting, page, wire)

    def _hang_up(self, sitting: Sitting, whom: Callable[[int], bool]) -> None:
        for page, wires in list(sitting.screen.wires.items()):
            for wire, phone in list(wires.items()):
                if whom(phone):
                    self.drop(sitting, page, wire)

    def _say_farewell(self, code: str) -> None:
        sitting = self._tables.pop(code, None)
        if sitting is not None:
            for wires in sitting.screen.wires.values():
                for wire in wires:
                    _part_with(wire)
            sitting.screen.wires.clear()

    def _cut_off(self, code: str) -> None:
        """They come again, and then hear why they cannot stay."""
        if code in self._tables:
            self._hang_up(self._tables[code], lambda phone: True)

    def call_for(self) -> None:
        """Pages that cost more than a tap may hear now and then that they are old, and ask for a new one."""
        old, self._old = self._old, set()
        for code in old & self._tables.keys():
            self._beat(self._tables[code], lambda page: PAGES[page].on_request)

    def beat(self, lots: int = 1) -> None:
        """To one of so many lots, a table always in the same: thousands of phones, and no tap should wait for
        all of them."""
        self._lot = (self._lot + 1) % lots
        for sitting in [each for each in self._tables.values() if each.id % lots == self._lot]:
            self._beat(sitting)

    def _beat(self, sitting: Sitting, which: Callable[[str], bool] = lambda page: True) -> None:
        message = framed(beat(sitting.version))
        for page in list(sitting.screen.wires):
            if which(page):
                self._tell(sitting, page, message)

    def _send(self, sitting: Sitting, page: str, wire: Wire, message: bytes) -> None:
        if _lost((wire,), message):
            self.drop(sitting, page, wire)

    def drop(self, sitting: Sitting, page: str, wire: Wire) -> None:
        wire.close()
        wires = sitting.screen.wires
        sitting.screen.private.drop(wire)
        wires.get(page, {}).pop(wire, None)
        if page in wires and not wires[page]:
            del wires[page]
            sitting.screen.sent.pop(page, None)
        if not wires:
            self._tables.pop(sitting.code, None)

    def close(self) -> None:
        for sitting in list(self._tables.values()):
            self._hang_up(sitting, lambda phone: True)
