"""What follows from what: shown before it is done, and then done just as it was shown.

A chain is a row of links, each a sentence and the fact that makes it true. A room works it out of the state,
shows it by `following`, and its command gives its `facts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.core.event import Event
from companion.core.pieces import Note, Piece, Stage, Steps


@dataclass(frozen=True)
class Link:
    text: str
    event: Event | None = None  # none: a remark
    lost: bool = False  # the game, with it


Chain = tuple[Link, ...]


def facts(chain: Chain) -> list[Event]:
    return [link.event for link in chain if link.event]


def following(id: str, chain: Chain) -> Iterator[Piece]:
    """Step by step, and what is lost by it as a warning."""
    stages = tuple([Stage(link.text, "next") for link in chain if link.text and not link.lost])
    if stages:
        yield Steps(id, "What follows", stages, upright=True)
    yield from [Note(f"{id}-lost", link.text, "bad") for link in chain if link.lost]
