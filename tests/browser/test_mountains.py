"""Mountains of Madness on real phones: the tile on every screen, silence that falls, a whole game."""

import re
from itertools import cycle

import pytest
from everyone import IN_THE_HAND, IN_THE_LIGHT, findings
from playwright.sync_api import expect
from screen import TAPS, Caller, fits

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

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


HEIGHT = "(selector) => document.querySelector(selector).getBoundingClientRect().height"
# What is cut off on the display: something that needs more room than it has.
CUT = """() => [...document.querySelectorAll("#phase, #phase .p-panel, #board, .seat, #peak-asked > *")]
    .filter((each) => each.checkVisibility() && each.scrollHeight > each.clientHeight + 8)
    .map((each) => `${each.id} ${each.scrollHeight} > ${each.clientHeight}`)"""

# How large all is drawn on the display: now, with more words, without them again, and once it forgets how
# large it was before.
FILLED = """async () => {
    const sizes = () => [...document.querySelectorAll("[data-zoom]")].map((each) => each.dataset.zoom).join();
    const drawn = () => new Promise((done) => setTimeout(() => done(sizes())));
    const words = document.createElement("p"), found = [sizes()];
    words.textContent = "Tekeli-li! ".repeat(40);
    document.querySelector("#phase .phase-words").append(words);
    found.push(await drawn());
    words.remove();
    found.push(await drawn());
    dispatchEvent(new Event("resize"));
    return [...found, await drawn()];
}"""


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


def label(screen, words, among="#phase"):
    return screen.at(f"{among} .p-tap:visible", has=screen.page.locator("b", has_text=words)).first


def press(screen, words, among="#phase"):
    """The button that says so, among those of this phase."""
    screen.press(label(screen, words, among))


def run_out(house, *screens):
    """The sand, on every one of them, and so long ago that nobody is startled: that takes four seconds each
    time, and silence falls with it."""
    house.put_forward(62, *screens)
    for each in screens:
        expect(each.at("#timer")).to_have_class(re.compile(r"\bover\b"))
        expect(each.at("#flash")).to_be_hidden()


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
    in_sight(ada, ".timer-clock", "#peak-card", "#peak-acts > [data-yours]", "#peak-kinds")
    expect(bob.at("#peak-kinds")).to_be_hidden()  # Ada holds the tile
    fits(ada, bob, tv)

    # she enters it while the others talk, and it stands large on every screen
    ada.press("#peak-kind-tools")
    expect(ada.at("#peak-printed")).to_be_visible()
    in_sight(ada, ".timer-clock", "#peak-printed", "#peak-card")
    fits(ada)
    press(ada, "8–10")
    press(ada, "Books")
    press(ada, "7–9")
    for each in (ada, bob, tv):
        expect(each.at("#peak-asked .p-text")).to_have_text(["8–10", "7–9"])
    assert tv.page.evaluate(HEIGHT, "#peak-asked .p-text") >= 100
    in_sight(bob, ".timer-clock", "#peak-asked", "#peak-card", "#peak-acts > [data-yours]")

    # a rule that somebody shows waits: it would cover the button and the word
    bob.post(f"/s/{bob.code}/do/show_ruling", {"ruling": "silence"}, 201)
    expect(ada.at("#shown_ruling h2")).to_have_count(1)
    for each in (ada, bob, tv):
        expect(each.at("#shown_ruling")).to_be_hidden()

    # Bob's phone falls asleep; then the first card lies on the sled
    bob.expects("ERR_", "stream", "fetch", "network")
    bob.page.evaluate(HIDE, True)
    bob.context.set_offline(True)
    felt = ada.page.evaluate("() => window.buzzes")  # that she leads
    press(ada, "Card on the sled")
    sound("silence", ada, tv)
    says("SILENCE", ada, tv)
    buzzed(ada, felt + 1)
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

    # the rest is drawn for all alike, and two look at it; what a display shows of it, a whole game asks below
    for each in (cleo, tv):
        each.page.goto("about:blank")

    # somebody speaks: the real die is told, what follows is shown to all, and one tap applies it
    press(ada, "Somebody spoke")
    expect(bob.at("#peak-roll-real .p-tap:visible")).to_have_count(4)
    expect(bob.at("#peak-spoke-again")).to_contain_text("one more die")
    in_sight(bob, ".timer-clock", "#peak-card", "#peak-spoke-again", "#peak-roll-real .p-tap")
    press(bob, "Accident")
    for each in (ada, bob):
        expect(follows(each)).to_contain_text("2 Injuries to the Equipment discard; 9 left")
    expect(bob.at("#timer")).to_be_visible()
    press(ada, "Do it")
    for each in (ada, bob):
        expect(each.at("#peak-owed")).to_have_count(0)

    # time is up: every phone shows it, and what comes next, without a tap
    left = ada.page.evaluate("() => document.getElementById('timer').shows()")
    hasty_house.put_forward(max(0, int(left / 1000) - 1), ada, bob)
    for each in (ada, bob):
        expect(each.at("#timer")).to_have_class(re.compile(r"\bover\b"))
        expect(each.at("#flash")).to_be_hidden()
        expect(each.at("#peak-card")).to_be_hidden()
        expect(each.at("#peak-over .p-tap:visible")).to_have_count(2)
        expect(each.at("#shown_ruling")).to_be_visible()
    bob.post(f"/s/{bob.code}/do/put_ruling_away", {}, 201)
    expect(ada.at("#shown_ruling")).to_be_hidden()
    fits(ada, bob)
    press(ada, "30 more seconds")
    sound("talk", ada, bob)
    for each in (ada, bob):
        expect(each.at("#peak-tokens .p-figure")).to_have_text("5")
        expect(each.at("#peak-card")).to_be_visible()
    press(bob, "Card on the sled")
    sound("silence", ada, bob)
    run_out(hasty_house, ada, bob)
    press(bob, "Reveal the sled")
    says("Reveal the sled", ada, bob)
    expect(ada.at("#timer")).to_be_hidden()


