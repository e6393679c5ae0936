"""An evening as people live it: open a table, scan, sit down, tap, take back, and see who won."""

from __future__ import annotations

import re

import pytest
from conftest import NewScreen
from playwright.sync_api import Locator, Route, expect
from screen import UNSEEN, Screen, boxes, spoil
from services import cannot

pytestmark = pytest.mark.browser


def colour_of(what: Locator) -> str:
    return what.evaluate("(element) => getComputedStyle(element).color")


def colour_named(screen: Screen, name: str) -> str:
    return screen.page.evaluate(
        """(name) => {
            const probe = document.body.appendChild(document.createElement("i"));
            probe.setAttribute("class", "probe");
            probe.style.color = `var(${name})`;
            const colour = getComputedStyle(probe).color;
            probe.remove();
            return colour;
        }""",
        name,
    )


def first_seat(screen: Screen) -> str:
    """Whose name stands highest on this screen, and then furthest left."""
    places = screen.page.evaluate(
        """() => [...document.querySelectorAll(".seat")].map((seat) => {
            const {x, y} = seat.getBoundingClientRect();
            return [y, x, seat.querySelector("h3").textContent];
        })"""
    )
    return min(places)[2]


def test_the_field_for_names_asks_for_one_only_once_its_script_listens(screen: NewScreen) -> None:
    """Until then Enter would send the form, and whoever typed at once lost the name."""
    ada, held = screen(), list[Route]()
    spoil(ada.page).route("**/players*.js*", lambda route: held.append(route))
    ada.page.goto(f"{ada.url}/open/any-game", wait_until="commit")
    expect(ada.at("#one-more")).to_be_visible()
    expect(ada.at("#one-more")).not_to_be_focused()
    held[0].continue_()
    expect(ada.at("#one-more")).to_be_focused()
    ada.page.keyboard.type("Ada")
    ada.page.keyboard.press("Enter")
    expect(ada.at("#chips .chip")).to_have_text(["Ada"])


