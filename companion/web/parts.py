"""The parts of a table page: drawn once per version, shared by every phone, sent where they changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from flask import Flask, abort
from jinja2 import Template
from jinja2.runtime import Context

from companion.core import Journal, Line
from companion.core.game import STATUSES
from companion.core.table import Table
from companion.evenings.recap import recap
from companion.sittings.play import Play, Sitting
from companion.tools.dice import dice
from companion.tools.ending import ending
from companion.tools.sealed import laid_open
from companion.tools.shown_ruling import shown
from companion.tools.timer import timer
from companion.web.charts import score_chart
from companion.web.leaves import CHANGED, Leaf, MoreThanLeaves
from companion.web.leaves import line as draw_line
from companion.web.pieces import Attributes, Drawn, context, draw
from companion.web.private import Private

LINES = 40  # of the log that the table page carries; the log has a page of its own
LOG_PAGE = 100  # lines on a page of the whole log
ANEW = {"private": "outerHTML"}  # what a phone had in there when it was last here is gone
BIG = {"view", "verdict", "sheets", "last_of"}  # different with nearly every tap, and long to compare


@dataclass(frozen=True)
class Page:
    parts: tuple[str, ...]
    groups: tuple[str, ...] = ()  # containers whose children come and go one by one
    asked_for: bool = False  # costs more than a tap may: phones hear that it is old, and ask for it


EVERYWHERE = ("roster", "timer", "roll", "shown_ruling")  # time runs out and dice fall on every page
PAGES = {
    "table": Page(
        (
            *(*EVERYWHERE, "asking", "ending", "phase", "private", "verdict", "board", "ask"),
            *("sheets", "standing", "undo"),
        ),
        ("seats", "log"),
    ),
    "display": Page((*EVERYWHERE, "ending", "phase", "verdict", "board"), ("seats", "log")),
    "people": Page((*EVERYWHERE, "asking", "arrivals", "phones", "chairs", "switches")),
    "log": Page((*EVERYWHERE, "asking"), ("whole_log",)),
    "dice": Page((*EVERYWHERE, "asking", "spread")),
    "recap": Page((*EVERYWHERE, "asking", "recap"), asked_for=True),
}


class Told(NamedTuple):
    line: Line
    target_gone: bool
    html: str


class Log(NamedTuple):
    """The newest lines, drawn. Most taps add one and leave the others as they are."""

    retold: int
    version: int
    most: int
    told: list[Told]  # oldest first; later ones may have come, and earlier ones are there still

    @property
    def shown(self) -> list[Told]:
        """Newest first."""
        return self._newest(self.most)

    def _newest(self, many: int) -> list[Told]:
        end = self.version + 1 - self.told[0].line.version
        return self.told[max(0, end - many) : end][::-1]

    def items(self) -> Iterator[tuple[str, str]]:
        return ((f"line-{each.line.version}", each.html) for each in self.shown)

    def values(self) -> Iterator[str]:
        return (each.html for each in self.shown)

    def since(self, id: str, old: Log) -> list[str]:
        new = self.version - old.version
        if new >= self.most:
            return [_swap(id, _joined(self.values()), "innerMorph")]
        told = [_swap(id, "".join([each.html for each in self._newest(new)]), "prepend")] if new else []
        return told if self.retold == old.retold else [*self._retold(old, new), *told]

    def _retold(self, old: Log, new: int) -> Iterator[str]:
        before = dict(old.items())
        for each in self.shown[new:]:
            name = f"line-{each.line.version}"
            if before.get(name) != each.html:
                yield _swap(name, each.html)


Children = dict[str, Drawn]
Group = Children | Log


@dataclass(frozen=True)
class Drawing:
    """A page's parts at one version."""

    version: int
    parts: dict[str, Drawn]
    groups: dict[str, Group]  # container → child id → drawing, in order
    seen: dict[str, Any]  # what it was drawn from

    def whole(self) -> str:
        """Everything, for a phone that was away."""
        return "".join(
            [_swap(id, str(part), ANEW.get(id, "")) for id, part in self.parts.items()]
            + [_swap(id, _joined(each.values()), "innerMorph") for id, each in self.groups.items()]
        )

    def since(self, old: Drawing) -> str:
        """Only what is drawn differently now."""
        changed: list[str] = []
        for id, part in self.parts.items():
            if part is not old.parts[id]:
                changed += _part(id, old.parts[id], part)
        for id, now in self.groups.items():
            changed += _group(id, old.groups[id], now)
        return "".join(changed)


def _part(id: str, before: Drawn, now: Drawn) -> list[str]:
    return [
        _set(target, html) if type(html) is Attributes else _swap(target, html)
        for target, html in now.since(id, before)
    ]


