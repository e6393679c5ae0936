"""At least one Challenge was met: what the tile gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from companion.core import Context, Count, Event, Refused, SeatId
from companion.games.mountains_of_madness import consequences
from companion.games.mountains_of_madness.events import (
    InjuriesMoved,
    RelicPlanned,
    RewardTaken,
    TokensMoved,
)
from companion.games.mountains_of_madness.reveal import rewarding
from companion.games.mountains_of_madness.state import MOST_ARCANE, RELICS, SAND, SPACES, State
from companion.games.mountains_of_madness.tokens import playing
from companion.tools.timer import TimerStarted

RelicKind = Literal["specimen", "ruin", "knowledge"]
Space = Literal["movement", "encounter", "resolution", "draw"]


def _check(state: State, turn: int) -> None:
    playing(state, turn, "resolution")
    if rewarding(state):
        return
    now = state.now
    if now.met is None:
        raise Refused("First judge both Challenges.")
    if now.reward:
        raise Refused("The reward is taken already.")
    raise Refused("No Challenge was met." if not any(now.met) else "A space without a tile gives no reward.")


def plan_relic(
    state: State,
    context: Context,
    turn: Count,
    kind: RelicKind | Literal[""] = "",
    whom: SeatId = 0,
    space: Space | Literal[""] = "",
) -> Iterator[Event]:
    """What it would be, for whom, and which space its token would cover: all phones see what follows."""
    _check(state, turn)
    if state.relic_count == RELICS:
        raise Refused("All 11 Relics are found.")
    find = state.now.find
    if kind and kind != find.kind:
        yield RelicPlanned(turn, "kind", kind)
    if whom and whom != find.seat:
        if not consequences.may_take_relic(state, state.table.seat(whom).id):
            raise Refused(f"{state.name(whom)} has Madness of level 3 and cannot be chosen.")
        yield RelicPlanned(turn, "seat", str(whom))
    if space and space != find.space:
        if not find.seat:
            raise Refused("First choose who takes the Relic.")
        if space in state.covered.get(find.seat, ()):
            raise Refused(f"“{SPACES[space]}” is covered on that board already.")
        yield RelicPlanned(turn, "space", space)


def take_relic(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """The card, its token and the Madness it brings, as it was shown."""
    _check(state, turn)
    find = state.now.find
    chain = consequences.relic(state, find)
    if not chain:
        raise Refused("Choose which Relic, who takes it, and the space that its token covers.")
    if not consequences.may_take_relic(state, find.seat):
        raise Refused(f"{state.name(find.seat)} has Madness of level 3 and cannot be chosen.")
    yield RewardTaken(turn, "relic")
    for link in chain:
        if link.event:
            yield link.event


def search(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    yield RewardTaken(turn, "search")
    yield TimerStarted("down", SAND, context.now)


def take_arcane(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    if state.arcane == MOST_ARCANE:
        raise Refused("There is no Arcane Equipment left: no box holds more than 11.")
    yield RewardTaken(turn, "arcane")


def nothing_to_heal(state: State) -> str:
    """What was played this turn lies on the sled until the phase ends."""
    if state.now.injured:
        return "No Injury lies in the Equipment discard; those on the sled come there when this phase ends."
    return "No Injury lies in the Equipment discard."


def heal(state: State, context: Context, turn: Count) -> Iterator[Event]:
    _check(state, turn)
    if not state.injuries.discard:
        raise Refused(f"{nothing_to_heal(state)} So there is nothing to heal.")
    yield RewardTaken(turn, "heal")
    yield InjuriesMoved("discard", "supply")


def praise(state: State, context: Context, turn: Count, count: Count = 2) -> Iterator[Event]:
    _check(state, turn)
    if not 1 <= count <= 2:
        raise Refused("Praise brings back one token or two.")
    if count > state.tokens.discard:
        raise Refused(f"The discard holds {state.tokens.discard} tokens.")
    yield RewardTaken(turn, "praise")
    yield TokensMoved("discard", "sled", count)


def no_reward(state: State, context: Context, turn: Count) -> Iterator[Event]:
    """A reward that cannot be used is let go."""
    _check(state, turn)
    yield RewardTaken(turn, "none")


COMMANDS = (plan_relic, take_relic, search, take_arcane, heal, praise, no_reward)
