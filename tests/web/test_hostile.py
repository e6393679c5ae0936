"""Whatever arrives, it is shown as text or refused in a sentence. Nothing answers 500."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import count, islice, product
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from at_the_table import ORIGIN, Handset
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlmodel import SQLModel
from werkzeug.test import EnvironBuilder, TestResponse

from companion.core.command import parameters, right
from companion.core.text import clean
from companion.games import shelf
from companion.web.limits import Throttle

TEXTS = {
    "a script": "<script>x</script>",
    "an element": "<blink>Bob",
    "a way out of an attribute": "\"'><blink onx=1>",
    "an attribute": '" onx="1',
    "an attribute in single quotes": "' onx='1",
    "a template": "{{7*7}}",
    "a template block": "{% raw %}",
    "an entity": "&amp;&lt;",
    "the end of a partial": "</hx-partial>",
    "a comment": "<!-- Bob",
    "right to left": "\u202eBob\u202c",
    "isolates": "\u2066Bob\u2069",
    "a NUL byte": "B\0b",
    "nothing but NUL": "\0\0",
    "10 kB": "B" * 10_000,
    "9 kB of markup": "<b>" * 3000,
    "emoji": "👩‍👩‍👧‍👦🏴‍☠️",
    "zero width": "\u200b\u200d\ufeff",
    "blanks that count as letters": "\u3164\u2800",
    "spaces": " \t\r\n\u00a0",
    "nothing": "",
    "a header": "Bob\r\nSet-Cookie: phone=1",
    "another event of the stream": "Bob\n\nid: 0-999\ndata: x",
    "line separators": "Bo\u2028b\u2029\x85\x0b\x0c",
    "SQL": "'; DROP TABLE seat;--",
    "a path": "../../etc/passwd",
    "a format": "%s%n{0}${7*7}",
    "letters piled up": "B" + "\u0301" * 20,
    "a private letter": "\ue000\U0010ffff",
    "a line in JSON": '{"name": "Bob"}',
}
RAW = {
    "a lone surrogate": b"%ED%A0%80",
    "half a character": b"%C3",
    "not UTF-8": b"%FF%FE",
    "raw bytes": b"\xff\xfe\xed\xa0\x80",
    "overlong": b"%C0%80",
    "a broken escape": b"%G1%",
}
NUMBERS = (
    "", " ", "Bob", "1.5", "1e9", "1e999", "NaN", "inf", "-1", "0", "-0", "+", "-", "--1", "3+", "1;2",
    "0x10", "1_000",
    "null", "true", "[]", "{}", "\0", "1\0", "١", "１", "²", "½", "2147483648", "-2147483649",
    "9223372036854775808", "-9223372036854775809", "9" * 400, "9" * 5000, "1+" * 5000 + "1",
    "<script>", "{{7*7}}", "\u202e7",
)  # fmt: skip
WHOLE = {
    "seat", "seats", "phone", "entry", "by", "to", "round", "after", "start", "length", "shown", "asking",
    "number",
}  # fmt: skip
VALID = {
    "seat": "1", "seats": "2", "phone": "2", "name": "Eve", "colour": "sand", "symbol": "bell", "way": "down",
    "locked": "yes", "own_seats_only": "yes", "fixed": "yes",
    "entry": "3", "rule": "who-wins", "choice": "lowest",
    "counter": "1", "by": "1", "to": "7", "round": "1", "after": "1", "start": "0",
    "length": "30", "mode": "down", "throw_what": "d6", "shown": "4",
    "asking": "1", "number": "42", "on": "yes", "lesson": "thirty",
    "title": "Skull King", "target": "100", "order": "rank", "starter": "moves",
}  # fmt: skip


TURNS = count()  # of those who each look at some pages
HARMFUL = re.compile(r"<blink|\bonx|<script\b(?![^>]*\ssrc=)", re.IGNORECASE)
HIDDEN = re.compile("[\0\x0b\x0c\x85\u2028-\u202e\u2066-\u2069]")


class Tags(HTMLParser):
    """What a browser would make of a page: its elements and the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.inline = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.inline |= tag == "script" and "src" not in dict(attrs)


