"""Escape the Dark Castle on three real phones and a table display."""

import re
from contextlib import contextmanager
from itertools import cycle

import pytest
from everyone import IN_THE_HAND, IN_THE_LIGHT, findings
from places import send
from playwright.sync_api import expect
from screen import boxes, fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

GAME = "escape-the-dark-castle"
HEROES = ("abbot", "cook", "miller")
DICE = "[id^='dice-'] > [data-mark]"  # the enemy's


def sit(screen):
    """Ada hosts on a dark phone, Bob's is light, Cleo's is the narrowest there is."""
    ada = screen().open("Ada", "Bob", "Cleo", game=GAME, look=False)
    return ada, screen(theme="light").join(ada, 2, look=False), screen("narrow").join(ada, 3, look=False)


def choose(screen, seat, hero):
    """In the tray that lies open on this phone for its own seat."""
    character = screen.at(f"#choose-{seat}-{hero}")
    screen.press(character)
    expect(character).to_have_attribute("aria-pressed", "true")


def row(screen, seat):
    return screen.at(f"#castle-rows > [data-seat='{seat}']")


def die(screen, seat):
    return row(screen, seat).locator("[data-shows]")


def roll(screen, seat):
    """By the app, on the phone of whoever sits there."""
    screen.press(row(screen, seat).get_by_role("button", name=re.compile("Roll for")))
    expect(die(screen, seat)).not_to_have_attribute("data-mark", "edit")


def enter(screen, seat, hero, face):
    """A real die, from any phone: its face is tapped, unless luck has put it there already."""
    screen.press(die(screen, seat))
    tapped = screen.at(f"#faces-{hero.lower()}").get_by_role("button", name=face, exact=True)
    if tapped.get_attribute("aria-pressed") == "false":
        screen.press(tapped)
    expect(tapped).to_have_attribute("aria-pressed", "true")
    put_away(screen, "enter")
    expect(die(screen, seat)).to_contain_text(f"{hero}: {face}, change it")


def put_away(screen, tray):
    screen.press(f"#{tray} header .quiet")
    expect(screen.at(f"#{tray}")).to_be_hidden()


def go(screen, label):
    """Under the thumb; it may say what it will do."""
    return screen.at("#castle-go .p-tap", has=screen.page.locator("b", has_text=label))


def into_the_castle(ada, bob, cleo):
    """Cleo does not look yet."""
    for each in (ada, bob):
        each.at_table()
    choose(ada, 1, "abbot")
    choose(bob, 2, "cook")
    send(cleo, "choose_character", seat=3, hero="miller")
    expect(bob.at("#castle-team")).to_contain_text("Might 10")
    ada.press(ada.at(".tick").first)
    expect(bob.at(".tick").first).to_have_attribute("aria-checked", "true")
    fits(ada, bob)
    bob.press(bob.button("Into the castle"))
    says("The Start card", ada, bob)


@contextmanager
def taps(screen, most):
    """What it costs a thumb."""
    press, pressed = screen.press, []
    screen.press = lambda *what: (pressed.append(what), press(*what))
    yield
    screen.press = press
    assert 0 < len(pressed) <= most


def draw(screen, whom, item):
    screen.press(screen.at("#pool-taps .p-tap", has_text=whom))
    screen.press(screen.at("#sheet .p-tap", has_text=item))


def share_out(ada, bob):
    """Three items from the Start card: two for whoever gets them, one typed in and left behind."""
    with taps(ada, 2):
        draw(ada, "Bob", "Rotten Shield")
    expect(bob.at("#seat-2 button.p-tap", has_text="Rotten Shield")).to_contain_text("damage −1")
    with taps(bob, 2):
        draw(bob, "Ada", "Stale Loaf of Bread")
    expect(ada.at("#seat-1 button.p-tap", has_text="Stale Loaf")).to_contain_text("heals 2")
    bob.press(bob.at("#pool-taps .p-tap", has_text="the table"))
    bob.at("#sheet [name=name]").fill("Torn Flag")
    bob.press("#sheet button.strong")
    expect(ada.at("#pool-items .p-tap")).to_have_count(1)
    with taps(ada, 1):  # who turns it, and turning it
        ada.press("#turn-cook")
    expect(bob.at("#seat-2 .tag", has_text="YOU")).to_be_visible()
    expect(bob.at("#castle-pile summary")).to_have_text("Discard pile: 1")


