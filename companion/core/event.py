"""Events are facts, and how they are kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, dataclass_transform

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import TypeVar

from companion.core.files import read_if_there
from companion.core.sentences import sentence

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
    An event that is about one seat has a field `seat`, first of all where it is a `SeatEvent`. A room's own
    are `Event[State]`, with its State.
    """

    #: A field that a newer version has added is not passed over: whoever did that would lose it.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    #: Counts up where a default for a new field is not enough; the room's `earlier` reads those before it.
    form: ClassVar[int] = 1
    #: Who is at the table and who hosts it cannot be taken back from the log, only changed again.
    lasting: ClassVar[bool] = False
    #: What a seat keeps to itself: nobody else takes it back, not even the host.
    owned: ClassVar[bool] = False
    #: How the log says it, where what the event knows and the state right after it are enough, as a sentence
    #: with gaps (`core/sentences.py`): here, or by the event's name under [says] in `data/log.toml`.
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
        for name in ("__repr__", "__eq__", "__hash__"):  # what several have in common has fewer fields
            setattr(cls, name, vars(Event)[name])

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

    def begins_with(self, state: S) -> Iterable[Event[Any]]:
        """For one that has a `tap`: what happens by itself before it."""
        return ()

    def follows(self, state: S) -> Iterable[Event[Any]]:
        """For one that has a `tap`: what else happens by itself then, given the state right after it."""
        return ()

    def fold(self, state: S) -> S:
        """What it makes of the state. Refuses what cannot stand: that is what keeps take-backs honest."""
        return state

    def log_text(self, state: S) -> str:
        """How the log says it, given the state right after it. Empty: not worth a word."""
        return sentence(self.says)(self, state) if self.says else ""

    def remembered(self, state: S) -> str:
        """How the recap tells it when the evening is over. Empty, as of most: it does not."""
        return sentence(self.recalls)(self, state) if self.recalls else ""


class SeatEvent(Event[S]):
    """One that is about a seat."""

    seat: int


Events: TypeAlias = Iterator[Event]  # what a tap makes happen


_adapters: dict[type[Event], TypeAdapter[Any]] = {}  # building one costs more than a thousand uses of it


def _adapter(kind: type[Event]) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def get_ready(kind: type[Event]) -> bool:
    """To read and write it, before the first one comes; gives whether that took any time."""
    known = kind in _adapters
    _adapter(kind)
    return not known


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
