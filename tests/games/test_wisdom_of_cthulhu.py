"""Wisdom of Cthulhu: six turns, six Paths each, two laps of declaring, eight actions."""

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion.command_line.main import main
from companion.core import Phase, Refused, View
from companion.core.decide import Forbidden
from companion.core.pieces import Tap, inside
from companion.core.table import COLOURS, SYMBOLS
from companion.games import shelf, wisdom_of_cthulhu
from companion.games.wisdom_of_cthulhu.box import (
    ACTIONS,
    BONDS,
    CARDS,
    HOUSE_RULES,
    steps,
)
from companion.lookup.rooms import LookUp

SLUG = "wisdom-of-cthulhu"
CAST = ("Ada", "Bob", "Cleo", "Dov")
DARK_MASTERS = {name: each for name, each in CARDS.items() if each.family == "dm"}
ENTITIES = {name: each for name, each in CARDS.items() if each.family == "en"}


class Wisdom:
    """A table, and short words for what is tapped there."""

    def __init__(self, evening, begun=True):
        self.evening, self.do = evening, evening.do
        if begun:
            self.do("begin_game")

    @property
    def state(self):
        return self.evening.state

    @property
    def view(self):
        return self.evening.view

    @property
    def verdict(self):
        return self.evening.verdict

    @property
    def now(self):
        return self.state.turn, self.state.phase

    def id(self, name):
        return self.evening.seat(name).id

    def player(self, name):
        return self.state.player(self.id(name))

    def kp(self, name):
        return self.state.kp(self.id(name))

    def cards(self, name):
        """Paths, spent, temporary, permanent."""
        each = self.player(name)
        return each.hand, each.spent, each.temporary, each.permanent

    def names(self, seats):
        return [self.state.name(seat) for seat in seats]

    def say(self, **counts):
        """What each declares: a number for lap 1, or a pair for both laps."""
        pairs = {
            self.id(name): said if isinstance(said, tuple) else (said, 0) for name, said in counts.items()
        }
        while self.state.declarer:
            seat, lap = self.state.declarer
            self.do(
                "declare", seat=seat, turn=self.state.turn, lap=lap, count=pairs.get(seat, (0, 0))[lap - 1]
            )

    def act(self, command, seat="", **more):
        whose = self.id(seat) if seat else self.state.actor
        return self.do(command, seat=whose, turn=self.state.turn, after=self.state.acted, **more)

    def sheet(self, form):
        """What can be tapped at once in a sheet."""
        found = next(each for each in self.view.forms if each.id == form)
        return [tap for tap in inside(found.pieces) if isinstance(tap, Tap)]

    def press(self, form, label):
        """A tile of a sheet, by what it says."""
        do = next(tap.do for tap in self.sheet(form) if tap.label == label)
        return self.do(do.command, **do.args)

    def buy(self, name, press=True):
        """A card of the box, with the tap that its tile sends."""
        family = {"en": "entity"}.get(CARDS[name].family, CARDS[name].family)
        assert not press or not self.offer(family).off
        return self.press(f"act-{family}", name)

    def learned(self, name):
        """The tiles on a player's card."""
        id = f"wis-cards-{self.id(name)}"
        return self.piece(id).taps if self.has(id) else ()

    def piece(self, id):
        """By its id, wherever it stands."""
        return next(each for each in inside(self.view.pieces) if getattr(each, "id", "") == id)

    def has(self, id):
        return any(getattr(each, "id", "") == id for each in inside(self.view.pieces))

    @property
    def ticks(self):
        return self.piece("wis-list").ticks

    def offer(self, id):
        """What whoever acts reads about an action."""
        return self.piece(f"wis-act-{id}")

    @property
    def stops(self):
        return [(each.label, each.state) for each in self.piece("wis-stops").stages]

    def lies(self, seat=1):
        """What is before a player, in words."""
        return self.piece(f"wis-lies-{seat}").text.split(" · ")[1:]

    def rite(self, name, bond, **more):
        """The next box of the Ritual."""
        box = self.player(name).ritual + 1
        return self.do("advance_ritual", seat=name, turn=self.state.turn, box=box, bond=bond, **more)

    def close(self):
        """Through the End of Search, and into the Preparation of the next turn."""
        if self.state.phase == "research":
            self.do("end_research", turn=self.state.turn)
        self.do("close_turn", turn=self.state.turn)

    def asked(self, form, field):
        """What a sheet offers to choose from, and what is chosen until somebody does."""
        found = next(each for each in self.view.forms if each.id == form)
        found = next(each for each in found.fields if each.name == field)
        return found.value, dict(found.choices)

    def finish(self):
        """The rest of this turn, without a word, up to the Research Order of the next."""
        if self.state.phase == "preparation":
            self.do("finish_preparation", turn=self.state.turn)
        self.say()
        if self.state.phase == "research":
            self.do("end_research", turn=self.state.turn)
        self.do("close_turn", turn=self.state.turn)
        if self.state.phase == "preparation":
            self.do("finish_preparation", turn=self.state.turn)

    def to_turn(self, turn):
        while self.state.turn < turn:
            self.finish()
        return self


@pytest.fixture
def table(sit_down):
    def sit(players=3, begun=True, **more):
        return Wisdom(sit_down(SLUG, *CAST[:players], **more), begun)

    return sit


# --- set-up ---


@pytest.mark.parametrize(
    ("players", "words"),
    [
        (2, ["2 Entities", "6 Arcane", "3 Forbidden Wisdom, 2 Alien Science, 1 Dark", "counters 1 and 2"]),
        (3, ["3 Entities", "9 Arcane", "5 Forbidden Wisdom, 3 Alien Science, 1 Dark", "1, 2 and 3"]),
        (4, ["4 Entities", "12 Arcane", "6 Forbidden Wisdom, 4 Alien Science, 2 Dark", "1, 2, 3 and 4"]),
    ],
)
def test_the_set_up_is_a_checklist_with_the_numbers_for_this_many_players(table, players, words):
    wisdom = table(players, begun=False)
    labels = [tick.label for tick in wisdom.ticks]
    for word in (f"{players} Great Old Ones", *words):
        assert sum(word in label for label in labels) == 1, word
    assert any("Seeker, Elder Sign and Ritual token" in label for label in labels)
    assert any("six Paths" in label and "AS/DM" in label for label in labels)
    assert not wisdom.view.phase.buttons[0].strong
    for tick in wisdom.ticks:
        wisdom.do(tick.do.command, **tick.do.args)
    assert all(tick.done for tick in wisdom.ticks)
    assert wisdom.view.phase.buttons[0].strong == (players == 4), "fewer say which Great Old Ones are in play"
    for bond in BONDS[:players]:
        wisdom.do("choose_god", god=bond.id)
    assert wisdom.view.phase.buttons[0].strong
    with pytest.raises(Refused, match="ticked already"):
        wisdom.do("tick", item="places")
    wisdom.do("tick", item="places", done="no")
    with pytest.raises(Refused, match="not on the list"):
        wisdom.do("tick", item="sandwiches")


def test_three_players_may_lay_out_the_later_drafts_eight_cards(table):
    wisdom = table(3, begun=False, rules={"three-players": "short"})
    assert any("5 Forbidden Wisdom, 2 Alien Science, 1 Dark Master" in tick.label for tick in wisdom.ticks)


def test_the_great_old_ones_are_chosen_or_drawn_as_many_as_players(table):
    wisdom = table(2, begun=False)
    wisdom.do("choose_god", god="horror")
    wisdom.do("choose_god", god="madness")
    assert wisdom.state.gods == ("madness", "horror")
    with pytest.raises(Refused, match="2 Great Old Ones; take one out"):
        wisdom.do("choose_god", god="dimension")
    with pytest.raises(Refused, match="Cthulhu is in play already"):
        wisdom.do("choose_god", god="madness")
    wisdom.do("choose_god", god="horror", done="no")
    wisdom.evening.dice.rolls = [3, 2, 1, 4]
    wisdom.do("draw_gods")
    assert wisdom.state.gods == ("dimension", "nightmare")
    assert "by lot" in wisdom.evening.log[-1].text
    wisdom.do("begin_game")
    with pytest.raises(Refused, match="Lots are drawn before turn 1"):
        wisdom.do("draw_gods")


def test_great_old_ones_that_nobody_named_can_be_named_while_the_game_goes_on(table):
    wisdom = table(2)
    assert wisdom.piece("wis-gods-in").title == "Great Old Ones: 0 of 2 named"
    assert wisdom.state.in_play("nightmare"), "as long as nobody says, any may be in play"
    for god in ("madness", "horror"):
        do = wisdom.piece(f"wis-god-{god}").do
        wisdom.do(do.command, **do.args)
    assert [tap.label for tap in wisdom.piece("wis-gods").taps if tap.on] == ["Cthulhu", "Shub-Niggurath"]
    assert wisdom.piece("wis-gods-in").title == "Great Old Ones in play"
    ready_to_evoke(wisdom, "Ada", bond="nightmare")
    with pytest.raises(Refused, match="Nyarlathotep is not in play"):
        wisdom.do("evoke", seat="Ada", turn=1, bond="nightmare")
    wisdom.do("choose_god", god="horror", done="no")
    wisdom.do("choose_god", god="nightmare")
    wisdom.do("evoke", seat="Ada", turn=1, bond="nightmare")
    gods = {tap.label: (tap.do, tap.tone) for tap in wisdom.piece("wis-gods").taps}
    assert gods["Nyarlathotep"] == (None, "good"), "now it is settled"
    assert {gods[name] for name in ("Cthulhu", "Shub-Niggurath", "Yog-Sothoth")} == {(None, "done")}
    wisdom.do("choose_god", god="nightmare", done="no")
    with pytest.raises(Refused, match="Nyarlathotep has been evoked, so it is one of those in play"):
        wisdom.do("choose_god", god="dimension")
    four = table(4).piece("wis-gods").taps
    assert {(tap.do, tap.tone) for tap in four} == {(None, "good")}, "four players have all four"


# --- six turns of four phases ---


def test_turn_1_has_no_preparation_and_later_turns_have_five_steps_of_it(table):
    wisdom = table()
    assert wisdom.now == (1, "order")
    assert wisdom.stops == [
        ("Preparation", "skipped"),
        ("Research Order", "now"),
        ("Research", "next"),
        ("End of Search", "next"),
    ]
    wisdom.say()
    wisdom.do("end_research", turn=1)
    assert [state for _, state in wisdom.stops] == ["skipped", "done", "done", "now"]
    assert len(wisdom.ticks) == 5
    wisdom.do("close_turn", turn=1)
    assert wisdom.now == (2, "preparation")
    assert [state for _, state in wisdom.stops] == ["now", "next", "next", "next"]
    labels = [tick.label for tick in wisdom.ticks]
    assert len(labels) == 5
    assert "5 Forbidden Wisdom, 3 Alien Science, 1 Dark Master" in labels[2]
    assert [tick.do is None for tick in wisdom.ticks] == [False, False, False, True, True]
    for tick in [tick for tick in wisdom.ticks if tick.do]:
        assert not wisdom.view.phase.buttons[0].strong, "not before all is ticked"
        wisdom.do(tick.do.command, **tick.do.args)
    assert wisdom.view.phase.buttons[0].strong
    wisdom.do("finish_preparation", turn=2)
    assert wisdom.now == (2, "order")
    assert wisdom.state.ticked == ()


def test_the_research_area_can_be_cleaned_at_the_end_of_the_turn(table):
    usual, early = table().evening.table, table(rules={"area-cleaned": "end"}).evening.table
    assert "left over" in steps(usual, "preparation", 2)[2].label
    assert steps(early, "preparation", 2)[2].label.startswith("Lay out 5 Forbidden Wisdom")
    assert [step.id for step in steps(early, "end", 1)][-1] == "clean"
    assert "clean" not in [step.id for step in steps(early, "end", 6)]
    assert "clean" not in [step.id for step in steps(usual, "end", 1)]


def test_what_comes_from_the_later_draft_says_so(table):
    wisdom = table()
    wisdom.say()
    assert [each.number for each in ACTIONS if each.later] == [4, 5, 7, 8, 8]
    assert wisdom.piece("wis-drafts").title == "From the later draft: actions 4, 5, 7 and 8"
    wisdom.do("end_research", turn=1)
    wisdom.do("close_turn", turn=1)
    assert all(step.later for step in steps(wisdom.evening.table, "preparation", 2))
    assert wisdom.piece("wis-drafts").title == "From the later draft: the steps of the Preparation"
    later = [each for each in wisdom.evening.journal.game.rulings if "ater draft" in each.source]
    assert len(later) >= 10


