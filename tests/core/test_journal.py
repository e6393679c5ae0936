"""A sitting's events, only ever appended: taking back, putting back, and what they add up to."""

import json
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import get_args
from weakref import ref

import pytest
from at_the_table import Evening
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion import core
from companion.core import (
    Context,
    Counter,
    Do,
    Event,
    Game,
    Journal,
    Phase,
    Refused,
    SeatId,
    SeatView,
    Table,
    Verdict,
    View,
    folding,
)
from companion.core.event import Earlier, Unreadable, dump, load, spell
from companion.core.journal import CHECKPOINT, FAR, Entry, TakenBack
from companion.games import shelf
from companion.tools import equip

GAMES = shelf()


# --- a tiny game, in which one blow can end everything ---


class Wounded(Event):
    seat: int

    def log_text(self, state):
        return f"−1 health, {state.health[self.seat]} left"


class Died(Event):
    seat: int

    def log_text(self, state):
        return "died"


class CastleFell(Event):
    def log_text(self, state):
        return "the castle has won"


@dataclass(frozen=True)
class Castle(core.State):
    health: dict[int, int]
    fallen: bool = False


def wound(state: Castle, context: Context, seat: SeatId) -> Iterator[Event]:
    if state.fallen:
        raise Refused("The castle has won already.")
    yield Wounded(seat)
    if state.health[seat] == 1:
        yield Died(seat)
        yield CastleFell()


def evolve(state: Castle, event: Event) -> Castle:
    match event:
        case Wounded(seat):
            if state.fallen:
                raise Refused("Nobody is hurt in a castle that has won.")
            return replace(state, health={**state.health, seat: state.health[seat] - 1})
        case CastleFell():
            return replace(state, fallen=True)
    return state


def show(state: Castle, seat: int | None) -> View:
    hearts = [
        (each, Counter(f"health-{each.id}", "Health", state.health[each.id], Do("wound", {"seat": each.id})))
        for each in state.table.seats
    ]
    return View(Phase("Castle"), tuple(SeatView(each, (heart,)) for each, heart in hearts))


TINY = equip(
    Game(
        title="Tiny castle",
        seats=range(1, 5),
        setup=lambda table: Castle(table, {seat.id: 2 for seat in table.seats}),
        evolve=evolve,
        view=show,
        adjudicate=lambda state: Verdict("loss" if state.fallen else "continues", "So it is."),
        commands=(wound,),
        events=(Wounded, Died, CastleFell),
    )
)


@pytest.fixture
def castle():
    return Evening(TINY, "Ada", "Bob")


@pytest.fixture
def cards(sit_down):
    return sit_down("any-game", "Ada", "Bob", "Cleo")


def point(evening, seat="Ada", by=1, phone=1):
    return evening.do("count", phone=phone, seat=seat, counter="1", by=by, round=1)


def totals(evening):
    return [each.counters[0].value for each in evening.view.seats]


def texts(evening):
    return [line.text for line in evening.log]


# --- one tap, one chain ---


class Found(Event):
    cards: int
    hurt: int
    lucky: bool = False
    says = "{cards:card}, {hurt:Injury/Injuries} and {cards:02d} ({lucky}); {state.starter} starts"


class Lost(Found):
    says = "{hurt:±} {lucky:in luck|out of luck}, {left} to go"

    def left(self, table):
        return table.starter - self.cards


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found(1, 2), "1 card, 2 Injuries and 01 (False); 7 starts"),
        (Found(0, 1, True), "0 cards, 1 Injury and 00 (True); 7 starts"),
        (Lost(3, 2, True), "+2 in luck, 4 to go"),
        (Lost(3, -2), "−2 out of luck, 4 to go"),
    ],
)
def test_an_event_says_in_a_sentence_how_many_there_are_and_what_the_table_is_like(found, said):
    assert found.log_text(Table((), 7)) == said


def test_one_tap_may_cause_a_chain_and_the_log_tells_it_in_one_line(castle):
    castle.do("wound", seat="Ada")
    fatal = castle.do("wound", seat="Ada")
    assert fatal.events == (Wounded(1), Died(1), CastleFell())
    assert castle.log[-1].text == "−1 health, 0 left; died; the castle has won"
    assert castle.log[-1].whom == "Ada"


def test_taking_back_one_tap_takes_back_its_whole_chain(castle):
    castle.do("wound", seat="Ada")
    before = castle.state
    fatal = castle.do("wound", seat="Ada")
    assert castle.verdict.outcome == "loss"
    castle.do("take_back", entry=fatal.version)
    assert castle.state == before
    assert castle.verdict.outcome == "continues"


