"""The end of the evening: said by somebody at the table, whether or not the game is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core import Context, Event, Refused, State, Table, TableEvent, replace


@dataclass(frozen=True)
class Ending:
    at: int  # milliseconds since 1970, UTC
    next: str = ""  # the code of the table where they went on with the same seats


def ending(table: Table) -> Ending | None:
    """When the evening ended; None while it goes on."""
    found = table.tools.get("ending")
    return found if isinstance(found, Ending) else None


def _with(table: Table, changed: Ending | None) -> Table:
    return replace(table, tools={**table.tools, "ending": changed})


class SittingEnded(TableEvent):
    at: int

    def change(self, table: Table) -> Table:
        if ending(table):
            raise Refused("The evening has ended already.")
        return _with(table, Ending(self.at))

    def log_text(self, state: State) -> str:
        return "the evening has ended"


class SittingResumed(TableEvent):
    def change(self, table: Table) -> Table:
        if not ending(table):
            raise Refused("The evening is going on.")
        return _with(table, None)

    def log_text(self, state: State) -> str:
        return "the evening goes on"


class SittingFollowed(TableEvent):
    """The same people went on at another table; every phone here is there already."""

    at: int
    code: str
    lasting = True

    def change(self, table: Table) -> Table:
        ended = ending(table)
        return _with(table, Ending(ended.at if ended else self.at, self.code))

    def log_text(self, state: State) -> str:
        return f"once more, at table {self.code}"


def end_sitting(state: State, context: Context) -> Iterator[Event]:
    """For a game that is over, and for one that is not: then it stops here."""
    yield SittingEnded(context.now)


def resume_sitting(state: State, context: Context) -> Iterator[Event]:
    yield SittingResumed()


COMMANDS = (end_sitting, resume_sitting)
EVENTS = (SittingEnded, SittingResumed, SittingFollowed)
