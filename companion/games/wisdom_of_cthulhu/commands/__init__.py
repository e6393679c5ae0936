"""What players can tap, by subject."""

from companion.games.wisdom_of_cthulhu.commands import by_hand, points, research, ritual, turn

COMMANDS = (
    *turn.COMMANDS,
    *research.COMMANDS,
    *points.COMMANDS,
    *ritual.COMMANDS,
    *by_hand.COMMANDS,
)
