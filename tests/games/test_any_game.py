"""Any game: named counters for every seat, rounds as columns, highest or lowest wins, ties are shared."""

import pytest

from companion.core import Refused, Tap
from companion.core.pieces import Total, inside


@pytest.fixture
def cards(sit_down):
    """A card game of three, counted in points."""
    return sit_down("any-game", "Ada", "Bob", "Cleo")


def scores(evening, counter="1", **points):
    """Taps for this round: `scores(cards, Ada=3, Bob=-1)`."""
    for name, by in points.items():
        evening.do("count", seat=name, counter=counter, by=by, round=evening.state.round)


def totals(evening, counter=0):
    return {each.seat.name: each.counters[counter].value for each in evening.view.seats}


def sheet(evening, counter=0):
    return {
        row.seat.name: [*(cell.text for cell in row.cells), row.total]
        for row in evening.view.sheets[counter].rows
    }


def working(evening):
    return [step.text for step in evening.verdict.steps]


# --- counting ---


def test_everyone_starts_with_no_points_in_round_one(cards):
    assert totals(cards) == {"Ada": 0, "Bob": 0, "Cleo": 0}
    assert cards.view.phase.title == "Round 1"
    assert not any(each.leads for each in cards.view.seats)


def test_a_tap_counts_for_one_seat_only(cards):
    scores(cards, Bob=4)
    assert totals(cards) == {"Ada": 0, "Bob": 4, "Cleo": 0}


def test_plus_and_minus_add_up(cards):
    scores(cards, Ada="3+6")
    scores(cards, Ada="−2")
    assert totals(cards)["Ada"] == 7


def test_the_log_says_who_counted_what_for_whom_and_what_is_there_now(cards):
    cleos = cards.join("Cleo’s phone", 3)
    cards.do("count", phone=cleos, seat="Ada", counter="1", by=-2, round=1)
    line = cards.log[-1]
    assert (line.by, line.whom, line.text) == ("Cleo", "Ada", "−2 Points, now −2")


def test_whoever_has_most_so_far_leads(cards):
    scores(cards, Ada=2, Cleo=5)
    assert [each.seat.name for each in cards.view.seats if each.leads] == ["Cleo"]


# --- rounds ---


def test_rounds_are_columns_and_the_total_is_their_sum(cards):
    scores(cards, Ada=3, Bob=5)
    cards.do("next_round", after=1)
    scores(cards, Ada=4, Bob=-2)
    assert cards.view.phase.title == "Round 2"
    assert cards.view.sheets[0].columns == ("1", "2")
    assert sheet(cards) == {"Ada": ["3", "4", "7"], "Bob": ["5", "−2", "3"], "Cleo": ["0", "0", "0"]}


def test_a_seat_shows_what_it_got_this_round_from_the_second_round_on(cards):
    scores(cards, Ada=3)
    assert cards.view.seats[0].counters[0].detail == ""
    cards.do("next_round", after=1)
    scores(cards, Ada=-1)
    assert cards.view.seats[0].counters[0].detail == "−1 this round"


def test_a_late_next_round_from_a_second_phone_is_refused_kindly(cards):
    bobs = cards.join("Bob’s phone", 2)
    cards.do("next_round", after=1)
    with pytest.raises(Refused, match=r"Round 1 is over already; this is round 2\."):
        cards.do("next_round", phone=bobs, after=1)
    assert cards.state.round == 2


def test_a_tap_meant_for_round_one_that_arrives_in_round_two_lands_in_round_one(cards):
    cards.do("next_round", after=1)
    cards.do("count", seat="Ada", counter="1", by=3, round=1)
    assert sheet(cards)["Ada"] == ["3", "0", "3"]


def test_a_round_that_is_over_can_be_corrected_and_totals_follow(cards):
    scores(cards, Ada=3)
    cards.do("next_round", after=1)
    scores(cards, Ada=10)
    cards.do("next_round", after=2)
    cards.do("correct", seat="Ada", counter="1", round=1, to=5)
    assert sheet(cards)["Ada"] == ["5", "10", "0", "15"]
    assert totals(cards)["Ada"] == 15
    assert cards.log[-1].text == "round 1 corrected, +2 Points, now 15"


