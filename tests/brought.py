"""What a room brings to be tried on, found by its name and listed nowhere.

`<room>_evening.py`, in tests/games or, for a room on a further shelf, beside its folder, with any of these:

    PLAYERS, play(table)    a whole game, tap by tap, to its verdict; see tests/full_games.py
    ENDS                    how that ends, and who wins
    TALLY                   one that `companion adjudicate` judges; it is spoilt in every way
    BOUNDARIES              tallies, and what is said to them: outcome, winners, words
"""

from __future__ import annotations

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from companion.core import Game
from companion.games import folder, shelf

GAMES = Path(__file__).parent / "games"


def brought(what: str) -> dict[str, Any]:
    """By slug, for the rooms that bring it."""
    found = {slug: vars(_evening(file)).get(what) for slug, file in _files().items()}
    return {slug: value for slug, value in found.items() if value is not None}


def _files() -> dict[str, Path]:
    found = {slug: _file(game) for slug, game in shelf().items()}
    return {slug: file for slug, file in found.items() if file}


def _file(game: Game[Any]) -> Path | None:
    room = folder(game)
    places = (GAMES / f"{room.name}_evening.py", room.parent / f"{room.name}_evening.py")
    return next((file for file in places if file.exists()), None)


@cache
def _evening(file: Path) -> Any:
    spec = spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
