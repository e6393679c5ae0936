"""The odds of a fight as this table stands, for each choice of who rests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from companion.core import Do, Tap
from companion.core.pieces import Fold, Note, Own, Piece
from companion.core.text import capital
from companion.games.escape_the_dark_castle.box import TRAITS, Side, character
from companion.games.escape_the_dark_castle.combat import Counts, Fight, Fighter, Roll
from companion.games.escape_the_dark_castle.odds import Odds, weigh
from companion.games.escape_the_dark_castle.rounds import may_rest
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
    found = [""] if not (fight.rests and fight.sides) else []
    for hero in fight.heroes:
        if hero == fight.rests or (not fight.rests and may_rest(state, fight, hero)):
            found.append(hero)
        elif fight.rests and not fight.sides and fight.stance(hero).part == "fight":
            found.append(hero)  # they could change their minds
    return tuple(found)


def weighed(state: State) -> Mapping[str, Odds]:
    """By who rests. Nothing to weigh before the fight has begun, or when no die is left."""
    fight = state.fight
    if fight is None or not fight.round or not fight.dice or state.fallen:
        return {}
    dice = tuple([fight.stock[each.id] for each in TRAITS])
    team = tuple([_in_it(state, fight, hero) for hero in fight.heroes])
    options = tuple([each for each in choices(state, fight) if _somebody(fight, each)])
    return _weighed((dice[0], dice[1], dice[2]), team, state.cap, fight.damage, options)


def _somebody(fight: Fight, rests: str) -> bool:
    return any(fight.stance(hero).part != "out" and hero != rests for hero in fight.heroes)


class InIt(NamedTuple):
    """All that the odds need to know of a character; quicker to look up than a fighter with all its faces."""

    hero: str
    health: int
    hit: int
    side: Side | None
    out: bool


def _in_it(state: State, fight: Fight, hero: str) -> InIt:
    out = fight.stance(hero).part == "out"
    return InIt(hero, state.hero(hero).health, fight.hit(hero), fight.sides.get(hero), out)


@lru_cache(512)  # the fights of some hundred tables as they stand, for those who look again
def _weighed(
    dice: Counts, team: tuple[InIt, ...], cap: int, damage: int, options: tuple[str, ...]
) -> Mapping[str, Odds]:
    heroes = [each.hero for each in team]
    places = tuple([heroes.index(each) if each else None for each in options])
    found = weigh(dice, tuple([_fighter(each, cap) for each in team]), damage, places)
    return dict(zip(options, found, strict=True))


def _fighter(each: InIt, cap: int) -> Fighter:
    known = Roll(symbols(each.side), each.side.block, 1.0) if each.side else None
    return Fighter(die(each.hero), each.health, cap, each.hit, known, each.out)


# --- as a picture ---


RECKONED = (
    "Exactly, over every face. The forecast takes it that nobody rests after this round, "
    "and that no items are used."
)
HOW = Fold("policy", "How is that reckoned?", (Note("policy-words", RECKONED),))


class Chance(NamedTuple):
    """One choice of who rests, as a picture."""

    id: str
    tap: Tap  # chooses it
    who: str
    clear: int  # per cent, the height of its bar
    survive: int
    clear_words: str
    survive_words: str
    hurt: str


def odds_board(state: State, fight: Fight) -> tuple[Piece, ...]:
    found = weighed(state)
    if not found:
        return ()
    chances = tuple([_chance(state, fight, rests, odds) for rests, odds in found.items()])
    now = found.get(fight.rests)
    mean = (Note("castle-mean", _mean(state, fight, now)),) if now else ()
    return Own("castle-odds", "odds", chances), *mean, HOW


def _mean(state: State, fight: Fight, odds: Odds) -> str:
    hurt = [f"{state.who(hero)} {n:.1f}" for hero, n in zip(fight.heroes, odds.damage, strict=True)]
    return f"{odds.removed:.1f} dice fall on average; damage {', '.join(hurt)}"


def _chance(state: State, fight: Fight, rests: str, odds: Odds) -> Chance:
    who = state.who(rests) if rests else "All fight"
    label = f"{capital(who)} rests" if rests else who
    clear, survive = per_cent(odds.clear), per_cent(odds.survive)
    chances = f"{clear} % to clear it this round, {survive} % that all survive the fight"
    chosen = fight.rests == rests
    return Chance(
        f"chance-{rests or 'none'}",
        Tap(
            f"{label}: {chances}.",
            None if chosen else _choose(state, fight, rests),
            on=chosen,
            seat=state.table.seat(state.hero(rests).seat) if rests else None,
        ),
        who,
        round(100 * odds.clear),
        round(100 * odds.survive),
        clear,
        survive,
        f"−{sum(odds.damage):.1f}",
    )


def _choose(state: State, fight: Fight, rests: str) -> Do:
    """One tap changes who rests, where that is still open."""
    hero = state.hero(rests or fight.rests)
    args: dict[str, str | int] = {"seat": hero.seat, "hero": hero.id, "round": fight.round}
    if rests and fight.rests:
        return Do("let_rest", args)
    return Do("take_part", {**args, "part": "rest" if rests else "fight"})


def per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    if 0.995 < chance < 1 - 1e-9:
        return ">99"
    return str(round(100 * chance))
