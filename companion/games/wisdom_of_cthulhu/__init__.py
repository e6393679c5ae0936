"""Wisdom of Cthulhu: two to four seekers, six turns, and six Paths that become Obsessions one by one."""

from companion.core.room import room

GAME = room(__package__)
