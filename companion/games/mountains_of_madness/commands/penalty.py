"""The penalty die: rolled here or at the table, shown with all that follows, and applied in one tap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Event, Refused
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.events import (
    GapTold,
    PenaltyPaid,
    PenaltyRolled,
    TokensMoved,
)
from companion.games.mountains_of_madness.house_rules import SPOKEN_CONFUSION, chose
from companion.games.mountains_of_madness.reveal import owed
from companion.games.mountains_of_madness.state import FACES, PENALTY_DIE, SPOKEN, Penalty, State
from companion.games.mountains_of_madness.tokens import check_token, playing
from companion.tools.dice import Cup, roll, throw

Face = Literal["", "accident", "confusion", "confidence"]
CUP = Cup((PENALTY_DIE,), 0, "the penalty die")
Gap = Annotated[Count, Field(ge=1, le=300)]


def rolls_again(state: State, due: Penalty) -> bool:
    """Confusion before the reveal, where the table chose to roll on."""
    spoken = due.source == SPOKEN and due.face == "confusion"
    return spoken and chose(state.table, SPOKEN_CONFUSION) == "again"


def roll_penalty(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Iterator[Event]:
    """With a face: the real die fell so."""
    playing(state, turn, "encounter", "resolution")
    due = owed(state, penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen already: {FACES[due.face]}.")
    if due.face and not rolls_again(state, due):
        raise Refused(f"The die shows {FACES[due.face]}; another roll costs a token.")
    yield from _fall(context, turn, penalty, face)


def reroll(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Iterator[Event]:
    if state.stage == "encounter":
        raise Refused("A token re-rolls the die only in the Resolution phase.")
    playing(state, turn, "resolution")
    due = owed(state, penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen again already: {FACES[due.face]}.")
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if due.source < 0:
        raise Refused("This Confusion was rolled in the Encounter phase; no token re-rolls it now.")
    check_token(state, "resolution")
    yield TokensMoved("sled", "discard")
    yield from _fall(context, turn, penalty, face)


def _fall(context: Context, turn: int, penalty: int, face: Face) -> Iterator[Event]:
    if face:
        at = next(n for n, each in enumerate(PENALTY_DIE.faces, 1) if each.name == FACES[face])
        yield throw(CUP, [at], context.phone, real=True, quiet=True)
        yield PenaltyRolled(turn, penalty, face, "at the table")
        return
    fallen = roll(context, CUP, quiet=True)
    yield fallen
    shown = next(id for id, name in FACES.items() if name == fallen.results[0].name)
    yield PenaltyRolled(turn, penalty, shown, "here")


def tell_gap(state: State, context: Context, turn: Count, which: Count, gap: Gap) -> Iterator[Event]:
    """For a Challenge that was judged by hand: Confusion needs to know by how much it was missed."""
    playing(state, turn, "resolution")
    if which not in state.now.missed:
        raise Refused("That Challenge was not missed.")
    if state.now.gaps[which] is not None:
        raise Refused(f"It was missed by {state.now.gaps[which]}.")
    yield GapTold(turn, which, gap)


def pay_penalty(
    state: State, context: Context, turn: Count, penalty: Count, injuries: Count = 0
) -> Iterator[Event]:
    """The whole chain, as it was shown. `injuries`: seen among the cards that Confusion discards."""
    playing(state, turn, "encounter", "resolution")
    due = owed(state, penalty)
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if rolls_again(state, due):
        raise Refused("There is no gap to count yet: roll again.")
    gap = consequences.gap_of(state, due)
    if due.face == "confusion" and due.source != SPOKEN and gap is None:
        raise Refused("First say how far the total was from the Challenge.")
    if injuries and (due.face != "confusion" or injuries > min(gap or 0, state.injuries.deck)):
        raise Refused("So many Injuries cannot be among those cards.")
    later = due.source == SPOKEN and due.face == "confusion"
    later = later and chose(state.table, SPOKEN_CONFUSION) == "later"
    yield PenaltyPaid(turn, penalty, due.face, later)
    for link in consequences.penalty(state, due, injuries):
        if link.event:
            yield link.event


COMMANDS = (roll_penalty, reroll, tell_gap, pay_penalty)
