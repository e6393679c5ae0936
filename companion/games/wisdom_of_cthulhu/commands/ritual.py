"""Study, Transmutation, Sacrifice; and the one evocation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.wisdom_of_cthulhu.box import BOXES, MIXING, bond
from companion.games.wisdom_of_cthulhu.commands.points import bond_paid
from companion.games.wisdom_of_cthulhu.commands.turn import Turn
from companion.games.wisdom_of_cthulhu.events import GodEvoked, PointsCounted, RitualAdvanced, RitualSet
from companion.games.wisdom_of_cthulhu.house_rules import RITUAL_PAYS, chose
from companion.games.wisdom_of_cthulhu.state import State

Box = Annotated[Count, Field(ge=1, le=BOXES)]


def advance_ritual(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    box: Box,
    bond: Choice,
    by: Literal["requirement", "effect"] = "requirement",
) -> Iterator[Event]:
    """One box. Another bond than that of the box before costs KP; the last box pays the bond."""
    _check_now(state, turn)
    if box <= state.player(seat).ritual:
        raise Refused(f"{state.name(seat)}’s Ritual token is in box {state.player(seat).ritual} already.")
    yield RitualAdvanced(seat, turn, box, bond, mixing_cost(state, seat, bond), by == "effect")
    if box == BOXES or chose(state.table, RITUAL_PAYS, "every"):
        paid = bond_paid(state, seat, turn, bond)
        if paid:
            yield paid


def mixing_cost(state: State, seat: int, id: str) -> int:
    rites = state.player(seat).rites
    mixes = bool(rites) and rites[-1].bond not in ("", bond(id).id)
    return MIXING if mixes else 0


def evoke(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    bond: Choice,
    points: Annotated[Count, Field(le=999)] = 0,
) -> Iterator[Event]:
    """Points are those of the Evocation Power, which players read from their card."""
    _check_now(state, turn)
    yield GodEvoked(seat, turn, bond)
    if points:
        yield PointsCounted(seat, turn, points, "Evocation Power")


def _check_now(state: State, turn: int) -> None:
    if turn != state.turn or state.phase in ("setup", "over"):
        raise Refused("Rituals go on while a turn is played; this is not that turn.")


def set_ritual(
    state: State, context: Context, seat: SeatId, to: Annotated[Count, Field(le=BOXES)]
) -> Iterator[Event]:
    if to == state.player(seat).ritual:
        raise Refused("It is there already.")
    yield RitualSet(seat, to)


COMMANDS = (advance_ritual, evoke, set_ritual)
