"""What the sled brings and what it costs; and the penalty die, whenever it is owed.

The die is rolled here or at the table, shown with all that follows, and applied in one tap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Do, Events, Refused, SeatId, Tap, refuse_if
from companion.core.pieces import Bar, Chips, Fold, Note, Panel, Picker, Piece
from companion.games.mountains_of_madness import box, consequences, counting, reward
from companion.games.mountains_of_madness.counting import Which
from companion.games.mountains_of_madness.state import DieOwed, Penalty, Resolving, State, TileOpen, TurnEvent
from companion.tools.dice import Cup, throw
from companion.tools.timer import TimerStopped

Face = Literal["", "accident", "confusion", "confidence"]
Gap = Annotated[Count, Field(ge=1, le=300)]
CUP = Cup((box.PENALTY_DIE,), 0, "the penalty die")
MOST_MISSED = 18  # no Challenge asks for more than this


class MissPaid(TurnEvent, during=("resolution",)):
    """The price of a missed Challenge is chosen."""

    which: int
    price: Literal["madness", "die"]

    def fold(self, state: State) -> State:
        refuse_if(self.which not in state.now.unpaid, "That Challenge costs nothing more.")
        return state.with_turn(settled=(*state.now.settled, self.which))

    def log_text(self, state: State) -> str:
        price = "Madness" if self.price == "madness" else "the penalty die"
        return f"for Challenge {self.which + 1}: {price}"


class PenaltyOwed(TurnEvent):
    penalty: int
    source: int

    def fold(self, state: State) -> State:
        if self.penalty != state.now.rolled + 1 or state.turn != self.turn:
            raise Refused("That penalty is rolled for already.")
        due = (*state.now.penalties, Penalty(self.penalty, self.source))
        return state.with_turn(penalties=due, rolled=self.penalty)

    def log_text(self, state: State) -> str:
        return "somebody spoke" if self.source < 0 else ""


class PenaltyRolled(TurnEvent):
    penalty: int
    face: str
    where: str = ""  # the real die at the table, or one here; not known of old rolls, which the dice tell

    def fold(self, state: State) -> State:
        due = state.now.owed(self.penalty)
        rolled = replace(due, face=self.face, rolls=due.rolls + 1)
        penalties = tuple(rolled if each is due else each for each in state.now.penalties)
        return state.with_turn(penalties=penalties)

    def log_text(self, state: State) -> str:
        return f"rolled the penalty die {self.where}: {box.FACES[self.face]}" if self.where else ""


class GapTold(TurnEvent, tap="tell_gap", turn=Resolving, which=Count, gap=Gap):
    """For a Challenge that was judged by hand: Confusion needs to know by how much it was missed."""

    which: int
    gap: int

    def check_tap(self, state: State) -> None:
        refuse_if(self.which not in state.now.missed, "That Challenge was not missed.")
        known = state.now.gaps[self.which]
        refuse_if(known is not None, f"It was missed by {known}.")

    def fold(self, state: State) -> State:
        gaps = [self.gap if which == self.which else each for which, each in enumerate(state.now.gaps)]
        return state.with_turn(gaps=tuple(gaps))

    def log_text(self, state: State) -> str:
        return f"Challenge {self.which + 1} was missed by {self.gap}"


class PenaltyPaid(TurnEvent):
    penalty: int
    face: str
    later: bool = False

    def fold(self, state: State) -> State:
        due = state.now.owed(self.penalty)
        left = tuple(each for each in state.now.penalties if each is not due)
        return state.with_turn(penalties=left, later=state.now.later + self.later)

    def log_text(self, state: State) -> str:
        return f"{box.FACES[self.face]}{', measured after the reveal' if self.later else ''}"


class ResolutionEnded(TurnEvent, during=("resolution",)):
    cards: int  # that were played
    injuries: int = 0  # among them
    says = "turn {turn}: {cards:played card} to the discard, now the Draw phase"

    def fold(self, state: State) -> State:
        if why := state.now.unfinished:
            raise Refused(why)
        was = state.cards
        cards = replace(was, hands=max(0, was.hands - self.cards), discard=was.discard + self.cards)
        now = replace(state.now, searching=False, sand="", injured=0)
        changed = {"stage": "draw", "cards": cards, "raised": (), "now": now}
        return state.moving("injuries", "hands", "discard", self.injuries, **changed)


def pay_with_madness(state: State, context: Context, turn: Resolving, which: Which, whom: SeatId) -> Events:
    mad = state.level(whom) == box.LEVELS
    refuse_if(state.all_mad, "Everyone has Madness of level 3, so it must be the penalty die.")
    refuse_if(mad, f"{state.name(whom)} has Madness of level 3 already; choose somebody else.")
    yield MissPaid(turn, which, "madness")
    yield from consequences.facts(consequences.madness(state, whom))


def pay_with_die(state: State, context: Context, turn: Resolving, which: Which) -> Events:
    refuse_if(state.now.penalties, "One thing after the other: first the die that is owed.")
    yield MissPaid(turn, which, "die")
    yield PenaltyOwed(turn, state.now.rolled + 1, which)


def _while_silent(state: State, due: Penalty, reading: str) -> bool:
    """Confusion before the reveal, where the table chose this reading."""
    spoken = due.source == Penalty.SPOKEN and due.face == "confusion"
    return spoken and box.SPOKEN_CONFUSION.chosen(state.table) == reading


def roll_penalty(
    state: State, context: Context, turn: DieOwed, penalty: Count, rolls: Count, face: Face = ""
) -> Events:
    """With a face: the real die fell so."""
    due = state.now.owed(penalty)
    fallen = box.FACES.get(due.face, "")
    refuse_if(rolls and not fallen, "The die has not fallen yet.")  # that was taken back
    refuse_if(due.rolls != rolls, f"The die has fallen already: {fallen}.")
    costs = fallen and not _while_silent(state, due, "again")
    refuse_if(costs, f"The die shows {fallen}; another roll costs a token.")
    yield from _fall(context, turn, penalty, face)


def reroll(
    state: State, context: Context, turn: TileOpen, penalty: Count, rolls: Count, face: Face = ""
) -> Events:
    refuse_if(state.stage == "encounter", "A token re-rolls the die only in the Resolution phase.")
    due = state.now.owed(penalty)
    refuse_if(not due.face, "The die has not fallen yet.")
    refuse_if(due.rolls != rolls, f"The die has fallen again already: {box.FACES[due.face]}.")
    refuse_if(due.source < 0, "This Confusion was rolled in the Encounter phase; no token re-rolls it now.")
    yield from consequences.spend_token(state, "resolution")
    yield from _fall(context, turn, penalty, face)


def _fall(context: Context, turn: int, penalty: int, face: Face) -> Events:
    names = [each.name for each in box.PENALTY_DIE.faces]
    number = names.index(box.FACES[face]) + 1 if face else context.luck.roll(len(names))
    yield throw(CUP, [number], context.phone, real=bool(face), quiet=True)
    shown = next(id for id, name in box.FACES.items() if name == names[number - 1])
    yield PenaltyRolled(turn, penalty, shown, "at the table" if face else "here")


def pay_penalty(state: State, context: Context, turn: DieOwed, penalty: Count, injuries: Count = 0) -> Events:
    """The whole chain, as it was shown. `injuries`: seen among the cards that Confusion discards."""
    due = state.now.owed(penalty)
    refuse_if(not due.face, "The die has not fallen yet.")
    refuse_if(_while_silent(state, due, "again"), "There is no gap to count yet: roll again.")
    gap = consequences.gap_of(state, due)
    if due.face == "confusion" and due.source != Penalty.SPOKEN and gap is None:
        raise Refused("First say how far the total was from the Challenge.")
    if injuries and (due.face != "confusion" or injuries > min(gap or 0, state.injuries.deck)):
        raise Refused("So many Injuries cannot be among those cards.")
    yield PenaltyPaid(turn, penalty, due.face, _while_silent(state, due, "later"))
    yield from consequences.facts(consequences.penalty(state, due, injuries))


def end_resolution(state: State, context: Context, turn: Resolving) -> Events:
    injuries = min(state.now.injured, state.injuries.hands)  # fewer, if they were put right meanwhile
    yield ResolutionEnded(turn, state.now.played, injuries)
    if state.now.searching:
        yield TimerStopped()


# --- what is seen of the phase ---


def resolving(state: State) -> Iterator[Piece]:
    now = state.now
    yield from owing(state)
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
    """The die, or who could pay with Madness instead."""
    id = f"peak-miss-{which}"
    missed = f"{state.now.name(which)} {counting.in_words(False, state.now.gaps[which])}"
    why = "First the die that is owed." if state.now.penalties else ""
    roll = Bar(f"{id}-die", (Tap("Penalty die", state.do("pay_with_die", which=which), why_not=why),))
    do = partial(state.do, "pay_with_madness", which=which)
    taps = [
        Tap(seat.name, do(whom=seat.id), reward.deeper(level), seat=seat)
        for seat in state.table.seats
        if (level := state.level(seat.id)) < box.LEVELS
    ]
    mad: Piece = Picker(f"{id}-who", tuple(taps), "or one player draws Madness:", columns=2)
    if not taps:
        mad = Note(f"{id}-mad", "Everyone has Madness of level 3, so it must be the die.")
    return Panel(id, (roll, mad), f"{missed}: what does it cost?")


# --- and of the die ---


def owing(state: State) -> Iterator[Panel]:
    for due in state.now.penalties[:1]:
        words = {Penalty.SPOKEN: "Somebody spoke: penalty die", Penalty.LATER: "Confusion from the silence"}
        title = words.get(due.source) or f"Penalty die for {state.now.name(due.source)}"
        yield Panel("peak-owed", tuple(_price(state, due)), title, tone="bad")


def _price(state: State, due: Penalty) -> Iterator[Piece]:
    args = {"turn": state.turn, "penalty": due.number, "rolls": due.rolls}
    if due.face:  # another id with every roll, so that it is seen to fall again
        yield Tap(box.FACES[due.face], mark=due.face, shows="penalty", id=f"peak-face-{due.rolls}")
    yield from consequences.shown("peak-owed-chain", consequences.penalty(state, due))
    if not due.face or _while_silent(state, due, "again"):
        yield _faces("peak-roll-real", "roll_penalty", args)
        here = Tap("Roll it here", Do("roll_penalty", args), "assumed: two faces of each")
        yield Bar("peak-roll", (here,))
    else:
        yield from _paid(state, due)
    if due.face and due.source >= 0:
        why = state.why_no_token("resolution")
        yield Bar("peak-reroll", (Tap("Re-roll here", Do("reroll", args), "costs a token", why_not=why),))
        if not why:
            real = _faces("peak-reroll-faces", "reroll", args)
            yield Fold("peak-reroll-real", "Re-roll our own die, for a token", (real,), only="players")


def _faces(id: str, command: str, args: dict[str, int]) -> Picker:
    faces = [Tap(name, Do(command, {**args, "face": face}), mark=face) for face, name in box.FACES.items()]
    return Picker(id, tuple(faces), look="faces", columns=3)


def _paid(state: State, due: Penalty) -> Iterator[Piece]:
    """Confusion asks for the gap first, and may uncover Injuries: so many at most."""
    confusion, gap = due.face == "confusion", consequences.gap_of(state, due)
    if confusion and gap is None and due.source != Penalty.SPOKEN:
        which = due.source if due.source >= 0 else state.now.missed[0]
        gaps = [Tap(str(n), state.do("tell_gap", which=which, gap=n)) for n in range(1, MOST_MISSED + 1)]
        yield Picker("peak-gaps", tuple(gaps), look="faces")
        return
    most = min(gap or 0, state.injuries.deck, 5) if confusion and (gap or 0) <= state.cards.deck else 0
    pay, do = partial(Tap, "Do it", strong=True), partial(state.do, "pay_penalty", penalty=due.number)
    seen = [f"{box.injuries(n) if n else 'no Injuries'} among them" for n in range(most + 1)]
    taps = [pay(do(injuries=n), words) for n, words in enumerate(seen)] if most else [pay(do())]
    yield Bar("peak-pay", tuple(taps))
    if confusion:
        yield Bar("peak-recount", (Tap("Not as many in the deck? Put it right", opens="cards"),))
