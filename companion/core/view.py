"""What a seat may see, in pieces that every table page can draw without a template of the room's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from companion.core.fixed import cached_property, dataclass
from companion.core.pieces import (
    Counter,
    Do,
    Piece,
    Share,
    Stage,
    Tap,
    Tick,
    Tone,
    Track,
    inside,
)
from companion.core.table import Seat
from companion.core.verdict import Verdict

Button: TypeAlias = Tap
Option: TypeAlias = Tap


@dataclass(frozen=True)
class Field:
    name: str
    label: str
    value: str = ""
    kind: str = "text"  # text, number, choice
    choices: tuple[tuple[str, str], ...] = ()
    optional: bool = False  # may be left empty: then the command's own default holds


@dataclass(frozen=True)
class Form:
    """Asked in a sheet that slides up: fields, then one tap."""

    id: str
    title: str
    do: Do
    fields: tuple[Field, ...]
    submit: str = "Save"
    also: tuple[Tap, ...] = ()
    listed: bool = True  # offered below the board; others are opened by a tap on it
    text: str = ""
    pieces: tuple[Piece, ...] = ()  # above the fields; a tap in them closes the sheet


class Forms(Sequence[Form]):
    """All that a room has, made when somebody opens one: most taps open none.

    Where none of them is `listed` below the board, a page need not make them to see that.
    """

    def __init__(self, make: Callable[[], Iterable[Form]], listed: bool = True) -> None:
        self._make, self._listed = make, listed

    def __bool__(self) -> bool:
        return self._listed and bool(self._all)

    def __eq__(self, other: object) -> bool:
        """To a page, those that it does not list are all alike: it need not be drawn again for them."""
        return self is other or (isinstance(other, Forms) and not (self._listed or other._listed))

    __hash__ = None  # type: ignore[assignment]  # no more than a list has one

    @cached_property
    def _all(self) -> tuple[Form, ...]:
        return tuple(self._make())

    def __getitem__(self, at: Any) -> Any:
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)


@dataclass(frozen=True)
class Phase:
    """What to do now. When `key` or `step` is another, it comes into view on every phone."""

    title: str
    text: str = ""
    buttons: tuple[Tap, ...] = ()
    key: str = ""  # what the rulings that come up here call it
    pieces: tuple[Piece, ...] = ()  # below the buttons
    first: tuple[Piece, ...] = ()  # above them
    step: str = ""  # inside the phase
    seat: Seat | None = None  # whose turn it is
    final: bool = False  # the game is over, and the title leads to the verdict

    @property
    def at(self) -> frozenset[str]:
        """The phase and what its step is made of, as rulings and lessons call it: scoring, scoring:bonus."""
        parts = {part for each in self.step.split() for part in each.split("-")}
        return frozenset({self.key, *(f"{self.key}:{part}" for part in parts)})


def over(verdict: Verdict, text: str = "Something mistyped? Undo it, or correct it on the sheet.") -> Phase:
    """The game is over: who won is what to say now."""
    return Phase(verdict.summary, text, key="over", step=verdict.outcome, final=True)


@dataclass(frozen=True)
class SeatView:
    seat: Seat
    counters: tuple[Counter, ...] = ()
    notes: tuple[str, ...] = ()
    leads: bool = False
    pieces: tuple[Piece, ...] = ()
    score: str = ""  # a large number that nobody taps
    unit: str = ""


@dataclass(frozen=True)
class Cell:
    text: str
    form: Form | None = None  # a cell that can be corrected opens this
    detail: str = ""
    tone: Tone = ""


@dataclass(frozen=True)
class Row:
    seat: Seat
    cells: tuple[Cell, ...]
    total: str


@dataclass(frozen=True)
class Sheet:
    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    total: str = field(default="Total", kw_only=True)  # empty: the sheet has no such column


@dataclass(frozen=True)
class View:
    phase: Phase
    seats: tuple[SeatView, ...]
    sheets: tuple[Sheet, ...] = ()
    forms: Sequence[Form] = ()  # what can be arranged at this table, shown under "Table"
    board: tuple[Piece, ...] = ()
    in_play: frozenset[str] = frozenset()  # what lies on the table now, as far as rulings ask for it

    @property
    def every_form(self) -> tuple[Form, ...]:
        cells = (cell for sheet in self.sheets for row in sheet.rows for cell in row.cells)
        return (*self.forms, *(cell.form for cell in cells if cell.form))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Outermost: what stands in the phase, on the seats and on the board."""
        seats = (piece for each in self.seats for piece in (*each.counters, *each.pieces))
        return (*self.phase.first, *self.phase.buttons, *self.phase.pieces, *seats, *self.board)

    def taps(self) -> Iterator[tuple[Do, tuple[str, ...]]]:
        """All that a phone can send from here: the command with what it knows, and what is still asked."""
        for each in (
            *inside(self.pieces),
            *inside(tuple((*form.also, *form.pieces) for form in self.every_form)),
        ):
            if isinstance(each, Counter | Track | Share) and each.do:
                yield each.do, ("by",)
            elif isinstance(each, Tap | Tick | Stage) and each.do:
                yield each.do, ()
        for form in self.every_form:
            yield form.do, tuple(field.name for field in form.fields)

    def labels(self, command: str, given: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """What the page calls the arguments of this tap that a player types."""

        def sends(do: Do) -> bool:
            known = all([str(value)] == list(given.get(name, ())) for name, value in do.args.items())
            return do.command == command and known

        for form in self.every_form:
            if sends(form.do):
                return {field.name: field.label for field in form.fields}
        counters = (each for each in inside(self.pieces) if isinstance(each, Counter | Track))
        return next(({"by": each.label} for each in counters if each.do and sends(each.do)), {})
