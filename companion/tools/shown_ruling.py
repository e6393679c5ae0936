"""A ruling that somebody shows to the table comes up on every phone and the display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.core import (
    Choice,
    Context,
    Event,
    Game,
    Refused,
    State,
    Table,
    TableEvent,
    phone_only,
    replace,
)
from companion.core.command import Command


@dataclass(frozen=True)
class Shown:
    ruling: str = ""  # none lies on the table
    number: int = 0  # how many were shown, so that a phone knows a new one
    by: int = 0


def shown(table: Table) -> Shown:
    found = table.tools.get("shown")
    return found if isinstance(found, Shown) else Shown()


class RulingShown(TableEvent):
    ruling: str
    title: str  # as it was then
    by: int = 0

    def change(self, table: Table) -> Table:
        after = Shown(self.ruling, shown(table).number + 1, self.by)
        return replace(table, tools={**table.tools, "shown": after})

    def log_text(self, state: State) -> str:
        return f"showed the ruling “{self.title}”"


class RulingPutAway(TableEvent):
    def change(self, table: Table) -> Table:
        return replace(table, tools={**table.tools, "shown": replace(shown(table), ruling="")})

    def log_text(self, state: State) -> str:
        return "put the ruling away"


def commands(game: Game[Any]) -> tuple[Command, ...]:
    """They know the room's own rulings."""

    @phone_only
    def show_ruling(state: State, context: Context, ruling: Choice) -> Iterator[Event]:
        titles = {each.id: each.title for each in game.rulings}
        if ruling not in titles:
            raise Refused("There is no such ruling in this game.")
        if shown(state.table).ruling == ruling:
            raise Refused("That ruling lies on the table already.")
        yield RulingShown(ruling, titles[ruling], context.phone)

    return (show_ruling,)


@phone_only
def put_ruling_away(state: State, context: Context) -> Iterator[Event]:
    if not shown(state.table).ruling:
        raise Refused("No ruling lies on the table.")
    yield RulingPutAway()


COMMANDS = (put_ruling_away,)
EVENTS = (RulingShown, RulingPutAway)
