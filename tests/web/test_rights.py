"""Who may do what. Driven by the URL map, so that a new route is tested the day it appears."""

from __future__ import annotations

import copy
import hashlib
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import unescape
from itertools import product
from typing import Any

import pytest
from at_the_table import ORIGIN, Handset
from flask import Flask
from proven import Proven, listed
from sqlalchemy import select
from sqlmodel import SQLModel
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from companion import create_app
from companion.core import decide
from companion.core.command import right
from companion.core.table import COLOURS, SYMBOLS
from companion.evenings.archive import Book, bring_back, journal_json
from companion.games import shelf

CAST = ("Ada", "Bob", "Cleo", "Dov")
EVERYONES = {name: each for name, each in shelf()["any-game"].by_name.items() if right(each) == "host"}
LOOKING = {"GET", "HEAD", "OPTIONS"}
FOREIGN = {
    "no Origin": None,
    "null": "null",
    "another site": "https://evil.example",
    "a name that begins like ours": "http://localhost.evil.example",
    "a name that ends like ours": "http://evil-localhost",
    "a user who is called like us": "http://localhost@evil.example",
    "a user of ours": "http://evil@localhost",
    "another port": "http://localhost:8001",
    "our name in a path": "http://evil.example/http://localhost",
    "our name alone": "localhost",
    "our name with a path": "http://localhost/",
    "two of them": "http://localhost http://evil.example",
    "half an address": "http://[",
    "nothing but a scheme": "http://",
}
OUTSIDERS = (
    "no token",
    "another table's host",
    "a phone with a seat",
    "a watcher",
    "a display",
    "a waiting phone",
    "a removed phone",
    "a forged token",
    "the host's token, misspelt",
    "the host's token, hashed",
)


def rows(app: Flask) -> dict[str, list[Any]]:
    """All that is stored, to show that nothing was changed; but for wrong codes, which are counted."""
    with app.extensions["play"].store.engine.connect() as connection:
        tables = [table for table in SQLModel.metadata.sorted_tables if table.name != "miss"]
        return {table.name: sorted(map(tuple, connection.execute(select(table)))) for table in tables}


def token_of(phone: Handset) -> str:
    cookie = phone.client.get_cookie("phone")
    assert cookie
    return cookie.value


