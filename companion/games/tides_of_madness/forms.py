"""What a tap on the sheet opens: any number of any round can be put right, and everything after follows."""

from __future__ import annotations

from companion.core import Button, Do, Field, Form, Seat
from companion.games.tides_of_madness.cards import DECK, DREAMLANDS, SUITS, card
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.state import PICKS, ROUNDS, State

NONE = ("none", "not named")
PLACES = ("first", "second", "third", "fourth", "fifth")


def forms(state: State, scored: tuple[Scored, ...]) -> tuple[Form, ...]:
    found = []
    for each in scored:
        drafting = each.round == state.round and state.stage == "draft"
        refreshed = each.round < min(state.round, ROUNDS) or state.stage == "refresh"
        for seat in state.table.seats:
            if each.by_hand and not drafting:
                found.append(_typed(state, seat, each.round))
            elif not each.by_hand:
                found.append(_cards(state, seat, each.round))
            if each.chooser == seat.id and each.choice:
                found.append(_bonus(seat, each))
            if refreshed and each.round < ROUNDS:
                found.append(_refresh(state, seat, each))
    return tuple(found)


def _cards(state: State, seat: Seat, number: int) -> Form:
    side = state.at(number).side(seat.id)
    choices = (NONE, *((each.id, each.name) for each in DECK))
    places = zip(PLACES, (*side.played, *[NONE[0]] * PICKS), strict=False)
    wilds = (("none", "not here"), *((each.id, each.many) for each in SUITS))
    instead = Button("Enter this round by hand", Do("score_by_hand", {"round": number}))
    drafting = number == state.round and state.stage == "draft"
    return Form(
        f"cards-{number}-{seat.id}",
        f"{seat.name}, cards of round {number}",
        Do("correct_cards", {"seat": seat.id, "round": number}),
        (
            *(Field(name, f"{name.capitalize()} card", id, "choice", choices) for name, id in places),
            Field("wild", f"{card(DREAMLANDS).name} counts as", side.wild or "none", "choice", wilds),
        ),
        "Correct it",
        also=() if drafting else (instead,),
    )


def _typed(state: State, seat: Seat, number: int) -> Form:
    typed = state.at(number).side(seat.id).typed
    takes = (("no", f"no {card(DREAMLANDS).name}"), ("yes", "takes one from the other player"))
    return Form(
        f"typed-{number}-{seat.id}",
        f"{seat.name}, round {number}",
        Do("enter_round", {"seat": seat.id, "round": number}),
        (
            Field("madness", "Madness icons before you", str(typed.madness) if typed else "", "number"),
            Field("vp", "VP for cards, without the bonus", str(typed.vp) if typed else "", "number"),
            Field(
                "dreamlands",
                card(DREAMLANDS).name,
                "yes" if typed and typed.dreamlands else "no",
                "choice",
                takes,
            ),
        ),
        "Enter",
        also=(Button("Score this round card by card", Do("score_by_cards", {"round": number})),),
    )


def _bonus(seat: Seat, scored: Scored) -> Form:
    return Form(
        f"bonus-{scored.round}-{seat.id}",
        f"{seat.name}, bonus of round {scored.round}",
        Do("choose_bonus", {"seat": seat.id, "round": scored.round}),
        (
            Field(
                "choice",
                "More Madness, so",
                scored.choice or "",
                "choice",
                (("points", "4 VP"), ("heal", "heal 1 Madness")),
            ),
        ),
        "Correct it",
    )


def _refresh(state: State, seat: Seat, scored: Scored) -> Form:
    side = state.at(scored.round).side(seat.id)
    known = not scored.by_hand and len(side.played) == PICKS
    among = [card(id) for id in side.played] if known else list(DECK)
    choices = (NONE, *((each.id, each.name) for each in among))
    return Form(
        f"refresh-{scored.round}-{seat.id}",
        f"{seat.name}, refresh after round {scored.round}",
        Do("correct_refresh", {"seat": seat.id, "round": scored.round}),
        (
            Field("kept", "Kept", side.kept or NONE[0], "choice", choices),
            Field("discarded", "Discarded", side.discarded or NONE[0], "choice", choices),
        ),
        "Correct it",
    )
