"""Where the manual is unclear the table chooses, and we remember."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.core import Choice, Context, Event, Game, Refused, State, Table, TableEvent, replace
from companion.core.command import Command


class HouseRuleChosen(TableEvent):
    rule: str
    choice: str
    reading: str

    def change(self, table: Table) -> Table:
        return replace(table, choices={**table.choices, self.rule: self.choice})

    def log_text(self, state: State) -> str:
        return f"house rule: {self.reading}"


def commands(game: Game[Any]) -> tuple[Command, ...]:
    """The command knows the game's own questions, so it can refuse any other."""

    def choose_rule(state: State, context: Context, rule: Choice, choice: Choice) -> Iterator[Event]:
        house_rule = game.house_rule(rule)
        reading = house_rule.reading(choice)
        if house_rule.chosen(state.table) == choice:
            raise Refused("That is the rule already.")
        yield HouseRuleChosen(rule, choice, reading)

    return (choose_rule,)


def choices_at_first(game: Game[Any], picked: Mapping[str, str]) -> dict[str, str]:
    """A choice for every rule of the game: what the table picked, else the default."""
    choices = {rule.id: picked.get(rule.id) or rule.default for rule in game.house_rules}
    for id, choice in choices.items():
        game.house_rule(id).reading(choice)
    return choices


EVENTS = (HouseRuleChosen,)
