"""What counts how much in the look-up, and all of it that a phone must know to find what the server finds."""

from __future__ import annotations

from typing import Any

from companion.lookup.index import COMMON, FIELDS, LENGTH, SATURATED, STRANGE, USUAL
from companion.lookup.words import NUMERALS, VOICES, wording

LONGEST = 200  # characters of a question that are read
WORDS = 24
SAME, SLIP = 0.6, 0.8  # beside the word itself: one that means the same, one that this may be a slip of
ROUGH = 1e-4  # of a share: what nobody says may still be said
OWN = 0.7  # of a word's share in a ruling, the rest being its share in all of them

#: What each mark counts: learnt from bench/questions and from wordings that were left out, and never from
#: those that are blind.
MARKS = {
    "said": 8.04,  # of the question, by the ruling
    "many": 2.46,  # wordings are rather near: all together, by the square of their likeness
    "mean": 0.12,  # nearness of them all
    "nearest": 3.0,
    "likely": 3.37,  # to be asked in these words rather than in any others
    "missed": -0.69,  # of its usual words
    "me": 0.95,
    "other": 1.55,
    "not": 1.83,
    "numbers": -1.4,  # of the question, that are not its own
    "special": -4.0,  # what makes it so is not said
    "seldom": -1.5,  # asked for at all
}
#: From the marks of the best to how sure it is that it answers; learnt from the same questions, from what is
#: best where the right one is taken away, and from questions about another game.
SURE = {
    "": -4.35,
    "chance": 2.16,
    "ahead": 1.14,
    "said": 2.82,
    "nearest": 3.03,
    "strange": -5.13,
    "missed": -0.88,
    "likely": 1.11,
    "few": -1.93,  # words that tell anything
    "special": -1.54,
    "unsaid": -0.46,  # the most telling word that it does not say
    "beyond": -2.25,  # it says what no rules say, and the ruling does not
}
CLEAR = 0.31  # below this we only show what is nearest
NOTHING = 0.004  # and below this nothing answers
FARTHEST = -50.0  # from the best: what is beyond that is nothing
EQUAL = 0.025  # of the best one's chance: then the second is its equal


def tuning() -> dict[str, Any]:
    """What the phone must know to find what the server would find."""
    return {
        "idle": sorted(wording().idle),
        "beyond": sorted(wording().beyond),
        "numerals": NUMERALS,
        "fields": FIELDS,
        "voices": [sorted(voice) for voice in VOICES],
        "marks": MARKS,
        "sure": SURE,
        "weights": {
            "same": SAME,
            "slip": SLIP,
            "saturated": SATURATED,
            "length": LENGTH,
            "strange": STRANGE,
            "common": COMMON,
            "usual": USUAL,
            "own": OWN,
            "rough": ROUGH,
            "clear": CLEAR,
            "nothing": NOTHING,
            "equal": EQUAL,
        },
    }
