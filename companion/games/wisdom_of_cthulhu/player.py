"""What lies before a player: six cards, the Learning Area, the Ritual, two markers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from companion.core.fixed import replace
from companion.games.wisdom_of_cthulhu import box

HOME = ""  # where a marker is that lies on nothing
NEEDS = {"fw": "FW", "as": "AS", "dm": "DM", "en": "EN", "obs": "Obs", "res": "Res", "place": "Place"}
PARTS = ("fw", "as", "dm", "en")


@lru_cache(256)
def units(parts: tuple[str, ...]) -> tuple[str, ...]:
    """“2 FW(Imm), 1 EN” is three things, one by one."""
    found = re.findall(r"(\d) (\w+)", ", ".join(parts))
    return tuple([what.lower() for many, what in found for _ in range(int(many))])


class Rite(NamedTuple):
    """One requirement that was met: with an object of this bond, in this turn; by name, if that was said."""

    bond: str
    turn: int
    object: str = ""


class Learned(NamedTuple):
    """A card in a Learning Area."""

    name: str
    family: str = ""
    kind: str = ""
    points: int = 0
    bond: str = ""
    object: str = ""  # the bond whose Ritual it serves
    used: bool = False  # face down until the next turn is prepared
    parts: tuple[str, ...] = ()  # the families of the Components under it

    @property
    def needs(self) -> tuple[str, ...]:
        return box.CARDS[self.name].needs if self.name in box.CARDS else ()

    @property
    def lacks(self) -> tuple[str, ...]:
        """The Components that its Combination waits for, one by one; not what is to be spent for it."""
        known = box.CARDS.get(self.name)
        short = Counter(units(known.parts)) - Counter(self.parts) if known else Counter[str]()
        return tuple([each for each in short.elements() if each in PARTS])

    @property
    def ready(self) -> bool:
        """Can be activated with one tap."""
        return self.kind == "Activation" and not self.used and not self.lacks


@dataclass(frozen=True)
class Player:
    """Six cards, always: those in hand, spent, temporary and permanent."""

    hand: int = box.PATHS
    spent: int = 0  # Paths and Temporary Obsessions that come back when the turn ends
    temporary: int = 0
    permanent: int = 0
    used: int = 0  # of the permanent ones, this turn
    actions: int = 0  # taken this turn
    fallback: bool = False  # bought a Knowledge card with an Obsession, so no more of them this turn
    seeker: str = HOME
    sign: str = HOME
    rites: tuple[Rite, ...] = ()
    learned: tuple[Learned, ...] = ()
    invoked: tuple[str, ...] = ()  # powers used this turn
    gets: tuple[str, ...] = ()  # what came this turn, for a Transmutation

    @property
    def obsessions(self) -> int:
        """Those that can still be spent."""
        return self.temporary + self.permanent - self.used

    @property
    def able(self) -> bool:
        return self.hand + self.obsessions > 0

    @property
    def cards(self) -> tuple[int, ...]:
        return self.hand, self.spent, self.temporary, self.permanent

    @property
    def ritual(self) -> int:
        return len(self.rites)

    @property
    def last_bond(self) -> str:
        """Of the last Ritual Object; of one that was set by hand nobody knows."""
        return self.rites[-1].bond if self.rites else ""

    def mixing_cost(self, id: str) -> int:
        return 0 if self.last_bond in ("", id) else box.MIXING

    def come_back(self) -> Player:
        """All but the Permanent Obsessions; then one more Path turns for good."""
        back = self.hand + self.spent + self.temporary
        turned = min(back, 1)
        home = replace(self, spent=0, temporary=0, used=0, actions=0, fallback=False, invoked=(), gets=())
        return replace(home, hand=back - turned, permanent=self.permanent + turned)

    def prepared(self) -> Player:
        """Markers home, used cards face up."""
        learned = tuple([each._replace(used=False) for each in self.learned])
        return replace(self, seeker=HOME, sign=HOME, learned=learned)

    def card(self, name: str) -> Learned | None:
        return next((each for each in self.learned if each.name == name), None)

    def paid_by(self, id: str) -> tuple[int, tuple[str, ...]]:
        """How much this bond pays, and for which cards: Dark Masters, and others that were noted as such."""
        held = [each for each in self.learned if each.bond == id and each.family in ("dm", "")]
        return sum([each.points for each in held]), tuple([each.name for each in held])

    @property
    def masters_worth(self) -> int:
        return sum([each.points for each in self.learned if each.family == "dm"])

    def worth(self, card: box.Card | Learned) -> int:
        """What it pays each time: as printed, or for each card of a family here and under itself."""
        per = box.CARDS[card.name].per if card.name in box.CARDS else {}
        here = [each.family for each in self.learned]
        here += card.parts if isinstance(card, Learned) else ()
        return card.points + sum(kp * here.count(family) for family, kp in per.items())

    def turned(self, id: str) -> int:
        """How often the one object of this bond was turned that was turned most; one set by hand is any."""
        any_bond = sum(not rite.bond for rite in self.rites)
        names = [rite.object for rite in self.rites if rite.bond == id]
        return any_bond + max([names.count(name) for name in names], default=0)

    def wants(self, card: Learned, at: int) -> str:
        """What the requirement for box `at` still lacks, as far as the phones know."""
        have = list(self.gets) if at == 2 else [each.family for each in self.learned]
        have += [] if at == 2 else ["res"] * self.hand + ["obs"] * self.obsessions
        short = Counter(units(tuple(card.needs[at - 1 : at]))) - Counter(have)
        return ", ".join([f"{many} {NEEDS[what]}" for what, many in short.items() if what in NEEDS])
