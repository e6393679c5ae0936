"""Where the manual contradicts itself or is silent, the table chooses: data/house_rules.toml."""

from companion.core import HouseRule
from companion.core.game import load

HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
(
    RELICS_NEEDED,
    INJURIES_COUNTED,
    SPOKEN_CONFUSION,
    TOKEN_ORIGIN,
    AGAIN_CARDS,
    HAND_RAISED,
    DRAW_TOKENS,
) = HOUSE_RULES
