"""What the room remembers: where tokens, Injuries, Relics and Madness are, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from companion import core
from companion.core import Do, Event, Refused
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.turn import Turn

Facts = Iterator[Event]
YesOrNo = Literal["yes", "no"]
Stage = Literal["setup", "movement", "encounter", "resolution", "draw", "rest"]
TokenPlace = Literal["sled", "discard", "box"]
InjuryPlace = Literal["supply", "deck", "discard", "hands"]


@dataclass(frozen=True)
class Leadership:
    sled: int = box.TOKENS
    discard: int = 0
    box: int = 0

    @property
    def left(self) -> int:
        return self.sled + self.discard


@dataclass(frozen=True)
class Injuries:
    supply: int = box.INJURIES  # the Injury deck
    deck: int = 0  # the Equipment deck
    discard: int = 0  # the Equipment discard
    hands: int = 0


@dataclass(frozen=True)
class Cards:
    """How many cards lie where, Injuries among them: our count, which the table may put right."""

    deck: int = 0
    discard: int = 0
    hands: int = 0


def moved(piles: Any, source: str, to: str, count: int) -> Any:
    return replace(piles, **{source: getattr(piles, source) - count, to: getattr(piles, to) + count})


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    stage: Stage = "setup"
    turn: int = 0
    leader: int = 0
    place: str = ""
    tokens: Leadership = field(default_factory=Leadership)
    injuries: Injuries = field(default_factory=Injuries)
    levels: Mapping[int, int] = field(default_factory=dict)
    relics: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    covered: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    cards: Cards = field(default_factory=Cards)
    arcane: int = 0
    raised: tuple[int, ...] = ()  # by tokens of the last Draw phase: whose limit; 0 is everyone's
    now: Turn = field(default_factory=Turn)
    undrawn: bool = False  # an Injury had to be drawn and none was there
    out: bool = False  # the turn on the third Escape tile has ended

    @property
    def base_hand(self) -> int:
        return box.HANDS[len(self.table.seats)]

    def limit(self, seat: int) -> int:
        return self.base_hand + sum(each in (0, seat) for each in self.raised)

    @property
    def over(self) -> bool:
        return self.out or self.undrawn or self.tokens.box == box.TOKENS

    @property
    def relic_count(self) -> int:
        return sum(len(kinds) for kinds in self.relics.values())

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    @property
    def leads(self) -> str:
        return self.name(self.leader)

    def level(self, seat: int) -> int:
        return self.levels.get(self.table.seat(seat).id, 0)

    @property
    def all_mad(self) -> bool:
        return all(self.level(seat) == box.LEVELS for seat in self.table.ids)

    def on_left(self) -> int:
        """Who gets the sled next: seats are in the order people sit, clockwise."""
        order = self.table.ids
        return order[(order.index(self.leader) + 1) % len(order)]

    def begun(self) -> None:
        if self.stage == "setup":
            raise Refused("The expedition has not begun.")

    def expect(self, turn: int, *stages: str) -> None:
        """Refuses what belongs to another turn, or to another phase."""
        if self.turn != turn:
            raise Refused(f"Turn {turn} is over; this is turn {self.turn}.")
        if self.stage not in stages:
            wanted, now = box.STAGES[stages[0]], box.STAGES[self.stage]
            raise Refused(f"That belongs to the {wanted}; the table is at the {now}.")

    def playing(self, turn: int, *stages: str) -> None:
        """Refuses a tap that comes before the beginning or after the end as well."""
        if self.over:
            raise Refused("The expedition is over. Something mistapped? Undo it.")
        self.begun()
        self.expect(turn, *stages)

    def why_no_token(self, space: str) -> str:
        """A phase has one use for a Leadership token; a Relic token on the Leader's board closes it."""
        if space in self.covered.get(self.leader, ()):
            return f"A Relic token covers “{box.SPACES[space]}” on the board of {self.leads}, who leads."
        return "" if self.tokens.sled else "No Leadership token is left on the sled."

    def do(self, command: str, **more: str | int) -> Do:
        """A tap of this turn."""
        return Do(command, {"turn": self.turn, **more})

    def with_turn(self, **changed: object) -> State:
        return replace(self, now=replace(self.now, **changed))  # type: ignore[arg-type]
