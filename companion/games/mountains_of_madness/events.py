"""Facts. They are a file format: add fields with defaults, never rename. What cannot stand is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from companion.core import Event, Refused, checklist
from companion.games.mountains_of_madness.reveal import unfinished
from companion.games.mountains_of_madness.state import (
    HANDS,
    LATER,
    NEIGHBOURS,
    PLACES,
    RELIC_KINDS,
    SPACES,
    Cards,
    Injuries,
    Penalty,
    State,
    Turn,
    checked,
    expect,
)
from companion.tools.seats import SeatAdded, SeatRemoved
from companion.tools.timer import TimerEvent, TimerStarted, TimerStopped

TokenPlace = Literal["sled", "discard", "box"]
InjuryPlace = Literal["supply", "deck", "discard", "hands"]
WHERE = {
    "supply": "the Injury deck",
    "deck": "the Equipment deck",
    "discard": "the Equipment discard",
    "hands": "a hand",
}


def evolve(state: State, event: Event) -> State:
    match event:
        case TimerEvent():
            return _timer(state, event)
        case SeatAdded() | SeatRemoved() if state.stage != "setup":
            raise Refused("The expedition is under way; nobody can join or leave it now.")
    return checked(event.fold(state))


def _timer(state: State, event: TimerEvent) -> State:
    """The sand of an encounter or a Search is nobody's to stop; the clock is free at any other time."""
    if state.stage != "encounter" and not state.now.searching:
        return state
    if isinstance(event, TimerStarted) and state.now.sand == "due":
        return state.with_turn(sand="runs")
    if state.now.searching:
        if isinstance(event, TimerStopped):
            return state.with_turn(searching=False)
        raise Refused("A Search lasts 30 seconds and cannot be extended.")
    raise Refused("The sand runs for the encounter: it cannot be stopped, and more of it costs a token.")


def number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _moved(piles: Any, source: str, to: str, count: int) -> Any:
    return replace(piles, **{source: getattr(piles, source) - count, to: getattr(piles, to) + count})


# --- what moves between places: every chain is made of these ---


@dataclass(frozen=True)
class TokensMoved(Event[State]):
    source: TokenPlace
    to: TokenPlace
    count: int = 1

    def fold(self, state: State) -> State:
        return replace(state, tokens=_moved(state.tokens, self.source, self.to, self.count))

    def told(self, state: State) -> str:
        left, way = state.tokens, f"from the {self.source} to the {self.to}"
        return f"{number(self.count, 'token')} {way} ({left.sled} on the sled, {left.box} in the box)"


@dataclass(frozen=True)
class InjuriesMoved(Event[State]):
    source: InjuryPlace
    to: InjuryPlace
    count: int = 1

    def fold(self, state: State) -> State:
        """An Injury is a card too: the Equipment discard grows and shrinks with the Injury deck."""
        injuries = _moved(state.injuries, self.source, self.to, self.count)
        change = self.count * ((self.source == "supply") - (self.to == "supply"))
        cards = replace(state.cards, discard=max(0, state.cards.discard + change))
        return replace(state, injuries=injuries, cards=cards)

    def told(self, state: State) -> str:
        injuries = number(self.count, "Injury", "Injuries")
        return f"{injuries} from {WHERE[self.source]} to {WHERE[self.to]}"


@dataclass(frozen=True)
class InjuryMissing(Event[State]):
    def fold(self, state: State) -> State:
        return replace(state, undrawn=True)

    def told(self, state: State) -> str:
        return "no Injury is left to draw"


@dataclass(frozen=True)
class MadnessDrawn(Event[State]):
    seat: int
    level: int

    def fold(self, state: State) -> State:
        if self.level != state.level(self.seat) + 1:
            raise Refused(f"{state.name(self.seat)} has Madness of level {state.level(self.seat)}.")
        return replace(state, levels={**state.levels, self.seat: self.level})

    def told(self, state: State) -> str:
        return f"draws Madness of level {self.level}"


@dataclass(frozen=True)
class CardsDiscarded(Event[State]):
    """From the Equipment deck."""

    count: int

    def fold(self, state: State) -> State:
        return replace(state, cards=_moved(state.cards, "deck", "discard", self.count))

    def told(self, state: State) -> str:
        return f"{number(self.count, 'card')} from the Equipment deck to its discard"


@dataclass(frozen=True)
class RelicTaken(Event[State]):
    seat: int
    kind: str
    space: str = ""

    def fold(self, state: State) -> State:
        seat = state.table.seat(self.seat).id
        covered = (*state.covered.get(seat, ()), *((self.space,) if self.space else ()))
        relics = {**state.relics, seat: (*state.relics.get(seat, ()), self.kind)}
        return replace(state, relics=relics, covered={**state.covered, seat: covered})

    def told(self, state: State) -> str:
        covers = f", its token covers “{SPACES[self.space]}”" if self.space else ", without a token"
        return f"{self.remembered(state)}{covers}"

    def remembered(self, state: State) -> str:
        return f"takes a {RELIC_KINDS[self.kind]} Relic"


# --- the course of a turn ---


@dataclass(frozen=True)
class SetupTicked(checklist.SetupTicked):
    seat: int | None = None


