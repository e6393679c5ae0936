"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter

from companion.core import Cell, Counter, Do, Field, Form, Forms, Row, Seat, SeatView, Sheet, Tap, View
from companion.core.memo import kept_while, remembered
from companion.core.pieces import Picker, Tray
from companion.core.text import counted
from companion.games.smash_up.adjudication import Standing, adjudicate, places, standings
from companion.games.smash_up.board import POWERS, board, factions, minions, setting_up, to_set_up
from companion.games.smash_up.cards import Card
from companion.games.smash_up.phases import RANKS, past, phase
from companion.games.smash_up.state import EACH, Base, State


def view(state: State) -> View:
    if state.stage == "setup":
        now, pieces = setting_up(state), to_set_up(state)
    else:
        now, pieces = phase(state, adjudicate(state)), (*board(state, *past(state)), *_trays(state))
    lie = frozenset(base.card.id for base in state.bases)
    return View(now, _seats(state), _sheets(state), _forms(state), pieces, lie)


# --- seats ---

_seen = remembered(SeatView)  # most taps leave all but one as they were


@kept_while(attrgetter("table.seats", "table.choices", "vp", "madness", "stage", "player", "after"))
def _seats(state: State) -> tuple[SeatView, ...]:
    """Who is at which place is said once somebody is ahead."""
    over = adjudicate(state).final
    ranks, someone = places(state.table, standings(state), over), any(state.vp.values())
    turn, firsts = state.player if state.stage == "play" else 0, [*ranks.values()].count(1)

    def view(seat: Seat, each: Standing) -> SeatView:
        notes = RANKS[ranks[seat.id]] if someone else "", "plays now" if turn == seat.id else ""
        words, counts = f"{each.madness} Madness", each.sum if over and each.penalty else ""
        tap = Tap(words, detail=counts, opens=f"su-seat-{seat.id}", id=f"mad-{seat.id}", shows="madness")
        said, pieces = tuple(filter(None, notes)), (tap,) if state.stage != "setup" else ()
        leads = (ranks[seat.id], firsts, someone) == (1, 1, True)
        return _seen(seat, notes=said, leads=leads, pieces=pieces, score=str(each.vp), unit="VP")

    return tuple(map(view, state.table.seats, standings(state)))


@kept_while(attrgetter("table.seats", "vp", "madness", "factions"))
def _trays(state: State) -> tuple[Tray, ...]:
    """VP and Madness cards of each player; whoever joined late chooses factions there."""

    def tray(seat: Seat, each: Standing) -> Tray:
        known = _tray(seat, each, " + ".join(state.factions_of(seat.id)))
        late = factions(state, seat) if seat.id in state.late else ()
        return replace(known, pieces=(*late, *known.pieces)) if late else known

    return tuple(map(tray, state.table.seats, standings(state)))


@remembered
def _tray(seat: Seat, each: Standing, plays: str) -> Tray:
    mine, cards = {"seat": seat.id}, Do("count_madness", {"seat": seat.id})
    cost = f"{each.penalty} VP" if each.penalty else "nothing"
    penalty = f"At the end {counted(each.madness, 'Madness card')} will cost {cost}"
    acts = (
        Tap("Draw one", Do("draw_madness", mine)),
        Tap("Return some", opens=f"return-{seat.id}"),
        Tap("Play: draw two cards, keep it", Do("play_madness", {**mine, "choice": "cards"})),
        Tap("Play: return it", Do("play_madness", {**mine, "choice": "return"})),
        Tap("VP with a reason", opens=f"vp-why-{seat.id}"),
    )
    pieces = (
        Counter(f"vp-{seat.id}", "VP", each.vp, Do("count_vp", mine), whom=seat.name),
        Counter(f"madness-{seat.id}", "Madness cards", each.madness, cards, whom=seat.name),
        Picker(f"acts-{seat.id}", acts, "Madness: hand, deck and discard pile together", columns=2),
    )
    title = f"{seat.name}: {plays}" if plays else seat.name
    return Tray(f"su-seat-{seat.id}", title, pieces, seat, penalty)


@kept_while(attrgetter("table.seats", "scored", "vp"))
def _sheets(state: State) -> tuple[Sheet, ...]:
    def row(seat: Seat) -> Row:
        gained = [sum(award.vp for award in each.awards if award.seat == seat.id) for each in state.scored]
        return Row(seat, tuple(Cell(str(each)) for each in gained), str(state.vp.get(seat.id, 0)))

    columns = tuple(each.card.name for each in state.scored)
    return (Sheet("vp", "Victory points", columns, tuple(map(row, state.table.seats))),) if columns else ()


