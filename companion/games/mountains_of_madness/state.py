"""What the room remembers, of the game and of this turn; and what holds whatever happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from companion import core
from companion.core import Count, Do, Event, Holds, Names, Refused, refuse_if, replace, there
from companion.games.mountains_of_madness import box
from companion.tools.seats import SeatAdded, SeatRemoved
from companion.tools.timer import TimerEvent, TimerStarted, TimerStopped

Stage = Literal["setup", "movement", "encounter", "resolution", "draw", "rest"]
TokenPlace = Literal["sled", "discard", "box"]
InjuryPlace = Literal["supply", "deck", "discard", "hands"]


class Penalty(NamedTuple):
    """A roll of the penalty die that is owed."""

    number: int
    source: int  # the Challenge that was missed, or one of those
    face: str = ""
    rolls: int = 0


@dataclass(frozen=True)
class Find:
    """A Relic that is about to be taken."""

    kind: str = ""
    seat: int = 0
    space: str = ""


@dataclass(frozen=True)
class Turn:
    """How far this turn has come: all that is forgotten when the sled is passed on."""

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
    challenges: tuple[box.Challenge | None, box.Challenge | None] = (None, None)
    asking: str = ""  # the kind of the Challenge whose value comes next
    by_hand: tuple[bool | None, bool | None] = (None, None)
    shown_injuries: int = 0
    injured: int = 0  # Injuries that lie on the sled since the Challenges were judged; they count as in hands
    met: tuple[bool, bool] | None = None
    gaps: tuple[int | None, int | None] = (None, None)
    settled: tuple[int, ...] = ()  # missed Challenges whose price is paid, or being rolled for
    reward: str = ""
    find: Find = field(default_factory=Find)
    searching: bool = False

    def name(self, which: int) -> str:
        challenge = self.challenges[which]
        return challenge.name if challenge else f"Challenge {which + 1}"

    @property
    def missed(self) -> tuple[int, ...]:
        return tuple(which for which, met in enumerate(self.met or ()) if not met)

    @property
    def unpaid(self) -> tuple[int, ...]:
        return tuple(which for which in self.missed if which not in self.settled)

    @property
    def rewarding(self) -> bool:
        """Whether a reward is still to be taken. A space without a tile has none."""
        return self.met is not None and any(self.met) and self.tile and not self.reward

    @property
    def unfinished(self) -> str:
        """What the Resolution phase still waits for; empty if it can end."""
        if self.met is None:
            return "First say how both Challenges went."
        if self.penalties:
            return box.DIE_FIRST
        if self.unpaid:
            return f"Challenge {self.unpaid[0] + 1} was missed; choose what it costs."
        return "A Challenge was met; take the reward." if self.rewarding else ""

    def owed(self, number: int) -> Penalty:
        found = next((each for each in self.penalties if each.number == number), None)
        return there(found, "That penalty is paid already.")


class Sled(NamedTuple):
    """What was counted on it. Most taps of a reveal change this and nothing else."""

    totals: Mapping[str, int] = {}  # by kind
    shown: tuple[tuple[str, int], ...] = ()  # kind and value, card by card


@dataclass(frozen=True)
class Leadership:
    sled: int
    discard: int
    box: int

    @property
    def left(self) -> int:
        return self.sled + self.discard


@dataclass(frozen=True)
class Injuries:
    supply: int  # the Injury deck
    deck: int  # the Equipment deck
    discard: int  # the Equipment discard
    hands: int


@dataclass(frozen=True)
class Cards:
    """How many cards lie where, Injuries among them: our count, which the table may put right."""

    deck: int
    discard: int
    hands: int


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    stage: Stage = "setup"
    turn: int = 0
    leader: int = 0
    place: str = ""
    tokens: Leadership = Leadership(box.TOKENS, 0, 0)
    injuries: Injuries = Injuries(box.INJURIES, 0, 0, 0)
    levels: Mapping[int, int] = field(default_factory=dict)
    relics: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    covered: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    cards: Cards = Cards(0, 0, 0)
    arcane: int = 0
    raised: tuple[int, ...] = ()  # by tokens of the last Draw phase: whose limit; 0 is everyone's
    surplus: int = 0  # cards that hands may hold beyond their limits, at most
    tiles: Mapping[str, int] = field(default_factory=dict)  # taken, by region
    spaces: Mapping[str, str] = field(default_factory=dict)  # which one each kind of Relic token covers
    now: Turn = field(default_factory=Turn)
    sled: Sled = field(default_factory=Sled)
    undrawn: bool = False  # an Injury had to be drawn and none was there
    out: bool = False  # the turn on the third Escape tile has ended

    names: ClassVar[Names] = {
        **box.SAID,
        "who": lambda state, seat: state.name(int(seat)),
        "nth": lambda _, which: str(which + 1),
        "total": lambda state, kind: str(state.sled.totals[kind]),
    }

    @property
    def base_hand(self) -> int:
        return box.HANDS[len(self.table.seats)]

    def limit(self, seat: int) -> int:
        return self.base_hand + sum(each in (0, seat) for each in self.raised)

    @property
    def more_held(self) -> int:
        """By how many cards all limits together are raised."""
        return sum(1 if seat else len(self.table.seats) for seat in self.raised)

    @property
    def played(self) -> int:
        """Cards on the sled: as they were tapped, and no fewer than the totals take."""
        now, (totals, shown) = self.now, self.sled
        alone, most = dict(totals), box.VALUES[-1] if self.arcane else box.VALUES[-2]
        for kind, value in shown:
            alone[kind] = alone.get(kind, 0) - value
        least = sum([-(-points // most) for points in alone.values() if points > 0])
        return max(now.on_sled, len(shown) + now.shown_injuries + least)

    def tiles_left(self, place: str) -> int:
        return max(0, box.TILES[place] - self.tiles.get(place, 0))

    @property
    def ways(self) -> tuple[str, ...]:
        """Where the airplane may go; who has just started on the lowest row has the Coast above it."""
        ways = box.NEIGHBOURS[self.place]
        low = self.place == "coast" and self.turn == 2 and box.START.chosen(self.table) == "lowest"
        return tuple(each for each in ways if not (low and each == "mountain"))

    @property
    def start(self) -> str:
        """As this table has chosen it."""
        return box.SAID["start"][box.START.chosen(self.table)]

    @property
    def full_hands(self) -> str:
        limits = {self.limit(seat) for seat in self.table.ids}
        more = f", {' and '.join(self.name(seat) for seat in self.raised if seat)} one more"
        return f"{min(limits)} cards{more if len(limits) > 1 else ''}"

    @property
    def relic_count(self) -> int:
        return sum(map(len, self.relics.values()))

    @property
    def leads(self) -> str:
        return self.name(self.leader)

    @property
    def where(self) -> str:
        return box.PLACES[self.place]

    def level(self, seat: int) -> int:
        return self.levels.get(self.table.seat(seat).id, 0)

    @property
    def all_mad(self) -> bool:
        return all(self.level(seat) == box.LEVELS for seat in self.table.ids)

    def on_left(self) -> int:
        """Who gets the sled next: seats are in the order people sit, clockwise."""
        return self.table.clockwise(self.leader)[1]

    def expect(self, turn: int, *stages: str) -> None:
        """Refuses what belongs to another turn, or to another phase."""
        refuse_if(self.turn != turn, f"That was for turn {turn}; the table is at turn {self.turn}.")
        wanted, now = box.STAGES[stages[0]], box.STAGES[self.stage]
        refuse_if(self.stage not in stages, f"That belongs to the {wanted}; the table is at the {now}.")

    @property
    def over(self) -> bool:
        return self.out or self.undrawn or self.tokens.box == box.TOKENS

    def playing(self, turn: int, *stages: str) -> None:
        """Refuses a tap that comes before the beginning or after the end as well."""
        if self.turn == turn and self.stage in stages and not self.over:
            return  # as nearly always
        refuse_if(self.over, "The expedition is over. Something mistapped? Undo it.")
        refuse_if(self.stage == "setup", "The expedition has not begun.")
        self.expect(turn, *stages)

    def why_no_token(self, space: str) -> str:
        """A phase has one use for a Leadership token; a Relic token on the Leader's board closes it."""
        if space in self.covered.get(self.leader, ()):
            return f"A Relic token covers “{box.SPACES[space]}” on the board of {self.leads}, who leads."
        return "" if self.tokens.sled else "No Leadership token is left on the sled."

    def do(self, command: str, **more: str | int) -> Do:
        """A tap that counts in this turn only."""
        return Do(command, {"turn": self.turn, **more})

    def moving(self, piles: str, source: str, to: str, count: int, **more: Any) -> State:
        """So many from one of these piles to another, and what else changes with that."""
        was = getattr(self, piles)
        now = {source: getattr(was, source) - count, to: getattr(was, to) + count}
        return replace(self, **{piles: replace(was, **now)}, **more)

    def with_turn(self, **changed: object) -> State:
        return replace(self, now=replace(self.now, **changed))  # type: ignore[arg-type]


