"""What every table has whatever the game. Pure, like the rooms."""

from __future__ import annotations

from functools import partial
from typing import Any

from companion.core import Game, PutBack, TakenBack, replace
from companion.core.command import Command
from companion.core.event import Earlier
from companion.core.table import SittingOpened
from companion.tools import (
    asking,
    dice,
    ending,
    hosting,
    house_rules,
    phones,
    seats,
    shown_ruling,
    teaching,
    timer,
    undo,
)

EVENTS = (
    SittingOpened,
    TakenBack,
    PutBack,
    *seats.EVENTS,
    *phones.EVENTS,
    *hosting.EVENTS,
    *asking.EVENTS,
    *house_rules.EVENTS,
    *timer.EVENTS,
    *dice.EVENTS,
    *shown_ruling.EVENTS,
    *ending.EVENTS,
    *teaching.EVENTS,
)
EARLIER: tuple[Earlier, ...] = ()  # how events of every table are read that were once written otherwise


def equip(game: Game[Any]) -> Game[Any]:
    """Give a room the tools that every table has."""
    commands: tuple[Command, ...] = (
        *seats.COMMANDS,
        *phones.COMMANDS,
        *hosting.COMMANDS,
        *asking.COMMANDS,
        *undo.COMMANDS,
        *timer.COMMANDS,
        *dice.COMMANDS,
        *dice.commands(game),
        *ending.COMMANDS,
    )
    if game.house_rules:
        commands += house_rules.commands(game)
    if game.rulings:
        commands += (*shown_ruling.COMMANDS, *shown_ruling.commands(game))
    if game.lessons:
        commands += (*teaching.COMMANDS, *teaching.commands(game))
    return replace(
        game,
        also=partial(teaching.moving_on, game) if game.lessons else None,
        commands=commands + game.commands,
        events=EVENTS + game.events,
        earlier=EARLIER + game.earlier,
    )
