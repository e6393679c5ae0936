"""Mountains of Madness: tokens and Injuries that never get lost, silence, chains to their end, a verdict."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
from at_the_table import LoadedDice
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion.core import Journal, Refused
from companion.core.event import dump, load
from companion.core.journal import fold
from companion.core.pieces import Tap, inside
from companion.core.tally import judge
from companion.evenings.recap import recap
from companion.games import shelf
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.adjudication import band
from companion.games.mountains_of_madness.box import PENALTY_DIE, read
from companion.games.mountains_of_madness.state import Injuries
from companion.lookup.rooms import LookUp
from companion.tools.dice import dice
from companion.tools.timer import timer

SLUG = "mountains-of-madness"
GAME = shelf()[SLUG]


@pytest.fixture
def climb(sit_down):
    """An expedition that has begun."""

    def begin(*names, **rules):
        evening = sit_down(SLUG, *(names or ("Ada", "Bob", "Cleo")), rules=rules)
        evening.do("begin")
        return evening

    return begin


def refused(evening, why, command, **given):
    before = evening.state, evening.journal.version
    with pytest.raises(Refused, match=why):
        evening.do(command, **given)
    assert (evening.state, evening.journal.version) == before


def to_encounter(evening, to="coast", **more):
    turn = evening.state.turn
    evening.do("move", turn=turn, to=to, **more)
    evening.do("flip", turn=turn)
    return turn


def wait(evening):
    """Until the sand has run out."""
    evening.now = timer(evening.table).until


def to_reveal(evening, to="coast", **more):
    turn = to_encounter(evening, to, **more)
    wait(evening)
    evening.do("resolve", turn=turn)
    return turn


def to_price(evening, first="yes", second="no", to="coast", **more):
    """Seen at a glance."""
    turn = to_reveal(evening, to, **more)
    evening.do("call_results", turn=turn, first=first, second=second)
    return turn


def ask(evening, **asked):
    """The Leader enters what the tile asks for: kind and value, two taps each."""
    turn = evening.state.turn
    for kind, value in asked.items():
        evening.do("ask_kind", turn=turn, kind=kind)
        evening.do("read_challenge", turn=turn, kind=kind, value=value)


def roll(evening, face, which=1):
    turn = evening.state.turn
    evening.do("pay_with_die", turn=turn, which=which)
    return owed(evening, face)


def owed(evening, face):
    due = evening.state.now.penalties[0]
    evening.do("roll_penalty", turn=evening.state.turn, penalty=due.number, rolls=due.rolls, face=face)
    return {"turn": evening.state.turn, "penalty": due.number}


def tokens(evening):
    now = evening.state.tokens
    return now.sled, now.discard, now.box


def injuries(evening):
    now = evening.state.injuries
    return now.supply, now.deck, now.discard, now.hands


def undo(evening):
    evening.do("take_back", entry=evening.journal.version)


def finish_turn(evening):
    evening.do("deal", turn=evening.state.turn, rest="no")


def shown(evening, id):
    """The piece of that id as all phones show it, or nothing."""
    return next((each for each in inside(evening.view.pieces) if getattr(each, "id", "") == id), None)


def taps(evening, id=""):
    """All that can be tapped or read as one, in that piece or anywhere."""
    where = shown(evening, id) if id else evening.view.pieces
    return [each for each in inside(where) if isinstance(each, Tap)]


def tap(evening, label, id=""):
    (found,) = [each for each in taps(evening, id) if each.label == label]
    return found


def chain(evening, id):
    """The sentences of a chain, and whether it says that it loses the game."""
    steps, lost = shown(evening, id), shown(evening, f"{id}-lost")
    return [stage.label for stage in steps.stages] if steps else [], lost is not None


def injuries_at(evening):
    return {each.label: each.badge for each in taps(evening, "peak-injuries")}


def levels(evening):
    return {seat.seat.name: seat.pieces[0].value for seat in evening.view.seats}


def leader(evening):
    (seat,) = [each.seat.name for each in evening.view.seats if each.leads]
    return seat


def put(evening, seat, level=0, relics=0, **covered):
    evening.do("put_seat", seat=seat, level=level, specimen=relics, ruin=0, knowledge=0, **covered)


# --- set-up ---


@pytest.mark.parametrize(
    ("names", "hand", "mad"),
    [
        (("Ada", "Bob", "Cleo"), 5, []),
        (("Ada", "Bob", "Cleo", "Dov"), 4, ["Bob", "Cleo", "Dov"]),
        (("Ada", "Bob", "Cleo", "Dov", "Eve"), 3, ["Ada", "Bob", "Cleo", "Dov", "Eve"]),
    ],
)
def test_each_phone_says_what_its_player_takes(sit_down, names, hand, mad):
    evening = sit_down(SLUG, *names)
    packs = {pack.title: pack.pieces[0].ticks for pack in shown(evening, "peak-packs").pieces}
    for name in names:
        words = " ".join(tick.detail for tick in packs[name])
        assert f"{hand} Equipment cards" in words
        assert ("Level 1 Madness" in words) == (name in mad)
        assert ("six Leadership tokens" in words and "airplane" in words) == (name == "Ada")
    assert f"{len(names)} Injuries into the Equipment discard" in " ".join(
        tick.detail for tick in packs["For all"]
    )
    evening.do("begin")
    assert injuries(evening) == (15 - len(names), 0, len(names), 0)
    assert tokens(evening) == (6, 0, 0)
    assert [name for name, level in levels(evening).items() if level == 1] == mad
    assert evening.state.cards.hands == hand * len(names)


def test_ticks_are_seen_by_all_and_belong_to_a_seat(sit_down):
    evening = sit_down(SLUG, "Ada", "Bob", "Cleo")
    evening.do("tick", item="cards-2-3")
    packs = shown(evening, "peak-packs").pieces
    assert [pack.tags for pack in packs] == [("0 of 5",), ("0 of 2",), ("1 of 1",), ("0 of 1",)]
    assert evening.log[-1].whom == "Bob"
    refused(evening, "ticked already", "tick", item="cards-2-3")
    refused(evening, "not on the list", "tick", item="cards-9")
    evening.do("tick", item="cards-2-3", done="no")
    assert shown(evening, "peak-pack-2").tags == ("0 of 1",)


def test_with_four_the_madness_follows_the_first_leader(sit_down):
    evening = sit_down(SLUG, "Ada", "Bob", "Cleo", "Dov")
    evening.do("choose_starter", seat="Cleo")
    evening.do("begin")
    assert levels(evening) == {"Ada": 1, "Bob": 1, "Cleo": 0, "Dov": 1}
    assert leader(evening) == "Cleo"


def test_whoever_stood_on_a_summit_last_is_tapped_as_leader(sit_down):
    evening = sit_down(SLUG, "Ada", "Bob", "Cleo")
    assert [each.label for each in taps(evening, "peak-first")] == ["Bob", "Cleo"]
    bob = tap(evening, "Bob", "peak-first").do
    evening.do(bob.command, **bob.args)
    evening.do("begin")
    assert leader(evening) == "Bob"


def test_nobody_joins_or_leaves_an_expedition_under_way(climb):
    evening = climb()
    refused(evening, "under way", "add_seat", name="Dov")
    refused(evening, "begun already", "begin")


# --- movement ---


def test_the_first_turn_starts_on_the_coast_and_regions_are_neighbours(climb):
    evening = climb()
    refused(evening, "starts on the Coast", "move", turn=1, to="mountain")
    refused(evening, "no such place", "move", turn=1, to="moon")
    evening.do("move", turn=1, to="coast")
    refused(evening, "moved to the Coast already", "move", turn=1, to="mountain")
    evening.do("take_back", entry=evening.journal.version)
    evening.do("put_plane", place="mountain")
    refused(evening, "not next to", "move", turn=1, to="edge")
    evening.do("move", turn=1, to="coast", tile="no")
    assert not evening.state.now.tile


@pytest.mark.parametrize(("reading", "ways"), [("lowest", {"Coast"}), ("any", {"Coast", "Mountain"})])
def test_from_the_lowest_row_of_the_coast_no_mountain_is_next(climb, reading, ways):
    """Where the airplane starts is the table's choice, and is told as such."""
    evening = climb(**{"start-space": reading})
    assert ("lowest row" in evening.view.phase.text) == (reading == "lowest")
    to_draw(evening)
    finish_turn(evening)
    assert {each.label for each in taps(evening, "peak-moves")} - {"Coast, no tile"} == ways
    if reading == "lowest":
        refused(evening, "no Mountain space is next", "move", turn=2, to="mountain")
    evening.do("move", turn=2, to="coast")
    evening.do("put_plane", place="coast")


def test_there_are_three_city_tiles_and_the_table_sees_how_many_are_left(climb):
    evening = climb()
    evening.do("put_plane", place="mountain")
    for left in (3, 2, 1):
        assert tap(evening, "City").detail == f"with its tile: {left} left"
        to_price(evening, "yes", "yes", to="city")
        evening.do("no_reward", turn=evening.state.turn)
        finish_turn(evening)
    assert tap(evening, "City").why_not == "all 3 tiles are taken"
    refused(evening, "All 3 City tiles are taken", "move", turn=4, to="city")
    evening.do("put_plane", place="city", city=1)  # one of them had been without
    refused(evening, "There are 3 City tiles", "put_plane", place="city", city=4)
    evening.do("move", turn=4, to="city")


