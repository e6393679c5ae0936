"""Where the two drafts are silent or at odds, the table chooses: data/house_rules.toml."""

from companion.core import HouseRule
from companion.core.game import load

HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
THREE_PLAYERS, AREA_CLEANED, ORDER_COUNTS, BELOW_ZERO, RITUAL_PAYS, SACRIFICE_WHEN, ABSENT_GOD = HOUSE_RULES
