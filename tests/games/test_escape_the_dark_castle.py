"""Escape the Dark Castle: fifteen chapters, a boss, and nobody may die."""

import functools
import itertools
import json
import math
import re
from collections import Counter
from dataclasses import replace

import pytest
from at_the_table import LoadedDice
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from companion import tools
from companion.core import Refused
from companion.core.pieces import inside
from companion.core.table import SYMBOLS
from companion.core.tally import judge
from companion.evenings.recap import recap
from companion.games import shelf
from companion.games.escape_the_dark_castle import odds_view
from companion.games.escape_the_dark_castle.box import (
    CHAPTER_DIE,
    CHARACTERS,
    EFFECTS,
    HOUSE_RULES,
    ITEMS,
    TRAITS,
    character,
    effect,
)
from companion.games.escape_the_dark_castle.odds_view import die
from companion.games.escape_the_dark_castle.state import Chapter, Item
from companion.lookup.rooms import LookUp
from companion.tools import odds
from companion.tools.odds import weigh
from companion.tools.pools import Fighter, Roll, per_cent

SLUG = "escape-the-dark-castle"
CAST = ("Ada", "Bob", "Cleo", "Dov")
PLAYED = ("abbot", "cook", "miller", "smith")
M, C, W = "might", "cunning", "wisdom"


class Castle:
    """A table, and short words for what is tapped there."""

    def __init__(self, evening, begin=True):
        self.evening, self.do = evening, evening.do
        solo = len(evening.table.seats) == 1
        self.whose = {hero: 1 if solo else n for n, hero in enumerate(PLAYED, 1)}
        if begin:
            for hero in PLAYED[: 2 if solo else len(evening.table.seats)]:
                self.do("choose_character", seat=self.whose[hero], hero=hero)
            self.do("begin_escape")

    def turn(self, hero="abbot"):
        self.do("turn_card", number=self.state.chapter + 1, hero=hero)
        return self

    def finish(self):
        self.do("finish_chapter", number=self.state.chapter)
        return self

    def fight(self, *dice, damage=2):
        if self.state.stage != "chapter":
            self.turn()
        self.do("begin_fight", number=self.state.chapter)
        for each in dice:
            self.do("lay_die", trait=each)
        if damage != 2:
            self.do("set_damage", damage=damage)
        self.do("join_fight")
        return self

    def rolls(self, **shown):
        """By letters: abbot="WW" is a double Wisdom."""
        for hero, letters in shown.items():
            self.do("roll_die", seat=self.whose[hero], hero=hero, round=self.round, face=face(hero, letters))
        return self

    def part(self, hero, part):
        self.do("take_part", seat=self.whose[hero], hero=hero, round=self.round, part=part)

    def settle(self):
        return self.do("settle_round", round=self.round)

    def wound(self, hero, by):
        self.do("change_health", seat=self.whose[hero], hero=hero, by=by)

    def draw(self, name, **more):
        self.do("draw_item", name=name, **more)
        return self.state.last_item

    def move(self, item, to):
        self.do("move_item", item=item, to=to)

    def undo(self, entry=None):
        self.do("take_back", entry=entry or self.evening.journal.last().version)

    def health(self):
        return {hero.id: hero.health for hero in self.state.heroes}

    @property
    def round(self):
        return self.state.fight.round

    @property
    def state(self):
        return self.evening.state

    @property
    def view(self):
        return self.evening.view

    def piece(self, id):
        """What goes by this id on the page; None if nothing does."""
        return next((each for each in inside(self.view.pieces) if getattr(each, "id", "") == id), None)

    def says(self, hero):
        """What stands in a character's row."""
        return self.piece(f"{hero}-says").detail.replace("\N{NO-BREAK SPACE}", " ")

    def words(self, id):
        return self.piece(id).text if self.piece(id) else ""

    def dice(self, trait):
        """The enemy's of this trait, as they are counted there."""
        return self.piece(f"{trait}-n").label

    @property
    def go(self):
        """What is under the thumb."""
        return self.piece("castle-go").taps

    @property
    def chances(self):
        odds = self.piece("castle-odds")
        return odds.own if odds else ()

    @property
    def verdict(self):
        return self.evening.verdict

    @property
    def log_text(self):
        return self.evening.log[-1].text


def face(hero, letters):
    wanted = {"M": M, "C": C, "W": W}[letters[0]], len(letters)
    return next(n for n, side in character(hero).faces if (side.trait, side.count) == wanted)


@pytest.fixture
def castle(sit_down):
    return lambda players=2, begin=True, **more: Castle(sit_down(SLUG, *CAST[:players], **more), begin)


def refused(words):
    return pytest.raises(Refused, match=re.escape(words))


# --- the box ---


@pytest.mark.parametrize(
    ("id", "values", "faces"),
    [
        ("abbot", (3, 1, 4), "W W WW M MM C"),
        ("cook", (4, 3, 1), "M M MM C CC W"),
        ("miller", (3, 4, 1), "C C CC M MM W"),
        ("smith", (4, 1, 3), "M M MM W WW C"),
        ("tailor", (1, 4, 3), "C C CC W WW M"),
        ("tanner", (1, 3, 4), "W W WW C CC M"),
    ],
)
def test_every_character_has_its_die(id, values, faces):
    found = character(id)
    assert tuple(value for _, value in found.values) == values
    assert " ".join(face.symbol for face in found.die.faces) == faces
    assert sum(side.block for side in found.sides) == 2
    weakest = min(TRAITS, key=lambda trait: found.value(trait.id))
    assert not any(side.block for side in found.sides if side.trait == weakest.id)


def test_six_characters_one_chapter_die_and_the_tools_know_them(games):
    assert len({each.sides for each in CHARACTERS}) == 6
    assert [each.name for each in CHAPTER_DIE.faces] == ["Might"] * 2 + ["Cunning"] * 2 + ["Wisdom"] * 2
    assert {each.id for each in games[SLUG].dice} == {*(each.id for each in CHARACTERS), "chapter"}


def test_the_room_die_is_thrown_by_name_in_the_tools_sheet(castle):
    evening = castle().evening
    evening.dice.rolls = [3, 6]
    evening.do("roll_dice", throw_what="abbot+chapter")
    assert "double Wisdom and Wisdom" in evening.log[-1].text


# --- set-up ---


def test_each_character_is_played_once_and_a_second_choice_takes_the_place_of_the_first(castle):
    table = castle(3, begin=False)
    table.do("choose_character", seat="Ada", hero="abbot")
    with refused("The Abbot is played by Ada already."):
        table.do("choose_character", seat="Bob", hero="abbot")
    table.do("choose_character", seat="Ada", hero="tanner")
    table.do("choose_character", seat="Bob", hero="abbot")
    assert [(hero.id, hero.seat) for hero in table.state.heroes] == [("tanner", 1), ("abbot", 2)]
    table.do("drop_character", seat="Bob", hero="abbot")
    with refused("Bob still needs a character."):
        table.do("begin_escape")


def test_there_is_no_seventh_character(castle):
    with refused("There are six prisoners: Abbot, Cook, Miller, Smith, Tailor and Tanner."):
        castle(begin=False).do("choose_character", seat="Ada", hero="jester")


@pytest.mark.parametrize(("players", "health", "heroes"), [(1, 18, 2), (2, 18, 2), (3, 14, 3), (4, 12, 4)])
def test_health_goes_by_the_number_of_players(castle, players, health, heroes):
    table = castle(players)
    assert list(table.health().values()) == [health] * heroes
    assert table.state.owed == heroes, "one item for each from the Start card"


def test_one_player_leads_two_characters(castle):
    table = castle(1, begin=False)
    table.do("choose_character", seat="Ada", hero="abbot")
    with refused("Ada still needs another character."):
        table.do("begin_escape")
    table.do("choose_character", seat="Ada", hero="cook")
    with refused("Ada plays the Abbot and the Cook already; drop one first."):
        table.do("choose_character", seat="Ada", hero="smith")
    table.do("begin_escape")
    table.turn("cook").fight(M, C)
    assert [row.id for row in table.piece("castle-rows").pieces] == ["row-abbot", "row-cook"]
    table.rolls(abbot="W", cook="CC").settle()
    assert table.health() == {"abbot": 16, "cook": 18}
    table.evening.dice.rolls = [1, 3]
    table.do("lay_rolled")
    assert len(table.state.fight.dice) == 3, "per player is per character: two more"


def test_a_lopsided_team_is_told_so(castle):
    table = castle(2, begin=False)
    table.do("choose_character", seat="Ada", hero="cook")
    assert not table.words("castle-hint")
    table.do("choose_character", seat="Bob", hero="miller")
    assert table.words("castle-hint").startswith("Lopsided: much Might and Cunning, little Wisdom.")
    table.do("choose_character", seat="Bob", hero="tanner")
    assert not table.words("castle-hint")


def test_nobody_comes_or_goes_once_the_gates_are_shut(castle):
    table = castle(3)
    with refused("players cannot come or go"):
        table.do("add_seat", name="Max")
    with refused("players cannot come or go"):
        table.do("remove_seat", seat="Cleo")


def test_a_second_player_before_the_start_takes_over_one_of_the_two(castle):
    table = castle(1, begin=False)
    table.do("choose_character", seat="Ada", hero="abbot")
    table.do("choose_character", seat="Ada", hero="cook")
    table.do("add_seat", name="Bob")
    assert [hero.id for hero in table.state.heroes] == ["abbot"]


def test_the_checklist_knows_the_edition(castle):
    table = castle(2, begin=False)
    assert any("three bosses" in tick.label for tick in table.piece("setup").ticks)
    table.do("choose_rule", rule="bosses", choice="five")
    assert any("five bosses" in tick.label for tick in table.piece("setup").ticks)
    table.do("tick", item="castle")
    with refused("That is ticked already."):
        table.do("tick", item="castle")
    with refused("That is not on the list."):
        table.do("tick", item="tea")


# --- health ---


def test_health_never_rises_above_the_start(castle):
    table = castle(4)
    with refused("The Abbot is at full health: 12 is where everyone started."):
        table.wound("abbot", 1)
    table.wound("abbot", -3)
    table.wound("abbot", 99)
    assert table.health()["abbot"] == 12
    assert table.log_text == "Abbot +3 health, now 12", "what was gained, not what was typed"
    with refused("Ada does not play the Cook."):
        table.do("change_health", seat="Ada", hero="cook", by=-1)


def test_at_zero_the_game_is_lost_for_all_and_a_slip_can_be_taken_back(castle):
    table = castle(3)
    table.wound("cook", -14)
    assert table.verdict.outcome == "loss"
    assert table.verdict.winners == ()
    assert table.verdict.summary == "The castle keeps you: Bob the Cook died."
    assert {step.because for step in table.verdict.steps} >= {"any-death", "health-by-count"}
    assert table.log_text.endswith("the Cook is dead, and the game is lost")
    for command, arguments in (
        ("change_health", {"seat": "Ada", "hero": "abbot", "by": -1}),
        ("turn_card", {"number": 1, "hero": "abbot"}),
        ("draw_item", {"name": "Rope"}),
        ("begin_fight", {"number": 1}),
        ("close_test", {}),
    ):
        with refused("The game is lost: the Cook died. If that was a slip, undo it."):
            table.do(command, **arguments)
    table.undo()
    assert table.verdict.outcome == "continues"
    assert table.health()["cook"] == 14


