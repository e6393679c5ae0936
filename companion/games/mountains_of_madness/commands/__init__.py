"""What can be tapped, phase by phase."""

from companion.core.command import Command
from companion.games.mountains_of_madness.commands import (
    by_hand,
    draw,
    encounter,
    movement,
    penalty,
    resolution,
    reward,
)

COMMANDS: tuple[Command, ...] = (
    *movement.COMMANDS,
    *encounter.COMMANDS,
    *penalty.COMMANDS,
    *resolution.COMMANDS,
    *reward.COMMANDS,
    *draw.COMMANDS,
    *by_hand.COMMANDS,
)
