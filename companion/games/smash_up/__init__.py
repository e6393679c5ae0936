"""Smash Up, The Obligatory Cthulhu Set: power at bases, places, and what Madness costs."""

from companion.core.room import room

GAME = room(__package__)
