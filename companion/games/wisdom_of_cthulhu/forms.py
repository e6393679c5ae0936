"""What opens in a sheet: cards to buy and to play, an action's words, the Ritual, and corrections.

`data/forms.toml` has the words of each; here is what there is to choose from, and what is filled in already.
"""

from collections.abc import Iterator
from functools import partial

from companion.core import Do, Form, Picker, Seat, Tap, capital, listed
from companion.core.forms import Blanks, Choices, Words, asks_choice, asks_number, asks_text
from companion.games.wisdom_of_cthulhu import box, lying, research, ritual
from companion.games.wisdom_of_cthulhu.points import NONE, SOURCES, UNNAMED, idle, influence, paid_for, paying
from companion.games.wisdom_of_cthulhu.state import HOME, OUT, State

BY_NAME = tuple((each.id, each.name) for each in box.BONDS)
WITH_BOND = ((NONE, "none"), *BY_NAME)
KINDS = {"Immediate": "Imm.", "Activation": "Act.", "Continuous": "Cont.", "": ""}
COSTS = (("obsession", "one Obsession"), ("free", "nothing"))
BUYING = (("buy_knowledge", "card"), ("buy_entity", "entity"))
WHATS = {**box.FAMILIES, "en": "Entity"}
blanks = Blanks(__package__)


def forms(state: State) -> Iterator[Form]:
    if state.phase == "research":
        yield from _actions(state)
    for seat in state.table.seats if state.turn else ():
        yield from _seat(state, seat)
    for number in state.ring:
        yield _noting(state, number)


def _tiles(id: str, title: str, taps: list[Tap], columns: int = 3) -> tuple[Picker, ...]:
    return (Picker(id, tuple(taps), title, "cards" if columns == 3 else "rows", columns),) if taps else ()


def _actions(state: State) -> Iterator[Form]:
    """Of whoever is next."""
    seat, mine, words = state.actor, state.player(state.actor), {"name": state.name(state.actor)}
    act = partial(blanks, "", state.acting, words)
    kinds = asks_choice(tuple((each, each) for each in KINDS if each))
    typed = {"kind": kinds, "name": asks_text(UNNAMED), "points": asks_number()}
    for family, name in WHATS.items():
        buy = partial(blanks, "entity" if family == "en" else family, {**state.acting, "family": family})
        tiles, named = _to_buy(state, family), {**words, "what": name}
        yield buy(named, "act", tiles, bond=asks_choice(WITH_BOND), **typed)
    known = [(b.id, f"{b.name}: {paid_for(state, seat, b.id)}") for b in box.BONDS if not idle(state, b.id)]
    bonds, gains = asks_choice(((NONE, "none"), *known)), asks_number()
    own = _tiles("wis-ready", "", [_activates(state, seat, each) for each in mine.learned if each.ready])
    yield act("act-activation", own, bond=bonds, points=gains, name=asks_text(UNNAMED))
    spots = _targets(state, seat)[:-1]
    signs = [Tap(text, Do("place_sign", {**state.acting, "target": spot})) for spot, text in spots]
    last = {**state.acting, "target": "entity"}
    yield blanks("", last, words, "act-sign", _tiles("wis-signs", "", signs))
    if placed := state.placed_signs(seat):
        lies = [(str(owner), f"{state.name(owner)}’s, on {state.where(at)}") for owner, at in placed.items()]
        yield act("act-unsign", owner=asks_choice(tuple(lies)))
    costs = asks_choice(COSTS if mine.obsessions else COSTS[1:])
    ring = _tiles("wis-use", "", [_goes(state, number) for number in state.ring])
    yield act("act-place", ring, bond=bonds, cost=costs, points=gains)
    if powers := tuple(_powers(state, seat)):
        yield act("act-invocation", power=asks_choice(powers), many=gains)


def _tile(card: box.Card, do: Do, worth: int, words: str = "") -> Tap:
    """A card: what it waits for or how it works, and what it pays."""
    detail = words or short(box.units(card.parts)) or KINDS[card.kind]
    return Tap(card.name, do, f"{detail} +{worth}" if worth else detail, mark=card.bond or card.object)


def short(families: tuple[str, ...]) -> str:
    return ", ".join([f"{families.count(each)} {box.NEEDS[each]}" for each in dict.fromkeys(families)])


def _to_buy(state: State, family: str) -> tuple[Picker, ...]:
    """As a Component of each Combination that waits for such a card; then every card that lies before nobody.
    What an Entity pays that is used as it is bought: its bond, and the Influence."""
    mine, (command, what), taps = state.player(state.actor), BUYING[family == "en"], []
    waits = [each.name for each in mine.learned if family in each.lacks]
    under = [Tap(name, Do(command, {**state.acting, what: family, "under": name})) for name in waits]
    for card in _cards(state, family):
        worth, do = mine.worth(card), {**state.acting, what: card.name}
        if family == "en":
            gains = paying(state, state.actor, card.bond)[0] + influence(state, "entity", card.bond)
            worth = worth + gains if card.kind == "Immediate" else 0
        for victim in research.richest(state, state.actor) if card.takes else ():
            robs, whom = Do(command, {**do, "victim": victim}), f"from {state.name(victim)}"
            taps.append(_tile(card, robs, worth, whom))
        if not card.takes:
            taps.append(_tile(card, Do(command, do), worth))
    return *_tiles("wis-under", "As a Component of", under, 2), *_tiles("wis-buy", "", taps)


