"""Any game: no box in particular. Named counters for each seat, rounds as columns, highest or lowest wins."""

from companion.core import Game
from companion.core.game import commands_in, events_in
from companion.games.any_game import numbers
from companion.games.any_game.adjudication import HOUSE_RULES, adjudicate, scores
from companion.games.any_game.commands import COMMANDS
from companion.games.any_game.events import EVENTS
from companion.games.any_game.state import State, evolve, setup
from companion.games.any_game.view import view
from companion.tools import sealed

GAME: Game[State] = Game(
    title="Any game",
    tagline="Counters and rounds for every other box on the shelf",
    symbol="star",
    accent=("#e2b25c", "#855708"),
    seats=range(1, 13),
    setup=setup,
    evolve=evolve,
    view=view,
    private=numbers.private,
    adjudicate=adjudicate,
    scores=scores,
    commands=(*COMMANDS, *commands_in(numbers)),
    events=(*EVENTS, *events_in(numbers), *sealed.EVENTS),
    house_rules=HOUSE_RULES,
)
