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
#: From the marks of the best to how sure it is that it answers: bench/learn.py learns them from the same
#: questions, from what is best where the right one is taken away, and from questions about another game.
SURE = {
    "": -9.99,
    "chance": 5.32,  # that it is the one among all
    "ahead": -2.70,
    "sum": 0.22,  # of all marks above
    "said": 6.59,
    "nearest": 1.79,
    "missed": -0.46,
    "likely": 0.80,
    "strange": -3.04,  # of the question: words that nobody here knows
    "long": 0.57,  # words that tell anything, six at most
    "beyond": -2.20,  # one that no rules say is said, and not by the ruling
    "elsewhere": -1.86,  # things and deeds of games that none of its wordings says
    "foreign": -1.71,  # and that no ruling here knows
    "at once": -3.76,  # of what is said, by one wording alone
    "pairs": 1.07,  # of the question's words, in one of its wordings
    "known pairs": 1.23,  # or in any wording here
}
CLEAR = 0.328  # below this we only show what is nearest
NOTHING = 0.001  # and below this nothing answers
SELDOM = 0.1  # of a ruling's wordings: what fewer say is not what it is about
OWNED = 0.01  # of all wordings: what more say belongs to this game
FARTHEST = -50.0  # from the best: what is beyond that is nothing
EQUAL = 0.025  # of the best one's chance: then the second is its equal


def tuning() -> dict[str, Any]:
    """What the phone must know to find what the server would find."""
    return {
        "idle": sorted(wording().idle),
        "beyond": sorted(wording().beyond),
        "elsewhere": sorted(wording().elsewhere),
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
            "seldom": SELDOM,
            "owned": OWNED,
        },
    }
