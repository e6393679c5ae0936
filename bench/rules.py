"""How often the look-up finds the right ruling, and how fast; beside plain SQLite FTS5 on the same rulings.

bench/questions/<slug>.toml are questions of players who had not read the rulings, each with the ids of all
rulings that answer it (whoever judged did not know which search found what), or `none = true` where the rules
say nothing. They are kept apart from the rulings and are never copied into their aliases.
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
from companion.lookup.search import LookUp

QUESTIONS = Path(__file__).parent / "questions"
Ask = Callable[[str], list[str]]


def plain(rulings: tuple[Ruling, ...]) -> Ask:
    """bm25 as it comes, over all that a ruling says."""
    book = sqlite3.connect(":memory:")
    book.execute(
        "create virtual table told using fts5(id unindexed, title, answer, more, asked, tokenize=porter)"
    )
    rows = [(each.id, each.title, each.answer, each.more, " ".join(each.wordings)) for each in rulings]
    book.executemany("insert into told values (?, ?, ?, ?, ?)", rows)

    def ask(question: str) -> list[str]:
        any_of = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question)) or '""'
        best = "select id from told where told match ? order by bm25(told) limit 3"
        return [id for (id,) in book.execute(best, [any_of])]

    return ask


def ours(look_up: LookUp, slug: str, question: str) -> list[str]:
    return [each.ruling.id for each in look_up.search(question, slug, 3)]


def score(questions: list[dict[str, Any]], ask: Ask) -> tuple[int, int]:
    """How many are right at first, and how many among three."""
    found = [(ask(each["text"]), each["accept"]) for each in questions]
    return (
        sum(got[:1] != [] and got[0] in accept for got, accept in found),
        sum(any(id in accept for id in got) for got, accept in found),
    )


def honest(questions: list[dict[str, Any]], look_up: LookUp, slug: str) -> float:
    """How often nothing is called an answer where there is none: nothing found, or said to be only near."""
    found = [look_up.search(each["text"], slug, 1) for each in questions]
    return sum(not any(each.clear for each in got) for got in found) / (len(found) or 1)


def row(name: str, asked: int, *scores: tuple[int, int], honest: float) -> None:
    told = "".join(f"{one / asked:>10.1%}{three / asked:>8.1%}" for one, three in scores)
    print(f"{name:24}{asked:>10}{told}{honest:>10.0%}")


def main() -> None:
    games = shelf()
    look_up = LookUp(games)
    times, all_of_them, nothing = [], [], []
    print(f"{'':24}{'questions':>10}{'top 1':>10}{'top 3':>8}{'FTS5 1':>10}{'top 3':>8}{'honest':>10}")
    for file in sorted(QUESTIONS.glob("*.toml")):
        questions = tomllib.loads(file.read_text("utf-8"))["question"]
        asked = [each for each in questions if not each.get("none")]
        mine, theirs = (
            score(asked, partial(ours, look_up, file.stem)),
            score(asked, plain(games[file.stem].rulings)),
        )
        none = honest([each for each in questions if each.get("none")], look_up, file.stem)
        row(file.stem, len(asked), mine, theirs, honest=none)
        all_of_them.append((len(asked), *mine, *theirs))
        nothing.append(none)
        for each in questions:
            start = time.process_time()  # others may be using this machine
            look_up.search(each["text"], limit=8)
            times.append((time.process_time() - start) * 1000)
    number, one, three, their_one, their_three = (sum(column) for column in zip(*all_of_them, strict=True))
    row("all", number, (one, three), (their_one, their_three), honest=sum(nothing) / len(nothing))
    times.sort()
    middle, slow = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"\n{len(times)} questions over all rooms: median {middle:.1f} ms, p99 {slow:.1f} ms")


if __name__ == "__main__":
    main()
