"""What is typed in a sheet: bases no box of ours has, corrections, VP with a reason."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Field, Form, Forms, Seat, Tap
from companion.core.memo import kept_while
from companion.games.smash_up.cards import Card
from companion.games.smash_up.state import EACH, Base, State

BLANK = Card("", "", "", 0, (0, 0, 0))


def _looked_at(state: State) -> tuple[object, ...]:
    """Power changes none of them."""
    here = [each for base in state.bases for each in (base.id, base.card)]
    return state.table.seats, state.madness, state.factions, state.stage, state.player, state.scoring, *here


@kept_while(_looked_at)
def forms(state: State) -> Forms:
    return Forms(lambda: _forms(state))


def _forms(state: State) -> Iterator[Form]:
    for seat in state.table.seats:
        yield from _of_seat(state, seat)
    for base in state.bases:
        yield from _of_base(state, base)
    more = "One more base by a card: type it in" if state.stage == "play" else "Type a base in"
    yield Form("new-base", more, Do("type_base"), _numbers(), "Lay it out", listed=state.stage == "play")
    if state.scoring is not None and state.scoring.done:
        do = Do("score_base_typed", {"base": state.scoring.base, "number": state.number})
        yield _form("next-base", "The new base", do, _numbers(), "Score, and lay this one out")


def _form(
    id: str, title: str, do: Do, fields: tuple[Field, ...], submit: str, also: tuple[Tap, ...] = ()
) -> Form:
    """One that a tap on the board opens."""
    return Form(id, title, do, fields, submit, also, listed=False)


def _of_seat(state: State, seat: Seat) -> Iterator[Form]:
    id, name, mine = seat.id, seat.name, {"seat": seat.id}
    vp = Field("by", "VP gained (or −1)", "1", "number"), Field("reason", "For what", optional=True)
    yield _form(f"vp-why-{id}", f"{name}: VP with a reason", Do("count_vp", mine), vp, "Count it")
    cards = Field("cards", "How many go back to the deck", str(state.madness_of(id)), "number")
    back = f"{name}: return Madness cards"
    yield _form(f"return-{id}", back, Do("return_madness", mine), (cards,), "Return them")
    if len(state.factions_of(id)) < EACH:
        typed, other = Field("faction", "Its name"), f"{name}: another faction"
        yield _form(f"faction-{id}", other, Do("choose_faction", mine), (typed,), "Choose it")


def _of_base(state: State, base: Base) -> Iterator[Form]:
    name, here = base.card.name, {"base": base.id}
    sure = f"Put {name} back into the base deck, with all power there forgotten?"
    out = Tap("Take it out of play", Do("put_back_base", here), confirm=sure)
    fix = Do("correct_base", here)
    yield _form(
        f"card-{base.id}", f"{name}: correct the card", fix, _numbers(base.card), "Correct it", (out,)
    )
    others = tuple((str(other.id), other.card.name) for other in state.bases if other is not base)
    if others:
        seats = tuple((str(seat.id), seat.name) for seat in state.table.seats)
        now = str(state.player if state.stage == "play" else state.table.seats[0].id)
        where = "Where to (a moved minion is not played: nothing triggers)"
        fields = (
            Field("seat", "Whose", now, "choice", seats),
            Field("power", "Its power", "2", "number"),
            Field("to", where, "", "choice", others),
        )
        yield _form(
            f"move-{base.id}", f"Move a minion from {name}", Do("move_minion", here), fields, "Move it"
        )


def _numbers(card: Card = BLANK) -> tuple[Field, ...]:
    known = (str(card.breakpoint), *map(str, card.vp)) if card.id else ("",) * 4
    asked = ("breakpoint", "vp_for_first", "vp_for_second", "vp_for_third")
    labels = ("Breakpoint", "VP for first", "VP for second", "VP for third")
    numbers = zip(asked, labels, known, strict=True)
    return (Field("name", "Name", card.name), *(Field(*each, "number") for each in numbers))
