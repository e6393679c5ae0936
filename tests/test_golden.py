"""Journals are kept for ever: evenings of earlier days are read, and told exactly as they were then.

They stand in `tests/golden/<room>`, each beside what people were told of it; see `tests/golden/make.py`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from golden.make import GOLDEN, LIST, RESULT, exported, keep, result

from companion.core import Event, Game
from companion.evenings.archive import FORMAT, Book, read
from companion.games import shelf
from companion.tools import seats, shown_ruling, teaching

GAMES = shelf()
JOURNALS = sorted(file for file in GOLDEN.glob("*/*.json") if not file.name.endswith(RESULT))
KEEPING = {file.parent.name for file in JOURNALS} & GAMES.keys()  # a room that is new keeps nothing yet
HOW = (
    "What is new needs a golden: tap an evening with it, all its fields used, export the journal, and"
    f" python tests/golden/make.py evening.json {FORMAT}-name."
    " What was renamed gets its old name back: the journals that people have call it that."
)
each_golden = pytest.mark.parametrize(
    "golden", JOURNALS, ids=lambda file: file.relative_to(GOLDEN).with_suffix("").as_posix()
)


@pytest.fixture(autouse=True)
def _in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The text to paste says the day as the house counts it."""
    with monkeypatch.context() as here:
        here.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@cache
def book(golden: Path) -> Book:
    return read(GAMES, golden.read_text("utf-8"))


@each_golden
def test_an_evening_of_earlier_days_is_told_as_it_was_then(golden: Path) -> None:
    assert result(book(golden)) == golden.with_name(golden.stem + RESULT).read_text("utf-8")


@each_golden
def test_an_evening_that_was_brought_back_goes_out_again_byte_for_byte(golden: Path) -> None:
    """But for fields that events have gained since: those stand there with their defaults. And but for the
    invitation, which no file holds any more."""
    then, now = golden.read_text("utf-8"), exported(book(golden))
    if golden.name.startswith(f"{FORMAT}-"):
        assert _without_what_is_new(now, then) == then
    else:  # it goes out in today's format, and loses nothing by that
        assert exported(read(GAMES, now)) == now


def _without_what_is_new(text: str, then: str) -> str:
    now, was, added = json.loads(text), json.loads(then), False
    for entry, entry_then in zip(now["entries"], was["entries"], strict=True):
        for event, event_then in zip(entry["events"], entry_then["events"], strict=True):
            for new in event.keys() - event_then.keys():
                added = True
                del event[new]
    if not added and "secret" not in was:
        return text
    now = {name: was[name] if name == "secret" else now[name] for name in was}
    return json.dumps({**now, "sha256": was["sha256"]}, ensure_ascii=False, indent=1) + "\n"


# --- what must be kept ---


def _events(slug: str) -> Iterator[Event]:
    for golden in JOURNALS:
        if golden.parent.name == slug:
            for entry in book(golden).journal.entries:
                yield from entry.events


def _impossible(game: Game[Any]) -> set[str]:
    """Events of the tools that no table of this game can ever see."""
    kinds = [*shown_ruling.EVENTS] if not game.rulings else []
    kinds += [] if game.lessons else [*teaching.EVENTS]
    kinds += [seats.SeatAdded, seats.SeatRemoved] if len(game.seats) == 1 else []
    return {kind.__name__ for kind in kinds}


@pytest.mark.parametrize("slug", sorted(KEEPING))
def test_every_event_that_a_room_knows_stands_in_an_evening_that_is_kept(slug: str) -> None:
    kept = {type(event).__name__ for event in _events(slug)}
    missing = GAMES[slug].kinds.keys() - kept - _impossible(GAMES[slug])
    assert not missing, f"No golden of {slug} has {', '.join(sorted(missing))}. {HOW}"


def test_every_field_that_may_be_left_out_is_filled_in_an_evening_that_is_kept() -> None:
    """The tools are the same at every table, so one room is enough for those."""
    kinds = {kind for slug in KEEPING for kind in GAMES[slug].kinds.values()}
    optional = {(kind, field.name): _default(field) for kind in kinds for field in fields(kind)}
    missing = {key for key, default in optional.items() if default is not MISSING}
    for event in (event for slug in KEEPING for event in _events(slug)):
        for field in fields(event):
            key = (type(event), field.name)
            if key in missing and getattr(event, field.name) != optional[key]:
                missing.remove(key)
    names = sorted(f"{kind.__module__}.{kind.__name__}.{name}" for kind, name in missing)
    assert not names, f"Every golden leaves {', '.join(names)} as it is by default. {HOW}"


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def test_every_room_keeps_a_whole_evening() -> None:
    whole = {golden.parent.name for golden in JOURNALS if golden.stem.endswith("whole-evening")}
    missing = KEEPING - whole
    assert not missing, " ".join(
        f"python tests/golden/make.py {slug} {FORMAT}-whole-evening" for slug in missing
    )


def test_what_is_kept_is_never_written_anew() -> None:
    listed = dict(reversed(line.split("  ")) for line in LIST.read_text("utf-8").splitlines())
    there = {
        file.relative_to(GOLDEN).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in GOLDEN.glob("*/*.json")
    }
    assert there == listed, "Bring it back with git; what is new gets a golden of its own beside it."


def test_no_evening_is_kept_over_another() -> None:
    golden, before = JOURNALS[0], LIST.read_bytes()
    with pytest.raises(FileExistsError):
        keep(GAMES, golden.read_text("utf-8"), golden.stem)
    assert LIST.read_bytes() == before
