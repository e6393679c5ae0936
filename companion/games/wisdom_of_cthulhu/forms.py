"""What opens in a sheet: the words an action needs, points with a reason, the Ritual, and corrections."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Button, Do, Field, Form, Seat
from companion.games.wisdom_of_cthulhu.box import BONDS, BOXES, DARK_MASTERS, REQUIREMENTS, bond, places
from companion.games.wisdom_of_cthulhu.commands.by_hand import AT_HOME
from companion.games.wisdom_of_cthulhu.commands.points import SOURCES, UNNAMED, idle
from companion.games.wisdom_of_cthulhu.commands.research import FAMILIES, NONE
from companion.games.wisdom_of_cthulhu.commands.ritual import mixing_cost
from companion.games.wisdom_of_cthulhu.offers import invocable, masters_of, placed_signs
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, Place, State, place_number

GAINED = Field("points", "Knowledge Points at once", "0", "number")
LATER = " (later draft)"


def forms(state: State) -> tuple[Form, ...]:
    found: list[Form] = []
    if state.actor is not None and state.phase == "research":
        found += _actions(state, state.actor)
    for seat in state.table.seats if state.turn else ():
        found += _of_seat(state, seat)
    found += [_place(state, number) for number in range(1, places(len(state.seats)) + 1)]
    return tuple(found)


# --- the actions that need a word more ---


def _actions(state: State, seat: int) -> Iterator[Form]:
    args: dict[str, str | int] = {"seat": seat, "turn": state.turn, "after": state.acted}
    yield from _buying(state, seat, args)
    yield from _signing(state, seat, args)
    yield from _powers(state, seat, args)


def _buying(state: State, seat: int, args: dict[str, str | int]) -> Iterator[Form]:
    name = state.name(seat)
    yield Form(
        "act-knowledge",
        f"{name} buys a Knowledge card",
        Do("buy_knowledge", args),
        (Field("card", "Card", "fw", "choice", _cards(state)), GAINED),
        "Buy it",
    )
    yield Form(
        "act-activation",
        f"{name} uses an Activation card",
        Do("use_activation", args),
        (
            Field("points", "Its Knowledge Points", "0", "number"),
            Field("name", "Which card", UNNAMED),
            _paying(state, seat, NONE),
        ),
        "Use it",
    )


def _signing(state: State, seat: int, args: dict[str, str | int]) -> Iterator[Form]:
    name = state.name(seat)
    yield Form(
        "act-sign",
        f"{name} places an Elder Sign{LATER}",
        Do("place_sign", args),
        (Field("target", "On", "knowledge", "choice", _targets(state)),),
        "Place it",
    )
    owners = tuple(
        (str(other), f"{state.name(other)}’s, on {state.where(state.player(other).sign)}")
        for other in placed_signs(state, seat)
    )
    if owners:
        yield Form(
            "act-unsign",
            f"{name} removes an Elder Sign{LATER}",
            Do("remove_sign", args),
            (Field("owner", "Whose", owners[0][0], "choice", owners),),
            "Remove it",
        )


def _powers(state: State, seat: int, args: dict[str, str | int]) -> Iterator[Form]:
    name, mine = state.name(seat), state.player(seat)
    costs: tuple[tuple[str, str], ...] = (("obsession", "one Obsession"), ("free", "nothing"))
    costs = costs if mine.obsessions else costs[1:]
    here = state.places.get(place_number(mine.seeker), Place()).bond
    yield Form(
        "act-place",
        f"{name} uses a place’s power",
        Do("use_place", args),
        (Field("cost", "It costs", costs[0][0], "choice", costs), _paying(state, seat, here or NONE), GAINED),
        "Use it",
    )
    gods = tuple((each.id, each.god) for each in invocable(state, seat))
    if gods:
        powers = tuple((str(n), f"Power {n}") for n in (1, 2)[: mine.ritual])
        yield Form(
            "act-invocation",
            f"{name} uses an Invocation Power{LATER}",
            Do("invoke", args),
            (
                Field("bond", "Great Old One", gods[0][0], "choice", gods),
                Field("power", "Which power", "1", "choice", powers),
                Field("cost", "It costs", "free", "choice", costs[::-1]),
                GAINED,
            ),
            "Use it",
        )


def _paying(state: State, seat: int, now: str) -> Field:
    return Field("bond", "Dark Bond that pays", now, "choice", _bonds(state, seat))


def _cards(state: State) -> tuple[tuple[str, str], ...]:
    """Families, and the Dark Masters that nobody has, by name."""
    held = {each.name for seat in state.seats for each in state.player(seat).masters}
    named = (
        (m.name, f"{m.name}: {bond(m.bond).name}, {m.points} KP") for m in DARK_MASTERS if m.name not in held
    )
    return (("fw", FAMILIES["fw"]), ("as", FAMILIES["as"]), *named, ("dm", "another Dark Master"))


def _bonds(state: State, seat: int) -> tuple[tuple[str, str], ...]:
    known = ((b.id, f"{b.name}: {masters_of(state, seat, b.id)}") for b in BONDS if not idle(state, b.id))
    return ((NONE, "none"), *known)


def _targets(state: State) -> tuple[tuple[str, str], ...]:
    kinds = ((kind, state.where(kind)) for kind in ("knowledge", "card", "entity", "power"))
    return (*kinds, *_places(state))


def _places(state: State) -> tuple[tuple[str, str], ...]:
    numbers = range(1, places(len(state.seats)) + 1)
    return tuple((f"place-{number}", state.place_name(number)) for number in numbers)


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
    ways = ((AT_HOME, "home"), *_places(state), *gods)
    yield Form(
        f"seeker-{seat.id}",
        f"{seat.name}’s Seeker",
        Do("move_seeker", {"seat": seat.id}),
        (Field("to", "Now at", mine.seeker or AT_HOME, "choice", ways),),
        "Move it, free of charge",
    )
    spots = ((AT_HOME, state.where(HOME)), *_targets(state), (OUT, state.where(OUT)))
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
    named = _cards(state)[2:-1]
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
    choices = []
    for each in BONDS:
        cost = mixing_cost(state, seat.id, each.id)
        choices.append((each.id, each.name + (f": mixing costs {cost} KP" if cost else "")))
    last = mine.rites[-1].bond if mine.rites else ""
    return Form(
        f"ritual-{seat.id}",
        f"{seat.name}: {REQUIREMENTS[box - 1]}, Ritual box {box}{LATER}",
        Do("advance_ritual", {"seat": seat.id, "turn": state.turn, "box": box}),
        (
            Field("bond", "Ritual Object with the bond of", last or BONDS[0].id, "choice", tuple(choices)),
            Field(
                "by",
                "Because",
                "requirement",
                "choice",
                (("requirement", f"{REQUIREMENTS[box - 1]} is met"), ("effect", "a card’s effect grants it")),
            ),
        ),
        f"Move to box {box}",
        also=_ritual_by_hand(state, seat),
    )


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
