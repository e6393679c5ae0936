"""Any game: no box in particular. Named counters for each seat, rounds as columns, highest or lowest wins."""

from companion.core import Game
from companion.core.game import commands_in, events_in
from companion.core.lessons import load_lessons
from companion.games.any_game import commands, events, numbers
from companion.games.any_game.adjudication import HOUSE_RULES, adjudicate, scores
from companion.games.any_game.state import State
from companion.games.any_game.view import view
from companion.tools import sealed

GAME: Game[State] = Game(
    title="Any game",
    tagline="Counters and rounds for every other box on the shelf",
    symbol="star",
    any_box=True,
    accent=("#e2b25c", "#855708"),
    seats=range(1, 13),
    setup=State,
    view=view,
    private=numbers.private,
    adjudicate=adjudicate,
    scores=scores,
    called=lambda state: state.agreed.title,
    again=commands.once_more,
    commands=commands_in(commands, numbers),
    events=(*events_in(events, numbers), *sealed.EVENTS),
    house_rules=HOUSE_RULES,
    lessons=load_lessons(__package__),
)
