"""The phones teach the game while it is played: which lesson is due on which phone, and what has been taught.

A table that knows the game writes none of this into its journal, and nothing of it is reckoned there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion import core
from companion.core import (
    Choice,
    Context,
    Event,
    Game,
    Phone,
    Refused,
    Table,
    TableEvent,
    View,
    host_only,
    phone_only,
    replace,
)
from companion.core.command import Command
from companion.core.entry import TURNS
from companion.core.game import Ruling
from companion.core.lessons import Lesson, Lessons, Sketch
from companion.core.pieces import Question, inside
from companion.core.plans import Plan, sketch
from companion.core.text import YesOrNo, listed
from companion.core.view import Phase

TOOL = "lessons"
THIRTY, LEFT_OUT, SENTENCE, TRAP = "thirty", "left-out", "~", "!"  # what a card is, in what it is known by
MOST_WORDS = 40
TO_READ = 8000  # ms after which a card has been read by who did not tap
LEARNING = ("player", "watcher")  # what a phone is that lessons are for


@dataclass(frozen=True)
class Taught:
    """What a table remembers of its lessons."""

    everyone: bool = False  # a first game …
    chosen: Mapping[int, bool] = field(default_factory=dict)  # … but for phones that have said otherwise
    read: Mapping[int, frozenset[str]] = field(default_factory=dict)  # cards, by phone
    came: Mapping[str, int] = field(
        default_factory=dict
    )  # what happened just now, and to whom (0: to nobody)
    last: Mapping[int, str] = field(default_factory=dict)  # by phone, the moment of the last card it put away
    since: int = 0  # when this moment began

    def wanted(self, phone: Phone) -> bool:
        return phone.role in LEARNING and self.chosen.get(phone.number, self.everyone)

    def has(self, phone: int, card: str) -> bool:
        return card in self.read.get(phone, ())

    def with_read(self, read: Mapping[int, str]) -> Taught:
        now = {phone: self.read.get(phone, frozenset()) | {card} for phone, card in read.items()}
        return replace(self, read={**self.read, **now})

    @property
    def met(self) -> frozenset[str]:
        """Lessons that somebody here has seen."""
        return frozenset(card.removesuffix(SENTENCE) for cards in self.read.values() for card in cards)


NOTHING = Taught()


def taught(table: Table) -> Taught:
    found = table.tools.get(TOOL)
    return found if isinstance(found, Taught) else NOTHING


def teaches(table: Table) -> bool:
    """Whether any phone here wants lessons; most tables answer by one look."""
    known = table.tools.get(TOOL)
    return isinstance(known, Taught) and any(map(known.wanted, table.phones))


def learning(table: Table) -> tuple[int, ...]:
    """The phones that want lessons."""
    known = taught(table)
    return tuple([each.number for each in table.phones if known.wanted(each)])


def _with(table: Table, known: Taught) -> Table:
    return replace(table, tools={**table.tools, TOOL: known})


# --- what happens ---


class LessonsSwitched(TableEvent):
    """By the table (phone 0) when it opens or later, or by one phone for itself."""

    on: bool
    phone: int = 0
    lasting = True

    def change(self, table: Table) -> Table:
        known = taught(table)
        if not self.phone:
            return _with(table, replace(known, everyone=self.on, chosen={}))
        return _with(table, replace(known, chosen={**known.chosen, self.phone: self.on}))

    def log_text(self, state: core.State) -> str:
        who = "this phone is" if self.phone else "the phones are"
        return ("a first game: " if self.on and not self.phone else "") + (
            f"{who} to teach it" if self.on else f"{who} to teach no more"
        )


class LessonRead(TableEvent):
    """Put away by who read it. Not worth a word in the log, and nothing to take back."""

    phone: int
    lesson: str
    moment: str = ""  # what the phase was called
    lasting = True

    def change(self, table: Table) -> Table:
        known = taught(table).with_read({self.phone: self.lesson})
        return _with(table, replace(known, last={**known.last, self.phone: self.moment}))


class LessonsMoved(TableEvent):
    """With a tap that went on: cards whose moment is over, and what there is to learn from what happened."""

    read: Mapping[int, str]  # card, by phone
    came: Mapping[str, int]  # lesson, and whom it is about
    at: int  # when this moment began

    def change(self, table: Table) -> Table:
        known = taught(table).with_read(self.read)
        return _with(table, replace(known, came=dict(self.came), since=self.at))


# --- what is due ---


@dataclass(frozen=True)
class Card:
    """What one phone shows now: a lesson for who acts, a sentence for who looks on."""

    phone: int
    id: str  # what it is known by once it is read
    title: str
    words: tuple[str, ...]
    ruling: str = ""
    drawing: Plan | None = None
    trap: bool = False

    @property
    def brief(self) -> bool:
        """One sentence, without a title."""
        return self.id.endswith(SENTENCE)

    @property
    def large(self) -> bool:
        """To be read out to all."""
        return self.id == THIRTY


def cards(game: Game[Any], table: Table, view: View) -> tuple[Card, ...]:
    """One at most for each phone that wants to be taught."""
    lessons = game.lessons
    if lessons is None or not teaches(table) or not view.phase.at.isdisjoint(lessons.book.quiet):
        return ()
    known = taught(table)
    found = [_first(game, lessons, table, view, each) for each in table.phones if known.wanted(each)]
    return tuple(each for each in found if each)


def _first(game: Game[Any], lessons: Lessons, table: Table, view: View, phone: Phone) -> Card | None:
    known = taught(table)
    return next(
        (card for card in _due(game, lessons, table, view, phone) if not known.has(phone.number, card.id)),
        None,
    )


def _due(game: Game[Any], lessons: Lessons, table: Table, view: View, phone: Phone) -> Iterator[Card]:
    """The most urgent first."""
    known, number = taught(table), phone.number
    yield Card(number, THIRTY, *in_thirty_seconds(game))
    acting = _acting(table, view.phase)
    for id, seat in known.came.items():
        if id in lessons.by_id:  # an evening of earlier days may have had others
            whose = (seat,) if table.holder(seat) else acting
            yield from _of(lessons, known, lessons.by_id[id], phone, whose)
    for lesson in lessons.by_step:
        if not view.phase.at.isdisjoint(lesson.steps) and _in_play(lesson, view):
            yield from _of(lessons, known, lesson, phone, acting)
    if view.phase.final:
        yield from _left_out(lessons, known, number)
    elif known.last.get(number) != view.phase.title and _acts(phone, acting):
        yield from (_trap(game, table, each, number) for each in traps(game, view))


def in_thirty_seconds(game: Game[Any]) -> tuple[str, tuple[str, ...]]:
    """What that is called, and what is read out."""
    if game.lessons is None:
        raise Refused("This game teaches nothing by itself.")
    thirty = game.lessons.book.thirty
    return thirty.title or f"{game.title} in thirty seconds", thirty.words


def _of(
    lessons: Lessons, known: Taught, lesson: Lesson, phone: Phone, acting: tuple[int, ...]
) -> Iterator[Card]:
    ruling = lesson.rulings[0] if lesson.rulings else ""
    if lesson.who == "all" or _acts(phone, acting):
        shown = _sketch(lessons.sketches.get(lesson.drawing), f"drawn-{phone.number}")
        yield Card(phone.number, lesson.id, lesson.title, (lesson.words,), ruling, shown)
    elif lesson.others and not known.has(phone.number, lesson.id):  # who has acted needs no sentence
        yield Card(phone.number, lesson.id + SENTENCE, lesson.title, (lesson.others,), ruling)


def _acting(table: Table, phase: Phase) -> tuple[int, ...]:
    """The seats that have something to do now; nobody's in particular: all. A seat without a phone is
    everyone's to tap for."""
    questioned = tuple(
        each.seat for each in inside((phase.first, phase.pieces)) if isinstance(each, Question)
    )
    seats = questioned or ((phase.seat.id,) if phase.seat else ())
    return seats if all(table.holder(seat) for seat in seats) else ()