def test_a_blow_too_hard_is_still_deadly_when_an_earlier_scratch_is_taken_back(castle):
    table = castle(2)
    table.wound("abbot", -1)
    scratch = table.evening.journal.version
    table.wound("abbot", -17)
    assert table.verdict.final
    table.undo(scratch)
    assert table.health()["abbot"] == 1
    assert not table.verdict.final


def test_the_dead_are_not_healed_by_what_is_put_back(castle):
    table = castle(2)
    table.wound("abbot", -10)
    first = table.evening.journal.version
    table.undo(first)
    table.wound("abbot", -10)
    table.wound("abbot", 2)
    table.do("put_back", entry=first)
    assert table.verdict.outcome == "loss"
    assert table.health()["abbot"] == 0


# --- chapters ---


def test_who_turns_the_card_is_chosen_before_it_is_turned(castle):
    table = castle(2)
    with refused("The hero is missing."):
        table.do("turn_card", number=1)
    table.do("turn_card", number=1, hero="cook")
    with refused("Chapter 1 is turned already."):
        table.do("turn_card", number=1, hero="abbot")
    with refused("Chapter 1 is not done yet."):
        table.do("turn_card", number=2, hero="abbot")
    assert table.view.phase.text.startswith("Bob the Cook is “you” on the card.")
    assert table.view.seats[1].notes == ("Cook", "YOU")


def test_fifteen_chapters_then_the_boss_and_everyone_is_free(castle):
    table = castle(2)
    for number in range(1, 17):
        table.evening.now += 240_000
        table.turn(PLAYED[number % 2])
        assert table.state.chapter == number
        if number < 16:
            table.finish()
            assert table.verdict.outcome == "continues"
    assert [stage.state for stage in table.piece("castle-steps").stages] == ["done"] * 15 + ["now"]
    assert table.piece("castle-bosses").taps[0].label == "The Dark One"
    with refused("Chapter 15 is done already."):
        table.do("finish_chapter", number=15)
    table.fight(M).rolls(abbot="M").settle()
    assert table.state.owed == 0, "nothing comes after the boss that an item could be for"
    assert not table.piece("castle-pool")
    assert "item" not in table.view.phase.text
    free = table.go[-1]
    assert (free.label, free.strong, free.confirm) == ("We are free", True, "")
    table.finish()
    assert table.verdict.outcome == "win"
    assert table.verdict.winners == (1, 2)
    assert table.log_text == "the boss is beaten: free!"
    with refused("You have escaped"):
        table.wound("abbot", -1)


def test_the_boss_goes_by_its_name_and_is_no_sixteenth_chapter(castle):
    table = castle(2)
    for _ in range(15):
        table.turn().finish()
    assert table.go[0].label == "Ada turns the boss"
    table.turn()
    assert table.view.phase.title == "The boss"
    asked = [piece.id for piece in table.view.phase.first]
    assert asked == ["castle-steps", "castle-bosses", "castle-all"], "above all else"
    which = table.piece("castle-bosses").taps[2]
    table.do(which.do.command, **which.do.args)
    assert not table.piece("castle-bosses")
    table.fight(M)
    assert table.view.phase.title == "Terror of the Underworld: round 1"
    assert "a fight against Terror of the Underworld" in [line.text for line in table.evening.log]
    table.rolls(abbot="M").settle()
    table.finish()
    assert table.log_text == "Terror of the Underworld is beaten: free!"
    assert list(table.evening.journal.game.scores(table.state).columns) == ["Boss"]
    last = table.piece("way-16")
    assert last is None or last.label == "Boss"


def test_everyone_loses_one_by_one_tap_on_the_first_screen(castle):
    table = castle(3).turn()
    carried(table, "Rotten Shield", "abbot")
    taps = table.view.phase.first[-1].taps
    assert [tap.label for tap in taps] == ["Everyone −1", "Everyone −2"]
    for tap in taps:
        table.do(tap.do.command, **tap.do.args)
    assert table.health() == {"abbot": 12, "cook": 11, "miller": 11}
    table.fight(M)
    assert not table.piece("castle-all"), "a fight has its own blows"


def test_nobody_is_asked_who_starts(games):
    assert not games[SLUG].starts


def test_the_groups_pace_is_visible(castle):
    table = castle(2)
    assert table.words("castle-pace") == "0 of 15 chapters"
    for _ in range(3):
        table.turn()
        table.wound("abbot", -2)
        table.evening.now += 240_000
        table.finish()
    pace = table.words("castle-pace")
    assert pace.startswith("3 of 15 chapters · 4 min a chapter · 2.0 health a chapter, 30 left")
    assert pace.endswith("about 49 min to the boss")
    assert [each.detail for each in table.piece("castle-turned").taps] == ["Ada, 4 min"] * 3


def test_chapters_have_notes(castle):
    table = castle(2).turn()
    table.do("note_chapter", number=1, note="  a ghost,   and a key ")
    assert table.piece("way-1").detail == "Ada, open: a ghost, and a key"
    with refused("It says that already."):
        table.do("note_chapter", number=1, note="a ghost, and a key")
    with refused("Chapter 2 has not been turned yet."):
        table.do("note_chapter", number=2, note="?")
    table.do("clear_note", number=1)
    assert table.piece("way-1").detail == "Ada, open"


# --- items ---


def test_items_come_from_the_list_or_are_typed_in(castle):
    table = castle(2)
    axe = table.draw("cracked axe")
    flag = table.draw("Torn Flag", hands=2)
    found = {item.id: (item.name, item.hands) for item in table.state.items}
    assert found == {axe: ("Cracked Axe", 2), flag: ("Torn Flag", 2)}
    assert table.state.owed == 0
    assert len(ITEMS) == len({each.name for each in ITEMS}) == 15
    with refused("can be at most 2"):
        table.draw("Piano", hands=3)


def test_what_two_hands_cannot_hold_is_caught_when_the_next_card_is_turned(castle):
    table = castle(2)
    axe, apple, shield = (
        table.draw(each) for each in ("Cracked Axe", "Partially Rotten Apple", "Rotten Shield")
    )
    table.move(axe, "abbot")
    table.move(apple, "abbot")
    assert "more than two hands can hold" in [chip.label for chip in table.piece("hands-abbot").chips]
    with refused("Ada carries more than two hands can hold: Cracked Axe, Partially Rotten Apple."):
        table.turn()
    table.move(apple, "cook")
    table.turn()
    assert table.state.item(shield).place == "pile", "what lies on the table is left behind"
    assert "left behind: Rotten Shield" in table.log_text


def test_trading_is_locked_from_the_turn_of_a_card_until_its_chapter_is_done(castle):
    table = castle(2)
    apple = table.draw("Partially Rotten Apple")
    table.move(apple, "abbot")
    table.turn()
    with refused("Items change hands when a chapter is done or items are drawn; neither is so now."):
        table.move(apple, "cook")
    with refused("Items change hands when a chapter is done"):
        table.move(apple, "table")
    drawn = table.draw("Liquid Luck")
    table.move(drawn, "cook")
    table.finish()
    table.move(apple, "cook")
    assert {item.place for item in table.state.items} == {"cook"}


def test_a_table_may_lock_trading_at_the_turn_of_a_card_as_the_publisher_does(castle):
    table = castle(2, rules={"trading": "publisher"})
    table.move(table.draw("Cracked Axe"), "abbot")
    table.turn()
    with refused("The Abbot has no hand free"):
        table.move(table.draw("Liquid Luck"), "abbot")


def test_with_full_hands_a_reward_can_be_swapped_for_while_items_are_drawn(castle):
    """The manual, section 5: after completing a chapter or during item draws."""
    table = castle(2)
    apple = table.draw("Partially Rotten Apple")
    table.move(apple, "abbot")
    table.turn()
    with refused("neither is so now"):
        table.move(apple, "cook")
    luck = table.draw("Liquid Luck")
    table.move(apple, "cook")
    table.move(luck, "abbot")
    with refused("neither is so now"):
        table.move(apple, "abbot")
    table.fight(M).rolls(cook="M").settle()
    table.move(apple, "abbot")  # one item is to be drawn
    shield = table.draw("Rotten Shield", to="abbot")
    with refused("Ada carries more than two hands can hold"):
        table.do("begin_fight", number=1)
    table.move(luck, "cook")  # what went straight into full hands is not shared out yet
    with refused("neither is so now"):
        table.move(shield, "cook")
    table.do("begin_fight", number=1)


def test_the_table_may_trade_at_any_time(castle):
    table = castle(2, rules={"trading": "free"})
    apple = table.draw("Partially Rotten Apple")
    table.move(apple, "abbot")
    table.fight(M)
    table.move(apple, "cook")
    assert table.state.item(apple).place == "cook"


def test_a_used_item_lies_in_the_discard_pile_and_the_pile_can_be_shuffled(castle):
    table = castle(2)
    apple = table.draw("Partially Rotten Apple")
    table.move(apple, "abbot")
    table.turn()
    table.move(apple, "pile")
    assert table.log_text == "Partially Rotten Apple used up"
    assert [each.label for each in table.piece("pile-items").taps] == ["Partially Rotten Apple"]
    with refused("What is discarded stays there until the chapter is done."):
        table.move(apple, "abbot")
    table.do("reshuffle_items")
    assert not table.state.items
    with refused("The discard pile is empty."):
        table.do("reshuffle_items")
    with refused("That item is not in play any more."):
        table.move(apple, "cook")


def test_the_deck_may_run_out_for_good(castle):
    table = castle(2, rules={"empty-deck": "none"})
    table.move(table.draw("Liquid Luck"), "pile")
    with refused("there are no more items"):
        table.do("reshuffle_items")


def test_an_item_drawn_twice_over_a_take_back_is_not_two_items(castle):
    table = castle(2)
    table.draw("Liquid Luck")
    first = table.evening.journal.version
    table.undo(first)
    table.draw("Rotten Shield")
    with refused("Another item was drawn in its place"):
        table.do("put_back", entry=first)


# --- what items do: each of data/items.toml once ---


def carried(table, name, hero, **more):
    """Drawn for this one, in the same tap."""
    return table.draw(name, to=hero, **more)


def can_be_used(table):
    """By one tap, as it is offered in a fight or a test."""
    return {chip.label: chip.detail for chip in table.piece("castle-uses").chips}


def use(table, item, **more):
    table.do("use_item", item=item, **more)


def test_every_known_item_says_what_it_does(games):
    assert all(each.effect for each in ITEMS)
    assert {each.effect for each in ITEMS} <= {each.id for each in EFFECTS}


def test_a_drawn_item_goes_straight_to_whoever_gets_it(castle):
    table = castle(3)
    apple = carried(table, "Partially Rotten Apple", "cook")
    assert table.state.item(apple).place == "cook"
    assert table.state.owed == 2
    with refused("Nobody plays the Tanner."):
        carried(table, "Rotten Shield", "tanner")
    assert len(table.state.items) == 1, "a refused tap draws nothing"


