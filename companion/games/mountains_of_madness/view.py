"""What everybody sees: what to do now, where everything stands, and what each player has.

The Madness cards themselves stay on the table: only their levels are known here.
"""

from operator import attrgetter

from companion.core import Forms, Phase, Seat, SeatView, Verdict, View, kept_but_for, kept_while, load
from companion.core.fixed import replace
from companion.core.pieces import Chips, Grid, Note, Panel, Piece, Tap, Tone, Total, Track, steps
from companion.games.mountains_of_madness import box, counting, encounter, put_right, resolution, rest, setup
from companion.games.mountains_of_madness.adjudication import adjudicate, suffered
from companion.games.mountains_of_madness.state import State

PILES = ("Injury deck", "Equipment deck", "Equipment discard", "on the sled", "in hands")
SEATS_SHOW = ("table.seats", "table.starter", "stage", "leader", "levels", "relics", "covered", "raised")
BOARD_SHOWS = ("table.seats", "place", "tokens", "relics", "injuries", "cards", "raised", "now.injured")
MOMENTS = {each.key: each for each in load(__package__, "moments.toml", Phase)}
PIECES = {
    "setup": setup.pieces,
    "movement": encounter.moving,
    "encounter": encounter.talking,
    "resolution": resolution.resolving,
    "draw": rest.drawing,
    "rest": rest.resting,
}


def view(state: State) -> View:
    around = _around(state)
    if around.phase.final:
        return around
    return replace(around, phase=replace(around.phase, first=tuple(PIECES[state.stage](state))))


@kept_but_for(State, "sled")
def _around(state: State) -> View:
    """All but what is tapped in this phase."""
    verdict = adjudicate(state)
    phase, board = _phase(state, verdict), _board(state, verdict)
    makers = () if state.stage == "setup" else (counting.form, resolution.form, put_right.forms)
    forms = Forms(lambda: [each for form in makers for each in form(state)], listed=False)
    return View(phase, _seats(state), forms=forms, board=board, in_play=_lying(state))


def _lying(state: State) -> frozenset[str]:
    """What people may ask about now, because it is not so in every turn."""
    levels = [state.levels.get(seat.id, 0) for seat in state.table.seats]
    now = {
        "first": state.turn < 2,
        "no tile": state.now.moved and not state.now.tile,
        "silence": state.now.silent,
        "count": state.stage == "resolution" and state.now.met is None,
        "met": True in (state.now.met or ()),
        "missed": state.now.missed,
        "way out": state.place in box.WAY_OUT,
        "high": state.place in ("city", "edge"),
        "mad": max(levels) > 0,
        "level 2": 2 in levels,
        "level 3": 3 in levels,
        "all mad": min(levels) > 2,
        "relic": state.relic_count,
        "knowledge": any("knowledge" in each for each in state.relics.values()),
        "arcane": state.arcane,
        "few injuries": state.injuries.supply < 2,
        "injury in hand": state.injuries.hands,
        "no injury there": not state.injuries.discard,
        "few tokens": state.tokens.sled < 2,
        "thin deck": state.cards.deck < 6,
        "short deck": state.stage == "draw" and state.cards.deck < rest.lacking(state)[0],
        "level": state.out and state.relic_count == suffered(state)[0],
    }
    return frozenset([name for name, holds in now.items() if holds])


def _moment(state: State) -> str:
    now = state.now
    match state.stage:
        case "movement" if now.moved:
            return "tile" if now.tile else "no tile"
        case "movement" if not state.place or state.place in box.WAY_OUT:
            return "way out" if state.place else "first"
        case "encounter" if now.silent:
            return "silence"
        case "resolution" if now.met is not None or all(now.challenges):
            return "count" if now.met is None else "judged"
    return state.stage


def _phase(state: State, verdict: Verdict) -> Phase:
    if verdict.final:
        text = "Something mistapped? Undo it."
        return Phase(verdict.summary, text, key="over", step=verdict.outcome, final=True)
    moment = MOMENTS[_moment(state)]
    title, text = moment.title.format(state), moment.text.format(state)
    owed = state.now.penalties[0].number if state.now.penalties else 0
    step = f"judged-{owed}" if state.now.met else f"owed-{owed}"
    leader = state.table.seat(state.leader) if state.leader else None
    return Phase(title, text, key=state.stage, step=step, seat=leader)


def _board(state: State, verdict: Verdict) -> tuple[Piece, ...]:
    if state.stage == "setup":
        return ()
    ignoring = encounter.ignoring(state) if state.stage == "movement" and not verdict.final else ()
    put_right_by = put_right.fold_of(state.table.seats)
    return *ignoring, *_overview(state), Note("peak-summary", verdict.summary), put_right_by


@kept_while(
    attrgetter("table.seats", "place", "tokens", "relics", "injuries", "cards", "raised", "now.injured")
)
def _overview(state: State) -> tuple[Piece, ...]:
    """The way, the tokens, and what is counted."""
    tokens, injuries = state.tokens, state.injuries
    route = steps("peak-route", "The way", box.ROUTE, [*box.PLACES].index(state.place) if state.place else -1)
    label, note = "Leadership tokens on the sled", f"{tokens.discard} in the discard, {tokens.box} in the box"
    bad: Tone = "" if tokens.sled else "bad"
    totals = (
        Total("peak-relics", "Relics", str(state.relic_count)),
        Total("peak-suffered", "Injuries", str(box.INJURIES - injuries.supply)),
        Total("peak-hand", "Hand limit", str(state.base_hand + state.raised.count(0))),
        Total("peak-deck", "Equipment deck", str(state.cards.deck), note="by our count"),
    )
    on_sled = min(state.now.injured, injuries.hands)
    counts = (injuries.supply, injuries.deck, injuries.discard, on_sled, injuries.hands - on_sled)
    lie = {name: n for name, n in zip(PILES, counts, strict=True) if n or name != "on the sled"}
    chips = Chips("peak-injuries-at", tuple([Tap(name, badge=str(n)) for name, n in lie.items()]), "Injuries")
    injured = Panel("peak-injuries", (chips,), "The 15 Injuries")
    tally = Grid("peak-standing", (Grid("peak-tally", totals, narrow=2), injured), 1)
    return route, Track("peak-tokens", label, tokens.sled, box.TOKENS, note=note, tone=bad), tally


@kept_while(attrgetter(*SEATS_SHOW, "now.ignoring"))
def _seats(state: State) -> tuple[SeatView, ...]:
    return tuple([_seat(state, each) for each in state.table.seats])


def _seat(state: State, seat: Seat) -> SeatView:
    if state.stage == "setup":
        return SeatView(seat, notes=("leads first",) if seat.id == state.table.starter else ())
    ignored = "ignored this turn" if seat.id in state.now.ignoring else ""
    limit = f"hand limit {state.limit(seat.id)}" if seat.id in state.raised else ""
    note = ", ".join(filter(None, (ignored, limit)))
    madness = Track(f"peak-mad-{seat.id}", "Madness", state.level(seat.id), box.LEVELS, note=note, seat=seat)
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    many = {kind: relics.count(kind) for kind in box.RELIC_KINDS if kind in relics}
    chips = [Tap(box.RELIC_KINDS[kind], mark=kind, badge=str(n) * (n > 1)) for kind, n in many.items()]
    # and what no token can be spent on while this player leads
    chips += [Tap(box.SAID["closed"][space], tone="bad") for space in box.SPACES if space in covered]
    finds = (Chips(f"peak-finds-{seat.id}", tuple(chips), "Relics"),) if chips else ()
    return SeatView(seat, leads=seat.id == state.leader, pieces=(madness, *finds))
