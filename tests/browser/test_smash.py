"""Smash Up on real phones: short evenings, each about one thing, and at the end of one a table display."""

import re

import pytest
from everyone import ALL, ready, violations
from playwright.sync_api import expect
from screen import TAPS, boxes, fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

# Both fingers are on the button as it was; a push that comes in between cannot make it another one.
FINGER = """(selector) => {
  window.finger = document.querySelector(selector).cloneNode(true);
  document.body.append(finger);
}"""
PRESS = """(at) => new Promise((pressed) =>
  setTimeout(() => { finger.click(); finger.remove(); pressed(); }, at - Date.now()))"""
ON_TOP = """() => {
  const box = document.querySelector("#toasts .toast").getBoundingClientRect();
  const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return Boolean(there?.closest("#toasts"));
}"""
COVERED = """() => {
  const boxes = (what) => Array.from(document.querySelectorAll(`:popover-open ${what}`),
    (each) => each.getBoundingClientRect());
  const cover = (one, other) => Math.max(one.left, other.left) < Math.min(one.right, other.right)
    && Math.max(one.top, other.top) < Math.min(one.bottom, other.bottom);
  const bubbles = boxes(".bubble[data-on]");
  if (!bubbles.length) return "no bubble";
  return boxes("h3 > span").some((name) => bubbles.some((bubble) => cover(name, bubble)));
}"""
CLIPPED = """() => {
  const below = document.querySelector("#seats").checkVisibility()
    ? document.querySelector("#seats").getBoundingClientRect().top : innerHeight;
  const shown = "#su-bases > *, #su-bases > * > *, #phase, #phase > *, .seat, #verdict";
  return [...document.querySelectorAll(shown)]
    .filter((each) => each.checkVisibility() && !each.matches("[popover], .unseen"))
    .filter((each) => each.scrollHeight > each.clientHeight + 8 && getComputedStyle(each).display !== "inline"
      || each.getBoundingClientRect().bottom > (each.closest("#seats, #verdict") ? innerHeight : below))
    .map((each) => each.id || each.parentNode.id + " " + each.className);
}"""
LATE = r"40[0-9]|422"  # the kind no that the slower phone gets
LENG, MALL = "plateau-of-leng", "rhodes-plaza-mall"
BASES = ("mountains-of-madness", LENG, "innsmouth", "the-asylum", "rlyeh")


def sit(screen, *names, begun=True, before=lambda ada: None):
    """Ada hosts on a dark phone, Bob has a light one; on Ada's turn, with a base more than players.

    What is tapped `before` has happened when they first look.
    """
    ada, bob = screen(), screen(theme="light")
    ada.open(*(names or ("Ada", "Bob", "Cleo")), game="smash-up", look=False)
    bob.join(ada, 2, look=False)
    if begun:
        for have, card in enumerate(BASES[: len(names or "ABC") + 1]):
            tap(ada, "lay_base", card=card, have=have)
        tap(ada, "begin_game")
    before(ada)
    return ada.at_table(), bob.at_table()


def tap(screen, command, **given):
    """What another test presses with a finger."""
    screen.post(f"/s/{screen.code}/do/{command}", given, 201)


def power(screen, base, *each):
    for seat, by in enumerate(each, 1):
        if by:
            tap(screen, "count_power", seat=seat, base=base, by=by)


def both_press(selector, one, other):
    for each in (one, other):
        each.expects(LATE).page.evaluate(FINGER, selector)
    at = one.page.evaluate("() => Date.now()") + 100
    one.page.evaluate(f"(at) => void ({PRESS})(at)", at)  # does not wait for it, so the other can press too
    other.page.evaluate(PRESS, at)
    one.page.wait_for_function("() => !document.body.contains(finger)")
    one.all_sent()
    other.all_sent()


def for_everyone(screen, *parts):
    """Axe finds nothing; by turns on a dark phone and on a light one."""
    ready(screen.page)
    found = violations(screen.page, "", ALL, *parts)
    assert not found, "\n".join(found)


def keypad(screen, counter, typed):
    screen.press(f"#{counter} .number")
    screen.keys(typed)
    screen.press("#keypad [data-add]")


def vp(screen, *each):
    for seat, points in enumerate(each, 1):
        expect(screen.at(f"#seat-{seat} .seat-score b")).to_have_text(str(points))


