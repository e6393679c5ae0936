"""A real `companion serve --https`, spoken to over TLS: the same tables, the same short road."""

from __future__ import annotations

import http.client
import json
import re
import secrets
import shutil
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from at_the_table import Served, companion, refused
from cryptography import x509
from services import free_port

from companion.net.authority import Authority, names_on


class SecureServed(Served):
    def __init__(self, folder: Path, *more: str, **env: str) -> None:
        self.tls = free_port()
        super().__init__(folder, "--https", str(self.tls), *more, **env)

    @property
    def trust(self) -> ssl.SSLContext:
        """Of whoever has taken the certificate, and nothing else."""
        return ssl.create_default_context(cafile=str(self.folder / "authority" / "authority.crt"))

    def line(self, name: str = "127.0.0.1") -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", self.tls), timeout=10)
        try:
            return self.trust.wrap_socket(raw, server_hostname=name)
        except OSError:
            raw.close()
            raise

    def shown(self) -> x509.Certificate:
        with self.line() as line:
            return x509.load_der_x509_certificate(line.getpeercert(binary_form=True) or b"")


class Phone:
    """Speaks HTTP over one line, as browsers do; `plain` over none of TLS."""

    def __init__(self, server: SecureServed, plain: bool = False) -> None:
        self.server, self.cookie = server, ""
        if plain:
            self.http: http.client.HTTPConnection = http.client.HTTPConnection(
                "127.0.0.1", server.port, timeout=10
            )
            self.origin = f"http://127.0.0.1:{server.port}"
        else:
            self.http = http.client.HTTPSConnection("127.0.0.1", server.tls, timeout=10, context=server.trust)
            self.origin = f"https://127.0.0.1:{server.tls}"

    def __del__(self) -> None:
        self.http.close()

    def ask(self, method: str, path: str, form: dict[str, object] | None = None, **headers: str):
        sent = {"Origin": self.origin, "Cookie": self.cookie, **headers}
        body = None
        if form is not None:
            body = urlencode({"tap": secrets.token_hex(8), **form}, doseq=True)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self.http.request(method, path, body, sent)
        answer = self.http.getresponse()
        text = answer.read().decode()
        if answer.headers.get("Set-Cookie"):
            self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        return answer.status, dict(answer.headers), text

    def open(self) -> str:
        looks = {"colour": ["coral", "sky"], "symbol": ["sun", "moon"], "key": ["k1", "k2"], "mine": "k1"}
        form = {"name": ["Ada", "Bob"], "starter": "k1", **looks}
        status, headers, text = self.ask("POST", "/open/any-game", form)
        assert status == 303, text
        return str(re.search(r"/s/(\w{6})", headers["Location"])[1])  # type: ignore[index]

    def count(self, code: str, tap: str = "", by: int = 1):
        form = {"tap": tap or secrets.token_hex(8), "seat": 1, "counter": "1", "by": by, "round": 1}
        return self.ask("POST", f"/s/{code}/do/count", form, Accept="application/json")


def listening(phone: Phone, code: str) -> bytes:
    """How a phone begins to."""
    host = phone.origin.partition("://")[2]
    head = f"GET /s/{code}/live/table HTTP/1.1\r\nHost: {host}\r\nCookie: {phone.cookie}\r\n\r\n"
    return head.encode()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServed]:
    server = SecureServed(tmp_path_factory.mktemp("home"), COMPANION_PUBLIC_URL="")
    server.start()
    yield server
    server.kill()


def test_taps_take_the_short_road_over_tls_and_are_counted_once(home: SecureServed) -> None:
    ada = Phone(home)
    code = ada.open()
    tap = secrets.token_hex(8)
    first = ada.count(code, tap)
    assert first[0] == 201
    assert ada.count(code, tap)[2] == first[2], "the same line, the same tap, the same answer"
    versions = [json.loads(ada.count(code)[2])["version"] for _ in range(20)]
    assert versions == list(range(versions[0], versions[0] + 20))
    assert ada.count(code, by=0)[0] == 422, "a no comes by the other way, on the same line"
    assert ada.count(code)[0] == 201, "and after it taps go on"