def test_a_late_tap_is_refused_kindly(table):
    wisdom = table()
    with pytest.raises(Refused, match="begun already"):
        wisdom.do("begin_game")
    wisdom.say()
    wisdom.do("end_research", turn=1)
    with pytest.raises(Refused, match="The Research of turn 1 is over already"):
        wisdom.do("end_research", turn=1)
    wisdom.do("close_turn", turn=1)
    with pytest.raises(Refused, match="End of Search of turn 1 is over already"):
        wisdom.do("close_turn", turn=1)
    with pytest.raises(Refused, match="Turn 2 is in its Preparation"):
        wisdom.do("close_turn", turn=2)
    with pytest.raises(Refused, match="at most 6"):
        wisdom.do("close_turn", turn=7)
    wisdom.do("finish_preparation", turn=2)
    with pytest.raises(Refused, match="Preparation of turn 2 is over"):
        wisdom.do("finish_preparation", turn=2)


def test_seekers_and_elder_signs_go_home_when_the_next_turn_is_prepared(table):
    wisdom = table()
    wisdom.say()
    wisdom.do("move_seeker", seat="Bob", to="place-2")
    wisdom.do("move_sign", seat="Cleo", to="entity")
    wisdom.do("end_research", turn=1)
    wisdom.do("close_turn", turn=1)
    assert wisdom.player("Bob").seeker == "place-2"
    wisdom.do("finish_preparation", turn=2)
    assert wisdom.player("Bob").seeker == wisdom.player("Cleo").sign == ""


# --- Research Order ---


def test_turn_1_declares_clockwise_from_the_starter_and_later_turns_follow_the_last_order(table):
    wisdom = table(4, begun=False)
    wisdom.do("choose_starter", seat="Cleo")
    wisdom.do("begin_game")
    assert wisdom.names(wisdom.state.speaking) == ["Cleo", "Dov", "Ada", "Bob"]
    wisdom.say(Bob=3, Ada=1)
    assert wisdom.names(wisdom.state.order) == ["Bob", "Ada", "Cleo", "Dov"]
    wisdom.do("end_research", turn=1)
    wisdom.do("close_turn", turn=1)
    wisdom.do("finish_preparation", turn=2)
    assert wisdom.names(wisdom.state.speaking) == ["Bob", "Ada", "Cleo", "Dov"]


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ({}, ["Ada", "Bob", "Cleo"]),
        ({"Cleo": 1}, ["Cleo", "Ada", "Bob"]),
        ({"Ada": 2, "Bob": 2, "Cleo": 3}, ["Cleo", "Ada", "Bob"]),
        ({"Ada": (1, 1), "Bob": 2}, ["Bob", "Ada", "Cleo"]),
        ({"Ada": (0, 2), "Bob": (1, 1), "Cleo": 2}, ["Cleo", "Ada", "Bob"]),
        ({"Ada": (2, 0), "Bob": (2, 1), "Cleo": (3, 0)}, ["Cleo", "Bob", "Ada"]),
        ({"Ada": 6, "Bob": (0, 6), "Cleo": (5, 1)}, ["Ada", "Bob", "Cleo"]),
    ],
)
def test_most_obsessions_act_first_and_a_tie_goes_to_whoever_got_there_first(table, said, order):
    wisdom = table()
    wisdom.say(**said)
    assert wisdom.now == (1, "research")
    assert wisdom.names(wisdom.state.order) == order
    ranks = wisdom.piece("wis-order").taps
    assert [(rank.badge, rank.label) for rank in ranks] == [(str(n), name) for n, name in enumerate(order, 1)]
    assert "Research Order: " + ", ".join(order) in wisdom.evening.log[-1].text


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"Ada": 1, "Bob": 2, "Cleo": 3}, ""),
        ({"Ada": (1, 1), "Bob": 2}, "Bob and Ada tie with 2: Bob came to it first."),
        ({"Cleo": 1}, "Ada and Bob tie with 0: Ada declared first."),
        ({"Ada": 1, "Bob": 1, "Cleo": 1}, "Ada, Bob and Cleo tie with 1: as they came to it."),
    ],
)
def test_a_tied_research_order_says_why_one_acts_first(table, said, words):
    wisdom = table()
    wisdom.say(**said)
    assert wisdom.has("wis-ties") == bool(words)
    if words:
        assert wisdom.piece("wis-ties").text == words
    assert words in wisdom.evening.log[-1].text
    assert ("tie" in wisdom.evening.log[-1].text) == bool(words)
    wisdom.do("end_research", turn=1)
    assert not wisdom.has("wis-ties"), "nobody asks any more"


def test_declaring_goes_round_twice_and_turns_paths_at_once(table):
    wisdom = table()
    heard = []
    for count in (2, 0, 1, 1, 0, 0):
        seat, lap = wisdom.state.declarer
        heard.append((wisdom.state.name(seat), lap))
        assert wisdom.piece("wis-ask").seat == seat
        wisdom.do("declare", seat=seat, turn=1, lap=lap, count=count)
    assert heard == [("Ada", 1), ("Bob", 1), ("Cleo", 1), ("Ada", 2), ("Bob", 2), ("Cleo", 2)]
    assert wisdom.cards("Ada") == (3, 0, 3, 0)


def test_nobody_declares_out_of_turn_twice_or_more_than_they_have(table):
    wisdom = table()
    with pytest.raises(Refused, match="It is Ada’s word in lap 1"):
        wisdom.do("declare", seat="Bob", turn=1, lap=1, count=1)
    with pytest.raises(Refused, match="at most 6"):
        wisdom.do("declare", seat="Ada", turn=1, lap=1, count=7)
    wisdom.do("declare", seat="Ada", turn=1, lap=1, count=4)
    with pytest.raises(Refused, match="Ada has declared in lap 1 already"):
        wisdom.do("declare", seat="Ada", turn=1, lap=1, count=4)
    wisdom.do("declare", seat="Bob", turn=1, lap=1, count=0)
    wisdom.do("declare", seat="Cleo", turn=1, lap=1, count=0)
    counts = wisdom.piece("wis-counts").taps
    assert [tap.label for tap in counts if not tap.off] == ["0", "1", "2"]
    assert {tap.why_not for tap in counts if tap.off} == {"2 left"}
    with pytest.raises(Refused, match="Ada has 2 Paths in hand, not 3"):
        wisdom.do("declare", seat="Ada", turn=1, lap=2, count=3)


def test_every_number_says_in_which_place_it_would_put_whoever_declares(table):
    """Whoever came to a number first acts first of equals, also against somebody who can still add."""
    wisdom = table(3)
    for count, comes in (
        (2, ["1st"] * 7),
        (3, ["2nd", "2nd", "2nd", "1st", "1st", "1st", "1st"]),
        (2, ["3rd", "3rd", "3rd", "2nd", "1st", "1st", "1st"]),
        (1, ["2nd", "2nd", "1st", "1st", "1st"]),
        (0, ["1st"] * 4),
    ):
        counts = [tap for tap in wisdom.piece("wis-counts").taps if not tap.off]
        assert [tap.detail for tap in counts] == comes
        do = counts[count].do
        wisdom.do(do.command, **do.args)
        named = wisdom.state.order.index(do.args["seat"]) + 1
        heard = len({each.seat for each in wisdom.state.declared})
        assert heard < 3 or comes[count][0] == str(named), "what it said came true"


def test_who_has_nothing_left_to_turn_is_not_asked_in_lap_2(table):
    wisdom = table(3)
    for count in (6, 2, 6):
        seat, lap = wisdom.state.declarer
        wisdom.do("declare", seat=seat, turn=1, lap=lap, count=count)
    assert wisdom.names([wisdom.state.declarer[0]]) == ["Bob"], "Ada has no Path left"
    entry = wisdom.do("declare", seat="Bob", turn=1, lap=2, count=4)
    assert wisdom.now == (1, "research"), "and neither has Cleo"
    wisdom.do("take_back", entry=entry.version)
    assert wisdom.names([wisdom.state.declarer[0]]) == ["Bob"]
    late = table(2, rules={"order-counts": "temporary"}).to_turn(6)
    for _ in (1, 2):
        seat, lap = late.state.declarer
        late.do("declare", seat=seat, turn=6, lap=lap, count=1)
    assert late.now == (6, "research"), "two taps for the whole order"


def test_permanent_obsessions_count_for_the_order_unless_the_table_says_no(table):
    for choice, order in (("both", ["Ada", "Bob"]), ("temporary", ["Bob", "Ada"])):
        wisdom = table(2, rules={"order-counts": choice})
        wisdom.do("set_cards", seat="Ada", hand=3, spent=0, temporary=0, permanent=3)
        wisdom.say(Ada=0, Bob=2)
        assert wisdom.names(wisdom.state.order) == order


# --- Research ---


def test_one_action_each_in_order_until_nobody_can_act(table):
    wisdom = table(2)
    wisdom.say(Bob=1)
    acted = []
    while wisdom.state.phase == "research":
        acted.append(wisdom.state.name(wisdom.state.actor))
        wisdom.act("cash_in", what="path" if wisdom.state.player(wisdom.state.actor).hand else "obsession")
    assert acted == ["Bob", "Ada"] * 6
    assert wisdom.now == (1, "end")
    assert wisdom.evening.log[-1].text.endswith("nobody can act any more: End of Search")
    assert (wisdom.kp("Ada"), wisdom.kp("Bob")) == (12, 11)
    with pytest.raises(Refused, match="for the Research phase"):
        wisdom.do("cash_in", seat="Ada", turn=1, after=12, what="path")


def test_who_has_no_card_left_is_out_and_the_others_go_on(table):
    wisdom = table(2)
    wisdom.say()
    wisdom.do("set_cards", seat="Bob", hand=1, spent=5, temporary=0, permanent=0)
    for name in ("Ada", "Bob", "Ada", "Ada"):
        assert wisdom.state.name(wisdom.state.actor) == name
        wisdom.act("cash_in", what="path")
    assert [rank.tone for rank in wisdom.piece("wis-order").taps] == ["waits", "done"]


def test_acting_out_of_turn_or_late_is_refused(table):
    wisdom = table()
    wisdom.say()
    with pytest.raises(Refused, match="It is Ada’s action, not Bob’s"):
        wisdom.act("cash_in", seat="Bob", what="path")
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="Somebody has acted meanwhile"):
        wisdom.do("cash_in", seat="Ada", turn=1, after=0, what="path")


def test_nobody_acts_for_another_where_everyone_taps_for_their_own_seat(table):
    wisdom = table()
    wisdom.say()
    bobs, adas = wisdom.evening.join("Phone 2", 2), wisdom.evening.join("Phone 3", 1)
    wisdom.do("limit_tapping", own_seats_only="yes")
    with pytest.raises(Forbidden, match="everyone taps for their own seat"):
        wisdom.act("cash_in", seat="Ada", what="path", phone=bobs)
    wisdom.act("cash_in", seat="Ada", what="path", phone=adas)
    assert wisdom.kp("Ada") == 2


def test_an_action_taken_back_puts_its_player_in_line_again(table):
    wisdom = table()
    wisdom.say()
    mistaken = wisdom.act("cash_in", what="path")
    wisdom.act("cash_in", what="path")
    wisdom.do("take_back", entry=mistaken.version)
    assert wisdom.state.name(wisdom.state.actor) == "Ada"
    assert wisdom.cards("Ada") == (6, 0, 0, 0)
    assert (wisdom.kp("Ada"), wisdom.kp("Bob")) == (0, 2)


def test_cashing_in_gives_two_for_a_path_and_one_for_an_obsession(table):
    wisdom = table(2)
    wisdom.say(Ada=2)
    assert wisdom.offer("cash-path").detail == "+2 KP"
    assert wisdom.offer("cash-obsession").detail == "+1 KP"
    wisdom.act("cash_in", what="obsession")
    assert (wisdom.kp("Ada"), wisdom.cards("Ada")) == (1, (4, 1, 1, 0))
    assert wisdom.offer("cash-obsession").why_not == "no Obsession left"
    with pytest.raises(Refused, match="Bob has no Obsession left"):
        wisdom.act("cash_in", what="obsession")
    wisdom.act("cash_in", what="path")
    assert (wisdom.kp("Bob"), wisdom.cards("Bob")) == (2, (5, 1, 0, 0))


def test_a_knowledge_card_costs_a_path_and_may_give_points_at_once(table):
    wisdom = table(2)
    wisdom.say(Ada=1)
    assert wisdom.offer("fw").detail == "3 left"
    wisdom.do("move_seeker", seat="Ada", to="place-3")
    entry = wisdom.act("buy_knowledge", card="fw", points=3)
    assert wisdom.cards("Ada") == (4, 1, 1, 0)
    assert wisdom.kp("Ada") == 3
    assert wisdom.player("Ada").seeker == "", "who explored takes the Seeker back"
    wisdom.do("take_back", entry=entry.version)
    assert (wisdom.kp("Ada"), wisdom.player("Ada").seeker) == (0, "place-3"), "one tap, one entry"


