"""Smash Up, The Obligatory Cthulhu Set: power at bases, places, and what Madness costs."""

from companion.core.game import room
from companion.games.smash_up.adjudication import adjudicate, scores, tally
from companion.games.smash_up.state import CHECKLIST, State
from companion.games.smash_up.turns import evolve
from companion.games.smash_up.view import view

GAME = room(
    __package__,
    setup=State,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    checklist=CHECKLIST,
)
