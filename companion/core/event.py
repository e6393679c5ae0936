"""Events are facts; Refused is a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, dataclass_transform

from pydantic import TypeAdapter
from typing_extensions import TypeVar

S = TypeVar("S", default=Any)


class Refused(ValueError):
    """What a player asked for cannot be done; the text is the sentence they read."""


@dataclass_transform(frozen_default=True)
class Event(Generic[S]):
    """Something that happened: past tense, small, enough to replay without deciding again.

    Subclasses are frozen dataclasses, made so here. They are a file format: add fields with defaults, never
    rename.
    An event that is about one seat has a field `seat`. A room's own are `Event[State]`, with its State.
    """

    #: Who is at the table and who hosts it cannot be taken back from the log, only changed again.
    lasting: ClassVar[bool] = False
    #: What a seat keeps to itself: nobody else takes it back, not even the host.
    owned: ClassVar[bool] = False
    #: How the log says it, where what the event knows itself is enough: `says = "round {round} begins"`.
    says: ClassVar[str] = ""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        dataclass(frozen=True)(cls)

    def fold(self, state: S) -> S:
        """What it makes of the state. Refuses what cannot stand: that is what keeps take-backs honest."""
        return state

    def log_text(self, state: S) -> str:
        """How the log says it, given the state right after it. Empty: not worth a word."""
        return self.says.format_map(_Known(self)) if self.says else ""

    def remembered(self, state: S) -> str:
        """How the recap tells it when the evening is over. Empty, as of most: it does not."""
        return ""


class _Known(dict[str, Any]):
    """What an event knows, fields and properties, by name."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def __missing__(self, name: str) -> Any:
        return getattr(self._event, name)


_adapters: dict[type[Event], TypeAdapter[Any]] = {}  # building one costs more than a thousand uses of it


def _adapter(kind: type[Event]) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def dump(event: Event) -> dict[str, Any]:
    fields: dict[str, Any] = _adapter(type(event)).dump_python(event, mode="json")
    return {"event": type(event).__name__, **fields}


def spell(event: Event) -> str:
    """`dump` as JSON, made in one go: every tap is written down."""
    fields = _adapter(type(event)).dump_json(event).decode()
    name = f'"event":"{type(event).__name__}"'
    return f"{{{name}}}" if fields == "{}" else f"{{{name},{fields[1:]}"


def load(kinds: dict[str, type[Event]], stored: dict[str, Any]) -> Event:
    fields = dict(stored)
    event: Event = _adapter(kinds[fields.pop("event")]).validate_python(fields)
    return event
