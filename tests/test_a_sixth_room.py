"""A new game is one folder put on the shelf, and no edit elsewhere."""

import importlib
import re
import secrets
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from at_the_table import Handset

import companion.games
from companion import create_app
from companion.core.table import COLOURS, SYMBOLS
from companion.games import shelf

NAME, SLUG = "lantern_lane", "lantern-lane"

ROOM = '''
"""Lantern lane: whoever lights three lanterns first has lit the lane."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from companion import core
from companion.core import Context, Event, Game, Refused, SeatId, Verdict, Whole
from companion.core.view import Counter, Do, Phase, SeatView, View


@dataclass(frozen=True)
class LanternsLit(Event):
    seat: int
    number: int

    def told(self, state: core.State) -> str:
        return f"lit {self.number}"


@dataclass(frozen=True)
class Lane(core.State):
    lit: dict[int, int] = field(default_factory=dict)


def light(state: Lane, context: Context, seat: SeatId, by: Whole) -> Iterator[Event]:
    if by < 1:
        raise Refused("A lantern that burns is not put out.")
    yield LanternsLit(seat, by)


def evolve(state: Lane, event: Event) -> Lane:
    if isinstance(event, LanternsLit):
        return replace(state, lit={**state.lit, event.seat: state.lit.get(event.seat, 0) + event.number})
    return state


def view(state: Lane, seat: int | None) -> View:
    return View(Phase("The lane is dark"), tuple(lanterns(state, each) for each in state.table.seats))


def lanterns(state: Lane, seat: core.Seat) -> SeatView:
    burning = state.lit.get(seat.id, 0)
    return SeatView(seat, (Counter(f"lit-{seat.id}", "Lanterns", burning, Do("light", {"seat": seat.id})),))


def adjudicate(state: Lane) -> Verdict:
    done = tuple(seat.id for seat in state.table.seats if state.lit.get(seat.id, 0) >= 3)
    if done:
        return Verdict("win", f"{state.table.seat(done[0]).name} has lit the lane.", done[:1])
    return Verdict("continues", "The lane is still dark.")


GAME = Game(
    title="Lantern lane",
    seats=range(2, 5),
    symbol="flame",
    accent=("#abcdef", "#123456"),
    setup=Lane,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    commands=(light,),
    events=(LanternsLit,),
)
'''
FACE = """<article id="seat-{{ each.seat.id }}" class="lane" data-seat="{{ each.seat.id }}">
  <h3>{{ each.seat.name }}</h3>
  <p>{% for _ in range(each.counters[0].value) %}*{% endfor %} lanterns burn</p>
</article>
"""
STYLE = ".lane { border-color: var(--accent); }\n"


def put_up(folder: Path, room: str = ROOM) -> Path:
    faces = folder / NAME / "faces"
    faces.mkdir(parents=True)
    (folder / NAME / "__init__.py").write_text(room, "utf-8")
    (faces / "_seat.html").write_text(FACE, "utf-8")
    (faces / "style.css").write_text(STYLE, "utf-8")
    return folder


