"""Knowledge Points by hand, from cards and from bonds; and the cards that the bonds pay."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Events, Name, Refused, SeatId, Whole, refuse_if
from companion.core.text import By, listed, plain, signed
from companion.games.wisdom_of_cthulhu.box import ABSENT_GOD, DARK_MASTERS, Master, find_bond
from companion.games.wisdom_of_cthulhu.state import State
from companion.games.wisdom_of_cthulhu.turn import Turn

NONE = "none"
UNNAMED = "not named"  # what a form sends when nobody cares to type a name
SOURCES = {
    "card": "card",
    "combination": "combination",
    "bond": "Dark Bond",
    "entity": "Entity",
    "god": "Great Old One",
    "other": "other reason",
}
Cause = Literal["card", "combination", "bond", "entity", "god", "other"]
Few = Annotated[By, Field(ge=-999, le=999)]
Most = Annotated[Whole, Field(ge=-999, le=9999)]
Worth = Annotated[Count, Field(ge=1, le=99)]


class PointsCounted(Event[State], tap="count", seat=SeatId, turn=Turn, by=Few):
    """The tap says which turn it was meant for, so one that waited on a phone still lands there."""

    seat: int
    turn: int
    by: int
    why: str = ""
    corrected: bool = False

    def fold(self, state: State) -> State:
        return state.scored(self.seat, self.turn, self.by)

    def log_text(self, state: State) -> str:
        words = f"turn {self.turn} corrected, " if self.corrected else ""
        words += f"{signed(self.by)} KP" + (f" ({self.why})" if self.why else "")
        return f"{words}, now {plain(state.kp(self.seat))}"


def correct(state: State, context: Context, seat: SeatId, turn: Turn, to: Most) -> Events:
    by = to - state.got(turn, seat)
    refuse_if(by == 0, "It says that already.")
    yield PointsCounted(seat, turn, by, corrected=True)


def gain(
    state: State, context: Context, seat: SeatId, turn: Turn, points: Few, source: Cause, name: Name = UNNAMED
) -> Events:
    which = "" if name == UNNAMED else f": {name}"
    yield PointsCounted(seat, turn, points, SOURCES[source] + which)


# --- Dark Bonds ---


class BondPaid(Event[State]):
    seat: int
    turn: int
    bond: str
    points: int
    masters: tuple[str, ...]

    def fold(self, state: State) -> State:
        return state.scored(self.seat, self.turn, self.points)

    def log_text(self, state: State) -> str:
        words = f"bond of {find_bond(self.bond).name}: {signed(self.points)} KP for {listed(self.masters)}"
        return f"{words}, now {plain(state.kp(self.seat))}"


def pay_bond(state: State, context: Context, seat: SeatId, turn: Turn, bond: Choice) -> Events:
    """All matching Dark Masters in one tap."""
    known = find_bond(bond)
    if idle(state, bond):
        raise Refused(f"{known.god} is not in play, and at this table its bond pays nothing then.")
    paid = [*bond_paid(state, seat, turn, bond)]
    refuse_if(not paid, f"{state.name(seat)} has no Dark Master with the bond of {known.name}.")
    yield from paid


def bond_paid(state: State, seat: int, turn: int, id: str) -> Events:
    """Nothing if there is no bond, or nobody whom it could pay."""
    points, masters = state.player(seat).paid_by(id)
    if id != NONE and not idle(state, id) and masters:
        yield BondPaid(seat, turn, id, points, masters)


def idle(state: State, id: str) -> bool:
    return not state.laid_out(id) and ABSENT_GOD.chosen(state.table) == "nothing"


def paid_for(state: State, seat: int, id: str, nobody: str = "no Dark Master of it") -> str:
    """What a bond would pay, in words."""
    points, masters = state.player(seat).paid_by(id)
    return f"+{points} KP for {listed(masters)}" if masters and not idle(state, id) else nobody


# --- the cards that bonds pay ---


class MasterTaken(Event[State], tap="hold_bond", seat=SeatId, name=Name, bond=Choice, points=Worth):
    """Tapped, it is any other card with a Dark Bond, or one whose print differs."""

    seat: int
    name: str
    bond: str
    points: int

    def fold(self, state: State) -> State:
        for other in state.seats:
            held = {each.name.casefold() for each in state.player(other).masters}
            refuse_if(self.name.casefold() in held, f"{self.name} is with {state.name(other)} already.")
        taken = Master(self.name, find_bond(self.bond).id, self.points)
        return state.with_player(self.seat, masters=(*state.player(self.seat).masters, taken))

    def log_text(self, state: State) -> str:
        return f"has {self.name} (bond of {find_bond(self.bond).name}, {self.points} KP)"


class MasterLost(Event[State], tap="lose_master", seat=SeatId, name=Choice):
    seat: int
    name: str

    says = "puts {name} away"

    def fold(self, state: State) -> State:
        held = state.player(self.seat).masters
        left = tuple(each for each in held if each.name != self.name)
        refuse_if(left == held, f"{state.name(self.seat)} has no card called {self.name[:40]}.")
        return state.with_player(self.seat, masters=left)


def take_master(state: State, context: Context, seat: SeatId, master: Choice) -> Events:
    yield master_taken(seat, master)


def master_taken(seat: int, name: str) -> MasterTaken:
    refuse_if(name not in DARK_MASTERS, "That is none of the twelve Dark Masters.")
    return MasterTaken(seat, *DARK_MASTERS[name])
