"""Study, Transmutation, Sacrifice; and the one evocation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.wisdom_of_cthulhu.box import (
    BOXES,
    DARK_MASTERS,
    MET_IN,
    MIXING,
    REQUIREMENTS,
    Master,
    find_bond,
)
from companion.games.wisdom_of_cthulhu.house_rules import BELOW_ZERO, RITUAL_PAYS, SACRIFICE_WHEN
from companion.games.wisdom_of_cthulhu.points import PointsCounted, bond_paid
from companion.games.wisdom_of_cthulhu.state import Evoked, Rite, State
from companion.games.wisdom_of_cthulhu.turn import Turn

Box = Annotated[Count, Field(ge=1, le=BOXES)]
Boxes = Annotated[Count, Field(le=BOXES)]
Gain = Annotated[Count, Field(le=999)]
Why = Literal["requirement", "late", "effect"]
WHY_LATER = (
    "Study looks at what {name} has when a turn begins, so it is met in the Preparation.",
    "Transmutation looks at what {name} gets during a turn, so it is met in the Research or after it.",
    "{name} makes the Sacrifice at the end of a turn, in the End of Search.",
)


class RitualAdvanced(Event[State]):
    seat: int
    turn: int
    box: int
    bond: str
    cost: int = 0  # KP for mixing bonds
    by_effect: bool = False
    met: int = 0  # the turn in which it was met, where that is tapped late
    master: str = ""  # the Dark Master that was the object, and so pays nobody

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        _check_box(state, self.seat, self.box)
        met, before = self.met or self.turn, state.player(self.seat).rites
        if self.box == BOXES and not self.by_effect:
            _check_sacrifice(state, self.seat, before[-1].turn, met)
        if self.cost:
            state = self._mixed(state)
        return state.with_player(self.seat, rites=(*before, Rite(find_bond(self.bond).id, met)))

    def _mixed(self, state: State) -> State:
        has = state.kp(self.seat)
        if has < self.cost and BELOW_ZERO.chosen(state.table) != "yes":
            raise Refused(f"Mixing bonds costs {self.cost} KP, and {state.name(self.seat)} has {has}.")
        return state.with_points(self.turn, self.seat, -self.cost)

    def log_text(self, state: State) -> str:
        what = "a card’s effect" if self.by_effect else REQUIREMENTS[self.box - 1]
        words = f"Ritual box {self.box}: {what}"
        if self.met:
            words += f" (met {f'when turn {self.met} began' if self.box == 1 else f'in turn {self.met}'})"
        words += f" with {self.master}, a Dark Master" if self.master else ""
        words += f", bond of {find_bond(self.bond).name}"
        return words + (f", −{self.cost} KP for mixing bonds" if self.cost else "")


def _check_box(state: State, seat: int, box: int) -> None:
    now, name = state.player(seat).ritual, state.name(seat)
    if now == BOXES:
        raise Refused(f"{name}’s Ritual token is in the last box already.")
    if box != now + 1:
        raise Refused(f"{REQUIREMENTS[now]} is next for {name}: the three come strictly in order.")


def _check_sacrifice(state: State, seat: int, before: int, turn: int) -> None:
    if before >= turn and SACRIFICE_WHEN.chosen(state.table) != "same":
        met = f"{state.name(seat)} met the Transmutation in turn {before}"
        raise Refused(f"{met}; the Sacrifice comes at the end of the next.")


def advance_ritual(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    box: Box,
    bond: Choice,
    by: Why = "requirement",
) -> Iterator[Event]:
    """One box, with an object of this bond or with a Dark Master by name, who then pays nobody.

    Another bond than that of the box before costs KP; the last box pays the bond.
    """
    _check_now(state, turn)
    if box <= state.player(seat).ritual:
        raise Refused(f"{state.name(seat)}’s Ritual token is in box {state.player(seat).ritual} already.")
    _check_box(state, seat, box)
    kind, master = _object(state, seat, bond)
    if by == "requirement" and not in_time(state, box):
        why = WHY_LATER[box - 1].format(name=state.name(seat))
        raise Refused(f"{why} Tapped late, or granted by a card? Then say so.")
    met = _turn_of_late(turn, box) if by == "late" else 0
    yield RitualAdvanced(seat, turn, box, kind, mixing_cost(state, seat, kind), by == "effect", met, master)
    if pays(state, box) and not master:
        yield from bond_paid(state, seat, turn, kind)


def in_time(state: State, box: int) -> bool:
    return state.phase in MET_IN[box - 1]


def pays(state: State, box: int) -> bool:
    return box == BOXES or RITUAL_PAYS.chosen(state.table) == "every"


def _turn_of_late(turn: int, box: int) -> int:
    """A Study that is tapped late was met as this turn began, the other two in the turn before."""
    if box > 1 and turn == 1:
        raise Refused("There was no turn before this one.")
    return turn if box == 1 else turn - 1


def _object(state: State, seat: int, chosen: str) -> tuple[str, str]:
    """The bond of the Ritual Object, and its name if it is one of this player's Dark Masters."""
    for each in own_masters(state, seat):
        if each.name == chosen:
            return each.bond, each.name
    return find_bond(chosen).id, ""


