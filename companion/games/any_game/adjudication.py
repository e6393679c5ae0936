from __future__ import annotations

from itertools import accumulate

from companion.core import HouseRule, Scores, Seat, Step, Verdict
from companion.core.text import listed, plain
from companion.games.any_game.state import State

WHO_WINS = HouseRule(
    id="who-wins",
    question="Who wins?",
    choices=(("highest", "Highest score wins"), ("lowest", "Lowest score wins")),
    default="highest",
    why="Most games count points up.",
)
HOUSE_RULES = (WHO_WINS,)


def adjudicate(state: State) -> Verdict:
    """The first counter decides; a tie is shared."""
    decides = state.kinds[0]
    totals = {seat.id: state.total(seat.id, decides) for seat in state.table.seats}
    lowest = lowest_wins(state)
    best = min(totals.values()) if lowest else max(totals.values())
    first = tuple(id for id, total in totals.items() if total == best)
    names = listed([state.table.seat(id).name for id in first])
    score = f"{plain(best)} {decides.name}"
    steps = (
        *(Step(_working(state, seat)) for seat in state.table.seats),
        Step(f"{'Lowest' if lowest else 'Highest'} {decides.name} wins; equal scores share it.", WHO_WINS.id),
    )
    if not state.over:
        would = f"would share the win with {score} each" if len(first) > 1 else f"would win with {score}"
        return Verdict("continues", f"If we ended now, {names} {would}.", (), steps, leaders=first)
    if len(first) > 1:
        return Verdict("shared", f"{names} share the win with {score} each.", first, steps)
    return Verdict("win", f"{names} wins with {score}.", first, steps)


def lowest_wins(state: State) -> bool:
    return state.table.rules.get(WHO_WINS.id, WHO_WINS.default) == "lowest"


def scores(state: State) -> Scores:
    """The counter that decides, after each round."""
    kind, rounds = state.kinds[0], range(1, state.round + 1)
    after = {}
    for seat in state.table.seats:
        got = (state.got(round, seat.id, kind.id) for round in rounds)
        after[seat.id] = list(accumulate(got, initial=kind.start))
    columns = {f"Round {round}": {seat: sums[round] for seat, sums in after.items()} for round in rounds}
    return Scores(columns, kind.name, lowest_wins(state))


def _working(state: State, seat: Seat) -> str:
    kind = state.kinds[0]
    parts = state.parts(seat.id, kind)
    total = plain(sum(parts))
    if len(parts) == 1:
        return f"{seat.name}: {total}"
    sums = plain(parts[0]) + "".join(f" + {part}" if part >= 0 else f" − {-part}" for part in parts[1:])
    return f"{seat.name}: {sums} = {total}"