def during(*stages: Stage) -> Holds:
    """For the turn that a tap was made in: refused when that, or this phase of it, is over."""
    return Holds(lambda state, turn: state.playing(turn, *stages))


Moving = Annotated[Count, during("movement")]
Talking = Annotated[Count, during("encounter")]
Resolving = Annotated[Count, during("resolution")]
Drawing = Annotated[Count, during("draw")]
Resting = Annotated[Count, during("rest")]
Dealt = Annotated[Count, during("draw", "rest", "movement")]
DieOwed = Annotated[Count, during("encounter", "resolution")]
TileOpen = Annotated[Count, during("resolution", "encounter")]  # a refusal names the first


# --- what holds whatever happens: asked after every event, so take-backs keep to it ---


class _InTurn(Event[State]):
    """What happens in one turn; where it says `during`, in no other phase than these."""

    turn: int
    stages: ClassVar[tuple[Stage, ...]]

    def __init_subclass__(cls, during: tuple[Stage, ...] = (), **given: Any) -> None:
        cls.stages = during
        super().__init_subclass__(**given)


def evolve(state: State, event: Event) -> State:
    match event:
        case TimerEvent():
            return _timer(state, event)
        case SeatAdded() | SeatRemoved() if state.stage != "setup":
            raise Refused("The expedition is under way; nobody can join or leave it now.")
        case _InTurn(turn=turn, stages=stages) if stages:
            state.expect(turn, *stages)
    after: State = event.fold(state)
    if LAWS_ABOUT(after) != LAWS_ABOUT(state):  # most taps move none of it
        _check(after)
    return after