class Company:
    """A table and all who could be near it: Ada hosts, Bob plays, Cleo watches, Dov is from elsewhere."""

    def __init__(self, app: Flask, slug: str) -> None:
        self.app, self.game = app, app.extensions["play"].games[slug]
        number = min(max(self.game.seats[0], 2), self.game.seats[-1])
        self.ada = Handset(app)
        self.code = self.ada.open(*CAST[:number], slug=slug)
        self.bob = Handset(app).join(self.code, number)
        self.cleo = Handset(app).join(self.code)
        self.screen = Handset(app).join(self.code)
        assert (
            self.screen.post(f"/s/{self.code}/seat", {"tap": "display-1", "display": "yes"}).status_code
            == 303
        )
        self.removed = Handset(app).join(self.code)
        assert self.ada.tap(self.code, "remove_phone", role="host", phone=5).status_code == 201
        self.waiting = Handset(app)
        self.waiting.post(f"/j/{self.code}", {"tap": "waiting-1", "label": "Someone"})
        self.dov = Handset(app)
        self.dov.open(*CAST[:number], slug=slug)
        roles = [phone.role for phone in self.table.phones]
        assert roles == ["player", "player", "watcher", "display", "gone", "waiting"]

    @property
    def table(self) -> Any:
        return self.app.extensions["play"].show(self.code).table

    def at_another(self) -> Company:
        """The same phones at another table that has come as far: the journal again, with its own code."""
        play, twin = self.app.extensions["play"], copy.copy(self)
        sitting = play.show(self.code)
        book = Book(self.code, sitting.row.opened_at, sitting.journal, sitting.phones)
        twin.code = bring_back(play.store, book)
        assert twin.code != self.code
        return twin

    def outsider(self, who: str) -> Handset:
        known = {
            "another table's host": self.dov,
            "a phone with a seat": self.bob,
            "a watcher": self.cleo,
            "a display": self.screen,
            "a waiting phone": self.waiting,
            "a removed phone": self.removed,
        }
        if who in known:
            return known[who]
        phone, real = Handset(self.app), token_of(self.ada)
        forged = {
            "a forged token": secrets.token_hex(32),
            "the host's token, misspelt": real[:-1] + ("0" if real[-1] != "0" else "1"),
            "the host's token, hashed": hashlib.sha256(real.encode()).hexdigest(),
        }
        if who in forged:
            phone.client.set_cookie("phone", forged[who])
        return phone

    def asked(self, command: str) -> dict[str, str]:
        """A form that would work for the host, so that a refusal is about rights and nothing else."""
        form = {
            "seat": "1",
            "name": "Eve",
            "colour": COLOURS[-1],
            "symbol": SYMBOLS[-1],
            "way": "down",
            "locked": "yes",
            "own_seats_only": "yes",
            "fixed": "yes",
            "sure": "yes",
            "on": "yes",
        }
        return {**form, "phone": {"admit": "6", "let_invite": "4"}.get(command, "2")}

    def await_(self, command: str) -> None:
        """What there must be before the host can do this: somebody who asks to host, phones that are gone."""
        if command == "keep_host":
            assert self.bob.tap(self.code, "ask_to_host").status_code == 201
        if command == "clear_phones":
            self.app.extensions["play"].show(self.code).seen.update(dict.fromkeys(range(2, 7), 0))

    def host_commands(self) -> list[str]:
        return [name for name, command in self.game.by_name.items() if right(command) == "host"]

    def doors(self, rule: Rule) -> Iterator[tuple[str, str]]:
        """The rule's addresses at this table: one for each host-only command of the game."""
        for command in self.host_commands() if "command" in rule.arguments else [""]:
            yield address(self.app, rule, self.code, command=command, slug=self.game.slug), command

    def host_doors(self) -> list[tuple[str, str]]:
        marked = [
            r for r in rules(self.app) if getattr(self.app.view_functions[r.endpoint], "host_only", False)
        ]
        taps = [r for r in rules(self.app) if r.endpoint == "sitting.do"]
        return [door for rule in (*marked, *taps) for door in self.doors(rule)]

    def doors_of_its_own(self) -> list[tuple[str, str]]:
        """Where nothing is left that the table of any game has, but for how many may sit there, and one
        that shows the way is the same."""
        same = {name for name in EVERYONES if self.game.by_name.get(name) is EVERYONES[name]}
        tried = {*same} - {"admit", "add_seat", "remove_seat"} if self.game.slug != "any-game" else set()
        return [door for door in self.host_doors() if door[1] not in tried]


def rules(app: Flask) -> list[Rule]:
    return list(app.url_map.iter_rules())


def address(app: Flask, rule: Rule, code: str, **more: Any) -> str:
    """An address that this rule answers. An argument not known here is a reason to look here."""
    known = {
        "code": code,
        "secret": app.extensions["play"].show(code).invitation,
        "slug": "any-game",
        "command": "count",
        "page": "table",
        "version": 1,
        "form": "new-counter",
        "id": 1,
        "filename": "css/tokens.css",
        "name": "site.css",
        "ruling": "both-lost",
    } | more
    assert rule.arguments <= set(known), f"{rule.rule} takes something that these tests do not know"
    given = {name: known[name] for name in rule.arguments if name not in (rule.defaults or {})}
    built = rule.build(given, append_unknown=False)
    assert built
    return str(built[1])


def addresses(app: Flask, rule: Rule, code: str) -> list[str]:
    """One, or one for each page where it answers for several."""
    pages = ("table", "people", "display") if "page" in rule.arguments else ("table",)
    return [address(app, rule, code, page=page) for page in pages]


def send(
    phone: Handset, path: str, form: dict[str, Any], origin: str | None, method: str = "POST"
) -> TestResponse:
    headers = {"Origin": origin} if origin is not None else {}
    return phone.client.open(path, method=method, data={"tap": secrets.token_hex(8), **form}, headers=headers)


