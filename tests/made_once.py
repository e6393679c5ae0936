"""Hundreds of apps are made in one process of tests, where a server makes one. What takes most of the time is
the same for all: only for the first are addresses compiled, and scripts and styles put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from werkzeug.routing import Rule

from companion.core import Game
from companion.games import folder
from companion.web import assets

_compile, _Assets = Rule._compile_builder, assets.Assets  # noqa: SLF001
_compiled: dict[tuple[object, ...], Any] = {}
_together: dict[tuple[object, ...], assets.Assets] = {}


def _compile_once(self: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
    key = (self.rule, self.subdomain, self.host, repr(self.defaults), append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile(self, append_unknown)
    return _compiled[key]  # type: ignore[no-any-return]


def _put_together_once(static: Path, games: Mapping[str, Game[Any]]) -> assets.Assets:
    key = (static, *((slug, folder(game), game.accent) for slug, game in games.items()))
    if key not in _together:
        _together[key] = _Assets(static, games)
    return _together[key]


def make_once() -> None:
    Rule._compile_builder = _compile_once  # type: ignore[assignment]  # noqa: SLF001
    assets.Assets = _put_together_once  # type: ignore[assignment,misc]
