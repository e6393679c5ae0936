"""The card calculator: what every card gives, and why. Pure: it knows cards and tokens, not the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from companion.core.text import counted, listed
from companion.games.tides_of_madness.cards import DREAMLANDS, SHUB, SUITS, Card, card, suit


@dataclass(frozen=True)
class Spread:
    """What lies face up before one player at scoring, in the order it came there."""

    kept: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    wild: str = ""  # the suit that Dreamlands counts as

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        return tuple(card(id) for id in (*self.kept, *self.played))

    @cached_property
    def suits(self) -> tuple[str, ...]:
        """One of each card; of Dreamlands the one that was declared."""
        return tuple(self.wild if each.id == DREAMLANDS else each.suit for each in self.cards)

    def has(self, id: str) -> bool:
        return id in self.kept or id in self.played

    def count(self, wanted: str) -> int:
        return self.suits.count(wanted)

    @cached_property
    def icons(self) -> int:
        return sum([each.madness for each in self.cards])

    @cached_property
    def new_icons(self) -> int:
        """Those on the cards of this round alone."""
        return sum([card(id).madness for id in self.played])


# The same cards lie there from tap to tap; a table has two sides in each of three rounds.
spread = lru_cache(maxsize=1024)(Spread)


class Line(NamedTuple):
    """One card's points, and the reason as a player would say it."""

    card: Card
    points: int
    why: str
    kept: bool = False
    doubled: bool = False


class Sight(NamedTuple):
    """All that a card may look at."""

    mine: Spread
    theirs: Spread
    tokens: int
    doubled: str  # the card that counts twice


@lru_cache(maxsize=1024)
def score(mine: Spread, theirs: Spread, tokens: int, kept_shub_doubles: bool = False) -> tuple[Line, ...]:
    """Every card of one player's; tokens are those held after the bonus and after Dreamlands."""
    doubled = _doubled_by_shub(mine, kept_shub_doubles)
    return tuple(_line(Sight(mine, theirs, tokens, doubled), each) for each in mine.cards)


def majorities(mine: Spread, theirs: Spread) -> tuple[str, ...]:
    return tuple(each.id for each in SUITS if mine.count(each.id) > theirs.count(each.id))


def _doubled_by_shub(spread: Spread, kept_too: bool) -> str:
    """The card that counts twice: the one played just before Shub Niggurath in the same round, if any."""
    order = spread.kept if kept_too and SHUB in spread.kept else spread.played
    at = order.index(SHUB) if SHUB in order else 0
    return order[at - 1] if at else ""


def _line(sight: Sight, each: Card) -> Line:
    times, why = _KINDS[each.kind](sight, each)
    doubled = each.id == sight.doubled
    if doubled:
        times, why = 2 * times, f"{why}; doubled by {card(SHUB).name}"
    return Line(each, times * each.points, why, each.id in sight.mine.kept, doubled)


# --- how often a card gives its points, by its kind, and why ---


def _each(sight: Sight, each: Card) -> tuple[int, str]:
    wanted = suit(each.of[0])
    number = sight.mine.count(wanted.id)
    return number, f"{wanted.number(number)} × {each.points}" if number else f"no {wanted.many}"


def _sets(sight: Sight, each: Card) -> tuple[int, str]:
    if lacking := [suit(wanted).one for wanted in each.of if not sight.mine.count(wanted)]:
        return 0, f"no set: no {' and no '.join(lacking)}"
    number = min(sight.mine.count(wanted) for wanted in each.of)
    what = listed([suit(wanted).one for wanted in each.of])
    return number, f"{counted(number, 'set')} of {what} × {each.points}"


def _one_set(sight: Sight, each: Card) -> tuple[int, str]:
    number, why = _sets(sight, each)
    return (1, "one set of all five suits") if number else (0, why)


def _majority(sight: Sight, each: Card) -> tuple[int, str]:
    wanted = suit(each.of[0])
    mine, theirs = sight.mine.count(wanted.id), sight.theirs.count(wanted.id)
    how = "a tie is no majority" if mine == theirs else "majority" if mine > theirs else "no majority"
    return int(mine > theirs), f"{wanted.number(mine)} against {theirs}: {how}"


def _majorities(sight: Sight, each: Card) -> tuple[int, str]:
    mine = [suit(id).many for id in majorities(sight.mine, sight.theirs)]
    return len(mine), f"majority in {listed(mine)} × {each.points}" if mine else "no majority in any suit"


def _missing(sight: Sight, each: Card) -> tuple[int, str]:
    missing = [wanted.many for wanted in SUITS if not sight.mine.count(wanted.id)]
    why = f"no {' and no '.join(missing)}: {len(missing)} × {each.points}"
    return len(missing), why if missing else "no suit is missing"


def _tokens(sight: Sight, each: Card) -> tuple[int, str]:
    return sight.tokens, f"{counted(sight.tokens, 'Madness token')} × {each.points}"


def _wild(sight: Sight, each: Card) -> tuple[int, str]:
    wild = sight.mine.wild
    return 0, f"counts among the {suit(wild).many}" if wild else "its suit is not declared yet"


def _double(sight: Sight, shub: Card) -> tuple[int, str]:
    if sight.doubled:
        return 0, f"doubles {card(sight.doubled).name}; the points are counted there"
    why = "kept from an earlier round" if shub.id in sight.mine.kept else "the first card of this round"
    return 0, f"{why}, so it doubles nothing"


_KINDS: dict[str, Callable[[Sight, Card], tuple[int, str]]] = {
    kind.__name__.removeprefix("_"): kind
    for kind in (_each, _sets, _one_set, _majority, _majorities, _missing, _tokens, _wild, _double)
}
