"""Requests that nobody means, from every kind of phone that could be near a table.

Most of it is nearly right, since what is all wrong is refused early: an address of ours with something absurd
in it, a form that would do but for one field, a real request with a few bytes changed. A seed makes the same
ones again.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

from at_the_table import WITH_FILE, with_file
from test_serving import Caller
from werkzeug.routing import Rule

from companion.core.command import parameters
from companion.core.game import Game
from companion.evenings.archive import _checksum

HALF_A_PART = b'--x\r\nContent-Disposition: form-data; name="tap"\r\n\r\n1'
METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "BREW", "post", "G\u00c9T")
NEARLY = {
    "seat": "1", "seats": "2", "phone": "2", "name": "Eve", "colour": "sand", "symbol": "bell", "way": "down",
    "locked": "yes", "own_seats_only": "yes", "entry": "3", "rule": "who-wins", "choice": "lowest",
    "counter": "1", "by": "1", "to": "7", "round": "1", "after": "1", "start": "0", "length": "30",
    "mode": "down", "throw_what": "d6", "shown": "4", "asking": "1", "number": "42", "label": "Eve",
    "display": "yes", "key": "k1", "mine": "k1", "starter": "k1", "watch": "yes", "sure": "yes", "q": "ties",
    "before": "3", "version": "0-2",
}  # fmt: skip
ABSURD = (
    "", " ", "\0", "0", "-1", "-0", "1.5", "1e999", "NaN", "null", "[]", "9" * 30, "9" * 5000, "2147483648",
    "9223372036854775808", "1+" * 500 + "1", "１", "²", "..", "../../etc/passwd", "__class__", "{{7*7}}",
    "%s%n{0}", "<script>x</script>", "\"'><blink onx=1>", "'; DROP TABLE entry;--", "\u202eBob", "\u2028",
    "Bob\r\nSet-Cookie: phone=1", "\ud800", "\ufeff", "👩‍👩‍👧‍👦", "B" * 10_000, "a\u0301" * 50, "*",
    ";", "\\",
)  # fmt: skip
HEADERS = (
    "Accept", "Accept-Language", "Accept-Encoding", "Range", "If-None-Match", "If-Modified-Since", "Referer",
    "X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Last-Event-ID", "HX-Request", "Authorization",
    "Expect", "Upgrade", "X-HTTP-Method-Override", "Content-Encoding",
)  # fmt: skip
INSIDE = ("the host", "a player", "a watcher", "a display")
KINDS = (
    *INSIDE, "a removed phone", "a waiting phone", "another table's host", "no token", "a forged token"
)  # fmt: skip
EVENINGS = sorted(Path("tests/golden").glob("*/1-whole-evening.json"))
LAST = ("sitting.forget",)  # after which there is nothing left to look at; who may, is asked elsewhere


@dataclass
class Company:
    """A table, and a phone of each kind near it."""

    code: str
    secret: str
    names: tuple[str, ...]  # of its people; nobody else in the house is called so
    tokens: Mapping[str, str]

    def cookie(self, kind: str) -> str:
        return f"phone={self.tokens[kind]}" if self.tokens.get(kind) else ""

    def hashed(self, kind: str) -> str:
        return hashlib.sha256(self.tokens.get(kind, "").encode()).hexdigest()


def company(url: str) -> Company:
    names = tuple(f"{name}-{secrets.token_hex(5)}" for name in ("Ada", "Bob"))
    ada, dov = Caller(url), Caller(url)
    code = ada.open(*names)

    def come(*seats: int) -> Caller:
        return Caller(url).join(code, ada.secret(code), *seats)

    phones = {"the host": ada, "a player": come(2), "a watcher": come(), "a display": come()}
    _asked(phones["a display"], f"/s/{code}/seat", display="yes")
    phones["a removed phone"] = come()
    _asked(ada, f"/s/{code}/host/remove_phone", phone="5")
    phones["a waiting phone"] = Caller(url)
    _asked(phones["a waiting phone"], f"/j/{code}", label="Someone")
    dov.open("Dov", "Eve")
    phones["another table's host"] = dov
    tokens = {kind: phone.cookie.removeprefix("phone=") for kind, phone in phones.items()}
    tokens["a forged token"] = hashlib.sha256(tokens["the host"].encode()).hexdigest()
    return Company(code, ada.secret(code), names, tokens)


def _asked(by: Caller, path: str, **form: str) -> None:
    said = by.ask("POST", path, {"tap": secrets.token_hex(8), **form})
    assert said.status in (201, 303), said


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Fuzzer:
    """Makes requests; `chance` makes the same ones again for the same seed."""

    url: str
    rules: list[Rule]
    game: Game
    chance: random.Random
    taps: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def request(self, company: Company, kind: str) -> Request:
        inside = kind in INSIDE
        rule = self.chance.choice([rule for rule in self.rules if not (inside and rule.endpoint in LAST)])
        if self.often(0.3):
            rule = next(rule for rule in self.rules if rule.endpoint == "sitting.do")
        meant = sorted((rule.methods or set()) - {"OPTIONS", "HEAD"})
        method = self.chance.choice(meant if self.often(0.9) else METHODS)
        command = self.chance.choice(list(self.game.by_name))
        path = self.address(rule, company, kind, command)
        headers = {"Cookie": company.cookie(kind), "Origin": self.url, "Accept": "application/json"}
        body = self.body(headers, rule, command) if method != "GET" else b""
        if self.often(0.15):
            headers[self.chance.choice([*HEADERS, "Cookie", "Origin", "Content-Type"])] = self.header()
        return Request(method, path, headers, body)

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    def junk(self) -> str:
        if self.often(0.6):
            return self.chance.choice(ABSURD)
        if self.often(0.5):
            size = 10 ** self.chance.randint(1, 20)
            return str(self.chance.randint(-size, size))
        return "".join(chr(self.chance.randrange(0x11_0000)) for _ in range(self.chance.randint(1, 12)))

    def header(self) -> str:
        return re.sub(r"[\r\n]", " ", self.junk())[:2000].encode("latin-1", "replace").decode("latin-1")

    def address(self, rule: Rule, company: Company, kind: str, command: str) -> str:
        knows = kind in ("the host", "a player")
        good = {
            "code": company.code, "secret": company.secret if knows else "0" * len(company.secret),
            "command": command, "page": self.chance.choice(["table", "people", "display"]), "version": "1",
            "slug": self.game.slug, "id": "1", "form": "new-counter", "filename": "css/tokens.css",
            "ruling": "both-lost",
        }  # fmt: skip
        wrong = self.chance.choice([*sorted(rule.arguments), ""]) if self.often(0.15) else ""

        def fill(argument: re.Match[str]) -> str:
            value = self.junk() if argument[1] == wrong else good.get(argument[1], "1")
            return quote(value, errors="surrogatepass", safe="/" if self.often(0.1) else "")

        path = re.sub(r"<(?:\w+:)?(\w+)>", fill, rule.rule)
        return path + (f"?{self.form(('q', 'before', 'version', 'address'))}" if self.often(0.2) else "")

    def form(self, names: Mapping[str, object] | tuple[str, ...]) -> str:
        """One that would do, but for what is changed, missing or doubled."""
        pairs = [(name, NEARLY.get(name, "1")) for name in names]
        while pairs and self.often(0.4):
            at = self.chance.randrange(len(pairs))
            pairs[at : at + 1] = self.chance.choice(
                [[(pairs[at][0], self.junk())], [], [pairs[at], pairs[at]], [pairs[at], (self.junk(), "1")]]
            )
        return urlencode(pairs, errors="surrogatepass")

    def body(self, headers: dict[str, str], rule: Rule, command: str) -> bytes:
        if rule.endpoint == "history.bring" and self.often(0.8):
            headers["Content-Type"] = WITH_FILE
            return with_file(self.journal())
        names = parameters(self.game.by_name[command]) if "command" in rule.arguments else dict(NEARLY)
        tap = self.junk() if self.often(0.05) else f"fuzz-{next(self.taps)}"
        form = f"tap={quote(tap, errors='surrogatepass')}&{self.form(names)}".encode()
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        if self.often(0.9):
            return form
        kind, body = self.chance.choice(
            [
                ("application/json", json.dumps({"tap": tap, self.junk(): self.junk()}).encode()),
                ("application/json", b'{"tap": '),
                ("multipart/form-data; boundary=x", HALF_A_PART),
                ("multipart/form-data", form),
                ("text/plain; charset=utf-16", form),
                ("application/x-www-form-urlencoded; charset=nonsense", form),
                ("application/x-www-form-urlencoded", bytes(self.chance.randbytes(200))),
                ("application/x-www-form-urlencoded", b"a=1&" * 3000),
            ]
        )
        headers["Content-Type"] = kind
        return body

    def journal(self) -> str:
        """An evening; or with something absurd in it, for which its checksum was reckoned anew."""
        told = json.loads(self.chance.choice(EVENINGS).read_text("utf-8"))
        del told["sha256"]
        within = self.chance.choice([told, *told["entries"]])
        if self.often(0.8):
            within[self.chance.choice(list(within))] = self.chance.choice(
                [self.junk(), 7, -1, None, [], {}, [{}]]
            )
        return json.dumps({**told, "sha256": _checksum(told)})

    def spoilt(self, request: Request) -> bytes:
        """As it goes over the wire, with a few bytes changed."""
        lines = [f"{request.method} {request.path} HTTP/1.1", f"Host: {self.url.removeprefix('http://')}"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        lines += [f"Content-Length: {len(request.body)}"] if request.body else []
        raw = bytearray("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + request.body)
        for _ in range(self.chance.randint(1, 4)):
            at, some = self.chance.randrange(len(raw)), self.chance.randint(0, 8)
            twice = bytes(raw[at : at + some] * 2)
            raw[at : at + some] = self.chance.choice([b"", b"\0", b"\r\n", b":", b" ", b"\xff", twice])
        return bytes(raw[: self.chance.randint(1, len(raw))] if self.often(0.2) else raw)
