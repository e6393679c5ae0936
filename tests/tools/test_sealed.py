"""A choice that is sealed and revealed together: who may make it, change it and take it back."""

import json

import pytest
from at_the_table import Evening

from companion.core import Refused, replace
from companion.core.decide import Forbidden
from companion.core.pieces import Sealed, inside
from companion.evenings.archive import Damaged, journal_json, read, unsealed
from companion.games import shelf
from companion.sittings.sitting import Sitting
from companion.storage.store import SittingRow
from companion.tools import sealed

GAMES = shelf()
ADA, BOB, CLEO = 2, 3, 4  # their phones; the first one hosts the table and plays nobody


@pytest.fixture
def table():
    """Everyone is asked for a number. The host only watches."""
    table = Evening(GAMES["any-game"], "Ada", "Bob", "Cleo")
    for seat in (1, 2, 3):
        table.join("", seat)
    table.do("ask_numbers", after=0)
    return table


def choose(table, phone, number, asking=1, seat=0):
    return table.do("choose_number", phone, seat=seat or phone - 1, asking=asking, number=number)


def told(table):
    """What each seat's piece says to everyone."""
    return [(each.title, each.waiting) for each in inside(table.view.pieces) if isinstance(each, Sealed)]


def shown(table):
    return table.state.numbers


def own(table, seat):
    return " ".join(each.label for each in table.journal.game.private(table.state, seat))


# --- choosing ---


def test_everyone_reads_who_has_chosen_and_nobody_what(table):
    choose(table, ADA, 7)
    assert told(table) == [
        ("Ada has chosen", "waits for 2 more"),
        ("Bob is choosing", ""),
        ("Cleo is choosing", ""),
    ]
    assert table.log[-1].text == "has chosen"
    assert not shown(table)
    assert (own(table, 1), own(table, 2)) == ("Your number: 7", "Choose your number")


def test_who_plays_for_two_reads_whose_number_it_is() -> None:
    table = Evening(GAMES["any-game"], "Ada", "Bob")
    phone = table.join("", 1, 2)
    table.do("ask_numbers", after=0)
    choose(table, phone, 7, seat=1)
    assert (own(table, 1), own(table, 2)) == ("Ada’s number: 7", "Choose Bob’s number")


def test_the_last_one_reveals_all_of_them_in_the_same_tap(table):
    choose(table, ADA, 7)
    choose(table, BOB, 0)
    last = choose(table, CLEO, 12)
    assert shown(table) == {1: 7, 2: 0, 3: 12}
    assert table.journal.version == last.version
    assert table.log[-1].text == "has chosen; the numbers: Ada 7, Bob 0 and Cleo 12"
    assert own(table, 1) == ""
    assert sealed.TOOL not in table.table.tools, "nothing is left lying about"


def test_a_choice_may_be_changed_until_the_last_one_has_chosen(table):
    choose(table, ADA, 7)
    choose(table, ADA, 8)
    assert table.log[-1].text == "has chosen again"
    choose(table, BOB, 1)
    choose(table, CLEO, 2)
    assert shown(table)[1] == 8
    with pytest.raises(Refused, match=r"Nobody is asked for that number any more\."):
        choose(table, ADA, 9)


def test_nobody_chooses_for_a_seat_that_another_phone_holds_not_even_the_host(table):
    for phone in (1, BOB):
        with pytest.raises(Refused, match=r"^Ada chooses on Ada’s own phone\.$"):
            choose(table, phone, 7, seat=1)


def test_where_no_phone_holds_a_seat_one_goes_round(table):
    table.do("take_seats", ADA, seats=[])
    assert told(table)[0] == ("Ada is choosing", "no phone holds this seat yet")
    choose(table, BOB, 7, seat=1)
    assert told(table)[0][0] == "Ada has chosen"


@pytest.mark.parametrize("taker", [1, CLEO])  # the host asks nobody for a seat
def test_whoever_takes_the_seat_over_does_not_see_the_choice_and_may_choose_anew(table, taker):
    choose(table, ADA, 7)
    table.do("take_seats", taker, seats=[1])
    assert told(table)[0][0] == "Ada has chosen"
    assert own(table, 1) == "Choose your number"
    choose(table, taker, 8, seat=1)
    assert own(table, 1) == "Your number: 8"
    table.do("take_seats", ADA, seats=[])
    table.do("take_seats", taker, seats=[])
    table.do("take_seats", ADA, seats=[1])
    assert own(table, 1) == "Choose your number"


def test_who_gives_a_seat_away_and_takes_it_again_finds_its_choice(table):
    choose(table, ADA, 7)
    table.do("take_seats", CLEO, seats=[1, 3])
    table.do("take_seats", CLEO, seats=[3])
    table.do("take_seats", ADA, seats=[1])
    assert own(table, 1) == "Your number: 7"


