"""What comes into view by itself, and when it does not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from conftest import NewScreen
from playwright.sync_api import expect
from screen import UNSEEN, Caller, House, Screen, spoil

pytestmark = [pytest.mark.browser, pytest.mark.moves]

GAME = "tides-of-madness"  # any with phases and rulings about them

#: Where the new phase stands, below the bar that covers the top: negative is out of view.
ABOVE = """() => document.getElementById("phase").getBoundingClientRect().top
    - document.querySelector(".top").getBoundingClientRect().bottom"""
AT_THE_END = "() => { scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }); return scrollY; }"
LIES_STILL = """() => { window.was ??= []; window.was.push(scrollY);
    return window.was.length > 45 && new Set(window.was.slice(-45)).size === 1; }"""  # of frames: over 0.7 s


@pytest.fixture
def scrolled(screen: NewScreen, house: House) -> Iterator[tuple[Caller, Screen]]:
    """Ada, who starts the round, and Bob, whose phone is scrolled to the end."""
    ada = Caller(house.url).open("Ada", "Bob", game=GAME)
    bob = screen()
    bob.on_every_page(UNSEEN)  # where things are is known also of what is not drawn
    bob.join(ada, 2)
    spoil(bob.page)
    lies_at_the_end(bob)
    yield ada, bob
    ada.close()


def lies_at_the_end(bob: Screen) -> int:
    bob.page.wait_for_function(LIES_STILL, polling="raf")
    bob.page.evaluate("() => { window.was = []; }")
    end = bob.page.evaluate(AT_THE_END)
    assert end > 100, "there must be something to scroll"
    bob.page.wait_for_function(LIES_STILL, polling="raf")
    bob.page.evaluate("() => { window.was = []; }")
    return int(end)


def in_phase(bob: Screen, *, drawn: bool) -> None:
    bob.page.wait_for_function(
        "(drawn) => (document.getElementById('ask').dataset.phase !== 'setup') === drawn", arg=drawn
    )


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_new_phase_comes_into_view(scrolled: tuple[Caller, Screen], motion: str) -> None:
    ada, bob = scrolled
    bob.page.emulate_media(reduced_motion=motion)
    bob.page.evaluate(
        """() => { window.seen = new Set();
        (function look() { window.seen.add(scrollY); requestAnimationFrame(look); })(); }"""
    )
    ada.tap("begin_round", after=0)
    bob.page.wait_for_function(f"() => ({ABOVE})() >= 0")
    bob.page.wait_for_function(LIES_STILL, polling="raf")
    assert 0 <= bob.page.evaluate(ABOVE) < 30, "just below the bar"
    steps = bob.page.evaluate("() => window.seen.size")
    assert steps <= 3 if motion == "reduce" else steps > 3, f"{steps} places on the way"


def test_a_tap_in_the_same_phase_moves_nothing(scrolled: tuple[Caller, Screen]) -> None:
    ada, bob = scrolled
    at = bob.page.evaluate("() => scrollY")
    ada.tap("tick", **json.loads(bob.at("[data-do$='/tick']").first.get_attribute("data-args") or ""))
    expect(bob.at("[data-do$='/tick']").first).to_have_attribute("aria-checked", "true")
    bob.page.wait_for_function(LIES_STILL, polling="raf")
    assert bob.page.evaluate("() => scrollY") == at


def a_field(bob: Screen) -> Callable[[], object]:
    bob.page.evaluate(
        """() => { const field = document.createElement("input");
        Object.assign(field, { ariaLabel: "A note", id: "note" });
        document.getElementById("standing").append(field); field.focus({ preventScroll: true }); }"""
    )
    return lambda: bob.page.evaluate("() => document.getElementById('note').remove()")


def a_sheet(bob: Screen) -> Callable[[], object]:
    bob.open_log()
    return bob.close_log


def a_finger(bob: Screen) -> Callable[[], object]:
    """At the edge, where nothing lies that it would press."""
    hand = bob.context.new_cdp_session(bob.page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 2, "y": 300}]})
    return lambda: hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def a_scroll(bob: Screen) -> Callable[[], object]:
    """To and fro by a pixel, as long as it lasts."""
    bob.page.evaluate("() => { let by = 1; window.swing = setInterval(() => scrollBy(0, (by = -by)), 100); }")
    return lambda: bob.page.evaluate("() => clearInterval(window.swing)")


def test_nobodys_page_moves_under_their_hands(scrolled: tuple[Caller, Screen]) -> None:
    """Not while they type, read a sheet, touch or scroll; and after that it is no news any more."""
    ada, bob = scrolled
    for hold in (a_field, a_sheet, a_finger, a_scroll):
        let_go = hold(bob)
        begun = ada.tap("begin_round", after=0)
        in_phase(bob, drawn=True)
        bob.page.wait_for_timeout(2600)  # longer than a new phase waits for busy hands
        assert bob.page.evaluate(ABOVE) < 0, hold.__name__
        let_go()
        bob.page.evaluate("() => { window.was = []; }")
        bob.page.wait_for_function(LIES_STILL, polling="raf")
        assert bob.page.evaluate(ABOVE) < 0, hold.__name__
        ada.tap("take_back", entry=begun)
        in_phase(bob, drawn=False)
        bob.page.wait_for_function(f"() => ({ABOVE})() >= 0")  # now it is free, and comes
        lies_at_the_end(bob)
