"""What slides up in a sheet: where an item goes, a note, the three kinds of test."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Do, Field, Form, Tap
from companion.core.text import capital
from companion.games.escape_the_dark_castle.box import TRAITS, chapter_name
from companion.games.escape_the_dark_castle.items import locked
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Item, State
from companion.games.escape_the_dark_castle.testing import EVERYONE, OTHERS, YOU

TESTS = (("once", "One attempt"), ("tries", "Several tries"), ("together", "All together"))


def forms(state: State) -> Iterator[Form]:
    if state.begun:
        yield from (_note(state, number) for number in range(state.chapter + 1))
    if not playing(state):
        return
    yield from (_item(state, item) for item in state.items if movable(state, item))
    yield ANOTHER_ITEM
    if state.stage == "chapter":
        yield from (_test(state, kind, title) for kind, title in TESTS)


def playing(state: State) -> bool:
    return bool(state.begun) and not state.fallen and state.stage != "escaped"


def _note(state: State, number: int) -> Form:
    note = state.notes.get(number, "")
    away = Tap("Take the note away", Do("clear_note", {"number": number}))
    field = Field("note", "What happened, what to remember", note)
    do, title = Do("note_chapter", {"number": number}), f"Note on {chapter_name(number)}"
    return Form(f"note-{number}", title, do, (field,), "Keep it", (away,) if note else (), listed=False)


# --- items ---

NAME = Field("name", "Name on the card")
WIDTH = Field("hands", "It takes", "1", "choice", (("1", "one hand"), ("2", "two hands")))
ANOTHER_ITEM = Form("another-item", "Another item", Do("draw_item"), (NAME, WIDTH), "Draw it", listed=False)


def movable(state: State, item: Item) -> bool:
    return any(_moves(state, item))


def _item(state: State, item: Item) -> Form:
    """The likeliest place is the big button."""
    (label, do), *others = _moves(state, item)
    two = ", two-handed" if item.hands == 2 else ""
    title = f"{item.name}{f' ({item.kind}{two})' if item.kind else two}"
    return Form(f"item-{item.id}", title, do, (), label, tuple(Tap(*each) for each in others), listed=False)


def _moves(state: State, item: Item) -> Iterator[tuple[str, Do]]:
    def to(place: str) -> Do:
        return Do("move_item", {"item": item.id, "to": place})

    held = item.place not in (TABLE, PILE)
    if held and not locked(state, item, PILE):
        yield "Used up or not wanted: discard", to(PILE)
    if item.place != TABLE and not locked(state, item, TABLE):
        yield "Put it on the table", to(TABLE)
    for hero in state.heroes:
        if hero.id != item.place and not locked(state, item, hero.id):
            yield f"{capital(state.who(hero.id))} {'gets' if held else 'takes'} it", to(hero.id)
    if item.place == TABLE:
        yield "Discard it", to(PILE)


# --- tests ---

TRAIT = Field("trait", "Which trait", "might", "choice", tuple((each.id, each.name) for each in TRAITS))


def _test(state: State, kind: str, title: str) -> Form:
    heroes = tuple((hero.id, f"{state.named(hero.id)} only") for hero in state.heroes)
    you, all_of_us = (YOU, "YOU, who turned the card"), ((EVERYONE, "everyone"), (OTHERS, "everyone but YOU"))
    who = {
        "once": Field("who", "Who rolls, each for themselves", YOU, "choice", (you, *all_of_us, *heroes)),
        "tries": Field("who", "Who tries", YOU, "choice", (you, *heroes)),
        "together": Field("who", "Who rolls together", EVERYONE, "choice", all_of_us),
    }
    together = kind == "together"
    in_all, needed = (" in all", len(state.party)) if together else ("", 3)
    fields = [TRAIT, who[kind]]
    if kind != "once":
        fields.append(Field("needed", f"Successes needed{in_all}", str(needed), "number"))
        fields.append(Field("tries", "In how many tries", "3" if together else "5", "number"))
    each = "Health each, for a try that falls short" if together else "Health it costs when it fails"
    fields.append(Field("cost", each, "1" if together else "0", "number"))
    do = Do("begin_test", {"kind": kind})
    return Form(f"test-{kind}", title, do, tuple(fields), "Begin the test", listed=False)
