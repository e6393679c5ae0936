"""What people type, made safe to keep."""

import time
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from companion.core import Count, Refused, SeatId, Text, Whole
from companion.core.text import _SEEN, capital, clean, counted, listed, named, plain, signed, sum_up

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


# --- names ---


@pytest.mark.parametrize(
    ("typed", "kept"),
    {
        "plain": ("Ada", "Ada"),
        "blanks around": ("  Ada  Lovelace\t", "Ada Lovelace"),
        "two lines": ("Ada\r\nBob", "Ada Bob"),
        "markup stays text": ("<b>Ada</b>", "<b>Ada</b>"),
        "a script stays text": ("<script>1</script>", "<script>1</script>"),
        "template braces": ("{{ 7 * 7 }}", "{{ 7 * 7 }}"),
        "quotes": ('Ada\'s "Bob" & Co', 'Ada\'s "Bob" & Co'),
        "a right-to-left override": ("Ada\u202egnp.exe", "Ada gnp.exe"),
        "isolates": ("\u2066Ada\u2069", "Ada"),
        "NUL": ("A\0da", "A da"),
        "a bell and an escape": ("\aAda\x1b", "Ada"),
        "a byte order mark": ("\ufeffAda", "Ada"),
        "half a character": ("Ada\ud83d", "Ada"),
        "a private sign": ("Ada\ue000", "Ada"),
        "an emoji": ("🦊", "🦊"),
        "a family": (FAMILY, FAMILY),
        "a coloured heart": ("Ada ❤\ufe0f", "Ada ❤\ufe0f"),
        "a flag": ("🇳🇱 Ada", "🇳🇱 Ada"),
        "skin tone": ("👋🏽", "👋🏽"),
        "combining marks are joined": ("Zoe\u0308", "Zoë"),
        "Hebrew": ("דב", "דב"),
        "Arabic": ("ليلى", "ليلى"),
        "Persian with its joiner": ("می\u200cروم", "می\u200cروم"),
        "Chinese": ("愛達", "愛達"),
        "one digit": ("7", "7"),
        "24 letters": ("x" * 24, "x" * 24),
        "24 letters with blanks around": (" " * 100 + "x" * 24, "x" * 24),
    }.values(),
)
def test_a_name_is_kept_as_text(typed, kept):
    assert named(typed) == kept


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        " ",
        "\t\n",
        "\0",
        "\u200b",
        "\u200d",
        "\ufe0f",
        OVERRIDES,
        "\u00a0\u3000",
        "\u0301",
        "\u3164",
        "\u2800",
    ],
)
def test_a_name_needs_something_to_see(nothing):
    with pytest.raises(Refused, match=r"A name needs at least one visible character\."):
        named(nothing)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("x" * 25, "A name can have at most 24 characters; “xxxxxxxxxxxx…” has 25."),
        ("x" * 10_000, "A name can have at most 24 characters."),
        (" " * 10_000, "A name can have at most 24 characters."),
        ("🦊" * 25, f"A name can have at most 24 characters; “{'🦊' * 12}…” has 25."),
        (
            "a" + "\u0301" * 60,
            "A name can have at most 24 characters; “\u00e1" + "\u0301" * 11 + "…” has 60.",
        ),
    ],
)
def test_a_name_that_is_too_long_is_refused_with_the_limit(typed, sentence):
    with pytest.raises(Refused) as refused:
        named(typed)
    assert str(refused.value) == sentence


def test_a_note_may_be_longer():
    note = TypeAdapter(Text)
    assert note.validate_python("x" * 200) == "x" * 200
    with pytest.raises(ValidationError, match=r"A note can have at most 200 characters; “.*…” has 201"):
        note.validate_python("x" * 201)


anything = st.text(st.characters(exclude_categories=()), max_size=60)


@given(anything)
@example(OVERRIDES + "\0Ada\u2028Bob")
@example("\u2000e\u0301 \u0301")
def test_cleaning_twice_is_cleaning_once_and_leaves_nothing_hidden(typed):
    text = clean(typed)
    assert clean(text) == text
    assert not set(text) & set(OVERRIDES)
    assert not {unicodedata.category(c) for c in text} & {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    text.encode("utf-8")
    assert text == text.strip()


@given(anything)
def test_a_name_is_kept_or_refused_and_what_is_kept_is_kept_again(typed):
    try:
        name = named(typed)
    except Refused:
        return
    assert named(name) == name
    assert 1 <= len(name) <= 24


# --- numbers and sums ---


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("7", 7),
        ("007", 7),
        ("+7", 7),
        ("-2", -2),
        ("−2", -2),
        ("–2", -2),
        ("3+6", 9),
        ("3 + 6 - 1", 8),
        (" 3 + 6 − 1 ", 8),
        ("-3-4", -7),
        ("0", 0),
        ("5-5", 0),
        ("+".join(["1"] * 20), 20),
        (7, 7),
    ],
)
def test_a_number_or_a_small_sum_is_understood(typed, number):
    assert sum_up(typed) == number


