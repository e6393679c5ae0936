"""What a round gave, and why: the scoring step by step, each card's reason, and the score sheet, where any
number of any round can be put right, and everything after follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from companion.core import Cell, Do, Field, Form, Row, Seat, Sheet, Tap
from companion.core.memo import kept_on
from companion.core.pieces import Because, Fold, Grid, Stage, Steps, Total
from companion.games.tides_of_madness.cards import DECK, DREAMS, SUITS, card
from companion.games.tides_of_madness.rounds import Score, Scored
from companion.games.tides_of_madness.state import PICKS, Round, Side, State

CARDS = (("none", "not named"), *((each.id, each.name) for each in DECK))
WILDS = (("none", "not here"), *((each.id, each.many) for each in SUITS))
TAKES = (("no", f"no {DREAMS}"), ("yes", "takes one from the other player"))
BONUS = (("points", "4 VP"), ("heal", "heal 1 Madness"))
PLACES = ("first", "second", "third", "fourth", "fifth")
FORMS = {  # what each is about, the command, and what its button says
    "cards": ("cards of round", "correct_cards", "Correct it"),
    "typed": ("round", "enter_round", "Enter"),
    "bonus": ("bonus of round", "choose_bonus", "Correct it"),
    "refresh": ("refresh after round", "correct_refresh", "Correct it"),
}

remembered = lru_cache(maxsize=2048)  # of all that is drawn for two players a tap changes a little


def do_for(seat: int, round: int, command: str, **given: str) -> Do:
    return Do(command, {"seat": seat, "round": round, **given})


# --- the working ---


@kept_on  # a round that is over is told the same until somebody corrects it
def lines(scored: Scored, seats: tuple[Seat, ...]) -> Grid:
    id, both = f"tides-lines-{scored.round}", []
    for seat in seats:
        side, rows = scored.sides[seat.id], []
        for shown, points, why, kept, _ in side.lines:
            tags = ("Madness",) * shown.madness + ("kept",) * kept
            rows.append(Because(shown.name, str(points), why, shown.suit or "none", tags=tags))
        value = f"{side.cards} + {side.bonus}" if side.bonus else str(side.cards)
        both.append(Total(f"{id}-{seat.id}", seat.name, value, "VP", tuple(rows), seat=seat, open=True))
    return Grid(id, tuple(both))


def past(state: State, scored: tuple[Scored, ...]) -> Iterator[Fold]:
    """The rounds that are over, the last one first, where there are cards to show."""
    for each in reversed(scored):
        over = each.round < state.round or state.stage == "refresh"
        if over and not each.by_hand and any(side.lines for side in each.sides.values()):
            title, told = f"Round {each.round}, card by card", lines(each, state.table.seats)
            yield Fold(f"tides-past-{each.round}", title, (told,), only="players")


def stops(state: State, now: Scored) -> Steps:
    """The scoring as the manual orders it; what is not done yet says what it waits for."""

    def pairs(say: Callable[[Score], str]) -> str:
        return ", ".join(f"{state.name(seat)} {say(side)}" for seat, side in now.sides.items())

    chosen = now.chooser is None or now.choice is not None
    moved = chosen and not now.waits_for("token")
    waits = "" if moved else "after the bonus"
    found = (
        ("Madness", True, pairs(lambda side: f"{side.before} + {side.gained}")),
        ("Most Madness", chosen, _bonus(state, now)),
        ("Dreamlands", moved, now.dreamer and (waits or _dreams(state, now, now.dreamer))),
        ("Objectives", moved, waits or pairs(lambda side: f"{side.cards} VP")),
        ("Nine or more?", now.complete, pairs(_checked) if now.complete else "at the end"),
    )
    first = next((title for title, done, _ in found if not done), "")
    stages = [
        Stage(title, "done" if done else "now" if title == first else "next", detail=str(text))
        for title, done, text in found
        if text
    ]
    return Steps("tides-stops", "Scoring, step by step", tuple(stages), upright=True)


def _bonus(state: State, now: Scored) -> str:
    if now.chooser is None:
        return "both gained as much, so nobody has the bonus"
    side = now.sides[now.chooser]
    held = side.before + side.gained
    how = {None: "chooses", "points": "takes 4 VP", "heal": f"heals 1: {held} → {held - 1}"}[now.choice]
    return f"{state.name(now.chooser)} gained more and {how}"


def _dreams(state: State, now: Scored, dreamer: int) -> str:
    mine, theirs = now.sides[dreamer], now.sides[state.other(dreamer)]
    how = "no token"
    if mine.moved:
        supply = f"a token from the supply: now {mine.after}"
        taken = f"a token from {state.name(theirs.seat)}: now {mine.after} and {theirs.after}"
        how = taken if theirs.moved else supply
    return f"{state.name(dreamer)} takes {how}"


def _checked(side: Score) -> str:
    how = ", lost" if side.lost else ", saved by healing before the check" if side.saved else ""
    return f"{side.after}{how}"


# --- the sheet, and the forms that put it right ---


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
    title = f"Round {round.number}{', by hand' * round.by_hand}{', not complete' * bool(scored.missing)}"
    return Sheet(f"round-{round.number}", title, ("Cards", "Bonus", "Madness"), tuple(rows), total="VP")


@remembered
def _row(
    seat: Seat, round: int, side: Side, by_hand: bool, drafting: bool, numbers: tuple[int, str, int, int]
) -> Row:
    cards, choice, madness, points = numbers
    form = _typed(seat, round, side) if by_hand else _cards(seat, round, side, drafting)
    shown = None if by_hand and drafting else form
    again = shown and replace(shown, id=f"madness-{round}-{seat.id}")
    bonus = Cell("–")
    if choice:
        fields = [Field("choice", "More Madness, so", choice, "choice", BONUS)]
        bonus = Cell("4" if choice == "points" else "heal", _form("bonus", seat, round, fields))
    return Row(seat, (Cell(str(cards), shown), bonus, Cell(str(madness), again)), str(points))


def _form(
    kind: str, seat: Seat, round: int, fields: Iterable[Field], *also: Tap, listed: bool = True
) -> Form:
    about, command, submit = FORMS[kind]
    id, title, do = (
        f"{kind}-{round}-{seat.id}",
        f"{seat.name}, {about} {round}",
        do_for(seat.id, round, command),
    )
    return Form(id, title, do, tuple(fields), submit, also, listed)


def _cards(seat: Seat, round: int, side: Side, drafting: bool) -> Form:
    places = zip(PLACES, (*side.played, *["none"] * PICKS), strict=False)
    five = [Field(name, f"{name.capitalize()} card", id, "choice", CARDS) for name, id in places]
    wild = Field("wild", f"{DREAMS} counts as", side.wild or "none", "choice", WILDS)
    by_hand = Tap("Enter this round by hand", Do("score_by_hand", {"round": round}))
    return _form("cards", seat, round, (*five, wild), *(by_hand,) * (not drafting))


def _typed(seat: Seat, round: int, side: Side) -> Form:
    vp, madness, takes = side.typed or ("", "", False)
    fields = (
        Field("madness", "Madness icons before you", str(madness), "number"),
        Field("vp", "VP for cards, without the bonus", str(vp), "number"),
        Field("dreamlands", DREAMS, "yes" if takes else "no", "choice", TAKES),
    )
    by_cards = Tap("Score this round card by card", Do("score_by_cards", {"round": round}))
    return _form("typed", seat, round, fields, by_cards)


def forms(state: State) -> Iterator[Form]:
    """What a tap on the board opens: the refreshes that have come."""
    for each in state.rounds if state.stage == "refresh" else state.rounds[:-1]:
        for seat in state.table.seats:
            yield _refresh(seat, each.number, each.side(seat.id), each.by_hand)


@remembered
def _refresh(seat: Seat, round: int, side: Side, by_hand: bool) -> Form:
    known = not by_hand and len(side.played) == PICKS
    choices = (CARDS[0], *((id, card(id).name) for id in side.played)) if known else CARDS
    both = (("kept", side.kept), ("discarded", side.discarded))
    fields = [Field(name, name.capitalize(), id or "none", "choice", choices) for name, id in both]
    return _form("refresh", seat, round, fields, listed=False)
