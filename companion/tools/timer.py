"""One clock for the whole table. Nobody ticks: the journal holds the moment of the end, and phones count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator

from companion.core import Context, Event, Refused, State, Table, TableEvent, replace

SECOND = 1000
LONGEST = 24 * 3600 * SECOND
Mode = Literal["down", "up"]
_CLOCK = re.compile(r"(?:(\d{1,5}):(?=[0-5]?\d:))?(\d{1,5}):([0-5]?\d)")  # after a colon at most 59
_UNITS = re.compile(r"(?:(\d{1,5})\s*h)?\s*(?:(\d{1,5})\s*m(?:in)?)?\s*(?:(\d{1,5})\s*s)?", re.IGNORECASE)


def length(typed: object) -> int:
    """30, 0:30, 1:02:03, 90s, 5m or 1h 30m, in milliseconds."""
    text = str(typed).strip()
    if text.startswith(("-", "−")):
        raise Refused("Time only runs forwards; type a length like 30, 1:30 or 5m.")
    if text.isascii() and text.isdigit() and len(text) < 7:
        parts = ["0", "0", text]
    else:
        # nobody types that much, and a pattern would try the spaces of 10 kB in every way
        short = 0 < len(text) <= 40
        found = (_CLOCK.fullmatch(text) or _UNITS.fullmatch(text)) if short else None
        if not found:
            raise Refused("That is not a length of time; type one like 30, 1:30 or 5m.")
        parts = [part or "0" for part in found.groups()]
    hours, minutes, seconds = map(int, parts)
    total = (hours * 3600 + minutes * 60 + seconds) * SECOND
    if not SECOND <= total <= LONGEST:
        raise Refused("A timer can run from one second to 24 hours.")
    return total


Length = Annotated[int, BeforeValidator(length)]


def clock(milliseconds: int) -> str:
    """0:30, 12:05, 1:00:00: whole seconds, the one that is running counted as whole."""
    seconds = -(-max(0, milliseconds) // SECOND)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


@dataclass(frozen=True)
class Timer:
    """Down: runs until `until`, or stands with `left`. Up: runs since `since`, or stands at `left`."""

    mode: Mode
    length: int  # what it was set to and all that was added since; 0 when it counts up
    set_to: int = 0  # what it was set to, and is again by a restart
    until: int | None = None
    since: int | None = None
    left: int | None = None

    @property
    def running(self) -> bool:
        return self.left is None

    def shows(self, now: int) -> int:
        if self.left is not None:
            return self.left
        return max(0, self.until - now) if self.until is not None else now - (self.since or 0)

    def over(self, now: int) -> bool:
        """A stopwatch too, in the end: that nobody stopped for a day was forgotten."""
        return self.running and (self.shows(now) == 0 if self.mode == "down" else self.shows(now) >= LONGEST)


def timer(table: Table) -> Timer | None:
    found = table.tools.get("timer")
    return found if isinstance(found, Timer) else None


class TimerEvent(TableEvent):
    def turn(self, timer: Timer | None) -> Timer | None:
        raise NotImplementedError

    def change(self, table: Table) -> Table:
        return replace(table, tools={**table.tools, "timer": self.turn(timer(table))})


def _there(timer: Timer | None) -> Timer:
    if timer is None:
        raise Refused("No timer is set.")
    return timer


class TimerStarted(TimerEvent):
    mode: Mode
    length: int
    at: int
    again: bool = False

    def turn(self, timer: Timer | None) -> Timer:
        if self.mode == "up":
            return Timer("up", 0, since=self.at)
        return Timer("down", self.length, self.length, until=self.at + self.length)

    def log_text(self, state: State) -> str:
        if self.mode == "up":
            return "restarted the stopwatch" if self.again else "started the stopwatch"
        return f"{'restarted' if self.again else 'started'} the timer, {clock(self.length)}"


class TimerPaused(TimerEvent):
    left: int

    def turn(self, timer: Timer | None) -> Timer:
        if not _there(timer).running:
            raise Refused("The timer is paused already.")
        return replace(_there(timer), left=self.left, until=None, since=None)

    def log_text(self, state: State) -> str:
        if _there(timer(state.table)).mode == "up":
            passed = self.left - self.left % SECOND  # as the phones show it
            return f"paused the stopwatch at {clock(passed)}"
        return f"paused the timer at {clock(self.left)}"


class TimerResumed(TimerEvent):
    at: int

    def turn(self, timer: Timer | None) -> Timer:
        paused = _there(timer)
        if paused.left is None:
            raise Refused("The timer is running already.")
        left = paused.left
        if paused.mode == "up":
            return replace(paused, left=None, since=self.at - left)
        return replace(paused, left=None, until=self.at + left)

    def log_text(self, state: State) -> str:
        up = _there(timer(state.table)).mode == "up"
        return f"let the {'stopwatch' if up else 'timer'} run on"


class TimerStretched(TimerEvent):
    """More time: a running timer ends later, a standing one has more left, one that is over runs again."""

    by: int
    at: int

    def turn(self, timer: Timer | None) -> Timer:
        found = _there(timer)
        if found.mode == "up":
            raise Refused("A stopwatch has no end to move.")
        if found.until is not None:
            return replace(found, until=max(found.until, self.at) + self.by, length=found.length + self.by)
        return replace(found, left=(found.left or 0) + self.by, length=found.length + self.by)

    def log_text(self, state: State) -> str:
        return f"gave the timer {clock(self.by)} more"


class TimerStopped(TimerEvent):
    def turn(self, timer: Timer | None) -> None:
        return None

    def log_text(self, state: State) -> str:
        return "put the timer away"


def start_timer(state: State, context: Context, length: Length = 0, mode: Mode = "down") -> Iterator[Event]:
    """Two phones may start it at once; the second finds it running."""
    now = timer(state.table)
    if now and now.running and not now.over(context.now):
        raise Refused("The timer is running already.")
    if mode == "down" and not length:
        raise Refused("How long? Type a length like 30, 1:30 or 5m.")
    yield TimerStarted(mode, length if mode == "down" else 0, context.now)


def pause_timer(state: State, context: Context) -> Iterator[Event]:
    found = _there(timer(state.table))
    if not found.running:
        raise Refused("The timer is paused already.")
    if found.over(context.now):
        raise Refused("Time is up already.")
    yield TimerPaused(found.shows(context.now))


def resume_timer(state: State, context: Context) -> Iterator[Event]:
    if _there(timer(state.table)).running:
        raise Refused("The timer is running already.")
    yield TimerResumed(context.now)


def restart_timer(state: State, context: Context) -> Iterator[Event]:
    found = _there(timer(state.table))
    yield TimerStarted(found.mode, found.set_to, context.now, again=True)


def add_time(state: State, context: Context, length: Length = 10 * SECOND) -> Iterator[Event]:
    found = _there(timer(state.table))
    if found.mode == "up":
        raise Refused("A stopwatch has no end to move.")
    if found.shows(context.now) + length > LONGEST:
        raise Refused("A timer can run from one second to 24 hours.")
    yield TimerStretched(length, context.now)


def stop_timer(state: State, context: Context) -> Iterator[Event]:
    _there(timer(state.table))
    yield TimerStopped()


COMMANDS = (start_timer, pause_timer, resume_timer, restart_timer, add_time, stop_timer)
EVENTS = (TimerStarted, TimerPaused, TimerResumed, TimerStretched, TimerStopped)
