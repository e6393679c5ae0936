"""What the room remembers: facts only. Every total follows from them; see rounds.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from companion import core
from companion.core import Item, Names, Refused, load, refuse_if, replace, same_name
from companion.games.tides_of_madness.cards import DREAMLANDS, Spread, card, spread, suit

PICKS = 5  # cards drafted by each player in each round
ROUNDS = 3
LIMIT = 9  # Madness that loses the game

Bonus = Literal["points", "heal"]

CHECKLIST = load(__package__, "checklist.toml", Item)
#: For `kept_while`: all that there is to see, but for what lies face down.
BUT_SEALED = ("table.seats", "table.choices", "table.phones", "ticked", "stage", "rounds")


class Typed(NamedTuple):
    """A round one player scored by hand."""

    vp: int = 0
    madness: int = 0
    dreamlands: bool = False
    new: int | None = None  # icons on this round's own cards, where only those decide the bonus


class Side(NamedTuple):
    """One seat in one round."""

    played: tuple[str, ...] = ()  # in the order played; kept cards are not among them
    wild: str = ""  # what Dreamlands counts as
    takes: bool | None = None  # where the table lets Dreamlands' player decide
    typed: Typed | None = None
    kept: str = ""  # in the refresh after this round
    discarded: str = ""

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """What the refresh did, as far as it is known: how it is said, and of which card."""
        return tuple([each for each in (("kept", self.kept), ("discarded", self.discarded)) if each[1]])


EMPTY = Side()


@dataclass(frozen=True)
class Round:
    number: int
    sides: Mapping[int, Side] = field(default_factory=dict)
    by_hand: bool = False
    bonus: tuple[int, Bonus] | None = None  # who chose, and what

    def side(self, seat: int) -> Side:
        return self.sides.get(seat, EMPTY)

    @property
    def refreshed(self) -> bool:
        return all(side.kept and side.discarded for side in self.sides.values())

    def typed(self, seat: int) -> Typed:
        return self.side(seat).typed or Typed()

    def known(self, seat: int) -> bool:
        """Whether it is known which five this seat played."""
        return not self.by_hand and len(self.side(seat).played) == PICKS


@dataclass(frozen=True)
class State(core.State):
    ticked: tuple[str, ...] = ()
    stage: Literal["setup", "draft", "scoring", "refresh"] = "setup"
    picks: int = 0  # as tables counted them by hand, before the cards did
    rounds: tuple[Round, ...] = ()

    names: ClassVar[Names] = {"card": lambda _, id: card(id).name, "suit": lambda _, id: suit(id).many}

    @property
    def round(self) -> int:
        return len(self.rounds)

    @property
    def secret(self) -> bool:
        """Each has a phone of their own. Where one phone goes round, cards are tapped as they lie there."""
        phones = {phone.number for seat in self.table.ids if (phone := self.table.holder(seat))}
        return len(phones) == len(self.table.seats)

    @property
    def pick(self) -> int:
        """The one that both are at, counted from 1."""
        sides = self.rounds[-1].sides.values() if self.rounds else ()
        return min([len(side.played) for side in sides], default=0) + 1

    def about(self, pick: int = 0) -> str:
        """What is chosen face down: a card of the draft, or what to keep and what to discard."""
        return f"refresh-{self.round}" if self.stage == "refresh" else f"card-{self.round or 1}-{pick}"

    def drafts(self, number: int) -> bool:
        return (self.stage, self.round) == ("draft", number)

    def check_drafts(self, number: int) -> None:
        self.at(number)
        refuse_if(not self.drafts(number), f"The draft of round {number} is over already.")

    def other(self, seat: int) -> int:
        return next(each.id for each in self.table.seats if each.id != seat)

    def at(self, number: int) -> Round:
        refuse_if(not 1 <= number <= ROUNDS, "The game has three rounds.")
        refuse_if(number > self.round, f"Round {number} has not begun.")
        return self.rounds[number - 1]

    def side(self, seat: int, number: int) -> Side:
        return self.at(number).side(seat)

    def kept_before(self, seat: int, number: int) -> tuple[str, ...]:
        """What this seat kept in the refreshes before the round, as far as it is known."""
        return tuple([each.side(seat).kept for each in self.rounds[: number - 1] if each.side(seat).kept])

    def spread(self, seat: int, number: int) -> Spread:
        side = self.side(seat, number)
        return spread(self.kept_before(seat, number), side.played, side.wild)

    def dreams(self, seat: int, number: int) -> bool:
        """Whether Dreamlands lies before this seat."""
        round = self.at(number)
        return round.typed(seat).dreamlands if round.by_hand else self.spread(seat, number).has(DREAMLANDS)

    def with_round(self, number: int, **changed: Any) -> State:
        """A card cannot be in two places. Checked for every event, so that no take-back can get round it."""
        round, at = replace(self.at(number), **changed), number - 1
        state = replace(self, rounds=(*self.rounds[:at], round, *self.rounds[number:]))
        for later in range(number, min(state.round + 1, ROUNDS) + 1):
            if twice := same_name([place[0] for place in state.places(later)]):
                where = self.where(later, twice) or state.where(later, twice)  # where it was before this
                raise Refused(f"{card(twice).name} cannot be in two places. {where}")
        return state

    def places(self, number: int) -> Iterator[tuple[str, int, str, int]]:
        """Where cards are known to be in a round: which, whose, how it got there, and in which round."""
        now, earlier = self.rounds[number - 1 : number], self.rounds[: number - 1]
        for seat in self.table.ids:
            if now and not now[0].by_hand:
                for id in now[0].side(seat).played:
                    yield id, seat, "played", number
            for each in earlier:
                for how, id in each.side(seat).named:
                    yield id, seat, how, each.number

    def where(self, number: int, wanted: str) -> str:
        """Who has a card in this round, as a sentence; empty if nobody has."""
        for id, seat, how, at in self.places(number):
            if id == wanted and how == "played":
                return f"{card(id).name} already lies in front of {self.name(seat)} in round {at}."
            if id == wanted:
                return f"{card(id).name} was {how} after round {at} by {self.name(seat)}."
        return ""
