"""A sitting's events, only ever appended, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from companion.core.entry import TURNS, Entry, PutBack, TakenBack, fold, gone_after
from companion.core.event import Event
from companion.core.folding import CHECKPOINT, FAR, Folding, Turned, newly_turned
from companion.core.game import Game
from companion.core.log import Line, Log, OneMore, fold_and_say
from companion.core.refused import Refused


class Step(NamedTuple):
    """What follows from one more entry."""

    entry: Entry
    after: Any
    line: Line
    last: dict[int | None, int]
    each: dict[int, Line] | None


class Journal(Folding):
    """Entries in order, and the state and the log that follow from those that still count."""

    def __init__(
        self, game: Game[Any], entries: Iterable[Entry] = (), pause: Callable[[], None] = lambda: None
    ) -> None:
        """A long journal takes its time: `pause` is called now and then, and whoever waits may go on."""
        read = _taken_in(entries, pause)
        super().__init__(game, pause, gone_after(read))
        self.lines: Log = Log(self)
        self.taps: dict[str, Entry] = {}
        self.rewritten = 0  # how often lines were written anew, because something before them was turned
        self._last: dict[int | None, int] = {}  # by phone; under None the table's
        self._each: dict[int, Line] | None = {}  # the same of phones, as lines; none while it is not known
        self._foreseen: tuple[Any, tuple[Event, ...], tuple[Any, list[str]] | None] = (None, (), None)
        self._ahead: Step | None = None  # that somebody looked at already
        self._turned: Turned | None = None  # as it was found when somebody asked whether it can be
        for entry in read:
            self._append(entry)
            _now_and_then(entry.version, pause)

    def add(self, entry: Entry) -> None:
        """Append an entry that has been stored."""
        _check_follows(entry, self.version)
        for turned in newly_turned(entry, self):
            found = self._turning(turned)
            if self.version >= entry.version:  # it takes long, and somebody else brought it meanwhile
                return
            self._turn(found)
        self._append(entry)

    def _append(self, entry: Entry) -> None:
        step = self._ahead
        if step is None or step.entry is not entry:
            step = self._step(entry)
        self.lines.add(step.line)
        self.put(entry, step.after)
        self.taps[entry.tap] = entry
        self._last, self._each, self._ahead = step.last, step.each, None

    def _step(self, entry: Entry) -> Step:
        """What follows from it, and nothing is changed yet."""
        after, line = self.lines.tell(entry, self.state, self._known(entry))
        version, phone, last, each = entry.version, entry.phone, self._last, self._each
        if line.about == version and version not in self.gone:
            last = {**last, phone: version, None: version}
            each = None if each is None else {**each, phone: line}
        return Step(entry, after, line, last, each)

    def _known(self, entry: Entry) -> tuple[Any, list[str]] | None:
        """What was foreseen of it when it was checked."""
        checked, events, foreseen = self._foreseen
        return foreseen if checked is self.state and events is entry.events else None

    def ahead(self, entry: Entry) -> Journal | None:
        """As it will be once this entry is stored, to look at only: it can be drawn meanwhile. None of one
        that was not checked last, or that turns others."""
        if self._known(entry) is None or entry.version != self.version + 1 or entry.reverts is not None:
            return None
        if self._ahead is None or self._ahead.entry is not entry:
            self.last_of_each()  # so that it knows them, too
            self._ahead = self._step(entry)
        return _Ahead(self, self._ahead)

    # --- taking back and putting back ---

    def _turning(self, turned: int) -> Turned:
        known = self._turned
        if known is None or (known.entry, known.since) != (turned, self.version):
            known = self._turned = self.turned(turned)
        return known

    def _turn(self, found: Turned) -> None:
        self.turn(found)
        self._turned = None
        self.lines.turn(found.entry)
        self.rewritten += 1
        self._each = None
        for phone in (self.entries[found.entry - 1].phone, None):
            self._find_last(phone, found.entry)

    def _find_last(self, phone: int | None, turned: int) -> None:
        last = self._last.get(phone, 0)
        if turned not in self.gone:
            self._last[phone] = max(last, turned)
        elif last == turned:
            self._last[phone] = next(self._standing(phone, turned), 0)

    def _standing(self, phone: int | None, before: int) -> Iterator[int]:
        """What can be taken back, newest first."""
        for entry in reversed(self.entries[: before - 1]):
            mine = phone is None or entry.phone == phone
            if mine and entry.version not in self.gone and entry.target == entry.version:
                yield entry.version

    def last(self, phone: int | None = None) -> Line | None:
        """The newest line that can be taken back: the table's, or one phone's own."""
        version = self._last.get(phone)
        return self.lines[version - 1] if version else None

    def last_of_each(self) -> Mapping[int, Line]:
        """Of every phone that has one."""
        if self._each is None:
            last, lines = self._last.items(), self.lines
            self._each = {phone: lines[at - 1] for phone, at in last if at and phone is not None}
        return self._each

    # --- before anything is stored ---

    def check(self, events: tuple[Event, ...]) -> None:
        """Refuses what could not be folded."""
        for event in events:
            if isinstance(event, TURNS):
                self._check_revert(event)
        self._foreseen = (self.state, events, fold_and_say(self.game, self.state, events))
        if not events:
            raise Refused("That would change nothing.")

    @property
    def foreseen(self) -> Any:
        """The state that follows from what was checked last."""
        foreseen = self._foreseen[2]
        return foreseen[0] if foreseen else self.state

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
        found = self._turning(event.entry)
        if found.blocks:
            raise Refused(self._why_not(event, found))

    def _why_not(self, event: TakenBack | PutBack, found: Turned) -> str:
        no = f"That cannot be {'taken back' if isinstance(event, TakenBack) else 'put back'}"
        newest = self.lines[found.blocks[-1].version - 1]
        if newest.version == event.entry:
            return f"{no} as things are now. {found.why}"
        words = newest.quoted
        quoted = f"“{words if len(words) <= 80 else words[:79].rstrip() + '…'}”"
        if len(found.blocks) == 1:
            return (
                f"{no}, because {newest.by}’s tap {quoted} rests on it: take that back first. ({found.why})"
            )
        return (
            f"{no}, because {len(found.blocks)} later taps rest on it:"
            f" take those back first, beginning with {newest.by}’s {quoted}. ({found.why})"
        )


class _Ahead(Journal):
    """A journal with an entry that it does not have yet."""

    def __init__(self, journal: Journal, step: Step) -> None:
        self.__dict__.update(journal.__dict__)
        self.version, self.state = step.entry.version, step.after
        self.lines = OneMore(journal.lines, step.line)
        self._last, self._each = step.last, step.each


def _taken_in(entries: Iterable[Entry], pause: Callable[[], None]) -> list[Entry]:
    read: list[Entry] = []
    for entry in entries:
        _check_follows(entry, len(read))
        read.append(entry)
        _now_and_then(entry.version, pause)
    return read


def _check_follows(entry: Entry, version: int) -> None:
    if entry.version != version + 1:
        raise ValueError(f"entry {entry.version} cannot follow {version}")


def _now_and_then(version: int, pause: Callable[[], None]) -> None:
    if not version % CHECKPOINT:
        pause()


__all__ = ["CHECKPOINT", "FAR", "TURNS", "Entry", "Journal", "Line", "PutBack", "TakenBack", "fold"]
