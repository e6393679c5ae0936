"""A round of a fight and an attempt of a test: dice in, outcome out; and what the coming round may bring.

Knows no table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

from companion.games.escape_the_dark_castle.box import TRAITS, Side, character

Part = Literal["fight", "rest", "out"]
USUAL_DAMAGE = 2
ORDER = [each.id for each in TRAITS]


@dataclass(frozen=True)
class Stance:
    """One hero in one round."""

    part: Part = "fight"
    face: int = 0  # 0: not rolled yet
    before: tuple[int, ...] = ()  # earlier rolls of this round; an item may let one choose
    hit: int | None = None  # what a blow costs, where an item or the card changes it


USUAL = Stance()


@dataclass(frozen=True)
class Settled:
    """How a round ended."""

    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int] = field(default_factory=dict)
    healed: str = ""
    won: bool = False


@dataclass(frozen=True)
class Fight:
    """It never changes, so what its dice come to is found once, however often a view asks."""

    heroes: tuple[str, ...]
    dice: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    damage: int = USUAL_DAMAGE
    no_rest: bool = False
    round: int = 0  # 0: the dice are being laid out
    stances: Mapping[str, Stance] = field(default_factory=dict)
    last: Settled | None = None
    fell: Mapping[str, int] = field(default_factory=dict)  # the faces of the last round

    def stance(self, hero: str) -> Stance:
        return self.stances.get(hero, USUAL)

    def with_stance(self, hero: str, **changed: object) -> Fight:
        stance = replace(self.stance(hero), **changed)  # type: ignore[arg-type]
        return replace(self, stances={**self.stances, hero: stance})

    @cached_property
    def rests(self) -> str:
        return next((hero for hero in self.heroes if self.stance(hero).part == "rest"), "")

    @cached_property
    def fighting(self) -> tuple[str, ...]:
        return tuple([hero for hero in self.heroes if self.stance(hero).part == "fight"])

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """The faces that lie on the table."""
        faces = [(hero, self.stance(hero).face) for hero in self.fighting]
        return {hero: character(hero).side(face) for hero, face in faces if face}

    @cached_property
    def unrolled(self) -> tuple[str, ...]:
        return tuple([hero for hero in self.fighting if hero not in self.sides])

    @cached_property
    def stock(self) -> Mapping[str, int]:
        """How many dice of each trait there are."""
        return {each.id: self.dice.count(each.id) for each in TRAITS}

    @cached_property
    def blows(self) -> Mapping[str, int]:
        """How many dice each one's roll takes, in the order of the heroes; a surplus is lost."""
        left, blows = dict(self.stock), dict.fromkeys(self.heroes, 0)
        for hero, side in self.sides.items():
            blows[hero] = min(side.count, left[side.trait])
            left[side.trait] -= blows[hero]
        return blows

    @cached_property
    def falling(self) -> tuple[str, ...]:
        """The dice that the rolls on the table take, trait by trait."""
        taken = [side.trait for hero, side in self.sides.items() for _ in range(self.blows[hero])]
        return tuple(sorted(taken, key=ORDER.index))

    def hit(self, hero: str) -> int:
        stance = self.stance(hero)
        return self.damage if stance.hit is None else stance.hit

    def settled(self) -> Settled:
        """Attack, and if a die is left, defend; the one who rests heals either way."""
        bare = [] if self.won else [hero for hero, side in self.sides.items() if not side.block]
        hurt = {hero: self.hit(hero) for hero in bare if self.hit(hero)}
        return Settled(self.round, self.falling, hurt, self.rests, self.won)

    @property
    def won(self) -> bool:
        """Whether the rolls on the table take all dice."""
        return len(self.falling) == len(self.dice)

    def lacks(self) -> tuple[str, ...]:
        """Who must still roll before the round can be settled: nobody once the dice are all taken."""
        return () if self.won else self.unrolled

    def next_round(self, done: Settled) -> Fight:
        left, removed = without(self.dice, done.removed), (*self.removed, *done.removed)
        out = {hero: Stance("out") for hero in self.heroes if self.stance(hero).part == "out"}
        fell = {hero: self.stance(hero).face for hero in self.sides}
        return Fight(self.heroes, left, removed, self.damage, self.no_rest, self.round + 1, out, done, fell)


