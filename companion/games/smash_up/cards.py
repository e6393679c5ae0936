"""What is in the boxes: factions by name, bases with their numbers, and where the manual leaves a choice.

And who gains what when a base scores, and why. Knows no table: numbers in, places and reasons out.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from companion.core import HouseRule, finder, load, load_sentences, load_words
from companion.core.text import Bounds, Count, Name, Whole, counted, listed, signed

MADNESS = 30  # cards in the Madness deck
THIS_SET = "cthulhu"


class TurnPhase(NamedTuple):
    name: str
    short: str
    text: str
    reminder: str = ""  # what is easily forgotten in it


class Faction(NamedTuple):
    name: str
    set: str
    minions: tuple[tuple[str, int], ...] = ()  # by name with their power, the strongest first


class Card(NamedTuple):
    """A base."""

    id: str
    name: str
    set: str
    breakpoint: int
    vp: tuple[int, ...]  # first, second, third
    ability: str = ""
    when: str = ""
    gives: str = ""  # VP beyond the printed ones: "five-power", "minions"
    sanity: bool = False  # whoever wins here may return Madness cards
    draws: int = 0  # Madness cards, by whoever plays a minion here
    adds: int = 0  # power to every minion here
    trade: bool = False  # a minion for 1 VP, at the start of one's turn
    dies: int = 0  # VP for the owner of a minion that is destroyed here
    note: str = ""

    @property
    def prizes(self) -> str:
        return " · ".join(map(str, self.vp))

    def does(self, *when: str) -> str:
        """Its ability and when; nothing if that is at another time."""
        due = self.ability and (not when or self.when in when)
        return SAID["when"].get(self.when, "") + self.ability if due else ""


SAID, SAYS = load_words(__package__), load_sentences(__package__)
SETS, HINTS = SAID["sets"], SAID["hints"]
PHASES = load(__package__, "phases.toml", TurnPhase)
FACTIONS = load(__package__, "factions.toml", Faction)
BASES = load(__package__, "bases.toml", Card)
TIED, PENALTY, RANKED, TIED_PLACE, LAST_BASE, END_CHECK = load(__package__, "house_rules.toml", HouseRule)

known_base = finder(BASES, "That is none of the bases known here. Type it in instead.")
_factions = {faction.name.casefold(): faction for faction in FACTIONS}


def faction(name: str) -> Faction:
    """One of the boxes we know, or any other by its name."""
    return _factions.get(name.casefold(), Faction(name, ""))


AsPrinted = Annotated[Name, AfterValidator(lambda name: faction(name).name)]  # whatever its capitals
Cards = Annotated[Count, Bounds(ge=1, le=MADNESS)]
Power = Annotated[Whole, Bounds(ge=0, le=30)]
Vp = Annotated[Whole, Bounds(ge=0, le=20)]


@dataclass(frozen=True)
class Printed:
    """What stands on a base."""

    name: Name
    breakpoint: Annotated[Whole, Bounds(ge=1, le=99)]
    vp_for_first: Vp
    vp_for_second: Vp
    vp_for_third: Vp

    @property
    def all(self) -> tuple[str, int, tuple[int, int, int]]:
        return self.name, self.breakpoint, (self.vp_for_first, self.vp_for_second, self.vp_for_third)


PLACES = ("first", "second", "third")


class Stand(NamedTuple):
    """What one player has at the base."""

    seat: int
    name: str
    power: int
    minions: int
    more: int = 0  # VP that cards add or take


@dataclass(frozen=True)
class Award:
    """What one player gains. Part of an event: add fields with defaults, never rename."""

    seat: int
    power: int
    minions: int
    place: int  # 0: not ranked
    vp: int
    why: str = ""


def score(card: Card, stands: list[Stand], by_power: bool = False, by_number: bool = False) -> list[Award]:
    """For every player, in the order given; by what this table has chosen, power alone is ranked too, and who
    ties takes the larger number."""
    ranked = [each for each in stands if each.minions or (by_power and each.power)]
    return [_award(card, each, ranked, by_number) for each in stands]


def winners(awards: tuple[Award, ...]) -> tuple[int, ...]:
    return tuple(each.seat for each in awards if each.place == 1)


def _award(card: Card, mine: Stand, ranked: list[Stand], by_number: bool) -> Award:
    place, vp = 0, 0
    why = [f"{mine.power} power but no minion here: not ranked" if mine.power else "nothing here"]
    if mine in ranked:
        place = 1 + sum(other.power > mine.power for other in ranked)
        tied = [other.name for other in ranked if other.power == mine.power and other is not mine]
        vp, words = _for_place(card, place, tied, by_number)
        why = [f"{mine.power} power: {words}"]
    if card.gives == "minions" and mine.minions:
        vp += mine.minions
        why.append(f"{mine.minions} VP for {counted(mine.minions, 'minion')}")
    if card.gives == "five-power" and place == 1:
        vp += mine.power // 5
        why.append(f"{mine.power // 5} VP more: one for each 5 of {mine.power} power")
    if mine.more:
        vp = max(0, vp + mine.more)
        why.append(f"{signed(mine.more)} VP by a card")
    return Award(mine.seat, mine.power, mine.minions, place, vp, "; ".join(why))


def _for_place(card: Card, place: int, tied: list[str], by_number: bool) -> tuple[int, str]:
    """What is printed for it, and how that is said; all who tie take the same."""
    if place > len(PLACES):
        return 0, "fourth: nothing for that"
    named, printed = PLACES[place - 1], card.vp[place - 1 : place + len(tied)]
    vp = max(printed) if by_number else printed[0]
    takes = named if card.gives == "minions" else f"{named}, {vp} VP"
    return vp, f"tied for {named} with {listed(tied)}: each takes {takes}" if tied else takes
