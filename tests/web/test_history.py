"""History: the evenings this phone was at, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from at_the_table import Handset
from flask import Flask
from test_rights import rows, token_of
from werkzeug.test import TestResponse

from companion import create_app
from companion.evenings.archive import _checksum
from companion.evenings.history import History, games, players
from companion.sittings.sitting import hash_of


class Clock:
    """Every look at it is a second later."""

    now = 1_800_000_000_000

    def __call__(self) -> int:
        self.now += 1000
        return self.now


@pytest.fixture
def ada(app: Flask, phone: Callable[[], Handset]) -> Handset:
    app.extensions["play"].clock = Clock()
    return phone()


def evening(ada: Handset, stopped: bool = False, minutes: int = 30, **points: int) -> str:
    """One that is over: `evening(ada, Ada=3, Bob=5)`."""
    code = ada.open(*points)
    for seat, by in enumerate(points.values(), 1):
        if by:
            ada.count(code, seat, by)
    ada.app.extensions["play"].clock.now += minutes * 60_000
    ada.tap(code, "end_sitting" if stopped else "end_game")
    return code


def mine(phone: Handset) -> list[str]:
    history: History = phone.app.extensions["history"]
    return [told.code for told in history.of_phone(token_of(phone))]


def tallies(phone: Handset) -> dict[str, object]:
    history: History = phone.app.extensions["history"]
    return {tally.name: tally for tally in players(history.of_phone(token_of(phone)))}


def test_a_new_phone_has_no_history(phone: Callable[[], Handset]) -> None:
    assert "No evening of this phone has ended yet" in phone().get("/history").text
    assert "has ended yet" in phone().get("/history/any-game").text


def test_only_finished_evenings_are_history_newest_first(ada: Handset) -> None:
    first = evening(ada, Ada=3, Bob=5)
    ada.open("Ada", "Bob")
    second = evening(ada, stopped=True, Ada=1, Bob=0)
    assert mine(ada) == [second, first]


def test_a_phone_that_was_not_there_sees_nothing_of_it(ada: Handset, phone: Callable[[], Handset]) -> None:
    code = evening(ada, Ada=3, Zacharias=5)
    bob = phone()
    bob.open("Bob")
    for path in ("/history", "/history/any-game"):
        page = bob.get(path).text
        assert code not in page
        assert "Zacharias" not in page
        assert "Zacharias" in ada.get(path).text


@pytest.mark.parametrize("how", ["waiting", "removed"])
def test_whoever_was_not_let_in_or_was_sent_away_sees_nothing(
    ada: Handset, phone: Callable[[], Handset], how: str
) -> None:
    code = evening(ada, Ada=3, Bob=5)
    bob = phone()
    if how == "waiting":
        bob.post(f"/j/{code}", {"tap": "bob-knocks", "label": "Bob"})
    else:
        bob.join(code)
        assert mine(bob) == [code]
        ada.tap(code, "remove_phone", role="host", phone=2)
    assert mine(bob) == []


def test_statistics_for_each_name(ada: Handset) -> None:
    evening(ada, Ada=3, Bob=5, minutes=10)
    evening(ada, Ada=9, Bob=5, minutes=20)
    evening(ada, ADA=7, Bob=1, minutes=30)
    evening(ada, Ada=4, Bob=4, minutes=40)
    evening(ada, stopped=True, Ada=99, Bob=0, minutes=50)
    found = tallies(ada)
    assert list(found) == ["Ada", "Bob"], "whatever its capitals, a name is a name"
    her, him = found["Ada"], found["Bob"]
    assert (her.plays, her.decided, her.wins, her.streak, her.longest) == (5, 4, 3, 3, 3)
    assert (him.plays, him.wins, him.streak, him.longest) == (5, 2, 1, 1)
    assert (her.best, him.best) == (9, 5), "a game that stopped is not a best score"
    assert her.average == (3 + 9 + 7 + 4) / 4
    assert her.share == 75
    assert 150 <= her.minutes <= 151


def test_a_lost_game_ends_a_streak(ada: Handset) -> None:
    for points in ((5, 1), (5, 1), (1, 5)):
        evening(ada, Ada=points[0], Bob=points[1])
    assert (tallies(ada)["Ada"].streak, tallies(ada)["Ada"].longest) == (0, 2)


def test_where_the_lowest_wins_the_best_score_is_the_lowest(ada: Handset) -> None:
    for points in ((5, 1), (3, 8)):
        code = ada.open("Ada", "Bob", **{"rule-who-wins": "lowest"})
        for seat, by in enumerate(points, 1):
            ada.count(code, seat, by)
        ada.tap(code, "end_game")
    assert (tallies(ada)["Ada"].best, tallies(ada)["Bob"].best) == (3, 1)
    (game,) = games(ada.app.extensions["history"].of_phone(token_of(ada)))
    assert game.best == ("Bob", 1, "Points")


def test_the_pages_show_them_with_charts_that_can_be_read_out(ada: Handset) -> None:
    evening(ada, Ada=3, Bob=5)
    evening(ada, Ada=9, Bob=5, minutes=90)
    page = unescape(ada.get("/history").text)
    assert 'aria-label="Wins. Ada: 1. Bob: 1."' in page
    assert "2 h" in page
    assert "best: <bdi>Ada</bdi>, 9 Points" in page
    game = unescape(ada.get("/history/any-game").text)
    assert 'aria-label="Points from evening to evening. Ada: 3, 9. Bob: 5, 5."' in game
    for each in (page, game):
        assert not re.search(r"<[^>]*\s(on\w+|style)=|<style|<script(?![^>]*\ssrc=)", each)


def test_a_copy_of_an_evening_is_not_a_second_one(ada: Handset) -> None:
    from companion.evenings.archive import bring_back, journal_json, read

    code = evening(ada, Ada=3, Bob=5)
    play = ada.app.extensions["play"]
    sitting = play.show(code)
    bring_back(play.store, read(play.games, journal_json(sitting, play.store.phones(sitting.id))))
    assert len(mine(ada)) == 1


# --- from another server ---


def saved(ada: Handset, code: str) -> str:
    """What Ada's phone saves at the end of an evening."""
    return ada.get(f"/s/{code}/journal.json").text


