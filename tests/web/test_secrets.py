"""No byte of a sealed choice reaches anybody else before all are revealed.

Two worlds differ in nothing but the number that Ada has chosen: the same table, the same phones, the same
tap, the same second. Whatever the others get must be the same in both, to the byte. So a hint in a length, a
digest, an attribute or a refusal would show as well as the number itself.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from at_the_table import OUTSIDE, Handset, Serve, companion
from flask import Flask
from test_serving import Caller

from companion import create_app
from companion.evenings import archive as journals
from companion.sittings.play import Play, Sitting
from companion.tools import sealed
from companion.web import seen
from companion.web.parts import PAGES
from companion.web.private import Private
from companion.web.stream import Streams

ADA, BOB, CLEO = 1, 2, 3  # seats; Bob hosts the table
FIRST, SECOND = "735190", "86"  # what Ada chooses in one world and in the other
OTHERS = ("Bob", "Cleo", "watcher", "display")
TAP = "a-tap-of-adas"
NOON = 1_800_000_000_000
FRESH = re.compile(r'(?<=name="tap" value=")[^"]*')  # a page with a form makes up a new tap each time
PATHS = (
    *("", "/display", "/people", "/log", "/log/4", "/log/before/99", "/dice", "/seat", "/recap", "/standing"),
    *("/bgstats", "/scores.csv", "/journal.json", "/form/number-1", "/form/number-2", "/chair/1"),
    *(f"/parts/{page}" for page in PAGES),
)
Refusal = tuple[str, dict[str, Any]]


class Ear:
    """A wire that keeps all that was sent over it."""

    def __init__(self) -> None:
        self.heard = b""

    def send(self, data: bytes, flags: int = 0) -> int:
        self.heard += data
        return len(data)

    def close(self) -> None:
        self.heard += b"(hung up)"


class World:
    """One server with this table, at noon."""

    def __init__(self, app: Flask, code: str, tokens: dict[str, str]) -> None:
        self.app, self.code = app, code
        self.play: Play = app.extensions["play"]
        self.play.clock = lambda: NOON
        self.phones = {name: Handset(app) for name in tokens}
        for name, token in tokens.items():
            self.phones[name].client.set_cookie("phone", token)

    @property
    def sitting(self) -> Sitting:
        return self.play.show(self.code)

    def number(self, name: str) -> int:
        cookie = self.phones[name].client.get_cookie("phone")
        assert cookie
        return self.play.phone(self.sitting, cookie.value)

    def listen(self, name: str, page: str = "table", known: str = "") -> Ear:
        """As `serve.py` does it: the first answer, then whatever is new."""
        streams: Streams = self.app.extensions["streams"]
        first, version = streams.first(self.sitting, page, known, self.number(name))
        ear = Ear()
        ear.send(first)
        streams.attach(self.code, page, ear, version, self.number(name))
        return ear

    def choose(self, name: str, seat: int, number: str, tap: str = "") -> Any:
        return self.phones[name].tap(self.code, "choose_number", tap, seat=seat, asking=1, number=number)

    def get(self, name: str, path: str) -> str:
        answer = self.phones[name].get(f"/s/{self.code}{path}")
        return f"{answer.status} {sorted(answer.headers.items())} {FRESH.sub('', answer.text)}"

    def refusals(self, name: str) -> Iterator[tuple[str, str]]:
        """What whoever is curious is told."""
        entry = self.sitting.version
        attempts: list[Refusal] = [
            ("take_back", {"entry": entry}),
            ("put_back", {"entry": entry}),
            *(("choose_number", {"seat": ADA, "asking": 1, "number": n}) for n in (FIRST, SECOND, "x", "")),
            *(
                ("choose_number", {"seat": ADA, "asking": 1, "number": n, "tap": TAP})
                for n in (FIRST, SECOND)
            ),
        ]
        for command, given in attempts:
            answer = self.phones[name].tap(self.code, command, **{"tap": "tap-of-the-curious", **given})
            assert answer.status_code in (403, 409, 422), answer.text
            yield f"{command} {given}", f"{answer.status} {answer.text}"


Worlds = tuple[World, World]


@pytest.fixture
def worlds(tmp_path: Path, new_file: Path) -> Iterator[Worlds]:
    """Everyone is asked for a number: Bob, who hosts, Ada and Cleo. Two more look on."""
    started: list[Flask] = []

    def start(name: str, file: Path) -> Flask:
        (tmp_path / name).mkdir()
        url = f"sqlite:///{shutil.copy(file, tmp_path / name / 'companion.sqlite')}"
        app = create_app({"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []})
        started.append(app)
        return app

    app = start("before", new_file)
    phones = {name: Handset(app) for name in ("Bob", "Ada", "Cleo", "watcher", "display")}
    code = phones["Bob"].open("Ada", "Bob", "Cleo", mine=["k2"])
    for name, taken in (("Ada", [ADA]), ("Cleo", [CLEO]), ("watcher", []), ("display", [])):
        phones[name].join(code, *taken)
    assert phones["display"].tap(code, "be_display").status_code == 201
    assert phones["Bob"].tap(code, "ask_numbers", after=0).status_code == 201
    tokens = {name: each.client.get_cookie("phone").value for name, each in phones.items()}  # type: ignore[union-attr]
    app.extensions["play"].store.close()
    pair = [
        World(start(name, tmp_path / "before" / "companion.sqlite"), code, tokens) for name in ("one", "two")
    ]
    yield pair[0], pair[1]
    for each in started[1:]:
        each.extensions["play"].store.close()


def leaks(worlds: Worlds, *curious: str) -> list[str]:
    """Where one world can be told from the other, after Ada has chosen, by anyone but her."""
    told: list[dict[str, object]] = []
    names = curious or OTHERS
    for world, number in zip(worlds, (FIRST, SECOND), strict=True):
        ears = {f"{name} hears {page}": world.listen(name, page) for name in names for page in PAGES}
        assert world.choose("Ada", ADA, number, TAP).status_code == 201
        world.app.extensions["streams"].call_for()
        world.app.extensions["streams"].beat()
        found: dict[str, object] = {where: ear.heard for where, ear in ears.items()}
        for name in names:
            found |= {f"{name} gets {path}": world.get(name, path) for path in PATHS}
            if name != "Ada":
                found |= {f"{name} tries {what}": said for what, said in world.refusals(name)}
            for known in ("3", f"{world.sitting.version}"):
                found |= {
                    f"{name} is back at {page} from {known}": world.listen(name, page, known).heard
                    for page in PAGES
                }
        seen = world.app.extensions["parts"].screen(world.sitting).seen(world.sitting)
        found["a template sees"] = repr({name: each for name, each in seen.items() if name != "game"})
        told.append(found)
    assert told[0].keys() == told[1].keys()
    return [where for where, what in told[0].items() if what != told[1][where]]


# --- the proof ---


def test_nothing_that_others_get_depends_on_what_was_chosen(worlds: Worlds) -> None:
    assert leaks(worlds) == []


def test_and_whoever_has_chosen_sees_it(worlds: Worlds) -> None:
    """So that the worlds are known to differ, and to differ where they should."""
    found = leaks(worlds, "Ada")
    assert {"Ada gets ", "Ada gets /parts/table", "Ada hears table", "Ada is back at table from 3"} <= set(
        found
    )
    assert not [where for where in found if "display" in where or "log" in where or "journal" in where]
    assert f"Your number: {FIRST}" in worlds[0].get("Ada", "")
    assert f"Your number: {SECOND}" in worlds[1].get("Ada", "/parts/table")


# --- the proof can fail ---


def told_in_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    def waiting(table: Any, about: str, seat: Any, words: str) -> Any:
        return sealed.Sealed(f"sealed-{seat.id}", seat, sealed.choice_of(table, about, seat.id), True, words)

    monkeypatch.setattr(sealed, "_waiting", waiting)


def told_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    def waiting(table: Any, about: str, seat: Any, words: str) -> Any:
        dots = "." * len(sealed.choice_of(table, about, seat.id))
        return sealed.Sealed(f"sealed-{seat.id}", seat, "has chosen" + dots, True, words)

    monkeypatch.setattr(sealed, "_waiting", waiting)


def told_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed.ChoiceSealed, "log_text", lambda self, state: f"has chosen {self.choice}")


def told_in_an_export(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "unsealed", lambda entries: entries)


def told_by_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    def blank(entry: Any, events: Any) -> Any:
        return replace(entry, events=events)

    monkeypatch.setattr(journals, "_blank", blank)


def told_to_every_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Private.of
    monkeypatch.setattr(Private, "of", lambda self, sitting, phone: right(self, sitting, 2))


def told_to_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "laid_open", lambda table: table)


def told_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    right = sealed.seal

    def seal(state: Any, context: Any, seat: int, about: str, choice: str, among: Any) -> Any:
        if sealed.choice_of(state.table, about, seat) == choice:
            raise sealed.Refused("It says that already.")
        return right(state, context, seat, about, choice, among)

    monkeypatch.setattr(sealed, "seal", seal)


BROKEN: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    told_in_the_view: "Bob hears display",
    told_by_its_length: "watcher gets /parts/table",
    told_in_the_log: "display hears log",
    told_in_an_export: "Cleo gets /journal.json",
    told_by_its_digest: "Bob gets /journal.json",
    told_to_every_phone: "watcher hears table",
    told_to_templates: "a template sees",
    told_in_a_refusal: "Bob tries choose_number",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.__name__)
def test_a_leak_would_be_found(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch, broken: Callable[[pytest.MonkeyPatch], None]
) -> None:
    broken(monkeypatch)
    who = BROKEN[broken].split()[0]
    assert any(where.startswith(BROKEN[broken]) for where in leaks(worlds, *({who} & {*OTHERS})))


# --- the reveal ---


def test_all_numbers_come_to_every_phone_and_the_display_at_once(worlds: Worlds) -> None:
    world = worlds[0]
    ears = [
        world.listen(name, page)
        for name, page in (("Bob", "table"), ("watcher", "table"), ("display", "display"))
    ]
    world.choose("Ada", ADA, FIRST)
    world.choose("Bob", BOB, SECOND)
    assert not any(FIRST in ear.heard.decode() for ear in ears)
    before = [len(ear.heard) for ear in ears]
    assert world.choose("Cleo", CLEO, "12").status_code == 201
    for ear, length in zip(ears, before, strict=True):
        news = ear.heard[length:].decode()
        assert all(f'<b class="p-figure">{number}</b>' in news for number in (FIRST, SECOND, "12"))
        assert len(re.findall(r"^id: ", news, re.MULTILINE)) == 1, "in one message"


def test_a_tap_that_is_sent_again_gets_the_same_answer_also_after_the_reveal(worlds: Worlds) -> None:
    world = worlds[0]
    first = world.choose("Ada", ADA, FIRST, TAP)
    assert (first.status_code, world.choose("Ada", ADA, FIRST, TAP).data) == (201, first.data)
    world.choose("Bob", BOB, "1")
    world.choose("Cleo", CLEO, "2")
    version = world.sitting.version
    again = world.choose("Ada", ADA, FIRST, TAP)
    assert (again.status_code, again.data, world.sitting.version) == (201, first.data, version)
    assert world.choose("Ada", ADA, SECOND, TAP).status_code == 409


# --- a seat that changes hands ---


def hand_over(world: World) -> None:
    """Cleo asks for Ada's seat, and Ada gives it."""
    assert world.phones["Cleo"].tap(world.code, "take_seats", seats=[ADA, CLEO]).status_code == 201
    given = world.phones["Ada"].tap(world.code, "give_seats", phone=world.number("Cleo"))
    assert given.status_code == 201, given.text


