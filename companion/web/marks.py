"""Small marks that stand on every page dozens of times; as macros they were a third of what drawing cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from companion import ROOT
from companion.core import Do, Game, Seat
from companion.games import folder
from companion.web.assets import Asset

#: As `Markup(…)` of what is plain text, without looking whether it is something else: a tap makes dozens.
markup: Callable[[str], Markup] = partial(str.__new__, Markup)
ICONS = Asset("i.svg", (ROOT / "static" / "icons.svg").read_bytes()).address


@lru_cache(1000)
def icon(name: str, kind: str = "") -> Markup:
    classes = f"icon {kind}".strip()
    return _drawn(classes, ICONS, name)


def _drawn(kind: str, file: str, name: str) -> Markup:
    return Markup('<svg class="{}" aria-hidden="true"><use href="{}#{}"></use></svg>').format(
        kind, file, name
    )


@lru_cache(1000)
def _token(colour: str, symbol: str, kind: str) -> Markup:
    classes = f"token {kind}".strip()
    return Markup('<span class="{}" data-colour="{}">{}</span>').format(classes, colour, icon(symbol))


def token(seat: Seat, kind: str = "") -> Markup:
    return _token(seat.colour, seat.symbol, kind)


def act(code: str, do: Do) -> Markup:
    """A button that is one tap: the address and the arguments are data, the queue sends them."""
    return markup(f'data-do="{address(code, do)}" {_args(tuple(do.args.items()))}')


def address(code: str, do: Do) -> str:
    """Where a tap goes."""
    return f"/s/{code}/do/{do.command}"


@lru_cache(10_000)
def _args(given: tuple[tuple[str, str | int], ...]) -> str:
    return f"data-args='{htmlsafe_json_dumps(dict(given), sort_keys=True)}'"


_mark = lru_cache(2000)(_drawn)


def mark(game: Game[Any], name: str, kind: str = "mark") -> Markup:
    """A sign of the room's own, from `faces/marks.svg` in its folder, or one of everyone's icons."""
    own = _own(game)
    return _mark(kind, own.address if name in own.names else ICONS, name)


def marks(game: Game[Any]) -> frozenset[str]:
    return _own(game).names


def picture(game: Game[Any]) -> Markup:
    """What lies on the lid of its box: `faces/picture.svg`, or its sign where a room has not drawn any."""
    file = folder(game) / "faces" / "picture.svg"
    if not file.exists():
        return mark(game, game.symbol, "plate bare")
    return _drawn("plate", Asset(f"{game.slug}/picture.svg", file.read_bytes()).address, "picture")


class _Own(NamedTuple):
    address: str
    names: frozenset[str]


_known: dict[str, _Own] = {}


def _own(game: Game[Any]) -> _Own:
    slug = game.slug
    if slug not in _known:
        file = folder(game) / "faces" / "marks.svg" if slug else Path()
        body = file.read_bytes() if file.is_file() else b""
        names = frozenset(each.split('"', 1)[0] for each in body.decode().split('<symbol id="')[1:])
        _known[slug] = _Own(Asset(f"{slug}/marks.svg", body).address, names)
    return _known[slug]