def _acts(phone: Phone, acting: tuple[int, ...]) -> bool:
    if phone.role != "player":
        return False
    return not acting or not set(acting).isdisjoint(phone.seats)


def _in_play(lesson: Lesson | Ruling, view: View) -> bool:
    return not lesson.about or not view.in_play.isdisjoint(lesson.about)


def traps(game: Game[Any], view: View) -> Iterator[Ruling]:
    """What is often played wrong here, and no lesson speaks of; what this step is about first."""
    assert game.lessons
    here = [
        each
        for each in game.traps
        if each.id not in game.lessons.covered
        and not view.phase.at.isdisjoint(each.phases)
        and _in_play(each, view)
    ]
    key = view.phase.key
    yield from sorted(here, key=lambda each: key in each.phases and not each.about)


def _trap(game: Game[Any], table: Table, ruling: Ruling, phone: int) -> Card:
    rule = next((each for each in game.house_rules if each.id == ruling.house_rule), None)
    answer = ruling.answer_at(rule, rule.chosen(table) if rule else "")
    return Card(phone, TRAP + ruling.id, ruling.title, (shortened(answer),), ruling.id, trap=True)


def shortened(answer: str) -> str:
    """As many of its sentences as a card holds."""
    text = ""
    for sentence in answer.replace(". ", ".\n").split("\n"):
        if text and len(f"{text} {sentence}".split()) > MOST_WORDS:
            break
        text = f"{text} {sentence}".strip()
    return text


