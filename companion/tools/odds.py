"""Chances in a fight that takes rounds: everybody rolls a die, symbols take away what is needed of each kind,
and whoever shows no shield pays with health. Knows dice and health, no table.

The coming round is weighed face by face (`pools`). The whole fight ends with the last kind that is done, and
the last of three follows from the first of one, of two and of three by inclusion and exclusion. Until the
first of some kinds is done, each of them has too few symbols, in whatever order they came; the other kinds do
not matter. There may be up to three.

How likely "too few" is, is read off a generating function. A point is a number for each kind. There a face
is worth its chance, times that number for each symbol it shows; and rolls, of one character or of several,
are worth their product. The chance is a weighted mean of such products at a few points on small circles. So a
fight comes down to multiplying, point by point, and no table of sums is ever kept.

The forecast assumes that after the coming round all go on as they are and nobody rests. Things that change a
die, a blow, or how many of them can be borne are in it. It stops when what is still undecided
is less than `SMALL`, a ten-thousandth of a per cent; the circles add a tenth of that.
"""

from __future__ import annotations

from cmath import exp, pi
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import accumulate, combinations, product
from math import ceil, prod
from operator import add, mul, sub
from typing import NamedTuple

from companion.tools.pools import NONE, ComingRound, Counts, Die, Fighter, Life, less

SMALL = 1e-6
TINY = 1e-8  # short of certain, and of out of the question
MOST_ROUNDS = 200
ROUNDING = 1e-17  # of the means below; with this and the next, trials show errors of up to a tenth of SMALL
RING = {1: 1.0, 2: 4 / 3, 3: 3 / 2}  # points of a circle for each die, by how many kinds are looked at

Team = tuple[Fighter, ...]
Choices = tuple[int | None, ...]  # who rests
Chances = dict[int | None, float]  # by who rests
Values = list[complex]  # one for each point
#: How a fighter may come out of the coming round: what that is worth, and in which health.
Start = tuple[Values, Life]


@dataclass(frozen=True)
class Odds:
    """One choice of who rests in the coming round."""

    rests: int | None  # which fighter
    clear: float
    damage: list[float]  # expected, for each fighter
    survive: float  # everybody, to the end of the fight


@lru_cache(512)  # the fights of some hundred tables as they stand, for those who look again
def weigh(dice: Counts, team: Team, choices: Choices) -> tuple[Odds, ...]:
    """The odds for each choice of who rests: nobody (None), or by place one who has not rolled."""
    now = ComingRound(dice, team)
    clear = {each: now.clear(each) for each in (None, *choices)}
    survive = _survive(now, clear)
    return tuple([Odds(at, clear[at], now.damage(at), survive[at]) for at in choices])


@lru_cache(512)
def coming(dice: Counts, team: Team, rests: int | None) -> tuple[float, float]:
    """Of the coming round alone: how likely it clears all dice, and what it costs all together on average."""
    now = ComingRound(dice, team)
    return now.clear(rests), sum(now.damage(rests))


# --- points ---


class Worth(NamedTuple):
    """A die at every point: its faces that do not block, those that do, and all."""

    bare: Values
    block: Values
    all: Values


