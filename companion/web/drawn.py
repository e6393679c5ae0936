"""Draws the pieces of a view, where they are new: each by the macro of its name in templates/pieces.html, and
taps, of which there are more than of all others together, by web/leaves.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache, lru_cache
from operator import attrgetter, is_
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup

from companion.core import Game
from companion.core.pieces import Bar, Chips, Fold, Grid, Own, Panel, Picker, Tap, Tray
from companion.web.leaves import MoreThanLeaves, Pile, tap
from companion.web.marks import markup
from companion.web.pieces import before, context, kept, laid_out, piece

MACROS = "pieces.html"
#: Where further pieces stand in one. If only these are new, it is not laid out again itself.
INSIDE: dict[type, str] = {
    **dict.fromkeys((Bar, Picker), "taps"),
    **dict.fromkeys((Panel, Grid, Fold, Tray), "pieces"),
    Chips: "chips",
}
FIELDS = {kind: attrgetter(*[each.name for each in fields(kind)]) for kind in INSIDE}  # of each, all at once


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
        for was in before(id):
            if was is not what and _is_new_inside_only(what, was):  # so that nothing is compared twice
                inside = INSIDE[type(what)]
                for each, old in zip(getattr(what, inside), getattr(was, inside), strict=True):
                    if each is not old:
                        self.drawn(each, code, game)
                return laid_out(id, [what])
        known = kept(id, [what])
        if known is not None:
            return known
        return piece(self._draw(what, code, game), id, [what])

    def drawn_anew(self, was: Pile, now: Pile, code: str, game: Game[Any]) -> list[str]:
        """The ids of those that are new, which it has drawn; for a part that is touched up."""
        if len(was) != len(now):
            raise MoreThanLeaves
        ids = []
        for old, new in zip(was, now, strict=True):
            if old is not new:
                if not new.id or new.id != old.id:
                    raise MoreThanLeaves
                self.drawn(new, code, game)
                ids.append(new.id)
        return ids

    def _draw(self, what: Any, code: str, game: Game[Any]) -> Markup:
        if type(what) is Tap:
            return tap(what, code, game)
        if type(what) is Own:
            face = self._face(game.slug, what.face)
            given = {"own": what.own, "id": what.id, "code": code, "game": game}
            return markup("".join(face.root_render_func(context(self._templates, given))).strip())
        html: Markup = self._macro(type(what).__name__.lower())(what, code, game)
        return markup(str.strip(html))

    def _find_macro(self, name: str) -> Callable[..., Markup]:
        macro: Callable[..., Markup] = getattr(self._templates.get_template(MACROS).module, name)
        return macro

    def _find_face(self, slug: str, face: str) -> Template:
        return self._templates.get_template(f"games/{slug}/faces/_{face}.html")


def _is_new_inside_only(what: Any, before: Any) -> bool:
    inside = INSIDE.get(type(what))
    if inside is None or type(before) is not type(what):
        return False
    look = FIELDS[type(what)]
    was, now = look(before), look(what)
    for at in other(tuple(map(is_, was, now))):
        old, new = was[at], now[at]
        if not _same_places(old, new) if what.__match_args__[at] == inside else old != new:
            return False
    return all(each.id for each in getattr(what, inside))


@lru_cache(1000)
def other(same: tuple[bool, ...]) -> tuple[int, ...]:
    """The places of what is not the very same thing again."""
    return tuple(at for at, it_is in enumerate(same) if not it_is)


def _same_places(was: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return [each.id for each in was] == [each.id for each in now]
