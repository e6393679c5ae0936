"""What the table forgot to tap, put right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.core.text import listed
from companion.games.mountains_of_madness.events import number
from companion.games.mountains_of_madness.state import (
    INJURIES,
    LEVELS,
    PLACES,
    RELICS,
    SPACES,
    TOKENS,
    Injuries,
    Leadership,
    State,
    begun,
)
from companion.games.mountains_of_madness.state import Cards as Piles

Token = Annotated[Count, Field(le=TOKENS)]
Injury = Annotated[Count, Field(le=INJURIES)]
Cards = Annotated[Count, Field(le=100)]
Relics = Annotated[Count, Field(le=RELICS)]
Covered = Literal["yes", "no"]


# --- facts ---


@dataclass(frozen=True)
class TokensSet(Event[State]):
    sled: int
    discard: int
    box: int

    def fold(self, state: State) -> State:
        begun(state)
        return replace(state, tokens=Leadership(self.sled, self.discard, self.box))

    def told(self, state: State) -> str:
        where = f"{self.sled} on the sled, {self.discard} in the discard, {self.box} in the box"
        return f"tokens put right: {where}"


@dataclass(frozen=True)
class InjuriesSet(Event[State]):
    supply: int
    deck: int
    discard: int
    hands: int

    def fold(self, state: State) -> State:
        begun(state)
        return replace(state, injuries=Injuries(self.supply, self.deck, self.discard, self.hands))

    def told(self, state: State) -> str:
        decks = f"{self.supply} in their deck, {self.deck} in the Equipment deck"
        return f"Injuries put right: {decks}, {self.discard} in its discard, {self.hands} in hands"


@dataclass(frozen=True)
class CardsSet(Event[State]):
    deck: int
    discard: int
    hands: int

    def fold(self, state: State) -> State:
        begun(state)
        return replace(state, cards=Piles(self.deck, self.discard, self.hands))

    def told(self, state: State) -> str:
        return f"cards put right: {self.deck} in the deck, {self.discard} discarded, {self.hands} in hands"


@dataclass(frozen=True)
class PlanePut(Event[State]):
    place: str

    def fold(self, state: State) -> State:
        begun(state)
        return replace(state, place=self.place)

    def told(self, state: State) -> str:
        return f"the airplane is at the {PLACES[self.place]}"


@dataclass(frozen=True)
class SeatPut(Event[State]):
    seat: int
    level: int
    relics: tuple[str, ...]
    covered: tuple[str, ...]

    def fold(self, state: State) -> State:
        begun(state)
        seat = state.table.seat(self.seat).id
        return replace(
            state,
            levels={**state.levels, seat: self.level},
            relics={**state.relics, seat: tuple(self.relics)},
            covered={**state.covered, seat: tuple(self.covered)},
        )

    def told(self, state: State) -> str:
        spaces = listed([f"“{SPACES[each]}”" for each in self.covered]) or "no space"
        return f"put right: Madness {self.level}, {number(len(self.relics), 'Relic')}, {spaces} covered"


# --- commands ---


def put_tokens(state: State, context: Context, sled: Token, discard: Token, box: Token) -> Iterator[Event]:
    begun(state)
    if (total := sled + discard + box) != TOKENS:
        raise Refused(f"There are {TOKENS} Leadership tokens, not {total}.")
    yield TokensSet(sled, discard, box)


def put_injuries(
    state: State, context: Context, supply: Injury, deck: Injury, discard: Injury, hands: Injury
) -> Iterator[Event]:
    begun(state)
    if (total := supply + deck + discard + hands) != INJURIES:
        raise Refused(f"There are {INJURIES} Injuries, not {total}.")
    yield InjuriesSet(supply, deck, discard, hands)


def put_cards(state: State, context: Context, deck: Cards, discard: Cards, hands: Cards) -> Iterator[Event]:
    begun(state)
    yield CardsSet(deck, discard, hands)


def put_plane(state: State, context: Context, place: Choice) -> Iterator[Event]:
    begun(state)
    if place not in PLACES:
        raise Refused("There is no such place on the board.")
    yield PlanePut(place)


def put_seat(
    state: State,
    context: Context,
    seat: SeatId,
    level: Annotated[Count, Field(le=LEVELS)],
    specimen: Relics,
    ruin: Relics,
    knowledge: Relics,
    movement: Covered = "no",
    encounter: Covered = "no",
    resolution: Covered = "no",
    draw: Covered = "no",
) -> Iterator[Event]:
    begun(state)
    relics = ("specimen",) * specimen + ("ruin",) * ruin + ("knowledge",) * knowledge
    answers = (movement, encounter, resolution, draw)
    covered = tuple(space for space, answer in zip(SPACES, answers, strict=True) if answer == "yes")
    if len(covered) > len(relics):
        raise Refused("Each covered space needs a Relic of its own.")
    yield SeatPut(seat, level, relics, covered)