def _group(id: str, before: Group, now: Group) -> list[str]:
    if isinstance(now, Log):
        return now.since(id, cast("Log", before))
    before = cast("Children", before)
    if now.keys() != before.keys() or list(now) != list(before):
        return [_swap(id, _joined(now.values()), "innerMorph")]
    changed: list[str] = []
    for child, drawn in now.items():
        if before[child] is not drawn:
            changed += _part(child, before[child], drawn)
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


class Screen:
    """One live table as its phones see it: what is drawn of it, and who listens. It goes with the sitting."""

    def __init__(self, parts: Parts) -> None:
        self._all = parts
        self.wires: dict[str, dict[Any, int]] = {}  # page → who has it open, and which phone that is
        self.sent: dict[str, Drawing] = {}  # page → what all of them have
        self._drawings: dict[str, Drawing] = {}
        self._parts: dict[str, Drawn] = {}
        self._logs: dict[str, Log] = {}
        self._seated: dict[int, tuple[Any, Drawn]] = {}  # seats as they were last shown …
        self._around: tuple[Any, ...] = ()  # … beside these
        self._seen: tuple[int, Table | None, dict[str, Any]] = (0, None, {})
        self._new: tuple[dict[str, Any], frozenset[str]] = ({}, frozenset())  # since what was seen before it
        self.table: Table | None = None  # as it was when who had gone was last looked for
        self.private = Private(parts.app.jinja_env)
        self._context: Context | None = None  # of the drawing that is under way

    def drawing(self, sitting: Sitting, name: str) -> Drawing:
        """The page as it is now, from memory if it was drawn before."""
        before = self._drawings.get(name)
        if before and before.version == sitting.version:
            return before
        page, seen = PAGES[name], self.seen(sitting)
        if page.asked_for:
            seen = seen | _told(sitting)
        slug, stale, parts = sitting.game.slug, page.parts, {}
        self._context = None
        if before:
            was, new = self._new
            if before.seen is not was or page.asked_for:
                was = before.seen
                new = frozenset([each for each, value in seen.items() if value is not was[each]])
            stale, parts = self._all.affected(slug, name, new), before.parts.copy()
        for part in stale:
            face = self._all.face(slug, part)
            parts[part] = self._draw(face, part, face.look(seen), seen)
        groups = {group: self._group(sitting, group, seen) for group in page.groups}
        self._context = None
        drawn = self._drawings[name] = Drawing(sitting.version, parts, groups, seen)
        return drawn

    def seen(self, sitting: Sitting) -> dict[str, Any]:
        """All that a template gets to know; never the state, nor anything else that changes in place."""
        version, table, before = self._seen
        if version == sitting.version:
            return before
        seen, new = _seen(sitting, before if table is sitting.table else {}), []
        for name, was in before.items():
            if seen[name] is not was:
                if name not in BIG and seen[name] == was:
                    seen[name] = was  # the same thing again, so that it is known by a glance
                else:
                    new.append(name)
        self._new = (before, frozenset(new))
        self._seen = (sitting.version, sitting.table, seen)
        return seen

    def _draw(self, face: Face, id: str, inputs: tuple[Any, ...], seen: dict[str, Any], **more: Any) -> Drawn:
        """A part whose template would see just what it saw last time need not be drawn again."""
        before = self._parts.get(id)
        if before:
            if before.inputs == inputs:
                return before
            touched_up = face.touched_up(before, inputs)
            if touched_up:
                self._parts[id] = touched_up
                return touched_up
        if self._context is None:
            self._context = context(self._all.app.jinja_env, seen)
        self._context.parent.update(more)
        now = self._parts[id] = draw(face.template, self._context, inputs, before)
        return now

    def _group(self, sitting: Sitting, group: str, seen: dict[str, Any]) -> Group:
        if group == "seats":
            return self._seats(sitting, seen)
        return self._newest(sitting.journal, group, LINES if group == "log" else LOG_PAGE)

    def _seats(self, sitting: Sitting, seen: dict[str, Any]) -> Children:
        """A tap changes one of them, and those that are the very same need no second look."""
        face = self._all.face(sitting.game.slug, "seat")
        around, at = face.look(seen), face.names.index("each")
        before = self._seated if around == self._around else {}
        drawn: Children = {}
        self._seated, self._around = {}, around
        for each in seen["view"].seats:
            seat = each.seat.id
            known = before.get(seat)
            if known is None or known[0] is not each:
                inputs = (*around[:at], each, *around[at + 1 :])
                known = (each, self._draw(face, f"seat-{seat}", inputs, seen, each=each))
            self._seated[seat] = known
            drawn[f"seat-{seat}"] = known[1]
        return drawn

    def _newest(self, journal: Journal, name: str, most: int) -> Log:
        old = self._logs.get(name)
        if old and old.retold == journal.retold and journal.version - old.version < most:
            told = old.told if len(old.told) < 2 * most else old.told[-most:]
            told += [_tell(journal, line) for line in journal.lines[old.version :]]
        else:
            known = {each.line.version: each for each in old.told} if old else {}
            told = [_tell(journal, line, known.get(line.version)) for line in journal.lines[-most:]]
        log = self._logs[name] = Log(journal.retold, journal.version, most, told)
        return log


