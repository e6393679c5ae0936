"""Smash Up, The Obligatory Cthulhu Set: power at bases, places, and what Madness costs."""

from companion.core.room import room
from companion.games.smash_up.state import CHECKLIST

GAME = room(__package__, checklist=CHECKLIST)