def test_apple_and_bread_heal_whoever_holds_them_and_are_gone(castle):
    table = castle(2)
    bread, apple = (
        carried(table, "Stale Loaf of Bread", "abbot"),
        carried(table, "Partially Rotten Apple", "cook"),
    )
    with refused("Everyone who could eat it is at full health."):
        use(table, bread, whom="abbot")
    table.wound("abbot", -1)
    table.wound("cook", -5)
    use(table, bread, whom="abbot")
    assert table.log_text == "Stale Loaf of Bread used up; Abbot +1 health, now 18"
    with refused("Everyone who could eat"):
        use(table, apple, whom="abbot")  # it is Bob's
    use(table, apple, whom="cook")
    assert table.health() == {"abbot": 18, "cook": 14}
    assert {each.place for each in table.state.items} == {"pile"}
    table.undo()
    assert (table.health()["cook"], table.state.item(apple).place) == (13, "cook"), "one undo"


def test_food_that_nobody_can_carry_is_eaten_from_the_table(castle):
    table = castle(2)
    bread = table.draw("Stale Loaf of Bread")
    table.wound("cook", -5)
    use(table, bread, whom="cook")
    assert table.health()["cook"] == 15


def test_a_potion_takes_its_die_away_or_counts_in_a_test(castle):
    table = castle(2)
    brew, concoction = carried(table, "Brew of Might", "abbot"), carried(table, "Cunning Concoction", "cook")
    with refused("It is for a fight or a test in which that trait counts."):
        use(table, brew)
    table.fight(M, C)
    assert can_be_used(table) == {
        "Brew of Might": "Take one Might die away",
        "Cunning Concoction": "Take one Cunning die away",
    }
    use(table, brew)
    assert table.state.fight.dice == (C,)
    use(table, concoction)
    assert table.piece("settle").detail == "All dice fall: the enemy is beaten, nobody is hit."
    table.settle()
    again = carried(table, "Cunning Concoction", "cook")
    table.do("begin_test", kind="once", trait=C, who="everyone")
    use(table, again)
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1, face=face("abbot", "M"))
    table.do("count_attempt", attempt=1)
    assert table.words("outcome") == "Passed: Bob; failed: Ada."


def test_whoever_rests_uses_no_item_in_that_round(castle):
    table = castle(2)
    brew = carried(table, "Brew of Might", "abbot")
    table.fight(M)
    table.part("abbot", "rest")
    assert can_be_used(table) == {}
    with refused("The Abbot rests, and may not use items this round."):
        use(table, brew)


def test_liquid_luck_rolls_again_and_the_new_roll_counts(castle):
    table = castle(2)
    luck = carried(table, "Liquid Luck", "abbot")
    table.fight(M, M, M)
    with refused("It is for a roll that lies on the table."):
        use(table, luck)
    table.rolls(abbot="C")
    table.evening.dice.rolls = [5]
    use(table, luck)
    assert table.says("abbot").startswith("Abbot · BLOCK, removes 2 Might")
    assert table.state.item(luck).place == "pile"


def test_liquid_luck_in_a_test_is_still_one_attempt(castle):
    table = castle(2)
    luck = carried(table, "Liquid Luck", "abbot")
    table.turn().do("begin_test", kind="once", trait=W, who="you")
    table.evening.dice.rolls = [4, 1]
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1)
    use(table, luck)
    table.do("count_attempt", attempt=1)
    assert table.words("outcome") == "Passed: Ada."


def test_the_elixir_turns_a_die_before_the_fight_begins(castle):
    table = castle(2)
    elixir = carried(table, "Elixir of Insight", "abbot")
    table.turn().do("begin_fight", number=1)
    table.do("lay_die", trait=C)
    assert list(can_be_used(table).values()) == ["Cunning becomes Wisdom"]
    use(table, elixir, of=C, to=W)
    assert table.state.fight.dice == (W,)
    late = castle(2)
    elixir = carried(late, "Elixir of Insight", "abbot")
    late.fight(C)
    with refused("It is for the enemy's dice, before the fight begins."):
        use(late, elixir, of=C, to=W)


def test_evasion_avoids_a_blow_or_what_a_test_costs(castle):
    table = castle(2)
    evasion = carried(table, "Effervescent Evasion", "abbot")
    table.fight(M, M).rolls(abbot="C", cook="C")
    use(table, evasion)
    table.settle()
    assert table.health() == {"abbot": 18, "cook": 16}
    table.do("end_fight", won="no")
    again = carried(table, "Effervescent Evasion", "abbot")
    table.do("begin_test", kind="once", trait=W, who="everyone", cost=3)
    use(table, again)
    attempt(table, abbot="M", cook="M")
    assert table.health() == {"abbot": 18, "cook": 13}


def test_the_shield_counts_by_itself_whatever_strikes(castle):
    table = castle(2)
    shield = carried(table, "Rotten Shield", "abbot")
    table.fight(M, M).rolls(abbot="C", cook="C")
    assert table.says("abbot").endswith("18 → 17")
    assert table.piece("settle").detail == "No die falls; Ada takes 1; Bob takes 2."
    table.settle()
    table.do("set_damage", damage=1)
    table.rolls(abbot="C", cook="C").settle()
    assert table.health() == {"abbot": 16, "cook": 15}, "never less than 1"
    with refused("It counts by itself."):
        use(table, shield)
    table.do("end_fight", won="no")
    table.do("begin_test", kind="once", trait=W, who="everyone", cost=2)
    attempt(table, abbot="M", cook="M")
    table.do("hurt_all", damage=2)
    assert table.health() == {"abbot": 14, "cook": 11}


@pytest.mark.parametrize(("weapon", "on", "other"), [("Decayed Blade", "W", "M"), ("Rusted Flail", "C", "W")])
def test_blade_and_flail_roll_again_on_their_face_once_a_round_and_either_roll_counts(
    castle, weapon, on, other
):
    table = castle(2)
    blade = carried(table, weapon, "abbot")
    table.fight(M, M, M, M).rolls(abbot=other, cook="C")
    assert can_be_used(table) == {}, "its face has not fallen"
    table.rolls(abbot=on)
    assert can_be_used(table) == {weapon: "Roll again"}
    table.evening.dice.rolls = [5]
    use(table, blade)
    assert table.says("abbot").startswith("Abbot · BLOCK, removes 2 Might")
    first = character("abbot").side(face("abbot", on)).name
    assert can_be_used(table) == {f"Keep {first}": "instead of double Might"}
    table.do("keep_die", seat="Ada", hero="abbot", round=1)
    assert table.state.fight.sides["abbot"].name == first
    with refused("It is for a roll of its trait in a fight, once a round."):
        use(table, blade)
    table.settle()
    table.rolls(abbot=on)
    assert weapon in can_be_used(table), "and in the next round again"


def test_the_axe_rolls_a_chapter_die_along_and_both_count(castle):
    table = castle(2)
    axe = carried(table, "Cracked Axe", "abbot")
    table.fight(M, C, W)
    table.evening.dice.rolls = [1, 3]  # Wisdom, and a chapter die that shows Cunning
    table.do("roll_die", seat="Ada", hero="abbot", round=1)
    assert table.says("abbot").startswith("Abbot · removes 1 Wisdom and 1 Cunning")
    with refused("It counts by itself"):
        use(table, axe)
    table.rolls(cook="C").settle()
    assert table.state.fight.dice == (M,)
    # a real chapter die is waited for
    table.rolls(abbot="W", cook="C")
    assert table.piece("settle").why_not == "Still to roll: Ada."
    table.do("enter_also", seat="Ada", hero="abbot", round=2, trait=M)
    assert table.piece("settle").detail == "All dice fall: the enemy is beaten, nobody is hit."
    with refused("No other die is rolled with it."):
        table.do("enter_also", seat="Ada", hero="abbot", round=2, trait=M)


def test_the_daggers_attack_again_after_a_hit(castle):
    table = castle(2)
    daggers = carried(table, "Dented Daggers", "abbot")
    table.fight(M, W, W).rolls(abbot="C", cook="C")
    with refused("It is for a roll that took a die, once a round."):
        use(table, daggers)
    table.rolls(abbot="M")
    table.evening.dice.rolls = [3]
    use(table, daggers)
    assert table.piece("settle").detail == "All dice fall: the enemy is beaten, nobody is hit."
    assert table.state.fight.lots["abbot"].blocks


def test_the_golden_axe_blocks_all_when_its_blank_shield_falls(castle):
    table = castle(2)
    axe = carried(table, "Golden Axe", "abbot")
    table.fight(M, M)
    use(table, axe)
    table.rolls(abbot="C", cook="C").settle()
    assert table.health() == {"abbot": 18, "cook": 16}
    assert table.state.item(axe).place == "abbot"


def test_the_stones_make_two_of_a_single_in_fights_and_tests_but_no_block(castle):
    table = castle(2)
    carried(table, "The Replication Stones", "abbot")
    table.fight(W, W, W).rolls(abbot="W", cook="C")
    assert table.says("abbot") == "Abbot · removes 2 Wisdom, 18 → 16"
    table.settle()
    assert table.state.fight.dice == (W,)
    table.do("end_fight", won="no")
    table.do("begin_test", kind="tries", trait=W, who="abbot", needed=4, tries=2)
    attempt(table, abbot="W")
    attempt(table, abbot="WW")
    assert table.state.trial.ended == "passed"


def test_the_verses_give_a_point_to_anyone_on_a_double_once_a_round(castle):
    table = castle(3)
    verses = carried(table, "The Healing Verses", "abbot")
    table.wound("miller", -3)
    table.fight(M).rolls(abbot="W")
    with refused("It is for a double in a fight, once a round."):
        use(table, verses, whom="miller")
    table.rolls(abbot="WW")
    use(table, verses, whom="miller")
    assert table.health()["miller"] == 12
    with refused("It is for a double"):
        use(table, verses, whom="miller")


@pytest.mark.parametrize("item", [each.name for each in ITEMS])
def test_no_item_of_the_list_is_of_no_use(castle, item):
    """Somewhere on the way of a fight it can be used, or it says that it counts by itself."""
    table = castle(2)
    id = carried(table, item, "abbot")
    table.wound("abbot", -3)
    table.turn().do("begin_fight", number=1)
    offered = []
    for trait in (M, C, W):
        table.do("lay_die", trait=trait)
    offered += can_be_used(table)
    table.do("join_fight")
    for _, side in character("abbot").faces:
        offered += can_be_used(table)
        table.rolls(abbot=side.trait[0].upper() * side.count)
    offered += can_be_used(table)
    assert item in offered or effect(table.state.item(id).effect).idle.startswith("It counts by itself")


def test_a_card_that_the_list_lacks_is_given_what_it_does(castle):
    table = castle(2)
    soup = carried(table, "Thin Soup", "abbot", effect="heal-3")
    table.wound("abbot", -7)
    use(table, soup, whom="abbot")
    assert table.health()["abbot"] == 14
    door = carried(table, "Old Door", "cook", effect="less", hands=2)
    assert [each.does for each in table.state.gear("cook")] == ["less"]
    with refused("No item does that."):
        carried(table, "Wand", "abbot", effect="win")
    table.move(door, "pile")
    flag = carried(table, "Torn Flag", "cook")
    with refused("What it does stands on its card"):
        use(table, flag)


def test_with_real_dice_an_item_asks_what_the_second_roll_shows(castle):
    table = castle(2)
    blade = carried(table, "Decayed Blade", "abbot")
    table.do("roll_own_dice", own="yes")
    table.fight(M, M).rolls(abbot="W", cook="C")
    assert "Roll again: double Might" in [chip.detail for chip in table.piece("castle-uses").chips]
    use(table, blade, face=face("abbot", "MM"))
    assert table.state.fight.sides["abbot"].name == "double Might"


