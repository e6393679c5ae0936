"""Wisdom of Cthulhu on real phones and a table display: set-up, a turn in its four phases, the shared win."""

import re

import pytest
from playwright.sync_api import expect
from screen import fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(200)]
SLUG = "wisdom-of-cthulhu"
FELT = "() => { window.felt = 0; Navigator.prototype.vibrate = () => { window.felt += 1; return true; }; }"


class Party:
    """Ada hosts on a dark phone, Bob has a light one, a television shows it all; Cleo may bring a tablet."""

    def __init__(self, screen, tablet=True):
        self.ada, self.bob, self.tv = screen(), screen(theme="light"), screen("tv")
        self.players = {"Ada": self.ada, "Bob": self.bob}
        self.ada.open("Ada", "Bob", "Cleo", game=SLUG, look=False)
        self.bob.join(self.ada, 2, look=False)
        if tablet:
            self.players["Cleo"] = screen("tablet").join(self.ada, 3, look=False)
        self.tv.join(self.ada, role="display", look=False)

    def look(self):
        """From here on all see what is tapped."""
        for each in self.players.values():
            each.at_table()
        self.tv.at_table("/display")

    def __iter__(self):
        return iter((*self.players.values(), self.tv))

    def kp(self, seat, points):
        for each in self:
            expect(each.at(f"#counter-{seat}-1 output")).to_have_text(str(points))

    def send(self, command, **given):
        """A tap without a finger, from Ada's phone: a finger waits until what moved has settled."""
        self.ada.post(f"/s/{self.ada.code}/do/{command}", given, status=201)

    def declared(self, turn=1, said=((2, 0), (0, 0), (2, 1))):
        """Both laps, without fingers."""
        for lap in (1, 2):
            for seat in (1, 2, 3):
                self.send("declare", seat=seat, turn=turn, lap=lap, count=said[seat - 1][lap - 1])


@pytest.fixture
def party(screen):
    return Party(screen)


@pytest.fixture
def pair(screen):
    """Nobody holds Cleo's seat: whoever is nearest taps for her."""
    return Party(screen, tablet=False)


def offer(screen, action):
    return screen.at(f".question[data-yours] #wis-act-{action}")


def save(screen):
    screen.press("#sheet button.strong")
    expect(screen.at("#sheet")).to_be_hidden()


