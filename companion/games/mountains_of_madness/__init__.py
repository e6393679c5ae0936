"""Mountains of Madness: three to five players, thirty seconds, and a mountain that does not want you back."""

from companion.core import Game
from companion.core.game import commands_in, events_in, load_rulings
from companion.core.lessons import load_lessons
from companion.games.mountains_of_madness import (
    box,
    consequences,
    counting,
    encounter,
    put_right,
    resolution,
    rest,
    reward,
    settling,
    setup,
)
from companion.games.mountains_of_madness.adjudication import adjudicate, scores, tally
from companion.games.mountains_of_madness.state import State, evolve
from companion.games.mountains_of_madness.view import view

PARTS = (setup, encounter, counting, settling, resolution, reward, consequences, rest, put_right)

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
    commands=commands_in(*PARTS),
    events=events_in(*PARTS),
    rulings=load_rulings(__package__),
    house_rules=box.HOUSE_RULES,
    lessons=load_lessons(__package__),
    dice=(box.PENALTY_DIE,),
    timers=(("Sand timer", 30),),
)
