"""A join link as a drawing: one SVG for the page, half blocks for the terminal.

The drawing is ours, because the page's CSP allows no inline style, and because scanners want black on white
whatever theme the page wears. The qrcode package knows what the standard says: where the patterns of each
size are, and how much error correction it carries. It also works out dense codes, module by module. For a
join link that would be the dearest part of opening a table, so there all modules are put in place at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from html import escape
from itertools import accumulate, chain, zip_longest
from operator import is_not, itemgetter
from typing import NamedTuple

from qrcode.base import gexp, glog, rs_blocks
from qrcode.constants import ERROR_CORRECT_L, ERROR_CORRECT_M
from qrcode.main import QRCode
from qrcode.util import BIT_LIMIT_TABLE

MOST = 1800  # bytes that are drawn at all
QUIET = 4  # modules of white on each side; the standard asks for four, and cheap cameras need them
# To look for the best of the eight masks takes many times as long as all the rest, and at the size of a join
# link every camera reads any of them; a dense code gets the best.
MASK = 3
BYTES = 0b0100  # the mode in which a text of any kind is told

# Upper and lower half of a character cell; 1 is a dark module. Dark is left as background, because a
# terminal is dark and its ink is light.
HALVES = {("0", "0"): "█", ("0", "1"): "▀", ("1", "0"): "▄", ("1", "1"): " "}
RUN = re.compile("0+|1+")
FLIPPED = str.maketrans("01", "10")


class Modules(NamedTuple):
    size: int  # of a side, with the white around
    dark: str  # a 1 for each dark module, a 0 for each other one, row after row


def fits(text: str) -> bool:
    """Whether a camera could still read it; the standard goes further than any phone does."""
    return len(text.encode()) <= MOST


@lru_cache(300)  # each look at the door shows it
def svg(text: str, label: str = "QR code", dense: bool = False) -> str:
    """One inline element. The text is in the modules only: it may hold a secret that no reader should say.

    `dense` spares on error correction, for long texts on a clean screen.
    """
    modules = _dense(text) if dense else _modules(text)
    size = modules.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img"'
        f' aria-label="{escape(label)}" shape-rendering="crispEdges">'
        # Said on each shape, so that a page's rule for its icons (svg { fill: … }) cannot reach them.
        f'<rect width="{size}" height="{size}" fill="#fff" stroke="none"/>'
        f'<path fill="#000" stroke="none" d="{_boxes(modules)}"/></svg>'
    )


def text(text: str) -> str:
    """Lines for a dark terminal, two rows of modules to a line."""
    size, dark = _modules(text)
    rows = [dark[start : start + size] for start in range(0, len(dark), size)]
    # The number of rows is odd; the last line is filled up with white.
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue="0" * size)
    return "\n".join("".join(HALVES[cell] for cell in zip(*pair, strict=True)) for pair in pairs)


def _boxes(modules: Modules) -> str:
    """Neighbours in a row are drawn as one box: half the bytes of a box for each module. Without a step in
    Python for each, of which there are hundreds."""
    there, back = _corners(modules.size)
    # None goes on in the next row, since the white is between; and white comes first and last.
    lengths = list(map(len, RUN.findall(modules.dark)))
    starts = itemgetter(*list(accumulate(lengths))[:-1:2])
    return "".join(
        chain.from_iterable(zip(starts(there), map(str, lengths[1::2]), starts(back), strict=True))
    )


@lru_cache(1)  # the links of a server are all of one length
def _corners(size: int) -> tuple[list[str], list[str]]:
    places = [(x, y) for y in range(size) for x in range(size)]
    return [f"M{x} {y}h" for x, y in places], [f"v1H{x}z" for x, _ in places]


def _dense(text: str) -> Modules:
    code = QRCode(error_correction=ERROR_CORRECT_L, border=QUIET)
    code.add_data(text)
    matrix = code.get_matrix()
    return Modules(len(matrix), "".join("01"[bool(module)] for row in matrix for module in row))


# --- a join link ---


def _modules(text: str) -> Modules:
    content = text.encode()
    version = _version(len(content))
    words = _with_correction(_data(content, version), version)
    bits = f"{int.from_bytes(words):0{8 * len(words)}b}"
    size, places = _frame(version)
    return Modules(size, "".join(places(f"01{bits}{bits.translate(FLIPPED)}")))


def _version(length: int) -> int:
    """The smallest that holds so many bytes."""
    limits: list[int] = BIT_LIMIT_TABLE[ERROR_CORRECT_M]
    version = bisect_left(limits, 12 + 8 * length, 1)
    return version if version < 10 else bisect_left(limits, 20 + 8 * length, 10)


def _data(content: bytes, version: int) -> bytes:
    """The mode, how long the text is, the text, and what the standard fills up with."""
    room: int = sum(block.data_count for block in rs_blocks(version, ERROR_CORRECT_M))
    length = 1 if version < 10 else 2  # bytes
    head = (BYTES << 8 * length) | len(content)
    # Half a byte of mode comes first and half a byte of nothing last, so all in between lies across bytes.
    bits = (head << 8 * len(content) | int.from_bytes(content)) << 4
    return (bits.to_bytes(length + 1 + len(content)) + b"\xec\x11" * room)[:room]


def _with_correction(data: bytes, version: int) -> bytes:
    """Block by block, and woven together, so that a scratch hits a little of each."""
    blocks, corrections, start = [], [], 0
    for block in rs_blocks(version, ERROR_CORRECT_M):
        blocks.append(data[start : start + block.data_count])
        corrections.append(_correction(blocks[-1], block.total_count - block.data_count))
        start += block.data_count
    woven = chain.from_iterable(chain(zip_longest(*blocks), zip_longest(*corrections)))
    return bytes(filter(partial(is_not, None), woven))


def _correction(block: bytes, many: int) -> bytes:
    """Reed and Solomon's: what is left of the block when it is divided by their polynomial."""
    multiples, top, whole = _multiples(many), 8 * (many - 1), (1 << 8 * many) - 1
    rest = 0
    for word in block:
        rest = (rest << 8 & whole) ^ multiples[rest >> top ^ word]
    return rest.to_bytes(many)


