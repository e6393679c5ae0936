"""On a rented server: Caddy, two workers, PostgreSQL, Redis, and the units that start them."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from at_the_table import BUSY, WITH_FILE, Served, with_file
from playwright.sync_api import Browser, BrowserContext, expect
from services import CHROMIUM_FLAGS, CHROMIUMS, RedisServer, Server, cannot, find, free_port, fresh_database
from test_serving import Answer, Caller, eventually
from test_watch import health, metrics
from test_workers import points, workers_of

from companion.games import Shelf
from companion.web.limits import Limits

ROOT = Path(__file__).parent.parent
DEPLOY, OBSERVATORY = ROOT / "deploy", ROOT / ".observatory"
NAME = "localhost"
ELSEWHERE = "127.0.0.9"  # another house, as far as addresses tell
pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.timeout(600)]


def told(file: Path, commented: bool = False) -> dict[str, str]:
    """What an environment file says; also what it offers behind a #."""
    lines = re.findall(rf"^{'#?' if commented else ''}(\w+)=(.*)$", file.read_text("utf-8"), re.MULTILINE)
    return dict(lines)


class Caddy(Server):
    """As /etc/caddy/Caddyfile has it; only ports, folders and whose certificates differ."""

    def __init__(self, program: Path, folder: str) -> None:
        super().__init__(Path("/usr/bin/env"), folder)
        self.caddy, self.plain, self.leads_here = program, free_port(), free_port()
        self.upstreams = ""
        self.root = Path(folder) / "kept/pki/authorities/local/root.crt"
        self.url = f"https://{NAME}:{self.port}"

    def options(self) -> list[str]:
        around = Path(self.folder) / "Caddyfile"
        around.write_text(
            "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n"
            f"\tstorage file_system {self.folder}/kept\n"
            f"\thttp_port {self.plain}\n\thttps_port {self.port}\n\tlog {{\n\t\toutput discard\n\t}}\n}}\n"
            f"import {DEPLOY / 'Caddyfile'}\n"
            # As Caddy itself does from port 80, but to the port that we are at.
            f"http://{NAME}:{self.leads_here} {{\n\tredir {self.url}{{uri}} permanent\n}}\n"
        )
        env = [
            f"COMPANION_PUBLIC_URL={self.url}",
            f"UPSTREAMS={self.upstreams}",
            f"HOME={self.folder}",
        ]
        return [*env, str(self.caddy), "run", "--config", str(around), "--adapter", "caddyfile"]

    def ask(self) -> None:
        with (
            socket.create_connection(("127.0.0.1", self.port), 2) as line,
            self.trusted().wrap_socket(line, server_hostname=NAME),
        ):
            pass

    def trusted(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.root))


class Visitor(Caller):
    """A phone on the internet: over TLS, through Caddy, from an address of its own."""

    def __init__(self, caddy: Caddy, whence: str = "127.0.0.1") -> None:
        self.caddy, self.whence = caddy, whence
        super().__init__(caddy.url)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPSConnection(
            NAME, self.caddy.port, timeout=30, context=self.caddy.trusted(), source_address=(self.whence, 0)
        )


class Behind(Served):
    """Two workers behind a proxy, told what deploy/companion.env tells."""

    starts = True  # by one that has no gevent: elsewhere workers are forks of what has all imported

    def watch(self, number: int) -> int:
        return int(self.env["COMPANION_WATCH"].rpartition(":")[2]) + number


@pytest.fixture(scope="module")
def caddy() -> Iterator[Caddy]:
    program = find("caddy")
    if not program:
        cannot("Caddy is not installed (Debian: caddy), so nothing was tried behind it.")
    with tempfile.TemporaryDirectory(prefix="companion-caddy-") as folder:
        yield Caddy(program, folder)


