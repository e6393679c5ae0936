"""Wisdom of Cthulhu on three real phones and a table display: six turns, from set-up to the shared win."""

import re
import secrets
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]


class Party:
    """Ada hosts on a dark phone, Bob has a light one, Cleo a tablet, and a television shows the table."""

    def __init__(self, screen):
        self.ada, self.bob, self.cleo = screen(), screen(theme="light"), screen("tablet")
        self.tv = screen("tv")
        self.players = {"Ada": self.ada, "Bob": self.bob, "Cleo": self.cleo}
        self.ada.open(*self.players, game="wisdom-of-cthulhu")
        self.bob.join(self.ada, 2)
        self.cleo.join(self.ada, 3)
        self.tv.join(self.ada, role="display")
        self.tv.at_table("/display")

    def __iter__(self):
        return iter((*self.players.values(), self.tv))

    def says(self, words):
        for each in self:
            expect(each.at("#phase h2")).to_have_text(words)

    def fits(self):
        for each in self:
            each.fits()

    def kp(self, seat, points):
        for each in self:
            expect(each.at(f"#counter-{seat}-1 output")).to_have_text(str(points))

    def ranks(self, *names):
        for each in self:
            expect(each.at(".wis-order .rank bdi")).to_have_text(list(names))

    def declare(self, name, count):
        """On that player's own phone; the others read who it is."""
        screen = self.players[name]
        screen.press(f".question[data-yours] .wis-offer[data-args*='\"count\": {count}']")
        expect(screen.at(".question[data-yours][data-kind=order]")).to_have_count(0)

    def turn(self, number):
        """Nobody turns a Path, and the Research is played without the phones."""
        self.ada.press(self.ada.button("To the Research Order"))
        for name in ("Cleo", "Bob", "Ada") * 2:
            self.declare(name, 0)
        self.cleo.press(".wis-skip button")
        self.cleo.press("#confirm [data-yes]")
        expect(self.bob.at("#phase h2")).to_have_text(f"Turn {number} of 6: End of Search")

    def send(self, command, **given):
        """A tap without a finger, from Ada's phone: a finger waits until what moved has settled."""
        answer = self.ada.context.request.post(
            f"{self.ada.url}/s/{self.ada.code}/do/{command}",
            data=urlencode({"tap": secrets.token_hex(8), **given}),
            headers={"Origin": self.ada.url, "Content-Type": "application/x-www-form-urlencoded"},
        )
        assert answer.status == 201, answer.text()

    def turn_without_fingers(self, number):
        """Like turns 1 and 6, whose buttons are pressed."""
        self.send("finish_preparation", turn=number)
        for lap in (1, 2):
            for seat in (3, 2, 1):
                self.send("declare", seat=seat, turn=number, lap=lap, count=0)
        self.send("end_research", turn=number)
        expect(self.bob.at("#phase h2")).to_have_text(f"Turn {number} of 6: End of Search")
        self.send("close_turn", turn=number)


def offer(screen, words):
    return screen.at(".question[data-yours] .wis-offer").filter(has_text=words)


def send(screen):
    screen.press("#sheet button.strong")
    expect(screen.at("#sheet")).to_be_hidden()


