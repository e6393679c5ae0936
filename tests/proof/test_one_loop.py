"""One loop serves every phone. Whatever takes long is done beside it: taps go on meanwhile, and are counted.

The counter is let loose on a copy of the app, too, that does the same work in its loop, and must notice it.
"""

from __future__ import annotations

import secrets
import select
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from at_the_table import Handset, Serve, Served, with_file
from broken import Copy
from proven import how_many
from test_serving import Caller, Form, sqlite_in

from companion import create_app

TAPS = how_many("LONG_EVENING", 2500, 5000)  # of a long evening
LONG = 8 * TAPS  # of a very long one
MANY = 5  # taps that a phone gets answered while another one waits
STOPPED = 2  # at most, of a server whose loop does the work: what it found beside the other's question
TURNS = 6  # back and forth: one is quickly done, and others may get too little of a busy machine meanwhile
PATHS = ("/s/{}/recap", "/s/{}/parts/recap", "/s/{}/scores.csv", "/s/{}/journal.json", "/s/{}/bgstats")
pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]


@dataclass
class Evening:
    """A long one that a server has on disk: the code of its table, and the cookie of its host."""

    code: str
    cookie: str


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, new_file: Path) -> tuple[Path, list[Evening]]:
    """A database, and the evenings in it: one for each of PATHS, since a server that has told an evening once
    has it in its memory; one more to look back on, and one that is so long that taking back its beginning
    takes a while."""
    file = Path(shutil.copy(new_file, sqlite_in(tmp_path_factory.mktemp("kept"))))
    app = create_app(
        {"DATABASE_URL": f"sqlite:///{file}", "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": []}
    )
    ada = Handset(app)
    codes = [ada.open("Ada", "Bob", "Cleo", "Dov") for _ in range(len(PATHS) + 2)]
    assert [ada.count(code).status_code for code in codes] == [201] * len(codes)
    cookie = ada.client.get_cookie("phone")
    app.extensions["play"].store.close()
    lengthen(file)
    lengthen(file, LONG - TAPS, codes[-1])
    assert cookie
    return file, [Evening(code, f"phone={cookie.value}") for code in codes]


@pytest.fixture(scope="module")
def evenings(kept: tuple[Path, list[Evening]]) -> list[Evening]:
    return kept[1]