def _left_out(lessons: Lessons, known: Taught, phone: int) -> Iterator[Card]:
    rest = [each.title for each in left_out(lessons, known)]
    if rest:
        words = f"Not met so far: {listed([f'“{title}”' for title in rest[:4]])}"
        words += f", and {len(rest) - 4} more. " if len(rest) > 4 else ". "
        yield Card(
            phone,
            LEFT_OUT,
            "What we left out",
            (f"{words}It comes when it happens; Tools, Lessons has it all.",),
        )


def left_out(lessons: Lessons, known: Taught) -> tuple[Lesson, ...]:
    """What has not come up at this table."""
    return tuple(each for each in lessons.book.lesson if each.id not in known.met)


def lessons_of(game: Game[Any]) -> tuple[tuple[Lesson, Plan | None], ...]:
    """Every lesson with its drawing, to be read at any time."""
    if game.lessons is None:
        raise Refused("This game teaches nothing by itself.")
    drawn = game.lessons.sketches
    return tuple(
        (each, _sketch(drawn.get(each.drawing), f"again-{each.id}")) for each in game.lessons.book.lesson
    )


def _sketch(drawn: Sketch | None, id: str) -> Plan | None:
    return sketch(id, drawn.things, drawn.label, drawn.high) if drawn else None


# --- what a tap makes of it ---


def moving_on(
    game: Game[Any], before: Any, after: Any, events: tuple[Event, ...], context: Context
) -> tuple[Event, ...]:
    """What a tap adds at a table that is taught: lessons that it was the end of, and those that it brings."""
    table: Table = after.table
    if not teaches(table) or any(isinstance(each, TURNS) for each in events) or all(e.owned for e in events):
        return ()
    was, now = game.view(before), game.view(after)
    known, came = taught(table), _came(game, table, events, now)
    goes_on = _moment(was.phase) != _moment(now.phase)
    acted, acting = _acting(before.table, was.phase), _acting(table, now.phase)
    everyones = goes_on and context.now - known.since >= TO_READ
    shown = cards(game, before.table, was) if goes_on or acted != acting else ()
    theirs = {context.phone, *(holder.number for seat in acted if (holder := table.holder(seat)))}
    read = {each.phone: each.id for each in shown if everyones or each.phone in theirs}
    if goes_on:
        return (LessonsMoved(read, came, context.now),)
    came = {**known.came, **came}
    return (LessonsMoved(read, came, known.since),) if read or came != known.came else ()


def _moment(phase: Phase) -> tuple[object, ...]:
    return phase.key, phase.step, phase.title, phase.seat


def _came(game: Game[Any], table: Table, events: tuple[Event, ...], now: View) -> dict[str, int]:
    assert game.lessons
    known, found = taught(table), {}
    pupils = learning(table)
    for event in events:
        for lesson in game.lessons.by_event.get(type(event).__name__, ()):
            if _in_play(lesson, now) and not all(known.has(phone, lesson.id) for phone in pupils):
                found[lesson.id] = getattr(event, "seat", None) or 0
    return found


# --- what can be tapped ---


def commands(game: Game[Any]) -> tuple[Command, ...]:
    """They know the room's own lessons."""

    @phone_only
    def read_lesson(state: core.State, context: Context, lesson: Choice) -> Iterator[Event]:
        """Also of one whose moment is over by now: whoever puts a card away need not hear about that."""
        assert game.lessons
        known = {THIRTY, LEFT_OUT, *game.lessons.by_id, *(TRAP + each.id for each in game.traps)}
        if lesson.removesuffix(SENTENCE) not in known:
            raise Refused("There is no such lesson in this game.")
        yield LessonRead(context.phone, lesson, game.view(state).phase.title)

    return (read_lesson,)


@phone_only
def teach_me(state: core.State, context: Context, on: YesOrNo) -> Iterator[Event]:
    if taught(state.table).wanted(state.table.phone(context.phone)) == (on == "yes"):
        raise Refused("It is so already.")
    yield LessonsSwitched(on == "yes", context.phone)


@host_only
def teach_everyone(state: core.State, context: Context, on: YesOrNo) -> Iterator[Event]:
    known = taught(state.table)
    if known.everyone == (on == "yes") and not known.chosen:
        raise Refused("It is so already.")
    yield LessonsSwitched(on == "yes")


COMMANDS = (teach_me, teach_everyone)
EVENTS = (LessonsSwitched, LessonRead, LessonsMoved)