def without(dice: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    left = list(dice)
    for each in taken:
        left.remove(each)
    return tuple(left)


# --- the castle's tests: one attempt, so many successes in so many tries, or all together ---


@dataclass(frozen=True)
class Asked:
    """What the card asks for."""

    kind: str  # once, tries, together
    trait: str
    heroes: tuple[str, ...]
    needed: int = 1
    tries: int = 1
    cost: int = 0  # health, for each who tried, when an attempt does not finish it


@dataclass(frozen=True)
class Counted:
    """How an attempt ended."""

    attempt: int
    got: int
    passed: tuple[str, ...] = ()  # for a single attempt: who did it
    costs: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""  # passed, failed, mixed; empty: there are tries left


@dataclass(frozen=True)
class Trial(Asked):
    attempt: int = 1
    got: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)  # the faces of this attempt
    history: tuple[int, ...] = ()
    passed: tuple[str, ...] = ()
    ended: str = ""

    def side(self, hero: str) -> Side | None:
        return character(hero).side(self.shown[hero]) if hero in self.shown else None

    def worth(self, hero: str, double: int) -> int:
        """Successes that this die gives."""
        side = self.side(hero)
        return (double if side.block else 1) if side and side.trait == self.trait else 0

    @property
    def unrolled(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.heroes if hero not in self.shown)

    def count(self, double: int) -> Counted:
        """What the dice on the table come to; a double is worth as much as the table says."""
        if self.kind == "once":
            passed = tuple(hero for hero in self.heroes if self.worth(hero, 1))
            costs = {hero: self.cost for hero in self.heroes if hero not in passed and self.cost}
            ended = "failed" if not passed else "mixed" if len(passed) < len(self.heroes) else "passed"
            return Counted(self.attempt, len(passed), passed, costs, ended)
        got = sum(self.worth(hero, double) for hero in self.heroes)
        done = self.got + got >= self.needed
        ended = "passed" if done else "failed" if self.attempt >= self.tries else ""
        costs = {} if done or not self.cost else dict.fromkeys(self.heroes, self.cost)
        return Counted(self.attempt, got, (), costs, ended)

    def after(self, counted: Counted) -> Trial:
        done = replace(self, got=self.got + counted.got, history=(*self.history, counted.got))
        if counted.ended:
            return replace(done, passed=counted.passed, ended=counted.ended)
        return replace(done, attempt=self.attempt + 1, shown={})


# --- chances, for whatever dice and fighters; the traits by place ---

Counts = tuple[int, int, int]  # Might, Cunning, Wisdom
Some = tuple[int, ...]  # some of the traits, or of the fighters
NO_DICE: Counts = (0, 0, 0)


class Roll(NamedTuple):
    """What one throw may give: symbols, whether they block, and how likely that is."""

    symbols: Counts
    block: bool
    chance: float


Die = tuple[Roll, ...]


@lru_cache(6)
def die(hero: str) -> Die:
    sides = character(hero).sides
    return tuple(shown(side, sides.count(side) / len(sides)) for side in dict.fromkeys(sides))


def shown(side: Side, chance: float = 1.0) -> Roll:
    might, cunning, wisdom = (side.count if each == side.trait else 0 for each in ORDER)
    return Roll((might, cunning, wisdom), side.block, chance)


class Fighter(NamedTuple):
    hero: str
    health: int
    cap: int
    hit: int  # what the coming round costs without a BLOCK
    known: Roll | None = None  # the die lies on the table already

    @property
    def die(self) -> Die:
        return die(self.hero)

    @property
    def first(self) -> Die:
        """What the coming round may bring."""
        return (self.known,) if self.known else self.die

    @property
    def left(self) -> int:
        """Health after the coming round, if it hits."""
        return self.health - self.hit


class ComingRound:
    """The next throw of all who fight. It remembers: the choices of who rests have most of it in common."""

    def __init__(self, dice: Counts, team: tuple[Fighter, ...]) -> None:
        self.dice, self.team = dice, team
        self._left = cache(self._find_left)

    def clear(self, rests: int | None) -> float:
        return min(1.0, self._left(self._others(rests)).get(NO_DICE, 0.0))

    def removed(self, rests: int | None) -> float:
        left = self._left(self._others(rests))
        return sum(self.dice) - sum([chance * sum(dice) for dice, chance in left.items()])

    def damage(self, rests: int | None) -> list[float]:
        """Without a BLOCK, and only if something is left standing to hit back."""
        hurt = [0.0] * len(self.team)
        for at in self._others(rests):
            left, first = self._left(self._others(at, rests)).items(), self.team[at].first
            bare = [(each.symbols, each.chance) for each in first if not each.block]
            hits = [p * q for dice, p in left for symbols, q in bare if less(dice, symbols) != NO_DICE]
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


def less(dice: Counts, symbols: Counts) -> Counts:
    (a, b, c), (x, y, z) = dice, symbols
    return a - x if a > x else 0, b - y if b > y else 0, c - z if c > z else 0
