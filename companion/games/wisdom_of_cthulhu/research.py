"""The eight actions. One each, in order; the cost is taken and the gain is given in the same tap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId
from companion.core.text import counted, plain, signed
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.markers import SeekerMoved, SignMoved, check_place
from companion.games.wisdom_of_cthulhu.points import NONE, UNNAMED, bond_paid, master_taken, scored
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn, expect

ANYWHERE = "any"  # a free place that the phones need not know
OF_THE_PLACE = "place"  # whichever bond is noted there
ANOTHER = "another"  # an Entity that the phones do not know, or need not
After = Annotated[Count, Field(le=999)]
Gain = Annotated[Count, Field(le=99)]
Cost = Literal["obsession", "free"]


class ActionTaken(Event[State]):
    seat: int
    turn: int
    action: str
    cost: str = ""  # path, obsession, or nothing
    points: int = 0
    why: str = ""
    at: str = ""  # the Arcane Place that was explored, where the table said

    def fold(self, state: State) -> State:
        expect(state, "research", self.turn)
        box.find_action(self.action)
        check_place(state, self.seat, self.at)
        state = self._paid(state)
        state = state.with_player(self.seat, actions=state.player(self.seat).actions + 1)
        return scored(state, self.seat, self.turn, self.points) if self.points else state

    def _paid(self, state: State) -> State:
        seat, mine, name = self.seat, state.player(self.seat), state.name(self.seat)
        if self.cost == "path":
            if not mine.hand:
                raise Refused(f"{name} has no Path left to spend.")
            return state.with_player(seat, hand=mine.hand - 1, spent=mine.spent + 1)
        if self.cost != "obsession":
            return state
        if self.action == "knowledge":
            _check_fallback(state, seat)
            state = state.with_player(seat, fallback=True)
        if mine.temporary:  # the temporary ones first: those come back, and the others stay where they lie
            return state.with_player(seat, temporary=mine.temporary - 1, spent=mine.spent + 1)
        if mine.obsessions:
            return state.with_player(seat, used=mine.used + 1)
        raise Refused(f"{name} has no Obsession left to spend.")

    def log_text(self, state: State) -> str:
        known = box.find_action(self.action)
        words = f"action {known.number}: {known.label[0].lower()}{known.label[1:]}"
        words += f" ({self.why})" if self.why else ""
        words += f" at {state.where(self.at)}" if self.at else ""
        if self.cost and not self.action.startswith("cash"):
            words += ", for a Path" if self.cost == "path" else ", for an Obsession"
        if self.points:
            words += f", {signed(self.points)} KP, now {plain(state.kp(self.seat))}"
        return words + ("; nobody can act any more: End of Search" if state.phase == "end" else "")


def _check_fallback(state: State, seat: int) -> None:
    mine, name = state.player(seat), state.name(seat)
    if mine.hand:
        paths = counted(mine.hand, "Path")
        raise Refused(f"{name} still has {paths}; an Obsession buys only when none is left.")
    if mine.fallback:
        raise Refused(f"{name} bought with an Obsession already; no more Knowledge cards this turn.")


def buy_knowledge(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    after: After,
    card: Choice,
    points: Gain = 0,
    at: Choice = ANYWHERE,
) -> Iterator[Event]:
    """A family, or one of the twelve Dark Masters by name, who then lies before the buyer."""
    _check_actor(state, seat, turn, after)
    cost, where = "path" if state.player(seat).hand else "obsession", _explored(state, seat, at)
    taken = () if card in box.FAMILIES else (master_taken(seat, card),)
    yield ActionTaken(seat, turn, "knowledge", cost, points, box.FAMILIES.get(card, card), where)
    yield from taken
    yield from _seeker_home(state, seat, at)


def buy_entity(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    after: After,
    entity: Choice = ANOTHER,
    points: Gain = 0,
    at: Choice = ANYWHERE,
) -> Iterator[Event]:
    """An Immediate one is used as it is bought, and that pays its bond in the same tap."""
    _check_actor(state, seat, turn, after)
    name, pays = _entity(entity)
    yield ActionTaken(seat, turn, "entity", "obsession", points, name, _explored(state, seat, at))
    yield from bond_paid(state, seat, turn, pays)
    yield from _seeker_home(state, seat, at)


def _entity(choice: str) -> tuple[str, str]:
    """Its name, and the bond that its power pays now."""
    kind, _, pays = choice.partition("-")
    if kind == ANOTHER:
        return "", box.find_bond(pays).id if pays else NONE
    for each in box.ENTITIES:
        if each.name == choice:
            return each.name, each.bond if each.kind == "Immediate" else NONE
    raise Refused("That is none of the Entities known here; take “another one”.")


def use_activation(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    after: After,
    points: Gain = 0,
    name: Name = UNNAMED,
    bond: Choice = NONE,
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    yield ActionTaken(seat, turn, "activation", "obsession", points, "" if name == UNNAMED else name)
    yield from bond_paid(state, seat, turn, bond)


def place_sign(
    state: State, context: Context, seat: SeatId, turn: Turn, after: After, target: Choice
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    now = state.player(seat).sign
    if now:
        raise Refused(f"{state.name(seat)}’s Elder Sign is not at home: {state.where(now)}.")
    if target in (HOME, OUT):
        raise Refused("Say what the Elder Sign is placed on.")
    yield ActionTaken(seat, turn, "sign", "obsession")
    yield SignMoved(seat, target)


def remove_sign(
    state: State, context: Context, seat: SeatId, turn: Turn, after: After, owner: SeatId
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    if owner == seat:
        raise Refused("Your own Elder Sign stays; this action is for those of the others.")
    if state.player(owner).sign in (HOME, OUT):
        raise Refused(f"{state.name(owner)}’s Elder Sign lies on nothing.")
    yield ActionTaken(seat, turn, "unsign", "obsession")
    yield SignMoved(owner, OUT)


def use_place(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    after: After,
    cost: Cost = "obsession",
    bond: Choice = NONE,
    points: Gain = 0,
    at: Choice = ANYWHERE,
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    where = _explored(state, seat, at)
    yield ActionTaken(seat, turn, "place", "" if cost == "free" else cost, points, at=where)
    yield from bond_paid(state, seat, turn, _noted(state, seat, where) if bond == OF_THE_PLACE else bond)
    yield from _seeker_home(state, seat, at)


def _noted(state: State, seat: int, where: str) -> str:
    """The bond of this place; who has nothing that it could pay need not know."""
    number = place_number(where)
    known = state.place(number).bond if number else ""
    if not known and state.player(seat).masters:
        place = state.where(where) if number else "that place"
        raise Refused(f"No Dark Bond is noted for {place}. Choose the one its tile shows, or none.")
    return known or NONE


def invoke(
    state: State,
    context: Context,
    seat: SeatId,
    turn: Turn,
    after: After,
    bond: Choice,
    power: Literal["1", "2"] = "1",
    cost: Cost = "free",
    points: Gain = 0,
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    why = f"{_invoked(state, seat, bond, int(power))}, power {power}"
    yield ActionTaken(seat, turn, "invocation", "" if cost == "free" else cost, points, why)
    yield from bond_paid(state, seat, turn, bond)
    yield from _seeker_home(state, seat, ANYWHERE)


def _invoked(state: State, seat: int, id: str, power: int) -> str:
    known, mine = box.find_bond(id), state.player(seat)
    if not state.in_play(id):
        raise Refused(f"{known.god} is not in play at this table.")
    if mine.ritual < power:
        raise Refused(f"Power {power} opens with Ritual box {power}; {state.name(seat)} is at {mine.ritual}.")
    if id not in {rite.bond or id for rite in mine.rites}:
        raise Refused(f"{state.name(seat)} has turned no Ritual Object with the bond of {known.name}.")
    return known.god


def cash_in(
    state: State, context: Context, seat: SeatId, turn: Turn, after: After, what: Literal["path", "obsession"]
) -> Iterator[Event]:
    _check_actor(state, seat, turn, after)
    yield ActionTaken(seat, turn, f"cash-{what}", what, box.PATH_KP if what == "path" else box.OBSESSION_KP)


def _check_actor(state: State, seat: int, turn: int, after: int) -> None:
    """Two phones may tap at once; the second one is late, not a second action."""
    if state.phase != "research" or turn != state.turn:
        raise Refused("Actions are for the Research phase." if turn == state.turn else "That turn is over.")
    if after != state.acted:
        raise Refused("Somebody has acted meanwhile. Look again, then tap.")
    if seat != state.actor:
        assert state.actor is not None
        raise Refused(f"It is {state.name(state.actor)}’s action, not {state.name(seat)}’s.")


def _explored(state: State, seat: int, at: str) -> str:
    """The place of this action: getting there is free and part of it. Cards may do without one."""
    if at == NONE:
        return ""
    if at == ANYWHERE:
        now = state.player(seat).seeker
        return now if place_number(now) else ""
    if not place_number(at):
        raise Refused("Say to which Arcane Place the Seeker goes; moving it is free.")
    return at


def _seeker_home(state: State, seat: int, at: str) -> Iterator[Event]:
    """Whoever explored takes the Seeker back."""
    if at != NONE and state.player(seat).seeker:
        yield SeekerMoved(seat, HOME)
