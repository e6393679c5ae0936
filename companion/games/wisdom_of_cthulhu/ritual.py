"""Study, Transmutation, Sacrifice; and the one evocation."""

from typing import Annotated, Literal

from companion.core import Context, Events, Holds, Refused, SeatEvent, refuse_if, replace
from companion.core.text import Bounds, Choice, Count, SeatId, counted
from companion.games.wisdom_of_cthulhu.box import BOXES, FAMILIES, REQUIREMENTS, RITUAL_PAYS, find_bond
from companion.games.wisdom_of_cthulhu.lying import SignMoved, check_unsigned
from companion.games.wisdom_of_cthulhu.points import PointsCounted, bond_paid
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Evoked, Rite, State
from companion.games.wisdom_of_cthulhu.turn import Turn

Box = Annotated[Count, Bounds(ge=1, le=BOXES)]
Boxes = Annotated[Count, Bounds(le=BOXES)]
Gain = Annotated[Count, Bounds(le=999)]
Why = Literal["requirement", "late", "effect"]


class RitualAdvanced(SeatEvent[State]):
    turn: int
    box: int
    bond: str
    cost: int = 0  # KP for mixing bonds
    by_effect: bool = False
    met: int = 0  # the turn in which it was met, where that is tapped late
    master: str = ""  # the Dark Master that was the object, and so pays nobody
    object: str = ""  # what was turned, where it was said

    def fold(self, state: State) -> State:
        state.check_turn(self.turn)
        met, before, name = self.met or self.turn, state.player(self.seat).rites, state.name(self.seat)
        now = len(before)
        refuse_if(now == BOXES, f"{name}’s Ritual token is in the last box already.")
        if self.box != now + 1:
            raise Refused(f"{REQUIREMENTS[now].name} is next for {name}: the three come strictly in order.")
        if self.box == BOXES and not (self.by_effect or state.sacrifice_at_once) and before[-1].turn >= met:
            transmuted = f"{name} met the Transmutation in turn {before[-1].turn}"
            raise Refused(f"{transmuted}; the Sacrifice comes at the end of the next.")
        if self.cost:
            too_few = f"Mixing bonds costs {self.cost} KP, and {name} has {state.kp(self.seat)}."
            state = state.scored(self.seat, self.turn, -self.cost, "Ritual", too_few)
        rite = Rite(find_bond(self.bond).id, met, self.object or self.master)
        return state.with_player(self.seat, rites=(*before, rite))


def _in_this_turn(state: State, turn: int) -> None:
    over = turn != state.turn or state.phase in ("setup", "over")
    refuse_if(over, "Rituals go on while a turn is played; this is not that turn.")


Now = Annotated[Turn, Holds(_in_this_turn)]


def advance_ritual(
    state: State, context: Context, seat: SeatId, turn: Now, box: Box, bond: Choice, by: Why = "requirement"
) -> Events:
    """One box, with an object by name, or with one of this bond that the phones do not know.

    Another bond than that of the box before costs KP; the last box pays the bond, unless the object is a Dark
    Master. A Study that is tapped late was met as this turn began, the other two in the turn before.
    """
    now, name = state.player(seat).ritual, state.name(seat)
    refuse_if(box <= now, f"{name}’s Ritual token is in box {now} already.")
    kind, master, object = _object(state, seat, bond)
    needed = REQUIREMENTS[box - 1]
    if by == "requirement" and box == now + 1 and state.phase not in needed.phases:
        raise Refused(f"{needed.later.format(name=name)} Tapped late, or granted by a card? Then say so.")
    refuse_if(by == "late" and box > 1 and turn == 1, "There was no turn before this one.")
    nothing = f"When turn 1 began {name} had no card yet, and it has no Preparation: nothing was studied."
    refuse_if(by == "late" and turn == 1, nothing)
    met = turn - (box > 1) if by == "late" else 0
    cost = state.player(seat).mixing_cost(kind)
    yield RitualAdvanced(seat, turn, box, kind, cost, by == "effect", met, master, object)
    if pays(state, box) and not master:
        yield from bond_paid(state, seat, turn, kind)


def _object(state: State, seat: int, name: str) -> tuple[str, str, str]:
    """Its bond, and its name as a Dark Master or as another card."""
    card = state.player(seat).card(name)
    if card is None:
        return find_bond(name).id, "", ""
    refuse_if(not card.object, f"{name} is no Ritual Object.")
    refuse_if(card.used, f"{name} was activated in this turn, and is no Ritual Object until the next.")
    check_unsigned(state, seat, name)
    return (card.object, name, "") if card.family == "dm" else (card.object, "", name)


def pays(state: State, box: int) -> bool:
    return box == BOXES or RITUAL_PAYS.chosen(state.table) == "every"


class RitualSet(SeatEvent[State], tap="set_ritual", seat=SeatId, to=Boxes):
    to: int

    def fold(self, state: State) -> State:
        refuse_if(not 0 <= self.to <= BOXES, "The Ritual track has a start and three boxes.")
        known = state.player(self.seat).rites[: self.to]
        return state.with_player(self.seat, rites=(*known, *[Rite("", 0)] * (self.to - len(known))))


class GodEvoked(SeatEvent[State]):
    turn: int
    bond: str

    def fold(self, state: State) -> State:
        known, mine, name = find_bond(self.bond), state.player(self.seat), state.name(self.seat)
        refuse_if(state.evoked, f"There is one evocation in a game, and {state.came.god} has been evoked.")
        missing = f"the Ritual token is at {mine.ritual} of {BOXES}"
        refuse_if(mine.ritual < BOXES, f"{name} needs all three requirements; {missing}.")
        if mine.last_bond not in ("", known.id):
            its = find_bond(mine.last_bond)
            raise Refused(f"The last object has the bond of {its.name}, so only {its.god} can come.")
        refuse_if(not state.in_play(known.id), f"{known.god} is not in play at this table.")
        return replace(state, evoked=Evoked(self.seat, known.id, self.turn))


def evoke(state: State, context: Context, seat: SeatId, turn: Now, bond: Choice, points: Gain = 0) -> Events:
    """Points are those of the Evocation Power; what else it does to the table by itself follows."""
    yield GodEvoked(seat, turn, bond)
    if points:
        yield PointsCounted(seat, turn, points, "Evocation Power")
    for other in state.seats:
        if bond == "madness" and state.player(other).sign not in (HOME, OUT):
            yield SignMoved(other, HOME)
        if bond == "dimension" and other != seat and state.player(other).rites:
            yield RitualSet(other, 0)


def reckoned(state: State, seat: int, bond: str) -> tuple[int, str]:
    """What the Evocation Power pays for the cards that the phones know, and how."""
    god, gone = find_bond(bond), state.discards if find_bond(bond).counts in FAMILIES else ()
    lie = {other: state.player(other).learned for other in state.seats}
    seen = [each for cards in (*lie.values(), gone) for each in cards if each.family == god.counts]
    own = sum(each.family == god.counts for each in lie[seat])
    found = {"kp": sum(each.points for each in seen), "under": sum(len(each.under) for each in seen)}
    found |= {"many": len(seen), "own": own, "others": len(seen) - own}
    cards = counted(len(seen), f"{FAMILIES.get(god.counts)} card", "no")
    return sum(kp * found[what] for what, kp in god.evokes.items()), god.how.format(cards=cards, **found)
