"""Tides of Madness: two players, three rounds, 18 cards, and nine tokens that end it."""

from companion.core.command import followed_by
from companion.core.game import room
from companion.games.tides_of_madness import adjudication, moves
from companion.games.tides_of_madness.board import private
from companion.games.tides_of_madness.state import CHECKLIST, State
from companion.games.tides_of_madness.view import view
from companion.tools import sealed

GAME = room(
    __package__,
    setup=State,
    view=view,
    private=private,
    adjudicate=adjudication.adjudicate,
    tally=adjudication.judge,
    scores=adjudication.scores,
    checklist=CHECKLIST,
    each=followed_by(moves.goes_on),
    events=sealed.EVENTS,
)
