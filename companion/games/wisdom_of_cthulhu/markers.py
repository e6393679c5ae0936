"""Seekers, Elder Signs and Arcane Places: where things lie, and moved by hand."""

from __future__ import annotations

from typing import Annotated, Literal

from companion.core import Choice, Context, Count, Event, Events, Name, Refused, SeatId, refuse_if, replace
from companion.core.text import Bounds
from companion.games.wisdom_of_cthulhu.box import find_bond
from companion.games.wisdom_of_cthulhu.player import HOME
from companion.games.wisdom_of_cthulhu.state import OUT, Place, State, place_number

Points = Annotated[Count, Bounds(le=99)]
UNBLOCKED = "madness"  # once Cthulhu is evoked, places cannot be blocked
AT_HOME = "home"  # what a form sends for HOME
SIGNED = ("knowledge", "card", "entity", "power")  # what an Elder Sign lies on, besides places


def _check_spot(state: State, to: str, allowed: tuple[str, ...]) -> None:
    state.where(to)
    if number := place_number(to):
        state.place(number)  # there are only so many
    elif to and not to.startswith(allowed):
        raise Refused("That marker cannot go there.")


def check_seeker(state: State, seat: int, to: str, allowed: tuple[str, ...] = ()) -> None:
    """Whether a Seeker could go there: to explore a place, or to what else is allowed. One Seeker at a place,
    and none where another player's Elder Sign lies."""
    _check_spot(state, to, allowed)
    name, what = closed_by(state, seat, to)
    refuse_if(what == "Seeker", f"{name}’s Seeker is on {state.where(to)}.")
    refuse_if(what, f"{name}’s Elder Sign closes {state.where(to)} to other Seekers.")


def closed_by(state: State, seat: int, to: str) -> tuple[str, str]:
    """Whose marker keeps this player out, and which."""
    open_to_all = state.evoked is not None and state.evoked.bond == UNBLOCKED
    for other in [each for each in state.table.seats if each.id != seat and place_number(to)]:
        if state.players[other.id].seeker == to:
            return other.name, "Seeker"
        if state.players[other.id].sign == to and not open_to_all:
            return other.name, "Sign"
    return "", ""


class SeekerMoved(Event[State]):
    seat: int
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
        bond = find_bond(self.bond).id if self.bond else ""
        noted = Place(self.called, bond, self.points, self.free, self.used)
        return replace(state, places={**state.places, self.place: noted})


def move_seeker(state: State, context: Context, seat: SeatId, to: Choice) -> Events:
    """Free, and part of an action; here for a Seeker that stays where it is."""
    yield SeekerMoved(seat, _spot(state, to, state.player(seat).seeker))


def move_sign(state: State, context: Context, seat: SeatId, to: Choice) -> Events:
    """Without an action: a card's effect, or a slip."""
    spot = _spot(state, to, state.player(seat).sign)
    if spot not in (HOME, OUT):
        check_target(state, seat, spot)
    yield SignMoved(seat, spot)


def check_target(state: State, seat: int, to: str) -> None:
    """What an Elder Sign may be laid on now; of a card or a power it has to be said which."""
    refuse_if(to in (HOME, OUT), "Say what the Elder Sign is placed on.")
    kind, _, which = to.partition("-")
    refuse_if(kind in ("card", "power") and not which, f"Say which {kind}.")
    _check_spot(state, to, SIGNED)
    match kind:
        case "place":
            cthulhu = state.evoked and state.evoked.bond == UNBLOCKED
            refuse_if(cthulhu, "Since Cthulhu was evoked places cannot be blocked.")
        case "power":
            refuse_if(state.evoked, "After the evocation no Elder Sign goes on a Great Old One.")
            god = find_bond(which.rpartition("-")[0])
            refuse_if(not state.in_play(god.id), f"{god.god} is not in play at this table.")
        case "card":
            refuse_if(state.holder(which) in (None, seat), f"{which[:40]} does not lie before an opponent.")
        case "knowledge" if which:
            refuse_if(not state.left(which, seat), "None of those is left in the Research Area.")


def _spot(state: State, to: str, now: str) -> str:
    spot = HOME if to == AT_HOME else to
    refuse_if(not state.turn, "Markers move once turn 1 has begun.")
    refuse_if(spot == now, "It is there already.")
    return spot


def note_place(
    state: State,
    context: Context,
    place: Count,
    name: Name,
    bond: Choice = "none",
    points: Points = 0,
    cost: Literal["obsession", "free"] = "obsession",
) -> Events:
    yield PlaceNoted(place, name, "" if bond == "none" else bond, points, cost == "free", True)
