"""Mountains of Madness: three to five players, thirty seconds, and a mountain that does not want you back."""

from companion.core import Game
from companion.core.game import commands_in, events_in, load_rulings
from companion.games.mountains_of_madness import events, revealed
from companion.games.mountains_of_madness.adjudication import adjudicate, scores, tally
from companion.games.mountains_of_madness.commands import by_hand, resolution, turn
from companion.games.mountains_of_madness.events import evolve
from companion.games.mountains_of_madness.house_rules import HOUSE_RULES
from companion.games.mountains_of_madness.state import PENALTY_DIE, State
from companion.games.mountains_of_madness.view import view

GAME: Game[State] = Game(
    title="Mountains of Madness",
    tagline="Thirty seconds to talk, one card to silence you all",
    symbol="peak",
    accent=("#9fd0ea", "#17597f"),
    seats=range(3, 6),
    setup=State,
    evolve=evolve,
    view=view,
    adjudicate=adjudicate,
    tally=tally,
    scores=scores,
    commands=commands_in(turn, resolution, by_hand),
    events=events_in(events, revealed, by_hand),
    rulings=load_rulings(__package__),
    house_rules=HOUSE_RULES,
    dice=(PENALTY_DIE,),
    timers=(("Sand timer", 30),),
)