def test_a_dark_master_bought_by_name_lies_before_the_buyer(table):
    wisdom = table(2)
    wisdom.say()
    wisdom.buy("Henry Armitage")
    assert [(m.name, m.bond, m.points) for m in wisdom.player("Ada").learned] == [
        ("Henry Armitage", "horror", 5)
    ]
    assert "Henry Armitage" not in [tap.label for tap in wisdom.sheet("act-dm")]
    with pytest.raises(Refused, match="Henry Armitage is with Ada already"):
        wisdom.do("take_card", seat="Bob", card="Henry Armitage")
    with pytest.raises(Refused, match="No card here is called Randolf"):
        wisdom.act("buy_knowledge", card="Randolf")
    with pytest.raises(Refused, match="Ghoul is no Knowledge card"):
        wisdom.act("buy_knowledge", card="Ghoul")


def test_without_paths_one_knowledge_card_may_be_bought_for_an_obsession(table):
    wisdom = table(2)
    wisdom.say(Ada=6, Bob=1)
    assert wisdom.offer("fw").detail == "3 left, 1 Obs."
    wisdom.act("buy_knowledge", card="as")
    assert wisdom.cards("Ada") == (0, 1, 5, 0)
    wisdom.act("cash_in", what="path")
    assert {wisdom.offer(family).why_not for family in ("fw", "as", "dm")} == {"no more this turn"}
    with pytest.raises(Refused, match="no more Knowledge cards this turn"):
        wisdom.act("buy_knowledge", card="fw")
    wisdom.buy("Ghoul")
    assert wisdom.cards("Ada") == (0, 2, 4, 0), "Entities are still open"


@pytest.mark.parametrize(
    ("action", "command", "more"),
    [
        ("entity", "buy_entity", {"entity": "Ghoul"}),
        ("activation", "use_activation", {"points": 4, "name": "Yekub Cube"}),
        ("sign", "place_sign", {"target": "knowledge-fw"}),
        ("place", "use_place", {"points": 4}),
    ],
)
def test_entities_activations_signs_and_places_cost_an_obsession(table, action, command, more):
    wisdom = table(2)
    wisdom.say(Ada=2)
    assert wisdom.offer(action).detail == "1 Obsession"
    wisdom.act(command, **more)
    assert wisdom.cards("Ada") == (4, 1, 1, 0)
    assert wisdom.kp("Ada") == more.get("points", 0)
    with pytest.raises(Refused, match="Bob has no Obsession left"):
        wisdom.act(command, **more)
    if action != "place":
        assert wisdom.offer(action).why_not == "no Obsession left"


def test_the_seeker_goes_and_comes_home_in_the_same_tap(table):
    wisdom = table(2)
    wisdom.say(Ada=2, Bob=2)
    entry = wisdom.act("buy_knowledge", card="fw", at="place-3")
    assert wisdom.evening.log[-1].text.startswith("buys Forbidden Wisdom at Place 3, for a Path")
    assert (wisdom.player("Ada").seeker, len(entry.events)) == ("", 1)
    wisdom.do("move_seeker", seat="Bob", to="place-3")
    wisdom.act("use_place", at="place-4")
    assert wisdom.player("Bob").seeker == ""


def test_a_closed_place_is_refused_in_words_and_a_card_may_do_without_one(table):
    wisdom = table(2)
    wisdom.say(Ada=2, Bob=2)
    wisdom.do("move_seeker", seat="Bob", to="place-4")
    wisdom.do("move_sign", seat="Bob", to="place-5")
    before = wisdom.state
    tiles = {tap.label: tap for tap in wisdom.sheet("act-place")}
    assert tiles["Place 4"].why_not == "Bob’s Seeker"
    assert not tiles["Place 3"].why_not
    ghoul = {"entity": "Ghoul"}
    for command, more in (("buy_entity", ghoul), ("use_place", {}), ("buy_knowledge", {"card": "fw"})):
        with pytest.raises(Refused, match="Bob’s Seeker is on Place 4"):
            wisdom.act(command, at="place-4", **more)
        with pytest.raises(Refused, match="Bob’s Elder Sign closes Place 5"):
            wisdom.act(command, at="place-5", **more)
        with pytest.raises(Refused, match="6 Arcane Places"):
            wisdom.act(command, at="place-7", **more)
        with pytest.raises(Refused, match="to which Arcane Place the Seeker goes; moving it is free"):
            wisdom.act(command, at="god-horror", **more)
    assert wisdom.state == before
    wisdom.do("move_seeker", seat="Ada", to="place-1")
    wisdom.act("buy_entity", at="none", **ghoul)
    assert wisdom.player("Ada").seeker == "place-1", "a card allowed it, so nothing was explored"


def test_an_immediate_entity_pays_its_bond_in_the_tap_that_buys_it(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Joseph Curwen")
    wisdom.do("take_card", seat="Ada", card="Alfred Clarendon")
    wisdom.say(Ada=4)
    offers = {tap.label: (tap.detail, tap.mark) for tap in wisdom.sheet("act-entity")}
    assert offers["Deep One"] == ("Imm. +9", "madness")
    assert offers["Ghast"] == ("Imm.", "horror")
    assert offers["Elder Thing"] == ("Act.", "madness")
    entry = wisdom.buy("Deep One")
    assert (wisdom.kp("Ada"), wisdom.cards("Ada")) == (9, (2, 1, 3, 0))
    wisdom.do("take_back", entry=entry.version)
    assert (wisdom.kp("Ada"), wisdom.cards("Ada")) == (0, (2, 0, 4, 0)), "one undo takes the whole back"
    for entity, kp in (("Deep One", 9), ("Elder Thing", 9), ("Ghast", 9)):
        wisdom.buy(entity)
        wisdom.act("cash_in", what="path")
        assert wisdom.kp("Ada") == kp, entity
    assert [card.name for card in wisdom.player("Ada").learned[2:]] == ["Elder Thing"]
    with pytest.raises(Refused, match="No card here is called"):
        wisdom.act("buy_entity", entity="Shoggoth’s aunt")
    wisdom.act("buy_other", family="en", bond="madness")
    assert wisdom.kp("Ada") == 18, "an Immediate one without a name pays its bond too"
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="Ada has no Obsession left to spend"):
        wisdom.buy("Deep One", press=False)
    assert wisdom.kp("Ada") == 18, "what cannot be paid for pays nothing"


def test_the_box_has_sixteen_kinds_of_entities():
    assert len(ENTITIES) == 16
    assert {each.bond for each in ENTITIES.values()} == {each.id for each in BONDS}
    assert {each.kind for each in ENTITIES.values()} == {"Immediate", "Activation", "Continuous"}


def test_a_places_power_may_be_free_and_pays_the_bond_in_the_same_tap(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Keziah Mason")
    wisdom.say()
    wisdom.act("use_place", cost="free", bond="dimension", points=2)
    assert wisdom.cards("Ada") == (6, 0, 0, 0)
    assert wisdom.kp("Ada") == 6
    assert "bond of Dimension: +4 KP for Keziah Mason" in wisdom.evening.log[-1].text


def test_permanent_obsessions_are_used_once_a_turn_and_stay(table):
    wisdom = table(2).to_turn(3)
    wisdom.say()
    assert wisdom.cards("Ada") == (4, 0, 0, 2)
    for left in (1, 0):
        wisdom.buy("Ghoul")
        wisdom.act("cash_in", what="path")
        assert wisdom.player("Ada").obsessions == left
    assert wisdom.cards("Ada") == (4, 0, 0, 2)
    wisdom.finish()
    assert wisdom.cards("Ada") == (3, 0, 0, 3)
    assert wisdom.player("Ada").obsessions == 3


def test_an_elder_sign_closes_a_place_sends_a_seeker_home_and_can_be_removed(table):
    wisdom = table(3)
    wisdom.say(Ada=2, Bob=2, Cleo=2)
    wisdom.do("move_seeker", seat="Cleo", to="place-4")
    with pytest.raises(Refused, match="Cleo’s Seeker is on Place 4"):
        wisdom.do("move_seeker", seat="Bob", to="place-4")
    assert wisdom.offer("unsign").why_not == "none is placed"
    wisdom.act("place_sign", target="place-4")
    assert wisdom.player("Cleo").seeker == ""
    with pytest.raises(Refused, match="Ada’s Elder Sign closes Place 4"):
        wisdom.do("move_seeker", seat="Cleo", to="place-4")
    wisdom.do("move_seeker", seat="Ada", to="place-4")
    with pytest.raises(Refused, match="Your own Elder Sign stays"):
        wisdom.act("remove_sign", owner=2)
    with pytest.raises(Refused, match="Cleo’s Elder Sign lies on nothing"):
        wisdom.act("remove_sign", owner=3)
    wisdom.act("remove_sign", owner=1)
    assert wisdom.cards("Bob") == (4, 1, 1, 0)
    assert wisdom.player("Ada").sign == "out"
    wisdom.buy("Ghoul")
    assert wisdom.offer("sign").why_not == "sign: out this turn"
    with pytest.raises(Refused, match="not at home: out this turn"):
        wisdom.act("place_sign", target="entity")


def test_markers_go_only_where_markers_go(table):
    wisdom = table(2)
    for to in ("place-7", "place-0", "power", "moon", "place-²"):
        with pytest.raises(Refused):
            wisdom.do("move_seeker", seat="Ada", to=to)
    with pytest.raises(Refused, match="With 2 players there are 6 Arcane Places"):
        wisdom.do("move_sign", seat="Ada", to="place-7")
    with pytest.raises(Refused, match="there already"):
        wisdom.do("move_sign", seat="Ada", to="home")
    wisdom.do("move_seeker", seat="Ada", to="god-horror")
    assert "Seeker: Shub-Niggurath" in wisdom.lies()


def turn(wisdom, name, *objects):
    """Boxes of the Ritual by cards' effects, each with an object of this bond."""
    for bond in objects:
        wisdom.rite(name, bond, by="effect")


def test_an_invocation_costs_an_obsession_and_rests_until_the_next_turn(table):
    """Forty of them in one turn gave 400 points once, for nothing."""
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Herbert West")
    assert wisdom.say(Ada=3) is None
    assert wisdom.offer("invocation").why_not == "no object turned"
    with pytest.raises(Refused, match="an object of Horror turned once; Ada has turned none"):
        wisdom.act("invoke", power="horror-1")
    turn(wisdom, "Ada", "horror")
    assert list(wisdom.asked("act-invocation", "power")[1]) == ["horror-1"]
    wisdom.act("invoke", power="horror-1")
    assert (wisdom.cards("Ada"), wisdom.kp("Ada")) == ((3, 1, 2, 0), 5), "an Obsession, and the bond pays"
    wisdom.act("cash_in", what="path")
    assert wisdom.offer("invocation").why_not == "none left this turn"
    before = wisdom.state
    with pytest.raises(Refused, match="Ada has used that power in this turn already"):
        wisdom.act("invoke", power="horror-1")
    assert wisdom.state == before
    wisdom.close()
    wisdom.do("finish_preparation", turn=2)
    wisdom.say(Ada=1)
    wisdom.act("invoke", power="horror-1")
    assert wisdom.kp("Ada") == 10
    for forged in ("horror-3", "horror", "love-1"):
        with pytest.raises(Refused):
            wisdom.act("invoke", power=forged)


def test_a_table_may_let_invocations_cost_nothing_but_not_twice_a_turn(table):
    wisdom = table(2, rules={"invocation-cost": "free"})
    turn(wisdom, "Ada", "horror")
    wisdom.say()
    assert (wisdom.offer("invocation").detail, wisdom.offer("invocation").why_not) == ("free ones", "")
    wisdom.act("invoke", power="horror-1")
    assert wisdom.cards("Ada") == (6, 0, 0, 0)
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="used that power"):
        wisdom.act("invoke", power="horror-1")


