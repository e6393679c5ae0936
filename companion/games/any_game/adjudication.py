"""Who won, and why."""

from functools import lru_cache, partial
from itertools import accumulate

from companion.core import HouseRule, Scores, Seat, Step, Verdict
from companion.core.memo import once
from companion.core.scores import START
from companion.core.text import plain
from companion.core.verdict import Lead, ahead, lead
from companion.games.any_game.standing import standings
from companion.games.any_game.state import State

WHO_WINS = HouseRule(
    id="who-wins",
    question="Who wins?",
    choices=(("highest", "Highest score wins"), ("lowest", "Lowest score wins")),
    default="highest",
    why="Most games count points up.",
)
HOUSE_RULES = (WHO_WINS,)


@once
def adjudicate(state: State) -> Verdict:
    """The first counter decides; a tie is shared."""
    if not state.over:
        return Verdict.going_on(ahead(_totals(state), lowest_wins(state)), partial(_if_ended_now, state))
    first, score, steps = _stands(state)
    return Verdict(first.outcome, first.won(score), first.seats, steps)


def _if_ended_now(state: State) -> tuple[str, tuple[Step, ...]]:
    first, score, steps = _stands(state)
    return first.would_win(score), steps


def _stands(state: State) -> tuple[Lead, str, tuple[Step, ...]]:
    """Who is ahead, with how many, and the working."""
    decides, lowest = state.kinds[0], lowest_wins(state)
    first = lead(state.table, _totals(state), lowest)
    steps = (*[_working(state, seat) for seat in state.table.seats], _rule(lowest, decides.name))
    return first, f"{plain(first.best)} {decides.name}", steps


def _working(state: State, seat: Seat) -> Step:
    """The start, if there is one, then every round."""
    kind, tally = state.kinds[0], state.tally(seat.id)
    got, total = tally.by_round(kind.id, state.round), plain(tally.total(kind))
    first, *more = [kind.start, *got] if kind.start else got
    sums = plain(first) + "".join(f" + {part}" if part >= 0 else f" − {-part}" for part in more)
    return Step(f"{seat.name}: {sums} = {total}" if more else f"{seat.name}: {total}")


def _totals(state: State) -> dict[int, int]:
    return {each.seat.id: each.total for each in standings(state)}


def lowest_wins(state: State) -> bool:
    return WHO_WINS.chosen(state.table) == "lowest"


def scores(state: State) -> Scores:
    """The counter that decides, after each round."""
    kind, rounds = state.kinds[0], range(1, state.round + 1)
    after = {}
    for seat in state.table.seats:
        tally = state.tally(seat.id)
        got = (tally.got(round, kind.id) for round in rounds)
        after[seat.id] = list(accumulate(got, initial=kind.start))
    begun = {START: {seat: sums[0] for seat, sums in after.items()}} if kind.start else {}
    columns = {f"Round {round}": {seat: sums[round] for seat, sums in after.items()} for round in rounds}
    return Scores(begun | columns, kind.name, lowest_wins(state))


@lru_cache(100)
def _rule(lowest: bool, counter: str) -> Step:
    return Step(f"{'Lowest' if lowest else 'Highest'} {counter} wins; equal scores share it.", WHO_WINS.id)
