"""Forms whose words are data: a room's `data/forms.toml` says what each is called, the room what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from companion.core.game import load
from companion.core.pieces import Do, Piece, Tap
from companion.core.view import Field, Form

Choices = tuple[tuple[str, str], ...]
Filled = tuple[str, str, Choices, bool]  # what a field holds, its kind, what can be chosen, and if it must be
Words = Mapping[str, str | int]


class Blank(NamedTuple):
    """A form before it is filled in."""

    id: str
    title: str
    command: str
    submit: str = "Save"
    fields: Mapping[str, str] = {}  # what the page calls each
    text: str = ""


class Blanks(dict[str, Blank]):
    """All that a room has. One is filled in by `blanks(number, args, words, "note", note=asks_text(now))`."""

    def __init__(self, package: str) -> None:
        super().__init__({each.id: each for each in load(package, "forms.toml", Blank)})

    def __call__(
        self,
        which: int | str,
        args: Words,
        words: Words,
        kind: str,
        pieces: tuple[Piece, ...] = (),
        also: tuple[Tap, ...] = (),
        text: str = "",
        listed: bool = False,
        /,
        **filled: Filled,
    ) -> Form:
        """Its id says which of its kind it is; a field that nothing is said of is not asked for."""
        blank, id = self[kind], f"{kind}-{which}" if which != "" else kind
        labels = {name: label.format_map(words) for name, label in blank.fields.items() if name in filled}
        fields = tuple([Field(name, label, *filled[name]) for name, label in labels.items()])
        title, submit = blank.title.format_map(words), blank.submit.format_map(words)
        do, text = Do(blank.command, args), text or blank.text
        return Form(id, title, do, fields, submit, also, listed, text, pieces)


def asks_choice(choices: Choices, chosen: str = "", optional: bool = False) -> Filled:
    """The first one, until somebody chooses."""
    return chosen or (choices[0][0] if choices else ""), "choice", choices, optional


def asks_number(value: int | str = 0, optional: bool = False) -> Filled:
    return str(value), "number", (), optional


def asks_text(value: str = "", optional: bool = False) -> Filled:
    return value, "text", (), optional
