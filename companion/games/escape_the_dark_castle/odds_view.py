"""The odds of a fight as everybody sees them: for each choice of who rests, or of the round that is on."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from companion.core import Fold, Note, Own, Piece, Seat, Tap, capital, kept_on
from companion.games.escape_the_dark_castle.box import REST_FIRST, SAID, Effect, character, shielded
from companion.games.escape_the_dark_castle.fight import why_no_rest
from companion.games.escape_the_dark_castle.state import Hero, State
from companion.games.escape_the_dark_castle.throws import ORDER, Fight, Lot
from companion.tools import pools
from companion.tools.odds import Odds, coming, weigh
from companion.tools.pools import Counts, Die, Fighter, Roll, per_cent

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


def odds_of(state: State, fight: Fight, led: Iterable[tuple[Hero, Seat]]) -> tuple[Piece, ...]:
    """Nothing to weigh when no die is left, or where nobody would fight.

    Before the first roll a table could change its mind about who rests; "" is nobody. The whole fight is
    weighed for that choice. Once it is made a roll is about this round alone, and the forecast waits for its
    end.
    """
    if state.fallen or not fight.lacks:
        return ()
    lots, gear, about = fight.lots, fight.gear, (fight.damage, state.cap)
    heroes = [hero for hero, _ in led if lots[hero.id].stance.part != "out"]
    there = [hero.id for hero in heroes]
    rests, options = fight.rests if fight.sides else "", _options(state, fight)
    carried = [each for hero in there if hero != rests for each in gear.get(hero, ())]
    drunk = [each.trait for each in carried if each.does == "remove"]  # potions take their dice away
    might, cunning, wisdom = [max(0, n - drunk.count(id)) for id, n in fight.stock.items()]
    dice = might, cunning, wisdom
    team = tuple([_fighter(hero, lots[hero.id], gear.get(hero.id, ()), *about, dice) for hero in heroes])
    places = tuple([there.index(hero) if hero else None for hero in options])
    if fight.sides and len(options) == 1:
        clear, hurt = coming(dice, team, *places)
        words = f"{per_cent(clear)} % to clear it this round, −{hurt:.1f} health on average."
        return (Note("castle-mean", words),)
    found = dict(zip(options, weigh(dice, team, places), strict=True))
    chances = tuple([_chance(state, fight, *choice) for choice in found.items()])
    how = WITHOUT if any(fight.has(hero, "ward") for hero in there) else HOW
    return Own("castle-odds", "odds", chances), how


def _options(state: State, fight: Fight) -> list[str]:
    """Who may rest, with whoever does; nobody else once a die lies there, unless the table says so."""
    if fight.sides and (fight.rests or REST_FIRST.chosen(state.table) == "round"):
        return [fight.rests]
    free = fight.with_stance(fight.rests, part="fight") if fight.rests else fight
    return ["", *[hero for hero in free.fighting if not why_no_rest(state, free, hero)]]


def _counts(*symbols: tuple[str, int]) -> Counts:
    """Trait by trait."""
    might, cunning, wisdom = (sum([n for each, n in symbols if each == trait]) for trait in ORDER)
    return might, cunning, wisdom


@lru_cache(256)
def die(hero: str, gear: tuple[Effect, ...] = (), dice: Counts = pools.NONE) -> Die:
    """The character's, with all that items change about it in every round."""
    sides, does = character(hero).sides, {each.does for each in gear}
    chances = {side: sides.count(side) / len(sides) for side in sides}
    worth = {side: (side.trait, 2 if "singles" in does else side.count) for side in sides}
    faces = tuple([Roll(_counts(worth[side]), side.block, chances[side]) for side in chances])
    for each in gear:
        if each.does == "again":
            faces = pools.better_of(faces, dice, ORDER.index(each.trait) if each.trait else None)
    if "chapter-die" in does:
        others = [Roll(_counts((trait, 1)), False, 1 / 3) for trait in ORDER]
        faces = pools.merged(one.both(other) for one in faces for other in others)
    return pools.again_after_a_hit(faces, dice) if "twice" in does else faces


@kept_on
def _fighter(hero: Hero, lot: Lot, gear: tuple[Effect, ...], damage: int, cap: int, dice: Counts) -> Fighter:
    armed = die(hero.id, gear, dice)
    known = Roll(_counts(*lot.symbols), lot.blocks) if lot.side else None
    does = [each.does for each in gear]
    luck = pools.lucky(armed, dice) if "luck" in does and not known else ()
    food, gives = (tuple([each.amount for each in gear if each.does == what]) for what in ("heal", "give"))
    life, blow = (hero.health, cap), (lot.hit, shielded(gear, damage))
    return Fighter(armed, *life, *blow, known, luck, food, does.count("evade"), sum(gives))


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
