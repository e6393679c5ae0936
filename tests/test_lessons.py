"""What every room's lessons promise: each comes up, each is short, and nobody needs the manual to play."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from at_the_table import Evening
from full_games import CAST, first_game, first_games
from golden.make import GOLDEN, RESULT

from companion.core import Game, Journal, View
from companion.core.lessons import Lessons
from companion.core.pieces import Checklist, inside
from companion.core.plans import WIDE, Plan, Shape, sketch
from companion.evenings.archive import read
from companion.games import folder, shelf
from companion.tools.explained import _item, explained
from companion.tools.teaching import LEFT_OUT, MOST_WORDS, THIRTY, cards, left_out, shortened, taught

SHELF = shelf()
GAMES = {slug: game for slug, game in SHELF.items() if game.lessons}
SAID = 12  # words a card's title may have
LOUD = 80  # words that one reads out in thirty seconds
each_room = pytest.mark.parametrize("slug", GAMES)
#: What a manual has beside what one needs to know to play, and our own facts.
ASIDE = ("FAQ", "Facts", "What players asked", "Card data", "Silent in both")


def lessons(slug: str) -> Lessons:
    found = GAMES[slug].lessons
    assert found
    return found


def coverage(game: Game[Any]) -> list[dict[str, Any]]:
    file = folder(game) / "data" / "coverage.toml"
    points: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["point"] if file.exists() else []
    return points


def evenings(slug: str) -> Iterator[Journal]:
    """The whole game of the room, those that end all at once or are rare, and what is kept for ever."""
    yield from (table.journal for table in first_games(slug))
    for file in sorted((GOLDEN / slug).glob("*.json")):
        if not file.name.endswith((RESULT, "host-is-lost.json", "asked-for.json")):  # of every room alike
            yield read(SHELF, file.read_text("utf-8")).journal


@cache
def moments(slug: str) -> tuple[tuple[View, frozenset[str]], ...]:
    """What there was to see after each tap, and what had happened."""
    found = []
    for evening in evenings(slug):
        walk = Journal(evening.game)
        for entry in evening.entries:
            walk.add(entry)
            found.append(
                (walk.game.view(walk.state), frozenset(type(event).__name__ for event in entry.events))
            )
    return tuple(found)


def comes_up(slug: str, when: str, about: tuple[str, ...]) -> bool:
    return any(
        (when in happened or when in view.phase.at) and (not about or not view.in_play.isdisjoint(about))
        for view, happened in moments(slug)
    )


# --- when ---


@each_room
def test_every_lesson_is_about_something_that_happens(slug: str) -> None:
    for lesson in lessons(slug).book.lesson:
        assert lesson.when, lesson.id
        assert set(lesson.events) <= GAMES[slug].kinds.keys(), lesson.id
        for when in lesson.when:
            assert comes_up(slug, when, lesson.about), f"{lesson.id}: {when} never comes up"


@each_room
def test_every_lesson_comes_to_a_phone_in_a_game_of_the_room(slug: str) -> None:
    """Where nobody has played before, it is on some phone's screen."""
    came = {id for table in first_games(slug) for id in table.came}
    assert {lesson.id for lesson in lessons(slug).book.lesson} <= came


#: What is rare, and with which tap it happens.
RARE = (
    ("smash-up", "ties", {"begin_scoring"}),
    ("smash-up", "fifteen", {"score_base", "count_vp"}),
    ("smash-up", "level", {"end_turn"}),
    ("smash-up", "base-deck", {"replace_base"}),
    ("smash-up", "madness-gone", {"draw_madness"}),
    ("smash-up", "own-deck", {"end_turn"}),
    ("smash-up", "moved", {"lose_minion"}),
    ("tides-of-madness", "level", {"enter_round", "choose_card"}),
    ("tides-of-madness", "ninth", {"enter_round", "choose_card", "declare_suit"}),
    ("tides-of-madness", "last-round", {"choose_refresh"}),
    ("tides-of-madness", "lost", {"choose_bonus", "enter_round"}),
    ("tides-of-madness", "shared", {"enter_round"}),
    ("escape-the-dark-castle", "item-deck", {"reshuffle_items"}),
    ("escape-the-dark-castle", "boss", {"turn_card"}),
    ("escape-the-dark-castle", "dead", {"change_health"}),
    ("mountains-of-madness", "price", {"call_results"}),
    ("mountains-of-madness", "deck-short", {"no_reward"}),
    ("mountains-of-madness", "all-mad", {"resolve"}),
    ("mountains-of-madness", "level", {"no_reward"}),
    ("mountains-of-madness", "lost", {"pay_penalty"}),
    ("wisdom-of-cthulhu", "no-path", {"set_cards"}),
    ("wisdom-of-cthulhu", "may-evoke", {"advance_ritual"}),
    ("wisdom-of-cthulhu", "evocation", {"evoke"}),
    ("wisdom-of-cthulhu", "shared", {"close_turn"}),
)


