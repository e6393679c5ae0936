"""Keeps an evening for good: its journal as it was exported, and beside it what people were told of it then.

    python tests/golden/make.py evening.json 1-what-is-new
    python tests/golden/make.py any-game 1-whole-evening    # the evening of that room in tests/full_games.py

The number in front is the generation of the format, `companion.evenings.archive.FORMAT`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from companion.core import Line, Scores, Verdict
from companion.evenings.archive import Book, journal_json, read
from companion.evenings.recap import Recap, recap
from companion.games import Shelf, shelf
from companion.sittings.sitting import Sitting
from companion.storage.store import SittingRow

GOLDEN = Path(__file__).parent
LIST = GOLDEN / "SHA256"  # as sha256sum writes and checks it
RESULT = ".told.json"


def result(book: Book) -> str:
    """All that people were told of the evening. No state: how a room remembers things is its own affair.

    Field by field, so that what is added later does not change what was kept.
    """
    game, state = book.game, book.journal.state
    said = {
        "log": [_line(line) for line in book.journal.lines],
        "verdict": _verdict(game.adjudicate(state)),
        "scores": _scores(game.scores(state)) if game.scores else None,
        "recap": _recap(recap(book.code, book.journal)),
        "house_rules": {
            id: [choice, game.house_rule(id).reading(choice)] for id, choice in state.table.choices.items()
        },
    }
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _line(line: Line) -> dict[str, Any]:
    return {name: getattr(line, name) for name in ("by", "whom", "text", "gone", "about")}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "outcome": verdict.outcome,
        "summary": verdict.summary,
        "winners": verdict.winners,
        "steps": [{"text": step.text, "because": step.because} for step in verdict.steps],
        "leaders": verdict.leaders,
    }


def _scores(scores: Scores) -> dict[str, Any]:
    return {
        "columns": {label: dict(totals) for label, totals in scores.columns.items()},
        "word": scores.word,
        "lowest_wins": scores.lowest_wins,
        "decide": scores.decide,
    }


def _recap(evening: Recap) -> dict[str, Any]:
    return {
        "headline": evening.headline,
        "places": [
            {"name": place.seat.name, "rank": place.rank, "total": place.total, "winner": place.winner}
            for place in evening.places
        ],
        "columns": {label: dict(totals) for label, totals in evening.columns.items()},
        "moments": [[moment.when, moment.text] for moment in evening.moments],
        "luck": list(evening.luck),
        "minutes": evening.minutes,
        "taps": evening.taps,
        "taken_back": evening.taken_back,
        "text": evening.text,
    }


def exported(book: Book) -> str:
    """As it would be exported now."""
    row = SittingRow(
        code=book.code, slug=book.game.slug, secret="", tap="", version=0, opened_at=book.opened_at
    )
    return journal_json(Sitting(row, book.game, book.journal), book.phones)


def keep(games: Shelf, text: str, name: str) -> Path:
    """Never over one that is kept already: journals that people have at home cannot be made anew either."""
    book = read(games, text)
    folder = GOLDEN / book.game.slug
    folder.mkdir(exist_ok=True)
    lines = ""
    for file, what in ((folder / f"{name}.json", text), (folder / f"{name}{RESULT}", result(book))):
        with file.open("x", encoding="utf-8", newline="\n") as new:
            new.write(what)
        lines += f"{hashlib.sha256(what.encode()).hexdigest()}  {file.relative_to(GOLDEN).as_posix()}\n"
    with LIST.open("a", encoding="utf-8", newline="\n") as known:
        known.write(lines)
    return folder / f"{name}.json"


def main(journal: str, name: str) -> None:
    games = shelf()
    if journal in games:
        sys.path.insert(0, str(GOLDEN.parent))
        from full_games import full_game

        text = full_game(journal).as_journal("K7PQ4M")
    else:
        text = Path(journal).read_text("utf-8")
    print(keep(games, text, name))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
