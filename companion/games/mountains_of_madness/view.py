"""What everybody sees. The Madness cards themselves stay on the table: only their levels are known here."""

from __future__ import annotations

from operator import attrgetter

from companion.core import Forms, Phase, Verdict, View
from companion.core.memo import kept_while
from companion.games.mountains_of_madness import (
    counting,
    draw,
    encounter,
    movement,
    put_right,
    resolution,
    rest,
    setup,
)
from companion.games.mountains_of_madness.adjudication import adjudicate
from companion.games.mountains_of_madness.board import board, seats
from companion.games.mountains_of_madness.state import State

FORMS_ASK = ("table.seats", "stage", "turn", "place", "tokens", "injuries", "cards", "levels", "relics")
PHASES = {
    "setup": (setup.words, setup.pieces),
    "movement": (movement.words, movement.pieces),
    "encounter": (encounter.words, encounter.pieces),
    "resolution": (resolution.words, resolution.pieces),
    "draw": (draw.words, draw.pieces),
    "rest": (rest.words, rest.pieces),
}


def view(state: State) -> View:
    verdict = adjudicate(state)
    board_now = board(state, verdict.summary, verdict.final)
    return View(_phase(state, verdict), seats(state), forms=_forms(state), board=board_now)


def _phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        return Phase(verdict.summary, "Something mistapped? Undo it.", key="over", final=True)
    owed = state.now.penalties[0].number if state.now.penalties else 0
    step = f"judged-{owed}" if state.now.met else f"owed-{owed}"
    words, pieces = PHASES[state.stage]
    return Phase(*words(state), key=state.stage, first=tuple(pieces(state)), step=step)


@kept_while(attrgetter(*FORMS_ASK, "covered", "now.challenges", "now.met"))
def _forms(state: State) -> Forms:
    return Forms(lambda: (*counting.form(state), *put_right.forms(state)) if state.stage != "setup" else ())
