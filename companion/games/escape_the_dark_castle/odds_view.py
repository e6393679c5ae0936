"""The odds of a fight as everybody sees them: for each choice of who rests, or of the round that is on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from companion.core import Tap
from companion.core.pieces import Fold, Note, Own, Piece
from companion.core.text import capital
from companion.games.escape_the_dark_castle.arms import armed, drunk, lucky
from companion.games.escape_the_dark_castle.box import SAID
from companion.games.escape_the_dark_castle.combat import ORDER, Counts, Fight, Fighter, Roll, die
from companion.games.escape_the_dark_castle.fight import why_no_rest
from companion.games.escape_the_dark_castle.odds import Odds, coming, weigh
from companion.games.escape_the_dark_castle.state import State

RECKONED, AXE = SAID["reckoned"]["usual"], SAID["reckoned"]["axe"]
HOW = Fold("policy", "How is that reckoned?", (Note("policy-words", RECKONED),))
WITHOUT = Fold("policy", "Reckoned without the Golden Axe", (Note("policy-words", RECKONED + AXE),))


class Chance(NamedTuple):
    """One choice of who rests, as a picture."""

    tap: Tap  # chooses it
    clear: int  # per cent, the height of its bar
    survive: int
    clear_words: str
    survive_words: str


def odds_of(state: State, fight: Fight) -> Iterator[Piece]:
    """Nothing to weigh when no die is left, or where nobody would fight.

    Before the first roll a table could change its mind about who rests; "" is nobody. The whole fight is
    weighed for that choice. Once it is made a roll is about this round alone, and the forecast waits for its
    end.
    """
    there = [hero for hero in fight.heroes if fight.stance(hero).part != "out"]
    free = fight.with_stance(fight.rests, part="fight") if fight.rests else fight
    options = ["", *(hero for hero in free.fighting if not why_no_rest(state, free, hero))]
    options = [fight.rests] if fight.rests and fight.sides else options
    if not there or state.fallen or not fight.lacks():
        return
    dice = _ahead(fight, there)
    team = tuple([_fighter(state, fight, hero, dice) for hero in there])
    places = tuple([there.index(hero) if hero else None for hero in options])
    if fight.sides and len(options) == 1:
        clear, hurt = coming(dice, team, *places)
        words = f"{per_cent(clear)} % to clear it this round, −{hurt:.1f} health on average."
        yield Note("castle-mean", words)
        return
    found = dict(zip(options, weigh(dice, team, places), strict=True))
    yield Own("castle-odds", "odds", tuple([_chance(state, fight, *choice) for choice in found.items()]))
    yield WITHOUT if any(fight.has(hero, "ward") for hero in there) else HOW


def _ahead(fight: Fight, there: list[str]) -> Counts:
    """The dice that have to be rolled for: potions take theirs away."""
    able = [hero for hero in there if hero != fight.rests or not fight.sides]
    gear = [each for hero in able for each in fight.gear.get(hero, ())]
    might, cunning, wisdom = (max(0, n - drunk(tuple(gear), each)) for each, n in fight.stock.items())
    return might, cunning, wisdom


def _fighter(state: State, fight: Fight, id: str, dice: Counts) -> Fighter:
    hero, gear, known = state.hero(id), fight.gear.get(id, ()), None
    usual, with_it = fight.less(id, fight.damage), armed(id, gear, dice)
    if id in fight.sides:
        might, cunning, wisdom = (sum(n for each, n in fight.symbols(id) if each == trait) for trait in ORDER)
        known = Roll((might, cunning, wisdom), fight.blocks(id), 1.0)
    has_luck = any(each.does == "luck" for each in gear)
    luck = lucky(with_it or die(id), dice) if has_luck and not known else ()
    food, gives = (tuple([each.amount for each in gear if each.does == does]) for does in ("heal", "give"))
    blow, evades = fight.hit(id), sum(each.does == "evade" for each in gear)
    return Fighter(id, hero.health, state.cap, blow, usual, known, with_it, luck, food, evades, sum(gives))


def _chance(state: State, fight: Fight, rests: str, odds: Odds) -> Chance:
    who = capital(state.who(rests)) if rests else "none"
    clear, survive = per_cent(odds.clear), per_cent(odds.survive)
    chosen, seat = fight.rests == rests, state.seat(state.hero(rests)) if rests else None
    words = f"{clear} % to clear it this round, {survive} % that all survive the fight."
    do = state.hero(rests).does("let_rest", round=fight.round) if rests else None
    if fight.rests and not rests:
        do = state.hero(fight.rests).does("take_part", round=fight.round, part="fight")
    cost, id = f"−{sum(odds.damage):.1f}", f"chance-{rests or 'none'}"
    tap = Tap(words, None if chosen else do, cost, on=chosen, seat=seat, id=id, short=who)
    return Chance(tap, round(100 * odds.clear), round(100 * odds.survive), clear, survive)


def per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    return ">99" if 0.995 < chance < 1 - 1e-9 else str(round(100 * chance))
