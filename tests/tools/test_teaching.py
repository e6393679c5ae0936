"""The phones teach the game: to whom, when, once; and nothing of it at a table that knows the game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.core import Refused
from companion.core.decide import Forbidden
from companion.core.event import dump
from companion.tools import teaching
from companion.tools.explained import explained
from companion.tools.teaching import cards, taught

TIDES = "tides-of-madness"


def due(table, phone=None):
    shown = {each.phone: each.id for each in cards(table.journal.game, table.table, table.view)}
    return shown if phone is None else shown.get(phone)


def first_game(sit_down):
    """Ada and Bob on a phone each; neither has played before."""
    table = sit_down(TIDES, "Ada", "Bob")
    table.do("take_seats", seats=[1])
    table.join("", 2)
    table.do("teach_everyone", on="yes")
    return table


def read_all(table):
    while due(table):
        phone, card = next(iter(due(table).items()))
        table.do("read_lesson", phone, lesson=card)


def choose(table, round, pick, adas, bobs):
    table.do("choose_card", 1, seat=1, round=round, pick=pick, card=adas)
    return table.do("choose_card", 2, seat=2, round=round, pick=pick, card=bobs)


def to_scoring(table):
    """Ada gains more Madness, so that she is asked."""
    ada = ("cthulhu", "azathoth", "deep-ones", "rlyeh", "necronomicon")
    bob = ("hastur", "unaussprechlichen-kulten", "yog-sothoth", "innsmouth", "miskatonic-university")
    for pick, (mine, theirs) in enumerate(zip(ada, bob, strict=True), 1):
        read_all(table)
        choose(table, 1, pick, mine, theirs)


def test_a_table_that_knows_the_game_hears_and_writes_nothing_of_it(sit_down):
    table = sit_down(TIDES, "Ada", "Bob")
    table.do("take_seats", seats=[1])
    table.join("", 2)
    choose(table, 1, 1, "cthulhu", "hastur")
    assert due(table) == {}
    assert teaching.TOOL not in table.table.tools
    seen = table.view
    assert explained(table.journal.game, table.table, seen) is seen
    written = {dump(event)["event"] for entry in table.journal.entries for event in entry.events}
    assert not written & {event.__name__ for event in teaching.EVENTS}


def test_the_game_in_thirty_seconds_comes_first_on_every_phone(sit_down):
    table = first_game(sit_down)
    assert due(table) == {1: "thirty", 2: "thirty"}
    table.do("read_lesson", 1, lesson="thirty")
    assert due(table) == {1: "cards", 2: "thirty"}


def test_a_display_is_taught_nothing_and_who_watches_reads_along(sit_down):
    table = first_game(sit_down)
    table.do("be_display", phone=table.join())
    cleo = table.join()
    assert due(table) == {1: "thirty", 2: "thirty", cleo: "thirty"}


def test_a_card_that_is_put_away_does_not_come_again(sit_down):
    table = first_game(sit_down)
    table.do("read_lesson", 1, lesson="thirty")
    assert due(table, 1) == "cards"
    table.do("read_lesson", 1, lesson="thirty")  # a thumb that came twice, or late, hears nothing of it
    assert due(table, 1) == "cards"
    with pytest.raises(Refused, match="no such lesson"):
        table.do("read_lesson", 2, lesson="no-such-lesson")


def test_each_phone_switches_it_off_and_on_for_itself(sit_down):
    table = first_game(sit_down)
    table.do("teach_me", 2, on="no")
    assert due(table) == {1: "thirty"}
    with pytest.raises(Refused, match="so already"):
        table.do("teach_me", 2, on="no")
    table.do("teach_me", 2, on="yes")
    assert due(table, 2) == "thirty"


def test_one_phone_alone_may_want_to_be_taught(sit_down):
    table = sit_down(TIDES, "Ada", "Bob")
    table.join("", 2)
    table.do("teach_me", 2, on="yes")
    assert due(table) == {2: "thirty"}


def test_only_the_host_switches_it_for_all_and_then_it_is_so_for_all(sit_down):
    table = first_game(sit_down)
    table.do("teach_me", 2, on="no")
    with pytest.raises(Forbidden):
        table.do("teach_everyone", 2, on="no")
    table.do("teach_everyone", on="yes")
    assert due(table) == {1: "thirty", 2: "thirty"}
    table.do("teach_everyone", on="no")
    assert due(table) == {}


def test_what_was_not_put_away_counts_as_read_once_its_moment_is_over(sit_down):
    """On the phone that tapped; on another only if there was time to read it."""
    table = first_game(sit_down)
    to_scoring(table)
    assert due(table) == {1: "scoring", 2: "scoring"}
    table.do("choose_bonus", 1, seat=1, round=1, choice="points")
    assert due(table) == {1: "one-round", 2: "one-round"}
    assert taught(table.table).has(1, "scoring")
    assert not taught(table.table).has(2, "scoring"), "Ada was quick; Bob reads it after the next round"


def test_a_tap_that_is_taken_back_takes_its_lesson_back(sit_down):
    table = first_game(sit_down)
    to_scoring(table)
    table.now += 20_000
    table.do("choose_bonus", 1, seat=1, round=1, choice="points")
    assert taught(table.table).has(2, "scoring")
    table.do("take_back", 1, entry=table.journal.version)
    assert due(table) == {1: "scoring", 2: "scoring"}


def test_who_decides_gets_the_card_and_the_other_a_sentence(sit_down):
    table = first_game(sit_down)
    read_all(table)
    to_scoring(table)
    for phone in (1, 2):
        table.do("read_lesson", phone, lesson="scoring")
    assert due(table) == {1: "bonus", 2: "bonus~"}
    shown = {each.phone: each for each in cards(table.journal.game, table.table, table.view)}
    assert not shown[1].brief
    assert shown[2].brief
    assert len(shown[2].words[0].split()) < len(shown[1].words[0].split())


def test_who_has_read_the_card_needs_no_sentence_when_another_acts(sit_down):
    table = first_game(sit_down)
    to_scoring(table)
    read_all(table)
    assert taught(table.table).has(1, "bonus")
    table.do("choose_bonus", 1, seat=1, round=1, choice="points")
    play = ((1, "cthulhu", "rlyeh"), (2, "hastur", "innsmouth"))
    for seat, kept, gone in play:
        table.do("choose_refresh", seat, seat=seat, round=1, what="kept", card=kept)
        table.do("choose_refresh", seat, seat=seat, round=1, what="discarded", card=gone)
    ada = ("azathoth", "elder-things", "mountains-of-madness", "unaussprechlichen-kulten", "nyarlathotep")
    bob = ("necronomicon", "yog-sothoth", "miskatonic-university", "deep-ones", "dagon")
    for pick, (mine, theirs) in enumerate(zip(ada, bob, strict=True), 1):
        read_all(table)
        choose(table, 2, pick, mine, theirs)
    assert due(table) == {2: "bonus"}, "Bob is asked now; Ada was in round 1"


def test_a_card_that_lies_face_down_stays_its_owners_own(sit_down):
    """What a tap teaches must not make a sealed choice one that anybody takes back."""
    table = first_game(sit_down)
    choose(table, 1, 1, "cthulhu", "hastur")
    table.now += 20_000
    entry = table.do("choose_card", 1, seat=1, round=1, pick=2, card="azathoth")
    assert all(event.owned for event in entry.events)
    with pytest.raises(Forbidden, match="Only who has chosen"):
        table.do("take_back", 2, entry=entry.version)


def test_putting_a_card_away_is_nothing_to_undo_and_no_line_of_the_log(sit_down):
    table = first_game(sit_down)
    before = table.journal.last(1)
    table.do("read_lesson", 1, lesson="thirty")
    assert table.journal.last(1) == before
    assert table.log[-1].text == ""


def test_what_is_often_played_wrong_comes_by_itself_one_in_a_moment(sit_down):
    table = first_game(sit_down)
    read_all(table)
    to_scoring(table)
    assert [each.id for each in teaching.traps(table.journal.game, table.view)] == [
        "necronomicon-count",
        "miskatonic-on-top",
    ], "those that are about what lies there, and that no lesson speaks of"
    table.do("teach_me", 1, on="no")
    table.do("read_lesson", 2, lesson="scoring")
    table.do("read_lesson", 2, lesson="bonus~")
    assert due(table) == {}, "Bob has just read something, and Ada is to act"
    game, seen = table.journal.game, table.view
    fresh = replace(
        taught(table.table), last={}, chosen={}, read={1: frozenset({"thirty", "scoring", "bonus"})}
    )
    (card, _) = cards(game, replace(table.table, tools={teaching.TOOL: fresh}), seen)
    assert (card.id, card.trap, card.ruling) == ("!necronomicon-count", True, "necronomicon-count")


def test_set_up_says_what_a_thing_is_for_and_where_it_goes(sit_down):
    table = first_game(sit_down)
    seen = explained(table.journal.game, table.table, table.view)
    todo, plan = seen.phase.first
    assert [tick.number for tick in todo.ticks] == ["1", "2", "3", "4"]
    assert all(tick.why for tick in todo.ticks)
    assert [tick.do for tick in todo.ticks] == [tick.do for tick in table.view.phase.first[0].ticks]
    assert plan.pieces[0].label.startswith("The table for 2: ")
