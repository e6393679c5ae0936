"""Phones: who joined, which seats they hold, who hosts, and who may do what."""

import secrets

import pytest

from companion.core import Context, Entry, Refused
from companion.core.command import right
from companion.core.decide import Forbidden, decide
from companion.games import shelf
from companion.tools.phones import PhoneJoined

GAMES = shelf()


def for_the(who, slug):
    """The commands of a game that are for the host alone, or for players."""
    return [name for name, command in GAMES[slug].by_name.items() if right(command) == who]


@pytest.fixture
def evening(sit_down):
    """Phone 1 hosts and holds all three seats, until another phone takes one."""
    return sit_down("any-game", "Ada", "Bob", "Cleo")


def names_for(slug):
    return ("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay", "Gus", "Hal")[: GAMES[slug].seats[0]]


def keep(evening, command, phone, events):
    evening.journal.check(events)
    entry = Entry(evening.journal.version + 1, secrets.token_hex(8), "", phone, command, evening.now, events)
    evening.journal.add(entry)
    return entry


def knock(evening, label="Stranger"):
    """A phone that typed the code, and waits."""
    number = len(evening.table.phones) + 1
    keep(evening, "join", number, (PhoneJoined(number, label, "waiting"),))
    return number


def settle(evening, command, about, by=1):
    """`by` does something about another phone: lets it in, removes it, makes it host."""
    context = Context(evening.now, evening.dice, by)
    return keep(evening, command, by, decide(evening.journal, command, {"phone": [str(about)]}, context))


def point(evening, phone, seat="Ada"):
    return evening.do("count", phone=phone, seat=seat, counter="1", by=1, round=1)


def role(evening, phone):
    return evening.table.phone(phone).role


# --- taking seats ---


def test_bob_sits_down_with_his_phone(evening):
    bobs = evening.join("Phone 2")
    assert (role(evening, bobs), evening.table.who(bobs)) == ("watcher", "Phone 2")
    evening.do("take_seats", phone=bobs, seats=[2])
    assert (role(evening, bobs), evening.table.phone(bobs).seats) == ("player", (2,))
    assert evening.table.who(bobs) == "Bob"
    assert evening.log[-1].text == "plays Bob"


def test_one_phone_for_two_people(evening):
    theirs = evening.join("Tablet")
    evening.do("take_seats", phone=theirs, seats=[3, 2])
    assert evening.table.phone(theirs).seats == (2, 3)
    assert evening.table.who(theirs) == "Bob & Cleo"


def test_the_same_seat_ticked_twice_is_one_seat(evening):
    phone = evening.join()
    evening.do("take_seats", phone=phone, seats=[2, 2, 2])
    assert evening.table.phone(phone).seats == (2,)


def test_no_seat_means_to_watch(evening):
    bobs = evening.join("Phone 2", 2)
    evening.do("take_seats", phone=bobs)
    assert (role(evening, bobs), evening.table.phone(bobs).seats) == ("watcher", ())
    assert evening.table.holder(2) is None
    assert evening.log[-1].text == "watches"


def test_new_seats_replace_the_old_ones(evening):
    phone = evening.join("Phone 2", 2)
    evening.do("take_seats", phone=phone, seats=[3])
    assert evening.table.phone(phone).seats == (3,)
    assert evening.table.holder(2) is None


def test_a_seat_whose_phone_died_is_taken_over_by_another(evening):
    old = evening.join("Old phone", 2, 3)
    new = evening.join("New phone")
    evening.do("take_seats", phone=new, seats=[3])
    assert evening.table.phone(new).seats == (3,)
    assert evening.table.phone(old).seats == (2,)
    assert evening.table.holder(3).number == new


def test_no_seat_is_ever_held_twice(evening):
    phones = [evening.join(f"Phone {n}", 1, 2, 3) for n in range(2, 6)]
    held = [seat for phone in evening.table.phones for seat in phone.seats]
    assert sorted(held) == [1, 2, 3]
    assert evening.table.phone(phones[-1]).seats == (1, 2, 3)


