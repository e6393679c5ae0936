"""Scripts, styles and pictures are few, small, fetched once and kept, until there are others."""

from __future__ import annotations

import gzip
import re
import secrets
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from at_the_table import Handset

from companion import ROOT
from companion.games import folder, shelf
from companion.web.assets import script

Phones = Callable[[], Handset]
LINK = re.compile(r'(?:src|href)="(/f/[^"#]+)')
SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"')
SQUEEZED = {"Accept-Encoding": "gzip, br"}
GAMES = shelf()


def test_what_a_page_is_made_of_is_fetched_once(phone: Phones) -> None:
    ada = phone()
    links = set(LINK.findall(ada.get(f"/s/{ada.open('Ada', 'Bob')}").text))
    assert {link.rpartition(".")[2] for link in links} == {"js", "css", "woff2", "svg", "png", "webmanifest"}
    for link in links:
        answer = ada.get(link)
        assert (answer.status_code, "immutable" in answer.headers["Cache-Control"]) == (200, True), link


@pytest.mark.parametrize("slug", GAMES)
def test_a_table_is_less_than_a_hundred_kilobytes_in_fifteen_requests(phone: Phones, slug: str) -> None:
    """The stream comes on top, and is counted in a browser: tests/browser/test_access.py."""
    ada, game = phone(), GAMES[slug]
    names = ("Ada", "Bob", "Cleo", "Dov", "Eve")[: max(2, game.seats[0])]
    page = ada.get(f"/s/{ada.open(*names, slug=slug)}", headers=SQUEEZED)
    assert page.headers["Content-Encoding"] == "gzip"
    links = set(LINK.findall(gzip.decompress(page.data).decode()))
    sizes = {link: len(ada.get(link, headers=SQUEEZED).data) for link in links} | {"page": len(page.data)}
    assert len(sizes) <= 14, sizes
    assert sum(sizes.values()) <= 100_000, sizes


def test_what_cannot_unpack_gets_it_as_it_is(phone: Phones) -> None:
    ada = phone()
    for path in ("/", "/f/now/site.css"):
        packed, plain = ada.get(path, headers=SQUEEZED), ada.get(path)
        assert "Content-Encoding" not in plain.headers
        assert "Accept-Encoding" in packed.headers["Vary"]
        assert len(packed.data) < len(plain.data) / 2
    assert gzip.decompress(packed.data) == plain.data


def test_a_page_of_an_older_version_gets_what_there_is_and_asks_again(phone: Phones) -> None:
    answer = phone().get("/f/012345/site.css")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")


def test_nothing_beside_what_is_ours_is_served(phone: Phones) -> None:
    for path in ("../pyproject.toml", "%2e%2e/pyproject.toml", "nothing.js", "", "any-game/README.md"):
        assert phone().get(f"/f/012345/{path}").status_code in (404, 308), path