# --- real dice ---


def test_a_table_that_rolls_its_own_dice_finds_their_faces_in_every_row(castle):
    table = castle(3)
    assert "-1" not in str(table.piece("row-abbot"))
    table.do("roll_own_dice", own="yes")
    with refused("It is so already."):
        table.do("roll_own_dice", own="yes")
    table.fight(M, M, M)
    for hero in PLAYED[:3]:
        enter = [tap.do.command for tap in table.piece(f"row-{hero}").taps if tap.do]
        assert enter == ["roll_die"] * 5, "a tap each, then settle: four for three players"
    table.rolls(abbot="M")
    assert not [tap for tap in table.piece("row-abbot").taps if tap.do], "it closes by itself"
    table.do("end_fight", won="no")
    table.do("begin_test", kind="once", trait=W, who="you")
    assert [tap.do.command for tap in table.piece("row-abbot").taps if tap.do] == ["roll_test"] * 5


# --- fights ---


def test_a_round_removes_what_matches_and_hits_whoever_did_not_block(castle):
    table = castle(3).fight(M, M, C, W, W, W)
    table.rolls(abbot="WW", cook="M", miller="W")
    assert table.piece("settle").detail == "4 dice fall; Bob and Cleo take 2."
    assert [table.dice(each) for each in (M, C, W)] == ["2 → 1 Might", "1 Cunning", "3 → 0 Wisdom"]
    assert [chip.tone for chip in table.piece(f"dice-{M}").chips] == ["done", "", ""]
    table.settle()
    assert table.health() == {"abbot": 14, "cook": 12, "miller": 12}
    assert sorted(table.state.fight.dice) == [C, M]
    assert table.round == 2
    shown = "Ada double Wisdom, Bob Might and Cleo Wisdom"
    assert table.words("last-round") == f"Last round: {shown}: 4 dice fall; Bob and Cleo take 2."


def test_a_double_with_one_die_left_takes_that_one_and_still_blocks(castle):
    table = castle(2).fight(M, C)
    table.rolls(cook="MM", abbot="W")
    assert table.says("cook") == "Cook · BLOCK, removes 1 Might, the other is lost"
    table.settle()
    assert table.state.fight.dice == (C,)
    assert table.health() == {"abbot": 16, "cook": 18}


def test_no_dice_left_is_won_without_a_counter_attack_and_one_item_for_the_group(castle):
    table = castle(2)
    table.draw("Liquid Luck")
    table.turn().fight(M, W)
    table.rolls(abbot="W")
    with refused("The round cannot be settled before Bob rolled."):
        table.settle()
    table.rolls(cook="M").settle()
    assert table.state.fight is None
    assert table.health() == {"abbot": 18, "cook": 18}
    assert table.piece("castle-pool").tags == ("1 to draw",)
    assert table.view.phase.text == "The enemy is beaten. Draw one item for the group."
    assert table.log_text.endswith("the enemy is beaten")


def test_once_all_dice_fall_the_others_need_not_roll(castle):
    table = castle(3).fight(W, W)
    table.rolls(abbot="WW").settle()
    assert table.state.fight is None


def test_one_rests_heals_one_and_is_not_hit(castle):
    table = castle(3).fight(M, M, M)
    table.wound("miller", -3)
    table.part("miller", "rest")
    table.rolls(abbot="C", cook="C").settle()
    assert table.health() == {"abbot": 12, "cook": 12, "miller": 12}
    with refused("Cleo rested in the round before; at this table not twice running."):
        table.part("miller", "rest")  # the manual's FAQ: not in every round


def test_resting_at_full_health_heals_nothing(castle):
    table = castle(2).fight(M)
    table.part("cook", "rest")
    table.rolls(abbot="W").settle()
    assert table.health() == {"abbot": 16, "cook": 18}


def test_only_one_rests_in_a_round(castle):
    table = castle(3).fight(M)
    table.part("abbot", "rest")
    with refused("Only one may rest in a round, and Ada does."):
        table.part("cook", "rest")
    with refused("Ada rests already."):
        table.part("abbot", "rest")
    with refused("The Abbot rests in this round, and does not roll."):
        table.rolls(abbot="W")
    table.do("let_rest", seat="Bob", hero="cook", round=1)
    assert table.state.fight.rests == "cook", "they changed their minds, in one tap"


def test_resting_is_chosen_before_the_first_roll_or_before_ones_own(castle):
    table = castle(3).fight(M).rolls(cook="C")
    with refused("who rests is chosen before the first roll of a round"):
        table.part("abbot", "rest")
    table.do("choose_rule", rule="rest-first", choice="own")
    table.part("abbot", "rest")
    with refused("Bob has rolled; resting is chosen before the roll."):
        table.do("let_rest", seat="Bob", hero="cook", round=1)


def test_a_table_may_let_the_same_one_rest_again(castle):
    table = castle(2, rules={"rest-again": "running"}).fight(M, M)
    table.wound("cook", -5)
    for health in (14, 15):
        table.part("cook", "rest")
        table.rolls(abbot="W").settle()
        assert table.health()["cook"] == health


def test_whoever_rests_does_not_get_up_once_somebody_has_rolled(castle):
    table = castle(3).fight(M, M)
    table.part("cook", "rest")
    table.part("cook", "fight")  # until then they may
    table.part("cook", "rest")
    table.rolls(abbot="W")
    late = "Somebody has rolled; Bob rests to the end of this round."
    with refused(late):
        table.part("cook", "fight")
    with refused(late):
        table.do("let_rest", seat="Cleo", hero="miller", round=1)
    own = castle(3, rules={"rest-first": "own"}).fight(M, M)
    own.part("cook", "rest")
    own.rolls(abbot="W")
    own.part("cook", "fight")


def test_only_who_can_get_up_is_asked_to_and_rest_has_a_sign_that_is_no_players(castle):
    table = castle(3).fight(M, M)
    table.part("cook", "rest")
    table.part("miller", "out")
    die, _, up = table.piece("row-cook").taps
    assert (up.label, die.mark) == ("Get up", "rest")
    assert table.piece("row-miller").taps[0].mark == "close"
    assert not {"rest", "close", *(each.id for each in TRAITS)} & {*SYMBOLS}
    table.rolls(abbot="C")
    assert [tap for tap in table.piece("row-cook").taps if tap.do] == []
    assert [tap.label for tap in table.piece("row-miller").taps if tap.do] == ["Join in"]


def test_the_only_one_in_a_fight_may_rest_too(castle):
    table = castle(2).fight(M)
    table.wound("cook", -4)
    table.part("abbot", "out")
    assert [each.tap.short for each in table.chances] == ["none", "Bob"]
    assert table.chances[1].clear == 0
    table.part("cook", "rest")
    assert table.piece("settle").detail == "No die falls; nobody is hit; Bob rests."
    table.settle()
    assert table.health() == {"abbot": 18, "cook": 15}


def test_a_card_may_forbid_rest_and_whoever_rests_gets_up(castle):
    table = castle(2).fight(M)
    table.part("cook", "rest")
    table.do("forbid_rest", forbidden="yes")
    assert not table.state.fight.rests
    with refused("Nobody can rest here: the card says so."):
        table.part("cook", "rest")
    with refused("It is so already."):
        table.do("forbid_rest", forbidden="yes")


def test_the_sheet_of_an_item_offers_what_it_does_after_the_roll(castle):
    """What was kept of the view before the roll knew nothing of it."""
    table = castle(2)
    luck = carried(table, "Liquid Luck", "abbot")
    table.fight(M, W, W, W)
    assert [each.submit for each in table.view.forms if each.id == f"item-{luck}"] == [
        "Used up or not wanted: discard"
    ]
    table.rolls(abbot="C")
    assert [each.submit for each in table.view.forms if each.id == f"item-{luck}"] == ["Roll again"]


def test_a_roll_leaves_the_rows_of_the_others_the_very_same(castle):
    table = castle(4).fight(M, W, W)
    before = {hero: table.piece(f"row-{hero}") for hero in PLAYED}
    trays = {hero: table.piece(f"die-{hero}") for hero in PLAYED}
    table.rolls(cook="C")
    assert [hero for hero in PLAYED if table.piece(f"row-{hero}") is not before[hero]] == ["cook"]
    assert all(table.piece(f"die-{hero}") is trays[hero] for hero in PLAYED)


def test_a_resting_character_may_not_use_items(castle):
    table = castle(2)
    luck = table.draw("Liquid Luck")
    table.move(luck, "cook")
    table.turn().fight(M)
    table.part("cook", "rest")
    with refused("The Cook rests, and may not use items this round."):
        table.move(luck, "pile")


def test_in_a_duel_the_others_stand_by_unhurt_round_after_round(castle):
    table = castle(3).fight(M, M, M)
    table.part("abbot", "out")
    table.part("miller", "out")
    table.rolls(cook="C").settle()
    assert table.health() == {"abbot": 14, "cook": 12, "miller": 14}
    assert [table.says(hero) for hero in PLAYED[:3]] == [
        "Abbot · takes no part",
        "Cook",
        "Miller · takes no part",
    ]
    assert table.piece("settle").why_not == "Still to roll: Bob."
    table.part("cook", "out")
    with refused("Nobody fights or rests"):
        table.settle()


def test_dice_are_rolled_by_the_app_or_entered_and_changed_before_the_round_is_settled(castle):
    table = castle(2).fight(M, W)
    table.evening.dice.rolls = [1, 5]
    table.do("roll_die", seat="Ada", hero="abbot", round=1)
    assert table.log_text == "the Abbot rolled Wisdom"
    with refused("The Abbot has rolled already."):
        table.do("roll_die", seat="Ada", hero="abbot", round=1)
    table.do("roll_die", seat="Ada", hero="abbot", round=1, again="yes")
    assert table.log_text == "the Abbot rolled again double Might, a BLOCK"
    assert "(before: Wisdom)" in table.says("abbot")
    table.rolls(abbot="W")
    assert not table.state.fight.sides["abbot"].block, "the block goes with the roll that was kept"
    with refused("The die shows that already."):
        table.rolls(abbot="W")
    table.do("clear_roll", seat="Ada", hero="abbot", round=1)
    with refused("Ada has not rolled yet."):
        table.do("clear_roll", seat="Ada", hero="abbot", round=1)
    with refused("The face can be at most 6."):
        table.do("roll_die", seat="Ada", hero="abbot", round=1, face=7)


def test_items_change_a_blow_for_one_round(castle):
    table = castle(2).fight(M, M, damage=3)
    table.rolls(abbot="C", cook="C")
    table.do("set_hit", seat="Ada", hero="abbot", round=1, hit=0)
    table.do("set_hit", seat="Bob", hero="cook", round=1, hit=2)
    table.settle()
    assert table.health() == {"abbot": 18, "cook": 16}
    assert table.piece("abbot-blow").taps[0].label == "A blow costs 3"


