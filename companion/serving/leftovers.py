"""Circles of things that point at each other, which are not freed by themselves.

Python looks for such by going through all that is new, whenever enough of that has come together. Of our
taps none makes a circle, but each replaces much of what is known of its table; so the search went through
that of all tables, found nothing, and meanwhile no phone was answered: for 50 ms, every thousand taps.
Circles come from pages and refusals, a few for each. So they are looked for there, and only there.
"""

from __future__ import annotations

import gc


def begin() -> None:
    """Once all is loaded: next to nothing of it is garbage, and to look for that takes as long as a page."""
    gc.disable()
    gc.freeze()


def look_away() -> None:
    """From what there is now. It costs next to nothing, however much that is."""
    gc.freeze()


def pick_up() -> None:
    """What has become garbage since somebody looked away."""
    gc.collect(0)


def tidy_up() -> None:
    """All of it, also what was overlooked while several pages were made at once. For when nobody waits."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
