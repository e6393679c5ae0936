"""What comes over the wire and is no tap: half a request, two requests in one, a name that is not ours."""

from __future__ import annotations

import http.client
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import pytest
from at_the_table import Serve, Served
from forked import ran
from test_serving import Caller

from companion.net.hosts import Hosts, Proxies, name_in

FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
# So that no test waits for as long as a server does.
QUICK = "head=1 body=1 idle=2 house=20 streams=3 tables=1000"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("quick"), COMPANION_LIMITS=QUICK).start()
    yield server
    server.kill()


@pytest.fixture
def ada(server: Served) -> Caller:
    return Caller(server.url)


@pytest.fixture
def code(ada: Caller) -> str:
    time.sleep(0.1)
    return ada.open("Ada", "Bob")


def head(server: Served, line: str, cookie: str = "", *more: str) -> str:
    host = server.url.removeprefix("http://")
    cookies = f"Cookie: {cookie}\r\n" if cookie else ""
    return f"{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: {server.url}\r\n{cookies}{''.join(more)}"


def said(server: Served, text: str, seconds: float = 5) -> str:
    """All that the server answers until it hangs up, or has said nothing for so long."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as line:
        line.sendall(text.encode())
        heard = b""
        try:
            while got := line.recv(65536):
                heard += got
        except TimeoutError:
            heard += b"(still there)"
    return heard.decode()


def answered(server: Served, text: str) -> str:
    """One answer as it says how long it is; the line may stay."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(text.encode())
        answer = http.client.HTTPResponse(line)
        answer.begin()
        return f"HTTP/1.1 {answer.status} {answer.read().decode()}"


# --- half a request ---


@pytest.mark.parametrize("half", ["", "G", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "POST /open/any"])
def test_a_request_whose_head_never_comes_is_not_waited_for(server: Served, half: str) -> None:
    began = time.monotonic()
    answer = said(server, half, 10)
    assert time.monotonic() - began < 8
    assert "still there" not in answer
    assert (not half) or answer.startswith("HTTP/1.1 408"), answer
    assert (not half) or answer.endswith("did not come to its end in time.")


@pytest.mark.parametrize("length", [50, 30_000])  # what the short road takes, and what Flask does
def test_a_body_that_never_comes_is_not_waited_for(
    server: Served, ada: Caller, code: str, length: int
) -> None:
    asked = head(
        server, f"POST /s/{code}/do/count", ada.cookie, FORM, f"Content-Length: {length}\r\n\r\ntap="
    )
    began = time.monotonic()
    answer = said(server, asked, 10)
    assert time.monotonic() - began < 8
    assert "still there" not in answer
    assert "HTTP/1.1 2" not in answer


def test_a_line_whose_tap_came_in_two_goes_on_as_any_other(server: Served, ada: Caller, code: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        for first in (True, False, False, False, False, False, False):  # for longer than a body may take
            body = f"tap={secrets.token_hex(8)}&seat=1&counter=1&by=1&round=1"
            length = f"Content-Length: {len(body)}\r\n\r\n"
            asked = head(server, f"POST /s/{code}/do/count", ada.cookie, FORM, length)
            line.sendall(asked.encode() if first else f"{asked}{body}".encode())
            time.sleep(0.5)
            line.sendall(body.encode() if first else b"")
            assert line.recv(4096).startswith(b"HTTP/1.1 201")


def counted(server: Served, ada: Caller, code: str, tap: str = "", by: int = 1) -> str:
    body = f"tap={tap or secrets.token_hex(8)}&seat=1&counter=1&by={by}&round=1"
    length = f"Content-Length: {len(body)}\r\n\r\n"
    return head(server, f"POST /s/{code}/do/count", ada.cookie, FORM, length) + body


def test_whatever_comes_on_a_line_between_two_taps_is_answered_in_its_turn(
    server: Served, ada: Caller, code: str
) -> None:
    """After the first tap the loop itself reads from the line, and hands on what is more than a tap."""
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=5) as line,
        line.makefile("rb") as heard,
    ):

        def answers(*asked: str) -> list[tuple[int, str]]:
            line.sendall("".join(asked).encode())
            return [_answer(heard) for _ in asked]

        assert [status for status, _ in answers(counted(server, ada, code))] == [201]
        again = counted(server, ada, code, "the-same-tap")
        (first, second), third = answers(again, again), answers(again)
        assert first == second == third[0]
        assert first[0] == 201
        ((status, words),) = answers(counted(server, ada, code, by=0))
        assert (status, "Nothing to add." in words) == (422, True)
        asked = (counted(server, ada, code), head(server, f"GET /s/{code}", ada.cookie, "\r\n"))
        statuses = [status for status, _ in answers(*asked, counted(server, ada, code))]
        assert statuses == [201, 200, 201]
        assert [status for status, _ in answers(counted(server, ada, code))] == [201]


