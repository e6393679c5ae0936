"""Dice everyone sees: thrown by the app or by hand, told in the log, counted for the evening. And lots."""

import random
import re
import time
from collections import Counter
from dataclasses import replace

import pytest
from at_the_table import Evening, LoadedDice
from hypothesis import given
from hypothesis import strategies as st

from companion.core import Refused
from companion.core.dice import Die, Face
from companion.games.any_game import GAME
from companion.sittings.play import OsLuck
from companion.tools import equip
from companion.tools.dice import KEPT, dice, fill

CASTLE = Die(
    "castle",
    "Castle die",
    (Face("might", "✊"), Face("cunning", "◆"), Face("wisdom", "☽"), Face("double might", "✊✊")),
)
RED = Die("blood-red", "Blood-red die", (Face("one drop", "💧", 1), Face("two drops", "💧💧", 2)))
ROOM = equip(replace(GAME, slug="any-game", dice=(CASTLE, RED)))


class SeededLuck:
    """The same evening every time."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def roll(self, faces):
        return self._random.randint(1, faces)

    def choose(self, among):
        return self._random.choice(among)

    def shuffle(self, order):
        return tuple(self._random.sample(order, len(order)))


@pytest.fixture
def evening():
    return Evening(ROOM, "Ada", "Bob", "Cleo")


def roll(evening, typed, *rolls, **given):
    """One throw with loaded dice; gives what the log says of it."""
    evening.dice = LoadedDice(*rolls)
    evening.do("roll_dice", throw_what=typed, **given)
    assert not evening.dice.rolls  # each number was for one die
    return evening.log[-1].text


def refused(evening, command="roll_dice", **given):
    """The sentence; and nothing has changed."""
    before = evening.state, evening.journal.version
    with pytest.raises(Refused) as why:
        evening.do(command, **given)
    assert (evening.state, evening.journal.version) == before
    return str(why.value)


def last(evening):
    return dice(evening.table).last[0]


# --- what people type ---


@pytest.mark.parametrize(
    ("typed", "thrown", "plus"),
    [
        ("coin", ["coin"], 0),
        ("d4", ["d4"], 0),
        ("d6", ["d6"], 0),
        ("d8", ["d8"], 0),
        ("d10", ["d10"], 0),
        ("d12", ["d12"], 0),
        ("d20", ["d20"], 0),
        ("d100", ["d100"], 0),
        ("d%", ["d100"], 0),
        ("2d%", ["d100", "d100"], 0),
        ("D20", ["d20"], 0),
        ("d3", ["d3"], 0),
        ("d2", ["d2"], 0),
        ("1d6", ["d6"], 0),
        ("2d6+1", ["d6", "d6"], 1),
        ("3d6-2", ["d6", "d6", "d6"], -2),
        ("3d6–2", ["d6", "d6", "d6"], -2),
        ("2d6 + d4 − 1", ["d6", "d6", "d4"], -1),
        ("  d6  ", ["d6"], 0),
        ("+d6", ["d6"], 0),
        ("1+d6", ["d6"], 1),
        ("-1+d6", ["d6"], -1),
        ("d6+1+2-4", ["d6"], -1),
        ("d6+0", ["d6"], 0),
        ("coin+d20", ["coin", "d20"], 0),
        ("20d6", ["d6"] * 20, 0),
        ("10d6+10d4", ["d6"] * 10 + ["d4"] * 10, 0),
        ("castle", ["castle"], 0),
        ("2Castle+1", ["castle", "castle"], 1),
        ("castle-1", ["castle"], -1),
        ("coin-1", ["coin"], -1),
        ("2blood-red-1", ["blood-red", "blood-red"], -1),
        ("blood-red+castle", ["blood-red", "castle"], 0),
    ],
)
def test_dice_are_typed_the_way_people_write_them(typed, thrown, plus):
    cup = fill(ROOM.dice, typed)
    assert ([die.id for die in cup.dice], cup.plus) == (thrown, plus)


WHICH = "Which dice? Type something like d20, 2d6+1 or coin."
TOO_MANY = "20 dice are as many as two hands can hold."
NONE = "No dice, no roll: throw at least one."


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", WHICH),
        ("   ", WHICH),
        ("+", WHICH),
        ("7", WHICH),
        ("2+3", WHICH),
        ("d6+", WHICH),
        ("d6++1", WHICH),
        ("d6*2", WHICH),
        ("(d6)", WHICH),
        ("d6.5", WHICH),
        ("2 d6", WHICH),
        ("🎲", WHICH),
        ("d６", WHICH),
        ("d6\x00", WHICH),
        ("<b>d6</b>", WHICH),
        ("0d6", NONE),
        ("00d6", NONE),
        ("d6+0d4", NONE),
        ("21d6", TOO_MANY),
        ("10d6+11d4", TOO_MANY),
        ("1000d6", TOO_MANY),
        ("20d6+coin", TOO_MANY),
        ("1000d1000", "A die has 2 to 100 sides; d1000 has not."),
        ("d1", "A die has 2 to 100 sides; d1 has not."),
        ("d0", "A die has 2 to 100 sides; d0 has not."),
        ("d101", "A die has 2 to 100 sides; d101 has not."),
        ("-d6", "Dice can be added, not taken away; a number can be: 2d6−1."),
        ("d20-d6", "Dice can be added, not taken away; a number can be: 2d6−1."),
        ("d6d6", "Put + or − between the dice, as in 2d6+1."),
        ("2d6 1", WHICH),
        ("d", "There is no die called “d” at this table."),
        ("dragon", "There is no die called “dragon” at this table."),
        ("2d", "There is no die called “d” at this table."),
        ("castle-die", "There is no die called “castle-die” at this table."),
        ("x" * 80, f"There is no die called “{'x' * 20}” at this table."),
        ("d6+" * 27, "That is more than one throw; type something like d20, 2d6+1 or coin."),
        ("9" * 10_000, "That is more than one throw; type something like d20, 2d6+1 or coin."),
        (" " * 60_000 + "x", "That is more than one throw; type something like d20, 2d6+1 or coin."),
    ],
)
def test_what_is_no_throw_gets_a_sentence_and_changes_nothing(evening, typed, sentence):
    began = time.perf_counter()
    assert refused(evening, throw_what=typed) == sentence
    assert time.perf_counter() - began < 1  # whatever they paste, the table goes on


def test_a_throw_without_dice_asks_for_them(evening):
    assert refused(evening) == WHICH


@given(
    st.text(max_size=90)
    | st.from_regex(r"[0-9d%+\- −]{0,14}", fullmatch=True)
    | st.lists(st.sampled_from(["2", "d6", "coin", "castle", "blood-red", "+", "-", "d%", " "])).map("".join)
)
def test_any_text_is_a_roll_or_refused_in_words(typed):
    evening = Evening(ROOM, "Ada")
    evening.dice = SeededLuck(1)
    try:
        evening.do("roll_dice", throw_what=typed)
    except Refused as why:
        said = str(why)
    else:
        said = evening.log[-1].text
        assert 1 <= len(last(evening).results) <= 20
    assert re.fullmatch(r"rolled .+|[A-Z0-9].+\.", said)


# --- a roll and how it is told ---


@pytest.mark.parametrize(
    ("typed", "rolls", "words", "total"),
    [
        ("d20", (17,), "rolled d20: 17", 17),
        ("d20+5", (17,), "rolled d20+5: 17, +5 = 22", 22),
        ("2d6+1", (3, 4), "rolled 2d6+1: 3 and 4, +1 = 8", 8),
        ("3d6-2", (1, 1, 1), "rolled 3d6−2: 1, 1 and 1, −2 = 1", 1),
        ("d4-4", (1,), "rolled d4−4: 1, −4 = −3", -3),
        ("2d6 + d4 − 1", (6, 6, 4), "rolled 2d6+d4−1: 6, 6 and 4, −1 = 15", 15),
        ("coin", (1,), "rolled coin: heads", None),
        ("2coin", (1, 2), "rolled 2coin: heads and tails", None),
        ("d%", (100,), "rolled d%: 100", 100),
        ("coin+d6", (2, 5), "rolled coin+d6: tails and 5", None),
        ("2castle", (1, 4), "rolled 2castle: might and double might", None),
        ("2blood-red+1", (1, 2), "rolled 2blood-red+1: one drop and two drops, +1 = 4", 4),
    ],
)
def test_everyone_reads_what_came_up_and_what_it_adds_up_to(evening, typed, rolls, words, total):
    assert roll(evening, typed, *rolls) == words
    assert last(evening).total == total


def test_the_log_says_who_rolled(evening):
    bob = evening.join("Bob's phone", 2)
    roll(evening, "d6", 5, phone=bob)
    assert (evening.log[-1].by, evening.log[-1].text) == ("Bob", "rolled d6: 5")
    assert last(evening).by == bob


def test_a_rooms_own_die_shows_its_names_and_symbols(evening):
    roll(evening, "castle", 4)
    (result,) = last(evening).results
    assert (result.die, result.face, result.name, result.symbol) == ("castle", 4, "double might", "✊✊")


def test_a_table_of_another_game_does_not_have_those_dice(sit_down):
    evening = sit_down("any-game", "Ada")
    assert refused(evening, throw_what="castle") == "There is no die called “castle” at this table."


def test_the_page_carries_the_last_throws_and_the_journal_all(evening):
    for _ in range(KEPT + 3):
        roll(evening, "d6", 1)
    found = dice(evening.table)
    assert (len(found.last), found.number) == (KEPT, KEPT + 3)
    assert sum("rolled d6" in line.text for line in evening.log) == KEPT + 3


# --- their own dice ---


def test_real_dice_are_told_by_their_faces(evening):
    assert roll(evening, "2d6+1", shown=[6, 3]) == "rolled at the table 2d6+1: 6 and 3, +1 = 10"
    assert last(evening).real


def test_a_rooms_real_dice_are_told_by_their_faces_too(evening):
    assert roll(evening, "castle+coin", shown=[2, 1]) == "rolled at the table castle+coin: cunning and heads"


@pytest.mark.parametrize(
    ("typed", "shown", "sentence"),
    [
        ("2d6", [6], "2 dice were thrown; say what each of them shows."),
        ("2d6", [6, 1, 2], "2 dice were thrown; say what each of them shows."),
        ("d6", [7], "A d6 has no such face."),
        ("d6", [0], "A d6 has no such face."),
        ("castle", [5], "A Castle die has no such face."),
        ("coin", [3], "A Coin has no such face."),
        ("d%", ["9999"], "A d100 has no such face."),
        ("0d6", [1], NONE),
    ],
)
def test_a_face_that_is_not_there_was_not_rolled(evening, typed, shown, sentence):
    assert refused(evening, throw_what=typed, shown=shown) == sentence


@pytest.mark.parametrize("shown", ["", "six", "-1", "1.5", "٣", "9" * 5000, "🎲"])
def test_a_face_is_told_by_its_number(evening, shown):
    words = "Say of each die which face it shows; faces are counted from 1."
    assert refused(evening, throw_what="d6", shown=[shown]) == words


# --- the spread of the evening ---


def test_the_spread_counts_what_the_app_threw_and_what_hands_threw_apart(evening):
    roll(evening, "3d6", 1, 1, 6)
    roll(evening, "d6", shown=[6])
    roll(evening, "castle", 2)
    assert dice(evening.table).spread == {
        ("d6", False): (2, 0, 0, 0, 0, 1),
        ("d6", True): (0, 0, 0, 0, 0, 1),
        ("castle", False): (0, 1, 0, 0),
    }
    assert dice(evening.table).faces["castle"] == ("might", "cunning", "wisdom", "double might")


def test_a_roll_that_is_taken_back_no_longer_counts(evening):
    roll(evening, "d6", 1)
    roll(evening, "d6", 3)
    taken = evening.log[-1].version
    roll(evening, "d6", shown=[2])
    evening.do("take_back", entry=taken)
    assert dice(evening.table).spread == {
        ("d6", False): (1, 0, 0, 0, 0, 0),
        ("d6", True): (0, 1, 0, 0, 0, 0),
    }
    assert dice(evening.table).number == 2
    evening.do("put_back", entry=taken)
    assert dice(evening.table).spread["d6", False] == (1, 0, 1, 0, 0, 0)


def test_taking_a_roll_back_does_not_roll_again(evening):
    roll(evening, "d20", 13)
    entry = evening.log[-1].version
    evening.dice = LoadedDice()  # nothing to roll with
    evening.do("take_back", entry=entry)
    evening.do("put_back", entry=entry)
    assert last(evening).results[0].face == 13


def test_a_die_that_got_more_faces_with_a_later_box_still_adds_up(evening):
    roll(evening, "castle", 2)
    taller = replace(CASTLE, faces=(*CASTLE.faces, Face("double wisdom", "☽☽")))
    evening.journal.game = equip(replace(GAME, slug="any-game", dice=(taller,)))
    roll(evening, "castle", 5)
    assert dice(evening.table).spread["castle", False] == (0, 1, 0, 0, 1)


# --- the web: a retried tap ---


def test_a_retried_roll_is_the_same_roll(app, phone):
    ada = phone()
    code = ada.open("Ada", "Bob")
    first = ada.tap(code, "roll_dice", tap="ada-rolls-1", throw_what="6d100")
    journal = app.extensions["play"].show(code).journal
    entries, rolled = list(journal.entries), dice(journal.state.table)
    again = ada.tap(code, "roll_dice", tap="ada-rolls-1", throw_what="6d100")
    assert (again.status_code, again.data) == (first.status_code, first.data)
    assert first.status_code == 201
    assert journal.entries == entries
    assert dice(journal.state.table) == rolled


def test_a_retry_that_asks_for_other_dice_is_another_tap_with_a_used_number(app, phone):
    ada = phone()
    code = ada.open("Ada", "Bob")
    ada.tap(code, "roll_dice", tap="ada-rolls-1", throw_what="d6")
    for other in ({"throw_what": "d20"}, {"throw_what": "d6", "shown": ["6"]}):
        assert ada.tap(code, "roll_dice", tap="ada-rolls-1", **other).status_code == 409
    assert app.extensions["play"].show(code).version == 2


def test_a_roll_is_the_same_after_the_server_was_started_again(app, phone):
    ada = phone()
    code = ada.open("Ada", "Bob")
    ada.tap(code, "roll_dice", throw_what="6d100")
    play = app.extensions["play"]
    before = dice(play.show(code).table)
    play._sittings.clear()  # noqa: SLF001  forgets all but the file
    assert dice(play.show(code).table) == before


# --- lots and shuffles ---


def test_a_lot_falls_on_somebody_at_the_table(evening):
    evening.dice = LoadedDice(2)
    evening.do("draw_lot")
    assert (evening.log[-1].whom, evening.log[-1].text) == ("Bob", "drawn by lot")
    assert last(evening).seat == evening.seat("Bob").id


def test_a_lot_can_be_taken_back(evening):
    evening.dice = LoadedDice(3)
    entry = evening.do("draw_lot")
    evening.do("take_back", entry=entry.version)
    assert dice(evening.table).last == ()


def test_the_seats_are_shuffled_by_the_host(evening):
    evening.dice = LoadedDice(3, 1, 2)
    evening.do("shuffle_seats")
    assert [seat.name for seat in evening.table.seats] == ["Cleo", "Ada", "Bob"]
    assert evening.log[-1].text == "seats in the order Cleo, Ada, Bob"


def test_only_the_host_shuffles_the_seats(evening):
    bob = evening.join("Bob's phone", 2)
    assert refused(evening, "shuffle_seats", phone=bob).startswith("Only the host can do that")


def test_who_watches_does_not_roll(evening):
    watcher = evening.join("Tablet")
    for command in ("roll_dice", "draw_lot"):
        assert refused(evening, command, phone=watcher, throw_what="d6").startswith("This phone only watches")


# --- fair ---


def chi_square(counts, expected):
    return sum((count - expected) ** 2 / expected for count in counts)


# the bound that a fair die passes 999 times in 1000: degrees of freedom → chi-square
@pytest.mark.parametrize(("sides", "bound"), [(6, 20.52), (20, 43.82)])
def test_sixty_thousand_rolls_fall_evenly(sides, bound):
    evening = Evening(ROOM, "Ada")
    evening.dice = SeededLuck(20_251)
    for _ in range(60_000 // 20):
        evening.do("roll_dice", throw_what=f"20d{sides}")
    counts = dice(evening.table).spread[f"d{sides}", False]
    assert sum(counts) == 60_000
    assert chi_square(counts, 60_000 / sides) < bound


@pytest.mark.parametrize("faces", [2, 6, 20, 100])
def test_the_systems_luck_reaches_both_ends_and_nothing_beyond(faces):
    seen = Counter(OsLuck().roll(faces) for _ in range(100 * faces))
    assert set(seen) == set(range(1, faces + 1))  # to miss one face has odds below e⁻¹⁰⁰ times faces


def test_the_systems_luck_is_asked_for_one_number_below_the_faces(monkeypatch):
    """Unbiased by construction: `secrets.randbelow` takes no remainder, and nothing else is done to it."""
    asked = []
    monkeypatch.setattr(
        "companion.sittings.luck.secrets.randbelow", lambda faces: asked.append(faces) or faces - 1
    )
    assert [OsLuck().roll(faces) for faces in (2, 6, 100)] == [2, 6, 100]
    assert asked == [2, 6, 100]


def test_the_systems_luck_shuffles_everyone_into_every_place():
    orders = Counter(OsLuck().shuffle("abc") for _ in range(1200))
    assert len(orders) == 6
    assert chi_square(orders.values(), 200) < 33  # 5 degrees of freedom: once in 200,000 evenings
    assert {OsLuck().choose("abc") for _ in range(300)} == set("abc")
