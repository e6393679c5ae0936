"""Nobody has played before: three phones teach each game, from the closed box to its verdict."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from at_the_table import companion
from everyone import IN_THE_HAND, findings
from full_games import FULL, GAMES, TOKENS, Pupils, first_game, full_game
from playwright.sync_api import expect
from screen import HastyHouse, House, Screen

from companion.core.pieces import Do, inside
from companion.sittings.sitting import ALPHABET
from companion.tools.teaching import taught

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
NAMES = ("Ada", "Bartholomew the Unready", "Zoë", "Dov & Söhne 名前", "Eve")
SILENT = "mountains-of-madness"
EVERYONES = {*GAMES["any-game"].by_name} & {*GAMES[SILENT].by_name}  # what every table has

#: Reads each card as it comes, looks whether it lies over anything, and puts it away as a thumb would.
PUPIL = """window.learnt = []; window.covered = []; window.shifts = [];
new PerformanceObserver((list) => {
    for (const {hadRecentInput, value, sources} of list.getEntries())
        if (!hadRecentInput) shifts.push([value, ...sources.map(({node}) => node?.id || node?.className)]);
}).observe({type: "layout-shift", buffered: true});
addEventListener("DOMContentLoaded", () => {
    const lies = (card, each) => {
        const {left, top, width, height} = each.getBoundingClientRect();
        return card.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    const read = () => {
        const card = document.querySelector("#lesson > [data-yours]");
        const away = card?.querySelector("[aria-label='Got it']");
        const id = away && JSON.parse(away.dataset.args).lesson;
        if (!id || learnt.includes(id) || !window.diligent) return;
        learnt.push(id);
        for (const each of document.querySelectorAll("button, summary, a[href]"))
            if (!card.contains(each) && each.checkVisibility() && lies(card, each)) covered.push(each.id);
        away.click();
    };
    document.addEventListener("htmx:after:swap", read);
    window.begin = () => { window.diligent = true; read(); };
});"""
FIND = """([command, given]) => [...document.querySelectorAll(`[data-do$="/do/${command}"]`)].find((each) => {
    const known = JSON.parse(each.dataset.args || "{}");
    return Object.entries(known).every(([name, value]) => String(given[name]) === String(value))
        && (each.dataset.label || Object.keys(given).every((name) => name in known));
})"""


def sit_down(screen: Any, slug: str) -> list[Screen]:
    """From the closed box: Ada opens the table by hand, and says that not everyone has played before."""
    players = FULL[slug][0]
    ada, *others = (screen(), screen(theme="light"), screen("narrow"))
    for each in (ada, *others):
        each.on_every_page(PUPIL)
    ada.go(f"/open/{slug}")
    for name in NAMES[:players]:
        ada.page.fill("#one-more", name)
        ada.press("#add")
    ada.press(ada.at("#played .tile", has_text="No, teach us"))
    if GAMES[slug].starts:
        ada.press(ada.at("#starters .chip", has_text="Ada"))
    ada.press(ada.button("Open the table"))
    ada.page.wait_for_url("**/people")
    ada.code = ada.page.url.split("/")[-2]
    ada.link = "/" + ada.at(".link a").get_attribute("href").split("/", 3)[3]
    ada.at_table()
    for seats, each in zip(((2,), range(3, players + 1)), others, strict=True):
        each.join(ada, *seats)
    return [ada, *others]


def until_one_round(slug: str) -> Iterator[tuple[str, dict[str, object], bool]]:
    """The taps of the whole game until the phones say that this was one round; and whether sand runs.

    Each of them is one that the phones offer just then.
    """
    (one,) = [each.id for each in GAMES[slug].lessons.book.lesson if each.round]
    walk = Pupils(slug, FULL[slug][0])
    walk.do("teach_everyone", on="yes")
    for command, given in full_game(slug).taps:
        given = {**given}
        phone = given.pop("phone", 1)
        sand = walk.view.phase.key in GAMES[slug].lessons.book.quiet
        walk.now += 60_000 if sand else 0
        assert offered(walk, command, given), f"nothing on a phone says {command} {given}"
        yield command, given, sand
        walk.do(command, phone, **given)
        if one in taught(walk.table).met or one in [each.id for each in walk.due]:
            return


def offered(table: Pupils, command: str, given: dict[str, object]) -> bool:
    """By a button or a form of the room, or by the tools that every table has."""
    game, state = table.journal.game, table.state
    own = [game.private(state, seat) for seat in table.table.ids] if game.private else []
    taps = [*table.view.taps(), *((each, ()) for each in inside(tuple(own)) if isinstance(each, Do))]
    here = any(
        do.command == command
        and all(str(given.get(name, do.args[name])) == str(do.args[name]) for name in said)
        for do, _ in taps
        for said in [do.args.keys() - {"card"}]  # which of all that a box may hold
    )
    return here or command in EVERYONES


def tap(phones: list[Screen], command: str, given: dict[str, object]) -> None:
    """On the phone that it is for: what stands there is pressed, what is asked in a form is sent."""
    seat = given.get("seat")
    phone = phones[0 if seat in (None, 1) else 1 if seat == 2 else 2]
    found = phone.page.evaluate_handle(FIND, [command, given]).as_element()
    if found is None or "by" in given:
        phone.post(f"/s/{phone.code}/do/{command}", given, status=201)
        return
    with phone.page.expect_response(lambda answer: f"/do/{command}" in answer.url) as sent:
        found.evaluate("(each) => { delete each.dataset.confirm; each.click(); }")
    assert sent.value.status == 201, (command, given, sent.value.text())


def seen(phone: Screen) -> list[str]:
    return phone.page.evaluate("() => window.learnt")


def one_round(screen: Any, slug: str, house: House | HastyHouse) -> None:
    phones = sit_down(screen, slug)
    game = GAMES[slug]
    for each in phones:
        expect(each.at("#lesson > [data-yours] h2")).to_contain_text("in thirty seconds")
        each.fits()
    moved = phones[-1].page.evaluate("() => window.shifts")
    by_lessons = [each for each in moved if "undo-words" not in each]  # which tell of the last tap
    assert by_lessons == [], "who comes last finds all in its place"
    if game.lessons.book.thing:
        expect(phones[0].at("#table-plan svg")).to_be_attached()
    for each in phones:
        each.page.evaluate("() => window.begin()")
    for command, given, sand in until_one_round(slug):
        if sand:
            for each in phones:
                expect(each.at("#lesson > *")).to_have_count(0)
            house.put_forward(31, *phones)
        tap(phones, command, given)
    (one,) = [each for each in game.lessons.book.lesson if each.round]
    for each in phones:
        each.page.wait_for_function("(id) => learnt.some((each) => each.startsWith(id))", arg=one.id)
        expect(each.at("#lesson > *")).to_have_count(0)
        assert each.page.evaluate("() => window.covered") == []
        assert seen(each)[0] == "thirty"
        each.fits()
    for lesson in game.lessons.book.lesson:
        if "setup" in lesson.when:
            assert lesson.id in seen(phones[0])


def the_end(screen: Any, slug: str, house: House) -> None:
    """The same game before its last tap, at a table that was taught: the verdict, and what was left out."""
    evening = first_game(slug)
    command, given = evening.game_taps[-1]
    last = max(entry.version for entry in evening.journal.entries if entry.command == command)
    code = "".join(secrets.choice(ALPHABET) for _ in range(6))
    text = evening.as_journal(code, without=evening.journal.version - last + 1)
    brought = companion(house.folder, "import", "-", said=text)
    assert f"is back at table {code}" in brought.stdout, brought.stderr
    ada = screen()
    ada.context.add_cookies([{"name": "phone", "value": TOKENS[0], "url": house.url}])
    ada.code = code
    ada.at_table()
    ada.post(f"/s/{code}/do/{command}", {**given}, status=201)
    expect(ada.at("#verdict h2")).to_have_text(evening.verdict.summary)
    while ada.at("#lesson > [data-yours]").count():
        words = ada.at("#lesson > [data-yours]").inner_text()
        if "What we left out" in words:
            break
        card = ada.at("#lesson > [data-yours] [aria-label='Got it']").get_attribute("data-args")
        ada.press("#lesson > [data-yours] [aria-label='Got it']")
        expect(ada.at(f"#lesson > [data-yours] [data-args='{card}']")).to_have_count(0)
    rest = [each for each in GAMES[slug].lessons.book.lesson if each.id not in taught(evening.table).met]
    assert bool(ada.at("#lesson > [data-yours]").count()) == bool(rest and evening.view.phase.final)


@pytest.mark.parametrize("slug", [slug for slug in FULL if slug != SILENT])
def test_three_phones_teach_a_game_that_nobody_has_played(screen: Any, house: House, slug: str) -> None:
    one_round(screen, slug, house)
    the_end(screen, slug, house)


def test_the_mountains_are_taught_without_a_word_while_the_sand_runs(
    hasty_screen: Any, hasty_house: HastyHouse
) -> None:
    one_round(hasty_screen, SILENT, hasty_house)
    the_end(hasty_screen, SILENT, hasty_house)


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
    assert not ada.page.evaluate("() => speechSynthesis.speaking")


def test_each_phone_switches_its_lessons_off_and_on_and_reads_them_again(screen: Any) -> None:
    ada = screen().open("Ada", "Bob", game="tides-of-madness", first=True)
    assert findings(ada.page, IN_THE_HAND) == []  # the card, the words of the set-up and the plan
    ada.press("#lesson > [data-yours] [aria-label='Got it']")
    expect(ada.at("#lesson > [data-yours] h2")).to_have_text("Read your five cards")
    ada.press(ada.button("Tools"))
    ada.press(ada.button("Lessons"))
    expect(ada.at("#sheet h2")).to_have_text("How to play")
    assert findings(ada.page, IN_THE_HAND) == []
    ada.press(ada.at("#sheet [role=switch]"))
    expect(ada.at("#lesson > *")).to_have_count(0)
    ada.press(ada.button("Tools"))
    ada.press(ada.button("Lessons"))
    ada.press(ada.at("#lesson-again-draft summary"))
    expect(ada.at("#lesson-again-draft svg")).to_be_visible()
    ada.press(ada.at("#sheet [role=switch]"))
    expect(ada.at("#lesson > [data-yours] h2")).to_have_text("Read your five cards")


def test_opening_a_table_that_knows_the_game_takes_no_tap_more(screen: Any) -> None:
    """The question is answered already; two taps open the next table, as ever."""
    ada = screen().open("Ada", "Bob", game="tides-of-madness", look=False)
    ada.go()
    for what in (ada.at("a.box", has_text="Tides of Madness"), ada.button("Open the table")):
        ada.press(what)
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
