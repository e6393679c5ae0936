"""A round of a fight: dice in, outcome out. Knows no table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

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
