"""Mountains of Madness: three to five players, thirty seconds, and a mountain that does not want you back."""

from companion.core.room import room
from companion.games.mountains_of_madness.box import PENALTY_DIE

GAME = room(__package__, dice=(PENALTY_DIE,), timers=(("Sand timer", 30),))
