"""The swappable pieces of a table page, drawn once per version and shared by every phone."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, abort
from jinja2 import Template, meta

from companion.core import Line
from companion.core.game import STATUSES
from companion.play import Play, Sitting
from companion.recap import recap
from companion.tools.dice import dice
from companion.tools.ending import ending
from companion.tools.rules import shown
from companion.tools.timer import timer
from companion.web.charts import score_chart

LINES = 40  # of the log that the table page carries; the log has a page of its own


@dataclass(frozen=True)
class Page:
    parts: tuple[str, ...]
    groups: tuple[str, ...]  # containers whose children come and go one by one


EVERYWHERE = ("roster", "timer", "roll", "shown_ruling")  # time runs out and dice fall on every page
PAGES = {
    "table": Page(
        (
            *(*EVERYWHERE, "asking", "ending", "phase", "verdict", "board", "ask"),
            *("sheets", "standing", "undo", "last"),
        ),
        ("seats", "log"),
    ),
    "display": Page((*EVERYWHERE, "ending", "phase", "verdict", "board"), ("seats", "log")),
    "people": Page((*EVERYWHERE, "arrivals", "phones", "chairs", "switches"), ()),
    "log": Page((*EVERYWHERE, "asking", "last"), ("whole_log",)),
    "dice": Page((*EVERYWHERE, "spread"), ()),
    "recap": Page((*EVERYWHERE, "recap"), ()),
}


@dataclass(frozen=True)
class Drawing:
    """A page's parts at one version."""

    version: int
    parts: dict[str, str]
    groups: dict[str, dict[str, str]]  # container → child id → drawing, in order
    seen: dict[str, Any]  # what it was drawn from

    def whole(self) -> str:
        """Everything, for a phone that was away."""
        return "".join(
            [_swap(id, "outerMorph", html) for id, html in self.parts.items()]
            + [_swap(id, "innerMorph", "".join(each.values())) for id, each in self.groups.items()]
        )

    def since(self, old: Drawing) -> str:
        """Only what is drawn differently now."""
        changed: list[str] = []
        for id, html in self.parts.items():
            changed += _part(id, old.parts.get(id, ""), html)
        for id, now in self.groups.items():
            changed += _group(id, old.groups.get(id, {}), now)
        return "".join(changed)


# A large part marks the elements in it that change on their own, by the ids they have:
# <!--piece base-3--><article id="base-3">…</article><!--/piece base-3-->
PIECE = re.compile(r"<!--piece ([\w-]+)-->(.*?)<!--/piece \1-->", re.DOTALL)


def _part(id: str, before: str, now: str) -> Iterator[str]:
    """Where nothing but its pieces differs, only those of them that do; a piece may have pieces in turn."""
    if before == now:
        return
    if PIECE.sub(r"<!--\1-->", before) != PIECE.sub(r"<!--\1-->", now):
        yield _swap(id, "outerMorph", now)
        return
    pieces = dict(PIECE.findall(before))
    for child, html in PIECE.findall(now):
        yield from _part(child, pieces[child], html)


