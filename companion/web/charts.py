"""Charts as inline SVG. pygal works out where everything goes; how it looks is up to our own sheet of styles.

The page's CSP allows no inline style and no script, so both are taken out of what pygal draws, and its
classes are left: pages.css colours them, in both themes.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from markupsafe import Markup

from companion.core import Game, Seat
from companion.core.table import COLOURS
from companion.core.text import capital, counted, plain
from companion.evenings.recap import Chart, Recap
from companion.tools.dice import Dice

WIDE, HIGH = 480, 300  # units of the drawing; the page scales it
MOST_LABELS = 9
MOST_TICKS = 5
MOST_EVENINGS = 20
MOST_NAMES = 6
MOST_FACES = 20  # that have room for their names below the bars
BAR = 20  # units from one bar to the next; the highest is three of them


@dataclass(frozen=True)
class Spread:
    """How often each face of a die came up."""

    name: str
    words: str
    faces: tuple[tuple[str, int], ...]

    @property
    def few(self) -> bool:
        return len(self.faces) <= MOST_FACES

    @property
    def wide(self) -> int:
        return BAR * len(self.faces)

    @property
    def in_words(self) -> str:
        return ", ".join(f"{face}: {count}" for face, count in self.faces)

    @property
    def bars(self) -> list[tuple[int, float, float]]:
        """Where each begins, and how high it is; a face that never fell has a foot at least."""
        most = max(count for _, count in self.faces)
        heights = [3 * BAR * count / most for _, count in self.faces]
        return [(BAR * at + 2, 3 * BAR + 2 - high, high + 1) for at, high in enumerate(heights)]


def spreads(dice: Dice, game: Game[Any]) -> list[Spread]:
    names = {die.id: die.name for die in game.dice}
    return [_spread(dice, names.get(die, die), die, real) for die, real in dice.spread]


def _spread(dice: Dice, name: str, die: str, real: bool) -> Spread:
    faces = dice.fallen(die, real)
    times = counted(sum(faces.values()), "time")
    return Spread(name, f"rolled {'at the table' if real else 'here'}, {times}", tuple(faces.items()))


def score_chart(chart: Chart) -> Markup:
    """A line for each seat, in its colour and with a pattern of its own."""
    alternative = f"{capital(chart.word)} by {chart.by.lower() or 'tap'}. " + " ".join(
        _read_out((seat.name, totals)) for seat, totals in chart.lines
    )
    every = -(-len(chart.labels) // MOST_LABELS)
    drawn = _pygal().Line(
        **_plain(HIGH), show_minor_x_labels=False, x_labels_major_every=every, dots_size=5, stroke_style={}
    )
    drawn.x_labels = chart.labels
    drawn.y_labels = _ticks([total for _, totals in chart.lines for total in totals if total is not None])
    for seat, totals in chart.lines:
        drawn.add(seat.name, totals)
    return _svg(drawn, alternative, [seat for seat, _ in chart.lines])


@dataclass(frozen=True)
class Lines:
    """A chart of a game's evenings, and who is who in it."""

    svg: Markup
    names: tuple[str, ...]
    colours: tuple[str, ...]
    word: str


def history_chart(evenings: Sequence[Recap]) -> Lines | None:
    """The scores of one game from evening to evening, for the names that played it most."""
    decided = [
        each for each in reversed(evenings) if each.verdict.final and each.scores and each.scores.decide
    ]
    if len(decided) < 2:
        return None
    decided = decided[-MOST_EVENINGS:]
    scored = [{place.seat.name.casefold(): place.total for place in each.places} for each in decided]
    shown = {place.seat.name.casefold(): place.seat.name for each in decided for place in each.places}
    often = sorted(shown, key=lambda name: (-sum(name in each for each in scored), name))[:MOST_NAMES]
    lines = [(shown[name], [each.get(name) for each in scored]) for name in often]
    drawn = _pygal().Line(**_plain(HIGH), dots_size=6, allow_interruptions=False)
    drawn.x_labels = [str(number) for number in range(1, len(decided) + 1)]
    drawn.y_labels = _ticks([total for _, totals in lines for total in totals if total is not None])
    for name, totals in lines:
        drawn.add(name, totals)
    word = next(each.scores.word for each in decided if each.scores)
    alternative = f"{word} from evening to evening. " + " ".join(map(_read_out, lines))
    looks = [Seat(number, "", colour, "") for number, colour in enumerate(COLOURS[:MOST_NAMES])]
    return Lines(_svg(drawn, alternative, looks), tuple(name for name, _ in lines), COLOURS, word)


def _read_out(line: tuple[str, Sequence[int | None]]) -> str:
    return f"{line[0]}: {', '.join('none' if total is None else plain(total) for total in line[1])}."


def bar_chart(bars: Sequence[tuple[str, int]], alternative: str) -> Markup:
    """One bar for each name, the longest on top."""
    drawn = _pygal().HorizontalBar(
        **_plain(24 + 40 * len(bars)), print_values=True, show_x_guides=False, show_x_labels=False
    )
    drawn.x_labels = [name for name, _ in reversed(bars)]
    drawn.add("", [number for _, number in reversed(bars)])
    return _svg(drawn, alternative)


def _ticks(numbers: Sequence[int]) -> list[int]:
    """A few round numbers from below the lowest to above the highest; nought is one of them."""
    low, high = min(0, *numbers), max(1, *numbers)
    steps = (n * 10**k for k in itertools.count() for n in (1, 2, 5))
    step = next(step for step in steps if high - low <= MOST_TICKS * step)
    return list(range(low // step * step, high + step, step))


@cache
def _pygal() -> Any:
    import pygal  # a tenth of a second; no phone at a table should wait for it

    # It looks for its plug-ins with an importer of its own, of a kind that Python warns of ever after.
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != pygal.__name__]
    return pygal


def _plain(high: int) -> dict[str, Any]:
    style = _pygal().style.Style(label_font_size=20, major_label_font_size=20, value_font_size=20)
    return {
        "width": WIDE,
        "height": high,
        "margin": 12,
        "style": style,
        "css": [],
        "js": [],
        "show_legend": False,
        "formatter": lambda value: plain(int(value)),
        "disable_xml_declaration": True,
        "no_data_text": "",
        "truncate_label": 16,
    }


def _svg(drawn: Any, alternative: str, seats: Sequence[Seat] = ()) -> Markup:
    def ours(root: Element) -> Element:
        _strip(root)
        root.attrib.pop("id", None)
        root.set("class", "recap-chart")
        root.set("role", "img")
        root.set("aria-label", alternative)
        for group in root.iter("g"):
            kinds = group.get("class", "").split()
            if "series" in kinds and seats:
                group.set("data-colour", seats[int(kinds[1].removeprefix("serie-"))].colour)
        return root

    drawn.add_xml_filter(ours)
    return Markup(drawn.render(is_unicode=True))


def _strip(node: Element) -> None:
    """What only scripts need, and what the policy forbids."""
    node.attrib.pop("style", None)
    for child in list(node):
        kind = child.tag if isinstance(child.tag, str) else "comment"
        if kind in ("defs", "desc", "title", "comment") or "tooltip-overlay" in child.get("class", ""):
            node.remove(child)
        else:
            _strip(child)