@pytest.mark.parametrize("wanted", [[9], [2, 9], ["abc"], ["-1"], ["9" * 5000], ["0"]])
def test_a_seat_that_is_not_there_cannot_be_taken(evening, wanted):
    phone = evening.join("Phone 2", 2)
    with pytest.raises(Refused):
        evening.do("take_seats", phone=phone, seats=wanted)
    assert evening.table.phone(phone).seats == (2,)


def test_the_tablet_is_the_table_display(evening):
    tablet = evening.join("Tablet", 2)
    evening.do("be_display", phone=tablet)
    assert (role(evening, tablet), evening.table.phone(tablet).seats) == ("display", ())
    assert evening.log[-1].text == "is the table display"


# --- who may tap ---


def test_any_player_may_tap_for_any_seat(evening):
    bobs = evening.join("Phone 2", 2)
    point(evening, bobs, "Ada")
    assert evening.view.seats[0].counters[0].value == 1


def test_the_host_may_tap_without_a_seat(evening):
    evening.do("take_seats", seats=[])
    assert role(evening, 1) == "watcher"
    point(evening, 1)


@pytest.mark.parametrize("kind", ["watcher", "display"])
@pytest.mark.parametrize("slug", GAMES)
def test_whoever_only_looks_may_not_tap(sit_down, slug, kind):
    evening = sit_down(slug, *names_for(slug))
    phone = evening.join("Tablet")
    if kind == "display":
        evening.do("be_display", phone=phone)
    for command in for_the("player", slug):
        with pytest.raises(Forbidden, match=r"This phone only watches\. Take a seat to tap\."):
            evening.do(command, phone=phone)


def test_a_phone_that_waits_at_the_door_may_do_nothing(evening):
    stranger = knock(evening)
    for command in GAMES["any-game"].by_name:
        with pytest.raises(Forbidden, match="The host has not let this phone in yet"):
            evening.do(command, phone=stranger)


@pytest.mark.parametrize("number", [0, 2, -1, 10**9])
def test_a_phone_that_never_joined_may_do_nothing(evening, number):
    for command in GAMES["any-game"].by_name:
        with pytest.raises(Forbidden, match="This phone is not at the table"):
            evening.do(command, phone=number)


def test_everyone_for_themselves_if_the_host_says_so(evening):
    bobs = evening.join("Phone 2", 2)
    evening.do("limit_tapping", own_seats_only="yes")
    with pytest.raises(Forbidden, match="At this table everyone taps for their own seat"):
        point(evening, bobs, "Ada")
    point(evening, bobs, "Bob")
    point(evening, 1, "Bob")
    assert [each.counters[0].value for each in evening.view.seats] == [0, 2, 0]


def test_everyone_takes_back_their_own_taps_if_the_host_says_so(evening):
    bobs, cleos = evening.join("Phone 2", 2), evening.join("Phone 3", 3)
    hers = point(evening, cleos, "Cleo")
    for_bob = point(evening, cleos, "Bob")
    evening.do("limit_tapping", own_seats_only="yes")
    with pytest.raises(Forbidden, match="everyone takes back their own taps"):
        evening.do("take_back", phone=bobs, entry=hers.version)
    evening.do("take_back", phone=bobs, entry=for_bob.version)
    evening.do("take_back", phone=cleos, entry=hers.version)
    evening.do("put_back", phone=1, entry=hers.version)
    with pytest.raises(Forbidden, match="everyone takes back their own taps"):
        evening.do("take_back", phone=bobs, entry=hers.version)


def test_the_host_can_let_everyone_tap_for_everyone_again(evening):
    bobs = evening.join("Phone 2", 2)
    evening.do("limit_tapping", own_seats_only="yes")
    evening.do("limit_tapping", own_seats_only="no")
    point(evening, bobs, "Ada")
    with pytest.raises(Refused, match="It is so already"):
        evening.do("limit_tapping", own_seats_only="no")


