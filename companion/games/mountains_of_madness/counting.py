"""The reveal: what the tile asks for, what lies on the sled, and whether that is enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator
from pydantic import Field as Bounds

from companion.core import Choice, Context, Count, Events, Field, Form, Refused, refuse_if
from companion.core.memo import remembered
from companion.core.pieces import Bar, Chips, Counter, Fold, Grid, Note, Panel, Picker, Piece, Tap, Tone
from companion.core.text import By, listed, signed
from companion.games.mountains_of_madness.box import KINDS, VALUES, Challenge, Kind, read
from companion.games.mountains_of_madness.state import Resolving, State, TileOpen, TurnEvent, of_turn


def _worth(value: int) -> int:
    refuse_if(value not in VALUES, "Equipment is worth 2 to 6, and Arcane Equipment 10.")
    return value


MOST = 300  # points of one kind: more than the box holds
Which = Annotated[Count, Bounds(le=1)]
Value = Annotated[Count, Bounds(ge=2, le=10), AfterValidator(_worth)]
Pile = Literal["cards", "injuries"]


def _counting(state: State, **changed: Any) -> State:
    refuse_if(state.now.met is not None, "The Challenges are judged already; undo that to count again.")
    return state.with_turn(**changed)


def _total(state: State, kind: str, by: int, **changed: Any) -> State:
    total = state.now.totals.get(kind, 0) + by
    refuse_if(not 0 <= total <= MOST, f"{KINDS[kind]} cannot add up to {total}.")
    return _counting(state, totals={**state.now.totals, kind: total}, **changed)


class ChallengesRead(TurnEvent):
    first: Challenge
    second: Challenge
    says = "Challenges: {first} and {second}"

    def fold(self, state: State) -> State:
        return _counting(state, challenges=(self.first, self.second), by_hand=(None, None))


class CardShown(TurnEvent, tap="show_card", turn=Resolving, kind=Kind, value=Value):
    kind: str
    value: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.value, shown=(*state.now.shown, (self.kind, self.value)))

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value}, now {state.now.totals[self.kind]}"


class CardHidden(TurnEvent, tap="hide_card", turn=Resolving, kind=Kind, value=Value):
    kind: str
    value: int

    def fold(self, state: State) -> State:
        shown, card = list(state.now.shown), (self.kind, self.value)
        refuse_if(card not in shown, f"No {KINDS[self.kind]} {self.value} was counted.")
        shown.remove(card)
        return _total(state, self.kind, -self.value, shown=tuple(shown))

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {self.value} was not on the sled"


class TotalCounted(TurnEvent, tap="count_total", turn=Resolving, kind=Kind, by=By):
    kind: str
    by: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.by)

    def log_text(self, state: State) -> str:
        return f"{KINDS[self.kind]} {signed(self.by)} = {state.now.totals[self.kind]}"


class SledCounted(TurnEvent):
    what: Pile
    by: int

    def fold(self, state: State) -> State:
        known, now = state.injuries, state.now
        if self.what == "cards":
            refuse_if(not 0 <= now.on_sled + self.by <= 60, "There cannot be that many cards on the sled.")
            return _counting(state, on_sled=now.on_sled + self.by)
        most, injuries = known.hands + known.deck, now.shown_injuries + self.by
        refuse_if(injuries > most, f"Only {most} Injuries are in hands or in the Equipment deck.")
        refuse_if(injuries < 0, "There cannot be fewer than no Injuries.")
        return _counting(state, shown_injuries=injuries)

    def log_text(self, state: State) -> str:
        if self.what == "cards":
            return f"cards on the sled: {state.now.on_sled}"
        return f"Injuries on the sled: {state.now.shown_injuries}"


class JudgedByHand(TurnEvent, tap="judge_by_hand", turn=Resolving, which=Which, met=bool):
    """For tables that see at a glance what was met."""

    which: int
    met: bool

    def check_tap(self, state: State) -> None:
        refuse_if(state.now.by_hand[self.which] == self.met, "It says that already.")

    def fold(self, state: State) -> State:
        said = [self.met if which == self.which else each for which, each in enumerate(state.now.by_hand)]
        return _counting(state, by_hand=tuple(said))

    def log_text(self, state: State) -> str:
        return f"Challenge {self.which + 1} was {'met' if self.met else 'missed'}"


def in_words(met: bool, gap: int | None) -> str:
    return "met" if met else f"missed by {gap}" if gap else "missed"


class ChallengesJudged(TurnEvent, during=("resolution",)):
    met: tuple[bool, bool]
    gaps: tuple[int | None, int | None]
    injuries: int = 0  # played, and discarded at once: so it was told until they stayed on the sled
    on_sled: int = 0  # Injuries among the cards played; they lie there until the phase ends

    def fold(self, state: State) -> State:
        gone, on_sled, played = self.injuries, self.on_sled, state.now.played
        hidden = max(0, gone + on_sled - state.injuries.hands)  # nobody told that they were dealt
        now = replace(state.now, met=self.met, gaps=self.gaps, on_sled=played, injured=on_sled)
        dealt = state.moving("injuries", "deck", "hands", hidden, now=now)
        return dealt.moving("injuries", "hands", "discard", gone)

    def log_text(self, state: State) -> str:
        both = zip((0, 1), self.met, self.gaps, strict=True)
        return listed([f"{state.now.name(which)} {in_words(met, gap)}" for which, met, gap in both])


def read_challenges(
    state: State,
    context: Context,
    turn: TileOpen,
    first_kind: Kind,
    first: Choice,
    second_kind: Kind,
    second: Choice,
) -> Events:
    """As early as the tile is seen; it need not wait for the reveal."""
    twice = first_kind == second_kind
    refuse_if(twice, f"A tile never asks for {KINDS[first_kind]} twice; choose two kinds.")
    asked = read(first_kind, first), read(second_kind, second)
    refuse_if(state.now.challenges == asked, "It says that already.")
    yield ChallengesRead(turn, *asked)


def count_sled(state: State, context: Context, turn: Resolving, what: Pile, by: By) -> Events:
    """Cards that were shown one by one are there."""
    more = state.now.played - state.now.on_sled if what == "cards" else 0
    yield SledCounted(turn, what, by + more)


def judge(state: State, context: Context, turn: Resolving) -> Events:
    now = state.now
    refuse_if(now.met is not None, "The Challenges are judged already.")
    first, second = now.result(0), now.result(1)
    if first is None or second is None:
        raise Refused("Enter both Challenges, or say of each whether it was met.")
    yield ChallengesJudged(turn, (first, second), (now.gap(0), now.gap(1)), on_sled=now.shown_injuries)


# --- what is seen ---


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
    do = state.do("read_challenges")
    yield Form("challenges", "What the tile asks for", do, fields, "Write them down", listed=False)


def pieces(state: State) -> Iterator[Piece]:
    turn, now, results = state.turn, state.now, (state.now.result(0), state.now.result(1))
    asked = zip((0, 1), now.challenges, map(now.total, now.challenges), results, now.by_hand, strict=True)
    yield Grid("peak-asked", tuple([_asked(turn, *each) for each in asked]), narrow=2)
    label = "Change the Challenges" if any(now.challenges) else "Enter the two Challenges"
    yield Bar("peak-enter", (Tap(label, opens="challenges"),))
    totals = tuple([_sum(kind, now.totals.get(kind, 0)) for kind in KINDS])
    shown = tuple([_shown(n, turn, kind, value) for n, (kind, value) in enumerate(now.shown, 1)])
    values = [_values(turn, kind, name) for kind, name in KINDS.items()]
    cards = (Chips("peak-sums", totals, "Totals"), *values, Chips("peak-shown", shown, "Counted"))
    yield Fold("peak-cards", "Card by card", cards, only="players")
    many = _sled(turn, "cards on the sled", "cards", now.played)
    hurt = _sled(turn, "Injuries among them", "injuries", now.shown_injuries)
    yield Grid("peak-sled", (many, hurt), narrow=2)
    why = "Enter both Challenges, or say met or missed." if None in results else ""
    yield Bar("peak-judge", (Tap("Judge both", state.do("judge"), strong=True, why_not=why),))


@remembered
def _sum(kind: str, total: int) -> Tap:
    return Tap(KINDS[kind], badge=str(total), mark=kind, id=f"peak-sum-{kind}")


@remembered
def _values(turn: int, kind: str, name: str) -> Picker:
    do = [of_turn(turn, "show_card", kind=kind, value=value) for value in VALUES]
    taps = [Tap(f"{name} {value}", each, short=str(value)) for value, each in zip(VALUES, do, strict=True)]
    return Picker(f"peak-values-{kind}", tuple(taps), name, "faces", mark=kind)


@remembered
def _shown(at: int, turn: int, kind: str, value: int) -> Tap:
    card, do = f"{KINDS[kind]} {value}", of_turn(turn, "hide_card", kind=kind, value=value)
    return Tap(f"{card} was not there", do, mark=kind, badge="×", short=card, id=f"peak-shown-{at}")


@remembered
def _sled(turn: int, label: str, what: Pile, many: int) -> Counter:
    return Counter(f"peak-sled-{what}", label, many, of_turn(turn, "count_sled", what=what), whom="The sled")


@remembered
def _asked(
    turn: int, which: int, challenge: Challenge | None, total: int, met: bool | None, by_hand: bool | None
) -> Panel:
    """One of the two Challenges while the sled is counted: what we count, or what the table says."""
    id, tone = f"peak-asked-{which}", tone_of(met)
    answers = [
        Tap(word, of_turn(turn, "judge_by_hand", which=which, met=answer), on=on, id=f"{id}-{answer}")
        for word, answer, on in (("Met", "yes", by_hand is True), ("Missed", "no", by_hand is False))
    ]
    said = Bar(f"{id}-said", tuple(answers))
    if challenge is None:
        return Panel(id, (said,), f"Challenge {which + 1}", tone=tone)
    do = of_turn(turn, "count_total", kind=challenge.kind)
    counter = Counter(f"peak-total-{challenge.kind}", challenge.name, total, do, whom="Total")
    told = Note(f"{id}-gap", _how_far(challenge, total, met), tone, "check" if met else "close")
    return Panel(id, (counter, told, said), str(challenge), mark=challenge.kind, tone=tone)


def tone_of(met: bool | None) -> Tone:
    return "" if met is None else "good" if met else "bad"


def _how_far(challenge: Challenge, total: int, met: bool | None) -> str:
    gap = challenge.gap(total)
    if met or not gap:  # the table may have said otherwise
        return "met" if met else "missed"
    return f"{gap} short" if challenge.met(total + gap) else f"{gap} too many"
