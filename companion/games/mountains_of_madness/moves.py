"""What moves between places: every chain of consequences is made of these facts."""

from __future__ import annotations

from dataclasses import replace

from companion.core import Event, Refused
from companion.core.text import counted
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.state import Facts, InjuryPlace, State, TokenPlace, moved

WHERE = {
    "supply": "the Injury deck",
    "deck": "the Equipment deck",
    "discard": "the Equipment discard",
    "hands": "a hand",
}


class TokensMoved(Event[State]):
    source: TokenPlace
    to: TokenPlace
    count: int = 1

    def fold(self, state: State) -> State:
        return replace(state, tokens=moved(state.tokens, self.source, self.to, self.count))

    def log_text(self, state: State) -> str:
        left, way = state.tokens, f"from the {self.source} to the {self.to}"
        return f"{counted(self.count, 'token')} {way} ({left.sled} on the sled, {left.box} in the box)"


def spend_token(state: State, space: str) -> Facts:
    """For what this space of the Leader's board offers."""
    if why := state.why_no_token(space):
        raise Refused(why)
    yield TokensMoved("sled", "discard")


class InjuriesMoved(Event[State]):
    source: InjuryPlace
    to: InjuryPlace
    count: int = 1

    def fold(self, state: State) -> State:
        """An Injury is a card too: the Equipment discard grows and shrinks with the Injury deck."""
        injuries = moved(state.injuries, self.source, self.to, self.count)
        change = self.count * ((self.source == "supply") - (self.to == "supply"))
        cards = replace(state.cards, discard=max(0, state.cards.discard + change))
        return replace(state, injuries=injuries, cards=cards)

    def log_text(self, state: State) -> str:
        return f"{box.injuries(self.count)} from {WHERE[self.source]} to {WHERE[self.to]}"


class InjuryMissing(Event[State]):
    says = "no Injury is left to draw"

    def fold(self, state: State) -> State:
        return replace(state, undrawn=True)


class MadnessDrawn(Event[State]):
    seat: int
    level: int
    says = "draws Madness of level {level}"

    def fold(self, state: State) -> State:
        if self.level != state.level(self.seat) + 1:
            raise Refused(f"{state.name(self.seat)} has Madness of level {state.level(self.seat)}.")
        return replace(state, levels={**state.levels, self.seat: self.level})


class CardsDiscarded(Event[State]):
    """From the Equipment deck."""

    count: int

    def fold(self, state: State) -> State:
        return replace(state, cards=moved(state.cards, "deck", "discard", self.count))

    def log_text(self, state: State) -> str:
        return f"{counted(self.count, 'card')} from the Equipment deck to its discard"


class RelicTaken(Event[State]):
    seat: int
    kind: str
    space: str = ""

    def fold(self, state: State) -> State:
        seat = state.table.seat(self.seat).id
        covered = (*state.covered.get(seat, ()), *((self.space,) if self.space else ()))
        relics = {**state.relics, seat: (*state.relics.get(seat, ()), self.kind)}
        return replace(state, relics=relics, covered={**state.covered, seat: covered})

    def log_text(self, state: State) -> str:
        covers = f", its token covers “{box.SPACES[self.space]}”" if self.space else ", without a token"
        return f"{self.remembered(state)}{covers}"

    def remembered(self, state: State) -> str:
        return f"takes a {box.RELIC_KINDS[self.kind]} Relic"
