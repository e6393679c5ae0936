"""What players can tap, by subject."""

from companion.games.tides_of_madness.commands import by_hand, draft, refresh, scoring

COMMANDS = (*draft.COMMANDS, *scoring.COMMANDS, *by_hand.COMMANDS, *refresh.COMMANDS)
