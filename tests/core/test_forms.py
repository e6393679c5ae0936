"""What a sheet asks for: its words are data of the room, what stands in it is said by the room."""

from __future__ import annotations

from companion.core import Do, Field, Forms
from companion.core.command import parameters
from companion.core.forms import Blank, Blanks, asks_choice, asks_number, asks_text
from companion.games import folder, shelf

SUITS = (("sun", "a sun"), ("moon", "a moon"))


class Lane(Blanks):
    def __init__(self) -> None:
        fields = {"oil": "Oil of {name}", "suit": "It shows", "note": "Note"}
        dict.__init__(
            self, {"lamp": Blank("lamp", "{name}’s lamp", "fill", "Fill it", fields, "Sums are fine.")}
        )


def test_a_blank_gets_its_words_and_only_the_fields_that_are_filled() -> None:
    form = Lane()(2, {"seat": 2}, {"name": "Ada"}, "lamp", suit=asks_choice(SUITS), oil=asks_number(3))
    assert (form.id, form.title, form.submit, form.text) == (
        "lamp-2",
        "Ada’s lamp",
        "Fill it",
        "Sums are fine.",
    )
    assert form.do == Do("fill", {"seat": 2})
    assert not form.listed
    assert form.fields == (
        Field("oil", "Oil of Ada", "3", "number"),
        Field("suit", "It shows", "sun", "choice", SUITS),
    )


def test_what_may_be_left_empty_says_so_and_the_only_one_of_its_kind_goes_by_that() -> None:
    note = asks_text("dark", optional=True)
    form = Lane()("", {}, {"name": "Ada"}, "lamp", (), (), "Look.", True, note=note)
    assert (form.id, form.text, form.listed) == ("lamp", "Look.", True)
    assert form.fields == (Field("note", "Note", "dark", optional=True),)
    assert asks_choice(SUITS, "moon")[0] == "moon"


def test_every_form_of_every_room_sends_a_command_and_fields_that_it_asks_for() -> None:
    for game in shelf().values():
        if (folder(game) / "data" / "forms.toml").exists():
            for blank in Blanks(f"companion.games.{folder(game).name}").values():
                assert blank.fields.keys() <= parameters(game.command(blank.command)).keys(), blank


def test_forms_that_no_page_lists_are_alike_to_it_and_those_that_are_listed_are_not() -> None:
    made = []
    unseen = [Forms(lambda: made.append(1) or (), listed=False) for _ in range(2)]
    assert unseen[0] == unseen[1]
    assert not made, "to see that, none of them is put together"
    assert Forms(tuple) != Forms(tuple)
    assert unseen[0] != Forms(tuple)