def lay_out(ada, bob):
    bob.press(bob.button("Fight"))
    says("Chapter 1: lay out the dice", ada, bob)
    for dice, (who, trait) in enumerate(((ada, "Might"), (bob, "Wisdom")), 1):
        who.press(who.at("#castle-lay").get_by_role("button", name=trait))
        for each in (ada, bob):
            expect(each.at(DICE)).to_have_count(dice)
    for trait in ("might", "wisdom"):
        send(ada, "lay_die", trait=trait)
    for each in (ada, bob):
        expect(each.at(DICE)).to_have_count(4)
    fits(ada, bob)
    ada.press(ada.button("To the fight"))
    says("Chapter 1: round 1", ada, bob)
    for each in (ada, bob):  # the enemy, every row, the odds and the button are on the first screen
        each.page.evaluate("() => scrollTo(0, 0)")
        expect(each.at("#castle-chances > button").last).to_be_in_viewport()
        expect(go(each, "Settle round 1")).to_be_in_viewport()
    fits(ada, bob)


def test_a_whole_fight_by_three_phones_one_with_real_dice_and_one_asleep(screen):
    ada, bob, cleo = sit(screen)
    into_the_castle(ada, bob, cleo)
    share_out(ada, bob)
    lay_out(ada, bob)

    # round 1: Cleo rests, chosen from the picture; Ada's die is rolled by the app, Bob's is a real one
    cleo.at_table()
    says("Chapter 1: round 1", cleo)
    expect(cleo.at("#castle-chances > button")).to_have_count(4)
    fits(cleo)
    cleo.press("#chance-miller")
    expect(row(ada, 3)).to_contain_text("rests, at full health")
    cleo.page.goto("about:blank")
    roll(ada, 1)
    enter(ada, 1, "Abbot", "Cunning")  # an item changed it
    enter(bob, 2, "Cook", "double Might")
    tv = screen("tv").join(ada, role="display")
    for each in (ada, tv):
        expect(row(each, 2)).to_contain_text("BLOCK")
        expect(row(each, 2)).to_contain_text("removes 2 Might")
    expect(ada.at(f"{DICE}.done")).to_have_count(2)
    expect(bob.at("#settle small")).to_have_text("2 dice fall; Ada takes 2; Cleo rests.")
    bob.press("#settle")
    says("Chapter 1: round 2", ada, bob, tv)
    for each in (ada, bob, tv):
        expect(row(each, 1).locator(".p-badge")).to_have_text("12/14")
        expect(row(each, 3).locator(".p-badge")).to_have_text("14/14")
        expect(each.at(DICE)).to_have_count(2)

    # one undo brings the whole round back, with its dice
    bob.press("#undo [data-yours]")
    says("Chapter 1: round 1", ada, bob, tv)
    expect(row(ada, 2)).to_contain_text("removes 2 Might")
    ada.press("#settle")
    says("Chapter 1: round 2", ada, bob, tv)
    fits(tv)
    tv.page.goto("about:blank")  # it has shown a round; the others are like it

    # round 2: Cleo's phone still sleeps; the table takes to its own dice, and Bob tells what all of them show
    bob.press(bob.button("We roll our own dice"))
    expect(row(bob, 3).get_by_role("button")).to_have_count(5)
    expect(bob.at("#row-miller")).to_be_in_viewport(ratio=1)
    with taps(bob, 4):
        for seat, face in ((1, "Might"), (2, "Wisdom"), (3, "Might")):
            bob.press(row(bob, seat).get_by_role("button", name=face, exact=True))
            expect(die(bob, seat)).to_be_visible()
            expect(bob.at("#roll")).to_be_hidden()
        expect(bob.at("#settle small")).to_have_text("1 die falls; Ada and Cleo take 2; Bob takes 1.")
        bob.press(go(bob, "Settle round 2"))
    says("Chapter 1: round 3", ada, bob)
    fits(ada, bob)

    # she wakes up in round 3, tells what her own die shows, and the last one falls
    cleo.at_table()
    says("Chapter 1: round 3", cleo)
    expect(row(cleo, 3).locator(".p-badge")).to_have_text("12/14")
    expect(row(cleo, 2).locator(".p-badge")).to_have_text("13/14")
    expect(cleo.at(DICE)).to_have_count(1)
    with taps(cleo, 2):
        cleo.press(row(cleo, 3).get_by_role("button", name="Wisdom", exact=True))
        expect(cleo.at("#settle small")).to_have_text("All dice fall: the enemy is beaten, nobody is hit.")
        cleo.press(go(cleo, "Settle round 3"))
    for each in (ada, bob, cleo):
        expect(each.at("#phase .phase-words p")).to_have_text(
            "The enemy is beaten. Draw one item for the group."
        )
    with taps(ada, 2):  # Ada eats
        ada.press(ada.at("#seat-1 button.p-tap", has_text="Stale Loaf"))
        ada.press("#sheet button.strong")
    for each in (ada, cleo):
        expect(each.number(1)).to_have_text("12")
    fits(ada, bob, cleo)


