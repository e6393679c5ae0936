"""One clock for the whole table: nobody ticks, the journal holds the end, and all moments follow from it."""

import time
from dataclasses import replace

import pytest
from at_the_table import Evening
from hypothesis import given
from hypothesis import strategies as st

from companion.core import Refused
from companion.games.any_game import GAME
from companion.tools import equip
from companion.tools.timer import LONGEST, SECOND, clock, length, timer

DAY = 24 * 3600 * SECOND


@pytest.fixture
def evening(sit_down):
    return sit_down("any-game", "Ada", "Bob")


def shown(evening):
    """What every phone shows right now."""
    found = timer(evening.table)
    return None if found is None else found.shows(evening.now)


def at(evening, **when):
    """The hand of the clock, so and so long after the last tap."""
    evening.now += sum(when.values()) - SECOND  # the evening itself puts a second between taps


def refused(evening, command, **given):
    """The sentence; and nothing has changed."""
    before = evening.state, evening.journal.version
    with pytest.raises(Refused) as why:
        evening.do(command, **given)
    assert (evening.state, evening.journal.version) == before
    return str(why.value)


def last_words(evening):
    return evening.log[-1].text


# --- down ---


def test_thirty_seconds_run_down_and_stay_at_nothing(evening):
    started = evening.do("start_timer", length="0:30").events[0].at
    for passed, left in ((0, 30_000), (1, 29_999), (29_999, 1), (30_000, 0), (99_000_000, 0)):
        evening.now = started + passed
        assert shown(evening) == left
        assert timer(evening.table).over(evening.now) is (left == 0)


def test_the_journal_holds_the_end_and_nothing_ticks(evening):
    entry = evening.do("start_timer", length=30)
    assert timer(evening.table).until == entry.events[0].at + 30_000
    assert evening.journal.version == entry.version
    at(evening, hour=3600 * SECOND)
    assert evening.journal.version == entry.version


def test_a_pause_holds_what_is_left_for_as_long_as_it_takes(evening):
    evening.do("start_timer", length=30)
    at(evening, ten=10_250)
    evening.do("pause_timer")
    assert last_words(evening) == "paused the timer at 0:20"
    at(evening, tea=20 * 60 * SECOND)
    assert shown(evening) == 19_750
    evening.do("resume_timer")
    assert last_words(evening) == "let the timer run on"
    at(evening, more=19_749)
    assert shown(evening) == 1


def test_a_restart_gives_the_whole_length_again_running_paused_or_over(evening):
    evening.do("start_timer", length="2m")
    for before in ([], ["pause_timer"], ["stall"]):
        at(evening, some=7 * SECOND)
        for command in before:
            if command == "stall":
                at(evening, long=DAY)
            else:
                evening.do(command)
        again = evening.do("restart_timer")
        assert timer(evening.table).until == again.events[0].at + 120_000
        assert last_words(evening) == "restarted the timer, 2:00"


def test_ten_seconds_more_while_it_runs(evening):
    started = evening.do("start_timer", length=30).events[0].at
    evening.do("add_time")
    evening.do("add_time")
    assert timer(evening.table).until == started + 50_000
    assert last_words(evening) == "gave the timer 0:10 more"


def test_ten_seconds_more_while_it_stands(evening):
    evening.do("start_timer", length=30)
    evening.do("pause_timer")
    evening.do("add_time")
    assert timer(evening.table).left == 39_000
    assert not timer(evening.table).running


def test_ten_seconds_more_after_the_end_run_again_from_now(evening):
    evening.do("start_timer", length=5)
    at(evening, long=60 * SECOND)
    assert shown(evening) == 0
    added = evening.do("add_time")
    assert timer(evening.table).until == added.events[0].at + 10_000


def test_a_sand_timer_that_got_more_time_is_still_a_sand_timer_of_thirty_seconds(evening):
    evening.do("start_timer", length=30)
    evening.do("add_time", length="5m")
    again = evening.do("restart_timer")
    assert timer(evening.table).until == again.events[0].at + 30_000


