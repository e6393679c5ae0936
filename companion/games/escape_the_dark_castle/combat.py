"""A fight and what a round of it comes to. Knows dice and blows, no table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from companion.games.escape_the_dark_castle.box import TRAITS, Side, character

Part = Literal["fight", "rest", "out"]
USUAL_DAMAGE = 2


@dataclass(frozen=True)
class Stance:
    """One hero in one round."""

    part: Part = "fight"
    face: int = 0  # 0: not rolled yet
    real: bool = False
    before: tuple[int, ...] = ()  # earlier rolls of this round; an item may let one choose
    hit: int | None = None  # what a blow costs, where an item or the card changes it


@dataclass(frozen=True)
class Settled:
    """How a round ended."""

    round: int
    removed: tuple[str, ...]
    hits: Mapping[str, int]
    healed: str
    won: bool


@dataclass(frozen=True)
class Fight:
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
        return self.stances.get(hero, Stance())

    def with_stance(self, hero: str, **changed: object) -> Fight:
        stance = replace(self.stance(hero), **changed)  # type: ignore[arg-type]
        return replace(self, stances={**self.stances, hero: stance})

    @property
    def rests(self) -> str:
        return next((hero for hero in self.heroes if self.stance(hero).part == "rest"), "")

    @property
    def fighting(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.heroes if self.stance(hero).part == "fight")

    @property
    def unrolled(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.fighting if not self.stance(hero).face)

    @property
    def rolled(self) -> tuple[str, ...]:
        return tuple(hero for hero in self.fighting if self.stance(hero).face)

    def side(self, hero: str) -> Side | None:
        """The face this hero shows in the round."""
        stance = self.stance(hero)
        if stance.part != "fight" or not stance.face:
            return None
        return character(hero).side(stance.face)

    def hit(self, hero: str) -> int:
        stance = self.stance(hero)
        return self.damage if stance.hit is None else stance.hit

    def blows(self) -> dict[str, int]:
        """Which dice each one's roll takes, in the order of the heroes; a surplus is lost."""
        left = Counter(self.dice)
        taken = {}
        for hero in self.heroes:
            side = self.side(hero)
            taken[hero] = min(side.count, left[side.trait]) if side else 0
            if side:
                left[side.trait] -= taken[hero]
        return taken

    def falling(self) -> tuple[str, ...]:
        """The dice that the rolls on the table take."""
        symbols: Counter[str] = Counter()
        for hero in self.heroes:
            if side := self.side(hero):
                symbols[side.trait] += side.count
        there = Counter(self.dice)
        return tuple(each.id for each in TRAITS for _ in range(min(symbols[each.id], there[each.id])))

    def settled(self) -> Settled:
        """Attack, and if a die is left, defend; the one who rests heals either way."""
        falling = self.falling()
        won = len(falling) == len(self.dice)
        hits = {} if won else {hero: self.hit(hero) for hero in self.fighting if not self.blocks(hero)}
        return Settled(self.round, falling, {hero: n for hero, n in hits.items() if n}, self.rests, won)

    def blocks(self, hero: str) -> bool:
        side = self.side(hero)
        return side is not None and side.block

    def lacks(self) -> tuple[str, ...]:
        """Who must still roll before the round can be settled: nobody once the dice are all taken."""
        return () if len(self.falling()) == len(self.dice) else self.unrolled

    def next_round(self, done: Settled) -> Fight:
        dice = without(self.dice, done.removed)
        out = {hero: Stance("out") for hero in self.heroes if self.stance(hero).part == "out"}
        return replace(
            self,
            dice=dice,
            removed=(*self.removed, *done.removed),
            round=self.round + 1,
            stances=out,
            last=done,
            fell={hero: self.stance(hero).face for hero in self.rolled},
        )


def without(dice: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    left = list(dice)
    for each in taken:
        left.remove(each)
    return tuple(left)
