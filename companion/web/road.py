"""The short road of what phones do all evening long: tap, listen; and of how an evening begins: a table is
opened, its QR code shown, phones come in and sit down.

Flask and pywsgi take about a millisecond for a request, several times what the tap in it costs, and nearly
all requests are of these kinds. So the server offers each one here first, as it came off the wire. What
is plainly one of them, and goes well, is answered at once. Whatever else it is, a page, a header that means
more, a form that is refused, goes on to Flask, which knows all the words. Both check rights by the same code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl

from flask import Flask

from companion.core import Refused
from companion.core.command import Filled
from companion.core.decide import at_the_table
from companion.net.address import AUTHORITY
from companion.net.hosts import Hosts, Proxies
from companion.sittings.play import Play, Sitting
from companion.web.guard import A_YEAR, COOKIE, HEADERS, LOOK_BACK, TOKEN, cost_of, origin_fits
from companion.web.limits import LINGER, Gate, TooMany
from companion.web.lobby import come_in, lay_table
from companion.web.sitting import bases_for, invitation, page_for, seating
from companion.web.stream import Streams, Wire, framed

LINE = re.compile(
    rb"(GET|POST) /(?:([js])/(\w{6})|(open))/([\w-]+)(?:/([\w-]+))?(?:\?([\w=]*))? HTTP/1\.1\r\n"
)
ABOUT = re.compile(rb"GET /(?:[js]/(\w{6})(?![\w-]))?[^\r\n]* HTTP/1\.1\r\n")
TAP_LINE = re.compile(rb"POST /s/(\w{6})/do/([\w-]+) HTTP/1\.1\r\n")
TOKENS = re.compile(rf"(?:^|;) *{COOKIE}=({TOKEN.pattern})(?:;|$)".encode())
TAP_ID = re.compile(rb"^tap=([\w-]*)(?:&|$)|&tap=([\w-]*)$")
HEADER = re.compile(rb"([!-9;-~]+):[ \t]*([^\r\n]*?)[ \t]*\r\n")
FORM = b"application/x-www-form-urlencoded"
# With these a request is more than it seems.
STRANGE = {b"transfer-encoding", b"expect", b"upgrade", b"content-encoding", b"x-http-method-override"}
COMMON = "".join(f"{name}: {value}\r\n" for name, value in {**HEADERS, "Cache-Control": "no-store"}.items())
CREATED = f"HTTP/1.1 201 CREATED\r\n{COMMON}Content-Type: application/json\r\nContent-Length: ".encode()
SLOWER = f"HTTP/1.1 429 TOO MANY REQUESTS\r\n{COMMON}Content-Type: application/json\r\nRetry-After: "
WAIT = "Too much at once. Wait a moment."
BUSY = (
    f"HTTP/1.1 429 TOO MANY REQUESTS\r\n{COMMON}Content-Type: text/plain\r\nRetry-After: 1\r\n"
    f"Content-Length: {len(WAIT)}\r\n\r\n{WAIT}"
).encode()
PAGE = f"HTTP/1.1 200 OK\r\n{COMMON}Content-Type: text/html; charset=utf-8\r\nContent-Length: "
SEE = f"HTTP/1.1 303 SEE OTHER\r\n{COMMON}Content-Length: 0\r\nLocation: "
STREAM = (
    f"HTTP/1.1 200 OK\r\n{COMMON}Content-Type: text/event-stream; charset=utf-8\r\n"
    "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n"
).encode()


@dataclass(frozen=True)
class Answer:
    taken: int  # bytes of what waited that were this request
    data: bytes
    stays: bool = True  # whether another request may follow
    attach: Callable[[Wire], None] | None = None  # it has become a stream
    wait: float = 0  # seconds until it leaves
    taps: bool = False  # so it is a line on which more taps will come


@dataclass(frozen=True)
class More:
    """Its head is here and looks like ours; this many bytes of its body are still on their way."""

    bytes: int


class Head(NamedTuple):
    """What the headers of a tap come to. A phone sends the same ones all evening."""

    token: str
    host: str
    size: int
    stays: bool


class PlainTap(NamedTuple):
    """Nearly all that comes: a tap of a phone that we know, at a table in memory."""

    sitting: Sitting
    phone: int
    command: str
    form: Filled
    tap: str
    token: str
    taken: int
    stays: bool


@lru_cache(10_000)
def _head(lines: bytes) -> Head | None:
    """None if it is anything but a plain tap of a phone that says who it is."""
    headers = _headers(lines)
    token = TOKENS.search(headers.get(b"cookie", b"")) if headers else None
    size = headers.get(b"content-length", b"") if headers else b""
    if headers is None or token is None or not size.isdigit() or len(size) > 4:  # no tap is as long as that
        return None
    host = headers.get(b"host", b"").decode("latin-1")
    if not _ours(headers, host):
        return None
    return Head(token[1].decode(), host, int(size), headers.get(b"connection") != b"close")


class Road:
    def __init__(self, app: Flask, scheme: str = "http") -> None:
        self.app, self.scheme = app, scheme
        self.play: Play = app.extensions["play"]
        self.streams: Streams = app.extensions["streams"]
        self.proxies: Proxies = app.extensions["proxies"]
        self.hosts: Hosts = app.extensions["hosts"]
        self.gate: Gate = app.extensions["gate"]
        self.port = 80  # what the server listens on, once it does

    def begin(self, waiting: bytes, address: str, then: Callable[[bytes], None]) -> bool:
        """For the loop itself, which cannot wait: `then` is called with the answer once the tap is on disk,
        with nothing if it is not. False: this is more than just a plain tap, and `answer` is for it."""
        tap = self._plain_tap(waiting, address)
        if (
            type(tap) is not PlainTap
            or tap.taken != len(waiting)
            or not tap.stays
            or tap.command in LOOK_BACK
        ):
            return False
        self.gate.tap(tap.token, address)
        try:
            begun = self.play.begin_tap(*tap[:5], lambda version: then(_created(tap.tap, version)))
        except Exception:  # refused; it comes again by the other way, which has the words
            begun = False
        if not begun:
            self.gate.not_yet(tap.token, address)
        return begun

    def answer(self, waiting: bytes, address: str) -> Answer | More | None:
        """None: it is not for us. What is raised is Flask's to say."""
        tap = self._plain_tap(waiting, address)
        if tap is None or type(tap) is More:
            return tap or self._answer(waiting, address)
        assert type(tap) is PlainTap
        try:
            self.gate.tap(tap.token, address, cost_of(tap.sitting.version, tap.command))
        except TooMany as why:
            return Answer(tap.taken, _slower(why), tap.stays, wait=LINGER)
        receipt = self.play.tap(*tap[:5])
        return Answer(tap.taken, _created(tap.tap, receipt.version), tap.stays, taps=True)

    def _plain_tap(self, waiting: bytes, address: str) -> PlainTap | More | None:
        line, end = TAP_LINE.match(waiting), waiting.find(b"\r\n\r\n")
        if line is None or end < 0:
            return None
        head = _head(waiting[line.end() : end + 2])
        if head is None or self.proxies.believed(address) or not self.hosts.ours(head.host):
            return None
        seated = self.play.seated(line[1].decode(), head.token)
        if seated is None:
            return None
        taken = end + 4 + head.size
        if taken > len(waiting):
            return More(taken - len(waiting))
        tap, form = _tap_and_form(waiting[end + 4 : taken])
        return PlainTap(*seated, line[2].decode(), form, tap, head.token, taken, head.stays)

    def _answer(self, waiting: bytes, address: str) -> Answer | More | None:
        line, end = LINE.match(waiting), waiting.find(b"\r\n\r\n")
        if not line or end < 0:
            return None
        headers = _headers(waiting[line.end() : end + 2])
        if headers is None:
            return None
        host, address = self._whence(headers, address)
        token = TOKENS.search(headers.get(b"cookie", b""))
        known = token[1].decode() if token else None
        method, where, code, opens, what, rest, query = ((each or b"").decode() for each in line.groups())
        secret = what if where == "j" else ""
        if not self.hosts.ours(host) or not (opens or self.play.welcomes(code, known, secret)):
            return None
        if method == "GET":
            if where == "s" and what == "live":
                return self._listen(end + 4, headers, code, rest, query, known, address)
            people = where == "s" and what == "people" and not rest and not query
            return self._people(end + 4, headers, host, code, known, address) if people else None
        size = headers.get(b"content-length", b"")
        taken = end + 4 + int(size) if size.isdigit() and len(size) < 5 else 0  # no tap is as long as that
        if not end < taken or not _ours(headers, host):
            return None
        if taken > len(waiting):
            return More(taken - len(waiting))
        form, stays = _form(waiting[end + 4 : taken]), headers.get(b"connection") != b"close"
        try:
            data = self._do(where or opens, code, what, rest, form, known, address)
        except TooMany as why:
            return Answer(taken, _slower(why), stays, wait=LINGER)
        return Answer(taken, data, stays) if data else None

    def turned_away(self, waiting: bytes, address: str) -> Answer | None:
        """Who was told to wait and asks for the next page all the same: a whole page would take longer."""
        about, end = ABOUT.match(waiting), waiting.find(b"\r\n\r\n")
        headers = _headers(waiting[about.end() : end + 2]) if about and end > 0 else None
        if about is None or headers is None or b"content-length" in headers:
            return None
        _, address = self._whence(headers, address)
        token, code = TOKENS.search(headers.get(b"cookie", b"")), (about[1] or b"").decode()
        if token and code and self.play.welcomes(code, token[1].decode()):
            hammers = self.gate.hammers(token[1].decode())
        else:
            hammers = self.gate.hammers(address) or (bool(code) and self.gate.hammers(f"codes {address}"))
        return Answer(end + 4, BUSY, headers.get(b"connection") != b"close", wait=LINGER) if hammers else None

    def _whence(self, headers: dict[bytes, bytes], address: str) -> tuple[str, str]:
        """The name that it was sent to, and the address that it came from."""
        host = headers.get(b"host", b"").decode("latin-1")
        if not self.proxies.believed(address):
            return host, address
        hops = self.proxies.hops
        host = _forwarded(headers, b"x-forwarded-host", hops) or host
        return host, _forwarded(headers, b"x-forwarded-for", hops) or address

    def _do(
        self,
        where: str,
        code: str,
        what: str,
        rest: str,
        form: dict[str, list[str]],
        token: str | None,
        address: str,
    ) -> bytes:
        tap = form.get("tap", [""])[0]
        if where == "s" and token:
            self.gate.tap(token, address, cost_of(self.play.version_of(code), rest))
        else:
            self.gate.page(None, address)
        if where == "s" and what == "do" and rest:
            return _created(tap, self.play.do(code, token, rest, form, tap).version)
        if where == "s" and what == "seat" and not rest:
            command, wanted = seating(form)
            self.play.do(code, token, command, wanted, tap)
            return f"{SEE}/s/{code}\r\n\r\n".encode()
        if where == "j" and not rest and self._bakes:
            try:
                page, made = come_in(self.play, code, what, form, token)
            except Refused:  # the door comes back with the sentence on it
                return b""
            return _see(f"/s/{code}" if page == "table" else f"/s/{code}/{page}", made)
        if where == "open" and what in self.play.games and not rest and self._bakes:
            whose = self.gate.table(address)
            try:
                code, made = lay_table(self.play, self.play.games[what], form, token, whose)
            except Refused:  # then the form comes back as it was filled in, and Flask draws it
                return b""
            return _see(f"/s/{code}/people", made)
        return b""

    @property
    def _bakes(self) -> bool:
        """Cookies, that is. Whether one may go over https only, Flask knows."""
        https = self.app.extensions["https"]
        return not self.proxies and not (self.scheme == "https" and https.keeps_cookies)

    @property
    def _leads_away(self) -> bool:
        """Whoever opens a page here is told to come over https."""
        https = self.app.extensions["https"]
        return self.scheme == "http" and https is not None and https.redirects

    def _people(
        self, taken: int, headers: dict[bytes, bytes], host: str, code: str, token: str | None, address: str
    ) -> Answer | None:
        """The page with the QR code, for whoever is at the table."""
        if self.proxies or self._leads_away or b"content-length" in headers or not AUTHORITY.fullmatch(host):
            return None
        sitting = self.play.show(code)
        number = self.play.known(sitting, token)
        if number is None or sitting.table.phone(number).role in ("gone", "waiting"):
            return None
        self.gate.page(token, address)
        bases = bases_for(self.app, host, self.scheme, self.port, self.play.clock())
        invited = invitation(sitting, number, bases)
        page = page_for(self.streams.parts, sitting, number, "people", **invited).encode()
        head = f"{PAGE}{len(page)}\r\nX-Edition: {self.app.extensions['shell'].edition}\r\n\r\n"
        data = head.encode() + page
        return Answer(taken, data, headers.get(b"connection") != b"close")

    def _listen(
        self,
        taken: int,
        headers: dict[bytes, bytes],
        code: str,
        page: str,
        query: str,
        token: str | None,
        address: str,
    ) -> Answer:
        sitting = self.play.show(code)
        number = self.play.phone(sitting, token)
        at_the_table(sitting.table, number)
        self.gate.page(token, address)
        self.gate.stream(self.streams.of(sitting, number), address)
        known = headers.get(b"last-event-id", b"").decode("latin-1").rpartition("-")[2]
        shows = known or parse_qs(query).get("version", [""])[0]
        first, version = self.streams.first(sitting, page, shows, number)

        def attach(wire: Wire) -> None:
            wire.closed = self.gate.hears(wire, address)
            self.streams.attach(code, page, wire, version, number)

        return Answer(taken, STREAM + framed(self.streams.hello + first), attach=attach)


