"""Whatever a finger can press stands in the view, along the whole game of every room, and works."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from html import unescape
from importlib import import_module
from itertools import chain, permutations
from typing import Any, get_args

import pytest
from at_the_table import seats
from full_games import AT_ONCE, FULL, SELDOM, full_game, whole_game

from companion import create_app
from companion.core import Context, Event, Form, Journal, NotThere, Refused
from companion.core.command import parameters
from companion.core.decide import decide
from companion.core.numbers import picks, stepper
from companion.core.pieces import (
    LOOKS,
    TONES,
    Counter,
    Do,
    Meter,
    Own,
    Picker,
    Piece,
    Question,
    Race,
    Share,
    Stage,
    State,
    Tap,
    Tick,
    Track,
    Tray,
    inside,
)
from companion.sittings.luck import OsLuck
from companion.sittings.sitting import Sitting
from companion.storage.store import SittingRow
from companion.web.gallery import FORM, PIECES, SHEETS

TAPPED = re.compile(r"""data-do="/s/\w+/do/(\w+)"\s+data-args='([^']*)'""")
OPENED = re.compile(r"""(?:data-opens="|/form/)([\w-]+)""")
ADA, BOB = seats("Ada", "Bob")
each_room = pytest.mark.parametrize("slug", FULL)


def moments(slug: str) -> Iterator[Journal]:
    """The whole game as it stood after every tap that brought something new to press."""
    played = full_game(slug).journal
    walk = Journal(played.game)
    for entry in played.entries:
        walk.add(entry)
        if entry.version in _new_at(slug):
            yield walk


@cache
def _new_at(slug: str) -> frozenset[int]:
    played = full_game(slug).journal
    walk, first = Journal(played.game), dict[tuple[str, frozenset[str]], int]()
    for entry in played.entries:
        walk.add(entry)
        commands = frozenset(do.command for do, _ in _taps(walk))
        first.setdefault((walk.game.view(walk.state).phase.key, commands), entry.version)
    return frozenset(first.values())


def _taps(journal: Journal) -> Iterator[tuple[Do, tuple[str, ...]]]:
    yield from journal.game.view(journal.state).taps()
    for each in inside(_private(journal)):
        if isinstance(each, Tap) and each.do:
            yield each.do, ()


def _private(journal: Journal) -> tuple[Piece, ...]:
    tell = journal.game.private
    there = journal.state.table.seats
    return tuple(piece for seat in there for piece in tell(journal.state, seat.id)) if tell else ()


@each_room
def test_every_tap_of_a_whole_game_is_a_command_with_all_that_it_needs(slug: str) -> None:
    for journal in moments(slug):
        for do, asked in _taps(journal):
            wanted = parameters(journal.game.command(do.command))
            must = {name for name, (_, several, optional) in wanted.items() if not optional and not several}
            assert must <= {*do.args, *asked} <= set(wanted), do
            json.dumps(dict(do.args))


# --- pressing them ---

#: What stands where: the innermost piece round it, or its form or the phase, for all seats and rounds alike;
#: and its command.
Place = tuple[str, str]
Offered = tuple[Place, Do, dict[str, str]]


@each_room
def test_every_kind_of_tap_that_is_not_off_is_accepted_at_some_time(slug: str) -> None:
    """Others may be quicker and rules may refuse it, but not always; and what a tap names is always there."""
    accepted, refused = set[Place](), dict[Place, str]()
    pressed = set[tuple[object, ...]]()
    for journal in evenings(slug):
        for place, do, typed in offered(journal, accepted):
            form = {name: str(value) for name, value in {**do.args, **typed}.items()}
            once = (do.command, *form.items())
            if once in pressed and place in accepted:
                continue
            pressed.add(once)
            read_all(journal, do)
            try:
                assert press(journal, do, form)
                accepted.add(place)
            except NotThere as no:
                raise AssertionError(f"{place}, {form}: {no}") from no
            except Refused as no:
                refused[place] = f"{form}: {no}"
    assert {place: why for place, why in refused.items() if place not in accepted} == {}


def evenings(slug: str) -> Iterator[Journal]:
    """All that are written for the room, as they stood after every tap."""
    others = [each for each in (*AT_ONCE.values(), *SELDOM.values()) if each[0] == slug]
    for played in (full_game(slug), *(whole_game(*each) for each in others)):
        walk = Journal(played.journal.game)
        for entry in played.journal.entries:
            walk.add(entry)
            yield walk


