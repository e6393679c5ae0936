"""What the tile asks for, entered while the others talk; what lies on the sled; and whether that is enough.

Nobody has to say "judge": as soon as both results are known, whatever is tapped next rests on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from companion.core import Choice, Context, Count, Events, Form, Refused, refuse_if, remembered, replace
from companion.core.forms import Words, asks_choice, asks_number
from companion.core.pieces import Bar, Chips, Counter, Fold, Grid, Note, Panel, Picker, Piece, Tap, Tone
from companion.core.text import Bounds, By, listed
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.box import KINDS, VALUES, Challenge, Kind, read
from companion.games.mountains_of_madness.state import Resolving, State, TileOpen, _InTurn, during, of_turn


def _worth(value: int) -> int:
    refuse_if(value not in VALUES, "Equipment is worth 2 to 6, and Arcane Equipment 10.")
    return value


MOST = 300  # points of one kind: more than the box holds
Which = Annotated[Count, Bounds(le=1)]
Value = Annotated[Count, Bounds(ge=2, le=10), AfterValidator(_worth)]
Pile = Literal["cards", "injuries"]
Counting = Annotated[Count, during("resolution", "draw")]
AnyKind = Literal["", "tools", "weapons", "books", "crates"]


def _counting(state: State, **changed: Any) -> State:
    refuse_if(state.now.met is not None, "The Challenges are judged already; undo that to count again.")
    return state.with_turn(**changed)


def _total(state: State, kind: str, by: int, **changed: Any) -> State:
    total = state.now.totals.get(kind, 0) + by
    refuse_if(not 0 <= total <= MOST, f"{KINDS[kind]} cannot add up to {total}.")
    return _counting(state, totals={**state.now.totals, kind: total}, **changed)


class ChallengesRead(_InTurn):
    first: Challenge
    second: Challenge

    def fold(self, state: State) -> State:
        return _counting(state, challenges=(self.first, self.second), by_hand=(None, None))


class _OfChallenge(_InTurn):
    which: int

    @property
    def nth(self) -> int:
        return self.which + 1


class _OfKind(_InTurn):
    kind: str

    @property
    def name(self) -> str:
        return KINDS.get(self.kind, "something else")

    def total(self, state: State) -> int:
        return state.now.totals[self.kind]


class ChallengeBegun(_OfKind, tap="ask_kind", turn=TileOpen, kind=AnyKind):
    """Its value comes next; nothing, if it was the wrong kind."""

    def check_tap(self, state: State) -> None:
        if self.kind:
            _slot(state, self.kind)

    def fold(self, state: State) -> State:
        return _counting(state, asking=self.kind)


class ChallengeRead(_OfChallenge):
    challenge: Challenge

    def fold(self, state: State) -> State:
        both = list(state.now.challenges)
        both[self.which] = self.challenge
        return _counting(state, challenges=tuple(both), by_hand=(None, None), asking="")


class CardShown(_OfKind, tap="show_card", turn=Resolving, kind=Kind, value=Value):
    value: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.value, shown=(*state.now.shown, (self.kind, self.value)))


class CardHidden(_OfKind, tap="hide_card", turn=Resolving, kind=Kind, value=Value):
    value: int

    def fold(self, state: State) -> State:
        shown, card = list(state.now.shown), (self.kind, self.value)
        refuse_if(card not in shown, f"No {self.name} {self.value} was counted.")
        shown.remove(card)
        after = _total(state, self.kind, -self.value, shown=tuple(shown))
        left = {kind: total for kind, total in after.now.totals.items() if total or kind != self.kind}
        return after.with_turn(totals=left)


class TotalCounted(_OfKind):
    by: int

    def fold(self, state: State) -> State:
        return _total(state, self.kind, self.by)


class SledCounted(_InTurn):
    what: Pile
    by: int

    def fold(self, state: State) -> State:
        """Cards that were forgotten still go from the hands to the discard, until more are dealt."""
        known, now = state.injuries, state.now
        if self.what == "cards":
            refuse_if(not 0 <= now.on_sled + self.by <= 60, "There cannot be that many cards on the sled.")
            if state.stage != "draw":
                return _counting(state, on_sled=now.on_sled + self.by)
            refuse_if(now.on_sled + self.by < now.shown_injuries, "The Injuries among them were cards too.")
            return state.moving("cards", "hands", "discard", self.by).with_turn(on_sled=now.on_sled + self.by)
        most, injuries = known.hands + known.deck, now.shown_injuries + self.by
        few = f"only {box.injuries(most)}" if most else "no Injury"
        refuse_if(injuries > most, f"By our count {few} can be in hands or in the Equipment deck.")
        refuse_if(injuries < 0, "There cannot be fewer than no Injuries.")
        return _counting(state, shown_injuries=injuries)


class JudgedByHand(_OfChallenge):
    """One by one, as it was once told; now both are said at a glance, and that judges them."""

    met: bool

    def fold(self, state: State) -> State:
        said = [self.met if which == self.which else each for which, each in enumerate(state.now.by_hand)]
        return _counting(state, by_hand=tuple(said))


def in_words(met: bool, gap: int | None) -> str:
    return "met" if met else f"missed by {gap}" if gap else "missed"


class ChallengesJudged(_InTurn, during=("resolution",)):
    met: tuple[bool, bool]
    gaps: tuple[int | None, int | None]
    injuries: int = 0  # played, and discarded at once: so it was told until they stayed on the sled
    on_sled: int = 0  # Injuries among the cards played; they lie there until the phase ends

    def fold(self, state: State) -> State:
        gone, on_sled, played = self.injuries, self.on_sled, state.played
        hidden = max(0, gone + on_sled - state.injuries.hands)  # nobody told that they were dealt
        now = replace(state.now, met=self.met, gaps=self.gaps, on_sled=played, injured=on_sled)
        dealt = state.moving("injuries", "deck", "hands", hidden, now=now)
        return dealt.moving("injuries", "hands", "discard", gone)

    def log_text(self, state: State) -> str:
        both = zip((0, 1), self.met, self.gaps, strict=True)
        return listed([f"{state.now.name(which)} {in_words(met, gap)}" for which, met, gap in both])


def _slot(state: State, kind: str) -> int:
    """Where this kind stands on the tile, or a place that is free."""
    kinds = [each.kind if each else "" for each in state.now.challenges]
    if {kind, ""}.isdisjoint(kinds):
        raise Refused(f"The tile asks for {listed([KINDS[each] for each in kinds])}.")
    return kinds.index(kind if kind in kinds else "")


def read_challenge(
    state: State,
    context: Context,
    turn: TileOpen,
    kind: Kind,
    value: Choice = "",
    low: Count = 0,
    how: Literal["-", "or", ""] = "",
    high: Count = 0,
) -> Events:
    """As it is printed, as early as the tile is seen; what is not among the tiles comes in its parts."""
    asked = read(kind, value or (f"{low} {how} {high}" if how else str(low)))
    which = _slot(state, kind)
    refuse_if(state.now.challenges[which] == asked, "It says that already.")
    yield ChallengeRead(turn, which, asked)


def set_total(state: State, context: Context, turn: Resolving, kind: Kind, total: Count) -> Events:
    refuse_if(state.now.totals.get(kind) == total, "It says that already.")
    yield TotalCounted(turn, kind, total - state.now.totals.get(kind, 0))


def count_sled(state: State, context: Context, turn: Counting, what: Pile, by: By) -> Events:
    """Cards that were shown one by one, or that the totals take, are there."""
    least = replace(state.now, on_sled=0)
    few = what == "cards" and state.played + by < replace(state, now=least).played
    refuse_if(few, f"Those totals take at least {state.played} cards.")
    more = state.played - state.now.on_sled if what == "cards" else 0
    yield SledCounted(turn, what, by + more)


def judgement(state: State) -> ChallengesJudged:
    """Both results, as far as they are known."""
    first, second = state.now.result(0), state.now.result(1)
    if first is None or second is None:
        raise Refused("First say how both Challenges went.")
    gaps = state.now.gap(0), state.now.gap(1)
    return ChallengesJudged(state.turn, (first, second), gaps, on_sled=state.now.shown_injuries)


# --- what is seen ---

WAYS = (("", "just that"), ("-", "to"), ("or", "or"))


def form(state: State) -> Iterator[Form]:
    if state.now.asking:
        args: Words = {"turn": state.turn, "kind": state.now.asking}
        kind = {"kind": KINDS[state.now.asking]}
        low, high = asks_number(""), asks_number("", optional=True)
        yield box.blanks(
            "", args, kind, "challenge", low=low, how=asks_choice(WAYS, "-", optional=True), high=high
        )


def tile(state: State) -> Iterator[Piece]:
    """What it asks for, large on every screen; and, for whoever holds it, where that is entered."""
    now = state.now
    yield Grid("peak-asked", tuple([_asked(which, *_how(state, which)) for which in (0, 1)]), narrow=2)
    pieces: tuple[Piece, ...] = ()
    if now.asking:
        wrong = Tap(f"Not {KINDS[now.asking]}", state.do("ask_kind", kind=""), id="peak-other-kind")
        more = Tap("Another value", opens="challenge", id="peak-other-value")
        pieces = (_printed(state.turn, now.asking, state.place), Bar("peak-others-asked", (wrong, more)))
    elif None in now.challenges:
        pieces = (_kinds(state.turn, tuple([each.kind for each in now.challenges if each])),)
    talking = state.stage == "encounter" and state.table.holder(state.leader)
    leader = state.table.seat(state.leader)
    yield Panel("peak-enter", pieces, seat=leader, only="owner" if talking else "players")


@remembered
def _kinds(turn: int, known: tuple[str, ...]) -> Picker:
    do = {kind: of_turn(turn, "ask_kind", kind=kind) for kind in KINDS if kind not in known}
    taps = [Tap(KINDS[kind], do[kind], mark=kind, id=f"peak-kind-{kind}") for kind in do]
    title = "and what else?" if known else "What does the tile ask for?"
    return Picker("peak-kinds", tuple(taps), title, "faces", len(taps))


@remembered
def _printed(turn: int, kind: str, place: str) -> Picker:
    do = partial(of_turn, turn, "read_challenge", kind=kind)
    taps = [Tap(value.replace("-", "–"), do(value=value)) for value in box.VALUES_AT[place]]
    return Picker("peak-printed", tuple(taps), KINDS[kind], "faces", 6, mark=kind)


def _how(state: State, which: int) -> tuple[str, str, str, str, Tone]:
    """The Challenge, and how it stands while the sled is counted."""
    now, challenge = state.now, state.now.challenges[which]
    if challenge is None:
        return f"Challenge {which + 1}", "", "?", "", ""
    met, told = now.result(which), ""
    if state.stage == "resolution":
        told = "no card yet" if met is None else _how_far(challenge, now.total(challenge), met)
    return challenge.name, challenge.kind, challenge.value, told, tone_of(met)


@remembered
def _asked(which: int, name: str, kind: str, value: str, told: str, tone: Tone) -> Panel:
    id = f"peak-asked-{which}"
    sign = "" if not tone else "check" if tone == "good" else "close"
    how = (Note(f"{id}-gap", told, tone, sign),) if told else ()
    return Panel(id, how, name, value, mark=kind, tone=tone)


def pieces(state: State) -> Iterator[Piece]:
    """The reveal: at a glance, or card by card."""
    turn, now = state.turn, state.now
    yield from tile(state)
    yield _outcomes(turn, now.name(0), now.name(1)) if all(now.challenges) else _outcomes(turn)
    if all(now.challenges):
        values = [_values(turn, each.kind, each.name) for each in now.challenges if each]
        last = [*enumerate(now.shown, 1)][-3:]  # what is older is taken back in the log
        shown = tuple([_shown(n, turn, kind, value) for n, (kind, value) in last])
        yield Panel("peak-cards", (*values, Chips("peak-shown", shown, "Counted")), only="players")


def more(state: State) -> Iterator[Piece]:
    """What is seldom needed: the totals, and how many cards there were."""
    turn, now = state.turn, state.now
    if all(now.challenges):
        totals = tuple([_totals(turn, each) for each in now.challenges if each])
        yield Fold("peak-totals", "Or by the totals", totals, only="players")
    counters = [_sled(turn, "cards on the sled", "cards", state.played)]
    if state.injuries.hands + state.injuries.deck:
        counters += [_sled(turn, "Injuries among them", "injuries", now.shown_injuries)]
    yield Panel("peak-sled", (Grid("peak-counters", tuple(counters), narrow=2),), only="players")


@remembered
def _outcomes(turn: int, first: str = "", second: str = "") -> Picker:
    ways = {"Both met": ("yes", "yes"), f"{first} only": ("yes", "no"), f"{second} only": ("no", "yes")}
    if not first:
        ways = {"Both met": ("yes", "yes"), "One of them": ("yes", "no")}
    ways["Neither"] = ("no", "no")
    taps = []
    for label, (one, other) in ways.items():
        do = of_turn(turn, "call_results", first=one, second=other)
        taps.append(Tap(label, do, id=f"peak-called-{one}-{other}"))
    return Picker("peak-outcomes", tuple(taps), "Met at a glance:", "faces", len(taps))


@remembered
def _values(turn: int, kind: str, name: str) -> Picker:
    do = [of_turn(turn, "show_card", kind=kind, value=value) for value in VALUES]
    taps = [Tap(f"{name} {value}", each, short=str(value)) for value, each in zip(VALUES, do, strict=True)]
    return Picker(f"peak-values-{kind}", tuple(taps), name, "faces", 6, mark=kind)


@remembered
def _totals(turn: int, challenge: Challenge) -> Picker:
    """From nothing at all to well beyond; those that would do are marked."""
    kind, name, taps = challenge.kind, challenge.name, []
    for total in (0, *range(max(2, challenge.low - 6), challenge.high + 6)):
        tone: Tone = "good" if challenge.met(total) else ""
        do = of_turn(turn, "set_total", kind=kind, total=total)
        taps.append(Tap(f"{name} {total} in all", do, tone=tone, short=str(total)))
    return Picker(f"peak-totals-{kind}", tuple(taps), name, "faces", 6, mark=kind)


@remembered
def _shown(at: int, turn: int, kind: str, value: int) -> Tap:
    card, do = f"{KINDS[kind]} {value}", of_turn(turn, "hide_card", kind=kind, value=value)
    return Tap(f"{card} was not there", do, badge="×", short=card, id=f"peak-shown-{at}")


@remembered
def _sled(turn: int, label: str, what: Pile, many: int) -> Counter:
    return Counter(f"peak-sled-{what}", label, many, of_turn(turn, "count_sled", what=what), whom="The sled")


def tone_of(met: bool | None) -> Tone:
    return "" if met is None else "good" if met else "bad"


def _how_far(challenge: Challenge, total: int, met: bool) -> str:
    gap = challenge.gap(total)
    if met or not gap:  # the table may have said otherwise
        return "met" if met else "missed"
    return f"{total}: {gap} short" if challenge.met(total + gap) else f"{total}: {gap} too many"
