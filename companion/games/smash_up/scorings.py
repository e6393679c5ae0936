"""Scoring a base: choose it, Specials, its VP, Specials once more, and then the base that takes its place."""

from typing import ClassVar

from companion.core import Context, Event, Events, Refused, SeatEvent, refuse_if, replace, there
from companion.core.text import By, Choice, SeatId, signed
from companion.games.smash_up import bases, turns
from companion.games.smash_up.cards import LAST_BASE, PHASES, Award, Printed
from companion.games.smash_up.state import SCORE, Base, Scored, Scoring, State, Which

MOST = 15  # VP that cards can add to what a base gives; nobody needs more to win


def _check_number(state: State, number: int) -> None:
    if number < state.number:
        raise Refused(f"{state.scored[number - 1].card.name} is scored already.")


def _under_way(state: State, number: int) -> Scoring:
    _check_number(state, number)
    return there(state.scoring if number == state.number else None, "No base is being scored.")


class ScoringBegun(Event[State]):
    base: int
    number: int  # of all scorings of the game

    def fold(self, state: State) -> State:
        state.check_turn(state.turn)
        _check_number(state, self.number)
        refuse_if(self.number > state.number, "Not yet.")
        return replace(state, scoring=Scoring(state.base(self.base).id), after=None)


class ScoringStopped(Event[State]):
    number: int
    name: str = ""

    def fold(self, state: State) -> State:
        _under_way(state, self.number)
        return replace(state, scoring=None)


class _InTheRound:
    """What is said when Specials go round, before a base gives its VP or after; each says them itself."""

    number: int
    after: bool

    def fold(self, state: State) -> State:
        if not self.after:
            return replace(state, scoring=self.goes_on(state, _under_way(state, self.number)))
        going = _going_after(state, self.number)  # one undo takes a scoring back, whoever has passed after it
        return replace(state, after=self.goes_on(state, going)) if going else state

    def goes_on(self, state: State, scoring: Scoring) -> Scoring:
        return replace(scoring, done=True)


def _going_after(state: State, number: int) -> Scoring | None:
    return state.after if number == len(state.scored) else None


class SpecialsDone(_InTheRound, Event[State]):
    number: int
    after: bool = False


class _SpecialAnswer(_InTheRound, SeatEvent[State]):
    number: int
    after: bool = False

    passes: ClassVar[bool]

    def check_tap(self, state: State) -> None:
        refuse_if(self.after and not _going_after(state, self.number), "That scoring is over.")

    def goes_on(self, state: State, scoring: Scoring) -> Scoring:
        whose = there(state.whose_special, "All have passed already.")
        refuse_if(self.seat != whose, f"It is {state.name(whose)} who uses a Special or passes now.")
        passed = (*(each for each in scoring.passed if each != self.seat), self.seat) if self.passes else ()
        return replace(scoring, passed=passed, last=self.seat, done=set(state.table.ids) <= set(passed))


class SpecialPassed(_SpecialAnswer, tap="pass_special", seat=SeatId, number=Which, after=bool):
    passes = True


class SpecialUsed(_SpecialAnswer, tap="use_special", seat=SeatId, number=Which, after=bool):
    passes = False


class AwardChanged(SeatEvent[State], tap="change_award", seat=SeatId, number=Which, by=By):
    number: int
    by: int

    def check_tap(self, state: State) -> None:
        total = self.by + _under_way(state, self.number).more.get(self.seat, 0)
        slip = f"Cards change a scoring by {MOST} VP at most; {signed(total)} looks mistyped."
        refuse_if(abs(total) > MOST, slip)

    def fold(self, state: State) -> State:
        scoring, seat = _under_way(state, self.number), state.table.seat(self.seat).id
        more = {**scoring.more, seat: scoring.more.get(seat, 0) + self.by}
        return replace(state, scoring=replace(scoring, more=more))