@pytest.mark.parametrize(("slug", "lesson", "taps"), RARE)
def test_what_is_rare_is_taught_when_it_happens_and_not_before(
    slug: str, lesson: str, taps: set[str]
) -> None:
    came = {table.came[lesson] for table in first_games(slug) if lesson in table.came}
    assert came
    assert came <= taps
    bound = lessons(slug).by_id[lesson]
    assert bound.about or bound.events or all(":" in when for when in bound.when), "to more than a phase"


def test_no_other_card_speaks_of_a_tie_or_an_empty_deck() -> None:
    """Where that is a lesson of its own, it would have been taught too early."""
    rare = {(slug, lesson) for slug, lesson, _ in RARE}
    early = re.compile(r"\b(tie|ties|tied|level,|runs out|deck is empty|ninth)\b", re.IGNORECASE)
    for slug in GAMES:
        for each in lessons(slug).book.lesson:
            if (slug, each.id) not in rare:
                assert not early.search(f"{each.title} {each.words} {each.others}"), (slug, each.id)


@each_room
def test_a_lesson_that_nothing_brings_up_would_be_noticed(slug: str) -> None:
    assert not comes_up(slug, "no-such-phase", ())
    assert not comes_up(slug, "NoSuchEvent", ())


@each_room
def test_no_card_comes_where_nobody_may_speak(slug: str) -> None:
    quiet, game = set(lessons(slug).book.quiet), GAMES[slug]
    for when in quiet:
        assert comes_up(slug, when, ()), when
    table = first_game(slug)
    walk = Journal(game)
    for entry in table.journal.entries:
        walk.add(entry)
        view = walk.game.view(walk.state)
        if not view.phase.at.isdisjoint(quiet):
            assert cards(game, walk.state.table, view) == ()


@each_room
def test_each_card_comes_once_to_each_phone(slug: str) -> None:
    """It may lie there for a while, or wait for one more urgent; after its moment it does not come again."""
    shown: dict[tuple[int, str], list[int]] = {}
    walk, moment, was = Journal(GAMES[slug]), 0, None
    for entry in first_game(slug).journal.entries:
        walk.add(entry)
        view = walk.game.view(walk.state)
        moment, was = moment + (was != view.phase.title), view.phase.title
        for card in cards(walk.game, walk.state.table, view):
            shown.setdefault((card.phone, card.id), []).append(moment)
    assert {phone for phone, _ in shown} == {1, 2}, "both that play; the display is taught nothing"
    for phone in (1, 2):
        assert next(id for number, id in shown if number == phone) == THIRTY
    for card, moments in shown.items():
        assert moments[-1] - moments[0] <= len(set(moments)) - 1, card


@each_room
def test_three_cards_at_most_come_before_anything_is_touched(slug: str) -> None:
    for number in GAMES[slug].seats:
        table = Evening(GAMES[slug], *(f"{n} {CAST[n % 5]}" for n in range(number)))
        table.do("teach_everyone", on="yes")
        read = 0
        while due := cards(table.journal.game, table.table, table.view):
            table.do("read_lesson", lesson=due[0].id)
            read += 1
        assert 1 <= read <= 3, number


@each_room
def test_after_the_first_round_the_phones_say_that_this_was_one(slug: str) -> None:
    (one,) = [each for each in lessons(slug).book.lesson if each.round]
    assert "that was one" in one.title.casefold()
    assert one.id in taught(first_game(slug).table).met, "in the very first game"


@each_room
def test_at_the_end_the_phones_say_what_was_left_out(slug: str) -> None:
    table = first_game(slug)
    rest = left_out(lessons(slug), taught(table.table))
    told = [each for each in table.due if each.id == LEFT_OUT] or taught(table.table).has(1, LEFT_OUT)
    assert bool(told) == bool(rest and table.view.phase.final)


# --- what ---


@each_room
def test_a_card_is_short_enough_to_be_read_at_the_table(slug: str) -> None:
    book = lessons(slug).book
    for lesson in book.lesson:
        assert 1 <= len(lesson.words.split()) <= MOST_WORDS, (lesson.id, len(lesson.words.split()))
        assert len(lesson.title.split()) <= SAID
        assert lesson.words.endswith((".", "?", "!"))
        assert len(re.findall(r"[.!?](?: |$)", lesson.others)) == bool(lesson.others), (
            f"{lesson.id}: one sentence"
        )
        assert len(lesson.others.split()) <= 25, lesson.id
    assert 30 <= len(" ".join(book.thirty.words).split()) <= LOUD
    for line in book.setup:
        assert 3 <= len(line.words.split()) <= 25, line.item
        assert not line.words.endswith("."), "it is a line, not a paragraph"


@each_room
def test_a_card_about_a_ruling_says_as_many_of_its_sentences_as_fit(slug: str) -> None:
    for ruling in GAMES[slug].traps:
        words = shortened(ruling.answer)
        assert ruling.answer.startswith(words)
        assert words.endswith((".", "?", "!", ")"))
        first = re.split(r"(?<=\.) ", ruling.answer)[0]
        assert words == ruling.answer or words.startswith(first)
        assert len(words.split()) <= max(MOST_WORDS, len(first.split()))


