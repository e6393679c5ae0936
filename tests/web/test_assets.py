"""Scripts and styles are fetched once and kept, until there are others."""

from __future__ import annotations

import re
from collections.abc import Callable

from at_the_table import Handset

from companion import ROOT

Phones = Callable[[], Handset]
LINK = re.compile(r'(?:src|href)="(/static/[^"]+)"')


def test_what_a_page_is_made_of_is_fetched_once(phone: Phones) -> None:
    ada = phone()
    links = [
        link for link in LINK.findall(ada.get(f"/s/{ada.open('Ada', 'Bob')}").text) if "icon" not in link
    ]
    assert {link.rpartition(".")[2] for link in links} >= {"js", "css", "woff2"}
    for link in links:
        answer = ada.get(link, buffered=True)
        assert (answer.status_code, "immutable" in answer.headers["Cache-Control"]) == (200, True), link


def test_a_page_of_an_older_version_gets_what_there_is_and_asks_again(phone: Phones) -> None:
    answer = phone().get("/static/v-0123456789/css/tokens.css", buffered=True)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")


def test_nothing_beside_the_folder_is_served(phone: Phones) -> None:
    for path in ("../pyproject.toml", "%2e%2e/pyproject.toml", "js/nothing.js", ""):
        assert phone().get(f"/static/v-0123456789/{path}").status_code in (404, 308), path


def test_scripts_and_styles_name_each_other_by_where_they_stand() -> None:
    """Or what they name would come without the version."""
    for file in [*(ROOT / "static/js").glob("*.js"), *(ROOT / "static/css").glob("*.css")]:
        named = re.findall(r'(?:from |import |import\(|url\()"([^"]+)"', file.read_text("utf-8"))
        assert not [each for each in named if each.startswith("/")], file.name
