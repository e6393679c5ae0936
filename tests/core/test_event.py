"""Events are facts: equal only if all of them is."""

from dataclasses import dataclass

from companion.core import Event, SeatEvent, State
from companion.core.event import dump, get_ready


@dataclass(frozen=True)
class OfLamp:
    lamp: str


class LampFilled(OfLamp, Event):
    drops: int
    by: tuple[str, ...] = ()


def test_an_event_with_something_in_common_with_others_is_all_of_its_fields():
    """What it has in common is a dataclass of its own, which compares and tells only what it knows."""
    one, other = LampFilled("red", 1), LampFilled("red", 2)
    assert one != other
    assert one == LampFilled("red", 1)
    assert len({one, other, LampFilled("red", 1)}) == 2
    assert repr(other) == "LampFilled(lamp='red', drops=2, by=())"


class LampShown(SeatEvent[State]):
    lamp: str = "red"


def test_one_about_a_seat_says_whose_first():
    shown = LampShown(2, "green")
    assert (shown.seat, shown.lamp) == (2, "green")
    assert shown != LampShown(1, "green")


class LampBroken(Event):
    lamp: str


def test_who_gets_ready_for_an_event_does_so_once():
    assert get_ready(LampBroken)
    assert not get_ready(LampBroken)
    assert dump(LampBroken("red")) == {"event": "LampBroken", "lamp": "red"}
