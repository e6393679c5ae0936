"""Chances in a fight, exact. Knows dice and health, no table.

One round: every face of every die, weighed. The whole fight: a trait is done when the symbols rolled so far
reach its dice, whatever the order, since what is left over is lost. So "cleared by round t" asks only for
sums, and the dice of different characters are independent: each one's rolls are added up with its hits,
and only then are the characters put together. Sums below a bound are cheap to add; "at least n of each trait"
follows from them by inclusion and exclusion.

The forecast assumes that after the coming round all go on as they are and nobody rests. It stops when what
is still undecided is less than `SMALL`, which is then its whole error: a hundredth of a per cent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import add, itemgetter, mul

SMALL = 1e-4
MOST_ROUNDS = 200
LOOK = 3  # rounds between two looks at what is still undecided

Counts = tuple[int, int, int]  # Might, Cunning, Wisdom
Sums = list[float]
Choices = tuple[int | None, ...]  # who rests


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
        self._step = (sizes[1] * sizes[2], sizes[2])
        self._sizes = sizes
        self.any = self.size - 1
        #: What each sum is worth if nothing follows: at least as many symbols as dice of every trait, by
        #: inclusion and exclusion of too few.
        self.cleared = [
            float((-1) ** sum(x < n for x, n in zip(at, dice, strict=True))) for at in self._places()
        ]
        pairs = [[*((a, b, a + b) for a in range(n) for b in range(n - a)), (n, n, n)] for n in dice]
        index = self._index
        self._triples = [
            (index((a, d, g)), index((b, e, h)), index((c, f, i)))
            for a, b, c in pairs[0]
            for d, e, f in pairs[1]
            for g, h, i in pairs[2]
        ]
        self._picks: dict[Counts, Callable[[Sums], tuple[float, ...]]] = {}
        self.nothing = self._none()

    def _places(self) -> Iterator[Counts]:
        for a in range(self._sizes[0]):
            for b in range(self._sizes[1]):
                for c in range(self._sizes[2]):
                    yield a, b, c

    def _index(self, at: Counts) -> int:
        return at[0] * self._step[0] + at[1] * self._step[1] + at[2]

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

    def throw(self, die: tuple[Roll, ...], sums: Sums) -> Sums:
        """What these sums become, whichever of the faces comes up."""
        beyond = [*sums, 0.0]
        likely = {chance: [chance * each for each in beyond] for chance in {roll.chance for roll in die}}
        thrown = [0.0] * self.size
        for roll in die:
            thrown = list(map(add, thrown, self._before(roll.symbols)(likely[roll.chance])))
        return thrown

    def add(self, one: Sums, other: Sums) -> Sums:
        sums = [0.0] * self.size
        for here, there, both in self._triples:
            sums[both] += one[here] * other[there]
        return sums

    def worth(self, other: Sums, both_worth: Sums) -> Sums:
        """What each sum is worth together with these others, if so much is what both come to."""
        worth = [0.0] * self.size
        for here, there, both in self._triples:
            worth[here] += other[there] * both_worth[both]
        return worth


grid = lru_cache(64)(Grid)


class Rolls:
    """Roll after roll of one die: the sums with at most 0, 1, 2 … hits taken. No BLOCK is a hit."""

    def __init__(self, dice: Counts, die: tuple[Roll, ...], bearable: int) -> None:
        self._grid, self._bearable = grid(dice), bearable
        self._blocks, self._bare = _parted(die)
        self._after: list[list[Sums]] = [[self._grid.nothing]]

    def after(self, number: int, hits: int) -> Sums:
        while len(self._after) <= number:
            self._after.append(self._once_more(self._after[-1]))
        at_most = self._after[number]
        return at_most[min(hits, len(at_most) - 1)]

    def _once_more(self, before: list[Sums]) -> list[Sums]:
        blocked = [self._grid.throw(self._blocks, each) for each in before]
        hit = [self._grid.throw(self._bare, each) for each in before[: self._bearable]]
        blocked.append(blocked[-1])  # as many hits as there were rolls are all there can be
        more = zip(blocked[1:], hit, strict=False)
        return [blocked[0], *(list(map(add, one, other)) for one, other in more)]


def _parted(die: tuple[Roll, ...]) -> tuple[tuple[Roll, ...], tuple[Roll, ...]]:
    """Faces that block, and those that do not."""
    return tuple(roll for roll in die if roll.block), tuple(roll for roll in die if not roll.block)


rolls = lru_cache(16)(Rolls)  # up to 2 MB each: four characters, the dice that are left, and those before


class Course:
    """One fighter through a fight: the coming round as it may go, then blow after blow."""

    def __init__(self, dice: Counts, fighter: Fighter, damage: int, rests: bool) -> None:
        self._grid, self._damage = grid(dice), damage
        self._fighter, self._rests = fighter, rests
        self._health = min(fighter.cap, fighter.health + 1) if rests else fighter.health
        self._rolls = rolls(dice, fighter.die, (fighter.cap - 1) // damage)
        self._as_ever = fighter.known is None and fighter.hit == damage  # the coming round is like any other

    def alive(self, rounds: int) -> Sums:
        """The sums after so many rounds, at least one, if this fighter still stands."""
        if self._fighter.out:
            return self._grid.nothing
        if self._rests:
            return self._standing(rounds - 1, self._health)
        if self._as_ever:
            return self._standing(rounds, self._health)
        blocks, bare = _parted(_first(self._fighter))
        sums = self._grid.throw(blocks, self._standing(rounds - 1, self._health))
        left = self._health - self._fighter.hit
        if left <= 0:
            return sums
        return list(map(add, sums, self._grid.throw(bare, self._standing(rounds - 1, left))))

    def _standing(self, rounds: int, health: int) -> Sums:
        """Those rolls whose hits leave at least one point."""
        return self._rolls.after(rounds, (health - 1) // self._damage)


class Together:
    """All fighters after so many rounds, for each choice of who rests.

    They are put together in two halves, so that a choice changes one half only.
    """

    def __init__(self, g: Grid, stood: list[Sums], rested: dict[int, Sums], choices: Choices) -> None:
        self._grid = g
        middle = (len(stood) + 1) // 2
        halves = [stood[:middle], stood[middle:]]
        self._whole = [self._product(half) for half in halves]
        self._of: dict[int | None, tuple[int, Sums]] = {}
        for choice in choices:
            side = 0 if choice is None or choice < middle else 1
            sums = self._whole[side]
            if choice is not None:
                place = choice - middle * side
                sums = self._product([*halves[side][:place], rested[choice], *halves[side][place + 1 :]])
            self._of[choice] = side, sums

    def _product(self, each: list[Sums]) -> Sums:
        sums = each[0] if each else self._grid.nothing
        for one in each[1:]:
            sums = self._grid.add(sums, one)
        return sums

    def worth(self, what: Sums) -> dict[int | None, float]:
        """What they come to, where each sum is worth so much."""
        sides = {side for side, _ in self._of.values()}
        facing = {side: self._grid.worth(self._whole[1 - side], what) for side in sides}
        return {choice: sum(map(mul, sums, facing[side])) for choice, (side, sums) in self._of.items()}

    def undecided(self) -> float:
        """The most that is still open for any choice: all stand, and not all is cleared."""
        cleared, end = self.worth(self._grid.cleared), self._grid.any
        return max(
            sums[end] * self._whole[1 - side][end] - cleared[choice]
            for choice, (side, sums) in self._of.items()
        )


@lru_cache(512)
def weigh(dice: Counts, fighters: tuple[Fighter, ...], damage: int, choices: Choices) -> tuple[Odds, ...]:
    """The odds for each choice of who rests: nobody (None) or one of the fighters by place."""
    survive = _survive(dice, fighters, damage, choices)
    return tuple(
        Odds(
            choice,
            _cleared(dice, [_first(fighters[at]) for at in _fighting(fighters, choice)]),
            _removed(dice, fighters, choice),
            _damage(dice, fighters, choice),
            survive[choice],
        )
        for choice in choices
    )


def _survive(
    dice: Counts, fighters: tuple[Fighter, ...], damage: int, choices: Choices
) -> dict[int | None, float]:
    """A round is won by those who stood before it: nobody is hit in the round that clears the last die."""
    g = grid(dice)
    usual = [Course(dice, each, damage, rests=False) for each in fighters]
    resting = {r: Course(dice, fighters[r], damage, rests=True) for r in choices if r is not None}
    attack = g.nothing
    for each in fighters:
        if not each.out:
            attack = g.add(attack, g.throw(each.die, g.nothing))
    won_now = [after - before for after, before in zip(g.worth(attack, g.cleared), g.cleared, strict=True)]
    survive = {
        choice: _cleared(dice, [_first(fighters[at]) for at in _fighting(fighters, choice)])
        for choice in choices
    }
    for rounds in range(1, MOST_ROUNDS):
        alive = {r: each.alive(rounds) for r, each in resting.items()}
        together = Together(g, [each.alive(rounds) for each in usual], alive, choices)
        for choice, chance in together.worth(won_now).items():
            survive[choice] += chance
        if rounds % LOOK == 0 and together.undecided() < SMALL:
            break
    return {choice: min(1.0, max(0.0, chance)) for choice, chance in survive.items()}


# --- the coming round ---


def _first(fighter: Fighter) -> tuple[Roll, ...]:
    return (fighter.known,) if fighter.known else fighter.die


def _fighting(fighters: tuple[Fighter, ...], choice: int | None) -> list[int]:
    return [at for at, each in enumerate(fighters) if not each.out and at != choice]


def _cleared(dice: Counts, throws: list[tuple[Roll, ...]]) -> float:
    """The chance that one throw of each leaves no die."""
    left = {dice: 1.0}
    for die in throws:
        after: dict[Counts, float] = {}
        for (might, cunning, wisdom), chance in left.items():
            for roll in die:
                m, c, w = roll.symbols
                key = max(0, might - m), max(0, cunning - c), max(0, wisdom - w)
                after[key] = after.get(key, 0.0) + chance * roll.chance
        left = after
    return min(1.0, left.get((0, 0, 0), 0.0))


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


def _damage(dice: Counts, fighters: tuple[Fighter, ...], choice: int | None) -> tuple[float, ...]:
    """Without a BLOCK, and only if something is left standing to hit back."""
    fighting = _fighting(fighters, choice)
    found = [0.0] * len(fighters)
    for at in fighting:
        _, bare = _parted(_first(fighters[at]))
        others = [_first(fighters[each]) for each in fighting if each != at]
        hit = sum(roll.chance for roll in bare) - _cleared(dice, [bare, *others])
        found[at] = fighters[at].hit * max(0.0, hit)
    return tuple(found)
