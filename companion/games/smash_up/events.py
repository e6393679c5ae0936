from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from companion import core
from companion.core import Event
from companion.core.checklist import SetupTicked
from companion.core.text import listed, signed
from companion.games.smash_up.scoring import Award
from companion.games.smash_up.state import PHASES, State


def _room(state: core.State) -> State:
    return cast(State, state)


def _cards(number: int) -> str:
    return "a Madness card" if number == 1 else f"{number} Madness cards"


# --- set-up ---


@dataclass(frozen=True)
class FactionChosen(Event):
    seat: int
    faction: str

    def told(self, state: core.State) -> str:
        return f"plays {self.faction}"


@dataclass(frozen=True)
class FactionDropped(Event):
    seat: int
    faction: str

    def told(self, state: core.State) -> str:
        return f"does not play {self.faction} after all"


@dataclass(frozen=True)
class SetUsed(Event):
    set: str
    name: str
    used: bool

    def told(self, state: core.State) -> str:
        return f"bases of “{self.name}” {'are' if self.used else 'are not'} in the base deck"


@dataclass(frozen=True)
class BaseTyped(Event):
    """A base no box of ours has; it is in the base deck from now on."""

    id: str
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def told(self, state: core.State) -> str:
        return f"typed in {self.name}, breakpoint {self.breakpoint}, {' · '.join(map(str, self.vp))} VP"


@dataclass(frozen=True)
class BaseLaid(Event):
    """A base comes into play; its number is its own for the whole game."""

    base: int
    card: str
    how: Literal["lot", "picked", "typed"] = "picked"

    def told(self, state: core.State) -> str:
        return f"{_room(state).card(self.card).name} is laid out{', by lot' if self.how == 'lot' else ''}"


@dataclass(frozen=True)
class BaseTakenUp(Event):
    base: int
    name: str

    def told(self, state: core.State) -> str:
        return f"{self.name} goes back to the base deck"


@dataclass(frozen=True)
class BaseCorrected(Event):
    base: int
    name: str
    breakpoint: int
    vp: tuple[int, int, int]

    def told(self, state: core.State) -> str:
        return f"{self.name} has breakpoint {self.breakpoint} and gives {' · '.join(map(str, self.vp))} VP"


@dataclass(frozen=True)
class BaseDeckShuffled(Event):
    def told(self, state: core.State) -> str:
        return "the scored bases are shuffled into a new base deck"


@dataclass(frozen=True)
class GameBegun(Event):
    seat: int

    def told(self, state: core.State) -> str:
        return "begins the game"


# --- turns ---


@dataclass(frozen=True)
class PhaseBegun(Event):
    turn: int
    phase: int

    def told(self, state: core.State) -> str:
        return f"turn {self.turn}, {PHASES[self.phase - 1]}"


@dataclass(frozen=True)
class TurnEnded(Event):
    """`check` says that the check at its end found the game over."""

    turn: int
    check: bool = False
    note: str = ""

    def told(self, state: core.State) -> str:
        return f"turn {self.turn} is over" + (f". {self.note}" if self.note else "")


@dataclass(frozen=True)
class PlayedOn(Event):
    turn: int

    def told(self, state: core.State) -> str:
        return "the game goes on"


# --- at the bases ---


@dataclass(frozen=True)
class PowerCounted(Event):
    seat: int
    base: int
    by: int

    def told(self, state: core.State) -> str:
        base = _room(state).base(self.base)
        return f"{signed(self.by)} power at {base.card.name}, now {base.at(self.seat).power}"


@dataclass(frozen=True)
class MinionsCounted(Event):
    seat: int
    base: int
    by: int

    def told(self, state: core.State) -> str:
        base = _room(state).base(self.base)
        return f"{signed(self.by)} minion at {base.card.name}, now {base.at(self.seat).here}"


@dataclass(frozen=True)
class MinionPlayed(Event):
    seat: int
    base: int
    power: int

    def told(self, state: core.State) -> str:
        base = _room(state).base(self.base)
        return f"a minion of power {self.power} at {base.card.name}, now {base.at(self.seat).power}"


