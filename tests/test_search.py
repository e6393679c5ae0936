"""The right ruling, however it is asked for; and none rather than a wrong one."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.command_line.main import _answers_as_text, main
from companion.core import Ruling
from companion.games import shelf
from companion.lookup.search import Found, Index, LookUp
from companion.lookup.words import distance, stem, words

LOOK_UP = LookUp(shelf())


def ruling(id: str, title: str, answer: str = "Yes.", *aliases: str) -> Ruling:
    return Ruling(id, title, answer, "Manual, section 1", "stated", aliases=aliases)


BOOK = Index(
    (
        ruling(
            "discard", "When is a card discarded?", "At the end of the round it goes to the discard pile."
        ),
        ruling("heal", "Can health rise above the start?", "No. Healing stops at the starting health."),
        ruling("rest", "Can two characters rest in one round?", "No, only one.", "sit out"),
        ruling("madness", "How many Madness cards are there?", "Thirty.", "crazy cards"),
        ruling("tie", "What if two players are tied?", "They share the win."),
        ruling("dream", "Which suit has Dreamlands?", "The one its player names."),
    )
)


def first(question: str) -> str:
    found = BOOK.search(question)
    return found[0].ruling.id if found else ""


@pytest.mark.parametrize(
    ("question", "id"),
    [
        ("when is a card discarded", "discard"),
        ("discarding cards", "discard"),
        ("thrown away", "discard"),
        ("can hp rise above what we started with", "heal"),
        ("can a hero sit out", "rest"),
        ("crazy cards", "madness"),
        ("crazy cards madnes", "madness"),
        ("dremlands", "dream"),
        ("draemlands suit?", "dream"),
        ("DREAMLANDS", "dream"),
        ("Dreamlánds", "dream"),
        ("tiebreaker", "tie"),
        ("equal players", "tie"),
    ],
)
def test_other_forms_other_words_and_slips_are_understood(question: str, id: str) -> None:
    assert first(question) == id


@pytest.mark.parametrize(
    "question", ["how long do I boil an egg", "pizza delivery", "?", "", "   ", "xyzzy", "qwertyuiop asdf"]
)
def test_nothing_is_found_where_nothing_fits(question: str) -> None:
    assert BOOK.search(question) == []


def test_what_only_comes_near_is_not_called_an_answer() -> None:
    assert BOOK.search("can two characters rest")[0].clear
    near = BOOK.search("can two dogs rest")
    assert near
    assert not any(each.clear for each in near)


def test_pairs_of_words_tell_apart_what_the_same_words_ask() -> None:
    book = Index(
        (
            ruling("mine", "Who wins?", "Both.", "i beat her", "does he lose to me", "i beat him by one"),
            ruling("hers", "Who loses?", "Both.", "her beat i lost", "me to lose", "one by him beat i"),
        )
    )
    assert book.search("i beat her by one")[0].ruling.id == "mine"
    assert book.search("one by him beat")[0].ruling.id == "hers"


def test_many_wordings_that_are_rather_near_say_more_than_one_that_is_nearer() -> None:
    many = ("hold cards at night", "hold cards when tired", "hold cards in the rain", "hold cards for others")
    book = Index(
        (
            ruling("one", "First?", "Yes.", "hold cards", "eat at the table"),
            ruling("many", "Second?", "Yes.", *many),
            *(ruling(f"other-{n}", f"Other {n}?", "No.", f"thing {n}") for n in range(20)),
        )
    )
    assert book.search("hold cards today")[0].ruling.id == "many"


def test_words_are_read_by_their_stems() -> None:
    assert words("The Prisoner’s re-rolls: TWO dice!") == ["the", "prisoner", "re", "roll", "2", "dic"]
    assert len({stem(word) for word in ("discard", "discards", "discarded", "discarding")}) == 1
    assert len({stem(word) for word in ("score", "scores", "scored", "scoring")}) == 1
    assert stem("madness") == "madness"


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("rest", "rest", 0), ("rest", "erst", 1), ("heal", "heel", 1), ("tide", "ties", 2), ("", "abc", 3)],
)
def test_slips_are_counted_as_a_thumb_makes_them(one: str, other: str, slips: int) -> None:
    assert distance(one, other) == distance(other, one) == slips


HOSTILE = [
    '"',
    "' OR 1=1 --",
    "a AND NOT",
    "NEAR(",
    "*",
    "-",
    "\x00",
    "a\x00b",
    "x" * 10_000,
    "mad " * 3000,
    "狂気のカード",
    "جنون",
    "🦑🦑🦑",
    "<script>",
    "%",
    "\ud800",
    "{{7*7}}",
]


@pytest.mark.parametrize("question", HOSTILE)
def test_no_question_is_an_error(question: str) -> None:
    LOOK_UP.search(question)


@given(st.text(max_size=300))
def test_no_text_is_an_error(question: str) -> None:
    assert all(0 < score <= 1.01 for score in (each.score for each in BOOK.search(question)))


def test_an_index_made_ahead_is_the_one_that_is_asked() -> None:
    look_up, between = LookUp(shelf()), []
    look_up.get_ready(lambda: between.append(1))
    assert len(between) == len(look_up.games)  # whoever waits may go on before each
    assert look_up.search("what if both have nine")[0].ruling.id == "both-lost"


# --- the command ---


def run(capsys: pytest.CaptureFixture[str], *told: str) -> tuple[int, str, str]:
    status = main(["rules", *told])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_answers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "which suit has dremlands?", "--game", "tides-of-madness", "--limit", "2", "--json"
    )
    answers = json.loads(out)
    assert status == 0
    assert 1 <= len(answers) <= 2
    assert set(answers[0]) == {"id", "game", "title", "answer", "status", "source", "score"}
    assert answers[0]["game"] == "tides-of-madness"
    assert "Dreamlands" in answers[0]["title"]
    assert [each["score"] for each in answers] == sorted((each["score"] for each in answers), reverse=True)


def test_a_dash_reads_a_question_per_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = "what if both have nine\n\nhow long do I boil an egg\n\xff\n".encode("latin-1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    status, out, _ = run(capsys, "-", "--json", "--game", "tides-of-madness")
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert len(answers) == 4
    assert answers[0][0]["id"] == "both-lost"
    assert answers[1:] == [[], [], []]


def test_without_json_it_is_read_by_people(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "what if both have nine or more?", "--limit", "1")
    assert out.startswith("What if both have nine or more? (Tides of Madness)\n  ")
    assert "The manual says so: Manual, section" in out
    near = Found(BOOK.rulings[0], 0.3, False, shelf()["tides-of-madness"])
    assert _answers_as_text([near]).startswith("No ruling fits that well. The nearest:\nWhen is a card disc")
    assert run(capsys, "pizza with extra cheese please")[1] == "No ruling answers that.\n"


def test_an_unknown_game_is_one_line_and_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "x", "--game", "chess")
    assert (status, out) == (2, "")
    assert err.startswith("companion: There is no game called chess on the shelf: ")
    assert len(err.splitlines()) == 1
