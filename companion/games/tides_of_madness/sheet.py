"""What a round gave, and why: the scoring step by step, each card's reason, and the score sheet, where any
number of any round can be put right, and everything after follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from companion.core import Cell, Do, Field, Form, Row, Seat, Sheet, Tap
from companion.core.memo import kept_on, remembered
from companion.core.pieces import Because, Fold, Grid, Steps, Total, steps
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


def do_for(seat: int, round: int, command: str, **given: str) -> Do:
    return Do(command, {"seat": seat, "round": round, **given})


@remembered
def other_way(round: int, by_hand: bool) -> Tap:
    label, way = ("Score card by card", "cards") if by_hand else ("Enter this round by hand", "hand")
    return Tap(f"{label} instead", Do(f"score_by_{way}", {"round": round}))


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
        ("Dreamlands", moved, (waits or _dreams(state, now, now.dreamer)) if now.dreamer else ""),
        ("Objectives", moved, waits or pairs(lambda side: f"{side.cards} VP")),
        ("Nine or more?", now.complete, pairs(_checked) if now.complete else "at the end"),
    )
    titles, dones, texts = zip(*[each for each in found if each[2]], strict=True)
    where = steps("tides-stops", "Scoring, step by step", titles, sum(dones))
    stages = [replace(stage, detail=text) for stage, text in zip(where.stages, texts, strict=True)]
    return replace(where, stages=tuple(stages), upright=True)


def _bonus(state: State, now: Scored) -> str:
    if now.chooser is None:
        return "both gained as much, so nobody has the bonus"
    side = now.sides[now.chooser]
    held = side.before + side.gained
    how = {None: "chooses", "points": "takes 4 VP", "heal": f"heals 1: {held} → {held - 1}"}[now.choice]
    return f"{state.name(now.chooser)} gained more and {how}"


def _dreams(state: State, now: Scored, dreamer: int) -> str:
    mine, theirs = now.sides[dreamer], now.sides[state.other(dreamer)]
    whose, left = (state.name(theirs.seat), f" and {theirs.after}") if theirs.moved else ("the supply", "")
    how = f"a token from {whose}: now {mine.after}{left}" if mine.moved else "no token"
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
    number, by_hand = round.number, round.by_hand

    def row(seat: Seat) -> Row:
        score, side, bonus = scored.sides[seat.id], round.side(seat.id), Cell("–")
        form = _typed(seat, number, side) if by_hand else _cards(seat, number, side, drafting)
        shown = None if by_hand and drafting else form
        again = shown and replace(shown, id=f"madness-{number}-{seat.id}")
        if scored.choice and scored.chooser == seat.id:
            fields = [Field("choice", "More Madness, so", scored.choice, "choice", BONUS)]
            given = "4" if scored.choice == "points" else "heal"
            bonus = Cell(given, _form("bonus", seat, number, fields))
        cells = (Cell(str(score.cards), shown), bonus, Cell(str(score.after), again))
        return Row(seat, cells, str(score.points))

    title = f"Round {number}{', by hand' * by_hand}{', not complete' * bool(scored.missing)}"
    columns = ("Cards", "Bonus", "Madness")
    return Sheet(f"round-{number}", title, columns, tuple(map(row, seats)), total="VP")


def _form(
    kind: str, seat: Seat, round: int, fields: Iterable[Field], *also: Tap, listed: bool = True
) -> Form:
    about, command, submit = FORMS[kind]
    id, title = f"{kind}-{round}-{seat.id}", f"{seat.name}, {about} {round}"
    return Form(id, title, do_for(seat.id, round, command), tuple(fields), submit, also, listed)


def _cards(seat: Seat, round: int, side: Side, drafting: bool) -> Form:
    places = zip(PLACES, (*side.played, *["none"] * PICKS), strict=False)
    five = [Field(name, f"{name.capitalize()} card", id, "choice", CARDS) for name, id in places]
    wild = Field("wild", f"{DREAMS} counts as", side.wild or "none", "choice", WILDS)
    return _form("cards", seat, round, (*five, wild), *(other_way(round, False),) * (not drafting))


def _typed(seat: Seat, round: int, side: Side) -> Form:
    vp, madness, takes = side.typed or ("", "", False)
    fields = (
        Field("madness", "Madness icons before you", str(madness), "number"),
        Field("vp", "VP for cards, without the bonus", str(vp), "number"),
        Field("dreamlands", DREAMS, "yes" if takes else "no", "choice", TAKES),
    )
    return _form("typed", seat, round, fields, other_way(round, True))


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
