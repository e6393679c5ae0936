"""Smash Up: power on bases, places, thirty Madness cards and 15 VP."""

import itertools
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion.core import Phase, Refused, View
from companion.core.pieces import Question, inside
from companion.core.tally import judge as judge_tally
from companion.evenings.recap import recap
from companion.games import shelf
from companion.games.smash_up.cards import (
    BASES,
    FACTIONS,
    MADNESS,
    PHASES,
    Card,
    Stand,
    known_base,
    score,
    winners,
)
from companion.games.smash_up.scorings import SpecialPassed, SpecialsDone, SpecialUsed
from companion.games.smash_up.state import Holding

SLUG = "smash-up"
LENG, MALL, FACTORY, DOJO = "plateau-of-leng", "rhodes-plaza-mall", "factory-436-1337", "ninja-dojo"
LAID = ("mountains-of-madness", LENG, "innsmouth", "the-asylum", "rlyeh")
CAST = ("Ada", "Bob", "Cleo", "Dov")


class Smash:
    """A table, and short words for what is tapped there."""

    def __init__(self, evening):
        self.evening, self.do = evening, evening.do

    def begin(self, *bases):
        for n, card in enumerate(bases or LAID[: self.state.wanted]):
            self.do("lay_base", card=card, have=n)
        self.do("begin_game")
        return self

    def base(self, card):
        return next(base for base in self.state.bases if base.card.id == card)

    def power(self, card, *each):
        """What everyone has there, in the order of the seats."""
        for name, power in zip(CAST, each, strict=False):
            if power:
                self.do("count_power", seat=name, base=self.base(card).id, by=power)

    def to(self, phase, **more):
        while self.state.phase < phase:
            self.do("next_phase", turn=self.state.turn, phase=self.state.phase, **more)

    def choose(self, card):
        self.do("begin_scoring", base=self.base(card).id, number=self.state.number)

    def score(self, card, new="the-homeworld"):
        """From choosing to the new base."""
        self.choose(card)
        entry = self.apply(card)
        self.replace(card, new)
        return entry

    def apply(self, card):
        return self.do("score_base", base=self.base(card).id, number=self.state.number)

    def replace(self, card, new="the-homeworld"):
        return self.do("replace_base", base=self.base(card).id, number=len(self.state.scored), card=new)

    def press(self, label):
        """A button of the phase."""
        (tap,) = [each for each in self.view.phase.buttons if each.label == label]
        return self.do(tap.do.command, **tap.do.args)

    def end_turn(self):
        return self.do("end_turn", turn=self.state.turn)

    def pass_on(self):
        """Although a base is ready: a slip."""
        self.to(4, anyway="yes")
        self.end_turn()

    def buttons(self):
        return [each.label for each in self.view.phase.buttons]

    def vp(self):
        return [self.state.vp.get(seat.id, 0) for seat in self.evening.table.seats]

    @property
    def state(self):
        return self.evening.state

    @property
    def view(self):
        return self.evening.view

    @property
    def verdict(self):
        return self.evening.verdict

    def piece(self, id):
        """What has this id on the screen, if anything has."""
        return next((each for each in inside(self.view.pieces) if getattr(each, "id", "") == id), None)

    def says(self, id):
        """The words of a note or a panel, if it is there."""
        piece = self.piece(id)
        return piece.text if piece else ""

    def question(self):
        """The one that somebody is asked."""
        (asked,) = [each for each in self.view.phase.first if isinstance(each, Question)]
        return asked

    def meter(self, card):
        return self.piece(f"meter-{self.base(card).id}")

    def gains(self, id="su-gives"):
        """Who takes which place of a base, first to last, and for how much."""
        return [(row.words, row.value) for row in self.piece(id).rows]


@pytest.fixture
def smash(sit_down):
    return lambda *names, **more: Smash(sit_down(SLUG, *(names or CAST[:3]), **more))


@pytest.fixture
def table(smash):
    """Ada, Bob and Cleo at four bases, on Ada's turn."""
    return smash().begin()


def refuses(say, what, **given):
    with pytest.raises(Refused) as refused:
        say(what, **given)
    return str(refused.value)


# --- the box ---


def test_the_box_has_four_factions_and_eight_bases_and_the_core_set_eight_and_sixteen():
    assert [sum(f.set == s for f in FACTIONS) for s in ("cthulhu", "core")] == [4, 8]
    assert [sum(b.set == s for b in BASES) for s in ("cthulhu", "core", "awesome")] == [8, 16, 8]
    assert len({base.id for base in BASES}) == len(BASES)
    assert all(len(base.vp) == 3 and base.breakpoint > 0 for base in BASES)
    assert [base.id for base in BASES if not base.ability] == ["jungle-oasis"]
    assert [(base.id, base.gives) for base in BASES if base.gives] == [
        (FACTORY, "five-power"),
        (MALL, "minions"),
    ]


# --- set-up ---


def test_everyone_takes_two_different_factions_and_none_is_at_the_table_twice(smash):
    setting = smash()
    setting.do("choose_faction", seat="Ada", faction="Innsmouth")
    twice = refuses(setting.do, "choose_faction", seat="Bob", faction="innsmouth")
    assert twice == "Ada plays Innsmouth. No faction is at the table twice."
    own = refuses(setting.do, "choose_faction", seat="Ada", faction="Innsmouth")
    assert own == "Ada plays Innsmouth already; the two must differ."
    setting.do("choose_faction", seat="Ada", faction="Zombies")
    third = refuses(setting.do, "choose_faction", seat="Ada", faction="Robots")
    assert third == "Ada has two factions already: Innsmouth and Zombies. Put one back first."
    setting.do("drop_faction", seat="Ada", faction="Zombies")
    setting.do("choose_faction", seat="Ada", faction="Killer Plants")
    assert setting.state.factions_of(1) == ("Innsmouth", "Killer Plants")


def test_a_faction_given_away_after_a_take_back_cannot_be_put_back(smash):
    setting = smash()
    taken = setting.do("choose_faction", seat="Ada", faction="Innsmouth")
    setting.do("take_back", entry=taken.version)
    setting.do("choose_faction", seat="Bob", faction="Innsmouth")
    assert "No faction is at the table twice" in refuses(setting.do, "put_back", entry=taken.version)


def test_this_box_alone_seats_two_and_says_so(smash):
    assert smash("Ada", "Bob").says("su-warning") == ""
    three = smash()
    assert "This box alone seats two" in three.says("su-warning")
    assert "3 players need 6" in three.says("su-warning")
    three.do("choose_faction", seat="Ada", faction="Innsmouth")
    assert three.says("su-warning")
    three.do("choose_faction", seat="Bob", faction="Zombies")
    assert three.says("su-warning") == ""


@pytest.mark.parametrize("number", [2, 3, 4])
def test_one_base_per_player_plus_one_drawn_by_lot_from_the_chosen_sets(smash, number):
    setting = smash(*CAST[:number])
    setting.do("choose_faction", seat="Ada", faction="Zombies")
    assert len(setting.state.base_deck) == 16
    setting.do("use_set", set="cthulhu", used="yes")
    setting.evening.dice.rolls = [1] * (number + 1)
    drawn = setting.do("draw_bases", have=0)
    assert len(setting.state.bases) == number + 1
    assert len(setting.state.base_deck) == 24 - number - 1
    assert "by lot" in setting.evening.log[-1].text
    assert "lie here already" in refuses(setting.do, "draw_bases", have=number + 1)
    assert "by now" in refuses(setting.do, "draw_bases", have=0)
    setting.do("take_back", entry=drawn.version)
    assert setting.state.bases == ()
    assert f"{number} players play with {number + 1} bases" in refuses(setting.do, "begin_game")


def test_a_base_is_typed_in_with_name_breakpoint_and_three_vps(smash):
    setting = smash("Ada", "Bob")
    numbers = {"vp_for_first": 4, "vp_for_second": 2, "vp_for_third": 1}
    setting.do("type_base", name="The Pub", breakpoint=17, **numbers)
    card = setting.state.bases[0].card
    assert (card.name, card.breakpoint, card.vp) == ("The Pub", 17, (4, 2, 1))
    for wrong, sentence in (
        ({"breakpoint": -3}, "“Breakpoint” must be at least 1."),
        ({"breakpoint": 0}, "“Breakpoint” must be at least 1."),
        ({"vp_for_third": -1}, "“VP for third” must be at least 0."),
        ({"name": "the pub"}, "The Pub is in play already."),
        ({"name": " "}, "A name needs at least one visible character."),
    ):
        form = {"name": "The Inn", "breakpoint": 12, **numbers, **wrong}
        assert refuses(setting.do, "type_base", **form) == sentence
    assert len(setting.state.bases) == 1


