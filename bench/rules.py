"""How often the look-up finds the right ruling, and how fast; beside plain SQLite FTS5 on the same rulings.

bench/questions/<slug>.toml are questions of players who had not read the rulings, each with the ids of all
rulings that answer it, or `none = true` where the rules say nothing. They are kept apart from the rulings and
are never copied into their aliases.
"""

from __future__ import annotations

import re
import sqlite3
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from companion.core import Ruling
from companion.games import shelf
from companion.search import LookUp

QUESTIONS = Path(__file__).parent / "questions"
Ask = Callable[[str], list[str]]


def plain(rulings: tuple[Ruling, ...]) -> Ask:
    """bm25 as it comes, over all that a ruling says."""
    book = sqlite3.connect(":memory:")
    book.execute(
        "create virtual table told using fts5(id unindexed, title, answer, more, asked, tokenize=porter)"
    )
    rows = [(each.id, each.title, each.answer, each.more, " ".join(each.asked)) for each in rulings]
    book.executemany("insert into told values (?, ?, ?, ?, ?)", rows)

    def ask(question: str) -> list[str]:
        any_of = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question)) or '""'
        best = "select id from told where told match ? order by bm25(told) limit 3"
        return [id for (id,) in book.execute(best, [any_of])]

    return ask


def ids(look_up: LookUp, slug: str, question: str) -> list[str]:
    return [each.ruling.id for each in look_up.search(question, slug, 3)]


def score(questions: list[dict[str, Any]], ask: Ask) -> tuple[float, float, float]:
    """Right at first, right among three, and silent where there is no answer; each from 0 to 1."""
    found = [(ask(each["text"]), each["accept"]) for each in questions if each.get("accept")]
    first = sum(got[:1] != [] and got[0] in accept for got, accept in found)
    three = sum(any(id in accept for id in got) for got, accept in found)
    nothing = [ask(each["text"]) for each in questions if each.get("none")]
    return first / len(found), three / len(found), sum(not got for got in nothing) / (len(nothing) or 1)


def main() -> None:
    games = shelf()
    look_up = LookUp(games)
    times = []
    print(f"{'':24}{'questions':>10}{'top 1':>10}{'top 3':>8}{'silent':>8}{'FTS5 top 1':>14}{'top 3':>8}")
    for file in sorted(QUESTIONS.glob("*.toml")):
        questions = tomllib.loads(file.read_text("utf-8"))["question"]
        one, three, silent = score(questions, partial(ids, look_up, file.stem))
        their_one, their_three, _ = score(questions, plain(games[file.stem].rulings))
        print(f"{file.stem:24}{len(questions):>10}{one:>10.0%}{three:>8.0%}{silent:>8.0%}", end="")
        print(f"{their_one:>14.0%}{their_three:>8.0%}")
        for each in questions:
            start = time.process_time()  # others may be using this machine
            look_up.search(each["text"], limit=8)
            times.append((time.process_time() - start) * 1000)
    times.sort()
    middle, slow = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"\n{len(times)} questions over all rooms: median {middle:.1f} ms, p99 {slow:.1f} ms")


if __name__ == "__main__":
    main()
