"""The end of the evening as phones see it: how it stands, the recap, once more, forgotten."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from html import unescape

import pytest
from at_the_table import Handset
from flask import Flask
from test_rights import Company, rows, token_of

from companion.evenings.archive import read
from companion.sittings.play import Play
from companion.web.stream import Streams

PAGES = ("/recap", "/standing", "/bgstats", "/scores.csv", "/journal.json", "/parts/recap")


@pytest.fixture
def ada(phone: Callable[[], Handset]) -> Handset:
    return phone()


@pytest.fixture
def bob(phone: Callable[[], Handset]) -> Handset:
    return phone()


@pytest.fixture
def code(ada: Handset, bob: Handset) -> str:
    """Bob leads 5 to 2."""
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    ada.count(code, 1, 2)
    bob.count(code, 2, 5)
    return code


def text(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def part(page: str, id: str) -> str:
    found = re.search(rf'<section id="{id}".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


# --- how it stands ---


def test_if_we_ended_now_can_be_asked_at_any_time(ada: Handset, code: str) -> None:
    asked = text(ada.get(f"/s/{code}/standing").text)
    assert "If we ended now, Bob would win with 5 Points." in asked
    assert "Ada: 2" in asked
    assert f'hx-get="/s/{code}/standing"' in part(ada.get(f"/s/{code}").text, "standing")
    ada.count(code, 1, 9)
    assert "Ada would win with 11 Points" in ada.get(f"/s/{code}/standing").text


def test_the_verdict_comes_up_everywhere_with_undo_beside_it(ada: Handset, bob: Handset, code: str) -> None:
    assert " hidden " in part(bob.get(f"/s/{code}").text, "verdict").partition(">")[0] + " "
    ada.tap(code, "end_game")
    for page in (f"/s/{code}", f"/s/{code}/display"):
        shown = part(bob.get(page).text, "verdict")
        assert "hidden" not in shown.partition(">")[0]
        assert "<b>Bob wins</b><i></i> with 5 Points." in shown
        assert re.findall(r"recap-who\"><bdi>(\w+)", shown) == ["Bob", "Ada"], "everyone, first to last"
        assert "Play again" in shown
        assert "data-undo=" in shown
        assert 'data-players-only data-undo="' in shown, "a display only looks"
    assert "If we ended now" not in part(bob.get(f"/s/{code}").text, "standing")


# --- the end ---


def test_everyone_sees_that_the_evening_has_ended(ada: Handset, bob: Handset, code: str) -> None:
    assert bob.tap(code, "end_sitting").status_code == 201
    for page in (f"/s/{code}", f"/s/{code}/display"):
        assert "The evening has ended." in part(ada.get(page).text, "ending")
    assert "We stopped here." in ada.get(f"/s/{code}/recap").text
    assert bob.tap(code, "end_sitting").status_code == 422
    assert bob.tap(code, "resume_sitting").status_code == 201
    assert "The evening has ended." not in ada.get(f"/s/{code}").text


def test_a_tap_that_comes_late_is_still_counted(ada: Handset, bob: Handset, code: str) -> None:
    ada.tap(code, "end_sitting")
    assert bob.count(code, 2, 1).status_code == 201
    assert "6 Points" in ada.get(f"/s/{code}/recap").text


def test_an_ended_table_is_found_in_the_history_and_no_longer_among_the_open_ones(
    ada: Handset, bob: Handset, code: str
) -> None:
    assert f'href="/s/{code}"' in bob.get("/").text
    ada.tap(code, "end_sitting")
    assert f'href="/s/{code}"' not in bob.get("/").text
    assert f'href="/s/{code}/recap"' in bob.get("/history").text


# --- the recap ---


def test_the_recap_tells_the_evening(ada: Handset, bob: Handset, code: str) -> None:
    ada.tap(code, "next_round", after=1)
    ada.count(code, 1, 9, round=2)
    bob.tap(code, "roll_dice", throw_what="2d6")
    ada.tap(code, "choose_rule", rule="who-wins", choice="highest")
    ada.tap(code, "end_game")
    page = bob.get(f"/s/{code}/recap").text
    said = text(page)
    assert "Ada wins with 11 Points." in said
    assert "Ada takes the lead from Bob, 11 to 5" in said
    assert "Highest score wins" in said
    assert "d6, rolled here 2 times" in said
    assert "1 min" in said
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="recap-chart"' in page
    assert "Points by round. Ada: 0, 2, 11. Bob: 0, 5, 5." in unescape(page)
    assert "<textarea readonly" in page
    assert not re.search(r"<[^>]*\s(on\w+|style)=|<style|<script(?![^>]*\ssrc=)", page)


def test_the_recap_of_a_game_that_goes_on_says_so(ada: Handset, code: str) -> None:
    assert "The game goes on. This is how it stands." in ada.get(f"/s/{code}/recap").text


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_that_was_not_there_sees_nothing(app: Flask, page: str) -> None:
    company = Company(app, "any-game")
    company.ada.tap(company.code, "end_game")
    for who in ("no token", "another table's host", "a waiting phone", "a removed phone", "a forged token"):
        answer = company.outsider(who).get(f"/s/{company.code}{page}")
        assert answer.status_code in (302, 403), (who, answer.status_code)
        assert "Bob" not in answer.text
    for phone in (company.ada, company.bob, company.cleo, company.screen):
        assert phone.get(f"/s/{company.code}{page}").status_code == 200


def test_what_members_take_along_holds_no_marks_of_phones(
    ada: Handset, bob: Handset, code: str, app: Flask
) -> None:
    answer = bob.get(f"/s/{code}/journal.json")
    assert answer.headers["Content-Disposition"] == f"attachment; filename={code}.json"
    assert json.loads(answer.text)["phones"] == []
    play: Play = app.extensions["play"]
    assert read(play.games, answer.text).journal.state == play.show(code).journal.state
    sheet = bob.get(f"/s/{code}/scores.csv")
    assert sheet.mimetype == "text/csv"
    assert sheet.text.startswith("round,Ada,Bob\r\n")


# --- once more ---


def test_again_with_the_same_seats_takes_every_phone_along(app: Flask) -> None:
    company = Company(app, "any-game")
    old = app.extensions["play"].show(company.code).table
    company.ada.tap(company.code, "choose_rule", rule="who-wins", choice="lowest")
    company.ada.tap(company.code, "end_sitting")
    answer = company.bob.post(f"/s/{company.code}/again", {"tap": secrets.token_hex(8)})
    assert answer.status_code == 303
    new = app.extensions["play"].show(answer.headers["Location"][-6:])
    assert new.code != company.code
    assert new.table.seats == old.seats
    assert new.table.choices == {"who-wins": "lowest"}
    assert new.table.who(new.table.host) == "Ada", "whoever hosts this table hosts the next"
    for phone, role, seats in (
        (company.bob, "player", (2,)),
        (company.ada, "player", (1,)),
        (company.cleo, "watcher", ()),
        (company.screen, "display", ()),
    ):
        mine = new.table.phone(app.extensions["play"].phone(new, token_of(phone)))
        assert (mine.role, mine.seats) == (role, seats)
        assert f"/s/{new.code}" in phone.get(f"/s/{company.code}/display").text, "everyone is shown the way"
    for stranger in (company.waiting, company.removed, company.dov):
        assert stranger.get(f"/s/{new.code}").status_code == 302
    assert new.journal.state.points == {}


def test_nobody_but_the_host_leads_the_table_away_from_a_game_that_goes_on(app: Flask) -> None:
    company = Company(app, "any-game")
    before = rows(app)
    answer = company.bob.post(f"/s/{company.code}/again", {"tap": secrets.token_hex(8)})
    assert (answer.status_code, rows(app)) == (403, before)
    assert "only the host can open the next table" in unescape(answer.text)
    assert company.ada.post(f"/s/{company.code}/again", {"tap": secrets.token_hex(8)}).status_code == 303


def test_once_the_game_is_decided_any_player_opens_the_next_table(app: Flask) -> None:
    company = Company(app, "any-game")
    play: Play = app.extensions["play"]
    assert company.bob.tap(company.code, "end_game").status_code == 201
    answer = company.bob.post(f"/s/{company.code}/again", {"tap": secrets.token_hex(8)})
    assert answer.status_code == 303
    new = play.show(answer.headers["Location"][-6:])
    assert new.table.host == play.phone(new, token_of(company.ada))


def test_again_twice_is_one_new_table(ada: Handset, bob: Handset, code: str) -> None:
    tap = secrets.token_hex(8)
    first = ada.post(f"/s/{code}/again", {"tap": tap}).headers["Location"]
    assert ada.post(f"/s/{code}/again", {"tap": tap}).headers["Location"] == first
    assert bob.post(f"/s/{code}/again", {"tap": secrets.token_hex(8)}).headers["Location"] == first


def test_whoever_only_watches_opens_no_next_table(app: Flask) -> None:
    company = Company(app, "any-game")
    before = rows(app)
    for phone in (company.cleo, company.screen, company.waiting, company.removed, company.dov, Handset(app)):
        assert phone.post(f"/s/{company.code}/again", {"tap": secrets.token_hex(8)}).status_code == 403
    assert rows(app) == before


# --- forgetting ---


class Ear:
    """A wire that remembers what was sent on it."""

    def __init__(self) -> None:
        self.heard, self.open = b"", True

    def send(self, data: bytes, flags: int = 0, /) -> int:
        self.heard += data
        return len(data)

    def close(self) -> None:
        self.open = False


def test_the_host_forgets_a_table_with_everything_in_it(
    app: Flask, ada: Handset, bob: Handset, code: str
) -> None:
    streams: Streams = app.extensions["streams"]
    ear = Ear()
    streams.attach(code, "table", ear, 1, 2)
    bob.get("/history")
    ada.tap(code, "end_sitting")
    bob.get("/history")
    assert ada.post(f"/s/{code}/forget").status_code == 422, "it is asked for twice"
    answer = ada.post(f"/s/{code}/forget", {"sure": "yes"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")

    assert b"event: forgotten" in ear.heard
    assert not ear.open
    kept = rows(app)
    assert [kept[name] for name in ("sitting", "entry", "phone")] == [[], [], []]
    assert code not in repr(vars(app.extensions["parts"]))
    assert code not in repr(vars(app.extensions["history"]))
    for path in ("", "/recap", "/people", "/live/table"):
        answer = bob.get(f"/s/{code}{path}")
        assert answer.status_code == 404
        assert "its host has deleted it" in unescape(answer.text)
    late = bob.count(code, 2, 1)
    assert (late.status_code, "deleted" in late.json["refused"]) == (404, True)
    assert code not in bob.get("/history").text
    assert code not in bob.get("/").text


def test_a_new_table_is_not_mistaken_for_a_forgotten_one(app: Flask, ada: Handset, code: str) -> None:
    """SQLite gives the number of the forgotten one away again; a tap on its way must not land there."""
    play: Play = app.extensions["play"]
    stale = play.show(code)
    ada.post(f"/s/{code}/forget", {"sure": "yes"})
    new = ada.open("Cleo", "Dov")
    assert play.show(new).id == stale.id
    ada.client.set_cookie("phone", token_of(ada))
    with pytest.raises(Exception, match="does not follow"), play.store.writing(stale.id, stale.code) as pen:
        pen.append(stale.journal.entries[-1])
    assert play.show(new).version == 1


def test_only_the_host_forgets(app: Flask) -> None:
    company = Company(app, "any-game")
    before = rows(app)
    for who in ("a phone with a seat", "a watcher", "another table's host", "no token"):
        answer = company.outsider(who).post(f"/s/{company.code}/forget", {"sure": "yes"})
        assert answer.status_code == 403
    assert rows(app) == before
