"""`{% piece "base-3" %}…{% endpiece %}`: an element inside a part that changes on its own.

It is one element with that id, and may hold further pieces. A tap sends only the pieces that it changed, and
draws only those whose template names something that is different now: what a piece depends on is read off its
template, so nobody can forget to say it. A macro called in it must live on its arguments alone.
Of a piece where nothing but attributes is new, just these are sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

from jinja2 import Environment, Template
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup

# Where a piece stands in what surrounds it. What people type holds no such characters (`core.text.clean`).
PLACE = re.compile("\x02([^\x03]*)\x03")
Inputs = list[Any]
NOTHING: list[Any] = []
ATTRIBUTE = re.compile(r""" ([a-z-]+)(="[^"]*"|='[^']*')?""")
TYPED_IN = (
    "<input",
    "<select",
    "<textarea",
    "<option",
    "<details",
    "<dialog",
)  # what people did to it is theirs


class Piece(NamedTuple):
    inputs: Inputs
    html: str  # with places where its own pieces go
    inner: list[str]  # which those are


_leaf = partial(tuple.__new__, Piece)  # as `Piece(…)`, without a step in Python: a tap draws several


class Attributes(str):
    """Those of an element that are different, where nothing else of it is."""

    __slots__ = ()


def swap(target: str, html: str, how: str = "") -> str:
    """Without a word of how, the element itself is morphed; static/js/stream.js spells that out for htmx."""
    way = f' hx-swap="{how}"' if how else ""
    return f'<hx-partial id="{target}"{way}>{html}</hx-partial>'


def _set(target: str, attributes: Attributes) -> str:
    """Nothing but these is new about the element; stream.js makes the whole of it again."""
    return f'<hx-set id="{target}" {attributes}>'


class Drawn(NamedTuple):
    """A part as it was last drawn, and from what."""

    inputs: tuple[Any, ...]
    html: str
    pieces: dict[str, Piece]
    inner: list[str]  # the pieces that stand in it and in no other
    news: str = ""  # what is different, as phones hear it, since it was drawn …
    since_inputs: tuple[Any, ...] | None = None  # … from these

    def __str__(self) -> str:
        return self.whole(self.html)

    def __html__(self) -> str:
        return str(self)

    def whole(self, html: str) -> str:
        """With all its pieces in their places."""
        if "\x02" not in html:
            return html
        return PLACE.sub(lambda place: self.whole(self.pieces[place[1]].html), html)

    def since(self, id: str, before: Drawn) -> str:
        """The elements that are drawn differently now, outermost first, as phones hear it."""
        if self.since_inputs is before.inputs:
            return self.news
        if before.html is not self.html and before.html != self.html:
            return swap(id, str(self))
        return "".join(self._changes(before, self.inner))

    def touched_up(
        self,
        inputs: tuple[Any, ...],
        leaves: Iterable[tuple[str, str]],
        draw: Callable[[], list[str]] | None = None,
    ) -> Drawn:
        """The same, with these leaves for those of the same ids, and with the pieces that `draw` draws, whose
        ids it gives: what stands around them needs no second look."""
        known = self.pieces
        pieces, news = known.copy(), ""
        for id, html in leaves:
            if id not in known:
                raise KeyError(id)  # it has no place yet
            pieces[id] = _leaf((NOTHING, html, NOTHING))
            news += swap(id, html)
        touched = Drawn(inputs, self.html, pieces, self.inner, news, self.inputs)
        if draw is None:
            return touched
        ids, drawn = _touch(known, draw)
        for id, now in drawn.items():
            if id in known and known[id].inner != now.inner:
                self._leave_out(pieces, known[id].inner)  # or what came and went stays for ever
        pieces.update(drawn)
        return touched._replace(news=news + "".join(touched._changes(self, ids)))

    def _leave_out(self, pieces: dict[str, Piece], ids: list[str]) -> None:
        for id in ids:
            pieces.pop(id, None)
            self._leave_out(pieces, self.pieces[id].inner)

    def _changes(self, before: Drawn, ids: list[str]) -> Iterator[str]:
        for id in ids:
            was, now = before.pieces[id], self.pieces[id]
            if was is now:
                continue
            attributes = None
            if was.html != now.html:
                attributes = _attributes(was.html, now.html)
                yield swap(id, self.whole(now.html)) if attributes is None else _set(id, attributes)
            if now.inner and (was.html == now.html or attributes is not None):
                yield from self._changes(before, now.inner)