def test_a_space_without_a_tile_is_not_said_to_have_one(climb):
    evening = climb()
    assert [each.label for each in taps(evening, "peak-moves")] == ["Coast"]  # all tiles are there
    evening.do("move", turn=1, to="coast", tile="no")
    assert "holds the tile" not in evening.view.phase.text
    assert "printed on the space" in evening.view.phase.text


def test_from_the_edge_the_way_leads_over_three_escape_tiles(climb):
    evening = climb()
    evening.do("put_plane", place="city")
    evening.do("move", turn=1, to="edge")
    evening.do("flip", turn=1)
    wait(evening)
    evening.do("resolve", turn=1)
    evening.do("call_results", turn=1, first="yes", second="yes")
    evening.do("no_reward", turn=1)
    finish_turn(evening)
    refused(evening, "nobody comes back down", "move", turn=2, to="city")
    assert [each.label for each in taps(evening, "peak-moves")] == ["First Escape tile"]
    refused(evening, "always a tile", "move", turn=2, to="escape-1", tile="no")
    evening.do("move", turn=2, to="escape-1")
    (here,) = [stage.label for stage in shown(evening, "peak-route").stages if stage.state == "now"]
    assert here == "Escape 1"


def test_a_token_lets_a_player_ignore_madness_for_this_turn_only(climb):
    evening = climb("Ada", "Bob", "Cleo", "Dov")
    refused(evening, "Ada has no Madness", "ignore_madness", turn=1, whom=1)
    evening.do("ignore_madness", turn=1, whom=2)
    assert tokens(evening) == (5, 1, 0)
    refused(evening, "already", "ignore_madness", turn=1, whom=2)
    to_encounter(evening)
    assert {act.seat.name: act.label for act in taps(evening, "peak-acts")} == {
        "Ada": "No Madness to act on",
        "Bob": "You are free of Madness this turn",
        "Cleo": "Act on your level 1 Madness",
        "Dov": "Act on your level 1 Madness",
    }
    refused(evening, "belongs to the Movement phase", "ignore_madness", turn=1, whom=3)
    wait(evening)
    evening.do("resolve", turn=1)
    evening.do("call_results", turn=1, first="yes", second="yes")
    evening.do("no_reward", turn=1)
    finish_turn(evening)
    assert evening.state.now.ignoring == ()


# --- the silence guard ---


def test_one_clock_for_all_talk_then_silence_then_time_up(climb):
    evening = climb()
    turn = to_encounter(evening)
    assert timer(evening.table).length == 30_000
    assert evening.view.phase.title == "Talk"
    refused(evening, "Talk is allowed", "someone_spoke", turn=turn, owed=0)
    refused(evening, "no card lies on the sled", "resolve", turn=turn, early="yes")
    evening.do("card_on_sled", turn=turn, flip=1)
    assert evening.view.phase.title == "SILENCE"
    evening.do("card_on_sled", turn=turn, flip=1)
    assert evening.state.now.on_sled == 2
    refused(evening, "others may still play", "resolve", turn=turn)
    wait(evening)
    refused(evening, "sand has run out", "card_on_sled", turn=turn, flip=1)
    evening.do("resolve", turn=turn)
    assert timer(evening.table) is None
    assert evening.state.stage == "resolution"


def test_only_a_house_rule_reveals_the_sled_before_the_sand_has_run_out(climb):
    evening = climb()
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    assert shown(evening, "peak-early") is None
    refused(evening, "still runs", "resolve", turn=turn, early="yes")
    evening.do("choose_rule", rule="early-reveal", choice="yes")
    assert not tap(evening, "All cards are in").confirm  # nobody may speak, so nobody can be asked
    evening.do("resolve", turn=turn, early="yes")
    assert evening.state.stage == "resolution"


def test_nobody_stops_or_stretches_the_sand(climb):
    evening = climb()
    turn = to_encounter(evening)
    for command in ("pause_timer", "stop_timer", "restart_timer", "add_time"):
        refused(evening, "costs a Leadership token", command)
    wait(evening)
    refused(evening, "costs a Leadership token", "start_timer", length="30")
    evening.do("resolve", turn=turn)
    evening.do("start_timer", length="30")  # the clock is free again


def test_again_costs_a_token_and_is_refused_with_the_reason_when_there_is_none(climb):
    evening = climb()
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    refused(evening, "still runs", "again", turn=turn, flip=1)
    wait(evening)
    evening.do("again", turn=turn, flip=1)
    assert tokens(evening) == (5, 1, 0)
    assert not evening.state.now.silent
    assert evening.state.now.on_sled == 1
    assert timer(evening.table).shows(evening.now) > 25_000
    refused(evening, "flipped again already", "again", turn=turn, flip=1)
    evening.do("put_tokens", sled=0, discard=6, box=0)
    wait(evening)
    refused(evening, "No Leadership token is left on the sled", "again", turn=turn, flip=2)
    assert "No Leadership token" in tap(evening, "30 more seconds").why_not


def test_where_the_table_says_so_the_cards_go_back_to_the_hands(climb):
    evening = climb(**{"again-cards": "return"})
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    wait(evening)
    evening.do("again", turn=turn, flip=1)
    assert evening.state.now.on_sled == 0


def test_someone_spoke_rolls_the_penalty_die_and_no_token_rerolls_it(climb):
    evening = climb()
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    evening.do("someone_spoke", turn=turn, owed=0)
    refused(evening, "noted already", "someone_spoke", turn=turn, owed=0)
    refused(evening, "one die for it", "someone_spoke", turn=turn, owed=1)  # the slower of two who heard it
    due = owed(evening, "accident")
    follows = ["2 Injuries to the Equipment discard; 10 left in the Injury deck."]
    assert chain(evening, "peak-owed-chain") == (follows, False)
    assert shown(evening, "peak-reroll") is None
    refused(evening, "only in the Resolution phase", "reroll", **due, rolls=1)
    wait(evening)
    refused(evening, "first the penalty die", "resolve", turn=turn)
    evening.do("pay_penalty", **due)
    assert injuries(evening) == (10, 0, 5, 0)
    evening.do("resolve", turn=turn)


def test_a_second_slip_is_a_tap_of_its_own_and_says_so(climb):
    evening = climb()
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    heard = tap(evening, "Somebody spoke").do
    evening.do(heard.command, **heard.args)
    again = tap(evening, "And a second slip")
    assert again.detail == "one more die"
    evening.do(again.do.command, **again.do.args)
    assert len(evening.state.now.penalties) == 2
    for _ in range(2):
        evening.do("pay_penalty", **owed(evening, "accident"))
    assert tap(evening, "Somebody spoke")  # as it was


def test_who_spoke_is_told_after_the_sand_where_nobody_tapped_the_first_card(climb):
    evening = climb()
    turn = to_encounter(evening)
    wait(evening)
    evening.do("someone_spoke", turn=turn, owed=0)
    refused(evening, "first the penalty die", "resolve", turn=turn)


def test_a_loss_while_the_sand_runs_takes_the_clock_away(climb):
    evening = climb()
    evening.do("put_tokens", sled=1, discard=0, box=5)
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    evening.do("someone_spoke", turn=turn, owed=0)
    evening.do("pay_penalty", **owed(evening, "confidence"))
    assert evening.verdict.outcome == "loss"
    assert timer(evening.table) is None
    assert evening.view.phase.final


@pytest.mark.parametrize("reading", ["again", "later", "nothing"])
def test_confusion_before_the_reveal_is_what_the_table_chose(climb, reading):
    evening = climb(**{"spoken-confusion": reading})
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    evening.do("someone_spoke", turn=turn, owed=0)
    due = owed(evening, "confusion")
    if reading == "again":
        refused(evening, "roll again", "pay_penalty", **due)
        owed(evening, "confidence")
        evening.do("pay_penalty", **due)
        assert tokens(evening) == (4, 2, 0)
        return
    evening.do("pay_penalty", **due)
    wait(evening)
    evening.do("resolve", turn=turn)
    assert len(evening.state.now.penalties) == (reading == "later")
    if reading == "later":
        ask(evening, tools="4", books="6-8")
        late = {"turn": turn, "penalty": evening.state.now.penalties[0].number}
        refused(evening, "First say how both", "pay_penalty", **late)
        for kind in ("tools", "books"):
            evening.do("set_total", turn=turn, kind=kind, total=0)
        measure = tap(evening, "Measure the Confusion of the silence").do
        evening.do(measure.command, **measure.args)
        refused(evening, "no token re-rolls", "reroll", **late, rolls=1)
        evening.do("pay_penalty", **late)
        assert evening.state.cards.deck == 25 - 6  # the wider miss
    assert tokens(evening) == (6, 0, 0)