def test_a_turn_takes_few_taps_and_no_scrolling(hasty_screen, hasty_house):
    """One phone for three players, so that every tap of a turn is counted."""
    ada = hasty_screen().open("Ada", "Bob", "Cleo", mine=3, game="mountains-of-madness", look=False)
    ada.post(f"/s/{ada.code}/do/begin", {}, 201)
    ada.at_table().page.evaluate(TAPS)

    def taps(*places, scrolls=False):
        before = ada.page.evaluate("() => taps")
        for place in places:
            if place == "sand":
                run_out(hasty_house, ada)
                continue
            target = ada.at(place) if place[0] in "#[" else label(ada, place)
            if not scrolls:
                expect(target).to_be_in_viewport(ratio=1)
            ada.press(target)
            ada.all_sent()
        return ada.page.evaluate("() => taps") - before

    go = ("Coast", "Flip the sand timer")
    assert taps(*go, "sand", "Reveal the sled", "Both met", "Search") == 5  # the barest; the clock runs
    assert taps("To the Draw phase", "Dealt, no rest") == 2
    says("Turn 2: Bob leads", ada)
    ada.post(f"/s/{ada.code}/do/put_tokens", {"sled": 4, "discard": 2, "box": 0}, 201)
    assert (
        taps(*go, "sand", "Reveal the sled", "Both met", "#peak-others .p-tap >> nth=3", "Dealt, no rest")
        == 6
    )
    says("Turn 3: Cleo leads", ada)
    # a typical one: silence, one met and one missed, the die
    silent = taps(*go, "Card on the sled", "sand", "Reveal the sled")
    die = ("#peak-others .p-tap >> nth=1", "#peak-miss-1-die .p-tap >> nth=0", "Do it", "Dealt, no rest")
    assert silent + taps("One of them", *die, scrolls=True) == 9
    says("Turn 4: Ada leads", ada)
    # or with a Relic, the first of its kind, and Madness
    relic = ("#peak-relic-ruin", "#peak-relic-for-2", "#peak-relic-on-draw")
    mad = ("#peak-miss-1-who .p-tap >> nth=0", "Dealt, no rest")
    unseen_encounter(hasty_house, ada, 4, "coast")  # which takes as many taps as the one before
    assert silent + taps("One of them", *relic, *mad, scrolls=True) == 10
    says("Turn 5: Bob leads", ada)
    unseen_encounter(hasty_house, ada, 5, "coast")
    assert silent + taps("One of them", *relic[:2], *mad, scrolls=True) == 9  # the next one of that kind
    says("Turn 6: Cleo leads", ada)
    # with the tile entered and card by card
    tile = (
        "#peak-kind-tools",
        "#peak-printed .p-tap >> nth=8",
        "#peak-kind-books",
        "#peak-printed .p-tap >> nth=8",
    )
    cards = [f"#peak-values-{kind} .p-tap >> nth={nth}" for kind in ("tools", "books") for nth in (2, 3)]
    start, (silence, *reveal) = go, ("Card on the sled", "sand", "Reveal the sled")
    assert taps(*start, *tile, silence, *reveal, *cards) == 12
    expect(ada.at("#peak-asked > .good")).to_have_count(2)
    assert taps("#peak-others .p-tap >> nth=1", "Dealt, no rest", scrolls=True) == 2  # so fourteen in all
    says("Turn 7: Ada leads", ada)


