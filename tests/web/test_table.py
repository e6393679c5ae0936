"""At the table: a tap and its answer, what other phones hear, and the invitation."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import pytest
from at_the_table import Handset
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jinja2 import TemplateAssertionError, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from test_qr import painted, scanned
from test_rights import rows
from werkzeug.test import TestResponse

from companion.core.command import right
from companion.storage.store import NotSaved
from companion.web import stream
from companion.web.compiler import why_not_alone
from companion.web.drawing import Drawing
from companion.web.parts import LINES, LOG_PAGE, PAGES, Screen
from companion.web.pieces import Drawn, context, draw
from companion.web.stream import Streams

Phones = Callable[[], Handset]
LAN = {"Host": "192.168.1.20:8000"}


@pytest.fixture
def ada(phone: Phones) -> Handset:
    return phone()


@pytest.fixture
def code(ada: Handset) -> str:
    return ada.open("Ada", "Bob", "Cleo")


def version(app: Flask, code: str) -> int:
    return int(app.extensions["play"].show(code).version)


def total(app: Flask, code: str, seat: int = 1) -> int:
    state = app.extensions["play"].show(code).journal.state
    return int(state.total(seat, state.kinds[0]))


# --- the answer to a tap ---


def test_a_tap_is_answered_with_its_id_and_the_version_it_made(app: Flask, ada: Handset, code: str) -> None:
    answer = ada.count(code, tap="ada-taps-1")
    assert (answer.status_code, answer.json) == (201, {"tap": "ada-taps-1", "version": 2})
    assert answer.content_type == "application/json"
    assert total(app, code) == 1


def test_a_retried_tap_gets_the_very_same_answer_and_counts_once(app: Flask, ada: Handset, code: str) -> None:
    first = ada.count(code, tap="ada-taps-1")
    ada.count(code, 2)
    ada.tap(code, "next_round", after=1)
    again = ada.count(code, tap="ada-taps-1")
    assert (again.status_code, again.data, again.content_type) == (201, first.data, first.content_type)
    assert total(app, code) == 1


def test_a_retried_tap_is_answered_even_if_it_could_not_be_done_now(
    app: Flask, ada: Handset, code: str
) -> None:
    """The round is over, the seat is gone, the phone has become a watcher: what was done was done."""
    first = ada.tap(code, "next_round", tap="the-next-one", after=1)
    second = ada.tap(code, "remove_seat", tap="without-cleo", role="host", seat=3)
    assert ada.tap(code, "next_round", tap="the-next-one", after=1).data == first.data
    assert ada.tap(code, "remove_seat", tap="without-cleo", role="host", seat=3).data == second.data
    assert version(app, code) == 3


def test_the_same_id_with_other_content_is_refused(
    app: Flask, phone: Phones, ada: Handset, code: str
) -> None:
    bob = phone().join(code, 2)
    ada.count(code, tap="ada-taps-1")
    before = version(app, code)
    others = [
        ada.count(code, by=2, tap="ada-taps-1"),
        ada.count(code, seat=2, tap="ada-taps-1"),
        ada.tap(code, "end_game", tap="ada-taps-1"),
        bob.count(code, tap="ada-taps-1"),
    ]
    for answer in others:
        assert (answer.status_code, answer.json) == (
            409,
            {"refused": "This tap was already used for something else."},
        )
    assert version(app, code) == before


def test_one_id_may_be_used_at_two_tables(app: Flask, ada: Handset, code: str) -> None:
    other = ada.open("Ada", "Dov")
    assert ada.count(code, tap="ada-taps-1").status_code == 201
    assert ada.count(other, tap="ada-taps-1").status_code == 201


def test_a_refused_tap_is_a_sentence_and_its_id_is_free_again(app: Flask, ada: Handset, code: str) -> None:
    refused = ada.count(code, by=0, tap="ada-taps-1")
    assert (refused.status_code, refused.json) == (422, {"refused": "Nothing to add."})
    assert ada.count(code, by=1, tap="ada-taps-1").status_code == 201
    assert version(app, code) == 2


def test_a_refused_tap_at_the_hosts_address_is_json_too(phone: Phones, ada: Handset, code: str) -> None:
    json = {"Accept": "application/json"}  # as the queue on the phone asks
    bob = phone().join(code, 2)
    assert bob.post(f"/s/{code}/host/add_seat", {"tap": "bob-taps-1"}, json).json["refused"]
    forged = {"Origin": "http://evil.example", **json}
    assert ada.post(f"/s/{code}/do/count", {"tap": "ada-taps-1"}, forged).json["refused"]
    assert ada.post("/s/ZZZZZZ/do/count", {"tap": "ada-taps-1"}, json).json["refused"]


def test_two_who_press_next_round_at_once_make_one_round(
    app: Flask, phone: Phones, ada: Handset, code: str
) -> None:
    bob = phone().join(code, 2)
    assert ada.tap(code, "next_round", after=1).status_code == 201
    late = bob.tap(code, "next_round", after=1)
    assert (late.status_code, late.json) == (422, {"refused": "Round 1 is over already; this is round 2."})


def test_sums_and_minus_signs_are_understood(app: Flask, ada: Handset, code: str) -> None:
    for typed, now in (("3+6", 9), ("−4", 5), ("10-3", 12), ("+1", 13), (" 2 + 2 ", 17)):
        assert ada.tap(code, "count", seat=1, counter="1", by=typed, round=1).status_code == 201
        assert total(app, code) == now


# --- undo ---


def test_undo_says_what_it_will_undo_and_mine_is_not_the_tables_last(
    phone: Phones, ada: Handset, code: str
) -> None:
    bob = phone().join(code, 2)
    ada.count(code, 1, 3)
    bob.count(code, 2, 7)
    undo = parts_of(ada.get(f"/s/{code}/parts/table").text)
    mine = dict(re.findall(r'data-phone="(\d+)" data-undo="(\d+)"', undo["undo"][1]))
    assert mine == {"1": "4", "2": "5"}
    assert "+3 Points" in undo["undo"][1]


def test_a_line_is_taken_back_and_put_back_and_nothing_is_erased(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code, by=3)
    ada.count(code, by=4)
    assert ada.tap(code, "take_back", entry=2).status_code == 201
    assert total(app, code) == 4
    log = ada.get(f"/s/{code}/log").text
    assert "+3 Points" in log
    assert "took back" in log
    assert ada.tap(code, "put_back", entry=2).status_code == 201
    assert total(app, code) == 7
    assert version(app, code) == 5


# --- parts ---

Swap = tuple[str, str]
PARTIAL = re.compile(r'<hx-partial id="([\w-]+)"(?: hx-swap="(\w+)")?>(.*?)</hx-partial>', re.S)
SET = re.compile(r"""<hx-set id="([\w-]+)" ((?:[\w-]+(?:="[^"]*"|='[^']*')? ?)+)>""")
CHILD = re.compile(r'(?=<(?:li|article)\b[^>]*\bid="(?:line|seat)-\d+")')


def swaps(message: str) -> list[tuple[str, str, str]]:
    message = SET.sub(r'<hx-partial id="\1" hx-swap="set">\2</hx-partial>', message)
    found = PARTIAL.findall(message)
    assert PARTIAL.sub("", message) == ""
    return [(target, how or "outerMorph", html) for target, how, html in found]


def parts_of(message: str) -> dict[str, Swap]:
    return {target: (how, html) for target, how, html in swaps(message)}


class Element(HTMLParser):
    """Where the element with this id begins and ends in a text."""

    VOID = ("input", "br", "img", "path", "rect", "use", "hr")

    def __init__(self, text: str, id: str) -> None:
        super().__init__()
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self.id, self.open, self.start, self.end = id, 0, -1, -1
        self.feed(text)
        assert self.end > 0, f"there is no {id} on the page to put this in place of"

    def here(self) -> int:
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.start < 0 and dict(attrs).get("id") == self.id:
            self.start = self.here()
        if self.start >= 0 and self.end < 0 and tag not in self.VOID:
            self.open += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        if self.start >= 0 and self.end < 0 and tag not in self.VOID:
            self.open -= 1
            if not self.open:
                self.end = self.here() + len(tag) + 3


class Shown:
    """A page in a browser, as far as swaps can tell: parts by id, and containers with children in order."""

    def __init__(self, page: str) -> None:
        self.parts = dict.fromkeys(PAGES[page].parts, "")
        self.groups: dict[str, dict[str, str]] = {group: {} for group in PAGES[page].groups}

    def swap(self, message: str) -> Shown:
        for target, how, html in swaps(message):
            match how:
                case "innerMorph":
                    self.groups[target] = children(html)
                case "prepend":
                    assert not set(children(html)) & set(self.groups[target]), "an id would be there twice"
                    self.groups[target] = children(html) | self.groups[target]
                case "outerMorph" | "outerHTML":
                    self._morph(target, html)
                case "set":
                    self._set(target, html)
                case _:
                    raise AssertionError(f"a swap that no page does: {how}")
        for log, most in (("log", LINES), ("whole_log", LOG_PAGE)):
            if log in self.groups:  # as the page trims it
                self.groups[log] = dict(list(self.groups[log].items())[:most])
        return self

    def _morph(self, target: str, html: str) -> None:
        holders = [self.parts, *self.groups.values()]
        for each in holders:
            if target in each:
                each[target] = html
                return
        for each in holders:
            for id, whole in each.items():
                if f'id="{target}"' in whole:
                    at = Element(whole, target)
                    each[id] = whole[: at.start] + html + whole[at.end :]
                    return
        raise AssertionError(f"there is no {target} on the page")

    def _set(self, target: str, attributes: str) -> None:
        for each in [self.parts, *self.groups.values()]:
            for id, whole in each.items():
                if f'id="{target}"' in whole:
                    start = Element(whole, target).start
                    end = whole.index(">", start)  # good enough for what is set here
                    tag = whole[start:end]
                    for name, value in re.findall(r"""([a-z-]+)(="[^"]*"|='[^']*')""", attributes):
                        pattern = rf"""(?<= ){name}(?:="[^"]*"|='[^']*')"""
                        tag, found = re.subn(pattern, lambda _, new=name + value: new, tag)
                        assert found == 1, f"{target} has no {name} to set"
                    each[id] = whole[:start] + tag + whole[end:]
                    return
        raise AssertionError(f"there is no {target} on the page")

    def read(self) -> Any:
        def plain(html: str) -> str:
            return (
                re.sub(r"\s+", " ", re.sub(r">\s+", "> ", html)).replace("> ", ">").replace(" <", "<").strip()
            )

        ordered = {
            name: [(id, plain(html)) for id, html in each.items()] for name, each in self.groups.items()
        }
        return {id: plain(html) for id, html in self.parts.items()}, ordered


def children(html: str) -> dict[str, str]:
    pieces = [piece for piece in CHILD.split(html) if piece.strip()]
    return {re.findall(r'\bid="([\w-]+)"', piece)[0]: piece for piece in pieces}


def drawing(app: Flask, code: str, page: str) -> Drawing:
    found: Drawing = app.extensions["parts"].drawing(app.extensions["play"].show(code), page)
    return found


def test_a_phone_that_missed_nothing_is_sent_nothing(ada: Handset, code: str) -> None:
    for page in PAGES:
        whole = ada.get(f"/s/{code}/parts/{page}")
        assert (whole.status_code, whole.headers["X-Version"]) == (200, "1")
        assert set(parts_of(whole.text)) == {*PAGES[page].parts, *PAGES[page].groups}
        nothing = ada.get(f"/s/{code}/parts/{page}?version=1")
        assert (nothing.status_code, nothing.data) == (204, b"")


def test_a_phone_that_missed_something_gets_the_whole_page(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code)
    for known in ("", "?version=1", "?version=0", "?version=99", "?version=x"):
        answer = ada.get(f"/s/{code}/parts/table{known}")
        assert (answer.status_code, answer.headers["X-Version"]) == (200, "2")
        assert answer.text == drawing(app, code, "table").whole()


def test_one_tap_changes_one_card_the_sheet_the_undo_and_one_line_of_the_log(
    app: Flask, ada: Handset, code: str
) -> None:
    before = {page: drawing(app, code, page) for page in PAGES}
    ada.count(code, 2)
    changed = {page: parts_of(drawing(app, code, page).since(old)) for page, old in before.items()}
    hows = {page: {target: how for target, (how, _) in each.items()} for page, each in changed.items()}
    seat = dict.fromkeys(["seat-2-notes", "counter-2-1-n"], "outerMorph")
    sheet = dict.fromkeys(["cell-1-2-1", "sheet-1-2-total"], "outerMorph")
    assert hows == {
        "table": {**seat, **sheet, "undo": "outerMorph", "log": "prepend"},  # the phone had no undo before
        "display": {**seat, "log": "prepend"},
        "people": {},
        "log": {"whole_log": "prepend"},
        "dice": {},
        "recap": {"recap": "outerMorph"},
    }
    assert list(children(changed["table"]["log"][1])) == ["line-2"]


def test_a_second_tap_on_the_same_seat_changes_no_more(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code, 2)
    before = drawing(app, code, "table")
    ada.count(code, 2)
    change = drawing(app, code, "table").since(before)
    assert set(parts_of(change)) == {"counter-2-1-n", "cell-1-2-1", "sheet-1-2-total", "undo-1", "log"}
    assert len(change.encode()) <= 1500


def test_a_phone_that_sits_down_changes_the_roster_and_the_log_and_nothing_else_is_drawn_anew(
    app: Flask, phone: Phones, ada: Handset, code: str
) -> None:
    before = drawing(app, code, "table")
    phone().join(code, 2)
    now = drawing(app, code, "table")
    assert set(parts_of(now.since(before))) == {"roster", "log"}
    assert [now.groups["seats"][id] is each for id, each in before.groups["seats"].items()] == [True] * 3
    assert now.parts["sheets"].pieces["sheet-forms"] is before.parts["sheets"].pieces["sheet-forms"]


def test_a_new_lead_changes_both_cards(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code, 1)
    before = drawing(app, code, "table")
    ada.count(code, 2, 5)
    assert {"seat-1-notes", "seat-2-notes"} <= set(parts_of(drawing(app, code, "table").since(before)))


def test_a_new_line_comes_alone_and_the_page_knows_how_many_it_keeps(
    app: Flask, ada: Handset, code: str
) -> None:
    for _ in range(LINES):
        ada.count(code)
    before = drawing(app, code, "table")
    ada.count(code)
    changed = parts_of(drawing(app, code, "table").since(before))
    assert not [target for target in changed if target.startswith("line-")]
    assert list(children(changed["log"][1])) == [f"line-{LINES + 2}"]
    assert f'<ol id="log" class="log" data-most="{LINES}">' in ada.get(f"/s/{code}").text


def test_a_seat_that_leaves_is_not_left_standing(app: Flask, ada: Handset, code: str) -> None:
    before = drawing(app, code, "table")
    assert ada.tap(code, "remove_seat", role="host", seat=3).status_code == 201
    how, html = parts_of(drawing(app, code, "table").since(before))["seats"]
    assert (how, list(children(html))) == ("innerMorph", ["seat-1", "seat-2"])


def test_taking_back_changes_the_line_it_is_about(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code)
    before = drawing(app, code, "table")
    ada.tap(code, "take_back", entry=2)
    changed = parts_of(drawing(app, code, "table").since(before))
    assert changed["line-2"][0] == "outerMorph"
    assert list(children(changed["log"][1])) == ["line-3"]


BOARD = """<section id="board">{% macro bold(it) %}<b>{{ it }}</b>{% endmacro %}
{% piece "left" %}<p id="left">
{%- piece "leaf" %}<i id="leaf">{{ bold(leaf) }}</i>{% endpiece %}</p>{% endpiece %}
{% piece "right" %}<p id="right">{{ right }}</p>{% endpiece %}
{% piece "tap" %}<button id="tap" class="tap" aria-pressed="{{ pressed }}" title="{{ title }}">Tap
{%- piece "in" %}<i id="in">{{ inside }}</i>{% endpiece %}</button>{% endpiece %}
{{- frame }}{{ more }}</section>"""


def board(app: Flask, before: Drawn | None = None, **seen: str) -> Drawn:
    template = app.jinja_env.from_string(BOARD)
    return draw(template, Context(app.jinja_env, seen, "board.html", {}), [seen], before)


@pytest.mark.parametrize(
    ("now", "sent"),
    [
        ({}, {}),
        ({"right": "5"}, {"right": '<p id="right">5</p>'}),
        ({"right": "<5>"}, {"right": '<p id="right">&lt;5&gt;</p>'}),
        ({"leaf": "4", "right": "5"}, {"leaf": '<i id="leaf"><b>4</b></i>', "right": '<p id="right">5</p>'}),
        ({"pressed": "true"}, {"tap": 'aria-pressed="true"'}),  # nothing else of it is new
        ({"pressed": "true", "title": "<"}, {"tap": 'aria-pressed="true" title="&lt;"'}),
        ({"pressed": "true", "inside": "7"}, {"tap": 'aria-pressed="true"', "in": '<i id="in">7</i>'}),
        ({"leaf": "4", "frame": "6"}, {"board": None}),  # the frame round the pieces is another
    ],
)
def test_of_a_part_in_pieces_only_those_that_changed_are_sent(
    app: Flask, now: dict[str, str], sent: dict[str, str | None]
) -> None:
    before = board(app, leaf="1", right="2", frame="3", more="")
    after = board(app, before, **{"leaf": "1", "right": "2", "frame": "3", "more": "", **now})
    assert heard(after.since("board", before)) == {id: html or str(after) for id, html in sent.items()}


def heard(news: str) -> dict[str, str]:
    """What each element is to be, or which of its attributes."""
    assert NEWS.sub("", news) == ""
    return {found[1] or found[3]: found[2] or found[4] for found in NEWS.finditer(news)}


NEWS = re.compile(r'<hx-partial id="(\w+)">(.*?)</hx-partial>|<hx-set id="(\w+)" ([^>]*)>', re.DOTALL)


def test_a_piece_is_drawn_again_only_if_something_it_names_has_changed(app: Flask) -> None:
    before = board(app, leaf="1", right="2", frame="3", more="")
    after = board(app, before, leaf="1", right="5", frame="3", more="")
    assert after.pieces["left"] is before.pieces["left"]
    assert after.pieces["leaf"] is before.pieces["leaf"]
    assert after.pieces["right"] is not before.pieces["right"]


SHADOW = """{% macro bold(it) %}<b>{{ it }}</b>{% endmacro %}{% for bold in all %}
{%- piece "first" %}<p id="first">{{ bold }}{{ "a" ~ bold ~ safe }}</p>{% endpiece %}{% endfor %}
{%- piece "still" %}<hr id="still">{% endpiece %}"""


def test_a_name_that_is_also_a_macro_is_looked_at_where_it_is_something_else(app: Flask) -> None:
    def drawn(before: Drawn | None, word: str) -> Drawn:
        seen = {"all": [word], "safe": Markup("<i>")}
        context = Context(app.jinja_env, seen, "shadow.html", {})
        return draw(app.jinja_env.from_string(SHADOW), context, (), before)

    before = drawn(None, "<1>")
    assert str(before) == '<p id="first">&lt;1&gt;a&lt;1&gt;<i></p><hr id="still">'
    assert str(drawn(before, "2")) == '<p id="first">2a2<i></p><hr id="still">'


def test_a_piece_that_cannot_be_known_is_refused_when_its_template_is_read(app: Flask) -> None:
    with pytest.raises(TemplateAssertionError, match="cannot see `loop`"):
        app.jinja_env.from_string("{% for n in all %}{% piece n %}{{ loop.index }}{% endpiece %}{% endfor %}")
    parsed = app.jinja_env.parse("{% macro tap(it) %}{{ it }}{{ code }}{{ table }}{% endmacro %}")
    assert why_not_alone(app.jinja_env, parsed) == "the macro tap looks beyond its arguments: table"
    parsed = app.jinja_env.parse('{% include "sitting/_now.html" %}')
    assert "stands alone" in why_not_alone(app.jinja_env, parsed)


def test_what_a_template_calls_is_called_at_once_unless_it_asks_where_it_is(app: Flask) -> None:
    templates = app.jinja_env.overlay()
    templates.globals = {**templates.globals, "plain": lambda *given, **more: (given, more)}
    templates.globals["where"] = pass_context(lambda context, name: context[name])

    def drawn(text: str, **given: Any) -> str:
        return templates.from_string(text).render(given)

    assert "context.call" not in templates.compile("{{ plain(1, two=2) }}", raw=True)
    assert "context.call" in templates.compile("{{ where('x') }}", raw=True)
    assert drawn("{{ plain(1, two=2) | string | safe }}") == "((1,), {'two': 2})"
    assert (
        drawn("{{ plain(*few, **more) | string | safe }}", few=[1], more={"class": 2})
        == "((1,), {'class': 2})"
    )
    assert drawn("{{ where('x') }}", x="here") == "here"
    macro = (
        "{% macro tag(it, kind='b') %}<{{ kind }}>{{ it }}{{ caller() if caller }}</{{ kind }}>{% endmacro %}"
    )
    assert drawn(macro + "{{ tag('<') }}{{ tag(it=1, kind='i') }}") == "<b>&lt;</b><i>1</i>"
    assert drawn(macro + "{% call tag('>') %}<hr>{% endcall %}") == "<b>&gt;<hr></b>"


def test_what_is_not_so_or_not_there_is_nothing(app: Flask) -> None:
    templates = app.jinja_env
    assert (
        templates.from_string("[{{ 'x' if no }}{{ gone }}{{ ('x' if no) or 'y' }}]").render(no=False) == "[y]"
    )
    part = templates.from_string("[{{ gone }}{{ here }}]")
    assert draw(part, context(templates, {"here": 1}), (), None).html == "[1]"


def test_seats_that_change_places_are_drawn_as_a_whole(app: Flask, ada: Handset, code: str) -> None:
    before = drawing(app, code, "table")
    ada.tap(code, "move_seat", role="host", seat=3, way="up")
    how, html = parts_of(drawing(app, code, "table").since(before))["seats"]
    assert how == "innerMorph"
    assert list(children(html)) == ["seat-1", "seat-3", "seat-2"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("count"), st.integers(1, 5), st.integers(-3, 3)),
        st.tuples(st.just("take_back"), st.integers(1, 12), st.just(0)),
        st.tuples(st.just("put_back"), st.integers(1, 12), st.just(0)),
        st.tuples(st.sampled_from(["next_round", "end_game", "play_on"]), st.integers(1, 3), st.just(0)),
        st.tuples(st.sampled_from(["add_seat", "remove_seat", "rename_seat"]), st.integers(1, 5), st.just(0)),
        st.tuples(st.sampled_from(["up", "down"]), st.integers(1, 5), st.just(0)),
        st.tuples(
            st.sampled_from(["add_counter", "remove_counter", "rename_counter"]),
            st.integers(1, 3),
            st.just(0),
        ),
        st.tuples(
            st.sampled_from(["lowest", "join", "ask", "admit", "leave", "sit"]), st.integers(1, 4), st.just(0)
        ),
    ),
    max_size=14,
)


