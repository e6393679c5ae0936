"""Who won, and what can no longer be done then."""

import dataclasses

import pytest
from at_the_table import seats

from companion.core import Refused, State, Step, Table, Verdict, replace


def test_a_game_that_is_over_does_not_go_on_and_says_who_won():
    Verdict("continues", "Ada is ahead.").check_going_on()
    with pytest.raises(Refused, match=r"The game is over\. Bob wins\."):
        Verdict("win", "Bob wins.", (2,)).check_going_on()


def test_a_state_knows_who_sits_where():
    state = State(Table(seats("Ada", "Bob"), starter=1))
    assert state.name(2) == "Bob"
    with pytest.raises(Refused, match="not at this table"):
        state.name(3)


def test_how_a_game_stands_is_put_into_words_only_when_somebody_asks():
    asked = []

    def say():
        asked.append("once")
        return "If we ended now, Ada would win.", (Step("Ada: 3"),)

    goes_on = Verdict.going_on((1,), say)
    goes_on.check_going_on()
    assert (goes_on.final, goes_on.leaders, goes_on.winners, asked) == (False, (1,), (), [])
    assert (goes_on.summary, goes_on.steps) == ("If we ended now, Ada would win.", (Step("Ada: 3"),))
    assert goes_on.headline == ("If we ended now, Ada would win", ".", "")
    assert asked == ["once"]
    assert goes_on == Verdict("continues", goes_on.summary, (), goes_on.steps, (1,))


@pytest.mark.parametrize("replaced", [replace, dataclasses.replace])
def test_one_that_is_not_in_words_yet_can_be_replaced(replaced):
    goes_on = Verdict.going_on((1,), lambda: ("Ada would win.", (Step("Ada: 3"),)))
    assert replaced(goes_on, summary="We stopped here.") == Verdict(
        "continues", "We stopped here.", (), (Step("Ada: 3"),), (1,)
    )
