"""Opening a table, and every way to come to it."""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from at_the_table import ORIGIN, Handset, LoadedDice
from flask import Flask
from werkzeug.test import TestResponse

from companion.core.table import COLOURS, SYMBOLS, Table
from companion.games import shelf
from companion.sittings.play import ALPHABET
from companion.web.limits import Limits, Throttle

GUESSES = int(Limits().guesses)

Phones = Callable[[], Handset]


def table(app: Flask, code: str) -> Table:
    found: Table = app.extensions["play"].show(code).table
    return found


def token(phone: Handset) -> str:
    cookie = phone.client.get_cookie("phone")
    assert cookie
    return cookie.value


def opening(*names: str, **more: Any) -> dict[str, Any]:
    """The form as the page sends it; the first seat is this phone's."""
    number = len(names)
    form = {
        "tap": secrets.token_hex(8),
        "name": list(names),
        "colour": list(COLOURS[:number]),
        "symbol": list(SYMBOLS[:number]),
        "key": [f"k{n}" for n in range(1, number + 1)],
        "mine": ["k1"],
        "starter": "lot",
    }
    return form | more


def sentence(answer: TestResponse) -> str:
    found = re.search(r'class="sentence"[^>]*>(.*?)</p>', answer.text, re.S)
    assert found, answer.text
    return unescape(found[1])


def typed_names(answer: TestResponse) -> list[str]:
    """What stands in the name fields of the page."""
    page = answer.text.partition("<template")[0]  # the form knows what one more would look like
    return [unescape(name) for name in re.findall(r'name="name" value="([^"]*)"', page)]


def ask(phone: Handset, code: str, label: str = "Dov") -> TestResponse:
    """Knock with a typed code."""
    return phone.post(f"/j/{code}", {"tap": secrets.token_hex(8), "label": label})


def scan(phone: Handset, code: str) -> TestResponse:
    """Join with what the QR code says."""
    return phone.post(f"/j/{code}/{phone.secret(code)}", {"tap": secrets.token_hex(8)})


def sit(phone: Handset, code: str, *seats: int, **more: str) -> TestResponse:
    return phone.post(f"/s/{code}/seat", {"tap": secrets.token_hex(8), "seats": list(seats), **more})


def host(ada: Handset, code: str, command: str, **given: Any) -> TestResponse:
    return ada.tap(code, command, role="host", **given)


# --- opening ---


def test_the_home_page_shows_the_shelf_a_place_for_a_code_and_no_tables_yet(phone: Phones) -> None:
    page = phone().get("/").text
    assert 'href="/open/any-game"' in page
    assert 'action="/join"' in page
    assert "Your tables" not in page


def test_opening_leads_to_the_invitation_and_the_table_is_on_the_home_page(phone: Phones) -> None:
    ada = phone()
    answer = ada.post("/open/any-game", opening("Ada", "Bob"))
    assert answer.status_code == 303
    code = answer.headers["Location"].split("/")[2]
    assert answer.headers["Location"] == f"/s/{code}/people"
    assert set(code) <= set(ALPHABET)
    assert len(code) == 6
    assert f'href="/s/{code}"' in ada.get("/").text
    assert f'href="/s/{code}"' not in phone().get("/").text