def offered(journal: Journal, accepted: set[Place]) -> Iterator[Offered]:
    """Every tap that is not off, with what is typed: one more and one less of a number; in a form each of its
    choices and, until it is accepted, other words and numbers."""
    view = journal.game.view(journal.state)
    forms = view.every_form
    sheets = {form.id: inside((form.also, form.pieces)) for form in forms}
    there = [*inside((view.pieces, _private(journal))), *chain(*sheets.values())]
    round_it = {id(each): sheet for sheet, pieces in sheets.items() for each in pieces}
    round_it |= {id(each): piece.id for piece in there if getattr(piece, "id", "") for each in inside(piece)}
    for each in there:
        if getattr(each, "do", None) and not getattr(each, "why_not", ""):
            place = _place(round_it.get(id(each), view.phase.key), each.do)
            for by in ("1", "-1") if isinstance(each, Counter | Track | Share) else ("",):
                yield place, each.do, {"by": by} if by else {}
    for form in forms:
        place = _place(form.id, form.do)
        yield from ((place, form.do, filled) for filled in chosen(form))
        if place not in accepted:
            yield from ((place, form.do, filled) for filled in typed(form))


def chosen(form: Form) -> Iterator[dict[str, str]]:
    """As it comes up, with something where nothing stands yet; then with each of its choices."""
    shown = _filled(form)
    yield shown
    yield from (shown | {each.name: choice} for each in form.fields for choice, _ in each.choices)


def typed(form: Form) -> Iterator[dict[str, str]]:
    """Other words; one more of a number, one less of it, and one more of this for one less of that."""
    shown = _filled(form)
    for each in form.fields:
        if each.kind == "text":
            yield from (shown | {each.name: words} for words in ("Lantern", "12"))
    numbers = [each.name for each in form.fields if each.kind == "number"]
    for more, less in permutations([*numbers, ""], 2):
        by = {more: 1, less: -1}
        yield shown | {name: str(int(shown[name]) + by[name]) for name in numbers if name in by}


def _filled(form: Form) -> dict[str, str]:
    nothing = {"text": "Lantern", "number": "1", "choice": ""}
    first = {each.name: each.choices[0][0] for each in form.fields if each.choices}
    return {each.name: each.value or first.get(each.name) or nothing[each.kind] for each in form.fields}


def _place(id: str, do: Do) -> Place:
    return re.sub(r"\d+", "…", id), do.command


def read_all(journal: Journal, do: Do) -> None:
    """What a tap brings along is of the kind that its command takes: it was typed by nobody."""
    readers = parameters(journal.game.command(do.command))
    for name, value in do.args.items():
        read, several, _ = readers[name]
        read([str(value)] if several else str(value))


def press(journal: Journal, do: Do, form: dict[str, str]) -> tuple[Event, ...]:
    """By whoever holds the seat, or else the host, a second later: sand that was turned still runs."""
    table = journal.state.table
    holder = table.holder(do.args.get("seat", 0))
    context = Context(journal.entries[-1].at + 1000, OsLuck(), holder.number if holder else table.host)
    return decide(journal, do.command, {name: [value] for name, value in form.items()}, context)


@each_room
def test_what_a_tap_opens_is_there(slug: str) -> None:
    for journal in moments(slug):
        view = journal.game.view(journal.state)
        there = {form.id for form in view.every_form}
        there |= {each.id for each in inside(view.pieces) if isinstance(each, Tray)}
        for each in inside(view.pieces):
            if isinstance(each, Tap) and each.opens and not each.why_not:
                assert each.opens in there, each


@each_room
def test_a_question_can_be_read_by_whoever_taps_for_the_one_who_is_asked(slug: str) -> None:
    """It has that player's name on it; “you” would be the wrong one."""
    for journal in moments(slug):
        for each in inside(journal.game.view(journal.state).pieces):
            if isinstance(each, Question):
                options = [tap for tap in inside((each.options, each.pieces)) if isinstance(tap, Tap)]
                words = [
                    each.title,
                    each.text,
                    *(f"{tap.label}, {tap.detail}{tap.why_not}" for tap in options),
                ]
                assert not [said for said in words if re.search(r"\byou(rs?)?\b", said, re.IGNORECASE)]