def own_masters(state: State, seat: int) -> tuple[Master, ...]:
    known = {each.name for each in DARK_MASTERS}
    return tuple(each for each in state.player(seat).masters if each.name in known)


def mixing_cost(state: State, seat: int, id: str) -> int:
    rites = state.player(seat).rites
    mixes = bool(rites) and rites[-1].bond not in ("", find_bond(id).id)
    return MIXING if mixes else 0


class RitualSet(Event[State]):
    seat: int
    to: int

    def fold(self, state: State) -> State:
        if not 0 <= self.to <= BOXES:
            raise Refused("The Ritual track has a start and three boxes.")
        known = state.player(self.seat).rites[: self.to]
        return state.with_player(self.seat, rites=(*known, *[Rite("", 0)] * (self.to - len(known))))

    def log_text(self, state: State) -> str:
        return f"Ritual token set to {f'box {self.to}' if self.to else 'the start'}"


def set_ritual(state: State, context: Context, seat: SeatId, to: Boxes) -> Iterator[Event]:
    if to == state.player(seat).ritual:
        raise Refused("It is there already.")
    yield RitualSet(seat, to)


class GodEvoked(Event[State]):
    seat: int
    turn: int
    bond: str

    def fold(self, state: State) -> State:
        known, mine, name = find_bond(self.bond), state.player(self.seat), state.name(self.seat)
        if state.evoked:
            god = find_bond(state.evoked.bond).god
            raise Refused(f"There is one evocation in a game, and {god} has been evoked.")
        if mine.ritual < BOXES:
            at = f"the Ritual token is at {mine.ritual} of {BOXES}"
            raise Refused(f"{name} needs all three requirements; {at}.")
        if (last := mine.rites[-1].bond) and known.id != last:
            its = find_bond(last)
            raise Refused(f"The last object has the bond of {its.name}, so only {its.god} can come.")
        if not state.in_play(known.id):
            raise Refused(f"{known.god} is not in play at this table.")
        return replace(state, evoked=Evoked(self.seat, known.id, self.turn))

    def log_text(self, state: State) -> str:
        return f"{self.remembered(state)}; the other Great Old Ones leave the game"

    def remembered(self, state: State) -> str:
        return f"evokes {find_bond(self.bond).god}"


def evoke(
    state: State, context: Context, seat: SeatId, turn: Turn, bond: Choice, points: Gain = 0
) -> Iterator[Event]:
    """Points are those of the Evocation Power, which players read from their card."""
    _check_now(state, turn)
    yield GodEvoked(seat, turn, bond)
    if points:
        yield PointsCounted(seat, turn, points, "Evocation Power")


def _check_now(state: State, turn: int) -> None:
    if turn != state.turn or state.phase in ("setup", "over"):
        raise Refused("Rituals go on while a turn is played; this is not that turn.")