def test_the_second_power_wants_one_object_turned_twice_and_pays_for_each_thing(table):
    wisdom = table(3)
    wisdom.do("count", seat="Ada", turn=1, by=5)
    turn(wisdom, "Ada", "horror", "madness")
    wisdom.say(Ada=3)
    assert list(wisdom.asked("act-invocation", "power")[1]) == ["madness-1", "horror-1"]
    with pytest.raises(
        Refused, match="Power 2 opens with an object of Madness turned twice; Ada’s was turned once"
    ):
        wisdom.act("invoke", power="madness-2")
    twice = table(3)
    twice.do("take_card", seat="Ada", card="Necronomicon")
    twice.do("take_card", seat="Ada", card="Stele of Dagon")
    for name in ("Necronomicon", "Stele of Dagon"):
        twice.rite("Ada", name, by="effect")
    assert twice.player("Ada").turned("madness") == 1, "two objects, each turned once"
    twice.do("set_ritual", seat="Ada", to=1)
    twice.rite("Ada", "Necronomicon", by="effect")
    twice.say(Ada=2)
    twice.act("invoke", power="madness-2", many=4)
    assert [twice.kp(name) for name in ("Ada", "Bob", "Cleo")] == [12, 1, 1]


def test_nyarlathoteps_first_power_pays_all_dark_masters(table):
    wisdom = table(2)
    for card in ("Herbert West", "Keziah Mason", "Alonzo Typer"):
        wisdom.do("take_card", seat="Ada", card=card)
    turn(wisdom, "Ada", "nightmare")
    wisdom.say(Ada=1)
    assert "+14 KP for Dark Masters" in wisdom.asked("act-invocation", "power")[1]["nightmare-1"]
    wisdom.act("invoke", power="nightmare-1")
    assert wisdom.kp("Ada") == 14 + 5, "and its bond pays Alonzo Typer"


def test_the_rest_of_a_research_can_be_played_without_the_phones(table):
    wisdom = table()
    wisdom.say()
    wisdom.act("cash_in", what="path")
    (skip,) = wisdom.piece("wis-skip").taps
    assert "without the phones" in skip.label
    wisdom.do(skip.do.command, **skip.do.args)
    assert wisdom.now == (1, "end")


# --- points ---


def test_points_are_entered_with_a_reason_counted_by_hand_and_corrected_on_the_sheet(table):
    wisdom = table()
    wisdom.do("gain", seat="Ada", turn=1, points=4, source="combination", name="Cold Air")
    assert wisdom.evening.log[-1].text == "+4 KP (combination: Cold Air), now 4"
    wisdom.do("gain", seat="Ada", turn=1, points="2+1", source="card")
    assert wisdom.evening.log[-1].text == "+3 KP (card), now 7"
    wisdom.do("count", seat="Ada", turn=1, by=-2)
    assert wisdom.kp("Ada") == 5
    with pytest.raises(Refused, match="Nothing to add"):
        wisdom.do("gain", seat="Ada", turn=1, points=0, source="card")
    with pytest.raises(Refused, match="Turn 2 has not begun"):
        wisdom.do("count", seat="Ada", turn=2, by=1)
    wisdom.finish()
    wisdom.do("count", seat="Ada", turn=2, by=6)
    wisdom.do("correct", seat="Ada", turn=1, to=8)
    assert wisdom.kp("Ada") == 14
    assert [cell.text for cell in wisdom.view.sheets[0].rows[0].cells] == ["8", "6"]


# --- the Learning Area ---


def test_a_card_bought_by_name_brings_its_points_its_bond_and_its_type(table):
    wisdom = table(2)
    wisdom.say(Ada=1)
    wisdom.buy("Petrifying Elixir")
    assert (wisdom.kp("Ada"), wisdom.learned("Ada")) == (3, ()), "Immediate: paid at once, and discarded"
    assert "Petrifying Elixir" in wisdom.evening.log[-1].text
    wisdom.act("cash_in", what="path")
    wisdom.buy("Star Stones of Mnar")
    (stones,) = wisdom.learned("Ada")
    assert (stones.label, stones.detail, stones.do.command) == ("Star Stones of Mnar", "Act. +1", "activate")
    wisdom.act("cash_in", what="path")
    wisdom.buy("Silver Key")
    assert [tile.label for tile in wisdom.learned("Ada")][1:] == ["Silver Key"], "kept for the Ritual"
    assert wisdom.kp("Ada") == 3
    wisdom.press("card-1-1", "Use its power now, free, and discard it")
    assert (wisdom.kp("Ada"), len(wisdom.learned("Ada"))) == (5, 1)


def test_activating_is_one_tap_costs_an_obsession_and_is_seen_until_the_next_turn(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Essential Saltes")
    wisdom.do("take_card", seat="Ada", card="Ghoul")
    wisdom.do("take_card", seat="Ada", card="Herbert West")
    wisdom.say(Ada=3)
    saltes, ghoul, west = wisdom.learned("Ada")
    assert (ghoul.do.command, west.do, west.opens) == ("activate", None, "card-1-2")
    wisdom.do(saltes.do.command, **saltes.do.args)
    assert (wisdom.kp("Ada"), wisdom.cards("Ada")) == (2, (3, 1, 2, 0))
    used = wisdom.learned("Ada")[0]
    assert (used.tone, used.detail, used.do) == ("done", "used", None)
    with pytest.raises(Refused, match="It is Bob’s action, not Ada’s"):
        wisdom.do(ghoul.do.command, **ghoul.do.args)
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="Essential Saltes is face down until the next turn"):
        wisdom.do(saltes.do.command, **saltes.do.args)
    wisdom.do(ghoul.do.command, **ghoul.do.args)
    assert wisdom.kp("Ada") == 2 + 5, "using an Entity pays its bond"
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="Herbert West is Continuous"):
        wisdom.do("activate", seat="Ada", turn=1, card="Herbert West")
    wisdom.close()
    with pytest.raises(Refused, match="That turn is over"):
        wisdom.do(saltes.do.command, **saltes.do.args)
    wisdom.do("finish_preparation", turn=2)
    assert {tile.tone for tile in wisdom.learned("Ada")[:2]} == {"good"}


def test_the_research_area_is_counted_and_empties(table):
    """A second Dark Master, or a fourth Alien Science card, went through without a word once."""
    wisdom = table(3)
    wisdom.say()
    assert [wisdom.offer(family).detail for family in ("fw", "as", "dm")] == [
        "5 left",
        "3 left",
        "1 left",
    ]
    wisdom.buy("Herbert West")
    assert (wisdom.offer("dm").why_not, wisdom.offer("fw").why_not) == ("none left", "")
    assert [(tap.badge, tap.tone) for tap in wisdom.piece("wis-left").taps] == [
        ("5", ""),
        ("3", ""),
        ("0", "done"),
    ]
    with pytest.raises(Refused, match="Of the 1 Dark Master card of this turn none is left"):
        wisdom.act("buy_knowledge", card="Joseph Curwen")
    for card in ("Cold Air", "Lagh Metal", "Beaming Gun"):
        wisdom.buy(card)
    with pytest.raises(Refused, match="Of the 3 Alien Science cards of this turn none is left"):
        wisdom.act("buy_other", family="as")
    wisdom.do("take_card", seat="Bob", card="Joseph Curwen")
    assert [tile.label for tile in wisdom.learned("Bob")] == ["Cold Air", "Joseph Curwen"], "by an effect"
    wisdom.finish()
    wisdom.say()
    assert wisdom.offer("dm").detail == "1 left", "a new turn, new cards"


def test_a_card_that_is_not_of_the_box_is_typed_once_and_known_from_then_on(table):
    wisdom = table(2)
    wisdom.say(Ada=2)
    typed = {"family": "fw", "name": "My own tome", "kind": "Activation", "points": 4}
    wisdom.act("buy_other", **typed)
    (tome,) = wisdom.learned("Ada")
    assert (tome.label, tome.detail, tome.do.command) == ("My own tome", "Act. +4", "activate")
    with pytest.raises(Refused, match="My own tome is known here: tap it"):
        wisdom.act("buy_other", **typed)
    wisdom.do("lose_card", seat="Ada", name="My own tome")
    wisdom.press("act-fw", "My own tome")
    assert [tile.label for tile in wisdom.learned("Bob")] == ["My own tome"]
    wisdom.act("buy_other", family="fw", points=3)
    assert (wisdom.kp("Ada"), wisdom.learned("Ada")) == (3, ()), "without a name it is just paid"


def test_a_combination_waits_for_its_components_and_then_pays(table):
    wisdom = table(2)
    wisdom.say(Ada=3)
    for card in ("Lagh Metal", "Yekub Cube", "Joseph Curwen"):
        wisdom.do("take_card", seat="Ada", card=card)
    metal, cube, _ = wisdom.learned("Ada")
    assert (metal.detail, cube.detail, cube.do) == ("lacks 2 FW, 1 EN", "lacks 1 AS, 1 DM, 1 EN", None)
    wisdom.press("card-1-2", "Lay it under Yekub Cube")
    assert [tile.label for tile in wisdom.learned("Ada")] == ["Lagh Metal", "Yekub Cube"]
    assert wisdom.player("Ada").paid_by("madness") == (0, ()), "a Component is not in play"
    wisdom.press("act-fw", "Lagh Metal")
    assert (wisdom.cards("Ada"), wisdom.kp("Ada")) == ((2, 1, 3, 0), 0)
    wisdom.act("cash_in", what="path")
    wisdom.press("act-entity", "Lagh Metal")
    wisdom.act("cash_in", what="path")
    wisdom.press("card-1-0", "Another Forbidden Wisdom lies under it")
    assert wisdom.kp("Ada") == 3, "complete and Immediate: paid, and gone with all that lay under it"
    assert [tile.label for tile in wisdom.learned("Ada")] == ["Yekub Cube"]
    with pytest.raises(Refused, match="The Combination of Yekub Cube is not complete"):
        wisdom.do("activate", seat="Ada", turn=1, card="Yekub Cube")
    for what in ("Alien Science", "Entity"):
        wisdom.press("card-1-0", f"Another {what} lies under it")
    (cube,) = wisdom.learned("Ada")
    wisdom.do(cube.do.command, **cube.do.args)
    assert wisdom.kp("Ada") == 3 + 4
    with pytest.raises(Refused, match="does not wait for such a card"):
        wisdom.do("lay_under", seat="Ada", turn=1, card="en", under="Yekub Cube")


def test_points_for_each_card_count_the_learning_area_and_the_combination_itself(table):
    wisdom = table(2)
    for card in ("Silver Key", "Necronomicon", "Pendulum Clock"):
        wisdom.do("take_card", seat="Ada", card=card)
    assert [tile.detail for tile in wisdom.learned("Ada")] == ["Imm. +2", "Cont. +2", "lacks 2 FW, 1 AS"]
    wisdom.press("card-1-1", "Its power takes effect")
    assert wisdom.kp("Ada") == 2, "one for each Forbidden Wisdom card"
    for _ in (1, 2):
        wisdom.press("card-1-2", "Another Forbidden Wisdom lies under it")
    wisdom.press("card-1-2", "Another Alien Science lies under it")
    assert wisdom.evening.log[-1].text.startswith("an Alien Science card goes under Pendulum Clock")
    assert wisdom.learned("Ada")[2].detail == "Imm. +4", "two here, two under it"
    wisdom.press("card-1-2", "Use its power now, free, and discard it")
    assert wisdom.kp("Ada") == 6


def test_the_great_race_takes_from_the_opponent_with_the_most_what_is_there(table):
    wisdom = table(3)
    wisdom.say(Ada=3)
    wisdom.do("count", seat="Ada", turn=1, by=9)
    for name in ("Bob", "Cleo"):
        wisdom.do("count", seat=name, turn=1, by=3)
    offers = [tap.detail for tap in wisdom.sheet("act-entity") if tap.label == "Great Race of Yith"]
    assert offers == ["from Bob", "from Cleo"], "the buyer chooses among equals, and is not an opponent"
    wisdom.do("count", seat="Cleo", turn=1, by=1)
    assert "from Bob" not in [tap.detail for tap in wisdom.sheet("act-entity")], "Cleo has the most now"
    wisdom.do("count", seat="Cleo", turn=1, by=-1)
    do = next(tap.do for tap in wisdom.sheet("act-entity") if tap.detail == "from Cleo")
    wisdom.do(do.command, **do.args)
    assert [wisdom.kp(name) for name in ("Ada", "Bob", "Cleo")] == [12, 3, 0], "not more than she has"
    for _ in (1, 2):
        wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="It takes from the opponent with the most: Bob"):
        wisdom.act("buy_entity", entity="Great Race of Yith", victim=3)


# --- what an Elder Sign lies on ---