def test_putting_it_back_puts_back_the_whole_chain(castle):
    castle.do("wound", seat="Ada")
    fatal = castle.do("wound", seat="Ada")
    after = castle.state
    castle.do("take_back", entry=fatal.version)
    castle.do("put_back", entry=fatal.version)
    assert castle.state == after


def test_a_chain_that_cannot_stand_leaves_no_part_of_itself_behind(castle):
    castle.do("wound", seat="Ada")
    before, entries = castle.state, list(castle.journal.entries)
    with pytest.raises(Refused, match="Nobody is hurt"):
        castle.journal.check((CastleFell(), Wounded(1)))
    assert (castle.state, castle.journal.entries) == (before, entries)


def test_a_tap_that_causes_nothing_is_refused(castle):
    with pytest.raises(Refused, match="That would change nothing"):
        castle.journal.check(())


# --- taking back and putting back ---


def test_a_tap_is_taken_back_and_put_back(cards):
    tap = point(cards, by=5)
    cards.do("take_back", entry=tap.version)
    assert totals(cards) == [0, 0, 0]
    cards.do("put_back", entry=tap.version)
    assert totals(cards) == [5, 0, 0]


def test_any_line_can_be_taken_back_not_only_the_last(cards):
    first = point(cards, by=5)
    point(cards, by=1)
    point(cards, "Bob", by=2)
    cards.do("take_back", entry=first.version)
    assert totals(cards) == [1, 2, 0]


def test_nothing_is_ever_erased(cards):
    tap = point(cards, by=5)
    before = list(cards.journal.entries)
    cards.do("take_back", entry=tap.version)
    cards.do("put_back", entry=tap.version)
    cards.do("take_back", entry=tap.version)
    assert cards.journal.entries[: len(before)] == before
    assert len(cards.journal.entries) == len(before) + 3
    assert len(cards.log) == len(cards.journal.entries)


def test_what_is_taken_back_stays_in_the_log_marked_and_readable(cards):
    tap = point(cards, by=5)
    cards.do("take_back", entry=tap.version)
    line = cards.log[tap.version - 1]
    assert line.gone
    assert (line.by, line.whom, line.text) == ("Ada & Bob & Cleo", "Ada", "+5 Points, now 5")


def test_the_log_says_who_took_back_what_and_who_put_it_back(cards):
    bobs = cards.join("Bob’s phone", 2)
    tap = point(cards, by=5)
    cards.do("take_back", phone=bobs, entry=tap.version)
    taken = cards.log[-1]
    assert (taken.by, taken.text) == ("Bob", "took back “Ada: +5 Points, now 5”")
    cards.do("put_back", entry=tap.version)
    assert cards.log[-1].text == "put back “Ada: +5 Points, now 5”"


def test_the_line_of_a_take_back_leads_to_what_it_took_back(cards):
    """Tapping either line puts the same entry back."""
    tap = point(cards)
    cards.do("take_back", entry=tap.version)
    assert (cards.log[tap.version - 1].about, cards.log[-1].about) == (tap.version, tap.version)


def test_a_taken_back_line_stays_readable_when_what_it_rested_on_is_taken_back_too(cards):
    gold = cards.do("add_counter", name="Gold")
    three = cards.do("count", seat="Ada", counter="2", by=3, round=1)
    cards.do("take_back", entry=three.version)
    cards.do("take_back", entry=gold.version)
    assert texts(cards)[1:] == [
        "new counter Gold",
        "+3 Gold, now 3",
        "took back “Ada: +3 Gold, now 3”",
        "took back “new counter Gold”",
    ]
    assert Journal(cards.journal.game, cards.journal.entries).lines == cards.log


def test_a_taken_back_line_still_names_someone_who_never_sat_down(cards):
    sat = cards.do("add_seat", name="Dov")
    tap = point(cards, "Dov", by=4)
    cards.do("take_back", entry=tap.version)
    cards.do("take_back", entry=sat.version)
    line = cards.log[tap.version - 1]
    assert (line.whom, line.text, line.gone) == ("Dov", "+4 Points, now 4", True)


def test_later_totals_in_the_log_follow_what_is_taken_back(cards):
    first = point(cards, by=5)
    point(cards, by=1)
    cards.do("take_back", entry=first.version)
    assert cards.log[2].text == "+1 Points, now 1"


# --- what cannot be taken back ---


