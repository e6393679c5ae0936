"""What a room teaches while it is played: `data/lessons.toml` in its folder.

Pure data. Which of it is due on which phone, and what has been taught, is in `companion/tools/teaching.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from companion.core.files import read
from companion.core.fixed import cached_property
from companion.core.plans import Thing


@dataclass(frozen=True)
class Thirty:
    """The game in thirty seconds, as one reads it out."""

    want: str  # what we are after
    ends: str  # how it ends
    turn: str  # what a turn is
    title: str = ""  # where "in thirty seconds" does not fit

    @property
    def words(self) -> tuple[str, ...]:
        return (self.want, self.ends, self.turn)


@dataclass(frozen=True)
class Lesson:
    """One card, when something comes up for the first time."""

    id: str
    when: tuple[str, ...]  # a phase ("draft"), a step inside one ("scoring:bonus"), or an event by its name
    title: str
    words: str  # for who has to act: what you do now, what you may choose, what happens then
    others: str = ""  # one sentence for those who look on; without it they read nothing
    who: Literal["acts", "all"] = "acts"
    about: tuple[str, ...] = ()  # it comes up only while one of these is in play
    rulings: tuple[str, ...] = ()  # that it rests on; the first is one tap away
    drawing: str = ""  # one of the room's drawings
    round: bool = False  # it says that this was one round

    @property
    def events(self) -> tuple[str, ...]:
        return tuple(each for each in self.when if each[:1].isupper())

    @property
    def steps(self) -> tuple[str, ...]:
        return tuple(each for each in self.when if not each[:1].isupper())


@dataclass(frozen=True)
class SetupLine:
    """What a thing on the checklist is for."""

    item: str  # of the checklist; "cards" also stands for "cards-1-5"
    words: str
    rulings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sketch:
    """A small drawing of a lesson."""

    id: str
    label: str  # what it shows, read out
    things: tuple[Thing, ...] = ()
    high: int = 80  # of a width of 320


@dataclass(frozen=True)
class _Book:
    thirty: Thirty
    lesson: tuple[Lesson, ...] = ()
    setup: tuple[SetupLine, ...] = ()
    thing: tuple[Thing, ...] = ()  # that lie on the table when it is set up
    drawing: tuple[Sketch, ...] = ()
    quiet: tuple[str, ...] = ()  # phases and steps in which no card comes
    high: int = 220  # of the plan, whose width is 320


class Lessons:
    """A room's own, read when a table wants to be taught: no start and no other table waits for them."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def book(self) -> _Book:
        made: _Book = _made(_Book, read(self._package, "lessons.toml"))
        return made

    @cached_property
    def by_id(self) -> dict[str, Lesson]:
        known = {each.id: each for each in self.book.lesson}
        if len(known) < len(self.book.lesson):
            raise ValueError("two lessons of one id")
        return known

    @cached_property
    def by_event(self) -> dict[str, tuple[Lesson, ...]]:
        names = {name for each in self.book.lesson for name in each.events}
        return {name: tuple(each for each in self.book.lesson if name in each.events) for name in names}

    @cached_property
    def by_step(self) -> tuple[Lesson, ...]:
        """In the order of the file: that is the order in which several are read that are due at once."""
        return tuple(each for each in self.book.lesson if each.steps)

    @cached_property
    def sketches(self) -> dict[str, Sketch]:
        return {each.id: each for each in self.book.drawing}

    @cached_property
    def covered(self) -> frozenset[str]:
        """Rulings that a lesson or a line of the set-up rests on."""
        rests = [each.rulings for each in self.book.lesson] + [each.rulings for each in self.book.setup]
        return frozenset(id for rulings in rests for id in rulings)

    def line(self, item: str) -> SetupLine | None:
        """Of a checklist, also where its id goes on with a seat or a number."""
        found = [each for each in self.book.setup if item == each.item or _numbered(item, each.item)]
        return max(found, key=lambda each: len(each.item)) if found else None


def _numbered(item: str, of: str) -> bool:
    return item.startswith(f"{of}-") and item[len(of) :].replace("-", "").isdigit()


def load_lessons(package: str) -> Lessons:
    return Lessons(package)


_INSIDE: Mapping[str, type[Any]] = {
    "thirty": Thirty,
    "lesson": Lesson,
    "setup": SetupLine,
    "thing": Thing,
    "things": Thing,
    "drawing": Sketch,
}


def _made(kind: type[Any], read: Mapping[str, Any]) -> Any:
    """What the file says, as these types; a word that they do not know is an error of the room."""
    return kind(**{name: _value(name, value) for name, value in read.items()})


def _value(name: str, value: Any) -> Any:
    inside = _INSIDE.get(name)
    if isinstance(value, list):
        return tuple(_made(inside, each) if inside and isinstance(each, dict) else each for each in value)
    return _made(inside, value) if inside and isinstance(value, dict) else value


__all__ = ["Lesson", "Lessons", "SetupLine", "Sketch", "Thirty", "load_lessons"]
