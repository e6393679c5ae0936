"""A rules question in the middle of a game: asked, answered, shown to all, and chosen."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import NewScreen
from playwright.sync_api import expect
from screen import Screen

from companion.games import shelf
from companion.lookup.rooms import LookUp

pytestmark = pytest.mark.browser
GAME = "tides-of-madness"
QUESTIONS = Path(__file__).parents[2] / "bench" / "questions"


def rules(screen: Screen) -> Screen:
    screen.press(screen.button("Rules"))
    expect(screen.at("#rules")).to_be_visible()
    return screen


def ask(screen: Screen, question: str) -> None:
    screen.at("#rules-question").fill(question)


def first(screen: Screen) -> str:
    return screen.at("#rules-found .answer-line b").first.inner_text()


# How often something as long as all rulings was read.
READING = """(() => { const parse = JSON.parse; window.reads = 0;
    JSON.parse = (text, ...more) => { window.reads += text.length > 50_000; return parse(text, ...more); };
})();"""


def test_a_question_is_found_opened_shown_and_decided(screen: NewScreen) -> None:
    ada = screen()
    ada.on_every_page(READING)
    ada.open("Ada", "Bob", game=GAME)
    bob = screen(theme="light").join(ada, 2)
    tv = screen("tv").join(ada, role="display")

    # without typing: what people ask in this phase, on the page and in the sheet
    expect(ada.at("#ask .ask-one").first).to_be_visible()
    assert 3 <= ada.at("#ask .ask-one").count() <= 5
    assert ada.page.evaluate("() => window.reads") == 0, "to read them all takes long, and nobody has asked"
    rules(ada)
    expect(ada.at("#rules-found h3")).to_have_text("Asked here")
    assert ada.page.evaluate("() => window.reads") == 1

    # typed, with a slip
    ask(ada, "dremlands which suit")
    expect(ada.at("#rules-found .answer-line b").first).to_contain_text("Dreamlands")
    ada.fits()
    ask(ada, "do kept cards give madness again")
    expect(ada.at("#rules-found .answer-line b").first).to_have_text("Do kept cards give Madness again?")
    ada.press(ada.at("#rules-found .answer-line").first)
    card = ada.at("#ruling")
    expect(card.locator(".answer")).to_contain_text("Your table plays: Kept cards give Madness again")
    expect(card.locator(".how-sure b")).to_have_text("The manual is silent")
    expect(card.locator(".how-sure span")).to_contain_text("manual, section 5")

    # both readings are there, and the table chooses on the spot
    choices = card.locator(".readings-choices .rule")
    expect(choices).to_have_count(2)
    expect(choices.first).to_have_attribute("aria-pressed", "true")
    ada.press(choices.nth(1))
    expect(choices.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(card.locator(".answer")).to_contain_text("Your table plays: Kept cards give no Madness again")
    announced = re.compile(r"House rule: .+\? Now: No, only cards played this round")
    expect(bob.at("#toasts")).to_have_text(announced)
    expect(bob.line("house rule: No, only cards played this round")).to_have_count(1)

    # what is related leads on, and back
    ada.press(card.locator(".related .answer-line").first)
    expect(card.locator(".ruling-title")).not_to_have_text("Do kept cards give Madness again?")
    ada.press(card.locator("[data-back-to-search]"))
    expect(card.locator(".ruling-title")).to_have_text("Do kept cards give Madness again?")

    # shown to the table: on every phone and the display, until it is put away
    ada.press(card.locator("[data-show-ruling]"))
    for each in (ada, bob, tv):
        expect(each.at("#shown_ruling h2")).to_have_text("Do kept cards give Madness again?")
        expect(each.at("#shown_ruling")).to_contain_text("Your table plays: Kept cards give no Madness again")
    bob.press(bob.button("Close here"))
    expect(bob.at("#shown_ruling")).to_be_hidden()
    expect(ada.at("#shown_ruling")).to_be_visible()
    ada.press(ada.button("Put away for all"))
    for each in (ada, bob, tv):
        expect(each.at("#shown_ruling")).to_be_hidden()
    expect(bob.line("showed the ruling “Do kept cards give Madness again?”")).to_have_count(1)


def test_nothing_found_is_said_and_other_games_come_after(screen: NewScreen) -> None:
    ada = rules(screen().open("Ada", "Bob", game=GAME))
    ask(ada, "how long do I boil an egg")
    expect(ada.at("#rules-found .nothing-found")).to_contain_text(
        "No ruling of Tides of Madness answers that"
    )
    expect(ada.at("#rules-found .near .chip-button").first).to_be_visible()
    ask(ada, "who may look at the rain from the kept card")
    expect(ada.at("#rules-found .nothing-found")).to_have_text("No ruling fits that well. The nearest:")
    expect(ada.at("#rules-found .answer-line").first).to_be_visible()
    ask(ada, "how long do I boil an egg")
    ada.press(ada.at("#rules-found .near .chip-button").first)
    expect(ada.at("#rules-found .answer-line").first).to_be_visible()
    others = [game for slug, game in shelf().items() if slug != GAME and game.rulings]
    if others:
        ask(ada, others[0].rulings[0].title)
        expect(ada.at("#rules-elsewhere h3")).to_have_text("In other games")
        expect(ada.at("#rules-elsewhere a").first).to_have_attribute("href", re.compile("^/rules/"))


def test_a_ruling_has_an_address_of_its_own(screen: NewScreen) -> None:
    ada = screen("tablet")
    ada.go("/rules")
    ada.press(ada.at(".box").filter(has_text="Tides of Madness"))
    ada.at(".rules-question").fill("both have nine")
    expect(ada.at("#found .answers b").first).to_have_text("What if both have nine or more?")
    ada.press(ada.at("#found .answers a").first)
    ada.page.wait_for_url("**/rules/tides-of-madness/both-lost")
    expect(ada.at(".answer")).to_contain_text("nobody wins")
    ada.go("/rules/tides-of-madness").press(ada.at(".topic summary").first)
    expect(ada.at(".topic a").first).to_be_visible()


def test_the_rulings_answer_while_the_server_is_away(screen: NewScreen) -> None:
    ada = (
        screen()
        .expects("ERR_INTERNET_DISCONNECTED", "Failed to fetch", "net::")
        .open("Ada", "Bob", game=GAME)
    )
    ada.page.wait_for_function(f"() => localStorage.getItem('companion.rulings.{GAME}')")
    ada.context.set_offline(True)
    rules(ada)
    ask(ada, "what if both have nine?")
    expect(ada.at("#rules-found .answer-line small").first).to_contain_text(
        "The manual says so: Manual, section"
    )
    ada.press(ada.at("#rules-found .answer-line").first)
    expect(ada.at("#ruling .answer")).to_contain_text("nobody wins")


def test_a_rules_page_answers_from_the_phone_while_the_server_is_away_or_says_that_it_cannot(
    screen: NewScreen,
) -> None:
    ada = (
        screen()
        .expects("ERR_INTERNET_DISCONNECTED", "Failed to fetch", "net::", "htmx")
        .open("Ada", "Bob", game=GAME)
    )
    ada.page.wait_for_function(f"() => localStorage.getItem('companion.rulings.{GAME}')")
    for slug, words in ((GAME, "from what is on this phone"), ("smash-up", "not on this phone")):
        ada.go(f"/rules/{slug}")
        ada.at(".rules-question").fill("what if both have nine?")
        expect(ada.at("#found .answers b").first).to_be_visible()
        ada.context.set_offline(True)
        ada.at(".rules-question").fill("how many rounds are there")
        expect(ada.at("#found .nothing-found")).to_contain_text(words)
        if slug == GAME:
            expect(ada.at("#found .answers b").first).to_have_text("How many rounds are there?")
        else:
            expect(ada.at("#found .answers")).to_have_count(0)
        ada.context.set_offline(False)


def test_rulings_that_did_not_come_at_first_come_when_somebody_asks(screen: NewScreen) -> None:
    ada = screen().expects("503", "Failed to load").open("Ada", "Bob", game=GAME)
    ada.page.route("**/rulings.json", lambda route: route.fulfill(status=503, body="busy"))
    ada.page.evaluate("() => localStorage.clear()")
    ada.page.reload()
    rules(ada.is_live())
    expect(ada.at("#rules-found .nothing-found")).to_contain_text("not on this phone yet")
    ada.page.unroute("**/rulings.json")
    ask(ada, "what if both have nine?")
    expect(ada.at("#rules-found .answer-line").first).to_be_visible()


def test_phone_and_server_find_the_same(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", game=GAME)
    look_up = LookUp(shelf())
    for slug, game in look_up.games.items():
        if not game.rulings:
            continue
        files = [folder / f"{slug}.toml" for folder in (QUESTIONS, QUESTIONS / "held-out")]
        asked = [
            each["text"]
            for file in files
            if file.exists()
            for each in tomllib.loads(file.read_text("utf-8"))["question"]
        ] + [ruling.title for ruling in game.rulings]
        asked = asked[::3]  # all of them go through the same few ways of looking
        found = ada.page.evaluate(
            """async ([slug, asked]) => {
                const beside = document.querySelector("script[type=module]").src;
                const { Index, opened } = await import(new URL("look-up.js", beside));
                const index = new Index(opened(await (await fetch(`/games/${slug}/rulings.json`)).text()));
                const told = ({ ruling, clear, equal }) => [ruling.id, clear, equal];
                return asked.map((each) => index.search(each, 3).map(told));
            }""",
            [slug, asked],
        )
        here = [
            [[each.ruling.id, each.clear, each.equal] for each in look_up.search(text, slug, 3)]
            for text in asked
        ]
        differ = [(text, a, b) for text, a, b in zip(asked, found, here, strict=True) if a != b]
        assert not differ, json.dumps(differ[:3])
