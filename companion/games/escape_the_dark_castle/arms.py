"""What items make of a die, for the odds: whoever carries one uses it as a glance at the enemy's dice tells.

Of two rolls the one counts that takes more of the dice as they lie there now, a BLOCK being worth one of
them. So each die can be weighed by itself, round after round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.games.escape_the_dark_castle.box import Effect
from companion.games.escape_the_dark_castle.combat import ORDER, Counts, Die, Roll, die, merged

ONE_OF_EACH: tuple[Counts, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
Gear = tuple[Effect, ...]


@lru_cache(256)
def armed(hero: str, gear: Gear, dice: Counts) -> Die:
    """The hero's die with all that changes it in every round; nothing if nothing does."""
    does = {each.does for each in gear}
    faces = tuple(map(_twofold, die(hero))) if "singles" in does else die(hero)
    for each in gear:
        if each.does == "again":
            faces = merged(_again(faces, each.trait, dice))
    if "chapter-die" in does:
        faces = merged(_both(one, Roll(symbols, False, 1 / 3)) for one in faces for symbols in ONE_OF_EACH)
    if "twice" in does:
        faces = merged(_twice(faces, dice))
    return faces if faces != die(hero) else ()


@lru_cache(256)
def lucky(faces: Die, dice: Counts) -> Die:
    """Rolled again where it would neither take a die nor block; the new roll counts."""
    return merged(
        each for one in faces for each in ([one] if _gain(one, dice) else _times(one.chance, faces))
    )


def _gain(roll: Roll, dice: Counts) -> int:
    return sum(map(min, roll.symbols, dice)) + roll.block


def _twofold(roll: Roll) -> Roll:
    one, two, three = (min(2, 2 * symbols) for symbols in roll.symbols)
    return roll._replace(symbols=(one, two, three))


def _times(chance: float, faces: Die) -> Iterator[Roll]:
    return (each._replace(chance=chance * each.chance) for each in faces)


def _again(faces: Die, trait: str, dice: Counts) -> Iterator[Roll]:
    for one in faces:
        if trait and not one.symbols[ORDER.index(trait)]:
            yield one
            continue
        for other in _times(one.chance, faces):
            better = _gain(other, dice) > _gain(one, dice)
            yield other if better else one._replace(chance=other.chance)


def _twice(faces: Die, dice: Counts) -> Iterator[Roll]:
    """Once more after a hit; both count."""
    for one in faces:
        hit = any(map(min, one.symbols, dice))
        yield from [_both(one, other) for other in faces] if hit else [one]


def _both(one: Roll, other: Roll) -> Roll:
    a, b, c = map(sum, zip(one.symbols, other.symbols, strict=True))
    return Roll((a, b, c), one.block or other.block, one.chance * other.chance)


def drunk(gear: Gear, trait: str) -> int:
    """How many dice of this trait potions take away, any time."""
    return sum(each.counts_as(trait) for each in gear)
