"""Tables in the middle of a game, and long evenings: each room's commonest tap, over and over.

The whole games of tests/full_games.py are played again up to the tap that is commonest there. From then on
that tap and one that brings things back take turns, so that it can be tapped as often as we like.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from full_games import FULL, GAMES, HEROES, TOKENS, LoadedDice, Played, full_game

from bench.machine import SERVER_CORE, start
from bench.servers import COMPANION, COMPANION_ENV, new_folder

if TYPE_CHECKING:
    from full_games import Tap

LONG = 5000  # entries of a long evening
DICE = tuple(range(1, 7))


@dataclass(frozen=True)
class Room:
    slug: str
    tap: str  # in words
    command: str  # the game is played until this would be tapped …
    times: int  # … for so many times
    taps: Callable[[dict[str, Any]], list[Tap]]  # what is tapped then, over and over
    players: int = 0  # as in the whole game, if it does not matter

    @property
    def title(self) -> str:
        return GAMES[self.slug].title.partition(":")[0]


def _power(given: dict[str, Any]) -> list[Tap]:
    return [("count_power", {**given, "by": 1}), ("count_power", {**given, "by": -1})]


def _points(given: dict[str, Any]) -> list[Tap]:
    return [("count", {**given, "by": 1}), ("count", {**given, "by": -1})]


def _card(given: dict[str, Any]) -> list[Tap]:
    """Face down, and another in its place."""
    return [("choose_card", given), ("choose_card", {**given, "card": "shub-niggurath"})]


def _roll(given: dict[str, Any]) -> list[Tap]:
    everyone = [{"seat": n, "hero": hero, "round": given["round"]} for n, hero in enumerate(HEROES, 1)]
    return [(command, each) for command in ("roll_die", "clear_roll") for each in everyone]


def _sled(given: dict[str, Any]) -> list[Tap]:
    card = {"turn": given["turn"], "kind": "tools", "value": 4}
    return [("show_card", card), ("hide_card", card)]


ROOMS = (
    Room("any-game", "+1", "count", 9, lambda given: [("count", {**given, "by": 1})], players=4),
    Room("tides-of-madness", "a card of the draft", "choose_card", 13, _card),
    Room("smash-up", "power at a base", "count_power", 9, _power),
    Room("escape-the-dark-castle", "a roll in a fight", "roll_die", 1, _roll),
    Room("mountains-of-madness", "a card on the sled", "show_card", 3, _sled),
    Room("wisdom-of-cthulhu", "a Knowledge Point", "count", 9, _points),
)


class Evening:
    """A room's table, and the taps that go on with it, over and over."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.table = Played(room.slug, room.players or FULL[room.slug][0])
        self.taps = deque(self._play_on())

    def _play_on(self) -> list[Tap]:
        """Up to the commonest tap; what is tapped from there on."""
        times = 0
        for command, given in full_game(self.room.slug).taps:
            times += command == self.room.command
            if times == self.room.times:
                return self.room.taps(given)
            self._do(command, given)
        raise ValueError(f"{self.room.command} is not tapped {self.room.times} times in a whole game.")

    def _do(self, command: str, given: dict[str, Any]) -> None:
        self.table.now += 60_000  # whatever clock was running has run out
        self.table.dice = LoadedDice(*DICE)
        self.table.do(command, **given)

    def go_on_until(self, entries: int) -> Evening:
        while self.table.journal.version < entries:
            self._do(*self.taps[0])
            self.taps.rotate(-1)
        return self


@dataclass(frozen=True)
class Seated:
    """A table that a server has: where it is, and what to tap there next, over and over."""

    room: Room
    code: str
    taps: tuple[Tap, ...]
    commonest: str  # the others among them only bring things back


@dataclass(frozen=True)
class Prepared:
    folder: Path
    short: tuple[Seated, ...]
    long: tuple[Seated, ...]


@cache
def prepared() -> Prepared:
    """An instance with a table of each room in the middle of a game, and one of each after a long evening."""
    folder = new_folder()
    short, long = [], []
    with ThreadPoolExecutor(1) as clerk:  # brings one while we play the next
        brought = []
        for number, room in enumerate(ROOMS, 2):
            for entries, seated, mark in ((0, short, "S"), (LONG, long, "Z")):
                code = f"BENC{number}{mark}"
                evening = Evening(room)
                commonest, _ = evening.taps[0]
                journal = evening.go_on_until(entries).table.as_journal(code)
                brought.append(clerk.submit(_bring, folder, code, journal))
                seated.append(Seated(room, code, tuple(evening.taps), commonest))
    for each in brought:
        each.result()
    return Prepared(folder, tuple(short), tuple(long))


@contextmanager
def copied() -> Iterator[Prepared]:
    """For a server of its own, which may change what is in it."""
    made = prepared()
    folder = new_folder()
    shutil.copytree(made.folder, folder, dirs_exist_ok=True)
    try:
        yield replace(made, folder=folder)
    finally:
        shutil.rmtree(folder)


def _bring(folder: Path, code: str, journal: str) -> None:
    file = folder / f"{code}.json"
    file.write_text(journal, "utf-8")
    words = [*COMPANION[: COMPANION.index("serve")], "import", str(file)]
    env = {**os.environ, **COMPANION_ENV, "COMPANION_INSTANCE": str(folder)}
    importing = start(
        words, SERVER_CORE, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said, _ = importing.communicate()
    if importing.returncode:
        raise RuntimeError(f"{code} could not be brought: {said.strip()}")
    file.unlink()


__all__ = ["HEROES", "LONG", "ROOMS", "TOKENS", "Prepared", "Room", "Seated", "copied", "prepared"]
