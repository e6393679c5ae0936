"""Tides of Madness: two players, three rounds, 18 cards, and nine tokens that end it."""

from companion.core import Game
from companion.core.checklist import SetupTicked, ticking
from companion.core.command import followed_by
from companion.core.game import commands_in, events_in, load_rulings
from companion.core.lessons import load_lessons
from companion.games.tides_of_madness import adjudication, draft, moves, refresh
from companion.games.tides_of_madness.board import private
from companion.games.tides_of_madness.cards import HOUSE_RULES
from companion.games.tides_of_madness.state import CHECKLIST, State
from companion.games.tides_of_madness.view import view
from companion.tools import sealed

GAME: Game[State] = Game(
    title="Tides of Madness",
    tagline="Seven cards against seven, scored with every reason",
    symbol="wave",
    starts=False,
    accent=("#6fd0c0", "#0b6b62"),
    seats=range(2, 3),
    setup=State,
    view=view,
    private=private,
    adjudicate=adjudication.adjudicate,
    tally=adjudication.judge,
    scores=adjudication.scores,
    commands=(ticking(CHECKLIST), *map(followed_by(moves.goes_on), commands_in(moves, draft, refresh))),
    events=(SetupTicked, *sealed.EVENTS, *events_in(moves, draft, refresh)),
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    lessons=load_lessons(__package__),
)