def _group(id: str, before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    stayed = [child for child in before if child in now]
    fresh = [child for child in now if child not in before]
    if list(now) != fresh + stayed:  # something moved: draw the container anew
        yield _swap(id, "innerMorph", "".join(now.values()))
        return
    for child in before:
        if child not in now:
            yield _swap(child, "delete", "")
    for child in stayed:
        yield from _part(child, before[child], now[child])
    if fresh:
        yield _swap(id, "prepend", "".join(now[child] for child in fresh))


def _swap(target: str, how: str, html: str) -> str:
    return f'<hx-partial hx-target="#{target}" hx-swap="{how}">{html}</hx-partial>'


_needs: dict[str, tuple[str, ...]] = {}  # by what a template says: to read one costs more than to draw it


class Parts:
    def __init__(self, app: Flask, play: Play) -> None:
        self.app, self.play = app, play
        self._drawn: OrderedDict[tuple[str, str], Drawing] = OrderedDict()
        self._kept: OrderedDict[str, dict[str, tuple[list[Any], str]]] = OrderedDict()
        self._face = cache(self._find_face)
        self._line = lru_cache(20_000)(self._draw_line)

    def drawing(self, sitting: Sitting, page: str) -> Drawing:
        """The page as it is now, from memory if it was drawn before."""
        if page not in PAGES:
            abort(404)
        key = (sitting.code, page)
        drawn = self._drawn.get(key)
        if drawn is None or drawn.version != sitting.version:
            drawn = self._drawn[key] = self._draw(sitting, PAGES[page])
            _forget_oldest(self._drawn)
        return drawn

    def _draw(self, sitting: Sitting, page: Page) -> Drawing:
        seen = self.seen(sitting)
        if "recap" in page.parts:  # it walks through the whole journal, so only where it is shown
            seen |= self._told(sitting)
        parts = {part: self._render(sitting, part, part, seen) for part in page.parts}
        groups = {group: getattr(self, f"_{group}")(sitting, seen) for group in page.groups}
        return Drawing(sitting.version, parts, groups, seen)

    def seen(self, sitting: Sitting) -> dict[str, Any]:
        """All that a template gets to know; never the state, nor anything else that changes in place."""
        state, journal = sitting.journal.state, sitting.journal
        view = sitting.game.view(state, None)
        return {
            "code": sitting.code,
            "game": sitting.game,
            "table": sitting.table,
            "view": view,
            "phase": view.phase,
            "sheets": view.sheets,
            "forms": view.forms,
            "timer": timer(sitting.table),
            "dice": dice(sitting.table),
            "shown": shown(sitting.table),
            "statuses": STATUSES,
            "ending": ending(sitting.table),
            "verdict": sitting.game.adjudicate(state),
            "last": journal.last(),
            "last_of": {phone.number: journal.last(phone.number) for phone in sitting.table.phones},
        }

    def _told(self, sitting: Sitting) -> dict[str, Any]:
        told = recap(sitting.code, sitting.journal)
        return {"recap": told, "chart": score_chart(told.chart) if told.chart else ""}

    def forget(self, code: str) -> None:
        for key in [key for key in self._drawn if key[0] == code]:
            del self._drawn[key]
        self._kept.pop(code, None)
        self._line.cache_clear()  # it cannot let go of one table's lines alone

    def _render(self, sitting: Sitting, part: str, id: str, seen: dict[str, Any]) -> str:
        """A part whose template would see just what it saw last time need not be drawn again."""
        template, needs = self._face(sitting.game.slug, part)
        inputs = [seen.get(name) for name in needs]
        kept = self._kept.setdefault(sitting.code, {})
        _forget_oldest(self._kept)
        if id in kept and all(old is new or old == new for old, new in zip(kept[id][0], inputs, strict=True)):
            return kept[id][1]
        html = template.render(seen)
        kept[id] = (inputs, html)
        return html

    def _find_face(self, slug: str, part: str) -> tuple[Template, tuple[str, ...]]:
        """The room's own template if it has one, else everyone's; and the names of what it looks at."""
        templates = self.app.jinja_env
        found = templates.select_template([f"games/{slug}/faces/_{part}.html", f"sitting/_{part}.html"])
        source = Path(str(found.filename)).read_text("utf-8")
        if source not in _needs:
            parsed = templates.parse(source)
            if any(meta.find_referenced_templates(parsed)):
                raise ValueError(
                    f"{found.filename}: a part stands alone, or nobody knows when to draw it again"
                )
            _needs[source] = tuple(sorted(meta.find_undeclared_variables(parsed)))
        return found, _needs[source]

    def _seats(self, sitting: Sitting, seen: dict[str, Any]) -> dict[str, str]:
        ids = {f"seat-{each.seat.id}": each for each in seen["view"].seats}
        return {id: self._render(sitting, "seat", id, {**seen, "each": each}) for id, each in ids.items()}

    def _log(self, sitting: Sitting, seen: dict[str, Any]) -> dict[str, str]:
        return self._lines(sitting, sitting.journal.lines[-LINES:])

    def _whole_log(self, sitting: Sitting, seen: dict[str, Any]) -> dict[str, str]:
        return self._lines(sitting, sitting.journal.lines)

    def _lines(self, sitting: Sitting, lines: list[Line]) -> dict[str, str]:
        return {f"line-{line.version}": self.line(sitting, line) for line in reversed(lines)}

    def line(self, sitting: Sitting, line: Line) -> str:
        target = sitting.journal.lines[line.about - 1] if line.about else None
        return self._line(sitting.code, line, target is not None and target.gone)

    def _draw_line(self, code: str, line: Line, target_gone: bool) -> str:
        template = self.app.jinja_env.get_template("sitting/_line.html")
        return template.render(code=code, line=line, target_gone=target_gone)


def _forget_oldest(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > 3000:
        kept.popitem(last=False)