def _answer(heard: BinaryIO) -> tuple[int, str]:
    status, length = int(heard.readline().split()[1]), 0
    while (told := heard.readline()) != b"\r\n":
        name, _, value = told.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return status, heard.read(length).decode()


def test_a_body_that_is_thrown_away_is_not_waited_for_either(server: Served) -> None:
    asked = head(server, "POST /open/any-game", "", FORM, "Content-Length: 9000000\r\n\r\ntap=")
    assert "still there" not in said(server, asked, 10)


def test_who_drips_a_byte_at_a_time_is_late_all_the_same(server: Served) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        began = time.monotonic()
        try:
            for letter in "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + "x" * 100:
                line.sendall(letter.encode())
                time.sleep(0.1)
        except OSError:
            pass
        assert time.monotonic() - began < 8


def test_an_address_has_its_share_of_connections_and_streams_are_counted_apart(
    server: Served, ada: Caller, code: str
) -> None:
    with ExitStack() as open_ones:
        lines = [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            for _ in range(25)
        ]
        time.sleep(0.3)
        full = [line for line in lines if _refused(line)]
        assert 4 <= len(full) <= 7
    time.sleep(0.3)
    assert ada.count(code).status == 201


def _refused(line: socket.socket) -> bool:
    line.settimeout(0.01)
    try:
        heard = line.recv(1000)
    except TimeoutError:
        return False
    assert heard.startswith(b"HTTP/1.1 429")
    assert b"Retry-After: 5" in heard
    assert heard.endswith(b"Close some, and try again.")
    return True


def test_more_streams_than_a_phone_may_have_are_refused_until_one_is_closed(
    server: Served, ada: Caller, code: str
) -> None:
    asked = head(server, f"GET /s/{code}/live/table", ada.cookie) + "\r\n"
    with ExitStack() as open_ones:
        lines = []
        for _ in range(3):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=5)
            lines.append(open_ones.enter_context(line))
            line.sendall(asked.encode())
            assert line.recv(20).startswith(b"HTTP/1.1 200")
        answer = said(server, asked, 1)
        assert answer.startswith("HTTP/1.1 429")
        assert "Retry-After: 5" in answer
        lines[0].close()
        time.sleep(0.1)
        assert said(server, asked, 1).startswith("HTTP/1.1 200")


# --- two requests in one ---


UNSOUND = {
    "a length and a coding": "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "two other lengths": "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "a space before the colon": "Content-Length : 3\r\n\r\nabc",
    "a coding with a space before its colon": "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a header without a name": ": chunked\r\nContent-Length: 3\r\n\r\nabc",
    "a length with a sign": "Content-Length: +3\r\n\r\nabc",
    "two codings": "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a line that ends in half": "X: a\nContent-Length: 3\r\n\r\nabc",
    "another that ends in half": "Content-Length: 3\r\nX: a\n\r\nabc",
    "a head that ends in half": "Content-Length: 3\r\n\nabc",
    "two names": "Host: localhost\r\nContent-Length: 3\r\n\r\nabc",
}
NAMELESS = {
    "no name": ("GET / HTTP/1.1\r\nAccept: */*\r\n\r\n", 400),
    "a first line that ends in half": ("GET / HTTP/1.1\nHost: localhost\r\n\r\n", 400),
    "a head that is cut off": ("GET / HTTP/1.1\r\nHost: localhost\r\n", 400),
    "a name": ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
}


