"""Who is at the table, and five phases, clockwise.

Every tap says where it saw the table, so that two at once count once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from companion.core import Context, Count, Event, Events, Refused, TableEvent, expects, refuse_if
from companion.core.checklist import ticking
from companion.games.smash_up.adjudication import adjudicate, judge, standings
from companion.games.smash_up.state import CHECKLIST, GOAL, LAST, PHASES, SCORE, Number, State

PhaseNumber = Annotated[Count, Field(ge=1, le=LAST)]


def evolve(state: State, event: Event[State]) -> State:
    """Whoever leaves takes everything along; their Madness cards go back to the deck."""
    if not isinstance(event, TableEvent):
        return event.fold(state)
    here, theirs = state.table.ids, state.table.theirs
    if here == state.order:
        return state
    if state.stage != "setup" and state.player not in here:
        after = state.order[state.order.index(state.player) :]
        player = next((seat for seat in after if seat in here), here[0])
        state = replace(state, player=player, phase=1, scoring=None, after=None)
    bases = tuple(replace(base, held=theirs(base.held)) for base in state.bases)
    factions, vp, madness = theirs(state.factions), theirs(state.vp), theirs(state.madness)
    return replace(state, order=here, factions=factions, vp=vp, madness=madness, bases=bases)


# --- what can happen ---


class GameBegun(Event[State]):
    seat: int

    says = "begins the game"

    def fold(self, state: State) -> State:
        refuse_if(state.stage != "setup", "The game has begun already.")
        return replace(state, stage="play", turn=1, phase=1, player=state.table.seat(self.seat).id, gap=None)


class PhaseBegun(Event[State]):
    turn: int
    phase: int

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        refuse_if(not state.phase < self.phase <= LAST, "That phase is over.")
        return replace(state, phase=self.phase, after=None)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn}, {PHASES[self.phase - 1]}"


class TurnEnded(Event[State]):
    """`check` says that the check at its end found the game over."""

    turn: int
    check: bool = False
    note: str = ""

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        state = replace(state, phase=LAST, after=None)
        return replace(state, stage="check") if self.check else _next_player(state)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn} is over" + (f". {self.note}" if self.note else "")


class PlayedOn(Event[State], tap="play_on", turn=Number):
    """After a correction that took the end back."""

    turn: int

    says = "the game goes on"

    def check_tap(self, state: State) -> None:
        if state.stage == "check":
            adjudicate(state).check_going_on()

    def fold(self, state: State) -> State:
        refuse_if((state.stage, state.turn) != ("check", self.turn), "The game is going on.")
        return _next_player(state)


def _next_player(state: State) -> State:
    seats = state.table.clockwise(state.player)
    return replace(state, stage="play", turn=state.turn + 1, phase=1, player=seats[1 % len(seats)])


# --- what can be tapped ---

tick = ticking(CHECKLIST)


def begin_game(state: State, context: Context) -> Events:
    """Two phones may press this at once; the second one is late."""
    early, here, wanted = state.stage == "setup", len(state.bases), state.wanted
    lacking = f"{wanted - 1} players need {wanted} bases; {wanted - here} still to come."
    refuse_if(early and here < wanted, lacking)
    refuse_if(early and here > wanted, f"{state.plays_with}, and {here} lie here. Put one back.")
    yield GameBegun(state.table.starter)


def _is_now(state: State, turn: Number, phase: PhaseNumber) -> None:
    refuse_if(state.stage == "setup", "The game has not begun.")
    refuse_if(state.stage == "check", f"That turn is over. {adjudicate(state).summary}")
    if (turn, phase) != (state.turn, state.phase):
        late = (turn, phase) < (state.turn, state.phase)
        now = f"{state.name(state.player)} is at {PHASES[state.phase - 1]}"
        raise Refused(f"{'That was tapped already' if late else 'Not yet'}: {now}.")
    adjudicate(state).check_going_on()
    state.check_no_scoring("; finish that first")


@expects(_is_now)
def next_phase(state: State, context: Context, to: PhaseNumber = 0, anyway: bool = False) -> Events:
    to = to or state.phase + 1
    refuse_if(to > LAST, "After Shut It Down the turn ends.")
    refuse_if(to <= state.phase, f"{PHASES[to - 1]} is over in this turn. Undo brings it back.")
    _check_ready(state, to, anyway)
    yield PhaseBegun(state.turn, to)


@expects(_is_now)
def end_turn(state: State, context: Context, anyway: bool = False) -> Events:
    _check_ready(state, LAST + 1, anyway)
    verdict = judge(state.table, standings(state))
    someone = any(state.vp_of(seat) >= GOAL for seat in state.table.ids)
    yield TurnEnded(state.turn, verdict.final, verdict.summary if someone and not verdict.final else "")


def _check_ready(state: State, to: int, anyway: bool) -> None:
    """Whoever leaves the third phase behind has scored what was ready, or says that a card has it so."""
    leaves = state.phase <= SCORE < to and not anyway
    refuse_if(leaves and state.all_ready, f"{state.all_ready} and must be scored first.")