def test_a_table_that_plays_another_box_is_called_by_it_wherever_it_is_named(phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    assert ada.tap(code, "arrange", title="Skull King").status_code == 201
    card = ada.get("/").text.partition('id="shelf-title"')[0]
    assert "Skull King" in card
    assert "Any game" not in card
    assert '<h1 id="title">Skull King</h1>' in ada.get(f"/s/{code}/people").text
    assert "Skull King" in bob.get(f"/j/{code}/{ada.secret(code)}").text


def test_names_and_looks_are_remembered_for_this_phones_next_table(phone: Phones) -> None:
    ada = phone()
    ada.open("Ada", "Bob", "Cleo", colour=["gold", "sky", "plum"])
    page = ada.get("/open/any-game")
    assert typed_names(page) == ["Ada", "Bob", "Cleo"]
    looks = re.findall(r'name="colour" value="(\w+)"', page.text.partition("<template")[0])
    assert looks == ["gold", "sky", "plum"]
    assert typed_names(phone().get("/open/any-game")) == []


def test_names_are_remembered_as_they_were_last_called(phone: Phones) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    host(ada, code, "rename_seat", seat=2, name="Dov")
    assert typed_names(ada.get("/open/any-game")) == ["Ada", "Dov"]


def test_a_table_that_only_let_this_phone_wait_does_not_wipe_its_memory(phone: Phones) -> None:
    ada, bob = phone(), phone()
    ada.open("Ada", "Cleo")
    ask(ada, bob.open("Bob", "Dov"))
    assert typed_names(ada.get("/open/any-game")) == ["Ada", "Cleo"]


@pytest.mark.parametrize(
    ("names", "number"),
    [((), 0), (tuple(f"Player {n}" for n in range(1, 14)), 13)],
    ids=["too few", "too many"],
)
def test_too_few_or_too_many_players_is_a_sentence_and_keeps_what_was_typed(
    phone: Phones, names: tuple[str, ...], number: int
) -> None:
    ada = phone()
    looks = {"colour": [*COLOURS, "coral"][:number], "symbol": [*SYMBOLS, "sun"][:number]}
    answer = ada.post("/open/any-game", opening(*names, **looks))
    assert answer.status_code == 422
    assert sentence(answer) == f"Any game is for 1 to 12 players; this table has {number}."
    assert typed_names(answer) == list(names)
    assert "Set-Cookie" not in answer.headers
    assert "Your tables" not in ada.get("/").text


def test_what_was_chosen_is_kept_when_the_form_comes_back(phone: Phones) -> None:
    form = opening("Ada", "ada", mine=["k2"], **{"rule-who-wins": "lowest"})
    page = phone().post("/open/any-game", form).text
    assert re.findall(r'name="mine" value="(\w+)"\s+checked', page) == ["k2"]
    assert re.findall(r'name="rule-who-wins" value="(\w+)"\s+checked', page) == ["lowest"]
    assert re.findall(r'name="key" value="(\w+)"', page) == ["k1", "k2"]
    assert re.findall(r'name="plays" value="(\w+)" checked', page) == ["k1", "k2"]


def test_after_a_refusal_the_corrected_form_opens_the_table(phone: Phones) -> None:
    ada = phone()
    refused = ada.post("/open/any-game", opening("Ada", "Ada")).text
    tap = re.search(r'name="tap" value="([^"]+)"', refused)
    assert tap
    assert ada.post("/open/any-game", opening("Ada", "Bob", tap=tap[1])).status_code == 303


REFUSED = {
    "the same name twice": (
        opening("Ada", "ADA"),
        "Two players are called Ada. Give each a name of their own.",
    ),
    "the same colour twice": (
        opening("Ada", "Bob", colour=["sky", "sky"]),
        "Two seats have the same colour: sky. Give each its own.",
    ),
    "the same symbol twice": (
        opening("Ada", "Bob", symbol=["sun", "sun"]),
        "Two seats have the same symbol: sun. Give each its own.",
    ),
    "a colour that is not in the box": (
        opening("Ada", "Bob", colour=["sky", "beige"]),
        "There is no such colour in the box.",
    ),
    "a symbol that is not in the box": (
        opening("Ada", "Bob", symbol=["sun", "../sun"]),
        "There is no such symbol in the box.",
    ),
    "a starter who has no seat": (
        opening("Ada", "Bob", starter="k9"),
        "The player who starts must have a seat.",
    ),
    "a house rule's answer that is none": (
        opening("Ada", "Bob", **{"rule-who-wins": "me"}),
        "“Who wins?” has no such answer.",
    ),
    "a name without letters": (
        opening("Ada", " "),
        "A name needs at least one visible character.",
    ),
    "a name without end": (
        opening("Ada", "B" * 25),
        "A name can have at most 24 characters; “BBBBBBBBBBBB…” has 25.",
    ),
    "no tap": (
        opening("Ada", "Bob", tap=""),
        "This tap came without its number. Reload the page and tap again.",
    ),
}


@pytest.mark.parametrize(("form", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_an_opening_that_cannot_be_is_refused_in_a_sentence(
    phone: Phones, form: dict[str, Any], why: str
) -> None:
    ada = phone()
    answer = ada.post("/open/any-game", form)
    assert answer.status_code == 422
    assert sentence(answer) == why
    assert typed_names(answer) == form["name"]
    assert "Your tables" not in ada.get("/").text


def test_whoever_was_chosen_starts(app: Flask, phone: Phones) -> None:
    assert table(app, phone().open("Ada", "Bob", starter="k2")).starter == 2


def test_who_starts_can_be_drawn_by_lot_and_the_log_says_so(app: Flask, phone: Phones) -> None:
    app.extensions["play"].luck = LoadedDice(3)
    ada = phone()
    code = ada.open("Ada", "Bob", "Cleo", starter="lot")
    assert table(app, code).starter == 3
    assert "Cleo starts, by lot" in unescape(ada.get(f"/s/{code}/log").text)


def test_a_house_rule_is_chosen_at_set_up(app: Flask, phone: Phones) -> None:
    assert table(app, phone().open("Ada", "Bob")).choices == {"who-wins": "highest"}
    code = phone().open("Ada", "Bob", **{"rule-who-wins": "lowest"})
    assert table(app, code).choices == {"who-wins": "lowest"}


@pytest.mark.parametrize(("mine", "seats"), [([], ()), (["k2"], (2,)), (["k1", "k3"], (1, 3)), (["k9"], ())])
def test_the_opening_phone_plays_none_one_or_several_seats(
    app: Flask, phone: Phones, mine: list[str], seats: tuple[int, ...]
) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob", "Cleo", mine=mine)
    opener = table(app, code).phone(1)
    assert (opener.seats, opener.role) == (seats, "player" if seats else "watcher")
    assert table(app, code).host == 1
    assert host(ada, code, "lock_joining", locked="yes").status_code == 201


def test_who_is_tapped_off_does_not_play(app: Flask, phone: Phones) -> None:
    """The whole family is on the form; starter and this phone's seat are counted among those who play."""
    form = opening("Ada", "Bob", "Cleo", plays=["k2", "k3"], mine=["k1", "k3"], starter="k3")
    code = phone().post("/open/any-game", form).headers["Location"].split("/")[2]
    there = table(app, code)
    assert [seat.name for seat in there.seats] == ["Bob", "Cleo"]
    assert (there.starter, there.phone(1).seats) == (2, (2,))
    nobody = phone().post("/open/any-game", opening("Ada", "Bob", plays=[""]))
    assert sentence(nobody) == "Any game is for 1 to 12 players; this table has 0."


def on(page: TestResponse) -> list[str]:
    """Who is tapped on when the form opens."""
    keys = re.findall(r'name="plays" value="(\w+)" checked', page.text)
    return [
        unescape(re.search(rf'data-key="{key}".*?<bdi>([^<]*)', page.text, re.S)[1]) for key in keys if key
    ]  # type: ignore[index]


def test_last_times_players_are_on_and_all_others_of_earlier_tables_a_tap_away(phone: Phones) -> None:
    ada = phone()
    ada.open("Ada", "Dov", slug="tides-of-madness")
    ada.open(*(f"Guest {n}" for n in range(1, 10)), "Ada", mine=["k10"])
    page = ada.get("/open/tides-of-madness")
    assert on(page) == ["Ada", "Dov"], "those of this game's last table"
    assert typed_names(page)[:3] == ["Ada", "Dov", "Guest 1"]
    assert len(typed_names(page)) == 11
    page = ada.get("/open/wisdom-of-cthulhu")
    assert on(page) == ["Guest 1", "Guest 2", "Guest 3", "Guest 4"], "no more than can play it"
    assert ">This table" not in page.text


def test_the_house_rules_of_last_time_are_the_usual_ones(phone: Phones) -> None:
    ada = phone()
    ada.open("Ada", "Bob", **{"rule-who-wins": "lowest"})
    chosen = re.compile(r'name="rule-who-wins" value="(\w+)"\s+checked')
    assert chosen.findall(ada.get("/open/any-game").text) == ["lowest"]
    assert chosen.findall(phone().get("/open/any-game").text) == ["highest"]


@pytest.mark.parametrize("slug", shelf())
def test_who_starts_is_asked_only_where_somebody_starts(phone: Phones, slug: str) -> None:
    asked = "Who starts?" in phone().get(f"/open/{slug}").text
    assert asked == (slug not in ("escape-the-dark-castle", "tides-of-madness"))


def test_the_same_opening_twice_is_one_table(app: Flask, phone: Phones) -> None:
    form = opening("Ada", "Bob")
    ada, again = phone(), phone()  # the second has no cookie: the first answer was lost on the way
    first, second = ada.post("/open/any-game", form), again.post("/open/any-game", form)
    assert first.headers["Location"] == second.headers["Location"]
    assert token(ada) == token(again)
    assert app.extensions["play"].store.count() == 1


def test_the_same_tap_with_other_players_is_not_the_same_opening(app: Flask, phone: Phones) -> None:
    """Back, other names, and on: that must not lead to the table of before without a word."""
    ada = phone()
    ada.post("/open/any-game", opening("Ada", "Bob", tap="one-opening"))
    answer = ada.post("/open/any-game", opening("Ada", "Cleo", tap="one-opening"))
    assert answer.status_code == 409
    assert typed_names(answer) == ["Ada", "Cleo"]
    fresh = re.search(r'name="tap" value="([^"]+)"', answer.text)
    assert fresh
    assert ada.post("/open/any-game", opening("Ada", "Cleo", tap=fresh[1])).status_code == 303


def test_another_phone_with_the_openers_tap_does_not_become_the_host(phone: Phones) -> None:
    form = opening("Ada", "Bob")
    ada, eve = phone(), phone()
    eve.open("Eve")
    code = ada.post("/open/any-game", form).headers["Location"].split("/")[2]
    assert eve.post("/open/any-game", form).status_code == 409
    assert host(eve, code, "lock_joining", locked="yes").status_code == 403


# --- the door ---


def test_the_door_names_the_table_and_its_players_and_changes_nothing(app: Flask, phone: Phones) -> None:
    code = phone().open("Ada", "Bob", "Cleo")
    before = app.extensions["play"].show(code).version
    for path in (f"/j/{code}", f"/j/{code}/{phone().secret(code)}"):
        page = phone().get(path)
        assert page.status_code == 200
        for word in ("Any game", "Ada’s table", code, "Bob", "Cleo"):
            assert word in re.sub(r"<[^>]+>", "", unescape(page.text)).replace("\n", " "), word
        assert "Set-Cookie" not in page.headers
    assert app.extensions["play"].show(code).version == before


def test_scanning_joins_in_one_post_and_leads_to_the_seats(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    assert "Which one is you?" in bob.get(f"/j/{code}/{bob.secret(code)}").text
    answer = scan(bob, code)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/s/{code}/seat")
    assert table(app, code).phone(2).role == "watcher"
    assert bob.get(f"/s/{code}/seat").status_code == 200


def come_in(phone: Handset, code: str, tap: str = "", **how: Any) -> TestResponse:
    """What one of the buttons at the door sends."""
    return phone.post(f"/j/{code}/{phone.secret(code)}", {"tap": tap or secrets.token_hex(8), **how})


def test_the_token_that_is_tapped_at_the_door_is_the_seat(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob", "Cleo"), phone()
    door = bob.get(f"/j/{code}/{bob.secret(code)}").text
    assert re.findall(r'name="seats" value="(\d)"', door) == ["2", "3"]  # Ada is in
    for _ in range(2):  # also when the answer was lost on its way
        answer = come_in(bob, code, tap="bob-sits", seats=2)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/s/{code}")
    assert (table(app, code).phone(2).role, table(app, code).phone(2).seats) == ("player", (2,))
    entries = app.extensions["play"].show(code).journal.entries
    assert [entry.command for entry in entries] == ["open", "join"]
    assert "joined; plays Bob" in app.extensions["play"].show(code).journal.lines[-1].text


def test_who_finds_the_seat_taken_stays_at_the_door_and_reads_why(app: Flask, phone: Phones) -> None:
    code, late = phone().open("Ada", "Bob", "Cleo"), phone()
    come_in(phone(), code, seats=2)
    answer = come_in(late, code, seats=2)
    assert answer.status_code == 422
    assert "Bob is in already, on another phone. Choose another seat." in answer.text
    assert 'name="seats" value="3"' in answer.text
    assert "Set-Cookie" not in answer.headers
    assert len(table(app, code).phones) == 2
    assert come_in(late, code, seats=3).headers["Location"] == f"/s/{code}"


@pytest.mark.parametrize("seat", ["0", "9", "-1", "two", "1" * 400])
def test_a_seat_that_is_not_there_cannot_be_taken_at_the_door(app: Flask, phone: Phones, seat: str) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    assert come_in(bob, code, seats=seat).status_code == 422
    assert len(table(app, code).phones) == 1


@pytest.mark.parametrize(("how", "role"), [("watch", "watcher"), ("display", "display")])
def test_who_only_looks_is_in_with_one_tap_too(app: Flask, phone: Phones, how: str, role: str) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    assert come_in(bob, code, **{how: "yes"}).headers["Location"] == f"/s/{code}"
    assert table(app, code).phone(2).role == role


def test_no_seat_is_taken_with_a_typed_code(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    bob.post(f"/j/{code}", {"tap": "bob-asks", "label": "Bob", "seats": 2})
    assert (table(app, code).phone(2).role, table(app, code).phone(2).seats) == ("waiting", ())


def test_the_form_on_the_door_is_all_that_joining_takes(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    link = f"/j/{code}/{bob.secret(code)}"
    tap = re.search(r'name="tap" value="([^"]+)"', bob.get(link).text)
    assert tap
    assert bob.post(link, {"tap": tap[1]}).status_code == 303
    assert len(table(app, code).phones) == 2


@pytest.mark.parametrize("wrong", ["x", "A" * 16, "%00", "..", "null"])
def test_a_wrong_secret_is_refused_not_sent_to_wait(app: Flask, phone: Phones, wrong: str) -> None:
    code, eve = phone().open("Ada", "Bob"), phone()
    answer = eve.post(f"/j/{code}/{wrong}", {"tap": "eve-joins", "label": "Eve"})
    assert answer.status_code == 422
    assert sentence(answer) == "This QR code is not for this table now. Scan the one on the host's screen."
    assert len(table(app, code).phones) == 1


def test_the_secret_of_one_table_opens_no_other(phone: Phones) -> None:
    first, second, eve = phone().open("Ada"), phone().open("Bob"), phone()
    answer = eve.post(f"/j/{first}/{eve.secret(second)}", {"tap": "eve-joins"})
    assert answer.status_code == 422
    assert eve.secret(first) != eve.secret(second)
    assert len(eve.secret(first)) >= 11  # 64 bits or more


def test_joining_twice_with_one_tap_makes_one_phone(app: Flask, phone: Phones) -> None:
    """The same POST twice, the first answer lost: the same phone with the same token."""
    code, bob, again = phone().open("Ada", "Bob"), phone(), phone()
    answers = [each.post(f"/j/{code}/{each.secret(code)}", {"tap": "bob-joins"}) for each in (bob, again)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert token(bob) == token(again)
    assert len(table(app, code).phones) == 2


# --- typed codes ---


def test_a_typed_code_may_be_in_any_case_with_spaces_or_dashes(phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    for typed in (
        code,
        code.lower(),
        f"{code[:3]} {code[3:]}",
        f" {code[:2]}-{code[2:4]}-{code[4:].lower()} ",
    ):
        answer = bob.get("/join", query_string={"code": typed})
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/j/{code}")


def test_codes_have_no_letters_that_look_like_others() -> None:
    assert not set("0O1ILU") & set(ALPHABET)
    assert len(set(ALPHABET)) == len(ALPHABET) == 30


def test_an_empty_code_is_asked_for_again(phone: Phones) -> None:
    for typed in ("", " - ", "…"):
        answer = phone().get("/join", query_string={"code": typed})
        assert answer.status_code == 422
        assert "six characters" in sentence(answer)


def test_a_code_that_no_table_has_is_a_sentence(phone: Phones) -> None:
    answer = phone().get("/join?code=zzzzzz", follow_redirects=True)
    assert answer.status_code == 404
    assert sentence(answer) == (
        "There is no table with this code. Check the six characters; or its host has deleted it."
    )


def test_a_phone_with_a_typed_code_says_who_it_is_and_waits(app: Flask, phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    assert "Who is asking?" in dov.get(f"/j/{code}").text
    assert ask(dov, code, "").status_code == 422
    answer = ask(dov, code)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/s/{code}/waiting")
    assert table(app, code).phone(2).role == "waiting"
    assert "Waiting for" in dov.get(f"/s/{code}/waiting").text
    assert dov.get(f"/s/{code}").headers["Location"] == f"/s/{code}/waiting"
    assert dov.count(code).status_code == 403
    people = unescape(ada.get(f"/s/{code}/people").text)
    assert "Dov" in people
    assert "asks to join" in people


def test_the_host_lets_a_phone_in_with_one_tap(app: Flask, phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    ask(dov, code)
    assert host(ada, code, "admit", phone=2).status_code == 201
    assert dov.get(f"/s/{code}/waiting").headers["Location"] == f"/s/{code}/seat"
    polled = dov.get(f"/s/{code}/waiting", headers={"HX-Request": "true"})
    assert (polled.status_code, polled.headers["HX-Redirect"]) == (204, f"/s/{code}/seat")
    assert sit(dov, code, 2).status_code == 303
    assert dov.count(code, 2).status_code == 201
    assert host(ada, code, "admit", phone=2).status_code == 422


def test_a_phone_that_was_refused_is_sent_back_to_the_door(app: Flask, phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    ask(dov, code)
    assert host(ada, code, "remove_phone", phone=2).status_code == 201
    assert dov.get(f"/s/{code}/waiting").headers["Location"] == f"/j/{code}"
    assert dov.get(f"/s/{code}").headers["Location"] == f"/j/{code}"
    assert "Your tables" not in dov.get("/").text


def test_a_waiting_phone_that_then_scans_is_in_at_once(app: Flask, phone: Phones) -> None:
    code, dov = phone().open("Ada", "Bob"), phone()
    ask(dov, code)
    assert scan(dov, code).status_code == 303
    assert [each.role for each in table(app, code).phones] == ["player", "watcher"]


# --- seats ---


def test_the_same_phone_comes_back_to_its_seat_by_itself(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob"), phone()
    bob.join(code, 2)
    for path in (f"/j/{code}", f"/j/{code}/{bob.secret(code)}"):
        assert bob.get(path).headers["Location"] == f"/s/{code}"
        answer = bob.post(path, {"tap": secrets.token_hex(8), "label": "Bob"})
        assert answer.status_code == 303
    assert bob.get(f"/s/{code}").status_code == 200
    assert table(app, code).phone(2).seats == (2,)
    assert len(table(app, code).phones) == 2


def test_a_seat_is_taken_over_from_a_phone_that_died(app: Flask, phone: Phones) -> None:
    code, bob, new = phone().open("Ada", "Bob"), phone(), phone()
    bob.join(code, 2)
    new.join(code)
    assert "on <bdi>Bob</bdi>’s phone" in new.get(f"/s/{code}/seat").text
    clock = app.extensions["play"].clock
    app.extensions["play"].clock = lambda: clock() + 61_000
    assert sit(new, code, 2).status_code == 303
    assert [each.seats for each in table(app, code).phones] == [(1,), (), (2,)]
    assert new.count(code, 2).status_code == 201


def test_one_phone_may_play_several_seats(app: Flask, phone: Phones) -> None:
    code, bob = phone().open("Ada", "Bob", "Cleo"), phone()
    bob.join(code, 2, 3)
    assert table(app, code).phone(2).seats == (2, 3)
    assert table(app, code).who(2) == "Bob & Cleo"
    assert bob.get(f"/s/{code}/seat").text.count("checked") == 2


def test_watching_is_looking_only_and_a_seat_can_be_taken_later(app: Flask, phone: Phones) -> None:
    code, cleo = phone().open("Ada", "Bob"), phone()
    cleo.join(code)
    assert sit(cleo, code, watch="yes").headers["Location"] == f"/s/{code}"
    assert cleo.get(f"/s/{code}").status_code == 200
    assert cleo.count(code).json == {"refused": "This phone only watches. Take a seat to tap."}
    sit(cleo, code, 2)
    assert cleo.count(code).status_code == 201
    sit(cleo, code, 2, watch="yes")  # watching gives the seat back, whatever is ticked
    assert table(app, code).phone(2).seats == ()


def test_no_seat_and_no_wish_to_watch_is_asked_again(phone: Phones) -> None:
    code, cleo = phone().open("Ada", "Bob"), phone()
    cleo.join(code)
    answer = sit(cleo, code)
    assert (answer.status_code, sentence(answer)) == (422, "Choose a seat first, or just watch.")
    assert sit(cleo, code, 9).status_code == 422


def test_a_display_is_sent_to_the_display_and_cannot_tap(app: Flask, phone: Phones) -> None:
    code, screen = phone().open("Ada", "Bob"), phone()
    screen.join(code)
    assert sit(screen, code, display="yes").status_code == 303
    assert screen.get(f"/s/{code}").headers["Location"] == f"/s/{code}/display"
    page = screen.get(f"/s/{code}/display")
    assert page.status_code == 200
    assert {"Ada", "Bob"} <= set(re.findall(r"\w+", page.text))
    assert screen.count(code).status_code == 403


# --- what the host can do about it ---


def test_a_locked_table_takes_no_new_phone_and_keeps_the_ones_it_has(app: Flask, phone: Phones) -> None:
    ada, bob, dov = phone(), phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    assert host(ada, code, "lock_joining", locked="yes").status_code == 201
    for answer in (scan(dov, code), ask(dov, code)):
        assert answer.status_code == 403
        assert sentence(answer) == "The host has closed this table to new phones."
        assert "Set-Cookie" not in answer.headers
    assert bob.count(code, 2).status_code == 201
    assert scan(bob, code).status_code == 303
    host(ada, code, "lock_joining", locked="no")
    assert scan(dov, code).status_code == 303
    assert [each.role for each in table(app, code).phones] == ["player", "player", "watcher"]


def test_a_removed_phone_must_be_admitted_again_however_often_it_scans(app: Flask, phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    assert host(ada, code, "remove_phone", phone=2).status_code == 201
    assert bob.count(code, 2).status_code == 403
    assert bob.get(f"/s/{code}").headers["Location"] == f"/j/{code}"
    for _ in range(3):
        assert scan(bob, code).status_code == 303
        assert table(app, code).phone(2).role == "waiting"
    assert bob.get(f"/s/{code}/seat").headers["Location"] == f"/s/{code}/waiting"
    host(ada, code, "admit", phone=2)
    assert table(app, code).phone(2).role == "watcher"
    assert len(table(app, code).phones) == 2


def test_the_host_role_is_handed_on_whole(app: Flask, phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    assert host(bob, code, "add_seat", name="Cleo").status_code == 403
    assert host(ada, code, "hand_host_on", phone=2).status_code == 201
    assert host(ada, code, "add_seat", name="Cleo").status_code == 403
    assert host(bob, code, "add_seat", name="Cleo").status_code == 201
    assert ada.count(code).status_code == 201  # still a player
    assert host(bob, code, "remove_phone", phone=1).status_code == 201
    assert ada.count(code).status_code == 403


def test_the_host_role_is_not_handed_to_a_phone_outside(phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    ask(dov, code)
    assert host(ada, code, "hand_host_on", phone=2).status_code == 422
    assert host(ada, code, "hand_host_on", phone=9).status_code == 422
    assert host(ada, code, "remove_phone", phone=1).status_code == 422


def test_seats_are_renamed_repainted_moved_added_and_removed(app: Flask, phone: Phones) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    for command, given in (
        ("rename_seat", {"seat": 2, "name": "Cleo"}),
        ("repaint_seat", {"seat": 2, "colour": "plum", "symbol": "crown"}),
        ("move_seat", {"seat": 2, "way": "up"}),
        ("add_seat", {"name": "Dov"}),
        ("remove_seat", {"seat": 1}),
    ):
        assert host(ada, code, command, **given).status_code == 201, command
    assert [(seat.name, seat.colour) for seat in table(app, code).seats] == [
        ("Cleo", "plum"),
        ("Dov", "sky"),
    ]
    assert host(ada, code, "add_seat", name="cleo").status_code == 422


def test_everyone_taps_for_their_own_seat_if_the_host_wants_it_so(phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    assert bob.count(code, 1).status_code == 201
    host(ada, code, "limit_tapping", own_seats_only="yes")
    assert bob.count(code, 1).status_code == 403
    assert bob.count(code, 2).status_code == 201


# --- guessing ---


class Clock:
    """Stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(app: Flask) -> Clock:
    clock = Clock()
    app.extensions["throttle"] = Throttle(app.extensions["play"].store, GUESSES, 60, clock)
    return clock


def guess_wrong(phone: Handset, times: int) -> list[int]:
    guesses = [f"ZZZZ{a}{b}" for a in ALPHABET for b in ALPHABET][:times]
    return [phone.get(f"/j/{code}").status_code for code in guesses]


def test_the_eleventh_wrong_code_is_one_too_many(clock: Clock, phone: Phones) -> None:
    assert guess_wrong(phone(), 12) == [404] * 10 + [429] * 2


def test_after_too_many_wrong_codes_a_stranger_learns_nothing_even_about_right_ones(
    app: Flask, clock: Clock, phone: Phones
) -> None:
    code, eve = phone().open("Ada", "Bob"), phone()
    guess_wrong(eve, 11)
    before = app.extensions["play"].show(code).version
    answers = [
        eve.get(f"/j/{code}"),
        ask(eve, code, "Eve"),
        eve.get(f"/s/{code}"),
        eve.count(code),
        eve.get(f"/j/{code}/wrong"),
        eve.get(f"/join?code={code}", follow_redirects=True),
        eve.get("/j/ZZZZZZ"),
        phone().get(f"/j/{code}"),  # a cookie more or less makes no other address
    ]
    for answer in answers:
        assert answer.status_code == 429, answer.request.path
        assert "Too many wrong codes." in answer.text
    assert app.extensions["play"].show(code).version == before


def test_whoever_belongs_to_the_table_or_scans_is_not_held_up_by_a_guesser(
    clock: Clock, phone: Phones
) -> None:
    """At home everyone may come from one address."""
    ada, bob, dov = phone(), phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    ask(dov, code)
    guess_wrong(phone(), 20)
    assert ada.get(f"/s/{code}").status_code == 200
    assert bob.count(code, 2).status_code == 201
    assert host(ada, code, "admit", phone=3).status_code == 201
    assert dov.get(f"/s/{code}/waiting").status_code == 302
    cleo = phone()
    assert cleo.get(f"/j/{code}/{cleo.secret(code)}").status_code == 200
    assert scan(cleo, code).status_code == 303
    assert cleo.get(f"/s/{code}/seat").status_code == 200
    assert phone().get("/").status_code == 200
    assert phone().open("Dov")


def test_another_address_is_not_affected_and_cannot_be_pretended(clock: Clock, phone: Phones) -> None:
    code, eve = phone().open("Ada", "Bob"), phone()
    guess_wrong(eve, 11)
    assert eve.get(f"/j/{code}", environ_overrides={"REMOTE_ADDR": "192.168.1.77"}).status_code == 200
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP"):
        assert eve.get(f"/j/{code}", headers={header: "192.168.1.77"}).status_code == 429


def test_after_a_minute_it_is_open_again(clock: Clock, phone: Phones) -> None:
    code, eve = phone().open("Ada", "Bob"), phone()
    guess_wrong(eve, 11)
    clock.now += 59
    assert eve.get(f"/j/{code}").status_code == 429
    clock.now += 2
    assert eve.get(f"/j/{code}").status_code == 200
    assert guess_wrong(eve, 11) == [404] * 10 + [429]


def test_slow_fingers_are_never_held_up(clock: Clock, phone: Phones) -> None:
    eve = phone()
    for _ in range(30):
        assert guess_wrong(eve, 1) == [404]
        clock.now += 7


@pytest.mark.parametrize(
    "path", ["/s/{}", "/s/{}/people", "/s/{}/live/table", "/j/{}", "/j/{}/secret", "/s/{}/waiting"]
)
def test_every_page_with_a_code_counts_as_a_guess(clock: Clock, phone: Phones, path: str) -> None:
    eve = phone()
    answers = [eve.get(path.format(f"ZZZZZ{letter}")).status_code for letter in ALPHABET[:11]]
    assert answers == [404] * 10 + [429]


def test_taps_and_joins_count_as_guesses_too(clock: Clock, phone: Phones) -> None:
    eve = phone()
    answers = [eve.count(f"ZZZZZ{letter}").status_code for letter in ALPHABET[:6]]
    answers += [ask(eve, f"ZZZZY{letter}").status_code for letter in ALPHABET[:5]]
    assert answers == [404] * 10 + [429]
    told = eve.client.post("/s/ZZZZZZ/do/count", headers=ORIGIN | {"Accept": "application/json"})
    assert (told.status_code, told.is_json) == (429, True)


def test_a_proxy_that_we_trust_may_say_who_asks(app: Flask, clock: Clock) -> None:
    """Behind a proxy all come from its address; with TRUSTED_PROXIES each is counted alone."""
    from werkzeug.middleware.proxy_fix import ProxyFix

    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1)  # type: ignore[method-assign]
    eve = Handset(app)
    for _ in range(11):
        eve.get("/j/ZZZZZZ", headers={"X-Forwarded-For": "10.0.0.9"})
    assert eve.get("/j/ZZZZZZ", headers={"X-Forwarded-For": "10.0.0.9"}).status_code == 429
    assert eve.get("/j/ZZZZZZ", headers={"X-Forwarded-For": "10.0.0.7"}).status_code == 404


def test_whoever_knocks_all_night_keeps_no_one_with_the_qr_code_out(phone: Phones) -> None:
    code = phone().open("Ada", "Bob")
    knocks = [
        phone().post(f"/j/{code}", {"tap": secrets.token_hex(8), "label": f"Knock {n}"}) for n in range(12)
    ]
    assert [answer.status_code for answer in knocks] == [303] * 8 + [422] * 4
    assert "Many are waiting to be let in already" in knocks[-1].text
    phone().join(code, 2)


def test_the_chosen_starter_is_still_chosen_when_the_form_comes_back(phone: Phones) -> None:
    form = {
        "tap": secrets.token_hex(8),
        "name": ["Ada", "Ada"],
        "colour": list(COLOURS[:2]),
        "symbol": list(SYMBOLS[:2]),
        "key": ["k1", "k2"],
        "starter": "k2",
    }
    answer = phone().post("/open/any-game", form)
    assert answer.status_code == 422
    assert 'data-chosen="k2"' in answer.text


def test_a_household_of_ipv6_addresses_counts_as_one(clock: Clock, phone: Phones) -> None:
    eve = phone()
    for number in range(GUESSES):
        eve.get("/j/ZZZZZZ", environ_overrides={"REMOTE_ADDR": f"2001:db8:1:2:{number:x}::1"})
    for address, status in (("2001:db8:1:2:ffff::9", 429), ("2001:db8:1:3::1", 404), ("192.0.2.1", 404)):
        assert eve.get("/j/ZZZZZZ", environ_overrides={"REMOTE_ADDR": address}).status_code == status


def test_a_restart_forgives_no_wrong_codes_and_a_minute_leaves_none_behind(
    app: Flask, clock: Clock, phone: Phones
) -> None:
    store = app.extensions["play"].store
    guess_wrong(phone(), GUESSES)
    app.extensions["throttle"] = Throttle(store, GUESSES, 60, clock)
    assert guess_wrong(phone(), 1) == [429]
    clock.now += 61
    assert guess_wrong(phone(), 1) == [404]
    assert len(store.misses("127.0.0.1", 0, 100)) == 1


def test_a_wrong_code_is_wrong_even_if_it_cannot_be_counted(
    app: Flask, clock: Clock, phone: Phones, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "companion.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")  # as a copy or another writer does
        assert guess_wrong(phone(), 1) == [404]
    assert app.extensions["play"].store.misses("127.0.0.1", 0, 100) == []


def test_phones_at_the_table_are_never_looked_up(
    app: Flask, clock: Clock, phone: Phones, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    asked: list[str] = []
    ask_store = app.extensions["play"].store.misses
    monkeypatch.setattr(
        app.extensions["play"].store, "misses", lambda who, *more: asked.append(who) or ask_store(who, *more)
    )
    assert ada.count(code).status_code == 201
    assert ada.get(f"/s/{code}").status_code == 200
    assert asked == []
    assert phone().get(f"/j/{code}").status_code == 200
    assert asked == ["127.0.0.1"]


# --- at the door, without a seat or a name ---


def word(app: Flask, code: str) -> str:
    said: str = app.extensions["play"].show(code).journal.lines[-1].text
    return said


def test_who_is_not_there_adds_themselves_with_one_post(app: Flask, phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    assert "add me" in dov.get(f"/j/{code}/{dov.secret(code)}").text
    for _ in range(2):  # also when the answer was lost on its way
        answer = come_in(
            dov, code, tap="dov-is-new", add="yes", newcomer=" Dov ", colour="plum", symbol="bell"
        )
        assert answer.headers["Location"] == f"/s/{code}"
    there = table(app, code)
    assert [(seat.name, seat.colour, seat.symbol) for seat in there.seats][2:] == [("Dov", "plum", "bell")]
    assert there.phone(2).seats == (3,)
    assert "plays Dov" in word(app, code)
    assert dov.count(code, 3).status_code == 201


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"newcomer": "bob"}, "Somebody at this table is called Bob already."),
        ({"newcomer": "Dov", "colour": "coral"}, "Two seats have the same colour: coral. Give each its own."),
        ({"newcomer": "D" * 25}, "A name can have at most 24 characters; “DDDDDDDDDDDD…” has 25."),
        ({"newcomer": " "}, "A name needs at least one visible character."),
        ({"newcomer": "Dov", "symbol": "skull"}, "There is no such symbol in the box."),
    ],
)
def test_a_newcomer_who_cannot_be_stays_at_the_door_and_reads_why(
    app: Flask, phone: Phones, given: dict[str, str], why: str
) -> None:
    code = phone().open("Ada", "Bob")
    answer = come_in(phone(), code, **{"add": "yes", "colour": "plum", "symbol": "bell"} | given)
    assert (answer.status_code, sentence(answer)) == (422, why)
    assert len(table(app, code).phones) == 1


def test_nobody_adds_themselves_to_a_full_table_or_where_the_host_does_not_want_it(
    app: Flask, phone: Phones
) -> None:
    new = {"add": "yes", "newcomer": "Dov", "colour": "plum", "symbol": "bell"}
    full = phone().open("Ada", "Bob", slug="tides-of-madness")
    ada = phone()
    fixed = ada.open("Ada", "Bob")
    assert host(ada, fixed, "fix_seats", fixed="yes").status_code == 201
    for code in (full, fixed):
        dov = phone()
        assert "add me" not in dov.get(f"/j/{code}/{dov.secret(code)}").text
        answer = come_in(dov, code, **new)
        assert sentence(answer) == "No more seats can be added here. Take one that is free, or ask the host."
        assert len(table(app, code).seats) == 2
    assert host(ada, fixed, "fix_seats", fixed="no").status_code == 201
    assert come_in(phone(), fixed, **new).status_code == 303


def test_a_typed_code_adds_nobody(app: Flask, phone: Phones) -> None:
    code = phone().open("Ada", "Bob")
    phone().post(f"/j/{code}", {"tap": "dov-is-sly", "label": "Dov", "add": "yes", "newcomer": "Dov"})
    assert len(table(app, code).seats) == 2
    assert table(app, code).phone(2).role == "waiting"


def test_who_typed_a_name_that_is_there_is_taken_to_that_seat(app: Flask, phone: Phones) -> None:
    ada, bob, other = phone(), phone(), phone()
    code = ada.open("Ada", "Bob")
    ask(bob, code, " bob ")
    ask(other, code, "Bob")
    assert host(ada, code, "admit", phone=2).status_code == 201
    assert table(app, code).phone(2).seats == (2,)
    assert bob.get(f"/s/{code}/waiting").headers["Location"] == f"/s/{code}"
    assert host(ada, code, "admit", phone=3).status_code == 201
    assert table(app, code).phone(3).role == "watcher", "Bob is in already"
    assert other.get(f"/s/{code}/waiting").headers["Location"] == f"/s/{code}/seat"


def test_a_television_types_no_name_and_shows_the_table_after_one_tap_of_the_host(
    app: Flask, phone: Phones
) -> None:
    ada, screen = phone(), phone()
    code = ada.open("Ada", "Bob")
    assert f"/tv/{code}" in ada.get(f"/s/{code}/people").text
    page = screen.get(f"/tv/{code}").text
    assert 'name="label"' not in page
    tap = re.search(r'name="tap" value="([^"]+)"', page)
    assert tap
    screen.post(f"/j/{code}", {"tap": tap[1], "display": "yes"})
    assert "<bdi>Television</bdi> asks to join" in ada.get(f"/s/{code}/people").text
    assert host(ada, code, "admit", phone=2).status_code == 201
    assert table(app, code).phone(2).role == "display"
    assert screen.get(f"/s/{code}/waiting").headers["Location"] == f"/s/{code}"
    assert screen.get(f"/s/{code}").headers["Location"] == f"/s/{code}/display"


def test_whoever_knocks_is_seen_on_every_page_of_the_host(phone: Phones) -> None:
    ada, bystander = phone(), phone()
    code = ada.open("Ada", "Bob")
    bystander.join(code, 2)
    ask(phone(), code, "Dov")
    for page in ("", "/people", "/log", "/dice", "/recap"):
        asking = ada.get(f"/s/{code}{page}").text.partition('id="asking"')[2].partition("</section>")[0]
        assert "<bdi>Dov</bdi> asks to join" in asking, page
    for page in ("/", "/open/any-game", "/rules", "/rules/tides-of-madness", "/history"):
        assert 'hx-get="/knocks"' in ada.get(page).text, page
        assert "/knocks" not in phone().get(page).text, "nobody knocks at a phone that was never at a table"
    assert "<bdi>Dov</bdi> asks to join" in ada.get("/knocks").text
    assert "hx-get" not in bystander.get("/knocks").text, "who hosts nothing need not ask again"


def test_who_was_refused_reads_so_and_who_was_removed_reads_that(phone: Phones) -> None:
    ada, dov, bob = phone(), phone(), phone()
    code = ada.open("Ada", "Bob")
    ask(dov, code)
    bob.join(code, 2)
    host(ada, code, "remove_phone", phone=2)
    host(ada, code, "remove_phone", phone=3)
    assert dov.get(f"/s/{code}/waiting").headers["Location"] == f"/j/{code}"
    assert sentence(dov.get(f"/j/{code}")).startswith("The host said no.")
    assert sentence(bob.get(f"/j/{code}")).startswith("The host has taken this phone off the table.")
    assert 'role="alert"' not in phone().get(f"/j/{code}").text


def test_a_closed_table_says_so_instead_of_asking_people_in(phone: Phones) -> None:
    ada, dov = phone(), phone()
    code = ada.open("Ada", "Bob")
    host(ada, code, "lock_joining", locked="yes")
    for path in (f"/j/{code}", f"/j/{code}/{dov.secret(code)}", f"/tv/{code}"):
        page = dov.get(path)
        assert "This table is closed to new phones." in sentence(page)
        assert "<form" not in page.text


def test_sitting_down_without_a_choice_says_so_in_place(phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code)
    answer = sit(bob, code)
    assert (answer.status_code, sentence(answer)) == (422, "Choose a seat first, or just watch.")
    assert 'name="seats" value="2"' in answer.text


def test_a_seat_says_whose_phone_it_leaves_and_whether_that_one_is_heard_of(
    app: Flask, phone: Phones
) -> None:
    ada, bob, cleo = phone(), phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    cleo.join(code)
    page = unescape(re.sub(r"<[^>]+>", "", cleo.get(f"/s/{code}/seat").text))
    assert "on Bob’s phone: tick to ask for it" in page
    sitting, play = app.extensions["play"].show(code), app.extensions["play"]
    sitting.seen[2] = play.clock() - 61_000
    page = unescape(re.sub(r"<[^>]+>", "", cleo.get(f"/s/{code}/seat").text))
    assert "on Bob’s phone, which is silent: tick to take it over" in page
    assert sit(cleo, code, 2).status_code == 303
    assert table(app, code).phone(3).seats == (2,)


def test_the_sheet_about_a_seat_saves_name_and_look_together_and_shows_what_is_taken(
    app: Flask, phone: Phones
) -> None:
    ada = phone()
    code = ada.open("Ada", "Bob")
    sheet = ada.get(f"/s/{code}/chair/2").text
    taken = re.findall(r'value="(\w+)" disabled', sheet)
    assert taken == ["coral", "sun"]
    assert "coral, Ada has it" in sheet
    assert "data-focus" not in sheet, "or the keyboard would jump up over the colours"
    look = {"colour": "plum", "symbol": "moon"}
    assert host(ada, code, "change_seat", seat=2, name="Cleo", **look).status_code == 201
    seat = table(app, code).seat(2)
    assert (seat.name, seat.colour, seat.symbol) == ("Cleo", "plum", "moon")
    assert host(ada, code, "change_seat", seat=2, name="Cleo", **look).status_code == 422


def test_a_lost_host_is_told_of_on_every_phone_and_may_have_the_role_back(app: Flask, phone: Phones) -> None:
    ada, bob = phone(), phone()
    code = ada.open("Ada", "Bob")
    bob.join(code, 2)
    sitting, clock = app.extensions["play"].show(code), app.extensions["play"].clock
    assert "Host instead" in bob.get(f"/s/{code}/people").text
    assert bob.tap(code, "ask_to_host").status_code == 201
    assert "<bdi>Bob</bdi> asks to be the host" in ada.get(f"/s/{code}").text
    sitting.seen[1] = clock() - 121_000
    assert bob.tap(code, "ask_to_host").status_code == 201
    assert table(app, code).host == 2
    page = ada.get(f"/s/{code}").text
    row = page.partition('id="asking"')[2].partition("</section>")[0]
    assert "asks to be the host" not in row
    assert 'data-asks data-phone="1"' in row
    assert "<bdi>Bob</bdi> hosts now: nothing was heard of this phone" in row
    assert 'data-host="2" data-host-name="Bob"' in page
    assert ada.tap(code, "take_host_back").status_code == 201
    assert "hosts now" not in ada.get(f"/s/{code}").text
    assert host(ada, code, "add_seat", name="Cleo").status_code == 201