def test_a_confusion_of_the_silence_waits_until_every_gap_is_known(climb):
    """One gap that is known is not the wider one as long as the other is not."""
    evening = climb(**{"spoken-confusion": "later"})
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    evening.do("someone_spoke", turn=turn, owed=0)
    evening.do("pay_penalty", **owed(evening, "confusion"))
    wait(evening)
    evening.do("resolve", turn=turn)
    assert "gap" not in [form.id for form in evening.view.forms], "nothing is missed before it is judged"
    evening.do("call_results", turn=turn, first="no", second="no")
    assert "gap" in [form.id for form in evening.view.forms]
    late = {"turn": turn, "penalty": evening.state.now.penalties[0].number}
    refused(evening, "how far", "pay_penalty", **late)
    assert shown(evening, "peak-gaps").title == "Challenge 1 was missed by"
    evening.do("tell_gap", turn=turn, which=0, gap=2)
    refused(evening, "how far", "pay_penalty", **late)
    assert shown(evening, "peak-gaps").title == "Challenge 2 was missed by"
    evening.do("tell_gap", turn=turn, which=1, gap=7)
    evening.do("pay_penalty", **late)
    assert evening.state.cards.deck == 25 - 7


# --- challenges ---


@pytest.mark.parametrize(
    ("typed", "form", "total", "gap"),
    [
        ("14", "exact", 14, 0),
        ("14", "exact", 11, 3),
        ("14", "exact", 16, 2),
        ("11-13", "range", 12, 0),
        ("11–13", "range", 13, 0),
        ("11 to 13", "range", 8, 3),
        ("11-13", "range", 17, 4),
        ("10 or 12", "either", 12, 0),
        ("10/12", "either", 11, 1),
        ("10 or 15", "either", 14, 1),
        ("10 or 15", "either", 3, 7),
    ],
)
def test_a_challenge_is_exact_a_range_or_one_of_two(typed, form, total, gap):
    challenge = read("tools", typed)
    assert (challenge.form, challenge.gap(total), challenge.met(total)) == (form, gap, gap == 0)


@pytest.mark.parametrize("typed", ["", "x", "13-11", "0", "61", "12-12", "1-2-3", "7.5", "9" * 5000, "١٢"])
def test_what_is_no_challenge_is_refused_in_words(typed):
    with pytest.raises(Refused, match=r"Challenge|same number"):
        read("tools", typed)


def test_the_leader_enters_both_challenges_while_the_others_talk(climb):
    """Two taps each, without a keyboard; and all phones show them while the sand runs."""
    evening = climb()
    turn = to_encounter(evening)
    assert [each.label for each in taps(evening, "peak-kinds")] == ["Tools", "Weapons", "Books", "Crates"]
    kind = tap(evening, "Books", "peak-kinds").do
    evening.do(kind.command, **kind.args)
    value = tap(evening, "8–10", "peak-printed").do
    evening.do(value.command, **value.args)
    assert (shown(evening, "peak-asked-0").title, shown(evening, "peak-asked-0").text) == ("Books", "8–10")
    assert shown(evening, "peak-asked-1").text == "?"
    assert "Books" not in [each.label for each in taps(evening, "peak-kinds")]
    ask(evening, tools="7-9")
    assert shown(evening, "peak-kinds") is None
    refused(evening, "The tile asks for Books and Tools", "ask_kind", turn=turn, kind="crates")
    undo(evening)
    evening.do("ask_kind", turn=turn, kind="crates")
    evening.do("ask_kind", turn=turn, kind="")  # not that one
    assert shown(evening, "peak-printed") is None
    evening.do("read_challenge", turn=turn, kind="crates", low=9, how="or", high=11)  # no tile says so here
    assert evening.state.now.challenges[1].value == "9 or 11"
    refused(evening, "says that already", "read_challenge", turn=turn, kind="crates", value="9 or 11")
    refused(evening, "from small to large", "read_challenge", turn=turn, kind="books", low=9, how="-", high=7)
    evening.do("read_challenge", turn=turn, kind="books", value="9")  # another value of the same
    assert evening.state.now.challenges[0].value == "9"


@pytest.mark.parametrize("place", ["coast", "mountain", "city", "edge", "escape-2"])
def test_what_a_region_asks_for_is_among_its_tiles(place):
    """The values that are known of each: board and tiles of those who wrote about them."""
    known = {
        "coast": "7-8 7-9 8-9 8-10 9-11 7-10 9-12",
        "mountain": "9-11 10-12 11 11-13 12-14 13 14",
        "city": "14-16 16-18 14",
    }
    there = box.values_at(place)
    assert set(known.get(place, "").split()) <= set(there)
    assert len({(each.form, each.low, each.high) for each in (read("tools", value) for value in there)}) == 18


def test_the_leaders_phone_is_asked_for_the_tile_or_every_phone_if_the_leader_has_none(climb):
    evening = climb()
    to_encounter(evening)
    assert (shown(evening, "peak-enter").only, shown(evening, "peak-enter").seat.name) == ("owner", "Ada")
    evening.do("take_seats", seats=[2, 3])  # nobody holds Ada's
    assert shown(evening, "peak-enter").only == "players"


def test_totals_grow_card_by_card_and_whatever_comes_next_judges_both_challenges(climb):
    evening = climb()
    turn = to_reveal(evening)
    refused(evening, "First say how both", "no_reward", turn=turn)
    ask(evening, tools="11-13", crates="10 or 12")
    assert [each.label for each in taps(evening, "peak-outcomes")] == [
        "Both met",
        "Tools only",
        "Crates only",
        "Neither",
    ]
    for value in (6, 5):
        evening.do("show_card", turn=turn, kind="tools", value=value)
    refused(evening, "worth 2 to 6", "show_card", turn=turn, kind="tools", value=7)
    assert shown(evening, "peak-asked-1-gap").text == "no card yet"
    refused(evening, "First say how both", "search", turn=turn)  # as long as one is open
    evening.do("set_total", turn=turn, kind="crates", total=11)
    for which, words, tone in ((0, "met", "good"), (1, "11: 1 short", "bad")):
        assert shown(evening, f"peak-asked-{which}").tone == tone
        assert shown(evening, f"peak-asked-{which}-gap").text == words
    evening.do("hide_card", turn=turn, kind="tools", value=5)
    refused(evening, "was counted", "hide_card", turn=turn, kind="tools", value=5)
    refused(evening, "says that already", "set_total", turn=turn, kind="crates", total=11)
    refused(evening, "No Challenge was met", "heal", turn=turn)
    evening.do("pay_with_madness", turn=turn, which=0, whom=1)
    assert evening.state.now.met == (False, False)
    assert evening.state.now.gaps == (5, 1)
    refused(evening, "judged already", "show_card", turn=turn, kind="tools", value=5)
    undo(evening)
    assert evening.state.now.met is None  # it was judged by that tap


def test_a_last_card_that_was_not_there_leaves_its_kind_open_again(climb):
    evening = climb()
    turn = to_reveal(evening)
    ask(evening, tools="11-13", crates="10-12")
    evening.do("show_card", turn=turn, kind="tools", value=6)
    evening.do("hide_card", turn=turn, kind="tools", value=6)
    assert shown(evening, "peak-asked-0-gap").text == "no card yet"


def test_at_a_glance_is_one_tap_and_a_gap_is_known_only_where_cards_were_counted(climb):
    evening = climb()
    turn = to_reveal(evening)
    assert [each.label for each in taps(evening, "peak-outcomes")] == ["Both met", "One of them", "Neither"]
    ask(evening, tools="11-13", crates="10-12")
    evening.do("call_results", turn=turn, first="yes", second="no")
    assert (evening.state.now.met, evening.state.now.gaps) == ((True, False), (0, None))
    refused(evening, "judged already", "call_results", turn=turn, first="yes", second="yes")
    undo(evening)
    for value in (6, 5):
        evening.do("show_card", turn=turn, kind="tools", value=value)
    evening.do("call_results", turn=turn, first="yes", second="no")  # no Crates were played
    assert evening.state.now.gaps == (0, 10)


def test_the_sled_holds_no_fewer_cards_than_its_totals_take(climb):
    """Eleven and thirteen cannot lie there as one card."""
    evening = climb()
    turn = to_encounter(evening)
    evening.do("card_on_sled", turn=turn, flip=1)
    wait(evening)
    evening.do("resolve", turn=turn)
    ask(evening, tools="11-13", crates="10-13")
    evening.do("set_total", turn=turn, kind="tools", total=11)
    evening.do("set_total", turn=turn, kind="crates", total=13)
    assert shown(evening, "peak-sled-cards").value == 5
    refused(evening, "at least 5 cards", "count_sled", turn=turn, what="cards", by=-1)
    evening.do("count_sled", turn=turn, what="cards", by=1)
    evening.do("no_reward", turn=turn)
    assert (evening.state.stage, evening.state.cards.hands) == ("draw", 15 - 6)


def test_cards_that_were_forgotten_on_the_sled_are_counted_before_dealing(climb):
    evening = climb()
    turn = to_draw(evening)
    assert shown(evening, "peak-deals").value == "0"
    evening.do("count_sled", turn=turn, what="cards", by=5)
    assert shown(evening, "peak-deals").value == "5"
    assert (evening.state.cards.hands, evening.state.cards.discard) == (10, 3 + 5)


def test_an_injury_that_was_dealt_is_told_in_the_draw_phase(climb):
    evening = climb()
    turn = to_draw(evening)
    assert shown(evening, "peak-found") is None
    evening.do("put_injuries", supply=10, deck=3, discard=2, hands=0)
    told = tap(evening, "An Injury was dealt").do
    evening.do(told.command, **told.args)
    assert injuries(evening) == (10, 2, 2, 1)
    evening.do("deal", turn=turn)


