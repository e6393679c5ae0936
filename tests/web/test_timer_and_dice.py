"""The tools on every table, as the web carries them: the time, the parts, the page of the evening's dice."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
from at_the_table import Handset, LoadedDice
from flask import Flask

from companion.core.dice import Die, Face
from companion.games.any_game import GAME
from companion.tools import equip
from companion.web.parts import Parts

Phones = Callable[[], Handset]
CASTLE = Die("castle", "Castle die", (Face("might", "✊"), Face("cunning & wit", "◆")))


@pytest.fixture
def ada(phone: Phones) -> Handset:
    return phone()


@pytest.fixture
def code(ada: Handset) -> str:
    return ada.open("Ada", "Bob")


@pytest.fixture
def bob(phone: Phones, code: str) -> Handset:
    return phone().join(code, 2)


@pytest.fixture
def castle(app: Flask, ada: Handset) -> str:
    """A table of a room that brings a die and a sand timer."""
    room = equip(replace(GAME, slug="any-game", dice=(CASTLE,), timers=(("Sand timer", 30),)))
    app.extensions["play"].games["any-game"] = room
    return ada.open("Ada", "Bob")


def load(app: Flask, *rolls: int) -> None:
    app.extensions["play"].luck = LoadedDice(*rolls)


def part(app: Flask, code: str, name: str, page: str = "table") -> str:
    drawn: Parts = app.extensions["parts"]
    return str(drawn.drawing(app.extensions["play"].show(code), page).parts[name])


def words(html: str) -> str:
    """What is left for a reader."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def data(html: str) -> dict[str, str]:
    return dict(re.findall(r'data-(\w+)="([^"]*)"', html.partition(">")[0]))


# --- the time ---


def test_anyone_may_ask_for_the_time(phone: Phones) -> None:
    before = time.time_ns() // 1_000_000
    answer = phone().get("/time")
    after = time.time_ns() // 1_000_000
    assert answer.status_code == 200
    assert before <= answer.json["now"] <= after
    assert answer.headers["Cache-Control"] == "no-store"  # yesterday's time is no time


def test_a_page_brings_the_time_it_was_drawn_at(ada: Handset, code: str) -> None:
    before = time.time_ns() // 1_000_000
    page = ada.get(f"/s/{code}").text
    found = re.search(r'data-now="(\d+)"', page)
    assert found
    assert before <= int(found[1]) <= time.time_ns() // 1_000_000


# --- the timer's part ---


def test_without_a_timer_its_place_is_there_and_hidden(app: Flask, code: str) -> None:
    drawn = part(app, code, "timer")
    assert re.match(r'<section id="timer"[^>]* hidden', drawn)
    assert words(drawn) == ""


def test_a_running_timer_carries_its_end_and_its_length(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "start_timer", length="1:30")
    drawn, event = part(app, code, "timer"), app.extensions["play"].show(code).journal.entries[-1].events[0]
    assert data(drawn) == {
        "mode": "down",
        "length": "90000",
        "until": str(event.at + 90_000),
        "since": "",
        "left": "",
    }
    assert words(drawn) == "Pause +10 s Restart"  # the digits are the phone's business


def test_a_paused_timer_carries_what_is_left(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "start_timer", length=90)
    ada.tap(code, "pause_timer")
    drawn = part(app, code, "timer")
    assert (data(drawn)["until"], 89_000 < int(data(drawn)["left"]) <= 90_000) == ("", True)
    assert words(drawn) == "Resume +10 s Restart"


def test_a_stopwatch_has_no_end_to_move(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "start_timer", mode="up")
    assert data(part(app, code, "timer"))["since"]
    assert words(part(app, code, "timer")) == "Pause Restart"


def test_the_timer_is_not_drawn_again_while_it_runs(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "start_timer", length=90)
    drawn = part(app, code, "timer")
    ada.count(code)
    assert part(app, code, "timer") is drawn


