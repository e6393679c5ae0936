"""The commonest tap of every room: what it sends and costs; early, late, undone, and with the log open."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle
from threading import Event, Thread

from bench.evenings import TOKENS, Room, Seated, copied
from bench.machine import cpu_seconds, cpu_seconds_each, settle
from bench.phone import Phone, Refused
from bench.results import Row, Run
from bench.servers import Running, serving

WINDOWS = 3  # in turns over all rooms; the median counts
LISTENING = 4
UNDONE = 24  # taps; a multiple of each room's cycle, so that taps go on as if nothing had been undone
PAGES = 50
PACED, PACE = 16, 0.2  # so many taps, so many seconds apart
MOST_SECONDS = 4  # of one window, for a server that is slow at it

Kinds = dict[str, list[float]]


class AtTable:
    """Four phones listening, one of them tapping."""

    def __init__(self, server: Running, seated: Seated) -> None:
        self.server, self.code, self.room = server, seated.code, seated.room
        self.phones = [Phone(server, token) for token in TOKENS[:2]]
        self.streams = [self.phones[n % 2].listen(self.code) for n in range(LISTENING)]
        self.taps, self.cycle = cycle(seated.taps), len(seated.taps)
        self.commonest = seated.commonest
        self.version = self.streams[0].version

    def tap(self) -> list[int]:
        """One tap, seen by everyone. How many bytes it sent to a phone, if it is the commonest one itself."""
        command, given = next(self.taps)
        sent = self._seen(self.phones[0].tap(self.code, command, **given))
        return [sent] if command == self.commonest else []

    def undo(self, entry: int) -> None:
        self._seen(self.phones[0].tap(self.code, "take_back", entry=entry))

    def _seen(self, version: int) -> int:
        self.version = version
        sent = [stream.wait_for(version) for stream in self.streams]
        return sent[0]

    def cpu(self, times: int, do: Callable[[int], object]) -> float:
        """ms of the server for each of so many; for fewer, but whole cycles of them, if it is slow."""
        before, began, done = cpu_seconds(self.server.pid), time.monotonic(), 0
        while done < times and (done % self.cycle or time.monotonic() - began < MOST_SECONDS):
            do(done)
            done += 1
        settle(self.server.pid)
        return (cpu_seconds(self.server.pid) - before) / done * 1000

    def paced(self) -> float:
        """ms of the serving process alone for each tap, a few a second; not what goes on beside it."""

        def cpu() -> float:
            return cpu_seconds_each(self.server.pid)[self.server.pid]

        before = cpu()
        for _ in range(PACED):
            time.sleep(PACE)
            self.tap()
        time.sleep(PACE)
        return (cpu() - before) / PACED * 1000

    def close(self) -> None:
        for stream in self.streams:
            stream.close()


class Onlooker(Thread):
    """A further page that follows by itself, as a browser would, and asks for news that it was told of."""

    def __init__(self, table: AtTable, page: str) -> None:
        super().__init__(daemon=True)
        self.phone = Phone(table.server, TOKENS[1])
        self.code, self.stream = table.code, self.phone.listen(table.code, page)
        self.done = Event()
        self.start()

    def run(self) -> None:
        while not self.done.wait(0.01):
            if self.stream.behind():
                news = self.stream.there_is
                self.phone.get(f"/s/{self.code}/parts/{self.stream.page}?version={self.stream.version}")
                self.stream.version = news

    def close(self) -> None:
        self.done.set()
        self.join()
        self.stream.close()


def measure(run: Run) -> Iterator[Row]:
    figures: dict[str, Kinds] = defaultdict(lambda: defaultdict(list))
    rooms: dict[str, Room] = {}
    with copied() as made:
        run.wait_until_quiet()
        with serving("companion", made.folder) as server:
            for short, long in zip(made.short, made.long, strict=True):
                rooms[short.room.slug] = short.room
                try:
                    _room(run, server, short, long, figures[short.room.slug])
                except Refused as why:
                    del figures[short.room.slug], rooms[short.room.slug]
                    run.note(f"{short.room.title} was not measured: {why}")
    medians = {
        slug: {kind: statistics.median(values) for kind, values in kinds.items()}
        for slug, kinds in figures.items()
    }
    for slug, kinds in medians.items():
        run.keep(room=slug, tap=rooms[slug].tap, **kinds)
    yield from _rows(medians, rooms)


def _room(run: Run, server: Running, short: Seated, long: Seated, kinds: Kinds) -> None:
    times = max(int(100 * run.seconds / 6), 10)
    early, late = AtTable(server, short), AtTable(server, long)
    for table in (early, late):
        for _ in range(10):
            table.tap()
    for _ in range(WINDOWS):
        kinds["page"].append(early.cpu(PAGES, lambda _: early.phones[0].get(f"/s/{early.code}")))
        kinds["short"].append(early.cpu(times, lambda _: kinds["bytes"].extend(early.tap())))
        kinds["long"].append(late.cpu(times, lambda _: late.tap()))
        last = late.version
        kinds["undo"].append(late.cpu(UNDONE, lambda n, last=last: late.undo(last - n)))
    kinds["paced"].append(late.paced())
    onlookers = [Onlooker(late, page) for page in ("log", "recap")]
    kinds["open"].append(late.paced())
    for each in (early, late, *onlookers):
        each.close()


def _rows(medians: dict[str, dict[str, float]], rooms: dict[str, Room]) -> Iterator[Row]:
    def each(
        words: str, figure: Callable[[dict[str, float]], float], unit: str, goal: float | None
    ) -> Iterator[Row]:
        for slug, kinds in medians.items():
            yield Row(f"{rooms[slug].title}, {rooms[slug].tap}: {words}", figure(kinds), unit, goal)

    for slug, kinds in medians.items():
        goal = 1.5 if slug == "any-game" else 3
        words = f"{rooms[slug].title}, {rooms[slug].tap}: sent to a phone"
        yield Row(words, kinds["bytes"] / 1000, "kB", goal)
    yield from each("CPU, 4 phones", lambda kinds: kinds["short"], "ms", 1.5)
    yield from each("after 5,000 entries", lambda kinds: kinds["long"] / kinds["short"], "×", 1.5)
    yield from each("undone then", lambda kinds: kinds["undo"], "ms", 10)
    yield from each("with log and recap open", lambda kinds: kinds["open"] / kinds["paced"], "×", 2)
    if medians:
        worst = max(kinds["page"] for kinds in medians.values())
        yield Row("A table's page from memory: CPU, slowest room", worst, "ms", 5)
