"""Learns how sure an answer is (SURE in companion/lookup/weights.py), and tries that on what was left out.

From the sets that may be learnt from, and never from a blind one: each question with what comes first for it;
the same questions where the right rulings are taken away, and asked in the next room. `python -m bench.learn`
prints the numbers to write down, and how they do on a set that was left out when they were learnt.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.rules import BLIND, SETS
from companion.games import shelf
from companion.lookup.kept import index_of
from companion.lookup.search import Searcher
from companion.lookup.weights import CLEAR, SURE

AWAY, NEXT_ROOM, NONE = 0.01, 0.15, 2.0  # what such a question weighs beside one that has an answer
STEADY = 1.0  # how dear a large weight is
NEAR = (0.025, 0.035, 0.045)  # of the right ones, called only near

Row = list[float]


@dataclass(frozen=True)
class Example:
    features: Row  # by the names in SURE
    right: bool
    none: bool  # no ruling answers
    weight: float
    fold: str  # "" where it is only learnt from
    sure: float | None = None  # what it is without asking: a wording word for word, or nothing that fits


def learnt_from() -> dict[str, Path]:
    return {name: folder for name, folder in SETS.items() if name not in BLIND}


def gather() -> list[Example]:
    games = {slug: game for slug, game in shelf().items() if game.rulings}
    rooms = {slug: Searcher(index_of(game.rulings)) for slug, game in games.items()}
    after = dict(pairwise([*rooms, next(iter(rooms))]))
    return [
        example
        for name, folder in learnt_from().items()
        for slug in rooms
        for example in _of_file(folder / f"{slug}.toml", name, rooms[slug], rooms[after[slug]])
    ]


def _of_file(file: Path, name: str, room: Searcher, other: Searcher) -> Iterator[Example]:
    at = {ruling.id: place for place, ruling in enumerate(room.index.rulings)}
    for number, question in enumerate(tomllib.loads(file.read_text("utf-8"))["question"]):
        accept = {at[id] for id in question.get("accept", ())}
        half = f" {number % 2}" if file.parent.name == "beyond" else ""
        yield _example(room, question["text"], accept, 1.0 if accept else NONE, name + half)
        if accept:
            yield _example(room, question["text"], set(), AWAY, "", without=accept)
            yield _example(other, question["text"], set(), NEXT_ROOM, "")


def _example(
    room: Searcher, text: str, accept: set[int], weight: float, fold: str, without: Iterable[int] = ()
) -> Example:
    query = room.read(text)
    if not room.understands(query):
        return Example([], False, not accept, weight, fold, 0.0)
    marks = room.marks(query)
    chances = room.chances(marks)
    for each in without:
        chances[each] = 0.0
    total = sum(chances) or 1.0
    chances = [each / total for each in chances]
    first, second = sorted(range(len(chances)), key=lambda place: -chances[place])[:2]
    features = room.features(marks, chances, query, first, second)
    sure = 1.0 if room.exact(text) == first and not without else None
    return Example([features[name] for name in SURE], first in accept, not accept, weight, fold, sure)


def learn(examples: Sequence[Example]) -> Row:
    """A logistic regression by Newton's steps, over features of the same spread."""
    known = [each for each in examples if each.sure is None]
    middle, spread = _spread([each.features for each in known])
    rows = [[(x - m) / s for x, m, s in zip(each.features, middle, spread, strict=True)] for each in known]
    size = len(SURE)
    weights = [0.0] * size
    for _ in range(12):
        slope = [STEADY * each for each in weights]
        bend = [[STEADY if i == j else 0.0 for j in range(size)] for i in range(size)]
        for each, row in zip(known, rows, strict=True):
            chance = logistic(weights, row)
            off, curve = each.weight * (chance - each.right), each.weight * chance * (1 - chance)
            for i, x in enumerate(row):
                slope[i] += off * x
                for j in range(i + 1):
                    bend[i][j] += curve * x * row[j]
        for i in range(size):
            for j in range(i):
                bend[j][i] = bend[i][j]
        weights = [each - step for each, step in zip(weights, _solved(bend, slope), strict=True)]
    plain = [each / s for each, s in zip(weights, spread, strict=True)]
    plain[0] -= sum(each * m for each, m in zip(plain[1:], middle[1:], strict=True))
    return plain


def _spread(rows: list[Row]) -> tuple[Row, Row]:
    """Middle and spread of each feature; the first is 1 everywhere and stays."""
    middle = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    spread = [
        math.sqrt(sum((x - m) ** 2 for x in column) / len(rows)) or 1.0
        for column, m in zip(zip(*rows, strict=True), middle, strict=True)
    ]
    return [0.0, *middle[1:]], [1.0, *spread[1:]]


def _solved(matrix: list[Row], right: Row) -> Row:
    """Gauss and Jordan: twenty unknowns need no library."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        most = max(range(i, len(rows)), key=lambda at: abs(rows[at][i]))
        rows[i], rows[most] = rows[most], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for at, row in enumerate(rows):
            if at != i and row[i]:
                rows[at] = [value - row[i] * mine for value, mine in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]


def logistic(weights: Row, features: Row) -> float:
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, features, strict=True))))


def left_out(examples: list[Example]) -> list[tuple[Example, float]]:
    """How sure each question is by what was learnt without its set."""
    found = []
    for fold in sorted({each.fold for each in examples} - {""}):
        weights = learn([each for each in examples if each.fold != fold])
        mine = [each for each in examples if each.fold == fold]
        found += [
            (each, logistic(weights, each.features) if each.sure is None else each.sure) for each in mine
        ]
    return found


def report(tried: list[tuple[Example, float]]) -> None:
    """At the bound that is written down, and where so many of the right ones would be called near."""
    right = sorted(sure for each, sure in tried if each.right)
    for clear in (CLEAR, *(right[int(near * len(right))] for near in NEAR)):
        print(f"clear from {clear:.3f}: {_row(tried, clear)}")
        for fold in sorted({each.fold for each, _ in tried}):
            print(f"    {fold}: {_row([each for each in tried if each[0].fold == fold], clear)}")


def _row(tried: list[tuple[Example, float]], clear: float) -> str:
    none = [sure < clear for each, sure in tried if each.none]
    near = [sure < clear for each, sure in tried if each.right]
    handled = f"{sum(none) / len(none):.1%} handled"
    return handled + (f", {sum(near) / len(near):.1%} of the right ones near" if near else "")


def main() -> None:
    examples = gather()
    report(left_out(examples))
    for name, weight in zip(SURE, learn(examples), strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
