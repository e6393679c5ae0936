"""Thousands of requests that nobody means, on both databases: none answers 5xx, none hangs, and nobody reads
or changes what they have no right to."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from at_the_table import OUTSIDE, Serve, Served
from broken import Copy
from flask import Flask
from fuzzing import INSIDE, KINDS, Company, Fuzzer, Request, company
from proven import Proven, how_many, listed
from sqlalchemy import create_engine, text
from wire import Wire

from companion.core import Entry, Journal
from companion.core.command import right
from companion.core.table import Table
from companion.games import Shelf, take
from companion.storage.store import Store

REQUESTS = how_many("REQUESTS", 250, 20_000)  # to each database
NOTICED = 4000  # requests within which a copy that is broken must be noticed; one in a few hundred finds it
SEED = how_many("SEED", 1, random.randrange(10**6))
EACH = 250  # requests near one table; then it is looked through, and there is another
HUNG = -1  # as a status
SPOILT = 0.1  # of them go out with bytes changed
pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]

NEW = (
    "SELECT entry.command, phone.token_hash FROM entry JOIN sitting ON sitting.id = entry.sitting_id"
    " LEFT JOIN phone ON phone.sitting_id = sitting.id AND phone.number = entry.phone"
    " WHERE sitting.code = :code AND entry.version > :after"
)


@dataclass
class Auditor:
    """Looks over the server's shoulder, into its database."""

    url: str
    games: Shelf
    found: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.engine = create_engine(self.url)

    def ask(self, query: str, **given: Any) -> list[Any]:
        with self.engine.connect() as database:
            return list(database.execute(text(query), given))

    def version(self, code: str) -> int:
        found = self.ask("SELECT version FROM sitting WHERE code = :code", code=code)
        return int(found[0][0]) if found else -1

    def journal(self, code: str) -> Journal:
        """Told entry by entry, with the right of each asked before it is added."""
        store = Store(self.url)
        row = store.sitting(code)
        assert row
        game = take(self.games, row.slug)
        journal = Journal(game)
        for entry in store.entries(game, row.id or 0):
            if journal.version and not may(
                journal.state.table, entry, right(game.by_name.get(entry.command))
            ):
                self.found["without rights"].append(f"{entry.command} by phone {entry.phone}")
            journal.add(entry)
        store.close()
        return journal

    def answered(self, status: int, what: str) -> None:
        if status >= 500 or status == HUNG:
            self.found["hung" if status == HUNG else f"answered {status}"].append(what)

    def changed(self, near: Company, kind: str, after: int, what: str) -> int:
        """Whatever was added was done by the phone that asked."""
        now = self.version(near.code)
        if now < after:
            self.found["gone"].append(what)
        for command, hashed in self.ask(NEW, code=near.code, after=after) if now > after else []:
            if command != "join" and hashed != near.hashed(kind):
                self.found["in another's name"].append(what)
        return now

    def heard(self, near: Company, kind: str, path: str, said: str, what: str) -> None:
        """Nobody who was not let in hears how to come in; or who sits there, but for what is on the door."""
        theirs = (near.secret,) if DOOR.match(path) else (near.secret, *near.names)
        if kind in INSIDE or not any(each in said for each in theirs):
            return
        known = self.ask("SELECT number FROM phone WHERE token_hash = :hashed", hashed=near.hashed(kind))
        table: Table = self.journal(near.code).state.table
        numbers = {number for (number,) in known}
        if not any(phone.number in numbers and phone.role not in OUT for phone in table.phones):
            self.found["read without rights"].append(what)


OUT = ("gone", "waiting")
DOOR = re.compile(r"/j/|/tv/|/s/\w+/waiting")  # tell whoever has the code that it is the right table


def may(table: Table, entry: Entry, needed: str) -> bool:
    """The rights of phones, written a second time: by one that does not know how the server asks."""
    if entry.command == "join":
        return True
    roles = {phone.number: phone.role for phone in table.phones if phone.role not in OUT}
    if entry.phone not in roles or entry.phone == table.host:
        return entry.phone in roles
    return needed == "phone" or (needed == "player" and roles[entry.phone] == "player")