def test_factions_are_chosen_on_every_phone_and_none_twice(screen):
    ada, bob = sit(screen, begun=False)
    cleo = screen("tablet").join(ada, 3)
    for each in (ada, bob, cleo):
        expect(each.at("#su-warning")).to_contain_text("This box alone seats two")
    fits(ada, bob, cleo)
    for who, seat, names in (
        (ada, 1, ("Innsmouth", "Elder Things")),
        (bob, 2, ("Minions of Cthulhu", "Zombies")),
    ):
        for name in names:
            who.press(who.at(f"#factions-{seat} .p-tap", has_text=re.compile(f"^{name}$")))
        expect(who.at(f"#factions-{seat} [aria-pressed=true]")).to_have_count(2)
    expect(ada.at("#su-warning")).to_have_count(0)
    expect(cleo.at("#choosing-2")).to_contain_text("Minions of Cthulhu + Zombies")
    expect(cleo.at("#factions-3 .p-tap", has_text="Zombies")).to_contain_text("Bob plays it")
    cleo.press(cleo.button("Another faction: type it in"))
    cleo.at("#sheet [name=faction]").fill("zombies")
    cleo.expects(LATE).press("#sheet button.strong")
    expect(cleo.at("#sheet .sentence")).to_have_text("Bob plays Zombies. No faction is at the table twice.")
    cleo.at("#sheet [name=faction]").fill("Ghosts")
    cleo.press("#sheet button.strong")
    expect(ada.at("#choosing-3")).to_contain_text("Ghosts")
    for_everyone(ada, "#phase", "#board")


def test_bases_are_picked_typed_in_and_drawn_and_the_game_begins(screen):
    ada, bob = sit(screen, begun=False)
    bob.press(bob.button("Pick"))
    for name in ("Plateau of Leng", "Innsmouth"):
        bob.press(bob.at("#pick-base .p-tap", has_text=name))
        expect(bob.at("#su-laid", has_text=name)).to_be_attached()
    bob.press("#pick-base header .quiet")
    ada.press(ada.button("Type in"))
    numbers = {"breakpoint": "-3", "vp_for_first": "4", "vp_for_second": "2", "vp_for_third": "1"}
    for name, text in {"name": "The Pub", **numbers}.items():
        ada.at(f"#sheet [name={name}]").fill(text)
    ada.expects(LATE).press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_have_text("“Breakpoint” must be at least 1.")
    ada.at("#sheet [name=breakpoint]").fill("17")
    ada.press("#sheet button.strong")
    ada.press(ada.button("Draw 1 by lot"))
    expect(bob.at("#su-laid > *")).to_have_count(4)
    ada.press(ada.at("#su-first .p-tap", has_text="Bob"))
    expect(bob.at("#su-first [aria-pressed=true]")).to_have_text("Bob")
    fits(ada, bob)
    bob.press(bob.button("Start the game"))
    bob.press("#confirm [data-yes]")  # nobody has chosen factions
    says("Bob's turn", ada, bob)


def test_a_minion_is_one_tap_and_all_bases_are_on_one_screen(screen):
    ada, bob = sit(screen)
    for at in (1, 2, 3, 4):
        expect(ada.at(f"#place-{at}")).to_be_in_viewport(ratio=1)
        expect(ada.at(f"#place-{at} [id^=plays] .p-tap").last).to_be_in_viewport(ratio=1)
    last, bar = boxes(ada.at("#place-4"), ada.at(".bar"))
    assert last["bottom"] <= bar["top"]
    expect(bob.at("#plays-2")).to_be_hidden()  # it is not his turn
    ada.press("#plays-2 .p-tap >> nth=3")
    ada.press("#plays-2 .p-tap >> nth=2")
    for each in (ada, bob):
        expect(each.at("#meter-2 .p-figure")).to_have_text("7")
        expect(each.at("#meter-2")).to_contain_text("11 to go")
    fits(ada, bob)
    ada.press(ada.button("End turn"))
    says("Bob's turn", ada, bob)
    expect(bob.at("#plays-2")).to_be_visible()
    expect(ada.at("#plays-2")).to_be_hidden()


