"""What an evening was: told from its journal alone, for every room on the shelf."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from evenings import SEEDS, wild_evening

from companion.core import Journal, Verdict
from companion.core.scores import START
from companion.evenings.recap import lasted, recap
from companion.tools.dice import dice
from companion.tools.timer import TimerStopped
from companion.web.charts import bar_chart, history_chart, score_chart


def told(evening):
    return recap("K7PQ4M", evening.journal)


def rounds(evening, *by_round):
    """Everyone's points, round by round."""
    for number, points in enumerate(by_round, 1):
        for seat, by in zip(evening.table.seats, points, strict=True):
            if by:
                evening.do("count", seat=seat.id, counter="1", by=by, round=number)
        if number < len(by_round):
            evening.do("next_round", after=number)
    return evening


@pytest.fixture
def evening(sit_down):
    evening = sit_down("any-game", "Ada", "Bob", "Cleo")
    return rounds(evening, (3, 5, 1), (6, 1, 0), (2, 9, 4), (5, 3, 3))


# --- the result ---


def test_places_are_by_score_and_the_winner_is_first(evening):
    evening.do("end_game")
    places = [(place.rank, place.seat.name, place.total, place.winner) for place in told(evening).places]
    assert places == [(1, "Bob", 18, True), (2, "Ada", 16, False), (3, "Cleo", 8, False)]


def test_where_the_lowest_wins_the_lowest_is_first(evening):
    evening.do("choose_rule", rule="who-wins", choice="lowest")
    evening.do("end_game")
    assert [place.seat.name for place in told(evening).places] == ["Cleo", "Ada", "Bob"]


def test_equal_scores_share_a_place(sit_down):
    evening = rounds(sit_down("any-game", "Ada", "Bob", "Cleo"), (4, 2, 4))
    evening.do("end_game")
    assert [(p.rank, p.winner) for p in told(evening).places] == [(1, True), (1, True), (3, False)]


def test_whoever_wins_by_something_else_than_points_is_first_all_the_same(evening):
    cleo = Verdict("win", "Cleo wins: the others are lost.", (3,))
    places = replace(told(evening), verdict=cleo).places
    assert [(place.rank, place.seat.name) for place in places] == [
        (None, "Cleo"),  # 1 beside 8 points and 2 beside 18 would not agree
        (None, "Bob"),
        (None, "Ada"),
    ]


def test_where_nobody_won_nobody_has_a_rank(evening):
    nobody = Verdict("no_winner", "All three are lost. Nobody wins.")
    places = replace(told(evening), verdict=nobody).places
    assert [(place.rank, place.seat.name) for place in places] == [
        (None, each) for each in ("Ada", "Bob", "Cleo")
    ]


def test_a_game_that_stops_before_its_end_says_so(evening):
    before = told(evening)
    assert not before.finished
    evening.do("end_sitting")
    after = told(evening)
    assert after.finished
    assert after.headline == "We stopped here. If we ended now, Bob would win with 18 Points."
    assert not any(place.winner for place in after.places)


def test_the_evening_is_as_long_as_the_game_was_not_as_the_journal(evening):
    evening.now += 50 * 60_000
    evening.do("end_game")
    over = evening.log[-1].at
    evening.now += 24 * 3600_000
    evening.do("end_sitting")
    recapped = told(evening)
    assert recapped.over_at == over
    assert recapped.minutes == 50


def test_minutes_read_like_a_clock():
    assert [lasted(each) for each in (1, 59, 60, 61, 125)] == [
        "1 min",
        "59 min",
        "1 h",
        "1 h 1 min",
        "2 h 5 min",
    ]


# --- scores by round ---


def test_every_round_has_a_column_of_what_everyone_had_by_then(evening):
    assert told(evening).columns == {
        "Round 1": {1: 3, 2: 5, 3: 1},
        "Round 2": {1: 9, 2: 6, 3: 1},
        "Round 3": {1: 11, 2: 15, 3: 5},
        "Round 4": {1: 16, 2: 18, 3: 8},
    }
    chart = told(evening).chart
    assert (chart.by, chart.labels) == ("Round", ("Start", "1", "2", "3", "4"))
    assert chart.lines[0][1] == (0, 3, 9, 11, 16)


def test_a_correction_reaches_the_round_it_belongs_to(evening):
    evening.do("correct", seat="Cleo", counter="1", round=1, to=10)
    assert [totals[3] for totals in told(evening).columns.values()] == [10, 10, 14, 17]


def test_what_was_taken_back_was_never_scored(evening):
    entry = evening.do("count", seat="Ada", counter="1", by=90, round=4)
    evening.do("take_back", entry=entry.version)
    assert told(evening).columns["Round 4"][1] == 16
    assert "90" not in told(evening).text
    assert told(evening).taken_back == 1