@dataclass(frozen=True)
class ExpeditionBegun(Event[State]):
    leader: int
    levels: Mapping[int, int]
    injuries: int
    cards: int  # left in the Equipment deck
    hands: int

    def fold(self, state: State) -> State:
        if state.stage != "setup" or len(state.table.seats) not in HANDS:
            raise Refused("The expedition cannot begin now.")
        if self.injuries != len(state.table.seats) or set(self.levels) != set(state.table.ids):
            raise Refused("The set-up was for other players.")
        return replace(
            state,
            stage="movement",
            turn=1,
            leader=state.table.seat(self.leader).id,
            levels=dict(self.levels),
            injuries=Injuries(state.injuries.supply - self.injuries, 0, self.injuries, 0),
            cards=Cards(self.cards, self.injuries, self.hands),
        )

    def told(self, state: State) -> str:
        return f"the expedition begins; {state.name(self.leader)} leads"


@dataclass(frozen=True)
class PlaneMoved(Event[State]):
    turn: int
    to: str
    tile: bool = True

    def fold(self, state: State) -> State:
        expect(state, self.turn, "movement")
        if state.now.moved or self.to not in NEIGHBOURS[state.place]:
            raise Refused("The airplane cannot move there now.")
        return replace(state, place=self.to, now=replace(state.now, moved=True, tile=self.tile))

    def told(self, state: State) -> str:
        tile = "" if self.tile else ", a space without a tile"
        return f"turn {self.turn}: to the {PLACES[self.to]}{tile}"


@dataclass(frozen=True)
class MadnessIgnored(Event[State]):
    seat: int
    turn: int

    def fold(self, state: State) -> State:
        expect(state, self.turn, "movement")
        return state.with_turn(ignoring=(*state.now.ignoring, state.table.seat(self.seat).id))

    def told(self, state: State) -> str:
        return f"may ignore Madness in turn {self.turn}"


@dataclass(frozen=True)
class SandTurned(Event[State]):
    turn: int
    flip: int
    cards: int = 0  # that stay on the sled

    def fold(self, state: State) -> State:
        expect(state, self.turn, "movement", "encounter")
        if self.flip != state.now.flips + 1 or not state.now.moved:
            raise Refused("The sand timer cannot be flipped now.")
        now = replace(state.now, flips=self.flip, silent=False, sand="due", on_sled=self.cards)
        return replace(state, stage="encounter", now=now)

    def told(self, state: State) -> str:
        return f"turn {self.turn}: talk!" if self.flip == 1 else f"turn {self.turn}: talk again"


@dataclass(frozen=True)
class CardPlayed(Event[State]):
    turn: int
    flip: int

    def fold(self, state: State) -> State:
        expect(state, self.turn, "encounter")
        if self.flip != state.now.flips:
            raise Refused("The sand timer was flipped since.")
        return state.with_turn(silent=True, on_sled=state.now.on_sled + 1)

    def told(self, state: State) -> str:
        return f"a card on the sled{': SILENCE' if state.now.on_sled == 1 else ''}"


@dataclass(frozen=True)
class EncounterEnded(Event[State]):
    turn: int

    def fold(self, state: State) -> State:
        """The reveal; what had to wait for it is owed now."""
        expect(state, self.turn, "encounter")
        if state.now.penalties:
            raise Refused("Somebody spoke: first the penalty die.")
        rolled, later = state.now.rolled, state.now.later
        owed = tuple(Penalty(rolled + n, LATER, "confusion", 1) for n in range(1, later + 1))
        now = replace(state.now, sand="", silent=False, penalties=owed, rolled=rolled + later, later=0)
        return replace(state, stage="resolution", now=now)

    def told(self, state: State) -> str:
        return f"turn {self.turn}: the sled is revealed"


@dataclass(frozen=True)
class ResolutionEnded(Event[State]):
    turn: int
    cards: int  # that were played
    injuries: int = 0  # among them

    def fold(self, state: State) -> State:
        expect(state, self.turn, "resolution")
        if why := unfinished(state):
            raise Refused(why)
        was = state.cards
        cards = replace(was, hands=max(0, was.hands - self.cards), discard=was.discard + self.cards)
        injuries = _moved(state.injuries, "hands", "discard", self.injuries)
        now = replace(state.now, searching=False, sand="", injured=0)
        return replace(state, stage="draw", cards=cards, injuries=injuries, raised=(), now=now)

    def told(self, state: State) -> str:
        return f"turn {self.turn}: {number(self.cards, 'played card')} to the discard, now the Draw phase"


@dataclass(frozen=True)
class HandRaised(Event[State]):
    turn: int
    seat: int | None = None  # everyone's

    def fold(self, state: State) -> State:
        expect(state, self.turn, "draw")
        return replace(state, raised=(*state.raised, self.seat or 0))

    def told(self, state: State) -> str:
        return "hand limit +1 until the next Draw phase"


@dataclass(frozen=True)
class CardsDealt(Event[State]):
    turn: int
    count: int

    def fold(self, state: State) -> State:
        expect(state, self.turn, "draw")
        return replace(state, stage="rest", cards=_moved(state.cards, "deck", "hands", self.count))

    def told(self, state: State) -> str:
        return f"turn {self.turn}: {number(self.count, 'card')} dealt"


@dataclass(frozen=True)
class Rested(Event[State]):
    turn: int

    def fold(self, state: State) -> State:
        expect(state, self.turn, "rest")
        return replace(state, cards=_moved(state.cards, "discard", "deck", state.cards.discard))

    def told(self, state: State) -> str:
        return f"turn {self.turn}: rest, the Equipment discard is a new deck"


@dataclass(frozen=True)
class TurnEnded(Event[State]):
    turn: int

    def fold(self, state: State) -> State:
        expect(state, self.turn, "rest")
        if state.place == "escape-3":
            return replace(state, out=True)
        return replace(state, turn=self.turn + 1, leader=state.on_left(), stage="movement", now=Turn())

    def told(self, state: State) -> str:
        return "out of the mountains" if state.out else f"{state.name(state.leader)} leads turn {state.turn}"