@pytest.fixture(params=list(shelf()))
def company(request: pytest.FixtureRequest, app: Flask) -> Company:
    return Company(app, request.param)


@pytest.fixture(scope="module", params=list(shelf()))
def calm(request: pytest.FixtureRequest, lasting_app: Flask) -> Company:
    """A company for all tests that are refused everything: each sees to it that nothing was changed."""
    return Company(lasting_app, request.param)


# --- the host's own ---


def test_there_are_host_only_routes_to_test(company: Company) -> None:
    commands = {command for _, command in company.host_doors()}
    assert commands == {"", *company.host_commands()}
    assert f"/s/{company.code}/forget" in {path for path, _ in company.host_doors()}
    assert {"admit", "remove_phone", "hand_host_on", "lock_joining", "add_seat", "rename_seat"} <= commands


def test_whoever_is_not_the_host_is_refused_at_every_host_only_route(calm: Company) -> None:
    before = rows(calm.app)
    for who, (path, command) in product(OUTSIDERS, calm.doors_of_its_own()):
        answer = send(calm.outsider(who), path, calm.asked(command), "http://localhost")
        assert answer.status_code == 403, (who, path, answer.text)
        assert "Set-Cookie" not in answer.headers
    assert rows(calm.app) == before


def test_another_page_cannot_use_the_hosts_phone(calm: Company) -> None:
    before = rows(calm.app)
    for (page, origin), (path, command) in product(FOREIGN.items(), calm.doors_of_its_own()):
        assert send(calm.ada, path, calm.asked(command), origin).status_code == 403, (page, path)
    assert rows(calm.app) == before


def test_the_host_gets_through_everywhere(app: Flask, company: Company) -> None:
    for path, command in company.doors_of_its_own():
        table = company.at_another()
        table.await_(command)
        answer = send(
            table.ada, path.replace(company.code, table.code), table.asked(command), ORIGIN["Origin"]
        )
        seated = len(app.extensions["play"].show(company.code).table.seats)
        after = seated + {"add_seat": 1, "remove_seat": -1}.get(command, 0)
        assert answer.status_code == ((201 if command else 303) if after in company.game.seats else 422), (
            path,
            answer.text,
        )


def test_every_command_refuses_whoever_is_not_at_the_table(calm: Company) -> None:
    before, known = rows(calm.app), {} if calm.game.slug == "any-game" else shelf()["any-game"].by_name
    own = [name for name, command in calm.game.by_name.items() if known.get(name) is not command]
    assert own
    kinds = ("no token", "another table's host", "a waiting phone", "a removed phone", "a forged token")
    for who in kinds if not known else kinds[1::2]:
        for command in own:
            answer = calm.outsider(who).tap(calm.code, command, **calm.asked(command))
            assert answer.status_code == 403, (who, command, answer.text)
            assert answer.json["refused"]
    assert rows(calm.app) == before


def test_watchers_and_displays_only_look(calm: Company) -> None:
    before = rows(calm.app)
    players = [name for name, command in calm.game.by_name.items() if right(command) == "player"]
    assert "take_back" in players
    for phone in (calm.cleo, calm.screen):
        for command in players:
            assert phone.tap(calm.code, command, **calm.asked(command)).status_code == 403, command
    assert rows(calm.app) == before


def test_a_removed_host_token_of_another_evening_is_worth_nothing_here(company: Company) -> None:
    """Ada hands the role on and is removed; her token opens no door of the host's."""
    assert company.ada.tap(company.code, "hand_host_on", role="host", phone=2).status_code == 201
    assert company.bob.tap(company.code, "remove_phone", role="host", phone=1).status_code == 201
    before = rows(company.app)
    for path, command in company.host_doors():
        assert send(company.ada, path, company.asked(command), ORIGIN["Origin"]).status_code == 403
    assert rows(company.app) == before


# --- every route ---