def test_no_base_lies_there_twice_and_no_more_than_are_played_with(smash):
    setting = smash("Ada", "Bob")
    for n, card in enumerate(LAID[:3]):
        setting.do("lay_base", card=card, have=n)
    assert "play with 3 bases" in refuses(setting.do, "lay_base", card=MALL, have=3)
    setting.do("put_back_base", base=setting.state.bases[1].id)
    assert "is in play already" in refuses(setting.do, "lay_base", card=LAID[0], have=2)
    setting.do("lay_base", card=MALL, have=2)
    assert [base.card.id for base in setting.state.bases] == [LAID[0], MALL, LAID[2]]


def test_the_first_player_is_chosen_or_drawn_and_the_start_asks_who_has_no_factions(smash):
    setting = smash()
    setting.do("choose_starter", seat="Bob")
    setting.evening.dice.rolls = [3]
    setting.do("draw_starter")
    for n, card in enumerate(LAID[:4]):
        setting.do("lay_base", card=card, have=n)
    (start,) = setting.view.phase.buttons
    assert setting.view.phase.text == "Still to come: two factions for Ada, Bob and Cleo."
    assert start.confirm == "Ada, Bob and Cleo have not chosen two factions. Start all the same?"
    setting.do("begin_game")
    assert setting.state.name(setting.state.player) == "Cleo"
    assert refuses(setting.do, "begin_game") == "The game has begun already."


def test_the_set_up_says_what_is_still_to_come(smash):
    setting = smash("Ada", "Bob")
    assert setting.view.phase.text == "Still to come: two factions for Ada and Bob, and 3 bases."
    for who, faction in (("Ada", "Innsmouth"), ("Ada", "Zombies"), ("Bob", "Robots"), ("Bob", "Aliens")):
        setting.do("choose_faction", seat=who, faction=faction)
    setting.evening.dice.rolls = [1, 1, 1]
    setting.do("draw_bases", have=0)
    assert setting.view.phase.text == "All is there, and Ada begins."


def test_the_redraw_without_minions_is_on_the_list(smash):
    setting = smash()
    ticks = lambda: setting.piece("su-setup").ticks  # noqa: E731
    assert any("No minion" in tick.label and "once" in tick.label for tick in ticks())
    setting.do("tick", item="hands")
    assert refuses(setting.do, "tick", item="hands") == "That is ticked already."
    assert ticks()[2].done


# --- turns ---


def test_five_phases_then_the_next_player_clockwise(table):
    seen = []
    for _ in range(4):
        for phase in range(1, 6):
            seen.append((table.state.name(table.state.player), table.state.phase))
            assert PHASES[phase - 1].name in table.view.phase.title + table.view.phase.text
            (now,) = [each.label for each in table.piece("su-steps").stages if each.state == "now"]
            assert now == PHASES[phase - 1].short
            if phase < 5:
                table.do("next_phase", turn=table.state.turn, phase=phase)
        table.end_turn()
    players = ("Ada", "Bob", "Cleo", "Ada")
    assert seen == [(name, phase) for name in players for phase in range(1, 6)]


def test_two_phones_that_press_next_at_once_go_on_once(table):
    table.do("next_phase", turn=1, phase=1)
    late = refuses(table.do, "next_phase", turn=1, phase=1)
    assert late == "That was tapped already: Ada is at Play Cards."
    table.end_turn()
    assert refuses(table.do, "end_turn", turn=1) == "That was tapped already: Bob is at Crank It Up."
    assert refuses(table.do, "next_phase", turn=2, phase=4) == "Not yet: Bob is at Crank It Up."
    assert (table.state.turn, table.state.phase) == (2, 1)


def test_each_phase_says_what_may_happen_and_reminds_where_it_matters(table):
    said = {}
    for phase in range(1, 6):
        said[phase] = f"{table.view.phase.text} {table.says('su-mind')}"
        if phase < 5:
            table.do("next_phase", turn=1, phase=phase)
    assert "start of a turn" in said[1]
    assert "one action, both or neither" in said[2]
    assert "moved or returned is not played" in said[2]
    assert "“Cannot” beats “can”" in said[2]
    assert "breakpoint" in said[3]
    assert "ten cards" in said[4]
    assert "Shuffle your discard pile" in said[4]
    assert "next player" in said[5]


def test_a_base_that_acts_at_the_start_of_a_turn_is_brought_up_then(smash):
    table = smash("Ada", "Bob").begin("rlyeh", LENG, MALL)
    assert "R'lyeh: At the start of your turn" in table.says("su-mind")
    table.to(3)
    assert "R'lyeh" not in table.says("su-mind")


def test_a_minion_given_to_rlyeh_is_one_tap_at_the_start_of_the_own_turn_and_once(smash):
    table = smash("Ada", "Bob").begin("rlyeh", LENG, MALL)
    assert table.piece("su-trade") is None  # nothing of hers is there
    table.do("play_minion", seat="Ada", base=1, power=3)
    table.do("play_minion", seat="Bob", base=1, power=5)
    table.end_turn()
    assert [tap.short for tap in table.piece("su-trade").taps] == ["1", "2", "3", "4", "5"]
    tap = table.piece("su-trade").taps[4].do
    table.do(tap.command, **tap.args)
    assert (table.vp(), table.base("rlyeh").at(2)) == ([0, 1], Holding(0, 0))
    assert "a minion of power 5 at R'lyeh is given for 1 VP" in table.evening.log[-1].text
    table.do("play_minion", seat="Bob", base=1, power=2)
    assert table.piece("su-trade") is None
    late = refuses(table.do, "trade_minion", base=1, seat="Bob", power=2)
    assert late == "R'lyeh does that at the start of one's own turn."
    assert refuses(table.do, "trade_minion", base=2, seat="Bob", power=2) == (
        "Plateau of Leng gives no VP for a minion."
    )


def test_rlyeh_takes_one_minion_a_turn(smash):
    table = smash("Ada", "Bob").begin("rlyeh", LENG, MALL)
    table.power("rlyeh", 9)
    table.do("trade_minion", base=1, seat="Ada", power=4)
    assert (table.piece("su-trade"), table.base("rlyeh").at(1)) == (None, Holding(5))
    again = refuses(table.do, "trade_minion", base=1, seat="Ada", power=4)
    assert again == "Ada has done that in this turn."


def test_a_base_does_by_itself_what_it_does(smash):
    table = smash("Ada", "Bob").begin("mountains-of-madness", "the-central-brain", "cave-of-shinies")
    played = table.do("play_minion", seat="Ada", base=1, power=3)
    assert (table.state.madness, table.base("mountains-of-madness").at(1).power) == ({1: 1}, 3)
    table.do("take_back", entry=played.version)
    assert (table.state.madness.get(1, 0), table.state.phase) == (0, 1)  # one undo for all of it
    table.do("play_minion", seat="Ada", base=2, power=3)
    assert table.base("the-central-brain").at(1) == Holding(4, 1)
    assert table.evening.log[-1].text == "a minion of power 3 and 1 more at The Central Brain, now 4"
    table.do("move_minion", seat="Ada", base=2, to=3, power=3)
    assert table.base("the-central-brain").at(1) == Holding(0, 0)
    assert table.base("cave-of-shinies").at(1) == Holding(3, 1)
    table.do("lose_minion", seat="Ada", base=3, power=3, how="destroyed")
    assert table.vp() == [1, 0]
    table.do("play_minion", seat="Bob", base=3, power=2)
    table.do("lose_minion", seat="Bob", base=3, power=2, how="returned")  # that is not destroyed
    assert table.vp() == [1, 0]


def test_where_the_madness_deck_is_empty_a_minion_comes_without(table):
    table.do("draw_madness", seat="Bob", cards=30)
    table.do("play_minion", seat="Ada", base=table.base("mountains-of-madness").id, power=3)
    assert (table.state.madness.get(1, 0), table.base("mountains-of-madness").at(1).power) == (0, 3)


def test_a_ready_base_is_scored_before_anything_is_drawn(table):
    table.power(LENG, 10, 8)
    table.to(3)
    sentence = "Plateau of Leng is ready and must be scored first."
    assert refuses(table.do, "next_phase", turn=1, phase=3) == sentence
    assert refuses(table.end_turn.__func__, table) == sentence
    assert table.buttons() == ["Score Plateau of Leng", "+1 Madness"]
    (slip,) = table.piece("su-slip").taps
    assert slip.detail == "only if it was a slip, or a card says so"
    table.do(slip.do.command, **slip.do.args)
    assert table.state.phase == 4


