"""What players can tap, by subject."""

from companion.games.escape_the_dark_castle.commands import chapters, fight, items, setup, trial

COMMANDS = (*setup.COMMANDS, *chapters.COMMANDS, *items.COMMANDS, *fight.COMMANDS, *trial.COMMANDS)
