"""Who hosts. The role is handed on by its holder; if that phone is lost, whoever asks for it gets it.

A phone of which nothing was heard for two minutes may be lost. Where other processes may have heard of it,
the question itself waits as long. The phone that lost the role in this way may have it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from companion.core import (
    Context,
    Count,
    Event,
    Refused,
    State,
    Table,
    TableEvent,
    host_only,
    phone_only,
    refuse_if,
    replace,
)
from companion.tools.phones import SILENT, is_silent


@dataclass(frozen=True)
class Hosting:
    requests: Mapping[int, int] = field(default_factory=dict)  # phone → when it asked to be the host
    former: int = 0  # the phone that lost the role by its silence, until it has said what it wants


def hosting(table: Table) -> Hosting:
    found = table.tools.get("hosting")
    return found if isinstance(found, Hosting) else Hosting()


def _with(table: Table, now: Hosting) -> Table:
    return replace(table, tools={**table.tools, "hosting": now})


def who_asks(table: Table) -> tuple[int, ...]:
    """Phones that would host and wait for a word of who does."""
    return tuple(number for number in hosting(table).requests if _is_here(table, number))


def _is_here(table: Table, number: int) -> bool:
    return table.phone(number).role in ("player", "watcher", "display")


class HostHanded(TableEvent):
    phone: int
    lasting = True

    def change(self, table: Table) -> Table:
        table.phone(self.phone)
        return _with(replace(table, host=self.phone), Hosting())

    def log_text(self, state: State) -> str:
        return f"handed the host role to {state.table.who(self.phone)}"


class HostAsked(TableEvent):
    phone: int
    at: int
    lasting = True

    def change(self, table: Table) -> Table:
        now = hosting(table)
        return _with(table, replace(now, requests={**now.requests, self.phone: self.at}))

    def log_text(self, state: State) -> str:
        return "asks to be the host"


class HostKept(TableEvent):
    """Who hosts is there, and said no."""

    phone: int
    lasting = True

    def change(self, table: Table) -> Table:
        now = hosting(table)
        left = {phone: at for phone, at in now.requests.items() if phone != self.phone}
        return _with(table, replace(now, requests=left))

    def log_text(self, state: State) -> str:
        return "stays the host"


class HostTakenOver(TableEvent):
    phone: int
    was: int
    lasting = True

    def change(self, table: Table) -> Table:
        return _with(replace(table, host=self.phone), Hosting(former=self.was))

    def log_text(self, state: State) -> str:
        return f"is the host now: nothing was heard of {state.table.who(self.was)}’s phone"


class HostRestored(HostHanded):
    """To the phone that had lost the role by its silence."""

    def log_text(self, state: State) -> str:
        return "is back, and the host again"


@host_only
def hand_host_on(state: State, context: Context, phone: Count) -> Iterator[Event]:
    refuse_if(not _is_here(state.table, phone), "That phone is not at the table.")
    refuse_if(phone == state.table.host, "That phone is the host already.")
    yield HostHanded(phone)


def ask_to_host(state: State, context: Context) -> Iterator[Event]:
    """Of whoever has gone nobody waits for an answer."""
    table = state.table
    me, host, requests = context.phone, table.host, hosting(table).requests
    refuse_if(me == host, "This phone is the host already.")
    unknown = context.heard(host) is None
    if is_silent(context, host) or (unknown and me in requests and context.now - requests[me] >= SILENT):
        yield HostTakenOver(me, host)
    elif me in requests:
        raise Refused(
            f"{table.who(host)} is asked already."
            " Two minutes after that phone falls silent, ask once more and you host."
        )
    else:
        yield HostAsked(me, context.now)


@host_only
def keep_host(state: State, context: Context, phone: Count) -> Iterator[Event]:
    refuse_if(phone not in hosting(state.table).requests, "That phone does not ask to be the host now.")
    yield HostKept(phone)


@phone_only
def take_host_back(state: State, context: Context) -> Iterator[Event]:
    _check_former(state.table, context.phone)
    yield HostRestored(context.phone)


@phone_only
def leave_host(state: State, context: Context) -> Iterator[Event]:
    """The phone that was lost is back, and content: whoever hosts now goes on."""
    _check_former(state.table, context.phone)
    yield HostHanded(state.table.host)


def _check_former(table: Table, phone: int) -> None:
    refuse_if(
        hosting(table).former != phone, "Only a phone that lost the host role by its silence decides that."
    )


COMMANDS = (hand_host_on, ask_to_host, keep_host, take_host_back, leave_host)
EVENTS = (HostHanded, HostAsked, HostKept, HostTakenOver, HostRestored)
