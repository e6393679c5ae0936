"""Escape the Dark Castle: fifteen chapters and a boss, one to four players, and one death ends it for all."""

from companion.core.game import room
from companion.games.escape_the_dark_castle import castle
from companion.games.escape_the_dark_castle.adjudication import adjudicate, judge_tally, scores
from companion.games.escape_the_dark_castle.box import DICE
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.view import view

GAME = room(
    __package__,
    setup=State,
    evolve=castle.evolve,
    view=view,
    adjudicate=adjudicate,
    tally=judge_tally,
    scores=scores,
    checklist=castle.checklist,
    each=castle.played,
    dice=DICE,
)