@pytest.mark.parametrize("unsound", UNSOUND.values(), ids=UNSOUND)
def test_what_could_be_read_in_two_ways_is_not_read(
    server: Served, ada: Caller, code: str, unsound: str
) -> None:
    for path in (f"/s/{code}/do/count", "/open/any-game", f"/j/{code}"):
        answer = said(server, head(server, f"POST {path}", ada.cookie, FORM, unsound), 3)
        assert answer.startswith("HTTP/1.1 400"), answer
        assert "could not be read" in answer
        assert "still there" not in answer


@pytest.mark.parametrize(("asked", "status"), NAMELESS.values(), ids=NAMELESS)
def test_a_request_says_whom_it_is_for_in_whole_lines(server: Served, asked: str, status: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(asked.encode())
        line.shutdown(socket.SHUT_WR)
        assert line.recv(1000).startswith(f"HTTP/1.1 {status}".encode())


def test_a_tap_that_hopes_for_another_protocol_is_answered(server: Served, ada: Caller, code: str) -> None:
    tap = f"seat=1&counter=1&by=1&round=1&tap={secrets.token_hex(8)}"
    length = f"Content-Length: {len(tap)}\r\n\r\n{tap}"
    alone = head(server, f"POST /s/{code}/do/count", ada.cookie, FORM, "Upgrade: websocket\r\n", length)
    answer = said(server, alone, 1)
    assert answer.startswith("HTTP/1.1 201"), answer
    both = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    answer = said(server, head(server, f"POST /s/{code}/do/count", ada.cookie, FORM, both, length), 1)
    assert re.match(r"HTTP/1.1 (201|400)", answer), answer
    follows = head(server, "GET /healthz") + "\r\n"
    assert said(server, alone + follows, 1).count("HTTP/1.1 ") == 2, "and the next request is found"


def test_who_asks_for_the_head_of_a_stream_gets_nothing_else(server: Served, ada: Caller, code: str) -> None:
    asked = head(server, f"HEAD /s/{code}/live/table", ada.cookie) + "\r\n"
    answer = said(server, asked, 1)
    assert answer.startswith("HTTP/1.1 200")
    assert answer.removesuffix("(still there)").endswith("\r\n\r\n")
    assert answer.count("\r\n\r\n") == 1, "no byte of a body"


# --- the log ---


def test_no_invitation_comes_into_the_log(server: Served, code: str) -> None:
    secret = "S3cr3t-of-the-QR"
    for line in (f"POST /j/{code}/{secret}", f"GET /j/{code}/{secret} HTTP/9", f"GET /j/{code}/{secret} a b"):
        assert said(server, f"{line}\r\n\r\n", 3).startswith("HTTP/1.1 400")
    said(server, f"GET /j/{code}/{secret}", 3)
    assert "what is no request" in server.log()
    assert secret not in server.log()
    assert "Traceback" not in server.log()


# --- names ---


def test_only_names_of_ours_are_answered_on_either_road(server: Served, ada: Caller, code: str) -> None:
    tap = "seat=1&counter=1&by=1&round=1&tap="
    for host, status in (
        ("evil.example", 421),
        (f"evil.example:{server.port}", 421),
        ("127.0.0.1.evil.example", 421),
        ("den.local", 201),
        (f"localhost:{server.port}", 201),
    ):
        body = f"{tap}{secrets.token_hex(8)}"
        lines = f"Host: {host}\r\nOrigin: http://{host}\r\nCookie: {ada.cookie}\r\n{FORM}"
        answer = answered(
            server, f"POST /s/{code}/do/count HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n{body}"
        )
        assert answer.startswith(f"HTTP/1.1 {status}"), (host, answer)
        looks = answered(server, f"GET /s/{code}/people HTTP/1.1\r\n{lines}\r\n")
        assert looks.startswith(f"HTTP/1.1 {200 if status == 201 else 421}")
        assert ('id="invitation"' in looks) == (status == 201)
        if status == 421:
            assert "does not go by that name" in answer


def test_this_machines_addresses_and_names_are_ours_as_they_are_at_the_moment() -> None:
    now, here = [0.0], ["192.168.1.20", "den", "fd00::20"]
    hosts = Hosts("https://games.example.org/den", ["*.tail.net"], lambda: here, lambda: now[0])
    for ours in (
        "192.168.1.20:8000",
        "DEN",
        "den.",
        "[fd00::20]:8000",
        "games.example.org",
        "a.tail.net",
        "x.local",
    ):
        assert hosts.ours(ours), ours
    for others in (
        "192.168.1.21",
        "example.org",
        "evil.games.example.org",
        "den.example",
        "tail.net",
        "",
        "a b",
    ):
        assert not hosts.ours(others), others
    here[0] = "10.0.0.7"  # the laptop is carried to another network
    now[0] += 11
    assert hosts.ours("10.0.0.7:8000")
    assert not hosts.ours("192.168.1.20:8000")


def test_this_machine_knows_its_own_addresses() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        mine = probe.getsockname()[0]
    assert Hosts().ours(f"{mine}:8000")
    assert Hosts().ours(socket.gethostname())


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://games.example", "http://", "https://a b", "//x"]
)
def test_a_public_url_that_leads_to_no_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is no address of a server"):
        Hosts(url)