def rows(app: Flask) -> dict[str, list[Any]]:
    with app.extensions["play"].store.engine.connect() as connection:
        tables = [table for table in SQLModel.metadata.sorted_tables if table.name != "miss"]
        return {table.name: sorted(map(tuple, connection.execute(select(table)))) for table in tables}


def sentence(answer: TestResponse) -> str:
    """What a person is told, from a page or from the answer to a tap."""
    if answer.is_json:
        return str(answer.json["refused"])
    found = re.search(r'class="sentence"[^>]*>(.*?)</p>', answer.text, re.S)
    assert found, f"{answer.status}: no sentence in {answer.text[:300]}"
    return unescape(found[1])


def assert_told(answer: TestResponse) -> None:
    """Refused in words: one sentence, without a trace of what could hide or break something."""
    said = sentence(answer)
    assert said.strip().endswith((".", ".)")), said
    assert clean(said) == said
    assert len(said) < 300
    assert "Traceback" not in answer.text


def assert_harmless(page: str, where: str = "") -> None:
    """A page that does not even hold those words need not be taken apart for them."""
    assert page.count("<hx-partial ") == page.count("</hx-partial>"), where
    assert not HIDDEN.search(page), where
    if HARMFUL.search(page):
        tags = Tags(page)
        assert "blink" not in tags.elements, where
        assert "onx" not in tags.attributes, where
        assert not tags.inline, where


def pages(code: str) -> list[str]:
    table = [
        "",
        "/people",
        "/display",
        "/seat",
        "/chair/1",
        "/form/counter-1",
        "/form/cell-1-1-1",
        "/log",
        "/recap",
        "/standing",
    ]
    parts = ["/parts/table", "/parts/people", "/parts/display", "/live/table", "/live/people", "/parts/recap"]
    return [
        "/",
        "/history",
        "/history/any-game",
        "/open/any-game",
        *(f"/s/{code}{path}" for path in table + parts),
    ]


def assert_every_page_stands(ada: Handset, code: str, *more: str) -> None:
    assert_stand(ada, [*pages(code), *(f"/s/{code}{path}" for path in more)])
    door = Handset(ada.app).get(f"/j/{code}")
    assert door.status_code == 200
    assert_harmless(door.text)


def assert_stand(ada: Handset, paths: list[str]) -> None:
    for path in paths:
        answer = ada.get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert_harmless(answer.text, path)


@pytest.fixture
def patient(app: Flask) -> Flask:
    """Wrong codes are not counted here, or most answers would only say "too many"."""
    app.extensions["throttle"] = Throttle(app.extensions["play"].store, 1_000_000, 60)
    return app


@pytest.fixture
def ada(patient: Flask) -> Handset:
    return Handset(patient)


@pytest.fixture
def code(ada: Handset) -> str:
    return new_table(ada)


def new_table(ada: Handset) -> str:
    """Ada's, with Bob at it and two taps in its log."""
    code = ada.open("Ada", "Bob", "Cleo")
    Handset(ada.app).join(code, 2)
    ada.count(code)
    return code


def raw_post(phone: Handset, path: str, body: bytes, **headers: str) -> TestResponse:
    return phone.client.post(
        path, data=body, content_type="application/x-www-form-urlencoded", headers=ORIGIN | headers
    )


COMMANDS = shelf()["any-game"].by_name


def form_of(command: str) -> dict[str, str]:
    wanted = parameters(COMMANDS[command])
    assert set(wanted) <= set(VALID), f"{command} asks for something that these tests do not know"
    return {name: VALID[name] for name in wanted}


def tap(ada: Handset, code: str, command: str, form: dict[str, Any]) -> TestResponse:
    way = "host" if right(COMMANDS[command]) == "host" else "do"
    return ada.post(f"/s/{code}/{way}/{command}", {"tap": secrets.token_hex(8), **form})


def version(app: Flask, code: str) -> int:
    """As it is on disk, not as the process remembers it."""
    play = app.extensions["play"]
    return int(play.store.newest(play.show(code).id))


# --- what people type ---


