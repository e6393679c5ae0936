"""What changes with nearly every tap: a number, the undo beside the thumb, a cell of the score sheet, a line.

They are small and there are many of them, and a template costs ten times what it takes to put one together.
So they are written here, in one place each, and a template says where they stand: `{{ counter | number }}`.
What stands around them stays as it was drawn, as long as nothing but leaves has changed (`CHANGED`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from markupsafe import Markup

from companion.core import Game, Line
from companion.core.pieces import Counter, Piece, Share, Tap
from companion.core.text import plain
from companion.core.view import Phase, Row, SeatView, Sheet
from companion.web.compiler import quick
from companion.web.marks import act, mark, markup, token
from companion.web.pieces import place

Leaf = tuple[str, str]  # id and drawing
Last = Mapping[int, Line]
Pile = tuple[Piece, ...]


class MoreThanLeaves(Exception):
    """Something that stands around them is different too."""


def _number(counter: Counter | Share, label: str = "") -> Leaf:
    """The number itself, which opens the keypad; what is under way, the page adds to it."""
    id, before, after = _around_number(counter.id, label or counter.label)  # type: ignore[union-attr]
    shown = plain(counter.value)
    return id, f'{before}{counter.value}" data-digits="{len(shown)}"><output hx-morph-skip>{shown}{after}'


@lru_cache(10_000)
def _around_number(counter: str, label: str) -> tuple[str, str, str]:
    id = f"{quick(counter)}-n"
    before = f'<button type="button" id="{id}" class="number" data-keypad data-value="'
    return id, before, f'</output> <span class="counter-label">{quick(label)}</span></button>'


def _detail(counter: Counter) -> Leaf:
    id = f"{quick(counter.id)}-d"
    return id, f'<p id="{id}" class="detail">{quick(counter.detail)}</p>'


def _notes(each: SeatView) -> Leaf:
    id = f"seat-{each.seat.id}-notes"
    leads = '<span class="tag lead">leads</span>' if each.leads else ""
    notes = "".join(f'<span class="tag">{quick(note)}</span>' for note in each.notes)
    return id, f'<span class="seat-tags" id="{id}">{leads}{notes}</span>'


def _undo(phone: int, line: Line) -> Leaf:
    """A phone's own last tap; every phone shows just its own."""
    words = f"{line.whom}: {line.text}" if line.whom else line.text
    return f"undo-{phone}", (
        f'<button type="button" id="undo-{phone}" class="undo-button" data-phone="{phone}"'
        f' data-undo="{line.version}"><span class="undo-words"><span class="undo-word">Undo</span>'
        f' <bdi class="undo-what">{quick(words)}</bdi></span></button>'
    )


def _cell(id: str, title: str, text: str) -> Leaf:
    """A number of the score sheet that can be corrected; it is called what its form is called."""
    text = quick(text)
    return id, f'{_before_cell(id, title)}{text}, correct">{text}</button>'


@lru_cache(10_000)  # what stands around a number is the same as at every table; the number itself is not
def _before_cell(id: str, title: str) -> str:
    return f'<button type="button" class="cell" id="{id}" data-form aria-label="{quick(title)}: '


def _total(id: str, text: str) -> Leaf:
    return id, f'<td class="total" id="{id}">{quick(text)}</td>'


def line(shown: Line, target_gone: bool) -> Markup:
    """A line of the log. Tapping it takes back what it is about, or puts it back if that is gone."""
    by, text = quick(shown.by), quick(shown.text)
    whom = f' <span class="line-for">for <bdi>{quick(shown.whom)}</bdi></span>'
    verb, word = ("redo", "Put") if target_gone else ("undo", "Take")
    tap = (
        f'<button type="button" class="line-tap" data-players-only data-{verb}="{shown.about}"'
        f' aria-label="{word} back: {text}"></button>'
    )
    looks = 'line gone"' if shown.gone else 'line"'
    looks += "" if text else " hidden"  # what is not worth a word is none to read either
    return markup(
        f'<li id="line-{shown.version}" class="{looks} data-by="{shown.phone}"'
        f' data-tap="{quick(shown.tap)}"><time class="line-when" data-at="{shown.at}"></time>'
        f'<span class="line-words"><bdi class="line-by">{by}</bdi>'
        f"{whom if shown.whom and shown.whom != shown.by else ''}"
        f': <bdi class="line-text">{text}</bdi></span>{tap if shown.about else ""}</li>'
    )


