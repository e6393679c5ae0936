"""Where everything stands: the way, the tokens, Relics against Injuries; and what each player has."""

from __future__ import annotations

from functools import cache, lru_cache
from operator import attrgetter

from companion.core import Seat, SeatView, Tap
from companion.core.memo import kept_while
from companion.core.pieces import Chips, Grid, Note, Piece, Steps, Tone, Total, Track, steps
from companion.games.mountains_of_madness import box, put_right
from companion.games.mountains_of_madness.movement import ignoring
from companion.games.mountains_of_madness.state import Injuries, Leadership, State

ROUTE = ("Coast", "Mountain", "City", "Edge", "Escape 1", "Escape 2", "Escape 3")
SEATS_SHOW = ("table.seats", "table.starter", "stage", "leader", "levels", "relics", "covered", "raised")
remembered = lru_cache(1024)


def board(state: State, summary: str, over: bool) -> tuple[Piece, ...]:
    if state.stage == "setup":
        return ()
    return (
        *(ignoring(state) if not over else ()),
        _route(state.place),
        _tokens(state.tokens),
        _tally(
            state.relic_count,
            state.injuries,
            min(state.now.injured, state.injuries.hands),
            state.base_hand + state.raised.count(0),
            state.cards.deck,
        ),
        Note("peak-summary", summary),
        put_right.fold_of(state.table.seats),
    )


@cache
def _route(place: str) -> Steps:
    return steps("peak-route", "The way", ROUTE, [*box.PLACES].index(place) if place else -1)


@remembered
def _tokens(tokens: Leadership) -> Track:
    label, note = "Leadership tokens on the sled", f"{tokens.discard} in the discard, {tokens.box} in the box"
    tone: Tone = "" if tokens.sled else "bad"
    return Track("peak-tokens", label, tokens.sled, box.TOKENS, note=note, tone=tone)


@remembered
def _tally(relics: int, injuries: Injuries, on_sled: int, hand: int, deck: int) -> Grid:
    sled = f"{on_sled} on the sled, " if on_sled else ""
    where = (
        f"{injuries.supply} left in their deck; of the others {injuries.discard} in the discard, "
        f"{injuries.deck} in the Equipment deck, {sled}{injuries.hands - on_sled} in hands"
    )
    suffered = str(box.INJURIES - injuries.supply)
    totals = (
        Total("peak-relics", "Relics", str(relics)),
        Total("peak-hand", "Hand limit", str(hand)),
        Total("peak-suffered", "Injuries suffered", suffered, note=where),
        Total("peak-deck", "Equipment deck", str(deck), note="by our count; 40 plain cards assumed"),
    )
    return Grid("peak-tally", totals, narrow=2)


# --- seats ---


@kept_while(attrgetter(*SEATS_SHOW, "now.ignoring"))
def seats(state: State) -> tuple[SeatView, ...]:
    return tuple([_seat(state, each) for each in state.table.seats])


def _seat(state: State, seat: Seat) -> SeatView:
    if state.stage == "setup":
        return SeatView(seat, notes=("leads first",) if seat.id == state.table.starter else ())
    ignored = "ignored this turn" if seat.id in state.now.ignoring else ""
    limit = f"hand limit {state.limit(seat.id)}" if seat.id in state.raised else ""
    note = ", ".join(filter(None, (ignored, limit)))
    madness = Track(f"peak-mad-{seat.id}", "Madness", state.level(seat.id), box.LEVELS, note=note, seat=seat)
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    return SeatView(seat, leads=seat.id == state.leader, pieces=(madness, *_finds(seat.id, relics, covered)))


@remembered
def _finds(seat: int, relics: tuple[str, ...], covered: tuple[str, ...]) -> tuple[Chips, ...]:
    """The Relics, and what no token can be spent on while this player leads."""
    chips = [
        Tap(name, mark=kind, badge=str(relics.count(kind)) if relics.count(kind) > 1 else "")
        for kind, name in box.RELIC_KINDS.items()
        if kind in relics
    ]
    closed = [what for space, what in box.SPACES.items() if space in covered]
    chips += [Tap(f"no token for {what}", tone="bad") for what in closed]
    return (Chips(f"peak-finds-{seat}", tuple(chips), "Relics"),) if chips else ()
