"""Tides of Madness: 18 cards, three rounds, nine tokens."""

import itertools
import json
import re
import subprocess
import sys

import pytest
from brought import brought
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion.command_line.main import main
from companion.core import Question, Refused, Tap
from companion.core.pieces import Chips, Steps, Tick, Track, inside
from companion.evenings.recap import recap
from companion.games.tides_of_madness.cards import (
    DECK,
    DREAMLANDS,
    HOUSE_RULES,
    SHUB,
    SUITS,
    Spread,
    card,
    majorities,
    score,
    suit,
)
from companion.games.tides_of_madness.rounds import score_game

SLUG = "tides-of-madness"
DRAFTS, REFRESHES = (brought(what)[SLUG] for what in ("DRAFTS", "REFRESHES"))
ADA_1 = ("cthulhu", "azathoth", "deep-ones", "rlyeh", "necronomicon")
BOB_1 = ("hastur", "unaussprechlichen-kulten", "yog-sothoth", "innsmouth", "miskatonic-university")
ADA_D = ("nyarlathotep", "hastur", "elder-things", "dreamlands", "pnakotic-manuscripts")
BOB_S = ("azathoth", "dagon", "mountains-of-madness", "shub-niggurath", "great-race-of-yith")
IDS = [each.id for each in DECK]
SUIT_IDS = [each.id for each in SUITS]


def points(mine, theirs=(), tokens=0, wild="", kept=(), **more):
    lines = score(Spread(tuple(kept), tuple(mine), wild), Spread((), tuple(theirs)), tokens, **more)
    return {line.card.id: line.points for line in lines}


def why(mine, theirs=(), tokens=0, wild="", kept=()):
    lines = score(Spread(tuple(kept), tuple(mine), wild), Spread((), tuple(theirs)), tokens)
    return {line.card.id: line.why for line in lines}


class Tides:
    """A table at round 1, and short words for what is tapped there."""

    def __init__(self, evening):
        self.evening = evening
        self.do = self.evening.do
        self.do("begin_round", after=0)

    def play(self, seat, cards, round=1):
        for each in cards:
            self.do("play_card", seat=seat, round=round, card=each)

    def both(self, adas, bobs, round=1):
        self.play("Ada", adas, round)
        self.play("Bob", bobs, round)

    def typed(self, round, ada, bob):
        """(VP, Madness) of each."""
        if self.state.stage == "draft":
            self.do("begin_scoring", round=round)
        self.do("enter_round", seat="Ada", round=round, vp=ada[0], madness=ada[1])
        self.do("enter_round", seat="Bob", round=round, vp=bob[0], madness=bob[1])

    def refresh(self, round, ada=(), bob=()):
        for seat, named in (("Ada", ada), ("Bob", bob)):
            if named:
                self.do("keep_card", seat=seat, round=round, card=named[0])
                self.do("discard_card", seat=seat, round=round, card=named[1])

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
    def rounds(self):
        return score_game(self.state)

    def side(self, name, round=1):
        return self.rounds[round - 1].sides[self.evening.seat(name).id]

    def seen(self, kind, among=""):
        return seen(self.view, kind, among)

    @property
    def questions(self):
        return self.seen(Question)

    @property
    def lacks(self):
        """What is to be put right: the sentence, and the form that does it."""
        pieces = [each for each in self.view.phase.first if each.id.startswith("tides-lack")]
        return [(each.text, each.pieces[0].taps[0].opens) for each in pieces]

    @property
    def warnings(self):
        return [each.note for each in self.seen(Track)]

    def kept(self, seat):
        """The cards that lie there from earlier rounds."""
        (chips,) = self.seen(Chips, f"tides-has-{seat}")
        return [each.label for each in chips.chips]

    def totals(self):
        return [
            (int(each.score), track.value)
            for each, track in zip(self.view.seats, self.seen(Track), strict=True)
        ]


def seen(view, kind, among=""):
    """The pieces of a kind, wherever they stand; or those whose ids begin so."""
    return [each for each in inside(view.pieces) if isinstance(each, kind) and each.id.startswith(among)]


@pytest.fixture
def table(sit_down):
    return lambda **more: Tides(sit_down(SLUG, "Ada", "Bob", **more))


# --- the box ---


def test_the_box_has_eighteen_cards_three_of_each_suit_and_eight_with_madness():
    assert len(DECK) == len(set(IDS)) == 18
    for each in SUITS:
        assert sum(card.suit == each.id for card in DECK) == 3
    assert sum(not card.suit for card in DECK) == 3
    assert {card.name for card in DECK if card.madness} == {
        "Yog Sothoth",
        "Dagon",
        "Deep Ones",
        "Great Race of Yith",
        "R'lyeh",
        "Necronomicon",
        "Pnakotic Manuscripts",
        "Miskatonic University",
    }


def test_every_suit_has_one_card_that_wants_a_majority_and_one_that_counts_cards():
    chain = {
        "outer-gods": ("locations", "great-old-ones"),
        "great-old-ones": ("races", "manuscripts"),
        "races": ("manuscripts", "outer-gods"),
        "locations": ("great-old-ones", "races"),
        "manuscripts": ("outer-gods", "locations"),
    }
    for own, (majority, each) in chain.items():
        mine = [card for card in DECK if card.suit == own]
        assert [(c.of, c.points) for c in mine if c.kind == "majority"] == [((majority,), 7)]
        assert [(c.of, c.points) for c in mine if c.kind == "each"] == [((each,), 3)]


@pytest.mark.parametrize(
    ("id", "mine", "theirs", "tokens", "gives", "reason"),
    [
        ("azathoth", ["cthulhu", "dagon"], [], 0, 6, "2 Great Old Ones × 3"),
        (
            "nyarlathotep",
            ["cthulhu", "deep-ones", "rlyeh", "necronomicon"],
            [],
            0,
            13,
            "one set of all five suits",
        ),
        ("nyarlathotep", ["cthulhu", "deep-ones", "rlyeh"], [], 0, 0, "no set: no Manuscript"),
        ("yog-sothoth", ["rlyeh"], [], 0, 7, "1 Location against 0: majority"),
        ("yog-sothoth", ["rlyeh"], ["innsmouth"], 0, 0, "1 Location against 1: a tie is no majority"),
        (
            "cthulhu",
            ["azathoth", "rlyeh", "deep-ones"],
            [],
            0,
            9,
            "1 set of Outer God, Location and Race × 9",
        ),
        ("dagon", ["deep-ones"], [], 0, 7, "1 Race against 0: majority"),
        ("hastur", ["necronomicon", "pnakotic-manuscripts"], [], 0, 6, "2 Manuscripts × 3"),
        (
            "deep-ones",
            ["dagon", "hastur", "necronomicon"],
            [],
            0,
            6,
            "1 set of Great Old One and Manuscript × 6",
        ),
        ("elder-things", ["azathoth"], [], 0, 3, "1 Outer God × 3"),
        ("great-race-of-yith", [], ["necronomicon"], 0, 0, "0 Manuscripts against 1: no majority"),
        (
            "innsmouth",
            [],
            [],
            0,
            12,
            "no Races and no Outer Gods and no Great Old Ones and no Manuscripts: 4 × 3",
        ),
        (
            "mountains-of-madness",
            ["deep-ones", "elder-things", "great-race-of-yith"],
            [],
            0,
            9,
            "3 Races × 3",
        ),
        ("rlyeh", ["cthulhu"], [], 0, 7, "1 Great Old One against 0: majority"),
        ("necronomicon", [], [], 5, 5, "5 Madness tokens × 1"),
        ("pnakotic-manuscripts", ["azathoth"], [], 0, 7, "1 Outer God against 0: majority"),
        ("unaussprechlichen-kulten", ["rlyeh"], [], 0, 3, "1 Location × 3"),
        ("dreamlands", [], [], 0, 0, "its suit is not declared yet"),
        (
            "miskatonic-university",
            ["rlyeh", "dagon"],
            [],
            0,
            8,
            "majority in Locations and Great Old Ones × 4",
        ),
        ("shub-niggurath", [], [], 0, 0, "the first card of this round, so it doubles nothing"),
    ],
)
def test_what_each_card_gives_and_why(id, mine, theirs, tokens, gives, reason):
    assert points([id, *mine], theirs, tokens)[id] == gives
    assert why([id, *mine], theirs, tokens)[id] == reason


