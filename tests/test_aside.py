"""The second process of a server: it answers what takes long, writes nothing, and may die at any moment."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import gevent
import pytest
from at_the_table import OUTSIDE, Handset, Serve, Served, seats, with_file
from flask import Flask, Response
from test_serving import Answer, Caller, eventually, inside

from companion import create_app
from companion.storage.store import NotSaved
from companion.web.guard import TakesTooLong

REALLY = {"SPAWNS": "yes"}  # in the other tests it is a fork, as the server is itself


def asides(server: Served) -> list[int]:
    """The processes that this server has started."""
    assert server.process
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True, timeout=30
    )
    return [int(number) for number in listed.stdout.split()]


def alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ask_about_a_tie(server: Served) -> Answer:
    return Caller(server.url).ask("GET", "/rules/answers?q=what+happens+on+a+tie", Accept="text/html")


def assert_it_ends_with_its_server(server: Served, how: signal.Signals) -> None:
    (aside,) = asides(server)
    folder = Path(f"/proc/{aside}/cmdline").read_bytes().split(b"\0")[-2].decode()
    assert Path(folder).is_dir()
    server.end(how)
    eventually(lambda: not alive(aside))
    eventually(lambda: not Path(folder).exists())


# --- it says what the server would have said ---

SAME = (
    *("/s/{}/recap", "/s/{}/parts/recap", "/s/{}/parts/nonsense", "/s/{}/bgstats", "/s/{}/scores.csv"),
    *("/s/{}/journal.json", "/s/ABCDEF/recap", "/history", "/history/any-game", "/history/chess"),
    *("/rules/answers?q=a+tie&game=chess", "/rules/answers?q=%F0%9F%A6%91", "/games/any-game/rulings.json"),
)


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Served], Handset]:
    """The same app on a server's database, in this process."""

    def beside(server: Served) -> Handset:
        return Handset(
            create_app(
                {
                    "DATABASE_URL": server.database,
                    "REDIS_URL": None,
                    "PUBLIC_URL": OUTSIDE["COMPANION_PUBLIC_URL"],
                    "SHELF": [],
                }
            )
        )

    return beside


@pytest.mark.usefixtures("for_cameras")
def test_whoever_answers_says_the_same(inn: Served, beside: Callable[[Served], Handset]) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    ada.count(code)
    ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": secrets.token_hex(8)})
    here = beside(inn)
    here.client.set_cookie("phone", ada.cookie.partition("=")[2])
    for method, path in product(("GET", "HEAD"), SAME):
        there = ada.ask(method, path.format(code), Accept="text/html")
        said = here.client.open(path.format(code), method=method, headers={"Accept": "text/html"})
        assert (method, path, there.status) == (method, path, said.status_code)
        for name in (
            "Content-Type",
            "Content-Security-Policy",
            "Cache-Control",
            "Content-Disposition",
            "ETag",
        ):
            assert there.headers.get(name.lower()) == said.headers.get(name), (path, name)
        if "/recap" not in path:  # which names the time, and a tap that is new each time
            assert there.text == said.text, path
    here.app.extensions["play"].store.close()


def test_an_evening_that_a_phone_brings_is_read_there_and_written_here(inn_on: Served) -> None:
    ada, bob = Caller(inn_on.url), Caller(inn_on.url)
    code = ada.open("Ada", "Bob")
    ada.count(code)
    ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": secrets.token_hex(8)})
    text = ada.ask("GET", f"/s/{code}/journal.json").text
    there = bob.ask("POST", "/history/bring", with_file(text))
    assert (there.status, bob.ask("GET", there.headers["location"]).status) == (303, 200)
    assert there.headers["location"] in bob.ask("GET", "/history").text
    spoiled = bob.ask("POST", "/history/bring", with_file(text.replace("Ada", "Eve")))
    assert (spoiled.status, "do not match its checksum" in spoiled.text) == (422, True)
    assert "Choose the file first" in bob.ask("POST", "/history/bring", {}).text
    assert bob.ask("GET", f"/s/{code}/recap").headers["location"] == f"/j/{code}", "which was hers, and is"


def test_a_stranger_is_sent_to_the_door_and_nobody_sees_evenings_of_others(inn: Served) -> None:
    code = Caller(inn.url).open("Ada", "Bob")
    stranger = Caller(inn.url)
    said = stranger.ask("GET", f"/s/{code}/recap")
    assert (said.status, said.headers["location"]) == (302, f"/j/{code}")
    assert code not in stranger.ask("GET", "/history").text


