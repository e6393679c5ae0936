"""What everybody sees: nothing at this table is secret once it is tapped."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from operator import attrgetter

from companion.core import Cell, Counter, Do, Phase, Row, Seat, SeatView, Sheet, Tap, Verdict, View
from companion.core.memo import kept_while
from companion.core.pieces import Picker, Tray
from companion.games.smash_up import board, setting_up
from companion.games.smash_up.adjudication import Standing, adjudicate, places, standings
from companion.games.smash_up.forms import forms
from companion.games.smash_up.phases import RANKS, past, phase
from companion.games.smash_up.state import State


def view(state: State) -> View:
    return View(
        phase=_phase(state, adjudicate(state)),
        seats=_seats(state),
        sheets=_sheets(state),
        forms=forms(state),
        board=setting_up.board(state)
        if state.stage == "setup"
        else (*board.board(state, *past(state)), *_trays(state)),
    )


def _phase(state: State, verdict: Verdict) -> Phase:
    if state.stage == "setup":
        return setting_up.phase(state)
    if verdict.final:
        undo = "Something mistyped? Undo it, or count it right: the verdict follows."
        return Phase(verdict.summary, undo, key="over", final=True)
    return phase(state, verdict.summary)


# --- seats ---


@kept_while(attrgetter("table.seats", "table.choices", "vp", "madness", "stage", "player"))
def _seats(state: State) -> tuple[SeatView, ...]:
    """Who is at which place is said once somebody is ahead."""
    ranks, leaders, playing = (
        places(state.table, standings(state)),
        adjudicate(state).leaders,
        state.stage != "setup",
    )
    turn, someone = state.player if state.stage == "play" else 0, any(state.vp.values())

    def view(seat: Seat, each: Standing) -> SeatView:
        leads, place = (
            leaders == (seat.id,) and each.left > 0,
            RANKS[ranks[seat.id]] if someone else "",
        )
        return _seat(seat, each, leads, turn == seat.id, place, playing)

    return tuple(map(view, state.table.seats, standings(state)))


@lru_cache(4096)
def _seat(seat: Seat, each: Standing, leads: bool, turn: bool, place: str, playing: bool) -> SeatView:
    notes = tuple(filter(None, (place, "plays now" if turn else "")))
    words, counts = f"{each.madness} Madness", f"counts {each.sum}" if each.penalty else ""
    tap = Tap(words, detail=counts, opens=f"su-seat-{seat.id}", id=f"mad-{seat.id}", shows="madness")
    pieces = (tap,) if playing else ()
    return SeatView(seat, notes=notes, leads=leads, pieces=pieces, score=str(each.vp), unit="VP")


@kept_while(attrgetter("table.seats", "vp", "madness", "factions"))
def _trays(state: State) -> tuple[Tray, ...]:
    """VP and Madness cards of each player; whoever joined late chooses factions there."""

    def tray(seat: Seat, each: Standing) -> Tray:
        known = _tray(seat, each, " + ".join(state.factions_of(seat.id)))
        late = setting_up.factions(state, seat) if seat.id in state.late else ()
        return replace(known, pieces=(*late, *known.pieces)) if late else known

    return tuple(map(tray, state.table.seats, standings(state)))


@lru_cache(4096)
def _tray(seat: Seat, each: Standing, factions: str) -> Tray:
    mine = {"seat": seat.id}
    penalty = f"With the Madness penalty: {each.sum}" if each.penalty else "No Madness penalty so far"
    cards, why = Do("count_madness", mine), Tap("VP with a reason", opens=f"vp-why-{seat.id}")
    acts = (
        Tap("Draw one", Do("draw_madness", mine)),
        Tap("Return some", opens=f"return-{seat.id}"),
        Tap("Play: draw two cards, keep it", Do("play_madness", {**mine, "choice": "cards"})),
        Tap("Play: return it", Do("play_madness", {**mine, "choice": "return"})),
    )
    pieces = (
        Counter(f"vp-{seat.id}", "VP", each.vp, Do("count_vp", mine), whom=seat.name),
        Counter(f"madness-{seat.id}", "Madness cards", each.madness, cards, whom=seat.name),
        Picker(f"acts-{seat.id}", (*acts, why), "Madness: hand, deck and discard pile together", columns=2),
    )
    title = f"{seat.name}: {factions}" if factions else seat.name
    return Tray(f"su-seat-{seat.id}", title, pieces, seat, penalty)


@kept_while(attrgetter("table.seats", "scored", "vp"))
def _sheets(state: State) -> tuple[Sheet, ...]:
    def row(seat: Seat) -> Row:
        gained = [sum(award.vp for award in each.awards if award.seat == seat.id) for each in state.scored]
        return Row(seat, tuple(Cell(str(each)) for each in gained), str(state.vp_of(seat.id)))

    columns = tuple(each.card.name for each in state.scored)
    return (Sheet("vp", "Victory points", columns, tuple(map(row, state.table.seats))),) if columns else ()
