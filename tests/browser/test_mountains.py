"""Mountains of Madness on real phones: silence that falls on all of them, and a whole short expedition."""

import re

import pytest
from conftest import screens
from everyone import IN_THE_HAND, findings
from playwright.sync_api import expect
from screen import HastyHouse, fits

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# Counts every buzz.
LISTENING = """(() => {
    window.buzzes = 0;
    Navigator.prototype.vibrate = function () { window.buzzes += 1; return true; };
})();"""

HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""

# What of this is not wholly on the first screen, between the top and the bar at the bottom.
OUT_OF_SIGHT = """(selectors) => {
    scrollTo(0, 0);
    const [top, bar] = [document.querySelector(".top"), document.querySelector(".bar")];
    const [from, to] = [top.getBoundingClientRect().bottom, bar.getBoundingClientRect().top];
    return selectors.filter((selector) => {
        const seen = (each) => each.checkVisibility({ visibilityProperty: true });
        const box = [...document.querySelectorAll(selector)].find(seen)?.getBoundingClientRect();
        return !box || box.top < from || box.bottom > to;
    });
}"""


@pytest.fixture(scope="module")
def hasty_house(address, tmp_path_factory):
    house = HastyHouse(tmp_path_factory.mktemp("hasty"), address).start()
    yield house
    house.kill()


@pytest.fixture
def hasty_screen(browsers, hasty_house):
    yield from screens(browsers, hasty_house)


def says(words, *screens):
    for each in screens:
        expect(each.at("#phase h2:visible")).to_have_text(words)


def sound(kind, *screens):
    """What is heard: talk, or silence, which makes phones buzz."""
    for each in screens:
        expect(each.at("#peak-sound[data-buzz]")).to_have_count(int(kind == "silence"))
        expect(each.at("#peak-sound")).to_have_count(1)


def buzzed(screen, times):
    screen.page.wait_for_function("(times) => window.buzzes === times", arg=times)


def in_sight(screen, *selectors):
    assert screen.page.evaluate(OUT_OF_SIGHT, list(selectors)) == []


def press(screen, words, among="#phase"):
    """The button that says so, among those of this phase."""
    screen.press(screen.at(f"{among} .p-tap:visible", has=screen.page.locator("b", has_text=words)).first)


def follows(screen, id="peak-owed"):
    """The chain of what would follow."""
    return screen.at(f"#{id}-chain")


def test_silence_falls_on_every_phone_also_on_one_that_comes_late_or_wakes(hasty_screen, hasty_house):
    screen = hasty_screen
    ada, bob, tv = screen(), screen(theme="light"), screen("tv")
    for each in (ada, bob):
        each.on_every_page(LISTENING)
    ada.open("Ada", "Bob", "Cleo", "Dov", game="mountains-of-madness")
    bob.join(ada, 2)
    tv.join(ada, role="display")
    bob.press(bob.at("#peak-packs [data-yours] .tick").first)
    expect(ada.at("#peak-pack-2 .tick").first).to_have_attribute("aria-checked", "true")
    press(ada, "Begin the expedition")
    press(ada, "Coast")
    press(ada, "Flip the sand timer")

    sound("talk", ada, bob, tv)
    expect(bob.at("#peak-acts > :visible")).to_have_text(re.compile("Act on your level 1 Madness"))
    expect(ada.at("#peak-acts > :visible")).to_have_text(re.compile("No Madness"))
    in_sight(ada, ".timer-clock", "#peak-card", "#peak-acts > [data-yours]")
    fits(ada, bob, tv)

    # Bob's phone falls asleep; then the first card lies on the sled
    bob.expects("ERR_", "stream", "fetch", "network")
    bob.page.evaluate(HIDE, True)
    bob.context.set_offline(True)
    press(ada, "Card on the sled")
    sound("silence", ada, tv)
    says("SILENCE", ada, tv)
    buzzed(ada, 1)
    in_sight(ada, ".timer-clock", "#peak-card", "#peak-spoke", "#peak-acts > [data-yours]")
    sound("talk", bob)

    cleo = screen()
    cleo.on_every_page(LISTENING)
    cleo.join(ada, 3)
    says("SILENCE", cleo)
    bob.context.set_offline(False)
    bob.page.evaluate(HIDE, False)
    says("SILENCE", bob)
    buzzed(bob, 1)
    assert cleo.page.evaluate("() => window.buzzes") == 0  # who comes late reads it
    ends = {each.at("#timer").get_attribute("data-until") for each in (ada, bob, cleo, tv)}
    assert len(ends) == 1
    fits(ada, bob, cleo, tv)

    # somebody speaks: the real die is told, what follows is shown to all, and one tap applies it
    press(cleo, "Someone spoke")
    expect(bob.at("#peak-roll-real .p-tap:visible")).to_have_count(3)
    in_sight(bob, ".timer-clock", "#peak-card", "#peak-spoke", "#peak-roll-real .p-tap")
    press(bob, "Accident")
    for each in (ada, bob, cleo, tv):
        expect(follows(each)).to_contain_text("2 Injuries to the Equipment discard; 9 left")
    expect(bob.at("#timer")).to_be_visible()
    press(ada, "Do it")
    for each in (ada, bob, cleo, tv):
        expect(each.at("#peak-owed")).to_have_count(0)

    # time is up: every phone shows it, and what comes next, without a tap
    left = ada.page.evaluate("() => document.getElementById('timer').shows()")
    hasty_house.put_forward(max(0, int(left / 1000) - 1), ada, bob, cleo, tv)
    for each in (ada, bob, cleo, tv):
        expect(each.at("#timer")).to_have_class(re.compile(r"\bover\b"))
    for each in (ada, bob, cleo):
        expect(each.at("#flash")).to_be_hidden()
        expect(each.at("#peak-card")).to_be_hidden()
        expect(each.at("#peak-over .p-tap:visible")).to_have_count(2)
    fits(ada, bob, cleo, tv)
    press(cleo, "Again: 30 more seconds")
    sound("talk", ada, bob, cleo, tv)
    for each in (ada, bob, cleo):
        expect(each.at("#peak-tokens .p-figure")).to_have_text("5")
        expect(each.at("#peak-card")).to_be_visible()
    press(bob, "Card on the sled")
    sound("silence", ada, bob, cleo, tv)
    press(bob, "All cards are in")
    bob.press("#confirm [data-yes]")
    says("Reveal the sled", ada, bob, cleo, tv)
    expect(ada.at("#timer")).to_be_hidden()