def unseen_turns(house, *screens):
    """The second to the seventh, while everyone looks away."""
    for each in screens:
        each.page.goto("about:blank")
    for turn, place in enumerate(("coast", "mountain", "city", "edge", "escape-1", "escape-2"), 2):
        unseen_turn(house, screens[0], turn, place, whom=turn % 4 + 1 if turn < 6 else 0)
    for each in screens:
        each.at_table("" if each.touch else "/display")


def unseen_encounter(house, screen, turn, to):
    """Up to the reveal, and no finger."""
    for command, given in (("move", {"to": to}), ("flip", {})):
        screen.post(f"/s/{screen.code}/do/{command}", {"turn": turn, **given}, 201)
    house.put_forward(31)
    screen.post(f"/s/{screen.code}/do/resolve", {"turn": turn}, 201)


def unseen_turn(house, screen, turn, to, whom):
    def do(command, **given):
        screen.post(f"/s/{screen.code}/do/{command}", {"turn": turn, **given}, 201)

    unseen_encounter(house, screen, turn, to)
    do("call_results", first="yes", second="yes")
    if whom:
        do("plan_relic", kind="ruin")
        do("take_relic", whom=whom)
    else:
        do("no_reward")
    do("deal", rest="no")


def test_a_whole_game_of_four_on_three_phones_and_a_display(hasty_screen, hasty_house):
    """Nobody looks at Cleo's, which sends what the others press."""
    ada, bob, tv = hasty_screen(), hasty_screen("tablet", theme="light"), hasty_screen("tv")
    ada.open("Ada", "Bartholomew the Unready", "Cleo", "Dov", game="mountains-of-madness", look=False)
    bob.join(ada, 2)
    cleo = Caller(ada.url).join(ada, 3, 4)
    ada.at_table()
    tv.join(ada, role="display")
    everyone = (ada, bob, tv)
    fits(*everyone)
    press(bob, "Begin the expedition")
    says("Turn 1: Ada leads", *everyone)
    expect(ada.at("#peak-lead")).to_be_visible()
    expect(bob.at("#peak-lead")).to_be_hidden()
    press(ada, "Bartholomew the Unready", "#peak-ignore")
    expect(bob.at("#peak-acts > :visible")).to_have_text(re.compile("You are free of Madness this turn"))
    fits(*everyone)

    # the tile is entered while the others talk; each taps the cards they played, and both judge themselves
    press(ada, "Coast")
    press(ada, "Flip the sand timer")
    for kind, value in (("Tools", "8–10"), ("Weapons", "9–11")):
        press(ada, kind, "#peak-enter")
        press(ada, value, "#peak-enter")
    expect(tv.at("#peak-asked .p-text")).to_have_text(["8–10", "9–11"])
    press(bob, "Card on the sled")
    sound("silence", *everyone)
    run_out(hasty_house, *everyone)
    press(ada, "Reveal the sled")
    for who, card in ((ada, "Tools 6"), (bob, "Tools 3"), (ada, "Weapons 2")):
        who.press(who.page.get_by_role("button", name=card, exact=True))
    for each in everyone:
        expect(each.at("#peak-asked-0")).to_have_class(re.compile(r"\bgood\b"))
        expect(each.at("#peak-asked-1")).to_contain_text("2: 7 short")
        expect(each.at("#peak-miss-0")).to_be_hidden()
    expect(bob.at("#peak-reward")).to_be_visible()
    expect(bob.at("#peak-miss-1")).to_be_visible()
    fits(*everyone)
    assert tv.page.evaluate(CUT) == []

    # a Relic: which, for whom, and what its token covers; the miss: the die, re-rolled for a Leadership token
    press(ada, "Ruin")
    press(ada, "Bartholomew the Unready", "#peak-relic-who")
    press(ada, "Resolution", "#peak-relic-where")
    expect(tv.at("#seat-2")).to_contain_text("no re-rolls")
    press(ada, "Loss of Confidence", "#peak-miss-1")
    for each in everyone:  # what it means is read at once: the die lies in its panel, nothing over it
        expect(follows(each)).to_contain_text("2 Leadership tokens")
        expect(each.at("#roll")).to_be_hidden()
    ada.press("#peak-reroll summary")
    press(ada, "Confusion", "#peak-reroll")
    for each in everyone:
        expect(follows(each)).to_contain_text("Missed by 7: 7 cards")
    fits(*everyone)
    press(bob, "Do it")
    says("Draw phase", *everyone)
    expect(tv.at("#peak-deals .p-figure")).to_have_text("3")
    assert tv.page.evaluate(HEIGHT, "#peak-deals .p-figure") >= 150
    assert tv.page.evaluate(CUT) == []
    drawn, full, again, anew = tv.page.evaluate(FILLED)
    assert drawn == again == anew != full, "as large as fits, whatever was there before"
    press(ada, "Dealt, and rest")
    says("Turn 2: Bartholomew the Unready leads", *everyone)
    expect(ada.at("#peak-tokens")).to_contain_text("1 in the box")
    ada.press(".undo-button[data-yours]")  # one undo takes back the whole chain
    says("Draw phase", *everyone)
    expect(ada.at("#peak-tokens")).to_contain_text("0 in the box")
    press(ada, "Dealt, no rest")

    # up, and out: who leads next is asked; the turns that nobody looks at are like the first
    says("Turn 2: Bartholomew the Unready leads", *everyone)
    expect(bob.at("#peak-lead")).to_be_visible()
    expect(ada.at("#peak-lead")).to_be_hidden()
    unseen_turns(hasty_house, *everyone)
    says("Turn 8: Dov leads", *everyone)
    for command, given in (("move", {"to": "escape-3"}), ("flip", {})):
        cleo.tap(command, turn=8, **given)
    run_out(hasty_house, *everyone)
    for command, given in (("resolve", {}), ("call_results", {"first": "yes", "second": "yes"})):
        cleo.tap(command, turn=8, **given)
    press(bob, "No reward")
    for each in everyone:  # without a word about dealing or resting
        expect(each.at("#verdict h2")).to_have_text(
            "You made it: 5 Relics, 4 Injuries. A few scholars take notice."
        )
    fits(*everyone)
    cleo.close()


