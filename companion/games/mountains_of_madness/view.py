"""What everybody sees. The Madness cards themselves stay on the table: only their levels are known here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass

from companion.core import Button, Do, Phase, Seat, SeatView, Verdict, View
from companion.games.mountains_of_madness import panels, resolving
from companion.games.mountains_of_madness.adjudication import adjudicate
from companion.games.mountains_of_madness.forms import forms
from companion.games.mountains_of_madness.panels import Draw, Encounter, Movement, Pack, Rest, Tap
from companion.games.mountains_of_madness.resolving import Count, Owed, Paying
from companion.games.mountains_of_madness.state import (
    PLACES,
    RELIC_KINDS,
    SPACES,
    Cards,
    Injuries,
    Leadership,
    Stage,
    State,
)

ROUTE = (
    ("coast", "Coast"),
    ("mountain", "Mountain"),
    ("city", "City"),
    ("edge", "Edge"),
    ("escape-1", "1"),
    ("escape-2", "2"),
    ("escape-3", "3"),
)


@dataclass(frozen=True)
class Stop:
    """A place on the way, as the strip shows it."""

    id: str
    name: str
    here: bool
    passed: bool


@dataclass(frozen=True)
class MountainsSeat(SeatView):
    level: int = 0
    ignores: bool = False
    relics: tuple[tuple[str, str, int], ...] = ()  # kind, name, how many
    covered: tuple[tuple[str, str, bool], ...] = ()  # space, what it is for, covered
    leader: bool = False
    limit: int = 0  # where it is not everyone's
    form: str = ""


@dataclass(frozen=True)
class MountainsView(View):
    stage: Stage = "setup"
    turn: int = 0
    leader: Seat | None = None
    final: bool = False
    tokens: Leadership = field(default_factory=Leadership)
    injuries: Injuries = field(default_factory=Injuries)
    injured: int = 0  # on the sled, of those in hands
    cards: Cards = field(default_factory=Cards)
    arcane: int = 0
    relics: int = 0
    escaped: int = 0
    hand: int = 0
    route: tuple[Stop, ...] = ()
    packs: tuple[Pack, ...] = ()
    movement: Movement | None = None
    encounter: Encounter | None = None
    owed: Owed | None = None
    count: Count | None = None
    paying: Paying | None = None
    draw: Draw | None = None
    rest: Rest | None = None
    start: Tap | None = None
    leaders: tuple[Tap, ...] = ()
    searching: bool = False
    summary: str = ""


def view(state: State, seat: int | None) -> MountainsView:
    verdict = adjudicate(state)
    playing = None if verdict.final else state.stage
    resolving_now = playing == "resolution"
    start = Tap("Begin the expedition", Do("begin")) if playing == "setup" else None
    drawn = {
        "packs": panels.packs(state) if playing == "setup" else (),
        "movement": panels.movement(state) if playing == "movement" else None,
        "encounter": panels.encounter(state) if playing == "encounter" else None,
        "owed": resolving.owed(state) if playing else None,
        "count": resolving.count(state) if resolving_now and state.now.met is None else None,
        "paying": resolving.paying(state) if resolving_now and state.now.met is not None else None,
        "draw": panels.draw(state) if playing == "draw" else None,
        "rest": panels.rest(state) if playing == "rest" else None,
        "start": start,
        "leaders": panels.leaders(state) if playing == "setup" else (),
    }
    title, text = _words(state, verdict)
    return MountainsView(
        phase=Phase(
            title,
            text,
            tuple(Button(tap.label, tap.do) for tap in _taps(drawn) if not tap.why),
            key=playing or "over",
        ),
        seats=tuple(_seat(state, each) for each in state.table.seats),
        forms=forms(state),
        stage=state.stage,
        turn=state.turn,
        leader=state.table.seat(state.leader or state.table.starter),
        final=verdict.final,
        tokens=state.tokens,
        injuries=state.injuries,
        injured=min(state.now.injured, state.injuries.hands),
        cards=state.cards,
        arcane=state.arcane,
        relics=state.relic_count,
        escaped=int(state.place[-1]) if state.place.startswith("escape") else 0,
        hand=state.base_hand + state.raised.count(0),
        route=_route(state),
        searching=state.now.searching,
        summary=verdict.summary,
        **drawn,  # type: ignore[arg-type]
    )


def _taps(found: object) -> Iterator[Tap]:
    """Every button there is now, wherever it stands."""
    if isinstance(found, Tap):
        yield found
    elif isinstance(found, dict):
        yield from (tap for each in found.values() for tap in _taps(each))
    elif isinstance(found, tuple):
        yield from (tap for each in found for tap in _taps(each))
    elif is_dataclass(found) and found.__class__.__module__.startswith(__name__.rpartition(".")[0]):
        closed = bool(getattr(found, "why", ""))  # a use of tokens that is not open
        yield from (tap for each in fields(found) for tap in _taps(getattr(found, each.name)) if not closed)


def _words(state: State, verdict: Verdict) -> tuple[str, str]:
    leader = state.name(state.leader or state.table.starter)
    if verdict.final:
        return verdict.summary, "Something mistapped? Undo it."
    match state.stage:
        case "setup":
            return "Set up", "Tick off what is ready, on any phone. Yours comes first."
        case "movement" if state.now.moved:
            place = PLACES[state.place]
            where = f"To the {place}" + ("" if state.now.tile else ", without a tile")
            return where, f"{leader} holds the tile. Ready? The sand runs on every phone."
        case "movement":
            return f"Turn {state.turn}: {leader} leads", _where_to(state)
        case "encounter":
            return ("Silence" if state.now.silent else "Talk"), ""
        case "resolution" if state.now.met is None:
            return "Reveal the sled", _counting(state)
        case "resolution":
            return "What it brings, what it costs", f"In the order that {leader} likes."
        case "draw":
            return "Draw phase", f"{leader} deals until everyone holds {_limits(state)}."
        case "rest":
            return "Rest phase", f"{leader} may rest, or not."


def _counting(state: State) -> str:
    if all(state.now.challenges):
        return "Tap the cards, or set the totals. Both Challenges are judged together."
    return "Say of each Challenge whether it was met; or enter both, and we count."


def _where_to(state: State) -> str:
    if not state.place:
        return "Put the airplane on a Coast space of the lowest row."
    if state.place == "edge" or state.place.startswith("escape"):
        return "No way back down. On to the next Escape tile."
    return "Move the airplane to a space next to it; it cannot stay."


def _limits(state: State) -> str:
    limits = {state.limit(seat.id) for seat in state.table.seats}
    if len(limits) == 1:
        return f"{limits.pop()} cards"
    more = " and ".join(state.name(seat) for seat in state.raised if seat)
    return f"{min(limits)} cards, {more} one more"


def _route(state: State) -> tuple[Stop, ...]:
    order = [id for id, _ in ROUTE]
    at = order.index(state.place) if state.place else -1
    return tuple(Stop(id, name, n == at, n < at) for n, (id, name) in enumerate(ROUTE))


def _seat(state: State, seat: Seat) -> MountainsSeat:
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    return MountainsSeat(
        seat,
        (),
        level=state.level(seat.id),
        ignores=seat.id in state.now.ignoring,
        relics=tuple(
            (kind, name, relics.count(kind)) for kind, name in RELIC_KINDS.items() if kind in relics
        ),
        covered=tuple((space, what, space in covered) for space, what in SPACES.items()),
        leader=state.stage != "setup" and seat.id == state.leader,
        limit=state.limit(seat.id) if seat.id in state.raised else 0,
        form=f"seat-{seat.id}" if state.stage != "setup" else "",
    )