def test_what_is_taken_back_cannot_be_taken_back_again(cards):
    tap = point(cards)
    with pytest.raises(Refused, match="That already counts"):
        cards.do("put_back", entry=tap.version)
    cards.do("take_back", entry=tap.version)
    with pytest.raises(Refused, match="That is already taken back"):
        cards.do("take_back", entry=tap.version)
    assert totals(cards) == [0, 0, 0]


@pytest.mark.parametrize("entry", [0, 3, 999_999])
@pytest.mark.parametrize("verb", ["take_back", "put_back"])
def test_there_is_no_such_line(cards, verb, entry):
    point(cards)
    with pytest.raises(Refused, match="There is no such line in the log"):
        cards.do(verb, entry=entry)


@pytest.mark.parametrize("entry", ["", "two", "-1", "10000000"])
def test_a_line_that_is_no_number_is_refused(cards, entry):
    with pytest.raises(Refused):
        cards.do("take_back", entry=entry)


def test_the_opening_of_the_table_cannot_be_taken_back(cards):
    with pytest.raises(Refused, match="That line cannot be taken back"):
        cards.do("take_back", entry=1)
    assert cards.log[0].about is None


def test_who_joined_and_who_plays_cannot_be_taken_back(cards):
    cards.join("Bob’s phone", 2)
    for line in cards.log[-2:]:
        assert line.about is None
        with pytest.raises(Refused, match="That line cannot be taken back"):
            cards.do("take_back", entry=line.version)


def test_a_take_back_is_not_taken_back_but_put_back(cards):
    tap = point(cards)
    back = cards.do("take_back", entry=tap.version)
    for verb in ("take_back", "put_back"):
        with pytest.raises(Refused, match="That line cannot be taken back"):
            cards.do(verb, entry=back.version)


def test_what_later_taps_rest_on_cannot_be_taken_back_and_nothing_changes(cards):
    ended = cards.do("next_round", after=1)
    cards.do("count", seat="Ada", counter="1", by=3, round=2)
    state, log, entries = cards.state, list(cards.log), list(cards.journal.entries)
    with pytest.raises(Refused) as refused:
        cards.do("take_back", entry=ended.version)
    assert str(refused.value) == (
        "That cannot be taken back, because Ada & Bob & Cleo’s tap “Ada: +3 Points, now 3” rests on it:"
        " take that back first. (Round 2 has not begun.)"
    )
    assert (cards.state, cards.log, cards.journal.entries) == (state, log, entries)
    assert not cards.journal.gone


def test_of_several_taps_in_the_way_the_newest_is_the_one_to_begin_with(cards):
    ended = cards.do("next_round", after=1)
    bob = cards.join("Bob's phone", 2)
    cards.do("count", seat="Ada", counter="1", by=3, round=2)
    newest = cards.do("count", phone=bob, seat="Bob", counter="1", by=4, round=2)
    with pytest.raises(Refused) as refused:
        cards.do("take_back", entry=ended.version)
    assert str(refused.value) == (
        "That cannot be taken back, because 2 later taps rest on it: take those back first,"
        " beginning with Bob’s “Bob: +4 Points, now 4”. (Round 2 has not begun.)"
    )
    cards.do("take_back", entry=newest.version)
    with pytest.raises(Refused, match=r"“Ada: .3 Points, now 3” rests on it: take that back first"):
        cards.do("take_back", entry=ended.version)


def test_a_long_tap_in_the_way_is_named_in_short(cards):
    ended = cards.do("next_round", after=1)
    for seat in ("Ada", "Bob", "Cleo"):
        cards.do("rename_seat", seat=seat, name=(seat + " of the very long name")[:24])
    cards.do("rename_counter", counter="1", name="Points of a longer name"[:24])
    cards.do("count", seat="Ada of the very long nam", counter="1", by=999999, round=2)
    with pytest.raises(Refused) as refused:
        cards.do("take_back", entry=ended.version)
    assert len(str(refused.value)) < 300


def test_what_cannot_be_put_back_as_things_are_says_why(cards):
    ended = cards.do("next_round", after=1)
    later = cards.do("count", seat="Ada", counter="1", by=3, round=2)
    cards.do("take_back", entry=later.version)
    cards.do("take_back", entry=ended.version)
    with pytest.raises(Refused) as refused:
        cards.do("put_back", entry=later.version)
    assert str(refused.value) == "That cannot be put back as things are now. Round 2 has not begun."


