"""Where everything stands: the way, the tokens, Relics against Injuries; and what each player has."""

from __future__ import annotations

from functools import cache, lru_cache

from companion.core import Seat, SeatView, Tap
from companion.core.memo import kept_while
from companion.core.pieces import Chips, Fold, Grid, Note, Picker, Piece, Steps, Tone, Total, Track, steps
from companion.games.mountains_of_madness.panels import ignoring
from companion.games.mountains_of_madness.state import (
    INJURIES,
    LEVELS,
    RELIC_KINDS,
    SPACES,
    TOKENS,
    Injuries,
    Leadership,
    State,
)

ROUTE = {
    "coast": "Coast",
    "mountain": "Mountain",
    "city": "City",
    "edge": "Edge",
    "escape-1": "Escape 1",
    "escape-2": "Escape 2",
    "escape-3": "Escape 3",
}
ON_THE_TABLE = (("Tokens", "tokens"), ("Injuries", "injuries"), ("Cards", "cards"), ("Airplane", "plane"))
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
        _summary(summary),
        _put_right(state.table.seats),
    )


@cache
def _route(place: str) -> Steps:
    return steps("peak-route", "The way", ROUTE.values(), [*ROUTE].index(place) if place else -1)


@remembered
def _tokens(tokens: Leadership) -> Track:
    note = f"{tokens.discard} in the discard, {tokens.box} in the box"
    tone: Tone = "" if tokens.sled else "bad"
    return Track("peak-tokens", "Leadership tokens on the sled", tokens.sled, TOKENS, note=note, tone=tone)


@remembered
def _tally(relics: int, injuries: Injuries, on_sled: int, hand: int, deck: int) -> Grid:
    sled = f"{on_sled} on the sled, " if on_sled else ""
    where = (
        f"{injuries.supply} left in their deck; of the others {injuries.discard} in the discard, "
        f"{injuries.deck} in the Equipment deck, {sled}{injuries.hands - on_sled} in hands"
    )
    suffered = str(INJURIES - injuries.supply)
    totals = (
        Total("peak-relics", "Relics", str(relics)),
        Total("peak-hand", "Hand limit", str(hand)),
        Total("peak-suffered", "Injuries suffered", suffered, note=where),
        Total("peak-deck", "Equipment deck", str(deck), note="by our count; 40 plain cards assumed"),
    )
    return Grid("peak-tally", totals, narrow=2)


@remembered
def _summary(words: str) -> Note:
    return Note("peak-summary", words)


@remembered
def _put_right(seats: tuple[Seat, ...]) -> Fold:
    """Everything that a thumb may have missed, and what each player has."""
    taps = [Tap(label, opens=form) for label, form in ON_THE_TABLE]
    taps += [Tap(seat.name, seat=seat, opens=f"seat-{seat.id}") for seat in seats]
    wrong = Picker("peak-wrong", tuple(taps), columns=2)
    return Fold("peak-put-right", "Put right what was mistapped", (wrong,), only="players")


# --- seats ---


def _what_seats_show(state: State) -> tuple[object, ...]:
    return (
        *(state.table.seats, state.table.starter, state.stage, state.leader, state.levels, state.relics),
        *(state.covered, state.raised, state.now.ignoring),
    )


@kept_while(_what_seats_show)
def seats(state: State) -> tuple[SeatView, ...]:
    return tuple([_seat(state, each) for each in state.table.seats])


def _seat(state: State, seat: Seat) -> SeatView:
    if state.stage == "setup":
        return SeatView(seat, notes=("leads first",) if seat.id == state.table.starter else ())
    ignored = "ignored this turn" if seat.id in state.now.ignoring else ""
    limit = f"hand limit {state.limit(seat.id)}" if seat.id in state.raised else ""
    note = ", ".join(filter(None, (ignored, limit)))
    madness = Track(f"peak-mad-{seat.id}", "Madness", state.level(seat.id), LEVELS, note=note, seat=seat)
    relics, covered = state.relics.get(seat.id, ()), state.covered.get(seat.id, ())
    return SeatView(seat, leads=seat.id == state.leader, pieces=(madness, *_finds(seat.id, relics, covered)))


@remembered
def _finds(seat: int, relics: tuple[str, ...], covered: tuple[str, ...]) -> tuple[Chips, ...]:
    """The Relics, and what no token can be spent on while this player leads."""
    chips = [
        Tap(name, mark=kind, badge=str(relics.count(kind)) if relics.count(kind) > 1 else "")
        for kind, name in RELIC_KINDS.items()
        if kind in relics
    ]
    chips += [Tap(f"no token for {what}", tone="bad") for space, what in SPACES.items() if space in covered]
    return (Chips(f"peak-finds-{seat}", tuple(chips), "Relics"),) if chips else ()
