"""The end of the evening on real phones: it comes up, is told, is played again, is forgotten."""

from __future__ import annotations

import base64
import io
import json
import re
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from at_the_table import companion
from conftest import NewScreen
from full_games import AT_ONCE, FULL, TOKENS, Played, full_game, sudden_end
from PIL import Image
from playwright.sync_api import expect
from screen import House, Screen, boxes

from companion.sittings.sitting import ALPHABET

pytestmark = pytest.mark.browser

MOST_SEATS = max(FULL, key=lambda slug: FULL[slug][0])


def test_the_end_of_an_evening(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob", "Cleo")
    bob = screen(theme="light").join(ada, 2)
    tv = screen("tv").join(ada, role="display", look=False)
    ada.plus(1, 3)
    ada.all_sent()
    ada.press(ada.button("Next round"))
    expect(bob.at("#phase h2")).to_have_text("Round 2")
    bob.plus(2, 5)
    bob.all_sent()

    # asked at any time, from the page or from the tools
    bob.press(bob.at("#standing").get_by_role("button", name="If we ended now"))
    expect(bob.at("#sheet")).to_contain_text("If we ended now, Bob would win with 5 Points.")
    bob.press("#sheet .sheet-close")
    ada.plus(1, 3)
    expect(bob.number(1)).to_have_text("6")
    bob.press(bob.button("Tools"))
    bob.press(bob.at("#tools").get_by_role("button", name="If we ended now"))
    expect(bob.at("#sheet")).to_contain_text("If we ended now, Ada would win with 6 Points.")
    expect(bob.at("#sheet .working")).to_contain_text("Bob: 0 + 5 = 5")
    expect(bob.at("#tools")).to_be_hidden()
    bob.press("#sheet .sheet-close")

    # the end comes up by itself, also on a phone that looks at something else, with undo beside it
    tv.at_table("/display")
    bob.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    ada.all_sent()
    ada.press(ada.button("End game"))
    ada.press("#confirm [data-yes]")
    for each in (ada, bob, tv):
        expect(each.at("#verdict h2")).to_have_text("Ada wins with 6 Points.")
        expect(each.at("#verdict h2")).to_be_in_viewport()
    bob.press(bob.at("#verdict").get_by_role("button", name=re.compile("A slip")))
    for each in (ada, bob, tv):
        expect(each.at("#verdict")).to_be_hidden()
    ada.press(ada.button("End game"))
    ada.press("#confirm [data-yes]")
    expect(bob.at("#verdict h2")).to_be_in_viewport()

    # somebody says that this was it
    bob.press(bob.button("End the evening"))
    bob.press("#confirm [data-yes]")
    expect(tv.at("#ending")).to_contain_text("The evening has ended.")
    expect(tv.at("#verdict h2 b")).to_have_text("Ada wins")
    tv.fits()

    # the recap opens on every phone
    for each in (ada, bob):
        each.page.wait_for_url("**/recap")
    bob.is_live().fits()
    expect(bob.at("#recap h2")).to_have_text("Ada wins with 6 Points.")
    expect(bob.at("#recap .recap-place bdi")).to_have_text(["Ada", "Bob", "Cleo"])
    expect(bob.at("#recap .recap-chart")).to_have_attribute(
        "aria-label", "Points by round. Ada: 0, 3, 6. Bob: 0, 0, 5. Cleo: 0, 0, 0."
    )
    expect(bob.at("#recap .recap-chart .serie-1 .line")).to_have_css(
        "stroke", "rgb(19, 98, 159)"
    )  # --sky, on light
    expect(bob.at("time[data-day]")).to_have_text(re.compile(r"\d{4}"))

    # a text to paste, without https
    bob.press("#recap-text summary")
    bob.press("[data-copy]")
    expect(bob.at("[data-copy]")).to_have_text("Copied")
    expect(bob.at("[data-share]")).to_be_hidden()  # no browser shares from plain http
    assert bob.page.evaluate("() => getSelection().toString()").startswith("Any game, ")

    # a picture to send, drawn here
    bob.press("#recap-picture summary")
    bob.page.wait_for_function("() => document.querySelector('#recap-picture img').naturalHeight === 1350")
    drawn = base64.b64decode(bob.at("#recap-picture img").get_attribute("src").partition(",")[2])
    colours = {colour for _, colour in Image.open(io.BytesIO(drawn)).convert("RGB").getcolors(1_000_000)}
    assert {(179, 50, 29), (19, 98, 159), (57, 112, 31)} <= colours, "coral, sky and moss, as on light"
    assert bob.at("#recap-picture a").get_attribute("href").startswith("data:image/png")
    bob.press("#recap-picture summary")

    # BG Stats: what a camera sees is the play
    bob.press(bob.button("BG Stats"))
    expect(bob.at("#sheet .qr svg")).to_be_visible()
    bob.page.set_viewport_size({"width": 820, "height": 1180})
    seen = bob.scanned()
    assert seen == bob.at("#sheet .bgstats a").get_attribute("href")
    play = json.loads(parse_qs(urlsplit(seen).query)["data"][0])
    assert [(each["name"], each["score"], each["winner"]) for each in play["players"]] == [
        ("Ada", 6, True),
        ("Bob", 5, False),
        ("Cleo", 0, False),
    ]
    bob.page.set_viewport_size({"width": 360, "height": 740})
    bob.press("#sheet .sheet-close")

    # who was not there gets it as a file, and picks that with a finger
    with bob.page.expect_download() as saving:
        bob.press(bob.page.get_by_role("link", name="Journal (JSON)"))
    dov = screen("narrow").go("/history")
    with dov.page.expect_file_chooser() as picking:
        dov.press("#journal")
    picking.value.set_files(saving.value.path())
    dov.press(dov.button("Bring it here"))
    dov.page.wait_for_url("**/recap")
    expect(dov.at("#recap h2")).to_have_text("Ada wins with 6 Points.")

    # once more: every phone goes along, and so does the display
    bob.press(bob.button("Play again"))
    for each in (bob, ada, tv):
        each.page.wait_for_url(lambda url: ada.code not in url)
        each.is_live().shows(1, 0)
    assert ada.page.url == bob.page.url
    assert tv.page.url == f"{bob.page.url}/display"
    expect(ada.at(".seat[data-yours] h3")).to_have_text("Ada")

    # the history knows the first evening
    ada.go("/history").fits()
    expect(ada.at(".tables a", has_text="Ada wins with 6 Points.")).to_be_visible()


def test_a_forgotten_table_says_so_on_every_phone(screen: NewScreen) -> None:
    ada = screen().open("Ada", "Bob")
    bob = screen().join(ada, 2).expects("404")
    bob.plus(2)
    ada.at_table("/recap")
    expect(bob.at("#standing")).to_be_attached()
    ada.press(ada.at("summary", has_text="Forget this table"))
    ada.press(ada.at("[name=sure]"))
    ada.press(ada.button("Forget it for good"))
    ada.page.wait_for_url(f"{ada.url}/")
    expect(bob.at(".toast")).to_contain_text("This table has been deleted.")
    bob.press(bob.at(".toast button"))
    bob.page.wait_for_url(f"{bob.url}/")
    expect(bob.at(".tables a")).to_have_count(0)
    bob.go(f"/s/{bob.code}/recap")
    expect(bob.at(".sentence")).to_contain_text("its host has deleted it")


def at_the_last_tap(house: House, evening: Played, *screens: Screen, away: int = 0) -> Callable[[], None]:
    """The phones of this evening sit before the tap that decides it; gives that tap, by the first phone.

    So many of the first are away: they tap, and nothing is drawn for them.
    """
    code = "".join(secrets.choice(ALPHABET) for _ in range(6))
    brought = companion(house.folder, "import", "-", said=evening.as_journal(code, without=1))
    assert f"is back at table {code}" in brought.stdout, brought.stderr
    for screen, token in zip(screens, TOKENS, strict=False):
        screen.context.add_cookies([{"name": "phone", "value": token, "url": house.url}])
        screen.code = code
    for screen, token in list(zip(screens, TOKENS, strict=False))[away:]:
        screen.at_table("/display" if token == TOKENS[-1] else "")
        expect(screen.at("#verdict")).to_be_hidden()
    command, given = evening.taps[-1]

    def tap() -> None:
        screens[0].post(f"/s/{code}/do/{command}", {**given}, status=201)

    return tap


@pytest.mark.parametrize("slug", FULL)
def test_the_end_of_every_room_comes_up_on_every_phone_with_undo_beside_it_and_is_told(
    screen: NewScreen, house: House, slug: str
) -> None:
    evening = full_game(slug)
    ada, *looking = (screen(), screen(theme="light" if len(slug) % 2 else "dark"), screen("tv"))
    bob, tv = looking
    bob.on_every_page("navigator.share = async (said) => { window.said = said.text; };")
    tap = at_the_last_tap(house, evening, ada, *looking, away=1)
    bob.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    bob.press(bob.button("Tools"))
    bob.press(bob.at("#tools").get_by_role("button", name="If we ended now"))
    expect(bob.at("#sheet h2")).to_have_text("If we ended now")
    expect(bob.at("#sheet .recap-summary")).not_to_be_empty()
    tap()
    expect(bob.at("#verdict h2")).to_be_attached()
    bob.press("#sheet .sheet-close")  # what is being read is not taken away
    for each in looking:
        expect(each.at("#verdict h2")).to_have_text(evening.verdict.summary)
        expect(each.at("#verdict h2")).to_be_in_viewport()
        each.fits()
    expect(tv.at("#verdict [data-do]")).to_be_hidden()
    place, corner = boxes(tv.at("#verdict .recap-place").last, tv.at(".corner"))
    assert place["right"] <= corner["left"], "the code lies over nobody's score"
    bob.press(bob.at("#verdict").get_by_role("button", name=re.compile("A slip")))
    for each in looking:
        expect(each.at("#verdict")).to_be_hidden()
    tap()
    expect(tv.at("#verdict h2")).to_be_visible()
    is_told(bob, evening)


def test_an_end_that_comes_all_at_once_comes_up_too(screen: NewScreen, house: House) -> None:
    """The one that is told at greatest length; what is said of the others, test_full_evenings asks."""
    evening, ada = max(map(sudden_end, AT_ONCE), key=lambda each: len(each.verdict.summary)), screen()
    tap = at_the_last_tap(house, evening, ada)
    tap()
    expect(ada.at("#verdict h2")).to_have_text(evening.verdict.summary)
    expect(ada.at("#verdict h2")).to_be_in_viewport()
    ada.fits()
    ada.press(ada.at("#verdict").get_by_role("button", name=re.compile("A slip")))
    expect(ada.at("#verdict")).to_be_hidden()


def is_told(bob: Screen, evening: Played) -> None:
    """By the recap. A room brings styles of its own; here they must not get in the way."""
    bob.at_table("/recap").fits()
    expect(bob.at(".recap-head h2")).to_have_text(evening.verdict.summary)
    expect(bob.at(".recap-game")).to_contain_text(evening.journal.game.title)
    head, *places = boxes(bob.at(".recap-head"), bob.at(".recap-place"))
    assert len(places) == FULL[evening.slug][0]
    assert all(box["width"] > 300 and box["height"] >= 60 for box in places)
    assert all(box["top"] >= head["bottom"] for box in places)
    for fold in bob.at("#recap summary").all():
        bob.press(fold)
    bob.fits()
    together = evening.journal.game.scores(evening.state).together
    second = [*together][1] if together else "Bartholomew the Unready"
    expect(bob.at(".recap-scores .sheet th bdi").nth(1)).to_have_text(second)
    ground = bob.page.evaluate(
        "() => getComputedStyle(document.querySelector('.recap-scores')).backgroundColor"
    )
    for line in bob.at(".recap-chart .series .line").all():
        expect(line).not_to_have_css("stroke", ground)
    bob.press(bob.button("Share"))
    assert bob.page.evaluate("() => window.said").startswith(f"{evening.journal.game.title}, ")
    bob.press(bob.button("BG Stats"))
    expect(bob.at("#sheet .qr svg")).to_be_visible()
    link = bob.at("#sheet .bgstats a").get_attribute("href") or ""
    if evening.slug == MOST_SEATS:  # the densest code of all; the others are drawn by the same hand
        bob.page.set_viewport_size({"width": 820, "height": 1180})
        assert bob.scanned() == link
    play = json.loads(parse_qs(urlsplit(link).query)["data"][0])
    winners = {evening.table.seat(id).name for id in evening.verdict.winners}
    assert {player["name"] for player in play["players"] if player["winner"]} == winners
