"""What a board is made of: a room says in Python what is there, and everyone's templates draw it.

Each piece is one element that owns its id; a tap draws and sends only those that are different now. So an id
is unique on the page and stays the same as long as the thing does. Small ones inside another (a tap in a
picker, a tick of a checklist) may go without: then they are drawn with what they stand in.

A piece has six states, told by shape and sign before colour: it can be tapped, is on, is off and says why, is
dangerous, is done, or waits for somebody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from functools import cache
from typing import Any, Literal, get_args

from companion.core.fixed import dataclass
from companion.core.table import Seat, Table

Tone = Literal["", "good", "warn", "bad", "done", "waits"]
State = Literal["done", "now", "next", "skipped"]
Look = Literal["tiles", "cards", "chips", "rows", "faces"]


@dataclass(frozen=True)
class Do:
    """A tap: the command and the arguments that are already known."""

    command: str
    args: Mapping[str, str | int] = field(default_factory=dict)

    def also(self, **args: str | int) -> Do:
        """The same command, with what else is known by now."""
        return Do(self.command, {**self.args, **args})


class Piece:
    """Something that a board is made of. A frozen dataclass with an `id`; its macro has its name."""

    id: str


@dataclass(frozen=True)
class Tap(Piece):
    """Something to press: a word for what happens, a line for what it means. Off, it says why in that place.

    It sends `do`, or `opens` a form of the room's or a tray by its id. With neither it is just shown.
    """

    label: str
    do: Do | None = None
    detail: str = ""
    strong: bool = False  # the next thing to do
    confirm: str = ""  # asked first, in words, when the tap is hard to live with
    why_not: str = ""  # off, for this reason
    on: bool | None = None  # chosen or not, where that can be said
    danger: bool = False
    costs: bool = False  # who plays there pays with it: whoever taps it for them is asked first
    mark: str = ""  # a sign of the room's own, see `Game.marks`, or one of the icons
    badge: str = ""  # a figure in its corner
    seat: Seat | None = None  # whose token stands on it
    opens: str = ""
    tone: Tone = ""
    id: str = ""
    short: str = ""  # where the label is too long for the place; the label is still read out
    shows: str = ""  # what lies here, such as a die: a display shows it too, and nothing pops up over it

    @property
    def off(self) -> bool:
        return bool(self.why_not) or not (self.do or self.opens)


@dataclass(frozen=True)
class Bar(Piece):
    """Taps side by side: what can be done now."""

    id: str
    taps: tuple[Tap, ...]
    seat: Seat | None = None  # a row in this player's colour; on their own phones it comes first


@dataclass(frozen=True)
class Picker(Piece):
    """A grid of taps. What another holds shows whose it is."""

    id: str
    taps: tuple[Tap, ...]
    title: str = ""
    look: Look = "tiles"
    columns: int = 0  # as many as fit, unless it says
    mark: str = ""
    text: str = ""


@dataclass(frozen=True)
class Panel(Piece):
    """Pieces that belong together, under a title."""

    id: str
    pieces: tuple[Piece, ...]
    title: str = ""
    text: str = ""
    seat: Seat | None = None  # in this player's colour; on their own phones it comes first
    mark: str = ""
    tone: Tone = ""
    tags: tuple[str, ...] = ()
    #: Who sees it, "turn" those whose turn it is; no place for secrets.
    only: Literal["", "players", "display", "owner", "others", "turn"] = ""


@dataclass(frozen=True)
class Grid(Piece):
    """Pieces side by side where there is room, below each other on a phone."""

    id: str
    pieces: tuple[Piece, ...]
    columns: int = 2
    narrow: int = 1  # columns on a phone


@dataclass(frozen=True)
class Fold(Piece):
    """What is looked at now and then: a line that opens."""

    id: str
    title: str
    pieces: tuple[Piece, ...]
    open: bool = False
    only: Literal["", "players", "display", "pupils"] = ""


@dataclass(frozen=True)
class Tray(Piece):
    """Slides up over the table when a tap `opens` its id, and stays while taps are made in it."""

    id: str
    title: str
    pieces: tuple[Piece, ...]
    seat: Seat | None = None
    text: str = ""
    stays: bool = False  # on the phones of its seat it lies open in its place, without the tap before it


@dataclass(frozen=True)
class Stage:
    label: str
    state: State
    do: Do | None = None  # goes there
    detail: str = ""  # why it is skipped, or whom it waits for
    seat: Seat | None = None
    title: str = ""  # in full, to be read out


@dataclass(frozen=True)
class Steps(Piece):
    """Where we are, what is behind us and what comes."""

    id: str
    label: str
    stages: tuple[Stage, ...]
    upright: bool = False  # one below the other, with room for a sentence each


@dataclass(frozen=True)
class Track(Piece):
    """Cells that can be counted: madness to nine, health of 18. `do` gives it − and +, sent with `by`."""

    id: str
    label: str
    value: int
    most: int
    do: Do | None = None
    warn: int = 0  # from here on the cells are ringed before anyone stands on them
    falls: bool = False  # the less, the worse: `warn` is where it gets low
    note: str = ""
    tone: Tone = ""
    seat: Seat | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """Full or not, and whether to be wary of it; more than forty are told by the number alone."""
        if self.most > 40:
            return ()
        wary = range(1, self.warn + 1) if self.falls else range(self.warn or self.most + 1, self.most + 1)
        cells = {cell: "full" if cell <= self.value else "free" for cell in range(1, self.most + 1)}
        return tuple(f"{how} wary" if cell in wary else how for cell, how in cells.items())


@dataclass(frozen=True)
class Share:
    seat: Seat
    value: int
    do: Do | None = None  # − and + for it, sent with `by`
    id: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Meter(Piece):
    """How far it is to the line, and whose part in it is how large. The line is at the same place in each."""

    id: str
    label: str
    shares: tuple[Share, ...]
    goal: int
    note: str = ""
    tone: Tone = ""

    @property
    def value(self) -> int:
        return sum(share.value for share in self.shares)

    @property
    def bars(self) -> tuple[tuple[int, int, Share], ...]:
        """Where each begins and how wide it is, if the goal is at 100; what is beyond 125 is cut off."""
        at, bars = 0, []
        for share in self.shares:
            width = min(125 - at, max(0, round(100 * share.value / self.goal)) if self.goal else 0)
            bars.append((at, width, share))
            at += width
        return tuple(bars)


@dataclass(frozen=True)
class Race(Piece):
    """Who is how far: a bar for each, the longest from edge to edge."""

    id: str
    shares: tuple[Share, ...]
    label: str

    @property
    def bars(self) -> tuple[tuple[int, Share], ...]:
        """How long each is, of a hundred."""
        most = max([1, *[share.value for share in self.shares]])
        return tuple([(max(0, round(100 * share.value / most)), share) for share in self.shares])


@dataclass(frozen=True)
class Because:
    """One line of a working: what, how much, and why."""

    words: str
    value: str = ""
    why: str = ""
    mark: str = ""
    seat: Seat | None = None
    tags: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True)
class Total(Piece):
    """A number with its working: no total without its sum one tap away."""

    id: str
    label: str
    value: str
    unit: str = ""
    rows: tuple[Because, ...] = ()
    note: str = ""
    tone: Tone = ""
    seat: Seat | None = None
    open: bool = False  # the working is shown at once
    large: bool = False


@dataclass(frozen=True)
class Chips(Piece):
    """Facts in a row: small taps, or words alone."""

    id: str
    chips: tuple[Tap, ...]
    label: str = ""


@dataclass(frozen=True)
class Tick:
    """A line of a checklist that everyone sees."""

    label: str
    do: Do | None
    done: bool = False
    detail: str = ""  # who ticked it, or why it cannot be ticked yet
    seat: Seat | None = None
    tone: Tone = ""
    tags: tuple[str, ...] = ()
    id: str = ""
    number: str = ""  # on the plan of a first game …
    why: str = ""  # … and what it is for: phones that are taught show both


@dataclass(frozen=True)
class Checklist(Piece):
    id: str
    ticks: tuple[Tick, ...]
    title: str = ""


@dataclass(frozen=True)
class Question(Piece):
    """It comes up on the phone of the one who decides; the others read who that is.

    Where nobody holds that seat, every phone is asked.
    """

    seat: int
    title: str
    waiting: str
    options: tuple[Tap, ...]
    id: str = ""
    whose: Seat | None = None
    held: bool = True
    text: str = ""
    pieces: tuple[Piece, ...] = ()  # below the options


@dataclass(frozen=True)
class Note(Piece):
    """Words: a hint, a warning, a reminder."""

    id: str
    text: str
    tone: Tone = ""
    mark: str = ""
    seat: Seat | None = None
    buzz: str = ""  # makes phones buzz, once for each value
    ruling: str = ""  # opens it


@dataclass(frozen=True)
class Counter(Piece):
    """A big number with − and +; its tap is sent with `by`."""

    id: str  # unique on the page, the same in every version
    label: str
    value: int
    do: Do
    detail: str = ""
    whom: str = ""  # whose it is, where it does not stand in a seat
    step: int = 1
    most: int | None = None  # where it ends


@dataclass(frozen=True)
class Sealed(Piece):
    """One seat's part in a choice that is revealed together: who has chosen, and nothing of what."""

    id: str
    seat: Seat
    title: str
    chosen: bool
    waiting: str = ""  # for whom, once it is chosen
    last: Tap | None = None  # what this seat revealed last, until it has chosen again


