"""Thirty seconds: talk, then silence, until the sand has run out.

The phones see by themselves when that is, and show what can be done then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.core import Context, Count, Event, Refused, Seat, Tap
from companion.core.pieces import Bar, Note, Picker, Piece
from companion.core.text import counted
from companion.games.mountains_of_madness import box, die
from companion.games.mountains_of_madness.house_rules import AGAIN_CARDS
from companion.games.mountains_of_madness.moves import spend_token
from companion.games.mountains_of_madness.state import Facts, State, YesOrNo
from companion.games.mountains_of_madness.turn import LATER, SPOKEN, Penalty
from companion.tools.timer import TimerStarted, TimerStopped, timer

TALK = "What do you have? The first card ends all talk."
SILENCE = "Not a word until the sand has run out."


class SandTurned(Event[State]):
    turn: int
    flip: int
    cards: int = 0  # that stay on the sled

    def fold(self, state: State) -> State:
        state.expect(self.turn, "movement", "encounter")
        if self.flip != state.now.flips + 1 or not state.now.moved:
            raise Refused("The sand timer cannot be flipped now.")
        now = replace(state.now, flips=self.flip, silent=False, sand="due", on_sled=self.cards)
        return replace(state, stage="encounter", now=now)

    def log_text(self, state: State) -> str:
        return f"turn {self.turn}: {'talk!' if self.flip == 1 else 'talk again'}"


class CardPlayed(Event[State]):
    turn: int
    flip: int

    def fold(self, state: State) -> State:
        state.expect(self.turn, "encounter")
        if self.flip != state.now.flips:
            raise Refused("The sand timer was flipped since.")
        return state.with_turn(silent=True, on_sled=state.now.on_sled + 1)

    def log_text(self, state: State) -> str:
        return f"a card on the sled{': SILENCE' if state.now.on_sled == 1 else ''}"


class EncounterEnded(Event[State]):
    turn: int
    says = "turn {turn}: the sled is revealed"

    def fold(self, state: State) -> State:
        """The reveal; what had to wait for it is owed now."""
        state.expect(self.turn, "encounter")
        if state.now.penalties:
            raise Refused("Somebody spoke: first the penalty die.")
        rolled, later = state.now.rolled, state.now.later
        owed = tuple(Penalty(rolled + n, LATER, "confusion", 1) for n in range(1, later + 1))
        now = replace(state.now, sand="", silent=False, penalties=owed, rolled=rolled + later, later=0)
        return replace(state, stage="resolution", now=now)


def _time_is_up(state: State, now: int) -> bool:
    """Nobody ticks: the phones show the end by themselves, the rules look at the clock when somebody taps."""
    sand = timer(state.table)
    return sand is None or sand.over(now)


def card_on_sled(state: State, context: Context, turn: Count, flip: Count) -> Facts:
    """The first one ends all talk; the others only count, so two at once are two cards."""
    state.playing(turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again since.")
    if _time_is_up(state, context.now):
        raise Refused("The sand has run out: that card stays in hand.")
    yield CardPlayed(turn, flip)


def someone_spoke(state: State, context: Context, turn: Count, owed: Count) -> Facts:
    """Two may hear the same word: `owed` tells the second that it is noted."""
    state.playing(turn, "encounter")
    if not state.now.silent:
        raise Refused("Talk is allowed until the first card lies on the sled.")
    if owed != state.now.rolled:
        raise Refused("That word is noted already; roll for it.")
    yield die.PenaltyOwed(turn, state.now.rolled + 1, SPOKEN)


def again(state: State, context: Context, turn: Count, flip: Count) -> Facts:
    state.playing(turn, "encounter")
    if flip != state.now.flips:
        raise Refused("The sand timer was flipped again already.")
    if not _time_is_up(state, context.now):
        raise Refused("The sand still runs; a token can be spent when it has run out.")
    yield from spend_token(state, "encounter")
    stay = AGAIN_CARDS.chosen(state.table) == "stay"
    yield SandTurned(turn, flip + 1, state.now.on_sled if stay else 0)
    yield TimerStarted("down", box.SAND, context.now)


def resolve(state: State, context: Context, turn: Count, early: YesOrNo = "no") -> Facts:
    """When the sand has run out; before that only if everyone has played what they want."""
    state.playing(turn, "encounter")
    if not _time_is_up(state, context.now):
        if not state.now.silent:
            raise Refused("The sand still runs, and no card lies on the sled.")
        if early != "yes":
            raise Refused("The sand still runs: others may still play a card.")
    yield EncounterEnded(turn)
    yield TimerStopped()


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    return ("SILENCE" if state.now.silent else "Talk"), ""


def pieces(state: State) -> Iterator[Piece]:
    """What belongs to the end of the sand is there all the time, and shown by then."""
    buzz = f"silence-{state.turn}-{state.now.flips}" if state.now.silent else ""
    yield Note("peak-sound", SILENCE if buzz else TALK, buzz=buzz)
    yield Note("peak-up", f"Forget your Madness. {state.leads} reveals the sled, or buys time.")
    yield Picker("peak-acts", tuple([_act(state, seat) for seat in state.table.seats]), look="chips")
    yield from _taps(state)
    yield from die.pieces(state)  # the big button stays where the thumb is


def _act(state: State, seat: Seat) -> Tap:
    """What one player's phone says while the sand runs; its name only where several play on it."""
    level = state.level(seat.id)
    if seat.id in state.now.ignoring:
        return Tap("Ignore your Madness this turn", detail=seat.name, seat=seat)
    act = f"Act on your level {level} Madness" if level else "No Madness to act on"
    return Tap(act, detail=seat.name, seat=seat, strong=bool(level))


def _taps(state: State) -> Iterator[Bar]:
    now, flip, sled = state.now, state.now.flips, state.now.on_sled
    lies = f"{counted(sled, 'card')} on the sled, as tapped" if sled else "no card on the sled yet"
    card = Tap("Card on the sled", state.do("card_on_sled", flip=flip), lies, strong=True, id="peak-card")
    yield Bar("peak-play", (card,))
    first = "First the penalty die." if now.penalties else ""
    reveal = Tap("Reveal the sled", state.do("resolve"), strong=True, why_not=first)
    why = state.why_no_token("encounter")
    more = Tap("Again: 30 more seconds", state.do("again", flip=flip), "costs a token", why_not=why)
    yield Bar("peak-over", (reveal, more))
    spoke = Tap("Someone spoke", state.do("someone_spoke", owed=now.rolled), id="peak-spoke")
    sure = "Nobody wants to play another card? The sand still runs."
    early = Tap("All cards are in", state.do("resolve", early="yes"), confirm=sure, id="peak-early")
    yield Bar("peak-side", (spoke, early))