def test_every_phase_of_the_expedition_is_for_everyone(hasty_screen, hasty_house):
    """Axe looks at every step after the set-up, which every room's states have; light and dark by turns."""
    looks = cycle((IN_THE_HAND, IN_THE_LIGHT))
    ada = hasty_screen().open(
        "Ada", "Bartholomew the Unready", "Wwwwwwwwwwwwwwwwwwwwwwww", game="mountains-of-madness"
    )

    def is_for_everyone(step):
        ada.all_sent()
        found = findings(ada.page, next(looks))
        assert found == [], (step, "\n".join(found))

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
    press(ada, "Somebody spoke")
    press(ada, "Accident")
    expect(follows(ada)).to_be_visible()
    is_for_everyone("somebody spoke")
    press(ada, "Do it")
    hasty_house.put_forward(30, ada)
    press(ada, "Reveal the sled")
    says("Reveal the sled", ada)
    press(ada, "Tools", "#peak-enter")
    is_for_everyone("the values of a tile")
    press(ada, "8–10")
    press(ada, "Books")
    press(ada, "8–10")
    for card in ("Tools 6", "Books 4"):
        ada.press(ada.page.get_by_role("button", name=card, exact=True))
    ada.press("#peak-totals summary")
    is_for_everyone("the reveal")
    ada.press(ada.page.get_by_role("button", name="Books 9 in all"))
    press(ada, "Ruin")
    says("Reward and cost", ada)
    is_for_everyone("a reward and a miss")
    press(ada, "No reward")
    press(ada, "Ada", "#peak-miss-0")
    says("Draw phase", ada)
    is_for_everyone("draw")