def test_a_base_that_is_ready_is_scored_from_where_the_turn_is(table):
    table.power(LENG, 10, 8)
    assert table.buttons() == ["Score Plateau of Leng", "+1 Madness"]
    table.to(2)
    assert table.buttons() == ["Score Plateau of Leng", "+1 Madness"]
    assert refuses(table.end_turn.__func__, table) == "Plateau of Leng is ready and must be scored first."
    table.press("Score Plateau of Leng")
    assert (table.state.phase, table.state.scoring.base) == (3, table.base(LENG).id)


# --- power ---


def test_power_is_counted_per_player_and_the_base_says_when_it_is_ready(table):
    table.power(LENG, 10, 7)
    meter = table.meter(LENG)
    assert (meter.value, meter.goal, meter.note, meter.tone) == (17, 18, "1 to go", "")
    assert "ready" not in table.view.phase.text
    table.power(LENG, 0, 0, 1)
    meter = table.meter(LENG)
    assert (meter.value, meter.note, meter.tone) == (18, "ready", "warn")
    assert table.view.phase.text == "Plateau of Leng is ready to score."
    assert [(share.seat.name, share.value) for share in meter.shares] == [
        ("Ada", 10),
        ("Bob", 7),
        ("Cleo", 1),
    ]
    assert table.says("place-2") == table.base(LENG).card.ability


def test_power_leaves_the_other_bases_and_the_others_at_this_one_as_they_are(table):
    table.power(LENG, 10, 7)
    changed = table.base(LENG).id
    panels = lambda: {at: table.piece(f"place-{at}") for at in (1, 2, 3, 4)}  # noqa: E731
    rows = lambda: [table.piece(f"row-{changed}-{seat}") for seat in (1, 2, 3)]  # noqa: E731
    before, held = panels(), rows()
    table.power(LENG, 0, 1)
    assert [at for at, now in panels().items() if now is not before[at]] == [2]
    assert [now is was for now, was in zip(rows(), held, strict=True)] == [True, False, True]


def test_a_minion_is_one_tap_at_any_base_for_whose_turn_it_is(table):
    row = table.piece(f"plays-{table.base(LENG).id}")
    assert [tap.short for tap in row.taps] == ["1", "2", "3", "4", "5", "6"]
    assert table.state.phase == 1
    table.do(row.taps[3].do.command, **row.taps[3].do.args)
    assert (table.base(LENG).at(1), table.state.phase) == (Holding(4, 1), 2)
    table.press("End turn")
    assert table.piece(f"plays-{table.base(LENG).id}") is row  # the same, and not sent again
    table.do(row.taps[0].do.command, **row.taps[0].do.args)
    assert table.base(LENG).at(2) == Holding(1, 1)


def test_a_tap_on_a_row_that_is_anothers_by_now_is_refused(table):
    bob = table.evening.join("Bob's phone", 2)
    table.end_turn()
    table.do("play_minion", phone=bob, base=2, power=3)
    assert refuses(table.do, "play_minion", base=2, power=3) == "It is Bob's turn now."


def test_minions_of_this_box_are_played_by_name_with_their_power(smash):
    table = smash("Ada", "Bob")
    for who, faction in (("Ada", "Elder Things"), ("Ada", "Innsmouth"), ("Bob", "Robots"), ("Bob", "Aliens")):
        table.do("choose_faction", seat=who, faction=faction)
    table.begin()
    base = table.base(LENG).id
    names = next(form for form in table.view.forms if form.id == f"names-{base}-1")
    assert [names.submit, *(tap.label for tap in names.also)] == [
        "Elder Thing, 10",
        "Shoggoth, 6",
        "Mi-go, 3",
        "Byakhee, 2",
        "The Locals, 2",
    ]
    opens = [tap.opens for tap in inside(table.piece(f"row-{base}-1").pieces) if getattr(tap, "opens", "")]
    assert names.id in opens
    assert f"names-{base}-2" not in {
        form.id for form in table.view.forms
    }  # what Robots have stands on their cards
    table.do(names.do.command, **names.do.args)
    assert table.base(LENG).at(1) == Holding(10, 1)
    assert table.evening.log[-1].text == "Elder Thing of power 10 at Plateau of Leng, now 10"


def test_what_happens_to_a_minion_is_asked_once_its_power_is_said(table):
    base = table.base(LENG).id
    table.do("play_minion", seat="Bob", base=base, power=3)
    table.do("play_minion", seat="Bob", base=base, power=2)
    assert [tap.opens for tap in table.piece(f"gone-{base}-2").taps][2] == f"gone-{base}-2-3"
    form = next(form for form in table.view.forms if form.id == f"gone-{base}-2-3")
    assert [form.submit, *(tap.label for tap in form.also)] == [
        "Destroyed",
        "Moved to Mountains of Madness",
        "Moved to Innsmouth",
        "Moved to The Asylum",
        "Returned to hand or deck",
    ]
    table.do(form.do.command, **form.do.args)
    assert table.base(LENG).at(2) == Holding(2, 1)
    assert table.evening.log[-1].text == "a minion of power 3 at Plateau of Leng is destroyed"
    assert "below 0" in refuses(table.do, form.do.command, **form.do.args)


def test_where_nobody_counts_minions_what_power_is_left_still_stands_for_one(table):
    base = table.base(LENG).id
    table.power(LENG, 0, 7)
    table.do("lose_minion", seat="Bob", base=base, power=3, how="destroyed")
    assert (table.base(LENG).at(2), table.base(LENG).at(2).here) == (Holding(4), 1)
    table.do("lose_minion", seat="Bob", base=base, power=4, how="destroyed")
    assert table.base(LENG).at(2).here == 0


def test_power_and_minions_never_fall_below_nothing(table):
    table.power(LENG, 3)
    base = table.base(LENG).id
    assert refuses(table.do, "count_power", seat="Ada", base=base, by=-4) == (
        "Ada at Plateau of Leng has 3 power; it cannot fall below 0."
    )
    assert "no minion that could go" in refuses(table.do, "count_minions", seat="Bob", base=base, by=-1)
    assert refuses(table.do, "count_power", seat="Ada", base=99, by=1) == "That base is not in play any more."


def test_power_stands_for_a_minion_until_somebody_counts_them(table):
    base = table.base(LENG).id
    here = lambda: table.base(LENG).at(1).here  # noqa: E731
    assert here() == 0
    table.do("count_power", seat="Ada", base=base, by=3)
    assert here() == 1
    table.do("count_minions", seat="Ada", base=base, by=1)
    assert here() == 2
    table.do("count_minions", seat="Ada", base=base, by=-2)
    assert (here(), table.base(LENG).at(1).power) == (0, 3)
    assert table.meter(LENG).shares[0].detail == "no minion"
    table.do("play_minion", seat="Ada", base=base, power=4)
    assert (here(), table.base(LENG).at(1).power) == (1, 7)


def test_a_minion_is_moved_with_its_power(table):
    base, to = table.base(LENG).id, table.base("innsmouth").id
    table.do("play_minion", seat="Ada", base=base, power=4)
    table.do("play_minion", seat="Ada", base=base, power=2)
    table.do("move_minion", seat="Ada", base=base, to=to, power=4)
    assert (table.base(LENG).at(1).power, table.base(LENG).at(1).here) == (2, 1)
    assert (table.base("innsmouth").at(1).power, table.base("innsmouth").at(1).here) == (4, 1)
    assert "below 0" in refuses(table.do, "move_minion", seat="Ada", base=base, to=to, power=5)
    assert refuses(table.do, "move_minion", seat="Ada", base=base, to=base, power=1) == "It is there already."


def test_a_printing_with_other_numbers_is_corrected(table):
    base = table.base(LENG).id
    table.do(
        "correct_base", base=base, name="Leng", breakpoint=9, vp_for_first=5, vp_for_second=0, vp_for_third=0
    )
    table.power(LENG, 9)
    assert table.view.phase.text == "Leng is ready to score."


# --- who takes which place ---

VPS = (4, 2, 1)


PLAIN = Card("pub", "The Pub", "", 10, VPS)


def places(*powers, card=PLAIN, minions=None, more=None, **reading):
    """Place and VP of each, from powers; None is a player who is not there."""
    counts = minions or [0 if power is None else 1 for power in powers]
    stands = [
        Stand(n, name, power or 0, count, (more or {}).get(n, 0))
        for n, (name, power, count) in enumerate(zip(CAST, powers, counts, strict=False), 1)
    ]
    return [(award.place, award.vp) for award in score(card, stands, **reading)]