def test_an_injury_that_was_dealt_is_told_until_the_airplane_moves_on(climb):
    evening = climb()
    evening.do("put_injuries", supply=10, deck=3, discard=2, hands=0)
    to_draw(evening)
    finish_turn(evening)
    told = tap(evening, "An Injury was dealt").do
    evening.do(told.command, **told.args)
    assert injuries(evening) == (10, 2, 2, 1)


def test_injuries_are_only_where_cards_are(climb):
    """A deck of 19 with four Injuries: whoever takes 18 of it takes at least three; all of it, all four."""
    evening = climb()
    evening.do("put_cards", deck=19, discard=3, hands=15)
    evening.do("put_injuries", supply=8, deck=4, discard=3, hands=0)
    refused(evening, "Put the Injuries right first", "put_cards", deck=3, discard=3, hands=15)
    turn = to_price(evening)
    due = roll(evening, "confusion")
    evening.do("tell_gap", turn=turn, which=1, gap=18)
    assert [each.short for each in taps(evening, "peak-pay")] == ["3", "4"]
    refused(evening, "At least 3 Injuries", "pay_penalty", **due)
    undo(evening)
    evening.do("tell_gap", turn=turn, which=1, gap=19)
    evening.do("pay_penalty", **due, injuries=4)
    assert (evening.state.cards.deck, evening.state.injuries.deck) == (0, 0)
    evening.do("put_injuries", supply=0, deck=6, discard=8, hands=1)
    assert evening.state.cards.deck == 6


def test_whoever_deals_a_deck_of_injuries_deals_injuries(climb):
    evening = climb()
    evening.do("put_cards", deck=6, discard=3, hands=10)
    evening.do("put_injuries", supply=7, deck=5, discard=3, hands=0)
    turn = to_draw(evening)
    evening.do("deal", turn=turn, rest="no")
    assert injuries(evening) == (7, 1, 3, 4)  # five of six cards: one of them may have been none


def test_injuries_on_the_sled_are_worth_nothing_and_go_to_the_discard(climb):
    evening = climb()
    refused(evening, "no Injury is in the Equipment deck", "find_injury", turn=1)
    evening.do("put_injuries", supply=10, deck=4, discard=0, hands=1)
    turn = to_reveal(evening)
    refused(evening, "only 5 Injuries", "count_sled", turn=turn, what="injuries", by=6)
    evening.do("count_sled", turn=turn, what="injuries", by=2)  # one more than anybody told
    evening.do("count_sled", turn=turn, what="cards", by=5)
    evening.do("call_results", turn=turn, first="yes", second="yes")
    assert injuries(evening) == (10, 3, 0, 2)
    played, hands = evening.state.played, evening.state.cards.hands
    evening.do("no_reward", turn=turn)
    assert evening.state.cards.hands == hands - played
    assert injuries(evening) == (10, 3, 2, 0)


def play_an_injury(climb):
    """Judged, with the one Injury that anybody held on the sled and none in the discard."""
    evening = climb()
    evening.do("put_injuries", supply=14, deck=0, discard=0, hands=1)
    turn = to_reveal(evening)
    evening.do("count_sled", turn=turn, what="injuries", by=1)
    evening.do("call_results", turn=turn, first="yes", second="yes")
    return evening, turn


def test_an_injury_played_this_turn_is_not_healed_in_it(climb):
    evening, turn = play_an_injury(climb)
    refused(evening, "on the sled come there when this phase ends", "heal", turn=turn)
    assert "on the sled" in tap(evening, "Heal").why_not
    assert injuries_at(evening) == {
        "Injury deck": "14",
        "Equipment deck": "0",
        "Equipment discard": "0",
        "on the sled": "1",
        "in hands": "0",
    }
    evening.do("no_reward", turn=turn)
    finish_turn(evening)
    to_price(evening)
    evening.do("heal", turn=turn + 1)
    assert injuries(evening) == (15, 0, 0, 0)


def test_injuries_put_right_while_they_lie_on_the_sled_do_not_stop_the_turn(climb):
    evening, turn = play_an_injury(climb)
    evening.do("put_injuries", supply=15, deck=0, discard=0, hands=0)
    assert "on the sled" not in injuries_at(evening)
    evening.do("no_reward", turn=turn)
    assert injuries(evening) == (15, 0, 0, 0)


def test_a_journal_from_when_played_injuries_were_discarded_at_once_still_folds(climb):
    evening = climb()
    evening.do("put_injuries", supply=10, deck=4, discard=0, hands=1)
    turn = to_reveal(evening)
    evening.do("count_sled", turn=turn, what="injuries", by=2)
    told = [
        ("ChallengesJudged", {"turn": turn, "met": [True, True], "gaps": [0, 0], "injuries": 2}),
        ("RewardTaken", {"turn": turn, "reward": "heal"}),
        ("InjuriesMoved", {"source": "discard", "to": "supply", "count": 1}),
        ("ResolutionEnded", {"turn": turn, "cards": 3}),
    ]
    events = tuple(load(GAME.kinds, {"event": name, **fields}) for name, fields in told)
    state = fold(GAME, evening.state, events)
    assert (state.stage, state.injuries) == ("draw", Injuries(11, 3, 1, 0))


# --- chains: shown, applied as shown, one undo ---


def applied(evening, command, **given):
    """The state after; undoing the one entry brings back all of it."""
    before = evening.state
    evening.do(command, **given)
    after = evening.state
    undo(evening)
    assert evening.state == before
    evening.do("put_back", entry=evening.journal.version - 1)
    assert evening.state == after
    return after


def test_an_accident_adds_two_injuries_to_the_discard(climb):
    evening = climb()
    to_price(evening)
    due = roll(evening, "accident")
    assert "10 left" in chain(evening, "peak-owed-chain")[0][0]
    applied(evening, "pay_penalty", **due)
    assert injuries(evening) == (10, 0, 5, 0)


@pytest.mark.parametrize("left", [0, 1])
def test_an_accident_that_cannot_be_drawn_loses_at_once(climb, left):
    evening = climb()
    evening.do("put_injuries", supply=left, deck=0, discard=15 - left, hands=0)
    to_price(evening)
    due = roll(evening, "accident")
    sentences, lost = chain(evening, "peak-owed-chain")
    assert (len(sentences), lost) == (left, True)
    applied(evening, "pay_penalty", **due)
    assert evening.verdict.outcome == "loss"
    assert evening.verdict.steps[0].because == "no-injury-left"
    refused(evening, "expedition is over", "pay_with_madness", turn=1, which=0, whom=1)


def test_loss_of_confidence_discards_two(climb):
    evening = climb()
    to_price(evening)
    due = roll(evening, "confidence")
    applied(evening, "pay_penalty", **due)
    assert tokens(evening) == (4, 2, 0)


@pytest.mark.parametrize(
    ("before", "reading", "after"),
    [
        ((1, 5, 0), "sled", (0, 5, 1)),
        ((1, 5, 0), "discard", (1, 4, 1)),
        ((0, 6, 0), "sled", (0, 5, 1)),
        ((1, 0, 5), "discard", (0, 0, 6)),
        ((0, 1, 5), "sled", (0, 0, 6)),
    ],
)
def test_loss_of_confidence_with_too_few_tokens_puts_one_into_the_box(climb, before, reading, after):
    evening = climb(**{"token-origin": reading})
    to_price(evening)
    evening.do("put_tokens", **dict(zip(("sled", "discard", "box"), before, strict=True)))
    due = roll(evening, "confidence")
    sentences, lost = chain(evening, "peak-owed-chain")
    assert "too few" in sentences[0]
    assert lost == (after[2] == 6)
    applied(evening, "pay_penalty", **due)
    assert tokens(evening) == after
    assert (evening.verdict.outcome == "loss") == (after[2] == 6)


def by_five(evening):
    """Both Challenges missed, the first by five."""
    turn = to_reveal(evening)
    ask(evening, weapons="5-9", books="30")
    for kind in ("weapons", "books"):
        evening.do("set_total", turn=turn, kind=kind, total=0)
    return turn


def test_confusion_discards_as_many_cards_as_were_missing(climb):
    evening = climb()
    by_five(evening)
    due = roll(evening, "confusion", which=0)
    applied(evening, "pay_penalty", **due)
    assert (evening.state.cards.deck, evening.state.cards.discard) == (20, 3 + 5)


def test_confusion_may_turn_up_injuries(climb):
    evening = climb()
    evening.do("put_injuries", supply=10, deck=2, discard=3, hands=0)
    by_five(evening)
    due = roll(evening, "confusion", which=0)
    assert [each.do.args["injuries"] for each in taps(evening, "peak-pay")] == [0, 1, 2]
    refused(evening, "So many Injuries", "pay_penalty", **due, injuries=3)
    applied(evening, "pay_penalty", **due, injuries=2)
    assert injuries(evening) == (10, 0, 5, 0)


@pytest.mark.parametrize(("left", "lost"), [(6, False), (1, True)])
def test_confusion_with_too_small_a_deck_costs_a_token_for_good(climb, left, lost):
    evening = climb()
    evening.do("put_cards", deck=4, discard=3, hands=15)
    evening.do("put_tokens", sled=left, discard=0, box=6 - left)
    by_five(evening)
    due = roll(evening, "confusion", which=0)
    assert "only 4 cards" in chain(evening, "peak-owed-chain")[0][0]
    applied(evening, "pay_penalty", **due)
    assert tokens(evening) == (left - 1, 0, 7 - left)
    assert evening.state.cards.deck == 4
    assert (evening.verdict.outcome == "loss") == lost


