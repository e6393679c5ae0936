"""One tap in the journal, and what its events make of a state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.core.event import Event
from companion.core.fixed import dataclass, replace
from companion.core.game import Game
from companion.core.table import SittingOpened, TableEvent


class TakenBack(Event):
    """Nothing is erased: a later entry says that an earlier one no longer counts."""

    entry: int


class PutBack(Event):
    entry: int


TURNS = (TakenBack, PutBack)  # asked of every event, and `A | B` would be put together anew each time


@dataclass(frozen=True)
class Entry:
    """One tap and the whole chain of events that it caused."""

    version: int
    tap: str
    digest: str  # of what was asked: the same tap id with other content is not the same tap
    phone: int
    command: str
    at: int
    events: tuple[Event, ...]

    @property
    def lasting(self) -> bool:
        return any(event.lasting for event in self.events)

    @property
    def reverts(self) -> int | None:
        """The entry that this one takes back or puts back."""
        for event in self.events:
            if isinstance(event, TURNS):
                return event.entry
        return None

    @property
    def target(self) -> int | None:
        """Whoever taps its line takes this entry back, or puts it back; None: it cannot be."""
        turned = self.reverts
        if turned is None and not self.lasting:
            return self.version
        return turned


def fold(game: Game[Any], state: Any, events: Iterable[Event]) -> Any:
    """What the events make of the state. A room may refuse a fact that cannot stand."""
    for event in events:
        if isinstance(event, TURNS):
            continue
        if isinstance(event, SittingOpened):
            state = game.setup(event.table())
        elif isinstance(event, TableEvent):
            state = replace(state, table=event.change(state.table))
            game.check_seats(len(state.table.seats))
        state = game.evolve(state, event)
    return state


def gone_after(entries: Iterable[Entry], before: Iterable[int] = ()) -> frozenset[int]:
    """The entries that do not count, once these have turned some."""
    gone = set(before)
    for entry in entries:
        for event in entry.events:
            if isinstance(event, TakenBack):
                gone.add(event.entry)
            elif isinstance(event, PutBack):
                gone.discard(event.entry)
    return frozenset(gone)
