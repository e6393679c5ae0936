"""What cannot be done is refused in a sentence; a list to tick may be made for each table."""

from dataclasses import dataclass

import pytest
from at_the_table import LoadedDice, seats

from companion.core import Context, Refused, State, Table, refuse_if
from companion.core.checklist import SetupTicked, ticking

TABLE = Table(seats("Ada", "Bob"), starter=1)
TAP = Context(0, LoadedDice(), 1)


@dataclass(frozen=True)
class Ticked(State):
    ticked: tuple[str, ...] = ()


def test_what_is_so_is_refused_with_its_sentence():
    with pytest.raises(Refused, match="The bridge is up"):
        refuse_if("a name", "The bridge is up.")


def test_what_is_not_so_goes_on():
    refuse_if("", "The bridge is up.")


def test_a_list_may_be_made_for_the_table():
    tick = ticking(lambda table: (("chairs", f"{len(table.seats)} chairs"),))
    assert list(tick(Ticked(TABLE), TAP, "chairs")) == [SetupTicked("chairs", "2 chairs", True)]
    with pytest.raises(Refused, match="not on the list"):
        list(tick(Ticked(TABLE), TAP, "lamps"))
