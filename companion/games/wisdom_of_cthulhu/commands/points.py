"""Knowledge Points from cards, bonds and combinations, and the cards that the bonds pay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.games.wisdom_of_cthulhu.box import BONDS, DARK_MASTERS, bond
from companion.games.wisdom_of_cthulhu.commands.turn import Turn
from companion.games.wisdom_of_cthulhu.events import BondPaid, MasterLost, MasterTaken, PointsCounted
from companion.games.wisdom_of_cthulhu.house_rules import ABSENT_GOD
from companion.games.wisdom_of_cthulhu.state import State

UNNAMED = "not named"  # what a form sends when nobody cares to type a name
SOURCES = {
    "card": "card",
    "combination": "combination",
    "bond": "Dark Bond",
    "entity": "Entity",
    "god": "Great Old One",
    "other": "other reason",
}
Source = Literal["card", "combination", "bond", "entity", "god", "other"]
Few = Annotated[Whole, Field(ge=-999, le=999)]
Worth = Annotated[Count, Field(ge=1, le=99)]


def count(state: State, context: Context, seat: SeatId, turn: Turn, by: Few) -> Iterator[Event]:
    """By hand. The tap says which turn it was meant for, so one that waited on a phone still lands there."""
    state.check_turn(turn)
    if by == 0:
        raise Refused("Nothing to add.")
    yield PointsCounted(seat, turn, by)


def correct(
    state: State, context: Context, seat: SeatId, turn: Turn, to: Annotated[Whole, Field(ge=-999, le=9999)]
) -> Iterator[Event]:
    state.check_turn(turn)
    by = to - state.got(turn, seat)
    if by == 0:
        raise Refused("It says that already.")
    yield PointsCounted(seat, turn, by, corrected=True)


def gain(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    points: Few,
    source: Source,
    name: Name = UNNAMED,
) -> Iterator[Event]:
    state.check_turn(turn)
    if points == 0:
        raise Refused("How many Knowledge Points? 0 changes nothing.")
    yield PointsCounted(seat, turn, points, reason(SOURCES[source], name))


def reason(source: str, name: str) -> str:
    return source if name == UNNAMED else f"{source}: {name}"


def pay_bond(state: State, context: Context, seat: SeatId, turn: Turn, bond: Choice) -> Iterator[Event]:
    """All matching Dark Masters in one tap."""
    state.check_turn(turn)
    paid = bond_paid(state, seat, turn, bond)
    if paid is None:
        raise Refused(_idle(state, seat, bond))
    yield paid


def bond_paid(state: State, seat: int, turn: int, id: str) -> BondPaid | None:
    masters = state.player(seat).paid_by(bond(id).id)
    if not masters or idle(state, id):
        return None
    points = sum(each.points for each in masters)
    return BondPaid(seat, turn, id, points, tuple(each.name for each in masters))


def idle(state: State, id: str) -> bool:
    return not state.laid_out(id) and ABSENT_GOD.chosen(state.table) == "nothing"


def idle_bonds(state: State) -> tuple[str, ...]:
    if ABSENT_GOD.chosen(state.table) != "nothing":
        return ()
    return tuple(each.id for each in BONDS if not state.laid_out(each.id))


def _idle(state: State, seat: int, id: str) -> str:
    known = bond(id)
    if idle(state, id):
        return f"{known.god} is not in play, and at this table its bond pays nothing then."
    return f"{state.name(seat)} has no Dark Master with the bond of {known.name}."


def take_master(state: State, context: Context, seat: SeatId, master: Choice) -> Iterator[Event]:
    yield master_taken(seat, master)


def master_taken(seat: int, name: str) -> MasterTaken:
    for each in DARK_MASTERS:
        if each.name == name:
            return MasterTaken(seat, each.name, each.bond, each.points)
    raise Refused("That is none of the twelve Dark Masters.")


def hold_bond(
    state: State, context: Context, seat: SeatId, name: Name, bond: Choice, points: Worth
) -> Iterator[Event]:
    """Any other card with a Dark Bond, or one whose print differs."""
    yield MasterTaken(seat, name, bond, points)


def lose_master(state: State, context: Context, seat: SeatId, name: Choice) -> Iterator[Event]:
    yield MasterLost(seat, name)


COMMANDS = (count, correct, gain, pay_bond, take_master, hold_bond, lose_master)
