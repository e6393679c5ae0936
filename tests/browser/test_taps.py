"""A tap is one, a hold is many, and neither is ever lost, doubled or put on the wrong button."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from conftest import NewScreen
from playwright.sync_api import APIResponse, Error, Route, expect
from screen import UNSEEN, Caller, House, Screen

pytestmark = pytest.mark.browser

LOST = r"net::ERR_"


@pytest.fixture
def screen(screen: NewScreen) -> NewScreen:
    """Where things are and what they say is asked here: also of what moves, nobody has to see it."""

    def one(*size: str) -> Screen:
        found = screen(*size)
        found.on_every_page(UNSEEN)
        return found

    return one


@contextmanager
def held(screen: Screen, seat: int, by: int = 1) -> Iterator[Any]:
    """A finger that stays; gives the wire by which it can be told to lift."""
    box = screen.step(seat, by).bounding_box()
    wire = screen.context.new_cdp_session(screen.page)
    at = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
    wire.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at})
    yield wire
    with suppress(Error):  # it may have been taken away already
        wire.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wire.detach()


def shows_at_least(screen: Screen, seat: int, number: int) -> None:
    screen.page.wait_for_function(
        "([id, least]) => Number(document.querySelector(`#${id} output`).textContent) >= least",
        arg=[f"counter-{seat}-1", number],
        polling=20,  # not by frames: each would be drawn
    )


@pytest.mark.moves
def test_a_tap_is_one(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    ada.plus(1, 3)
    ada.minus(1)
    bob.minus(2)
    bob.plus(1)
    ada.agree(bob, numbers={1: 3, 2: -1})
    for each in (ada, bob):
        expect(each.counted()).to_have_count(6)


@pytest.mark.moves
def test_the_number_goes_up_by_one_and_never_to_two_and_back(screen: NewScreen) -> None:
    """The stream often brings a tap's change before the answer to the tap itself."""
    ada = screen().open("Ada", "Bob")
    ada.remember(1)
    for number in range(1, 6):
        ada.plus(1)
        ada.shows(1, number)
        ada.all_sent()
    ada.only_grew_to(5)


