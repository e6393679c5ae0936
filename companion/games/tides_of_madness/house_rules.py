"""Where the manual can be read in two ways, the table chooses: data/house_rules.toml."""

from companion.core import HouseRule
from companion.core.game import load

HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
KEPT_MADNESS, KEPT_ICONS, KEPT_SHUB, EMPTY_HANDED, DREAMLANDS_TOKEN = HOUSE_RULES
