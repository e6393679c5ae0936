from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_home import Home, phone, taught
from playwright.sync_api import Browser, BrowserContext, Page, Playwright
from screen import (
    FORGET,
    LISTEN,
    PATIENCE,
    SILENT,
    TOUCHED,
    UNSEEN,
    Cable,
    HastyHouse,
    House,
    Screen,
)
from services import launched

from companion.net.address import lan_addresses
from companion.net.authority import Authority
from companion.net.hosts import names_of_this_machine

NewScreen = Callable[..., Screen]
NewPhone = Callable[..., Screen]
AWAY = r"net::ERR_|Failed to fetch|htmx:sse:error: network error|50[234]"


@pytest.fixture(scope="session")
def address() -> str:
    """Where a phone would find this machine: there browsers treat plain http as what it is, not secure.

    Without a network only this machine's own name is left, and the tests that need no more still run.
    """
    return next(iter(lan_addresses()), "127.0.0.1")


@pytest.fixture(scope="session")
def house(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all tests that do not hurt it."""
    house = House(tmp_path_factory.mktemp("house"), address).start()
    yield house
    house.kill()


@pytest.fixture
def own_house(address: str, tmp_path: Path) -> Iterator[House]:
    """A server that a test may kill and start again."""
    house = House(tmp_path, address).start()
    yield house
    if house.process:
        house.kill()


class Browsers:
    """What is used again is quick: it has seen our scripts and styles before."""

    def __init__(self, chromium: Browser, address: str) -> None:
        self._chromium, self._address = chromium, address
        self._idle: dict[bool, list[BrowserContext]] = defaultdict(list)

    def borrow(self, touch: bool) -> BrowserContext:
        if self._idle[touch]:
            return self._idle[touch].pop()
        context = self._chromium.new_context(has_touch=touch, reduced_motion="reduce", color_scheme="dark")
        context.set_default_timeout(PATIENCE)
        context.add_init_script(LISTEN)
        self._stay_open(context)
        return context

    def _stay_open(self, context: BrowserContext) -> None:
        """One page is never closed and keeps the process that draws: to start that costs more than a test."""
        page = context.new_page()
        page.route("**", lambda route: route.fulfill(body=""))
        page.goto(f"http://{self._address}/")

    def page(self, context: BrowserContext, moves: bool) -> Page:
        """Its user is asked about motion each time, so that one browser will do for all kinds of tests."""
        _, *used = context.pages
        page = used[0] if used else context.new_page()
        if not used:
            page.add_init_script(FORGET)
        page.emulate_media(reduced_motion="no-preference" if moves else "reduce")
        return page

    def give_back(self, screen: Screen) -> None:
        if screen.has_own_time:
            screen.context.close()
        else:
            self._idle[screen.touch].append(screen.context)


@pytest.fixture(scope="session")
def browsers(chromium: Browser, address: str) -> Browsers:
    return Browsers(chromium, address)


@pytest.fixture
def cable(house: House) -> Iterator[Cable]:
    """For a screen of its own: `screen(cable=cable)`."""
    cable = Cable(house)
    yield cable
    cable.close()


def screens(
    browsers: Browsers, house: House, moves: bool = False, sounds: bool = False, lasts: bool = False
) -> Iterator[NewScreen]:
    """What slides and fades costs more than what it shows, so nobody here asks for it, except in tests
    that are marked `moves`; and nothing sounds or keeps the screen awake but in those marked `sounds`."""
    opened: list[Screen] = []

    def screen(size: str = "phone", theme: str = "dark", cable: Cable | None = None) -> Screen:
        context = browsers.borrow(size in TOUCHED)
        new = Screen(context, (cable or house).url, size, theme, browsers.page(context, moves))
        opened.append(new)
        if not (moves or sounds):
            new.on_every_page(UNSEEN)
        if not sounds:
            new.on_every_page(SILENT)
        return new

    yield screen
    wrong = []
    for each in opened:
        wrong += each.close(again=True)
        quiet = lasts and each.url == house.url and not (moves or sounds)
        if not each.page.is_closed() and not quiet:
            each.page.goto(
                "about:blank"
            )  # before it is used again its server is gone, or it would go on moving
        browsers.give_back(each)
    assert not wrong, "\n".join(wrong)
    assert "Traceback" not in house.log(), house.log()


@pytest.fixture
def screen(request: pytest.FixtureRequest, browsers: Browsers, house: House) -> Iterator[NewScreen]:
    """Opens devices: `screen("tablet", "light")`. Afterwards nothing may have gone wrong on any of them."""
    yield from screens(browsers, house, *(_is(request, mark) for mark in ("moves", "sounds")), lasts=True)


def _is(request: pytest.FixtureRequest, mark: str) -> bool:
    return request.node.get_closest_marker(mark) is not None


@pytest.fixture
def own_screen(browsers: Browsers, own_house: House) -> Iterator[NewScreen]:
    """The same, at the server of this test alone."""
    yield from screens(browsers, own_house)


@pytest.fixture(scope="module")
def hasty_house(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HastyHouse]:
    """A server whose clock a test puts forward."""
    house = HastyHouse(tmp_path_factory.mktemp("hasty"), address).start()
    yield house
    house.kill()


@pytest.fixture
def hasty_screen(browsers: Browsers, hasty_house: HastyHouse) -> Iterator[NewScreen]:
    yield from screens(browsers, hasty_house)


# --- https at home ---


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house-of-trust") / "authority"
    Authority(folder, names_of_this_machine(), "den")
    return folder


@pytest.fixture(scope="session")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is put here is what the camera of the trusting browser sees."""
    return tmp_path_factory.mktemp("camera") / "seen.mjpeg"


@pytest.fixture(scope="session")
def trusting(
    driver: Playwright, authority: Path, camera: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser whose user has trusted that authority, by the door that Chromium has for it."""
    env = taught(tmp_path_factory.mktemp("trusting"), authority / "authority.crt")
    flags = (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={camera}",
        "--host-resolver-rules=MAP bank.example 127.0.0.1",
    )
    with launched(driver, *flags, env=env) as browser:
        yield browser


@pytest.fixture(scope="session")
def home(address: str, authority: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One for all tests that do not hurt it."""
    yield from _home(tmp_path_factory.mktemp("home"), address, authority)


@pytest.fixture
def own_home(address: str, authority: Path, tmp_path: Path) -> Iterator[Home]:
    yield from _home(tmp_path, address, authority)


def _home(folder: Path, address: str, authority: Path) -> Iterator[Home]:
    house = Home(folder, address, authority)
    house.start()
    yield house
    if house.process:
        house.kill()
    assert "Traceback" not in house.log(), house.log()


@pytest.fixture
def phones() -> Iterator[NewPhone]:
    opened: list[Screen] = []

    def one(browser: Browser, url: str, **more: object) -> Screen:
        opened.append(phone(browser, url, **more))
        return opened[-1].expects(AWAY)

    yield one
    wrong = [each for screen in opened for each in screen.close()]
    for screen in opened:
        screen.context.close()
    assert not wrong, "\n".join(wrong)
