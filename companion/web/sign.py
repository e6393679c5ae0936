"""The app's own sign, for a phone's home screen: the drawing of static/icon.svg, as pictures of any size.

All of it is boxes with round corners (a circle is one without sides), so a row of pixels is a few runs of one
colour with a soft pixel at each end. That takes milliseconds, and no library.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import NamedTuple

DARK, GOLD = (28, 33, 38), (226, 178, 92)
RING = tuple(round(0.65 * gold + 0.35 * dark) for gold, dark in zip(GOLD, DARK, strict=True))
SIDE = 64  # of the drawing


class Box(NamedTuple):
    """Half its sides without the corners, how round those are, and its colour; all in the middle."""

    x: float
    y: float
    round: float
    colour: tuple[int, ...]


TOKEN = (
    Box(0, 0, 19, GOLD),
    Box(0, 0, 16.25, RING),
    Box(0, 0, 14.75, GOLD),
    Box(8, 0, 2.5, DARK),
    Box(0, 8, 2.5, DARK),
)
TILE = Box(17, 17, 15, DARK)
WHOLE = Box(SIDE, SIDE, 1, DARK)  # to the very edge: a phone cuts it to its own shape, and the token stays


def png(size: int, masked: bool = False) -> bytes:
    """A tile with round corners; masked, without any."""
    boxes = [_scaled(box, size / SIDE) for box in ((WHOLE if masked else TILE), *TOKEN)]
    rows = b"".join(b"\0" + bytes(_row(boxes, y, size)) for y in range(size))
    head = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(rows, 6)), _chunk(b"IEND", b""))
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _scaled(box: Box, by: float) -> Box:
    return Box(box.x * by, box.y * by, box.round * by, box.colour)


def _row(boxes: list[Box], y: int, size: int) -> bytearray:
    row = bytearray(4 * size)
    middle = size / 2
    for box in boxes:
        above = max(abs(y + 0.5 - middle) - box.y, 0)
        outer = _reach(box, above, 0.5)
        if outer is None:
            continue
        inner = _reach(box, above, -0.5)
        full = min(math.floor(inner or 0), size // 2) if inner else 0
        start, end = size // 2 - full, size // 2 + full
        row[4 * start : 4 * end] = bytes((*box.colour, 255)) * (end - start)
        for x in range(full, min(math.ceil(outer), size // 2)):
            soft = _covered(box, x + 0.5, above)
            for at in (size // 2 + x, size // 2 - 1 - x):
                _blend(row, 4 * at, box.colour, soft)
    return row


def _reach(box: Box, above: float, more: float) -> float | None:
    """From the middle to its side, in a row so far above its straight part."""
    radius = box.round + more
    if above > radius:
        return None
    return box.x + (math.sqrt(radius * radius - above * above) if above else radius)


def _covered(box: Box, x: float, above: float) -> float:
    beside = math.hypot(max(x - box.x, 0), above) - box.round
    return min(max(0.5 - beside, 0), 1)


def _blend(row: bytearray, at: int, colour: tuple[int, ...], soft: float) -> None:
    below = row[at + 3] / 255 * (1 - soft)
    if not (whole := soft + below):
        return
    for part in range(3):
        row[at + part] = round((colour[part] * soft + row[at + part] * below) / whole)
    row[at + 3] = round(255 * whole)