def _attributes(was: str, now: str) -> Attributes | None:
    """None if more is different than what a few attributes say."""
    until, end = was.find(">"), now.find(">")
    if was[until:] != now[end:] or now.startswith(TYPED_IN):
        return None
    before, after = was[:until], now[:end]
    if before.count('"') % 2 or after.count('"') % 2:  # that was not yet the end of the tag
        return None
    old, new = ATTRIBUTE.findall(before), ATTRIBUTE.findall(after)
    if [name for name, _ in old] != [name for name, _ in new] or before.split()[0] != after.split()[0]:
        return None
    changed = [name + value for (name, value), (_, known) in zip(new, old, strict=True) if value != known]
    if not changed or any(each.startswith("hx-") for each in changed):
        return None
    return Attributes(" ".join(changed))


class _Known(dict[str, Any]):
    """All that a part may name; what is not there is `missing`, as jinja calls it."""

    def __missing__(self, name: str) -> Any:
        return missing


def context(templates: Environment, given: dict[str, Any]) -> Context:
    """As a template would make it, which looks through all its globals anew each time. A part is in no other
    template that could have set a name for it, so each is found by one look."""
    known = _Known(templates.globals)
    known.update(given)
    made = Context(templates, known, "part.html", {})
    made.resolve_or_missing = known.__getitem__  # type: ignore[assignment,method-assign]
    return made


def draw(template: Template, context: Context, inputs: tuple[Any, ...], before: Drawn | None) -> Drawn:
    """Only the pieces that see something new are drawn; the others are taken from before.

    The context is handed in: one serves all parts of a drawing, and to make it costs as much as a small part.
    """
    global _canvas
    above, _canvas = _canvas, _Canvas(before.pieces if before else {})
    try:
        html = "".join(template.root_render_func(context))
        return Drawn(inputs, html, _canvas.pieces, _inner(html))
    finally:
        _canvas = above
        context.vars.clear()  # what this template set for itself
        context.exported_vars.clear()


class _Canvas:
    """One drawing of one part."""

    def __init__(self, before: dict[str, Piece]) -> None:
        self.before = before
        self.pieces: dict[str, Piece] = {}

    def keep(self, ids: list[str]) -> None:
        """These as they were, with all that stands in them."""
        for id in ids:
            piece = self.pieces[id] = self.before[id]
            if piece.inner:
                self.keep(piece.inner)


class _TouchUp(_Canvas):
    """Only what is new: whatever else was there is there still."""

    def keep(self, ids: list[str]) -> None:
        pass


def _touch(before: dict[str, Piece], draw: Callable[[], list[str]]) -> tuple[list[str], dict[str, Piece]]:
    global _canvas
    above, _canvas = _canvas, _TouchUp(before)
    try:
        return draw(), _canvas.pieces
    finally:
        _canvas = above


_canvas: _Canvas | None = None  # drawing never waits for anything, so there is one at a time


# What `{% piece %}` calls; see `Compiler.visit_FilterBlock`.


def kept(id: str, inputs: Inputs) -> Markup | None:
    """The place of a piece that sees nothing new."""
    if _canvas is None:
        return None
    known = _canvas.before.get(id)
    if known is None or known.inputs != inputs:
        return None
    _canvas.pieces[id] = known
    if known.inner:
        _canvas.keep(known.inner)
    return _place(id)


def before(id: str) -> Inputs:
    """What the piece was last drawn from."""
    known = _canvas.before.get(id) if _canvas else None
    return known.inputs if known else NOTHING


def laid_out(id: str, inputs: Inputs) -> Markup:
    """The place of a piece that is as it was, but for those inside it, which have been drawn already."""
    assert _canvas
    known = _canvas.before[id]
    _canvas.pieces[id] = Piece(inputs, known.html, known.inner)
    _canvas.keep([each for each in known.inner if each not in _canvas.pieces])
    return _place(id)


def piece(html: str, id: str, inputs: Inputs) -> Markup:
    if _canvas is None:  # a page that is drawn once and for all
        return Markup(html)
    html = str(html).strip()
    _canvas.pieces[id] = Piece(inputs, html, _inner(html))
    return _place(id)


def place(id: str, html: str) -> Markup:
    """Where a leaf stands, which is a piece that holds no other and needs no template."""
    if _canvas is None:
        return Markup(html)
    _canvas.pieces[id] = Piece(NOTHING, html, NOTHING)
    return _place(id)


def _inner(html: str) -> list[str]:
    return PLACE.findall(html) if "\x02" in html else NOTHING


@lru_cache(10_000)
def _place(id: str) -> Markup:
    return Markup(f"\x02{id}\x03")