def test_the_cell_of_a_round_opens_the_form_that_corrects_it(cards):
    scores(cards, Bob=3)
    cards.do("next_round", after=1)
    form = cards.view.sheets[0].rows[1].cells[0].form
    cards.do(form.do.command, **form.do.args, to="3+1")
    assert sheet(cards)["Bob"] == ["4", "0", "4"]


def test_a_correction_adds_to_taps_that_come_at_the_same_time_instead_of_wiping_them_out(cards):
    scores(cards, Ada=3)
    cards.do("correct", seat="Ada", counter="1", round=1, to=5)
    first = cards.journal.version
    scores(cards, Ada=1)
    cards.do("take_back", entry=first)
    assert totals(cards)["Ada"] == 4


def test_correcting_to_what_is_written_there_changes_nothing(cards):
    scores(cards, Ada=3)
    with pytest.raises(Refused, match="It says that already"):
        cards.do("correct", seat="Ada", counter="1", round=1, to=3)


def test_a_round_in_which_someone_scored_cannot_be_taken_back_before_their_score(cards):
    cards.do("next_round", after=1)
    scores(cards, Ada=3)
    with pytest.raises(Refused, match="Round 2 has not begun"):
        cards.do("take_back", entry=2)
    assert cards.state.round == 2


def test_an_early_round_cannot_be_taken_back_from_under_a_later_one(cards):
    cards.do("next_round", after=1)
    cards.do("next_round", after=2)
    with pytest.raises(Refused, match=r"rests? on it"):
        cards.do("take_back", entry=2)
    cards.do("take_back", entry=3)
    cards.do("take_back", entry=2)
    assert cards.state.round == 1


# --- who wins ---


def test_before_the_end_it_says_who_would_win(cards):
    scores(cards, Ada=2, Bob=7)
    assert cards.verdict.outcome == "continues"
    assert cards.verdict.summary == "If we ended now, Bob would win with 7 Points."
    assert (cards.verdict.winners, cards.verdict.leaders) == ((), (2,))


def test_highest_wins(cards):
    scores(cards, Ada=2, Bob=7, Cleo=-1)
    cards.do("end_game")
    assert (cards.verdict.outcome, cards.verdict.winners) == ("win", (2,))
    assert cards.verdict.summary == "Bob wins with 7 Points."


def test_lowest_wins_where_the_table_chose_so(sit_down):
    golf = sit_down("any-game", "Ada", "Bob", "Cleo", rules={"who-wins": "lowest"})
    scores(golf, Ada=2, Bob=7, Cleo=-1)
    golf.do("end_game")
    assert (golf.verdict.outcome, golf.verdict.winners) == ("win", (3,))
    assert golf.verdict.summary == "Cleo wins with −1 Points."


def test_the_table_can_change_its_mind_about_who_wins_even_after_the_end(cards):
    scores(cards, Ada=2, Bob=7, Cleo=3)
    cards.do("end_game")
    cards.do("choose_rule", rule="who-wins", choice="lowest")
    assert cards.verdict.winners == (1,)


def test_a_tie_is_shared_by_all_who_are_first(cards):
    scores(cards, Ada=7, Bob=7, Cleo=3)
    assert cards.verdict.summary == "If we ended now, Ada and Bob would share the win with 7 Points each."
    assert cards.verdict.leaders == (1, 2)
    cards.do("end_game")
    assert (cards.verdict.outcome, cards.verdict.winners) == ("shared", (1, 2))
    assert cards.verdict.summary == "Ada and Bob share the win with 7 Points each."


def test_a_tie_of_all_names_all(cards):
    cards.do("end_game")
    assert cards.verdict.winners == (1, 2, 3)
    assert cards.verdict.summary == "Ada, Bob and Cleo share the win with 0 Points each."


def test_the_working_is_shown(cards):
    scores(cards, Ada=3, Bob=5)
    cards.do("next_round", after=1)
    scores(cards, Ada=4, Bob=-2)
    assert working(cards) == [
        "Ada: 3 + 4 = 7",
        "Bob: 5 − 2 = 3",
        "Cleo: 0 + 0 = 0",
        "Highest Points wins; equal scores share it.",
    ]
    assert cards.verdict.steps[-1].because == "who-wins"


