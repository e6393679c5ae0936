"""Small marks that stand on every page dozens of times; as macros they were a third of what drawing cost."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from companion.core import Do, Game, Seat
from companion.games import folder


@lru_cache(1000)
def icon(name: str, kind: str = "") -> Markup:
    classes = f"icon {kind}".strip()
    return Markup('<svg class="{}" aria-hidden="true"><use href="/static/icons.svg#{}"></use></svg>').format(
        classes, name
    )


@lru_cache(1000)
def _token(colour: str, symbol: str, kind: str) -> Markup:
    classes = f"token {kind}".strip()
    return Markup('<span class="{}" data-colour="{}">{}</span>').format(classes, colour, icon(symbol))


def token(seat: Seat, kind: str = "") -> Markup:
    return _token(seat.colour, seat.symbol, kind)


def act(code: str, do: Do) -> Markup:
    """A button that is one tap: the address and the arguments are data, the queue sends them."""
    return Markup(f'data-do="{address(code, do)}" {_args(tuple(do.args.items()))}')


def address(code: str, do: Do) -> str:
    """Where a tap goes."""
    return f"/s/{code}/do/{do.command}"


@lru_cache(10_000)
def _args(given: tuple[tuple[str, str | int], ...]) -> str:
    return f"data-args='{htmlsafe_json_dumps(dict(given), sort_keys=True)}'"


@lru_cache(2000)
def _mark(slug: str, own: bool, name: str, kind: str) -> Markup:
    file = f"/games/{slug}/marks.svg" if own else "/static/icons.svg"
    return Markup('<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>').format(
        kind, file, name
    )


def mark(game: Game[Any], name: str, kind: str = "mark") -> Markup:
    """A sign of the room's own, from `faces/marks.svg` in its folder, or one of everyone's icons."""
    return _mark(game.slug, name in marks(game), name, kind)


def marks(game: Game[Any]) -> frozenset[str]:
    return _marks(game.slug, game) if game.slug else frozenset()


_known: dict[str, frozenset[str]] = {}


def _marks(slug: str, game: Game[Any]) -> frozenset[str]:
    if slug not in _known:
        file = folder(game) / "faces" / "marks.svg"
        text = file.read_text("utf-8") if file.exists() else ""
        _known[slug] = frozenset(each.split('"', 1)[0] for each in text.split('<symbol id="')[1:])
    return _known[slug]
