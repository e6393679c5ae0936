"""Commands: generator functions `(state, context, …typed arguments) → events`.

The name is the URL; the typed parameters are the form and its bounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Protocol, TypeVar, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from companion.core.event import Event, Refused
from companion.core.text import clean, plain

T = TypeVar("T")
Command = Callable[..., Iterator[Event]]
Form = Mapping[str, Sequence[str]]
Labels = Mapping[str, str]  # argument → what the page calls it


class Luck(Protocol):
    """Dice, lots and shuffles are handed in, so that a test can load them and a replay never rolls."""

    def roll(self, faces: int) -> int: ...
    def choose(self, among: Sequence[T]) -> T: ...
    def shuffle(self, order: Sequence[T]) -> tuple[T, ...]: ...


@dataclass(frozen=True)
class Context:
    now: int  # milliseconds since 1970, UTC
    luck: Luck
    phone: int  # the number of the phone that tapped
    #: When a phone was last heard of; None if that cannot be known here.
    heard: Callable[[int], int | None] = lambda phone: 0


def host_only(command: Command) -> Command:
    command.right = "host"  # type: ignore[attr-defined]
    return command


def phone_only(command: Command) -> Command:
    """Any phone that was let in may do this, even one that only watches."""
    command.right = "phone"  # type: ignore[attr-defined]
    return command


def right(command: Command | None) -> str:
    return getattr(command, "right", "player")


@cache
def parameters(command: Command) -> dict[str, tuple[Callable[[Any], Any], bool, bool]]:
    """Name → (what reads it, takes several values, may be left out)."""
    hints = get_type_hints(command, include_extras=True)  # without the extras the bounds vanish
    names = list(inspect.signature(command).parameters.values())[2:]
    several = {p.name: get_origin(hints[p.name]) is tuple for p in names}
    return {
        p.name: (_reader(hints[p.name], several[p.name]), several[p.name], p.default is not p.empty)
        for p in names
    }


def _reader(hint: Any, several: bool) -> Callable[[Any], Any]:
    """The same few words are sent all evening, so what a single one means is remembered."""
    read = TypeAdapter(hint).validate_python
    return read if several else lru_cache(200)(read)


def arguments(command: Command, form: Form, labels: Callable[[], Labels] = dict) -> dict[str, Any]:
    """What the form says, as the command's own types; a sentence where it cannot be.

    `labels` is what the page calls the fields that were typed into; asked for only when there is a slip.
    """
    given = {}
    for name, (read, several, optional) in parameters(command).items():
        values = form.get(name) or ()
        if optional and not several and not any(value.strip() for value in values):
            continue  # left empty is left out
        if not values and not several:
            raise Refused(f"{_spoken(name, labels())} is missing.")
        try:
            given[name] = read(list(values) if several else values[-1])
        except ValidationError as error:
            raise Refused(_sentence(name, labels(), error)) from None
    return given


def _spoken(name: str, labels: Labels) -> str:
    """As the page calls it; what no page shows goes by a word that a player would use."""
    if name in labels:
        return f"“{labels[name]}”"
    spoken = {"by": "number", "to": "number", "seats": "seat", "locked": "choice", "own_seats_only": "choice"}
    return f"The {spoken.get(name, name.replace('_', ' '))}"


def _sentence(name: str, labels: Labels, error: ValidationError) -> str:
    first = error.errors()[0]
    limits = first.get("ctx", {})
    typed = clean(str(first["input"]))[:20]
    match first["type"]:
        case "value_error":
            words = str(limits["error"])
            label = labels.get(name, "") if len(labels) > 1 else ""  # of one field it can only be that
            return words if label.casefold() in words.casefold() else f"{label}: {words}"
        case "greater_than_equal":
            return f"{_spoken(name, labels)} must be at least {plain(limits['ge'])}."
        case "less_than_equal":
            return f"{_spoken(name, labels)} can be at most {plain(limits['le'])}."
        case _ if name in labels:
            return f"“{typed}” does not fit “{labels[name]}”."
        case _:
            return f"“{typed}” is not a {_spoken(name, labels).removeprefix('The ')} this table knows."