def test_a_table_can_be_opened_with_any_name_or_says_why_not(ada: Handset) -> None:
    kept: dict[str, str] = {}
    for what, text in TEXTS.items():
        form = {"name": text, "colour": "coral", "symbol": "sun", "key": "k1", "mine": "k1"}
        before = rows(ada.app)
        answer = ada.post("/open/any-game", {"tap": secrets.token_hex(8), **form})
        if answer.status_code == 303:
            code = answer.headers["Location"].split("/")[2]
            assert clean(text) in unescape(ada.get(f"/s/{code}").text), what
            kept[clean(text).casefold()] = text
        else:
            assert answer.status_code == 422, what
            assert_told(answer)
            assert_harmless(HIDDEN.sub("", answer.text))  # what was typed is kept in its field
            assert rows(ada.app) == before
    assert len(kept) > 15
    for together in batched(kept.values(), 12):  # each on every page
        code = ada.open(*together)
        assert_every_page_stands(ada, code, *(f"/chair/{n}" for n in range(2, len(together) + 1)))


def batched(what: Iterable[str], many: int) -> Iterator[list[str]]:
    left = iter(what)
    while some := list(islice(left, many)):
        yield some


@pytest.mark.parametrize("by", ["typed code", "QR code"])
def test_a_phone_can_call_itself_anything_or_is_told_why_not(ada: Handset, code: str, by: str) -> None:
    for what, text in TEXTS.items():
        bob, before = Handset(ada.app), rows(ada.app)
        path = f"/j/{code}" + (f"/{bob.secret(code)}" if by == "QR code" else "")
        answer = bob.post(path, {"tap": secrets.token_hex(8), "label": text})
        if answer.status_code == 303:
            phone = ada.app.extensions["play"].show(code).table.phones[-1]
            assert phone.label in (clean(text), f"Phone {phone.number}"), what
            assert phone.label in unescape(ada.get(f"/s/{code}/people").text)
        else:
            assert answer.status_code == 422, what
            assert_told(answer)
            assert "Set-Cookie" not in answer.headers
            assert rows(ada.app) == before
    assert_every_page_stands(ada, code)


THOROUGH = ("count", "rename_seat")
ASKING = [name for name, command in COMMANDS.items() if parameters(command)]


def values(command: str, argument: str) -> list[str]:
    """All that there is for the one who counts and the one who names; for the others each a third of it in
    turn, since they read numbers and names in the same way."""
    every = [*NUMBERS, *list(TEXTS.values())[::5]] if argument in WHOLE else [*TEXTS.values(), "0", "-1"]
    return every if command in THOROUGH else every[ASKING.index(command) % 3 :: 3]


def test_every_field_of_every_command_takes_what_it_can_and_refuses_the_rest(ada: Handset) -> None:
    """Each at a table of its own, of which those who count and name then see every page, the others some."""
    for command in ASKING:
        code = new_table(ada)
        for argument in form_of(command):
            for value in values(command, argument):
                before = version(ada.app, code)
                answer = tap(ada, code, command, form_of(command) | {argument: value})
                assert answer.status_code in (201, 422), (command, argument, value, answer.text)
                assert version(ada.app, code) == before + (answer.status_code == 201), (command, value)
                if answer.status_code == 201:
                    assert set(answer.json) == {"tap", "version"}, command
                else:
                    assert_told(answer)
            without = {name: value for name, value in form_of(command).items() if name != argument}
            assert tap(ada, code, command, without).status_code in (201, 422), (command, argument)
        if command in THOROUGH:
            assert_every_page_stands(ada, code, "/bgstats")
        else:
            assert_stand(ada, pages(code)[next(TURNS) % 4 :: 4])


TYPED = ("<blink>Bob", "\"'><i onx=1>", "{{7*7}}", "&amp;&lt;", "👩‍👩‍👧‍👦", "O’Bob & Söhne")


def test_hostile_names_are_shown_as_they_were_typed(ada: Handset) -> None:
    for text in TYPED:
        code = new_table(ada)
        taps = [
            ("rename_seat", {"seat": 1, "name": text}),
            ("add_seat", {"name": text + "2"}),
            ("rename_counter", {"counter": "1", "name": text}),
            ("add_counter", {"name": text + "2"}),
            ("count", {"seat": 1, "counter": "1", "by": 1, "round": 1}),
            ("end_game", {}),
        ]
        for command, form in taps:
            assert tap(ada, code, command, form).status_code == 201, (text, command)
        assert_every_page_stands(ada, code, *(["/bgstats"] if text is TYPED[0] else []))
        for path in ("", "/people", "/display", "/seat", "/chair/1", "/form/counter-1"):
            assert text in unescape(ada.get(f"/s/{code}{path}").text), (text, path)


