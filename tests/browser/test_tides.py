"""Tides of Madness on two real phones, and once with a table display."""

from __future__ import annotations

import re

import pytest
from brought import brought
from everyone import illegible, resize
from places import send
from playwright.sync_api import expect
from screen import fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

SLUG = "tides-of-madness"
DRAFTS, REFRESHES = (brought(what)[SLUG] for what in ("DRAFTS", "REFRESHES"))
ON_SCREEN = """(seat) => {
    const top = document.querySelector(".top").getBoundingClientRect().bottom;
    const end = document.querySelector(".bar").getBoundingClientRect().top;
    const cards = [...document.querySelectorAll(`#private-${seat} [data-look="cards"] > .p-tap`)];
    return cards.length === 18 && cards.every((each) => {
        const box = each.getBoundingClientRect();
        const [hit] = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return box.top >= top && box.bottom <= end && each.contains(hit);
    });
}"""


def sit(screen, **more):
    """Ada hosts on a dark phone, Bob has a light one."""
    ada = screen().open("Ada", "Bob", game=SLUG)
    return ada, screen(theme="light", **more).join(ada, 2)


class Hand:
    """One player's thumb, which counts what it taps in each round."""

    def __init__(self, screen, seat):
        self.screen, self.seat = screen, seat
        self.taps: dict[int, int] = {}

    def tap(self, round, what):
        """A game goes on by itself: there is no button that says so."""
        assert self.screen.at("#phase .phase-buttons .button").count() == 0
        self.taps[round] = self.taps.get(round, 0) + 1
        self.screen.press(what)

    def choose(self, round, card):
        self.tap(round, f"#card-{self.seat}-{card}")

    def answer(self, round, words):
        option = self.screen.at(".question[data-yours] .p-tap").filter(has_text=words)
        self.tap(round, option)
        expect(option).to_have_count(0)

    def keep(self, round, kept, gone):
        self.tap(round, f"#kept-{self.seat}-{kept}")
        expect(self.screen.at(f"#kept-{self.seat}-{kept}")).to_contain_class("good")
        self.tap(round, f"#discarded-{self.seat}-{gone}")


def seal(screen, seat):
    return screen.at(f"#tides-seals-{seat}")


def vp(screen, seat):
    return screen.at(f"#seat-{seat} .seat-score b")


def draft(number, ada, bob, tv, cable):
    """Five picks. Of Ada's card Bob's phone and the display hear before the reveal that there is one."""
    for pick, (adas, bobs) in enumerate(zip(*DRAFTS[number - 1], strict=True), 1):
        if pick in (1, 5):
            for hand in (ada, bob):
                hand.screen.page.wait_for_function(ON_SCREEN, arg=hand.seat)  # once nothing moves any more
        sealed = len(cable.heard)
        ada.choose(number, adas)
        for each in (bob.screen, tv):
            expect(seal(each, 1)).to_have_attribute("data-state", "chosen")
        expect(ada.screen.at(f"#card-1-{adas}")).to_have_attribute("aria-pressed", "true")
        told = cable.heard[sealed:].decode(errors="replace")  # squeezed are files alone, the same for all
        assert "Ada has chosen" in told
        if pick > 1:  # with the first card of all the board comes up, which names every card
            assert not re.search(adas.replace("-", "."), told, re.IGNORECASE), (adas, told)
        expect(bob.screen.at("#private-2 [aria-pressed=true]")).to_have_count(0)
        bob.choose(number, bobs)
        if pick < 5:
            says(f"Round {number}, pick {pick + 1} of 5", ada.screen, bob.screen, tv)
            for each in (ada.screen, bob.screen, tv):
                expect(seal(each, 1).locator(".p-tap")).to_be_visible()
            expect(ada.screen.at(f"#card-1-{bobs}")).to_have_attribute("aria-disabled", "true")


def unseen_draft(number, *phones):
    """Five picks that nobody looks at: those of the first round are like them."""
    for each in phones:
        each.page.goto("about:blank")
    for pick, cards in enumerate(zip(*DRAFTS[number - 1], strict=True), 1):
        for seat, (phone, card) in enumerate(zip(phones, cards, strict=False), 1):
            send(phone, "choose_card", seat=seat, round=number, pick=pick, card=card)
    for each in phones:
        each.at_table("" if each.touch else "/display")


def test_a_whole_game_face_down_in_seven_taps_a_round_and_none_to_go_on(cable, screen):
    ada_screen, bob_screen = sit(screen, cable=cable)
    tv = screen("tv", cable=cable).join(ada_screen, role="display")
    ada, bob = Hand(ada_screen, 1), Hand(bob_screen, 2)
    fits(ada_screen, bob_screen, tv)
    asked = ((ada, bob, "Take 4 VP"), (bob, ada, "Heal 1"), (ada, bob, "Heal 1"))
    for number, (who, other, words) in enumerate(asked, 1):
        all_screens = (ada_screen, bob_screen, tv)[: 2 if number == 2 else 3]  # then the display is off
        if number == 1:
            draft(number, ada, bob, tv, cable)
        else:
            tv.page.goto("about:blank")
            unseen_draft(number, *all_screens)
        if number == 3:
            bob.answer(3, "Manuscripts")
        expect(other.screen.at(".question-wait")).to_be_visible()
        expect(other.screen.at(".question .p-tap:visible")).to_have_count(0)
        who.answer(number, words)
        for each in all_screens:
            expect(each.at(f"#board > #tides-lines-{number} li")).to_have_count(2 * (4 + number))
        fits(*all_screens)
        if number < 3:
            says(f"Refresh after round {number}", *all_screens)
            (kept, gone), theirs = REFRESHES[number - 1]
            ada.keep(number, kept, gone)
            expect(bob_screen.at(f"#sealed-refresh-{number}-1")).to_have_attribute("data-state", "chosen")
            expect(bob_screen.at("#tides-kept")).not_to_contain_text(f"after {number}")
            bob.keep(number, *theirs)
            says(f"Round {number + 1}, pick 1 of 5", *all_screens)
    for each in (ada_screen, bob_screen, tv):
        expect(each.at("#verdict h2")).to_have_text(re.compile("wins with"))
    for hand in (ada, bob):
        assert sum(hand.taps.values()) + 10 <= 7 * 3, hand.taps
        assert {*hand.taps.values()} <= {0, 1, 2, 3, 7, 8}, (
            "five cards, which after round 1 are sent, keep, discard; the bonus; in round 3 no refresh"
        )
    fits(ada_screen, bob_screen, tv)
    # a card of round 1 was mistyped: put right after round 3, and everything after follows
    before = vp(bob_screen, 1).inner_text()
    ada_screen.press("#sheets .cell >> nth=0")
    ada_screen.at("#sheet [name=fifth][value=pnakotic-manuscripts]").check(force=True)
    ada_screen.press("#sheet button.strong")
    expect(vp(bob_screen, 1)).not_to_have_text(before)
    expect(bob_screen.at("#round-1-1")).to_contain_text("22")