@pytest.fixture(scope="module")
def server(kept: tuple[Path, list[Evening]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """For all but the first question, which only a server that is new can be asked."""
    folder = tmp_path_factory.mktemp("one_loop")
    shutil.copy(kept[0], sqlite_in(folder))
    server = Served(folder).start()
    yield server
    server.kill()


def lengthen(file: Path, times: int = TAPS, code: str = "%") -> None:
    """The last tap of every table again, or of just this one, thousands of times."""
    with closing(sqlite3.connect(file)) as database:
        last = "SELECT max(version) FROM entry"
        database.execute(
            "WITH RECURSIVE times(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM times WHERE n < ?)"
            " INSERT INTO entry (sitting_id, version, tap, digest, phone, command, at, events)"
            " SELECT sitting_id, version + n, tap || n, digest, phone, command, at + n, events"
            " FROM entry, times"
            f" WHERE version = ({last}) AND sitting_id IN (SELECT id FROM sitting WHERE code LIKE ?)",
            (times, code),
        )
        database.execute(f"UPDATE sitting SET version = ({last}) WHERE code LIKE ?", (code,))
        database.commit()


def taps_meanwhile(server: Served, bob: Caller, path: str, form: Form = None) -> int:
    """How many taps Ada gets answered at her table while Bob waits for his answer.

    Those after which nothing of it had come yet: what the server did first is in its line first, and no
    thread of ours that is late to look makes them more.
    """
    ada = Caller(server.url)
    code = ada.open("Ada", "Cleo")
    for _ in range(20):
        ada.count(code)  # whatever is done once is done
    bob.line.timeout = 120  # seconds: this counts taps, and a busy machine may take its time
    bob.send("POST" if form else "GET", path, form)
    taps = 0
    while True:
        assert ada.count(code).status == 201
        # enough is said after a few, and on a busy machine she would take from what Bob waits for
        if select.select([bob.line.sock], [], [], 0.02 if taps > 2 * MANY else 0)[0]:
            break
        taps += 1
    answer = bob.line.getresponse()
    answer.read()
    assert answer.status in (200, 201, 303), answer.status
    return taps


def most_while_turning(server: Served, bob: Caller, code: str) -> int:
    """How many taps Ada gets answered at best while Bob takes back how an evening began, or puts it back.

    As often as it takes to see that they go on. To fold one anew is over after a few of her taps, if these
    have to wait for a disk and a core that others use; but a loop that is stopped never answers many.
    """
    most = 0
    for turn in range(TURNS):
        form = {"tap": secrets.token_hex(8), "entry": 2}
        path = f"/s/{code}/do/{'put_back' if turn % 2 else 'take_back'}"
        most = max(most, taps_meanwhile(server, bob, path, form))
        told = bob.ask("GET", f"/s/{code}").text
        assert f">{LONG + turn % 2}<" in told  # of the LONG + 1 there were, one is gone or there again
        if most > STOPPED:
            break
    return most


def host(server: Served, evening: Evening) -> Caller:
    caller = Caller(server.url)
    caller.cookie = evening.cookie
    return caller


def test_taps_go_on_while_the_first_question_is_answered(served: Serve) -> None:
    server = served()
    assert taps_meanwhile(server, Caller(server.url), "/rules/answers?q=what+happens+on+a+tie") > MANY


def test_taps_go_on_while_a_long_evening_is_told(server: Served, evenings: list[Evening]) -> None:
    for path, evening in zip(PATHS, evenings, strict=False):
        assert taps_meanwhile(server, host(server, evening), path.format(evening.code)) > MANY, path


def test_taps_go_on_while_a_phone_looks_back_on_a_long_evening_and_while_another_brings_it(
    server: Served, evenings: list[Evening]
) -> None:
    ada, code = host(server, evenings[-2]), evenings[-2].code
    assert ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": secrets.token_hex(8)}).status == 201
    assert taps_meanwhile(server, ada, "/history") > MANY
    text = ada.ask("GET", f"/s/{code}/journal.json").text
    assert len(text) > 300 * TAPS
    assert taps_meanwhile(server, Caller(server.url), "/history/bring", with_file(text)) > MANY
    assert "POST /history/bring" not in server.log(), "what stops the loop for 20 ms is named there"


def test_taps_go_on_while_a_long_evening_is_read_and_its_beginning_taken_back(
    server: Served, evenings: list[Evening]
) -> None:
    bob, code = host(server, evenings[-1]), evenings[-1].code
    assert taps_meanwhile(server, bob, f"/s/{code}/log") > MANY
    assert most_while_turning(server, bob, code) > STOPPED


def test_the_counter_notices_a_server_that_does_it_in_its_loop(
    served: Serve, kept: tuple[Path, list[Evening]], tmp_path: Path, copy: Copy
) -> None:
    copy.replace("serving/serve.py", 'app.extensions["aside"] = aside.ask', "pass")
    copy.replace("sittings/tables.py", "PAUSE = partial(time.sleep, 1e-6)", "PAUSE = lambda: None")
    shutil.copy(kept[0], sqlite_in(tmp_path))
    server, (*evenings, longest) = served(**copy.env), kept[1]
    bob = host(server, longest)
    assert taps_meanwhile(server, bob, "/rules/answers?q=what+happens+on+a+tie") <= STOPPED
    assert taps_meanwhile(server, bob, f"/s/{longest.code}/log") <= STOPPED
    for path in PATHS:
        assert taps_meanwhile(server, bob, path.format(evenings[1].code)) <= STOPPED
    assert most_while_turning(server, bob, longest.code) <= STOPPED
