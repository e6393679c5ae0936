"""A sitting's events, only ever appended, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from companion.core.event import Event, Refused
from companion.core.game import Game
from companion.core.table import SittingOpened, State, TableEvent


class TakenBack(Event):
    """Nothing is erased: a later entry says that an earlier one no longer counts."""

    entry: int


class PutBack(Event):
    entry: int


TURNS = (TakenBack, PutBack)  # asked of every event, and `A | B` would be put together anew each time


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
        for event in self.events:
            if isinstance(event, TURNS):
                return event.entry
        return None


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


CHECKPOINT = 32  # entries between states that are kept: taking back folds no more than these and what follows
FAR = 4 * CHECKPOINT  # entries that follow one that is taken back, from which on that is done with pauses


class Journal:
    """Entries in order, and the state and the log that follow from those that still count."""

    def __init__(
        self, game: Game[Any], entries: Iterable[Entry] = (), pause: Callable[[], None] = lambda: None
    ) -> None:
        """A long journal takes its time: `pause` is called now and then, and whoever waits may go on."""
        self.game, self._pause = game, pause
        self.entries: list[Entry] = []
        self.version = 0  # how many they are
        self.taps: dict[str, Entry] = {}
        self.lines: list[Line] = []
        self.gone: frozenset[int] = frozenset()
        self.state: Any = None
        self.retold = 0  # how often lines were told anew, because something before them was turned
        self._foreseen: tuple[Any, tuple[Event, ...], Any, list[str]] = (None, (), None, [])
        self._states: list[Any] = [None]  # before entries 1, 1 + CHECKPOINT, 1 + 2 * CHECKPOINT …
        self._first: dict[int, Line] = {}  # as it was told when it was tapped, if that has changed
        self._last: dict[int | None, Line] = {}  # by phone; under None the table's
        for entry in entries:
            self._note(entry)
            self._now_and_then(entry.version)
        self.gone = _gone(self.entries)
        for entry in self.entries:
            self._tell(entry)
            self._remember(self.lines[-1])
            self._now_and_then(entry.version)
        self._read = self.version

    def _now_and_then(self, version: int) -> None:
        if not version % CHECKPOINT:
            self._pause()

    def add(self, entry: Entry) -> None:
        """Append an entry that has been stored."""
        turned = entry.reverts
        if turned is None:
            self._note(entry)
            self._tell(entry)
            self._remember(self.lines[-1])
        elif self.version - turned < FAR:
            self.turn(entry, turned)
        else:
            self._turn_far(entry, turned)

    def turn(self, entry: Entry, turned: int, far: bool = False) -> None:
        self._note(entry)
        self.gone = _gone([entry], self.gone)
        self._refold(turned, far)
        self._find_last(turned)

    def _turn_far(self, entry: Entry, turned: int) -> None:
        """With pauses, in which others look at us: so on a copy, and all at once when that is done."""
        ahead = copy(self)
        for name in ("entries", "taps", "_states", "_first", "_last"):
            setattr(ahead, name, copy(getattr(self, name)))
        ahead.turn(entry, turned, far=True)
        if self.version < entry.version:  # or somebody else brought it meanwhile
            vars(self).update(vars(ahead))

    def _note(self, entry: Entry) -> None:
        if entry.version != self.version + 1:
            raise ValueError(f"entry {entry.version} cannot follow {self.version}")
        self.entries.append(entry)
        self.version = len(self.entries)
        self.taps[entry.tap] = entry

    def check(self, events: tuple[Event, ...]) -> None:
        """Refuses what could not be folded, before anything is stored."""
        for event in events:
            if isinstance(event, TURNS):
                self._check_revert(event)
        self._foreseen = (self.state, events, *self._fold_and_say(self.state, events))
        if not events:
            raise Refused("That would change nothing.")

    def _fold_and_say(self, state: Any, events: tuple[Event, ...]) -> tuple[Any, list[str]]:
        """The state after them, and how each is told. Either may refuse; then nothing of it has happened."""
        words = []
        for event in events:
            state = fold(self.game, state, (event,))
            words.append(event.log_text(state))
        return state, words

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
        blocks, why = self._blocked_by(event.entry)
        if blocks:
            raise Refused(self._why_not(event, blocks, why))

    def _blocked_by(self, turned: int) -> tuple[list[Entry], str]:
        """The entries that could not stand if this one turned, oldest first, and why the first cannot."""
        gone = self.gone ^ {turned}
        state, since = self._before(turned)
        blocks, first = [], ""
        for each in since:
            self._now_and_then(each.version)
            if each.version in gone:
                continue
            try:
                state = fold(self.game, state, each.events)
            except Refused as why:
                blocks.append(each)
                first = first or str(why)
        return blocks, first

    def _before(self, version: int) -> tuple[Any, list[Entry]]:
        """The last state that was kept before this entry, and the entries from there on."""
        at = (version - 1) // CHECKPOINT
        return self._states[at], self.entries[at * CHECKPOINT :]

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

    def _refold(self, turned: int, far: bool) -> None:
        """What follows from an entry that was taken back or put back; whatever was before it stays."""
        self.retold += 1
        self.state, since = self._before(turned)
        at = self.version - len(since)
        del self._states[at // CHECKPOINT + 1 :]
        told, self.lines = self.lines, self.lines[:at]
        for entry in since:
            self._tell(entry)
            if far:
                self._now_and_then(entry.version)
        for line in told[at:]:
            if far:
                self._now_and_then(line.version)
            now = self.lines[line.version - 1]
            if now == line:
                self.lines[line.version - 1] = line  # the same one, so that nobody has to draw it again
            else:
                self._keep_first(line)

    def _keep_first(self, line: Line) -> None:
        if line.version > self._read:  # what was read back may be told otherwise than when it was tapped
            self._first.setdefault(line.version, line)

    def _tell(self, entry: Entry) -> None:
        """Fold the entry in, and say in the log what it did."""
        gone = entry.version in self.gone
        before = self.state
        try:
            after, line = self._line(before, entry)
        except Refused:  # only an entry that no longer counts may fail to fit
            if not gone:
                raise
            line = self._first.get(entry.version) or self._line(self._as_it_was(entry), entry)[1]
        else:
            self.state = before if gone else after
        self.lines.append(replace(line, gone=True) if gone else line)
        if not entry.version % CHECKPOINT:
            self._states.append(self.state)

    def _line(self, before: Any, entry: Entry) -> tuple[Any, Line]:
        """The state after the entry, and how its events are told."""
        checked, events, after, words = self._foreseen
        if checked is not before or events is not entry.events:  # or it was a moment ago, to see if it stands
            after, words = self._fold_and_say(before, entry.events)
        seat, whom = _about(entry, before or after, after)
        return after, Line(
            version=entry.version,
            at=entry.at,
            phone=entry.phone,
            by=after.table.who(entry.phone),
            seat=seat,
            whom=whom,
            text=self._reverted(entry) or "; ".join(filter(None, words)),
            about=_target(entry),
            tap=entry.tap,
        )

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
            if isinstance(event, TURNS):
                line = self.lines[event.entry - 1]
                verb = "took back" if isinstance(event, TakenBack) else "put back"
                return f"{verb} “{f'{line.whom}: ' if line.whom else ''}{line.text}”"
        return ""

    def last(self, phone: int | None = None) -> Line | None:
        """The newest line that can be taken back: the table's, or one phone's own."""
        return self._last.get(phone)

    def _remember(self, line: Line) -> None:
        if not line.gone and line.about == line.version:
            self._last[line.phone] = self._last[None] = line

    def _find_last(self, since: int) -> None:
        """After something was turned: whoever's last line was told anew gets the newest that stands."""
        lost = {phone for phone, line in self._last.items() if line.version >= since}
        for phone in lost:
            del self._last[phone]
        found: set[int | None] = set()
        for line in reversed(self.lines):
            if line.version < since and not lost:
                break
            if not line.gone and line.about == line.version:
                for phone in {line.phone, None} - found:
                    self._last[phone] = line
                found |= {line.phone, None}
                lost -= found


def fold(game: Game[Any], state: Any, events: Iterable[Event]) -> Any:
    """What the events make of the state. A room may refuse a fact that cannot stand."""
    for event in events:
        if isinstance(event, TURNS):
            continue
        if isinstance(event, SittingOpened):
            state = game.setup(event.table())
        elif isinstance(event, TableEvent):
            state = replace(state, table=event.change(state.table))
            game.check_seats(len(state.table.seats))
        state = game.evolve(state, event)
    return state


def _gone(entries: list[Entry], before: frozenset[int] = frozenset()) -> frozenset[int]:
    gone = set(before)
    for entry in entries:
        for event in entry.events:
            if isinstance(event, TakenBack):
                gone.add(event.entry)
            elif isinstance(event, PutBack):
                gone.discard(event.entry)
    return frozenset(gone)


def _target(entry: Entry) -> int | None:
    target: int | None = entry.version
    for event in entry.events:
        if isinstance(event, TURNS):
            return event.entry
        if event.lasting:
            target = None
    return target


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