def test_whoever_takes_the_seat_over_does_not_see_it_and_whoever_lost_it_sees_no_more(worlds: Worlds) -> None:
    world = worlds[0]
    adas, cleos = world.listen("Ada"), world.listen("Cleo")
    world.choose("Ada", ADA, FIRST)
    assert FIRST in adas.heard.decode()
    assert FIRST not in cleos.heard.decode()
    away = adas.heard
    hand_over(world)
    assert "Ada has chosen" in cleos.heard.decode()
    assert not any(FIRST in heard for heard in (cleos.heard.decode(), world.get("Cleo", "")))
    wiped = '<hx-partial id="private-1" hx-swap="innerHTML"></hx-partial>'
    assert wiped in adas.heard.removeprefix(away).decode()
    assert FIRST not in world.get("Ada", "")
    assert world.choose("Cleo", ADA, SECOND).status_code == 201, "and may choose anew"


def test_a_phone_that_lost_its_seat_while_it_was_away_is_wiped_when_it_is_back(worlds: Worlds) -> None:
    world = worlds[0]
    world.choose("Ada", ADA, FIRST)
    known = str(world.sitting.version)
    assert FIRST in world.get("Ada", "")
    hand_over(world)
    for news in (world.listen("Ada", known=known).heard.decode(), world.get("Ada", "/parts/table")):
        whole = re.search(r'<hx-partial id="private" hx-swap="outerHTML">(.*?)</hx-partial>', news, re.DOTALL)
        assert whole, "not morphed, or the place would stay as it is"
        assert '<div id="private-1"' in whole[1]
        assert FIRST not in news


