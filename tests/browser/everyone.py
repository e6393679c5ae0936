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
#: Contrast is half of what axe does. It is asked of each text that is not like one which was answered for: of
#: the same colours all the way down to the page, the same kind of element in the same kind of place, the same
#: size. What axe could not say, for another reason than what it is painted on or that it is a sign and no
#: word, is asked anew unless the same words stand in the very same place. And where axe has found the colours
#: that we had reckoned, in one light, we reckon in the other; what would be too weak is for axe to judge.
#: Nothing is painted for axe, which takes what is transparent for hidden: it is told that it is not.
VIOLATIONS = f"""async ([theme, what, answered]) => {{
    const {{ dataset }} = document.documentElement, before = dataset.theme;
    if (theme) dataset.theme = theme;
    while (!({AT_REST})()) await new Promise((done) => setTimeout(done, 50));
    const where = {UPPERMOST}, known = new Set(answered.split(" ")), likeness = new Map();
    const hash = (text) => {{
        let one = 0xdeadbeef, two = 0x41c6ce57;
        for (let at = 0; at < text.length; at += 1) {{
            one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
            two = Math.imul(two ^ text.charCodeAt(at), 1597334677);
        }}
        return (one >>> 0).toString(36) + (two >>> 0).toString(36);
    }};
    const OFF = ":disabled, [aria-disabled=true]";
    const like = (each) => {{
        if (!each) return "";
        if (!likeness.has(each)) {{
            const style = truly(each);
            likeness.set(each, hash([like(each.parentElement), each.tagName, each.getAttribute("class"),
                style.color, style.backgroundColor, style.backgroundImage, style.opacity, style.textShadow,
                style.fontSize, style.fontWeight, style.position, each.matches(OFF)].join()));
        }}
        return likeness.get(each);
    }};
    const words = (node) => node.nodeType === Node.TEXT_NODE ? node.data.trim() : "";
    const text = (each) => each.matches("input, select, textarea") ? each.value || each.placeholder
        : [...each.childNodes].map(words).join("");
    const said = (each) => like(each) + (/[\\p{{L}}\\p{{N}}]{{2}}/u.test(text(each)) ? "" : hash(text(each)));
    const place = (each) => {{
        const {{ x, y, width, height }} = each.getBoundingClientRect();
        return [text(each), !ground(each), x, y, width, height].join();
    }};
    const placed = (each) => hash(said(each) + place(each));
    // Its own colour, and that of what it lies on as far as its own ancestors say so.
    const colour = (css) => (css.match(/^rgba?\\((.*)\\)$/)?.[1] ?? "").split(/[ ,/]+/).map(Number);
    const over = ([r, g, b, part = 1], below) =>
        [r, g, b].map((value, at) => value * part + below[at] * (1 - part));
    const ground = (each) => {{
        if (!each) return [255, 255, 255];
        const {{ backgroundColor, backgroundImage, opacity }} = window.getComputedStyle(each);
        const own = colour(backgroundColor);
        if (opacity !== "1" || backgroundImage !== "none" || own.length < 3) return null;
        const below = own.length === 3 ? own : ground(each.parentElement);
        return below && over(own, below);
    }};
    const reckoned = (each) => {{
        const below = ground(each), own = colour(truly(each).color);
        return below && own.length > 2 ? [over(own, below), below] : null;
    }};
    const hex = (rgb) => "#" + rgb.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
    const light = (rgb) => rgb.map((value) => value / 255)
        .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const good = (each) => {{
        const [one, other] = (reckoned(each) ?? [[0, 0, 0], [0, 0, 0]]).map(light);
        return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) >= 4.5;
    }};
    // What axe said of this very element in the other light: that of our reckoning, or that it cannot tell.
    const agreed = (window.agreed ??= new WeakSet()), unclear = (window.unclear ??= new WeakMap());
    const found = [], told = [];
    const PLAIN = ["bgGradient", "bgImage", "nonBmp", "shortTextContent"];
    const ask = async (context, more) => {{
        const {{ violations, passes, incomplete }} = await axe.run(context, {{ ...what, ...more }});
        for (const {{ id, nodes }} of violations) for (const {{ html, failureSummary }} of nodes)
            found.push(`${{id}}: ${{html.slice(0, 160)}}\\n${{failureSummary}}`);
        const of = (results) => results.flatMap(({{ nodes }}) => nodes);
        const plain = ({{ any: [check] }}) => PLAIN.includes(check?.data?.messageKey);
        const wrong = new Set(of(violations).map(({{ element }}) => element));
        const clear = [...of(passes), ...of(incomplete).filter(plain)];
        const sure = new Set(clear.map(({{ element }}) => element));
        for (const {{ element, any: [{{ data }}] }} of context.include ? of(passes) : []) {{
            const [own, below] = reckoned(element) ?? [];
            if (own && hex(own) === data.fgColor && hex(below) === data.bgColor) agreed.add(element);
        }}
        const passed = new Set(of(passes).map(({{ element }}) => element));
        for (const each of context.include ?? []) {{
            if (wrong.has(each)) continue;
            const kind = sure.has(each) ? said : placed;
            told.push(kind(each));
            if (!passed.has(each)) unclear.set(each, [place(each), kind === said]);
        }}
    }};
    const truly = window.getComputedStyle;
    const but = (style) => new Proxy(style, {{ get(_, name) {{
        const value = (asked) => asked === "opacity" ? "1" : style.getPropertyValue(asked);
        return name === "getPropertyValue" ? value : name === "opacity" ? "1" : style[name];
    }} }});
    if (window.unseen?.disabled === false) window.getComputedStyle = (each, ...more) => {{
        const style = truly(each, ...more);
        return each.matches("html, dialog, [popover]") ? but(style) : style;
    }};
    try {{
        const fresh = (each) => {{
            if (known.has(said(each)) || known.has(placed(each))) return false;
            const [there, sure] = unclear.get(each) ?? [];
            const clear = agreed.has(each) && good(each);
            if (!clear && there !== place(each)) return true;
            told.push((clear || sure ? said : placed)(each));
            return false;
        }};
        const texts = [...(where.body ?? where).querySelectorAll("*")]
            .filter((each) => text(each) && each.checkVisibility() && fresh(each));
        if (!what.runOnly?.includes?.("color-contrast")) await ask(where, {{
            rules: {{ "color-contrast": {{ enabled: false }} }} }});
        if (texts.length) await ask({{ include: texts }}, {{ elementRef: true,
            runOnly: ["color-contrast"], resultTypes: ["violations", "passes", "incomplete"] }});
    }} finally {{
        window.getComputedStyle = truly;
        dataset.theme = before;
    }}
    return [found, told];
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


#: What texts are like that axe need not be asked of again.
_answered: set[str] = set()


def violations(page: Page, theme: str = "", what: dict[str, Any] = ALL) -> list[str]:
    """What axe finds on a page that is ready for it; it is left in its own colours."""
    found: list[str]
    found, answered = page.evaluate(VIOLATIONS, [theme, what, " ".join(_answered)])
    _answered.update(answered)
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
