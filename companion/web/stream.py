"""Phones that listen. The publisher writes straight to their sockets; no greenlet waits for each phone."""

from __future__ import annotations

import logging
import socket
from collections import defaultdict
from contextlib import suppress
from typing import Protocol

from companion.live import FORGOTTEN
from companion.play import Play
from companion.web.parts import Drawing, Parts

log = logging.getLogger(__name__)
BEAT = 10  # seconds; a phone that hears nothing for two and a half of them knows that it is cut off
BUFFER = 64 * 1024  # a sleeping phone would otherwise soak up megabytes of kernel memory


class Wire(Protocol):
    def send(self, data: bytes, flags: int = 0, /) -> int: ...
    def close(self) -> None: ...


def event(drawing: Drawing, html: str, base: int = 0) -> bytes:
    """`base` is the version that the change builds on; 0 is a whole drawing, good for any."""
    # htmx passes over a message without data, and the page would not learn its version
    lines = "".join(f"data: {line}\n" for line in html.splitlines()) or "data:\n"
    return f"id: {base}-{drawing.version}\n{lines}\n".encode()


def beat(version: int) -> bytes:
    return f"event: beat\ndata: {version}\n\n".encode()


GONE = b"event: forgotten\ndata: 0\n\n"


def _framed(message: bytes) -> bytes:
    """As a chunk, which is how the answer began."""
    return b"%x\r\n%b\r\n" % (len(message), message)


def _part_with(wire: Wire) -> None:
    """The last word, and the end of the answer, so that no browser takes it for an accident."""
    with suppress(OSError):
        wire.send(_framed(GONE) + b"0\r\n\r\n", socket.MSG_DONTWAIT)
    wire.close()


class Streams:
    def __init__(self, parts: Parts, play: Play) -> None:
        self.parts, self.play = parts, play
        self._wires: defaultdict[tuple[str, str], dict[Wire, int]] = defaultdict(dict)
        self._sent: dict[tuple[str, str], Drawing] = {}
        play.live.listeners.append(self.moved)

    def __len__(self) -> int:
        return sum(map(len, self._wires.values()))

    def first(self, code: str, page: str, last_id: str) -> tuple[bytes, int]:
        """What a phone hears first: nothing new, or all of it."""
        drawing = self.parts.drawing(self.play.show(code), page)
        if last_id.rpartition("-")[2] == str(drawing.version):
            return beat(drawing.version), drawing.version
        return event(drawing, drawing.whole()), drawing.version

    def attach(self, code: str, page: str, wire: Wire, version: int, phone: int = 0) -> None:
        """From here on the phone hears of every change; what happened since its first drawing, at once."""
        key = (code, page)
        sitting = self.play.find(code)
        if sitting is None:  # forgotten between the first drawing and now
            _part_with(wire)
            return
        drawing = self.parts.drawing(sitting, page)
        if self._wires[key]:
            self._push(key, drawing)
        self._sent[key] = drawing
        self._wires[key][wire] = phone
        if drawing.version != version:
            self._send(key, wire, event(drawing, drawing.whole()))

    def moved(self, code: str, version: int) -> None:
        """The sitting moved on: draw once, and tell everyone who listens here."""
        if version == FORGOTTEN:
            self._say_farewell(code)
            return
        for key in [key for key in self._wires if key[0] == code]:
            try:
                sitting = self.play.show(code)
                drawing = self.parts.drawing(sitting, key[1])
            except Exception:  # the tap is saved, and whatever fails while drawing it must not deny that
                log.exception("table %s could not be drawn", code)
                continue
            self._push(key, drawing)
            self._hang_up(key, {phone.number for phone in sitting.table.phones if phone.role == "gone"})

    def _say_farewell(self, code: str) -> None:
        for key in [key for key in self._wires if key[0] == code]:
            for wire in list(self._wires[key]):
                _part_with(wire)
                self.drop(key, wire)
        self.parts.forget(code)

    def _push(self, key: tuple[str, str], drawing: Drawing) -> None:
        sent = self._sent.get(key)  # gone if the last phone hung up while this was being drawn
        if sent and drawing.version > sent.version:
            self._sent[key] = drawing
            message = event(drawing, drawing.since(sent), base=sent.version)
            for wire in list(self._wires[key]):
                self._send(key, wire, message)

    def _hang_up(self, key: tuple[str, str], gone: set[int]) -> None:
        """A phone that was removed hears that it was, and nothing after it."""
        for wire, phone in list(self._wires.get(key, {}).items()):
            if phone in gone:
                self.drop(key, wire)

    def look_again(self) -> None:
        """Pokes can be lost; versions cannot. Only needed where other processes write too."""
        self.play.look_again()
        if self.play.store.sqlite:  # where nobody else can tap
            return
        codes = sorted({code for code, _ in self._wires})
        known = {
            code: min(self._sent[key].version for key in self._wires if key[0] == code) for code in codes
        }
        for start in range(0, len(codes), 500):
            there = self.play.store.versions(codes[start : start + 500])
            for code in codes[start : start + 500]:
                if there.get(code, FORGOTTEN) > known[code] or code not in there:
                    self.moved(code, there.get(code, FORGOTTEN))

    def beat(self) -> None:
        for key, wires in list(self._wires.items()):
            for wire in list(wires):
                self._send(key, wire, beat(self._sent[key].version))

    def _send(self, key: tuple[str, str], wire: Wire, message: bytes) -> None:
        framed = _framed(message)
        try:
            if wire.send(framed, socket.MSG_DONTWAIT) == len(framed):
                return
        except OSError:
            pass
        self.drop(key, wire)  # gone, or asleep with a full buffer: it will come back and get a whole drawing

    def drop(self, key: tuple[str, str], wire: Wire) -> None:
        wire.close()
        self._wires[key].pop(wire, None)
        if not self._wires[key]:
            del self._wires[key], self._sent[key]

    def close(self) -> None:
        for key, wires in list(self._wires.items()):
            for wire in list(wires):
                self.drop(key, wire)
