"""All that is seen, once for every phone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core import (
    Button,
    Cell,
    Counter,
    Do,
    Field,
    Form,
    Phase,
    Row,
    Seat,
    SeatView,
    Sheet,
    Tick,
    View,
)
from companion.core.text import listed, plain, signed
from companion.games.wisdom_of_cthulhu.adjudication import adjudicate
from companion.games.wisdom_of_cthulhu.box import (
    BONDS,
    BOXES,
    MET_WHEN,
    PHASES,
    REQUIREMENTS,
    TURNS,
    Bond,
    bond,
    places,
)
from companion.games.wisdom_of_cthulhu.chart import Chart, chart
from companion.games.wisdom_of_cthulhu.commands.points import idle
from companion.games.wisdom_of_cthulhu.commands.turn import steps_now
from companion.games.wisdom_of_cthulhu.forms import forms
from companion.games.wisdom_of_cthulhu.house_rules import SACRIFICE_WHEN, chose
from companion.games.wisdom_of_cthulhu.offers import Panel, panel
from companion.games.wisdom_of_cthulhu.ranks import Rank, ranks, ties_by_place
from companion.games.wisdom_of_cthulhu.state import Player, State, place_number


@dataclass(frozen=True)
class Stop:
    """One of the four phases on the bar."""

    name: str
    state: str  # done, now, next, skipped


@dataclass(frozen=True)
class Line:
    """A step of a phase: ticked by the table, or done by the phones."""

    label: str
    later: bool
    tick: Tick | None


@dataclass(frozen=True)
class Held:
    """The Dark Masters of one bond before one player, and the tap that pays them all."""

    bond: Bond
    points: int
    cards: tuple[tuple[str, str], ...]  # name, form
    do: Do | None


@dataclass(frozen=True)
class WisdomSeat(SeatView):
    hand: int = 0
    spent: int = 0
    temporary: int = 0
    permanent: int = 0
    used: int = 0
    cards: tuple[str, ...] = ()  # six of them, each by what it is now
    kp: int = 0
    ritual: int = 0
    rites: tuple[str, ...] = ()  # what each box was reached with
    next_rite: str = ""
    rite_when: str = ""
    evokes: bool = False
    seeker: str = ""
    sign: str = ""
    held: tuple[Held, ...] = ()
    playing: bool = False


@dataclass(frozen=True)
class Tile:
    number: int
    name: str
    bond: str
    seekers: tuple[Seat, ...]
    signs: tuple[Seat, ...]


@dataclass(frozen=True)
class God:
    bond: Bond
    chosen: bool
    do: Do | None


@dataclass(frozen=True)
class WisdomView(View):
    stage: str = ""
    turn: int = 0
    stops: tuple[Stop, ...] = ()
    lines: tuple[Line, ...] = ()
    ranks: tuple[Rank, ...] = ()
    settled: bool = False
    ties: tuple[str, ...] = ()
    panel: Panel | None = None
    gods: tuple[God, ...] = ()
    named: str = ""  # those in play
    tiles: tuple[Tile, ...] = ()
    evoked: str = ""
    chart: Chart | None = None
    final: bool = False
    summary: str = ""
    skip: Button | None = None


def view(state: State, seat: int | None) -> WisdomView:
    verdict = adjudicate(state)
    return WisdomView(
        phase=replace(_phase(state, verdict.summary), key=state.phase),
        seats=tuple(_seat(state, each, verdict.leaders) for each in state.table.seats),
        sheets=(_sheet(state),) if state.turn else (),
        forms=forms(state),
        stage=state.phase,
        turn=state.turn,
        stops=_stops(state),
        lines=_lines(state),
        ranks=ranks(state),
        settled=state.phase in ("research", "end", "over"),
        ties=ties_by_place(state),
        panel=panel(state),
        gods=_gods(state),
        named=listed([bond(each).god for each in state.gods]),
        tiles=_tiles(state),
        evoked=_evoked(state),
        chart=chart(state) if state.turn else None,
        final=verdict.final,
        summary=verdict.summary,
        skip=_skip(state),
    )


# --- what to do now ---


def _phase(state: State, summary: str) -> Phase:
    turn = state.turn
    title = f"Turn {turn} of {TURNS}: {dict(PHASES).get(state.phase, '')}"
    match state.phase:
        case "setup":
            start = Button("Start turn 1", Do("begin_game"), strong=_ready(state))
            return Phase(f"Set up for {len(state.seats)}", "Tick off what is ready, on any phone.", (start,))
        case "preparation":
            go = Button(
                "To the Research Order", Do("finish_preparation", {"turn": turn}), strong=_ready(state)
            )
            return Phase(title, "", (go,))
        case "order":
            first = "Clockwise from a player drawn by lot" if turn == 1 else "In last turn’s order"
            return Phase(title, f"{first}, then once more round to add.")
        case "research":
            return Phase(title, "")
        case "end":
            close = Button(
                "End the game" if turn == TURNS else f"Close turn {turn}",
                Do("close_turn", {"turn": turn}),
                strong=_ready(state),
            )
            return Phase(title, "", (close,))
        case _:
            return Phase(summary, "Something mistyped? Undo it, or correct it on the sheet.")


def _ready(state: State) -> bool:
    """Whether all that the table does itself is ticked; going on is open all the same."""
    return all(each.by_app or each.id in state.ticked for each in steps_now(state))


def _skip(state: State) -> Button | None:
    """For a table that does not tap every action."""
    if state.phase != "research":
        return None
    words = "Leave the rest of this Research to the table? Points can still be counted by hand."
    return Button(
        "End the Research without the phones",
        Do("end_research", {"turn": state.turn}),
        confirm=words,
    )


def _stops(state: State) -> tuple[Stop, ...]:
    ids = [id for id, _ in PHASES]
    now = ids.index(state.phase) if state.phase in ids else 4 if state.over else -1
    return tuple(
        Stop(
            name,
            "skipped"
            if at == 0 and state.turn == 1
            else "done"
            if at < now
            else "now"
            if at == now
            else "next",
        )
        for at, (_, name) in enumerate(PHASES)
    )


def _lines(state: State) -> tuple[Line, ...]:
    found = []
    for each in steps_now(state):
        done = each.id in state.ticked
        do = Do("tick", {"item": each.id, "done": "no" if done else "yes"})
        found.append(Line(each.label, each.later, None if each.by_app else Tick(each.label, do, done)))
    return tuple(found)


def _gods(state: State) -> tuple[God, ...]:
    """As long as it is a question: four players have all four before them, and an evocation leaves one."""
    if state.over or state.evoked or (state.turn and len(state.seats) == len(BONDS)):
        return ()
    return tuple(
        God(
            each,
            each.id in state.gods,
            Do("choose_god", {"god": each.id, "done": "no" if each.id in state.gods else "yes"}),
        )
        for each in BONDS
    )


def _evoked(state: State) -> str:
    if not state.evoked:
        return ""
    here = {seat.id: seat.name for seat in state.table.seats}
    who = here.get(state.evoked.seat, "Somebody who left")
    god = bond(state.evoked.bond).god
    return f"{who} evoked {god} in turn {state.evoked.turn}. The other Great Old Ones are gone."


# --- seats ---


def _seat(state: State, seat: Seat, leaders: tuple[int, ...]) -> WisdomSeat:
    mine = state.player(seat.id)
    got = state.got(state.turn, seat.id)
    playing = state.turn > 0
    counter = Counter(
        id=f"counter-{seat.id}-1",
        label="KP",
        value=state.kp(seat.id),
        do=Do("count", {"seat": seat.id, "turn": state.turn}),
        detail=f"{signed(got)} this turn" if got else "",
    )
    return WisdomSeat(
        seat,
        (counter,) if playing else (),
        leads=playing and leaders == (seat.id,),
        hand=mine.hand,
        spent=mine.spent,
        temporary=mine.temporary,
        permanent=mine.permanent,
        used=mine.used,
        cards=_cards(mine),
        kp=state.kp(seat.id),
        ritual=mine.ritual,
        rites=tuple(bond(rite.bond).name if rite.bond else "by hand" for rite in mine.rites),
        next_rite=REQUIREMENTS[mine.ritual] if mine.ritual < BOXES else "",
        rite_when=_rite_when(state, mine),
        evokes=mine.ritual == BOXES and not state.evoked,
        seeker=state.where(mine.seeker),
        sign=state.where(mine.sign),
        held=_held(state, seat.id) if playing else (),
        playing=playing and not state.over,
    )


def _rite_when(state: State, mine: Player) -> str:
    if mine.ritual == BOXES:
        return ""
    turn = mine.rites[-1].turn + 1 if mine.ritual == BOXES - 1 else 0
    wait = turn > state.turn and not chose(state.table, SACRIFICE_WHEN, "same")
    return MET_WHEN[mine.ritual] + (f" of turn {turn}" if wait else "")


def _cards(mine: Player) -> tuple[str, ...]:
    fresh = mine.permanent - mine.used
    counts = {
        "path": mine.hand,
        "temporary": mine.temporary,
        "spent": mine.spent,
        "permanent": fresh,
        "used": mine.used,
    }
    return tuple(kind for kind, count in counts.items() for _ in range(count))


def _held(state: State, seat: int) -> tuple[Held, ...]:
    mine = state.player(seat)
    found = []
    for each in BONDS:
        cards = tuple(
            (m.name, f"master-{seat}-{at}") for at, m in enumerate(mine.masters) if m.bond == each.id
        )
        do = Do("pay_bond", {"seat": seat, "turn": state.turn, "bond": each.id})
        if cards:
            points = sum(m.points for m in mine.paid_by(each.id))
            found.append(Held(each, points, cards, None if idle(state, each.id) else do))
    return tuple(found)


# --- places and sheet ---


def _tiles(state: State) -> tuple[Tile, ...]:
    def those(number: int, what: str) -> tuple[Seat, ...]:
        return tuple(
            s for s in state.table.seats if place_number(getattr(state.player(s.id), what)) == number
        )

    return tuple(
        Tile(n, state.place_name(n), state.place(n).bond, those(n, "seeker"), those(n, "sign"))
        for n in range(1, places(len(state.seats)) + 1)
    )


def _sheet(state: State) -> Sheet:
    turns = range(1, state.turn + 1)
    rows = tuple(
        Row(seat, tuple(_cell(state, seat, turn) for turn in turns), plain(state.kp(seat.id)))
        for seat in state.table.seats
    )
    return Sheet("kp", "Knowledge Points by turn", tuple(str(turn) for turn in turns), rows)


def _cell(state: State, seat: Seat, turn: int) -> Cell:
    got = state.got(turn, seat.id)
    return Cell(
        plain(got),
        Form(
            f"cell-{turn}-{seat.id}",
            f"{seat.name}, points of turn {turn}",
            Do("correct", {"seat": seat.id, "turn": turn}),
            (Field("to", "Knowledge Points", str(got), "number"),),
            "Correct it",
        ),
    )
