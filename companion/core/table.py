"""The table every game is played at: seats, phones, house rules. Rooms find it at `state.table`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeVar

from companion.core.event import Event
from companion.core.fixed import replace
from companion.core.refused import NotThere

COLOURS = (
    "coral",
    "sky",
    "moss",
    "gold",
    "violet",
    "rose",
    "teal",
    "copper",
    "slate",
    "lime",
    "plum",
    "sand",
)
SYMBOLS = ("sun", "moon", "star", "key", "wave", "leaf", "flame", "eye", "anchor", "crown", "bolt", "bell")

T = TypeVar("T")
Names = Mapping[str, Callable[[Any, Any], str] | Mapping[str, str]]
Role = Literal["waiting", "watcher", "display", "player", "gone"]


@dataclass(frozen=True)
class Seat:
    id: int
    name: str
    colour: str
    symbol: str


@dataclass(frozen=True)
class Phone:
    number: int
    label: str
    role: Role
    seats: tuple[int, ...] = ()
    invites: bool = False  # a display that shows the QR code


@dataclass(frozen=True)
class Table:
    seats: tuple[Seat, ...]
    starter: int
    host: int = 1
    choices: Mapping[str, str] = field(default_factory=dict)  # of house rules, by id
    phones: tuple[Phone, ...] = ()
    locked: bool = False
    own_seats_only: bool = False
    seats_fixed: bool = False  # only the host adds any
    last_seat: int = 0
    invitation: int = 0  # how often it was renewed
    tools: Mapping[str, object] = field(default_factory=dict)  # what the tools remember, each under its name

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple([seat.id for seat in self.seats])

    def seat(self, id: int) -> Seat:
        for seat in self.seats:
            if seat.id == id:
                return seat
        raise NotThere("That seat is not at this table any more.")

    def clockwise(self, seat: int) -> tuple[int, ...]:
        """All seats from this one on; from the first, where it has left."""
        ids = self.ids
        at = ids.index(seat) if seat in ids else 0
        return (*ids[at:], *ids[:at])

    def theirs(self, had: Mapping[int, T]) -> dict[int, T]:
        """Of what is kept by seat, what those have who are still here."""
        return {seat: what for seat, what in had.items() if seat in self.ids}

    def phone(self, number: int) -> Phone:
        for phone in self.phones:
            if phone.number == number:
                return phone
        raise NotThere("That phone is not at this table.")

    def holder(self, seat: int) -> Phone | None:
        return next((phone for phone in self.phones if seat in phone.seats), None)

    def who(self, number: int) -> str:
        """A phone goes by the names of the seats it holds. Every line of the log says it, so it is kept."""
        known: dict[int, str] = self.__dict__.setdefault("_who", {})
        if number not in known:
            phone = self.phone(number)
            names = [seat.name for seat in self.seats if seat.id in phone.seats]
            known[number] = " & ".join(names) if names else phone.label
        return known[number]

    def free_look(self) -> tuple[str, str]:
        """A colour and a symbol nobody has yet."""
        colours = [c for c in COLOURS if c not in {seat.colour for seat in self.seats}]
        symbols = [s for s in SYMBOLS if s not in {seat.symbol for seat in self.seats}]
        return (colours or list(COLOURS))[0], (symbols or list(SYMBOLS))[0]

    def without_seats(self, phone: Phone, lost: tuple[int, ...]) -> Self:
        """The phone as it is when these seats are no longer its own; with none left it only watches."""
        left = tuple(seat for seat in phone.seats if seat not in lost)
        if left == phone.seats:
            return self
        return self.with_phone(replace(phone, seats=left, role=phone.role if left else "watcher"))

    def with_phone(self, changed: Phone) -> Self:
        others = tuple(phone for phone in self.phones if phone.number != changed.number)
        return replace(self, phones=tuple(sorted((*others, changed), key=lambda phone: phone.number)))

    def with_seat(self, changed: Seat) -> Self:
        return replace(self, seats=tuple(changed if seat.id == changed.id else seat for seat in self.seats))


@dataclass(frozen=True)
class State:
    """What a room remembers. Rooms extend it with fields of their own."""

    table: Table

    def name(self, seat: int) -> str:
        return self.table.seat(seat).name

    #: What ids are called: for `{to:@place}` the log asks names["place"](state, to), or looks it up there.
    names: ClassVar[Names] = {"seat": name}


class TableEvent(Event):
    """An event that changes the table itself. Rooms see it too, after the table has changed."""

    def change(self, table: Table) -> Table:
        raise NotImplementedError


class SittingOpened(TableEvent):
    seats: tuple[Seat, ...]
    starter: int
    rules: Mapping[str, str]
    by_lot: bool = False

    lasting = True

    def table(self) -> Table:
        return Table(
            seats=self.seats,
            starter=self.starter,
            choices=dict(self.rules),
            last_seat=max(seat.id for seat in self.seats),
        )

    def change(self, table: Table) -> Table:
        return table

    def log_text(self, state: State) -> str:
        starter = state.table.seat(self.starter).name
        return f"opened the table; {starter} starts" + (", by lot" if self.by_lot else "")
