"""For everyone: by keyboard, by ear, without motion, in light and dark, at every size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle

import pytest
from conftest import Browsers, NewScreen, screens
from everyone import (
    COLOURS,
    IN_THE_HAND,
    IN_THE_LIGHT,
    LOOKS,
    OTHERWISE,
    findings,
    out_of_reach,
    ready,
    violations,
)
from places import ALIKE, LESS_FULL, PLACES, Party
from playwright.sync_api import expect
from screen import House, Screen, spoil

pytestmark = pytest.mark.browser
#: How a place is looked at, by turns; and one that is like a place before, which is looked at in the hand.
HANDS = ("narrow", "phone")
WAYS = ((LOOKS, IN_THE_HAND, HANDS), (OTHERWISE, IN_THE_LIGHT, HANDS))


@pytest.fixture(scope="module")
def party(browsers: Browsers, house: House) -> Iterator[Party]:
    for screen in screens(browsers, house):
        yield Party(screen)


@pytest.mark.timeout(600)  # up to eight places, most of them in two looks
@pytest.mark.parametrize("where", PLACES)
def test_every_place_is_for_everyone(party: Party, where: str) -> None:
    """Axe finds nothing, in light and dark, on phone and tablet; no page scrolls sideways; thumbs hit."""
    told = {
        place.__name__: findings(place(party).page, *(alike if place in ALIKE else (looks,)))
        for place, (looks, *alike) in zip(PLACES[where], cycle(WAYS), strict=False)
    }
    assert not any(told.values()), "\n".join(
        f"{place}: {line}" for place, all in told.items() for line in all
    )


def test_a_display_that_is_less_full_fits_every_screen(party: Party) -> None:
    told = {place.__name__: dict(out_of_reach(place(party).page)) for place in LESS_FULL}
    assert not any(told.values()), told


def test_words_that_are_hard_to_read_are_noticed_also_on_what_shades_off_and_where_nothing_is_painted(
    screen: NewScreen,
) -> None:
    ada = screen().open("Ada", "Bob")
    ready(ada.page)
    assert violations(ada.page) == []
    for number, where in enumerate(("#phase .button", ".seat h3", ".seat .tag"), 1):
        ada.page.evaluate(
            "(where) => document.querySelector(where).style.setProperty('color', '#666', 'important')", where
        )
        assert len(violations(ada.page, "", COLOURS)) == number, where
    assert ada.page.evaluate("() => window.unseen.disabled") is False, "as it was"


# --- by keyboard ---


def tab_to(screen: Screen, selector: str, most: int = 80, back: bool = False) -> None:
    """Tab until it has the focus, and look whether that can be seen."""
    for _ in range(most):
        screen.page.keyboard.press("Shift+Tab" if back else "Tab")
        if screen.page.evaluate("(selector) => document.activeElement?.matches(selector)", selector):
            break
    else:
        raise AssertionError(f"Tab never comes to {selector}")
    seen = screen.page.evaluate(
        """() => {
            const element = document.activeElement;
            const ring = (each) => parseFloat(getComputedStyle(each).outlineWidth) >= 2
                && getComputedStyle(each).outlineStyle !== "none";
            const {top, bottom, left, right} = element.getBoundingClientRect();
            const inside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
            const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            const free = element.contains(there) || there?.contains(element);
            return [[element, ...element.parentElement.querySelectorAll("*")].some(ring), inside, free];
        }"""
    )
    assert seen == [True, True, True], f"{selector}: ring, on the screen, uncovered: {seen}"


def test_everything_can_be_done_by_keyboard(screen: NewScreen) -> None:
    ada, bob = screen("tv"), screen("tv", "light")
    keys = ada.page.keyboard

    # open a table
    ada.go()
    tab_to(ada, "a.box[href$='any-game']")
    keys.press("Enter")
    ada.page.wait_for_url("**/open/any-game")
    expect(ada.at("#one-more")).to_be_focused()
    for name in ("Ada", "Bob", "Cleo", "Dov"):
        keys.type(name)
        keys.press("Enter")  # on to the next name
    tab_to(ada, "#chips .chip:last-child input", back=True)
    keys.press("Space")
    expect(ada.at("#how-many")).to_have_text("3 so far, of 1 to 12 players")
    tab_to(ada, "#seating summary")
    keys.press("Enter")
    tab_to(ada, ".player:nth-child(2) [data-move=up]")
    keys.press("Enter")
    expect(ada.at(".player:visible bdi")).to_have_text(["Bob", "Ada", "Cleo"])
    expect(ada.at(".player:first-child [data-move=up]")).to_be_focused()
    tab_to(ada, "#players-form > .button")
    keys.press("Enter")
    ada.page.wait_for_url("**/people")
    ada.code = ada.page.url.split("/")[-2]
    ada.is_live()
    link = ada.at(".link a").get_attribute("href")

    # join, and sit
    bob.go(link)
    bob.code = ada.code
    tab_to(bob, ".door-seat")
    tab_to(bob, ".door-more summary")
    bob.page.keyboard.press("Enter")
    tab_to(bob, ".door-more .button")
    bob.page.keyboard.press("Enter")
    bob.page.wait_for_url("**/seat")
    tab_to(bob, ".chair input")
    bob.page.keyboard.press("Space")
    expect(bob.at(".chair input").first).to_be_checked()
    tab_to(bob, "form > .button")
    bob.page.keyboard.press("Enter")
    bob.is_live()

    # tap
    tab_to(bob, "#counter-1-1 [data-step='1']")
    bob.page.keyboard.press("Enter")
    bob.page.keyboard.press("Space")
    bob.page.keyboard.press("Enter")
    bob.shows(1, 3)
    bob.page.keyboard.press("Shift+Tab")
    bob.page.keyboard.press("Shift+Tab")
    expect(bob.step(1, -1)).to_be_focused()
    bob.page.keyboard.press("Space")
    bob.shows(1, 2)
    bob.all_sent()
    expect(bob.step(1, -1)).to_be_focused()

    # the keypad
    tab_to(bob, "#counter-2-1 .number")
    bob.page.keyboard.press("Enter")
    expect(bob.at("#keypad-text")).to_be_focused()
    bob.page.keyboard.type("3+6")
    bob.page.keyboard.press("Enter")
    bob.shows(2, 9)
    expect(bob.at("#counter-2-1 .number")).to_be_focused()
    bob.all_sent()

    # the log
    line = bob.line("+9 Points, now 9")
    name = line.get_attribute("id")
    tab_to(bob, f"#{name} .line-tap")
    bob.page.keyboard.press("Enter")
    bob.shows(2, 0)
    expect(bob.at(f"#{name} .line-tap")).to_be_focused()
    bob.page.keyboard.press("Enter")
    bob.shows(2, 9)

    # the next round, and the end
    tab_to(bob, ".phase-buttons .strong")
    bob.page.keyboard.press("Enter")
    expect(bob.at("#phase h2")).to_have_text("Round 2")
    tab_to(bob, ".phase-buttons .ghost")
    bob.page.keyboard.press("Enter")
    expect(bob.at("#confirm")).to_be_visible()
    tab_to(bob, "#confirm [data-yes]")
    bob.page.keyboard.press("Enter")
    expect(bob.at("#verdict h2")).to_have_text("Ada wins with 9 Points.")


def test_the_log_on_a_phone_opens_and_closes_by_keyboard(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    ada.plus(1)
    ada.all_sent()
    tab_to(ada, ".bar-logbook")
    ada.page.keyboard.press("Enter")
    expect(ada.at("#logbook")).to_be_visible()
    tab_to(ada, "#log .line-tap")
    ada.page.keyboard.press("Enter")
    ada.shows(1, 0)
    ada.page.keyboard.press("Escape")
    expect(ada.at("#logbook")).to_be_hidden()
    expect(ada.at(".bar-logbook")).to_be_focused()


# --- what it weighs ---


def test_a_table_is_light_and_lighter_when_it_was_seen_before(screen: NewScreen) -> None:
    """As a phone gets it that was never here: the same browser, and nothing it has kept."""
    ada = screen().open("Ada", "Bob", "Cleo", game="smash-up", look=False)
    wire = ada.context.new_cdp_session(ada.page)
    wire.send("Network.enable")
    wire.send("Network.clearBrowserCache")
    asked: list[str] = []
    weight: list[int] = []
    wire.on("Network.requestWillBeSent", lambda told: asked.append(told["request"]["url"]))
    wire.on("Network.requestServedFromCache", lambda told: asked.append("kept"))
    wire.on("Network.loadingFinished", lambda told: weight.append(told["encodedDataLength"]))
    ada.at_table()
    there = [url for url in asked if url.startswith("http")]
    assert len(there) <= 15, there
    assert sum(weight) <= 100_000
    assert not [url for url in there if "/time" in url], "no timer runs"
    asked.clear()
    weight.clear()
    ada.at_table()
    sent = [url for url in asked if url.startswith("http")]
    assert len(sent) - asked.count("kept") <= 3, asked
    wire.detach()


# --- by ear, and without motion ---


def test_a_screen_reader_hears_other_seats(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    tv = screen("tv").join(ada, role="display")
    for each in (ada, tv):
        expect(each.at("#said")).to_have_attribute("aria-live", "polite")
        expect(each.at("#said")).to_be_empty()
    bob.plus(2, 3)
    bob.all_sent()
    for each in (ada, tv):
        expect(each.at("#said")).to_have_text("Bob: Points 3 (+3)")
    bob.minus(1, 2)  # it is Ada's, so the first tap only asks
    expect(ada.at("#said")).to_have_text(re.compile(r"^Ada: Points [−-]1 \(−1\)$"))
    expect(ada.page.get_by_role("group", name="Ada: Points")).to_be_visible()
    expect(ada.page.get_by_role("button", name="Ada: −1 Points, type a number")).to_be_visible()


def test_who_wants_no_motion_gets_none(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    ada.plus(1)
    moving = """() => [...document.querySelectorAll("*")].filter((each) => {
        const style = getComputedStyle(each);
        return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
    }).length"""
    expect(ada.bubble(1)).to_have_css("opacity", "1")
    assert ada.page.evaluate(moving) == 0
    assert ada.page.evaluate("() => document.getAnimations().length") == 0
    ada.page.emulate_media(reduced_motion="no-preference")
    assert ada.page.evaluate(moving) > 0


def test_light_or_dark_is_as_the_system_has_it_until_somebody_says_otherwise(screen: NewScreen) -> None:
    ada = screen().go()
    theme = ada.at("html")
    expect(theme).to_have_attribute("data-theme", "dark")
    spoil(ada.page).emulate_media(color_scheme="light")
    expect(theme).to_have_attribute("data-theme", "light")
    ada.press(ada.button("Light or dark"))
    ada.page.reload()
    expect(theme).to_have_attribute("data-theme", "dark")
