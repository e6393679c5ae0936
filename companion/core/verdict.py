"""Who won, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NamedTuple

from companion.core.fixed import dataclass
from companion.core.refused import Refused
from companion.core.table import Table
from companion.core.text import listed

Outcome = Literal["win", "loss", "shared", "no_winner", "continues"]


#: What is said largest, its stop, and the rest: “Ada wins” with 6 Points; “The castle keeps you”: Cleo died.
HEADLINE = re.compile(r"(.*?\b(?:wins|share the win)\b|.*?(?=[:.!;]|$))([:.!;]*)\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """One line of the working, and the ruling it rests on."""

    text: str
    because: str = ""


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    summary: str
    winners: tuple[int, ...] = ()  # seat ids
    steps: tuple[Step, ...] = field(default_factory=tuple)
    leaders: tuple[int, ...] = ()  # while the game goes on: who would win if it ended now

    @classmethod
    def going_on(cls, leaders: tuple[int, ...], say: Callable[[], tuple[str, tuple[Step, ...]]]) -> Verdict:
        """Of a game that is not over; `say` gives the summary and the steps. With every tap somebody asks
        whether it is over and who leads; in which words, only whoever wants to know how it stands."""
        made = object.__new__(cls)
        vars(made).update(outcome="continues", winners=(), leaders=leaders, _say=say)
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """What was not put into words before."""
            own = vars(self)
            if name not in ("summary", "steps") or "_say" not in own:
                raise AttributeError(name)
            own["summary"], own["steps"] = own.pop("_say")()
            return own[name]

    @property
    def final(self) -> bool:
        return self.outcome != "continues"

    @property
    def headline(self) -> tuple[str, str, str]:
        """The summary in three: what matters most, how that ends, and the rest."""
        found = HEADLINE.match(self.summary)
        return (found[1], found[2], found[3]) if found else (self.summary, "", "")

    def check_going_on(self) -> None:
        """For a command that goes on with the game."""
        if self.final:
            raise Refused(f"The game is over. {self.summary}")


def ahead(totals: Mapping[int, int], lowest: bool = False) -> tuple[int, ...]:
    """Who has the most, or the least where that wins; all of them if it is level."""
    best = (min if lowest else max)(totals.values(), default=0)
    return tuple([seat for seat, total in totals.items() if total == best])


class Lead(NamedTuple):
    """Who is ahead by a number, and how that is said."""

    seats: tuple[int, ...]
    names: str
    best: int

    @property
    def shared(self) -> bool:
        return len(self.seats) > 1

    @property
    def outcome(self) -> Outcome:
        return "shared" if self.shared else "win"

    def would_win(self, score: str) -> str:
        with_score = f"would share the win with {score} each" if self.shared else f"would win with {score}"
        return f"If we ended now, {self.names} {with_score}."

    def won(self, score: str) -> str:
        return f"{self.names} {f'share the win with {score} each' if self.shared else f'wins with {score}'}."


def lead(table: Table, totals: Mapping[int, int], lowest: bool = False) -> Lead:
    first = ahead(totals, lowest)
    return Lead(first, listed([seat.name for seat in table.seats if seat.id in first]), totals[first[0]])
