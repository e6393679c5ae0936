"""A game is one object made of pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from inspect import isgeneratorfunction
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

from companion.core.command import Command, Context, telling
from companion.core.dice import Die
from companion.core.event import Earlier, Event
from companion.core.event import load as load_event
from companion.core.files import read
from companion.core.fixed import cached_property
from companion.core.lessons import Lessons
from companion.core.parsed import read_toml
from companion.core.pieces import Piece
from companion.core.refused import NotThere, Refused
from companion.core.scores import Scores
from companion.core.table import State, Table
from companion.core.text import clean, counted, listed
from companion.core.verdict import Step, Verdict
from companion.core.view import Phase, View


class HasId(Protocol):
    @property
    def id(self) -> str: ...


S = TypeVar("S", bound=State)
D = TypeVar("D")
Entry = TypeVar("Entry", bound=HasId)


@dataclass(frozen=True)
class HouseRule:
    """A point where the table chooses: the readings, which one is the default, and why."""

    id: str
    question: str
    choices: tuple[tuple[str, str], ...]  # (id, how the choice reads)
    default: str
    why: str = ""
    #: What evenings of earlier days were offered, the default of then first; told still, and offered no more.
    earlier: tuple[tuple[str, str], ...] = ()

    def is_usual(self, table: Table) -> bool:
        """Whether this table plays by the default, or by what was that when its evening began."""
        return self.chosen(table) in (self.default, *[id for id, _ in self.earlier[:1]])

    def chosen(self, table: Table) -> str:
        """What this table has chosen, or what holds where nobody did."""
        return table.choices.get(self.id, self.default)

    def reading(self, choice: str) -> str:
        for id, text in (*self.choices, *self.earlier):
            if id == choice:
                return text
        raise Refused(f"“{self.question}” has no such answer.")

    def step(self, table: Table) -> Step:
        """For the working of a verdict that rests on what this table has chosen."""
        return Step(f"Our table: {self.question} {self.reading(self.chosen(table))}.", self.id)


#: How sure a ruling is.
STATUSES = {
    "stated": "The manual says so",
    "follows": "Follows from the manual",
    "silent": "The manual is silent",
    "contradicts": "The manual contradicts itself",
    "elsewhere": "From another source",
}


@dataclass(frozen=True)
class Ruling:
    """One answer to one rules question, short enough to be read aloud."""

    id: str
    title: str  # as a player would ask it
    answer: str
    source: str  # where it stands
    status: str  # one of STATUSES
    topic: str = ""  # the heading it is found under
    more: str = ""
    phases: tuple[str, ...] = ()  # where it comes up; "scoring:bonus" is a step, or what is in play
    about: tuple[str, ...] = ()  # it comes up only while one of these is in play
    wordings: tuple[str, ...] = ()  # other ways in which people ask for it
    words: str = ""  # that others use who ask for it, and that none of these says
    special: tuple[str, ...] = ()  # what makes it a special case: one is said by who asks for it
    related: tuple[str, ...] = ()
    house_rule: str = ""  # where the table chooses
    readings: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # the answer, by what it chose instead
    trap: bool = False  # often played wrong
    seldom: bool = False  # of all the questions that people asked none was for it

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.id}: no ruling is “{self.status}”")

    def answer_at(self, rule: HouseRule | None, choice: str = "") -> str:
        """What it says at a table that made this choice; where nobody has chosen, all readings."""
        if rule is None:
            return self.answer
        if choice:
            return f"Your table plays: {self._by(rule, choice)}"
        others = [self._by(rule, id) for id, _ in rule.choices if id != rule.default]
        return " ".join([self.answer, *(f"Other tables play: {each}" for each in others)])

    def _by(self, rule: HouseRule, choice: str) -> str:
        if choice == rule.default:
            return self.answer
        return self.readings.get(choice) or f"{rule.reading(choice)}. ({rule.question})"


@dataclass(frozen=True)
class Game(Generic[S]):
    title: str
    seats: range
    setup: Callable[[Table], S]
    view: Callable[[S], View]
    adjudicate: Callable[[S], Verdict]
    commands: tuple[Command, ...]
    events: tuple[type[Event], ...]
    earlier: tuple[Earlier, ...] = ()  # how events are read that were once written in another form
    evolve: Callable[[S, Event], S] = lambda state, event: event.fold(state)
    rulings: Sequence[Ruling] = ()
    house_rules: tuple[HouseRule, ...] = ()
    tally: Callable[..., Verdict] | None = None  # judges numbers that nobody tapped; see core/tally.py
    scores: Callable[[S], Scores] | None = None  # what can be counted of it; see core/scores.py
    called: Callable[[S], str] | None = None  # what this table calls it, if it could be any box
    again: Callable[[S], Iterable[Event]] | None = None  # what the next table of the same people begins with
    private: Callable[[S, int], tuple[Piece, ...]] | None = None  # what only the phones of this seat may see
    lessons: Lessons | None = None  # what it teaches while it is played; see core/lessons.py
    #: What else a tap makes happen at every table, whatever the game; given by the tools.
    also: Callable[[S, S, tuple[Event, ...], Context], tuple[Event, ...]] | None = None
    dice: tuple[Die, ...] = ()  # the ones in the box
    timers: tuple[tuple[str, int], ...] = ()  # (what it is called, seconds)
    tagline: str = ""
    symbol: str = "star"
    accent: tuple[str, str] = ("#e2b25c", "#7a4f08")  # on dark, on light
    starts: bool = True  # whether one of the players begins; where all play at once nobody is asked
    any_box: bool = False  # for whatever lies on the table; it stands at the end of the shelf
    slug: str = ""  # given by the shelf: the folder's name

    @cached_property
    def by_name(self) -> dict[str, Command]:
        return _unique(self.commands, "command")

    @cached_property
    def kinds(self) -> dict[str, type[Event]]:
        return _unique(self.events, "event")

    @cached_property
    def _earlier(self) -> dict[tuple[str, int], Earlier]:
        return {(each.event, each.form): each for each in self.earlier}

    def read(self, stored: dict[str, Any]) -> Event:
        """An event as it is stored, in whichever form it once was."""
        return load_event(self.kinds, stored, self._earlier)

    @cached_property
    def _rulings_in(self) -> dict[str, tuple[Ruling, ...]]:
        """What people ask, by phase."""
        phases = {phase.partition(":")[0] for ruling in self.rulings for phase in ruling.phases}
        return {
            phase: tuple(
                each for each in self.rulings if phase in {at.partition(":")[0] for at in each.phases}
            )
            for phase in phases
        }

    def rulings_now(self, view: View, most: int = 5) -> tuple[Ruling, ...]:
        """What people ask here: first what this step is about, and something of what is in play."""
        return self._rulings_at(view.phase.key, view.phase.step, view.in_play)[:most]

    @cached_property
    def _rulings_at(self) -> Callable[[str, str, frozenset[str]], tuple[Ruling, ...]]:
        """Most taps change neither the step nor what is in play, and there are many rulings."""
        return lru_cache(256)(self._look_for)

    def _look_for(self, key: str, step: str, in_play: frozenset[str]) -> tuple[Ruling, ...]:
        steps = Phase("", key=key, step=step).at - {key} | {f"{key}:{each}" for each in in_play}
        named = frozenset(step.split())
        now: list[Ruling] = []
        general: list[Ruling] = []
        lying: list[Ruling] = []
        for each in self._rulings_in.get(key, ()):
            if not each.about or not in_play.isdisjoint(each.about):
                this = not steps.isdisjoint(each.phases) or not named.isdisjoint(each.about)
                (now if this else lying if each.about else general).append(each)
        return (*now, *general[:3], *lying[:2], *general[3:], *lying[2:])

    @cached_property
    def traps(self) -> tuple[Ruling, ...]:
        """What is often played wrong."""
        return tuple(each for each in self.rulings if each.trap)

    @cached_property
    def trapped(self) -> frozenset[str]:
        """The phases in which something is."""
        return frozenset(at.partition(":")[0] for each in self.traps if not each.about for at in each.phases)

    def command(self, name: str) -> Command:
        if name not in self.by_name:
            raise Refused(f"{self.title} has nothing called “{clean(name.replace('_', ' '))[:20]}”.")
        return self.by_name[name]

    def house_rule(self, id: str) -> HouseRule:
        for rule in self.house_rules:
            if rule.id == id:
                return rule
        raise Refused(f"{self.title} has no such house rule.")

    def check_seats(self, number: int) -> None:
        if number not in self.seats:
            raise Refused(f"{self.title} is for {self.players}; this table has {number}.")

    def name(self, state: S) -> str:
        return (self.called(state) if self.called else "") or self.title

    @property
    def players(self) -> str:
        low, high = self.seats[0], self.seats[-1]
        if low == high:
            return counted(low, "player")
        return f"{low} {'or' if high == low + 1 else 'to'} {high} players"


def commands_in(*modules: ModuleType) -> tuple[Command, ...]:
    """All that players can tap, as these modules define it: generators of a state and a context, and events
    that have a `tap`."""
    tapped = tuple(telling(event) for event in events_in(*modules) if event.tap)
    return tapped + tuple(
        each
        for module in modules
        for name, each in vars(module).items()
        if isgeneratorfunction(each)
        and each.__module__ == module.__name__
        and not name.startswith("_")
        and each.__code__.co_varnames[:2] == ("state", "context")
    )


def events_in(*modules: ModuleType) -> tuple[type[Event], ...]:
    """All that can happen, as these modules define it; what several have in common begins with `_`."""
    return tuple(
        each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, type)
        and issubclass(each, Event)
        and each.__module__ == module.__name__
        and not name.startswith("_")
    )


def _unique(named: tuple[Any, ...], what: str) -> dict[str, Any]:
    names = [each.__name__ for each in named]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two of one name, {what}: {listed(twice)}")
    return dict(zip(names, named, strict=True))


class Rulings(Sequence[Ruling]):
    """A room's own, read from its `data/rulings.toml` when one is first wanted: no start waits for them.

    Whoever knows where its `data` lie needs no code of the room.
    """

    def __init__(self, package: str, data: Traversable | None = None) -> None:
        self._package, self._where = package, data

    @property
    def name(self) -> str:
        return self._package.rpartition(".")[2]

    @property
    def _data(self) -> Traversable:
        return self._where or resources.files(self._package).joinpath("data")

    @cached_property
    def _all(self) -> tuple[Ruling, ...]:
        return _entries(read_toml(self._data.joinpath("rulings.toml")), Ruling)

    @cached_property
    def same(self) -> tuple[tuple[str, ...], ...]:
        """Words that mean the same in this game; a room without a list of them has none."""
        try:
            return tuple(map(tuple, read_toml(self._data.joinpath("words.toml"))["same"]))
        except FileNotFoundError:
            return ()

    def source(self) -> bytes:
        """All that is written of them: when it is another, whatever was made of it is old."""
        files = [self._data.joinpath(name) for name in ("rulings.toml", "words.toml")]
        return b"".join(file.read_bytes() for file in files if file.is_file())

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, at: Any) -> Any:
        return self._all[at]


def load_rulings(package: str) -> Rulings:
    return Rulings(package)


def load(package: str, file: str, kind: type[D]) -> tuple[D, ...]:
    """The entries of a room's data file, `[[…]]` by `[[…]]`."""
    return _entries(read(package, file), kind)


def _entries(parsed: dict[str, Any], kind: type[D]) -> tuple[D, ...]:
    (entries,) = parsed.values()
    return tuple([kind(**{key: tupled(value) for key, value in entry.items()}) for entry in entries])


def tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def load_words(package: str) -> dict[str, dict[str, str]]:
    """What a room calls its things: the tables of its `data/said.toml`, by id."""
    return read(package, "said.toml")


def finder(entries: Iterable[Entry], sentence: str) -> Callable[[str], Entry]:
    """Finds one of them by its id. What a forged form names instead is refused with the sentence."""
    known = {each.id: each for each in entries}

    def find(id: str) -> Entry:
        if id not in known:
            raise NotThere(sentence)
        return known[id]

    return find
