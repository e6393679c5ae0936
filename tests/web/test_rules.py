"""Rules over HTTP: every ruling has an address, and a shown one lies on every page."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from html import unescape
from urllib.parse import quote

import pytest
from at_the_table import Handset

from companion.web import rules

GAME = "tides-of-madness"


@pytest.fixture
def ada(phone: Callable[[], Handset]) -> Handset:
    return phone()


def test_every_ruling_has_a_page(ada: Handset) -> None:
    for slug, game in ada.app.extensions["play"].games.items():
        for ruling in game.rulings:
            page = ada.get(f"/rules/{slug}/{ruling.id}")
            assert page.status_code == 200
        assert ada.get(f"/rules/{slug}").status_code == 200
    assert ada.get("/rules").status_code == 200
    assert ada.get(f"/rules/{GAME}/no-such").status_code == 404


def test_the_game_at_the_table_answers_first(ada: Handset) -> None:
    page = ada.get(f"/rules/answers?game={GAME}&q=what+if+both+have+nine").text
    assert page.index("What if both have nine or more?") > 0
    assert f"/rules/{GAME}/both-lost" in page
    others = ada.get(f"/rules/answers?others&game={GAME}&q=what+if+both+have+nine").text
    assert f"/rules/{GAME}/" not in others


def test_no_answer_is_said(ada: Handset) -> None:
    assert "No ruling of Tides of Madness answers that" in ada.get(f"/rules/answers?game={GAME}&q=xyzzy").text
    assert "No ruling answers that" in ada.get("/rules/answers?q=xyzzy").text
    assert ada.get("/rules/answers?q=").text.strip() == ""


def test_what_only_comes_near_is_said_to(ada: Handset) -> None:
    page = ada.get(f"/rules/answers?game={GAME}&q=who+may+look+at+the+rain+from+the+kept+card").text
    assert page.index("No ruling fits that well. The nearest:") < page.index(f"/rules/{GAME}/")


@pytest.mark.parametrize(
    "question", ['"', "%00", "' OR 1=1", "x" * 10_000, "%F0%9F%A6%91", "<script>", "%ff%fe"]
)
def test_hostile_questions_are_answered_or_not_but_never_an_error(ada: Handset, question: str) -> None:
    answer = ada.get(f"/rules/answers?q={question}")
    assert answer.status_code == 200
    assert "<script>" not in answer.text


def test_a_phone_takes_all_rulings_of_its_game_with_it(ada: Handset) -> None:
    told = ada.get(f"/games/{GAME}/rulings.json").json
    game = ada.app.extensions["play"].games[GAME]
    assert told["rulings"]["id"] == [ruling.id for ruling in game.rulings]
    assert all(len(field) == len(game.rulings) for field in told["rulings"].values())
    assert {each["id"] for each in told["house_rules"]} == {rule.id for rule in game.house_rules}
    assert ada.get("/games/chess/rulings.json").status_code == 404


def test_what_a_phone_has_is_not_sent_again(ada: Handset) -> None:
    first = ada.get(f"/games/{GAME}/rulings.json")
    again = ada.get(f"/games/{GAME}/rulings.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_what_a_phone_takes_with_it_is_small_and_reckoned_once(
    ada: Handset, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug, game in ada.app.extensions["play"].games.items():
        if not game.rulings:
            continue
        squeezed = ada.get(f"/games/{slug}/rulings.json", headers={"Accept-Encoding": "gzip"})
        assert squeezed.headers["Content-Encoding"] == "gzip"
        assert len(squeezed.data) <= 60_000, slug
        assert json.loads(gzip.decompress(squeezed.data))["title"] == game.title
    monkeypatch.setattr(rules, "rulebook", lambda _: pytest.fail("it was reckoned already"))
    assert ada.get(f"/games/{GAME}/rulings.json").status_code == 200


def test_answers_say_where_they_stand_and_both_readings_where_no_table_has_chosen(ada: Handset) -> None:
    found = ada.get(f"/rules/answers?game={GAME}&q=do+kept+cards+give+madness+again").text
    page = ada.get(f"/rules/{GAME}/kept-again").text
    for text in (found, page):
        assert "Kept cards give Madness again" in text
        assert "Other tables play: Kept cards give no Madness again" in text
        assert "description of the game; manual, section 5" in text
    assert "Your table plays" not in found + page


def test_every_ruling_with_a_house_rule_tells_each_reading_on_its_page(ada: Handset) -> None:
    for slug, game in ada.app.extensions["play"].games.items():
        for ruling in game.rulings:
            if ruling.house_rule:
                page = unescape(ada.get(f"/rules/{slug}/{ruling.id}").text)
                assert all(text in page for text in (ruling.answer, *ruling.readings.values())), ruling.id
                assert "Other tables play: " in page
                assert "Your table plays" not in page


def test_two_that_come_about_as_near_are_shown_as_equals(ada: Handset) -> None:
    look_up = ada.app.extensions["look_up"]
    texts = [each.title for each in look_up.games[GAME].rulings]
    asked = next(
        " ".join(text.split()[:n])
        for text in texts
        for n in (2, 3, 4)
        if (found := look_up.search(" ".join(text.split()[:n]), GAME)) and found[0].clear and found[0].equal
    )
    page = ada.get(f"/rules/answers?game={GAME}&q={quote(asked)}").text
    assert "Two rulings come about as near" in page
    assert page.count('<li class="whole">') >= 2, "none is cut shorter than the other"


def test_a_shown_ruling_lies_on_every_page_until_it_is_put_away(ada: Handset) -> None:
    code = ada.open("Ada", "Bob", slug=GAME)
    watcher = ada.join(code)
    assert (
        watcher.tap(code, "show_ruling", ruling="both-lost").status_code == 201
    )  # whoever is at the table may
    for page in ("", "/display", "/people", "/log", "/dice"):
        assert "What if both have nine or more?" in ada.get(f"/s/{code}{page}").text, page
    again = ada.tap(code, "show_ruling", ruling="both-lost")
    assert (again.status_code, again.json["refused"]) == (422, "That ruling lies on the table already.")
    assert ada.tap(code, "show_ruling", ruling="nonsense").status_code == 422
    assert ada.tap(code, "put_ruling_away").status_code == 201
    assert "nobody wins" not in ada.get(f"/s/{code}/people").text
    assert ada.tap(code, "put_ruling_away").json["refused"] == "No ruling lies on the table."