def test_confusion_after_judging_by_hand_asks_for_the_gap(climb):
    evening = climb()
    turn = to_price(evening)
    due = roll(evening, "confusion")
    refused(evening, "how far", "pay_penalty", **due)
    assert len(taps(evening, "peak-gaps")) == 18
    assert tap(evening, "By more than 18").opens in [form.id for form in evening.view.forms]
    evening.do("tell_gap", turn=turn, which=1, gap=23)  # out of the sheet
    undo(evening)
    evening.do("tell_gap", turn=turn, which=1, gap=3)
    evening.do("pay_penalty", **due)
    assert evening.state.cards.deck == 22


def test_a_missed_challenge_shows_the_faces_of_the_die_at_once(climb):
    evening = climb()
    turn = to_price(evening)
    faces = [each.label for each in taps(evening, "peak-miss-1-die")]
    assert faces == ["Accident", "Confusion", "Loss of Confidence", "Roll it here"]
    fallen = tap(evening, "Accident", "peak-miss-1-die").do
    evening.do(fallen.command, **fallen.args)
    assert chain(evening, "peak-owed-chain")[0] == [
        "2 Injuries to the Equipment discard; 10 left in the Injury deck."
    ]
    undo(evening)
    evening.dice = LoadedDice(6)
    evening.do("pay_with_die", turn=turn, which=1, face="here")
    assert evening.state.now.penalties[0].face == "confidence"


def test_nothing_is_taken_while_a_die_lies_unapplied(climb):
    """One thing after the other: a token or a Madness in between would change what the die costs."""
    evening = climb()
    evening.do("put_tokens", sled=1, discard=5, box=0)
    turn = to_price(evening, "no", "no")
    due = roll(evening, "confidence")
    refused(evening, "first the penalty die", "pay_with_madness", turn=turn, which=0, whom=1)
    assert shown(evening, "peak-miss-0") is None
    evening.do("pay_penalty", **due)
    finish_turn_with_madness(evening)
    turn = to_price(evening)
    due = roll(evening, "accident")
    for command in ("praise", "heal", "search", "take_arcane", "no_reward"):
        refused(evening, "first the penalty die", command, turn=turn)
    refused(evening, "first the penalty die", "plan_relic", turn=turn, kind="ruin")
    assert shown(evening, "peak-reward") is None


def finish_turn_with_madness(evening):
    evening.do("pay_with_madness", turn=evening.state.turn, which=0, whom=1)
    finish_turn(evening)


def test_a_token_rerolls_one_at_a_time_in_the_resolution_phase(climb):
    evening = climb()
    to_price(evening)
    due = roll(evening, "accident")
    refused(evening, "costs a token", "roll_penalty", **due, rolls=1)
    evening.do("reroll", **due, rolls=1, face="confidence")
    refused(evening, "fallen again already", "reroll", **due, rolls=1, face="accident")
    evening.do("reroll", **due, rolls=2, face="accident")
    assert tokens(evening) == (4, 2, 0)
    evening.do("put_tokens", sled=0, discard=6, box=0)
    refused(evening, "No Leadership token", "reroll", **due, rolls=3)


@pytest.mark.parametrize("command", ["roll_penalty", "reroll"])
def test_a_tap_for_a_roll_that_was_taken_back_is_told_so(climb, command):
    evening = climb()
    turn = to_price(evening)
    due = roll(evening, "accident")
    undo(evening)
    refused(evening, "The die has not fallen yet", command, **due, rolls=1)
    evening.do("roll_penalty", turn=turn, penalty=1, rolls=0, face="accident")
    refused(evening, "The die has fallen", command, **due, rolls=0)


def test_a_missed_challenge_is_paid_in_the_order_the_leader_likes(climb):
    evening = climb("Ada", "Bob", "Cleo", "Dov")
    turn = to_price(evening, first="no", second="no")
    due = roll(evening, "accident", which=1)
    refused(evening, "first the penalty die", "end_resolution", turn=turn)
    refused(evening, "first the penalty die", "pay_with_die", turn=turn, which=0)
    evening.do("pay_penalty", **due)
    refused(evening, "costs nothing more", "pay_with_madness", turn=turn, which=1, whom=2)
    refused(evening, "Challenge 1 was missed", "end_resolution", turn=turn)
    evening.do("pay_with_madness", turn=turn, which=0, whom=2)
    assert evening.state.level(2) == 2
    refused(evening, "belongs to the Resolution phase; the table is at the Draw", "search", turn=turn)


def test_madness_stops_at_level_three(climb):
    evening = climb()
    put(evening, "Bob", level=3)
    turn = to_price(evening, first="no", second="no")
    refused(evening, "Bob has Madness of level 3", "pay_with_madness", turn=turn, which=0, whom=2)
    assert "Bob" not in [each.label for each in taps(evening, "peak-miss-0")]
    for name in ("Ada", "Cleo"):
        put(evening, name, level=3)
    refused(evening, "must be the penalty die", "pay_with_madness", turn=turn, which=0, whom=1)


# --- rewards ---


def plan(evening, kind, whom, space):
    """As far as it goes without taking it."""
    turn = evening.state.turn
    evening.do("plan_relic", turn=turn, kind=kind)
    if space:
        evening.do("plan_relic", turn=turn, whom=whom)


def follows(evening, whom, space=""):
    """What the Relic that is planned would mean for them."""
    return [
        link.text
        for link in consequences.relic(evening.state, replace(evening.state.now.find, seat=whom, space=space))
    ]


def test_a_relic_brings_its_token_and_madness_shown_before(climb):
    evening = climb()
    turn = to_price(evening)
    refused(evening, "Choose which Relic", "take_relic", turn=turn)
    plan(evening, "ruin", 2, "encounter")
    assert tap(evening, "Bob", "peak-relic-who").detail == "level\u00a00\u00a0→\u00a01"
    texts = follows(evening, 2, "encounter")
    assert len(texts) == 2
    assert "covers “30 more seconds”" in texts[0]
    assert "Bob draws Madness of level 1" in texts[1]
    evening.do("put_tokens", sled=5, discard=1, box=0)
    applied(evening, "take_relic", turn=turn, space="encounter")
    assert evening.state.relics[2] == ("ruin",)
    assert evening.state.covered[2] == ("encounter",)
    assert evening.state.level(2) == 1
    refused(evening, "taken already", "search", turn=turn)


def test_a_second_relic_of_a_kind_is_two_taps_and_covers_the_same_space(climb):
    """The manual names one space for each kind; where it is covered already, the Relic comes all the same."""
    evening = climb()
    for whom, covers in ((2, "covers “re-roll the die”"), (2, "whose space is covered already")):
        turn = to_price(evening, "yes", "yes")
        plan(evening, "specimen", whom, "")
        if whom in evening.state.covered:
            assert covers in tap(evening, "Bob", "peak-relic-who").detail
            assert "covers “re-roll the die”" in tap(evening, "Cleo", "peak-relic-who").detail
            evening.do("take_relic", turn=turn, whom=whom)
        else:
            evening.do("plan_relic", turn=turn, whom=whom)
            space = tap(evening, "Resolution", "peak-relic-where").do
            evening.do(space.command, **space.args)
        finish_turn(evening)
    assert evening.state.relics[2] == ("specimen", "specimen")
    assert evening.state.covered[2] == ("resolution",)


def test_a_second_knowledge_comes_without_a_token(climb):
    evening = climb()
    evening.do("put_seat", seat="Bob", level=0, specimen=0, ruin=0, knowledge=1, draw="yes")
    turn = to_price(evening)
    plan(evening, "knowledge", 2, "")
    assert "without a second Knowledge token" in follows(evening, 2)[0]
    evening.do("take_relic", turn=turn, whom=2)
    assert evening.state.covered[2] == ("draw",)
    assert evening.state.relics[2] == ("knowledge", "knowledge")


def test_somebody_at_level_three_takes_no_relic_unless_everyone_is(climb):
    evening = climb()
    put(evening, "Bob", level=3)
    turn = to_price(evening)
    refused(evening, "cannot be chosen", "plan_relic", turn=turn, kind="ruin", whom=2)
    for name in ("Ada", "Cleo"):
        put(evening, name, level=3)
    plan(evening, "ruin", 2, "draw")
    evening.do("take_relic", turn=turn, space="draw")
    assert tokens(evening) == (5, 1, 0)


@pytest.mark.parametrize(
    ("before", "after", "lost"), [((0, 4, 2), (0, 3, 3), False), ((0, 1, 5), (0, 0, 6), True)]
)
def test_with_everyone_at_level_three_and_no_token_on_the_sled_one_goes_to_the_box(
    climb, before, after, lost
):
    evening = climb(**{"token-origin": "discard"})
    for name in ("Ada", "Bob", "Cleo"):
        put(evening, name, level=3)
    evening.do("put_tokens", **dict(zip(("sled", "discard", "box"), before, strict=True)))
    turn = to_price(evening)
    plan(evening, "specimen", 1, "movement")
    assert follows(evening, 1, "movement")[1] == "Everyone has Madness of level 3."
    applied(evening, "take_relic", turn=turn, space="movement")
    assert tokens(evening) == after
    assert (evening.verdict.outcome == "loss") == lost