def test_set_up_and_two_laps_each_on_their_own_phone(party):
    ada, bob, cleo, tv = party
    party.look()
    expect(ada.at("#wis-list .tick")).to_have_count(9)
    fits(*party)
    for at, who in enumerate((ada, bob, cleo)):
        who.press(who.at("#wis-list .tick").nth(at))
        expect(tv.at("#wis-list .tick").nth(at)).to_have_attribute("aria-checked", "true")
    bob.press("#wis-god-madness")
    expect(tv.at("#wis-god-madness")).to_have_attribute("aria-pressed", "true")
    ada.press(ada.button("Start turn 1"))
    says("Turn 1 of 6: Research Order", *party)
    expect(bob.at(".question-wait")).to_have_text(re.compile("Ada declares, lap 1 of 2"))
    expect(bob.at("#wis-counts")).to_be_hidden()
    expect(tv.at(".question-wait")).to_be_visible()
    fits(*party)
    bob.page.evaluate(FELT)
    for name, count in (("Ada", 1), ("Bob", 2), ("Cleo", 2), ("Ada", 0), ("Bob", 0), ("Cleo", 1)):
        who = party.players[name]
        who.page.evaluate("() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        expect(who.at("#turn")).to_have_text("Your turn")
        expect(who.at("#turn")).to_be_in_viewport(ratio=1)
        for other in party.players.values():
            expect(other.at("#turn")).to_be_visible(visible=other is who)
        who.press(f".question[data-yours] #wis-say-{count}")
        expect(who.at(".question[data-yours] #wis-counts")).to_have_count(0)
    says("Turn 1 of 6: Research", *party)
    for each in party:
        expect(each.at("#wis-order b")).to_have_text(["Cleo", "Bob", "Ada"])
    assert bob.page.evaluate("() => window.felt") == 2, "once for each of his turns"
    fits(*party)


def test_actions_bonds_and_points_in_a_research(party):
    ada, bob, cleo, tv = party
    party.send("begin_game")
    party.declared()
    party.look()
    expect(offer(cleo, "knowledge")).to_contain_text("−1 Path → 2 left")
    expect(offer(cleo, "unsign")).to_have_attribute("aria-disabled", "true")
    expect(offer(cleo, "unsign")).to_contain_text("none is placed")
    box = offer(cleo, "cash-obsession").bounding_box()
    assert box["y"] + box["height"] < 740, "all nine are on the first screen"
    cleo.press(offer(cleo, "knowledge"))
    cleo.choose("card", "Henry Armitage")
    save(cleo)
    for each in (ada, bob):
        expect(each.at("#wis-bonds-3")).to_contain_text("Henry Armitage")
    expect(tv.at(".question-wait")).to_contain_text("Ada’s action, round 1")
    ada.press(offer(ada, "cash-path"))
    party.kp(1, 2)
    bob.press(offer(bob, "place"))  # nobody has to say where
    expect(bob.at("#sheet [name=at]:checked")).to_have_value("any")
    bob.at("#sheet [name=points]").fill("3")
    save(bob)
    party.kp(2, 3)
    # one tap pays the bond; points come with a reason
    cleo.press("#wis-pay-3-horror")
    party.kp(3, 5)
    cleo.press(cleo.at("#wis-tools-3").get_by_text("Points"))
    cleo.at("#sheet [name=points]").fill("2+2")
    cleo.choose("source", "combination")
    cleo.at("#sheet [name=name]").fill("Cold Air")
    save(cleo)
    party.kp(3, 9)
    expect(tv.line("combination: Cold Air")).to_have_count(1)
    # Bob taps for Cleo, whose phone is asleep
    expect(cleo.at("#wis-ask .whose")).to_be_hidden()
    bob.press(".for-them summary")
    expect(bob.at("#wis-ask-head")).to_have_text(re.compile(r"Action \(Cleo\)"))
    expect(bob.at("#wis-ask-text")).to_contain_text("Cleo has 2 Paths")
    # which costs her something, so he is asked first
    for answer, points in (("no", 9), ("yes", 11)):
        bob.press("#wis-act-cash-path")
        expect(bob.at("#confirm-question")).to_have_text(re.compile("For Cleo: Cash"))
        bob.press(f"#confirm [data-{answer}]")
        bob.all_sent()
        party.kp(3, points)
    fits(*party)


def test_places_great_old_ones_and_the_ritual(pair):
    ada, bob, tv = pair
    pair.send("begin_game")
    pair.look()
    bob.press("#wis-place-2")
    bob.at("#sheet [name=name]").fill("Innsmouth")
    bob.choose("bond", "Madness")
    save(bob)
    for each in (ada, tv):
        expect(each.at("#wis-place-2")).to_have_text("Innsmouth")
        expect(each.at("#wis-place-2")).to_have_attribute("data-mark", "madness")
    ada.press("#wis-god-horror")
    expect(tv.at("#wis-gods-in h3")).to_have_text("Great Old Ones: 1 of 3 named")
    # Study is free but not for any time, another bond costs five
    ada.expects("422")
    ada.press(ada.at("#wis-tools-1").get_by_text("Study"))
    ada.choose("bond", "horror")
    ada.press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_contain_text("so it is met in the Preparation")
    ada.choose("by", "it was met when this turn began")
    save(ada)
    expect(bob.at("#wis-rite-1")).to_contain_text("Transmutation next, in the Research")
    pair.declared()
    # for somebody else it is one tap further away
    bob.expects("422")
    bob.press(bob.at("#wis-tools-1").get_by_text("More"))
    bob.press(bob.at("#wis-all-1").get_by_text("Transmutation"))
    bob.choose("bond", "madness")
    bob.press("#sheet button.strong")
    expect(bob.at("#sheet .sentence")).to_have_text("Mixing bonds costs 5 KP, and Ada has 0.")
    bob.press("#sheet .sheet-close")
    fits(*pair)


def test_the_end_of_a_turn_and_a_slip_put_right_with_the_keypad(pair):
    ada, bob, tv = pair
    pair.send("begin_game")
    pair.declared()
    pair.look()
    ada.open_keypad(1)
    ada.keys("20")
    ada.press("#keypad [data-set]")
    pair.kp(1, 20)
    bob.press("#wis-skip button")
    bob.press("#confirm [data-yes]")
    says("Turn 1 of 6: End of Search", *pair)
    fits(*pair)
    ada.press(ada.button("Close turn 1"))
    says("Turn 2 of 6: Preparation", *pair)
    expect(bob.at("#wis-lies-1")).to_contain_text("1 permanent")
    expect(tv.at("#wis-race b").first).to_have_text("20")
    fits(*pair)
    bob.press(bob.button("To the Research Order"))
    says("Turn 2 of 6: Research Order", *pair)


def test_the_sixth_turn_ends_in_a_shared_win_and_a_correction_decides_it(pair):
    ada, bob, _ = pair
    pair.send("begin_game")
    for turn in range(1, 7):
        if turn > 1:
            pair.send("finish_preparation", turn=turn)
        pair.declared(turn, ((0, 0),) * 3)
        pair.send("end_research", turn=turn)
        if turn < 6:
            pair.send("close_turn", turn=turn)
    for seat in (1, 3):
        pair.send("correct", seat=seat, turn=2, to=11)
    pair.look()
    bob.open_keypad(3)
    bob.keys("9")
    bob.press("#keypad [data-add]")
    pair.kp(3, 20)
    pair.send("count", seat=1, turn=6, by=9)
    ada.press(ada.button("End the game"))
    for each in pair:
        expect(each.at("#verdict h2")).to_have_text(re.compile("Ada and Cleo share the win with 20 KP each"))
        expect(each.at("#verdict .working")).to_contain_text("The manual is silent about ties")
    expect(ada.at("#wis-lies-2")).to_have_text("no Paths · 6 permanent")
    fits(*pair)
    # a point of turn 1 was forgotten: corrected on the sheet, and the verdict follows
    bob.press("#cell-1-1")
    bob.at("#sheet [name=to]").fill("1")
    save(bob)
    for each in pair:
        expect(each.at("#verdict h2")).to_have_text("Ada wins with 21 KP.")
