"""A lost phone never stops an evening: the host role is handed on, asked for, taken over, given back."""

import pytest

from companion.core import Context, Refused
from companion.core.decide import Forbidden, decide
from companion.tools.hosting import hosting, who_asks

TWO_MINUTES = 120_000


class Room:
    """Phone 1 hosts and plays Ada, Bob plays Bob, Cleo plays Cleo; a test says of whom nothing was heard."""

    def __init__(self, sit_down):
        self.evening = sit_down("any-game", "Ada", "Bob", "Cleo")
        self.evening.do("take_seats", seats=[1])
        self.bob, self.cleo = self.evening.join("Phone 2", 2), self.evening.join("Phone 3", 3)
        self.silent, self.unknown = {}, False

    @property
    def table(self):
        return self.evening.table

    def last_heard(self, phone):
        return None if self.unknown else self.evening.now - self.silent.get(phone, 0)

    def do(self, command, by, /, **given):
        context = Context(self.evening.now, self.evening.dice, by, self.last_heard)
        form = {name: [str(value)] for name, value in given.items()}
        self.evening.keep(command, by, decide(self.evening.journal, command, form, context))
        return self.evening.log[-1].text


@pytest.fixture
def room(sit_down):
    return Room(sit_down)


def test_a_host_who_is_there_is_asked_and_says(room):
    assert room.do("ask_to_host", room.bob) == "asks to be the host"
    assert (room.table.host, who_asks(room.table)) == (1, (room.bob,))
    assert room.do("keep_host", 1, phone=room.bob) == "stays the host"
    assert who_asks(room.table) == ()
    room.do("ask_to_host", room.cleo)
    room.do("hand_host_on", 1, phone=room.cleo)
    assert (room.table.host, who_asks(room.table)) == (room.cleo, ())


def test_of_a_host_who_was_silent_for_two_minutes_nobody_waits_for_an_answer(room):
    room.silent[1] = TWO_MINUTES - 1
    room.do("ask_to_host", room.bob)
    with pytest.raises(Refused, match=r"Ada is asked already\. Two minutes after that phone falls silent"):
        room.do("ask_to_host", room.bob)
    room.silent[1] = TWO_MINUTES
    assert room.do("ask_to_host", room.bob) == "is the host now: nothing was heard of Ada’s phone"
    assert room.table.host == room.bob
    assert room.do("add_seat", room.bob, name="Dov") == "sat down"


def test_whoever_has_the_hosts_seat_by_now_takes_the_role_over_as_well(room):
    """The old phone is empty then, and goes by the name it came with."""
    room.silent[1] = TWO_MINUTES
    room.do("take_seats", room.bob, seats=1)
    assert room.do("ask_to_host", room.bob) == "is the host now: nothing was heard of Host’s phone"


def test_a_phone_that_may_listen_elsewhere_has_two_minutes_from_the_question_on(room):
    room.unknown = True
    room.do("ask_to_host", room.bob)
    room.evening.now += TWO_MINUTES - 5000
    with pytest.raises(Refused, match="Ada is asked already"):
        room.do("ask_to_host", room.bob)
    room.evening.now += 5000
    room.do("ask_to_host", room.bob)
    assert room.table.host == room.bob


@pytest.mark.parametrize(("wish", "host"), [("take_host_back", 1), ("leave_host", 2)])
def test_a_phone_that_was_lost_and_found_decides_once_whether_it_hosts_again(room, wish, host):
    room.silent[1] = TWO_MINUTES
    room.do("ask_to_host", room.bob)
    with pytest.raises(Refused, match="Only a phone that lost the host role"):
        room.do(wish, room.cleo)
    room.do(wish, 1)
    assert (room.table.host, hosting(room.table).former) == (host, 0)
    with pytest.raises(Refused):
        room.do("take_host_back", 1)


def test_who_only_watches_asks_for_nothing_and_a_host_need_not(room):
    watcher = room.evening.join("Phone 4")
    with pytest.raises(Forbidden):
        room.do("ask_to_host", watcher)
    with pytest.raises(Refused, match="This phone is the host already"):
        room.do("ask_to_host", 1)
    with pytest.raises(Refused, match="does not ask"):
        room.do("keep_host", 1, phone=room.bob)


def test_phones_that_are_gone_are_cleared_away_and_may_come_again(room):
    with pytest.raises(Refused, match="Every phone here was heard of in the last two minutes"):
        room.do("clear_phones", 1)
    room.silent.update({1: TWO_MINUTES, room.bob: TWO_MINUTES, room.cleo: TWO_MINUTES - 1})
    before = room.table.invitation
    assert room.do("clear_phones", 1) == "cleared 1 phone away that had gone"
    assert [room.table.phone(number).role for number in (1, room.bob, room.cleo)] == [
        "player",
        "gone",
        "player",
    ]
    assert room.table.holder(2) is None
    assert room.table.invitation == before, "nobody was sent away, so the QR code stays good"
