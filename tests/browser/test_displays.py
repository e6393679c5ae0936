"""The table display in every phase of every room: the screen is full, nothing is cut or covered, all of it
can be read.

One page, no server, no picture: what `displays.py` found is put into it, and every line of text is asked
where it is (`display.js`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from displays import PLAYED, shown
from flask import Flask
from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.browser

JS = Path(__file__).parents[2] / "static" / "js"
#: For this drawing alone: what it leaves for the next one would be done again with each.
ALONE = "const addEventListener = () => {}; document.adoptedStyleSheets = [];"
FILL = f"{{ {ALONE} {(JS / 'fill.js').read_text('utf-8')} }}"
LOADED = """async () => {
    await document.fonts.ready;
    Object.defineProperty(document, "fonts", { value: { ready: { then() {} } } });
}"""
ASK = Path(__file__).with_name("display.js").read_text("utf-8")
#: All in one go, and then it is gone: nothing of it is ever painted, which would take longer than all else.
LOOKS = f"""(html) => {{
    {ASK}
    put(html);
    {FILL}
    const seen = look();
    document.body.replaceChildren();
    return seen;
}}"""
#: Nothing lies over a text unless it can be hit.
HIT = "* { pointer-events: auto !important; } ::before, ::after { pointer-events: none !important; }"
HERE = "http://display.test/"
SCREENS = ((1920, 1080), (1280, 720))
READABLE = 1 / 54  # of the height: 20 px of 1080, a centimetre and a quarter on 55 inches
LARGE = 1 / 24  # what matters now
EMPTY = 0.3  # the largest rectangle with nothing in it may be that much of the screen


@pytest.fixture(scope="module")
def page(chromium: Browser, lasting_app: Flask) -> Iterator[Page]:
    """Styles and signs come from the app, without a server; scripts do not come."""
    context = chromium.new_context(reduced_motion="reduce", color_scheme="dark")
    page, client = context.new_page(), lasting_app.test_client()

    def answer(route: Route) -> None:
        found = client.get(urlsplit(route.request.url).path)
        route.fulfill(status=found.status_code, body=found.data, content_type=found.content_type)

    page.route("**/f/**", answer)
    page.route("**/*.js", lambda route: route.fulfill(body=""))
    yield page
    context.close()


def opened(page: Page, html: str) -> None:
    """With the room's own styles; what comes after it needs no more than to be put there."""
    page.route(HERE, lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(HERE)
    page.add_style_tag(content=HIT)
    page.evaluate(LOADED)  # fonts are there, and nothing has to be filled again when they are


@pytest.mark.parametrize("slug", PLAYED)
def test_a_display_is_full_and_whole_in_every_phase(page: Page, lasting_app: Flask, slug: str) -> None:
    """On the smaller screen it is the same drawing, so a few of them will do there."""
    pages = shown(lasting_app, slug)
    opened(page, pages[0].html)
    wrong = []
    for (width, height), some in zip(SCREENS, (pages, pages[::6]), strict=True):
        page.set_viewport_size({"width": width, "height": height})
        wrong += [f"{each}, {width} px: {said}" for each in some for said in found_wrong(page, each.html)]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


def found_wrong(page: Page, html: str) -> Iterator[str]:
    seen = page.evaluate(LOOKS, html)
    yield from seen["wrong"]
    height = seen["high"]
    if seen["least"][0] < height * READABLE:
        yield f"too small to read: {seen['least']}"
    if seen["most"] < height * LARGE:
        yield f"nothing is large: {seen['most']}"
    if seen["empty"][0] > EMPTY:
        yield f"empty: {seen['empty']}"