def test_from_the_shelf_to_a_table_with_phones_and_a_display(screen: NewScreen, address: str) -> None:
    if address == "127.0.0.1":
        cannot("This machine has no network, so there is no address that a QR code could name.")
    ada, bob, tv, cleo = screen(), screen(theme="light"), screen("tv"), screen("tablet")

    # Ada opens a table: names, another look and order, who starts; all of it on one screen of her phone
    ada.go()
    ada.press(ada.page.get_by_role("link", name="Any game"))
    expect(ada.at("#one-more")).to_be_focused()
    for name in ("Ada", "Cleo", "Bob"):
        ada.page.keyboard.type(name)
        ada.page.keyboard.press("Enter")
    expect(ada.at("#chips .chip")).to_have_text(["Ada", "Cleo", "Bob"])
    on_the_first_screen(
        ada, ada.at("#chips"), ada.at("#starters"), ada.at("#house"), ada.button("Open the table")
    )
    ada.press("#seating summary")
    look = ada.at(".player").nth(2).get_attribute("data-colour")
    ada.press(ada.at(".player").nth(2).locator("[data-look]"))
    expect(ada.at(".player").nth(2)).not_to_have_attribute("data-colour", look)
    ada.press(ada.at(".player").nth(2).locator("[data-move=up]"))
    expect(ada.at(".player bdi")).to_have_text(["Ada", "Bob", "Cleo"])
    ada.press(ada.at("#starters .chip", has_text="Cleo"))
    ada.press(ada.button("Open the table"))

    # her screen shows QR, code and link together, and that nobody has come yet
    ada.page.wait_for_url("**/people")
    ada.is_live()
    ada.code = re.search(r"/s/(\w{6})/", ada.page.url)[1]
    expect(ada.at(".code.big")).to_have_text(ada.code)
    expect(ada.at(".link a")).to_be_visible()
    assert ada.at(".link a").inner_text() == f"{ada.url.partition('://')[2]}/j/{ada.code}", "short, and whole"
    expect(ada.at("#arrivals")).to_have_text("Here: Ada. No phone yet: Bob, Cleo")
    expect(ada.at("#chairs .row", has_text="Cleo").locator(".tag")).to_have_text("starts")

    # Bob's phone sees what Ada's screen shows, and goes where it says
    seen = ada.scanned()
    assert seen == ada.at(".link a").get_attribute("href")
    assert seen.startswith(f"http://{address}:")
    bob.code = tv.code = cleo.code = ada.code
    bob.go(seen)
    assert bob.page.evaluate("() => isSecureContext") is False
    expect(bob.page.get_by_role("heading", level=1)).to_have_text("Ada’s table")
    expect(bob.at(".door-game")).to_contain_text("Any game")
    expect(bob.at(".door-seat")).to_have_text(["Bob", "Cleo"])
    expect(bob.at(".door-taken li")).to_have_text(["Ada is in"])
    bob.press(bob.at(".door-seat", has_text="Bob"))  # one tap, and he sits there
    bob.is_live()
    expect(bob.at(".seat[data-yours] h3")).to_have_text("Bob")

    expect(ada.at("#arrivals")).to_have_text("Here: Ada, Bob. No phone yet: Cleo")
    expect(ada.at("#phones .row", has_text="Bob")).to_be_visible()

    # a television, which the host lets in with one tap, and a tablet on which two people play
    tv.go(f"/tv/{ada.code}")
    expect(tv.button("This is the television")).to_be_focused()
    tv.page.keyboard.press("Enter")
    knock = ada.at("#asking .asking-row", has_text="Television asks to join")
    on_the_first_screen(ada, knock)
    ada.press(knock.get_by_role("button", name="Let in"))
    tv.page.wait_for_url("**/display")
    tv.is_live()
    expect(tv.at(".corner .qr svg")).to_be_visible()
    assert tv.scanned() == seen
    cleo.go(seen)
    cleo.press(".door-more summary")
    cleo.press(cleo.button("Take several seats, or one that is in"))
    cleo.press(cleo.at(".chair", has_text="Cleo"))
    cleo.press(cleo.at(".chair", has_text="Ada"))
    cleo.press(cleo.button("Sit down"))
    cleo.is_live()

    # the line turns green, by itself
    expect(ada.at("#arrivals")).to_have_text("Everyone has a phone here")
    assert colour_of(ada.at("#arrivals")) == colour_named(ada, "--good")

    # every screen shows every tap
    ada.press(ada.page.get_by_role("link", name="To the table").last)
    ada.is_live()
    bob.plus(2, 3)
    cleo.plus(3)
    cleo.minus(1, 2)  # Ada has not given her seat away, so the first tap only asks
    bob.agree(ada, cleo, tv, numbers={1: -1, 2: 3, 3: 1})

    # and what they play, as soon as somebody says so
    ada.post(f"/s/{ada.code}/do/arrange", {"title": "Skull King"}, status=201)
    for each in (ada, bob, tv, cleo):
        expect(each.at(".top h1")).to_have_text("Skull King")
        assert each.page.title().startswith("Skull King")

    # the same phone comes back to its seat by itself, and knows who played
    bob.go()
    bob.press(bob.at(f".tonight[href='/s/{ada.code}']"))
    bob.is_live()
    assert first_seat(bob) == "Bob"

    # and Ada opens the next one with the same people: one of four taps is for who is not there today
    taps = [
        ada.at("a.box", has_text="Any game"),
        ada.at("#chips .chip", has_text="Bob"),
        ada.button("Open the table"),
    ]
    assert len(taps) <= 4
    ada.go()
    for tap in taps:
        ada.press(tap)
    ada.page.wait_for_url("**/people")
    expect(ada.at("#chairs .row bdi")).to_have_text(["Ada", "Cleo"])


def on_the_first_screen(screen: Screen, *what: Locator) -> None:
    """All of it, without scrolling."""
    high = screen.page.viewport_size["height"]
    for each in what:
        box = each.bounding_box()
        assert box
        assert box["y"] >= 0, each
        assert box["y"] + box["height"] <= high, (each, box)


SHIFTS = """window.shifts = []; new PerformanceObserver((list) => {
    for (const each of list.getEntries()) window.shifts.push(each.value);
}).observe({type: "layout-shift", buffered: true});"""
TORN = """(selector) => [...document.querySelectorAll(selector)].flatMap((each) => {
    const words = document.createTreeWalker(each, NodeFilter.SHOW_TEXT), torn = [], range = new Range();
    while (words.nextNode()) for (const { 0: word, index } of words.currentNode.data.matchAll(/\\S+/g)) {
        range.setStart(words.currentNode, index);
        range.setEnd(words.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size !== 1) torn.push(word);
    }
    return torn;
})"""
CUT = """(selector) => [...document.querySelectorAll(selector)]
    .filter((each) => each.checkVisibility())
    .filter((each) => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.textContent)"""