def test_one_phone_for_two_seats_keeps_each_folded_away_from_the_other(worlds: Worlds) -> None:
    world = worlds[0]
    hand_over(world)
    world.choose("Cleo", ADA, FIRST)
    page = world.get("Cleo", "")
    assert '<details id="only-1" class="fold p-fold"><summary>Only Ada looks in here' in page
    assert '<details id="only-3"' in page
    assert '<details id="only-' not in world.get("Bob", "")


def test_a_phone_that_was_removed_hears_nothing_more(worlds: Worlds) -> None:
    world = worlds[0]
    adas = world.listen("Ada")
    world.phones["Bob"].tap(world.code, "remove_phone", role="host", phone=world.number("Ada"))
    known = adas.heard
    assert known.endswith(b"(hung up)")
    world.phones["Cleo"].tap(world.code, "take_seats", seats=[ADA, CLEO])
    world.choose("Cleo", ADA, FIRST)
    assert adas.heard == known
    assert world.phones["Ada"].get(f"/s/{world.code}/parts/table").status_code == 403


def test_a_table_where_nobody_chooses_whispers_to_no_phone(worlds: Worlds) -> None:
    """The commonest tap of all must not pay for it."""
    world = worlds[0]
    world.phones["Bob"].tap(world.code, "put_numbers_away", asking=1)
    ear = world.listen("Bob")
    known = ear.heard
    world.phones["Bob"].count(world.code)
    assert b"private" not in ear.heard.removeprefix(known)
    assert world.app.extensions["parts"].screen(world.sitting).private.quiet(world.sitting)


