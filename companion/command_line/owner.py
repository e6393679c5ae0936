"""What whoever runs the server can ask of its evenings: history, export, import, forget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.core import Refused
from companion.core.text import counted, plain
from companion.evenings.archive import already_here, bring_back, journal_json, raw_journal_json, read
from companion.evenings.export import bgstats_link, scores_csv
from companion.evenings.history import Closed, GameTally, History, NameTally, games, players
from companion.evenings.recap import Recap, lasted, recap
from companion.games import shelf
from companion.net.live import Live
from companion.sittings.play import NotFound, Play
from companion.storage.database import Unusable
from companion.storage.store import Store

SUMS = ("name", "plays", "decided", "wins", "share", "streak", "longest", "minutes")


@contextmanager
def evenings(settings: dict[str, Any]) -> Iterator[Play]:
    """The tables of this server, also while it runs: it notices within two seconds what was forgotten."""
    url = settings["DATABASE_URL"]
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).parent.is_dir():
        raise Unusable(f"There is no folder {Path(url.removeprefix('sqlite:///')).parent}.")
    store = Store(url)
    try:
        store.prepare()
        yield Play(store, Live(), shelf(settings["SHELF"]))
    finally:
        store.close()


def history(play: Play, as_json: bool) -> str:
    every = History(play)
    evenings, closed = every.all(), every.closed()
    if as_json:
        facts = [*map(_facts, evenings), *map(_closed_facts, closed)]
        return json.dumps(facts, ensure_ascii=False, indent=1)
    return "\n".join([*map(_line, evenings), *map(_closed_line, closed)]) or "No evening has ended yet."


def _line(evening: Recap) -> str:
    when, what = _day(evening.over_at), f"{evening.game.title}, {lasted(evening.minutes)}"
    return f"{when}  {evening.code}  {what}: {evening.headline}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _closed_line(closed: Closed) -> str:
    kept = f"cannot be read by this version; companion export {closed.code} gives all of it"
    return f"{_day(closed.opened_at)}  {closed.code}  {closed.game.title}: {kept}"


def _closed_facts(closed: Closed) -> dict[str, Any]:
    known = {
        "code": closed.code,
        "game": closed.game.slug,
        "title": closed.game.title,
        "over_at": None,
        "minutes": None,
    }
    summary = f"This version cannot read it; companion export {closed.code} gives all of it."
    return {**known, "outcome": "unreadable", "winners": [], "summary": summary, "players": []}


def _facts(evening: Recap) -> dict[str, Any]:
    return {
        "code": evening.code,
        "game": evening.game.slug,
        "title": evening.title,
        "over_at": datetime.fromtimestamp(evening.over_at // 1000, UTC).isoformat(),
        "minutes": evening.minutes,
        "outcome": evening.verdict.outcome,
        "winners": [place.seat.name for place in evening.places if place.winner],
        "summary": evening.headline,
        "players": [{"name": place.seat.name, "score": place.total} for place in evening.places],
    }


def statistics(play: Play, as_json: bool) -> str:
    """For each game, and for each name at it; averages and best scores only where scores can be compared."""
    evenings = History(play).all()
    by_game = [(game, players(filter(game.saw, evenings))) for game in games(evenings)]
    if as_json:
        shelf = [_game_facts(game) | {"players": [_sums(one) for one in names]} for game, names in by_game]
        everyone = [_sums(each, False) for each in players(evenings)]
        return json.dumps({"games": shelf, "players": everyone}, ensure_ascii=False, indent=1)
    lines = []
    for game, names in by_game:
        lines += [f"{game.title}: {counted(game.plays, 'play')}, {lasted(game.minutes)}"]
        lines += [f"  {_sums_line(each)}" for each in names]
    if len(by_game) > 1:
        lines += ["All games", *(f"  {_sums_line(each, False)}" for each in players(evenings))]
    return "\n".join(lines) or "No evening has ended yet."


def _game_facts(game: GameTally) -> dict[str, Any]:
    best = dict(zip(("name", "score", "word"), game.best, strict=True)) if game.best else None
    facts = {"game": game.slug, "title": game.title, "plays": game.plays, "minutes": game.minutes}
    return {**facts, "outcomes": game.outcomes, "best": best}


def _sums(each: NameTally, scored: bool = True) -> dict[str, Any]:
    sums: dict[str, Any] = {name: getattr(each, name) for name in SUMS}
    return sums | ({"average": each.average, "best": each.best} if scored else {})


def _sums_line(each: NameTally, scored: bool = True) -> str:
    parts = [counted(each.plays, "play"), f"{counted(each.wins, 'win')} ({each.share} %)"]
    if scored and each.average is not None and each.best is not None:
        parts += [f"{each.average:.1f} on average", f"best {plain(each.best)}"]
    parts += [f"streak {each.streak}, longest {each.longest}", lasted(each.minutes)]
    return f"{each.name}: {', '.join(parts)}"


def export(play: Play, code: str, kind: str) -> str:
    """Here, and only here, with the marks by which the phones are known again."""
    try:
        sitting = play.show(code.upper())
    except NotFound:
        raise
    except Refused:  # nobody can read it here, so it goes out as it is stored
        if kind != "json":
            raise
        return raw_journal_json(play.store, code.upper()).rstrip("\n")
    if kind == "json":
        return journal_json(sitting, play.store.phones(sitting.id)).rstrip("\n")
    evening = recap(sitting.code, sitting.journal)
    return (
        bgstats_link(evening) if kind == "bgstats" else scores_csv(evening).replace("\r\n", "\n").rstrip("\n")
    )


def bring(play: Play, text: str) -> str:
    book = read(play.games, text)
    known = already_here(play.store, book)
    if known:
        return f"{book.game.title} is at table {known} already, with all that is in this journal."
    code = bring_back(play.store, book)
    came = f"{book.game.title} is back at table {code}, with {book.journal.version} entries."
    if code != book.code:
        came += f" Its own code, {book.code}, is taken."
    if not book.phones:
        came += f" No phone is known there; join at /j/{code}/{play.show(code).invitation}"
    return came


def forget(play: Play, code: str) -> str:
    play.forget(code.upper())
    return f"Table {code.upper()} is forgotten, with everything in it."


__all__ = ["Refused", "Unusable", "bring", "evenings", "export", "forget", "history", "statistics"]