@pytest.mark.moves
def test_a_page_arrives_as_it_is_for_its_phone_and_nothing_is_cut_or_covered(
    screen: NewScreen,
) -> None:
    """On the narrowest phone: own seat first without a jump, six digits, all of what undo takes back."""
    ada = screen().open("Ada", "Bartholomew the Unready", "Cleo")
    cleo = screen("narrow")
    cleo.on_every_page(SHIFTS)
    cleo.go(ada.link)
    assert cleo.page.evaluate(TORN, ".door-seat bdi") == []
    cleo.join(ada, 3)
    assert first_seat(cleo) == "Cleo"
    cleo.page.wait_for_timeout(300)  # what could still jump would have
    assert cleo.page.evaluate("() => window.shifts") == []
    cleo.open_keypad(3)
    cleo.keys("−999999")
    cleo.press("#keypad [data-add]")
    cleo.shows(3, -999999)
    cleo.plus(2)
    cleo.all_sent()
    expect(cleo.at(".undo-button[data-yours]")).to_have_text(
        re.compile(r"Undo\s+Bartholomew the Unready: \+1 Points, now 1")
    )
    assert cleo.page.evaluate(CUT, ".undo-words, .number") == []
    assert cleo.page.evaluate("() => document.documentElement.scrollWidth") <= 320

    # what is said in passing stands over the title, and the bubble under its number
    cleo.press(".undo-button[data-yours]")
    expect(cleo.at(".toast")).to_be_visible()
    places = cleo.at(".toast"), cleo.at("#phase"), cleo.bubble(3), cleo.number(3)
    toast, phase, bubble, number = boxes(*places)
    assert toast["bottom"] <= phase["top"]
    assert bubble["top"] >= number["bottom"] - 1

    # what was taken back is struck through, and no name in it is torn
    cleo.open_log()
    expect(cleo.at("#log .gone .line-for")).to_contain_text("Bartholomew the Unready")
    assert cleo.page.evaluate(TORN, "#log .gone bdi") == []
    cleo.close_log()

    # what stands under a number makes room for what has just happened to it; and at the end names are whole
    ada.post(f"/s/{ada.code}/do/next_round", {"after": 1}, status=201)
    ada.post(f"/s/{ada.code}/do/count", {"seat": 2, "counter": 1, "by": 7, "round": 2}, status=201)
    expect(cleo.bubble(2)).to_have_text("+7 → 7")
    expect(cleo.at("#counter-2-1 .detail")).to_have_css("visibility", "hidden")
    ada.post(f"/s/{ada.code}/do/end_game", {}, status=201)
    expect(cleo.at("#verdict h2 b")).to_have_text("Bartholomew the Unready wins")
    assert cleo.page.evaluate(TORN, "#verdict :is(h2, bdi)") == []


