"""The airplane moves; a token lets somebody ignore their Madness. Thirty seconds of talk, then of silence.

The phones see by themselves when the sand has run out, and show what can be done then.
"""

from collections.abc import Iterator
from functools import partial

from companion.core import Context, Event, Events, Refused, Seat, refuse_if, replace, there
from companion.core.pieces import Bar, Note, Panel, Picker, Piece, Tap
from companion.core.text import Choice, Count, SeatId, YesOrNo, capital, counted
from companion.games.mountains_of_madness import box, consequences, counting, resolution, rest
from companion.games.mountains_of_madness.state import Moving, Penalty, State, Talking, _InTurn
from companion.tools.timer import TimerStarted, TimerStopped, timer


class PlaneMoved(_InTurn, during=("movement",), tap="move", turn=Moving, to=Choice, tile=bool):
    to: str
    tile: bool = True

    def check_tap(self, state: State) -> None:
        there(box.PLACES.get(self.to), "There is no such place on the board.")
        if state.now.moved:
            raise Refused(f"The airplane has moved to the {state.where} already; undo that to change it.")
        if self.to not in state.ways:
            raise Refused(_no_way(state, self.to))
        tiles = self.tile or self.to in box.WITH_SPACES
        refuse_if(not tiles, f"There is always a tile on the {box.PLACES[self.to]}.")
        gone = f"All {box.TILES[self.to]} {box.PLACES[self.to]} tiles are taken, by our count."
        refuse_if(self.tile and not state.tiles_left(self.to), gone)

    def fold(self, state: State) -> State:
        far = state.now.moved or self.to not in box.NEIGHBOURS[state.place]
        refuse_if(far, "The airplane cannot move there now.")
        tiles = {**state.tiles, self.to: state.tiles.get(self.to, 0) + self.tile}
        return replace(state, place=self.to, tiles=tiles, now=replace(state.now, moved=True, tile=self.tile))


class MadnessIgnored(Event[State]):
    seat: int
    turn: int

    def fold(self, state: State) -> State:
        state.expect(self.turn, "movement")
        return state.with_turn(ignoring=(*state.now.ignoring, state.table.seat(self.seat).id))


class SandTurned(_InTurn, during=("movement", "encounter")):
    flip: int
    cards: int = 0  # that stay on the sled

    def fold(self, state: State) -> State:
        late = self.flip != state.now.flips + 1 or not state.now.moved
        refuse_if(late, "The sand timer cannot be flipped now.")
        now = replace(state.now, flips=self.flip, silent=False, sand="due", on_sled=self.cards)
        return replace(state, stage="encounter", now=now)


class CardPlayed(_InTurn, during=("encounter",)):
    flip: int

    def fold(self, state: State) -> State:
        refuse_if(self.flip != state.now.flips, "The sand timer was flipped since.")
        return state.with_turn(silent=True, on_sled=state.now.on_sled + 1)


class EncounterEnded(_InTurn, during=("encounter",)):
    def fold(self, state: State) -> State:
        """The reveal; what had to wait for it is owed now."""
        refuse_if(state.now.penalties, "Somebody spoke: first the penalty die.")
        rolled, later = state.now.rolled, state.now.later
        owed = tuple(Penalty(rolled + n, box.LATER, "confusion", 1) for n in range(1, later + 1))
        now = replace(state.now, sand="", silent=False, penalties=owed, rolled=rolled + later, later=0)
        return replace(state, stage="resolution", now=now)


def _no_way(state: State, to: str) -> str:
    if not state.place:
        return "The first turn starts on the Coast."
    if state.place in box.WAY_OUT:
        (only,) = box.NEIGHBOURS[state.place]
        return f"From the Edge of Madness nobody comes back down: the way leads to the {box.PLACES[only]}."
    if to in box.NEIGHBOURS[state.place]:
        return "From the lowest row of the Coast no Mountain space is next to you."
    return f"The {box.PLACES[to]} is not next to the {state.where}."


def ignore_madness(state: State, context: Context, turn: Moving, whom: SeatId) -> Events:
    refuse_if(not state.level(whom), f"{state.name(whom)} has no Madness to ignore.")
    refuse_if(whom in state.now.ignoring, f"{state.name(whom)} ignores Madness this turn already.")
    yield MadnessIgnored(whom, turn)
    yield from consequences.spend_token(state, "movement")


def flip(state: State, context: Context, turn: Moving) -> Events:
    """The tile is revealed and the sand runs on every phone."""
    refuse_if(not state.now.moved, f"First {state.leads} moves the airplane.")
    yield SandTurned(turn, 1)
    yield TimerStarted("down", box.SAND, context.now)


def _time_is_up(state: State, now: int) -> bool:
    """Nobody ticks: the phones show the end by themselves, the rules look at the clock when somebody taps."""
    sand = timer(state.table)
    return sand is None or sand.over(now)


def card_on_sled(state: State, context: Context, turn: Talking, flip: Count) -> Events:
    """The first one ends all talk; the others only count, so two at once are two cards."""
    refuse_if(flip != state.now.flips, "The sand timer was flipped again since.")
    refuse_if(_time_is_up(state, context.now), "The sand has run out: that card stays in hand.")
    yield CardPlayed(turn, flip)


