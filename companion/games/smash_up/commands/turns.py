"""Five phases, clockwise. Every tap says where it saw the table, so that two at once count once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Context, Count, Event, Refused
from companion.core.text import listed
from companion.games.smash_up.adjudication import adjudicate, judge, standings
from companion.games.smash_up.commands.setting_up import Done
from companion.games.smash_up.events import PhaseBegun, PlayedOn, TurnEnded
from companion.games.smash_up.state import GOAL, LAST, PHASES, SCORE, State

Turn = Annotated[Count, Field(ge=1, le=9999)]
Number = Annotated[Count, Field(ge=1, le=LAST)]


def next_phase(
    state: State, context: Context, turn: Turn, phase: Number, to: Number | None = None, anyway: Done = "no"
) -> Iterator[Event]:
    _check(state, turn, phase)
    to = to or phase + 1
    if to > LAST:
        raise Refused("After Shut It Down the turn ends.")
    if to <= phase:
        raise Refused(f"{PHASES[to - 1]} is over in this turn. Undo brings it back.")
    if phase <= SCORE < to:
        _check_ready(state, anyway)
    yield PhaseBegun(turn, to)


def end_turn(
    state: State, context: Context, turn: Turn, phase: Number, anyway: Done = "no"
) -> Iterator[Event]:
    _check(state, turn, phase)
    if phase <= SCORE:
        _check_ready(state, anyway)
    verdict = judge(state.table, standings(state))
    someone = any(state.vp_of(seat.id) >= GOAL for seat in state.table.seats)
    note = verdict.summary if someone and not verdict.final else ""
    yield TurnEnded(turn, verdict.final, note)


def _check(state: State, turn: int, phase: int) -> None:
    if state.stage == "setup":
        raise Refused("The game has not begun.")
    if (turn, phase) != (state.turn, state.phase) or state.stage != "play":
        late = turn < state.turn or (turn == state.turn and phase < state.phase)
        now = f"{state.name(state.player)} is at {PHASES[state.phase - 1]}"
        if state.stage == "check":
            raise Refused(f"That turn is over. {adjudicate(state).summary}")
        raise Refused(f"That was tapped already: {now}." if late else f"Not yet: {now}.")
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")
    if state.scoring is not None:
        raise Refused(f"{state.base(state.scoring.base).card.name} is being scored; finish that first.")


def _check_ready(state: State, anyway: str) -> None:
    if state.ready and anyway == "no":
        names = listed([base.card.name for base in state.ready])
        are = "is" if len(state.ready) == 1 else "are"
        raise Refused(f"{names} {are} ready and must be scored first.")


def play_on(state: State, context: Context, turn: Turn) -> Iterator[Event]:
    """After a correction that took the end back."""
    if (state.stage, state.turn) != ("check", turn):
        raise Refused("The game is going on.")
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")
    yield PlayedOn(turn)


COMMANDS = (next_phase, end_turn, play_on)
