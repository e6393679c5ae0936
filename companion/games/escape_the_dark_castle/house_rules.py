"""Where the manual can be read in two ways, or says nothing, the table chooses: data/house_rules.toml."""

from companion.core import HouseRule
from companion.core.game import load

HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
TRADING, ATTACK, REST_FIRST, REST_AGAIN, TEST_DOUBLES, TENTH_DIE, EMPTY_DECK, BOSSES = HOUSE_RULES
