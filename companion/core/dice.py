"""What a die is. Rooms bring their own; the standard ones are made as they are asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Face:
    name: str  # what the log says
    symbol: str = ""  # what the face shows; the name where there is none
    points: int | None = None  # for dice that are added up


@dataclass(frozen=True)
class Die:
    id: str  # small letters and hyphens; people may type it: 2castle+1
    name: str
    faces: tuple[Face, ...]
    note: str = ""  # such as that its faces are assumed


def numbered(sides: int) -> Die:
    return Die(f"d{sides}", f"d{sides}", tuple(Face(str(n), points=n) for n in range(1, sides + 1)))


COIN = Die("coin", "Coin", (Face("heads", "H"), Face("tails", "T")))
