"""What opens in a sheet: an action's words, points with a reason, the Ritual, and corrections.

`data/forms.toml` has the words of each; here is what there is to choose from, and what is filled in already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from companion.core import Do, Field, Form, Forms, Refused, Seat, Tap
from companion.core.game import load
from companion.core.memo import kept_while
from companion.games.wisdom_of_cthulhu import box
from companion.games.wisdom_of_cthulhu.markers import AT_HOME, SIGNED, check_entry
from companion.games.wisdom_of_cthulhu.points import NONE, SOURCES, UNNAMED, idle, paid_for
from companion.games.wisdom_of_cthulhu.research import ANOTHER, ANY, OF_THE_PLACE
from companion.games.wisdom_of_cthulhu.ritual import pays
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State, but_points, place_number

Choices = tuple[tuple[str, str], ...]
Filled = tuple[str, str, Choices]  # what a field holds, of which kind it is, and among what one chooses
Words = Mapping[str, str | int]
BY_NAME = tuple((each.id, each.name) for each in box.BONDS)


class Blank(NamedTuple):
    """A form before it is filled in."""

    id: str
    title: str
    command: str
    submit: str
    fields: Mapping[str, str] = {}  # what the page calls each


BLANKS = {each.id: each for each in load(__package__, "forms.toml", Blank)}


@kept_while(but_points)
def forms(state: State) -> Forms:
    return Forms(lambda: _forms(state))


def _forms(state: State) -> Iterator[Form]:
    if state.actor is not None and state.phase == "research":
        yield from _actions(state, state.actor)
    for seat in state.table.seats if state.turn else ():
        yield from _seat(state, seat)
    for number in range(1, box.places(len(state.seats)) + 1):
        bond = _choice(((NONE, "not noted"), *BY_NAME), state.place(number).bond)
        place = {"place": number}
        yield _form(number, place, place, "place", name=_text(state.place_name(number)), bond=bond)


def _form(
    which: int | str, args: Words, words: Words, kind: str, also: tuple[Tap, ...] = (), /, **filled: Filled
) -> Form:
    blank, id = BLANKS[kind], f"{kind}-{which}" if which else kind
    fields = [Field(name, label.format_map(words), *filled[name]) for name, label in blank.fields.items()]
    title, submit = blank.title.format_map(words), blank.submit.format_map(words)
    return Form(id, title, Do(blank.command, args), tuple(fields), submit, also, listed=False)


def _choice(choices: Choices, chosen: str = "") -> Filled:
    """The first one, until somebody chooses."""
    return chosen or (choices[0][0] if choices else ""), "choice", choices


def _number(value: int | str = 0) -> Filled:
    return str(value), "number", ()


def _text(value: str = "") -> Filled:
    return value, "text", ()


# --- the actions of whoever is next ---


def _actions(state: State, seat: int) -> Iterator[Form]:
    args = {"seat": seat, "turn": state.turn, "after": state.acted}
    act = partial(_form, "", args, {"name": state.name(seat)})
    goes, gains, bonds = _seeker(state, seat), _number(), _bonds(state, seat)
    families = [each for each in box.FAMILIES.items() if each[0] != "dm"]
    card = _choice((*families, *_free(state), ("dm", "another Dark Master")))
    yield act("act-knowledge", card=card, at=goes, points=gains)
    yield act("act-entity", entity=_choice(_entities(state, seat)), at=goes, points=gains)
    yield act("act-activation", points=gains, name=_text(UNNAMED), bond=_choice(bonds))
    yield act("act-sign", target=_choice(_targets(state)))
    if signs := state.placed_signs(seat):
        owners = [(str(owner), f"{state.name(owner)}’s, on {state.where(at)}") for owner, at in signs.items()]
        yield act("act-unsign", owner=_choice(tuple(owners)))
    costs: Choices = (("obsession", "one Obsession"), ("free", "nothing"))
    costs = costs if state.player(seat).obsessions else costs[1:]
    if any(each.bond for each in state.places.values()):  # once the table has noted one
        bonds = ((OF_THE_PLACE, "the one noted for the place"), *bonds)
    yield act("act-place", at=goes, bond=_choice(bonds), cost=_choice(costs), points=gains)
    if gods := tuple((each.id, each.god) for each in state.invocable(seat)):
        power = _choice(tuple((str(n), f"Power {n}") for n in (1, 2)[: state.player(seat).ritual]))
        cost = _choice(costs[::-1])
        yield act("act-invocation", bond=_choice(gods), power=power, cost=cost, points=gains)


def _free(state: State) -> Choices:
    """The Dark Masters that nobody has, by name."""
    held = {each.name for seat in state.seats for each in state.player(seat).masters}
    return tuple((name, _card(each)) for name, each in box.DARK_MASTERS.items() if name not in held)


def _card(each: box.Master) -> str:
    return f"{each.name}: {box.find_bond(each.bond).name}, {each.points} KP"


def _entities(state: State, seat: int) -> Choices:
    """Those of the box, and any other; an Immediate one says what its bond pays."""
    names = dict(BY_NAME)
    now = {each.id: f"{each.name}, {paid_for(state, seat, each.id, 'pays nobody')}" for each in box.BONDS}
    known = [
        (name, f"{name}: {kind}, {now[bond] if kind == 'Immediate' else names[bond]}")
        for name, bond, kind in box.ENTITIES.values()
    ]
    others = [(f"{ANOTHER}-{id}", f"another Immediate one: {pays}") for id, pays in now.items()]
    return ((ANOTHER, "not named; nothing pays now"), *known, *others)


def _seeker(state: State, seat: int) -> Filled:
    """Moving is free and part of the action, so a Seeker at home is no hindrance."""
    now = state.player(seat).seeker
    ways = tuple((spot, _way(state, seat, spot, name, now)) for spot, name in _places(state))
    ways = ((ANY, "a free place, not noted here"), *ways, (NONE, "no place: a card allows it"))
    return _choice(ways, now if place_number(now) else ANY)


def _way(state: State, seat: int, spot: str, name: str, now: str) -> str:
    if spot == now:
        return f"{name}, where it is"
    try:
        check_entry(state, seat, spot)
    except Refused as closed:
        return f"{name}: closed. {closed}"
    return name


def _bonds(state: State, seat: int) -> Choices:
    known = ((b.id, f"{b.name}: {paid_for(state, seat, b.id)}") for b in box.BONDS if not idle(state, b.id))
    return ((NONE, "none"), *known)


def _targets(state: State) -> Choices:
    return (*((kind, state.where(kind)) for kind in SIGNED), *_places(state))


def _places(state: State) -> Choices:
    numbers = range(1, box.places(len(state.seats)) + 1)
    return tuple((f"place-{number}", state.place_name(number)) for number in numbers)


# --- for each seat ---


def _seat(state: State, seat: Seat) -> Iterator[Form]:
    mine, whose, words = state.player(seat.id), {"seat": seat.id}, {"name": seat.name}
    why, args = _choice(tuple(SOURCES.items())), {**whose, "turn": state.turn}
    yield _form(seat.id, args, words, "points", points=_number(""), source=why, name=_text(UNNAMED))
    by_hand = partial(_form, seat.id, whose, words)
    gods = tuple((f"god-{b.id}", f"{b.god}’s card") for b in box.BONDS if state.in_play(b.id))
    yield by_hand("seeker", to=_choice(((AT_HOME, "home"), *_places(state), *gods), mine.seeker))
    spots = ((AT_HOME, state.where(HOME)), *_targets(state), (OUT, state.where(OUT)))
    yield by_hand("sign", to=_choice(spots, mine.sign))
    yield by_hand("cards", **{name: _number(getattr(mine, name)) for name in BLANKS["cards"].fields})
    yield from _ritual(state, seat)
    yield by_hand("take", master=_choice(_free(state)))
    yield by_hand("bond", name=_text(), bond=_choice(BY_NAME), points=_number(4))
    for at, each in enumerate(mine.masters):
        yield _form(f"{seat.id}-{at}", {**whose, "name": each.name}, {"card": _card(each)}, "master")


def _ritual(state: State, seat: Seat) -> Iterator[Form]:
    """The next box, or the evocation; the token can be set back for effects that move it, and for slips."""
    now, last = state.player(seat.id).ritual, state.player(seat.id).last_bond
    if state.over or (now == box.BOXES and state.evoked):
        return
    args, words = {"seat": seat.id, "turn": state.turn}, {"name": seat.name}
    boxes = ("the start", *[f"box {to}" for to in range(1, now)])[:now]
    back = [(f"Token back to {name}", {"seat": seat.id, "to": to}) for to, name in enumerate(boxes)]
    also = tuple(Tap(words, Do("set_ritual", where)) for words, where in reversed(back))
    if now == box.BOXES:
        gods = _choice(tuple((b.id, b.god) for b in box.BONDS if last in ("", b.id)))
        yield _form(seat.id, args, words, "evoke", also, bond=gods, points=_number())
        return
    to, needed = now + 1, box.REQUIREMENTS[now].name
    because, reasons = _because(state, to)
    words |= {"requirement": needed, "box": str(to), "because": because}
    objects = _choice(tuple(_objects(state, seat.id, to)), last)
    yield _form(seat.id, {**args, "box": to}, words, "ritual", also, bond=objects, by=_choice(reasons))


def _objects(state: State, seat: int, to: int) -> Iterator[tuple[str, str]]:
    """By their bond; a Dark Master stands here by name, since the manual pays nothing for those."""
    costs = {each.id: state.player(seat).mixing_cost(each.id) for each in box.BONDS}
    mixing = {id: f", mixing costs {cost} KP" if cost else "" for id, cost in costs.items()}
    for each in box.BONDS:
        pay = paid_for(state, seat, each.id, "") if pays(state, to) else ""
        yield each.id, (f"{each.name}: {pay}" if pay else each.name) + mixing[each.id]
    nothing = ", a Dark Master: no bond pays" if pays(state, to) else ""
    for name, bond, _ in state.player(seat).own_masters:
        yield name, f"{box.find_bond(bond).name}: {name}{nothing}{mixing[bond]}"


def _because(state: State, to: int) -> tuple[str, Choices]:
    """Out of its time a requirement needs another reason than that it is met now."""
    needed, effect = box.REQUIREMENTS[to - 1], ("effect", "a card’s effect grants it")
    if state.phase in needed.phases:
        return "Because", (("requirement", f"{needed.name} is met"), effect)
    late = (("late", needed.late),) if to == 1 or state.turn > 1 else ()
    why = f"{needed.name} is met {needed.met}. Why now?"
    return why, (("requirement", "choose a reason"), *late, effect)
