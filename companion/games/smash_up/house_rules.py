"""Where the manual can be read in two ways, the table chooses: data/house_rules.toml."""

from companion.core import HouseRule
from companion.core.game import load

HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TIED, PENALTY, RANKED, TIED_PLACE, LAST_BASE, END_CHECK = HOUSE_RULES