def turn(ada, bob, place):
    """To the reveal, before the sand has run out."""
    press(ada, place)
    press(bob, "Flip the sand timer")
    press(bob, "Card on the sled")
    sound("silence", ada, bob)
    press(ada, "All cards are in")
    ada.press("#confirm [data-yes]")
    says("Reveal the sled", ada, bob)


def test_a_short_expedition_from_the_set_up_to_the_verdict(screen):
    ada, bob, tv = screen(), screen("tablet", theme="light"), screen("tv", theme="light")
    ada.open("Ada", "Bartholomew the Unready", "Cleo", "Dov", "Eve", game="mountains-of-madness")
    bob.join(ada, 2)
    tv.join(ada, role="display")
    fits(ada, bob, tv)
    press(bob, "Begin the expedition")
    says("Turn 1: Ada leads", ada, bob, tv)
    fits(ada, bob, tv)
    turn(ada, bob, "Coast")

    # the Challenges are typed as they are printed, the cards tapped one by one, the other total counted up
    ada.press("#phase [data-opens=challenges]")
    ada.at("#sheet [name=first]").fill("nonsense")
    ada.at("#sheet [name=second]").fill("10 or 12")
    ada.expects("422")
    ada.press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_contain_text("as it is printed")
    ada.at("#sheet [name=first]").fill("11-13")
    ada.press("#sheet button.strong")
    expect(bob.at("#peak-asked-0 h3")).to_have_text(re.compile(r"Tools\s*11–13"))
    ada.press("#peak-cards summary")
    for value in (6, 5):
        ada.press(ada.page.get_by_role("button", name=f"Tools {value}", exact=True))
    expect(bob.at("#peak-asked-0")).to_have_class(re.compile(r"\bgood\b"))
    ada.press("#peak-total-weapons [data-step='1']")
    expect(bob.at("#peak-total-weapons output")).to_have_text("1")
    expect(bob.at("#peak-asked-1")).to_contain_text("9 short")
    fits(ada, bob, tv)
    press(ada, "Judge both")

    # the reward: a Relic, with all that follows from it
    press(bob, "Ruin")
    press(bob, "Bartholomew the Unready", "#peak-reward")
    press(bob, "Resolution")
    for each in (ada, bob):
        expect(follows(each, "peak-relic").locator("li")).to_have_count(2)
    fits(ada, bob, tv)
    press(ada, "Take the Relic")
    expect(tv.at("#seat-2")).to_contain_text("re-roll the die")

    # the miss: the die, re-rolled for a token, and Confusion by nine cards
    press(ada, "Penalty die")
    press(bob, "Loss of Confidence")
    for each in (ada, bob, tv):  # what it means is read at once: the die lies in its panel, nothing over it
        expect(follows(each)).to_contain_text("2 tokens")
        expect(each.at("#roll")).to_have_attribute("data-number", "1")
        expect(each.at("#roll")).to_be_hidden()
    ada.press("#peak-reroll-real summary")
    ada.press(ada.at("#peak-reroll-real .p-tap", has_text="Confusion"))
    for each in (ada, bob, tv):
        expect(follows(each)).to_contain_text("Missed by 9: 9 cards")
    fits(ada, bob, tv)
    press(bob, "Do it")
    press(ada, "To the Draw phase")
    says("Draw phase", ada, bob, tv)
    press(ada, "Cards are dealt")
    expect(follows(bob, "peak-rest").locator("li b").first).to_have_text(
        "1 token from the discard to the box; 5 left in all."
    )
    fits(ada, bob, tv)
    press(bob, "Rest")
    says("Turn 2: Bartholomew the Unready leads", ada, bob, tv)
    expect(ada.at("#peak-tokens")).to_contain_text("1 in the box")

    # one undo takes back the whole chain
    bob.press(".undo-button[data-yours]")
    says("Rest phase", ada, bob, tv)
    expect(ada.at("#peak-tokens")).to_contain_text("0 in the box")
    press(bob, "No rest")

    # on to the end: the airplane is put right, and the third Escape tile ends the game
    ada.press("#peak-put-right summary")
    ada.press("#peak-put-right [data-opens=plane]")
    ada.press(ada.at("#sheet .tile", has_text="Second Escape tile"))
    ada.press("#sheet button.strong")
    expect(bob.at("#peak-route [aria-current]")).to_contain_text("Escape 2")
    turn(ada, bob, "Third Escape tile")
    for which in (0, 1):
        ada.press(f"#peak-asked-{which}-no")
        expect(bob.at(f"#peak-asked-{which}")).to_have_class(re.compile(r"\bbad\b"))
    press(ada, "Judge both")
    press(ada, "Cleo", "#peak-miss-0")
    expect(bob.at("[id^='peak-miss-'].p-panel")).to_have_count(1)
    press(ada, "Penalty die")
    press(ada, "Accident")
    press(ada, "Do it")
    press(ada, "To the Draw phase")
    press(ada, "Cards are dealt")
    press(ada, "No rest")
    for each in (ada, bob, tv):
        expect(each.at("#verdict h2")).to_have_text(
            "Out of the mountains, but a failure: 1 Relic, 7 Injuries."
        )
        expect(each.at("#verdict .working")).to_contain_text("The manual contradicts itself")
    fits(ada, bob, tv)