def test_nobody_chooses_over_what_a_phone_that_left_has_chosen(table):
    choose(table, ADA, 7)
    table.do("take_seats", ADA, seats=[])
    no = r"^Ada has chosen on another phone\. Take Ada’s seat to choose anew\.$"
    for phone in (1, BOB):
        with pytest.raises(Refused, match=no):
            choose(table, phone, 9, seat=1)
    choose(table, BOB, 0)
    choose(table, CLEO, 1)
    assert shown(table) == {1: 7, 2: 0, 3: 1}


def test_in_an_evening_of_earlier_days_whoever_holds_the_seat_sees_the_choice(table):
    """It does not say which phone chose."""
    (choice,) = [each for each in choose(table, ADA, 7).events if isinstance(each, sealed.ChoiceSealed)]
    state = table.state
    assert choice.phone == ADA
    state = replace(state, table=replace(choice, phone=0).change(state.table))
    assert sealed.choice_of(state.table, choice.about, 1) == "7"


def test_whoever_takes_the_seat_over_chooses_and_who_lost_it_does_not(table):
    choose(table, ADA, 7)
    table.do("take_seats", CLEO, seats=[1, 3])
    choose(table, CLEO, 8, seat=1)
    with pytest.raises(Forbidden, match="only watches"):
        choose(table, ADA, 9, seat=1)
    choose(table, BOB, 0)
    choose(table, CLEO, 1, seat=3)
    assert shown(table) == {1: 8, 2: 0, 3: 1}


# --- who comes and goes meanwhile ---


def test_a_seat_that_is_added_is_waited_for(table):
    choose(table, ADA, 1)
    choose(table, BOB, 2)
    table.do("add_seat", name="Dov")
    choose(table, CLEO, 3)
    assert not shown(table)
    assert told(table)[0] == ("Ada has chosen", "waits for Dov")


def test_a_seat_that_is_taken_away_is_waited_for_no_longer(table):
    choose(table, ADA, 1)
    choose(table, BOB, 2)
    table.do("remove_seat", seat=3)
    assert told(table)[0] == ("Ada has chosen", "choose once more to reveal")
    choose(table, ADA, 1)
    assert shown(table) == {1: 1, 2: 2}


def test_what_was_chosen_at_a_seat_that_is_gone_is_never_shown(table):
    choose(table, CLEO, 999)
    table.do("remove_seat", seat=3)
    choose(table, ADA, 1)
    choose(table, BOB, 2)
    assert shown(table) == {1: 1, 2: 2}
    assert "999" not in table.log[-1].text
    assert sealed.TOOL not in table.table.tools


def test_numbers_that_are_put_away_unseen_are_never_shown(table):
    choose(table, ADA, 7)
    table.do("put_numbers_away", asking=1)
    assert sealed.TOOL not in table.table.tools
    table.do("ask_numbers", after=1)
    assert told(table)[0][0] == "Ada is choosing"
    with pytest.raises(Refused, match="Nobody is asked for that number any more"):
        choose(table, BOB, 7, asking=1)
    with pytest.raises(Refused, match="Everyone has been asked already"):
        table.do("ask_numbers", after=1)
    with pytest.raises(Refused, match="put away already"):
        table.do("put_numbers_away", asking=1)


# --- taking back ---


def test_only_who_has_chosen_takes_it_back_and_puts_it_back(table):
    mine = choose(table, ADA, 7).version
    for phone in (1, BOB):
        with pytest.raises(Forbidden, match=r"^Only who has chosen takes that back\.$"):
            table.do("take_back", phone, entry=mine)
    table.do("take_back", ADA, entry=mine)
    assert told(table)[0][0] == "Ada is choosing"
    assert table.log[-1].text == "took back “Ada: has chosen”"
    for phone in (1, BOB):
        with pytest.raises(Forbidden, match="Only who has chosen"):
            table.do("put_back", phone, entry=mine)
    table.do("put_back", ADA, entry=mine)
    assert own(table, 1) == "Your number: 7"


def test_taking_back_a_change_brings_the_first_choice_back(table):
    choose(table, ADA, 7)
    table.do("take_back", ADA, entry=choose(table, ADA, 8).version)
    assert own(table, 1) == "Your number: 7"


def test_the_seats_new_phone_takes_back_what_the_old_one_chose(table):
    mine = choose(table, ADA, 7).version
    table.do("take_seats", CLEO, seats=[1, 3])
    with pytest.raises(Forbidden):
        table.do("take_back", ADA, entry=mine)
    table.do("take_back", CLEO, entry=mine)


