"""The right ruling, however it is asked for; and none rather than a wrong one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.command_line.main import _answers_as_text, main
from companion.core import Ruling
from companion.games import shelf
from companion.lookup import kept
from companion.lookup.index import Index, build
from companion.lookup.rooms import Found, LookUp, keep_rooms, kept_rooms
from companion.lookup.search import Searcher
from companion.lookup.words import distance, stem, words

LOOK_UP = LookUp(shelf())


def ruling(
    id: str, title: str, answer: str = "Yes.", *wordings: str, special: tuple[str, ...] = ()
) -> Ruling:
    return Ruling(id, title, answer, "Manual, section 1", "stated", wordings=wordings, special=special)


def book(*rulings: Ruling) -> Searcher:
    return Searcher(build(rulings))


BOOK = book(
    ruling("discard", "When is a card discarded?", "At the end of the round it goes to the discard pile."),
    ruling("heal", "Can health rise above the start?", "No. Healing stops at the starting health."),
    ruling("rest", "Can two characters rest in one round?", "No, only one.", "sit out"),
    ruling("madness", "How many Madness cards are there?", "Thirty.", "crazy cards"),
    ruling("tie", "What if two players are tied?", "They share the win."),
    ruling("dream", "Which suit has Dreamlands?", "The one its player names."),
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
    assert LOOK_UP.search("which card do i keep", "tides-of-madness")[0].clear
    near = LOOK_UP.search("who may look at the rain from the kept card", "tides-of-madness")
    assert near
    assert not any(each.clear for each in near)


def test_pairs_of_words_tell_apart_what_the_same_words_ask() -> None:
    rulings = book(
        ruling("mine", "Who wins?", "Both.", "i beat her", "does he lose to me", "i beat him by one"),
        ruling("hers", "Who loses?", "Both.", "her beat i lost", "me to lose", "one by him beat i"),
    )
    assert rulings.search("i beat her by one")[0].ruling.id == "mine"
    assert rulings.search("one by him beat")[0].ruling.id == "hers"


def test_many_wordings_that_are_rather_near_say_more_than_one_that_is_nearer() -> None:
    many = ("hold cards at night", "hold cards when tired", "hold cards in the rain", "hold cards for others")
    rulings = book(
        ruling("one", "First?", "Yes.", "hold cards", "eat at the table"),
        ruling("many", "Second?", "Yes.", *many),
        *(ruling(f"other-{n}", f"Other {n}?", "No.", f"thing {n}") for n in range(20)),
    )
    assert rulings.search("hold cards today")[0].ruling.id == "many"


def test_words_are_read_by_their_stems() -> None:
    assert words("The Prisoner’s re-rolls: TWO dice!") == ["the", "prisoner", "re", "roll", "2", "dic"]
    assert len({stem(word) for word in ("discard", "discards", "discarded", "discarding")}) == 1
    assert len({stem(word) for word in ("score", "scores", "scored", "scoring")}) == 1
    assert stem("madness") == "madness"
    assert words("Cthulhu's 2nd bond") == words("cthulhu’s second bond") == words("cthulhu second bond")


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
    assert all(0 <= score <= 1 for score in (each.score for each in BOOK.search(question)))


def test_an_index_made_ahead_is_the_one_that_is_asked() -> None:
    look_up, between = LookUp(shelf()), []
    look_up.get_ready(lambda: between.append(1))
    assert len(between) == len(look_up.games)  # whoever waits may go on before each
    assert look_up.search("what if both have nine")[0].ruling.id == "both-lost"


# --- what makes a case special, numbers, who it is about ---


CASES = book(
    ruling("rest", "What does resting do?", "You gain 1 health.", "how does resting work", "rest in a fight"),
    ruling(
        "rest-solo",
        "Playing alone, may I rest?",
        "One of your two characters may.",
        "resting in a fight alone",
        "rest when solo",
        special=("alone", "solo", "on my own"),
    ),
    ruling("two", "What do two players get?", "Two cards each.", "2 players how many cards"),
    ruling("three", "What do three players get?", "Three cards each.", "3 players how many cards"),
    ruling("mine", "I am out. Who wins?", "The other wins.", "i am out who wins", "do i lose when i am out"),
    ruling("theirs", "She is out. Who wins?", "You win.", "she is out who wins", "do i win when he is out"),
    *(ruling(f"other-{n}", f"What of thing {n}?", "Nothing.", f"thing {n} please") for n in range(20, 40)),
)


@pytest.mark.parametrize(
    ("question", "id"),
    [
        ("can i rest in a fight", "rest"),
        ("can i rest in a fight when i play alone", "rest-solo"),
        ("how many cards for two players", "two"),
        ("how many cards for three players", "three"),
        ("i am out", "mine"),
        ("my friend is out, she says i win", "theirs"),
    ],
)
def test_the_general_ruling_comes_first_unless_the_question_says_what_is_special(
    question: str, id: str
) -> None:
    assert CASES.search(question)[0].ruling.id == id


def test_of_two_the_one_that_people_ask_for_comes_first() -> None:
    seldom = replace(ruling("odd", "May I rest on the left?"), seldom=True)
    usual = ruling("usual", "May I rest on the right?")
    found = Searcher(build((seldom, usual, *CASES.index.rulings))).search("may i rest on a side")
    assert [each.ruling.id for each in found[:2]] == ["usual", "odd"]


def test_two_that_are_close_are_equals_and_the_same_words_are_not() -> None:
    close = CASES.search("how many cards does a player get")
    assert [each.equal for each in close[:3]] == [True, True, False]
    assert {each.ruling.id for each in close[:2]} == {"two", "three"}
    assert not CASES.search("2 players how many cards")[0].equal


@pytest.mark.parametrize(
    ("game", "question", "id"),
    [
        ("tides-of-madness", "does my opponent going mad let me win?", "opponent-lost-ahead"),
        ("tides-of-madness", "i went mad with more points, do i win", "lost-but-ahead"),
        ("wisdom-of-cthulhu", "do entities give points", "entity-points"),
        ("wisdom-of-cthulhu", "an immediate card, is it discarded", "power-immediate"),
        ("mountains-of-madness", "i have level 2 madness and must draw", "madness-draw"),
        ("mountains-of-madness", "all of us are at level 3 and someone must draw", "level-three"),
    ],
)
def test_perspective_numbers_and_exceptions_decide_at_the_first_word(
    game: str, question: str, id: str
) -> None:
    assert LOOK_UP.search(question, game)[0].ruling.id == id


def test_what_no_rules_answer_is_not_answered_unless_a_ruling_speaks_of_it() -> None:
    def asked(*more: Ruling) -> bool:
        found = Searcher(build((*CASES.index.rulings, *more))).search("best way of resting in a fight")
        return bool(found) and found[0].clear

    assert CASES.search("way of resting in a fight")[0].clear
    assert not asked()
    assert asked(ruling("best", "What is the best way of resting in a fight?", "Often."))


def test_a_thing_of_another_game_is_not_answered_by_what_stands_beside_it() -> None:
    def clear(question: str) -> bool:
        found = LOOK_UP.search(question, "tides-of-madness")
        return bool(found) and found[0].clear

    assert clear("what does dagon score")
    assert not clear("how much health does dagon have")
    assert not clear("how many dice do i roll for dagon")


def test_a_word_that_all_games_know_is_no_slip_of_another() -> None:
    query = Searcher(kept.index_of(shelf()["mountains-of-madness"].rulings)).read("how many minons, minions")
    assert query.understood[-2:] == ["minon", "minion"], "and not what mentions"
    assert query.strange


# --- an index that is kept ---


def test_an_index_that_was_kept_answers_as_the_one_that_was_made() -> None:
    again = Searcher(Index.unpack(CASES.index.pack()))
    for question in ("can i rest in a fight", "she is out", "reesting alone", "who wins"):
        assert [(each.ruling.id, each.score, each.clear) for each in again.search(question)] == [
            (each.ruling.id, each.score, each.clear) for each in CASES.search(question)
        ]


def test_an_index_is_made_once_and_anew_when_its_rulings_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rulings = shelf()["tides-of-madness"].rulings
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "kept")
    read = kept.index_of.__wrapped__
    read(rulings)
    (file,) = (tmp_path / "kept").iterdir()
    monkeypatch.setattr(kept, "build", lambda *_: pytest.fail("it is kept already"))
    assert len(read(rulings).rulings) == len(rulings)
    file.write_bytes(b"whatever")
    monkeypatch.setattr(kept, "build", build)
    assert len(read(rulings).rulings) == len(rulings)
    monkeypatch.setattr(type(rulings), "source", lambda _: b"other")
    read(rulings)
    assert file not in (tmp_path / "kept").iterdir()


def test_all_that_is_kept_is_small_and_read_at_once() -> None:
    games = shelf().values()
    packed = [kept.index_of(game.rulings).pack() for game in games]
    assert sum(map(len, packed)) < 5_000_000
    start = time.process_time()
    for each in packed:
        Index.unpack(each)
    assert time.process_time() - start < 0.05


# --- rooms of which no code is loaded ---


def test_what_is_kept_of_the_rooms_answers_as_they_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = shelf()
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "kept")
    assert kept_rooms() is None
    keep_rooms(games)
    known = kept_rooms()
    assert known is not None
    assert list(known) == [slug for slug, game in games.items() if game.rulings]
    for question in ("can i rest twice", "who goes first", "does my opponent going mad let me win"):
        theirs = [(each.game.slug, each.ruling.id, each.answer) for each in LookUp(known).search(question)]
        assert theirs == [(each.game.slug, each.ruling.id, each.answer) for each in LOOK_UP.search(question)]
    monkeypatch.setattr(kept, "way", lambda: b"another version of us")
    assert kept_rooms() is None


def test_a_question_to_all_rooms_loads_none_of_them_and_parses_nothing() -> None:
    """What makes it take less than half a second with the start."""
    asked = """