def test_all_eighteen_cards_are_tried_above():
    tried = test_what_each_card_gives_and_why.pytestmark[0].args[1]
    assert {row[0] for row in tried} == set(IDS)


def test_two_sets_count_twice_where_the_card_says_each():
    mine = [
        "cthulhu",
        "azathoth",
        "yog-sothoth",
        "elder-things",
        "deep-ones",
        "innsmouth",
        "mountains-of-madness",
    ]
    assert points(mine)["cthulhu"] == 18


def test_shub_doubles_the_card_before_it_and_a_kept_one_doubles_nothing():
    assert points(["azathoth", "cthulhu", "shub-niggurath"])["azathoth"] == 3
    assert points(["cthulhu", "azathoth", "shub-niggurath"])["azathoth"] == 6
    assert points(["shub-niggurath", "azathoth", "cthulhu"])["azathoth"] == 3
    assert points(["azathoth", "cthulhu"], kept=["shub-niggurath"])["azathoth"] == 3
    assert points(["shub-niggurath", "cthulhu"], kept=["azathoth"])["azathoth"] == 3
    assert points(["cthulhu"], kept=["azathoth", SHUB], kept_shub_doubles=True)["azathoth"] == 6


def test_shub_doubles_miskatonic_once():
    assert points(["rlyeh", "miskatonic-university", SHUB])["miskatonic-university"] == 8


def test_dreamlands_counts_for_sets_majorities_and_innsmouth():
    mine = ["nyarlathotep", "hastur", "elder-things", "dreamlands", "pnakotic-manuscripts"]
    assert points(mine, wild="locations")["nyarlathotep"] == 13
    assert points(mine, wild="races")["nyarlathotep"] == 0
    assert points(["innsmouth", "dreamlands"], wild="races")["innsmouth"] == 9


# --- the fact sheet's vectors ---


