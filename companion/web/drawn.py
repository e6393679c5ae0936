"""Draws the pieces of a view: each by the macro of its name in templates/pieces.html, where it is new."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup

from companion.core import Game
from companion.core.pieces import Bar, Chips, Fold, Grid, Own, Panel, Picker, Tray
from companion.games import folder
from companion.web.pieces import before, kept, laid_out, piece

MACROS = "pieces.html"
#: Where further pieces stand in one. If only these are new, it is not laid out again itself.
INSIDE: dict[type, str] = {
    **dict.fromkeys((Bar, Picker), "taps"),
    **dict.fromkeys((Panel, Grid, Fold, Tray), "pieces"),
    Chips: "chips",
}


class Pieces:
    """The filter `drawn`. What it draws stands in a part like a `{% piece %}` of its template."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._macro = cache(self._find_macro)
        self._face = cache(self._find_face)

    def drawn(self, what: Any, code: str, game: Game[Any]) -> Markup:
        id = what.id
        if not id:
            return self._draw(what, code, game)
        known = kept(id, [what])
        if known is not None:
            return known
        if _is_new_inside_only(what, *before(id)):
            for each in getattr(what, INSIDE[type(what)]):
                self.drawn(each, code, game)
            return laid_out(id, [what])
        return Markup(piece(self._draw(what, code, game), id, [what]))

    def _draw(self, what: Any, code: str, game: Game[Any]) -> Markup:
        if type(what) is Own:
            face = self._face(game.slug, what.face)
            return Markup(face.render(own=what.own, id=what.id, code=code, game=game).strip())
        html: Markup = self._macro(type(what).__name__.lower())(what, code, game)
        return Markup(html.strip())

    def _find_macro(self, name: str) -> Callable[..., Markup]:
        macro: Callable[..., Markup] = getattr(self._templates.get_template(MACROS).module, name)
        return macro

    def _find_face(self, slug: str, face: str) -> Template:
        return self._templates.get_template(f"games/{slug}/faces/_{face}.html")


def _is_new_inside_only(what: Any, *before: Any) -> bool:
    inside = INSIDE.get(type(what))
    if inside is None or not before or type(before[0]) is not type(what):
        return False
    was, now = vars(before[0]), vars(what)
    ids = [each.id for each in now[inside]]
    if not all(ids) or ids != [each.id for each in was[inside]]:
        return False
    return all(was[name] == value for name, value in now.items() if name != inside)


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
