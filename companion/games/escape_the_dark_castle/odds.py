"""Chances in a fight, exact. Knows dice and health, no table.

One round: every face of every die, weighed. The whole fight: a trait is done when the symbols rolled so far
reach its dice, whatever the order, since what is left over is lost. So "cleared by round t" asks only for
sums, and the dice of different characters are independent: each one's rolls are added up with its hits,
and only then are the characters put together. Sums below a bound are cheap to add; "at least n of each trait"
follows from them by inclusion and exclusion.

The forecast assumes that after the coming round all go on as they are and nobody rests. It stops when what
is still undecided is less than `SMALL`, which is then its whole error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter, mul

SMALL = 1e-6
MOST_ROUNDS = 200
MOST_HITS = 17  # that the healthiest can bear

Counts = tuple[int, int, int]  # Might, Cunning, Wisdom
Sums = list[float]


@dataclass(frozen=True)
class Roll:
    """What one throw may give: symbols, whether they block, and how likely that is."""

    symbols: Counts
    block: bool
    chance: float


@dataclass(frozen=True)
class Fighter:
    die: tuple[Roll, ...]
    health: int
    cap: int
    hit: int  # what the coming round costs without a BLOCK
    known: Roll | None = None  # the die lies on the table already
    out: bool = False  # takes no part at all, as in a duel


@dataclass(frozen=True)
class Odds:
    """One choice of who rests in the coming round."""

    rests: int | None  # which fighter
    clear: float
    removed: float
    damage: tuple[float, ...]  # expected, for each fighter
    survive: float  # everybody, to the end of the fight


class Grid:
    """Sums of symbols below each trait's dice, and one more place that stands for "however many"."""

    def __init__(self, dice: Counts) -> None:
        self.dice = dice
        sizes = [each + 1 for each in dice]
        self.size = sizes[0] * sizes[1] * sizes[2]
        self._step = (sizes[1] * sizes[2], sizes[2], 1)
        self._sizes = sizes
        self.any = self.size - 1
        places = list(self._places())
        self.signs = [float((-1) ** sum(x < n for x, n in zip(at, dice, strict=True))) for at in places]
        pairs = [[*((a, b, a + b) for a in range(n) for b in range(n - a)), (n, n, n)] for n in dice]
        index = self._index
        self.triples = [
            (index((a, d, g)), index((b, e, h)), index((c, f, i)))
            for a, b, c in pairs[0]
            for d, e, f in pairs[1]
            for g, h, i in pairs[2]
        ]
        self.signed = [(here, there, self.signs[both]) for here, there, both in self.triples]
        self._picks: dict[Counts, Callable[[Sums], tuple[float, ...]]] = {}
        self.nothing = self._none()

    def _places(self) -> Iterator[Counts]:
        for a in range(self._sizes[0]):
            for b in range(self._sizes[1]):
                for c in range(self._sizes[2]):
                    yield a, b, c

    def _index(self, at: Counts) -> int:
        return sum(x * step for x, step in zip(at, self._step, strict=True))

    def _none(self) -> Sums:
        """Certainly no symbols: zero is below every bound there is, and among "however many"."""
        sums = [0.0] * self.size
        for at in self._places():
            if all(x in (0, n) for x, n in zip(at, self.dice, strict=True)):
                sums[self._index(at)] = 1.0
        return sums

    def _before(self, symbols: Counts) -> Callable[[Sums], tuple[float, ...]]:
        """Picks, for each place, what stood where these symbols brought it from; beyond the end stands 0."""
        if symbols not in self._picks:
            sources = [self.size] * self.size
            for at in self._places():
                to = [n if x == n else x + s for x, s, n in zip(at, symbols, self.dice, strict=True)]
                if all(x == n or y < n for x, y, n in zip(at, to, self.dice, strict=True)):
                    sources[self._index((to[0], to[1], to[2]))] = self._index(at)
            self._picks[symbols] = itemgetter(*sources)
        return self._picks[symbols]

    def throw(self, into: Sums, roll: Roll, sums: Sums) -> Sums:
        chance = roll.chance
        came = self._before(roll.symbols)([*sums, 0.0])
        return [there + chance * here for there, here in zip(into, came, strict=True)]

    def add(self, one: Sums, other: Sums) -> Sums:
        sums = [0.0] * self.size
        for here, there, both in self.triples:
            sums[both] += one[here] * other[there]
        return sums

    def facing(self, other: Sums) -> Sums:
        """What each sum is worth against these: multiplied and summed up, the chance that all is cleared.

        At least as many symbols as dice of every trait, by inclusion and exclusion of too few.
        """
        worth = [0.0] * self.size
        for here, there, sign in self.signed:
            worth[here] += sign * other[there]
        return worth