# --- what only the host may do ---


@pytest.mark.parametrize("kind", ["player", "watcher", "display", "old host"])
@pytest.mark.parametrize("slug", GAMES)
def test_only_the_host_may_do_it(sit_down, slug, kind):
    evening = sit_down(slug, *names_for(slug))
    phone = evening.join("Phone 2", *((1,) if kind == "player" else ()))
    if kind == "display":
        evening.do("be_display", phone=phone)
    if kind == "old host":
        settle(evening, "hand_host_on", phone)
        phone = 1
    version = evening.journal.version
    for command in for_the("host", slug):
        with pytest.raises(Forbidden, match="Only the host can do that; at this table that is"):
            evening.do(command, phone=phone)
        assert evening.journal.version == version, command


def test_everything_about_seats_and_phones_is_in_that_list():
    """The list is read from the rooms; this is to see that it is not empty by mistake."""
    arranged = set(for_the("host", "any-game"))
    assert arranged >= {"add_seat", "remove_seat", "rename_seat", "repaint_seat", "move_seat"}
    assert arranged >= {"admit", "remove_phone", "hand_host_on", "lock_joining", "limit_tapping"}


@pytest.mark.parametrize("verb", ["take_back", "put_back"])
def test_what_only_the_host_may_do_only_the_host_may_take_back(evening, verb):
    bobs = evening.join("Phone 2", 2)
    renamed = evening.do("rename_seat", seat="Bob", name="Robert")
    if verb == "put_back":
        evening.do("take_back", entry=renamed.version)
    names = [seat.name for seat in evening.table.seats]
    with pytest.raises(Forbidden, match="The host did that, so only the host can take it back"):
        evening.do(verb, phone=bobs, entry=renamed.version)
    assert [seat.name for seat in evening.table.seats] == names
    evening.do(verb, entry=renamed.version)
    assert [seat.name for seat in evening.table.seats] != names


# --- the host role ---


def test_ada_hands_the_host_role_to_bob(evening):
    bobs = evening.join("Phone 2", 2)
    settle(evening, "hand_host_on", bobs)
    assert evening.table.host == bobs
    assert evening.log[-1].text == "handed the host role to Bob"
    evening.do("rename_seat", phone=bobs, seat="Bob", name="Robert")
    with pytest.raises(Forbidden, match="at this table that is Robert"):
        evening.do("add_seat", name="Dov")


def test_the_host_role_goes_to_nobody_who_is_not_here(evening):
    stranger, gone = knock(evening), evening.join("Phone 3")
    settle(evening, "remove_phone", gone)
    for phone in (stranger, gone):
        with pytest.raises(Refused, match="That phone is not at the table"):
            settle(evening, "hand_host_on", phone)
    with pytest.raises(Refused, match="That phone is not at this table"):
        settle(evening, "hand_host_on", 77)
    with pytest.raises(Refused, match="That phone is the host already"):
        settle(evening, "hand_host_on", 1)
    assert evening.table.host == 1


# --- letting in and sending away ---


def test_a_stranger_is_let_in_with_one_tap_and_may_take_a_seat(evening):
    stranger = knock(evening, "Dov’s phone")
    assert evening.log[-1].text == "asks to join"
    settle(evening, "admit", stranger)
    assert role(evening, stranger) == "watcher"
    assert evening.log[-1].text == "let Dov’s phone in"
    evening.do("take_seats", phone=stranger, seats=[3])
    point(evening, stranger)


def test_nobody_is_let_in_twice(evening):
    bobs = evening.join("Phone 2", 2)
    with pytest.raises(Refused, match="Bob is not waiting to be let in"):
        settle(evening, "admit", bobs)
    with pytest.raises(Refused, match="That phone is not at this table"):
        settle(evening, "admit", 77)


