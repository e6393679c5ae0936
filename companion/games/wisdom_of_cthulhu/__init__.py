"""Wisdom of Cthulhu: two to four seekers, six turns, and six Paths that become Obsessions one by one."""

from companion.core import Game
from companion.core.game import commands_in, events_in, load_rulings
from companion.core.lessons import load_lessons
from companion.games.wisdom_of_cthulhu import cards, markers, points, research, ritual, turn
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate, scores, tally
from companion.games.wisdom_of_cthulhu.box import HOUSE_RULES
from companion.games.wisdom_of_cthulhu.state import State, setup
from companion.games.wisdom_of_cthulhu.view import view

GAME: Game[State] = Game(
    title="Wisdom of Cthulhu",
    tagline="Six Paths, six turns, and every action counted",
    symbol="eye",
    accent=("#c3a6f2", "#5b3a94"),
    seats=range(2, 5),
    setup=setup,
    evolve=turn.evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    commands=commands_in(turn, research, points, cards, ritual, markers),
    events=events_in(turn, research, points, cards, ritual, markers),
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    lessons=load_lessons(__package__),
)
