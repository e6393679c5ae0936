"""Escape the Dark Castle: fifteen chapters and a boss, one to four players, and one death ends it for all."""

from companion.core import Game
from companion.core.checklist import SetupTicked, ticking
from companion.core.game import commands_in, events_in, load_rulings
from companion.core.lessons import load_lessons
from companion.games.escape_the_dark_castle import castle, fight, items, laying, testing
from companion.games.escape_the_dark_castle.adjudication import adjudicate, judge_tally, scores
from companion.games.escape_the_dark_castle.box import DICE, HOUSE_RULES
from companion.games.escape_the_dark_castle.state import State
from companion.games.escape_the_dark_castle.view import view

PARTS = castle, fight, laying, items, testing
GAME: Game[State] = Game(
    title="Escape the Dark Castle",
    tagline="Every fight rolled, settled and weighed together",
    symbol="key",
    starts=False,
    accent=("#e08a6d", "#933d20"),
    seats=range(1, 5),
    setup=State,
    evolve=castle.evolve,
    view=view,
    adjudicate=adjudicate,
    tally=judge_tally,
    scores=scores,
    commands=(ticking(castle.checklist), *map(castle.played, commands_in(*PARTS))),
    events=(SetupTicked, *events_in(*PARTS)),
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    lessons=load_lessons(__package__),
    dice=DICE,
)
