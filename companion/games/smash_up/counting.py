"""Power at the bases, VP by hand, and thirty Madness cards."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from companion.core import Context, Event, Events, Refused, SeatId, Text, refuse_if
from companion.core.text import By, counted, signed
from companion.games.smash_up.cards import MADNESS, Cards, Power
from companion.games.smash_up.state import GOAL, Holding, Number, State

MOST = 3 * GOAL  # VP that a table can have by ties that play on; what is beyond was mistyped


# --- what can happen ---


class _AtABase(Event[State]):
    """Changes what a seat has there. What it `says` is told with the base and what is there then."""

    seat: int
    base: int

    def change(self, state: State, power: int = 0, minions: int | None = None) -> State:
        base, held = state.base(self.base), state.base(self.base).at(self.seat)
        changed = Holding(held.power + power, held.minions if minions is None else held.here + minions)
        where = f"{state.name(self.seat)} at {base.card.name}"
        refuse_if(changed.power < 0, f"{where} has {held.power} power; it cannot fall below 0.")
        refuse_if(changed.here < 0, f"{where} has no minion that could go.")
        refuse_if(changed.power > 999 or changed.here > 99, "No base has room for so many.")
        return state.with_base(replace(base, held={**base.held, self.seat: changed}))

    def log_text(self, state: State) -> str:
        base = state.base(self.base)
        return self.says.format(self, at=base.card.name, now=base.at(self.seat))


class _Counted(_AtABase):
    by: int

    @property
    def signed(self) -> str:
        return signed(self.by)


class PowerCounted(_Counted, tap="count_power", seat=SeatId, base=Number, by=By):
    says = "{0.signed} power at {at}, now {now.power}"

    def fold(self, state: State) -> State:
        return self.change(state, power=self.by)


class MinionsCounted(_Counted, tap="count_minions", seat=SeatId, base=Number, by=By):
    says = "{0.signed} minion at {at}, now {now.here}"

    def fold(self, state: State) -> State:
        return self.change(state, minions=self.by)


class MinionPlayed(_AtABase, tap="play_minion", seat=SeatId, base=Number, power=Power):
    power: int

    says = "a minion of power {0.power} at {at}, now {now.power}"

    def fold(self, state: State) -> State:
        return self.change(state, self.power, 1)


class MinionMoved(_AtABase, tap="move_minion", base=Number, seat=SeatId, power=Power, to=Number):
    to: int
    power: int

    def fold(self, state: State) -> State:
        refuse_if(self.base == self.to, "It is there already.")
        left = self.change(state, -self.power, -1)
        return replace(self, base=self.to).change(left, self.power, 1)

    def log_text(self, state: State) -> str:
        new = state.base(self.to).card.name
        return f"a minion of power {self.power} moves from {state.base(self.base).card.name} to {new}"


class VpCounted(Event[State], tap="count_vp", seat=SeatId, by=By, reason=Text):
    seat: int
    by: int
    reason: str = ""

    def check_tap(self, state: State) -> None:
        total = state.vp_of(self.seat) + self.by
        slip = f"{total} VP for {state.name(self.seat)}? {GOAL} end the game, so that looks mistyped."
        refuse_if(self.by > 0 and total > MOST, slip)

    def fold(self, state: State) -> State:
        had = state.vp_of(state.table.seat(self.seat).id)
        refuse_if(had + self.by < 0, f"{state.name(self.seat)} has {had} VP; nobody goes below 0.")
        return replace(state, vp={**state.vp, self.seat: had + self.by})

    def log_text(self, state: State) -> str:
        why = f" for {self.reason}" if self.reason else ""
        return f"{signed(self.by)} VP{why}, now {state.vp_of(self.seat)}"


class _MadnessMoved(Event[State]):
    """Deck and players together always hold thirty."""

    seat: int
    cards: int

    sign: ClassVar[int] = 1

    def fold(self, state: State) -> State:
        name, held, by = state.name(self.seat), state.madness_of(self.seat), self.sign * self.cards
        if held + by < 0:
            number = f"{counted(held, 'Madness card')}, no more" if held else "no Madness card"
            raise Refused(f"{name} holds {number}.")
        deck = state.madness_deck
        refuse_if(by > deck, f"There are only {MADNESS} Madness cards; {deck} are in the deck.")
        return replace(state, madness={**state.madness, self.seat: held + by})

    def words(self, state: State, verb: str, short: str = "") -> str:
        cards = "a Madness card" if self.cards == 1 else f"{self.cards} Madness cards"
        return f"{verb} {cards}{short}, now {state.madness_of(self.seat)}"


class MadnessDrawn(_MadnessMoved):
    asked: int = 0  # where the deck had fewer

    def log_text(self, state: State) -> str:
        short = f" ({self.asked} were due, the deck is empty)" if self.asked > self.cards else ""
        return self.words(state, "draws", short)


class MadnessReturned(_MadnessMoved, tap="return_madness", seat=SeatId, cards=Cards):
    cards: int = 1
    played: bool = False

    sign = -1

    def log_text(self, state: State) -> str:
        return self.words(state, "plays and returns" if self.played else "returns")


class MadnessPlayed(Event[State]):
    """For two cards; it goes to the discard pile and is still this player's."""

    seat: int

    says = "plays a Madness card for two cards and keeps it in the discard pile"

    def fold(self, state: State) -> State:
        refuse_if(not state.madness_of(self.seat), f"{state.name(self.seat)} holds no Madness card.")
        return state


# --- what can be tapped ---


def draw_madness(state: State, context: Context, seat: SeatId, cards: Cards = 1) -> Events:
    empty = f"The Madness deck is empty: all {MADNESS} cards are out, so the draw is ignored."
    refuse_if(not state.madness_deck, empty)
    yield MadnessDrawn(seat, min(cards, state.madness_deck), cards)


def play_madness(state: State, context: Context, seat: SeatId, choice: Literal["cards", "return"]) -> Events:
    yield MadnessPlayed(seat) if choice == "cards" else MadnessReturned(seat, 1, played=True)


def count_madness(state: State, context: Context, seat: SeatId, by: By) -> Events:
    """The number beside − and +: plus draws, minus returns."""
    yield from draw_madness(state, context, seat, min(by, 999)) if by > 0 else [MadnessReturned(seat, -by)]