def test_a_whole_game_of_six_turns(screen):
    party = Party(screen)
    ada, bob, cleo, tv = party
    # set-up
    expect(ada.at(".wis-lines .tick")).to_have_count(9)
    party.fits()
    for at, who in enumerate((ada, bob, cleo)):
        who.press(who.at(".wis-lines .tick").nth(at))
        expect(tv.at(".wis-lines .tick").nth(at)).to_have_attribute("aria-checked", "true")
    bob.press(".wis-god[data-mark=madness]")
    expect(cleo.at(".wis-god[data-mark=madness]")).to_have_attribute("aria-pressed", "true")
    ada.press(ada.button("Start turn 1"))
    party.says("Turn 1 of 6: Research Order")
    # two laps, each on their own phone
    expect(bob.at(".question-wait")).to_have_text(re.compile("Ada declares, lap 1 of 2"))
    expect(bob.at(".wis-offer:visible")).to_have_count(0)
    party.fits()
    for name, count in (("Ada", 1), ("Bob", 2), ("Cleo", 2), ("Ada", 0), ("Bob", 0), ("Cleo", 1)):
        party.declare(name, count)
    party.says("Turn 1 of 6: Research")
    party.ranks("Cleo", "Bob", "Ada")
    party.fits()
    # Cleo buys a Dark Master, Bob cashes in, Ada uses a place
    expect(offer(cleo, "Buy Knowledge")).to_contain_text("−1 Path → 2 left")
    expect(offer(cleo, "Remove a Sign")).to_be_disabled()
    expect(offer(cleo, "Remove a Sign")).to_contain_text("none is placed")
    expect(offer(cleo, "Remove a Sign")).to_contain_text("later draft")
    cleo.press(offer(cleo, "Buy Knowledge"))
    cleo.choose("card", "Henry Armitage")
    send(cleo)
    for each in (ada, bob):
        expect(each.at("#seat-3 .wis-bonds")).to_contain_text("Henry Armitage")
    expect(ada.at(".question-wait")).to_contain_text("Bob’s action, round 1")
    bob.press(offer(bob, "Cash in a Path"))
    party.kp(2, 2)
    ada.press(offer(ada, "Use a Place"))
    expect(ada.at("#sheet [name=at]:checked")).to_have_value("any")
    ada.at("#sheet [name=points]").fill("3")
    send(ada)
    party.kp(1, 3)
    # one tap pays the bond, on any phone; points come with a reason
    expect(cleo.at(".question[data-yours]")).to_be_visible()
    cleo.press("#seat-3 button.pay")
    party.kp(3, 5)
    cleo.press(cleo.at("#seat-3 .wis-tools button").filter(has_text="Points"))
    cleo.at("#sheet [name=points]").fill("2+2")
    cleo.choose("source", "combination")
    cleo.at("#sheet [name=name]").fill("Cold Air")
    send(cleo)
    party.kp(3, 9)
    expect(tv.line("combination: Cold Air")).to_have_count(1)
    # Bob taps for Cleo, whose phone is asleep
    bob.press(".for-them summary")
    bob.press(bob.at(".wis-panel .wis-offer").filter(has_text="Cash in a Path"))
    party.kp(3, 11)
    # the Great Old Ones that nobody named at first
    cleo.press("#gods summary")
    expect(cleo.at("#gods summary")).to_have_text("Great Old Ones: Cthulhu")
    cleo.press("#gods [data-mark=horror]")
    expect(ada.at("#gods summary")).to_have_text("Great Old Ones: Cthulhu and Shub-Niggurath")
    # the Ritual: Study is free but not for any time, another bond costs five
    ada.expects("422")
    ada.press(ada.at("#seat-1 .wis-tools button").filter(has_text="Study"))
    ada.choose("bond", "horror")
    ada.press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_contain_text("so it is met in the Preparation")
    ada.choose("by", "it was met when this turn began")
    send(ada)
    expect(bob.at("#seat-1 .wis-rite")).to_contain_text("Transmutation next, in the Research")
    ada.press(ada.at("#seat-1 .wis-tools button").filter(has_text="Transmutation"))
    ada.choose("bond", "madness")
    ada.press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_have_text("Mixing bonds costs 5 KP, and Ada has 3.")
    ada.press("#sheet .sheet-close")
    # a slip is put right with the keypad
    ada.open_keypad(1)
    ada.keys("20")
    ada.press("#keypad [data-set]")
    party.kp(1, 20)
    party.fits()
    bob.press(".wis-skip button")
    bob.press("#confirm [data-yes]")
    party.says("Turn 1 of 6: End of Search")
    party.fits()
    ada.press(ada.button("Close turn 1"))
    party.says("Turn 2 of 6: Preparation")
    expect(tv.at("#seat-1 .wis-counts")).to_contain_text("1 permanent")
    party.fits()
    for number in range(2, 6):
        party.turn_without_fingers(number)
    party.turn(6)
    party.says("Turn 6 of 6: End of Search")
    for each in party:
        expect(each.at(".wis-chart .kp-line")).to_have_count(3)
        expect(each.at(".wis-chart .kp-dot")).to_have_count(3 * 6)
    cleo.open_keypad(3)
    cleo.keys("9")
    cleo.press("#keypad [data-add]")
    party.kp(3, 20)
    ada.press(ada.button("End the game"))
    for each in party:
        expect(each.at("#verdict h2")).to_have_text(re.compile("Ada and Cleo share the win with 20 KP each"))
        expect(each.at("#verdict .working")).to_contain_text("The manual is silent about ties")
        expect(each.at("#seat-2 .wis-six [data-kind=permanent]")).to_have_count(6)
    party.fits()
    # a point of turn 1 was forgotten: corrected on the sheet, and the verdict follows
    bob.press("#sheets tbody tr:nth-child(1) .cell >> nth=0")
    bob.at("#sheet [name=to]").fill("21")
    send(bob)
    for each in party:
        expect(each.at("#verdict h2")).to_have_text("Ada wins with 21 KP.")