def test_search_runs_thirty_seconds_that_cannot_be_extended(climb):
    evening = climb()
    turn = to_price(evening)
    evening.do("search", turn=turn)
    assert timer(evening.table).shows(evening.now) > 25_000
    for command in ("add_time", "restart_timer", "pause_timer"):
        refused(evening, "cannot be extended", command)
    evening.do("pay_with_madness", turn=turn, which=1, whom=1)
    assert evening.state.stage == "resolution"  # as long as they look
    evening.do("end_resolution", turn=turn)
    assert evening.state.stage == "draw"
    assert timer(evening.table) is None


def test_arcane_equipment_heal_and_praise(climb):
    evening = climb()
    turn = to_price(evening)
    evening.do("take_arcane", turn=turn)
    assert evening.state.cards.discard == 4
    undo(evening)
    evening.do("heal", turn=turn)
    assert injuries(evening) == (13, 0, 2, 0)
    undo(evening)
    refused(evening, "holds 0 Leadership tokens", "praise", turn=turn)
    evening.do("put_tokens", sled=3, discard=3, box=0)
    refused(evening, "one Leadership token or two", "praise", turn=turn, count=3)
    evening.do("praise", turn=turn, count=2)
    assert tokens(evening) == (5, 1, 0)


def test_eight_arcane_cards_are_counted_with_and_as_many_as_the_manual_says_can_be_taken(climb):
    evening = climb()
    for taken in range(11):
        evening.do("put_plane", place="coast", coast=11)  # so many turns never were
        turn = to_price(evening, "yes", "yes")
        arcane = tap(evening, "Arcane Equipment")
        left = f"{8 - taken} left" if taken < 8 else "none left by our count, but your box may hold more"
        assert left in arcane.detail
        assert not arcane.why_not
        evening.do("take_arcane", turn=turn)
        finish_turn(evening)
    evening.do("put_plane", place="coast", coast=11)
    turn = to_price(evening)
    refused(evening, "no box holds more than 11", "take_arcane", turn=turn)
    said = next(each for each in GAME.rulings if each.id == "equipment-count").answer
    assert "8 Arcane" in said
    assert "up to 11" in said


def test_nothing_to_heal_is_said(climb):
    evening = climb()
    evening.do("put_injuries", supply=12, deck=3, discard=0, hands=0)
    turn = to_price(evening)
    refused(evening, "nothing to heal", "heal", turn=turn)
    evening.do("no_reward", turn=turn)


def test_a_space_without_a_tile_gives_no_reward_but_costs_all_the_same(climb):
    evening = climb()
    turn = to_price(evening, tile="no")
    assert shown(evening, "peak-reward") is None
    refused(evening, "without a tile", "heal", turn=turn)
    evening.do("pay_with_madness", turn=turn, which=1, whom=1)
    assert evening.state.stage == "draw"


# --- covered spaces ---


@pytest.mark.parametrize("space", ["movement", "encounter", "resolution", "draw"])
def test_a_relic_token_blocks_its_phase_for_that_leader_only(climb, space):
    evening = climb("Ada", "Bob", "Cleo", "Dov")
    for leader in ("Ada", "Bob"):
        for blocked in (leader == "Ada", False):
            put(evening, leader, level=1, relics=1, **({space: "yes"} if blocked else {}))
            before = evening.journal.version
            spend(evening, space, "covers" if blocked else "")
            while evening.journal.version > before:  # back to the start of the turn
                line = evening.journal.last()
                if line.version <= before:
                    break
                evening.do("take_back", entry=line.version)
        to_price(evening, first="yes", second="yes", to="coast")
        evening.do("no_reward", turn=evening.state.turn)
        finish_turn(evening)
        put(evening, "Ada", level=1, relics=1, **{space: "yes"})


def spend(evening, space, why):
    """Comes to the phase and spends a token there, or reads why not."""
    turn = evening.state.turn
    if space == "movement":
        return attempt(evening, why, "ignore_madness", turn=turn, whom=3)
    if space == "encounter":
        to_encounter(evening)
        wait(evening)
        return attempt(evening, why, "again", turn=turn, flip=1)
    to_price(evening)
    if space == "resolution":
        due = roll(evening, "accident")
        return attempt(evening, why, "reroll", **due, rolls=1)
    evening.do("no_reward", turn=turn)
    evening.do("pay_with_madness", turn=turn, which=1, whom=4)
    return attempt(evening, why, "raise_hand", turn=turn, raised=0)


def attempt(evening, why, command, **given):
    evening.dice = LoadedDice(1)
    if why:
        refused(evening, why, command, **given)
    else:
        evening.do(command, **given)


# --- draw and rest ---


def to_draw(evening):
    turn = to_price(evening, "yes", "yes")
    evening.do("no_reward", turn=turn)
    return turn


def test_one_token_raises_the_hand_limit_for_all_until_the_next_draw_phase(climb):
    evening = climb()
    turn = to_draw(evening)
    evening.do("raise_hand", turn=turn, raised=0)
    refused(evening, "raised already", "raise_hand", turn=turn, raised=0)
    refused(evening, "One Leadership token a turn", "raise_hand", turn=turn, raised=1)
    assert tokens(evening) == (5, 1, 0)
    assert shown(evening, "peak-hand").value == "6"
    evening.do("deal", turn=turn)
    assert evening.state.cards.hands == 18
    assert evening.state.cards.deck == 22
    evening.do("end_turn", turn=turn)
    assert shown(evening, "peak-hand").value == "6"
    to_draw(evening)
    assert shown(evening, "peak-hand").value == "5"
    assert shown(evening, "peak-deals").value == "0"


def test_what_one_hand_holds_beyond_its_limit_is_no_card_in_another(climb):
    """Four players; the limit was five for a turn, and whoever played more than the others lacks more."""
    evening = climb("Ada", "Bob", "Cleo", "Dov")
    turn = to_draw(evening)
    evening.do("raise_hand", turn=turn, raised=0)
    evening.do("deal", turn=turn, rest="no")
    turn = to_reveal(evening)
    evening.do("count_sled", turn=turn, what="cards", by=3)  # all of them Bob's, who has two left
    evening.do("call_results", turn=turn, first="yes", second="yes")
    evening.do("no_reward", turn=turn)
    assert shown(evening, "peak-deals").value == "0–3"
    refused(evening, "it takes 0 cards to 3", "deal", turn=turn, count=4)
    dealt = tap(evening, "2 cards", "peak-deal").do
    evening.do(dealt.command, **dealt.args)
    assert (evening.state.cards.hands, evening.state.cards.deck) == (17 + 2, 24 - 4 - 2)
    evening.do("end_turn", turn=turn)
    turn = to_reveal(evening)
    evening.do("count_sled", turn=turn, what="cards", by=4)  # one of each: everybody holds three or four
    evening.do("call_results", turn=turn, first="yes", second="yes")
    evening.do("no_reward", turn=turn)
    assert shown(evening, "peak-deals").value == "1–4"
    evening.do("deal", turn=turn, count=1, rest="no")
    assert evening.state.surplus == 0  # so nothing is left to ask


def test_other_tables_raise_one_hand_and_more_than_once(climb):
    evening = climb(**{"hand-raised": "one", "draw-tokens": "several"})
    turn = to_draw(evening)
    refused(evening, "Whose", "raise_hand", turn=turn, raised=0)
    evening.do("raise_hand", turn=turn, raised=0, whom=2)
    evening.do("raise_hand", turn=turn, raised=1, whom=2)
    assert [evening.state.limit(seat) for seat in (1, 2, 3)] == [5, 7, 5]
    notes = [seat.pieces[0].note for seat in evening.view.seats]
    assert notes == ["", "hand limit 7", ""]  # named where it is not everyone's


def test_a_small_deck_deals_as_far_as_it_goes(climb):
    evening = climb()
    evening.do("put_cards", deck=2, discard=3, hands=10)
    turn = to_draw(evening)
    assert shown(evening, "peak-deals").value == "2"
    assert "the deck holds no more" in shown(evening, "peak-deals").note
    evening.do("deal", turn=turn)
    assert (evening.state.cards.deck, evening.state.cards.hands) == (0, 12)


def test_a_rest_costs_a_token_for_good_and_brings_the_others_back(climb):
    evening = climb()
    turn = to_draw(evening)
    evening.do("deal", turn=turn)
    evening.do("put_tokens", sled=1, discard=4, box=1)
    assert chain(evening, "peak-rest-chain")[0] == [
        "1 Leadership token from the discard to the box; 4 left in all.",
        "3 Leadership tokens from the discard back to the sled.",
        "3 discarded cards and the 25 left in the deck are shuffled into a new one, 3 Injuries among them.",
    ]
    applied(evening, "rest", turn=turn)
    assert tokens(evening) == (4, 0, 2)
    assert injuries(evening) == (12, 3, 0, 0)
    assert leader(evening) == "Bob"
    assert evening.state.turn == 2


@pytest.mark.parametrize("where", ["sled", "discard"])
def test_there_is_no_rest_with_one_token_left(climb, where):
    evening = climb()
    turn = to_draw(evening)
    evening.do("deal", turn=turn)
    evening.do("put_tokens", **{"sled": 0, "discard": 0, "box": 5, where: 1})
    refused(evening, "Only one Leadership token", "rest", turn=turn)
    assert "Only one" in tap(evening, "Rest").why_not
    evening.do("end_turn", turn=turn)