def test_every_route_that_changes_something_refuses_a_foreign_origin(app: Flask) -> None:
    company = Company(app, "any-game")
    before, asked = rows(app), 0
    for rule in rules(app):
        for method in (rule.methods or set()) - LOOKING:
            path = address(app, rule, company.code)
            for phone, (page, origin) in product((company.ada, Handset(app)), FOREIGN.items()):
                answer = send(phone, path, {"label": "Eve"}, origin, method)
                assert answer.status_code == 403, (method, path, page)
                assert "Set-Cookie" not in answer.headers
                asked += 1
    assert asked >= 10 * len(FOREIGN)
    assert rows(app) == before


def test_looking_changes_nothing_and_bakes_no_cookie(app: Flask) -> None:
    company = Company(app, "any-game")
    before = rows(app)
    phones = [
        company.ada,
        company.bob,
        company.screen,
        company.waiting,
        company.removed,
        company.dov,
        Handset(app),
    ]
    for rule in rules(app):
        for method in (rule.methods or set()) & LOOKING:
            for phone in phones if method == "GET" else phones[::3]:
                answer = phone.client.open(address(app, rule, company.code), method=method, buffered=True)
                assert answer.status_code < 500, (method, rule.rule)
                assert "Set-Cookie" not in answer.headers, (method, rule.rule)
    assert rows(app) == before


def test_no_route_answers_to_a_method_that_nobody_meant(app: Flask) -> None:
    for rule in rules(app):
        assert (rule.methods or set()) <= LOOKING | {"POST"}, rule.rule


@pytest.mark.parametrize(
    "who", ["no token", "another table's host", "a removed phone", "a forged token", "a waiting phone"]
)
def test_every_page_of_a_sitting_sends_a_stranger_to_the_door_or_refuses(app: Flask, who: str) -> None:
    company = Company(app, "any-game")
    at_the_table = [r for r in rules(app) if r.rule.startswith("/s/<code>") and "GET" in (r.methods or set())]
    assert len(at_the_table) >= 9
    for rule in at_the_table:
        for path in addresses(app, rule, company.code):
            answer = company.outsider(who).get(path)
            elsewhere = f"/s/{company.code}/waiting" if who == "a waiting phone" else f"/j/{company.code}"
            if (who, rule.endpoint) == ("a waiting phone", "sitting.waiting"):
                assert answer.status_code == 200
            elif answer.status_code == 302:
                assert answer.headers["Location"] == elsewhere, path
            else:
                assert answer.status_code == 403, path
            assert "Bob" not in answer.text
            assert company.ada.secret(company.code) not in answer.text


# --- the token ---


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(phone: Callable[[], Handset]) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    answer = bob.post(f"/j/{code}/{bob.secret(code)}", {"tap": "bob-joins"})
    morsels = [part.strip() for part in answer.headers["Set-Cookie"].split(";")]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(morsels)
    assert not any(part.startswith("Domain") for part in morsels)
    assert re.fullmatch(r"phone=[0-9a-f]{64}", morsels[0])
    assert token_of(ada) != token_of(bob)


def test_over_https_the_cookie_stays_there(phone: Callable[[], Handset]) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada")
    answer = bob.client.post(
        f"/j/{code}/{bob.secret(code)}",
        base_url="https://games.example.org",
        data={"tap": "bob-joins"},
        headers={"Origin": "https://games.example.org"},
    )
    assert "Secure" in answer.headers["Set-Cookie"]


def test_no_token_is_in_any_page_or_address(app: Flask) -> None:
    company = Company(app, "any-game")
    tokens = [token_of(each) for each in (company.ada, company.bob, company.waiting, company.dov)]
    for rule in rules(app):
        if "GET" not in (rule.methods or set()):
            continue
        for phone in (company.ada, company.bob, company.waiting, Handset(app)):
            for path in addresses(app, rule, company.code):
                answer = phone.get(path, buffered=True)
                said = answer.text + "".join(f"{name}: {value}\n" for name, value in answer.headers)
                for token in tokens:
                    assert token not in said, rule.rule
                    assert hashlib.sha256(token.encode()).hexdigest() not in said, rule.rule