def test_every_phase_of_the_expedition_is_for_everyone(hasty_screen, hasty_house):
    """Axe looks at every step after the set-up, which is among every room's states, in light and dark."""
    ada = hasty_screen().open(
        "Ada", "Bartholomew the Unready", "Wwwwwwwwwwwwwwwwwwwwwwww", game="mountains-of-madness"
    )

    def is_for_everyone(step):
        ada.all_sent()
        assert findings(ada.page, IN_THE_HAND) == [], step

    press(ada, "Begin the expedition")
    says("Turn 1: Ada leads", ada)
    is_for_everyone("movement")
    # where everything stands comes before what can be read about it
    tops = "(ids) => ids.map((id) => document.getElementById(id).getBoundingClientRect().top)"
    above = ada.page.evaluate(tops, ["phase", "board", "seats", "ask", "standing"])
    assert above == sorted(above)
    press(ada, "Coast")
    press(ada, "Flip the sand timer")
    press(ada, "Card on the sled")
    sound("silence", ada)
    press(ada, "Someone spoke")
    press(ada, "Accident")
    expect(follows(ada)).to_be_visible()
    is_for_everyone("somebody spoke")
    press(ada, "Do it")
    hasty_house.put_forward(30, ada)
    press(ada, "Reveal the sled")
    says("Reveal the sled", ada)
    ada.press("#peak-cards summary")
    is_for_everyone("the reveal")
    for which, said in enumerate(("yes", "no")):
        ada.press(f"#peak-asked-{which}-{said}")
    press(ada, "Judge both")
    says("What it brings, what it costs", ada)
    press(ada, "Ruin")
    is_for_everyone("a reward and a miss")
    press(ada, "No reward")
    press(ada, "Ada", "#peak-miss-1")
    press(ada, "To the Draw phase")
    press(ada, "Cards are dealt")
    says("Rest phase", ada)
    is_for_everyone("rest")
