"""Nobody has played before: three phones teach each game, from the closed box to its verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from at_the_table import Evening
from everyone import ALL, COLOURS, IN_THE_HAND, findings, out_of_reach, ready, violations
from full_games import GAMES, SHORT
from playwright.sync_api import expect
from screen import SHOWN, UNSEEN, Caller, HastyHouse, Screen

from companion.core import Entry
from companion.core.pieces import Question, Tick, inside
from companion.tools.teaching import Card, cards, in_thirty_seconds
from companion.tools.timer import timer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
NAMES = ("Ada", "Bartholomew the Unready", "Zoë")
SILENT = "mountains-of-madness"
ENOUGH = 1  # times that a command is looked at, whatever it brings
LONG = 3  # taps in a row for which it pays to look away: to come back is to load a page
#: Which of the three phones is looked at, and what it is like; the first one opens the box.
LOOKS = defaultdict(
    lambda: (1, "phone", "dark"),
    {
        "smash-up": (2, "phone", "light"),
        "escape-the-dark-castle": (3, "narrow", "dark"),
        "tides-of-madness": (2, "narrow", "light"),
        "mountains-of-madness": (3, "phone", "dark"),
    },
)

#: A phone that was just asking for the time may have heard it from before the clock was put forward.
RUN_OUT = """() => {
    const over = document.getElementById("timer").classList.contains("over"), now = performance.now();
    if (!over && now - (window.lookedUp ??= now) > 2000) {
        window.lookedUp = now;
        document.dispatchEvent(new Event("visibilitychange"));
    }
    return over;
}"""
UP_TO_THE_REST = """(all) => {
    const [, rest] = document.querySelectorAll("#sheet h3");
    const above = (each) => !rest || each.getBoundingClientRect().top < rest.getBoundingClientRect().top;
    return all.filter(above).map((each) => each.id);
}"""
NEWCOMER = Path(__file__).with_name("newcomer.js").read_text("utf-8")


class Pupils(Evening):
    """Three phones by the rules alone: what each is taught, tap by tap, and which taps are worth a look."""

    def __init__(self, slug: str) -> None:
        super().__init__(GAMES[slug], *NAMES[: SHORT[slug][0]])
        self.seated = False
        self.join("", 2)
        self.join("", *range(3, SHORT[slug][0] + 1))
        self.do("teach_everyone", on="yes")
        self.seated = True
        self.known: Counter[str] = Counter()
        self.news: list[bool] = []
        self.put_away_all()

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        if not self.seated:
            return super().do(command, phone, **given)
        entry = super().do(command, self.who(given, phone), **self.whole(command, given))
        self.known[command] += 1
        self.news.append(self.put_away_all() or self.known[command] <= ENOUGH or self.verdict.final)
        return entry

    def put_away_all(self) -> bool:
        """Whether there was something to read."""
        read = 0
        while due := self.cards:
            for card in due:
                super().do("read_lesson", card.phone, lesson=card.id)
            read += 1
        return read > 0

    def set_up(self) -> None:
        """Line by line, as the list has it."""
        view = self.view
        for each in inside((view.phase.first, view.phase.pieces, view.board)):
            if isinstance(each, Tick) and each.do:
                self.do(each.do.command, **each.do.args)

    def all(self, command: str, *each: dict[str, object], **same: object) -> None:
        for given in each:
            self.do(command, **given, **same)

    def who(self, given: dict[str, object], phone: int) -> int:
        """Everyone taps for themselves; what is nobody's in particular is the one's whose turn it is."""
        phase = self.view.phase
        asked = [each.seat for each in inside((phase.first, phase.pieces)) if isinstance(each, Question)]
        seats = [given.get("seat"), *(asked or [phase.seat.id if phase.seat else None])]
        held = [self.table.holder(seat) for seat in seats if isinstance(seat, int)]
        return next((each.number for each in held if each), phone)

    def whole(self, command: str, given: dict[str, object]) -> dict[str, object]:
        """With what a tap says besides; see `says` in newcomer.js."""
        for do, _ in self.view.taps():
            same = all(str(given.get(key, value)) == str(value) for key, value in do.args.items())
            if do.command == command and same and {*given} - {"pick", "by"} <= {*do.args}:
                return {**given, **do.args}
        return given

    @property
    def cards(self) -> tuple[Card, ...]:
        return cards(self.journal.game, self.table, self.view)


def dull(slug: str) -> set[int]:
    """Taps in a row that bring nothing to read and have been looked at before, counted from the first."""
    table = Pupils(slug)
    table.set_up()
    SHORT[slug][1](table)
    found, row = set(), []
    for at, news in enumerate((*table.news, True)):
        if not news:
            row.append(at)
            continue
        found.update(row if len(row) >= LONG else ())
        row = []
    return found


class Newcomers(Pupils):
    """One of the phones is looked at: on it is pressed only what it shows, and what the others send is drawn
    on it as well. Beside them the rules, by which each has to teach what it does."""

    def __init__(self, screen: Screen, number: int, others: dict[int, Caller], slug: str, house: Any) -> None:
        self.screen, self.number, self.others, self.house = screen, number, others, house
        self.learnt: list[list[str]] = [[], [], []]
        self.jumps: list[str] = []
        self.sand = self.tapped = 0
        self.asleep, self.dull = False, dull(slug)
        super().__init__(slug)

    def do(self, command: str, phone: int = 1, **given: object) -> Entry:
        if not self.seated:
            return super().do(command, phone, **given)
        number = self.who(given, phone)
        self._sleep(self.tapped in self.dull)
        self.tapped += 1
        self._wait_for_sand()
        way = self._unseen if self.asleep else self._pressed if number == self.number else self._sent
        sent, version = way(number, command, given)
        entry = Evening.do(self, command, number, **{name: sent[name] for name in sent if name != "tap"})
        if not self.asleep:
            self.read(version)
        return entry

    def put_away_all(self) -> bool:
        self.read(0)
        return True

    def _sleep(self, asleep: bool) -> None:
        """Or wake up, at the same table."""
        if asleep and not self.asleep:
            self.jumps += self.screen.page.evaluate("() => jumps")
            self.screen.page.goto("about:blank")
        elif self.asleep and not asleep:
            self.screen.at_table()
        self.asleep = asleep

    def _unseen(self, number: int, command: str, given: dict[str, object]) -> tuple[dict[str, Any], int]:
        sent = self.whole(command, given)
        if number == self.number:
            self.screen.post(f"/s/{self.screen.code}/do/{command}", sent, 201)
            return sent, 0
        return sent, self.others[number].tap(command, **sent)

    def _pressed(self, number: int, command: str, given: dict[str, object]) -> tuple[dict[str, Any], int]:
        wanted = [command, given, self._form(command, given)]
        done = self.screen.page.evaluate("(wanted) => newcomerTaps(...wanted)", wanted)
        assert not done["why"], f"{command} {given}, phone {number}: {done['why']}"
        sent = {name: int(value) if name == "seat" else value for name, value in done["sent"].items()}
        return sent, done["version"]

    def _sent(self, number: int, command: str, given: dict[str, object]) -> tuple[dict[str, Any], int]:
        """By another phone. All draw the same, but for what only one may see."""
        args, caller = {}, self.others[number]
        if not self._form(command, given):
            args = self.screen.page.evaluate("(wanted) => newcomerFinds(...wanted)", [command, given])
            own = f"/s/{self.screen.code}/do/{command}"
            assert args or own in caller.ask(f"/s/{self.screen.code}"), f"{command} {given}: on no phone"
        sent = {**given, **(args or {})}
        return sent, caller.tap(command, **sent)

    def _wait_for_sand(self) -> None:
        """Whoever plays says by their clock that it has run out."""
        sand = timer(self.table)
        if sand and self.sand != sand.until <= self.now:
            self.sand = sand.until
            self.house.put_forward(31, *(() if self.asleep else (self.screen,)))
            if not self.asleep:
                self.screen.page.wait_for_function(RUN_OUT, polling=100)

    def _form(self, command: str, given: dict[str, object]) -> str:
        """What asks for it, if it is asked for in a sheet."""
        for form in self.view.every_form:
            known = all(str(given.get(name)) == str(value) for name, value in form.do.args.items())
            if form.do.command == command and known and form.fields:
                return form.id
        return ""

    def read(self, version: int) -> None:
        """What each phone is shown is what it is taught now, in this order; and lies over nothing."""
        while True:
            due = [*self._due(self.number)]
            seen = self.screen.page.evaluate("(version) => newcomerReads(version)", version)
            assert [each["id"] for each in seen["read"]] == [each.id for each in due], f"phone {self.number}"
            for shown, card in zip(seen["read"], due, strict=True):
                _says(shown, card)
                assert shown["covered"] == [], card.id
            self.learnt[self.number - 1] += [each.id for each in due]
            theirs = {str(each.phone): each for each in self.cards}
            assert {number: shown["id"] for number, shown in seen["others"].items()} == {
                number: card.id for number, card in theirs.items()
            }
            if not theirs:
                return
            for number, card in theirs.items():
                _says(seen["others"][number], card)
                version = self._put_away(int(number), card)

    def _put_away(self, number: int, card: Card) -> int:
        self.learnt[number - 1].append(card.id)
        Evening.do(self, "read_lesson", number, lesson=card.id)
        return self.others[number].tap("read_lesson", lesson=card.id)

    def _due(self, number: int) -> Any:
        while card := next((each for each in self.cards if each.phone == number), None):
            yield card
            Evening.do(self, "read_lesson", number, lesson=card.id)


def _says(shown: dict[str, Any], card: Card) -> None:
    said = " ".join(shown["words"])
    assert all(words in said for words in (*card.words, "" if card.brief else card.title)), shown


def open_by_hand(ada: Screen, slug: str) -> None:
    """From the closed box: Ada says that not everyone has played before."""
    ada.go(f"/open/{slug}")
    for name in NAMES[: SHORT[slug][0]]:
        ada.page.fill("#one-more", name)
        ada.press("#add")
    ada.press(ada.at("#played .tile", has_text="No, teach us"))
    if GAMES[slug].starts:
        ada.press(ada.at("#starters .chip", has_text="Ada"))
    ada.press(ada.button("Open the table"))
    ada.page.wait_for_url("**/people")
    ada.code = ada.page.url.split("/")[-2]
    ada.link = "/" + ada.at(".link a").get_attribute("href").split("/", 3)[3]


def sit_down(screen: Any, slug: str) -> tuple[Screen, int, dict[int, Caller]]:
    """Who looks, which phone that is, and the others. Somebody else looks in every room."""
    number, size, theme = LOOKS[slug]
    looks, seats = screen(size, theme), {2: (2,), 3: tuple(range(3, SHORT[slug][0] + 1))}
    looks.on_every_page(NEWCOMER)
    if number == 1:
        open_by_hand(looks, slug)
        others = {each: Caller(looks.url).join(looks, *seats[each]) for each in seats}
        return looks.at_table(), number, others
    host = Caller(looks.url).open(*NAMES[: SHORT[slug][0]], game=slug, first=True)
    others = {1: host}
    for each in seats:
        if each == number:
            looks.join(host, *seats[each], look=False)
        else:
            others[each] = Caller(looks.url).join(host, *seats[each])
    return looks.at_table(), number, others


def taught_from_box_to_verdict(screen: Any, slug: str, house: Any = None) -> None:
    looks, number, others = sit_down(screen, slug)
    expect(looks.at("#lesson > [data-yours] h2")).to_have_text(in_thirty_seconds(GAMES[slug])[0])
    looks.fits()
    if GAMES[slug].lessons.book.thing:
        expect(looks.at("#table-plan svg")).to_be_visible()
    for theme, what in (("dark", ALL), ("light", COLOURS)):
        ready(looks.page)
        assert violations(looks.page, theme, what) == []
    looks.page.evaluate(f"() => {UNSEEN}")
    table = Newcomers(looks, number, others, slug, house)
    table.set_up()
    SHORT[slug][1](table)
    assert table.verdict.final
    expect(looks.at("#verdict h2")).to_have_text(table.verdict.summary)
    assert "\n".join([*table.jumps, *looks.page.evaluate("() => jumps")]) == ""
    looks.fits()
    for each in others.values():
        each.close()
    (one,) = [each.id for each in GAMES[slug].lessons.book.lesson if each.round]
    for learnt in table.learnt:
        assert learnt[0] == "thirty"
        assert one in learnt
        assert len({*learnt}) == len(learnt), "each comes once"
    looks.press(looks.button("Tools"))
    looks.press(looks.button("Lessons"))
    expect(looks.at("#sheet h2")).to_have_text("How to play")
    again = looks.at("#sheet h3:has-text('Read so far') ~ details").evaluate_all(UP_TO_THE_REST)
    read = {each.removesuffix("~") for each in table.learnt[number - 1]}
    assert {*again} == {f"lesson-again-{id}" for id in read if id in GAMES[slug].lessons.by_id}


@pytest.mark.parametrize("slug", [slug for slug in SHORT if slug != SILENT and GAMES[slug].lessons])
def test_three_phones_teach_a_game_that_nobody_has_played(screen: Any, slug: str) -> None:
    """Every tap of it is on a phone, from the closed box to the verdict."""
    taught_from_box_to_verdict(screen, slug)


def test_the_mountains_are_taught_without_a_word_while_the_sand_runs(
    hasty_screen: Any, hasty_house: HastyHouse
) -> None:
    taught_from_box_to_verdict(hasty_screen, SILENT, hasty_house)


def test_the_game_is_read_out_large_and_by_the_phone_if_it_can(screen: Any) -> None:
    ada = screen()
    ada.on_every_page("""window.spoken = [];
        Object.defineProperty(window, "speechSynthesis", {value: {speaking: false, pending: false,
            speak(words) { spoken.push(words.text); this.speaking = true; },
            cancel() { this.speaking = false; }}});
        window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };""")
    ada.open("Ada", "Bob", game="tides-of-madness", first=True)
    ada.press(ada.button("Read it out"))
    expect(ada.at("#sheet .answer")).to_have_count(3)
    small, large = (
        float(ada.at(each).first.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)"))
        for each in ("#lesson article p", "#sheet .answer")
    )
    assert large >= 1.2 * small
    ada.press(ada.button("Let the phone read it"))
    (said,) = ada.page.evaluate("() => window.spoken")
    assert said == " ".join(GAMES["tides-of-madness"].lessons.book.thirty.words)
    ada.press("#sheet .sheet-close")
    ada.page.wait_for_function("() => !speechSynthesis.speaking")  # closed a moment later


def test_each_phone_switches_its_lessons_off_and_on_and_reads_them_again(screen: Any) -> None:
    ada = screen().open("Ada", "Bob", game="tides-of-madness", first=True)
    assert out_of_reach(ada.page) == {}  # the card, the words of the set-up and the plan
    ada.press("#lesson > [data-yours] [aria-label='Got it']")
    expect(ada.at("#lesson > [data-yours] h2")).to_have_text("Read your five cards")
    ada.press(ada.button("Tools"))
    ada.press(ada.button("Lessons"))
    expect(ada.at("#sheet h2")).to_have_text("How to play")
    assert findings(ada.page, IN_THE_HAND) == []
    for what in ("#table-plan svg", "#tides-setup small", "#tides-setup .tag"):
        expect(ada.at(what).first).to_be_visible()
    ada.press(ada.at("#sheet [role=switch]"))
    expect(ada.at("#lesson > *")).to_have_count(0)
    for what in ("#table-plan svg", "#tides-setup small", "#tides-setup .tag"):
        expect(ada.at(what).first).to_be_hidden()  # as if everyone had played before
    ada.press(ada.button("Tools"))
    ada.press(ada.button("Lessons"))
    ada.press(ada.at("#lesson-again-draft summary"))
    expect(ada.at("#lesson-again-draft svg")).to_be_visible()
    ada.press(ada.at("#sheet [role=switch]"))
    expect(ada.at("#lesson > [data-yours] h2")).to_have_text("Read your five cards")
    expect(ada.at("#table-plan svg")).to_be_visible()


#: Of what is above the board, which has its own reasons to change.
SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries()) for (const { node } of sources)
        if (node?.parentElement?.closest("#phase, #seats")) shifts.push(node.outerHTML?.slice(0, 99));
}).observe({ type: "layout-shift", buffered: true });"""


