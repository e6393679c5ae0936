"""The table that every game is played at."""

from at_the_table import seats

from companion.core import State, Table

FOUR = Table(seats("Ada", "Bob", "Cleo", "Dov"), starter=1)


def test_play_goes_clockwise_from_a_seat_and_from_the_first_where_it_has_left():
    assert FOUR.clockwise(3) == (3, 4, 1, 2)
    assert FOUR.clockwise(9) == (1, 2, 3, 4)


def test_whoever_leaves_takes_along_what_is_kept_for_them():
    assert FOUR.theirs({1: "a sword", 9: "a spoon"}) == {1: "a sword"}


def test_a_room_calls_people_by_their_names():
    assert State(FOUR).name(3) == "Cleo"
