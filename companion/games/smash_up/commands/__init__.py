"""What players can tap, by subject."""

from companion.games.smash_up.commands import bases, madness, scoring, setting_up, turns

COMMANDS = (
    *setting_up.COMMANDS,
    *bases.COMMANDS,
    *turns.COMMANDS,
    *scoring.COMMANDS,
    *madness.COMMANDS,
)