class Points:
    """Where to look at so many kinds at a time, and what weighs how much, to know the chance of too few."""

    def __init__(self, dice: Counts, numbers: tuple[int, ...]) -> None:
        at: list[tuple[complex, ...]] = []
        self.weights: Values = []
        self.signed: Values = []  # for inclusion and exclusion
        self.sets = 0
        there = [kind for kind, number in enumerate(dice) if number]
        for kinds in [each for number in numbers for each in combinations(there, number)]:
            circles = dict(zip(kinds, _circles([dice[kind] for kind in kinds]), strict=True))
            sign = 1 if len(kinds) % 2 else -1
            for point in product(*[circles.get(kind, EVERYWHERE) for kind in range(len(dice))]):
                at.append(tuple([x for x, _ in point]))
                self.weights.append(prod([weight for _, weight in point]))
                self.signed.append(sign * self.weights[-1])
            self.sets += sign
        self.ones: Values = [1.0] * len(at)
        self._by_kind = [list(each) for each in zip(*at, strict=True)]
        self.die, self._shown = cache(self._find_die), cache(self._find_shown)

    def _find_die(self, die: Die) -> Worth:
        bare = self._sum(tuple([roll for roll in die if not roll.block]))
        block = self._sum(tuple([roll for roll in die if roll.block]))
        return Worth(bare, block, list(map(add, bare, block)))

    def _sum(self, rolls: Die) -> Values:
        faces = [[roll.chance * each for each in self._shown(roll.symbols)] for roll in rolls]
        return total(len(self.ones), faces)

    def _find_shown(self, symbols: Counts) -> Values:
        each = [self._by_kind[kind] for kind, number in enumerate(symbols) for _ in range(number)]
        return reduce(times, each, self.ones)


points = lru_cache(32)(Points)  # up to 200 kB each: two for a fight, and two again when dice have gone


def times(one: Values, other: Values) -> Values:
    return list(map(mul, one, other))


def total(points: int, several: list[Values]) -> Values:
    return list(map(sum, zip([0.0] * points, *several, strict=True)))


def mean(weights: Values, values: Values) -> float:
    total: complex = sum(map(mul, weights, values))
    return total.real


Circle = list[tuple[complex, complex]]  # points, and what a value there weighs
EVERYWHERE: Circle = [(1.0, 1.0)]  # where a kind does not matter


