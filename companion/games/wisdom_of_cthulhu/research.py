"""The eight actions. One each, in order; the cost is taken and the gain is given in the same tap."""

from dataclasses import dataclass
from typing import Annotated, Literal

from companion.core import Context, Events, Holds, Refused, SeatEvent, ahead, refuse_if, replace
from companion.core.text import Bounds, Choice, Count, SeatId, counted, listed
from companion.games.wisdom_of_cthulhu import box, lying
from companion.games.wisdom_of_cthulhu.points import KP, Maybe, Named, PointsCounted, bond_paid, influenced
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Place, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn, expect

ANY = "any"  # a free place that the phones need not know
Family = Literal["fw", "as", "dm", "en"]
Kind = Literal["Immediate", "Activation", "Continuous"]
Card = Literal["path", "obsession"]


class ActionTaken(SeatEvent[State]):
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
        lying.check_seeker(state, self.seat, self.at)
        state = self._rests(self._paid(state))
        mine = state.player(self.seat)
        unnamed = self.why in (*box.FAMILIES.values(), "")  # a card by name says itself what has come
        gets = [self.family] if self.family and unnamed else ["place"] if self.action == "place" else []
        gets += {"path": ["res"], "obsession": ["obs"]}.get(self.cost, [])
        state = state.with_player(self.seat, actions=mine.actions + 1, gets=(*mine.gets, *gets))
        if self.family in box.FAMILIES:
            state = replace(state, bought=(*state.bought, self.family))
        source = box.SAID["actions"].get(self.action, "cards")
        return state.scored(self.seat, self.turn, self.points, source) if self.points else state

    def _rests(self, state: State) -> State:
        """An Activation card lies face down, and so does a power for whoever has used it."""
        if not self.card:
            return state
        mine, name = state.player(self.seat), state.name(self.seat)
        if self.action == "invocation":
            refuse_if(self.card in mine.invoked, f"{name} has used that power in this turn already.")
            return state.with_player(self.seat, invoked=(*mine.invoked, self.card))
        used = lying.own(state, self.seat, self.card)
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

    @property
    def by_name(self) -> bool:
        """What was bought or used says it all."""
        return bool(self.why and (self.family or self.card))


@dataclass(frozen=True)
class Moment:
    """Two phones may tap at once; the second one is late, not a second action. And what goes with some."""

    turn: Turn
    after: Annotated[Count, Bounds(le=999)]
    at: Maybe = ANY  # where the Seeker goes for it
    under: Maybe = ""  # the Combination that it is a Component of


def _in_research(state: State, turn: int) -> None:
    refuse_if(turn != state.turn, "That turn is over.")
    refuse_if(state.phase != "research", "Actions are for the Research phase.")


def _in_time(state: State, moment: Moment) -> None:
    _in_research(state, moment.turn)
    refuse_if(moment.after != state.acted, "Somebody has acted meanwhile. Look again, then tap.")


def _is_next(state: State, seat: int) -> None:
    refuse_if(seat != state.actor, f"It is {state.name(state.actor)}’s action, not {state.name(seat)}’s.")


Now = Annotated[Moment, Holds(_in_time)]  # asked before whose it is
Researching = Annotated[Turn, Holds(_in_research)]  # where the card itself says that it is not too late
Actor = Annotated[SeatId, Holds(_is_next)]


def _act(
    state: State, action: str, cost: str, points: int = 0, at: str = "", pays: str = "", **more: str
) -> Events:
    """The action itself, what its bond pays, and home: whoever explored or invoked takes the Seeker back."""
    paid, seat, where = "" if cost == "free" else cost, state.actor, _explored(state, at)
    yield ActionTaken(seat, state.turn, action, paid, points, at=where, **more)
    yield from bond_paid(state, seat, state.turn, pays)
    if at:  # a Seeker that was put there before is paid for now, and so once for each action
        there = pays if action == "place" else state.places.get(place_number(where), Place()).bond
        yield from influenced(state, "seeker", there)
    if (at or action == "invocation") and state.player(seat).seeker:
        yield lying.SeekerMoved(seat, HOME)