def _slower(why: TooMany) -> bytes:
    """Short and cheap, since it is said to whoever asks for it most."""
    body = json.dumps({"refused": str(why)})
    return f"{SLOWER}{why.seconds}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _ours(headers: dict[bytes, bytes], host: str) -> bool:
    origin = headers.get(b"origin", b"").decode("latin-1")
    return headers.get(b"content-type", b"").startswith(FORM) and origin_fits(origin, host)


def _created(tap: str, version: int) -> bytes:
    if not version:
        return b""
    body = f'{{"tap":"{tap}","version":{version}}}\n'.encode()
    return b"%b%d\r\n\r\n%b" % (CREATED, len(body), body)


def _see(where: str, token: str) -> bytes:
    """Go there, and be known by this from now on."""
    cookie = f"{COOKIE}={token}; HttpOnly; Max-Age={A_YEAR}; Path=/; SameSite=Lax"
    return f"{SEE}{where}\r\nSet-Cookie: {cookie}\r\n\r\n".encode()


def _headers(lines: bytes) -> dict[bytes, bytes] | None:
    """By name; None where one is there twice, or is of a kind that only a whole server understands."""
    pairs = HEADER.findall(lines)
    found = {name.lower(): value for name, value in pairs}
    return None if len(found) < lines.count(b"\n") or not STRANGE.isdisjoint(found) else found


def _tap_and_form(body: bytes) -> tuple[str, Filled]:
    """The tap's id, which is different each time, and what is asked, which is nearly always known."""
    found = TAP_ID.search(body)
    if found and body.count(b"tap=") == 1:
        return (found[1] or found[2] or b"").decode(), _known_form(
            body[: found.start()] + body[found.end() :]
        )
    form = _form(body)
    (tap,) = form.pop("tap", [""])[:1]
    return tap, Filled(form)


@lru_cache(2_000)
def _known_form(body: bytes) -> Filled:
    return Filled(_form(body))


def _form(body: bytes) -> dict[str, list[str]]:
    text = body.decode("utf-8", "replace")
    if "%" not in text and "+" not in text:  # as taps are, nearly always
        pairs = [
            (name, value) for name, _, value in (pair.partition("=") for pair in text.split("&")) if name
        ]
    else:
        pairs = parse_qsl(text, keep_blank_values=True)
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _forwarded(headers: dict[bytes, bytes], name: bytes, hops: int) -> str:
    """What the outermost proxy that we believe has said."""
    values: list[Any] = headers.get(name, b"").decode("latin-1").split(",")
    return values[-hops].strip() if len(values) >= hops else ""
