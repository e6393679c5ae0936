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
    place, vp = 0, 0
    why = [f"{mine.power} power but no minion here: not ranked" if mine.power else "nothing here"]
    if mine in ranked:
        place = 1 + sum(other.power > mine.power for other in ranked)
        tied = [other.name for other in ranked if other.power == mine.power and other is not mine]
        vp, words = _for_place(card, place, tied, reading)
        why = [f"{mine.power} power: {words}"]
    if card.gives == "minions" and mine.minions:
        vp += mine.minions
        why.append(f"{mine.minions} VP for {counted(mine.minions, 'minion')}")
    if card.gives == "five-power" and place == 1:
        vp += mine.power // 5
        why.append(f"{mine.power // 5} VP more: one for each 5 of {mine.power} power")
    if more:
        vp = max(0, vp + more)
        why.append(f"{signed(more)} VP by a card")
    return Award(mine.seat, mine.power, mine.minions, place, vp, "; ".join(why))


def _for_place(card: Card, place: int, tied: list[str], reading: Reading) -> tuple[int, str]:
    """What is printed for it, and how that is said; all who tie take the same."""
    if place > len(PLACES):
        return 0, "fourth: nothing for that"
    named, printed = PLACES[place - 1], card.vp[place - 1 : place + len(tied)]
    vp = max(printed) if reading.larger_number else printed[0]
    takes = named if card.gives == "minions" else f"{named}, {vp} VP"
    return vp, f"tied for {named} with {listed(tied)}: each takes {takes}" if tied else takes
