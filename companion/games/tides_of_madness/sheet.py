"""The score sheet: any number of any round can be put right, and everything after follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from companion.core import Cell, Do, Field, Form, Row, Seat, Sheet, Tap
from companion.core.memo import kept_on
from companion.games.tides_of_madness.board import do_for
from companion.games.tides_of_madness.cards import DECK, DREAMS, SUITS, card
from companion.games.tides_of_madness.rounds import Scored
from companion.games.tides_of_madness.state import PICKS, Round, Side, State

NONE = ("none", "not named")
CARDS = (NONE, *((each.id, each.name) for each in DECK))
WILDS = (("none", "not here"), *((each.id, each.many) for each in SUITS))
TAKES = (("no", f"no {DREAMS}"), ("yes", "takes one from the other player"))
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
    form = _typed(seat, round, side) if by_hand else _cards(seat, round, side, drafting)
    shown = None if by_hand and drafting else form
    again = shown and replace(shown, id=f"madness-{round}-{seat.id}")
    bonus = Cell("4" if choice == "points" else "heal", _bonus(seat, round, choice)) if choice else Cell("–")
    return Row(seat, (Cell(str(cards), shown), bonus, Cell(str(madness), again)), str(points))


def _form(
    id: str,
    seat: Seat,
    round: int,
    words: str,
    command: str,
    fields: tuple[Field, ...],
    submit: str = "Correct it",
) -> Form:
    do = do_for(seat.id, round, command)
    return Form(f"{id}-{round}-{seat.id}", f"{seat.name}, {words} {round}", do, fields, submit)


def _cards(seat: Seat, round: int, side: Side, drafting: bool) -> Form:
    places = zip(PLACES, (*side.played, *[NONE[0]] * PICKS), strict=False)
    five = (Field(name, f"{name.capitalize()} card", id, "choice", CARDS) for name, id in places)
    wild = Field("wild", f"{DREAMS} counts as", side.wild or "none", "choice", WILDS)
    form = _form("cards", seat, round, "cards of round", "correct_cards", (*five, wild))
    by_hand = Tap("Enter this round by hand", Do("score_by_hand", {"round": round}))
    return form if drafting else replace(form, also=(by_hand,))


def _typed(seat: Seat, round: int, side: Side) -> Form:
    vp, madness, takes = side.typed or ("", "", False)
    fields = (
        Field("madness", "Madness icons before you", str(madness), "number"),
        Field("vp", "VP for cards, without the bonus", str(vp), "number"),
        Field("dreamlands", DREAMS, "yes" if takes else "no", "choice", TAKES),
    )
    form = _form("typed", seat, round, "round", "enter_round", fields, "Enter")
    return replace(form, also=(Tap("Score this round card by card", Do("score_by_cards", {"round": round})),))


def _bonus(seat: Seat, round: int, choice: str) -> Form:
    field = Field("choice", "More Madness, so", choice, "choice", BONUS)
    return _form("bonus", seat, round, "bonus of round", "choose_bonus", (field,))


def forms(state: State) -> Iterator[Form]:
    """What a tap on the board opens: the refreshes that have come."""
    for each in state.rounds if state.stage == "refresh" else state.rounds[:-1]:
        for seat in state.table.seats:
            yield _refresh(seat, each.number, each.side(seat.id), each.by_hand)


@remembered
def _refresh(seat: Seat, round: int, side: Side, by_hand: bool) -> Form:
    known = not by_hand and len(side.played) == PICKS
    choices = (NONE, *((id, card(id).name) for id in side.played)) if known else CARDS
    both = (("kept", "Kept", side.kept), ("discarded", "Discarded", side.discarded))
    fields = tuple(Field(name, label, id or NONE[0], "choice", choices) for name, label, id in both)
    form = _form("refresh", seat, round, "refresh after round", "correct_refresh", fields)
    return replace(form, listed=False)