def _circles(dice: list[int]) -> list[Circle]:
    """One for each of some kinds.

    The fewer points, the smaller must a circle be, and the more it magnifies the rounding of floats; `error`
    is where both do the same harm. Of one circle a half will do, since the other is its mirror.
    """
    half = next((at for at, n in enumerate(dice) if n > 1), 0)
    sizes = [ceil(n * RING[len(dice)]) for n in dice]
    sizes[half] += sizes[half] % 2
    error = ROUNDING ** (1 / (1 + sum([(n - 1) / size for n, size in zip(dice, sizes, strict=True)])))
    circles = [_circle(n, size, error) for n, size in zip(dice, sizes, strict=True)]
    if dice[half] > 1:
        circles[half] = [(x, 2 * weight) for x, weight in circles[half][: sizes[half] // 2]]
    return circles


def _circle(dice: int, size: int, error: float) -> Circle:
    """For the chance of fewer symbols than dice; that of `size` more gets in too, but only `error` of it."""
    if dice == 1:
        return [(0.0, 1.0)]  # no symbol at all: exact
    found: Circle = []
    for at in range(size):
        x = error ** (1 / size) * exp(1j * pi * (2 * at + 1) / size)
        found.append((x, sum([x**-n for n in range(dice)]) / size))
    return found


# --- the whole fight ---


class Course:
    """One die, blow after blow: what all those rolls are worth whose hits leave at least one point."""

    def __init__(self, die: Worth, fighter: Fighter, starts: list[Start], rounds: int) -> None:
        """Known from so many rounds on; nobody can have fallen in these."""
        self._die, self._begin = die, rounds
        self._starts = [(worth, fighter.bearable(life)) for worth, life in starts]
        self.after, self._falling = cache(self._find_after), cache(self._find_falling)

    def _find_after(self, rounds: int) -> Values:
        if rounds == self._begin:
            worth = total(len(self._die.all), [worth for worth, _ in self._starts])
            return times(worth, [each**rounds for each in self._die.all])
        standing = times(self.after(rounds - 1), self._die.all)
        for at, (_, bearable) in enumerate(self._starts):
            if rounds > bearable:
                standing = list(map(sub, standing, self._falling(at, rounds)))
        return standing

    def _find_falling(self, at: int, rounds: int) -> Values:
        """They have borne all that is bearable, in any order with what they blocked, and now one more."""
        worth, bearable = self._starts[at]
        if rounds == bearable + 1:
            return [each * hit**rounds for each, hit in zip(worth, self._die.bare, strict=True)]
        orders, before = (rounds - 1) / (rounds - 1 - bearable), self._falling(at, rounds - 1)
        return [each * block * orders for each, block in zip(before, self._die.block, strict=True)]


class Mending:
    """A course on which a shield brings health back: what each state of health is worth, round by round."""

    def __init__(self, die: Worth, fighter: Fighter, starts: list[Start]) -> None:
        self._die, self._fighter, self._starts = die, fighter, starts
        self._lives = cache(self._find_lives)

    def after(self, rounds: int) -> Values:
        return total(len(self._die.all), list(self._lives(rounds).values()))

    def _find_lives(self, rounds: int) -> dict[Life, Values]:
        found: dict[Life, Values] = {}
        for worth, life in self._step(rounds - 1) if rounds else self._starts:
            found[life] = list(map(add, found[life], worth)) if life in found else worth
        return found

    def _step(self, rounds: int) -> Iterator[Start]:
        fighter = self._fighter
        for life, worth in self._lives(rounds).items():
            yield times(worth, self._die.block), fighter.healed(life, fighter.gives)
            if left := fighter.struck(life, fighter.usual):
                yield times(worth, self._die.bare), left


class Ahead(NamedTuple):
    dice: Counts
    team: Team
    choices: Choices
    start: int  # rounds that need no step, since nobody can die before the last of them is over; at least one

    def hopeless(self, rests: int | None) -> bool:
        """If the coming round does not do it, nothing will: somebody is dead, or no shield shows the rest.

        Such dice are taken by bare faces only, and everyone has as many as hits can be borne, and the last;
        whom a shield heals has no such end.
        """
        hits = [self._most_hits(each, at == rests) for at, each in enumerate(self.team)]
        blocks = [roll.symbols for each in self.team for roll in each.die if roll.block]
        hard = [kind for kind in range(3) if not any(each[kind] for each in blocks)]
        least = sum([self.dice[kind] for kind in hard])
        most = [(n + 1) * _most(each.die, hard) for n, each in zip(hits, self.team, strict=True)]
        return min(hits) < 0 or (least > sum(most) and not any(each.gives for each in self.team))

    def _most_hits(self, fighter: Fighter, rests: bool) -> int:
        if rests:
            return fighter.rested
        if fighter.known:
            return fighter.unhurt if fighter.known.block else fighter.after_hit
        return max(fighter.unhurt, 1 + fighter.after_hit)

    def symbols(self) -> int:
        """That have come up for certain by the start, even if one rests. Known dice are counted elsewhere."""
        least = [min([sum(roll.symbols) for roll in each.die]) for each in self.team]
        shown = [n * (self.start - bool(each.known)) for n, each in zip(least, self.team, strict=True)]
        return sum(shown) - (max(least) if len(self.choices) > 1 else 0)


def _most(die: Die, kinds: list[int]) -> int:
    """Symbols of these kinds on one bare face."""
    return max([sum([roll.symbols[kind] for kind in kinds]) for roll in die if not roll.block], default=0)


class Together:
    """All fighters, at some points, for each choice of who rests."""

    def __init__(self, at: Points, ahead: Ahead) -> None:
        self._points, self._ahead = at, ahead
        self._plain: dict[tuple[Fighter, int], Course | Mending] = {}  # often the same for one who has rested
        self._usual = [self._course(each) for each in ahead.team]
        self._rested = {
            place: self._from(each, each.healed(each.now, 1))
            for place, each in enumerate(ahead.team)
            if place in ahead.choices
        }
        attack = reduce(times, [at.die(each.die).all for each in ahead.team])
        #: Weights for one of the kinds being done in the next round.
        self._done = [weight * (1 - each) for weight, each in zip(at.signed, attack, strict=True)]

    def first_done(self) -> Chances:
        """How likely all stand when the first of some kinds is done: the sum over all sets of kinds."""
        at, start = self._points, self._ahead.start
        won = dict.fromkeys(self._ahead.choices, 0.0)
        for rounds in range(start, MOST_ROUNDS):
            values = self._after(rounds)
            if rounds == start > 1:  # nobody has died: whatever is not undecided is won
                won = {choice: at.sets - mean(at.signed, each) for choice, each in values.items()}
            more = {choice: mean(self._done, each) for choice, each in values.items()}
            won = {choice: won[choice] + more[choice] for choice in won}
            undecided = (mean(at.weights, each) for each in values.values())
            if max(map(abs, more.values())) < SMALL and max(undecided) < SMALL:
                break
        return won

    def _after(self, rounds: int) -> dict[int | None, Values]:
        """What all who stand are worth: a product, where whoever rested takes the place of the usual self."""
        usual = [course.after(rounds - ago) for course, ago in self._usual]
        before = [self._points.ones, *accumulate(usual[:-1], times)] if self._rested else []
        behind = [self._points.ones, *accumulate(usual[:0:-1], times)][::-1]
        found: dict[int | None, Values] = {None: times(usual[0], behind[0])}
        for at, course in self._rested.items():
            found[at] = times(course.after(rounds - 1), times(before[at], behind[at]))
        return found

    def _course(self, fighter: Fighter) -> tuple[Course | Mending, int]:
        """And how many rounds ago it begins."""
        if fighter.plain:
            return self._from(fighter, fighter.now), 0
        first, given = self._points.die(fighter.first), 0 if fighter.known else fighter.gives
        blocked, hit = fighter.healed(fighter.now, given), fighter.struck(fighter.now, fighter.hit)
        ways = (first.block, blocked), (first.bare, hit)
        return self._run(fighter, [(worth, life) for worth, life in ways if life and any(worth)]), 1

    def _from(self, fighter: Fighter, life: Life) -> Course | Mending:
        key = fighter, life[0] if fighter.gives else fighter.bearable(life)
        if key not in self._plain:
            self._plain[key] = self._run(fighter, [(self._points.ones, life)])
        return self._plain[key]

    def _run(self, fighter: Fighter, starts: list[Start]) -> Course | Mending:
        die = self._points.die(fighter.die)
        if fighter.gives:
            return Mending(die, fighter, starts)
        return Course(die, fighter, starts, self._ahead.start - 1)


def _survive(now: ComingRound, clear: Chances) -> Chances:
    """A round is won by those who stood before it: nobody is hit in the round that clears the last die."""
    start = max(1, min([1 + each.after_hit for each in now.team]))  # rounds that cannot kill
    known = [each.known.symbols for each in now.team if each.known]  # off at once, and nothing later
    after = [each._replace(known=each.known and each.known._replace(symbols=NONE)) for each in now.team]
    ahead = Ahead(reduce(less, known, now.dice), tuple(after), tuple(clear), start)
    if not any(ahead.dice):
        return clear
    sooner = clear if start == 1 else dict.fromkeys(clear, 0.0)
    return {
        # Neither certain nor out of the question, whatever rounding says, unless it is.
        choice: least if ahead.hopeless(choice) else max(least, TINY, min(1 - TINY, sooner[choice] + later))
        for (choice, least), later in zip(clear.items(), later_on(ahead).values(), strict=True)
    }


@lru_cache(512)  # many rolls come to the same: as many dice left, and the same ones unhurt
def later_on(ahead: Ahead) -> Chances:
    """How likely all stand when the last kind is done, in a round after those that need no step."""
    there = sum([number > 0 for number in ahead.dice])
    later = Together(points(ahead.dice, (1, 2)), ahead).first_done()
    if there < 3:
        return later
    if ahead.symbols() > sum(ahead.dice) - there:  # three at a time are many points, but soon have enough
        all_three = dict.fromkeys(later, 1.0 if ahead.start > 1 else 0.0)
    else:
        all_three = Together(points(ahead.dice, (3,)), ahead).first_done()
    return {choice: chance + all_three[choice] for choice, chance in later.items()}
