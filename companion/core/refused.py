"""No, in a sentence."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class Refused(ValueError):
    """What a player asked for cannot be done; the text is the sentence they read."""


class NotThere(Refused):
    """What the tap names is not there. No page shows a tap that is refused so: see tests/test_pieces.py."""


def refuse_if(it_is_so: object, sentence: str) -> None:
    """For commands and folds that check one thing after another, a line for each."""
    if it_is_so:
        raise Refused(sentence)


def there(thing: T | None, sentence: str) -> T:
    """What must be there."""
    if thing is None:
        raise NotThere(sentence)
    return thing