def test_a_script_comes_with_what_it_imports_each_once_and_in_order(tmp_path: Path) -> None:
    files = {
        "low.js": "// why\nlet hidden = 1;\nexport const low = () => hidden;\n",
        "mid-way.js": 'import { low } from "./low.js";\nexport function mid() { return low(); }\n',
        "top.js": 'import { low } from "./low.js";\nimport "./mid-way.js";\nlow();\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    told = script(tmp_path / "top.js")
    assert told.count("let hidden") == 1
    assert told.index("const $low =") < told.index("const $mid_way =") < told.index("\nlow();")
    assert "why" not in told
    assert not re.search(r"^(?:im|ex)port ", told, re.M)
    (tmp_path / "low.js").write_text("export let low = 1;\n", "utf-8")  # would be copied, and not be the same
    with pytest.raises(ValueError, match=r"low\.js imports or exports in a way"):
        script(tmp_path / "top.js")


def test_no_page_brings_a_module_twice() -> None:
    """Or there would be two queues of taps."""
    folder, others = ROOT / "templates", {"htmx.min.js", "hx-sse.min.js"}

    def brought(page: str) -> set[str]:
        """By itself, and by what it extends."""
        text = (folder / page).read_text("utf-8")
        above = re.match(r'\{% extends "([^"]+)"', text)
        return set(re.findall(r'asset\("([\w-]+\.js)"\)', text)) - others | (
            brought(above[1]) if above else set()
        )

    pages = {str(path.relative_to(folder)) for path in folder.rglob("*.html")}
    scripts = {page: brought(page) for page in pages}
    bring = {
        name: set(re.findall(r"^const (\$\w+) =", script(ROOT / "static/js" / name), re.M))
        for name in set().union(*scripts.values())
    }
    twice = [
        (page, *pair)
        for page, names in scripts.items()
        for pair in combinations(sorted(names), 2)
        if bring[pair[0]] & bring[pair[1]]
    ]
    assert bring["table.js"]
    assert scripts["sitting/recap.html"] == {"theme.js", "shell.js", "table.js", "recap.js"}
    assert twice == [], bring


# --- what is painted by whom ---

LOOKS = re.compile(r"(?<!-)--[\w-]+:#[0-9a-f]{6}")


@pytest.fixture(scope="module")
def sheets(lasting_app: object) -> dict[str, dict[str, list[str]]]:
    """Which sheets of style each page of each room names."""
    found: dict[str, dict[str, list[str]]] = {}
    for slug, game in GAMES.items():
        ada, dov = Handset(lasting_app), Handset(lasting_app)  # type: ignore[arg-type]
        code = ada.open(*("Ada", "Bob", "Cleo")[: max(2, game.seats[0])], slug=slug)
        inside = {
            page: f"/s/{code}{page}"
            for page in ("", "/people", "/display", "/log", "/dice", "/seat", "/recap")
        }
        outside = {
            "open": f"/open/{slug}",
            "door": f"/j/{code}/{dov.secret(code)}",
            "rules": f"/rules/{slug}",
        }
        refused = ada.post(f"/open/{slug}", {"tap": secrets.token_hex(8)}).text
        found[slug] = {name: SHEET.findall(ada.get(path).text) for name, path in inside.items()}
        found[slug] |= {name: SHEET.findall(dov.get(path).text) for name, path in outside.items()}
        found[slug]["refused"] = SHEET.findall(refused)
    return found


@pytest.mark.parametrize("slug", GAMES)
def test_a_rooms_styles_reach_no_page_but_its_table(
    sheets: dict[str, dict[str, list[str]]], slug: str
) -> None:
    own = (folder(GAMES[slug]) / "faces" / "style.css").exists()
    for page, named in sheets[slug].items():
        plain = sheets["any-game"][page]
        assert len(plain) == 1, "any game brings none"
        at_table = page in ("", "/display") and own
        assert [sheet.partition("/")[2] for sheet in named[: len(plain)]] == [
            each.partition("/")[2] for each in plain
        ]
        assert [slug in sheet for sheet in named[len(plain) :]] == ([True] if at_table else []), page


def test_what_all_pages_know_of_a_game_is_nothing_but_its_colours(phone: Phones) -> None:
    sheet = phone().get("/f/now/site.css").text
    about = re.findall(r'([^{}]*\[data-game="[^{}]*)\{([^{}]*)\}', sheet)
    assert len(about) == 2 * len(GAMES)
    for _, told in about:
        assert not LOOKS.sub("", told).strip("; "), told


def test_every_picture_lies_on_the_lid_of_its_game_in_inks_of_its_own(phone: Phones) -> None:
    """A room without one has its sign there."""
    home = phone().get("/").text
    drawn = re.findall(r'<use href="(/f/\w+/[\w-]+/picture.svg)#picture">', home)
    pictures = {slug for slug, game in GAMES.items() if (folder(game) / "faces" / "picture.svg").exists()}
    assert pictures
    assert sorted(address.split("/")[3] for address in drawn) == sorted(pictures)
    assert home.rindex("/open/any-game") > max(
        home.rindex(f"/open/{slug}") for slug in GAMES if slug != "any-game"
    )
    for address in drawn:
        picture = phone().get(address).text
        assert '<symbol id="picture"' in picture
        assert {"var(--p0)", "var(--p3)"} & set(re.findall(r"var\(--p\d\)", picture))


def test_every_page_says_what_this_is_to_who_searches(phone: Phones) -> None:
    for path in ("/", "/rules", "/open/any-game", "/nowhere"):
        assert (
            len(re.findall(r'<meta name="description" content="[^"]{50,160}">', phone().get(path).text)) == 1
        )