@dataclass(frozen=True)
class Own(Piece):
    """What is truly this game's own: drawn by the room's `faces/_<face>.html`, which gets `own` and `id`."""

    id: str
    face: str
    own: Any


def asked(
    table: Table, seat: int, title: str, waiting: str, options: tuple[Tap, ...], **more: Any
) -> Question:
    """A question to this seat, that knows whose it is and whether a phone holds it."""
    id, held = more.pop("id", f"question-{seat}"), table.holder(seat) is not None
    return Question(seat, title, waiting, options, id, table.seat(seat), held, **more)


def steps(id: str, label: str, names: Iterable[str], now: int) -> Steps:
    """One after the other: what is before number `now`, counted from 0, is done."""
    how: tuple[State, ...] = ("next", "now", "done")
    return Steps(id, label, tuple(Stage(name, how[(now > n) + (now >= n)]) for n, name in enumerate(names)))


SEEN, PLAIN = (Do, Tap, Stage, Share, Tick, Piece), frozenset({str, int, bool, float, type(None), dict})


def inside(what: Any, found: list[Any] | None = None) -> list[Any]:
    """Everything in it that may be tapped or looked at, itself included, outermost first."""
    found = [] if found is None else found
    if isinstance(what, SEEN):
        found.append(what)
        what = tuple([getattr(what, name) for name in _names(type(what))])  # type: ignore[arg-type]
    for each in [each for each in what if type(each) not in PLAIN] if isinstance(what, tuple) else ():
        inside(each, found)
    return found


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


TONES, LOOKS = get_args(Tone), get_args(Look)