@dataclass(frozen=True)
class MinionMoved(Event):
    seat: int
    base: int
    to: int
    power: int

    def told(self, state: core.State) -> str:
        room = _room(state)
        return (
            f"a minion of power {self.power} moves from {room.base(self.base).card.name}"
            f" to {room.base(self.to).card.name}"
        )


# --- VP and Madness ---


@dataclass(frozen=True)
class VpCounted(Event):
    seat: int
    by: int
    reason: str = ""

    def told(self, state: core.State) -> str:
        why = f" for {self.reason}" if self.reason else ""
        return f"{signed(self.by)} VP{why}, now {_room(state).vp_of(self.seat)}"


@dataclass(frozen=True)
class MadnessDrawn(Event):
    seat: int
    cards: int
    asked: int = 0  # where the deck had fewer

    def told(self, state: core.State) -> str:
        short = f" ({self.asked} were due, the deck is empty)" if self.asked > self.cards else ""
        return f"draws {_cards(self.cards)}{short}, now {_room(state).madness_of(self.seat)}"


@dataclass(frozen=True)
class MadnessPlayed(Event):
    """For two cards; it goes to the discard pile and is still this player's."""

    seat: int

    def told(self, state: core.State) -> str:
        return "plays a Madness card for two cards and keeps it in the discard pile"


@dataclass(frozen=True)
class MadnessReturned(Event):
    seat: int
    cards: int
    played: bool = False

    def told(self, state: core.State) -> str:
        verb = "plays and returns" if self.played else "returns"
        return f"{verb} {_cards(self.cards)}, now {_room(state).madness_of(self.seat)}"


# --- scoring ---


@dataclass(frozen=True)
class ScoringBegun(Event):
    base: int
    number: int  # of all scorings of the game

    def told(self, state: core.State) -> str:
        return f"scoring of {_room(state).base(self.base).card.name}"


@dataclass(frozen=True)
class ScoringStopped(Event):
    number: int
    name: str = ""

    def told(self, state: core.State) -> str:
        return f"{self.name} is not scored now"


@dataclass(frozen=True)
class SpecialPassed(Event):
    seat: int
    number: int
    after: bool = False

    def told(self, state: core.State) -> str:
        return f"passes, no Special {_when(self.after)} scoring"


@dataclass(frozen=True)
class SpecialUsed(Event):
    seat: int
    number: int
    after: bool = False

    def told(self, state: core.State) -> str:
        return f"uses a Special {_when(self.after)} scoring"


@dataclass(frozen=True)
class SpecialsDone(Event):
    number: int
    after: bool = False

    def told(self, state: core.State) -> str:
        return f"all have passed {_when(self.after)} scoring"


def _when(after: bool) -> str:
    return "after" if after else "before"


@dataclass(frozen=True)
class AwardChanged(Event):
    seat: int
    number: int
    by: int

    def told(self, state: core.State) -> str:
        return f"{signed(self.by)} VP in this scoring by a card"


@dataclass(frozen=True)
class BaseScored(Event):
    base: int
    number: int
    turn: int
    awards: tuple[Award, ...]
    name: str = ""

    def told(self, state: core.State) -> str:
        table = state.table
        gained = [f"{table.seat(each.seat).name} {signed(each.vp)}" for each in self.awards if each.vp]
        return f"{self.name} scores: {listed(gained) or 'nobody gains VP'}"


EVENTS = (
    SetupTicked,
    FactionChosen,
    FactionDropped,
    SetUsed,
    BaseTyped,
    BaseLaid,
    BaseTakenUp,
    BaseCorrected,
    BaseDeckShuffled,
    GameBegun,
    PhaseBegun,
    TurnEnded,
    PlayedOn,
    PowerCounted,
    MinionsCounted,
    MinionPlayed,
    MinionMoved,
    VpCounted,
    MadnessDrawn,
    MadnessPlayed,
    MadnessReturned,
    ScoringBegun,
    ScoringStopped,
    SpecialPassed,
    SpecialUsed,
    SpecialsDone,
    AwardChanged,
    BaseScored,
)