@pytest.mark.parametrize(
    ("powers", "expected"),
    [
        ((10, 5), [(1, 4), (2, 2)]),
        ((5, 10), [(2, 2), (1, 4)]),
        ((7, 7), [(1, 4), (1, 4)]),
        ((12, None), [(1, 4), (0, 0)]),
        ((10, 5, 1), [(1, 4), (2, 2), (3, 1)]),
        ((10, 10, 5), [(1, 4), (1, 4), (3, 1)]),
        ((10, 5, 5), [(1, 4), (2, 2), (2, 2)]),
        ((6, 6, 6), [(1, 4), (1, 4), (1, 4)]),
        ((10, 10, None), [(1, 4), (1, 4), (0, 0)]),
        ((8, 6, 4, 2), [(1, 4), (2, 2), (3, 1), (4, 0)]),
        ((8, 8, 4, 2), [(1, 4), (1, 4), (3, 1), (4, 0)]),
        ((8, 4, 4, 2), [(1, 4), (2, 2), (2, 2), (4, 0)]),
        ((8, 6, 4, 4), [(1, 4), (2, 2), (3, 1), (3, 1)]),
        ((8, 8, 4, 4), [(1, 4), (1, 4), (3, 1), (3, 1)]),
        ((8, 8, 8, 4), [(1, 4), (1, 4), (1, 4), (4, 0)]),
        ((8, 4, 4, 4), [(1, 4), (2, 2), (2, 2), (2, 2)]),
        ((5, 5, 5, 5), [(1, 4), (1, 4), (1, 4), (1, 4)]),
        ((0, 9), [(2, 2), (1, 4)]),
    ],
)
def test_ties_of_every_shape(powers, expected):
    assert places(*powers) == expected


@effort(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=4))
def test_places_follow_from_power_alone(powers):
    """Against the rule said another way: a place is one more than those ahead."""
    for (place, vp), power in zip(places(*powers), powers, strict=True):
        assert place == 1 + len([other for other in powers if other > power])
        assert vp == ((*VPS, 0)[place - 1])


@pytest.mark.parametrize("order", sorted(set(itertools.permutations((9, 9, 4)))))
def test_the_order_of_the_seats_changes_nothing(order):
    assert sorted(places(*order)) == [(1, 4), (1, 4), (3, 1)]


def test_a_tie_takes_the_higher_place_and_not_the_larger_number():
    dojo = known_base(DOJO)
    assert places(6, 6, 3, card=dojo) == [(1, 2), (1, 2), (3, 2)]
    assert places(6, 6, 3, card=dojo, by_number=True) == [(1, 3), (1, 3), (3, 2)]


def test_power_without_a_minion_is_not_ranked_unless_the_table_says_so():
    assert places(9, 5, 3, minions=(0, 1, 1)) == [(0, 0), (1, 4), (2, 2)]
    assert places(9, 5, 3, minions=(0, 1, 1), by_power=True) == [
        (1, 4),
        (2, 2),
        (3, 1),
    ]
    assert places(None, 5, by_power=True) == [(0, 0), (1, 4)]


def test_the_mall_gives_a_vp_for_each_own_minion():
    mall = known_base(MALL)
    assert places(10, 8, 6, card=mall, minions=(2, 4, 0)) == [(1, 2), (2, 4), (0, 0)]


@pytest.mark.parametrize(("power", "vp"), [(14, 4), (15, 5), (19, 5), (20, 6)])
def test_the_factory_gives_the_winner_one_more_for_every_five_power(power, vp):
    assert places(power, 11, card=known_base(FACTORY)) == [(1, vp), (2, 2)]


def test_both_winners_of_a_tied_factory_use_its_ability():
    assert places(13, 13, 2, card=known_base(FACTORY)) == [(1, 4), (1, 4), (3, 1)]


def test_a_card_may_add_or_take_vp_but_nobody_gains_less_than_nothing():
    assert places(9, 5, more={1: 2, 2: -5}) == [(1, 6), (2, 0)]


def test_every_award_says_why():
    stands = [Stand(1, "Ada", 9, 1), Stand(2, "Bob", 9, 1), Stand(3, "Cleo", 4, 0)]
    awards = score(known_base(FACTORY), stands)
    assert [award.why for award in awards] == [
        "9 power: tied for first with Bob: each takes first, 2 VP; 1 VP more: one for each 5 of 9 power",
        "9 power: tied for first with Ada: each takes first, 2 VP; 1 VP more: one for each 5 of 9 power",
        "4 power but no minion here: not ranked",
    ]
    assert winners(awards) == (1, 2)


# --- scoring at the table ---


def test_a_scoring_from_choosing_to_the_new_base_and_the_way_back(table):
    table.power(LENG, 10, 10, 5)
    table.press("Score Plateau of Leng")
    assert table.vp() == [0, 0, 0]
    assert table.gains() == [("1st Ada", "+3 VP"), ("1st Bob", "+3 VP"), ("3rd Cleo", "+1 VP")]
    assert [row.why.rpartition("; ")[2] for row in table.piece("su-gives").rows] == [
        "0 → 3",
        "0 → 3",
        "0 → 1",
    ]
    before = table.state
    applied = table.press("All passed: score it")
    assert table.vp() == [3, 3, 1]
    assert [base.card.id for base in table.state.bases] == list(LAID[:4])  # its cards are still there
    assert (table.state.ready, table.view.phase.title) == ((), "Plateau of Leng has scored")
    replaced = table.replace(LENG)
    assert [base.card.id for base in table.state.bases] == [LAID[0], "the-homeworld", *LAID[2:4]]
    assert table.state.discards == (LENG,)
    assert table.piece("su-new").taps[0].label == "New base: The Homeworld"
    assert "on it: take that back first" in refuses(table.do, "take_back", entry=applied.version)
    table.do("take_back", entry=replaced.version)
    assert table.base(LENG).total == 25
    table.do("take_back", entry=applied.version)
    assert table.state == before
    table.do("put_back", entry=applied.version)
    assert table.vp() == [3, 3, 1]


def test_first_the_specials_after_scoring_then_the_cards_go_then_a_new_base_comes(table):
    """Manual, section 6: what moves away in an “after” Special is still there to be moved."""
    table.power(LENG, 10, 8)
    table.press("Score Plateau of Leng")
    table.press("All passed: score it")
    base = table.base(LENG).id
    table.do("use_special", seat="Ada", number=1, after="yes")
    table.do("move_minion", seat="Ada", base=base, to=table.base("innsmouth").id, power=4)
    for what, more in (("next_phase", {"phase": 3}), ("end_turn", {})):
        first = refuses(table.do, what, turn=1, **more)
        assert first == "Plateau of Leng has scored: first a new base takes its place."
    assert "first a new base" in refuses(table.do, "put_back_base", base=base)
    assert "first a new base" in refuses(table.do, "begin_scoring", base=base, number=2)
    assert table.buttons() == ["All passed: new base by lot"]
    table.evening.dice.rolls = [1]
    table.press("All passed: new base by lot")
    assert (table.vp(), table.base("innsmouth").at(1).power) == ([3, 2, 0], 4)
    assert table.evening.log[-1].text.split("; ") == [
        "all have passed after scoring",
        "Plateau of Leng and what lay there go",
        "Antarctic Base is laid out, by lot",
    ]
    assert table.buttons() == ["+1 Madness", "End turn"]
    again = refuses(table.do, "replace_base", base=base, number=1)
    assert again == "A new base has come there already."


def test_whoever_plays_leaves_after_a_scoring_and_the_base_is_still_replaced(table):
    table.power(LENG, 8, 10)
    table.choose(LENG)
    table.apply(LENG)
    table.do("remove_seat", seat="Ada")
    assert (table.view.phase.title, table.state.ready) == ("Plateau of Leng has scored", ())
    table.replace(LENG)
    assert "the-homeworld" in table.state.in_play


def test_two_phones_that_press_score_at_once_score_once(table):
    table.power(LENG, 10, 8)
    table.to(3)
    base = table.base(LENG).id
    table.choose(LENG)
    assert (
        refuses(table.do, "begin_scoring", base=base, number=1) == "Plateau of Leng is being scored already."
    )
    table.apply(LENG)
    for command in ("begin_scoring", "score_base"):
        assert refuses(table.do, command, base=base, number=1) == "Plateau of Leng is scored already."
    assert table.vp() == [3, 2, 0]