def test_your_own_seat_comes_first_on_your_phone(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo", "Dov")
    bob = screen().join(ada, 2)
    both = screen("tablet").join(ada, 3, 4)
    watcher = screen().join(ada)
    expect(bob.at(".seat[data-yours] h3")).to_have_text("Bob")
    assert [first_seat(each) for each in (ada, bob, both, watcher)] == ["Ada", "Bob", "Cleo", "Ada"]
    expect(both.at(".seat[data-yours] h3")).to_have_text(["Cleo", "Dov"])
    assert [each.at("body.several").count() for each in (ada, bob, both, watcher)] == [0, 0, 1, 0]
    expect(watcher.at(".seat[data-yours]")).to_have_count(0)
    expect(watcher.step(1)).to_be_hidden()
    ada.post(f"/s/{ada.code}/do/add_counter", {"name": "Coins"}, status=201)
    points, coins = (bob.at(f"#counter-2-{number}") for number in (1, 2))
    expect(coins).to_be_visible()
    one, other = boxes(points, coins)
    assert (one["top"], one["bottom"]) == (other["top"], other["bottom"]), "side by side"
    assert one["right"] < other["left"]


@pytest.mark.moves
def test_a_bubble_says_what_changed_for_five_seconds(screen: NewScreen) -> None:
    ada, bob, tv = screen(), screen(), screen("tv")
    for each in (ada, bob, tv):
        each.on_every_page(UNSEEN)  # it moves, and how long it stays is known without a picture
    ada.open("Ada", "Bob")
    bob.join(ada, 2)
    tv.join(ada, role="display")
    for each in (ada, bob, tv):
        each.bubble(2).evaluate(
            """(bubble) => {
                new MutationObserver((changes) => {
                    if (changes.some(({type}) => type === "childList")) window.since = performance.now();
                    if (!bubble.hasAttribute("data-on")) window.lasted = performance.now() - window.since;
                }).observe(bubble, {childList: true, attributes: true, attributeFilter: ["data-on"]});
            }"""
        )
    bob.plus(2, 3)
    for each in (bob, ada, tv):
        expect(each.bubble(2)).to_have_text("+3 → 3")
        expect(each.bubble(1)).to_have_css("opacity", "0")
    for each in (bob, ada, tv):
        lasted = each.page.wait_for_function("() => window.lasted", polling=100).json_value()
        assert 4500 < lasted < 9000  # a busy machine looks late
        expect(each.bubble(2)).to_have_css("opacity", "0")
    bob.minus(2)
    for each in (bob, ada, tv):
        expect(each.bubble(2)).to_have_text("−1 → 2")
        expect(each.bubble(2)).to_have_css("opacity", "1")


def test_undo_mine_and_undo_the_tables_last_are_different(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    bob = screen().join(ada, 2)
    mine = ".undo-button[data-yours]"
    ada.plus(1)
    ada.plus(3, 2)
    ada.all_sent()
    bob.plus(2)
    ada.agree(bob, numbers={1: 1, 2: 1, 3: 2})
    expect(ada.at(mine)).to_have_text(re.compile(r"Undo\s+Cleo: \+1 Points, now 2"))
    expect(bob.at(mine)).to_have_text(re.compile(r"Undo\s+Bob: \+1 Points, now 1"))
    ada.open_log()
    expect(ada.at("#last button")).to_have_text(re.compile(r"Undo the table’s last: Bob, .*\+1 Points"))
    ada.close_log()
    ada.press(mine)
    ada.press(ada.at(".toast").get_by_role("button", name="Put it back"))
    expect(bob.line("took back")).to_have_count(1)
    expect(bob.line("put back")).to_have_count(1)
    ada.agree(bob, numbers={1: 1, 2: 1, 3: 2})
    ada.press(mine)
    ada.agree(bob, numbers={1: 1, 2: 1, 3: 1})
    ada.open_log()
    expect(ada.at("#last button")).to_have_text(re.compile("Bob"))
    ada.press("#last button")
    ada.agree(bob, numbers={1: 1, 2: 0, 3: 1})


def test_any_line_of_the_log_is_taken_back_and_put_back_by_tapping_it(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2)
    ada.plus(1)
    ada.plus(1)
    ada.all_sent()
    bob.plus(2)
    ada.agree(bob, numbers={1: 2, 2: 1})
    lines = ada.at("#log .line").count()
    bob.open_log()
    first = bob.at("#line-" + bob.line("+1 Points, now 1").filter(has_text="Ada").get_attribute("id")[5:])
    expect(first.locator("time")).to_have_text(re.compile(r"\d\d:\d\d"))
    bob.poke(first.locator(".line-text"))
    bob.agree(ada, numbers={1: 1, 2: 1})
    expect(first).to_have_class(re.compile("gone"))
    expect(bob.at("#log .line")).to_have_count(lines + 1)
    expect(bob.at("#logbook")).to_be_visible()
    bob.poke(first.locator(".line-text"))
    bob.agree(ada, numbers={1: 2, 2: 1})
    expect(first).not_to_have_class(re.compile("gone"))
    expect(bob.at("#log .line")).to_have_count(lines + 2)


@pytest.mark.moves
def test_a_change_that_comes_while_a_sheet_closes_does_not_open_it_again(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    ada.press(ada.button("New counter"))
    expect(ada.at("#sheet")).to_be_visible()
    ada.page.evaluate(
        """() => { document.getElementById("sheet").close();
                   document.dispatchEvent(new CustomEvent("htmx:after:swap")); }"""
    )
    expect(ada.at("#sheet-body")).to_be_empty()
    expect(ada.at("#sheet")).to_be_hidden()
    ada.press(ada.button("New counter"))
    expect(ada.at("#sheet")).to_be_visible()


def test_the_score_sheet_the_house_rule_and_the_verdict(screen: NewScreen) -> None:
    """What a display shows of it is in test_recap and, phase by phase, in test_displays."""
    ada = screen().open("Ada", "Bob", "Cleo")
    bob = screen("tablet").join(ada, 2)
    everyone = (ada, bob)
    ada.plus(1, 3)
    bob.plus(2, 2)
    ada.all_sent()
    bob.all_sent()
    ada.press(ada.button("Next round"))
    for each in everyone:
        expect(each.at("#phase h2")).to_have_text("Round 2")
    bob.plus(2)
    ada.agree(bob, numbers={1: 3, 2: 3, 3: 0})
    expect(bob.at(".sheet tbody tr", has_text="Bob").locator("td")).to_have_text(["2", "1", "3"])

    # round 1 was written down wrong
    ada.press(ada.page.get_by_role("button", name="Bob, round 1: 2, correct"))
    expect(ada.at("#sheet")).to_be_visible()
    expect(ada.at("#sheet h2")).to_have_text("Bob, round 1")
    ada.at("#sheet [name=to]").fill("7+1")
    ada.press(ada.button("Correct it"))
    expect(ada.at("#sheet")).to_be_hidden()
    ada.agree(bob, numbers={1: 3, 2: 9, 3: 0})
    expect(bob.at(".sheet tbody tr", has_text="Bob").locator("td")).to_have_text(["8", "1", "9"])
    expect(bob.line("round 1 corrected, +6 Points, now 9")).to_have_count(1)

    # two counters are not one
    bob.press(bob.button("New counter"))
    bob.at("#sheet [name=name]").fill("Gold")
    bob.at("#sheet [name=start]").fill("5")
    bob.press(bob.button("Add counter"))
    for each in everyone:
        each.shows(3, 5, counter=2)
    ada.plus(1, counter=2)
    for each in everyone:
        each.shows(1, 6, counter=2)

    # the lowest wins, says the table, and then the game is over
    ada.press(ada.button("Lowest score wins"))
    expect(bob.button("Lowest score wins")).to_have_attribute("aria-pressed", "true")
    ada.press(ada.button("End game"))
    expect(ada.at("#confirm-question")).to_have_text("End the game and show who won?")
    ada.press("#confirm [data-no]")
    expect(ada.at("#confirm")).to_be_hidden()
    expect(bob.at("#verdict")).to_be_hidden()
    ada.press(ada.button("End game"))
    ada.press("#confirm [data-yes]")
    for each in everyone:
        expect(each.at("#verdict h2")).to_have_text("Cleo wins with 0 Points.")
        expect(each.at("#verdict")).to_contain_text("Bob: 8 + 1 = 9")
        expect(each.at("#verdict")).to_be_visible()
        expect(each.at("#phase h2")).to_have_text("The game is over")

    # unless it is not
    ada.press(".undo-button[data-yours]")
    for each in everyone:
        expect(each.at("#verdict")).to_be_hidden()
        expect(each.at("#phase h2")).to_have_text("Round 2")


def test_whoever_types_the_code_is_let_in_with_one_tap(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", look=False).at_table("/people")
    bob = screen().go()
    bob.code = ada.code
    bob.at("#code").fill(f"{ada.code[:3]} {ada.code[3:]}".lower())
    bob.press(bob.button("Join"))
    bob.page.get_by_label("Who is asking?").fill("Bob")
    bob.press(bob.button("Ask to join"))
    expect(bob.at("#waiting")).to_have_text("Waiting for Ada to let you in.")
    ada.press(ada.at("#asking .asking-row", has_text="Bob").get_by_role("button", name="Let in"))
    bob.is_live().plus(2)  # he gave a name that is there, so he sits there
    ada.at_table().shows(2, 1)


def test_the_host_arranges_the_table(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", look=False)
    bob = screen().join(ada, 2)
    ada.at_table("/people")
    seats = ada.at("#chairs .row bdi")
    ada.at("#chairs [name=name]").fill("Cleo")
    ada.press(ada.at("#chairs").get_by_role("button", name="Add"))
    expect(seats).to_have_text(["Ada", "Bob", "Cleo"])
    expect(ada.at("#chairs [name=name]")).to_have_value("")
    ada.press(ada.button("Cleo sits earlier"))
    expect(seats).to_have_text(["Ada", "Cleo", "Bob"])
    ada.press(ada.button("Change Cleo"))
    ada.at("#sheet [name=name]").fill("Dov")
    expect(ada.page.get_by_role("radio", name="coral, Ada has it")).to_be_disabled()
    ada.press(ada.page.get_by_role("radio", name="plum"))
    ada.press(ada.button("Save"))
    expect(seats).to_have_text(["Ada", "Dov", "Bob"])
    expect(bob.at(".seat h3")).to_have_text(["Ada", "Dov", "Bob"])
    expect(bob.at("#seat-3")).to_have_attribute("data-colour", "plum")
    ada.press(ada.button("Change Dov"))
    ada.press(ada.at("#sheet").get_by_role("button", name="Remove"))
    ada.press("#confirm [data-yes]")
    expect(bob.at(".seat h3")).to_have_text(["Ada", "Bob"])
    expect(seats).to_have_text(["Ada", "Bob"])
    ada.press(ada.page.get_by_role("switch", name="Closed to new phones"))
    expect(ada.page.get_by_role("switch", name="Closed to new phones")).to_be_checked()
    late = screen()
    late.go(ada.link)
    expect(late.at(".sentence")).to_have_text("This table is closed to new phones. Ada can open it again.")
    ada.press(ada.button("Make host"))
    ada.press("#confirm [data-yes]")
    expect(bob.at("#toasts")).to_contain_text("You are the host now.")
    expect(ada.at("#switches")).to_be_hidden()
    bob.at_table("/people")
    expect(bob.at("#switches")).to_be_visible()

    # whoever would host asks, and the host reads it wherever that is
    bob.at_table("/log")
    ada.press(ada.button("Host instead"))
    question = bob.at("#asking .asking-row", has_text="Ada asks to be the host")
    on_the_first_screen(bob, question)
    bob.press(question.get_by_role("button", name="Hand it over"))
    expect(ada.at("#switches")).to_be_visible()
    expect(bob.at("#toasts")).to_contain_text("Ada is the host now.")


def test_too_many_or_too_few_players_is_a_sentence(screen: NewScreen) -> None:
    """Before anything is sent: how many fit is known before one too many is there."""
    ada = screen().open("Ada", "Bob", "Cleo", look=False).go("/open/tides-of-madness")
    expect(ada.at("#how-many")).to_have_text("2, and that is all")
    expect(ada.at("#one-more")).to_be_disabled()
    ada.press(ada.at("#chips .chip", has_text="Cleo"))
    expect(ada.at("#how-many")).to_have_text("It is for 2 players: tap one off first")
    expect(ada.at("#chips :checked")).to_have_count(2)
    for name in ("Ada", "Cleo"):  # Ada makes room, and is back again: this phone is still hers alone
        ada.press(ada.at("#chips .chip", has_text=name))
    expect(ada.at("#seating-now")).to_have_text("Bob (this phone), Cleo")
    for name in ("Cleo", "Ada"):
        ada.press(ada.at("#chips .chip", has_text=name))
    expect(ada.at("#seating-now")).to_have_text("Ada (this phone), Bob")
    for name in ("Ada", "Bob"):
        ada.press(ada.at("#chips .chip", has_text=name))
    ada.press(ada.button("Open the table"))
    expect(ada.at("#how-many")).to_have_text("It takes 2 players")
    ada.at("#one-more").fill("ada")  # who is there already is tapped on, not there twice
    ada.page.keyboard.press("Enter")
    ada.press(ada.at("#chips .chip", has_text="Cleo"))
    ada.press(ada.button("Open the table"))
    ada.page.wait_for_url("**/people")
    expect(ada.at("#chairs .row bdi")).to_have_text(["Ada", "Cleo"])
