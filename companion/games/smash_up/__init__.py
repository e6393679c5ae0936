"""Smash Up, The Obligatory Cthulhu Set: power at bases, places, and what Madness costs."""

from companion.core import Game
from companion.core.game import load_rulings
from companion.games.smash_up.adjudication import adjudicate, scores, tally
from companion.games.smash_up.commands import COMMANDS
from companion.games.smash_up.events import EVENTS
from companion.games.smash_up.evolve import evolve
from companion.games.smash_up.house_rules import HOUSE_RULES
from companion.games.smash_up.state import State, setup
from companion.games.smash_up.view import view

GAME: Game[State] = Game(
    title="Smash Up: The Obligatory Cthulhu Set",
    tagline="Power on every base, who takes which place, and the price of Madness",
    symbol="bolt",
    accent=("#b9d84e", "#526400"),
    seats=range(2, 5),
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
)
