"""What lies where: the cards of the Learning Areas, what is under a Combination, and what a card pays; then
Seekers, Elder Signs and Arcane Places, moved by hand."""

from dataclasses import dataclass
from typing import Annotated, Literal

from companion.core import Context, Event, Events, SeatEvent, nothing_if, refuse_if, replace, there
from companion.core.text import Bounds, Choice, Count, Name, SeatId
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.points import KP, Maybe, PointsCounted
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, SPOTS, Place, State, place_number
from companion.games.wisdom_of_cthulhu.turn import Turn

Worth = Annotated[Count, Bounds(ge=1, le=99)]
UNBLOCKED = "madness"  # once Cthulhu is evoked, places cannot be blocked
AT_HOME = "home"  # what a form sends for HOME
Spot = Annotated[Choice, nothing_if(AT_HOME)]
SIGNED = ("knowledge", "card", "entity", "power")  # what an Elder Sign lies on, besides places
Cost = Literal["obsession", "free"]


def laid_down(state: State, seat: int, card: box.Card) -> State:
    for other in state.seats:
        held = {each.name.casefold() for each in state.player(other).learned}
        refuse_if(card.name.casefold() in held, f"{card.name} is with {state.name(other)} already.")
    return state.with_player(seat, learned=(*state.player(seat).learned, card))


def own(state: State, seat: int, name: str) -> box.Card:
    return there(state.player(seat).card(name), f"{state.name(seat)} has no card called {name[:40]}.")


class CardTaken(SeatEvent[State]):
    """By name, with what is printed on it; an Immediate one that serves no Ritual is discarded at once."""

    name: str
    family: str
    kind: str = ""
    points: int = 0
    bond: str = ""
    object: str = ""
    discarded: bool = False

    def fold(self, state: State) -> State:
        card = box.CARDS.get(self.name, box.Card(self.name, ""))._replace(family=self.family, kind=self.kind)
        card = card._replace(points=self.points, bond=self.bond, object=self.object)
        state = state.with_player(self.seat, gets=(*state.player(self.seat).gets, self.family))
        typed = state.typed if self.name in box.CARDS else {**state.typed, self.name: card}
        state = replace(state, named=True, typed=typed)
        if self.discarded:
            return replace(state, discards=(*state.discards, card))
        return laid_down(state, self.seat, card)


class MasterTaken(SeatEvent[State], tap="hold_bond", seat=SeatId, name=Name, bond=Choice, points=Worth):
    """A card whose Dark Bond pays, and that is none of the box, or whose print differs."""

    name: str
    bond: str
    points: int

    def fold(self, state: State) -> State:
        card = box.CARDS.get(self.name, box.Card(self.name, ""))
        if card.family != "dm":
            card = card._replace(family="", kind="", object="")
        card = card._replace(points=self.points, bond=box.find_bond(self.bond).id)
        return laid_down(state, self.seat, card)


class MasterLost(SeatEvent[State], tap="lose_card", seat=SeatId, name=Choice):
    """Any card; what lies under it goes along."""

    name: str

    def fold(self, state: State) -> State:
        lost = own(state, self.seat, self.name)
        left = tuple(each for each in state.player(self.seat).learned if each is not lost)
        return replace(state.with_player(self.seat, learned=left), discards=(*state.discards, lost))


class ComponentLaid(SeatEvent[State]):
    """Under a Combination: a card that lay beside it, by name, or one that was bought for that."""

    card: str
    family: str
    name: str = ""

    def fold(self, state: State) -> State:
        whole, mine = own(state, self.seat, self.card), state.player(self.seat)
        refuse_if(self.family not in whole.lacks, f"{self.card} does not wait for such a card.")
        left = [each for each in mine.learned if each.name != self.name or not self.name]
        refuse_if(bool(self.name) and len(left) == len(mine.learned), f"{self.name} is not there any more.")
        laid = whole._replace(under=(*whole.under, self.family))
        learned = tuple([laid if each is whole else each for each in left])
        gets = mine.gets if self.name else (*mine.gets, self.family)  # what lay there has come before
        return state.with_player(self.seat, learned=learned, gets=gets)

    @property
    def what(self) -> str:
        return self.name or SPOTS["entity" if self.family == "en" else f"knowledge-{self.family}"]

    def whole(self, state: State) -> bool:
        mine = state.player(self.seat).card(self.card)
        return mine is not None and not mine.lacks


def printed(state: State, name: str) -> box.Card:
    """A card of the box, or one that this table has typed in."""
    unknown = f"No card here is called {name[:40]}. Type it in, with what is printed on it."
    return there(box.CARDS.get(name) or state.typed.get(name), unknown)


def taken(state: State, seat: int, card: box.Card, used: bool = False) -> CardTaken:
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
    refuse_if(name == under or family not in box.PARTS, f"That cannot lie under {under[:40]}.")
    yield from component(state, seat, turn, family, under, name)


