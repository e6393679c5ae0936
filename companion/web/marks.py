"""Small marks that stand on every page dozens of times; as macros they were a third of what drawing cost."""

from __future__ import annotations

from functools import lru_cache

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from companion.core import Do, Seat


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
