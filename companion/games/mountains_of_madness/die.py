"""The penalty die: rolled here or at the table, shown with all that follows, and applied in one tap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from companion.core import Context, Count, Do, Event, Refused, Tap
from companion.core.pieces import Bar, Fold, Panel, Picker, Piece
from companion.games.mountains_of_madness import box, consequences
from companion.games.mountains_of_madness.house_rules import SPOKEN_CONFUSION
from companion.games.mountains_of_madness.moves import spend_token
from companion.games.mountains_of_madness.state import Facts, State
from companion.games.mountains_of_madness.turn import SPOKEN, Penalty
from companion.tools.dice import Cup, roll, throw

Face = Literal["", "accident", "confusion", "confidence"]
Gap = Annotated[Count, Field(ge=1, le=300)]
CUP = Cup((box.PENALTY_DIE,), 0, "the penalty die")
MOST_MISSED = 18  # no Challenge asks for more than this


class PenaltyOwed(Event[State]):
    turn: int
    penalty: int
    source: int

    def fold(self, state: State) -> State:
        if self.penalty != state.now.rolled + 1 or state.turn != self.turn:
            raise Refused("That penalty is rolled for already.")
        due = (*state.now.penalties, Penalty(self.penalty, self.source))
        return state.with_turn(penalties=due, rolled=self.penalty)

    def log_text(self, state: State) -> str:
        return "somebody spoke" if self.source < 0 else ""


class PenaltyRolled(Event[State]):
    turn: int
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


class GapTold(Event[State]):
    turn: int
    which: int
    gap: int

    def fold(self, state: State) -> State:
        gaps = [self.gap if which == self.which else each for which, each in enumerate(state.now.gaps)]
        return state.with_turn(gaps=tuple(gaps))

    def log_text(self, state: State) -> str:
        return f"Challenge {self.which + 1} was missed by {self.gap}"


class PenaltyPaid(Event[State]):
    turn: int
    penalty: int
    face: str
    later: bool = False

    def fold(self, state: State) -> State:
        due = state.now.owed(self.penalty)
        left = tuple(each for each in state.now.penalties if each is not due)
        return state.with_turn(penalties=left, later=state.now.later + self.later)

    def log_text(self, state: State) -> str:
        return f"{box.FACES[self.face]}{', measured after the reveal' if self.later else ''}"


def _while_silent(state: State, due: Penalty, reading: str) -> bool:
    """Confusion before the reveal, where the table chose this reading."""
    spoken = due.source == SPOKEN and due.face == "confusion"
    return spoken and SPOKEN_CONFUSION.chosen(state.table) == reading


def roll_penalty(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Facts:
    """With a face: the real die fell so."""
    state.playing(turn, "encounter", "resolution")
    due = state.now.owed(penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen already: {box.FACES[due.face]}.")
    if due.face and not _while_silent(state, due, "again"):
        raise Refused(f"The die shows {box.FACES[due.face]}; another roll costs a token.")
    yield from _fall(context, turn, penalty, face)


def reroll(
    state: State, context: Context, turn: Count, penalty: Count, rolls: Count, face: Face = ""
) -> Facts:
    if state.stage == "encounter":
        raise Refused("A token re-rolls the die only in the Resolution phase.")
    state.playing(turn, "resolution")
    due = state.now.owed(penalty)
    if due.rolls != rolls:
        raise Refused(f"The die has fallen again already: {box.FACES[due.face]}.")
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if due.source < 0:
        raise Refused("This Confusion was rolled in the Encounter phase; no token re-rolls it now.")
    yield from spend_token(state, "resolution")
    yield from _fall(context, turn, penalty, face)


def _fall(context: Context, turn: int, penalty: int, face: Face) -> Facts:
    names = [each.name for each in box.PENALTY_DIE.faces]
    if face:
        yield throw(CUP, [names.index(box.FACES[face]) + 1], context.phone, real=True, quiet=True)
        yield PenaltyRolled(turn, penalty, face, "at the table")
        return
    fallen = roll(context, CUP, quiet=True)
    yield fallen
    shown = next(id for id, name in box.FACES.items() if name == fallen.results[0].name)
    yield PenaltyRolled(turn, penalty, shown, "here")


def tell_gap(state: State, context: Context, turn: Count, which: Count, gap: Gap) -> Facts:
    """For a Challenge that was judged by hand: Confusion needs to know by how much it was missed."""
    state.playing(turn, "resolution")
    if which not in state.now.missed:
        raise Refused("That Challenge was not missed.")
    if state.now.gaps[which] is not None:
        raise Refused(f"It was missed by {state.now.gaps[which]}.")
    yield GapTold(turn, which, gap)


def pay_penalty(state: State, context: Context, turn: Count, penalty: Count, injuries: Count = 0) -> Facts:
    """The whole chain, as it was shown. `injuries`: seen among the cards that Confusion discards."""
    state.playing(turn, "encounter", "resolution")
    due = state.now.owed(penalty)
    if not due.face:
        raise Refused("The die has not fallen yet.")
    if _while_silent(state, due, "again"):
        raise Refused("There is no gap to count yet: roll again.")
    gap = consequences.gap_of(state, due)
    if due.face == "confusion" and due.source != SPOKEN and gap is None:
        raise Refused("First say how far the total was from the Challenge.")
    if injuries and (due.face != "confusion" or injuries > min(gap or 0, state.injuries.deck)):
        raise Refused("So many Injuries cannot be among those cards.")
    yield PenaltyPaid(turn, penalty, due.face, _while_silent(state, due, "later"))
    yield from consequences.facts(consequences.penalty(state, due, injuries))


# --- what is seen, whenever it is owed ---


def pieces(state: State) -> Iterator[Panel]:
    for due in state.now.penalties[:1]:
        yield Panel("peak-owed", tuple(_price(state, due)), _title(state, due), tone="bad")


def _title(state: State, due: Penalty) -> str:
    if due.source >= 0:
        return f"Penalty die for {state.now.name(due.source)}"
    return "Somebody spoke: penalty die" if due.source == SPOKEN else "Confusion from the silence"


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
    confusion, gap = due.face == "confusion", consequences.gap_of(state, due)
    if confusion and gap is None and due.source != SPOKEN:
        yield Picker("peak-gaps", tuple(_gaps(state, due)), look="faces")
        return
    discards = confusion and 0 < (gap or 0) <= state.cards.deck
    most = min(gap or 0, state.injuries.deck, 5) if discards else 0
    yield Bar("peak-pay", tuple(_pay(state.do("pay_penalty", penalty=due.number), most)))
    if confusion:
        yield Bar("peak-recount", (Tap("Not as many in the deck? Put it right", opens="cards"),))


def _gaps(state: State, due: Penalty) -> Iterator[Tap]:
    which = due.source if due.source >= 0 else state.now.missed[0]
    for gap in range(1, MOST_MISSED + 1):
        yield Tap(str(gap), state.do("tell_gap", which=which, gap=gap))


def _pay(pay: Do, most: int) -> Iterator[Tap]:
    """Confusion may uncover Injuries: so many at most."""
    if not most:
        yield Tap("Do it", pay, strong=True)
        return
    for n in range(most + 1):
        seen = f"{box.injuries(n) if n else 'no Injuries'} among them"
        yield Tap("Do it", Do(pay.command, {**pay.args, "injuries": n}), seen, strong=True)