def test_without_rounds_every_change_is_a_step(sit_down):
    evening = sit_down("any-game", "Ada", "Bob")
    for by in (1, 2, 3):
        evening.do("count", seat="Ada", counter="1", by=by, round=1)
    assert told(evening).chart.lines[0][1] == (0, 1, 3, 6)


def test_a_long_evening_without_rounds_is_drawn_in_few_steps(sit_down):
    evening = sit_down("any-game", "Ada")
    for _ in range(500):
        evening.do("count", seat="Ada", counter="1", by=1, round=1)
    assert 30 < len(told(evening).chart.labels) <= 62
    assert told(evening).chart.lines[0][1][-1] == 500


# --- turning points, luck, rules ---


def moments(evening):
    return [f"{each.when}: {each.text}" for each in told(evening).moments]


def test_turning_points_are_who_took_the_lead_and_the_biggest_step(evening):
    evening.do("end_game")
    assert moments(evening) == [
        "Round 2: Ada takes the lead from Bob, 9 to 6",
        "Round 3: Bob takes the lead from Ada, 15 to 11",
        "Round 3: Bob +9 Points, the biggest step of the evening",
    ]
    assert told(evening).decided == "Bob took the lead in round 3 and won by 2."


@pytest.mark.parametrize(
    ("played", "decided"),
    [
        ([(3, 1), (3, 1)], "Ada was ahead all the way and won by 4."),
        ([(3, 1), (0, 3), (3, 0)], "Ada took the lead in round 3 and won by 2."),
        ([(3, 1)], "Ada won by 2."),
        ([(2, 2)], ""),  # nobody is behind the two who share it
    ],
)
def test_one_sentence_says_what_decided_it_and_never_what_was_taken_back(sit_down, played, decided):
    evening = rounds(sit_down("any-game", "Ada", "Bob"), *played)
    evening.do("end_game")
    assert told(evening).decided == decided
    assert "game is over" not in told(evening).text


def test_a_tie_takes_no_lead_from_anybody(sit_down):
    evening = rounds(sit_down("any-game", "Ada", "Bob"), (3, 1), (0, 2), (1, 0))
    assert not any("lead" in each for each in moments(evening))


def test_what_happens_twice_is_not_the_biggest_of_anything(sit_down):
    evening = rounds(sit_down("any-game", "Ada", "Bob"), (3, 1), (3, 1))
    assert moments(evening) == []


def test_the_last_run_of_a_verdict_is_what_counts_as_deciding(evening):
    evening.do("end_game")
    evening.do("play_on")
    evening.do("count", seat="Cleo", counter="1", by=20, round=4)
    evening.do("end_game")
    assert told(evening).over_at == evening.log[-1].at
    assert told(evening).decided == "Cleo took the lead in round 4 and won by 10."


def with_a_timer_in_the_castle(sit_down):
    evening = sit_down("escape-the-dark-castle", "Ada", "Bob")
    for seat, hero in enumerate(("abbot", "cook"), 1):
        evening.do("choose_character", seat=seat, hero=hero)
    evening.do("begin_escape")
    evening.do("start_timer", length="30")
    return evening


def test_what_a_tool_did_afterwards_decides_nothing(sit_down):
    """A name is another one since, so the verdict is told in other words; and the clock is put away."""
    evening = with_a_timer_in_the_castle(sit_down)
    evening.do("change_health", seat=2, hero="cook", by=-18)
    over_at = evening.log[-1].at
    evening.do("rename_seat", seat=2, name="Bobby")
    evening.do("stop_timer")
    assert "Bobby" in told(evening).headline
    assert (
        told(evening).decided
        == "Decided by “Bob: Cook −18 health, now 0; the Cook is dead, and the game is lost”"
    )
    assert told(evening).over_at == over_at


def test_of_what_decided_it_only_the_rooms_own_part_is_quoted(sit_down):
    evening = with_a_timer_in_the_castle(sit_down)
    last = evening.do("change_health", seat=2, hero="cook", by=-18)
    chain = (TimerStopped(), *last.events)
    evening.journal = Journal(
        evening.journal.game, [*evening.journal.entries[:-1], replace(last, events=chain)]
    )
    assert evening.log[-1].text.startswith("put the timer away; ")
    assert told(evening).decided.startswith("Decided by “Bob: Cook −18 health")


def test_a_verdict_that_was_corrected_is_another_one(evening):
    evening.do("end_game")
    evening.now += 60_000
    evening.do("correct", seat="Cleo", counter="1", round=4, to=30)
    assert told(evening).headline == "Cleo wins with 35 Points."
    assert told(evening).over_at == evening.log[-1].at


def test_dice_are_compared_with_chance(evening):
    evening.dice.rolls = [6, 6, 6, 6, 5, 6]
    evening.do("roll_dice", throw_what="6d6")
    evening.do("roll_dice", throw_what="coin", shown=[1])
    assert told(evening).luck == (
        "d6, rolled here 6 times: 5.8 on average, where chance gives 3.5: high",
        "coin, rolled at the table 1 time: heads",
    )