def test_an_elder_sign_asks_which_card_or_power_and_blocks_it(table):
    wisdom = table(3, begun=False)
    for god in ("madness", "horror", "nightmare"):
        wisdom.do("choose_god", god=god)
    wisdom.do("begin_game")
    for card in ("Ghoul", "Silver Key"):
        wisdom.do("take_card", seat="Bob", card=card)
    turn(wisdom, "Bob", "madness")
    wisdom.say(Ada=2, Bob=2, Cleo=2)
    targets = {tap.do.args["target"]: tap.label for tap in wisdom.sheet("act-sign")}
    assert targets["card-Ghoul"] == "Bob’s Ghoul"
    assert targets["power-madness-1"] == "Cthulhu’s power 1"
    assert not [spot for spot in targets if "dimension" in spot], "who is not in play has no powers"
    for vague in ("card", "power"):
        with pytest.raises(Refused, match=f"Say which {vague}"):
            wisdom.act("place_sign", target=vague)
    with pytest.raises(Refused, match="does not lie before an opponent"):
        wisdom.act("place_sign", target="card-Shoggoth")
    wisdom.act("place_sign", target="power-madness-1")
    assert wisdom.offer("invocation").why_not == "none left this turn"
    with pytest.raises(Refused, match="Ada’s Elder Sign lies on Cthulhu’s power 1"):
        wisdom.act("invoke", power="madness-1")
    wisdom.act("cash_in", what="path")
    wisdom.act("place_sign", target="card-Ghoul")
    wisdom.act("cash_in", what="path")
    with pytest.raises(Refused, match="Cleo’s Elder Sign lies on Ghoul: it cannot be played this turn"):
        wisdom.do("activate", seat="Bob", turn=1, card="Ghoul")
    wisdom.do("move_sign", seat="Cleo", to="card-Silver Key")
    with pytest.raises(Refused, match="lies on Silver Key"):
        wisdom.rite("Bob", "Silver Key", by="effect")


def test_an_elder_sign_on_a_card_on_offer_keeps_it_for_its_owner(table):
    wisdom = table(2)
    wisdom.say(Ada=2, Bob=2)
    wisdom.act("place_sign", target="knowledge-dm")
    assert wisdom.offer("dm").why_not == "none left"
    with pytest.raises(Refused, match="none is left"):
        wisdom.act("buy_knowledge", card="Herbert West")
    wisdom.act("cash_in", what="path")
    wisdom.buy("Herbert West")


def test_after_an_evocation_no_sign_goes_on_a_great_old_one_and_cthulhu_frees_the_places(table):
    wisdom = table(2)
    wisdom.say(Ada=2, Bob=2)
    wisdom.do("move_sign", seat="Bob", to="place-3")
    wisdom.do("move_seeker", seat="Bob", to="place-4")
    ready_to_evoke(wisdom, "Ada")
    wisdom.do("evoke", seat="Ada", turn=1, bond="madness")
    assert wisdom.player("Bob").sign == "", "all Elder Signs come back"
    targets = [tap.do.args["target"] for tap in wisdom.sheet("act-sign")]
    assert not [spot for spot in targets if spot.startswith(("power", "place"))]
    with pytest.raises(Refused, match="no Elder Sign goes on a Great Old One"):
        wisdom.act("place_sign", target="power-madness-1")
    with pytest.raises(Refused, match="places cannot be blocked"):
        wisdom.act("place_sign", target="place-4")
    with pytest.raises(Refused, match="places cannot be blocked"):
        wisdom.do("move_sign", seat="Ada", to="place-4")
    assert wisdom.player("Bob").seeker == "place-4"


# --- Influence and Evocation ---


def evoked(table, bond, players=2, **said):
    wisdom = table(players)
    ready_to_evoke(wisdom, "Ada", bond=bond)
    wisdom.do("evoke", seat="Ada", turn=1, bond=bond)
    wisdom.say(**said or {"Ada": 4, "Bob": 4})
    return wisdom


def test_shub_niggurath_pays_for_every_entity_that_is_used(table):
    wisdom = evoked(table, "horror")
    assert "+2 KP for using an Entity, +3 for one of Horror" in wisdom.piece("wis-evoked").text
    offers = {tap.label: tap.detail for tap in wisdom.sheet("act-entity")}
    assert (offers["Ghast"], offers["Deep One"], offers["Ghoul"]) == ("Imm. +3", "Imm. +2", "Act.")
    wisdom.buy("Ghast")
    wisdom.buy("Deep One")
    assert (wisdom.kp("Ada"), wisdom.kp("Bob")) == (3, 2)
    wisdom.buy("Ghoul")
    assert wisdom.kp("Ada") == 3, "it is not used yet"
    wisdom.act("cash_in", what="obsession")
    (ghoul,) = wisdom.learned("Ada")
    wisdom.do(ghoul.do.command, **ghoul.do.args)
    assert wisdom.kp("Ada") == 6
    assert "Influence of Shub-Niggurath" in wisdom.evening.log[-1].text


def test_yog_sothoth_pays_for_place_powers_and_sends_the_other_tokens_back(table):
    wisdom = table(2)
    turn(wisdom, "Bob", "horror")
    ready_to_evoke(wisdom, "Ada", bond="dimension")
    wisdom.do("evoke", seat="Ada", turn=1, bond="dimension")
    assert (wisdom.player("Ada").ritual, wisdom.player("Bob").ritual) == (3, 0)
    wisdom.say(Ada=3, Bob=2)
    wisdom.press("place-1", "Dimension")
    wisdom.press("place-2", "no bond")
    assert (wisdom.kp("Ada"), wisdom.kp("Bob")) == (3, 1)


def test_cthulhu_pays_for_a_seeker_that_goes_to_a_madness_place(table):
    wisdom = evoked(table, "madness")
    wisdom.press("place-1", "Madness")
    assert wisdom.kp("Ada") == 2
    wisdom.act("buy_knowledge", card="fw", at="place-1")
    assert wisdom.kp("Bob") == 2, "whatever it goes there for"
    for to in ("place-1", "home", "place-1"):
        wisdom.do("move_seeker", seat="Ada", to=to)
    assert wisdom.kp("Ada") == 2, "to and fro, free of charge, pays nothing"
    wisdom.press("act-place", "Place 1")
    assert wisdom.kp("Ada") == 4, "but what it then does there does"
    wisdom.press("place-2", "Horror")
    assert wisdom.kp("Bob") == 2


def test_an_evocation_is_counted_from_the_cards_that_were_tapped(table):
    def counted(bond, *cards):
        wisdom = table(2)
        for name, card in cards:
            wisdom.do("take_card", seat=name, card=card)
        ready_to_evoke(wisdom, "Ada", bond=bond)
        form = next(each for each in wisdom.view.forms if each.id == "evoke-1")
        return {field.name: field.value for field in form.fields}["points"], form.text

    points, how = counted("madness", ("Ada", "Silver Key"), ("Bob", "Dhol Chants"), ("Bob", "Ghoul"))
    assert (points, "twice the 3 KP of 2 Forbidden Wisdom cards" in how) == ("6", True)
    assert counted("dimension", ("Ada", "Cold Air"), ("Bob", "Lagh Metal"))[0] == "5"
    assert counted("nightmare", ("Ada", "Herbert West"), ("Bob", "Keziah Mason"))[0] == "11"
    assert counted("horror", ("Ada", "Ghoul"), ("Bob", "Ghoul"), ("Bob", "Shoggoth"))[0] == "7"


def test_the_recap_says_where_points_came_from_once_cards_were_tapped_by_name(table):
    wisdom = table(2)
    wisdom.say(Ada=2)
    wisdom.act("cash_in", what="path")
    scores = wisdom.evening.journal.game.scores
    assert scores(wisdom.state).beside == {}, "without names nobody knows enough"
    wisdom.act("cash_in", what="path")
    wisdom.buy("Petrifying Elixir")
    wisdom.do("take_card", seat="Ada", card="Herbert West")
    wisdom.do("pay_bond", seat="Ada", turn=1, bond="horror")
    wisdom.do("count", seat="Ada", turn=1, by=1)
    assert scores(wisdom.state).beside == {
        1: "bonds 5, cards 3, cashed in 2, by hand 1",
        2: "cashed in 2",
    }


def test_nobody_goes_below_zero_unless_the_table_allows_debts(table):
    wisdom = table()
    gained = wisdom.do("count", seat="Ada", turn=1, by=3)
    with pytest.raises(Refused, match="Ada has 3 KP and cannot pay 4: nobody goes below 0"):
        wisdom.do("count", seat="Ada", turn=1, by=-4)
    wisdom.do("count", seat="Ada", turn=1, by=-2)
    with pytest.raises(Refused, match=r"rests? on it"):
        wisdom.do("take_back", entry=gained.version)
    debts = table(rules={"below-zero": "yes"})
    debts.do("count", seat="Ada", turn=1, by=-4)
    assert debts.view.seats[0].counters[0].value == -4


def test_one_tap_pays_all_dark_masters_of_a_bond(table):
    wisdom = table()
    for master in ("Joseph Curwen", "Alfred Clarendon", "Herbert West"):
        wisdom.do("take_card", seat="Ada", card=master)
    assert [(each.label, each.mark, each.detail) for each in wisdom.learned("Ada")] == [
        ("Joseph Curwen", "madness", "Cont. +4"),
        ("Alfred Clarendon", "madness", "Cont. +5"),
        ("Herbert West", "horror", "Cont. +5"),
    ]
    (pays,) = wisdom.sheet("card-1-0")
    assert (pays.label, pays.badge, pays.detail) == (
        "The bond of Madness pays",
        "+9 KP",
        "Joseph Curwen and Alfred Clarendon",
    )
    entry = wisdom.do("pay_bond", seat="Ada", turn=1, bond="madness")
    assert len(entry.events) == 1
    assert wisdom.kp("Ada") == 9
    assert "Joseph Curwen and Alfred Clarendon" in wisdom.evening.log[-1].text
    with pytest.raises(Refused, match="Bob has no Dark Master with the bond of Madness"):
        wisdom.do("pay_bond", seat="Bob", turn=1, bond="madness")
    wisdom.do("lose_card", seat="Ada", name="Joseph Curwen")
    wisdom.do("hold_bond", seat="Ada", name="My own card", bond="madness", points=2)
    wisdom.do("pay_bond", seat="Ada", turn=1, bond="madness")
    assert wisdom.kp("Ada") == 9 + 7
    with pytest.raises(Refused, match="no card called"):
        wisdom.do("lose_card", seat="Ada", name="Joseph Curwen")


def test_the_bond_of_an_absent_great_old_one_pays_unless_the_table_says_no(table):
    for choice in ("pays", "nothing"):
        wisdom = table(2, begun=False, rules={"absent-god": choice})
        wisdom.do("choose_god", god="madness")
        wisdom.do("choose_god", god="horror")
        wisdom.do("begin_game")
        wisdom.do("take_card", seat="Ada", card="Alonzo Typer")
        if choice == "pays":
            wisdom.do("pay_bond", seat="Ada", turn=1, bond="nightmare")
            assert wisdom.kp("Ada") == 5
        else:
            with pytest.raises(Refused, match="Nyarlathotep is not in play"):
                wisdom.do("pay_bond", seat="Ada", turn=1, bond="nightmare")
            assert wisdom.sheet("card-1-0") == []


def test_the_box_has_twelve_dark_masters_three_of_each_bond():
    assert len(DARK_MASTERS) == 12
    for bond in BONDS:
        assert sum(each.bond == bond.id for each in DARK_MASTERS.values()) == 3


# --- Ritual and evocation ---


