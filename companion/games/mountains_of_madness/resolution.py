"""What the sled brings and what it costs: both Challenges are judged, or still being counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

from companion.core import Context, Count, Event, Refused, SeatId, Tap
from companion.core.pieces import Bar, Chips, Note, Panel, Picker, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness import box, consequences, counting, die, reward
from companion.games.mountains_of_madness.counting import Which
from companion.games.mountains_of_madness.state import Facts, State, moved
from companion.tools.timer import TimerStopped


class MissPaid(Event[State]):
    """The price of a missed Challenge is chosen."""

    turn: int
    which: int
    price: Literal["madness", "die"]

    def fold(self, state: State) -> State:
        state.expect(self.turn, "resolution")
        if self.which not in state.now.unpaid:
            raise Refused("That Challenge costs nothing more.")
        return state.with_turn(settled=(*state.now.settled, self.which))

    def log_text(self, state: State) -> str:
        price = "Madness" if self.price == "madness" else "the penalty die"
        return f"for Challenge {self.which + 1}: {price}"


class ResolutionEnded(Event[State]):
    turn: int
    cards: int  # that were played
    injuries: int = 0  # among them

    def fold(self, state: State) -> State:
        state.expect(self.turn, "resolution")
        if why := state.now.unfinished:
            raise Refused(why)
        was = state.cards
        cards = replace(was, hands=max(0, was.hands - self.cards), discard=was.discard + self.cards)
        injuries = moved(state.injuries, "hands", "discard", self.injuries)
        now = replace(state.now, searching=False, sand="", injured=0)
        return replace(state, stage="draw", cards=cards, injuries=injuries, raised=(), now=now)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn}: {counted(self.cards, 'played card')} to the discard, now the Draw phase"


def pay_with_madness(state: State, context: Context, turn: Count, which: Which, whom: SeatId) -> Facts:
    state.playing(turn, "resolution")
    level = state.level(whom)
    if state.all_mad:
        raise Refused("Everyone has Madness of level 3, so it must be the penalty die.")
    if level == box.LEVELS:
        raise Refused(f"{state.name(whom)} has Madness of level 3 already; choose somebody else.")
    yield MissPaid(turn, which, "madness")
    yield from consequences.facts(consequences.madness(state, whom))


def pay_with_die(state: State, context: Context, turn: Count, which: Which) -> Facts:
    state.playing(turn, "resolution")
    if state.now.penalties:
        raise Refused("One thing after the other: first the die that is owed.")
    yield MissPaid(turn, which, "die")
    yield die.PenaltyOwed(turn, state.now.rolled + 1, which)


def end_resolution(state: State, context: Context, turn: Count) -> Facts:
    state.playing(turn, "resolution")
    injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
    yield ResolutionEnded(turn, state.now.played, injuries)
    if state.now.searching:
        yield TimerStopped()


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    if state.now.met is None:
        return counting.words(state)
    return "What it brings, what it costs", f"In the order that {state.leads} likes."


def pieces(state: State) -> Iterator[Piece]:
    now = state.now
    yield from die.pieces(state)
    if now.met is None:
        yield from counting.pieces(state)
        return
    yield Chips("peak-results", tuple([_result(state, which) for which in (0, 1)]), "Judged")
    yield from [_miss(state, which) for which in now.unpaid]
    yield from reward.pieces(state)
    end = Tap("To the Draw phase", state.do("end_resolution"), strong=True, why_not=now.unfinished)
    yield Bar("peak-end", (end,))


def _result(state: State, which: int) -> Tap:
    met, gap = which not in state.now.missed, state.now.gaps[which]
    sign, tone = "check" if met else "close", counting.tone_of(met)
    return Tap(state.now.name(which), detail=counting.in_words(met, gap), mark=sign, tone=tone)


def _miss(state: State, which: int) -> Panel:
    id = f"peak-miss-{which}"
    missed = f"{state.now.name(which)} {counting.in_words(False, state.now.gaps[which])}"
    why = "First the die that is owed." if state.now.penalties else ""
    roll = Bar(f"{id}-die", (Tap("Penalty die", state.do("pay_with_die", which=which), why_not=why),))
    return Panel(id, (roll, _mad(state, which)), f"{missed}: what does it cost?")


def _mad(state: State, which: int) -> Piece:
    """Who could pay with Madness instead."""
    if state.all_mad:
        return Note(f"peak-miss-{which}-mad", "Everyone has Madness of level 3, so it must be the die.")
    do = partial(state.do, "pay_with_madness", which=which)
    taps = [
        Tap(seat.name, do(whom=seat.id), reward.deeper(level), seat=seat)
        for seat in state.table.seats
        if (level := state.level(seat.id)) < box.LEVELS
    ]
    return Picker(f"peak-miss-{which}-who", tuple(taps), "or one player draws Madness:", columns=2)