def tap(piece: Tap, code: str, game: Game[Any]) -> Markup:
    """Anything to press. What it does is in its attributes, so that anything can look like one; one that
    sends and opens nothing is just shown. Boards are made of these, so no piece is drawn as often."""
    word, kind = ("button", ' type="button"') if piece.do or piece.opens or piece.why_not else ("div", "")
    if kind and not piece.shows:
        kind += " data-players-only"
    id = f' id="{quick(piece.id)}"' if piece.id else ""
    shows = f' data-shows="{quick(piece.shows)}"' if piece.shows else ""
    looks = f"{' strong' if piece.strong else ''}{' danger' if piece.danger else ''}"
    tone = f" {piece.tone}" if piece.tone else ""
    if piece.on and not kind:
        tone += " good"  # what cannot be pressed is not pressed either
    seat, sign = piece.seat, piece.mark
    of_it = f' data-mark="{quick(sign)}"' if sign else ""
    whose = f' data-seat="{seat.id}" data-colour="{seat.colour}"' if seat else ""
    signs = f"{token(seat, 'small') if seat else ''}{mark(game, sign) if sign else ''}"
    label, detail = quick(piece.label), piece.why_not or piece.detail
    if piece.short:
        label = f'<span aria-hidden="true">{quick(piece.short)}</span><span class="unseen">{label}</span>'
    more = f"<small>{quick(detail)}</small>" if detail else ""
    badge = f'<i class="p-badge">{quick(piece.badge)}</i>' if piece.badge else ""
    return markup(
        f'<{word}{kind}{id}{shows} class="p-tap{looks}{tone}"{of_it}{whose}{_pressed(piece, code)}>'
        f'{signs}<span class="p-words"><b>{label}</b>{more}</span>{badge}</{word}>'
    )


def _pressed(piece: Tap, code: str) -> str:
    """What happens then, or why nothing does."""
    does = ""
    if piece.why_not:
        does = f' aria-disabled="true" data-why="{quick(piece.why_not)}"'
    elif piece.do:
        sure = f' data-confirm="{quick(piece.confirm)}"' if piece.confirm else ""
        does = f" {act(code, piece.do)}{sure}{' data-costs' if piece.costs else ''}"
    elif piece.opens:
        does = f' data-opens="{quick(piece.opens)}"'
    if piece.on is None or not does:
        return does
    return f'{does} aria-pressed="{"true" if piece.on else "false"}"'


def _placed(leaf: Any) -> Callable[..., Markup]:
    return lambda *given: place(*leaf(*given))


FILTERS = {
    name: _placed(leaf)
    for name, leaf in {
        "number": _number,
        "detail": _detail,
        "notes": _notes,
        "undo": _undo,
        "cell": _cell,
        "total": _total,
    }.items()
}


# --- which of them are different now ---


def _in_seat(was: SeatView, now: SeatView) -> list[Leaf]:
    if (was.seat, was.score, was.unit) != (now.seat, now.score, now.unit):
        raise MoreThanLeaves
    if len(was.counters) != len(now.counters):
        raise MoreThanLeaves
    found = [_notes(now)] if was.leads != now.leads or was.notes != now.notes else []
    for before, counter in zip(was.counters, now.counters, strict=True):
        if before is counter:
            continue
        if (before.id, before.label, before.do) != (counter.id, counter.label, counter.do):
            raise MoreThanLeaves
        if before.value != counter.value:
            found.append(_number(counter))
        if before.detail != counter.detail:
            found.append(_detail(counter))
    return found


def _in_sheets(was: tuple[Sheet, ...], now: tuple[Sheet, ...]) -> list[Leaf]:
    if len(was) != len(now):
        raise MoreThanLeaves
    found: list[Leaf] = []
    for before, sheet in zip(was, now, strict=True):
        if before is sheet:
            continue
        rows, id = before.rows, sheet.id
        if before.id != id or before.title != sheet.title or before.columns != sheet.columns:
            raise MoreThanLeaves
        if len(rows) != len(sheet.rows):
            raise MoreThanLeaves
        for old, row in zip(rows, sheet.rows, strict=True):
            if old is not row:
                found += _in_row(f"{id}-{row.seat.id}-total", old, row)
    return found


def _in_row(total: str, was: Row, now: Row) -> list[Leaf]:
    if (was.seat, len(was.cells)) != (now.seat, len(now.cells)):
        raise MoreThanLeaves
    found = []
    for known, cell in zip(was.cells, now.cells, strict=True):
        if known is cell or known == cell:
            continue
        form = cell.form
        if form is None or known.form is None or form.id != known.form.id:
            raise MoreThanLeaves
        if (known.detail, known.tone) != (cell.detail, cell.tone):
            raise MoreThanLeaves
        found.append(_cell(form.id, form.title, cell.text))
    if was.total != now.total:
        found.append(_total(total, now.total))
    return found


def _in_undo(was: Last, now: Last) -> list[Leaf]:
    if was.keys() != now.keys():
        raise MoreThanLeaves
    return [_undo(phone, line) for phone, line in now.items() if was[phone] is not line]


def _in_phase(was: Phase, now: Phase) -> list[Leaf]:
    if _words(was) != _words(now) or len(was.first) != len(now.first):
        raise MoreThanLeaves
    return []


_words = attrgetter("title", "text", "buttons", "step", "seat", "final")


class Changed(NamedTuple):
    """What a part is drawn from; and which of its leaves, and of the pieces in it, are different."""

    subject: str
    leaves: Callable[[Any, Any], list[Leaf]] = lambda was, now: []
    pieces: Callable[[Any], Pile] | None = None


#: By part, for the templates that everyone shares.
CHANGED = {
    "board": Changed("board", pieces=lambda board: board),
    "phase": Changed("phase", _in_phase, lambda phase: phase.first + phase.pieces),
    "seat": Changed("each", _in_seat, attrgetter("pieces")),
    "sheets": Changed("sheets", _in_sheets),
    "undo": Changed("last_of", _in_undo),
}
