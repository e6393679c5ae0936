"""The eight actions. One each, in order; the cost is taken and the gain is given in the same tap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Events, Holds, Name, Refused, SeatId, refuse_if
from companion.core.text import counted, plain, signed
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.markers import SeekerMoved, SignMoved, check_seeker
from companion.games.wisdom_of_cthulhu.points import NONE, UNNAMED, bond_paid, master_taken
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn, expect

ANY = "any"  # a free place that the phones need not know
OF_THE_PLACE = "place"  # whichever bond is noted there
ANOTHER = "another"  # an Entity that the phones do not know, or need not
After = Annotated[Count, Field(le=999)]
Gain = Annotated[Count, Field(le=99)]
Cost = Literal["obsession", "free"]
Power = Literal["1", "2"]
Card = Literal["path", "obsession"]


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
            refuse_if(not mine.hand, f"{name} has no Path left to spend.")
            return state.with_player(seat, hand=mine.hand - 1, spent=mine.spent + 1)
        if self.cost != "obsession":
            return state
        if self.action == "knowledge":
            paths, once = counted(mine.hand, "Path"), f"{name} bought with an Obsession already"
            refuse_if(mine.hand, f"{name} still has {paths}; an Obsession buys only when none is left.")
            refuse_if(mine.fallback, f"{once}; no more Knowledge cards this turn.")
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


@dataclass(frozen=True)
class Moment:
    """Two phones may tap at once; the second one is late, not a second action."""

    turn: Turn
    after: After


def _in_time(state: State, said: Moment) -> None:
    refuse_if(said.turn != state.turn, "That turn is over.")
    refuse_if(state.phase != "research", "Actions are for the Research phase.")
    refuse_if(said.after != state.acted, "Somebody has acted meanwhile. Look again, then tap.")


def _is_next(state: State, seat: int) -> None:
    its = state.name(state.acting)
    refuse_if(seat != state.acting, f"It is {its}’s action, not {state.name(seat)}’s.")


Acting = Annotated[Moment, Holds(_in_time)]  # asked before whose it is
Actor = Annotated[SeatId, Holds(_is_next)]


def _act(
    state: State, action: str, cost: str, points: int = 0, why: str = "", at: str = NONE, pays: str = NONE
) -> Events:
    """The action itself, what its bond pays, and home: whoever explored or invoked takes the Seeker back."""
    paid, seat = "" if cost == "free" else cost, state.acting
    yield ActionTaken(seat, state.turn, action, paid, points, why, _explored(state, at))
    yield from bond_paid(state, seat, state.turn, pays)
    if (at != NONE or action == "invocation") and state.player(seat).seeker:
        yield SeekerMoved(seat, HOME)


def _explored(state: State, at: str) -> str:
    """The place of this action: getting there is free and part of it. Cards may do without one."""
    if at == NONE:
        return ""
    if at == ANY:
        now = state.player(state.acting).seeker
        return now if place_number(now) else ""
    refuse_if(not place_number(at), "Say to which Arcane Place the Seeker goes; moving it is free.")
    return at


def buy_knowledge(
    state: State, context: Context, now: Acting, seat: Actor, card: Choice, points: Gain = 0, at: Choice = ANY
) -> Events:
    """A family, or one of the twelve Dark Masters by name, who then lies before the buyer."""
    cost = "path" if state.player(seat).hand else "obsession"
    yield from _act(state, "knowledge", cost, points, box.FAMILIES.get(card, card), at)
    if card not in box.FAMILIES:
        yield master_taken(seat, card)


def buy_entity(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    entity: Choice = ANOTHER,
    points: Gain = 0,
    at: Choice = ANY,
) -> Events:
    """An Immediate one is used as it is bought, and that pays its bond in the same tap."""
    name, pays = _entity(entity)
    yield from _act(state, "entity", "obsession", points, name, at, pays)


def _entity(choice: str) -> tuple[str, str]:
    """Its name, and the bond that its power pays now."""
    kind, _, pays = choice.partition("-")
    if kind == ANOTHER:
        return "", box.find_bond(pays).id if pays else NONE
    refuse_if(choice not in box.ENTITIES, "That is none of the Entities known here; take “another one”.")
    known = box.ENTITIES[choice]
    return known.name, known.bond if known.kind == "Immediate" else NONE


def use_activation(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    points: Gain = 0,
    name: Name = UNNAMED,
    bond: Choice = NONE,
) -> Events:
    yield from _act(state, "activation", "obsession", points, "" if name == UNNAMED else name, NONE, bond)


def place_sign(state: State, context: Context, now: Acting, seat: Actor, target: Choice) -> Events:
    lies, name = state.player(seat).sign, state.name(seat)
    refuse_if(lies, f"{name}’s Elder Sign is not at home: {state.where(lies)}.")
    refuse_if(target in (HOME, OUT), "Say what the Elder Sign is placed on.")
    yield from _act(state, "sign", "obsession")
    yield SignMoved(seat, target)


def remove_sign(state: State, context: Context, now: Acting, seat: Actor, owner: SeatId) -> Events:
    refuse_if(owner == seat, "Your own Elder Sign stays; this action is for those of the others.")
    lies = state.player(owner).sign not in (HOME, OUT)
    refuse_if(not lies, f"{state.name(owner)}’s Elder Sign lies on nothing.")
    yield from _act(state, "unsign", "obsession")
    yield SignMoved(owner, OUT)


def use_place(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    cost: Cost = "obsession",
    bond: Choice = NONE,
    points: Gain = 0,
    at: Choice = ANY,
) -> Events:
    pays = _noted(state, _explored(state, at)) if bond == OF_THE_PLACE else bond
    yield from _act(state, "place", cost, points, "", at, pays)


def _noted(state: State, where: str) -> str:
    """The bond of this place; who has nothing that it could pay need not know."""
    number = place_number(where)
    known = state.place(number).bond if number else ""
    if not known and state.player(state.acting).masters:
        place = state.where(where) if number else "that place"
        raise Refused(f"No Dark Bond is noted for {place}. Choose the one its tile shows, or none.")
    return known or NONE


def invoke(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    bond: Choice,
    power: Power = "1",
    cost: Cost = "free",
    points: Gain = 0,
) -> Events:
    known, mine, name = box.find_bond(bond), state.player(seat), state.name(seat)
    opens = f"Power {power} opens with Ritual box {power}; {name} is at {mine.ritual}."
    turned = known in state.invocable(seat)
    refuse_if(not state.in_play(bond), f"{known.god} is not in play at this table.")
    refuse_if(mine.ritual < int(power), opens)
    refuse_if(not turned, f"{name} has turned no Ritual Object with the bond of {known.name}.")
    yield from _act(state, "invocation", cost, points, f"{known.god}, power {power}", NONE, bond)


def cash_in(state: State, context: Context, now: Acting, seat: Actor, what: Card) -> Events:
    yield from _act(state, f"cash-{what}", what, box.CASHED_IN[what])
