"""The short road answers as Flask does, or leaves it to Flask."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from at_the_table import ORIGIN, Handset
from flask import Flask

from companion.core.table import COLOURS, SYMBOLS
from companion.net.hosts import Proxies
from companion.web.road import Answer, Road

Phones = Callable[[], Handset]
HOST = "192.168.1.20:8000"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def road(app: Flask) -> Road:
    return Road(app)


def request(method: str, path: str, form: object = None, **more: str) -> bytes:
    body = urlencode(form, doseq=True) if form else ""  # type: ignore[arg-type]
    headers = {"Host": HOST}
    if method == "POST":
        headers |= {"Origin": f"http://{HOST}", "Content-Type": FORM, "Content-Length": str(len(body))}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n{body}".encode()


def answered(road: Road, asked: bytes) -> tuple[int, dict[str, str], str]:
    answer = road.answer(asked, "192.168.1.30")
    assert isinstance(answer, Answer)
    assert answer.taken == len(asked)
    head, _, body = answer.data.decode().partition("\r\n\r\n")
    status, *lines = head.split("\r\n")
    return int(status.split()[1]), dict(line.split(": ", 1) for line in lines), body


def cookie(handset: Handset) -> str:
    kept = handset.client.get_cookie("phone")
    assert kept
    return f"phone={kept.value}"


def table(*names: str, **more: object) -> dict[str, object]:
    many = len(names)
    looks = {
        "colour": list(COLOURS[:many]),
        "symbol": list(SYMBOLS[:many]),
        "key": [f"k{n}" for n in range(many)],
    }
    return {"tap": "tap-of-ada", "name": list(names), **looks, "starter": "k1", "mine": ["k0"], **more}


def test_a_table_opens_on_the_short_road_as_it_does_by_flask(app: Flask, road: Road, phone: Phones) -> None:
    form = table("Ada & Co.", "Bob")
    status, headers, _ = answered(road, request("POST", "/open/any-game", form))
    again = phone().post("/open/any-game", form)  # the same tap: the same table, and the same phone
    assert (status, headers["Location"]) == (again.status_code, again.headers["Location"])
    flasks = {each for each in again.headers["Set-Cookie"].split("; ") if not each.startswith("Expires=")}
    assert set(headers["Set-Cookie"].split("; ")) == flasks  # Max-Age says when it expires
    code = headers["Location"].split("/")[2]
    opened = app.extensions["play"].show(code).table
    assert ([seat.name for seat in opened.seats], opened.starter) == (["Ada & Co.", "Bob"], 2)
    assert opened.phone(1).seats == (1,)


@pytest.mark.parametrize(
    "asked",
    [
        request("POST", "/open/any-game", table("Ada", "Ada")),
        request("POST", "/open/any-game", table("Ada", tap="")),
        request("POST", "/open/any-game", table()),
        request("POST", "/open/any-game", table("Ada", "Bob"), Origin="http://elsewhere.example"),
        request("POST", "/open/any-game", table("Ada", "Bob"), Content_Type="text/plain"),
        request("POST", "/open/any-game/seat", table("Ada", "Bob")),
        request("POST", "/open/no-such-game", table("Ada", "Bob")),
        request("GET", "/open/any-game"),
        request("GET", "/open/live"),
    ],
)
def test_a_table_that_cannot_open_like_this_is_left_to_flask(app: Flask, road: Road, asked: bytes) -> None:
    assert road.answer(asked, "192.168.1.30") is None
    assert app.extensions["play"].store.all_sittings() == []


def test_behind_a_proxy_flask_opens_since_it_knows_whether_the_cookie_is_for_https_only(road: Road) -> None:
    road.proxies = Proxies(1)
    assert road.answer(request("POST", "/open/any-game", table("Ada", "Bob")), "192.168.1.30") is None


def test_the_page_with_the_qr_code_is_the_one_that_flask_draws(app: Flask, road: Road, phone: Phones) -> None:
    ada, road.port = phone(), 8000
    code = ada.open("Ada", "Bob")
    flasks = app.test_client(use_cookies=False).get(
        f"/s/{code}/people",
        headers={"Host": HOST, "Cookie": cookie(ada)},
        environ_overrides={"SERVER_PORT": "8000"},
    )
    status, headers, page = answered(road, request("GET", f"/s/{code}/people", Cookie=cookie(ada)))
    now = re.compile(r'data-now="\d+"')
    assert (status, now.sub("", page)) == (200, now.sub("", flasks.text))
    assert f"http://{HOST}/j/{code}/{ada.secret(code)}" in page
    assert headers == {name: value for name, value in flasks.headers.items() if name in headers}
    assert {*flasks.headers.keys()} - headers.keys() == set()


def test_only_who_is_at_the_table_gets_that_page_there(road: Road, phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.post(f"/j/{code}", {"tap": "tap-of-bob", "label": "Bob"})  # waits to be let in
    page = f"/s/{code}/people"
    assert road.answer(request("GET", page), "192.168.1.30") is None
    assert road.answer(request("GET", page, Cookie=cookie(bob)), "192.168.1.30") is None
    ada.tap(code, "admit", role="host", phone=2)
    assert "Join this table" in answered(road, request("GET", page, Cookie=cookie(bob)))[2]
    ada.tap(code, "remove_phone", role="host", phone=2)
    assert road.answer(request("GET", page, Cookie=cookie(bob)), "192.168.1.30") is None


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/s/{}/people?address=1", {}),
        ("/s/{}/people", {"Content_Length": "5"}),  # what follows would be taken for the next request
        ("/s/{}/people", {"Host": "<script>"}),
        ("/s/{}/people/more", {}),
    ],
)
def test_a_look_at_that_page_that_means_more_is_left_to_flask(
    road: Road, phone: Phones, path: str, more: dict[str, str]
) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    assert road.answer(request("GET", path.format(code), Cookie=cookie(ada), **more), "192.168.1.30") is None


def test_the_origin_that_these_tests_post_from_is_not_what_makes_them_pass(road: Road) -> None:
    asked = request("POST", "/open/any-game", table("Ada", "Bob"), **ORIGIN)
    assert road.answer(asked, "192.168.1.30") is None


def test_a_form_that_no_phone_sends_goes_to_flask_and_is_refused_with_a_sentence(
    road: Road, phone: Phones
) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    many = {f"field {n}": "a b" for n in range(900)}
    asked = request("POST", f"/s/{code}/do/count", many, Cookie=cookie(ada))
    assert len(asked) > 10_000
    assert road.answer(asked, "192.168.1.30") is None
    answer = ada.post(f"/s/{code}/do/count", many)
    assert answer.status_code == 422
    assert answer.json == {"refused": "This tap came without its number. Reload the page and tap again."}


def test_a_tap_reads_the_clock_once_whichever_way_it_takes(
    app: Flask, road: Road, phone: Phones, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, play, read = phone(), app.extensions["play"], []
    code = ada.open("Ada", "Bob")
    clock = play.clock
    monkeypatch.setattr(play, "clock", lambda: read.append(clock()) or read[-1])

    def asked(number: int) -> bytes:
        form = {"tap": f"tap-{number}-of-ada", "seat": 1, "counter": 1, "by": 1, "round": 1}
        return request("POST", f"/s/{code}/do/count", form, Cookie=cookie(ada))

    ways = (
        lambda: road.begin(asked(1), "192.168.1.30", lambda data: None),
        lambda: road.answer(asked(2), "192.168.1.30"),
        lambda: ada.count(code),
    )
    for way in ways:
        read.clear()
        assert way()
        assert read == [play.show(code).journal.entries[-1].at]
