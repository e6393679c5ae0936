"""What slides up in a sheet: where an item goes, a note, the three kinds of test."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Button, Do, Field, Form
from companion.games.escape_the_dark_castle.box import TRAITS
from companion.games.escape_the_dark_castle.commands.items import locked
from companion.games.escape_the_dark_castle.commands.trial import EVERYONE, OTHERS, YOU
from companion.games.escape_the_dark_castle.events import chapter_name
from companion.games.escape_the_dark_castle.state import PILE, TABLE, Item, State

TRAIT_CHOICES = tuple((each.id, each.name) for each in TRAITS)


def forms(state: State) -> tuple[Form, ...]:
    if not state.begun or state.fallen or state.stage == "escaped":
        return tuple(_note(state, number) for number in range(state.chapter + 1)) if state.begun else ()
    return (
        *(_note(state, number) for number in range(state.chapter + 1)),
        *(form for item in state.items if (form := _item(state, item))),
        *(_tests(state) if state.stage == "chapter" else ()),
    )


def _note(state: State, number: int) -> Form:
    note = state.notes.get(number, "")
    away = Button("Take the note away", Do("clear_note", {"number": number}))
    name = chapter_name(number)
    return Form(
        f"note-{number}",
        f"Note on {name}",
        Do("note_chapter", {"number": number}),
        (Field("note", "What happened, what to remember", note),),
        "Keep it",
        also=(away,) if note else (),
    )


def _item(state: State, item: Item) -> Form | None:
    """The likeliest place is the big button; None if it can go nowhere now."""
    moves = list(_moves(state, item))
    if not moves:
        return None
    label, do = moves[0]
    two = ", two-handed" if item.hands == 2 else ""
    kind = f" ({item.kind}{two})" if item.kind else two
    return Form(
        f"item-{item.id}",
        f"{item.name}{kind}",
        do,
        (),
        label,
        also=tuple(Button(label, do) for label, do in moves[1:]),
    )


def _moves(state: State, item: Item) -> Iterator[tuple[str, Do]]:
    def to(place: str) -> Do:
        return Do("move_item", {"item": item.id, "to": place})

    held = item.place not in (TABLE, PILE)
    resting = state.fight is not None and state.fight.rests == item.place
    if held and not resting:
        yield "Used up or not wanted: discard", to(PILE)
    if item.place != TABLE and not locked(state, item, TABLE):
        yield "Put it on the table", to(TABLE)
    for hero in state.heroes:
        if hero.id != item.place and not locked(state, item, hero.id):
            name = state.who(hero.id)
            yield f"{name[:1].upper()}{name[1:]} {'gets' if held else 'takes'} it", to(hero.id)
    if item.place == TABLE:
        yield "Discard it", to(PILE)


def _tests(state: State) -> Iterator[Form]:
    heroes = tuple((hero.id, f"{_name(state, hero.id)} only") for hero in state.heroes)
    you = ((YOU, "YOU, who turned the card"),)
    all_of_us = ((EVERYONE, "everyone"), (OTHERS, "everyone but YOU"))
    trait = Field("trait", "Which trait", "might", "choice", TRAIT_CHOICES)
    cost = Field("cost", "Health it costs when it fails", "0", "number")
    yield Form(
        "test-once",
        "One attempt",
        Do("begin_test", {"kind": "once"}),
        (
            trait,
            Field("who", "Who rolls, each for themselves", YOU, "choice", (*you, *all_of_us, *heroes)),
            cost,
        ),
        "Begin the test",
    )
    yield Form(
        "test-tries",
        "Several tries",
        Do("begin_test", {"kind": "tries"}),
        (
            trait,
            Field("who", "Who tries", YOU, "choice", (*you, *heroes)),
            Field("needed", "Successes needed", "3", "number"),
            Field("tries", "In how many tries", "5", "number"),
            cost,
        ),
        "Begin the test",
    )
    yield Form(
        "test-together",
        "All together",
        Do("begin_test", {"kind": "together"}),
        (
            trait,
            Field("who", "Who rolls together", EVERYONE, "choice", all_of_us),
            Field("needed", "Successes needed in all", str(len(state.party)), "number"),
            Field("tries", "In how many tries", "3", "number"),
            Field("cost", "Health each, for a try that falls short", "1", "number"),
        ),
        "Begin the test",
    )


def _name(state: State, hero: str) -> str:
    found = state.hero(hero)
    return f"{state.table.seat(found.seat).name} the {found.name}"