def test_the_sand_measures_what_was_added_too(evening):
    evening.do("start_timer", length=30)
    evening.do("add_time")
    assert timer(evening.table).length == 40_000


def test_no_timer_gets_longer_than_a_day(evening):
    evening.do("start_timer", length="24h")
    assert refused(evening, "add_time", length="2m") == "A timer can run from one second to 24 hours."
    at(evening, hour=3600 * SECOND)
    evening.do("add_time", length="1h")
    again = evening.do("restart_timer")
    assert timer(evening.table).until == again.events[0].at + LONGEST


def test_it_is_put_away(evening):
    evening.do("start_timer", length=30)
    evening.do("stop_timer")
    assert timer(evening.table) is None
    assert last_words(evening) == "put the timer away"


@pytest.mark.parametrize(
    "command", ["pause_timer", "resume_timer", "restart_timer", "add_time", "stop_timer"]
)
def test_without_a_timer_there_is_nothing_to_do_with_it(evening, command):
    assert refused(evening, command) == "No timer is set."


# --- up ---


def test_a_stopwatch_counts_up_stands_and_runs_on(evening):
    evening.do("start_timer", mode="up")
    assert last_words(evening) == "started the stopwatch"
    at(evening, minute=61_900)
    assert shown(evening) == 61_900
    evening.do("pause_timer")
    assert last_words(evening) == "paused the stopwatch at 1:01"  # as the phones show it
    at(evening, tea=DAY)
    evening.do("resume_timer")
    assert last_words(evening) == "let the stopwatch run on"
    at(evening, more=100)
    assert shown(evening) == 62_000
    assert not timer(evening.table).over(evening.now)


def test_a_stopwatch_starts_again_from_nothing(evening):
    evening.do("start_timer", mode="up")
    at(evening, some=9 * SECOND)
    again = evening.do("restart_timer")
    assert timer(evening.table).since == again.events[0].at
    assert last_words(evening) == "restarted the stopwatch"


def test_a_stopwatch_has_no_end_to_move(evening):
    evening.do("start_timer", mode="up")
    assert refused(evening, "add_time") == "A stopwatch has no end to move."


def test_a_stopwatch_needs_no_length_and_a_timer_does(evening):
    assert refused(evening, "start_timer") == "How long? Type a length like 30, 1:30 or 5m."
    evening.do("start_timer", mode="up")


# --- two phones at once ---


def test_whoever_starts_it_second_finds_it_running(evening):
    bob = evening.join("Bob's phone", 2)
    evening.do("start_timer", length=30)
    assert refused(evening, "start_timer", phone=bob, length=60) == "The timer is running already."
    evening.do("pause_timer")
    assert refused(evening, "pause_timer", phone=bob) == "The timer is paused already."
    evening.do("resume_timer")
    assert refused(evening, "resume_timer", phone=bob) == "The timer is running already."


def test_when_time_is_up_it_can_be_started_but_not_paused(evening):
    evening.do("start_timer", length=30)
    at(evening, all=30_000)
    assert refused(evening, "pause_timer") == "Time is up already."
    evening.do("start_timer", length="1:00")
    assert timer(evening.table).length == 60_000


def test_a_paused_timer_can_be_replaced(evening):
    evening.do("start_timer", length=30)
    evening.do("pause_timer")
    evening.do("start_timer", mode="up")
    assert timer(evening.table).mode == "up"


def test_the_log_says_who_started_it(evening):
    bob = evening.join("Bob's phone", 2)
    evening.do("start_timer", phone=bob, length="1h 30m")
    assert (evening.log[-1].by, last_words(evening)) == ("Bob", "started the timer, 1:30:00")


def test_who_watches_does_not_touch_the_timer(evening):
    watcher = evening.join("Tablet")
    assert refused(evening, "start_timer", phone=watcher, length=30).startswith("This phone only watches")


