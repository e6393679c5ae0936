"""A page as it was drawn at one version, and what is different in the next: the log by its lines, the rest by
parts and by the pieces in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from companion.core import Line
from companion.core.view import SeatView
from companion.web.pieces import Drawn, swap

ANEW = {"private": "outerHTML"}  # what a phone had in there when it was last here is gone


class DrawnLine(NamedTuple):
    line: Line
    target_gone: bool
    html: str


class Log(NamedTuple):
    """The newest lines, drawn. Most taps add one and leave the others as they are."""

    rewritten: int
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

    def since(self, id: str, old: Log) -> str:
        new, lines = self.version - old.version, self.lines
        if new == 1 and self.rewritten == old.rewritten and lines[-1].line.version == self.version:
            return swap(id, lines[-1].html, "prepend")  # as nearly always
        if new >= self.most:
            return swap(id, _joined(self.values()), "innerMorph")
        news = swap(id, "".join([each.html for each in self._newest(new)]), "prepend") if new else ""
        return news if self.rewritten == old.rewritten else "".join([*self._rewritten_lines(old, new), news])

    def _rewritten_lines(self, old: Log, new: int) -> Iterator[str]:
        before = dict(old.items())
        for each in self.shown[new:]:
            name = f"line-{each.line.version}"
            if before.get(name) != each.html:
                yield swap(name, each.html)


class Seats(dict[str, Drawn]):
    """Drawn, by id, in the order they sit; and from what."""

    views: tuple[SeatView, ...] = ()
    around: tuple[Any, ...] = ()
    news: str = ""  # what is different since they were drawn …
    since_views: tuple[SeatView, ...] = ()  # … from these

    def since(self, id: str, old: Seats) -> str:
        if self.since_views and self.since_views is old.views:
            return self.news
        if list(self) != list(old):
            return swap(id, _joined(self.values()), "innerMorph")
        return "".join([now.since(seat, old[seat]) for seat, now in self.items() if old[seat] is not now])


Group = Seats | Log


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
            [swap(id, str(part), ANEW.get(id, "")) for id, part in self.parts.items()]
            + [swap(id, _joined(each.values()), "innerMorph") for id, each in self.groups.items()]
        )

    def since(self, old: Drawing) -> str:
        """Only what is drawn differently now."""
        if old.version == self.base:  # as nearly always: it was noted while it was drawn
            return self.news
        changed = [
            part.since(id, old.parts[id]) for id, part in self.parts.items() if part is not old.parts[id]
        ]
        for id, now in self.groups.items():
            changed.append(now.since(id, old.groups[id]))  # type: ignore[arg-type]  # of the same kind
        return "".join(changed)


def _joined(children: Any) -> str:
    return "".join(map(str, children))
