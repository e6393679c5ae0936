"""Where the manual can be read in two ways, the table chooses."""

from __future__ import annotations

from companion.core import HouseRule

TIED = HouseRule(
    id="tied-for-most",
    question="Tied for the most VP when the game would end?",
    choices=(
        ("play-on", "Play goes on until one is ahead"),
        ("madness", "Fewest Madness cards, then shared"),
    ),
    default="play-on",
    why="The manual plays on. Players of this set also break the tie by Madness cards.",
)
PENALTY = HouseRule(
    id="penalty-unends",
    question="Can the Madness penalty take the end of the game back?",
    choices=(("no", "No: 15 before the penalty ends it"), ("yes", "Yes: 15 must be left after it")),
    default="no",
    why="The manual ends the game at 15 and applies the penalty after that.",
)
RANKED = HouseRule(
    id="who-is-ranked",
    question="Is a player with power but no minion ranked when a base scores?",
    choices=(("minion", "No, a minion must be there"), ("power", "Yes, 1 power is enough")),
    default="minion",
    why="The manual asks for a minion; later rules also accept power.",
)
TIED_PLACE = HouseRule(
    id="tied-place",
    question="Players tied on a base take the higher VP: of the place, or of the numbers?",
    choices=(("place", "The higher place"), ("number", "The larger number")),
    default="place",
    why="It differs only on bases that give second more than first, such as 2, 3, 2.",
)
LAST_BASE = HouseRule(
    id="base-deck-empty",
    question="The base deck is empty when a base is replaced?",
    choices=(("shuffle", "Shuffle the scored bases"), ("none", "No new base comes")),
    default="shuffle",
    why="The manual only says “if any”; a game with too few bases would stall.",
)
END_CHECK = HouseRule(
    id="end-check",
    question="When is it checked whether somebody has 15 VP?",
    choices=(("turn", "At the end of each turn"), ("at-once", "At once")),
    default="turn",
    why="One line of the manual says the first to reach 15, the rules for the end say after a turn.",
)
HOUSE_RULES = (TIED, PENALTY, RANKED, TIED_PLACE, LAST_BASE, END_CHECK)