def test_whoever_plays_on_has_not_won_yet(cards):
    cards.do("end_game")
    assert cards.view.phase.title == "The game is over"
    with pytest.raises(Refused, match="The game is over already"):
        cards.do("end_game")
    with pytest.raises(Refused, match="Play on first"):
        cards.do("next_round", after=1)
    cards.do("play_on")
    assert cards.verdict.outcome == "continues"
    with pytest.raises(Refused, match="The game is going on"):
        cards.do("play_on")


def test_a_score_that_was_forgotten_still_counts_after_the_end(cards):
    scores(cards, Ada=2)
    cards.do("end_game")
    scores(cards, Bob=3)
    assert cards.verdict.winners == (2,)


# --- counters ---


def test_every_seat_has_every_counter(cards):
    cards.do("add_counter", name="Gold")
    scores(cards, counter="2", Bob=3)
    assert [counter.label for counter in cards.view.seats[1].counters] == ["Points", "Gold"]
    assert totals(cards, 1) == {"Ada": 0, "Bob": 3, "Cleo": 0}
    assert totals(cards) == {"Ada": 0, "Bob": 0, "Cleo": 0}


def test_a_counter_can_start_at_twenty(cards):
    cards.do("add_counter", name="Health", start=20)
    scores(cards, counter="2", Ada=-3)
    assert totals(cards, 1) == {"Ada": 17, "Bob": 20, "Cleo": 20}
    assert cards.log[-2].text == "new counter Health, starting at 20"
    assert cards.log[-1].text == "−3 Health, now 17"


def test_only_the_first_counter_decides_and_its_start_is_part_of_the_working(cards):
    cards.do("add_counter", name="Health", start=20)
    scores(cards, Ada=5)
    scores(cards, counter="2", Bob=99)
    assert cards.verdict.leaders == (1,)
    cards.do("remove_counter", counter="1")
    assert working(cards)[:2] == ["Ada: 20 + 0 = 20", "Bob: 20 + 99 = 119"]
    assert cards.verdict.leaders == (2,)


def test_a_counter_is_put_away_with_its_sheet_and_comes_back_with_what_was_in_it(cards):
    cards.do("add_counter", name="Gold")
    scores(cards, counter="2", Ada=4)
    put_away = cards.do("remove_counter", counter="2")
    assert [each.title for each in cards.view.sheets] == ["Points"]
    with pytest.raises(Refused, match="That counter is not at this table any more"):
        scores(cards, counter="2", Ada=1)
    cards.do("take_back", entry=put_away.version)
    assert totals(cards, 1)["Ada"] == 4


def test_the_last_counter_stays(cards):
    with pytest.raises(Refused, match="A table needs at least one counter"):
        cards.do("remove_counter", counter="1")
    assert not cards.view.forms[0].also, "and nobody is offered to put it away"


def test_six_counters_are_the_most(cards):
    for name in ("Gold", "Wood", "Wool", "Iron", "Corn"):
        cards.do("add_counter", name=name)
    with pytest.raises(Refused, match="Six counters"):
        cards.do("add_counter", name="Clay")
    assert len(cards.state.kinds) == 6


def test_six_counters_are_the_most_even_if_one_that_was_put_away_comes_back(cards):
    for name in ("Gold", "Wood", "Wool", "Iron", "Corn"):
        cards.do("add_counter", name=name)
    put_away = cards.do("remove_counter", counter="2")
    cards.do("add_counter", name="Clay")
    with pytest.raises(Refused, match="Six counters"):
        cards.do("take_back", entry=put_away.version)
    assert [kind.name for kind in cards.state.kinds] == ["Points", "Wood", "Wool", "Iron", "Corn", "Clay"]


def test_two_counters_cannot_have_one_name(cards):
    cards.do("add_counter", name="Gold")
    for name in ("gold", "Points"):
        with pytest.raises(Refused, match="There is a counter called"):
            cards.do("add_counter", name=name)
    with pytest.raises(Refused, match="There is a counter called Points already"):
        cards.do("rename_counter", counter="2", name="points")


