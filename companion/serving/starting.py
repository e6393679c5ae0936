"""The first steps of a process, before anything else is imported."""

from __future__ import annotations

import gc


def load_quickly() -> None:
    """What is loaded stays, so meanwhile the collector need not look through all of it time and again."""
    gc.set_threshold(200_000)


def loaded() -> None:
    """From here on it looks as often as is its habit, but only at what is new."""
    gc.freeze()
    gc.set_threshold(700)


def patch() -> None:
    """Waiting lets others go on. Whatever was imported before this would block every phone instead."""
    from gevent import events, monkey

    # Else each of its 25 steps looks through all installed packages for one that wants to hear of it.
    events.notify_and_call_entry_points = events.notify
    monkey.patch_all()