def test_several_ready_bases_ask_the_current_player_and_are_checked_again(table):
    table.power(LENG, 10, 8)
    table.power("the-asylum", 0, 16)
    table.pass_on()
    question = table.question()
    assert table.state.name(question.seat) == "Bob"
    assert [option.label for option in question.options] == ["Plateau of Leng", "The Asylum"]
    table.choose("the-asylum")
    table.apply("the-asylum")
    table.do("use_special", seat="Bob", number=1, after="yes")
    assert table.question().title == "A Special after scoring?"  # that comes before the next scoring
    table.replace("the-asylum", "jungle-oasis")
    assert table.view.phase.text == "Plateau of Leng is ready to score."
    table.power("jungle-oasis", 0, 0, 12)
    assert [option.label for option in table.question().options] == [
        "Plateau of Leng",
        "Jungle Oasis",
    ]


def test_a_base_is_scored_in_its_phase_and_only_when_it_is_ready(table):
    table.power(LENG, 10, 7)
    base = table.base(LENG).id
    assert (
        refuses(table.do, "begin_scoring", base=base, number=1)
        == "Plateau of Leng lacks 1 power to its breakpoint."
    )
    table.to(4)
    assert "third phase, Check for Scoring" in refuses(table.do, "begin_scoring", base=base, number=1)


def test_power_below_the_breakpoint_does_not_stop_a_scoring(table):
    table.power(LENG, 10, 8)
    table.to(3)
    table.choose(LENG)
    table.power(LENG, -9)
    assert table.view.phase.text.startswith("Below the breakpoint by now")
    table.apply(LENG)
    assert table.vp() == [2, 3, 0]


def test_specials_go_round_from_the_current_player_until_all_pass_in_a_row(table):
    table.power(LENG, 0, 10, 8)
    table.pass_on()
    table.to(3)
    table.choose(LENG)
    name = lambda: table.state.name(table.state.whose_special)  # noqa: E731
    assert name() == "Bob"
    table.do("pass_special", seat="Bob", number=1)
    assert (
        refuses(table.do, "pass_special", seat="Bob", number=1)
        == "It is Cleo who uses a Special or passes now."
    )
    table.do("use_special", seat="Cleo", number=1)
    for who in ("Ada", "Bob"):
        assert name() == who
        table.do("pass_special", seat=who, number=1)
    assert name() == "Cleo"  # who acted may come back
    table.do("pass_special", seat="Cleo", number=1)
    assert table.state.whose_special is None
    assert table.buttons() == ["Score it", "Not now: a slip"]


def scored(table):
    """Plateau of Leng has been scored on Bob's turn: Cleo first, Bob second, Ada not there."""
    table.power(LENG, 0, 8, 10)
    table.pass_on()
    table.choose(LENG)
    entry = table.apply(LENG)
    assert table.vp() == [0, 2, 3]
    return entry


def test_specials_go_round_once_more_after_the_scoring(table):
    scored(table)
    question = table.question()
    assert (table.state.name(question.seat), question.title) == ("Bob", "A Special after scoring?")
    assert [button.label for button in table.view.phase.buttons if button.strong] == [
        "All passed: new base by lot"
    ]
    for who, what in (("Bob", "pass"), ("Cleo", "use"), ("Ada", "pass"), ("Bob", "pass")):
        assert table.state.name(table.state.whose_special) == who
        table.do(f"{what}_special", seat=who, number=1, after="yes")
    assert table.evening.log[-1].text == "passes, no Special after scoring"
    assert table.says("su-order") == "In this order: Bob, Cleo, Ada. Passed: Ada and Bob."
    table.do("pass_special", seat="Cleo", number=1, after="yes")
    assert (table.state.whose_special, table.piece("question-3")) == (None, None)
    assert table.buttons() == ["New base by lot"]


def test_a_late_pass_counts_for_nothing(table):
    scored(table)
    late = refuses(table.do, "pass_special", seat="Bob", number=1)  # meant for the round before
    assert late == "Plateau of Leng is scored already."
    table.replace(LENG)
    assert refuses(table.do, "pass_special", seat="Bob", number=1, after="yes") == "All have passed already."
    table.to(4)
    assert refuses(table.do, "pass_special", seat="Bob", number=1, after="yes") == "That scoring is over."


def test_one_undo_takes_the_vp_back_even_if_somebody_has_passed_since(table):
    entry = scored(table)
    table.do("pass_special", seat="Bob", number=1, after="yes")
    table.do("take_back", entry=entry.version)
    assert (table.vp(), table.state.name(table.state.whose_special)) == ([0, 0, 0], "Bob")
    table.apply(LENG)
    assert table.vp() == [0, 2, 3]
    assert table.state.name(table.state.whose_special) == "Bob"  # that pass went with the scoring it followed


def test_specials_of_older_journals_were_all_before_scoring():
    assert not any(each.after for each in (SpecialPassed(1, 1), SpecialUsed(1, 1), SpecialsDone(1)))


def test_the_places_of_a_scoring_are_told_first_to_last(table):
    table.power(LENG, 5, 0, 13)
    table.to(3)
    table.choose(LENG)
    assert table.gains() == [("1st Cleo", "+3 VP"), ("2nd Ada", "+2 VP"), ("– Bob", "0")]
    table.apply(LENG)
    assert [words for words, _ in table.gains("su-gave")] == ["1st Cleo", "2nd Ada", "– Bob"]


UNIVERSITY = "miskatonic-university-base"


def university(smash, **rules):
    table = smash("Ada", "Bob", rules=rules).begin(UNIVERSITY, LENG, "innsmouth")
    table.do("draw_madness", seat="Ada", cards=3)
    table.do("draw_madness", seat="Bob", cards=3)
    table.power(UNIVERSITY, 20, 4)
    return table


def test_whoever_wins_at_the_university_is_offered_to_return_madness_cards(smash):
    table = university(smash)
    table.choose(UNIVERSITY)
    table.apply(UNIVERSITY)
    offered = lambda: [tap.opens for tap in table.piece("su-afterwards").taps]  # noqa: E731
    assert offered() == ["return-1", "next-base"]
    assert "return-1" in {form.id for form in table.view.forms}
    assert table.says("su-does") == (
        "After scoring: The winner may return any number of Madness cards from hand and discard pile to the"
        " Madness deck. Winner: Ada. All else there goes to its owners' discard piles."
    )
    table.do("return_madness", seat="Ada", cards=3)
    assert offered() == ["next-base"]


def test_even_where_fifteen_end_it_at_once_what_comes_after_the_scoring_comes_first(smash):
    table = university(smash, **{"end-check": "at-once"})
    give(table, (12, 0))
    table.choose(UNIVERSITY)
    table.apply(UNIVERSITY)
    assert (table.vp(), table.verdict.final) == ([15, 3], False)
    table.do("return_madness", seat="Ada", cards=3)
    table.replace(UNIVERSITY)
    assert table.verdict.summary == "Ada wins with 15 VP."


@pytest.mark.parametrize("card", ["ritual-site", "temple-of-goju"])
def test_what_a_base_does_with_its_minions_is_not_contradicted(smash, card):
    table = smash("Ada", "Bob").begin(card, LENG, "innsmouth")
    table.power(card, 20)
    table.choose(card)
    table.apply(card)
    does = table.base(card).card.ability
    assert table.says("su-does") == (
        f"After scoring: {does} Winner: Ada. All else there goes to its owners' discard piles."
    )


def test_the_phase_waits_until_a_scoring_is_over_or_stopped(table):
    table.power(LENG, 10, 8)
    table.to(3)
    table.choose(LENG)
    assert "finish that first" in refuses(table.do, "next_phase", turn=1, phase=3, anyway="yes")
    table.do("stop_scoring", number=1)
    assert table.state.scoring is None


def test_the_mall_asks_for_minions_in_its_preview(smash):
    table = smash("Ada", "Bob").begin(MALL, LENG, "innsmouth")
    table.power(MALL, 20, 8)
    table.to(3)
    table.choose(MALL)
    counters = table.piece("su-asks").pieces
    assert [(each.label, each.value) for each in counters] == [("Ada", 1), ("Bob", 1)]
    table.do("count_minions", **counters[0].do.args, by=3)
    table.apply(MALL)
    assert table.vp() == [4, 1]
    assert table.state.scored[0].awards[0].why == "20 power: first; 4 VP for 4 minions"


def test_a_card_that_changes_the_vp_is_counted_in_the_preview(table):
    table.power(LENG, 10, 8)
    table.to(3)
    table.choose(LENG)
    table.do("change_award", seat="Bob", number=1, by=2)
    table.apply(LENG)
    assert table.vp() == [3, 4, 0]
    assert "+2 VP by a card" in table.state.scored[0].awards[1].why


