"""Charts as inline SVG. pygal works out where everything goes; how it looks is up to our own sheet of styles.

The page's CSP allows no inline style and no script, so both are taken out of what pygal draws, and its
classes are left: companion.css colours them, in both themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from markupsafe import Markup

from companion.core import Seat
from companion.core.text import plain
from companion.recap import Chart

WIDE, HIGH = 720, 360  # units of the drawing; the page scales it
MOST_LABELS = 12
MOST_TICKS = 5


def score_chart(chart: Chart, alternative: str) -> Markup:
    """A line for each seat, in its colour and with a pattern of its own."""
    every = -(-len(chart.labels) // MOST_LABELS)
    drawn = _pygal().Line(
        **_plain(HIGH), show_minor_x_labels=False, x_labels_major_every=every, dots_size=5, stroke_style={}
    )
    drawn.x_labels = chart.labels
    drawn.y_labels = _ticks([total for _, totals in chart.lines for total in totals if total is not None])
    for seat, totals in chart.lines:
        drawn.add(seat.name, totals)
    return _svg(drawn, alternative, [seat for seat, _ in chart.lines])


def bar_chart(bars: Sequence[tuple[str, int]], alternative: str) -> Markup:
    """One bar for each name, the longest on top."""
    drawn = _pygal().HorizontalBar(
        **_plain(48 + 44 * len(bars)), print_values=True, show_x_guides=False, show_x_labels=False
    )
    drawn.x_labels = [name for name, _ in reversed(bars)]
    drawn.add("", [number for _, number in reversed(bars)])
    return _svg(drawn, alternative)


def _ticks(numbers: Sequence[int]) -> list[int]:
    """A few round numbers from below the lowest to above the highest; nought is one of them."""
    low, high = min(0, *numbers), max(1, *numbers)
    step = next(n * 10**k for k in range(9) for n in (1, 2, 5) if (high - low) / (n * 10**k) <= MOST_TICKS)
    return list(range(low // step * step, high + step, step))


def _pygal() -> Any:
    import pygal  # a tenth of a second; no phone at a table should wait for it

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
        "truncate_label": 24,
    }


def _svg(drawn: Any, alternative: str, seats: Sequence[Seat] = ()) -> Markup:
    def ours(root: Element) -> Element:
        _strip(root)
        root.attrib.pop("id", None)
        root.set("class", "chart")
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
