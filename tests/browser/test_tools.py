"""The shared timer and the dice, as a person at the table sees, hears and touches them."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import NewScreen
from everyone import ALL, AT_REST, COLOURS, ready, resize, violations
from playwright.sync_api import Locator, Route, expect
from screen import UNSEEN, Caller, House, Screen, spoil

pytestmark = pytest.mark.browser

MINUTE = 60_000

# A phone whose clock somebody set by hand; performance.now, which knows no date, does not notice.
SHIFTED = """(() => {
    const Real = Date;
    window.Date = class extends Real {
        constructor(...given) { given.length ? super(...given) : super(Real.now() + (%d)); }
        static now() { return Real.now() + (%d); }
    };
})();"""

# Counts every tone by its pitch and every buzz.
LISTENING = """(() => {
    const heard = (window.heard = { tones: [], buzzes: 0 });
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...when) {
        heard.tones.push(this.frequency.value);
        return start.apply(this, when);
    };
    const vibrate = Navigator.prototype.vibrate;
    Navigator.prototype.vibrate = function (pattern) {
        heard.buzzes += 1;
        return vibrate.call(this, pattern);
    };
})();"""
ALARM, TICK = 880, 1200
# What keeps a screen awake is another test's, and draws as long as it runs.
NO_FILM = """HTMLCanvasElement.prototype.captureStream = () => { throw new Error("no film here"); };"""

# A phone that slept: its monotonic clock stood still for so long.
SLEEPY = """(() => {
    window.slept = 0;
    const now = performance.now.bind(performance);
    performance.now = () => now() - window.slept;
})();"""

# The first thing this phone's clock ever said, and when: this machine's clock is the server's too.
FIRST_WORDS = """addEventListener("DOMContentLoaded", () => {
    const clock = document.querySelector(".timer-clock");
    if (!clock) return;
    const look = () => {
        const now = performance.timeOrigin + performance.now();
        if (clock.textContent) window.first ??= [clock.textContent, now];
    };
    new MutationObserver(look).observe(clock, { childList: true, characterData: true, subtree: true });
    look();
});"""

# How far this phone is from the server: asked by GET /time, the trip halved, the quickest of ten believed.
MEASURE = """async () => {
    const box = document.getElementById("timer");
    let best = { trip: Infinity };
    for (let i = 0; i < 10; i++) {
        const sent = performance.now();
        const { now } = await (await fetch("/time", { cache: "no-store" })).json();
        const trip = performance.now() - sent;
        const serverShows = Number(box.dataset.until) - (now + trip / 2);
        if (trip < best.trip) best = { trip, off: box.shows() - serverShows, left: serverShows };
    }
    return best;
}"""


ROOM = """
from dataclasses import replace

from companion.core.dice import Die, Face
from companion.games.any_game import GAME as ANY