@pytest.mark.parametrize("body", RAW.values(), ids=RAW.keys())
def test_bytes_that_are_no_text_are_shown_as_text_or_refused(ada: Handset, code: str, body: bytes) -> None:
    def sent(phone: Handset, path: str, form: bytes, tap: bytes | None = None) -> TestResponse:
        return raw_post(phone, path, form + b"&tap=" + (tap or secrets.token_hex(8).encode()))

    answers = [
        sent(ada, "/open/any-game", b"colour=coral&symbol=sun&key=k1&name=" + body),
        sent(Handset(ada.app), f"/j/{code}", b"label=" + body),
        sent(ada, f"/s/{code}/host/add_seat", b"name=" + body),
        sent(ada, f"/s/{code}/do/add_counter", b"start=0&name=" + body),
        sent(ada, f"/s/{code}/do/count", b"seat=1&counter=1&round=1&by=" + body),
        sent(ada, f"/s/{code}/do/count", body + b"=1"),
        sent(ada, f"/s/{code}/do/count", b"seat=1&counter=1&round=1&by=1", body),
        sent(ada, f"/s/{code}/seat", b"seats=" + body),
    ]
    for answer in answers:
        assert answer.status_code in (201, 303, 422), answer.text
        if answer.status_code == 422:
            assert_told(answer)
    assert_every_page_stands(ada, code)


# --- numbers ---


def test_rubbish_in_an_address_is_passed_over(ada: Handset, code: str) -> None:
    for number in NUMBERS:
        for query in ("/log?before=", "/people?address=", "/parts/table?version=", "/display?address="):
            assert ada.get(f"/s/{code}{query}{quote(number)}").status_code == 200, (query, number)
        heard = ada.get(f"/s/{code}/live/table", headers={"Last-Event-ID": quote(number)})
        assert heard.status_code == 200


def test_bytes_that_are_no_text_in_an_address_are_refused(ada: Handset, code: str) -> None:
    for path in ("/join", "/rules/answers", f"/s/{code}/people", f"/s/{code}/live/table", f"/s/{code}/recap"):
        answer = ada.get(path, environ_overrides={"QUERY_STRING": "address=\xff"})
        assert answer.status_code == 400, path
        assert_told(answer)
        text = ada.get(path, environ_overrides={"QUERY_STRING": "address=\xc3\xa9"})
        assert text.status_code in (200, 422), path


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_form_at_all_moves_the_table_on_by_one_or_not_at_all(
    ada: Handset, code: str, data: st.DataObject
) -> None:
    command = data.draw(st.sampled_from(sorted(name for name in COMMANDS if parameters(COMMANDS[name]))))
    form: dict[str, Any] = form_of(command)
    junk = st.one_of(
        st.text(max_size=30), st.integers().map(str), st.floats().map(str), st.sampled_from(NUMBERS)
    )
    form[data.draw(st.sampled_from(sorted(form)))] = data.draw(st.lists(junk, max_size=3))
    before = version(ada.app, code)
    encoded = urlencode({**form, "tap": secrets.token_hex(8)}, doseq=True, errors="surrogatepass")
    way = "host" if right(COMMANDS[command]) == "host" else "do"
    answer = raw_post(ada, f"/s/{code}/{way}/{command}", encoded.encode())
    assert answer.status_code in (201, 403, 422), answer.text  # 403: the host may have handed the role on
    assert version(ada.app, code) == before + (answer.status_code == 201)
    if answer.status_code == 201:
        assert answer.json["version"] == before + 1
        assert ada.get(f"/s/{code}").status_code == 200
    else:
        assert_told(answer)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(max_size=40), label=st.text(max_size=40), starter=st.text(max_size=10))
