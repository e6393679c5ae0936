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

#: What each mark counts, learnt from bench/questions (and never from those that are blind).
MARKS = {
    "said": 7.09,  # of the question, by the ruling
    "many": 2.44,  # wordings are rather near: all together, by the square of their likeness
    "mean": 0.64,  # nearness of them all
    "nearest": 2.24,
    "likely": 3.74,  # to be asked in these words rather than in any others
    "missed": -0.73,  # of its usual words
    "me": 1.13,
    "other": 2.15,
    "not": 2.52,
    "numbers": -1.84,  # of the question, that are not its own
    "special": -5.09,  # what makes it so is not said
}
#: From the marks of the best to how sure it is that it answers; learnt from the same questions, and from what
#: is best where the right one is taken away.
SURE = {
    "": -5.44,
    "chance": 3.53,
    "ahead": -0.65,
    "said": 3.68,
    "nearest": 4.64,
    "strange": -0.43,
    "missed": -0.88,
    "likely": 1.28,
    "few": -2.43,  # words that tell anything
    "special": -2.99,
}
CLEAR = 0.3  # below this we only show what is nearest
NOTHING = 0.02  # and below this nothing answers
FARTHEST = -50.0  # from the best: what is beyond that is nothing
EQUAL = 0.05  # of the best one's chance: then the second is its equal


def tuning() -> dict[str, Any]:
    """What the phone must know to find what the server would find."""
    return {
        "idle": sorted(wording().idle),
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
