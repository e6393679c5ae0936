"""Who won, and why."""

from functools import lru_cache
from itertools import accumulate

from companion.core import HouseRule, Scores, Step, Verdict
from companion.core.memo import once
from companion.core.scores import START
from companion.core.text import plain
from companion.core.verdict import lead
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
    decides, stand, lowest = state.kinds[0], standings(state), lowest_wins(state)
    first = lead(state.table, {each.seat.id: each.total for each in stand}, lowest)
    score = f"{plain(first.best)} {decides.name}"
    steps = (*[each.step for each in stand], _rule(lowest, decides.name))
    if not state.over:
        return Verdict("continues", first.would_win(score), (), steps, leaders=first.seats)
    return Verdict(first.outcome, first.won(score), first.seats, steps)


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