def test_once_the_later_taps_are_taken_back_it_can_be(cards):
    ended = cards.do("next_round", after=1)
    later = cards.do("count", seat="Ada", counter="1", by=3, round=2)
    cards.do("take_back", entry=later.version)
    cards.do("take_back", entry=ended.version)
    assert cards.state.round == 1
    with pytest.raises(Refused, match="Round 2 has not begun"):
        cards.do("put_back", entry=later.version)


def test_nobody_dies_twice_by_putting_back(castle):
    one, two = castle.do("wound", seat="Ada"), castle.do("wound", seat="Ada")
    castle.do("take_back", entry=one.version)
    castle.do("take_back", entry=two.version)
    castle.do("wound", seat="Bob")
    castle.do("wound", seat="Bob")
    castle.do("put_back", entry=one.version)
    assert castle.state.health == {1: 1, 2: 0}
    with pytest.raises(Refused, match="Nobody is hurt in a castle that has won"):
        castle.do("put_back", entry=two.version)


def test_entries_must_come_in_order(cards):
    tap = point(cards)
    with pytest.raises(ValueError, match="entry 2 cannot follow 2"):
        cards.journal.add(tap)


# --- mine, and the table's last ---


def test_undo_mine_and_undo_the_tables_last_are_different_things(cards):
    bobs, cleos = cards.join("Bob’s phone", 2), cards.join("Cleo’s phone", 3)
    his = point(cards, "Bob", phone=bobs)
    hers = point(cards, "Cleo", phone=cleos)
    assert cards.journal.last(bobs).version == his.version
    assert cards.journal.last(cleos).version == hers.version
    assert cards.journal.last().version == hers.version


def test_mine_is_what_my_phone_tapped_whoever_it_was_for(cards):
    bobs = cards.join("Bob’s phone", 2)
    for_ada = point(cards, "Ada", phone=bobs)
    point(cards, "Bob", phone=1)
    assert cards.journal.last(bobs).version == for_ada.version


def test_a_phone_that_only_joined_has_nothing_to_undo(cards):
    bobs = cards.join("Bob’s phone", 2)
    assert cards.journal.last(bobs) is None
    assert cards.journal.last() is None


def test_undo_again_undoes_the_one_before_and_never_the_undo(cards):
    one, two, three = point(cards), point(cards), point(cards)
    for tap in (three, two, one):
        last = cards.journal.last()
        assert last.version == tap.version
        cards.do("take_back", entry=last.version)
    assert cards.journal.last() is None
    assert totals(cards) == [0, 0, 0]


def test_what_is_put_back_can_be_undone_again(cards):
    tap = point(cards)
    cards.do("take_back", entry=tap.version)
    cards.do("put_back", entry=tap.version)
    assert cards.journal.last().version == tap.version


# --- the same entries always mean the same ---

phones = st.integers(1, 3)
lines = st.integers(1, 25)
counting = st.tuples(
    st.just("count"), phones, st.fixed_dictionaries({"seat": st.integers(1, 3), "by": st.integers(-99, 99)})
)
reverting = st.tuples(
    st.sampled_from(["take_back", "put_back"]), phones, st.fixed_dictionaries({"entry": lines})
)
arranging = st.one_of(
    st.tuples(st.just("next_round"), phones, st.fixed_dictionaries({"after": st.integers(1, 3)})),
    st.tuples(
        st.just("add_counter"), phones, st.fixed_dictionaries({"name": st.sampled_from(["Gold", "Wood"])})
    ),
    st.tuples(st.just("remove_counter"), phones, st.fixed_dictionaries({"counter": st.sampled_from("12")})),
    st.tuples(st.just("end_game"), phones, st.just({})),
    st.tuples(
        st.just("add_seat"), st.just(1), st.fixed_dictionaries({"name": st.sampled_from(["Dov", "Eve"])})
    ),
    st.tuples(st.just("remove_seat"), st.just(1), st.fixed_dictionaries({"seat": st.integers(1, 5)})),
    st.tuples(
        st.just("rename_seat"),
        st.just(1),
        st.fixed_dictionaries({"seat": st.integers(1, 4), "name": st.sampled_from(["Ada", "Dov", "Zoë"])}),
    ),
    st.tuples(
        st.just("count"),
        phones,
        st.fixed_dictionaries(
            {"seat": st.integers(1, 5), "counter": st.just("2"), "round": st.integers(1, 3)}
        ),
    ),
)


def three_phones():
    evening = Evening(GAMES["any-game"], "Ada", "Bob", "Cleo")
    evening.join("Bob’s phone", 2)
    evening.join("Cleo’s phone", 3)
    return evening