def step(ada: Handset, code: str, what: str, one: int, two: int) -> None:
    """Something that may happen at a table; it may also be refused, and that is fine."""
    form = {"seat": one, "entry": one, "after": one, "phone": one, "seats": one, "name": f"Name {one}"}
    others = {
        "up": ("move_seat", {"way": "up"}),
        "down": ("move_seat", {"way": "down"}),
        "lowest": ("choose_rule", {"rule": "who-wins", "choice": "lowest"}),
        "count": ("count", {"counter": "1", "by": two, "round": 1}),
        "leave": ("remove_phone", {}),
        "sit": ("take_seats", {}),
    }
    if what == "join":
        Handset(ada.app).join(code)
    elif what == "ask":
        Handset(ada.app).post(f"/j/{code}", {"tap": secrets.token_hex(8), "label": f"Name {one}"})
    else:
        command, more = others.get(what, (what, {"counter": str(one)}))
        host = right(ada.app.extensions["play"].games["any-game"].by_name[command]) == "host"
        ada.post(
            f"/s/{code}/{'host' if host else 'do'}/{command}", {"tap": secrets.token_hex(8), **form, **more}
        )


@settings(
    max_examples=12,
    deadline=None,
    phases=[
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ],  # fourteen steps need no shrinking, and it takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS, gaps=st.integers(1, 4))
def test_change_after_change_shows_what_a_whole_drawing_shows(
    app: Flask, ada: Handset, steps: list[tuple[str, int, int]], gaps: int
) -> None:
    """A phone that heard every change, one that slept through some, and one that just came see the same."""
    code = ada.open("Ada", "Bob", "Cleo")
    last = {page: drawing(app, code, page) for page in PAGES}
    shown = {page: Shown(page).swap(last[page].whole()) for page in PAGES}
    for number, (what, one, two) in enumerate(steps):
        step(ada, code, what, one, two)
        if number % gaps == 0 or number == len(steps) - 1:
            for page in PAGES:
                now = drawing(app, code, page)
                shown[page].swap(now.since(last[page]))
                last[page] = now
                sitting = app.extensions["play"].show(code)
                fresh = Screen(app.extensions["parts"]).drawing(sitting, page)
                assert now.whole() == fresh.whole(), "what was kept is not what would be drawn now"
                assert shown[page].read() == Shown(page).swap(fresh.whole()).read(), what


def test_the_page_itself_shows_what_the_parts_show(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code, 2, 5)
    for page, path in (("table", ""), ("display", "/display"), ("people", "/people"), ("log", "/log")):
        html = ada.get(f"/s/{code}{path}").text
        assert (" data-yours" in html) == (page not in ("display", "log")), "what is hers is marked already"
        assert ("is-host" in html, "watches" in html) == (True, page == "display")
        html = html.replace(" data-yours", "")
        drawn = drawing(app, code, page)
        assert f'data-version="{drawn.version}"' in html
        for id, part in drawn.parts.items():
            assert str(part).strip() in html, id
            assert html.count(f'id="{id}"') == 1
        for group, each in drawn.groups.items():
            assert html.count(f'id="{group}"') == 1
            for child in each.values():
                assert str(child) in html


def test_the_same_drawing_goes_to_every_phone(phone: Phones, ada: Handset, code: str) -> None:
    bob, cleo = phone().join(code, 2), phone().join(code)
    for page in PAGES:
        drawn = {each.get(f"/s/{code}/parts/{page}").data for each in (ada, bob, cleo)}
        assert len(drawn) == 1


def test_every_line_of_the_evening_is_in_the_log_and_the_newest_on_the_table(ada: Handset, code: str) -> None:
    taps = 2 * LOG_PAGE + 10
    for by in range(1, taps):
        ada.count(code, by=by)
    page = ada.get(f"/s/{code}/log").text
    everything = lines_in(page)
    while more := re.search(r'hx-get="([^"]*/log/before/\d+)"', page):
        page = ada.get(more[1]).text
        assert len(lines_in(page)) <= LOG_PAGE
        everything += lines_in(page)
    assert everything == [f"line-{n}" for n in range(taps, 0, -1)]
    assert lines_in(ada.get(f"/s/{code}").text) == everything[:LINES]


def lines_in(page: str) -> list[str]:
    return re.findall(r'<li id="(line-\d+)"', page)


def test_a_line_among_the_earlier_ones_is_fetched_as_it_is_now(ada: Handset, code: str) -> None:
    ada.count(code)
    assert "Take back" in ada.get(f"/s/{code}/log/2").text
    ada.tap(code, "take_back", entry=2)
    assert "Put back" in ada.get(f"/s/{code}/log/2").text
    assert ada.get(f"/s/{code}/log/99").status_code == 422
    assert ada.get(f"/s/{code}/log/before/0").status_code == 200


def test_a_line_says_when_by_whom_for_whom_and_what_came_of_it(ada: Handset, code: str) -> None:
    ada.count(code, 2, -2)
    line = children(ada.get(f"/s/{code}/log").text)["line-2"]
    assert re.search(r'data-at="\d{13}"', line)
    words = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", line)))
    for word in ("Ada", "Bob", "−2 Points", "now −2"):
        assert word in words


def test_forms_are_fetched_and_what_they_say_can_be_sent(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code, 2, 5)
    page = ada.get(f"/s/{code}/parts/table").text
    forms = set(re.findall(rf'hx-get="/s/{code}/form/([\w-]+)"', page))
    forms |= set(re.findall(r'id="([\w-]+)" data-form', page))  # of a cell, which is called what its form is
    assert {"new-counter", "counter-1", "cell-1-2-1"} <= forms
    for form in forms:
        assert ada.get(f"/s/{code}/form/{form}").status_code == 200
    cell = ada.get(f"/s/{code}/form/cell-1-2-1").text
    assert "data-focus" in cell, "what is typed first has the cursor"
    action = re.search(r'action="([^"]+)"', cell)
    assert action
    fields = dict(re.findall(r'<input[^>]*name="(\w+)" value="([^"]*)"', cell))
    assert fields == {"seat": "2", "counter": "1", "round": "1", "to": "5"}
    assert ada.post(action[1], fields | {"to": "8", "tap": "a-correction"}).status_code == 201
    assert total(app, code, 2) == 8


def test_what_may_stay_empty_says_so_and_may(app: Flask, ada: Handset, code: str) -> None:
    form = ada.get(f"/s/{code}/form/new-counter").text
    name, start = re.findall(r"<label>.*?</label>", form, re.DOTALL)
    assert "may stay empty" in start
    assert "required" not in start
    assert "may stay empty" not in name
    assert "required" in name
    assert ada.tap(code, "add_counter", name="Gold", start="").status_code == 201
    refused = ada.tap(code, "add_counter", name="", start="")
    assert refused.json == {"refused": "A name needs at least one visible character."}


def test_a_slip_in_a_form_is_named_as_the_form_names_it(ada: Handset, code: str) -> None:
    refused = ada.tap(code, "add_counter", name="Gold", start=10**7)
    assert refused.json == {"refused": "“Starts at” can be at most 999999."}


def test_a_form_that_is_gone_says_so(ada: Handset, code: str) -> None:
    answer = ada.get(f"/s/{code}/form/cell-9-9-9")
    assert answer.status_code == 422
    assert "That cannot be changed here any more." in answer.text


def test_every_button_on_every_page_leads_to_a_command_that_there_is(
    app: Flask, ada: Handset, code: str
) -> None:
    ada.count(code)
    Handset(app).post(f"/j/{code}", {"tap": "dov-knocks", "label": "Dov"})
    commands = app.extensions["play"].games["any-game"].by_name
    found = set()
    for path in ("", "/people", "/display", "/log", "/chair/1", "/form/counter-1", "/form/new-counter"):
        for command in re.findall(rf'"/s/{code}/do/(\w+)"', ada.get(f"/s/{code}{path}").text):
            assert command in commands
            found.add(command)
    assert {
        "count",
        "admit",
        "remove_phone",
        "move_seat",
        "change_seat",
        "lock_joining",
    } <= found


# --- the stream ---


class Listener:
    """A phone at the end of a real wire, read as the server wrote it."""

    def __init__(self, streams: Streams, code: str, page: str, phone: int = 0) -> None:
        self.near, far = socket.socketpair()
        self.near.setblocking(False)
        _, version = streams.first(streams.play.show(code), page, "")
        streams.attach(code, page, far, version, phone)

    def heard(self) -> str:
        """Everything since the last time; the frames of chunked transfer are taken off."""
        try:
            data = self.near.recv(1 << 20)
        except BlockingIOError:
            return ""
        message = b""
        while data:
            size, _, data = data.partition(b"\r\n")
            message, data = message + data[: int(size, 16)], data[int(size, 16) + 2 :]
        return message.decode()

    def hung_up(self) -> bool:
        try:
            return self.near.recv(1 << 20) == b""
        except BlockingIOError:
            return False


@pytest.fixture
def listen(app: Flask, code: str) -> Any:
    streams, lines = app.extensions["streams"], []

    def listening(page: str = "table", phone: int = 0) -> Listener:
        lines.append(Listener(streams, code, page, phone))
        return lines[-1]

    yield listening
    streams.close()
    for line in lines:
        line.near.close()


def html_of(message: str) -> str:
    return "\n".join(line.removeprefix("data: ") for line in message.split("\n") if line.startswith("data: "))


def test_the_first_word_of_a_stream_is_the_whole_page_or_a_beat(app: Flask, ada: Handset, code: str) -> None:
    ada.count(code)
    first = ada.get(f"/s/{code}/live/table")
    assert first.content_type.startswith("text/event-stream")
    hello = f"event: edition\ndata: {app.extensions['shell'].edition}\n\n"
    assert first.text.startswith(f"{hello}id: 0-2\ndata: <hx-partial")
    assert first.text.endswith("\n\n")
    whole = drawing(app, code, "table").whole()
    assert html_of(first.text.removeprefix(hello)) == "\n".join(whole.splitlines())
    again = ada.get(f"/s/{code}/live/table", headers={"Last-Event-ID": "1-2"})
    assert again.text == f"{hello}event: beat\ndata: 2\n\n"
    assert ada.get(f"/s/{code}/live/table", headers={"Last-Event-ID": "0-1"}).text == first.text


def test_other_phones_hear_only_what_changed_and_what_it_builds_on(
    app: Flask, listen: Any, ada: Handset, code: str
) -> None:
    table, people, display = listen(), listen("people"), listen("display")
    before = drawing(app, code, "table")
    ada.count(code, 2)
    message = table.heard()
    assert message.startswith("id: 1-2\n")
    assert html_of(message) == "\n".join(drawing(app, code, "table").since(before).splitlines())
    assert set(parts_of(html_of(display.heard()))) == {"seat-2-notes", "counter-2-1-n", "log"}
    assert people.heard() == "id: 1-2\ndata: \n\n"  # nothing to draw, but a version to know
    assert table.heard() == ""


def test_a_phone_that_taps_a_known_tap_again_wakes_nobody(listen: Any, ada: Handset, code: str) -> None:
    line = listen()
    ada.count(code, tap="ada-taps-1")
    assert line.heard()
    ada.count(code, tap="ada-taps-1")
    ada.count(code, by=0)
    assert line.heard() == ""


def test_a_tap_between_the_first_drawing_and_the_wire_is_not_missed(
    app: Flask, ada: Handset, code: str
) -> None:
    streams: Streams = app.extensions["streams"]
    near, far = socket.socketpair()
    with near:
        _, known = streams.first(streams.play.show(code), "table", "")
        ada.count(code)
        streams.attach(code, "table", far, known)
        assert b"id: 0-2\n" in near.recv(1 << 20)
        streams.close()


def test_another_table_is_another_stream(listen: Any, ada: Handset, code: str) -> None:
    line = listen()
    ada.count(ada.open("Ada", "Dov"))
    assert line.heard() == ""


def test_beats_are_spread_and_every_table_hears_one_in_each_round(
    app: Flask, listen: Any, ada: Handset, code: str
) -> None:
    streams: Streams = app.extensions["streams"]
    lines = [listen(), *(Listener(streams, ada.open("Ada", "Dov"), "table") for _ in range(5))]
    heard = []
    for _ in range(3):
        streams.beat(3)
        heard.append(sum("event: beat" in line.heard() for line in lines))
    assert heard == [2, 2, 2]
    for line in lines[1:]:
        line.near.close()


def test_a_removed_phone_hears_that_it_was_and_nothing_after(
    app: Flask, phone: Phones, listen: Any, ada: Handset, code: str
) -> None:
    phone().join(code, 2)
    bob, mine = listen(phone=2), listen(phone=1)
    ada.tap(code, "remove_phone", role="host", phone=2)
    assert 'data-number="2" data-role="gone"' in bob.heard()
    assert bob.hung_up()
    mine.heard()
    ada.count(code)
    assert mine.heard()
    assert not mine.hung_up()


def test_a_phone_that_vanished_is_dropped_without_a_word(
    app: Flask, listen: Any, ada: Handset, code: str
) -> None:
    line, gone = listen(), listen()
    gone.near.close()
    assert ada.count(code).status_code == 201
    assert ada.count(code).status_code == 201
    assert len(app.extensions["streams"]) == 1
    assert line.heard()


# --- the invitation ---


def qr_link(page: TestResponse) -> str:
    """What a phone reads off the page."""
    drawn = re.findall(r'<svg(?=[^>]*aria-label="QR code)[^>]*>.*?</svg>', page.text, re.S)
    assert len(drawn) == 1
    return scanned(painted(drawn[0]))


def shown_link(page: TestResponse) -> str:
    (link,) = re.findall(r'class="link"><a href="([^"]+)"', page.text)
    return unescape(link)


def test_the_qr_code_carries_the_address_that_the_hosts_browser_used(ada: Handset, code: str) -> None:
    headers = LAN | {"Cookie": cookie_of(ada)}
    for path in ("/people", "/display"):
        page = bare(ada).get(f"/s/{code}{path}", headers=headers)
        assert qr_link(page) == f"http://192.168.1.20:8000/j/{code}/{ada.secret(code)}"
        assert code in page.text
    people = bare(ada).get(f"/s/{code}/people", headers=headers)
    assert shown_link(people) == qr_link(people)


def test_what_the_qr_code_says_is_a_door_that_opens(phone: Phones, ada: Handset, code: str) -> None:
    link = urlsplit(qr_link(bare(ada).get(f"/s/{code}/people", headers=LAN | {"Cookie": cookie_of(ada)})))
    bob = phone()
    assert "Which one is you?" in bob.get(link.path).text
    assert bob.post(link.path, {"tap": "bob-joins"}).headers["Location"] == f"/s/{code}/seat"


@pytest.mark.parametrize(
    "used", ["localhost", "localhost:8000", "127.0.0.1:8000", "0.0.0.0:8000", "[::1]:8000"]
)
def test_the_qr_code_never_leads_a_phone_to_itself(ada: Handset, code: str, used: str) -> None:
    page = bare(ada).get(f"/s/{code}/people", headers={"Host": used, "Cookie": cookie_of(ada)})
    assert page.status_code == 200
    if "No address was found" in page.text:
        assert "QR code" not in page.text
        return
    host = urlsplit(qr_link(page)).hostname
    assert host
    assert not ip_address(host).is_loopback
    assert not ip_address(host).is_unspecified


def test_a_configured_public_url_comes_first_and_the_others_are_one_tap_away(
    app: Flask, ada: Handset, code: str
) -> None:
    app.config["PUBLIC_URL"] = "https://games.example.org/table/"
    headers, secret = LAN | {"Cookie": cookie_of(ada)}, ada.secret(code)
    page = bare(ada).get(f"/s/{code}/people", headers=headers)
    assert qr_link(page) == f"https://games.example.org/table/j/{code}/{secret}"
    assert 'href="?address=1"' in page.text
    other = bare(ada).get(f"/s/{code}/people?address=1", headers=headers)
    assert qr_link(other) == f"http://192.168.1.20:8000/j/{code}/{secret}"
    for forged in ("99", "-1", "x", ""):
        page = bare(ada).get(f"/s/{code}/people?address={forged}", headers=headers)
        assert qr_link(page).startswith("https://games.example.org/table/j/")


def test_a_name_that_is_not_ours_gets_a_sentence_and_nothing_else(
    app: Flask, phone: Phones, ada: Handset, code: str
) -> None:
    """A page on the internet may give its own name our address; what a browser then asks us is not for us."""
    bob = phone().join(code, 2)
    forged = {"Host": "evil.example", "X-Forwarded-Host": "localhost", "Cookie": cookie_of(bob)}
    tap = {"tap": "forged-tap", "seat": 1, "counter": "1", "by": 1, "round": 1}
    before = rows(app)
    answers = [
        bare(bob).get(f"{path}", headers=forged)
        for path in ("/", "/join?code=" + code, f"/j/{code}", f"/s/{code}", f"/s/{code}/people", "/healthz")
    ]
    answers += [
        bare(bob).post(f"/s/{code}/do/count", data=tap, headers=forged | {"Origin": origin})
        for origin in ("http://evil.example", "http://localhost")
    ]
    for answer in answers:
        assert answer.status_code == 421
        assert "does not go by that name" in answer.text
        assert "Bob" not in answer.text
        assert "Location" not in answer.headers
    assert rows(app) == before


@pytest.mark.parametrize("own", ["localhost", "LOCALHOST:8000", "127.0.0.1", "[::1]:8000", "den.local:8000"])
def test_names_that_only_this_house_can_give_are_ours(ada: Handset, code: str, own: str) -> None:
    assert bare(ada).get(f"/j/{code}", headers={"Host": own}).status_code == 200


def test_a_stranger_with_a_typed_code_never_sees_the_secret(phone: Phones, ada: Handset, code: str) -> None:
    dov, secret = phone(), ada.secret(code)
    doors = [dov.get(f"/j/{code}"), dov.get(f"/j/{code}/wrong"), dov.get(f"/s/{code}", follow_redirects=True)]
    doors.append(dov.post(f"/j/{code}", {"tap": "dov-knocks", "label": "Dov"}))
    doors += [dov.get(f"/s/{code}/waiting"), dov.get(f"/s/{code}/people"), dov.get(f"/s/{code}/display")]
    doors += [dov.get(f"/s/{code}/parts/people"), dov.get(f"/s/{code}/live/people"), dov.get("/")]
    for answer in doors:
        assert secret not in answer.text + str(answer.headers)
        assert "QR code to join" not in answer.text


def test_the_secret_is_not_in_what_is_pushed(app: Flask, ada: Handset, code: str) -> None:
    for page in PAGES:
        assert ada.secret(code) not in drawing(app, code, page).whole()
        assert ada.secret(code) not in ada.get(f"/s/{code}/live/{page}").text


def test_the_line_under_the_qr_code_says_who_has_a_phone_and_turns_green_when_all_have(
    phone: Phones, ada: Handset, code: str
) -> None:
    arrivals = lambda: parts_of(ada.get(f"/s/{code}/parts/people").text)["arrivals"][1]  # noqa: E731
    words = lambda: " ".join(re.sub(r"<[^>]+>", "", arrivals()).split())  # noqa: E731
    phone().post(f"/j/{code}", {"tap": "dov-knocks", "label": "Dov"})
    assert words() == "Here: Ada. No phone yet: Bob, Cleo"  # knocking is not arriving
    assert "arrived" not in arrivals()
    phone().join(code, 2, 3)
    assert "arrived" in arrivals()
    assert words() == "Everyone has a phone here"


def cookie_of(phone: Handset) -> str:
    cookie = phone.client.get_cookie("phone")
    assert cookie
    return f"phone={cookie.value}"


def bare(phone: Handset) -> Any:
    """A client that keeps no cookies, so that a test can say what Host it speaks to."""
    return phone.app.test_client(use_cookies=False)


# --- for whoever runs it ---


def test_the_servers_log_names_the_table_its_version_and_what_failed(
    app: Flask, ada: Handset, code: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = app.extensions["play"].show(code).version

    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    monkeypatch.setattr(app.extensions["play"].store, "append", full)
    assert ada.tap(code, "count", seat=1, counter="1", by=1, round=1).status_code == 503
    where = f"POST sitting.do count at table {code}, version {version}"
    assert f"{where}: not saved: the disk is full" in caplog.text


def test_a_hosts_tap_that_waited_since_an_older_version_still_arrives(
    app: Flask, ada: Handset, code: str
) -> None:
    for way in ("host", "do"):
        assert ada.tap(code, "add_seat", role=way, name=f"By {way}").status_code == 201
    assert [seat.name for seat in app.extensions["play"].show(code).table.seats][-2:] == ["By host", "By do"]


def test_whoever_draws_looks_up_after_six_milliseconds(
    app: Flask, phone: Callable[[], Handset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it draws on: taps that come meanwhile share a trip to the disk. After that they go first."""
    streams, ada, pauses = app.extensions["streams"], phone(), []
    codes = [ada.open("Ada", "Bob") for _ in range(12)]
    for code in codes:
        streams.attach(code, "table", Deaf(), 1, 1)
    clock = iter(range(100))
    monkeypatch.setattr(stream, "clock", lambda: next(clock) * 0.0015)  # each drawing takes so long
    monkeypatch.setattr(stream, "PAUSE", lambda: pauses.append(len(drawn)))
    drawn = Deaf.heard = []
    monkeypatch.setattr(streams, "later", lambda paint: None)
    for code in codes:
        assert ada.count(code).status_code == 201
    streams.paint()
    assert len(drawn) == 12
    assert pauses == [5, 10]


class Deaf:
    """A stream whose phone takes everything."""

    heard: list[bytes]
    closed = staticmethod(lambda: None)

    def send(self, data: bytes, flags: int = 0) -> int:
        self.heard.append(data)
        return len(data)

    def gone(self) -> bool:
        return False

    def close(self) -> None:
        pass
