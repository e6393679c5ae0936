"""What an event makes of the state. What must always hold is checked here, so that take-backs stay honest."""

from __future__ import annotations

from companion.core import Event
from companion.games.escape_the_dark_castle.evolve import castle, fight, trial
from companion.games.escape_the_dark_castle.state import State

FOLDS = {**castle.FOLDS, **fight.FOLDS, **trial.FOLDS}


def evolve(state: State, event: Event) -> State:
    fold = FOLDS.get(type(event))
    return fold(state, event) if fold else state
