"""Where the manual can be read in two ways, the table chooses."""

from __future__ import annotations

from companion.core import HouseRule

KEPT_MADNESS = HouseRule(
    id="kept-madness",
    question="Does a kept card with a Madness icon give a token again in every later round?",
    choices=(
        ("again", "Yes, every icon before you counts each round"),
        ("once", "No, only cards played this round"),
    ),
    default="again",
    why="The manual could mean the five new cards only; the publisher speaks of the whole collection.",
)
KEPT_ICONS = HouseRule(
    id="kept-icons",
    question="Who gained more Madness: do the tokens from kept cards count?",
    choices=(("all", "All tokens gained this round count"), ("new", "Only icons on this round's five cards")),
    default="all",
    why="A token that was gained was gained; the manual does not ask where it came from.",
)
KEPT_SHUB = HouseRule(
    id="kept-shub",
    question="What does a kept Shub Niggurath double?",
    choices=(("nothing", "Nothing"), ("before", "The card you kept before it")),
    default="nothing",
    why="It doubles the card played just before it in that round, and a kept card was not played in it.",
)
EMPTY_HANDED = HouseRule(
    id="dreamlands-empty",
    question="Dreamlands takes a token, but the opponent has none?",
    choices=(("nothing", "Nothing is taken"), ("supply", "One comes from the supply")),
    default="nothing",
    why="The card takes from the opponent, and there is nothing to take.",
)
DREAMLANDS_TOKEN = HouseRule(
    id="dreamlands-takes",
    question="Must Dreamlands take its token?",
    choices=(("must", "It must"), ("may", "Its player decides")),
    default="must",
    why="Nothing in the manual makes it a choice, and the token is the price of the wild suit.",
)
HOUSE_RULES = (KEPT_MADNESS, KEPT_ICONS, KEPT_SHUB, EMPTY_HANDED, DREAMLANDS_TOKEN)
