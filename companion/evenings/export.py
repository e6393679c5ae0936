"""A recap for other programs: a play for BG Stats, and the scores by round as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from companion.evenings.recap import Place, Recap

BGSTATS = "https://app.bgstatsapp.com/createPlay.html?data="


def bgstats_link(evening: Recap) -> str:
    """Opening it shows the play in the app, which asks before it keeps anything."""
    return BGSTATS + quote(
        json.dumps(bgstats_play(evening), ensure_ascii=False, separators=(",", ":")), safe=""
    )


def bgstats_play(evening: Recap) -> dict[str, Any]:
    scores = evening.scores
    points = scores is not None and scores.decide
    play: dict[str, Any] = {
        "sourceName": "Companion",
        "sourcePlayId": f"{evening.code}-{evening.opened_at}",
        "playDate": datetime.fromtimestamp(evening.over_at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": evening.minutes,
        "game": {
            "name": evening.title,
            "sourceGameId": evening.game.slug
            if evening.title == evening.game.title
            else evening.title.casefold(),
            "highestWins": not (scores and scores.lowest_wins),
            "noPoints": not points,
        },
        "players": [_player(evening, place, points) for place in evening.places],
    }
    if not evening.verdict.final:
        play["comments"] = "Not finished"
    return play


def _player(evening: Recap, place: Place, points: bool) -> dict[str, Any]:
    player: dict[str, Any] = {
        "name": place.seat.name,
        "sourcePlayerId": place.seat.name.casefold(),  # the app remembers whom it matched this with
        "startPlayer": place.seat.id == evening.table.starter,
        "winner": place.winner,
    }
    if points and place.total is not None:
        player |= {"score": place.total} | ({"rank": place.rank} if place.rank else {})
    return player


def scores_csv(evening: Recap) -> str:
    """What each player gained in each round, the total, and who won: one column for each player."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(_rows(evening))
    return out.getvalue()


def _rows(evening: Recap) -> Iterator[list[str]]:
    seats = evening.table.seats
    yield ["round", *(_safe(seat.name) for seat in seats)]
    if any(evening.start.values()):
        yield ["start", *(str(evening.start.get(seat.id, 0)) for seat in seats)]
    for (_, before), (label, after) in pairwise([("", evening.start), *evening.columns.items()]):
        gained = ([after[seat.id] - before.get(seat.id, 0)] if seat.id in after else [] for seat in seats)
        yield [_safe(label), *("".join(map(str, each)) for each in gained)]
    if evening.scores:
        yield ["total", *(str(evening.scores.now.get(seat.id, "")) for seat in seats)]
    yield ["winner", *("yes" if seat.id in evening.verdict.winners else "no" for seat in seats)]


#: Where a spreadsheet begins to read a formula: at the beginning of a cell, which in half of Europe is also
#: after a semicolon, and in signs of full width too.
FORMULA = re.compile(r"(^|[;|\t])(\s*)(?=[=+\-@＝＋－＠])")


def _safe(text: str) -> str:
    """A name that begins like a formula must not become one in a spreadsheet."""
    return FORMULA.sub(r"\1\2'", text)
