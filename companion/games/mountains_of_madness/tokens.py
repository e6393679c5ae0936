"""Spending a Leadership token: each phase has one use, and a Relic token on the Leader's board closes it."""

from __future__ import annotations

from companion.core import Refused
from companion.games.mountains_of_madness.state import SPACES, State, expect


def playing(state: State, turn: int, *stages: str) -> None:
    """Refuses a tap that comes after the end, in another turn or in another phase."""
    if state.over:
        raise Refused("The expedition is over. Something mistapped? Undo it.")
    if state.stage == "setup":
        raise Refused("The expedition has not begun.")
    expect(state, turn, *stages)


def why_not(state: State, space: str) -> str:
    """Why no token can be spent here; empty if one can."""
    if space in state.covered.get(state.leader, ()):
        return (
            f"A Relic token covers “{SPACES[space]}” on the board of {state.name(state.leader)}, who leads."
        )
    if not state.tokens.sled:
        return "No Leadership token is left on the sled."
    return ""


def check_token(state: State, space: str) -> None:
    if why := why_not(state, space):
        raise Refused(why)
