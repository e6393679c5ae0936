"""Commands: the name is the URL, the typed parameters are the form and its bounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from pydantic import Field

from companion.core import (
    Choice,
    Context,
    Count,
    Event,
    Name,
    Refused,
    SeatId,
    State,
    Whole,
    host_only,
    led_to,
    phone_only,
    refuse_if,
)
from companion.core.command import Holds, arguments, check_held, followed_by, parameters, right, telling
from companion.core.text import By, nothing_if

Hits = Annotated[Count, Field(ge=1, le=12)]


def strike(
    state: State,
    context: Context,
    seat: SeatId,
    hits: Hits,
    weapon_used: Literal["sword", "spoon"],
    target: Choice = "gate",
    helpers: tuple[SeatId, ...] = (),
    shout: Name = "Hey",
    by: Whole = 0,
) -> Iterator[Event]:
    yield Event()


GOOD = {"seat": ["1"], "hits": ["3"], "weapon_used": ["spoon"]}


def sentence(**slip):
    with pytest.raises(Refused) as refused:
        arguments(strike, {**GOOD, **{name: value for name, value in slip.items() if value is not None}})
    return str(refused.value)


def test_the_state_and_the_context_are_not_asked_for():
    asked = ["seat", "hits", "weapon_used", "target", "helpers", "shout", "by"]
    assert list(parameters(strike)) == asked


@dataclass(frozen=True)
class Blade:
    name: Name
    length: Hits


def forge(state: State, context: Context, seat: SeatId, blade: Blade) -> Iterator[Event]:
    yield Event()


def test_what_several_commands_ask_for_is_one_parameter_and_asked_field_by_field():
    assert list(parameters(forge)) == ["seat", "name", "length"]
    given = arguments(forge, {"seat": ["1"], "name": [" Spoon "], "length": ["2+4"]})
    assert given == {"seat": 1, "blade": Blade("Spoon", 6)}
    for slip, words in (
        ({"length": ["13"]}, "The length can be at most 12."),
        ({}, "The length is missing."),
    ):
        with pytest.raises(Refused, match=words):
            arguments(forge, {"seat": ["1"], "name": ["Spoon"], **slip})


@dataclass(frozen=True)
class Aim:
    at: Name
    hits: Hits = 1


def shoot(state: State, context: Context, aim: Aim) -> Iterator[Event]:
    yield Event()


def test_what_has_a_default_in_a_group_may_be_left_empty():
    assert arguments(shoot, {"at": ["Owl"], "hits": [" "]}) == {"aim": Aim("Owl")}
    assert arguments(shoot, {"at": ["Owl"], "hits": ["3"]}) == {"aim": Aim("Owl", 3)}
    with pytest.raises(Refused, match="The at is missing"):
        arguments(shoot, {"hits": ["3"]})


class GateOpened(Event, tap="open_gate", seat=SeatId, hits=Hits, by=By):
    seat: int
    hits: int
    by: int = 1

    def check_tap(self, state):
        if self.hits > 10:
            raise Refused("The gate is shut.")


def test_a_tap_that_says_just_what_happened_stands_at_its_event():
    open_gate = telling(GateOpened)
    assert open_gate.__name__ == "open_gate"
    given = arguments(open_gate, {"seat": ["2"], "hits": ["3"], "by": ["-1"]})
    assert list(open_gate(None, None, **given)) == [GateOpened(2, 3, -1)]
    with pytest.raises(Refused, match="The hits can be at most 12"):
        arguments(open_gate, {"seat": ["2"], "hits": ["13"], "by": ["1"]})
    assert arguments(open_gate, {"seat": ["2"], "hits": ["3"]}) == {"seat": 2, "hits": 3}
    with pytest.raises(Refused, match="The gate is shut"):
        list(open_gate(None, None, seat=2, hits=11))
    with pytest.raises(Refused, match="Nothing to add"):
        arguments(open_gate, {"seat": ["2"], "hits": ["1"], "by": ["0"]})


class LampHung(Event, tap="hang_lamp", at=SeatId):
    at: int
    already = "A lamp hangs at {at} of {state}."

    def fold(self, state):
        return (*state, self.at) if self.at not in state else state


def test_a_tap_that_would_change_nothing_is_told_so():
    hang = telling(LampHung)
    assert list(hang((1,), None, at=2)) == [LampHung(2)]
    with pytest.raises(Refused, match=r"A lamp hangs at 2 of \(1, 2\)"):
        list(hang((1, 2), None, at=2))


class LampLit(Event, tap="light_lamp", at=SeatId):
    at: int

    def begins_with(self, state):
        return () if self.at in state else (LampHung(self.at),)

    def fold(self, state):
        return (*state, "light")

    def follows(self, state):
        return (LampHung(9),) if "light" in state else ()


def test_what_happens_by_itself_before_a_tap_is_told_before_it_and_known_by_what_follows():
    light = telling(LampLit)
    assert list(light((), None, at=2)) == [LampHung(2), LampLit(2), LampHung(9)]
    assert list(light((2,), None, at=2)) == [LampLit(2), LampHung(9)]


def test_events_are_told_one_by_one_and_lead_to_a_state():
    def hang_two(state):
        state = yield from led_to(state, (LampHung(1), LampHung(2)))
        yield LampHung(len(state) + 1)

    assert list(hang_two(())) == [LampHung(1), LampHung(2), LampHung(3)]


def test_what_follows_by_itself_follows_on_the_state_that_a_tap_has_led_to():
    def down_to_one(state):
        yield from [LampHung(at) for at in range(min(state) - 1, 0, -1)]

    hang = followed_by(down_to_one)(telling(LampHung))
    assert hang.__name__ == "hang_lamp"
    assert parameters(hang).keys() == {"at"}
    assert list(hang((9,), None, at=3)) == [LampHung(3), LampHung(2), LampHung(1)]


def test_words_from_a_form_become_what_the_command_wants():
    given = arguments(strike, {**GOOD, "hits": ["2+4"], "helpers": ["2", "3"], "shout": [" Hoy  there "]})
    assert given == {
        "seat": 1,
        "hits": 6,
        "weapon_used": "spoon",
        "helpers": (2, 3),
        "shout": "Hoy there",
    }


def test_what_may_be_left_out_is_left_to_the_command():
    assert "target" not in arguments(strike, GOOD)
    assert arguments(strike, GOOD)["helpers"] == ()


@pytest.mark.parametrize("empty", ["", "  "])
def test_what_may_be_left_out_may_be_left_empty(empty):
    assert arguments(strike, {**GOOD, "target": [empty], "shout": [empty], "by": [empty]}) == {
        "seat": 1,
        "hits": 3,
        "weapon_used": "spoon",
        "helpers": (),
    }
    assert sentence(hits=[empty]) == "A number is missing."


def test_what_the_command_does_not_ask_for_is_not_handed_in():
    assert "state" not in arguments(
        strike, {**GOOD, "state": ["mine"], "context": ["mine"], "cheat": ["yes"]}
    )


def test_of_two_answers_to_one_question_the_last_counts():
    assert arguments(strike, {**GOOD, "hits": ["3", "4"]})["hits"] == 4


@pytest.mark.parametrize("missing", GOOD)
@pytest.mark.parametrize("how", ["left out", "empty list"])
def test_what_is_missing_is_named(missing, how):
    form = {name: value for name, value in GOOD.items() if name != missing}
    if how == "empty list":
        form[missing] = []
    with pytest.raises(Refused) as refused:
        arguments(strike, form)
    assert str(refused.value) == f"The {missing.replace('_', ' ')} is missing."


def test_bounds_become_sentences():
    assert sentence(hits=["13"]) == "The hits can be at most 12."
    assert sentence(hits=["0"]) == "The hits must be at least 1."
    assert sentence(seat=["0"]) == "The seat must be at least 1."
    assert sentence(helpers=["2", "0"]) == "The helpers must be at least 1."
    assert sentence(by=["-1000000"]) == "The number must be at least −999999."


def test_a_slip_is_named_as_the_page_names_it():
    def slip(labels, **typed):
        with pytest.raises(Refused) as refused:
            arguments(strike, {**GOOD, **typed}, lambda: labels)
        return str(refused.value)

    labels = {"hits": "How often", "weapon_used": "With what"}
    assert slip(labels, hits=["0"]) == "“How often” must be at least 1."
    assert slip(labels, hits=["13"]) == "“How often” can be at most 12."
    assert slip(labels, hits=[]) == "“How often” is missing."
    assert slip(labels, weapon_used=["fork"]) == "“fork” does not fit “With what”."
    assert slip(labels, hits=["many"]) == "How often: “many” is not a whole number or a sum like 3+6."
    assert slip({"hits": "How often"}, hits=["many"]) == "“many” is not a whole number or a sum like 3+6."


def test_nobody_looks_for_labels_where_there_is_no_slip():
    def labels():
        raise AssertionError("drawing the whole view for every tap would be slow")

    assert arguments(strike, GOOD, labels)["hits"] == 3


def test_what_is_no_number_becomes_a_sentence():
    assert sentence(hits=["many"]) == "“many” is not a whole number or a sum like 3+6."
    assert sentence(hits=[""]) == "A number is missing."
    assert sentence(helpers=["2", "Bob"]) == "“Bob” is not a whole number or a sum like 3+6."


def test_what_is_not_among_the_choices_becomes_a_sentence():
    assert sentence(weapon_used=["fork"]) == "“fork” is not a weapon used this table knows."
    assert sentence(weapon_used=[""]) == "“” is not a weapon used this table knows."


def test_a_name_keeps_its_own_sentence():
    assert sentence(shout=["\u200b"]) == "A name needs at least one visible character."
    assert sentence(shout=["x" * 25]) == "A name can have at most 24 characters; “xxxxxxxxxxxx…” has 25."


@pytest.mark.parametrize("noise", ["x" * 10_000, "\u202e" * 100, "\0", "\ud83d", "<b>" * 40])
def test_noise_is_quoted_short_and_clean(noise):
    words = sentence(weapon_used=[noise])
    assert len(words) < 80
    assert words.isprintable()


def test_a_choice_cannot_be_a_novel():
    assert sentence(target=["x" * 61]).endswith("is not a target this table knows.")
    assert arguments(strike, {**GOOD, "target": ["x" * 60]})["target"] == "x" * 60


def test_everyone_who_plays_may_unless_it_says_otherwise():
    def deal(state, context):
        yield Event()

    def shuffle(state, context):
        yield Event()

    assert right(strike) == "player"
    assert right(host_only(deal)) == "host"
    assert right(phone_only(shuffle)) == "phone"


def _still(state: set[int], round: int) -> None:
    if round not in state:
        raise Refused(f"Round {round} is over.")


Round = Annotated[Count, Field(le=9), Holds(_still)]


def bid(state: State, context: Context, round: Round = 1, coins: Count = 0) -> Iterator[Event]:
    yield Event()


def test_a_tap_for_what_no_longer_holds_is_refused_by_the_type_of_its_argument():
    check_held(bid, {2}, arguments(bid, {"round": ["2"]}))
    with pytest.raises(Refused, match="Round 3 is over"):
        check_held(bid, {2}, arguments(bid, {"round": ["3"], "coins": ["2"]}))


def test_what_was_left_out_need_not_hold_and_bounds_are_read_as_ever():
    check_held(bid, {2}, arguments(bid, {}))
    with pytest.raises(Refused, match="The round can be at most 9"):
        arguments(bid, {"round": ["10"]})


@dataclass(frozen=True)
class Moment:
    day: Count
    round: Count


def _in_time(state: set[tuple[int, int]], said: Moment) -> None:
    if (said.day, said.round) not in state:
        raise Refused(f"Round {said.round} of day {said.day} is over.")


def ring(
    state: State, context: Context, now: Annotated[Moment, Holds(_in_time)], bells: Hits
) -> Iterator[Event]:
    yield Event()


def test_where_it_takes_several_fields_to_say_what_a_tap_was_made_for_they_are_held_together():
    assert list(parameters(ring)) == ["day", "round", "bells"]
    given = arguments(ring, {"day": ["4"], "round": ["2"], "bells": ["3"]})
    assert given == {"now": Moment(4, 2), "bells": 3}
    check_held(ring, {(4, 2)}, given)
    with pytest.raises(Refused, match=r"Round 2 of day 4 is over\."):
        check_held(ring, {(4, 3)}, given)
    with pytest.raises(Refused, match="at least 0"):
        arguments(ring, {"day": ["4"], "round": ["-1"], "bells": ["3"]})


@dataclass(frozen=True)
class Whose:
    seat: SeatId
    round: Count


@pytest.mark.parametrize("kind", [Whose, Annotated[Whose, Holds(_in_time)]])
def test_a_seat_stands_in_no_group_held_or_not(kind):
    def pass_on(state, context, whose):
        yield Event()

    pass_on.__annotations__ = {"whose": kind}
    with pytest.raises(TypeError, match="a parameter of its own"):
        arguments(pass_on, {"seat": ["1"], "round": ["2"]})


def test_a_check_in_a_line_refuses_with_its_sentence_where_it_is_so():
    refuse_if([], "Nobody has a card.")
    with pytest.raises(Refused, match="Everyone has a card"):
        refuse_if([1], "Everyone has a card.")


Under = Annotated[Name, nothing_if("no card")]


def test_a_form_has_a_word_for_nothing_since_what_is_empty_is_left_out():
    def lay(state: State, context: Context, under: Under) -> Iterator[Event]:
        yield Event()

    assert arguments(lay, {"under": ["no card"]}) == {"under": ""}
    assert arguments(lay, {"under": ["Silver Key"]}) == {"under": "Silver Key"}
    with pytest.raises(Refused, match="at least one visible"):
        arguments(lay, {"under": ["\u200b"]})