class BaseScored(Event[State]):
    base: int
    number: int
    turn: int
    awards: tuple[Award, ...]
    name: str = ""
    stays: bool = False  # until the Specials after scoring are over; once it went at once

    def fold(self, state: State) -> State:
        """The VP were reckoned when it was tapped; what they were reckoned from must still lie there."""
        scoring, base, vp = _under_way(state, self.number), state.base(self.base), dict(state.vp)
        refuse_if(scoring.base != base.id, f"{base.card.name} is not the base being scored.")
        for award in self.awards:
            name, held = state.name(award.seat), base.at(award.seat)
            other = (held.power, held.here) != (award.power, award.minions)
            refuse_if(other, f"{base.card.name} was scored with {name} at {award.power} power.")
            vp[award.seat] = vp.get(award.seat, 0) + award.vp
        scored = (*state.scored, Scored(self.turn, base.card, tuple(self.awards)))
        state = replace(state, vp=vp, scoring=None, scored=scored, after=Scoring(base.id, lies=self.stays))
        return state if self.stays else _discarded(state, base)

    def gained(self, state: State) -> tuple[str, ...]:
        return tuple(f"{state.name(each.seat)} {signed(each.vp)}" for each in self.awards if each.vp)


def _discarded(state: State, base: Base) -> State:
    return replace(state.without_base(base), discards=tuple(dict.fromkeys((*state.discards, base.card.id))))


class BaseCleared(Event[State]):
    """All that lay there goes, and the base with it; what comes in its place is told after it."""

    base: int
    number: int
    name: str = ""

    def fold(self, state: State) -> State:
        old, after = _to_replace(state, self.base, self.number)
        return _discarded(replace(state, after=replace(after, lies=False, done=True)), old)


def _to_replace(state: State, base: int, number: int) -> tuple[Base, Scoring]:
    old, after = state.leaving, state.after
    if old is None or after is None or (old.id, len(state.scored)) != (base, number):
        raise Refused("A new base has come there already.")
    return old, after


def begin_scoring(state: State, context: Context, base: Which, number: Which) -> Events:
    """Also from the phases before: nothing is left to be done in them, then."""
    _check_number(state, number)
    state.check_no_scoring(" already")
    chosen = state.base(base)
    over, lacking = state.stage != "play" or state.phase > SCORE, chosen.card.breakpoint - chosen.total
    refuse_if(over, f"Bases are scored in the third phase, {PHASES[SCORE - 1].name}.")
    refuse_if(lacking > 0, f"{chosen.card.name} lacks {lacking} power to its breakpoint.")
    if state.phase < SCORE:
        yield turns.PhaseBegun(state.turn, SCORE)
    yield ScoringBegun(base, number)


def stop_scoring(state: State, context: Context, number: Which) -> Events:
    yield ScoringStopped(number, state.base(_under_way(state, number).base).card.name)


def score_base(state: State, context: Context, base: Which, number: Which) -> Events:
    """All pass, unless they have said so one by one, and the VP are given. What lies there stays."""
    scoring = _under_way(state, number)
    old = state.base(scoring.base)
    refuse_if(old.id != base, f"It is {old.card.name} that is being scored.")
    if not scoring.done:
        yield SpecialsDone(number)
    yield BaseScored(base, number, state.turn, state.awards(scoring), old.card.name, stays=True)


def replace_base(state: State, context: Context, base: Which, number: Which, card: Choice = "lot") -> Events:
    """All have passed once more: what lies there goes, the old base too, and the new one takes its place."""
    yield from _cleared(state, base, number)
    if card != "lot":
        yield bases.BaseLaid(state.laid + 1, state.card(card).id)
    elif state.base_deck or LAST_BASE.chosen(state.table) == "shuffle":
        yield from bases.drawn_base(state, context.luck, also=state.base(base).card.id)


def replace_base_typed(state: State, context: Context, base: Which, number: Which, new: Printed) -> Events:
    """The same, and the new base is one that no box of ours has."""
    yield from _cleared(state, base, number)
    yield from bases.typed_base(state, new)


def _cleared(state: State, base: int, number: int) -> Events:
    old, after = _to_replace(state, base, number)
    if not after.done:
        yield SpecialsDone(number, after=True)
    yield BaseCleared(base, number, old.card.name)
