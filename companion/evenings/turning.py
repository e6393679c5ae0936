"""Where an evening turned: who took the lead when, the biggest steps, and how the dice fell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.core import Scores, Table, Verdict
from companion.core.dice import Die
from companion.core.text import counted, listed, plain, signed
from companion.tools.dice import dice

MOST_LEADS = 5  # changes of the lead that are told one by one; in a wild game the last ones count
Totals = Mapping[int, int]


@dataclass(frozen=True)
class Scored:
    """How the seats stood at some point; without a label, between two taps."""

    label: str
    totals: Totals


@dataclass(frozen=True)
class Moment:
    when: str  # the round or turn; empty where the game has none
    text: str
    at: int = 0  # milliseconds since 1970, where it was one tap


def turning_points(table: Table, scores: Scores | None, steps: Sequence[Scored]) -> tuple[Moment, ...]:
    """In the order they happened."""
    if scores is None or len(steps) < 2:
        return ()
    found = list(_leads(table, scores, steps))[-MOST_LEADS:] if scores.decide else []
    found += _biggest(table, scores, steps)
    return tuple(moment for _, moment in sorted(found, key=lambda each: each[0]))


def _leads(table: Table, scores: Scores, steps: Sequence[Scored]) -> Iterator[tuple[int, Moment]]:
    first: int | None = None
    for at, step in enumerate(steps):
        ahead = _ahead(table, scores, step.totals)
        if len(ahead) != 1 or ahead[0] == first:
            continue
        if first is not None:
            yield at, Moment(step.label, _took(table, step.totals, ahead[0], first))
        (first,) = ahead


def _took(table: Table, totals: Totals, ahead: int, before: int) -> str:
    names = {seat.id: seat.name for seat in table.seats}
    lost = f" from {names[before]}" if before in names else ""
    behind = f" to {plain(totals[before])}" if before in totals else ""
    return f"{names[ahead]} takes the lead{lost}, {plain(totals[ahead])}{behind}"


def _ahead(table: Table, scores: Scores, totals: Totals) -> list[int]:
    here = {seat.id: totals[seat.id] for seat in table.seats if seat.id in totals}
    best = (min if scores.lowest_wins else max)(here.values(), default=0)
    return [seat for seat, total in here.items() if total == best]


def _biggest(table: Table, scores: Scores, steps: Sequence[Scored]) -> Iterator[tuple[int, Moment]]:
    """The biggest step up where scores decide; else the worst that happened: health lost, Madness gained."""
    way = 1 if scores.decide or scores.lowest_wins else -1
    moved = [
        (way * (after.totals[seat.id] - before.totals[seat.id]), at, seat)
        for at, (before, after) in enumerate(pairwise(steps), 1)
        for seat in table.seats
        if seat.id in before.totals and seat.id in after.totals
    ]
    most = max((by for by, _, _ in moved), default=0)
    best = [(at, seat.name) for by, at, seat in moved if by == most]
    if most <= 0 or len({at for at, _ in best}) > 1 or len(best) == len(table.seats) > 1:
        return  # what happens twice is not the biggest of anything
    at = best[0][0]
    names = listed([name for _, name in best])
    words = "the biggest step of the evening" if scores.decide else "the hardest blow of the evening"
    yield at, Moment(steps[at].label, f"{names} {signed(way * most)} {scores.word}, {words}")


def what_decided(table: Table, verdict: Verdict, scores: Scores | None, steps: Sequence[Scored]) -> str:
    """The one sentence to say beside the result, where numbers decide; steps are the start and each round."""
    says_why = verdict.headline[1] == ":"  # “Ada wins: Bob is lost to Madness”
    if scores is None or not scores.decide or not verdict.winners or says_why:
        return ""
    now, winners = scores.now, verdict.winners
    others = [seat for seat in table.ids if seat in now and seat not in winners]
    if not others or any(seat not in now for seat in winners):
        return ""
    next_best = _ahead(table, scores, {seat: now[seat] for seat in others})[0]
    by = (now[winners[0]] - now[next_best]) * (-1 if scores.lowest_wins else 1)
    if by < 0:
        return ""  # the numbers are not what decided it
    first, second = (table.seat(seat).name for seat in (winners[0], next_best))
    if by == 0:
        return f"{first} and {second} are level on {plain(now[next_best])} {scores.word}."
    if len(winners) > 1:
        return f"They are {plain(by)} ahead of {second}."
    return f"{first} {_led_since(table, scores, steps, winners[0])}won by {plain(by)}."


def _led_since(table: Table, scores: Scores, steps: Sequence[Scored], winner: int) -> str:
    if len(steps) < 3:  # one round shows nobody's way
        return ""
    behind = [at for at, step in enumerate(steps) if _ahead(table, scores, step.totals) != [winner]]
    taken = steps[behind[-1] + 1 if behind else 0 : len(steps)][:1]
    if not taken or not taken[0].label:
        return ""
    if not behind or behind[-1] == 0:
        return "was ahead all the way and "
    return f"took the lead in {taken[0].label[:1].lower()}{taken[0].label[1:]} and "


def dice_luck(table: Table, own: Sequence[Die] = ()) -> Iterator[str]:
    """What each kind of die came to, next to what chance would give. `own`: the room's, which have names."""
    thrown, names = dice(table), {each.id: each.name for each in own}
    for (die, real), counts in thrown.spread.items():
        where, often = "at the table" if real else "here", counted(sum(counts), "time")
        fell = _fell(thrown.fallen(die, real), thrown.faces[die], counts)
        yield f"{names.get(die, die)}, rolled {where} {often}: {fell}"


def _fell(fallen: Mapping[str, int], faces: Sequence[str], counts: Sequence[int]) -> str:
    times, most = sum(counts), max(fallen.values())
    often = listed([face for face, count in fallen.items() if count == most])
    seen = f"most often {often} ({most} of {times})" if times > 1 else often
    if not all(face.isdigit() for face in faces):
        return seen
    points = [int(face) for face in faces]
    average = sum(face * count for face, count in zip(points, counts, strict=True)) / times
    chance = sum(points) / len(points)
    spread = (sum((face - chance) ** 2 for face in points) / len(points) / times) ** 0.5
    words = "high" if average > chance + spread else "low" if average < chance - spread else "fair enough"
    words_for_it = f"{average:.1f} on average, where chance gives {chance:.1f}: {words}"
    return f"{words_for_it}; {seen}" if times > len(faces) else words_for_it
