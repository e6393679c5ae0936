"""The box: 18 cards, five suits, and where the manual can be read in two ways, what a table chooses.

And the card calculator: what every card gives, and why. It knows cards and tokens, not the table.
"""

from dataclasses import dataclass
from typing import NamedTuple

from companion.core import (
    HouseRule,
    cached_property,
    counted,
    finder,
    listed,
    load,
    load_sentences,
    remembered,
)

DREAMLANDS, DREAMS = "dreamlands", "Dreamlands"
SHUB = "shub-niggurath"


@dataclass(frozen=True)
class Suit:
    id: str
    one: str
    many: str

    def number(self, n: int) -> str:
        return counted(n, f"{self.one}/{self.many}")


@dataclass(frozen=True)
class Card:
    id: str
    name: str
    suit: str  # "" where none is printed
    madness: bool
    kind: str  # how it scores: a method of `Sight`
    points: int
    of: tuple[str, ...]  # the suits it looks at
    gives: str  # in a few words, for whoever looks on; players read their own card
    narrow: str = ""  # the name with places to break its long words, for a third of a phone's width


SAYS = load_sentences(__package__)
SUITS = load(__package__, "suits.toml", Suit)
DECK = load(__package__, "cards.toml", Card)
ICONS = sum(each.madness for each in DECK)
HOUSE_RULES = load(__package__, "house_rules.toml", HouseRule)
KEPT_MADNESS, KEPT_ICONS, KEPT_SHUB, EMPTY_HANDED, DREAMLANDS_TOKEN = HOUSE_RULES

card = finder(DECK, "That is none of the 18 cards in this box.")
suit = finder(SUITS, f"That is none of the five suits: {', '.join(each.many for each in SUITS)}.")


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
spread = remembered(Spread)
Times = tuple[int, str]  # how often a card gives its points, and why


class CardVP(NamedTuple):
    """One card's points, and the reason as a player would say it."""

    card: Card
    points: int
    why: str
    kept: bool = False
    doubled: bool = False


@remembered
def score(mine: Spread, theirs: Spread, tokens: int, kept_shub_doubles: bool = False) -> tuple[CardVP, ...]:
    """Every card of one player's; tokens are those held after the bonus and after Dreamlands."""
    sight = Sight(mine, theirs, tokens, _doubled_by_shub(mine, kept_shub_doubles))
    return tuple([sight.vp_of(each) for each in mine.cards])


def _doubled_by_shub(spread: Spread, kept_too: bool) -> str:
    """The card that counts twice: the one played just before Shub Niggurath in the same round, if any."""
    order = spread.kept if kept_too and SHUB in spread.kept else spread.played
    at = order.index(SHUB) if SHUB in order else 0
    return order[at - 1] if at else ""


def majorities(mine: Spread, theirs: Spread) -> tuple[str, ...]:
    return tuple(each.id for each in SUITS if mine.count(each.id) > theirs.count(each.id))


class Sight(NamedTuple):
    """All that a card may look at, and for each kind of card how often it gives its points, and why."""

    mine: Spread
    theirs: Spread
    tokens: int
    doubled: str  # the card that counts twice

    def vp_of(self, one: Card) -> CardVP:
        times, why = getattr(self, one.kind)(one)
        doubled = one.id == self.doubled
        if doubled:
            times, why = 2 * times, f"{why}; doubled by {card(SHUB).name}"
        return CardVP(one, times * one.points, why, one.id in self.mine.kept, doubled)

    def each(self, card: Card) -> Times:
        wanted = suit(card.of[0])
        number = self.mine.count(wanted.id)
        return number, f"{wanted.number(number)} × {card.points}" if number else f"no {wanted.many}"

    def sets(self, card: Card) -> Times:
        if lacking := [suit(wanted).one for wanted in card.of if not self.mine.count(wanted)]:
            return 0, f"no set: no {' and no '.join(lacking)}"
        number, what = min(map(self.mine.count, card.of)), listed([suit(each).one for each in card.of])
        return number, f"{counted(number, 'set')} of {what} × {card.points}"

    def one_set(self, card: Card) -> Times:
        number, why = self.sets(card)
        return (1, "one set of all five suits") if number else (0, why)

    def majority(self, card: Card) -> Times:
        wanted = suit(card.of[0])
        mine, theirs = self.mine.count(wanted.id), self.theirs.count(wanted.id)
        how = "a tie is no majority" if mine == theirs else "majority" if mine > theirs else "no majority"
        return int(mine > theirs), f"{wanted.number(mine)} against {theirs}: {how}"

    def majorities(self, card: Card) -> Times:
        mine = [suit(id).many for id in majorities(self.mine, self.theirs)]
        return len(mine), f"majority in {listed(mine)} × {card.points}" if mine else "no majority in any suit"

    def missing(self, card: Card) -> Times:
        missing = [wanted.many for wanted in SUITS if not self.mine.count(wanted.id)]
        why = f"no {' and no '.join(missing)}: {len(missing)} × {card.points}"
        return len(missing), why if missing else "no suit is missing"

    def for_tokens(self, card: Card) -> Times:
        return self.tokens, f"{counted(self.tokens, 'Madness token')} × {card.points}"

    def wild(self, card: Card) -> Times:
        wild = self.mine.wild
        return 0, f"counts among the {suit(wild).many}" if wild else "its suit is not declared yet"

    def double(self, shub: Card) -> Times:
        if self.doubled:
            return 0, f"doubles {card(self.doubled).name}; the points are counted there"
        why = "kept from an earlier round" if shub.id in self.mine.kept else "the first card of this round"
        return 0, f"{why}, so it doubles nothing"
