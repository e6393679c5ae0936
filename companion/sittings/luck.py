"""Where luck comes from when nobody loads the dice."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class OsLuck:
    """The operating system's randomness, without bias."""

    _source = secrets.SystemRandom()

    def roll(self, faces: int) -> int:
        return secrets.randbelow(faces) + 1

    def choose(self, among: Sequence[T]) -> T:
        return secrets.choice(among)

    def shuffle(self, order: Sequence[T]) -> tuple[T, ...]:
        return tuple(self._source.sample(order, len(order)))
