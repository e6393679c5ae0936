"""After ten thousand entries, or with sixty phones, taps, undo and the log cost what they did at first."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from statistics import median
from typing import Any

import pytest
from at_the_table import Evening, Handset
from flask import Flask

from companion.core import Entry, Event, Journal, TakenBack
from companion.core.journal import CHECKPOINT
from companion.games import Shelf

MANY = 10_000
MOST = 0.010  # seconds of one core


def cost(do: Callable[[], object], times: int = 9) -> float:
    """Seconds of a core, not of the clock: others use this machine too."""
    took = []
    for _ in range(times):
        began = time.process_time()
        do()
        took.append(time.process_time() - began)
    return median(took)


@pytest.fixture(scope="module")
def entries(games: Shelf) -> list[Entry]:
    """An evening on which two people counted until the morning."""
    evening = Evening(games["any-game"], "Ada", "Bob")
    counted = evening.do("count", seat="Ada", counter="1", by=1, round=1)
    start = evening.journal.entries
    more = (replace(counted, version=n, tap=secrets.token_hex(16)) for n in range(3, MANY + 1))
    return [*start, *more]


@pytest.fixture
def journal(games: Shelf, entries: list[Entry]) -> Journal:
    return Journal(games["any-game"], entries)


class Folded:
    """A game that counts how often anything is folded."""

    def __init__(self, games: Shelf) -> None:
        self.times = 0
        self.game = replace(games["any-game"], evolve=self.evolve)

    def evolve(self, state: Any, event: Event) -> Any:
        self.times += 1
        return event.fold(state)


def take_back(journal: Journal, version: int) -> None:
    events = (TakenBack(version),)
    journal.check(events)
    journal.add(Entry(journal.version + 1, secrets.token_hex(8), "", 1, "take_back", 1, events))


def test_an_undo_folds_what_lies_behind_the_last_checkpoint_and_no_more(
    games: Shelf, entries: list[Entry]
) -> None:
    folded = Folded(games)
    journal = Journal(folded.game, entries)
    for undone in range(200):  # each one more entry, and so each a little farther back
        folded.times = 0
        last = journal.last(1)
        assert last
        take_back(journal, last.version)
        assert folded.times <= 3 * CHECKPOINT, f"{undone} were undone before"


def test_what_is_far_is_folded_once_and_its_lines_are_told_where_somebody_looks(
    games: Shelf, entries: list[Entry]
) -> None:
    folded = Folded(games)
    journal = Journal(folded.game, entries)
    folded.times = 0
    take_back(journal, 100)
    assert MANY - 100 < folded.times < MANY
    folded.times = 0
    assert journal.lines[-1].text == "took back “Ada: +1 Points, now 99”"
    assert [line.text for line in journal.lines[4998:5000]] == ["+1 Points, now 4997", "+1 Points, now 4998"]
    assert folded.times <= 3 * CHECKPOINT
    assert journal.lines == Journal(folded.game, journal.entries).lines


def test_lines_whose_ground_is_taken_back_too_are_read_back_in_one_go(games: Shelf) -> None:
    """A counter, and all that was counted on it: what is gone is told as it was when it was tapped."""
    evening, many = Evening(games["any-game"], "Ada", "Bob"), 300
    gold = evening.do("add_counter", name="Gold")
    for _ in range(many):
        evening.do("count", seat="Ada", counter="2", by=3, round=1)
    for version in range(evening.journal.version, gold.version - 1, -1):
        evening.do("take_back", entry=version)
    folded = Folded(games)
    again = Journal(folded.game, evening.journal.entries)
    assert folded.times < 4 * again.version
    assert again.lines[gold.version + many - 1].text == f"+3 Gold, now {3 * many}"
    assert again.lines == evening.log


def test_an_undo_after_ten_thousand_entries_costs_a_few_milliseconds(journal: Journal) -> None:
    def undo() -> None:
        last = journal.last(1)
        assert last
        take_back(journal, last.version)

    assert cost(undo) < MOST


@pytest.mark.parametrize("page", ["log", f"log/before/{MANY // 2}", f"log/before/{MANY}"])
def test_a_page_of_the_log_costs_a_few_milliseconds_and_a_few_kilobytes(
    app: Flask, journal: Journal, page: str
) -> None:
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    app.extensions["play"].show(code).journal = journal
    answer = ada.get(f"/s/{code}/{page}")
    assert answer.status_code == 200
    assert answer.text.count("line-text") == 100
    assert len(answer.data) < 60_000
    assert cost(lambda: ada.get(f"/s/{code}/{page}")) < MOST


def test_sixty_phones_do_not_make_a_tap_many_times_dearer(app: Flask) -> None:
    """It is drawn once for all of them."""
    with ExitStack() as lines:
        few, many = (cost(tapping(app, phones, lines), 40) for phones in (2, 59))
    assert many < 3 * few, f"{many * 1000:.2f} ms with 59 phones, {few * 1000:.2f} ms with 2"


def tapping(app: Flask, phones: int, lines: ExitStack) -> Callable[[], None]:
    ada, play, streams = Handset(app), app.extensions["play"], app.extensions["streams"]
    code = ada.open("Ada", "Bob")
    for _ in range(phones - 1):
        Handset(app).join(code)
    ends = [socket.socketpair() for _ in range(phones)]
    for number, (here, there) in enumerate(ends, 1):
        lines.enter_context(here)
        lines.enter_context(there)
        streams.attach(code, "table", here, play.show(code).version, number)
    form = {"seat": ["1"], "counter": ["1"], "by": ["1"], "round": ["1"]}
    token = ada.client.get_cookie("phone").value

    def tap() -> None:
        play.do(code, token, "count", form, secrets.token_hex(16))

    for _ in range(5):
        tap()
    assert all(len(there.recv(1_000_000)) > 1000 for _, there in ends), "each phone has heard of it"
    return tap
