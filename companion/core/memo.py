"""States never change, so what follows from one need not be worked out twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

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
            key = tuple(map(_mark, seen))  # `known` holds on to them, so no others can get their ids
            found = known.get(key)
            if found is None:
                if len(known) >= MOST:
                    known.pop(next(iter(known)))
                found = known[key] = (seen, answer(state))
            return found[1]

        return remembered

    return keeper


def _mark(each: object) -> int:
    """No number at a table is as far below zero as these, so none is taken for something else."""
    return each if type(each) is int else -id(each)


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
