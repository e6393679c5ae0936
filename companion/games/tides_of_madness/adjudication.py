"""Who won, and why. Nine or more lose at the end of any round; else the most VP after round 3."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from companion.core import HouseRule, Scores, Seat, Step, Table, Verdict, ahead, lead, replace
from companion.core.memo import kept_on, kept_while
from companion.core.tally import Player
from companion.core.text import Bounds, listed
from companion.games.tides_of_madness import cards
from companion.games.tides_of_madness.rounds import Scored, score_game
from companion.games.tides_of_madness.state import BUT_SEALED, LIMIT, ROUNDS, State

Number = Annotated[int, Bounds(ge=1, le=ROUNDS)]


@dataclass(frozen=True)
class Counted(Player):
    vp: Annotated[int, Bounds(ge=0, le=999)]
    madness: Annotated[int, Bounds(ge=0, le=24)]  # eight icons in each of three rounds


def tally(table: Table, round: Number, players: tuple[Counted, ...]) -> Verdict:
    """After the scoring of this round, in the order of the seats. VP count only if neither is lost."""
    first, compared = lead(table, _points(table, players)), _compared(players)
    because, score = "equal-points" if first.shared else "most-points", f"{first.best} VP"
    lost = [each for each in players if each.madness >= LIMIT]
    if len(lost) == len(players):
        text, because = f"Both are lost after round {round}, so nobody wins.", "both-lost"
        both = listed([each.name for each in players])
        verdict = Verdict("no_winner", f"{both} are both lost to Madness. Nobody wins.")
    elif lost:
        (winner,) = (seat for seat in table.seats if seat.name != lost[0].name)
        text = f"{winner.name} wins after round {round}; the VP ({compared}) are not compared."
        because, tokens = "nine-loses", f"{lost[0].madness} tokens"
        summary = f"{winner.name} wins: {lost[0].name} is lost to Madness with {tokens}."
        verdict = Verdict("win", summary, (winner.id,))
    elif round < ROUNDS:
        text, summary = f"{compared}.", f"Round {round} of {ROUNDS} is scored. {first.would_win(score)}"
        verdict = Verdict("continues", summary, leaders=first.seats)
    else:
        text = f"{compared}: {'equal, so the win is shared' if first.shared else 'more VP win'}."
        verdict = Verdict(first.outcome, first.won(score), first.seats)

    def check(each: Counted) -> Step:
        has = f"{each.name} has {each.madness} Madness at the check of round {round}"
        return Step(f"{has}: {'nine or more, lost' if each in lost else 'under nine'}.", "nine-loses")

    return replace(verdict, steps=(*map(check, players), Step(text, because)))


def _points(table: Table, players: tuple[Counted, ...]) -> dict[int, int]:
    return {seat: each.vp for seat, each in zip(table.ids, players, strict=True)}


def _compared(players: tuple[Counted, ...]) -> str:
    return ", ".join(f"{each.name} {each.vp} VP" for each in players)


@kept_while(*BUT_SEALED)
def adjudicate(state: State) -> Verdict:
    scored = score_game(state)
    complete = tuple(takewhile(lambda each: each.complete, scored))
    for upto, last in enumerate(complete, 1):
        if upto in (ROUNDS, len(scored)) or any(side.lost for side in last.sides.values()):
            done = complete[:upto]
            verdict = tally(state.table, upto, _players(state, done))
            house = [rule.step(state.table) for rule in _touched(state, done)]
            return replace(verdict, steps=(*_working(state, done), *verdict.steps, *house))
    stand = _players(state, complete)  # what the seats show: nobody leads by cards that are not scored yet
    now, steps = f"The game goes on: {_compared(stand)}.", _working(state, complete)
    if scored and state.stage != "draft":
        waits = scored[len(complete)].waits
        now, steps = f"{now} {waits}", (*steps, Step(waits, "scoring-order"))
    return Verdict("continues", now, (), steps, leaders=ahead(_points(state.table, stand)))


def _players(state: State, scored: tuple[Scored, ...]) -> tuple[Counted, ...]:
    def player(seat: Seat) -> Counted:
        sides = [each.sides[seat.id] for each in scored]
        return Counted(seat.name, sum([each.points for each in sides]), sides[-1].after if sides else 0)

    return tuple([player(seat) for seat in state.table.seats])


def _working(state: State, scored: tuple[Scored, ...]) -> tuple[Step, ...]:
    return tuple([step for each in scored for step in _round_steps(each, state.table.seats)])


@kept_on  # one that is over is told the same until somebody corrects it
def _round_steps(scored: Scored, seats: tuple[Seat, ...]) -> tuple[Step, ...]:
    steps, round = [], scored.round
    for name, side in ((seat.name, scored.sides[seat.id]) for seat in seats):
        steps.append(Step(f"Round {round}, {name}: {cards.SAYS['numbers'](side)}.", "scoring-order"))
        if side.saved:
            saved = f"{name} stood at {side.after + 1} and healed 1 before the check of round {round}: saved."
            steps.append(Step(saved, "heal-before-check"))
    return tuple(steps)


def _touched(state: State, scored: tuple[Scored, ...]) -> Iterator[HouseRule]:
    """The house rules that the numbers rest on."""
    by_card = [each for each in scored if not each.by_hand]
    kept = {id for each in by_card for seat in each.sides for id in state.kept_before(seat, each.round)}
    if any(cards.card(id).madness for id in kept):
        yield from (cards.KEPT_MADNESS, cards.KEPT_ICONS)
    if cards.SHUB in kept:
        yield cards.KEPT_SHUB
    if any(each.dreamer for each in by_card):
        yield cards.DREAMLANDS_TOKEN
    wanted = [each for each in scored if each.dreamer and not each.left]
    if any(each.sides[state.other(each.dreamer)].moved >= 0 for each in wanted if each.dreamer):
        yield cards.EMPTY_HANDED


def scores(state: State) -> Scores:
    """VP after each round that has begun, with what its cards give so far."""
    scored = score_game(state)
    after = {f"Round {n}": _players(state, scored[:n]) for n in range(1, len(scored) + 1)}
    columns = {column: _points(state.table, players) for column, players in after.items()}
    now = zip(state.table.ids, _players(state, scored), strict=True) if scored else ()
    beside = {seat: f"{each.madness} Madness{', lost' * (each.madness >= LIMIT)}" for seat, each in now}
    return Scores(columns, "VP", beside=beside)