def test_any_opening_is_a_table_or_a_sentence(ada: Handset, name: str, label: str, starter: str) -> None:
    fixed = {"tap": secrets.token_hex(8), "colour": "coral", "symbol": "sun", "key": "k1"}
    chosen = {"starter": "k1" if len(starter) < 5 else starter}
    body = urlencode(fixed | chosen | {"name": name}, errors="surrogatepass").encode()
    answer = raw_post(ada, "/open/any-game", body)
    assert answer.status_code in (303, 422)
    if answer.status_code == 422:
        assert_told(answer)
        return
    code = answer.headers["Location"].split("/")[2]
    asked = urlencode({"tap": secrets.token_hex(8), "label": label}, errors="surrogatepass").encode()
    assert raw_post(Handset(ada.app), f"/j/{code}", asked).status_code in (303, 422)
    assert_stand(ada, pages(code)[next(TURNS) % 4 :: 4])


# --- addresses ---

ABSURD = (
    "%00", "..", "%2e%2e%2f", "..%2f..%2fetc%2fpasswd", "x" * 10_000, "%F0%9F%92%A9", "%FF%FE", "%ED%A0%80",
    "%E2%80%AE", "{{7*7}}", "%3Cscript%3E", "%22%27%3E", "%0d%0aSet-Cookie:%20x=1", "%20", "-1", "0",
    "99999999999999999999", "__class__", "__init__", "None", "%25", "%252e%252e", ";", "%5c", "*", "~",
)  # fmt: skip


@pytest.mark.parametrize("who", ["the host", "a stranger"])
def test_no_address_however_absurd_breaks_anything(patient: Flask, ada: Handset, code: str, who: str) -> None:
    """Each argument of each route holds what nobody meant: of all there is every so many, in turn."""
    good = {
        "code": code, "secret": ada.secret(code), "slug": "any-game", "command": "count", "page": "table",
        "form": "new-counter", "int:id": "1", "int:version": "1", "path:filename": "css/tokens.css",
        "path:name": "site.css",
        "ruling": "both-lost", "version": "0123456789",
    }  # fmt: skip
    before = rows(patient)
    phone, share = (ada, 3) if who == "the host" else (Handset(patient), 6)
    turns = count()
    for rule in patient.url_map.iter_rules():
        names = re.findall(r"<([^>]+)>", rule.rule)
        assert set(names) <= set(good), f"{rule.rule} takes something that these tests do not know"
        for bad, absurd in ((bad, each) for bad in names for each in ABSURD[next(turns) % share :: share]):
            path = "".join(
                absurd if piece == bad else good.get(piece, piece) for piece in re.split("[<>]", rule.rule)
            )
            method = "POST" if "POST" in (rule.methods or ()) else "GET"
            answer = phone.client.open(path, method=method, headers=ORIGIN, buffered=True)
            assert answer.status_code < 500, (method, path)
            assert "Set-Cookie" not in answer.headers, (method, path)
            if answer.status_code >= 400:
                assert sentence(answer)
                assert_harmless(answer.text)
    assert rows(patient) == before


NOWHERE = (
    "//", "/./..", "/s", "/s/", "/j", "/j/", "/s//people", "//evil.example/s", "/\\evil.example",
    "/%2f%2fevil.example", "/favicon.ico", "/robots.txt", "/.git/config", "/static", "/static/",
    "/static/../pyproject.toml", "/static/%2e%2e/pyproject.toml", "/open", "/open/", "/games/.css",
    "/join", "/join?code=%00", "/join?code=" + "Z" * 10_000, "/join?code=../..", "/join?code=//evil.example",
)  # fmt: skip


def test_addresses_that_are_none_lead_nowhere_else(ada: Handset) -> None:
    for path in NOWHERE:
        answer = ada.client.open(path, buffered=True)
        assert answer.status_code in (302, 308, 404, 405, 421, 422), path
        if answer.status_code < 400:
            there = answer.headers["Location"]
            assert re.match(r"(http://localhost)?/(?![/\\])", there), there
            assert ada.get(there).status_code in (200, 404, 422)
        else:
            assert sentence(answer)