def _cards(state: State, family: str = "") -> list[box.Card]:
    """Those that lie before nobody, the typed ones last."""
    every = [each for each in (*box.CARDS.values(), *state.typed.values()) if family in ("", each.family)]
    return [each for each in every if each.family == "en" or not state.holder(each.name)]


def _activates(state: State, seat: int, card: box.Card) -> Tap:
    do = Do("activate", {"turn": state.turn, "seat": seat, "card": card.name})
    return _tile(card, do, state.player(seat).worth(card), "Activate")


def _goes(state: State, number: int) -> Tap:
    """A place that is known is used at once; of any other the tile is asked for first."""
    place, name, spot = state.place(number), state.place_name(number), f"place-{number}"
    who, what = lying.closed_by(state, state.actor, spot)
    if place.used and not who:
        return _uses(state, number, place.bond, name)
    return Tap(name, None, "its bond?", why_not=f"{who}’s {what}" if who else "", mark=place.bond, opens=spot)


def _uses(state: State, number: int, bond: str, label: str) -> Tap:
    place, obsessions = state.place(number), state.player(state.actor).obsessions
    free = place.free or not (place.used or obsessions)  # who has none can only be at a free one
    gains = place.points + paying(state, state.actor, bond)[0]
    gains += influence(state, "place", bond) + influence(state, "seeker", bond)
    off = "" if free or obsessions else "no Obsession left"
    cost = {"cost": "free" if free else "obsession", "points": place.points}
    do = Do("use_place", {**state.acting, "at": f"place-{number}", "bond": bond or NONE, **cost})
    return Tap(label, do, f"+{gains} KP" if gains else "free" if free else "", why_not=off, mark=bond)


def _noting(state: State, number: int) -> Form:
    """What is known of a place; whoever acts can use it from here."""
    place, name, taps = state.place(number), state.place_name(number), []
    if state.phase == "research":
        known = ((place.bond, f"{state.name(state.actor)} uses it"),)
        bonds = known if place.used else (*BY_NAME, ("", "no bond"))
        taps = [_uses(state, number, bond, label) for bond, label in bonds]
    title = "" if place.used else "Use its power: which bond does it show?"
    noted = {"bond": asks_choice(WITH_BOND, place.bond), "points": asks_number(place.points)}
    noted |= {"name": asks_text(name), "cost": asks_choice(COSTS, "free" if place.free else "")}
    where: Words = {"place": number}
    return blanks(number, where, where, "place", _tiles("wis-here", title, taps, 2), **noted)


def _powers(state: State, seat: int) -> Iterator[tuple[str, str]]:
    for id in [id for id, rests in state.powers(seat).items() if not rests]:
        god, _, power = id.partition("-")
        gains = f", +{state.player(seat).masters_worth} KP for Dark Masters" if id == box.PAYS_MASTERS else ""
        gains += ", opponents +1 KP" if power == "2" else ""
        yield id, f"{box.find_bond(god).god} {power}{gains}"


def _targets(state: State, seat: int) -> Choices:
    """All that an Elder Sign may lie on now, each by name; an Entity on offer last."""
    spots = [f"place-{number}" for number in state.ring] if state.came.id != lying.UNBLOCKED else []
    spots += [f"knowledge-{family}" for family in box.FAMILIES if state.left(family, seat)]
    gods = [] if state.evoked else [each.id for each in box.BONDS if state.in_play(each.id)]
    spots += [f"power-{god}-{power}" for god in gods for power in (1, 2)]
    named = [(spot, capital(state.where(spot))) for spot in spots]
    others = [(other, each.name) for other in state.seats for each in state.player(other).learned]
    cards = [(f"card-{name}", f"{state.name(other)}’s {name}") for other, name in others if other != seat]
    return (*named, *cards, ("entity", capital(state.where("entity"))))


def _seat(state: State, seat: Seat) -> Iterator[Form]:
    """What can be put right for each, and the Ritual."""
    mine, whose, words = state.player(seat.id), {"seat": seat.id}, {"name": seat.name}
    why, args = asks_choice(tuple(SOURCES.items())), {**whose, "turn": state.turn}
    yield blanks(seat.id, args, words, "points", points=asks_number(""), source=why, name=asks_text(UNNAMED))
    by_hand = partial(blanks, seat.id, whose, words)
    gods = tuple((f"god-{b.id}", f"{b.god}’s card") for b in box.BONDS if state.in_play(b.id))
    places = tuple((f"place-{number}", state.place_name(number)) for number in state.ring)
    yield by_hand("seeker", to=asks_choice(((lying.AT_HOME, "home"), *places, *gods), mine.seeker))
    spots = ((lying.AT_HOME, state.where(HOME)), *_targets(state, seat.id), (OUT, state.where(OUT)))
    yield by_hand("sign", to=asks_choice(spots, mine.sign))
    yield by_hand("cards", **{name: asks_number(getattr(mine, name)) for name in blanks["cards"].fields})
    yield from _ritual(state, seat)
    own = [Tap(each.name, opens=f"card-{seat.id}-{at}") for at, each in enumerate(mine.learned)]
    free = tuple((each.name, each.name) for each in _cards(state))
    yield by_hand("take", _tiles("wis-own", "", own), card=asks_choice(free))
    yield by_hand("bond", bond=asks_choice(BY_NAME), name=asks_text(), points=asks_number(4))
    for at, each in enumerate(mine.learned):
        yield _card(state, seat.id, at, each)