def _timer(state: State, event: TimerEvent) -> State:
    """The sand of an encounter or a Search is nobody's to stop; the clock is free at any other time."""
    if (state.stage != "encounter" and not state.now.searching) or state.over:
        return state
    if isinstance(event, TimerStarted) and state.now.sand == "due":
        return state.with_turn(sand="runs")
    if state.now.searching:
        if isinstance(event, TimerStopped):
            return state.with_turn(searching=False)
        raise Refused("A Search lasts 30 seconds and cannot be extended.")
    no = "it cannot be stopped, and more of it costs a Leadership token."
    raise Refused(f"The sand runs for the encounter: {no}")


LAWS_ABOUT = attrgetter("tokens", "injuries", "cards", "relics", "arcane", "levels", "covered")


def _check(state: State) -> None:
    """What is in the box stays as many, wherever it is."""
    tokens, injuries = vars(state.tokens).values(), vars(state.injuries).values()
    broken = {
        "There are not as many Leadership tokens there.": min(tokens) < 0,
        f"There are {box.TOKENS} Leadership tokens, not {sum(tokens)}.": sum(tokens) != box.TOKENS,
        "There are not as many Injuries there.": min(injuries) < 0,
        f"There are {box.INJURIES} Injuries, not {sum(injuries)}.": sum(injuries) != box.INJURIES,
        "There cannot be fewer than no cards.": min(vars(state.cards).values()) < 0,
        f"There are only {box.RELICS} Relics in the box.": state.relic_count > box.RELICS,
        "There is no Arcane Equipment left.": state.arcane > box.MOST_ARCANE,
        "Madness has three levels.": not all(0 <= each <= box.LEVELS for each in state.levels.values()),
        "That space is covered already.": any(len({*each}) != len(each) for each in state.covered.values()),
    }
    for law, is_broken in broken.items():
        refuse_if(is_broken, law)