def test_house_rules_say_which_were_the_tables_own_choice(sit_down):
    evening = sit_down("any-game", "Ada", rules={"who-wins": "lowest"})
    (choice,) = told(evening).choices
    assert (choice.question, choice.reading, choice.usual) == ("Who wins?", "Lowest score wins", False)
    assert "- Who wins? Lowest score wins" in told(evening).text


def test_the_text_can_be_pasted_anywhere(evening):
    evening.do("end_game")
    lines = told(evening).text.splitlines()
    assert re.fullmatch(r"Any game, \d{1,2} \w+ \d{4}, 1 min", lines[0])
    assert lines[1:7] == [
        "Bob wins with 18 Points.",
        "Bob took the lead in round 3 and won by 2.",
        "",
        "1. Bob: 18 Points, winner",
        "2. Ada: 16 Points",
        "3. Cleo: 8 Points",
    ]
    assert "- Round 2: Ada takes the lead from Bob, 9 to 6" in lines


# --- every room ---


@pytest.mark.parametrize(("slug", "seed"), SEEDS)
def test_any_evening_of_any_room_has_a_recap(slug, seed):
    evening = wild_evening(slug, seed)
    recapped = told(evening)
    assert recapped.finished
    assert recapped.verdict == evening.verdict
    assert {place.seat for place in recapped.places} == set(evening.table.seats)
    assert {place.seat.id for place in recapped.places if place.winner} == set(evening.verdict.winners)
    for seat in evening.table.seats:
        assert seat.name in recapped.text
    assert recapped.headline in recapped.text
    assert bool(recapped.luck) == bool(dice(evening.table).spread)  # the roll may be taken back
    assert len(recapped.choices) == len(evening.journal.game.house_rules)
    if evening.journal.game.scores:
        scores = evening.journal.game.scores(evening.state)
        assert set(scores.now) <= {seat.id for seat in evening.table.seats}
        assert dict(recapped.scores.now) == dict(scores.now)
        if set(scores.columns) - {START}:
            assert recapped.columns[list(scores.columns)[-1]] == scores.now
    if recapped.chart:
        assert_ours(score_chart(recapped.chart))


# --- charts ---


def assert_ours(svg):
    """Nothing that the page's policy forbids, and something to read for whoever sees no picture."""
    root = ET.fromstring(str(svg))
    assert root.get("role") == "img"
    assert len(root.get("aria-label")) > 10
    for node in root.iter():
        kind = node.tag.rpartition("}")[2]
        assert kind in ("svg", "g", "path", "rect", "text", "circle"), kind
        assert not {"style", "id", "onload"} & set(node.attrib), node.attrib
        assert not any(value.startswith(("http:", "https:", "javascript:")) for value in node.attrib.values())


def test_a_chart_has_a_line_in_each_seats_colour_and_says_its_numbers(evening):
    svg = score_chart(told(evening).chart)
    assert_ours(svg)
    assert (
        'aria-label="Points by round. Ada: 0, 3, 9, 11, 16. Bob: 0, 5, 6, 15, 18. Cleo: 0, 1, 1, 5, 8."'
        in svg
    )
    for seat in evening.table.seats:
        assert f'data-colour="{seat.colour}"' in svg


def test_a_name_cannot_break_out_of_a_chart(sit_down):
    evening = rounds(sit_down("any-game", '"><script>alert(1)', "Bob"), (1, 2), (3, 4))
    assert_ours(score_chart(told(evening).chart))
    assert_ours(bar_chart([('"><script>alert(1)', 3), ("Bob", 1)], "Wins. <b> and more"))


def test_scores_below_nought_and_far_above_can_be_drawn(sit_down):
    evening = rounds(sit_down("any-game", "Ada", "Bob"), (-40, 999_999), (3, -999_999))
    assert_ours(score_chart(told(evening).chart))


def test_thousands_of_the_largest_taps_can_be_drawn(sit_down):
    evening = sit_down("any-game", "Ada", "Bob")
    for _ in range(2_000):
        evening.do("count", seat="Ada", counter="1", by=999_999, round=1)
    assert_ours(score_chart(told(evening).chart))


def test_evenings_of_one_game_are_lines_from_evening_to_evening(sit_down):
    evenings = []
    for ada, bob in ((3, 4), (8, 2)):
        evening = rounds(sit_down("any-game", "Ada", "Bob"), (ada, bob))
        evening.do("end_game")
        evenings.insert(0, told(evening))
    chart = history_chart(evenings)
    assert_ours(chart.svg)
    assert "Points from evening to evening. Ada: 3, 8. Bob: 4, 2." in chart.svg
    assert history_chart(evenings[:1]) is None
