"""What was worked out once is not worked out again, and never told of something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from at_the_table import seats

from companion.core.memo import MOST, kept_but_for, kept_on, kept_while, remembered
from companion.core.table import State, Table


@dataclass(frozen=True)
class Hand:
    cards: int


def test_what_follows_from_a_thing_is_worked_out_once_while_what_is_around_it_stays() -> None:
    asked: list[tuple[int, str]] = []

    @kept_on
    def told(hand: Hand, name: str) -> str:
        asked.append((hand.cards, name))
        return f"{name} has {hand.cards}"

    mine, yours = Hand(3), Hand(3)
    assert told(mine, "Ada") == told(mine, "Ada") == "Ada has 3"
    assert told(yours, "Bob") == "Bob has 3"
    assert asked == [(3, "Ada"), (3, "Bob")]
    assert told(mine, "Cleo") == "Cleo has 3"
    assert told(mine, "Ada") == "Ada has 3"
    assert mine == yours  # what is kept is no part of it


def test_what_is_made_of_plain_values_is_the_very_same_for_all_who_ask() -> None:
    @remembered
    def hand(cards: int) -> Hand:
        return Hand(cards)

    assert hand(3) is hand(3)
    assert hand(4) == Hand(4)


def test_an_answer_holds_while_things_are_the_very_same_and_numbers_as_large() -> None:
    asked: list[int] = []

    @kept_while(lambda state: state)
    def told(state: tuple[Hand, int]) -> int:
        asked.append(state[1])
        return state[0].cards + state[1]

    mine, yours = Hand(3), Hand(3)
    thousand = [int(each) for each in ("1000", "1000")]  # two objects, as a sum gives each time
    assert thousand[0] is not thousand[1]
    assert [told((mine, each)) for each in thousand] == [1003, 1003]
    assert asked == [1000]
    assert told((mine, 1001)) == 1004
    assert told((yours, 1000)) == 1003
    assert asked == [1000, 1001, 1000]


@dataclass(frozen=True)
class Round(State):
    leader: str = "Ada"
    counted: int = 0


def test_what_an_answer_rests_on_is_said_by_its_names() -> None:
    asked: list[int] = []

    @kept_while("table.seats", "leader")
    def told(state: Round) -> int:
        asked.append(state.counted)
        return len(asked)

    here = Round(Table(seats("Ada", "Bob"), 1))
    assert told(here) == told(replace(here, counted=7)) == 1
    assert told(replace(here, leader="Bob")) == 2
    assert told(replace(here, table=Table(seats("Ada", "Cleo"), 1))) == 3


def test_an_answer_about_a_whole_state_holds_while_only_what_is_named_has_changed() -> None:
    asked: list[str] = []

    @kept_but_for(Round, "counted")
    def told(state: Round) -> list[str]:
        asked.append(state.leader)
        return [state.leader]

    here, there = (Round(Table(seats("Ada", "Bob"), 1)) for _ in range(2))
    assert told(here) is told(replace(here, counted=7))
    assert told(there) is not told(here)  # another table, however alike
    assert told(replace(here, leader="Bob", counted=7)) == ["Bob"]
    assert told(here) == ["Ada"]
    assert asked == ["Ada", "Ada", "Bob", "Ada"]
    for _ in range(MOST):
        told(Round(Table((), 1)))
    assert told(here) == ["Ada"]
    assert len(asked) == 4 + MOST + 1  # no more tables are remembered than that


def test_a_table_may_change_as_long_as_the_same_people_sit_there_and_play_by_the_same_rules() -> None:
    asked: list[str] = []

    @kept_but_for(Round, "table", "counted", also=lambda state: state.counted > 5)
    def told(state: Round) -> list[str]:
        asked.append(state.leader)
        return [state.leader]

    here = Round(Table(seats("Ada", "Bob"), 1))
    rolled = replace(here, table=replace(here.table, tools={"dice": 3}), counted=2)
    assert told(here) is told(rolled)
    assert told(replace(here, counted=6)) is told(replace(rolled, counted=7))
    told(replace(here, counted=7, table=replace(here.table, choices={"ties": "shared"})))
    assert len(asked) == 3
