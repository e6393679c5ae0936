"""Every place where a person can stand, for checks that must hold in all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from conftest import NewScreen
from playwright.sync_api import expect
from screen import Screen

CAST = ("Ada", "Bartholomew the Unready", "Cleo", "Dov", "Ēriks Bērziņš 🦑", "Wwwwwwwwwwwwwwwwwwwwwwww")


class Party:
    """One table in the middle of its second round, and who looks at it: each comes when first asked for."""

    def __init__(self, screen: NewScreen) -> None:
        self._screen = screen

    @cached_property
    def host(self) -> Screen:
        host = self._screen().expects("422", "404").open(*CAST)
        host.plus(1, 2)
        host.plus(3)
        host.all_sent()
        host.press(host.button("Next round"))
        expect(host.at("#phase h2")).to_have_text("Round 2")
        host.open_keypad(3)
        host.keys("1234")
        host.press("#keypad [data-add]")
        host.minus(2)
        host.all_sent()
        host.press(".undo-button[data-yours]")
        host.all_sent()
        return host

    @cached_property
    def guest(self) -> Screen:
        return self._screen().join(self.host, 2)

    @cached_property
    def watcher(self) -> Screen:
        return self._screen().join(self.host)

    @cached_property
    def display(self) -> Screen:
        return self._screen().join(self.host, role="display")

    @cached_property
    def stranger(self) -> Screen:
        return self._screen()

    @cached_property
    def asker(self) -> Screen:
        asker = self._screen()
        asker.code, asker.link = self.host.code, self.host.link
        asker.go(f"/j/{asker.code}").at("[name=label]").fill("Sam")
        asker.press(asker.button("Ask to join"))
        expect(asker.at("#waiting")).to_be_visible()
        return asker

    def other_table(self, *names: str, counters: tuple[str, ...] = ()) -> Screen:
        """The stranger's own, of another size, before anybody looks at it."""
        screen = self.stranger.open(*names, look=False)
        for name in counters:
            send(screen, "add_counter", name=name)
        return screen


def send(screen: Screen, command: str, **given: object) -> None:
    """What other tests press with a finger."""
    screen.post(f"/s/{screen.code}/do/{command}", given, 201)


def home(party: Party) -> Screen:
    party.stranger.context.clear_cookies()
    return party.stranger.go()


def home_with_tables(party: Party) -> Screen:
    return party.host.go()


def players_form(party: Party) -> Screen:
    party.stranger.context.clear_cookies()
    return party.stranger.go("/open/any-game")


def players_form_refused(party: Party) -> Screen:
    screen = party.host.go("/open/any-game")
    screen.page.evaluate("() => { document.querySelectorAll('#players [name=name]')[1].value = 'Ada'; }")
    screen.press(screen.button("Open the table"))
    expect(screen.at(".sentence")).to_be_visible()
    return screen


def sentence(party: Party) -> Screen:
    return party.host.go("/nowhere")


def door_by_qr(party: Party) -> Screen:
    party.stranger.context.clear_cookies()
    return party.stranger.go(party.host.link)


def door_by_code(party: Party) -> Screen:
    party.stranger.context.clear_cookies()
    return party.stranger.go(f"/j/{party.host.code}")


def waiting(party: Party) -> Screen:
    return party.asker.go(f"/s/{party.asker.code}/waiting")


def seat(party: Party) -> Screen:
    return party.guest.go(f"/s/{party.host.code}/seat")


def people_as_host(party: Party) -> Screen:
    return party.host.at_table("/people")


def people_as_guest(party: Party) -> Screen:
    return party.guest.at_table("/people")


def chair_sheet(party: Party) -> Screen:
    screen = party.host.at_table("/people")
    screen.press(screen.button("Change Cleo"))
    expect(screen.at("#sheet")).to_be_visible()
    return screen


def table_as_host(party: Party) -> Screen:
    assert party.asker
    screen = party.host.at_table()
    expect(screen.at("#asking")).to_contain_text("Sam asks to join")
    return screen


def table_as_player(party: Party) -> Screen:
    return party.guest.at_table()


def table_as_watcher(party: Party) -> Screen:
    return party.watcher.at_table()


def table_with_two_seats(party: Party) -> Screen:
    return party.other_table("Ada", "Bob").at_table()


def table_with_four_counters(party: Party) -> Screen:
    counters = ("Gold", "Provisions of the crew", "Luck")
    return party.other_table("Ada", "Bob", "Cleo", counters=counters).at_table()


def guests_table(party: Party) -> Screen:
    """As it lies there: what was opened over it is put away, and nothing is loaded for that."""
    guest = party.guest
    if guest.page.url != f"{guest.url}/s/{guest.code}":
        return guest.at_table()
    for _ in range(guest.at("dialog[open], [popover]:popover-open:not(#toasts)").count()):
        guest.page.keyboard.press("Escape")
    expect(guest.at("dialog[open], [popover]:popover-open:not(#toasts)")).to_have_count(0)
    return guest


def open_log(party: Party) -> Screen:
    screen = guests_table(party)
    screen.open_log()
    return screen


def whole_log(party: Party) -> Screen:
    return party.guest.at_table("/log")


