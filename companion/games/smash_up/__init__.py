"""Smash Up, The Obligatory Cthulhu Set: power at bases, places, and what Madness costs."""

from companion.core import Game
from companion.core.checklist import SetupTicked, ticking
from companion.core.game import commands_in, events_in, load_rulings
from companion.core.lessons import load_lessons
from companion.games.smash_up import bases, scorings, turns
from companion.games.smash_up.adjudication import adjudicate, scores, tally
from companion.games.smash_up.cards import HOUSE_RULES
from companion.games.smash_up.state import CHECKLIST, State
from companion.games.smash_up.view import view

SUBJECTS = (bases, turns, scorings)

GAME: Game[State] = Game(
    title="Smash Up: The Obligatory Cthulhu Set",
    tagline="Power on every base, who takes which place, and the price of Madness",
    symbol="bolt",
    accent=("#b9d84e", "#526400"),
    seats=range(2, 5),
    setup=State,
    evolve=turns.evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    commands=(ticking(CHECKLIST), *commands_in(*SUBJECTS)),
    events=(SetupTicked, *events_in(*SUBJECTS)),
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    lessons=load_lessons(__package__),
)
