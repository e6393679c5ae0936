"""Where the manual contradicts itself or is silent, the table chooses."""

from __future__ import annotations

from companion.core import HouseRule

RELICS_NEEDED = HouseRule(
    id="relics-needed",
    question="As many Relics as Injuries: is that enough?",
    choices=(("as-many", "Yes, as many is enough"), ("more", "No, it takes more")),
    default="as-many",
    why="The manual contradicts itself: its aim asks for more, its last page and its table are content "
    "with as many.",
)
INJURIES_COUNTED = HouseRule(
    id="injuries-counted",
    question="Which Injuries count against you?",
    choices=(
        ("suffered", "All that left the Injury deck"),
        ("printed", "Injury deck, Equipment discard and hands"),
    ),
    default="suffered",
    why="The manual names the Injury deck, but those were never suffered, or were healed; it seems to mean "
    "the Equipment deck. Its best result could not be reached otherwise.",
)
SPOKEN_CONFUSION = HouseRule(
    id="spoken-confusion",
    question="Somebody spoke and the die shows Confusion, but nothing has failed yet?",
    choices=(
        ("again", "Roll again"),
        ("later", "Measure it after the reveal, by the wider miss"),
        ("nothing", "Nothing happens"),
    ),
    default="again",
    why="Confusion counts the gap to a Challenge, and before the reveal there is none.",
)
TOKEN_ORIGIN = HouseRule(
    id="token-origin",
    question="A token must go to the box instead: from where?",
    choices=(("sled", "From the sled if one is there"), ("discard", "From the discard if one is there")),
    default="sled",
    why="The manual does not say for the penalty die. For Madness that nobody can draw it does, and that "
    "stays as it is.",
)
AGAIN_CARDS = HouseRule(
    id="again-cards",
    question="A token buys 30 more seconds: what of the cards on the sled?",
    choices=(("stay", "They stay on the sled"), ("return", "They go back to the hands")),
    default="stay",
    why="The manual only says that the phase starts again and that you may talk again.",
)
HAND_RAISED = HouseRule(
    id="hand-raised",
    question="A token in the Draw phase: whose hand limit grows?",
    choices=(("all", "Everyone's"), ("one", "One player's")),
    default="all",
    why="The manual speaks of the hand limit without naming a player.",
)
DRAW_TOKENS = HouseRule(
    id="draw-tokens",
    question="How many tokens may the Draw phase take?",
    choices=(("one", "One a turn"), ("several", "As many as you like")),
    default="one",
    why="Other phases say that more than one may be spent; the Draw phase only speaks of one.",
)
HOUSE_RULES = (
    RELICS_NEEDED,
    INJURIES_COUNTED,
    SPOKEN_CONFUSION,
    TOKEN_ORIGIN,
    AGAIN_CARDS,
    HAND_RAISED,
    DRAW_TOKENS,
)
