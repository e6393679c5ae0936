"""What the room remembers: where tokens, Injuries, Relics and Madness are, and how far this turn has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from companion import core
from companion.core import Refused, Table
from companion.core.dice import Die, Face
from companion.games.mountains_of_madness.challenges import Challenge

TOKENS, INJURIES, RELICS = 6, 15, 11
PLAIN_CARDS = 40  # assumed: ten of each kind; 48 are said to be in the box, Arcane Equipment included
ARCANE = 8  # assumed: what that leaves
MOST_ARCANE = 11  # as the manual counts them; a table that has them may take them
HANDS = {3: 5, 4: 4, 5: 3}
SAND = 30_000  # ms

Stage = Literal["setup", "movement", "encounter", "resolution", "draw", "rest"]
STAGES: dict[str, str] = {
    "setup": "set-up",
    "movement": "Movement phase",
    "encounter": "Encounter phase",
    "resolution": "Resolution phase",
    "draw": "Draw phase",
    "rest": "Rest phase",
}
PLACES: dict[str, str] = {
    "coast": "Coast",
    "mountain": "Mountain",
    "city": "City",
    "edge": "Edge of Madness",
    "escape-1": "first Escape tile",
    "escape-2": "second Escape tile",
    "escape-3": "third Escape tile",
}
#: Regions lie above each other; the Edge is the summit, and from there the way leads out.
NEIGHBOURS: dict[str, tuple[str, ...]] = {
    "": ("coast",),
    "coast": ("coast", "mountain"),
    "mountain": ("coast", "mountain", "city"),
    "city": ("mountain", "city", "edge"),
    "edge": ("escape-1",),
    "escape-1": ("escape-2",),
    "escape-2": ("escape-3",),
    "escape-3": (),
}
WITH_SPACES = ("coast", "mountain", "city")  # only there can a space be without its tile
RELIC_KINDS: dict[str, str] = {"specimen": "Specimen", "ruin": "Ruin", "knowledge": "Knowledge"}
#: The spaces of a player board, and what a token does there.
SPACES: dict[str, str] = {
    "movement": "ignore Madness",
    "encounter": "30 more seconds",
    "resolution": "re-roll the die",
    "draw": "hand limit +1",
}
LEVELS = 3

FACES: dict[str, str] = {"accident": "Accident", "confusion": "Confusion", "confidence": "Loss of Confidence"}
PENALTY_DIE = Die(
    "penalty",
    "Penalty die",
    tuple(
        Face(FACES[each], symbol)
        for each, symbol in (("accident", "✚"), ("confusion", "?"), ("confidence", "▼"))
        for _ in range(2)
    ),
    note="assumed: two faces of each",
)


@dataclass(frozen=True)
class Leadership:
    sled: int = TOKENS
    discard: int = 0
    box: int = 0

    @property
    def left(self) -> int:
        return self.sled + self.discard


@dataclass(frozen=True)
class Injuries:
    supply: int = INJURIES  # the Injury deck
    deck: int = 0  # the Equipment deck
    discard: int = 0  # the Equipment discard
    hands: int = 0


@dataclass(frozen=True)
class Cards:
    """How many cards lie where, Injuries among them: our count, which the table may put right."""

    deck: int = 0
    discard: int = 0
    hands: int = 0


@dataclass(frozen=True)
class Penalty:
    """A roll of the penalty die that is owed."""

    number: int
    source: int  # the Challenge that was missed; SPOKEN, or LATER for a Confusion that waits to be measured
    face: str = ""
    rolls: int = 0


SPOKEN, LATER = -1, -2


@dataclass(frozen=True)
class Find:
    """A Relic that is about to be taken."""

    kind: str = ""
    seat: int = 0
    space: str = ""


@dataclass(frozen=True)
class Turn:
    """What is forgotten when the sled is passed on."""

    moved: bool = False
    tile: bool = True
    ignoring: tuple[int, ...] = ()
    flips: int = 0
    silent: bool = False
    sand: Literal["", "due", "runs"] = ""  # whether the clock on the phones is the box's sand timer
    on_sled: int = 0  # cards, as far as they were tapped
    penalties: tuple[Penalty, ...] = ()
    rolled: int = 0  # penalties there were
    later: int = 0  # Confusions that wait for the reveal
    challenges: tuple[Challenge | None, Challenge | None] = (None, None)
    by_hand: tuple[bool | None, bool | None] = (None, None)
    totals: Mapping[str, int] = field(default_factory=dict)
    shown: tuple[tuple[str, int], ...] = ()  # card by card
    shown_injuries: int = 0
    injured: int = 0  # Injuries that lie on the sled since the Challenges were judged; they count as in hands
    met: tuple[bool, bool] | None = None
    gaps: tuple[int | None, int | None] = (None, None)
    settled: tuple[int, ...] = ()  # missed Challenges whose price is paid, or being rolled for
    reward: str = ""
    find: Find = field(default_factory=Find)
    searching: bool = False

    @property
    def played(self) -> int:
        return max(self.on_sled, len(self.shown) + self.shown_injuries)

    @property
    def missed(self) -> tuple[int, ...]:
        return tuple(which for which, met in enumerate(self.met or ()) if not met)


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
        return HANDS[len(self.table.seats)]

    def limit(self, seat: int) -> int:
        return self.base_hand + sum(each in (0, seat) for each in self.raised)

    @property
    def over(self) -> bool:
        return self.out or self.undrawn or self.tokens.box == TOKENS

    @property
    def relic_count(self) -> int:
        return sum(len(kinds) for kinds in self.relics.values())

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    def level(self, seat: int) -> int:
        return self.levels.get(self.table.seat(seat).id, 0)

    @property
    def all_mad(self) -> bool:
        return all(self.level(seat.id) == LEVELS for seat in self.table.seats)

    def on_left(self) -> int:
        """Who gets the sled next: seats are in the order people sit, clockwise."""
        order = [seat.id for seat in self.table.seats]
        return order[(order.index(self.leader) + 1) % len(order)]

    def with_turn(self, **changed: object) -> State:
        return replace(self, now=replace(self.now, **changed))  # type: ignore[arg-type]


def first_levels(table: Table) -> dict[int, int]:
    """Nobody with three players, all but the first Leader with four, everyone with five."""
    number = len(table.seats)
    mad = {seat.id for seat in table.seats if number == 5 or (number == 4 and seat.id != table.starter)}
    return {seat.id: int(seat.id in mad) for seat in table.seats}


def begun(state: State) -> None:
    if state.stage == "setup":
        raise Refused("The expedition has not begun.")


def expect(state: State, turn: int, *stages: str) -> None:
    if state.turn != turn:
        raise Refused(f"Turn {turn} is over; this is turn {state.turn}.")
    if state.stage not in stages:
        raise Refused(f"That belongs to the {STAGES[stages[0]]}; the table is at the {STAGES[state.stage]}.")


def checked(state: State) -> State:
    """What is in the box stays as many, wherever it is. Asked after every event, so take-backs keep to it."""
    tokens, injuries, cards = state.tokens, state.injuries, state.cards
    if min(tokens.sled, tokens.discard, tokens.box) < 0:
        raise Refused("There are not as many Leadership tokens there.")
    if tokens.left + tokens.box != TOKENS:
        raise Refused(f"There are {TOKENS} Leadership tokens, on the sled, in the discard and in the box.")
    if min(injuries.supply, injuries.deck, injuries.discard, injuries.hands) < 0:
        raise Refused("There are not as many Injuries there.")
    if injuries.supply + injuries.deck + injuries.discard + injuries.hands != INJURIES:
        raise Refused(f"There are {INJURIES} Injuries; count them again.")
    if min(cards.deck, cards.discard, cards.hands) < 0:
        raise Refused("There cannot be fewer than no cards.")
    if state.relic_count > RELICS:
        raise Refused(f"There are only {RELICS} Relics in the box.")
    if state.arcane > MOST_ARCANE:
        raise Refused("There is no Arcane Equipment left.")
    if not all(0 <= level <= LEVELS for level in state.levels.values()):
        raise Refused("Madness has three levels.")
    if any(len(set(each)) != len(each) for each in state.covered.values()):
        raise Refused("That space is covered already.")
    return state