def test_the_three_requirements_come_in_order_and_the_third_pays_the_bond(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Keziah Mason")
    with pytest.raises(Refused, match="Study is next for Ada"):
        wisdom.do("advance_ritual", seat="Ada", turn=1, box=2, bond="dimension")
    wisdom.say()
    wisdom.close()
    wisdom.rite("Ada", "dimension")
    with pytest.raises(Refused, match="in box 1 already"):
        wisdom.do("advance_ritual", seat="Ada", turn=2, box=1, bond="dimension")
    wisdom.do("finish_preparation", turn=2)
    wisdom.say()
    wisdom.rite("Ada", "dimension")
    assert wisdom.piece("wis-tools-1").taps[0].label == "Sacrifice"
    assert "Sacrifice next, at the End of Search of turn 3" in wisdom.piece("wis-lies-1").text
    assert wisdom.kp("Ada") == 0
    wisdom.do("end_research", turn=2)
    with pytest.raises(Refused, match="in turn 2; the Sacrifice comes at the end of the next"):
        wisdom.rite("Ada", "dimension")
    wisdom.finish()
    wisdom.say()
    wisdom.do("end_research", turn=3)
    wisdom.rite("Ada", "dimension")
    assert (wisdom.player("Ada").ritual, wisdom.kp("Ada")) == (3, 4)
    with pytest.raises(Refused, match="in box 3 already"):
        wisdom.do("advance_ritual", seat="Ada", turn=3, box=3, bond="dimension")


def test_a_requirement_out_of_its_time_is_refused_in_words(table):
    wisdom = table(2)
    study = "Study looks at what Ada has when a turn begins"
    with pytest.raises(Refused, match=study):
        wisdom.rite("Ada", "horror")
    wisdom.say()
    with pytest.raises(Refused, match=study):
        wisdom.rite("Ada", "horror")
    chosen, reasons = wisdom.asked("ritual-1", "by")
    assert (chosen, list(reasons)) == ("requirement", ["requirement", "effect"])
    assert reasons["requirement"] == "choose a reason"
    wisdom.close()
    assert list(wisdom.asked("ritual-1", "by")[1]) == ["requirement", "effect"]
    wisdom.rite("Ada", "horror")
    with pytest.raises(Refused, match="Transmutation looks at what Ada gets during a turn"):
        wisdom.rite("Ada", "horror")
    wisdom.do("finish_preparation", turn=2)
    wisdom.say()
    wisdom.rite("Ada", "horror")
    wisdom.close()
    with pytest.raises(Refused, match="Ada makes the Sacrifice at the end of a turn"):
        wisdom.rite("Ada", "horror")


def test_a_requirement_tapped_late_counts_for_the_turn_in_which_it_was_met(table):
    wisdom = table(2).to_turn(2)
    wisdom.rite("Ada", "horror", by="late")
    assert "Study (met when turn 2 began)" in wisdom.evening.log[-1].text
    wisdom.rite("Ada", "horror", by="late")
    assert "Transmutation (met in turn 1)" in wisdom.evening.log[-1].text
    wisdom.say()
    wisdom.do("end_research", turn=2)
    wisdom.rite("Ada", "horror")
    assert wisdom.player("Ada").ritual == 3, "the turn after turn 1"


def test_nothing_was_studied_before_turn_1(table):
    """It has no Preparation, and nobody had a card."""
    wisdom = table(2)
    for box in (1, 2):
        assert list(wisdom.asked("ritual-1", "by")[1]) == ["requirement", "effect"]
        with pytest.raises(
            Refused, match="When turn 1 began Ada had no card yet" if box == 1 else "no turn before"
        ):
            wisdom.rite("Ada", "horror", by="late")
        wisdom.rite("Ada", "horror", by="effect")


def test_a_ritual_object_that_is_a_dark_master_itself_pays_no_bond(table):
    for thing, kp in (("horror", 10), ("Henry Armitage", 0)):
        wisdom = table(2)
        for card in ("Henry Armitage", "Herbert West"):
            wisdom.do("take_card", seat="Ada", card=card)
        turn(wisdom, "Ada", "horror", "horror")
        objects = wisdom.asked("ritual-1", "bond")[1]
        assert objects["horror"] == "another of Horror: +10 KP for Henry Armitage and Herbert West"
        assert objects["Henry Armitage"] == "Henry Armitage: lacks 2 FW, 1 AS, a Dark Master: no bond pays"
        assert "Herbert West" not in objects, "a Dark Master, and no Ritual Object"
        wisdom.rite("Ada", thing, by="effect")
        assert (wisdom.player("Ada").rites[-1].bond, wisdom.kp("Ada")) == ("horror", kp)
    assert wisdom.evening.log[-1].text.endswith("with Henry Armitage, a Dark Master, bond of Horror")
    with pytest.raises(Refused, match="four Dark Bonds"):
        wisdom.rite("Bob", "Henry Armitage", by="effect")
    wisdom.do("set_ritual", seat="Ada", to=0)
    with pytest.raises(Refused, match="Herbert West is no Ritual Object"):
        wisdom.rite("Ada", "Herbert West", by="effect")


def test_objects_are_offered_where_they_fit_and_say_what_they_lack(table):
    wisdom = table(2)
    for card in ("Silver Key", "Yule-rite", "Necronomicon"):
        wisdom.do("take_card", seat="Ada", card=card)
    wisdom.say()
    wisdom.close()
    chosen, objects = wisdom.asked("ritual-1", "bond")
    assert chosen == "Silver Key", "its Study, two Forbidden Wisdom cards, is met"
    assert list(objects)[:3] == ["Silver Key", "Yule-rite", "Necronomicon"]
    assert objects["Silver Key"] == "Silver Key: has 2 FW"
    assert objects["Yule-rite"] == "Yule-rite: lacks 1 DM"
    wisdom.rite("Ada", "Silver Key")
    assert wisdom.evening.log[-1].text == "Ritual box 1: Study with Silver Key, bond of Nightmare"
    wisdom.do("finish_preparation", turn=2)
    wisdom.say(Ada=1)
    lacks = "Silver Key: lacks 2 FW, 1 Place"
    assert wisdom.asked("ritual-1", "bond")[1]["Silver Key"] == lacks, "what came this turn counts"
    wisdom.act("use_place")
    assert wisdom.asked("ritual-1", "bond")[1]["Silver Key"] == "Silver Key: lacks 2 FW"
    wisdom.act("cash_in", what="path")
    wisdom.act("buy_knowledge", card="fw")
    wisdom.act("cash_in", what="path")
    wisdom.buy("Aklo")
    assert wisdom.asked("ritual-1", "bond")[1]["Silver Key"] == "Silver Key: has 2 FW(Imm), 1 Place"


def test_mixing_bonds_costs_five_points_and_is_refused_if_they_are_not_there(table):
    wisdom = table(2)
    wisdom.rite("Ada", "horror", by="effect")
    wisdom.say()
    wisdom.do("count", seat="Ada", turn=1, by=4)
    before = wisdom.state
    with pytest.raises(Refused, match="Mixing bonds costs 5 KP, and Ada has 4"):
        wisdom.rite("Ada", "madness")
    assert wisdom.state == before
    wisdom.do("count", seat="Ada", turn=1, by=2)
    wisdom.rite("Ada", "madness")
    assert wisdom.kp("Ada") == 1
    assert "−5 KP for mixing bonds" in wisdom.evening.log[-1].text
    debts = table(2, rules={"below-zero": "yes"})
    debts.rite("Ada", "horror", by="effect")
    debts.rite("Ada", "madness", by="effect")
    assert debts.kp("Ada") == -5


def test_house_rules_of_the_ritual(table):
    wisdom = table(2, rules={"ritual-pays": "every", "sacrifice-when": "same"})
    wisdom.do("take_card", seat="Ada", card="Herbert West")
    wisdom.rite("Ada", "horror", by="effect")
    assert wisdom.kp("Ada") == 5
    wisdom.say()
    wisdom.rite("Ada", "horror")
    assert wisdom.kp("Ada") == 10
    wisdom.do("end_research", turn=1)
    wisdom.rite("Ada", "horror")
    assert wisdom.kp("Ada") == 15


def test_a_cards_effect_may_grant_a_box_and_a_token_can_be_set_back(table):
    wisdom = table(2)
    for box in (1, 2, 3):
        wisdom.do("advance_ritual", seat="Ada", turn=1, box=box, bond="horror", by="effect")
    assert wisdom.player("Ada").ritual == 3
    wisdom.do("set_ritual", seat="Ada", to=0)
    assert wisdom.player("Ada").ritual == 0
    with pytest.raises(Refused, match="at most 3"):
        wisdom.do("set_ritual", seat="Ada", to=4)


def ready_to_evoke(wisdom, *names, bond="madness"):
    for name in names:
        for box in (1, 2, 3):
            wisdom.do("advance_ritual", seat=name, turn=1, box=box, bond=bond, by="effect")


def test_there_is_one_evocation_in_a_game(table):
    wisdom = table(2)
    with pytest.raises(Refused, match="needs all three requirements; the Ritual token is at 0 of 3"):
        wisdom.do("evoke", seat="Ada", turn=1, bond="madness")
    ready_to_evoke(wisdom, "Ada", "Bob")
    assert wisdom.piece("wis-evokes-1").options[0].label == "Evoke Cthulhu", "above all else, for both"
    assert wisdom.piece("wis-evokes-2").waiting == "Bob can evoke Cthulhu"
    with pytest.raises(Refused, match="only Cthulhu can come"):
        wisdom.do("evoke", seat="Ada", turn=1, bond="horror")
    entry = wisdom.do("evoke", seat="Ada", turn=1, bond="madness", points=14)
    assert wisdom.kp("Ada") == 14
    assert "Ada evoked Cthulhu in turn 1" in wisdom.piece("wis-evoked").text
    with pytest.raises(Refused, match="one evocation in a game, and Cthulhu has been evoked"):
        wisdom.do("evoke", seat="Bob", turn=1, bond="madness")
    wisdom.do("take_back", entry=entry.version)
    wisdom.do("evoke", seat="Bob", turn=1, bond="madness")
    assert wisdom.state.evoked.seat == wisdom.id("Bob")


def test_who_is_not_in_play_cannot_be_evoked_and_after_an_evocation_only_that_one_is(table):
    wisdom = table(2, begun=False)
    wisdom.do("choose_god", god="dimension")
    wisdom.do("choose_god", god="horror")
    wisdom.do("begin_game")
    ready_to_evoke(wisdom, "Ada", bond="nightmare")
    with pytest.raises(Refused, match="Nyarlathotep is not in play"):
        wisdom.do("evoke", seat="Ada", turn=1, bond="nightmare")
    ready_to_evoke(wisdom, "Bob", bond="horror")
    wisdom.say()
    assert wisdom.offer("invocation").why_not == "none is in play for it"
    assert wisdom.piece("wis-evokes-1").options[0].why_not == "that Great Old One is not in play"
    assert (wisdom.offer("place").detail, wisdom.offer("place").why_not) == ("free ones", "")
    with pytest.raises(Refused, match="Nyarlathotep is not in play"):
        wisdom.act("invoke", power="nightmare-1")
    wisdom.do("evoke", seat="Bob", turn=1, bond="horror")
    assert not wisdom.state.in_play("dimension")


# --- End of Search and the end ---


def test_unused_and_spent_cards_come_back_and_one_more_path_is_lost_for_good(table):
    wisdom = table(2)
    wisdom.say(Ada=3, Bob=1)
    wisdom.buy("Ghoul")
    wisdom.act("cash_in", what="path")
    assert wisdom.cards("Ada") == (3, 1, 2, 0)
    wisdom.do("end_research", turn=1)
    wisdom.do("close_turn", turn=1)
    assert wisdom.cards("Ada") == wisdom.cards("Bob") == (5, 0, 0, 1)


def test_each_turn_begins_with_one_path_less(table):
    wisdom = table(2)
    for turn in range(1, 7):
        assert wisdom.now == (turn, "order")
        assert wisdom.cards("Ada") == (7 - turn, 0, 0, turn - 1)
        wisdom.finish()
    assert wisdom.cards("Ada") == (0, 0, 0, 6)


def test_the_sixth_turn_ends_it_and_most_points_win(table):
    wisdom = table()
    wisdom.to_turn(6)
    for name, kp in (("Ada", 31), ("Bob", 40), ("Cleo", 12)):
        wisdom.do("count", seat=name, turn=6, by=kp)
    assert wisdom.verdict.outcome == "continues"
    assert wisdom.verdict.summary == "Turn 6 of 6. If we ended now, Bob would win with 40 KP."
    wisdom.say()
    wisdom.do("end_research", turn=6)
    assert wisdom.view.phase.buttons[0].label == "End the game"
    wisdom.do("close_turn", turn=6)
    assert wisdom.now == (6, "over")
    assert (wisdom.verdict.outcome, wisdom.verdict.winners) == ("win", (2,))
    assert wisdom.verdict.summary == "Bob wins with 40 KP."
    assert [step.because for step in wisdom.verdict.steps][-2:] == ["six-turns", "most-points"]
    assert "Bob, turn by turn: 0 + 0 + 0 + 0 + 0 + 40 = 40 KP." in [
        step.text for step in wisdom.verdict.steps
    ]
    with pytest.raises(Refused, match="over"):
        wisdom.do("close_turn", turn=6)
    wisdom.do("correct", seat="Ada", turn=1, to=20)
    assert wisdom.verdict.summary == "Ada wins with 51 KP."


def test_a_tie_is_shared_and_the_verdict_says_that_the_manual_is_silent(table):
    wisdom = table()
    wisdom.to_turn(6)
    for name in ("Ada", "Cleo"):
        wisdom.do("count", seat=name, turn=6, by=25)
    wisdom.finish()
    assert (wisdom.verdict.outcome, wisdom.verdict.winners) == ("shared", (1, 3))
    last = wisdom.verdict.steps[-1]
    assert "The manual is silent about ties" in last.text
    ruling = next(each for each in wisdom.evening.journal.game.rulings if each.id == last.because)
    assert ruling.status == "silent"


class Fingers:
    """Taps what stands there, through sheets to what is sent, and counts."""

    def __init__(self, wisdom):
        self.wisdom, self.taps = wisdom, Counter()

    def press(self, who, *offers):
        self.taps[self.wisdom.state.turn, who] += len(offers)
        assert not offers[-1].off
        self.wisdom.do(offers[-1].do.command, **offers[-1].do.args)

    def act(self, who, kind):
        """What was thought of; whoever cannot cashes a card in."""
        ready = [tile for tile in self.wisdom.learned(self.wisdom.state.name(who)) if tile.do]
        if kind == "activation" and ready and self.wisdom.state.player(who).obsessions:
            return self.press(who, ready[0])
        if kind == "activation" or self.wisdom.offer(kind).off:
            kind = "cash-path" if self.wisdom.state.player(who).hand else "cash-obsession"
        return self.press(who, *self.through(self.wisdom.offer(kind)))

    def through(self, offer):
        """A place may have to be asked for its bond; one that costs an Obsession can be too dear."""
        yield offer
        if not offer.do:
            tiles = [tap for tap in self.wisdom.sheet(offer.opens) if not tap.why_not]
            yield from self.through(
                tiles[(7 * self.wisdom.state.turn + self.wisdom.state.acted) % len(tiles)]
            )


def test_a_whole_game_by_what_the_screens_offer_takes_few_taps(table):
    """Three players, nothing is refused; what opens a sheet counts as a tap."""
    wisdom = table(3)
    fingers = Fingers(wisdom)
    kinds = cycle(("fw", "dm", "entity", "place", "activation", "as", "sign", "place", "cash-path"))
    for turn in range(1, 7):
        if turn > 1:
            wisdom.do("finish_preparation", turn=turn)
        while wisdom.state.declarer:
            seat, lap = wisdom.state.declarer
            counts = [tap for tap in wisdom.piece("wis-counts").taps if not tap.off]
            fingers.press(seat, counts[(seat + turn) % len(counts) if lap == 1 else 0])
        while wisdom.state.phase == "research":
            fingers.act(wisdom.state.actor, next(kinds))
        wisdom.do("close_turn", turn=turn)
    assert wisdom.verdict.final
    assert len(fingers.taps) == 18
    assert sum(fingers.taps.values()) / len(fingers.taps) <= 12, fingers.taps
    assert max(fingers.taps.values()) <= 14, "even where all places are new"


# --- the bars and the sheet ---


def test_points_stand_as_bars_and_turn_by_turn(table):
    wisdom = table()
    wisdom.do("count", seat="Ada", turn=1, by=6)
    wisdom.to_turn(3)
    wisdom.do("count", seat="Bob", turn=3, by=24)
    assert not wisdom.has("wis-race"), "while somebody acts the points stand with the players"
    wisdom.say()
    wisdom.do("end_research", turn=3)
    assert [(width, share.value) for width, share in wisdom.piece("wis-race").bars] == [
        (25, 6),
        (100, 24),
        (0, 0),
    ]
    assert [cell.text for cell in wisdom.view.sheets[0].rows[0].cells] == ["6", "0", "0"]
    assert wisdom.view.sheets[0].total == "", "six turns fit a phone; the sum stands on each seat"


# --- six cards, whatever happens ---

KNOWN = st.sampled_from(
    [
        ("cash_in", {"what": "path"}),
        ("cash_in", {"what": "obsession"}),
        ("buy_knowledge", {"card": "fw", "points": 2}),
        ("buy_knowledge", {"card": "George Rogers"}),
        ("buy_entity", {"entity": "Ghast", "at": "place-1"}),
        ("use_activation", {"points": 3, "bond": "horror"}),
        ("use_place", {"bond": "horror", "at": "none"}),
        ("use_place", {"cost": "free"}),
        ("place_sign", {"target": "place-1"}),
        ("remove_sign", {"owner": 1}),
        ("invoke", {"power": "horror-1"}),
        ("buy_knowledge", {"card": "Mi-Go Brain Case"}),
        ("buy_knowledge", {"card": "fw", "under": "Mi-Go Brain Case"}),
        ("buy_entity", {"entity": "Ghoul"}),
        ("activate", {"card": "Ghoul"}),
        ("place_sign", {"target": "card-Ghoul"}),
        ("declare", {}),
        ("advance_ritual", {"bond": "horror"}),
        ("advance_ritual", {"bond": "George Rogers", "by": "late"}),
        ("advance_ritual", {"bond": "madness", "by": "effect"}),
        ("set_cards", {}),
        ("end_research", {}),
        ("go_on", {}),
        ("take_back", {}),
        ("put_back", {}),
        ("remove_seat", {}),
        ("add_seat", {"name": "Eve"}),
        ("set_ritual", {"to": 2}),
        ("evoke", {"bond": "horror"}),
    ]
)


def guess(data, wisdom, command, more):
    """What somebody may tap: mostly the right seat and turn, sometimes not."""
    state = wisdom.state
    right = state.actor or (state.declarer or state.seats)[0]
    seat = data.draw(st.sampled_from([right, right, right, *state.seats]))
    few = st.integers(0, 3)
    match command:
        case "declare":
            lap = state.declarer[1] if state.declarer else 1
            return {"seat": seat, "turn": max(1, state.turn), "lap": lap, "count": data.draw(few)}
        case "set_cards":
            hand, spent, temporary = data.draw(few), data.draw(few), data.draw(few)
            left = max(0, 6 - hand - spent - temporary)
            return {"seat": seat, "hand": hand, "spent": spent, "temporary": temporary, "permanent": left}
        case "take_back" | "put_back":
            return {"entry": data.draw(st.integers(1, wisdom.evening.journal.version))}
        case "end_research":
            return {"turn": max(1, state.turn)}
        case "remove_seat" | "set_ritual":
            return {"seat": seat, **more}
        case "add_seat":
            return more
        case "advance_ritual":
            return {
                "seat": seat,
                "turn": max(1, state.turn),
                "box": min(3, state.player(seat).ritual + 1),
                **more,
            }
        case "evoke" | "activate":
            return {"seat": seat, "turn": max(1, state.turn), **more}
        case _:
            return {"seat": seat, "turn": max(1, state.turn), "after": state.acted, **more}


@effort(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_everyone_has_six_cards_under_any_play(table, data):
    wisdom = table(data.draw(st.integers(2, 4)))
    for _ in range(data.draw(st.integers(5, 40))):
        command, more = data.draw(KNOWN)
        if command == "go_on":
            buttons = wisdom.view.phase.buttons
            command, given = (buttons[0].do.command, buttons[0].do.args) if buttons else ("declare", None)
            given = given if given is not None else guess(data, wisdom, "declare", {})
        else:
            given = guess(data, wisdom, command, more)
        before = wisdom.state
        try:
            wisdom.do(command, **given)
        except Refused:
            assert wisdom.state == before
        for seat in wisdom.state.seats:
            each = wisdom.state.player(seat)
            assert each.hand + each.spent + each.temporary + each.permanent == 6
            assert min(each.hand, each.spent, each.temporary, each.permanent, each.permanent - each.used) >= 0
            assert each.ritual <= 3
            assert wisdom.state.kp(seat) >= 0
        for seat in wisdom.state.seats if wisdom.state.turn else ():
            lies = [re.match(r"(\d+) (?:Path|temporary|permanent|spent)", each) for each in wisdom.lies(seat)]
            assert sum(int(count[1]) for count in lies if count) == 6


def test_six_cards_can_be_put_right_by_hand_but_stay_six(table):
    wisdom = table(2)
    with pytest.raises(Refused, match="That makes 7 cards; everyone has six"):
        wisdom.do("set_cards", seat="Ada", hand=4, spent=1, temporary=1, permanent=1)
    with pytest.raises(Refused, match="at most 6"):
        wisdom.do("set_cards", seat="Ada", hand=9, spent=0, temporary=0, permanent=0)
    with pytest.raises(Refused, match="says that already"):
        wisdom.do("set_cards", seat="Ada", hand=6, spent=0, temporary=0, permanent=0)


def test_somebody_may_leave_or_sit_down_in_the_middle(table):
    wisdom = table(4).to_turn(3)
    wisdom.say(Dov=2)
    wisdom.do("move_seeker", seat="Dov", to="place-12")
    wisdom.do("move_seeker", seat="Ada", to="place-11")
    wisdom.do("remove_seat", seat="Dov")
    assert wisdom.now == (3, "research")
    assert "Seeker: Place 11" in wisdom.lies(), "it stands there still, though its tile is put away"
    wisdom.do("add_seat", name="Eve")
    assert wisdom.now == (3, "research")
    assert wisdom.cards("Eve") == (4, 0, 0, 2)
    wisdom.finish()
    assert wisdom.cards("Eve") == (3, 0, 0, 3)


# --- bad input ---


@pytest.mark.parametrize(
    ("command", "given", "words"),
    [
        ("cash_in", {"seat": 1, "turn": 1, "after": 0, "what": "house"}, "not a what this table knows"),
        ("cash_in", {"seat": 9, "turn": 1, "after": 0, "what": "path"}, "seat is not at this table"),
        ("gain", {"seat": 1, "turn": 1, "points": "many", "source": "card"}, "not a whole number"),
        ("gain", {"seat": 1, "turn": 1, "points": 5000, "source": "card"}, "at most 999"),
        ("advance_ritual", {"seat": 1, "turn": 1, "box": 1, "bond": "love"}, "four Dark Bonds"),
        ("pay_bond", {"seat": 1, "turn": 1, "bond": "love"}, "four Dark Bonds"),
        ("choose_god", {"god": "Bob"}, "four Dark Bonds"),
        ("draw_gods", {}, "before turn 1"),
        ("note_place", {"place": 99, "name": "Arkham"}, "there are 9 Arcane Places"),
        ("hold_bond", {"seat": 1, "name": "x", "bond": "horror", "points": 0}, "at least 1"),
        ("move_seeker", {"seat": 1, "to": "the pub"}, "cannot go there"),
    ],
)
def test_bad_input_gets_a_clear_sentence_and_changes_nothing(table, command, given, words):
    wisdom = table()
    wisdom.say()
    before = wisdom.state
    with pytest.raises(Refused, match=re.escape(words)):
        wisdom.do(command, **given)
    assert wisdom.state == before


def test_every_form_that_the_panel_or_a_seat_opens_is_there(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Herbert West")
    wisdom.rite("Ada", "horror", by="effect")
    wisdom.do("move_sign", seat="Bob", to="entity")
    wisdom.say(Ada=2)
    ids = [form.id for form in wisdom.view.forms]
    assert len(set(ids)) == len(ids)
    assert {tap.opens for tap in wisdom.piece("wis-actions").taps if tap.opens and not tap.off} <= set(ids)
    assert len([id for id in ids if id.startswith("act-")]) == 9
    for what in ("points", "ritual", "seeker", "sign", "cards", "take", "bond"):
        assert {f"{what}-1", f"{what}-2"} <= set(ids)
    assert "card-1-0" in ids


def test_the_page_says_why_one_acts_first_and_asks_who_is_in_play(phone):
    ada = phone()
    code = ada.open("Ada", "Bob", slug=SLUG)
    ada.tap(code, "begin_game")
    for lap in (1, 2):
        for seat in (1, 2):
            ada.tap(code, "declare", seat=seat, turn=1, lap=lap, count=1)
    page = ada.get(f"/s/{code}").text
    assert "Ada and Bob tie with 2: Ada came to it first." in page
    assert "Great Old Ones: 0 of 2 named" in page
    ada.tap(code, "choose_god", god="horror")
    assert "Great Old Ones: 1 of 2 named" in ada.get(f"/s/{code}").text
    sheet = ada.get(f"/s/{code}/form/act-entity").text
    assert "Ghoul" in sheet
    assert "data-focus" not in sheet, "a keyboard would hide what is chosen first"


def test_places_can_be_named(table):
    wisdom = table(2)
    wisdom.do("note_place", place=2, name="Innsmouth", bond="madness")
    tile = wisdom.piece("wis-places").taps[1]
    assert (tile.label, tile.mark, tile.detail) == ("Innsmouth", "madness", "")
    assert len(wisdom.piece("wis-places").taps) == 6
    wisdom.say()
    wisdom.do("move_seeker", seat="Ada", to="place-2")
    wisdom.do("move_sign", seat="Ada", to="place-2")
    tile = wisdom.piece("wis-place-2")
    assert (tile.seat.name, tile.detail) == ("Ada", "Ada’s Seeker, Ada’s Sign")


def test_a_place_is_known_once_it_was_used(table):
    """Two taps on its tile the first time, one from then on."""
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Joseph Curwen")
    wisdom.say(Ada=2, Bob=2)
    (tile,) = [tap for tap in wisdom.sheet("act-place") if tap.label == "Place 2"]
    assert (tile.do, tile.opens) == (None, "place-2")
    assert [(tap.label, tap.detail) for tap in wisdom.sheet("place-2")] == [
        ("Madness", "+4 KP"),
        ("Dimension", ""),
        ("Nightmare", ""),
        ("Horror", ""),
        ("no bond", ""),
    ]
    wisdom.press("place-2", "Madness")
    assert (wisdom.kp("Ada"), wisdom.piece("wis-place-2").mark) == (4, "madness")
    wisdom.do("note_place", place=2, name="Innsmouth", bond="madness", points=3, cost="free")
    wisdom.press("act-place", "Innsmouth")
    assert (wisdom.kp("Bob"), wisdom.cards("Bob")) == (3, (4, 0, 2, 0)), "its power is free and pays 3"
    assert "use a place’s power at Innsmouth" in wisdom.evening.log[-1].text
    wisdom.press("act-place", "Innsmouth")
    assert wisdom.kp("Ada") == 4 + 3 + 4
    wisdom.act("use_place", cost="free", at="place-3", points=2)
    known = {tap.label: tap.detail for tap in wisdom.sheet("act-place") if tap.do}
    assert known == {"Innsmouth": "+7 KP", "Place 3": "+2 KP"}, "what it pays Ada"


def test_rulings_and_house_rules_know_each_other(table):
    game = table().evening.journal.game
    rules = {rule.id for rule in HOUSE_RULES}
    assert {each.house_rule for each in game.rulings} - {""} <= rules
    assert all(rule.why for rule in HOUSE_RULES)


@pytest.mark.parametrize(
    ("id", "words", "status"),
    [
        ("goo-cthulhu", "twice the points of each Forbidden Wisdom card", "elsewhere"),
        ("invocation-use", "one Obsession; each power works once a turn", "elsewhere"),
        ("what-costs-what", "an Invocation Power, placing", "follows"),
        ("dark-bond", "the symbol on a Ritual Object only says whose ritual", "stated"),
        ("objects-madness", "only those that are Dark Masters also pay", "elsewhere"),
        ("objects-nightmare", "pay nothing as bond cards", "elsewhere"),
        ("card-variable-as", "in your Learning Area and under this Combination", "elsewhere"),
        ("card-variable-fw", "for each Forbidden Wisdom and each Dark Master", "elsewhere"),
        ("entity-points-exception", "from the opponent with the most", "elsewhere"),
        ("card-necronomicon", "at each End of Search", "elsewhere"),
        ("area-cleaned-when", "the later draft overrides it", "contradicts"),
        ("bond-pays", "third requirement", "elsewhere"),
        ("sign-on-place", "take your Seeker back", "elsewhere"),
        ("permanent-never-back", "Eltdown Shards", "stated"),
        ("ritual-boxes", "one and the same turned twice", "elsewhere"),
        ("dm-own-power", "Not by itself", "silent"),
        ("objects-pay", "pay nothing", "follows"),
        ("kept-immediate", "free and beside your action", "follows"),
        ("box-3-nobody", "nobody is evoked", "silent"),
        ("needs-obs-res-place", "spend three Obsessions", "silent"),
        ("entity-starts", "In the next round", "follows"),
        ("entity-deck-empty", "Shuffle the discarded Entities", "silent"),
        ("take-more-than-there-is", "It takes what is there", "silent"),
        ("bought-cards-go", "Into your Learning Area", "stated"),
        ("leftover-paths", "2 points each", "elsewhere"),
        ("path-and-place-differ", "must show one seed", "stated"),
    ],
)
def test_rulings_say_what_the_room_does_and_how_sure_that_is(table, id, words, status):
    ruling = next(each for each in table().evening.journal.game.rulings if each.id == id)
    assert words in ruling.answer
    assert ruling.status == status


def test_nothing_about_entities_begins_with_a_yes_but_a_signs_answer_is_short(table):
    rulings = {each.id: each for each in table().evening.journal.game.rulings}
    assert not rulings["entity-points-exception"].answer.startswith("Yes")
    assert len(rulings["signs-block"].answer.split()) <= 50
    assert "probable" in rulings["invocation-use"].more


def test_a_screen_marks_once_what_comes_from_the_later_draft(table):
    wisdom = table(2)
    ready_to_evoke(wisdom, "Ada")
    wisdom.say(Ada=2)
    marked = [each.id for each in inside(wisdom.view.pieces) if "later draft" in getattr(each, "title", "")]
    assert marked == ["wis-drafts"]
    words = [form.title + form.submit + form.text for form in wisdom.view.forms]
    assert not [each for each in words if "later draft" in each]


def test_bonds_look_like_no_player(table):
    """Round and coloured is a player; a bond is a sign of its own, in ink."""
    faces = Path(wisdom_of_cthulhu.__file__).parent / "faces"
    signs = set(re.findall(r'symbol id="(\w+)"', (faces / "marks.svg").read_text("utf-8")))
    assert signs == {bond.id for bond in BONDS}
    assert not signs & set(SYMBOLS)
    style = (faces / "style.css").read_text("utf-8")
    assert not [colour for colour in COLOURS if f"--{colour})" in style]


def test_after_the_game_nothing_is_offered_but_corrections(table):
    wisdom = table(2)
    wisdom.do("take_card", seat="Ada", card="Ghoul")
    wisdom.to_turn(6)
    wisdom.say()
    wisdom.close()
    assert not [each for each in inside(wisdom.view.pieces) if isinstance(each, Tap) and not each.off]
    assert [cell.form.do.command for cell in wisdom.view.sheets[0].rows[0].cells] == ["correct"] * 6


# --- companion adjudicate ---


def adjudicated(capsys, tmp_path, told):
    file = tmp_path / "tally.json"
    file.write_text(told if isinstance(told, str) else json.dumps(told), "utf-8")
    code = main(["adjudicate", SLUG, str(file)])
    spoken = capsys.readouterr()
    return code, spoken.out + spoken.err


def counted(*kps, turn=6, over=True, **more):
    players = [{"name": name, "kp": kp} for name, kp in zip(CAST, kps, strict=False)]
    return {"turn": turn, "turn_over": over, "players": players, **more}


def test_a_tally_after_turn_6_has_a_winner_or_is_shared(capsys, tmp_path):
    code, said = adjudicated(capsys, tmp_path, counted(40, 52, 31))
    assert code == 0
    assert "Bob wins with 52 KP" in said
    code, said = adjudicated(capsys, tmp_path, counted(40, 40))
    assert code == 0
    assert "Ada and Bob share the win with 40 KP each" in said
    assert "The manual is silent about ties" in said


@pytest.mark.parametrize(("turn", "over"), [(5, True), (6, False), (1, False)])
def test_a_tally_before_the_end_says_that_the_game_goes_on(capsys, tmp_path, turn, over):
    code, said = adjudicated(capsys, tmp_path, counted(40, 52, turn=turn, over=over))
    assert code == 0
    assert "If we ended now, Bob would win with 52 KP" in said


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (counted(1, 2, turn=7), "turn can be at most 6"),
        (counted(1, 2, turn=0), "turn must be at least 1"),
        (counted(1, -2), "Bob cannot have −2 KP: nobody goes below 0"),
        (counted(1, 2, luck=3), "means nothing here: “luck”"),
        (counted(1), "for 2 to 4 players; this table has 1"),
        ({"turn": 6, "players": [{"name": "A", "kp": 1}, {"name": "B", "kp": 1}]}, "lacks “turn_over”"),
        (counted(1, "two"), "must be a whole number"),
        (counted(1, 2, over="yes"), "turn_over must be true or false"),
        (
            {**counted(1, 2), "players": [{"name": "A", "kp": 1, "vp": 2}, {"name": "B", "kp": 1}]},
            "means nothing here",
        ),
        ("{", "not JSON"),
    ],
)
def test_an_impossible_tally_is_one_clear_line(capsys, tmp_path, told, words):
    code, said = adjudicated(capsys, tmp_path, told)
    assert code != 0
    assert words in said
    assert len(said.strip().splitlines()) == 1


def test_a_tally_may_allow_debts(capsys, tmp_path):
    code, said = adjudicated(capsys, tmp_path, counted(1, -2, house_rules={"below-zero": "yes"}))
    assert code == 0
    assert "Ada wins with 1 KP" in said


def test_the_command_line_judges_a_tally_from_standard_input():
    asked = subprocess.run(
        [sys.executable, "-m", "companion", "adjudicate", SLUG],
        input=json.dumps(counted(3, 9)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert asked.returncode == 0, asked.stderr
    assert "Bob wins with 9 KP" in asked.stdout


def test_what_is_declared_and_counted_sends_a_phone_no_more_than_it_changed(app, phone):
    """Four players with six Paths each, so that everybody has seven numbers to choose from."""
    ada = phone()
    code = ada.open(*CAST, slug=SLUG)

    sends = partial(ada.sends, code)

    sends("begin_game")
    order = app.extensions["play"].show(code).journal.state.sequence
    for seat in order:
        assert sends("declare", seat=seat, turn=1, lap=1, count=seat % 2) < 3000
    for seat in order[:3]:
        assert sends("declare", seat=seat, turn=1, lap=2, count=0) < 3000
    sends("declare", seat=order[3], turn=1, lap=2, count=0)
    for seat in order:
        assert sends("count", seat=seat, turn=1, by=1) < 3000


def test_an_action_sends_a_phone_no_more_than_it_changed(app, phone):
    """Four players with three cards each before them; what is done most, three thousand bytes at most."""
    ada = phone()
    code = ada.open(*CAST, slug=SLUG)
    state = lambda: app.extensions["play"].show(code).journal.state  # noqa: E731
    ada.sends(code, "begin_game")
    while state().declarer:
        seat, lap = state().declarer
        ada.sends(code, "declare", seat=seat, turn=1, lap=lap, count=3 if lap == 1 else 0)
    for seat, cards in enumerate((list(DARK_MASTERS)[at::4] for at in range(4)), 1):
        for card in (*cards[:2], "Ghoul"):
            ada.sends(code, "take_card", seat=seat, card=card)

    def sends(command, **more):
        given = {"seat": state().actor, "turn": 1, "after": state().acted, **more}
        return ada.sends(code, command, **given)

    sends("cash_in", what="path")  # after the first action nobody reads why the order is so
    for command, more in (
        ("cash_in", {"what": "path"}),
        ("buy_knowledge", {"card": "Petrifying Elixir"}),
        ("use_place", {"at": "place-3", "bond": "horror"}),
        ("cash_in", {"what": "obsession"}),
    ):
        assert sends(command, **more) < 3000, command
    names = [card.name for card in state().player(state().actor).learned if card.ready]
    assert ada.sends(code, "activate", seat=state().actor, turn=1, card=names[0]) < 3000


def test_points_leave_the_turn_as_it_is(table):
    wisdom = table(players=2)
    for _ in range(4):
        seat, lap = wisdom.state.declarer
        wisdom.do("declare", seat=seat, turn=1, lap=lap, count=1)
    acts = wisdom.state.actor
    phase, lies = wisdom.view.phase, wisdom.piece("wis-lies-1")
    wisdom.do("count", seat=3 - acts, turn=1, by=2)
    assert wisdom.view.phase is phase
    assert wisdom.piece("wis-lies-1") is lies
    wisdom.do("count", seat=acts, turn=1, by=2)
    assert wisdom.view.phase is phase


def test_people_ask_about_what_lies_there(table):
    game, state = shelf()[SLUG], table(2).state

    def asked(state):
        now = View(Phase("Research", key="research"), (), in_play=game.view(state).in_play)
        return {each.id for each in game.rulings_now(now, 200)}

    seat = state.seats[0]
    reads = replace(state.players[seat], learned=(CARDS["Necronomicon"],))
    assert {"card-necronomicon", "ritual-object"}.isdisjoint(asked(state))
    assert {"card-necronomicon", "ritual-object"} <= asked(
        replace(state, players={**state.players, seat: reads})
    )
    assert "goo-cthulhu" in asked(state), "as long as nobody says, any may be in play"
    assert "goo-cthulhu" not in asked(replace(state, gods=("horror", "nightmare")))


def test_every_card_of_the_box_is_found_by_its_name():
    """Whoever types no more than a name finds a ruling that speaks of it, among the first three."""
    look_up, missed = LookUp(shelf()), []
    for name in CARDS:
        if name.startswith("XXXX"):
            continue  # the author's placeholders
        plain = name.replace("’", "'").removeprefix("The ")
        found = [each.ruling for each in look_up.search(plain, "wisdom-of-cthulhu", 3)]
        said = [f"{each.answer} {each.more}".replace("’", "'") for each in found]
        missed += [] if any(plain in text for text in said) else [name]
    assert not missed
