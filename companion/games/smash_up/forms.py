"""What is typed in a sheet: bases no box of ours has, corrections, VP with a reason."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core import Button, Do, Field, Form, Seat
from companion.games.smash_up.cards import Card
from companion.games.smash_up.state import EACH, State

NEW_BASE = "new-base"
NEXT_BASE = "next-base"


Cards = dict[int, Card]  # of the bases in play


def forms(state: State) -> tuple[Form, ...]:
    """Power changes none of them."""
    seats, cards = state.table.seats, {base.id: base.card for base in state.bases}
    here = state.player if state.stage == "play" else seats[0].id
    found = state.kept("seat forms", _of_seats, seats, state.madness, state.factions)
    found += state.kept("base forms", _of_bases, cards, seats, here)
    if state.scoring is not None and state.scoring.done:
        do = Do("score_base_typed", {"base": state.scoring.base, "number": state.number})
        found += (Form(NEXT_BASE, "The new base", do, _numbers(), "Score, and lay this one out"),)
    return found


def _of_seats(
    seats: tuple[Seat, ...], madness: Mapping[int, int], factions: Mapping[int, tuple[str, ...]]
) -> tuple[Form, ...]:
    return tuple(
        form
        for seat in seats
        for form in _of_seat(seat, madness.get(seat.id, 0), len(factions.get(seat.id, ())) < EACH)
    )


def _of_seat(seat: Seat, madness: int, chooses: bool) -> list[Form]:
    mine = {"seat": seat.id}
    found = [
        Form(
            f"vp-why-{seat.id}",
            f"{seat.name}: VP with a reason",
            Do("count_vp", mine),
            (Field("by", "VP gained (or −1)", "1", "number"), Field("reason", "For what")),
            "Count it",
        ),
        Form(
            f"return-{seat.id}",
            f"{seat.name}: return Madness cards",
            Do("return_madness", mine),
            (Field("cards", "How many go back to the deck", str(madness), "number"),),
            "Return them",
        ),
    ]
    if chooses:
        typed = Do("choose_faction", mine)
        title = f"{seat.name}: another faction"
        found.append(Form(f"faction-{seat.id}", title, typed, (Field("faction", "Its name"),), "Choose it"))
    return found


def _of_bases(cards: Cards, seats: tuple[Seat, ...], here: int) -> tuple[Form, ...]:
    whose = Field("seat", "Whose", str(here), "choice", tuple((str(seat.id), seat.name) for seat in seats))
    new = Form(NEW_BASE, "Type a base in", Do("type_base"), _numbers(), "Lay it out")
    return (*(form for base in cards for form in _of_base(base, cards, whose)), new)


def _of_base(base: int, cards: Cards, whose: Field) -> list[Form]:
    card = cards[base]
    also = (
        Button(
            "Take it out of play",
            Do("put_back_base", {"base": base}),
            confirm=f"Put {card.name} back into the base deck, with all power there forgotten?",
        ),
    )
    found = [
        Form(
            f"base-{base}",
            f"{card.name}: correct the card",
            Do("correct_base", {"base": base}),
            _numbers(card),
            "Correct it",
            also=also,
        )
    ]
    others = tuple((str(id), other.name) for id, other in cards.items() if id != base)
    if others:
        found.append(
            Form(
                f"move-{base}",
                f"Move a minion from {card.name}",
                Do("move_minion", {"base": base}),
                (
                    whose,
                    Field("power", "Its power", "2", "number"),
                    Field(
                        "to",
                        "Where to (a moved minion is not played: nothing triggers)",
                        "",
                        "choice",
                        others,
                    ),
                ),
                "Move it",
            )
        )
    return found


def _numbers(card: Card | None = None) -> tuple[Field, ...]:
    vp = [str(each) for each in card.vp] if card else ["", "", ""]
    return (
        Field("name", "Name", card.name if card else ""),
        Field("breakpoint", "Breakpoint", str(card.breakpoint) if card else "", "number"),
        Field("vp_for_first", "VP for first", vp[0], "number"),
        Field("vp_for_second", "VP for second", vp[1], "number"),
        Field("vp_for_third", "VP for third", vp[2], "number"),
    )