@pytest.fixture(scope="module")
def server(
    caddy: Caddy, postgres_url: str, redis_server: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Behind]:
    with fresh_database(postgres_url) as database:
        said = told(DEPLOY / "companion.env", commented=True)
        assert said.keys() == {
            "COMPANION_PUBLIC_URL", "COMPANION_TRUSTED_PROXIES", "COMPANION_WATCH", "COMPANION_LOG",
            "WORKERS", "COMPANION_DATABASE_URL", "COMPANION_REDIS_URL",
        }  # fmt: skip
        env = said | {
            "COMPANION_DATABASE_URL": database,
            "COMPANION_REDIS_URL": redis_server.url,
            "COMPANION_WATCH": f"127.0.0.1:{free_port()}",
            "COMPANION_LIMITS": BUSY,
        }
        server = Behind(tmp_path_factory.mktemp("behind"), "--workers", said["WORKERS"], **env)
        caddy.upstreams = f"127.0.0.1:{server.port}"
        server.start()
        caddy.start()
        yield server
        caddy.stop()
        server.end()


def test_taps_and_streams_go_through_tls_at_once(caddy: Caddy, server: Behind, games: Shelf) -> None:
    ada, bob = Visitor(caddy), Visitor(caddy, ELSEWHERE)
    code = ada.open("Ada", "Bob")
    secret = ada.secret(code)
    page = ada.ask("GET", f"/s/{code}/people").text
    assert f"https://games.example.org/j/{code}/{secret}" in page
    opened = bob.ask("POST", f"/j/{code}/{secret}", {"tap": secrets.token_hex(8)})
    assert "; Secure" in opened.headers["set-cookie"]
    bob.join(code, secret, 2)
    stream = ada.listen(code)
    stream.next()
    for _ in range(5):
        began = time.monotonic()
        version = bob.count(code).json["version"]
        stream.until(version)
        assert time.monotonic() - began < 2  # not when a buffer is full
    assert points(server, games, code) == 5


def test_browsers_get_http2_and_what_is_compressed_comes_from_us(caddy: Caddy, server: Behind) -> None:
    context = caddy.trusted()
    context.set_alpn_protocols(["h2", "http/1.1"])
    line = socket.create_connection(("127.0.0.1", caddy.port))
    with context.wrap_socket(line, server_hostname=NAME) as secure:
        assert secure.selected_alpn_protocol() == "h2"
    line_of = Visitor(caddy).connect()
    line_of.request("GET", "/", headers={"Accept-Encoding": "gzip"})
    answer = line_of.getresponse()
    assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
    answer.read()
    line_of.close()
    plain = http.client.HTTPConnection("127.0.0.1", caddy.plain, timeout=10)
    plain.request("GET", "/history", headers={"Host": NAME})
    moved = plain.getresponse()
    assert (moved.status, moved.headers["Location"]) == (308, f"https://{NAME}/history")
    plain.close()


def test_a_phone_that_hangs_up_is_gone_behind_caddy_too(caddy: Caddy, server: Behind) -> None:
    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")

    def listening() -> float:
        return sum(metrics(server.watch(number))["companion_streams"] for number in range(2))

    before = listening()
    streams = [ada.listen(code) for _ in range(3)]
    eventually(lambda: listening() == before + 3)
    for stream in streams:
        stream.close()
    eventually(lambda: listening() <= before)


def test_each_worker_is_watched_at_a_port_of_its_own(caddy: Caddy, server: Behind) -> None:
    pids = set()
    for number in range(2):
        status, said = health(server.watch(number))
        assert (status, said["database"], said["journal"]) == (200, "ok", "ok")
        pids.add(said["pid"])
    assert pids == workers_of(server)
    assert Visitor(caddy).ask("GET", "/metrics").status == 404