grid = lru_cache(64)(Grid)


@lru_cache(256)
def _rolls(dice: Counts, die: tuple[Roll, ...], number: int) -> tuple[Sums, ...]:
    """After so many rolls: the sums with at most 0, 1, 2 … hits taken (a roll without BLOCK is a hit)."""
    g = grid(dice)
    if number == 0:
        return (g.nothing,)
    before = _rolls(dice, die, number - 1)
    at_most = []
    for hits in range(min(number, MOST_HITS) + 1):
        sums = [0.0] * g.size
        for roll in die:
            allowed = hits if roll.block else hits - 1
            if allowed >= 0:
                sums = g.throw(sums, roll, before[min(allowed, len(before) - 1)])
        at_most.append(sums)
    return tuple(at_most)


class _Course:
    """One fighter through a fight: the coming round as it may go, then blow after blow."""

    def __init__(self, dice: Counts, fighter: Fighter, damage: int, rests: bool) -> None:
        self.grid, self.dice, self.damage = grid(dice), dice, damage
        self.fighter, self.rests = fighter, rests
        idle = Roll((0, 0, 0), True, 1.0)
        self.first = (idle,) if rests or fighter.out else (fighter.known,) if fighter.known else fighter.die
        self.health = min(fighter.cap, fighter.health + 1) if rests else fighter.health

    def alive(self, rounds: int) -> Sums:
        """The sums after so many rounds, if this fighter still stands."""
        if rounds == 0 or self.fighter.out:
            return self.grid.nothing
        later = _rolls(self.dice, self.fighter.die, rounds - 1)
        if self.rests:
            return self._bearable(later, self.health)
        sums = [0.0] * self.grid.size
        for roll in self.first:
            left = self.health - (0 if roll.block else self.fighter.hit)
            if left > 0:
                sums = self.grid.throw(sums, roll, self._bearable(later, left))
        return sums

    def _bearable(self, rolls: tuple[Sums, ...], health: int) -> Sums:
        """Those rolls whose hits leave at least one point."""
        return rolls[min((health - 1) // self.damage, len(rolls) - 1)]

    def attack(self, rounds: int, stood: Sums) -> Sums:
        """The sums after one more attack; nobody is hit before it is seen whether it was the last."""
        if self.fighter.out:
            return stood
        sums = [0.0] * self.grid.size
        for roll in self.first if rounds == 0 else self.fighter.die:
            sums = self.grid.throw(sums, roll, stood)
        return sums

    def bare(self) -> Sums:
        """The coming attack without a BLOCK."""
        sums = [0.0] * self.grid.size
        for roll in self.first:
            if not roll.block:
                sums = self.grid.throw(sums, roll, self.grid.nothing)
        return sums


def _product(g: Grid, each: list[Sums]) -> Sums:
    sums = each[0] if each else g.nothing
    for one in each[1:]:
        sums = g.add(sums, one)
    return sums


@lru_cache(512)
def weigh(
    dice: Counts, fighters: tuple[Fighter, ...], damage: int, choices: tuple[int | None, ...]
) -> tuple[Odds, ...]:
    """The odds for each choice of who rests: nobody (None) or one of the fighters by place."""
    g = grid(dice)
    usual = [_Course(dice, each, damage, rests=False) for each in fighters]
    resting = {r: _Course(dice, fighters[r], damage, rests=True) for r in choices if r is not None}
    clear = dict.fromkeys(choices, 0.0)
    survive = dict.fromkeys(choices, 0.0)
    for rounds in range(MOST_ROUNDS):
        stood = [each.alive(rounds) for each in usual]
        rested = {r: each.alive(rounds) for r, each in resting.items()}
        now = _corners(g, stood, rested, choices)
        then = _corners(
            g,
            [each.attack(rounds, sums) for each, sums in zip(usual, stood, strict=True)],
            {r: each.attack(rounds, rested[r]) for r, each in resting.items()},
            choices,
        )
        for choice in choices:
            survive[choice] += then[choice][0] - now[choice][0]
        if rounds == 0:
            clear = {choice: then[choice][0] for choice in choices}
        elif all(mass - cleared < SMALL for cleared, mass in now.values()):
            break
    return tuple(
        Odds(
            choice,
            _chance(clear[choice]),
            _removed(dice, fighters, choice),
            _damage(g, usual, fighters, choice),
            _chance(survive[choice]),
        )
        for choice in choices
    )


def _corners(
    g: Grid, stood: list[Sums], rested: dict[int, Sums], choices: tuple[int | None, ...]
) -> dict[int | None, tuple[float, float]]:
    """For each choice: the chance that all is cleared (and all stand), and that all stand.

    The fighters are put together in two halves, so that a choice changes one half only.
    """
    middle = (len(stood) + 1) // 2
    halves = [stood[:middle], stood[middle:]]
    whole = [_product(g, half) for half in halves]
    facing = [g.facing(whole[1]), g.facing(whole[0])]
    found: dict[int | None, tuple[float, float]] = {}
    for choice in choices:
        side = 0 if choice is None or choice < middle else 1
        sums = whole[side]
        if choice is not None:
            place = choice - middle * side
            sums = _product(g, [*halves[side][:place], rested[choice], *halves[side][place + 1 :]])
        found[choice] = (sum(map(mul, sums, facing[side])), sums[g.any] * whole[1 - side][g.any])
    return found


def _chance(number: float) -> float:
    return min(1.0, max(0.0, number))


def _first(fighter: Fighter) -> tuple[Roll, ...]:
    return (fighter.known,) if fighter.known else fighter.die


def _fighting(fighters: tuple[Fighter, ...], choice: int | None) -> list[int]:
    return [at for at, each in enumerate(fighters) if not each.out and at != choice]


def _removed(dice: Counts, fighters: tuple[Fighter, ...], choice: int | None) -> float:
    """Trait by trait: the symbols that come up, but never more than there are dice."""
    expected = 0.0
    for trait, there in enumerate(dice):
        sums = {0: 1.0}
        for at in _fighting(fighters, choice):
            more: dict[int, float] = {}
            for roll in _first(fighters[at]):
                for so_far, chance in sums.items():
                    key = min(there, so_far + roll.symbols[trait])
                    more[key] = more.get(key, 0.0) + chance * roll.chance
            sums = more
        expected += sum(number * chance for number, chance in sums.items())
    return expected


def _damage(
    g: Grid, usual: list[_Course], fighters: tuple[Fighter, ...], choice: int | None
) -> tuple[float, ...]:
    """Without a BLOCK, and only if something is left standing to hit back."""
    fighting = _fighting(fighters, choice)
    attacks = {at: usual[at].attack(0, g.nothing) for at in fighting}
    found = [0.0] * len(fighters)
    for at in fighting:
        others = _product(g, [attacks[each] for each in fighting if each != at])
        bare = usual[at].bare()
        found[at] = fighters[at].hit * _chance(bare[g.any] - sum(map(mul, bare, g.facing(others))))
    return tuple(found)
