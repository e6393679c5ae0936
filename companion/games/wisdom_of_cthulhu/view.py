"""All that is seen, once for every phone."""

from __future__ import annotations

from companion.core import Phase, View
from companion.games.wisdom_of_cthulhu import panels
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate
from companion.games.wisdom_of_cthulhu.board import board, sheet
from companion.games.wisdom_of_cthulhu.forms import forms
from companion.games.wisdom_of_cthulhu.seats import seats
from companion.games.wisdom_of_cthulhu.state import State

MISTYPED = "Something mistyped? Undo it, or correct it on the sheet."


def view(state: State) -> View:
    verdict = adjudicate(state)
    over = Phase(verdict.summary, MISTYPED, key="over", final=True) if state.over else None
    return View(
        phase=over or panels.phase(state),
        seats=seats(state, verdict.leaders),
        sheets=(sheet(state.table.seats, state.gains),) if state.turn else (),
        forms=forms(state),
        board=board(state),
    )
