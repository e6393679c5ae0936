"""Taps that differ in one thing: a number that is set step by step, and one of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.pieces import Bar, Do, Tap


def stepper(id: str, what: str, now: int, may: range, do: Do, name: str) -> Bar:
    """A number that is set to one less or one more, as far as it may go: `do` is told it as `name`."""
    taps = [Tap(f"{what} {now}")]
    for sign, to in (("−", now - 1), ("+", now + 1)):
        able = Do(do.command, {**do.args, name: to}) if to in may else None
        taps.append(Tap(f"{what} {to}", able, short=sign))
    return Bar(id, tuple(taps))


def picks(do: Do, name: str, among: Mapping[Any, str], id: str = "", **same: Any) -> tuple[Tap, ...]:
    """A tap for each, which tells `do` which one as `name`: `among` has what each is called. Its own id is
    `id-…`; `marked` puts the sign of that name on it, and `chosen` says which one is on."""
    marked, chosen, taps = same.pop("marked", False), same.pop("chosen", None), []
    for one, label in among.items():
        looks = {"mark": one if marked else "", "on": None if chosen is None else one == chosen, **same}
        taps.append(Tap(label, do.also(**{name: one}), id=f"{id}-{one}" if id else "", **looks))
    return tuple(taps)
