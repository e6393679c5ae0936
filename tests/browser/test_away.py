"""While the server is away: over https, and on its own machine, a phone opens what it saw last."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from at_home import Home, over_https
from conftest import NewPhone, NewScreen
from playwright.sync_api import Browser, expect
from screen import House, Screen

pytestmark = pytest.mark.browser
Edition = Callable[[str], dict[str, str]]

#: What lies on the phone of a page, once it does.
KEPT = """async ([path, words]) => {
    for (const name of await caches.keys()) {
        const kept = await (await caches.open(name)).match(path);
        if (kept && (await kept.text()).includes(words)) return true;
    }
    return false;
}"""


def has_kept(screen: Screen, path: str, words: str) -> None:
    becomes(screen, KEPT, [path, words])


def becomes(screen: Screen, true: str, about: object = None, seconds: int = 20) -> None:
    """A page's own `waitFor` takes the promise of an answer for the answer."""
    until = time.monotonic() + seconds
    while not screen.page.evaluate(true, about):
        assert time.monotonic() < until, (true, about)
        screen.page.wait_for_timeout(100)


def is_controlled(screen: Screen) -> None:
    screen.page.wait_for_function("() => navigator.serviceWorker?.controller")


def test_with_the_server_off_a_reload_shows_the_table_as_it_was_and_taps_are_sent_once_when_it_is_back(
    own_home: Home, trusting: Browser, phones: NewPhone
) -> None:
    """Over https, by the authority that the browser was taught to trust."""
    ada = over_https(phones(trusting, own_home.url).open("Ada", "Bob", look=False), own_home)
    assert ada.page.evaluate("() => isSecureContext && location.protocol") == "https:"
    bob = phones(trusting, own_home.url).join(ada, 2)  # on plain http, at the same table
    is_controlled(ada)
    bob.plus(2, 4)
    ada.shows(2, 4)  # by the stream, long after the page came
    has_kept(ada, f"/s/{ada.code}", 'data-value="4"')
    own_home.end(signal.SIGKILL)

    ada.page.reload()
    ada.agree(numbers={1: 0, 2: 4})
    expect(ada.at("#kept")).to_have_text(
        re.compile(r"As this phone last saw it, at \d\d:\d\d\. The server is away; taps wait")
    )
    ada.pill("stale", r"^offline for \d+:\d\d$")
    ada.plus(1, 3)
    ada.shows(1, 3)
    ada.pill("stale", "3 taps to send$")
    ada.page.reload()  # and once more, with taps waiting
    ada.shows(1, 3)
    assert ada.waiting() == 3

    own_home.start()
    ada.all_sent()
    ada.is_live()
    expect(ada.at("#kept")).to_have_count(0)
    bob.is_live()
    ada.agree(bob, numbers={1: 3, 2: 4})
    expect(bob.line("Points")).to_have_count(7)


#: The elements of a page as it is kept and as the server draws it, by name and id.
BOTH = """async (path) => {
    const listed = async (answer) => {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        return [...page.querySelectorAll("*")].map((each) => `${each.localName}#${each.id}`);
    };
    const cache = await caches.open((await caches.keys())[0]);
    return [await listed(await cache.match(path)), await listed(await fetch(path))];
}"""


