"""The pictures of the README, drawn anew by `make pictures`: tables as they are in the middle of a game."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_the_table import companion
from full_games import TOKENS, Played, full_game
from places import send
from playwright.sync_api import Browser, expect
from screen import LISTEN, House, Screen

from companion.core import Journal
from companion.sittings.sitting import ALPHABET

pytestmark = pytest.mark.browser
SHARP = {"phone": 1.5, "tv": 2 / 3}  # pixels of a picture for each of the screen
ROUNDS = ((7, 5, 4, 6), (8, 5, 9, 7), (7, 7, 6, 4))  # of four players
Draw = Callable[..., Screen]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """At an address that could be anybody's."""
    house = House(tmp_path, "127.0.0.1", COMPANION_PUBLIC_URL="http://192.168.1.20:8000")
    house.host = "127.0.0.1"
    yield house.start()
    house.kill()


@pytest.fixture
def device(chromium: Browser, house: House) -> Iterator[Draw]:
    """A screen that is sharper than those of the tests."""
    opened = []

    def device(size: str = "phone", theme: str = "dark") -> Screen:
        context = chromium.new_context(
            device_scale_factor=SHARP[size], has_touch=size != "tv", color_scheme="dark"
        )
        context.add_init_script(LISTEN)
        opened.append(context)
        return Screen(context, house.url, size, theme)

    yield device
    for context in opened:
        context.close()


def draw(screen: Screen, name: str) -> None:
    screen.page.evaluate("() => document.fonts.ready")
    screen.page.wait_for_timeout(600)  # what fades has faded
    screen.pictured(name)


def test_an_evening_of_any_game(device: Draw) -> None:
    ada = device().open("Ada", "Bob", "Cleo", "Dov")
    bob = device(theme="light").join(ada, 2, look=False)
    tv = device("tv").join(ada, role="display", look=False)
    ada.go(f"/s/{ada.code}/people").is_live()
    draw(ada, "invite")
    for number, gains in enumerate(ROUNDS, 1):
        for seat, by in enumerate(gains, 1):
            send(ada, "count", seat=seat, counter="1", by=by, round=number)
        send(ada, "next_round", after=number)
    for each in (ada, bob, tv):  # only now: a page that was open says of every number what it was
        each.at_table("/display" if each is tv else "")
    bob.plus(2, 3)
    ada.minus(4)
    for each in (ada, bob):
        each.agree(numbers={2: 20, 4: 16})
    draw(ada, "phone-dark")
    draw(bob, "phone-light")
    draw(tv, "display")


def bring(device: Draw, house: House, slug: str, phase: str, theme: str = "dark") -> Screen:
    """Ada's phone at a game of this room, the last time that it is in this phase."""
    evening, code = full_game(slug), "".join(secrets.choice(ALPHABET) for _ in range(6))
    asked = companion(
        house.folder, "import", "-", said=evening.as_journal(code, without=_left(evening, phase))
    )
    assert asked.returncode == 0, asked.stderr
    ada = device(theme=theme)
    ada.context.add_cookies([{"name": "phone", "value": TOKENS[0], "url": house.url}])
    ada.code = code
    return ada.at_table()


def _left(evening: Played, phase: str) -> int:
    walk, last = Journal(evening.journal.game), 0
    for entry in evening.journal.entries:
        walk.add(entry)
        if walk.game.view(walk.state).phase.key == phase:
            last = entry.version
    return evening.journal.version - last


@pytest.mark.parametrize(
    ("slug", "phase", "name"),
    [
        ("escape-the-dark-castle", "fight", "castle"),
        ("mountains-of-madness", "resolution", "mountains"),
    ],
)
def test_rooms(device: Draw, house: House, slug: str, phase: str, name: str) -> None:
    draw(bring(device, house, slug, phase), name)


def test_a_ruling(device: Draw, house: House) -> None:
    ada = bring(device, house, "tides-of-madness", "scoring")
    ada.press(ada.button("Rules"))
    ada.at("#rules-question").fill("do kept cards give madness again")
    ada.press(ada.at("#rules-found .answer-line").first)
    expect(ada.at("#ruling .answer")).to_be_visible()
    draw(ada, "ruling")
