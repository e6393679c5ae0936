"""Wisdom of Cthulhu: two to four seekers, six turns, and six Paths that become Obsessions one by one."""

from companion.core.game import room
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate, scores, tally
from companion.games.wisdom_of_cthulhu.state import setup
from companion.games.wisdom_of_cthulhu.turn import evolve
from companion.games.wisdom_of_cthulhu.view import view

GAME = room(
    __package__,
    setup=setup,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
)