def someone_spoke(
    state: State, context: Context, turn: Talking, owed: Count, another: YesOrNo = "no"
) -> Events:
    """One slip is one die, whoever heard it; a second slip is a tap of its own.

    Where nobody tapped the first card, the silence is only known once the sand has run out.
    """
    talk = not state.now.silent and not _time_is_up(state, context.now)
    refuse_if(talk, "Talk is allowed until the first card lies on the sled.")
    noted = owed != state.now.rolled or (state.now.penalties and another == "no")
    refuse_if(noted, "That slip is noted already: one die for it. A second slip has a button of its own.")
    yield resolution.PenaltyOwed(turn, state.now.rolled + 1, box.SPOKEN)


def again(state: State, context: Context, turn: Talking, flip: Count) -> Events:
    refuse_if(flip != state.now.flips, "The sand timer was flipped again already.")
    if not _time_is_up(state, context.now):
        raise Refused("The sand still runs; a Leadership token can be spent when it has run out.")
    yield from consequences.spend_token(state, "encounter")
    stay = box.AGAIN_CARDS.chosen(state.table) == "stay"
    yield SandTurned(turn, flip + 1, state.now.on_sled if stay else 0)
    yield TimerStarted("down", box.SAND, context.now)


def resolve(state: State, context: Context, turn: Talking, early: YesOrNo = "no") -> Events:
    """When the sand has run out; before that only where the table's rules let it, with all cards in."""
    if not _time_is_up(state, context.now):
        refuse_if(not state.now.silent, "The sand still runs, and no card lies on the sled.")
        may = early == "yes" and box.EARLY.chosen(state.table) == "yes"
        refuse_if(not may, "The sand still runs: others may still play a card.")
    yield EncounterEnded(turn)
    yield TimerStopped()


def moving(state: State) -> Iterator[Piece]:
    if state.now.moved:
        yield Bar("peak-flip", (Tap("Flip the sand timer", state.do("flip"), strong=True),))
    else:
        yield Note("peak-lead", "You lead this turn.", seat=state.table.seat(state.leader))
        yield Picker("peak-moves", tuple(_moves(state)), columns=2)
        yield from rest.found(state)
    if free := [_act(state, seat) for seat in state.table.seats if seat.id in state.now.ignoring]:
        yield Picker("peak-acts", tuple(free), look="chips")


def _moves(state: State) -> Iterator[Tap]:
    for place in state.ways:
        label, tiles, left = capital(box.PLACES[place]), place in box.WITH_SPACES, state.tiles_left(place)
        detail = "no way back down" if place == "edge" else f"with its tile: {left} left" if tiles else ""
        do, why = state.do("move", to=place), "" if left else f"all {box.TILES[place]} tiles are taken"
        yield Tap(label, do, detail, mark=place, why_not=why)
        if tiles and left < box.TILES[place]:
            yield Tap(f"{label}, no tile", do.also(tile="no"), "no reward there", mark=place)


def ignoring(state: State) -> Iterator[Panel]:
    """It stands on the board: the airplane moves, and this stays as it was."""
    do, now = partial(state.do, "ignore_madness"), state.now
    mad = {each: state.level(each.id) for each in state.table.seats if each.id not in now.ignoring}
    if taps := [Tap(each.name, do(whom=each.id), f"level {n}", seat=each) for each, n in mad.items() if n]:
        title = "Spend a Leadership token: who ignores their Madness this turn?"
        yield consequences.spending("peak-ignore", title, taps, state.why_no_token("movement"))


def talking(state: State) -> Iterator[Piece]:
    """What belongs to the end of the sand is there all the time, and shown by then."""
    now, flip, sled = state.now, state.now.flips, state.now.on_sled
    slip = partial(state.do, "someone_spoke", owed=now.rolled)
    talk, buzz = "The first card on the sled ends all talk.", ""
    if now.silent:
        talk, buzz = "Not a word until the sand has run out.", f"silence-{state.turn}-{flip}"
    yield Note("peak-sound", talk, buzz=buzz)
    yield Note("peak-up", f"Forget your Madness. {state.leads} reveals the sled, or buys time.")
    yield from (counting.challenges(state), counting.entered(state))
    yield Picker("peak-acts", tuple([_act(state, seat) for seat in state.table.seats]), look="chips")
    lies = f"{counted(sled, 'card')} on the sled, as tapped" if sled else "no card on the sled yet"
    card = Tap("Card on the sled", state.do("card_on_sled", flip=flip), lies, strong=True, id="peak-card")
    yield Bar("peak-play", (card,))
    first = box.DIE_FIRST if now.penalties else ""
    reveal = Tap("Reveal the sled", state.do("resolve"), strong=True, why_not=first)
    why = state.why_no_token("encounter")
    more = Tap("30 more seconds", state.do("again", flip=flip), "costs a Leadership token", why_not=why)
    yield Bar("peak-over", (reveal, more))
    spoke = Tap("Somebody spoke", slip(), id="peak-spoke")
    if now.penalties:
        spoke = Tap("And a second slip", slip(another="yes"), "one more die", id="peak-spoke-again")
    early = Tap("All cards are in", state.do("resolve", early="yes"), id="peak-early")
    yield Bar("peak-side", (spoke, early) if box.EARLY.chosen(state.table) == "yes" else (spoke,))
    yield from resolution.owing(state)  # the big button stays where the thumb is


def _act(state: State, seat: Seat) -> Tap:
    """What one player's phone says while the sand runs; with a name only where several play on it."""
    level, holder = state.level(seat.id), state.table.holder(seat.id)
    name = seat.name if holder and len(holder.seats) > 1 else ""
    if seat.id in state.now.ignoring:
        return Tap("You are free of Madness this turn", detail=name, seat=seat)
    act = f"Act on your level {level} Madness" if level else "No Madness to act on"
    return Tap(act, detail=name, seat=seat, strong=bool(level))
