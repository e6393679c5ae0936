"""Power at the bases, VP by hand, and thirty Madness cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Event, Refused, SeatId, Text, Whole
from companion.core.text import counted, signed
from companion.games.smash_up.bases import BaseId
from companion.games.smash_up.cards import MADNESS
from companion.games.smash_up.state import GOAL, Events, Holding, State

MOST = 3 * GOAL  # VP that a table can have by ties that play on; what is beyond was mistyped
Power = Annotated[Whole, Field(ge=0, le=30)]
Cards = Annotated[Count, Field(ge=1, le=MADNESS)]


# --- what can happen ---


def _change(state: State, id: int, seat: int, power: int = 0, minions: int | None = None) -> State:
    base, held = state.base(id), state.base(id).at(seat)
    changed = Holding(held.power + power, held.minions if minions is None else held.here + minions)
    where = f"{state.name(seat)} at {base.card.name}"
    if changed.power < 0:
        raise Refused(f"{where} has {held.power} power; it cannot fall below 0.")
    if changed.here < 0:
        raise Refused(f"{where} has no minion that could go.")
    if changed.power > 999 or changed.here > 99:
        raise Refused("No base has room for so many.")
    return state.with_base(replace(base, held={**base.held, seat: changed}))


class PowerCounted(Event[State]):
    seat: int
    base: int
    by: int

    def fold(self, state: State) -> State:
        return _change(state, self.base, self.seat, power=self.by)

    def log_text(self, state: State) -> str:
        base = state.base(self.base)
        return f"{signed(self.by)} power at {base.card.name}, now {base.at(self.seat).power}"


class MinionsCounted(Event[State]):
    seat: int
    base: int
    by: int

    def fold(self, state: State) -> State:
        return _change(state, self.base, self.seat, minions=self.by)

    def log_text(self, state: State) -> str:
        base = state.base(self.base)
        return f"{signed(self.by)} minion at {base.card.name}, now {base.at(self.seat).here}"


class MinionPlayed(Event[State]):
    seat: int
    base: int
    power: int

    def fold(self, state: State) -> State:
        return _change(state, self.base, self.seat, self.power, 1)

    def log_text(self, state: State) -> str:
        base = state.base(self.base)
        return f"a minion of power {self.power} at {base.card.name}, now {base.at(self.seat).power}"


class MinionMoved(Event[State]):
    seat: int
    base: int
    to: int
    power: int

    def fold(self, state: State) -> State:
        if self.base == self.to:
            raise Refused("It is there already.")
        return _change(
            _change(state, self.base, self.seat, -self.power, -1), self.to, self.seat, self.power, 1
        )

    def log_text(self, state: State) -> str:
        old, new = (state.base(id).card.name for id in (self.base, self.to))
        return f"a minion of power {self.power} moves from {old} to {new}"


class VpCounted(Event[State]):
    seat: int
    by: int
    reason: str = ""

    def fold(self, state: State) -> State:
        had = state.vp_of(state.table.seat(self.seat).id)
        if had + self.by < 0:
            raise Refused(f"{state.name(self.seat)} has {had} VP; nobody goes below 0.")
        return replace(state, vp={**state.vp, self.seat: had + self.by})

    def log_text(self, state: State) -> str:
        why = f" for {self.reason}" if self.reason else ""
        return f"{signed(self.by)} VP{why}, now {state.vp_of(self.seat)}"


def _with_madness(state: State, seat: int, by: int) -> State:
    """Deck and players together always hold thirty."""
    name, held = state.name(seat), state.madness_of(seat)
    if held + by < 0:
        number = f"{counted(held, 'Madness card')}, no more" if held else "no Madness card"
        raise Refused(f"{name} holds {number}.")
    if by > state.madness_deck:
        raise Refused(f"There are only {MADNESS} Madness cards; {state.madness_deck} are in the deck.")
    return replace(state, madness={**state.madness, seat: held + by})


def _cards(number: int) -> str:
    return "a Madness card" if number == 1 else f"{number} Madness cards"


class MadnessDrawn(Event[State]):
    seat: int
    cards: int
    asked: int = 0  # where the deck had fewer

    def fold(self, state: State) -> State:
        return _with_madness(state, self.seat, self.cards)

    def log_text(self, state: State) -> str:
        short = f" ({self.asked} were due, the deck is empty)" if self.asked > self.cards else ""
        return f"draws {_cards(self.cards)}{short}, now {state.madness_of(self.seat)}"


class MadnessPlayed(Event[State]):
    """For two cards; it goes to the discard pile and is still this player's."""

    seat: int

    says = "plays a Madness card for two cards and keeps it in the discard pile"

    def fold(self, state: State) -> State:
        if not state.madness_of(self.seat):
            raise Refused(f"{state.name(self.seat)} holds no Madness card.")
        return state


class MadnessReturned(Event[State]):
    seat: int
    cards: int
    played: bool = False

    def fold(self, state: State) -> State:
        return _with_madness(state, self.seat, -self.cards)

    def log_text(self, state: State) -> str:
        verb = "plays and returns" if self.played else "returns"
        return f"{verb} {_cards(self.cards)}, now {state.madness_of(self.seat)}"


# --- what can be tapped ---


def check_by(by: int) -> None:
    if by == 0:
        raise Refused("Nothing to add.")


def count_power(state: State, context: Context, seat: SeatId, base: BaseId, by: Whole) -> Events:
    check_by(by)
    yield PowerCounted(seat, base, by)


def count_minions(state: State, context: Context, seat: SeatId, base: BaseId, by: Whole) -> Events:
    check_by(by)
    yield MinionsCounted(seat, base, by)


def play_minion(state: State, context: Context, seat: SeatId, base: BaseId, power: Power) -> Events:
    yield MinionPlayed(seat, base, power)


def move_minion(
    state: State, context: Context, base: BaseId, seat: SeatId, power: Power, to: BaseId
) -> Events:
    yield MinionMoved(seat, base, to, power)


def count_vp(state: State, context: Context, seat: SeatId, by: Whole, reason: Text = "") -> Events:
    check_by(by)
    total = state.vp_of(state.table.seat(seat).id) + by
    if by > 0 and total > MOST:
        raise Refused(f"{total} VP for {state.name(seat)}? {GOAL} end the game, so that looks mistyped.")
    yield VpCounted(seat, by, reason)


def draw_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Events:
    if not state.madness_deck:
        raise Refused(f"The Madness deck is empty: all {MADNESS} cards are out, so the draw is ignored.")
    yield MadnessDrawn(seat, min(cards, state.madness_deck), cards)


def return_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Events:
    yield MadnessReturned(seat, cards)


def play_madness(state: State, context: Context, seat: SeatId, choice: Literal["cards", "return"]) -> Events:
    yield MadnessPlayed(seat) if choice == "cards" else MadnessReturned(seat, 1, played=True)


def count_madness(state: State, context: Context, seat: SeatId, by: Whole) -> Events:
    """The number beside − and +: plus draws, minus returns."""
    check_by(by)
    yield from (draw_madness if by > 0 else return_madness)(state, context, seat, min(abs(by), 999))