def test_what_is_too_long_is_refused_in_words_or_by_caddy(caddy: Caddy, server: Behind) -> None:
    def brought(size: int) -> Answer:
        ada = Visitor(caddy)
        try:
            return ada.ask("POST", "/history/bring", with_file("x" * size), **{"Content-Type": WITH_FILE})
        except (OSError, http.client.HTTPException):  # it hung up while we were still sending
            return Answer(413, {}, "")

    assert brought(1000).status == 422
    assert "at most 2 MB" in brought(2_500_000).text
    # Caddy stops at three, and says 502 where we have hung up before it could say so itself.
    assert brought(4_000_000).status in (413, 422, 502)
    line = Visitor(caddy).connect()  # one that does not say how long it is
    with suppress(OSError):
        line.request(
            "POST", "/history/bring", iter([b"x" * 100_000] * 40), {"Origin": caddy.url}, encode_chunked=True
        )
    assert line.getresponse().status == 413
    line.close()
    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")
    long = ada.ask("POST", f"/s/{code}/do/count", {"tap": "long-tap-1", "seat": "1" * 70_000})
    assert (long.status, long.json) == (413, {"refused": "That is more than a table can take; write less."})
    assert ada.count(code).status == 201


def test_what_a_phone_says_of_its_own_address_is_not_believed(caddy: Caddy, server: Behind) -> None:
    """Caddy knows where it comes from, and says so; nobody gets more guesses by making addresses up."""
    stranger, guesses = Visitor(caddy, ELSEWHERE), int(Limits().guesses)
    said = [
        stranger.ask("GET", f"/j/ZZZZ2{letter}", **{"X-Forwarded-For": f"10.0.0.{number}"}).status
        for number, letter in enumerate("23456789ABCDEF"[: guesses + 2])
    ]
    assert said == [404] * guesses + [429] * 2
    assert Visitor(caddy).ask("GET", "/j/ZZZZ22").status == 404  # from another house
    lying = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "http",
        "Forwarded": "host=evil.example",
    }
    ada = Visitor(caddy)
    opened = ada.ask("GET", "/", **lying)
    assert opened.status == 200
    assert "evil.example" not in opened.text + str(opened.headers)


def test_another_name_finds_nothing_here(caddy: Caddy, server: Behind) -> None:
    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")
    for host in ("evil.example", "games.evil.example"):
        with suppress(OSError, http.client.HTTPException):
            through = ada.ask("GET", f"/s/{code}", Host=host)
            assert "Ada" not in through.text
            assert through.text == "" or through.status >= 400
    direct = Caller(f"http://127.0.0.1:{server.port}")
    direct.cookie = ada.cookie
    assert direct.ask("GET", f"/s/{code}", Host="evil.example").status == 421
    with pytest.raises(ssl.SSLError), socket.create_connection(("127.0.0.1", caddy.port)) as line:
        caddy.trusted().wrap_socket(line, server_hostname="evil.example")


def test_a_proxys_name_for_a_request_is_in_our_log(caddy: Caddy, server: Behind, postgres_url: str) -> None:
    """So that what Caddy logged of it can be found beside what we did."""
    import psycopg
    from services import without_driver

    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")
    assert ada.count(code).status == 201  # whose table it is knows it now
    with psycopg.connect(without_driver(server.database)) as database:
        database.execute("LOCK TABLE sitting IN ACCESS EXCLUSIVE MODE")
        said = ada.count(code)
        database.rollback()
    assert said.status == 503
    name = said.headers["x-request-id"]
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", name)  # Caddy's
    lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]
    (line,) = [each for each in lines if each.get("request") == name]
    assert (line["table"], line["version"]) == (code, 2)


# --- a browser, which trusts Caddy's own authority ---


