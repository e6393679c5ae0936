"""Who gains what when a base scores, and why. Knows no table: numbers in, places and reasons out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.core.text import counted, listed, signed
from companion.games.smash_up.cards import Card

PLACES = ("first", "second", "third")


@dataclass(frozen=True)
class Stand:
    """What one player has at the base."""

    seat: int
    name: str
    power: int
    minions: int


@dataclass(frozen=True)
class Award:
    """What one player gains. Part of an event: add fields with defaults, never rename."""

    seat: int
    power: int
    minions: int
    place: int  # 0: not ranked
    vp: int
    why: str = ""


@dataclass(frozen=True)
class Reading:
    """How this table reads the two unclear points."""

    power_is_enough: bool = False
    larger_number: bool = False


MANUAL = Reading()


def score(
    card: Card, stands: tuple[Stand, ...], reading: Reading = MANUAL, more: Mapping[int, int] | None = None
) -> tuple[Award, ...]:
    """For every player, in the order given. `more` is what cards add or take, by seat."""
    ranked = [each for each in stands if each.minions or (reading.power_is_enough and each.power)]
    return tuple(_award(card, each, ranked, reading, (more or {}).get(each.seat, 0)) for each in stands)


def winners(awards: tuple[Award, ...]) -> tuple[int, ...]:
    return tuple(each.seat for each in awards if each.place == 1)


def _award(card: Card, mine: Stand, ranked: list[Stand], reading: Reading, more: int) -> Award:
    place, vp, reasons = 0, 0, []
    if mine in ranked:
        place = 1 + sum(other.power > mine.power for other in ranked)
        tied = [other.name for other in ranked if other.power == mine.power and other is not mine]
        vp = _printed(card, place, len(tied), reading)
        reasons.append(f"{mine.power} power: {_place(card, place, tied, vp)}")
    elif mine.power:
        reasons.append(f"{mine.power} power but no minion here: not ranked")
    else:
        reasons.append("nothing here")
    for gained, why in _special(card, mine, place):
        vp += gained
        reasons.append(why)
    if more:
        vp = max(0, vp + more)
        reasons.append(f"{signed(more)} VP by a card")
    return Award(mine.seat, mine.power, mine.minions, place, vp, "; ".join(reasons))


def _printed(card: Card, place: int, tied: int, reading: Reading) -> int:
    if place > len(PLACES):
        return 0
    if reading.larger_number:
        return max(card.vp[place - 1 : place + tied])
    return card.vp[place - 1]


def _place(card: Card, place: int, tied: list[str], vp: int) -> str:
    if place > len(PLACES):
        return "fourth: nothing for that"
    named = PLACES[place - 1]
    gives = "" if card.gives == "minions" else f", {vp} VP"
    if tied:
        return f"tied for {named} with {listed(tied)}: each takes {named}{gives}"
    return f"{named}{gives}"


def _special(card: Card, mine: Stand, place: int) -> list[tuple[int, str]]:
    if card.gives == "minions" and mine.minions:
        number = counted(mine.minions, "minion")
        return [(mine.minions, f"{mine.minions} VP for {number}")]
    if card.gives == "five-power" and place == 1:
        extra = mine.power // 5
        return [(extra, f"{extra} VP more: one for each 5 of {mine.power} power")]
    return []