@cache
def _multiples(many: int) -> list[int]:
    """The polynomial (without its first term, which is 1) times every byte."""
    polynomial = [1]
    for power in range(many):
        times = [_times(each, gexp(power)) for each in polynomial]
        polynomial = [a ^ b for a, b in zip([*polynomial, 0], [0, *times], strict=True)]
    return [int.from_bytes(bytes(_times(byte, each) for each in polynomial[1:])) for byte in range(256)]


def _times(a: int, b: int) -> int:
    return int(gexp(glog(a) + glog(b))) if a and b else 0


@cache
def _frame(version: int) -> tuple[int, Callable[[str], tuple[str, ...]]]:
    """How large a code is, and where its modules come from.

    Out of "0", "1", all bits and all bits flipped: a module is fixed, or shows a bit as it is or as the mask
    turns it.
    """
    words = sum(block.total_count for block in rs_blocks(version, ERROR_CORRECT_M))
    clear, full = _filled(version, [0] * words), _filled(version, [255] * words)
    numbers = {place: number for number, place in enumerate(_way(len(clear), clear, full))}
    size = len(clear) + 2 * QUIET
    places = [0] * size * size
    for y, row in enumerate(clear):
        for x, flipped in enumerate(row):
            at = (y + QUIET) * size + x + QUIET
            fixed = (y, x) not in numbers
            places[at] = int(flipped) if fixed else 2 + numbers[y, x] + 8 * words * flipped
    return size, itemgetter(*places)


def _filled(version: int, words: list[int]) -> list[list[bool]]:
    code = QRCode(version, ERROR_CORRECT_M, mask_pattern=MASK)
    code.data_cache = words
    code.makeImpl(False, MASK)
    return [[bool(module) for module in row] for row in code.modules]


def _way(size: int, clear: list[list[bool]], full: list[list[bool]]) -> Iterator[tuple[int, int]]:
    """The modules that bits go to, in their order: up and down by two columns at a time, from the right."""
    up = True
    for right in range(size - 1, 0, -2):
        column = right if right > 6 else right - 1  # the sixth is a pattern from end to end
        for y in range(size - 1, -1, -1) if up else range(size):
            yield from ((y, x) for x in (column, column - 1) if clear[y][x] != full[y][x])
        up = not up
