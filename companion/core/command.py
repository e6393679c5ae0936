"""Commands: generator functions `(state, context, …typed arguments) → events`.

The name is the URL; the typed parameters are the form and its bounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from companion.core.event import Event, Refused
from companion.core.text import clean, plain

T = TypeVar("T")
Command = Callable[..., Iterator[Event]]
Form = Mapping[str, Sequence[str]]


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
def parameters(command: Command) -> dict[str, tuple[TypeAdapter[Any], bool, bool]]:
    """Name → (adapter, takes several values, may be left out)."""
    hints = get_type_hints(command, include_extras=True)  # without the extras the bounds vanish
    names = list(inspect.signature(command).parameters.values())[2:]
    return {
        p.name: (TypeAdapter(hints[p.name]), get_origin(hints[p.name]) is tuple, p.default is not p.empty)
        for p in names
    }


def arguments(command: Command, form: Form) -> dict[str, Any]:
    """What the form says, as the command's own types; a sentence where it cannot be."""
    given = {}
    for name, (adapter, several, optional) in parameters(command).items():
        values = form.get(name) or ()
        if not values and not several:
            if not optional:
                raise Refused(f"The {_spoken(name)} is missing.")
            continue
        try:
            given[name] = adapter.validate_python(list(values) if several else values[-1])
        except ValidationError as error:
            raise Refused(_sentence(name, error)) from None
    return given


def _spoken(name: str) -> str:
    """The word a player would use for it."""
    spoken = {"by": "number", "to": "number", "seats": "seat", "locked": "choice", "own_seats_only": "choice"}
    return spoken.get(name, name.replace("_", " "))


def _sentence(name: str, error: ValidationError) -> str:
    first = error.errors()[0]
    limits = first.get("ctx", {})
    match first["type"]:
        case "value_error":
            return str(limits["error"])
        case "greater_than_equal":
            return f"The {_spoken(name)} can be at least {plain(limits['ge'])}."
        case "less_than_equal":
            return f"The {_spoken(name)} can be at most {plain(limits['le'])}."
        case _:
            return f"“{clean(str(first['input']))[:20]}” is not a {_spoken(name)} this table knows."