def test_card_specials_are_done_by_hand_at_any_step(castle):
    table = castle(2).fight(M, M, W)
    table.do("take_die", trait=M)
    table.rolls(abbot="W", cook="C").settle()
    assert table.state.fight.dice == (M,)
    assert sorted(table.state.fight.removed) == [M, W]
    table.do("return_die", trait=W)
    assert sorted(table.state.fight.dice) == [M, W]
    with refused("No Wisdom die has been removed."):
        table.do("return_die", trait=W)
    table.do("lay_die", trait=C)
    table.do("set_damage", damage=1)
    table.rolls(abbot="M", cook="W").settle()
    assert table.health() == {"abbot": 15, "cook": 15}
    table.do("end_fight", won="yes")
    assert table.state.owed == 1


def test_a_die_that_was_laid_by_a_slip_is_not_one_that_can_return(castle):
    table = castle(2).turn()
    table.do("begin_fight", number=1)
    with refused("Lay out the chapter dice first"):
        table.do("join_fight")
    table.do("lay_die", trait=M)
    table.do("take_die", trait=M)
    assert table.state.fight.removed == ()
    with refused("No Might die lies there."):
        table.do("take_die", trait=M)
    with refused("A chapter die shows Might, Cunning or Wisdom."):
        table.do("lay_die", trait="luck")


def test_the_dice_for_the_players_are_rolled_once_whoever_presses_it(castle):
    table = castle(3).turn()
    table.do("begin_fight", number=1)
    assert not table.piece("castle-roll").taps[0].why_not
    table.evening.dice.rolls = [1, 4, 6]
    table.do("lay_rolled")
    assert table.piece("castle-roll").taps[0].why_not == "The dice for the players are rolled already."
    with refused("The dice for the players are rolled already."):
        table.do("lay_rolled")
    assert len(table.state.fight.dice) == 3


def test_one_rolled_die_for_each_player_is_added(castle):
    table = castle(3).turn()
    table.do("begin_fight", number=1)
    table.evening.dice.rolls = [1, 4, 6]
    table.do("lay_rolled")
    assert table.state.fight.dice == (M, C, W)
    assert table.log_text == "rolled and added Might, Cunning and Wisdom"


def test_a_tenth_chapter_die_is_allowed_with_a_note(castle):
    table = castle(2).fight(*[M] * 9)
    assert not table.words("enemy-note")
    table.do("lay_die", trait=W)
    assert "stand-in" in table.words("enemy-note")
    assert "stand-in" in table.log_text
    table.do("choose_rule", rule="tenth-die", choice="nine")
    with refused("at this table nine it is"):
        table.do("lay_die", trait=W)
    table.do("choose_rule", rule="tenth-die", choice="stand-in")
    table.do("lay_die", trait=W)
    table.do("lay_die", trait=W)
    with refused("12 dice are as many as one enemy can have here."):
        table.do("lay_die", trait=W)


def test_the_printed_damage_is_asked_for_and_is_two_until_then(castle):
    table = castle(2).fight(M)
    assert table.piece("enemy-facts").chips[0].label == "Hits for 2"
    with refused("The enemy hits for 2 already."):
        table.do("set_damage", damage=2)
    with refused("The damage must be at least 1."):
        table.do("set_damage", damage=0)
    table.do("choose_rule", rule="attack-value", choice="two")
    with refused("At this table every enemy hits for 2."):
        table.do("set_damage", damage=3)


def test_the_whole_round_is_one_undo(castle):
    table = castle(3).fight(M, M, C, W)
    table.wound("miller", -4)
    table.part("miller", "rest")
    table.rolls(abbot="W", cook="M")
    before = table.state
    entry = table.settle()
    assert table.state != before
    table.undo(entry.version)
    assert table.state == before


def test_a_roll_that_a_settled_round_rests_on_cannot_be_taken_back_alone(castle):
    table = castle(2).fight(M, M, M).rolls(abbot="W")
    roll = table.evening.journal.version
    table.rolls(cook="M")
    table.settle()
    with refused("on it: take that back first."):
        table.undo(roll)


def test_a_change_that_a_settled_round_rests_on_cannot_be_taken_back_alone(castle):
    table = castle(2).fight(M, M, M).rolls(abbot="W", cook="M").rolls(cook="MM")
    changed = table.evening.journal.version
    table.settle()
    with refused("The dice of round 1 no longer say what was settled."):
        table.undo(changed)


def test_a_late_tap_for_a_round_that_is_over_is_refused_kindly(castle):
    table = castle(2).fight(M, M, M).rolls(abbot="W", cook="M")
    table.settle()
    with refused("Round 1 is over; this is round 2."):
        table.do("settle_round", round=1)
    with refused("Round 1 is over; this is round 2."):
        table.do("roll_die", seat="Ada", hero="abbot", round=1)
    assert table.health() == {"abbot": 16, "cook": 16}


def test_a_death_in_the_middle_of_a_settled_round_ends_it_for_all_and_one_undo_brings_everyone_back(castle):
    table = castle(3)
    table.wound("abbot", -12)
    table.wound("cook", -13)
    table.fight(M, M, M).rolls(abbot="C", cook="C", miller="C")
    assert [table.says(hero).endswith(" · dies") for hero in PLAYED[:3]] == [True, True, False]
    assert [table.piece(f"{hero}-says").tone for hero in PLAYED[:3]] == ["bad", "bad", ""]
    before = table.state
    table.settle()
    assert table.verdict.outcome == "loss"
    assert table.verdict.summary == "The castle keeps you: Ada the Abbot and Bob the Cook died."
    assert not table.piece("castle-rows")
    table.undo()
    assert table.state == before


def test_the_button_says_who_dies_of_it(castle):
    table = castle(2)
    table.wound("abbot", -16)
    table.fight(M, M).rolls(abbot="C", cook="C")
    settle = table.piece("settle")
    assert (settle.detail, settle.danger) == ("No die falls; Ada and Bob take 2. Ada dies!", True)
    table.do("end_fight", won="no")
    table.do("begin_test", kind="once", trait=W, who="abbot", cost=2)
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1, face=face("abbot", "M"))
    assert table.piece("count").detail == "Nobody passes. Ada dies!"


def test_a_fight_that_is_on_keeps_the_chapter_open(castle):
    table = castle(2).fight(M)
    with refused("The fight is still on."):
        table.finish()
    with refused("A fight is on already."):
        table.do("begin_fight", number=1)
    table.do("end_fight", won="no")
    assert table.state.owed == 0
    table.finish()


def test_a_phone_that_may_only_tap_for_its_own_seat_rolls_for_no_other(castle):
    table = castle(2).fight(M)
    table.do("limit_tapping", own_seats_only="yes")
    other = table.evening.join("Phone", 2)
    with refused("everyone taps for their own seat"):
        table.do("roll_die", phone=other, seat="Ada", hero="abbot", round=1)


# --- the odds, against counting every case ---


def fighter(hero, health, hit=2, cap=18, known=None, usual=2, **carries):
    return Fighter(
        die(hero), health, cap, hit, usual, known and lying(character(hero).side(known)), **carries
    )


def lying(side):
    return Roll(tuple(side.count * (side.trait == each.id) for each in TRAITS), side.block)


def one_round(dice, heroes, rests=None, damage=2):
    """Every face of every die, one case after the other."""
    clear = 0.0
    blows = [0.0] * len(heroes)
    thrown = [hero for at, hero in enumerate(heroes) if at != rests]
    cases = list(itertools.product(*(character(hero).sides for hero in thrown)))
    for sides in cases:
        got = [sum(s.count for s in sides if s.trait == trait.id) for trait in TRAITS]
        taken = [min(n, g) for n, g in zip(dice, got, strict=True)]
        if sum(taken) == sum(dice):
            clear += 1 / len(cases)
            continue
        for hero, side in zip(thrown, sides, strict=True):
            blows[heroes.index(hero)] += damage * (not side.block) / len(cases)
    return clear, blows


@pytest.mark.parametrize("dice", [(1, 0, 0), (2, 1, 0), (1, 1, 1), (0, 2, 3), (3, 3, 3)])
@pytest.mark.parametrize("heroes", [("abbot", "cook"), ("miller", "smith", "tailor"), PLAYED])
def test_the_odds_of_a_round_are_those_of_counting_every_case(dice, heroes):
    team = tuple(fighter(hero, 12) for hero in heroes)
    choices = (None, *range(len(heroes)))
    for found in weigh(dice, team, choices):
        clear, blows = one_round(dice, heroes, found.rests)
        assert found.clear == pytest.approx(clear, abs=1e-9)
        assert found.damage == pytest.approx(blows)


def cases(dies):
    """What may come up: all symbols together, who blocks (None rests), and how likely that is."""
    thrown = list(itertools.product(*dies))
    found = Counter(
        (
            tuple(sum(s.count for s in sides if s and s.trait == trait.id) for trait in TRAITS),
            tuple(s and s.block for s in sides),
        )
        for sides in thrown
    )
    return [(*case, number / len(thrown)) for case, number in found.items()]


def one_case(dice, health, got, blocks, hits, live, cap=18):
    left = tuple(max(0, n - g) for n, g in zip(dice, got, strict=True))
    if not any(left):
        return 1.0
    now = tuple(
        min(cap, h + 1) if block is None else h - hit * (not block)
        for h, block, hit in zip(health, blocks, hits, strict=True)
    )
    return live(left, now) if min(now) > 0 else 0.0


@functools.cache
def every_case(heroes, damage):
    """Round by round through every case. Nobody rests any more, so whatever changes gets less; after a round
    in which nothing does, all is as it was, and only the others tell what comes."""
    thrown, hits = cases([character(hero).sides for hero in heroes]), (damage,) * len(heroes)

    @functools.cache
    def live(dice, health):
        def after(*now):
            return None if now == (dice, health) else live(*now)

        found = changes = 0.0
        for got, blocks, chance in thrown:
            lives = one_case(dice, health, got, blocks, hits, after)
            if lives is not None:
                found += chance * lives
                changes += chance
        return found / changes

    return live


def survival(dice, heroes, health, damage, rests=None, faces=(), hits=()):
    """In the coming round some faces may lie on the table, and a blow may cost each one something else."""
    first = [character(hero).sides for hero in heroes]
    for at, face in enumerate(faces):
        if face:
            first[at] = [first[at][face - 1]]
    if rests is not None:
        first[rests] = [None]
    hits, live = hits or (damage,) * len(heroes), every_case(heroes, damage)
    return sum(
        chance * one_case(dice, health, got, blocks, hits, live) for got, blocks, chance in cases(first)
    )


@pytest.mark.parametrize(
    ("heroes", "dice", "health", "damage"),
    [
        (("abbot", "cook"), (1, 1, 1), (3, 4), 2),
        (("cook", "miller"), (0, 0, 2), (6, 5), 2),
        (("smith", "tanner"), (2, 1, 0), (1, 1), 1),
        (("abbot", "cook"), (2, 2, 2), (5, 7), 3),
        (("abbot", "cook", "miller"), (1, 1, 2), (2, 3, 4), 2),
    ],
)
def test_the_forecast_is_what_playing_every_case_gives(heroes, dice, health, damage):
    team = tuple(fighter(hero, h, damage, usual=damage) for hero, h in zip(heroes, health, strict=True))
    for found in weigh(dice, team, (None, *range(len(heroes)))):
        expected = survival(dice, heroes, health, damage, found.rests)
        assert found.survive == pytest.approx(expected, abs=2 * odds.SMALL)