# --- taking back ---


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ([], ("start_timer", {"length": 30})),
        ([], ("start_timer", {"mode": "up"})),
        ([("start_timer", {"length": 30})], ("pause_timer", {})),
        ([("start_timer", {"length": 30}), ("pause_timer", {})], ("resume_timer", {})),
        ([("start_timer", {"length": 30})], ("restart_timer", {})),
        ([("start_timer", {"length": 30})], ("add_time", {})),
        ([("start_timer", {"length": 30}), ("pause_timer", {})], ("add_time", {})),
        ([("start_timer", {"length": 30})], ("stop_timer", {})),
    ],
)
def test_what_was_taken_back_is_as_if_it_had_never_been(evening, before, command):
    for name, asked in before:
        evening.do(name, **asked)
    earlier = timer(evening.table)
    entry = evening.do(command[0], **command[1])
    later = timer(evening.table)
    evening.do("take_back", entry=entry.version)
    assert timer(evening.table) == earlier
    evening.do("put_back", entry=entry.version)
    assert timer(evening.table) == later


def test_a_timer_that_was_put_away_too_long_comes_back_as_over(evening):
    evening.do("start_timer", length=30)
    stopped = evening.do("stop_timer")
    at(evening, long=60 * SECOND)
    evening.do("take_back", entry=stopped.version)
    assert timer(evening.table).over(evening.now)


@pytest.mark.parametrize(
    ("taps", "earlier"),
    [
        (["start_timer", "pause_timer"], 0),
        (["start_timer", "add_time"], 0),
        (["start_timer", "stop_timer", "start_timer", "pause_timer"], 2),
        (["start_timer", "pause_timer", "resume_timer"], 1),  # or it would be over where it ran on
        (["start_timer", "pause_timer", "resume_timer", "pause_timer"], 2),
    ],
)
def test_what_later_taps_rest_on_stays(evening, taps, earlier):
    entries = [
        evening.do(command, **({"length": 30} if command == "start_timer" else {})) for command in taps
    ]
    assert refused(evening, "take_back", entry=entries[earlier].version).startswith(
        "That cannot be taken back, because "
    )


def test_more_time_is_not_given_to_the_stopwatch_that_was_there_before(evening):
    evening.do("start_timer", mode="up")
    evening.do("pause_timer")
    started = evening.do("start_timer", length=30)
    evening.do("add_time")
    assert refused(evening, "take_back", entry=started.version).startswith(
        "That cannot be taken back, because "
    )


def test_a_pause_can_be_taken_back_if_nothing_came_after_it(evening):
    started = evening.do("start_timer", length=30).events[0].at
    paused = evening.do("pause_timer")
    evening.do("take_back", entry=paused.version)
    assert timer(evening.table).until == started + 30_000


# --- lengths, as people type them ---


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("1", 1),
        ("30", 30),
        (" 30 ", 30),
        ("0:30", 30),
        ("1:30", 90),
        ("0:05", 5),
        ("0:5", 5),
        ("90:00", 5400),
        ("1:02:03", 3723),
        ("24:00:00", 86_400),
        ("1440:00", 86_400),
        ("90s", 90),
        ("90 S", 90),
        ("5m", 300),
        ("5 min", 300),
        ("1h", 3600),
        ("1h 30m", 5400),
        ("1h30m15s", 5415),
        ("24h", 86_400),
        ("86400", 86_400),
    ],
)
def test_lengths_are_typed_in_many_ways(evening, typed, seconds):
    evening.do("start_timer", length=typed)
    assert timer(evening.table).length == seconds * SECOND


