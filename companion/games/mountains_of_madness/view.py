"""What everybody sees. The Madness cards themselves stay on the table: only their levels are known here."""

from __future__ import annotations

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


def _what_they_ask(state: State) -> tuple[object, ...]:
    return (
        *(state.table.seats, state.stage, state.turn, state.now.challenges, state.now.met, state.place),
        *(state.tokens, state.injuries, state.cards, state.levels, state.relics, state.covered),
    )


@kept_while(_what_they_ask)
def _forms(state: State) -> Forms:
    return Forms(lambda: (*counting.form(state), *put_right.forms(state)) if state.stage != "setup" else ())
