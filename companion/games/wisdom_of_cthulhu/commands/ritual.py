"""Study, Transmutation, Sacrifice; and the one evocation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.wisdom_of_cthulhu.box import BOXES, DARK_MASTERS, MET_IN, MIXING, Master, bond
from companion.games.wisdom_of_cthulhu.commands.points import bond_paid
from companion.games.wisdom_of_cthulhu.commands.turn import Turn
from companion.games.wisdom_of_cthulhu.events import GodEvoked, PointsCounted, RitualAdvanced, RitualSet
from companion.games.wisdom_of_cthulhu.house_rules import RITUAL_PAYS
from companion.games.wisdom_of_cthulhu.marks import check_box
from companion.games.wisdom_of_cthulhu.state import State

Box = Annotated[Count, Field(ge=1, le=BOXES)]


def advance_ritual(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    box: Box,
    bond: Choice,
    by: Literal["requirement", "late", "effect"] = "requirement",
) -> Iterator[Event]:
    """One box, with an object of this bond or with a Dark Master by name, who then pays nobody.

    Another bond than that of the box before costs KP; the last box pays the bond.
    """
    _check_now(state, turn)
    if box <= state.player(seat).ritual:
        raise Refused(f"{state.name(seat)}’s Ritual token is in box {state.player(seat).ritual} already.")
    check_box(state, seat, box)
    kind, master = _object(state, seat, bond)
    if by == "requirement" and not in_time(state, box):
        raise Refused(f"{_why_later(state, seat, box)} Tapped late, or granted by a card? Then say so.")
    met = turn_of_late(turn, box) if by == "late" else 0
    yield RitualAdvanced(seat, turn, box, kind, mixing_cost(state, seat, kind), by == "effect", met, master)
    paid = bond_paid(state, seat, turn, kind) if pays(state, box) and not master else None
    if paid:
        yield paid


def in_time(state: State, box: int) -> bool:
    return state.phase in MET_IN[box - 1]


def pays(state: State, box: int) -> bool:
    return box == BOXES or RITUAL_PAYS.chosen(state.table) == "every"


def turn_of_late(turn: int, box: int) -> int:
    """A Study that is tapped late was met as this turn began, the other two in the turn before."""
    if box > 1 and turn == 1:
        raise Refused("There was no turn before this one.")
    return turn if box == 1 else turn - 1


def _why_later(state: State, seat: int, box: int) -> str:
    name = state.name(seat)
    return (
        f"Study looks at what {name} has when a turn begins, so it is met in the Preparation.",
        f"Transmutation looks at what {name} gets during a turn, so it is met in the Research or after it.",
        f"{name} makes the Sacrifice at the end of a turn, in the End of Search.",
    )[box - 1]


def _object(state: State, seat: int, chosen: str) -> tuple[str, str]:
    """The bond of the Ritual Object, and its name if it is one of this player's Dark Masters."""
    for each in own_masters(state, seat):
        if each.name == chosen:
            return each.bond, each.name
    return bond(chosen).id, ""


def own_masters(state: State, seat: int) -> tuple[Master, ...]:
    known = {each.name for each in DARK_MASTERS}
    return tuple(each for each in state.player(seat).masters if each.name in known)


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