def test_a_counter_can_be_renamed_and_keeps_what_is_in_it(cards):
    scores(cards, Ada=4)
    cards.do("rename_counter", counter="1", name="points")
    cards.do("rename_counter", counter="1", name="Tricks")
    assert (cards.view.sheets[0].title, totals(cards)["Ada"]) == ("Tricks", 4)
    assert cards.log[-1].text == "the counter points is now called Tricks"
    with pytest.raises(Refused, match="It is called Tricks already"):
        cards.do("rename_counter", counter="1", name="Tricks")


def test_taking_back_a_rename_cannot_make_two_counters_of_one_name(cards):
    renamed = cards.do("rename_counter", counter="1", name="Tricks")
    cards.do("add_counter", name="Points")
    with pytest.raises(Refused, match="There is a counter called Points already"):
        cards.do("take_back", entry=renamed.version)


def test_a_counter_that_was_taken_back_cannot_come_back_on_top_of_the_one_in_its_place(cards):
    gold = cards.do("add_counter", name="Gold")
    cards.do("take_back", entry=gold.version)
    cards.do("add_counter", name="Silver")
    with pytest.raises(Refused, match="The counter Silver has taken its place"):
        cards.do("put_back", entry=gold.version)
    ids = [counter.id for counter in cards.view.seats[0].counters]
    assert len(set(ids)) == len(ids) == 2


def test_a_counter_that_someone_counted_on_cannot_be_taken_back(cards):
    gold = cards.do("add_counter", name="Gold")
    scores(cards, counter="2", Ada=1)
    with pytest.raises(Refused, match=r"rests? on it"):
        cards.do("take_back", entry=gold.version)
    assert totals(cards, 1)["Ada"] == 1


def test_points_of_someone_who_never_sat_down_do_not_go_to_whoever_comes_next(cards):
    """Taking back “Dov sat down” frees his place, and the next one to come would sit on his points."""
    sat = cards.do("add_seat", name="Dov")
    scores(cards, Dov=5)
    with pytest.raises(Refused, match=r"rests? on it"):
        cards.do("take_back", entry=sat.version)
    cards.do("take_back", entry=sat.version + 1)
    cards.do("take_back", entry=sat.version)
    cards.do("add_seat", name="Eve")
    assert totals(cards)["Eve"] == 0
    with pytest.raises(Refused):
        cards.do("put_back", entry=sat.version)


# --- slips of the thumb ---

TAP = {"seat": 1, "counter": "1", "by": 1, "round": 1}
SLIPS = {
    "a word": ({"by": "abc"}, "“abc” is not a whole number or a sum like 3+6."),
    "half a sum": ({"by": "3+"}, "“3+” is not a whole number or a sum like 3+6."),
    "a fraction": ({"by": "2.5"}, "“2.5” is not a whole number or a sum like 3+6."),
    "a thousand million": ({"by": 10**9}, "“Points” can be at most 999999."),
    "minus a thousand million": ({"by": -(10**9)}, "“Points” must be at least −999999."),
    "a sum that is too large": ({"by": "999999+1"}, "“Points” can be at most 999999."),
    "a million digits": (
        {"by": "9" * 10**6},
        "“99999999999999999999” is not a whole number or a sum like 3+6.",
    ),
    "nothing typed": ({"by": ""}, "A number is missing."),
    "only blanks": ({"by": "  "}, "A number is missing."),
    "nothing to add": ({"by": 0}, "Nothing to add."),
    "a sum of nothing": ({"by": "3-3"}, "Nothing to add."),
    "a seat nobody has": ({"seat": 9}, "That seat is not at this table any more."),
    "no seat at all": ({"seat": 0}, "The seat must be at least 1."),
    "a seat that is a word": ({"seat": "Ada; DROP"}, "“Ada; DROP” is not a whole number or a sum like 3+6."),
    "a counter nobody has": ({"counter": "9"}, "That counter is not at this table any more."),
    "a counter of noise": ({"counter": "\u202e\0<b>"}, "That counter is not at this table any more."),
    "a counter too long to be one": (
        {"counter": "1" * 61},
        "“11111111111111111111” is not a counter this table knows.",
    ),
    "a round to come": ({"round": 7}, "Round 7 has not begun."),
    "a round before the first": ({"round": 0}, "The round must be at least 1."),
    "a round beyond the sheet": ({"round": 1000}, "The round can be at most 999."),
}