@each_room
def test_lessons_rest_on_rulings_that_there_are(slug: str) -> None:
    assert lessons(slug).covered <= {ruling.id for ruling in GAMES[slug].rulings}
    if GAMES[slug].rulings:
        for lesson in lessons(slug).book.lesson:
            assert lesson.rulings, f"{lesson.id}: on what?"


@each_room
def test_what_is_often_played_wrong_is_taught_somewhere(slug: str) -> None:
    """In a lesson, in a line of the set-up, or by itself when its moment comes."""
    for ruling in GAMES[slug].traps:
        by_itself = any(comes_up(slug, when, ruling.about) for when in ruling.phases)
        assert ruling.id in lessons(slug).covered or by_itself, ruling.id


@each_room
def test_all_of_the_manual_that_one_needs_to_play_is_taught(slug: str) -> None:
    """A point that is only looked up says so in coverage.toml."""
    for point in coverage(GAMES[slug]):
        if point["where"].startswith(ASIDE) or point.get("looked_up"):
            continue
        assert not lessons(slug).covered.isdisjoint(point["rulings"]), point["where"]


@each_room
def test_little_of_the_manual_is_only_looked_up(slug: str) -> None:
    points = [each for each in coverage(GAMES[slug]) if not each["where"].startswith(ASIDE)]
    assert sum(bool(each.get("looked_up")) for each in points) <= len(points) / 3


# --- set-up ---


def setup_items(slug: str, number: int) -> list[str]:
    table = Evening(GAMES[slug], *(f"{n} {CAST[n % 5]}" for n in range(number)))
    view = table.view
    return [
        _item(tick)
        for each in inside((view.phase.first, view.phase.pieces, view.board))
        if isinstance(each, Checklist)
        for tick in each.ticks
    ]


@each_room
def test_every_line_of_the_set_up_says_what_the_thing_is_for(slug: str) -> None:
    used = set()
    for number in GAMES[slug].seats:
        for item in setup_items(slug, number):
            line = lessons(slug).line(item)
            assert line, item
            used.add(line.item)
    words = {line.item for line in lessons(slug).book.setup}
    later = {
        _item(t)
        for v, _ in moments(slug)
        for c in inside((v.phase.pieces,))
        if isinstance(c, Checklist)
        for t in c.ticks
    }
    assert words <= used | later, "a word for a line that is on no list"


@each_room
def test_the_plan_shows_where_it_goes_for_every_number_of_players(slug: str) -> None:
    for number in GAMES[slug].seats:
        table = Evening(GAMES[slug], *CAST[:number], *(f"Player {n}" for n in range(len(CAST), number)))
        known = table.view
        assert explained(table.journal.game, table.table, known) is known, "a table that knows the game"
        table.do("teach_everyone", on="yes")
        view = explained(table.journal.game, table.table, table.view)
        plans = [
            each
            for each in inside((view.phase.first, view.phase.pieces, view.board))
            if isinstance(each, Plan)
        ]
        assert bool(plans) == bool(setup_items(slug, number))
        for drawn in plans:
            fits(drawn)
            discs = [each for each in drawn.shapes if each.colour]
            assert len(discs) == number
            shown = {each.words for each in drawn.shapes}
            things = [each for each in lessons(slug).book.thing if not each.players or number in each.players]
            assert len([each for each in shown if each.isdigit()]) >= len(
                {each.item for each in things if each.item}
            )


@each_room
def test_every_drawing_is_used_and_fits(slug: str) -> None:
    known = lessons(slug).sketches
    used = {each.drawing for each in lessons(slug).book.lesson} - {""}
    assert used == known.keys()
    for each in known.values():
        fits(sketch("s", each.things, each.label, each.high))
        assert each.label


def fits(drawn: Plan) -> None:
    """All of it is on the paper, and no words lie on others."""
    said: list[tuple[float, float, float, float, str]] = []
    for each in drawn.shapes:
        left, top, right, bottom = _box(each)
        assert left >= -1, (drawn.label, each)
        assert top >= -1, (drawn.label, each)
        assert right <= WIDE + 1, (drawn.label, each)
        assert bottom <= drawn.high + 1, (drawn.label, each)
        if each.kind == "words":
            for a, b, c, d, other in said:
                over = left < c and a < right and top < d and b < bottom
                assert not over, f"{drawn.label}: “{each.words}” lies on “{other}”"
            said.append((left, top, right, bottom, each.words))


def _box(each: Shape) -> tuple[float, float, float, float]:
    if each.kind == "words":
        wide = len(each.words) * each.size * 0.5
        return each.x - wide / 2, each.y - each.size / 2, each.x + wide / 2, each.y + each.size / 2
    return each.x, each.y, each.x + each.wide, each.y + each.high


def test_what_a_room_would_teach_it_teaches() -> None:
    """A room may have no lessons; those that lie in its folder are not forgotten."""
    written = {slug for slug, game in SHELF.items() if (folder(game) / "data" / "lessons.toml").exists()}
    assert GAMES.keys() == written