def test_what_a_table_does_most_takes_few_taps_and_no_scrolling(screen):
    """From the real cards' point of view: they cost none."""
    ada = screen().open("Ada", "Bob", "Cleo", mine=3, game="smash-up", look=False)
    for n, name in enumerate(("Elder Things", "Innsmouth", "Robots", "Aliens", "Ninjas", "Pirates")):
        tap(ada, "choose_faction", seat=n // 2 + 1, faction=name)
    for have, card in enumerate(("mountains-of-madness", LENG, "rlyeh", "the-asylum")):
        tap(ada, "lay_base", card=card, have=have)
    tap(ada, "begin_game")
    ada.at_table().page.evaluate(TAPS)

    def taps(*places):
        """How many it took, all of them on the screen as it was."""
        before = ada.page.evaluate("() => taps")
        for place in places:
            target = ada.at(place) if place[0] in "#[" else ada.button(place)
            expect(target).to_be_in_viewport(ratio=1)
            ada.press(target)
        ada.all_sent()
        assert ada.page.evaluate("() => scrollY") < 16  # which is how Playwright comes nearer to a button
        return ada.page.evaluate("() => taps") - before

    assert taps("#plays-4 .p-tap >> nth=2", "End turn") <= 2  # a minion
    says("Bob's turn", ada)
    assert taps("#plays-4 .p-tap >> nth=2", "#plays-2 .p-tap >> nth=1", "End turn") <= 3  # two
    says("Cleo's turn", ada)
    assert taps("#plays-1 .p-tap >> nth=4", "End turn") <= 3  # a base that brings Madness
    expect(ada.at("#mad-3")).to_contain_text("1 Madness")
    says("Ada's turn", ada)
    assert taps("#plays-2 .p-tap >> nth=4", "+1 Madness", "End turn") <= 3  # a card that does
    expect(ada.at("#mad-1")).to_contain_text("1 Madness")
    says("Bob's turn", ada)
    assert taps("#open-1", "#gone-1-3 .p-tap >> nth=4", "Destroyed") <= 3  # an opponent's minion
    expect(ada.at("#meter-1 .p-figure")).to_have_text("0")
    assert taps("#open-4", "#gone-4-1 .p-tap >> nth=2", "Moved to Plateau of Leng") <= 3
    expect(ada.at("#meter-2 .p-figure")).to_have_text("10")
    tap(ada, "end_turn", turn=5)
    power(ada, 3, 2)
    tap(ada, "end_turn", turn=6)
    says("Ada's turn", ada)
    assert taps("#su-trade .p-tap >> nth=1") == 1  # a minion for R'lyeh
    vp(ada, 1, 0, 0)
    expect(ada.at("#su-trade")).to_have_count(0)
    assert taps("#open-2", "#row-2-1 > .p-tap", "Elder Thing, 10") <= 3  # by name, and Leng is ready
    assert (
        taps("Score Plateau of Leng", "All passed: score it", "All passed: new base by lot", "End turn") <= 4
    )
    says("Bob's turn", ada)
    vp(ada, 4, 2, 0)
    power(ada, 3, 5, 13)
    power(ada, 4, 0, 16)
    base = ada.at("[id^=question-] .p-tap")
    expect(base).to_have_count(2)
    scored = ("All passed: score it", "All passed: new base by lot")
    first = taps("[id^=question-] .p-tap >> nth=0", *scored)
    assert first + taps("Score The Asylum", *scored, "End turn") <= 7
    says("Cleo's turn", ada)


def test_power_is_counted_held_down_and_typed_and_all_see_that_a_base_is_ready(screen):
    ada, bob = sit(screen)
    bob.press("#open-2")
    keypad(bob, "power-2-2", "4+3")
    expect(bob.at("#meter-2 .p-figure")).to_have_text("7")
    bob.press("#open-2")  # the keypad lay over it
    bob.press("#minions-2-2 [data-step='1']")
    expect(bob.at("#minions-2-2 output")).to_have_text("2")
    assert bob.page.evaluate(COVERED) is False
    expect(bob.at("#held-2")).to_be_visible()  # what lands redraws the tray, and leaves it open
    fits(bob)
    box = bob.at("#power-2-2 [data-step='1']").bounding_box()
    bob.page.mouse.move(box["x"] + 20, box["y"] + 20)
    bob.page.mouse.down()
    expect(bob.at("#power-2-2 output")).to_have_text(re.compile("9|1[0-9]"))
    bob.page.mouse.up()
    bob.all_sent()
    keypad(bob, "power-2-2", "9")
    for each in (ada, bob):
        expect(each.at("#phase .phase-words p")).to_have_text("Plateau of Leng is ready to score.")
        expect(each.at("#place-2.warn #meter-2")).to_contain_text("ready")
    fits(ada)
    for_everyone(bob)


def test_two_phones_press_at_once_and_it_happens_once(screen):
    ada, bob = sit(screen)
    both_press("#su-steps button", ada, bob)
    expect(ada.at("#su-steps [aria-current]")).to_contain_text("Play")
    expect(ada.line("turn 1, Play Cards")).to_have_count(1)
    power(ada, 2, 7, 7, 4)
    expect(bob.button("Score Plateau of Leng")).to_be_visible()
    expect(ada.button("Score Plateau of Leng")).to_be_visible()
    for title, told in (
        ("Scoring Plateau of Leng", "scoring of Plateau of Leng"),
        ("Plateau of Leng has scored", "Plateau of Leng scores"),
        ("Ada: Check for Scoring", "is laid out, by lot"),
    ):
        both_press("#phase .phase-buttons .strong", ada, bob)
        says(title, ada, bob)
        expect(ada.line(told)).to_have_count(1)
    for each in (ada, bob):
        vp(each, 3, 3, 1)
        expect(each.at("#su-bases > *")).to_have_count(4)


def passes(who, *others):
    """The one who is asked passes, and the others read who that is."""
    expect(who.at(".question[data-yours] .p-tap").first).to_be_in_viewport(ratio=1)
    for other in others:
        expect(other.at(".question-wait")).to_be_visible()
    who.press(who.at(".question[data-yours] .p-tap", has_text="Pass"))


def test_a_scoring_through_three_phones_specials_then_discard_then_a_new_base(screen):
    ada, bob = sit(screen, before=lambda ada: power(ada, 2, 7, 7, 4))
    cleo = screen("tablet").join(ada, 3)
    ada.press(ada.button("Score Plateau of Leng"))
    for who, others in ((ada, (bob, cleo)), (bob, (ada, cleo)), (cleo, (ada, bob))):
        passes(who, *others)
    for each in (ada, bob, cleo):
        expect(each.at("#su-gives li > span:not(.token)")).to_have_text(["1st Ada", "1st Bob", "3rd Cleo"])
        heights = [line["top"] for line in boxes(each.at("#su-gives li"))]
        assert heights == sorted(heights)  # first to last, on every phone
        expect(each.at("#su-gives li small").nth(0)).to_contain_text(
            "tied for first with Bob: each takes first, 3 VP"
        )
    fits(ada, bob, cleo)
    cleo.press(cleo.button("Score it"))
    for each in (ada, bob, cleo):
        vp(each, 3, 3, 1)
        expect(each.at("#place-2 > h3")).to_contain_text("Plateau of Leng")  # nothing has gone yet
    expect(ada.at("#su-order")).to_have_text("In this order: Ada, Bob, Cleo.")
    passes(ada, bob, cleo)
    bob.press(bob.at(".question[data-yours] .p-tap", has_text="I use one"))
    bob.press("#open-2")  # his minion is still there, and is moved away from what is to be discarded
    bob.press("#gone-2-2 .p-tap >> nth=3")
    bob.press(bob.button("Moved to Innsmouth"))
    expect(cleo.at("#meter-3 .p-figure")).to_have_text("4")
    passes(cleo, ada, bob)
    for_everyone(ada, "#phase")
    for who in (ada, bob):
        passes(who)
    cleo.press(cleo.at("#su-next .p-tap", has_text="Ritual Site"))
    for each in (ada, bob, cleo):
        expect(each.at("#place-2 > h3")).to_contain_text("Ritual Site")
        expect(each.at("#meter-5 .p-figure")).to_have_text("0")
        expect(each.at("#meter-3 .p-figure")).to_have_text("4")
    cleo.press("#undo [data-yours]")  # what lay there lies there again
    for each in (ada, bob, cleo):
        vp(each, 3, 3, 1)
        expect(each.at("#meter-2 .p-figure")).to_have_text("14")


def test_a_base_that_was_another(screen):
    def before(ada):
        power(ada, 2, 18)
        tap(ada, "begin_scoring", base=2, number=1)
        tap(ada, "score_base", base=2, number=1)
        tap(ada, "replace_base", base=2, number=1, card="ritual-site")

    ada, bob = sit(screen, before=before)
    ada.press("#su-new .p-tap")
    ada.press(ada.at("#pick-5 .p-tap", has_text="Antarctic Base"))
    expect(bob.at("#place-2 > h3")).to_contain_text("Antarctic Base")
    expect(bob.at("#su-new")).to_contain_text("New base: Antarctic Base")
    expect(ada.at(":popover-open")).to_have_count(0)


def test_madness_is_counted_on_the_seat_and_what_it_costs_is_told(screen):
    ada, bob = sit(screen)
    ada.press("#mad-1")
    ada.expects(LATE).press("#su-seat-1 >> text=Play: return it")
    expect(ada.at("#toasts .toast")).to_have_text("Ada holds no Madness card.")
    assert ada.page.evaluate(ON_TOP)  # of the tray it answers
    ada.press("#su-seat-1 >> text=Draw one")
    keypad(ada, "madness-1", "4")
    ada.press("#mad-1")  # the keypad lay over it
    keypad(ada, "vp-1", "13")
    ada.press("#mad-1")
    expect(ada.at("#su-seat-1-text")).to_have_text("At the end 5 Madness cards will cost 2 VP")
    ada.press("#su-seat-1 >> text=Play: return it")
    expect(ada.at("#madness-1 output")).to_have_text("4")
    fits(ada)
    for_everyone(ada)
    expect(bob.at("#mad-1")).to_have_text("4 Madness")


def test_fifteen_is_told_on_the_first_screen_and_the_penalty_decides(screen):
    def before(ada):
        for seat, points in ((1, 16), (2, 15), (3, 1)):
            tap(ada, "count_vp", seat=seat, by=points)
        tap(ada, "draw_madness", seat=1, cards=4)
        power(ada, 1, 7, 5, 3)

    ada, bob = sit(screen, before=before)
    tv = screen("tv").join(ada, role="display")
    for each in (ada, bob, tv):
        expect(each.at("#su-ending")).to_have_text(
            "The game ends with this turn: as it stands, Bob would win."
        )
        expect(each.at("#su-ending")).to_be_in_viewport(ratio=1)
    assert tv.page.evaluate(CLIPPED) == []
    expect(ada.at("#su-count")).to_contain_text("hand, deck and discard pile")
    for_everyone(bob, "#phase")
    both_press("#phase .phase-buttons button:last-child", ada, bob)  # End the game
    for each in (ada, bob, tv):
        expect(each.at("#verdict h2")).to_have_text("Bob wins with 15 VP.")
        expect(each.at("#verdict .working")).to_contain_text("Ada: 16 − 2 = 14 VP; 4 Madness cards cost 2.")
    expect(ada.at("#verdict .working")).to_contain_text("I reached 15 VP. Have I won?")
    assert tv.page.evaluate(CLIPPED) == []
    fits(ada, bob, tv)
    for_everyone(ada, "#verdict")


def test_who_joins_a_game_under_way_is_told_what_to_do(screen):
    ada, _ = sit(screen, "Ada", "Bob")
    tap(ada, "choose_faction", seat=1, faction="Innsmouth")
    tap(ada, "choose_faction", seat=1, faction="Elder Things")
    ada.go(f"/s/{ada.code}/people").is_live()
    ada.at("[action$=add_seat] input").fill("Cleo")
    ada.press("[action$=add_seat] button")
    expect(ada.at("#chairs")).to_contain_text("Cleo")
    cleo = screen(theme="light").join(ada, 3)
    expect(cleo.at("#su-late")).to_contain_text("Bob and Cleo have no factions yet.")
    expect(cleo.at("#su-late")).to_be_in_viewport(ratio=1)
    fits(cleo)
    for_everyone(cleo)
    cleo.press(cleo.button("Draw 1 by lot"))
    expect(cleo.at("#su-bases > *")).to_have_count(4)
    cleo.press("#mad-3")
    for name in ("Pirates", "Ninjas"):
        cleo.press(cleo.at("#su-seat-3 .p-tap", has_text=name))
    expect(cleo.at("#su-seat-3 h3")).to_have_text("Cleo: Pirates + Ninjas")
    expect(cleo.at("#su-late")).to_contain_text("Bob has no factions yet.")