BLOOD = Die("blood-red", "Blood-red die", (Face("one drop", "◆", 1), Face("two drops", "◆◆", 2)))
GAME = replace(ANY, title="Castle night", dice=(BLOOD,), timers=(("Sand timer", 30),))
"""


@pytest.fixture
def screen(screen: NewScreen) -> NewScreen:
    """Also where something moves or sounds nobody has to see it: what moves is asked for by its name."""

    def one(*looks: str) -> Screen:
        found = screen(*looks)
        found.on_every_page(UNSEEN + NO_FILM)
        return found

    return one


@pytest.fixture
def own_house(address: str, tmp_path: Path) -> Iterator[House]:
    """A server that a test may kill, with a room on its shelf that brings a die and a timer."""
    room = tmp_path / "shelf" / "castle_night"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text(ROOM, "utf-8")
    house = House(tmp_path, address, COMPANION_SHELF=str(room.parent)).start()
    yield house
    if house.process:
        house.kill()


def phone(screen: NewScreen, *scripts: str, size: str = "phone", theme: str = "dark") -> Screen:
    found = screen(size, theme)
    for script in scripts:
        found.on_every_page(script)
    return found


def shift(milliseconds: int) -> str:
    return SHIFTED % (milliseconds, milliseconds)


def tools(screen: Screen) -> Locator:
    """The sheet, open."""
    screen.press(screen.button("Tools"))
    expect(screen.at("#tools")).to_be_visible()
    return screen.at("#tools")


def start(screen: Screen, length: str) -> None:
    tools(screen)
    screen.at("#tools [name=length]").fill(length)
    screen.press(screen.at("#tools").get_by_role("button", name="Start", exact=True))
    expect(screen.at("#tools")).to_be_hidden()
    expect(screen.at("#timer")).to_be_visible()


def tap_timer(screen: Screen, name: str) -> None:
    screen.press(screen.at("#timer").get_by_role("button", name=name))


def data(screen: Screen, name: str) -> str:
    return screen.at("#timer").get_attribute(f"data-{name}") or ""


def clock(screen: Screen) -> Locator:
    return screen.at("#timer .timer-clock")


def written(left: float) -> str:
    """The second that is running counts as whole."""
    return f"{math.ceil(left / 1000) // 60}:{math.ceil(left / 1000) % 60:02}"


def shows(screen: Screen) -> float:
    return float(screen.page.evaluate("() => document.getElementById('timer').shows()"))


def skew(screen: Screen) -> float:
    """How far the browser's clock is behind this machine's, which may have been set while the browser ran."""
    found = []
    for _ in range(5):
        before = time.time()
        browser = screen.page.evaluate("() => performance.timeOrigin + performance.now()")
        after = time.time()
        found.append((after - before, (before + after) * 500 - browser))
    return min(found)[1]


def is_right(screen: Screen) -> None:
    """Within 50 ms of the server, and of the half of a trip that nobody can know on a slower network."""
    found = screen.page.evaluate(MEASURE)
    assert abs(found["off"]) <= 50 + (found["trip"] / 2 if found["trip"] > 20 else 0), found


def roll(screen: Screen, notation: str) -> None:
    tools(screen)
    screen.at("#throw").fill(notation)
    screen.press(screen.at("#cup").get_by_role("button", name="Roll"))


def heard(screen: Screen) -> dict[str, Any]:
    found: dict[str, Any] = screen.page.evaluate("() => window.heard")
    return {
        "alarm": found["tones"].count(ALARM),
        "ticks": found["tones"].count(TICK),
        "tones": len(found["tones"]),
        "buzzes": found["buzzes"],
    }


def moving(screen: Screen) -> list[str]:
    """What moves on this screen right now."""
    found: list[str] = screen.page.evaluate(
        """() => document.getAnimations().filter((each) => each.playState === "running")
            .map((each) => `${each.effect.target.getAttribute("class")} ${each.animationName ?? ""}`)"""
    )
    return found


def put_forward(screen: Screen, seconds: int) -> None:
    """The server's clock, as far as this phone hears of it."""

    def answer(route: Route) -> None:
        route.fulfill(json={"now": int((time.time() + seconds) * 1000)})

    screen.page.unroute("**/time")
    screen.page.route("**/time", answer)
    screen.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


# --- one clock for all, whatever their own clocks say ---


