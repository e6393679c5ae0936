"""The words that an action needs before it is one tap: which card, where the Seeker goes, which bond pays."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Field, Form, Refused
from companion.games.wisdom_of_cthulhu.box import BONDS, DARK_MASTERS, ENTITIES, bond, places
from companion.games.wisdom_of_cthulhu.commands.points import UNNAMED, idle
from companion.games.wisdom_of_cthulhu.commands.research import (
    ANOTHER,
    ANYWHERE,
    FAMILIES,
    NONE,
    OF_THE_PLACE,
)
from companion.games.wisdom_of_cthulhu.marks import check_entry
from companion.games.wisdom_of_cthulhu.offers import invocable, masters_of, placed_signs
from companion.games.wisdom_of_cthulhu.state import State, place_number

Choices = tuple[tuple[str, str], ...]
GAINED = Field("points", "Knowledge Points at once", "0", "number")
LATER = " (later draft)"


def action_forms(state: State, seat: int) -> Iterator[Form]:
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
        (Field("card", "Card", "fw", "choice", cards_for_sale(state)), _seeker(state, seat), GAINED),
        "Buy it",
    )
    yield Form(
        "act-entity",
        f"{name} buys an Entity",
        Do("buy_entity", args),
        (
            Field("entity", "Entity, and what its bond pays now", ANOTHER, "choice", _entities(state, seat)),
            _seeker(state, seat),
            GAINED,
        ),
        "Buy it for an Obsession",
    )
    yield Form(
        "act-activation",
        f"{name} uses an Activation card",
        Do("use_activation", args),
        (
            Field("points", "Its Knowledge Points", "0", "number"),
            Field("name", "Which card", UNNAMED),
            Field("bond", "Dark Bond that pays", NONE, "choice", _bonds(state, seat)),
        ),
        "Use it",
    )


def _signing(state: State, seat: int, args: dict[str, str | int]) -> Iterator[Form]:
    name = state.name(seat)
    yield Form(
        "act-sign",
        f"{name} places an Elder Sign{LATER}",
        Do("place_sign", args),
        (Field("target", "On", "knowledge", "choice", targets(state)),),
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
    costs: Choices = (("obsession", "one Obsession"), ("free", "nothing"))
    costs = costs if mine.obsessions else costs[1:]
    yield Form(
        "act-place",
        f"{name} uses a place’s power",
        Do("use_place", args),
        (
            _seeker(state, seat),
            _bond_of_the_place(state, seat),
            Field("cost", "It costs", costs[0][0], "choice", costs),
            GAINED,
        ),
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


# --- what there is to choose from ---


def cards_for_sale(state: State) -> Choices:
    """Families, and the Dark Masters that nobody has, by name."""
    held = {each.name for seat in state.seats for each in state.player(seat).masters}
    named = (
        (m.name, f"{m.name}: {bond(m.bond).name}, {m.points} KP") for m in DARK_MASTERS if m.name not in held
    )
    return (("fw", FAMILIES["fw"]), ("as", FAMILIES["as"]), *named, ("dm", "another Dark Master"))


def _entities(state: State, seat: int) -> Choices:
    """Those of the box, and any other; an Immediate one says what its bond pays."""

    def now(id: str) -> str:
        if idle(state, id) or not state.player(seat).paid_by(id):
            return "pays nobody"
        return masters_of(state, seat, id)

    named = (
        (
            each.name,
            f"{each.name}: {each.kind}, {bond(each.bond).name}"
            + (f", {now(each.bond)}" if each.immediate else ""),
        )
        for each in ENTITIES
    )
    others = ((f"{ANOTHER}-{b.id}", f"another Immediate one: {b.name}, {now(b.id)}") for b in BONDS)
    return ((ANOTHER, "not named; nothing pays now"), *named, *others)


def _seeker(state: State, seat: int) -> Field:
    """Moving is free and part of the action, so a Seeker at home is no hindrance."""
    now = state.player(seat).seeker
    ways = tuple((spot, _way(state, seat, spot, name, now)) for spot, name in places_of(state))
    return Field(
        "at",
        "Your Seeker goes, free, to",
        now if place_number(now) else ANYWHERE,
        "choice",
        ((ANYWHERE, "a free place, not noted here"), *ways, (NONE, "no place: a card allows it")),
    )


def _way(state: State, seat: int, spot: str, name: str, now: str) -> str:
    if spot == now:
        return f"{name}, where it is"
    try:
        check_entry(state, seat, spot)
    except Refused as closed:
        return f"{name}: closed. {closed}"
    return name


def _bond_of_the_place(state: State, seat: int) -> Field:
    """As noted, once the table has noted one."""
    noted = any(each.bond for each in state.places.values())
    choices = _bonds(state, seat)
    if noted:
        choices = ((OF_THE_PLACE, "the one noted for the place"), *choices)
    return Field("bond", "Dark Bond that pays", OF_THE_PLACE if noted else NONE, "choice", choices)


def _bonds(state: State, seat: int) -> Choices:
    known = ((b.id, f"{b.name}: {masters_of(state, seat, b.id)}") for b in BONDS if not idle(state, b.id))
    return ((NONE, "none"), *known)


def targets(state: State) -> Choices:
    kinds = ((kind, state.where(kind)) for kind in ("knowledge", "card", "entity", "power"))
    return (*kinds, *places_of(state))


def places_of(state: State) -> Choices:
    numbers = range(1, places(len(state.seats)) + 1)
    return tuple((f"place-{number}", state.place_name(number)) for number in numbers)