def test_phones_and_the_display_have_the_timer_and_the_roll(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "start_timer", length=90)
    ada.tap(code, "roll_dice", throw_what="d6")
    for page in ("table", "display"):
        assert data(part(app, code, "timer", page))["mode"] == "down"
        assert "rolled d6" in words(part(app, code, "roll", page))


def test_a_room_puts_its_own_timer_and_dice_first(ada: Handset, castle: str) -> None:
    page = ada.get(f"/s/{castle}").text
    tools = page[page.index('id="tools"') :]
    assert tools.index("Sand timer") < tools.index("0:30")
    assert """data-args='{"length": 30}'>Sand timer""" in tools
    assert tools.index("Castle die") < tools.index(">d6<")
    faces = re.search(r"data-die=\"castle\" data-faces='([^']*)'", tools)
    assert faces
    assert faces[1] == '["might", "cunning \\u0026 wit"]'


# --- the roll's part ---


def test_a_roll_says_who_rolled_what_and_what_it_makes(app: Flask, bob: Handset, code: str) -> None:
    load(app, 3, 4)
    bob.tap(code, "roll_dice", throw_what="2d6+1")
    drawn = part(app, code, "roll")
    assert words(re.sub(r'<span aria-hidden="true">.*?</span>', "", drawn)) == "Bob rolled 2d6+1 3 4 +1 8"
    assert data(drawn)["number"] == "1"


def test_a_roll_by_hand_says_so(app: Flask, bob: Handset, code: str) -> None:
    bob.tap(code, "roll_dice", throw_what="2d6", shown=["6", "6"])
    assert words(part(app, code, "roll")).startswith("Bob rolled 2d6 at the table")


def test_a_rooms_die_shows_its_symbol_and_says_its_name(app: Flask, ada: Handset, castle: str) -> None:
    ada.tap(castle, "roll_dice", throw_what="castle", shown=["2"])
    drawn = part(app, castle, "roll")
    assert '<span aria-hidden="true">◆</span><span class="unseen">cunning &amp; wit</span>' in drawn


def test_a_lot_says_who_drew_and_whom(app: Flask, bob: Handset, code: str) -> None:
    load(app, 1)
    bob.tap(code, "draw_lot")
    assert re.fullmatch(r"Bob drew lots .*Ada", words(part(app, code, "roll")))


def test_a_name_cannot_break_out_of_the_roll(app: Flask, ada: Handset) -> None:
    code = ada.open("<b>Ada</b>", "Bob")
    ada.tap(code, "roll_dice", throw_what="d6")
    assert "&lt;b&gt;Ada&lt;/b&gt;" in part(app, code, "roll")


# --- how the dice fell ---


def charts(page: str) -> list[tuple[str, str, int]]:
    """Of each chart: what stands over it, what it says to those who cannot see it, how many bars it has."""
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    return [
        (
            words(re.search(r"<figcaption>.*</figcaption>", each, re.DOTALL)[0]),  # type: ignore[index]
            unescape(re.search(r'role="img"[^>]*aria-label="([^"]*)"', each)[1]),  # type: ignore[index]
            each.count("<rect"),
        )
        for each in figures
    ]


def test_before_the_first_roll_the_page_says_so(ada: Handset, code: str) -> None:
    assert "Nobody has rolled yet." in ada.get(f"/s/{code}/dice").text


def test_each_die_has_a_chart_and_its_words_virtual_and_real_apart(
    app: Flask, ada: Handset, castle: str
) -> None:
    load(app, 1, 1, 6, 2)
    ada.tap(castle, "roll_dice", throw_what="3d6")
    ada.tap(castle, "roll_dice", throw_what="castle")
    ada.tap(castle, "roll_dice", throw_what="d6", shown=["6"])
    assert charts(ada.get(f"/s/{castle}/dice").text) == [
        ("d6 rolled here, 3 times", "1: 2, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1", 6),
        ("Castle die rolled here, 1 time", "might: 0, cunning & wit: 1", 2),
        ("d6 rolled at the table, 1 time", "1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1", 6),
    ]


