"""Every tap counts once: four thumbs in the same instant, a cut line, every POST sent twice."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from at_the_table import Served
from test_serving import Answer, Caller, counting, together

from companion.core import Journal
from companion.games import Shelf, take
from companion.storage.store import Store

pytestmark = pytest.mark.proof


class Table:
    """Ada, Bob, Cleo and Dov, each with a phone, at a real server."""

    def __init__(self, server: Served, games: Shelf) -> None:
        self.server, self.games = server, games
        ada = Caller(server.url)
        self.code = ada.open("Ada", "Bob", "Cleo", "Dov")
        secret = ada.secret(self.code)
        self.phones = [ada, *(Caller(server.url).join(self.code, secret, seat) for seat in (2, 3, 4))]

    @property
    def path(self) -> str:
        return f"/s/{self.code}/do/count"

    def points(self) -> list[int]:
        """As they are on disk."""
        store = Store(self.server.database)
        row = store.sitting(self.code)
        assert row
        assert row.id
        game = take(self.games, row.slug)
        state = Journal(game, store.entries(game, row.id)).state
        store.close()
        return [state.got(1, seat, "1") for seat in range(1, 5)]


@pytest.fixture
def table(inn_on: Served, games: Shelf) -> Table:
    return Table(inn_on, games)


def test_four_phones_tap_in_the_same_instant_twenty_five_times(table: Table) -> None:
    gate = threading.Barrier(4)

    def tap(phone: Caller) -> list[int]:
        versions = []
        for _ in range(25):
            gate.wait(30)
            said = phone.count(table.code, seat=1)
            assert said.status == 201, said
            versions.append(said.json["version"])
        return versions

    versions = together(*(partial(tap, phone) for phone in table.phones))
    assert table.points() == [100, 0, 0, 0]
    answered = sorted(version for each in versions for version in each)
    assert answered == list(range(answered[0], answered[0] + 100))  # each with a place of its own


def cut_in_the_middle(table: Table, phone: Caller, tap: str) -> None:
    """Half of the request is out when the line goes."""
    body = urlencode(counting(tap=tap)).encode()
    head = (
        f"POST {table.path} HTTP/1.1\r\nHost: {phone.url.removeprefix('http://')}\r\nOrigin: {phone.url}\r\n"
        f"Cookie: {phone.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", table.server.port)) as line:
        line.sendall(head.encode() + body[: len(body) // 2])


def cut_before_the_answer(table: Table, phone: Caller, tap: str) -> None:
    """The whole request is out, and its answer is never heard."""
    phone.send("POST", table.path, counting(tap=tap))
    phone.line.close()


def cut_with_a_reset(table: Table, phone: Caller, tap: str) -> None:
    """As above, and the server is told so rudely."""
    phone.send("POST", table.path, counting(tap=tap))
    phone.line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    phone.line.close()


@pytest.mark.parametrize("cut", [cut_in_the_middle, cut_before_the_answer, cut_with_a_reset])
def test_a_line_that_is_cut_in_the_middle_of_five_taps_costs_none(
    table: Table, cut: Callable[[Table, Caller, str], None]
) -> None:
    ada = table.phones[0]
    for number in range(5):
        tap = secrets.token_hex(8)
        if number in (1, 2, 3):
            cut(table, ada, tap)
            cut(table, ada, tap)
        said = ada.count(table.code, tap=tap)
        assert (said.status, said.json["tap"]) == (201, tap)
    assert table.points() == [5, 0, 0, 0]
    assert "Traceback" not in table.server.log()


def test_every_post_sent_twice_at_once_is_applied_once(table: Table) -> None:
    for seat, phone in enumerate(table.phones, 1):
        twin = Caller(phone.url)
        twin.cookie = phone.cookie
        for _ in range(5):
            tap = secrets.token_hex(8)
            twice = [partial(each.count, table.code, seat, tap=tap) for each in (phone, twin)]
            first, second = together(*twice)
            assert (first.status, first.text) == (second.status, second.text)
            assert first.status == 201
    assert table.points() == [5, 5, 5, 5]


def test_other_posts_sent_twice_at_once_are_applied_once_too(table: Table) -> None:
    """Taking a seat and what only the host may do travel by the same road."""
    ada, bob = table.phones[:2]
    posts: list[tuple[Caller, str, dict[str, Any]]] = [
        (bob, f"/s/{table.code}/seat", {"tap": secrets.token_hex(8), "seats": [2, 3]}),
        (ada, f"/s/{table.code}/host/lock_joining", {"tap": secrets.token_hex(8), "locked": "yes"}),
        (ada, f"/s/{table.code}/do/next_round", {"tap": secrets.token_hex(8), "after": 1}),
        (ada, f"/s/{table.code}/do/add_counter", {"tap": secrets.token_hex(8), "name": "Gold"}),
    ]
    for phone, path, form in posts:
        twin = Caller(phone.url)
        twin.cookie = phone.cookie
        said: list[Answer] = together(*(partial(each.ask, "POST", path, form) for each in (phone, twin)))
        assert {each.status for each in said} <= {201, 303}, said
        assert said[0].status == said[1].status
        if said[0].status == 201:
            assert said[0].text == said[1].text
        else:  # one that comes in two pieces is answered by Flask, which says the same with a page around it
            assert said[0].headers["location"] == said[1].headers["location"]