def test_a_card_that_anothers_tap_brings_moves_nothing_under_a_thumb(screen: Any) -> None:
    """It comes into view once nobody's hand is on the phone. One that another's tap ends can be read on."""
    ada, bob = screen().open("Ada", "Bob", game="escape-the-dark-castle", first=True, look=False), screen()
    for seat, hero in ((1, "abbot"), (2, "cook")):
        ada.post(f"/s/{ada.code}/do/choose_character", {"seat": seat, "hero": hero}, status=201)
    ada.post(f"/s/{ada.code}/do/begin_escape", {}, status=201)
    ada.post(f"/s/{ada.code}/do/turn_card", {"number": 1, "hero": "abbot"}, status=201)
    for script in (NEWCOMER, SHIFTS):
        bob.on_every_page(script)
    bob.join(ada, 2)
    bob.page.evaluate(SHOWN)  # what nobody sees does not shift
    bob.page.evaluate("() => newcomerReads(0)")
    phase, card = bob.at("#phase"), bob.at("#lesson > [data-yours]")
    place = phase.bounding_box()
    bob.page.touchscreen.tap(180, place["y"] + 4)  # somebody holds it
    bob.page.wait_for_timeout(600)  # what that may have moved is not meant
    bob.page.evaluate("() => { window.shifts = []; }")
    drawn = int(bob.at("#page").get_attribute("data-version")) + 1
    ada.post(f"/s/{ada.code}/do/draw_item", {"name": "Rusty sword"}, status=201)
    expect(card.locator("h2")).to_have_text("An item for one of us")
    assert phase.bounding_box()["y"] == pytest.approx(place["y"], abs=1)
    assert bob.page.evaluate("() => window.shifts") == []
    expect(card).to_be_in_viewport(ratio=1)  # by itself, when the hand is gone
    place = phase.bounding_box()
    bob.page.evaluate("() => { window.shifts = []; }")
    ada.post(f"/s/{ada.code}/do/take_back", {"entry": drawn}, status=201)
    expect(card).to_have_count(0)
    expect(bob.at("#lesson-past h2")).to_have_text("An item for one of us")
    assert phase.bounding_box()["y"] == pytest.approx(place["y"], abs=1)
    assert bob.page.evaluate("() => window.shifts") == []
    bob.press("#lesson-past [aria-label='Got it']")
    expect(bob.at("#lesson-past")).to_have_count(0)