def test_after_the_reveal_a_choice_stays_and_the_reveal_goes_as_one(table):
    mine = choose(table, ADA, 7).version
    choose(table, BOB, 0)
    reveal = choose(table, CLEO, 12).version
    with pytest.raises(
        Refused, match=r"because Cleo’s tap “Cleo: has chosen; the numbers: .*” rests on it: take that back"
    ):
        table.do("take_back", ADA, entry=mine)
    table.do("take_back", BOB, entry=reveal)
    assert not shown(table)
    assert [title for title, _ in told(table)] == ["Ada has chosen", "Bob has chosen", "Cleo is choosing"]
    table.do("put_back", BOB, entry=reveal)
    assert shown(table) == {1: 7, 2: 0, 3: 12}


def test_a_reveal_is_not_put_back_beneath_a_choice_that_was_changed_since(table):
    choose(table, ADA, 7)
    choose(table, BOB, 0)
    reveal = choose(table, CLEO, 12).version
    table.do("take_back", BOB, entry=reveal)
    changed = choose(table, ADA, 8).version
    with pytest.raises(Refused, match="“Ada: has chosen again” rests on it"):
        table.do("put_back", BOB, entry=reveal)
    table.do("take_back", ADA, entry=changed)
    table.do("put_back", BOB, entry=reveal)
    assert shown(table)[1] == 7


# --- a journal that a phone takes along ---


def sealed_in(table):
    """What an export says of each sealed choice."""
    events = (event for entry in unsealed(table.journal.entries) for event in entry.events)
    return [event.choice for event in events if isinstance(event, sealed.ChoiceSealed)]


def exported(table, phones=None):
    row = SittingRow(code="K7PQ4M", slug="any-game", secret="s3cr3tS3cr3t", tap="x", version=0, opened_at=1)
    return journal_json(Sitting(row, table.journal.game, table.journal), phones)


def test_an_export_tells_no_choice_before_it_is_revealed_and_all_that_were_afterwards(table):
    choose(table, ADA, 7)
    choose(table, BOB, 3)
    assert sealed_in(table) == ["", ""]
    choose(table, CLEO, 12)
    assert sealed_in(table) == ["7", "3", "12"]


def test_what_somebody_thought_of_first_is_never_told(table):
    choose(table, ADA, 7)
    choose(table, ADA, 8)
    table.do("take_back", BOB, entry=choose(table, BOB, 55).version)
    choose(table, BOB, 3)
    table.do("take_back", ADA, entry=choose(table, ADA, 77).version)
    choose(table, CLEO, 12)
    assert shown(table) == {1: 8, 2: 3, 3: 12}
    assert sealed_in(table) == ["", "8", "", "3", "", "12"]


def test_after_a_reveal_was_taken_back_only_what_everyone_has_seen_is_told(table):
    choose(table, ADA, 7)
    choose(table, BOB, 3)
    table.do("take_back", BOB, entry=choose(table, CLEO, 12).version)
    choose(table, ADA, 8)
    assert sealed_in(table) == ["7", "3", "12", ""]
    choose(table, CLEO, 12)
    assert sealed_in(table) == ["7", "3", "12", "8", "12"]
    table.do("ask_numbers", after=1)
    choose(table, ADA, 8, asking=2)
    assert sealed_in(table)[-1] == ""


def test_a_choice_cannot_be_found_out_from_its_digest(table):
    """It is made of the phone, the command and the choice: whoever tries all numbers would find it."""
    entry = choose(table, ADA, 7)
    table.journal.entries[-1] = entry = type(entry)(**{**vars(entry), "digest": "d" * 64})
    assert unsealed([entry])[0].digest not in ("", "d" * 64)


def test_what_a_phone_took_along_can_be_brought_back_and_gone_on_with(table):
    choose(table, ADA, 7)
    choose(table, ADA, 8)
    journal = read(GAMES, exported(table)).journal
    assert not sealed.has_chosen(journal.state.table, "number-1", 1), "so Ada chooses again"
    whole = read(GAMES, exported(table, {"a" * 64: 1})).journal
    assert sealed.choice_of(whole.state.table, "number-1", 1) == "8", "by command it goes as it is"


def test_a_journal_whose_reveal_is_not_what_was_sealed_is_damaged(table):
    import companion.evenings.archive

    choose(table, ADA, 7)
    choose(table, BOB, 3)
    choose(table, CLEO, 12)
    told = json.loads(exported(table))
    told.pop("sha256")
    for entry in told["entries"]:
        for event in entry["events"]:
            if event["event"] == "ChoiceSealed" and event["seat"] == 1:
                event["choice"] = "8"
    text = json.dumps({**told, "sha256": companion.evenings.archive._checksum(told)})  # noqa: SLF001
    with pytest.raises(Damaged, match="does not add up"):
        read(GAMES, text)
