"""What the table forgot to tap, put right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Choice, Context, Count, Event, Refused, SeatId
from companion.games.mountains_of_madness.events import (
    CardsSet,
    InjuriesSet,
    PlanePut,
    SeatPut,
    TokensSet,
)
from companion.games.mountains_of_madness.state import (
    INJURIES,
    LEVELS,
    PLACES,
    RELICS,
    SPACES,
    TOKENS,
    State,
)

Token = Annotated[Count, Field(le=TOKENS)]
Injury = Annotated[Count, Field(le=INJURIES)]
Cards = Annotated[Count, Field(le=100)]
Relics = Annotated[Count, Field(le=RELICS)]
Covered = Literal["yes", "no"]


def _begun(state: State) -> None:
    if state.stage == "setup":
        raise Refused("The expedition has not begun.")


def put_tokens(state: State, context: Context, sled: Token, discard: Token, box: Token) -> Iterator[Event]:
    _begun(state)
    if (total := sled + discard + box) != TOKENS:
        raise Refused(f"There are {TOKENS} Leadership tokens, not {total}.")
    yield TokensSet(sled, discard, box)


def put_injuries(
    state: State, context: Context, supply: Injury, deck: Injury, discard: Injury, hands: Injury
) -> Iterator[Event]:
    _begun(state)
    if (total := supply + deck + discard + hands) != INJURIES:
        raise Refused(f"There are {INJURIES} Injuries, not {total}.")
    yield InjuriesSet(supply, deck, discard, hands)


def put_cards(state: State, context: Context, deck: Cards, discard: Cards, hands: Cards) -> Iterator[Event]:
    _begun(state)
    yield CardsSet(deck, discard, hands)


def put_plane(state: State, context: Context, place: Choice) -> Iterator[Event]:
    _begun(state)
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
    _begun(state)
    relics = ("specimen",) * specimen + ("ruin",) * ruin + ("knowledge",) * knowledge
    answers = (movement, encounter, resolution, draw)
    covered = tuple(space for space, answer in zip(SPACES, answers, strict=True) if answer == "yes")
    if len(covered) > len(relics):
        raise Refused("Each covered space needs a Relic of its own.")
    yield SeatPut(seat, level, relics, covered)


COMMANDS = (put_tokens, put_injuries, put_cards, put_plane, put_seat)