@pytest.fixture(scope="module")
def trusting(chromium: Browser, caddy: Caddy, server: Behind) -> Iterator[BrowserContext]:
    certutil = find("certutil")
    if not certutil:
        cannot(
            "certutil is not installed (Debian: libnss3-tools), so no browser trusts Caddy's certificates."
        )
    program = next(filter(None, map(find, CHROMIUMS)), None)
    store = Path(caddy.folder) / ".pki" / "nssdb"
    store.mkdir(parents=True)
    subprocess.run([certutil, "-d", f"sql:{store}", "-N", "--empty-password"], check=True)
    words = ["-A", "-t", "C,,", "-n", "caddy", "-i", str(caddy.root)]
    subprocess.run([certutil, "-d", f"sql:{store}", *words], check=True)
    assert program
    windows = ["--headless=new"] if program.name == "chromium" else []
    browser = chromium.browser_type.launch(
        executable_path=program, args=[*CHROMIUM_FLAGS, *windows], env={**os.environ, "HOME": caddy.folder}
    )
    context = browser.new_context(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    yield context
    browser.close()


@pytest.mark.browser
def test_no_tap_of_a_browser_is_lost_while_workers_are_restarted(
    trusting: BrowserContext, caddy: Caddy, server: Behind, games: Shelf
) -> None:
    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")
    name, _, value = ada.cookie.partition("=")
    trusting.add_cookies([{"name": name, "value": value, "url": caddy.url, "secure": True, "httpOnly": True}])
    page = trusting.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{caddy.url}/s/{code}")
    assert page.evaluate("isSecureContext")
    add = page.get_by_role("button", name="Ada: Points plus one")
    expect(add).to_be_visible()
    pids = sorted(workers_of(server))
    for number in range(24):
        add.click()
        if number in (6, 16):  # the one is killed, the other asked to leave
            os.kill(pids.pop(), signal.SIGKILL if number == 6 else signal.SIGTERM)
        page.wait_for_timeout(60)
    eventually(lambda: points(server, games, code) == 24, 60)
    page.wait_for_timeout(300)
    assert points(server, games, code) == 24  # nor is one counted twice
    shown = page.get_by_role("button", name="Ada: 24 Points, type a number")
    expect(shown).to_be_visible(timeout=30_000)
    eventually(lambda: len(workers_of(server)) == 2, 60)
    assert not wrong
    page.close()


# --- Mozilla's Observatory ---


def test_mozillas_observatory_gives_an_a_plus(caddy: Caddy, server: Behind) -> None:
    node = find("node")
    if not node or not (OBSERVATORY / "node_modules").is_dir():
        cannot("Mozilla's Observatory is not here; `make test` fetches it.")
    words = [node, OBSERVATORY / "scan.mjs", NAME, str(caddy.leads_here), str(caddy.port)]
    asked = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NODE_EXTRA_CA_CERTS": str(caddy.root)},
    )
    assert asked.returncode == 0, asked.stderr
    said = json.loads(asked.stdout.splitlines()[-1])
    assert said["verified"] is True, said
    assert said["grade"] == "A+", said
    assert said["score"] >= 125, said


def test_the_headers_it_counts_are_on_every_kind_of_answer(caddy: Caddy, server: Behind) -> None:
    """What it looks at is the first page; this is the rest."""
    ada = Visitor(caddy)
    code = ada.open("Ada", "Bob")
    stream = ada.listen(code)
    answers = [dict(stream.answer.getheaders())]
    paths = ("/", f"/s/{code}", "/nowhere", "/static/icon.svg", "/f/000000/site.css")
    answers += [ada.ask("GET", path).headers for path in paths]
    answers.append(ada.count(code).headers)
    for each in answers:
        found = {name.lower(): value for name, value in each.items()}
        assert found["strict-transport-security"] == "max-age=63072000; includeSubDomains"
        assert found["cross-origin-resource-policy"] == "same-origin"
        assert "unsafe-" not in found["content-security-policy"]
        assert "frame-ancestors 'none'" in found["content-security-policy"]
        assert found["x-content-type-options"] == "nosniff"
        assert found["referrer-policy"] == "same-origin"
        assert "server" not in found


# --- systemd ---

UNITS = ("companion.service", "companion-backup.service", "companion-backup.timer")


@pytest.fixture
def analyze() -> Path:
    found = find("systemd-analyze")
    if not found:
        cannot("systemd-analyze is not installed (Debian: systemd), so no unit was looked at.")
    return found