def _card(state: State, seat: int, at: int, card: box.Card) -> Form:
    """What can be done with a card of the Learning Area besides activating it."""
    text = card.kind + (f", bond of {box.find_bond(card.bond).name}" if card.bond else "")
    if card.needs:
        asks = [f"{each.name}: {need}" for each, need in zip(box.REQUIREMENTS, card.needs, strict=True)]
        text += f". Ritual Object of {box.find_bond(card.object).name}. {'; '.join(asks)}"
    pieces = _tiles("wis-card-does", "", [] if state.over else [*_uses_of(state, seat, card)], 1)
    args: Words = {"seat": seat, "name": card.name}
    return blanks(f"{seat}-{at}", args, {"card": card.name}, "card", pieces, (), f"{text}.")


def _uses_of(state: State, seat: int, card: box.Card) -> Iterator[Tap]:
    mine, args = state.player(seat), {"seat": seat, "turn": state.turn}
    worth, played = mine.worth(card), Do("play_card", {**args, "card": card.name})
    if card.ready:
        yield _activates(state, seat, card)
    elif card.kind == "Immediate" and not card.lacks:
        yield Tap("Use its power now, free, and discard it", played, badge=f"+{worth} KP")
    elif card.kind == "Continuous" and worth and card.family != "dm" and not card.lacks:
        yield Tap("Its power takes effect", played, badge=f"+{worth} KP")
    points, names = paying(state, seat, card.bond)
    if names and card.family in ("dm", ""):
        do, words = Do("pay_bond", {**args, "bond": card.bond}), box.find_bond(card.bond).name
        yield Tap(f"The bond of {words} pays", do, listed(names), badge=f"+{points} KP", mark=card.bond)
    for family in dict.fromkeys(card.lacks):
        do = Do("lay_under", {**args, "card": family, "under": card.name})
        yield Tap(f"Another {WHATS[family]} lies under it", do)
    for other in mine.learned:
        if card.family in box.PARTS and card.family in other.lacks and other != card:
            do = Do("lay_under", {**args, "card": card.name, "under": other.name})
            yield Tap(f"Lay it under {other.name}", do)


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
        gods = tuple((b.id, b.god) for b in box.BONDS if last in ("", b.id))
        points, how = ritual.reckoned(state, seat.id, last) if last else (0, "")
        text = f"Counted of what was tapped: {how}. Add what lies open besides." if how else ""
        bond, worth = asks_choice(gods), asks_number(points)
        yield blanks(seat.id, args, words, "evoke", (), also, text, bond=bond, points=worth)
        return
    to, needed = now + 1, box.REQUIREMENTS[now]
    because, effect = ("requirement", f"{needed.name} is met"), ("effect", "a card’s effect grants it")
    words |= {"requirement": needed.name, "box": str(to), "because": "Because"}
    reasons: Choices = (because, effect)
    if state.phase not in needed.phases:  # then it takes another reason than that it is met now
        late = (("late", needed.late),) if state.turn > 1 else ()
        words["because"] = f"{needed.name} is met {needed.met}. Why now?"
        reasons = (("requirement", "choose a reason"), *late, effect)
    objects, why = asks_choice(tuple(_objects(state, seat.id, to))), asks_choice(reasons)
    yield blanks(seat.id, {**args, "box": to}, words, "ritual", (), also, bond=objects, by=why)


def _objects(state: State, seat: int, to: int) -> Iterator[tuple[str, str]]:
    """Those in the Learning Area by name, what fits first; then any of a bond, for who taps no cards."""
    mine = state.player(seat)
    mixing = {each.id: mine.mixing_cost(each.id) for each in box.BONDS}
    costs = {id: f", mixing costs {cost} KP" if cost else "" for id, cost in mixing.items()}
    able = [each for each in mine.learned if each.object and not each.used]
    own = [(mine.wants(each, to), mixing[each.object], each) for each in able]
    for lacks, _, card in sorted(own, key=lambda each: (bool(each[0]), each[1])):
        asks = f"lacks {lacks}" if lacks else f"has {card.needs[to - 1]}" if card.needs else "fits"
        nothing = ", a Dark Master: no bond pays" if card.family == "dm" and ritual.pays(state, to) else ""
        yield card.name, f"{card.name}: {asks}{nothing}{costs[card.object]}"
    for each in box.BONDS:
        pay = f": {paid_for(state, seat, each.id, '')}" if ritual.pays(state, to) else ""
        yield each.id, f"another of {each.name}{pay.removesuffix(': ')}{costs[each.id]}"
