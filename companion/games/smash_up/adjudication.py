"""Who won, and why: 15 VP end the game, the Madness penalty is taken off, the most that is left wins."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from companion.core import Bounds, Lead, Scores, Step, Table, Verdict, kept_while, listed, plain, refuse_if
from companion.core.tally import Player
from companion.games.smash_up.cards import END_CHECK, MADNESS, PENALTY, SAYS, TIED
from companion.games.smash_up.state import GOAL, State


class Standing(NamedTuple):
    seat: int
    name: str
    vp: int
    madness: int

    @property
    def penalty(self) -> int:
        return self.madness // 2

    @property
    def left(self) -> int:
        """What counts: the penalty may take more than there is."""
        return self.vp - self.penalty

    @property
    def sum(self) -> str:
        """16 − 2 = 14, or just 16."""
        return f"{self.vp} − {self.penalty} = {plain(self.left)}" if self.penalty else str(self.vp)


def _rank(table: Table, each: Standing) -> tuple[int, int]:
    """The lower, the better."""
    return -each.left, each.madness if TIED.chosen(table) == "madness" else 0


def places(table: Table, standings: tuple[Standing, ...], over: bool) -> dict[int, int]:
    """Who is first, second, …; those who tie share a place. Madness costs nothing before the game is over."""
    ranks = {each.seat: _rank(table, each) if over else (-each.vp, 0) for each in standings}
    return {seat: 1 + sum(other < mine for other in ranks.values()) for seat, mine in ranks.items()}


def scores(state: State) -> Scores:
    """What would be left of the VP, turn by turn."""
    return Scores({f"Turn {max(1, state.turn)}": {each.seat: each.left for each in standings(state)}}, "VP")


def judge(table: Table, standings: tuple[Standing, ...]) -> Verdict:
    """At the end of a turn; who has most is named first."""
    ranked = sorted(standings, key=lambda each: _rank(table, each))
    best, there = ranked[0].left, [each for each in ranked if each.vp >= GOAL]
    first = [each for each in ranked if each.left == best]
    steps = [Step(SAYS["working"](each), "madness-penalty") for each in ranked]
    leaders, names, _ = _lead(first)
    if not there or (PENALTY.chosen(table) == "yes" and best < GOAL):
        step, summary = _goes_on(_lead(first), bool(there))
        return Verdict("continues", summary, (), (*steps, step), leaders)
    plays_on = len(first) > 1 and TIED.chosen(table) == "play-on"
    ends = "would end" if plays_on else "ends"
    steps.append(Step(f"{_lead(there).names} reached {GOAL} VP, so the game {ends}.", "fifteen-ends"))
    steps.append(Step(f"Most VP left: {names} with {best}.", "most-vp-wins"))
    touched = [PENALTY.step(table)] if any(each.left < GOAL for each in there) else []
    if plays_on:
        steps.append(Step(f"{names} are tied, so play goes on until one is ahead.", "tie-plays-on"))
        summary = f"{names} tie with {best} VP: play goes on until one is ahead."
        return Verdict("continues", summary, (), (*steps, TIED.step(table), *touched), leaders)
    won, score = _lead([each for each in first if each.madness == first[0].madness]), f"{best} VP"
    if len(first) > 1:
        counts = listed([f"{each.name} {each.madness}" for each in first])
        steps.append(Step(f"Madness cards of those tied: {counts}; the fewest win.", TIED.id))
        score += "" if won.shared else " and fewer Madness cards"
    return Verdict(won.outcome, won.won(score), won.seats, (*steps, *touched))


def _goes_on(first: Lead, there: bool) -> tuple[Step, str]:
    """Nobody has 15 VP, or nobody has them `there` any more after the penalty."""
    leads = f" {first.names} {'lead' if first.shared else 'leads'} with {first.best} VP."
    summary = f"The game goes on.{leads}" if first.best > 0 else "The game goes on; nobody is ahead yet."
    if not there:
        return Step(f"Nobody has {GOAL} VP, so the game goes on.", "fifteen-ends"), summary
    short = f"After the penalty nobody has {GOAL} VP left"
    return Step(f"{short}, so the game does not end.", PENALTY.id), f"{short}. {summary}"


def _lead(some: list[Standing]) -> Lead:
    return Lead(tuple(each.seat for each in some), listed([each.name for each in some]), some[0].left)


@kept_while("table.seats", "vp", "madness")
def standings(state: State) -> tuple[Standing, ...]:
    held = [(seat, state.vp.get(seat.id, 0), state.madness.get(seat.id, 0)) for seat in state.table.seats]
    return tuple([Standing(seat.id, seat.name, vp, madness) for seat, vp, madness in held])


@kept_while("table.seats", "table.choices", "vp", "madness", "stage", "after")
def adjudicate(state: State) -> Verdict:
    """Even where 15 are looked for at once, what comes after a scoring comes first."""
    table, verdict = state.table, judge(state.table, standings(state))
    at_once = state.stage == "play" and END_CHECK.chosen(table) == "at-once" and not state.leaving
    if state.stage == "check" or at_once or not verdict.final:
        return verdict
    winners = listed([table.seat(seat).name for seat in verdict.winners])
    would = "would share the win" if verdict.outcome == "shared" else "would win"
    summary = f"The game ends with this turn: as it stands, {winners} {would}."
    return Verdict("continues", summary, (), verdict.steps, verdict.winners)


@dataclass(frozen=True)
class Counted(Player):
    vp: Annotated[int, Bounds(ge=0, le=999)]
    madness_cards: Annotated[int, Bounds(ge=0, le=MADNESS)]


def tally(table: Table, players: tuple[Counted, ...]) -> Verdict:
    """From the command line, at the end of a turn; the players are in the order of the seats."""
    cards = sum(each.madness_cards for each in players)
    refuse_if(cards > MADNESS, f"There are only {MADNESS} Madness cards; the tally has {cards}.")
    pairs = zip(table.seats, players, strict=True)
    return judge(table, tuple(Standing(seat.id, seat.name, p.vp, p.madness_cards) for seat, p in pairs))
