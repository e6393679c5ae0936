"""Whether a page is for everyone: axe, thumbs, and nothing that scrolls sideways."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from screen import SHOWN, SIZES, UNSEEN, bring

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
LEAST = 48  # px that a thumb can hit

#: Everything on one of them, and on the other, in the other light, what only there can differ: colours. Every
#: second place is looked at the other way round: what stands in several was seen in all four ways. Each piece
#: is in the gallery too, where it is seen at every size in both lights.
#: Style sheets need not be fetched once more: no rule that we ask reads them.
ALL = {"resultTypes": ["violations"], "preload": False}
COLOURS = {**ALL, "runOnly": ["color-contrast"]}
Looks = tuple[tuple[str, str, dict[str, Any]], ...]
LOOKS: Looks = (("phone", "dark", ALL), ("tablet", "light", COLOURS))
OTHERWISE: Looks = (("tablet", "dark", ALL), ("phone", "light", COLOURS))
IN_THE_HAND: Looks = (("phone", "dark", ALL),)
IN_THE_LIGHT: Looks = (("phone", "light", ALL),)

#: What may be smaller than a thumb: the whole line that it stands in is the target, and that is measured.
MEASURED_ELSEWHERE = ".chair input, .choice input, .mine input, .looks input, .tile input"

#: What lies over the page, and else all of it: what is under a sheet was looked at before that was opened.
UPPERMOST = """([...document.querySelectorAll("dialog[open], [popover]:popover-open:not(#toasts)")].at(-1)
    ?? document)"""
VIOLATIONS = f"""async ([theme, what]) => {{
    if (theme) document.documentElement.dataset.theme = theme;
    const {{ violations }} = await axe.run({UPPERMOST}, what);
    return violations.flatMap(({{ id, nodes }}) =>
        nodes.map(({{ html, failureSummary }}) => `${{id}}: ${{html.slice(0, 160)}}\\n${{failureSummary}}`));
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

#: What comes in by fading has not its own colours yet; what moves for ever is at rest.
AT_REST = """() => !document.getAnimations().some((each) =>
    each.playState === "running" && each.effect.getComputedTiming().endTime < 5000)"""


def resize(page: Page, size: str) -> None:
    viewport = dict(zip(("width", "height"), SIZES[size], strict=True))
    if page.viewport_size != viewport:
        page.set_viewport_size(viewport)


def ready(page: Page) -> None:
    bring(page, AXE)
    page.evaluate(SHOWN)
    page.wait_for_function(AT_REST, polling=100)


def violations(page: Page, theme: str = "", what: dict[str, Any] = ALL) -> list[str]:
    """What axe finds on a page that is ready for it."""
    found: list[str] = page.evaluate(VIOLATIONS, [theme, what])
    return found


def findings(page: Page, looks: Looks = LOOKS) -> list[str]:
    """What somebody could stumble over here; the page is left as a phone, in its own colours."""
    found: dict[str, list[str]] = defaultdict(list)
    before = page.evaluate("() => document.documentElement.dataset.theme ?? ''")
    ready(page)
    for size, theme, what in looks:
        resize(page, size)
        for each in violations(page, theme, what):
            found[each].append(f"{size} {theme}")
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", before)
    for what, where in out_of_reach(page).items():
        found[what] += where
    told = [f"{what} ({'; '.join(where)})" for what, where in found.items()]
    return [f"{len(told)} findings, for example:", *told[:4]] if told else []


def out_of_reach(page: Page) -> dict[str, list[str]]:
    """What a hand would miss at any size, beginning with that of now; the page is left as a phone."""
    found: dict[str, list[str]] = defaultdict(list)
    page.evaluate(f"() => {UNSEEN}")
    now = page.viewport_size["width"]
    for size, (width, _) in sorted(SIZES.items(), key=lambda each: (each[1][0] != now, each[0] == "phone")):
        resize(page, size)
        wide = page.evaluate("() => document.scrollingElement.scrollWidth")
        if wide > width:
            found["scrolls sideways"].append(f"{wide} px at {width}")
    resize(page, "phone")
    if small := page.evaluate(SMALL_TARGETS, [LEAST, MEASURED_ELSEWHERE]):
        found["too small for a thumb"] += small
    return found
