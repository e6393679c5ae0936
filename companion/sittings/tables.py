"""The tables that this process knows: read from the disk, kept in memory, followed, let go."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from companion.core import Entry, Game, Journal, Refused
from companion.core.event import Unreadable
from companion.games import Shelf
from companion.net.live import CLOSED, FORGOTTEN, Live
from companion.sittings.closed import Closed, ClosedTables, check_whole
from companion.sittings.opening import brings_a_phone
from companion.sittings.sitting import CODE, NotFound, Sitting
from companion.storage.store import Damage, NotSaved, SittingRow, Store, entry_of

NO_TABLE = "There is no table with this code. Check the six characters; or its host has deleted it."
QUIET = 2000  # tables that no phone listens to, kept in memory in case one comes back; others are read again
# Lets the phones of other tables go on. Not 0: gevent sleeps fifty times 0 before it looks at a socket again.
PAUSE = partial(time.sleep, 1e-6)
STARTING = 4  # times that a server which starts asks again for what is written just then


class Tables:
    def __init__(
        self,
        store: Store,
        live: Live,
        games: Shelf,
        clock: Callable[[], int],
        alone: bool,
        most: float,
    ) -> None:
        self.store, self.live, self.games, self.clock = store, live, games, clock
        self.alone = alone  # with SQLite one process writes, and what it remembers is all there is
        self.most = most  # entries of a table
        self._key = _token_key(store)
        self._sittings: OrderedDict[str, Sitting] = OrderedDict()
        self._closed = ClosedTables()
        self._reading: dict[str, threading.Lock] = {}
        live.listeners.append(self._heard)
        live.bearers.append(self._follow)

    @property
    def many(self) -> int:
        """How many are in memory."""
        return len(self._sittings)

    def show(self, code: str) -> Sitting:
        """The sitting as of now, with what other workers wrote folded in."""
        sitting = self._sitting(code)
        if not self.alone:
            self._read_on(sitting)
        return sitting

    def find(self, code: str) -> Sitting | None:
        try:
            return self.show(code)
        except NotFound:
            return None

    def in_memory(self, code: str) -> Sitting | None:
        return self._sittings.get(code)

    def version_of(self, code: str) -> int:
        """As far as this process knows, without a look at the disk."""
        sitting = self._sittings.get(code)
        return sitting.version if sitting else 0

    def game(self, code: str) -> Game[Any]:
        """Which game it is never changes, so memory will do."""
        return self._sitting(code).game

    def _sitting(self, code: str) -> Sitting:
        sitting = self._sittings.get(code)
        if sitting is not None:
            self._sittings.move_to_end(code)
            return sitting
        if not CODE.fullmatch(code):
            raise NotFound(NO_TABLE)
        with self._reading.setdefault(code, threading.Lock()):  # everyone must share one
            try:
                return self._sittings.get(code) or self._sittings.setdefault(code, self._read(code))
            finally:
                self._reading.pop(code, None)

    def _read(self, code: str) -> Sitting:
        row = self.store.sitting(code)
        if row is None or row.id is None:
            raise NotFound(NO_TABLE)
        if row.slug not in self.games:  # the table is there, so its phones must not hear that it is gone
            raise Refused(
                "This server does not have the game of this table now. Put its folder back to go on."
            )
        self._closed.check(row)
        game, phones = self.games[row.slug], self.store.phones(row.id)
        PAUSE()
        try:
            # A long evening takes its time, in which the phones of other tables go on.
            journal = Journal(game, self.store.each_entry(game, row.id), PAUSE)
            check_whole(journal, row.version)
            sitting = self._live(row, journal, phones)
            PAUSE()  # whoever asked wants to see it, and to draw all of it takes as long again
            sitting.view  # noqa: B018  or it cannot be looked at
            return sitting
        except NotSaved:
            raise
        except Exception as why:  # of a newer version, or damaged: it may hold anything
            if self.store.sitting(code) is None:  # it was forgotten while we read
                raise NotFound(NO_TABLE) from why
            raise self._closed.close(row, why) from why

    def _live(self, row: SittingRow, journal: Journal, phones: dict[str, int]) -> Sitting:
        since = self.clock() if self.alone else None
        return Sitting(row, journal.game, journal, phones, key=self._key, most=self.most, since=since)

    def _read_on(self, sitting: Sitting) -> bool:
        """Whether other processes wrote since we last looked; then it is known now."""
        known = sitting.journal.entries[-1]  # now: while we read, others go on
        try:
            tail = self.store.entries(sitting.game, sitting.id, known.version - 1)
        except Unreadable as why:
            raise self._let_go(sitting) from why
        if not tail or tail[0].tap != known.tap:
            # Not even the entry that we know: it was forgotten, and its number may be another table's by now.
            self.live.tell(sitting.code, FORGOTTEN)
            raise NotFound(NO_TABLE)
        new = [entry for entry in tail if entry.version > sitting.version]  # two requests may bring the same
        for entry in new:
            if entry.version > sitting.version:  # asked again: a far take-back lets others go on meanwhile
                self._add(sitting, entry)
        if any(brings_a_phone(entry) for entry in new):
            sitting.phones = self.store.phones(sitting.id)
        if new:
            self.live.tell(sitting.code, sitting.version)
        return bool(new)

    def _add(self, sitting: Sitting, entry: Entry) -> None:
        try:
            sitting.journal.add(entry)
        except Exception as why:
            raise self._let_go(sitting) from why

    def _let_go(self, sitting: Sitting) -> Closed:
        """A newer version wrote what we cannot read. Whoever asks next reads all, and sees how it is."""
        self._sittings.pop(sitting.code, None)
        self.live.tell(sitting.code, CLOSED)
        return Closed(sitting.code)

    def _follow(self, code: str, id: int, row: dict[str, Any]) -> None:
        """What another process wrote came with its poke. If it follows on what we know, no disk is asked."""
        sitting = self._sittings.get(code)
        if sitting is None or sitting.id != id or not sitting.heard or row["version"] != sitting.version + 1:
            return
        entry = entry_of(sitting.game, row)
        if not brings_a_phone(entry):  # whose token is only on disk
            sitting.journal.add(entry)

    def sweep(self) -> None:
        """Forget the tables that nobody has looked at for longest; never one with a phone that listens."""
        quiet = [code for code, sitting in self._sittings.items() if not sitting.heard]
        for code in quiet[: max(0, len(quiet) - QUIET)]:
            del self._sittings[code]

    def _readable(self, code: str) -> Sitting | None:
        try:
            return self.show(code)
        except (Closed, NotFound):
            return None

    # --- forgetting ---

    def forget(self, code: str) -> None:
        """The sitting with everything in it: its journal, its phones, and what is kept in memory."""
        row = self.store.sitting(code)  # not from memory: also what nobody can read can be forgotten
        if row is None or row.id is None:
            raise NotFound(NO_TABLE)
        self.store.forget(row.id)
        self.live.publish(code, FORGOTTEN)

    def _heard(self, code: str, version: int) -> None:
        if version == FORGOTTEN:
            self._sittings.pop(code, None)
            self._closed.forget(code)

    def look_again(self) -> None:
        """Pokes can be lost, versions cannot; and `companion forget` says no word to a server at all."""
        if self.alone and not self.store.touched():
            return
        self._closed.clear()  # perhaps one was mended
        # Who asks for a quiet table reads on by itself, unless there is nobody else who could have written.
        codes = [code for code, sitting in self._sittings.items() if self.alone or sitting.heard]
        for some in batched(codes, 500):
            there = self.store.standing(some)
            for code in some:
                self._compare(code, there.get(code))
            PAUSE()  # thousands of tables, and no tap should wait for all of them

    def _compare(self, code: str, there: tuple[int, int] | None) -> None:
        sitting = self._sittings.get(code)
        if sitting is None:
            return
        if there is None or there[0] != sitting.id:  # also if it was forgotten and brought back since
            self.live.tell(code, FORGOTTEN)
        elif there[1] > sitting.version and sitting.heard:
            self.live.tell(code, there[1])


def batched(codes: list[str], most: int) -> Iterator[list[str]]:
    return (codes[start : start + most] for start in range(0, len(codes), most))


def _token_key(store: Store) -> bytes:
    """One for all workers: the first one's is kept. Those that start together all want to write it, and on a
    slow disk the first keeps the others waiting for longer than any phone would."""
    for tries_left in range(STARTING, -1, -1):
        try:
            return bytes.fromhex(store.keep("token key", secrets.token_hex(32)))
        except NotSaved as why:
            if isinstance(why, Damage) or not tries_left:
                raise
    raise AssertionError("the last one returns or raises")
