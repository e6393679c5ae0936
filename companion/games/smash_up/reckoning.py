"""A base that is being scored, and one that has been: every place with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import Button, Counter, Do, Seat, Table
from companion.core.text import listed
from companion.games.smash_up.board import WHEN, Box, boxes, minion_counter
from companion.games.smash_up.cards import Card
from companion.games.smash_up.house_rules import LAST_BASE
from companion.games.smash_up.scoring import Award, winners
from companion.games.smash_up.state import Scored, Scoring, State

PLACES = ("–", "1st", "2nd", "3rd", "4th")


@dataclass(frozen=True)
class Line:
    """What one player gains from a base, and why."""

    seat: Seat
    place: str
    power: int
    minions: int
    vp: int
    why: str
    then: str  # VP before and after
    more: Counter | None = None
    minion: Counter | None = None


@dataclass(frozen=True)
class UnderWay:
    """The base that is being scored."""

    name: str
    number: int
    ability: str
    done: bool  # all have passed
    below: bool
    asks_minions: bool
    lines: tuple[Line, ...]
    order: str
    passed: str
    all_passed: Button
    stop: Button
    score: Button | None
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class After:
    """The base that has just been scored."""

    name: str
    done: bool  # all have passed
    ability: str
    winners: str
    order: str
    passed: str
    all_passed: Button
    returns: tuple[Seat, ...]  # who may put Madness cards back
    lines: tuple[Line, ...]
    replaced: str
    base: int
    boxes: tuple[Box, ...]


def _line(table: Table, award: Award, before: int) -> Line:
    then = f"{before} → {before + award.vp}" if award.vp else f"stays {before}"
    seat = table.seat(award.seat)
    return Line(seat, PLACES[award.place], award.power, award.minions, award.vp, award.why, then)


def history(state: State) -> tuple[tuple[Scored, tuple[Line, ...]], ...]:
    """The bases that were scored, newest first."""
    return state.kept("history", _history, state.table, state.scored)


def _history(table: Table, scored: tuple[Scored, ...]) -> tuple[tuple[Scored, tuple[Line, ...]], ...]:
    return tuple((each, _past(table, each.awards)) for each in reversed(scored))


def _past(table: Table, awards: tuple[Award, ...]) -> tuple[Line, ...]:
    """Without those who have left since."""
    here = {seat.id for seat in table.seats}
    return tuple(_line(table, each, 0) for each in by_place(awards) if each.seat in here)


def by_place(awards: tuple[Award, ...]) -> list[Award]:
    """First to last; whoever takes no place comes after all who do."""
    return sorted(awards, key=lambda each: (each.place or len(PLACES), -each.power))


def under_way(state: State) -> UnderWay:
    assert state.scoring is not None
    base, number = state.base(state.scoring.base), state.number
    args = {"base": base.id, "number": number}
    asks = base.card.gives == "minions"
    lines = []
    for award in by_place(state.awards()):
        line = _line(state.table, award, state.vp_of(award.seat))
        more = state.scoring.more.get(award.seat, 0)
        do = Do("change_award", {"seat": award.seat, "number": number})
        counter = Counter(f"more-{number}-{award.seat}", "VP more by a card", more, do)
        id = f"asked-{number}-{award.seat}"
        minion = minion_counter(id, base.id, base.card.name, line.seat, award.minions)
        lines.append(replace(line, more=counter, minion=minion if asks else None))
    return UnderWay(
        base.card.name,
        number,
        _ability(base.card, "scoring", "after"),
        state.scoring.done,
        not base.ready,
        asks,
        tuple(lines),
        _order(state),
        _passed(state, state.scoring),
        Button("All passed", Do("all_passed", {"number": number}), strong=True),
        Button("Do not score it now", Do("stop_scoring", {"number": number})),
        Button(_lot(state), Do("score_base", args), strong=True) if state.scoring.done else None,
        boxes(state, Do("score_base", args)) if state.scoring.done else (),
    )


def _lot(state: State) -> str:
    if state.base_deck:
        return "Score it, new base by lot"
    return (
        "Score it, shuffle for a new base"
        if LAST_BASE.chosen(state.table) == "shuffle"
        else "Score it, no new base"
    )


def after(state: State) -> After:
    assert state.after is not None
    scored = state.scored[-1]
    won = [state.table.seat(seat) for seat in winners(scored.awards) if seat in state.order]
    new = next((base for base in state.bases if base.id == scored.replaced), None)
    return After(
        scored.card.name,
        state.after.done,
        _ability(scored.card, "after"),
        listed([seat.name for seat in won]),
        _order(state),
        _passed(state, state.after),
        Button("All passed", Do("all_passed", {"number": scored.number, "when": "after"}), strong=True),
        tuple(seat for seat in won if state.madness_of(seat.id)) if scored.card.sanity else (),
        _past(state.table, scored.awards),
        new.card.name if new else "",
        new.id if new else 0,
        boxes(state, Do("swap_base", {"base": new.id})) if new and not new.total else (),
    )


def _ability(card: Card, *when: str) -> str:
    return f"{WHEN[card.when]}: {card.ability}" if card.when in when else ""


def _passed(state: State, scoring: Scoring) -> str:
    return listed([state.name(seat) for seat in scoring.passed if seat in state.order])


def _order(state: State) -> str:
    return ", ".join(state.name(seat) for seat in state.clockwise(state.player))