def test_dealing_and_passing_the_sled_on_are_one_tap_with_a_rest_or_without(climb):
    evening = climb()
    turn = to_draw(evening)
    on, rest = taps(evening, "peak-turn")
    assert (on.label, on.detail, rest.label) == ("Dealt, no rest", "Bob leads turn 2", "Dealt, and rest")
    evening.do(on.do.command, **on.do.args)
    assert (evening.state.turn, leader(evening)) == (2, "Bob")
    undo(evening)
    evening.do(rest.do.command, **rest.do.args)
    assert (evening.state.turn, tokens(evening)) == (2, (5, 0, 1))
    refused(evening, "That was for turn 1; the table is at turn 2", "deal", turn=turn)


def test_the_sled_goes_to_the_left_and_round_the_table(climb):
    evening = climb()
    leaders = []
    for _ in range(4):
        leaders.append(leader(evening))
        to_draw(evening)
        evening.do("deal", turn=evening.state.turn)
        evening.do("end_turn", turn=evening.state.turn)
    assert leaders == ["Ada", "Bob", "Cleo", "Ada"]


# --- the die ---


def test_the_virtual_die_has_two_faces_of_each_and_says_that_it_is_assumed(climb):
    assert "assumed" in PENALTY_DIE.note
    names = [face.name for face in PENALTY_DIE.faces]
    assert sorted(set(names)) == ["Accident", "Confusion", "Loss of Confidence"]
    assert all(names.count(name) == 2 for name in names)
    evening = climb()
    turn = to_price(evening)
    evening.do("pay_with_die", turn=turn, which=1)
    assert "assumed" in tap(evening, "Roll it here").detail
    evening.dice = LoadedDice(6)
    evening.do("roll_penalty", turn=turn, penalty=1, rolls=0)
    assert evening.state.now.penalties[0].face == "confidence"
    assert not dice(evening.table).last[0].real
    refused(evening, "fallen already: Loss of Confidence", "roll_penalty", turn=turn, penalty=1, rolls=0)


def test_the_tools_sheet_says_it_too_and_holds_the_sand_timer(phone):
    ada = phone()
    page = ada.get(f"/s/{ada.open('Ada', 'Bob', 'Cleo', slug=SLUG)}").text
    assert "Penalty die, assumed: two faces of each" in page
    assert "Sand timer" in page


def test_the_real_die_is_told_by_its_face(climb):
    evening = climb()
    to_price(evening)
    roll(evening, "confusion")
    assert dice(evening.table).last[0].real
    assert dice(evening.table).last[0].results[0].name == "Confusion"


# --- what was forgotten is put right ---


def test_corrections_keep_six_tokens_and_fifteen_injuries(climb):
    evening = climb()
    refused(evening, "6 Leadership tokens, not 7", "put_tokens", sled=4, discard=2, box=1)
    refused(evening, "15 Injuries, not 14", "put_injuries", supply=10, deck=2, discard=1, hands=1)
    refused(evening, "Equipment deck: A number is missing", "put_cards", deck="", discard=0, hands=15)
    refused(evening, "at most 3", "put_seat", seat="Ada", level=4, specimen=0, ruin=0, knowledge=0)
    refused(evening, "only 11 Relics", "put_seat", seat="Ada", level=0, specimen=6, ruin=6, knowledge=0)
    refused(
        evening, "needs a Relic", "put_seat", seat="Ada", level=0, specimen=0, ruin=0, knowledge=0, draw="yes"
    )


def test_a_take_back_that_later_taps_rest_on_is_refused(climb):
    evening = climb()
    evening.do("put_tokens", sled=0, discard=6, box=0)
    turn = to_price(evening)
    evening.do("praise", turn=turn, count=2)
    praised = evening.journal.version
    due = roll(evening, "accident")
    evening.do("reroll", **due, rolls=1, face="accident")
    refused(evening, "on it: take that back first", "take_back", entry=praised)


# --- the end ---


def escape(evening, relics, supply, deck=0, hands=0):
    """Out over the third Escape tile with so much."""
    put(evening, "Ada", relics=relics)
    discard = 15 - supply - deck - hands
    evening.do("put_injuries", supply=supply, deck=deck, discard=discard, hands=hands)
    evening.do("put_plane", place="escape-2")
    to_price(evening, "yes", "yes", to="escape-3")
    assert evening.verdict.outcome == "continues"
    evening.do("no_reward", turn=1)  # which ends the turn: nobody deals or rests any more
    return evening.verdict


def test_the_game_ends_with_the_turn_on_the_third_escape_tile(climb):
    evening = climb()
    verdict = escape(evening, relics=7, supply=11)
    assert (verdict.outcome, verdict.winners) == ("win", (1, 2, 3))
    assert verdict.steps[0].because == "escape"
    refused(evening, "expedition is over", "move", turn=1, to="coast")
    undo(evening)
    assert evening.verdict.outcome == "continues"


@pytest.mark.parametrize(("reading", "outcome"), [("as-many", "win"), ("more", "loss")])
def test_a_tie_is_what_the_table_chose_and_the_manual_contradicts_itself(climb, reading, outcome):
    verdict = escape(climb(**{"relics-needed": reading}), relics=4, supply=11)
    assert verdict.outcome == outcome
    assert verdict.winners == ((1, 2, 3) if outcome == "win" else ())
    (step,) = [step for step in verdict.steps if step.because == "tie"]
    assert "The manual contradicts itself" in step.text


@pytest.mark.parametrize(("reading", "count", "outcome"), [("suffered", 6, "win"), ("printed", 12, "loss")])
def test_which_injuries_count_is_what_the_table_chose(climb, reading, count, outcome):
    verdict = escape(climb(**{"injuries-counted": reading}), relics=7, supply=9, deck=3, hands=1)
    assert verdict.outcome == outcome
    (step,) = [step for step in verdict.steps if step.because == "which-injuries"]
    assert f"= {count}" in step.text
    assert "The manual contradicts itself" in step.text


def test_rulings_say_that_the_manual_contradicts_itself():
    statuses = {ruling.id: (ruling.status, ruling.house_rule) for ruling in GAME.rulings}
    assert statuses["tie"] == ("contradicts", "relics-needed")
    assert statuses["which-injuries"] == ("contradicts", "injuries-counted")
    rules = {rule.id for rule in GAME.house_rules}
    assert {ruling.house_rule for ruling in GAME.rulings} - {""} <= rules


@pytest.fixture(scope="module")
def look_up():
    return LookUp(shelf())


def ruling(id):
    (found,) = [each for each in GAME.rulings if each.id == id]
    return found


def test_rulings_say_what_the_manual_says_and_no_more():
    for id, status in {
        "talk-outside": "silent",
        "madness-return": "silent",
        "box-contents": "contradicts",
        "start-space": "silent",
    }.items():
        assert ruling(id).status == status, id
    assert ruling("start-space").house_rule == "start-space"
    assert ruling("lose").house_rule == "relics-needed"
    assert ruling("early-reveal").house_rule == "early-reveal"
    assert "advice" not in ruling("move-who").answer  # talk-outside and the manual do not allow it
    assert "still free" not in ruling("relic-knowledge").more
    assert "left of the deck" in ruling("rest-steps").answer


@pytest.mark.parametrize(
    ("asked", "id"),
    [
        ("which kind of relic and who decides", "relic-which"),
        ("may a reward be declined", "reward-declined"),
        ("may the encounter end before the sand", "early-reveal"),
        ("two people spoke, one die or two", "spoke-several"),
        ("sand out and not yet revealed", "sand-out-hidden"),
        ("no arcane card left", "supply-empty"),
        ("search: may all look and take notes", "search-look"),
        ("madness text that cannot be followed", "madness-impossible"),
        ("how long is the timer", "timer-length"),
        ("leadership tokens", "token-uses"),
        ("level 2 and a relic", "relic-level-two"),
    ],
)
def test_what_was_asked_at_the_table_is_answered_first(look_up, asked, id):
    assert look_up.search(asked, SLUG, 1)[0].ruling.id == id


# --- what it is called ---


def test_words_that_players_stumbled_over_are_gone(climb):
    evening = climb()
    turn = to_reveal(evening)
    refused(evening, "no Injury can be in hands", "count_sled", turn=turn, what="injuries", by=1)
    refused(
        evening,
        "That was for turn 3; the table is at turn 1",
        "call_results",
        turn=3,
        first="no",
        second="no",
    )
    put(evening, "Bob", relics=1, resolution="yes")
    assert [each.label for each in taps(evening, "peak-finds-2")] == ["Specimen", "no re-rolls"]
    offered = " ".join(f"{each.label} {each.detail} {each.why_not}" for each in taps(evening))
    assert "omeone" not in offered  # it is somebody everywhere


def test_the_set_up_names_every_deck(sit_down):
    evening = sit_down(SLUG, "Ada", "Bob", "Cleo")
    words = " ".join(tick.detail for tick in shown(evening, "peak-list-all").ticks)
    for deck in ("Injury deck", "Equipment deck", "Arcane Equipment deck", "Relic deck", "Madness decks"):
        assert deck in words


