"""What each room on the shelf promises. A new room is tested here the day it appears."""

import dataclasses
import json
import re
import secrets
from pathlib import Path

import pytest
from at_the_table import Evening
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion import core
from companion.core import Context, Event, Journal, Refused, Seat, Verdict, View
from companion.core.command import parameters
from companion.core.decide import decide
from companion.core.event import dump, load
from companion.core.table import COLOURS, SYMBOLS
from companion.games import folder, shelf
from companion.sittings.play import OsLuck
from companion.tools import EVENTS
from companion.tools.hosting import HostHanded
from companion.tools.house_rules import choices_at_first
from companion.tools.phones import JoiningLocked, PhoneJoined, SeatsTaken, TappingLimited
from companion.tools.seats import SeatRenamed, SeatRepainted, SeatsReordered, StarterChosen
from companion.tools.teaching import LessonRead
from companion.web.marks import marks

GAMES = shelf()
CAST = ("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea")

pytestmark = pytest.mark.parametrize("slug", GAMES)


def sit(slug, number=0):
    """A table of this many, or of as few as the game takes."""
    game = GAMES[slug]
    return Evening(game, *CAST[: number or game.seats[0]])


def people(number):
    return [Seat(n, f"Player {n}", COLOURS[n % 12], SYMBOLS[n % 12]) for n in range(1, number + 1)]


def forms_of(view):
    yield from view.forms
    for sheet in view.sheets:
        for row in sheet.rows:
            yield from (cell.form for cell in row.cells if cell.form)


def counter_ids(view):
    return [counter.id for each in view.seats for counter in each.counters]


# --- the room ---


def test_the_room_says_what_it_is(slug):
    game = GAMES[slug]
    assert game.title.strip() == game.title != ""
    assert [other.title for other in GAMES.values()].count(game.title) == 1
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert folder(game).name == slug.replace("-", "_")
    assert len(game.accent) == 2
    assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in game.accent)
    icons = Path(__file__).parent.parent / "static" / "icons.svg"
    drawn = f'id="{game.symbol}"' in icons.read_text("utf-8") or game.symbol in marks(game)
    assert drawn, "its tile needs a symbol: one of everyone's icons, or one in its faces/marks.svg"


def test_it_takes_some_number_of_players_that_the_box_has_looks_for(slug):
    seats = GAMES[slug].seats
    assert len(seats) >= 1
    assert seats[0] >= 1
    assert seats[-1] <= len(COLOURS)


def test_commands_and_events_have_names_of_their_own_that_read_well(slug):
    game = GAMES[slug]
    for name in game.by_name:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name), "a command is an address: lower case, underscores"
    for name, kind in game.kinds.items():
        assert re.fullmatch(r"([A-Z][a-z]*)+", name)
        assert issubclass(kind, Event)
        assert dataclasses.is_dataclass(kind)
        assert kind.__dataclass_params__.frozen, f"{name} is a fact, so it is frozen"
    assert len(game.by_name) == len(game.commands)
    assert len(game.kinds) == len(game.events)


def test_every_table_has_the_tools_that_every_table_has(slug):
    game = GAMES[slug]
    assert set(EVENTS) <= set(game.events)
    assert {"take_back", "put_back", "take_seats", "add_seat", "draw_starter", "hand_host_on"} <= set(
        game.by_name
    )
    assert ("choose_rule" in game.by_name) == bool(game.house_rules)


def test_house_rules_default_to_one_of_their_own_readings(slug):
    game = GAMES[slug]
    ids = [rule.id for rule in game.house_rules]
    assert len(set(ids)) == len(ids)
    for rule in game.house_rules:
        choices = [choice for choice, _ in rule.choices]
        assert rule.default in choices
        assert len(set(choices)) == len(choices) > 1
        assert rule.question.endswith("?")
    assert choices_at_first(game, {}) == {rule.id: rule.default for rule in game.house_rules}


def test_rulings_have_ids_of_their_own(slug):
    ids = [ruling.id for ruling in GAMES[slug].rulings]
    assert len(set(ids)) == len(ids)


# --- sitting down ---


def test_every_number_of_players_it_takes_can_sit_down(slug):
    for number in range(1, 13):
        if number not in GAMES[slug].seats:
            with pytest.raises(Refused, match=GAMES[slug].players):
                sit(slug, number)
            continue
        evening = sit(slug, number)
        assert isinstance(evening.state, core.State), number
        assert [seat.name for seat in evening.table.seats] == list(CAST[:number])


def test_too_few_or_too_many_are_told_how_many_it_takes(slug, app):
    game = GAMES[slug]
    play = app.extensions["play"]
    for number in (game.seats[0] - 1, game.seats[-1] + 1):
        with pytest.raises(Refused) as refused:
            play.open(slug, secrets.token_hex(8), people(number), 1)
        assert str(refused.value) == f"{game.title} is for {game.players}; this table has {number}."
        assert str(game.seats[0]) in game.players
        assert str(game.seats[-1]) in game.players


