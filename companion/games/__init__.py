"""The shelf: every folder in here is a room. Nothing keeps a list of them."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from companion.core import Game, Refused
from companion.tools import equip

Shelf = dict[str, Game[Any]]


class NoSuchGame(Refused):
    """Asked for by a slug that no room has."""


def shelf(more: Iterable[str] = (), only: str = "") -> Shelf:
    """Every game by its slug, or `only` one; `more` are folders with further rooms in them."""
    for folder in more:
        if folder not in __path__:
            __path__.append(folder)
    found = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    games = [_take_down(name) for name in found if only in ("", name.replace("_", "-"))]
    return {game.slug: game for game in sorted(games, key=lambda game: (game.any_box, game.title))}


def _take_down(name: str) -> Game[Any]:
    game: Game[Any] = import_module(f"{__name__}.{name}").GAME
    game = equip(replace(game, slug=name.replace("_", "-")))
    game.by_name, game.kinds  # noqa: B018  a clash of names is an error of the room, and shows when it is put up
    return game


def take(games: Shelf, slug: str) -> Game[Any]:
    if slug not in games:
        raise NoSuchGame("There is no such game here.")
    return games[slug]


def folder(game: Game[Any]) -> Path:
    """Where the room lives: its faces and its own sheet of styles are in there."""
    return Path(str(import_module(f"{__name__}.{game.slug.replace('-', '_')}").__file__)).parent