FORWARDS = "Time only runs forwards; type a length like 30, 1:30 or 5m."
HOW_LONG = "How long? Type a length like 30, 1:30 or 5m."
NO_LENGTH = "That is not a length of time; type one like 30, 1:30 or 5m."
BOUNDS = "A timer can run from one second to 24 hours."


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("-5", FORWARDS),
        ("−5", FORWARDS),
        ("-1:30", FORWARDS),
        ("0", BOUNDS),
        ("0:00", BOUNDS),
        ("0s", BOUNDS),
        ("25h", BOUNDS),
        ("24h 1s", BOUNDS),
        ("86401", BOUNDS),
        ("99999h", BOUNDS),
        ("abc", NO_LENGTH),
        ("", HOW_LONG),
        ("   ", HOW_LONG),
        ("1:99", NO_LENGTH),
        ("1:99:00", NO_LENGTH),
        ("1:99:…", NO_LENGTH),
        ("1:00:99", NO_LENGTH),
        ("1:2:3:4", NO_LENGTH),
        (":30", NO_LENGTH),
        ("1.5", NO_LENGTH),
        ("1e3", NO_LENGTH),
        ("30m 1h", NO_LENGTH),
        ("9" * 10_000, NO_LENGTH),
        ("1h" + " " * 60_000 + "x", NO_LENGTH),
        ("30" + " " * 10_000 + "s", NO_LENGTH),
        ("⏳", NO_LENGTH),
        ("3⃣0⃣", NO_LENGTH),
        ("\x00", NO_LENGTH),
    ],
)
def test_what_is_no_length_gets_a_sentence_and_changes_nothing(evening, typed, sentence):
    began = time.perf_counter()
    assert refused(evening, "start_timer", length=typed) == sentence
    assert time.perf_counter() - began < 1  # whatever they paste, the table goes on


def test_what_is_no_length_adds_nothing_to_a_running_timer(evening):
    evening.do("start_timer", length=30)
    for typed in ("-10", "0", "soon"):
        refused(evening, "add_time", length=typed)


def test_there_are_two_ways_to_count_and_no_third(evening):
    assert "sideways" in refused(evening, "start_timer", length=30, mode="sideways")


@given(st.text(max_size=30) | st.from_regex(r"[0-9:hms \-]{0,12}", fullmatch=True))
def test_any_text_is_a_length_within_a_day_or_refused(typed):
    try:
        said = length(typed)
    except Refused as why:
        said = str(why)
    assert said in (FORWARDS, NO_LENGTH, BOUNDS) or SECOND <= said <= LONGEST


@given(st.integers(1, LONGEST // SECOND))
def test_what_the_clock_writes_can_be_typed(seconds):
    assert length(clock(seconds * SECOND)) == seconds * SECOND


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (0, "0:00"),
        (1, "0:01"),
        (1000, "0:01"),
        (1001, "0:02"),
        (59_001, "1:00"),
        (DAY, "24:00:00"),
        (-5, "0:00"),
    ],
)
def test_the_second_that_is_running_counts_as_whole(left, words):
    assert clock(left) == words


def test_a_stopwatch_that_nobody_stopped_for_a_day_is_in_nobodys_way(evening):
    evening.do("start_timer", mode="up")
    evening.now += DAY - 2 * SECOND
    assert refused(evening, "start_timer", length=30) == "The timer is running already."
    evening.now += 2 * SECOND
    evening.do("start_timer", length=30)
    assert shown(evening) == 30_000 - SECOND


# --- a room's own timers ---


def test_a_room_brings_its_sand_timer():
    room = equip(replace(GAME, slug="any-game", timers=(("Sand timer", 30),)))
    evening = Evening(room, "Ada", "Bob")
    ((_, seconds),) = room.timers
    evening.do("start_timer", length=seconds)  # just as its button does
    assert timer(evening.table).length == 30_000


# --- no time is lost, and none gained ---


@given(st.sampled_from(["down", "up"]), st.lists(st.integers(0, 50_000), max_size=12))
def test_pausing_and_resuming_neither_lose_nor_gain_time(mode, waits):
    evening = Evening(equip(replace(GAME, slug="any-game")), "Ada")
    evening.do("start_timer", length="24h", mode=mode)
    evening.now -= SECOND  # now it is the very moment of the start
    ran, running = 0, True
    for wait in waits:
        evening.now += wait
        ran += wait if running else 0
        assert shown(evening) == (ran if mode == "up" else DAY - ran)
        evening.do("pause_timer" if running else "resume_timer")
        evening.now -= SECOND
        running = not running
    assert shown(evening) == (ran if mode == "up" else DAY - ran)
