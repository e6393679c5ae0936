"""A room that is nothing but rules, drawn by everyone's templates: two phones and a table display."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from everyone import ALL, COLOURS, illegible, out_of_reach, ready, resize, violations
from playwright.sync_api import expect
from screen import SIZES, House, Screen, fits, says

from companion.core.pieces import Own, Piece

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
SHELF = Path(__file__).parents[1] / "sixth_room"
PICTURES = bool(os.environ.get("COMPANION_PICTURES"))  # draws those of CONTRIBUTING anew


@pytest.fixture(scope="module")
def house(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server with this room on its shelf."""
    env = {"COMPANION_SHELF": str(SHELF), "COMPANION_GALLERY": "yes"}
    house = House(tmp_path_factory.mktemp("house"), address, **env).start()
    yield house
    house.kill()


def sit(screen, game="lantern-lane"):
    ada, bob, tv = screen(theme="light"), screen(), screen("tv")
    ada.open("Ada", "Bob", game=game)
    bob.join(ada, 2)
    tv.join(ada, role="display")
    return ada, bob, tv


def sealed(screen: Screen, seat: int):
    return screen.at(f".p-sealed[data-seat='{seat}']")


def bid(screen: Screen, number: int) -> None:
    screen.press(screen.at(".private .p-tap").nth(number))


def test_a_round_of_sealed_bids_flips_on_all_screens_together(screen):
    ada, bob, tv = sit(screen)
    fits(ada, bob, tv)
    ada.press(ada.at(".tick").first)
    expect(bob.at(".tick").first).to_have_attribute("aria-checked", "true")
    bob.press(bob.button("Into the lane"))
    says("Round 1 of 4", ada, bob, tv)
    expect(ada.at("#private-1")).to_be_visible()
    expect(ada.at("#private-2")).to_be_hidden()
    expect(tv.at(".private")).to_have_count(0)

    bid(ada, 3)
    expect(ada.at("#private-1 [aria-pressed='true']")).to_have_text("3")
    for each in (ada, bob, tv):
        expect(sealed(each, 1)).to_contain_text("Ada has chosen")
        expect(sealed(each, 1)).to_contain_text("waits for Bob")
        expect(sealed(each, 2)).to_contain_text("Bob is choosing")
    expect(bob.at(".p-tap[aria-pressed='true']")).to_have_count(0)
    expect(tv.at(".p-tap")).to_have_count(0)
    fits(ada, bob, tv)
    ada.page.reload()
    ada.is_live()
    expect(ada.at("#private-1 [aria-pressed='true']")).to_have_text("3")

    bid(bob, 2)
    for each in (ada, bob, tv):
        expect(each.at("#seat-1")).to_contain_text("Lit, of 3 bid")
        expect(each.at("#seat-2")).to_contain_text("Lit, of 2 bid")
        expect(each.at(".p-sealed")).to_have_count(0)
        expect(each.at(".private:visible")).to_have_count(0)
    ada.press(ada.at("#lit-1 .p-tap").nth(3))
    expect(ada.at("#seat-1")).to_contain_text("leads")
    if PICTURES:
        ada.page.wait_for_timeout(400)
        ada.pictured("sixth-room")
    bob.press(bob.at("#lit-2 .p-tap").nth(4))
    expect(ada.at("#oil-2")).to_contain_text("4 of 6 oil")
    fits(ada, bob, tv)
    ada.press(ada.button("Settle, to round 2"))
    says("Round 2 of 4", ada, bob, tv)


def test_a_name_of_eleven_letters_is_whole_on_a_phone(screen):
    ada = screen().open("Ada", "Bartholomew", game="lantern-lane", look=False)
    ada.post(f"/s/{ada.code}/do/next_round", {"after": 0}, 201)
    ada.at_table()
    says("Round 1 of 4", ada)
    assert illegible(ada.page) == []


def test_its_sign_is_drawn_from_its_own_folder(screen):
    shelf = screen().go("/")
    box = shelf.at(".box", has_text="Lantern Lane").locator(".plate")
    assert "/lantern-lane/marks.svg#lantern" in box.inner_html()
    width, height = box.locator("use").evaluate("(use) => [use.getBBox().width, use.getBBox().height]")
    assert min(width, height) > 5, "the browser has found it there"


def test_everyone_chooses_a_number_with_the_apps_own_keypad(screen):
    ada, bob, tv = sit(screen, "any-game")
    ada.press(ada.button("Secret numbers"))
    ada.press(ada.button("Ask everyone"))
    ada.press(ada.at("#my-number-1"))
    expect(ada.at("#sheet [name=number]")).to_have_attribute("inputmode", "none")
    for key in "61":  # no clock and no code says that
        ada.press(ada.at(f"#sheet [data-digit='{key}']"))
    ada.press(ada.at("#sheet").get_by_role("button", name="Seal it"))
    expect(ada.at("#my-number-1")).to_contain_text("Your number: 61")
    for each in (bob, tv):
        expect(sealed(each, 1)).to_contain_text("Ada has chosen")
        assert "61" not in each.at("#page").inner_text()
    fits(ada, bob, tv)
    bob.press(bob.at("#my-number-2"))
    bob.press(bob.at("#sheet [data-digit='7']"))
    bob.press(bob.at("#sheet").get_by_role("button", name="Seal it"))
    for each in (ada, bob, tv):
        expect(each.at("#number-of-1 .p-figure")).to_have_text("61")
        expect(each.at("#number-of-2 .p-figure")).to_have_text("7")
        expect(each.at(".private:visible")).to_have_count(0)
    size = tv.at("#number-of-1 .p-figure").evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)")
    assert size >= 60, "it can be read from the other end of the room"
    fits(ada, bob, tv)
    bob.press(bob.button("Put away"))
    expect(ada.at("#numbers")).to_have_count(0)


def test_every_piece_is_in_the_gallery_for_everyone_at_every_size(screen):
    gallery = screen("tablet").go("/gallery")
    if PICTURES:
        gallery.page.set_viewport_size({"width": 1280, "height": 900})
        gallery.pictured("pieces", whole=True)
    shown = ", ".join(gallery.at("h2").all_inner_texts()).split(", ")
    kinds = [each.__name__ for each in Piece.__subclasses__() if each is not Own]
    assert [kind for kind in [*kinds, "Form", "Sheet"] if kind not in shown] == []
    ready(gallery.page)
    for size, theme in product(SIZES, ("dark", "light")):
        resize(gallery.page, size)
        all = theme == "dark" and size in ("narrow", "tv")  # what is there on either; else it is the same
        gallery.page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        found = [*violations(gallery.page, theme, ALL if all else COLOURS), *illegible(gallery.page)]
        assert not found, "\n".join([f"{size}, {theme}:", *found])
    assert "scrolls sideways" not in out_of_reach(gallery.page)
    gallery.press(gallery.button("What lies in the tray"))
    expect(gallery.at("#tray")).to_be_visible()
    gallery.page.keyboard.press("Escape")
    for opens, over in (
        (gallery.button("The same over the page"), "#over"),
        (gallery.at("#count-n"), "#keypad"),
    ):
        gallery.press(opens)
        expect(gallery.at(over)).to_be_visible()
        assert not violations(gallery.page, "", ALL)
        gallery.page.keyboard.press("Escape")
