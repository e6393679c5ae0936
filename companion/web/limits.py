"""How much of the server one phone, one address or one table may have, so that others need not wait for it.

What protects a process is counted in its memory, by a look-up and a comparison: taps, pages, streams. What
workers must agree on, the database counts: wrong codes, tables that were opened, entries of a table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, Self

from companion.core import Refused
from companion.storage.appends import DAY
from companion.storage.store import NotSaved, Store

MANY = 20_000  # phones that are remembered at a time; each is a number under a name
HOUSE = 10  # one address may be a house full of phones, so it may tap this many times as fast as one of them
LINGER = 0.5  # seconds until a refusal leaves: whoever hammers waits for it, and costs nothing meanwhile
NO_TABLE = "Many tables were opened from here just now. Wait a minute for the next one."
MINUTE = 60_000  # milliseconds


class TooMany(Refused):
    """Slow down: so many seconds from now it may come again."""

    def __init__(self, sentence: str, seconds: float = 1) -> None:
        super().__init__(sentence)
        self.seconds = max(1, math.ceil(seconds))


@dataclass(frozen=True)
class Limits:
    """Each a setting: `COMPANION_LIMITS="taps=40 tables=50"`. Four busy phones never meet one of them."""

    taps: float = 20  # a second, of one phone; three seconds' worth may come at once
    pages: float = (
        20  # a second, of one phone, what is dear counted as several; twenty seconds' worth at once
    )
    visits: float = 100  # a second, of all strangers at one address, as pages; fifteen seconds' worth at once
    streams: float = 6  # open at a time, of one phone at one table
    house: float = 200  # streams, and apart from those connections, open at a time from one address
    tables: float = 10  # opened in a minute by one address
    day: float = 200  # tables opened in a day by one address
    entries: float = 50_000  # of one table; told when nine tenths are written
    guesses: float = 10  # wrong codes in a minute from one address; one /64 of IPv6 is one address
    strangers: float = 300  # wrong codes in a minute from all addresses together
    head: float = 10  # seconds that the head of a request may take to come
    body: float = 20  # seconds that its body may take
    idle: float = 75  # seconds that a connection may say nothing

    @classmethod
    def read(cls, text: str) -> Self:
        """As it is set; what cannot be understood is a ValueError with a sentence."""
        known = [each.name for each in fields(cls)]
        if text.strip() == "off":
            return cls(**dict.fromkeys(known, math.inf))
        given = {}
        for word in text.replace(",", " ").split():
            name, _, number = word.partition("=")
            if name not in known or not number.isdecimal() or not 0 < int(number) < 10**9:
                raise ValueError(
                    f"{word!r} is no limit; use off, or some of {', '.join(known)}, as in taps=40"
                )
            given[name] = float(number)
        return cls(**given)


class Share:
    """So much a second for each, and a burst. What is remembered of one is until when its share is used."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.step, self.room, self.clock = 1 / rate, burst / rate if math.isfinite(rate) else math.inf, clock
        self._until: dict[str, float] = {}

    def __len__(self) -> int:
        """Of whom anything is remembered."""
        return len(self._until)

    def wait(self, who: str, cost: float = 1) -> float:
        """0, and it is taken; or how many seconds to wait for it, and nothing is."""
        if not self.step:  # as much as anybody wants
            return 0
        now = self.clock()
        until = self._until.get(who, 0.0)
        until = (until if until > now else now) + cost * self.step
        if until - now > self.room:
            return until - now - self.room
        self._until[who] = until
        if len(self._until) > MANY:
            self._forget(now)
        return 0

    def give_back(self, who: str, cost: float = 1) -> None:
        """What was taken and is asked for once more."""
        if who in self._until:
            self._until[who] -= cost * self.step

    def _forget(self, now: float) -> None:
        self._until = {who: until for who, until in self._until.items() if until > now}
        if len(self._until) > MANY / 2:  # made up, all of them
            self._until.clear()