def test_the_shelf_the_rules_and_the_queue_open_without_a_server(
    own_house: House, chromium: Browser, phones: NewPhone
) -> None:
    """On the server's own machine, where plain http counts as secure."""
    url = f"http://127.0.0.1:{own_house.port}"
    game = "tides-of-madness"
    ada = phones(chromium, url).open("Ada", "Bob", game=game)
    is_controlled(ada)
    has_kept(ada, "/", "Your table")
    has_kept(ada, f"/rules/{game}", "topic")
    has_kept(ada, f"/s/{ada.code}", "</html>")
    becomes(ada, f"() => Boolean(localStorage.getItem('companion.rulings.{game}'))", seconds=60)
    kept, drawn = ada.page.evaluate(BOTH, f"/s/{ada.code}")
    assert kept == drawn, "nothing that scripts put there is kept, and nothing is lost"
    own_house.end(signal.SIGKILL)

    ada.page.reload()
    ada.press(".bar-rules")
    ada.at("#rules-question").fill("who wins a tie")
    expect(ada.at("#rules-found .answer-line").first).to_be_visible()

    ada.go("/")
    expect(ada.at("#kept")).to_contain_text("The server is away.")
    ada.press(ada.at(".tonight"))
    expect(ada.at("body")).to_have_attribute("data-code", ada.code)
    expect(ada.at("#kept")).to_be_visible()

    ada.go(f"/rules/{game}")
    ada.at(".rules-question").fill("who wins a tie")
    expect(ada.at("#found")).to_contain_text("from what is on this phone")
    ada.press(ada.at("#found a").first)
    expect(ada.at("h1")).to_have_text("The server is away")
    expect(ada.at("#found .answers li")).to_have_count(1)

    ada.go(f"/s/{ada.code}/people")  # was never looked at
    expect(ada.at("h1")).to_have_text("The server is away")
    own_house.start()
    expect(ada.at("#invite-title")).to_be_visible()  # by itself


def test_a_form_that_is_sent_while_the_server_is_away_gets_a_page_too(
    own_house: House, chromium: Browser, phones: NewPhone
) -> None:
    ada = phones(chromium, f"http://127.0.0.1:{own_house.port}").go("/open/any-game")
    is_controlled(ada)
    ada.at("#one-more").fill("Ada")
    own_house.end(signal.SIGKILL)
    ada.press(ada.button("Open the table"))
    expect(ada.at("h1")).to_have_text("The server is away")
    own_house.start()
    ada.page.wait_for_url(re.compile(r"/s/\w{6}/people$"))  # sent once more, under the same id


def test_a_phone_that_is_no_longer_at_a_table_keeps_nothing_of_it(
    own_house: House, chromium: Browser, phones: NewPhone
) -> None:
    url = f"http://127.0.0.1:{own_house.port}"
    ada = phones(chromium, url).open("Ada", "Bob")
    bob = phones(chromium, url).join(ada, 2).expects("403")
    is_controlled(bob)
    has_kept(bob, f"/s/{bob.code}", "Ada")
    ada.post(f"/s/{ada.code}/do/remove_phone", {"phone": 2}, status=201)
    expect(bob.at("#toasts")).to_contain_text("no longer at the table")
    becomes(bob, "async (path) => !(await caches.match(path))", f"/s/{bob.code}")


def test_plain_http_has_no_shell_and_nobody_hears_of_it(screen: NewScreen, address: str) -> None:
    if address == "127.0.0.1":
        pytest.skip("without a network this machine only has a secure name")
    ada = screen().open("Ada", "Bob")
    assert ada.page.evaluate("() => [isSecureContext, 'serviceWorker' in navigator, 'caches' in window]") == [
        False,
        False,
        False,
    ]
    ada.go("/")
    expect(ada.at("#scan")).to_be_hidden()
    expect(ada.at("#install")).to_be_hidden()
    assert ada.wrong == []


# --- another edition ---


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """How to run a copy of the app that says of every part of itself which one it is."""
    return cache(lambda name: copied(tmp_path_factory.mktemp(name), name))