@pytest.mark.parametrize(
    ("heroes", "dice", "health", "faces", "hits"),
    [
        (("abbot", "cook"), (2, 1, 1), (5, 3), (0, 4), (2, 2)),
        (("abbot", "cook"), (2, 2, 0), (4, 2), (2, 1), (2, 2)),
        (("smith", "tanner"), (1, 2, 1), (4, 6), (0, 0), (0, 5)),
        (("miller", "tailor"), (3, 0, 2), (2, 5), (3, 0), (2, 1)),
        (("abbot", "smith"), (0, 3, 0), (3, 4), (0, 0), (3, 2)),
        (("cook", "miller", "smith"), (1, 1, 2), (3, 2, 4), (0, 0, 5), (2, 1, 2)),
    ],
)
def test_the_forecast_knows_what_lies_on_the_table_and_what_an_item_does_to_a_blow(
    heroes, dice, health, faces, hits
):
    each = zip(heroes, health, hits, faces, strict=True)
    team = tuple(fighter(hero, h, hit, known=face or None) for hero, h, hit, face in each)
    resting = [at for at, face in enumerate(faces) if not face]
    for found in weigh(dice, team, (None, *resting)):
        expected = survival(dice, heroes, health, 2, found.rests, faces=faces, hits=hits)
        assert found.survive == pytest.approx(expected, abs=2 * odds.SMALL)


def gain(roll, dice):
    """What a glance at the enemy's dice says of a roll: dice that it takes, and a BLOCK."""
    symbols, block = roll
    return sum(min(n, left) for n, left in zip(symbols, dice, strict=True)) + block


@functools.cache
def each_throw(hero, carries, dice, lucky):
    """Every throw of one character, face by face, with what they carry; each as likely as it is listed."""
    faces = [
        (
            tuple((2 if "stones" in carries else s.count) * (s.trait == trait.id) for trait in TRAITS),
            s.block,
        )
        for s in character(hero).sides
    ]
    thrown = []
    for one, other, third, chapter in itertools.product(faces, faces, faces, range(3)):
        roll = one
        if ("blade" in carries and one[0][2]) or ("flail" in carries and one[0][1]):
            roll = other if gain(other, dice) > gain(one, dice) else one
        if lucky and not gain(roll, dice):
            roll = third
        if "axe" in carries:
            roll = tuple(n + (at == chapter) for at, n in enumerate(roll[0])), roll[1]
        if "daggers" in carries and any(map(min, roll[0], dice)):
            roll = tuple(map(sum, zip(roll[0], other[0], strict=True))), roll[1] or other[1]
        thrown.append(roll)
    return [(*roll, number / len(thrown)) for roll, number in Counter(thrown).items()]


@functools.cache
def struck(health, carries, blow):
    """After a blow: eaten and drunk only when it would kill. None for the dead."""
    carries = list(carries)
    blow = max(1, blow - carries.count("shield")) if blow else 0
    while health <= blow and {"apple", "bread"} & {*carries}:
        food = next(each for each in carries if each in ("apple", "bread"))
        carries.remove(food)
        health += {"apple": 1, "bread": 2}[food]
    if health <= blow and "evasion" in carries:
        carries.remove("evasion")
        blow = 0
    return (health - blow, tuple(carries)) if health > blow else None


DEEP = 14  # rounds; what is undecided then is far less than half a per cent


def played_out(dice, party, blow, rests=None):
    """How likely all survive, by going through every throw of every round."""
    for _, _, carries in party:
        for potion, at in (("brew", 0), ("concoction", 1)):
            dice = tuple(max(0, n - carries.count(potion)) if at == t else n for t, n in enumerate(dice))
    seen = dice

    @functools.cache
    def thrown(who, lucky, rests):
        """All symbols together, who blocks, and how likely that is; whoever rests throws nothing."""
        throws = [
            [((0, 0, 0), False, 1.0)]
            if at == rests
            else each_throw(hero, carries, seen, lucky and "luck" in carries)
            for at, (hero, carries) in enumerate(who)
        ]
        found = Counter()
        for case in itertools.product(*throws):
            rolls, blocks, chances = zip(*case, strict=True)
            found[tuple(map(sum, zip(*rolls, strict=True))), blocks] += math.prod(chances)
        return found.items()

    @functools.cache
    def live(dice, party, depth, rests=None):
        if not depth:
            return 0.0
        found = 0.0
        for (got, blocks), chance in thrown(tuple((who, c) for who, _, c in party), depth == DEEP, rests):
            left = tuple(max(0, n - g) for n, g in zip(dice, got, strict=True))
            if not any(left):
                found += chance
                continue
            after = [
                (h + 1, carries)
                if at == rests
                else (min(18, h + carries.count("verses")), carries)
                if blocks[at]
                else struck(h, carries, blow)
                for at, (_, h, carries) in enumerate(party)
            ]
            if None not in after:
                heroes = tuple((who[0], *now) for who, now in zip(party, after, strict=True))
                found += chance * live(left, heroes, depth - 1)
        return found

    return live(dice, party, DEEP, rests)


CARDS = {
    "apple": "Partially Rotten Apple",
    "bread": "Stale Loaf of Bread",
    "brew": "Brew of Might",
    "concoction": "Cunning Concoction",
    "luck": "Liquid Luck",
    "evasion": "Effervescent Evasion",
    "shield": "Rotten Shield",
    "blade": "Decayed Blade",
    "flail": "Rusted Flail",
    "axe": "Cracked Axe",
    "daggers": "Dented Daggers",
    "stones": "The Replication Stones",
    "verses": "The Healing Verses",
}


@pytest.mark.parametrize(
    ("dice", "blow", "abbot", "cook"),
    [
        ((2, 1, 0), 2, (3, "bread", "shield"), (4,)),
        ((2, 2, 1), 2, (4, "brew", "concoction"), (3, "apple", "evasion")),
        ((1, 1, 2), 3, (4, "blade", "shield"), (4, "flail")),
        ((2, 2, 0), 2, (3, "axe"), (3, "luck")),
        ((2, 0, 2), 2, (3, "daggers"), (2, "bread", "evasion")),
        ((0, 3, 1), 2, (5, "stones", "luck"), (3, "stones", "flail")),
        ((0, 3, 1), 1, (2, "verses"), (6,)),
        ((1, 2, 1), 1, (2, "verses", "luck"), (4, "evasion")),
        ((0, 1, 1), 3, (1, "verses", "apple"), (17, "verses")),
    ],
)
def test_the_odds_count_what_the_party_holds_as_playing_every_case_does(castle, dice, blow, abbot, cook):
    table = castle(2)
    for hero, (health, *carries) in (("abbot", abbot), ("cook", cook)):
        for each in carries:
            carried(table, CARDS[each], hero)
        table.wound(hero, health - 18)
    bare = castle(2)
    for hero, (health, *_) in (("abbot", abbot), ("cook", cook)):
        bare.wound(hero, health - 18)
    laid = [trait.id for trait, n in zip(TRAITS, dice, strict=True) for _ in range(n)]
    table.fight(*laid, damage=blow)
    bare.fight(*laid, damage=blow)
    party = tuple((hero, h, tuple(carries)) for hero, (h, *carries) in (("abbot", abbot), ("cook", cook)))
    for rests, chance in zip((None, 0, 1), table.chances, strict=True):
        assert chance.survive == pytest.approx(100 * played_out(dice, party, blow, rests), abs=0.51)
    assert table.chances[0].survive > bare.chances[0].survive, "and it helps"


def test_the_golden_axe_has_a_die_that_nobody_knows_and_the_odds_say_so(castle):
    table = castle(2)
    axe = carried(table, "Golden Axe", "abbot")
    bare = castle(2).fight(M, C, W)
    assert bare.piece("policy").title == "How is that reckoned?"
    table.fight(M, C, W)
    assert table.piece("policy").title == "Reckoned without the Golden Axe"
    assert "what is on its own die is not known to us" in table.words("policy-words")
    assert table.chances == bare.chances
    table.move(axe, "pile")
    assert table.piece("policy").title == "How is that reckoned?"


def test_the_forecast_of_a_duel_with_twelve_dice_is_what_playing_every_case_gives():
    for dice, health in (((4, 4, 4), 12), ((6, 3, 3), 12), ((2, 0, 10), 18), ((12, 0, 0), 18)):
        (found,) = weigh(dice, (fighter("abbot", health),), (None,))
        assert found.survive == pytest.approx(survival(dice, ("abbot",), (health,), 2), abs=2 * odds.SMALL)


def test_the_forecast_says_nought_or_a_hundred_only_of_what_is_certain(castle):
    table = castle(4).fight(M)
    assert table.chances[0].survive_words == ">99"
    duel = castle(2)
    duel.wound("abbot", -16)
    duel.fight(C, C)
    duel.part("cook", "out")
    assert duel.chances[0].survive_words == "0", "one Cunning at a time, and the first is the end"
    carried(duel, "The Healing Verses", "abbot")
    assert duel.chances[0].survive_words != "0", "a BLOCK may come first, and bear a hit"
    duel.undo()
    duel.wound("abbot", 1)
    assert duel.chances[0].survive_words != "0"


def test_a_fight_that_nobody_takes_part_in_has_no_odds_and_is_shown_all_the_same(castle):
    table = castle(2).fight(M)
    for hero in ("abbot", "cook"):
        table.part(hero, "out")
    assert table.chances == ()
    assert len(table.piece("castle-rows").pieces) == 2


@effort(max_examples=25, deadline=None)
@given(st.data())
def test_odds_are_chances_whatever_is_asked(data):
    number = data.draw(st.integers(1, 4))
    heroes = data.draw(st.permutations(PLAYED))[:number]
    dice = data.draw(st.tuples(*[st.integers(0, 3)] * 3).filter(any))
    damage = data.draw(st.integers(1, 3))
    team = tuple(
        fighter(
            hero,
            data.draw(st.integers(1, 12)),
            data.draw(st.integers(0, 3)),
            12,
            data.draw(st.none() | st.integers(1, 6)),
            damage,
        )
        for hero in heroes
    )
    resting = [at for at, each in enumerate(team) if not each.known and number > 1]
    for found in weigh(dice, team, (None, *resting)):
        assert 0 <= found.clear <= found.survive + 1e-9 <= 1 + 2e-9
        assert all(0 <= each <= one.hit + 1e-9 for each, one in zip(found.damage, team, strict=True))


def test_a_die_on_the_table_is_known_and_whoever_stands_by_changes_nothing(castle):
    team = (fighter("abbot", 12, known=3), fighter("cook", 12))
    (found,) = weigh((1, 0, 2), team, (None,))
    assert found.clear == pytest.approx(3 / 6)
    assert found.damage[0] == 0
    alone = weigh((1, 0, 1), (fighter("cook", 18),), (None,))[0]
    duel = castle(2)
    duel.wound("abbot", -17)
    duel.fight(M, W)
    duel.part("abbot", "out")
    assert duel.chances[0].clear == round(100 * alone.clear)
    assert duel.chances[0].survive == round(100 * alone.survive)
    assert duel.chances[0].tap.detail == f"−{alone.damage[0]:.1f}"


def test_the_odds_follow_every_tap_and_each_choice_of_who_rests(castle):
    table = castle(3).fight(M, C, W)
    chances = table.chances
    assert [each.tap.short for each in chances] == ["none", "Ada", "Bob", "Cleo"]
    assert chances[0].tap.on
    assert chances[0].tap.do is None
    assert "% to clear it this round" in chances[1].tap.label


