"""Wisdom of Cthulhu on real phones and a table display: set-up, a turn in its four phases, a whole game."""

import re

import pytest
from playwright.sync_api import expect
from screen import fits, says

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
SLUG = "wisdom-of-cthulhu"
FELT = "() => { window.felt = 0; Navigator.prototype.vibrate = () => { window.felt += 1; return true; }; }"
# Counts real taps. That a page which has just moved keeps fingers off for a moment is another test's.
TAPS = """() => {
  window.taps = 0;
  addEventListener("click", (event) => { taps += event.isTrusted && event.detail > 0; }, true);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".settling #page, [data-moved] { pointer-events: auto !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""


COVERED = """() => {
  const box = (what) => document.querySelector(`#counter-1-1 ${what}`).getBoundingClientRect();
  const number = document.createRange(), one = box(".bubble");
  number.selectNodeContents(document.querySelector("#counter-1-1 output"));
  const other = number.getBoundingClientRect(), middle = other.top + other.height / 2;
  return one.top <= middle && one.bottom >= middle;
}"""


class Party:
    """Ada hosts on a dark phone, Bob has a light one, a television shows it all; Cleo may bring a tablet."""

    def __init__(self, screen, cleo="tablet", names=("Ada", "Bob", "Cleo"), tv=True):
        self.ada, self.bob, self.tv = screen(), screen(theme="light"), screen("tv") if tv else None
        self.players = {"Ada": self.ada, "Bob": self.bob}
        self.ada.open(*names, game=SLUG, look=False)
        self.bob.join(self.ada, 2, look=False)
        if cleo:
            self.players["Cleo"] = screen(cleo).join(self.ada, 3, look=False)
        if tv:
            self.tv.join(self.ada, role="display", look=False)

    def look(self):
        """From here on all see what is tapped."""
        for each in self.players.values():
            each.at_table()
        if self.tv:
            self.tv.at_table("/display")

    def __iter__(self):
        return iter((*self.players.values(), *filter(None, [self.tv])))

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
    return Party(screen, cleo="")


@pytest.fixture
def two(screen):
    """And no television: what that shows at the end, test_recap asks of every room."""
    return Party(screen, cleo="", tv=False)


def offer(screen, action):
    return screen.at(f".question[data-yours] #wis-act-{action}")


def save(screen):
    screen.press("#sheet button.strong")
    expect(screen.at("#sheet")).to_be_hidden()


def tile(screen, words):
    """A card or a place in a sheet, by what stands on it; a tap on it is all."""
    there = screen.at("#sheet [data-look] > .p-tap").filter(has=screen.page.get_by_text(words, exact=True))
    screen.press(there.first)


def buy(screen, family, name):
    screen.press(offer(screen, family))
    tile(screen, name)
    expect(screen.at("#sheet")).to_be_hidden()


def test_set_up_and_two_laps_each_on_their_own_phone(party):
    ada, bob, cleo, tv = party
    party.look()
    expect(ada.at("#wis-list .tick")).to_have_count(9)
    for god in ada.at("#wis-gods .p-tap").all():
        expect(god).to_be_in_viewport(ratio=1)
    expect(ada.button("Start turn 1")).not_to_have_class(re.compile("strong"))
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
    for name, count in (("Ada", 1), ("Bob", 2), ("Cleo", 6), ("Ada", 0), ("Bob", 0)):
        who = party.players[name]
        who.page.evaluate("() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        expect(who.at("#turn")).to_have_text("Your turn")
        expect(who.at("#turn")).to_be_in_viewport(ratio=1)
        for other in party.players.values():
            expect(other.at("#turn")).to_be_visible(visible=other is who)
        who.press(f".question[data-yours] #wis-say-{count}")
        expect(who.at(".question[data-yours] #wis-counts")).to_have_count(0)
    says("Turn 1 of 6: Research", *party)  # Cleo had nothing left for lap 2
    for each in party:
        expect(each.at("#wis-order b")).to_have_text(["Cleo", "Bob", "Ada"])
    assert bob.page.evaluate("() => window.felt") == 2, "once for each of his turns"
    fits(*party)


def test_cards_by_name_bonds_and_points_in_a_research(party):
    ada, bob, cleo, tv = party
    party.send("begin_game")
    party.declared()
    party.look()
    expect(offer(cleo, "dm")).to_contain_text("1 left")
    expect(offer(cleo, "unsign")).to_have_attribute("aria-disabled", "true")
    expect(offer(cleo, "unsign")).to_contain_text("none is placed")
    box = offer(cleo, "cash-obsession").bounding_box()
    assert box["y"] + box["height"] < 740, "all of them are on the first screen"
    buy(cleo, "dm", "Henry Armitage")
    for each in (ada, bob, tv):
        expect(each.at("#wis-cards-3")).to_contain_text("Henry Armitage")
    expect(tv.at(".question-wait")).to_contain_text("Ada’s action, round 1")
    expect(offer(ada, "dm")).to_contain_text("none left")
    ada.press(offer(ada, "cash-path"))
    party.kp(1, 2)
    # a place is tapped, and its bond the first time
    party.send("set_cards", seat=2, hand=5, spent=0, temporary=1, permanent=0)
    bob.press(offer(bob, "place"))
    tile(bob, "Place 4")
    tile(bob, "Horror")
    for each in party:
        expect(each.at("#wis-place-4")).to_have_attribute("data-mark", "horror")
    # Bob taps for Cleo, whose phone is asleep
    expect(cleo.at("#wis-ask .whose")).to_be_hidden()
    fits(cleo)
    party.players.pop("Cleo").page.goto("about:blank")
    bob.press(".for-them summary")
    expect(bob.at("#wis-ask-head")).to_have_text(re.compile(r"Action \(Cleo\)"))
    expect(bob.at("#wis-ask-text")).to_contain_text("2 Paths, ")
    # which costs her something, so he is asked first
    for answer, points in (("no", 0), ("yes", 2)):
        bob.press("#wis-act-cash-path")
        expect(bob.at("#confirm-question")).to_have_text(re.compile("For Cleo: Cash"))
        bob.press(f"#confirm [data-{answer}]")
        bob.all_sent()
        party.kp(3, points)
    expect(bob.at(".for-them summary")).to_have_text("Tap for Ada")
    expect(bob.at("#wis-actions")).to_be_hidden()  # what he opened for Cleo is not open for Ada
    ada.press(ada.at("#wis-tools-1").get_by_text("Points"))
    ada.at("#sheet [name=points]").fill("2+2")
    ada.choose("source", "combination")
    ada.at("#sheet [name=name]").fill("Cold Air")
    save(ada)
    party.kp(1, 6)
    expect(tv.line("combination: Cold Air")).to_have_count(1)
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
    for god in tv.at("#wis-gods .p-tap").all():
        expect(god).to_be_in_viewport(ratio=1)
    # Study is free but not for any time, another bond costs five
    ada.expects("422")
    ada.press(ada.at("#wis-tools-1").get_by_text("Study"))
    ada.choose("bond", "horror")
    ada.press("#sheet button.strong")
    expect(ada.at("#sheet .sentence")).to_contain_text("so it is met in the Preparation")
    ada.choose("by", "a card’s effect grants it")
    save(ada)
    expect(bob.at("#wis-lies-1")).to_contain_text("Transmutation next, in the Research")
    longest = ada.at("#wis-tools-1").get_by_text("Transmutation")
    assert longest.evaluate("(word) => word.scrollWidth - word.parentNode.clientWidth") <= 0
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
    # the evocation, once in a game, is the first thing that everybody sees
    for box in (2, 3):
        pair.send("advance_ritual", seat=1, turn=1, box=box, bond="horror", by="effect")
    for each in pair:
        expect(each.at("#wis-evokes-1")).to_be_in_viewport(ratio=1)
    ada.press(ada.button("Evoke Shub-Niggurath"))
    save(ada)
    for each in pair:
        expect(each.at("#wis-evoked")).to_contain_text("Ada evoked Shub-Niggurath in turn 1")
    expect(tv.at("#wis-evoked")).to_be_in_viewport(ratio=1)
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
    expect(ada.bubble(1)).to_have_attribute("data-on", "")
    assert not ada.page.evaluate(COVERED), "how much it was stands beside the number"
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


def test_the_sixth_turn_ends_in_a_shared_win_and_a_correction_decides_it(two):
    ada, bob = two
    two.send("begin_game")
    for turn in range(1, 7):
        if turn > 1:
            two.send("finish_preparation", turn=turn)
        two.declared(turn, ((0, 0),) * 3)
        two.send("end_research", turn=turn)
        if turn < 6:
            two.send("close_turn", turn=turn)
    for seat in (1, 3):
        two.send("correct", seat=seat, turn=2, to=11)
    two.look()
    bob.open_keypad(3)
    bob.keys("9")
    bob.press("#keypad [data-add]")
    two.kp(3, 20)
    two.send("count", seat=1, turn=6, by=9)
    ada.press(ada.button("End the game"))
    for each in two:
        expect(each.at("#verdict h2")).to_have_text(re.compile("Ada and Cleo share the win with 20 KP each"))
        expect(each.at("#verdict .working")).to_contain_text("The manual is silent about ties")
    expect(ada.at("#wis-lies-2")).to_have_text("not completed · no Paths · 6 permanent")
    expect(ada.at("[id^=wis-tools-]")).to_have_count(0)  # nothing is left to do but to correct
    fits(*two)
    for turn in (5, 6):  # all six turns stand side by side
        cell = ada.at(f"#cell-{turn}-2")
        cell.scroll_into_view_if_needed()
        expect(cell).to_be_in_viewport(ratio=1)
    assert ada.at(".sheet-scroll").evaluate("(box) => box.scrollWidth - box.clientWidth") <= 0
    # a point of turn 1 was forgotten: corrected on the sheet, and the verdict follows
    bob.press("#cell-1-1")
    bob.at("#sheet [name=to]").fill("1")
    save(bob)
    for each in two:
        expect(each.at("#verdict h2")).to_have_text("Ada wins with 21 KP.")


def test_what_a_table_does_most_takes_few_taps_and_a_turn_at_most_twelve(screen):
    """A whole turn of two, each on their own phone; pen and tokens need only the points."""
    ada, bob = screen(), screen()
    ada.open("Ada", "Bob", game=SLUG, look=False)
    bob.join(ada, 2, look=False)

    def send(command, **given):
        ada.post(f"/s/{ada.code}/do/{command}", given, status=201)

    for god in ("madness", "horror"):
        send("choose_god", god=god)
    send("begin_game")
    send("note_place", place=3, name="Innsmouth", bond="madness", points=2)
    for who in (ada, bob):
        who.at_table().page.evaluate(TAPS)

    def does(who, most, *places):
        """The first is on the screen as it is; the others are in the sheet that it opens."""
        before = who.page.evaluate("() => taps")
        first, *then = places
        expect(who.at(first)).to_be_in_viewport(ratio=1)
        who.press(who.at(first))
        for place in then:
            who.press(place) if place[0] in "#." else tile(who, place)
        who.all_sent()
        took = who.page.evaluate("() => taps") - before
        assert took <= most, (places, took)

    def asked(who):
        expect(who.at("#turn")).to_have_text("Your turn")
        who.page.evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")

    for who, count in ((ada, 3), (bob, 6), (ada, 0)):  # Bob has nothing left to turn: lap 2 does not ask him
        asked(who)
        does(who, 1, f"#wis-say-{count}")
    says("Turn 1 of 6: Research", ada, bob)
    bobs = (
        (3, "#wis-act-entity", "Ghoul"),
        (3, "#wis-act-place", "Place 1", "Horror"),  # nobody has used it yet
        (1, "#wis-card-2-0"),
        (2, "#wis-act-place", "Innsmouth"),
        (2, "#wis-act-sign", "Place 2"),
        (1, "#wis-act-cash-obsession"),
    )
    adas = (
        (3, "#wis-act-fw", "Petrifying Elixir"),
        (3, "#wis-act-fw", "Star Stones of Mnar"),
        (3, "#wis-act-dm", "Joseph Curwen"),
        (1, "#wis-card-1-0"),
        (2, "#wis-act-place", "Innsmouth"),
        (1, "#wis-act-cash-obsession"),
    )
    for his, hers in zip(bobs, adas, strict=True):
        for who, (most, *places) in ((bob, his), (ada, hers)):
            asked(who)
            does(who, most, *places)
    says("Turn 1 of 6: End of Search", ada, bob)
    ada.shows(1, 11)  # 3 + 1 + 2 + 4, and an Obsession cashed in
    ada.shows(2, 3)
    taken = [who.page.evaluate("() => taps") for who in (ada, bob)]
    assert max(taken) <= 12, taken
    does(ada, 1, ".phase-buttons button")  # one for the whole table
    says("Turn 2 of 6: Preparation", ada, bob)
