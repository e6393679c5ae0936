"""A new game is one folder put on the shelf, and no edit elsewhere.

Two are put there: a tiny one with a face and a style of its own, and tests/sixth_room/lantern_lane, a whole
one without either: sealed bids, picker, track, steps, a house rule, rulings, a sheet, a tally and a verdict.
"""

import importlib
import re
import secrets
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from at_the_table import Handset

import companion.games
from companion import create_app
from companion.core.table import COLOURS, SYMBOLS
from companion.games import shelf

NAME, SLUG = "lamp_row", "lamp-row"
SIXTH = Path(__file__).with_name("sixth_room")
LANE = "lantern-lane"

ROOM = '''
"""Lamp row: whoever lights three lanterns first has lit the lane."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from companion import core
from companion.core import Context, Event, Game, Refused, SeatId, Verdict, Whole
from companion.core import Counter, Do, Phase, SeatView, View


class LanternsLit(Event):
    seat: int
    number: int

    def log_text(self, state: core.State) -> str:
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


def view(state: Lane) -> View:
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
    title="Lamp row",
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


def put_away(folder: Path, name: str) -> None:
    """What this process learned of a further shelf it forgets."""
    if str(folder) in companion.games.__path__:
        companion.games.__path__.remove(str(folder))
    sys.modules.pop(f"companion.games.{name}", None)
    vars(companion.games).pop(name, None)
    importlib.invalidate_caches()


@pytest.fixture
def extra(tmp_path):
    """A folder for further rooms."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    yield folder
    put_away(folder, NAME)
    assert SLUG not in shelf()


def begin(tmp_path, shelf):
    url = f"sqlite:///{tmp_path / 'companion.sqlite'}"
    return create_app({"DATABASE_URL": url, "REDIS_URL": None, "PUBLIC_URL": None, "SHELF": [str(shelf)]})


@pytest.fixture
def start(extra, tmp_path):
    started = []

    def start():
        started.append(begin(tmp_path, extra))
        return started[-1]

    yield start
    for app in started:
        app.extensions["play"].store.close()


def words(page: str) -> str:
    """As somebody reads it; what matters most of a verdict is in an element of its own."""
    return unescape(re.sub(r"<[^>]+>", "", page))


def test_the_room_is_not_on_the_shelf_before_it_is_put_up():
    assert SLUG not in shelf()


def test_a_room_put_on_the_shelf_is_played_like_any_other(start, extra):
    put_up(extra)
    app = start()
    adas, bobs = Handset(app), Handset(app)
    assert "Lamp row" in adas.get("/").text
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
    assert "Bob has lit the lane." in words(adas.get(f"/s/{code}").text)
    version = app.extensions["play"].show(code).version
    assert adas.tap(code, "take_back", entry=version).status_code == 201
    assert "Bob has lit the lane." not in words(adas.get(f"/s/{code}").text)
    assert "took back “Bob: lit 1”" in adas.get(f"/s/{code}").text


def test_its_accent_and_its_own_styles_are_served(start, extra):
    put_up(extra)
    phone = Handset(start())
    for sheet, told in (("site.css", "#abcdef"), ("site.css", "#123456"), (f"{SLUG}/style.css", STYLE)):
        answer = phone.get(f"/f/now/{sheet}")
        assert answer.mimetype == "text/css"
        assert told in answer.text


def test_it_says_how_many_may_play(start, extra):
    put_up(extra)
    answer = Handset(start()).post(f"/open/{SLUG}", {"tap": secrets.token_hex(8), **form("Ada")})
    assert answer.status_code == 422
    assert "Lamp row is for 2 to 4 players; this table has 1." in answer.text


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
    assert without.get(f"/f/now/{SLUG}/style.css").status_code == 404
    answer = without.get(f"/j/{code}")
    assert answer.status_code == 422, "a phone that hears 404 believes that the table is forgotten"
    assert "This server does not have the game of this table now." in answer.text


def test_a_room_that_takes_a_name_every_table_uses_is_noticed_when_it_is_put_up(start, extra):
    put_up(extra, ROOM.replace("def light(", "def take_back(").replace("(light,)", "(take_back,)"))
    with pytest.raises(ValueError, match="two of one name, command: take_back"):
        start()


# --- the sixth room ---


@pytest.fixture
def lane(tmp_path):
    """A server with Lantern Lane on its shelf."""
    app = begin(tmp_path, SIXTH)
    yield app
    app.extensions["play"].store.close()
    put_away(SIXTH, "lantern_lane")
    assert str(SIXTH) not in companion.games.__path__


@pytest.fixture
def table(lane):
    """Ada hosts; Bob and Cleo are on one phone."""
    ada, bob = Handset(lane), Handset(lane)
    code = ada.open("Ada", "Bob", "Cleo", slug=LANE)
    bob.join(code, 2, 3)
    return ada, bob, code


def play_round(table, number, bids, lit):
    ada, bob, code = table
    for seat, lanterns in bids.items():
        phone = ada if seat == 1 else bob
        assert phone.tap(code, "bid", seat=seat, round=number, lanterns=lanterns).status_code == 201
    for seat, lanterns in lit.items():
        assert ada.tap(code, "light", seat=seat, round=number, lanterns=lanterns).status_code == 201
    assert bob.tap(code, "next_round", after=number).status_code == 201


def test_it_is_three_hundred_lines_without_a_template_or_a_style():
    room = SIXTH / "lantern_lane"
    python = list(room.rglob("*.py"))
    assert sum(len(file.read_text("utf-8").splitlines()) for file in python) <= 300
    assert not [*room.rglob("*.html"), *room.rglob("*.css"), *room.rglob("*.js")]


def test_a_whole_game_is_played_on_phones_to_its_verdict_and_taken_along(table):
    ada, bob, code = table
    assert ada.tap(code, "tick", item="lane", done="yes").status_code == 201
    assert ada.tap(code, "next_round", after=0).status_code == 201
    play_round(table, 1, {1: 2, 2: 0, 3: 5}, {1: 2, 2: 1, 3: 1})
    standing = ada.get(f"/s/{code}/standing").text
    assert "If we ended now, Ada would win with 12." in standing
    play_round(table, 2, {1: 3, 2: 3, 3: 4}, {1: 3, 2: 3, 3: 2})
    play_round(table, 3, {1: 1, 2: 1, 3: 1}, {1: 0, 2: 1, 3: 1})
    late = ada.tap(code, "next_round", after=3)
    assert (late.status_code, late.json) == (422, {"refused": "It is not time for the next round."})
    play_round(table, 4, {1: 0, 2: 5, 3: 5}, {1: 1, 2: 5, 3: 5})
    page = words(ada.get(f"/s/{code}").text)
    assert "Bob has lit the lane with 39." in page
    assert "Cleo: 26, but out of oil." in page
    assert ada.tap(code, "end_sitting").status_code == 201, "and the recap is there"
    recap = unescape(bob.get(f"/s/{code}/recap").text)
    assert "Bob has lit the lane with 39." in words(recap)
    assert "/lantern-lane/marks.svg#lantern" in recap
    csv = bob.get(f"/s/{code}/scores.csv").get_data().decode("utf-8-sig").splitlines()
    assert csv[0] == "round,Ada,Bob,Cleo"
    assert csv[-2] == "total,25,39,26"
    assert '"BidsShown"' in bob.get(f"/s/{code}/journal.json").text


def test_a_bid_is_sealed_until_all_have_bid_and_a_round_can_be_corrected(table):
    ada, bob, code = table
    ada.tap(code, "next_round", after=0)
    ada.tap(code, "bid", seat=1, round=1, lanterns=3)
    mine, theirs = ada.get(f"/s/{code}").text, bob.get(f"/s/{code}").text
    assert 'aria-pressed="true"' in mine.partition('id="private-1"')[2].partition('id="private-2"')[0]
    assert 'aria-pressed="true"' not in theirs.partition('id="private-1"')[2].partition('id="seats"')[0]
    assert "Ada has chosen" in theirs
    refused = bob.tap(code, "bid", seat=1, round=1, lanterns=2)
    assert refused.json == {"refused": "Ada chooses on Ada’s own phone."}
    play_round(table, 1, {2: 0, 3: 0}, {1: 3, 2: 0, 3: 1})
    form = ada.get(f"/s/{code}/form/correct-1-3").text
    assert 'name="lanterns" value="1"' in form
    assert ada.tap(code, "light", seat=3, round=1, lanterns=0).status_code == 201
    verdict = (
        ada.app.extensions["play"]
        .show(code)
        .game.adjudicate(ada.app.extensions["play"].show(code).journal.state)
    )
    assert [step.text for step in verdict.steps] == ["Ada: 13.", "Bob: 10.", "Cleo: 10."]


def test_who_comes_late_bids_alone_and_what_the_others_bid_stands(table):
    ada, bob, code = table
    ada.tap(code, "next_round", after=0)
    for seat, phone in ((1, ada), (2, bob), (3, bob)):
        phone.tap(code, "bid", seat=seat, round=1, lanterns=seat)
    assert ada.tap(code, "add_seat", role="host", name="Dov").status_code == 201
    state = ada.app.extensions["play"].show(code).journal.state
    assert (state.stage, state.without(state.bids)) == ("bid", [4])
    assert ada.tap(code, "bid", seat=4, round=1, lanterns=0).status_code == 201, "nobody holds that seat"
    assert ada.app.extensions["play"].show(code).journal.state.bids[1, 1] == 1


def test_its_sign_is_drawn_from_its_own_folder_on_shelf_door_and_rules(lane, table):
    """It has drawn no picture, so that its sign lies on the lid."""
    stranger, sign = Handset(lane), re.compile(r'<use href="(/f/\w+/lantern-lane/marks.svg)#lantern"></use>')
    found = {path: sign.search(stranger.get(path).text) for path in ("/", f"/j/{table[2]}", "/rules")}
    assert all(found.values()), found
    drawn = stranger.get(found["/"][1])
    assert drawn.mimetype == "image/svg+xml"
    assert '<symbol id="lantern"' in drawn.text
    assert "/any-game/picture.svg#picture" in stranger.get("/").text, "others bring theirs"


def test_a_house_rule_and_its_rulings_are_there(lane, table):
    ada, _, code = table
    assert len(lane.extensions["play"].games[LANE].rulings) == 12
    assert ada.tap(code, "choose_rule", role="host", rule="missed", choice="minus").status_code == 201
    ada.tap(code, "next_round", after=0)
    play_round(table, 1, {1: 2, 2: 0, 3: 0}, {1: 0, 2: 0, 3: 0})
    state = lane.extensions["play"].show(code).journal.state
    assert (state.total(1), state.oil(1)) == (-2, 4)
    assert "What does a missed bid cost?" in unescape(ada.get("/rules/lantern-lane").text)


# --- the day they appear ---


def tried_on(rooms: dict[str, Path], *files: str) -> subprocess.CompletedProcess[str]:
    """These tests, of these rooms or of all at once, by a process that has their folders on its shelf."""
    words = (
        "import sys, companion.games, pytest; companion.games.__path__[:0] = sys.argv[1].split(':');"
        " sys.exit(pytest.main(['-q', '-rA', '-p', 'no:cacheprovider', *sys.argv[3:], '-k', sys.argv[2]]))"
    )
    tests = [str(Path(__file__).parent / file) for file in files]
    return subprocess.run(
        [
            sys.executable,
            "-c",
            words,
            ":".join(map(str, rooms.values())),
            " or ".join([*rooms, *OF_THE_SHELF]),
            *tests,
        ],
        capture_output=True,
        text=True,
        timeout=170,
    )


OF_ANY_ROOM = (
    "test_every_game.py",
    "test_pieces.py",
    "test_rulings.py",
    "test_lessons.py",
    "test_golden.py",
    "test_adjudicate.py",
    "web/test_full_evenings.py",
    "web/test_rights.py::test_every_command_refuses_whoever_is_not_at_the_table",
    "web/test_assets.py",
    "browser/test_displays.py",
    "browser/test_first_game.py",
)
#: What is asked of all rooms in one test.
OF_THE_SHELF = (
    "test_what_a_room_would_teach_it_teaches",
    "test_every_picture_lies_on_the_lid_of_its_game_in_inks_of_its_own",
)


@pytest.mark.timeout(600)
def test_all_that_is_asked_of_any_room_holds_for_them_and_what_one_brings_is_found(extra):
    """A whole game, how that ends and its tallies are in tests/sixth_room/lantern_lane_evening.py; the other
    brings none, and neither has lessons, a picture or a golden."""
    run = tried_on({LANE: SIXTH, SLUG: put_up(extra)}, *OF_ANY_ROOM)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"test_a_whole_evening_of_any_taps_never_breaks[{SLUG}]" in run.stdout
    for test in (
        "test_a_whole_evening_of_any_taps_never_breaks",
        "test_a_title_finds_its_own_ruling",
        "test_every_boundary_has_its_verdict",
        "test_a_full_game_goes_out_and_comes_back_to_the_letter",
    ):
        assert re.search(rf"PASSED .*{test}\[.*{LANE}", run.stdout), test


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
    assert "Lamp row" in browser.ask("/")[1]
    where, _ = browser.ask(f"/open/{SLUG}", form("Ada", "Bob"))
    code = re.search(r"/s/(\w{6})/people", where)[1]
    browser.ask(f"/s/{code}/do/light", {"seat": 1, "by": 3})
    _, page = browser.ask(f"/s/{code}")
    assert "*** lanterns burn" in page
    assert "Ada has lit the lane." in words(page)
    assert STYLE in browser.ask(f"/f/now/{SLUG}/style.css")[1]


def test_a_server_without_that_shelf_has_no_such_room(inn):
    browser = Browser(inn.url)
    assert "Lamp row" not in browser.ask("/")[1]
    with pytest.raises(urllib.error.HTTPError) as answer:
        browser.ask(f"/open/{SLUG}")
    assert answer.value.code == 404
    answer.value.close()


def test_a_room_without_lessons_teaches_nothing_and_works_as_before(lane):
    ada = Handset(lane)
    assert "Has everyone played before?" not in ada.get(f"/open/{LANE}").text
    code = ada.open("Ada", "Bob", slug=LANE, played="no")
    page = ada.get(f"/s/{code}").text
    assert 'id="lesson-1"' not in page
    assert f"/s/{code}/lessons" not in page
    assert "the phones teach it" not in ada.get(f"/s/{code}/people").text
    for path in ("lessons", "lessons/large"):
        answer = ada.get(f"/s/{code}/{path}")
        assert (answer.status_code, "teaches nothing by itself" in answer.text) == (422, True)
