"""What an evening was, from its journal alone: result, scores by round, turning points, luck, rules, time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from companion.core import Entry, Game, Journal, Scores, Seat, Table, Verdict
from companion.core.journal import fold
from companion.core.log import fold_and_say
from companion.core.scores import START
from companion.core.table import COLOURS, SYMBOLS, TableEvent
from companion.core.text import capital, listed, plain
from companion.evenings.turning import Moment, Scored, Totals, dice_luck, turning_points, what_decided
from companion.tools.ending import ending

MOST_REMEMBERED = 6  # things that a room wants told again; of many, the last ones
MOST_POINTS = 60  # of a line that is drawn tap by tap
Walk = Sequence[tuple[Entry, Any]]  # the entries that still count, each with the state after it


@dataclass(frozen=True)
class Place:
    """A seat in the end."""

    seat: Seat
    winner: bool
    total: int | None = None
    rank: int | None = None
    beside: str = ""


@dataclass(frozen=True)
class Choice:
    question: str
    reading: str
    usual: bool  # the reading that the room suggests


@dataclass(frozen=True)
class Chart:
    """Scores over the evening: a label for each step, and for each seat what it had there."""

    labels: tuple[str, ...]
    lines: tuple[tuple[Seat, tuple[int | None, ...]], ...]
    word: str
    by: str  # what a step is: Round, Turn; empty: a tap that changed something


@dataclass(frozen=True)
class Recap:
    code: str
    game: Game[Any]
    title: str  # what they called it
    table: Table
    verdict: Verdict
    opened_at: int
    over_at: int
    ended: bool  # somebody said that the evening is over
    next: str  # the table where the same people went on
    scores: Scores | None
    start: Totals  # before the first column
    columns: Mapping[str, Totals]
    chart: Chart | None
    moments: tuple[Moment, ...]
    decided: str  # the one sentence that says how
    luck: tuple[str, ...]
    choices: tuple[Choice, ...]
    taps: int
    taken_back: int
    opening: str  # the tap that opened it: two copies of one evening have the same

    @property
    def finished(self) -> bool:
        return self.verdict.final or self.ended

    @property
    def minutes(self) -> int:
        return max(1, round((self.over_at - self.opened_at) / 60_000))

    @property
    def headline(self) -> str:
        """The result in one sentence, also where there is none."""
        if self.verdict.final:
            return self.verdict.summary
        return f"We stopped here. {self.verdict.summary}" if self.ended else self.verdict.summary

    @property
    def shown_verdict(self) -> Verdict:
        return replace(self.verdict, summary=self.headline)

    @property
    def places(self) -> tuple[Place, ...]:
        return places(self.table, self.verdict, self.scores)

    @property
    def word(self) -> str:
        return _word(self.scores)

    @property
    def day(self) -> str:
        day = datetime.fromtimestamp(self.over_at / 1000, UTC).astimezone()  # the server stands in the house
        return f"{day.day} {day:%B %Y}"

    @cached_property
    def text(self) -> str:
        """To paste anywhere: no picture, no mark-up."""
        lines = [f"{self.title}, {self.day}, {lasted(self.minutes)}", self.headline]
        lines += [self.decided, ""] if self.decided else [""]
        lines += [_placed(place, self.scores) for place in self.places]
        if self.moments:
            lines += ["", "Turning points", *(f"- {_when(each)}" for each in self.moments)]
        if self.luck:
            lines += ["", "Dice", *(f"- {each}" for each in self.luck)]
        chosen = [each for each in self.choices if not each.usual]
        if chosen:
            lines += ["", "House rules", *(f"- {each.question} {each.reading}" for each in chosen)]
        return "\n".join(lines)


def recap(code: str, journal: Journal, briefly: bool = False) -> Recap:
    """Everything that can be told of the evening so far; briefly: how it ended, but not how it went."""
    walk = list(_walk(journal))
    game, state = journal.game, journal.state
    verdict, scores = game.adjudicate(state), game.scores(state) if game.scores else None
    ended = ending(state.table)
    begun = {} if briefly else _columns(game, walk)
    columns = {label: totals for label, totals in begun.items() if label != START}
    steps = () if briefly else _steps(game, state.table, walk, columns, begun.get(START, {}))
    decided = walk[: _decided(game, walk) + 1] if verdict.final else []
    return Recap(
        code=code,
        game=game,
        title=game.name(state),
        table=state.table,
        verdict=verdict,
        opened_at=journal.entries[0].at,
        over_at=decided[-1][0].at if decided else ended.at if ended else walk[-1][0].at,
        ended=ended is not None,
        next=ended.next if ended else "",
        scores=scores,
        start=steps[0].totals if steps else {},
        columns=columns,
        chart=_together(game, walk) if scores and scores.together else _chart(state.table, scores, steps),
        moments=tuple(_moments(game, state.table, walk, steps, scores)),
        decided=_how(journal, verdict, scores, steps, decided) if decided else "",
        luck=tuple(dice_luck(state.table, game.dice)),
        choices=tuple(_choices(game, state.table)),
        taps=len(walk),
        taken_back=len(journal.gone),
        opening=journal.entries[0].tap,
    )


def lasted(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours and rest else f"{hours} h" if hours else f"{rest} min"


def _walk(journal: Journal) -> Iterator[tuple[Entry, Any]]:
    """The entries that still count, each with the state after it."""
    state: Any = None
    for entry in journal.entries:
        if entry.version not in journal.gone and entry.reverts is None:
            state = fold(journal.game, state, entry.events)
            yield entry, state


# --- scores over time ---


def _columns(game: Game[Any], walk: Walk) -> dict[str, Totals]:
    """Each column with what the journal last said of it."""
    found: dict[str, Totals] = {}
    if game.scores:
        for _, state in walk:
            found.update(game.scores(state).columns)
    return found


def _steps(
    game: Game[Any],
    table: Table,
    walk: Walk,
    columns: Mapping[str, Totals],
    begun: Totals,
) -> tuple[Scored, ...]:
    """The start, then every column; or every change, where there are no two columns to compare."""
    if not game.scores:
        return ()
    nothing = {seat.id: 0 for seat in table.seats}
    start = Scored("", {**nothing, **(begun or game.scores(walk[0][1]).now)})
    if len(columns) > 1:
        return (start, *(Scored(label, totals) for label, totals in columns.items()))
    taps = [start]
    for _, state in walk:
        now = game.scores(state).now
        if now and now != taps[-1].totals:
            taps.append(Scored("", now))
    every = -(-len(taps) // MOST_POINTS)
    return tuple(step for at, step in enumerate(taps) if at % every == 0 or at == len(taps) - 1)


def _chart(table: Table, scores: Scores | None, steps: Sequence[Scored]) -> Chart | None:
    if scores is None or len(steps) < 2:
        return None
    kind, labels = _short([step.label for step in steps[1:]])
    lines = ((seat, tuple(step.totals.get(seat.id) for step in steps)) for seat in table.seats)
    return Chart((START, *labels), tuple(lines), scores.word, kind)


def _together(game: Game[Any], walk: Walk) -> Chart | None:
    """What the whole table had at the end of each step, a line for each thing."""
    found: dict[str, Mapping[str, int]] = {}
    for _, state in walk:
        now = game.scores(state) if game.scores else Scores({})
        found.update(dict.fromkeys(now.columns, now.together))
    things = [*found.values()][-1]
    if len(found) < 2:
        return None
    kind, labels = _short([label for label in found if label != START])
    looks = zip(things, COLOURS, SYMBOLS, strict=False)
    lines = [
        (Seat(-number, what, colour, symbol), tuple(each.get(what) for each in found.values()))
        for number, (what, colour, symbol) in enumerate(looks, 1)
    ]
    return Chart((*([START] if START in found else []), *labels), tuple(lines), listed([*things]), kind)


def _short(labels: Sequence[str]) -> tuple[str, list[str]]:
    """Where every label with a number has the same word, that need not stand under each step."""
    parted = [label.rpartition(" ") for label in labels]
    words = {word for word, _, number in parted if number.isdigit()}
    if len(words) != 1:
        return "", list(labels)
    return words.pop(), [each[2] if each[2].isdigit() else "".join(each) for each in parted]


# --- turning points ---


def _moments(
    game: Game[Any],
    table: Table,
    walk: Walk,
    steps: Sequence[Scored],
    scores: Scores | None,
) -> list[Moment]:
    """What the scores show and what the room remembers, in the order it happened."""
    found = [*turning_points(table, scores, steps), *_remembered(game, table, walk)]
    order = {step.label: at for at, step in enumerate(steps)}
    return sorted(found, key=lambda moment: order.get(moment.when, 0))


def _remembered(game: Game[Any], table: Table, walk: Walk) -> list[Moment]:
    names = {seat.id: seat.name for seat in table.seats}
    found = []
    for entry, state in walk:
        for event in entry.events:
            text, who = event.remembered(state), names.get(getattr(event, "seat", 0), "")
            if text:
                when = list(game.scores(state).columns)[-1:] if game.scores else []
                text = f"{who} {text}" if who else capital(text)
                found.append(Moment("".join(when), text, entry.at))
    return found[-MOST_REMEMBERED:]


# --- the end ---


def _decided(game: Game[Any], walk: Walk) -> int:
    """Which of them this verdict has stood since; one that was corrected since decided another, but what a
    tool did changes no more than its words. Asked from the end, since that is where it fell."""
    stands = game.adjudicate(walk[-1][1])
    for at in range(len(walk) - 1, 0, -1):
        then = game.adjudicate(walk[at - 1][1])
        same = (then.winners, then.summary) == (stands.winners, stands.summary)
        if not then.final or (not same and any(_own(walk[at][0]))):
            return at
        stands = then
    return 0


def _own(entry: Entry) -> list[bool]:
    """For each of its events, whether the room has made it: what a tool did decides nothing."""
    return [not isinstance(event, TableEvent) for event in entry.events]


def _how(
    journal: Journal, verdict: Verdict, scores: Scores | None, steps: Sequence[Scored], walk: Walk
) -> str:
    """By the numbers; where those decide nothing, in the words of the tap that did it."""
    game, (*before, (entry, _)) = journal.game, walk
    if scores and scores.decide:
        return what_decided(journal.state.table, verdict, scores, steps)
    _, words = fold_and_say(game, before[-1][1] if before else None, entry.events)
    log_text = "; ".join(text for own, text in zip(_own(entry), words, strict=True) if own and text)
    line = journal.lines[entry.version - 1]
    return f"Decided by “{replace(line, text=log_text).quoted}”" if log_text else ""


@dataclass(frozen=True)
class Result:
    """The end of a game, for the table at once: it knows the last state, and nothing of how it came to it."""

    places: tuple[Place, ...]
    decided: str
    word: str


def result(game: Game[Any], state: Any, verdict: Verdict) -> Result:
    scores = game.scores(state) if game.scores else None
    columns = scores.columns if scores else {}
    steps = [Scored(label, totals) for label, totals in columns.items()]
    if START not in columns:
        steps.insert(0, Scored("", {}))
    how = what_decided(state.table, verdict, scores, steps)
    return Result(places(state.table, verdict, scores), how, _word(scores))


def _word(scores: Scores | None) -> str:
    """What the number at a seat is; none where the table is what counts."""
    return scores.word if scores and not scores.together else ""


def places(table: Table, verdict: Verdict, scores: Scores | None) -> tuple[Place, ...]:
    """Winners first, then by score where scores decide, then as they sit. Where something else than the
    score made somebody win, or all lose, nobody has a rank: it would not agree with the number beside it."""
    now = scores.now if scores else {}
    worth = {seat: -total if scores and scores.lowest_wins else total for seat, total in now.items()}
    won = [worth.get(seat, 0) for seat in verdict.winners]
    lost = [worth.get(seat, 0) for seat in table.ids if seat not in verdict.winners]
    decide = scores is not None and scores.decide and bool(won or not verdict.final)
    ranked = decide and (not won or not lost or min(won) >= max(lost))
    beside = scores.beside if scores else {}

    def better(seat: Seat) -> int:
        mine = (seat.id in verdict.winners, worth.get(seat.id, 0))
        return sum((each.id in verdict.winners, worth.get(each.id, 0)) > mine for each in table.seats)

    def placed(seat: Seat) -> Place:
        rank = better(seat) + 1 if ranked else None
        return Place(seat, seat.id in verdict.winners, now.get(seat.id), rank, beside.get(seat.id, ""))

    return tuple(map(placed, sorted(table.seats, key=better) if decide else table.seats))


def _placed(place: Place, scores: Scores | None) -> str:
    rank = f"{place.rank}. " if place.rank else "- "
    total = f": {plain(place.total)} {scores.word}" if scores and place.total is not None else ""
    return f"{rank}{place.seat.name}{total}{', winner' if place.winner else ''}"


def _when(moment: Moment) -> str:
    return f"{moment.when}: {moment.text}" if moment.when else moment.text


def _choices(game: Game[Any], table: Table) -> Iterator[Choice]:
    for rule in game.house_rules:
        picked = rule.chosen(table)
        yield Choice(rule.question, rule.reading(picked), rule.is_usual(table))
