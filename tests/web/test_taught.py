"""Opening a first game, what each phone gets then, and what a table that knows the game does not get."""

from __future__ import annotations

import re

import pytest
from at_the_table import Handset

from companion.core.event import dump
from companion.games import shelf

TIDES = "tides-of-madness"
CARD = re.compile(r'<(?:article|p) id="lesson-(\d+)"[^>]*?( data-yours)?>')


def shown(phone: Handset, code: str) -> dict[str, bool]:
    """The cards on this phone's page, by phone, and whether they are its own."""
    page = phone.get(f"/s/{code}").text
    return {number: bool(yours) for number, yours in CARD.findall(page)}


@pytest.fixture
def ada(phone) -> Handset:
    return phone()


def test_one_question_is_asked_and_its_answer_is_yes_unless_somebody_says_no(ada):
    page = ada.get(f"/open/{TIDES}").text
    assert "Has everyone played before?" in page
    assert re.search(r'name="played" value="yes" checked', page)
    assert not re.search(r'name="played" value="no" checked', page)


def test_a_table_opened_as_before_writes_what_it_wrote_before(ada):
    plain = ada.open("Ada", "Bob", slug=TIDES)
    said = ada.open("Ada", "Bob", slug=TIDES, played="yes")
    play = ada.app.extensions["play"]
    for code in (plain, said):
        (entry,) = play.show(code).journal.entries
        assert [dump(event)["event"] for event in entry.events] == [
            "SittingOpened",
            "PhoneJoined",
            "SeatsTaken",
        ]
        assert shown(ada, code) == {}
        assert (
            '<section id="lesson" aria-label="Lesson" aria-live="polite" hidden></section>'
            in ada.get(f"/s/{code}").text
        )


def test_each_phone_of_a_first_game_gets_its_own_card_and_no_other_is_marked_as_its_own(ada, phone):
    code = ada.open("Ada", "Bob", slug=TIDES, played="no")
    bob = phone().join(code, 2)
    assert shown(ada, code) == {"1": True, "2": False}
    assert shown(bob, code) == {"1": False, "2": True}
    assert ada.tap(code, "read_lesson", lesson="thirty").status_code == 201
    page = ada.get(f"/s/{code}").text
    assert "Read your five cards" in page
    assert page.count("in thirty seconds") == 1, "Bob’s"
    assert "Where everything goes" in page


def test_a_phone_that_knows_the_game_sees_the_set_up_as_it_ever_was(ada, phone):
    """All phones get one drawing; what is only for those that are taught is marked, and who they are."""
    code = ada.open("Ada", "Bob", slug=TIDES, played="no")
    bob = phone().join(code, 2)
    assert bob.tap(code, "teach_me", on="no").status_code == 201
    adas, bobs = (each.get(f"/s/{code}").text for each in (ada, bob))
    assert re.search(r'<body[^>]* class="[^"]*\blearns\b', adas)
    assert not re.search(r'<body[^>]* class="[^"]*\blearns\b', bobs)
    assert re.findall(r'data-number="(\d)"[^>]* data-learns', bobs) == ["1"]
    marked = re.findall(r'<(?:small|span class="tag"|details[^>]*) data-only="pupils">', bobs)
    assert len(marked) == 4 + 4 + 1, "four lines with their words and numbers, and the plan"
    display = phone().join(code)
    assert display.tap(code, "be_display").status_code == 201
    assert "learns" not in re.search(r"<body[^>]*>", display.get(f"/s/{code}/display").text)[0]


def test_the_answer_survives_a_form_that_is_refused(ada):
    page = ada.post(
        f"/open/{TIDES}",
        {
            "tap": "t" * 16,
            "name": ["Ada"],
            "key": ["k1"],
            "colour": ["coral"],
            "symbol": ["sun"],
            "played": "no",
        },
    )
    assert page.status_code == 422
    assert re.search(r'name="played" value="no" checked', page.text)


def test_a_tap_at_a_table_that_knows_the_game_sends_nothing_more(ada):
    """The part is there, and is drawn once: no tap touches it."""
    code = ada.open("Ada", "Bob", slug=TIDES)
    parts, sitting = ada.app.extensions["parts"], ada.app.extensions["play"].show(code)
    before = parts.drawing(sitting, "table").parts["lesson"]
    assert ada.tap(code, "tick", item="deck").status_code == 201
    assert ada.tap(code, "choose_card", seat=1, round=1, card="cthulhu").status_code == 201
    now = parts.drawing(sitting, "table")
    assert now.parts["lesson"] is before
    assert "lesson" not in now.since(parts.drawing(sitting, "table"))


def test_the_next_table_of_the_same_people_knows_the_game(ada):
    code = ada.open("Ada", "Bob", slug=TIDES, played="no")
    answer = ada.post(f"/s/{code}/again", {"tap": "again-again-again"})
    again = answer.headers["Location"].rsplit("/", 1)[1]
    assert shown(ada, again) == {}


@pytest.mark.parametrize("slug", [slug for slug, game in shelf().items() if game.lessons])
def test_every_lesson_can_be_read_at_any_time_at_any_table(ada, slug):
    game = shelf()[slug]
    code = ada.open(*("Ada", "Bob", "Cleo", "Dov", "Eve")[: game.seats[0]], slug=slug)
    page = ada.get(f"/s/{code}/lessons")
    assert page.status_code == 200
    for lesson in game.lessons.book.lesson:
        assert f'id="lesson-again-{lesson.id}"' in page.text
    assert "Not met yet" in page.text
    assert "Read so far" not in page.text
    assert 'aria-checked="false"' in page.text
    large = ada.get(f"/s/{code}/lessons/large").text
    assert "data-aloud hidden" in large, "where a phone has no voice there is no button"


def test_what_was_read_stands_apart_in_the_log_of_lessons(ada):
    code = ada.open("Ada", "Bob", slug=TIDES, played="no")
    for card in ("thirty", "cards"):
        ada.tap(code, "read_lesson", lesson=card)
    page = ada.get(f"/s/{code}/lessons").text
    read, unread = page.split("Not met yet")
    assert "lesson-again-cards" in read
    assert "lesson-again-draft" in unread
    assert 'aria-checked="true"' in read


def test_the_host_switches_it_for_all_on_the_page_of_people(ada):
    code = ada.open("Ada", "Bob", slug=TIDES)
    assert "A first game: the phones teach it" in ada.get(f"/s/{code}/people").text
    assert ada.tap(code, "teach_everyone", on="yes").status_code == 201
    assert shown(ada, code) == {"1": True}


def test_a_card_that_is_put_away_is_a_hidden_line_of_the_log(ada):
    code = ada.open("Ada", "Bob", slug=TIDES, played="no")
    ada.tap(code, "read_lesson", lesson="thirty")
    assert re.search(r'<li id="line-2" class="line" hidden ', ada.get(f"/s/{code}").text)