def _tell(journal: Journal, line: Line, known: Told | None = None) -> Told:
    gone = line.about is not None and journal.lines[line.about - 1].gone
    if known and known.line is line and known.target_gone == gone:
        return known
    return Told(line, gone, draw_line(line, gone))


def lines(journal: Journal, some: list[Line]) -> list[str]:
    """Any of them, newest first."""
    return [_tell(journal, line).html for line in reversed(some)]


def _seen(sitting: Sitting, before: dict[str, Any]) -> dict[str, Any]:
    journal, table = sitting.journal, sitting.table
    view, verdict = sitting.view, sitting.game.adjudicate(journal.state)
    final = verdict if verdict.final else None
    return {
        **(before or _seen_of_table(sitting)),
        "view": view,
        "phase": view.phase,
        "phase_key": view.phase.key,
        "asked_here": sitting.game.rulings_in.get(view.phase.key, ())[:5],  # as many as fit without scrolling
        "board": view.board,
        "sheets": view.sheets,
        "forms": view.forms,
        "verdict": verdict,
        "final": final,  # a part that only speaks of the end is drawn again only then
        "slip": journal.last() if final else None,
        "lines_left": sitting.lines_left,
        "last_of": {phone.number: journal.last(phone.number) for phone in table.phones},
    }


def _seen_of_table(sitting: Sitting) -> dict[str, Any]:
    """What a room's own taps leave as it is."""
    table = sitting.table
    return {
        "code": sitting.code,
        "game": sitting.game,
        "table": laid_open(table),
        "chosen": table.choices,
        "starter": table.starter,  # a seat is not drawn again because a phone came
        "timer": timer(table),
        "dice": dice(table),
        "shown": shown(table),
        "seats": table.seats,
        "statuses": STATUSES,
        "ending": ending(table),
        "questions": sitting.questions,
    }


def _told(sitting: Sitting) -> dict[str, Any]:
    told = recap(sitting.code, sitting.journal)
    return {"recap": told, "chart": score_chart(told.chart) if told.chart else ""}


class Face(NamedTuple):
    template: Template
    names: tuple[str, ...]  # of what it looks at, out of all that is seen
    subject: int = -1  # of those, what its leaves are drawn from
    leaves: Callable[[Any, Any], Iterator[Leaf]] | None = None  # those that differ

    def look(self, seen: dict[str, Any]) -> tuple[Any, ...]:
        return tuple([seen.get(name) for name in self.names])

    def touched_up(self, before: Drawn, inputs: tuple[Any, ...]) -> Drawn | None:
        """Only its leaves are new; None if more than that is."""
        if self.leaves is None:
            return None
        was, now = before.inputs[self.subject], inputs[self.subject]
        around = list(before.inputs)
        around[self.subject] = now
        if tuple(around) != inputs:
            return None
        try:
            return before.with_leaves(inputs, self.leaves(was, now))
        except (MoreThanLeaves, KeyError):  # or a leaf that has no place yet
            return None


class Parts:
    """What all tables share: the templates."""

    def __init__(self, app: Flask, play: Play) -> None:
        self.app, self.play = app, play
        self.face = cache(self._find_face)
        self.affected = lru_cache(1000)(self._find_affected)

    def screen(self, sitting: Sitting) -> Screen:
        screen: Screen | None = sitting.screen
        if screen is None:
            screen = sitting.screen = Screen(self)
        return screen

    def drawing(self, sitting: Sitting, page: str) -> Drawing:
        if page not in PAGES:
            abort(404)
        return self.screen(sitting).drawing(sitting, page)

    def _find_affected(self, slug: str, page: str, new: frozenset[str]) -> tuple[str, ...]:
        """The parts whose templates look at one of these."""
        return tuple(part for part in PAGES[page].parts if not new.isdisjoint(self.face(slug, part).names))

    def _find_face(self, slug: str, part: str) -> Face:
        """The room's own template if it has one, else everyone's; and the names of what it looks at."""
        templates, everyones = self.app.jinja_env, f"sitting/_{part}.html"
        found = templates.select_template([f"games/{slug}/faces/_{part}.html", everyones])
        read = found.root_render_func.__globals__  # what was found out when it was compiled
        if read["why_not_alone"]:
            raise ValueError(f"{found.filename}: {read['why_not_alone']}")
        names = tuple(name for name in read["looks_at"] if name not in templates.globals)
        if found.name != everyones or part not in CHANGED:
            return Face(found, names)
        subject, leaves = CHANGED[part]
        return Face(found, names, names.index(subject), leaves)