def test_a_card_changes_no_scoring_by_five_hundred(table):
    table.power(LENG, 10, 8)
    table.to(3)
    table.choose(LENG)
    table.do("change_award", seat="Bob", number=1, by=2)
    sentence = "Cards change a scoring by 15 VP at most; +502 looks mistyped."
    assert refuses(table.do, "change_award", seat="Bob", number=1, by=500) == sentence
    assert "−16 looks mistyped" in refuses(table.do, "change_award", seat="Bob", number=1, by=-18)
    table.do("change_award", seat="Bob", number=1, by=13)


def test_the_new_base_comes_by_lot_or_picked_or_typed_in_and_can_be_put_right(table):
    table.power(LENG, 18)
    table.choose(LENG)
    table.apply(LENG)
    assert [tap.label for tap in table.piece("su-next").taps] == [
        "Antarctic Base",
        "Ritual Site",
        "R'lyeh",
        "Miskatonic University (base)",
    ]
    table.evening.dice.rolls = [1]
    table.press("All passed: new base by lot")
    first = table.state.bases[1]
    assert first.card.set == "cthulhu"
    table.do("swap_base", base=first.id, card=MALL)
    assert table.state.bases[1].card.id == MALL
    assert table.piece("su-new").taps[0].label == "New base: Rhodes Plaza Mall"
    table.power(MALL, 24)
    assert "There is power at" in refuses(table.do, "swap_base", base=table.base(MALL).id, card=DOJO)
    table.choose(MALL)
    table.apply(MALL)
    numbers = {"vp_for_first": 4, "vp_for_second": 2, "vp_for_third": 1}
    new = {"name": "The Pub", "breakpoint": 9, **numbers}
    table.do("replace_base_typed", base=table.base(MALL).id, number=2, **new)
    assert table.state.bases[1].card.name == "The Pub"
    assert table.vp() == [4, 0, 0]


def empty_the_deck(table):
    while table.state.base_deck:
        card = table.state.bases[0].card
        table.power(card.id, card.breakpoint)
        table.score(card.id, table.state.base_deck[0])


def test_an_empty_base_deck_shuffles_the_scored_bases_or_brings_none(smash):
    for rule, left in (("shuffle", 3), ("none", 2)):
        table = smash("Ada", "Bob", rules={"base-deck-empty": rule}).begin()
        empty_the_deck(table)
        card = table.state.bases[0].card
        table.power(card.id, card.breakpoint)
        table.evening.dice.rolls = [1]
        table.score(card.id, "lot")
        assert len(table.state.bases) == left
        if rule == "shuffle":
            assert "shuffled into a new base deck" in table.evening.log[-1].text
            assert set(table.state.in_play).isdisjoint(table.state.base_deck)
            assert len(table.state.base_deck) == 5


def test_a_power_tap_under_a_scoring_cannot_be_taken_back(table):
    table.power(LENG, 10)
    tap = table.evening.journal.version
    table.power(LENG, 0, 8)
    table.score(LENG)
    assert "2 later taps rest on it" in refuses(table.do, "take_back", entry=tap)
    assert table.vp() == [3, 2, 0]


def test_whether_power_alone_is_ranked_is_the_tables_choice(smash):
    for choice, vp in (("minion", [0, 3, 0]), ("power", [3, 2, 0])):
        table = smash(rules={"who-is-ranked": choice}).begin()
        table.power(LENG, 10, 8)
        table.do("count_minions", seat="Ada", base=table.base(LENG).id, by=-1)
        table.score(LENG)
        assert table.vp() == vp


# --- Madness ---


def test_thirty_madness_cards_are_drawn_played_and_returned(table):
    table.do("draw_madness", seat="Ada", cards=2)
    table.do("play_madness", seat="Ada", choice="cards")
    assert table.state.madness.get(1, 0) == 2  # it went to the discard pile and is still hers
    table.do("play_madness", seat="Ada", choice="return")
    table.do("count_madness", seat="Bob", by=5)
    table.do("return_madness", seat="Bob", cards=2)
    assert (table.state.madness.get(1, 0), table.state.madness.get(2, 0), table.state.madness_deck) == (
        1,
        3,
        26,
    )
    assert refuses(table.do, "return_madness", seat="Ada", cards=2) == "Ada holds 1 Madness card, no more."
    assert refuses(table.do, "play_madness", seat="Cleo", choice="cards") == "Cleo holds no Madness card."


def test_the_thirty_first_madness_card_is_refused_and_an_empty_deck_ignores_draws(table):
    table.do("draw_madness", seat="Ada", cards=29)
    table.do("draw_madness", seat="Bob", cards=3)
    assert (table.state.madness.get(2, 0), table.state.madness_deck) == (1, 0)
    assert "3 were due, the deck is empty" in table.evening.log[-1].text
    empty = "The Madness deck is empty: all 30 cards are out, so the draw is ignored."
    assert refuses(table.do, "draw_madness", seat="Cleo") == empty
    assert refuses(table.do, "count_madness", seat="Cleo", by=1) == empty
    assert refuses(table.do, "draw_madness", seat="Cleo", cards=31) == "The cards can be at most 30."
    table.do("return_madness", seat="Bob")
    table.do("draw_madness", seat="Cleo")


def test_a_draw_that_was_returned_since_cannot_be_taken_back(table):
    drawn = table.do("draw_madness", seat="Ada", cards=2)
    table.do("return_madness", seat="Ada", cards=2)
    assert "on it: take that back first" in refuses(table.do, "take_back", entry=drawn.version)


def test_a_return_whose_cards_were_drawn_since_cannot_be_taken_back(table):
    table.do("draw_madness", seat="Ada", cards=30)
    returned = table.do("return_madness", seat="Ada", cards=1)
    table.do("draw_madness", seat="Bob")
    sentence = refuses(table.do, "take_back", entry=returned.version)
    assert "There are only 30 Madness cards; 0 are in the deck." in sentence


@effort(max_examples=40, deadline=None)
@given(st.data())
def test_deck_and_players_always_hold_thirty(games, data):
    from at_the_table import Evening

    table = Evening(games[SLUG], *CAST)
    for _ in range(data.draw(st.integers(1, 12))):
        command = data.draw(st.sampled_from(["draw_madness", "return_madness", "count_madness", "take_back"]))
        seat, number = data.draw(st.sampled_from(CAST)), data.draw(st.integers(-20, 20))
        given = {"seat": seat, "by": number, "cards": number}
        if command == "take_back":
            given = {"entry": data.draw(st.integers(1, table.journal.version))}
        try:
            table.do(command, **given)
        except Refused:
            continue
        held = [table.state.madness.get(seat.id, 0) for seat in table.table.seats]
        assert min(held) >= 0
        assert sum(held) + table.state.madness_deck == MADNESS


def test_whoever_leaves_gives_their_madness_cards_back(smash):
    table = smash(*CAST).begin()
    table.do("draw_madness", seat="Ada", cards=4)
    table.power(LENG, 5, 5)
    table.do("remove_seat", seat="Ada")
    assert table.state.madness_deck == MADNESS
    assert table.base(LENG).total == 5
    assert table.state.name(table.state.player) == "Bob"


def test_the_penalty_stands_beside_the_vp_when_the_game_is_over_and_not_before(table):
    table.do("count_vp", seat="Ada", by=16)
    table.do("draw_madness", seat="Ada", cards=5)
    assert (table.piece("mad-1").label, table.piece("mad-1").detail) == ("5 Madness", "")
    assert table.says("su-seat-1") == "At the end 5 Madness cards will cost 2 VP"
    assert table.view.seats[0].score == "16"
    ended = table.end_turn()
    assert table.piece("mad-1").detail == "16 − 2 = 14"
    table.do("take_back", entry=ended.version)
    table.do("count_vp", seat="Bob", by=1, reason="Cave of Shinies")
    assert "+1 VP for Cave of Shinies, now 1" in table.evening.log[-1].text
    assert refuses(table.do, "count_vp", seat="Bob", by=-2) == "Bob has 1 VP; nobody goes below 0."


def test_nobody_has_five_hundred_vp(table):
    table.do("count_vp", seat="Ada", by=12)
    sentence = "512 VP for Ada? 15 end the game, so that looks mistyped."
    assert refuses(table.do, "count_vp", seat="Ada", by=500) == sentence
    assert refuses(table.do, "count_vp", seat="Ada", by=34).startswith("46 VP for Ada?")
    table.do("count_vp", seat="Ada", by=33)
    assert table.vp() == [45, 0, 0]


# --- who joins late ---