def test_unknown_commands_pages_and_games_are_refused_in_a_sentence(ada: Handset, code: str) -> None:
    before = rows(ada.app)
    nowhere = [
        ada.get("/open/chess"),
        ada.get("/open/chess/seat"),
        ada.get("/games/chess.css"),
        ada.get("/games/chess/rulings.json"),
        ada.get("/rules/chess"),
        ada.get("/rules/chess/castling"),
        ada.get("/rules/answers?game=chess&q=castling"),
        ada.get("/history/chess"),
        ada.post("/open/chess", {"tap": "opening-1"}),
    ]
    assert [answer.status_code for answer in nowhere] == [404] * len(nowhere)
    answers = [
        *nowhere,
        ada.tap(code, "cheat"),
        ada.tap(code, "cheat", role="host"),
        ada.tap(code, "__init__"),
        ada.tap(code, "c" * 5000),
        ada.tap(code, "%E2%80%AE"),
        ada.get(f"/s/{code}/parts/cellar"),
        ada.get(f"/s/{code}/live/cellar"),
        ada.get(f"/s/{code}/form/cellar"),
        ada.get(f"/s/{code}/chair/99"),
    ]
    for answer in answers:
        assert answer.status_code in (404, 422), answer.request.path
        assert sentence(answer)
        assert_harmless(HIDDEN.sub("", answer.text))
    assert rows(ada.app) == before


# --- methods, bodies and headers ---


def test_a_wrong_method_is_told_so_and_changes_nothing(patient: Flask, ada: Handset, code: str) -> None:
    before = rows(patient)
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "BREW", "get"):
        for path in [*pages(code), f"/s/{code}/do/count", f"/s/{code}/host/add_seat", f"/j/{code}"]:
            answer = ada.client.open(path, method=method, headers=ORIGIN)
            assert answer.status_code < 500
            if answer.status_code >= 400:
                assert_told(answer)
    assert rows(patient) == before


def test_head_answers_as_get_does_but_without_a_body(ada: Handset, code: str) -> None:
    for path in [*pages(code), "/nowhere", f"/s/{code}/do/count", "/static/css/tokens.css"]:
        head, got = ada.client.head(path, buffered=True), ada.get(path, buffered=True)
        assert (head.status_code, head.data) == (got.status_code, b""), path
        assert head.content_type == got.content_type


def test_asking_for_the_head_of_a_stream_opens_none(app: Flask, ada: Handset, code: str) -> None:
    cookie = ada.client.get_cookie("phone")
    assert cookie
    for method, opened in (("HEAD", False), ("GET", True)):
        asked = EnvironBuilder(
            f"/s/{code}/live/table", method=method, headers={"Cookie": f"phone={cookie.value}"}
        )
        environ = asked.get_environ()
        assert list(app(environ, lambda status, headers, exc_info=None: lambda data: None)) is not None
        assert ("companion.stream" in environ) == opened


def test_options_says_what_can_be_done_and_does_nothing(patient: Flask, ada: Handset, code: str) -> None:
    before = rows(patient)
    for path in [*pages(code), f"/s/{code}/do/count", f"/j/{code}"]:
        answer = ada.client.options(path)
        assert answer.status_code == 200
        assert "OPTIONS" in answer.headers["Allow"]
        assert not answer.data
    assert rows(patient) == before


POSTS = (
    "/open/any-game", "/j/{code}", "/j/{code}/{secret}", "/s/{code}/seat", "/s/{code}/do/count",
    "/s/{code}/host/add_seat", "/s/{code}/again", "/s/{code}/forget",
)  # fmt: skip
BRINGS = "/history/bring"  # takes a whole evening, so more than all others; test_history spoils what it takes


def test_these_are_all_the_posts_there_are(app: Flask) -> None:
    known = {re.sub("any-game|count|add_seat", "", path.format(code="", secret="")) for path in POSTS}
    there = {re.sub("<[^>]+>", "", r.rule) for r in app.url_map.iter_rules() if "POST" in (r.methods or ())}
    assert known | {BRINGS} == there


def test_a_body_that_is_too_large_is_refused_in_a_sentence(ada: Handset, code: str) -> None:
    before = rows(ada.app)
    for path in POSTS:
        full = path.format(code=code, secret=ada.secret(code))
        answer = ada.post(full, {"tap": "too-large", "name": "B" * 70_000})
        assert answer.status_code == 413, path
        assert_told(answer)
    assert rows(ada.app) == before


