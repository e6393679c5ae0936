"""What the room remembers: facts only. Every total follows from them; see rounds.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from companion import core
from companion.core import Refused, Table
from companion.games.tides_of_madness.cards import card
from companion.games.tides_of_madness.scoring import Spread

PICKS = 5  # cards drafted by each player in each round
ROUNDS = 3
LIMIT = 9  # Madness that loses the game

Stage = Literal["setup", "draft", "scoring", "refresh"]
Bonus = Literal["points", "heal"]

CHECKLIST = (
    ("deck", "All 18 cards shuffled"),
    ("hands", "Five cards dealt to each of you"),
    ("pile", "The other eight face down as the draw pile"),
    ("tokens", "Madness tokens within reach of both"),
)


@dataclass(frozen=True)
class Typed:
    """A round one player scored by hand."""

    vp: int
    madness: int
    dreamlands: bool = False


@dataclass(frozen=True)
class Side:
    """One seat in one round."""

    played: tuple[str, ...] = ()  # in the order played; kept cards are not among them
    wild: str = ""  # what Dreamlands counts as
    takes: bool | None = None  # where the table lets Dreamlands' player decide
    typed: Typed | None = None
    kept: str = ""  # in the refresh after this round
    discarded: str = ""


@dataclass(frozen=True)
class Round:
    number: int
    sides: Mapping[int, Side]
    by_hand: bool = False
    bonus: tuple[int, Bonus] | None = None  # who chose, and what

    def side(self, seat: int) -> Side:
        return self.sides.get(seat, Side())


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    stage: Stage = "setup"
    picks: int = 0  # made in this round's draft
    rounds: tuple[Round, ...] = field(default_factory=tuple)

    @property
    def round(self) -> int:
        return len(self.rounds)

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    def other(self, seat: int) -> int:
        return next(each.id for each in self.table.seats if each.id != seat)

    def at(self, number: int) -> Round:
        if not 1 <= number <= ROUNDS:
            raise Refused("The game has three rounds.")
        if number > self.round:
            raise Refused(f"Round {number} has not begun.")
        return self.rounds[number - 1]

    def refreshed(self, number: int) -> Round:
        """A round whose refresh has come."""
        found = self.at(number)
        if number == ROUNDS:
            raise Refused("There is no refresh after round 3.")
        if number == self.round and self.stage != "refresh":
            raise Refused(f"Round {number} has not come to its refresh.")
        return found

    def kept_before(self, seat: int, number: int) -> tuple[str, ...]:
        """What this seat kept in the refreshes before the round, as far as it is known."""
        return tuple(each.side(seat).kept for each in self.rounds[: number - 1] if each.side(seat).kept)

    def spread(self, seat: int, number: int) -> Spread:
        side = self.at(number).side(seat)
        return Spread(self.kept_before(seat, number), side.played, side.wild)

    def with_side(self, number: int, seat: int, **changed: object) -> State:
        self.table.seat(seat)
        round = self.at(number)
        side = replace(round.side(seat), **changed)  # type: ignore[arg-type]
        return self.with_round(replace(round, sides={**round.sides, seat: side}))

    def with_round(self, changed: Round) -> State:
        rounds = tuple(changed if each.number == changed.number else each for each in self.rounds)
        return replace(self, rounds=rounds)

    def places(self, number: int) -> list[tuple[str, int, str]]:
        """Where cards are in a round: (card, seat, how it got there)."""
        found = []
        for seat in self.table.seats:
            if number <= self.round and not self.at(number).by_hand:
                found += [(id, seat.id, "played") for id in self.at(number).side(seat.id).played]
            for earlier in self.rounds[: number - 1]:
                side = earlier.side(seat.id)
                found += [(side.kept, seat.id, f"kept after round {earlier.number}")] * bool(side.kept)
                gone = f"discarded after round {earlier.number}"
                found += [(side.discarded, seat.id, gone)] * bool(side.discarded)
        return found

    def where(self, number: int, wanted: str) -> str:
        """Who has a card in this round, as a sentence; empty if nobody has."""
        for id, seat, how in self.places(number):
            if id == wanted and how == "played":
                return f"{card(id).name} already lies in front of {self.name(seat)} in round {number}."
            if id == wanted:
                return f"{card(id).name} was {how} by {self.name(seat)}."
        return ""


def check_places(state: State) -> State:
    """A card cannot be in two places. Checked by the events, so that no take-back can get round it."""
    for number in range(1, min(state.round + 1, ROUNDS) + 1):
        seen: set[str] = set()
        for id, _, _ in state.places(number):
            if id in seen:
                raise Refused(f"{card(id).name} cannot be in two places. {state.where(number, id)}")
            seen.add(id)
    return state


def setup(table: Table) -> State:
    return State(table)
