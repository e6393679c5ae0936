"""What the tile asks for, entered while the others talk; what lies on the sled; and whether that is enough.

Nobody has to say "judge": as soon as both results are known, whatever is tapped next rests on them.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from companion.core import Context, Events, Form, Refused, kept_but_for, picks, refuse_if, remembered, replace
from companion.core.forms import asks_choice, asks_number
from companion.core.pieces import Bar, Chips, Counter, Do, Fold, Grid, Note, Panel, Picker, Piece, Tap, Tone
from companion.core.text import Bounds, By, Choice, Count, listed
from companion.games.mountains_of_madness import box
from companion.games.mountains_of_madness.box import KINDS, VALUES, Challenge, Kind
from companion.games.mountains_of_madness.state import Resolving, State, TileOpen, _InTurn, during


def _worth(value: int) -> int:
    refuse_if(value not in VALUES, "Equipment is worth 2 to 6, and Arcane Equipment 10.")
    return value


MOST = 300  # points of one kind: more than the box holds
Which = Annotated[Count, Bounds(le=1)]
Value = Annotated[Count, Bounds(ge=2, le=10), AfterValidator(_worth)]
Pile = Literal["cards", "injuries"]
Counting = Annotated[Count, during("resolution", "draw")]
WAYS = (("", "just that"), ("-", "to"), ("or", "or"))
AnyKind = Literal["", "tools", "weapons", "books", "crates"]


def _counting(state: State, **changed: Any) -> State:
    refuse_if(state.now.met is not None, "The Challenges are judged already; undo that to count again.")
    return state.with_turn(**changed) if changed else state


class _OfKind(_InTurn):
    kind: str

    def counted(self, state: State, by: int, none: bool = False, **changed: Any) -> State:
        """So many points more of it; `none`: that there are none is a total too."""
        total = state.sled.totals.get(self.kind, 0) + by
        refuse_if(not 0 <= total <= MOST, f"{KINDS[self.kind]} cannot add up to {total}.")
        totals = {**state.sled.totals, self.kind: total}
        if not (total or none):
            del totals[self.kind]
        return replace(_counting(state), sled=state.sled._replace(totals=totals, **changed))


class ChallengeBegun(_OfKind, tap="ask_kind", turn=TileOpen, kind=AnyKind):
    """Its value comes next; nothing, if it was the wrong kind."""

    def check_tap(self, state: State) -> None:
        if self.kind:
            _slot(state, self.kind)

    def fold(self, state: State) -> State:
        return _counting(state, asking=self.kind)


class CardShown(_OfKind, tap="show_card", turn=Resolving, kind=Kind, value=Value):
    value: int

    def fold(self, state: State) -> State:
        return self.counted(state, self.value, shown=(*state.sled.shown, (self.kind, self.value)))


class CardHidden(_OfKind, tap="hide_card", turn=Resolving, kind=Kind, value=Value):
    value: int

    def fold(self, state: State) -> State:
        shown, card = list(state.sled.shown), (self.kind, self.value)
        refuse_if(card not in shown, f"No {KINDS[self.kind]} {self.value} was counted.")
        shown.remove(card)
        return self.counted(state, -self.value, shown=tuple(shown))


class TotalCounted(_OfKind):
    by: int

    def fold(self, state: State) -> State:
        return self.counted(state, self.by, none=True)


class ChallengesRead(_InTurn):
    first: Challenge
    second: Challenge

    def fold(self, state: State) -> State:
        return _counting(state, challenges=(self.first, self.second), by_hand=(None, None))


class _OfChallenge(_InTurn):
    which: int

    def put(self, both: tuple[Any, Any], what: Any) -> tuple[Any, Any]:
        """Of what is known of both, this is of it."""
        return (both[0], what) if self.which else (what, both[1])


class ChallengeRead(_OfChallenge):
    challenge: Challenge

    def fold(self, state: State) -> State:
        challenges = self.put(state.now.challenges, self.challenge)
        return _counting(state, challenges=challenges, by_hand=(None, None), asking="")


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
        return _counting(state, by_hand=self.put(state.now.by_hand, self.met))


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
    challenge = box.read(kind, value or (f"{low} {how} {high}" if how else str(low)))
    which = _slot(state, kind)
    refuse_if(state.now.challenges[which] == challenge, "It says that already.")
    yield ChallengeRead(turn, which, challenge)


def set_total(state: State, context: Context, turn: Resolving, kind: Kind, total: Count) -> Events:
    known = state.sled.totals.get(kind)
    refuse_if(known == total, "It says that already.")
    yield TotalCounted(turn, kind, total - (known or 0))


def count_sled(state: State, context: Context, turn: Counting, what: Pile, by: By) -> Events:
    """Cards that were shown one by one, or that the totals take, are there."""
    least = replace(state.now, on_sled=0)
    few = what == "cards" and state.played + by < replace(state, now=least).played
    refuse_if(few, f"Those totals take at least {state.played} cards.")
    more = state.played - state.now.on_sled if what == "cards" else 0
    yield SledCounted(turn, what, by + more)


def judgement(state: State) -> ChallengesJudged:
    """Both results: what the table said, else what was counted; and by how much one was missed, where cards
    were counted: of a kind without any that is all of it."""
    both: list[tuple[Any, Any]] = []
    for by_hand, asks in zip(state.now.by_hand, state.now.challenges, strict=True):
        met = asks.met(state.sled.totals.get(asks.kind)) if by_hand is None and asks else by_hand
        refuse_if(met is None, "First say how both Challenges went.")
        gap = asks.gap(state.sled.totals.get(asks.kind, 0)) if asks and state.sled.totals else 0
        both.append((met, 0 if met else gap or None))
    results, gaps = zip(*both, strict=True)
    return ChallengesJudged(state.turn, results, gaps, on_sled=state.now.shown_injuries)


# --- what is seen ---


def form(state: State) -> Iterator[Form]:
    if kind := state.now.asking:
        low, high = asks_number(""), asks_number("", optional=True)
        filled = {"low": low, "how": asks_choice(WAYS, "-", optional=True), "high": high}
        yield box.blanks("", {"turn": state.turn, "kind": kind}, {"kind": KINDS[kind]}, "challenge", **filled)


def look_of(met: bool | None) -> tuple[Tone, str]:
    return ("", "") if met is None else ("good", "check") if met else ("bad", "close")


def challenges(state: State) -> Grid:
    """What the tile asks for, large on every screen."""
    totals, open, both = state.sled.totals, state.stage == "resolution", (0, 1)
    known = [(each, totals.get(each.kind) if each else None) for each in state.now.challenges]
    panels = [_panel(which, *known[which], state.now.by_hand[which], open) for which in both]
    return Grid("peak-asked", tuple(panels), narrow=2)


@remembered
def _panel(which: int, asks: Challenge | None, total: int | None, by_hand: bool | None, open: bool) -> Panel:
    """One Challenge, and how it stands while the sled is counted."""
    id = f"peak-asked-{which}"
    if asks is None:
        return Panel(id, (), f"Challenge {which + 1}", "?")
    met, points = asks.met(total) if by_hand is None else by_hand, total or 0
    (tone, sign), gap = look_of(met), asks.gap(points)
    result = "no card yet" if met is None else "met" if met else "missed"
    if met is False and gap:  # where it is missed without one, the table said so
        result = f"{points}: {gap} {'short' if asks.met(points + gap) else 'too many'}"
    how = (Note(f"{id}-gap", result, tone, sign),) if open else ()
    return Panel(id, how, asks.name, asks.value, mark=asks.kind, tone=tone)


def entered(state: State) -> Panel:
    """And, for whoever holds the tile, where that is entered."""
    kind, known = state.now.asking, [each.kind for each in state.now.challenges if each]
    pieces: tuple[Piece, ...] = ()
    if kind:
        values = {each: each.replace("-", "–") for each in box.values_at(state.place)}
        taps = picks(state.do("read_challenge", kind=kind), "value", values)
        wrong = Tap(f"Not {KINDS[kind]}", state.do("ask_kind", kind=""), id="peak-other-kind")
        more = Tap("Another value", opens="challenge", id="peak-other-value")
        printed = Picker("peak-printed", taps, KINDS[kind], "faces", 6, mark=kind)
        pieces = (printed, Bar("peak-others-asked", (wrong, more)))
    elif len(known) < 2:
        others = {id: name for id, name in KINDS.items() if id not in known}
        taps = picks(state.do("ask_kind"), "kind", others, "peak-kind", marked=True)
        title = "and what else?" if known else "What does the tile ask for?"
        pieces = (Picker("peak-kinds", taps, title, "faces", len(taps)),)
    talking = state.stage == "encounter" and state.table.holder(state.leader)
    leader = state.table.seat(state.leader)
    return Panel("peak-enter", pieces, seat=leader, only="owner" if talking else "players")


def reveal(state: State, follows: Piece) -> Iterator[Piece]:
    """At a glance, or card by card; and what is seldom needed: the totals, and how many cards there were."""
    turn, shown = state.turn, state.sled.shown
    enter, outcomes, values, totals = _still(state)
    yield from (challenges(state), enter, outcomes)
    if values:
        last = enumerate(shown[-3:], max(1, len(shown) - 2))  # what is older is taken back in the log
        chips = Chips("peak-shown", tuple([_shown(n, turn, *card) for n, card in last]), "Counted")
        yield Panel("peak-cards", (*values, chips), only="players")
    yield from (follows, *totals)
    counters = [counter(turn, "cards on the sled", "cards", state.played)]
    if state.injuries.hands + state.injuries.deck:
        counters += [counter(turn, "Injuries among them", "injuries", state.now.shown_injuries)]
    yield Panel("peak-sled", (Grid("peak-counters", tuple(counters), narrow=2),), only="players")


@kept_but_for(State, "sled")
def _still(state: State) -> tuple[Panel, Picker, tuple[Picker, ...], tuple[Fold, ...]]:
    """What is the same after every card."""
    known, values, totals = [each for each in state.now.challenges if each], [], []
    both = [f"{each.name} only" for each in known] if len(known) == 2 else ["One of them"]
    one = dict(zip(("yes-no", "no-yes"), both, strict=False))
    taps = []
    for answers, label in {"yes-yes": "Both met", **one, "no-no": "Neither"}.items():
        first, second = answers.split("-")
        do = state.do("call_results", first=first, second=second)
        taps.append(Tap(label, do, id=f"peak-called-{answers}"))
    outcomes = Picker("peak-outcomes", tuple(taps), "Met at a glance:", "faces", len(taps))
    for each in known if len(known) == 2 else ():
        show, total = (partial(state.do, what, kind=each.kind) for what in ("show_card", "set_total"))
        taps = [Tap(f"{each.name} {value}", show(value=value), short=str(value)) for value in VALUES]
        values.append(Picker(f"peak-values-{each.kind}", tuple(taps), each.name, "faces", 6, mark=each.kind))
        sums = (0, *range(max(2, each.low - 6), each.high + 6))  # those that would do are marked
        tones: dict[int, Tone] = {n: "good" if each.met(n) else "" for n in sums}
        words = f"{each.name} {{}} in all"
        taps = [Tap(words.format(n), total(total=n), tone=tones[n], short=str(n)) for n in sums]
        totals.append(Picker(f"peak-totals-{each.kind}", tuple(taps), each.name, "faces", 6, mark=each.kind))
    folded = Fold("peak-totals", "Or by the totals", tuple(totals), only="players")
    return entered(state), outcomes, tuple(values), (folded,) if totals else ()


@remembered
def _shown(at: int, turn: int, kind: str, value: int) -> Tap:
    card, do = f"{KINDS[kind]} {value}", Do("hide_card", {"turn": turn, "kind": kind, "value": value})
    return Tap(f"{card} was not there", do, badge="×", short=card, id=f"peak-shown-{at}")


@remembered
def counter(turn: int, label: str, what: Pile, many: int) -> Counter:
    do = Do("count_sled", {"turn": turn, "what": what})
    return Counter(f"peak-sled-{what}", label, many, do, whom="The sled")
