"""Escape the Dark Castle: fifteen chapters and a boss, one to four players, and one death ends it for all."""

from companion.core.room import room
from companion.games.escape_the_dark_castle import castle
from companion.games.escape_the_dark_castle.box import DICE

GAME = room(__package__, checklist=castle.checklist, each=castle.played, dice=DICE)
