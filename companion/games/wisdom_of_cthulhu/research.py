"""The eight actions. One each, in order; the cost is taken and the gain is given in the same tap."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, expects
from companion.core.text import counted, plain, signed
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.markers import SeekerMoved, SignMoved, check_seeker
from companion.games.wisdom_of_cthulhu.points import NONE, UNNAMED, bond_paid, master_taken
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Events, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn, expect

ANYWHERE = "any"  # a free place that the phones need not know
OF_THE_PLACE = "place"  # whichever bond is noted there
ANOTHER = "another"  # an Entity that the phones do not know, or need not
After = Annotated[Count, Field(le=999)]
Gain = Annotated[Count, Field(le=99)]
Cost = Literal["obsession", "free"]
Power = Literal["1", "2"]


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
        check_seeker(state, self.seat, self.at)
        state = self._paid(state)
        state = state.with_player(self.seat, actions=state.player(self.seat).actions + 1)
        return state.scored(self.seat, self.turn, self.points) if self.points else state

    def _paid(self, state: State) -> State:
        seat, mine, name = self.seat, state.player(self.seat), state.name(self.seat)
        if self.cost == "path":
            if not mine.hand:
                raise Refused(f"{name} has no Path left to spend.")
            return state.with_player(seat, hand=mine.hand - 1, spent=mine.spent + 1)
        if self.cost != "obsession":
            return state
        if self.action == "knowledge":
            if mine.hand:
                paths = counted(mine.hand, "Path")
                raise Refused(f"{name} still has {paths}; an Obsession buys only when none is left.")
            if mine.fallback:
                raise Refused(f"{name} bought with an Obsession already; no more Knowledge cards this turn.")
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


def _is_next(state: State, seat: SeatId, turn: Turn, after: After) -> None:
    """Two phones may tap at once; the second one is late, not a second action."""
    if state.phase != "research" or turn != state.turn:
        raise Refused("Actions are for the Research phase." if turn == state.turn else "That turn is over.")
    if after != state.acted:
        raise Refused("Somebody has acted meanwhile. Look again, then tap.")
    if seat != state.acting:
        raise Refused(f"It is {state.name(state.acting)}’s action, not {state.name(seat)}’s.")


def _act(
    state: State, action: str, cost: str, points: int = 0, why: str = "", at: str = NONE, pays: str = NONE
) -> Events:
    """The action itself, and what its bond pays."""
    paid, seat = "" if cost == "free" else cost, state.acting
    yield ActionTaken(seat, state.turn, action, paid, points, why, _explored(state, at))
    yield from bond_paid(state, seat, state.turn, pays)


def _explored(state: State, at: str) -> str:
    """The place of this action: getting there is free and part of it. Cards may do without one."""
    if at == NONE:
        return ""
    if at == ANYWHERE:
        now = state.player(state.acting).seeker
        return now if place_number(now) else ""
    if not place_number(at):
        raise Refused("Say to which Arcane Place the Seeker goes; moving it is free.")
    return at


def _seeker_home(state: State, at: str) -> Events:
    """Whoever explored takes the Seeker back."""
    if at != NONE and state.player(state.acting).seeker:
        yield SeekerMoved(state.acting, HOME)


@expects(_is_next)
def buy_knowledge(
    state: State, context: Context, card: Choice, points: Gain = 0, at: Choice = ANYWHERE
) -> Events:
    """A family, or one of the twelve Dark Masters by name, who then lies before the buyer."""
    cost = "path" if state.player(state.acting).hand else "obsession"
    yield from _act(state, "knowledge", cost, points, box.FAMILIES.get(card, card), at)
    if card not in box.FAMILIES:
        yield master_taken(state.acting, card)
    yield from _seeker_home(state, at)


@expects(_is_next)
def buy_entity(
    state: State, context: Context, entity: Choice = ANOTHER, points: Gain = 0, at: Choice = ANYWHERE
) -> Events:
    """An Immediate one is used as it is bought, and that pays its bond in the same tap."""
    name, pays = _entity(entity)
    yield from _act(state, "entity", "obsession", points, name, at, pays)
    yield from _seeker_home(state, at)


def _entity(choice: str) -> tuple[str, str]:
    """Its name, and the bond that its power pays now."""
    kind, _, pays = choice.partition("-")
    if kind == ANOTHER:
        return "", box.find_bond(pays).id if pays else NONE
    if choice not in box.ENTITIES:
        raise Refused("That is none of the Entities known here; take “another one”.")
    known = box.ENTITIES[choice]
    return known.name, known.bond if known.kind == "Immediate" else NONE


@expects(_is_next)
def use_activation(
    state: State, context: Context, points: Gain = 0, name: Name = UNNAMED, bond: Choice = NONE
) -> Events:
    yield from _act(state, "activation", "obsession", points, "" if name == UNNAMED else name, NONE, bond)


@expects(_is_next)
def place_sign(state: State, context: Context, target: Choice) -> Events:
    now = state.player(state.acting).sign
    if now:
        raise Refused(f"{state.name(state.acting)}’s Elder Sign is not at home: {state.where(now)}.")
    if target in (HOME, OUT):
        raise Refused("Say what the Elder Sign is placed on.")
    yield from _act(state, "sign", "obsession")
    yield SignMoved(state.acting, target)


@expects(_is_next)
def remove_sign(state: State, context: Context, owner: SeatId) -> Events:
    if owner == state.acting:
        raise Refused("Your own Elder Sign stays; this action is for those of the others.")
    if state.player(owner).sign in (HOME, OUT):
        raise Refused(f"{state.name(owner)}’s Elder Sign lies on nothing.")
    yield from _act(state, "unsign", "obsession")
    yield SignMoved(owner, OUT)


@expects(_is_next)
def use_place(
    state: State,
    context: Context,
    cost: Cost = "obsession",
    bond: Choice = NONE,
    points: Gain = 0,
    at: Choice = ANYWHERE,
) -> Events:
    pays = _noted(state, _explored(state, at)) if bond == OF_THE_PLACE else bond
    yield from _act(state, "place", cost, points, "", at, pays)
    yield from _seeker_home(state, at)


def _noted(state: State, where: str) -> str:
    """The bond of this place; who has nothing that it could pay need not know."""
    number = place_number(where)
    known = state.place(number).bond if number else ""
    if not known and state.player(state.acting).masters:
        place = state.where(where) if number else "that place"
        raise Refused(f"No Dark Bond is noted for {place}. Choose the one its tile shows, or none.")
    return known or NONE


@expects(_is_next)
def invoke(
    state: State, context: Context, bond: Choice, power: Power = "1", cost: Cost = "free", points: Gain = 0
) -> Events:
    known, mine, name = box.find_bond(bond), state.player(state.acting), state.name(state.acting)
    if not state.in_play(bond):
        raise Refused(f"{known.god} is not in play at this table.")
    if mine.ritual < int(power):
        raise Refused(f"Power {power} opens with Ritual box {power}; {name} is at {mine.ritual}.")
    if known not in state.invocable(state.acting):
        raise Refused(f"{name} has turned no Ritual Object with the bond of {known.name}.")
    yield from _act(state, "invocation", cost, points, f"{known.god}, power {power}", NONE, bond)
    yield from _seeker_home(state, ANYWHERE)


@expects(_is_next)
def cash_in(state: State, context: Context, what: Literal["path", "obsession"]) -> Events:
    yield from _act(state, f"cash-{what}", what, box.CASHED_IN[what])
