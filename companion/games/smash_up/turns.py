"""Who is at the table, and five phases, clockwise.

Every tap says where it saw the table, so that two at once count once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Event, Refused, TableEvent
from companion.core.checklist import ticking
from companion.core.text import listed
from companion.games.smash_up.adjudication import adjudicate, judge, standings
from companion.games.smash_up.state import CHECKLIST, GOAL, LAST, PHASES, SCORE, Events, State

Turn = Annotated[Count, Field(ge=1, le=9999)]
Number = Annotated[Count, Field(ge=1, le=LAST)]
Done = Literal["yes", "no"]


def evolve(state: State, event: Event) -> State:
    return _seated(state) if isinstance(event, TableEvent) else event.fold(state)


def _seated(state: State) -> State:
    """Whoever leaves takes everything along; their Madness cards go back to the deck."""
    here = state.table.ids
    if here == state.order:
        return state
    if state.stage != "setup" and state.player not in here:
        after = state.order[state.order.index(state.player) :]
        player = next((seat for seat in after if seat in here), here[0])
        state = replace(state, player=player, phase=1, scoring=None, after=None)
    bases = [
        replace(base, held={seat: held for seat, held in base.held.items() if seat in here})
        for base in state.bases
    ]
    return replace(
        state,
        order=here,
        factions={seat: names for seat, names in state.factions.items() if seat in here},
        vp={seat: vp for seat, vp in state.vp.items() if seat in here},
        madness={seat: cards for seat, cards in state.madness.items() if seat in here},
        bases=tuple(bases),
    )


# --- what can happen ---


def check_turn(state: State, turn: int) -> None:
    if state.stage != "play" or state.turn != turn:
        raise Refused(f"Turn {turn} is not the one being played.")
    if state.scoring is not None:
        raise Refused(f"{state.base(state.scoring.base).card.name} is being scored.")


class GameBegun(Event[State]):
    seat: int

    says = "begins the game"

    def fold(self, state: State) -> State:
        if state.stage != "setup":
            raise Refused("The game has begun already.")
        return replace(state, stage="play", turn=1, phase=1, player=state.table.seat(self.seat).id, gap=None)


def _next_player(state: State) -> State:
    seats = state.clockwise(state.player)
    return replace(state, stage="play", turn=state.turn + 1, phase=1, player=seats[1 % len(seats)])


class PhaseBegun(Event[State]):
    turn: int
    phase: int

    def fold(self, state: State) -> State:
        check_turn(state, self.turn)
        if not state.phase < self.phase <= LAST:
            raise Refused("That phase is over.")
        return replace(state, phase=self.phase, after=None)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn}, {PHASES[self.phase - 1]}"


class TurnEnded(Event[State]):
    """`check` says that the check at its end found the game over."""

    turn: int
    check: bool = False
    note: str = ""

    def fold(self, state: State) -> State:
        check_turn(state, self.turn)
        state = replace(state, phase=LAST, after=None)
        return replace(state, stage="check") if self.check else _next_player(state)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn} is over" + (f". {self.note}" if self.note else "")


class PlayedOn(Event[State]):
    turn: int

    says = "the game goes on"

    def fold(self, state: State) -> State:
        if (state.stage, state.turn) != ("check", self.turn):
            raise Refused("The game is going on.")
        return _next_player(state)


# --- what can be tapped ---

tick = ticking(CHECKLIST)


def begin_game(state: State, context: Context) -> Events:
    """Two phones may press this at once; the second one is late."""
    if state.stage != "setup":
        raise Refused("The game has begun already.")
    here, players = len(state.bases), len(state.table.seats)
    if here < state.wanted:
        raise Refused(f"{players} players need {state.wanted} bases; {state.wanted - here} still to come.")
    if here > state.wanted:
        raise Refused(f"{players} players play with {state.wanted} bases, and {here} lie here. Put one back.")
    yield GameBegun(state.table.starter)


def next_phase(
    state: State, context: Context, turn: Turn, phase: Number, to: Number | None = None, anyway: Done = "no"
) -> Events:
    _check_now(state, turn, phase)
    to = to or phase + 1
    if to > LAST:
        raise Refused("After Shut It Down the turn ends.")
    if to <= phase:
        raise Refused(f"{PHASES[to - 1]} is over in this turn. Undo brings it back.")
    if phase <= SCORE < to:
        _check_ready(state, anyway)
    yield PhaseBegun(turn, to)


def end_turn(state: State, context: Context, turn: Turn, phase: Number, anyway: Done = "no") -> Events:
    _check_now(state, turn, phase)
    if phase <= SCORE:
        _check_ready(state, anyway)
    verdict = judge(state.table, standings(state))
    someone = any(state.vp_of(seat) >= GOAL for seat in state.table.ids)
    yield TurnEnded(turn, verdict.final, verdict.summary if someone and not verdict.final else "")


def play_on(state: State, context: Context, turn: Turn) -> Events:
    """After a correction that took the end back."""
    if (state.stage, state.turn) != ("check", turn):
        raise Refused("The game is going on.")
    _check_going_on(state)
    yield PlayedOn(turn)


def _check_now(state: State, turn: int, phase: int) -> None:
    if state.stage == "setup":
        raise Refused("The game has not begun.")
    if state.stage == "check":
        raise Refused(f"That turn is over. {adjudicate(state).summary}")
    if (turn, phase) != (state.turn, state.phase):
        now = f"{state.name(state.player)} is at {PHASES[state.phase - 1]}"
        late = (turn, phase) < (state.turn, state.phase)
        raise Refused(f"That was tapped already: {now}." if late else f"Not yet: {now}.")
    _check_going_on(state)
    if state.scoring is not None:
        raise Refused(f"{state.base(state.scoring.base).card.name} is being scored; finish that first.")


def _check_going_on(state: State) -> None:
    verdict = adjudicate(state)
    if verdict.final:
        raise Refused(f"The game is over. {verdict.summary}")


def _check_ready(state: State, anyway: str) -> None:
    if state.ready and anyway == "no":
        names = listed([base.card.name for base in state.ready])
        raise Refused(f"{names} {'is' if len(state.ready) == 1 else 'are'} ready and must be scored first.")
