"""The odds of a fight as this table stands, for each choice of who rests."""

from __future__ import annotations

from functools import lru_cache

from companion.core import Refused
from companion.games.escape_the_dark_castle.box import TRAITS, Side, character
from companion.games.escape_the_dark_castle.combat import Fight
from companion.games.escape_the_dark_castle.commands.fight import check_rest
from companion.games.escape_the_dark_castle.odds import Counts, Fighter, Odds, Roll, weigh
from companion.games.escape_the_dark_castle.state import State


def symbols(side: Side) -> Counts:
    might, cunning, wisdom = (side.count if each.id == side.trait else 0 for each in TRAITS)
    return might, cunning, wisdom


@lru_cache(6)
def die(hero: str) -> tuple[Roll, ...]:
    sides = character(hero).sides
    return tuple(
        Roll(symbols(side), side.block, sides.count(side) / len(sides)) for side in dict.fromkeys(sides)
    )


def choices(state: State, fight: Fight) -> tuple[str, ...]:
    """Who could rest in this round; "" is nobody. What is chosen now is always among them."""
    found = [""] if not (fight.rests and fight.rolled) else []
    for hero in fight.heroes:
        if hero == fight.rests or (not fight.rests and _may_rest(state, fight, hero)):
            found.append(hero)
        elif fight.rests and not fight.rolled and fight.stance(hero).part == "fight":
            found.append(hero)  # they could change their minds
    return tuple(found)


def _may_rest(state: State, fight: Fight, hero: str) -> bool:
    if fight.stance(hero).part != "fight":
        return False
    try:
        check_rest(state, fight, hero)
    except Refused:
        return False
    return True


def weighed(state: State) -> dict[str, Odds]:
    """By who rests. Nothing to weigh before the fight has begun, or when no die is left."""
    fight = state.fight
    if fight is None or not fight.round or not fight.dice or state.fallen:
        return {}
    dice = tuple(fight.dice.count(each.id) for each in TRAITS)
    fighters = tuple(_fighter(state, fight, hero) for hero in fight.heroes)
    options = tuple(each for each in choices(state, fight) if _somebody(fight, each))
    places = tuple(fight.heroes.index(each) if each else None for each in options)
    found = weigh((dice[0], dice[1], dice[2]), fighters, fight.damage, places)
    return dict(zip(options, found, strict=True))


def _somebody(fight: Fight, rests: str) -> bool:
    return any(fight.stance(hero).part != "out" and hero != rests for hero in fight.heroes)


def _fighter(state: State, fight: Fight, hero: str) -> Fighter:
    side = fight.side(hero)
    known = Roll(symbols(side), side.block, 1.0) if side else None
    out = fight.stance(hero).part == "out"
    return Fighter(die(hero), state.hero(hero).health, state.cap, fight.hit(hero), known, out)
