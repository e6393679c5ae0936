"""What lies on the sled, what it brings, what it costs, and the penalty die: facts of the reveal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from companion.core import Event, Refused
from companion.core.text import listed, signed
from companion.games.mountains_of_madness.challenges import KINDS, Challenge
from companion.games.mountains_of_madness.reveal import owed, rewarding
from companion.games.mountains_of_madness.state import (
    FACES,
    RELIC_KINDS,
    SPACES,
    Find,
    Injuries,
    Penalty,
    State,
)

MOST = 300  # points of one kind: more than the box holds
REWARDS = {
    "relic": "reward: a Relic",
    "search": "reward: Search, 30 seconds",
    "arcane": "reward: Arcane Equipment to the Equipment discard",
    "heal": "reward: Heal",
    "praise": "reward: Praise",
    "none": "no reward",
}


def _at(state: State, turn: int) -> None:
    if state.turn != turn or state.stage != "resolution":
        raise Refused(f"The Resolution phase of turn {turn} is not what the table is at.")


def _counting(state: State, **changed: Any) -> State:
    if state.now.met is not None:
        raise Refused("The Challenges are judged already; undo that to count again.")
    return state.with_turn(**changed)


def _total(state: State, kind: str, by: int) -> State:
    total = state.now.totals.get(kind, 0) + by
    if not 0 <= total <= MOST:
        raise Refused(f"{KINDS[kind]} cannot add up to {total}.")
    return state.with_turn(totals={**state.now.totals, kind: total})


# --- counting ---


@dataclass(frozen=True)
class ChallengesRead(Event[State]):
    turn: int
    first: Challenge
    second: Challenge

    def fold(self, state: State) -> State:
        return _counting(state, challenges=(self.first, self.second), by_hand=(None, None))

    def told(self, state: State) -> str:
        both = " and ".join(f"{each.name} {each.value}" for each in (self.first, self.second))
        return f"Challenges: {both}"


@dataclass(frozen=True)
class CardShown(Event[State]):
    turn: int
    kind: str
    value: int

    def fold(self, state: State) -> State:
        shown = _counting(state, shown=(*state.now.shown, (self.kind, self.value)))
        return _total(shown, self.kind, self.value)

    def told(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value}, now {state.now.totals[self.kind]}"


@dataclass(frozen=True)
class CardHidden(Event[State]):
    turn: int
    kind: str
    value: int

    def fold(self, state: State) -> State:
        shown = state.now.shown
        hidden = _counting(state)
        if (self.kind, self.value) not in shown:
            raise Refused(f"No {KINDS[self.kind]} {self.value} was counted.")
        at = shown.index((self.kind, self.value))
        return _total(hidden.with_turn(shown=shown[:at] + shown[at + 1 :]), self.kind, -self.value)

    def told(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value} was not on the sled"


@dataclass(frozen=True)
class TotalCounted(Event[State]):
    turn: int
    kind: str
    by: int

    def fold(self, state: State) -> State:
        return _total(_counting(state), self.kind, self.by)

    def told(self, state: State) -> str:
        return f"{KINDS[self.kind]} {signed(self.by)} = {state.now.totals[self.kind]}"


@dataclass(frozen=True)
class SledCounted(Event[State]):
    turn: int
    what: Literal["cards", "injuries"]
    by: int

    def fold(self, state: State) -> State:
        if self.what == "cards":
            cards = state.now.on_sled + self.by
            if not 0 <= cards <= 60:
                raise Refused("There cannot be that many cards on the sled.")
            return _counting(state, on_sled=cards)
        most, injuries = state.injuries.hands + state.injuries.deck, state.now.shown_injuries + self.by
        if injuries > most:
            raise Refused(f"Only {most} Injuries are in hands or in the Equipment deck.")
        if injuries < 0:
            raise Refused("There cannot be fewer than no Injuries.")
        return _counting(state, shown_injuries=injuries)

    def told(self, state: State) -> str:
        if self.what == "cards":
            return f"cards on the sled: {state.now.on_sled}"
        return f"Injuries on the sled: {state.now.shown_injuries}"


@dataclass(frozen=True)
class JudgedByHand(Event[State]):
    turn: int
    which: int
    met: bool

    def fold(self, state: State) -> State:
        by_hand = list(state.now.by_hand)
        by_hand[self.which] = self.met
        return _counting(state, by_hand=tuple(by_hand))

    def told(self, state: State) -> str:
        return f"Challenge {self.which + 1} was {'met' if self.met else 'missed'}"


@dataclass(frozen=True)
class ChallengesJudged(Event[State]):
    turn: int
    met: tuple[bool, bool]
    gaps: tuple[int | None, int | None]
    injuries: int = 0  # played, and discarded at once: so it was told until they stayed on the sled
    on_sled: int = 0  # Injuries among the cards played; they lie there until the phase ends

    def fold(self, state: State) -> State:
        _at(state, self.turn)
        known, gone = state.injuries, self.injuries
        hidden = max(0, gone + self.on_sled - known.hands)  # nobody told that they were dealt
        after = Injuries(known.supply, known.deck - hidden, known.discard + gone, known.hands + hidden - gone)
        played, on_sled = state.now.played, self.on_sled
        now = replace(state.now, met=self.met, gaps=self.gaps, on_sled=played, injured=on_sled)
        return replace(state, injuries=after, now=now)

    def told(self, state: State) -> str:
        words = []
        for which, (met, gap) in enumerate(zip(self.met, self.gaps, strict=True)):
            challenge = state.now.challenges[which]
            name = challenge.name if challenge else f"Challenge {which + 1}"
            words.append(f"{name} {'met' if met else f'missed by {gap}' if gap else 'missed'}")
        return listed(words)


# --- what is missed, what is won ---


@dataclass(frozen=True)
class GapTold(Event[State]):
    turn: int
    which: int
    gap: int

    def fold(self, state: State) -> State:
        gaps = [self.gap if which == self.which else each for which, each in enumerate(state.now.gaps)]
        return state.with_turn(gaps=tuple(gaps))

    def told(self, state: State) -> str:
        return f"Challenge {self.which + 1} was missed by {self.gap}"


@dataclass(frozen=True)
class MissPaid(Event[State]):
    """The price of a missed Challenge is chosen."""

    turn: int
    which: int
    price: Literal["madness", "die"]

    def fold(self, state: State) -> State:
        _at(state, self.turn)
        if self.which not in state.now.missed or self.which in state.now.settled:
            raise Refused("That Challenge costs nothing more.")
        return state.with_turn(settled=(*state.now.settled, self.which))

    def told(self, state: State) -> str:
        price = "Madness" if self.price == "madness" else "the penalty die"
        return f"for Challenge {self.which + 1}: {price}"


def _due(state: State) -> None:
    if not rewarding(state):
        raise Refused("There is no reward to take.")


@dataclass(frozen=True)
class RelicPlanned(Event[State]):
    turn: int
    what: Literal["kind", "seat", "space"]
    choice: str

    def fold(self, state: State) -> State:
        _due(state)
        find = state.now.find
        if self.what == "space":
            return state.with_turn(find=replace(find, space=self.choice))
        if self.what == "kind":
            return state.with_turn(find=replace(find, kind=self.choice, space=""))
        seat = state.table.seat(int(self.choice)).id
        return state.with_turn(find=replace(find, seat=seat, space=""))

    def told(self, state: State) -> str:
        if self.what == "seat":
            return f"the Relic would go to {state.name(int(self.choice))}"
        if self.what == "kind":
            return f"the Relic is a {RELIC_KINDS[self.choice]}"
        return f"its token would cover “{SPACES[self.choice]}”" if self.choice in SPACES else "no token"


@dataclass(frozen=True)
class RewardTaken(Event[State]):
    turn: int
    reward: str

    def fold(self, state: State) -> State:
        _due(state)
        _at(state, self.turn)
        now = replace(state.now, reward=self.reward, find=Find())
        if self.reward == "search":
            now = replace(now, searching=True, sand="due")
        if self.reward == "arcane":
            cards = replace(state.cards, discard=state.cards.discard + 1)
            state = replace(state, arcane=state.arcane + 1, cards=cards)
        return replace(state, now=now)

    def told(self, state: State) -> str:
        return REWARDS[self.reward]


# --- the penalty die ---


@dataclass(frozen=True)
class PenaltyOwed(Event[State]):
    turn: int
    penalty: int
    source: int

    def fold(self, state: State) -> State:
        if self.penalty != state.now.rolled + 1 or state.turn != self.turn:
            raise Refused("That penalty is rolled for already.")
        due = (*state.now.penalties, Penalty(self.penalty, self.source))
        return state.with_turn(penalties=due, rolled=self.penalty)

    def told(self, state: State) -> str:
        return "somebody spoke" if self.source < 0 else ""


@dataclass(frozen=True)
class PenaltyRolled(Event[State]):
    turn: int
    penalty: int
    face: str
    where: str = ""  # the real die at the table, or one here; not known of old rolls, which the dice tell

    def fold(self, state: State) -> State:
        due = owed(state, self.penalty)
        rolled = replace(due, face=self.face, rolls=due.rolls + 1)
        return state.with_turn(
            penalties=tuple(rolled if each is due else each for each in state.now.penalties)
        )

    def told(self, state: State) -> str:
        return f"rolled the penalty die {self.where}: {FACES[self.face]}" if self.where else ""


@dataclass(frozen=True)
class PenaltyPaid(Event[State]):
    turn: int
    penalty: int
    face: str
    later: bool = False

    def fold(self, state: State) -> State:
        due = owed(state, self.penalty)
        left = tuple(each for each in state.now.penalties if each is not due)
        return state.with_turn(penalties=left, later=state.now.later + self.later)

    def told(self, state: State) -> str:
        return f"{FACES[self.face]}{', measured after the reveal' if self.later else ''}"
