"""Where the manual is unclear the table chooses, and we remember."""

import pytest

from companion.core import Refused
from companion.games import shelf
from companion.tools.house_rules import choices_at_first

GAMES = shelf()
RULES = [(slug, rule) for slug, game in GAMES.items() for rule in game.house_rules]


@pytest.fixture
def evening(sit_down):
    return sit_down("any-game", "Ada", "Bob")


def test_the_default_holds_until_someone_says_otherwise(evening):
    assert evening.table.choices == {"who-wins": "highest"}


def test_the_table_chooses_when_it_sits_down(sit_down):
    assert sit_down("any-game", "Ada", rules={"who-wins": "lowest"}).table.choices == {"who-wins": "lowest"}


def test_the_table_can_choose_later_and_the_log_remembers(evening):
    evening.do("choose_rule", rule="who-wins", choice="lowest")
    assert evening.table.choices == {"who-wins": "lowest"}
    assert evening.log[-1].text == "house rule: Lowest score wins"


def test_a_choice_can_be_taken_back_like_any_tap(evening):
    entry = evening.do("choose_rule", rule="who-wins", choice="lowest")
    evening.do("take_back", entry=entry.version)
    assert evening.table.choices == {"who-wins": "highest"}


def test_every_player_has_a_say_not_only_the_host(evening):
    bobs = evening.join("Bob’s phone", 2)
    evening.do("choose_rule", phone=bobs, rule="who-wins", choice="lowest")
    assert evening.table.choices == {"who-wins": "lowest"}


def test_choosing_what_already_holds_is_no_choice(evening):
    with pytest.raises(Refused, match="That is the rule already"):
        evening.do("choose_rule", rule="who-wins", choice="highest")


@pytest.mark.parametrize("choice", ["", "nobody", "<b>", "\0", "x" * 61])
def test_an_answer_that_the_rule_does_not_have_is_refused(evening, choice):
    with pytest.raises(Refused):
        evening.do("choose_rule", rule="who-wins", choice=choice)
    assert evening.table.choices == {"who-wins": "highest"}


def test_a_question_that_the_game_does_not_ask_is_refused(evening):
    with pytest.raises(Refused, match="Any game has no such house rule"):
        evening.do("choose_rule", rule="free-parking", choice="yes")


def test_a_table_cannot_sit_down_with_an_answer_that_is_none():
    with pytest.raises(Refused, match="“Who wins\\?” has no such answer"):
        choices_at_first(GAMES["any-game"], {"who-wins": "nobody"})


def test_what_is_left_open_takes_the_default_and_strange_questions_are_ignored():
    assert choices_at_first(GAMES["any-game"], {"who-wins": "", "free-parking": "yes"}) == {
        "who-wins": "highest"
    }


@pytest.mark.parametrize(("slug", "rule"), RULES, ids=[f"{slug}-{rule.id}" for slug, rule in RULES])
def test_every_reading_of_every_rule_can_be_chosen(sit_down, slug, rule):
    names = ("Ada", "Bob", "Cleo", "Dov", "Eve", "Fay", "Gus", "Hal")[: GAMES[slug].seats[0]]
    evening = sit_down(slug, *names)
    others = [choice for choice, _ in rule.choices if choice != rule.default]
    for choice in [*others, rule.default]:
        evening.do("choose_rule", rule=rule.id, choice=choice)
        assert evening.table.choices[rule.id] == choice
        assert evening.log[-1].text == f"house rule: {rule.reading(choice)}"
