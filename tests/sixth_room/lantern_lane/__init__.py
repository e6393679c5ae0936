"""Lantern Lane: bid in secret how many lanterns you will light, light them, and pay with oil for each miss.

A whole small room without a template or a style of its own; tests/test_a_sixth_room.py puts it on the shelf.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from typing_extensions import TypedDict

from companion import core
from companion.core import Context, Do, Event, Game, HouseRule, Refused, Scores, Seat, Table, Tap, Verdict
from companion.core.checklist import SetupTicked, checklist, ticking
from companion.core.game import load_rulings
from companion.core.pieces import Because, Note, Picker, Piece, Total, Track, steps
from companion.core.text import Bounds, Count, SeatId, counted, listed, plain
from companion.core.verdict import Step, ahead
from companion.core.view import Cell, Field, Form, Phase, Row, SeatView, Sheet, View
from companion.tools import sealed

ROUNDS, MOST, OIL = 4, 5, 6
CHECKLIST = (("lane", "Lay out the lane"), ("oil", "Six oil for everyone"))
Number = Annotated[Count, Bounds(ge=1, le=ROUNDS)]
Lanterns = Annotated[Count, Bounds(le=MOST)]
Sheets = Mapping[tuple[int, int], int]  # by round and seat

MISSED = HouseRule(
    id="missed",
    question="What does a missed bid score?",
    choices=(("nothing", "Nothing, only the oil"), ("minus", "Minus one for each lantern")),
    default="nothing",
    why="The leaflet speaks of oil alone.",
)


@dataclass(frozen=True)
class Lane(core.State):
    ticked: tuple[str, ...] = ()
    round: int = 0  # one more than there are when the lane is lit
    bids: Sheets = field(default_factory=dict)  # once they are revealed
    lit: Sheets = field(default_factory=dict)

    @property
    def rounds(self) -> range:
        return range(1, min(self.round, ROUNDS) + 1)

    @property
    def about(self) -> str:
        return f"bid-{self.round}"

    def without(self, sheet: Sheets) -> list[int]:
        """Who has nothing on it in this round."""
        return [seat for seat in self.table.ids if (self.round, seat) not in sheet]

    @property
    def stage(self) -> str:
        if not self.round or self.round > ROUNDS:
            return "over" if self.round else "setup"
        return "bid" if self.without(self.bids) else "light" if self.without(self.lit) else "settle"

    def missed(self, round: int, seat: int) -> int:
        return abs(self.bids[round, seat] - self.lit[round, seat])

    def points(self, round: int, seat: int) -> int:
        """Ten and the bid, if it was met."""
        if (round, seat) not in self.lit:
            return 0
        missed = self.missed(round, seat)
        if not missed:
            return 10 + self.bids[round, seat]
        return -missed if MISSED.chosen(self.table) == "minus" else 0

    def oil(self, seat: int) -> int:
        return max(0, OIL - sum(self.missed(*key) for key in self.lit if key[1] == seat))

    def total(self, seat: int, until: int = ROUNDS) -> int:
        return sum(self.points(round, seat) for round in range(1, until + 1))


# --- what can happen ---


class RoundOpened(Event[Lane]):
    round: int

    def fold(self, state: Lane) -> Lane:
        if self.round != state.round + 1 or state.stage not in ("setup", "settle"):
            raise Refused("It is not time for the next round.")
        return replace(state, round=self.round)

    def log_text(self, state: Lane) -> str:
        return f"round {self.round} begins" if self.round <= ROUNDS else "the lane is lit"


class BidsShown(Event[Lane]):
    round: int
    bids: Mapping[int, int]

    def fold(self, state: Lane) -> Lane:
        if self.round != state.round:
            raise Refused("The bids are of another round.")
        return replace(state, bids={**state.bids, **{(self.round, seat): n for seat, n in self.bids.items()}})

    def log_text(self, state: Lane) -> str:
        return listed([f"{state.table.seat(seat).name} bids {bid}" for seat, bid in self.bids.items()])


class LanternsLit(Event[Lane]):
    seat: int
    round: int
    lit: int

    def fold(self, state: Lane) -> Lane:
        if (self.round, self.seat) not in state.bids:
            raise Refused("The bids of that round are not on the table.")
        return replace(state, lit={**state.lit, (self.round, self.seat): self.lit})

    def log_text(self, state: Lane) -> str:
        return f"lit {counted(self.lit, 'lantern', 'no')} in round {self.round}"


# --- what can be tapped ---


def next_round(state: Lane, context: Context, after: Count) -> Iterator[Event]:
    yield RoundOpened(after + 1)


def bid(state: Lane, context: Context, seat: SeatId, round: Number, lanterns: Lanterns) -> Iterator[Event]:
    if (state.stage, state.round) != ("bid", round):
        raise Refused("The bids are on the table already.")
    among = state.without(state.bids)
    bids = yield from sealed.seal(state, context, seat, state.about, str(lanterns), among)
    if bids:
        yield BidsShown(round, {seat: int(each) for seat, each in bids.items()})


def light(state: Lane, context: Context, seat: SeatId, round: Number, lanterns: Lanterns) -> Iterator[Event]:
    if state.lit.get((round, seat)) == lanterns:
        raise Refused("It says that already.")
    yield LanternsLit(seat, round, lanterns)


# --- what is seen ---


def private(state: Lane, seat: int) -> tuple[Piece, ...]:
    if state.stage != "bid" or seat not in state.without(state.bids):
        return ()
    mine = sealed.choice_of(state.table, state.about, seat)
    words = "Change it until the others have bid." if mine else "Nobody sees it until all have bid."
    return (_lanterns(state, f"my-bid-{seat}", "bid", seat, mine, "How many will you light?", words),)


def _lanterns(state: Lane, id: str, command: str, seat: int, now: str, title: str, words: str = "") -> Picker:
    args = {"seat": seat, "round": state.round}
    numbers = [str(n) for n in range(MOST + 1)]
    taps = tuple(Tap(n, Do(command, {**args, "lanterns": n}), on=n == now) for n in numbers)
    return Picker(id, taps, title, "faces", columns=3, text=words)


def view(state: Lane) -> View:
    leaders = adjudicate(state).leaders
    seats = tuple(_seat(state, seat, leaders) for seat in state.table.seats)
    return View(_phase(state), seats, sheets=(_sheet(state),) if state.round else ())


def _phase(state: Lane) -> Phase:
    number, stage = state.round, state.stage
    go = Tap("Into the lane", Do("next_round", {"after": number}), strong=True)
    if stage == "setup":
        todo = checklist(state.ticked, CHECKLIST)
        ready = len(state.ticked) == len(CHECKLIST)
        return Phase("Set up", "Tick off what is ready.", (replace(go, strong=ready),), stage, (todo,))
    if stage == "over":
        return Phase("The lane is lit", key=stage, final=True)
    at = ("bid", "light", "settle").index(stage)
    where = steps("steps", f"Round {number}", ("Bid", "Light", "Settle"), at)
    words = ("How many lanterns will you light?", "Tap how many you lit.", "Is the sheet right?")[at]
    then = "Settle the last round" if number == ROUNDS else f"Settle, to round {number + 1}"
    buttons = (replace(go, label=then),) if stage == "settle" else ()
    who = (sealed.waiting(state.table, state.about, state.without(state.bids)),) if stage == "bid" else ()
    return Phase(f"Round {number} of {ROUNDS}", words, buttons, stage, who, (where,), step=stage)


def _seat(state: Lane, seat: Seat, leaders: tuple[int, ...]) -> SeatView:
    left, key = state.oil(seat.id), (state.round, seat.id)
    rows = tuple(_because(state, round, seat.id) for round in state.rounds if (round, seat.id) in state.lit)
    pieces: tuple[Piece, ...] = (
        Track(f"oil-{seat.id}", "oil", left, OIL, warn=2, falls=True, seat=seat),
        Total(f"total-{seat.id}", "Points", plain(state.total(seat.id)), rows=rows),
    )
    if state.stage in ("light", "settle"):
        title, now = f"Lit, of {state.bids[key]} bid", str(state.lit.get(key, ""))
        pieces = (_lanterns(state, f"lit-{seat.id}", "light", seat.id, now, title), *pieces)
    if not left:
        pieces += (Note(f"dark-{seat.id}", "Out of oil: cannot win.", "bad", ruling="no-oil"),)
    return SeatView(seat, leads=seat.id in leaders, pieces=pieces)


def _because(state: Lane, round: int, seat: int) -> Because:
    why = f"bid {state.bids[round, seat]}, lit {state.lit[round, seat]}"
    return Because(f"Round {round}", plain(state.points(round, seat)), why)


def _sheet(state: Lane) -> Sheet:
    rows = (
        Row(seat, tuple(_cell(state, round, seat) for round in state.rounds), plain(state.total(seat.id)))
        for seat in state.table.seats
    )
    return Sheet("points", "Points", tuple(f"Round {round}" for round in state.rounds), tuple(rows))


def _cell(state: Lane, round: int, seat: Seat) -> Cell:
    if (round, seat.id) not in state.lit:
        return Cell("")
    bid, lit = state.bids[round, seat.id], state.lit[round, seat.id]
    do = Do("light", {"seat": seat.id, "round": round})
    asked = (Field("lanterns", "Lanterns lit", str(lit), "number"),)
    form = Form(f"correct-{round}-{seat.id}", f"{seat.name}, round {round}", do, asked, "Correct it")
    return Cell(plain(state.points(round, seat.id)), form, f"{lit} of {bid}")


# --- who won ---


def adjudicate(state: Lane) -> Verdict:
    points = {seat: state.total(seat) for seat in state.table.ids}
    dark = {seat for seat in points if not state.oil(seat)}
    return judge(state.table, points, dark, state.stage == "over")


def judge(table: Table, points: Mapping[int, int], dark: set[int], over: bool) -> Verdict:
    left = {seat: total for seat, total in points.items() if seat not in dark}
    steps = tuple(_step(table.seat(seat).name, total, seat in dark) for seat, total in points.items())
    first = ahead(left)
    if not first:
        return Verdict("loss" if over else "continues", "Every lamp is dark: the lane wins.", (), steps)
    who, score = listed([table.seat(seat).name for seat in first]), plain(left[first[0]])
    if not over:
        leaders = first if any(left.values()) else ()
        return Verdict("continues", f"If we ended now, {who} would win with {score}.", (), steps, leaders)
    if len(first) > 1:
        return Verdict("shared", f"{who} share the lane with {score} each.", first, steps)
    return Verdict("win", f"{who} has lit the lane with {score}.", first, steps)


def _step(name: str, points: int, dark: bool) -> Step:
    if dark:
        return Step(f"{name}: {plain(points)}, but out of oil.", "no-oil")
    return Step(f"{name}: {plain(points)}.", "goal")


def scores(state: Lane) -> Scores:
    rounds = {f"Round {n}": {seat: state.total(seat, n) for seat in state.table.ids} for n in state.rounds}
    return Scores(rounds, "points")


class Player(TypedDict):
    name: str
    points: Annotated[int, Bounds(ge=-99, le=99)]
    oil: Annotated[int, Bounds(ge=0, le=OIL)]


def tally(table: Table, players: list[Player]) -> Verdict:
    points = {seat: player["points"] for seat, player in enumerate(players, 1)}
    dark = {seat for seat, player in enumerate(players, 1) if not player["oil"]}
    return judge(table, points, dark, over=True)


tick = ticking(CHECKLIST)

GAME: Game[Lane] = Game(
    title="Lantern Lane",
    tagline="Bid in secret, light the lane, mind the oil",
    seats=range(2, 5),
    symbol="lantern",
    accent=("#f0b35a", "#8a5200"),
    setup=Lane,
    view=view,
    private=private,
    adjudicate=adjudicate,
    scores=scores,
    tally=tally,
    commands=(tick, next_round, bid, light),
    events=(SetupTicked, RoundOpened, BidsShown, LanternsLit, *sealed.EVENTS),
    house_rules=(MISSED,),
    rulings=load_rulings(__package__),
)