def test_who_joins_a_game_under_way_chooses_factions_and_brings_a_base(smash):
    table = smash("Ada", "Bob")
    for who, faction in (("Ada", "Innsmouth"), ("Ada", "Zombies"), ("Bob", "Robots"), ("Bob", "Aliens")):
        table.do("choose_faction", seat=who, faction=faction)
    table.begin()
    assert table.says("su-late") == ""
    table.do("add_seat", name="Cleo")
    assert table.says("su-late") == (
        "Cleo has no factions yet. Tap their Madness below, choose two, shuffle, draw five cards."
        " 3 players play with 4 bases: one more comes."
    )
    core = {tap.label: tap.why_not for tap in table.piece("set-core-3").taps}
    assert (core["Pirates"], core["Robots"]) == ("", "Bob plays it")
    assert table.piece("set-core-1") is None
    assert "faction-3" in {form.id for form in table.view.forms}
    table.do("choose_faction", seat="Cleo", faction="Pirates")
    table.do("choose_faction", seat="Cleo", faction="Killer Plants")
    table.evening.dice.rolls = [1]
    table.do("draw_bases", have=3)
    assert (table.says("su-late"), len(table.state.bases)) == ("", 4)
    assert table.piece("set-core-3") is None
    assert table.piece("su-seat-3").title == "Cleo: Pirates + Killer Plants"


def test_a_table_that_keeps_no_factions_is_not_asked_for_any(smash):
    table = smash("Ada", "Bob").begin()
    table.do("add_seat", name="Cleo")
    assert table.says("su-late") == "3 players play with 4 bases: one more comes."


# --- the end ---


def test_everybody_is_told_as_soon_as_somebody_has_fifteen(smash):
    table = smash().begin()
    give(table, (14, 0), (3, 0))
    assert table.says("su-ending") == ""
    give(table, (1, 0))
    assert table.says("su-ending") == "The game ends with this turn: as it stands, Ada would win."
    assert table.piece("su-ending") in table.view.phase.first  # above the buttons, on the first screen
    give(table, (0, 0), (12, 0))
    assert table.says("su-ending") == "Ada and Bob tie with 15 VP: play goes on until one is ahead."
    table.end_turn()
    assert table.says("su-ending").startswith("Ada and Bob tie")
    give(table, (1, 0))
    table.end_turn()
    assert (table.verdict.summary, table.says("su-ending")) == ("Ada wins with 16 VP.", "")


def test_a_penalty_that_takes_the_end_back_is_told(smash):
    table = smash(rules={"penalty-unends": "yes"}).begin()
    give(table, (15, 2), (3, 0))
    said = "After the penalty nobody has 15 VP left. The game goes on. Ada leads with 14 VP."
    assert (table.says("su-ending"), table.verdict.summary) == (said, said)


def test_places_are_those_of_the_numbers_beside_them_until_the_game_is_over(table):
    assert [each.notes for each in table.view.seats] == [("plays now",), (), ()]
    give(table, (4, 0), (9, 2), (8, 0))
    assert [(each.notes[0], each.leads) for each in table.view.seats] == [
        ("3rd", False),
        ("1st", True),
        ("2nd", False),
    ]
    give(table, (0, 0), (7, 6), (1, 0))  # 16 and 8 Madness cards, 9 and none
    table.end_turn()
    assert [each.notes[0] for each in table.view.seats] == ["3rd", "1st", "2nd"]
    told = [step.text for step in table.verdict.steps if step.because == "madness-penalty"]
    assert [each.partition(":")[0] for each in told] == ["Bob", "Cleo", "Ada"]


def test_where_madness_breaks_ties_it_ranks_as_well_in_the_end(smash):
    table = smash(rules={"tied-for-most": "madness"}).begin()
    give(table, (4, 0), (16, 2), (15, 0))
    table.end_turn()
    assert [each.notes[0] for each in table.view.seats] == ["3rd", "2nd", "1st"]


def test_before_the_verdict_everyone_counts_madness_in_hand_deck_and_discard_pile(table):
    give(table, (14, 3))
    assert table.piece("su-count") is None
    give(table, (1, 0))
    counters = table.piece("su-count").pieces
    assert "hand, deck and discard pile" in table.piece("su-count").title
    assert [(each.label, each.value) for each in counters] == [("Ada", 3), ("Bob", 0), ("Cleo", 0)]
    table.do(counters[1].do.command, **counters[1].do.args, by=2)
    assert "End the game" in table.buttons()
    table.press("End the game")
    assert table.verdict.final


def test_the_recap_tells_scored_bases_factions_and_vp_before_the_penalty(smash):
    table = smash("Ada", "Bob")
    table.do("choose_faction", seat="Ada", faction="Innsmouth")
    table.do("choose_faction", seat="Ada", faction="Zombies")
    table.begin()
    table.power(LENG, 10, 8)
    table.score(LENG)
    give(table, (13, 4), (9, 0))
    ended = table.end_turn()
    told = [moment.text for moment in recap("K7PQ4M", table.evening.journal).moments]
    assert "Plateau of Leng scores: Ada +3 and Bob +2" in told
    assert "Counted up: Ada (Innsmouth and Zombies) 16 − 2 = 14 VP; Bob 11 VP" in told
    assert ended.events[0].tally


def give(table, *vp_and_madness):
    for name, (vp, madness) in zip(CAST, vp_and_madness, strict=False):
        if vp:
            table.do("count_vp", seat=name, by=vp)
        if madness:
            table.do("draw_madness", seat=name, cards=madness)


def test_fifteen_ends_the_game_at_the_end_of_the_turn_and_not_before(table):
    give(table, (14, 0), (3, 0))
    table.end_turn()
    assert not table.verdict.final
    give(table, (1, 0))
    assert not table.verdict.final
    assert table.verdict.summary == "The game ends with this turn: as it stands, Ada would win."
    table.end_turn()
    assert (table.verdict.outcome, table.verdict.summary) == ("win", "Ada wins with 15 VP.")
    assert {step.because for step in table.verdict.steps} == {
        "madness-penalty",
        "fifteen-ends",
        "most-vp-wins",
    }
    assert "The game is over" in refuses(table.do, "play_on", turn=2)
    assert "That turn is over" in refuses(table.do, "next_phase", turn=2, phase=5)


ENDS = [
    # VP and Madness of three, who wins by default, and where the rule says so
    ([(15, 0), (9, 0), (3, 0)], ["Ada"], {}),
    ([(15, 1), (14, 0), (3, 0)], ["Ada"], {}),
    ([(15, 6), (14, 0), (3, 0)], ["Bob"], {}),
    ([(15, 6), (14, 0), (3, 0)], None, {"penalty-unends": "yes"}),
    ([(17, 4), (14, 0), (3, 0)], ["Ada"], {"penalty-unends": "yes"}),
    ([(16, 5), (15, 0), (3, 0)], ["Bob"], {}),
    ([(18, 2), (17, 1), (3, 0)], None, {}),
    ([(18, 2), (17, 1), (3, 0)], ["Bob"], {"tied-for-most": "madness"}),
    ([(17, 3), (17, 3), (3, 0)], ["Ada", "Bob"], {"tied-for-most": "madness"}),
    ([(17, 3), (17, 2), (16, 0)], None, {}),
    ([(17, 3), (17, 2), (16, 0)], ["Cleo"], {"tied-for-most": "madness"}),
    ([(14, 0), (14, 0), (14, 0)], None, {}),
]


@pytest.mark.parametrize(("standing", "wins", "rules"), ENDS)
def test_the_end_with_and_without_penalty(smash, standing, wins, rules):
    table = smash(rules=rules).begin()
    give(table, *standing)
    table.end_turn()
    named = [table.state.name(seat) for seat in table.verdict.winners]
    assert (named or None) == wins
    assert table.verdict.final == (wins is not None)


def test_a_tie_for_the_most_plays_on_until_one_is_ahead(table):
    give(table, (16, 2), (15, 0))
    table.end_turn()
    assert table.state.turn == 2
    assert "Ada and Bob tie with 15 VP: play goes on" in table.evening.log[-1].text
    assert "tie-plays-on" in {step.because for step in table.verdict.steps}
    table.end_turn()
    assert table.state.turn == 3
    give(table, (0, 0), (1, 0))
    table.end_turn()
    assert table.verdict.summary == "Bob wins with 16 VP."


def test_a_correction_after_the_end_takes_it_back_and_play_goes_on(table):
    give(table, (15, 0))
    table.end_turn()
    assert table.verdict.final
    table.do("count_vp", seat="Ada", by=-1)
    assert not table.verdict.final
    assert table.view.phase.buttons[0].label == "Play on"
    table.do("play_on", turn=1)
    assert (table.state.turn, table.state.name(table.state.player)) == (2, "Bob")