# --- a real server ---


def open_table(url: str) -> tuple[str, dict[str, Caller]]:
    phones = {name: Caller(url) for name in ("Bob", "Ada", "Cleo", "watcher", "display")}
    code = phones["Bob"].open("Bob", "Ada", "Cleo")
    secret = phones["Bob"].secret(code)
    for name, seats in (("Ada", [2]), ("Cleo", [3]), ("watcher", []), ("display", [])):
        phones[name].join(code, secret, *seats)
    tap(phones["display"], code, "be_display")
    tap(phones["Bob"], code, "ask_numbers", after=0)
    return code, phones


def tap(phone: Caller, code: str, command: str, **given: Any) -> int:
    said = phone.ask("POST", f"/s/{code}/do/{command}", {"tap": secrets.token_hex(8), **given})
    assert said.status == 201, said
    return int(said.json["version"])


def seal(phone: Caller, code: str, seat: int, number: str) -> int:
    return tap(phone, code, "choose_number", seat=seat, asking=1, number=number)


WIRES = [(name, page) for name in OTHERS for page in ("table", "display", "log", "people")]


def test_on_raw_wires_nobody_else_hears_it_and_it_survives_a_kill(served: Serve, tmp_path: Path) -> None:
    server = served(tmp_path, **OUTSIDE)
    code, phones = open_table(server.url)
    wires = {(name, page): phones[name].listen(code, page) for name, page in WIRES}
    adas = phones["Ada"].listen(code)
    version = seal(phones["Ada"], code, 2, FIRST)
    assert f"Your number: {FIRST}" in adas.until(version)["data"]
    for (name, page), wire in wires.items():
        news = wire.until(version)["data"]
        assert FIRST not in news, (name, page)
        assert page == "people" or "has chosen" in news, (name, page)

    server.kill()
    server.start()
    for phone in phones.values():
        phone.line.close()
    for name in OTHERS:
        for path in ("", "/display", "/log", "/recap", "/journal.json", "/scores.csv", "/standing"):
            assert FIRST not in phones[name].ask("GET", f"/s/{code}{path}").text, (name, path)
        for last in ("", f"0-{version - 1}", f"{version - 1}-{version}"):
            assert FIRST not in phones[name].listen(code, "table", last).next()["data"]
    assert f"Your number: {FIRST}" in phones["Ada"].ask("GET", f"/s/{code}").text
    back = phones["Ada"].listen(code, last=f"{version - 2}-{version - 1}")
    assert f"Your number: {FIRST}" in back.next()["data"]

    wires = {(name, page): phones[name].listen(code, page) for name, page in WIRES if page != "people"}
    seal(phones["Bob"], code, 1, SECOND)
    version = seal(phones["Cleo"], code, 3, "12")
    for where, wire in wires.items():
        assert FIRST in wire.until(version)["data"], where
    taken_along = phones["watcher"].ask("GET", f"/s/{code}/journal.json").text
    assert FIRST in taken_along, "now everyone knows it"


def test_whoever_owns_the_server_exports_it_as_it_is(worlds: Worlds, tmp_path: Path) -> None:
    """Or a table that is moved to another laptop would lose what was chosen."""
    world = worlds[0]
    world.choose("Ada", ADA, FIRST)
    assert FIRST in companion(tmp_path / "one", "export", world.code, "--format", "json").stdout
    assert FIRST not in companion(tmp_path / "one", "export", world.code, "--format", "csv").stdout