Found = dict[str, list[str]]


def fuzz(
    server: Served, app: Flask, games: Shelf, requests: int, seed: int, looked_for: str = ""
) -> tuple[Counter[int], Found]:
    """Until as many are sent, or that is found which is looked for."""
    chance = random.Random(seed)
    fuzzer = Fuzzer(server.url, list(app.url_map.iter_rules()), take(games, "any-game"), chance)
    wire, auditor = Wire(server.url, chance), Auditor(server.database, games)
    answers: Counter[int] = Counter()
    for begun in range(0, requests, EACH):
        near = company(server.url)
        after = auditor.version(near.code)
        for _ in range(min(EACH, requests - begun)):
            kind = chance.choice(KINDS)
            request = fuzzer.request(near, kind)
            what = f"{kind}: {request.method} {request.path[:200]} {request.body[:200]!r}"
            status, said = asked(wire, fuzzer, request)
            answers[status] += 1
            auditor.answered(status, what)
            auditor.heard(near, kind, request.path, said, what)
            after = auditor.changed(near, kind, after, what)
        auditor.journal(near.code)
        auditor.found["secrets in the log"] += [near.code] * (near.secret in server.log())
        if auditor.found.get(looked_for):
            break
    wire.hang_up()
    auditor.found["tracebacks"] = server.log().split("Traceback")[1:]
    auditor.engine.dispose()
    return answers, {fault: each for fault, each in auditor.found.items() if each}


def asked(wire: Wire, fuzzer: Fuzzer, request: Request) -> tuple[int, str]:
    ask = partial(wire.say, fuzzer.spoilt(request)) if fuzzer.often(SPOILT) else partial(wire.ask, request)
    try:
        return ask()
    except TimeoutError:
        wire.hang_up()
        return HUNG, ""


@pytest.mark.parametrize("kind", ["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.postgres)])
def test_fuzzed_requests_break_nothing_and_change_nothing_without_rights(
    served: Serve,
    lasting_app: Flask,
    games: Shelf,
    proven: Proven,
    request: pytest.FixtureRequest,
    kind: str,
) -> None:
    env = {"COMPANION_LIMITS": "off", **OUTSIDE}
    if kind == "PostgreSQL":
        env["COMPANION_DATABASE_URL"] = request.getfixturevalue("postgres_database")
    answers, found = fuzz(served(**env), lasting_app, games, REQUESTS, SEED)
    taken = sum(many for status, many in answers.items() if 200 <= status < 400)
    proven(f"{REQUESTS:,} fuzzed requests, {kind}, seed {SEED}; {taken:,} were taken", listed(found))
    assert found == {}, {fault: each[:3] for fault, each in found.items()}
    assert 0.1 * REQUESTS < taken < 0.9 * REQUESTS, answers
    assert answers[0] < 0.1 * REQUESTS, "most of them never came through"


BREAKS = {  # what is found, and with which seed soon
    "ask_nobody_for_rights": ("without rights", 1),
    "stumble_over_slips": ("answered 500", 5),
}


@pytest.mark.parametrize("how", BREAKS)
def test_the_auditor_notices_a_server_that_is_broken_on_purpose(
    served: Serve, lasting_app: Flask, games: Shelf, proven: Proven, copy: Copy, how: str
) -> None:
    """One break at a time: where nobody is asked for rights, phones that could stumble are soon removed."""
    fault, seed = BREAKS[how]
    getattr(copy, how)()
    server = served(**copy.env, COMPANION_LIMITS="off")
    answers, found = fuzz(server, lasting_app, games, NOTICED, seed, fault)
    what = f"{answers.total()} fuzzed requests to a copy broken on purpose: {how.replace('_', ' ')}"
    proven(what, listed(found))
    assert fault in found
    assert ("tracebacks" in found) == (fault == "answered 500")
