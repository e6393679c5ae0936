"""Fair between tables: whatever a hostile phone does at one, a phone at another gets its taps answered."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from at_the_table import OUTSIDE, Served
from proven import FULL, Proven
from test_one_loop import lengthen
from test_serving import Caller, sqlite_in

HOSTILE = Path(__file__).with_name("hostile_phone.py")
PACE = 15  # taps a second of the victim: a finger that holds its + down, and then some
SECONDS = 3.0  # that are counted, before the attack and in it
LOST = 0.2  # of its taps, at most
TRIES = 3  # other programs on the machine only ever add to what is lost
# Beside other tests that want both cores, nobody could say what an attack has cost.
alone = pytest.mark.skipif(not FULL, reason="make proof counts it, with the machine to itself")
pytestmark = [pytest.mark.proof, pytest.mark.timeout(600), alone]

TAP = "tap=TAP&seat=1&counter=1&by=1&round=1"
OPEN = "tap=TAP&name=Eve&colour=coral&symbol=sun&key=k&mine=k&starter=k"
ATTACKS = {  # what is asked, on how many lines, in which way
    "taps": (f"POST /s/CODE/do/count {TAP}", 100, "keep"),
    "taps, each on a new line": (f"POST /s/CODE/do/count {TAP}", 50, "once"),
    "undo": ("POST /s/CODE/do/take_back tap=TAP&entry=1000", 50, "keep"),
    "streams": ("GET /s/CODE/live/table", 100, "once"),
    "streams that are kept": ("GET /s/CODE/live/table", 400, "half"),
    "tables": (f"POST /open/any-game {OPEN}", 50, "keep"),
    "log": ("GET /s/CODE/log", 50, "keep"),
    "recap": ("GET /s/CODE/recap", 50, "keep"),
    "journal": ("GET /s/CODE/journal.json", 50, "keep"),
    "export": ("GET /s/CODE/scores.csv", 50, "keep"),
    "wrong codes": ("GET /j/222222", 50, "keep"),
    "half a request": ("POST /s/CODE/do/count", 400, "half"),
}


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With the limits that a server has by itself."""
    yield from _served(tmp_path_factory.mktemp("fair"), "")


@pytest.fixture(scope="module")
def unfair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from _served(tmp_path_factory.mktemp("unfair"), "off")


def _served(folder: Path, limits: str) -> Iterator[Served]:
    server = Served(folder, COMPANION_LIMITS=limits, **OUTSIDE).start()
    eve = Caller(server.url)
    code = eve.open("Eve", "Fay")
    assert eve.count(code).status == 201
    server.end()
    lengthen(sqlite_in(folder))  # a long evening, so that what is dear is as dear as it gets
    server.start()
    server.eve = (code, eve.cookie)  # type: ignore[attr-defined]
    yield server
    server.kill()


def request(server: Served, what: str) -> str:
    """As it goes over the wire, whole or but for its end."""
    code, cookie = server.eve  # type: ignore[attr-defined]
    method, path, body = f"{what} ".replace("CODE", code).split(" ", 2)
    host = server.url.removeprefix("http://")
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {server.url}\r\nCookie: {cookie}\r\n"
    body = body.strip()
    if method == "GET":
        return f"{head}\r\n"
    size = len(body.replace("TAP", secrets.token_hex(8)))
    form = "Content-Type: application/x-www-form-urlencoded\r\n"
    return f"{head}{form}Content-Length: {size}\r\n\r\n{body}" if body else f"{head}X-Half: "


@contextmanager
def attacked(server: Served, what: str, lines: int, how: str) -> Iterator[Counter[str]]:
    words = [sys.executable, str(HOSTILE), str(server.port), str(lines), how]
    answers: Counter[str] = Counter()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hostile:
        assert hostile.stdin
        assert hostile.stdout
        hostile.stdin.write(json.dumps(request(server, what)) + "\n")
        hostile.stdin.flush()
        time.sleep(1.5)  # it is in full swing, and bursts are over
        try:
            yield answers
        finally:
            hostile.stdin.close()
            answers.update(json.loads(hostile.stdout.read() or "{}"))


def answered(ada: Caller, code: str) -> int:
    """How many taps of a steady finger are answered in so many seconds; one that waits delays the next."""
    done, begun = 0, time.monotonic()
    for number in range(int(PACE * SECONDS)):
        time.sleep(max(0, begun + number / PACE - time.monotonic()))
        if time.monotonic() - begun > SECONDS:
            break
        try:
            status = ada.count(code).status
        except OSError:  # the server has no time for her at all
            status = 0
        done += status == 201 and time.monotonic() - begun <= SECONDS + 1 / PACE
    return done


def lost_to(server: Served, name: str, times: int = 1, tries: int = TRIES) -> tuple[float, Counter[str]]:
    """The share of the victim's taps that it loses, least of some tries, and what the attacker was told."""
    what, lines, how = ATTACKS[name]
    ada = Caller(server.url)
    code = ada.open("Ada", "Bob")
    ada.line.timeout = 2 * SECONDS
    seen, least = Counter[str](), 1.0
    for _ in range(tries):
        quiet = answered(ada, code)
        with attacked(server, what, times * lines, how) as told:
            under_attack = answered(ada, code)
        seen += told
        least = min(least, 1 - under_attack / max(1, quiet))
        if least <= LOST:
            break
        time.sleep(3)  # until shares have come back
    return least, seen


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_at_one_table_costs_a_phone_at_another_little(
    fair: Served, proven: Proven, name: str
) -> None:
    lost, told = lost_to(fair, name)
    attack = f"attack at another table: {name}, {sum(told.values()):,} requests"
    proven(attack, f"{max(0, lost):.0%} of a phone's taps")
    assert lost <= LOST, (name, lost, told)
    assert sum(told.values()) >= 10, "it was no attack at all"
    assert told["429"] + told["cut off"] + told["held"], f"nobody was refused anything: {told}"
    assert "500" not in told


def test_what_refuses_it_are_the_limits(unfair: Served) -> None:
    """Without them nobody is refused, and a phone gets more of the server than its share."""
    begun = time.monotonic()
    _, told = lost_to(unfair, "taps")
    assert told["429"] == 0
    assert told["201"] > 60 + 20 * (time.monotonic() - begun), told


def test_what_an_attack_costs_is_noticed_where_there_are_no_limits(unfair: Served, proven: Proven) -> None:
    """From so many lines that it does not depend on the machine."""
    lost, told = lost_to(unfair, "log", times=8, tries=1)
    proven(f"the same without limits: log, {sum(told.values()):,} requests", f"{lost:.0%} of a phone's taps")
    assert lost > LOST
