"""A number that is set step by step."""

from __future__ import annotations

from companion.core.pieces import Bar, Do, Tap


def stepper(id: str, what: str, now: int, may: range, do: Do, name: str) -> Bar:
    """A number that is set to one less or one more, as far as it may go: `do` is told it as `name`."""
    taps = [Tap(f"{what} {now}")]
    for sign, to in (("−", now - 1), ("+", now + 1)):
        able = Do(do.command, {**do.args, name: to}) if to in may else None
        taps.append(Tap(f"{what} {to}", able, short=sign))
    return Bar(id, tuple(taps))
