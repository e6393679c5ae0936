"""How the log tells a journal: a line for each entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload
from weakref import ref

from companion.core.entry import TURNS, Entry, TakenBack, fold
from companion.core.event import Event
from companion.core.fixed import dataclass, replace
from companion.core.folding import Folding, Replay, block_of
from companion.core.game import Game
from companion.core.refused import Refused
from companion.core.table import State

LOST = "something that rested on what is taken back too"


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

    @property
    def quoted(self) -> str:
        return f"{self.whom}: {self.text}" if self.whom else self.text


def fold_and_say(game: Game[Any], state: Any, events: Sequence[Event]) -> tuple[Any, list[str]]:
    """The state after them, and how each is told. Either may refuse; then nothing of it has happened."""
    words = []
    for event in events:
        state = fold(game, state, (event,))
        words.append(event.log_text(state))
    return state, words


class Log(Sequence[Line]):
    """Lines that follow on one that was turned are told anew when somebody looks at them, block by block."""

    def __init__(self, folding: Folding) -> None:
        self._of = ref(folding)  # whose log this is; it goes when that goes, and not one round later
        self._lines: list[Line] = []
        self._old: set[int] = set()  # blocks that are to be told anew
        self._first: dict[int, Line] = {}  # as it was told at first, if that has changed
        self._replay: Replay | None = None

    @property
    def _folding(self) -> Folding:
        folding = self._of()
        assert folding
        return folding

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if self._old:
            wanted = range(len(self))[at]
            some = wanted if isinstance(wanted, range) else (wanted,)
            for block in sorted(self._old & {block_of(each + 1) for each in some}):
                self._tell_anew(block)
        return self._lines[at]

    def __iter__(self) -> Iterator[Line]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it grows

    def add(self, line: Line) -> None:
        self._lines.append(line)

    def turn(self, version: int) -> None:
        self._old.update(range(block_of(version), block_of(len(self)) + 1))

    def _tell_anew(self, block: int) -> None:
        self._old.discard(block)
        state, entries = self._folding.block(block)
        for entry, line in zip(entries, self._lines[entries[0].version - 1 :], strict=False):
            state, now = self.tell(entry, state)
            if now == line:
                continue  # the same one, so that nobody has to draw it again
            self._first.setdefault(line.version, line)
            self._lines[line.version - 1] = now

    def tell(
        self, entry: Entry, before: Any, foreseen: tuple[Any, list[str]] | None = None
    ) -> tuple[Any, Line]:
        """The state after the entry, and its line; `foreseen` is what `fold_and_say` has said already."""
        folding = self._folding
        gone, game = entry.version in folding.gone, folding.game
        try:
            after, words = foreseen or fold_and_say(game, before, entry.events)
        except Refused:  # what it rested on may be taken back since, its words may not
            after = before if gone else fold(game, before, entry.events)
            line = self._as_it_was(entry)
        else:
            line = self._line(entry, before, after, words)
        return (before, replace(line, gone=True)) if gone else (after, line)

    def _line(self, entry: Entry, before: Any, after: Any, words: list[str]) -> Line:
        seat, whom = _about(entry, before or after, after)
        return Line(
            version=entry.version,
            at=entry.at,
            phone=entry.phone,
            by=after.table.who(entry.phone),
            seat=seat,
            whom=whom,
            text=self._turning(entry) or "; ".join(filter(None, words)),
            about=entry.target,
            tap=entry.tap,
        )

    def _turning(self, entry: Entry) -> str:
        for event in entry.events:
            if isinstance(event, TURNS):
                verb = "took back" if isinstance(event, TakenBack) else "put back"
                return f"{verb} “{self._now(event.entry).quoted}”"
        return ""

    def _now(self, version: int) -> Line:
        """The line, without the others of its block: they may quote lines of further blocks, and so on."""
        if block_of(version) not in self._old:
            return self._lines[version - 1]
        entry = self._folding.entries[version - 1]
        return self.tell(entry, self._folding.before(version))[1]

    # --- words that nothing gives any more ---

    def _as_it_was(self, entry: Entry) -> Line:
        """As it was first told here; while it is read back, as it would have been when it was tapped."""
        known = self._first.get(entry.version) or next(iter(self._lines[entry.version - 1 :]), None)
        return replace(known, gone=False) if known else self._as_tapped(entry)

    def _as_tapped(self, entry: Entry) -> Line:
        folding = self._folding
        self._replay = self._replay or Replay(folding)
        try:
            before = self._replay.before(entry.version)
            after, words = fold_and_say(folding.game, before, entry.events)
        except Refused:
            before = after = folding.state
            words = [LOST]
        return self._line(entry, before, after, words)


class OneMore(Log):
    """A log with a line that it does not have yet."""

    def __init__(self, log: Log, line: Line) -> None:
        self._log, self._line_ahead = log, line

    def __len__(self) -> int:
        return len(self._log) + 1

    def __getitem__(self, at: Any) -> Any:
        many, line = len(self._log), self._line_ahead
        if isinstance(at, int):
            return line if at in (many, -1) else self._log[at + 1 if at < 0 else at]
        return [line] if at == slice(many, None) else [*self._log, line][at]


def _about(entry: Entry, before: State, after: State) -> tuple[int | None, str]:
    """Whom the tap was for: the one seat that its events speak of."""
    seat, *others = [getattr(event, "seat", None) for event in entry.events] or [None]
    if others:
        seats = {seat, *others} - {None}
        seat = seats.pop() if len(seats) == 1 else None
    if seat is None:
        return None, ""
    for state in (after, before):
        for each in state.table.seats:
            if each.id == seat:
                return seat, each.name
    return seat, ""
