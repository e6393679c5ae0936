"""Where an index is kept: beside what Python compiled of us, until the texts it was made from are others.

`make` makes them all, or else whoever asks first; where they cannot be kept they are made again at every
start, and nothing else is different.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from companion.core import Ruling, parsed
from companion.core.game import Rulings
from companion.lookup import index as making
from companion.lookup.index import Index, build
from companion.lookup.words import groups

log = logging.getLogger(__name__)
FOLDER = Path(__file__).parent / "__pycache__"


@cache
def way() -> bytes:
    """How it is made: another version of us, or of Python, keeps its own."""
    here = Path(__file__).parent
    return sys.version.encode() + b"".join(
        (here / name).read_bytes() for name in (Path(making.__file__).name, "words.py", "words.toml")
    )


@cache
def index_of(rulings: Sequence[Ruling]) -> Index:
    if not isinstance(rulings, Rulings):
        return build(tuple(rulings))  # somebody's own, as in a test
    file = FOLDER / f"{rulings.name}-{hashlib.sha256(way() + rulings.source()).hexdigest()[:16]}.rulings"
    with suppress(OSError, ValueError, EOFError, TypeError):  # none yet, or whatever it is that lies there
        return Index.unpack(file.read_bytes())
    made = build(rulings, groups(rulings.same))
    keep(file, made.pack())
    return made


def keep(file: Path, packed: bytes) -> None:
    try:
        parsed.keep(file, packed)
    except OSError as why:
        log.info("the index of %s cannot be kept: %s", file.stem, why)


def main() -> None:
    """All of them, once, when we are installed; and with them whatever else is read when somebody asks."""
    from companion.games import shelf
    from companion.lookup.rooms import keep_rooms

    games = shelf()
    for game in games.values():
        index_of(game.rulings)
        _ = len(game.rulings), game.lessons and game.lessons.book
    keep_rooms(games)
