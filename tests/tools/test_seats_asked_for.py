"""Nobody loses a seat without a word: who holds one is asked, or the host, unless it has long been silent."""

import pytest

from companion.core import Context, Refused
from companion.core.decide import Forbidden, decide
from companion.tools.asking import wanted_seats

MINUTE = 60_000


class Room:
    """A table whose phones are heard of, or not: phone 1 hosts and plays Ada, Bob plays Bob, Cleo watches."""

    def __init__(self, sit_down):
        self.evening = sit_down("any-game", "Ada", "Bob", "Cleo", "Dov")
        self.evening.do("take_seats", seats=[1])
        self.bob = self.evening.join("Bob’s phone", 2)
        self.cleo = self.evening.join("Cleo’s phone")
        self.heard = {}
        self.unknown = False

    def last_heard(self, phone):
        return None if self.unknown else self.heard.get(phone, self.evening.now)

    def do(self, command, by, /, **given):
        form = {k: [str(e) for e in v] if isinstance(v, list) else [str(v)] for k, v in given.items()}
        context = Context(self.evening.now, self.evening.dice, by, self.last_heard)
        events = decide(self.evening.journal, command, form, context)
        return self.evening.keep(command, by, events)

    def seats(self, phone):
        return self.evening.table.phone(phone).seats

    def asked(self):
        return [(each.phone, each.seat.name, each.holder) for each in wanted_seats(self.evening.table)]


@pytest.fixture
def room(sit_down):
    return Room(sit_down)


def test_a_seat_that_somebody_holds_is_asked_for(room):
    room.do("take_seats", room.cleo, seats=[2])
    assert (room.seats(room.bob), room.seats(room.cleo)) == ((2,), ())
    assert room.asked() == [(room.cleo, "Bob", room.bob)]
    assert room.evening.log[-1].text == "asks for the seat of Bob"


@pytest.mark.parametrize("who", ["its holder", "the host"])
def test_its_holder_gives_it_or_the_host_does(room, who):
    room.do("take_seats", room.cleo, seats=[2])
    room.do("give_seats", room.bob if who == "its holder" else 1, phone=room.cleo)
    assert (room.seats(room.bob), room.seats(room.cleo)) == ((), (2,))
    assert room.evening.table.phone(room.bob).role == "watcher"
    assert room.asked() == []
    assert room.evening.log[-1].text == "gave the seat of Bob to Cleo’s phone"


def test_after_a_no_it_is_not_asked_again_also_not_by_another_way(room):
    room.do("take_seats", room.cleo, seats=[2])
    room.do("keep_seats", room.bob, phone=room.cleo)
    assert room.asked() == []
    for _ in range(2):
        with pytest.raises(Refused, match="The answer about Bob’s seat was no"):
            room.do("take_seats", room.cleo, seats=[2])
        room.do("take_seats", room.cleo, seats=[3])
    assert room.seats(room.bob) == (2,)


def test_a_no_is_about_whoever_held_the_seat(room):
    room.do("take_seats", room.cleo, seats=[2])
    room.do("keep_seats", room.bob, phone=room.cleo)
    room.do("take_seats", room.bob)
    room.do("take_seats", room.cleo, seats=[2])
    assert room.seats(room.cleo) == (2,), "Bob has left it, so it is free"


def test_nobody_else_answers(room):
    dov = room.evening.join("Dov’s phone", 4)
    room.do("take_seats", room.cleo, seats=[2])
    for command in ("give_seats", "keep_seats"):
        for phone in (dov, room.cleo):
            with pytest.raises(Refused, match="Whoever holds the seat says that, or the host"):
                room.do(command, phone, phone=room.cleo)
        with pytest.raises(Refused, match="asks for no seat"):
            room.do(command, room.bob, phone=dov)
    assert room.seats(room.bob) == (2,)


def test_asking_twice_is_asking_once(room):
    room.do("take_seats", room.cleo, seats=[2])
    with pytest.raises(Refused, match="That is asked already"):
        room.do("take_seats", room.cleo, seats=[2])


def test_a_phone_that_was_silent_for_a_minute_need_not_be_asked(room):
    room.heard[room.bob] = room.evening.now - MINUTE + 1
    room.do("take_seats", room.cleo, seats=[2])
    assert room.seats(room.bob) == (2,)
    room.heard[room.bob] = room.evening.now - MINUTE
    room.do("take_seats", room.cleo, seats=[2])
    assert (room.seats(room.bob), room.seats(room.cleo)) == ((), (2,))


def test_a_phone_that_may_listen_elsewhere_is_asked_and_has_a_minute(room):
    """With several machines nobody knows who listens at another one; the question reaches it all the same."""
    room.unknown = True
    room.do("take_seats", room.cleo, seats=[2])
    assert room.seats(room.bob) == (2,)
    room.evening.now += MINUTE
    room.do("take_seats", room.cleo, seats=[2])
    assert room.seats(room.cleo) == (2,)


def test_what_is_free_is_taken_at_once_and_the_rest_is_asked_for(room):
    room.do("take_seats", room.cleo, seats=[2, 3])
    assert room.seats(room.cleo) == (3,)
    room.do("give_seats", room.bob, phone=room.cleo)
    assert room.seats(room.cleo) == (2, 3)


def test_the_host_asks_nobody(room):
    room.do("take_seats", 1, seats=[1, 2])
    assert (room.seats(1), room.seats(room.bob)) == ((1, 2), ())


def test_where_everyone_taps_for_their_own_seat_a_phone_takes_one_and_asks_for_more(room):
    room.do("limit_tapping", 1, own_seats_only="yes")
    room.do("take_seats", room.cleo, seats=[1, 2, 3, 4])
    assert room.seats(room.cleo) == (3,)
    assert {name for _, name, _ in room.asked()} == {"Ada", "Bob", "Dov"}
    with pytest.raises(Refused, match="That is asked already"):
        room.do("take_seats", room.cleo, seats=[3, 4])
    with pytest.raises(Forbidden):
        room.do("count", room.cleo, seat=4, counter="1", by=1, round=1)
    room.do("give_seats", 1, phone=room.cleo)
    assert room.seats(room.cleo) == (1, 2, 3, 4), "the host may say so"


def test_who_was_removed_or_changed_their_mind_asks_no_more(room):
    room.do("take_seats", room.cleo, seats=[2])
    room.do("take_seats", room.cleo, seats=[3])
    assert room.asked() == []
    dov = room.evening.join("Dov’s phone")
    room.do("take_seats", dov, seats=[2])
    room.do("remove_phone", 1, phone=dov)
    assert room.asked() == []


def test_a_seat_that_is_no_more_is_asked_for_no_more(room):
    room.do("take_seats", room.cleo, seats=[2])
    room.do("remove_seat", 1, seat=2)
    assert room.asked() == []