def test_nobody_can_be_added_or_removed_beyond_what_it_takes(slug):
    game = GAMES[slug]
    full = sit(slug, game.seats[-1])
    with pytest.raises(Refused, match=f"{game.title} is for {game.players}"):
        full.do("add_seat", name="Max")
    few = sit(slug)
    with pytest.raises(Refused, match=f"{game.title} is for {game.players}"):
        few.do("remove_seat", seat="Ada")
    assert len(full.table.seats) == game.seats[-1]
    assert len(few.table.seats) == game.seats[0]


# --- looking ---


def test_everyone_sees_every_seat_in_order(slug):
    evening = sit(slug, GAMES[slug].seats[-1])
    view = evening.journal.game.view(evening.state)
    assert isinstance(view, View)
    assert [each.seat for each in view.seats] == list(evening.table.seats)
    assert view.phase.title


def test_looking_changes_nothing_and_shows_the_same_again(slug):
    evening = sit(slug)
    before = evening.state
    assert evening.view == evening.view
    assert evening.verdict == evening.verdict
    assert evening.state == before


def test_counters_have_ids_of_their_own_that_never_change(slug):
    evening = sit(slug, GAMES[slug].seats[-1])
    ids = counter_ids(evening.view)
    assert len(set(ids)) == len(ids)
    for id in ids:
        assert re.fullmatch(r"[A-Za-z][\w-]*", id), "it becomes the id of an element"
    evening.do("rename_seat", seat="Ada", name="Zoë")
    if len(evening.table.seats) > 1:
        evening.do("move_seat", seat="Zoë", way="down")
    assert sorted(counter_ids(evening.view)) == sorted(ids)


def test_whatever_is_offered_is_something_the_game_can_do(slug):
    evening = sit(slug)
    for do, asked in evening.view.taps():
        wanted = parameters(evening.journal.game.command(do.command))
        assert set(do.args) | set(asked) <= set(wanted)
        must = {name for name, (_, several, optional) in wanted.items() if not optional and not several}
        assert must <= set(do.args) | set(asked), f"{do.command} would always be refused"
        json.dumps(dict(do.args))


def test_every_form_has_an_id_of_its_own(slug):
    ids = [form.id for form in forms_of(sit(slug).view)]
    assert len(set(ids)) == len(ids)


def test_who_would_win_can_be_asked_at_once_and_the_game_goes_on(slug):
    for number in GAMES[slug].seats:
        verdict = sit(slug, number).verdict
        assert isinstance(verdict, Verdict)
        assert verdict.outcome == "continues"
        assert not verdict.final
        assert verdict.summary
        check_verdict(GAMES[slug], sit(slug, number).table, verdict)


def check_verdict(game, table, verdict):
    """A verdict names seats that are here, and rests on rulings and house rules that exist."""
    here = {seat.id for seat in table.seats}
    known = {
        *([] if game.rulings else [""]),
        *(ruling.id for ruling in game.rulings),
        *(rule.id for rule in game.house_rules),
    }
    assert isinstance(verdict, Verdict)
    assert {*verdict.winners, *verdict.leaders} <= here
    assert {step.because for step in verdict.steps} <= known
    assert verdict.final or not verdict.winners
    assert verdict.outcome != "win" or verdict.winners


def check_questions(game, key):
    """Whoever is in this phase finds what people ask in it."""
    if game.rulings:
        assert sum(key in ruling.phases for ruling in game.rulings) >= 3, key


# --- the table's own events ---


def test_who_comes_with_which_phone_is_none_of_the_games_business(slug):
    evening = sit(slug)
    room = evening.journal.game
    for event in (PhoneJoined(2, "Phone 2", "watcher"), SeatsTaken(2, (1,)), HostHanded(2)):
        assert room.evolve(evening.state, event) == evening.state
    for event in (JoiningLocked(True), TappingLimited(True), PhoneJoined(3, "Phone 3", "waiting")):
        assert room.evolve(evening.state, event) == evening.state


def test_the_room_never_changes_the_table_itself(slug):
    evening = sit(slug)
    room, table = evening.journal.game, evening.table
    changes = (
        SeatRenamed(1, "Zoë", "Ada"),
        SeatRepainted(1, "plum", "bell"),
        SeatsReordered(tuple(reversed([seat.id for seat in table.seats]))),
        StarterChosen(1),
    )
    for event in changes:
        moved = dataclasses.replace(evening.state, table=event.change(table))
        assert room.evolve(moved, event).table == moved.table


# --- rubbish ---

RUBBISH = [
    "",
    " ",
    "\0",
    "\ud83d",
    "\u202egnp",
    "abc",
    "-1",
    "0",
    "7.5",
    "1e9",
    "NaN",
    "null",
    "[]",
    "9" * 5000,
    "x" * 10_000,
]


def wrong_forms(asked, rubbish, turn):
    """All of it wrong, with more than was asked for, and a third of the fields wrong alone, others with other
    rubbish; or nothing at all."""
    if rubbish is None:
        return [{}, {"nonsense": ["1"]}]
    all_wrong = {each: [rubbish] for each in asked}
    if len(asked) < 2:
        return [all_wrong, {**all_wrong, "nonsense": ["1"]}]
    alone = asked[turn % 3 :: 3]
    one_wrong = [{each: [rubbish if each == wrong else "1"] for each in asked} for wrong in alone]
    return [{**all_wrong, "nonsense": ["1"]}, *one_wrong]


