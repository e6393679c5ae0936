"""Mountains of Madness: three to five players, thirty seconds, and a mountain that does not want you back."""

from companion.core.game import room
from companion.games.mountains_of_madness.adjudication import adjudicate, scores, tally
from companion.games.mountains_of_madness.box import PENALTY_DIE
from companion.games.mountains_of_madness.state import State, evolve
from companion.games.mountains_of_madness.view import view

GAME = room(
    __package__,
    setup=State,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    dice=(PENALTY_DIE,),
    timers=(("Sand timer", 30),),
)
