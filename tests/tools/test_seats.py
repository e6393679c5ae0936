"""Seats: who plays, what they are called, how they look, in which order, and who starts."""

import pytest
from at_the_table import LoadedDice

from companion.core import Refused
from companion.core.table import COLOURS, SYMBOLS

TWELVE = ("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea")


@pytest.fixture
def evening(sit_down):
    return sit_down("any-game", "Ada", "Bob", "Cleo")


def names(evening):
    return [seat.name for seat in evening.table.seats]


def looks(evening):
    return [(seat.colour, seat.symbol) for seat in evening.table.seats]


# --- names ---


def test_bob_wants_to_be_called_robert(evening):
    evening.do("rename_seat", seat="Bob", name="  Robert ")
    assert names(evening) == ["Ada", "Robert", "Cleo"]
    line = evening.log[-1]
    assert (line.whom, line.text) == ("Robert", "was called Bob before")


def test_a_rename_keeps_the_points(evening):
    evening.do("count", seat="Bob", counter="1", by=4, round=1)
    evening.do("rename_seat", seat="Bob", name="Robert")
    assert evening.view.seats[1].counters[0].value == 4


def test_ada_may_write_herself_in_capitals(evening):
    evening.do("rename_seat", seat="Ada", name="ADA")
    assert names(evening)[0] == "ADA"


def test_nobody_can_be_called_like_somebody_else(evening):
    for name in ("Bob", "bob", " BOB "):
        with pytest.raises(Refused, match=r"(?i)somebody at this table is called bob already\."):
            evening.do("rename_seat", seat="Ada", name=name)
        with pytest.raises(Refused, match=r"(?i)somebody at this table is called bob already\."):
            evening.do("add_seat", name=name)
    assert names(evening) == ["Ada", "Bob", "Cleo"]


def test_a_rename_to_the_same_name_is_none(evening):
    with pytest.raises(Refused, match="Ada is called that already"):
        evening.do("rename_seat", seat="Ada", name="Ada")


def test_nobody_can_be_nameless(evening):
    with pytest.raises(Refused, match="A name needs at least one visible character"):
        evening.do("rename_seat", seat="Ada", name=" \u200b ")


def test_taking_back_a_rename_cannot_make_two_adas(evening):
    renamed = evening.do("rename_seat", seat="Ada", name="Dov")
    evening.do("add_seat", name="Ada")
    with pytest.raises(
        Refused, match=r"“.*” rests on it: take that back first.*Somebody at this table is called Ada already"
    ):
        evening.do("take_back", entry=renamed.version)
    assert names(evening) == ["Dov", "Bob", "Cleo", "Ada"]


# --- order ---


def test_cleo_sits_down_between_ada_and_bob(evening):
    evening.do("move_seat", seat="Cleo", way="up")
    assert names(evening) == ["Ada", "Cleo", "Bob"]
    assert evening.log[-1].text == "seats in the order Ada, Cleo, Bob"


def test_moving_down_and_up_again_is_as_before(evening):
    evening.do("move_seat", seat="Ada", way="down")
    assert names(evening) == ["Bob", "Ada", "Cleo"]
    evening.do("move_seat", seat="Ada", way="up")
    assert names(evening) == ["Ada", "Bob", "Cleo"]


def test_the_first_cannot_sit_earlier_nor_the_last_later(evening):
    with pytest.raises(Refused, match="Ada is first already"):
        evening.do("move_seat", seat="Ada", way="up")
    with pytest.raises(Refused, match="Cleo is last already"):
        evening.do("move_seat", seat="Cleo", way="down")


def test_nobody_moves_sideways(evening):
    with pytest.raises(Refused, match="“sideways” is not a way this table knows"):
        evening.do("move_seat", seat="Ada", way="sideways")


def test_a_new_order_moves_no_points_and_no_phones(evening):
    bobs = evening.join("Bob’s phone", 2)
    evening.do("count", seat="Bob", counter="1", by=4, round=1)
    evening.do("move_seat", seat="Bob", way="up")
    first = evening.view.seats[0]
    assert (first.seat.name, first.counters[0].value) == ("Bob", 4)
    assert evening.table.phone(bobs).seats == (2,)