def test_opening_a_table_that_knows_the_game_takes_no_tap_more(screen: Any) -> None:
    """The question is answered already; two taps open the next table, as ever."""
    ada = screen().open("Ada", "Bob", game="tides-of-madness", look=False)
    ada.go()
    ada.press(ada.at("a.box", has_text="Tides of Madness"))
    ada.page.wait_for_url("**/open/tides-of-madness")
    ada.press(ada.button("Open the table"))
    ada.page.wait_for_url("**/people")
    ada.code = ada.page.url.split("/")[-2]
    ada.at_table()
    expect(ada.at("#lesson")).to_be_hidden()


def test_who_knows_the_game_finds_what_is_often_played_wrong_behind_the_mark(screen: Any) -> None:
    ada = screen().open("Ada", "Bob", mine=2, game="tides-of-madness")
    ada.post(f"/s/{ada.code}/do/begin_round", {"after": 0}, status=201)
    expect(ada.at("#ask")).to_have_attribute("data-phase", "draft")
    expect(ada.at(".bar-rules")).to_have_attribute("data-trap", "")
    ada.press(".bar-rules")
    wrong = ada.at("#rules-found h3", has_text="Often played wrong").locator("+ ol")
    expect(wrong).to_contain_text("When do I pass my hand?")
    expect(wrong).not_to_contain_text("Dreamlands")
