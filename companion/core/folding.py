"""What entries add up to. States are kept on the way, so that whoever turns one need not begin anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.core.entry import TURNS, Entry, fold, gone_after
from companion.core.game import Game
from companion.core.refused import Refused, refuse_if

CHECKPOINT = 32  # entries between states that are kept: a block
FAR = 4 * CHECKPOINT  # entries that follow one that is turned, from which on that is reckoned with pauses
MOST_REPLAYED = 200_000  # entries that are folded to find lost words; somebody may make it a work of days


def block_of(version: int) -> int:
    return (version - 1) // CHECKPOINT


@dataclass
class Turned:
    """What follows from turning one entry. Nobody sees it before it is put in place, all at once."""

    entry: int
    since: int  # the newest entry then
    states: list[Any] = field(default_factory=list)  # that are kept, after the block it is in
    state: Any = None
    blocks: list[Entry] = field(default_factory=list)  # what could not stand then, oldest first …
    why: str = ""  # … and why the first of them could not


class Folding:
    def __init__(
        self, game: Game[Any], pause: Callable[[], None] = lambda: None, gone: Iterable[int] = ()
    ) -> None:
        """`pause` is called now and then while it works for long, and whoever waits may go on."""
        self.game, self.pause = game, pause
        self.entries: list[Entry] = []
        self.version = 0  # how many they are
        self.gone = frozenset(gone)
        self.state: Any = None
        self.folded = 0  # entries, in all
        self._states: list[Any] = [None]  # before entries 1, 1 + CHECKPOINT, 1 + 2 * CHECKPOINT …
        self._idle: set[int] = set()  # entries that only turn others
        self._counting = [0]  # how many of a block do count; where none does, nothing needs to be folded

    def put(self, entry: Entry, after: Any = None) -> None:
        """`after` is the state that follows from it, if that is known."""
        version = entry.version
        if entry.reverts is not None and all(isinstance(event, TURNS) for event in entry.events):
            self._idle.add(version)
        elif version not in self.gone:
            self.state = fold(self.game, self.state, entry.events) if after is None else after
            self._counting[-1] += 1
            self.folded += 1
        self.entries.append(entry)
        self.version = version
        if not version % CHECKPOINT:
            self._states.append(self.state)
            self._counting.append(0)

    def block(self, number: int) -> tuple[Any, Sequence[Entry]]:
        """Its entries, and the state before them."""
        first = number * CHECKPOINT
        return self._states[number], self.entries[first : first + CHECKPOINT]

    def before(self, version: int) -> Any:
        """The state that this entry was put on, as things are now."""
        state, entries = self.block(block_of(version))
        for entry in self._counted(entries[: (version - 1) % CHECKPOINT], self.gone):
            state = fold(self.game, state, entry.events)
        return state

    def _counted(self, entries: Sequence[Entry], gone: frozenset[int]) -> list[Entry]:
        """Without those that are gone, and those that only turn others."""
        idle = self._idle
        return [entry for entry in entries if entry.version not in gone and entry.version not in idle]

    def turned(self, entry: int) -> Turned:
        """Folds whatever came after it, and changes nothing here."""
        found = Turned(entry, self.version, state=self._states[block_of(entry)])
        gone, far = self.gone ^ {entry}, self.version - entry >= FAR
        for number in range(block_of(entry), len(self._states)):
            if self._counting[number] or number == block_of(entry):
                self._fold_block(number, gone, found)
            found.states.append(found.state)
            if far:
                self.pause()
        found.states.pop()  # which is the state
        return found

    def _fold_block(self, number: int, gone: frozenset[int], found: Turned) -> None:
        game, state = self.game, found.state
        for entry in self._counted(self.block(number)[1], gone):
            try:
                state = fold(game, state, entry.events)
            except Refused as why:
                found.blocks.append(entry)
                found.why = found.why or str(why)
        self.folded += self._counting[number]
        found.state = state

    def turn(self, found: Turned) -> None:
        if found.blocks:
            raise Refused(found.why)
        block = block_of(found.entry)
        self._counting[block] += 1 if found.entry in self.gone else -1
        self.gone ^= {found.entry}
        self._states[block + 1 :] = found.states
        self.state = found.state


def newly_turned(entry: Entry, among: Folding) -> list[int]:
    """What this one takes back or puts back. Of a journal that somebody made up it may be anything."""
    if entry.reverts is None:
        return []
    turned = gone_after([entry], among.gone) ^ among.gone
    return sorted(each for each in turned if 1 <= each <= among.version)


class Replay:
    """The states that entries were tapped in, asked for in order: what counted then may be gone since."""

    def __init__(self, now: Folding) -> None:
        self._now, self._then = now, Folding(now.game, now.pause)

    def before(self, version: int) -> Any:
        """Refuses if it takes too long."""
        then = self._then
        for entry in self._now.entries[then.version : version - 1]:
            refuse_if(then.folded > MOST_REPLAYED, "Too much was taken back and put back before it.")
            for turned in newly_turned(entry, then):
                then.turn(then.turned(turned))
            then.put(entry)
            if not entry.version % CHECKPOINT:
                then.pause()
        return then.state
