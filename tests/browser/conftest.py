from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from screen import House, Screen

from companion.address import lan_addresses

NewScreen = Callable[..., Screen]


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


def _screens(browser: Browser, house: House) -> Iterator[NewScreen]:
    opened: list[Screen] = []

    def screen(size: str = "phone", theme: str = "dark", **more: Any) -> Screen:
        opened.append(Screen(browser, house.url, size, theme, **more))
        return opened[-1]

    yield screen
    wrong = [each for screen in opened for each in screen.close()]
    assert not wrong, "\n".join(wrong)
    assert "Traceback" not in house.log(), house.log()


@pytest.fixture
def screen(chromium: Browser, house: House) -> Iterator[NewScreen]:
    """Opens devices: `screen("tablet", "light")`. Afterwards nothing may have gone wrong on any of them."""
    yield from _screens(chromium, house)


@pytest.fixture
def own_screen(chromium: Browser, own_house: House) -> Iterator[NewScreen]:
    """The same, at the server of this test alone."""
    yield from _screens(chromium, own_house)
