"""What the sled brings and what it costs; and the penalty die, whenever it is owed.

The die is rolled here or at the table, shown with all that follows, and applied in one tap.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from companion.core import Bounds, Context, Count, Events, Form, SeatId, asks_number, picks, refuse_if
from companion.core.chains import facts, following
from companion.core.memo import kept_but_for
from companion.core.pieces import Bar, Chips, Do, Fold, Grid, Note, Panel, Picker, Piece, Tap
from companion.games.mountains_of_madness import box, consequences, counting, settling
from companion.games.mountains_of_madness.counting import Which, _OfChallenge
from companion.games.mountains_of_madness.state import DieOwed, Penalty, Resolving, State, TileOpen, _InTurn
from companion.tools.dice import Cup, throw
from companion.tools.timer import TimerStopped

Face = Literal["", "accident", "confusion", "confidence"]
Fall = Literal["", "here", "accident", "confusion", "confidence"]
Gap = Annotated[Count, Bounds(ge=1, le=300)]
CUP = Cup((box.PENALTY_DIE,), 0, "the penalty die")
SILENCE = {box.SPOKEN: "Somebody spoke: roll the penalty die", box.LATER: "Confusion from the silence"}
MOST_MISSED = 18  # of what has a button of its own; more is typed


class MissPaid(_OfChallenge, during=("resolution",)):
    """The price of a missed Challenge is chosen."""

    price: Literal["madness", "die"]

    def fold(self, state: State) -> State:
        refuse_if(self.which not in state.now.unpaid, "That Challenge costs nothing more.")
        return state.with_turn(settled=(*state.now.settled, self.which))


class PenaltyOwed(_InTurn):
    penalty: int
    source: int

    def fold(self, state: State) -> State:
        late = self.penalty != state.now.rolled + 1 or state.turn != self.turn
        refuse_if(late, "That penalty is rolled for already.")
        due = (*state.now.penalties, Penalty(self.penalty, self.source))
        return state.with_turn(penalties=due, rolled=self.penalty)


class PenaltyRolled(_InTurn):
    penalty: int
    face: str
    where: str = ""  # the real die at the table, or one here; not known of old rolls, which the dice tell

    def fold(self, state: State) -> State:
        due = state.now.owed(self.penalty)
        rolled = due._replace(face=self.face, rolls=due.rolls + 1)
        penalties = tuple(rolled if each is due else each for each in state.now.penalties)
        return state.with_turn(penalties=penalties)


class GapTold(_OfChallenge, tap="tell_gap", turn=Resolving, which=Count, gap=Gap):
    """For a Challenge that was judged by hand: Confusion needs to know by how much it was missed."""

    gap: int

    def check_tap(self, state: State) -> None:
        refuse_if(self.which not in state.now.missed, "That Challenge was not missed.")
        known = state.now.gaps[self.which]
        refuse_if(known is not None, f"It was missed by {known}.")

    def fold(self, state: State) -> State:
        return state.with_turn(gaps=self.put(state.now.gaps, self.gap))


class PenaltyPaid(_InTurn):
    penalty: int
    face: str
    later: bool = False

    def fold(self, state: State) -> State:
        due = state.now.owed(self.penalty)
        left = tuple(each for each in state.now.penalties if each is not due)
        return state.with_turn(penalties=left, later=state.now.later + self.later)


@settling.settles
def pay_with_madness(state: State, context: Context, turn: Resolving, which: Which, whom: SeatId) -> Events:
    mad = state.level(whom) == box.LEVELS
    refuse_if(state.now.penalties, box.DIE_FIRST)
    refuse_if(state.all_mad, "Everyone has Madness of level 3, so it must be the penalty die.")
    refuse_if(mad, f"{state.name(whom)} has Madness of level 3 already; choose somebody else.")
    yield MissPaid(turn, which, "madness")
    yield from facts(consequences.madness(state, whom))


@settling.settles
def pay_with_die(state: State, context: Context, turn: Resolving, which: Which, face: Fall = "") -> Events:
    """With a face: the real die fell so; or it is rolled here."""
    refuse_if(state.now.penalties, box.DIE_FIRST)
    yield MissPaid(turn, which, "die")
    number = state.now.rolled + 1
    yield PenaltyOwed(turn, number, which)
    if face:
        yield from _fall(context, turn, number, "" if face == "here" else face)


def _while_silent(state: State, due: Penalty, reading: str) -> bool:
    """Confusion before the reveal, where the table chose this reading."""
    spoken = due.source == box.SPOKEN and due.face == "confusion"
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


@settling.settles
def pay_penalty(state: State, context: Context, turn: DieOwed, penalty: Count, injuries: Count = 0) -> Events:
    """The whole chain, as it was shown. `injuries`: seen among the cards that Confusion discards."""
    due = state.now.owed(penalty)
    refuse_if(not due.face, "The die has not fallen yet.")
    refuse_if(_while_silent(state, due, "again"), "There is no gap to count yet: roll again.")
    refuse_if(unmeasured(state, due) is not None, "First say how far the total was from the Challenge.")
    among = _among(state, due)
    refuse_if(injuries > among[-1], "So many Injuries cannot be among those cards.")
    refuse_if(injuries < among[0], f"At least {box.injuries(among[0])} must be among those cards.")
    chain = consequences.penalty(state, due, injuries)
    yield PenaltyPaid(turn, penalty, due.face, _while_silent(state, due, "later"))
    yield from facts(chain)
    if state.now.sand == "runs" and chain[-1].lost:
        yield TimerStopped()  # nobody waits for it any more


def _among(state: State, due: Penalty) -> range:
    """How many Injuries can be among the cards that go: of a deck that holds little else, some must be."""
    gap, deck = consequences.gap_of(state, due) or 0, state.cards.deck
    if due.face != "confusion" or gap > deck:
        return range(1)
    hurt = min(state.injuries.deck, deck)
    return range(max(0, gap - (deck - hurt)), min(gap, hurt) + 1)


# --- what is seen ---


def resolving(state: State) -> Iterator[Piece]:
    """The die comes first; then what was met brings, and what was missed costs."""
    now = state.now
    if now.met is None:
        yield from counting.reveal(state, _follows(state))
        return
    yield from owing(state)
    results = []
    for which, (met, gap) in enumerate(zip(now.met, now.gaps, strict=True)):
        tone, sign = counting.look_of(met)
        results.append(Tap(now.name(which), detail=counting.in_words(met, gap), mark=sign, tone=tone))
    yield Chips("peak-results", tuple(results), "Judged")
    yield _follows(state)


@kept_but_for(State, "sled")
def _follows(state: State) -> Grid:
    """What can be done about them: doing it judges them. As long as cards are counted all of it is here, the
    same after every card, and what fits how both stand is shown (faces/style.css)."""
    now, open = state.now, state.now.met is None
    pieces: list[Piece] = []
    if open and now.penalties:
        measure = Tap("Measure the Confusion of the silence", state.do("judge"), strong=True)
        pieces += [Bar("peak-measure", (measure,))]
    elif not now.penalties:
        pieces += settling.pieces(state)
        pieces += [_miss(state, which) for which in ((0, 1) if open else now.unpaid)]
        if not (now.tile and open) and (open or not now.unfinished):
            pieces += [Bar("peak-end", (Tap("To the Draw phase", state.do("end_resolution"), strong=True),))]
    return Grid("peak-follows", tuple(pieces), 1)


def _miss(state: State, which: int) -> Panel:
    """How the die fell, or who pays with Madness instead."""
    id, do = f"peak-miss-{which}", state.do("pay_with_madness", which=which)
    die = _faces(f"{id}-die", state.do("pay_with_die", which=which), face="here")
    able = {seat: state.level(seat.id) for seat in state.table.seats if state.level(seat.id) < box.LEVELS}
    taps = [Tap(seat.name, do.also(whom=seat.id), settling.deeper(n), seat=seat) for seat, n in able.items()]
    mad: Piece = Picker(f"{id}-who", tuple(taps), "or one player draws Madness:", columns=2)
    if not taps:
        mad = Note(f"{id}-mad", "Everyone has Madness of level 3, so it must be the die.")
    return Panel(id, (die, mad), f"{state.now.name(which)} missed", "The penalty die says what it costs.")


def owing(state: State) -> Iterator[Panel]:
    for due in state.now.penalties[:1]:
        title = SILENCE.get(due.source) or f"Penalty die for {state.now.name(due.source)}"
        die, price = partial(state.do, penalty=due.number, rolls=due.rolls), list[Piece]()
        if due.face:  # another id with every roll, so that it is seen to fall again
            price += [Tap(box.FACES[due.face], mark=due.face, shows="penalty", id=f"peak-face-{due.rolls}")]
        price += following("peak-owed-chain", consequences.penalty(state, due))
        unseen = not due.face or _while_silent(state, due, "again")
        price += [_faces("peak-roll-real", die("roll_penalty"))] if unseen else _paid(state, due)
        if due.face and due.source >= 0:
            why, again = state.why_no_token("resolution"), "Re-roll, for a Leadership token"
            faces = _faces("peak-reroll-faces", die("reroll"))
            off = Bar("peak-reroll", (Tap(again, die("reroll"), why_not=why),))
            price += [off if why else Fold("peak-reroll", again, (faces,), only="players")]
        yield Panel("peak-owed", tuple(price), title, tone="bad")


def _faces(id: str, do: Do, **here: str) -> Picker:
    """How the table's own die fell, in one tap; or it is rolled here."""
    rolled = Tap("Roll it here", do.also(**here), box.PENALTY_DIE.note, mark="die")
    return Picker(id, (*picks(do, "face", box.FACES, marked=True), rolled), columns=2)


