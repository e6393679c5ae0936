"""A journal that import takes can be looked at from every side, whatever was done to it before."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_the_table import Handset
from flask import Flask
from golden.make import GOLDEN, RESULT
from proven import Proven, how_many, listed

from companion.evenings.archive import Damaged, _checksum, bring_back, read
from companion.evenings.export import bgstats_link
from companion.evenings.recap import recap
from companion.games import Shelf
from companion.sittings.sitting import hash_of

JOURNALS = sorted(file for file in GOLDEN.glob("*/*.json") if not file.name.endswith(RESULT))
TOKEN = "a" * 64
MUTATIONS = how_many("MUTATIONS", 2, 30)  # of each, and more until one is taken
MOST = 30
ODD = [0, -1, 1, 2, 13, 10**6, 2**63, 10**400, "", "x", "A" * 50, None, True, [], {}, [1], "a\nb"]
TIMES = [0, 1, 2**31 - 1, 2**62, 253_402_300_800_000]
PAGES = (
    "",
    "/display",
    "/log",
    "/standing",
    "/people",
    "/dice",
    "/recap",
    "/scores.csv",
    "/journal.json",
)


def places(within: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in an event."""
    if path and path != ("event",):
        yield path
    inside = (
        within.items() if isinstance(within, dict) else enumerate(within) if isinstance(within, list) else ()
    )
    for key, value in inside:
        yield from places(value, (*path, key))


def change_a_value(told: dict[str, Any], luck: random.Random) -> None:
    event = luck.choice([event for entry in told["entries"] for event in entry["events"]])
    found = list(places(event))
    if found:
        *way, last = luck.choice(found)
        for key in way:
            event = event[key]
        was = event[last]
        near = [was + 1, was - 1, -was, 2 * was, was + 10] if type(was) is int else []
        event[last] = luck.choice([*near, *ODD])


def lose_an_event(told: dict[str, Any], luck: random.Random) -> None:
    events = luck.choice(told["entries"])["events"]
    events.pop(luck.randrange(len(events)))


def repeat_an_event(told: dict[str, Any], luck: random.Random) -> None:
    event = luck.choice(luck.choice(told["entries"])["events"])
    luck.choice(told["entries"])["events"].append(copy.deepcopy(event))


def lose_an_entry(told: dict[str, Any], luck: random.Random) -> None:
    told["entries"].pop(luck.randrange(len(told["entries"])))
    for version, entry in enumerate(told["entries"], 1):
        entry["version"] = version


def swap_two(told: dict[str, Any], luck: random.Random) -> None:
    at = luck.randrange(len(told["entries"]) - 1)
    one, other = told["entries"][at : at + 2]
    one["events"], other["events"] = other["events"], one["events"]


def change_the_time(told: dict[str, Any], luck: random.Random) -> None:
    luck.choice([told["entries"][-1], luck.choice(told["entries"])])["at"] = luck.choice(TIMES)


CHANGES = (
    change_a_value,
    change_a_value,
    lose_an_event,
    repeat_an_event,
    lose_an_entry,
    swap_two,
    change_the_time,
)


def mutated(golden: Path, luck: random.Random) -> str:
    """By somebody who made the checksum fit again."""
    told = json.loads(golden.read_text("utf-8"))
    luck.choice((*CHANGES, change_a_value))(told, luck)
    del told["sha256"]
    told["phones"] = [{"number": 1, "token_hash": hash_of(TOKEN)}]
    return json.dumps({**told, "sha256": _checksum(told)})


@pytest.mark.proof
@pytest.mark.parametrize("golden", JOURNALS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_what_import_takes_can_be_shown_and_told(
    lasting_app: Flask, games: Shelf, proven: Proven, golden: Path
) -> None:
    play, luck, taken = lasting_app.extensions["play"], random.Random(golden.stem), 0
    ada = Handset(lasting_app)
    ada.client.set_cookie("phone", TOKEN)
    found: list[str] = []
    for number in range(MOST):
        if number >= MUTATIONS and taken:
            break
        try:
            book = read(games, mutated(golden, luck))
        except Damaged:
            continue
        code = bring_back(play.store, book)
        taken += 1
        # Of the code that a camera reads, the link is what an evening makes; to draw it takes the longest.
        assert bgstats_link(recap(code, play.show(code).journal))
        pages = (*PAGES, "/bgstats") if taken == 1 else PAGES
        pages = (*(f"/s/{code}{page}" for page in pages), "/history")
        found += [page for page in pages if ada.get(page).status_code >= 500]
        play.forget(code)
    name = f"{golden.parent.name} {golden.stem}"
    proven(f"{MUTATIONS} mutated journals of {name}; {taken} were taken", listed({"answered 500": found}))
    assert not found
    assert taken, "all of them were refused, so this said nothing"
