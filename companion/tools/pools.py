"""Pools of dice: what one throw may give, what things make of a die, and what a round of a fight may bring.

A die shows symbols of up to three kinds, which take away as many of what is needed, and maybe a shield.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

Counts = tuple[int, int, int]  # of each kind, by its place
Some = tuple[int, ...]  # some of the fighters
NONE: Counts = (0, 0, 0)


class Roll(NamedTuple):
    """What one throw may give: symbols, whether they block, and how likely that is."""

    symbols: Counts
    block: bool
    chance: float = 1.0

    def both(self, other: Roll) -> Roll:
        """What two dice show together."""
        a, b, c = map(sum, zip(self.symbols, other.symbols, strict=True))
        return Roll((a, b, c), self.block or other.block, self.chance * other.chance)

    def gain(self, dice: Counts) -> int:
        """What it takes of these dice, a shield being worth one of them."""
        return sum(map(min, self.symbols, dice)) + self.block


Die = tuple[Roll, ...]


def merged(rolls: Iterable[Roll]) -> Die:
    """What shows the same is one."""
    chances: dict[tuple[Counts, bool], float] = defaultdict(float)
    for roll in rolls:
        chances[roll.symbols, roll.block] += roll.chance
    return tuple([Roll(*face, chance) for face, chance in chances.items()])


@lru_cache(10_000)  # so few dice show few different things
def less(dice: Counts, symbols: Counts) -> Counts:
    (a, b, c), (x, y, z) = dice, symbols
    return a - x if a > x else 0, b - y if b > y else 0, c - z if c > z else 0


def without(dice: tuple[str, ...], taken: Iterable[str]) -> tuple[str, ...]:
    """What is left of dice that go by their names."""
    left = list(dice)
    for each in taken:
        left.remove(each)
    return tuple(left)


def spread(faces: Sequence[int]) -> Mapping[int, float]:
    """How likely it is what a die counts, by what each face does."""
    return {worth: faces.count(worth) / len(faces) for worth in {*faces}}


def again_for_nothing(now: Mapping[int, float], die: Mapping[int, float]) -> Mapping[int, float]:
    """Once more with the die, where it came to nothing."""
    again = now.get(0, 0.0)
    return {n: now.get(n, 0.0) * (n > 0 or not again) + again * die.get(n, 0.0) for n in {*now, *die}}


def sums(dice: Iterable[Mapping[int, float]]) -> Mapping[int, float]:
    """What dice that count come to together, and how likely that is."""
    found = {0: 1.0}
    for die in dice:
        more: dict[int, float] = defaultdict(float)
        for (so_far, p), (worth, q) in product(found.items(), die.items()):
            more[so_far + worth] += p * q
        found = more
    return found


def per_cent(chance: float) -> str:
    """Never 0 or 100 for what is not certain."""
    if 0 < chance < 0.005:
        return "<1"
    return ">99" if 0.995 < chance < 1 - 1e-9 else str(round(100 * chance))


# --- rolled again: whoever may does so as a glance at the dice that are needed tells ---


def _times(chance: float, faces: Die) -> Iterator[Roll]:
    return (each._replace(chance=chance * each.chance) for each in faces)


@lru_cache(256)
def lucky(faces: Die, dice: Counts) -> Die:
    """Once more where it would neither take a die nor block; the new roll counts."""
    return merged(each for one in faces for each in ([one] if one.gain(dice) else _times(one.chance, faces)))


def better_of(faces: Die, dice: Counts, kind: int | None = None) -> Die:
    """Of two rolls the one counts that takes more; where a kind is said, only what shows that is repeated."""

    def rolls() -> Iterator[Roll]:
        for one in faces:
            if kind is not None and not one.symbols[kind]:
                yield one
                continue
            for other in _times(one.chance, faces):
                better = other.gain(dice) > one.gain(dice)
                yield other if better else one._replace(chance=other.chance)

    return merged(rolls())


def again_after_a_hit(faces: Die, dice: Counts) -> Die:
    """Both count."""
    hits = [(one, any(map(min, one.symbols, dice))) for one in faces]
    return merged(each for one, hit in hits for each in (map(one.both, faces) if hit else [one]))


# --- who fights, and what the coming round may bring ---

Life = tuple[int, tuple[int, ...], int]  # health, what each food heals, blows that can be avoided


class Fighter(NamedTuple):
    die: Die
    health: int
    cap: int
    hit: int  # what the coming round costs without a shield
    usual: int  # and every round after it
    known: Roll | None = None  # the die lies on the table already
    lucky: Die = ()  # in the coming round only
    food: tuple[int, ...] = ()
    evades: int = 0
    gives: int = 0  # health that a shield brings

    @property
    def first(self) -> Die:
        """What the coming round may bring."""
        return (self.known,) if self.known else self.lucky or self.die

    @property
    def plain(self) -> bool:
        """Whether the coming round is like any other."""
        return not self.known and not self.lucky and self.hit == self.usual

    @property
    def now(self) -> Life:
        return self.health, self.food, self.evades

    def struck(self, life: Life, blow: int) -> Life | None:
        """Eaten and avoided only when the blow would kill."""
        health, food, evades = life
        while health <= blow and food:
            health, food = health + food[0], food[1:]
        if health > blow:
            return health - blow, food, evades
        return (health, food, evades - 1) if evades else None

    def healed(self, life: Life, by: int) -> Life:
        return min(self.cap, life[0] + by), *life[1:]

    def bearable(self, life: Life | None) -> int:
        """Hits, as long as this one lives; less than none for the dead."""
        return 1 + self.bearable(self.struck(life, self.usual)) if life else -1

    @property
    def unhurt(self) -> int:
        return self.bearable(self.now)

    @property
    def rested(self) -> int:
        """Hits that are bearable after a rest in the coming round."""
        return self.bearable(self.healed(self.now, 1))

    @property
    def after_hit(self) -> int:
        """Hits that are bearable after that of the coming round."""
        return self.bearable(self.struck(self.now, self.hit))


class ComingRound:
    """The next throw of all who fight. It remembers: the choices of who rests have most of it in common."""

    def __init__(self, dice: Counts, team: tuple[Fighter, ...]) -> None:
        self.dice, self.team = dice, team
        self._left = cache(self._find_left)

    def clear(self, rests: int | None) -> float:
        return min(1.0, self._left(self._others(rests)).get(NONE, 0.0))

    def damage(self, rests: int | None) -> list[float]:
        """Without a shield, and only if something is left standing to hit back."""
        hurt = [0.0] * len(self.team)
        for at in self._others(rests):
            left, first = self._left(self._others(at, rests)).items(), self.team[at].first
            bare = [(each.symbols, each.chance) for each in first if not each.block]
            hits = [p * q for dice, p in left for symbols, q in bare if less(dice, symbols) != NONE]
            hurt[at] = self.team[at].hit * sum(hits)
        return hurt

    def _others(self, *without: int | None) -> Some:
        return tuple([at for at in range(len(self.team)) if at not in without])

    def _find_left(self, who: Some) -> Mapping[Counts, float]:
        """What may be left of the dice when these have rolled, and how likely that is."""
        if not who:
            return {self.dice: 1.0}
        found: dict[Counts, float] = defaultdict(float)
        for dice, so_far in self._left(who[1:]).items():
            for symbols, _, chance in self.team[who[0]].first:
                found[less(dice, symbols)] += so_far * chance
        return found
