"""Pools of dice, against counting every case."""

import itertools

import pytest

from companion.tools.odds import weigh
from companion.tools.pools import (
    Fighter,
    Roll,
    again_after_a_hit,
    again_for_nothing,
    better_of,
    less,
    lucky,
    merged,
    per_cent,
    spread,
    sums,
    without,
)

#: Two faces with a sword, one with two swords in a shield, one with a book, two with nothing.
DIE = (
    Roll((1, 0, 0), False, 2 / 6),
    Roll((2, 0, 0), True, 1 / 6),
    Roll((0, 1, 0), False, 1 / 6),
    Roll((0, 0, 0), False, 2 / 6),
)


def likely(die):
    return {(each.symbols, each.block): pytest.approx(each.chance) for each in die}


def test_what_shows_the_same_is_one():
    assert likely(merged([*DIE[:1], *DIE[:1], DIE[2]])) == {
        ((1, 0, 0), False): 4 / 6,
        ((0, 1, 0), False): 1 / 6,
    }


def test_symbols_take_no_more_than_there_is():
    assert less((1, 2, 0), (2, 1, 1)) == (0, 1, 0)


def test_luck_rolls_again_what_neither_takes_a_die_nor_blocks():
    """Two swords are wanted, so the book is of no use either: three faces of six are rolled again."""
    found = likely(lucky(DIE, (2, 0, 0)))
    assert found[(1, 0, 0), False] == 2 / 6 * 1.5
    assert found[(0, 0, 0), False] == 2 / 6 * 0.5


def test_of_two_rolls_the_better_one_counts():
    found = likely(better_of(DIE, (2, 0, 0)))
    assert found[(2, 0, 0), True] == 1 - (5 / 6) ** 2
    only_books = likely(better_of(DIE, (2, 0, 0), kind=1))
    assert only_books[(2, 0, 0), True] == 1 / 6 + 1 / 6 * 1 / 6


def test_a_hit_may_be_followed_by_another():
    found = likely(again_after_a_hit(DIE, (1, 0, 0)))
    assert found[(0, 1, 0), False] == 1 / 6, "the book takes nothing, and ends it"
    assert found[(4, 0, 0), True] == 1 / 36


def test_dice_that_count_come_to_their_sums():
    d6 = dict.fromkeys(range(1, 7), 1 / 6)
    counted = [sum(faces) for faces in itertools.product(range(1, 7), repeat=3)]
    assert sums([d6] * 3) == {total: pytest.approx(counted.count(total) / 216) for total in set(counted)}


@pytest.mark.parametrize(
    ("chance", "said"), [(0, "0"), (0.001, "<1"), (0.5, "50"), (0.999, ">99"), (1, "100")]
)
def test_nothing_is_certain_that_is_not(chance, said):
    assert per_cent(chance) == said


def test_a_fight_is_weighed_to_its_end():
    """One sword is wanted, and whoever shows none and no shield pays 2 of 3: two rounds, then the last."""
    (alone,) = weigh((1, 0, 0), (Fighter(DIE, 3, 3, 2, 2),), (None,))
    hit = 1 / 2
    assert alone.clear == pytest.approx(hit)
    assert alone.damage == [pytest.approx(2 * (1 - hit))]
    assert alone.survive == pytest.approx(hit + (1 - hit) * hit, abs=1e-5)


def test_a_die_that_counts_is_as_likely_as_its_faces_and_may_be_rolled_again_for_nothing():
    die = spread((0, 0, 0, 1, 1, 2))
    assert die == {0: 1 / 2, 1: 1 / 3, 2: 1 / 6}
    again = again_for_nothing(die, die)
    assert again == pytest.approx({0: 1 / 4, 1: 1 / 2, 2: 1 / 4})
    assert again_for_nothing({2: 1.0}, die)[2] == 1.0


def test_dice_that_are_taken_leave_the_others_in_their_order():
    assert without(("book", "sword", "book"), ("book",)) == ("sword", "book")
