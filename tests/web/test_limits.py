"""What one phone, one address or one table may have of the server, and in which words it is told."""

from __future__ import annotations

import math
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple
from html import unescape
from pathlib import Path

import pytest
from at_the_table import Handset
from flask import Flask
from test_rights import rows, token_of
from werkzeug.test import TestResponse

from companion import BadSetting, create_app
from companion.web.guard import cost_of
from companion.web.limits import DAY, MANY, MINUTE, Gate, Limits, Share, Throttle, TooMany, counted
from companion.web.road import Answer, Road

NewApp = Callable[..., Flask]


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(tmp_path: Path, new_file: Path, clock: Clock) -> Iterator[NewApp]:
    """The app with the limits that nobody has set, or with some of one's own; its clock is set by hand."""
    made: list[Flask] = []

    def make(limits: str = "") -> Flask:
        url = f"sqlite:///{shutil.copy(new_file, tmp_path / f'{len(made)}.sqlite')}"
        app = create_app(
            {"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [], "LIMITS": limits}
        )
        play = app.extensions["play"]
        play.clock = lambda: int(clock() * 1000)
        app.extensions["gate"] = Gate(app.extensions["limits"], play.store, clock, clock)
        app.extensions["throttle"] = Throttle(
            play.store, app.extensions["limits"].guesses, 60, clock, app.extensions["limits"].strangers
        )
        made.append(app)
        return app

    yield make
    for app in made:
        app.extensions["play"].store.close()


def slowed(answer: TestResponse) -> int:
    """How many seconds it is told to wait, in a sentence."""
    assert answer.status_code == 429, answer.text
    said = answer.json["refused"] if answer.is_json else unescape(answer.text)
    assert "." in said
    return int(answer.headers["Retry-After"])


# --- the setting ---


def test_each_limit_is_a_setting_and_all_are_lifted_together() -> None:
    assert Limits.read("") == Limits()
    assert (Limits.read("taps=40, tables=3").taps, Limits.read("taps=40 tables=3").tables) == (40, 3)
    assert Limits.read("taps=40").pages == Limits().pages
    assert all(math.isinf(each) for each in astuple(Limits.read("off")))
    assert all(math.isfinite(each) for each in astuple(Limits()))


@pytest.mark.parametrize("rubbish", ["yes", "taps", "taps=", "taps=0", "taps=-1", "taps=many", "tap=3", "on"])
def test_a_limit_that_cannot_be_understood_is_told_in_one_line(rubbish: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="off, or some of taps, pages, visits"):
        create_app({"DATABASE_URL": f"sqlite:///{tmp_path}/c.sqlite", "REDIS_URL": None, "LIMITS": rubbish})


# --- taps ---


def test_a_phone_that_taps_faster_than_anybody_could_waits_and_loses_nothing(
    limited: NewApp, clock: Clock
) -> None:
    ada = Handset(limited())
    code = ada.open("Ada", "Bob")
    answers = [ada.count(code, tap=f"tap-number-{n}") for n in range(65)]
    assert [answer.status_code for answer in answers] == [201] * 60 + [429] * 5
    assert slowed(answers[-1]) == 1
    clock.now += 1
    again = [ada.count(code, tap=f"tap-number-{n}").status_code for n in range(60, 65)]
    assert again == [201] * 5
    assert ada.app.extensions["play"].show(code).version == 66


def test_four_busy_phones_never_meet_a_limit(limited: NewApp, clock: Clock) -> None:
    """Each holds its + down, which sends eight taps a second, looks something up, and loads its page anew."""
    ada = Handset(limited())
    code = ada.open("Ada", "Bob", "Cleo", "Dov")
    phones = [ada, *(Handset(ada.app).join(code, seat) for seat in (2, 3, 4))]
    for second in range(20):
        clock.now += 1
        for seat, phone in enumerate(phones, 1):
            assert {phone.count(code, seat).status_code for _ in range(8)} == {201}
            for path in ("", "/parts/table", "/log", "/standing", "/recap") if second % 3 == 0 else ():
                assert phone.get(f"/s/{code}{path}").status_code == 200


def test_a_hurried_phone_slows_down_nobody_else(limited: NewApp) -> None:
    ada = Handset(limited())
    code = ada.open("Ada", "Bob")
    bob = Handset(ada.app).join(code, 2)
    while ada.count(code).status_code == 201:
        pass
    assert {bob.count(code, 2).status_code for _ in range(20)} == {201}


def test_one_address_with_many_phones_has_the_share_of_ten(limited: NewApp) -> None:
    app = limited("taps=4")  # twelve at once
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    phones = [ada, *(Handset(app).join(code) for _ in range(14))]
    for phone in phones:
        phone.tap(code, "take_seats", seats=[])
    done = [sum(phone.tap(code, "be_display").status_code == 201 for _ in range(12)) for phone in phones]
    assert done[0] > 6
    assert sum(done) <= 120


def test_what_is_taken_back_late_in_an_evening_counts_as_several_taps() -> None:
    """It is folded anew, and one phone that does nothing else would slow down every table."""
    assert [cost_of(version, "take_back") for version in (10, 5_000, 10_000)] == [1, 3, 5]
    assert cost_of(10_000, "count") == 1


def test_on_the_short_road_it_is_the_same(limited: NewApp, clock: Clock) -> None:
    app = limited()
    ada, road = Handset(app), Road(app)
    code = ada.open("Ada", "Bob")
    body = "seat=1&counter=1&by=1&round=1&tap="
    seen = []
    for number in range(62):
        form = f"{body}{number:08}"
        head = (
            f"POST /s/{code}/do/count HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
            f"Cookie: phone={token_of(ada)}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        asked = f"{head}Content-Length: {len(form)}\r\n\r\n{form}".encode()
        answer = road.answer(asked, "192.168.1.30")
        assert isinstance(answer, Answer)
        assert answer.taken == len(asked)
        seen.append((answer.data.split(b" ", 2)[1], bool(answer.wait)))
    assert seen == [(b"201", False)] * 60 + [(b"429", True)] * 2
    assert b"\r\nRetry-After: 1\r\n" in answer.data
    assert b'{"refused": "That is faster than anybody can tap.' in answer.data


def test_a_tap_that_the_loop_cannot_take_is_counted_where_it_is_answered(
    limited: NewApp, clock: Clock
) -> None:
    app = limited("taps=1")  # three at once
    ada, road = Handset(app), Road(app)
    code = ada.open("Ada", "Bob")
    heard: list[bytes] = []

    def asked(by: int) -> bytes:
        form = f"seat=1&counter=1&by={by}&round=1&tap={secrets.token_hex(8)}"
        head = (
            f"POST /s/{code}/do/count HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
            f"Cookie: phone={token_of(ada)}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        return f"{head}Content-Length: {len(form)}\r\n\r\n{form}".encode()

    assert [road.begin(asked(0), "192.168.1.30", heard.append) for _ in range(5)] == [False] * 5
    assert [road.begin(asked(1), "192.168.1.30", heard.append) for _ in range(3)] == [True] * 3
    assert [answer.split(b" ", 2)[1] for answer in heard] == [b"201"] * 3
    with pytest.raises(TooMany):
        road.begin(asked(1), "192.168.1.30", heard.append)


# --- pages ---


@pytest.mark.parametrize(
    "path", ["/log", "/recap", "/journal.json", "/scores.csv", "/bgstats", "/parts/table"]
)
def test_no_page_can_be_asked_for_in_a_loop(limited: NewApp, clock: Clock, path: str) -> None:
    ada = Handset(limited())
    code = ada.open("Ada", "Bob")
    bob = Handset(ada.app).join(code, 2)
    most = 400 if path in ("/log", "/parts/table") else 40
    assert {ada.get(f"/s/{code}{path}").status_code for _ in range(most)} == {200}
    assert slowed(ada.get(f"/s/{code}{path}"))
    assert bob.get(f"/s/{code}{path}").status_code == 200, "that is another phone"
    assert ada.count(code).status_code == 201, "and taps go on"
    clock.now += 1
    assert ada.get(f"/s/{code}{path}").status_code == 200


def test_what_reads_a_whole_journal_costs_more_late_in_an_evening(limited: NewApp) -> None:
    ada = Handset(limited("taps=100000"))
    code = ada.open("Ada", "Bob")
    for _ in range(200):
        ada.count(code)
    answers = [ada.get(f"/s/{code}/scores.csv").status_code for _ in range(40)]
    assert answers.count(200) == 400 // 11  # of a short one, all forty


def test_strangers_at_one_address_share_what_an_address_may_have(limited: NewApp, clock: Clock) -> None:
    app = limited("visits=2")
    statuses = [Handset(app).get("/").status_code for _ in range(32)]
    assert statuses == [200] * 30 + [429] * 2
    other = app.test_client().get("/", environ_overrides={"REMOTE_ADDR": "192.168.1.77"})
    assert other.status_code == 200
    clock.now += 1
    assert Handset(app).get("/").status_code == 200


def test_a_made_up_token_is_a_stranger(limited: NewApp) -> None:
    """Or whoever makes up a new one for each request would have no limit at all."""
    app = limited("visits=2")
    code = Handset(app).open("Ada", "Bob")
    statuses = []
    for _ in range(40):
        forger = Handset(app)
        forger.client.set_cookie("phone", secrets.token_hex(32))
        statuses.append(forger.count(code).status_code)
    assert set(statuses) == {403, 429}
    assert statuses[-1] == 429


# --- streams ---


class Ear:
    def __init__(self) -> None:
        self.hung_up = False
        self.closed: Callable[[], None] = lambda: None

    def send(self, data: bytes, flags: int = 0, /) -> int:
        return len(data)

    def gone(self) -> bool:
        return self.hung_up

    def close(self) -> None:
        self.closed()


def test_a_phone_has_six_streams_and_one_that_hung_up_is_none(limited: NewApp) -> None:
    app = limited()
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    bob = Handset(app).join(code, 2)
    streams = app.extensions["streams"]
    ears = [Ear() for _ in range(6)]
    for ear in ears:
        streams.attach(code, "table", ear, 1, 1)
    answer = ada.get(f"/s/{code}/live/table")
    assert slowed(answer) == 5
    assert "open 6 times on this phone" in answer.text
    assert bob.get(f"/s/{code}/live/table").status_code == 200
    ears[2].hung_up = True
    assert ada.get(f"/s/{code}/live/table").status_code == 200


def test_an_address_has_two_hundred_streams(limited: NewApp) -> None:
    gate: Gate = limited().extensions["gate"]
    ears, over = [], []
    for number in range(200):
        gate.stream([], f"2001:db8::{number:x}")
        ears.append(Ear())
        over.append(gate.hears(ears[-1], f"2001:db8::{number:x}"))
    with pytest.raises(TooMany, match="Too many phones listen from this address"):
        gate.stream([], "2001:db8::ffff")
    gate.stream([], "2001:db8:0:1::1")  # the neighbours
    over[7]()
    gate.stream([], "2001:db8::ffff")


def test_an_address_has_two_hundred_connections(limited: NewApp) -> None:
    gate: Gate = limited().extensions["gate"]
    assert all(gate.enter("192.168.1.30") for _ in range(200))
    assert not gate.enter("192.168.1.30")
    assert gate.enter("192.168.1.31")
    gate.leave("192.168.1.30")
    assert gate.enter("192.168.1.30")


# --- tables ---


def test_an_address_opens_ten_tables_a_minute_and_two_hundred_a_day(limited: NewApp, clock: Clock) -> None:
    app = limited()
    ada = Handset(app)
    form = {
        "name": ["Ada"],
        "colour": ["coral"],
        "symbol": ["sun"],
        "key": ["k"],
        "mine": ["k"],
        "starter": "k",
    }

    def open_one() -> TestResponse:
        return ada.post("/open/any-game", form | {"tap": secrets.token_hex(8)})

    for _ in range(20):
        assert {open_one().status_code for _ in range(10)} == {303}
        assert slowed(open_one()) == 60
        clock.now += 61
    answer = open_one()
    assert slowed(answer) == 3600
    assert "today" in answer.text
    clock.now += 24 * 3600
    assert open_one().status_code == 303
    assert len(rows(app)["opening"]) == 1, "what is older than a day is not kept"


def test_the_next_table_is_a_table_too(limited: NewApp) -> None:
    app = limited("tables=3")
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    statuses = []
    for _ in range(4):
        answer = ada.post(f"/s/{code}/again", {"tap": secrets.token_hex(8)})
        statuses.append(answer.status_code)
        code = answer.headers.get("Location", code)[-6:]
    assert statuses == [303, 303, 429, 429]


def test_workers_count_tables_together_and_no_restart_forgives(app_on: Flask, clock: Clock) -> None:
    store = app_on.extensions["play"].store
    app_on.extensions["play"].clock = lambda: int(clock() * 1000)
    for who in ("192.168.1.30", "192.168.1.30", "192.168.1.31"):
        gate = Gate(Limits(), store, clock, clock)  # another process
        app_on.extensions["gate"] = gate
        app_on.test_client().post(
            "/open/any-game",
            data={"tap": secrets.token_hex(8), "name": "Ada", "colour": "coral", "symbol": "sun", "key": "k"}
            | {"mine": "k", "starter": "k"},
            headers={"Origin": "http://localhost"},
            environ_overrides={"REMOTE_ADDR": who},
        )
    now = int(clock() * 1000)
    assert store.opened("192.168.1.30", now - MINUTE) == store.opened("192.168.1.30", now - DAY) == 2


# --- a table's book ---


def test_a_full_book_takes_no_more_and_says_so_in_time(limited: NewApp) -> None:
    ada = Handset(limited("entries=40"))
    code = ada.open("Ada", "Bob")
    while ada.app.extensions["play"].show(code).version < 35:
        assert ada.count(code).status_code == 201
    assert "nearly full" not in ada.get(f"/s/{code}").text
    ada.count(code)
    assert "log is nearly full" in ada.get(f"/s/{code}").text
    while (answer := ada.count(code)).status_code == 201:
        pass
    assert ada.app.extensions["play"].show(code).version == 40
    assert answer.status_code == 422
    assert "log is full" in answer.json["refused"]
    bob = Handset(ada.app).post(f"/j/{code}/{ada.secret(code)}", {"tap": "bob-comes", "watch": "yes"})
    assert bob.status_code == 422
    assert ada.tap(code, "end_sitting").status_code == 201, "an evening can always end"
    assert ada.post(f"/s/{code}/again", {"tap": "once-more"}).status_code == 303


# --- wrong codes ---


def test_all_strangers_together_guess_so_many_codes_a_minute(limited: NewApp, clock: Clock) -> None:
    """Whoever has a thousand addresses does not have a thousand times ten guesses."""
    app = limited("strangers=30 visits=1000")
    ada = Handset(app)
    code = ada.open("Ada", "Bob")

    def guess(number: int) -> int:
        who = {"REMOTE_ADDR": f"2001:db8:0:{number:x}::1"}
        return app.test_client().get("/j/222222", environ_overrides=who).status_code

    assert [guess(number) for number in range(35)] == [404] * 30 + [429] * 5
    assert ada.get(f"/s/{code}").status_code == 200
    link = app.test_client().get(f"/j/{code}/{ada.secret(code)}")
    assert link.status_code == 200, "the QR code is no guess"
    clock.now += 61
    assert guess(99) == 404


# --- how it is counted ---


def test_a_share_comes_back_little_by_little(clock: Clock) -> None:
    share = Share(10, 30, clock)
    assert [share.wait("Ada") for _ in range(30)] == [0] * 30
    assert share.wait("Ada") == pytest.approx(0.1, abs=1e-4)
    assert share.wait("Bob") == 0
    clock.now += 1
    assert [bool(share.wait("Ada")) for _ in range(11)] == [False] * 10 + [True]


def test_a_share_remembers_no_more_phones_than_there_could_be(clock: Clock) -> None:
    share = Share(10, 30, clock)
    for number in range(70_000):
        share.wait(str(number))
    assert len(share) <= MANY


def test_without_limits_nothing_is_counted(clock: Clock) -> None:
    share = Share(math.inf, math.inf, clock)
    assert {share.wait("Ada", 1_000) for _ in range(1_000)} == {0}


def test_a_household_is_one_address() -> None:
    assert counted("2001:db8::1") == counted("2001:db8::2") != counted("2001:db8:0:1::1")
    assert counted("::ffff:192.168.1.30") == counted("192.168.1.30")


def test_who_was_told_to_wait_and_asks_again_gets_a_short_word(limited: NewApp, clock: Clock) -> None:
    app = limited("pages=1 visits=1 guesses=1")
    road = Road(app)
    road.gate = app.extensions["gate"]
    ada, eve = Handset(app), Handset(app)
    code = ada.open("Ada", "Bob")
    cookie = f"Cookie: phone={token_of(ada)}\r\n"

    def word(path: str, cookie: str = "", address: str = "127.0.0.1") -> bytes:
        asked = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n".encode()
        answer = road.turned_away(asked, address)
        assert answer is None or answer.taken == len(asked)
        return answer.data if answer else b""

    assert road.gate.calm
    while ada.get(f"/s/{code}/log").status_code == 200:
        pass
    assert word(f"/s/{code}/journal.json", cookie).startswith(b"HTTP/1.1 429 ")
    assert b"Retry-After: 1\r\n" in word(f"/s/{code}", cookie)
    assert not word(f"/s/{code}"), "another phone"
    while eve.get("/").status_code == 200:
        pass
    assert word("/").startswith(b"HTTP/1.1 429 ")
    assert not word("/", address="127.0.0.9")
    while eve.get("/j/222222").status_code == 404:
        pass
    assert word("/j/333333").startswith(b"HTTP/1.1 429 ")
    assert not word("/j/333333", address="127.0.0.9")
    clock.now += 2
    assert not word("/j/333333")
    assert not word(f"/s/{code}", cookie)