PART = b'--x\r\nContent-Disposition: form-data; name="tap"'
BODIES = {
    "JSON": ("application/json", json.dumps({"tap": "json-tap-1", "name": "Eve", "seat": 1}).encode()),
    "broken JSON": ("application/json", b'{"tap": '),
    "XML": ("application/xml", b"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>"),
    "plain text": ("text/plain", b"tap=plain-tap&name=Eve"),
    "no type at all": ("", b"tap=untyped-tap&name=Eve"),
    "a type of nonsense": ("\u00ff/;;=", b"tap=nonsense-tap"),
    "multipart without a boundary": ("multipart/form-data", b"--x\r\n\r\n"),
    "multipart that ends too soon": ("multipart/form-data; boundary=x", PART),
    "multipart with a file": (
        "multipart/form-data; boundary=x",
        PART + b'; filename="a"\r\n\r\nfile-tap-1\r\n--x--\r\n',
    ),
    "a thousand parts": ("multipart/form-data; boundary=x", (PART + b"\r\n\r\n\r\n") * 1010 + b"--x--\r\n"),
    "a character set nobody has": ("application/x-www-form-urlencoded; charset=utf-99", b"tap=charset"),
    "thirty thousand fields": ("application/x-www-form-urlencoded", b"a&" * 30_000),
    "nothing": ("application/x-www-form-urlencoded", b""),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_of_another_kind_is_refused_in_a_sentence(ada: Handset, code: str, kind: str) -> None:
    content_type, body = BODIES[kind]
    before = rows(ada.app)
    for path in POSTS:
        full = path.format(code=code, secret=ada.secret(code))
        phone = Handset(ada.app) if path.startswith("/j/") else ada
        answer = phone.client.post(full, data=body, content_type=content_type, headers=ORIGIN)
        assert answer.status_code in (400, 413, 422), (full, answer.text)
        assert_told(answer)
    assert rows(ada.app) == before


def test_a_body_whose_length_is_a_lie_is_no_tap(ada: Handset, code: str) -> None:
    before = rows(ada.app)
    for length in ("-1", "Bob", "99999999999999999999", ""):
        answer = ada.client.post(
            f"/s/{code}/host/add_seat", data=b"", headers=ORIGIN, environ_overrides={"CONTENT_LENGTH": length}
        )
        assert answer.status_code in (400, 413, 422), length
        assert_told(answer)
    assert rows(ada.app) == before


def test_a_tap_without_a_proper_id_is_never_taken(ada: Handset, code: str) -> None:
    before = rows(ada.app)
    opening = {"name": "Eve", "colour": "sky", "symbol": "sun", "key": "k1"}
    for tap_id in ("", "short", "x" * 81, "with space", "tap\n12345", "töpferei", "a/../../b", "<script>"):
        stranger, tap = Handset(ada.app), {"tap": tap_id}
        answers = [
            ada.post(f"/s/{code}/do/count", tap | {"seat": 1, "counter": "1", "by": 1, "round": 1}),
            ada.post(f"/s/{code}/host/add_seat", tap | {"name": "Eve"}),
            ada.post(f"/s/{code}/seat", tap | {"seats": "1"}),
            ada.post("/open/any-game", tap | opening),
            stranger.post(f"/j/{code}", tap | {"label": "Eve"}),
            stranger.post(f"/j/{code}/{ada.secret(code)}", tap),
        ]
        for answer in answers:
            assert answer.status_code == 422, tap_id
            assert_told(answer)
    assert rows(ada.app) == before


def test_a_field_that_comes_twice_is_read_once(ada: Handset, code: str) -> None:
    twice = ada.tap(code, "count", seat=["1", "2"], counter=["1", "1"], by=["5", "1"], round=["1", "1"])
    assert twice.status_code == 201
    assert ada.app.extensions["play"].show(code).journal.state.got(1, 2, "1") == 1
    body = b"tap=first-tap-1&tap=second-tap-2&seat=1&counter=1&by=1&round=1"
    for _ in range(2):
        answer = raw_post(ada, f"/s/{code}/do/count", body)
        assert (answer.status_code, answer.json["tap"]) == (201, "first-tap-1")
        assert answer.json["version"] == twice.json["version"] + 1


def test_fields_that_nobody_asked_for_do_nothing(ada: Handset, code: str) -> None:
    extra = {"state": "x", "context": "y", "self": "z", "phone": "9", "__class__": "w", "tap[]": "v"}
    form = {"tap": "with-extras", "name": "Gold"} | extra
    assert ada.post(f"/s/{code}/do/add_counter", form).status_code == 201


def test_any_accept_gets_its_sentence(ada: Handset, code: str) -> None:
    for accept in (
        "",
        "*/*",
        "text/plain",
        "application/json",
        "image/webp;q=banana",
        "a" * 5000,
        "\u00ff",
        ",;",
    ):
        for path in ("/nowhere", f"/s/{code}/form/cellar", "/s/ZZZZZZ", "/open/chess"):
            answer = ada.get(path, headers={"Accept": accept})
            assert answer.status_code in (404, 422)
            assert_told(answer)
            assert answer.is_json == (accept == "application/json")
        assert ada.get("/", headers={"Accept": accept}).status_code == 200


COOKIES = (
    "phone=", "phone", "phone=\u00ff\u00fe", "phone=" + "x" * 8000, "phone=a; phone=b", 'phone="\\000"',
    "=;=;", "phone=%00", "phone=" + "0" * 64,
)  # fmt: skip


def test_a_cookie_of_rubbish_is_a_stranger(patient: Flask, code: str, ada: Handset) -> None:
    bare = patient.test_client(use_cookies=False)
    for cookie in COOKIES:
        for path in pages(code):
            assert bare.get(path, headers={"Cookie": cookie}).status_code in (200, 302, 403), path
        answer = bare.post(
            f"/j/{code}/{ada.secret(code)}",
            data={"tap": secrets.token_hex(8)},
            headers=ORIGIN | {"Cookie": cookie},
        )
        assert answer.status_code == 303
        assert len(answer.headers["Set-Cookie"]) < 300


HOSTS = (
    "", " ", "[", "a b", "x" * 3000, "localhost:99999", "evil.example", "\u00ff", "<script>", "a,b",
    "[::1]:80", "..", "@", "localhost:", ":80",
)  # fmt: skip


def test_any_host_header_gets_an_answer_and_no_power(patient: Flask, ada: Handset, code: str) -> None:
    cookie = ada.client.get_cookie("phone")
    assert cookie
    bare, before = patient.test_client(use_cookies=False), rows(patient)
    for host in HOSTS:
        headers = {"Host": host, "Cookie": f"phone={cookie.value}"}
        for path in ("/", f"/s/{code}", f"/s/{code}/people", f"/j/{code}", f"/s/{code}/live/table"):
            answer = bare.get(path, headers=headers)
            ours = host in ("[::1]:80", "localhost:99999")
            assert answer.status_code in ((200, 302, 400) if ours else (400, 421)), (host, path)
            assert_harmless(answer.text)
        for origin in ("http://localhost", "http://", "", f"http://{host}/"):
            form = {"tap": "forged-tap", "seat": 1, "counter": "1", "by": 1, "round": 1}
            sent = bare.post(f"/s/{code}/do/count", data=form, headers=headers | {"Origin": origin})
            assert sent.status_code in (400, 403, 421), (host, origin)
    assert rows(patient) == before


HEADERS = (
    "Last-Event-ID", "HX-Request", "Referer", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
    "Range", "If-None-Match", "If-Modified-Since", "Accept-Language", "User-Agent", "Authorization",
    "Content-Encoding", "X-HTTP-Method-Override",
    "Transfer-Encoding", "Expect", "Upgrade", "Cookie2", "Forwarded",
)  # fmt: skip


def test_headers_of_rubbish_are_passed_over(ada: Handset, code: str) -> None:
    before = rows(ada.app)
    for header, value in product(
        HEADERS, ("", "\u00ff", "x" * 5000, "bytes=9-1,-", "chunked", "%00", "DELETE")
    ):
        for path in ("/", f"/s/{code}", f"/s/{code}/live/table", "/static/css/tokens.css"):
            answer = ada.get(path, headers={header: value}, buffered=True)
            assert answer.status_code in (200, 206, 304, 416), (path, header, value)
    assert rows(ada.app) == before


def test_our_own_fault_is_told_without_its_insides(app: Flask, phone: Callable[[], Handset]) -> None:
    app.add_url_rule("/broken", "broken", lambda: str(1 // 0))
    answer = phone().get("/broken")
    assert answer.status_code == 500
    assert_told(answer)
    assert "ZeroDivision" not in answer.text
    assert phone().get("/broken", headers={"Accept": "application/json"}).json["refused"]
