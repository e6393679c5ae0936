"""Who won, and why: the most Knowledge Points after the sixth turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Annotated

from companion.core import Bounds, Scores, Step, Table, Verdict, kept_while, lead, plain, refuse_if
from companion.core.tally import Player
from companion.games.wisdom_of_cthulhu.box import ABSENT_GOD, BELOW_ZERO, SAYS, TURNS
from companion.games.wisdom_of_cthulhu.state import State

Number = Annotated[int, Bounds(ge=1, le=TURNS)]


def judge(table: Table, turn: int, over: bool, kp: Mapping[int, int], *working: Step) -> Verdict:
    first = lead(table, kp)
    best = f"{plain(first.best)} KP"
    compared = ", ".join([f"{seat.name} {plain(kp[seat.id])} KP" for seat in table.seats])
    if not over or turn < TURNS:
        now = f"Turn {turn} of {TURNS}{' is over' if over else ''}" if turn else "The game has not begun"
        left = Step(f"{now}; the game ends after turn {TURNS}.", "six-turns")
        steps = (*working, left, Step(f"{compared}.", "most-points"))
        return Verdict("continues", f"{now}. {first.would_win(best)}", (), steps, leaders=first.seats)
    end = f"Turn {TURNS} is over: every Path is a Permanent Obsession, and the game ends."
    summary, why = first.won(best), Step(f"{compared}: the most Knowledge Points win.", "most-points")
    if first.shared:
        tie = f"{compared}: equal at the top. The manual is silent about ties, so the win is shared."
        summary = f"{summary.removesuffix('.')}; the manual names no tie-break."
        why = Step(tie, "tie-silent")
    return Verdict(first.outcome, summary, first.seats, (*working, Step(end, "six-turns"), why))


@kept_while("table", "points", "turn", "over", "evoked")
def adjudicate(state: State) -> Verdict:
    counts = dict(zip(state.table.seats, state.gains, strict=True))
    working = [_counted(seat.name, got) for seat, got in counts.items() if got]
    kp = {seat.id: sum(got) for seat, got in counts.items()}
    if state.turn and state.evoked:
        working.append(Step(SAYS["evoked"](state), "one-evocation"))
    chosen = [rule for rule in (BELOW_ZERO, ABSENT_GOD) if rule.chosen(state.table) != rule.default]
    working += [rule.step(state.table) for rule in chosen if state.turn]
    return judge(state.table, state.turn, state.over, kp, *working)


@lru_cache(4096)
def _counted(name: str, turns: tuple[int, ...]) -> Step:
    sums = plain(turns[0]) + "".join([f" + {n}" if n >= 0 else f" − {-n}" for n in turns[1:]])
    total = f" = {plain(sum(turns))}" if len(turns) > 1 else ""
    return Step(f"{name}, turn by turn: {sums}{total} KP.", "count-each-turn")


@dataclass(frozen=True)
class Counted(Player):
    """In a tally from the command line."""

    kp: Annotated[int, Bounds(ge=-9999, le=9999)]


def tally(table: Table, turn: Number, turn_over: bool, players: tuple[Counted, ...]) -> Verdict:
    """In this turn, or after it; the players are in the order of the seats."""
    for each in players:
        below = each.kp < 0 and BELOW_ZERO.chosen(table) != "yes"
        refuse_if(below, f"{each.name} cannot have {plain(each.kp)} KP: nobody goes below 0.")
    return judge(table, turn, turn_over, dict(zip(table.ids, [each.kp for each in players], strict=True)))


def scores(state: State) -> Scores:
    """Knowledge Points after each turn; a correction reaches the turn it belongs to."""
    turns = range(1, max(1, state.turn) + 1)
    after = {f"Turn {turn}": {seat: state.kp(seat, turn) for seat in state.seats} for turn in turns}
    known = state.named and any(came != "by hand" for _, came in state.sources)
    return Scores(after, "KP", beside={seat: _sources(state, seat) for seat in state.seats} if known else {})


def _sources(state: State, seat: int) -> str:
    """Where one's points came from, which only a table that taps its cards by name knows."""
    most = sorted(state.sources.items(), key=itemgetter(1), reverse=True)
    return ", ".join([f"{came} {plain(kp)}" for (whose, came), kp in most if kp and whose == seat])