def test_the_recap_draws_what_the_table_has_and_nobodys_madness_is_a_score(climb):
    evening = climb("Ada", "Bob", "Cleo", "Dov")
    to_draw(evening)
    finish_turn(evening)
    told = recap("K7PQ4M", evening.journal)
    assert told.chart.word == "Relics, Injuries and Leadership tokens"
    assert {seat.name: totals[-1] for seat, totals in told.chart.lines} == {
        "Relics": 0,
        "Injuries": 4,
        "Leadership tokens": 6,
    }
    assert told.word == ""
    assert [place.beside for place in told.places] == ["no Madness", "Madness 1", "Madness 1", "Madness 1"]


# --- a tally ---


def tally(**changed):
    told = {
        "players": ["Ada", "Bob", "Cleo"],
        "escape_tiles": 3,
        "relics": 7,
        "injuries": {"injury_deck": 11, "equipment_deck": 1, "equipment_discard": 2, "hands": 1},
        "leadership": {"sled": 3, "discard": 1, "box": 2},
        "injury_draw_failed": False,
    }
    return json.dumps(told | changed)


def spread(supply):
    return {"injury_deck": supply, "equipment_deck": 0, "equipment_discard": 15 - supply, "hands": 0}


@pytest.mark.parametrize(
    ("relics", "supply", "outcome", "words"),
    [
        (0, 0, "loss", "embarrassment"),
        (3, 11, "loss", "embarrassment"),
        (4, 11, "win", "keep your posts"),
        (5, 11, "win", "few scholars"),
        (7, 11, "win", "few scholars"),
        (8, 11, "win", "famous"),
        (11, 11, "win", "famous"),
        (11, 12, "win", "written anew"),
        (11, 14, "win", "written anew"),
        (11, 15, "win", "long before us"),
    ],
)
def test_every_band_of_the_table_of_results(relics, supply, outcome, words):
    verdict, _ = judge(GAME, tally(relics=relics, injuries=spread(supply)))
    assert verdict.outcome == outcome
    assert len(verdict.winners) == (3 if outcome == "win" else 0)
    assert words in " ".join(step.text for step in verdict.steps)


def test_the_bands_have_the_edges_of_the_manual():
    edges = [n for n in range(-14, 12) if band(n) != band(n - 1)]
    assert edges == [0, 1, 4, 8, 11]


def test_a_tally_knows_the_sudden_ends_and_that_the_game_goes_on():
    box = {"sled": 0, "discard": 0, "box": 6}
    assert judge(GAME, tally(leadership=box))[0].steps[0].because == "last-token"
    failed, _ = judge(GAME, tally(injury_draw_failed=True, injuries=spread(0)))
    assert (failed.outcome, failed.steps[0].because) == ("loss", "no-injury-left")
    assert judge(GAME, tally(escape_tiles=2))[0].outcome == "continues"


@pytest.mark.parametrize(
    ("rules", "outcome"),
    [({}, "win"), ({"relics-needed": "more"}, "loss"), ({"injuries-counted": "printed"}, "loss")],
)
def test_a_tally_may_bring_its_house_rules(rules, outcome):
    assert judge(GAME, tally(relics=4, house_rules=rules))[0].outcome == outcome


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"players": ["Ada", "Bob"]}, "3 to 5 players"),
        ({"players": list("ABCDEF")}, "3 to 5 players"),
        ({"players": ["Ada", "ada", "Bob"]}, "Two players"),
        ({"injuries": spread(11) | {"hands": 1}}, "15 Injuries in the box; the tally has 16"),
        ({"injuries": spread(11) | {"hands": -1}}, "injuries.hands must be at least 0"),
        ({"injuries": spread(11) | {"sled": 0}}, "means nothing here: injuries.sled"),
        (
            {"leadership": {"sled": 4, "discard": 1, "box": 2}},
            "6 Leadership tokens in the box; the tally has 7",
        ),
        ({"leadership": {"sled": 3, "discard": 1}}, "lacks leadership.box"),
        ({"relics": 12}, "relics can be at most 11"),
        ({"relics": -1}, "relics must be at least 0"),
        ({"relics": "7"}, "relics must be a whole number"),
        ({"escape_tiles": 4}, "at most 3"),
        ({"injury_draw_failed": "no"}, "must be true or false"),
        ({"injury_draw_failed": True}, "Injury deck holds 11 cards"),
        ({"madness": 3}, "means nothing here: “madness”"),
        ({"house_rules": {"tie": "win"}}, "no such house rule"),
    ],
)
def test_an_impossible_tally_is_one_clear_line(changed, why):
    with pytest.raises(Refused, match=why) as error:
        judge(GAME, tally(**changed))
    assert "\n" not in str(error.value)


def test_the_command_line_judges_a_tally():
    words = [sys.executable, "-m", "companion", "adjudicate", SLUG, "--json"]
    told = subprocess.run(words, input=tally(), capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr
    verdict = json.loads(told.stdout)
    assert (verdict["outcome"], verdict["winners"]) == ("win", ["Ada", "Bob", "Cleo"])


# --- any play at all ---


class Luck:
    def __init__(self, data):
        self.data = data

    def roll(self, faces):
        return self.data.draw(st.integers(1, faces))


@effort(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_tokens_stay_six_and_injuries_fifteen_whatever_is_tapped(sit_down, data):
    """Only what the phones offer, in any order, with time passing and taps taken back."""
    names = ("Ada", "Bob", "Cleo", "Dov", "Eve")[: data.draw(st.integers(3, 5))]
    evening = sit_down(SLUG, *names)
    evening.dice = Luck(data)
    evening.do("begin")
    for _ in range(data.draw(st.integers(10, 45))):
        offered = [
            (each.do.command, dict(each.do.args)) for each in taps(evening) if each.do and not each.off
        ]
        if evening.state.stage == "encounter" and data.draw(st.booleans()):
            wait(evening)
        if not offered or data.draw(st.integers(0, 9)) == 0:
            offered = [("take_back", {"entry": data.draw(st.integers(2, evening.journal.version))})]
        command, args = data.draw(st.sampled_from(offered))
        before = evening.state
        _, loses = chain(evening, "peak-owed-chain")
        try:
            evening.do(command, **args)
        except Refused:
            assert evening.state == before
            continue
        assert sum(tokens(evening)) == 6
        assert sum(injuries(evening)) == 15
        assert min(*tokens(evening), *injuries(evening)) >= 0
        if command == "pay_penalty" and loses:
            assert evening.verdict.outcome == "loss"
    stored = [[dump(event) for event in entry.events] for entry in evening.journal.entries]
    entries = [
        type(entry)(**{**vars(entry), "events": tuple(load(GAME.kinds, event) for event in events)})
        for entry, events in zip(evening.journal.entries, json.loads(json.dumps(stored)), strict=True)
    ]
    assert Journal(GAME, entries).state == evening.state


@effort(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_a_chain_shows_is_what_it_does(sit_down, data):
    """A chain says that it loses the game exactly if it does."""
    evening = sit_down(SLUG, "Ada", "Bob", "Cleo")
    evening.do("begin")
    sled = data.draw(st.integers(0, 6))
    discard = data.draw(st.integers(0 if sled else 1, 6 - sled))
    supply = data.draw(st.integers(0, 12))
    evening.do("put_tokens", sled=sled, discard=discard, box=6 - sled - discard)
    evening.do("put_injuries", supply=supply, deck=0, discard=15 - supply, hands=0)
    evening.do("put_cards", deck=data.draw(st.integers(0, 12)), discard=15, hands=15)
    by_five(evening)
    due = roll(evening, data.draw(st.sampled_from(["accident", "confusion", "confidence"])), which=0)
    links = consequences.penalty(evening.state, evening.state.now.penalties[0])
    evening.do("pay_penalty", **due)
    assert evening.verdict.final == links[-1].lost


def test_the_taps_of_a_turn_send_a_phone_no_more_than_they_changed(app, phone):
    """Five players, so that everything is as large as it gets."""
    ada = phone()
    code = ada.open("Ada", "Bob", "Cleo", "Dov", "Eve", slug=SLUG, **{"rule-early-reveal": "yes"})

    sends = partial(ada.sends, code)

    sends("begin")
    assert sends("move", turn=1, to="coast") < 3000
    sends("flip", turn=1)
    sends("card_on_sled", turn=1, flip=1)
    assert sends("card_on_sled", turn=1, flip=1) < 3000
    sends("ask_kind", turn=1, kind="tools")
    assert sends("read_challenge", turn=1, kind="tools", value="8-10") < 3000
    sends("read_challenge", turn=1, kind="books", value="8-10")
    sends("resolve", turn=1, early="yes")
    assert sends("show_card", turn=1, kind="tools", value=5) < 3000
    sends("show_card", turn=1, kind="books", value=5)
    assert sends("show_card", turn=1, kind="tools", value=4) < 3000
    sends("plan_relic", turn=1, kind="ruin", whom=2)


def test_people_ask_about_what_lies_there_and_about_this_moment(climb):
    state = climb().state

    def ids(state):
        return [each.id for each in GAME.rulings_now(GAME.view(state), 60)]

    assert ids(state)[0] == "start-space", "before the first move"
    assert "relic-blocks" not in ids(state)
    assert "relic-blocks" in ids(replace(state, relics={1: ("ruin",)}))
    assert "start-space" not in ids(replace(state, turn=2, place="coast"))