def tapped(evening, command, phone, more):
    """The entry, or None if it was refused; then nothing may have changed."""
    if command == "count":
        more = {"counter": "1", "round": 1, "by": 1, **more}
    before = evening.state, evening.journal.version
    try:
        return evening.do(command, phone=phone, **more)
    except Refused:
        assert (evening.state, evening.journal.version) == before
        return None


@effort(max_examples=60, deadline=None)
@given(st.lists(st.one_of(counting, counting, reverting), max_size=25))
def test_totals_are_the_sum_of_what_still_counts(taps):
    evening, counted, counts = three_phones(), {}, set()
    for command, phone, more in taps:
        entry = tapped(evening, command, phone, more)
        if entry is None:
            continue
        if command == "count":
            counted[entry.version] = (more["seat"], more["by"])
            counts.add(entry.version)
        else:
            (counts.discard if command == "take_back" else counts.add)(more["entry"])
    expected = [sum(by for seat, by in map(counted.get, counts) if seat == each) for each in (1, 2, 3)]
    assert totals(evening) == expected
    assert {line.version for line in evening.log if line.about == line.version and not line.gone} == counts


@effort(max_examples=150, deadline=None)
@given(st.lists(st.one_of(counting, reverting, arranging), max_size=25))
def test_reading_the_journal_again_gives_the_same_table_and_the_same_log(taps):
    with short_blocks():
        tap_and_read_again(taps)


@contextmanager
def short_blocks():
    """So that a few taps fill several of them, and lines are told anew of some and not of others."""
    usual, folding.CHECKPOINT = folding.CHECKPOINT, 4
    try:
        yield
    finally:
        folding.CHECKPOINT = usual