def test_the_database_knows_only_the_hash_of_a_token(app: Flask) -> None:
    company = Company(app, "any-game")
    stored = rows(app)
    hashes = {row[2] for row in stored["phone"]}
    for phone in (company.ada, company.bob, company.cleo, company.waiting, company.removed, company.dov):
        assert token_of(phone) not in repr(stored)
        assert hashlib.sha256(token_of(phone).encode()).hexdigest() in hashes


def test_whoever_reads_the_database_cannot_work_a_token_out(app: Flask) -> None:
    """Tokens follow from the first tap and a key that is in the database; so that tap must not be."""
    company = Company(app, "any-game")
    words = set(re.findall(r"[A-Za-z0-9_-]{8,80}", repr(rows(app))))
    made = {app.extensions["play"].token(word) for word in words}
    for phone in (company.ada, company.bob, company.waiting, company.dov):
        assert token_of(phone) not in made


def test_a_token_that_we_did_not_bake_is_replaced_not_adopted(
    app: Flask, phone: Callable[[], Handset]
) -> None:
    """Or a neighbour on another port of this machine could choose the token that Bob will play with."""
    code = phone().open("Ada")
    for chosen in ("evil", "x" * 64, "A" * 64, "", "'"):
        bob = phone()
        bob.client.set_cookie("phone", chosen)
        bob.join(code)
        assert re.fullmatch("[0-9a-f]{64}", token_of(bob)), chosen


def test_one_phone_keeps_one_token_for_all_its_tables(phone: Callable[[], Handset]) -> None:
    ada = phone()
    ada.open("Ada")
    first = token_of(ada)
    ada.open("Ada")
    ada.join(phone().open("Bob"))
    assert token_of(ada) == first


# --- headers ---