def test_the_chart_follows_a_roll_that_is_taken_back(app: Flask, ada: Handset, code: str) -> None:
    ada.tap(code, "roll_dice", throw_what="d4", shown=["1"])
    version = ada.tap(code, "roll_dice", throw_what="d4", shown=["4"]).json["version"]
    ada.tap(code, "take_back", entry=version)
    assert charts(part(app, code, "spread", "dice")) == [
        ("d4 rolled at the table, 1 time", "1: 1, 2: 0, 3: 0, 4: 0", 4)
    ]


def test_a_stranger_does_not_see_how_the_dice_fell(phone: Phones, code: str) -> None:
    answer = phone().get(f"/s/{code}/dice")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/j/{code}")


# --- who may, and what is refused ---

TOOLS = [
    ("start_timer", {"length": "30"}),
    ("pause_timer", {}),
    ("resume_timer", {}),
    ("restart_timer", {}),
    ("add_time", {}),
    ("stop_timer", {}),
    ("roll_dice", {"throw_what": "d6"}),
    ("draw_lot", {}),
]


@pytest.mark.parametrize(("command", "given"), TOOLS)
def test_who_only_watches_may_look_but_not_touch(
    app: Flask, phone: Phones, code: str, command: str, given: dict[str, str]
) -> None:
    watcher = phone().join(code)
    before = app.extensions["play"].show(code).version
    answer = watcher.tap(code, command, **given)
    assert (answer.status_code, answer.json) == (
        403,
        {"refused": "This phone only watches. Take a seat to tap."},
    )
    assert app.extensions["play"].show(code).version == before
    assert watcher.get(f"/s/{code}/dice").status_code == 200


@pytest.mark.parametrize(("command", "given"), TOOLS)
def test_a_stranger_may_not_touch(phone: Phones, code: str, command: str, given: dict[str, str]) -> None:
    assert phone().tap(code, command, **given).status_code == 403


def test_only_the_host_shuffles_the_seats(app: Flask, ada: Handset, bob: Handset, code: str) -> None:
    load(app, 2, 1)
    for role in ("do", "host"):
        assert bob.tap(code, "shuffle_seats", role=role).status_code == 403
    assert ada.tap(code, "shuffle_seats").status_code == 201
    assert [seat.name for seat in app.extensions["play"].show(code).table.seats] == ["Bob", "Ada"]


@pytest.mark.parametrize(
    ("command", "given", "sentence"),
    [
        ("start_timer", {"length": "-5"}, "Time only runs forwards; type a length like 30, 1:30 or 5m."),
        ("start_timer", {"length": "25h"}, "A timer can run from one second to 24 hours."),
        ("start_timer", {"length": "abc"}, "That is not a length of time; type one like 30, 1:30 or 5m."),
        ("start_timer", {}, "How long? Type a length like 30, 1:30 or 5m."),
        ("pause_timer", {}, "No timer is set."),
        ("roll_dice", {"throw_what": "0d6"}, "No dice, no roll: throw at least one."),
        ("roll_dice", {"throw_what": "1000d1000"}, "A die has 2 to 100 sides; d1000 has not."),
        ("roll_dice", {"throw_what": "d"}, "There is no die called “d” at this table."),
        ("roll_dice", {}, "Which dice? Type something like d20, 2d6+1 or coin."),
        (
            "roll_dice",
            {"throw_what": "d6" * 5000},
            "That is more than one throw; type something like d20, 2d6+1 or coin.",
        ),
        (
            "roll_dice",
            {"throw_what": "d6", "shown": ["six"]},
            "Say of each die which face it shows; faces are counted from 1.",
        ),
        ("roll_dice", {"throw_what": "d6", "shown": ["7"]}, "A d6 has no such face."),
    ],
)
def test_bad_input_gets_its_sentence_and_changes_nothing(
    app: Flask, ada: Handset, code: str, command: str, given: dict[str, str], sentence: str
) -> None:
    before = app.extensions["play"].show(code).version
    answer = ada.post(f"/s/{code}/do/{command}", {"tap": secrets.token_hex(8), **given})
    assert (answer.status_code, answer.json) == (422, {"refused": sentence})
    assert app.extensions["play"].show(code).version == before
