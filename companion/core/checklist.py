"""A checklist that everyone at the table ticks: what rooms share of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from companion.core.command import Command, Context
from companion.core.event import Event, Events
from companion.core.fixed import replace
from companion.core.pieces import Checklist, Do, Tick
from companion.core.refused import NotThere, Refused
from companion.core.table import Table
from companion.core.text import Choice, YesOrNo


class Item(NamedTuple):
    """What is to be ticked, as a room's `data/checklist.toml` has it."""

    id: str
    label: str


class SetupTicked(Event):
    """A state that has a checklist keeps what is done in `ticked`."""

    item: str
    label: str
    done: bool

    says = "{done:ready|not ready after all}: {label}"

    def fold(self, state: Any) -> Any:
        others = tuple(each for each in state.ticked if each != self.item)
        return replace(state, ticked=(*others, self.item) if self.done else others)


def to_tick(ticked: Collection[str], item: str, label: str | None, done: bool) -> str:
    """The label of what may be ticked, or no longer be; two phones may have tapped the same."""
    if label is None:
        raise NotThere("That is not on the list.")
    if (item in ticked) == done:
        raise Refused("That is ticked already." if done else "That is not ticked.")
    return label


#: Ids and labels: always the same, or made for each table.
Checks = Iterable[tuple[str, str]] | Callable[[Table], Iterable[tuple[str, str]]]


def ticking(items: Checks) -> Command:
    """The command `tick(item, done)` of a room whose list is always the same, or is made for each table."""

    def tick(state: Any, context: Context, item: Choice, done: YesOrNo = "yes") -> Events:
        labels = dict(items(state.table) if callable(items) else items)
        label = to_tick(state.ticked, item, labels.get(item), done == "yes")
        yield SetupTicked(item, label, done == "yes")

    return tick


def checklist(ticked: Collection[str], items: Iterable[tuple[str, str]], id: str = "setup") -> Checklist:
    """The piece, for a room whose command is `tick(item, done)`."""
    return Checklist(
        id,
        tuple(
            Tick(label, Do("tick", {"item": item, "done": "no" if item in ticked else "yes"}), item in ticked)
            for item, label in items
        ),
    )
