"""Markers and cards that lie about: Seekers, Elder Signs, Ritual tokens, Dark Masters, places."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused
from companion.games.wisdom_of_cthulhu.box import BOXES, REQUIREMENTS, Master, bond
from companion.games.wisdom_of_cthulhu.events import (
    GodEvoked,
    MasterLost,
    MasterTaken,
    PlaceNoted,
    RitualAdvanced,
    RitualSet,
    SeekerMoved,
    SignMoved,
)
from companion.games.wisdom_of_cthulhu.house_rules import BELOW_ZERO, SACRIFICE_WHEN
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Evoked, Place, Rite, State, place_number

UNBLOCKED = "madness"  # once Cthulhu is evoked, places cannot be blocked


def evolve(state: State, event: Event) -> State:
    match event:
        case SeekerMoved() | SignMoved() | PlaceNoted():
            return _markers(state, event)
        case RitualAdvanced() | RitualSet() | GodEvoked():
            return _ritual(state, event)
        case MasterTaken(seat, name, kind, points):
            return _with_master(state, seat, Master(name, bond(kind).id, points))
        case MasterLost(seat, name):
            return _without_master(state, seat, name)
        case _:
            return state


def _with_master(state: State, seat: int, master: Master) -> State:
    for other in state.seats:
        if any(each.name.casefold() == master.name.casefold() for each in state.player(other).masters):
            raise Refused(f"{master.name} is with {state.name(other)} already.")
    return state.with_player(seat, masters=(*state.player(seat).masters, master))


def _without_master(state: State, seat: int, name: str) -> State:
    held = state.player(seat).masters
    left = tuple(each for each in held if each.name != name)
    if left == held:
        raise Refused(f"{state.name(seat)} has no card called {name[:40]}.")
    return state.with_player(seat, masters=left)


# --- Seekers, Elder Signs, places ---


def _markers(state: State, event: Event) -> State:
    match event:
        case SeekerMoved(seat, to):
            _check_spot(state, to, ("god-",))
            check_entry(state, seat, to)
            return state.with_player(seat, seeker=to)
        case SignMoved(owner, to):
            _check_spot(state, to, ("knowledge", "card", "entity", "power", OUT))
            for seat in state.seats:
                if seat != owner and place_number(to) and state.player(seat).seeker == to:
                    state = state.with_player(seat, seeker=HOME)  # sent home by the sign
            return state.with_player(owner, sign=to)
        case PlaceNoted(place, name, kind):
            state.place(place)
            noted = Place(name, bond(kind).id if kind else "")
            return replace(state, places={**state.places, place: noted})
    return state


def _check_spot(state: State, to: str, allowed: tuple[str, ...]) -> None:
    state.where(to)
    if number := place_number(to):
        state.place(number)  # there are only so many
    elif to and not to.startswith(allowed):
        raise Refused("That marker cannot go there.")


def check_place(state: State, seat: int, at: str) -> None:
    """Whether a Seeker could go there to explore it."""
    _check_spot(state, at, ())
    check_entry(state, seat, at)


def check_entry(state: State, seat: int, to: str) -> None:
    """One Seeker at a place, and none where another player's Elder Sign lies."""
    if not place_number(to):
        return
    open_to_all = state.evoked is not None and state.evoked.bond == UNBLOCKED
    for other in state.seats:
        if other == seat:
            continue
        if state.player(other).seeker == to:
            raise Refused(f"{state.name(other)}’s Seeker is on {state.where(to)}.")
        if state.player(other).sign == to and not open_to_all:
            raise Refused(f"{state.name(other)}’s Elder Sign closes {state.where(to)} to other Seekers.")


# --- the Ritual ---


def _ritual(state: State, event: Event) -> State:
    match event:
        case RitualAdvanced(seat, turn, box, kind, cost, by_effect, late):
            state.check_turn(turn)
            check_box(state, seat, box)
            met = late or turn
            if box == BOXES and not by_effect:
                check_sacrifice(state, seat, met)
            if cost:
                state = _mixed(state, seat, turn, cost)
            return state.with_player(seat, rites=(*state.player(seat).rites, Rite(bond(kind).id, met)))
        case RitualSet(seat, to):
            if not 0 <= to <= BOXES:
                raise Refused("The Ritual track has a start and three boxes.")
            known = state.player(seat).rites[:to]
            return state.with_player(seat, rites=(*known, *[Rite("", 0)] * (to - len(known))))
        case GodEvoked(seat, turn, kind):
            check_evocation(state, seat, kind)
            return replace(state, evoked=Evoked(seat, bond(kind).id, turn))
    return state


def check_box(state: State, seat: int, box: int) -> None:
    now = state.player(seat).ritual
    if now == BOXES:
        raise Refused(f"{state.name(seat)}’s Ritual token is in the last box already.")
    if box != now + 1:
        raise Refused(
            f"{REQUIREMENTS[now]} is next for {state.name(seat)}: the three come strictly in order."
        )


def check_sacrifice(state: State, seat: int, turn: int) -> None:
    before = state.player(seat).rites[-1]
    if before.turn >= turn and SACRIFICE_WHEN.chosen(state.table) != "same":
        raise Refused(
            f"{state.name(seat)} met the Transmutation in turn {before.turn}; "
            f"the Sacrifice comes at the end of the next."
        )


def _mixed(state: State, seat: int, turn: int, cost: int) -> State:
    has = state.kp(seat)
    if has < cost and BELOW_ZERO.chosen(state.table) != "yes":
        raise Refused(f"Mixing bonds costs {cost} KP, and {state.name(seat)} has {has}.")
    return state.with_points(turn, seat, -cost)


def check_evocation(state: State, seat: int, kind: str) -> None:
    mine, name = state.player(seat), state.name(seat)
    if state.evoked:
        god = bond(state.evoked.bond).god
        raise Refused(f"There is one evocation in a game, and {god} has been evoked.")
    if mine.ritual < BOXES:
        raise Refused(
            f"{name} needs all three requirements; the Ritual token is at {mine.ritual} of {BOXES}."
        )
    last = mine.rites[-1].bond
    if last and bond(kind).id != last:
        raise Refused(
            f"The last object has the bond of {bond(last).name}, so only {bond(last).god} can come."
        )
    if not state.in_play(kind):
        raise Refused(f"{bond(kind).god} is not in play at this table.")
