"""Whether a page is for everyone: axe, thumbs, and nothing that scrolls sideways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from screen import SIZES

AXE = (Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
LEAST = 48  # px that a thumb can hit
SHORT = 12  # letters of a word that is never in two; longer ones may be hyphenated
LEGIBLE = Path(__file__).with_name("legible.js").read_text("utf-8")

#: Everything in one light, and in the other what only there can differ: colours. Every second place is looked
#: at on a tablet: what stands in several was seen in all four ways. Each piece is in the gallery too, where
#: it is seen at every size in both lights.
#: Style sheets need not be fetched once more: no rule that we ask reads them. Nor does anybody ask by which
#: selector something is found.
ALL = {"resultTypes": ["violations"], "preload": False, "selectors": False}
COLOURS = {**ALL, "runOnly": ["color-contrast"]}
Looks = tuple[tuple[str, str, dict[str, Any]], ...]
LOOKS: Looks = (("phone", "dark", ALL), ("phone", "light", COLOURS))
OTHERWISE: Looks = (("tablet", "light", ALL), ("tablet", "dark", COLOURS))
IN_THE_HAND: Looks = (("phone", "dark", ALL),)
IN_THE_LIGHT: Looks = (("phone", "light", ALL),)

#: What may be smaller than a thumb: the whole line that it stands in is the target, and that is measured.
MEASURED_ELSEWHERE = ".chair input, .choice input, .mine input, .looks input, .tile input"

#: What lies over the page, and else all of it: what is under a sheet was looked at before that was opened.
UPPERMOST = """([...document.querySelectorAll("dialog[open], [popover]:popover-open:not(#toasts)")].at(-1)
    ?? document)"""
#: What comes in by fading has not its own colours yet; what moves for ever is at rest.
AT_REST = """() => !document.getAnimations().some((each) =>
    each.playState === "running" && each.effect.getComputedTiming().endTime < 5000)"""
#: Axe takes what is transparent for hidden, and of a gradient it cannot tell how dark it is. So as long as it
#: looks there is neither; `background-color` is the end of the gradient that is harder to read on.
PLAIN = "*, ::before, ::after { background-image: none !important }"
#: In a light of its own, or as the page is.
VIOLATIONS = f"""async ([theme, what, parts]) => {{
    const {{ dataset }} = document.documentElement, before = dataset.theme;
    const sheets = document.adoptedStyleSheets;
    const unseen = window.unseen?.disabled === false ? window.unseen : {{}}, plain = new CSSStyleSheet();
    const where = parts ? [...document.querySelectorAll(parts)] : {UPPERMOST};
    if (theme) dataset.theme = theme;
    unseen.disabled = true;
    plain.replaceSync("{PLAIN}");
    document.adoptedStyleSheets = [...sheets, plain];
    while (!({AT_REST})()) await new Promise((done) => setTimeout(done, 50));
    try {{
        const {{ violations }} = await axe.run(where, what);
        return violations.flatMap(({{ id, nodes }}) => nodes.map(({{ html, failureSummary }}) =>
            `${{id}}: ${{html.slice(0, 160)}}\\n${{failureSummary}}`));
    }} finally {{
        unseen.disabled = false;
        dataset.theme = before;
        document.adoptedStyleSheets = sheets;
    }}
}}"""

SMALL_TARGETS = """([least, elsewhere]) => {
    const all = %s.querySelectorAll(
        "a[href], button, input, select, summary, label:has([type=radio], [type=checkbox])");
    return [...all].filter((each) => !each.matches(elsewhere) && each.type !== "hidden")
        .filter((each) => each.checkVisibility({visibilityProperty: true}))
        .filter((each) => !each.disabled && getComputedStyle(each).pointerEvents !== "none")
        .map((each) => [each, each.getBoundingClientRect()])
        .filter(([each, {width, height}]) => width && height && (width < least - 0.5 || height < least - 0.5))
        .map(([each, {width, height}]) =>
            `${Math.round(width)}×${Math.round(height)} ${each.outerHTML.slice(0, 90)}`);
}""".replace("%s", UPPERMOST)


def resize(page: Page, size: str) -> None:
    viewport = dict(zip(("width", "height"), SIZES[size], strict=True))
    if page.viewport_size != viewport:
        page.set_viewport_size(viewport)


def ready(page: Page) -> None:
    """Axe is brought to where the page is now: to have it come along wherever that goes next costs as much
    each time, also where nobody asks it anything."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)


def violations(page: Page, theme: str = "", what: dict[str, Any] = ALL, *parts: str) -> list[str]:
    """What axe finds on a page that is ready for it; it is left in its own colours. Whoever says in which
    parts something is new is told of these alone."""
    found: list[str] = page.evaluate(VIOLATIONS, [theme, what, ", ".join(parts)])
    return found


def illegible(page: Page) -> list[str]:
    """Words in two, what lies over something else, and signs nobody can see, in the colours of now."""
    found: list[str] = page.evaluate(LEGIBLE, SHORT)
    return found


def findings(page: Page, looks: Looks = LOOKS, sizes: Iterable[str] = SIZES) -> list[str]:
    """What somebody could stumble over here; the page is left as a phone."""
    found: dict[str, list[str]] = defaultdict(list)
    ready(page)
    for size, theme, what in looks:
        resize(page, size)
        for each in violations(page, theme, what):
            found[each].append(f"{size} {theme}")
        _sideways(page, found)
    left = [size for size in sizes if size not in {size for size, *_ in looks}]
    for what, where in out_of_reach(page, left).items():
        found[what] += where
    told = [f"{what} ({'; '.join(where)})" for what, where in found.items()]
    return [f"{len(told)} findings, for example:", *told[:4]] if told else []


def _sideways(page: Page, found: dict[str, list[str]]) -> None:
    wide, width = page.evaluate("() => [document.scrollingElement.scrollWidth, innerWidth]")
    if wide > width:
        found["scrolls sideways"].append(f"{wide} px at {width}")


def out_of_reach(page: Page, sizes: Iterable[str] = SIZES) -> dict[str, list[str]]:
    """What a hand would miss at any of these, beginning with that of now; the page is left as a phone."""
    found: dict[str, list[str]] = defaultdict(list)
    now = page.viewport_size["width"]
    for size in sorted(sizes, key=lambda each: (SIZES[each][0] != now, each == "phone")):
        resize(page, size)
        _sideways(page, found)
    resize(page, "phone")
    if small := page.evaluate(SMALL_TARGETS, [LEAST, MEASURED_ELSEWHERE]):
        found["too small for a thumb"] += small
    return found
