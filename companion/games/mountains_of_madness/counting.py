"""The reveal: what the tile asks for, what lies on the sled, and whether that is enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field as Bounds

from companion.core import Choice, Context, Count, Counter, Do, Event, Field, Form, Refused, Tap, Whole
from companion.core.pieces import Bar, Chips, Fold, Grid, Note, Panel, Picker, Piece, Tone
from companion.core.text import listed, signed
from companion.games.mountains_of_madness.challenges import KINDS, VALUES, Challenge, Kind, read
from companion.games.mountains_of_madness.state import Facts, Injuries, State

MOST = 300  # points of one kind: more than the box holds
Which = Annotated[Count, Bounds(le=1)]
Value = Annotated[Count, Bounds(ge=2, le=10)]
Pile = Literal["cards", "injuries"]
remembered = lru_cache(1024)  # what is the same at every table is made once; a game has about ten turns


def _counting(state: State, **changed: Any) -> State:
    if state.now.met is not None:
        raise Refused("The Challenges are judged already; undo that to count again.")
    return state.with_turn(**changed)


def _total(state: State, kind: str, by: int, **changed: Any) -> State:
    total = state.now.totals.get(kind, 0) + by
    if not 0 <= total <= MOST:
        raise Refused(f"{KINDS[kind]} cannot add up to {total}.")
    return _counting(state, totals={**state.now.totals, kind: total}, **changed)


class ChallengesRead(Event[State]):
    turn: int
    first: Challenge
    second: Challenge
    says = "Challenges: {first} and {second}"

    def fold(self, state: State) -> State:
        return _counting(state, challenges=(self.first, self.second), by_hand=(None, None))


class CardShown(Event[State]):
    turn: int
    kind: str
    value: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.value, shown=(*state.now.shown, (self.kind, self.value)))

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value}, now {state.now.totals[self.kind]}"


class CardHidden(Event[State]):
    turn: int
    kind: str
    value: int

    def fold(self, state: State) -> State:
        shown, card = list(state.now.shown), (self.kind, self.value)
        if card not in shown:
            raise Refused(f"No {KINDS[self.kind]} {self.value} was counted.")
        shown.remove(card)
        return _total(state, self.kind, -self.value, shown=tuple(shown))

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value} was not on the sled"


class TotalCounted(Event[State]):
    turn: int
    kind: str
    by: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.by)

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {signed(self.by)} = {state.now.totals[self.kind]}"


class SledCounted(Event[State]):
    turn: int
    what: Pile
    by: int

    def fold(self, state: State) -> State:
        if self.what == "cards":
            cards = state.now.on_sled + self.by
            if not 0 <= cards <= 60:
                raise Refused("There cannot be that many cards on the sled.")
            return _counting(state, on_sled=cards)
        most, injuries = state.injuries.hands + state.injuries.deck, state.now.shown_injuries + self.by
        if injuries > most:
            raise Refused(f"Only {most} Injuries are in hands or in the Equipment deck.")
        if injuries < 0:
            raise Refused("There cannot be fewer than no Injuries.")
        return _counting(state, shown_injuries=injuries)

    def log_text(self, state: State) -> str:
        if self.what == "cards":
            return f"cards on the sled: {state.now.on_sled}"
        return f"Injuries on the sled: {state.now.shown_injuries}"


class JudgedByHand(Event[State]):
    turn: int
    which: int
    met: bool

    def fold(self, state: State) -> State:
        by_hand = list(state.now.by_hand)
        by_hand[self.which] = self.met
        return _counting(state, by_hand=tuple(by_hand))

    def log_text(self, state: State) -> str:
        return f"Challenge {self.which + 1} was {'met' if self.met else 'missed'}"


def in_words(met: bool, gap: int | None) -> str:
    return "met" if met else f"missed by {gap}" if gap else "missed"


class ChallengesJudged(Event[State]):
    turn: int
    met: tuple[bool, bool]
    gaps: tuple[int | None, int | None]
    injuries: int = 0  # played, and discarded at once: so it was told until they stayed on the sled
    on_sled: int = 0  # Injuries among the cards played; they lie there until the phase ends

    def fold(self, state: State) -> State:
        state.expect(self.turn, "resolution")
        known, gone = state.injuries, self.injuries
        hidden = max(0, gone + self.on_sled - known.hands)  # nobody told that they were dealt
        after = Injuries(known.supply, known.deck - hidden, known.discard + gone, known.hands + hidden - gone)
        played, on_sled = state.now.played, self.on_sled
        now = replace(state.now, met=self.met, gaps=self.gaps, on_sled=played, injured=on_sled)
        return replace(state, injuries=after, now=now)

    def log_text(self, state: State) -> str:
        both = zip((0, 1), self.met, self.gaps, strict=True)
        return listed([f"{state.now.name(which)} {in_words(met, gap)}" for which, met, gap in both])


def read_challenges(
    state: State,
    context: Context,
    turn: Count,
    first_kind: Kind,
    first: Choice,
    second_kind: Kind,
    second: Choice,
) -> Facts:
    """As early as the tile is seen; it need not wait for the reveal."""
    state.playing(turn, "resolution", "encounter")
    if first_kind == second_kind:
        raise Refused(f"A tile never asks for {KINDS[first_kind]} twice; choose two kinds.")
    asked = read(first_kind, first), read(second_kind, second)
    if state.now.challenges == asked:
        raise Refused("It says that already.")
    yield ChallengesRead(turn, *asked)


def show_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Facts:
    state.playing(turn, "resolution")
    _check_value(value)
    yield CardShown(turn, kind, value)


def hide_card(state: State, context: Context, turn: Count, kind: Kind, value: Value) -> Facts:
    state.playing(turn, "resolution")
    _check_value(value)
    yield CardHidden(turn, kind, value)


def _check_value(value: int) -> None:
    if value not in VALUES:
        raise Refused("Equipment is worth 2 to 6, and Arcane Equipment 10.")


def count_total(state: State, context: Context, turn: Count, kind: Kind, by: Whole) -> Facts:
    state.playing(turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    yield TotalCounted(turn, kind, by)


def count_sled(state: State, context: Context, turn: Count, what: Pile, by: Whole) -> Facts:
    state.playing(turn, "resolution")
    if not by:
        raise Refused("That would change nothing.")
    if what == "cards":  # those shown one by one are there
        by += state.now.played - state.now.on_sled
    yield SledCounted(turn, what, by)


def judge_by_hand(
    state: State, context: Context, turn: Count, which: Which, met: Literal["yes", "no"]
) -> Facts:
    """For tables that see at a glance what was met."""
    state.playing(turn, "resolution")
    if state.now.by_hand[which] == (met == "yes"):
        raise Refused("It says that already.")
    yield JudgedByHand(turn, which, met == "yes")


def judge(state: State, context: Context, turn: Count) -> Facts:
    state.playing(turn, "resolution")
    now = state.now
    if now.met is not None:
        raise Refused("The Challenges are judged already.")
    first, second = now.result(0), now.result(1)
    if first is None or second is None:
        raise Refused("Enter both Challenges, or say of each whether it was met.")
    yield ChallengesJudged(turn, (first, second), (now.gap(0), now.gap(1)), on_sled=now.shown_injuries)


# --- what is seen ---


def words(state: State) -> tuple[str, str]:
    how = "Say of each Challenge whether it was met; or enter both, and we count."
    if all(state.now.challenges):
        how = "Tap the cards, or set the totals. Both Challenges are judged together."
    return "Reveal the sled", how


def form(state: State) -> Iterator[Form]:
    if state.stage not in ("encounter", "resolution") or state.now.met is not None:
        return
    kinds, (first, second) = tuple(KINDS.items()), state.now.challenges
    fields = (
        Field("first_kind", "First Challenge", first.kind if first else "tools", "choice", kinds),
        Field("first", "Value: 14, 11-13, or 10 or 12", first.value if first else ""),
        Field("second_kind", "Second Challenge", second.kind if second else "weapons", "choice", kinds),
        Field("second", "Value", second.value if second else ""),
    )
    do = Do("read_challenges", {"turn": state.turn})
    yield Form("challenges", "What the tile asks for", do, fields, "Write them down", listed=False)


def pieces(state: State) -> Iterator[Piece]:
    turn, now = state.turn, state.now
    yield Grid("peak-asked", (_asked(state, 0), _asked(state, 1)), narrow=2)
    label = "Change the Challenges" if any(now.challenges) else "Enter the two Challenges"
    yield Bar("peak-enter", (Tap(label, opens="challenges"),))
    totals = tuple([_sum(kind, now.totals.get(kind, 0)) for kind in KINDS])
    shown = tuple([_shown(n, turn, kind, value) for n, (kind, value) in enumerate(now.shown, 1)])
    values = [_values(turn, kind, name) for kind, name in KINDS.items()]
    cards = (Chips("peak-sums", totals, "Totals"), *values, Chips("peak-shown", shown, "Counted"))
    yield Fold("peak-cards", "Card by card", cards, only="players")
    sled = _sled(turn, "cards", now.played), _sled(turn, "injuries", now.shown_injuries)
    yield Grid("peak-sled", sled, narrow=2)
    known = now.result(0) is not None and now.result(1) is not None
    why = "" if known else "Enter both Challenges, or say met or missed."
    yield Bar("peak-judge", (Tap("Judge both", state.do("judge"), strong=True, why_not=why),))


@remembered
def _sum(kind: str, total: int) -> Tap:
    return Tap(KINDS[kind], badge=str(total), mark=kind, id=f"peak-sum-{kind}")


@remembered
def _values(turn: int, kind: str, name: str) -> Picker:
    do = [Do("show_card", {"turn": turn, "kind": kind, "value": value}) for value in VALUES]
    taps = [Tap(f"{name} {value}", each, short=str(value)) for value, each in zip(VALUES, do, strict=True)]
    return Picker(f"peak-values-{kind}", tuple(taps), name, "faces", mark=kind)


@remembered
def _shown(at: int, turn: int, kind: str, value: int) -> Tap:
    card, do = f"{KINDS[kind]} {value}", Do("hide_card", {"turn": turn, "kind": kind, "value": value})
    return Tap(f"{card} was not there", do, mark=kind, badge="×", short=card, id=f"peak-shown-{at}")


@remembered
def _sled(turn: int, what: Pile, many: int) -> Counter:
    label = "cards on the sled" if what == "cards" else "Injuries among them"
    do = Do("count_sled", {"turn": turn, "what": what})
    return Counter(f"peak-sled-{what}", label, many, do, whom="The sled")


def _asked(state: State, which: int) -> Panel:
    now, challenge = state.now, state.now.challenges[which]
    return _known(state.turn, which, challenge, now.total(challenge), now.result(which), now.by_hand[which])


@remembered
def _known(
    turn: int, which: int, challenge: Challenge | None, total: int, met: bool | None, by_hand: bool | None
) -> Panel:
    """One of the two Challenges while the sled is counted: what we count, or what the table says."""
    id, tone = f"peak-asked-{which}", tone_of(met)
    said = Bar(f"{id}-said", tuple([_say(id, turn, which, each, by_hand) for each in (True, False)]))
    if challenge is None:
        return Panel(id, (said,), f"Challenge {which + 1}", tone=tone)
    do = Do("count_total", {"turn": turn, "kind": challenge.kind})
    counter = Counter(f"peak-total-{challenge.kind}", challenge.name, total, do, whom="Total")
    told = Note(f"{id}-gap", _how_far(challenge, total, met), tone, "check" if met else "close")
    return Panel(id, (counter, told, said), str(challenge), mark=challenge.kind, tone=tone)


def _say(id: str, turn: int, which: int, met: bool, by_hand: bool | None) -> Tap:
    word, answer = ("Met", "yes") if met else ("Missed", "no")
    do = Do("judge_by_hand", {"turn": turn, "which": which, "met": answer})
    return Tap(word, do, on=by_hand is met, id=f"{id}-{answer}")


def tone_of(met: bool | None) -> Tone:
    return "" if met is None else "good" if met else "bad"


def _how_far(challenge: Challenge, total: int, met: bool | None) -> str:
    gap = challenge.gap(total)
    if met or not gap:  # the table may have said otherwise
        return "met" if met else "missed"
    return f"{gap} short" if challenge.met(total + gap) else f"{gap} too many"
