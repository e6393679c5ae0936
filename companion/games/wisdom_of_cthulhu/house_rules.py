"""Where the two drafts are silent or at odds, the table chooses."""

from __future__ import annotations

from companion.core import HouseRule

THREE_PLAYERS = HouseRule(
    id="three-players",
    question="Three players: how many Alien Science cards are laid out each turn?",
    choices=(("full", "Three: 5 / 3 / 1"), ("short", "Two: 5 / 2 / 1")),
    default="full",
    why="The manual says three, one card for each of the nine places; the later draft says two.",
)
AREA_CLEANED = HouseRule(
    id="area-cleaned",
    question="When are the Knowledge cards that nobody bought discarded?",
    choices=(("start", "When the next turn is prepared"), ("end", "At the end of the turn")),
    default="start",
    why="The manual says the end; in the later draft it is the next Preparation, after a card counted them.",
)
ORDER_COUNTS = HouseRule(
    id="order-counts",
    question="Research Order: do Permanent Obsessions count?",
    choices=(("both", "Yes, all Obsessions"), ("temporary", "No, only those turned this turn")),
    default="both",
    why="The later draft speaks of Obsession cards and leaves none out.",
)
BELOW_ZERO = HouseRule(
    id="below-zero",
    question="May Knowledge Points fall below 0?",
    choices=(("no", "No; what cannot be paid is not done"), ("yes", "Yes, debts are allowed")),
    default="no",
    why="Neither draft says; points are markers, and nobody can hand over markers they do not have.",
)
RITUAL_PAYS = HouseRule(
    id="ritual-pays",
    question="Which Ritual requirements pay your Dark Masters of that bond?",
    choices=(("third", "Only the third one"), ("every", "Every one that is met")),
    default="third",
    why="The manual names the requirements without a number; the later draft pays at the third.",
)
SACRIFICE_WHEN = HouseRule(
    id="sacrifice-when",
    question="How soon after the Transmutation may the Sacrifice be made?",
    choices=(("next", "At the end of the turn after it"), ("same", "At the end of the same turn")),
    default="next",
    why="The later draft asks for the end of the next turn, and does not say next after what.",
)
ABSENT_GOD = HouseRule(
    id="absent-god",
    question="Does the bond of a Great Old One that is not in play pay Dark Masters?",
    choices=(("pays", "Yes; only its powers are missing"), ("nothing", "No, the bond is idle")),
    default="pays",
    why="Places and cards keep their symbols whoever is in play, and neither draft takes the points away.",
)
HOUSE_RULES = (
    THREE_PLAYERS,
    AREA_CLEANED,
    ORDER_COUNTS,
    BELOW_ZERO,
    RITUAL_PAYS,
    SACRIFICE_WHEN,
    ABSENT_GOD,
)
