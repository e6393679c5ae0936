"""Tides of Madness on two real phones, and once with a table display."""

import re

import pytest
from playwright.sync_api import expect
from screen import fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]

ROUNDS = [
    (
        ("cthulhu", "azathoth", "deep-ones", "rlyeh", "necronomicon"),
        ("hastur", "unaussprechlichen-kulten", "yog-sothoth", "innsmouth", "miskatonic-university"),
    ),
    (
        ("azathoth", "elder-things", "mountains-of-madness", "unaussprechlichen-kulten", "nyarlathotep"),
        ("necronomicon", "yog-sothoth", "miskatonic-university", "deep-ones", "dagon"),
    ),
    (
        ("yog-sothoth", "deep-ones", "pnakotic-manuscripts", "great-race-of-yith", "miskatonic-university"),
        ("unaussprechlichen-kulten", "mountains-of-madness", "elder-things", "dreamlands", "shub-niggurath"),
    ),
]
KEPT = [
    (("cthulhu", "rlyeh"), ("hastur", "innsmouth")),
    (("azathoth", "nyarlathotep"), ("necronomicon", "dagon")),
]


def sit(screen):
    """Ada hosts on a dark phone, Bob has a light one."""
    ada = screen().open("Ada", "Bob", game="tides-of-madness")
    return ada, screen(theme="light").join(ada, 2)


def tap_cards(screen, seat, cards):
    """In the grid of this phone's own seat."""
    for number, card in enumerate(cards, 1):
        button = screen.at(f"#tides-tray-{seat} [data-args*='\"{card}\"']")
        screen.press(button)
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button.locator(".p-badge")).to_have_text(str(number))


def enter(screen, seat, madness, vp):
    row = screen.at(f"#tides-typed-{seat}")
    screen.press(row.locator("button"))
    screen.at("#sheet [name=madness]").fill(str(madness))
    screen.at("#sheet [name=vp]").fill(str(vp))
    screen.press("#sheet button.strong")
    expect(row).to_contain_text("Madness, ")


def vp(screen, seat):
    return screen.at(f"#seat-{seat} .seat-score b")


def choose(screen, words):
    screen.press(screen.at(".question[data-yours] .p-tap").filter(has_text=words))
    expect(screen.at(".question[data-yours] .p-tap").filter(has_text=words)).to_have_count(0)


def set_up_and_draft(ada, bob, tv):
    fits(ada, bob, tv)
    for n, who in enumerate((ada, bob, ada, bob)):
        who.press(who.at(".tick").nth(n))
        expect(ada.at(".tick").nth(n)).to_have_attribute("aria-checked", "true")
    ada.press(ada.button("Start round 1"))
    says("Round 1, pick 1 of 5", ada, bob, tv)
    for pick in range(1, 5):
        who = ada if pick % 2 else bob
        who.press(who.button(f"Pick {pick} is made"))
        says(f"Round 1, pick {pick + 1} of 5", ada, bob, tv)
    bob.press(bob.button("Pick 5 is made: score"))
    says("Round 1, scoring", ada, bob, tv)
    fits(ada, bob, tv)


def send_all_cards(ada, bob, number):
    """As with fingers in the first round."""
    for who, seat, cards in zip((ada, bob), (1, 2), ROUNDS[number - 1], strict=True):
        for card in cards:
            who.post(f"/s/{who.code}/do/play_card", {"seat": seat, "round": number, "card": card}, 201)


def tap_all_cards(ada, bob, number):
    adas, bobs = ROUNDS[number - 1]
    tap_cards(ada, 1, adas[:4])
    tap_cards(bob, 2, bobs[:4])
    for who, seat, last in ((ada, 1, adas[4]), (bob, 2, bobs[4])):
        who.press(f"#tides-tray-{seat} [data-args*='\"{last}\"']")
        expect(who.at(f"#tides-five-{seat}")).to_be_attached()


def choose_bonus(who, other, words):
    """Asked on one phone; the other reads who decides."""
    expect(who.at(".question[data-yours] .p-tap")).to_have_count(2)
    expect(other.at(".question-wait")).to_be_visible()
    expect(other.at(".question .p-tap:visible")).to_have_count(0)
    fits(who, other)
    choose(who, words)


def refresh(ada, bob, number):
    bob.press(bob.button("To the refresh"))
    for who, seat, (keep, discard) in ((ada, 1, KEPT[number - 1][0]), (bob, 2, KEPT[number - 1][1])):
        for row, card in ((f"#tides-keep_card-{seat}", keep), (f"#tides-discard_card-{seat}", discard)):
            who.press(f"{row} [data-args*='\"{card}\"']")
            expect(who.at(f"{row} [aria-pressed=true]")).to_have_count(1)
    fits(ada, bob)
    ada.press(ada.button(f"Start round {number + 1}"))
    says(f"Round {number + 1}, pick 1 of 5", ada, bob)
    ada.press(ada.button("To scoring"))
    expect(ada.at("#tides-lies-1 .p-tap")).to_have_count(number)


