"""A thing is made anew with something changed, and nothing else comes along."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import pytest

from companion.core import fixed
from companion.core.fixed import replace


@dataclass(frozen=True)
class Hand:
    cards: tuple[int, ...]
    name: str = "Ada"
    won: list[int] = field(default_factory=list)

    @cached_property
    def total(self) -> int:
        return sum(self.cards)


@dataclass(frozen=True)
class Checked(Hand):
    def __post_init__(self) -> None:
        assert self.cards


def test_the_changed_one_is_as_if_made_with_all_its_fields() -> None:
    first = Hand((1, 2))
    second = replace(first, cards=(3, 4))
    assert second == Hand((3, 4))
    assert type(second) is Hand
    assert first == Hand((1, 2))
    assert second.won is first.won


def test_what_was_worked_out_for_the_first_is_not_told_of_the_second() -> None:
    first = Hand((1, 2))
    assert first.total == 3
    assert replace(first, cards=(3, 4)).total == 7


def test_a_field_that_is_none_is_no_change() -> None:
    with pytest.raises(TypeError, match="Hand has no card"):
        replace(Hand((1,)), card=(2,))  # type: ignore[call-arg]


def test_what_looks_at_its_fields_when_it_is_made_must_be_made() -> None:
    with pytest.raises(TypeError, match="Checked is more than its fields"):
        replace(Checked((1,)), cards=())


@fixed.dataclass(frozen=True)
class Card:
    name: str
    points: int = 0

    @fixed.cached_property
    def worth(self) -> list[int]:
        """What it is worth."""
        return [self.points]


@fixed.dataclass(frozen=True)
class Token:
    name: str
    points: int = 0


def test_things_of_one_kind_are_equal_by_their_fields_whatever_else_is_kept_on_them() -> None:
    king, same = Card("king", 4), Card("king", 4)
    assert king.worth == [4]
    assert king == same
    assert hash(king) == hash(same)
    assert king != Card("king", 3)
    assert king != Card("queen", 4)
    assert king != Token("king", 4), "of another kind"


def test_what_follows_from_a_thing_is_worked_out_once_and_kept_on_it() -> None:
    king = Card("king", 4)
    assert king.worth is king.worth
    assert Card("king", 4).worth is not king.worth
    assert Card.worth.__doc__ == "What it is worth."