def above(one, other):
    """Whether all of this is to be seen over that."""
    box, below = boxes(one, other)
    assert box["bottom"] <= below["top"]


def test_four_players_find_a_round_and_their_own_dice_above_the_button(screen):
    """On the smallest phone that is usual; on a television the odds fit beside them."""
    ada = screen().open(
        "Ada", "Bartholomew the Unready", "Cleo", "Wilhelmina J.", mine=4, game=GAME, look=False
    )
    tv, tablet = screen("tv").join(ada, role="display", look=False), screen("tablet").join(ada, look=False)
    for seat, hero in enumerate((*HEROES, "smith"), 1):
        send(ada, "choose_character", seat=seat, hero=hero)
    send(ada, "begin_escape")
    send(ada, "draw_item", name="Golden Axe", to="cook")
    send(ada, "turn_card", number=1, hero="cook")
    send(ada, "begin_fight", number=1)
    for trait in ("might", "might", "cunning", "wisdom", "wisdom"):
        send(ada, "lay_die", trait=trait)
    send(ada, "join_fight")
    ada.at_table()
    assert ada.page.evaluate("() => scrollY") == 0
    above(ada.at("#castle-chances > button").last, ada.at("#castle-go"))
    fits(ada)
    for wide in (tv.at_table(), tablet.at_table()):
        expect(wide.at("#castle-chances > button").last).to_be_in_viewport(ratio=1)
        inside = "(all) => all.every((each) => each.scrollWidth <= each.clientWidth + 1)"
        assert wide.at("#castle-chances > button").evaluate_all(inside)
        fits(wide)
    expect(tv.at("#castle-steps li").last.locator("i")).to_be_hidden()  # the boss is no chapter 16
    ada.press(ada.button("We roll our own dice"))
    expect(row(ada, 4).get_by_role("button")).to_have_count(5)
    above(row(ada, 4), ada.at("#castle-go"))
    fits(ada)


def test_a_test_together_then_a_slip_that_kills_and_is_taken_back_on_every_phone(screen):
    """Nobody looks at Bob's phone."""
    ada = screen().open("Ada", "Bob", "Cleo", game=GAME, look=False)
    cleo = screen("narrow").join(ada, 3, look=False)
    for seat, hero in enumerate(HEROES, 1):
        send(ada, "choose_character", seat=seat, hero=hero)
    send(ada, "begin_escape")
    for each in (ada, cleo):
        each.at_table()
    ada.press("#turn-abbot")
    says("Chapter 1", ada, cleo)
    with taps(cleo, 2):
        cleo.press(cleo.button("Test"))
        cleo.press(cleo.at("#test-together-everyone").get_by_role("button", name="Wisdom"))
    says("Chapter 1: a test", ada, cleo)
    expect(cleo.at("#trial-chance")).to_have_text("60 % to pass. A try that falls short costs 1 each.")
    tv = screen("tv").join(ada, role="display")
    roll(ada, 1)
    for each in (1, 2, 3):  # all who are tested, and nothing over them
        expect(row(tv, each)).to_be_in_viewport(ratio=1)
    expect(die(tv, 1)).to_be_visible()
    expect(tv.at("#roll")).to_be_hidden()
    tv.page.goto("about:blank")  # nothing more is asked of it
    cleo.press(cleo.button("Enter dice"))
    for hero in ("Abbot", "Cook", "Miller"):
        tapped = cleo.at(f"#faces-{hero.lower()}").get_by_role("button", name="Wisdom", exact=True)
        if tapped.get_attribute("aria-pressed") == "false":
            cleo.press(tapped)
    put_away(cleo, "enter")
    expect(cleo.at("#count small")).to_have_text("3 of 3: passed.")
    fits(ada, cleo)
    cleo.press(go(cleo, "Count attempt 1 of 3"))
    expect(ada.at("#outcome")).to_have_text("Passed: 3 of 3 in 1 try.")
    ada.press(ada.button("Put the test away"))
    # a note on the chapter
    cleo.press("#castle-way summary")
    cleo.press("#way-1")
    cleo.at("#sheet [name=note]").fill("a riddle")
    cleo.press("#sheet button.strong")
    expect(cleo.at("#way-1 small")).to_contain_text("a riddle")
    # the keypad, and a slip of the thumb
    ada.open_keypad(3)
    ada.keys("99")
    expect(ada.at("#keypad-sum")).to_have_text("14 + 99 = 14, the most")
    for _ in "99":
        ada.press("#keypad [data-back]")
    ada.keys("−14")
    ada.press("#keypad [data-add]")
    for each in (ada, cleo):
        expect(each.at("#verdict h2")).to_have_text("The castle keeps you: Cleo the Miller died.")
        expect(each.at("#verdict .working")).to_contain_text("If one of us dies, can the others go on?")
    fits(ada, cleo)
    cleo.press("#verdict [data-undo]")
    for each in (ada, cleo):
        expect(each.at("#verdict")).to_be_hidden()
        expect(each.number(3)).to_have_text("14")
    says(re.compile("Chapter 1"), ada, cleo)