@pytest.mark.parametrize(("slip", "sentence"), SLIPS.values(), ids=SLIPS)
def test_a_slip_of_the_thumb_gets_a_sentence_and_changes_nothing(cards, slip, sentence):
    tap = {**TAP, **slip}
    if isinstance(tap["seat"], str):
        tap["seat"] = [tap["seat"]]  # not a name that the fixture would look up
    before, version = cards.state, cards.journal.version
    with pytest.raises(Refused) as refused:
        cards.do("count", **tap)
    assert str(refused.value) == sentence
    assert (cards.state, cards.journal.version) == (before, version)


@pytest.mark.parametrize("left_out", TAP)
def test_half_a_tap_says_what_is_missing(cards, left_out):
    half = {name: value for name, value in TAP.items() if name != left_out}
    with pytest.raises(
        Refused, match=rf"{'“Points”' if left_out == 'by' else f'The {left_out}'} is missing\."
    ):
        cards.do("count", **half)
    assert cards.journal.version == 1


def test_something_this_game_does_not_have_is_refused_by_name(cards):
    with pytest.raises(Refused, match="Any game has nothing called “cast spell”"):
        cards.do("cast_spell")


def test_a_correction_of_a_round_to_come_is_refused(cards):
    with pytest.raises(Refused, match="Round 2 has not begun"):
        cards.do("correct", seat="Ada", counter="1", round=2, to=3)
    assert sheet(cards)["Ada"] == ["0", "0"]


def test_a_sheet_has_999_rounds(cards):
    for after in range(1, 999):
        cards.do("next_round", after=after)
    with pytest.raises(Refused, match="A sheet has 999 rounds at most"):
        cards.do("next_round", after=999)


# --- everyone chooses a number (who may choose, change and take back: tests/tools/test_sealed.py) ---


def offered(evening):
    """All that can be pressed in the phase or is listed below the sheet, by name."""
    taps = {tap.label: tap for tap in inside(evening.view.pieces) if isinstance(tap, Tap)}
    return taps | {form.title: form for form in evening.view.forms if form.listed}


def press(evening, label, **more):
    do = offered(evening)[label].do
    return evening.do(do.command, **do.args, **more)


def choose(evening, asking, **numbers):
    for name, number in numbers.items():
        evening.do("choose_number", seat=name, asking=asking, number=number)


def test_everyone_is_asked_for_a_number_and_all_are_shown_together(cards):
    press(cards, "Secret numbers")
    assert "Secret numbers" not in offered(cards), "they are being asked"
    choose(cards, 1, Ada=7, Bob="3+4")
    assert cards.state.numbers == {}
    choose(cards, 1, Cleo=999_999)
    shown = {each.label: each.value for each in inside(cards.view.phase.first) if isinstance(each, Total)}
    assert shown == {"Ada": "7", "Bob": "7", "Cleo": "999999"}
    assert cards.log[-1].text == "has chosen; the numbers: Ada 7, Bob 7 and Cleo 999999"


def test_the_numbers_are_asked_for_again_or_put_away(cards):
    press(cards, "Secret numbers")
    choose(cards, 1, Ada=1, Bob=2, Cleo=3)
    press(cards, "Ask again")
    assert cards.state.numbers == {}
    choose(cards, 2, Ada=1, Bob=2, Cleo=3)
    press(cards, "Put away")
    assert cards.view.phase.first == ()
    press(cards, "Secret numbers")
    assert cards.state.askings == 3


def test_the_game_goes_on_while_numbers_are_chosen(cards):
    press(cards, "Secret numbers")
    choose(cards, 1, Ada=1)
    scores(cards, Bob=4)
    press(cards, "Next round")
    assert (cards.view.phase.title, totals(cards)["Bob"]) == ("Round 2", 4)
    choose(cards, 1, Bob=1, Cleo=1)
    assert cards.state.numbers == {1: 1, 2: 1, 3: 1}


@pytest.mark.parametrize(
    ("number", "words"), [(-1, "must be at least 0"), ("", "missing"), (10**6, "at most")]
)
def test_a_number_is_a_whole_one_that_a_counter_could_hold(cards, number, words):
    press(cards, "Secret numbers")
    with pytest.raises(Refused, match=f"The number.*{words}|A number is {words}"):
        choose(cards, 1, Ada=number)