def test_phones_with_wrong_clocks_show_the_same_second(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    fast = phone(screen, shift(37 * MINUTE)).join(ada, 2)
    slow = phone(screen, shift(-120 * MINUTE)).join(ada, 3)
    at = "(now) => (Date.now() - now) / 60000"
    for each, wrong in ((ada, 0), (fast, 37), (slow, -120)):  # minutes; a busy machine takes its own time
        assert wrong - 1 < each.page.evaluate(at, time.time() * 1000) < wrong + 3
    asked = "() => performance.getEntriesByType('resource').filter(({name}) => name.endsWith('/time')).length"
    assert [each.page.evaluate(asked) for each in (ada, fast, slow)] == [0, 0, 0]  # nobody needs it yet
    start(ada, "2:00")
    for each in (fast, slow):
        expect(each.at("#timer")).to_be_visible()
        assert data(each, "until") == data(ada, "until")
    for each in (ada, fast, slow):
        is_right(each)

    # in the middle of each of the next seconds, all at once
    until = int(data(ada, "until"))
    first = int((until - time.time() * 1000) // 1000) - 1
    seconds = list(range(first, first - 3, -1))
    for each in (ada, fast, slow):
        each.page.evaluate(
            """([until, seconds, late]) => {
                window.read = {};
                window.looked = 0;
                const now = () => performance.timeOrigin + performance.now() + late;
                for (const second of seconds) {
                    const moment = until - second * 1000 + 500;
                    setTimeout(() => {
                        window.looked += 1;
                        if (now() - moment > 300) return; // too late to tell
                        window.read[second] = document.querySelector(".timer-clock").textContent;
                    }, moment - now());
                }
            }""",
            [until, seconds, skew(each)],
        )
    for each in (ada, fast, slow):
        each.page.wait_for_function("(times) => window.looked === times", arg=len(seconds), polling=100)
    read = [each.page.evaluate("() => window.read") for each in (ada, fast, slow)]
    assert any(set(read[0]) & set(read[1]) & set(read[2])), "too slow a machine to look at the right moments"
    for each in read:
        assert each == {second: f"{int(second) // 60}:{int(second) % 60:02}" for second in each}


def test_pause_resume_restart_and_ten_seconds_more_reach_every_phone(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = phone(screen, shift(37 * MINUTE)).join(ada, 2)
    tv = screen("tv").join(ada, role="display")
    start(ada, "1:00")
    expect(tv.at("#timer")).to_be_visible()

    tap_timer(bob, "Pause")
    for each in (ada, bob, tv):
        expect(each.at("#timer")).to_have_attribute("data-left", re.compile(r"\d+"))
    left = int(data(ada, "left"))
    for each in (ada, bob, tv):
        expect(clock(each)).to_have_text(written(left))
        assert shows(each) == left
    tv.page.evaluate("() => new Promise(requestAnimationFrame)")
    assert shows(tv) == left

    tap_timer(ada, "Resume")
    expect(bob.at("#timer")).to_have_attribute("data-left", "")
    is_right(bob)
    before = int(data(bob, "until"))
    tap_timer(bob, "+10 s")
    expect(ada.at("#timer")).to_have_attribute("data-until", str(before + 10_000))
    for each in (ada, bob, tv):
        is_right(each)

    tap_timer(ada, "Restart")
    expect(bob.at("#timer")).to_have_attribute("data-length", "60000")
    is_right(bob)
    assert shows(bob) > 55_000
    tap_timer(bob, "Stop the timer")
    for each in (ada, bob, tv):
        expect(each.at("#timer")).to_be_hidden()


def test_a_stopwatch_counts_up_on_every_phone(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = phone(screen, shift(-120 * MINUTE)).join(ada, 2)
    tools(ada)
    ada.press("#tools >> text=Stopwatch")
    expect(bob.at("#timer")).to_be_visible()
    expect(ada.at("#timer").get_by_role("button", name="+10 s")).to_have_count(0)
    expect(clock(bob)).to_have_text("0:02")
    since = bob.page.evaluate(
        "() => performance.timeOrigin + performance.now() - document.getElementById('timer').shows()"
    )
    assert abs(since + skew(bob) - int(data(bob, "since"))) <= 100


def test_a_timer_of_another_evening_is_not_shown(screen: NewScreen) -> None:
    """As after an import, or on the next day: nobody wants to read of hundreds of hours."""
    ada = screen().open("Ada", "Bob")

    for given in ({"mode": "up"}, {"length": "30"}):
        ada.post(f"/s/{ada.code}/do/start_timer", given, status=201)
        expect(ada.at("#timer")).to_be_visible()
        put_forward(ada, 25 * 3600)
        expect(ada.at("#timer")).to_be_hidden()
        put_forward(ada, 0)
        expect(ada.at("#timer")).to_be_visible()
        ada.post(f"/s/{ada.code}/do/stop_timer", {}, status=201)
    ada.post(f"/s/{ada.code}/do/start_timer", {"mode": "up"}, status=201)
    expect(ada.at("#timer")).to_be_visible()
    ada.post(f"/s/{ada.code}/do/end_sitting", {}, status=201)
    ada.page.wait_for_url("**/recap")
    expect(ada.at("#timer")).to_be_hidden()


def test_a_phone_that_joins_late_sees_the_right_time_at_once(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    start(ada, "5m")
    bob = phone(screen, shift(37 * MINUTE), FIRST_WORDS)
    bob.page.route("**/time", lambda route: None)  # it cannot even ask
    bob.join(ada, 2)
    words, when = bob.page.evaluate("() => window.first")
    left = int(data(bob, "until")) - when - skew(bob)
    assert words in {written(left - 300), written(left + 300)}
    end = bob.page.evaluate(
        "() => performance.timeOrigin + performance.now() + document.getElementById('timer').shows()"
    )
    assert abs(end + skew(bob) - int(data(bob, "until"))) < 300


def test_a_killed_server_comes_back_with_the_same_end(own_house: House, own_screen: NewScreen) -> None:
    ada = own_screen().open("Ada", "Bob").expects("ERR_", "stream", "fetch", "network")
    start(ada, "5m")
    until = data(ada, "until")
    own_house.kill()
    ada.pill("stale")
    counting = "(before) => document.getElementById('timer').shows() < before"
    ada.page.wait_for_function(counting, arg=shows(ada))  # nobody needs the server to count
    own_house.start()
    ada.is_live()
    bob = own_screen().join(ada, 2)
    for each in (ada, bob):
        assert data(each, "until") == until
        is_right(each)


def test_a_phone_that_was_frozen_shows_the_right_time_when_it_wakes(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    start(ada, "1:00")
    session = ada.context.new_cdp_session(spoil(ada.page))
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    time.sleep(1.5)  # what it showed before is wrong by then
    session.send("Page.setWebLifecycleState", {"state": "active"})
    ada.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    seen, now = clock(ada).inner_text(), shows(ada)
    assert seen in {written(now), written(now + 500)}  # read a moment earlier
    is_right(ada)


def test_a_phone_whose_clock_stood_still_in_its_sleep_asks_again(screen: NewScreen) -> None:
    ada = phone(screen, SLEEPY).open("Ada", "Bob")
    start(ada, "20m")
    is_right(ada)
    late = skew(ada)
    ada.page.evaluate(
        "() => { window.slept = 600_000; document.dispatchEvent(new Event('visibilitychange')); }"
    )
    ada.page.wait_for_function(
        """(skew) => {
            const box = document.getElementById("timer");
            const wall = performance.timeOrigin + performance.now() + window.slept + skew;
            return Math.abs(wall + box.shows() - Number(box.dataset.until)) < 80;
        }""",
        arg=late,
    )


def test_a_phone_without_a_network_counts_on_by_what_it_knew(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects("ERR_", "stream", "fetch", "network")
    start(ada, "1:00")
    is_right(ada)
    ada.context.set_offline(True)
    with ada.page.expect_event("requestfailed", lambda request: request.url.endswith("/time")):
        ada.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    end = ada.page.evaluate(
        "() => performance.timeOrigin + performance.now() + document.getElementById('timer').shows()"
    )
    assert abs(end + skew(ada) - int(data(ada, "until"))) <= 80
    ada.context.set_offline(False)
    ada.is_live()


# --- the end ---


@pytest.mark.sounds
def test_at_the_end_every_phone_says_it_in_words_light_sound_and_a_buzz(screen: NewScreen) -> None:
    ada = phone(screen, LISTENING).open("Ada", "Bob")
    bob = phone(screen, LISTENING).join(ada, 2)
    tv = phone(screen, LISTENING, size="tv").join(ada, role="display")
    bob.plus(2)  # a touch makes his phone ready to sound
    start(ada, "1s")
    for each in (ada, bob, tv):
        expect(each.at("#flash")).to_be_visible()
        expect(each.at("#flash")).to_have_text("Time is up")
        assert each.at("#flash").get_attribute("role") == "alert"
        expect(clock(each)).to_have_text("Time is up")
        expect(each.at("#timer")).to_have_class(re.compile(r"\bover\b"))
    expect(ada.at("#timer").get_by_role("button", name="Pause")).to_be_hidden()
    for each in (ada, bob):
        assert (heard(each)["alarm"], heard(each)["buzzes"]) == (3, 1)
    for each in (ada, bob, tv):
        expect(each.at("#flash")).to_be_hidden()
        expect(clock(each)).to_have_text("Time is up")

    # what happens afterwards does not ring again; a new end does
    ada.plus(1)
    bob.shows(1, 1)
    assert heard(bob)["alarm"] == 3
    tap_timer(ada, "+10 s")
    expect(bob.at("#timer")).not_to_have_class(re.compile(r"\bover\b"))
    assert 8000 < shows(bob) <= 10_050
    ada.press(ada.at("#undo .undo-button[data-yours]"))
    expect(clock(bob)).to_have_text("Time is up")
    bob.page.wait_for_timeout(300)
    assert heard(bob)["alarm"] == 3  # that end was told already
    start(ada, "1s")
    expect(bob.at("#flash")).to_be_visible()
    bob.page.wait_for_function(f"() => heard.tones.filter((each) => each === {ALARM}).length === 6")


def test_the_flash_lets_taps_through(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    start(ada, "1s")
    expect(ada.at("#flash")).to_be_visible()
    ada.plus(1)
    ada.shows(1, 1)
    expect(ada.at("#flash")).to_be_visible()


@pytest.mark.moves
@pytest.mark.sounds
def test_the_last_five_seconds_are_felt_coming_once_a_second(screen: NewScreen, house: House) -> None:
    ada = phone(screen, LISTENING).open("Ada", "Bob")
    bob = Caller(house.url).join(ada, 2)
    start(ada, "7s")
    expect(ada.at("#timer")).not_to_have_class(re.compile("hurry"))
    assert heard(ada)["ticks"] == 0
    expect(ada.at("#timer")).to_have_class(re.compile("hurry"))
    assert shows(ada) <= 5050
    if clock(ada).inner_text() not in ("0:01", "Time is up"):
        assert "timer-clock hurry" in moving(ada)
    for _ in range(6):  # whatever else happens at the table
        bob.tap("count", seat=2, counter=1, by=1, round=1)
        ada.page.wait_for_timeout(300)
    ada.shows(2, 6)
    bob.close()
    expect(clock(ada)).to_have_text("Time is up")
    assert heard(ada)["ticks"] <= 5
    assert heard(ada)["ticks"] >= 4
    expect(ada.at("#timer")).not_to_have_class(re.compile("hurry"))


@pytest.mark.sounds
def test_a_muted_phone_neither_sounds_nor_buzzes_and_remembers_it(screen: NewScreen) -> None:
    ada = phone(screen, LISTENING).open("Ada", "Bob")
    tools(ada)
    mute = ada.button("Mute this phone")
    expect(mute).to_have_attribute("aria-pressed", "false")
    ada.press(mute)
    expect(mute).to_have_attribute("aria-pressed", "true")
    ada.at_table()
    expect(ada.at("[data-mute]")).to_have_attribute("aria-pressed", "true")
    start(ada, "1s")
    expect(ada.at("#flash")).to_be_visible()  # words and light are still there
    roll(ada, "d6")
    expect(ada.at("#said")).not_to_be_empty()
    assert (heard(ada)["tones"], heard(ada)["buzzes"]) == (0, 0)
    ada.press("#roll")
    tools(ada)
    ada.press(ada.button("Mute this phone"))
    expect(ada.at("[data-mute]")).to_have_attribute("aria-pressed", "false")
    assert heard(ada)["ticks"] == 1  # it says that it can be heard again


def test_what_appears_with_a_buzz_is_felt_once_by_those_who_are_there(screen: NewScreen) -> None:
    """A room draws it into a part; here it is put there as a swap would."""
    ada = phone(screen, LISTENING).open("Ada", "Bob")
    ada.press(ada.at("#phase h2"))
    appear = """(value) => {
        document.getElementById("phase").dataset.buzz = value;
        document.dispatchEvent(new Event("htmx:after:swap"));
    }"""
    for value, buzzes in (("hush-1", 1), ("hush-1", 1), ("hush-2", 2)):
        ada.page.evaluate(appear, value)
        assert heard(ada)["buzzes"] == buzzes
    tools(ada)
    ada.press("[data-mute]")
    ada.page.evaluate(appear, "hush-3")
    assert heard(ada)["buzzes"] == 2


@pytest.mark.sounds
def test_the_tap_that_joins_makes_the_phone_ready_to_sound(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    made = """(() => { const Real = AudioContext;
        window.AudioContext = class extends Real {
            constructor(...given) { super(...given); window.made = this; }
        }; })();"""
    bob = phone(screen, made)
    bob.go(ada.link)
    bob.press(bob.at(".door-seat", has_text="Bob"))
    bob.page.wait_for_url(f"**/s/{ada.code}")
    bob.is_live()
    assert bob.page.evaluate("() => window.made?.state") == "running"


def test_with_reduced_motion_nothing_moves(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    start(ada, "30s")
    sand = "() => getComputedStyle(document.querySelector('.sand-top')).transform"
    before = ada.page.evaluate(sand)
    assert moving(ada) == []
    stepped = f"(before) => ({sand})() !== before"  # once a second
    ada.page.wait_for_function(stepped, arg=before, polling=50)
    assert moving(ada) == []
    put_forward(ada, 26)
    expect(ada.at("#timer")).to_have_class(re.compile("hurry"))
    assert moving(ada) == []
    put_forward(ada, 32)
    expect(ada.at("#flash")).to_be_visible()
    assert moving(ada) == []
    roll(ada, "2d6")
    expect(ada.at("#roll")).to_be_visible()
    assert moving(ada) == []


# --- the glass ---


def sand(screen: Screen) -> list[float]:
    """How far the sand has sunk above, and how much is missing below, of 26; and what is left of the time."""
    found: list[float] = screen.page.evaluate(
        """() => {
            const [top, bottom] = [".sand-top", ".sand-bottom"].map((name) =>
                new DOMMatrix(getComputedStyle(document.querySelector(name)).transform).m42);
            return [top, bottom, document.getElementById("timer").shows()];
        }"""
    )
    return found


@pytest.mark.moves
def test_the_sand_runs_with_the_time(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")

    def agrees() -> None:
        length = int(data(ada, "length"))
        top, bottom, left = sand(ada)
        gone = (length - left) / length * 26
        assert top == pytest.approx(gone, abs=0.6)
        assert bottom == pytest.approx(26 - gone, abs=0.6)

    start(ada, "20s")
    ada.page.wait_for_timeout(700)
    agrees()
    tap_timer(ada, "Pause")
    expect(ada.at("#timer")).to_have_attribute("data-left", re.compile(r"\d"))
    agrees()
    ada.page.wait_for_timeout(700)
    agrees()
    tap_timer(ada, "Resume")
    expect(ada.at("#timer")).to_have_attribute("data-left", "")
    ada.page.wait_for_timeout(700)
    agrees()
    tap_timer(ada, "+10 s")
    expect(ada.at("#timer")).to_have_attribute("data-length", "30000")
    agrees()
    tap_timer(ada, "Restart")
    expect(ada.at("#timer")).to_have_attribute("data-length", "20000")
    agrees()


@pytest.mark.moves
def test_the_sand_of_a_timer_after_a_stopwatch_lies_below_at_the_end(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    tools(ada)
    ada.press("#tools >> text=Stopwatch")
    tap_timer(ada, "Pause")
    start(ada, "1s")
    expect(clock(ada)).to_have_text("Time is up")
    expect(ada.at("#flash")).to_be_visible()
    ada.page.wait_for_function(AT_REST)
    assert sand(ada)[:2] == [26, 0]


@pytest.mark.moves
def test_a_running_timer_costs_no_layout_per_frame(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    start(ada, "5m")
    session = ada.context.new_cdp_session(ada.page)
    session.send("Performance.enable")

    def count() -> dict[str, float]:
        return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}

    running = "document.getAnimations().filter((each) => each.playState === 'running')"
    ada.page.wait_for_function(f"() => {running}.length === 2")  # the sand above and below, and nothing else
    before = count()
    ada.page.wait_for_timeout(2000)
    after = count()
    session.detach()
    assert after["LayoutCount"] - before["LayoutCount"] <= 20, "a few a second, where frames would be 120"
    assert after["ScriptDuration"] - before["ScriptDuration"] < 0.2


def test_the_display_can_be_read_from_two_metres(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo", "Dov")
    tv = screen("tv").join(ada, role="display")
    start(ada, "10m")
    expect(tv.at("#timer")).to_be_visible()
    height = clock(tv).evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)")
    # on 27 inches its digits are 2 cm high: 34 minutes of arc at two metres, and 20 read well
    assert height >= 90
    expect(tv.at("#timer .timer-buttons")).to_be_hidden()


# --- dice ---


def test_a_roll_is_seen_by_all_with_who_rolled(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    tv = screen("tv").join(ada, role="display")
    roll(bob, "2d6+1")
    faces = []
    for each in (bob, ada, tv):
        expect(each.at("#roll")).to_be_visible()
        expect(each.at("#roll .roll-who")).to_have_text("Bob rolled 2d6+1")
        expect(each.at("#roll .die")).to_have_count(2)
        faces.append(each.at("#roll .die span:not(.unseen)").all_inner_texts())
        expect(each.at("#roll .roll-total")).to_have_text(str(sum(map(int, faces[-1])) + 1))
    assert faces[0] == faces[1] == faces[2]
    expect(ada.line("rolled 2d6+1: ")).to_have_count(1)
    one, two = faces[0]
    words = f"Bob rolled 2d6+1: {one}, {two}, +1 = {int(one) + int(two) + 1}"
    for each in (ada, bob, tv):
        expect(each.at("#said")).to_have_text(words)
    expect(ada.at("#roll")).to_be_hidden()  # by itself, after a while


def test_undo_takes_a_roll_back(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    roll(ada, "d20")
    expect(bob.at("#roll")).to_be_visible()
    ada.press("#roll")
    expect(ada.at("#roll")).to_be_hidden()
    expect(bob.at("#roll")).to_be_visible()  # each closes it for himself
    ada.press(ada.at("#undo .undo-button[data-yours]"))
    expect(bob.at("#roll")).to_be_hidden()
    expect(bob.at("#log .line.gone")).to_have_count(1)
    ada.go(f"/s/{ada.code}/dice")
    expect(ada.at("#spread")).to_contain_text("Nobody has rolled yet.")
    bob.press(bob.at(".bar-logbook"))
    bob.press(bob.at("#log .line.gone .line-tap"))
    expect(ada.at("#spread figcaption")).to_contain_text("rolled here, 1 time")


def test_real_dice_are_told_by_tapping_their_faces(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    tools(ada)
    ada.press("#tools [data-die=d6]")
    ada.press("#tools [data-die=d6]")
    own = ada.button("Our own dice")
    expect(own).to_have_attribute("aria-expanded", "false")
    ada.press(own)
    expect(own).to_have_attribute("aria-expanded", "true")
    ada.press(ada.at("#shown .faces").nth(0).get_by_label("4", exact=True))
    ada.press("#tools [data-die=coin]")
    expect(ada.at("#throw")).to_have_value("2d6+coin")
    expect(ada.at("#shown .faces")).to_have_count(3)
    expect(
        ada.at("#shown .faces").nth(0).get_by_label("4", exact=True)
    ).to_be_checked()  # one more is no slip
    ada.press(ada.button("Tell the table"))
    expect(ada.at("#tools")).to_be_visible()  # two dice are still missing
    ada.press(ada.at("#shown .faces").nth(1).get_by_label("6", exact=True))
    ada.press(ada.at("#shown .faces").nth(2).get_by_label("tails", exact=True))
    ada.press(ada.button("Tell the table"))
    for each in (ada, bob):
        expect(each.at("#roll .roll-who")).to_have_text("Ada rolled 2d6+coin at the table")
        expect(each.line("rolled at the table 2d6+coin: 4, 6 and tails")).to_have_count(1)
    expect(bob.at("#said")).to_have_text("Ada rolled 2d6+coin at the table: 4, 6, tails")
    # and the next time no face is chosen yet
    ada.press("#roll")
    tools(ada)
    expect(ada.at("#shown :checked")).to_have_count(0)


def test_a_rooms_own_dice_and_timer_lie_ready(own_house: House, own_screen: NewScreen) -> None:
    ada = own_screen()
    ada.open("Ada", "Bob", game="castle-night")
    tools(ada)
    ada.press(ada.button("Sand timer"))
    expect(ada.at("#timer")).to_have_attribute("data-length", "30000")
    tools(ada)
    ada.press(ada.button("Blood-red die"))
    ada.press(ada.button("Blood-red die"))
    expect(ada.at("#throw")).to_have_value("2blood-red")
    ada.press(ada.button("Our own dice"))
    for row in ada.at("#shown .faces").all():
        ada.press(row.get_by_label("two drops"))
    ada.press(ada.button("Tell the table"))
    expect(ada.line("rolled at the table 2blood-red: two drops and two drops = 4")).to_have_count(1)
    expect(ada.at("#roll .die").first).to_contain_text("◆◆")
    expect(ada.at("#said")).to_have_text("Ada rolled 2blood-red at the table: two drops, two drops = 4")


def test_a_real_die_with_too_many_faces_is_typed_and_never_rolled_by_us(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects("422")
    for notation in ("d%", "d100", "1+d%"):
        tools(ada)
        ada.at("#throw").fill(notation)
        if ada.button("Our own dice").get_attribute("aria-expanded") == "false":  # it stays as it was left
            ada.press(ada.button("Our own dice"))
        face = ada.at("#shown input")
        expect(face).to_have_count(1)
        ada.press(ada.button("Tell the table"))
        expect(ada.at("#tools")).to_be_visible()
        face.fill("101")
        ada.press(ada.button("Tell the table"))
        expect(ada.at("#cup .sentence")).to_have_text("A d100 has no such face.")
        face.fill("42")
        ada.press(ada.button("Tell the table"))
        expect(ada.line(f"rolled at the table {notation}: 42")).to_have_count(1)
        ada.press("#roll")
        expect(ada.at("#roll")).to_be_hidden()


def test_bad_notation_is_said_in_the_sheet_which_stays_open(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects("422")
    for notation, sentence in (
        ("0d6", "No dice, no roll: throw at least one."),
        ("1000d1000", "A die has 2 to 100 sides; d1000 has not."),
        ("d", "There is no die called “d” at this table."),
    ):
        roll(ada, notation)
        expect(ada.at("#cup .sentence")).to_have_text(sentence)
        expect(ada.at("#tools")).to_be_visible()
        expect(ada.at("#throw")).to_have_value(notation)
        ada.at("#throw").fill("d6")
        ada.press(ada.at("#cup").get_by_role("button", name="Roll"))
        expect(ada.at("#tools")).to_be_hidden()
        expect(ada.at("#roll")).to_be_visible()
        ada.press("#roll")
        expect(ada.at("#roll")).to_be_hidden()


def test_a_bad_length_is_said_in_the_sheet_which_stays_open(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob").expects("422")
    tools(ada)
    ada.at("#tools [name=length]").fill("-5")
    ada.at("#tools [name=length]").press("Enter")
    expect(ada.at("#tools form").first.locator(".sentence")).to_contain_text("Time only runs forwards")
    expect(ada.at("#tools")).to_be_visible()
    expect(ada.at("#timer")).to_be_hidden()


def test_lots_are_drawn_and_seats_are_shuffled(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    bob = screen().join(ada, 2)
    tools(bob)
    expect(bob.button("Shuffle the seats")).to_be_hidden()
    bob.press(bob.button("Draw lots"))
    expect(ada.at("#roll .roll-who")).to_have_text("Bob drew lots")
    expect(ada.at("#roll .roll-total")).to_contain_text(re.compile("Ada|Bob|Cleo"))
    expect(ada.at("#said")).to_have_text(re.compile("^Bob drew lots: (Ada|Bob|Cleo)$"))
    expect(ada.line("drawn by lot")).to_have_count(1)
    ada.press("#roll")
    tools(ada)
    ada.press(ada.button("Shuffle the seats"))
    ada.press(ada.at("#confirm [data-yes]"))
    expect(bob.line("seats in the order")).to_have_count(1)


# --- without a finger, without eyes ---


def tab_to(screen: Screen, what: Locator) -> None:
    for _ in range(80):
        if what.evaluate("(element) => element === document.activeElement"):
            return
        screen.page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {what}")


def test_timer_and_dice_by_keyboard_alone(screen: NewScreen) -> None:
    ada = screen("tv").open("Ada", "Bob")
    keys = ada.page.keyboard
    tab_to(ada, ada.button("Tools"))
    keys.press("Enter")
    expect(ada.at("#tools")).to_be_visible()
    tab_to(ada, ada.at("#tools [name=length]"))
    keys.type("1:30")
    keys.press("Enter")
    expect(ada.at("#timer")).to_be_visible()
    tab_to(ada, ada.at("#timer").get_by_role("button", name="Pause"))
    keys.press("Space")
    expect(ada.at("#timer").get_by_role("button", name="Resume")).to_be_visible()

    tab_to(ada, ada.button("Tools"))
    keys.press("Enter")
    tab_to(ada, ada.at("#throw"))
    keys.type("2d6")
    tab_to(ada, ada.button("Our own dice"))
    keys.press("Enter")
    ada.page.keyboard.press("Shift+Tab")  # back into the second die's faces
    expect(ada.at("#shown .faces").nth(1).locator("input:focus")).to_have_count(1)
    keys.press("Space")
    keys.press("ArrowLeft")
    keys.press("Shift+Tab")
    keys.press("Space")
    keys.press("Enter")
    expect(ada.line("rolled at the table 2d6")).to_have_count(1)
    expect(ada.at("#tools")).to_be_hidden()

    tab_to(ada, ada.button("Tools"))
    keys.press("Enter")
    expect(ada.at("#tools")).to_be_visible()
    keys.press("Escape")
    expect(ada.at("#tools")).to_be_hidden()
    expect(ada.button("Tools")).to_be_focused()


def audit(screen: Screen, where: str, *parts: str) -> list[str]:
    """All of it on a phone in the dark, and its colours on a tablet in the light."""
    ready(screen.page)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found: list[str] = []
    everything = {**ALL, "runOnly": {"type": "tag", "values": tags}}
    for size, theme, what in (("phone", "dark", everything), ("tablet", "light", COLOURS)):
        resize(screen.page, size)
        found += violations(screen.page, theme, what, *parts)
    resize(screen.page, "phone")
    return [f"{where}: {each}" for each in found]


def test_an_audit_finds_nothing_to_mend(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    tools(ada)
    ada.press("#tools [data-die=d6]")
    ada.press("#tools [data-die=d20]")
    ada.press(ada.button("Our own dice"))
    wrong = audit(ada, "tools")
    ada.press(ada.button("Our own dice"))
    ada.press(ada.at("#cup").get_by_role("button", name="Roll"))
    expect(ada.at("#roll")).to_be_visible()
    wrong += audit(ada, "roll")
    ada.press("#roll")
    start(ada, "5s")
    wrong += audit(ada, "timer in a hurry", "#timer")
    put_forward(ada, 6)
    expect(ada.at("#flash")).to_be_visible()
    wrong += audit(ada, "flash", "#flash")
    ada.page.evaluate("() => { document.getElementById('flash').hidden = true; }")  # as by itself, in a while
    wrong += audit(ada, "time is up", "#timer")
    ada.post(f"/s/{ada.code}/do/stop_timer", {}, status=201)
    expect(ada.at("#timer")).to_be_hidden()
    start(ada, "5m")
    wrong += audit(ada, "timer")
    ada.go(f"/s/{ada.code}/dice").is_live()
    wrong += audit(ada, "dice")
    assert not wrong, "\n".join(wrong)
