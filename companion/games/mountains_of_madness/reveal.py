"""The Resolution phase: what is met, what is missed by how much, and what is still to be done."""

from __future__ import annotations

from companion.core import Refused
from companion.games.mountains_of_madness.state import Penalty, State


def result(state: State, which: int) -> bool | None:
    """Met or missed, as far as it is known: what the table said, else what was counted."""
    said, challenge = state.now.by_hand[which], state.now.challenges[which]
    if said is not None or challenge is None:
        return said
    return challenge.met(state.now.totals.get(challenge.kind, 0))


def gap(state: State, which: int) -> int | None:
    challenge = state.now.challenges[which]
    if result(state, which) or challenge is None:
        return 0 if result(state, which) else None
    return challenge.gap(state.now.totals.get(challenge.kind, 0)) or None


def unfinished(state: State) -> str:
    """What the Resolution phase still waits for; empty if it can end."""
    now = state.now
    if now.met is None:
        return "First judge both Challenges."
    if now.penalties:
        return "First the penalty die."
    for which in now.missed:
        if which not in now.settled:
            return f"Challenge {which + 1} was missed; choose what it costs."
    if rewarding(state):
        return "A Challenge was met; take the reward."
    return ""


def rewarding(state: State) -> bool:
    """Whether a reward is still to be taken. A space without a tile has none."""
    now = state.now
    return now.met is not None and any(now.met) and now.tile and not now.reward


def owed(state: State, number: int) -> Penalty:
    for each in state.now.penalties:
        if each.number == number:
            return each
    raise Refused("That penalty is paid already.")
