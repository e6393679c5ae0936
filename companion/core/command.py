"""Commands: generator functions `(state, context, …typed arguments) → events`.

The name is the URL; the typed parameters are the form and its bounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, lru_cache, wraps
from typing import Any, Protocol, TypeVar, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from companion.core.event import Event
from companion.core.fixed import dataclass
from companion.core.refused import Refused, refuse_if
from companion.core.sentences import sentence
from companion.core.text import clean, plain

T = TypeVar("T")
Command = Callable[..., Iterator[Event]]
Form = Mapping[str, Sequence[str]]


class Filled(dict[str, list[str]]):
    """A form as it was sent. The same few are sent all evening, so what was made of one is kept with it."""

    __slots__ = ("given", "spelled")

    def __init__(self, form: Form) -> None:
        super().__init__({name: list(values) for name, values in form.items()})
        self.given: dict[Command, dict[str, Any]] = {}  # by command, what `arguments` read in it
        self.spelled = ""


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


def led_to(state: T, events: Iterable[Event[T]]) -> Generator[Event, None, T]:
    """Tells them one by one, and gives the state that they lead to: `state = yield from led_to(state, …)`."""
    for event in events:
        yield event
        state = event.fold(state)
    return state


def telling(event: type[Event]) -> Command:
    """The command `event.tap`: whoever taps it says just what happened, in the event's own fields."""

    def tell(state: Any, context: Context, **given: Any) -> Iterator[Event]:
        happened = event(**given)
        happened.check_tap(state)
        state = yield from led_to(state, happened.begins_with(state))
        if event.already:
            refuse_if(happened.fold(state) == state, sentence(event.already)(happened, state))
        yield happened
        if kept_going:
            yield from happened.follows(happened.fold(state))

    kept_going = event.follows is not Event.follows  # most taps pay for no second fold
    tell.__name__ = tell.__qualname__ = event.tap
    tell.__annotations__ = dict(event.asks)
    given = [_parameter(name, getattr(event, name, inspect.Parameter.empty)) for name in event.asks]
    tell.__signature__ = inspect.Signature([*KNOWN, *given])  # type: ignore[attr-defined]
    return tell


def _parameter(name: str, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


#: What every command gets by itself.
KNOWN = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("state", "context")]


def followed_by(after: Callable[[Any], Iterator[Event]]) -> Callable[[Command], Command]:
    """For commands after which things happen by themselves: `after` says what, of the state then."""

    def following(command: Command) -> Command:
        @wraps(command)
        def followed(state: Any, context: Context, **given: Any) -> Iterator[Event]:
            state = yield from led_to(state, command(state, context, **given))
            yield from after(state)

        return followed

    return following


@dataclass(frozen=True)
class Holds:
    """In the type of an argument: refuses a tap made for what no longer holds, such as a round that is over.

    `Bidding = Annotated[Count, Holds(lambda state, round: state.expect(round))]`; and in that of a group,
    where it takes several fields to say what the tap was made for.
    """

    check: Callable[[Any, Any], None]


def host_only(command: Command) -> Command:
    command.right = "host"  # type: ignore[attr-defined]
    return command


def phone_only(command: Command) -> Command:
    """Any phone that was let in may do this, even one that only watches."""
    command.right = "phone"  # type: ignore[attr-defined]
    return command


def right(command: Command | None) -> str:
    return getattr(command, "right", "player")


def _declared(command: Command) -> Iterator[tuple[str, Any, bool]]:
    """Name, type, may be left out."""
    hints = get_type_hints(command, include_extras=True)  # without the extras the bounds vanish
    for each in list(inspect.signature(command).parameters.values())[2:]:
        hint = hints[each.name]
        group = getattr(hint, "__origin__", None)  # one whose type says what must hold
        yield each.name, group if is_dataclass(group) else hint, each.default is not each.empty


@cache
def groups(command: Command) -> dict[str, Any]:
    """What several commands ask for field by field: parameters whose type is a dataclass."""
    found = {name: hint for name, hint, _ in _declared(command) if is_dataclass(hint)}
    if any(each.name == "seat" for kind in found.values() for each in fields(kind)):
        raise TypeError("a seat is a parameter of its own, or nobody would ask whose it is")
    return found


@cache
def parameters(command: Command) -> dict[str, tuple[Callable[[Any], Any], bool, bool]]:
    """Name → (what reads it, takes several values, may be left out); of a group, those of its fields."""
    found = {}
    for name, hint, optional in _declared(command):
        kinds, left_out = {name: hint}, {name} if optional else set()
        if is_dataclass(hint):
            kinds = get_type_hints(hint, include_extras=True)
            left_out = {each.name for each in fields(hint) if each.default is not MISSING}
        for each, kind in kinds.items():
            several = get_origin(kind) is tuple
            found[each] = _reader(kind, several), several, each in left_out
    return found


@cache
def _held(command: Command) -> tuple[tuple[str, Holds], ...]:
    hints = get_type_hints(command, include_extras=True).items()
    marked = ((name, each) for name, hint in hints for each in getattr(hint, "__metadata__", ()))
    return tuple((name, each) for name, each in marked if isinstance(each, Holds))


def check_held(command: Command, state: Any, given: Mapping[str, Any]) -> None:
    """What the types of its arguments say must still hold."""
    for name, held in _held(command):
        if name in given:
            held.check(state, given[name])


def _reader(hint: Any, several: bool) -> Callable[[Any], Any]:
    """The same few words are sent all evening, so what a single one means is remembered."""
    read = TypeAdapter(hint).validate_python
    return read if several else lru_cache(200)(read)


def arguments(command: Command, form: Form, labels: Callable[[], Labels] = dict) -> dict[str, Any]:
    """What the form says, as the command's own types; a sentence where it cannot be.

    `labels` is what the page calls the fields that were typed into; asked for only when there is a slip.
    """
    if type(form) is Filled and command in form.given:
        return form.given[command]
    given = _arguments(command, form, labels)
    if type(form) is Filled:
        form.given[command] = given
    return given


def _arguments(command: Command, form: Form, labels: Callable[[], Labels]) -> dict[str, Any]:
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
    for name, kind in groups(command).items():
        given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind) if each.name in given})
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