@pytest.mark.moves
def test_a_hold_repeats_and_is_never_also_a_tap(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    ada.remember(1)
    with held(ada, 1):
        shows_at_least(ada, 1, 4)
        bob.shows(1, 0)
    ada.all_sent()
    expect(ada.line("Points")).to_have_count(1)
    [shown] = [int(text) for text in ada.number(1).all_inner_texts()]
    assert shown >= 4
    ada.has_counted(f"+{shown} Points, now {shown}")
    ada.only_grew_to(shown)
    bob.shows(1, shown)
    ada.plus(1)
    ada.agree(bob, numbers={1: shown + 1})


@pytest.mark.moves
def test_a_mouse_can_hold_too(screen: NewScreen) -> None:
    ada = screen("tv").open("Ada", "Bob")
    ada.step(2, -1).hover()
    ada.page.mouse.down()
    ada.page.wait_for_function("() => document.querySelector('#counter-2-1 output').textContent === '−3'")
    ada.page.mouse.up()
    ada.all_sent()
    expect(ada.line("Points")).to_have_count(1)
    expect(ada.counted()).to_have_text(re.compile(r"^−([3-9]) Points, now −\1$"))


INTERRUPTED = {
    "another window comes up": "() => window.dispatchEvent(new Event('blur'))",
    "the page is left": "() => window.dispatchEvent(new PageTransitionEvent('pagehide'))",
    "the system takes the touch": "",
}


@pytest.mark.moves
def test_a_hold_that_is_interrupted_counts_what_it_showed(screen: NewScreen) -> None:
    ada = screen()
    ada.takes_its_own_time()
    ada.open("Ada", "Bob")
    ada.remember(1)
    told: list[str] = []
    for how, script in INTERRUPTED.items():
        before = int(ada.number(1).inner_text())
        with held(ada, 1) as wire:
            shows_at_least(ada, 1, before + 2)
            if script:
                ada.page.evaluate(script)
            else:
                wire.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
            expect(ada.counted(), how).to_have_count(len(told) + 1)  # although the finger is still there
            shown = int(ada.number(1).inner_text())
            ada.page.clock.run_for(400)  # longer than two steps of a hold: nothing may run on
            assert int(ada.number(1).inner_text()) == shown, how
        told.append(f"+{shown - before} Points, now {shown}")
        ada.all_sent()
        ada.has_counted(*told)
    ada.only_grew_to(shown)


@pytest.mark.moves
def test_a_hold_goes_on_while_others_tap(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    with held(ada, 1):
        shows_at_least(ada, 1, 2)
        bob.plus(1)
        bob.plus(2)
        ada.shows(2, 1)
        shows_at_least(ada, 1, 6)
    ada.all_sent()
    expect(ada.line("Points")).to_have_count(3)
    shown = int(ada.number(1).inner_text())
    expect(ada.counted().first).to_have_text(f"+{shown - 1} Points, now {shown}")
    bob.shows(1, shown)


def test_what_another_loses_is_asked_by_a_second_tap_and_only_where_they_could_tap_themselves(
    screen: NewScreen,
) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    bob = screen("narrow")
    bob.takes_its_own_time()
    bob.join(ada, 2)
    expect(ada.at("#roster [data-seats='2']")).to_have_count(1)
    ada.minus(2)
    expect(ada.bubble(2)).to_have_text("−1? Tap again")
    expect(ada.at("#said")).to_have_text("Bob: Points −1? Tap again")
    ada.all_sent()
    ada.agree(bob, numbers={2: 0})
    ada.minus(2, 2)  # who has said yes is not asked again
    ada.agree(bob, numbers={2: -2})

    # Cleo has no phone, one's own number is one's own, and a slip is no loss
    bob.minus(3)
    bob.minus(2)
    bob.plus(1)
    bob.minus(1)
    ada.agree(bob, numbers={1: 0, 2: -3, 3: -1})
    bob.fits()

    # who holds it down is asked too, and then it runs
    dove = bob.step(1, -1)
    bob.page.clock.run_for(5100)  # by now Bob's yes is forgotten
    box = dove.bounding_box()
    for held in (False, True):
        bob.page.mouse.move(box["x"] + 10, box["y"] + 10)
        bob.page.mouse.down()
        bob.page.clock.run_for(700)
        bob.page.mouse.up()
        expect(bob.bubble(1)).to_have_text(re.compile("→" if held else "Tap again"))


def test_the_keypad_takes_minus_signs_and_sums(screen: NewScreen) -> None:
    """What the table has is what the log tells, which comes from the server."""
    ada = screen().open("Ada", "Bob")
    ada.open_keypad(1)
    expect(ada.at("#keypad-whom")).to_have_text("Ada: Points")
    expect(ada.at("#keypad [data-add]")).to_be_disabled()
    ada.keys("3+6")
    expect(ada.at("#keypad-sum")).to_have_text("0 + 9 = 9")
    ada.press("#keypad [data-add]")
    expect(ada.at("#keypad")).to_be_hidden()
    ada.shows(1, 9)
    ada.open_keypad(1)
    ada.keys("−12")
    ada.press("#keypad [data-back]")
    ada.keys("1")
    expect(ada.at("#keypad [data-add]")).to_have_text("Take 11")
    ada.press("#keypad [data-add]")
    ada.shows(1, -2)
    ada.open_keypad(1)
    ada.keys("5+15")
    ada.press("#keypad [data-set]")
    ada.shows(1, 20)
    ada.has_counted("+9 Points, now 9", "−11 Points, now −2", "+22 Points, now 20")


def test_the_keypad_takes_no_nonsense_and_types_like_a_keyboard(screen: NewScreen) -> None:
    ada = screen("tv").open("Ada", "Bob")
    ada.open_keypad(2)
    expect(ada.at("#keypad-text")).to_be_focused()
    for typed in ("+", "3+", "1.5", "abc", "9999999", "3++4"):
        ada.at("#keypad-text").fill(typed)
        expect(ada.at("#keypad [data-add]")).to_be_disabled()
        ada.page.keyboard.press("Enter")
    expect(ada.at("#keypad")).to_be_visible()
    ada.at("#keypad-text").fill(" 10 - 3 ")
    ada.page.keyboard.press("Enter")
    expect(ada.at("#keypad")).to_be_hidden()
    ada.shows(2, 7)
    ada.open_keypad(2)
    ada.page.keyboard.press("Escape")
    expect(ada.at("#keypad")).to_be_hidden()
    ada.all_sent()
    ada.has_counted("+7 Points, now 7")


def test_setting_a_number_to_what_it_is_sends_nothing(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    ada.plus(1, 2)
    ada.all_sent()
    ada.open_keypad(1)
    ada.keys("2")
    ada.press("#keypad [data-set]")
    expect(ada.at("#keypad")).to_be_hidden()
    assert ada.waiting() == 0
    expect(ada.counted()).to_have_count(2)


def test_ten_fast_taps_with_slow_answers_are_ten_and_in_order(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)

    answers: list[tuple[Route, APIResponse]] = []
    ada.page.route("**/do/count", lambda route: answers.append((route, route.fetch())))
    ada.remember(1)
    ada.plus(1, 10)
    assert ada.waiting() == 10, "none has been answered yet"
    for number in range(1, 11):
        bob.shows(1, number)
        while not answers:
            ada.page.wait_for_timeout(5)
        assert len(answers) == 1
        route, answer = answers.pop()
        route.fulfill(response=answer)
    ada.shows(1, 10)
    ada.all_sent()
    ada.agree(bob, numbers={1: 10})
    for each in (ada, bob):
        each.has_counted(*(f"+1 Points, now {n}" for n in range(1, 11)))
    ada.only_grew_to(10)


@pytest.mark.parametrize("lost", ["the request", "the answer"])
def test_a_cut_in_the_middle_of_five_taps_loses_and_doubles_none(screen: NewScreen, lost: str) -> None:
    ada = screen().open("Ada", "Bob").expects(LOST)
    sent: list[str] = []

    def cut(route: Route) -> None:
        sent.append(route.request.post_data or "")
        if len(sent) not in (2, 3):
            return route.continue_()
        if lost == "the answer":
            route.fetch()
        return route.abort("connectionreset")

    ada.page.route("**/do/count", cut)
    ada.plus(1, 5)
    ada.all_sent()
    ada.shows(1, 5)
    ada.has_counted(*(f"+1 Points, now {n}" for n in range(1, 6)))  # as the server tells it
    assert len(sent) == 7, "two tries were cut, so two taps had to be sent again"
    assert len(set(sent)) == 5, "a tap that is sent again is the same tap"


def test_two_phones_end_the_round_at_once_and_it_is_one_round(screen: NewScreen) -> None:
    late = r"422|Unprocessable"
    ada = screen().open("Ada", "Bob").expects(late)
    bob = screen().join(ada, 2).expects(late)
    held_back: list[Route] = []
    for each in (ada, bob):
        each.page.route("**/do/next_round", lambda route: held_back.append(route))
    ada.press(ada.button("Next round"))
    bob.press(bob.button("Next round"))
    while len(held_back) < 2:
        ada.page.wait_for_timeout(20)
    for route in held_back:
        route.continue_()
    while not (told := [text for each in (ada, bob) for text in each.at(".toast").all_inner_texts()]):
        ada.page.wait_for_timeout(20)
    assert told == ["Round 1 is over already; this is round 2."]
    for each in (ada, bob):
        expect(each.at("#phase h2")).to_have_text("Round 2")
        each.all_sent()
        expect(each.line("round 1 is over")).to_have_count(1)
        expect(each.line("round 2 is over")).to_have_count(0)


def test_every_post_sent_twice_at_once_is_applied_once(screen: NewScreen, house: House) -> None:
    ada = screen()
    ada.on_every_page(
        """const once = window.fetch;
        window.twice = 0;
        window.fetch = async (url, options) => {
            if (options?.method !== "POST") return once(url, options);
            window.twice += 1;
            const [one, other] = await Promise.all([once(url, options), once(url, options)]);
            if (one.status !== other.status || await one.clone().text() !== await other.clone().text())
                console.error("the same tap got two answers");
            return other;
        };"""
    )
    ada.open("Ada", "Bob")
    bob = Caller(house.url).join(ada, 2)
    expect(ada.at("#roster [data-seats='2']")).to_have_count(1)
    ada.plus(1, 5)
    ada.minus(2, 2)  # it is Bob's, so the first tap only asks
    ada.all_sent()
    ada.press(ada.button("Next round"))
    expect(ada.at("#phase h2")).to_have_text("Round 2")
    ada.plus(1)
    ada.all_sent()
    ada.press(".undo-button[data-yours]")
    expect(ada.line("took back")).to_have_count(1)
    ada.all_sent()
    ada.agree(numbers={1: 5, 2: -1})
    assert ada.page.evaluate("() => window.twice") == 9
    expect(ada.at("#phase h2")).to_have_text("Round 2")
    expect(ada.counted()).to_have_count(7)
    bob.close()


def places_of_buttons(screen: Screen) -> dict[str, dict[str, float]]:
    """Once no button is down any more: one that is pressed looks pressed, by a pixel."""
    screen.page.wait_for_function("() => !document.querySelector('.step:active')")
    return screen.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".step, .number")].map((button) => {
            const {x, y, width, height} = button.getBoundingClientRect();
            const key = `${button.closest(".counter").id} ${button.dataset.step ?? "number"}`;
            return [key, {x, y, width, height}];
        }))"""
    )


@pytest.mark.moves
def test_nothing_moves_under_the_finger(screen: NewScreen) -> None:
    """Of those who look on, on a phone and on a tablet, while Bob taps."""
    ada = screen().open("Ada", "Bartholomew the Unready", "Cleo", "Dov")
    looking = (ada, screen("tablet").join(ada, 3))
    bob = screen().join(ada, 2)
    before = [places_of_buttons(each) for each in looking]

    def nothing_moved(what: str) -> None:
        assert [places_of_buttons(each) for each in looking] == before, what

    bob.plus(2)
    bob.plus(3)
    bob.minus(4)
    bob.plus(1)
    ada.agree(looking[1], numbers={1: 1, 2: 1, 3: 1, 4: -1})
    nothing_moved("taps by others moved the buttons")
    bob.open_keypad(2)
    bob.keys("1234")
    bob.press("#keypad [data-add]")
    for each in looking:
        each.shows(2, 1235)
        expect(each.at("#seat-2 .tag.lead")).to_be_visible()
    nothing_moved("a large number moved the buttons")
    for each, seat in zip(looking, (1, 3), strict=True):
        each.plus(seat)
        expect(each.bubble(seat)).to_have_attribute("data-on", "")
        each.all_sent()
    ada.agree(*looking, bob, numbers={1: 2, 3: 2})
    nothing_moved("the bubble moved the buttons")
    bob.press(bob.button("Next round"))
    for each in looking:
        expect(each.at("#phase h2")).to_have_text("Round 2")
    nothing_moved("the next round moved the buttons")
    bob.plus(1)
    bob.plus(3)
    for each in looking:
        each.shows(3, 3)
        expect(each.at("#counter-3-1 .detail")).to_have_text("+1 this round")
    nothing_moved("what was counted this round moved the buttons")


@pytest.mark.moves
def test_a_finger_on_its_way_does_not_hit_what_has_just_moved_and_is_told_so(screen: NewScreen) -> None:
    """For a quarter of a second, and only what moved: no tap is swallowed in silence."""
    ada = screen().open("Ada", "Bob", "Cleo", look=False)
    bob = screen()
    bob.on_every_page(HELD_BACK)
    bob.join(ada, 2)
    was = bob.step(1).bounding_box()
    for _ in range(2):
        ada.post(f"/s/{ada.code}/do/move_seat", {"seat": 3, "way": "up"}, status=201)
    expect(bob.at("#seat-3 .step[data-moved]")).to_have_count(2)
    bob.page.touchscreen.tap(was["x"] + 20, was["y"] + 20)  # where Ada's plus was, Cleo's is now
    expect(bob.at(".toast")).to_have_text("It moved: tap again.")
    expect(bob.step(3)).to_have_class(re.compile("p-shakes"))
    assert bob.waiting() == 0
    bob.page.touchscreen.tap(*middle(bob, 2))  # his own has not moved, and takes it
    bob.shows(2, 1)
    bob.page.evaluate("() => window.held.forEach((each) => each())")
    bob.page.touchscreen.tap(was["x"] + 20, was["y"] + 20)
    bob.shows(3, 1)
    bob.shows(1, 0)


HELD_BACK = """const later = window.setTimeout; window.held = [];
window.setTimeout = (call, ms, ...given) => (ms === 250 ? held.push(call) : later(call, ms, ...given));"""


def middle(screen: Screen, seat: int) -> tuple[float, float]:
    box = screen.step(seat).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_round_of_three_is_nine_taps_and_no_number_needs_a_keyboard(screen: NewScreen) -> None:
    """Two digits and one more key for each player; the last of these is the next round. The first time, one
    more tap opens the keypad."""
    ada = screen().open("Ada", "Bob", "Cleo")
    ada.open_keypad(1)
    for round in (1, 2):
        taps = 0
        for score in ("23", "45", "12"):
            ada.keys(score)
            ada.press("#keypad [data-next]")
            taps += len(score) + 1
        assert taps == 9
        ada.all_sent()  # so what it shows is what the table has
        ada.agree(numbers={1: 23 * round, 2: 45 * round, 3: 12 * round})
        expect(ada.at("#phase h2")).to_have_text(f"Round {round + 1}")
        expect(ada.at("#keypad-whom")).to_have_text("Ada: Points")
    expect(ada.at("#keypad-seats b")).to_have_text(["46", "90", "24"])
    ada.keys("7")
    ada.press(ada.at("#keypad-seats button").nth(2))  # who jumps to another player leaves nothing behind
    expect(ada.at("#keypad-whom")).to_have_text("Cleo: Points")
    ada.press("#keypad .sheet-close")
    ada.all_sent()
    ada.shows(1, 53)

    # a round that was written down wrong is put right in the same way, player after player
    ada.press(ada.page.get_by_role("button", name="Ada, round 1: 23, correct"))
    expect(ada.at("#sheet [data-next]")).to_have_text("Next: Bob")
    ada.press(ada.at("#sheet [data-next]"))  # it is right; Bob's is not
    expect(ada.at("#sheet h2")).to_have_text("Bob, round 1")
    for key in "40":
        ada.press(f"#sheet [data-digit='{key}']")
    ada.press(ada.at("#sheet [data-next]"))
    expect(ada.at("#sheet h2")).to_have_text("Cleo, round 1")
    expect(ada.at("#sheet [data-next]")).to_be_hidden()
    ada.shows(2, 85)


def test_a_phone_that_is_asked_to_wait_says_so_and_loses_nothing(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects(r"429")
    refused: list[Route] = []
    calm: list[bool] = []

    def too_fast(route: Route) -> None:
        if calm:
            return route.continue_()
        refused.append(route)
        words = '{"refused": "That is faster than anybody can tap."}'
        return route.fulfill(
            status=429, headers={"Retry-After": "1"}, content_type="application/json", body=words
        )

    ada.page.route("**/do/count", too_fast)
    ada.plus(1, 3)
    expect(ada.page.locator("#pill")).to_contain_text("not so fast")
    calm.append(True)
    ada.all_sent()
    ada.shows(1, 3)
    assert refused
    expect(ada.page.locator("#pill")).not_to_contain_text("not so fast")
