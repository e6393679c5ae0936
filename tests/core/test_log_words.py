"""How the log says what happened: sentences of data, put together with what an event knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from at_the_table import seats

from companion import core
from companion.core import Event, Names, Table
from companion.games import shelf

GAMES = shelf()


@dataclass(frozen=True)
class Lane(core.State):
    dark: bool = False
    lit: tuple[int, ...] = (2, 3)

    names: ClassVar[Names] = {
        **core.State.names,
        "lamps": {"red": "the red lamp", "green": "the green lamp"},
        "oil": lambda state, lamp: f"{len(state.lit)} of {lamp}",
    }


class LampLit(Event[Lane]):
    seat: int = 1
    lamp: str = "red"
    others: tuple[str, ...] = ()
    theirs: Mapping[int, object] = field(default_factory=dict)
    oil: int = 2
    again: bool = False
    note: str = ""

    def far(self, state: Lane) -> int:
        return -len(state.lit)


ADA = Lane(Table(seats("Ada", "Bob"), 1))


@pytest.mark.parametrize(
    ("says", "given", "told"),
    [
        ("{lamp} by {seat}", {}, "red by 1"),
        ("{oil:drop}, {far:±}, {far:−}", {"oil": 1}, "1 drop, −2, −2"),
        ("{oil:penny/pence}", {}, "2 pence"),
        ("{again:once more|at last}", {}, "at last"),
        ("{lamp:red=stop|green=go}", {"lamp": "green"}, "go"),
        ("it says{lamp:red= stop}", {"lamp": "blue"}, "it says"),
        ("{oil:1=the last drop|{oil} drops}", {}, "2 drops"),
        ("lit{note:? ({note})}", {"note": "a|b=c {d}"}, "lit (a|b=c {d})"),
        ("lit{note:? ({note})}", {}, "lit"),
        ("{oil:2=with {others:@lamps|no other}|alone}", {}, "with no other"),
        ("{oil:1=the last|the {lamp:red=red|other} one}", {}, "the red one"),
        ("{state.dark:!it is bright}{state.dark:?it is dark}", {}, "it is bright"),
        ("note: {note:or taken away}", {}, "note: taken away"),
        ("{seat:@seat} lights {lamp:@lamps}", {}, "Ada lights the red lamp"),
        ("and {others:@lamps|no other}", {}, "and no other"),
        (
            "{others:@lamps}, {others:#lamp}",
            {"others": ("red", "green")},
            "the red lamp and the green lamp, 2 lamps",
        ),
        ("{others}, {others[0]:@oil}", {"others": ("red", "green")}, "red and green, 2 of red"),
        ("{state.lit[1]}", {}, "3"),
        ("{theirs:@@lamps}", {"theirs": {1: "red", 2: "green"}}, "Ada the red lamp, Bob the green lamp"),
        (
            "{theirs:@@lamps}",
            {"theirs": {1: ("red", "green"), 2: ("red",)}},
            "Ada the red lamp and the green lamp; Bob the red lamp",
        ),
    ],
)
def test_a_sentence_says_what_the_event_knows(monkeypatch, says, given, told):
    monkeypatch.setattr(LampLit, "says", says)
    assert LampLit(**given).log_text(ADA) == told


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_sentence_of_the_log_is_about_an_event_there_is(game):
    """One whose event was misspelt would be silent."""
    package = game.view.__module__.rpartition(".")[0]
    for how, sentences in core.files.read_if_there(package, "log.toml").items():
        assert how in ("says", "already", "recalls")
        known = {base.__name__ for kind in game.events for base in kind.__mro__}
        assert sentences.keys() <= known, how