def open_keypad(party: Party) -> Screen:
    screen = guests_table(party)
    screen.open_keypad(2)
    screen.keys("3+6")
    return screen


def correction_sheet(party: Party) -> Screen:
    screen = guests_table(party)
    screen.press(screen.at(".cell").first)
    expect(screen.at("#sheet")).to_be_visible()
    return screen


def correction_refused(party: Party) -> Screen:
    screen = correction_sheet(party).expects("422")
    screen.press(screen.button("Correct it"))
    expect(screen.at("#sheet .sentence")).to_be_visible()
    return screen


def question(party: Party) -> Screen:
    screen = guests_table(party)
    screen.press(screen.button("End game"))
    expect(screen.at("#confirm")).to_be_visible()
    return screen


def short_words(party: Party) -> Screen:
    screen = party.other_table("Ada", "Bob").at_table()
    screen.plus(1)
    screen.all_sent()
    screen.press(".undo-button[data-yours]")
    expect(screen.at(".toast")).to_be_visible()
    return screen


def verdict(party: Party) -> Screen:
    screen = decided(party, "Ada", "Bob", "Cleo").at_table()
    expect(screen.at("#verdict")).to_be_visible()
    return screen


def decided(party: Party, *names: str) -> Screen:
    screen = party.other_table(*names)
    send(screen, "count", seat=2, counter="1", by=1, round=1)
    send(screen, "end_game")
    return screen


def display(party: Party) -> Screen:
    return party.display.at_table("/display")


def display_with_verdict(party: Party) -> Screen:
    return decided(party, "Ada", "Bob", "Cleo").at_table("/display")


def display_of(seats: int, *counters: str) -> Callable[[Party], Screen]:
    def place(party: Party) -> Screen:
        names = [f"{n} {CAST[n % 6]}"[:24] for n in range(1, seats + 1)]
        return party.other_table(*names, counters=counters).at_table("/display")

    place.__name__ = f"display_of_{seats}" + ("_with_counters" if counters else "")
    return place


def if_we_ended_now(party: Party) -> Screen:
    screen = guests_table(party)
    screen.press(screen.at("#standing").get_by_role("button", name="If we ended now"))
    expect(screen.at("#sheet .working")).to_be_visible()
    return screen


def recap(party: Party) -> Screen:
    """Every fold of it open."""
    screen = party.host.at_table("/recap")
    for fold in screen.at("#page summary").all():
        screen.press(fold)
    return screen


def recap_of_a_tie(party: Party) -> Screen:
    """Names stand in its headline, and one of them is a single long word."""
    screen = party.other_table("Ada", CAST[-1]).at_table("/recap")
    expect(screen.at(".recap-facts")).to_contain_text("1 tap")
    expect(screen.at(".recap-facts")).not_to_contain_text("taps")
    return screen


def to_bg_stats(party: Party) -> Screen:
    screen = party.guest.at_table("/recap")
    screen.press(screen.button("BG Stats"))
    expect(screen.at("#sheet .qr, #sheet .hint").first).to_be_visible()
    return screen


def evening_over(party: Party) -> Screen:
    """A short one of two that has ended."""
    screen = over(party).at_table()
    expect(screen.at("#ending")).to_be_visible()
    return screen


def over(party: Party) -> Screen:
    screen = decided(party, "Ada", "Bartholomew the Unready")
    send(screen, "end_sitting")
    return screen


def history(party: Party) -> Screen:
    return over(party).go("/history")


def history_of_a_game(party: Party) -> Screen:
    over(party)
    return over(party).go("/history/any-game")


Place = Callable[[Party], Screen]
PLACES: dict[str, list[Place]] = {
    "before the table": [
        home,
        home_with_tables,
        players_form,
        players_form_refused,
        sentence,
        door_by_qr,
        door_by_code,
        waiting,
    ],
    "people": [seat, people_as_host, people_as_guest, chair_sheet],
    "the table": [
        table_as_host,
        table_as_player,
        table_as_watcher,
        table_with_two_seats,
        table_with_four_counters,
    ],
    "sheets over it": [
        open_log,
        open_keypad,
        correction_sheet,
        correction_refused,
        question,
        if_we_ended_now,
        whole_log,
        short_words,
    ],
    "after the game": [
        verdict,
        recap,
        recap_of_a_tie,
        to_bg_stats,
        evening_over,
        history,
        history_of_a_game,
    ],
    "displays": [display, display_with_verdict, display_of(8, "Gold", "Luck")],
}

#: The page, or the sheet, of a place before, with a little more or less on it: that was seen at larger sizes.
ALIKE: set[Place] = {
    home_with_tables,
    players_form_refused,
    door_by_code,
    people_as_guest,
    table_as_player,
    table_as_watcher,
    table_with_two_seats,
    correction_refused,
    short_words,
    if_we_ended_now,
    recap_of_a_tie,
    history_of_a_game,
}

#: Fewer of what the fullest display shows: only its sizes can be wrong.
LESS_FULL: list[Place] = [
    display_of(1),
    display_of(2),
    display_of(5),
    display_of(8),
    display_of(3, "Gold", "Provisions of the crew"),
]
