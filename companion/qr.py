"""A join link as a drawing: one SVG for the page, half blocks for the terminal.

The qrcode package works out which modules are dark; the drawing is ours, because the page's CSP allows
no inline style, and because scanners want black on white whatever theme the page wears.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape
from itertools import groupby, zip_longest

from qrcode.constants import ERROR_CORRECT_L, ERROR_CORRECT_M
from qrcode.main import QRCode

MOST = 1800  # bytes that are drawn at all
QUIET = 4  # modules of white on each side; the standard asks for four, and cheap cameras need them

# Upper and lower half of a character cell; True is a dark module. Dark is left as background, because a
# terminal is dark and its ink is light.
HALVES = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}

Matrix = list[list[bool]]


def fits(text: str) -> bool:
    """Whether a camera could still read it; the standard goes further than any phone does."""
    return len(text.encode()) <= MOST


@lru_cache(300)  # to draw one takes as long as ten pages, and each look at the door shows it
def svg(text: str, label: str = "QR code", dense: bool = False) -> str:
    """One inline element. The text is in the modules only: it may hold a secret that no reader should say.

    `dense` spares on error correction, for long texts on a clean screen.
    """
    matrix = _matrix(text, dense)
    size = len(matrix)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img"'
        f' aria-label="{escape(label)}" shape-rendering="crispEdges">'
        # Said on each shape, so that a page's rule for its icons (svg { fill: … }) cannot reach them.
        f'<rect width="{size}" height="{size}" fill="#fff" stroke="none"/>'
        f'<path fill="#000" stroke="none" d="{"".join(_runs(matrix))}"/></svg>'
    )


def text(text: str) -> str:
    """Lines for a dark terminal, two rows of modules to a line."""
    matrix = _matrix(text)
    white = [False] * len(matrix)  # the number of rows is odd; the last line is filled up with white
    pairs = zip_longest(matrix[::2], matrix[1::2], fillvalue=white)
    return "\n".join("".join(HALVES[cell] for cell in zip(*pair, strict=True)) for pair in pairs)


def _matrix(text: str, dense: bool = False) -> Matrix:
    code = QRCode(error_correction=ERROR_CORRECT_L if dense else ERROR_CORRECT_M, border=QUIET)
    code.add_data(text)
    return [[bool(module) for module in row] for row in code.get_matrix()]


def _runs(matrix: Matrix) -> Iterator[str]:
    """Neighbours in a row are drawn as one box: half the bytes of a box for each module."""
    for y, row in enumerate(matrix):
        x = 0
        for dark, run in groupby(row):
            width = len(list(run))
            if dark:
                yield f"M{x} {y}h{width}v1H{x}z"
            x += width
