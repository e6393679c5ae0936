"""Sentences with gaps in them: what is said of something that happened, put together of what it knows.

In a gap stands the name of a field, a property or a method of the thing, which is asked with the state; or
`state`, and then dots. After a colon it says how:

`"{count:card}, {hurt:Injury/Injuries} dealt"`, `"{by:±} power"`, `"now {kp:−}"`  numbers
`"it is {won:won|lost}"`, `"drawn{how:lot=, by lot}"`, `"{flip:1=talk!|talk again}"`  one of several
`"plays{card:? with {card}}"`, `"{out:!goes on}"`  only if it is so, or not
`"note: {note:or taken away}"`, `"{cards:#card}"`  what else is said of nothing, and how many there are
`"{seat:@seat} covers {spaces:@space|nothing}"`  what its id is called, by `State.names`; several are listed
`"revealed: {cards:@@card}"`  the same of what is kept by seat, with the name of each
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from string import Formatter
from typing import Any

from companion.core.files import read
from companion.core.text import counted, listed, plain, signed

Say = Callable[[Any, Any], str]  # of the thing, and the state
SayOf = Callable[[Any, Any, Any], str]  # of a value, the thing, and the state
NUMBERS: dict[str, Callable[[int], str]] = {"±": signed, "−": plain}


@cache  # as many as rooms have sentences
def sentence(words: str) -> Say:
    parts = list(_parts(words))
    return lambda thing, state: "".join([part(thing, state) for part in parts])


def load_sentences(package: str) -> dict[str, Callable[..., str]]:
    """What a room says of its state, or of a thing and the state: [sentences] of its `data/said.toml`."""

    def saying(words: str) -> Callable[..., str]:
        say = sentence(words)
        return lambda thing, state=None: say(thing, state or thing)

    return {name: saying(words) for name, words in read(package, "said.toml")["sentences"].items()}


def _parts(words: str) -> Iterator[Say]:
    for literal, gap, how, _ in Formatter().parse(words):
        if literal:
            yield lambda thing, state, text=literal: text  # type: ignore[misc]
        if gap is not None:
            yield _filled(gap, _how(how or ""))


def _filled(gap: str, say: SayOf) -> Say:
    name, *rest = re.findall(r"\w+", gap)

    def filled(thing: Any, state: Any) -> str:
        value = state if name == "state" else getattr(thing, name)
        if callable(value):
            value = value(state)
        for each in rest:
            value = value[int(each)] if each.isdigit() else getattr(value, each)
        return say(value, thing, state)

    return filled


def _how(how: str) -> SayOf:
    first, rest = how[:1], how[1:]
    if how in NUMBERS:
        return lambda value, thing, state: NUMBERS[how](value)
    if not how or how[:3] == "or ":
        return lambda value, thing, state: _plainly(value) or how[3:]
    if first in "?!":
        so, inside = first == "?", sentence(rest)
        return lambda value, thing, state: inside(thing, state) if bool(value) == so else ""
    if first == "@":
        kind, otherwise, nothing = rest.partition("|")
        return lambda value, _, state: nothing if otherwise and not value else _called(kind, value, state)
    if first == "#":
        number = _how(rest)
        return lambda value, thing, state: number(len(value), thing, state)
    if "|" in how or "=" in how:
        return _one_of(re.split(r"\|(?![^{]*\})", how))  # not what is inside a gap
    return lambda value, *_: counted(value, how) if how[:2].isalpha() else format(value, how)


def _plainly(value: Any) -> str:
    names = type(value) is tuple and all(isinstance(each, str) for each in value)
    return listed(value) if names else str(value)


def _called(kind: str, value: Any, state: Any) -> str:
    if kind[0] == "@":
        texts = [f"{state.name(seat)} {_called(kind[1:], theirs, state)}" for seat, theirs in value.items()]
        return ("; " if any(isinstance(each, tuple) for each in value.values()) else ", ").join(texts)
    names, ids = state.names[kind], value if isinstance(value, tuple) else (value,)
    return listed([names.get(id, "") if isinstance(names, Mapping) else names(state, id) for id in ids])


def _one_of(ways: list[str]) -> SayOf:
    """By what it is, the last one else; of a yes or no the first if it is so."""
    known = [re.fullmatch(r"([^{=]*)=(.*)", each, re.DOTALL) for each in ways]
    by_value = {each[1]: sentence(each[2]) for each in known if each}
    first, last = sentence(ways[0]), sentence("" if known[-1] else ways[-1])

    def one_of(value: Any, thing: Any, state: Any) -> str:
        if type(value) is bool:
            return (first if value else last)(thing, state)
        return by_value.get(str(value), last)(thing, state)

    return one_of