@each_room
def test_no_two_pieces_have_one_id(slug: str) -> None:
    for journal in moments(slug):
        view = journal.game.view(journal.state)
        ids = [each.id for each in inside((view.pieces, _private(journal))) if getattr(each, "id", "")]
        assert len(ids) == len(set(ids)), sorted(id for id in ids if ids.count(id) > 1)
        assert all(re.fullmatch(r"[A-Za-z][\w-]*", id) for id in ids)


@pytest.mark.parametrize("slug", FULL)
def test_nothing_can_be_pressed_that_the_view_does_not_know(slug: str, new_app: Any) -> None:
    """A template names no command: it draws what the view has, and what every table has."""
    own = {command.__name__ for command in _room(slug).commands}
    for journal in moments(slug):
        known = {(do.command, _spelled(do.args)) for do, _ in _taps(journal)}
        html = drawn(new_app, journal)
        pressed = {(name, _spelled(json.loads(unescape(args)))) for name, args in TAPPED.findall(html)}
        strange = {each for each in pressed - known if each[0] in own}
        assert not strange
        forms = {form.id for form in journal.game.view(journal.state).every_form}
        trays = set(re.findall(r'id="([\w-]+)"', html))
        assert set(OPENED.findall(html)) <= forms | trays


def _spelled(args: Any) -> str:
    return json.dumps(dict(args), sort_keys=True)


def _room(slug: str) -> Any:
    return import_module(f"companion.games.{slug.replace('-', '_')}").GAME


@pytest.fixture
def new_app(tmp_path: Any) -> Iterator[Any]:
    app = create_app(
        {
            "DATABASE_URL": f"sqlite:///{tmp_path / 'companion.sqlite'}",
            "REDIS_URL": None,
            "PUBLIC_URL": None,
            "SHELF": [],
        }
    )
    yield app
    app.extensions["play"].store.close()


def seated(journal: Journal) -> Sitting:
    row = SittingRow(id=1, code="AAAAAA", slug=journal.game.slug, secret="s" * 12, tap="x", opened_at=1)
    return Sitting(row, journal.game, journal)


def drawn(app: Any, journal: Journal) -> str:
    """The table page's parts as every phone gets them."""
    whole: str = app.extensions["parts"].drawing(seated(journal), "table").whole()
    return whole


@each_room
def test_drawn_tap_by_tap_a_table_looks_as_if_it_were_drawn_at_once(slug: str, new_app: Any) -> None:
    played = full_game(slug).journal
    sitting = seated(Journal(played.game, played.entries[:1]))
    for entry in played.entries[1:]:
        sitting.journal.add(entry)
        now = new_app.extensions["parts"].drawing(sitting, "table")
        page = now.whole()
        if not entry.version % 7:
            fresh = new_app.extensions["parts"].drawing(seated(sitting.journal), "table")
            assert page == fresh.whole()
            for name, part in fresh.parts.items():
                assert now.parts[name].pieces.keys() == part.pieces.keys(), "what is gone is not kept"


def test_a_tap_that_changes_a_few_pieces_lays_nothing_out_around_them(new_app: Any) -> None:
    """Else each tap would go through the whole of a board to find what it changed."""
    for slug, part in (("escape-the-dark-castle", "board"), ("mountains-of-madness", "phase")):
        played = full_game(slug).journal
        sitting = seated(Journal(played.game, played.entries[:1]))
        before, kept = None, 0
        for entry in played.entries[1:]:
            sitting.journal.add(entry)
            now = new_app.extensions["parts"].drawing(sitting, "table").parts[part]
            kept += bool(before) and now.html is before.html and now.pieces != before.pieces
            before = now
        assert kept > 10, f"{slug}: only {kept} of {len(played.entries)} taps"


def test_a_die_that_fell_is_no_reason_to_draw_the_phones_again(new_app: Any, sit_down: Any) -> None:
    table = sit_down("any-game", "Ada", "Bob")
    sitting, parts = seated(table.journal), new_app.extensions["parts"]
    before = parts.drawing(sitting, "table").parts
    table.dice.rolls += [3]
    table.do("roll_dice", throw_what="d6")
    after = parts.drawing(sitting, "table").parts
    assert after["roll"] is not before["roll"]
    assert after["roster"] is before["roster"]


