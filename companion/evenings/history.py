"""The evenings that are over, and what they add up to: for each game and for each name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.core import Game, Journal
from companion.evenings.recap import Recap, recap
from companion.net.live import FORGOTTEN
from companion.sittings.play import PAUSE, Play, batched
from companion.sittings.sitting import hash_of
from companion.storage.store import NotSaved, SittingRow

MOST = 1000  # evenings that one phone looks back on
KEPT = 2000  # recaps in memory; the journal is the truth, so any of them may be dropped


@dataclass
class NameTally:
    """What one name did, over all evenings or over those of one game."""

    name: str
    plays: int = 0
    decided: int = 0  # plays that had an end
    wins: int = 0
    minutes: int = 0
    streak: int = 0  # wins in a row up to now
    longest: int = 0
    totals: list[int] = field(default_factory=list)  # scores of decided games
    best: int | None = None

    @property
    def share(self) -> int:
        return round(100 * self.wins / self.decided) if self.decided else 0

    @property
    def average(self) -> float | None:
        return sum(self.totals) / len(self.totals) if self.totals else None

    def add(self, evening: Recap, won: bool, total: int | None) -> None:
        self.plays += 1
        self.minutes += evening.minutes
        if not evening.verdict.final:
            return  # it stopped before anybody could win or lose
        self.decided += 1
        self.wins += won
        self.streak = self.streak + 1 if won else 0
        self.longest = max(self.longest, self.streak)
        if total is not None and evening.scores and evening.scores.decide:
            self.totals.append(total)
            better = min if evening.scores.lowest_wins else max
            self.best = total if self.best is None else better(self.best, total)


@dataclass
class GameTally:
    """What one game saw."""

    slug: str
    title: str
    symbol: str
    plays: int = 0
    minutes: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    best: tuple[str, int, str] | None = None  # name, score, word

    @property
    def average(self) -> int:
        return max(1, round(self.minutes / self.plays))

    def saw(self, evening: Recap) -> bool:
        """Any box may be called something, and then it is a game of its own."""
        return (evening.game.slug, evening.title.casefold()) == (self.slug, self.title.casefold())


@dataclass(frozen=True)
class Closed:
    """A table of which only this can be told: a newer version wrote it, or it is damaged."""

    code: str
    game: Game[Any]
    opened_at: int


class History:
    """Recaps of finished evenings, from memory where the journal has not grown since."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self._kept: OrderedDict[str, tuple[int, Recap | None]] = OrderedDict()
        play.live.listeners.append(self._heard)

    def of_phone(self, token: str | None) -> list[Recap]:
        """The evenings that this phone was at, newest first."""
        if not token:
            return []
        store, hashed = self.play.store, hash_of(token)
        numbers = store.numbers_of(hashed)
        there = [
            evening
            for row, evening in self._finished(store.sittings_of(hashed, MOST))
            if evening.table.phone(numbers[row.id or 0]).role not in ("gone", "waiting")
        ]
        return sorted(there, key=lambda evening: evening.over_at, reverse=True)

    def closed_of(self, token: str | None) -> list[Closed]:
        """Tables that this phone was at and that cannot be read here: they are named, not left out."""
        return self._closed(self.play.store.sittings_of(hash_of(token), MOST)) if token else []

    def closed(self) -> list[Closed]:
        """As `closed_of`, of the whole server."""
        return self._closed(self.play.store.all_sittings())

    def _closed(self, rows: Sequence[SittingRow]) -> list[Closed]:
        games = self.play.games
        there = (row for row in rows if row.slug in games and self._recap(row) is None)
        return [Closed(row.code, games[row.slug], row.opened_at) for row in there]

    def all(self) -> list[Recap]:
        """Every finished evening of this server, oldest first."""
        evenings = [evening for _, evening in self._finished(self.play.store.all_sittings())]
        return sorted(evenings, key=lambda evening: evening.over_at)

    def _finished(self, rows: Sequence[SittingRow]) -> Iterator[tuple[SittingRow, Recap]]:
        openings: set[str] = set()
        for row in rows:
            evening = self._recap(row)
            if (
                evening and evening.finished and evening.opening not in openings
            ):  # a copy is not a second evening
                openings.add(evening.opening)
                yield row, evening

    def _recap(self, row: SittingRow) -> Recap | None:
        version, evening = self._kept.get(row.code, (0, None))
        if version != row.version:
            PAUSE()  # others who ask go first
            evening = self._read(row)
            self._kept[row.code] = (row.version, evening)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return evening

    def _read(self, row: SittingRow) -> Recap | None:
        game = self.play.games.get(row.slug)
        if game is None or row.id is None:
            return None  # its box is not on the shelf any more
        try:
            journal = Journal(game, self.play.store.each_entry(game, row.id), PAUSE)
            return recap(row.code, journal, briefly=True)
        except NotSaved:
            raise
        except Exception:  # whatever it is, `closed` names the table
            return None

    def look_again(self) -> None:
        """For a process that nobody tells when a table is forgotten."""
        for some in batched(list(self._kept), 500):
            there = self.play.store.standing(some)
            for code in some:
                if code not in there:
                    self._kept.pop(code, None)

    def _heard(self, code: str, version: int) -> None:
        if version == FORGOTTEN:
            self._kept.pop(code, None)


def players(evenings: Iterable[Recap]) -> list[NameTally]:
    """For each name, whatever its capitals; the evenings may come in any order."""
    found: dict[str, NameTally] = {}
    for evening in sorted(evenings, key=lambda evening: evening.over_at):
        for place in evening.places:
            tally = found.setdefault(place.seat.name.casefold(), NameTally(place.seat.name))
            tally.add(evening, place.winner, place.total)
    return sorted(found.values(), key=lambda tally: (-tally.wins, -tally.plays, tally.name.casefold()))


def games(evenings: Iterable[Recap]) -> list[GameTally]:
    found: dict[tuple[str, str], GameTally] = {}
    for evening in sorted(evenings, key=lambda evening: evening.over_at):
        new = GameTally(evening.game.slug, evening.title, evening.game.symbol)
        game = found.setdefault((new.slug, new.title.casefold()), new)
        game.plays += 1
        game.minutes += evening.minutes
        game.outcomes[evening.verdict.outcome] = game.outcomes.get(evening.verdict.outcome, 0) + 1
        game.best = _better(game.best, evening)
    return sorted(found.values(), key=lambda game: (-game.plays, game.title))


def _better(best: tuple[str, int, str] | None, evening: Recap) -> tuple[str, int, str] | None:
    scores = evening.scores
    if scores is None or not scores.decide or not evening.verdict.final:
        return best
    way = -1 if scores.lowest_wins else 1
    for place in evening.places:
        if place.total is not None and (best is None or way * place.total > way * best[1]):
            best = (place.seat.name, place.total, scores.word)
    return best