def enter(screen, seat, madness, vp):
    """With the app's own keys; a sum is fine."""
    row = screen.at(f"#tides-typed-{seat}")
    screen.press(row.locator("button"))
    for field, number in (("madness", str(madness)), ("vp", f"{vp - 3}+3")):
        screen.press(f"#sheet [name={field}]")
        for key in number:
            screen.press(f"#sheet [data-digit='{key}']")
    screen.press("#sheet button.strong")


def type_in(screen, seat, round, madness, vp):
    """As the other phone does it with its keys in this round, or has done before."""
    send(screen, "enter_round", seat=seat, round=round, madness=madness, vp=vp)


def choose(screen, words):
    screen.press(screen.at(".question[data-yours] .p-tap").filter(has_text=words))
    expect(screen.at(".question[data-yours] .p-tap").filter(has_text=words)).to_have_count(0)


def test_a_whole_game_by_hand_and_a_heal_that_saves(screen):
    """Chosen once; after that numbers and the bonus are all that is tapped."""
    ada, bob = sit(screen)
    ada.press(ada.button("Score by hand"))
    numbers = [((4, 20), (3, 18)), ((5, 15), (3, 21)), ((0, 10), (1, 9))]
    for number, ((mad_a, vp_a), (mad_b, vp_b)) in enumerate(numbers, 1):
        says(f"Round {number}, scoring", ada, bob)
        enter(ada, 1, mad_a, vp_a) if number == 1 else type_in(ada, 1, number, mad_a, vp_a)
        enter(bob, 2, mad_b, vp_b) if number == 2 else type_in(bob, 2, number, mad_b, vp_b)
        if number == 1:
            choose(ada, "Take 4 VP")
        elif number == 2:
            expect(ada.at(".question .p-tap.danger")).to_contain_text("lost at the check")
            ada.press(ada.at(".question .p-tap.danger"))
            ada.press("#confirm [data-no]")  # asked whether they are sure
            choose(ada, "Heal 1")
            expect(bob.at("#tides-stops-2")).to_contain_text("saved by healing before the check")
            expect(bob.at("#tides-madness-1 small")).to_have_text("one more is nine")
        fits(ada, bob)
    choose(bob, "Take 4 VP")
    for each in (ada, bob):
        expect(each.at("#verdict h2")).to_have_text("Bob wins with 52 VP.")
        expect(vp(each, 1)).to_have_text("49")
    fits(ada, bob)
    # undo stands beside the verdict for the mis-tap
    bob.press("#verdict [data-undo]")
    for each in (ada, bob):
        expect(each.at("#verdict")).to_be_hidden()
    choose(bob, "Heal 1")
    expect(ada.at("#verdict h2")).to_have_text("Ada wins with 49 VP.")
    expect(ada.at("#verdict .working")).to_contain_text("Can the bonus save a player who stands at nine?")


def test_one_phone_for_both_taps_in_the_open_and_two_cards_change_places(screen):
    ada = screen().open("Ada", "Bob", mine=2, game=SLUG)
    ada.press(ada.button("Start round 1"))
    for seat, card in ((1, "hastur"), (2, "dagon")):
        ada.press(f"#open-{seat}-{card}")
        expect(ada.at(f"#open-{seat}-{card} .p-badge")).to_have_text("1")
    says("Round 1, pick 2 of 5", ada)
    bob = screen(theme="light").join(ada, look=False)
    bob.post(f"/s/{bob.code}/do/take_seats", {"seats": 2}, 201)
    ada.post(f"/s/{ada.code}/do/give_seats", {"phone": 2}, 201)
    expect(ada.at("#card-1-hastur .p-badge")).to_have_text("1")  # each has a phone now, and their own hand
    bob.at_table()
    bob.press("#card-2-dagon")
    bob.choose("card", "hastur")
    bob.press("#sheet button.strong")
    expect(bob.at("#card-2-hastur .p-badge")).to_have_text("1")
    expect(ada.at("#card-1-dagon .p-badge")).to_have_text("1")
    fits(ada, bob)


def test_a_name_of_eleven_letters_is_whole_beside_the_score(screen):
    ada = screen().open("Ada", "Bartholomew", game=SLUG)
    for size in ("phone", "narrow"):
        resize(ada.page, size)
        assert illegible(ada.page) == [], size
    resize(ada.page, "phone")
