"""Knowledge Points by hand, from cards and from bonds; and the cards that the bonds pay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.core.text import listed, plain, signed
from companion.games.wisdom_of_cthulhu.box import DARK_MASTERS, Master, find_bond
from companion.games.wisdom_of_cthulhu.house_rules import ABSENT_GOD, BELOW_ZERO
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
Source = Literal["card", "combination", "bond", "entity", "god", "other"]
Few = Annotated[Whole, Field(ge=-999, le=999)]
Most = Annotated[Whole, Field(ge=-999, le=9999)]
Worth = Annotated[Count, Field(ge=1, le=99)]


def scored(state: State, seat: int, turn: int, by: int) -> State:
    state.check_turn(turn)
    state.table.seat(seat)
    if by < 0 and state.kp(seat) + by < 0 and BELOW_ZERO.chosen(state.table) != "yes":
        has = f"{state.name(seat)} has {plain(state.kp(seat))} KP"
        raise Refused(f"{has} and cannot pay {-by}: nobody goes below 0.")
    return state.with_points(turn, seat, by)


class PointsCounted(Event[State]):
    seat: int
    turn: int
    by: int
    why: str = ""
    corrected: bool = False

    def fold(self, state: State) -> State:
        return scored(state, self.seat, self.turn, self.by)

    def log_text(self, state: State) -> str:
        words = f"turn {self.turn} corrected, " if self.corrected else ""
        words += f"{signed(self.by)} KP" + (f" ({self.why})" if self.why else "")
        return f"{words}, now {plain(state.kp(self.seat))}"


def count(state: State, context: Context, seat: SeatId, turn: Turn, by: Few) -> Iterator[Event]:
    """By hand. The tap says which turn it was meant for, so one that waited on a phone still lands there."""
    state.check_turn(turn)
    if by == 0:
        raise Refused("Nothing to add.")
    yield PointsCounted(seat, turn, by)


def correct(state: State, context: Context, seat: SeatId, turn: Turn, to: Most) -> Iterator[Event]:
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
        return scored(state, self.seat, self.turn, self.points)

    def log_text(self, state: State) -> str:
        words = f"bond of {find_bond(self.bond).name}: {signed(self.points)} KP for {listed(self.masters)}"
        return f"{words}, now {plain(state.kp(self.seat))}"


def pay_bond(state: State, context: Context, seat: SeatId, turn: Turn, bond: Choice) -> Iterator[Event]:
    """All matching Dark Masters in one tap."""
    state.check_turn(turn)
    known = find_bond(bond)
    if idle(state, bond):
        raise Refused(f"{known.god} is not in play, and at this table its bond pays nothing then.")
    if not state.player(seat).paid_by(bond):
        raise Refused(f"{state.name(seat)} has no Dark Master with the bond of {known.name}.")
    yield from bond_paid(state, seat, turn, bond)


def bond_paid(state: State, seat: int, turn: int, id: str) -> Iterator[BondPaid]:
    """Nothing if there is no bond, or nobody whom it could pay."""
    masters = state.player(seat).paid_by(find_bond(id).id) if id != NONE else ()
    if masters and not idle(state, id):
        points = sum(each.points for each in masters)
        yield BondPaid(seat, turn, id, points, tuple(each.name for each in masters))


def idle(state: State, id: str) -> bool:
    return not state.laid_out(id) and ABSENT_GOD.chosen(state.table) == "nothing"


def paid_for(state: State, seat: int, id: str, nobody: str = "no Dark Master of yours") -> str:
    """What a bond would pay, in words."""
    masters = state.player(seat).paid_by(id)
    if not masters or idle(state, id):
        return nobody
    return f"+{sum(each.points for each in masters)} KP for {listed([each.name for each in masters])}"


# --- the cards that bonds pay ---


class MasterTaken(Event[State]):
    seat: int
    name: str
    bond: str
    points: int

    def fold(self, state: State) -> State:
        for other in state.seats:
            if any(each.name.casefold() == self.name.casefold() for each in state.player(other).masters):
                raise Refused(f"{self.name} is with {state.name(other)} already.")
        taken = Master(self.name, find_bond(self.bond).id, self.points)
        return state.with_player(self.seat, masters=(*state.player(self.seat).masters, taken))

    def log_text(self, state: State) -> str:
        return f"has {self.name} (bond of {find_bond(self.bond).name}, {self.points} KP)"


class MasterLost(Event[State]):
    seat: int
    name: str

    def fold(self, state: State) -> State:
        held = state.player(self.seat).masters
        left = tuple(each for each in held if each.name != self.name)
        if left == held:
            raise Refused(f"{state.name(self.seat)} has no card called {self.name[:40]}.")
        return state.with_player(self.seat, masters=left)

    def log_text(self, state: State) -> str:
        return f"puts {self.name} away"


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
