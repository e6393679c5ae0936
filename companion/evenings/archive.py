"""The whole journal as JSON: written out, checked, and brought back exactly."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeGuard

from companion.core import Entry, Event, Game, Journal, Refused
from companion.core.event import Unreadable, dump
from companion.core.table import SittingOpened
from companion.evenings.export import bgstats_link, scores_csv
from companion.evenings.recap import Recap, recap
from companion.games import Shelf
from companion.sittings.sitting import ALPHABET, CODE, Sitting
from companion.storage.appends import JournalWriter
from companion.storage.rows import row_of
from companion.storage.store import CHUNK, Raced, SittingRow, Store
from companion.tools.sealed import ChoiceSealed, ChoicesRevealed

FORMAT = 1
WORDS = {"tap": 80, "digest": 64, "command": 80}
FARTHEST = 2**53  # as far as a phone counts without slips
NUMBERS = ("version", "phone", "at")
ENTRY_FIELDS = ("version", "tap", "digest", "phone", "command", "at")
HASH = re.compile(r"[0-9a-f]{64}")
Pause = Callable[[], None]  # called now and then by what takes long

By = tuple[str, int]
NOBODY: By = ("", 0)


def no_pause() -> None:
    """Nobody waits."""


class Damaged(Refused):
    """What was exported once cannot be brought back from this."""


@dataclass(frozen=True)
class Book:
    """A journal that was read and found whole."""

    code: str
    opened_at: int
    journal: Journal
    phones: Mapping[str, int]  # token hash → number

    @property
    def game(self) -> Game[Any]:
        return self.journal.game


def journal_json(sitting: Sitting, phones: Mapping[str, int] | None = None) -> str:
    """With `phones`, those that were there are known again when it is brought back.

    Without, a phone takes it along, and what is still sealed stays here. The invitation never goes along: a
    file is read by many, and who brings it back gets a new one.
    """
    entries = sitting.journal.entries
    spelled = [_entry(entry) for entry in (entries if phones is not None else unsealed(entries))]
    return _spelled(sitting.row, spelled, phones or {})


def raw_journal_json(store: Store, code: str) -> str:
    """As it is stored, read by nobody: what this version does not know goes out as it came in."""
    row = store.sitting(code)
    if row is None or row.id is None:
        raise Refused("There is no table with this code.")
    return _spelled(row, [_raw(each) for each in store.each_row(row.id)], store.phones(row.id))


def _raw(row: dict[str, Any]) -> dict[str, Any]:
    try:
        events = json.loads(row["events"])
    except ValueError:
        events = row["events"]  # damaged; whoever mends it should find it where it was
    return {**{name: row[name] for name in ENTRY_FIELDS}, "events": events}


def _spelled(row: SittingRow, entries: list[dict[str, Any]], phones: Mapping[str, int]) -> str:
    saved: dict[str, Any] = {
        "companion": "journal",
        "format": FORMAT,
        "game": row.slug,
        "code": row.code,
        "opened_at": row.opened_at,
        "entries": entries,
        "phones": [{"number": n, "token_hash": hashed} for hashed, n in phones.items()],
    }
    return json.dumps({**saved, "sha256": _checksum(saved)}, ensure_ascii=False, indent=1) + "\n"


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        **{name: getattr(entry, name) for name in ENTRY_FIELDS},
        "events": [dump(event) for event in entry.events],
    }


def unsealed(entries: Sequence[Entry]) -> list[Entry]:
    """Without the choices that nobody has revealed, be it that they were changed before that."""
    open_ones: dict[tuple[str, int], str] = {}  # what is revealed later on, going back
    shown = []
    for entry in reversed(entries):
        events = tuple(_unsealed(event, open_ones) for event in reversed(entry.events))[::-1]
        shown.append(entry if events == entry.events else _blank(entry, events))
    return shown[::-1]


def _unsealed(event: Event, open_ones: dict[tuple[str, int], str]) -> Event:
    if isinstance(event, ChoicesRevealed):
        open_ones.update({(event.about, seat): choice for seat, choice in event.choices.items()})
    if not isinstance(event, ChoiceSealed):
        return event
    if open_ones.get((event.about, event.seat)) != event.choice:
        return replace(event, choice="")
    del open_ones[event.about, event.seat]  # one that was there before it was changed to something else
    return event


def _blank(entry: Entry, events: tuple[Event, ...]) -> Entry:
    """A digest would tell the choice to whoever tries them all."""
    return replace(entry, events=events, digest=hashlib.sha256(entry.tap.encode()).hexdigest())


def _checksum(saved: Mapping[str, Any]) -> str:
    text = json.dumps(saved, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- reading ---


def read(games: Shelf, text: str, pause: Pause = no_pause) -> Book:
    """The book, if nothing in it was lost, changed or made up; else a sentence why not."""
    saved = _parse(text)
    slug = saved.get("game")
    if not isinstance(slug, str) or slug not in games:
        raise Damaged(f"It is a journal of {str(slug)[:40]}, which is not on this shelf.")
    game = games[slug]
    code, opened_at = saved.get("code"), saved.get("opened_at")
    if not (isinstance(code, str) and CODE.fullmatch(code)):
        raise Damaged("The journal does not say which table it is of.")
    if not _whole(opened_at):
        raise Damaged("The journal does not say when its table was opened.")
    entries = [_read_entry(game, at, each) for at, each in enumerate(_list(saved, "entries"), 1)]
    journal = _fold(game, entries, pause)
    return Book(code, opened_at, journal, _phones(journal, _list(saved, "phones")))


def _parse(text: str) -> dict[str, Any]:
    try:
        saved = json.loads(text)
    except (ValueError, RecursionError):
        raise Damaged("This is not a journal: it is not JSON, or only a part of it.") from None
    if not isinstance(saved, dict) or saved.get("companion") != "journal":
        raise Damaged("This is not a journal that companion exported.")
    if saved.get("format") != FORMAT:
        raise Damaged("The journal was made by another version of companion; update companion.")
    if saved.pop("sha256", None) != _checksum(saved):
        raise Damaged("The journal is damaged: its contents do not match its checksum.")
    return saved


def _list(saved: Mapping[str, Any], name: str) -> list[Any]:
    found = saved.get(name)
    if not isinstance(found, list):
        raise Damaged(f"The journal has no {name}.")
    return found


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _word(value: Any, most: int) -> bool:
    return isinstance(value, str) and len(value) <= most and value.isascii() and value.isprintable()


def _read_entry(game: Game[Any], number: int, saved: Any) -> Entry:
    where = f"Entry {number} of the journal"
    if not isinstance(saved, dict):
        raise Damaged(f"{where} is not an entry.")
    if saved.get("version") != number:
        raise Damaged(f"{where} is missing, or out of order.")
    sound = all(_word(saved.get(name), most) for name, most in WORDS.items())
    if not sound or not all(_whole(saved.get(name)) for name in NUMBERS) or saved["phone"] >= 2**31:
        raise Damaged(f"{where} does not say who did what when.")
    try:
        events = tuple(game.read(event) for event in _list(saved, "events"))
    except Unreadable:
        raise Damaged(f"{where} holds an event that {game.title} does not know.") from None
    given = {name: saved[name] for name in (*NUMBERS, *WORDS)}
    return Entry(**given, events=events)


def _fold(game: Game[Any], entries: list[Entry], pause: Pause) -> Journal:
    if not entries or not entries[0].events or not isinstance(entries[0].events[0], SittingOpened):
        raise Damaged("The journal does not begin with the opening of a table.")
    if len({entry.tap for entry in entries}) < len(entries):
        raise Damaged("The journal has the same tap twice.")
    try:
        journal = Journal(game, entries, pause)
        game.adjudicate(journal.state)
        game.view(journal.state)
        _check_whole(recap("", journal))
    except Refused as why:
        raise Damaged(f"The journal does not add up: {why}") from None
    except Exception as why:  # whatever a made-up event can do to a room, it is the journal that is wrong
        raise Damaged(f"The journal does not add up ({type(why).__name__}).") from None
    return journal


def _check_whole(evening: Recap) -> None:
    """All that will be asked of it once it is back."""
    evening.text, scores_csv(evening), bgstats_link(evening)
    totals = [total or 0 for _, line in evening.chart.lines for total in line] if evening.chart else []
    if any(abs(total) > FARTHEST for total in totals):
        raise Refused("it counts further than any table can.")


def _phones(journal: Journal, listed: list[Any]) -> dict[str, int]:
    known = {phone.number for phone in journal.state.table.phones}
    phones: dict[str, int] = {}
    for each in listed:
        hashed = each.get("token_hash") if isinstance(each, dict) else None
        if not isinstance(hashed, str) or not HASH.fullmatch(hashed) or each.get("number") not in known:
            raise Damaged("The journal speaks of a phone that was not at its table.")
        phones[hashed] = each["number"]
    if len(phones) < len(listed) or len(set(phones.values())) < len(phones):
        raise Damaged("The journal has the same phone twice.")
    return phones


# --- bringing back ---


def already_here(store: Store, book: Book) -> str | None:
    """The code of a table that has all of it: every entry, and every phone."""
    entries = book.journal.entries
    for row in store.opened_with(entries[0].tap):
        if row.slug == book.game.slug and row.id is not None:
            known = store.entries(book.game, row.id)[: len(entries)] == entries
            if known and book.phones.items() <= store.phones(row.id).items():
                return row.code
    return None


@dataclass(frozen=True)
class Copy:
    """A book as it is stored: what a process that has no time to read it can write down."""

    code: str
    slug: str
    opened_at: int
    host: int  # the number of the phone that was the host in the end
    rows: list[dict[str, Any]]

    @classmethod
    def of(cls, book: Book) -> Self:
        rows = [row_of(entry) for entry in book.journal.entries]
        return cls(book.code, book.game.slug, book.opened_at, book.journal.state.table.host, rows)

    def lines(self) -> str:
        """Each short, so that whoever reads them may look up in between."""
        head = (self.code, self.slug, self.opened_at, self.host)
        return "\n".join(json.dumps(line) for line in (head, *self.rows))

    @classmethod
    def heard(cls, lines: bytes, pause: Pause) -> Self:
        head, *rest = lines.split(b"\n")
        rows = []
        for at, line in enumerate(rest):
            if not at % CHUNK:
                pause()
            rows.append(json.loads(line))
        code, slug, opened_at, host = json.loads(head)
        return cls(code, slug, opened_at, host, rows)

    def with_phone(self, store: Store, hashed: str) -> str | None:
        """The code of a table that has as much of it already, and this phone at it."""
        for row in store.opened_with(self.rows[0]["tap"]):
            there = row.slug == self.slug and row.version >= len(self.rows)
            if there and row.id is not None and hashed in store.phones(row.id):
                return row.code
        return None


def read_evening(games: Shelf, text: str, pause: Pause) -> Book:
    """For a phone that brings it along. A table that goes on is not moved by a file: both would go on."""
    book = read(games, text, pause)
    if not recap("", book.journal, briefly=True).finished:
        raise Damaged("The game in this file is not over. End it where it is played, then save it once more.")
    return book


def bring_back(store: Store, book: Book) -> str:
    """The code it has now: its own if that is free, else a new one."""
    return put(store, Copy.of(book), book.phones)


def put(store: Store, copy: Copy, phones: Mapping[str, int], pause: Pause = no_pause, by: By = NOBODY) -> str:
    """As `bring_back`; `by` is the address that it counts against, and from when on."""
    code = copy.code
    for _ in range(5):
        if store.sitting(code) is not None:
            code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        try:
            with store.writing() as writer:
                writer.open(_row(copy, code))
                _fill(writer, copy, phones, pause, by)
            return code
        except Raced:
            continue
    raise Raced("no free code was found")


def _fill(writer: JournalWriter, copy: Copy, phones: Mapping[str, int], pause: Pause, by: By) -> None:
    for some in range(0, len(copy.rows), CHUNK):
        writer.append_all(copy.rows[some : some + CHUNK])
        pause()
    for hashed, number in phones.items():
        writer.add_phone(number, hashed)
    if by[0]:
        writer.count(*by)


def _row(copy: Copy, code: str) -> SittingRow:
    return SittingRow(
        code=code,
        slug=copy.slug,
        secret=secrets.token_urlsafe(12),
        tap=secrets.token_hex(32),  # nobody can open it twice by sending the tap that opened it once more
        version=len(copy.rows),
        opened_at=copy.opened_at,
    )
