"""Wi-Fi goes, servers die, phones sleep and people are taken for others: the table goes on, and says so."""

from __future__ import annotations

import re
import signal
import sqlite3
from contextlib import closing
from secrets import token_hex
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from conftest import NewScreen
from playwright.sync_api import Browser, Route, expect
from screen import Cable, Caller, House, Screen

pytestmark = pytest.mark.browser

ONE = {"seat": 1, "counter": "1", "by": 1, "round": 1}  # point for Ada
LOST = r"net::ERR_|Failed to fetch|htmx:sse:error: network error"


def nothing_is_in_the_way(screen: Screen) -> None:
    assert screen.at("dialog[open]").count() == 0


def hide(screen: Screen, hidden: bool) -> None:
    """As a phone in a pocket does to a page, and as it does when it comes out again."""
    screen.page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
            const state = hidden ? "hidden" : "visible";
            Object.defineProperty(document, "visibilityState", {configurable: true, get: () => state});
            document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));
        }""",
        hidden,
    )


def test_what_goes_wrong_on_a_screen_is_heard(screen: NewScreen) -> None:
    """By every test here, unless it says that it expects it."""
    ada = screen().expects("404", "422", "CSP", "style-src", "stumbled").open("Ada", "Bob")
    ada.page.evaluate("() => fetch('/nowhere')")
    ada.page.evaluate("() => void new Image().setAttribute('src', '/no/picture')")
    ada.page.evaluate("(url) => fetch(url, {method: 'POST'})", f"/s/{ada.code}/do/count")
    ada.page.evaluate("() => document.body.setAttribute('style', 'color: red')")
    ada.page.evaluate("() => void setTimeout(() => { throw new Error('stumbled'); })")
    ada.go("/not/here/either")
    for wrong in ("/nowhere", "/no/picture", "422.*/do/count", "CSP: style-src", "stumbled", "/not/here"):
        assert [each for each in ada.wrong if re.search(wrong, each)], (wrong, ada.wrong)


def test_taps_without_a_network_wait_and_are_applied_once(
    screen: NewScreen, house: House, cable: Cable
) -> None:
    ada = Caller(house.url).open("Ada", "Bob")
    bob = screen(cable=cable).join(ada, 2).expects(LOST)
    cable.pull()
    bob.plus(2, 3)
    bob.minus(1, 2)  # the first tap only asks
    bob.shows(2, 3)
    bob.pill("stale", r"^offline for 0:\d\d, 4 taps to send$")
    nothing_is_in_the_way(bob)
    for _ in range(2):
        ada.tap("count", **ONE)
    bob.shows(1, -1)
    assert bob.waiting() == 4
    cable.plug_in()
    bob.all_sent()
    bob.is_live().agree(numbers={1: 1, 2: 3})
    expect(bob.line("Points")).to_have_count(6)
    nothing_is_in_the_way(bob)
    ada.close()


def test_a_phone_that_is_told_of_the_network_hurries(screen: NewScreen) -> None:
    """The browser's own word that it is offline or online is faster than any silence."""
    bob = screen().open("Ada", "Bob", mine=2).expects(LOST)
    bob.context.set_offline(True)
    bob.plus(2, 2)
    expect(bob.at("#pill")).to_have_text(re.compile("2 taps to send$"))  # Chromium spares open streams
    assert bob.waiting() == 2
    bob.context.set_offline(False)
    bob.all_sent()
    bob.is_live().shows(2, 2)
    expect(bob.line("Points")).to_have_count(2)


def test_a_connection_that_died_in_silence_is_left_for_a_new_one(
    screen: NewScreen, house: House, cable: Cable
) -> None:
    ada = Caller(house.url).open("Ada", "Bob")
    bob = screen(cable=cable).expects(LOST)
    bob.takes_its_own_time()
    bob.join(ada, 2)
    cable.go_silent()
    ada.tap("count", **ONE)
    bob.shows(1, 0)
    for _ in range(14):  # as time goes by: one jump would hide that looking again is not hearing
        bob.page.clock.fast_forward(3_000)
        bob.page.wait_for_timeout(150)
    bob.shows(1, 1)
    bob.is_live()
    ada.tap("count", **ONE)
    bob.shows(1, 2)
    bob.page.clock.fast_forward(2_000)
    bob.is_live()
    ada.close()


