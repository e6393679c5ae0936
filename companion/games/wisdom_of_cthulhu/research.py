"""The eight actions. One each, in order; the cost is taken and the gain is given in the same tap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from companion.core import Choice, Context, Count, Event, Events, Holds, Name, Refused, SeatId, refuse_if
from companion.core.fixed import replace
from companion.core.text import Bounds, counted, listed, plain, signed
from companion.games.wisdom_of_cthulhu import box, markers
from companion.games.wisdom_of_cthulhu.cards import check_unsigned, component, own, printed, taken
from companion.games.wisdom_of_cthulhu.player import HOME, Learned
from companion.games.wisdom_of_cthulhu.points import NONE, UNNAMED, PointsCounted, bond_paid, influenced
from companion.games.wisdom_of_cthulhu.state import OUT, Place, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn, expect

ANY = "any"  # a free place that the phones need not know
NOBODY = 0
DONE = {"knowledge": "buys", "entity": "buys", "activation": "activates", "invocation": "invokes"}

After = Annotated[Count, Bounds(le=999)]
Gain = Annotated[Count, Bounds(le=99)]
Cost = Literal["obsession", "free"]
Family = Literal["fw", "as", "dm", "en"]
Kind = Literal["Immediate", "Activation", "Continuous"]
Card = Literal["path", "obsession"]


class ActionTaken(Event[State]):
    seat: int
    turn: int
    action: str
    cost: str = ""  # path, obsession, or nothing
    points: int = 0
    why: str = ""
    at: str = ""  # the Arcane Place that was explored, where the table said
    card: str = ""  # what was activated or invoked, and rests until the next turn
    family: str = ""  # of what was bought

    def fold(self, state: State) -> State:
        expect(state, "research", self.turn)
        box.find_action(self.action)
        markers.check_seeker(state, self.seat, self.at)
        state = self._rests(self._paid(state))
        mine = state.player(self.seat)
        unnamed = self.why in (*box.FAMILIES.values(), "")  # a card by name says itself what has come
        gets = [self.family] if self.family and unnamed else ["place"] if self.action == "place" else []
        gets += {"path": ["res"], "obsession": ["obs"]}.get(self.cost, [])
        state = state.with_player(self.seat, actions=mine.actions + 1, gets=(*mine.gets, *gets))
        if self.family in box.FAMILIES:
            state = replace(state, bought=(*state.bought, self.family))
        if not self.points:
            return state
        return state.scored(self.seat, self.turn, self.points, box.SAID["actions"].get(self.action, "cards"))

    def _rests(self, state: State) -> State:
        """An Activation card lies face down, and so does a power for whoever has used it."""
        if not self.card:
            return state
        mine, name = state.player(self.seat), state.name(self.seat)
        if self.action == "invocation":
            refuse_if(self.card in mine.invoked, f"{name} has used that power in this turn already.")
            return state.with_player(self.seat, invoked=(*mine.invoked, self.card))
        used = own(state, self.seat, self.card)
        refuse_if(used.used, f"{self.card} is face down until the next turn is prepared.")
        learned = tuple([each._replace(used=True) if each is used else each for each in mine.learned])
        return state.with_player(self.seat, learned=learned)

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
        if self.why and (self.family or self.card):  # by name, which says it all
            words = f"{DONE[self.action]} {self.why}"
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


def _in_research(state: State, turn: int) -> None:
    refuse_if(turn != state.turn, "That turn is over.")
    refuse_if(state.phase != "research", "Actions are for the Research phase.")


def _in_time(state: State, said: Moment) -> None:
    _in_research(state, said.turn)
    refuse_if(said.after != state.acted, "Somebody has acted meanwhile. Look again, then tap.")


def _is_next(state: State, seat: int) -> None:
    its = state.name(state.acting)
    refuse_if(seat != state.acting, f"It is {its}’s action, not {state.name(seat)}’s.")


Acting = Annotated[Moment, Holds(_in_time)]  # asked before whose it is
Researching = Annotated[Turn, Holds(_in_research)]  # where the card itself says that it is not too late
Actor = Annotated[SeatId, Holds(_is_next)]


def _act(
    state: State, action: str, cost: str, points: int = 0, at: str = NONE, pays: str = NONE, **more: str
) -> Events:
    """The action itself, what its bond pays, and home: whoever explored or invoked takes the Seeker back."""
    paid, seat = "" if cost == "free" else cost, state.acting
    where = _explored(state, at)
    yield ActionTaken(seat, state.turn, action, paid, points, at=where, **more)
    yield from bond_paid(state, seat, state.turn, pays)
    if at != NONE:  # a Seeker that was put there before is paid for now, and so once for each action
        there = pays if action == "place" else state.places.get(place_number(where), Place()).bond
        yield from influenced(state, seat, state.turn, "seeker", there)
    if (at != NONE or action == "invocation") and state.player(seat).seeker:
        yield markers.SeekerMoved(seat, HOME)


def _explored(state: State, at: str) -> str:
    """The place of this action: getting there is free and part of it. Cards may do without one."""
    if at == NONE:
        return ""
    if at == ANY:
        now = state.player(state.acting).seeker
        return now if place_number(now) else ""
    refuse_if(not place_number(at), "Say to which Arcane Place the Seeker goes; moving it is free.")
    return at


# --- what is bought ---


def buy_knowledge(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    card: Choice,
    points: Gain = 0,
    at: Choice = ANY,
    under: Choice = NONE,
) -> Events:
    """A card by name, or just a family: then for points, or as a Component under a Combination."""
    if card in box.FAMILIES:
        _check_laid_out(state, seat, card)
        why = f"{box.FAMILIES[card]} under {under}" if under != NONE else box.FAMILIES[card]
        yield from _act(state, "knowledge", _cost(state, seat), points, at, why=why, family=card)
        yield from component(state, seat, state.turn, card, under) if under != NONE else ()
        return
    known = printed(state, card)
    refuse_if(known.family not in box.FAMILIES, f"{card} is no Knowledge card.")
    yield from _bought(state, seat, known, at)


def _bought(state: State, seat: int, card: box.Card | Learned, at: str) -> Events:
    """An Immediate one is used at once, and pays; what serves a Ritual or waits for Components stays."""
    _check_laid_out(state, seat, card.family)
    used = card.kind == "Immediate" and not card.object and not card.parts
    worth = state.player(seat).worth(card) if used else 0
    yield from _act(state, "knowledge", _cost(state, seat), worth, at, why=card.name, family=card.family)
    yield taken(state, seat, card, used)


def _cost(state: State, seat: int) -> str:
    return "path" if state.player(seat).hand else "obsession"


def _check_laid_out(state: State, seat: int, family: str) -> None:
    if not state.left(family, seat):
        many = counted(box.laid_out(state.table)[family], f"{box.FAMILIES[family]} card")
        none = f"Of the {many} of this turn none is left."
        raise Refused(f"{none} One from a card’s effect? Take it under More.")


def buy_entity(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    entity: Choice,
    victim: Count = NOBODY,
    at: Choice = ANY,
    under: Choice = NONE,
) -> Events:
    """An Immediate one is used as it is bought, and that pays its bond in the same tap."""
    if under != NONE:
        yield from _act(state, "entity", "obsession", 0, at, why=f"an Entity under {under}", family="en")
        yield from component(state, seat, state.turn, "en", under)
        return
    known = printed(state, entity)
    refuse_if(known.family != "en", f"{entity} is no Entity.")
    yield from _evil(state, seat, known, at)
    if takes := getattr(known, "takes", 0):
        yield from _robbed(state, seat, victim, takes, entity)


def _evil(state: State, seat: int, entity: box.Card | Learned, at: str) -> Events:
    used = entity.kind == "Immediate"
    pays, worth = (entity.bond or NONE, entity.points) if used else (NONE, 0)
    yield from _act(state, "entity", "obsession", worth, at, pays, why=entity.name, family="en")
    yield taken(state, seat, entity, used)
    if used:
        yield from influenced(state, seat, state.turn, "entity", entity.bond)


def richest(state: State, seat: int) -> tuple[int, ...]:
    """The opponents with the most points; the buyer chooses where there are several."""
    others = {other: state.kp(other) for other in state.seats if other != seat}
    return tuple([other for other, kp in others.items() if kp == max(others.values())])


def _robbed(state: State, seat: int, victim: int, most: int, why: str) -> Events:
    """Nobody gives more than they have."""
    likely = richest(state, seat)
    victim, names = victim or likely[0], listed([state.name(each) for each in likely])
    refuse_if(victim not in likely, f"It takes from the opponent with the most: {names}.")
    if by := min(most, max(0, state.kp(victim))):
        yield PointsCounted(victim, state.turn, -by, f"Entity: {why} takes from {state.name(victim)}")
        yield PointsCounted(seat, state.turn, by, f"Entity: {why} gives {state.name(seat)}")


def buy_other(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    family: Family,
    name: Name = UNNAMED,
    kind: Kind = "Immediate",
    points: Gain = 0,
    bond: Choice = NONE,
    at: Choice = ANY,
) -> Events:
    """A card that is not of the box: typed once, known from then on. Without a name it is just paid for."""
    pays = NONE if bond == NONE else box.find_bond(bond).id
    refuse_if(name in box.CARDS or name in state.typed, f"{name} is known here: tap it.")
    typed = Learned(name, family, kind, points, "" if pays == NONE else pays)
    if name != UNNAMED:
        yield from _evil(state, seat, typed, at) if family == "en" else _bought(state, seat, typed, at)
    elif family == "en":
        pays = pays if kind == "Immediate" else NONE
        yield from _act(state, "entity", "obsession", points, at, pays, family="en")
        if kind == "Immediate":
            yield from influenced(state, seat, state.turn, "entity", pays)
    else:
        yield from buy_knowledge(state, context, now, seat, family, points, at)


# --- what is used ---


def activate(state: State, context: Context, turn: Researching, seat: Actor, card: Choice) -> Events:
    """One tap on the card; that it rests then is what keeps a second tap from counting."""
    mine, used = state.player(seat), own(state, seat, card)
    refuse_if(used.kind != "Activation", f"{card} is {used.kind or 'no Activation card'}: no action uses it.")
    refuse_if(used.lacks, f"The Combination of {card} is not complete.")
    check_unsigned(state, seat, card)
    entity = used.family == "en"
    pays = used.bond or NONE if entity else NONE
    yield from _act(state, "activation", "obsession", mine.worth(used), pays=pays, why=card, card=card)
    if entity:
        yield from influenced(state, seat, turn, "entity", used.bond)


def use_activation(
    state: State,
    context: Context,
    now: Acting,
    seat: Actor,
    points: Gain = 0,
    name: Name = UNNAMED,
    bond: Choice = NONE,
) -> Events:
    """One that the phones do not know."""
    why = "" if name == UNNAMED else name
    yield from _act(state, "activation", "obsession", points, pays=bond, why=why)


def place_sign(state: State, context: Context, now: Acting, seat: Actor, target: Choice) -> Events:
    lies, name = state.player(seat).sign, state.name(seat)
    refuse_if(lies, f"{name}’s Elder Sign is not at home: {state.where(lies)}.")
    markers.check_target(state, seat, target)
    yield from _act(state, "sign", "obsession")
    yield markers.SignMoved(seat, target)


def remove_sign(state: State, context: Context, now: Acting, seat: Actor, owner: SeatId) -> Events:
    refuse_if(owner == seat, "Your own Elder Sign stays; this action is for those of the others.")
    lies = state.player(owner).sign not in (HOME, OUT)
    refuse_if(not lies, f"{state.name(owner)}’s Elder Sign lies on nothing.")
    yield from _act(state, "unsign", "obsession")
    yield markers.SignMoved(owner, OUT)


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
    """What is tapped of a place is noted with it, so that the next time is one tap less."""
    pays = NONE if bond == NONE else box.find_bond(bond).id
    number = place_number(_explored(state, at))
    if number:
        known = state.place(number)
        shows = "" if pays == NONE else pays
        noted = known._replace(bond=shows, points=points, free=cost == "free", used=True)
        if noted != known:
            yield markers.PlaceNoted(number, state.place_name(number), *noted[1:])
    yield from _act(state, "place", cost, points, at, pays)
    yield from influenced(state, seat, state.turn, "place", pays)


def invoke(state: State, context: Context, now: Acting, seat: Actor, power: Choice, many: Gain = 0) -> Events:
    """The second power pays for each thing it takes, and every opponent 1."""
    bond, _, number = power.partition("-")
    known, mine, name = box.find_bond(bond), state.player(seat), state.name(seat)
    refuse_if(not state.in_play(bond), f"{known.god} is not in play at this table.")
    refuse_if(number not in ("1", "2"), "A Great Old One has two Invocation Powers.")
    often, times = mine.turned(bond), "twice" if number == "2" else "once"
    needed = f"an object of {known.name} turned {times}"
    so_far = f"{name}’s was turned once" if often else f"{name} has turned none"
    refuse_if(often < int(number), f"Power {number} opens with {needed}; {so_far}.")
    spot = f"power-{power}"
    owner = state.blocker(seat, spot)
    refuse_if(owner, f"{owner}’s Elder Sign lies on {state.where(spot)}: nobody else may use it.")
    cost, why = box.INVOCATION_COST.chosen(state.table), f"{known.god}, power {number}"
    points = mine.masters_worth if power == box.PAYS_MASTERS else box.INVOKED * many
    yield from _act(state, "invocation", cost, points, pays=bond, why=why, card=spot)
    for other in [each for each in state.seats if each != seat and number == "2"]:
        yield PointsCounted(other, state.turn, 1, f"Great Old One: {why}, to {state.name(other)}")


def cash_in(state: State, context: Context, now: Acting, seat: Actor, what: Card) -> Events:
    yield from _act(state, f"cash-{what}", what, box.CASHED_IN[what])
