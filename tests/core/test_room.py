"""A room by what its folder holds."""

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest
from at_the_table import seats

from companion.core import Event, Game, State, Table, load_sentences
from companion.core.room import room

MODULE = """
from companion.core import Event, Verdict
from companion.core import State as view  # of another module, and so nobody's role here
from companion import core

class State(core.State):
    pass

def adjudicate(state):
    return Verdict("continues", "On.")

class BellRung(Event, tap="ring_bell"):
    pass

class _Hidden(Event):
    pass

def knock(state, context):
    yield BellRung()

def _not_for_phones(state, context):
    yield BellRung()
"""


@pytest.fixture
def attic(tmp_path, monkeypatch):
    """A package with one module that nobody imports."""
    folder = tmp_path / "attic"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "bells.py").write_text(MODULE)
    (folder / "seen.py").write_text("def view(state):\n    return 'the attic'\n")
    (folder / "data" / "game.toml").write_text('title = "Attic"\nseats = [2, 4]\naccent = ["#fff", "#000"]\n')
    (folder / "data" / "log.toml").write_text('[says]\nBellRung = "the bell rings"\n')
    monkeypatch.syspath_prepend(tmp_path)
    import_module("attic")
    yield folder
    for name in [each for each in sys.modules if each.partition(".")[0] == "attic"]:
        del sys.modules[name]


def opened(**more) -> Game:
    return room("attic", **more)


def test_what_is_tapped_and_what_happens_is_found_in_its_modules(attic):
    game = opened()
    assert (game.title, game.seats, game.accent) == ("Attic", range(2, 5), ("#fff", "#000"))
    assert game.by_name.keys() == {"ring_bell", "knock"}
    assert game.kinds.keys() == {"BellRung"}
    assert game.kinds["BellRung"]().log_text(State(Table((), 1))) == "the bell rings"
    assert (game.setup.__module__, game.setup.__name__) == ("attic.bells", "State")
    assert game.view(None) == "the attic"
    assert game.adjudicate(None).summary == "On."
    assert game.tally is None
    assert (game.house_rules, game.lessons, tuple(game.rulings)) == ((), None, ())


def test_each_command_may_be_wrapped_and_a_checklist_ticked(attic):
    class Noise(Event):
        pass

    wrapped = []
    game = opened(
        checklist=[("rope", "The rope hangs")], each=lambda it: wrapped.append(it) or it, events=(Noise,)
    )
    assert [each.__name__ for each in wrapped] == ["ring_bell", "knock"]
    assert game.by_name.keys() == {"tick", "ring_bell", "knock"}
    assert game.kinds.keys() == {"SetupTicked", "Noise", "BellRung"}


def test_the_checklist_of_its_folder_is_ticked_without_another_word(attic):
    (attic / "data" / "checklist.toml").write_text('[[item]]\nid = "rope"\nlabel = "The rope hangs"\n')
    assert "tick" in opened().by_name
    assert "tick" not in opened(checklist=()).by_name


def test_sentences_of_its_folder_are_said_of_a_state_or_of_a_thing_and_the_state(attic):
    words = 'bells = "{table.starter:@seat} rings"\nrope = "{length} yards for {state.table.starter:@seat}"\n'
    (attic / "data" / "said.toml").write_text(f"[sentences]\n{words}")
    says, state = load_sentences("attic"), State(Table(seats("Ada", "Bob"), 2))
    assert says["bells"](state) == "Bob rings"
    assert says["rope"](SimpleNamespace(length=3), state) == "3 yards for Bob"
