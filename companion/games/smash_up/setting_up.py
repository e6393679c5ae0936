"""What is seen before the first turn: factions, bases, who begins; and what a game under way lacks."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Phase, Seat, Tap
from companion.core.checklist import checklist
from companion.core.pieces import Bar, Grid, Note, Panel, Picker, Piece, Tray
from companion.core.text import counted, listed
from companion.games.smash_up.cards import BASES, FACTIONS, SETS, THIS_SET, Card, Set, faction
from companion.games.smash_up.state import CHECKLIST, EACH, Base, State


def phase(state: State) -> Phase:
    lacking, here = listed([state.name(seat) for seat in state.undecided]), len(state.bases) == state.wanted
    said = [f"two factions for {lacking}"] if lacking else []
    said += [counted(state.lacking, "base")] if state.lacking else []
    begins = f"All is there, and {state.name(state.table.starter)} begins."
    text = f"Still to come: {', and '.join(said)}." if said else begins
    have = "has" if len(state.undecided) == 1 else "have"
    sure = f"{lacking} {have} not chosen two factions. Start all the same?" if lacking and here else ""
    start = Tap("Start the game", Do("begin_game"), strong=here and not lacking, confirm=sure)
    return Phase("Set up", text, (start,), "setup", _warning(state))


def _warning(state: State) -> tuple[Piece, ...]:
    """This box alone has four factions: two players."""
    players = len(state.table.seats)
    if players <= 2 or any(faction(name).set != THIS_SET for name in state.played):
        return ()
    text = f"This box alone seats two: it has four factions, and {players} players need {players * EACH}."
    return (Note("su-warning", f"{text} Take the others from the core set, or type them in.", "warn"),)


def board(state: State) -> tuple[Piece, ...]:
    seats = state.table.seats

    def box(each: Set) -> Tap:
        used = each.id in state.used
        return Tap(each.name, Do("use_set", {"set": each.id, "used": "no" if used else "yes"}), on=used)

    def starts(seat: Seat) -> Tap:
        do = Do("choose_starter", {"seat": seat.id})
        return Tap(seat.name, do, seat=seat, on=seat.id == state.table.starter)

    first = (*map(starts, seats), Tap("By lot", Do("draw_starter"), mark="die"))
    bases = f"Bases: {state.wanted}, one per player and one more"
    return (
        *[piece for seat in seats for piece in _choosing(state, seat)],
        Picker("su-sets", tuple(map(box, SETS)), bases, "chips"),
        Grid("su-laid", tuple(map(_laid, state.bases))),
        *to_lay(state),
        Picker("su-first", first, "First player", "chips"),
        checklist(state.ticked, CHECKLIST, "su-setup"),
    )


def _choosing(state: State, seat: Seat) -> tuple[Piece, ...]:
    """On this seat's own phones the factions lie open; the others open them to tap for them."""
    id, chosen = f"factions-{seat.id}", " + ".join(state.factions_of(seat.id)) or "chooses two factions"
    tap = Tap(seat.name, detail=chosen, seat=seat, opens=id, id=f"choosing-{seat.id}", shows="factions")
    return tap, Tray(id, seat.name, factions(state, seat), seat, chosen, stays=True)


def factions(state: State, seat: Seat) -> tuple[Piece, ...]:
    mine, played = state.factions_of(seat.id), state.played

    def tap(name: str) -> Tap:
        do = Do("drop_faction" if name in mine else "choose_faction", {"seat": seat.id, "faction": name})
        holder = played.get(name.casefold(), seat.id)
        taken = "" if holder == seat.id else f"{state.name(holder)} plays it"
        return Tap(name, do, why_not=taken, on=name in mine)

    def box(each: Set) -> Picker:
        names = [one.name for one in FACTIONS if one.set == each.id]
        return Picker(f"set-{each.id}-{seat.id}", tuple(map(tap, names)), each.name, "chips")

    if len(mine) >= EACH:
        return (Picker(f"chosen-{seat.id}", tuple(map(tap, mine)), "Tap one to put it back", "chips"),)
    typed = [tap(name) for name in mine if not faction(name).set]
    other = Tap("Another faction: type it in", opens=f"faction-{seat.id}")
    boxes = [each for each in map(box, SETS) if each.taps]
    return (*boxes, Bar(f"other-{seat.id}", (*typed, other)))


# --- bases that could come ---


def _laid(base: Base) -> Panel:
    id, card = base.id, base.card
    fix = (Tap("Correct", opens=f"card-{id}"), Tap("Put it back", Do("put_back_base", {"base": id})))
    numbers = (f"breaks at {card.breakpoint}", card.prizes)
    return Panel(f"base-{id}", (Bar(f"fix-{id}", fix),), card.name, card.ability, tags=numbers)


def to_lay(state: State) -> tuple[Piece, ...]:
    """How the bases come that are still missing."""
    if not state.lacking:
        return ()
    have = {"have": len(state.bases)}
    taps = (
        Tap(f"Draw {state.lacking} by lot", Do("draw_bases", have), strong=state.stage == "setup"),
        Tap("Pick", opens="pick-base"),
        Tap("Type in", opens="new-base"),
    )
    return Bar("su-lay", taps), cards_to_pick(state, "pick-base", "Lay out a base", Do("lay_base", have))


def cards_to_pick(state: State, id: str, title: str, do: Do) -> Tray:
    """Every base that could come, as a tap that adds its `card` to what `do` says."""

    def tap(card: Card) -> Tap:
        detail = f"{card.breakpoint} · {card.prizes} VP" + (", scored" if card.id in state.discards else "")
        there = "in play" if card.id in state.in_play else ""
        return Tap(card.name, Do(do.command, {**do.args, "card": card.id}), detail, why_not=there)

    used = [each for each in SETS if each.id in state.used]
    boxes = {each.name: [card for card in BASES if card.set == each.id] for each in used}
    boxes |= {"Typed in": list(state.typed.values())} if state.typed else {}
    cards = [(name, tuple(map(tap, cards))) for name, cards in boxes.items()]
    return Tray(
        id, title, tuple(Picker(f"{id}-{n}", each, name, "cards", 3) for n, (name, each) in enumerate(cards))
    )


def late(state: State) -> Iterator[Piece]:
    """What a game that is under way lacks since more people play it."""
    said = []
    if lacking := [state.name(seat) for seat in state.late]:
        who = f"{listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no factions yet."
        said.append(f"{who} Tap their Madness below, choose two, shuffle, draw five cards.")
    if state.lacking:
        more = "one more comes" if state.lacking == 1 else f"{state.lacking} more come"
        said.append(f"{len(state.table.seats)} players play with {state.wanted} bases: {more}.")
    if said:
        yield Note("su-late", " ".join(said), "warn")
    yield from to_lay(state)
