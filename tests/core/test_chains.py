"""What follows from what: shown first, then done as it was shown."""

from companion.core import Event, Note, Steps
from companion.core.chains import Link, facts, following


class LampBroken(Event):
    pass


CHAIN = (
    Link("The rope tears."),
    Link("The lamp falls.", LampBroken()),
    Link("", LampBroken()),
    Link("It is dark.", lost=True),
)


def test_only_facts_are_done():
    assert facts(CHAIN) == [LampBroken(), LampBroken()]


def test_it_is_shown_step_by_step_and_what_is_lost_as_a_warning():
    steps, lost = following("fall", CHAIN)
    assert isinstance(steps, Steps)
    assert [each.label for each in steps.stages] == ["The rope tears.", "The lamp falls."]
    assert lost == Note("fall-lost", "It is dark.", "bad")
    assert list(following("none", ())) == []