def changed(text: str, **what: object) -> str:
    """Not by a slip: whoever made it up has reckoned its checksum anew."""
    told = {**json.loads(text), **what}
    told.pop("sha256")
    return json.dumps({**told, "sha256": _checksum(told)})


def code_of(answer: TestResponse) -> str:
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"].split("/")[2]


def test_an_evening_from_another_server_becomes_one_of_this_phones(
    ada: Handset, phone: Callable[[], Handset]
) -> None:
    code = evening(ada, Ada=3, Bob=5)
    text = saved(ada, code)
    ada.app.extensions["play"].forget(code)  # so that it was never here
    bob = phone()
    assert "Bring it here" in bob.get("/history").text
    there = bob.bring(text).headers["Location"]
    assert there == f"/s/{code}/recap", "its code is free, so it keeps it"
    assert "Bob wins" in unescape(bob.get(there).text)
    assert mine(bob) == [code]
    assert mine(ada) == [], "she has to bring it herself"
    assert saved(bob, code) == text, "nothing of it was lost"
    assert bob.post(f"/s/{code}/forget", {"sure": "yes"}).status_code == 303, "it is theirs to forget"


def test_what_was_brought_once_is_not_brought_twice(ada: Handset, phone: Callable[[], Handset]) -> None:
    text = saved(ada, evening(ada, Ada=3, Bob=5))
    bob = phone()
    assert len({code_of(each.bring(text)) for each in (bob, bob, ada, ada)}) == 2, "one for each of them"
    assert len(mine(bob)) == len(mine(ada)) == 1