def test_every_kind_of_answer_carries_the_security_headers(app: Flask) -> None:
    app.add_url_rule("/broken", "broken", lambda: str(1 // 0))
    company = Company(app, "any-game")
    ada, code = company.ada, company.code
    answers = {
        200: [
            ada.get("/"),
            ada.get(f"/s/{code}"),
            ada.get(f"/s/{code}/live/table"),
            ada.get(f"/s/{code}/parts/table"),
            ada.get("/static/css/tokens.css", buffered=True),
            ada.get("/f/000000/site.css"),
            ada.get("/healthz"),
            ada.client.options(f"/s/{code}/do/count"),
        ],
        201: [ada.count(code)],
        204: [ada.get(f"/s/{code}/parts/table?version={app.extensions['play'].show(code).version}")],
        302: [Handset(app).get(f"/s/{code}")],
        303: [ada.post(f"/s/{code}/seat", {"tap": "sit-down-1", "seats": "1"})],
        403: [company.bob.tap(code, "admit", role="host"), Handset(app).get(f"/s/{code}/live/table")],
        404: [
            ada.get("/nowhere"),
            ada.get("/static/nothing.css"),
            ada.get("/s/ZZZZZZ"),
            ada.get(f"/s/{code}/parts/cellar"),
            ada.get(f"/s/{code}/live/cellar"),
        ],
        405: [ada.post("/"), ada.get(f"/s/{code}/do/count")],
        409: [ada.count(code, 1, 1, "one-tap-1"), ada.count(code, 1, 2, "one-tap-1")][1:],
        413: [ada.count(code, tap="x" * 70_000)],
        422: [ada.count(code, by=0), ada.get("/join")],
        500: [ada.get("/broken")],
    }
    for status, some in answers.items():
        for answer in some:
            assert answer.status_code == status, answer.request.path
            policy = answer.headers["Content-Security-Policy"]
            assert "unsafe" not in policy
            assert "*" not in policy
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] in ("same-origin", "strict-origin", "no-referrer")
            assert "Access-Control-Allow-Origin" not in answer.headers


def test_pages_of_a_table_are_kept_by_no_cache(app: Flask) -> None:
    company = Company(app, "any-game")
    for path in ("", "/people", "/display", "/seat", "/parts/table", "/live/table"):
        assert company.ada.get(f"/s/{company.code}{path}").headers["Cache-Control"] == "no-store"


def test_no_page_needs_what_the_policy_forbids(app: Flask) -> None:
    company = Company(app, "any-game")
    for path in (
        "/",
        "/open/any-game",
        "/history",
        "/history/any-game",
        f"/j/{company.code}",
        *(f"/s/{company.code}{p}" for p in ("", "/people", "/seat", "/recap", "/bgstats")),
    ):
        phone = company.dov if path.startswith("/j/") else company.ada
        page = phone.get(path).text
        assert not re.search(r"<[^>]*\s(on\w+|style|hx-on[^=]*)=", page), path
        assert not re.search(r"<script(?![^>]*\ssrc=)|<style|javascript:|\bjs:", page), path
        assert not re.search(r'<(script|link|img|use)[^>]*\b(src|href)="(https?:)?//', page), path


# --- the invitation ---


def test_removing_a_phone_renews_the_invitation(app: Flask) -> None:
    """Or whoever was sent away would walk in again with a new cookie and the link in their pocket."""
    company = Company(app, "any-game")
    code, old = company.code, company.ada.secret(company.code)
    assert company.ada.tap(code, "remove_phone", role="host", phone=3).status_code == 201
    new = company.ada.secret(code)
    assert new != old
    assert len(new) >= 11
    stranger = Handset(app)
    door = stranger.get(f"/j/{code}/{old}")
    assert "no longer good" in door.text
    assert "Ask to join" in door.text, "one can still knock"
    refused = stranger.post(f"/j/{code}/{old}", {"tap": secrets.token_hex(8), "watch": "yes"})
    assert refused.status_code == 422
    assert Handset(app).join(code).get(f"/s/{code}").status_code == 200, "the new one is good"
    headers = {"Host": "192.168.1.20:8000", "Cookie": f"phone={token_of(company.ada)}"}
    people = app.test_client(use_cookies=False).get(f"/s/{code}/people", headers=headers).text
    assert f"/j/{code}/{new}" in people
    assert old not in people


def test_a_phone_that_only_knocked_has_never_seen_the_invitation(app: Flask) -> None:
    company = Company(app, "any-game")
    before = company.ada.secret(company.code)
    assert company.ada.tap(company.code, "remove_phone", role="host", phone=6).status_code == 201
    assert company.ada.secret(company.code) == before


def test_a_removed_device_comes_back_by_knocking_alone_whatever_it_scans(app: Flask) -> None:
    company = Company(app, "any-game")
    code = company.code
    company.removed.post(f"/j/{code}/{company.ada.secret(code)}", {"tap": secrets.token_hex(8), "watch": "y"})
    assert company.table.phone(5).role == "waiting"


def test_the_invitation_is_the_same_after_a_restart_and_at_every_worker(database: str) -> None:
    def another() -> Flask:
        return create_app(
            {"DATABASE_URL": database, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [], "LIMITS": "off"}
        )

    one, two = another(), another()
    ada = Handset(one)
    code = ada.open("Ada", "Bob")
    Handset(one).join(code)
    assert two.extensions["play"].show(code).invitation == ada.secret(code)
    ada.tap(code, "remove_phone", phone=2)
    three = another()
    assert three.extensions["play"].show(code).invitation == ada.secret(code)
    if not two.extensions["play"].alone:
        assert two.extensions["play"].show(code).invitation == ada.secret(code)
    for each in (one, two, three):
        each.extensions["play"].store.close()


def test_whoever_only_watches_does_not_see_the_invitation(app: Flask) -> None:
    company = Company(app, "any-game")
    secret = company.ada.secret(company.code)
    for phone in (company.ada, company.bob, company.screen, company.cleo):
        sees = phone in (company.ada, company.bob)
        assert sees_invitation(phone, company.code, secret) == sees


def sees_invitation(phone: Handset, code: str, secret: str) -> bool:
    """On either page that has it for some."""
    cookie = {"Host": "192.168.1.20:8000", "Cookie": f"phone={token_of(phone)}"}
    client = phone.app.test_client(use_cookies=False)
    pages = [client.get(f"/s/{code}{path}", headers=cookie) for path in ("/people", "/display")]
    assert all(page.status_code == 200 and code in page.text for page in pages)
    seen = {"QR code to join" in page.text for page in pages}
    assert len(seen) == 1
    assert seen == {True} or not any(secret in page.text for page in pages)
    return seen.pop()


def test_a_display_shows_the_invitation_once_the_host_lets_it(app: Flask) -> None:
    """Or whoever watches would only have to call itself the display."""
    company = Company(app, "any-game")
    code, secret = company.code, company.ada.secret(company.code)
    assert company.cleo.tap(code, "be_display").status_code == 201
    for phone in (company.cleo, company.screen, company.bob):
        assert phone.tap(code, "let_invite", phone=3).status_code == 403
    assert not sees_invitation(company.cleo, code, secret)
    assert company.ada.tap(code, "let_invite", role="host", phone=3).status_code == 201
    assert sees_invitation(company.cleo, code, secret)
    assert not sees_invitation(company.screen, code, secret)
    assert company.cleo.tap(code, "take_seats").status_code == 201
    assert company.cleo.tap(code, "be_display").status_code == 201
    assert not sees_invitation(company.cleo, code, secret), "it is only a watcher that calls itself so again"


def test_a_display_that_came_with_the_invitation_or_has_played_shows_it(app: Flask) -> None:
    company = Company(app, "any-game")
    code, secret = company.code, company.ada.secret(company.code)
    tablet = Handset(app)
    tablet.post(f"/j/{code}/{secret}", {"tap": secrets.token_hex(8), "display": "yes"})
    assert company.bob.tap(code, "be_display").status_code == 201
    assert sees_invitation(tablet, code, secret)
    assert sees_invitation(company.bob, code, secret)
    new = app.extensions["play"].again(code, token_of(company.ada), secrets.token_hex(8))
    again = company.ada.secret(new)
    shown = [sees_invitation(phone, new, again) for phone in (tablet, company.bob, company.screen)]
    assert shown == [True, True, False]


def test_no_export_holds_the_invitation(app: Flask) -> None:
    company = Company(app, "any-game")
    secrets_of_it = (company.ada.secret(company.code), app.extensions["play"].show(company.code).row.secret)
    files = ("journal.json", "scores.csv", "recap")
    told = [company.bob.get(f"/s/{company.code}/{what}").text for what in files]
    sitting = app.extensions["play"].show(company.code)
    told.append(journal_json(sitting, app.extensions["play"].store.phones(sitting.id)))
    assert all(company.code in each for each in (told[0], told[3]))
    assert not [each for each in told for secret in secrets_of_it if secret in each]


# --- seats ---


def test_nobody_takes_the_seat_of_a_phone_that_is_there(company: Company) -> None:
    number = len(company.table.seats)
    answer = company.cleo.post(f"/s/{company.code}/seat", {"tap": secrets.token_hex(8), "seats": [1, number]})
    assert answer.status_code == 303
    assert company.table.phone(3).seats == ()
    assert [phone.seats for phone in company.table.phones[:2]] == [(1,), (number,)]
    for phone in (company.ada, company.bob):
        page = unescape(phone.get(f"/s/{company.code}").text)
        assert page.count("data-answers") == 2, "one for each seat"
        assert "Give it" in page
    assert company.bob.tap(company.code, "keep_seats", phone=3).status_code == 201
    again = company.cleo.tap(company.code, "take_seats", seats=[number])
    assert again.status_code == 422
    assert "was no" in again.json["refused"]
    assert company.ada.tap(company.code, "give_seats", phone=3).status_code == 201, "the host gives their own"
    assert company.table.phone(3).seats == (1,)


def test_a_seat_whose_phone_was_silent_for_a_minute_is_free_for_another(app: Flask) -> None:
    company, play = Company(app, "any-game"), app.extensions["play"]
    clock = play.clock
    play.clock = lambda: clock() + 61_000
    assert company.cleo.tap(company.code, "take_seats", seats=[2]).status_code == 201
    assert company.table.phone(3).seats == (2,)


def test_a_phone_that_listens_is_not_silent_however_long_it_says_nothing(app: Flask) -> None:
    company, play = Company(app, "any-game"), app.extensions["play"]
    app.extensions["streams"].attach(company.code, "table", Ear(), 1, 2)
    clock = play.clock
    play.clock = lambda: clock() + 3_600_000
    assert company.cleo.tap(company.code, "take_seats", seats=[2]).status_code == 201
    assert company.table.phone(2).seats == (2,)


class Ear:
    closed: Callable[[], None] = staticmethod(lambda: None)

    def send(self, data: bytes, flags: int = 0, /) -> int:
        return len(data)

    def gone(self) -> bool:
        return False

    def close(self) -> None: ...


def test_where_everyone_taps_for_their_own_seat_nobody_comes_in_with_all_of_them(app: Flask) -> None:
    ada = Handset(app)
    code = ada.open(*CAST)
    assert ada.tap(code, "limit_tapping", own_seats_only="yes").status_code == 201
    eve = Handset(app)
    answer = eve.post(f"/j/{code}/{ada.secret(code)}", {"tap": secrets.token_hex(8), "seats": [2, 3, 4]})
    assert answer.status_code == 422
    eve.join(code)
    assert eve.tap(code, "take_seats", seats=[1, 2, 3, 4]).status_code == 201
    table = app.extensions["play"].show(code).table
    assert table.phone(2).seats == (2,)
    assert eve.count(code, 3).status_code == 403


# --- every kind of phone at every route ---


EIGHT = ("the host", *OUTSIDERS[:7])


INSIDE = ("the host", "a phone with a seat", "a watcher", "a display")
ANYONES = ("lobby.open_table", "lobby.join")  # whoever comes may open a table, or knock at one


class Visit:
    """One kind of phone goes to every route there is, at a table of its own."""

    def __init__(self, app: Flask, who: str) -> None:
        self.app, self.inside, self.company = app, who in INSIDE, Company(app, "any-game")
        self.phone = self.company.ada if who == "the host" else self.company.outsider(who)
        self.secret = self.company.ada.secret(self.company.code)
        self.asked, self.found = 0, defaultdict[str, list[str]](list)
        before = rows(app)
        for rule in rules(app):
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                if not self.left_out(rule, method):
                    self.ask(rule, method)
        if not self.inside and rows(app) != before:
            self.found["changed"].append(who)

    def left_out(self, rule: Rule, method: str) -> bool:
        """What ends the table for whoever may, and what makes another for anyone."""
        last = self.inside and rule.endpoint in ("sitting.forget", "sitting.again")
        return last or (method == "POST" and rule.endpoint in ANYONES)

    def ask(self, rule: Rule, method: str) -> None:
        form = self.company.asked("") | {"seats": "1", "counter": "1", "by": "1", "round": "1"}
        path = address(self.app, rule, self.company.code, secret="not-the-secret")
        tapped = form | {"tap": secrets.token_hex(8)}
        answer = self.phone.client.open(path, method=method, data=tapped, headers=ORIGIN, buffered=True)
        self.asked += 1
        if answer.status_code >= 500:
            self.found["broken"].append(path)
        if self.inside:
            return
        if self.secret in answer.text:
            self.found["let in"].append(path)
        if not rule.rule.startswith("/s/<code>"):
            return
        if answer.status_code not in (302, 403) and rule.endpoint != "sitting.waiting":
            self.found["let in"].append(path)
        if "Bob" in answer.text:
            self.found["told"].append(path)


@pytest.mark.proof
@pytest.mark.parametrize("who", EIGHT)
def test_what_each_kind_of_phone_is_answered_at_every_route(app: Flask, proven: Proven, who: str) -> None:
    """Nobody who is not at the table reads or changes anything."""
    visit = Visit(app, who)
    proven(f"every route, {visit.asked} of them, as {who}", listed(visit.found))
    assert visit.found == {}
    assert visit.asked >= 38


@pytest.mark.proof
def test_who_is_let_in_without_a_right_is_noticed(
    app: Flask, proven: Proven, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decide, "at_the_table", lambda table, number: table.phone(1))
    visit = Visit(app, "a removed phone")
    proven("every route, as a removed phone where nobody looks who asks", listed(visit.found))
    assert {"let in", "changed"} <= visit.found.keys()
