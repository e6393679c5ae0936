"""What a round gave, and why: the scoring step by step, and each card's reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.core import Seat
from companion.core.memo import kept_on
from companion.core.pieces import Because, Fold, Grid, Stage, Steps, Total
from companion.games.tides_of_madness.rounds import Score, Scored
from companion.games.tides_of_madness.scoring import Line
from companion.games.tides_of_madness.state import State


@kept_on  # a round that is over is told the same until somebody corrects it
def lines(scored: Scored, seats: tuple[Seat, ...]) -> Grid:
    both = [_total(seat, scored.round, scored.sides[seat.id]) for seat in seats]
    return Grid(f"tides-lines-{scored.round}", tuple(both))


def _total(seat: Seat, round: int, side: Score) -> Total:
    value = f"{side.cards} + {side.bonus}" if side.bonus else str(side.cards)
    rows = tuple(_because(line) for line in side.lines)
    return Total(f"tides-lines-{round}-{seat.id}", seat.name, value, "VP", rows, seat=seat, open=True)


def _because(line: Line) -> Because:
    tags = ("Madness",) * line.card.madness + ("kept",) * line.kept
    return Because(line.card.name, str(line.points), line.why, line.card.suit or "none", tags=tags)


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
    found = [("Madness", pairs(lambda side: f"{side.before} + {side.gained}"), True)]
    found.append(("Most Madness", _bonus(state, now), chosen))
    if now.dreamer is not None:
        found.append(("Dreamlands", _dreams(state, now, now.dreamer) if moved else "after the bonus", moved))
    found.append(("Objectives", pairs(lambda s: f"{s.cards} VP") if moved else "after the bonus", moved))
    found.append(("Nine or more?", pairs(_checked) if now.complete else "at the end", now.complete))
    first = next((title for title, _, done in found if not done), "")
    stages = [
        Stage(title, "done" if done else "now" if title == first else "next", detail=text)
        for title, text, done in found
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
    name, other = state.name(dreamer), state.other(dreamer)
    mine, theirs = now.sides[dreamer], now.sides[other]
    if not mine.moved:
        return f"{name} takes no token"
    if not theirs.moved:
        return f"{name} takes a token from the supply: now {mine.after}"
    return f"{name} takes a token from {state.name(other)}: now {mine.after} and {theirs.after}"


def _checked(side: Score) -> str:
    if side.lost:
        return f"{side.after}, lost"
    return f"{side.after}, saved by healing before the check" if side.saved else f"{side.after}"