# --- what is typed in a sheet: bases no box of ours has, corrections, VP with a reason ---

_opened = partial(Form, listed=False)  # by a tap on the board


def _looked_at(state: State) -> tuple[object, ...]:
    """Power changes none of them."""
    here = [each for base in state.bases for each in (base.id, base.card)]
    return state.table.seats, state.madness, state.factions, state.stage, state.player, state.after, *here


@kept_while(_looked_at)
def _forms(state: State) -> Forms:
    return Forms(lambda: _all_forms(state))


def _all_forms(state: State) -> Iterator[Form]:
    for seat in state.table.seats:
        yield from _of_seat(state, seat)
    for base in state.bases:
        yield from _of_base(state, base)
    playing = state.stage == "play"
    more = "One more base by a card: type it in" if playing else "Type a base in"
    yield Form("new-base", more, Do("type_base"), _printed(), "Lay it out", listed=playing)
    if state.leaving:
        do = Do("replace_base_typed", {"base": state.leaving.id, "number": len(state.scored)})
        yield _opened("next-base", "The new base", do, _printed(), "All passed: lay this one out")


def _of_seat(state: State, seat: Seat) -> Iterator[Form]:
    id, name, mine = seat.id, seat.name, {"seat": seat.id}
    vp = Field("by", "VP gained (or −1)", "1", "number"), Field("reason", "For what", optional=True)
    yield _opened(f"vp-why-{id}", f"{name}: VP with a reason", Do("count_vp", mine), vp, "Count it")
    cards = (Field("cards", "How many go back to the deck", str(state.madness.get(id, 0)), "number"),)
    back = f"{name}: return Madness cards"
    yield _opened(f"return-{id}", back, Do("return_madness", mine), cards, "Return them")
    if len(state.factions_of(id)) < EACH:
        typed, other = (Field("faction", "Its name"),), f"{name}: another faction"
        yield _opened(f"faction-{id}", other, Do("choose_faction", mine), typed, "Choose it")


def _of_base(state: State, base: Base) -> Iterator[Form]:
    id, name, here = base.id, base.card.name, {"base": base.id}
    sure = f"Put {name} back into the base deck, with all power there forgotten?"
    out = Tap("Take it out of play", Do("put_back_base", here), confirm=sure)
    title, fix = f"{name}: correct the card", Do("correct_base", here)
    yield _opened(f"card-{id}", title, fix, _printed(base.card), "Correct it", (out,))
    for seat in state.table.seats:
        yield from _of_minions(state, base, seat)


def _of_minions(state: State, base: Base, seat: Seat) -> Iterator[Form]:
    """What happens to one of theirs here, and what they can play here by name."""
    at = f"{base.id}-{seat.id}"
    here: dict[str, str | int] = {"base": base.id, "seat": seat.id}
    if plays := [_by_name(here, *each) for each in minions(state, seat.id)]:
        first, *more = plays
        title = f"{seat.name} plays at {base.card.name}"
        yield _opened(f"names-{at}", title, first.do or Do(""), (), first.label, tuple(more))
    for power in POWERS:
        one = {**here, "power": power}
        back = Tap("Returned to hand or deck", Do("lose_minion", {**one, "how": "returned"}))
        others = [other for other in state.bases if other is not base]
        moved = [Tap(f"Moved to {to.card.name}", Do("move_minion", {**one, "to": to.id})) for to in others]
        title = f"{seat.name}'s minion of power {power} at {base.card.name}"
        text = "One that is moved or returned is not played: nothing triggers."
        do, also = Do("lose_minion", {**one, "how": "destroyed"}), (*moved, back)
        yield _opened(f"gone-{at}-{power}", title, do, (), "Destroyed", also, text=text)


def _by_name(here: dict[str, str | int], name: str, power: int) -> Tap:
    return Tap(f"{name}, {power}", Do("play_minion", {**here, "power": power, "name": name}))


def _printed(card: Card | None = None) -> tuple[Field, ...]:
    asked = ("breakpoint", "vp_for_first", "vp_for_second", "vp_for_third")
    labels = ("Breakpoint", "VP for first", "VP for second", "VP for third")
    known = map(str, (card.breakpoint, *card.vp) if card else [""] * 4)
    numbers = [Field(*each, "number") for each in zip(asked, labels, known, strict=True)]
    return (Field("name", "Name", card.name if card else ""), *numbers)