class Gate:
    """Who may come in how often, in this process; in an app it is `extensions["gate"]`."""

    def __init__(
        self,
        limits: Limits,
        store: Store,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.limits, self.store, self.now = limits, store, now
        self._taps = Share(limits.taps, 3 * limits.taps, clock)
        self._houses = Share(HOUSE * limits.taps, 3 * HOUSE * limits.taps, clock)
        self._pages = Share(limits.pages, 20 * limits.pages, clock)
        self._visits = Share(limits.visits, 15 * limits.visits, clock)
        self._clock = clock
        self._sent_away: dict[str, float] = {}  # until when; who comes all the same gets a short word
        self._streams: dict[str, set[Any]] = {}  # by address
        self._connected: dict[str, int] = {}  # by address

    # --- taps and pages ---

    def tap(self, phone: str, address: str, cost: float = 1) -> None:
        """Of a phone at the table: the queue on it waits and sends the same tap again."""
        wait = self._taps.wait(phone, cost) or self._houses.wait(address, cost)
        if wait:
            raise TooMany("That is faster than anybody can tap. It is kept, and will be tried again.", wait)

    def not_yet(self, phone: str, address: str) -> None:
        """The tap that was just let through comes again by another way, and counts there."""
        self._taps.give_back(phone)
        self._houses.give_back(address)

    def page(self, phone: str | None, address: str, cost: float = 1) -> None:
        """Of a phone at the table, or of whoever comes from this address."""
        wait = self._pages.wait(phone, cost) if phone else self._visits.wait(address, cost)
        if wait:
            self.send_away(phone or address, wait)
            raise TooMany("That is more than this phone's share of the server. Wait a moment.", wait)

    def send_away(self, who: str, seconds: float) -> None:
        if len(self._sent_away) > MANY:
            self._sent_away.clear()
        self._sent_away[who] = self._clock() + min(seconds, 1)

    def hammers(self, who: str) -> bool:
        """Whether it was told a moment ago to wait."""
        until = self._sent_away.get(who)
        if until is None or until > self._clock():
            return until is not None
        del self._sent_away[who]
        return False

    @property
    def calm(self) -> bool:
        """Nobody was sent away lately, as on all good evenings."""
        return not self._sent_away

    # --- streams and connections ---

    def stream(self, mine: list[Any], address: str) -> None:
        """Before one more begins; those that have hung up make room. `mine` are this phone's at the table."""
        if len(mine) >= self.limits.streams and len(_alive(mine)) >= self.limits.streams:
            most = f"{self.limits.streams:.0f}"
            raise TooMany(f"This table is open {most} times on this phone. Close it somewhere.", 5)
        house = self._streams.get(counted(address), set())
        if len(house) >= self.limits.house and len(_alive(list(house))) >= self.limits.house:
            raise TooMany("Too many phones listen from this address already. Close some of the pages.", 5)

    def hears(self, wire: Any, address: str) -> Callable[[], None]:
        """It counts from now on, until what this gives is called."""
        who = counted(address)
        self._streams.setdefault(who, set()).add(wire)

        def over() -> None:
            wires = self._streams.get(who, set())
            wires.discard(wire)
            if not wires:
                self._streams.pop(who, None)

        return over

    def enter(self, address: str) -> bool:
        """One more connection, if there may be one; whoever came in leaves again."""
        who = counted(address)
        many = self._connected.get(who, 0)
        if many >= self.limits.house:
            return False
        self._connected[who] = many + 1
        return True

    def leave(self, address: str) -> None:
        who = counted(address)
        left = self._connected.get(who, 0) - 1
        if left > 0:
            self._connected[who] = left
        else:
            self._connected.pop(who, None)

    # --- tables ---

    def table(self, address: str) -> str:
        """Before one is opened; gives whom it counts against, "" where nobody counts."""
        if math.isinf(self.limits.tables):
            return ""
        who, now = counted(address), int(self.now() * 1000)
        if self.hammers(f"tables {who}"):
            raise TooMany(NO_TABLE, 60)
        minute, day = self.store.opened(who, now - MINUTE), self.store.opened(who, now - DAY)
        if minute >= self.limits.tables:
            self.send_away(f"tables {who}", 1)
            raise TooMany(NO_TABLE, 60)
        if day >= self.limits.day:
            raise TooMany("As many tables were opened from here today as a day may have.", 3600)
        return who


def _alive(wires: list[Any]) -> list[Any]:
    """Without those that have hung up: a page that was closed says goodbye, but nobody has looked yet."""
    gone = [wire for wire in wires if wire.gone()]
    for wire in gone:
        wire.close()
    return [wire for wire in wires if wire not in gone]


class Throttle:
    """Counts wrong codes by address, in the database: workers count together, and no restart forgives."""

    def __init__(
        self,
        store: Store,
        most: float,
        seconds: float,
        clock: Callable[[], float] = time.time,
        in_all: float = math.inf,
    ) -> None:
        self.store, self.most, self.seconds, self.clock, self.in_all = store, most, seconds, clock, in_all
        self._full: dict[str, float] = {}  # until when; whoever hammers on is not looked up again

    def full(self, address: str) -> bool:
        """Ask only about a stranger: whoever is at the table need not wait for this."""
        who, now = counted(address), self.clock()
        if math.isinf(self.most):
            return False
        if self._full.get(who, 0) > now or self._full.get("", 0) > now:
            return True
        since = int((now - self.seconds) * 1000)
        try:
            misses = self.store.misses(who, since, int(self.most))
            crowd = math.isfinite(self.in_all) and self.store.all_misses(since) >= self.in_all
        except NotSaved:  # then it cannot say either whether a code is right
            return False
        if crowd:
            self._full[""] = now + 1  # of all together: looked up again soon, as others come and go
        if len(misses) < self.most:
            return crowd
        if len(self._full) > 10_000:
            self._full.clear()
        self._full[who] = misses[-1] / 1000 + self.seconds
        return True

    def miss(self, address: str) -> str:
        """Gives why it could not be counted, if so: the answer is a refusal either way."""
        now = self.clock()
        try:
            self.store.miss(counted(address), int(now * 1000), int((now - self.seconds) * 1000))
        except NotSaved as why:
            return str(why)
        return ""


@lru_cache(10_000)
def counted(address: str) -> str:
    """Who it counts against. A household has a whole /64 of IPv6 addresses, so these count as one."""
    try:
        known = ip_address(address)
    except ValueError:  # a proxy may say anything
        return "".join(letter for letter in address if letter.isprintable())[:64]
    if isinstance(known, IPv4Address):
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((int(known) >> 64 << 64, 64)))
