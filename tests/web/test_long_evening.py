"""After ten thousand entries, or with sixty phones, taps, undo and the log cost what they did at first."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from statistics import median

import pytest
from at_the_table import Evening, Handset
from flask import Flask

from companion.core import Entry, Journal, TakenBack
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


def test_an_undo_folds_what_lies_behind_the_last_checkpoint_and_no_more(
    games: Shelf, entries: list[Entry]
) -> None:
    folded = 0

    def evolve(state: object, event: object) -> object:
        nonlocal folded
        folded += 1
        return games["any-game"].evolve(state, event)

    journal = Journal(replace(games["any-game"], evolve=evolve), entries)
    folded = 0
    back = Entry(MANY + 1, "back", "", 1, "take_back", 1, (TakenBack(MANY),))
    journal.check(back.events)
    journal.add(back)
    assert folded <= 2 * (CHECKPOINT + 1)


def test_an_undo_after_ten_thousand_entries_costs_a_few_milliseconds(journal: Journal) -> None:
    def undo() -> None:
        last = journal.last(1)
        assert last
        events = (TakenBack(last.version),)
        journal.check(events)
        journal.add(Entry(journal.version + 1, secrets.token_hex(8), "", 1, "take_back", 1, events))

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
