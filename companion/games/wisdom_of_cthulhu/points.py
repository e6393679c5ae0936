"""Knowledge Points by hand, from bonds, and from the Influence of the one that was evoked."""

from typing import Annotated, Literal

from companion.core import Context, Events, SeatEvent, nothing_if, refuse_if
from companion.core.text import Bounds, By, Choice, Count, Name, SeatId, Whole, listed
from companion.games.wisdom_of_cthulhu.box import ABSENT_GOD, SAID, find_bond
from companion.games.wisdom_of_cthulhu.state import State
from companion.games.wisdom_of_cthulhu.turn import Turn

NONE = "none"  # what a form sends for no bond, no place and no card
UNNAMED = "not named"  # and when nobody cares to type a name
SOURCES, CAME_FROM = SAID["sources"], SAID["reasons"]
Maybe = Annotated[Choice, nothing_if(NONE)]
Named = Annotated[Name, nothing_if(UNNAMED)]
Cause = Literal["card", "combination", "bond", "entity", "god", "other"]
KP = Annotated[Count, Bounds(le=99)]  # or things that bring them
Few = Annotated[By, Bounds(ge=-999, le=999)]
Most = Annotated[Whole, Bounds(ge=-999, le=9999)]


class PointsCounted(SeatEvent[State], tap="count", seat=SeatId, turn=Turn, by=Few):
    """The tap says which turn it was meant for, so one that waited on a phone still lands there."""

    turn: int
    by: int
    why: str = ""
    corrected: bool = False

    def fold(self, state: State) -> State:
        came = next((word for start, word in CAME_FROM.items() if self.why.startswith(start)), "by hand")
        return state.scored(self.seat, self.turn, self.by, came)


def correct(state: State, context: Context, seat: SeatId, turn: Turn, to: Most) -> Events:
    by = to - state.got(turn, seat)
    refuse_if(by == 0, "It says that already.")
    yield PointsCounted(seat, turn, by, corrected=True)


def gain(
    state: State, context: Context, seat: SeatId, turn: Turn, points: Few, source: Cause, name: Named = ""
) -> Events:
    yield PointsCounted(seat, turn, points, SOURCES[source] + (f": {name}" if name else ""))


class BondPaid(SeatEvent[State]):
    turn: int
    bond: str
    points: int
    masters: tuple[str, ...]

    def fold(self, state: State) -> State:
        return state.scored(self.seat, self.turn, self.points, "bonds")


def pay_bond(state: State, context: Context, seat: SeatId, turn: Turn, bond: Choice) -> Events:
    """All matching Dark Masters in one tap."""
    known = find_bond(bond)
    refuse_if(idle(state, bond), f"{known.god} is not in play, and at this table its bond pays nothing then.")
    paid = [*bond_paid(state, seat, turn, bond)]
    refuse_if(not paid, f"{state.name(seat)} has no Dark Master with the bond of {known.name}.")
    yield from paid


def idle(state: State, id: str) -> bool:
    return not state.laid_out(id) and ABSENT_GOD.chosen(state.table) == "nothing"


def paying(state: State, seat: int, id: str) -> tuple[int, tuple[str, ...]]:
    """What a bond pays a player now, and for which cards; nothing if there is no bond."""
    return state.player(seat).paid_by(id) if id and not idle(state, id) else (0, ())


def bond_paid(state: State, seat: int, turn: int, id: str) -> Events:
    points, masters = paying(state, seat, id)
    if masters:
        yield BondPaid(seat, turn, id, points, masters)


def paid_for(state: State, seat: int, id: str, nobody: str = "no Dark Master of it") -> str:
    """What a bond would pay, in words."""
    points, masters = paying(state, seat, id)
    return f"+{points} KP for {listed(masters)}" if masters else nobody


def influence(state: State, what: str, bond: str) -> int:
    """What using an Entity, a place's power or a Seeker's step pays everyone from then on."""
    god = state.came
    return 0 if god.influence != what else god.own if bond == god.id else god.other


def influenced(state: State, what: str, bond: str) -> Events:
    if by := influence(state, what, bond):
        yield PointsCounted(state.actor, state.turn, by, f"Influence of {state.came.god}")