def test_every_step_through_the_castle_is_for_everyone(screen):
    """One phone that plays for all, from the set-up to a test; axe looks at what no step before has shown, in
    light and dark by turns. The set-up is among the states of every room."""
    ada, looks = screen(), cycle((IN_THE_HAND, IN_THE_LIGHT))
    ada.open("Ada", "Bartholomew the Unready", "Wwwwwwwwwwwwwwwwwwwwwwww", mine=3, game=GAME)

    def is_for_everyone(step):
        ada.all_sent()
        assert findings(ada.page, next(looks)) == [], step

    for seat, hero in enumerate(HEROES, 1):
        choose(ada, seat, hero)
    ada.press(ada.button("Into the castle"))
    says("The Start card", ada)
    ada.press(ada.at("#pool-taps .p-tap").first)
    is_for_everyone("which item")
    ada.press(ada.at("#sheet .p-tap", has_text="Decayed Blade"))
    is_for_everyone("the Start card")
    ada.press("#turn-abbot")
    says("Chapter 1", ada)
    ada.press(ada.button("Fight"))
    says("Chapter 1: lay out the dice", ada)
    is_for_everyone("no dice yet")
    ada.press(ada.at("#castle-lay").get_by_role("button", name="Might"))
    ada.press(ada.button("To the fight"))
    says("Chapter 1: round 1", ada)
    enter(ada, 1, "Abbot", "double Might")
    expect(ada.at("#roll")).to_be_hidden()  # the die lies in its row, and nothing over it
    ada.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    ada.page.evaluate("() => document.querySelector(\"#row-cook [data-do*='roll_die']\").click()")
    expect(ada.at("#roll")).to_be_visible()  # a row that is out of sight shows it to nobody
    ada.press("#roll")
    expect(ada.at("#roll")).to_be_hidden()
    ada.page.evaluate("() => scrollTo(0, 0)")
    ada.press(die(ada, 1))
    is_for_everyone("a die to change")
    put_away(ada, "enter")
    ada.press(go(ada, "Settle round 1"))
    says("Chapter 1", ada)
    ada.press(ada.button("Test"))
    is_for_everyone("which test")
    ada.press("#tests header .quiet")
    with taps(ada, 3):
        ada.press(ada.button("Test"))
        ada.press(ada.at("#test-once-everyone").get_by_role("button", name="Might"))
        ada.press(ada.at("#trial-cost").get_by_role("button", name="Costs 1"))
    says("Chapter 1: a test", ada)
    expect(ada.at("#trial-chance")).to_contain_text("Whoever fails loses 1.")
    ada.press(ada.button("We roll our own dice"))
    expect(row(ada, 3).get_by_role("button")).to_have_count(5)
    is_for_everyone("a test with our own dice")