def test_no_form_for_a_number_holds_anything(cards):
    """Everyone may open everyone's."""
    press(cards, "Secret numbers")
    choose(cards, 1, Ada=42)
    forms = [form for form in cards.view.forms if form.do.command == "choose_number"]
    assert [form.fields[0].value for form in forms] == ["", "", ""]
    assert not any(form.listed for form in forms)


# --- what the people at the table have agreed about their game ---


def arrange(evening, **agreed):
    evening.do("arrange", **agreed)


def test_a_game_has_the_name_that_the_table_gives_it(cards):
    assert cards.journal.game.name(cards.state) == "Any game"
    arrange(cards, title=" Skull  King ")
    assert cards.journal.game.name(cards.state) == "Skull King"
    assert cards.view.phase.title == "Skull King, round 1"
    assert cards.log[-1].text == "we play Skull King"
    with pytest.raises(Refused, match="like that already"):
        arrange(cards, title="Skull King")


def test_the_target_is_announced_and_then_the_end_is_the_next_thing_to_do(cards):
    arrange(cards, target="50+50")
    scores(cards, Ada=99)
    assert (cards.view.phase.text, cards.view.phase.pieces) == ("Played to 100", ())
    scores(cards, Ada=1, Cleo=120)
    (note,) = cards.view.phase.pieces
    assert note.text == "Ada and Cleo have reached 100. After this round the game is over."
    assert note.buzz
    assert [tap.label for tap in cards.view.phase.buttons if tap.strong] == ["End game"]
    cards.do("next_round", after=1)  # unless they all agree to play on
    assert cards.state.round == 2


def test_players_stand_by_rank_as_it_was_when_the_round_began(cards):
    arrange(cards, order="rank")
    scores(cards, Bob=3, Cleo=5)
    assert [each.seat.name for each in cards.view.seats] == ["Ada", "Bob", "Cleo"], "not while one taps"
    cards.do("next_round", after=1)
    assert [each.seat.name for each in cards.view.seats] == ["Cleo", "Bob", "Ada"]
    cards.do("choose_rule", rule="who-wins", choice="lowest")
    assert [each.seat.name for each in cards.view.seats] == ["Ada", "Bob", "Cleo"]
    assert list(sheet(cards)) == ["Ada", "Bob", "Cleo"], "the sheet is as they sit"


def test_the_start_goes_round_and_back_with_the_round(cards):
    arrange(cards, starter="moves")
    for starts in (2, 3, 1):
        ended = cards.do("next_round", after=cards.state.round)
        assert cards.table.starter == starts
    cards.do("take_back", entry=ended.version)
    assert (cards.table.starter, cards.state.round) == (3, 3)


def test_a_counter_that_is_there_already_can_start_elsewhere(cards):
    scores(cards, Ada=4)
    cards.do("rename_counter", counter="1", name="Life", start=20)
    assert totals(cards) == {"Ada": 24, "Bob": 20, "Cleo": 20}
    assert cards.log[-1].text == "the counter Points is now called Life; Life start at 20"
    cards.do("rename_counter", counter="1", name="Life points")
    assert totals(cards)["Bob"] == 20, "left empty, it stays"


def test_once_more_keeps_counters_and_what_was_agreed_but_no_points(cards):
    assert list(cards.journal.game.again(cards.state)) == []
    arrange(cards, title="Skull King", target=100, order="rank", starter="moves")
    cards.do("add_counter", name="Gold", start=5)
    cards.do("remove_counter", counter="1")
    scores(cards, counter="2", Ada=9)
    kept = cards.journal.game.again(cards.state)
    fresh = type(cards)(cards.journal.game, "Ada", "Bob", "Cleo")
    fresh.keep("open", 1, tuple(kept))
    assert (fresh.state.kinds, fresh.state.agreed) == (cards.state.kinds, cards.state.agreed)
    assert totals(fresh) == {"Ada": 5, "Bob": 5, "Cleo": 5}
    fresh.do("add_counter", name="Points")
    assert [kind.name for kind in fresh.state.kinds] == ["Gold", "Points"]