def test_every_command_answers_rubbish_with_a_sentence(slug):
    """Where text is asked for some of it is an answer; nowhere may it break anything.

    The tools read their words alike at every table: they hear all of it in the first room that has them, in
    the others only what a room's own state could answer.
    """
    evening = sit(slug)
    for number, (name, command) in enumerate(GAMES[slug].by_name.items()):
        first = next(each for each, game in GAMES.items() if command in game.commands)
        for turn, rubbish in enumerate([*RUBBISH, None] if slug == first else ("", "1e9", None), number):
            for form in wrong_forms(list(parameters(command)), rubbish, turn):
                before = evening.state, evening.journal.version
                try:
                    tap(evening, name, form, OsLuck())
                except Refused as why:
                    sentence = str(why)
                    assert sentence.endswith((".", ")")), (name, rubbish, sentence)
                    assert len(sentence) < 300, (name, rubbish)
                    assert (evening.state, evening.journal.version) == before, (name, rubbish)
                except Exception as error:
                    error.add_note(f"{name} was told {form!r:.300}")
                    raise
                else:
                    evening = sit(slug)  # the next one meets the table as it was


def test_no_command_that_asks_for_something_takes_rubbish_for_an_answer(slug):
    evening = sit(slug)
    for name, command in GAMES[slug].by_name.items():
        asked = parameters(command)
        if any(not optional for _, _, optional in asked.values()):
            for rubbish in ("", "\0", "\ud83d", "9" * 5000):
                with pytest.raises(Refused):
                    assert not tap(evening, name, {each: [rubbish] for each in asked}, OsLuck()), (
                        name,
                        rubbish,
                    )


def tap(evening, command, form, luck):
    """One tap by the host, with the form as it came."""
    context = Context(evening.now, luck, 1)
    events = decide(evening.journal, command, form, context)
    entry = core.Entry(evening.journal.version + 1, secrets.token_hex(8), "", 1, command, evening.now, events)
    evening.journal.add(entry)
    return entry


# --- a whole evening ---


class ThrownDice:
    """Luck that hypothesis draws, so that it can find the unlucky evening and make it short."""

    def __init__(self, data):
        self.data = data

    def roll(self, faces):
        return self.data.draw(st.integers(1, faces))

    def choose(self, among):
        return self.data.draw(st.sampled_from(list(among)))

    def shuffle(self, order):
        return tuple(self.data.draw(st.permutations(list(order))))


SAID = [
    "1",
    "2",
    "3",
    "-1",
    "3+6",
    "0",
    "99",
    "Ada",
    "Zoë",
    "yes",
    "no",
    "up",
    "down",
    *COLOURS[:2],
    "rubbish",
    "",
]


def something(data, evening):
    """Half the time what the page offers; else any command, with words it may have meant or any others."""
    game, on_the_page = evening.journal.game, list(evening.view.taps())
    if on_the_page and data.draw(st.booleans()):
        do, asked = data.draw(st.sampled_from(on_the_page))
        form = {name: [str(value)] for name, value in do.args.items()}
        return do.command, {**form, **{name: [data.draw(st.sampled_from(SAID))] for name in asked}}
    rules = [word for rule in game.house_rules for word in (rule.id, *dict(rule.choices))]
    form = {}
    name = data.draw(st.sampled_from(list(game.by_name)[::-1]))
    for asked in parameters(game.by_name[name]):
        meant = sorted({str(do.args[asked]) for do, _ in on_the_page if asked in do.args})
        form[asked] = [data.draw(st.sampled_from(meant or SAID) | st.sampled_from([*SAID, *rules]))]
    return name, form


@effort(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data())
def test_a_whole_evening_of_any_taps_never_breaks(slug, data):
    game = GAMES[slug]
    evening = sit(slug, data.draw(st.sampled_from(game.seats)))
    luck = ThrownDice(data)
    for _ in range(data.draw(st.integers(1, 20))):
        command, form = something(data, evening)
        before = evening.state, evening.journal.version
        try:
            tap(evening, command, form, luck)
        except Refused:
            assert (evening.state, evening.journal.version) == before
        check_verdict(game, evening.table, evening.verdict)
        assert [each.seat for each in evening.view.seats] == list(evening.table.seats)
        check_questions(game, evening.view.phase.key)
        ids = counter_ids(evening.view)
        assert len(set(ids)) == len(ids)
    book = json.dumps([[dump(event) for event in entry.events] for entry in evening.journal.entries])
    entries = [
        dataclasses.replace(entry, events=tuple(load(game.kinds, event) for event in stored))
        for entry, stored in zip(evening.journal.entries, json.loads(book), strict=True)
    ]
    again = Journal(game, entries)
    assert again.state == evening.state
    assert again.lines == evening.log
    told = zip(again.lines, entries, strict=True)
    silent = {type(event) for line, entry in told if not line.text for event in entry.events}
    assert silent <= {LessonRead}, "every tap can be read in the log"
