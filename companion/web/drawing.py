"""A page as it was drawn at one version, and what is different in the next: the log by its lines, the rest by
parts and by the pieces in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from companion.core import Line
from companion.core.view import SeatView
from companion.web.pieces import Attributes, Drawn

ANEW = {"private": "outerHTML"}  # what a phone had in there when it was last here is gone


class DrawnLine(NamedTuple):
    line: Line
    target_gone: bool
    html: str


class Log(NamedTuple):
    """The newest lines, drawn. Most taps add one and leave the others as they are."""

    retold: int
    version: int
    most: int
    lines: list[DrawnLine]  # oldest first; later ones may have come, and earlier ones are there still

    @property
    def shown(self) -> list[DrawnLine]:
        """Newest first."""
        return self._newest(self.most)

    def _newest(self, many: int) -> list[DrawnLine]:
        end = self.version + 1 - self.lines[0].line.version
        return self.lines[max(0, end - many) : end][::-1]

    def items(self) -> Iterator[tuple[str, str]]:
        return ((f"line-{each.line.version}", each.html) for each in self.shown)

    def values(self) -> Iterator[str]:
        return (each.html for each in self.shown)

    def since(self, id: str, old: Log) -> list[str]:
        new = self.version - old.version
        if new >= self.most:
            return [_swap(id, _joined(self.values()), "innerMorph")]
        news = [_swap(id, "".join([each.html for each in self._newest(new)]), "prepend")] if new else []
        return news if self.retold == old.retold else [*self._retold(old, new), *news]

    def _retold(self, old: Log, new: int) -> Iterator[str]:
        before = dict(old.items())
        for each in self.shown[new:]:
            name = f"line-{each.line.version}"
            if before.get(name) != each.html:
                yield _swap(name, each.html)


class Seats(dict[str, Drawn]):
    """Drawn, by id, in the order they sit; and from what."""

    views: tuple[SeatView, ...] = ()
    around: tuple[Any, ...] = ()


Children = dict[str, Drawn]
Group = Children | Log


class Drawing(NamedTuple):
    """A page's parts at one version."""

    version: int
    parts: dict[str, Drawn]
    groups: dict[str, Group]  # container → child id → drawing, in order
    base: int = -1  # the version of the drawing that was there before …
    news: str = ""  # … and what is different since that one

    def whole(self) -> str:
        """Everything, for a phone that was away."""
        return "".join(
            [_swap(id, str(part), ANEW.get(id, "")) for id, part in self.parts.items()]
            + [_swap(id, _joined(each.values()), "innerMorph") for id, each in self.groups.items()]
        )

    def since(self, old: Drawing) -> str:
        """Only what is drawn differently now."""
        if old.version == self.base:  # as nearly always: it was noted while it was drawn
            return self.news
        changed: list[str] = []
        for id, part in self.parts.items():
            if part is not old.parts[id]:
                changed += changes_in_part(id, old.parts[id], part)
        for id, now in self.groups.items():
            changed += changes_in_group(id, old.groups[id], now)
        return "".join(changed)


def changes_in_part(id: str, before: Drawn, now: Drawn) -> list[str]:
    return [
        _set(target, html) if type(html) is Attributes else _swap(target, html)
        for target, html in now.since(id, before)
    ]


def changes_in_group(id: str, before: Group, now: Group) -> list[str]:
    if isinstance(now, Log):
        return now.since(id, cast("Log", before))
    before = cast("Children", before)
    if list(now) != list(before):
        return [_swap(id, _joined(now.values()), "innerMorph")]
    changed: list[str] = []
    for child, drawn in now.items():
        if before[child] is not drawn:
            changed += changes_in_part(child, before[child], drawn)
    return changed


def _joined(children: Any) -> str:
    return "".join(map(str, children))


def _swap(target: str, html: str, how: str = "") -> str:
    """Without a word of how, the element itself is morphed; static/js/stream.js spells that out for htmx."""
    way = f' hx-swap="{how}"' if how else ""
    return f'<hx-partial id="{target}"{way}>{html}</hx-partial>'


def _set(target: str, attributes: str) -> str:
    """Nothing but these is new about the element; stream.js makes the whole of it again."""
    return f'<hx-set id="{target}" {attributes}>'