def copied(folder: Path, name: str) -> dict[str, str]:
    root = Path(__file__).parents[2]
    for part in ("companion", "templates", "static"):  # and what Python compiled of it
        shutil.copytree(root / part, folder / part, dirs_exist_ok=True)
    style = folder / "static/css/tokens.css"
    style.write_text(f'{style.read_text("utf-8")}\n:root {{ --edition: "{name}"; }}\n', "utf-8")
    for script in ("table", "shell"):
        file = folder / f"static/js/{script}.js"
        file.write_text(f'{file.read_text("utf-8")}\ndocument.documentElement.dataset.{script} = "{name}";\n')
    for template, tag in (("base", "body"), ("sitting/_seat", "article")):
        file = folder / f"templates/{template}.html"
        file.write_text(file.read_text("utf-8").replace(f"<{tag} ", f'<{tag} data-drawn="{name}" '), "utf-8")
    return {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


EDITION = """() => {
    const root = document.documentElement, style = getComputedStyle(root).getPropertyValue("--edition");
    const drawn = [...document.querySelectorAll("[data-drawn]")].map((each) => each.dataset.drawn);
    return [...new Set(drawn), root.dataset.table, root.dataset.shell, style.replaceAll('"', "")];
}"""


#: Every change of it is noted, for as long as a page is there.
WATCHED = f"""let last = "";
setInterval(() => {{
    if (document.readyState !== "complete" || !document.documentElement.dataset.table) return;
    const now = ({EDITION})().join();
    if (now !== last) note(last = now);
}}, 10);"""


def is_wholly(screen: Screen, name: str) -> None:
    screen.page.wait_for_function(
        f"() => document.documentElement.dataset.table && ({EDITION})()[0] === '{name}'"
    )
    assert screen.page.evaluate(EDITION) == [name] * 4


@pytest.fixture
def changing_house(tmp_path: Path) -> Iterator[House]:
    """Where another edition moves in; nobody is there yet."""
    house = House(tmp_path, "127.0.0.1")
    yield house
    if house.process:
        house.kill()


def test_a_new_edition_takes_the_place_of_the_old_one_as_a_whole(
    changing_house: House, edition: Edition, chromium: Browser, phones: NewPhone
) -> None:
    house = changing_house
    house.env |= edition("one")
    house.start()
    ada = phones(chromium, house.url).open("Ada", "Bob")
    seen: list[str] = []
    ada.page.expose_function("note", lambda each: seen.append(each))
    ada.on_every_page(WATCHED)
    ada.page.reload()
    ada.is_live()
    is_controlled(ada)
    ada.plus(1, 2)
    ada.all_sent()
    has_kept(ada, f"/s/{ada.code}", 'data-value="2"')
    is_wholly(ada, "one")

    # away: all of one
    house.end(signal.SIGKILL)
    ada.page.reload()
    is_wholly(ada, "one")
    ada.plus(1)

    # back as another, while the page that was kept is open: it takes nothing of the other, but gives way
    house.env |= edition("two")
    house.start()
    ada.all_sent()
    expect(ada.at("body")).to_have_attribute("data-drawn", "two", timeout=30_000)
    is_wholly(ada, "two")
    ada.shows(1, 3)

    # and what is kept now is all of two: of one not a file is left
    becomes(ada, "async () => (await caches.keys()).length === 1")
    has_kept(ada, f"/s/{ada.code}", 'data-value="3"')
    has_kept(ada, "/", 'data-drawn="two"')
    house.end(signal.SIGKILL)
    ada.page.reload()
    is_wholly(ada, "two")
    ada.shows(1, 3)
    assert set(seen) <= {"one,one,one,one", "two,two,two,two"}, seen
    assert {each.partition(",")[0] for each in seen} == {"one", "two"}


#: How often a page that would be loaded anew has found somebody in the middle of something.
LOOKS = """const later = window.setTimeout; window.looks = 0;
window.setTimeout = (call, ms, ...given) => { looks += ms === 300; return later(call, ms, ...given); };"""


def test_an_update_waits_for_whoever_is_in_the_middle_of_something(
    changing_house: House, edition: Edition, chromium: Browser, phones: NewPhone
) -> None:
    house = changing_house
    house.start()
    ada = phones(chromium, house.url)
    ada.on_every_page(LOOKS)
    ada.open("Ada", "Bob")
    is_controlled(ada)
    ada.open_keypad(1)
    ada.keys("12")
    house.end(signal.SIGKILL)
    house.env |= edition("two")
    house.start()
    ada.page.wait_for_function("() => window.looks > 2")  # it knows, and looks whether she is still at it
    expect(ada.at("#keypad-text")).to_have_value("12")
    ada.press("#keypad [data-add]")
    ada.all_sent()
    expect(ada.at("body")).to_have_attribute("data-drawn", "two", timeout=30_000)
    ada.shows(1, 12)