def test_once_the_first_die_has_fallen_a_roll_is_weighed_for_this_round_alone(castle, monkeypatch):
    """The forecast is for choosing who rests; it costs more than all else that a roll changes."""
    table = castle(3).fight(M, C, W)
    monkeypatch.setattr(odds_view, "weigh", None)
    table.rolls(cook="M")
    assert table.chances == ()
    assert table.words("castle-mean") == "28 % to clear it this round, −3.3 health on average."
    table.rolls(abbot="W")
    assert table.words("castle-mean") == "50 % to clear it this round, −2.7 health on average."
    table.rolls(miller="C")
    assert table.words("castle-mean") == "", "the button says how it ends"


def test_where_rest_may_wait_for_ones_own_roll_it_is_weighed_until_then(castle):
    table = castle(3)
    table.do("choose_rule", rule="rest-first", choice="own")
    table.fight(M, C, W).rolls(cook="M")
    assert [each.tap.short for each in table.chances] == ["none", "Ada", "Cleo"]


def test_a_rest_can_be_chosen_from_the_picture(castle):
    table = castle(3).fight(M, C, W)
    for label, resting in (("Bob", "cook"), ("Cleo", "miller"), ("none", "")):
        do = next(each.tap.do for each in table.chances if each.tap.short == label)
        table.do(do.command, **do.args)
        assert table.state.fight.rests == resting


@pytest.fixture
def work(monkeypatch):
    """How many numbers are multiplied to weigh a fight that was never weighed before.

    A thousand of them, with all else, take about a seventh of a millisecond.
    """
    number = 0

    def counted(multiply):
        def count(one, other):
            nonlocal number
            number += len(one)
            return multiply(one, other)

        return count

    monkeypatch.setattr(odds, "times", counted(odds.times))
    monkeypatch.setattr(odds, "mean", counted(odds.mean))

    def weighed(dice, team):
        nonlocal number
        number = 0
        for kept in (odds.points, odds.later_on, odds.weigh):
            kept.cache_clear()
        weigh(dice, team, (None, *range(len(team) if len(team) > 1 else 0)))
        return number

    return weighed


@pytest.mark.parametrize("dice", [(1, 1, 1), (2, 2, 1), (2, 2, 2), (3, 2, 2), (3, 3, 3)])
@pytest.mark.parametrize(("players", "health"), [(2, 18), (3, 14), (4, 12)])
def test_a_usual_fight_is_weighed_with_little_work(work, players, health, dice):
    team = tuple(fighter(hero, health, 2, health) for hero in PLAYED[:players])
    assert work(dice, team) < 6_000


def test_the_longest_fights_keep_nobody_waiting(work):
    """As many dice as the app takes, and blows that kill slowly."""
    for players, health in ((1, 18), (2, 18), (3, 14), (4, 12)):
        for dice in ((4, 4, 4), (6, 3, 3), (5, 4, 3), (6, 6, 0), (0, 12, 0)):
            fresh = tuple(fighter(hero, health, 1, health, usual=1) for hero in PLAYED[:players])
            assert work(dice, fresh) < 20_000
            weary = tuple(fighter(hero, 3, 2, health) for hero in PLAYED[:players])
            assert work(dice, weary) < 25_000


def test_even_with_an_item_in_every_hand_the_odds_are_soon_there(work):
    """The most work that a search found: a first blow that may kill, and then a long fight."""
    blows = {"smith": (10, 0), "miller": (10, 9), "tailor": (12, 0), "cook": (12, 6)}
    team = tuple(fighter(hero, health, hit, 12, usual=1) for hero, (health, hit) in blows.items())
    assert work((3, 3, 6), team) < 40_000


def test_whoever_is_healed_by_blocks_keeps_nobody_waiting_either(work):
    team = tuple(fighter(hero, 12, 1, 12, usual=1, gives=hero in ("abbot", "cook")) for hero in PLAYED)
    assert work((3, 3, 3), team) < 90_000


# --- how the dice fell ---


def test_whoever_looked_away_sees_the_dice_of_the_round_before(castle):
    table = castle(3).fight(M, W, W)
    table.part("miller", "rest")
    table.rolls(abbot="C", cook="MM").settle()
    fell = "Ada Cunning and Bob double Might: 1 die falls; Ada takes 2; Cleo rests."
    assert table.words("last-round") == f"Last round: {fell}"


def thrown_at(table):
    return tools.dice.dice(table.evening.table)


def test_the_dice_of_fights_and_tests_are_counted_with_all_others(castle):
    table = castle(2).fight(M, W)
    table.evening.dice = LoadedDice(6, 1, 3, 2)
    table.do("lay_rolled")
    table.do("roll_die", seat="Ada", hero="abbot", round=1)
    assert table.log_text == "the Abbot rolled double Wisdom, a BLOCK"
    table.rolls(abbot="M", cook="C")  # an item changed the first: no die fell for that
    table.do("end_fight", won="no")
    table.do("begin_test", kind="once", trait=W, who="abbot")
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1)
    thrown = thrown_at(table)
    assert thrown.fallen("abbot", False) == {
        "Wisdom": 1,
        "double Wisdom": 1,
        "Might": 0,
        "double Might": 0,
        "Cunning": 0,
    }
    assert thrown.fallen("cook", True)["Cunning"] == 1
    assert ("abbot", True) not in thrown.spread
    assert thrown.fallen("chapter", False) == {"Might": 1, "Cunning": 0, "Wisdom": 1}
    assert all(each.quiet for each in thrown.last), "the board shows them where they count"
    told = recap("ABCDEF", table.evening.journal).luck
    assert "Abbot's die, rolled here 2 times: most often Wisdom and double Wisdom (1 of 2)" in told
    assert "Cook's die, rolled at the table 1 time: Cunning" in told


def test_a_real_die_that_was_told_wrong_is_put_right_in_the_count_too(castle):
    table = castle(2).turn()
    table.do("begin_test", kind="once", trait=W, who="abbot")
    for letters in ("M", "W"):
        table.do("roll_test", seat="Ada", hero="abbot", attempt=1, face=face("abbot", letters))
    table.do("close_test")
    table.fight(M, M, M).rolls(cook="C").rolls(cook="MM")
    thrown = thrown_at(table)
    assert {name: n for name, n in thrown.fallen("abbot", True).items() if n} == {"Wisdom": 1}
    assert {name: n for name, n in thrown.fallen("cook", True).items() if n} == {"double Might": 1}


def test_a_die_that_an_item_changes_after_the_app_rolled_it_is_counted_as_it_fell(castle):
    table = castle(2).turn()
    table.do("begin_test", kind="once", trait=W, who="abbot")
    table.evening.dice.rolls = [4]
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1)
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1, face=face("abbot", "W"))
    assert {name: n for name, n in thrown_at(table).fallen("abbot", False).items() if n} == {"Might": 1}
    assert ("abbot", True) not in thrown_at(table).spread


# --- tests of the castle ---


def attempt(table, **shown):
    for hero, letters in shown.items():
        number = table.state.trial.attempt
        table.do("roll_test", seat=table.whose[hero], hero=hero, attempt=number, face=face(hero, letters))
    table.do("count_attempt", attempt=table.state.trial.attempt)


def test_a_single_attempt_judges_everyone_alone(castle):
    table = castle(3).turn()
    table.do("begin_test", kind="once", trait=W, who="everyone", cost=2)
    with refused("The attempt cannot be counted before Ada and Bob and Cleo rolled."):
        table.do("count_attempt", attempt=1)
    attempt(table, abbot="WW", cook="M", miller="C")
    assert table.state.trial.ended == "mixed"
    assert table.words("outcome") == "Passed: Ada; failed: Bob and Cleo."
    assert table.health() == {"abbot": 14, "cook": 12, "miller": 12}
    with refused("This test is over."):
        table.do("count_attempt", attempt=1)


def test_three_cunning_in_five_tries(castle):
    table = castle(2).turn("cook")
    table.do("begin_test", kind="tries", trait=C, who="you", needed=3, tries=5, cost=1)
    assert table.state.trial.heroes == ("cook",)
    attempt(table, cook="C")
    attempt(table, cook="M")
    assert (table.piece("trial-tries").value, table.piece("trial-got").value) == (2, 1)
    assert table.health()["cook"] == 16
    attempt(table, cook="CC")
    assert table.words("outcome") == "Passed: 3 of 3 in 3 tries."
    assert table.health()["cook"] == 16


def test_tries_run_out(castle):
    table = castle(2).turn("cook")
    table.do("begin_test", kind="tries", trait=C, who="cook", needed=2, tries=2)
    attempt(table, cook="M")
    with refused("This is attempt 2 of 2."):
        table.do("roll_test", seat="Bob", hero="cook", attempt=1)
    attempt(table, cook="C")
    assert table.state.trial.ended == "failed"


def test_all_together_pool_their_successes(castle):
    table = castle(3).turn()
    table.do("begin_test", kind="together", trait=M, who="others", needed=3, tries=3, cost=1)
    assert table.state.trial.heroes == ("cook", "miller")
    attempt(table, cook="M", miller="W")
    assert table.health() == {"abbot": 14, "cook": 13, "miller": 13}
    table.evening.dice.rolls = [3]
    table.do("roll_test", seat="Bob", hero="cook", attempt=2)
    attempt(table, miller="C")
    assert table.words("outcome") == "Passed: 3 of 3 in 2 tries."


def test_a_card_may_charge_only_whoever_rolls_nothing_of_it(castle):
    table = castle(3).turn()
    table.do("begin_test", kind="together", trait=M, who="everyone", needed=5, tries=3, cost=1)
    only = next(tap for tap in table.piece("trial-who").chips if tap.label == "Only who rolls none pays")
    table.do(only.do.command, **only.do.args)
    assert table.words("trial-chance").endswith("Whoever fails loses 1.")
    attempt(table, abbot="M", cook="C", miller="MM")
    assert table.health() == {"abbot": 14, "cook": 13, "miller": 14}
    each = castle(3).turn()
    each.do("begin_test", kind="together", trait=M, who="everyone", needed=5, tries=3, cost=1)
    attempt(each, abbot="M", cook="C", miller="MM")
    assert each.health() == {"abbot": 13, "cook": 13, "miller": 13}, "all of them, unless it says so"


def test_a_test_knows_no_block_and_no_more_successes_than_it_asks_for(castle):
    table = castle(2).turn()
    table.do("begin_test", kind="tries", trait=W, who="abbot", needed=3, tries=3)
    table.evening.dice.rolls = [3, 3]
    for number in (1, 2):
        table.do("roll_test", seat="Ada", hero="abbot", attempt=number)
        assert table.log_text == "the Abbot rolled double Wisdom"
        assert table.says("abbot") == "Abbot · 2 successes"
        assert table.piece("count").detail == ("2 of 3 so far.", "3 of 3: passed.")[number - 1]
        table.do("count_attempt", attempt=number)
    assert table.words("outcome") == "Passed: 3 of 3 in 2 tries."
    assert (table.piece("trial-got").value, table.piece("trial-got").most) == (3, 3)


def test_what_a_test_costs_is_one_tap(castle):
    table = castle(2).turn()
    table.do("begin_test", kind="once", trait=W, who="you")
    _, *costs = table.piece("trial-cost").taps
    assert [tap.short for tap in costs if tap.on] == ["0"]
    table.do(costs[3].do.command, **costs[3].do.args)
    assert table.words("trial-chance") == "50 % to pass. Whoever fails loses 3."


