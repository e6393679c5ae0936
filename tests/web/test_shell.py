"""What a phone is given to keep: the home screen's files, and the worker that opens us without a server."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

from at_the_table import Handset
from flask import Flask
from PIL import Image

from companion.web import sign
from companion.web.shell import Shell

ROOT = Path(__file__).parents[2]
Phones = Callable[[], Handset]


def told(app: Flask, name: str) -> object:
    worker = app.test_client().get("/shell.js").text
    return json.loads(re.search(rf"^const {name} = (.*);$", worker, re.M)[1])


def manifest(lasting_app: Flask) -> dict[str, object]:
    page = lasting_app.test_client().get("/")
    address = re.search(r'<link rel="manifest" href="(/f/\w+/companion.webmanifest)">', page.text)[1]
    answer = lasting_app.test_client().get(address)
    assert answer.mimetype == "application/manifest+json"
    return json.loads(answer.text)


def test_the_home_screen_gets_a_name_a_start_and_icons(lasting_app: Flask) -> None:
    said = manifest(lasting_app)
    assert (said["display"], said["start_url"], said["scope"], said["id"]) == ("standalone", "/", "/", "/")
    assert said["name"] == said["short_name"] == "Companion"
    kinds = {(each["purpose"], each["sizes"]) for each in said["icons"]}
    assert {("any", "192x192"), ("any", "512x512"), ("maskable", "192x192"), ("maskable", "512x512")} <= kinds
    for each in said["icons"]:
        answer = lasting_app.test_client().get(each["src"])
        assert answer.status_code == 200
        assert answer.mimetype == each["type"]
        assert "immutable" in answer.headers["Cache-Control"]
        if each["type"] == "image/png":
            size = int(each["sizes"].partition("x")[0])
            assert Image.open(io.BytesIO(answer.data)).size == (size, size)


def test_a_phone_may_cut_an_icon_to_its_own_shape_and_loses_nothing_of_the_sign() -> None:
    """Whatever lies within four fifths of it is safe, its makers say; there must be colour to the edge."""
    masked = Image.open(io.BytesIO(sign.png(192, masked=True))).convert("RGBA")
    assert masked.getextrema()[3] == (255, 255), "not a pixel is seen through"
    lit = [
        (x, y)
        for x in range(192)
        for y in range(192)
        if masked.getpixel((x, y))[0] > 100  # the gold of the token
    ]
    assert max((x - 95.5) ** 2 + (y - 95.5) ** 2 for x, y in lit) ** 0.5 < 0.4 * 192
    tile = Image.open(io.BytesIO(sign.png(192)))
    assert tile.getpixel((0, 0))[3] == 0, "round corners"
    assert tile.getpixel((96, 96)) == (*sign.DARK, 255), "the plus in the middle"
    assert tile.getpixel((96, 40)) == (*sign.GOLD, 255)


def test_the_drawing_is_the_one_that_browsers_show_in_a_tab() -> None:
    """One sign: the numbers of the SVG are those of the picture."""
    drawing = (ROOT / "static/icon.svg").read_text("utf-8")
    token, ring, inside = sign.TOKEN[:3]
    assert f'r="{token.round}"' in drawing
    assert f'r="{(ring.round + inside.round) / 2:.3f}"' in drawing
    assert f'stroke-width="{ring.round - inside.round:.3f}"' in drawing
    for colour in (sign.DARK, sign.GOLD):
        assert "#" + bytes(colour).hex() in drawing


def test_the_colour_around_the_page_is_the_ground_of_its_theme(lasting_app: Flask) -> None:
    tokens = (ROOT / "static/css/tokens.css").read_text("utf-8")
    dark, light = re.findall(r"--ground: (#\w+);", tokens)
    page = lasting_app.test_client().get("/").text
    assert f'content="{dark}" data-dark="{dark}" data-light="{light}"' in page
    assert {manifest(lasting_app)[each] for each in ("theme_color", "background_color")} == {dark}


def test_the_worker_answers_for_all_and_is_asked_for_anew_each_time(lasting_app: Flask) -> None:
    client = lasting_app.test_client()
    answer = client.get("/shell.js")
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    again = client.get("/shell.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


def test_a_phone_keeps_every_file_that_a_page_names(phone: Phones) -> None:
    """Or a page that is kept would open without it."""
    ada = phone()
    files = set(told(ada.app, "FILES"))
    for slug in ada.app.extensions["play"].games:
        names = [f"Player {n}" for n in range(ada.app.extensions["play"].games[slug].seats[0])]
        code = ada.open(*names, slug=slug)
        for path in ("/", "/rules", f"/rules/{slug}", f"/s/{code}", f"/s/{code}/display", "/offline"):
            page = ada.get(path)
            assert page.headers["X-Edition"] == told(ada.app, "EDITION")
            assert f'data-edition="{told(ada.app, "EDITION")}"' in page.text
            named = set(re.findall(r'"(/f/\w+/[^"#]+)', page.text))
            assert named
            assert {each for each in named - files if not each.endswith(".png")} == set()
    for each in files:
        answer = ada.get(each)
        assert "immutable" in answer.headers["Cache-Control"], each


def test_kept_pages_are_under_the_same_policy(lasting_app: Flask) -> None:
    page = lasting_app.test_client().get("/")
    kept = told(lasting_app, "HEADERS")
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Edition"):
        assert kept[name] == page.headers[name]


def test_an_edition_is_another_one_as_soon_as_anything_in_it_is(lasting_app: Flask, tmp_path: Path) -> None:
    first = Shell(lasting_app).edition
    assert Shell(lasting_app).edition == first, "and the same for every process of it"
    was = lasting_app.template_folder
    (tmp_path / "base.html").write_text("other")
    lasting_app.template_folder = str(tmp_path)
    try:
        assert Shell(lasting_app).edition != first
    finally:
        lasting_app.template_folder = was
    assets = lasting_app.extensions["assets"]
    before = assets._all["table.js"]  # noqa: SLF001
    assets._put("table.js", b"other")  # noqa: SLF001
    try:
        assert Shell(lasting_app).edition != first
    finally:
        assets._all["table.js"] = before  # noqa: SLF001
