"""A game by what its folder holds.

In its modules: what is tapped, what happens, and its ROLES; where no `setup` is written, that is its `State`.
In its `data/`: what it is (`game.toml`), its rulings, house rules and lessons.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from companion.core.checklist import Checks, Item, SetupTicked, ticking
from companion.core.command import Command
from companion.core.event import Event
from companion.core.files import is_there, read
from companion.core.game import Game, HouseRule, commands_in, events_in, load, load_rulings, tupled
from companion.core.lessons import Lessons

#: What a room has by this name, in whichever of its modules; the others of `Game` are told to `room`.
ROLES = ("setup", "evolve", "view", "private", "adjudicate", "tally", "scores")

FILES = ("checklist", "house_rules", "lessons")  # that a room may have


def room(
    package: str,
    *,
    checklist: Checks | None = None,
    each: Callable[[Command], Command] = lambda command: command,
    events: Iterable[type[Event]] = (),
    **more: Any,
) -> Game[Any]:
    """Each command may be wrapped; a checklist is ticked, its own file's or another."""
    parts = [import_module(f"{package}.{part.name}") for part in iter_modules(sys.modules[package].__path__)]
    own = {name: what for part in parts for name, what in vars(part).items() if _is_of(what, part)}
    about: dict[str, Any] = {name: tupled(value) for name, value in read(package, "game.toml").items()}
    low, high = about.pop("seats")
    listed, ruled, taught = (is_there(package, f"{file}.toml") for file in FILES)
    if listed and checklist is None:
        checklist = load(package, "checklist.toml", Item)
    ticks = ((ticking(checklist),), (SetupTicked,)) if checklist else ((), ())
    given = {
        "setup": own.get("State"),
        **{role: own[role] for role in ROLES if role in own},
        "commands": (*ticks[0], *map(each, commands_in(*parts))),
        "events": (*ticks[1], *events, *events_in(*parts)),
        "rulings": load_rulings(package) if is_there(package, "rulings.toml") else (),
        "house_rules": load(package, "house_rules.toml", HouseRule) if ruled else (),
        "lessons": Lessons(package) if taught else None,
    }
    return Game(seats=range(low, high + 1), **about, **given, **more)


def _is_of(what: Any, module: ModuleType) -> bool:
    return callable(what) and getattr(what, "__module__", "") == module.__name__
