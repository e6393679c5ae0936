"""A round of a fight: dice in, outcome out; and what the coming round may bring. Knows no table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

from companion.core.fixed import replace
from companion.games.escape_the_dark_castle.box import TRAITS, Effect, Side, character, shielded

Part = Literal["fight", "rest", "out"]
USUAL_DAMAGE = 2
ORDER = [each.id for each in TRAITS]
Gear = Mapping[str, tuple[Effect, ...]]  # what those items do that each one carries


@dataclass(frozen=True)
class Stance:
    """One hero in one round."""

    part: Part = "fight"
    face: int = 0  # 0: not rolled yet
    before: tuple[int, ...] = ()  # earlier rolls of this round; an item may let one choose
    hit: int | None = None  # what a blow costs, where an item or the card changes it
    real: bool = False  # the face was told, not rolled
    also: tuple[Side, ...] = ()  # further dice that an item adds
    used: tuple[int, ...] = ()  # items that serve once a round


USUAL = Stance()


@dataclass(frozen=True)
class Settled:
    """How a round ended."""

    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int] = field(default_factory=dict)
    healed: str = ""
    won: bool = False


class Geared:
    """Whoever carries something."""

    gear: Gear

    def has(self, hero: str, does: str) -> bool:
        return any(each.does == does for each in self.gear.get(hero, ()))

    def less(self, hero: str, damage: int) -> int:
        return shielded(self.gear.get(hero, ()), damage)


@dataclass(frozen=True)
class Fight(Geared):
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
    gear: Gear = field(default_factory=dict)
    cast: bool = False  # the dice for the players have been rolled

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
        """Whose die, or whose second one, is still to come."""
        return tuple([hero for hero in self.fighting if hero not in self.sides or self.wants_more(hero)])

    def wants_more(self, hero: str) -> bool:
        return self.has(hero, "chapter-die") and not self.stance(hero).also

    @cached_property
    def stock(self) -> Mapping[str, int]:
        """How many dice of each trait there are."""
        return {each.id: self.dice.count(each.id) for each in TRAITS}

    def symbols(self, hero: str) -> tuple[tuple[str, int], ...]:
        """What this one's dice show: traits, and how often."""
        side, also = self.sides[hero], self.stance(hero).also
        count = 2 if self.has(hero, "singles") else side.count
        return (side.trait, count), *[(each.trait, each.count) for each in also]

    @cached_property
    def taken(self) -> Mapping[str, tuple[str, ...]]:
        """The dice that each one's roll takes, in the order of the heroes; a surplus is lost."""
        left, taken = dict(self.stock), dict.fromkeys(self.heroes, ())
        for hero in self.sides:
            for trait, count in self.symbols(hero):
                hits = min(count, left[trait])
                left[trait] -= hits
                taken[hero] += (trait,) * hits  # type: ignore[assignment]
        return taken

    @cached_property
    def falling(self) -> tuple[str, ...]:
        """The dice that the rolls on the table take, trait by trait."""
        return tuple(sorted(sum(self.taken.values(), ()), key=ORDER.index))

    def blocks(self, hero: str) -> bool:
        return any(side.block for side in (self.sides[hero], *self.stance(hero).also))

    def hit(self, hero: str) -> int:
        hit = self.stance(hero).hit
        return self.less(hero, self.damage) if hit is None else hit

    def settled(self) -> Settled:
        """Attack, and if a die is left, defend; the one who rests heals either way."""
        bare = [] if self.won else [hero for hero in self.sides if not self.blocks(hero)]
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
        now = replace(self, dice=left, removed=removed, stances=out)
        return replace(now, round=self.round + 1, last=done, fell=fell)


def without(dice: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    left = list(dice)
    for each in taken:
        left.remove(each)
    return tuple(left)


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


def merged(rolls: Iterable[Roll]) -> Die:
    """What shows the same is one."""
    chances: dict[tuple[Counts, bool], float] = defaultdict(float)
    for roll in rolls:
        chances[roll.symbols, roll.block] += roll.chance
    return tuple([Roll(*face, chance) for face, chance in chances.items()])


@lru_cache(6)
def die(hero: str) -> Die:
    sides = character(hero).sides
    return tuple(shown(side, sides.count(side) / len(sides)) for side in dict.fromkeys(sides))


def shown(side: Side, chance: float = 1.0) -> Roll:
    might, cunning, wisdom = (side.count if each == side.trait else 0 for each in ORDER)
    return Roll((might, cunning, wisdom), side.block, chance)


Life = tuple[int, tuple[int, ...], int]  # health, what each food heals, blows that can be avoided


class Fighter(NamedTuple):
    hero: str
    health: int
    cap: int
    hit: int  # what the coming round costs without a BLOCK
    usual: int  # and every round after it
    known: Roll | None = None  # the die lies on the table already
    armed: Die = ()  # the die as items make it, if they do
    lucky: Die = ()  # and in the coming round only
    food: tuple[int, ...] = ()
    evades: int = 0
    gives: int = 0  # health that a BLOCK brings

    @property
    def die(self) -> Die:
        return self.armed or die(self.hero)

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
        return min(1.0, self._left(self._others(rests)).get(NO_DICE, 0.0))

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
