"""Set-up with words for what lies there: at a table that is taught, lines of a checklist say what a thing is
for, and a plan shows where it goes. A phone that is not taught shows neither: all get the same drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.core import Game, Seat, Table, Tick, View
from companion.core.fixed import replace
from companion.core.lessons import Lessons
from companion.core.memo import remembered
from companion.core.pieces import Checklist, Fold, Grid, Panel, Piece, inside
from companion.core.plans import Plan, plan
from companion.tools.teaching import teaches

SETUP = "setup"  # the phase that the plan is for
HOLDING = (Panel, Grid, Fold)  # what a checklist may stand in


def explained(game: Game[Any], table: Table, view: View) -> View:
    """The view as it is, where nobody is to be taught."""
    lessons = game.lessons
    if lessons is None or not teaches(table):
        return view
    lists = [
        each for each in inside((view.phase.first, view.phase.pieces, view.board)) if type(each) is Checklist
    ]
    if not lists:
        return view
    numbers = _numbers(lessons, lists) if view.phase.key == SETUP else {}
    drawn = _drawn(lessons, table.seats, tuple(numbers.items())) if numbers else ()

    def with_words(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        nonlocal drawn
        found: list[Piece] = []
        for each in pieces:
            found.append(_explained(lessons, each, numbers))
            if drawn and any(each in lists for each in inside(each)):
                found += drawn
                drawn = ()
        return tuple(found)

    phase = replace(view.phase, first=with_words(view.phase.first), pieces=with_words(view.phase.pieces))
    return replace(view, phase=phase, board=with_words(view.board))


def _item(tick: Tick) -> str:
    return str(tick.do.args.get("item", "")) if tick.do else tick.id


def _numbers(lessons: Lessons, lists: Sequence[Checklist]) -> dict[str, str]:
    """By line of the set-up, in the order of the list; what each player gets has one number for all."""
    lines = [lessons.line(_item(tick)) for each in lists for tick in each.ticks]
    known = dict.fromkeys(line.item for line in lines if line)
    return {item: str(number) for number, item in enumerate(known, 1)}


def _explained(lessons: Lessons, piece: Piece, numbers: dict[str, str]) -> Piece:
    if isinstance(piece, HOLDING):
        return replace(piece, pieces=tuple(_explained(lessons, each, numbers) for each in piece.pieces))
    if not isinstance(piece, Checklist):
        return piece
    return replace(piece, ticks=tuple(_explained_tick(lessons, each, numbers) for each in piece.ticks))


def _explained_tick(lessons: Lessons, tick: Tick, numbers: dict[str, str]) -> Tick:
    line = lessons.line(_item(tick))
    if line is None:
        return tick
    return replace(tick, number=numbers.get(line.item, ""), why=line.words)


@remembered
def _drawn(
    lessons: Lessons, seats: tuple[Seat, ...], numbers: tuple[tuple[str, str], ...]
) -> tuple[Piece, ...]:
    book = lessons.book
    if not book.thing:
        return ()
    shown: Plan = plan("table-plan", book.thing, seats, dict(numbers), book.high)
    return (Fold("table-plan-fold", "Where everything goes", (shown,), open=True, only="pupils"),)
