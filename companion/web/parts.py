"""The parts of a table page: drawn once per version, shared by every phone, sent where they changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import zip_longest
from operator import is_, itemgetter
from typing import Any, NamedTuple

from flask import Flask, abort
from jinja2 import Template
from jinja2.runtime import Context

from companion.core import Entry, Journal, Line
from companion.core.table import Table
from companion.sittings.play import Play, Sitting
from companion.tools.teaching import cards
from companion.web.drawing import Drawing, DrawnLine, Group, Log, Seats
from companion.web.drawn import Pieces, other
from companion.web.leaves import CHANGED, Changed, MoreThanLeaves
from companion.web.leaves import line as draw_line
from companion.web.pieces import Drawn, context, draw
from companion.web.private import Private
from companion.web.seen import CHANGING, Seen, seen_of_game, seen_of_phase, seen_of_recap, seen_of_table

LINES = 40  # of the log that the table page carries; the log has a page of its own
LOG_PAGE = 100  # lines on a page of the whole log
BIG = {"view", "verdict", "sheets", "last_of"}  # different with nearly every tap, and long to compare


@dataclass(frozen=True)
class Page:
    parts: tuple[str, ...]
    groups: tuple[str, ...] = ()  # containers whose children come and go one by one
    on_request: bool = False  # costs more than a tap may: phones hear that it is old, and ask for it


EVERYWHERE = ("roster", "timer", "roll", "shown_ruling")  # time runs out and dice fall on every page
PAGES = {
    "table": Page(
        (
            *(*EVERYWHERE, "asking", "ending", "lesson", "phase", "private", "verdict", "board", "ask"),
            *("sheets", "standing", "undo"),
        ),
        ("seats", "log"),
    ),
    "display": Page((*EVERYWHERE, "ending", "phase", "verdict", "board"), ("seats", "log")),
    "people": Page((*EVERYWHERE, "asking", "arrivals", "phones", "chairs", "switches")),
    "log": Page((*EVERYWHERE, "asking"), ("whole_log",)),
    "dice": Page((*EVERYWHERE, "asking", "spread")),
    "recap": Page((*EVERYWHERE, "asking", "recap"), on_request=True),
}


class Screen:
    """One live table as its phones see it: what is drawn of it, and who listens. It goes with the sitting."""

    def __init__(self, parts: Parts) -> None:
        self._all = parts
        self.wires: dict[str, dict[Any, int]] = {}  # page → who has it open, and which phone that is
        self.sent: dict[str, Drawing] = {}  # page → what all of them have
        self.table: Table | None = None  # as it was when who had gone was last looked for
        self.private = Private(parts.app)
        self._canvas = Canvas(parts)
        self._ahead: Entry | None = None  # it is drawn, and may not be stored yet

    def drawing(self, sitting: Sitting, name: str) -> Drawing:
        """The page as it is now, from memory if it was drawn before."""
        if self._ahead is not None:
            self._check_ahead(sitting)
        return self._canvas.drawing(sitting, name)

    def seen(self, sitting: Sitting) -> Seen:
        """All that a template gets to know; never the state, nor anything else that changes in place."""
        if self._ahead is not None:
            self._check_ahead(sitting)
        return self._canvas.seen(sitting)

    def draw_ahead(self, sitting: Sitting, entry: Entry) -> None:
        """What phones will see once this entry is stored, while it is on its way to the disk. Till then
        nobody gets it; and if it never is, all that is drawn is thrown away."""
        then = sitting.ahead(entry)
        if then is None:
            return
        if self._ahead is not None:
            self._check_ahead(sitting)
        self._ahead = entry
        for page in self.wires:
            if not PAGES[page].on_request:
                self._canvas.drawing(then, page)

    def _check_ahead(self, sitting: Sitting) -> None:
        ahead, entries = self._ahead, sitting.journal.entries
        if ahead is not None and entries[ahead.version - 1 : ahead.version] != [ahead]:
            self._canvas = Canvas(self._all)
        self._ahead = None


class Canvas:
    """What is drawn of one table, and from what, so that the next tap draws what it changed."""

    def __init__(self, parts: Parts) -> None:
        self._all = parts
        self._drawings: dict[str, Drawing] = {}
        self._parts: dict[str, Drawn] = {}
        self._logs: dict[str, Log] = {}
        self._seen = Seen(dict.fromkeys(CHANGING))
        self._of_game: tuple[Any, ...] = (None,) * len(CHANGING)  # what it was last made of
        self._seen_at, self._seen_before = 0, 0  # of which version that is, and of which it was before
        self._seen_table: Table | None = None
        self._new: tuple[str, ...] = ()  # since the one before
        self._new_at: dict[str, int] = {}  # since which version each is as it is
        self._context: Context | None = None  # of the drawing that is under way

    def drawing(self, sitting: Sitting, name: str) -> Drawing:
        before, version = self._drawings.get(name), sitting.journal.version
        if before is not None and before.version == version:
            return before
        page, seen = PAGES[name], self.seen(sitting)
        if page.on_request:
            seen = Seen(seen | seen_of_recap(sitting))
        self._context = None
        if before is None or page.on_request:
            drawn = self._all_of(sitting, page, seen)
        else:
            drawn = self._redraw(sitting, name, before, seen)
        self._context = None
        self._drawings[name] = drawn
        return drawn

    def _all_of(self, sitting: Sitting, page: Page, seen: Seen) -> Drawing:
        slug = sitting.game.slug
        parts = {part: self._draw(self._all.face(slug, part), part, seen) for part in page.parts}
        groups = {group: self._group(sitting, group, seen) for group in page.groups}
        return Drawing(sitting.version, parts, groups)

    def _redraw(self, sitting: Sitting, name: str, before: Drawing, seen: Seen) -> Drawing:
        """What is new since, and nothing else; it is noted as it is drawn."""
        slug, parts, groups, news = sitting.game.slug, before.parts, before.groups, []
        stale = self._all.affected(slug, name, self._new_since(before.version))
        if stale:
            parts = parts.copy()
            for part, face, alone in stale:
                was = parts[part]
                alone = alone and self._parts[part] is was
                now = self._touch_up(face, part, was, seen) if alone else self._draw(face, part, seen)
                if now is not was:
                    parts[part] = now
                    news.append(now.since(part, was))
        if groups:
            groups = {}
            for group, shown in before.groups.items():
                if isinstance(shown, Log):
                    lines = groups[group] = self._newest(sitting.journal, group)
                    news.append(lines.since(group, shown))
                else:
                    seats = groups[group] = self._seats(sitting, seen, shown)
                    news.append(seats.since(group, shown))
        return Drawing(sitting.journal.version, parts, groups, before.version, "".join(news))

    def _new_since(self, version: int) -> tuple[str, ...]:
        """The names of what is different, out of all that is seen."""
        if version == self._seen_before:
            return self._new
        return tuple([name for name, at in self._new_at.items() if at > version])

    def seen(self, sitting: Sitting) -> Seen:
        journal, seen, new = sitting.journal, self._seen, []
        version, table = journal.version, journal.state.table
        if version == self._seen_at:
            return seen
        now = seen_of_game(sitting)
        other_table = self._seen_table is not table
        if other_table:
            new += seen.update_with(seen_of_table(sitting))
            self._seen_table = table
        for at in other(tuple(map(is_, self._of_game, now))):
            name, value = CHANGING[at], now[at]
            if name in BIG or seen[name] != value:
                seen[name] = value
                new.append(name)
        self._of_game = now
        other_phase = "phase" in new
        if other_phase:
            new += seen.update_with(seen_of_phase(sitting))
        if other_phase or other_table:
            new += seen.update_with({"lessons": cards(sitting.game, table, sitting.view)})
        self._new, since = tuple(new), self._new_at
        for name in new:
            since[name] = version
        self._seen_before, self._seen_at = self._seen_at, version
        return seen

    def _draw(self, face: Face, id: str, seen: Seen) -> Drawn:
        """A part whose template would see just what it saw last time need not be drawn again."""
        before, inputs = self._parts.get(id), face.look(seen)
        if before is not None:
            if face.alone_differs(before.inputs, inputs):
                return self._touch_up(face, id, before, seen)
            if before.inputs == inputs:
                return before
        return self._draw_anew(face, id, before, seen)

    def _draw_anew(self, face: Face, id: str, before: Drawn | None, seen: Seen) -> Drawn:
        if self._context is None:
            self._context = context(self._all.app.jinja_env, seen)
        self._context.parent["each"] = seen["each"]  # of a seat's part, the seat
        now = self._parts[id] = draw(face.template, self._context, face.look(seen), before)
        return now

    def _touch_up(self, face: Face, id: str, before: Drawn, seen: Seen) -> Drawn:
        """What its leaves and pieces are drawn from is new, and nothing else that it looks at: so these are
        drawn, unless more than that follows from it."""
        changed, inputs, draw = face.changed, face.look(seen), None
        assert changed
        was, now = before.inputs[face.subject], inputs[face.subject]
        if was is now:
            return before
        if changed.pieces is not None:
            before_it, in_it = changed.pieces(was), changed.pieces(now)
            if before_it is not in_it:
                draw = partial(self._all.pieces.drawn_anew, before_it, in_it, seen["code"], seen["game"])
        try:
            touched = self._parts[id] = before.touched_up(inputs, changed.leaves(was, now), draw)
            return touched
        except (MoreThanLeaves, KeyError):  # or one that has no place yet
            return before if before.inputs == inputs else self._draw_anew(face, id, before, seen)

    def _group(self, sitting: Sitting, group: str, seen: Seen) -> Group:
        return self._seats(sitting, seen) if group == "seats" else self._newest(sitting.journal, group)

    def _seats(self, sitting: Sitting, seen: Seen, before: Seats | None = None) -> Seats:
        """A tap changes one of them, and those that are the very same need no second look."""
        face, views, news = self._all.face(sitting.game.slug, "seat"), seen["view"].seats, []
        around = face.look(seen)
        if before is None or before.around != around or len(before.views) != len(views):
            before = Seats()
        drawn = Seats(before)
        for was, now in zip_longest(before.views, views):
            if was is now:
                continue
            if was and was.seat.id != now.seat.id:  # they sit otherwise
                return self._seats(sitting, seen)
            seen["each"], id = now, f"seat-{now.seat.id}"
            shown = before.get(id)
            if shown is not None and face.changed is not None and self._parts[id] is shown:
                drawn[id] = self._touch_up(face, id, shown, seen)
            else:
                drawn[id] = self._draw(face, id, seen)
            if shown is not None:
                news.append(drawn[id].since(id, shown))
        seen["each"] = None
        drawn.views, drawn.around, drawn.news, drawn.since_views = views, around, "".join(news), before.views
        return drawn

    def _newest(self, journal: Journal, name: str) -> Log:
        old, most = self._logs.get(name), LINES if name == "log" else LOG_PAGE
        if old and old.rewritten == journal.rewritten and journal.version - old.version < most:
            drawn = old.lines if len(old.lines) < 2 * most else old.lines[-most:]
            for line in journal.lines[old.version :]:
                drawn.append(_drawn(journal, line))
        else:
            known = {each.line.version: each for each in old.lines} if old else {}
            drawn = [_drawn(journal, line, known.get(line.version)) for line in journal.lines[-most:]]
        log = self._logs[name] = Log(journal.rewritten, journal.version, most, drawn)
        return log


def _drawn(journal: Journal, line: Line, known: DrawnLine | None = None) -> DrawnLine:
    about = line.about
    gone = line.gone if about == line.version else about is not None and journal.lines[about - 1].gone
    if known and known.line is line and known.target_gone == gone:
        return known
    return DrawnLine(line, gone, draw_line(line, gone))


def lines(journal: Journal, some: list[Line]) -> list[str]:
    """Any of them, newest first."""
    return [_drawn(journal, line).html for line in reversed(some)]


class Face(NamedTuple):
    template: Template
    names: tuple[str, ...]  # of what it looks at, out of all that is seen
    look: Callable[[Seen], tuple[Any, ...]]
    subject: int = -1  # of those, what its leaves and pieces are drawn from
    changed: Changed | None = None  # which of them are

    def alone_differs(self, was: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
        """Whether it sees nothing new but its subject."""
        at = self.subject
        return self.changed is not None and was[:at] == now[:at] and was[at + 1 :] == now[at + 1 :]


def _looking(names: tuple[str, ...]) -> Callable[[Seen], tuple[Any, ...]]:
    """All of them at once; of a single one `itemgetter` would make no tuple."""
    return itemgetter(*names) if len(names) > 1 else lambda seen: tuple([seen[name] for name in names])


class Parts:
    """What all tables share: the templates."""

    def __init__(self, app: Flask, play: Play) -> None:
        self.app, self.play = app, play
        self.pieces: Pieces = app.extensions["pieces"]
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

    def _find_affected(
        self, slug: str, page: str, new: tuple[str, ...]
    ) -> tuple[tuple[str, Face, bool], ...]:
        """The parts whose templates look at one of these; and whether all that they see of it is what their
        leaves and pieces are drawn from."""
        found = []
        for part in PAGES[page].parts:
            face = self.face(slug, part)
            sees = set(new).intersection(face.names)
            if sees:
                alone = face.changed is not None and sees == {face.changed.subject}
                found.append((part, face, alone))
        return tuple(found)

    def _find_face(self, slug: str, part: str) -> Face:
        """The room's own template if it has one, else everyone's; and the names of what it looks at."""
        templates, everyones = self.app.jinja_env, f"sitting/_{part}.html"
        found = templates.select_template([f"games/{slug}/faces/_{part}.html", everyones])
        read = found.root_render_func.__globals__  # what was found out when it was compiled
        if read["why_not_alone"]:
            raise ValueError(f"{found.filename}: {read['why_not_alone']}")
        names = tuple(name for name in read["looks_at"] if name not in templates.globals)
        if found.name != everyones or part not in CHANGED:
            return Face(found, names, _looking(names))
        changed = CHANGED[part]
        return Face(found, names, _looking(names), names.index(changed.subject), changed)