# --- coming and going ---


def test_dov_comes_late_and_gets_a_look_of_his_own(evening):
    evening.do("add_seat", name="Dov")
    assert names(evening) == ["Ada", "Bob", "Cleo", "Dov"]
    assert len(set(looks(evening))) == 4
    assert (evening.log[-1].whom, evening.log[-1].text) == ("Dov", "sat down")


def test_whoever_comes_after_someone_left_gets_a_seat_of_their_own_not_the_old_one(evening):
    evening.do("count", seat="Cleo", counter="1", by=4, round=1)
    evening.do("remove_seat", seat="Cleo")
    evening.do("add_seat", name="Dov")
    assert evening.seat("Dov").id == 4
    assert evening.view.seats[-1].counters[0].value == 0


def test_cleo_goes_home_and_comes_back_with_her_points(evening):
    evening.do("count", seat="Cleo", counter="1", by=4, round=1)
    left = evening.do("remove_seat", seat="Cleo")
    assert names(evening) == ["Ada", "Bob"]
    assert (evening.log[-1].whom, evening.log[-1].text) == ("Cleo", "left the table")
    evening.do("take_back", entry=left.version)
    assert evening.view.seats[2].counters[0].value == 4


def test_a_phone_loses_the_seat_that_is_removed_and_keeps_the_others(evening):
    phone = evening.join("Tablet", 2, 3)
    evening.do("remove_seat", seat="Cleo")
    assert evening.table.phone(phone).seats == (2,)
    assert evening.table.holder(3) is None


def test_a_phone_whose_only_seat_is_removed_is_still_at_the_table(evening):
    phone = evening.join("Cleo’s phone", 3)
    evening.do("remove_seat", seat="Cleo")
    assert evening.table.phone(phone).seats == ()
    assert evening.table.who(phone) == "Cleo’s phone"
    evening.do("take_seats", phone=phone, seats=[2])
    assert evening.table.who(phone) == "Bob"


def test_if_the_one_who_starts_leaves_the_first_seat_starts(evening):
    evening.do("choose_starter", seat="Bob")
    evening.do("remove_seat", seat="Bob")
    assert evening.table.starter == evening.seat("Ada").id


def test_if_someone_else_leaves_the_same_one_starts(evening):
    evening.do("choose_starter", seat="Bob")
    evening.do("remove_seat", seat="Ada")
    assert evening.table.starter == evening.seat("Bob").id


def test_the_last_player_cannot_leave_a_game_for_one_or_more(sit_down):
    alone = sit_down("any-game", "Ada")
    with pytest.raises(Refused, match=r"Any game is for 1 to 12 players; this table has 0\."):
        alone.do("remove_seat", seat="Ada")
    assert names(alone) == ["Ada"]


def test_a_thirteenth_player_is_one_too_many(sit_down):
    full = sit_down("any-game", *TWELVE)
    with pytest.raises(Refused, match=r"Any game is for 1 to 12 players; this table has 13\."):
        full.do("add_seat", name="Max")
    assert names(full) == list(TWELVE)


def test_someone_who_left_cannot_come_back_to_a_table_that_is_full_by_now(sit_down):
    full = sit_down("any-game", *TWELVE)
    left = full.do("remove_seat", seat="Lea")
    full.do("add_seat", name="Max")
    with pytest.raises(Refused, match=r"rests? on it"):
        full.do("take_back", entry=left.version)
    assert names(full) == [*TWELVE[:-1], "Max"]


def test_a_seat_nobody_has_cannot_be_removed(evening):
    with pytest.raises(Refused, match="That seat is not at this table any more"):
        evening.do("remove_seat", seat=9)


# --- looks ---


