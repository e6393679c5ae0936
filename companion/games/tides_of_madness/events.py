from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from companion import core
from companion.core import Event
from companion.core.checklist import SetupTicked
from companion.core.text import listed
from companion.games.tides_of_madness.cards import DREAMLANDS, card, named, suit

if TYPE_CHECKING:
    from companion.games.tides_of_madness.state import State


@dataclass(frozen=True)
class RoundBegun(Event):
    round: int

    def told(self, state: core.State) -> str:
        return f"round {self.round} begins"


@dataclass(frozen=True)
class PickMade(Event):
    round: int
    pick: int

    def told(self, state: core.State) -> str:
        return f"round {self.round}, pick {self.pick} is made"


@dataclass(frozen=True)
class ScoringBegun(Event):
    round: int

    def told(self, state: core.State) -> str:
        return f"scoring of round {self.round}"


@dataclass(frozen=True)
class RefreshBegun(Event):
    round: int

    def told(self, state: core.State) -> str:
        return f"refresh after round {self.round}"


@dataclass(frozen=True)
class CardPlayed(Event):
    seat: int
    round: int
    card: str

    def told(self, state: core.State) -> str:
        played = cast("State", state).at(self.round).side(self.seat).played
        return f"{card(self.card).name}, card {len(played)} of round {self.round}"


@dataclass(frozen=True)
class CardTakenUp(Event):
    seat: int
    round: int
    card: str

    def told(self, state: core.State) -> str:
        return f"{card(self.card).name} was not played in round {self.round}"


@dataclass(frozen=True)
class CardsCorrected(Event):
    seat: int
    round: int
    cards: tuple[str, ...]
    wild: str = ""

    def told(self, state: core.State) -> str:
        words = listed(named(self.cards)) or "no cards"
        counts = f", {card(DREAMLANDS).name} among the {suit(self.wild).many}" if self.wild else ""
        return f"round {self.round} corrected: {words}{counts}"


@dataclass(frozen=True)
class SuitDeclared(Event):
    seat: int
    round: int
    suit: str

    def told(self, state: core.State) -> str:
        return f"{card(DREAMLANDS).name} counts among the {suit(self.suit).many} in round {self.round}"


@dataclass(frozen=True)
class TokenDecided(Event):
    seat: int
    round: int
    takes: bool

    def told(self, state: core.State) -> str:
        return f"{card(DREAMLANDS).name} {'takes' if self.takes else 'leaves'} a token in round {self.round}"


@dataclass(frozen=True)
class BonusChosen(Event):
    seat: int
    round: int
    choice: Literal["points", "heal"]

    def told(self, state: core.State) -> str:
        return f"{'heals 1 Madness' if self.choice == 'heal' else 'takes 4 VP'} in round {self.round}"


@dataclass(frozen=True)
class WayChosen(Event):
    round: int
    by_hand: bool

    def told(self, state: core.State) -> str:
        return f"round {self.round} is scored {'by hand' if self.by_hand else 'card by card'}"


@dataclass(frozen=True)
class RoundTyped(Event):
    seat: int
    round: int
    vp: int
    madness: int
    dreamlands: bool = False

    def told(self, state: core.State) -> str:
        taken = f", {card(DREAMLANDS).name} takes one more" if self.dreamlands else ""
        return f"round {self.round}: {self.vp} VP for cards, {self.madness} Madness{taken}"


@dataclass(frozen=True)
class CardKept(Event):
    seat: int
    round: int
    card: str

    def told(self, state: core.State) -> str:
        return f"keeps {card(self.card).name} after round {self.round}"


@dataclass(frozen=True)
class CardDiscarded(Event):
    seat: int
    round: int
    card: str

    def told(self, state: core.State) -> str:
        return f"discards {card(self.card).name} after round {self.round}"


@dataclass(frozen=True)
class RefreshCorrected(Event):
    seat: int
    round: int
    kept: str
    discarded: str

    def told(self, state: core.State) -> str:
        kept = card(self.kept).name if self.kept else "nothing named"
        gone = card(self.discarded).name if self.discarded else "nothing named"
        return f"refresh after round {self.round} corrected: kept {kept}, discarded {gone}"


EVENTS = (
    SetupTicked,
    RoundBegun,
    PickMade,
    ScoringBegun,
    RefreshBegun,
    CardPlayed,
    CardTakenUp,
    CardsCorrected,
    SuitDeclared,
    TokenDecided,
    BonusChosen,
    WayChosen,
    RoundTyped,
    CardKept,
    CardDiscarded,
    RefreshCorrected,
)