@pytest.mark.parametrize(
    "typed",
    [
        "abc",
        "3+",
        "+",
        "-",
        "--2",
        "3++6",
        "3*6",
        "3/2",
        "1e3",
        "0x10",
        "2.5",
        "2,5",
        "½",
        "²",
        "٣",
        "３",
        "None",
        "__import__('os')",
        "9" * 41,
        "+".join(["1"] * 21),
        "3\0",
    ],
)
def test_what_is_no_whole_number_gets_a_sentence(typed):
    with pytest.raises(Refused, match=r"is not a whole number or a sum like 3\+6\.$"):
        sum_up(typed)


@pytest.mark.parametrize("typed", ["", " ", "\t", "\ud83d", "\u202e"])
def test_nothing_is_not_a_number(typed):
    with pytest.raises(Refused, match=r"A number is missing\."):
        sum_up(typed)


def test_a_slip_as_long_as_a_form_may_be_holds_nobody_up():
    began = time.process_time()
    for _ in range(20):
        clean("x" * 64 * 1024)
    assert time.process_time() - began < 0.2  # it takes a fortieth of that; letter by letter, three times


def test_all_that_can_be_typed_does_not_fill_the_memory():
    clean("".join(map(chr, range(0x20000))))
    assert len(_SEEN) < 20_000


def test_a_long_slip_is_quoted_short():
    with pytest.raises(Refused, match=r"^“x{20}” is not"):
        sum_up("x" * 10_000)


@given(st.lists(st.integers(-99_999, 99_999), min_size=1, max_size=20))
def test_a_sum_is_what_its_parts_add_up_to(parts):
    assert sum_up("".join(f"{part:+d}" for part in parts)) == sum(parts)


@given(anything)
def test_any_keys_at_all_give_a_number_or_a_sentence(typed):
    with suppress(Refused):  # either way is fine; what is not is anything else
        assert isinstance(sum_up(typed), int)


@pytest.mark.parametrize(
    ("kind", "fits", "too_far"),
    [
        (Whole, ["-999999", "999999", "999998+1"], ["1000000", "-1000000", "999999+1", "9" * 40]),
        (Count, ["0", "999999"], ["-1", "3-4", "1000000"]),
        (SeatId, ["1", "9999"], ["0", "-1", "10000"]),
    ],
)
def test_every_number_has_its_bounds(kind, fits, too_far):
    adapter = TypeAdapter(kind)
    for typed in fits:
        adapter.validate_python(typed)
    for typed in too_far:
        with pytest.raises(ValidationError, match=r"greater than or equal|less than or equal"):
            adapter.validate_python(typed)


# --- how numbers and names are written ---


def test_scores_are_written_as_on_a_score_sheet():
    assert [signed(n) for n in (3, -3, 0)] == ["+3", "−3", "±0"]
    assert [plain(n) for n in (3, -3, 0)] == ["3", "−3", "0"]


def test_names_are_listed_as_one_says_them():
    assert listed([]) == ""
    assert listed(["Ada"]) == "Ada"
    assert listed(["Ada", "Bob"]) == "Ada and Bob"
    assert listed(["Ada", "Bob", "Cleo"]) == "Ada, Bob and Cleo"


def test_an_invisible_joiner_does_not_make_a_second_ada():
    assert clean("Ada\u200d") == clean("\u200cAda") == "Ada"
    assert clean("👩\u200d👧") == "👩\u200d👧"


@pytest.mark.parametrize(
    ("number", "none", "words"),
    [(0, "0", "0 chapters"), (0, "no", "no chapters"), (1, "0", "1 chapter"), (2, "no", "2 chapters")],
)
def test_things_are_counted_in_one_way(number, none, words):
    assert counted(number, "chapter", none) == words
    assert counted(number, "try/tries", none) == words.replace("chapters", "tries").replace("chapter", "try")


@pytest.mark.parametrize(("words", "begun"), [("the Abbot", "The Abbot"), ("", ""), ("éva", "Éva")])
def test_a_sentence_begins_with_a_capital_and_the_rest_stays(words, begun):
    assert capital(words) == begun
