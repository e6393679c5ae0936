"""Bases come and go, and power is counted at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Name, Refused, SeatId, Whole
from companion.games.smash_up.events import (
    BaseCorrected,
    BaseDeckShuffled,
    BaseLaid,
    BaseTakenUp,
    BaseTyped,
    MinionMoved,
    MinionPlayed,
    MinionsCounted,
    PowerCounted,
)
from companion.games.smash_up.state import State

BaseId = Annotated[Count, Field(ge=1, le=9999)]
Breakpoint = Annotated[Whole, Field(ge=1, le=99)]
Vp = Annotated[Whole, Field(ge=0, le=20)]
Power = Annotated[Whole, Field(ge=0, le=30)]


def draw_bases(state: State, context: Context, have: Count) -> Iterator[Event]:
    """By lot, as many as are still missing. `have` is what the phone saw: a late tap draws nothing more."""
    _check_have(state, have)
    missing = state.wanted - have
    if missing < 1:
        raise Refused(f"All {state.wanted} bases lie here already.")
    deck, number = list(state.base_deck), state.laid
    if not deck:
        raise Refused("The base deck is empty. Use another set, or type bases in.")
    for _ in range(min(missing, len(deck))):
        number += 1
        card = context.luck.choose(deck)
        deck.remove(card)
        yield BaseLaid(number, card, "lot")


def _check_have(state: State, have: int) -> None:
    if have != len(state.bases):
        raise Refused(f"{len(state.bases)} bases lie here by now. Tap again if one more is meant.")


def lay_base(state: State, context: Context, card: Choice, have: Count) -> Iterator[Event]:
    _check_have(state, have)
    _check_room(state)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def type_base(
    state: State,
    context: Context,
    name: Name,
    breakpoint: Breakpoint,
    vp_for_first: Vp,
    vp_for_second: Vp,
    vp_for_third: Vp,
) -> Iterator[Event]:
    _check_room(state)
    typed = typed_base(state, name, breakpoint, (vp_for_first, vp_for_second, vp_for_third))
    yield typed
    yield BaseLaid(state.laid + 1, typed.id, "typed")


def _check_room(state: State) -> None:
    if state.stage == "setup" and len(state.bases) >= state.wanted:
        players = len(state.table.seats)
        raise Refused(f"{players} players play with {state.wanted} bases. Put one back first.")


def typed_base(state: State, name: str, breakpoint: int, vp: tuple[int, int, int]) -> BaseTyped:
    return BaseTyped(f"typed-{len(state.typed) + 1}", name, breakpoint, vp)


def drawn_base(state: State, context: Context, also: tuple[str, ...] = ()) -> Iterator[Event]:
    """The top card of the base deck; the scored bases, `also` among them, are shuffled if it is empty."""
    deck = state.base_deck
    if not deck:
        deck = tuple(id for id in (*state.discards, *also) if id in (*state.pool, *also))
        yield BaseDeckShuffled()
    yield BaseLaid(state.laid + 1, context.luck.choose(deck), "lot")


def put_back_base(state: State, context: Context, base: BaseId) -> Iterator[Event]:
    yield BaseTakenUp(base, state.base(base).card.name)


def swap_base(state: State, context: Context, base: BaseId, card: Choice) -> Iterator[Event]:
    """Another card lies there: for a base drawn by lot where the table turned over its own."""
    old = state.base(base)
    if any(held.power or held.here for held in old.held.values()):
        raise Refused(f"There is power at {old.card.name}; it cannot be another base now.")
    yield BaseTakenUp(base, old.card.name)
    yield BaseLaid(state.laid + 1, state.card(card).id)


def correct_base(
    state: State,
    context: Context,
    base: BaseId,
    name: Name,
    breakpoint: Breakpoint,
    vp_for_first: Vp,
    vp_for_second: Vp,
    vp_for_third: Vp,
) -> Iterator[Event]:
    old, vp = state.base(base).card, (vp_for_first, vp_for_second, vp_for_third)
    if (old.name, old.breakpoint, old.vp) == (name, breakpoint, vp):
        raise Refused("It says that already.")
    yield BaseCorrected(base, name, breakpoint, vp)


# --- power ---


def count_power(state: State, context: Context, seat: SeatId, base: BaseId, by: Whole) -> Iterator[Event]:
    if by == 0:
        raise Refused("Nothing to add.")
    yield PowerCounted(seat, base, by)


def count_minions(state: State, context: Context, seat: SeatId, base: BaseId, by: Whole) -> Iterator[Event]:
    if by == 0:
        raise Refused("Nothing to add.")
    yield MinionsCounted(seat, base, by)


def play_minion(state: State, context: Context, seat: SeatId, base: BaseId, power: Power) -> Iterator[Event]:
    yield MinionPlayed(seat, base, power)


def move_minion(
    state: State, context: Context, base: BaseId, seat: SeatId, power: Power, to: BaseId
) -> Iterator[Event]:
    yield MinionMoved(seat, base, to, power)


COMMANDS = (
    draw_bases,
    lay_base,
    type_base,
    put_back_base,
    swap_base,
    correct_base,
    count_power,
    count_minions,
    play_minion,
    move_minion,
)