def test_between_taps_nobody_waits_on_the_line_but_the_loop(home: SecureServed) -> None:
    """As on plain http: a tap that comes in two halves, and two taps in one breath, are read all the same."""
    ada = Phone(home)
    code = ada.open()

    def said(tap: str) -> bytes:
        body = f"tap={tap}&seat=1&counter=1&by=1&round=1"
        return (
            f"POST /s/{code}/do/count HTTP/1.1\r\nHost: 127.0.0.1:{home.tls}\r\nOrigin: {ada.origin}\r\n"
            f"Cookie: {ada.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    def answers(line: ssl.SSLSocket, many: int) -> list[bytes]:
        data = b""
        while data.count(b'"version"') < many:
            more = line.recv(65536)
            assert more, data
            data += more
        return re.findall(rb"HTTP/1.1 (\d+)", data)

    with home.line() as line:
        for _ in range(3):
            line.sendall(said(secrets.token_hex(8)))
            assert answers(line, 1) == [b"201"]
        halves = said(secrets.token_hex(8))
        line.sendall(halves[:40])
        time.sleep(0.1)
        line.sendall(halves[40:])
        assert answers(line, 1) == [b"201"]
        line.sendall(said(secrets.token_hex(8)) + said(secrets.token_hex(8)))
        assert answers(line, 2) == [b"201", b"201"]
        line.sendall(said(secrets.token_hex(8)))
        assert answers(line, 1) == [b"201"]


def test_a_stream_over_tls_brings_what_a_phone_on_plain_http_taps(home: SecureServed) -> None:
    ada = Phone(home)
    code = ada.open()
    plain = Phone(home, plain=True)
    plain.cookie = ada.cookie
    with home.line() as line:
        line.sendall(listening(ada, code))
        heard = b""
        while b'id="counter-1-1"' not in heard:
            heard += line.recv(65536)
        assert heard.index(b"event: edition") < heard.index(b"id: 0-")
        for value in (1, 2, 3):
            assert plain.count(code)[0] == 201
            news = b""
            while f'data-value="{value}"'.encode() not in news:
                news += line.recv(65536)


def test_a_phone_that_reads_nothing_is_dropped_and_nobody_waits_for_it(home: SecureServed) -> None:
    ada = Phone(home)
    code = ada.open()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # before it connects, or the kernel takes more
    raw.connect(("127.0.0.1", home.tls))
    raw.settimeout(10)
    with home.trust.wrap_socket(raw, server_hostname="127.0.0.1") as sleeper:
        sleeper.sendall(listening(ada, code))
        sleeper.recv(100)
        slowest = 0.0
        for _ in range(200):
            began = time.monotonic()
            assert ada.count(code)[0] == 201
            slowest = max(slowest, time.monotonic() - began)
        while sleeper.recv(65536):  # what had gone out already; then the end, and no more news
            pass
    assert slowest < 2
    assert "Traceback" not in home.log(), home.log()


def test_what_comes_to_its_port_and_is_no_tls_gets_a_word_or_nothing(home: SecureServed) -> None:
    with socket.create_connection(("127.0.0.1", home.tls), timeout=5) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"Write https:// before the address" in line.recv(4096)
    with socket.create_connection(("127.0.0.1", home.tls), timeout=5) as line:
        line.sendall(secrets.token_bytes(300))
        with suppress(ConnectionResetError):
            assert line.recv(4096)[:1] in (b"", b"\x15"), "an alert at most"
    assert Phone(home).ask("GET", "/")[0] == 200
    assert "Traceback" not in home.log(), home.log()


def test_who_begins_and_says_nothing_is_counted_and_sent_away(tmp_path: Path) -> None:
    server = SecureServed(tmp_path, COMPANION_LIMITS="house=5 head=1")
    server.start()
    try:
        silent = [socket.create_connection(("127.0.0.1", server.tls), timeout=10) for _ in range(5)]
        time.sleep(0.2)
        with pytest.raises((ssl.SSLError, ConnectionError)), server.line():
            pass
        for each in silent:
            assert each.recv(10) == b"", "after a second"
            each.close()
        assert Phone(server).ask("GET", "/")[0] == 200
    finally:
        server.kill()


def test_a_phone_is_the_same_one_over_http_and_https(home: SecureServed) -> None:
    """Else a phone that was here over https could never sit down again on plain http: browsers do not let a
    plain page replace a cookie that is for https alone."""
    ada = Phone(home)
    code = ada.open()
    status, headers, _ = Phone(home).ask(
        "POST",
        "/open/any-game",
        {"name": "Ada", "colour": "coral", "symbol": "sun", "key": "k", "mine": "k", "starter": "k"},
    )
    assert status == 303
    assert "Secure" not in headers["Set-Cookie"]
    plain = Phone(home, plain=True)
    plain.cookie = ada.cookie
    assert plain.ask("GET", f"/s/{code}")[0] == 200


def test_invitations_lead_everybody_in_whether_they_trust_us_or_not(tmp_path: Path) -> None:
    """So the QR code carries plain http first; https is one of the others to choose."""
    server = SecureServed(tmp_path, COMPANION_HOSTS="games.example.org")
    server.host = "0.0.0.0"
    server.start()
    try:
        ada = Phone(server)
        code = ada.open()
        name = f"games.example.org:{server.tls}"
        page = ada.ask("GET", f"/s/{code}/people", Host=name)[2]
        assert f'href="http://games.example.org:{server.port}/j/{code}/' in page
        assert f">https://games.example.org:{server.tls}</a>" in page
        assert 'href="/trust"' in page
    finally:
        server.kill()


# --- what phones are handed ---


def test_plain_http_hands_out_the_authority_with_four_steps_for_each_kind_of_phone(
    home: SecureServed,
) -> None:
    plain = Phone(home, plain=True)
    status, _, page = plain.ask("GET", "/trust")
    assert status == 200
    for kind in page.split("<details")[1:3]:
        assert kind.count("<li>") == 4
    assert Authority(home.folder / "authority", (), "").fingerprint in page
    mine = x509.load_pem_x509_certificate((home.folder / "authority" / "authority.crt").read_bytes())
    with plain_get(home, "/trust/companion.crt") as answer:
        assert answer.headers["Content-Type"] == "application/x-x509-ca-cert"
        assert x509.load_der_x509_certificate(answer.read()) == mine
    with plain_get(home, "/trust/companion.mobileconfig") as answer:
        assert answer.headers["Content-Type"] == "application/x-apple-aspen-config"
        assert b"com.apple.security.root" in answer.read()
    for agent, opens in (("iPhone", 0), ("Linux; Android 15", 1)):
        page = plain.ask("GET", "/trust", **{"User-Agent": agent})[2]
        assert [" open>" in each[:40] for each in page.split("<details")[1:3]].index(True) == opens


def plain_get(server: Served, path: str):
    import urllib.request

    return urllib.request.urlopen(f"{server.url}{path}", timeout=10)


def test_the_terminal_shows_where_and_a_qr_code_for_the_page_that_is_trusted_from(home: SecureServed) -> None:
    for _ in range(100):
        if "Stop with" in home.log():
            break
        time.sleep(0.05)
    told = home.log()
    assert Authority(home.folder / "authority", (), "").fingerprint in told
    assert "On this machine:    http://localhost" in told
    if "Over https:" in told:  # a machine without a network has no address to tell
        assert re.search(rf"Over https: +https://[\d.]+:{home.tls}\n", told)
        assert re.search(rf"once for each phone: http://[\d.]+:{home.port}/trust\n", told)
        assert len(re.findall(r"\n[█▀▄ ]{25,}\n\n", told)) >= 2, "two QR codes"


def test_without_https_there_is_nothing_to_trust(inn: Served) -> None:
    import urllib.error

    for path in ("/trust", "/trust/companion.crt", "/trust/companion.mobileconfig"):
        with pytest.raises(urllib.error.HTTPError) as met:
            plain_get(inn, path)
        assert met.value.code == 404
        met.value.close()
    assert not (inn.folder / "authority").exists()


def test_the_authority_stays_when_the_server_starts_again(tmp_path: Path) -> None:
    server = SecureServed(tmp_path)
    server.start()
    first = (tmp_path / "authority" / "authority.crt").read_bytes()
    before = server.shown()
    ada = Phone(server)
    code = ada.open()
    assert ada.count(code)[0] == 201
    with server.line() as silent, server.line() as listens:
        listens.sendall(listening(ada, code))
        assert listens.recv(100)
        began = time.monotonic()
        assert server.end() == 0, "and waits for nobody who is merely connected"
        assert time.monotonic() - began < 5
        with suppress(OSError):
            assert silent.recv(10) == b""
    server.start()
    try:
        assert (tmp_path / "authority" / "authority.crt").read_bytes() == first
        assert server.shown() == before, "nothing about this machine is different"
        again = Phone(server)
        again.cookie = ada.cookie
        assert again.count(code)[0] == 201
    finally:
        server.kill()


# --- another address, another certificate ---


def test_an_address_that_comes_later_is_vouched_for_while_the_server_runs(tmp_path: Path) -> None:
    """What is shown is looked after every ten seconds; here what lies there is exchanged."""
    server = SecureServed(tmp_path)
    server.start()
    try:
        before = server.shown()
        authority = Authority(tmp_path / "authority", (), "")
        (tmp_path / "authority" / "server.pem").unlink()
        authority.vouch_for([*names_on(before), "10.77.0.5"])
        until = time.monotonic() + 25
        while server.shown() == before:
            assert time.monotonic() < until, "still the old one"
            time.sleep(0.5)
        assert "10.77.0.5" in names_on(server.shown())
    finally:
        server.kill()


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Somebody's own: for the test another authority's, for a name that ours would not vouch for."""
    folder = tmp_path_factory.mktemp("brought")
    pem = Authority(folder / "authority", ("games.example", "127.0.0.1"), "x").issue(["games.example"])
    at = pem.index(b"-----BEGIN CERTIFICATE")
    (folder / "key.pem").write_bytes(pem[:at])
    (folder / "cert.pem").write_bytes(pem[at:])
    shutil.copy(folder / "authority" / "authority.crt", folder / "ca.crt")
    return folder / "cert.pem", folder / "key.pem"


def test_a_certificate_of_ones_own_is_shown_and_http_leads_there_only_when_asked(
    tmp_path: Path, brought: tuple[Path, Path]
) -> None:
    cert, key = brought
    words = ("--cert", str(cert), "--key", str(key))
    server = SecureServed(tmp_path, *words, "--redirect", COMPANION_HOSTS="games.example")
    server.start()
    try:
        trust = ssl.create_default_context(cafile=str(cert.with_name("ca.crt")))
        with socket.create_connection(("127.0.0.1", server.tls), timeout=5) as raw:
            trust.wrap_socket(raw, server_hostname="games.example").close()
        assert not (tmp_path / "authority").exists(), "none is needed"
        plain = Phone(server, plain=True)
        name = f"games.example:{server.port}"
        html = {"Accept": "text/html,*/*;q=0.8", "Host": name}
        status, headers, _ = plain.ask("GET", "/rules?q=x", **html)
        assert (status, headers["Location"]) == (308, f"https://games.example:{server.tls}/rules?q=x")
        assert plain.ask("GET", "/s/AAAAAA/people", **html)[0] == 308, "on the short road too"
        assert plain.ask("GET", "/time", Host=name)[0] == 200, "what an open page asks goes on"
        assert plain.ask("GET", "/trust", Host=name)[0] == 404
    finally:
        server.kill()


def test_plain_http_is_left_alone_unless_asked(home: SecureServed) -> None:
    assert Phone(home, plain=True).ask("GET", "/", Accept="text/html")[0] == 200


def test_cookies_are_for_https_alone_where_plain_http_only_leads_there(
    tmp_path: Path, brought: tuple[Path, Path]
) -> None:
    cert, key = brought
    server = SecureServed(tmp_path, "--cert", str(cert), "--key", str(key), "--redirect")
    server.start()
    try:
        context = ssl.create_default_context(cafile=str(cert.with_name("ca.crt")))
        context.check_hostname = False
        ada = Phone.__new__(Phone)
        ada.server, ada.cookie, ada.origin = server, "", f"https://127.0.0.1:{server.tls}"
        ada.http = http.client.HTTPSConnection("127.0.0.1", server.tls, timeout=10, context=context)
        form = {"name": "Ada", "colour": "coral", "symbol": "sun", "key": "k", "mine": "k", "starter": "k"}
        status, headers, _ = ada.ask("POST", "/open/any-game", form)
        assert status == 303
        assert "; Secure" in headers["Set-Cookie"]
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cert", "x.pem"], "belong together"),
        (["--key", "x.pem"], "belong together"),
        (["--redirect"], "needs --https"),
        (["--https", "--workers", "2"], "behind a proxy"),
    ],
)
def test_what_does_not_go_together_is_said_in_a_line(tmp_path: Path, words: list[str], sentence: str) -> None:
    assert sentence in refused(companion(tmp_path, "serve", *words))


@pytest.mark.parametrize("what", ["not there", "no certificate", "another key", "locked"])
def test_a_certificate_that_cannot_be_used_is_said_in_a_line(
    tmp_path: Path, brought: tuple[Path, Path], what: str
) -> None:
    from cryptography.hazmat.primitives import serialization

    from companion.net.authority import NoAuthority, new_key
    from companion.serving import secure

    cert, key = brought
    mine = tmp_path / "mine.pem"
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    if what == "no certificate":
        mine.write_text("hello")
    elif what == "another key":
        mine.write_bytes(new_key().private_bytes(pem, pkcs8, serialization.NoEncryption()))
    elif what == "locked":
        lock = serialization.BestAvailableEncryption(b"secret")
        own = serialization.load_pem_private_key(key.read_bytes(), None)
        mine.write_bytes(own.private_bytes(pem, pkcs8, lock))
    with pytest.raises(NoAuthority) as met:
        secure.brought(cert, mine)
    assert str(mine) in str(met.value)
    assert str(met.value).endswith(".")
    assert ("password" in str(met.value)) == (what == "locked")


def greeted(context: ssl.SSLContext) -> x509.Certificate:
    """What whoever comes now is shown."""
    ends = [ssl.MemoryBIO() for _ in range(2)]
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    ours = context.wrap_bio(ends[0], ends[1], server_side=True)
    theirs = client.wrap_bio(ends[1], ends[0])
    for side in (theirs, ours, theirs, ours):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return x509.load_der_x509_certificate(theirs.getpeercert(binary_form=True) or b"")


def test_a_certificate_that_is_renewed_in_its_place_is_shown_and_one_that_is_spoilt_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from companion.serving import secure

    maker = Authority(tmp_path / "authority", ("games.example",), "x")
    file = tmp_path / "both.pem"

    def renew() -> x509.Certificate:
        file.write_bytes(maker.issue(["games.example"]))
        return x509.load_pem_x509_certificate(file.read_bytes())

    first = renew()
    shown = secure.brought(file, file)
    assert greeted(shown.context) == first
    file.write_text("half of a file")
    shown.look_again()
    shown.look_again()
    assert greeted(shown.context) == first
    assert [each.message.partition(":")[0] for each in caplog.records] == [
        "https goes on with the certificate that it has"
    ]
    second = renew()
    shown.look_again()
    assert greeted(shown.context) == second