def test_vector_one_the_bonus_as_points_or_as_a_heal_that_costs_a_necronomicon_point(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    assert (tides.side("Ada").gained, tides.side("Bob").gained) == (3, 2)
    assert [(q.seat, [o.detail for o in q.options]) for q in tides.questions] == [
        (1, ["25 VP this round, 3 Madness", "20 VP this round, 2 Madness"])
    ]
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    assert [each.points for each in tides.side("Ada").card_vp] == [9, 3, 6, 0, 3]
    assert [each.points for each in tides.side("Bob").card_vp] == [3, 3, 0, 3, 0]
    assert tides.totals() == [(25, 3), (9, 2)]
    tides.do("choose_bonus", seat="Ada", round=1, choice="heal")
    assert tides.totals() == [(20, 2), (9, 2)]


def test_vector_two_dreamlands_and_shub(table):
    tides = table()
    tides.both(ADA_D, BOB_S)
    (asked,) = tides.questions
    assert [(o.mark, o.detail) for o in asked.options][1] == ("locations", "Ada 19 VP, Bob 9")
    tides.do("declare_suit", seat="Ada", round=1, suit="locations")
    (asked,) = tides.questions
    assert asked.seat == 2, "Bob gained two, Ada one; the token of Dreamlands comes later"
    tides.do("choose_bonus", seat="Bob", round=1, choice="points")
    assert [each.points for each in tides.side("Ada").card_vp] == [13, 3, 3, 0, 0]
    assert [each.points for each in tides.side("Bob").card_vp] == [3, 0, 6, 0, 0]
    assert tides.totals() == [(19, 2), (13, 1)]


def test_vector_three_seven_against_seven():
    ada = [
        "cthulhu",
        "azathoth",
        "yog-sothoth",
        "elder-things",
        "deep-ones",
        "innsmouth",
        "mountains-of-madness",
    ]
    bob = [
        "hastur",
        "dagon",
        "necronomicon",
        "pnakotic-manuscripts",
        "nyarlathotep",
        "great-race-of-yith",
        "rlyeh",
    ]
    assert list(points(ada, bob).values()) == [18, 3, 7, 6, 0, 3, 6]
    assert list(points(bob, ada, tokens=7).values()) == [6, 0, 7, 0, 13, 7, 7]


# --- what holds whatever lies on the table ---


@st.composite
def two_spreads(draw):
    order = draw(st.permutations(IDS))
    number = draw(st.integers(1, 3))
    per = 4 + number
    wild = draw(st.sampled_from(SUIT_IDS))
    ada, bob = order[:per], order[per : 2 * per]
    return tuple(Spread(tuple(c[: number - 1]), tuple(c[number - 1 :]), wild) for c in (ada, bob))


@effort(deadline=None)
@given(two_spreads(), st.integers(0, 12), st.randoms(use_true_random=False))
def test_points_depend_on_the_order_only_through_shub(spreads, tokens, luck):
    mine, theirs = spreads
    shuffled = list(mine.played)
    luck.shuffle(shuffled)
    other = Spread(mine.kept, tuple(shuffled), mine.wild)
    before = {line.card.id: line for line in score(mine, theirs, tokens)}
    after = {line.card.id: line for line in score(other, theirs, tokens)}
    for id, line in before.items():
        once = line.points // 2 if line.doubled else line.points
        assert once == (after[id].points // 2 if after[id].doubled else after[id].points)
    if SHUB not in mine.played:
        assert sum(line.points for line in before.values()) == sum(line.points for line in after.values())


@given(two_spreads())
def test_a_majority_is_never_both_players(spreads):
    mine, theirs = spreads
    assert not set(majorities(mine, theirs)) & set(majorities(theirs, mine))


@effort(max_examples=40, deadline=None)
@given(data=st.data())
def test_tokens_are_conserved_through_dreamlands(games, data):
    from at_the_table import Evening

    evening = Evening(games[SLUG], "Ada", "Bob")
    evening.do("begin_round", after=0)
    order = data.draw(st.permutations([id for id in IDS if id != DREAMLANDS]))
    adas = [DREAMLANDS, *order[:4]]
    for seat, cards in ((1, adas), (2, order[4:9])):
        for each in cards:
            evening.do("play_card", seat=seat, round=1, card=each)
    evening.do("declare_suit", seat=1, round=1, suit=data.draw(st.sampled_from(SUIT_IDS)))
    for asked in seen(evening.view, Question):
        evening.do(
            "choose_bonus", seat=asked.seat, round=1, choice=data.draw(st.sampled_from(["points", "heal"]))
        )
    ada, bob = score_game(evening.state)[0].sides.values()
    icons = sum(card(id).madness for id in (*adas, *order[4:9]))
    assert ada.after + bob.after == icons - ada.healed - bob.healed
    assert ada.moved == -bob.moved
    assert min(ada.after, bob.after) >= 0


# --- set-up and draft ---


def test_either_phone_ticks_the_list(sit_down):
    evening = sit_down(SLUG, "Ada", "Bob")
    evening.do("tick", item="deck")
    with pytest.raises(Refused, match="ticked already"):
        evening.do("tick", item="deck")
    evening.do("tick", item="deck", done="no")
    assert not any(tick.done for tick in seen(evening.view, Tick))
    for item in ("deck", "hands", "pile", "tokens"):
        evening.do("tick", item=item)
    assert evening.view.phase.buttons[0].strong


def test_two_phones_start_the_same_round_once(table):
    tides = table()
    with pytest.raises(Refused, match="Round 1 has begun already"):
        tides.do("begin_round", after=0)


def test_tapping_all_ten_cards_ends_the_draft(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    assert tides.state.stage == "scoring"


def test_how_many_cards_score_in_each_round(table):
    tides = table()
    play_three_rounds(tides)
    assert [[len(side.card_vp) for side in round.sides.values()] for round in tides.rounds] == [
        [5, 5],
        [6, 6],
        [7, 7],
    ]


# --- slips ---


@pytest.mark.parametrize(
    ("command", "given", "sentence"),
    [
        ("play_card", {"seat": "Ada", "card": "fungi-from-yuggoth"}, "none of the 18 cards"),
        ("play_card", {"seat": "Ada", "card": "cthulhu"}, "Cthulhu already lies in front of Ada"),
        ("play_card", {"seat": "Bob", "card": "cthulhu"}, "Cthulhu already lies in front of Ada"),
        ("play_card", {"seat": "Ada", "card": "dreamlands"}, "Ada has five cards in round 1 already"),
        ("play_card", {"seat": "Bob", "card": "dagon", "round": 2}, "Round 2 has not begun"),
        ("play_card", {"seat": "Bob", "card": "dagon", "round": 4}, "at most 3"),
        ("take_up_card", {"seat": "Ada", "card": "dagon"}, "not among the cards of Ada"),
        ("declare_suit", {"seat": "Ada", "suit": "locations"}, "Ada has no Dreamlands"),
        ("declare_suit", {"seat": "Ada", "suit": "fishes"}, "none of the five suits"),
        ("choose_bonus", {"seat": "Ada", "choice": "points"}, "The bonus comes later. Bob taps 5 more cards"),
        ("choose_bonus", {"seat": "Ada", "choice": "both"}, "is not a choice"),
        ("begin_refresh", {}, "Round 1 is not scored yet"),
        ("keep_card", {"seat": "Ada", "card": "cthulhu"}, "has not come to its refresh"),
        ("enter_round", {"seat": "Ada", "vp": 9, "madness": -1}, "at least 0"),
        ("enter_round", {"seat": "Ada", "vp": -3, "madness": 1}, "at least 0"),
        ("enter_round", {"seat": "Ada", "vp": 9, "madness": 6}, "5 Madness are the most"),
        ("enter_round", {"seat": "Ada", "vp": 999, "madness": 1}, "at most 150"),
        ("enter_round", {"seat": "Ada", "vp": "nine", "madness": 1}, "not a whole number"),
        ("decide_token", {"seat": "Ada", "takes": "yes"}, "must take its token"),
        (
            "correct_cards",
            {"seat": "Ada", **dict.fromkeys(["first", "second", "third", "fourth", "fifth"], "cthulhu")},
            "cannot be in two places",
        ),
    ],
)
def test_a_slip_is_refused_in_words_and_changes_nothing(table, command, given, sentence):
    tides = table()
    tides.play("Ada", ADA_1)
    tides.do("begin_scoring", round=1)
    before = tides.state
    with pytest.raises(Refused, match=re.escape(sentence)):
        tides.do(command, **({"round": 1} | given))
    assert tides.state == before


def test_what_is_chosen_already_is_not_chosen_again(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    taps = [("choose_bonus", {"choice": "points"}), ("keep_card", {"card": "cthulhu"})]
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.do("keep_card", seat="Ada", round=1, card="cthulhu")
    for command, chosen in [*taps, ("correct_refresh", {"kept": "cthulhu", "discarded": "none"})]:
        with pytest.raises(Refused, match="says that already"):
            tides.do(command, seat="Ada", round=1, **chosen)


def test_two_typed_sides_cannot_have_more_icons_than_the_box(table):
    tides = table()
    tides.do("begin_scoring", round=1)
    tides.do("enter_round", seat="Ada", round=1, vp=9, madness=5)
    with pytest.raises(Refused, match="only 8 cards"):
        tides.do("enter_round", seat="Bob", round=1, vp=9, madness=4)


def test_only_who_gained_more_has_the_bonus_and_a_tie_gives_nobody_one(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    with pytest.raises(Refused, match="Ada gained more Madness"):
        tides.do("choose_bonus", seat="Bob", round=1, choice="heal")
    tie = table()
    tie.typed(1, (10, 2), (12, 2))
    assert tie.totals() == [(10, 2), (12, 2)]
    with pytest.raises(Refused, match="nobody has the bonus"):
        tie.do("choose_bonus", seat="Ada", round=1, choice="heal")


def test_at_a_table_where_everyone_taps_their_own_seat_the_bonus_is_the_choosers(table):
    tides = table()
    bobs = tides.evening.join("Bob's", 2)
    tides.do("limit_tapping", own_seats_only="yes")
    tides.both(ADA_1, BOB_1)
    with pytest.raises(Refused, match="their own seat"):
        tides.do("choose_bonus", phone=bobs, seat="Ada", round=1, choice="heal")


# --- refresh ---


def test_one_card_is_kept_and_one_discarded_of_those_played(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    with pytest.raises(Refused, match="not one of the five cards that Ada played"):
        tides.do("keep_card", seat="Ada", round=1, card="hastur")
    tides.do("keep_card", seat="Ada", round=1, card="cthulhu")
    with pytest.raises(Refused, match="two places"):
        tides.do("discard_card", seat="Ada", round=1, card="cthulhu")
    tides.do("discard_card", seat="Ada", round=1, card="rlyeh")
    with pytest.raises(Refused, match="Bob still chooses a card to keep"):
        tides.do("begin_round", after=1)
    tides.do("keep_card", seat="Bob", round=1, card="hastur")
    tides.do("discard_card", seat="Bob", round=1, card="innsmouth")
    assert (tides.state.stage, tides.state.round) == ("draft", 2), "nobody taps that it begins"
    for gone, sentence in (
        ("rlyeh", "discarded after round 1 by Ada"),
        ("hastur", "kept after round 1 by Bob"),
    ):
        with pytest.raises(Refused, match=sentence):
            tides.do("play_card", seat="Bob", round=2, card=gone)
    assert [(out.label, out.detail) for out in tides.seen(Tap, "tides-out")] == [
        ("keeps Cthulhu", "after 1, out: R'lyeh"),
        ("keeps Hastur", "after 1, out: Innsmouth"),
    ]
    assert tides.kept(1) == ["Cthulhu"]


def test_there_is_no_refresh_after_round_three(table):
    tides = table()
    play_three_rounds(tides)
    with pytest.raises(Refused, match=r"over|no refresh"):
        tides.do("begin_refresh", round=3)


def play_three_rounds(tides):
    """By cards all the way: Ada 25 + …, nobody lost."""
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.refresh(1, ("cthulhu", "rlyeh"), ("hastur", "innsmouth"))
    tides.both(
        ("azathoth", "elder-things", "mountains-of-madness", "unaussprechlichen-kulten", "nyarlathotep"),
        ("necronomicon", "yog-sothoth", "miskatonic-university", "deep-ones", "dagon"),
        2,
    )
    tides.do("choose_bonus", seat="Bob", round=2, choice="heal")
    tides.refresh(2, ("azathoth", "nyarlathotep"), ("necronomicon", "dagon"))
    tides.both(
        ("yog-sothoth", "deep-ones", "pnakotic-manuscripts", "great-race-of-yith", "miskatonic-university"),
        ("unaussprechlichen-kulten", "mountains-of-madness", "elder-things", "dreamlands", "shub-niggurath"),
        3,
    )
    tides.do("declare_suit", seat="Bob", round=3, suit="manuscripts")
    for asked in tides.questions:
        tides.do("choose_bonus", seat=asked.seat, round=3, choice="heal")


# --- the check for nine ---


@pytest.fixture
def at_nine(table):
    """Ada comes to the check of round 2 with nine, unless the bonus is a heal."""
    tides = table()
    tides.typed(1, (20, 4), (18, 3))
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.refresh(1)
    tides.typed(2, (15, 5), (21, 3))
    return tides


def test_healing_before_the_check_saves_a_player_at_nine_and_says_so(at_nine):
    (asked,) = at_nine.questions
    assert [option.detail for option in asked.options] == [
        "19 VP this round, 9 Madness: lost at the check",
        "15 VP this round, 8 Madness: saved from nine",
    ]
    assert asked.options[0].confirm
    at_nine.do("choose_bonus", seat="Ada", round=2, choice="heal")
    assert at_nine.verdict.outcome == "continues"
    assert "saved by healing before the check" in at_nine.seen(Steps, "tides-stops-2")[0].stages[-1].detail
    saved = [step for step in at_nine.verdict.steps if step.because == "heal-before-check"]
    assert [step.text for step in saved] == [
        "Ada stood at 9 and healed 1 before the check of round 2: saved."
    ]
    assert at_nine.state.round == 3


def test_nine_at_the_check_loses_at_once_whatever_the_points(at_nine):
    at_nine.do("choose_bonus", seat="Ada", round=2, choice="points")
    assert at_nine.verdict.outcome == "win"
    assert at_nine.verdict.winners == (2,)
    assert at_nine.verdict.summary == "Bob wins: Ada is lost to Madness with 9 tokens."
    places = recap("TABLE1", at_nine.evening.journal).places
    assert [(each.rank, each.seat.name) for each in places] == [(None, "Bob"), (None, "Ada")]
    assert places[1].beside == "9 Madness, lost"
    with pytest.raises(Refused, match="The game is over"):
        at_nine.do("begin_refresh", round=2)
    at_nine.do("take_back", entry=at_nine.evening.journal.version)
    assert at_nine.verdict.outcome == "continues"


def test_a_token_taken_by_dreamlands_saves_the_other_player(at_nine):
    at_nine.do("enter_round", seat="Bob", round=2, vp=21, madness=3, dreamlands="yes")
    at_nine.do("choose_bonus", seat="Ada", round=2, choice="points")
    assert [score.after for score in at_nine.rounds[1].sides.values()] == [8, 7]
    assert not at_nine.verdict.final


def test_seven_and_eight_warn_in_words(at_nine):
    at_nine.do("choose_bonus", seat="Ada", round=2, choice="heal")
    assert at_nine.warnings == ["one more is nine", ""]
    at_nine.do("enter_round", seat="Ada", round=2, vp=15, madness=4)
    assert at_nine.warnings == ["two more are nine", ""]


# --- by hand, mixed with cards ---


def test_a_round_by_hand_between_rounds_by_cards(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.refresh(1, ("cthulhu", "rlyeh"), ("hastur", "innsmouth"))
    tides.typed(2, (12, 2), (14, 3))
    tides.do("choose_bonus", seat="Bob", round=2, choice="points")
    assert tides.totals() == [(37, 5), (27, 5)]
    assert tides.state.rounds[2].by_hand, "once chosen it stays chosen"
    assert not tides.lacks, "and then nobody asks for cards"
    tides.do("score_by_cards", round=3)
    assert tides.lacks == [
        ("Ada names the card kept after round 2.", "refresh-2-1"),
        ("Bob names the card kept after round 2.", "refresh-2-2"),
    ]
    assert {form for _, form in tides.lacks} <= {form.id for form in tides.view.every_form}
    tides.do("correct_refresh", seat="Ada", round=2, kept="azathoth", discarded="none")
    tides.do("correct_refresh", seat="Bob", round=2, kept="necronomicon", discarded="dagon")
    assert not tides.lacks
    assert tides.kept(1) == ["Cthulhu", "Azathoth"]


def test_after_two_rounds_by_hand_each_kept_card_is_asked_for_by_its_own_form(table):
    tides = table()
    tides.typed(1, (20, 1), (18, 1))
    tides.refresh(1)
    tides.typed(2, (20, 2), (18, 2))
    assert not tides.lacks
    tides.do("score_by_cards", round=3)
    assert [form for _, form in tides.lacks] == [
        "refresh-1-1",
        "refresh-2-1",
        "refresh-1-2",
        "refresh-2-2",
    ]
    tides.do("correct_refresh", seat="Ada", round=1, kept="hastur", discarded="none")
    with pytest.raises(Refused, match="Hastur"):
        tides.do("correct_refresh", seat="Ada", round=2, kept="hastur", discarded="none")
    tides.do("correct_refresh", seat="Ada", round=2, kept="dagon", discarded="none")
    assert [form for _, form in tides.lacks] == ["refresh-1-2", "refresh-2-2"]


def test_after_a_round_by_hand_nobody_keeps_or_discards_a_card_that_is_not_in_the_box(table):
    """Its cards are not known, so that any of the 18 may be named; a forged one would close the table."""
    tides = table()
    tides.typed(1, (20, 1), (18, 1))
    for command in ("keep_card", "discard_card"):
        with pytest.raises(Refused, match="none of the 18 cards"):
            tides.do(command, seat="Ada", round=1, card="fungi-from-yuggoth")
    journal = tides.evening.journal
    assert len(journal.entries) == len(journal.lines), "nothing was stored that the log cannot tell"
    tides.do("keep_card", seat="Ada", round=1, card="cthulhu")


def test_a_round_by_hand_starts_from_what_the_cards_gave(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.do("score_by_hand", round=1)
    assert tides.totals() == [(25, 3), (9, 2)]
    tides.do("enter_round", seat="Bob", round=1, vp=11, madness=2)
    assert tides.totals() == [(25, 3), (15 - 4, 2)]
    tides.do("score_by_cards", round=1)
    assert tides.totals() == [(25, 3), (9, 2)]


# --- corrections ---


def test_a_card_of_round_one_corrected_after_round_three_reaches_every_later_round(table):
    tides = table()
    play_three_rounds(tides)
    before = tides.rounds
    final = tides.verdict
    assert final.final
    # Ada's R'lyeh was Innsmouth, and Bob's Innsmouth R'lyeh: Madness and points of round 1 change
    free = {"round": 1, "wild": "none"}
    tides.do("correct_refresh", seat="Bob", round=1, kept="hastur", discarded="none")
    places = ("first", "second", "third", "fourth", "fifth")
    holes = [id if id != "innsmouth" else "none" for id in BOB_1]
    tides.do("correct_cards", seat="Bob", **free, **dict(zip(places, holes, strict=True)))
    assert not tides.verdict.final, "round 1 waits for a card"
    assert [text for text, _ in tides.lacks] == ["Round 1: Bob taps 1 more card."]
    adas = [id if id != "rlyeh" else "innsmouth" for id in ADA_1]
    tides.do("correct_cards", seat="Ada", **free, **dict(zip(places, adas, strict=True)))
    bobs = [id if id != "innsmouth" else "rlyeh" for id in BOB_1]
    tides.do("correct_cards", seat="Bob", **free, **dict(zip(places, bobs, strict=True)))
    with pytest.raises(Refused, match="R'lyeh cannot be in two places"):
        tides.do("discard_card", seat="Bob", round=1, card="rlyeh")
    assert "Ada discarded R'lyeh after round 1 without having played it." in dict(tides.lacks)
    tides.do("correct_refresh", seat="Ada", round=1, kept="cthulhu", discarded="innsmouth")
    tides.do("discard_card", seat="Bob", round=1, card="rlyeh")
    assert (tides.side("Ada").gained, tides.side("Bob").gained) == (2, 3)
    (asked,) = tides.questions
    assert asked.seat == 2, "now Bob gained more in round 1, and Ada's old choice counts no longer"
    assert asked.title.startswith("Round 1: ")
    tides.do("choose_bonus", seat="Bob", round=1, choice="points")
    after = tides.rounds
    assert tides.verdict.final
    for seat in (1, 2):
        moved = after[0].sides[seat].after - before[0].sides[seat].after
        assert moved != 0
        assert after[2].sides[seat].before - before[2].sides[seat].before == moved
    assert tides.verdict.steps != final.steps


def test_any_number_of_a_round_by_hand_can_be_corrected_later(table):
    tides = table()
    tides.typed(1, (20, 1), (18, 1))
    tides.refresh(1)
    tides.typed(2, (20, 2), (18, 2))
    tides.refresh(2)
    tides.typed(3, (20, 2), (18, 2))
    assert tides.verdict.winners == (1,)
    tides.do("enter_round", seat="Bob", round=1, vp=30, madness=1)
    assert tides.verdict.winners == (2,)
    assert tides.totals() == [(60, 5), (66, 5)]


def test_a_correction_can_end_the_game_in_an_earlier_round(table):
    tides = table()
    tides.typed(1, (20, 4), (18, 4))
    tides.refresh(1)
    tides.typed(2, (20, 3), (18, 3))
    tides.refresh(2)
    tides.do("enter_round", seat="Ada", round=2, vp=20, madness=5)
    tides.do("choose_bonus", seat="Ada", round=2, choice="points")
    assert tides.verdict.winners == (2,)
    assert "round 2" in tides.verdict.steps[-1].text


def test_every_cell_of_the_sheet_opens_a_form_that_is_there(table):
    tides = table()
    play_three_rounds(tides)
    there = {form.id for form in tides.view.every_form}
    assert {f"cards-{r}-{s}" for r in (1, 2, 3) for s in (1, 2)} <= there
    assert {"refresh-1-1", "refresh-2-2", "bonus-1-1"} <= there


# --- taking back ---


def test_a_take_back_that_later_taps_rest_on_is_refused(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    card_entry = tides.evening.journal.version
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    with pytest.raises(Refused, match=r"rests? on it"):
        tides.do("take_back", entry=card_entry)
    tides.do("take_back", entry=tides.evening.journal.version)
    tides.do("take_back", entry=card_entry)
    assert tides.state.stage == "draft"


def test_a_card_taken_back_and_given_to_the_other_cannot_be_put_back(table):
    tides = table()
    tides.play("Ada", ["cthulhu"])
    entry = tides.evening.journal.version
    tides.do("take_back", entry=entry)
    tides.play("Bob", ["cthulhu"])
    with pytest.raises(Refused, match="Cthulhu already lies in front of"):
        tides.do("put_back", entry=entry)


# --- house rules ---


def test_kept_icons_can_be_left_out_of_the_comparison(table):
    def second_round(**rules):
        tides = table(rules=rules)
        tides.both(ADA_1, BOB_1)
        tides.do("choose_bonus", seat="Ada", round=1, choice="points")
        tides.refresh(1, ("deep-ones", "cthulhu"), ("hastur", "innsmouth"))
        tides.both(
            ("azathoth", "rlyeh", "elder-things", "nyarlathotep", "mountains-of-madness"),
            ("necronomicon", "unaussprechlichen-kulten", "yog-sothoth", "great-race-of-yith", "dagon"),
            2,
        )
        return tides.rounds[1]

    assert [s.gained for s in second_round().sides.values()] == [2, 4]
    assert [s.compared for s in second_round(**{"kept-icons": "new"}).sides.values()] == [1, 4]
    assert [s.gained for s in second_round(**{"kept-madness": "once"}).sides.values()] == [1, 4]


def test_dreamlands_when_the_opponent_has_nothing(table):
    calm = ("azathoth", "hastur", "innsmouth", "mountains-of-madness", "unaussprechlichen-kulten")
    adas = ("dreamlands", "cthulhu", "nyarlathotep", "elder-things", "shub-niggurath")
    for rules, held in (({}, 0), ({"dreamlands-empty": "supply"}, 1)):
        tides = table(rules=rules)
        tides.both(adas, calm)
        tides.do("declare_suit", seat="Ada", round=1, suit="races")
        assert tides.totals()[0][1] == held
        assert tides.totals()[1][1] == 0


def test_dreamlands_may_leave_the_token_where_the_table_says_so(table):
    tides = table(rules={"dreamlands-takes": "may"})
    tides.both(ADA_D, BOB_S)
    tides.do("declare_suit", seat="Ada", round=1, suit="locations")
    tides.do("choose_bonus", seat="Bob", round=1, choice="points")
    (asked,) = tides.questions
    assert asked.seat == 1
    tides.do("decide_token", seat="Ada", round=1, takes="no")
    assert [madness for _, madness in tides.totals()] == [1, 2]


def test_a_kept_shub_doubles_what_the_table_says(table):
    for rules, doubled in (({}, False), ({"kept-shub": "before"}, True)):
        tides = table(rules=rules)
        tides.both(ADA_D, BOB_S)
        tides.do("declare_suit", seat="Ada", round=1, suit="locations")
        tides.do("choose_bonus", seat="Bob", round=1, choice="points")
        tides.refresh(1, ("hastur", "dreamlands"), ("azathoth", "dagon"))
        tides.both(
            ("nyarlathotep", "elder-things", "pnakotic-manuscripts", "cthulhu", "innsmouth"),
            ("shub-niggurath", "mountains-of-madness", "great-race-of-yith", "rlyeh", "necronomicon"),
            2,
        )
        for asked in tides.questions:
            tides.do("choose_bonus", seat=asked.seat, round=2, choice="heal")
        tides.refresh(2, ("nyarlathotep", "innsmouth"), ("shub-niggurath", "rlyeh"))
        tides.play("Bob", ["cthulhu"], 3)
        azathoth = next(each for each in tides.side("Bob", 3).card_vp if each.card.id == "azathoth")
        assert (azathoth.points, azathoth.doubled) == ((6, True) if doubled else (3, False))


def test_a_house_rule_changed_later_asks_for_the_bonus_anew(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    for rule in HOUSE_RULES:
        tides.do("choose_rule", rule=rule.id, choice=rule.choices[1][0])
    assert tides.totals() == [(25, 3), (9, 2)]
    assert all(rule.why for rule in HOUSE_RULES)


def test_the_verdict_names_the_rulings_and_house_rules_it_rests_on(table):
    tides = table()
    play_three_rounds(tides)
    because = {step.because for step in tides.verdict.steps}
    assert {"scoring-order", "nine-loses"} <= because
    assert {"kept-madness", "kept-icons", "dreamlands-takes"} <= because
    assert because & {"most-points", "equal-points"}


# --- companion adjudicate ---


def adjudicate(tally, *words, game=SLUG):
    text = tally if isinstance(tally, str) else json.dumps(tally)
    asked = subprocess.run(
        [sys.executable, "-m", "companion", "adjudicate", game, *words],
        input=text.encode(),
        capture_output=True,
        timeout=60,
    )
    return asked.returncode, asked.stdout.decode(), asked.stderr.decode()


def tally(round, ada, bob, **more):
    players = [
        {"name": n, "vp": vp, "madness": m} for n, (vp, m) in zip(("Ada", "Bob"), (ada, bob), strict=True)
    ]
    return {"round": round, "players": players, **more}


def judged(games, told):
    from companion.core.tally import judge

    verdict, table = judge(games[SLUG], told if isinstance(told, str) else json.dumps(told))
    return verdict.outcome, [table.seat(id).name for id in verdict.winners]


@pytest.mark.parametrize("round", [1, 2, 3])
@pytest.mark.parametrize(
    ("ada", "bob", "early", "late"),
    [
        ((43, 8), (40, 8), ("continues", []), ("win", ["Ada"])),
        ((40, 0), (43, 8), ("continues", []), ("win", ["Bob"])),
        ((40, 5), (40, 5), ("continues", []), ("shared", ["Ada", "Bob"])),
        ((0, 0), (0, 0), ("continues", []), ("shared", ["Ada", "Bob"])),
        ((90, 9), (1, 8), ("win", ["Bob"]), ("win", ["Bob"])),
        ((1, 8), (90, 10), ("win", ["Ada"]), ("win", ["Ada"])),
        ((50, 9), (40, 9), ("no_winner", []), ("no_winner", [])),
        ((50, 12), (50, 9), ("no_winner", []), ("no_winner", [])),
    ],
)
def test_a_tally_is_judged_at_every_boundary(games, round, ada, bob, early, late):
    assert judged(games, tally(round, ada, bob)) == (late if round == 3 else early)


BAD = {
    "round 9": (tally(9, (1, 1), (1, 1)), "round can be at most 3"),
    "round 0": (tally(0, (1, 1), (1, 1)), "round must be at least 1"),
    "negative madness": (tally(3, (1, -1), (1, 1)), "players[0].madness must be at least 0"),
    "negative points": (tally(3, (1, 1), (-1, 1)), "players[1].vp must be at least 0"),
    "more madness than there can be": (tally(3, (1, 25), (1, 1)), "players[0].madness can be at most 24"),
    "one player": ({"round": 3, "players": [{"name": "A", "vp": 1, "madness": 1}]}, "is for 2 players"),
    "three players": ({"round": 3, "players": [{"name": n, "vp": 1, "madness": 1} for n in "ABC"]}, "has 3"),
    "an unknown key": (tally(3, (1, 1), (1, 1), moon="full"), "“moon”"),
    "an unknown house rule": (tally(3, (1, 1), (1, 1), house_rules={"moon": "full"}), "no such house rule"),
    "an unknown choice": (tally(3, (1, 1), (1, 1), house_rules={"kept-icons": "x"}), "no such answer"),
    "house rules as a list": (tally(3, (1, 1), (1, 1), house_rules=["x"]), "“house_rules” is an object"),
    "no round": ({"players": tally(3, (1, 1), (1, 1))["players"]}, "lacks “round”"),
    "no players": ({"round": 3}, "“players”"),
    "no name": ({"round": 3, "players": [{"vp": 1, "madness": 1}] * 2}, "needs a name"),
    "one name twice": ({"round": 3, "players": [{"name": "A", "vp": 1, "madness": 1}] * 2}, "called A"),
    "text for a number": (tally("3", (1, 1), (1, 1)), "round must be a whole number"),
    "yes for a number": (tally(3, (True, 1), (1, 1)), "players[0].vp must be a whole number"),
    "half a token": (tally(3, (1, 1.5), (1, 1)), "players[0].madness must be a whole number"),
    "no number at all": (tally(3, (None, 1), (1, 1)), "players[0].vp must be a whole number"),
    "infinity": ('{"round": Infinity, "players": []}', "Infinity is not a number"),
    "not JSON": ("round three", "not JSON"),
    "nothing": ("", "not JSON"),
    "a list": ("[]", "JSON object"),
    "a key twice": ('{"round": 1, "round": 2, "players": []}', "stands in the tally twice"),
    "a number without end": ('{"round": ' + "9" * 9000 + ', "players": []}', "too long"),
    "far too deep": ("[" * 100_000, "not JSON"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_tally_that_cannot_be_gets_a_sentence(games, bad):
    told, sentence = BAD[bad]
    with pytest.raises(Refused) as refused:
        judged(games, told)
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_a_player_with_a_key_too_many(games):
    told = tally(3, (1, 1), (1, 1))
    told["players"][0]["hp"] = 3
    with pytest.raises(Refused, match="means nothing here: players"):
        judged(games, told)


def test_the_command_prints_the_verdict_as_json():
    status, out, err = adjudicate(tally(3, (43, 5), (40, 7), house_rules={"kept-icons": "new"}), "--json")
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert list(told) == ["outcome", "winners", "summary", "steps"]
    assert (told["outcome"], told["winners"]) == ("win", ["Ada"])
    assert all(list(step) == ["text", "because"] for step in told["steps"])


def test_without_json_it_is_text_to_read(tmp_path, capsys):
    file = tmp_path / "tally.json"
    file.write_text(json.dumps(tally(2, (43, 9), (40, 7))), "utf-8")
    assert main(["adjudicate", SLUG, str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Bob wins: Ada is lost to Madness with 9 tokens.\n")
    assert "[nine-loses]" in out


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (SLUG, json.dumps(tally(9, (1, 1), (1, 1)))),
        (SLUG, "\udcff"),
        (SLUG, None),
        ("tides-of-gladness", json.dumps(tally(3, (1, 1), (1, 1)))),
        ("any-game", "{}"),
    ],
    ids=["round 9", "not text", "no file", "no such game", "a game without a tally"],
)
def test_the_command_refuses_in_one_line_with_status_two(tmp_path, capsys, game, text):
    file = tmp_path / "tally.json"
    if text is not None:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["adjudicate", game, str(file), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("companion: ")
    assert err.count("\n") == 1


def test_every_suit_says_one_and_many():
    assert [suit(each).number(n) for each, n in itertools.product(SUIT_IDS[:1], (0, 1, 2))] == [
        "0 Races",
        "1 Race",
        "2 Races",
    ]


# --- face down, each on their own phone ---


@pytest.fixture
def duel(sit_down):
    """Ada's phone, and one for Bob."""

    def sit(**more):
        evening = sit_down(SLUG, "Ada", "Bob", **more)
        return Duel(evening, evening.join("Bob's", 2))

    return sit


SAT_DOWN = ("open", "join", "take_seats")


class Duel(Tides):
    def __init__(self, evening, bobs):
        self.evening, self.do, self.bobs = evening, evening.do, bobs

    def choose(self, name, card, round=1, pick=1):
        phone = self.bobs if name == "Bob" else 1
        return self.do("choose_card", phone, seat=name, round=round, pick=pick, card=card)

    def draft(self, adas, bobs, round=1):
        for pick, (ada, bob) in enumerate(zip(adas, bobs, strict=True), 1):
            self.choose("Ada", ada, round, pick)
            self.choose("Bob", bob, round, pick)

    def refreshes(self, name, round, **chosen):
        phone = self.bobs if name == "Bob" else 1
        for what, id in chosen.items():
            self.do("choose_refresh", phone, seat=name, round=round, what=what, card=id)

    def private(self, seat):
        return self.evening.journal.game.private(self.state, seat)

    def pressed(self, seat):
        return [each.id for each in inside(self.private(seat)) if isinstance(each, Tap) and each.on]


def test_a_card_lies_face_down_until_both_have_chosen_and_the_pick_counts_itself(duel):
    tides, other = duel(), duel()
    tides.choose("Ada", "cthulhu")
    other.choose("Ada", "necronomicon")
    assert tides.view == other.view, "nothing tells them apart"
    assert tides.evening.log[-1].text == other.evening.log[-1].text == "round 1 begins; has chosen"
    assert tides.private(2) == other.private(2)
    assert (tides.pressed(1), tides.pressed(2)) == (["card-1-cthulhu"], [])
    assert tides.state.rounds[0].side(1).played == ()
    tides.choose("Bob", "dagon")
    assert [tides.state.rounds[0].side(seat).played for seat in (1, 2)] == [("cthulhu",), ("dagon",)]
    assert tides.view.phase.title == "Round 1, pick 2 of 5"
    assert tides.evening.log[-1].text == "has chosen; pick 1: Ada Cthulhu, Bob Dagon"


def test_three_rounds_go_by_with_no_tap_that_says_go_on(duel):
    """Ten cards, the bonus, the suit of Dreamlands, keep and discard: nothing else is ever tapped."""
    tides = duel()
    brought("play")[SLUG](tides)
    assert tides.verdict.final
    taps = [entry for entry in tides.evening.journal.entries if entry.phone and entry.command not in SAT_DOWN]
    assert {each.command for each in taps} == {
        "choose_card",
        "choose_bonus",
        "declare_suit",
        "choose_refresh",
    }
    for phone in (1, 2):
        assert sum(each.phone == phone for each in taps) <= 7 * 3


def test_the_first_card_begins_round_one(duel):
    tides = duel()
    assert tides.view.phase.title == "Set up"
    assert not tides.view.phase.buttons
    tides.choose("Bob", "dagon")
    assert tides.state.drafts(1)
    assert tides.evening.log[-1].text == "round 1 begins; has chosen"


def test_nobody_chooses_on_anothers_phone_and_everyone_may_think_again(duel):
    tides = duel()
    tides.choose("Ada", "cthulhu")
    with pytest.raises(Refused, match="Bob chooses on Bob’s own phone"):
        tides.do("choose_card", 1, seat="Bob", round=1, pick=1, card="dagon")
    tides.choose("Ada", "hastur")
    tides.choose("Bob", "cthulhu")
    assert tides.state.rounds[0].side(1).played == ("hastur",)
    for pick, sentence in ((1, "Pick 1 is revealed already; this is pick 2"), (3, "Pick 3 comes later")):
        with pytest.raises(Refused, match=sentence):
            tides.choose("Ada", "dagon", pick=pick)
    with pytest.raises(Refused, match="Cthulhu already lies in front of Bob"):
        tides.choose("Ada", "cthulhu", pick=2)


def test_both_tapped_the_same_card_and_neither_is_told_before_the_other(duel):
    tides = duel()
    tides.choose("Ada", "cthulhu")
    tides.choose("Bob", "cthulhu")
    assert tides.evening.log[-1].text.endswith("both tapped Cthulhu in round 1: both choose again")
    assert tides.view.phase.title == "Round 1, pick 1 of 5"
    tides.choose("Ada", "cthulhu")
    tides.choose("Bob", "dagon")
    assert tides.state.pick == 2


def test_whoever_took_a_card_up_lays_another_in_the_open(duel):
    tides = duel()
    tides.draft(ADA_1[:2], BOB_1[:2])
    tides.do("take_up_card", seat="Bob", round=1, card=BOB_1[1])
    with pytest.raises(Refused, match="Bob has a card to tap first"):
        tides.choose("Ada", ADA_1[2], pick=3)
    tides.choose("Bob", "dagon", pick=2)
    assert tides.state.pick == 3
    tides.choose("Ada", ADA_1[2], pick=3)


def test_what_is_kept_and_what_goes_is_revealed_together(duel):
    tides, other = duel(), duel()
    for each in (tides, other):
        each.draft(ADA_1, BOB_1)
        each.do("choose_bonus", seat="Ada", round=1, choice="points")
        assert each.view.phase.title == "Refresh after round 1", "nobody tapped that it comes"
    tides.refreshes("Ada", 1, kept="cthulhu")
    other.refreshes("Ada", 1, discarded="rlyeh")
    assert tides.evening.log[-1].text == other.evening.log[-1].text == "is choosing"
    assert tides.view == other.view
    tides.refreshes("Ada", 1, discarded="cthulhu")
    assert tides.pressed(1) == ["discarded-1-cthulhu"], "a card is kept or goes, not both"
    tides.refreshes("Ada", 1, kept="deep-ones", discarded="rlyeh")
    with pytest.raises(Refused, match="not one of the five cards that Bob played"):
        tides.refreshes("Bob", 1, kept="cthulhu")
    tides.refreshes("Bob", 1, kept="hastur", discarded="innsmouth")
    assert tides.view.phase.title == "Round 2, pick 1 of 5"
    words = "after round 1 Ada keeps Deep Ones, out: R'lyeh; Bob keeps Hastur, out: Innsmouth"
    assert words in tides.evening.log[-1].text
    with pytest.raises(Refused, match="The refresh after round 1 is over already"):
        tides.refreshes("Ada", 1, kept="azathoth")


def test_a_reveal_is_taken_back_whole_and_not_beneath_a_later_one(duel):
    tides = duel()
    tides.draft(ADA_1[:2], BOB_1[:2])
    with pytest.raises(Refused, match=r"rests? on it"):
        tides.do("take_back", entry=tides.evening.journal.version - 2)
    tides.do("take_back", tides.bobs, entry=tides.evening.journal.version)
    assert tides.state.pick == 2
    assert tides.pressed(1) == [f"card-1-{ADA_1[1]}"], "hers lies face down again"


# --- numbers that are not settled lead nobody ---


def test_nobody_leads_by_cards_that_are_not_scored_yet(table):
    tides = table()
    tides.typed(1, (16, 1), (17, 1))
    tides.do("score_by_cards", round=2)
    tides.play("Ada", ["azathoth", "cthulhu", "dagon"], 2)
    assert [(each.score, each.leads) for each in tides.view.seats] == [("16", False), ("17", True)]
    assert tides.verdict.leaders == (2,)
    assert "Ada 16 VP, Bob 17 VP" in tides.verdict.summary


BOB_N = ("necronomicon", "azathoth", "dagon", "mountains-of-madness", "great-race-of-yith")


def test_what_dreamlands_takes_is_counted_before_its_suit_and_the_bonus_are_chosen(table):
    tides = table()
    tides.both(ADA_D, BOB_N)
    (asked,) = tides.questions
    assert [each.detail for each in asked.options][1] == "Ada 19 VP, Bob 8", "2 for Necronomicon, not 3"
    tides.do("declare_suit", seat="Ada", round=1, suit="locations")
    assert tides.side("Bob").card_vp[0].points == 2, "on the list of cards too"
    assert [each.value for each in tides.seen(Track)] == [1, 3], "the tokens themselves move after the bonus"
    tides.do("choose_bonus", seat="Bob", round=1, choice="points")
    assert [madness for _, madness in tides.totals()] == [2, 2]


# --- cards that change places ---


def test_a_card_that_lies_before_the_other_is_named_with_who_has_it(table):
    tides = table()
    tides.both(ADA_1[:3], BOB_1[:3])
    with pytest.raises(Refused, match="Hastur already lies in front of Bob"):
        tides.do("play_card", seat="Ada", round=1, card="hastur")
    places = dict(
        zip(("first", "second", "third", "fourth", "fifth"), [*ADA_1[:3], "hastur", "none"], strict=True)
    )
    with pytest.raises(Refused, match="Hastur already lies in front of Bob in round 1"):
        tides.do("correct_cards", seat="Ada", round=1, **places)


def test_two_cards_change_places_and_the_others_stay_where_they_are(table):
    tides = table()
    tides.both(ADA_D, BOB_S)
    tides.do("change_card", seat="Bob", round=1, place=3, card="hastur")
    ada, bob = (tides.state.rounds[0].side(seat).played for seat in (1, 2))
    assert ada == (
        "nyarlathotep",
        "mountains-of-madness",
        "elder-things",
        "dreamlands",
        "pnakotic-manuscripts",
    )
    assert bob == ("azathoth", "dagon", "hastur", "shub-niggurath", "great-race-of-yith")
    assert tides.evening.log[-1].text.startswith("round 1 corrected: Bob Azathoth, Dagon, Hastur")
    tides.do("change_card", seat="Bob", round=1, place=1, card="shub-niggurath")
    assert tides.state.rounds[0].side(2).played[:4] == ("shub-niggurath", "dagon", "hastur", "azathoth")
    with pytest.raises(Refused, match="says that already"):
        tides.do("change_card", seat="Bob", round=1, place=1, card="shub-niggurath")


def test_what_was_kept_follows_the_card_that_it_really_was(table):
    tides = table()
    tides.both(ADA_1, BOB_1)
    tides.do("choose_bonus", seat="Ada", round=1, choice="points")
    tides.refresh(1, ("cthulhu", "rlyeh"), ("hastur", "innsmouth"))
    tides.do("change_card", seat="Ada", round=1, place=1, card="hastur")
    assert [tides.state.kept_before(seat, 2) for seat in (1, 2)] == [("hastur",), ("cthulhu",)]
    assert not tides.lacks


def test_dreamlands_that_changes_sides_is_declared_anew(table):
    tides = table()
    tides.both(ADA_D, BOB_S)
    tides.do("declare_suit", seat="Ada", round=1, suit="locations")
    tides.do("change_card", seat="Ada", round=1, place=4, card="dagon")
    (asked,) = tides.questions
    assert (asked.seat, asked.title) == (2, "Dreamlands counts as")


# --- by hand ---


def test_by_hand_new_icons_decide_the_bonus_where_the_table_says_so(table):
    tides = table(rules={"kept-icons": "new"})
    tides.typed(1, (20, 1), (18, 1))
    (form,) = (each for each in tides.view.every_form if each.id == "typed-2-1")
    assert [field.name for field in form.fields] == ["madness", "new", "vp", "dreamlands"]
    tides.do("enter_round", seat="Ada", round=2, vp=10, madness=3, new=1)
    tides.do("enter_round", seat="Bob", round=2, vp=10, madness=2, new=2)
    (asked,) = tides.questions
    assert asked.seat == 2, "Ada gained more, but two of hers lay there before"
    with pytest.raises(Refused, match="there cannot be more"):
        tides.do("enter_round", seat="Ada", round=2, vp=10, madness=1, new=2)
    plain = table()
    plain.typed(1, (20, 1), (18, 1))
    (form,) = (each for each in plain.view.every_form if each.id == "typed-2-1")
    assert [field.name for field in form.fields] == ["madness", "vp", "dreamlands"]


def declined(table):
    tides = table(rules={"dreamlands-takes": "may"})
    tides.both(ADA_D, BOB_S)
    tides.do("declare_suit", seat="Ada", round=1, suit="locations")
    tides.do("choose_bonus", seat="Bob", round=1, choice="points")
    tides.do("decide_token", seat="Ada", round=1, takes="no")
    return tides


def test_a_token_that_was_left_stays_where_it_is_when_the_round_is_typed(table):
    tides = declined(table)
    assert [madness for _, madness in tides.totals()] == [1, 2]
    tides.do("score_by_hand", round=1)
    assert [madness for _, madness in tides.totals()] == [1, 2]


def test_a_token_that_was_left_is_not_told_as_one_that_was_not_there(table):
    tides = declined(table)
    (stage,) = (each for each in tides.seen(Steps)[0].stages if each.label == "Dreamlands")
    assert stage.detail == "Ada leaves Bob the token"
    rests = {step.because for step in tides.verdict.steps}
    assert "dreamlands-takes" in rests
    assert "dreamlands-empty" not in rests


def test_by_hand_stays_chosen_and_nothing_is_asked_but_numbers(table):
    tides = table()
    tides.do("score_by_hand", round=1)
    tides.typed(1, (20, 1), (18, 1))
    assert (tides.state.round, tides.view.phase.title) == (2, "Round 2, scoring")
    tides.typed(2, (20, 2), (18, 2))
    tides.typed(3, (20, 2), (18, 2))
    assert tides.verdict.winners == (1,)
    assert not tides.lacks


def test_after_an_incomplete_correction_no_refresh_is_offered_in_round_three(table):
    tides = table()
    play_three_rounds(tides)
    places = dict(zip(("first", "second", "third", "fourth", "fifth"), [*ADA_1[:4], "none"], strict=True))
    tides.do("correct_cards", seat="Ada", round=1, **places)
    assert not tides.verdict.final
    assert not tides.view.phase.buttons
    assert [text for text, _ in tides.lacks] == ["Round 1: Ada taps 1 more card."]


# --- what a phone is sent ---


def test_a_chosen_card_sends_a_phone_no_more_than_it_changed(app, phone):
    """Long names, in every round: the one that seals, the one that reveals, and what the seat's own phone
    hears beside."""
    ada = phone()
    code = ada.open("Bartholomew the Unready", "Anastasia of the Islands", slug=SLUG)
    bob = phone().join(code, 2)
    for round, draft in enumerate(DRAFTS, 1):
        for pick, cards in enumerate(zip(*draft, strict=True), 1):
            sent = [
                heard(app, who, code, "choose_card", seat=seat, round=round, pick=pick, card=id)
                for seat, (who, id) in enumerate(zip((ada, bob), cards, strict=True), 1)
            ]
            if (round, pick) != (1, 1) and pick < 5:  # else more comes up than a card
                assert max(sent) < 3_000, (round, pick, sent)
        while asked := seen(app.extensions["play"].show(code).view, Question):
            do = asked[0].options[-1].do
            ada.tap(code, do.command, **do.args)
        for seat, (kept, gone) in enumerate(REFRESHES[round - 1] if round < 3 else (), 1):
            for what, id in (("kept", kept), ("discarded", gone)):
                given = {"seat": seat, "round": round, "what": what, "card": id}
                sent = heard(app, (ada, bob)[seat - 1], code, "choose_refresh", **given)
                assert sent < 3_000 or (seat, what) == (2, "discarded")


def heard(app, who, code, command, **given):
    """The bytes that this tap sends to the phone that made it, its own part included."""
    sitting, parts = app.extensions["play"].show(code), app.extensions["parts"]
    private, number = parts.screen(sitting).private, given["seat"]
    private.news(sitting, who, number)
    sent = who.sends(code, command, **given)
    return sent + len(private.news(sitting, who, number).encode())