def test_ada_wants_to_be_plum_with_the_bell(evening):
    evening.do("repaint_seat", seat="Ada", colour="plum", symbol="bell")
    assert looks(evening)[0] == ("plum", "bell")
    assert evening.log[-1].text == "now plum, with the bell"


def test_ada_may_change_just_her_symbol(evening):
    evening.do("repaint_seat", seat="Ada", colour=COLOURS[0], symbol="bell")
    assert looks(evening)[0] == (COLOURS[0], "bell")


def test_no_two_seats_look_the_same_in_colour_or_in_symbol(evening):
    with pytest.raises(Refused, match=r"Two seats have the same colour: sky\. Give each its own\."):
        evening.do("repaint_seat", seat="Ada", colour="sky", symbol="bell")
    with pytest.raises(Refused, match="Two seats have the same symbol: moon"):
        evening.do("repaint_seat", seat="Ada", colour="plum", symbol="moon")


@pytest.mark.parametrize(
    ("colour", "symbol", "what"), [("beige", "bell", "colour"), ("plum", "skull", "symbol")]
)
def test_only_what_is_in_the_box(evening, colour, symbol, what):
    with pytest.raises(Refused, match=f"There is no such {what} in the box"):
        evening.do("repaint_seat", seat="Ada", colour=colour, symbol=symbol)


def test_twelve_seats_have_twelve_looks(sit_down):
    evening = sit_down("any-game", "Ada")
    for name in TWELVE[1:]:
        evening.do("add_seat", name=name)
    colours, symbols = zip(*looks(evening), strict=True)
    assert (set(colours), set(symbols)) == (set(COLOURS), set(SYMBOLS))


def test_someone_who_comes_back_does_not_look_like_whoever_came_meanwhile(evening):
    """The newcomer got the free look; the old owner of it can only come back once that is settled."""
    left = evening.do("remove_seat", seat="Cleo")
    evening.do("add_seat", name="Dov")
    with pytest.raises(Refused, match="Two seats have the same colour"):
        evening.do("take_back", entry=left.version)
    assert len(set(looks(evening))) == len(looks(evening)) == 3


def test_an_old_coat_cannot_be_taken_back_from_whoever_wears_it_now(evening):
    painted = evening.do("repaint_seat", seat="Ada", colour="plum", symbol="bell")
    evening.do("repaint_seat", seat="Bob", colour=COLOURS[0], symbol=SYMBOLS[0])
    with pytest.raises(Refused, match="Two seats have the same colour"):
        evening.do("take_back", entry=painted.version)


# --- who starts ---


def test_bob_starts_because_we_say_so(evening):
    evening.do("choose_starter", seat="Bob")
    assert evening.table.starter == evening.seat("Bob").id
    assert (evening.log[-1].whom, evening.log[-1].text) == ("Bob", "starts")


@pytest.mark.parametrize(("lot", "name"), [(1, "Ada"), (2, "Bob"), (3, "Cleo")])
def test_the_lot_decides_who_starts(evening, lot, name):
    evening.dice = LoadedDice(lot)
    evening.do("draw_starter")
    assert evening.table.starter == evening.seat(name).id
    assert (evening.log[-1].whom, evening.log[-1].text) == (name, "starts, by lot")


def test_a_lot_once_drawn_stays_drawn_however_often_the_journal_is_read(evening):
    evening.dice = LoadedDice(3)
    evening.do("draw_starter")
    assert type(evening.journal)(evening.journal.game, evening.journal.entries).state == evening.state


def test_the_lot_can_be_taken_back(evening):
    evening.dice = LoadedDice(3)
    drawn = evening.do("draw_starter")
    evening.do("take_back", entry=drawn.version)
    assert evening.table.starter == evening.seat("Ada").id


def test_someone_who_starts_cannot_be_taken_back_from_the_table(evening):
    sat = evening.do("add_seat", name="Dov")
    evening.do("choose_starter", seat="Dov")
    with pytest.raises(Refused, match=r"rests? on it"):
        evening.do("take_back", entry=sat.version)
    assert evening.table.starter == evening.seat("Dov").id