def test_a_table_may_check_at_once(smash):
    table = smash(rules={"end-check": "at-once"}).begin()
    give(table, (15, 0))
    assert table.verdict.summary == "Ada wins with 15 VP."
    assert "The game is over" in refuses(table.do, "next_phase", turn=1, phase=1)


# --- tallies ---


def told(*players, **more):
    named = [{"name": n, "vp": v, "madness_cards": m} for n, (v, m) in zip(CAST, players, strict=False)]
    return {"players": named, **more}


def judged(games, tally):
    verdict, table = judge_tally(games[SLUG], json.dumps(tally))
    return verdict.outcome, [table.seat(id).name for id in verdict.winners]


@pytest.mark.parametrize(("standing", "wins", "rules"), ENDS)
def test_a_tally_is_judged_like_the_table(games, standing, wins, rules):
    outcome, names = judged(games, told(*standing, house_rules=rules))
    assert (names or None) == wins
    assert outcome == ("continues" if wins is None else "win" if len(wins) == 1 else "shared")


BAD = {
    "31 Madness cards": (told((15, 20), (3, 11)), "There are only 30 Madness cards; the tally has 31."),
    "31 by one player": (told((15, 31), (3, 0)), "players[0].madness_cards can be at most 30"),
    "negative Madness": (told((15, -1), (3, 0)), "players[0].madness_cards must be at least 0"),
    "negative VP": (told((15, 0), (-3, 0)), "players[1].vp must be at least 0"),
    "one player": (told((15, 0)), "is for 2 to 4 players"),
    "five players": ({"players": [{"name": n, "vp": 1, "madness_cards": 0} for n in "ABCDE"]}, "has 5"),
    "an unknown key": (told((15, 0), (3, 0), round=3), "“round”"),
    "an unknown house rule": (told((15, 0), (3, 0), house_rules={"moon": "x"}), "no such house rule"),
    "a key too many": ({"players": [{"name": n, "vp": 1, "madness_cards": 0, "hp": 1} for n in "AB"]}, "hp"),
    "no Madness": ({"players": [{"name": n, "vp": 1} for n in "AB"]}, "lacks players[0].madness_cards"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_tally_that_cannot_be_gets_one_sentence(games, bad):
    tally, sentence = BAD[bad]
    with pytest.raises(Refused) as refused:
        judged(games, tally)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_command_judges_a_tally():
    words = [sys.executable, "-m", "companion", "adjudicate", SLUG, "--json"]
    text = json.dumps(told((16, 5), (15, 0))).encode()
    asked = subprocess.run(words, input=text, capture_output=True, timeout=60)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert (answer["outcome"], answer["winners"], answer["summary"]) == (
        "win",
        ["Bob"],
        "Bob wins with 15 VP.",
    )
    assert "Ada: 16 − 2 = 14 VP; 5 Madness cards cost 2." in [step["text"] for step in answer["steps"]]


# --- on the wire ---


@pytest.fixture
def drawn(app, phone):
    """Four players at five bases; gives what a tap sends to every phone."""
    ada, parts, play = phone(), app.extensions["parts"], app.extensions["play"]
    code = ada.open(*CAST, slug=SLUG)
    for n, card in enumerate(LAID):
        ada.tap(code, "lay_base", card=card, have=n)
    ada.tap(code, "begin_game")

    def tap(command, page="table", **given):
        before = parts.drawing(play.show(code), page)
        answer = ada.tap(code, command, **given)
        assert answer.status_code == 201, answer.text
        return parts.drawing(play.show(code), page).since(before)

    tap.page = lambda: parts.drawing(play.show(code), "table")
    return tap


def targets(sent):
    return re.findall(r'<hx-partial id="([\w-]+)"', sent)


def test_a_tap_sends_the_numbers_it_changed_and_no_other_base(drawn):
    drawn("next_phase", turn=1, phase=1)
    sent = drawn("play_minion", base=2, power=4)
    assert targets(sent)[:3] == ["meter-2", "power-2-1-n", "minions-2-1-n"]
    assert not re.search(r"(meter|row|plays|place)-[^2]|seat-|phase|sheets", " ".join(targets(sent)))
    assert len(drawn("count_power", page="display", seat=1, base=2, by=14)) < 5_000  # ready to score
    assert len(drawn("draw_madness", seat=2)) < 3_000
    drawn("begin_scoring", base=2, number=1)
    drawn("score_base", base=2, number=1)
    scored = drawn("replace_base", base=2, number=1, card=DOJO)
    assert "place-2" in targets(scored)
    assert 'id="place-3"' not in scored


def test_what_is_tapped_most_sends_next_to_nothing(drawn):
    first = drawn("play_minion", base=2, power=4)  # with the phase that begins with it
    assert "ask" not in targets(
        first
    )  # so no page turns to another phase under the finger that plays the next
    assert targets(first)[0] == "su-steps"  # and no more of the phase than that
    assert len(first.encode()) < 3_000
    for command, more in (
        ("play_minion", {"power": 2}),
        ("count_power", {"by": 1}),
        ("count_minions", {"by": 1}),
    ):
        sent = len(drawn(command, seat=1, base=2, **more).encode())
        assert sent < 2_000, command


def test_a_turn_that_ends_sends_no_row_of_minions_again(app, phone):
    ada, parts, play = phone(), app.extensions["parts"], app.extensions["play"]
    code = ada.open(*CAST[:3], slug=SLUG, mine=3)
    for n, card in enumerate(LAID[:4]):
        ada.tap(code, "lay_base", card=card, have=n)
    ada.tap(code, "begin_game")
    before = parts.drawing(play.show(code), "table")
    ada.tap(code, "end_turn", turn=1)
    sent = parts.drawing(play.show(code), "table").since(before)
    assert not re.search("turn-|plays-", " ".join(targets(sent)))
    assert len(sent.encode()) < 3_500


def test_every_piece_is_one_element_with_the_id_it_is_marked_with(drawn):
    drawn("draw_madness", seat=2)
    page = drawn.page()
    drawings = [*page.parts.values(), *page.groups["seats"].values()]
    ids = [id for each in drawings for id in each.pieces]
    for each in drawings:
        for id, piece in each.pieces.items():
            assert re.match(rf'<\w+ [^>]*\bid="{id}"', piece.html), piece.html[:80]
    assert {"place-1", "meter-1", "row-1-4", "power-1-4-n", "su-decks", "mad-2"} <= set(ids)
    assert len(ids) == len(set(ids))


# --- words ---


def test_every_house_rule_has_a_ruling_that_names_it(games):
    game = games[SLUG]
    rules = {rule.id for rule in game.house_rules}
    assert {ruling.house_rule for ruling in game.rulings} - {""} == rules


# --- what people ask here ---


def rulings_now(table):
    return [ruling.id for ruling in shelf()[SLUG].rulings_now(table.view)]


def test_a_base_is_asked_about_only_while_it_lies_there(smash):
    assert "base-rlyeh" in rulings_now(smash("Ada", "Bob").begin("rlyeh", LENG, MALL))
    assert "base-rlyeh" not in rulings_now(smash("Ada", "Bob").begin("tortuga", LENG, MALL))


def test_the_base_that_scores_is_asked_about_first():
    game = shelf()[SLUG]
    phase = Phase("Scoring Tortuga", key="score", step="3 tortuga None")
    view = View(phase, (), in_play=frozenset({"tortuga", "rlyeh"}))
    assert game.rulings_now(view)[0].id == "base-tortuga"
    after = [
        ruling.id for ruling in game.rulings_now(View(Phase("After", key="score", step="after 3 None"), ()))
    ]
    assert after[0] in {"after-scoring-cleanup", "new-base", "recheck-bases", "after-specials"}
    assert not [id for id in after if id.startswith("base-") and id not in ("base-ready", "base-swapped")]


@pytest.mark.parametrize(
    ("rule", "ids"),
    [
        (
            "tied-for-most",
            {"tie-plays-on", "tie-no-madness", "most-vp-wins", "tie-before-penalty", "end-finish-round"},
        ),
        ("penalty-unends", {"penalty-below-fifteen", "penalty-when"}),
        ("who-is-ranked", {"needs-a-minion", "award-alone", "award-places"}),
        ("tied-place", {"tied-places", "ties-second", "ties-three", "ties-higher-place"}),
        ("base-deck-empty", {"base-deck-empty", "new-base"}),
        ("end-check", {"fifteen-ends", "win-check-when", "end-phase", "goal"}),
    ],
)
def test_no_answer_states_flatly_what_the_table_chooses(rule, ids):
    assert {ruling.id for ruling in shelf()[SLUG].rulings if ruling.house_rule == rule} == ids