def test_a_stranger_can_be_sent_away(evening):
    stranger = knock(evening)
    settle(evening, "remove_phone", stranger)
    assert role(evening, stranger) == "gone"
    with pytest.raises(Refused, match="is not waiting to be let in"):
        settle(evening, "admit", stranger)


def test_a_removed_phone_gives_its_seats_back_and_may_do_nothing_more(evening):
    bobs = evening.join("Bob’s phone", 2)
    settle(evening, "remove_phone", bobs)
    assert evening.table.holder(2) is None
    assert evening.log[-1].text == "removed Bob’s phone from the table"
    for command in GAMES["any-game"].by_name:
        with pytest.raises(Forbidden, match="This phone is not at the table"):
            evening.do(command, phone=bobs)
    with pytest.raises(Refused, match="That phone has left already"):
        settle(evening, "remove_phone", bobs)


def test_what_a_removed_phone_tapped_still_counts_and_still_says_by_whom(evening):
    bobs = evening.join("Bob’s phone", 2)
    point(evening, bobs)
    settle(evening, "remove_phone", bobs)
    assert evening.view.seats[0].counters[0].value == 1
    assert evening.log[-2].by == "Bob"


def test_the_host_cannot_be_removed_not_even_by_the_host(evening):
    with pytest.raises(Refused, match="hand the host role on first"):
        settle(evening, "remove_phone", 1)
    assert role(evening, 1) == "player"


@pytest.mark.parametrize("rubbish", ["", "abc", "-1", "1e3", "9" * 50])
@pytest.mark.parametrize("command", ["admit", "remove_phone", "hand_host_on"])
def test_a_phone_that_is_no_number_is_refused(evening, command, rubbish):
    with pytest.raises(Refused):
        settle(evening, command, rubbish)
    assert evening.journal.version == 1


# --- the door ---


def test_the_host_closes_the_table_to_new_phones_and_opens_it_again(evening):
    evening.do("lock_joining", locked="yes")
    assert evening.table.locked
    assert evening.log[-1].text == "closed the table to new phones"
    with pytest.raises(Refused, match="It is so already"):
        evening.do("lock_joining", locked="yes")
    evening.do("lock_joining", locked="no")
    assert not evening.table.locked
    assert evening.log[-1].text == "opened the table to new phones"


def test_the_door_is_open_or_closed_and_not_ajar(evening):
    with pytest.raises(Refused, match="“ajar” is not a choice this table knows"):
        evening.do("lock_joining", locked="ajar")


def test_who_sits_where_and_who_hosts_cannot_be_taken_back_from_the_log(evening):
    bobs, stranger = evening.join("Phone 2", 2), knock(evening)
    settle(evening, "admit", stranger)
    settle(evening, "remove_phone", stranger)
    evening.do("lock_joining", locked="yes")
    evening.do("limit_tapping", own_seats_only="yes")
    settle(evening, "hand_host_on", bobs)
    for line in evening.log:
        assert line.about is None
        with pytest.raises(Refused, match="That line cannot be taken back"):
            evening.do("take_back", phone=bobs, entry=line.version)


def test_a_phone_whose_last_seat_was_taken_over_only_watches(evening):
    bobs = evening.join("Bob's phone", 2)
    evening.join("Cleo's phone", 2)
    assert evening.table.phone(bobs).role == "watcher"
    with pytest.raises(Forbidden, match="only watches"):
        evening.do("count", phone=bobs, seat="Ada", counter="1", by=1, round=1)


def test_a_phone_that_keeps_one_of_its_seats_still_plays(evening):
    bobs = evening.join("Bob's phone", 2, 3)
    evening.do("remove_seat", seat=3)
    assert evening.table.phone(bobs).role == "player"
    evening.do("count", phone=bobs, seat=2, counter="1", by=1, round=1)
