"""Mountains of Madness: three to five players, thirty seconds, and a mountain that does not want you back."""

from companion.core import Game
from companion.core.game import load_rulings
from companion.games.mountains_of_madness.adjudication import adjudicate, scores, tally
from companion.games.mountains_of_madness.commands import COMMANDS
from companion.games.mountains_of_madness.events import EVENTS
from companion.games.mountains_of_madness.evolve import evolve
from companion.games.mountains_of_madness.house_rules import HOUSE_RULES
from companion.games.mountains_of_madness.state import PENALTY_DIE, State, setup
from companion.games.mountains_of_madness.view import view

GAME: Game[State] = Game(
    title="Mountains of Madness",
    tagline="Thirty seconds to talk, one card to silence you all",
    symbol="peak",
    accent=("#9fd0ea", "#17597f"),
    seats=range(3, 6),
    setup=setup,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    commands=COMMANDS,
    events=EVENTS,
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    dice=(PENALTY_DIE,),
    timers=(("Sand timer", 30),),
)
