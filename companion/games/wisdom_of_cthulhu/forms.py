"""What opens in a sheet: an action's words, points with a reason, the Ritual, and corrections."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Field, Form, Forms, Refused, Seat, Tap
from companion.core.memo import kept_while
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.markers import AT_HOME, SIGNED, check_entry
from companion.games.wisdom_of_cthulhu.points import NONE, SOURCES, UNNAMED, idle, paid_for
from companion.games.wisdom_of_cthulhu.research import ANOTHER, ANYWHERE, OF_THE_PLACE
from companion.games.wisdom_of_cthulhu.ritual import in_time, mixing_cost, own_masters, pays
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State, but_points, place_number

Args = dict[str, str | int]
Choices = tuple[tuple[str, str], ...]
LATER = " (later draft)"
LATE = (
    "it was met when this turn began",
    "it was met last turn; we tap it late",
    "it was made at the end of last turn; we tap it late",
)
BY_NAME = tuple((each.id, each.name) for each in box.BONDS)
CARDS = {
    "hand": "Paths in hand",
    "spent": "Spent this turn",
    "temporary": "Temporary Obsessions",
    "permanent": "Permanent Obsessions",
}


@kept_while(but_points)
def forms(state: State) -> Forms:
    return Forms(lambda: _forms(state))


def _forms(state: State) -> Iterator[Form]:
    if state.actor is not None and state.phase == "research":
        yield from _actions(state, state.actor)
    for seat in state.table.seats if state.turn else ():
        yield from _by_hand(state, seat)
        yield from _ritual(state, seat)
        yield from _masters(state, seat)
    for number in range(1, box.places(len(state.seats)) + 1):
        bond = _choice("bond", "Its Dark Bond", ((NONE, "not noted"), *BY_NAME), state.place(number).bond)
        name, do = Field("name", "Its name", state.place_name(number)), Do("note_place", {"place": number})
        yield _form(f"place-{number}", f"Arcane Place {number}", do, "Note it", name, bond)


def _form(id: str, title: str, do: Do, submit: str, *fields: Field, also: tuple[Tap, ...] = ()) -> Form:
    return Form(id, title, do, fields, submit, also, listed=False)


def _choice(name: str, label: str, choices: Choices, chosen: str = "") -> Field:
    """The first one, until somebody chooses."""
    return Field(name, label, chosen or (choices[0][0] if choices else ""), "choice", choices)


def _number(name: str, label: str, value: int | str = 0) -> Field:
    return Field(name, label, str(value), "number")


# --- the actions of whoever is next ---


def _actions(state: State, seat: int) -> Iterator[Form]:
    args: Args = {"seat": seat, "turn": state.turn, "after": state.acted}

    def act(id: str, what: str, command: str, submit: str, *fields: Field) -> Form:
        return _form(f"act-{id}", f"{state.name(seat)} {what}", Do(command, args), submit, *fields)

    goes, gains = _seeker(state, seat), _number("points", "Knowledge Points at once")
    families = (("fw", box.FAMILIES["fw"]), ("as", box.FAMILIES["as"]))
    card = _choice("card", "Card", (*families, *_free(state), ("dm", "another Dark Master")))
    yield act("knowledge", "buys a Knowledge card", "buy_knowledge", "Buy it", card, goes, gains)
    entity = _choice("entity", "Entity, and what its bond pays now", _entities(state, seat))
    submit = "Buy it for an Obsession"
    yield act("entity", "buys an Entity", "buy_entity", submit, entity, goes, gains)
    points, name = _number("points", "Its Knowledge Points"), Field("name", "Which card", UNNAMED)
    bond = _choice("bond", "Dark Bond that pays", _bonds(state, seat))
    yield act("activation", "uses an Activation card", "use_activation", "Use it", points, name, bond)
    target = _choice("target", "On", _targets(state))
    yield act("sign", f"places an Elder Sign{LATER}", "place_sign", "Place it", target)
    if owners := tuple(_owners(state, seat)):
        whose = _choice("owner", "Whose", owners)
        yield act("unsign", f"removes an Elder Sign{LATER}", "remove_sign", "Remove it", whose)
    costs: Choices = (("obsession", "one Obsession"), ("free", "nothing"))
    costs = costs if state.player(seat).obsessions else costs[1:]
    bond, cost = _bond_of_the_place(state, seat), _choice("cost", "It costs", costs)
    yield act("place", "uses a place’s power", "use_place", "Use it", goes, bond, cost, gains)
    if gods := tuple((each.id, each.god) for each in invocable(state, seat)):
        powers = tuple((str(n), f"Power {n}") for n in (1, 2)[: state.player(seat).ritual])
        god, power = _choice("bond", "Great Old One", gods), _choice("power", "Which power", powers)
        cost = _choice("cost", "It costs", costs[::-1])
        title = f"uses an Invocation Power{LATER}"
        yield act("invocation", title, "invoke", "Use it", god, power, cost, gains)


def invocable(state: State, seat: int) -> tuple[box.Bond, ...]:
    """The Great Old Ones in play for whose bond this player turned a Ritual Object; by hand means any."""
    turned = {rite.bond for rite in state.player(seat).rites}
    return tuple([each for each in box.BONDS if {each.id, ""} & turned and state.in_play(each.id)])


def placed_signs(state: State, seat: int) -> tuple[int, ...]:
    return tuple([o for o in state.seats if o != seat and state.players[o].sign not in (HOME, OUT)])


def _owners(state: State, seat: int) -> Iterator[tuple[str, str]]:
    for other in placed_signs(state, seat):
        yield str(other), f"{state.name(other)}’s, on {state.where(state.player(other).sign)}"


def _free(state: State) -> Choices:
    """The Dark Masters that nobody has, by name."""
    held = {each.name for seat in state.seats for each in state.player(seat).masters}
    free = [each for each in box.DARK_MASTERS if each.name not in held]
    return tuple((m.name, f"{m.name}: {box.find_bond(m.bond).name}, {m.points} KP") for m in free)


def _entities(state: State, seat: int) -> Choices:
    """Those of the box, and any other; an Immediate one says what its bond pays."""
    now = {each.id: paid_for(state, seat, each.id, "pays nobody") for each in box.BONDS}
    known = ((each.name, f"{each.name}: {_power(each, now[each.bond])}") for each in box.ENTITIES)
    others = ((f"{ANOTHER}-{b.id}", f"another Immediate one: {b.name}, {now[b.id]}") for b in box.BONDS)
    return ((ANOTHER, "not named; nothing pays now"), *known, *others)


def _power(each: box.Entity, paid: str) -> str:
    words = f"{each.kind}, {box.find_bond(each.bond).name}"
    return f"{words}, {paid}" if each.kind == "Immediate" else words


def _seeker(state: State, seat: int) -> Field:
    """Moving is free and part of the action, so a Seeker at home is no hindrance."""
    now = state.player(seat).seeker
    ways = tuple((spot, _way(state, seat, spot, name, now)) for spot, name in _places(state))
    ways = ((ANYWHERE, "a free place, not noted here"), *ways, (NONE, "no place: a card allows it"))
    return _choice("at", "Your Seeker goes, free, to", ways, now if place_number(now) else ANYWHERE)


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
    first = ((OF_THE_PLACE, "the one noted for the place"),) if noted else ()
    return _choice("bond", "Dark Bond that pays", (*first, *_bonds(state, seat)))


def _bonds(state: State, seat: int) -> Choices:
    known = ((b.id, f"{b.name}: {paid_for(state, seat, b.id)}") for b in box.BONDS if not idle(state, b.id))
    return ((NONE, "none"), *known)


def _targets(state: State) -> Choices:
    return (*((kind, state.where(kind)) for kind in SIGNED), *_places(state))


def _places(state: State) -> Choices:
    numbers = range(1, box.places(len(state.seats)) + 1)
    return tuple((f"place-{number}", state.place_name(number)) for number in numbers)


# --- for each seat ---


def _by_hand(state: State, seat: Seat) -> Iterator[Form]:
    id, mine = seat.id, state.player(seat.id)
    whose: Args = {"seat": id}
    do, points = Do("gain", {"seat": id, "turn": state.turn}), _number("points", "Points (−3 takes away)", "")
    why = (_choice("source", "From a", tuple(SOURCES.items())), Field("name", "Which one", UNNAMED))
    yield _form(f"points-{id}", f"Knowledge Points for {seat.name}", do, "Count them", points, *why)
    gods = tuple((f"god-{b.id}", f"{b.god}’s card") for b in box.BONDS if state.in_play(b.id))
    ways = _choice("to", "Now at", ((AT_HOME, "home"), *_places(state), *gods), mine.seeker)
    submit = "Move it, free of charge"
    yield _form(f"seeker-{id}", f"{seat.name}’s Seeker", Do("move_seeker", whose), submit, ways)
    spots = ((AT_HOME, state.where(HOME)), *_targets(state), (OUT, state.where(OUT)))
    title = f"{seat.name}’s Elder Sign, without an action{LATER}"
    on = _choice("to", "Now on", spots, mine.sign)
    yield _form(f"sign-{id}", title, Do("move_sign", whose), "Put it right", on)
    six = [_number(name, label, getattr(mine, name)) for name, label in CARDS.items()]
    yield _form(f"cards-{id}", f"{seat.name}’s six cards", Do("set_cards", whose), "Put them right", *six)


def _masters(state: State, seat: Seat) -> Iterator[Form]:
    id, whose = seat.id, {"seat": seat.id}
    title, who = f"A Dark Master for {seat.name}, without an action", _choice("master", "Who", _free(state))
    yield _form(f"take-{id}", title, Do("take_master", whose), "Lay it down", who)
    title, pays = f"Another card with a Dark Bond, for {seat.name}", _number("points", "Points it pays", 4)
    fields = (Field("name", "Name"), _choice("bond", "Dark Bond", BY_NAME), pays)
    yield _form(f"bond-{id}", title, Do("hold_bond", whose), "Lay it down", *fields)
    for at, each in enumerate(state.player(id).masters):
        title = f"{each.name}: {box.find_bond(each.bond).name}, {each.points} KP"
        do = Do("lose_master", {"seat": id, "name": each.name})
        yield _form(f"master-{id}-{at}", title, do, "Discard this card")


def _ritual(state: State, seat: Seat) -> Iterator[Form]:
    """The next box, or the evocation; the token can be set back for effects that move it, and for slips."""
    rites, now = state.player(seat.id).rites, state.player(seat.id).ritual
    if state.over or (now == box.BOXES and state.evoked):
        return
    last, args = rites[-1].bond if rites else "", {"seat": seat.id, "turn": state.turn}
    start = ("the start", "box 1", "box 2")
    back = tuple(
        Tap(f"Token back to {start[to]}", Do("set_ritual", {"seat": seat.id, "to": to}))
        for to in range(now - 1, -1, -1)
    )
    if now == box.BOXES:
        gods = tuple((b.id, b.god) for b in box.BONDS if last in ("", b.id))
        fields = (_choice("bond", "Who comes", gods), _number("points", "Points of its Evocation Power"))
        title, submit = f"{seat.name} evokes a Great Old One{LATER}", "Evoke: the only one of this game"
        yield _form(f"evoke-{seat.id}", title, Do("evoke", args), submit, *fields, also=back)
        return
    to = now + 1
    title = f"{seat.name}: {box.REQUIREMENTS[now]}, Ritual box {to}{LATER}"
    objects = _choice("bond", "Ritual Object with the bond of", tuple(_objects(state, seat.id, to)), last)
    do, why = Do("advance_ritual", {**args, "box": to}), _because(state, to)
    yield _form(f"ritual-{seat.id}", title, do, f"Move to box {to}", objects, why, also=back)


def _objects(state: State, seat: int, to: int) -> Iterator[tuple[str, str]]:
    """By their bond; a Dark Master stands here by name, since the manual pays nothing for those."""

    def priced(words: str, kind: str) -> str:
        cost = mixing_cost(state, seat, kind)
        return words + (f", mixing costs {cost} KP" if cost else "")

    for each in box.BONDS:
        pay = paid_for(state, seat, each.id, "") if pays(state, to) else ""
        yield each.id, priced(f"{each.name}: {pay}" if pay else each.name, each.id)
    for master in own_masters(state, seat):
        nothing = ", a Dark Master: no bond pays" if pays(state, to) else ""
        yield master.name, priced(f"{box.find_bond(master.bond).name}: {master.name}{nothing}", master.bond)


def _because(state: State, to: int) -> Field:
    """Out of its time a requirement needs another reason than that it is met now."""
    name, effect = box.REQUIREMENTS[to - 1], ("effect", "a card’s effect grants it")
    if in_time(state, to):
        return _choice("by", "Because", (("requirement", f"{name} is met"), effect))
    late = (("late", LATE[to - 1]),) if to == 1 or state.turn > 1 else ()
    label = f"{name} is met {box.MET_WHEN[to - 1]}. Why now?"
    return _choice("by", label, (("requirement", "choose a reason"), *late, effect))
