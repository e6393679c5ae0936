"""Events are facts, and how they are kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, dataclass_transform

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import TypeVar

from companion.core.files import read_if_there
from companion.core.text import counted, listed, plain, signed

S = TypeVar("S", default=Any)


class Unreadable(Exception):
    """What is stored here is nothing that this version can read: a newer one wrote it, or it is damaged."""


@dataclass(frozen=True)
class Earlier:
    """How an event that was once written in another form is read today.

    `read` turns the stored fields into those of the next form. If the event has another name now, it puts
    that under `event`, and under `form` which form of that one it has made.
    """

    event: str
    form: int
    read: Callable[[dict[str, Any]], dict[str, Any]]


@dataclass_transform(frozen_default=True)
class Event(Generic[S]):
    """Something that happened: past tense, small, enough to replay without deciding again.

    Subclasses are frozen dataclasses, made so here. They are a file format: add fields with defaults, never
    rename.
    An event that is about one seat has a field `seat`. A room's own are `Event[State]`, with its State.
    """

    #: A field that a newer version has added is not passed over: whoever did that would lose it.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    #: Counts up where a default for a new field is not enough; the room's `earlier` reads those before it.
    form: ClassVar[int] = 1
    #: Who is at the table and who hosts it cannot be taken back from the log, only changed again.
    lasting: ClassVar[bool] = False
    #: What a seat keeps to itself: nobody else takes it back, not even the host.
    owned: ClassVar[bool] = False
    #: How the log says it, where what the event knows and the `state` right after it are enough: here, or by
    #: the event's name under [says] in the room's `data/log.toml`.
    #: `"round {round} begins; {state.leads} leads"`: a field, a property, a method of the state
    #: `"{count:card}, {hurt:Injury/Injuries} dealt"`, `"{by:±} power"`, `"now {kp:−}"`: numbers
    #: `"it is {won:won|lost}"`, `"drawn{how:lot=, by lot}"`, `"{flip:1=talk!|talk again}"`: one of several
    #: `"plays{card:? with {card}}"`, `"{out:!goes on}"`: only if so, or not; `"note: {note:or taken away}"`
    #: `"{seat:@seat} covers {spaces:@space|nothing}"`: what it is called, by `State.names`; `"{cards:#card}"`
    says: ClassVar[str] = ""
    #: For one that has a `tap`: what is said to one that would change nothing, put together like `says`, or
    #: under [already].
    already: ClassVar[str] = ""
    #: How the recap tells it when the evening is over, or under [recalls]. Empty, as of most: it does not.
    recalls: ClassVar[str] = ""
    #: Where a tap says just what happened: the name of that command, and the types of its parameters.
    tap: ClassVar[str] = ""
    __match_args__: ClassVar[tuple[str, ...]] = ()  # the names of its fields
    asks: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, tap: str = "", **asks: Any) -> None:
        super().__init_subclass__()
        cls.tap, cls.asks = tap, asks
        package = sys.modules[cls.__module__].__package__ or ""
        for how, sentences in read_if_there(package, "log.toml").items():
            if cls.__name__ in sentences:
                setattr(cls, how, sentences[cls.__name__])
        cls.__doc__ = cls.__doc__ or cls.__name__  # else its signature is worked out and written there
        dataclass(frozen=True, repr=False, eq=False)(cls)

    # By hand: to have these written for each event anew is a good part of what a start takes.

    def _fields(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__match_args__}

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{k}={v!r}' for k, v in self._fields().items()])})"

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._fields().values()))

    def check_tap(self, state: S) -> None:
        """For one that has a `tap`: refuses what must not be tapped now, although it may be told again."""

    def follows(self, state: S) -> Iterable[Event[Any]]:
        """For one that has a `tap`: what else happens by itself then, given the state right after it."""
        return ()

    def fold(self, state: S) -> S:
        """What it makes of the state. Refuses what cannot stand: that is what keeps take-backs honest."""
        return state

    def log_text(self, state: S) -> str:
        """How the log says it, given the state right after it. Empty: not worth a word."""
        return self.says.format_map(Known(self, state)) if self.says else ""

    def remembered(self, state: S) -> str:
        """How the recap tells it when the evening is over. Empty, as of most: it does not."""
        return self.recalls.format_map(Known(self, state)) if self.recalls else ""


Events: TypeAlias = Iterator[Event]  # what a tap makes happen


class Known(dict[str, Any]):
    """What an event knows, by name: fields, properties, what its methods make of the state; and the state."""

    def __init__(self, event: Event, state: Any) -> None:
        super().__init__()
        self._event, self._state = event, state

    def __missing__(self, name: str) -> Any:
        state = self._state
        value = state if name == "state" else getattr(self._event, name)
        return Told(value(state) if callable(value) else value, state)


class Told:
    """A value, as a sentence asks for it; `says` of `Event` has the ways."""

    def __init__(self, value: Any, state: Any) -> None:
        self._value, self._state = value, state

    def __getattr__(self, name: str) -> Told:
        return Told(getattr(self._value, name), self._state)

    def __getitem__(self, at: int) -> Told:
        return Told(self._value[at], self._state)

    def __format__(self, spec: str) -> str:
        value, first = self._value, spec[:1]
        if not spec or spec[:3] == "or ":
            several = type(value) is tuple and value is not self._state
            return (listed(value) if several else str(value)) or spec[3:]
        if first in "?!":
            return spec[1:] if bool(value) == (first == "?") else ""
        if first == "@":
            return self._called(*spec[1:].partition("|"))
        if first == "#":
            return format(Told(len(value), self._state), spec[1:])
        if spec in NUMBERS:
            return NUMBERS[spec](value)
        if "|" not in spec and "=" not in spec:
            return counted(value, spec) if spec[:2].isalpha() else format(value, spec)
        ways = spec.split("|")
        if type(value) is bool:
            return ways[not value]
        known = dict([each.partition("=")[::2] for each in ways if "=" in each])
        return known.get(str(value), "" if "=" in ways[-1] else ways[-1])

    def _called(self, kind: str, else_: str, nothing: str) -> str:
        """By the name that its id has at this table; several are listed."""
        state, names = self._state, self._state.names[kind]
        if else_ and not self._value:
            return nothing
        several = isinstance(self._value, tuple)
        ids = self._value if several else (self._value,)
        return listed([names.get(id, "") if isinstance(names, Mapping) else names(state, id) for id in ids])


NUMBERS: dict[str, Callable[[int], str]] = {"±": signed, "−": plain}


_adapters: dict[type[Event], TypeAdapter[Any]] = {}  # building one costs more than a thousand uses of it


def _adapter(kind: type[Event]) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def dump(event: Event) -> dict[str, Any]:
    kind = type(event)
    fields: dict[str, Any] = _adapter(kind).dump_python(event, mode="json")
    if kind.form != 1:  # the first one goes without saying
        return {"event": kind.__name__, "form": kind.form, **fields}
    return {"event": kind.__name__, **fields}


def spell(event: Event) -> str:
    """`dump` as JSON, made in one go: every tap is written down."""
    kind = type(event)
    fields = _adapter(kind).dump_json(event).decode()
    name = f'"event":"{kind.__name__}"' if kind.form == 1 else f'"event":"{kind.__name__}","form":{kind.form}'
    return f"{{{name}}}" if fields == "{}" else f"{{{name},{fields[1:]}"


def load(
    kinds: Mapping[str, type[Event]],
    stored: dict[str, Any],
    earlier: Mapping[tuple[str, int], Earlier] | None = None,
) -> Event:
    """The event, whichever of its forms is stored; what is not wholly known is not read."""
    try:
        name, form, fields = _newest(dict(stored), earlier or {})
        kind = kinds[name]
        if form != kind.form:
            raise Unreadable(f"{name} is of form {form}, and this version knows form {kind.form}")
        event: Event = _adapter(kind).validate_python(fields)
    except Unreadable:
        raise
    except Exception as why:  # it may hold anything; also a secret, so that only its name is told
        name = str(stored.get("event"))[:40] if isinstance(stored, dict) else "what is stored"
        raise Unreadable(f"{name} is no event that this version can read") from why
    return event


def _newest(
    fields: dict[str, Any], earlier: Mapping[tuple[str, int], Earlier]
) -> tuple[str, int, dict[str, Any]]:
    name, form = fields.pop("event"), fields.pop("form", 1)
    while known := earlier.get((name, form)):
        fields = dict(known.read(fields))
        name, form = fields.pop("event", name), fields.pop("form", form + 1)
    return name, form, fields