def _explored(state: State, at: str) -> str:
    """The place of this action: getting there is free and part of it. Cards may do without one."""
    if at == ANY:
        now = state.player(state.actor).seeker
        return now if place_number(now) else ""
    refuse_if(at and not place_number(at), "Say to which Arcane Place the Seeker goes; moving it is free.")
    return at


def buy_knowledge(
    state: State, context: Context, now: Now, seat: Actor, card: Choice, points: KP = 0
) -> Events:
    """A card by name, or just a family: then for points, or as a Component under a Combination."""
    if now.under and card in box.FAMILIES:
        yield from _buys(state, card, points, now.at, why=f"{box.FAMILIES[card]} under {now.under}")
        yield from lying.component(state, seat, state.turn, card, now.under)
        return
    known = box.Card("", card, points=points) if card in box.FAMILIES else lying.printed(state, card)
    refuse_if(known.family not in box.FAMILIES, f"{card} is no Knowledge card.")
    yield from _bought(state, known, now.at)


def _buys(state: State, family: str, points: int, at: str, pays: str = "", why: str = "") -> Events:
    """An Entity costs an Obsession, a Knowledge card only when no Path is left for it."""
    if family == "en":
        yield from _act(state, "entity", "obsession", points, at, pays, why=why, family=family)
        return
    many = counted(box.laid_out(state.table)[family], f"{box.FAMILIES[family]} card")
    none = f"Of the {many} of this turn none is left. One from a card’s effect? Take it under More."
    refuse_if(not state.left(family, state.actor), none)
    cost = "path" if state.player(state.actor).hand else "obsession"
    yield from _act(state, "knowledge", cost, points, at, why=why, family=family)


def _bought(state: State, card: box.Card, at: str) -> Events:
    """An Immediate one is used at once and pays, an Entity its bond as well; what serves a Ritual or waits
    for Components stays. One without a name is just paid for."""
    used = card.kind == "Immediate" and not card.object and not card.parts
    worth = state.player(state.actor).worth(card) if used or not card.name else 0
    pays, what = card.bond if used and card.family == "en" else "", box.FAMILIES.get(card.family, "")
    yield from _buys(state, card.family, worth, at, pays, card.name or what)
    if card.name:
        yield lying.taken(state, state.actor, card, used)
    if used and card.family == "en":
        yield from influenced(state, "entity", card.bond)


def buy_entity(
    state: State, context: Context, now: Now, seat: Actor, entity: Choice, victim: Count = 0
) -> Events:
    if now.under:
        yield from _buys(state, "en", 0, now.at, why=f"an Entity under {now.under}")
        yield from lying.component(state, seat, state.turn, "en", now.under)
        return
    known = lying.printed(state, entity)
    refuse_if(known.family != "en", f"{entity} is no Entity.")
    yield from _bought(state, known, now.at)
    yield from _robbed(state, seat, victim, known) if known.takes else ()


def richest(state: State, seat: int) -> tuple[int, ...]:
    """The opponents with the most points; the buyer chooses where there are several."""
    return ahead({other: state.kp(other) for other in state.seats if other != seat})


def _robbed(state: State, seat: int, victim: int, entity: box.Card) -> Events:
    """Nobody gives more than they have."""
    likely = richest(state, seat)
    victim, names = victim or likely[0], listed([state.name(each) for each in likely])
    refuse_if(victim not in likely, f"It takes from the opponent with the most: {names}.")
    if by := min(entity.takes, max(0, state.kp(victim))):
        why = f"Entity: {entity.name}"
        yield PointsCounted(victim, state.turn, -by, f"{why} takes from {state.name(victim)}")
        yield PointsCounted(seat, state.turn, by, f"{why} gives {state.name(seat)}")


def buy_other(
    state: State,
    context: Context,
    now: Now,
    seat: Actor,
    family: Family,
    name: Named = "",
    kind: Kind = "Immediate",
    points: KP = 0,
    bond: Maybe = "",
) -> Events:
    """A card that is not of the box: typed once, known from then on. Without a name it is just paid for."""
    pays = box.find_bond(bond).id if bond else ""
    refuse_if(name in box.CARDS or name in state.typed, f"{name} is known here: tap it.")
    yield from _bought(state, box.Card(name, family, kind, points, bond=pays), now.at)


