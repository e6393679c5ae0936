"""The Learning Area: which cards lie before whom, what is under a Combination, what a card pays."""

from __future__ import annotations

from typing import Annotated

from companion.core import Choice, Context, Count, Event, Events, Name, Refused, SeatId, refuse_if, replace
from companion.core.refused import there
from companion.core.text import Bounds
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.player import PARTS, Learned
from companion.games.wisdom_of_cthulhu.points import PointsCounted
from companion.games.wisdom_of_cthulhu.state import State
from companion.games.wisdom_of_cthulhu.turn import Turn

Worth = Annotated[Count, Bounds(ge=1, le=99)]


def laid_down(state: State, seat: int, card: Learned) -> State:
    for other in state.seats:
        held = {each.name.casefold() for each in state.player(other).learned}
        refuse_if(card.name.casefold() in held, f"{card.name} is with {state.name(other)} already.")
    return state.with_player(seat, learned=(*state.player(seat).learned, card))


def own(state: State, seat: int, name: str) -> Learned:
    return there(state.player(seat).card(name), f"{state.name(seat)} has no card called {name[:40]}.")


class CardTaken(Event[State]):
    """By name, with what is printed on it; an Immediate one that serves no Ritual is discarded at once."""

    seat: int
    name: str
    family: str
    kind: str = ""
    points: int = 0
    bond: str = ""
    object: str = ""
    discarded: bool = False

    def fold(self, state: State) -> State:
        card = Learned(self.name, self.family, self.kind, self.points, self.bond, self.object)
        state = state.with_player(self.seat, gets=(*state.player(self.seat).gets, self.family))
        typed = state.typed if self.name in box.CARDS else {**state.typed, self.name: card}
        state = replace(state, named=True, typed=typed)
        if self.discarded:
            return replace(state, discards=(*state.discards, card))
        return laid_down(state, self.seat, card)

    def log_text(self, state: State) -> str:
        if self.discarded:
            return ""  # the action says it
        worth = [f"{self.points} KP"] if self.points else []
        worth = [f"bond of {box.find_bond(self.bond).name}", *worth] if self.bond else worth
        return f"has {self.name}" + (f" ({', '.join(worth)})" if worth else "")


class MasterTaken(Event[State], tap="hold_bond", seat=SeatId, name=Name, bond=Choice, points=Worth):
    """A card whose Dark Bond pays, and that is none of the box, or whose print differs."""

    seat: int
    name: str
    bond: str
    points: int

    def fold(self, state: State) -> State:
        known = box.DARK_MASTERS.get(self.name, box.Card(self.name, ""))
        bond, name = box.find_bond(self.bond).id, self.name
        card = Learned(name, known.family, known.kind, self.points, bond, known.object)
        return laid_down(state, self.seat, card)


class MasterLost(Event[State], tap="lose_card", seat=SeatId, name=Choice):
    """Any card; what lies under it goes along."""

    seat: int
    name: str

    def fold(self, state: State) -> State:
        lost = own(state, self.seat, self.name)
        left = tuple(each for each in state.player(self.seat).learned if each is not lost)
        return replace(state.with_player(self.seat, learned=left), discards=(*state.discards, lost))


class ComponentLaid(Event[State]):
    """Under a Combination: a card that lay beside it, by name, or one that was bought for that."""

    seat: int
    card: str
    family: str
    name: str = ""

    def fold(self, state: State) -> State:
        under, mine = own(state, self.seat, self.card), state.player(self.seat)
        refuse_if(self.family not in under.lacks, f"{self.card} does not wait for such a card.")
        left = [each for each in mine.learned if each.name != self.name or not self.name]
        refuse_if(bool(self.name) and len(left) == len(mine.learned), f"{self.name} is not there any more.")
        laid = under._replace(parts=(*under.parts, self.family))
        learned = tuple([laid if each is under else each for each in left])
        gets = mine.gets if self.name else (*mine.gets, self.family)  # what lay there has come before
        return state.with_player(self.seat, learned=learned, gets=gets)

    def log_text(self, state: State) -> str:
        what = self.name or ("an Entity" if self.family == "en" else f"a {box.FAMILIES[self.family]} card")
        mine = state.player(self.seat).card(self.card)
        return f"{what} goes under {self.card}" + (", which is complete" if mine and not mine.lacks else "")


def printed(state: State, name: str) -> box.Card | Learned:
    """A card of the box, or one that this table has typed in."""
    known = box.CARDS.get(name) or state.typed.get(name)
    if known is None:
        raise Refused(f"No card here is called {name[:40]}. Type it in, with what is printed on it.")
    return known


def taken(state: State, seat: int, card: box.Card | Learned, used: bool = False) -> CardTaken:
    """Entities come in several copies, and each has a name of its own."""
    name, copy = card.name, 1
    while card.family == "en" and state.holder(name) is not None:
        copy += 1
        name = f"{card.name} {copy}"
    return CardTaken(seat, name, card.family, card.kind, card.points, card.bond, card.object, used)


def take_card(state: State, context: Context, seat: SeatId, card: Choice) -> Events:
    """Without an action: a card's effect, or a slip."""
    refuse_if(not state.turn, "Cards come once turn 1 has begun.")
    yield taken(state, seat, printed(state, card))


def lay_under(
    state: State, context: Context, seat: SeatId, turn: Turn, card: Choice, under: Choice
) -> Events:
    """A card that lies there, by name, or one of a family that the phones do not know."""
    mine = state.player(seat).card(card)
    family, name = (mine.family, card) if mine else (card, "")
    refuse_if(name == under or family not in PARTS, f"That cannot lie under {under[:40]}.")
    yield from component(state, seat, turn, family, under, name)


def component(state: State, seat: int, turn: int, family: str, under: str, name: str = "") -> Events:
    """An Immediate Combination that it completes pays at once, and goes with all that lies under it."""
    laid = ComponentLaid(seat, under, family, name)
    yield laid
    mine = laid.fold(state).player(seat)
    whole = mine.card(under)
    if whole and whole.kind == "Immediate" and not whole.lacks and not whole.object:
        yield from _paid(seat, turn, whole.name, mine.worth(whole), "combination")
        yield MasterLost(seat, whole.name)


def play_card(state: State, context: Context, seat: SeatId, turn: Turn, card: Choice) -> Events:
    """A Continuous one takes effect; an Immediate one that was kept for a Ritual is used now, and goes."""
    mine, played = state.player(seat), own(state, seat, card)
    refuse_if(played.kind == "Activation", f"{card} is activated, as an action, for an Obsession.")
    refuse_if(played.lacks, f"The Combination of {card} is not complete.")
    check_unsigned(state, seat, card)
    worth = mine.worth(played)
    idle = not worth and played.kind != "Immediate"
    refuse_if(idle, f"{card} has no points printed on it; count them by hand.")
    yield from _paid(seat, turn, card, worth)
    if played.kind == "Immediate":
        yield MasterLost(seat, card)


def _paid(seat: int, turn: int, name: str, worth: int, what: str = "card") -> Events:
    if worth:
        yield PointsCounted(seat, turn, worth, f"{what}: {name}")


def check_unsigned(state: State, seat: int, card: str) -> None:
    owner = state.blocker(seat, f"card-{card}")
    refuse_if(bool(owner), f"{owner}’s Elder Sign lies on {card}: it cannot be played this turn.")