import sys
from companion.lookup.kept import main as make
if sys.argv[1:] == ["make"]:
    make()
else:
    from companion.command_line.main import main
    assert main(["rules", "can i rest twice"]) == 0
    heavy = ("companion.games", "companion.tools", "companion.web", "flask", "sqlalchemy", "tomllib")
    sys.exit(", ".join(name for name in sys.modules if name.startswith(heavy)) or 0)
"""
    subprocess.run([sys.executable, "-c", asked, "make"], check=True, timeout=60)
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "rest twice in a row" in done.stdout


# --- the command ---


def run(capsys: pytest.CaptureFixture[str], *told: str) -> tuple[int, str, str]:
    status = main(["rules", *told])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_answers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys, "when does dremlands take its token?", "--game", "tides-of-madness", "--limit", "2", "--json"
    )
    told = json.loads(out)
    answers = told["answers"]
    assert (status, told["clear"]) == (0, True)
    assert 1 <= len(answers) <= 2
    assert set(answers[0]) == {"id", "game", "title", "answer", "status", "source", "score", "equal"}
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
    assert answers[0]["answers"][0]["id"] == "both-lost"
    assert answers[1:] == [{"clear": False, "answers": []}] * 3


def test_without_json_it_is_read_by_people(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "what if both have nine or more?", "--limit", "1")
    assert out.startswith("What if both have nine or more? (Tides of Madness)\n  ")
    assert "The manual says so: Manual, section" in out
    near = Found(BOOK.index.rulings[0], 0.3, False, False, shelf()["tides-of-madness"])
    assert _answers_as_text([near]).startswith("No ruling fits that well. The nearest:\nWhen is a card disc")
    assert run(capsys, "pizza with extra cheese please")[1] == "No ruling answers that.\n"


def test_an_unknown_game_is_one_line_and_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "x", "--game", "chess")
    assert (status, out) == (2, "")
    assert err.startswith("companion: There is no game called chess on the shelf: ")
    assert len(err.splitlines()) == 1
