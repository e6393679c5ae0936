"""A phone without a screen: a cookie, a kept connection for taps, and streams."""

from __future__ import annotations

import json
import re
import secrets
import select
import socket
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlencode

from bench.servers import Running
from companion.core.table import COLOURS, SYMBOLS

PATIENCE = 60  # seconds for any answer
DRAWN = re.compile(rb"(?:^|\n)id: \d+-(\d+)(?:\n|$)")
BEAT = re.compile(rb"(?:^|\n)event: beat\ndata: (\d+)$")


class Refused(RuntimeError):
    """The server said no; the text says to what, and why."""


class Phone:
    def __init__(self, server: Running, token: str = "") -> None:
        self.server, self.token = server, token
        self._line = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)

    def get(self, path: str) -> bytes:
        return self._ask("GET", path)[1]

    def post(self, path: str, fields: object) -> bytes:
        return self._ask("POST", path, urlencode(fields, doseq=True))[1]  # type: ignore[call-overload]

    def tap(self, code: str, command: str, **given: object) -> int:
        """The table's version after it."""
        answer = self.post(f"/s/{code}/do/{command}", {"tap": secrets.token_hex(12), **given})
        return int(json.loads(answer)["version"])

    def open(self, slug: str, seats: int) -> str:
        """A new table, at which this phone sits on the first seat."""
        keys = [f"k{n}" for n in range(seats)]
        looks = {"colour": COLOURS[:seats], "symbol": SYMBOLS[:seats]}
        names = {"name": [f"P{n}" for n in range(1, seats + 1)], "key": keys}
        chosen = {"starter": "k0", "mine": "k0"}
        form = {"tap": secrets.token_hex(12), **names, **looks, **chosen}
        answer, _ = self._ask("POST", f"/open/{slug}", urlencode(form, doseq=True))
        self.token = self.token or re.findall(r"phone=([0-9a-f]+)", answer.headers["Set-Cookie"])[0]
        return re.findall(r"/s/(\w{6})", answer.headers["Location"])[0]

    def listen(self, code: str, page: str = "table") -> Stream:
        return Stream(self, code, page)

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[HTTPResponse, bytes]:
        headers = {"Origin": self.server.url}
        if self.token:
            headers["Cookie"] = f"phone={self.token}"
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._line.request(method, path, body, headers)
        answer = self._line.getresponse()
        read = answer.read()
        if answer.status >= 400:
            said = re.sub(r"<[^>]*>|\s+", " ", read.decode("utf-8", "replace"))
            raise Refused(f"{method} {path} {body or ''}: {answer.status} {said[-300:]}")
        return answer, read


class Stream:
    """Hears what the server sends for one page, and counts its bytes."""

    def __init__(self, phone: Phone, code: str, page: str) -> None:
        self.page = page
        self.version = 0  # that was drawn for us
        self.there_is = 0  # the newest that a beat told of
        self.bytes = 0  # of drawings
        self._heard = b""
        self._socket = socket.create_connection(("127.0.0.1", phone.server.port), timeout=PATIENCE)
        host = f"Host: 127.0.0.1:{phone.server.port}"
        cookie = f"Cookie: phone={phone.token}"
        ask = f"GET /s/{code}/live/{page} HTTP/1.1\r\n{host}\r\n{cookie}\r\nAccept: text/event-stream\r\n\r\n"
        self._socket.sendall(ask.encode())
        self._hear_until(lambda: self.version or self.there_is)
        self.version = self.version or self.there_is  # a page that is up to date hears only a beat

    def wait_for(self, version: int) -> int:
        """Until that version, or a later one, was drawn for us; how many bytes that took."""
        before = self.bytes
        self._hear_until(lambda: self.version >= version)
        return self.bytes - before

    def behind(self) -> bool:
        """Whether, by all that has come so far, there is more than was drawn for us; does not wait."""
        while select.select([self._socket], [], [], 0)[0]:
            self._hear()
        return self.there_is > self.version

    def _hear_until(self, enough: Callable[[], object]) -> None:
        until = time.monotonic() + PATIENCE  # beats come for ever, so the socket's own patience is no help
        while not enough():
            if time.monotonic() > until:
                raise Refused(f"the {self.page} page waited in vain at version {self.version}")
            self._hear()

    def _hear(self) -> None:
        data = self._socket.recv(1 << 20)
        if not data:
            raise Refused(f"the stream of the {self.page} page ended: {self._heard[:300]!r}")
        *messages, self._heard = (self._heard + data).split(b"\n\n")
        for message in messages:
            if drawn := DRAWN.search(message):
                self.version = int(drawn[1])
                self.bytes += len(message) + 2
            elif beat := BEAT.search(message):
                self.there_is = int(beat[1])

    def close(self) -> None:
        self._socket.close()
