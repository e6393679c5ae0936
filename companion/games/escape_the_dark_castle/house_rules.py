"""Where the manual can be read in two ways, or says nothing, the table chooses."""

from __future__ import annotations

from companion.core import HouseRule, Table

TRADING = HouseRule(
    id="trading",
    question="When may items change hands?",
    choices=(
        ("between", "Only between chapters; a drawn item may be taken up at once"),
        ("draws", "Also during a chapter, while a drawn item lies on the table"),
        ("free", "At any time"),
    ),
    default="between",
    why="The publisher locks trading at the turn of a card; the manual adds the moment of an item draw.",
)
ATTACK = HouseRule(
    id="attack-value",
    question="How hard does an enemy hit?",
    choices=(("printed", "As printed on its card; 2 until you say otherwise"), ("two", "Always 2")),
    default="printed",
    why="The manual says always 2; cards with 1 and 3 have been seen.",
)
REST_AGAIN = HouseRule(
    id="rest-again",
    question="May the same character rest in two rounds running?",
    choices=(("yes", "Yes"), ("no", "No, somebody else's turn")),
    default="yes",
    why="The manual's answer speaks of one character in each round; nothing bars the same one again.",
)
REST_FIRST = HouseRule(
    id="rest-first",
    question="Until when may somebody choose to rest?",
    choices=(("round", "Before the first roll of the round"), ("own", "Before their own roll")),
    default="round",
    why="The manual says at the start of the round.",
)
TEST_DOUBLES = HouseRule(
    id="test-doubles",
    question="What does a double count in a test with several successes?",
    choices=(("two", "Two"), ("one", "One")),
    default="two",
    why="The manual speaks of doubles in combat only; as far as is known people count two.",
)
TENTH_DIE = HouseRule(
    id="tenth-die",
    question="What if a card asks for more than nine chapter dice?",
    choices=(("stand-in", "Use something else as a die"), ("nine", "Nine it is")),
    default="stand-in",
    why="Nobody has said; nine dice are in the box, and the app can count more.",
)
EMPTY_DECK = HouseRule(
    id="empty-deck",
    question="What if the item deck runs out?",
    choices=(("reshuffle", "Shuffle the discard pile into a new deck"), ("none", "There are no more items")),
    default="reshuffle",
    why="The manual does not say.",
)
BOSSES = HouseRule(
    id="bosses",
    question="How many boss cards are in your box?",
    choices=(("three", "Three, as in the shops"), ("five", "Five: Kickstarter, French or Italian")),
    default="three",
    why="Editions differ; one of them is dealt either way.",
)
HOUSE_RULES = (TRADING, ATTACK, REST_FIRST, REST_AGAIN, TEST_DOUBLES, TENTH_DIE, EMPTY_DECK, BOSSES)


def choice(table: Table, rule: HouseRule) -> str:
    return table.rules.get(rule.id, rule.default)