def test_a_whole_game_by_the_calculator(screen):
    ada, bob = sit(screen)
    tv = screen("tv").join(ada, role="display")
    set_up_and_draft(ada, bob, tv)
    put_down = (tap_all_cards, send_all_cards)
    for number, (who, other, words) in enumerate(((ada, bob, "Take 4 VP"), (bob, ada, "Heal 1")), 1):
        put_down[number - 1](ada, bob, number)
        choose_bonus(who, other, words)
        for each in (ada, bob, tv):
            expect(each.at(f"#board > #tides-lines-{number} li")).to_have_count(2 * (4 + number))
        fits(ada, bob, tv)
        refresh(ada, bob, number)
    send_all_cards(ada, bob, 3)
    expect(ada.at(".question .question-wait")).to_be_visible()
    choose(bob, "Manuscripts")
    choose_bonus(ada, bob, "Heal 1")
    for each in (ada, bob, tv):
        expect(each.at("#verdict h2")).to_have_text(re.compile("wins with"))
        expect(each.at("#verdict .working")).to_contain_text("In which order is a round scored?")
    expect(bob.at("#tides-kept")).to_contain_text("R'lyeh")
    fits(ada, bob, tv)
    # a card of round 1 was mistyped: put right after round 3, and everything after follows
    before = vp(bob, 1).inner_text()
    ada.press("#sheets .cell >> nth=0")
    ada.at("#sheet [name=fifth][value=pnakotic-manuscripts]").check(force=True)
    ada.press("#sheet button.strong")
    expect(vp(bob, 1)).not_to_have_text(before)
    expect(bob.at("#round-1-1")).to_contain_text("22")


def test_a_whole_game_by_hand_and_a_heal_that_saves(screen):
    ada, bob = sit(screen)
    bob.press(bob.button("Start round 1"))
    numbers = [((4, 20), (3, 18)), ((5, 15), (3, 21)), ((0, 10), (1, 9))]
    for number, ((mad_a, vp_a), (mad_b, vp_b)) in enumerate(numbers, 1):
        ada.press(ada.button("To scoring"))
        says(f"Round {number}, scoring", ada, bob)
        ada.press(ada.button("Enter this round by hand instead"))
        enter(ada, 1, mad_a, vp_a)
        enter(bob, 2, mad_b, vp_b)
        if number == 1:
            choose(ada, "Take 4 VP")
        elif number == 2:
            expect(ada.at(".question .p-tap.danger")).to_contain_text("lost at the check")
            ada.press(ada.at(".question .p-tap.danger"))
            ada.press("#confirm [data-no]")  # asked whether they are sure
            choose(ada, "Heal 1")
            expect(bob.at("#tides-stops")).to_contain_text("saved by healing before the check")
            expect(bob.at("#tides-madness-1 small")).to_have_text("one more is nine")
        fits(ada, bob)
        if number < 3:
            bob.press(bob.button("To the refresh"))
            ada.press(ada.button(f"Start round {number + 1}"))
    choose(bob, "Take 4 VP")
    for each in (ada, bob):
        expect(each.at("#verdict h2")).to_have_text("Bob wins with 52 VP.")
        expect(vp(each, 1)).to_have_text("49")
    fits(ada, bob)
    # undo stands beside the verdict for the mis-tap
    bob.press("#verdict button")
    for each in (ada, bob):
        expect(each.at("#verdict")).to_be_hidden()
    choose(bob, "Heal 1")
    expect(ada.at("#verdict h2")).to_have_text("Ada wins with 49 VP.")
    expect(ada.at("#verdict .working")).to_contain_text("Can the bonus save a player who stands at nine?")


def test_one_phone_taps_for_the_other_and_a_late_next_is_refused_kindly(screen):
    ada, bob = sit(screen)
    ada.press(ada.button("Start round 1"))
    says("Round 1, pick 1 of 5", ada, bob)
    ada.press("[data-opens=tides-tray-2]")
    ada.press("#tides-tray-2 [data-args*='\"dagon\"']")
    expect(bob.at("#tides-tray-2 [aria-pressed=true]")).to_have_count(1)
    ada.press("#tides-tray-2 header .quiet")
    bob.expects(r"409|400|422|403")
    bob.page.evaluate(
        """() => document.querySelector("#phase .strong").dataset.args = '{"round": 1, "after": 3}'"""
    )
    bob.press("#phase .phase-buttons .strong")
    expect(bob.at("#toasts")).to_contain_text("this is pick 1")
