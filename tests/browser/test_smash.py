"""Smash Up on three real phones and a table display."""

import re

import pytest
from everyone import ready, violations
from playwright.sync_api import expect
from screen import fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# Both fingers are on the button as it was; a push that comes in between cannot make it another one.
AT_ONCE = """([selector, at]) => {
  const finger = document.querySelector(selector).cloneNode(true);
  document.body.append(finger);
  setTimeout(() => { finger.click(); finger.remove(); }, at - Date.now());
}"""
ON_TOP = """() => {
  const box = document.querySelector("#toasts .toast").getBoundingClientRect();
  const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return Boolean(there?.closest("#toasts"));
}"""
LATE = r"40[0-9]|422"  # the kind no that the slower phone gets
COVERED = """() => {
  const boxes = (what) => Array.from(document.querySelectorAll(`:popover-open ${what}`),
    (each) => each.getBoundingClientRect());
  const cover = (one, other) => Math.max(one.left, other.left) < Math.min(one.right, other.right)
    && Math.max(one.top, other.top) < Math.min(one.bottom, other.bottom);
  const bubbles = boxes(".bubble[data-on]");
  if (!bubbles.length) return "no bubble";
  return boxes("bdi").some((name) => bubbles.some((bubble) => cover(name, bubble)));
}"""


def sit(screen):
    """Ada hosts on a dark phone, Bob has a light one, Cleo a tablet, and a television shows the table."""
    ada, bob, cleo, tv = screen(), screen(theme="light"), screen("tablet"), screen("tv")
    ada.open("Ada", "Bob", "Cleo", game="smash-up")
    bob.join(ada, 2)
    cleo.join(ada, 3)
    tv.join(ada, role="display")
    return ada, bob, cleo, tv


def both_press(selector, one, other):
    now = one.page.evaluate("() => Date.now()")
    for each in (one, other):
        each.expects(LATE)
        each.page.evaluate(AT_ONCE, [selector, now + 400])
    one.page.wait_for_timeout(400)  # time itself is the test: until both have pressed
    one.all_sent()
    other.all_sent()


def choose_factions(screen, seat, *names):
    for n, name in enumerate(names, 1):
        screen.press(screen.at(f"#factions-{seat} .su-chip", has_text=re.compile(f"^{name}$")))
        expect(screen.at(f"#factions-{seat} [aria-pressed=true]")).to_have_count(n)


def pick(screen, *names):
    screen.press(screen.button("Pick"))
    for name in names:
        screen.press(screen.at("#pick-base .su-card", has_text=name))
        expect(screen.at(".su-laid", has_text=name)).to_be_attached()
    screen.press("#pick-base header .quiet")


def set_up(ada, bob, cleo, tv):
    for each in (ada, bob, cleo):
        expect(each.at(".su-warning")).to_contain_text("This box alone seats two")
    fits(ada, bob, cleo, tv)
    choose_factions(ada, 1, "Innsmouth", "Elder Things")
    choose_factions(bob, 2, "Minions of Cthulhu", "Zombies")
    for each in (ada, cleo, tv):
        expect(each.at(".su-warning")).to_have_count(0)
        expect(each.at(".su-choosing-open", has_text="Bob")).to_contain_text("Minions of Cthulhu + Zombies")
    expect(cleo.at("#factions-3 .su-chip", has_text="Zombies")).to_be_disabled()
    cleo.press(cleo.button("Another faction: type it in"))
    cleo.at("#sheet [name=faction]").fill("zombies")
    cleo.expects(LATE).press("#sheet button.strong")
    expect(cleo.at("#sheet .sentence")).to_have_text("Bob plays Zombies. No faction is at the table twice.")
    cleo.at("#sheet [name=faction]").fill("Ghosts")
    cleo.press("#sheet button.strong")
    choose_second = cleo.at("#factions-3 .su-chip", has_text="Robots")
    cleo.press(choose_second)
    pick(bob, "Plateau of Leng", "Rhodes Plaza Mall")
    ada.press(ada.button("Type in"))
    for name, text in (
        ("name", "The Pub"),
        ("breakpoint", "-3"),
        ("first", "4"),
        ("second", "2"),
        ("third", "1"),
    ):
        ada.at(f"#sheet [name={name if name in ('name', 'breakpoint') else 'vp_for_' + name}]").fill(text)
    ada.expects(LATE).press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_have_text("“Breakpoint” must be at least 1.")
    ada.at("#sheet [name=breakpoint]").fill("17")
    ada.press("#sheet button.strong")
    expect(bob.at(".su-laid")).to_have_count(3)
    ada.press(ada.button("Draw 1 by lot"))
    expect(tv.at(".su-laid")).to_have_count(4)
    cleo.press(cleo.at(".su-chip", has_text="Bob").last)
    expect(ada.at(".su-chip[aria-pressed=true]", has_text="Bob")).to_be_visible()
    fits(ada, bob, cleo, tv)
    bob.press(bob.button("Start the game"))
    says("Bob: Crank It Up", ada, bob, cleo, tv)


