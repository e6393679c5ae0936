"""How long the server's loop stands still, for all tables, while one phone asks for something large."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

from bench.evenings import HEROES, TOKENS, Prepared, copied
from bench.phone import Phone, Refused
from bench.prober import Prober, probing
from bench.results import Row, Run
from bench.servers import Running, serving

GOAL = 20  # ms
EVENINGS = 40  # that the phone looks back on
QUESTIONS = (
    "what happens on a tie",
    "may i look at the cards i pased on",
    "how many cards do we draw at the start of a round and who goes first",
)
CASTLE = "escape-the-dark-castle"

Step = tuple[str, float | None, Callable[[], object]]


def measure(run: Run) -> Iterator[Row]:
    longest: dict[tuple[str, float | None], list[float]] = defaultdict(list)
    for _ in run.rounds(45):
        with copied() as made:
            run.wait_until_quiet()
            with serving("companion", made.folder, settled=False) as server, probing(server) as prober:
                for words, goal, ms in _walk(run, server, made, prober):
                    longest[words, goal].append(ms)
    for (words, goal), each in longest.items():
        run.keep(what=words, longest=each)
        yield Row(f"Stands still: {words}", statistics.median(each), "ms", goal)


def _walk(
    run: Run, server: Running, made: Prepared, prober: Prober
) -> Iterator[tuple[str, float | None, float]]:
    for words, goal, do in _steps(server, made):
        time.sleep(0.2)
        prober.stood_still()
        try:
            do()
        except Refused as why:
            run.note(f"Not measured, {words}: {why}")
            continue
        time.sleep(0.1)  # some of it may go on after the answer
        yield words, goal, prober.stood_still()


def _steps(server: Running, made: Prepared) -> Iterator[Step]:
    phone, codes = Phone(server, TOKENS[0]), [each.code for each in made.long]
    slugs = [each.room.slug for each in made.short]

    def every(*paths: str) -> Callable[[], object]:
        return lambda: [phone.get(path.format(code=code)) for code in codes for path in paths]

    def first_page() -> None:
        phone.get(f"/s/{made.short[1].code}")
        phone.get(f"/games/{slugs[1]}/rulings.json")  # as the page does by itself
        phone.get("/rules")

    def ask() -> None:
        for slug in slugs[1:]:
            for question in QUESTIONS:
                phone.get(f"/rules/answers?game={slug}&q={question.replace(' ', '+')}")

    yield "(nothing happens)", None, lambda: time.sleep(1)
    yield "the first page that can ask about rules", GOAL, first_page
    yield "questions are asked", GOAL, ask
    fight, begin = _large_fight(server)
    yield "odds of a fight against nine dice", GOAL, lambda: begin(fight)
    yield "(long evenings are read from disk)", None, every("/s/{code}")
    yield "the log of a long evening", GOAL, every("/s/{code}/log")
    yield "the recap of a long evening", GOAL, every("/s/{code}/recap")
    yield "exports of a long evening", GOAL, every("/s/{code}/journal.json", "/s/{code}/scores.csv")
    other = Phone(server)
    _play_evenings(other)
    pages = ("/history", "/history/any-game")
    yield f"a history of {EVENINGS} evenings", GOAL, lambda: [other.get(page) for page in pages]


def _large_fight(server: Running) -> tuple[str, Callable[[str], object]]:
    """Four at full health before all the dice of the box; and the tap that has the odds weighed."""
    phone = Phone(server)
    code = phone.open(CASTLE, 4)
    for seat, hero in enumerate(HEROES, 1):
        phone.tap(code, "choose_character", seat=seat, hero=hero)
    phone.tap(code, "begin_escape")
    phone.tap(code, "turn_card", number=1, hero=HEROES[0])
    phone.tap(code, "begin_fight", number=1)
    for trait in ("might", "cunning", "wisdom") * 3:
        phone.tap(code, "lay_die", trait=trait)
    stream = phone.listen(code)

    def begin(code: str) -> None:
        stream.wait_for(phone.tap(code, "join_fight"))
        for seat, hero in enumerate(HEROES, 1):
            stream.wait_for(phone.tap(code, "roll_die", seat=seat, hero=hero, round=1))

    return code, begin


def _play_evenings(phone: Phone) -> None:
    for _ in range(EVENINGS):
        code = phone.open("any-game", 4)
        for seat in (1, 2, 3, 4):
            phone.tap(code, "count", seat=seat, counter="1", by=seat, round=1)
        phone.tap(code, "end_game")