def test_the_recap_is_of_the_last_tap(inn: Served) -> None:
    ada = Caller(inn.url)
    code = ada.open("Ada", "Bob")
    for _ in range(5):
        version = ada.count(code).json["version"]
        assert ada.ask("GET", f"/s/{code}/parts/recap").headers["x-version"] == str(version)


def test_links_are_those_that_the_phone_can_use_and_it_ends_with_ctrl_c(served: Serve) -> None:
    """Behind a proxy the link of the recap is the proxy's, and wrong codes are counted for who typed them."""
    server = served(COMPANION_TRUSTED_PROXIES="1", COMPANION_HOSTS="table.example", **REALLY)
    ada = Caller(server.url)
    told = {"X-Forwarded-Host": "table.example", "X-Forwarded-Proto": "https"}
    code = ada.open("Ada", "Bob")
    page = ada.ask("GET", f"/s/{code}/recap", Accept="text/html", **told).text.replace("<wbr>", "")
    assert f"https://table.example/s/{code}/recap" in page
    guess = {"X-Forwarded-For": "203.0.113.7"}
    for _ in range(10):
        assert ada.ask("GET", "/s/ABCDEF/recap", **guess).status == 404
    assert ada.ask("GET", "/s/ABCDEF", **guess).status == 429
    assert ada.ask("GET", "/s/ABCDEF/recap", **guess).status == 429
    assert ada.ask("GET", "/s/ABCDEF/recap").status == 404
    assert_it_ends_with_its_server(server, signal.SIGINT)


# --- it only reads ---


