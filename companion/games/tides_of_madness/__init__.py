"""Tides of Madness: two players, three rounds, 18 cards, and nine tokens that end it."""

from companion.core.command import followed_by
from companion.core.room import room
from companion.games.tides_of_madness.moves import goes_on
from companion.tools import sealed

GAME = room(__package__, each=followed_by(goes_on), events=sealed.EVENTS)