def for_everyone(*screens):
    """Axe finds nothing, neither on a dark phone nor on a light one."""
    for each in screens:
        ready(each.page)
        found = violations(each.page)
        assert not found, "\n".join(found)


def power(screen, base, seat):
    return screen.at(f"#power-{base}-{seat} output")


def keypad(screen, counter, typed):
    screen.press(f"#{counter} .number")
    screen.keys(typed)
    screen.press("#keypad [data-add]")


def play_cards(ada, bob, cleo, tv):
    """Base 1 is Plateau of Leng: a minion by its power, a plus held down, a number typed."""
    bob.press("#base-1 .su-base-open")
    bob.press("#held-1 .su-play >> nth=3")
    expect(power(bob, 1, 2)).to_have_text("4")
    bob.press("#held-1 .su-play >> nth=2")
    expect(power(bob, 1, 2)).to_have_text("7")
    expect(bob.at("#minions-1-2 output")).to_have_text("2")
    expect(bob.at("#held-1")).to_be_visible()  # what lands redraws the sheet, and leaves it open
    assert bob.page.evaluate(COVERED) is False
    fits(bob)
    bob.press("#held-1 header .quiet")
    keypad(ada, "power-1-1", "4+3")
    plus = cleo.at("#power-1-3 [data-step='1']")
    plus.scroll_into_view_if_needed()
    box = plus.bounding_box()
    cleo.page.mouse.move(box["x"] + 20, box["y"] + 20)
    cleo.page.mouse.down()
    expect(power(cleo, 1, 3)).to_have_text(re.compile("[3-9]"))
    cleo.page.mouse.up()
    cleo.all_sent()
    now = int(power(cleo, 1, 3).inner_text())
    keypad(cleo, "power-1-3", f"{4 - now:+d}".replace("-", "−")) if now != 4 else None
    for each in (ada, bob, cleo, tv):
        expect(each.at("#phase .su-ready")).to_have_text("Plateau of Leng is ready to score.")
        expect(each.at("#base-1 .su-state")).to_contain_text("ready")
        expect(each.at("#base-1 .su-total")).to_have_text("18 / 18")
    fits(ada, bob, cleo, tv)


def vp(screen, seat):
    return screen.at(f"#seat-{seat} .su-vp b")


def left_by_the_lot(screen, *names):
    """The first of them that is not on the table yet: one base there was drawn by lot, and may be any."""
    return next(name for name in names if not screen.at(".su-base-name", has_text=name).count())


