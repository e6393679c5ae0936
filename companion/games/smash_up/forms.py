"""What is typed in a sheet: bases no box of ours has, corrections, VP with a reason."""

from __future__ import annotations

from companion.core import Button, Do, Field, Form, Seat
from companion.games.smash_up.cards import Card
from companion.games.smash_up.state import EACH, Base, State

NEW_BASE = "new-base"
NEXT_BASE = "next-base"


def forms(state: State) -> tuple[Form, ...]:
    found = [form for seat in state.table.seats for form in _of_seat(state, seat)]
    found += [form for base in state.bases for form in _of_base(state, base)]
    found.append(Form(NEW_BASE, "Type a base in", Do("type_base"), _numbers(), "Lay it out"))
    if state.scoring is not None and state.scoring.done:
        do = Do("score_base_typed", {"base": state.scoring.base, "number": state.number})
        found.append(Form(NEXT_BASE, "The new base", do, _numbers(), "Score, and lay this one out"))
    return tuple(found)


def _of_seat(state: State, seat: Seat) -> list[Form]:
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
            (Field("cards", "How many go back to the deck", str(state.madness_of(seat.id)), "number"),),
            "Return them",
        ),
    ]
    if len(state.factions_of(seat.id)) < EACH:
        typed = Do("choose_faction", mine)
        title = f"{seat.name}: another faction"
        found.append(Form(f"faction-{seat.id}", title, typed, (Field("faction", "Its name"),), "Choose it"))
    return found


def _of_base(state: State, base: Base) -> list[Form]:
    card = base.card
    also = (
        Button(
            "Take it out of play",
            Do("put_back_base", {"base": base.id}),
            confirm=f"Put {card.name} back into the base deck, with all power there forgotten?",
        ),
    )
    found = [
        Form(
            f"base-{base.id}",
            f"{card.name}: correct the card",
            Do("correct_base", {"base": base.id}),
            _numbers(card),
            "Correct it",
            also=also,
        )
    ]
    others = tuple((str(each.id), each.card.name) for each in state.bases if each is not base)
    if others:
        seats = tuple((str(seat.id), seat.name) for seat in state.table.seats)
        here = str(state.player) if state.stage == "play" else seats[0][0]
        found.append(
            Form(
                f"move-{base.id}",
                f"Move a minion from {card.name}",
                Do("move_minion", {"base": base.id}),
                (
                    Field("seat", "Whose", here, "choice", seats),
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
