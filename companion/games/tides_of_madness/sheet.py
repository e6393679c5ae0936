"""The score sheet: any number of any round can be put right, and everything after follows."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from companion.core import Cell, Do, Field, Form, Row, Seat, Sheet, Tap
from companion.core.memo import kept_on
from companion.games.tides_of_madness.cards import DECK, DREAMLANDS, SUITS, card
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.state import PICKS, Round, Side, State, Typed

NONE = ("none", "not named")
CARDS = (NONE, *((each.id, each.name) for each in DECK))
WILDS = (("none", "not here"), *((each.id, each.many) for each in SUITS))
TAKES = (("no", f"no {card(DREAMLANDS).name}"), ("yes", "takes one from the other player"))
BONUS = (("points", "4 VP"), ("heal", "heal 1 Madness"))
PLACES = ("first", "second", "third", "fourth", "fifth")

remembered = lru_cache(maxsize=512)  # of six rows a tap changes one or two


def sheets(state: State, scored: tuple[Scored, ...]) -> tuple[Sheet, ...]:
    seats = state.table.seats
    return tuple([_sheet(each, seats, state.at(n), state.drafts(n)) for n, each in enumerate(scored, 1)])


@kept_on  # a round that is over stays as it is until somebody corrects it
def _sheet(scored: Scored, seats: tuple[Seat, ...], round: Round, drafting: bool) -> Sheet:
    rows = []
    for seat in seats:
        side, choice = scored.sides[seat.id], scored.choice if scored.chooser == seat.id else ""
        numbers = (side.cards, choice or "", side.after, side.points)
        rows.append(_row(seat, round.number, round.side(seat.id), round.by_hand, drafting, numbers))
    by_hand, open = ", by hand" * round.by_hand, ", not complete" * bool(scored.missing)
    title = f"Round {round.number}{by_hand}{open}"
    return Sheet(f"round-{round.number}", title, ("Cards", "Bonus", "Madness"), tuple(rows), total="VP")


@remembered
def _row(
    seat: Seat, round: int, side: Side, by_hand: bool, drafting: bool, numbers: tuple[int, str, int, int]
) -> Row:
    cards, choice, madness, points = numbers
    form = _typed(seat, round, side.typed) if by_hand else _cards(seat, round, side, drafting)
    shown = None if by_hand and drafting else form
    again = shown and replace(shown, id=f"madness-{round}-{seat.id}")
    bonus = {"": "–", "points": "4", "heal": "heal"}[choice]
    cells = (
        Cell(str(cards), shown),
        Cell(bonus, _bonus(seat, round, choice) if choice else None),
        Cell(str(madness), again),
    )
    return Row(seat, cells, str(points))


def _cards(seat: Seat, round: int, side: Side, drafting: bool) -> Form:
    places = zip(PLACES, (*side.played, *[NONE[0]] * PICKS), strict=False)
    instead = Tap("Enter this round by hand", Do("score_by_hand", {"round": round}))
    return Form(
        f"cards-{round}-{seat.id}",
        f"{seat.name}, cards of round {round}",
        Do("correct_cards", {"seat": seat.id, "round": round}),
        (
            *(Field(name, f"{name.capitalize()} card", id, "choice", CARDS) for name, id in places),
            Field("wild", f"{card(DREAMLANDS).name} counts as", side.wild or "none", "choice", WILDS),
        ),
        "Correct it",
        also=() if drafting else (instead,),
    )


def _typed(seat: Seat, round: int, typed: Typed | None) -> Form:
    takes = "yes" if typed and typed.dreamlands else "no"
    return Form(
        f"typed-{round}-{seat.id}",
        f"{seat.name}, round {round}",
        Do("enter_round", {"seat": seat.id, "round": round}),
        (
            Field("madness", "Madness icons before you", str(typed.madness) if typed else "", "number"),
            Field("vp", "VP for cards, without the bonus", str(typed.vp) if typed else "", "number"),
            Field("dreamlands", card(DREAMLANDS).name, takes, "choice", TAKES),
        ),
        "Enter",
        also=(Tap("Score this round card by card", Do("score_by_cards", {"round": round})),),
    )


def _bonus(seat: Seat, round: int, choice: str) -> Form:
    return Form(
        f"bonus-{round}-{seat.id}",
        f"{seat.name}, bonus of round {round}",
        Do("choose_bonus", {"seat": seat.id, "round": round}),
        (Field("choice", "More Madness, so", choice, "choice", BONUS),),
        "Correct it",
    )


def forms(state: State) -> tuple[Form, ...]:
    """What a tap on the board opens: the refreshes that have come."""
    come = state.rounds if state.stage == "refresh" else state.rounds[:-1]
    seats = state.table.seats
    return tuple([_refresh(seat, n.number, n.side(seat.id), n.by_hand) for n in come for seat in seats])


@remembered
def _refresh(seat: Seat, round: int, side: Side, by_hand: bool) -> Form:
    known = not by_hand and len(side.played) == PICKS
    choices = (NONE, *((id, card(id).name) for id in side.played)) if known else CARDS
    return Form(
        f"refresh-{round}-{seat.id}",
        f"{seat.name}, refresh after round {round}",
        Do("correct_refresh", {"seat": seat.id, "round": round}),
        (
            Field("kept", "Kept", side.kept or NONE[0], "choice", choices),
            Field("discarded", "Discarded", side.discarded or NONE[0], "choice", choices),
        ),
        "Correct it",
        listed=False,
    )
