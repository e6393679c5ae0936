"""What a seat may see, in pieces that every table page can draw without a template of the room's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.core.table import Seat


@dataclass(frozen=True)
class Do:
    """A tap: the command and the arguments that are already known."""

    command: str
    args: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Button:
    label: str
    do: Do
    strong: bool = False
    confirm: str = ""  # asked first, in words, when the tap is hard to live with


@dataclass(frozen=True)
class Tick:
    """A line of a checklist that everyone sees."""

    label: str
    do: Do
    done: bool = False


@dataclass(frozen=True)
class Option:
    label: str
    do: Do
    detail: str = ""
    mark: str = ""  # the page's own `<symbol id="mark-…">`
    danger: bool = False
    confirm: str = ""


@dataclass(frozen=True)
class Question:
    """It comes up on the phone of the one who decides; the others read who that is."""

    seat: int
    title: str
    waiting: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Counter:
    """A big number with − and +; its tap is sent with `by`."""

    id: str  # unique on the page, the same in every version
    label: str
    value: int
    do: Do
    detail: str = ""


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
    also: tuple[Button, ...] = ()


@dataclass(frozen=True)
class Phase:
    title: str
    text: str = ""
    buttons: tuple[Button, ...] = ()
    key: str = ""  # what the rulings that come up here call it


@dataclass(frozen=True)
class SeatView:
    seat: Seat
    counters: tuple[Counter, ...]
    notes: tuple[str, ...] = ()
    leads: bool = False


@dataclass(frozen=True)
class Cell:
    text: str
    form: Form | None = None  # a cell that can be corrected opens this


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


@dataclass(frozen=True)
class View:
    phase: Phase
    seats: tuple[SeatView, ...]
    sheets: tuple[Sheet, ...] = ()
    forms: tuple[Form, ...] = ()  # what can be arranged at this table, shown under "Table"

    @property
    def every_form(self) -> tuple[Form, ...]:
        cells = (cell for sheet in self.sheets for row in sheet.rows for cell in row.cells)
        return (*self.forms, *(cell.form for cell in cells if cell.form))

    def labels(self, command: str, given: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """What the page calls the arguments of this tap that a player types."""

        def sends(do: Do) -> bool:
            known = all([str(value)] == list(given.get(name, ())) for name, value in do.args.items())
            return do.command == command and known

        for form in self.every_form:
            if sends(form.do):
                return {field.name: field.label for field in form.fields}
        counters = (counter for each in self.seats for counter in each.counters)
        return next(({"by": counter.label} for counter in counters if sends(counter.do)), {})