def test_systemd_finds_nothing_wrong_with_the_units(analyze: Path, tmp_path: Path) -> None:
    units = tmp_path / "etc/systemd/system"
    shutil.copytree("/usr/lib/systemd/system", tmp_path / "usr/lib/systemd/system", symlinks=True)
    for unit in UNITS:
        units.mkdir(parents=True, exist_ok=True)
        shutil.copy(DEPLOY / unit, units)
    program = tmp_path / "opt/companion/current/bin/companion"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    words = [analyze, "verify", f"--root={tmp_path}", "--man=no", *UNITS]
    looked = subprocess.run(words, capture_output=True, text=True)
    about_us = [line for line in looked.stderr.splitlines() if "companion" in line]
    assert (looked.returncode, about_us) == (0, [])
    unit = units / "companion.service"
    unit.write_text(unit.read_text() + "PrivateTpm=yes\n[Sevice]\n")
    assert "companion.service" in subprocess.run(words, capture_output=True, text=True).stderr
    when = re.search(r"OnCalendar=(.+)", (DEPLOY / UNITS[2]).read_text())
    assert when
    subprocess.run([analyze, "calendar", when[1]], check=True, capture_output=True)


@pytest.mark.parametrize("unit", UNITS[:2])
def test_systemd_calls_the_units_safe(analyze: Path, unit: str) -> None:
    """2.0 and less is “OK”; an unit without any of it has 9.2, “UNSAFE”."""
    words = [analyze, "security", "--offline=true", "--no-pager", "--threshold=13", DEPLOY / unit]
    looked = subprocess.run(words, capture_output=True, text=True)
    assert looked.returncode == 0, looked.stdout


def test_the_server_needs_no_memory_that_is_both_written_and_run(tmp_path: Path) -> None:
    """`MemoryDenyWriteExecute=yes`, as the kernel itself keeps it; whoever we start inherits it."""
    run = tmp_path / "denied.py"
    run.write_text(
        "import ctypes, runpy, sys\n"
        "if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)\n"
        "sys.argv[0] = 'companion'\n"
        "runpy.run_module('companion', run_name='__main__')\n"
    )

    class Denied(Served):
        runs = (str(run),)

    (tmp_path / "here").mkdir()
    server = Denied(tmp_path / "here")
    try:
        server.start()
    except AssertionError:
        if server.process and server.process.poll() == 77:
            pytest.skip("This kernel has no PR_SET_MDWE.")
        raise
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    assert ada.count(code).status == 201
    assert ada.ask("GET", f"/s/{code}/log").status == 200
    assert ada.ask("GET", "/rules").status == 200
    server.kill()


def test_caddy_is_told_what_it_understands(caddy: Caddy) -> None:
    env = {**os.environ, "COMPANION_PUBLIC_URL": "https://games.example.org", "HOME": caddy.folder}
    words = [caddy.caddy, "adapt", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile", "--validate"]
    looked = subprocess.run(words, capture_output=True, text=True, env=env)
    assert looked.returncode == 0, looked.stderr
    assert "not formatted" not in looked.stderr
    assert "games.example.org" in looked.stdout
    assert "127.0.0.1:8000" in looked.stdout
    several = subprocess.run(
        words, capture_output=True, text=True, env={**env, "UPSTREAMS": "10.0.0.2:8000 10.0.0.3:8000"}
    )
    assert re.findall(r'"dial":\s*"([\d.:]+)"', several.stdout) == ["10.0.0.2:8000", "10.0.0.3:8000"]


def test_the_units_and_the_readme_speak_of_the_same_files() -> None:
    service = (DEPLOY / "companion.service").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    for path in ("/opt/companion", "/etc/companion/companion.env", "/var/backups/companion"):
        assert path in readme
    assert "EnvironmentFile=/etc/companion/companion.env" in service
    for file in DEPLOY.iterdir():
        assert f"deploy/{file.name}" in readme or "deploy/*.service" in readme, file.name
