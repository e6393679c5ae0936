"""Scoring a base: choose it, Specials, look at what it gives, and then everything in one tap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.core.text import signed
from companion.games.smash_up.commands.bases import (
    BaseId,
    Breakpoint,
    Vp,
    drawn_base,
    typed_base,
)
from companion.games.smash_up.events import (
    AwardChanged,
    BaseLaid,
    BaseScored,
    ScoringBegun,
    ScoringStopped,
    SpecialPassed,
    SpecialsDone,
    SpecialUsed,
)
from companion.games.smash_up.house_rules import LAST_BASE
from companion.games.smash_up.state import PHASES, SCORE, Base, State

Number = Annotated[Count, Field(ge=1, le=9999)]
When = Literal["before", "after"]
LOT = "lot"
MOST = 15  # VP that cards can add to what a base gives; nobody needs more to win


def begin_scoring(state: State, context: Context, base: BaseId, number: Number) -> Iterator[Event]:
    if number < state.number:
        raise Refused(f"{state.scored[number - 1].card.name} is scored already.")
    if state.scoring is not None:
        raise Refused(f"{state.base(state.scoring.base).card.name} is being scored already.")
    chosen = state.base(base)
    if state.stage != "play" or state.phase != SCORE:
        raise Refused(f"Bases are scored in the third phase, {PHASES[SCORE - 1]}.")
    if not chosen.ready:
        lacking = chosen.card.breakpoint - chosen.total
        raise Refused(f"{chosen.card.name} lacks {lacking} power to its breakpoint.")
    yield ScoringBegun(base, number)


def stop_scoring(state: State, context: Context, number: Number) -> Iterator[Event]:
    yield ScoringStopped(number, _base(state, number).card.name)


def pass_special(
    state: State, context: Context, seat: SeatId, number: Number, when: When = "before"
) -> Iterator[Event]:
    _check_round(state, number, when)
    yield SpecialPassed(seat, number, when == "after")


def use_special(
    state: State, context: Context, seat: SeatId, number: Number, when: When = "before"
) -> Iterator[Event]:
    _check_round(state, number, when)
    yield SpecialUsed(seat, number, when == "after")


def all_passed(state: State, context: Context, number: Number, when: When = "before") -> Iterator[Event]:
    _check_round(state, number, when)
    yield SpecialsDone(number, when == "after")


def _check_round(state: State, number: int, when: When) -> None:
    if when == "before":
        _base(state, number)
    elif state.after is None or number != len(state.scored):
        raise Refused("That scoring is over.")
    if state.asked is None:
        raise Refused("All have passed already.")


def change_award(state: State, context: Context, seat: SeatId, number: Number, by: Whole) -> Iterator[Event]:
    _base(state, number)
    if by == 0:
        raise Refused("Nothing to add.")
    already = state.scoring.more.get(seat, 0) if state.scoring else 0
    if abs(already + by) > MOST:
        raise Refused(f"Cards change a scoring by {MOST} VP at most; {signed(already + by)} looks mistyped.")
    yield AwardChanged(seat, number, by)


def score_base(
    state: State, context: Context, base: BaseId, number: Number, card: Choice = LOT
) -> Iterator[Event]:
    """VP, the old base away, the new one in its place: one tap, so that one undo takes it all back."""
    old = _scoring(state, base, number)
    yield _scored(state, old, number)
    if card != LOT:
        yield BaseLaid(state.laid + 1, state.card(card).id)
    elif state.base_deck or LAST_BASE.chosen(state.table) == "shuffle":
        yield from drawn_base(state, context, also=(old.card.id,))


def score_base_typed(
    state: State,
    context: Context,
    base: BaseId,
    number: Number,
    name: Name,
    breakpoint: Breakpoint,
    vp_for_first: Vp,
    vp_for_second: Vp,
    vp_for_third: Vp,
) -> Iterator[Event]:
    """The same, and the new base is one that no box of ours has."""
    old = _scoring(state, base, number)
    typed = typed_base(state, name, breakpoint, (vp_for_first, vp_for_second, vp_for_third))
    yield _scored(state, old, number)
    yield typed
    yield BaseLaid(state.laid + 1, typed.id, "typed")


def _scored(state: State, base: Base, number: int) -> BaseScored:
    return BaseScored(base.id, number, state.turn, state.awards(), base.card.name)


def _base(state: State, number: int) -> Base:
    if number < state.number:
        raise Refused(f"{state.scored[number - 1].card.name} is scored already.")
    if state.scoring is None or number > state.number:
        raise Refused("No base is being scored.")
    return state.base(state.scoring.base)


def _scoring(state: State, base: int, number: int) -> Base:
    old = _base(state, number)
    if old.id != base:
        raise Refused(f"It is {old.card.name} that is being scored.")
    if state.scoring and not state.scoring.done:
        raise Refused("Somebody may still use a Special before scoring. Tap “All passed” first.")
    return old


COMMANDS = (
    begin_scoring,
    stop_scoring,
    pass_special,
    use_special,
    all_passed,
    change_award,
    score_base,
    score_base_typed,
)
