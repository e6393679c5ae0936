"""How often the look-up finds the right ruling and says so, and what it weighs; beside plain SQLite FTS5.

bench/questions/<slug>.toml are questions of players who had not read the rulings, each with the ids of the
rulings whose answer, read at the table, answers it, or `none = true` where the rules say nothing. What the
look-up weighs was learnt from these, those in held-out/, third/, fourth/ and fifth/ beside them, and those in
beyond/, which no rules answer (how sure it is: bench/learn.py). Those in blind/, the other half of the fourth
set, and in sixth/ were written from the manuals and the facts alone, each with what they answer (`means`) and
where that stands (`where`), and nothing was ever learnt from them. None are copied into a ruling's wordings.
"""

from __future__ import annotations

import re
import sqlite3
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.core import Ruling
from companion.games import Shelf, shelf
from companion.lookup.kept import index_of
from companion.lookup.rooms import Found, LookUp
from companion.web.rules import for_phones

QUESTIONS = Path(__file__).parent / "questions"
SETS = {
    "learnt from": QUESTIONS,
    "and from": QUESTIONS / "held-out",
    "and from a third set": QUESTIONS / "third",
    "and half of a fourth": QUESTIONS / "fourth",
    "and from a fifth set": QUESTIONS / "fifth",
    "blind": QUESTIONS / "blind",
    "a sixth set, blind": QUESTIONS / "sixth",
    "beyond all rules": QUESTIONS / "beyond",
}
BLIND = ("blind", "a sixth set, blind")
COLUMNS = (
    *("asked", "top 1", "top 3", "misleading", "wrong: said", "or equal", "right: near", "equal"),
    *("none", "handled", "FTS5 1", "top 3"),
)


def plain(rulings: Sequence[Ruling]) -> Callable[[str], list[str]]:
    """bm25 as it comes, over all that a ruling says."""
    book = sqlite3.connect(":memory:")
    book.execute(
        "create virtual table texts using fts5(id unindexed, title, answer, more, wordings, tokenize=porter)"
    )
    rows = [(each.id, each.title, each.answer, each.more, " ".join(each.wordings)) for each in rulings]
    book.executemany("insert into texts values (?, ?, ?, ?, ?)", rows)

    def ask(question: str) -> list[str]:
        any_of = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question)) or '""'
        best = "select id from texts where texts match ? order by bm25(texts) limit 3"
        return [id for (id,) in book.execute(best, [any_of])]

    return ask


def judge(question: dict[str, Any], found: list[Found], theirs: list[str]) -> Counter[str]:
    """What happened to one question.

    Misleading is a first answer that is wrong and stands there as the answer: not said to be only near, and
    with no other beside it as its equal.
    """
    near = not found or not found[0].clear
    equal = not near and found[0].equal
    if question.get("none"):
        return Counter(none=1, handled=near)
    accept = set(question["accept"])
    right = bool(found) and found[0].ruling.id in accept
    return Counter(
        {
            "asked": 1,
            "top 1": right,
            "top 3": any(each.ruling.id in accept for each in found),
            "misleading": not right and not near and not equal,
            "wrong": not right,
            "wrong: said": not right and near,
            "or equal": not right and (near or equal),
            "right: near": right and near,
            "equal": right and equal,
            "FTS5 1": theirs[:1] != [] and theirs[0] in accept,
            "FTS5 3": any(id in accept for id in theirs),
        }
    )


def measure(folder: Path, games: Shelf, look_up: LookUp) -> dict[str, Counter[str]]:
    rooms: dict[str, Counter[str]] = {}
    for file in sorted(folder.glob("*.toml")):
        ask, sums = plain(games[file.stem].rulings), Counter[str]()
        for each in tomllib.loads(file.read_text("utf-8"))["question"]:
            sums += judge(each, look_up.search(each["text"], file.stem, 3), ask(each["text"]))
        rooms[file.stem] = sums
    rooms["all"] = sum(rooms.values(), Counter())
    return rooms


def row(name: str, sums: Counter[str]) -> str:
    asked, wrong, right = sums["asked"], sums["wrong"], sums["top 1"]

    def part(what: str, of: int) -> str:
        return f"{sums[what] / of:.1%}" if of else "-"

    cells = (
        *(str(asked), part("top 1", asked), part("top 3", asked), part("misleading", asked)),
        *(part("wrong: said", wrong), part("or equal", wrong), part("right: near", right)),
        *(part("equal", right), str(sums["none"]), part("handled", sums["none"])),
        *(part("FTS5 1", asked), part("FTS5 3", asked)),
    )
    return f"{name:24}" + "".join(f"{each:>12}" for each in cells)


def weight(games: Shelf) -> None:
    for game in games.values():
        index_of(game.rulings)
    index_of.cache_clear()
    start = time.process_time()
    packed = [index_of(game.rulings).pack() for game in games.values()]
    index_of.cache_clear()
    start = time.process_time()
    for game in games.values():
        index_of(game.rulings)
    took = (time.process_time() - start) * 1000
    print(f"\nindex of all rooms: {sum(map(len, packed)) / 1e6:.1f} MB, loaded in {took:.0f} ms")
    sizes = {slug: len(for_phones(game)[1]) / 1000 for slug, game in games.items() if game.rulings}
    print("for a phone, squeezed: " + ", ".join(f"{slug} {size:.0f} kB" for slug, size in sizes.items()))


def main() -> None:
    games = shelf()
    look_up = LookUp(games)
    for name, folder in SETS.items():
        if name in sys.argv[1:]:
            continue  # one that is not to be looked at yet
        print(f"\n{name:24}" + "".join(f"{each:>12}" for each in COLUMNS))
        for room, sums in measure(folder, games, look_up).items():
            print(row(room, sums))
    times = []
    for file in sorted(QUESTIONS.glob("*.toml")):
        for each in tomllib.loads(file.read_text("utf-8"))["question"]:
            start = time.process_time()  # others may be using this machine
            look_up.search(each["text"], limit=8)
            times.append((time.process_time() - start) * 1000)
    times.sort()
    middle, slow = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"\n{len(times)} questions over all rooms: median {middle:.1f} ms, p99 {slow:.1f} ms")
    weight(games)


if __name__ == "__main__":
    main()