def test_it_cannot_write(app_on: Flask) -> None:
    url = app_on.config["DATABASE_URL"]
    reader = create_app(
        {"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [], "READS_ONLY": True}
    )
    play = app_on.extensions["play"]
    code, token = play.open("any-game", "a-tap-of-ada", seats("Ada", "Bob"), 1, [1])
    reading = reader.extensions["play"]
    assert reading.show(code).version == 1
    for write in (
        lambda: reading.do(code, token, "draw_starter", {}, "another-tap"),
        lambda: reading.open("any-game", "one-more-tap", seats("Ada", "Bob"), 1),
        lambda: reading.forget(code),
    ):
        with pytest.raises(NotSaved):
            write()
    play.do(code, token, "draw_starter", {}, "another-tap")
    assert reading.show(code).version == 2
    reading.store.close()


def test_what_is_forgotten_is_forgotten_there_too_and_it_ends_with_its_server(
    served: Serve, tmp_path: Path
) -> None:
    server = served(**REALLY)
    ada = Caller(server.url)
    code = ada.open("Ada", "Zebedee")
    ada.ask("POST", f"/s/{code}/do/end_sitting", {"tap": secrets.token_hex(8)})
    assert "Zebedee" in ada.ask("GET", f"/s/{code}/recap").text
    assert "Zebedee" in ada.ask("GET", "/history").text
    assert ada.ask("POST", f"/s/{code}/forget", {"sure": "yes"}).status == 303
    assert ada.ask("GET", f"/s/{code}/recap").status == 404
    assert "Zebedee" not in ada.ask("GET", "/history").text
    for file in tmp_path.glob("companion.sqlite*"):
        assert b"Zebedee" not in file.read_bytes(), file
    assert_it_ends_with_its_server(server, signal.SIGTERM)


def test_its_memory_forgets_without_being_told(app: Flask) -> None:
    ada = Handset(app)
    code = ada.open("Ada", "Bob")
    ada.tap(code, "end_sitting")
    reader = create_app(
        {
            "DATABASE_URL": app.config["DATABASE_URL"],
            "REDIS_URL": None,
            "PUBLIC_URL": None,
            "SHELF": [],
            "READS_ONLY": True,
        }
    )
    history = reader.extensions["history"]
    assert [told.code for told in history.all()] == [code]
    assert list(history._kept) == [code]  # noqa: SLF001
    app.extensions["play"].forget(code)
    history.look_again()
    assert not history._kept  # noqa: SLF001
    reader.extensions["play"].store.close()


# --- it may die ---


def test_it_finishes_when_ctrl_c_reaches_both_and_another_begins_when_it_dies_but_not_without_its_server(
    served: Serve,
) -> None:
    server = served(**REALLY)
    assert ask_about_a_tie(server).status == 200
    (first,) = asides(server)
    for word in (signal.SIGINT, signal.SIGTERM):
        os.kill(first, word)
    assert ask_about_a_tie(server).status == 200
    assert asides(server) == [first]
    os.kill(first, signal.SIGKILL)
    assert ask_about_a_tie(server).status == 200
    assert first not in asides(server)
    assert "Traceback" not in server.log()
    assert_it_ends_with_its_server(server, signal.SIGKILL)


def test_one_that_never_lasts_is_begun_ever_more_seldom(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot start at all, the one that serves needs the processor more than its next try."""
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 9:
            raise gevent.GreenletExit

    class Short:
        def wait(self) -> int:
            return 1

    from companion.serving.aside import Aside

    aside = Aside(app)
    monkeypatch.setattr(aside, "_begin", Short)
    monkeypatch.setattr("companion.serving.aside.gevent.sleep", sleep)
    with pytest.raises(gevent.GreenletExit):
        aside.keep_running()
    aside.listener.close()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_who_was_waiting_when_it_died_is_answered_by_the_next(served: Serve) -> None:
    server = served(**REALLY)
    said: list[Answer] = []
    asking = threading.Thread(target=lambda: said.append(ask_about_a_tie(server)))
    asking.start()
    eventually(lambda: bool(asides(server)))
    time.sleep(0.5)  # it is starting, or at it; both must do
    for number in asides(server):
        os.kill(number, signal.SIGKILL)
    asking.join(60)
    assert [each.status for each in said] == [200]


def test_who_cannot_be_answered_is_told_to_come_again(app: Flask) -> None:
    def ask(environ: object) -> Response:
        raise TakesTooLong("it ended")

    app.extensions["aside"] = ask
    said = Handset(app).get("/history")
    assert (said.status_code, said.headers["Retry-After"]) == (503, "2")
    assert "Try again in a moment." in said.text
    assert Handset(app).get("/").status_code == 200


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has it")
def test_it_gets_ready_in_what_taps_leave_over_and_hurries_when_somebody_waits(tmp_path: Path) -> None:
    """And nothing is forked for it: all that is in memory would have to be marked first, with every table."""
    said = inside(f"""
import os, gevent
from companion import create_app
from companion.serving.aside import Aside
app = create_app({{"DATABASE_URL": "sqlite:///{tmp_path}/companion.sqlite", "REDIS_URL": None, "SHELF": []}})
forks = []
os.register_at_fork(before=lambda: forks.append("forked"))
aside = Aside(app)
aside.start()
while aside.process is None:
    gevent.sleep(0.01)
kinds = [os.sched_getscheduler(aside.process.pid)]
asked = {{"REQUEST_METHOD": "GET", "PATH_INFO": "/healthz", "SERVER_NAME": "x", "SERVER_PORT": "80"}}
assert aside.ask({{**asked, "wsgi.url_scheme": "http", "SERVER_PROTOCOL": "HTTP/1.1"}}).status_code == 200
kinds.append(os.sched_getscheduler(aside.process.pid))
aside.close()
print(kinds + forks)
""")
    assert said == str([os.SCHED_IDLE, os.SCHED_OTHER])


# --- the meter ---


def test_whoever_stops_the_loop_is_named_without_the_secret(caplog: pytest.LogCaptureFixture) -> None:
    from companion.serving.stalls import Stalls

    stalls = Stalls()
    try:
        stalls.request = b"GET /j/K7PQ4M/secret?q=1 HTTP/1.1\r\nHost: x\r\n"
        gevent.sleep(0.01)
        time.sleep(0.05)
        gevent.sleep(0.01)
        time.sleep(0.05)
        gevent.sleep(0.01)
    finally:
        stalls.close()
    assert len(caplog.messages) == 1  # one line for all, and the rest with the next
    assert "the last request was GET /j/K7PQ4M" in caplog.text
    assert "secret" not in caplog.text


def test_of_many_who_come_at_once_most_let_the_loop_look_up_first() -> None:
    from companion.serving.stalls import LONG, Stalls

    stalls, looked_up, served = Stalls(), [0], Counter[int]()
    came, went_on = [], []

    def come(number: int) -> None:
        came.append(number)
        stalls.wait()
        went_on.append(number)
        served[len(looked_up)] += 1
        until = time.perf_counter() + LONG * 0.6
        while time.perf_counter() < until:
            pass

    counting = gevent.get_hub().loop.check(ref=False)
    counting.start(looked_up.append, 0)
    try:
        gevent.joinall([gevent.spawn_later(0.01, come, number) for number in range(20)])
    finally:
        counting.close()
        stalls.close()
    assert went_on == came
    assert len(came) == 20
    assert max(served.values()) <= 2  # the third would have made it long