@pytest.fixture
def extra(tmp_path):
    """A folder for further rooms. What this process learns of them it forgets afterwards."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    yield folder
    if str(folder) in companion.games.__path__:
        companion.games.__path__.remove(str(folder))
    sys.modules.pop(f"companion.games.{NAME}", None)
    vars(companion.games).pop(NAME, None)
    importlib.invalidate_caches()
    assert SLUG not in shelf()


@pytest.fixture
def start(extra, tmp_path):
    started = []

    def begin():
        url = f"sqlite:///{tmp_path / 'companion.sqlite'}"
        app = create_app({"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [str(extra)]})
        started.append(app)
        return app

    yield begin
    for app in started:
        app.extensions["play"].store.close()


def test_the_room_is_not_on_the_shelf_before_it_is_put_up():
    assert SLUG not in shelf()


def test_a_room_put_on_the_shelf_is_played_like_any_other(start, extra):
    put_up(extra)
    app = start()
    adas, bobs = Handset(app), Handset(app)
    assert "Lantern lane" in adas.get("/").text
    code = adas.open("Ada", "Bob", slug=SLUG)
    bobs.join(code, 2)

    assert adas.tap(code, "light", seat=1, by=1).status_code == 201
    assert bobs.tap(code, "light", seat=2, by=2).status_code == 201
    page = adas.get(f"/s/{code}").text
    assert re.search(r'<article id="seat-2" class="lane".*?\*\* lanterns burn', page, re.DOTALL), (
        "its own face"
    )
    assert "The lane is dark" in page, "and for all else the face that every table has"

    refused = bobs.tap(code, "light", seat=2, by=-1)
    assert (refused.status_code, refused.json) == (422, {"refused": "A lantern that burns is not put out."})

    bobs.tap(code, "light", seat=2, by=1)
    assert "Bob has lit the lane." in adas.get(f"/s/{code}").text
    version = app.extensions["play"].show(code).version
    assert adas.tap(code, "take_back", entry=version).status_code == 201
    assert "Bob has lit the lane." not in adas.get(f"/s/{code}").text
    assert "took back “Bob: lit 1”" in adas.get(f"/s/{code}").text


def test_its_accent_and_its_own_styles_are_served(start, extra):
    put_up(extra)
    answer = Handset(start()).get(f"/games/{SLUG}.css")
    assert answer.mimetype == "text/css"
    assert "#abcdef" in answer.text
    assert "#123456" in answer.text
    assert STYLE in answer.text


def test_it_says_how_many_may_play(start, extra):
    put_up(extra)
    answer = Handset(start()).post(f"/open/{SLUG}", {"tap": secrets.token_hex(8), **form("Ada")})
    assert answer.status_code == 422
    assert "Lantern lane is for 2 to 4 players; this table has 1." in answer.text


def test_a_table_survives_a_restart_with_the_room_and_is_left_out_without_it(start, extra, app):
    put_up(extra)
    first = start()
    adas = Handset(first)
    code = adas.open("Ada", "Bob", slug=SLUG)
    adas.tap(code, "light", seat=1, by=2)
    again = start()
    assert again.extensions["play"].show(code).journal.state.lit == {1: 2}
    without = Handset(app)
    without.client = app.test_client()
    assert SLUG not in app.extensions["play"].games
    assert without.get(f"/games/{SLUG}.css").status_code == 404
    answer = without.get(f"/j/{code}")
    assert answer.status_code == 422, "a phone that hears 404 believes that the table is forgotten"
    assert "The game of this table is not on the shelf now." in answer.text


def test_a_room_that_takes_a_name_every_table_uses_is_noticed_when_it_is_put_up(start, extra):
    put_up(extra, ROOM.replace("def light(", "def take_back(").replace("(light,)", "(take_back,)"))
    with pytest.raises(ValueError, match="two of one name, command: take_back"):
        start()


def test_the_day_it_appears_it_is_tested_for_what_every_room_promises(extra):
    put_up(extra)
    words = (
        "import sys, companion.games, pytest; companion.games.__path__.append(sys.argv[1]);"
        " sys.exit(pytest.main(['-q', '-rA', '-p', 'no:cacheprovider', sys.argv[2], '-k', sys.argv[3]]))"
    )
    tests = Path(__file__).with_name("test_every_game.py")
    run = subprocess.run(
        [sys.executable, "-c", words, str(extra), str(tests), SLUG],
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"test_a_whole_evening_of_any_taps_never_breaks[{SLUG}]" in run.stdout


# --- the same with a real server, told of the shelf by its environment ---


def form(*names):
    keys = [f"k{n}" for n in range(len(names))]
    looks = {"colour": list(COLOURS[: len(names)]), "symbol": list(SYMBOLS[: len(names)])}
    return {"name": list(names), **looks, "key": keys, "mine": keys, "starter": "k0"}


class Browser:
    """Just enough of one to keep a cookie and follow a redirect."""

    def __init__(self, url):
        self.url = url
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(self, path, data=None):
        body = (
            urllib.parse.urlencode({"tap": secrets.token_hex(8), **data}, doseq=True).encode()
            if data
            else None
        )
        with self.opener.open(
            urllib.request.Request(self.url + path, body, {"Origin": self.url}), timeout=10
        ) as answer:
            return answer.url, answer.read().decode()


def test_a_server_finds_the_room_through_its_environment(served, extra, tmp_path):
    server = served(tmp_path, COMPANION_SHELF=str(put_up(extra)))
    browser = Browser(server.url)
    assert "Lantern lane" in browser.ask("/")[1]
    where, _ = browser.ask(f"/open/{SLUG}", form("Ada", "Bob"))
    code = re.search(r"/s/(\w{6})/people", where)[1]
    browser.ask(f"/s/{code}/do/light", {"seat": 1, "by": 3})
    _, page = browser.ask(f"/s/{code}")
    assert "*** lanterns burn" in page
    assert "Ada has lit the lane." in page
    assert STYLE in browser.ask(f"/games/{SLUG}.css")[1]


def test_a_server_without_that_shelf_has_no_such_room(inn):
    browser = Browser(inn.url)
    assert "Lantern lane" not in browser.ask("/")[1]
    with pytest.raises(urllib.error.HTTPError) as answer:
        browser.ask(f"/open/{SLUG}")
    assert answer.value.code == 404
    answer.value.close()
