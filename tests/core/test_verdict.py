"""Who won, and what can no longer be done then."""

import pytest
from at_the_table import seats

from companion.core import Refused, State, Table, Verdict


def test_a_game_that_is_over_does_not_go_on_and_says_who_won():
    Verdict("continues", "Ada is ahead.").check_going_on()
    with pytest.raises(Refused, match=r"The game is over\. Bob wins\."):
        Verdict("win", "Bob wins.", (2,)).check_going_on()


def test_a_state_knows_who_sits_where():
    state = State(Table(seats("Ada", "Bob"), starter=1))
    assert state.name(2) == "Bob"
    with pytest.raises(Refused, match="not at this table"):
        state.name(3)