def _paid(state: State, due: Penalty) -> Iterator[Piece]:
    """Confusion asks for the gap first, and how many Injuries it uncovered."""
    if (which := unmeasured(state, due)) is not None:
        gaps = picks(state.do("tell_gap", which=which), "gap", {n: str(n) for n in range(1, MOST_MISSED + 1)})
        yield Picker("peak-gaps", gaps, f"{state.now.name(which)} was missed by", "faces", 6)
        yield Bar("peak-gap-more", (Tap("By more than 18", opens="gap"),))
        return
    among, do = _among(state, due), partial(state.do, "pay_penalty", penalty=due.number)
    if len(among) == 1:
        yield Bar("peak-pay", (Tap("Do it", do(injuries=among[0]), strong=True),))
    else:
        seen = tuple([Tap(box.injuries(n), do(injuries=n), short=str(n)) for n in among])
        yield Picker("peak-pay", seen, "Done. How many Injuries were among them?", "faces", 6)
    if due.face == "confusion":
        yield Bar("peak-recount", (Tap("Not as many in the deck? Put it right", opens="cards"),))


def unmeasured(state: State, due: Penalty) -> int | None:
    """The missed Challenge whose gap this Confusion still has to know; before both are judged none is."""
    if due.face != "confusion" or due.source == box.SPOKEN or consequences.gap_of(state, due) is not None:
        return None
    unknown = (which for which in state.now.missed if state.now.gaps[which] is None)
    return due.source if due.source >= 0 else next(unknown, None)


def form(state: State) -> Iterator[Form]:
    """A gap beyond those that have a button."""
    for which in [unmeasured(state, due) for due in state.now.penalties[:1]]:
        if which is not None:
            yield box.blanks("", {"turn": state.turn, "which": which}, {}, "gap", gap=asks_number(""))
