"""Every room's own faces, in states that a random evening comes to: for everyone, and nothing cut off."""

from __future__ import annotations

import random
import secrets
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import pytest
from at_the_table import Evening
from conftest import NewScreen
from evenings import Dice
from everyone import ALL, COLOURS, ready, resize, violations
from screen import House, Screen
from test_every_game import CAST, GAMES

from companion.core import Journal, Refused
from companion.core.pieces import Tap, inside
from companion.evenings.archive import Book, bring_back
from companion.sittings.sitting import hash_of
from companion.storage.store import Store

pytestmark = pytest.mark.browser

TAPS = 150
MOST = 3  # states of a room: its set-up, a phase, and the verdict or wherever the evening came to
#: Where a room is played through, axe sees each of its phases.
STEP_BY_STEP = {"escape-the-dark-castle", "mountains-of-madness"}
CUT = """() => { const title = document.querySelector(".top h1");
    return title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight + 1; }"""


def evening(slug: str) -> Journal:
    """Whatever of the room's own is offered is tapped, what it recommends more often than the rest."""
    chance, game = random.Random(slug), GAMES[slug]
    own = {each.__name__ for each in import_module(f"companion.games.{slug.replace('-', '_')}").GAME.commands}
    table = Evening(game, *CAST[: game.seats[-1] if len(game.seats) < 6 else 4])
    table.dice = Dice(chance)
    for _ in range(TAPS):
        offered = [each for each in inside(table.view.pieces) if isinstance(each, Tap) and not each.why_not]
        found = [each for each in offered if each.do and each.do.command in own]
        if not found or table.verdict.final:
            break
        tap = chance.choice([*found, *[each for each in found if each.strong] * 4])
        with suppress(Refused):
            table.do(tap.do.command, **tap.do.args)
    return table.journal


def states(played: Journal) -> list[Journal]:
    game, walk = played.game, Journal(played.game)
    first: dict[str, int] = {}
    for entry in played.entries:
        walk.add(entry)
        first.setdefault(game.view(walk.state).phase.key, entry.version)
    began, *phases = first.values()
    middle = phases[-2:-1] or phases[:1] or [played.version // 2 or 1]
    wanted = [began, *([] if game.slug in STEP_BY_STEP else middle), played.version][:MOST]
    return [Journal(game, played.entries[:version]) for version in dict.fromkeys(wanted)]


@pytest.fixture
def sat_down(house: House, screen: NewScreen, slug: str) -> Iterator[tuple[Screen, list[str]]]:
    """Ada's phone, and the codes of tables in different states that it is the host of."""
    token = secrets.token_hex(32)
    ada = screen()
    ada.context.add_cookies([{"name": "phone", "value": token, "url": ada.url}])
    store = Store(f"sqlite:///{house.folder / 'companion.sqlite'}")
    books = [Book("AAAAAA", 1, each, {hash_of(token): 1}) for each in states(evening(slug))]
    yield ada, [bring_back(store, book) for book in books]
    store.close()


def looks(size: str, at: int, last: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """In the light there are other tokens for the same colours: every second state of a room is in it, and
    the last one in both; of that the display shows what was not yet seen of it, the other way round."""
    yield "light" if at % 2 and not last else "dark", ALL if size == "phone" else COLOURS
    if last and size == "phone":
        yield "light", COLOURS


@pytest.mark.parametrize("slug", GAMES)
def test_every_rooms_own_states_are_for_everyone(sat_down: tuple[Screen, list[str]], slug: str) -> None:
    ada, codes = sat_down
    found: dict[str, list[str]] = defaultdict(list)
    for at, ada.code in enumerate(codes):
        pages = [("", "phone")] if ada.code != codes[-1] else [("", "phone"), ("/display", "tv")]
        for page, size in pages:
            resize(ada.page, size)
            ada.at_table(page)
            ready(ada.page)
            where = f"{page or 'table'} in “{ada.at('#phase h2').first.text_content()}”"
            for theme, what in looks(size, at, last=ada.code == codes[-1]):
                for each in violations(ada.page, theme, what):
                    found[each].append(f"{where}, {theme}")
            if ada.page.evaluate("() => document.scrollingElement.scrollWidth > innerWidth"):
                found["scrolls sideways"].append(where)
            if ada.page.evaluate(CUT):
                found["the title is cut"].append(where)
    told = [f"{what} ({'; '.join(where[:3])})" for what, where in found.items()]
    assert not told, "\n".join([f"{len(told)} findings:", *told])