# --- pieces for themselves ---


#: What no eye sees there: who else sees a piece, what only a phone that is taught shows, what is read out.
UNSEEN = {
    "Tap": {"id", "confirm", "shows"},
    "Panel": {"only"},
    "Grid": {"columns", "narrow"},
    "Fold": {"only"},
    "Tray": {"stays"},
    "Chips": {"label"},
    "Note": {"buzz"},
    "Counter": {"detail", "step", "most"},
    "Stage": {"title"},
    "Tick": {"id", "number", "why"},
}


def test_the_gallery_shows_all_that_a_piece_can_be_told() -> None:
    there = [each for *_, shown in PIECES for each in inside(shown)]
    kinds = [each for each in Piece.__subclasses__() if each is not Own]
    for kind in (*kinds, Stage, Share, Tick):
        told = [each for each in there if type(each) is kind]
        plain = {each.name: each.default for each in fields(kind) if each.default is not MISSING}  # type: ignore[arg-type]
        same = {name for name, usual in plain.items() if all(getattr(each, name) == usual for each in told)}
        assert same <= UNSEEN.get(kind.__name__, set()), kind
    assert {each.look for each in there if isinstance(each, Picker)} == set(LOOKS)
    assert {each.state for each in there if isinstance(each, Stage)} == set(get_args(State))
    assert {each.tone for each in there if isinstance(each, Tap)} == set(TONES)
    assert {each.kind for each in FORM.fields} == {"text", "number", "choice"}
    assert any(cell.form and cell.text for sheet in SHEETS for row in sheet.rows for cell in row.cells)


def test_a_track_rings_the_cells_to_be_wary_of() -> None:
    assert Track("t", "Madness", 2, 4, warn=3).cells == ("full", "full", "free wary", "free wary")
    low = Track("t", "Health", 1, 3, warn=1, falls=True).cells
    assert low == ("full wary", "free", "free")
    assert Track("t", "Points", 50, 99).cells == ()


def test_a_meter_puts_its_goal_at_a_hundred_and_cuts_off_what_is_far_beyond() -> None:
    bars = Meter("m", "power", (Share(ADA, 5), Share(BOB, 10)), 10).bars
    assert [(at, width) for at, width, _ in bars] == [(0, 50), (50, 75)]
    assert [width for _, width, _ in Meter("m", "power", (Share(ADA, 3),), 0).bars] == [0]


def test_the_longest_bar_of_a_race_is_the_whole_width_and_debts_have_none() -> None:
    bars = Race("r", (Share(ADA, 20), Share(BOB, 5)), "KP").bars
    assert [(width, share.seat) for width, share in bars] == [(100, ADA), (25, BOB)]
    assert [width for width, _ in Race("r", (Share(ADA, 0), Share(BOB, -3)), "KP").bars] == [0, 0]


def test_a_tap_without_anything_to_do_is_off() -> None:
    assert Tap("Roll").off
    assert Tap("Roll", Do("roll"), why_not="Not yet.").off
    assert not Tap("Roll", Do("roll")).off


def test_a_tap_can_be_made_of_what_is_known_and_what_else_is_known_by_now() -> None:
    move = Do("move", {"seat": 2})
    assert move.also(to="home") == Do("move", {"seat": 2, "to": "home"})
    assert move == Do("move", {"seat": 2})


def test_a_stepper_goes_as_far_as_it_may() -> None:
    bar = stepper("hits", "Hits for", 9, range(1, 10), Do("set_damage", {"round": 2}), "damage")
    words, less, more = bar.taps
    assert (words.label, words.off) == ("Hits for 9", True)
    assert less.do == Do("set_damage", {"round": 2, "damage": 8})
    assert more.off


def test_of_several_things_each_has_a_tap_that_tells_which() -> None:
    die, names = Do("take_die", {"round": 2}), {"sword": "Sword", "book": "Book"}
    sword, book = picks(die, "kind", names)
    assert (sword, book) == (Tap("Sword", die.also(kind="sword")), Tap("Book", die.also(kind="book")))
    sword, book = picks(die, "kind", names, "die", marked=True, chosen="book", detail="one")
    assert sword == Tap("Sword", die.also(kind="sword"), "one", mark="sword", on=False, id="die-sword")
    assert book.on