@pytest.mark.parametrize("name", ["http://games.lan/", "a b", "", "games.lan;"])
def test_a_name_that_no_machine_has_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a machine"):
        Hosts(None, [name])


@pytest.mark.parametrize(
    ("host", "name"), [("A.example:80", "a.example"), ("[::1]:80", "::1"), ("a/b", ""), ("a.b.", "a.b")]
)
def test_a_name_is_compared_without_its_port(host: str, name: str) -> None:
    assert name_in(host) == name


# --- proxies ---


def test_a_proxy_is_believed_when_it_is_one() -> None:
    assert Proxies(1).believed("127.0.0.1")
    assert Proxies(1).believed("::1")
    assert Proxies(1).believed("::ffff:127.0.0.1")
    assert not Proxies(1).believed("192.168.1.30"), "a phone in the same house is no proxy"
    assert not Proxies(0).believed("127.0.0.1")
    assert Proxies(1, "172.18.0.0/16 10.0.0.5").believed("172.18.0.9")
    assert not Proxies(1, "172.18.0.0/16").believed("127.0.0.1")
    assert not Proxies(1).believed("rubbish")


def test_what_a_phone_says_about_its_address_is_not_believed(served: Serve) -> None:
    """Or whoever guesses codes would be somebody else for each."""
    server = served(COMPANION_TRUSTED_PROXIES="1", COMPANION_PROXY_ADDRESSES="10.9.8.7")
    statuses = [_guess(server, f"192.168.7.{number}") for number in range(12)]
    assert statuses == [404] * 10 + [429] * 2


def test_what_the_proxy_says_about_an_address_is_believed(served: Serve) -> None:
    server = served(COMPANION_TRUSTED_PROXIES="1")
    assert {_guess(server, f"192.168.7.{number}") for number in range(12)} == {404}


def _guess(server: Served, claimed: str) -> int:
    asked = head(server, "GET /j/222222", "", f"X-Forwarded-For: {claimed}\r\nConnection: close\r\n") + "\r\n"
    return int(said(server, asked).split()[1])


# --- settings that cannot be ---


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("COMPANION_TRUSTED_PROXIES", "yes", "COMPANION_TRUSTED_PROXIES is a number of proxies, such as 1"),
        ("COMPANION_PROXY_ADDRESSES", "nginx", "'nginx' is no address or network"),
        ("COMPANION_REDIS_URL", "localhost:6379", "COMPANION_REDIS_URL cannot be used"),
        ("COMPANION_PUBLIC_URL", "javascript:alert(1)", "'javascript:alert(1)' is no address of a server"),
    ],
)
def test_a_setting_that_cannot_be_is_one_line(tmp_path: Path, name: str, value: str, told: str) -> None:
    env = {**os.environ, "COMPANION_INSTANCE": str(tmp_path), name: value}
    done = ran(["serve", "--port", "0"], env)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith("companion: ")
    assert done.stderr.count("\n") == 1
    assert told in done.stderr