def score_leng(ada, bob, cleo, tv):
    says("Bob: Check for Scoring", ada, bob, cleo, tv)
    both_press("#phase .phase-buttons .strong", ada, cleo)
    says("Scoring Plateau of Leng", ada, bob, cleo, tv)
    expect(tv.line("scoring of Plateau of Leng")).to_have_count(1)
    for who, others in ((bob, (ada, cleo)), (cleo, (ada, bob)), (ada, (bob, cleo))):
        expect(who.at(".question[data-yours] .option")).to_have_count(2)
        for other in others:
            expect(other.at(".question-wait")).to_be_visible()
        fits(who)
        who.press(who.at(".option", has_text="Pass"))
    for each in (ada, bob, cleo, tv):
        expect(each.at(".su-gains .su-place")).to_have_text(["1st", "1st", "3rd"])
        heights = [line.bounding_box()["y"] for line in each.at(".su-gains li").all()]
        assert heights == sorted(heights)  # first to last, on every phone
        expect(each.at(".su-gains .su-why").nth(0)).to_have_text(
            "7 power: tied for first with Bob: each takes first, 3 VP"
        )
        expect(vp(each, 1)).to_have_text("0")
    fits(ada, bob, cleo, tv)
    both_press("#phase .su-score .strong", ada, bob)
    for each in (ada, bob, cleo, tv):
        expect(vp(each, 1)).to_have_text("3")
        expect(vp(each, 2)).to_have_text("3")
        expect(vp(each, 3)).to_have_text("1")
        expect(each.at("#base-1")).to_have_count(0)
        expect(each.at(".su-base")).to_have_count(4)
    expect(tv.line("Plateau of Leng scores")).to_have_count(1)
    fits(ada, bob, cleo, tv)
    # one undo takes the whole scoring back; then the new base is picked
    undo = next(
        each for each in (ada, bob) if "scores" in each.at("#undo [data-yours] .undo-what").inner_text()
    )
    undo.press("#undo [data-yours]")
    for each in (ada, bob, cleo):
        expect(vp(each, 1)).to_have_text("0")
        expect(each.at("#base-1")).to_be_visible()
    asylum = left_by_the_lot(cleo, "The Asylum", "Ritual Site")
    cleo.press(cleo.button("Score, pick base"))
    cleo.press(cleo.at("#pick-next .su-card", has_text=asylum))
    for each in (ada, bob, cleo, tv):
        expect(vp(each, 2)).to_have_text("3")
        expect(each.at(".su-base-name", has_text=asylum)).to_be_visible()
    expect(ada.at(".su-after")).to_contain_text("In this order: Bob, Cleo, Ada.")
    expect(bob.at(".question[data-yours] .option").first).to_be_in_viewport(ratio=1)
    fits(ada, bob, cleo, tv)
    for_everyone(ada, bob)
    for who in (bob, cleo, ada):
        who.press(who.at(".question[data-yours] .option", has_text="Pass"))
    expect(cleo.at(".su-after[data-done=yes]")).to_be_visible()
    oasis = left_by_the_lot(cleo, "Jungle Oasis", "Tar Pits")
    cleo.press(cleo.button("It is another base"))
    cleo.press(cleo.at(".su-picker:popover-open .su-card", has_text=oasis))
    expect(ada.at(".su-base-name", has_text=oasis)).to_be_visible()
    expect(cleo.at(".su-picker:popover-open")).to_have_count(0)