def test_a_double_may_count_one_in_a_test(castle):
    table = castle(2, rules={"test-doubles": "one"}).turn()
    table.do("begin_test", kind="tries", trait=W, who="you", needed=2, tries=2)
    attempt(table, abbot="WW")
    assert table.state.trial.got == 1


def test_an_item_changes_a_test_without_another_attempt(castle):
    table = castle(2).turn()
    table.do("begin_test", kind="once", trait=W, who="you")
    table.evening.dice.rolls = [4, 1]
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1)
    with refused("The Abbot has rolled already."):
        table.do("roll_test", seat="Ada", hero="abbot", attempt=1)
    table.do("roll_test", seat="Ada", hero="abbot", attempt=1, again="yes")
    table.do("count_attempt", attempt=1)
    assert table.words("outcome") == "Passed: Ada."


@pytest.mark.parametrize(
    ("kind", "who", "needed", "tries", "carries"),
    [
        ("once", "everyone", 1, 1, {"abbot": ["luck"], "cook": ["brew"]}),
        ("once", "abbot", 1, 1, {"abbot": ["luck", "stones"]}),
        ("tries", "abbot", 3, 3, {"abbot": ["luck", "brew"]}),
        ("together", "everyone", 4, 2, {"abbot": ["stones"], "cook": ["brew", "luck"]}),
    ],
)
def test_the_odds_of_a_test_count_what_is_carried_as_playing_every_case_does(
    castle, kind, who, needed, tries, carries
):
    """A potion is drunk; luck is for the first attempt, where the die shows nothing."""
    table = castle(2)
    for hero, cards in carries.items():
        for each in cards:
            carried(table, CARDS[each], hero)
    table.turn().do("begin_test", kind=kind, trait=M, who=who, needed=needed, tries=tries)
    heroes = ("abbot", "cook") if who == "everyone" else (who,)

    def worth(hero, side):
        single = 2 if "stones" in carries.get(hero, ()) else 1
        return (side.trait == M) * (2 if side.block else single)

    def passes(attempts):
        got = {hero: carries.get(hero, []).count("brew") for hero in heroes}
        for at, thrown in enumerate(attempts):
            for hero, (side, again) in zip(heroes, zip(thrown[::2], thrown[1::2], strict=True), strict=True):
                lucky = at == 0 and "luck" in carries.get(hero, ()) and not worth(hero, side)
                got[hero] += worth(hero, again if lucky else side)
        return all(got.values()) if kind == "once" else sum(got.values()) >= needed

    sides = [side for hero in heroes for side in (character(hero).sides,) * 2]
    later = [side for hero in heroes for side in (character(hero).sides, [None])]
    cases = list(itertools.product(*sides, *later * (tries - 1)))
    cut = len(sides)
    won = sum(passes([case[at : at + cut] for at in range(0, len(case), cut)]) for case in cases)
    assert table.state.trial.chance(2) == pytest.approx(won / len(cases))
    assert table.words("trial-chance").startswith(f"{per_cent(won / len(cases))} %")


def test_a_test_can_kill(castle):
    table = castle(2).turn()
    table.wound("abbot", -17)
    table.do("begin_test", kind="once", trait=W, who="you", cost=1)
    assert table.says("abbot").endswith("would die of it")
    attempt(table, abbot="M")
    assert table.verdict.outcome == "loss"


def test_tests_come_one_at_a_time_within_a_chapter(castle):
    table = castle(2)
    with refused("Tests come with a card; turn one first."):
        table.do("begin_test", kind="once", trait=W, who="everyone")
    table.turn()
    with refused("Several tries are for one character"):
        table.do("begin_test", kind="tries", trait=W, who="everyone")
    table.do("begin_test", kind="once", trait=W, who="you")
    with refused("A test is on already; put it away first."):
        table.do("begin_test", kind="once", trait=W, who="you")
    with refused("The test is still on."):
        table.finish()
    with refused("The test is still on."):
        table.do("begin_fight", number=1)
    table.evening.dice.rolls = [1]
    with refused("The Cook is not tested here."):
        table.do("roll_test", seat="Bob", hero="cook", attempt=1)
    table.do("close_test")
    table.fight(M)
    with refused("First the fight, then the test."):
        table.do("begin_test", kind="once", trait=W, who="you")


# --- what the page offers can be done ---


@pytest.mark.parametrize("players", [1, 3])
def test_every_tap_that_is_offered_in_a_fight_or_a_test_can_be_done(castle, players):
    """But for what stays on a die's tray although it is not open now: that says why."""
    fight = castle(players).fight(M, W)
    test = castle(players).turn()
    test.do("begin_test", kind="together", trait=W, who="everyone", needed=2, tries=2)
    for table in (fight, test):
        dos = [
            do
            for do, asked in table.view.taps()
            if not asked and do.command not in ("settle_round", "count_attempt", "clear_roll")
        ]
        assert len(dos) > 10
        for do in dos:
            table.evening.dice.rolls = [1]
            table.do(do.command, **do.args)
            table.undo(table.evening.journal.version)


# --- what is asked at the table ---

ASKED = {
    "are the enemy's dice re-rolled each round": "dice-stay",
    "may the only fighter rest": "rest-only-fighter",
    "after the fight is the rest of the card done": "card-after-fight",
    "a two-handed item and nobody has both hands free": "two-handed-no-room",
    "do resting players count for per-player dice": "per-player-resting",
    "on 1 health and no block": "one-health-no-block",
    "rolled cunning, only wisdom dice left": "no-symbol-left",
    "a double and one die left": "double-one-left",
    "two-handed items": "two-handed",
    "per-player dice": "per-player-dice",
    "can I eat bread when the blow falls": "item-in-defend",
    "may we trade while items are drawn": "draw-mid-chapter",
}


def test_what_players_asked_has_its_answer(games):
    look_up = LookUp(games)
    for question, ruling in ASKED.items():
        assert ruling in [each.ruling.id for each in look_up.search(question, SLUG, 3)], question


def test_answers_are_short(games):
    assert not [each.id for each in games[SLUG].rulings if len(each.answer.split()) > 40]


# --- the verdict, and a tally from the command line ---


def test_the_verdict_names_the_house_rules_that_this_table_changed(castle):
    table = castle(2, rules={"trading": "free"})
    table.wound("abbot", -18)
    assert [step.because for step in table.verdict.steps if step.because == "trading"] == ["trading"]
    assert len(HOUSE_RULES) == 8


def people(*healths):
    return [{"name": name, "hp": hp} for name, hp in zip(CAST, healths, strict=False)]


def adjudged(games, tally):
    return judge(games[SLUG], json.dumps(tally))[0]


@pytest.mark.parametrize(
    ("chapters", "boss", "healths", "outcome", "winners"),
    [
        (15, True, (1, 14, 3), "win", (1, 2, 3)),
        (15, True, (18,), "win", (1,)),
        (15, True, (0, 12, 12, 12), "loss", ()),
        (4, False, (7, 0), "loss", ()),
        (4, False, (7, -3), "loss", ()),
        (15, False, (7, 2), "continues", ()),
        (0, False, (18, 18), "continues", ()),
    ],
)
def test_a_tally_is_judged(games, chapters, boss, healths, outcome, winners):
    found = adjudged(games, {"chapters_done": chapters, "boss_defeated": boss, "players": people(*healths)})
    assert (found.outcome, found.winners) == (outcome, winners)


@pytest.mark.parametrize(
    ("tally", "sentence"),
    [
        (
            {"chapters_done": 15, "boss_defeated": True, "players": people(15, 1, 1)},
            "players[0].hp can be at most 14 with 3 players; the tally says 15.",
        ),
        (
            {"chapters_done": 16, "boss_defeated": True, "players": people(1, 1)},
            "chapters_done can be at most 15; the tally says 16.",
        ),
        (
            {"chapters_done": 14, "boss_defeated": True, "players": people(1, 1)},
            "The boss lies beneath 15 chapters; after 14 nobody has met it.",
        ),
        (
            {"chapters_done": 3, "boss_defeated": False, "players": people(-100, 1)},
            "players[0].hp must be at least −99; the tally says -100.",
        ),
        (
            {"chapters_done": 3, "boss_defeated": "no", "players": people(1, 1)},
            "boss_defeated must be true or false.",
        ),
        (
            {"chapters_done": 3, "boss_defeated": False, "players": []},
            "is for 1 to 4 players; this table has 0.",
        ),
        ({"chapters_done": 3, "players": people(1)}, "The tally lacks “boss_defeated”."),
    ],
)
def test_an_impossible_tally_is_one_clear_line(games, tally, sentence):
    with refused(sentence):
        adjudged(games, tally)


LONG = ("Maximilian-Alexander III", "Wilhelmina Josephine B.", "Bartholomew Featherstone", "Dov")


@pytest.mark.parametrize("names", [CAST, LONG])
def test_a_die_in_a_fight_of_four_sends_a_phone_no_more_than_it_changed(app, phone, names):
    """Even with the first of a round, when the choice of who rests is over, and where one phone holds three
    seats, whose names stand in whatever it taps."""
    ada = phone()
    code = ada.open(*names, slug=SLUG, mine=["k1", "k2", "k3"])
    play = app.extensions["play"]
    play.luck = LoadedDice(1, 5, 6, 3, 4, 2, 1, 6)
    sends = functools.partial(ada.sends, code)

    for seat, hero in enumerate(PLAYED, 1):
        sends("choose_character", seat=seat, hero=hero)
    sends("begin_escape")
    sends("turn_card", number=1, hero="abbot")
    sends("begin_fight", number=1)
    for trait in (M, M, M, M, C, C, C, C, W, W, W, W):
        sends("lay_die", trait=trait)
    sends("join_fight")
    sent = []
    for number in (1, 2):
        sent += [sends("roll_die", seat=n, hero=hero, round=number) for n, hero in enumerate(PLAYED, 1)]
        sends("settle_round", round=number)
    assert max(sent) <= 3000


# --- what people ask here ---


def test_people_ask_about_what_they_hold_and_about_what_is_going_on(castle):
    game, state = shelf()[SLUG], castle().state

    def ids(state):
        return [each.id for each in game.rulings_now(game.view(state), 60)]

    assert ids(state)[:2] == ["start-card", "start-card-turned"], "before the first chapter"
    shield = Item(1, "Rotten Shield", "armour", 1, state.heroes[0].id)
    open_card = replace(state, chapters=(Chapter(1, state.heroes[0].id, 0),))
    assert "item-rotten-shield" not in ids(open_card)
    assert "item-rotten-shield" in ids(replace(open_card, items=(shield,)))
    assert "item-rotten-shield" not in ids(replace(open_card, items=(replace(shield, place="pile"),)))
    assert "solo-you" not in ids(open_card)


def test_a_die_put_right_and_then_not_is_what_the_round_before_shows_again(castle):
    table = castle(2).fight(W, W, W)
    table.rolls(abbot="C", cook="C").rolls(cook="M")
    corrected = table.evening.journal.version
    table.settle()
    assert table.words("last-round").startswith("Last round: Ada Cunning and Bob Might: no die falls")
    table.do("take_back", entry=corrected)
    assert table.words("last-round").startswith("Last round: Ada Cunning and Bob Cunning: no die falls")