def tap_and_read_again(taps):
    evening = three_phones()
    for number, tap in enumerate(taps):
        before = list(evening.journal.entries)
        tapped(evening, *tap)
        assert evening.journal.entries[: len(before)] == before
        list(evening.log[number // 2 : number // 2 + 3])  # somebody looks at some of the lines
    again = Journal(evening.journal.game, evening.journal.entries)
    assert again.state == evening.state
    assert again.lines == evening.log
    assert again.gone == evening.journal.gone
    assert [again.last(phone) for phone in (None, 1, 2, 3)] == [
        evening.journal.last(phone) for phone in (None, 1, 2, 3)
    ]
    assert all(line.text and line.by for line in again.lines)
    assert {seat.name for seat in evening.table.seats} == {
        row.seat.name for row in evening.view.sheets[0].rows
    }
    for unlike in ("id", "name", "colour", "symbol"):
        alike = [getattr(seat, unlike) for seat in evening.table.seats]
        assert len(set(alike)) == len(alike), f"two seats of one {unlike}"


# --- events are a file format ---

st.register_type_strategy(Mapping, lambda kind: st.dictionaries(*map(st.from_type, get_args(kind))))
# what every table has is the same class in each game, so once is enough
KINDS = {kind: game for game in [*GAMES.values(), TINY] for kind in game.events}


@pytest.mark.parametrize("game", [*GAMES.values(), TINY], ids=lambda game: game.slug or "tiny")
def test_every_event_comes_back_from_the_book_as_it_went_in(game):
    kinds = [kind for kind, whose in KINDS.items() if whose is game]
    for some in (kinds[at : at + 6] for at in range(0, len(kinds), 6)):  # one at a time takes thrice as long

        @effort(max_examples=10, deadline=None)
        @given(st.tuples(*map(st.from_type, some)))
        def round_trip(events):
            for event in events:
                book = json.dumps(dump(event))
                assert load(game.kinds, json.loads(book)) == event
                assert type(load(game.kinds, json.loads(book))) is type(event)

        round_trip()


def test_an_event_from_an_older_book_gets_the_defaults_of_fields_that_came_later():
    old = {"event": "StarterChosen", "seat": 2}
    assert operator.attrgetter("seat", "by_lot")(load(GAMES["any-game"].kinds, old)) == (2, False)


def test_whole_evenings_come_back_from_the_book(cards):
    point(cards, by=5)
    cards.do("add_counter", name="Gold", start=20)
    cards.do("take_back", entry=2)
    book = json.dumps([[dump(event) for event in entry.events] for entry in cards.journal.entries])
    kinds = cards.journal.game.kinds
    entries = [
        replace(entry, events=tuple(load(kinds, event) for event in stored))
        for entry, stored in zip(cards.journal.entries, json.loads(book), strict=True)
    ]
    assert Journal(cards.journal.game, entries).state == cards.state


def test_a_far_take_back_pauses_and_nobody_sees_it_half_done() -> None:
    """In the pauses other phones look at the table: it is as it was, until it is as it will be."""
    evening = Evening(GAMES["any-game"], "Ada", "Bob")
    for _ in range(2 * FAR):
        evening.do("count", seat="Ada", counter="1", by=1, round=1)
    seen: list[tuple[int, int, int, int]] = []

    def look() -> None:
        seen.append((journal.version, len(journal.lines), len(journal.gone), journal.state.got(1, 1, "1")))

    journal = Journal(evening.journal.game, evening.journal.entries)
    journal.pause = look  # only from here on
    version = journal.version
    back = Entry(version + 1, "back", "", 1, "take_back", 1, (TakenBack(2),))
    journal.check(back.events)
    journal.add(back)
    assert set(seen) == {(version, version, 0, 2 * FAR)}
    assert (
        len(seen) > 2 * FAR / CHECKPOINT
    )  # when it was checked; what was found then is put in place at once
    anew = Journal(journal.game, journal.entries)
    assert (journal.state, journal.lines, journal.gone) == (anew.state, anew.lines, anew.gone)
    assert journal.state.got(1, 1, "1") == 2 * FAR - 1
    seen.clear()
    near = Entry(version + 2, "near", "", 1, "take_back", 1, (TakenBack(version),))
    journal.add(near)
    assert not seen  # the usual case is done at once


class Healed(Event):
    seat: int
    points: int

    form = 3  # once there was only a seat; then `by`; now `points`


class Rested(Event):
    """Was called Slept once."""

    seat: int


FORMS = Game(
    title="Forms",
    seats=range(1, 3),
    setup=None,
    view=None,
    adjudicate=None,
    commands=(),
    events=(Healed, Rested),
    earlier=(
        Earlier("Healed", 1, lambda fields: {**fields, "by": 1}),
        Earlier("Healed", 2, lambda fields: {"seat": fields["seat"], "points": fields["by"]}),
        Earlier("Slept", 1, lambda fields: {"event": "Rested", "form": 1, **fields}),
        Earlier("Prayed", 1, lambda fields: {"event": "Healed", "form": 2, "seat": fields["who"], "by": 5}),
    ),
)


@pytest.mark.parametrize(
    ("stored", "event"),
    [
        ({"event": "Healed", "seat": 2}, Healed(2, 1)),
        ({"event": "Healed", "form": 2, "seat": 2, "by": 4}, Healed(2, 4)),
        ({"event": "Healed", "form": 3, "seat": 2, "points": 4}, Healed(2, 4)),
        ({"event": "Slept", "seat": 2}, Rested(2)),
        ({"event": "Prayed", "who": 2}, Healed(2, 5)),
    ],
)
def test_an_event_of_earlier_days_is_read_in_every_form_it_ever_had(stored: dict, event: Event) -> None:
    kept = dict(stored)
    assert FORMS.read(stored) == event
    assert stored == kept


def test_an_event_says_its_form_once_there_is_more_than_one() -> None:
    assert dump(Rested(2)) == {"event": "Rested", "seat": 2}
    assert dump(Healed(2, 4)) == {"event": "Healed", "form": 3, "seat": 2, "points": 4}
    assert json.loads(spell(Healed(2, 4))) == dump(Healed(2, 4))
    assert FORMS.read(dump(Healed(2, 4))) == Healed(2, 4)


@pytest.mark.parametrize(
    "stored",
    [
        {"event": "Healed", "form": 4, "seat": 2, "points": 4},
        {"event": "Healed", "form": 2, "seat": 2},
        {"event": "Rested", "seat": 2, "how_long": 8},
        {"event": "Rested", "seat": "at the window"},
        {"event": "Danced", "seat": 2},
        {"seat": 2},
        ["Rested", 2],
        "Rested",
        None,
    ],
)
def test_what_is_not_wholly_known_is_not_read(stored: object) -> None:
    with pytest.raises(Unreadable):
        FORMS.read(stored)


def test_every_room_reads_its_own_earlier_forms_and_those_of_the_tools() -> None:
    assert equip(FORMS).earlier[-len(FORMS.earlier) :] == FORMS.earlier


def test_a_journal_that_nobody_holds_is_gone_at_once() -> None:
    """With all its entries; nobody has to come and look for it."""
    journal = Journal(GAMES["any-game"])
    there = ref(journal)
    del journal
    assert there() is None
