"""How the log says what happens in the castle."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from companion import core
from companion.core.text import listed
from companion.games.escape_the_dark_castle.box import BOSS, character

if TYPE_CHECKING:
    from companion.games.escape_the_dark_castle.state import State


def chapter_name(number: int) -> str:
    return "the boss" if number == BOSS else f"chapter {number}" if number else "the Start card"


def room(state: core.State) -> State:
    return cast("State", state)


def deaths(state: State, *heroes: str) -> str:
    """What the log adds when somebody's health is gone."""
    dead = [f"the {character(hero).name}" for hero in heroes if hero in state.fallen]
    return f"; {listed(dead)} {'is' if len(dead) == 1 else 'are'} dead, and the game is lost" if dead else ""


def rolled(hero: str, face: int, real: bool, again: bool) -> str:
    how = "changed to" if again and real else "rolled again" if again else "rolled"
    return f"the {character(hero).name} {how} {character(hero).side(face).name}"
