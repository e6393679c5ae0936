"""What opens in a sheet: an action's words, points with a reason, the Ritual, and corrections."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Button, Do, Field, Form, Seat
from companion.games.wisdom_of_cthulhu.action_forms import (
    LATER,
    action_forms,
    cards_for_sale,
    places_of,
    targets,
)
from companion.games.wisdom_of_cthulhu.box import BONDS, BOXES, MET_WHEN, REQUIREMENTS, bond, places
from companion.games.wisdom_of_cthulhu.commands.by_hand import AT_HOME
from companion.games.wisdom_of_cthulhu.commands.points import SOURCES, UNNAMED, idle
from companion.games.wisdom_of_cthulhu.commands.ritual import in_time, mixing_cost, own_masters, pays
from companion.games.wisdom_of_cthulhu.offers import masters_of
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State


def forms(state: State) -> Iterator[Form]:
    if state.actor is not None and state.phase == "research":
        yield from action_forms(state, state.actor)
    for seat in state.table.seats if state.turn else ():
        yield from _of_seat(state, seat)
    for number in range(1, places(len(state.seats)) + 1):
        yield _place(state, number)


# --- for each seat ---


def _of_seat(state: State, seat: Seat) -> Iterator[Form]:
    mine = state.player(seat.id)
    yield Form(
        f"points-{seat.id}",
        f"Knowledge Points for {seat.name}",
        Do("gain", {"seat": seat.id, "turn": state.turn}),
        (
            Field("points", "Points (−3 takes away)", "", "number"),
            Field("source", "From a", "card", "choice", tuple(SOURCES.items())),
            Field("name", "Which one", UNNAMED),
        ),
        "Count them",
    )
    if not state.over and mine.ritual < BOXES:
        yield _advance(state, seat)
    if not state.over and mine.ritual == BOXES and not state.evoked:
        yield _evoke(state, seat)
    yield from _markers(state, seat)
    yield _six_cards(state, seat)
    yield from _masters(state, seat)


def _markers(state: State, seat: Seat) -> Iterator[Form]:
    mine = state.player(seat.id)
    gods = tuple((f"god-{b.id}", f"{b.god}’s card") for b in BONDS if state.in_play(b.id))
    ways = ((AT_HOME, "home"), *places_of(state), *gods)
    yield Form(
        f"seeker-{seat.id}",
        f"{seat.name}’s Seeker",
        Do("move_seeker", {"seat": seat.id}),
        (Field("to", "Now at", mine.seeker or AT_HOME, "choice", ways),),
        "Move it, free of charge",
    )
    spots = ((AT_HOME, state.where(HOME)), *targets(state), (OUT, state.where(OUT)))
    yield Form(
        f"sign-{seat.id}",
        f"{seat.name}’s Elder Sign, without an action{LATER}",
        Do("move_sign", {"seat": seat.id}),
        (Field("to", "Now on", mine.sign or AT_HOME, "choice", spots),),
        "Put it right",
    )


def _six_cards(state: State, seat: Seat) -> Form:
    labels = {
        "hand": "Paths in hand",
        "spent": "Spent this turn",
        "temporary": "Temporary Obsessions",
        "permanent": "Permanent Obsessions",
    }
    mine = state.player(seat.id)
    return Form(
        f"cards-{seat.id}",
        f"{seat.name}’s six cards",
        Do("set_cards", {"seat": seat.id}),
        tuple(Field(name, label, str(getattr(mine, name)), "number") for name, label in labels.items()),
        "Put them right",
    )


def _masters(state: State, seat: Seat) -> Iterator[Form]:
    yield _new_master(state, seat)
    yield Form(
        f"bond-{seat.id}",
        f"Another card with a Dark Bond, for {seat.name}",
        Do("hold_bond", {"seat": seat.id}),
        (
            Field("name", "Name"),
            Field("bond", "Dark Bond", "madness", "choice", tuple((b.id, b.name) for b in BONDS)),
            Field("points", "Points it pays", "4", "number"),
        ),
        "Lay it down",
    )
    for at, each in enumerate(state.player(seat.id).masters):
        yield Form(
            f"master-{seat.id}-{at}",
            f"{each.name}: {bond(each.bond).name}, {each.points} KP",
            Do("lose_master", {"seat": seat.id, "name": each.name}),
            (),
            "Discard this card",
        )


def _new_master(state: State, seat: Seat) -> Form:
    named = cards_for_sale(state)[2:-1]
    return Form(
        f"take-{seat.id}",
        f"A Dark Master for {seat.name}, without an action",
        Do("take_master", {"seat": seat.id}),
        (Field("master", "Who", named[0][0] if named else "", "choice", named),),
        "Lay it down",
    )


def _advance(state: State, seat: Seat) -> Form:
    mine = state.player(seat.id)
    box = mine.ritual + 1
    last = mine.rites[-1].bond if mine.rites else ""
    return Form(
        f"ritual-{seat.id}",
        f"{seat.name}: {REQUIREMENTS[box - 1]}, Ritual box {box}{LATER}",
        Do("advance_ritual", {"seat": seat.id, "turn": state.turn, "box": box}),
        (
            Field(
                "bond",
                "Ritual Object with the bond of",
                last or BONDS[0].id,
                "choice",
                tuple(_objects(state, seat.id, box)),
            ),
            _because(state, box),
        ),
        f"Move to box {box}",
        also=_ritual_by_hand(state, seat),
    )


def _objects(state: State, seat: int, box: int) -> Iterator[tuple[str, str]]:
    """By their bond; a Dark Master stands here by name, since the manual pays nothing for those."""

    def priced(words: str, kind: str) -> str:
        cost = mixing_cost(state, seat, kind)
        return words + (f", mixing costs {cost} KP" if cost else "")

    for each in BONDS:
        pay = pays(state, box) and state.player(seat).paid_by(each.id) and not idle(state, each.id)
        yield each.id, priced(f"{each.name}{f': {masters_of(state, seat, each.id)}' if pay else ''}", each.id)
    for master in own_masters(state, seat):
        nothing = ", a Dark Master: no bond pays" if pays(state, box) else ""
        yield master.name, priced(f"{bond(master.bond).name}: {master.name}{nothing}", master.bond)


LATE = (
    "it was met when this turn began",
    "it was met last turn; we tap it late",
    "it was made at the end of last turn; we tap it late",
)


def _because(state: State, box: int) -> Field:
    """Out of its time a requirement needs another reason than that it is met now."""
    name = REQUIREMENTS[box - 1]
    effect = ("effect", "a card’s effect grants it")
    if in_time(state, box):
        choices: tuple[tuple[str, str], ...] = (("requirement", f"{name} is met"), effect)
        return Field("by", "Because", "requirement", "choice", choices)
    late = (("late", LATE[box - 1]),) if box == 1 or state.turn > 1 else ()
    label = f"{name} is met {MET_WHEN[box - 1]}. Why now?"
    return Field("by", label, "requirement", "choice", (("requirement", "choose a reason"), *late, effect))


def _evoke(state: State, seat: Seat) -> Form:
    last = state.player(seat.id).rites[-1].bond
    gods = tuple((b.id, b.god) for b in BONDS if last in ("", b.id))
    return Form(
        f"evoke-{seat.id}",
        f"{seat.name} evokes a Great Old One{LATER}",
        Do("evoke", {"seat": seat.id, "turn": state.turn}),
        (
            Field("bond", "Who comes", gods[0][0], "choice", gods),
            Field("points", "Points of its Evocation Power", "0", "number"),
        ),
        "Evoke: the only one of this game",
        also=_ritual_by_hand(state, seat),
    )


def _ritual_by_hand(state: State, seat: Seat) -> tuple[Button, ...]:
    """For effects that move the token, and for slips."""
    now = state.player(seat.id).ritual
    return tuple(
        Button(
            f"Token back to {f'box {to}' if to else 'the start'}",
            Do("set_ritual", {"seat": seat.id, "to": to}),
        )
        for to in range(now - 1, -1, -1)
    )


def _place(state: State, number: int) -> Form:
    place = state.place(number)
    kinds = (("none", "not noted"), *((b.id, b.name) for b in BONDS))
    return Form(
        f"place-{number}",
        f"Arcane Place {number}",
        Do("note_place", {"place": number}),
        (
            Field("name", "Its name", state.place_name(number)),
            Field("bond", "Its Dark Bond", place.bond or "none", "choice", kinds),
        ),
        "Note it",
    )
