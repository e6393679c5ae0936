"""A checklist that everyone at the table ticks: what rooms share of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from companion.core.event import Event, Refused
from companion.core.table import State


@dataclass(frozen=True)
class SetupTicked(Event):
    item: str
    label: str
    done: bool

    def told(self, state: State) -> str:
        return f"{'ready' if self.done else 'not ready after all'}: {self.label}"


def to_tick(ticked: Collection[str], item: str, label: str | None, done: bool) -> str:
    """The label of what may be ticked, or no longer be; two phones may have tapped the same."""
    if label is None:
        raise Refused("That is not on the list.")
    if (item in ticked) == done:
        raise Refused("That is ticked already." if done else "That is not ticked.")
    return label
