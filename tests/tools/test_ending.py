"""The evening ends when somebody says so, and goes on when that was a slip."""

import pytest

from companion.core import Refused
from companion.games import shelf
from companion.tools.ending import ending


@pytest.fixture(params=shelf())
def evening(request, sit_down):
    game = shelf()[request.param]
    return sit_down(request.param, *("Ada", "Bob", "Cleo", "Dov")[: game.seats[0]])


def test_the_evening_goes_on_until_somebody_ends_it(evening):
    assert ending(evening.table) is None
    evening.do("end_sitting")
    assert ending(evening.table).at == evening.log[-1].at - 1000
    assert evening.log[-1].text == "the evening has ended"


def test_it_ends_whether_or_not_the_game_is_over_and_the_verdict_stays_what_it_was(evening):
    before = evening.verdict
    evening.do("end_sitting")
    assert evening.verdict == before
    assert before.outcome == "continues"


def test_it_ends_once(evening):
    evening.do("end_sitting")
    with pytest.raises(Refused, match="ended already"):
        evening.do("end_sitting")


def test_the_end_can_be_taken_back_or_the_table_plays_on(evening):
    entry = evening.do("end_sitting")
    evening.do("take_back", entry=entry.version)
    assert ending(evening.table) is None
    evening.do("end_sitting")
    evening.do("resume_sitting")
    assert ending(evening.table) is None
    with pytest.raises(Refused, match="going on"):
        evening.do("resume_sitting")


def test_an_end_that_was_played_on_from_is_not_taken_back_on_its_own(evening):
    entry = evening.do("end_sitting")
    evening.do("resume_sitting")
    with pytest.raises(Refused, match=r"rests? on it"):
        evening.do("take_back", entry=entry.version)


def test_whoever_only_watches_cannot_end_it(evening):
    watcher = evening.join()
    with pytest.raises(Refused, match="only watches"):
        evening.do("end_sitting", phone=watcher)
