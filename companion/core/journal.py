"""A sitting's events, only ever appended, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from companion.core.event import Event, Refused
from companion.core.game import Game
from companion.core.table import SittingOpened, State, TableEvent


@dataclass(frozen=True)
class TakenBack(Event):
    """Nothing is erased: a later entry says that an earlier one no longer counts."""

    entry: int


@dataclass(frozen=True)
class PutBack(Event):
    entry: int


@dataclass(frozen=True)
class Entry:
    """One tap and the whole chain of events that it caused."""

    version: int
    tap: str
    digest: str  # of what was asked: the same tap id with other content is not the same tap
    phone: int
    command: str
    at: int
    events: tuple[Event, ...]

    @property
    def lasting(self) -> bool:
        return any(event.lasting for event in self.events)

    @property
    def reverts(self) -> int | None:
        """The entry that this one takes back or puts back."""
        return next((e.entry for e in self.events if isinstance(e, TakenBack | PutBack)), None)


@dataclass(frozen=True)
class Line:
    """An entry as the log tells it."""

    version: int
    at: int
    phone: int
    by: str
    seat: int | None
    whom: str
    text: str
    gone: bool = False
    #: tapping the line takes this entry back, or puts it back if it is gone; None: it cannot be
    about: int | None = None
    tap: str = ""  # so that the phone that waits for its answer sees that it is drawn already


class Journal:
    """Entries in order, and the state and the log that follow from those that still count."""

    def __init__(self, game: Game[Any], entries: Iterable[Entry] = ()) -> None:
        self.game = game
        self.entries: list[Entry] = []
        self.taps: dict[str, Entry] = {}
        self.lines: list[Line] = []
        self.gone: frozenset[int] = frozenset()
        self.state: Any = None
        for entry in entries:
            self._note(entry)
        self.gone = _gone(self.entries)
        self._refold()

    @property
    def version(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        """Append an entry that has been stored."""
        if entry.version != self.version + 1:
            raise ValueError(f"entry {entry.version} cannot follow {self.version}")
        self._note(entry)
        if entry.reverts is None:
            self._tell(entry)
        else:
            self.gone = _gone(self.entries)
            self._refold()

    def _note(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.taps[entry.tap] = entry

    def check(self, events: tuple[Event, ...]) -> None:
        """Refuses what could not be folded, before anything is stored."""
        for event in events:
            if isinstance(event, TakenBack | PutBack):
                self._check_revert(event)
        fold(self.game, self.state, events)
        if not events:
            raise Refused("That would change nothing.")

    def _check_revert(self, event: TakenBack | PutBack) -> None:
        if not 1 <= event.entry <= self.version:
            raise Refused("There is no such line in the log.")
        entry = self.entries[event.entry - 1]
        if entry.lasting or entry.reverts is not None:
            raise Refused("That line cannot be taken back.")
        if isinstance(event, TakenBack) == (event.entry in self.gone):
            raise Refused(
                "That is already taken back." if event.entry in self.gone else "That already counts."
            )
        blocks, why = self._blocked_by(self.gone ^ {event.entry})
        if blocks:
            raise Refused(self._why_not(event, blocks, why))

    def _blocked_by(self, gone: frozenset[int]) -> tuple[list[Entry], str]:
        """The entries that could not stand without these, oldest first, and why the first cannot."""
        state: Any = None
        blocks, first = [], ""
        for each in self.entries:
            if each.version in gone:
                continue
            try:
                state = fold(self.game, state, each.events)
            except Refused as why:
                blocks.append(each)
                first = first or str(why)
        return blocks, first

    def _why_not(self, event: TakenBack | PutBack, blocks: list[Entry], why: str) -> str:
        no = f"That cannot be {'taken back' if isinstance(event, TakenBack) else 'put back'}"
        newest = self.lines[blocks[-1].version - 1]
        if newest.version == event.entry:
            return f"{no} as things are now. {why}"
        words = f"{f'{newest.whom}: ' if newest.whom else ''}{newest.text}"
        quoted = f"“{words if len(words) <= 80 else words[:79].rstrip() + '…'}”"
        if len(blocks) == 1:
            return f"{no}, because {newest.by}’s tap {quoted} rests on it: take that back first. ({why})"
        return (
            f"{no}, because {len(blocks)} later taps rest on it:"
            f" take those back first, beginning with {newest.by}’s {quoted}. ({why})"
        )

    def _refold(self) -> None:
        self.state, self.lines = None, []
        for entry in self.entries:
            self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        """Fold the entry in, and say in the log what it did."""
        gone = entry.version in self.gone
        before = self.state
        try:
            after, words = self._words(before, entry)
        except Refused:  # only an entry that no longer counts may fail to fit
            if not gone:
                raise
            before = self._as_it_was(entry)
            after, words = self._words(before, entry)
        if not gone:
            self.state = after
        seat, whom = _about(entry, before or after, after)
        self.lines.append(
            Line(
                version=entry.version,
                at=entry.at,
                phone=entry.phone,
                by=after.table.who(entry.phone),
                seat=seat,
                whom=whom,
                text=self._reverted(entry) or words,
                gone=gone,
                about=_target(entry),
                tap=entry.tap,
            )
        )

    def _words(self, state: Any, entry: Entry) -> tuple[Any, str]:
        """The state after the entry, and how its events are told."""
        words = []
        for event in entry.events:
            state = fold(self.game, state, (event,))
            words.append(event.told(state))
        return state, "; ".join(filter(None, words))

    def _as_it_was(self, entry: Entry) -> Any:
        """The state the entry was tapped in: what it rested on may be taken back since, its words may not."""
        earlier = self.entries[: entry.version - 1]
        gone, state = _gone(earlier), None
        for each in earlier:
            if each.version not in gone:
                state = fold(self.game, state, each.events)
        return state

    def _reverted(self, entry: Entry) -> str:
        for event in entry.events:
            if isinstance(event, TakenBack | PutBack):
                line = self.lines[event.entry - 1]
                verb = "took back" if isinstance(event, TakenBack) else "put back"
                return f"{verb} “{f'{line.whom}: ' if line.whom else ''}{line.text}”"
        return ""

    def last(self, phone: int | None = None) -> Line | None:
        """The newest line that can be taken back: the table's, or one phone's own."""
        for line in reversed(self.lines):
            mine = phone is None or line.phone == phone
            if mine and not line.gone and line.about == line.version:
                return line
        return None


def fold(game: Game[Any], state: Any, events: Iterable[Event]) -> Any:
    """What the events make of the state. A room may refuse a fact that cannot stand."""
    for event in events:
        if isinstance(event, TakenBack | PutBack):
            continue
        if isinstance(event, SittingOpened):
            state = game.setup(event.table())
        elif isinstance(event, TableEvent):
            state = replace(state, table=event.change(state.table))
            game.check_seats(len(state.table.seats))
        state = game.evolve(state, event)
    return state


def _gone(entries: list[Entry]) -> frozenset[int]:
    gone: set[int] = set()
    for entry in entries:
        for event in entry.events:
            if isinstance(event, TakenBack):
                gone.add(event.entry)
            elif isinstance(event, PutBack):
                gone.discard(event.entry)
    return frozenset(gone)


def _target(entry: Entry) -> int | None:
    if entry.reverts is not None:
        return entry.reverts
    return None if entry.lasting else entry.version


def _about(entry: Entry, before: State, after: State) -> tuple[int | None, str]:
    """Whom the tap was for: the one seat that its events speak of."""
    seats = {getattr(event, "seat", None) for event in entry.events} - {None}
    if len(seats) != 1:
        return None, ""
    (seat,) = seats
    for state in (after, before):
        for each in state.table.seats:
            if each.id == seat:
                return seat, each.name
    return seat, ""