def test_a_whole_game_with_two_phones_pressing_at_once(screen):
    ada, bob, cleo, tv = sit(screen)
    set_up(ada, bob, cleo, tv)
    both_press("#phase .phase-buttons .strong", ada, bob)
    says("Bob: Play Cards", ada, bob, cleo, tv)
    expect(ada.at("#phase")).to_contain_text("moved or returned is not played")
    play_cards(ada, bob, cleo, tv)
    bob.press(bob.button("Next: Score"))
    score_leng(ada, bob, cleo, tv)
    bob.press(bob.button("Next: Draw"))
    expect(bob.at("#phase")).to_contain_text("Discard down to ten")
    fits(ada, bob, cleo)
    bob.press(bob.button("End the turn"))
    says("Cleo: Crank It Up", ada, bob, cleo, tv)
    # Madness, and what it costs
    ada.press("#seat-1 .su-seat-open")
    ada.expects(LATE).press(ada.button("Play: return it").first)
    expect(ada.at("#toasts .toast")).to_have_text("Ada holds no Madness card.")
    assert ada.page.evaluate(ON_TOP)  # of the sheet it answers
    ada.press("#su-seat-1 .su-acts >> text=Draw one")
    keypad(ada, "madness-1", "4")
    ada.press("#seat-1 .su-seat-open")
    keypad(ada, "vp-1", "13")
    ada.press("#seat-1 .su-seat-open")
    expect(ada.at("#su-seat-1 .su-sum")).to_have_text("With the Madness penalty: 16 − 2 = 14")
    ada.press(ada.button("Play: return it").first)
    expect(ada.at("#madness-1 output")).to_have_text("4")
    fits(ada)
    ada.press("#su-seat-1 header .quiet")
    for each in (bob, cleo, tv):
        expect(each.at("#seat-1 .su-mad")).to_have_text("16 − 2 = 14")
    # 15 ends it with the turn, and the penalty decides
    bob.press("#seat-2 .su-seat-open")
    keypad(bob, "vp-2", "12")
    for each in (ada, bob, cleo, tv):
        expect(each.at(".su-ending")).to_have_text(
            "The game ends with this turn: as it stands, Bob would win."
        )
        expect(each.at(".su-ending")).to_be_in_viewport(ratio=1)
    for_everyone(ada, bob)
    both_press("#phase .phase-buttons .ghost", ada, cleo)  # End the turn
    for each in (ada, bob, cleo, tv):
        expect(each.at("#verdict h2")).to_have_text("Bob wins with 15 VP.")
        expect(each.at("#verdict .working")).to_contain_text("Ada: 16 − 2 = 14 VP; 4 Madness cards cost 2.")
    expect(ada.at("#verdict .working")).to_contain_text("I reached 15 VP. Have I won?")
    fits(ada, bob, cleo, tv)
    for each in (ada, tv):  # first to last
        places = [each.at(f"#seat-{seat}").bounding_box()["x"] for seat in (2, 1, 3)]
        assert places == sorted(places)
    for_everyone(ada, bob)


def test_who_joins_a_game_under_way_is_told_what_to_do(screen):
    ada = screen().open("Ada", "Bob", game="smash-up")
    choose_factions(ada, 1, "Innsmouth", "Elder Things")
    ada.press(ada.button("Draw 3 by lot"))
    expect(ada.at(".su-laid")).to_have_count(3)
    ada.press(ada.button("Start the game"))
    ada.press("#confirm [data-yes]")
    says("Ada: Crank It Up", ada)
    ada.go(f"/s/{ada.code}/people").is_live()
    ada.at("[action$=add_seat] input").fill("Cleo")
    ada.press("[action$=add_seat] button")
    expect(ada.at("#chairs")).to_contain_text("Cleo")
    cleo = screen(theme="light").join(ada, 3)
    expect(cleo.at(".su-warning")).to_contain_text("Bob and Cleo have no factions yet.")
    expect(cleo.at(".su-warning")).to_be_in_viewport(ratio=1)
    fits(cleo)
    for_everyone(cleo)
    cleo.press(cleo.button("By lot"))
    expect(cleo.at(".su-base")).to_have_count(4)
    cleo.press("#seat-3 .su-seat-open")
    for_everyone(cleo)
    for name in ("Pirates", "Ninjas"):
        cleo.press(cleo.at("#su-seat-3 .su-chip", has_text=name))
    expect(cleo.at("#su-seat-3 h3 small")).to_have_text("Pirates, Ninjas")
    expect(cleo.at("#su-seat-3 .su-chip")).to_have_count(0)
    expect(cleo.at(".su-warning")).to_contain_text("Bob has no factions yet.")
