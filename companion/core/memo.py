"""States never change, so what follows from one need not be worked out twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache, wraps
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from companion.core.table import State

A = TypeVar("A", bound=State)
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")
MOST = 256  # tables, about
#: For a piece that is made of plain values: what is the same at every table is made once.
remembered = lru_cache(1024)


def once(answer: Callable[[S], T]) -> Callable[[S], T]:
    """For what is asked several times of one state while a tap is drawn: the last answer is kept."""
    kept: tuple[Any, Any] = (None, None)

    @wraps(answer)
    def remembered(state: S) -> T:
        nonlocal kept
        last, known = kept
        if last is not state:
            known = answer(state)
            kept = (state, known)
        result: T = known
        return result

    return remembered


def kept_while(looks_at: Callable[[S], tuple[object, ...]]) -> Callable[[Callable[[S], T]], Callable[[S], T]]:
    """For what most taps leave as it was: the answer holds while what is looked at is the very same, or for a
    number, as large."""

    def keeper(answer: Callable[[S], T]) -> Callable[[S], T]:
        known: dict[tuple[int, ...], tuple[object, T]] = {}

        @wraps(answer)
        def remembered(state: S) -> T:
            seen = looks_at(state)
            # `known` holds on to them, so no others can get their ids. And no number at a table is as far
            # below zero as those, so none is taken for something else.
            key = tuple([each if type(each) is int else -id(each) for each in seen])
            found = known.get(key)
            if found is None:
                if len(known) >= MOST:
                    known.pop(next(iter(known)))
                found = known[key] = (seen, answer(state))
            return found[1]

        return remembered

    return keeper


def kept_but_for(
    kind: type[A], *changing: str, also: Callable[[A], object] = lambda state: None
) -> Callable[[Callable[[A], T]], Callable[[A], T]]:
    """For what follows from a whole state, where the commonest tap changes just these fields of it: at each
    table the last answer holds while all the others are as they were, and what `also` says of these. Of a
    `table` that changes, as with every roll, who sits there and what they chose is looked at."""
    names, rolled = [each.name for each in fields(kind) if each.name not in changing], "table" in changing
    others = attrgetter(*names, *(("table.seats", "table.choices") if rolled else ()))
    where = attrgetter("table.seats" if rolled else "table")

    def keeper(answer: Callable[[A], T]) -> Callable[[A], T]:
        known: dict[int, tuple[object, T]] = {}

        @wraps(answer)
        def remembered(state: A) -> T:
            seen, table = (others(state), also(state)), id(where(state))
            found = known.get(table)  # it holds on to that, so nothing else can get its id
            if found is None or found[0] != seen:  # what is the very same is equal at a glance
                if found is None and len(known) >= MOST:
                    known.pop(next(iter(known)))
                found = known[table] = (seen, answer(state))
            return found[1]

        return remembered

    return keeper


def kept_on(answer: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """For what follows from one thing that never changes, and from what is around it: the last answer is kept
    on the thing itself, and goes with it. So a tap works out anew only what is about whom it changed."""
    name = f"_{answer.__name__}"

    @wraps(answer)
    def remembered(thing: S, /, *around: P.args, **named: P.kwargs) -> T:
        kept = thing.__dict__
        known = kept.get(name)
        if known is None or known[0] != around:
            known = kept[name] = (around, answer(thing, *around, **named))
        result: T = known[1]
        return result

    return remembered