def test_taps_that_wait_outlive_the_page(screen: NewScreen) -> None:
    bob = screen().open("Ada", "Bob", mine=2).expects(LOST)
    bob.page.route("**/do/*", lambda route: route.abort("connectionfailed"))
    bob.plus(2, 3)
    bob.pill("waiting", "^3 taps to send$")
    bob.page.reload()
    bob.shows(2, 3)
    bob.pill("waiting", "^3 taps to send$")
    expect(bob.at("#counter-2-1")).to_have_class(re.compile("pending"))
    assert bob.waiting() == 3
    expect(bob.line("Points")).to_have_count(0)
    bob.page.unroute_all()
    bob.all_sent()
    bob.is_live().shows(2, 3)
    expect(bob.line("Points")).to_have_count(3)


def test_the_pill_tells_of_a_tap_that_is_slow(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    stuck: list[Route] = []
    ada.page.route("**/do/count", lambda route: stuck.append(route))
    ada.plus(1)
    ada.pill("waiting", "^1 tap to send$")
    ada.shows(1, 1)
    stuck[0].continue_()
    ada.is_live().shows(1, 1)


CUT = """(words) => {
    const [pill, bar, title] = ["#pill", ".top-words", "#title"].map((each) => document.querySelector(each));
    pill.textContent = words;
    const over = [pill, bar].map((each) => each.scrollWidth - each.clientWidth);
    return Math.max(...over, title.offsetHeight + pill.offsetHeight - 60);
}"""


def test_on_the_narrowest_phone_the_pill_says_all_of_it_and_who_knocks_leaves_the_table_in_sight(
    screen: NewScreen, house: House
) -> None:
    ada = screen("narrow").open("Ada", "Bob", game="smash-up")
    for words in (
        "live, screen may dim",
        "offline for 12:34, 12 taps to send",
        "3 taps to send, not so fast",
    ):
        assert ada.page.evaluate(CUT, words) <= 0, words
    for name in ("Bartholomew the Unready", "Cleo", "Dov", "Eve", "Fay"):
        form = urlencode({"tap": token_hex(8), "label": name}).encode()
        asked = Request(f"{house.url}/j/{ada.code}", form, {"Origin": house.url})
        build_opener(HTTPCookieProcessor()).open(asked, timeout=10).read()
    expect(ada.at(".asking-row:visible")).to_have_count(5)
    covered = ada.at("#asking").bounding_box()
    assert covered["height"] <= 640 / 3, "the others are below, and a finger moves them up"
    assert ada.at("#asking").evaluate("(all) => all.scrollHeight > all.clientHeight")


def test_a_server_that_is_busy_is_asked_again(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects("503")
    asked: list[str] = []

    def busy(route: Route) -> None:
        asked.append(route.request.post_data or "")
        if len(asked) > 2:
            return route.continue_()
        refused = '{"refused": "Not saved yet: the server is busy writing. It will be tried again."}'
        return route.fulfill(status=503, body=refused, headers={"Retry-After": "1"})

    ada.page.route("**/do/count", busy)
    ada.plus(1)
    ada.all_sent()
    ada.is_live().shows(1, 1)
    assert len(asked) == 3
    assert len(set(asked)) == 1


def test_the_server_dies_and_comes_back_under_tapping(own_house: House, own_screen: NewScreen) -> None:
    """Killed, and then stopped as a machine that is shut down stops it."""
    ada = own_screen().open("Ada", "Bob").expects(LOST)
    bob = own_screen().join(ada, 2).expects(LOST)
    tv = own_screen("tv").join(ada, role="display").expects(LOST)
    ada.plus(1, 2)
    bob.plus(2)
    own_house.end(signal.SIGKILL)
    ada.plus(1, 3)
    bob.plus(2, 2)
    bob.minus(1, 2)  # the first tap only asks
    ada.pill("stale", r"[3-5] taps to send")
    bob.pill("stale", r"[3-4] taps to send")
    tv.pill("stale", r"^offline for \d:\d\d$")
    for each in (ada, bob, tv):
        nothing_is_in_the_way(each)
    ada.shows(1, 5)
    own_house.start()
    ada.plus(1)
    for each in (ada, bob):
        each.all_sent()
    ada.agree(bob, tv, numbers={1: 5, 2: 3})
    for each in (ada, bob, tv):
        each.is_live()
    expect(ada.line("Points")).to_have_count(10)
    bob.plus(2)
    ada.agree(bob, tv, numbers={1: 5, 2: 4})
    own_house.end(signal.SIGTERM)
    bob.plus(2, 2)
    for each in (ada, bob, tv):
        expect(each.at("#pill")).to_have_attribute("data-state", "stale")
        nothing_is_in_the_way(each)
    own_house.start()
    bob.all_sent()
    ada.agree(bob, tv, numbers={1: 5, 2: 6})
    expect(ada.line("Points")).to_have_count(13)


def test_a_phone_from_the_pocket_catches_up_when_it_is_looked_at(
    screen: NewScreen, house: House, cable: Cable
) -> None:
    ada = Caller(house.url).open("Ada", "Bob")
    bob = screen(cable=cable).expects(LOST)
    bob.takes_its_own_time()
    bob.join(ada, 2)
    hide(bob, True)
    cable.pull()
    for _ in range(4):
        ada.tap("count", **ONE)
    cable.plug_in()
    asked: list[str] = []
    bob.page.on("request", lambda request: asked.append(request.url))
    bob.page.clock.run_for(60_000)
    assert not asked, "nobody looks at it"
    bob.shows(1, 0)
    hide(bob, False)
    bob.shows(1, 4)
    bob.is_live()
    ada.tap("count", **ONE)
    bob.shows(1, 5)
    ada.close()


def test_a_phone_that_the_host_removes_is_told_in_words(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", look=False).at_table("/people")
    bob = screen().expects("403", LOST)
    bob.takes_its_own_time()
    bob.join(ada, 2)
    ada.press(ada.at("#phones .row", has_text="Bob").get_by_role("button", name="Remove"))
    expect(ada.at("#confirm-question")).to_have_text("Remove Bob from the table?")
    ada.press("#confirm [data-yes]")
    expect(bob.at(".toast")).to_contain_text("This phone is no longer at the table.")
    expect(ada.at("#phones .row", has_text="Bob")).to_have_count(0)
    nothing_is_in_the_way(bob)
    bob.plus(2)
    bob.all_sent()
    bob.shows(2, 0)
    bob.page.clock.run_for(60_000)
    expect(bob.at("#pill")).to_have_text("not at this table")
    asked: list[str] = []
    bob.page.on("request", lambda request: asked.append(request.url))
    bob.page.clock.run_for(60_000)
    assert not asked, "it does not go on connecting for ever"
    bob.press(bob.button("Join again"))
    expect(bob.button("Ask to join")).to_be_visible()


def test_a_seat_that_was_taken_over_is_no_longer_yours(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    old = screen().join(ada, 2, 3)
    expect(old.at(".seat[data-yours] h3")).to_have_text(["Bob", "Cleo"])
    new = screen()
    new.code, new.link = ada.code, ada.link
    new.go(ada.link)
    new.press(new.button("Take several seats, or one that is in"))
    expect(new.at(".chair").nth(1)).to_contain_text("on Bob & Cleo’s phone: tick to ask for it")
    new.press(new.at(".chair").nth(1))
    new.press(new.button("Sit down"))
    old.press(old.at("[data-answers]").get_by_role("button", name="Give it"))
    expect(new.at(".seat[data-yours] h3")).to_have_text("Bob")
    expect(old.at(".seat[data-yours] h3")).to_have_text("Cleo")
    old.is_live()
    new.plus(2)
    old.shows(2, 1)


def test_others_may_tap_while_a_form_is_open(screen: NewScreen, house: House) -> None:
    ada = screen().open("Ada", "Bob")
    bob = Caller(house.url).join(ada, 2)

    def bob_taps() -> None:
        bob.tap("count", **ONE | {"seat": 2})

    # the keypad
    ada.open_keypad(2)
    ada.keys("12")
    bob_taps()
    bob_taps()
    ada.shows(2, 2)
    expect(ada.at("#keypad")).to_be_visible()
    expect(ada.at("#keypad-text")).to_have_value("12")
    expect(ada.at("#keypad-sum")).to_have_text("2 + 12 = 14")
    ada.press("#keypad [data-set]")
    ada.shows(2, 12)

    # a correction
    ada.press(ada.page.get_by_role("button", name="Bob, round 1: 12, correct"))
    ada.at("#sheet [name=to]").fill("3+")
    bob_taps()
    ada.shows(2, 13)
    expect(ada.at("#sheet")).to_be_visible()
    expect(ada.at("#sheet [name=to]")).to_be_focused()
    ada.page.keyboard.type("4")
    expect(ada.at("#sheet [name=to]")).to_have_value("3+4")
    ada.page.keyboard.press("Enter")
    ada.shows(2, 7)

    # the log
    ada.open_log()
    line = ada.line("+12 Points").or_(ada.line("+10 Points")).locator("button")
    line.focus()
    lines = ada.at("#log .line").count()
    bob_taps()
    expect(ada.at("#log .line")).to_have_count(lines + 1)
    expect(ada.at("#logbook")).to_be_visible()
    expect(line).to_be_focused()
    ada.close_log()

    # a question
    ada.press(ada.button("End game"))
    bob_taps()
    ada.shows(2, 9)
    expect(ada.at("#confirm")).to_be_visible()
    ada.press("#confirm [data-no]")

    # a finger that rests on a button, or a keyboard that does
    ada.step(2).focus()
    bob_taps()
    ada.shows(2, 10)
    expect(ada.step(2)).to_be_focused()
    bob.close()


def test_what_the_host_types_is_not_lost_when_people_come_and_go(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", look=False).at_table("/people")
    name = ada.at("#chairs [name=name]")
    name.press_sequentially("Cle")
    bob = screen().join(ada, 2)
    expect(ada.at("#phones .row", has_text="Bob")).to_be_visible()
    expect(ada.at("#chairs .row", has_text="Bob").get_by_text("no phone yet")).to_have_count(0)
    expect(name).to_have_value("Cle")
    expect(name).to_be_focused()
    ada.page.keyboard.type("o")
    ada.page.keyboard.press("Enter")
    expect(bob.at(".seat h3")).to_have_text(["Ada", "Bob", "Cleo"])
    ada.press(ada.button("Change Cleo"))
    ada.at("#sheet [name=name]").fill("Dov")
    screen().join(ada, 3)
    expect(ada.at("#chairs .row", has_text="Cleo").get_by_text("no phone yet")).to_have_count(0)
    expect(ada.at("#sheet [name=name]")).to_have_value("Dov")
    expect(ada.at("#sheet [name=name]")).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(bob.at(".seat h3")).to_have_text(["Ada", "Bob", "Dov"])


def test_light_or_dark_is_each_phones_own_and_remembered(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen("tv").join(ada, 2)
    root = ada.at("html")
    expect(root).to_have_attribute("data-theme", "dark")
    ada.press(ada.button("Light or dark"))
    expect(root).to_have_attribute("data-theme", "light")
    light = ada.at("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    ada.page.reload()
    expect(root).to_have_attribute("data-theme", "light")
    ada.go()
    expect(root).to_have_attribute("data-theme", "light")
    assert ada.at("body").evaluate("(body) => getComputedStyle(body).backgroundColor") == light
    expect(bob.at("html")).to_have_attribute("data-theme", "dark")
    assert bob.at("body").evaluate("(body) => getComputedStyle(body).backgroundColor") != light
    ada.press(ada.button("Light or dark"))
    ada.page.reload()
    expect(root).to_have_attribute("data-theme", "dark")


def test_two_tabs_of_one_phone_agree(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", mine=2)
    tab = ada.context.new_page()
    tab.set_viewport_size({"width": 360, "height": 740})
    tab.goto(ada.page.url)
    expect(tab.locator("#pill")).to_have_attribute("data-state", "live")
    for _ in range(3):
        ada.plus(1)
        tab.locator("#counter-1-1 [data-step='1']").tap()
        tab.locator("#counter-2-1 [data-step='1']").tap()
    ada.all_sent()
    ada.agree(numbers={1: 6, 2: 3})
    for seat, number in ((1, "6"), (2, "3")):
        expect(tab.locator(f"#counter-{seat}-1 output")).to_have_text(number)
        expect(tab.locator(f"#counter-{seat}-1")).not_to_have_class(re.compile("pending"))
    expect(ada.line("Points")).to_have_count(9)


def test_two_tabs_of_one_phone_hear_of_each_others_taps(screen: NewScreen) -> None:
    """One tab cannot send; the other does it for it, and both know what came of it."""
    ada = screen().expects(LOST, "422").open("Ada", "Bob")
    tab = ada.context.new_page()
    tab.set_viewport_size({"width": 360, "height": 740})
    tab.goto(ada.page.url)
    expect(tab.locator("#pill")).to_have_attribute("data-state", "live")
    tab.route("**/do/*", lambda route: route.abort())
    tab.locator("#counter-1-1 [data-step='1']").tap()
    expect(tab.locator("#pill")).to_have_attribute("data-state", "waiting")
    ada.pill("waiting")
    ada.shows(1, 1)
    ada.all_sent()
    ada.pill("live")
    expect(tab.locator("#pill")).to_have_attribute("data-state", "live")
    expect(tab.locator("#counter-1-1 output")).to_have_text("1")
    tab.evaluate(
        """(code) => void import("/f/now/taps.js")
        .then(({ tap }) => tap(`/s/${code}/do/count`, { seat: 9, counter: "1", by: 1, round: 1 }))
        .then((answer) => { window.told = answer.refused; })""",
        ada.code,
    )
    tab.wait_for_function("() => window.told === 'That seat is not at this table any more.'")
    ada.press(ada.button("Light or dark"))
    expect(tab.locator("html")).to_have_attribute("data-theme", "light")


@pytest.mark.sounds
def test_a_touch_keeps_the_screen_awake_also_where_there_is_no_lock(screen: NewScreen, address: str) -> None:
    """On plain http a film of two pixels plays. That the screen then stays on is the browser's promise."""
    if address == "127.0.0.1":
        pytest.skip("without a network this machine only has a secure name")
    ada = screen().open("Ada", "Bob")
    assert not ada.page.evaluate("() => isSecureContext || 'wakeLock' in navigator")
    ada.pill("live", "screen may dim")
    assert ada.at("video").count() == 0, "nothing plays before somebody touches the page"
    ada.plus(1)
    ada.pill("live", "^live$")
    film = ada.at("video.awake")
    playing = """(film) => !film.paused && film.muted && film.videoWidth === 2 && !film.loop
        && film.srcObject.getAudioTracks().length === 0 && film.srcObject.active"""
    assert film.evaluate(playing)
    at = film.evaluate("(film) => film.currentTime")
    ada.page.wait_for_function("(at) => document.querySelector('video.awake').currentTime > at", arg=at)
    box = film.bounding_box()
    assert (box["width"], box["height"]) == (2, 2), "and nobody sees it"
    assert box["x"] >= 0
    assert box["y"] >= 0, "but it is on the screen, or no browser would count it"

    hide(ada, True)
    assert film.evaluate("(film) => film.paused")
    hide(ada, False)
    ada.pill("live", "^live$")
    assert film.evaluate(playing)

    film.evaluate("(film) => film.pause()")  # as a phone that saves its battery does
    ada.pill("live", "screen may dim")


def test_over_https_the_browsers_own_lock_is_taken(chromium: Browser, house: House) -> None:
    """This machine's own name counts as secure. A headless browser may refuse; then the pill says so."""
    context = chromium.new_context(permissions=[])
    page = context.new_page()
    page.add_init_script(
        """window.asked = 0; const real = WakeLock.prototype.request;
        WakeLock.prototype.request = function (kind) { window.asked += 1; return real.call(this, kind); };"""
    )
    page.goto(f"http://127.0.0.1:{house.port}/open/any-game")
    page.locator("#one-more").fill("Ada")
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_function("() => window.asked === 1")
    page.locator("h1").click()
    assert page.locator("video").count() == 0
    context.close()


def test_a_seat_is_asked_for_on_one_phone_and_given_on_another(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", look=False)
    bob = screen().join(ada, 2)
    cleo = screen().join(ada, look=False)
    dov = screen().join(ada)
    ada.go(f"/s/{ada.code}/people")
    cleo.go(f"/s/{cleo.code}/seat").press(cleo.at(".chair", has_text="Bob"))
    cleo.press(cleo.button("Sit down"))
    expect(cleo.at("#asking")).to_contain_text("You asked for Bob’s seat")
    for each in (ada, bob):
        expect(each.at("[data-answers]")).to_be_visible()
    for each in (cleo, dov):
        expect(each.at("[data-answers]")).to_be_hidden()
    bob.press(bob.at("[data-answers]").get_by_role("button", name="Give it"))
    expect(bob.at("#toasts")).to_contain_text("A seat of yours is on another phone now")
    expect(cleo.at(".watching")).to_be_hidden()
    for each in (ada, bob):
        expect(each.at("[data-answers]")).to_have_count(0)


def test_the_qr_code_on_an_open_page_changes_when_a_phone_is_removed_or_a_display_may_show_it(
    screen: NewScreen, house: House
) -> None:
    ada = screen().open("Ada", "Bob", look=False)
    bob = screen().join(ada, 2, look=False)
    Caller(house.url).join(ada).close()
    tv = screen().join(ada, look=False)
    tv.go(f"/s/{ada.code}/seat").press(tv.button("Be the table display"))
    expect(tv.at("#invitation")).to_contain_text("The host can show a QR code here")
    for each in (ada, bob):
        each.go(f"/s/{ada.code}/people")
        expect(each.at("#invitation a")).to_have_attribute("href", re.compile(re.escape(ada.link)))
    ada.press(ada.at("#phones .row", has_text="Phone 3").get_by_role("button", name="Remove"))
    ada.press("#confirm [data-yes]")
    expect(ada.at("#phones .row", has_text="Phone 3")).to_have_count(0)
    ada.press(ada.at("#phones .row", has_text="display").get_by_role("button", name="Show QR code"))
    expect(tv.at("#invitation .qr svg")).to_be_visible()
    for each in (ada, bob):
        expect(each.at("#invitation a")).not_to_have_attribute("href", re.compile(re.escape(ada.link)))
        expect(each.at("#invitation .qr svg")).to_be_visible()


def test_a_table_that_cannot_be_read_any_more_says_so_and_stops_asking(
    own_screen: NewScreen, own_house: House
) -> None:
    """As after a downgrade. Whatever waits on the phone is not tried for ever."""
    ada = own_screen().expects(LOST + "|409|Conflict")
    ada.takes_its_own_time()
    ada.open("Ada", "Bob")
    ada.plus(1)
    ada.all_sent()
    own_house.end(signal.SIGKILL)
    ada.plus(1)
    with closing(sqlite3.connect(own_house.folder / "companion.sqlite")) as disk, disk:
        disk.execute("""UPDATE entry SET events = '[{"event":"LanternsLit"}]' WHERE version > 1""")
    own_house.start()
    expect(ada.page.get_by_role("alert")).to_contain_text("nothing of it is lost", ignore_case=True)
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    ada.page.clock.run_for(60_000)
    assert not asked
