"""Taking back, and putting back. What may be reverted is the journal's business."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core import Context, Count, Event, PutBack, State, TakenBack


def take_back(state: State, context: Context, entry: Count) -> Iterator[Event]:
    yield TakenBack(entry)


def put_back(state: State, context: Context, entry: Count) -> Iterator[Event]:
    yield PutBack(entry)


COMMANDS = (take_back, put_back)