def test_an_evening_that_went_on_is_brought_as_far_as_it_went(
    ada: Handset, phone: Callable[[], Handset]
) -> None:
    code, bob = evening(ada, Ada=3, Bob=5), phone()
    bob.bring(saved(ada, code))
    ada.tap(code, "play_on")
    ada.count(code, 1, 10)
    ada.tap(code, "end_game")
    newer = code_of(bob.bring(saved(ada, code)))
    assert mine(bob) == [newer]
    assert tallies(bob)["Ada"].wins == 1


def test_whoever_brings_it_is_not_let_in_at_the_table_itself(
    ada: Handset, phone: Callable[[], Handset]
) -> None:
    code, bob = evening(ada, Ada=3, Bob=5), phone()
    copy = code_of(bob.bring(saved(ada, code)))
    assert copy != code
    for path in ("", "/people", "/recap", "/journal.json"):
        assert bob.get(f"/s/{code}{path}").status_code in (302, 403), path
    assert bob.count(code).status_code == 403
    assert ada.get(f"/s/{copy}").status_code == 302, "nor is she at his copy"
    assert bob.secret(copy) != ada.secret(code)


def test_nobodys_history_gets_longer_by_anothers_file(ada: Handset, phone: Callable[[], Handset]) -> None:
    text, eve = saved(ada, evening(ada, Ada=3, Bob=5)), phone()
    ada.app.extensions["play"].forget(mine(ada)[0])
    marks = [{"number": 1, "token_hash": hash_of(token_of(ada))}]
    assert eve.bring(changed(text, phones=marks)).status_code == 303
    assert (mine(ada), len(mine(eve))) == ([], 1)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda text: "", "not a journal"),
        (lambda text: "\0\ufffd" * 500, "not a journal"),
        (lambda text: "[" * 100_000, "not a journal"),
        (lambda text: text[:-40], "not a journal"),
        (lambda text: text.replace("Ada", "Eve"), "do not match its checksum"),
        (lambda text: changed(text, entries=[]), "does not begin with the opening"),
        (lambda text: changed(text, game="chess"), "not on this shelf"),
        (lambda text: changed(text, entries=json.loads(text)["entries"][:-1]), "is not over"),
        (lambda text: text + " " * 2_100_000, "at most 2 MB"),
    ],
)
def test_a_file_that_is_no_evening_is_refused_in_words_and_nothing_is_changed(
    ada: Handset, spoil: Callable[[str], str], sentence: str
) -> None:
    text = saved(ada, evening(ada, Ada=3, Bob=5))
    before = rows(ada.app)
    answer = ada.bring(spoil(text))
    assert (answer.status_code, sentence in unescape(answer.text)) == (422, True), answer.text
    assert "Choose the file first" in ada.post("/history/bring").text
    assert rows(ada.app) == before


def test_what_is_brought_counts_as_a_table_that_was_opened(tmp_path: Path) -> None:
    settings = {"DATABASE_URL": f"sqlite:///{tmp_path / 'few.db'}", "REDIS_URL": None, "PUBLIC_URL": None}
    app = create_app({**settings, "SHELF": [], "LIMITS": "tables=2"})
    app.extensions["play"].clock = Clock()
    app.extensions["gate"].now = lambda: Clock.now / 1000
    ada, bob = Handset(app), Handset(app)
    text = saved(ada, evening(ada, Ada=3, Bob=5))
    assert [bob.bring(text).status_code, bob.bring(text).status_code] == [303, 429]
    app.extensions["play"].store.close()


def test_what_happens_after_a_look_is_in_the_next_one(ada: Handset) -> None:
    code = evening(ada, Ada=3, Bob=5)
    assert tallies(ada)["Bob"].wins == 1
    ada.count(code, 1, 10)
    assert tallies(ada)["Bob"].wins == 0
    ada.tap(code, "play_on")
    assert mine(ada) == []


def test_a_hundred_evenings_are_shown_without_delay(ada: Handset) -> None:
    for night in range(100):
        evening(ada, Ada=night % 7, Bob=night % 5 + 1)
    assert len(mine(ada)) == 100
    assert ada.get("/history").status_code == 200