def component(state: State, seat: int, turn: int, family: str, under: str, name: str = "") -> Events:
    """An Immediate Combination that it completes pays at once, and goes with all that lies under it."""
    laid = ComponentLaid(seat, under, family, name)
    yield laid
    mine = laid.fold(state).player(seat)
    whole = mine.card(under)
    if whole and whole.kind == "Immediate" and not whole.lacks and not whole.object:
        if worth := mine.worth(whole):
            yield PointsCounted(seat, turn, worth, f"combination: {whole.name}")
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
    if worth:
        yield PointsCounted(seat, turn, worth, f"card: {card}")
    if played.kind == "Immediate":
        yield MasterLost(seat, card)


def check_unsigned(state: State, seat: int, card: str) -> None:
    owner = state.blocker(seat, f"card-{card}")
    refuse_if(bool(owner), f"{owner}’s Elder Sign lies on {card}: it cannot be played this turn.")


# --- Seekers, Elder Signs and Arcane Places ---


def _check_spot(state: State, to: str, allowed: tuple[str, ...]) -> None:
    state.where(to)
    if number := place_number(to):
        state.place(number)  # there are only so many
    else:
        refuse_if(to and not to.startswith(allowed), "That marker cannot go there.")


def check_seeker(state: State, seat: int, to: str, allowed: tuple[str, ...] = ()) -> None:
    """Whether a Seeker could go there: to explore a place, or to what else is allowed. One Seeker at a place,
    and none where another player's Elder Sign lies."""
    _check_spot(state, to, allowed)
    name, what = closed_by(state, seat, to)
    refuse_if(what == "Seeker", f"{name}’s Seeker is on {state.where(to)}.")
    refuse_if(what, f"{name}’s Elder Sign closes {state.where(to)} to other Seekers.")


def closed_by(state: State, seat: int, to: str) -> tuple[str, str]:
    """Whose marker keeps this player out, and which."""
    for other in [each for each in state.table.seats if each.id != seat and place_number(to)]:
        if state.players[other.id].seeker == to:
            return other.name, "Seeker"
        if state.players[other.id].sign == to and state.came.id != UNBLOCKED:
            return other.name, "Sign"
    return "", ""


class SeekerMoved(SeatEvent[State]):
    to: str

    def fold(self, state: State) -> State:
        check_seeker(state, self.seat, self.to, ("god-",))
        return state.with_player(self.seat, seeker=self.to)


class SignMoved(Event[State]):
    owner: int
    to: str

    def fold(self, state: State) -> State:
        _check_spot(state, self.to, (*SIGNED, OUT))
        for seat in state.seats:
            if seat != self.owner and place_number(self.to) and state.player(seat).seeker == self.to:
                state = state.with_player(seat, seeker=HOME)  # sent home by the sign
        return state.with_player(self.owner, sign=self.to)


class PlaceNoted(Event[State]):
    place: int
    name: str
    bond: str = ""
    points: int = 0
    free: bool = False
    used: bool = False  # tapped as it was used, so that it is known whether it has a bond

    @property
    def called(self) -> str:
        return "" if self.name == f"Place {self.place}" else self.name

    def fold(self, state: State) -> State:
        state.place(self.place)
        bond = box.find_bond(self.bond).id if self.bond else ""
        noted = Place(self.called, bond, self.points, self.free, self.used)
        return replace(state, places={**state.places, self.place: noted})


def move_seeker(state: State, context: Context, seat: SeatId, to: Spot) -> Events:
    """Free, and part of an action; here for a Seeker that stays where it is."""
    _check_moves(state, to, state.player(seat).seeker)
    yield SeekerMoved(seat, to)


def move_sign(state: State, context: Context, seat: SeatId, to: Spot) -> Events:
    """Without an action: a card's effect, or a slip."""
    _check_moves(state, to, state.player(seat).sign)
    if to not in (HOME, OUT):
        check_target(state, seat, to)
    yield SignMoved(seat, to)


def _check_moves(state: State, to: str, now: str) -> None:
    refuse_if(not state.turn, "Markers move once turn 1 has begun.")
    refuse_if(to == now, "It is there already.")


def check_target(state: State, seat: int, to: str) -> None:
    """What an Elder Sign may be laid on now; of a card or a power it has to be said which."""
    refuse_if(to in (HOME, OUT), "Say what the Elder Sign is placed on.")
    kind, _, which = to.partition("-")
    refuse_if(kind in ("card", "power") and not which, f"Say which {kind}.")
    _check_spot(state, to, SIGNED)
    match kind:
        case "place":
            refuse_if(state.came.id == UNBLOCKED, "Since Cthulhu was evoked places cannot be blocked.")
        case "power":
            refuse_if(state.evoked, "After the evocation no Elder Sign goes on a Great Old One.")
            god = box.find_bond(which.rpartition("-")[0])
            refuse_if(not state.in_play(god.id), f"{god.god} is not in play at this table.")
        case "card":
            refuse_if(state.holder(which) in (None, seat), f"{which[:40]} does not lie before an opponent.")
        case "knowledge" if which:
            refuse_if(not state.left(which, seat), "None of those is left in the Research Area.")


@dataclass(frozen=True)
class Tile:
    """What a place shows."""

    bond: Maybe = ""
    points: KP = 0


def note_place(
    state: State, context: Context, place: Count, name: Name, tile: Tile, cost: Cost = "obsession"
) -> Events:
    yield PlaceNoted(place, name, tile.bond, tile.points, cost == "free", True)