def activate(state: State, context: Context, turn: Researching, seat: Actor, card: Choice) -> Events:
    """One tap on the card; that it rests then is what keeps a second tap from counting."""
    mine, used = state.player(seat), lying.own(state, seat, card)
    refuse_if(used.kind != "Activation", f"{card} is {used.kind or 'no Activation card'}: no action uses it.")
    refuse_if(used.lacks, f"The Combination of {card} is not complete.")
    lying.check_unsigned(state, seat, card)
    worth, evil = mine.worth(used), used.family == "en"
    pays = used.bond if evil else ""
    yield from _act(state, "activation", "obsession", worth, pays=pays, why=card, card=card)
    yield from influenced(state, "entity", pays) if evil else ()


def use_activation(
    state: State, context: Context, now: Now, seat: Actor, points: KP = 0, name: Named = "", bond: Maybe = ""
) -> Events:
    """One that the phones do not know."""
    yield from _act(state, "activation", "obsession", points, pays=bond, why=name)


def place_sign(state: State, context: Context, now: Now, seat: Actor, target: Choice) -> Events:
    lies, name = state.player(seat).sign, state.name(seat)
    refuse_if(lies, f"{name}’s Elder Sign is not at home: {state.where(lies)}.")
    lying.check_target(state, seat, target)
    yield from _act(state, "sign", "obsession")
    yield lying.SignMoved(seat, target)


def remove_sign(state: State, context: Context, now: Now, seat: Actor, owner: SeatId) -> Events:
    refuse_if(owner == seat, "Your own Elder Sign stays; this action is for those of the others.")
    refuse_if(state.player(owner).sign in (HOME, OUT), f"{state.name(owner)}’s Elder Sign lies on nothing.")
    yield from _act(state, "unsign", "obsession")
    yield lying.SignMoved(owner, OUT)


def use_place(
    state: State, context: Context, now: Now, seat: Actor, cost: lying.Cost = "obsession", *, tile: lying.Tile
) -> Events:
    """What is tapped of a place is noted with it, so that the next time is one tap less."""
    pays = box.find_bond(tile.bond).id if tile.bond else ""
    if number := place_number(_explored(state, now.at)):
        known = state.place(number)
        noted = known._replace(bond=pays, points=tile.points, free=cost == "free", used=True)
        if noted != known:
            yield lying.PlaceNoted(number, state.place_name(number), *noted[1:])
    yield from _act(state, "place", cost, tile.points, now.at, pays)
    yield from influenced(state, "place", pays)


def invoke(state: State, context: Context, now: Now, seat: Actor, power: Choice, many: KP = 0) -> Events:
    """The second power pays for each thing it takes, and every opponent 1."""
    bond, _, number = power.partition("-")
    known, mine, name = box.find_bond(bond), state.player(seat), state.name(seat)
    refuse_if(not state.in_play(bond), f"{known.god} is not in play at this table.")
    refuse_if(number not in ("1", "2"), "A Great Old One has two Invocation Powers.")
    often, spot, wanted = mine.turned(bond), f"power-{power}", "twice" if number == "2" else "once"
    needed = f"Power {number} opens with an object of {known.name} turned {wanted}"
    so_far = f"{name}’s was turned once" if often else f"{name} has turned none"
    refuse_if(often < int(number), f"{needed}; {so_far}.")
    owner = state.blocker(seat, spot)
    refuse_if(owner, f"{owner}’s Elder Sign lies on {state.where(spot)}: nobody else may use it.")
    cost, why = box.INVOCATION_COST.chosen(state.table), f"{known.god}, power {number}"
    points = mine.masters_worth if power == box.PAYS_MASTERS else box.INVOKED * many
    yield from _act(state, "invocation", cost, points, pays=bond, why=why, card=spot)
    for other in [each for each in state.seats if each != seat and number == "2"]:
        yield PointsCounted(other, state.turn, 1, f"Great Old One: {why}, to {state.name(other)}")


def cash_in(state: State, context: Context, now: Now, seat: Actor, what: Card) -> Events:
    yield from _act(state, f"cash-{what}", what, box.CASHED_IN[what])
