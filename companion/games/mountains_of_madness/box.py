"""What is in the box, what the places are called, which are neighbours, and where the table chooses."""

from companion.core import HouseRule
from companion.core.dice import Die, Face
from companion.core.game import load

#: Where the manual contradicts itself or is silent: data/house_rules.toml.
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TIES, INJURIES_COUNTED, SPOKEN_CONFUSION, TOKEN_ORIGIN, AGAIN_CARDS, HAND_RAISED, DRAW_TOKENS = HOUSE_RULES

TOKENS, INJURIES, RELICS, LEVELS = 6, 15, 11, 3
PLAIN_CARDS = 40  # assumed: ten of each kind; 48 are said to be in the box, Arcane Equipment included
ARCANE = 8  # assumed: what that leaves
MOST_ARCANE = 11  # as the manual counts them; a table that has them may take them
HANDS = {3: 5, 4: 4, 5: 3}
SAND = 30_000  # ms

STAGES: dict[str, str] = {
    "setup": "set-up",
    "movement": "Movement phase",
    "encounter": "Encounter phase",
    "resolution": "Resolution phase",
    "draw": "Draw phase",
    "rest": "Rest phase",
}
PLACES: dict[str, str] = {
    "coast": "Coast",
    "mountain": "Mountain",
    "city": "City",
    "edge": "Edge of Madness",
    "escape-1": "first Escape tile",
    "escape-2": "second Escape tile",
    "escape-3": "third Escape tile",
}
#: Regions lie above each other; the Edge is the summit, and from there the way leads out.
NEIGHBOURS: dict[str, tuple[str, ...]] = {
    "": ("coast",),
    "coast": ("coast", "mountain"),
    "mountain": ("coast", "mountain", "city"),
    "city": ("mountain", "city", "edge"),
    "edge": ("escape-1",),
    "escape-1": ("escape-2",),
    "escape-2": ("escape-3",),
    "escape-3": (),
}
WITH_SPACES = ("coast", "mountain", "city")  # only there can a space be without its tile
WAY_OUT = ("edge", "escape-1", "escape-2", "escape-3")  # nobody comes back from there
RELIC_KINDS: dict[str, str] = {"specimen": "Specimen", "ruin": "Ruin", "knowledge": "Knowledge"}
#: The spaces of a player board, and what a token does there.
SPACES: dict[str, str] = {
    "movement": "ignore Madness",
    "encounter": "30 more seconds",
    "resolution": "re-roll the die",
    "draw": "hand limit +1",
}
FACES: dict[str, str] = {"accident": "Accident", "confusion": "Confusion", "confidence": "Loss of Confidence"}
_TWICE = tuple(Face(name, sign) for name, sign in zip(FACES.values(), "✚?▼", strict=True) for _ in range(2))
PENALTY_DIE = Die("penalty", "Penalty die", _TWICE, note="assumed: two faces of each")


def injuries(count: int) -> str:
    return f"{count} {'Injury' if count == 1 else 'Injuries'}"
